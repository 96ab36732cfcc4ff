"""Edits of long problems: what they lose and get back, what runs beside them, and who waits for whom."""

import threading
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from attn_gui.app.state.computation import Computation
from attn_gui.document.document import Document
from attn_gui.document.edits import Label, SetCells
from attn_gui.engine import DenseEvaluation, Problem
from attn_gui.engine.evaluation import dense, streaming_states, threads
from attn_gui.engine.graph import indices
from tests.failing import each, examples, share

from .working import WILD, Working, random_box, random_values, rounding, whole

WILD_PROBLEMS = ("all", "block", "window", "cosine")


@each("name", WILD_PROBLEMS, one_of=4)
def test_wild_values_set_and_undone_leave_no_trace(makers, name, rng):
    working = Working(makers[name]())
    working.evaluation.complete()
    names = [field for field in working.arrays if working.arrays[field].dtype != bool]
    for step in range(15):
        steps = []
        for _ in range(int(rng.integers(1, 4))):
            field = names[int(rng.integers(len(names)))]
            box = random_box(working.arrays[field].shape, rng, most=1)
            steps.append((field, box, working.arrays[field][box].copy()))
            working.write(field, box, rng.choice(WILD))
            if step % 5 == 0:
                assert working.worst() < 1e-10, steps
        for field, box, old in reversed(steps):
            working.write(field, box, old)
        assert working.worst() < 1e-11, steps


def long(rng, dtype="float64", n=131, m=149, amplitude=1.0, **more):
    shapes = {"query": (n, 96), "key": (m, 32), "value": (m, 22)}
    arrays = {name: rng.normal(size=shape).astype(dtype) for name, shape in shapes.items()}
    arrays["query"] *= amplitude
    working = Working(Problem(**arrays, num_heads=6, num_kv_heads=2, dtype=dtype, **more), 32, 64)
    working.evaluation.complete()
    return working


@each(("field", "wild", "masked"), [("value", np.inf, False), ("key", np.nan, True), ("key", -np.inf, False)], one_of=3)
def test_edits_beside_a_value_that_is_no_number(field, wild, masked, rng):
    """What it has spoilt stays so, is not computed anew at every edit, and is mended when it goes."""
    working = long(rng, mask=layers(rng) if masked else ())
    cell = indices.cell((70, 5))
    old = working.arrays[field][cell].copy()
    working.write(field, cell, wild)
    working.stage("head_output")
    for _ in range(4):
        other = ("query", "key", "value")[int(rng.integers(3))]
        box = random_box(working.arrays[other].shape, rng, most=2)
        if not np.isfinite(working.arrays[other][box]).all():
            continue
        working.write(other, box, rng.normal())
        if other == "key" and np.isnan(wild):
            assert all_known(working.evaluation)
        assert working.worst(("weights", "output")) < 1e-12
    working.write(field, cell, old)
    assert working.worst(("weights", "output")) < 1e-12


def layers(rng, n=131, m=149):
    return (
        {"kind": "causal", "align": "end"},
        {"kind": "window", "left": 90},
        {"kind": "padding", "lengths": 140},
        {"kind": "custom", "allowed": rng.random((n, m)) > 0.1},
    )


@each(("dtype", "masked", "amplitude"), [("float32", True, 1.0), ("float64", False, 10.0)], one_of=2)
def test_drift_stays_small_and_settling_removes_it(dtype, masked, amplitude, rng):
    """An edit takes terms out of a row's sums and puts others in: each is rounded once, at the largest value so far."""
    working, edits = long(rng, dtype, mask=layers(rng) if masked else ()), examples(150)
    largest = np.abs(working.arrays["value"]).max()
    for _ in range(edits):
        field = ("query", "key", "value")[int(rng.integers(3))]
        box = random_box(working.arrays[field].shape, rng, most=1)
        working.write(field, box, random_values(working.arrays[field], box, rng, amplitude))
        largest = max(largest, np.abs(working.arrays["value"]).max())
    doubles = {name: array.astype(float) for name, array in working.arrays.items() if "." not in name}
    exact = whole(DenseEvaluation(working.problem().replace(dtype="float64", **doubles)), "output")
    fresh = working.fresh()
    error = np.abs(whole(fresh, "output") - exact).max()
    summed = rounding(dtype, working.problem().m + edits, largest)
    assert np.abs(working.stage("output") - exact).max() <= 2 * error + summed  # scores go in and are taken out
    assert working.evaluation.settle()
    assert working.evaluation.settled
    for stage in working.evaluation.stages:
        assert np.array_equal(working.stage(stage), whole(fresh, stage)), stage


