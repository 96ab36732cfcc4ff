from __future__ import annotations

import sys
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QCoreApplication, QTranslator

from attn_gui.document.draft import given_up
from attn_gui.document.edits import Edits, Label, SetCells, SetFields, SetStudy
from attn_gui.engine.problem import Problem
from attn_gui.models import open_model
from attn_gui.models.study import open_layer
from attn_gui.paths import resource
from tests.failing import each

Make = Callable[..., Problem]


def typed(row: int, column: int, value: float, label: Label | None = None) -> SetCells:
    box = (slice(row, row + 1), slice(column, column + 1))
    return SetCells("query", box, np.array([[value]]), label or Label("Typed {cell}", {"cell": (row, column)}))


def test_the_oldest_steps_are_forgotten_when_history_grows_too_large(heard: Any, direct: Make) -> None:
    h = heard(direct(), history_bytes=40_000)
    column = [h.document.problem.query[0, 0]]
    for k in range(200):
        h.document.apply(typed(0, 0, float(k)))
        column.append(float(k))
    stack = h.document.stack
    assert 20 < stack.count() < 40
    assert stack.index() == stack.count()
    assert {stack.text(step) for step in range(stack.count())} == {"Typed (0, 0)"}
    while stack.canUndo():
        assert h.document.problem.query[0, 0] == column.pop()
        stack.undo()
    assert h.document.modified
    assert h.document.problem.query[0, 0] == column[-1]


def test_one_step_larger_than_the_limit_can_still_be_undone(heard: Any, direct: Make) -> None:
    h = heard(direct(), history_bytes=5_000)
    h.document.apply(typed(0, 0, 1.0))
    small = h.document.problem.query.copy()
    large = np.vstack([small, np.ones((200, 6))])
    h.document.apply(SetFields({"query": large}, Label("Grew")))
    assert h.document.stack.count() == 2, "what came is held by the document, not by its history"
    h.document.apply(SetFields({"query": small}, Label("Shrank")))
    assert h.document.stack.count() == 1
    h.document.stack.undo()
    assert h.document.problem.query.shape == (205, 6)
    assert h.document.problem.query[0, 0] == 1.0


def test_a_state_between_two_steps_is_counted_once(heard: Any, direct: Make) -> None:
    first = direct()
    size = 200 * first.query.shape[1] * first.query.itemsize
    h = heard(first, history_bytes=12 * size)
    for k in range(10):
        h.document.apply(SetFields({"query": np.full((200, 6), float(k))}, Label("Other")))
    assert h.document.stack.count() == 10


@each("saved_at", [0, 30, 39])
def test_forgetting_keeps_the_saved_point_where_it_was(heard: Any, direct: Make, saved_at: int) -> None:
    h = heard(direct(), history_bytes=39_500)
    for k in range(40):
        if k == saved_at:
            h.document.mark_saved(Path("saved.attn"))
        h.document.apply(typed(0, 0, float(k)))
    dropped = 40 - h.document.stack.count()
    assert 0 < dropped < 30
    assert h.document.modified
    if saved_at == 0:
        h.document.stack.setIndex(0)
        assert h.document.modified
    else:
        h.document.stack.setIndex(saved_at - dropped)
        assert not h.document.modified


def test_a_fault_inside_a_step_is_reported_and_ends_nothing(
    heard: Any, direct: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    h = heard(direct())
    h.document.apply(typed(0, 0, 1.0))
    reported: list[BaseException] = []
    monkeypatch.setattr(sys, "excepthook", lambda kind, error, trace: reported.append(error))
    h.document._draft.state.arrays.clear()
    h.document.stack.undo()
    assert [type(error) for error in reported] == [KeyError]


class _Shouting(QTranslator):
    def isEmpty(self) -> bool:
        return False

    def translate(self, context: str, text: str, disambiguation: str | None = None, n: int = -1) -> str:
        return text.replace("Typed", "键入").replace("Grew", "扩大") if context == "History" else ""


@pytest.fixture
def chinese(qapp: Any) -> Iterator[QTranslator]:
    translator = _Shouting()
    yield translator
    QCoreApplication.removeTranslator(translator)


def test_steps_are_named_anew_when_the_language_is_switched(heard: Any, direct: Make, chinese: QTranslator) -> None:
    h = heard(direct())
    undo = h.document.stack.createUndoAction(h.document, "Undo")
    redo = h.document.stack.createRedoAction(h.document, "Redo")
    h.document.apply(typed(3, 2, 1.0))
    inner = Label("Grew", {})
    h.document.apply(Edits((typed(0, 0, 5.0),), Label("Typed {what}", {"what": inner})))
    h.document.stack.undo()
    assert (undo.text(), redo.text()) == ("Undo Typed (3, 2)", "Redo Typed Grew")
    changes = len(h.changes)
    QCoreApplication.installTranslator(chinese)
    h.document.retranslate()
    assert (undo.text(), redo.text()) == ("Undo 键入 (3, 2)", "Redo 键入 扩大")
    assert len(h.changes) == changes
    QCoreApplication.removeTranslator(chinese)
    h.document.retranslate()
    assert undo.text() == "Undo Typed (3, 2)"


def test_texts_of_a_model_are_held_within_the_limit(heard: Any, direct: Make) -> None:
    limit, (start, *texts) = 400_000, ("a b c d", *(" ".join("abc"[: k % 3 + 1]) + " q" * (k % 7) for k in range(60)))
    model = open_model(resource("models", "toy-induction"))
    first = open_layer(model, start, 0, {}, lambda _share: None)
    document = heard(direct(), history_bytes=limit).document
    document.adopt(first.problem, study=first.study)
    bases: list[weakref.ref[Problem]] = []
    for text in texts:
        study, problem = open_layer(model, text, 0, {}, lambda _share: None)[:2]
        document.apply(SetStudy(problem.fields(), study, Label(text)), [*given_up(problem).values()])
        bases.append(weakref.ref(study.base))
    held = [base() for base in bases]
    arrays = {array.ctypes.data: array.nbytes for base in held if base is not None for array in base.arrays().values()}
    assert document.stack.count() > 20
    assert sum(arrays.values()) < limit


def test_what_was_undone_is_no_longer_counted(heard: Any, direct: Make) -> None:
    h = heard(direct(), history_bytes=20_000)
    for k in range(300):
        h.document.apply(typed(0, 0, float(k)))
        h.document.stack.undo()
        assert not h.document.modified
    for k in range(3):
        h.document.apply(typed(0, 0, float(k)))
    assert h.document.stack.count() == 3
