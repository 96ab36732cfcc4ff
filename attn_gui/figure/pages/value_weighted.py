"""Page of value-weighted attention: beside each weight how far it moves the output, ‖a_ij · v_j W_O‖."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen

from attn_gui.engine import Evaluation, Plane, explain
from attn_gui.engine.chain.symbols import symbol, title
from attn_gui.engine.evaluation.derived.derived_maps import with_derived
from attn_gui.engine.graph.expressions.expression import Negative
from attn_gui.engine.stages.derived import ValueWeighted
from attn_gui.engine.tell import Tell, within
from attn_gui.figure.display import Allowed, Values
from attn_gui.figure.levels import Shade, auto_levels, largest_levels
from attn_gui.figure.maps.grounds import snapped
from attn_gui.figure.maps.map_figure import Axis, MapFigure, Panel
from attn_gui.figure.maps.map_parts import fitting_numbers, paint_bar, paint_panel
from attn_gui.figure.output.text import END, write_line, write_within
from attn_gui.figure.pages.aim import Aim
from attn_gui.figure.pages.frame import framed
from attn_gui.figure.pages.ink import Ink, metrics
from attn_gui.figure.pages.map_grid import token_of
from attn_gui.figure.pages.page_drawing import Block, Cell, Drawing, Field, Spot, span
from attn_gui.figure.pages.page_kind import PageKind
from attn_gui.figure.reading import pooled_map
from attn_gui.figure.text.labels import elided, token_label
from attn_gui.figure.text.numbers import format_number
from attn_gui.figure.tokens import FONT_SIZE, LINE, SPACING
from attn_gui.formats.file_sentences import QT_TRANSLATE_NOOP
from attn_gui.formats.rows import stage_labels

QUICK = 1 << 16
"""Cells of a map that are read within a frame."""
SIDE = 256
"""Blocks of a map at most, by side."""
BESIDE = 430.0
"""From this width on the maps stand side by side."""
LEAST, MOST_LABEL, LEAST_ROW = 110.0, 64.0, 10.0
BAR = 9.0


@dataclass(frozen=True, eq=False)
class Weighted:
    """Weights and what they move, in blocks, of a head; the chosen cell with its formula.

    `numbers` are the factors of the chosen cell and its value: of a weight of 0 that holds back what is no number, 0
    alone. `negative` says that the weight is, by hand: its magnitude is the factor.
    """

    names: tuple[str, str]
    maps: tuple[tuple[Values, Allowed | None], tuple[Values, Allowed | None]]
    shape: tuple[int, int]
    tokens: tuple[tuple[str, ...] | None, tuple[str, ...] | None]
    head: int
    heads: int
    cell: tuple[int, int]
    numbers: tuple[float, ...]
    negative: bool
    projected: bool

    @property
    def formula(self) -> str:
        """The chosen cell as the product that it is."""
        *factors, value = (f"{number:.4g}".replace("-", "−") for number in self.numbers)
        length = "‖v W_O‖" if self.projected else "‖v‖"
        weight = "|a|" if self.negative else "a"
        sides = f"{weight} · {length}", *([" · ".join(factors)] if factors else []), value
        return f"{symbol(self.names[1])}[{self.cell[0]}, {self.cell[1]}] = {' = '.join(sides)}"


class ValueWeightedPage(PageKind[Weighted]):
    """Shows the weights of a head and, of the same cells, how far each of them moves the output."""

    name = ValueWeighted.name
    title = QT_TRANSLATE_NOOP("Pages", "Value-weighted attention")
    words = "norm value contribution moves W_O 值加权 范数 贡献 移动"

    def is_quick(self, aim: Aim) -> bool:
        return aim.problem.n * aim.problem.m <= QUICK

    def read(self, evaluation: Evaluation, aim: Aim, tell: Tell) -> Weighted:
        names = evaluation.weights, ValueWeighted.name
        row, column = aim.query(evaluation) or 0, aim.key(evaluation) or 0
        seen = with_derived(evaluation)
        planes = (Plane(seen, name, aim.batch, aim.head) for name in names)
        maps = tuple(pooled_map(plane, SIDE, within(tell, number, 2)) for number, plane in enumerate(planes))
        found = explain(seen, ValueWeighted.name, (aim.batch, aim.head, row, column))
        problem, parts = evaluation.problem, found.expression.parts
        return Weighted(
            names,
            (maps[0], maps[1]),
            (problem.n, problem.m),
            stage_labels(evaluation, names[0]),
            aim.head,
            problem.num_heads,
            (row, column),
            (*(part.value for part in parts), found.value),
            any(isinstance(part, Negative) for part in parts),
            problem.w_output is not None,
        )

    def plan(self, content: Weighted, ink: Ink, width: float | None, height: float | None) -> Drawing:
        return _Layout(content, ink, width, height).drawing(ink.translate("Pages", self.title))


class _Layout:
    """Two maps of one size, side by side or one below the other, each with its title and its color bar."""

    def __init__(self, shown: Weighted, ink: Ink, width: float | None, height: float | None) -> None:
        self.shown, self.ink = shown, ink
        small, micro = metrics("small"), metrics("micro")
        self.above = 2 * (small.height() + SPACING.xs)
        self.below = SPACING.m + BAR + micro.height() + SPACING.l
        head = f" · {ink.words.head.format(shown.head)}" if shown.heads > 1 else ""
        self.frame = framed(
            ink,
            width,
            height,
            title=ink.translate("Pages", ValueWeightedPage.title) + head,
            note=shown.formula,
            tall=self._own_height,
            least=(2 * LEAST, LEAST + self.above + self.below),
        )
        body = self.frame.body
        across, down = (2, 1) if body.width() >= BESIDE else (1, 2)
        self.label = self._label(body.height() / down - self.above - self.below)
        pitch = body.width() / across, body.height() / down
        room = pitch[0] - self.label - SPACING.l, pitch[1] - self.above - self.below
        side = self._side(*room)
        self.places = [
            QRectF(
                body.left() + (number if across == 2 else 0) * pitch[0] + self.label,
                body.top() + (number if down == 2 else 0) * pitch[1] + self.above,
                *side,
            )
            for number in range(2)
        ]

    def drawing(self, title: str) -> Drawing:
        """The page; a click chooses the weight."""
        frame, fields = self.frame, []
        for number, place in enumerate(self.places):
            rows, columns = self.shown.maps[number][0].shape
            fields.append(Field(place, partial(self._spot, number), rows, columns))
        said = f"{frame.title}. {self.shown.formula}."
        return Drawing(frame.width, frame.height, title, said, self._paint, tuple(fields))

    # --- places ----------------------------------------------------------------------------------
    def _own_height(self, across: float) -> float:
        down = 1 if across >= BESIDE else 2
        label = MOST_LABEL if self.shown.tokens[0] else SPACING.xl
        tall = self._side(across * down / 2 - label - SPACING.l, across)[1]
        return down * (max(tall, LEAST) + self.above + self.below)

    def _side(self, width: float, height: float) -> tuple[float, float]:
        """The size of a map whose cells are squares, unless that would make it a line."""
        rows, columns = self.shown.shape
        ratio = min(max(rows / columns, 0.25), 4.0)
        width = min(width, height / ratio)
        return width, width * ratio

    def _label(self, height: float) -> float:
        """The room for tokens, where rows are high enough for them."""
        names = self.shown.tokens[0]
        if not names or height / self.shown.shape[0] < LEAST_ROW:
            return SPACING.xl
        widest = max(metrics("micro").horizontalAdvance(token_label(name)) for name in names)
        return min(widest, MOST_LABEL) + SPACING.m

    def _spot(self, number: int, row: int, column: int) -> Spot:
        """The cells of a block, and the largest number of them."""
        values = self.shown.maps[number][0]
        block = Block.at((row, column), values.shape, self.shown.shape)
        sides = zip(self.shown.tokens, (block.rows, block.columns), strict=True)
        query, key = (span(token_of(tokens, side[0]), token_of(tokens, side[-1])) for tokens, side in sides)
        value = block.told(format_number(float(values[row, column]), 4), self.ink)
        text = f"{symbol(self.shown.names[number])} {query} → {key} ({block.places}): {value}"
        return Spot(text, Cell(self.shown.names[0], *block.first, self.shown.head))

    # --- painting --------------------------------------------------------------------------------
    def _paint(self, painter: QPainter) -> None:
        self.frame.paint(painter)
        for number, place in enumerate(self.places):
            self._paint_map(painter, number, snapped(painter, place))

    def _paint_map(self, painter: QPainter, number: int, place: QRectF) -> None:
        theme, small, shown = self.ink.theme, metrics("small"), self.shown
        figure, name = self._figure(number), shown.names[number]
        words = f"{symbol(name)}  {title(name, self.ink.lang)}"
        base = place.top() - SPACING.s - small.height() - SPACING.xs
        at, room = QPointF(place.left(), base), place.width() + self.label
        write_within(painter, at, words, theme.text, FONT_SIZE.small, room, strong=True)
        key = f"{self.ink.words.axes['key']} →"
        write_line(painter, QPointF(place.left(), place.top() - SPACING.s), key, theme.key, FONT_SIZE.small)
        query, right = f"{self.ink.words.axes['query']} ↓", QPointF(place.right(), place.top() - SPACING.s)
        write_line(painter, right, query, theme.query, FONT_SIZE.small, anchor=END)
        rows, columns = figure.shape
        paint_panel(painter, place, figure, 0, fitting_numbers(figure, place.width() / columns, place.height() / rows))
        self._paint_tokens(painter, place)
        self._paint_chosen(painter, place)
        paint_bar(painter, figure, QRectF(place.left(), place.bottom() + SPACING.m, place.width(), BAR))

    def _paint_tokens(self, painter: QPainter, place: QRectF) -> None:
        """The tokens of the queries, where rows are high enough for them."""
        names, micro = self.shown.tokens[0], metrics("micro")
        if not names or self.label == SPACING.xl:
            return
        pitch = place.height() / len(names)
        for row, name in enumerate(names):
            text = elided(token_label(name), MOST_LABEL, micro)
            at = QPointF(place.left() - SPACING.s, place.top() + (row + 0.5) * pitch + micro.capHeight() / 2)
            color = self.ink.theme.query if row == self.shown.cell[0] else self.ink.theme.text2
            write_line(painter, at, text, color, FONT_SIZE.micro, anchor=END)

    def _paint_chosen(self, painter: QPainter, place: QRectF) -> None:
        (row, column), (n, m) = self.shown.cell, self.shown.shape
        width, height = place.width() / m, place.height() / n
        cell = QRectF(place.left() + column * width, place.top() + row * height, max(width, 3.0), max(height, 3.0))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(self.ink.theme.ink, LINE.row_and_column))
        painter.drawRect(cell)

    def _figure(self, number: int) -> MapFigure:
        values, allowed = self.shown.maps[number]
        weights = number == 0
        levels = largest_levels(values, allowed, signed=False)
        if weights:
            levels = auto_levels(values, allowed, signed=False, keys=self.shown.shape[1])
        return MapFigure(
            (Panel(values, allowed),),
            Axis("query", ()),
            Axis("key", ()),
            levels,
            weights=weights,
            palette=Shade().palette_for(signed=False),
            theme=self.ink.theme,
            words=self.ink.words,
        )
