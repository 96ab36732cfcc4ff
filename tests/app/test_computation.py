"""The evaluation follows the document: late answers are dropped, large edits come from behind, rest settles."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from attn_gui.app.state import computation as module
from attn_gui.app.state.computation import Computation
from attn_gui.document.document import Document
from attn_gui.document.edits import Label, SetCells, SetFields
from attn_gui.engine import Evaluation, Plane, Problem
from attn_gui.engine.errors import FieldError
from attn_gui.engine.evaluation import choice, streaming_kernels
from attn_gui.engine.evaluation.choice import evaluation_of
from attn_gui.engine.evaluation.streaming import StreamingEvaluation
from attn_gui.engine.graph import indices
from attn_gui.views.map.heatmap import Heatmap
from tests.failing import each

N, HEADS, WIDTH = 149, 2, 5
EDIT = Label("x")
ONE = np.array([[0.5]])


def a_problem(seed: int = 0, **more: Any) -> Problem:
    random = np.random.default_rng(seed)
    arrays = {name: random.normal(size=(N, HEADS * WIDTH)) for name in ("query", "key", "value")}
    return Problem(**arrays, num_heads=HEADS, **more)


@pytest.fixture
def desk(qtbot: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Problem], tuple[Document, Computation]]]:
    """A document that is long, though it is small, and what follows it."""
    monkeypatch.setattr(choice, "DENSE", 1000)
    monkeypatch.setattr(module, "QUICK_CELLS", 100)
    monkeypatch.setattr(module, "SETTLE_MS", 20)
    made: list[Computation] = []

    def make(problem: Problem) -> tuple[Document, Computation]:
        document = Document(Problem(query=np.ones((2, 2)), key=np.ones((2, 2)), value=np.ones((2, 2))))
        made.append(Computation(document))
        document.open(problem)
        return document, made[-1]

    yield make
    for computation in made:
        computation.end()


def fresh(document: Document) -> StreamingEvaluation:
    return StreamingEvaluation(document.snapshot())


def whole(evaluation: Evaluation, stage: str) -> np.ndarray:
    return np.array(evaluation.box(stage, indices.whole(evaluation.shape(stage))))


def test_a_long_document_is_there_before_any_of_its_maps(qtbot, desk):
    _document, computation = desk(a_problem())
    assert computation.pending
    with qtbot.waitSignal(computation.rebuilt):
        pass
    assert isinstance(computation.evaluation, StreamingEvaluation)
    assert not computation.evaluation.known(0, 0).any()
    assert not computation.busy  # nobody looks


def test_only_the_answer_for_the_present_document_is_taken(qtbot, desk):
    document, computation = desk(a_problem(1))
    taken = []
    computation.rebuilt.connect(lambda _opened: taken.append(computation.evaluation.problem.query[0, 0]))
    document.open(a_problem(2))
    document.open(a_problem(3))
    computation.finish()  # all three answers lie in the queue
    qtbot.waitUntil(lambda: not computation.pending)
    qtbot.wait(20)
    assert taken == [document.problem.query[0, 0]]


def test_an_edit_while_the_answer_is_on_its_way_is_in_the_next_one(qtbot, desk):
    document, computation = desk(a_problem())
    document.apply(SetCells("query", indices.cell((3, 4)), np.array([[7.5]]), EDIT))
    qtbot.waitUntil(lambda: not computation.pending)
    assert computation.evaluation.block("query", 0, 0, slice(3, 4), slice(4, 5))[0, 0] == 7.5


def test_edits_are_followed_and_settled_at_rest(qtbot, desk):
    document, computation = desk(a_problem())
    qtbot.waitUntil(lambda: not computation.pending)
    computation.evaluation.complete()
    random = np.random.default_rng(4)
    for field in ("query", "key", "value") * 3:
        cell = indices.cell((int(random.integers(N)), int(random.integers(HEADS * WIDTH))))
        document.apply(SetCells(field, cell, random.normal(size=(1, 1)), EDIT))
    assert not computation.evaluation.settled
    with qtbot.waitSignal(computation.settled):
        pass
    expected = fresh(document)
    expected.complete()
    for stage in ("weights", "output"):
        assert np.array_equal(whole(computation.evaluation, stage), whole(expected, stage)), stage


def test_the_next_edit_ends_the_settling(qtbot, desk, monkeypatch):
    """It is asked again and again whether to go on; after the edit the answer is no."""
    document, computation = desk(a_problem())
    qtbot.waitUntil(lambda: not computation.pending)
    computation.evaluation.complete()
    told = []
    computation.settled.connect(lambda: told.append(computation.evaluation.settled))
    asked, edited = [], threading.Event()
    settle = StreamingEvaluation.settle

    def slow(self, *, progress=None, cancelled=bool):
        asked.append(cancelled)
        assert edited.wait(120)
        return settle(self, progress=progress, cancelled=cancelled)

    monkeypatch.setattr(StreamingEvaluation, "settle", slow)
    document.apply(SetCells("query", indices.cell((3, 4)), np.array([[7.5]]), EDIT))
    qtbot.waitUntil(lambda: bool(asked))
    document.apply(SetCells("query", indices.cell((3, 4)), np.array([[8.5]]), EDIT))
    assert asked[0]()
    edited.set()
    qtbot.waitUntil(lambda: computation.evaluation.settled)
    qtbot.waitUntil(lambda: bool(told))
    assert told == [True]
    assert not asked[-1]()


def test_settling_ends_before_the_first_cell_of_an_edit_is_written(qtbot, desk, monkeypatch):
    """It reads the arrays that are written to, and must keep nothing of new cells that it has not been told of."""
    asked, settle = [], StreamingEvaluation.settle
    monkeypatch.setattr(
        StreamingEvaluation, "settle", lambda self, *, cancelled: asked.append(cancelled) or settle(self)
    )
    document, computation = desk(a_problem())
    qtbot.waitUntil(lambda: not computation.pending)
    computation.evaluation.complete()
    with qtbot.waitSignal(computation.settled):
        document.apply(SetCells("query", indices.cell((5, 1)), np.full((1, 1), 2.0), EDIT))
    assert not asked[-1]()
    document.blockSignals(True)  # the edit is under way: its cells are written, nobody has been told
    document.apply(SetCells("query", indices.cell((5, 1)), np.full((1, 1), 3.0), EDIT))
    assert asked[-1]()


def test_a_paste_of_many_rows_comes_from_behind(qtbot, desk):
    document, computation = desk(a_problem())
    qtbot.waitUntil(lambda: not computation.pending)
    heatmap = Heatmap()
    qtbot.addWidget(heatmap)
    heatmap.resize(61, 61)
    heatmap.set_shown(replace(heatmap.shown, plane=Plane(computation.evaluation, "weights", 0, 1)))
    heatmap.show()
    heatmap.grab()
    qtbot.waitUntil(lambda: not computation.busy)
    assert computation.evaluation.known(0, 1).all()
    box = (slice(0, 120), slice(0, HEADS * WIDTH))
    document.apply(SetCells("query", box, np.random.default_rng(8).normal(size=(120, HEADS * WIDTH)), EDIT))
    document.apply(SetCells("key", box, np.random.default_rng(9).normal(size=(120, HEADS * WIDTH)), EDIT))
    heatmap.refresh(*(slice(0, length) for length in heatmap.shape))
    heatmap.grab()
    qtbot.waitUntil(lambda: not computation.busy)
    heatmap.grab()
    side = heatmap.placement.rows.bins
    expected, _ = fresh(document).pooled("weights", 0, 1, side, side)
    assert heatmap.cells.values == pytest.approx(expected, abs=1e-12)


def test_what_nothing_can_hold_is_refused_and_comes_back(qtbot, desk, monkeypatch):
    document, computation = desk(a_problem())
    qtbot.waitUntil(lambda: not computation.pending)
    before = computation.evaluation
    monkeypatch.setattr(streaming_kernels, "HEAVIEST", 1000)
    with qtbot.waitSignal(computation.refused) as refused:
        document.apply(SetFields({"score": "gaussian"}, EDIT))
    assert isinstance(refused.args[0], FieldError)
    assert computation.refusal is refused.args[0]
    assert computation.evaluation is before
    document.apply(SetCells("query", indices.cell((0, 0)), np.array([[0.5]]), EDIT))  # does not reach the old one
    qtbot.waitUntil(lambda: not computation.pending)
    assert computation.refusal is not None
    document.stack.undo()
    document.stack.undo()
    qtbot.waitUntil(lambda: not computation.pending)
    assert computation.refusal is None
    assert computation.evaluation is not before
    assert computation.evaluation.problem.score == "dot"


def test_what_there_is_too_little_memory_for_is_refused(qtbot, desk, monkeypatch):
    document, computation = desk(a_problem())
    qtbot.waitUntil(lambda: not computation.pending)

    def allocate(problem: Problem) -> StreamingEvaluation:
        raise MemoryError("Unable to allocate 16.0 GiB")

    with monkeypatch.context() as full:
        full.setattr("attn_gui.engine.evaluation.streaming.StreamingEvaluation", allocate)
        with qtbot.waitSignal(computation.refused) as refused:
            document.apply(SetFields({"scale": 2.0}, EDIT))
    assert str(refused.args[0]) == "There is not enough memory to compute this."
    assert computation.refusal is refused.args[0]
    document.stack.undo()
    qtbot.waitUntil(lambda: not computation.pending)
    assert computation.refusal is None


@each("long", [False, True])
@each("edit", [SetFields({"scale": 2.0}, EDIT), SetCells("key", (slice(0, 1),) * 2, ONE, EDIT)])
def test_what_a_fault_leaves_behind_is_not_taken_for_the_document(qtbot, desk, monkeypatch, long, edit):
    document, computation = desk(a_problem())
    if not long:
        monkeypatch.setattr(module, "QUICK_CELLS", 10**6)
        monkeypatch.setattr(choice, "DENSE", 10**6)
        document.open(a_problem(seed=1), name="short")
    qtbot.waitUntil(lambda: not computation.pending)

    def fail(*_: object) -> None:
        raise RuntimeError("a fault")

    with monkeypatch.context() as broken, qtbot.capture_exceptions() as raised:
        for owner, name in (
            (module, "DenseEvaluation"),
            (module, "evaluation_of"),
            (type(computation.evaluation), "update"),
        ):
            broken.setattr(owner, name, fail)
        with qtbot.waitSignal(computation.refused):
            document.apply(edit)
    assert [str(error) for _, error, _ in raised] == ["a fault"]
    assert str(computation.refusal) == "This could not be computed."
    document.apply(SetCells("query", (slice(0, 1),) * 2, ONE, EDIT))
    qtbot.waitUntil(lambda: not computation.pending)
    assert computation.refusal is None
    column = slice(0, 1), slice(0, N), slice(0, 1)
    fresh_one = evaluation_of(document.problem)
    np.testing.assert_array_equal(computation.evaluation.box("output", column), fresh_one.box("output", column))


def test_rows_of_x_that_are_many_are_projected_behind(qtbot, desk, monkeypatch):
    monkeypatch.setattr(module, "PROJECTED", 50)
    random = np.random.default_rng(0)
    weights = {name: random.normal(size=(7, HEADS * WIDTH)) for name in ("w_query", "w_key", "w_value")}
    document, computation = desk(Problem(x=random.normal(size=(N, 7)), num_heads=HEADS, **weights))
    qtbot.waitUntil(lambda: not computation.pending)
    document.apply(SetCells("x", (slice(4, 5), slice(0, 7)), np.ones((1, 7)), EDIT))
    assert not computation.pending
    document.apply(SetCells("x", (slice(0, 90), slice(0, 7)), np.ones((90, 7)), EDIT))
    assert computation.pending
    qtbot.waitUntil(lambda: not computation.pending)
    expected = fresh(document)
    assert whole(computation.evaluation, "query") == pytest.approx(whole(expected, "query"), abs=1e-12)


def test_what_a_document_leaves_is_given_back_once_another_one_is_open(qtbot, desk, monkeypatch):
    monkeypatch.setattr(module, "LEFT_MS", 0)
    given_back: list[str] = []
    monkeypatch.setattr(module, "give_back", lambda: given_back.append("all"))
    document, computation = desk(a_problem())
    qtbot.waitUntil(lambda: given_back == ["all"])
    document.apply(SetFields({"scale": 2.0}, EDIT))
    qtbot.waitUntil(lambda: not computation.pending)
    document.open(a_problem(1))
    qtbot.waitUntil(lambda: given_back == ["all", "all"])
