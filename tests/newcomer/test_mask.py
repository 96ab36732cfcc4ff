"""A new mask layer in this one file: it is computed, explained, judged, shown and exported.

Strided attention opens a key where (i − j) is a multiple of the stride (Child et al., "Sparse Transformers", 2019).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu

from attn_gui.cli import main
from attn_gui.engine import Problem, compute, explain, resize, solve, verify
from attn_gui.engine.arrays import Array
from attn_gui.engine.checks import as_count
from attn_gui.engine.errors import Note
from attn_gui.engine.evaluation.streaming import StreamingEvaluation
from attn_gui.engine.masks import MASKS, Layer, Parameter, Sizes, open_where
from attn_gui.formats import save
from tests.newcomer.conftest import texts

SMALL = "worked-example.npz"


@dataclass(frozen=True, eq=False, kw_only=True)
class Strided(Layer):
    """(i − j) mod stride = 0."""

    stride: int = 2

    kind = "strided"
    label = "strided"
    about = "A query sees every so many keys"
    parameters = (Parameter("stride", "int", 2, "stride"),)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "stride", as_count("strided.stride", self.stride))

    @classmethod
    def first(cls, n: int, m: int, batch: int) -> dict[str, Any]:
        return {"stride": 2}

    def rule(self, n: int, m: int) -> Note:
        return open_where(f"(i − j) mod {self.stride} = 0")

    def at(self, place: tuple[Array, ...], sizes: Sizes) -> Array:
        i, j = place
        return np.asarray((i - j) % self.stride == 0)


@pytest.fixture(autouse=True)
def strided(monkeypatch):
    monkeypatch.setitem(MASKS, "strided", Strided)


@pytest.fixture
def problem():
    rng = np.random.default_rng(7)
    arrays = {name: rng.normal(size=(5, 6)) for name in ("query", "key", "value")}
    return Problem(**arrays, num_heads=2, mask=({"kind": "strided", "stride": 2},))


def opened(n, m, stride):
    return (np.arange(n)[:, None] - np.arange(m)) % stride == 0


# --- the engine ----------------------------------------------------------------------------------
def test_it_is_computed_by_both_evaluations(problem):
    trace = compute(problem)
    assert np.array_equal(trace.allowed[0, 0], opened(5, 5, 2))
    assert np.array_equal(trace["weights"][0, 0] == 0, ~opened(5, 5, 2))
    long = StreamingEvaluation(problem)
    assert np.allclose(long.box("weights", tuple(slice(0, k) for k in long.shape("weights"))), trace["weights"])


def test_the_reference_that_does_not_know_it_neither_blames_nor_blesses(problem, tmp_path, capsys):
    found = verify(problem)
    assert found.complaint is None
    assert not found.ok
    assert str(found.unjudged) == "The reference does not know the mask layer strided: no stage is judged."
    assert next(i for i in found.invariants if i.name == "order_of_keys_is_free").holds is None
    save(problem, tmp_path / "a.npz")
    assert main(["verify", str(tmp_path / "a.npz")]) == 2
    assert "does not know the mask layer strided" in capsys.readouterr().err


def test_a_closed_cell_names_it_and_a_target_is_reached_where_it_is_open(problem):
    found = explain(compute(problem), "weights", (0, 1, 2, 1))
    assert found.value == 0
    assert problem.mask[found.closed_by].kind == "strided"
    assert solve(problem, "weights", (0, 1, 2, 0), 0.3, by="key").reached == pytest.approx(0.3)
    closed = solve(problem, "weights", (0, 1, 2, 1), 0.3, by="key")
    assert not closed.feasible
    assert "closed to this query" in str(closed.reason)


def test_it_follows_the_sizes_and_refuses_what_it_has_not(problem):
    assert problem.replace(**resize(problem, m=7).fields).mask == problem.mask
    with pytest.raises(ValueError, match="does not have the parameter step"):
        problem.replace(mask=({"kind": "strided", "step": 2},))


# --- the window ----------------------------------------------------------------------------------
def test_it_is_added_explained_verified_and_taken_back_in_the_window(launch, qtbot):
    person = launch(SMALL)
    person.click("control.mask")
    panel = person.find("panel.mask")
    menu = next(menu for menu in panel.findChildren(QMenu) if any(a.data() == "strided" for a in menu.actions()))
    action = next(action for action in menu.actions() if action.data() == "strided")
    menu.popup(panel.mapToGlobal(panel.rect().center()))
    QTest.mouseClick(menu, Qt.MouseButton.LeftButton, pos=menu.actionGeometry(action).center())
    person.wait()
    assert "strided" in person.steps()[-1]
    assert any("(i − j) mod 2 = 0" in text for text in texts(panel))
    assert any(text == "stride" for text in texts(panel))
    person.press("Esc")
    person.choose_cell("weights", 0, 1)
    assert person.value("weights", 0, 1) == 0
    assert "strided" in person.explanation()
    person.do("verify")
    page = person.find("inspector.verify")
    qtbot.waitUntil(lambda: any("strided" in text for text in texts(page)))
    assert "✗" not in texts(page)
    person.do("undo")
    assert person.program.document.problem.mask == ()
