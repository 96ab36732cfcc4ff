"""Page of gradients: what the chosen cell or its row changes with, and the same by computing twice."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF
from PySide6.QtGui import QPainter, QPen

from attn_gui.engine import Evaluation
from attn_gui.engine.graph.nodes import symbol
from attn_gui.engine.progress import Tell
from attn_gui.figure.levels import largest_levels
from attn_gui.figure.output.text import END, write_line, write_within
from attn_gui.figure.pages.aim import Aim
from attn_gui.figure.pages.differentials.differentiated import OF
from attn_gui.figure.pages.differentials.gradient_reading import (
    STEPS,
    TABLES,
    Checked,
    GradientMap,
    Gradients,
    read_gradients,
)
from attn_gui.figure.pages.frame import body_width, framed
from attn_gui.figure.pages.ink import Ink, metrics
from attn_gui.figure.pages.knobs import Choice
from attn_gui.figure.pages.map_grid import MapGrid, PageMap
from attn_gui.figure.pages.page_drawing import Block, Cell, Drawing, Field, Spot
from attn_gui.figure.pages.page_kind import PageKind
from attn_gui.figure.text.numbers import scientific
from attn_gui.figure.text.page_words import page_words
from attn_gui.figure.tokens import FONT_SIZE, SPACING
from attn_gui.formats.file_sentences import QT_TRANSLATE_NOOP

BY = {
    STEPS: page_words(QT_TRANSLATE_NOOP("Pages", "every step before it")),
    TABLES: page_words(QT_TRANSLATE_NOOP("Pages", "the tables")),
}
BARS = {
    "own": page_words(QT_TRANSLATE_NOOP("Pages", "one for each map")),
    "common": page_words(QT_TRANSLATE_NOOP("Pages", "the same for all")),
}
NAME, PLACES = 0.25, (0.5, 0.76, 1.0)
"""Of the width: what the names of the numbers take, and where the columns of the list end."""


class GradientPage(PageKind[Gradients]):
    """Shows the exact gradient of a cell or a row by every step or every table, on a symmetric bar of its own."""

    name = "gradient_maps"
    title = QT_TRANSLATE_NOOP("Pages", "Gradient maps")
    words = (
        "sensitivity derivative backprop pull back finite difference vanishing 梯度 灵敏度 导数 反向传播 有限差分 消失"
    )
    knobs = (
        Choice("of", QT_TRANSLATE_NOOP("Pages", "gradient of"), lambda aim, values: OF),
        Choice("by", QT_TRANSLATE_NOOP("Pages", "with respect to"), lambda aim, values: BY),
        Choice("bar", QT_TRANSLATE_NOOP("Pages", "color bar"), lambda aim, values: BARS),
    )

    def is_quick(self, aim: Aim) -> bool:
        return False  # the problem is computed again for every finite difference

    def read(self, evaluation: Evaluation, aim: Aim, tell: Tell) -> Gradients:
        return read_gradients(evaluation, aim, tell)

    def plan(self, content: Gradients, ink: Ink, width: float | None, height: float | None) -> Drawing:
        return _Layout(content, ink, width, height).drawing(ink.translate("Pages", self.title))


class _Layout:
    """The maps, and below them the list of the largest gradients."""

    def __init__(self, shown: Gradients, ink: Ink, width: float | None, height: float | None) -> None:
        self.shown, self.ink = shown, ink
        self.moving = [one for one in shown.maps if one.largest > 0]
        self.line = metrics("micro").height() + SPACING.s
        tall = SPACING.m + (len(shown.checked) + 1) * self.line if shown.checked else 0.0
        maps = self._maps()
        self.frame = framed(
            ink,
            width,
            height,
            title=self._title(),
            subtitle=self._subtitle(),
            note=self._note(),
            tall=lambda across: (MapGrid.own_height(across, maps) if maps else 0.0) + tall,
            least=(230.0, (MapGrid.least_height(body_width(width), maps) if maps else 0.0) + tall),
        )
        body = self.frame.body
        self.grid = MapGrid(body.adjusted(0, 0, 0, -tall), maps, ink) if maps else None
        top = body.top() if self.grid is None else min(self.grid.bottom, body.bottom() - tall)
        self.list = QRectF(body.left(), top + SPACING.m, body.width(), max(tall - SPACING.m, 0.0))

    def drawing(self, title: str) -> Drawing:
        """The page; a click on a cell of a step chooses it, one on a line of the list its number."""
        frame, fields = self.frame, () if self.grid is None else self.grid.fields(self._spot)
        if count := len(self.shown.checked):
            place = self.list.adjusted(0, self.line, 0, 0)
            fields = (*fields, Field(place, lambda row, _: self._checked_spot(row), count))
        said = f"{frame.title}. {frame.subtitle}. {self._note()}"
        return Drawing(frame.width, frame.height, title, said, self._paint, fields)

    # --- words -----------------------------------------------------------------------------------
    def _title(self) -> str:
        title = self.ink.translate("Pages", "Gradient of {name}").format(name=self.shown.name)
        return f"{title} · {self.ink.words.head.format(self.shown.head)}" if self.shown.heads > 1 else title

    def _subtitle(self) -> str:
        text = self.ink.translate("Pages", "{name} = {value}; its change for each unit of a number")
        return text.format(name=self.shown.name, value=f"{self.shown.value:.4g}".replace("-", "−"))

    def _note(self) -> str:
        translate, shown = self.ink.translate, self.shown
        if not shown.checked:
            return translate("Pages", "It depends on no number of the problem.")
        said = translate(
            "Pages", "Beside the exact gradient the finite difference (f(x + h) − f(x − h)) / 2h, computed anew."
        )
        if still := [symbol(one.name) for one in shown.maps if not one.moves]:
            said += " " + translate("Pages", "It does not change with {names}.").format(names=", ".join(still))
        if any(one.shape != one.cells.shape for one in self.moving):
            said += " " + translate("Pages", "Of each block of a large map the gradient of largest magnitude.")
        return said

    def _maps(self) -> list[PageMap]:
        shown = self.shown
        everything = np.concatenate([one.cells.ravel() for one in self.moving]) if self.moving else np.zeros(1)
        common = largest_levels(everything[None], signed=True)
        return [
            PageMap(
                f"∂/∂{symbol(one.name)}  ≤ {scientific(one.largest)}",
                one.cells,
                common if shown.common else largest_levels(one.cells, signed=True),
                axes=self._axes(one),
                written=scientific,
            )
            for one in self.moving
        ]

    def _axes(self, one: GradientMap) -> tuple[str, str]:
        rows, columns = self.ink.words.axes["row"], self.ink.words.axes["column"]
        if one.shape[0] == 1:
            rows = f"{rows} {one.first[0]}"
        return rows, columns

    def _spot(self, number: int, row: int, column: int) -> Spot:
        one = self.moving[number]
        block = Block.at((row, column), one.cells.shape, one.shape, one.first)
        value = block.told(scientific(float(one.cells[row, column])), self.ink)
        text = f"∂{self.shown.name}/∂{symbol(one.name)}[{block.places}] = {value}"
        return Spot(text, Cell(one.name, *block.first) if one.is_stage else None)

    def _name(self, one: Checked) -> str:
        places = ", ".join(str(place) for place in one.index[-2:])
        return f"{symbol(one.field)}[{places}]" if places else symbol(one.field)

    def _checked_spot(self, row: int) -> Spot:
        one = self.shown.checked[row]
        text = self.ink.translate("Pages", "{name}: {exact}, by differences {other}, apart by {share} of it")
        numbers = {"exact": one.exact, "other": one.by_difference, "share": one.apart}
        return Spot(text.format(name=self._name(one), **{key: scientific(value) for key, value in numbers.items()}))

    # --- painting --------------------------------------------------------------------------------
    def _paint(self, painter: QPainter) -> None:
        self.frame.paint(painter)
        if self.grid is not None:
            self.grid.paint(painter)
        if not self.shown.checked:
            return
        theme, micro, room = self.ink.theme, metrics("micro"), self.list
        ends = [room.left() + share * room.width() for share in PLACES]
        translate, base = self.ink.translate, room.top() + micro.ascent()
        heads = translate("Pages", "exact"), translate("Pages", "difference"), translate("Pages", "apart")
        self._write(painter, base, translate("Pages", "largest by"), heads, ends)
        for one in self.shown.checked:
            base += self.line
            painter.setPen(QPen(theme.line, 1.0))
            top = base - micro.ascent() - SPACING.xs
            painter.drawLine(QLineF(room.left(), top, room.right(), top))
            numbers = (one.exact, one.by_difference, one.apart)
            self._write(painter, base, self._name(one), tuple(map(scientific, numbers)), ends)

    def _write(self, painter: QPainter, base: float, name: str, texts: tuple[str, ...], ends: list[float]) -> None:
        """A line of the list."""
        theme, room = self.ink.theme, self.list.width() * NAME
        write_within(painter, QPointF(self.list.left(), base), name, theme.text2, FONT_SIZE.micro, room)
        for end, text in zip(ends, texts, strict=True):
            write_line(painter, QPointF(end, base), text, theme.text, FONT_SIZE.micro, anchor=END)
