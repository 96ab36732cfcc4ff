"""Beats of the softmax: powers of e on a curve or as bars, their total, the share of a key.

A few keys climb the curve of e^x; of a wide row the six largest terms stand in order, the others and the masked as one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor

from attn_gui.engine.graph.expressions import Expression, Function, Negative, Number, Quotient
from attn_gui.engine.graph.symbols_and_titles import symbol
from attn_gui.engine.normalizers import FEW, MILD
from attn_gui.figure.pages.plot import nice_scale
from attn_gui.figure.text.number_formats import significant
from attn_gui.figure.text.rich_text import escaped, raised, rich_width, strong
from attn_gui.figure.walk.equations import Beat, OmittedTerms, WalkEquation, sum_of
from attn_gui.figure.walk.matrix_board import MatrixBoard
from attn_gui.figure.walk.walk_canvas import SMALL, CurveGraph, WalkCanvas, part
from attn_gui.figure.walk.walk_context import Index, WalkContext
from attn_gui.figure.writers import END, MIDDLE, START
from attn_gui.languages import N_

LARGEST = 6
"""Terms of a wide row that stand by themselves."""
BAR_LEFT, BAR_WIDTH = 400.0, 346.0
TABLE_TOP, TABLE_ROW = 34.0, 28.0
NAMES_END, POWERS_END, BARS, BARS_WIDTH, SHARES_END = 410.0, 478.0, 490.0, 150.0, 752.0
SHARES_TOP = 266.0
WHOLE, DROP = QRectF(352.0, 272.0, 400.0, 28.0), 14.0


@dataclass(frozen=True)
class SoftmaxTerm:
    """A term of Z: one key (`key`), or the sink, or several keys as one (`count`); its exponent where it has one."""

    name: str
    power: float
    share: float
    score: float | None = None
    key: int | None = None
    count: int = 1
    own: bool = False


class SoftmaxRow:
    """The row of a softmax: its terms, their sum Z, and how its exponents are written.

    `key` is the one that the walk follows, None where it follows the whole row. Exponents are those of `explain`: of a
    few mild scores e^s, else e^(s − max).
    """

    def __init__(self, context: WalkContext, stage: str, index: Index, before: str, key: int | None) -> None:
        self.context, self.stage, self.index, self.before, self.key = context, stage, index, before, key
        problem, head = context.evaluation.problem, index[1]
        self.temperature = problem.temperature
        scores, self.weights = context.row(before, index), context.row(stage, index)
        sink = None if problem.sink is None else float(problem.sink[head])
        every = scores if sink is None else np.append(scores, sink)
        open_ = ~np.isneginf(every)
        heat = self.temperature or 1.0
        with np.errstate(all="ignore"):
            mild = np.isfinite(every[open_]).all() and np.abs(every[open_]).max(initial=0.0) < MILD * heat
            self.wide = scores.size > FEW or not mild
            top = float(every.max()) if open_.any() else 0.0
            self.top = top if self.wide and np.isfinite(top) else None
            powers = np.exp((every - (self.top or 0.0)) / heat)
            self.sees = bool(open_[: scores.size].any())
            self.total = float(powers.sum())
            shares = self.weights if sink is None else np.append(self.weights, powers[-1] / self.total)
        self.open = open_
        self.terms = self._terms(every, powers, shares, scores.size)
        own_row = sum(term.key is not None and not open_[term.key] for term in self.terms)
        self.masked = int(scores.size - open_[: scores.size].sum()) - own_row if self.wide else 0
        self._print()

    # --- terms -----------------------------------------------------------------------------------
    def _terms(self, scores: np.ndarray, powers: np.ndarray, shares: np.ndarray, keys: int) -> list[SoftmaxTerm]:
        def term(place: int) -> SoftmaxTerm:
            name = self.context.plain_key(place) if place < keys else symbol("sink")
            own = place == self.key
            key = place if place < keys else None
            return SoftmaxTerm(name, float(powers[place]), float(shares[place]), float(scores[place]), key, own=own)

        if not self.wide:
            return [term(place) for place in range(len(scores)) if self.open[place] or place == self.key]
        order = [int(place) for place in np.argsort(-np.nan_to_num(powers, nan=np.inf), kind="stable")]
        order = [place for place in order if self.open[place]]
        shown, rest = order[:LARGEST], order[LARGEST:]
        if self.key is not None and self.key not in shown:
            shown.append(self.key)  # masked, too
            rest = [place for place in rest if place != self.key]
        if len(rest) == 1:
            shown, rest = [*shown, *rest], []
        found = [term(place) for place in shown]
        if rest:
            name = self.context.words(N_("Walk", "{count} others"), count=len(rest))
            found.append(SoftmaxTerm(name, float(powers[rest].sum()), float(shares[rest].sum()), count=len(rest)))
        return found

    @cached_property
    def own(self) -> SoftmaxTerm | None:
        """The term that the walk follows."""
        return next((term for term in self.terms if term.own), None)

    @cached_property
    def said(self) -> list[SoftmaxTerm]:
        """The terms of which equations are written: of a wide row its own one, or the two largest."""
        if not self.wide:
            return self.terms
        return self.terms[:2] if self.own is None else [self.own]

    def _print(self) -> None:
        """Make all equations, before any of them is written."""
        context, terms = self.context, self.terms
        self.powers_of = {
            term: WalkEquation(context, self._exponential(term.score), term.power)
            for term in self.said
            if term.score is not None
        }
        self.sum = WalkEquation(context, sum_of([_power(term) for term in terms]), self.total)
        self.shares = {
            term: WalkEquation(context, Quotient(Number(term.power), Number(self.total)), term.share)
            for term in self.said
        }
        for kind, numbers in (
            (self.before, [term.score for term in terms if term.score is not None]),
            ("powers", [term.power for term in terms]),
            (self.stage, [term.share for term in terms]),
        ):
            context.printed.alike(numbers, kind)

    def _exponential(self, score: float) -> Expression:
        """Return e^(…) of a score."""
        exponent: Expression = Number(score)
        if self.top is not None:
            exponent = sum_of([exponent, Negative(Number(self.top))])
        if self.temperature is not None:
            exponent = Quotient(exponent, Number(self.temperature), inline=True)
        return Function("exp", exponent)

    def equation(self, term: SoftmaxTerm) -> str:
        """Return `e^1.1547 = 3.173`."""
        equation = self.powers_of[term]
        return str(equation) if term.own else equation.left + equation.right

    # --- pictures --------------------------------------------------------------------------------
    def color(self, term: SoftmaxTerm) -> QColor:
        """Return the color of the bar of a term: that of a key for the one that the walk follows."""
        theme = self.context.theme
        return theme.key if term.own else theme.line_strong if term.count > 1 else theme.text3

    def soft(self, term: SoftmaxTerm) -> QColor:
        """Return the color of a bar in the row of its term."""
        color = QColor(self.color(term))
        return mixed(color, self.context.theme.surface, 0.32)

    def name(self, term: SoftmaxTerm) -> str:
        """Return the name of a term, in strong type for the one that the walk follows."""
        return strong(escaped(term.name)) if term.own else escaped(term.name)

    def name_color(self, term: SoftmaxTerm) -> QColor:
        """Return the color of the name of a term."""
        return self.context.theme.key if term.own else self.context.theme.text2

    def board(self, stage: str) -> MatrixBoard:
        """Return the board of a stage: at the cell, or at the row alone."""
        column = self.key is not None
        index = self.index if column else (*self.index[:-1], 0)
        return self.context.board(stage, index, column=column)

    @property
    def pitch(self) -> float:
        """The height of a row of the table."""
        rows = len(self.terms) + (self.masked > 0)
        return min(TABLE_ROW, (WHOLE.top() - 6 - TABLE_TOP) / max(rows, 1))

    def paint_table(self, canvas: WalkCanvas, grown: float, divided: float) -> None:
        """Paint the terms of a wide row: bars as far as they have `grown`, shares as far as they are `divided`."""
        theme, number = canvas.theme, self.context.number
        largest = max((term.power for term in self.terms if np.isfinite(term.power)), default=0.0) or 1.0
        canvas.text(NAMES_END + 16, TABLE_TOP - 11, self.context.words(N_("Walk", "key")), 12, theme.text2, END)
        head = f"e{raised('s − max' if self.top is not None else 's')}"
        canvas.text(POWERS_END, TABLE_TOP - 11, head, 12, theme.text2, END)
        if divided > 0:
            canvas.text(SHARES_END, TABLE_TOP - 11, f"÷ Z = {number(self.total)}", 12, theme.text2, END)
        pitch = self.pitch
        for k, term in enumerate(self.terms):
            middle = TABLE_TOP + (k + 0.5) * pitch
            if term.own:
                canvas.bar(
                    QRectF(NAMES_END - 66, middle - pitch / 2 + 1, SHARES_END + 8 - NAMES_END + 66, pitch - 2),
                    theme.key_soft,
                )
            shown = divided > k / (len(self.terms) + 1)  # one after another
            self._paint_row(canvas, term, middle, grown, min(term.power / largest, 1.0), divided=shown)
        if self.masked:
            middle = TABLE_TOP + (len(self.terms) + 0.5) * pitch
            text = self.context.words(N_("Walk", "{count} masked"), count=self.masked)
            canvas.text(NAMES_END, middle + 4, text, 12, theme.text2, END, 74)
            canvas.text(POWERS_END, middle + 4, "0", 12, theme.text2, END)
            canvas.hatched(QRectF(BARS, middle - 7, BARS_WIDTH, 14))
            if divided >= 1.0:
                canvas.text(SHARES_END, middle + 4, "0", 12, theme.text2, END)

    def _paint_row(
        self, canvas: WalkCanvas, term: SoftmaxTerm, middle: float, grown: float, share: float, *, divided: bool
    ) -> None:
        number = self.context.strong if term.own else self.context.number
        ink = canvas.theme.key if term.own else canvas.theme.text
        canvas.text(NAMES_END, middle + 4, self.name(term), 12, self.name_color(term), END, 64)
        if grown > 0:
            canvas.text(POWERS_END, middle + 4, number(term.power), 12, ink, END, 64)
            canvas.bar(QRectF(BARS, middle - 6, BARS_WIDTH * share * grown, 12), self.color(term))
        if divided:
            canvas.text(SHARES_END, middle + 4, number(term.share), 12, ink, END)

    def pieces(self, left: float, width: float) -> list[tuple[float, float]]:
        """Return where the piece of every term begins in a bar of all of them, and how wide it is."""
        parts = np.array([term.power for term in self.terms], np.float64)
        if not (np.isfinite(parts).all() and self.total > 0 and np.isfinite(self.total)):
            return [(left, 0.0) for _ in self.terms]
        widths = parts / parts.sum() * width
        starts = left + np.concatenate([[0.0], np.cumsum(widths)[:-1]])
        return list(zip(starts.tolist(), widths.tolist(), strict=True))

    def paint_whole(self, canvas: WalkCanvas, rect: QRectF, share: float = 1.0) -> None:
        """Paint one bar of all terms, or as many of them as a share of it holds."""
        for term, (start, width) in zip(self.terms, self.pieces(rect.left(), rect.width()), strict=True):
            stop = min(start + width, rect.left() + rect.width() * share)
            canvas.bar(QRectF(start, rect.top(), max(stop - start - 1.5, 0), rect.height()), self.color(term))

    def paint_ruler(self, canvas: WalkCanvas, rect: QRectF) -> None:
        """Paint an axis from 0 to 1 below a bar."""
        y = rect.bottom() + 9
        canvas.line(QPointF(rect.left(), y), QPointF(rect.right(), y))
        for quarter in range(5):
            x = rect.left() + rect.width() * quarter / 4
            canvas.line(QPointF(x, y), QPointF(x, y + 4))
            canvas.text(x, y + 17, f"{quarter / 4:g}", SMALL, canvas.theme.text2, MIDDLE)


def _power(term: SoftmaxTerm) -> Number:
    return Number(term.power) if term.count == 1 else OmittedTerms(term.power, term.count)


def mixed(color: QColor, background: QColor, share: float) -> QColor:
    """Return a color on a background, of which it covers a share: opaque, so that every device can paint it."""
    parts = zip(
        (color.red(), color.green(), color.blue()),
        (background.red(), background.green(), background.blue()),
        strict=True,
    )
    return QColor(*(round(a * share + b * (1 - share)) for a, b in parts))


class SoftmaxBeat(Beat):
    """A step of a softmax."""

    def __init__(self, row: SoftmaxRow) -> None:
        super().__init__(row.context, row.stage, row.index)
        self.row = row

    @property
    def query(self) -> str:
        """The query of the row, as rich text."""
        return self.context.query(self.index[-2])


class ExponentBeat(SoftmaxBeat):
    """Points climb the curve of e^x; of a wide row bars grow."""

    seconds = 1.2
    usual = N_("Walk", "Exponentiate")

    @property
    def value(self) -> float:
        return self.row.total if self.row.own is None else self.row.own.power

    @property
    def sentence(self) -> str:
        row = self.row
        if row.wide:
            equations = self.context.words(N_("Walk", ", ")).join(map(row.equation, row.powers_of))
            return self.context.words(
                N_("Walk", "Subtract the largest score, then exponentiate: {equations}."), equations=equations
            )
        equations = self.context.words(N_("Walk", ", ")).join(row.equation(term) for term in row.terms)
        return self.context.words(
            N_("Walk", "Exponentiate: negative numbers turn positive, gaps become ratios. {equations}."),
            equations=equations,
        )

    @property
    def result(self) -> str:
        own = self.row.own
        if own is not None:
            return self.row.equation(own)
        return self.context.words(N_("Walk", "powers of e: {count}"), count=int(self.row.open.sum()))

    def paint(self, canvas: WalkCanvas, progress: float) -> None:
        row, share = self.row, part(progress, 0.05, 0.85)
        row.board(row.before).paint(canvas)
        if row.wide:
            row.paint_table(canvas, share, 0.0)
        else:
            self._paint_curve(canvas, share)

    def _paint_curve(self, canvas: WalkCanvas, share: float) -> None:
        row, theme, number = self.row, canvas.theme, self.context.number
        heat = row.temperature or 1.0
        shown = [term for term in row.terms if term.score is not None and np.isfinite(term.score)]
        exponents = [(term.score or 0.0) / heat for term in shown]
        low, high = min([-0.5, *exponents]), max([1.0, *exponents])
        across = nice_scale(np.array([low, high + 0.12 * (high - low)]), 5)
        up = nice_scale(np.array([0.0, math.exp(high) * 1.12]), 4)

        graph, last = CurveGraph(canvas, across, up), min(across.high, math.log(up.high))
        xs = np.linspace(across.low, last, 80).tolist()
        graph.paint(xs, [math.exp(x) for x in xs])
        end = graph.at(last, math.exp(last))
        canvas.text(end.x() - 18, end.y() + 6, f"<b>e{raised('x')}</b>", 16, theme.text, END)
        points = sorted(zip(shown, exponents, strict=True), key=lambda each: each[0].own)
        for term, x in points:
            graph.paint_point(x, math.exp(x), share, theme.key if term.own else theme.text3)
        for term, x in reversed(points):  # the followed one first: its numbers stand in any case
            ink = theme.key if term.own else theme.text3
            graph.write_point(x, math.exp(x), (number(x), number(term.power)), share, ink)


class TotalBeat(SoftmaxBeat):
    """The powers fall into one bar, end to end: Z."""

    seconds = 0.9
    usual = N_("Walk", "Add up")

    @property
    def value(self) -> float:
        return self.row.total

    @property
    def sentence(self) -> str:
        return self.context.words(N_("Walk", "Add up the powers of this row: {equation}."), equation=self.row.sum)

    @property
    def result(self) -> str:
        if self.row.wide:
            return self.context.words(
                N_("Walk", "sum of {count} = {value}"),
                count=int(self.row.open.sum()),
                value=self.context.strong(self.value),
            )
        return str(self.row.sum)

    def paint(self, canvas: WalkCanvas, progress: float) -> None:
        row, share = self.row, part(progress, 0.1, 0.75)
        row.board(row.before).paint(canvas)
        if row.wide:
            row.paint_table(canvas, 1.0, 0.0)
            row.paint_whole(canvas, WHOLE, share)
            if share >= 1.0:
                paint_bracket(canvas, WHOLE, f"Z = {self.context.number(row.total)}")
            return
        whole = paint_bars(canvas, row, share)
        if share >= 1.0:
            paint_bracket(canvas, whole, f"Z = {self.context.number(row.total)}")


def paint_bars(canvas: WalkCanvas, row: SoftmaxRow, share: float) -> QRectF:
    """Paint the powers of a few keys, each where it will lie in the sum, and how far they have fallen; return the sum's
    rectangle."""
    theme, count = canvas.theme, len(row.terms)
    pitch = min(44.0, 110.0 / max(count, 1))
    whole = QRectF(BAR_LEFT, 168.0, BAR_WIDTH, 36.0)
    for k, (term, (start, width)) in enumerate(zip(row.terms, row.pieces(BAR_LEFT, BAR_WIDTH), strict=True)):
        top, height = 40.0 + k * pitch, min(28.0, pitch - 4)
        canvas.text(BAR_LEFT - 10, top + height / 2 + 5, strong(escaped(term.name)), 13, row.name_color(term), END, 76)
        canvas.bar(QRectF(start, top, width, height), row.soft(term))
        if term.score is not None:
            text = row.equation(term).replace("<b>", "").replace("</b>", "")
            room, end = rich_width(text, 12) + 16, start + width
            inside = start + 8 if room <= width else end + 8  # else beside its bar, where there is more room
            beside = end + room <= whole.right() or room <= width
            x, anchor = (inside, START) if beside else (start - 8, END)
            canvas.text(x, top + height / 2 + 5, text, 12, theme.text, anchor)
        for x in (start, start + width):
            canvas.line(QPointF(x, top + height), QPointF(x, whole.top()), theme.line_strong, 1.0, dotted=True)
        if share > 0:
            fallen = QRectF(start, top + (whole.top() - top) * share, width, height + (whole.height() - height) * share)
            canvas.bar(fallen, row.color(term))
            if share >= 1.0 and width > 40:
                number = strong(row.context.number(term.power))
                canvas.text(fallen.center().x(), fallen.center().y() + 5, number, 13, theme.surface, MIDDLE, width - 6)
    return whole


def paint_bracket(canvas: WalkCanvas, bar: QRectF, text: str) -> None:
    """Paint a bracket below a bar and what it comes to."""
    y = bar.bottom() + 14
    canvas.curve(
        [QPointF(bar.left(), y - 7), QPointF(bar.left(), y), QPointF(bar.right(), y), QPointF(bar.right(), y - 7)],
        canvas.theme.text,
        1.5,
    )
    canvas.text(bar.center().x(), y + 23, strong(text), 16, canvas.theme.text, MIDDLE)


class ShareBeat(SoftmaxBeat):
    """The bar is ruled from 0 to 1: a share of it is the weight."""

    seconds = 1.1
    usual = N_("Walk", "Divide")

    @property
    def value(self) -> float:
        return 1.0 if self.row.own is None else self.row.own.share

    @property
    def sentence(self) -> str:
        row = self.row
        if row.own is None:
            shown = [str(row.shares[term]) for term in row.said if term.key is not None][:2]
            equations = self.context.words(N_("Walk", ", ")).join(shown)
            return self.context.words(
                N_("Walk", "Divide each by the sum: {equations}. These are the weights of {query}."),
                equations=equations,
                query=self.query,
            )
        return self.context.words(
            N_("Walk", "Divide its part by the sum: {equation}, so {query} gives {percent} of its attention to {key}."),
            equation=row.shares[row.own],
            query=self.query,
            key=self.context.key(row.own.key or 0),
            percent=percent(row.own.share),
        )

    @property
    def result(self) -> str:
        own = self.row.own
        if own is not None:
            return str(self.row.shares[own])
        return self.context.words(
            N_("Walk", "weights: {count}, sum {value}"), count=len(self.row.weights), value=strong("1")
        )

    def paint(self, canvas: WalkCanvas, progress: float) -> None:
        row, share = self.row, part(progress, 0.05, 0.5)
        board = row.board(row.stage)
        height = self._paint_wide(canvas, share) if row.wide else self._paint_few(canvas, share, board)
        if row.own is None:
            row.board(row.stage).paint(canvas)
        else:
            self.land(canvas, progress, height, board.map.color(self.value))

    def _paint_wide(self, canvas: WalkCanvas, share: float) -> float:
        row = self.row
        row.paint_table(canvas, 1.0, share)
        row.paint_whole(canvas, WHOLE)
        row.paint_ruler(canvas, WHOLE)
        for term, (start, width) in zip(row.terms, row.pieces(WHOLE.left(), WHOLE.width()), strict=True):
            if width > 34 and term.count == 1:
                text = percent(term.share) if width < 90 else f"{escaped(term.name)}   {percent(term.share)}"
                x, y = start + width / 2, WHOLE.center().y() + 5
                canvas.text(x, y, strong(text), 12, canvas.theme.surface, MIDDLE, width - 6)
        own = next((k for k, term in enumerate(row.terms) if term.own), 0)
        return TABLE_TOP + (own + 0.5) * row.pitch

    def _paint_few(self, canvas: WalkCanvas, share: float, board: MatrixBoard) -> float:
        row, theme = self.row, canvas.theme
        whole = paint_bars(canvas, row, 1.0)
        row.paint_ruler(canvas, whole)
        said = self.context.words(
            N_("Walk", "÷ {total}: now the whole bar is 1 long"), total=self.context.number(row.total)
        )
        canvas.text(whole.right(), whole.bottom() + 41, said, SMALL, theme.text2, END)
        count = len(row.terms)
        pitch = min(126.0, (BAR_WIDTH + 20) / max(count, 1))
        left = whole.center().x() - count * pitch / 2
        for k, term in enumerate(row.terms):
            place = QRectF(left + k * pitch + 6, SHARES_TOP, pitch - 13, 45)
            canvas.text(
                place.center().x(), place.bottom() + 16, row.name(term), 12, row.name_color(term), MIDDLE, pitch
            )
            if share < 1.0 and term.power > 0:
                canvas.slot(place)
            if share > 0:
                moving = place.translated(0, (share - 1) * DROP)  # from farther it would cross the axis
                color = board.map.color(term.share)
                text = self.context.strong(term.share) if term.own else self.context.number(term.share)
                border = theme.ink if term.own else theme.line_strong
                canvas.box(moving, text, color, border, pixels=18, width=2.2 if term.own else 1.0)
        return SHARES_TOP + 22


def percent(share: float) -> str:
    """Return a share in whole percent, smaller ones with a digit, those that are not quite all of it with three."""
    if not math.isfinite(share):
        return "NaN"
    if 0 < share < 0.01 or 0.995 <= share < 1:
        return f"{significant(100 * share, 1 if share < 0.01 else 3)}%"
    return f"{100 * share:.0f}%"


def softmax_beats(context: WalkContext, stage: str, index: Index, before: str, key: int | None) -> Sequence[Beat]:
    """Return the beats of a softmax at a weight, or of its whole row."""
    row = SoftmaxRow(context, stage, index, before, key)
    return [ExponentBeat(row), TotalBeat(row), ShareBeat(row)] if row.sees else []
