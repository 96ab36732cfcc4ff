"""Page “Shapes”: a box for each step with its shape, in symbols or numbers, and arrows."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from attn_gui.engine import Evaluation, Problem
from attn_gui.engine.analysis.dimensions import DimensionStep, counts_of, steps_of, written
from attn_gui.engine.arrays import Progress
from attn_gui.engine.graph.stage import Stage
from attn_gui.engine.graph.symbols_and_titles import symbol, title
from attn_gui.engine.masks import Layer
from attn_gui.figure.design_tokens import FONT_SIZE, RADIUS, SPACING
from attn_gui.figure.pages.page_kind import (
    ChoiceOption,
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
from attn_gui.figure.text.number_formats import significant
from attn_gui.figure.text.rich_text import write_symbols
from attn_gui.figure.writers import END, write_line
from attn_gui.languages import N_, page_words

COLUMNS = 3
GAP, APART = 14.0, 20.0
"""Between boxes side by side, and one below the other: room for an arrow."""
SHADOW, ARROW = 3.0, 4.0
INSET = 6.0
LEAST_WIDTH = 250.0
HEADS_ROOM = 60.0
"""At the end of a title, for the number of heads."""
VALUE_LINE = 8.0
"""Reach of the line of the values into the column of what joins."""

Side = tuple[str, str]


class FlowStep(NamedTuple):
    """A step: its stage, its line of shapes and the same in the other form, its column of three (None: the chain),
    the number of heads that it is done by, what else it reads, whether it is changed by hand, and its matrices."""

    stage: str
    shape: str
    other: str
    column: int | None
    heads: str
    sides: tuple[Side, ...]
    by_hand: bool
    read: tuple[str, ...]


class DimensionFlow(NamedTuple):
    """All steps in order, the shapes of the sequences that they begin with, and the numbers of the symbols."""

    steps: tuple[FlowStep, ...]
    sources: Mapping[str, str]
    counts: Mapping[str, int]


class FlowBox(NamedTuple):
    """A rectangle with a title and lines below it; `heads` of them lie behind one another."""

    place: QRectF
    title: str
    lines: tuple[str, ...]
    heads: str = ""
    step: FlowStep | None = None

    @property
    def depth(self) -> float:
        """Pixels by which the boxes behind it stand out."""
        return 2 * SHADOW if self.heads else 0.0


class ShapesLayout(PageLayout):
    """Boxes and arrows, from the top to the bottom."""

    def __init__(self, flow: DimensionFlow, style: PageStyle, size: Sides) -> None:
        self.flow, self.style = flow, style
        self.line, self.head = metrics("micro").height(), metrics("small").height()
        self.across = body_width(size)
        self.pitch = (max(self.across, LEAST_WIDTH) - (COLUMNS - 1) * GAP) / COLUMNS
        self.boxes: list[FlowBox] = []
        self.arrows: list[tuple[QPointF, ...]] = []
        self.ends: list[FlowBox | None] = [None] * COLUMNS
        self.bottom = 0.0
        self._place()
        counts = " · ".join(f"{name} = {count}" for name, count in flow.counts.items())
        self.frame = with_frame(
            style,
            size,
            title=style.translate("Pages", "Shapes"),
            note=counts,
            tall=lambda across: self.bottom,
            least=(LEAST_WIDTH, self.bottom),
        )

    def said(self) -> str:
        said = ". ".join(f"{symbol(step.stage)}: {step.shape}" for step in self.flow.steps)
        return f"{self.style.translate('Pages', 'Shapes')}. {said}"

    def fields(self) -> tuple[SpotGrid, ...]:
        """Return the boxes: a click on one chooses its stage."""
        corner = self.frame.body.topLeft()
        return tuple(
            SpotGrid(box.place.translated(corner), partial(self._spot, box.step))
            for box in self.boxes
            if box.step is not None
        )

    def _spot(self, step: FlowStep, *_: int) -> PageSpot:
        return PageSpot(
            f"{symbol(step.stage)} {self._named(step.stage)}: {step.shape} = {step.other}", PageCell(step.stage, 0, 0)
        )

    def _named(self, name: str) -> str:
        return title(name, self.style.lang)

    # --- places ----------------------------------------------------------------------------------
    def _place(self) -> None:
        self._place_sources()
        sides = [step for step in self.flow.steps if step.column is not None]
        while sides:  # a row of what stands side by side
            row, seen = [], set()
            for step in sides:
                if step.column not in seen:
                    row.append(step)
                    seen.add(step.column)
            sides = [step for step in sides if step not in row]
            self._place_row(row)
        before = [end for end in self.ends[:2] if end is not None]
        for step in self.flow.steps:
            if step.column is None:
                before = [self._place_step(step, before)]

    def _place_sources(self) -> None:
        places = {"x": (0, 0), "context": (1, 2)} if "context" in self.flow.sources else {"x": (0, 2)}
        for name, shape in self.flow.sources.items():
            first, last = places[name]
            left = first * (self.pitch + GAP)
            wide = (last - first) * (self.pitch + GAP) + self.pitch
            box = FlowBox(QRectF(left, 0, wide, self._tall(1)), self._title(name, wide), (shape,))
            self.boxes.append(box)
            for column in range(first, last + 1):
                self.ends[column] = box
            self.bottom = box.place.bottom()

    def _place_row(self, row: list[FlowStep]) -> None:
        top = self.bottom + (APART if self.boxes else 0.0)
        lines = {step.stage: self._lines(step.shape, self.pitch) for step in row}
        tall = self._tall(max(map(len, lines.values())))
        for step in row:
            column = step.column or 0
            place = QRectF(column * (self.pitch + GAP), top, self.pitch, tall)
            box = FlowBox(place, self._title(step.stage, self.pitch), lines[step.stage], step=step)
            self.boxes.append(box)
            if (end := self.ends[column]) is not None:
                x = place.center().x()
                self.arrows.append((QPointF(x, end.place.bottom()), QPointF(x, top)))
            self.ends[column] = box
        self.bottom = top + tall

    def _place_step(self, step: FlowStep, before: list[FlowBox]) -> FlowBox:
        """Return a step of the chain, with what joins it at its right."""
        wide, top = 2 * self.pitch + GAP, self.bottom + APART
        lines = self._lines(step.shape, wide)
        sides = self._side_words(step)
        place = QRectF(0, top, wide, max(self._tall(len(lines)), len(sides) * (self.line + 2 * SPACING.xs)))
        box = FlowBox(
            place, self._title(step.stage, wide - (HEADS_ROOM if step.heads else 0.0)), lines, step.heads, step
        )
        self.boxes.append(box)
        for end in before:
            x = end.place.center().x()
            self.arrows.append((QPointF(x, end.place.bottom()), QPointF(x, top - box.depth)))
        self._join_values(step, box)
        left = 2 * (self.pitch + GAP) + VALUE_LINE + SPACING.m
        height = self.line + 2 * SPACING.xs
        first = place.center().y() - len(sides) * height / 2
        for number, text in enumerate(sides):
            room = max(3 * self.pitch + 2 * GAP - left, 20.0)
            side = QRectF(left, first + number * height + 1, room, height - 2)
            self.boxes.append(FlowBox(side, "", (text,)))
            y = side.center().y()
            self.arrows.append((QPointF(left, y), QPointF(place.right() + box.depth, y)))
        self.bottom = place.bottom()
        return box

    def _join_values(self, step: FlowStep, box: FlowBox) -> None:
        """Draw the line of the values, down to the step that mixes them."""
        end = self.ends[2]
        if end is None or end.step is None or end.step.stage not in step.read:
            return
        x, y = 2 * (self.pitch + GAP) + VALUE_LINE, box.place.bottom() - INSET
        self.arrows.append((QPointF(x, end.place.bottom()), QPointF(x, y), QPointF(box.place.right() + box.depth, y)))

    def _side_words(self, step: FlowStep) -> list[str]:
        words = [self.style.translate(context, text) if context else text for context, text in step.sides]
        return [*words, *([self.style.translate("Pages", "changed by hand")] if step.by_hand else [])]

    def _tall(self, lines: int) -> float:
        return self.head + lines * self.line + 2 * SPACING.s

    def _title(self, name: str, wide: float) -> str:
        return f"{symbol(name)}  {self._named(name)}"

    def _lines(self, shape: str, wide: float) -> tuple[str, ...]:
        """Return a line of shapes, broken before a sign where it is too long."""
        micro, room = metrics("micro"), wide - 2 * INSET
        lines: list[str] = []
        for part in re.split(r" (?=[·→])", shape):
            joined = f"{lines[-1]} {part}" if lines else part
            if lines and micro.horizontalAdvance(joined) <= room:
                lines[-1] = joined
            else:
                lines.append(part)
        return tuple(lines)

    # --- painting --------------------------------------------------------------------------------
    def paint_body(self, painter: QPainter) -> None:
        corner = self.frame.body.topLeft()
        for points in self.arrows:
            self._paint_arrow(painter, [point + corner for point in points])
        for box in self.boxes:
            self._paint_box(painter, box, box.place.translated(corner))

    def _paint_arrow(self, painter: QPainter, points: list[QPointF]) -> None:
        color = self.style.theme.line_strong
        painter.setPen(QPen(color, 1.0))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPolyline(QPolygonF(points))
        tip, before = points[-1], points[-2]
        along = QPointF(0, ARROW) if before.x() == tip.x() else QPointF(-ARROW, 0)
        across = QPointF(along.y() * 0.6, along.x() * 0.6)
        painter.setBrush(color)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.drawPolygon(QPolygonF([tip, tip - along + across, tip - along - across]))

    def _paint_box(self, painter: QPainter, box: FlowBox, place: QRectF) -> None:
        theme, micro = self.style.theme, metrics("micro")
        fill: QColor = theme.raised if box.step is not None else theme.surface
        painter.setPen(QPen(theme.line_strong, 1.0))
        painter.setBrush(fill)
        for behind in (2, 1) if box.heads else ():
            painter.drawRoundedRect(place.translated(behind * SHADOW, -behind * SHADOW), RADIUS.frame, RADIUS.frame)
        painter.drawRoundedRect(place, RADIUS.frame, RADIUS.frame)
        top = place.top() + (SPACING.s if box.title else (place.height() - self.line) / 2)
        if box.title:
            at = QPointF(place.left() + INSET, top + metrics("small").ascent())
            write_symbols(painter, at, box.title, theme.text, FONT_SIZE.small, place.width() - 2 * INSET, strong=True)
            if box.heads:
                words = self.style.translate("Pages", "× {heads} heads").format(heads=box.heads)
                right = QPointF(place.right() - INSET, at.y())
                write_line(painter, right, words, theme.text3, FONT_SIZE.micro, anchor=END)
            top += self.head
        for number, line in enumerate(box.lines):
            at = QPointF(place.left() + INSET, top + number * self.line + micro.ascent())
            color, room = theme.text2 if box.title else theme.text, place.width() - 2 * INSET
            write_symbols(painter, at, line, color, FONT_SIZE.micro, room)


SYMBOLS, NUMBERS = "symbols", "numbers"
FORMS = {SYMBOLS: page_words(N_("Pages", "symbols")), NUMBERS: page_words(N_("Pages", "numbers"))}


class DimensionsPage(PageKind[DimensionFlow]):
    """Shows which matrix has which shape, and what is multiplied by what."""

    name = "dimensions"
    title = N_("Pages", "Shapes")
    layout = ShapesLayout
    quick = math.inf
    words = "shape dimension size n m d_k d_v B T D flow diagram chain heads 形状 维度 大小 流程图 批量"
    reads = frozenset()
    options = (
        ChoiceOption(
            "shapes",
            N_("Pages", "written in"),
            N_("Pages", "Shapes as symbols, such as n × d_k, or as the numbers here"),
            FORMS,
        ),
    )

    def read(self, evaluation: Evaluation, context: PageContext, progress: Progress) -> DimensionFlow:
        problem, symbols = evaluation.problem, context.options["shapes"] == SYMBOLS
        counts = counts_of(problem)
        by_hand = {record.stage for record in problem.interventions if record.enabled}
        steps = tuple(
            FlowStep(
                step.stage,
                step.shape(symbols=symbols),
                step.shape(symbols=not symbols),
                _column(evaluation.node(step.stage).stage),
                _heads(step, counts, symbols),
                (*_matrices(problem, step, symbols), *_others(problem, step, symbols)),
                step.stage in by_hand,
                tuple(operand.name for operand in step.operands),
            )
            for step in steps_of(evaluation)
        )
        progress(1.0)
        sources = {"x": _source(problem, "x", counts, symbols)} if problem.projected else {}
        if problem.context is not None:
            sources["context"] = _source(problem, "context", counts, symbols)
        return DimensionFlow(steps, sources, counts)


def _column(stage: Stage) -> int | None:
    """Return 0, 1 or 2 for Q, K, V and what is made of one of them before the scores; None after them."""
    if not stage.input_side:
        return None
    return 1 if stage.transposed else 2 if stage.by_key else 0


def _heads(step: DimensionStep, counts: dict[str, int], symbols: bool) -> str:
    """Return count of the copies of a step."""
    if not step.per_head or "h" not in counts:
        return ""
    return "h" if symbols else str(counts["h"])


def _source(problem: Problem, field: str, counts: dict[str, int], symbols: bool) -> str:
    """Return the shape of a sequence."""
    rows, columns = ("m", "d_context") if field == "context" else ("n", "d_model")
    batched = "B" in counts and problem.arrays()[field].ndim == 3  # else one sequence that all items share
    names = [*(["B"] if batched else []), rows, columns]
    return " × ".join(names if symbols else [str(counts[name]) for name in names])


def _matrices(problem: Problem, step: DimensionStep, symbols: bool) -> list[tuple[str, str]]:
    """Return the tables that a step multiplies by, such as W_O."""
    arrays = problem.arrays()
    return [
        ("", f"{symbol(one.name)}  {written(one.dims, symbols=symbols)}") for one in step.operands if one.name in arrays
    ]


def _others(problem: Problem, step: DimensionStep, symbols: bool) -> list[tuple[str, str]]:
    """Return what a step reads besides the tables that it multiplies by."""
    return [side for name in step.sides for side in _sides(problem, step, name, symbols)]


def _sides(problem: Problem, step: DimensionStep, name: str, symbols: bool) -> list[tuple[str, str]]:
    """Return the other inputs of a step: (context, English) of its words, those without a context as they are."""
    scalars, arrays = problem.scalars(), problem.arrays()
    if name in scalars:
        return [("", f"{symbol(name)} = {significant(float(scalars[name]), 3)}")]
    if name.endswith("_angle"):
        return [("", f"θ = {significant(problem.rotary_theta)}")] if problem.rotary_theta is not None else [("", "θ")]
    position = Layer.position_of(name)
    if position is not None or name == "allowed":
        return [
            ("Masks", layer.label)
            for k, layer in enumerate(problem.mask)
            if layer.enabled and (k == position if position is not None else not layer.adds)
        ]
    if name not in arrays:
        return []
    return [("", f"{symbol(name)}  {written(step.sides[name], symbols=symbols)}")]


# --- page of the code -----------------------------------------------------------------------------
