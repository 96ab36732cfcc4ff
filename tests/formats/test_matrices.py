"""One matrix as `.npy`, `.csv`, `.tsv`, in Markdown or LaTeX: read, guessed and said, refused, and written."""

import math
import re
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attn_gui.formats import FormatError, load, open_matrix, rows_of, save_rows
from attn_gui.formats.text.text_table import read_table
from tests.failing import each, examples, share

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
    found = open_matrix(written(tmp_path / "a.csv", text)).values
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
        open_matrix(written(tmp_path / "b.csv", "1,5\n"))


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
        (b"\xff\xff\xff\x811,2", "not text in UTF-8, GB 18030 or Windows-1252"),
        ("1,2\n3," + "\x00" + "\n", "row 1, column 1"),
    ],
)
def test_a_bad_text_is_refused_with_its_place(
    text: str | bytes, words: str, tmp_path: Path, refused: Callable[..., str]
) -> None:
    path = written(tmp_path / "a.csv", text)
    assert words in refused(open_matrix, path, path=path)


@each(
    ("names", "encoding", "said"),
    [
        (("词", "值"), "gb18030", "GB 18030"),
        (("créée à", "détail"), "cp1252", "Windows-1252"),  # also letters of GB 18030
        (("été", "clé"), "cp1252", "Windows-1252"),
        (("词", "été"), "utf-8", ""),
    ],
)
def test_letters_of_older_encodings_are_read_and_that_is_said(
    names: tuple[str, str], encoding: str, said: str, tmp_path: Path
) -> None:
    found = open_matrix(written(tmp_path / "a.csv", f"{names[0]},{names[1]}\n1,2\n".encode(encoding)))
    assert found.column_labels == names
    guessed = [str(note) for note in found.notes if "were read as" in str(note)]
    assert guessed == ([f"The text is not UTF-8; its letters were read as {said}."] if said else [])


def test_what_was_guessed_of_the_matrices_of_a_text_is_said(tmp_path: Path) -> None:
    text = "Q:\n1,5\t2\nK:\n9007199254740993\t2\nV:\n(1)\t2\n# é"
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        assert load(written(tmp_path / "a.csv", text.encode("cp1252"))).query[0, 0] == 1.5
    words = " ".join(str(one.message) for one in said)
    assert all(part in words for part in ("as Windows-1252", "1,5 as 1.5", "9007199254740993 is", "(1) as −1"))


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
    save_rows(rows_of(values), path, row_labels=labels[0], column_labels=labels[1], excel=excel)
    found = open_matrix(path)
    np.testing.assert_array_equal(found.values, values)
    assert (np.signbit(found.values) == np.signbit(values))[~np.isnan(values)].all()
    assert (found.row_labels, found.column_labels) == (tuple(labels[0]), tuple(labels[1]))


def test_text_is_written_so_that_it_is_short_and_harmless(tmp_path: Path) -> None:
    values = np.array([[0.1, -0.5], [1e22, 3.0]], np.float32)
    save_rows(rows_of(values), tmp_path / "a.csv", row_labels=("=1+1", "-"), column_labels=("a", "b"))
    assert (tmp_path / "a.csv").read_text("utf-8") == ",a,b\n'=1+1,0.1,-0.5\n'-,1e+22,3.0\n"
    save_rows(rows_of(values), tmp_path / "a.tsv", column_labels=("注", "b"), excel=True)
    assert (tmp_path / "a.tsv").read_bytes() == "\ufeff\t注\tb\n0\t0.1\t-0.5\n1\t1e+22\t3.0\n".encode()
    save_rows(rows_of(values), tmp_path / "b.csv", row_labels=("t0:1", "b"))
    assert open_matrix(tmp_path / "b.csv").row_labels == ("t0:1", "b"), "no blank comes in"
    save_rows(rows_of(values), tmp_path / "c.csv", row_labels=("⎦", "b"), column_labels=("⎛", "c"))
    assert open_matrix(tmp_path / "c.csv").row_labels == ("⎦", "b"), "no bracket of a drawn matrix"


@each(("shape", "expected"), [((3,), (1, 3)), ((), (1, 1)), ((2, 3), (2, 3)), ((2, 1, 3), (2, 1, 3))])
def test_a_npy_has_rows_and_columns(shape: tuple[int, ...], expected: tuple[int, ...], tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.ones(shape, ">f4", order="F"))
    found = open_matrix(tmp_path / "a.npy").values
    assert (found.shape, found.dtype, found.dtype.isnative) == (expected, np.float32, True)


@each(("array", "words"), [(np.array([{}], object), "could run code"), (np.ones((0, 3)), "no cells")])
def test_a_bad_npy_is_refused(array: np.ndarray, words: str, tmp_path: Path, refused: Callable[..., str]) -> None:
    path = tmp_path / "a.npy"
    np.save(path, array, allow_pickle=True)
    assert words in refused(open_matrix, path, path=path)


