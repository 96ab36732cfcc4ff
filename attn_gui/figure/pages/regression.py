"""Pages “Regression curve” (dots, line, the line above that names both) and “Ways to pool”."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from attn_gui.engine import Evaluation, Problem
from attn_gui.engine.analysis.regression import (
    EXPLAINED,
    PooledOutputs,
    explained_share,
    poolings,
    textbook_function,
)
from attn_gui.engine.arrays import Progress, item_of
from attn_gui.engine.evaluation.trace import is_long
from attn_gui.engine.graph.stage import Role
from attn_gui.figure.design_tokens import FONT_SIZE, LINE, SPACING
from attn_gui.figure.pages.page_kind import (
    C,
    ChoiceOption,
    Chosen,
    PageCell,
    PageContext,
    PageFrame,
    PageKind,
    PageLayout,
    PageSpot,
    PageStyle,
    Sides,
    SpotGrid,
    body_width,
    metrics,
    with_frame,
)
from attn_gui.figure.pages.plot import Curve, Numbers, Plot, axes_in, paint_dot
from attn_gui.figure.text.fonts import WIDER_FONT
from attn_gui.figure.text.number_formats import significant
from attn_gui.figure.text.rich_text import write_symbols
from attn_gui.figure.writers import PX_PER_CM, write_line
from attn_gui.languages import N_, Words, page_words

# --- curve ----------------------------------------------------------------------------------------

CURVE_SHAPE = 0.62
"""Own height of the plot over its width."""
CURVE_LEAST = 3.2 * PX_PER_CM
CURVE_DOT, CURVE_ANSWER = 3.0, 4.5
FAINTEST, CURVE_OPACITY = 40, 180
"""Of 255: dots that lie on one another are darker, and with a chosen query those of larger weight."""


@dataclass(frozen=True, eq=False)
class CurvePoints:
    """Keys and values (m,), queries and outputs (n,); of a chosen query its row and its weights (m,)."""

    keys: Numbers
    values: Numbers
    queries: Numbers
    outputs: Numbers
    stage: str
    heads: int = 1
    head: int = 0
    row: int | None = None
    weights: Numbers | None = None


class RegressionPage(PageKind[C]):
    """A page of problems whose queries, keys and values are single numbers."""

    needs = N_("Pages", "Needs keys and values of one column, as in the Nadaraya–Watson example")
    roles = (Role.SCORE,)

    def applies(self, problem: Problem) -> bool:
        return problem.d_k == problem.d_key == problem.d_v == 1 and not is_long(problem)


class CurveLayout(PageLayout):
    """The key of dots and line above the plot, on one line or on two."""

    def __init__(self, curve: CurvePoints, style: PageStyle, size: Sides) -> None:
        self.curve, self.style = curve, style
        line = metrics("small").height() + SPACING.s
        self.dots, self.line = (
            style.translate("Pages", "keys and their values"),
            style.translate("Pages", "output for every query"),
        )
        named = style.translate("Pages", CurvePage.title)
        named += f" · {style.words.head.format(curve.head)}" if curve.heads > 1 else ""
        frame: PageFrame = with_frame(
            style,
            size,
            title=named,
            tall=lambda across: 2 * line + across * CURVE_SHAPE,
            least=(CURVE_LEAST, CURVE_LEAST + 2 * line),
        )
        self.frame, body = frame, frame.body
        self.lines = 1 if self._key_width() <= body.width() - 4 * SPACING.xl else 2
        plot = body.adjusted(0, self.lines * line, 0, 0)
        names = style.translate("Pages", "query, key"), style.translate("Pages", "value, output")
        x, y = np.concatenate([curve.keys, curve.queries]), np.concatenate([curve.values, curve.outputs])
        self.axes = axes_in(plot, x, y, names)
        self.plot = Plot(self.axes, style.theme, self._marks())

    def said(self) -> str:
        said = self.style.translate("Pages", "{points} points, {queries} queries")
        said = said.format(points=len(self.curve.keys), queries=len(self.curve.queries))
        return f"{self.frame.title}. {said}."

    def fields(self) -> tuple[SpotGrid, ...]:
        """Return the plot: a click chooses the nearest query."""
        return (self.plot.field(self.curve.queries, self._spot),)

    def _spot(self, row: int) -> PageSpot:
        curve, text = self.curve, self.style.translate("Pages", "query {row}: {query} → {output}")
        text = text.format(row=row, query=significant(curve.queries[row], 4), output=significant(curve.outputs[row], 4))
        return PageSpot(text, PageCell(self.curve.stage, row, 0))

    def _key_width(self) -> float:
        """Return the width of the key on one line, in a viewer's font."""
        words = map(metrics("small").horizontalAdvance, (self.dots, self.line))
        return sum(words) * WIDER_FONT + 4 * CURVE_DOT + 3 * SPACING.xl

    # --- painting --------------------------------------------------------------------------------
    def _marks(self) -> tuple[Curve, ...]:
        """Return the points, the outputs by their queries, and the chosen query."""
        curve, theme = self.curve, self.style.theme
        order = np.argsort(curve.queries, kind="stable")
        points = Curve(curve.keys, curve.values, theme.key, Qt.PenStyle.NoPen, CURVE_DOT, self._opacity())
        line = Curve(curve.queries[order], curve.outputs[order], theme.query)
        if curve.row is None:
            return points, line
        row = slice(curve.row, curve.row + 1)
        across = np.repeat(curve.queries[row], 2)
        chosen = Curve(across, np.array([self.axes.up.high, self.axes.up.low]), theme.query, Qt.PenStyle.DashLine)
        answer = Curve(curve.queries[row], curve.outputs[row], theme.query, Qt.PenStyle.NoPen, CURVE_ANSWER)
        return chosen, points, line, answer

    def _opacity(self) -> Numbers:
        """Return the opacity of the dots: with a chosen query, darker with more weight."""
        curve = self.curve
        if curve.weights is None:
            return np.full(len(curve.keys), float(CURVE_OPACITY))
        largest = float(np.nanmax(curve.weights, initial=0.0)) or 1.0
        return np.asarray(FAINTEST + (255 - FAINTEST) * np.nan_to_num(curve.weights / largest))

    def paint_body(self, painter: QPainter) -> None:
        """Paint the key of dots and line."""
        theme, small, body = self.style.theme, metrics("small"), self.frame.body
        down, pitch = QPointF(0, small.capHeight() / 2), small.height() + SPACING.s
        at = QPointF(self.axes.plot.left(), body.top() + small.ascent() - down.y())
        self._dot(painter, at + QPointF(SPACING.m, 0), CURVE_OPACITY)
        words = QPointF(SPACING.xl + SPACING.s, 0) + down
        write_line(painter, at + words, self.dots, theme.text2, FONT_SIZE.small)
        if self.lines == 1:
            at += QPointF(2 * SPACING.xl + small.horizontalAdvance(self.dots) * WIDER_FONT, 0)
        else:
            at += QPointF(0, pitch)
        painter.setPen(QPen(theme.query, LINE.row_and_column))
        painter.drawLine(QLineF(at, at + QPointF(SPACING.xl, 0)))
        write_line(painter, at + words, self.line, theme.text2, FONT_SIZE.small)

    def _dot(self, painter: QPainter, at: QPointF, shade: float) -> None:
        color = QColor(self.style.theme.key)
        color.setAlpha(round(shade))
        paint_dot(painter, at, color, CURVE_DOT)


