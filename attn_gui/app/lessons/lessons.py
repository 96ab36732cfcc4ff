"""The step of a lesson on show: its numbers set, its words, answer and verdict kept, Back to the step, the end."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QTimer

from attn_gui.app.actions.actions import Command
from attn_gui.app.app_context import AppContext, Controller
from attn_gui.app.files.files import FilesController
from attn_gui.app.lessons.lesson_list import (
    LessonListController,
    LessonMenu,
    LessonProgress,
    OpenedLesson,
    opened_lesson,
)
from attn_gui.app.model_run_controller import ModelRunController
from attn_gui.app.pages import PagesController
from attn_gui.app.state.background_task import BackgroundTask
from attn_gui.app.state.view_state import ChosenCell
from attn_gui.app.walk_controller import WalkController
from attn_gui.document.document import DocumentChange
from attn_gui.document.edits import Label, SetStudy
from attn_gui.document.typed_numbers import shortest
from attn_gui.engine import Evaluation
from attn_gui.engine.checks import same
from attn_gui.engine.evaluation.evaluation import Blank, Place
from attn_gui.engine.graph import indices
from attn_gui.engine.stages import STAGE
from attn_gui.figure.stage_formulas import stage_plane
from attn_gui.languages import N_
from attn_gui.views.lesson_panel import DoneStep, EndWords, LessonPanel, StepWords
from attn_gui.views.question_view import Asked
from attn_gui.views.theme import scaled
from attn_gui.views.zones import handing_on, put_at_foot, put_on_top

if TYPE_CHECKING:
    from attn_gui.lessons.lesson import Lesson, LessonQuestion
    from attn_gui.lessons.live_numbers import ModelRuns, NumberSource
    from attn_gui.lessons.step_states import LessonScene, LessonView, StepState

# --- words of the step, with the present numbers: computed beside the window, as expressions may take long ---


QUICK = 1 << 14
"""Scores of so many are small enough for a step to be said in the turn that shows its maps."""


class PresentNumbers:
    """What is on the table, as lessons ask for it: the scene, its numbers, and places in it."""

    def __init__(self, context: AppContext, model: ModelRunController) -> None:
        self._document, self._computation, self._view = context.document, context.computation, context.view
        self._runner, self._model = context.runner, model
        self._runs: ModelRuns | None = None  # of the last run, with what lessons have read from it

    @property
    def complete(self) -> bool:
        """Whether the evaluation is that of the document, and no edit is on its way."""
        return not (self._computation.pending or self._runner.busy)

    @property
    def quick(self) -> bool:
        """Whether all numbers are there, and few."""
        document = self._document
        return document.study is None and prod(document.problem.map_shape) <= QUICK and self.complete

    def scene(self) -> LessonScene:
        """Return the scene on the table."""
        from attn_gui.lessons.step_states import LessonScene

        return LessonScene(self._document.problem, self._document.study, self._view.look.head)

    def source(self, overlay: Evaluation | None = None) -> NumberSource:
        """Return the present numbers, or those of the proxy shown over them; of a model those of its last run."""
        from attn_gui.lessons.live_numbers import ModelRuns, NumberSource

        evaluation, study, found = overlay or self._computation.evaluation, self._document.study, self._model.answer
        if study is None or found is None:
            return NumberSource(evaluation)
        if self._runs is None or (self._runs.now, self._runs.before) != (found.run, found.clean):
            self._runs = ModelRuns(found.run, found.clean)
        return NumberSource(evaluation, self._runs, study.layer, self._view.look.head)

    def view_of(self, stage: str, index: tuple[int, ...]) -> dict[str, object]:
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

    def asked_cell(self, question: LessonQuestion | None) -> Place | None:
        """Return the cell whose number a question asks for; None where it asks for no cell."""
        from attn_gui.lessons.live_numbers import cell_index

        if question is None or question.answer is None or question.answer.cell is None:
            return None
        stage, places = question.answer.cell
        return stage, cell_index(self._computation.evaluation, stage, places)


@dataclass(frozen=True)
class ShownStep:
    """A step of a lesson on show: its place, and how many there are."""

    lesson: Lesson
    state: StepState
    place: int
    count: int


class SaidStep(NamedTuple):
    """The words of a step now; `left`: whether the person has gone on to numbers other than those of the step."""

    words: StepWords
    left: bool


def said_step(
    step: ShownStep, lang: str, number_source: NumberSource, shown: NumberSource, scene: LessonScene, *, ready: bool
) -> SaidStep:
    """Return the words of a step in one language.

    Whether it is done is judged by `number_source`, and not before the numbers of a model are `ready`; the texts tell
    the numbers of `shown`, in which some may be covered.
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


