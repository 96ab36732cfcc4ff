"""The one reader of tables that are text: what is read, what is left out and said, refused, or asked about."""

import json
import re
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from attn_gui.formats import AmbiguousTable, FormatError
from attn_gui.formats.text import bracketed_lists
from attn_gui.formats.text.text_table import read_table
from tests.costs import is_slow
from tests.failing import each

SAMPLES = json.loads((Path(__file__).parents[1] / "data" / "tables.json").read_text(encoding="utf-8"))
TWO, LAYOUTS, REFUSED, AMBIGUOUS = (SAMPLES[name] for name in ("numbers", "layouts", "refused", "ambiguous"))
FLOATS = arrays.arrays(np.float64, st.tuples(st.integers(1, 4), st.integers(1, 5)), elements=st.floats())


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
        ("[1; 2]", [[1], [2]]),
        ("[[1], [2]]", [[1], [2]]),
        ("1,2\n3,4", [[1, 2], [3, 4]]),
        ("$\\begin{bmatrix} 1 \\\\ \\infty \\end{bmatrix}$", [[1], [np.inf]]),
        ("1;2;3", [[1, 2, 3]]),
        ("[(np.longlong(1), 0.5), (np.half(2), 0.25)]", [[1, 0.5], [2, 0.25]]),
        ("[(np.str_('it'), np.ubyte(1)), (np.str_('was'), np.single(.5))]", [[1], [0.5]]),
        ('pd.DataFrame([[1.5, 2]], columns=["a", "long"])', [[1.5, 2]]),
        ("array([[1.5, 2]], dtype=np.longdouble)", [[1.5, 2]]),
        ("tensor([[1e3, -2e0]], dtype=torch.int64)", [[1000, -2]]),
        ("| np.mean(x) | b |\n|---|---|\n| 1 | 2 |", [[1, 2]]),
        ("∞ -inf 1e-3", [[np.inf, -np.inf, 1e-3]]),
        # as browsers copy what KaTeX shows: for readers, in LaTeX, as drawn by columns
        ("Q=[1 2−34]Q=\\begin{bmatrix}1&2\\\\-3&4\\end{bmatrix}Q=[1−3\u200b24\u200b]。", [[1, 2], [-3, 4]]),
        ("1\u00a0-2\n3\u202f4.5", [[1, -2], [3, 4.5]]),  # the blanks of web pages
        ("[[1,\u200b 0],\u200b[0,\u200b1]]", [[1, 0], [0, 1]]),
        ("[[True, False], [False, True]]", [[1, 0], [0, 1]]),
        ("1/2,1/4\n3,4", [[0.5, 0.25], [3, 4]]),
        ("∞,1\n2,3", [[np.inf, 1], [2, 3]]),
        ("(1)\t2\t3\n4\t5\t6", [[-1, 2, 3], [4, 5, 6]]),
        ("7 \t (1.50) \n2\t3", [[7, -1.5], [2, 3]]),
        ("(1.00),2,3\n4,5,(6)", [[-1, 2, 3], [4, 5, -6]]),
        ("x\t(1,234.50)\ny\t2", [[-1234.5], [2]]),
        ("(0,5)\t2,5", [[-0.5, 2.5]]),
        ("[1 2 3\n4 5]", [[1, 2, 3, 4, 5]]),  # a row that NumPy wrapped
        ("[1, 2,\n3, 4\n]", [[1, 2, 3, 4]]),  # which goes on behind a comma
        ("[[1 2\n3 4]]", [[1, 2, 3, 4]]),
        ("0\t1\n0.5\t0.25", [[0, 1], [0.5, 0.25]]),  # spreadsheets copy 0.0 as 0
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
        ("it\t1\t2\nwas\t3\t4", ("it", "was"), None, "The first column was left out as labels: it, was."),
        ("\ta\tb\nit\t1\t2", ("it",), ("a", "b"), "headings: a, b. The first column was left out as labels: it."),
        ("1,5\t2", None, None, "Commas were read as decimal points: 1,5 as 1.5."),
        ("1.234;5.678\n2;-3.456", None, None, "Points were read as decimal points: 1.234 as 1.234."),
        ("1,234.5\t6", None, None, "Commas were read as thousands separators: 1,234.5 as 1234.5."),
        ("9007199254740993\t1", None, None, "beyond 2⁵³ were rounded to float64: 9007199254740993 is 9007199254740992"),
        ("(1)\t2", None, None, "Numbers in parentheses were read as negative ones: (1) as −1."),
        ("1e-400\t2", None, None, "1e-400 is too small to be kept and was read as 0."),
        ("'1/2\t1\t2\n'=A1\t3\t4", ("1/2", "=A1"), None, "labels: 1/2, =A1."),
    ],
)
def test_what_is_left_out_guessed_or_rounded_is_said(text, rows, columns, said):
    found = read_table(text)
    assert (found.row_labels, found.column_labels) == (rows, columns)
    assert said in " ".join(found.notes)


