"""Page of attention pooling as regression: keys and values as points, the outputs as a curve, the chosen query."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QLineF, QPointF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from attn_gui.engine import Evaluation, Problem
from attn_gui.engine.evaluation.trace import is_long
from attn_gui.engine.graph.stage import Role
from attn_gui.engine.progress import Tell
from attn_gui.figure.output.page import PX_PER_CM
from attn_gui.figure.output.text import write_line
from attn_gui.figure.pages.aim import Aim
from attn_gui.figure.pages.axes import axes_in, paint_dot
from attn_gui.figure.pages.frame import Frame, framed
from attn_gui.figure.pages.ink import Ink, metrics
from attn_gui.figure.pages.page_drawing import Cell, Drawing, Spot
from attn_gui.figure.pages.page_kind import C, PageKind
from attn_gui.figure.pages.plot import Curve, Plot
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
        self.axes = axes_in(plot, x, y, names)
        self.plot = Plot(self.axes, ink.theme, self._marks())

    def drawing(self, title: str) -> Drawing:
        """The page; a click on the plot chooses the nearest query."""
        said = self.ink.translate("Pages", "{points} points, {queries} queries")
        said = said.format(points=len(self.curve.keys), queries=len(self.curve.queries))
        field, frame = self.plot.field(self.curve.queries, self._spot), self.frame
        return Drawing(frame.width, frame.height, title, f"{frame.title}. {said}.", self._paint, (field,))

    def _spot(self, row: int) -> Spot:
        curve, text = self.curve, self.ink.translate("Pages", "query {row}: {query} → {output}")
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

    def _marks(self) -> tuple[Curve, ...]:
        """The points, the outputs by their queries, and the chosen query."""
        curve, theme = self.curve, self.ink.theme
        order = np.argsort(curve.queries, kind="stable")
        points = Curve(curve.keys, curve.values, theme.key, Qt.PenStyle.NoPen, DOT, self._opacity())
        line = Curve(curve.queries[order], curve.outputs[order], theme.query)
        if curve.row is None:
            return points, line
        row = slice(curve.row, curve.row + 1)
        across = np.repeat(curve.queries[row], 2)
        chosen = Curve(across, np.array([self.axes.up.high, self.axes.up.low]), theme.query, Qt.PenStyle.DashLine)
        answer = Curve(curve.queries[row], curve.outputs[row], theme.query, Qt.PenStyle.NoPen, ANSWER)
        return chosen, points, line, answer

    def _opacity(self) -> Numbers:
        """Of the dots: with a chosen query, darker with more weight."""
        curve = self.curve
        if curve.weights is None:
            return np.full(len(curve.keys), float(SHADE))
        largest = float(np.nanmax(curve.weights, initial=0.0)) or 1.0
        return np.asarray(FAINTEST + (255 - FAINTEST) * np.nan_to_num(curve.weights / largest))

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