class CurvePage(RegressionPage[CurvePoints]):
    """Shows the regression: the points, and the output for every query."""

    name = "curve"
    title = N_("Pages", "Regression curve")
    layout = CurveLayout
    words = "regression nadaraya watson plot fit kernel 曲线 回归 拟合 核"

    def read(self, evaluation: Evaluation, context: PageContext, progress: Progress) -> CurvePoints:
        answer = evaluation.mixed
        keys, values, queries, outputs = (
            _column(evaluation, name, context) for name in ("key", "value", "query", answer)
        )
        row, weights = context.query(evaluation), None
        if row is not None:
            place = slice(row, row + 1), slice(0, evaluation.problem.m)
            block = evaluation.block(evaluation.weights, context.batch, context.head, *place)
            weights = np.array(block[0], dtype=np.float64)
        progress(1.0)
        return CurvePoints(
            keys, values, queries, outputs, answer, evaluation.problem.num_heads, context.head, row, weights
        )


def _column(evaluation: Evaluation, stage: str, context: PageContext) -> Numbers:
    """Return a stage of one column, apart from the evaluation."""
    rows = slice(0, evaluation.shape(stage)[-2])
    return np.array(evaluation.block(stage, context.batch, context.head, rows, slice(0, 1))[:, 0], dtype=np.float64)