def all_known(evaluation):
    batch, heads, _, _ = evaluation.problem.map_shape
    return all(evaluation.known(item, head).all() for item in range(batch) for head in range(heads))


def test_a_pass_can_be_followed_and_cancelled(rng):
    evaluation = long(rng).fresh()
    seen: list[tuple[int, int]] = []
    assert not evaluation.complete(progress=lambda *at: seen.append(at), cancelled=lambda: len(seen) >= 3)
    assert not all_known(evaluation)
    assert 3 <= len(seen) < seen[0][1]
    assert evaluation.complete([(0, 5)])
    assert evaluation.known(0, 5).all()
    assert evaluation.complete()
    assert all_known(evaluation)


# --- passes ---------------------------------------------------------------------------------------
N, M, HEADS, WIDTH = 61, 53, 4, 3
PATIENCE = 120.0


class Lock:
    """A lock that tells when another thread has to wait for it."""

    def __init__(self) -> None:
        self._lock, self.awaited = threading.RLock(), threading.Event()

    def __enter__(self) -> None:
        if not self._lock.acquire(blocking=False):
            self.awaited.set()
            self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()


@pytest.fixture
def locks(monkeypatch: pytest.MonkeyPatch) -> list[Lock]:
    """The locks of the evaluations that the test makes."""
    found: list[Lock] = []

    def make() -> Lock:
        found.append(Lock())
        return found[-1]

    monkeypatch.setattr(streaming_states, "threading", SimpleNamespace(RLock=make))
    return found


def amid_the_next_update(monkeypatch: pytest.MonkeyPatch, lock: Lock, begin: Callable[[], object]) -> None:
    """`begin` work in another thread once an update has begun; the update goes on when that has to wait for it."""
    sources = dense.sources_of

    def begun(problem: Problem) -> Any:
        monkeypatch.setattr(dense, "sources_of", sources)
        lock.awaited.clear()
        begin()
        assert lock.awaited.wait(PATIENCE)
        return sources(problem)

    monkeypatch.setattr(dense, "sources_of", begun)


