"""Page “Sweep”: slider, curve of the reading, strip, map; from, to and number of values as options."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen

from attn_gui.engine import Evaluation
from attn_gui.engine.analysis.sweep import (
    ROW_READINGS,
    MapRow,
    SweptQuantity,
    quantities_of,
    quantity_of_cell,
    sweep,
    values_between,
)
from attn_gui.engine.arrays import Progress
from attn_gui.engine.evaluation.pooling import pool
from attn_gui.engine.graph.stage import Role
from attn_gui.figure.colors import Allowed, Levels, Values, auto_levels
from attn_gui.figure.design_tokens import FONT_SIZE, LINE, SPACING
from attn_gui.figure.heatmap import MapFigure, snapped
from attn_gui.figure.heatmap_painting import paint_bar, paint_note, paint_panel
from attn_gui.figure.pages.page_charts import cells_figure
from attn_gui.figure.pages.page_kind import (
    ChoiceOption,
    Chosen,
    NumberOption,
    PageContext,
    PageDrawing,
    PageKind,
    PageLayout,
    PageSpot,
    PageStyle,
    Sides,
    SliderOption,
    SpotGrid,
    metrics,
    with_frame,
)
from attn_gui.figure.pages.plot import Curve, Numbers, Plot, PlotAxes, PlotNote, PlotRule, axes_in
from attn_gui.figure.text.fonts import WIDER_FONT
from attn_gui.figure.text.number_formats import significant
from attn_gui.figure.text.rich_text import token_label, wrapped, write_symbols
from attn_gui.figure.writers import END, MIDDLE, START
from attn_gui.formats.array_rows import stage_labels
from attn_gui.languages import N_, Words, joined, page_words

# --- layout ---------------------------------------------------------------------------------------

CURVE_SHAPE, LEAST_CURVE, MOST_CURVE = 0.45, 150.0, 280.0
SMALL, FEWEST, MOST = 74.0, 3, 9
"""Width of a small map at least, and how many stand side by side."""
LARGE = 430.0
"""From this width on the map at the chosen value stands beside the curve."""
BAR_WIDTH, BAR = 120.0, 9.0
BAR_SHARE = 0.35
"""Of the width of the page, at most."""
DOT, CHOSEN = 2.0, 4.5
DIGITS, WRITTEN_OUT = 3, 1e7
"""Of a value at least, and up to where it has no power of ten."""


@dataclass(frozen=True, eq=False)
class SweepReadings:
    """A sweep as it is shown: `values` and `readings` (steps,), a map (cells, allowed) for each of them."""

    quantity: Words
    reading: str
    values: Numbers
    readings: Numbers
    maps: tuple[tuple[Values, Allowed | None], ...]
    keys: int
    now: float | None
    place: int
    part: str
    row: MapRow
    token: str
    heads: int


def value_text(values: Numbers, place: int) -> str:
    """Return a value of the sweep, in as many digits as tell it from its neighbors; of whole numbers all."""
    with np.errstate(over="ignore"):
        apart, largest = np.abs(np.diff(values)), float(np.abs(values).max())
    step = float(np.min(apart, where=apart > 0, initial=np.inf))
    digits = math.ceil(math.log10(largest / step)) + 1 if math.isfinite(step) else 0
    before = math.floor(math.log10(largest)) + 1 if 1 <= largest < WRITTEN_OUT else 0
    return significant(float(values[place]), max(DIGITS, digits, before))


class SweepLayout(PageLayout):
    """Places of slider, curve and strip; the curve and the strip can be left out."""

    def __init__(self, swept: SweepReadings, style: PageStyle, size: Sides) -> None:
        self.swept, self.style = swept, style
        self.curve, self.strip = swept.part != "strip", swept.part != "curve"
        caption = metrics("micro").height() + SPACING.xs
        self.foot = caption + SPACING.m + BAR + metrics("micro").height() + SPACING.s
        shape = swept.maps[0][0].shape
        self.tall: float = min(max(shape[0] / shape[1], 0.3), 1.2)
        self.frame = with_frame(
            style,
            size,
            title=self.style.translate("Pages", "Sweep: {quantity}").format(quantity=self.quantity),
            subtitle=self._subtitle(),
            tall=self._own_height,
            least=(FEWEST * 50.0 + 60.0, self._least_height()),
        )
        body = self.frame.body
        strip = self._strip_height(body.width()) if self.strip else 0.0
        if not self.curve:
            strip = body.height() - self.foot
        top = body.height() - (strip + self.foot + SPACING.m if self.strip else 0.0)
        self.curve_room = QRectF(body.left(), body.top(), body.width(), top)
        self.large = QRectF()
        if self.curve and self.strip and body.width() >= LARGE:
            side = min(top - caption - SPACING.s, body.width() * 0.34)
            self.large = QRectF(body.right() - side, body.top() + caption, side, min(side * self.tall, top - caption))
            self.curve_room.setRight(self.large.left() - SPACING.xl)
        self.strip_room = QRectF(body.left(), body.bottom() - strip - self.foot, body.width(), strip)
        self.lines = wrapped(self._said(), self.curve_room.width() / WIDER_FONT, metrics("small"))
        room = self.curve_room.adjusted(0, len(self.lines) * metrics("small").height() + SPACING.m, 0, 0)
        self.plot: Plot | None = None
        if self.curve:
            axes = axes_in(room, swept.values, swept.readings, (self.quantity, ""))
            self.plot = Plot(axes, style.theme, self._marks(axes))

    # --- words -----------------------------------------------------------------------------------
    @cached_property
    def quantity(self) -> str:
        """The name of what runs."""
        return joined(self.swept.quantity, self.style.translate)

    @cached_property
    def reading(self) -> str:
        """The name of what is read."""
        return self.style.translate("Pages", self.swept.reading)

    def _subtitle(self) -> str:
        swept, words = self.swept, self.style.words
        parts = [words.head.format(swept.row.head)] if swept.heads > 1 else []
        token = f" “{token_label(swept.token)}”" if swept.token else ""
        parts.append(f"{words.axes['query']} {swept.row.query}{token}")
        return " · ".join(parts)

    def _said(self) -> str:
        """Return the reading at the chosen value: it names what the curve shows."""
        place, template = self.swept.place, self.style.translate("Pages", "{reading}: {value} at {quantity} = {number}")
        named = {"reading": self.reading, "quantity": self.quantity}
        return template.format(value=self.read(place), number=self.text(place), **named)

    def text(self, place: int) -> str:
        """Return a value of the sweep."""
        return value_text(self.swept.values, place)

    def read(self, place: int) -> str:
        """Return the reading at a place, in digits."""
        value = float(self.swept.readings[place])
        return significant(value, 4) if np.isfinite(value) else "–"

    # --- places ----------------------------------------------------------------------------------
    def _count(self, across: float) -> int:
        return min(max(int(across / SMALL), FEWEST), MOST, len(self.swept.values))

    def _strip_height(self, across: float) -> float:
        count = self._count(across)
        return (across - (count - 1) * SPACING.m) / count * self.tall

    def _own_height(self, across: float) -> float:
        found: float = min(max(across * CURVE_SHAPE, LEAST_CURVE), MOST_CURVE) if self.curve else 0.0
        return found + (self._strip_height(across) + self.foot + SPACING.m if self.strip else 0.0)

    def _least_height(self) -> float:
        return (LEAST_CURVE if self.curve else 0.0) + (50.0 + self.foot + SPACING.m if self.strip else 0.0)

    @cached_property
    def small(self) -> list[tuple[int, QRectF]]:
        """(step, rectangle) of the maps in the strip."""
        room, last = self.strip_room, len(self.swept.values) - 1
        count = self._count(room.width())
        steps = np.unique(np.rint(np.linspace(0, last, count)).astype(int)).tolist()
        width = min((room.width() - (count - 1) * SPACING.m) / count, room.height() / self.tall)
        pitch = (room.width() - width) / max(len(steps) - 1, 1)
        return [
            (step, QRectF(room.left() + number * pitch, room.top(), width, width * self.tall))
            for number, step in enumerate(steps)
        ]

    def said(self) -> str:
        return f"{self.frame.title}. {self.frame.subtitle}. {self._said()}."

    def fields(self) -> tuple[SpotGrid, ...]:
        """Return curve and small maps: a click on either chooses that value."""
        fields: list[SpotGrid] = [] if self.plot is None else [self.plot.field(self.swept.values, self._spot)]
        if self.strip:
            fields += [SpotGrid(place, partial(self._spot, step)) for step, place in self.small]
        return tuple(fields)

    def _spot(self, step: int, *_: int) -> PageSpot:
        return PageSpot(f"{self.quantity} {self.text(step)}: {self.reading} {self.read(step)}", option=("place", step))

    # --- painting --------------------------------------------------------------------------------
    def paint_body(self, painter: QPainter) -> None:
        if self.plot is not None:
            paint_note(painter, self.lines, self.curve_room.topLeft(), self.style.theme)
        if self.strip:
            self._paint_strip(painter)
        if not self.large.isNull():
            self._paint_map(painter, self.swept.place, self.large, above=True)

    def _marks(self, axes: PlotAxes) -> tuple[Curve | PlotRule | PlotNote, ...]:
        """Return the present value, the curve, and the chosen value on it."""
        theme, swept, micro = self.style.theme, self.swept, metrics("micro")
        present: tuple[PlotRule | PlotNote, ...] = ()
        if swept.now is not None and axes.across.low <= swept.now <= axes.across.high:
            at, word = axes.place(swept.now, axes.up.low).x(), self.style.translate("Pages", "now")
            left = at + SPACING.xs + micro.horizontalAdvance(word) < axes.plot.right()
            place = QPointF(at + (SPACING.xs if left else -SPACING.xs), axes.plot.top() + micro.ascent())
            note = PlotNote(word, theme.text3, place, START if left else END, x=swept.now)
            present = PlotRule(swept.now, theme.line_strong), note
        curve = Curve(swept.values, swept.readings, theme.accent, dot=DOT)
        values, readings = (numbers[[swept.place]] for numbers in (swept.values, swept.readings))
        return *present, curve, Curve(values, readings, theme.query, Qt.PenStyle.NoPen, CHOSEN)

    def _paint_strip(self, painter: QPainter) -> None:
        nearest = min(self.small, key=lambda one: abs(one[0] - self.swept.place))[0]
        for step, place in self.small:
            self._paint_map(painter, step, place, chosen=step == nearest)
        theme, micro, body = self.style.theme, metrics("micro"), self.frame.body
        bar = QRectF(body.left(), body.bottom() - BAR - micro.height() - SPACING.s, 0, BAR)
        bar.setWidth(min(BAR_WIDTH, body.width() * BAR_SHARE))
        paint_bar(painter, self._figure(0), snapped(painter, bar))
        at = QPointF(bar.right() + SPACING.l, bar.center().y() + metrics("small").capHeight() / 2)
        words = self.style.translate("Pages", "A: keys →, queries ↓")
        write_symbols(painter, at, words, theme.text2, FONT_SIZE.small, body.right() - at.x())

    def _paint_map(
        self, painter: QPainter, step: int, place: QRectF, *, chosen: bool = False, above: bool = False
    ) -> None:
        """Paint a small map, and its value below it, or above a larger one."""
        theme, micro = self.style.theme, metrics("micro")
        paint_panel(painter, snapped(painter, place), self._figure(step), 0, None)
        if chosen:
            painter.setPen(QPen(theme.query, LINE.row_and_column))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(place.adjusted(-2, -2, 2, 2))
        base = place.top() - SPACING.s if above else place.bottom() + SPACING.xs + micro.ascent()
        text = f"{self.quantity} = {self.text(step)}" if above else self.text(step)
        color = theme.query if chosen or above else theme.text2
        at = QPointF(place.center().x(), base)
        write_symbols(painter, at, text, color, FONT_SIZE.micro, place.width(), anchor=MIDDLE)

    @cached_property
    def _levels(self) -> Levels:
        values = np.stack([cells for cells, _ in self.swept.maps])
        return auto_levels(values.reshape(len(values), -1), signed=False, keys=self.swept.keys)

    def _figure(self, step: int) -> MapFigure:
        return cells_figure(self.style, *self.swept.maps[step], self._levels)


# --- page -----------------------------------------------------------------------------------------
# Page of a sweep: one number of the problem runs between two values; a reading of a row as a curve, and the maps.


STEPS, MOST_STEPS = 25, 200
WHOLE_MAP = 1 << 16
"""Cells of a map up to which all of it is shown, not the rows round the chosen query alone."""
ROWS_ROUND = 32
"""Rows before and after that one."""
SIDE = 64
"""Blocks of a small map at most, by side."""

PARTS = {
    "all": page_words(N_("Pages", "curve and maps")),
    "curve": page_words(N_("Pages", "the curve alone")),
    "strip": page_words(N_("Pages", "the maps alone")),
}


def _quantities(context: PageContext) -> Mapping[str, SweptQuantity]:
    cell = (
        None if context.cell is None else quantity_of_cell(context.problem, context.stage, context.place, context.value)
    )
    return quantities_of(context.problem, cell)


def _quantity(context: PageContext, values: Chosen) -> SweptQuantity:
    return _quantities(context)[values["quantity"]]


def _steps(context: PageContext, values: Chosen) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    return values_between(_quantity(context, values), values["low"], values["high"], values["steps"])


def _can_be(context: PageContext, values: Chosen, value: float) -> bool:
    return _quantity(context, values).fits(value)


def _end(place: int, key: str, caption: str, tip: str) -> NumberOption:
    """Return the option of the first value (0) or of the last (1)."""
    return NumberOption(key, caption, tip, lambda context, values: _quantity(context, values).span[place], _can_be)


class SweepPage(PageKind[SweepReadings]):
    """Moves a number of the problem, which itself stays as it is."""

    name = "sweep"
    title = N_("Pages", "Sweep")
    quick = 0
    roles = (Role.SCORE,)
    words = "vary parameter scan slider range animate temperature scale d_k 扫描 变化 参数 滑块 温度 缩放 动画"
    frames = N_("Pages", "Sweep, a picture for each value")
    options = (
        ChoiceOption(
            "quantity",
            N_("Pages", "what runs"),
            N_("Pages", "The number that is moved; the problem itself stays as it is"),
            lambda context, values: {key: quantity.words for key, quantity in _quantities(context).items()},
        ),
        _end(0, "low", N_("Pages", "from"), N_("Pages", "The first value that it takes")),
        _end(1, "high", N_("Pages", "to"), N_("Pages", "The last value that it takes")),
        NumberOption(
            "steps",
            N_("Pages", "values"),
            N_("Pages", "How many values are computed from the first to the last"),
            STEPS,
            (2, MOST_STEPS),
            whole=True,
        ),
        ChoiceOption(
            "reading",
            N_("Pages", "what is read"),
            N_("Pages", "What the curve shows at each value"),
            lambda context, values: {
                key: page_words(reading.title) for key, reading in ROW_READINGS.items() if reading.fits(context.problem)
            },
        ),
        ChoiceOption("part", N_("Pages", "shown"), N_("Pages", "The curve, the maps at each value, or both"), PARTS),
        SliderOption(
            "place",
            N_("Pages", "value"),
            N_("Pages", "The value whose map is framed, and at which the curve is read"),
            lambda context, values: len(_steps(context, values)) - 1,
            lambda context, values, place: value_text(_steps(context, values), place),
        ),
    )

    def turned(self, content: SweepReadings, before: Chosen, after: Chosen) -> SweepReadings | None:
        if {key: value for key, value in before.items() if key not in ("place", "part")} != {
            key: value for key, value in after.items() if key not in ("place", "part")
        }:
            return None
        return replace(content, place=after["place"], part=after["part"])

    def read(self, evaluation: Evaluation, context: PageContext, progress: Progress) -> SweepReadings:
        problem, options = evaluation.problem, context.options
        quantity, reading = _quantities(context)[options["quantity"]], ROW_READINGS[options["reading"]]
        row = MapRow(context.batch, context.head, context.query(evaluation) or 0, context.key(evaluation) or 0)
        values = _steps(context, options)

        def look(changed: Evaluation, at: MapRow) -> tuple[float, Values, Allowed | None]:
            return reading.read(changed, at), *_map(changed, at)

        found = sweep(problem, quantity, values.tolist(), row, look, progress)
        tokens = None if quantity.seeded else stage_labels(evaluation, evaluation.weights)[0]
        first = quantity.put(problem, float(values[0]))
        return SweepReadings(
            quantity=quantity.words,
            reading=reading.title,
            values=values,
            readings=np.array([number for number, _, _ in found]),
            maps=tuple((cells, allowed) for _, cells, allowed in found),
            keys=first.m,
            now=quantity.now,
            place=options["place"],
            part=options["part"],
            row=quantity.row(first, row),
            token=tokens[row.query] if tokens else "",
            heads=first.num_heads,
        )

    def plan(self, content: SweepReadings, style: PageStyle, size: Sides) -> PageDrawing:
        return SweepLayout(content, style, size).drawing()


def _map(evaluation: Evaluation, row: MapRow) -> tuple[Values, Allowed | None]:
    """Return the weights of the head, small: all rows, or those round the chosen one where there are many."""
    problem = evaluation.problem
    rows = slice(0, problem.n)
    if problem.n * problem.m > WHOLE_MAP:
        rows = slice(max(0, row.query - ROWS_ROUND), min(problem.n, row.query + ROWS_ROUND + 1))
    cells = evaluation.block(evaluation.weights, row.batch, row.head, rows, slice(0, problem.m))
    allowed = evaluation.allowed(row.batch, row.head, rows, slice(0, problem.m))
    return pool(cells, allowed, min(SIDE, len(cells)), min(SIDE, problem.m))
