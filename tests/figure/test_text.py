"""Text in figures: numbers as they are shown, labels, tokens, dots for weights that round to 0."""

import xml.etree.ElementTree as ElementTree
from xml.sax.saxutils import escape

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from PySide6.QtGui import QFontMetricsF

from attn_gui import Problem, render
from attn_gui.figure.colors import CellNumbers, cell_decimals, cell_text, format_number
from attn_gui.figure.text.fonts import figure_font
from attn_gui.figure.text.number_formats import dot_text, level_texts, sentence_number
from attn_gui.figure.text.rich_text import SCRIPT, token_text, wrapped_runs
from attn_gui.formats.untrusted_bytes import LONGEST_LABEL, visible_text
from tests.failing import each


def metrics() -> QFontMetricsF:
    return QFontMetricsF(figure_font(10))


@each(
    ("value", "decimals", "text"),
    [
        (0.611, 2, "0.61"),
        (-0.001, 2, "0.00"),
        (-0.0, 1, "0.0"),
        (9.996, 2, "10.00"),
        (float("inf"), 2, "+∞"),
        (float("-inf"), 0, "−∞"),
        (float("nan"), 1, "NaN"),
        (1e20, 1, "1.0e20"),
        (-12345.678, 2, "−12345.68"),
    ],
)
def test_numbers_have_a_true_minus_and_no_negative_zero(value: float, decimals: int, text: str) -> None:
    assert format_number(value, decimals) == text


def test_a_power_is_not_parted_from_its_base_and_goes_to_the_next_line_with_it() -> None:
    """Exponents of a walk ran over the next panel, and out of the picture: only their e was measured."""
    said = "取指数：差变成比。" + "，".join(f"e<sup>−{power}.24632 ÷ 0.5</sup> = 0.10579" for power in range(4)) + "。"
    for room in range(200, 500, 10):
        for line in wrapped_runs(said, room, 16):
            fonts = [figure_font(16 * SCRIPT if run.script else 16, strong=run.strong) for run in line]
            assert room >= sum(
                QFontMetricsF(font).horizontalAdvance(run.text.rstrip()) for font, run in zip(fonts, line, strict=True)
            )
            assert not line[0].script
            assert line[0].text[0] not in "，。"


@each(
    ("value", "text"),
    [(0.61, "0.610000"), (-0.0012345678, "−0.001235"), (-5.38e-7, "−5.38000e−7"), (0.0, "0"), (-0.0, "0")],
)
def test_a_sentence_says_no_number_as_0_that_is_another(value: float, text: str) -> None:
    assert sentence_number(value) == text


@each(
    ("low", "high", "texts"),
    [
        (-6.66, 6.66, ["−6.66", "−3.33", "0", "3.33", "6.66"]),
        (-0.3, 0.9, ["−0.3", "0", "0.3", "0.6", "0.9"]),
        (0.9999, 1, ["0.9999", "0.999925", "0.99995", "0.999975", "1"]),
        (100, 100.1, ["100", "100.025", "100.05", "100.075", "100.1"]),
        (0, 4e7, ["0", "1.00e7", "2.00e7", "3.00e7", "4.00e7"]),
        (1e9, 1.00001e9, ["1.0000000e9", "1.0000025e9", "1.0000050e9", "1.0000075e9", "1.0000100e9"]),
    ],
)
def test_ticks_of_a_color_bar_are_told_apart(low: float, high: float, texts: list[str]) -> None:
    assert level_texts(low, high, [0.0, 0.25, 0.5, 0.75, 1.0]) == texts


@each(
    ("value", "numbers", "text"),
    [
        (0.004, CellNumbers(2, weights=True), "·"),
        (0.61, CellNumbers(2, weights=True), "0.61"),
        (0.61, CellNumbers(2, weights=True, bare=True), ".61"),
        (0.997, CellNumbers(2, weights=True, bare=True), "1.0"),
        (0.98, CellNumbers(1, weights=True, bare=True), "1."),
        (0.0, CellNumbers(2), "0"),
        (0.0001, CellNumbers(2), "0.00"),
        (float("nan"), CellNumbers(2, weights=True), "NaN"),
    ],
)
def test_weights_in_cells_drop_what_says_nothing(value: float, numbers: CellNumbers, text: str) -> None:
    assert cell_text(value, numbers) == text


@given(
    hnp.arrays(np.float64, (3, 5), elements=st.floats(-1e9, 1e9) | st.just(np.nan)), st.floats(4, 90), st.floats(18, 60)
)
def test_what_is_written_fits_its_cell(values: np.ndarray, width: float, height: float) -> None:
    numbers = cell_decimals(values, width, height, metrics(), weights=False)
    if numbers is not None:
        finite = values[np.isfinite(values)]
        assert all(metrics().horizontalAdvance(cell_text(v, numbers)) <= width - 2.5 for v in finite)


