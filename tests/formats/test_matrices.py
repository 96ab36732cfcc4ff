"""One matrix as `.npy`, `.csv` or `.tsv`: what is read, what was guessed, and every cell that is refused."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attn_gui.formats import FormatError, load_matrix, open_matrix, save_matrix
from tests.failing import each

ODD = ["=1+1", "+", "-5", "@x", "'=1", "''-", "'", ",", ";", "|", "{", "7", "nan", "注", '"', "\tx", "0\x1f", " the"]
LABELS = st.text(st.characters(codec="utf-8", exclude_characters="\r"), max_size=5) | st.sampled_from(ODD)


def written(path: Path, text: str | bytes) -> Path:
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@each(
    ("text", "expected"),
    [
        ("1,2\n3,4\n", [[1, 2], [3, 4]]),
        ("1\t2\r\n3\t4\r\n", [[1, 2], [3, 4]]),
        ("1.00e+00 -2.5e-03\n  3 4 \n", [[1, -0.0025], [3, 4]]),  # as numpy.savetxt writes it
        ("1\n2\n3", [[1], [2], [3]]),
        ("\ufeff1,2,3\n", [[1, 2, 3]]),
        ("\n\n1,2\n\n3,4\n\n", [[1, 2], [3, 4]]),
        (' 1 ,"2"\n3 , .5\n', [[1, 2], [3, 0.5]]),
        ("nan,inf\n-Infinity,+1e-400\n", [[math.nan, math.inf], [-math.inf, 0]]),
        ("１．５,－２\n−3,4", [[1.5, -2], [-3, 4]]),
        ("1,5;2\n-,5;1e3", [[1.5, 2], [-0.5, 1000]]),
        ("1,5\t1,234\n", [[1.5, 1.234]]),
        ("0.1,-0\n", [[0.1, -0.0]]),
    ],
)
def test_texts_of_numbers(text: str, expected: list[list[float]], tmp_path: Path) -> None:
    found = load_matrix(written(tmp_path / "a.csv", text))
    assert found.tobytes() == np.array(expected, float).tobytes()
    assert found.flags.c_contiguous


@each(
    ("text", "rows", "columns", "values"),
    [
        ("a,b\n1,2\n", None, ("a", "b"), [[1, 2]]),
        (",a,b\nthe,1,2\n", ("the",), ("a", "b"), [[1, 2]]),
        ("the,1,2\ncat,3,4\n", ("the", "cat"), None, [[1, 2], [3, 4]]),
        (",0,1\n0,5,6\n1,7,8\n", ("0", "1"), ("0", "1"), [[5, 6], [7, 8]]),  # pandas
        ('"a, b",";"\n1,2\n', None, ("a, b", ";"), [[1, 2]]),
        ("'=SUM(A1),b\n1,2\n", None, ("=SUM(A1)", "b"), [[1, 2]]),
        ("x\n1\n2\n", None, ("x",), [[1], [2]]),
    ],
)
def test_labels_are_told_from_numbers(
    text: str, rows: object, columns: object, values: list[list[float]], tmp_path: Path
) -> None:
    found = open_matrix(written(tmp_path / "a.csv", text))
    assert (found.row_labels, found.column_labels, found.values.tolist()) == (rows, columns, values)
    assert any("left out" in note for note in found.notes)


def test_a_comma_is_a_decimal_point_only_where_it_can_be_nothing_else(tmp_path: Path) -> None:
    assert open_matrix(written(tmp_path / "a.csv", "1,5;2\n")).notes == (
        "Commas were read as decimal points: 1,5 as 1.5.",
    )
    with pytest.raises(FormatError, match=r"^b.csv can be read in 2 ways: 1 × 2 numbers from 1 5 on, 1"):
        load_matrix(written(tmp_path / "b.csv", "1,5\n"))


@each(
    ("text", "words"),
    [
        ("1,2\n3,x\n", "row 1, column 1 (line 2) is “x”; expected a number"),
        ("1,2\n,4\n", "row 1, column 0 (line 2) is empty; expected a number"),
        ("1,2\n1_000,4\n", "“1_000”"),
        ("1,2\n١,4\n", "“١”"),
        ("1,2\n1e400,4\n", "“1e400”"),
        ("1,2\n=1+1,4\n", "“=1+1”"),
        (",a,b\nthe,1,2\ncat,3,?\n", "row 1, column 1 (line 3) is “?”"),
        ("1.5;2,5\n", "“2,5”; expected a point, as in 1.5"),
        ("1,5;2\n2.5;3\n", "is “1,5”; expected a point"),
        ("1,2\n3,4,5\n", "row 1 (line 2) has 3 cells; expected 2"),
        (" \n\n", "holds no numbers"),
        ('1,"2\n', "a quote that is not closed"),
        ("1," + "9" * 140_000 + "\n", "a cell that is too long"),
        (b"\xff\xff\xff1,2", "not text in UTF-8 or GB 18030"),
        ("1,2\n3," + "\x00" + "\n", "row 1, column 1"),
    ],
)
def test_a_bad_text_is_refused_with_its_place(
    text: str | bytes, words: str, tmp_path: Path, refused: Callable[..., str]
) -> None:
    path = written(tmp_path / "a.csv", text)
    assert words in refused(load_matrix, path, path=path)


def test_chinese_texts_of_old_are_read(tmp_path: Path) -> None:
    assert open_matrix(written(tmp_path / "a.csv", "词,值\n1,2\n".encode("gb18030"))).column_labels == ("词", "值")


@given(st.sampled_from(["csv", "tsv"]), st.booleans(), st.data())
def test_labels_and_numbers_come_back(
    tmp_path_factory: pytest.TempPathFactory, ending: str, excel: bool, data: st.DataObject
) -> None:
    path = tmp_path_factory.mktemp("text") / f"a.{ending}"
    rows, columns = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 4))
    cells = st.floats(width=data.draw(st.sampled_from([32, 64])))
    values = np.array(data.draw(st.lists(cells, min_size=rows * columns, max_size=rows * columns)))
    values = values.reshape(rows, columns)
    labels = [data.draw(st.lists(LABELS, min_size=k, max_size=k)) for k in (rows, columns)]
    save_matrix(values, path, row_labels=labels[0], column_labels=labels[1], excel=excel)
    found = open_matrix(path)
    np.testing.assert_array_equal(found.values, values)
    assert (np.signbit(found.values) == np.signbit(values))[~np.isnan(values)].all()
    assert (found.row_labels, found.column_labels) == (tuple(labels[0]), tuple(labels[1]))


def test_text_is_written_so_that_it_is_short_and_harmless(tmp_path: Path) -> None:
    values = np.array([[0.1, -0.5], [1e22, 3.0]], np.float32)
    save_matrix(values, tmp_path / "a.csv", row_labels=("=1+1", "-"), column_labels=("a", "b"))
    assert (tmp_path / "a.csv").read_text("utf-8") == ",a,b\n'=1+1,0.1,-0.5\n'-,1e+22,3.0\n"
    save_matrix(values, tmp_path / "a.tsv", column_labels=("注", "b"), excel=True)
    assert (tmp_path / "a.tsv").read_bytes() == "\ufeff\t注\tb\n0\t0.1\t-0.5\n1\t1e+22\t3.0\n".encode()


@each(("shape", "expected"), [((3,), (1, 3)), ((), (1, 1)), ((2, 3), (2, 3)), ((2, 1, 3), (2, 1, 3))])
def test_a_npy_has_rows_and_columns(shape: tuple[int, ...], expected: tuple[int, ...], tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.ones(shape, ">f4", order="F"))
    found = load_matrix(tmp_path / "a.npy")
    assert (found.shape, found.dtype, found.dtype.isnative) == (expected, np.float32, True)


@each(
    ("array", "words"),
    [
        (np.array([{}], object), "could run code"),
        (np.ones((0, 3)), "no cells"),
    ],
)
def test_a_bad_npy_is_refused(array: np.ndarray, words: str, tmp_path: Path, refused: Callable[..., str]) -> None:
    path = tmp_path / "a.npy"
    np.save(path, array, allow_pickle=True)
    assert words in refused(load_matrix, path, path=path)


def test_a_npy_is_as_long_as_it_says(tmp_path: Path, refused: Callable[..., str]) -> None:
    path = tmp_path / "a.npy"
    np.save(path, np.ones((2, 3)))
    whole = path.read_bytes()
    for data in (whole[:-1], whole + b"!", whole[:90], whole[:9]):
        refused(load_matrix, written(path, data), path=path)


# --- tables for notes and papers -----------------------------------------------------------------
@given(st.sampled_from(["md", "tex"]), st.lists(st.lists(st.floats(), min_size=3, max_size=3), min_size=2, max_size=4))
def test_a_typeset_table_reads_back_to_the_last_bit(tmp_path_factory, ending, values):
    path = tmp_path_factory.mktemp("tables") / f"a.{ending}"
    save_matrix(np.array(values), path, row_labels=["it"] * len(values), column_labels=["the", "cat", "注意"])
    found = open_matrix(path)
    np.testing.assert_array_equal(found.values, np.array(values))
    assert found.column_labels == ("the", "cat", "注意")


def test_no_token_is_an_order_of_latex_or_markdown(tmp_path):
    """`\\\\ [CLS]` is an error of TeX, which takes it for a length; `<s>` is typeset as ¡s¿, and HTML in Markdown."""
    for ending in ("md", "tex"):
        save_matrix(np.ones((3, 1)), tmp_path / f"a.{ending}", row_labels=["[CLS]", "*", "<s>"], column_labels=["_a_"])
    rows = (tmp_path / "a.tex").read_text(encoding="utf-8").splitlines()
    assert [row.split(" & ")[0] for row in rows if row.endswith("1.0 \\\\")] == [
        "{[}CLS]",
        "{*}",
        r"\textless{}s\textgreater{}",
    ]
    save_matrix(np.array([[1e-20, -2.0]]), tmp_path / "b.tex", row_labels=["50% & _x"], column_labels=["$", "{~^#\\}"])
    text = (tmp_path / "b.tex").read_text(encoding="utf-8")
    assert r"50\% \& \_x & $1 \times 10^{-20}$ & $-2.0$ \\" in text
    assert r"\$ & \{\textasciitilde{}\textasciicircum{}\#\textbackslash{}\} \\" in text
    text = (tmp_path / "a.md").read_text(encoding="utf-8")
    assert all(sign in text for sign in (r"\*", r"\<s>", r"\_a\_"))
