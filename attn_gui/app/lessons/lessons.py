"""Lessons: their menu, how one is opened in place of the document, and gone through step by step."""

from __future__ import annotations

import re
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from math import prod
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QCoreApplication, QObject, QTimer, Signal
from PySide6.QtWidgets import QFileDialog

from attn_gui.app.actions.actions import Command
from attn_gui.app.app_context import AppContext
from attn_gui.app.files.files import FilesController, may_go
from attn_gui.app.lessons.answers import Answers
from attn_gui.app.lessons.lesson_list import (
    LAST,
    PROGRESS,
    SHOWN,
    TICKS,
    LessonListController,
    keep_tick,
    kept_place,
    kept_ticks,
)
from attn_gui.app.model_run_controller import ModelRunController
from attn_gui.app.pages import PagesController
from attn_gui.app.state.background_task import BackgroundTask, WindowTask
from attn_gui.app.state.translated_errors import saying
from attn_gui.app.state.view_state import ChosenCell
from attn_gui.app.walk_controller import WalkController
from attn_gui.document.document import DocumentChange
from attn_gui.document.edits import Label, SetStudy
from attn_gui.document.number_text import shortest
from attn_gui.engine import Evaluation
from attn_gui.engine.checks import same
from attn_gui.engine.evaluation.evaluation import Place
from attn_gui.engine.graph import indices
from attn_gui.engine.progress import Progress
from attn_gui.engine.stages import STAGE
from attn_gui.figure.operands import stage_plane
from attn_gui.figure.page_catalog import PAGES
from attn_gui.file_kinds import ENDING
from attn_gui.languages import QT_TRANSLATE_NOOP
from attn_gui.lessons.curriculum import GROUPS, following, path_of
from attn_gui.lessons.exercises import Blank
from attn_gui.lessons.lesson import Lesson, read_lesson, title_of
from attn_gui.lessons.live_numbers import ModelRuns, NumberSource, cell_index
from attn_gui.lessons.scenes import LessonScene, LessonView, StepState, states_of
from attn_gui.views.dialogs.progress import WorkLine
from attn_gui.views.lesson_panel import DoneStep, EndWords, LessonPanel, StepWords
from attn_gui.views.question_view import Asked
from attn_gui.views.theme import scaled
from attn_gui.views.zones import handing_on, put_at_foot, put_on_top

# Menu of the lessons that come along, by group, and the way to others.


class LessonMenu(QObject):
    """Tells which lesson is chosen; it opens none."""

    chosen = Signal(object)  # its path

    def __init__(self, context: AppContext) -> None:
        super().__init__(context.window)
        self._window, self._menu, self._appearance = context.window, context.bars.menus["lessons"], context.appearance

    def retranslate(self) -> None:
        """Set the groups and titles anew, in the present language."""
        self._menu.clear()
        for group, lessons in GROUPS:
            self._menu.addSection(QCoreApplication.translate("Lessons", group))
            for path in map(path_of, lessons):
                title = title_of(path, self._appearance.language)
                assert title is not None, path
                action = self._menu.addAction(title.replace("&", "&&"))
                action.setObjectName(f"action.lesson_{path.stem.replace('-', '_')}")
                action.triggered.connect(lambda _=False, path=path: self.chosen.emit(path))

    def ask(self) -> None:
        """Ask which file to open."""
        kinds = self.tr("Lessons (*{ending})").format(ending=ENDING)
        name, _ = QFileDialog.getOpenFileName(self._window, self.tr("Open a lesson"), str(Path.home()), kinds)
        if name:
            self.chosen.emit(Path(name))


# --- words ----------------------------------------------------------------------------------------
# Words of a lesson's step with the present numbers, computed in the background: their expressions may take long.


@dataclass(frozen=True)
class ShownStep:
    """A step of a lesson on show: its place, and how many there are."""

    lesson: Lesson
    state: StepState
    place: int
    count: int


class SaidStep(NamedTuple):
    """A step as it is said now; `left` where the numbers are others than those of the step."""

    words: StepWords
    left: bool


