"""Tables in LaTeX that are larger than a page: in parts that fit one, which are one table again when they are read."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attn_gui.formats import FormatError, open_matrix, save_matrix
from tests.failing import each


def numbers(rows: int, columns: int) -> np.ndarray:
    found = np.random.default_rng(rows * 100 + columns).normal(size=(rows, columns))
    found[:: max(1, rows // 3)] *= 1e-9
    return found


def names(count: int, prefix: str) -> tuple[str, ...]:
    return tuple(f"{prefix}{number % 4}" for number in range(count))  # the same ones again and again


@given(rows=st.integers(2, 90), columns=st.integers(2, 20))
def test_whatever_its_size_the_table_comes_back(tmp_path_factory, rows, columns):
    path, values = tmp_path_factory.mktemp("tables") / "a.tex", numbers(rows, columns)
    down, across = names(rows, "it"), names(columns, "注")
    save_matrix(values, path, row_labels=down, column_labels=across)
    found = open_matrix(path)
    np.testing.assert_array_equal(found.values, values)
    assert (found.row_labels, found.column_labels) == (down, across)


def test_a_small_table_is_one_and_a_wide_one_has_its_names_in_every_part(tmp_path: Path) -> None:
    save_matrix(np.ones((3, 8)), tmp_path / "a.tex")
    assert "% rows" not in (tmp_path / "a.tex").read_text()
    save_matrix(numbers(3, 8), tmp_path / "b.tex", row_labels=["it", "is", "so"], column_labels=names(8, "k"))
    text = (tmp_path / "b.tex").read_text()
    tables = text.count("\\begin{tabular}")
    assert tables > 1
    assert text.count("\nit & ") == tables
    assert "% rows 0 to 2, columns 0 to" in text


@each(
    ("was", "other"),
    [
        ("% rows 0 to 2, columns 0 to", "% rows 0 to 1, columns 0 to"),
        ("% rows 0 to 2, columns 0 to", "% rows 9 to 11, columns 0 to"),
        ("% rows 0 to 2, columns 0 to", "% rows 0 to 2, columns 1 to"),
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
