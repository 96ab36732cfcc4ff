"""Beats of sums of products: a row and a column come together, their products drop in and add up."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, QRectF

from attn_gui.engine.graph.expressions import Cell, Number, Power, Sum
from attn_gui.engine.graph.symbols_and_titles import cell_symbol
from attn_gui.figure.operands import KEY, PLAIN, QUERY, StageOperand, picture_of
from attn_gui.figure.text.rich_text import colored, escaped, indexed, lowered, raised, strong
from attn_gui.figure.walk.beat import Beat
from attn_gui.figure.walk.equations import Addend, WalkEquation, addends, shortened, sum_of
from attn_gui.figure.walk.matrix_board import role_color
from attn_gui.figure.walk.walk_canvas import WalkCanvas, part
from attn_gui.figure.walk.walk_context import Index, WalkContext
from attn_gui.figure.writers import END, MIDDLE
from attn_gui.languages import QT_TRANSLATE_NOOP

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
            text = self.context.words(QT_TRANSLATE_NOOP("Walk", "{count} others"), count=one.count)
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
            return self.context.words(QT_TRANSLATE_NOOP("Walk", "Row and column"))
        return self.context.words(QT_TRANSLATE_NOOP("Walk", "Row × column"))

    @property
    def sentence(self) -> str:
        assert self.picture.operands is not None, "there is a row and a column"
        left, top = self.picture.operands
        (row, column), board = self.index[-2:], self.board
        rows, columns = (role_color(role, self.context.theme) for role in board.roles)
        return self.context.words(
            QT_TRANSLATE_NOOP(
                "Walk", "Line up {row} of {left} with {column} of {top}: {count} numbers each, one to one."
            ),
            row=colored(self.context.words(QT_TRANSLATE_NOOP("Walk", "row {number}"), number=row), rows),
            column=colored(self.context.words(QT_TRANSLATE_NOOP("Walk", "column {number}"), number=column), columns),
            left=indexed(self.context.style.translate("Names", left.symbol)),
            top=indexed(self.context.style.translate("Names", top.symbol)),
            count=self.pairs,
        )

    @property
    def pairs(self) -> int:
        """Numbers in the row, and in the column."""
        return self.picture.count

    @property
    def result(self) -> str:
        pair = " · ".join(self.picture.names)
        return self.context.words(QT_TRANSLATE_NOOP("Walk", "{pair}, {count} pairs"), pair=pair, count=self.pairs)

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
        self.picture, self.lands, self.equation = picture, lands, picture.equation

    @property
    def value(self) -> float:
        return self.picture.value

    @property
    def title(self) -> str:
        if self.picture.operands is None:
            return self.context.words(QT_TRANSLATE_NOOP("Walk", "Add up"))
        if self.picture.squares:
            return self.context.words(QT_TRANSLATE_NOOP("Walk", "Add the squares"))
        return self.context.words(QT_TRANSLATE_NOOP("Walk", "Add the products"))

    @property
    def sentence(self) -> str:
        values = {"equation": str(self.equation)}
        if self.picture.squares:
            text = QT_TRANSLATE_NOOP("Walk", "Square each difference, then add up: {equation}.")
            return self.context.words(text, **values)
        if not self.lands:
            return self.context.words(QT_TRANSLATE_NOOP("Walk", "Take each pair, then add up: {equation}."), **values)
        values["cell"] = self.context.cell(self.made, self.index)
        if self.picture.operands is None:
            return self.context.words(QT_TRANSLATE_NOOP("Walk", "Add up: {equation}, which is {cell}."), **values)
        return self.context.words(
            QT_TRANSLATE_NOOP("Walk", "Multiply each pair and add up: {equation}, which is {cell}."), **values
        )

    @property
    def result(self) -> str:
        if self.picture.count <= len(self.picture.addends):
            return super().result
        products = QT_TRANSLATE_NOOP("Walk", "{count} products = {value}")
        text = QT_TRANSLATE_NOOP("Walk", "{count} squares = {value}") if self.picture.squares else products
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
        canvas.text(FIRST - 12, TOTAL + 30, self.context.words(QT_TRANSLATE_NOOP("Walk", "sum")), 14, theme.text2, END)
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
        return self.context.words(QT_TRANSLATE_NOOP("Walk", "{sum}, the last is still to come"), sum=text)


def sum_beats(context: WalkContext, stage: str, index: Index, total: Sum, value: float, *, lands: bool) -> list[Beat]:
    """Return the beats of a sum: its pairs, where they are a row and a column, and the adding."""
    picture = SumPicture(context, stage, index, total, value)
    adding = AddingBeat(picture, lands=lands)
    return [adding] if picture.operands is None else [PairingBeat(picture), adding]
