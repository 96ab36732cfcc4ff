"""Page “Number types”: the stage in float64, float32, bfloat16, float16, and how far each step departs; its hovers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise
from math import isfinite
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from attn_gui.engine import Evaluation, Problem
from attn_gui.engine.analysis.precisions import NARROWER, RoundedEvaluation, rounded_evaluations
from attn_gui.engine.arrays import Array, Progress
from attn_gui.engine.evaluation.pooling import pool
from attn_gui.engine.evaluation.proxies import stand_in
from attn_gui.engine.evaluation.trace import is_long
from attn_gui.engine.graph.symbols_and_titles import symbol, title
from attn_gui.figure.colors import Allowed, Values, auto_levels, largest_levels
from attn_gui.figure.design_tokens import SPACING
from attn_gui.figure.heatmap_layout import MARGIN
from attn_gui.figure.pages.page_charts import WIDE, MapsLayout, PageMap, list_line
from attn_gui.figure.pages.page_kind import (
    CellBlock,
    ChoiceOption,
    PageCell,
    PageContext,
    PageKind,
    PageSpot,
    PageStyle,
    Sides,
    SpotGrid,
    metrics,
)
from attn_gui.figure.stage_formulas import stage_plane
from attn_gui.figure.text.number_formats import format_number, scientific
from attn_gui.languages import N_, page_words

# --- contents -------------------------------------------------------------------------------------
SIDE = 128
"""Blocks of a map at most, by side."""


class Departure(NamedTuple):
    """How far a part of a stage lies from its float64 numbers: the largest distance of finite numbers, as a share of
    the largest float64 number (∞ where that is 0), and how many numbers are not finite any more.

    `place` (row, column) is that of the first number that is not finite, else of the largest distance; None where
    nothing departs.
    """

    share: float
    place: tuple[int, int] | None
    overflown: int


class StepDepartures(NamedTuple):
    """A step of the computation, of the item and head on show, with its departure in each narrower type."""

    stage: str
    departures: tuple[Departure, ...]


@dataclass(frozen=True, eq=False)
class TypeMap:
    """The stage on show in a type, in blocks; `apart` are its distances to the float64 numbers."""

    name: str
    values: Values
    apart: Values
    allowed: Allowed | None


@dataclass(frozen=True, eq=False)
class PrecisionMaps:
    """The stage on show in each type, and all steps with how far each of the narrower types departs from float64.

    `place` is (item, items, head, heads): the list tells of that item and head.
    """

    stage: str
    shape: tuple[int, int]
    axes: tuple[str, str]
    signed: bool
    maps: tuple[TypeMap, ...]
    steps: tuple[StepDepartures, ...]
    numbers: bool
    place: tuple[int, int, int, int]


def departure(exact: Array, rounded: Array) -> Departure:
    """Return how far numbers depart from exact ones of the same shape; where these are ±∞ or NaN nothing counts."""
    finite = np.isfinite(exact)
    lost = finite & ~np.isfinite(rounded)
    with np.errstate(invalid="ignore"):
        apart = np.where(finite & ~lost, np.abs(rounded - exact), 0.0)
    largest = float(np.max(np.abs(exact), initial=0.0, where=finite))
    most, overflown = float(apart.max()), int(lost.sum())
    if not (most or overflown):
        return Departure(0.0, None, 0)
    row, column = np.unravel_index(int(np.argmax(lost if overflown else apart)), exact.shape)
    share = most / largest if largest > 0 else np.inf if most else 0.0
    return Departure(share, (int(row), int(column)), overflown)


def _blocks(values: Array, exact: Array, allowed: Allowed | None) -> tuple[Values, Values, Allowed | None]:
    """Return the numbers and their distances to the exact ones in blocks, and which blocks have an open cell."""
    rows, columns = (min(SIDE, cells) for cells in values.shape)
    with np.errstate(invalid="ignore"):
        apart = np.where(values == exact, 0.0, values - exact)  # ∞ − ∞ is no distance
    pooled, opened = pool(values, allowed, rows, columns)
    return pooled, pool(apart, allowed, rows, columns)[0], opened


# --- page -----------------------------------------------------------------------------------------
APART, NUMBERS = "apart", "numbers"
SHOWN = {APART: page_words(N_("Pages", "distance to float64")), NUMBERS: page_words(N_("Pages", "the numbers"))}
BESIDE = 4 * WIDE + 2 * MARGIN
"""Its own width, at which the four maps stand beside one another."""
NAME_SHARE = 0.3
"""Of the width of the list: what the names of the steps take."""


class PrecisionLayout(MapsLayout):
    """The maps of the stage, and below them a list of the steps with how far each type departs."""

    def __init__(self, shown: PrecisionMaps, style: PageStyle, size: Sides) -> None:
        self.shown, self.style = shown, style
        super().__init__(
            style,
            (BESIDE if size[0] is None else size[0], size[1]),
            list(self._maps()),
            title=style.translate("Pages", "{stage} in four number types").format(stage=title(shown.stage, style.lang)),
            subtitle=self._subtitle(),
            note=self._sentences(),
            least_width=300.0,
            below=SPACING.m + (len(shown.steps) + 1) * list_line(),
        )

    def fields(self) -> tuple[SpotGrid, ...]:
        """Return maps and list: a map leads to its cell, a line of the list to the cell that departs most."""
        lines, room, starts = [], self.room, [self.room.right() - sum(self.widths), *self._ends()]
        for number, (left, right) in enumerate(pairwise(starts)):
            place = QRectF(left, room.top() + list_line(), right - left, room.height() - list_line())
            lines.append(SpotGrid(place, partial(self._step_spot, number), len(self.shown.steps)))
        return *super().fields(), *lines

    @cached_property
    def widths(self) -> list[float]:
        """The widths of the columns of the list: the same for all where each has room for its texts, else their own."""
        texts = [
            [each.name, *(self._departure_text(step.departures[number]) for step in self.shown.steps)]
            for number, each in enumerate(NARROWER)
        ]
        needed = [max(map(metrics("micro").horizontalAdvance, column)) + SPACING.l for column in texts]
        alike = self.room.width() * (1 - NAME_SHARE) / len(NARROWER)
        return [alike] * len(needed) if max(needed) <= alike else needed

    def _ends(self) -> list[float]:
        """Return where the columns of the list end."""
        return [self.room.right() - sum(self.widths[number + 1 :]) for number in range(len(NARROWER))]

    # --- words -----------------------------------------------------------------------------------
    def said(self) -> str:
        grid = [self._step_words(step, number) for step in self.shown.steps for number in range(len(NARROWER))]
        return f"{super().said()} {'; '.join(grid)}"

    def _subtitle(self) -> str:
        item, items, head, heads = self.shown.place
        words = self.style.words
        parts = [words.item.format(item)] if items > 1 else []
        return " · ".join([*parts, words.head.format(head)] if heads > 1 else parts)

    def _sentences(self) -> str:
        translate = self.style.translate
        said = translate(
            "Pages",
            "Inputs and the result of each step are rounded to the type; sums within a step are made in float64. "
            "The list: largest distance to float64, divided by the largest number of the step.",
        )
        overflown = [
            float_type
            for number, float_type in enumerate(NARROWER)
            if any(step.departures[number].overflown for step in self.shown.steps)
        ]
        for each in overflown:
            text = translate("Pages", "{type} overflows: its largest number is {largest}.")
            said += " " + text.format(type=each.name, largest=scientific(each.largest, 5))
        return said

    def _maps(self) -> Iterator[PageMap]:
        shown = self.shown
        exact = shown.maps[0]
        levels = auto_levels(exact.values, exact.allowed, signed=shown.signed, keys=shown.shape[1])
        for one in shown.maps:
            if one is exact or shown.numbers:
                yield PageMap(one.name, one.values, levels, shown.signed, one.allowed, shown.axes)
            else:
                apart = largest_levels(one.apart, one.allowed, signed=True)
                heading = f"{one.name} − {exact.name}"
                yield PageMap(heading, one.apart, apart, True, one.allowed, shown.axes, written=scientific)

    def spot(self, number: int, row: int, column: int) -> PageSpot:
        shown, one = self.shown, self.shown.maps[number]
        block = CellBlock.at((row, column), one.values.shape, shown.shape)
        value, apart = float(one.values[row, column]), float(one.apart[row, column])
        words = scientific(value, 9) if isfinite(value) else format_number(value, 0)
        text = f"{one.name}: {symbol(shown.stage)}[{block.places}] = {block.number_words(words, self.style)}"
        if number and isfinite(value) and isfinite(apart):
            alone = one.values.shape == shown.shape
            translate = self.style.translate
            away = (
                translate("Pages", "{distance} from float64")
                if alone  # else the number and the distance may be those of two cells of the block
                else translate("Pages", "up to {distance} from float64")
            )
            text += " · " + away.format(distance=scientific(abs(apart)))
        return PageSpot(text, PageCell(shown.stage, *block.first))

    def _departure_text(self, found: Departure) -> str:
        if found.overflown:
            return self.style.translate("Pages", "{count} not finite").format(count=found.overflown)
        return scientific(found.share) if isfinite(found.share) else "≠ 0"

    def _step_words(self, step: StepDepartures, number: int) -> str:
        """Return how far a step departs in a type, in words."""
        words, found = self.style.translate("Pages", "{type}: {step}, {departure}"), step.departures[number]
        name = title(step.stage, self.style.lang)
        return words.format(type=NARROWER[number].name, step=name, departure=self._departure_text(found))

    def _step_spot(self, number: int, row: int, _column: int) -> PageSpot:
        step = self.shown.steps[row]
        words, found, translate = self._step_words(step, number), step.departures[number], self.style.translate
        if found.place is None:
            return PageSpot(words)
        at = (
            translate("Pages", "{words}; first at {cell}")
            if found.overflown
            else translate("Pages", "{words}; most at {cell}")
        )
        cell = f"{symbol(step.stage)}[{found.place[0]}, {found.place[1]}]"
        return PageSpot(at.format(words=words, cell=cell), PageCell(step.stage, *found.place))

    # --- painting --------------------------------------------------------------------------------
    def paint_body(self, painter: QPainter) -> None:
        super().paint_body(painter)
        lines = [(self.style.translate("Pages", "step"), [each.name for each in NARROWER])]
        for step in self.shown.steps:
            name = f"{symbol(step.stage)}  {title(step.stage, self.style.lang)}"
            lines.append((name, [self._departure_text(one) for one in step.departures]))
        self.paint_list(painter, lines, self._ends(), self.room.width() - sum(self.widths))


class PrecisionPage(PageKind[PrecisionMaps]):
    """Shows the stage on show in float64, float32, bfloat16 and float16, and where the steps part."""

    name = "precision"
    title = N_("Pages", "Number types")
    layout = PrecisionLayout
    quick = 0  # the problem is computed four times
    words = "precision float16 bfloat16 float32 float64 half fp16 bf16 rounding overflow 半精度 单精度 双精度 舍入 溢出"
    needs = N_("Pages", "It is too long to be computed once more in each type")
    reads = frozenset({"batch", "head", "stage"})
    options = (
        ChoiceOption(
            "shown",
            N_("Pages", "shown"),
            N_("Pages", "How far each type is from float64, or the numbers themselves"),
            SHOWN,
        ),
    )

    def applies(self, problem: Problem) -> bool:
        return not is_long(problem)

    def read(self, evaluation: Evaluation, context: PageContext, progress: Progress) -> PrecisionMaps:
        """Compute the problem in every type, one after the other.

        Raises FieldError where that is more than a share of the free memory.
        """
        computed = []
        for each in rounded_evaluations(evaluation.problem):
            computed.append(each)
            progress(len(computed) / (len(NARROWER) + 2))
        exact, *narrower = computed
        stage = stand_in(exact, context.stage)

        def cells(one: RoundedEvaluation, name: str) -> tuple[Array, Allowed | None]:
            plane = stage_plane(one, name, context.batch, context.head)
            return plane.block(*map(slice, plane.shape))

        values, allowed = cells(exact, stage)
        plane = stage_plane(exact, stage, context.batch, context.head)
        problem, node = evaluation.problem, exact.node(stage).stage
        found = PrecisionMaps(
            stage,
            plane.shape,
            (node.axes[-2], node.axes[-1]),
            plane.signed,
            tuple(TypeMap(one.float_type.name, *_blocks(cells(one, stage)[0], values, allowed)) for one in computed),
            tuple(
                StepDepartures(name, tuple(departure(cells(exact, name)[0], cells(one, name)[0]) for one in narrower))
                for name in exact.stages
            ),
            context.options["shown"] == NUMBERS,
            (context.batch, problem.batch_size, context.head, problem.num_heads),
        )
        progress(1.0)
        return found
