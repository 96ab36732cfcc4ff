"""The strip of heads: a small map of each, one chosen, following every edit."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from PySide6.QtCore import QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QScrollArea, QSpinBox
from pytestqt.qtbot import QtBot

from attn_gui.engine import DenseEvaluation, Problem
from attn_gui.engine.graph.indices import cell
from attn_gui.figure.design_tokens import SPACING
from attn_gui.views.head_strip import HeadsStrip, HeadThumb
from tests.failing import each


def problem_of(num_heads: int = 6, num_kv_heads: int = 6, **more: Any) -> Problem:
    """n = 5, m = 7, d_k = 3, d_v = 2."""
    rng = np.random.default_rng(7)
    fields: dict[str, Any] = {
        "query": rng.normal(size=(5, 3 * num_heads)),
        "key": rng.normal(size=(7, 3 * num_kv_heads)),
        "value": rng.normal(size=(7, 2 * num_kv_heads)),
        "num_heads": num_heads,
        "num_kv_heads": num_kv_heads,
    }
    return Problem(**fields | more)


def shown(qtbot: QtBot, problem: Problem, head: int = 2, width: int = 774) -> HeadsStrip:
    strip = HeadsStrip()
    qtbot.addWidget(strip)
    strip.set_evaluation(DenseEvaluation(problem), 0, head)
    strip.resize(width, strip.sizeHint().height())
    strip.show()
    qtbot.waitExposed(strip)
    return strip


def thumbs(strip: HeadsStrip) -> list[HeadThumb]:
    return sorted((t for t in strip.findChildren(HeadThumb) if t.isVisible()), key=lambda thumb: thumb.head)


def words(strip: HeadsStrip) -> set[str]:
    return {label.text() for label in strip.findChildren(QLabel) if label.isVisible()}


def spin(strip: HeadsStrip) -> QSpinBox:
    return strip.findChild(QSpinBox, "control.head")


@each(("key", "head"), [(Qt.Key.Key_Left, 1), (Qt.Key.Key_Home, 0), (Qt.Key.Key_End, 5)])
def test_keys_choose_a_head(qtbot: QtBot, key: Qt.Key, head: int) -> None:
    strip = shown(qtbot, problem_of())
    with qtbot.waitSignal(strip.headPicked) as caught:
        QTest.keyClick(thumbs(strip)[2], key)
    assert caught.args == [head]


def test_the_keyboard_goes_along_with_the_chosen_head(qtbot: QtBot) -> None:
    problem = problem_of()
    strip = shown(qtbot, problem)
    evaluation = DenseEvaluation(problem)
    strip.set_evaluation(evaluation, 0, 2)
    strip.activateWindow()
    qtbot.waitUntil(strip.isActiveWindow)
    strip.headPicked.connect(lambda head: strip.set_evaluation(evaluation, 0, head))
    thumbs(strip)[2].setFocus()
    QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Right)
    QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Right)
    assert QApplication.focusWidget() is thumbs(strip)[4]
    assert [thumb.head for thumb in thumbs(strip) if thumb.focusPolicy() & Qt.FocusPolicy.TabFocus] == [4]


def test_the_number_is_a_control_of_its_own(qtbot: QtBot) -> None:
    strip = shown(qtbot, problem_of())
    assert (spin(strip).minimum(), spin(strip).maximum(), spin(strip).value()) == (0, 5, 2)
    assert "of 6" in words(strip)
    with qtbot.waitSignal(strip.headPicked) as caught:
        spin(strip).setValue(5)
    assert caught.args == [5]
    with qtbot.assertNotEmitted(strip.headPicked):
        strip.set_evaluation(DenseEvaluation(problem_of(2, 2)), 0, 1)
    assert (spin(strip).maximum(), spin(strip).value()) == (1, 1)


def test_an_edit_changes_the_entropy_of_its_head_alone(qtbot: QtBot) -> None:
    problem = problem_of()
    evaluation = DenseEvaluation(problem)
    strip = shown(qtbot, problem)
    strip.set_evaluation(evaluation, 0, 2)
    before = [thumb.accessibleName() for thumb in thumbs(strip)]
    query = problem.query.copy()
    query[3, 4] = 60
    strip.refresh(evaluation.update(problem.replace(query=query), {"query": [cell((3, 4))]}))
    after = [thumb.accessibleName() for thumb in thumbs(strip)]
    assert [k for k in range(6) if before[k] != after[k]] == [1]
    fresh = shown(qtbot, problem.replace(query=query))
    assert [thumb.accessibleName() for thumb in thumbs(fresh)] == after


def test_shared_heads_stand_together_over_a_line(qtbot: QtBot) -> None:
    strip = shown(qtbot, problem_of(6, 2))
    gaps = [b.x() - a.geometry().right() for a, b in zip(thumbs(strip), thumbs(strip)[1:], strict=False)]
    assert gaps[0] == gaps[1] == gaps[3] == gaps[4] < gaps[2]
    assert "of 6 · 2 K/V heads, 3 query heads each" in words(strip)


def test_rows_that_see_no_key_do_not_lower_the_entropy(qtbot: QtBot) -> None:
    mask = {"kind": "custom", "allowed": np.arange(5)[:, None] * np.ones(7) < 2}
    strip = shown(qtbot, problem_of(query=np.zeros((5, 18)), mask=(mask,)))
    assert f"entropy (bits) {math.log2(7):.2f}" in thumbs(strip)[0].accessibleName()


def test_nan_is_said_and_not_hidden(qtbot: QtBot) -> None:
    query = np.ones((5, 18))
    query[2, 3] = np.nan
    strip = shown(qtbot, problem_of(query=query))
    assert "entropy (bits) NaN" in thumbs(strip)[1].accessibleName()
    assert "entropy (bits) NaN" not in thumbs(strip)[0].accessibleName()


def test_a_long_factor_leaves_the_number_of_its_head(qtbot: QtBot) -> None:
    factor = {"kind": "scale", "stage": "head_output", "at": {"head": 3}, "factor": -12.3456}
    alone, by_hand = (
        thumbs(shown(qtbot, problem_of(query=np.zeros((5, 18)), **more)))[3]
        for more in ({}, {"interventions": (factor,)})
    )
    room = alone.rect()
    room.setTop(alone.map_rect().bottom() + 1)
    room.setRight(room.left() + alone.fontMetrics().horizontalAdvance("3") + SPACING.s)
    assert by_hand.grab(room).toImage() == alone.grab(room).toImage()
    assert by_hand.toolTip().endswith("× −12.3456")


@each("head", [0, 11, 23])
def test_more_heads_than_fit_scroll_with_the_chosen_one_in_view(qtbot: QtBot, head: int) -> None:
    strip = shown(qtbot, problem_of(24, 24), head, width=400)
    viewport = strip.findChild(QScrollArea).viewport()
    thumb = thumbs(strip)[head]
    qtbot.waitUntil(
        lambda: viewport.rect().contains(QRect(thumb.mapTo(viewport, thumb.rect().topLeft()), thumb.size()))
    )
