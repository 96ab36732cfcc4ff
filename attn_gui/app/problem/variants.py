"""Turns what a person asks of scores, softcap, temperature, positions and the block into edits of the document."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal

from attn_gui.app.actions.actions import Command
from attn_gui.app.state.making import Making
from attn_gui.app.state.view_state import ViewState
from attn_gui.document.document import Document
from attn_gui.document.edits import Label
from attn_gui.engine import Problem
from attn_gui.engine.creation.create import fitting_output, with_block, with_hidden_width, with_score
from attn_gui.engine.scores import SCORES
from attn_gui.formats.file_sentences import QT_TRANSLATE_NOOP
from attn_gui.views.banner import Offer
from attn_gui.views.main_window import MainWindow
from attn_gui.views.spine.step_numbers import HIDDEN_WIDTH, setting_of

LABELS = {
    "softcap": QT_TRANSLATE_NOOP("History", "softcap {value}"),
    "temperature": QT_TRANSLATE_NOOP("History", "temperature {value}"),
    "rotary_theta": QT_TRANSLATE_NOOP("History", "rotary positions, θ = {value}"),
    HIDDEN_WIDTH: QT_TRANSLATE_NOOP("History", "hidden units of the score {value}"),
    "block.ln_eps": QT_TRANSLATE_NOOP("History", "ε of the LayerNorm {value}"),
}
REMOVED = {
    "softcap": QT_TRANSLATE_NOOP("History", "removed the softcap"),
    "temperature": QT_TRANSLATE_NOOP("History", "removed the temperature"),
    "rotary_theta": QT_TRANSLATE_NOOP("History", "removed rotary positions"),
}
FIRST = {"softcap": 5.0, "temperature": 1.0, "rotary_theta": 10_000.0}  # what a step begins with when it is added


class VariantsController(QObject):
    """Keeps the spine and the menu in step with the variant of the computation in the document."""

    newRequested = Signal()

    def __init__(self, window: MainWindow, document: Document, view: ViewState, making: Making) -> None:
        super().__init__(window)
        self._window, self._document, self._making = window, document, making
        self._objection: Callable[[], str] | None = None
        window.spine.scorePicked.connect(self.set_score)
        window.spine.numberCommitted.connect(self.set_number)
        view.follow(self.show_state, "evaluation")
        view.follow(self._withdraw, "evaluation")
        making.refused.connect(self.show_state)
        self.show_state()

    def show_state(self) -> None:
        """Every control as the document has it."""
        problem, spine = self._document.problem, self._window.spine
        spine.set_score(problem.score)
        spine.set_numbers(_numbers(problem), problem.dtype)

    def commands(self) -> dict[str, Command]:
        """The rows of the table of actions that it answers."""
        named = {"softcap": "softcap", "temperature": "temperature", "rotary_positions": "rotary_theta"}
        block = Command(self.set_block, lambda: self._document.problem.block is not None)
        return {"block": block, **{name: self._switching(field) for name, field in named.items()}}

    def _switching(self, field: str) -> Command:
        return Command(partial(self.switch, field), lambda: getattr(self._document.problem, field) is not None)

    # --- up --------------------------------------------------------------------------------------
    def set_score(self, score: str) -> None:
        """Score by another function; its numbers and matrices begin again, those before come back with undo."""
        name = Label(SCORES[score].label, context="Scores")
        label = Label(QT_TRANSLATE_NOOP("History", "score {name}"), {"name": name})
        self._making.change(label, lambda: with_score(self._document.problem, score))

    def set_number(self, name: str, value: float | None) -> None:
        """Another value for a number of a step; None takes the step away."""
        if value is None:
            self._making.change(Label(REMOVED[name]), lambda: {name: None})
            return
        label = _label(name, {"value": f"{value:g}"})
        self._making.change(label, lambda: _changed(self._document.problem, name, value))

    def switch(self, name: str, present: bool) -> None:
        """Add a step with a first value and put the keyboard on it, or take the step away."""
        self.set_number(name, FIRST[name] if present else None)
        field = self._window.spine.boxes.field(name)
        if present and field.isVisible():
            field.setFocus(Qt.FocusReason.OtherFocusReason)
            field.selectAll()

    def set_block(self, present: bool) -> None:
        """Add residual, LayerNorm and Linear, or take them away; where they cannot be, offer what is missing."""
        problem = self._document.problem
        if present and not problem.projected:
            self._object(self._no_x, Offer(lambda: self.tr("New problem…"), "", self.newRequested.emit))
        elif present and problem.d_out != problem.d_model:
            sizes = {"expected": problem.d_model, "got": problem.d_out}
            way = self._add_output if problem.w_output is None else self._widen_output
            widen = Offer(lambda: way().format(**sizes), "", self._widen)
            self._object(lambda: self._not_as_wide().format(**sizes), widen)
        else:
            label = (
                QT_TRANSLATE_NOOP("History", "added the block")
                if present
                else QT_TRANSLATE_NOOP("History", "removed the block")
            )
            self._making.change(Label(label), lambda: with_block(problem, present))

    def _object(self, words: Callable[[], str], way: Offer) -> None:
        self._objection = words
        self._window.banner.show_error(words, offers=[way])

    def _withdraw(self) -> None:
        """The problem has changed: what it lacked for the block may be there."""
        words, self._objection = self._objection, None
        if words is not None and self._window.banner.text() == words():
            self._window.banner.hide()

    # --- what is missing for the block, in the language of the moment ----------------------------------
    def _no_x(self) -> str:
        return self.tr("The block adds X to the output, but Q, K and V are given here: there is no X.")

    def _not_as_wide(self) -> str:
        return self.tr(
            "The block adds X to the output, so the output must be as wide as X: {expected} columns, not {got}."
        )

    def _add_output(self) -> str:
        return self.tr("Add W_O and the block")

    def _widen_output(self) -> str:
        return self.tr("Make W_O {expected} columns wide and add the block")

    def _widen(self) -> None:
        problem = self._document.problem
        label = Label(QT_TRANSLATE_NOOP("History", "added W_O and the block"))
        self._making.change(label, lambda: fitting_output(problem) | with_block(problem, True))


def _label(name: str, values: dict[str, object]) -> Label:
    """The name in the history of another value of a number; one of a score function goes by its symbol."""
    if name in LABELS:
        return Label(LABELS[name], values)
    template = QT_TRANSLATE_NOOP("History", "{symbol} of the score {value}")
    return Label(template, {"symbol": setting_of(name).symbol, **values})


def _numbers(problem: Problem) -> dict[str, float]:
    numbers = problem.scalars()
    if units := SCORES[problem.score].units:
        numbers[HIDDEN_WIDTH] = problem.score_params[units].shape[-1]
    return numbers


def _changed(problem: Problem, name: str, value: float) -> dict[str, Any]:
    if name == HIDDEN_WIDTH:
        return with_hidden_width(problem, int(value))
    record, _, part = name.rpartition(".")
    return {record: {**getattr(problem, record), part: value}} if record else {name: value}