BESIDE, IN_A_ROW, POOLING_SHAPE, POOLING_LEAST = 240.0, 700.0, 0.7, 90.0
"""Widths from which on two plots stand side by side, and all; height over width of a plot, and its least height."""
POOLING_DOT, POOLING_ANSWER, POOLING_OPACITY = 2.2, 4.0, 130
NONE, TEXTBOOK = "none", "d2l"  # functions that can be drawn
TEXTBOOK_TEXT = "2 sin x + x⁰·⁸"


def _functions(context: PageContext, values: Chosen) -> Mapping[str, Words]:
    """Return the functions that can be drawn, first that of the textbook where the points are its own."""
    none, textbook = {NONE: page_words(N_("Pages", "not drawn"))}, {TEXTBOOK: (("", TEXTBOOK_TEXT),)}
    problem = context.problem
    if problem.projected:
        return none | textbook
    share = explained_share(*(_points(problem, context, name) for name in ("key", "value")))
    return textbook | none if share >= EXPLAINED else none | textbook


def _points(problem: Problem, context: PageContext, field: str) -> Numbers:
    """Return the keys or values of the head on show, as they are given."""
    array = np.asarray(getattr(problem, field), dtype=np.float64)
    return np.asarray(item_of(array, context.batch)[:, context.head * problem.kv_heads // problem.num_heads])


@dataclass(frozen=True, eq=False)
class PoolingRules:
    """Points (m,), queries (n,), the ways with their outputs, the key of the function that is drawn."""

    keys: Numbers
    values: Numbers
    queries: Numbers
    pooled: tuple[PooledOutputs, ...]
    function: str
    stage: str
    row: int | None
    head: int
    heads: int

    @property
    def truth(self) -> Numbers | None:
        """The function at the queries."""
        with np.errstate(all="ignore"):
            return None if self.function == NONE else textbook_function(self.queries)

    def missed(self, way: PooledOutputs) -> float | None:
        """Return the mean squared distance from the function at the queries."""
        truth = self.truth
        if truth is None:
            return None
        with np.errstate(all="ignore"):
            apart = ((way.outputs - truth) ** 2)[np.isfinite(truth)]
            return float(np.mean(apart)) if apart.size else None


class PoolingsLayout(PageLayout):
    """A plot for each way, all with the same axes."""

    def __init__(self, shown: PoolingRules, style: PageStyle, size: Sides) -> None:
        self.shown, self.style = shown, style
        count, self.above = len(shown.pooled), 2 * metrics("small").height() + SPACING.s
        head = f" · {style.words.head.format(shown.head)}" if shown.heads > 1 else ""
        across = min(count, 1 + (body_width(size) >= BESIDE)) if body_width(size) < IN_A_ROW else count
        down = math.ceil(count / across)
        self.frame = with_frame(
            style,
            size,
            title=style.translate("Pages", PoolingsPage.title) + head,
            note=self._note(),
            tall=lambda wide: down * (wide / across * POOLING_SHAPE + self.above),
            least=(160.0, down * (POOLING_LEAST + self.above)),
        )
        body = self.frame.body
        size = body.width() / across, body.height() / down
        names = (style.translate("Pages", "query, key") if down == 1 else ""), ""
        self.plots: list[Plot] = []
        x, y = np.concatenate([shown.keys, shown.queries]), self._heights()
        for number in range(count):
            left, top = body.left() + number % across * size[0], body.top() + number // across * size[1]
            room = QRectF(left, top + self.above, size[0] - SPACING.l, size[1] - self.above)
            self.plots.append(Plot(axes_in(room, x, y, names), style.theme, self._marks(shown.pooled[number])))

    def said(self) -> str:
        said = ". ".join(" ".join(self.plot_words(way)) for way in self.shown.pooled)
        return f"{self.frame.title}. {said}. {self._note()}"

    def fields(self) -> tuple[SpotGrid, ...]:
        """Return the plots: a click on one chooses the nearest query."""
        ways = zip(self.shown.pooled, self.plots, strict=True)
        return tuple(plot.field(self.shown.queries, partial(self._spot, way)) for way, plot in ways)

    def plot_words(self, way: PooledOutputs) -> tuple[str, str]:
        """Return the title of a plot, and how far the curve is from the true function."""
        title, missed = self.style.translate("Pages", way.title), self.shown.missed(way)
        text = self.style.translate("Pages", "MSE {error}")
        error = "" if missed is None else text.format(error=significant(missed, 3))
        return title.format(w=significant(way.w or 0, 4)), error

    def _note(self) -> str:
        shown = self.shown
        if shown.function == NONE:
            return self.style.translate("Pages", "Points: keys and their values. Line: output for every query.")
        text = self.style.translate(
            "Pages",
            "Points: keys and their values. Line: output for every query. Dashed: {function}, the function of this "
            "textbook example, which explains {percent} % of the variance of the values; MSE: mean squared distance "
            "from it at the queries.",
        )
        share = explained_share(shown.keys, shown.values)
        return text.format(function=TEXTBOOK_TEXT, percent=f"{100 * share:.0f}" if np.isfinite(share) else "–")

    def _heights(self) -> Numbers:
        """Return all numbers that are drawn upward, so that the plots can be compared."""
        truth = self.shown.truth
        return np.concatenate(
            [self.shown.values, *(way.outputs for way in self.shown.pooled), *([] if truth is None else [truth])]
        )

    # --- painting --------------------------------------------------------------------------------
    def paint_body(self, painter: QPainter) -> None:
        for way, plot in zip(self.shown.pooled, self.plots, strict=True):
            self._paint_heading(painter, way, plot.axes.plot)

    def _paint_heading(self, painter: QPainter, way: PooledOutputs, place: QRectF) -> None:
        theme, small = self.style.theme, metrics("small")
        base = place.top() - self.above + small.ascent()
        title, missed = self.plot_words(way)
        at = QPointF(place.left(), base)
        write_symbols(painter, at, title, theme.text, FONT_SIZE.small, place.width(), strong=True)
        write_symbols(painter, at + QPointF(0, small.height()), missed, theme.text2, FONT_SIZE.small, place.width())

    def _marks(self, way: PooledOutputs) -> tuple[Curve, ...]:
        """Return the points, the true function, the outputs by their queries, and the output of the chosen query."""
        shown, theme = self.shown, self.style.theme
        order = np.argsort(shown.queries, kind="stable")
        queries, opacity = shown.queries[order], np.full(len(shown.keys), float(POOLING_OPACITY))
        marks = [Curve(shown.keys, shown.values, theme.key, Qt.PenStyle.NoPen, POOLING_DOT, opacity)]
        if shown.truth is not None:
            marks.append(Curve(queries, shown.truth[order], theme.text3, Qt.PenStyle.DashLine))
        marks.append(Curve(queries, way.outputs[order], theme.query))
        if shown.row is not None:
            row = slice(shown.row, shown.row + 1)
            marks.append(Curve(shown.queries[row], way.outputs[row], theme.query, Qt.PenStyle.NoPen, POOLING_ANSWER))
        return tuple(marks)

    def _spot(self, way: PooledOutputs, row: int) -> PageSpot:
        """Return the meaning of a hover and a click at a query of a plot."""
        shown, text = self.shown, self.style.translate("Pages", "query {row}: {query} → {output}")
        said = text.format(row=row, query=significant(shown.queries[row], 4), output=significant(way.outputs[row], 4))
        return PageSpot(f"{self.plot_words(way)[0]}, {said}", PageCell(shown.stage, row, 0))


class PoolingsPage(RegressionPage[PoolingRules]):
    """Shows what attention pooling makes of the same points with one score and another."""

    name = "poolings"
    title = N_("Pages", "Ways to pool")
    layout = PoolingsLayout
    quick = 0  # a width is fitted
    roles = (Role.SCORE,)
    words = "average nadaraya watson parametric kernel dot regression 平均汇聚 注意力汇聚 核回归 参数化"
    options = (
        ChoiceOption(
            "function",
            N_("Pages", "true function"),
            N_("Pages", "The curve behind the points, to compare the answers with"),
            _functions,
        ),
    )

    def turned(self, content: PoolingRules, before: Chosen, after: Chosen) -> PoolingRules | None:
        return PoolingRules(**{**vars(content), "function": after["function"]})

    def read(self, evaluation: Evaluation, context: PageContext, progress: Progress) -> PoolingRules:
        problem = evaluation.problem
        found = poolings(problem, context.batch, context.head, progress)
        keys, values, queries = (
            _column(evaluation, evaluation.latest[name], context) for name in ("key", "value", "query")
        )
        return PoolingRules(
            keys,
            values,
            queries,
            tuple(found),
            context.options["function"],
            evaluation.mixed,
            context.query(evaluation),
            context.head,
            problem.num_heads,
        )
