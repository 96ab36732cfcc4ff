"""The one reader of tables that are text: what is read, what is left out and said, refused, or asked about."""

from __future__ import annotations

import json
import time
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from attn_gui.formats import AmbiguousTable, FormatError
from attn_gui.formats.text.text_table import read_table
from tests.failing import each
from tests.mutations.pace import is_slow

SAMPLES = json.loads((Path(__file__).parents[2] / "data" / "tables.json").read_text(encoding="utf-8"))
TWO, LAYOUTS, REFUSED, AMBIGUOUS = (SAMPLES[name] for name in ("numbers", "layouts", "refused", "ambiguous"))

FLOATS = arrays.arrays(np.float64, st.tuples(st.integers(1, 4), st.integers(1, 5)), elements=st.floats())
EXACT = st.floats(allow_nan=False, allow_infinity=False)


@each("name", LAYOUTS)
def test_every_layout_gives_the_same_matrix(name):
    assert read_table(LAYOUTS[name]).values.tolist() == TWO


@each("name", REFUSED)
def test_what_is_no_matrix_is_refused_in_one_sentence_with_its_place(name):
    text, words = REFUSED[name]
    with pytest.raises(FormatError) as refusal:
        read_table(text)
    assert words in str(refusal.value)
    assert not isinstance(refusal.value, AmbiguousTable)
    assert str(refusal.value).isprintable()


@each("name", AMBIGUOUS)
def test_what_has_two_meanings_is_refused_with_both(name):
    text, meanings = AMBIGUOUS[name]
    with pytest.raises(AmbiguousTable) as several:
        read_table(text)
    assert [reading.matrix.values.tolist() for reading in several.value.readings] == meanings
    assert all(str(reading.words) in str(several.value) for reading in several.value.readings)
    assert len({str(reading.words) for reading in several.value.readings}) == len(meanings)


@each(
    ("text", "rows"),
    [
        ("3.5", [[3.5]]),
        ("1 2 3", [[1, 2, 3]]),
        ("1\n2", [[1], [2]]),
        ("[1, 2]", [[1, 2]]),
        ("[1; 2]", [[1], [2]]),
        ("[[1], [2]]", [[1], [2]]),
        ("tensor([1., 2.])", [[1, 2]]),
        ("1,2\n3,4", [[1, 2], [3, 4]]),
        ("$\\begin{bmatrix} 1 \\\\ \\infty \\end{bmatrix}$", [[1], [np.inf]]),
        ("1;2;3", [[1, 2, 3]]),
        ("∞ -inf 1e-3", [[np.inf, -np.inf, 1e-3]]),
        ("[[True, False], [False, True]]", [[1, 0], [0, 1]]),
        ("True False", [[1, 0]]),
        ("0\t1\n2\t3", [[0, 1], [2, 3]]),
        ("1/2,1/4\n3,4", [[0.5, 0.25], [3, 4]]),
        ("∞,1\n2,3", [[np.inf, 1], [2, 3]]),
        ("|1.5|2.5|\n|--|--|\n|3|4|", [[1.5, 2.5], [3, 4]]),
        ("it 1 2\nwas 3 4", [[1, 2], [3, 4]]),
        ("(1, 2)\n(3, 4)", [[1, 2], [3, 4]]),
        ("(1,2)\n(3,4)", [[1, 2], [3, 4]]),
        ("(1)\t2\t3\n4\t5\t6", [[-1, 2, 3], [4, 5, 6]]),
        ("7 \t (1.50) \n2\t3", [[7, -1.5], [2, 3]]),
        ("(1)\n2\n(3)", [[-1], [2], [-3]]),
        ("(1.00),2,3\n4,5,(6)", [[-1, 2, 3], [4, 5, -6]]),
        ("x\t(1,234.50)\ny\t2", [[-1234.5], [2]]),
        ("(0,5)\t2,5", [[-0.5, 2.5]]),
        ("[1 2 3\n4 5]", [[1, 2, 3, 4, 5]]),  # a row that NumPy wrapped
        ("[1, 2,\n3, 4\n]", [[1, 2, 3, 4]]),  # which goes on behind a comma
        ("[1, 2\n, 3, 4]", [[1, 2, 3, 4]]),
        ("[1 2;\n3 4]", [[1, 2], [3, 4]]),
        ("[[1 2\n3 4]]", [[1, 2, 3, 4]]),
        ("0\t1\n0.5\t0.25", [[0, 1], [0.5, 0.25]]),  # spreadsheets copy 0.0 as 0
        ("[[0, 1], [0.5, 0.25]]", [[0, 1], [0.5, 0.25]]),
        ("0 1; 0.5 0.25", [[0, 1], [0.5, 0.25]]),
        ("0,1\n0.5,2", [[0, 1], [0.5, 2]]),
        ("1,2\n0.5,0.25", [[1, 2], [0.5, 0.25]]),
        ("0\n0.5\n0.25", [[0], [0.5], [0.25]]),
        (
            r"\begin{table}\small \caption{Head 0}\begin{tabular}{rr}1&2\\3&5\end{tabular} of it\end{table}",
            [[1, 2], [3, 5]],
        ),
    ],
)
def test_small_and_odd_shapes(text, rows):
    assert read_table(text).values.tolist() == rows


