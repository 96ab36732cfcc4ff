"""What the cards of the start page show and open, when the page goes, its words in title and status bar;
sizes beside recent files."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QObject, QPoint, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QWidget

from attn_gui.app.actions.action_table import Row
from attn_gui.app.actions.actions import Command
from attn_gui.app.files.examples import FIRST, example_of
from attn_gui.app.shell import Shell
from attn_gui.app.state.settings import REOPEN, AppearanceController
from attn_gui.app.state.view_state import ChosenCell
from attn_gui.document.edits import Label
from attn_gui.document.sentence_tokens import split_tokens
from attn_gui.engine import Evaluation, Problem
from attn_gui.engine.creation.create import embedded_fields
from attn_gui.engine.evaluation.trace import evaluation_of
from attn_gui.figure.stage_formulas import StageOperand, picture_of, stage_plane
from attn_gui.figure.text.number_formats import sentence_number
from attn_gui.figure.text.rich_text import token_label
from attn_gui.languages import N_
from attn_gui.lessons.curriculum import names, path_of
from attn_gui.lessons.word_vectors import are_known, problem_of
from attn_gui.pictures.planes import number_at
from attn_gui.views.map.map_drawing import MapState
from attn_gui.views.names import place_words, stage_title
from attn_gui.views.start_page import PRODUCT, RecentRow, StartView
from attn_gui.views.text_views import Link
from attn_gui.views.widgets import Retranslated, arrange

if TYPE_CHECKING:
    from attn_gui.app.app_context import AppContext
    from attn_gui.app.files.files import FilesController
    from attn_gui.app.lessons.lessons import LessonsController
    from attn_gui.app.model_controller import ModelController

SENTENCE = "sentence"
NAME = Label(N_("StartPage", "One sentence"), context="StartPage")  # of the document that its card opens
FOUND = example_of(FIRST).cell or (0, 0)
"""The cell that the card of the real model speaks of: it → tired."""
SHARPNESS = 0.25
"""The softmax temperature over the cosines of word vectors, that of lesson 10."""
RECENT_SHOWN = 3
STAYING = frozenset({"learn", "lessons", "models", "help", "language", "theme"})
STAYS = frozenset(
    {"start", "new", "open", "open_model", "reopen_last", "quit", "full_screen", "next_zone", "previous_zone"}
    | {"zoom_in", "zoom_out", "zoom_reset", "simple", "reduced_motion"}
)
"""Menus and actions that need no document in sight; all others lead away from the page first."""


class CardProblem(NamedTuple):
    """What the maps of a card show: an evaluation and the head of it."""

    evaluation: Evaluation
    head: int = 0


class StatusLine(Retranslated, QWidget):
    """In the status bar: the name of the page or the number under the pointer, and the other language at the right."""

    OTHER = MappingProxyType({"en": "中文", "zh": "English"})  # by the present one, in its own words

    def __init__(self, appearance: AppearanceController, parent: QWidget) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._words, self.language = QLabel(self), Link("", self)
        self.language.setObjectName("start.language")
        arrange(QHBoxLayout(self), (self._words, 1), self.language, margins=0)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.retranslate()

    def say(self, words: str = "") -> None:
        """Say this, or the name of the page."""
        self._words.setText(words or self.tr("Start page"))

    def retranslate(self) -> None:
        """Set all words anew, in the present language."""
        self.say()
        self.language.set_words(self.OTHER[self._appearance.language])


class StartPage(QObject):
    """Shows the page before the program is there; what is asked for until then waits for it."""

    came = Signal()
    opened = Signal()  # a document, from a card, a file, a lesson or the list of recent ones

    def __init__(self, shell: Shell) -> None:
        super().__init__(shell.window)
        self._window, self._settings = shell.window, shell.settings
        self._appearance, self._bars = shell.appearance, shell.bars
        self._view: StartView | None = None
        self._cards: dict[str, CardProblem] = {}
        self._real = False  # whether the vectors of the sentence are a model's
        self._ask = shell.when_complete

    def commands(self) -> dict[str, Command]:
        """Return the commands of the action table that it answers."""
        return {"start": Command(self.show)}

    @property
    def shown(self) -> bool:
        """Whether the page stands in the window."""
        return self._window.start_shown

    def show(self) -> None:
        """Show the page in the place of the maps."""
        view = self._view or self._build()
        self._list_recent(view)
        self._say_lesson(view)
        self._window.show_start(view, self._status)
        view.take_keyboard()
        self.came.emit()

    def leave(self) -> None:
        """Show the document again."""
        if self.shown:
            self._uncover()

    def give_way(self, row: Row) -> None:
        """Leave the page, or the list of lessons, before an action that is about what it hides."""
        begins = self.shown and row.name == "paste"  # with what is on the clipboard
        if not (begins or row.menu in STAYING or row.name in STAYS) and self._window.instead is not None:
            self._uncover()

    def _uncover(self) -> None:
        self._window.show_instead(None)
        self._window.product.focus_map()

    def connect_late(
        self, context: AppContext, files: FilesController, lessons: LessonsController, models: ModelController
    ) -> None:
        """Take up the ways into the program, now that it is there."""
        self._context, self._files, self._lessons, self._models = context, files, lessons, models
        context.document.opened.connect(self._on_document_opened)
        self._window.escapePressed.connect(self.leave)

    def _on_document_opened(self) -> None:
        """Leave the page for a document that was opened, then emit `opened`."""
        if self.shown:
            self._context.view.notify_all()  # in turns, maps of another document would stand beside its tables
            self.leave()
            self.opened.emit()

    def retranslate(self) -> None:
        """Set the sizes of recent files anew, in the present language; the page has heard of it."""
        if self._view is not None:
            self._list_recent(self._view)

    def _build(self) -> StartView:
        view = self._view = StartView(self._window)
        self._status = StatusLine(self._appearance, self._window)
        for key in ("worked", FIRST):
            example = example_of(key)
            self._show_card(view, key, CardProblem(evaluation_of(example.load().problem), example.head))
        self._show_problem(Problem.over(embedded_fields(split_tokens(view.field.text()))))
        view.sentenceTyped.connect(self._show_sentence)
        view.pointed.connect(self._on_pointed)
        view.pointedNowhere.connect(self._status.say)
        view.exampleAsked.connect(lambda key: self._ask(lambda: self._open_example(key)))
        view.cellAsked.connect(lambda card, *cell: self._ask(lambda: self._open_cell(card, ChosenCell(*cell))))
        view.sentenceAsked.connect(lambda: self._ask(self._open_sentence))
        view.toy.clicked.connect(lambda: self._ask(lambda: self._models.open_known("toy-induction")))
        view.modelsAsked.connect(lambda button: self._ask(lambda: self._pop_up_models(button)))
        view.lessonAsked.connect(lambda: self._ask(lambda: self._lessons.open(path_of(next(names())))))
        view.lessonsAsked.connect(lambda: self._ask(self._bars.actions["lessons"].trigger))
        view.recentAsked.connect(
            lambda place: self._ask(lambda: self._files.chosen.emit([self._settings.recent()[place]]))
        )
        view.open.clicked.connect(self._bars.actions["open"].trigger)
        view.reopen.clicked.connect(self._bars.actions["reopen_last"].trigger)
        self._status.language.clicked.connect(self._switch_language)
        self._bars.actions["reopen_last"].toggled.connect(view.reopen.setChecked)
        return view

    def _show_card(self, view: StartView, name: str, card: CardProblem) -> None:
        self._cards[name] = card
        weights = card.evaluation.weights
        shown = {PRODUCT: StageOperand(weights)} | picture_of(weights, card.evaluation).operands()
        states = {place: self._state(card, shown[place]) for place in view.pictures[name].places}
        view.set_states(name, states, FOUND if name == FIRST else None)
        if name == FIRST:
            problem, plane = card.evaluation.problem, stage_plane(card.evaluation, weights, 0, card.head)
            tokens = (problem.query_tokens or ())[FOUND[0]], (problem.names_of_keys or ())[FOUND[1]]
            query, key = map(token_label, tokens)
            view.set_finding(query, key, f"{number_at(plane, *FOUND)[0]:.2f}")

    def _state(self, card: CardProblem, operand: StageOperand) -> MapState:
        problem, plane = card.evaluation.problem, operand.plane(card.evaluation, 0, card.head)
        return MapState(plane, problem.query_tokens or (), problem.names_of_keys or (), values=True)

    def _show_sentence(self, sentence: str) -> None:
        """Show the weights among the tokens of a sentence: of real vectors where all its words have one."""
        if tokens := split_tokens(sentence):
            real = are_known(tokens)
            self._show_problem(
                problem_of(tokens, SHARPNESS) if real else Problem.over(embedded_fields(tokens)), real=real
            )

    def _show_problem(self, problem: Problem, *, real: bool = False) -> None:
        assert self._view is not None
        self._real = real
        self._view.set_real(real)
        self._show_card(self._view, SENTENCE, CardProblem(evaluation_of(problem)))

    def _say_lesson(self, view: StartView) -> None:
        """Say on the band how far the first lesson is."""
        if not self._settings.text("lessons/last", ""):
            return  # none was begun, and nothing of lessons is imported
        from attn_gui.app.lessons.lesson_list import LessonProgress

        name = next(names())
        progress = LessonProgress(self._settings)
        place = progress.place(name)
        met = progress.done(name) | progress.shown(name)
        view.set_lesson(begun=bool(place or met), ended=not place and bool(met - {0}))

    def _list_recent(self, view: StartView) -> None:
        rows = []
        for path in self._settings.recent()[:RECENT_SHOWN]:
            sizes = self._settings.sizes_of(path)
            rows.append(RecentRow(path.name, str(path), self._sizes_said(*sizes) if sizes else ""))
        view.set_recent(rows)
        view.reopen.setChecked(self._settings.flag(REOPEN, False))

    def _sizes_said(self, n: int, width: int, heads: int) -> str:
        said = self.tr("{n} × {width}, {heads} heads") if heads > 1 else self.tr("{n} × {width}")
        return said.format(n=n, width=width, heads=heads)

    # --- ways into the program -------------------------------------------------------------------
    def _open_example(self, key: str) -> bool:
        return self._files.open_example(key, announced=False)  # its card says what it is

    def _open_cell(self, card: str, cell: ChosenCell) -> None:
        """Open what a card shows, with a cell of it chosen."""
        opened = self._open_sentence() if card == SENTENCE else self._open_example(card)
        if opened:
            self._context.view.set(cell=cell)

    def _open_sentence(self) -> bool:
        card = self._cards.get(SENTENCE)
        if card is None or self._view is None or not split_tokens(self._view.field.text()):
            return False
        if not self._files.may_leave():
            return False
        self._files.open_problem(card.evaluation.problem, NAME)
        said = self._say_real if self._real else self._say_random
        self._window.banner.show_info(said)
        return True

    def _say_real(self) -> str:
        return self.tr(
            "Vectors of MiniLM, compared by their cosine; temperature 0.25. No query or key projection is learned here."
        )

    def _say_random(self) -> str:
        return self.tr("The vectors are random: the weights say nothing about meaning yet.")

    def _pop_up_models(self, button: QWidget) -> None:
        self._bars.menus["models"].popup(button.mapToGlobal(QPoint(0, button.height())))

    def _switch_language(self) -> None:
        self._bars.actions["language_en" if self._appearance.language == "zh" else "language_zh"].trigger()

    def _on_pointed(self, card: str, stage: str, row: int, column: int) -> None:
        """Say the number under the pointer: `Weights · head 3 · it → tired (10, 13) = 0.610984`."""
        evaluation, head = self._cards[card]
        place = place_words(evaluation.problem, evaluation.axes(stage), row, column)
        number = sentence_number(number_at(stage_plane(evaluation, stage, 0, head), row, column)[0])
        self._status.say(f"{stage_title(stage)} · {place} = {number}")
