"""Every page of the catalog on wild numbers: it is drawn, or refused with a sentence, and nothing goes wrong in it."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
import pytest

from attn_gui import render
from attn_gui.engine import Problem
from attn_gui.figure.page_catalog import PAGES
from attn_gui.figure.pages.plot import nice_scale
from attn_gui.formats import FormatError
from tests.failing import each

WILD = {"nan": np.nan, "inf": np.inf, "-inf": -np.inf, "1e308": 1e308, "1e-320": 1e-320, "0": 0.0}
SHARES = 5  # of which a run takes one, without --long; six numbers to a page: each page comes in every share


TIPS = (1e308, -1e308, 1e-320, -1e-320, 1e300, 3.0)


def problems():
    """With heads and W_O, of single columns, of as many queries as keys, so that every page applies to one of them."""
    random = np.random.default_rng(5).standard_normal
    several = {"w_output": random((6, 4)), "b_output": random(4), "num_heads": 3}
    yield Problem(query=random((5, 6)), key=random((7, 6)), value=random((7, 6)), **several)
    yield Problem(query=random((5, 1)), key=random((7, 1)), value=random((7, 1)), score="gaussian")
    yield Problem(query=random((6, 4)), key=random((6, 4)), value=random((6, 4)), num_heads=2)


def wild(problem, number):
    """Problems with this number in one cell of a matrix and everywhere."""
    for field in ("query", "key", "value", "w_output"):
        for part in (np.s_[1, 0], np.s_[:]):
            if (array := getattr(problem, field)) is not None:
                array = array.copy()
                array[part] = number
                yield problem.replace(**{field: array})
    value = problem.value.copy()
    value[: len(TIPS), 0] = np.array(TIPS) * (number if abs(number) < 1 else 1)
    yield problem.replace(value=value)


@pytest.mark.parametrize("number", [pytest.param(name, marks=pytest.mark.family(SHARES)) for name in WILD])
@pytest.mark.parametrize("page", [name for name, kind in PAGES.items() if not kind.of_model])
def test_a_page_is_drawn_whatever_the_numbers_are(tmp_path, page, number):
    drawn, few = 0, {"steps": 2} if any(option.key == "steps" for option in PAGES[page].options) else {}
    for problem in problems():
        others = drawn and problem.n == problem.m  # where others do, they suffice
        if PAGES[page].is_there(problem, None) and not others:
            for changed in wild(problem, WILD[number]):
                with suppress(FormatError):  # the code of numbers that are not finite is refused
                    render(changed, tmp_path / "page.png", picture=page, dpi=40, set=few)
                drawn += 1
    assert drawn


@each("unit", [1e-200, 1e-20, 1.0, 1e200])
def test_the_ticks_of_an_axis_are_different_numbers_whatever_the_unit(unit):
    scale = nice_scale(np.array([0.0, 0.3, 1.1, 2.9]) * unit, 6)
    ticks = [scale.text(tick) for tick in scale.ticks()]
    assert len(set(ticks)) == len(ticks) >= 3
    assert np.allclose([float(tick.replace("−", "-")) / unit for tick in ticks], np.array(list(scale.ticks())) / unit)
