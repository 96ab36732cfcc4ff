"""Page “Retrieval”: keys ranked by weight, parts a · v of the output as bars, what it says where a head is off."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from attn_gui.engine import Evaluation
from attn_gui.engine.analysis.regression import Mixture, mixture
from attn_gui.engine.arrays import Progress
from attn_gui.engine.creation.interventions import off_heads
from attn_gui.engine.graph.stage import Role
from attn_gui.engine.graph.symbols_and_titles import symbol
from attn_gui.figure.colors import even_color
from attn_gui.figure.design_tokens import FONT_SIZE, SPACING
from attn_gui.figure.pages.page_charts import token_and_place, token_of
from attn_gui.figure.pages.page_kind import (
    BESIDE,
    NumberOption,
    PageCell,
    PageContext,
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
from attn_gui.figure.pages.plot import Numbers
from attn_gui.figure.text.number_formats import difference_text, list_number
from attn_gui.figure.text.rich_text import write_symbols
from attn_gui.figure.writers import END, write_line
from attn_gui.formats.array_rows import stage_labels
from attn_gui.languages import N_

USUAL, MOST_KEYS, MOST_COLUMNS = 8, 24, 12
"""Keys by name unless asked for more, at most, and columns of the output; of more, the largest."""
ROW, LEAST_ROW, MOST_ROW = 18.0, 14.0, 28.0
LEAST_BAR, TOKEN = 40.0, 78.0
MARK = 9.0
LIGHTNESS, CHROMA, TURN = {"light": 0.58, "dark": 0.74}, 0.13, 0.381966


@dataclass(frozen=True, eq=False)
class QueryMixture:
    """The mixture of one query, what is shown of it, and the words that it needs."""

    found: Mixture
    query: int
    tokens: tuple[tuple[str, ...] | None, tuple[str, ...] | None]
    stages: tuple[str | None, str, str]
    head: int
    heads: int
    off: bool

    @property
    def columns(self) -> list[int]:
        """The columns of the output that are shown: all, or those of largest magnitude, in order."""
        size = np.nan_to_num(np.abs(self.found.output), nan=np.inf)
        return sorted(np.argsort(-size, kind="stable")[:MOST_COLUMNS].tolist())

    @property
    def pieces(self) -> Numbers:
        """Terms of the columns shown, (key, column): of the keys by name, and of all others as one more."""
        found = self.found
        parts = np.concatenate([found.parts, found.rest[None]]) if found.others else found.parts
        return np.asarray(parts[:, self.columns])


class RetrievalLayout(PageLayout):
    """The ranking to the left or above, the mixture to the right or below."""

    def __init__(self, shown: QueryMixture, style: PageStyle, size: Sides) -> None:
        self.shown, self.style = shown, style
        self.columns, self.pieces = shown.columns, shown.pieces
        self.keys = len(self.pieces)
        self.head = metrics("small").height() + SPACING.s
        beside = body_width(size) >= BESIDE
        rows = max(self.keys, len(self.columns)) if beside else self.keys + len(self.columns)
        heads = self.head if beside else 2 * self.head + SPACING.l
        self.frame = with_frame(
            style,
            size,
            title=self._title(),
            subtitle=self._subtitle(),
            note=self._note(),
            tall=lambda across: heads + rows * ROW,
            least=(230.0, heads + rows * LEAST_ROW),
        )
        body = self.frame.body
        self.row = min((body.height() - heads) / rows, MOST_ROW)
        half = body.width() / 2 - SPACING.l if beside else body.width()
        self.ranking = QRectF(body.left(), body.top() + self.head, half, self.keys * self.row)
        left = body.right() - half
        top = self.ranking.top() if beside else self.ranking.bottom() + SPACING.l + self.head
        self.mixture = QRectF(left, top, half, len(self.columns) * self.row)
        self.number = metrics("micro").horizontalAdvance("−00.000") + SPACING.s
        self.token = min(TOKEN, half * 0.3)

    def said(self) -> str:
        return f"{self.frame.title}. {self._subtitle()}. {self._note()}"

    def fields(self) -> tuple[SpotGrid, ...]:
        """Return keys and columns: a click on a key chooses its weight, one on a column the cell of the output."""
        return (
            SpotGrid(self.ranking, lambda row, _: self._key_spot(row), self.keys),
            SpotGrid(self.mixture, lambda row, _: self._column_spot(row), len(self.columns)),
        )

    # --- words -----------------------------------------------------------------------------------
    def _title(self) -> str:
        shown = self.shown
        token = f" “{token_of(shown.tokens[0], shown.query)}”" if shown.tokens[0] else ""
        title = self.style.translate("Pages", "Retrieval, query {query}").format(query=shown.query) + token
        return f"{title} · {self.style.words.head.format(shown.head)}" if shown.heads > 1 else title

    def _subtitle(self) -> str:
        if not self.shown.found.by_hand:
            return self.style.translate("Pages", "Compared with every key, then the values are mixed by the weights")
        if self.shown.off:
            return self.style.translate("Pages", "What the weights mix; but the head is off, and its O counts as 0")
        return self.style.translate("Pages", "What the weights mix; the result O is then changed by hand")

    def _note(self) -> str:
        shown, said = self.shown, []
        count = len(shown.found.output)
        if len(self.columns) < count:
            text = self.style.translate("Pages", "Of {count} columns the {shown} of largest magnitude.")
            said.append(text.format(count=count, shown=len(self.columns)))
        if shown.found.difference == 0:
            said.append(self.style.translate("Pages", "The parts add up to the result O, to the last bit."))
        else:
            text = self.style.translate(
                "Pages", "The sum of the parts differs from the result O by at most {difference}."
            )
            said.append(text.format(difference=difference_text(shown.found.difference)))
        return " ".join(said)

    def _key(self, row: int) -> str:
        """Return the name of a key of the ranking, or that of all others."""
        found = self.shown.found
        if row == len(found.keys):
            return self.style.translate("Pages", "{count} others").format(count=found.others)
        return token_and_place(self.shown.tokens[1], found.keys[row])

    def _weight(self, row: int) -> float:
        found = self.shown.found
        return float(found.weights[row]) if row < len(found.keys) else found.others_weight

    def _key_spot(self, row: int) -> PageSpot:
        shown, found = self.shown, self.shown.found
        weight = f"{symbol(shown.stages[1])} = {list_number(self._weight(row), 4)}"
        if row == len(found.keys):
            return PageSpot(f"{self._key(row)}: {weight}")
        said = [weight]
        if shown.stages[0] is not None and found.scores is not None:
            said.insert(0, f"{symbol(shown.stages[0])} = {list_number(found.scores[row], 4)}")
        return PageSpot(f"{self._key(row)}: {', '.join(said)}", PageCell(shown.stages[1], shown.query, found.keys[row]))

    def _column_spot(self, row: int) -> PageSpot:
        shown, column = self.shown, self.columns[row]
        order = np.argsort(-np.nan_to_num(np.abs(self.pieces[:, row]), nan=np.inf), kind="stable")[:4]
        parts = ", ".join(f"{self._key(int(key))} {list_number(self.pieces[key, row], 4)}" for key in order)
        value = list_number(shown.found.output[column], 4)
        cell = f"{symbol(shown.stages[2])}[{shown.query}, {column}]"
        name = f"Σ a · v = {value}" if shown.found.by_hand else f"{cell} = {value}"
        return PageSpot(f"{name}: {parts}", PageCell(shown.stages[2], shown.query, column))

    # --- painting --------------------------------------------------------------------------------
    def _color(self, row: int) -> QColor:
        theme = self.style.theme
        if row == len(self.shown.found.keys):
            return QColor(theme.line_strong)
        return even_color(0.7 + row * TURN, LIGHTNESS[theme.name], CHROMA)

    def paint_body(self, painter: QPainter) -> None:
        self._paint_ranking(painter)
        self._paint_mixture(painter)

    def _paint_ranking(self, painter: QPainter) -> None:
        theme, place = self.style.theme, self.ranking
        names = place.left() + MARK + SPACING.s + self.token
        ends = names + self.number, names + 2 * self.number
        bars = QRectF(ends[1] + SPACING.s, 0, max(place.right() - ends[1] - SPACING.s, 1.0), 0)
        base = place.top() - SPACING.s
        write_line(painter, QPointF(place.left(), base), self.style.words.axes["key"], theme.key, FONT_SIZE.small)
        for end, stage in zip(ends, self.shown.stages[:2], strict=True):
            if stage is None:
                continue
            write_line(painter, QPointF(end, base), symbol(stage), theme.text2, FONT_SIZE.small, anchor=END)
        weights = [self._weight(row) for row in range(self.keys)]
        largest = max((weight for weight in weights if np.isfinite(weight)), default=0.0) or 1.0
        for row, weight in enumerate(weights):
            middle, micro = place.top() + (row + 0.5) * self.row, metrics("micro")
            down = QPointF(0, micro.capHeight() / 2)
            half = min(self.row * 0.32, 8.0)
            painter.fillRect(QRectF(place.left(), middle - MARK / 2, MARK, MARK), self._color(row))
            at = QPointF(place.left() + MARK + SPACING.s, middle + metrics("small").capHeight() / 2)
            write_symbols(painter, at, self._key(row), theme.text, FONT_SIZE.small, self.token)
            if (scores := self.shown.found.scores) is not None and row < len(scores):
                score = list_number(scores[row])
                write_line(painter, QPointF(ends[0], middle) + down, score, theme.text2, FONT_SIZE.micro, anchor=END)
            number = list_number(weight)
            write_line(painter, QPointF(ends[1], middle) + down, number, theme.text, FONT_SIZE.micro, anchor=END)
            if np.isfinite(weight):
                bar = QRectF(bars.left(), middle - half, max(bars.width() * weight / largest, 1.0), 2 * half)
                painter.fillRect(bar, self._color(row))

    def _paint_mixture(self, painter: QPainter) -> None:
        theme, place, micro = self.style.theme, self.mixture, metrics("micro")
        base = place.top() - SPACING.s
        if self.shown.found.by_hand:
            words = self.style.translate("Pages", "Σ a · v, column by column")
        else:
            words = self.style.translate("Pages", "O = Σ a · v, column by column")
        write_symbols(painter, QPointF(place.left(), base), words, theme.text2, FONT_SIZE.small, place.width())
        label = micro.horizontalAdvance(str(max(self.columns))) + SPACING.m
        bars = QRectF(
            place.left() + label, place.top(), place.width() - label - self.number - SPACING.s, place.height()
        )
        shares, low, high = _shares(self.pieces)
        zero = bars.left() - low / (high - low) * bars.width()
        for row, column in enumerate(self.columns):
            middle = place.top() + (row + 0.5) * self.row
            down = QPointF(0, micro.capHeight() / 2)
            at = QPointF(place.left() + label - SPACING.s, middle)
            write_line(painter, at + down, str(column), theme.text2, FONT_SIZE.micro, anchor=END)
            self._paint_bar(painter, shares[:, row], QRectF(zero, middle, bars.width() / (high - low), 0))
            text = list_number(self.shown.found.output[column])
            write_line(painter, QPointF(place.right(), middle) + down, text, theme.text, FONT_SIZE.micro, anchor=END)
        painter.setPen(QPen(theme.line_strong, 1.0, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap))
        painter.drawLine(QLineF(zero, place.top(), zero, place.bottom()))

    def _paint_bar(self, painter: QPainter, shares: Numbers, unit: QRectF) -> None:
        """Paint the parts of one column, positive ones right of zero, the others left; a line at their sum."""
        half, ends = min(self.row * 0.32, 8.0), [0.0, 0.0]
        for key, share in enumerate(shares.tolist()):
            side = int(share < 0)
            left = unit.left() + min(ends[side], ends[side] + share) * unit.width()
            painter.fillRect(QRectF(left, unit.top() - half, abs(share) * unit.width(), 2 * half), self._color(key))
            ends[side] += share
        at = unit.left() + sum(ends) * unit.width()
        painter.setPen(QPen(self.style.theme.ink, 2.0, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap))
        painter.drawLine(QLineF(at, unit.top() - half - 2, at, unit.top() + half + 2))


class RetrievalPage(PageKind[QueryMixture]):
    """Shows attention as a soft look-up: the query compared with every key, the values mixed by the weights."""

    name = "retrieval"
    title = N_("Pages", "Retrieval")
    layout = RetrievalLayout
    roles = (Role.MIX,)
    words = "query key value lookup ranking mixture weighted sum soft 检索 查找 排序 加权 混合 查询 键 值"
    options = (
        NumberOption(
            "keys",
            N_("Pages", "keys by name"),
            N_("Pages", "How many keys have a row of their own, largest weights first; the rest are one row"),
            USUAL,
            (1, MOST_KEYS),
            whole=True,
        ),
    )

    def read(self, evaluation: Evaluation, context: PageContext, progress: Progress) -> QueryMixture:
        query = context.query(evaluation) or 0
        found = mixture(evaluation, context.batch, context.head, query, int(context.options["keys"]))
        progress(1.0)
        stages = evaluation.logits, evaluation.weights, evaluation.mixed
        tokens = stage_labels(evaluation, evaluation.weights)
        problem = evaluation.problem
        off = context.head in off_heads(problem)
        return QueryMixture(found, query, tokens, stages, context.head, problem.num_heads, off)


def _shares(pieces: Numbers) -> tuple[Numbers, float, float]:
    """Return pieces as shares of the largest one, and the ends of their bars; what is not finite has no bar."""
    finite = np.where(np.isfinite(pieces), pieces, 0.0)
    shares = finite / (float(np.abs(finite).max(initial=0.0)) or 1.0)
    low, high = float(shares.clip(max=0).sum(axis=0).min()), float(shares.clip(min=0).sum(axis=0).max())
    return shares, low, high if high > low else low + 1.0
