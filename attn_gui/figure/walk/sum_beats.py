"""Beats of sums: a row meets a column, products add up, weights pour into V."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor

from attn_gui.engine.graph.expressions import Cell, Number, Power, Sum
from attn_gui.engine.graph.symbols_and_titles import cell_symbol, symbol
from attn_gui.figure.stage_formulas import KEY, PLAIN, QUERY, StageOperand, picture_of, stage_plane
from attn_gui.figure.text.rich_text import colored, escaped, indexed, lowered, raised, strong
from attn_gui.figure.walk.equations import Addend, Beat, WalkEquation, addends, shortened, sum_of
from attn_gui.figure.walk.matrix_board import role_color
from attn_gui.figure.walk.softmax_beats import mixed, percent
from attn_gui.figure.walk.walk_canvas import SMALL, WalkCanvas, between, part
from attn_gui.figure.walk.walk_context import Index, WalkContext
from attn_gui.figure.writers import END, MIDDLE
from attn_gui.languages import N_
from attn_gui.pictures.planes import number_at

# --- rows and columns ------------------------------------------------------------------------------
FIRST, LAST_RIGHT, PITCH, WIDTH, HEIGHT, APART = 400.0, 708.0, 116.0, 65.0, 41.0, 20.0
"""Where the addends stand: left of the first, right of the last, their distance, the size of their boxes, least gap."""
UPPER, LOWER, PRODUCT, RULE, TOTAL = 36.0, 95.0, 176.0, 230.0, 258.0
"""Tops of the two factors, of their product, of the line below and of the sum."""
DROPS = 0.75
"""Share of the beat in which all products have dropped in."""


class SumPicture:
    """The addends of a cell in columns, with their factors where these are cells of a row and a column."""

    def __init__(self, context: WalkContext, stage: str, index: Index, total: Sum, value: float) -> None:
        self.context, self.stage, self.index = context, stage, index
        self.value, self.count, self.addends = value, total.count, addends(total)
        self.equation = WalkEquation(context, shortened(total), value)
        self.products = [WalkEquation(context, shortened(one.formula), one.value) for one in self.addends]
        values = [one.value for one in self.addends]
        with np.errstate(all="ignore"):
            self.so_far = [*np.cumsum(values)[:-1].tolist(), value]
        steps = [((self.so_far[k - 1], values[k]), self.so_far[k]) for k in range(1, len(values) - 1)]
        self.counted = [
            WalkEquation(context, sum_of([Number(one) for one in found]), so_far)
            for found, so_far in (*steps, (values, value))
        ]
        pitch = min(PITCH, (LAST_RIGHT - FIRST + APART) / len(values))
        self.columns = [QRectF(FIRST + k * pitch, 0, min(WIDTH, pitch - APART), HEIGHT) for k in range(len(values))]

    @property
    def operands(self) -> tuple[StageOperand, StageOperand] | None:
        """The matrices of whose row and column the factors are; None where there are none."""
        picture = picture_of(self.stage, self.context.evaluation)
        if picture.left is None or picture.top is None:
            return None
        pairs = [self.factors(one) for one in self.addends]
        read = {tuple(cell.name for cell in pair) for pair in pairs if pair}
        return (picture.left, picture.top) if (picture.left.name, picture.top.name) in read else None

    @staticmethod
    def factors(one: Addend) -> tuple[Cell, ...]:
        """Return the two cells that an addend is made of; nothing where it is made of others."""
        cells = tuple(one.formula.cells())
        return cells if len(cells) == 2 else ()

    @property
    def squares(self) -> bool:
        """Whether the addends are squares of differences."""
        return any(isinstance(one.formula, Power) for one in self.addends)

    @property
    def names(self) -> tuple[str, str]:
        """`q₁` and `k₁`: the row and the column, as rich text."""
        if self.operands is None:
            return "", ""
        named = zip(self.operands, self.index[-2:], strict=True)
        first, second = (f"{escaped(cell_symbol(operand.name))}{lowered(str(place))}" for operand, place in named)
        return first, second

    def paint_upper(self, canvas: WalkCanvas, k: int) -> None:
        """Paint the factor of an addend that is in place, or what stands for it."""
        one, place = self.addends[k], self.columns[k].translated(0, UPPER)
        cells = self.factors(one)
        if one.count > 1:
            text = self.context.words(N_("Walk", "{count} others"), count=one.count)
            canvas.text(place.center().x(), place.center().y() + 5, text, 12, canvas.theme.text2, MIDDLE, 84)
        if cells:
            self._paint_factor(canvas, place, cells[0], self._roles[0])
            canvas.text(place.center().x(), LOWER - 4, "−" if self.squares else "×", 12, canvas.theme.text2, MIDDLE)

    def paint_lower(self, canvas: WalkCanvas, k: int, place: QRectF | None = None) -> None:
        """Paint the second factor, in its place or on its way."""
        if cells := self.factors(self.addends[k]):
            self._paint_factor(canvas, place or self.columns[k].translated(0, LOWER), cells[1], self._roles[1])

    def paint_names(self, canvas: WalkCanvas) -> None:
        """Paint the names of the row and the column beside their numbers."""
        x = self.columns[-1].right() + 13
        for name, role, top in zip(self.names, self._roles, (UPPER, LOWER), strict=True):
            canvas.text(x, top + 26, strong(name), 14, role_color(role, canvas.theme))

    @property
    def _roles(self) -> tuple[str, str]:
        picture = picture_of(self.stage, self.context.evaluation)
        return picture.rows, picture.columns

    def _paint_factor(self, canvas: WalkCanvas, place: QRectF, cell: Cell, role: str) -> None:
        theme = canvas.theme
        soft = {QUERY: theme.query_soft, KEY: theme.key_soft, PLAIN: theme.raised}[role]
        ink = role_color(role, theme)
        canvas.box(place, strong(self.context.number(cell.value)), soft, ink, color=ink)


class PairingBeat(Beat):
    """The row is in place; the numbers of the column fly below it, the last one first."""

    seconds, hurried = 1.2, 1.1

    def __init__(self, picture: SumPicture) -> None:
        super().__init__(picture.context, picture.stage, picture.index)
        self.picture = picture

    @property
    def title(self) -> str:
        if self.picture.squares:
            return self.context.words(N_("Walk", "Row and column"))
        return self.context.words(N_("Walk", "Row × column"))

    @property
    def sentence(self) -> str:
        assert self.picture.operands is not None, "there is a row and a column"
        left, top = self.picture.operands
        (row, column), board = self.index[-2:], self.board
        rows, columns = (role_color(role, self.context.theme) for role in board.roles)
        return self.context.words(
            N_("Walk", "Line up {row} of {left} with {column} of {top}: {count} numbers each, one to one."),
            row=colored(self.context.words(N_("Walk", "row {number}"), number=row), rows),
            column=colored(self.context.words(N_("Walk", "column {number}"), number=column), columns),
            left=indexed(self.context.style.translate("Names", left.symbol)),
            top=indexed(self.context.style.translate("Names", top.symbol)),
            count=self.picture.count,
        )

    @property
    def result(self) -> str:
        picture, text = self.picture, N_("Walk", "{pair}, {count} pairs")
        return self.context.words(text, pair=" · ".join(picture.names), count=picture.count)

    def paint(self, canvas: WalkCanvas, progress: float) -> None:
        picture, theme = self.picture, canvas.theme
        self.board.paint(canvas, landed=False)
        last = len(picture.columns) - 1
        for k, column in enumerate(picture.columns):
            picture.paint_upper(canvas, k)
            if not picture.factors(picture.addends[k]):
                continue
            start, place = self.board.source(picture.addends[k].place), column.translated(0, LOWER)
            begin = 0.25 * (last - k) / last if last else 0.0
            share = part(progress, begin, begin + 0.72)
            if canvas.still:
                ink, end = role_color(self.board.roles[1], theme), QPointF(place.center().x(), place.bottom() + 4)
                canvas.flight(start, end, 34.0 + 30.0 * k, 1.0, ink)
                canvas.arrow(end + QPointF(0, 1), end, ink)
            if share < 1.0:
                canvas.slot(place)
                at = canvas.flight(
                    start, place.center(), 34.0 + 30.0 * k, share, role_color(self.board.roles[1], theme)
                )
                place.moveCenter(at)
            picture.paint_lower(canvas, k, place)
        picture.paint_names(canvas)


class AddingBeat(Beat):
    """The addends drop in one by one, and their sum counts along; `lands` where it is the number of the cell."""

    seconds, hurried = 1.4, 1.2

    def __init__(self, picture: SumPicture, *, lands: bool = True) -> None:
        super().__init__(picture.context, picture.stage, picture.index)
        self.picture, self.lands, self.equation, self.value = picture, lands, picture.equation, picture.value

    @property
    def title(self) -> str:
        if self.picture.operands is None:
            return self.context.words(N_("Walk", "Add up"))
        if self.picture.squares:
            return self.context.words(N_("Walk", "Add the squares"))
        return self.context.words(N_("Walk", "Add the products"))

    @property
    def sentence(self) -> str:
        values = {"equation": str(self.equation)}
        if self.picture.squares:
            text = N_("Walk", "Square each difference, then add up: {equation}.")
            return self.context.words(text, **values)
        if not self.lands:
            return self.context.words(N_("Walk", "Take each pair, then add up: {equation}."), **values)
        values["cell"] = self.context.cell(self.made, self.index)
        if self.picture.operands is None:
            return self.context.words(N_("Walk", "Add up: {equation}, which is {cell}."), **values)
        return self.context.words(N_("Walk", "Multiply each pair and add up: {equation}, which is {cell}."), **values)

    @property
    def result(self) -> str:
        if self.picture.count <= len(self.picture.addends):
            return super().result
        products = N_("Walk", "{count} products = {value}")
        text = N_("Walk", "{count} squares = {value}") if self.picture.squares else products
        return self.context.words(text, count=self.picture.count, value=self.context.strong(self.value))

    def paint(self, canvas: WalkCanvas, progress: float) -> None:
        picture, theme, number = self.picture, canvas.theme, self.context.number
        color, count = self.board.map.color, len(picture.columns)
        fallen = 0
        for k, (one, column) in enumerate(zip(picture.addends, picture.columns, strict=True)):
            picture.paint_upper(canvas, k)
            picture.paint_lower(canvas, k)
            place = column.translated(0, PRODUCT)
            share = part(progress, DROPS * k / count, DROPS * (k + 1) / count)
            if share < 1.0:
                canvas.slot(place)
            if share > 0.0:
                canvas.box(place.translated(0, (share - 1) * 36), strong(number(one.value)), color(one.value))
            if k and share > 0.0:
                self._paint_plus(canvas, picture.columns[k - 1], column)
            fallen += share >= 1.0
        canvas.line(QPointF(FIRST, RULE), QPointF(picture.columns[-1].right(), RULE), theme.text, 1.5)
        names = [name.partition("<")[0] for name in picture.names]
        joined = "·".join(filter(None, names))
        said = f"({joined.replace('·', '−')}){raised('2')}" if picture.squares else joined
        canvas.text(FIRST - 12, PRODUCT + 25, said, 13, theme.text2, END)
        canvas.text(FIRST - 12, TOTAL + 30, self.context.words(N_("Walk", "sum")), 14, theme.text2, END)
        picture.paint_names(canvas)
        total = QRectF(FIRST, TOTAL, 85, 49)
        value = picture.so_far[max(fallen - 1, 0)]
        if fallen:
            canvas.box(total, strong(number(value)), color(value), theme.ink, pixels=20, width=2.0)
            canvas.text(
                total.right() + 15, TOTAL + 30, self._counted(fallen), 14, theme.text2, room=760 - total.right()
            )
        if self.lands:
            self.land(canvas, progress, TOTAL + 37, color(self.value))
        else:
            self.board.paint(canvas, landed=False)

    def _paint_plus(self, canvas: WalkCanvas, before: QRectF, after: QRectF) -> None:
        middle = (before.right() + after.left()) / 2
        canvas.text(middle, PRODUCT + 26, strong("+"), 15, canvas.theme.text, MIDDLE)

    def _counted(self, fallen: int) -> str:
        """Return `0 + 1 = 1, the last is still to come`: how far the sum has got."""
        picture, count = self.picture, len(self.picture.columns)
        if count == 1:
            return ""
        equation = picture.counted[max(fallen - 2, 0)]
        text = self.context.number(picture.so_far[0]) if fallen == 1 else equation.left + equation.right
        if fallen < count - 1 or fallen == count:
            return text
        return self.context.words(N_("Walk", "{sum}, the last is still to come"), sum=text)


def sum_beats(context: WalkContext, stage: str, index: Index, total: Sum, value: float, *, lands: bool) -> list[Beat]:
    """Return the beats of a sum: its pairs, where they are a row and a column, and the adding."""
    picture = SumPicture(context, stage, index, total, value)
    adding = AddingBeat(picture, lands=lands)
    return [adding] if picture.operands is None else [PairingBeat(picture), adding]


# --- the weights of a row pour into the rows of V --------------------------------------------------
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
        self.total = Sum(len(terms), terms.product, terms.values)
        weights = context.row(context.evaluation.weights, (*index[:3], 0))
        self.addends = addends(self.total, weights[terms.positions], None if key is None else terms.place_of(key))
        self.cells = [() if one.count > 1 else terms[one.place].cells for one in self.addends]
        self.value, self.closed = explanation.value, context.evaluation.problem.m - len(terms)
        parts = [shortened(one.formula) for one in self.addends]
        self.products = [WalkEquation(context, part, one.value) for part, one in zip(parts, self.addends, strict=True)]
        self.equation = WalkEquation(context, sum_of(parts), self.value)
        added = sum_of([Number(one.value) for one in self.addends])
        self.added = self.equation if len(parts) == 1 else WalkEquation(context, added, self.value)
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
    def title(self) -> str:
        return self.context.words(N_("Walk", "Pour into {value}"), value=symbol(self.value_name))

    @property
    def sentence(self) -> str:
        cell, value = self.context.cell(self.made, self.index), self.context.strong(self.value)
        if not self.products:
            return self.context.words(
                N_("Walk", "No key is seen by {query}: {cell} = {value}."),
                query=self.context.query(self.index[-2]),
                cell=cell,
                value=value,
            )
        return self.context.words(
            N_("Walk", "The weights pour into the rows of {matrix}: {equation}, which lands in {cell}."),
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
                text = self.context.words(N_("Walk", "{count} other keys"), count=row.addend.count)
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
        theme, column, value = canvas.theme, N_("Walk", "column {number}"), rows[0].value
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
            other = number_at(self._plane, key, self.second)[0]
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
        text = self.context.words(N_("Walk", "{count} masked"), count=self.closed)
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
