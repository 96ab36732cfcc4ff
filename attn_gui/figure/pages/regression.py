"""Page of ways to pool: the same points with the curves of average, kernel, fitted kernel and dot product."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter

from attn_gui.engine import Evaluation, Problem
from attn_gui.engine.analysis.regression import TRUE_FUNCTIONS, Pooled, function_behind, poolings
from attn_gui.engine.arrays import item_of
from attn_gui.engine.graph.stage import Role
from attn_gui.engine.progress import Tell
from attn_gui.figure.output.text import write_within
from attn_gui.figure.pages.aim import Aim
from attn_gui.figure.pages.axes import axes_in
from attn_gui.figure.pages.frame import body_width, framed
from attn_gui.figure.pages.ink import Ink, metrics
from attn_gui.figure.pages.knobs import Choice
from attn_gui.figure.pages.knobs import Values as Chosen
from attn_gui.figure.pages.page_drawing import Cell, Drawing, Spot
from attn_gui.figure.pages.plot import Curve, Plot
from attn_gui.figure.pages.retrieving.curve import RegressionPage
from attn_gui.figure.text.page_words import Words, page_words
from attn_gui.figure.tokens import FONT_SIZE, SPACING
from attn_gui.formats.file_sentences import QT_TRANSLATE_NOOP

Numbers = npt.NDArray[np.float64]

BESIDE, IN_A_ROW, SHAPE, LEAST = 240.0, 700.0, 0.7, 90.0
"""Widths from which on two plots stand side by side, and all; height over width of a plot, and its least height."""
DOT, ANSWER, SHADE = 2.2, 4.0, 130
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
        self.plots: list[Plot] = []
        x, y = np.concatenate([shown.keys, shown.queries]), self._heights()
        for number in range(count):
            left, top = body.left() + number % across * size[0], body.top() + number // across * size[1]
            room = QRectF(left, top + self.above, size[0] - SPACING.l, size[1] - self.above)
            self.plots.append(Plot(axes_in(room, x, y, names), ink.theme, self._marks(shown.pooled[number])))

    def drawing(self, title: str) -> Drawing:
        """The page; a click on a plot chooses the nearest query."""
        ways = zip(self.shown.pooled, self.plots, strict=True)
        fields = [plot.field(self.shown.queries, partial(self._spot, way)) for way, plot in ways]
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
        for way, plot in zip(self.shown.pooled, self.plots, strict=True):
            self._paint_heading(painter, way, plot.axes.plot)

    def _paint_heading(self, painter: QPainter, way: Pooled, place: QRectF) -> None:
        theme, small = self.ink.theme, metrics("small")
        base = place.top() - self.above + small.ascent()
        title, missed = self.told(way)
        at = QPointF(place.left(), base)
        write_within(painter, at, title, theme.text, FONT_SIZE.small, place.width(), strong=True)
        write_within(painter, at + QPointF(0, small.height()), missed, theme.text2, FONT_SIZE.small, place.width())

    def _marks(self, way: Pooled) -> tuple[Curve, ...]:
        """The points, the true function, the outputs by their queries, and the output of the chosen query."""
        shown, theme = self.shown, self.ink.theme
        order = np.argsort(shown.queries, kind="stable")
        queries, opacity = shown.queries[order], np.full(len(shown.keys), float(SHADE))
        marks = [Curve(shown.keys, shown.values, theme.key, Qt.PenStyle.NoPen, DOT, opacity)]
        if shown.truth is not None:
            marks.append(Curve(queries, shown.truth[order], theme.text3, Qt.PenStyle.DashLine))
        marks.append(Curve(queries, way.outputs[order], theme.query))
        if shown.row is not None:
            row = slice(shown.row, shown.row + 1)
            marks.append(Curve(shown.queries[row], way.outputs[row], theme.query, Qt.PenStyle.NoPen, ANSWER))
        return tuple(marks)

    def _spot(self, way: Pooled, row: int) -> Spot:
        """The meaning of a hover and a click at a query of a plot."""
        shown, text = self.shown, self.ink.translate("Pages", "query {row}: {query} → {output}")
        said = text.format(row=row, query=f"{shown.queries[row]:.4g}", output=f"{way.outputs[row]:.4g}")
        return Spot(f"{self.told(way)[0]}, {said}", Cell(shown.stage, row, 0))
