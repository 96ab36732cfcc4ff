"""Sentences in several lines: no line ends inside a size, whatever the width."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtGui import QTextLayout, QTextOption
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from attn_gui.views.text_views import SentenceView, WrappedLabel, runs, strong

SAID = "A block of 60 × 40 does not fit into W_Q (16 × 384 = 16 × 12 · 32) at row 12, so nothing was written."
SAID_ZH = "形状为 60 × 40 的数据块放不进 W_Q（16 × 384 = 16 × 12 · 32），从第 12 行起，所以什么也没有写入。"


def lines(layout: QTextLayout) -> Iterator[str]:
    for k in range(layout.lineCount()):
        line = layout.lineAt(k)
        yield layout.text()[line.textStart() : line.textStart() + line.textLength()].strip(" ")


def laid_out(label: QLabel, width: int) -> QTextLayout:
    """The text of a label as Qt breaks it at word boundaries."""
    layout = QTextLayout(QLabel.text(label), label.font())
    layout.setTextOption(QTextOption())
    layout.beginLayout()
    while (line := layout.createLine()).isValid():
        line.setLineWidth(width)
    layout.endLayout()
    return layout


@pytest.mark.parametrize("sentence", [SAID, SAID_ZH])
@pytest.mark.parametrize("kind", [WrappedLabel, SentenceView])
def test_no_line_ends_inside_a_size(qtbot: QtBot, sentence: str, kind: type[WrappedLabel] | type[SentenceView]) -> None:
    widget = kind()
    qtbot.addWidget(widget)
    if isinstance(widget, SentenceView):
        widget.set_sentence(runs("{said}", said=strong(sentence)))
    else:
        widget.setText(sentence)
    assert widget.text() == sentence
    several = 0
    for width in range(150, 700, 7):
        broken = list(lines(widget._lay_out(width)[0] if isinstance(widget, SentenceView) else laid_out(widget, width)))
        several += len(broken) > 1
        assert [line for line in broken if line.startswith(("×", "·")) or line.endswith(("×", "·"))] == []
    assert several > 50


def test_a_label_is_as_high_as_its_lines(qtbot: QtBot) -> None:
    label = WrappedLabel()
    qtbot.addWidget(label)
    label.setText(SAID)
    label.setFixedWidth(200)
    label.show()
    QApplication.processEvents()
    assert label.height() >= label.heightForWidth(200) > 2 * label.fontMetrics().lineSpacing()


@pytest.mark.parametrize("name", ["blocks.0.attn.hook_pattern", "worked-example-worksheets.pdf"])
def test_a_long_name_breaks_behind_its_parts(qtbot: QtBot, name: str) -> None:
    label = WrappedLabel()
    qtbot.addWidget(label)
    label.setText(f"Arrays not used: {name}.")
    layout = laid_out(label, label.fontMetrics().horizontalAdvance(name[:-2]))
    ends = [line.strip("\u200b") for line in lines(layout)][:-1]
    assert ends
    assert all(end.endswith((".", "-", "_", " used:")) for end in ends), ends


def test_a_list_of_endings_breaks_behind_each_of_them(qtbot: QtBot) -> None:
    label = WrappedLabel()
    qtbot.addWidget(label)
    label.setText("或将 .attn、.npz、.safetensors、.md、.tex、.csv 文件拖放到窗口")
    assert label.text() == "或将 .attn、.npz、.safetensors、.md、.tex、.csv 文件拖放到窗口"
    layout = laid_out(label, label.fontMetrics().horizontalAdvance(".safetensors、.m"))
    assert layout.lineCount() > 3
    assert all(layout.lineAt(row).naturalTextWidth() <= layout.lineAt(row).width() for row in range(layout.lineCount()))
    assert any(line.startswith(".safetensors") for line in lines(layout))
