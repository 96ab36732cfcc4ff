"""The evaluation follows the document, off the window's thread: late answers are dropped."""

import os
import sys
import threading
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QObject
from PySide6.QtTest import QTest

from attn_gui.app.program import Program
from attn_gui.app.state import computation as module
from attn_gui.app.state.background_task import BackgroundTask
from attn_gui.app.state.baseline import signed_text
from attn_gui.app.state.computation import Computation
from attn_gui.document.document import Document
from attn_gui.document.edits import Label, SetCells, SetFields
from attn_gui.engine import Evaluation, Problem, compute
from attn_gui.engine.errors import FieldError
from attn_gui.engine.evaluation import streaming_kernels, trace
from attn_gui.engine.evaluation.streaming import StreamingEvaluation
from attn_gui.engine.evaluation.threads import BEHIND
from attn_gui.engine.evaluation.trace import evaluation_of
from attn_gui.engine.graph import indices
from tests.failing import each
from tests.journeys.gate import Gate

N, HEADS, WIDTH = 149, 2, 5
LENGTH, H, D = 330, 1, 2
EDIT = Label("x")
ONE = np.array([[0.5]])
PATIENCE_MS = 120_000


def a_problem(seed: int = 0, **more: Any) -> Problem:
    random = np.random.default_rng(seed)
    arrays = {name: random.normal(size=(N, HEADS * WIDTH)) for name in ("query", "key", "value")}
    return Problem(**arrays, num_heads=HEADS, **more)


@pytest.fixture
def desk(monkeypatch):
    """A document that is long, though it is small, and what follows it."""
    monkeypatch.setattr(trace, "DENSE", 1000)
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


def whole(evaluation: Evaluation, stage: str) -> np.ndarray:
    return np.array(evaluation.box(stage, indices.whole(evaluation.shape(stage))))


def test_a_long_document_is_there_before_any_of_its_maps(qtbot, desk):
    _document, computation = desk(a_problem())
    assert computation.pending
    dimmed: list[bool] = []
    computation.working.connect(dimmed.append)
    computation.begin_notifying(whole=True)  # as another language does: what it shows is still of the state before
    computation.all_notified()
    assert dimmed[-1]
    with qtbot.waitSignal(computation.rebuilt):
        pass
    assert not dimmed[-1]
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
    expected = StreamingEvaluation(document.snapshot())
    expected.complete()
    for stage in ("weights", "output"):
        assert np.array_equal(whole(computation.evaluation, stage), whole(expected, stage)), stage


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

    monkeypatch.setattr("attn_gui.engine.evaluation.streaming.StreamingEvaluation", allocate)
    with qtbot.waitSignal(computation.refused) as refused:
        document.apply(SetFields({"scale": 2.0}, EDIT))
    assert str(refused.args[0]) == "There is not enough memory to compute this."


@each("long", [False, True])
@each("edit", [SetFields({"scale": 2.0}, EDIT), SetCells("key", (slice(0, 1),) * 2, ONE, EDIT)])
def test_what_a_fault_leaves_behind_is_not_taken_for_the_document(qtbot, desk, monkeypatch, long, edit):
    document, computation = desk(a_problem())
    if not long:
        monkeypatch.setattr(module, "QUICK_CELLS", 10**6)
        monkeypatch.setattr(trace, "DENSE", 10**6)
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


@pytest.fixture
def program(qapp, monkeypatch):
    monkeypatch.setattr(trace, "DENSE", LENGTH**2 - 1)  # just beyond what is kept whole
    program = Program(qapp, lang="en")
    program.begin(None)
    rng = np.random.default_rng(4)
    arrays = {name: rng.normal(size=(LENGTH, H * D)) for name in ("query", "key", "value")}
    program.document.open(Problem(**arrays, num_heads=H), name="long")
    program.window.show()
    settle(program)
    yield program
    program.end()


def settle(program: Program) -> None:
    while program.computation.pending or program.computation.busy or program.baseline.busy:
        program.computation.finish()
        program.baseline.finish()
        QTest.qWait(1)


