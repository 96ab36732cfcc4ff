"""The page of value-weighted attention says of the chosen cell what it is a product of."""

from __future__ import annotations

import numpy as np
import pytest

from attn_gui.engine import Problem
from attn_gui.engine.evaluation.choice import evaluation_of
from attn_gui.figure.pages.aim import Aim
from attn_gui.figure.pages.value_weighted import ValueWeightedPage


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
    aim = Aim(problem, stage="weights", cell=(0, key))
    assert ValueWeightedPage().read(evaluation_of(problem), aim, lambda share: None).formula == said
