"""Tables of a document: cells as text, numbers as they are read and shown, the clipboard, tokens of a sentence."""

import math
from collections.abc import Iterator, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester

from attn_gui.document.clipboard import CopiedCells, numpy_array, tab_separated, with_headers
from attn_gui.document.matrix_model import MatrixModel
from attn_gui.document.sentence_tokens import places_before, split_tokens
from attn_gui.document.typed_numbers import NumberError, parse_number, shortest, shown
from attn_gui.formats.text.text_table import read_table
from tests.failing import each

Role = Qt.ItemDataRole
ROWS, COLUMNS = Qt.Orientation.Vertical, Qt.Orientation.Horizontal


@pytest.fixture
def table(qapp: Any) -> Iterator[SimpleNamespace]:
    """A model over `array`, watched by Qt's own tester, which ends the run at the first fault."""
    model = MatrixModel()
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    made = SimpleNamespace(model=model, array=np.arange(15.0).reshape(3, 5) / 7, tester=tester, said=[], resets=0)
    model.typed.connect(lambda *what: made.said.append(("typed", *what)))
    model.refused.connect(lambda *what: made.said.append(("refused", *what)))
    model.renamed.connect(lambda *what: made.said.append(("renamed", *what)))
    model.dataChanged.connect(
        lambda a, b: made.said.append(("changed", a.row(), b.row() + 1, a.column(), b.column() + 1))
    )
    model.modelReset.connect(lambda: setattr(made, "resets", made.resets + 1))
    model.set_matrix(lambda: made.array)
    made.said.clear()
    return made


def text(model: MatrixModel, row: int, column: int, role: int = Role.DisplayRole) -> Any:
    return model.data(model.index(row, column), role)


def test_a_cell_is_shown_rounded_and_edited_exactly(table: SimpleNamespace) -> None:
    table.array[0, :4] = [-1 / 3, np.nan, -np.inf, -0.0]
    assert [text(table.model, 0, k) for k in range(4)] == ["−0.333", "NaN", "−∞", "0.000"]
    assert [text(table.model, 0, k, Role.EditRole) for k in range(4)] == ["-0.3333333333333333", "nan", "-inf", "-0"]
    assert text(table.model, 1, 0, MatrixModel.ValueRole) == 5 / 7
    assert table.model.cell(1, 0) == ("0.714", 5 / 7)
    assert Qt.AlignmentFlag(text(table.model, 0, 0, Role.TextAlignmentRole)) & Qt.AlignmentFlag.AlignRight
    table.model.set_decimals(1)
    assert text(table.model, 1, 0) == "0.7"
    assert table.said == [("changed", 0, 3, 0, 5)]


def test_an_unchanged_number_is_no_wish(table: SimpleNamespace) -> None:
    table.array[0, :3] = [0.5, np.frombuffer(b"\x01\0\0\0\0\0\xf8\x7f")[0], 0.0]
    for column, words in enumerate(["5e-1", "nan", "0"]):
        assert table.model.setData(table.model.index(0, column), words)
    assert table.said == []
    assert table.model.setData(table.model.index(0, 2), "-0")
    assert table.said == [("typed", 0, 2, 0.0)]


def test_a_single_precision_table_keeps_to_its_numbers(table: SimpleNamespace) -> None:
    table.array = np.full((3, 5), 0.1, np.float32)
    assert text(table.model, 0, 0, Role.EditRole) == "0.1"
    assert table.model.setData(table.model.index(0, 0), "0.10000000001")
    assert not table.model.setData(table.model.index(0, 0), "1e39")
    assert table.said[0][:3] == ("refused", 0, 0)


def test_one_signal_for_a_rectangle_cut_to_the_table(table: SimpleNamespace) -> None:
    table.array[1:3, 2:4] = 7
    table.model.cells_changed(slice(1, 3), slice(2, 4))
    table.model.cells_changed(slice(2, 99), slice(0, 99))
    table.model.cells_changed(slice(3, 9), slice(0, 1))
    assert table.said == [("changed", 1, 3, 2, 4), ("changed", 2, 3, 0, 5)]
    assert text(table.model, 2, 3) == "7.000"