@each("letter", ["\n", " ", '"', "|", "[", "(", "|-", "a\n", "1 \n\n", "\\begin{a}"])
def test_a_long_text_of_nothing_is_refused_without_trying_long(letter):
    """Steps that grow with the square of the length would take minutes here."""
    with pytest.raises(FormatError):
        read_table(letter * (1_000_000 // len(letter)))


def test_a_long_line_of_words_is_refused_as_such_without_looking_at_all_of_them():
    """“A cell that is too long or a quote that is not closed” stood there, and of 4 MB after 20 s."""
    began = time.process_time()
    with pytest.raises(FormatError, match="1000\\+ cells are not numbers"):
        read_table("a," * 500_000)
    assert not is_slow(time.process_time() - began, 2.0)


def test_a_long_print_may_begin_with_an_exponent(monkeypatch):
    monkeypatch.setattr(bracketed_lists, "LARGE", 10_000)
    text = "[" + "\n ".join(["[1.5e-05 2.5e-05]"] * 2_000) + "]"
    assert read_table(text).values.shape == (2_000, 2)


@each("part", ["[1]", "=[1]", "In [1]: ", "{'a': [1, 2]}", "[[1, 2]]\n", "[1]" + ";," * 15_000 + "x"], one_of=6)
def test_a_thousand_lists_in_a_line_take_a_thousand_times_as_long_as_one(part):
    """What stands beside each was looked for to the ends of the line, which took minutes."""
    began = time.process_time()
    with suppress(FormatError):
        read_table(part * (32_000 // len(part)))
    assert not is_slow(time.process_time() - began, 2.0)


@each("row", ["(1,2),", "[1, 2e0]\n"])
def test_rows_are_read_at_once_without_brackets_around_them_too(row, monkeypatch):
    """What stands beside each of them was looked at: half a megabyte took 12 s."""
    monkeypatch.setattr(bracketed_lists, "_counts", None)
    assert read_table(row * 2).values.tolist() == [[1, 2], [1, 2]]


# --- there and back ------------------------------------------------------------------------------
@given(FLOATS)
def test_a_repr_of_numpy_comes_back(array):
    with np.printoptions(floatmode="unique", threshold=100_000):
        again = read_table(repr(array)).values
    np.testing.assert_array_equal(again, array)


# --- texts as people paste them -------------------------------------------------------------------
MATRIX = [[1.5, -2, 0.5], [0.25, 4, 3]]


def texts() -> Iterator[tuple[str, str, str]]:
    """Group, name and text of each in the file."""
    lines = (Path(__file__).parents[1] / "data" / "pasted.txt").read_text(encoding="utf-8").split("\n")
    group, name, text = "", "", []
    for line in [*lines, "######## "]:
        if not line.startswith("#### ") and not line.startswith("######## "):
            text.append(line)
            continue
        if name:
            yield group, name, "\n".join(text)
        sign, _, words = line.partition(" ")
        group, name = (group, words) if sign == "####" else (words, "")
        text = []


TEXTS = {name: (group, text) for group, name, text in texts()}


@each("name", TEXTS)
def test_a_text_is_the_matrix_that_a_person_sees_in_it(name):
    group, text = TEXTS[name]
    kind, _, words = group.partition(" ")
    if kind == "read":
        assert read_table(text).values.tolist() == (json.loads(words) if words else MATRIX)
        return
    with pytest.raises(FormatError) as refusal:
        read_table(text)
    assert isinstance(refusal.value, AmbiguousTable) == (kind == "asked")
    if kind == "asked" and words:
        assert [reading.name for reading in refusal.value.readings] == words.split()
    elif kind == "refused":
        assert words in str(refusal.value)


@each(
    ("text", "said"),
    [
        ("Head 3, layer 0:\n[[1 2]\n [3 5]]", "“Head 3, layer 0:”"),
        ("[[1, 2], # his\n [3, 5]]", "“# his”"),
        ("1 2\n3 5\n\n[2 rows x 2 columns]", "“[2 rows x 2 columns]”"),
        (">>> q\n1 2\n3 5", "“>>> q”"),
        ("**K = [[1, 2], [3, 5]]** (rows are tokens)", "“**K = ** (rows are tokens)”"),
        ("K = [[1, 2], [3, 5]] ~ rounded to one place", "“~ rounded to one place”"),
        ("$K = [[1,2],[3,5]]~.$", "“$K =”"),
        ("the: [1, 2]\ncat: [3, 5]", "labels: the, cat."),
    ],
)
def test_what_stood_around_the_matrix_is_said(text, said):
    found = read_table(text)
    assert found.values.tolist() == [[1, 2], [3, 5]]
    assert said in " ".join(found.notes)


CHANGED = [
    ("{}.T", ".T"),
    ("{} * 0.5", "* 0.5"),
    ("x = -{}", "-["),
    ("-`{}`", "-`["),
    ("−**{}**", "−**["),
    ("{} @ W", "@ W"),
    ("{}e-3", "e-3"),
    ("{} × 10⁻³", "× 10⁻³"),
    ("inv({})", "inv("),
    ("torch.tensor({}).view(4, 1)", ".view(4, 1)"),
    ("matrix(c(1, 2, 3, 5), nrow = 2)", "matrix("),
    ("[1 2; 3 5].'", ".'"),
    ("[1, 2; 3, 5]~", "~"),
    ("{}**2", "**2"),
    ("**Q** {} ** 2", "** 2"),
    ("y = x**2, {}**(2)", "**(2)"),
    ("K = {}~ * W", "~ * W"),
    ("[1,2;3,4]~-1", "~-1"),
    ("f(**kw) ; A = [[1,2],[3,4]] ** -1", "** -1"),
    ("np.array([[1.5, 2], [3, 4]], dtype=np.int_)", "dtype=np.int_"),
    ("np.array([[1.5, 2], [3, 4]], dtype='<i8')", "dtype='<i8'"),
    ("{{1, 2}, {3, 5}} // Transpose", "// Transpose"),
    ("{{1, 2}, {3, 5}}\\[Transpose]", "\\[Transpose]"),
    ("[1; 2;; 3; 5]", ";;"),
    ("np.array([[1.5, 2], [3, 5]], dtype=int)", "dtype=int"),
    ("torch.tensor([[0, 2]], dtype=torch.bool)", "dtype=torch.bool"),
    ("print(array([[1.5, 2]], dtype=np.longlong, copy=False))", "dtype=np.longlong"),
    ("array([[1.5, 2]], dtype='i4')", "dtype='i4'"),
    *((f"1.0e+03 *\n\n{rows}", "1.0e+03 *") for rows in ("r1 1 2\nr2 3 4", "1; 2\n3; 4", "1, 2", "1 2\n\n3 4")),
    ("3\\begin{bmatrix}3\\end{bmatrix}3", "3"),
    ("%%MatrixMarket matrix array real general\n2 1\n1.5\n2.5", "%%MatrixMarket"),
]


@each(("text", "named"), CHANGED)
def test_what_would_change_the_matrix_is_never_dropped(text, named):
    with pytest.raises(FormatError) as refusal:
        read_table(text.replace("{}", "[[1, 2], [3, 5]]"))
    assert f"“{named}" in str(refusal.value)
    assert "stands beside the matrix" in str(refusal.value)


@each(
    ("text", "place"),
    [
        ("[[np.sqrt(2), 1], [1, np.exp(1)]]", "np.sqrt(…"),
        ("np.eye(3)", "np.eye(3)"),
        ("[(np.sqrt(1), 0.5), (np.sqrt(2), 0.25)]", "np.sqrt(…"),
        ("t,a\nnp.sqrt(1),0.5\nnumpy.sqrt(2),0.25", "np.sqrt(1)"),
        ("\u00ad1.5\t2\n3\t4", "row 0, column 0"),  # a minus out of a PDF
        ("\u202e21\t2\n3\t4", "row 0, column 0"),  # which is seen as 12
        ("2\u20623\t2\n3\t4", "row 0, column 0"),  # 2 times 3, the sign of which cannot be seen
        ("<Compressed matrix with shape (2, 2)>\n  (0, 0)\t1.5\n  (1, 1)\t4.5", "cells"),
    ],
)
def test_what_would_be_another_number_is_none(text, place):
    with pytest.raises(FormatError, match=re.escape(place)):
        read_table(text)


@each("label", ["K.T = ", "K.mT =\n", "Kᵀ = "])
def test_a_label_that_says_that_the_matrix_is_turned_is_said(label):
    found = read_table(f"{label}[[1, 2], [3, 5]]")
    assert label.strip() in " ".join(found.notes)


@each("label", ["K^T:", "log Q:", "Q (x 1e-3):", "Q * 1e-3："])
def test_a_label_in_the_line_of_the_first_row_is_said(label):
    found = read_table(f"{label} 1 2\n3 5")
    assert found.values.tolist() == [[1, 2], [3, 5]]
    assert label in " ".join(found.notes)


def test_latex_says_whose_transpose_it_is():
    found = read_table("$K^\\top = \\begin{pmatrix}1 & 2\\\\3 & 4\\end{pmatrix}$")
    assert "“K^T =”" in " ".join(found.notes)


@each(
    ("rows", "found"),
    [
        ("1.5000e-03   2\n   0   -2.0e+00", [[1.5, 2000], [0, -2000]]),
        ("−1.0000 2.0000\n -.5000 .5", [[-1000, 2000], [-500, 500]]),
        ("Columns 1 and 2:\n\n 1 2\n 3 Inf\n\n Column 3:\n\n 5\n 0\n", [[1000, 2000, 5000], [3000, np.inf, 0]]),
        ("1 2\n 3 4\n\nElapsed time is 0.5 seconds.", [[1000, 2000], [3000, 4000]]),
    ],
)
def test_the_factor_above_a_table_counts_for_every_number_in_it(rows, found):
    assert read_table(f"Q =\n\n  1.0e+03  *\n\n   {rows}").values.tolist() == found


def test_the_factor_above_a_table_counts_for_no_table_below():
    with pytest.raises(AmbiguousTable) as several:
        read_table("Q =\n\n 1.0e+03 *\n\n 1 2\n\nK =\n\n 1 2\n\nV =\n\n 1.0e-01 *\n\n 5 6\n")
    found = [reading.matrix.values.tolist() for reading in several.value.readings]
    assert found == [[[1000, 2000]], [[1, 2]], [[0.5, 0.6]]]


@each(
    ("text", "query"),
    [
        ("Rows: q1=[1, 2]，q2=[3, 4]，k1=[1, 2]，v1=[5]", [[1, 2], [3, 4]]),
        ("k₁ = [1, 2]\nq₂ = [3, 4]\nv₁ = [5]\nq₁ = [1, 2]", [[1, 2], [3, 4]]),
        ("Q=[[1, 2], [3, 4]], K=[[1, 2]], V=[[5]], q1=[[1, 2]]", [[1, 2], [3, 4]]),
        ("Q1=[[1, 2], [3, 4]], Q2=[[5, 6], [7, 8]], K=[[1, 2]], V=[[5]]", None),
        ("Q=[[1, 2], [3, 4]], K=[[1, 2]], V=[[5]], Q=[[5, 6], [7, 8]]", None),
        ("Q=[[1, 2]], K=[[1, 2]], V=[[5]], Q=[[3, 4]]", None),
    ],
)
def test_rows_of_one_name_are_one_matrix_and_of_two_matrices_of_one_name_none_is_taken(text, query):
    with pytest.raises(AmbiguousTable) as several:
        read_table(text)
    parts = several.value.together(named=True)
    assert {role: one.values.tolist() for role, one in parts.items()} == (
        {"query": query, "key": [[1, 2]], "value": [[5]]} if query else {}
    )
    assert [str(note).partition(": ")[2] for note in parts.get("query", several.value.readings[0].matrix).notes] == (
        ["“Rows:”."] if "Rows" in text else []
    )
    assert not query or several.value.others() == (["q1"] if "Q=" in text else [])


@each("names", [("Qᵀ", "Kᵀ", "Vᵀ"), ("A", "K.T", "B"), ("Q", "Kᵀ", "V")])
def test_a_turned_matrix_is_taken_for_none_by_its_order(names):
    with pytest.raises(AmbiguousTable) as several:
        read_table("\n".join(f"{name} =\n[[1, 2], [3, 4]]" for name in names))
    assert several.value.together() == {}


@each(
    ("text", "rows", "said"),
    [
        ("1,5\n2,25\n3,75", [[1, 5], [2, 25], [3, 75]], "1,5 as 1 | 5"),
        ("1.234,5\n2,6", [[1.234, 5], [2, 6]], "1.234,5 as 1.234 | 5"),
        ("1,234,567\n2,345,678", [[1, 234, 567], [2, 345, 678]], "1,234,567 as 1 | 234 | 567"),
        ("1,5, 2,5\n3,5, 4,5", [[1, 5, 2, 5], [3, 5, 4, 5]], "1,5, 2,5 as 1 | 5 | 2 | 5"),
        ("1.5,5\n2,2", [[1.5, 5], [2, 2]], ""),
        ("1,2,3\n4,5,6", [[1, 2, 3], [4, 5, 6]], ""),
    ],
)
def test_commas_that_may_belong_to_numbers_are_said_to_lie_between_them(text, rows, said):
    found = read_table(text)
    assert found.values.tolist() == rows
    assert found.notes == ((f"Commas were read as lying between numbers: {said}.",) if said else ())


@each("text", ["Q：1,2;3,5", "查询：1，2；3，5", "查询： 1 2; 3 5", "权重＝1，2；3，5", "注意力权重：1 2\n3 5"])
def test_a_chinese_label_needs_no_blank_behind_its_colon(text):
    try:
        found = [read_table(text)]
    except AmbiguousTable as several:
        found = [reading.matrix for reading in several.readings]
    assert [[1, 2], [3, 5]] in [matrix.values.tolist() for matrix in found]
    assert all(matrix.row_labels is None for matrix in found)


@each(
    ("text", "said"),
    [
        ("\t1.5\t2\n\t3\t5", "The first column is empty and was left out."),
        ("true\t0.5\nfalse\t0.5", "Among numbers “true” was read as 1."),
        ("0,3, 0,5;\n0,7, 0,2;", "Commas were read as lying between numbers: 0,3, 0,5 as 0 | 3 | 0 | 5."),
        ('"1,5"\n"0,25"', "Commas were read as decimal points: 1,5 as 1.5."),
    ],
)
def test_one_note_says_how_it_was_read(text, said):
    assert read_table(text).notes == (said,)


def test_a_shape_that_is_not_that_of_the_list_is_said():
    with pytest.raises(FormatError, match="the shape 2 × 2 of a list that has the shape 4"):
        read_table("tf.constant([1, 2, 3, 4], shape=[2, 2])")


# --- several -------------------------------------------------------------------------------------
@each(
    ("text", "names", "shapes"),
    [
        ("q=[[1,2],[3,4]];k=[[5,6],[7,8]];v=[[1,2],[3,4]]", ["q", "k", "v"], [(2, 2)] * 3),
        ("W = [[1, 2], [3, 4]]\nb = [0.5, 0.5]", ["W", "b"], [(2, 2), (1, 2)]),
        ("Q\n1 2\n3 4\n\nK\n5 6\n7 8", ["Q", "K"], [(2, 2), (2, 2)]),
        ("1 2\n3 4\n\n5 6\n7 8", ["", "", ""], [(4, 2), (2, 2), (2, 2)]),
        ("| a |\n|---|\n| 1 |\n\nK:\n\n| a |\n|---|\n| 2 |", ["", "K"], [(1, 1), (1, 1)]),
        ("[[[1, 2]], [[3, 4]]]", ["[0]", "[1]"], [(1, 2), (1, 2)]),
        (
            r"Q=\begin{bmatrix}1&2\end{bmatrix}\quad W^K &=\begin{bmatrix}3&4\end{bmatrix},",
            ["Q", "W^K"],
            [(1, 2), (1, 2)],
        ),
        (
            r"\begin{align}Q&=\begin{bmatrix}1&2\end{bmatrix}\\ K&=\begin{bmatrix}3&4\end{bmatrix}\\[4pt]"
            r"V&=\begin{bmatrix}5&6\end{bmatrix}\end{align}",
            ["Q", "K", "V"],
            [(1, 2)] * 3,
        ),
    ],
)
def test_several_matrices_are_asked_about_by_their_names(text, names, shapes):
    with pytest.raises(AmbiguousTable) as several:
        read_table(text)
    assert several.value.several
    assert [reading.name for reading in several.value.readings] == names
    assert [reading.matrix.values.shape for reading in several.value.readings] == shapes
    assert f"holds {len(names)} matrices" in str(several.value)


def test_a_matrix_that_is_there_twice_is_one():
    text = ">>> q = torch.tensor([[1.5, 2.]])\n>>> q\ntensor([[1.5000, 2.0000]])"
    assert read_table(text).values.tolist() == [[1.5, 2]]


def test_a_title_above_rows_that_are_counted_is_asked_about():
    """Or it is the name of the column, and pandas or R has counted its rows."""
    for text, found in (("Q\n0 1\n1 0", [[[1], [0]], [[0, 1], [1, 0]]]), ("Q\n1 2", [[[2]], [[1, 2]]])):
        with pytest.raises(AmbiguousTable) as several:
            read_table(text)
        assert [reading.matrix.values.tolist() for reading in several.value.readings] == found
    assert read_table(",x\n0,1.5").values.tolist() == [[1.5]]  # a corner has no title


# --- wrapped -------------------------------------------------------------------------------------
NUMBERS = arrays.arrays(
    np.float64,
    st.tuples(st.integers(2, 4), st.integers(2, 4)),
    elements=st.integers(-4000, 4000).map(lambda number: number / 16),
)
PRINTS = {
    "a list": lambda rows: str(rows),
    "NumPy": lambda rows: str(np.array(rows)),
    "a repr": lambda rows: repr(np.array(rows)),
    "torch": lambda rows: f"tensor({rows}, grad_fn=<SoftmaxBackward0>)",
    "Paddle": lambda rows: (
        f"Tensor(shape=[{len(rows)}, {len(rows[0])}], dtype=float32, place=Place(cpu),\n       {rows})"
    ),
    "TensorFlow": lambda rows: f"<tf.Variable 'k:0' shape=({len(rows)}, {len(rows[0])}), numpy=\n{np.array(rows)!r}>",
    "MATLAB": lambda rows: "A = [" + "; ".join(" ".join(map(repr, row)) for row in rows) + "];",
    "C": lambda rows: f"float q[{len(rows)}][{len(rows[0])}] = " + str(rows).replace("[", "{").replace("]", "}") + ";",
    "blanks": lambda rows: "\n".join(" ".join(map(repr, row)) for row in rows),
    "tabs": lambda rows: "\n".join("\t".join(map(repr, row)) for row in rows),
}
AROUND = [
    ("", ""),
    ("Q:\n", ""),
    ("注意力权重：\n", ""),
    (">>> q\n", ""),
    ("In [3]: weights\n\nOut[3]:\n", ""),
    ("torch.Size([{0}, {1}])\n", ""),
    ("", "\n({0}, {1})"),
    ("The weights of head 3 are:\n", "\nas printed above."),
]
SIGNS = [str, lambda text: text.replace("-", "−"), lambda text: text.translate(str.maketrans("[],()", "［］，（）"))]


@given(NUMBERS, st.sampled_from(sorted(PRINTS)), st.sampled_from(AROUND), st.sampled_from(SIGNS))
def test_a_print_among_words_is_exact_or_refused(array, name, around, signs):
    """Words, prompts, shapes and other signs around and in a print never change a number of it."""
    text = PRINTS[name]((array + 0.0).tolist())
    before, after = (words.format(*array.shape) for words in around)
    found = read_table(before + (signs(text) if "shape=" not in text else text) + after)
    np.testing.assert_array_equal(found.values, array)


DOUBTFUL = [
    ("epoch 3, loss 0.25\n", ""),
    ("**Q** ", ""),
    ("Attention weights ", ""),
    ("", ". Each row adds up to 1."),
    ("图 1：权重矩阵\n", "\n其中 n=2。"),
    ("step 1: ", ""),
    ("", "  # queries"),
    ("", "\nName: q, dtype: float64"),
    ("<b>Q</b>: ", ""),
    ("> ", ""),
    ("Q | ", ""),
    ("tokens: ['a', 'b']\n", ""),
    ('{"a": ', "}"),
    ("dict(q=", ")"),
    ("f(", ")"),
    ("", " * 2"),
    ("", "%"),
    ("Layer 0\nHead 1\n", ""),
    ("0: ", ""),
    ("In [1]: q = 3\n\nIn [2]: q\nOut[2]: ", ""),
    ("", "\nx = 3"),
]


@given(NUMBERS, st.sampled_from(sorted(PRINTS)), st.sampled_from(DOUBTFUL))
def test_what_may_mean_more_is_exact_asked_about_or_refused(array, name, around):
    try:
        found = [read_table(around[0] + PRINTS[name]((array + 0.0).tolist()) + around[1]).values]
    except AmbiguousTable as several:
        found = [reading.matrix.values for reading in several.readings]
    except FormatError:
        return
    assert any(np.array_equal(values, array) for values in found)
