"""A cell of a map in words, for screen readers: to them a painted map is a widget without parts."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QWidget

from attn_gui.figure.text.numbers import sentence_number
from attn_gui.pictures.planes import number_at
from attn_gui.views.map.marks import Area, Marks
from attn_gui.views.map.shown import Shown


def cell_in_words(shown: Shown, row: int, column: int, marks: Marks) -> str:
    """Its tokens where there are any, its place and its value: "it → tired (10, 13): 0.612"."""
    rows, columns, value = shown.row_names, shown.column_names, value_in_words(shown, row, column, marks)
    if row < len(rows) and column < len(columns):
        text = QCoreApplication.translate("Heatmap", "{row_name} → {column_name} ({row}, {column}): {value}")
        return text.format(row_name=rows[row], column_name=columns[column], row=row, column=column, value=value)
    if row < len(rows):
        text = QCoreApplication.translate("Heatmap", "{row_name} ({row}, {column}): {value}")
        return text.format(row_name=rows[row], row=row, column=column, value=value)
    text = QCoreApplication.translate("Heatmap", "({row}, {column}): {value}")
    return text.format(row=row, column=column, value=value)


def value_in_words(shown: Shown, row: int, column: int, marks: Marks) -> str:
    """Its value alone: a number, "not allowed" behind a mask, "?" where it is left out for an exercise."""
    assert shown.plane is not None, "only cells of a matrix have a value"
    if marks.covers((row, column)):
        return "?"
    number, opened = number_at(shown.plane, row, column)
    return sentence_number(number) if opened else QCoreApplication.translate("Heatmap", "not allowed")


def block_in_words(block: Area | None) -> str:
    """`3 × 4 cells chosen.`; nothing where none are."""
    if block is None:
        return ""
    down, right = block
    text = QCoreApplication.translate("Heatmap", "{rows} × {columns} cells chosen.")
    return text.format(rows=down.stop - down.start, columns=right.stop - right.start)


def describe(heatmap: QWidget, words: str) -> None:
    """Describe a map by its chosen cell; where the keyboard is, a screen reader says another one at once."""
    if words == heatmap.accessibleDescription():
        return
    heatmap.setAccessibleDescription(words)
    if words and heatmap.hasFocus():
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(heatmap, words))
