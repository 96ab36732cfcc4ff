"""Text typed to find a cell: places, numbers as they are shown, names."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from attn_gui.app.tables.finding import fitting, named_alike, place_in, wanted_by
from attn_gui.document.number_text import shown
from tests.failing import each


@each(("text", "place"), [("12, 3", (12, 3)), ("(0,1)", (0, 1)), ("[2；7]", (2, 7)), (" 4 ， 5 ", (4, 5))])
def test_a_place_is_a_row_and_a_column(text: str, place: tuple[int, int]) -> None:
    assert place_in(text) == place


@given(st.floats(-1e5, 1e5), st.integers(0, 6))
def test_a_number_is_found_by_what_is_shown_of_it(value: float, decimals: int) -> None:
    text = shown(value, decimals)
    wanted = wanted_by(text, decimals, scientific=False)
    assert fitting(np.array([[value]]), None, wanted).all(), text
    assert not fitting(
        np.array([[value + 1.01 * 10.0**-decimals]]), None, wanted_by(f"{value:.9f}", decimals, False)
    ).any()


@given(st.floats(1e-30, 1e30), st.sampled_from([1, -1]))
def test_a_number_with_powers_of_ten_is_found_by_what_is_shown(size: float, sign: int) -> None:
    text = shown(sign * size, 3, scientific=True)
    assert fitting(np.array([[sign * size]]), None, wanted_by(text, 3, scientific=True)).all(), text


@each(
    ("text", "found"),
    [
        ("0.0004", [0.00039812, 0.000402]),
        ("4.0e-4", [0.00039812, 0.000402]),
        ("0.000398", [0.00039812]),
        ("0", [0.0]),
        ("0.000", [0.0]),
        ("1234567", [1234567.2]),
        ("1.235e6", [1234567.2, 1234999.0]),
    ],
)
def test_small_and_large_numbers_are_found_as_they_are_shown_or_as_exactly_as_they_are_typed(
    text: str, found: list[float]
) -> None:
    block = np.array([0.0, 1e-300, 0.0003, 0.00039812, 0.000402, 1234567.2, 1234999.0])
    assert block[fitting(block, None, wanted_by(text, 3, False))].tolist() == found


def test_whole_names_come_before_parts_of_them() -> None:
    names = ("The", "the", "other", "猫")
    assert named_alike(names, wanted_by("the", 3, False)) == [0, 1]
    assert named_alike(names, wanted_by("th", 3, False)) == [0, 1, 2]
    assert named_alike(names, wanted_by("猫", 3, False)) == [3]
    assert named_alike(names, wanted_by("zebra", 3, False)) == []
