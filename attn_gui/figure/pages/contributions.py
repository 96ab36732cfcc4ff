"""Pages “Head contributions”, “Value-weighted attention”, “All heads together”: bars, maps, a cell as a sum."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial
from operator import mul
from typing import TypeVar

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen

from attn_gui.engine import Evaluation, Plane, Problem, explain
from attn_gui.engine.analysis.sensitivity import Contributions, contributions
from attn_gui.engine.arrays import Progress, within
from attn_gui.engine.evaluation.proxies import with_derived
from attn_gui.engine.graph.expressions import Negative
from attn_gui.engine.graph.printed_digits import printed_operands
from attn_gui.engine.graph.stage import Role
from attn_gui.engine.graph.symbols_and_titles import symbol, title
from attn_gui.engine.stages import LargestOfHeads, MeanOfHeads, ValueWeighted
from attn_gui.figure.colors import Allowed, Values, auto_levels, largest_levels, sign_color
from attn_gui.figure.design_tokens import FONT_SIZE, LINE, SPACING
from attn_gui.figure.heatmap import MapFigure, MapPanel, pooled_map, snapped
from attn_gui.figure.heatmap_painting import fitting_numbers, paint_bar, paint_panel
from attn_gui.figure.pages.page_charts import MOST_LABEL, cells_figure, paint_chosen_cell, paint_row_tokens, token_of
from attn_gui.figure.pages.page_kind import (
    BESIDE,
    CellBlock,
    PageCell,
    PageContext,
    PageDrawing,
    PageKind,
    PageLayout,
    PageSpot,
    PageStyle,
    Sides,
    SpotGrid,
    body_width,
    metrics,
    span,
    with_frame,
)
from attn_gui.figure.text.number_formats import difference_text, format_number, significant
from attn_gui.figure.text.rich_text import elided, token_label, write_symbols
from attn_gui.figure.writers import END, START, write_line
from attn_gui.formats.array_rows import stage_labels
from attn_gui.languages import N_

# --- head contributions ---------------------------------------------------------------------------
ROW, LEAST_HEAD_ROW, MOST_ROW = 20.0, 15.0, 40.0
LEAST_STRIP, LEAST_BARS = 70.0, 36.0
BAR = 9.0
"""Height of a color bar."""
SMALL = FONT_SIZE.small


@dataclass(frozen=True, eq=False)
class ContributionParts:
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


class HeadContributionsLayout(PageLayout):
    """Columns of names, norms, shares and strips; a row for each head, the bias, the sum and the output."""

    def __init__(self, parts: ContributionParts, style: PageStyle, size: Sides) -> None:
        self.parts, self.style, self.found = parts, style, parts.found
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
        self.frame = with_frame(
            style,
            size,
            title=self._title(),
            note=self._note(),
            tall=lambda across: self.head + count * ROW + SPACING.m + self.foot,
            least=(fixed + LEAST_BARS + LEAST_STRIP, self.head + count * LEAST_HEAD_ROW + SPACING.m + self.foot),
        )
        body = self.frame.body
        rest = body.width() - fixed
        self.bars = min(rest * 0.35, 160.0)
        self.row = min((body.height() - self.head - self.foot - SPACING.m) / count, MOST_ROW)
        self.norm_end = body.left() + self.label + self.number
        self.bar_left = self.norm_end + SPACING.m
        self.share_end = self.bar_left + self.bars + SPACING.s + self.number
        self.strip = QRectF(self.share_end + SPACING.m, 0, body.right() - self.share_end - SPACING.m, 0)

    def said(self) -> str:
        return f"{self.frame.title}. {self._note()}"

    # --- words -----------------------------------------------------------------------------------
    def _names(self) -> list[str]:
        words, count = self.style.words, len(self.found.parts)
        names = [words.head.format(head) for head in range(count)] + (["b_O"] if self.found.bias is not None else [])
        return [*names, self.style.translate("Pages", "sum"), "Y"]

    def _title(self) -> str:
        token = f" “{token_label(self.parts.token)}”" if self.parts.token else ""
        named = self.style.translate("Pages", "Head contributions, query {query}").format(query=self.parts.query)
        return named + token

    def _note(self) -> str:
        template = self.style.translate(
            "Pages",
            "The sum of the parts differs from the output Y by at most {difference}; its largest cell is {largest}.",
        )
        if self.found.difference == 0:
            return self.style.translate("Pages", "The parts add up to the output Y, to the last bit.")
        largest = float(np.nanmax(np.abs(self.found.output), initial=0.0))
        return template.format(difference=difference_text(self.found.difference), largest=significant(largest, 3))

    def _norm(self, row: int) -> str:
        return format_number(self.norms[row], 3)

    def _said(self, row: int) -> str:
        """Return the words of a row."""
        text = f"{self.names[row]}: ‖·‖ = {self._norm(row)}"
        if row >= len(self.shares):
            return text
        share = self.style.translate("Pages", "{percent} of Y").format(percent=_percent(self.shares[row]))
        return f"{text}, {share}"

    # --- places ----------------------------------------------------------------------------------
    def _top(self, row: int) -> float:
        """Return the upper end of a row; the sum and the output stand a little apart."""
        apart = SPACING.m if row >= len(self.names) - 2 else 0
        return self.frame.body.top() + self.head + row * self.row + apart

    def _strip_of(self, first: int, rows: int) -> QRectF:
        return QRectF(self.strip.left(), self._top(first), self.strip.width(), rows * self.row)

    def _groups(self) -> list[tuple[int, int]]:
        """Return (first row, number of rows) of the strips that touch: the parts, then the sum and the output."""
        count = len(self.names)
        return [(0, count - 2), (count - 2, 2)]

    def fields(self) -> tuple[SpotGrid, ...]:
        """Return a place for every head and every column of it."""
        left, columns = self.frame.body.left(), self.strips.shape[1]
        width, shown = self.share_end - left, min(columns, int(self.strip.width()))
        found = []
        for first, rows in self._groups():
            place = QRectF(left, self._top(first), width, rows * self.row)
            found.append(SpotGrid(place, partial(self._row_spot, first), rows))
            found.append(SpotGrid(self._strip_of(first, rows), partial(self._cell_spot, first, shown), rows, shown))
        return tuple(found)

    def _row_spot(self, first: int, row: int, _column: int) -> PageSpot:
        row += first
        return PageSpot(self._said(row), self._cell(row, 0))

    def _cell_spot(self, first: int, places: int, row: int, place: int) -> PageSpot:
        """Return the column of largest magnitude among those under a place."""
        row, columns = row + first, self.strips.shape[1]
        start, stop = place * columns // places, max((place + 1) * columns // places, place * columns // places + 1)
        column = start + int(np.argmax(np.abs(np.nan_to_num(self.strips[row, start:stop], nan=np.inf))))
        value = format_number(self.strips[row, column], 4)
        words = self.style.words.axes["column"]
        return PageSpot(f"{self.names[row]}, {words} {column}: {value}", self._cell(row, column))

    def _cell(self, row: int, column: int) -> PageCell | None:
        head = row if row < len(self.found.parts) else None
        return PageCell(self.parts.stage, self.parts.query, column, head) if self.names[row] != "b_O" else None

    # --- painting --------------------------------------------------------------------------------
    def paint_body(self, painter: QPainter) -> None:
        self._paint_heads(painter)
        for row in range(len(self.names)):
            self._paint_row(painter, row)
        self._paint_strips(painter)

    def _paint_heads(self, painter: QPainter) -> None:
        """Paint the names of the columns."""
        theme, small = self.style.theme, metrics("small")
        base = self.frame.body.top() + small.ascent()
        share = self.style.translate("Pages", "share of Y")
        strip = self.style.words.axes["column"]
        if small.horizontalAdvance(whole := f"{strip} 0 … {self.strips.shape[1] - 1}") <= self.strip.width():
            strip = whole
        for text, at, anchor, room in (
            (self.style.translate("Pages", "norm"), self.norm_end, END, self.number + SPACING.m),
            (share, self.share_end, END, self.share_end - self.bar_left),
            (strip, self.strip.left(), START, self.strip.width()),
        ):
            write_symbols(painter, QPointF(at, base), text, theme.text2, SMALL, room, anchor=anchor)

    def _paint_row(self, painter: QPainter, row: int) -> None:
        theme, small, micro = self.style.theme, metrics("small"), metrics("micro")
        middle, last = self._top(row) + self.row / 2, row >= len(self.names) - 2
        at = QPointF(self.frame.body.left(), middle + small.capHeight() / 2)
        write_symbols(painter, at, self.names[row], theme.text, FONT_SIZE.small, strong=last)
        number = QPointF(self.norm_end, middle + micro.capHeight() / 2)
        write_line(painter, number, self._norm(row), theme.text2, FONT_SIZE.micro, anchor=END)
        if row < len(self.shares):
            self._paint_share(painter, self.shares[row], middle)
            at = QPointF(self.share_end, middle + micro.capHeight() / 2)
            write_line(painter, at, _percent(self.shares[row]), theme.text2, FONT_SIZE.micro, anchor=END)

    def _paint_share(self, painter: QPainter, share: float, middle: float) -> None:
        """Paint a bar from zero, to the left for what points away from the output."""
        finite = [share for share in self.shares if np.isfinite(share)]
        low, high = min([0.0, *finite]), max([1.0, *finite])
        unit = self.bars / (high - low)
        zero, half = self.bar_left - low * unit, min(self.row * 0.3, 7.0)
        if np.isfinite(share):
            bar = QRectF(zero, middle - half, share * unit, 2 * half).normalized()
            painter.fillRect(bar, sign_color(share, self.style.theme_name))
        painter.setPen(QPen(self.style.theme.line_strong, 1.0, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap))
        painter.drawLine(QLineF(zero, middle - self.row / 2, zero, middle + self.row / 2))

    def _paint_strips(self, painter: QPainter) -> None:
        for first, rows in self._groups():
            figure = cells_figure(self.style, self.strips[first : first + rows], None, self.levels, signed=True)
            paint_panel(painter, snapped(painter, self._strip_of(first, rows)), figure, 0, None)
        bottom = self._top(len(self.names)) + 2 * SPACING.m
        bar = QRectF(self.bar_left, bottom, self.frame.body.right() - self.bar_left - 1, BAR)
        paint_bar(painter, cells_figure(self.style, self.strips, None, self.levels, signed=True), snapped(painter, bar))


class HeadContributions(PageKind[ContributionParts]):
    """Shows out_h = O_h · W_O[rows of h] and that all of them, with b_O, are the output."""

    name = "head_contributions"
    title = N_("Pages", "Head contributions")
    layout = HeadContributionsLayout
    roles = (Role.PROJECT,)
    words = "W_O output projection add up decomposition logit attribution share 输出投影 贡献 分解 相加"
    reads = frozenset({"batch", "stage", "cell"})

    def read(self, evaluation: Evaluation, context: PageContext, progress: Progress) -> ContributionParts:
        query = context.query(evaluation) or 0
        tokens = stage_labels(evaluation, evaluation.projection)[0]
        found = contributions(evaluation, context.batch, slice(query, query + 1))
        progress(1.0)
        return ContributionParts(evaluation.projection, query, tokens[query] if tokens else "", found)


def _percent(share: float) -> str:
    return f"{format_number(share * 100, 0)} %" if np.isfinite(share) else "–"


# --- Two maps of the same cells side by side, the chosen cell written out below the title ---
QUICK = 1 << 16
"""Cells of a map that are read within a frame."""
SIDE = 256
"""Blocks of a map at most, by side."""
LEAST, LEAST_ROW = 110.0, 10.0
CELL, WIDEST = 24.0, 48.0
"""Height of the row of the heads' numbers, and the width of one of them at most."""

