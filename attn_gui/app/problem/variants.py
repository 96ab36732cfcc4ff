"""Turns what a person asks of scores, softcap, temperature and positions into edits of the document."""

from __future__ import annotations

from functools import partial
from typing import Any

from PySide6.QtCore import QObject, Qt

from attn_gui.app.actions.actions import Command
from attn_gui.app.state.making import Making
from attn_gui.app.state.view_state import ViewState
from attn_gui.document.document import Document
from attn_gui.document.edits import Label
from attn_gui.engine import Problem
from attn_gui.engine.creation.create import with_hidden_width, with_score
from attn_gui.engine.scores import SCORES
from attn_gui.figure.text.numbers import significant
from attn_gui.languages import QT_TRANSLATE_NOOP
from attn_gui.views.main_window import MainWindow
from attn_gui.views.names import mask_summary
from attn_gui.views.spine.operator_boxes import HIDDEN_WIDTH, setting_of

LABELS = {
    "softcap": QT_TRANSLATE_NOOP("History", "softcap {value}"),
    "temperature": QT_TRANSLATE_NOOP("History", "temperature {value}"),
    "rotary_theta": QT_TRANSLATE_NOOP("History", "rotary positions, θ = {value}"),
    HIDDEN_WIDTH: QT_TRANSLATE_NOOP("History", "hidden units of the score {value}"),
    "block.ln_eps": QT_TRANSLATE_NOOP("History", "ε of the LayerNorm {value}"),
    "block.norm_eps": QT_TRANSLATE_NOOP("History", "ε of the norms {value}"),
    "qk_norm_eps": QT_TRANSLATE_NOOP("History", "ε of the norms of Q and K {value}"),
}
REMOVED = {
    "softcap": QT_TRANSLATE_NOOP("History", "removed the softcap"),
    "temperature": QT_TRANSLATE_NOOP("History", "removed the temperature"),
    "rotary_theta": QT_TRANSLATE_NOOP("History", "removed rotary positions"),
}
FIRST = {"softcap": 5.0, "temperature": 1.0, "rotary_theta": 10_000.0}  # what a step begins with when it is added


class VariantsController(QObject):
    """Keeps the spine and the menu in step with the variant of the computation in the document."""

    def __init__(self, window: MainWindow, document: Document, view: ViewState, making: Making) -> None:
        super().__init__(window)
        self._window, self._document, self._view, self._making = window, document, view, making
        window.spine.scorePicked.connect(self.set_score)
        window.spine.numberCommitted.connect(self.set_number)
        view.follow(self.show_state, "evaluation")
        making.refused.connect(self.show_state)
        self.show_state()

    def show_state(self) -> None:
        """Every control as the document has it, and the words on the mask."""
        problem, spine = self._document.problem, self._window.spine
        spine.set_mask_text(mask_summary(problem.mask))
        spine.set_score(problem.score)
        spine.set_numbers(_numbers(problem), problem.dtype)

    def retranslate(self) -> None:
        """The language has changed."""
        self.show_state()

    def commands(self) -> dict[str, Command]:
        """The rows of the table of actions that it answers."""
        named = {"softcap": "softcap", "temperature": "temperature"}
        turns = Command(partial(self.switch, "rotary_theta"), lambda: self._document.problem.turns)
        return {"rotary_positions": turns, **{name: self._switching(field) for name, field in named.items()}}

    def _switching(self, field: str) -> Command:
        return Command(partial(self.switch, field), lambda: getattr(self._document.problem, field) is not None)

    # --- up --------------------------------------------------------------------------------------
    def set_score(self, score: str) -> None:
        """Score by another function; its numbers and matrices begin again, those before come back with undo."""
        name = Label(SCORES[score].label, context="Scores")
        label = Label(QT_TRANSLATE_NOOP("History", "score {name}"), {"name": name})
        self._making.change(label, lambda: with_score(self._document.problem, score))

    def set_number(self, name: str, value: float | None) -> None:
        """Set a number of a step; None takes the step away."""
        if value is None:
            self._making.change(Label(REMOVED[name]), lambda: {name: None} | _excluded(self._document.problem, name))
            return
        label = _label(name, {"value": significant(value)})
        self._making.change(label, lambda: _changed(self._document.problem, name, value))

    def switch(self, name: str, present: bool) -> None:
        """Add a step with a first value and put the keyboard on it, or take the step away."""
        self.set_number(name, FIRST[name] if present else None)
        self._view.tell_all()  # a field is there once the spine has been told of its step
        field = self._window.spine.boxes.field(name)
        if present and field.isVisible():
            field.setFocus(Qt.FocusReason.OtherFocusReason)
            field.selectAll()


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
    if record:
        return {record: {**getattr(problem, record), part: value}}
    return {name: value} | _excluded(problem, name)


def _excluded(problem: Problem, name: str) -> dict[str, Any]:
    """The fields that go with or give way to a number: frequencies of their own stand in the place of θ."""
    return {"rotary_frequencies": None} if name == "rotary_theta" and problem.rotary_frequencies is not None else {}