def test_it_resets_only_when_the_shape_changes(table: SimpleNamespace) -> None:
    resets = table.resets
    table.array = np.ones((3, 5))
    table.model.set_matrix(lambda: table.array)
    assert table.resets == resets
    assert table.said == [("changed", 0, 3, 0, 5)]
    table.array = np.ones((11, 2))
    assert text(table.model, 0, 0) == ""  # the views have not been told about the new shape yet
    assert text(table.model, 2, 4) == ""
    table.model.set_matrix(lambda: table.array)
    assert table.resets == resets + 1
    assert (table.model.rowCount(), table.model.columnCount()) == (11, 2)
    table.model.set_matrix(lambda: None)
    assert (table.model.rowCount(), table.model.columnCount()) == (0, 0)
    assert table.model.cell(0, 0)[0] == ""


def test_a_mask_is_shown_by_ticks_and_takes_one_or_zero(table: SimpleNamespace) -> None:
    table.array = np.array([[True, False]])
    table.model.set_matrix(lambda: table.array)
    table.said.clear()
    assert [text(table.model, 0, k) for k in (0, 1)] == ["✓", ""]
    assert [text(table.model, 0, k, Role.EditRole) for k in (0, 1)] == ["1", "0"]
    assert [text(table.model, 0, k, Role.AccessibleTextRole) for k in (0, 1)] == ["1", "0"]
    for words in ("0.5", "maybe", "", "nan"):
        assert not table.model.setData(table.model.index(0, 0), words)
    assert [what[0] for what in table.said] == ["refused"] * 4
    for words in ("True", "1.0", "✓"):
        assert table.model.setData(table.model.index(0, 1), words)
    assert table.said[4:] == [("typed", 0, 1, 1.0)] * 3


def test_headers_show_tokens_and_whole_matrix_numbers(table: SimpleNamespace) -> None:
    table.model.set_matrix(lambda: table.array, row_labels=("it", "a\nb"), renamable=True)
    model = table.model
    assert [model.headerData(k, ROWS) for k in range(3)] == ["it", "a␣b", "2"]
    assert [model.headerData(k, COLUMNS) for k in range(5)] == ["0", "1", "2", "3", "4"]
    assert model.headerData(1, ROWS, Role.EditRole) == "a\nb"
    assert model.headerData(9, ROWS) is None
    table.said.clear()
    assert model.setHeaderData(0, ROWS, "it")
    assert model.setHeaderData(2, ROWS, "animal")
    assert not model.setHeaderData(2, COLUMNS, "animal")
    assert table.said == [("renamed", 2, "animal")]
    model.set_matrix(lambda: table.array)
    assert not model.setHeaderData(2, ROWS, "animal")


@pytest.mark.parametrize("inverted", [False, True])
@pytest.mark.parametrize("numbers", [[[0.5, -1e-9], [np.nan, 2e6]], [[True, False], [False, True]], [-0.0, np.inf]])
def test_a_block_has_the_texts_of_its_cells(qapp: Any, numbers: Any, inverted: bool) -> None:
    model, array = MatrixModel(), np.array(numbers)
    model.inverted, model.covered = inverted, True
    model.set_matrix(lambda: array)
    rows, columns = model.rowCount(), model.columnCount()
    cells = [[text(model, row, column) for row in range(rows)] for column in range(columns)]
    assert model.texts(slice(0, rows + 5), slice(0, columns)) == cells


def test_a_number_that_is_left_out_is_said_as_it_is_shown(qapp: Any) -> None:
    model, array = MatrixModel(), np.array([[np.nan, 2.5]])
    model.covered = True
    model.set_matrix(lambda: array)
    assert [text(model, 0, column, Role.AccessibleTextRole) for column in range(2)] == ["?", "2.5"]
    model.covered = False
    assert text(model, 0, 0, Role.AccessibleTextRole) == "nan"


@each(
    ("text", "value"),
    [
        ("1.5", 1.5), ("  2 ", 2), ("+3", 3), (".5", 0.5), ("5.", 5), ("1e-3", 0.001), ("1E+2", 100), ("-0", -0.0),
        ("1/3", 1 / 3), ("-2/5", -0.4), ("1 / 4", 0.25), ("0.5/2", 0.25), ("-0/7", -0.0), ("inf", math.inf),
        ("-Inf", -math.inf), ("∞", math.inf), ("−∞", -math.inf), ("+infinity", math.inf), ("１．５", 1.5), ("－２", -2),
        ("−0.5", -0.5), ("１ｅ−３", 0.001), ("\u200b12\ufeff", 12), ("0.1\u00a0", 0.1),
    ],
)  # fmt: skip
def test_a_number_is_read_as_it_is_written(text: str, value: float) -> None:
    assert np.float64(parse_number(text)).tobytes() == np.float64(value).tobytes()