Picture = tuple[Values, Allowed | None]


@dataclass(frozen=True, eq=False, kw_only=True)
class TwoMaps:
    """Two maps in blocks, of a head or of all together; `weights` says which of them hold weights.

    `cell` is the chosen one, `stage` the map whose cell a click chooses; `each` the numbers of all heads there.
    """

    stage: str
    names: tuple[str, str]
    maps: tuple[Picture, Picture]
    weights: tuple[bool, bool]
    shape: tuple[int, int]
    tokens: tuple[tuple[str, ...] | None, tuple[str, ...] | None]
    head: int
    heads: int
    cell: tuple[int, int]
    each: tuple[float, ...] = ()
    said_of_each: str = ""

    @property
    def formula(self) -> str:
        """The chosen cell, written out."""
        raise NotImplementedError


def read_maps(
    evaluation: Evaluation, names: tuple[str, str], batch: int, head: int | None, progress: Progress
) -> tuple[Picture, Picture]:
    """Return two maps of an evaluation in blocks."""
    planes = (Plane(evaluation, name, batch, head) for name in names)
    first, second = (pooled_map(plane, SIDE, within(progress, number, 2)) for number, plane in enumerate(planes))
    return first, second


class TwoMapsLayout(PageLayout):
    """Two maps of one size, side by side or one below the other, each with its title and its color bar."""

    def __init__(self, title: str, shown: TwoMaps, style: PageStyle, size: Sides) -> None:
        self.shown, self.style, self.title = shown, style, title
        across = 2 if body_width(size) >= BESIDE else 1
        self.over = self._room_for(1, body_width(size) / across - MOST_LABEL - SPACING.l, 0.0)
        self._lay_out(size)
        if self.over and self.places[0].width() / shown.shape[1] < LEAST_ROW:  # the height made the maps smaller
            self.over = 0.0
            self._lay_out(size)

    def _lay_out(self, size: Sides) -> None:
        """Place both maps, with the room for the tokens of keys over each."""
        shown, style = self.shown, self.style
        words = 2 * (metrics("small").height() + SPACING.xs)
        self.above, self.below = words + self.over, SPACING.m + BAR + metrics("micro").height() + SPACING.l
        head = f" · {style.words.head.format(shown.head)}" if shown.heads > 1 and not shown.each else ""
        across, down = (2, 1) if body_width(size) >= BESIDE else (1, 2)
        heads_row = self._row_of_heads() if shown.each else 0.0
        self.frame = with_frame(
            style,
            size,
            title=self.title + head,
            note=shown.formula,
            tall=self._own_height,
            least=(2 * LEAST, down * (LEAST + words + self.below) + heads_row),
        )
        body = self.frame.body.adjusted(0, 0, 0, -heads_row)
        self.label = self._room_for(0, body.height() / down - self.above - self.below, SPACING.xl)
        pitch = body.width() / across, body.height() / down
        room = pitch[0] - self.label - SPACING.l, pitch[1] - self.above - self.below
        side = self._side(*room)
        count, low = len(shown.each), self.frame.body.bottom() - CELL
        self.heads = QRectF(self.frame.body.left(), low, min(count * WIDEST, self.frame.body.width()), CELL)
        self.places = [
            QRectF(
                body.left() + (number if across == 2 else 0) * pitch[0] + self.label,
                body.top() + (number if down == 2 else 0) * pitch[1] + self.above,
                *side,
            )
            for number in range(2)
        ]

    def said(self) -> str:
        return f"{self.frame.title}. {self.shown.formula}."

    def fields(self) -> tuple[SpotGrid, ...]:
        """Return both maps, where a click chooses the weight, and the numbers of the heads."""
        fields = []
        for number, place in enumerate(self.places):
            rows, columns = self.shown.maps[number][0].shape
            fields.append(SpotGrid(place, partial(self._spot, number), rows, columns))
        if count := len(self.shown.each):
            fields.append(SpotGrid(self.heads, self._head_spot, 1, count))
        return tuple(fields)

    # --- places ----------------------------------------------------------------------------------
    def _own_height(self, across: float) -> float:
        down, more = 1 if across >= BESIDE else 2, self._row_of_heads() if self.shown.each else 0.0
        label = MOST_LABEL if self.shown.tokens[0] else SPACING.xl
        tall = self._side(across * down / 2 - label - SPACING.l, across)[1]
        return down * (max(tall, LEAST) + self.above + self.below) + more

    def _side(self, width: float, height: float) -> tuple[float, float]:
        """Return the size of a map whose cells are squares, unless that would make it a line."""
        rows, columns = self.shown.shape
        ratio = min(max(rows / columns, 0.25), 4.0)
        width = min(width, height / ratio)
        return width, width * ratio

    def _room_for(self, axis: int, length: float, without: float) -> float:
        """Return the room for the tokens of an axis of this length, where its cells are large enough for them."""
        names = self.shown.tokens[axis]
        if not names or length / self.shown.shape[axis] < LEAST_ROW:
            return without
        widest = max(metrics("micro").horizontalAdvance(token_label(name)) for name in names)
        return min(widest, MOST_LABEL) + SPACING.m

    def _spot(self, number: int, row: int, column: int) -> PageSpot:
        """Return the cells of a block, and the largest number of them."""
        values = self.shown.maps[number][0]
        block = CellBlock.at((row, column), values.shape, self.shown.shape)
        sides = zip(self.shown.tokens, (block.rows, block.columns), strict=True)
        query, key = (span(token_of(tokens, side[0]), token_of(tokens, side[-1])) for tokens, side in sides)
        value = block.number_words(format_number(float(values[row, column]), 4), self.style)
        text = f"{symbol(self.shown.names[number])} {query} → {key} ({block.places}): {value}"
        return PageSpot(text, PageCell(self.shown.stage, *block.first, self.shown.head))

    def _row_of_heads(self) -> float:
        """Return the room that the row of the heads' numbers takes."""
        return CELL + metrics("small").height() + SPACING.l

    def _head_spot(self, _row: int, head: int) -> PageSpot:
        """Return the cell of one head, which a click chooses."""
        number = format_number(self.shown.each[head], 4)
        return PageSpot(
            f"{self.style.words.head.format(head)}: {number}", PageCell(self.shown.stage, *self.shown.cell, head)
        )

    # --- painting --------------------------------------------------------------------------------
    def paint_body(self, painter: QPainter) -> None:
        for number, place in enumerate(self.places):
            self._paint_map(painter, number, snapped(painter, place))
        if self.shown.each:
            self._paint_heads(painter, snapped(painter, self.heads))

    def _paint_heads(self, painter: QPainter, place: QRectF) -> None:
        """Paint the number of every head at the chosen cell, in the colors of the maps."""
        row = np.array([self.shown.each], np.float32)
        figure = replace(self._figure(1), panels=(MapPanel(row),))
        base = QPointF(place.left(), place.top() - SPACING.s)
        said, room = self.style.translate("Pages", self.shown.said_of_each), self.frame.body.width()
        write_symbols(painter, base, said, self.style.theme.text2, FONT_SIZE.small, room)
        paint_panel(painter, place, figure, 0, fitting_numbers(figure, place.width() / row.size, place.height()))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(self.style.theme.ink, LINE.row_and_column))
        step = place.width() / row.size
        painter.drawRect(QRectF(place.left() + self.shown.head * step, place.top(), step, place.height()))

    def _paint_map(self, painter: QPainter, number: int, place: QRectF) -> None:
        theme, small, shown = self.style.theme, metrics("small"), self.shown
        figure, name = self._figure(number), shown.names[number]
        words = f"{symbol(name)}  {title(name, self.style.lang)}"
        top = place.top() - SPACING.s - self.over
        base = top - small.height() - SPACING.xs
        at, room = QPointF(place.left(), base), place.width() + self.label
        write_symbols(painter, at, words, theme.text, FONT_SIZE.small, room, strong=True)
        key, query = f"{self.style.words.axes['key']} →", f"{self.style.words.axes['query']} ↓"
        both = small.horizontalAdvance(key) + SPACING.m + small.horizontalAdvance(query)
        at, end = (QPointF(x, top) for x in (place.left(), place.left() + max(place.width(), both)))
        write_line(painter, at, key, theme.key, FONT_SIZE.small)
        write_line(painter, end, query, theme.query, FONT_SIZE.small, anchor=END)
        rows, columns = figure.shape
        paint_panel(painter, place, figure, 0, fitting_numbers(figure, place.width() / columns, place.height() / rows))
        self._paint_tokens(painter, place)
        paint_chosen_cell(painter, place, shown.shape, shown.cell, self.style)
        paint_bar(painter, figure, QRectF(place.left(), place.bottom() + SPACING.m, place.width(), BAR))

    def _paint_tokens(self, painter: QPainter, place: QRectF) -> None:
        """Paint the tokens of the queries and, turned, of the keys, where cells are large enough for them."""
        (queries, keys), micro = self.shown.tokens, metrics("micro")
        pitch = place.width() / self.shown.shape[1]
        for column, name in enumerate(keys or () if self.over else ()):
            painter.save()
            x = place.left() + (column + 0.5) * pitch + micro.capHeight() / 2
            painter.translate(x, place.top() - SPACING.s)
            painter.rotate(-90)
            color = self.style.theme.key if column == self.shown.cell[1] else self.style.theme.text2
            write_line(painter, QPointF(0, 0), elided(token_label(name), MOST_LABEL, micro), color, FONT_SIZE.micro)
            painter.restore()
        if queries and self.label != SPACING.xl:
            paint_row_tokens(painter, place, queries, self.shown.cell[0], self.style.theme.query, self.style)

    def _figure(self, number: int) -> MapFigure:
        values, allowed = self.shown.maps[number]
        weights = self.shown.weights[number]
        levels = largest_levels(values, allowed, signed=False)
        if weights:
            levels = auto_levels(values, allowed, signed=False, keys=self.shown.shape[1])
        return cells_figure(self.style, values, allowed, levels, weights=weights)