def test_a_npy_is_as_long_as_it_says(tmp_path: Path, refused: Callable[..., str]) -> None:
    path = tmp_path / "a.npy"
    np.save(path, np.ones((2, 3)))
    whole = path.read_bytes()
    for data in (whole[:-1], whole + b"!", whole[:90], whole[:9]):
        refused(open_matrix, written(path, data), path=path)


# --- tables for notes and papers -----------------------------------------------------------------


def test_no_token_is_an_order_of_latex_or_markdown(tmp_path):
    """`\\\\ [CLS]` is an error of TeX, which takes it for a length; `<s>` is typeset as ¡s¿, and HTML in Markdown."""
    for ending in ("md", "tex"):
        save_rows(
            rows_of(np.ones((3, 1))), tmp_path / f"a.{ending}", row_labels=["[CLS]", "*", "<s>"], column_labels=["_a_"]
        )
    rows = (tmp_path / "a.tex").read_text(encoding="utf-8").splitlines()
    assert [row.split(" & ")[0] for row in rows if row.endswith("1.0 \\\\")] == [
        "{[}CLS]",
        "{*}",
        r"\textless{}s\textgreater{}",
    ]
    save_rows(
        rows_of(np.array([[1e-20, -2.0]])), tmp_path / "b.tex", row_labels=["50% & _x"], column_labels=["$", "{~^#\\}"]
    )
    text = (tmp_path / "b.tex").read_text(encoding="utf-8")
    assert r"50\% \& \_x & $1 \times 10^{-20}$ & $-2.0$ \\" in text
    assert r"\$ & \{\textasciitilde{}\textasciicircum{}\#\textbackslash{}\} \\" in text
    text = (tmp_path / "a.md").read_text(encoding="utf-8")
    assert all(sign in text for sign in (r"\*", r"\<s>", r"\_a\_"))


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
        ("", "\nL"),
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
        ("Q=", "\n\\mathbf{K}_h = L"),
        ("Q=", "\n键矩阵 K = L"),
        ("Q=", r"\quad W^K = L"),
    ],
)
def test_what_only_names_or_frames_a_matrix_may_stand_beside_it(before, after):
    assert read_table(before + MATRIX + after).values.tolist() == NUMBERS


# --- cells ---------------------------------------------------------------------------------------
@each(
    ("cell", "value"),
    [(r"\frac{1}{2}", 0.5), (r"$-\tfrac{1}{4}$", -0.25), (r"-{\frac{1}{2}}", -0.5), (r"2 \times 10^{-3}", 2e-3)],
)
def test_a_cell_of_latex_is_the_number_that_is_typeset(cell, value):
    assert read_table(rf"\begin{{bmatrix}}{cell}&2\\3&4\end{{bmatrix}}").values[0, 0] == value


@each("cell", [r"1\frac{1}{2}", r"\frac{1}{2}3", r"2 \times 10^{3}4"])
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
    save_rows(rows_of(VALUES), path, row_labels=rows, column_labels=columns)
    found = open_matrix(path)
    np.testing.assert_array_equal(found.values, VALUES)
    counted = ("0", "1", "2")
    assert (found.row_labels, found.column_labels) == (rows or counted, columns or counted)


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
    save_rows(rows_of(VALUES), path, row_labels=[token, "b", "c"], column_labels=["a", token, "c"])
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


@each(("label", "points"), [("MASK", 30.1), ("WWWW", 41.1), ("%%%%", 33.4), ("wwww", 28.9), ("iiii", 11.2)])
def test_a_part_of_a_table_is_no_wider_than_the_line(label, points, tmp_path):
    """`points`: as pdflatex sets it. Columns of capitals ran off the page."""
    save_rows(rows_of(np.ones((1, 60))), tmp_path / "a.tex", column_labels=(label,) * 60)
    widest = max(map(len, re.findall(r"^\\begin\{tabular\}\{l(r+)\}", (tmp_path / "a.tex").read_text("utf-8"), re.M)))
    assert 12 + widest * (12 + points) <= 345


@settings(max_examples=examples(20))
@given(rows=st.integers(2, 90), columns=st.integers(2, 20))
def test_whatever_its_size_the_table_comes_back(tmp_path_factory, rows, columns):
    path, values = tmp_path_factory.mktemp("tables") / "a.tex", numbers(rows, columns)
    down, across = names(rows, "it"), names(columns, "注")
    save_rows(rows_of(values), path, row_labels=down, column_labels=across)
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
    save_rows(rows_of(numbers(3, 8)), path, row_labels=["it", "is", "so"], column_labels=names(8, "k"))
    path.write_text(path.read_text().replace(was, other, 1))
    with pytest.raises(FormatError):
        open_matrix(path)


def test_a_part_that_is_missing_is_said(tmp_path: Path) -> None:
    path = tmp_path / "a.tex"
    save_rows(rows_of(numbers(90, 12)), path, column_labels=names(12, "k"))
    parts = re.split(r"(?=^% rows)", path.read_text(), flags=re.MULTILINE)
    assert len(parts) > 4
    for number in share(range(1, len(parts) - 1), 12):
        path.write_text("".join(parts[:number] + parts[number + 1 :]))
        with pytest.raises(FormatError, match="matrices; expected one"):
            open_matrix(path)
