"""Beat of the values: the weights of a row pour into the rows of V, and what they carry adds up."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor

from attn_gui.engine.analysis.explanation import Terms
from attn_gui.engine.graph.expressions import Expression, Number, Product, Sum
from attn_gui.engine.graph.nodes import symbol
from attn_gui.figure.display import auto_levels
from attn_gui.figure.operands import stage_plane
from attn_gui.figure.walk.beat import Beat
from attn_gui.figure.walk.canvas import Canvas, between, part
from attn_gui.figure.walk.context import Index, WalkContext
from attn_gui.figure.walk.equations import addend_side, addends, check, side_of
from attn_gui.figure.walk.rich_text import escaped, strong
from attn_gui.figure.walk.softmax import mixed, percent
from attn_gui.figure.writers import MIDDLE
from attn_gui.languages import QT_TRANSLATE_NOOP

WEIGHTS, VALUES, PRODUCTS = QRectF(40, 0, 100, 85), QRectF(355, 0, 98, 85), QRectF(612, 0, 128, 44)
"""Columns of the picture: weights at the left, values in the middle, their products at the right."""
TOP, BOTTOM = 58.0, 290.0

Color = Callable[[float], QColor]


class PourBeat(Beat):
    """Bands as thick as the weights run into the rows of V; the products add up to one cell of the output."""

    seconds = 1.2

    def __init__(self, context: WalkContext, stage: str, index: Index) -> None:
        super().__init__(context, stage, index)
        explanation = context.explain(stage, index)
        terms = explanation.terms
        self.total = Sum(len(terms), lambda k: terms_product(terms, k), terms.values)
        self.addends = addends(self.total)
        self.cells = [() if one.count > 1 else terms[one.place].cells for one in self.addends]
        self.side = side_of(context, self.total) if len(terms) else None
        self._value = explanation.value
        for one in self.addends:
            check(context, addend_side(context, one), one.value)
        context.printed.add(self._value, math.fsum, [one.value for one in self.addends])
        if self.side is not None:
            check(context, self.side, self._value)
        self._read_values()

    def _read_values(self) -> None:
        """Read the column of V, and the one after it where there is one, of the keys that are shown."""
        evaluation = self.context.evaluation
        name = next((cells[1].name for cells in self.cells if len(cells) > 1), "value")
        self.value_name = name
        plane = stage_plane(evaluation, name, self.context.batch, self.context.head)
        self.column, width = self.index[-1], plane.shape[1]
        self.second = self.column + 1 if self.column + 1 < width else self.column - 1 if width > 1 else None
        self._plane = plane
        values = [cells[1].value for cells in self.cells if len(cells) > 1]
        self.levels = auto_levels(np.array(values or [0.0]), signed=True, keys=1)

    @property
    def value(self) -> float:
        return self._value

    @property
    def title(self) -> str:
        return self.context.words(QT_TRANSLATE_NOOP("Walk", "Pour into {value}"), value=symbol(self.value_name))

    @property
    def sentence(self) -> str:
        cell, value = self.context.cell(self.stage, self.index), self.context.strong(self.value)
        if self.side is None:
            return self.context.words(
                QT_TRANSLATE_NOOP("Walk", "{query} sees no key: {cell} = {value}."),
                query=self.context.query(self.index[-2]),
                cell=cell,
                value=value,
            )
        return self.context.words(
            QT_TRANSLATE_NOOP(
                "Walk", "The weights pour into the rows of {matrix}: {sum} = {value}, which lands in {cell}."
            ),
            matrix=symbol(self.value_name),
            sum=self.side.write().replace("·", " × "),
            value=value,
            cell=cell,
        )

    @property
    def result(self) -> str:
        if self.side is None:
            return self.context.strong(self.value)
        texts = [self.context.number(one.value) for one in self.addends]
        joined = " + ".join([texts[0], *texts[1:]]).replace("+ −", "− ")
        return f"{joined} = {self.context.strong(self.value)}"

    def paint(self, canvas: Canvas, progress: float, *, still: bool) -> None:
        theme = canvas.theme
        weights = self.context.board(self.context.evaluation.weights, self._weight_index(), column=False).map
        run = 1.0 if still else part(progress, 0.0, 0.45)
        drop = 1.0 if still else part(progress, 0.4, 0.75)
        count = max(len(self.addends), 1)
        pitch = min(136.0, (BOTTOM - TOP + 30) / count)
        height = min(85.0, pitch - 16.0)
        second = self.second if count <= 4 else None
        letter, column = strong(escaped(symbol(self.value_name))), QT_TRANSLATE_NOOP("Walk", "column {number}")
        canvas.text(VALUES.left() + 1, TOP - 10, letter, 14, theme.text)
        canvas.text(VALUES.left() + 18, TOP - 10, self.context.words(column, number=self.column), 11, theme.text2)
        if second is not None:
            canvas.text(VALUES.right() + 8, TOP - 10, self.context.words(column, number=second), 11, theme.text3)
        value_color = self._value_color()
        for k, (one, cells) in enumerate(zip(self.addends, self.cells, strict=True)):
            top = TOP + 10 + k * pitch
            middle = top + height / 2
            if len(cells) > 1:
                key = cells[1].index[-2]
                self._paint_way(
                    canvas, key, cells[0].value, cells[1].value, top, height, run, weights.color, value_color, second
                )
            else:
                text = self.context.words(QT_TRANSLATE_NOOP("Walk", "{count} other keys"), count=one.count)
                canvas.text(WEIGHTS.center().x(), middle + 4, text, 12, theme.text2, MIDDLE)
            product = QRectF(PRODUCTS.left(), middle - min(22, height / 2), PRODUCTS.width(), min(44, height))
            if drop > 0:
                canvas.arrow(QPointF(548 if second is not None else 460, middle), QPointF(PRODUCTS.left() - 8, middle))
                moving = product.translated((drop - 1) * 60, 0)
                said = (
                    self.context.number(one.value)
                    if len(cells) < 2
                    else addend_side(self.context, one).write().replace("·", " × ")
                )
                canvas.box(
                    moving, said, mixed(value_color(one.value), theme.surface, 0.55), pixels=14, color=theme.text
                )
                if drop >= 1.0 and len(cells) > 1 and pitch > 60:
                    canvas.text(
                        product.center().x(),
                        product.bottom() + 18,
                        f"= {self.context.number(one.value)}",
                        13,
                        theme.text,
                        MIDDLE,
                    )
            if k and drop >= 1.0 and pitch > 30:
                canvas.text(
                    PRODUCTS.center().x(),
                    top - pitch + height + (pitch - height) / 2 + (14 if pitch > 60 else 4),
                    strong("+"),
                    15,
                    theme.text,
                    MIDDLE,
                )
        self._paint_total(canvas, 1.0 if still else part(progress, 0.75, 0.95), value_color)

    def _paint_total(self, canvas: Canvas, share: float, color: Color) -> None:
        total = QRectF(620, 306, 112, 40)
        canvas.text(
            total.left() - 10,
            total.center().y() + 5,
            strong(self.context.cell(self.stage, self.index)),
            13,
            canvas.theme.text,
            "end",
        )
        if share <= 0:
            canvas.slot(total)
            return
        moving = QRectF(total)
        moving.moveCenter(between(total.center() - QPointF(0, 26), total.center(), share))
        canvas.arrow(total.center() - QPointF(0, 38), total.center() - QPointF(0, 24))
        canvas.box(
            moving, strong(self.context.number(self.value)), color(self.value), canvas.theme.ink, pixels=19, width=2.2
        )

    def _paint_way(
        self,
        canvas: Canvas,
        key: int,
        weight: float,
        value: float,
        top: float,
        height: float,
        run: float,
        weight_color: Color,
        value_color: Color,
        second: int | None,
    ) -> None:
        theme = canvas.theme
        own = WEIGHTS.translated(0, top)
        own.setHeight(height)
        place = QRectF(VALUES.left(), top, VALUES.width(), height)
        name = strong(escaped(self.context.plain_key(key)))
        if height > 40:
            canvas.text(own.center().x(), top - 9, name, 12, theme.key, MIDDLE, 130)
        else:
            canvas.text(own.left() - 4, top + height / 2 + 4, name, 11, theme.key, "end", 34)
        thick = max(min(abs(weight), 1.0) * height, 1.0) if math.isfinite(weight) else height
        band = QRectF(own.right(), top + height / 2 - thick / 2, (place.left() - own.right()) * run, thick)
        canvas.bar(band, mixed(weight_color(weight), theme.surface, 0.5))
        if run >= 1.0:
            canvas.text(band.center().x(), top + height / 2 + 5, strong(percent(weight)), 13, theme.text, MIDDLE)
        canvas.box(own, self.context.number(weight), weight_color(weight), pixels=min(18, height * 0.5))
        canvas.box(
            place, self.context.number(value), value_color(value), theme.key, pixels=min(20, height * 0.5), width=2.0
        )
        if second is not None:
            beside = QRectF(place.right() + 1, top, 94, height)
            other = float(self._plane.block(slice(key, key + 1), slice(second, second + 1))[0][0, 0])
            canvas.box(beside, self.context.number(other), theme.raised, pixels=15, color=theme.text2)

    def _weight_index(self) -> Index:
        return (*self.index[:3], 0)

    def _value_color(self) -> Color:
        plane = stage_plane(self.context.evaluation, self.value_name, self.context.batch, self.context.head)
        keys = [cells[1].index[-2] for cells in self.cells if len(cells) > 1] or [0]
        board = self.context.board(
            self.value_name, self.context.shown_index(self.value_name, keys[0], min(self.column, plane.shape[1] - 1))
        )
        return board.map.color


def terms_product(terms: Terms, place: int) -> Expression:
    """Return the product of a weight and a value; 0 where a zero weight holds NaN and infinity back."""
    term = terms[place]
    wild = term.value == 0 and not np.isfinite([cell.value for cell in term.cells]).all()
    return Number(0.0) if wild else Product(*term.cells)