T = TypeVar("T", bound=TwoMaps)


class TwoMapsPage(PageKind[T]):
    """A page of two maps of the same cells."""

    quick = QUICK

    def plan(self, content: T, style: PageStyle, size: Sides) -> PageDrawing:
        title = style.translate("Pages", self.title)
        return TwoMapsLayout(title, content, style, size).drawing(title)


# --- Page of value-weighted attention: beside each weight how far it moves the output, ‖a_ij · v_j W_O‖ ---
DIGITS = 4


def _written(number: float, more: int = 0) -> str:
    return significant(number, DIGITS + more)


def _places(number: float) -> int:
    """Return the decimals of a number in so many digits."""
    return DIGITS - 1 - math.floor(math.log10(abs(number))) if number and math.isfinite(number) else DIGITS


@dataclass(frozen=True, eq=False, kw_only=True)
class ValueWeightedMaps(TwoMaps):
    """Weights and what they move, of a head; the chosen cell with its formula.

    `numbers` are the factors of the chosen cell and its value: of a weight of 0 that holds back what is no number, 0
    alone. `negative` says that the weight is, by hand: its magnitude is the factor.
    """

    numbers: tuple[float, ...]
    negative: bool
    projected: bool

    @property
    def formula(self) -> str:
        """The chosen cell as the product that it is."""
        *factors, value = self.numbers
        texts = printed_operands(factors, mul, value, _places(value), _written) if factors else []
        length = "‖v W_O‖" if self.projected else "‖v‖"
        weight = "|a|" if self.negative else "a"
        sides = f"{weight} · {length}", *([" · ".join(texts)] if texts else []), _written(value)
        return f"{symbol(self.names[1])}[{self.cell[0]}, {self.cell[1]}] = {' = '.join(sides)}"


