"""Entropies of long heads are measured while nothing else happens, and end up the same."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QObject
from shiboken6 import isValid

from attn_gui.engine import Evaluation, Plane, Problem
from attn_gui.engine.evaluation.dense import DenseEvaluation
from attn_gui.engine.evaluation.evaluation import row_entropy
from attn_gui.engine.evaluation.streaming import StreamingEvaluation
from attn_gui.pictures import entropies as module
from attn_gui.pictures.entropies import HeadEntropies
from attn_gui.pictures.tile_cache import TileCache
from tests.failing import each


@pytest.fixture
def evaluation() -> Evaluation:
    random = np.random.default_rng(3)
    query, key, value = (random.normal(size=(rows, 6)) for rows in (11, 13, 13))
    return DenseEvaluation(Problem(query=query, key=key, value=value, num_heads=2))


@pytest.fixture
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "AT_ONCE", 26)  # two rows


def mean(evaluation: Evaluation, head: int) -> float:
    return float(row_entropy(evaluation.block("weights", 0, head, slice(0, 11), slice(0, 13))).mean())


def planes(evaluation: Evaluation) -> list[Plane]:
    return [Plane(evaluation, "weights", 0, head) for head in range(2)]


def test_a_long_head_is_measured_when_idle(qtbot, evaluation, small_steps):
    owner = QObject()
    measured = HeadEntropies(owner)
    with qtbot.waitSignals([measured.measured] * 2):
        measured.set_planes(planes(evaluation))
        assert measured.mean(0) is None
    assert measured.mean(0) == pytest.approx(mean(evaluation, 0))
    assert measured.mean(1) == pytest.approx(mean(evaluation, 1))


def test_many_edited_rows_wait_for_rest_and_are_measured_once(qtbot, evaluation, small_steps):
    owner = QObject()
    measured = HeadEntropies(owner)
    with qtbot.waitSignals([measured.measured] * 2):
        measured.set_planes(planes(evaluation))
    key = np.array(evaluation.problem.key)
    key[5, 1] += 2.0
    evaluation.update(evaluation.problem.replace(key=key), {"key": [(slice(5, 6), slice(1, 2))]})
    with qtbot.assertNotEmitted(measured.measured, wait=20):
        measured.follow(0, slice(0, 7))
        measured.follow(0, slice(4, 11))
    with qtbot.waitSignal(measured.measured) as told:
        measured.go_on()
    assert told.args == [0]
    assert measured.mean(0) == pytest.approx(mean(evaluation, 0))


def test_a_row_is_measured_at_once(evaluation):
    owner = QObject()
    measured = HeadEntropies(owner)
    measured.set_planes(planes(evaluation))
    assert measured.mean(1) == pytest.approx(mean(evaluation, 1))


@each("kind", [DenseEvaluation, StreamingEvaluation])
def test_a_row_set_by_hand_counts_whatever_its_sign(qtbot, evaluation, kind):
    """A weight of 2 has an entropy below 0; a row that sees no key has none."""
    by_hand = {"kind": "set", "stage": "weights", "at": {"head": 0, "query": 0, "key": 0}, "values": 2.0}
    closed = np.ones((11, 13), dtype=bool)
    closed[4] = False
    masked = evaluation.problem.replace(interventions=(by_hand,), mask=({"kind": "custom", "allowed": closed},))
    owner, measured = QObject(), kind(masked)
    weights = DenseEvaluation(masked).block("weights", 0, 0, slice(0, 11), slice(0, 13))
    entropies = row_entropy(weights)
    assert entropies[0] < 0
    found = HeadEntropies(owner)
    if kind is StreamingEvaluation:
        TileCache(measured, owner)
    found.set_planes(planes(measured))
    qtbot.waitUntil(lambda: found.mean(0) is not None)
    assert found.mean(0) == pytest.approx(np.delete(entropies, 4).mean())


def test_the_pictures_of_a_long_document_may_be_gone_before_the_next_one_is_told(qtbot, evaluation):
    owner = QObject()
    measured, long = HeadEntropies(owner), StreamingEvaluation(evaluation.problem)
    tile_cache = TileCache(long, owner)
    measured.set_planes(planes(long))
    tile_cache.end()
    qtbot.waitUntil(lambda: not isValid(tile_cache))
    measured.go_on()
    measured.set_planes(planes(evaluation))
    assert measured.mean(1) == pytest.approx(mean(evaluation, 1))