@each(
    "text",
    [
        "1_0", "0x10", "1.2e", "e5", "--1", "--inf", "5f", "1j", "1 000", "abc", "1.2.3", "none", "True", "١", "१", "½",
        "1½", "10²", "①", "Ⅳ", "#", "9" * 401, "１" * 401,
    ],
)  # fmt: skip
def test_what_is_no_number_is_refused_and_quoted(text: str) -> None:
    with pytest.raises(NumberError, match=r"^“.*” is not a number\.$") as refusal:
        parse_number(text)
    assert refusal.value.values["text"][:10] == text[:10]
    assert len(str(refusal.value)) < 60


@each("text", ["1,500", "1，500", "1.234,5", "1،5", "1、5", "1。5"])
def test_a_comma_is_refused_with_the_remedy(text: str) -> None:
    with pytest.raises(NumberError, match="use a point"):
        parse_number(text)


@each(("text", "dtype"), [("1e999", "f8"), ("-1e309", "f8"), ("1e39", "f4"), ("9" * 350 + "/1", "f8")])
def test_a_finite_number_never_becomes_infinite(text: str, dtype: str) -> None:
    with pytest.raises(NumberError, match="too large for float"):
        parse_number(text, dtype)


def test_a_refusal_stays_on_one_line_whatever_was_typed() -> None:
    with pytest.raises(NumberError) as refusal:
        parse_number("a\nb\t\u202ec\x00")
    assert str(refusal.value) == "“a b c” is not a number."
    assert refusal.value.sentence() == str(refusal.value)


@given(st.floats(width=64))
def test_the_shortest_text_gives_the_same_double(value: float) -> None:
    text = shortest(value)
    assert text.isascii()
    assert len(text) <= len(repr(value))
    assert np.array_equal(parse_number(text), value, equal_nan=True)
    assert math.copysign(1, parse_number(text)) == math.copysign(1, value) or math.isnan(value)


@given(st.floats(width=32))
def test_the_shortest_text_gives_the_same_single(value: float) -> None:
    single = np.float32(value)
    again = np.float64(parse_number(shortest(single, "f4"), "f4")).astype(np.float32)
    assert np.array_equal(again, single, equal_nan=True)
    misses = np.float64(str(single)).astype(np.float32) != single  # rounded twice, the shortest text gives a neighbor
    assert len(shortest(single, "f4")) <= (24 if misses else 15)  # a sign, nine digits, a point, e-38


@each(("value", "text"), [(0.1, "0.1"), (1.0, "1"), (-0.0, "-0"), (1e-7, "1e-7"), (1e22, "1e22"), (-2.5, "-2.5")])
def test_the_shortest_text_has_nothing_to_spare(value: float, text: str) -> None:
    assert shortest(value) == text
    assert shortest(np.float32(value), "f4") == text


@each(
    ("value", "text"),
    [
        (0.6110, "0.611"), (-1.5, "−1.500"), (-0.0, "0.000"), (-0.0001, "−1.0e−4"), (0.0004, "4.0e−4"),
        (-0.0006, "−0.001"), (math.nan, "NaN"), (math.inf, "∞"), (-math.inf, "−∞"), (999999, "999999.000"),
        (1.5e6, "1.500e6"), (-2e300, "−2.000e300"),
    ],
)  # fmt: skip
def test_a_table_shows_numbers_at_one_width_with_a_true_minus(value: float, text: str) -> None:
    assert shown(value, 3) == text


@each(
    ("text", "value"),
    [
        ("=1/3", 1 / 3), ("= 2*3", 6), ("=-0.5", -0.5), ("50%", 0.5), ("=12.5 %", 0.125), ("sqrt(2)", math.sqrt(2)),
        ("√3", math.sqrt(3)), ("1/sqrt(64)", 0.125), ("2^3", 8), ("2^-1", 0.5), ("-2^2", -4), ("2^3^2", 512),
        ("pi", math.pi), ("π/2", math.pi / 2), ("e^2", math.pow(math.e, 2)), ("=(1+2)×3", 9), ("１＋２", 3),
        ("1/sqrt(3)*2", 2 / math.sqrt(3)), ("1,5", 1.5), ("−0,125", -0.125), ("3,1416", 3.1416),
    ],
)  # fmt: skip
def test_a_calculation_and_a_decimal_comma_are_numbers(text: str, value: float) -> None:
    assert parse_number(text) == pytest.approx(value, rel=1e-15)


