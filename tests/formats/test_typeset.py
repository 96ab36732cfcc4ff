"""Tables in LaTeX and Markdown as people paste them, and in parts that fit a page: read back as one table."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attn_gui.formats import FormatError, open_matrix, save_matrix
from attn_gui.formats.text.text_table import read_table
from tests.failing import each

MATRIX = r"\begin{bmatrix}1&2\\3&5\end{bmatrix}"
NUMBERS = [[1, 2], [3, 5]]
VALUES = np.array([[0.5, -1.25, 2.0], [0.25, 1e-9, -3.5], [4.5, 0.125, 7.0]])


# --- beside a matrix -----------------------------------------------------------------------------
@each(
    ("before", "after"),
    [
        (r"\frac{1}{2}", ""),
        ("Q = 0.5 % half of it\n", ""),
        ("-", ""),
        (r"2 \left(", r"\right)"),
        (r"\frac{", r"}{\sqrt{2}}"),
        ("", r"^\top"),
        ("", r"/\sqrt{2}"),
        ("", r"\cdot 2"),
        ("$", "^T$"),
    ],
)
def test_what_would_change_a_matrix_is_never_dropped(before, after):
    with pytest.raises(FormatError, match="stands beside the matrix; expected"):
        read_table(before + MATRIX + after)


@each(
    ("before", "after"),
    [
        ("$", "$"),
        ("$$\n", "\n$$"),
        (r"\[ Q = ", r",\qquad \]"),
        ("% of head 0\nQ = % no factor\n", " % so it is"),
        (r"\begin{equation}\label{eq:q} Q =", r"\in \mathbb{R}^{2 \times 2} \end{equation}"),
        (r"\begin{align*} Q &= ", r" \\ K &= L \end{align*}"),
        (r"\bigl(", r"\bigr),"),
        (r"\[ \resizebox{\linewidth}{!}{$Q = ", r"$} \]"),
        (r"{\small ", "}"),
    ],
)
def test_what_only_names_or_frames_a_matrix_may_stand_beside_it(before, after):
    assert read_table(before + MATRIX + after).values.tolist() == NUMBERS


# --- cells ---------------------------------------------------------------------------------------
@each(
    ("cell", "value"),
    [
        (r"\frac{1}{2}", 0.5),
        (r"$-\tfrac{1}{4}$", -0.25),
        (r"-{\frac{1}{2}}", -0.5),
        (r"2 \times 10^{-3}", 2e-3),
    ],
)
def test_a_cell_of_latex_is_the_number_that_is_typeset(cell, value):
    assert read_table(rf"\begin{{bmatrix}}{cell}&2\\3&4\end{{bmatrix}}").values[0, 0] == value


@each(
    "cell",
    [
        r"1\frac{1}{2}",
        r"\frac{1}{2}3",
        r"2 \times 10^{3}4",
    ],
)
def test_numbers_side_by_side_are_not_run_together(cell):
    with pytest.raises(FormatError, match=r"row 0, column 0 is .*; expected a number"):
        read_table(rf"\begin{{bmatrix}}{cell}&2\\3&4\end{{bmatrix}}")


# --- headings by syntax --------------------------------------------------------------------------
TOKENS = [
    ("3", "5", "7"),
    ("nan", "inf", "true"),
    ("None", "null", "#N/A"),
    ("1/2", "50%", "½"),
    ("-", "--", "---"),
    ("", "", ""),
]


@each("ending", ["md", "tex"])
@each("tokens", TOKENS)
@each("sides", [(True, True), (False, True)])
def test_whatever_the_tokens_are_a_table_with_headings_comes_back(tmp_path: Path, ending, tokens, sides):
    rows, columns = (tokens if named else None for named in sides)
    path = tmp_path / f"a.{ending}"
    save_matrix(VALUES, path, row_labels=rows, column_labels=columns)
    found = open_matrix(path)
    np.testing.assert_array_equal(found.values, VALUES)
    counted = ("0", "1", "2")
    assert (found.row_labels, found.column_labels) == (rows or counted, columns or counted)


@each("ending", ["md", "tex"])
def test_no_control_character_takes_a_row_away(tmp_path: Path, ending):
    """tabulate takes a first cell of U+0001 for a line between rows."""
    path = tmp_path / f"a.{ending}"
    save_matrix(VALUES, path, row_labels=["\x01", "a\x1bb", "\x7f"], column_labels=["\x00", "\x1f", "\ud800"])
    found = open_matrix(path)
    np.testing.assert_array_equal(found.values, VALUES)
    assert found.row_labels == ("U+0001", "aU+001Bb", "U+007F")
    assert found.column_labels == ("U+0000", "U+001F", "U+D800")


def test_a_row_of_dashes_is_a_rule_only_below_the_headings():
    frame = "|---+---|\n| a | b |\n|---+---|\n| 1 | 2 |\n|---+---|\n| 3 | 5 |\n|---+---|"
    assert read_table(frame).values.tolist() == NUMBERS
    with pytest.raises(FormatError, match="row 0, column"):
        read_table("| a | b |\n|---|---|\n| - | 1 |")
    with pytest.raises(FormatError, match="2 cells are not numbers"):
        read_table("| a | b |\n|---|---|\n| - | - |\n| 1 | 2 |")


# --- above a table -------------------------------------------------------------------------------
TABLE = "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 5 |"


@each(
    ("above", "said"),
    [
        ("# My Q\n\n", "# My Q"),
        ("# Q\n\nThe queries of head 0, h1:\n\n", "# Q The queries of head"),
        ("# Q\n+---+---+\n", "# Q”"),
    ],
)
def test_words_above_a_table_in_markdown_are_left_out_and_said(above, said):
    found = read_table(above + TABLE)
    assert found.values.tolist() == NUMBERS
    assert f"The text around the matrix was left out: “{said}" in found.notes[0]


@pytest.mark.parametrize("top", ["+---+---+", "|---+---|", "┌───┬───┐"])
def test_the_frame_of_a_table_is_no_text_above_it(top):
    lines = [line.replace("|---|---|", top) for line in TABLE.split("\n")]
    framed = "\n".join([top, *lines, top])
    assert [str(note) for note in read_table(framed).notes] == ["The first row was left out as headings: a, b."]


@each("above", ["0.5 *\n", "scale = 2\n\n", "Q\n1 2\n", "Q\n1/2:\n", "Head 0\n"])
def test_a_number_above_a_table_may_be_meant(above):
    with pytest.raises(FormatError, match="above the table has a number; expected"):
        read_table(above + TABLE)


LIVE = [
    "![x](http://host/p.png)",
    "[x](javascript:alert(1))",
    "http://host/p",
    "<img src=x>",
    "$x$",
    "`x`",
    "**x**",
    "a\\|b",
]


@each("token", LIVE)
def test_no_token_is_a_link_or_a_picture_in_markdown(token, tmp_path: Path):
    """Whoever previewed a table had the picture of a token loaded from its address."""
    path = tmp_path / "a.md"
    save_matrix(VALUES, path, row_labels=[token, "b", "c"], column_labels=["a", token, "c"])
    rest = re.sub(r"\\[!-/:-@\[-`{-~]", "", path.read_text(encoding="utf-8"))
    assert not re.search(r"[\[\]<`$*&]|://|www\.|\w@\w", rest)
    found = open_matrix(path)
    np.testing.assert_array_equal(found.values, VALUES)
    assert (found.row_labels, found.column_labels) == ((token, "b", "c"), ("a", token, "c"))


# --- tables in LaTeX that are larger than a page --------------------------------------------------


def numbers(rows: int, columns: int) -> np.ndarray:
    found = np.random.default_rng(rows * 100 + columns).normal(size=(rows, columns))
    found[:: max(1, rows // 3)] *= 1e-9
    return found


def names(count: int, prefix: str) -> tuple[str, ...]:
    return tuple(f"{prefix}{number % 4}" for number in range(count))  # the same ones again and again


@settings(max_examples=20)
@given(rows=st.integers(2, 90), columns=st.integers(2, 20))
def test_whatever_its_size_the_table_comes_back(tmp_path_factory, rows, columns):
    path, values = tmp_path_factory.mktemp("tables") / "a.tex", numbers(rows, columns)
    down, across = names(rows, "it"), names(columns, "注")
    save_matrix(values, path, row_labels=down, column_labels=across)
    found = open_matrix(path)
    np.testing.assert_array_equal(found.values, values)
    assert (found.row_labels, found.column_labels) == (down, across)


@each(
    ("was", "other"),
    [
        ("% rows 0 to 2, columns 0 to", "% rows 0 to 1, columns 0 to"),
        ("% rows 0 to 2, columns 0 to", "% rows 999999999 to 2, columns 0 to"),
        ("\nis & ", "\n\\hline "),
    ],
)
def test_parts_that_do_not_fit_together_are_refused(tmp_path: Path, was: str, other: str) -> None:
    path = tmp_path / "a.tex"
    save_matrix(numbers(3, 8), path, row_labels=["it", "is", "so"], column_labels=names(8, "k"))
    path.write_text(path.read_text().replace(was, other, 1))
    with pytest.raises(FormatError):
        open_matrix(path)


def test_a_part_that_is_missing_is_said(tmp_path: Path) -> None:
    path = tmp_path / "a.tex"
    save_matrix(numbers(90, 12), path, column_labels=names(12, "k"))
    parts = re.split(r"(?=^% rows)", path.read_text(), flags=re.MULTILINE)
    assert len(parts) > 4
    for number in range(1, len(parts) - 1):
        path.write_text("".join(parts[:number] + parts[number + 1 :]))
        with pytest.raises(FormatError, match="matrices; expected one"):
            open_matrix(path)
