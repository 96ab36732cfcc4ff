"""Layout of the page of 1/√d_k: two plots side by side, and the chosen row as bars at three scales."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen

from attn_gui.engine.analysis.sweep import Entropies, Row, ScaledRow
from attn_gui.figure.maps.layout import MARGIN
from attn_gui.figure.output.text import write_line, write_within
from attn_gui.figure.pages.axes import Axes, axes_in, paint_dot, paint_line
from attn_gui.figure.pages.frame import OWN_WIDTH, framed
from attn_gui.figure.pages.ink import Ink, metrics
from attn_gui.figure.pages.page_drawing import Cell, Drawing, Field, Spot
from attn_gui.figure.pages.teaching.row_bars import paint_key_names, paint_row_bars
from attn_gui.figure.pages.teaching.saturation import saturation_sentence, three_digits
from attn_gui.figure.text.labels import token_label, wrapped
from attn_gui.figure.text.numbers import format_number
from attn_gui.figure.tokens import FONT_SIZE, SPACING

Numbers = npt.NDArray[np.float64]
Tokens = tuple[str, ...] | None

BESIDE = 430.0
"""From this width on the two plots stand side by side."""
PLOT, LEAST_PLOT, LEAST_WIDTH = 170.0, 120.0, 230.0
BARS, LEAST_BARS = 40.0, 22.0
DOT, CHOSEN = 2.5, 4.5
MOST_PLACES = 400
"""Places of the bars side by side; of more keys the largest weight of those under one."""


@dataclass(frozen=True, eq=False)
class Scaling:
    """The page: variances (widths,) of seeded numbers with the chosen `place`, the problem's own (d_k, variance), the
    row at three scales (root, none, another one), the entropies of all rows, and how many rows of the problem are read,
    None for all."""

    widths: Numbers
    variances: Numbers
    place: int
    here: tuple[float, float]
    rows: tuple[ScaledRow, ...]
    entropies: Entropies
    row: Row
    head: int | None
    seeded: int | None
    tokens: tuple[Tokens, Tokens]
    rows_read: int | None
    stage: str


class RootLayout:
    """Places of the plots and bars, and how they are painted."""

    def __init__(self, shown: Scaling, ink: Ink, width: float | None, height: float | None) -> None:
        self.shown, self.ink = shown, ink
        theme, micro = ink.theme, metrics("micro")
        self.colors = theme.accent, theme.query, theme.key
        self.head = metrics("small").height() + SPACING.m
        self.foot = micro.height() + SPACING.xs
        across = (OWN_WIDTH if width is None else width) - 2 * MARGIN
        plots = 1 if across >= BESIDE else 2  # one below the other
        self.told = [wrapped(self._said(number), across, metrics("small")) for number in range(3)]
        self.bar_head = max(map(len, self.told)) * metrics("small").height() + SPACING.m
        self.frame = framed(
            ink,
            width,
            height,
            title=ink.translate("Pages", "Why √d_k"),
            subtitle=self._subtitle(),
            note=self._note(),
            tall=lambda across: plots * (PLOT + self.head) + self._bars_height(BARS),
            least=(LEAST_WIDTH, plots * (LEAST_PLOT + self.head) + self._bars_height(LEAST_BARS)),
        )
        body = self.frame.body
        spare = body.height() - plots * self.head - self._bars_height(0.0)
        share = plots * PLOT / (plots * PLOT + 3 * BARS)
        self.tall = min(spare * share / plots, 320.0)
        self.bar = (spare - plots * self.tall) / 3
        self.variance, self.entropy = self._axes(body, beside=plots == 1)
        self.bars_top = body.top() + plots * (self.tall + self.head) + SPACING.l

    def drawing(self, title: str) -> Drawing:
        """The page; a click on the first plot turns d_k, one on the second or on the bars chooses a row or a weight."""
        frame, shown = self.frame, self.shown
        columns = max(1, min(MOST_PLACES, int(self.variance.plot.width())))
        fields = [Field(self.variance.plot, partial(self._width_spot, columns), 1, columns)]
        places = max(1, min(MOST_PLACES, int(self.entropy.plot.width())))
        fields.append(Field(self.entropy.plot, partial(self._row_spot, places), 1, places))
        count = min(len(shown.rows[0].weights), MOST_PLACES)
        fields += [Field(self._bars(number), partial(self._bar_spot, number, count), 1, count) for number in range(3)]
        said = ". ".join([f"{frame.title}. {frame.subtitle}", *map(self._said, range(3)), self._note()])
        return Drawing(frame.width, frame.height, title, said, self._paint, tuple(fields))

    # --- words -----------------------------------------------------------------------------------
    def _subtitle(self) -> str:
        shown, words = self.shown, self.ink.words
        if shown.seeded is not None:
            return self.ink.translate("Pages", "random Q and K, d_k = {width}").format(width=shown.seeded)
        parts = [] if shown.head is None else [words.head.format(shown.head)]
        tokens = shown.tokens[0]
        token = f" “{token_label(tokens[shown.row.query])}”" if tokens else ""
        return " · ".join([*parts, f"{words.axes['query']} {shown.row.query}{token}", f"d_k = {shown.here[0]:g}"])

    @cached_property
    def scales(self) -> tuple[str, ...]:
        """The names of the three scales."""
        root, _, other = (row.scale for row in self.shown.rows)
        return (
            self.ink.translate("Pages", "scaled, × 1/√d_k = {scale}").format(scale=three_digits(root)),
            self.ink.translate("Pages", "unscaled, × 1"),
            self.ink.translate("Pages", "another scale, × {scale}").format(scale=three_digits(other)),
        )

    def _said(self, number: int) -> str:
        """A row at a scale, in numbers."""
        row = self.shown.rows[number]
        template = self.ink.translate(
            "Pages", "{scale}: entropy {entropy} of {most} nats · ‖diag(a) − aaᵀ‖ {jacobian} · ‖∂a/∂q‖ {gradient}"
        )
        numbers = {"entropy": row.entropy, "most": row.ceiling, "jacobian": row.jacobian, "gradient": row.gradient}
        return template.format(
            scale=self.scales[number], **{key: three_digits(value) for key, value in numbers.items()}
        )

    def _note(self) -> str:
        """One sentence on saturation, and one where not every row is read."""
        text = saturation_sentence(self.shown.rows, self.ink)
        if self.shown.rows_read is not None:
            more = self.ink.translate("Pages", "Of this long problem {rows} rows at even distances are read.")
            text += " " + more.format(rows=self.shown.rows_read)
        return text

    # --- places ----------------------------------------------------------------------------------
    def _bars_height(self, bar: float) -> float:
        return SPACING.l + 3 * (bar + self.bar_head) + self.foot

    def _axes(self, body: QRectF, *, beside: bool) -> tuple[Axes, Axes]:
        shown, across = self.shown, body.width()
        width = (across - SPACING.xl) / 2 if beside else across
        first = QRectF(body.left(), body.top() + self.head, width, self.tall)
        second = first.translated(width + SPACING.xl, 0) if beside else first.translated(0, self.tall + self.head)
        d_k, here = shown.here
        # the problem's own variance stretches the plot only as far as the seeded one reaches
        top = float(shown.variances.max())
        variances = axes_in(
            first,
            np.array([0.0, shown.widths[-1], min(d_k, shown.widths[-1])]),
            np.array([0.0, top, min(here, 1.25 * top) if np.isfinite(here) else 0.0]),
            ("d_k", ""),
        )
        found = shown.entropies
        numbers = np.concatenate([found.values.ravel(), found.ceilings, [0.0]])
        return variances, axes_in(second, found.queries.astype(np.float64), numbers, (self.ink.words.axes["query"], ""))

    def _bars(self, number: int) -> QRectF:
        """The place of the bars of a scale."""
        body, pitch = self.frame.body, self.bar + self.bar_head
        return QRectF(body.left(), self.bars_top + number * pitch + self.bar_head, body.width(), self.bar)

    def _width_spot(self, columns: int, _row: int, column: int) -> Spot:
        across = self.variance.across
        d_k = across.low + (column + 0.5) / columns * (across.high - across.low)
        place = int(np.argmin(np.abs(self.shown.widths - d_k)))
        width, variance = self.shown.widths[place], self.shown.variances[place]
        text = self.ink.translate("Pages", "d_k = {width}: variance of q · k {variance}, after × 1/√d_k {scaled}")
        said = text.format(width=f"{width:g}", variance=three_digits(variance), scaled=three_digits(variance / width))
        return Spot(said, knob=("d_k", place))

    def _row_spot(self, places: int, _row: int, column: int) -> Spot:
        across, found = self.entropy.across, self.shown.entropies
        at = across.low + (column + 0.5) / places * (across.high - across.low)
        place = int(np.argmin(np.abs(found.queries - at)))
        query = int(found.queries[place])
        numbers = ", ".join(three_digits(value) for value in found.values[:, place])
        text = self.ink.translate("Pages", "query {query}: entropy {numbers} nats; at most {most}")
        said = text.format(query=query, numbers=numbers, most=three_digits(found.ceilings[place]))
        return Spot(said, None if self.shown.seeded is not None else Cell(self.shown.stage, query, self.shown.row.key))

    def _bar_spot(self, number: int, count: int, _row: int, column: int) -> Spot:
        """The largest weight under a place."""
        row = self.shown.rows[number]
        low = column * len(row.weights) // count
        high = max((column + 1) * len(row.weights) // count, low + 1)
        key = low + int(np.argmax(np.nan_to_num(row.weights[low:high], nan=np.inf)))
        tokens = self.shown.tokens[1]
        token = f" “{token_label(tokens[key])}”" if tokens else ""
        text = f"{self.scales[number]}: {self.ink.words.axes['key']} {key}{token}: {format_number(row.weights[key], 4)}"
        cell = Cell(self.shown.stage, self.shown.row.query, key, self.shown.head)
        return Spot(text, None if self.shown.seeded is not None else cell)

    # --- painting --------------------------------------------------------------------------------
    def _paint(self, painter: QPainter) -> None:
        self.frame.paint(painter)
        self._paint_variance(painter)
        self._paint_entropy(painter)
        for number in range(3):
            self._paint_bars(painter, number)
        count, tokens = len(self.shown.rows[0].weights), self.shown.tokens[1]
        paint_key_names(painter, self._bars(2), tokens, count, self.shown.row.key, self.ink.theme)

    def _heading(self, painter: QPainter, axes: Axes, left: float, text: str) -> None:
        small = metrics("small")
        base = axes.plot.top() - self.head + small.ascent() - metrics("micro").capHeight() / 2
        room = axes.plot.right() - left
        write_within(painter, QPointF(left, base), text, self.ink.theme.text, FONT_SIZE.small, room)

    def _paint_variance(self, painter: QPainter) -> None:
        theme, shown, axes = self.ink.theme, self.shown, self.variance
        axes.paint(painter, theme)
        self._heading(
            painter, axes, self.frame.body.left(), self.ink.translate("Pages", "variance of q · k against d_k")
        )
        ideal = [axes.place(0, 0), axes.place(shown.widths[-1], shown.widths[-1])]
        paint_line(painter, ideal, theme.line_strong, dashed=True)
        for color, values in ((self.colors[1], shown.variances), (self.colors[0], shown.variances / shown.widths)):
            places = axes.points(shown.widths, values)
            paint_line(painter, places, color)
            for place in places:
                paint_dot(painter, place, color, DOT)
            paint_dot(painter, axes.place(shown.widths[shown.place], values[shown.place]), color, CHOSEN)
        self._paint_here(painter, axes)
        words = self.ink.translate("Pages", "random, unscaled"), self.ink.translate("Pages", "random, × 1/√d_k")
        micro, corner = metrics("micro"), axes.plot.topLeft() + QPointF(SPACING.m, SPACING.s)
        for line, (word, color) in enumerate(zip(words, (self.colors[1], self.colors[0]), strict=True)):
            at = corner + QPointF(0, line * micro.height() + micro.ascent())
            write_line(painter, at, word, color, FONT_SIZE.micro)

    def _paint_here(self, painter: QPainter, axes: Axes) -> None:
        """The problem's own scores, where they lie within the plot; else an arrow says that they do not."""
        d_k, here = self.shown.here
        micro, theme = metrics("micro"), self.ink.theme
        if not np.isfinite(here):
            return
        inside = d_k <= axes.across.high and here <= axes.up.high
        at = axes.place(min(d_k, axes.across.high), min(here, axes.up.high))
        word = self.ink.translate("Pages", "these: {variance}").format(variance=three_digits(here)) + (
            "" if inside else " ↗"
        )
        painter.setPen(QPen(theme.text, 1.5))
        painter.setBrush(theme.surface)
        painter.drawEllipse(at, CHOSEN, CHOSEN)
        left = at.x() + SPACING.m + micro.horizontalAdvance(word) <= axes.plot.right()
        above = at.y() - SPACING.m - micro.ascent() > axes.plot.top()
        offset = QPointF(SPACING.s if left else -SPACING.s, -SPACING.m if above else SPACING.m + micro.ascent())
        write_line(painter, at + offset, word, theme.text, FONT_SIZE.micro, anchor="start" if left else "end")

    def _paint_entropy(self, painter: QPainter) -> None:
        theme, found, axes = self.ink.theme, self.shown.entropies, self.entropy
        axes.paint(painter, theme)
        left = self.frame.body.left()
        if axes.plot.left() > self.frame.body.center().x():
            left = self.variance.plot.right() + SPACING.xl
        text = self.ink.translate("Pages", "entropy of each row in nats; dashed: the most it can be")
        self._heading(painter, axes, left, text)
        queries = found.queries.astype(np.float64)
        paint_line(painter, axes.points(queries, found.ceilings), theme.line_strong, dashed=True)
        for number in (2, 1, 0):
            places = axes.points(queries, found.values[number])
            paint_line(painter, places, self.colors[number])
            if len(places) <= MOST_PLACES // 8:
                for place in places:
                    paint_dot(painter, place, self.colors[number], DOT)
        at = axes.place(self.shown.row.query, axes.up.low).x()
        painter.setPen(QPen(theme.line_strong, 1.0, Qt.PenStyle.DotLine))
        painter.drawLine(QLineF(at, axes.plot.top(), at, axes.plot.bottom()))

    def _paint_bars(self, painter: QPainter, number: int) -> None:
        """The weights of the row at a scale, below what is said of them."""
        small, place, color = metrics("small"), self._bars(number), self.colors[number]
        first = place.top() - SPACING.s - small.descent() - (len(self.told[number]) - 1) * small.height()
        for line, text in enumerate(self.told[number]):
            at = QPointF(place.left(), first + line * small.height())
            write_line(painter, at, text, color, FONT_SIZE.small)
        paint_row_bars(painter, place, self.shown.rows[number], color, self.ink.theme)
