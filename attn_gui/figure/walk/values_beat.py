"""Beat of the values: the weights of a row pour into the rows of V, and what they carry adds up."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor

from attn_gui.engine.analysis.explanation import Terms
from attn_gui.engine.graph.expressions import Cell, Expression, Number, Product, Sum
from attn_gui.engine.graph.symbols_and_titles import symbol
from attn_gui.figure.operands import stage_plane
from attn_gui.figure.text.rich_text import escaped, strong
from attn_gui.figure.walk.beat import Beat
from attn_gui.figure.walk.equations import Addend, WalkEquation, addends, shortened, sum_of
from attn_gui.figure.walk.softmax_beats import mixed, percent
from attn_gui.figure.walk.walk_canvas import SMALL, WalkCanvas, between, part
from attn_gui.figure.walk.walk_context import Index, WalkContext
from attn_gui.figure.writers import END, MIDDLE
from attn_gui.languages import QT_TRANSLATE_NOOP

TOP, BOTTOM, FEW, THICK = 58.0, 298.0, 2, 18.0
"""Where the rows begin and end, up to how many rows are drawn large, and from where on a band holds its percentage."""
Color = Callable[[float], QColor]


@dataclass(frozen=True)
class PourRow:
    """An addend of the picture: its two cells, none for several keys as one, and where it stands."""

    addend: Addend
    equation: WalkEquation
    cells: tuple[Cell, ...]
    weight: QRectF
    value: QRectF
    product: QRectF


class PourBeat(Beat):
    """Bands as thick as the weights run into the rows of V; the products add up to one cell of the output.

    The `key` that a walk follows has a band of its own, however small its weight.
    """

    seconds = 1.2

    def __init__(self, context: WalkContext, stage: str, index: Index, key: int | None = None) -> None:
        super().__init__(context, stage, index)
        explanation = context.explain(stage, index)
        terms = explanation.terms
        self.total = Sum(len(terms), lambda k: terms_product(terms, k), terms.values)
        weights = context.row(context.evaluation.weights, (*index[:3], 0))
        self.addends = addends(self.total, weights[terms.positions], None if key is None else terms.place_of(key))
        self.cells = [() if one.count > 1 else terms[one.place].cells for one in self.addends]
        self._value, self.closed = explanation.value, context.evaluation.problem.m - len(terms)
        parts = [shortened(one.formula) for one in self.addends]
        self.products = [WalkEquation(context, part, one.value) for part, one in zip(parts, self.addends, strict=True)]
        self.equation = WalkEquation(context, sum_of(parts), self._value)
        added = sum_of([Number(one.value) for one in self.addends])
        self.added = self.equation if len(parts) == 1 else WalkEquation(context, added, self._value)
        self.shares = context.evaluation.node(context.evaluation.weights).stage.shares
        self._read_values()

    def _read_values(self) -> None:
        """Read the column of V, and the one after it where there is one, of the keys that are shown."""
        evaluation = self.context.evaluation
        name = next((cells[1].name for cells in self.cells if len(cells) > 1), "value")
        self.value_name = name
        self._plane = stage_plane(evaluation, name, self.context.batch, self.context.head)
        width, self.column = self._plane.shape[1], self.index[-1]
        self.second = self.column + 1 if self.column + 1 < width else self.column - 1 if width > 1 else None
        self._more = width > 2

    @property
    def value(self) -> float:
        return self._value

    @property
    def title(self) -> str:
        return self.context.words(QT_TRANSLATE_NOOP("Walk", "Pour into {value}"), value=symbol(self.value_name))

    @property
    def sentence(self) -> str:
        cell, value = self.context.cell(self.made, self.index), self.context.strong(self.value)
        if not self.products:
            return self.context.words(
                QT_TRANSLATE_NOOP("Walk", "No key is seen by {query}: {cell} = {value}."),
                query=self.context.query(self.index[-2]),
                cell=cell,
                value=value,
            )
        return self.context.words(
            QT_TRANSLATE_NOOP("Walk", "The weights pour into the rows of {matrix}: {equation}, which lands in {cell}."),
            matrix=symbol(self.value_name),
            equation=str(self.equation).replace("·", " × "),
            cell=cell,
        )

    @property
    def result(self) -> str:
        return self.context.strong(self.value) if not self.products else str(self.added)

    # --- picture ---------------------------------------------------------------------------------
    def paint(self, canvas: WalkCanvas, progress: float) -> None:
        run, drop = part(progress, 0.0, 0.4), part(progress, 0.35, 0.7)
        weights = self.context.board(self.context.evaluation.weights, (*self.index[:3], 0), column=False).map.color
        values, rows = self._value_color(), self._rows()
        self._paint_heads(canvas, rows)
        for row in rows:
            if row.cells:
                self._paint_way(canvas, row, run, weights, values)
            else:
                text = self.context.words(QT_TRANSLATE_NOOP("Walk", "{count} other keys"), count=row.addend.count)
                canvas.text(row.weight.left(), row.weight.center().y() + 4, text, 12, canvas.theme.text2, room=220.0)
            if drop > 0:
                self._paint_product(canvas, row, drop, values)
        for above, below in pairwise(rows):
            if drop >= 1.0:
                x = below.product.left() - 12 if len(rows) > FEW else below.product.center().x()
                y = (above.product.bottom() + below.product.top()) / 2 + (14 if len(rows) <= FEW else 5)
                canvas.text(x, y, strong("+"), 15, canvas.theme.text, MIDDLE)
        if self.closed:
            self._paint_closed(canvas, rows)
        self._paint_total(canvas, rows, part(progress, 0.72, 0.92), self.board.map.color)

    def _rows(self) -> list[PourRow]:
        """Return where the addends stand: few ones large, with their names above."""
        count = max(len(self.addends), 1) + (self.closed > 0)
        few = count <= FEW
        pitch = 136.0 if few else min(77.0, (BOTTOM - TOP) / count)
        height = 85.0 if few else pitch - 9
        found = []
        for k, (one, equation, cells) in enumerate(zip(self.addends, self.products, self.cells, strict=True)):
            top = TOP + (10 if few else 4) + k * pitch
            left = 40.0 if few else 112.0
            weight = QRectF(left, top, 140 - left, height)
            value = QRectF(355 if few else 300, top, 98 if few else 84, height)
            side = min(44.0, height)
            product = QRectF(612 if few else 470, top + (height - side) / 2, 128, side)
            found.append(PourRow(one, equation, cells, weight, value, product))
        return found

    def _paint_heads(self, canvas: WalkCanvas, rows: Sequence[PourRow]) -> None:
        if not rows:
            return
        theme, column, value = canvas.theme, QT_TRANSLATE_NOOP("Walk", "column {number}"), rows[0].value
        numbers = self._plane.column_numbers
        canvas.text(value.left() + 1, TOP - 10, strong(escaped(symbol(self.value_name))), 14, theme.text)
        canvas.text(
            value.left() + 18, TOP - 10, self.context.words(column, number=numbers[self.column]), SMALL, theme.text2
        )
        if self.second is not None and len(rows) <= FEW:
            x = value.right() + 8
            canvas.text(x, TOP - 10, self.context.words(column, number=numbers[self.second]), SMALL, theme.text3)

    def _paint_way(self, canvas: WalkCanvas, row: PourRow, run: float, weight_color: Color, value_color: Color) -> None:
        theme, own, place = canvas.theme, row.weight, row.value
        weight, value, key = row.cells[0].value, row.cells[1].value, row.cells[1].index[-2]
        name = strong(escaped(self.context.plain_key(key)))
        if own.height() > 80:
            canvas.text(own.center().x(), own.top() - 9, name, 12, theme.key, MIDDLE, 130)
        else:
            canvas.text(own.left() - 8, own.center().y() + 4, name, 12, theme.key, END, 90)
        thick = max(min(abs(weight), 1.0) * own.height(), 1.0) if math.isfinite(weight) else own.height()
        band = QRectF(own.right(), own.center().y() - thick / 2, (place.left() - own.right()) * run, thick)
        canvas.bar(band, mixed(weight_color(weight), theme.surface, 0.5) if thick > THICK else theme.text3)
        if run >= 1.0:
            said = percent(weight) if self.shares else self.context.number(weight)
            foot = own.center().y() + 5 if thick > THICK else band.top() - 3  # beside a thin band, not on it
            canvas.text(band.center().x(), foot, strong(said), 13, theme.text, MIDDLE)
        if own.width() > 40:
            canvas.box(own, self.context.number(weight), weight_color(weight), pixels=min(18, own.height() * 0.5))
        else:
            canvas.box(own, "", weight_color(weight))
        size = min(20, place.height() * 0.5)
        canvas.box(place, self.context.number(value), value_color(value), theme.key, pixels=size, width=2.0)
        if self.second is not None and own.height() > 80:
            beside = QRectF(place.right() + 1, place.top(), 94, place.height())
            cells = slice(key, key + 1), slice(self.second, self.second + 1)
            other = float(self._plane.block(*cells)[0][0, 0])
            canvas.box(beside, self.context.number(other), theme.raised, pixels=15, color=theme.text2)
            if self._more:
                canvas.text(beside.right() + 6, beside.center().y() + 3, "…", 15, theme.text2)

    def _paint_product(self, canvas: WalkCanvas, row: PourRow, drop: float, color: Color) -> None:
        theme, number, product = canvas.theme, self.context.number(row.addend.value), row.product
        few = row.value.height() > 80
        begin = row.value.right() + (6 if not few or self.second is None else 122 if self._more else 100)
        canvas.arrow(QPointF(begin, product.center().y()), QPointF(product.left() - 18, product.center().y()))
        said = row.equation.left.replace("·", " × ") if row.cells else number
        fill = mixed(color(row.addend.value), theme.surface, 0.55)
        moving = product.translated((drop - 1) * 60, 0)
        canvas.box(moving, said, fill, pixels=min(14.0, product.height() * 0.55), color=theme.text)
        if drop >= 1.0 and row.cells:
            if few:
                canvas.text(
                    product.center().x(), product.bottom() + 18, row.equation.right.strip(), 13, theme.text, MIDDLE
                )
            else:
                canvas.text(product.right() + 8, product.center().y() + 5, row.equation.right.strip(), 13, theme.text)

    def _paint_closed(self, canvas: WalkCanvas, rows: Sequence[PourRow]) -> None:
        """Paint the keys that the query does not see as one hatched row."""
        place = QRectF(112, TOP + 8, 28, 20)
        if rows:
            last = rows[-1].weight
            place = QRectF(last.left(), last.bottom() + 8, last.width(), 20)
        canvas.hatched(place)
        text = self.context.words(QT_TRANSLATE_NOOP("Walk", "{count} masked"), count=self.closed)
        canvas.text(place.right() + 10, place.center().y() + 4, f"{text}: 0", 12, canvas.theme.text2)

    def _paint_total(self, canvas: WalkCanvas, rows: Sequence[PourRow], share: float, color: Color) -> None:
        center = rows[-1].product.center().x() if rows else 676.0
        total = QRectF(center - 56, 306, 112, 40)
        name = strong(self.context.cell(self.made, self.index))
        canvas.text(total.left() - 10, total.center().y() + 5, name, 13, canvas.theme.text, END)
        if share <= 0:
            canvas.slot(total)
            return
        if len(rows) <= FEW and share >= 1.0:
            canvas.arrow(QPointF(center, total.top() - 17), QPointF(center, total.top() - 4))
        moving = QRectF(total)
        moving.moveCenter(between(total.center() - QPointF(0, 26), total.center(), share))
        number = strong(self.context.number(self.value))
        canvas.box(moving, number, color(self.value), canvas.theme.ink, pixels=19, width=2.2)

    def _value_color(self) -> Color:
        keys = [cells[1].index[-2] for cells in self.cells if len(cells) > 1] or [0]
        return self.context.board(self.value_name, self._plane.index(keys[0], self.column)).map.color


def terms_product(terms: Terms, place: int) -> Expression:
    """Return the product of a weight and a value; 0 where a zero weight holds NaN and infinity back."""
    term = terms[place]
    wild = term.value == 0 and not np.isfinite([cell.value for cell in term.cells]).all()
    return Number(0.0) if wild else Product(*term.cells)