def edit(program: Program, field: str, row: int) -> None:
    cell = (slice(row, row + 1), slice(0, 1))
    values = program.document.problem.arrays()[field][cell] + 1.5
    program.document.apply(SetCells(field, cell, values, Label("edited", {})))
    settle(program)


def test_an_edit_of_a_long_problem_is_followed_in_every_mode_and_by_a_ready_made_state_settled_at_rest(program, qtbot):
    before = program.document.snapshot()
    program.late.compare.pin()
    settle(program)
    for mode, field in (
        ("now", "query"),
        ("before", "query"),
        ("wipe", "value"),
        ("side_by_side", "query"),
        ("difference", "query"),
    ):
        program.view.set(compare=mode)
        edit(program, field, 7)
    now = program.document.snapshot()
    plane = program.window.product.maps.map("weights").plane
    assert plane.draws_pictures
    rows = slice(5, 9)
    values, _ = plane.block(rows, slice(0, LENGTH))
    expected = compute(now)["weights"][0, 0, rows] - compute(before)["weights"][0, 0, rows]
    assert values == pytest.approx(expected, abs=1e-12)
    pooled, _ = plane.pooled(LENGTH, 10)
    assert np.abs(pooled[7]).max() == pytest.approx(np.abs(expected[2]).max(), abs=1e-12)
    assert not pooled[8].any(), "no other row of weights has moved"

    # a ready-made state of a long problem follows edits, too, and is settled at rest
    program.view.set(compare="now")
    program.late.compare.compare_with("with-scale")
    settle(program)
    with qtbot.waitSignal(program.computation.settled, timeout=PATIENCE_MS):
        edit(program, "key", 11)
    settle(program)
    assert program.baseline.evaluation.settled
    unscaled = program.document.snapshot().replace(scale=1.0)
    program.view.set(compare="before")
    settle(program)
    values, _ = program.window.product.maps.map("weights").plane.block(slice(4, 6), slice(0, LENGTH))
    assert values == pytest.approx(compute(unscaled)["weights"][0, 0, 4:6], abs=1e-12)


@each(("change", "text"), [(0.387, "+0.387000"), (-0.387, "−0.387000"), (-3e-9, "−3.00000e−9"), (3e-9, "+3.00000e−9")])
def test_a_change_has_its_own_sign_and_is_never_0(change, text):
    assert signed_text(change) == text


@pytest.fixture
def answers(qapp):
    parent = QObject()
    background, found = BackgroundTask(parent), []
    background.ended.connect(lambda outcome: found.append(outcome.exception() or outcome.result()))
    yield background, found
    background.wait()
    parent.deleteLater()


def test_an_answer_comes_on_this_thread(answers, qtbot):
    background, found = answers
    there: list[int] = []
    background.ended.connect(lambda _: there.append(threading.get_ident()))
    background.start(lambda _: threading.get_ident())
    assert background.busy
    qtbot.waitUntil(lambda: bool(found))
    assert there == [threading.get_ident()] != found
    assert not background.busy


def test_only_the_last_question_is_answered(answers, qtbot):
    background, found = answers
    gate, ran = Gate(), []
    background.start(gate.before(lambda _: "first"))
    gate.await_work()
    background.start(lambda _: ran.append("second") or "second")  # never begun: something newer waits
    background.start(lambda _: "third")
    gate.open()
    qtbot.waitUntil(lambda: bool(found))
    background.wait()
    qtbot.wait(5)
    assert found == ["third"]
    assert ran == []


@pytest.mark.skipif(sys.platform != "linux", reason="threads have a nice value of their own on Linux alone")
def test_work_beside_the_window_gives_way_to_it(answers, qtbot):
    background, found = answers
    before = os.getpriority(os.PRIO_PROCESS, 0)
    background.start(lambda _: os.getpriority(os.PRIO_PROCESS, 0))
    qtbot.waitUntil(lambda: bool(found))
    assert found == [min(before + BEHIND, 19)]
    assert os.getpriority(os.PRIO_PROCESS, 0) == before