class ValueWeightedPage(TwoMapsPage[ValueWeightedMaps]):
    """Shows the weights of a head and, of the same cells, how far each of them moves the output."""

    name = ValueWeighted.name
    title = N_("Pages", "Value-weighted attention")
    roles = (Role.MIX,)
    words = "norm value contribution moves W_O 值加权 范数 贡献 移动"

    def read(self, evaluation: Evaluation, context: PageContext, progress: Progress) -> ValueWeightedMaps:
        names = evaluation.weights, ValueWeighted.name
        row, column = context.query(evaluation) or 0, context.key(evaluation) or 0
        seen, problem = with_derived(evaluation), evaluation.problem
        found = explain(seen, ValueWeighted.name, (context.batch, context.head, row, column))
        parts = found.expression.parts
        return ValueWeightedMaps(
            stage=names[0],
            names=names,
            maps=read_maps(seen, names, context.batch, context.head, progress),
            weights=(True, False),
            shape=(problem.n, problem.m),
            tokens=stage_labels(evaluation, names[0]),
            head=context.head,
            heads=problem.num_heads,
            cell=(row, column),
            numbers=(*(part.value for part in parts), found.value),
            negative=any(isinstance(part, Negative) for part in parts),
            projected=problem.w_output is not None,
        )


# --- Page of all heads together: the mean and the largest of their weights, and the number of each head ---
WRITTEN = 6
"""So many heads are written out in a sum, the others left out of the line."""