def test_as_many_decimals_as_fit() -> None:
    values = np.array([[0.123, -6.66]])
    found = [cell_decimals(values, width, 20, metrics(), weights=False) for width in (60, 28, 20, 10)]
    assert [numbers and numbers.decimals for numbers in found] == [2, 1, None, None]
    assert cell_decimals(np.array([[10.5, -14.0]]), 24, 20, metrics(), weights=False) is None, "not 10 or 11"
    assert cell_decimals(np.array([[10.0, -14.0]]), 24, 20, metrics(), weights=False) == CellNumbers(0)


def test_weights_drop_the_leading_zero_before_they_drop_a_decimal() -> None:
    values = np.array([[0.61, 0.02]])
    found = [cell_decimals(values, width, 20, metrics(), weights=True) for width in (30, 20, 15, 5)]
    assert [numbers and (numbers.decimals, numbers.bare) for numbers in found] == [
        (2, False),
        (2, True),
        (1, True),
        None,
    ]


def test_weights_that_are_all_small_are_written_out_and_not_as_dots() -> None:
    values = np.array([[0.0042, 0.00051, 0.00003]])
    numbers = cell_decimals(values, 44, 20, metrics(), weights=True)
    assert numbers is not None
    assert [cell_text(value, numbers) for value in values[0]] == ["0.0042", "0.0005", "·"]
    assert dot_text(numbers) == "· < 0.00005"
    beside = cell_decimals(np.append(values, 0.61), 44, 20, metrics(), weights=True)
    assert beside == CellNumbers(2, weights=True), "beside a larger one they are noise"


@each(
    ("token", "shown"),
    [
        ("animal", "animal"),
        ("Ġthe", "Ġthe"),
        ("a\u202eb", "a‹U+202E›b"),
        ("\u200f", "‹U+200F›"),
        ("\x00", "‹U+0000›"),
        ("a\nb\tc", "a‹U+000A›b‹U+0009›c"),
        (" ", "‹U+0020›"),
        ("\u200b", "‹U+200B›"),
        (" it", " it"),
        ("\ud800x", "‹U+D800›x"),
        ("👩\u200d👩", "👩\u200d👩"),
    ],
)
def test_nothing_in_a_label_is_invisible(token: str, shown: str) -> None:
    assert visible_text(token) == shown


@given(st.text(st.characters(), max_size=40))
def test_every_label_may_stand_in_xml(token: str) -> None:
    shown = visible_text(token)
    assert ElementTree.fromstring(f"<t>{escape(shown)}</t>").text == (shown or None)


def test_a_token_as_long_as_a_book_is_cut() -> None:
    assert len(visible_text("a" * 10**6)) == LONGEST_LABEL + 1
    assert visible_text("a" * 10**6).endswith("…")


# --- words of tokens ------------------------------------------------------------------------------


@each(
    ("token", "expected"),
    [
        (" Mary", "Mary"),
        ("Ġgave", "gave"),
        ("▁drink", "drink"),
        ("##ed", "##ed"),
        ("Ġ", "Ġ"),
        ("", ""),
        ("naĠve", "naĠve"),
    ],
)
def test_a_token_is_shown_as_its_word(token: str, expected: str) -> None:
    assert token_text(token) == expected


# --- dots for weights that round to 0 are explained at the color bar of the figure that holds them ---
SHARP, FLAT = (Problem(query=np.eye(3) * size, key=np.eye(3) * size, value=np.eye(3)) for size in (8.0, 0.5))


def texts(path):
    return ["".join(found.itertext()) for found in ElementTree.parse(path).iter() if found.tag.endswith("}text")]


def explained(tmp_path, problem, **how):
    render(problem, tmp_path / "figure.svg", **how)
    found = texts(tmp_path / "figure.svg")
    return "·" in found, [text for text in found if text.startswith("· <")]


@each("picture", ["map", "product"])
@each("width", [None, 24])
def test_a_dot_is_explained(tmp_path, picture, width):
    assert explained(tmp_path, SHARP, picture=picture, width=width) == (True, ["· < 0.005"])


@each(
    ("problem", "how"),
    [(FLAT, {}), (SHARP, {"values": False}), (SHARP, {"stage": "scores"}), (SHARP, {"stage": "head_output"})],
)
def test_where_no_dot_stands_none_is_explained(tmp_path, problem, how):
    assert explained(tmp_path, problem, **how) == (False, [])