def said_step(
    step: ShownStep, lang: str, number_source: NumberSource, shown: NumberSource, scene: LessonScene, *, ready: bool
) -> SaidStep:
    """Say a step in one language; nothing counts as done before the numbers of a model are `ready`.

    What is done is judged by `number_source`; texts tell the numbers of `shown`, which may cover some of them.
    """
    lesson, state, question = step.lesson, step.state, step.state.step.question
    done = ready and state.is_done(scene, number_source)
    asked = None
    if question is not None:
        of = shown if shown.evaluation.covers else state.asked_of(scene, number_source)
        asked = Asked(question.text.said(lang, of), tuple(choice.said(lang, of) for choice in question.choices))
    words = StepWords(
        lesson.key,
        lesson.title.said(lang, shown),
        step.place + 1,
        step.count,
        state.step.title.said(lang, shown),
        tuple(state.step.text.said(lang, shown).split("\n\n")),
        done if state.step.tasks else None,
        asked,
    )
    return SaidStep(words, not done and not scene.has_numbers_of(state.begin))


STEP = QT_TRANSLATE_NOOP("History", "lesson, step {place}")
RESERVED = re.compile(r'\s*[\\/:*?"<>|]+\s*')
"""What the name of a file must not have: the document of a lesson is named by its title."""
LEAST_PAGE = 360
"""Logical pixels below a step in which its page can be seen, with the choice of pages; with fewer it takes the place of
the maps."""
QUICK = 1 << 14
"""Scores of so many are small enough for a step to be said in the turn that shows its maps."""


class _Opened(NamedTuple):
    """A lesson that was read, its states, and the one that it leads on to."""

    lesson: Lesson
    states: tuple[StepState, ...]
    following: Lesson | None


