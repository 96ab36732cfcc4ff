"""The state that is compared with, of long problems too, and the change of a cell in words."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from attn_gui.app.program import Program
from attn_gui.app.state.baseline import signed_text
from attn_gui.document.edits import Label, SetCells
from attn_gui.engine import Problem, compute
from tests.failing import each

PATIENCE_MS = 120_000
N, H, D = 1450, 1, 2  # just beyond what is kept whole


@pytest.fixture
def program(qapp: QApplication) -> Iterator[Program]:
    program = Program(qapp, lang="en")
    program.begin(None)
    rng = np.random.default_rng(4)
    arrays = {name: rng.normal(size=(N, H * D)) for name in ("query", "key", "value")}
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
    program.document.apply(
        SetCells(field, cell, program.document.problem.arrays()[field][cell] + 1.5, Label("edited", {}))
    )
    settle(program)


def test_an_edit_is_followed_in_every_mode(program):
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
    values, _ = plane.block(rows, slice(0, N))
    expected = compute(now)["weights"][0, 0, rows] - compute(before)["weights"][0, 0, rows]
    assert values == pytest.approx(expected, abs=1e-12)
    pooled, _ = plane.pooled(N, 10)
    assert np.abs(pooled[7]).max() == pytest.approx(np.abs(expected[2]).max(), abs=1e-12)
    assert not pooled[8].any(), "no other row of weights has moved"


def test_a_ready_made_state_of_a_long_problem_follows_edits_and_is_settled_at_rest(program, qtbot):
    program.late.compare.compare_with("with-scale")
    settle(program)
    with qtbot.waitSignal(program.computation.settled, timeout=PATIENCE_MS):
        edit(program, "key", 11)
    settle(program)
    assert program.baseline.evaluation.settled
    unscaled = program.document.snapshot().replace(scale=1.0)
    program.view.set(compare="before")
    settle(program)
    values, _ = program.window.product.maps.map("weights").plane.block(slice(4, 6), slice(0, N))
    assert values == pytest.approx(compute(unscaled)["weights"][0, 0, 4:6], abs=1e-12)


def test_a_head_of_a_long_problem_is_switched_off_and_edits_are_followed(program):
    assert not program.window.findChild(QAction, "action.compare_with_head").isVisible(), "there is one head"
    program.late.compare.compare_with("with-head")
    settle(program)
    edit(program, "value", 11)
    program.view.set(compare="difference")
    settle(program)
    values, _ = program.window.product.maps.map("output").plane.block(slice(4, 6), slice(0, D))
    assert values == pytest.approx(compute(program.document.snapshot())["output"][0, 4:6], abs=1e-12)


# --- compared -------------------------------------------------------------------------------------
# The change of a cell in words.


@each(("change", "text"), [(0.387, "+0.387000"), (-0.387, "−0.387000"), (-3e-9, "−3.00000e−9"), (3e-9, "+3.00000e−9")])
def test_a_change_has_its_own_sign_and_is_never_0(change, text):
    assert signed_text(change) == text
