"""The page of value-weighted attention says of the chosen cell what it is a product of."""

from __future__ import annotations

import numpy as np
import pytest

from attn_gui.engine import Problem, compute
from attn_gui.engine.evaluation.choice import evaluation_of
from attn_gui.figure.pages.base import PageStyle
from attn_gui.figure.pages.context import PageContext
from attn_gui.figure.pages.contributions import ValueWeightedPage


@pytest.mark.parametrize(
    ("key", "said"),
    [
        (0, "G[0, 0] = a · ‖v‖ = 1 · 5 = 5"),
        (1, "G[0, 1] = a · ‖v‖ = 0"),
        (2, "G[0, 2] = a · ‖v‖ = 0 · 2 = 0"),
    ],
    ids=["open", "held back", "closed"],
)
def test_a_zero_weight_before_what_is_no_number_is_zero(key: int, said: str) -> None:
    value = np.array([[3.0, 4.0], [np.nan, 1.0], [0.0, 2.0]])
    problem = Problem(query=np.ones((2, 3)), key=np.eye(3), value=value, mask=[{"kind": "padding", "lengths": 1}])
    context = PageContext(problem, stage="weights", cell=(0, key))
    assert ValueWeightedPage().read(evaluation_of(problem), context, lambda share: None).formula == said


def test_a_negative_weight_by_hand_stands_with_its_magnitude() -> None:
    value = np.array([[3.0, 4.0], [6.0, 8.0]])
    by_hand = [{"kind": "set", "stage": "weights", "at": {"query": 0, "key": 0}, "values": -0.5}]
    problem = Problem(query=np.ones((2, 2)), key=np.eye(2), value=value, interventions=by_hand)
    context = PageContext(problem, stage="weights", cell=(0, 0))
    found = ValueWeightedPage().read(evaluation_of(problem), context, lambda share: None)
    assert found.formula == "G[0, 0] = |a| · ‖v‖ = 0.5 · 5 = 2.5"


def test_a_hover_over_a_block_of_cells_names_all_of_them() -> None:
    random = np.random.default_rng(2).standard_normal
    problem = Problem(query=random((300, 2)), key=random((3, 2)), value=random((3, 2)))
    content = ValueWeightedPage().read(
        evaluation_of(problem), PageContext(problem, stage="weights"), lambda share: None
    )
    field = ValueWeightedPage().plan(content, PageStyle(), None, None).fields[0]
    rows = [field.spot(row, 1).text for row in range(field.rows)]
    several = next(text for text in rows if "…" in text)
    first, last = (int(text) for text in several.split("(")[1].split(",")[0].split("…"))
    expected = compute(problem)["weights"][0, 0, first : last + 1, 1].max()
    assert several.endswith(f"{expected:.4f}, the largest in magnitude")
    assert not any("largest" in text for text in rows if "…" not in text)
