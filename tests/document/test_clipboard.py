"""Cells as text: what is copied is pasted bit for bit, and labels break nothing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from attn_gui.document.clipboard import CopiedCells, numpy_array, tab_separated, with_headers
from attn_gui.formats.text.text_table import read_table


def _block(array: np.ndarray, rows: Sequence[str] = (), columns: Sequence[str] = ()) -> CopiedCells:
    return CopiedCells(array.shape, lambda: list(array), rows, columns)


@given(
    arrays.arrays(np.float64, st.tuples(st.integers(1, 4), st.integers(1, 5)), elements=st.floats())
    | arrays.arrays(np.float32, st.tuples(st.integers(1, 4), st.integers(1, 5)), elements=st.floats(width=32))
)
def test_what_is_copied_is_pasted_bit_for_bit(array: np.ndarray) -> None:
    again = read_table(tab_separated(_block(array))).values.astype(array.dtype)
    assert again.shape == array.shape
    finite = ~np.isnan(array)
    assert again[finite].tobytes() == array[finite].tobytes()
    assert np.isnan(again[~finite]).all()


@given(st.lists(st.text(max_size=8), min_size=2, max_size=5), st.integers(0, 200))
@example(["", "TRUE"], 0)
def test_headings_are_copied_and_left_out_again(tokens: list[str], first: int) -> None:
    array = np.arange(3.0 * len(tokens)).reshape(-1, 3) / 7
    columns = [str(first + k) for k in range(3)]
    text = with_headers(_block(array, tokens, columns))
    assert len(text.split("\n")) == len(tokens) + 1
    assert all(line.count("\t") == 3 for line in text.split("\n"))
    if any(token[:1].isalpha() for token in tokens):
        assert np.array_equal(read_table(text).values, array)


def test_a_token_that_looks_like_the_error_of_a_spreadsheet_comes_back() -> None:
    text = with_headers(_block(np.array([[1.5], [2.5]]), ["play", "#now"], ["x"]))
    assert text == "\tx\nplay\t1.5\n'#now\t2.5"
    assert read_table(text).values.tolist() == [[1.5], [2.5]]


def test_a_label_can_not_break_the_table_nor_start_a_formula() -> None:
    text = with_headers(_block(np.array([[-1.0], [2.0]]), ["a\tb\nc", '=1+"1"'], ["x"]))
    assert text == '\tx\na b c\t-1\n"\'=1+""1"""\t2'


def test_copied_numbers_have_an_ascii_minus_and_all_their_digits() -> None:
    assert tab_separated(_block(np.array([[-0.1, 1 / 3], [-0.0, np.nan]]))) == "-0.1\t0.3333333333333333\n-0\tnan"
    assert tab_separated(_block(np.array([[True, False]]))) == "1\t0"


@given(
    arrays.arrays(np.float64, st.tuples(st.integers(1, 4), st.integers(1, 5)), elements=st.floats(allow_nan=False))
    | arrays.arrays(np.bool_, st.tuples(st.integers(1, 4), st.integers(1, 5)))
)
@example(np.array([[1.0, -0.0]]))
def test_python_gives_the_same_array_again(array: np.ndarray) -> None:
    """Whole numbers came back as integers, without the sign of −0."""
    again = eval(numpy_array(_block(array)), {"np": np})
    assert (again.dtype, again.tobytes()) == (array.dtype, array.tobytes())