class LessonsController(QObject):
    """Shows the step of the open lesson, with the present numbers; everything in the window stays usable."""

    def __init__(
        self,
        context: AppContext,
        files: FilesController,
        pages: PagesController,
        model: ModelRunController,
        walking: WalkController,
    ) -> None:
        super().__init__(context.window)
        self._window, self._document, self._bars = context.window, context.document, context.bars
        self._computation, self._view = context.computation, context.view
        self._runner, self._files, self._pages, self._model = context.runner, files, pages, model
        self._walking = walking
        self._runs: ModelRuns | None = None  # of the model on the table, with what lessons read from them
        self._appearance, self._settings, self._menu = context.appearance, context.settings, LessonMenu(context)
        self._lesson: Lesson | None = None
        self._states: tuple[StepState, ...] = ()
        self._of_file: tuple[StepState, ...] = ()  # with their tokens in both languages, where the file gives them
        self._place = 0  # that of the step on show; behind the last one stands the end
        self._answered = False  # whether nothing of the step is covered any more
        self._following: Lesson | None = None  # the lesson that the end leads on to
        self._turning: LessonView | None = None  # what the step shows, until its numbers are there
        self._page_due = False  # whether it has opened its page, and it is not known yet where that has room
        self._panel = LessonPanel(context.window)
        self._work, self._saying = WindowTask(context.window, WorkLine("opening", context.window)), BackgroundTask(self)
        self._anew = False  # whether the lesson that is read begins with its first step
        self._asked = Path(), 0  # the lesson that is read, and the revision in which the document may be left for it
        self._soon = QTimer(self, singleShot=True, interval=0)  # the edit is painted first
        put_on_top(context.window.right, self._panel)
        put_at_foot(context.window.right, self._panel.way)
        context.window.mask_panel.spared = self._panel  # a step says which mask to make
        self.list = LessonListController(context, self, self.open_path, self._menu.ask)
        self._answers = Answers(self._panel.question, self._asked_of, lambda: not self._model.busy, context.appearance)
        self._connect()
        self.retranslate()

    def commands(self) -> dict[str, Command]:
        return {"open_lesson": Command(self._menu.ask), **self.list.commands()}

    def retranslate(self) -> None:
        """Set the lessons in their menu and the step on show anew, in the present language."""
        self._menu.retranslate()
        self.list.retranslate()
        if self._lesson is not None and self._document.path is None:
            self._document.rename(self._name_of(self._lesson))
        if self._lesson is not None and self._place < len(self._states):
            self._say_tokens()
        self._answers.retranslate()
        self._show()

    @property
    def busy(self) -> bool:
        """Whether a lesson or a verdict is still to come."""
        working = self._work.busy or self._answers.busy or self._saying.busy or self.list.busy
        return working or self._soon.isActive()

    def finish(self) -> None:
        """End what is being read; for the end of the program."""
        self._soon.stop()
        self._work.finish()
        self._saying.wait()
        self._answers.finish()
        self.list.finish()

    # --- opening ---------------------------------------------------------------------------------
    def open_path(self, path: Path, *, anew: bool = False) -> None:
        """Open a lesson once the document may be left, at its first step if `anew`; a bad one is refused with one
        sentence and changes nothing."""

        def work(_tell: Progress) -> _Opened:
            lesson = read_lesson(path)
            states, after = states_of(lesson, PAGES), following(lesson)
            return _Opened(lesson, states, None if after is None else read_lesson(after))

        if self._files.may_leave():
            self._asked, self._anew = (path, self._document.revision), anew
            self._work.start(work, path.name)

    def _on_work_ended(self, outcome: Future[_Opened]) -> None:
        path, revision = self._asked
        try:
            opened = outcome.result()
        except (ValueError, MemoryError) as error:
            self._window.banner.show_error(saying(error))
            return
        again = partial(self.open_path, path, anew=self._anew)
        if may_go(self._window, self._document, path.name, revision, again):
            self._begin(opened)

    def _on_document_changed(self, change: DocumentChange) -> None:
        """Put the lesson away with the document that its steps are made in; one that begins is opened after that.

        What is done in a lesson asks for no file: its numbers are those of its steps.
        """
        if self._lesson is None:
            return
        if change.opened:
            self.close()
        elif self._document.path is None:
            self._document.mark_kept()

    def _begin(self, opened: _Opened) -> None:
        lesson, states, self._following = opened
        place = 0 if self._anew else kept_place(self._settings, lesson.key, len(states))
        scene = states[place].begin.said(self._appearance.language)
        self._files.begin_problem(
            scene.problem, self._name_of(lesson), scene.study
        )  # which puts the lesson before it away
        self._lesson, self._of_file = lesson, states
        self._states = tuple(state.said(self._appearance.language) for state in states)
        self._settings.put(LAST, lesson.key)
        self._panel.show()
        self._window.inspector.set_walk_main(False)
        self._window.set_history_shown(False)
        self._go(place)

    def _name_of(self, lesson: Lesson) -> str:
        return RESERVED.sub(" ", lesson.title.plain(self._appearance.language)).strip()

    def close(self) -> None:
        """Put the lesson away; the next time it goes on where it was."""
        self._walking.leave()
        self._window.inspector.set_walk_main(True)
        self._uncover()
        self._lesson, self._states, self._of_file, self._turning, self._page_due = None, (), (), None, False
        self._saying.forget()
        self._view.set(parts=frozenset())
        self._answers.ask(None)
        self._pages.set_large(False)
        focus_map = self._window.product.focus_map
        with handing_on(self._panel, focus_map), handing_on(self._panel.way, focus_map):
            self._panel.leave()
        self._window.set_history_shown(True)
        self._window.inspector.show()

    # --- the step on show ------------------------------------------------------------------------
    def _step(self, way: int) -> None:
        if way > 0 and self._states[self._place].step.question is None and not self._states[self._place].step.tasks:
            self._tick()  # there was nothing but to read it
        place = self._place + way
        if place >= len(self._states):
            self._end()
        elif place >= 0:
            self._go(place)

    def _end(self) -> None:
        """Show what stands behind the last step."""
        assert self._lesson is not None
        self._keep(0)
        if self._lesson.end is None:
            self.close()
            return
        self._walking.leave()
        self._uncover()
        self._place, self._page_due = len(self._states), False
        self._saying.forget()
        self._answers.ask(None)
        if (page := self._states[-1].shown.page) is not None:
            self._pages.open(page)
            self._pages.set_large(True)  # what there is to try speaks of it
        self._window.inspector.hide()
        self._say_end()

    def _say_end(self) -> None:
        lesson, lang = self._lesson, self._appearance.language
        assert lesson is not None
        assert lesson.end is not None
        number_source, after = self._number_source(), self._following
        done, shown = self._ticks()
        titles = (state.step.title.said(lang, number_source) for state in self._states)
        words = EndWords(
            lesson.key,
            lesson.title.said(lang, number_source),
            lesson.end.title.said(lang, number_source),
            tuple(line.said(lang, number_source) for line in lesson.end.can),
            tuple(DoneStep(title, place in done, place in shown) for place, title in enumerate(titles)),
            "" if lesson.end.tries is None else lesson.end.tries.said(lang, number_source),
            None if after is None else (after.title.said(lang, number_source), after.minutes),
        )
        self._panel.set_end(words)
        self._show_progress()

    def _go(self, place: int, *, fresh: bool = True) -> None:
        """Show a step with its numbers and its view; one that is not `fresh` stands there already."""
        self._uncover()
        self._place, self._answered = place, False
        self._keep(place)
        self._walking.leave()
        self._panel.question.set_walk_offered(False)
        self._window.inspector.show()
        self._take(self._states[place].begin)
        self._turning, self._page_due = self._states[place].shown, False
        self._turn()
        self._answers.ask(self._states[place].step.question)
        self._show_progress()
        self._show(fresh=fresh)

    def _return(self) -> None:
        """Make the numbers those of the step again; what was answered stays so."""
        answered = self._answered
        self._go(self._place, fresh=False)
        if answered:
            self._answered = True
            self._open_up()

    # --- what is covered and done ----------------------------------------------------------------
    def _uncover(self) -> None:
        """Show the cells again that the step covers."""
        if self._place < len(self._states):
            own = self._states[self._place].covered
            if own & self._view.look.blanks:
                self._view.set(blanks=self._view.look.blanks - own)

    def _accept(self, solved: bool) -> None:
        """Go on: the question is answered, or its answer was shown; what is handed in after that is no answer."""
        first, self._answered = not self._answered, True
        self._open_up()
        if first:
            self._tick(TICKS if solved else SHOWN)
        cell, asked = self._view.look.cell, self._asked_cell()
        if cell is not None and asked is not None and cell.stage == asked[0]:
            self._view.set(**self._chosen(*asked))  # it is the one that is explained now

    def _open_up(self) -> None:
        self._panel.question.set_walk_offered(False)
        self._uncover()
        state = self._states[self._place]
        if state.covered and state.shown.page is not None:
            self._open_page(state.shown.page)
            self._place_page()

    def _open_page(self, name: str) -> None:
        self._pages.open(name)
        self._page_due = True

    def _place_page(self) -> None:
        """Put the page that the step has opened in the place of the maps, unless it can be seen below the step."""
        if self._page_due and not self._saying.busy:
            self._page_due = False
            if self._panel.room_below() < scaled(LEAST_PAGE):
                self._pages.set_large(True)

    def take(self, blank: Blank, number: float) -> None:
        """Judge a number that was typed into the map as the answer, if it is the cell that is asked for."""
        asked = None if self._lesson is None or self._place >= len(self._states) else self._asked_cell()
        if asked == (blank.stage, blank.index):
            self._panel.question.answer(shortest(number))

    def _asked_cell(self) -> Place | None:
        question = self._states[self._place].step.question
        if question is None or question.answer is None or question.answer.cell is None:
            return None
        stage, places = question.answer.cell
        return stage, cell_index(self._computation.evaluation, stage, places)

    def _tick(self, kind: str = TICKS) -> None:
        """Keep that the step is done, or that its answer was shown."""
        assert self._lesson is not None
        keep_tick(self._settings, self._lesson.key, self._place, kind)
        self._show_progress()

    def _ticks(self) -> tuple[frozenset[int], frozenset[int]]:
        """Return the steps that are done, and those others of which the answer was shown."""
        assert self._lesson is not None
        done, shown = (kept_ticks(self._settings, self._lesson.key, kind) for kind in (TICKS, SHOWN))
        return done, shown - done

    def _show_progress(self) -> None:
        if self._lesson is None:
            return
        (done, shown), place = self._ticks(), self._place
        self._panel.progress.set_progress(done, shown, place, len(self._states))
        if place < len(self._states):
            step = self._states[place].step
            self._panel.set_ready(place in done | shown or (step.question is None and not step.tasks))

    def _say_tokens(self) -> None:
        """Name the tokens of the step in the present language, unless the person has made other numbers of it."""
        before, present = self._states[self._place], self._scene()
        self._states = tuple(state.said(self._appearance.language) for state in self._of_file)
        after = self._states[self._place]
        for old, new in ((before.begin, after.begin), (before.end, after.end)):
            if present.is_like(old):
                self._take(new)
                return

    def _keep(self, place: int) -> None:
        assert self._lesson is not None
        self._settings.add(PROGRESS, {self._lesson.key: place})

    def _take(self, wanted: LessonScene) -> None:
        """Make the numbers those of a step, as one step of the history; those that are there stay untouched."""
        present, fields = self._document.problem.fields(), wanted.problem.fields()
        if self._scene().is_like(wanted):
            return
        gone: dict[str, object] = {name: None for name in present if name not in fields}
        changes = gone | {name: value for name, value in fields.items() if not same(present.get(name), value)}
        changes.setdefault("interventions", wanted.problem.interventions)  # a step says what is changed by hand in it
        label = Label(STEP, {"place": str(self._place + 1)})
        if wanted.study is self._document.study:
            self._runner.change(label, lambda: changes)
        else:
            self._runner.apply(SetStudy(changes, wanted.study, label))

    def _do(self) -> None:
        """Do what the person is asked to do."""
        end = self._states[self._place].end
        self._take(end)
        if end.study is not None:
            self._view.set(head=end.head)

    def _turn(self) -> None:
        """Turn to what the step shows once its numbers are there, unless the numbers are others now."""
        if self._turning is not None and not (self._computation.pending or self._runner.busy):
            shown, self._turning = self._turning, None
            if self._scene().is_like(self._states[self._place].begin):
                self._turn_to(shown)

    def _turn_to(self, shown: LessonView) -> None:
        values: dict[str, object] = {"blanks": self._view.look.blanks | self._states[self._place].covered}
        if shown.head is not None:
            values["head"] = shown.head
        if shown.stage is not None:
            values["stage"] = shown.stage
        if shown.mode is not None:
            values["mode"] = shown.mode
        if shown.cell is not None:
            values |= self._chosen(*shown.cell)
        self._view.set(**values, parts=shown.parts)
        self._window.set_history_shown(False, foot="target" in shown.parts)
        if shown.page is not None and not self._states[self._place].covered:  # else it would be empty
            self._open_page(shown.page)
        elif shown.page is not None or len(values) > 1:
            self._pages.set_large(False)  # it stands in the place of what the step speaks of
            self._window.inspector.turn_to(None)
        if shown.play:
            self._view.notify_all()
            covered = self._view.look.cell is not None and self._view.withholds(self._view.look.cell)
            self._panel.question.set_walk_offered(covered and self._walking.offered())
            if not covered:
                self._walking.start(pour=False, keyboard=False)

    def _walk(self) -> None:
        """Walk through the cell of the step, as far as its cover lets it be seen."""
        cell = self._states[self._place].shown.cell
        assert cell is not None, "a step that plays has a cell"
        self._view.set(**self._chosen(*cell))
        self._view.notify_all()
        self._walking.start(pour=False)

    def _chosen(self, stage: str, index: tuple[int, ...]) -> dict[str, object]:
        """Return the item, head and cell of an index, as the view has them."""
        evaluation, head = self._computation.evaluation, self._view.look.head
        if len(index) == 4:
            head = index[1]
        elif STAGE[stage].heads:  # the heads lie side by side: the one that the column belongs to
            every = range(evaluation.problem.num_heads)
            head = next(one for one in every if index[-1] < evaluation.head_columns(stage, one).stop)
        cells = stage_plane(evaluation, stage, index[0], head).cells(indices.cell(index))
        assert cells is not None
        chosen = ChosenCell(stage, cells[0].start, cells[1].start)
        return {"batch": index[0], "head": head, "cell": chosen}

    def _show(self, *, fresh: bool = False) -> None:
        """Write the step with the present numbers, and say whether they are its own.

        No words of another step stand beside the maps of a `fresh` one: small ones are said in this turn, and where
        they take longer, nothing is said until then.
        """
        if self._lesson is None:
            return
        if self._place >= len(self._states):
            self._say_end()
            return
        step = ShownStep(self._lesson, self._states[self._place], self._place, len(self._states))
        number_source, shown = (
            self._number_source(),
            self._number_source(self._view.overlay if self._view.look.blanks else None),
        )
        lang, scene, ready = self._appearance.language, self._scene(), not self._model.busy
        say = partial(said_step, step, lang, number_source, shown, scene, ready=ready)
        if fresh and self._is_quick(scene):
            self._saying.forget()
            self._write(say())
            return
        if fresh:
            title = self._lesson.title.plain(lang)
            self._panel.set_step(StepWords("", title, self._place + 1, len(self._states), "", ()))
            self._panel.set_left(False)
        self._saying.start(lambda _: say())

    def _is_quick(self, scene: LessonScene) -> bool:
        """Return whether all numbers of a scene are there, few, and said without computing more than them."""
        few = scene.study is None and prod(scene.problem.map_shape) <= QUICK and not self._states[self._place].measured
        return few and not (self._computation.pending or self._runner.busy)

    def _on_saying_answered(self, outcome: Future[SaidStep]) -> None:
        self._write(outcome.result())

    def _write(self, found: SaidStep) -> None:
        self._panel.set_step(found.words)
        self._place_page()
        self._panel.set_left(found.left)
        if found.words.done and self._states[self._place].step.question is None:
            self._tick()

    def _scene(self) -> LessonScene:
        """Return the scene on the table."""
        return LessonScene(self._document.problem, self._document.study, self._view.look.head)

    def _number_source(self, overlay: Evaluation | None = None) -> NumberSource:
        """Return the present numbers, or those of the proxy shown over them.

        Of a model the last ones that were computed.
        """
        evaluation, study, found = overlay or self._computation.evaluation, self._document.study, self._model.answer
        if study is None or found is None:
            return NumberSource(evaluation)
        if self._runs is None or (self._runs.now, self._runs.before) != (found.run, found.clean):
            self._runs = ModelRuns(found.run, found.clean)
        return NumberSource(evaluation, self._runs, study.layer, self._view.look.head)

    def _asked_of(self) -> Callable[[], NumberSource]:
        """Return the way to the ground of the question, from what is on the table now."""
        return partial(self._states[self._place].asked_of, self._scene(), self._number_source())

    # --- construction ----------------------------------------------------------------------------
    def _connect(self) -> None:
        self._work.ended.connect(self._on_work_ended)
        self._files.left.connect(self._work.forget)
        self._document.changed.connect(self._on_document_changed)
        self._saying.ended.connect(self._on_saying_answered)
        self._soon.timeout.connect(self._show)
        self._computation.updated.connect(self._on_computation_updated)
        self._view.follow(self._answers.judge_again, "evaluation", "head")
        self._model.changed.connect(self._answers.judge_again)
        self._view.follow(self._soon.start, "evaluation", "overlay", "head")
        self._view.follow(self._on_evaluation, "evaluation")
        self._model.changed.connect(self._soon.start)
        self._menu.chosen.connect(self.open_path)
        panel = self._panel
        panel.stepAsked.connect(self._step)
        panel.placeAsked.connect(self._go)
        panel.closeAsked.connect(self.close)
        panel.question.walkAsked.connect(self._walk)
        panel.doAsked.connect(self._do)
        panel.returnAsked.connect(self._return)
        panel.listAsked.connect(self.list.open)
        panel.cardAsked.connect(lambda: self._bars.actions["card"].trigger())
        panel.nextAsked.connect(self._on_panel_next_asked)
        self._answers.accepted.connect(self._accept)

    def _on_evaluation(self) -> None:
        self._turn()
        self._place_page()

    def _on_computation_updated(self) -> None:
        if self._lesson is not None:
            self._soon.start()
            self._answers.judge_again()

    def _on_panel_next_asked(self) -> None:
        if self._following is not None:
            self.open_path(self._following.path)