@each(
    ("text", "rows", "columns", "said"),
    [
        ("x\n7", None, ("x",), "The first row was left out as headings: x."),
        ("it\t1\t2\nwas\t3\t4", ("it", "was"), None, "The first column was left out as labels: it, was."),
        ("\ta\tb\nit\t1\t2", ("it",), ("a", "b"), "headings: a, b. The first column was left out as labels: it."),
        ("1,5\t2", None, None, "Commas were read as decimal points: 1,5 as 1.5."),
        ("1,234.5\t6", None, None, "Commas were read as thousands separators: 1,234.5 as 1234.5."),
        ("9007199254740993\t1", None, None, "beyond 2⁵³ were rounded to float64: 9007199254740993 is 9007199254740992"),
        ("(1)\t2", None, None, "Numbers in parentheses were read as negative ones: (1) as −1."),
        ("1e-400\t2", None, None, "1e-400 is too small to be kept and was read as 0."),
        ("5\t-2,5E-999", None, None, "-2,5E-999 is too small to be kept and was read as 0."),
        ("'1/2\t1\t2\n'=A1\t3\t4", ("1/2", "=A1"), None, "labels: 1/2, =A1."),
    ],
)
def test_what_is_left_out_guessed_or_rounded_is_said(text, rows, columns, said):
    found = read_table(text)
    assert (found.row_labels, found.column_labels) == (rows, columns)
    assert said in " ".join(found.notes)


def test_too_many_numbers_are_refused_before_they_are_cut_up(monkeypatch):
    monkeypatch.setattr("attn_gui.formats.text.text_table.MOST_WRITTEN_OUT", 20)
    assert read_table(str([1] * 20)).values.size == 20
    with pytest.raises(FormatError, match="more than 20 numbers"):
        read_table(str([1] * 21))


def test_whoever_is_told_the_share_can_end_the_reading():
    class EnoughError(Exception):
        pass

    shares = []

    def tell(share):
        shares.append(share)
        if share > 0.5:
            raise EnoughError

    with pytest.raises(EnoughError):
        read_table("1\t2\n" * 5000, tell)
    assert shares == sorted(shares)
    assert shares[0] == 0


@each("letter", ["\n", "\t", " ", ",", '"', "|", "[", "(", "{", "-", "|-", "a\n", "1 \n\n", "\\begin{a}"])
def test_a_long_text_of_nothing_is_refused_without_trying_long(letter):
    """Steps that grow with the square of the length would take minutes here."""
    with pytest.raises(FormatError):
        read_table(letter * (1_000_000 // len(letter)))


@each("part", ["[1]", "[1] ", "[1, 2]", "=[1]", "{1: [2]}", "In [1]: ", "{'a': [1, 2]}", "[[1, 2]]\n"])
def test_a_thousand_lists_in_a_line_take_a_thousand_times_as_long_as_one(part):
    """What stands beside each was looked for to the ends of the line, which took minutes."""
    began = time.process_time()
    with suppress(FormatError):
        read_table(part * (32_000 // len(part)))
    assert not is_slow(time.process_time() - began, 2.0)


# --- there and back ------------------------------------------------------------------------------
WRITERS = {
    "tabs": lambda rows: "\n".join("\t".join(map(repr, row)) for row in rows),
    "commas": lambda rows: "\n".join(", ".join(map(repr, row)) for row in rows),
    "a list": str,
    "Mathematica": lambda rows: str(rows).replace("[", "{").replace("]", "}").replace("e", "*^"),
    "LaTeX": lambda rows: "\\begin{bmatrix}" + "\\\\".join("&".join(map(repr, row)) for row in rows) + "\\end{bmatrix}",
    "MATLAB": lambda rows: "[" + "; ".join(" ".join(map(repr, row)) for row in rows) + "]",
}


@pytest.mark.parametrize("name", WRITERS)
@given(array=arrays.arrays(np.float64, st.tuples(st.integers(1, 4), st.integers(2, 5)), elements=EXACT))
def test_numbers_come_back_bit_for_bit(name, array):
    again = read_table(WRITERS[name](array.tolist())).values
    assert again.tobytes() == array.tobytes()


@given(FLOATS)
def test_a_repr_of_numpy_comes_back(array):
    with np.printoptions(floatmode="unique", threshold=100_000):
        again = read_table(repr(array)).values
    np.testing.assert_array_equal(again, array)


@given(st.lists(st.floats(0.001, 1e6).map(lambda value: round(value, 3)), min_size=2, max_size=6))
def test_decimal_commas_between_tabs_mean_points_or_are_asked_about(numbers):
    text = "\t".join(repr(number).replace(".", ",") for number in numbers)
    assert [numbers] in _meanings(text)


def _meanings(text):
    """Every matrix that a text can mean."""
    try:
        return [read_table(text).values.tolist()]
    except AmbiguousTable as several:
        return [reading.matrix.values.tolist() for reading in several.readings]
