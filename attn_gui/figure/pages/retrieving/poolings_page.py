"""Page of ways to pool: the same points with the curves of average, kernel, fitted kernel and dot product."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QPainter

from attn_gui.engine import Evaluation, Problem
from attn_gui.engine.analysis.regression import TRUE_FUNCTIONS, Pooled, function_behind, poolings
from attn_gui.engine.arrays import item_of
from attn_gui.engine.graph.stage import Role
from attn_gui.engine.progress import Tell
from attn_gui.figure.output.text import write_within
from attn_gui.figure.pages.aim import Aim
from attn_gui.figure.pages.axes import Axes, axes_in, paint_dot, paint_line
from attn_gui.figure.pages.frame import body_width, framed
from attn_gui.figure.pages.ink import Ink, metrics
from attn_gui.figure.pages.knobs import Choice
from attn_gui.figure.pages.knobs import Values as Chosen
from attn_gui.figure.pages.page_drawing import Cell, Drawing, Field, Spot
from attn_gui.figure.pages.retrieving.curve import RegressionPage
from attn_gui.figure.text.page_words import Words, page_words
from attn_gui.figure.tokens import FONT_SIZE, SPACING
from attn_gui.formats.file_sentences import QT_TRANSLATE_NOOP

Numbers = npt.NDArray[np.float64]

BESIDE, IN_A_ROW, SHAPE, LEAST = 240.0, 700.0, 0.7, 90.0
"""Widths from which on two plots stand side by side, and all; height over width of a plot, and its least height."""
DOT, ANSWER, SHADE = 2.2, 4.0, 130
MOST_PLACES = 200
NONE = "none"


def _functions(aim: Aim, values: Chosen) -> Mapping[str, Words]:
    """The functions that can be drawn, the one behind the points first where there is one."""
    found = {key: (("", function.text),) for key, function in TRUE_FUNCTIONS.items()}
    offered = {NONE: page_words(QT_TRANSLATE_NOOP("Pages", "not drawn")), **found}
    problem = aim.problem
    behind = None if problem.projected else function_behind(*(_points(problem, aim, name) for name in ("key", "value")))
    return offered if behind is None else {behind: offered[behind], **offered}


def _points(problem: Problem, aim: Aim, field: str) -> Numbers:
    """The keys or values of the head on show, as they are given."""
    array = np.asarray(getattr(problem, field), dtype=np.float64)
    return np.asarray(item_of(array, aim.batch)[:, aim.head * problem.kv_heads // problem.num_heads])


@dataclass(frozen=True, eq=False)
class Ways:
    """Points (m,), queries (n,), the ways with their outputs, the key of the function behind the points."""

    keys: Numbers
    values: Numbers
    queries: Numbers
    pooled: tuple[Pooled, ...]
    function: str
    stage: str
    row: int | None
    head: int
    heads: int

    @property
    def truth(self) -> Numbers | None:
        """The function at the queries."""
        with np.errstate(all="ignore"):
            return None if self.function == NONE else TRUE_FUNCTIONS[self.function].at(self.queries)

    def missed(self, way: Pooled) -> float | None:
        """The mean squared distance from the function at the queries."""
        truth = self.truth
        if truth is None:
            return None
        with np.errstate(all="ignore"):
            apart = ((way.outputs - truth) ** 2)[np.isfinite(truth)]
            return float(np.mean(apart)) if apart.size else None


class PoolingsPage(RegressionPage[Ways]):
    """Shows what attention pooling makes of the same points with one score and another."""

    name = "poolings"
    title = QT_TRANSLATE_NOOP("Pages", "Ways to pool")
    roles = (Role.SCORE,)
    words = "average nadaraya watson parametric kernel dot regression 平均汇聚 注意力汇聚 核回归 参数化"
    knobs = (Choice("function", QT_TRANSLATE_NOOP("Pages", "true function"), _functions),)

    def is_quick(self, aim: Aim) -> bool:
        return False  # a width is fitted

    def turned(self, content: Ways, before: Chosen, after: Chosen) -> Ways | None:
        return Ways(**{**vars(content), "function": after["function"]})

    def read(self, evaluation: Evaluation, aim: Aim, tell: Tell) -> Ways:
        problem = evaluation.problem
        found = poolings(problem, aim.batch, aim.head, tell)
        names = evaluation.latest("key"), evaluation.latest("value"), evaluation.latest("query")
        keys, values, queries = (
            np.array(
                evaluation.block(name, aim.batch, aim.head, slice(0, evaluation.shape(name)[-2]), slice(0, 1))[:, 0],
                dtype=np.float64,
            )
            for name in names
        )
        return Ways(
            keys,
            values,
            queries,
            tuple(found),
            aim.knobs["function"],
            evaluation.mixed,
            aim.query(evaluation),
            aim.head,
            problem.num_heads,
        )

    def plan(self, content: Ways, ink: Ink, width: float | None, height: float | None) -> Drawing:
        return _Layout(content, ink, width, height).drawing(ink.translate("Pages", self.title))


class _Layout:
    """A plot for each way, all with the same axes."""

    def __init__(self, shown: Ways, ink: Ink, width: float | None, height: float | None) -> None:
        self.shown, self.ink = shown, ink
        count, self.above = len(shown.pooled), 2 * metrics("small").height() + SPACING.s
        head = f" · {ink.words.head.format(shown.head)}" if shown.heads > 1 else ""
        across = min(count, 1 + (body_width(width) >= BESIDE)) if body_width(width) < IN_A_ROW else count
        down = math.ceil(count / across)
        self.frame = framed(
            ink,
            width,
            height,
            title=ink.translate("Pages", PoolingsPage.title) + head,
            note=self._note(),
            tall=lambda wide: down * (wide / across * SHAPE + self.above),
            least=(160.0, down * (LEAST + self.above)),
        )
        body = self.frame.body
        size = body.width() / across, body.height() / down
        names = (ink.translate("Pages", "query, key") if down == 1 else ""), ""
        self.plots: list[Axes] = []
        x, y = np.concatenate([shown.keys, shown.queries]), self._heights()
        for number in range(count):
            left, top = body.left() + number % across * size[0], body.top() + number // across * size[1]
            room = QRectF(left, top + self.above, size[0] - SPACING.l, size[1] - self.above)
            self.plots.append(axes_in(room, x, y, names))

    def drawing(self, title: str) -> Drawing:
        """The page; a click on a plot chooses the nearest query."""
        fields = []
        for number, axes in enumerate(self.plots):
            columns = max(1, min(MOST_PLACES, int(axes.plot.width())))
            spot = _Spots(self, number, columns)
            fields.append(Field(axes.plot, spot, 1, columns))
        said = ". ".join(" ".join(self.told(way)) for way in self.shown.pooled)
        frame = self.frame
        return Drawing(
            frame.width, frame.height, title, f"{frame.title}. {said}. {self._note()}", self._paint, tuple(fields)
        )

    def told(self, way: Pooled) -> tuple[str, str]:
        """The title of a plot, and how far the curve is from the true function."""
        title, missed = self.ink.translate("Pages", way.title), self.shown.missed(way)
        text = self.ink.translate("Pages", "MSE {error}")
        return title.format(w=f"{way.w or 0:.4g}"), "" if missed is None else text.format(error=f"{missed:.3g}")

    def _note(self) -> str:
        shown = self.shown
        if shown.function == NONE:
            return self.ink.translate("Pages", "Points: keys and their values. Line: output for every query.")
        function = TRUE_FUNCTIONS[shown.function]
        text = self.ink.translate(
            "Pages",
            "Points: keys and their values. Line: output for every query. Dashed: {function}, the function of this "
            "textbook example, which explains {percent} % of the variance of the values; MSE: mean squared distance "
            "from it at the queries.",
        )
        share = function.explained(shown.keys, shown.values)
        return text.format(function=function.text, percent=f"{100 * share:.0f}" if np.isfinite(share) else "–")

    def _heights(self) -> Numbers:
        """All numbers that are drawn upward, so that the plots can be compared."""
        truth = self.shown.truth
        return np.concatenate(
            [self.shown.values, *(way.outputs for way in self.shown.pooled), *([] if truth is None else [truth])]
        )

    # --- painting --------------------------------------------------------------------------------
    def _paint(self, painter: QPainter) -> None:
        self.frame.paint(painter)
        for way, axes in zip(self.shown.pooled, self.plots, strict=True):
            self._paint_plot(painter, way, axes)

    def _paint_plot(self, painter: QPainter, way: Pooled, axes: Axes) -> None:
        theme, small, shown = self.ink.theme, metrics("small"), self.shown
        base = axes.plot.top() - self.above + small.ascent()
        title, missed = self.told(way)
        room = axes.plot.width()
        at = QPointF(axes.plot.left(), base)
        write_within(painter, at, title, theme.text, FONT_SIZE.small, room, strong=True)
        write_within(painter, at + QPointF(0, small.height()), missed, theme.text2, FONT_SIZE.small, room)
        axes.paint(painter, theme)
        dots = QColor(theme.key)
        dots.setAlpha(SHADE)
        for point in axes.points(shown.keys, shown.values):
            paint_dot(painter, point, dots, DOT)
        order = np.argsort(shown.queries, kind="stable")
        if shown.truth is not None:
            line = axes.points(shown.queries[order], shown.truth[order])
            paint_line(painter, line, theme.text3, dashed=True)
        paint_line(painter, axes.points(shown.queries[order], way.outputs[order]), theme.query)
        if shown.row is not None:
            row = slice(shown.row, shown.row + 1)
            for point in axes.points(shown.queries[row], way.outputs[row]):
                paint_dot(painter, point, theme.query, ANSWER)


@dataclass(frozen=True)
class _Spots:
    """The meaning of a hover and a click at a place of a plot."""

    layout: _Layout
    number: int
    columns: int

    def __call__(self, _row: int, column: int) -> Spot:
        shown, across = self.layout.shown, self.layout.plots[self.number].across
        apart = np.abs(shown.queries - (across.low + (column + 0.5) / self.columns * (across.high - across.low)))
        if not np.isfinite(apart).any():
            return Spot("")
        row, way = int(np.nanargmin(apart)), shown.pooled[self.number]
        text = self.layout.ink.translate("Pages", "query {row}: {query} → {output}")
        said = text.format(row=row, query=f"{shown.queries[row]:.4g}", output=f"{way.outputs[row]:.4g}")
        return Spot(f"{self.layout.told(way)[0]}, {said}", Cell(shown.stage, row, 0))
