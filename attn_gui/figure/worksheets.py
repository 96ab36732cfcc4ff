"""Pages of A4 of a worked solution: headings, typeset equations and matrices, one below the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor, QPainter, QPen

from attn_gui.engine.progress import Tell, silent
from attn_gui.figure.output.page import PX_PER_CM, Page
from attn_gui.figure.output.text import END, write_line
from attn_gui.figure.pages.ink import Ink
from attn_gui.figure.tokens import FONT_SIZE
from attn_gui.figure.typesetting import Formula, typeset
from attn_gui.figure.typesetting.lines import baselines_of, laid_out, line_heights
from attn_gui.lessons.solutions import Equation, Heading, Matrix, Part, Sentence

WIDTH, HEIGHT, MARGIN = 21 * PX_PER_CM, 29.7 * PX_PER_CM, 1.8 * PX_PER_CM
ROOM = WIDTH - 2 * MARGIN
FOOT = 24.0
GAP, HEADING_GAP = 10.0, 20.0
LINE = 22.0
EM, SMALLER = 15.0, 13.0
"""Pixels an em of equations and of matrices."""
COLUMN_GAP, BRACKET = 18.0, 5.0
KEPT = 90.0
"""Below a heading there is room for so much, or it goes to the next page."""


@dataclass(frozen=True)
class Slab:
    """Something of the full width, as high as it is; `before` is left free above it unless it begins a page."""

    height: float
    before: float
    paint: Callable[[QPainter, float], None]
    needs: float = 0.0


def solution_pages(parts: Sequence[Part], ink: Ink, tell: Tell = silent) -> list[Page]:
    """The pages of a solution. `tell` is told the share that is laid out; what it raises ends the work."""
    slabs: list[Slab] = []
    for place, part in enumerate(parts):
        slabs += _slabs(part, ink)
        tell(place / len(parts))
    pages: list[list[tuple[float, Slab]]] = [[]]
    y = MARGIN
    for slab in slabs:
        before = slab.before if pages[-1] else 0.0
        if pages[-1] and y + before + slab.height + slab.needs > HEIGHT - MARGIN - FOOT:
            pages.append([])
            y, before = MARGIN, 0.0
        pages[-1].append((y + before, slab))
        y += before + slab.height
    title = next((part.text for part in parts if isinstance(part, Heading)), "")
    return [_page(own, number, len(pages), title, ink) for number, own in enumerate(pages, 1)]


def _page(slabs: list[tuple[float, Slab]], number: int, count: int, title: str, ink: Ink) -> Page:
    def paint(painter: QPainter) -> None:
        for top, slab in slabs:
            slab.paint(painter, top)
        foot = QPointF(WIDTH - MARGIN, HEIGHT - MARGIN)
        write_line(painter, foot, f"{number} / {count}", ink.theme.text3, FONT_SIZE.body, anchor=END)

    return Page(WIDTH, HEIGHT, title, paint, ink.theme.surface)


def _slabs(part: Part, ink: Ink) -> Iterator[Slab]:
    if isinstance(part, Heading):
        size = FONT_SIZE.section if not part.first else FONT_SIZE.section * 1.4
        text = f"{part.text}  {part.letter}" if part.letter else part.text
        yield Slab(LINE, HEADING_GAP, partial(_write, text, size, ink.theme.text, True), KEPT)
    elif isinstance(part, Sentence):
        yield Slab(LINE, 0.0, partial(_write, part.text, FONT_SIZE.body, ink.theme.text2, False), LINE)
    elif isinstance(part, Equation):
        yield _equation(part, ink)
    else:
        yield _matrix(part, ink)


def _write(text: str, size: float, color: QColor, strong: bool, painter: QPainter, top: float) -> None:
    write_line(painter, QPointF(MARGIN, top + LINE * 0.72), text, color, size, strong=strong)


def _colors(ink: Ink) -> dict[str, QColor]:
    return {"text": ink.theme.text, "query": ink.theme.query, "key": ink.theme.key}


def _equation(part: Equation, ink: Ink) -> Slab:
    pieces = laid_out((part.chain, *part.parts), ROOM, EM)
    height = sum(up + down for up, down in line_heights(pieces))

    def paint(painter: QPainter, top: float) -> None:
        baselines = baselines_of(pieces)
        for piece in pieces:
            at = QPointF(MARGIN + piece.x, top + baselines[piece.line] - piece.formula.ascent * piece.size)
            piece.formula.paint(painter, at, piece.size, _colors(ink))

    return Slab(height, GAP, paint)


def _matrix(part: Matrix, ink: Ink) -> Slab:
    """The letter, and the numbers between brackets, each column flush right; smaller where they are too wide."""
    cells = [[typeset(text) for text in row] for row in part.rows]
    letter = typeset(f"{part.latex} = {{}}")
    widths = [max(row[column].width for row in cells) for column in range(len(cells[0]))]
    whole = (letter.width + sum(widths)) * SMALLER + COLUMN_GAP * (len(widths) + 1)
    scale = min(1.0, ROOM / whole)
    height = LINE * scale * len(cells)

    def paint(painter: QPainter, top: float) -> None:
        painter.save()
        painter.translate(MARGIN, top)
        painter.scale(scale, scale)
        _paint_matrix(painter, letter, cells, widths, ink)
        painter.restore()

    return Slab(height, GAP, paint)


def _paint_matrix(
    painter: QPainter, letter: Formula, cells: list[list[Formula]], widths: list[float], ink: Ink
) -> None:
    colors, height = _colors(ink), LINE * len(cells)
    axis = height / 2 + 0.25 * SMALLER
    letter.paint(painter, QPointF(0, axis - letter.ascent * SMALLER), SMALLER, colors)
    left = x = letter.width * SMALLER + COLUMN_GAP / 2
    for column, width in enumerate(widths):
        x += width * SMALLER + (COLUMN_GAP if column else COLUMN_GAP / 2)
        for row, line in enumerate(cells):
            own = line[column]
            baseline = LINE * (row + 0.7)
            own.paint(painter, QPointF(x - own.width * SMALLER, baseline - own.ascent * SMALLER), SMALLER, colors)
    right = x + COLUMN_GAP / 2
    painter.setPen(QPen(ink.theme.text, 1))
    for side, inner in ((left, left + BRACKET), (right, right - BRACKET)):
        painter.drawLine(QPointF(side, 0), QPointF(side, height))
        painter.drawLine(QPointF(side, 0), QPointF(inner, 0))
        painter.drawLine(QPointF(side, height), QPointF(inner, height))
