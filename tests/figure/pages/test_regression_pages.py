"""Pages of a regression are there where queries, keys and values are single numbers, and nowhere else."""

from __future__ import annotations

import numpy as np
import pytest

from attn_gui.engine import Problem
from attn_gui.figure.page_catalog import PAGES


@pytest.mark.parametrize("page", ["curve", "poolings"])
def test_keys_of_several_columns_have_no_curve(page):
    tables = {"w_score_query": np.ones((1, 2)), "w_score_key": np.ones((3, 2)), "w_score": np.ones(2)}
    wide = {"query": np.ones((3, 1)), "key": np.ones((4, 3)), "value": np.ones((4, 1))}
    assert not PAGES[page].is_there(Problem(**wide, score="additive", score_params=tables), None)
    assert PAGES[page].is_there(Problem(**{**wide, "key": np.ones((4, 1))}), None)