def a_problem(rng: np.random.Generator) -> Problem:
    sizes = {"query": (N, HEADS * WIDTH), "key": (M, HEADS // 2 * WIDTH), "value": (M, HEADS // 2 * WIDTH)}
    arrays = {name: rng.normal(size=shape) for name, shape in sizes.items()}
    return Problem(**arrays, num_heads=HEADS, num_kv_heads=HEADS // 2)


# --- an update that is under way -----------------------------------------------------------------
@pytest.mark.parametrize("field", ["query", "key"])
def test_a_pass_that_begins_amid_an_update_reads_its_numbers(rng, monkeypatch, locks, field):
    working = Working(a_problem(rng), 16, 16)
    working.evaluation.complete([(0, 0)])  # the keys that both heads share are copied now
    thread = threading.Thread(target=working.evaluation.complete, args=([(0, 1)],))
    amid_the_next_update(monkeypatch, locks[0], thread.start)
    working.write(field, (slice(20, 22), slice(0, 2 * WIDTH)), 3.0)
    thread.join()
    assert working.worst(("weights", "head_output")) < 1e-13


def test_settling_that_begins_amid_an_update_leaves_nothing_of_it_unsettled(makers, monkeypatch, locks):
    working = Working(makers["block"]().replace(dtype="float32"))
    working.evaluation.complete()
    settled: list[bool] = []
    thread = threading.Thread(target=lambda: settled.append(working.evaluation.settle()))
    amid_the_next_update(monkeypatch, locks[0], thread.start)
    working.write("x", (slice(0, 1), slice(2, 3), slice(0, 5)), 0.3)
    thread.join()
    assert settled == [True]
    assert working.evaluation.settled
    fresh = working.fresh()
    for stage in fresh.stages:
        assert np.array_equal(working.stage(stage), whole(fresh, stage)), stage


# --- cells that are written, of which no update has told yet -------------------------------------
@each("kind", ["all", "block", "cosine", "pre"], one_of=4)
def test_a_pass_between_the_writing_and_the_update(makers, kind, rng):
    """Cells are written in place before `update` is called: what a pass reads then must not be counted twice."""
    working = Working(makers[kind]())
    working.evaluation.complete()
    for name, array in share(working.arrays.items(), 2):
        box = random_box(array.shape, rng)
        with np.errstate(all="ignore"):
            array[box] = random_values(array, box, rng)
        working.evaluation._passes.rows.known[..., ::2] = False
        working.evaluation.complete()
        working.evaluation.pooled("weights", working.problem().batch_size - 1, 1, 5, 4)
        working.evaluation.update(working.problem(), {name: [box]})
        assert working.worst() < 1e-11, (name, box)


def test_settling_is_cancelled_by_cells_that_are_written(makers, rng, monkeypatch):
    """The kept Q, K and V are computed from new cells of X then, and of that nothing may be kept."""
    working = Working(makers["block"]())
    working.evaluation.complete()
    working.write("x", indices.cell((0, 2, 3)), 0.7)
    box, anew, written = (slice(0, 1), slice(4, 5), slice(0, 19)), working.evaluation.anew, []

    def meanwhile(names: Any) -> Any:
        written.append(box)
        working.arrays["x"][box] = 1.5
        return anew(names)

    monkeypatch.setattr(working.evaluation, "anew", meanwhile)
    assert not working.evaluation.settle(cancelled=lambda: bool(written))
    working.evaluation.update(working.problem(), {"x": [box]})
    assert working.worst() < 1e-11


# --- many of everything, in threads --------------------------------------------------------------
def test_edits_while_passes_pictures_and_settling_go_on(rng):
    working = Working(a_problem(rng), 8, 16)
    ended, errors = threading.Event(), []

    def over_and_over(work: Callable[[], object]) -> threading.Thread:
        def go() -> None:
            try:
                while not ended.is_set():
                    work()
            except BaseException as error:
                errors.append(error)

        thread = threading.Thread(target=go)
        thread.start()
        return thread

    beside = [
        over_and_over(work)
        for work in (
            working.evaluation.complete,
            working.evaluation.settle,
            lambda: working.evaluation.pooled("weights", 0, 1, N, 10),
        )
    ]
    try:
        for edit in range(examples(60)):
            field = ("query", "key", "value")[edit % 3]
            box = random_box(working.arrays[field].shape, rng, most=2)
            working.write(field, box, random_values(working.arrays[field], box, rng))
    finally:
        ended.set()
        for thread in beside:
            thread.join()
    assert errors == []
    assert working.worst(("weights", "output")) < 1e-12
    found, expected = (one.pooled("weights", 0, 1, N, 10)[0] for one in (working.evaluation, working.fresh()))
    np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-13)


# --- priority ------------------------------------------------------------------------------------
def test_tiles_beside_the_window_wait_for_an_edit_and_those_that_it_asks_for_do_not(monkeypatch, qapp):
    waited, done = list[float](), list[int]()
    threads.window_priority.cache_clear()
    monkeypatch.setattr(threads, "SHOWN", 3600.0)
    monkeypatch.setattr(threads.time, "sleep", waited.append)
    document = Document(Problem(query=[[1.0]], key=[[1.0]], value=[[1.0]]))
    computation = Computation(document)
    document.apply(SetCells("key", (slice(0, 1), slice(0, 1)), np.array([[2.0]]), Label("x")))
    beside = threading.Thread(target=lambda: threads.share(range(5), done.append))
    beside.start()
    beside.join()
    assert (sorted(done), len(waited)) == ([0, 1, 2, 3, 4], 5)
    threads.share(range(5), done.append)
    assert (len(done), len(waited)) == (10, 5)
    computation.end()
    threads.window_priority.cache_clear()  # with the hour
