"""Page of what each head adds to the chosen query's output through W_O: norms, shares and columns."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from attn_gui.engine import Evaluation
from attn_gui.engine.analysis.sensitivity import Contributions, contributions
from attn_gui.engine.graph.stage import Role
from attn_gui.engine.progress import Tell
from attn_gui.figure.display import Levels
from attn_gui.figure.levels import auto_levels
from attn_gui.figure.maps.grounds import snapped
from attn_gui.figure.maps.map_figure import Axis, MapFigure, Panel
from attn_gui.figure.maps.map_parts import paint_bar, paint_panel
from attn_gui.figure.output.text import END, START, write_line, write_within
from attn_gui.figure.pages.aim import Aim
from attn_gui.figure.pages.frame import framed
from attn_gui.figure.pages.ink import Ink, metrics
from attn_gui.figure.pages.page_drawing import Cell, Drawing, Field, Spot
from attn_gui.figure.pages.page_kind import PageKind
from attn_gui.figure.text.labels import token_label
from attn_gui.figure.text.numbers import difference_text, format_number
from attn_gui.figure.tokens import FONT_SIZE, SIGNED_STOPS, SPACING
from attn_gui.formats.file_sentences import QT_TRANSLATE_NOOP
from attn_gui.formats.rows import stage_labels

ROW, LEAST_ROW, MOST_ROW = 20.0, 15.0, 40.0
LEAST_STRIP, LEAST_BARS = 70.0, 36.0
BAR = 9.0
"""Height of the color bar."""
SMALL = FONT_SIZE.small
SIGNS = -0.6, 0.6
"""Places on the signed map that bars take their colors from."""


@dataclass(frozen=True, eq=False)
class Parts:
    """The contributions of one query: the stage that they add up to, its number and token, and the numbers."""

    stage: str
    query: int
    token: str
    found: Contributions

    @property
    def strips(self) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
        """Heads, bias, sum and output by columns: (row of the page, column)."""
        found = self.found
        return np.concatenate([found.all_parts()[:, 0], found.total, found.output])


class HeadContributions(PageKind[Parts]):
    """Shows out_h = O_h · W_O[rows of h] and that all of them, with b_O, are the output."""

    name = "head_contributions"
    title = QT_TRANSLATE_NOOP("Pages", "Head contributions")
    roles = (Role.PROJECT,)
    words = "W_O output projection add up decomposition logit attribution share 输出投影 贡献 分解 相加"
    reads = frozenset({"batch", "stage", "cell"})

    def read(self, evaluation: Evaluation, aim: Aim, tell: Tell) -> Parts:
        query = aim.query(evaluation) or 0
        tokens = stage_labels(evaluation, evaluation.projection)[0]
        found = contributions(evaluation, aim.batch, slice(query, query + 1))
        tell(1.0)
        return Parts(evaluation.projection, query, tokens[query] if tokens else "", found)

    def plan(self, content: Parts, ink: Ink, width: float | None, height: float | None) -> Drawing:
        return _Layout(content, ink, width, height).drawing(ink.translate("Pages", self.title))


class _Layout:
    """Columns of names, norms, shares and strips; a row for each head, the bias, the sum and the output."""

    def __init__(self, parts: Parts, ink: Ink, width: float | None, height: float | None) -> None:
        self.parts, self.ink, self.found = parts, ink, parts.found
        self.strips = parts.strips
        self.levels = auto_levels(self.strips, signed=True, keys=0)
        self.names = self._names()
        self.norms = [*self.found.norms()[:, 0], *self.found.whole_norms()[:, 0]]
        with np.errstate(all="ignore"):  # ∞ beside −∞
            self.shares = [*self.found.shares()[:, 0], self.found.shares()[:, 0].sum()]
        micro = metrics("micro")
        self.label = max(metrics("small").horizontalAdvance(name) for name in self.names) + SPACING.m
        self.number = max(map(micro.horizontalAdvance, (self._norm(-1), *map(_percent, self.shares), "−100 %")))
        self.head = metrics("small").height() + SPACING.s
        self.foot = 2 * SPACING.m + BAR + micro.height() + SPACING.s
        count = len(self.names)
        fixed = self.label + 2 * self.number + 3 * SPACING.m
        self.frame = framed(
            ink,
            width,
            height,
            title=self._title(),
            note=self._note(),
            tall=lambda across: self.head + count * ROW + SPACING.m + self.foot,
            least=(fixed + LEAST_BARS + LEAST_STRIP, self.head + count * LEAST_ROW + SPACING.m + self.foot),
        )
        body = self.frame.body
        rest = body.width() - fixed
        self.bars = min(rest * 0.35, 160.0)
        self.row = min((body.height() - self.head - self.foot - SPACING.m) / count, MOST_ROW)
        self.norm_end = body.left() + self.label + self.number
        self.bar_left = self.norm_end + SPACING.m
        self.share_end = self.bar_left + self.bars + SPACING.s + self.number
        self.strip = QRectF(self.share_end + SPACING.m, 0, body.right() - self.share_end - SPACING.m, 0)

    def drawing(self, title: str) -> Drawing:
        """The page, with a place for every head and every column of it."""
        frame = self.frame
        return Drawing(frame.width, frame.height, title, f"{frame.title}. {self._note()}", self._paint, self._fields())

    # --- words -----------------------------------------------------------------------------------
    def _names(self) -> list[str]:
        words, count = self.ink.words, len(self.found.parts)
        names = [words.head.format(head) for head in range(count)] + (["b_O"] if self.found.bias is not None else [])
        return [*names, self.ink.translate("Pages", "sum"), "Y"]

    def _title(self) -> str:
        token = f" “{token_label(self.parts.token)}”" if self.parts.token else ""
        named = self.ink.translate("Pages", "Head contributions, query {query}").format(query=self.parts.query)
        return named + token

    def _note(self) -> str:
        template = self.ink.translate(
            "Pages",
            "The sum of the parts differs from the output Y by at most {difference}; its largest cell is {largest}.",
        )
        if self.found.difference == 0:
            return self.ink.translate("Pages", "The parts add up to the output Y, to the last bit.")
        largest = float(np.nanmax(np.abs(self.found.output), initial=0.0))
        return template.format(difference=difference_text(self.found.difference), largest=f"{largest:.3g}")

    def _norm(self, row: int) -> str:
        return format_number(self.norms[row], 3)

    def _said(self, row: int) -> str:
        """The words of a row."""
        text = f"{self.names[row]}: ‖·‖ = {self._norm(row)}"
        if row >= len(self.shares):
            return text
        share = self.ink.translate("Pages", "{percent} of Y").format(percent=_percent(self.shares[row]))
        return f"{text}, {share}"

    # --- places ----------------------------------------------------------------------------------
    def _top(self, row: int) -> float:
        """The upper end of a row; the sum and the output stand a little apart."""
        apart = SPACING.m if row >= len(self.names) - 2 else 0
        return self.frame.body.top() + self.head + row * self.row + apart

    def _strip_of(self, first: int, rows: int) -> QRectF:
        return QRectF(self.strip.left(), self._top(first), self.strip.width(), rows * self.row)

    def _groups(self) -> list[tuple[int, int]]:
        """(first row, number of rows) of the strips that touch: the parts, then the sum and the output."""
        count = len(self.names)
        return [(0, count - 2), (count - 2, 2)]

    def _fields(self) -> tuple[Field, ...]:
        left, columns = self.frame.body.left(), self.strips.shape[1]
        width, shown = self.share_end - left, min(columns, int(self.strip.width()))
        found = []
        for first, rows in self._groups():
            place = QRectF(left, self._top(first), width, rows * self.row)
            found.append(Field(place, partial(self._row_spot, first), rows))
            found.append(Field(self._strip_of(first, rows), partial(self._cell_spot, first, shown), rows, shown))
        return tuple(found)

    def _row_spot(self, first: int, row: int, _column: int) -> Spot:
        row += first
        return Spot(self._said(row), self._cell(row, 0))

    def _cell_spot(self, first: int, places: int, row: int, place: int) -> Spot:
        """The column of largest magnitude among those under a place."""
        row, columns = row + first, self.strips.shape[1]
        start, stop = place * columns // places, max((place + 1) * columns // places, place * columns // places + 1)
        column = start + int(np.argmax(np.abs(np.nan_to_num(self.strips[row, start:stop], nan=np.inf))))
        value = format_number(self.strips[row, column], 4)
        words = self.ink.words.axes["column"]
        return Spot(f"{self.names[row]}, {words} {column}: {value}", self._cell(row, column))

    def _cell(self, row: int, column: int) -> Cell | None:
        head = row if row < len(self.found.parts) else None
        return Cell(self.parts.stage, self.parts.query, column, head) if self.names[row] != "b_O" else None

    # --- painting --------------------------------------------------------------------------------
    def _paint(self, painter: QPainter) -> None:
        self.frame.paint(painter)
        self._paint_heads(painter)
        for row in range(len(self.names)):
            self._paint_row(painter, row)
        self._paint_strips(painter)

    def _paint_heads(self, painter: QPainter) -> None:
        """The names of the columns."""
        theme, small = self.ink.theme, metrics("small")
        base = self.frame.body.top() + small.ascent()
        share = self.ink.translate("Pages", "share of Y")
        strip = self.ink.words.axes["column"]
        if small.horizontalAdvance(whole := f"{strip} 0 … {self.strips.shape[1] - 1}") <= self.strip.width():
            strip = whole
        for text, at, anchor, room in (
            (self.ink.translate("Pages", "norm"), self.norm_end, END, self.number + SPACING.m),
            (share, self.share_end, END, self.share_end - self.bar_left),
            (strip, self.strip.left(), START, self.strip.width()),
        ):
            write_within(painter, QPointF(at, base), text, theme.text2, SMALL, room, anchor=anchor)

    def _paint_row(self, painter: QPainter, row: int) -> None:
        theme, small, micro = self.ink.theme, metrics("small"), metrics("micro")
        middle, last = self._top(row) + self.row / 2, row >= len(self.names) - 2
        at = QPointF(self.frame.body.left(), middle + small.capHeight() / 2)
        write_line(painter, at, self.names[row], theme.text, FONT_SIZE.small, strong=last)
        number = QPointF(self.norm_end, middle + micro.capHeight() / 2)
        write_line(painter, number, self._norm(row), theme.text2, FONT_SIZE.micro, anchor=END)
        if row < len(self.shares):
            self._paint_share(painter, self.shares[row], middle)
            at = QPointF(self.share_end, middle + micro.capHeight() / 2)
            write_line(painter, at, _percent(self.shares[row]), theme.text2, FONT_SIZE.micro, anchor=END)

    def _paint_share(self, painter: QPainter, share: float, middle: float) -> None:
        """A bar from zero, to the left for what points away from the output."""
        finite = [share for share in self.shares if np.isfinite(share)]
        low, high = min([0.0, *finite]), max([1.0, *finite])
        unit = self.bars / (high - low)
        zero, half = self.bar_left - low * unit, min(self.row * 0.3, 7.0)
        if np.isfinite(share):
            color = QColor(dict(SIGNED_STOPS[self.ink.theme_name])[SIGNS[int(share >= 0)]])
            bar = QRectF(zero, middle - half, share * unit, 2 * half).normalized()
            painter.fillRect(bar, color)
        painter.setPen(QPen(self.ink.theme.line_strong, 1.0, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap))
        painter.drawLine(QLineF(zero, middle - self.row / 2, zero, middle + self.row / 2))

    def _paint_strips(self, painter: QPainter) -> None:
        for first, rows in self._groups():
            figure = self._figure(self.strips[first : first + rows], self.levels)
            paint_panel(painter, snapped(painter, self._strip_of(first, rows)), figure, 0, None)
        bottom = self._top(len(self.names)) + 2 * SPACING.m
        bar = QRectF(self.bar_left, bottom, self.frame.body.right() - self.bar_left - 1, BAR)
        paint_bar(painter, self._figure(self.strips, self.levels), snapped(painter, bar))

    def _figure(self, values: np.ndarray[tuple[int, ...], np.dtype[np.float64]], levels: Levels) -> MapFigure:
        rows, columns = Axis("row", ()), Axis("column", ())
        return MapFigure((Panel(values),), rows, columns, levels, theme=self.ink.theme, words=self.ink.words)


def _percent(share: float) -> str:
    return f"{format_number(share * 100, 0)} %" if np.isfinite(share) else "–"