# --- steps -----------------------------------------------------------------------------------------
STEP = N_("History", "lesson, step {place}")
RESERVED = re.compile(r'\s*[\\/:*?"<>|]+\s*')
"""What the name of a file must not have: the document of a lesson is named by its title."""
LEAST_PAGE = 360
"""Logical pixels below a step in which its page can be seen, with the choice of pages; with fewer it takes the place of
the maps."""


class LessonsController(Controller):
    """Shows the step of the open lesson, with the present numbers; everything in the window stays usable.

    A lesson begins at the step where one left it. Behind the last step stands the end, and behind that no lesson, as
    after another document has been opened. Each step takes this road:

        numbers set ── all computed ─▶ turned to its view ── its words there, too ─▶ its page placed
        its cells covered ── question answered, or its answer shown ─▶ open, the page of them shown
    """

    def __init__(
        self,
        context: AppContext,
        files: FilesController,
        pages: PagesController,
        model: ModelRunController,
        walking: WalkController,
    ) -> None:
        super().__init__(context)
        self._progress = LessonProgress(context.settings)
        self._files, self._pages, self._model, self._walking = files, pages, model, walking
        self._opened: OpenedLesson | None = None
        self._states: tuple[StepState, ...] = ()  # of the open lesson, with tokens in the present language
        self._place = 0  # that of the step on show; behind the last one stands the end
        self._answered = False  # whether nothing of the step is covered any more
        self._turning: LessonView | None = None  # what the step shows, until its numbers are there
        self._page_due = False  # whether it has opened its page, and it is not known yet where that has room
        self._numbers, self._saying = PresentNumbers(context, model), BackgroundTask(self)
        self._soon = QTimer(self, singleShot=True, interval=0)  # the edit is painted first
        self._panel = LessonPanel(context.window.right)
        put_on_top(context.window.right, self._panel)
        put_at_foot(context.window.right, self._panel.way)
        context.window.mask_panel.kept_clear = self._panel  # a step says which mask to make
        self._menu = LessonMenu(context)
        self.list = LessonListController(context, self, self.open, self._menu.ask)
        self._connect()
        self.retranslate()

    def commands(self) -> dict[str, Command]:
        return {"open_lesson": Command(self._menu.ask), **self.list.commands()}

    def retranslate(self) -> None:
        """Set the lessons in their menu and the step on show anew, in the present language."""
        self._menu.retranslate()
        self.list.retranslate()
        if self._opened is not None and self._document.path is None:
            self._document.rename(self._name_of(self._opened.lesson))
        if self._opened is not None and not self._at_end:
            self._say_tokens(self._opened)
        if self._opened is not None:
            self._answers.retranslate()
        self._show()

    @property
    def busy(self) -> bool:
        """Whether a lesson or a verdict is still to come."""
        judging = self._opened is not None and self._answers.busy
        return judging or self._files.opening.busy or self._saying.busy or self.list.busy or self._soon.isActive()

    @property
    def _state(self) -> StepState:
        """The step on show, unless the lesson is at its end."""
        return self._states[self._place]

    @property
    def _at_end(self) -> bool:
        """Whether what stands behind the last step is on show, or no lesson."""
        return self._place >= len(self._states)

    # --- opening ---------------------------------------------------------------------------------
    def _on_document_changed(self, change: DocumentChange) -> None:
        """Put the lesson away with the document that its steps are made in; one that begins is opened after that.

        What is done in a lesson asks for no file: its numbers are those of its steps.
        """
        if self._opened is None:
            return
        if change.opened:
            self.close()
        elif self._document.path is None:
            self._document.mark_kept()

    def open(self, path: Path, *, anew: bool = False) -> None:
        """Read a lesson beside the window once the document may go for it; `anew` it begins with its first step."""

        def take(opened: OpenedLesson, _stamp: object) -> None:
            self._begin(opened, anew)

        self._files.read_beside(path, opened_lesson, take, partial(self.open, path, anew=anew))

    def _begin(self, opened: OpenedLesson, anew: bool) -> None:
        if not self._panel.filled:
            self._fill_panel()
        lesson, lang = opened.lesson, self._appearance.language
        place = 0 if anew else self._progress.place(lesson.key, len(opened.states))
        states = tuple(state.said(lang) for state in opened.states)
        scene = states[place].begin
        self._files.open_problem(scene.problem, self._name_of(lesson), scene.study)  # closes the lesson before it
        self._opened, self._states = opened, states
        self._progress.keep_last(lesson.key)
        self._panel.show()
        self._window.inspector.walk.set_main(False)
        self._window.set_history_shown(False)
        self._go(place)

    def _name_of(self, lesson: Lesson) -> str:
        return RESERVED.sub(" ", lesson.title.plain(self._appearance.language)).strip()

    def close(self) -> None:
        """Put the lesson away; the next time it goes on where it was."""
        self._walking.leave()
        self._window.inspector.walk.set_main(True)
        self._uncover()
        self._opened, self._states, self._turning, self._page_due = None, (), None, False
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
        self._window.banner.withdraw_refusal()  # it spoke of the step before
        if way > 0 and _is_read_only(self._state):
            self._tick()  # there was nothing but to read it
        place = self._place + way
        if place >= len(self._states):
            self._end()
        elif place >= 0:
            self._go(place)

    def _end(self) -> None:
        """Show what stands behind the last step."""
        assert self._opened is not None
        self._progress.keep_place(self._opened.lesson.key, 0)
        if self._opened.lesson.end is None:
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
        assert self._opened is not None
        (lesson, _, after), lang = self._opened, self._appearance.language
        assert lesson.end is not None
        numbers = self._numbers.source()
        done, shown = self._progress.done(lesson.key), self._progress.shown(lesson.key)
        titles = (state.step.title.said(lang, numbers) for state in self._states)
        words = EndWords(
            lesson.key,
            lesson.title.said(lang, numbers),
            lesson.end.title.said(lang, numbers),
            tuple(line.said(lang, numbers) for line in lesson.end.can),
            tuple(DoneStep(title, place in done, place in shown) for place, title in enumerate(titles)),
            "" if lesson.end.tries is None else lesson.end.tries.said(lang, numbers),
            None if after is None else (after.title.said(lang, numbers), after.minutes),
        )
        self._panel.set_end(words)
        self._show_progress()

    def _go(self, place: int, *, fresh: bool = True) -> None:
        """Show a step with its numbers and its view; one that is not `fresh` stands there already."""
        assert self._opened is not None
        self._uncover()
        self._place, self._answered = place, False
        self._progress.keep_place(self._opened.lesson.key, place)
        self._walking.leave()
        self._panel.question.set_walk_offered(False)
        self._window.inspector.show()
        self._set_scene(self._state.begin)
        self._turning, self._page_due = self._state.shown, False
        self._turn()
        self._answers.ask(self._state.step.question)
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
        if not self._at_end:
            own = self._state.covered
            if own & self._view.look.blanks:
                self._view.set(blanks=self._view.look.blanks - own)

    def _accept(self, solved: bool) -> None:
        """Go on: the question is answered, or its answer was shown; what is handed in after that is no answer."""
        first, self._answered = not self._answered, True
        self._open_up()
        if first:
            self._tick(solved=solved)
        cell, asked = self._view.look.cell, self._numbers.asked_cell(self._state.step.question)
        if cell is not None and asked is not None and cell.stage == asked[0]:
            self._view.set(**self._numbers.view_of(*asked))  # it is the one that is explained now

    def _open_up(self) -> None:
        self._panel.question.set_walk_offered(False)
        self._uncover()
        state = self._state
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
        if not self._at_end and self._numbers.asked_cell(self._state.step.question) == (blank.stage, blank.index):
            self._panel.question.answer(shortest(number))

    def _tick(self, *, solved: bool = True) -> None:
        """Keep that the step is done, or that its answer was shown."""
        assert self._opened is not None
        self._progress.tick(self._opened.lesson.key, self._place, solved=solved)
        self._show_progress()

    def _show_progress(self) -> None:
        if self._opened is None:
            return
        key, place = self._opened.lesson.key, self._place
        done, shown = self._progress.done(key), self._progress.shown(key)
        self._panel.progress.set_progress(done, shown, place, len(self._states))
        if not self._at_end:
            self._panel.set_ready(place in done | shown or _is_read_only(self._state))

    def _say_tokens(self, opened: OpenedLesson) -> None:
        """Name the tokens of the step in the present language, unless the person has made other numbers of it."""
        before, present = self._state, self._numbers.scene()
        self._states = tuple(state.said(self._appearance.language) for state in opened.states)
        after = self._state
        for old, new in ((before.begin, after.begin), (before.end, after.end)):
            if present.is_like(old):
                self._set_scene(new)
                return

    def _set_scene(self, wanted: LessonScene) -> None:
        """Make the numbers those of a step, as one step of the history; those that are there stay untouched."""
        present, fields = self._document.problem.fields(), wanted.problem.fields()
        if self._numbers.scene().is_like(wanted):
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
        end = self._state.end
        self._set_scene(end)
        if end.study is not None:
            self._view.set(head=end.head)

    def _turn(self) -> None:
        """Turn to what the step shows once its numbers are there, unless the numbers are others now."""
        if self._turning is not None and self._numbers.complete:
            shown, self._turning = self._turning, None
            if self._numbers.scene().is_like(self._state.begin):
                self._turn_to(shown)

    def _turn_to(self, shown: LessonView) -> None:
        values: dict[str, object] = {"blanks": self._view.look.blanks | self._state.covered}
        given = {"head": shown.head, "stage": shown.stage, "mode": shown.mode}
        values |= {name: value for name, value in given.items() if value is not None}
        if shown.cell is not None:
            values |= self._numbers.view_of(*shown.cell)
        self._view.set(**values, parts=shown.parts)
        self._window.set_history_shown(False, foot="target" in shown.parts)
        if shown.page is not None and not self._state.covered:  # else it would be empty
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
        cell = self._state.shown.cell
        assert cell is not None, "a step that plays has a cell"
        self._view.set(**self._numbers.view_of(*cell))
        self._view.notify_all()
        self._walking.start(pour=False)

    def _show(self, *, fresh: bool = False) -> None:
        """Write the step with the present numbers, and say whether they are its own.

        No words of another step stand beside the maps of a `fresh` one: small ones are said in this turn, and where
        they take longer, nothing is said until then.
        """
        if self._opened is None:
            return
        if self._at_end:
            self._say_end()
            return
        lesson, lang, scene = self._opened.lesson, self._appearance.language, self._numbers.scene()
        step = ShownStep(lesson, self._state, self._place, len(self._states))
        numbers, covered = self._numbers.source(), self._view.overlay if self._view.look.blanks else None
        shown = self._numbers.source(covered)
        say = partial(said_step, step, lang, numbers, shown, scene, ready=not self._model.busy)
        if fresh and self._numbers.quick and not self._state.measured:
            self._saying.forget()
            self._write(say())
            return
        if fresh:
            title = lesson.title.plain(lang)
            self._panel.set_step(StepWords("", title, self._place + 1, len(self._states), "", ()))
            self._panel.set_left(False)
        self._saying.start(lambda _: say())

    def _write(self, found: SaidStep) -> None:
        self._panel.set_step(found.words)
        self._place_page()
        self._panel.set_left(found.left)
        if found.words.done and self._state.step.question is None:
            self._tick()

    def _asked_of(self) -> Callable[[], NumberSource]:
        """Return what gives the numbers that the question is about, from what is on the table now."""
        return partial(self._state.asked_of, self._numbers.scene(), self._numbers.source())

    def _fill_panel(self) -> None:
        """Make what a lesson is shown in, and what judges the answers."""
        from attn_gui.app.lessons.answers import Answers

        panel = self._panel
        panel.fill()
        self._answers = Answers(panel.question, self._asked_of, lambda: not self._model.busy, self._appearance)
        self._answers.accepted.connect(self._accept)
        panel.stepAsked.connect(self._step)
        panel.placeAsked.connect(self._go)
        panel.closeAsked.connect(self.close)
        panel.nextAsked.connect(self._on_panel_next_asked)
        panel.question.walkAsked.connect(self._walk)
        panel.do.clicked.connect(self._do)
        panel.way_back.clicked.connect(self._return)
        panel.all.clicked.connect(self.list.open)
        panel.card.clicked.connect(self._bars.actions["card"].trigger)

    def _connect(self) -> None:
        self._menu.chosen.connect(self.open)
        self._document.changed.connect(self._on_document_changed)
        self._saying.ended.connect(lambda outcome: self._write(outcome.result()))
        self._soon.timeout.connect(self._show)
        self._computation.updated.connect(self._on_computation_updated)
        self._view.follow(self._judge_again, "evaluation", "head")
        self._model.changed.connect(self._judge_again)
        self._view.follow(self._soon.start, "evaluation", "overlay", "head")
        self._view.follow(self._on_evaluation, "evaluation")
        self._model.changed.connect(self._soon.start)

    def _on_evaluation(self) -> None:
        self._turn()
        self._place_page()

    def _on_computation_updated(self) -> None:
        if self._opened is not None:
            self._soon.start()
            self._judge_again()

    def _judge_again(self) -> None:
        if self._opened is not None:
            self._answers.judge_again()

    def _on_panel_next_asked(self) -> None:
        if self._opened is not None and self._opened.following is not None:
            self.open(self._opened.following.path)


def _is_read_only(state: StepState) -> bool:
    """Return whether there is nothing to answer or to do in a step."""
    return state.step.question is None and not state.step.tasks