def _weight(number: float, more: int = 0) -> str:
    return format_number(number, DIGITS + more)


@dataclass(frozen=True, eq=False, kw_only=True)
class MapsOverHeads(TwoMaps):
    """Mean and largest of the heads' weights; the chosen cell of the mean as a sum."""

    mean: float

    @property
    def formula(self) -> str:
        """The chosen cell of the mean as the sum that it is."""
        terms = [_weight(number) for number in self.each[:WRITTEN]]
        if len(self.each) <= WRITTEN:
            terms = printed_operands(self.each, lambda *each: sum(each) / len(each), self.mean, DIGITS, _weight)
        total = " + ".join([*terms, *(["…"] if len(self.each) > WRITTEN else [])])
        place = f"{symbol(self.names[0])}[{self.cell[0]}, {self.cell[1]}]"
        return f"{place} = ({total}) / {len(self.each)} = {_weight(self.mean)}"


class OverHeadsPage(TwoMapsPage[MapsOverHeads]):
    """Shows the mean of the heads' weights and the largest of them, and at the chosen cell what each head has."""

    name = "over_heads"
    title = N_("Pages", "All heads together")
    words = "mean average maximum largest heads merge 平均 最大 合并 多头"
    needs = N_("Pages", "Needs several heads")

    def applies(self, problem: Problem) -> bool:
        return problem.num_heads > 1

    def read(self, evaluation: Evaluation, context: PageContext, progress: Progress) -> MapsOverHeads:
        names = MeanOfHeads.name, LargestOfHeads.name
        row, column = context.query(evaluation) or 0, context.key(evaluation) or 0
        seen, problem = with_derived(evaluation), evaluation.problem
        found = explain(seen, names[0], (context.batch, row, column))
        return MapsOverHeads(
            stage=evaluation.weights,
            names=names,
            maps=read_maps(seen, names, context.batch, None, progress),
            weights=(True, True),
            shape=(problem.n, problem.m),
            tokens=stage_labels(evaluation, evaluation.weights),
            head=context.head,
            heads=problem.num_heads,
            cell=(row, column),
            each=tuple(cell.value for term in found.terms for cell in term.cells),
            said_of_each=N_("Pages", "The weight in each head, from head 0 on"),
            mean=found.value,
        )