@each(
    "text",
    [
        "=", "1/0", "=1/0", "0/0", "sqrt(-1)", "sqrt", "sqrt(2", "2^3^", "9**9**9", "9^9^9^9", "abs(2)", "e.real",
        "1,234", "1,5,2", "1 2", "2(3)", "__import__('os')", "[1]", "1 if 1 else 2", "1j", "True", "1==1", "(" * 300,
        "1//2", "5%3", "1" * 398 + "x",
    ],
)  # fmt: skip
def test_no_other_text_is_calculated(text: str) -> None:
    with pytest.raises(NumberError):
        parse_number(text)


# --- cells as text --------------------------------------------------------------------------------


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
@example(["A", "$ A"], 0)  # no prompt of a shell
def test_headings_are_copied_and_left_out_again(tokens: list[str], first: int) -> None:
    array = np.arange(3.0 * len(tokens)).reshape(-1, 3) / 7
    text = with_headers(_block(array, tokens, [str(first + k) for k in range(3)]))
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


@each(
    ("sentence", "tokens"),
    [
        ("The animal didn't cross.", "The animal didn't cross ."),
        ("“It’s tired”, she said…", "“ It’s tired ” , she said …"),
        ("'quoted' a-b GPT-4 a_b", "' quoted ' a - b GPT - 4 a_b"),
        ("costs 3.14 or 1,000. Yes.", "costs 3.14 or 1,000 . Yes ."), ("思维机器", "思 维 机 器"),
        ("用GPT4模型，好！", "用 GPT4 模 型 ， 好 ！"), ("カタカナ と ㄅ", "カタカナ と ㄅ"),
        ("我 喜欢 吃 红 苹果 派", "我 喜欢 吃 红 苹果 派"), ("我 喜欢 GPT4模型，好！", "我 喜欢 GPT4 模型 ， 好 ！"),
        ("我喜欢 GPT4", "我 喜 欢 GPT4"), ("한국어 말", "한국어 말"),
        ("e\u0301te\u0301 naïve", "e\u0301te\u0301 naïve"), ("हिन्दी में", "हिन्दी में"), ("𠀀𠀁a", "𠀀 𠀁 a"),
        ("ok👍🏽🇨🇳🇩🇪❤️", "ok 👍🏽 🇨🇳 🇩🇪 ❤️"), ("👨\u200d👩\u200d👧 x", "👨\u200d👩\u200d👧 x"),
        ("a\u3000b\tc\nd\u200be", "a b c d e"), ("", ""),
    ],
)  # fmt: skip
def test_a_sentence_is_cut_where_a_reader_would(sentence: str, tokens: str) -> None:
    assert split_tokens(sentence) == tuple(tokens.split())


@given(st.lists(st.text().filter(lambda token: token.split() == [token])), st.sampled_from(["", " "]))
def test_known_tokens_between_blanks_stay_as_they_are(words: list[str], blank: str) -> None:
    tokens = tuple(blank + word for word in words)
    assert split_tokens(" ".join(words), set(tokens)) == tokens


@given(st.text())
def test_no_sign_is_lost_and_none_is_added(sentence: str) -> None:
    tokens = split_tokens(sentence)
    assert all(tokens)
    letters = [letter for letter in sentence if letter.isalnum()]
    assert [letter for letter in "".join(tokens) if letter.isalnum()] == letters


@each(
    ("before", "tokens", "places"),
    [
        ("a b c d", "a b c d", [0, 1, 2, 3]),
        ("a b c d", "a bc d", [0, 1, 3]),  # joined
        ("a bc d", "a b c d", [0, 1, -1, 2]),  # split
        ("a b c d", "b c d", [1, 2, 3]),
        ("a b", "x a b y", [-1, 0, 1, -1]),
        ("a b c", "u v w x", [0, 1, 2, -1]),
        ("a b c d", "u v", [0, 1]),
        ("the cat the dog", "the cat saw the dog", [0, 1, -1, 2, 3]),
        ("very very good", "very good", [0, 2]),
    ],
)
def test_tokens_that_stay_are_found_at_their_places(before: str, tokens: str, places: list[int]) -> None:
    assert places_before(tokens.split(), before.split()) == places
