"""A worksheet and its key as pages of A4: one painter, the key with the numbers in the places of the blanks."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter, QPen

from attn_gui.figure.output.page import PX_PER_CM, Page
from attn_gui.figure.output.text import END, MIDDLE, write_line
from attn_gui.figure.pages.ink import Ink, metrics
from attn_gui.figure.tokens import FONT_SIZE
from attn_gui.formats.file_sentences import QT_TRANSLATE_NOOP
from attn_gui.lessons.exercises import Worksheet

from .sheet_tables import Table, facts_of, tables_of

WIDTH, HEIGHT, MARGIN = 21 * PX_PER_CM, 29.7 * PX_PER_CM, 1.5 * PX_PER_CM
CELL, LINE, LABEL, GAP, TITLE = 44.0, 24.0, 18.0, 24.0, 18.0
TOP = 72.0  # of the tables, below the name, the task and the facts
BASELINE = 0.68  # of a line

SHEET = QT_TRANSLATE_NOOP("Worksheets", "Worksheet {number}")
KEY = QT_TRANSLATE_NOOP("Worksheets", "Answer key {number}")
NAME = QT_TRANSLATE_NOOP("Worksheets", "Name:")
TASK = QT_TRANSLATE_NOOP("Worksheets", "Fill in the empty cells, to two decimals. Rows and columns count from 0.")
FULL = QT_TRANSLATE_NOOP("Worksheets", "These matrices do not fit on a page; choose a smaller problem.")


def page_of_sheet(sheet: Worksheet, ink: Ink, *, solved: bool) -> Page:
    """A page to print; `solved` fills the blanks in. Raises ValueError where the tables do not fit on it."""
    places = _placed(list(tables_of(sheet, ink)), ink)
    title = ink.translate("Worksheets", KEY if solved else SHEET).format(number=sheet.number)
    facts = facts_of(sheet, ink)

    def paint(painter: QPainter) -> None:
        _paint_head(painter, ink, title, solved)
        write_line(painter, QPointF(MARGIN, MARGIN + 62), facts, ink.theme.text, FONT_SIZE.body)
        for corner, table in places:
            _paint_table(painter, ink, corner, table, solved)

    return Page(WIDTH, HEIGHT, title, paint, ink.theme.surface)


def _placed(tables: list[Table], ink: Ink) -> list[tuple[QPointF, Table]]:
    """The corner of every table: side by side while there is room, then in a new row."""
    found, x, y, high = [], MARGIN, MARGIN + TOP, 0.0
    for table in tables:
        named = metrics("body", strong=True).horizontalAdvance(table.title)
        wide, tall = LABEL + max(CELL * len(table.columns), named), TITLE + LABEL + LINE * len(table.rows)
        if x > MARGIN and x + wide > WIDTH - MARGIN:
            x, y, high = MARGIN, y + high + GAP, 0.0
        if x + wide > WIDTH - MARGIN + 1 or y + tall > HEIGHT - MARGIN:
            raise ValueError(ink.translate("Worksheets", FULL))
        found.append((QPointF(x, y), table))
        x, high = x + wide + GAP, max(high, tall)
    return found


def _paint_head(painter: QPainter, ink: Ink, title: str, solved: bool) -> None:
    theme, right = ink.theme, WIDTH - MARGIN
    write_line(painter, QPointF(MARGIN, MARGIN + 14), title, theme.text, FONT_SIZE.section, strong=True)
    if solved:
        return
    middle = WIDTH / 2
    write_line(painter, QPointF(middle, MARGIN + 14), ink.translate("Worksheets", NAME), theme.text2, FONT_SIZE.body)
    painter.setPen(QPen(theme.line_strong, 1))
    painter.drawLine(QPointF(middle + 48, MARGIN + 16), QPointF(right, MARGIN + 16))
    write_line(painter, QPointF(MARGIN, MARGIN + 46), ink.translate("Worksheets", TASK), theme.text2, FONT_SIZE.body)


def _paint_table(painter: QPainter, ink: Ink, corner: QPointF, table: Table, solved: bool) -> None:
    theme, size = ink.theme, FONT_SIZE.body
    left, top = corner.x() + LABEL, corner.y() + TITLE + LABEL
    write_line(painter, QPointF(left, corner.y() + 12), table.title, theme.text, size, strong=True)
    for column, name in enumerate(table.columns):
        at = QPointF(left + (column + 0.5) * CELL, top - 6)
        write_line(painter, at, name, theme.text3, FONT_SIZE.micro, anchor=MIDDLE)
    for row, cells in enumerate(table.cells):
        line = top + (row + BASELINE) * LINE
        write_line(painter, QPointF(left - 6, line), table.rows[row], theme.text3, FONT_SIZE.micro, anchor=END)
        for column, text in enumerate(cells):
            _paint_cell(painter, ink, QRectF(left + column * CELL, top + row * LINE, CELL, LINE),
                        text, (row, column) in table.left, solved)  # fmt: skip
    painter.setPen(QPen(theme.text, 1))
    for row, column in table.left:
        painter.drawRect(QRectF(left + column * CELL, top + row * LINE, CELL, LINE))


def _paint_cell(painter: QPainter, ink: Ink, place: QRectF, text: str, left: bool, solved: bool) -> None:
    """A given number on a light ground; one that is left out on white, in the key in the accent."""
    theme = ink.theme
    painter.fillRect(place, theme.surface if left else theme.raised)
    painter.setPen(QPen(theme.line, 1))
    painter.drawRect(place)
    if left and not solved:
        return
    at = QPointF(place.center().x(), place.top() + BASELINE * LINE)
    color = theme.accent if left else theme.text
    write_line(painter, at, text, color, FONT_SIZE.body, strong=left, anchor=MIDDLE)
