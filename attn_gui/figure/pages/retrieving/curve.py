"""Page of attention pooling as regression: keys and values as points, the outputs as a curve, the chosen query."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QLineF, QPointF
from PySide6.QtGui import QColor, QPainter, QPen

from attn_gui.engine import Evaluation, Problem
from attn_gui.engine.evaluation.trace import is_long
from attn_gui.engine.graph.stage import Role
from attn_gui.engine.progress import Tell
from attn_gui.figure.output.page import PX_PER_CM
from attn_gui.figure.output.text import write_line
from attn_gui.figure.pages.aim import Aim
from attn_gui.figure.pages.axes import Axes, axes_in, paint_dot, paint_line
from attn_gui.figure.pages.frame import Frame, framed
from attn_gui.figure.pages.ink import Ink, metrics
from attn_gui.figure.pages.page_drawing import Cell, Drawing, Field, Spot
from attn_gui.figure.pages.page_kind import C, PageKind
from attn_gui.figure.text.fonts import WIDER_FONT
from attn_gui.figure.tokens import FONT_SIZE, LINE, SPACING
from attn_gui.formats.file_sentences import QT_TRANSLATE_NOOP

Numbers = npt.NDArray[np.float64]

SHAPE = 0.62
"""Own height of the plot over its width."""
LEAST = 3.2 * PX_PER_CM
DOT, ANSWER = 3.0, 4.5
FAINTEST, SHADE = 40, 180
"""Of 255: dots that lie on one another are darker, and with a chosen query those of larger weight."""
MOST_PLACES = 400
"""Places of the plot that can be clicked, side by side."""


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

    def nearest(self, x: float) -> int | None:
        """The query that is nearest to a place; None where no query is finite."""
        apart = np.abs(self.queries - x)
        return int(np.nanargmin(apart)) if np.isfinite(apart).any() else None


class RegressionPage(PageKind[C]):
    """A page of problems whose queries, keys and values are single numbers."""

    needs = QT_TRANSLATE_NOOP("Pages", "Needs keys and values of one column, as in the Nadaraya–Watson example")
    roles = (Role.SCORE,)

    def applies(self, problem: Problem) -> bool:
        return problem.d_k == problem.d_key == problem.d_v == 1 and not is_long(problem)


class CurvePage(RegressionPage[CurvePoints]):
    """Shows the regression: the points, and the output for every query."""

    name = "curve"
    title = QT_TRANSLATE_NOOP("Pages", "Regression curve")
    words = "regression nadaraya watson plot fit kernel 曲线 回归 拟合 核"

    def read(self, evaluation: Evaluation, aim: Aim, tell: Tell) -> CurvePoints:
        answer = evaluation.mixed
        keys, values, queries, outputs = (_column(evaluation, name, aim) for name in ("key", "value", "query", answer))
        row, weights = aim.query(evaluation), None
        if row is not None:
            place = slice(row, row + 1), slice(0, evaluation.problem.m)
            block = evaluation.block(evaluation.weights, aim.batch, aim.head, *place)
            weights = np.array(block[0], dtype=np.float64)
        tell(1.0)
        return CurvePoints(keys, values, queries, outputs, answer, evaluation.problem.num_heads, aim.head, row, weights)

    def plan(self, content: CurvePoints, ink: Ink, width: float | None, height: float | None) -> Drawing:
        layout = _Layout(content, ink, width, height)
        return layout.drawing(ink.translate("Pages", self.title))


class _Layout:
    """The key of dots and line above the plot, on one line or on two."""

    def __init__(self, curve: CurvePoints, ink: Ink, width: float | None, height: float | None) -> None:
        self.curve, self.ink = curve, ink
        line = metrics("small").height() + SPACING.s
        self.dots, self.line = (
            ink.translate("Pages", "keys and their values"),
            ink.translate("Pages", "output for every query"),
        )
        named = ink.translate("Pages", CurvePage.title)
        named += f" · {ink.words.head.format(curve.head)}" if curve.heads > 1 else ""
        frame: Frame = framed(
            ink,
            width,
            height,
            title=named,
            tall=lambda across: 2 * line + across * SHAPE,
            least=(LEAST, LEAST + 2 * line),
        )
        self.frame, body = frame, frame.body
        self.lines = 1 if self._key_width() <= body.width() - 4 * SPACING.xl else 2
        plot = body.adjusted(0, self.lines * line, 0, 0)
        names = ink.translate("Pages", "query, key"), ink.translate("Pages", "value, output")
        x, y = np.concatenate([curve.keys, curve.queries]), np.concatenate([curve.values, curve.outputs])
        self.axes: Axes = axes_in(plot, x, y, names)

    def drawing(self, title: str) -> Drawing:
        """The page; a click on the plot chooses the nearest query."""
        said = self.ink.translate("Pages", "{points} points, {queries} queries")
        said = said.format(points=len(self.curve.keys), queries=len(self.curve.queries))
        columns = max(1, min(MOST_PLACES, int(self.axes.plot.width())))
        field = Field(self.axes.plot, lambda _, column: self._spot(column, columns), 1, columns)
        frame = self.frame
        return Drawing(frame.width, frame.height, title, f"{frame.title}. {said}.", self._paint, (field,))

    def _spot(self, column: int, columns: int) -> Spot:
        across, curve = self.axes.across, self.curve
        row = curve.nearest(across.low + (column + 0.5) / columns * (across.high - across.low))
        if row is None:
            return Spot("")
        text = self.ink.translate("Pages", "query {row}: {query} → {output}")
        text = text.format(row=row, query=f"{curve.queries[row]:.4g}", output=f"{curve.outputs[row]:.4g}")
        return Spot(text, Cell(self.curve.stage, row, 0))

    def _key_width(self) -> float:
        """The width of the key on one line, in a viewer's font."""
        words = map(metrics("small").horizontalAdvance, (self.dots, self.line))
        return sum(words) * WIDER_FONT + 4 * DOT + 3 * SPACING.xl

    # --- painting --------------------------------------------------------------------------------
    def _paint(self, painter: QPainter) -> None:
        self.frame.paint(painter)
        self._paint_key(painter)
        self.axes.paint(painter, self.ink.theme)
        self._paint_chosen(painter)
        for at, shade in zip(self.axes.points(self.curve.keys, self.curve.values), self._shades(), strict=True):
            self._dot(painter, at, shade)
        order = np.argsort(self.curve.queries, kind="stable")
        places = self.axes.points(self.curve.queries[order], self.curve.outputs[order])
        paint_line(painter, places, self.ink.theme.query)
        if self.curve.row is not None:
            row = slice(self.curve.row, self.curve.row + 1)
            for at in self.axes.points(self.curve.queries[row], self.curve.outputs[row]):
                paint_dot(painter, at, self.ink.theme.query, ANSWER)

    def _paint_chosen(self, painter: QPainter) -> None:
        """A dashed line where the chosen query lies."""
        if self.curve.row is None or not np.isfinite(x := float(self.curve.queries[self.curve.row])):
            return
        plot, at = self.axes.plot, self.axes.place(x, 0).x()
        paint_line(painter, (QPointF(at, plot.top()), QPointF(at, plot.bottom())), self.ink.theme.query, dashed=True)

    def _shades(self) -> list[float]:
        """Shades of the dots that can be drawn: with a chosen query, darker with more weight."""
        curve = self.curve
        shades = np.full(len(curve.keys), float(SHADE))
        if curve.weights is not None:
            largest = float(np.nanmax(curve.weights, initial=0.0)) or 1.0
            shades = FAINTEST + (255 - FAINTEST) * np.nan_to_num(curve.weights / largest)
        return [float(shade) for shade in shades[np.isfinite(curve.keys) & np.isfinite(curve.values)]]

    def _paint_key(self, painter: QPainter) -> None:
        theme, small, body = self.ink.theme, metrics("small"), self.frame.body
        down, pitch = QPointF(0, small.capHeight() / 2), small.height() + SPACING.s
        at = QPointF(self.axes.plot.left(), body.top() + small.ascent() - down.y())
        self._dot(painter, at + QPointF(SPACING.m, 0), SHADE)
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
        color = QColor(self.ink.theme.key)
        color.setAlpha(round(shade))
        paint_dot(painter, at, color, DOT)


def _column(evaluation: Evaluation, stage: str, aim: Aim) -> Numbers:
    """A stage of one column, apart from the evaluation."""
    rows = slice(0, evaluation.shape(stage)[-2])
    return np.array(evaluation.block(stage, aim.batch, aim.head, rows, slice(0, 1))[:, 0], dtype=np.float64)
