from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from xml.sax.saxutils import escape

from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtGui import QFontMetricsF, QGuiApplication

from attn_gui.figure.text.labels import label_step, wrapped
from attn_gui.formats.visible_text import LONGEST_LABEL, visible_text
from tests.failing import each


@each(
    ("token", "shown"),
    [
        ("animal", "animal"),
        ("查询", "查询"),
        ("<s>", "<s>"),
        ("", ""),
        ("Ġthe", "Ġthe"),
        ("a\u202eb", "a‹U+202E›b"),
        ("\u2066x\u2069", "‹U+2066›x‹U+2069›"),
        ("\u200f", "‹U+200F›"),
        ("\x00", "‹U+0000›"),
        ("a\nb\tc", "a‹U+000A›b‹U+0009›c"),
        ("\x0b", "‹U+000B›"),
        ("\x7f", "‹U+007F›"),
        (" ", "‹U+0020›"),
        ("\u3000", "‹U+3000›"),
        ("\u200b", "‹U+200B›"),
        (" it", " it"),
        ("\ud800x", "‹U+D800›x"),
        ("\uffff", "‹U+FFFF›"),
        ("a\u2028", "a‹U+2028›"),
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


@each(("size", "cell", "step"), [(11, 20, 1), (11, 11, 1), (11, 10, 2), (11, 3, 5), (11, 0.05, 500)])
def test_labels_are_thinned_to_a_round_step(size: float, cell: float, step: int) -> None:
    assert label_step(size, cell) == step


@each(
    "sentence",
    ["Of 2048 × 2048 cells one in 14 × 14 is drawn, 12 · 32 wide.", "共 2048 × 2048 个单元格，每 14 × 14 个绘出一个。"],
)
def test_no_line_of_a_figure_ends_inside_a_size(qapp: QGuiApplication, sentence: str) -> None:
    metrics = QFontMetricsF(qapp.font())
    for width in range(100, 400, 10):
        lines = wrapped(sentence, width, metrics)
        assert len(lines) > 1 or width > 200
        assert [line for line in lines if line.startswith(("×", "·")) or line.endswith(("×", "·"))] == []
