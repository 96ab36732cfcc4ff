"""Passes, pictures and settling beside edits: nothing of the numbers from before or amid an edit is kept."""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from attn_gui.engine import Problem
from attn_gui.engine.evaluation import dense, streaming_states
from attn_gui.engine.evaluation.streaming_rows import BlockExtremes
from attn_gui.engine.graph import indices

from .working import Working, random_box, random_values, whole

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
@pytest.mark.parametrize("field", ["query", "key", "value"])
def test_a_pass_that_begins_amid_an_update_reads_its_numbers(rng, monkeypatch, locks, field):
    working = Working(a_problem(rng), 16, 16)
    working.evaluation.complete([(0, 0)])  # the keys that both heads share are copied now
    thread = threading.Thread(target=working.evaluation.complete, args=([(0, 1)],))
    amid_the_next_update(monkeypatch, locks[0], thread.start)
    working.write(field, (slice(20, 22), slice(0, 2 * WIDTH)), 3.0)
    thread.join()
    assert working.worst(("weights", "head_output")) < 1e-13


@pytest.mark.parametrize("field", ["query", "key"])
@pytest.mark.parametrize("stage", ["scores", "weights"])
def test_a_picture_that_is_made_amid_an_update_shows_its_numbers(rng, monkeypatch, locks, field, stage):
    working = Working(a_problem(rng), 16, 16)
    working.evaluation.complete([(0, 1)])
    arrived, begun, put = threading.Event(), threading.Event(), BlockExtremes._put

    def late(self: BlockExtremes, rows: slice) -> bool:
        arrived.set()
        assert begun.wait(PATIENCE)
        return put(self, rows)

    monkeypatch.setattr(BlockExtremes, "_put", late)
    thread = threading.Thread(target=working.evaluation.pooled, args=(stage, 0, 1, N, 10))
    thread.start()
    assert arrived.wait(PATIENCE)
    amid_the_next_update(monkeypatch, locks[0], begun.set)
    working.write(field, (slice(20, 22), slice(0, 2 * WIDTH)), 3.0)
    thread.join()
    check_picture(working, stage)


def check_picture(working: Working, stage: str) -> None:
    found, expected = (one.pooled(stage, 0, 1, N, 10)[0] for one in (working.evaluation, working.fresh()))
    np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-13)


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


@pytest.mark.family(5)
# --- cells that are written, of which no update has told yet -------------------------------------
def test_a_pass_between_the_writing_and_the_update(makers, problem_name, rng):
    """Cells are written in place before `update` is called: what a pass reads then must not be counted twice."""
    working = Working(makers[problem_name]())
    working.evaluation.complete()
    for name, array in working.arrays.items():
        for _ in range(2):
            box = random_box(array.shape, rng)
            with np.errstate(all="ignore"):
                array[box] = random_values(array, box, rng)
            working.evaluation._passes.rows.known[..., ::2] = False
            working.evaluation.complete()
            working.evaluation.update(working.problem(), {name: [box]})
            assert working.worst() < 1e-11, (name, box)


def test_a_picture_between_the_writing_and_the_update(makers, problem_name, rng):
    working = Working(makers[problem_name]())
    head = (working.problem().batch_size - 1, 1)
    for name, array in working.arrays.items():
        box = random_box(array.shape, rng)
        with np.errstate(all="ignore"):
            array[box] = random_values(array, box, rng)
        for stage in ("scores", "weights"):
            working.evaluation.pooled(stage, *head, 5, 4)
        working.evaluation.update(working.problem(), {name: [box]})
        fresh = working.fresh()
        for stage in ("scores", "weights"):
            found, expected = (one.pooled(stage, *head, 5, 4)[0] for one in (working.evaluation, fresh))
            np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12, err_msg=f"{name} {stage}")


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


# --- several stretches of keys at once -----------------------------------------------------------
@pytest.mark.parametrize("field", ["key", "value"])
def test_a_row_that_one_of_several_boxes_wears_out_is_computed_anew_once(rng, field):
    """The terms of the other boxes are in it then, and must not be exchanged a second time."""
    working = Working(a_problem(rng), None, None)
    working.evaluation.complete()
    first, second = ((slice(row, row + 1), slice(0, WIDTH)) for row in (5, 40))
    working.write(field, first, 3 * working.arrays["query"][7, :WIDTH] if field == "key" else 1e9)
    for box in (first, second):
        working.arrays[field][box] = 0.9
    working.evaluation.update(working.problem(), {field: [first, second]})
    assert working.worst(("weights", "output")) < 1e-12


# --- many of everything, in threads --------------------------------------------------------------
@pytest.mark.parametrize("field", ["query", "key", "value"])
def test_edits_while_passes_pictures_and_settling_go_on(rng, field):
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

    threads = [
        over_and_over(work)
        for work in (
            working.evaluation.complete,
            working.evaluation.settle,
            lambda: working.evaluation.pooled("weights", 0, 1, N, 10),
        )
    ]
    try:
        for _ in range(150):
            box = random_box(working.arrays[field].shape, rng, most=2)
            working.write(field, box, random_values(working.arrays[field], box, rng))
    finally:
        ended.set()
        for thread in threads:
            thread.join()
    assert errors == []
    assert working.worst(("weights", "output")) < 1e-12
    check_picture(working, "weights")
