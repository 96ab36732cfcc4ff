"""Page “Gradient maps”: maps by step or table, the list of the largest with finite differences beside them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from PySide6.QtGui import QPainter

from attn_gui.engine import Evaluation
from attn_gui.engine.analysis.sensitivity import finite_difference, gradients, step_gradients, strongest
from attn_gui.engine.arrays import Array, Box, Progress
from attn_gui.engine.evaluation.pooling import pool
from attn_gui.engine.graph.symbols_and_titles import symbol
from attn_gui.figure.colors import largest_levels
from attn_gui.figure.design_tokens import SPACING
from attn_gui.figure.overlays import OF, differentiated
from attn_gui.figure.pages.page_charts import MapsLayout, PageMap, list_line
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
)
from attn_gui.figure.stage_formulas import stage_plane
from attn_gui.figure.text.number_formats import scientific, significant
from attn_gui.formats.array_rows import has_items
from attn_gui.languages import N_, page_words
from attn_gui.pictures.planes import MADE_BY

# --- contents -------------------------------------------------------------------------------------
LISTED = 5
SIDE = 128
"""Blocks of a map at most, by side."""
STEPS, TABLES = "steps", "tables"


@dataclass(frozen=True, eq=False)
class GradientMap:
    """Gradients by a part of a stage or of a field, as (row, column) in blocks: `shape` of what they stand for.

    `first` is the row and the column, as shown, of its first cell; `moves` tells whether any of all gradients by the
    stage or the field, of whatever item and head, is other than 0.
    """

    name: str
    cells: Array
    shape: tuple[int, int]
    first: tuple[int, int]
    largest: float
    is_stage: bool
    moves: bool


@dataclass(frozen=True)
class CheckedGradient:
    """A number of the problem with the exact gradient by it, and the finite difference."""

    field: str
    index: tuple[int, ...]
    exact: float
    by_difference: float

    @property
    def apart(self) -> float:
        """The distance of the two as a share of the larger one."""
        largest = max(abs(self.exact), abs(self.by_difference))
        return abs(self.exact - self.by_difference) / largest if largest != 0 else 0.0  # a NaN stays one


@dataclass(frozen=True, eq=False)
class CheckedGradients:
    """The sum that was differentiated, in words, with its value; its maps, and the largest gradients."""

    name: str
    value: float
    maps: tuple[GradientMap, ...]
    checked: tuple[CheckedGradient, ...]
    common: bool
    head: int
    heads: int


def _of_step(evaluation: Evaluation, context: PageContext, stage: str, box: Box, found: Array) -> GradientMap:
    """Return the gradient by the part of a stage that the sum reads, of the item and the head on show."""
    cells, batch, *head = found, box[0], *box[1:-2]
    cells = cells[min(max(context.batch - batch.start, 0), len(cells) - 1)]
    for axis in head:
        cells = cells[min(max(context.head - axis.start, 0), len(cells) - 1)]
    rows, columns = box[-2].start, box[-1].start
    if not head and not evaluation.node(stage).stage.joined:
        mine = evaluation.head_columns(stage, context.head)
        low, high = max(mine.start, box[-1].start), min(mine.stop, box[-1].stop)
        if low < high:
            cells, columns = cells[:, low - box[-1].start : high - box[-1].start], low - mine.start
    return _map(stage, cells, (rows, columns), is_stage=True, moves=bool(np.any(found)))


def _of_fields(evaluation: Evaluation, context: PageContext, found: dict[str, Array]) -> Iterator[GradientMap]:
    """Yield the gradient by every table of the problem: of the present item, and head where columns have heads."""
    for field, each in found.items():
        if not each.ndim:
            continue
        cells = each[None] if each.ndim == 1 else each
        places = (context.batch, context.head) if has_items(evaluation.problem, field) else (context.head,)
        for place in places[: cells.ndim - 2]:
            cells = cells[min(place, len(cells) - 1)]
        stage, is_stage = MADE_BY.get(field, field if field in MADE_BY.values() else ""), field in evaluation.stages
        mine = evaluation.head_columns(stage, context.head) if stage else slice(0, cells.shape[1])
        first = 0 if is_stage else mine.start  # a stage counts the columns of its head, a table all
        yield _map(field, cells[:, mine], (0, first), is_stage=is_stage, moves=bool(np.any(each)))


def _map(name: str, cells: Array, first: tuple[int, int], *, is_stage: bool, moves: bool) -> GradientMap:
    shape = int(cells.shape[0]), int(cells.shape[1])
    largest = float(np.max(np.abs(np.nan_to_num(cells, nan=0.0, posinf=np.inf)), initial=0.0))
    blocks = pool(cells, None, min(SIDE, shape[0]), min(SIDE, shape[1]))[0]
    return GradientMap(name, np.asarray(blocks, dtype=np.float64), shape, first, largest, is_stage, moves)


BY = {STEPS: page_words(N_("Pages", "every step before it")), TABLES: page_words(N_("Pages", "the tables"))}
BARS = {"own": page_words(N_("Pages", "one for each map")), "common": page_words(N_("Pages", "the same for all"))}
NAME, PLACES = 0.25, (0.5, 0.76, 1.0)
"""Of the width: what the names of the numbers take, and where the columns of the list end."""


class GradientsLayout(MapsLayout):
    """The maps, and below them the list of the largest gradients."""

    def __init__(self, shown: CheckedGradients, style: PageStyle, size: Sides) -> None:
        self.shown, self.style = shown, style
        self.moving = [one for one in shown.maps if one.largest > 0]
        super().__init__(
            style,
            size,
            self._maps(),
            title=self._title(),
            subtitle=self._subtitle(),
            note=self._sentences(),
            least_width=230.0,
            below=SPACING.m + (len(shown.checked) + 1) * list_line() if shown.checked else 0.0,
        )

    def fields(self) -> tuple[SpotGrid, ...]:
        """Return maps and list: a click on a cell of a step chooses it, one on a line of the list its number."""
        if not self.shown.checked:
            return super().fields()
        place = self.room.adjusted(0, list_line(), 0, 0)
        return *super().fields(), SpotGrid(place, lambda row, _: self._checked_spot(row), len(self.shown.checked))

    # --- words -----------------------------------------------------------------------------------
    def _title(self) -> str:
        title = self.style.translate("Pages", "Gradient of {name}").format(name=self.shown.name)
        return f"{title} · {self.style.words.head.format(self.shown.head)}" if self.shown.heads > 1 else title

    def _subtitle(self) -> str:
        text = self.style.translate("Pages", "{name} = {value}; its change for each unit of a number")
        return text.format(name=self.shown.name, value=significant(self.shown.value, 4))

    def _sentences(self) -> str:
        translate, shown = self.style.translate, self.shown
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
        rows, columns = self.style.words.axes["row"], self.style.words.axes["column"]
        if one.shape[0] == 1:
            rows = f"{rows} {one.first[0]}"
        return rows, columns

    def spot(self, number: int, row: int, column: int) -> PageSpot:
        one = self.moving[number]
        block = CellBlock.at((row, column), one.cells.shape, one.shape, one.first)
        value = block.number_words(scientific(float(one.cells[row, column])), self.style)
        text = f"∂{self.shown.name}/∂{symbol(one.name)}[{block.places}] = {value}"
        return PageSpot(text, PageCell(one.name, *block.first) if one.is_stage else None)

    def _name(self, one: CheckedGradient) -> str:
        places = ", ".join(str(place) for place in one.index[-2:])
        return f"{symbol(one.field)}[{places}]" if places else symbol(one.field)

    def _checked_spot(self, row: int) -> PageSpot:
        one = self.shown.checked[row]
        text = self.style.translate("Pages", "{name}: {exact}, by differences {other}, apart by {share} of it")
        numbers = {"exact": one.exact, "other": one.by_difference, "share": one.apart}
        return PageSpot(text.format(name=self._name(one), **{key: scientific(value) for key, value in numbers.items()}))

    # --- painting --------------------------------------------------------------------------------
    def paint_body(self, painter: QPainter) -> None:
        super().paint_body(painter)
        if not self.shown.checked:
            return
        translate, room = self.style.translate, self.room
        heads = [translate("Pages", "exact"), translate("Pages", "difference"), translate("Pages", "apart")]
        lines = [(translate("Pages", "largest by"), heads)]
        for one in self.shown.checked:
            lines.append(
                (self._name(one), [scientific(number) for number in (one.exact, one.by_difference, one.apart)])
            )
        self.paint_list(painter, lines, [room.left() + share * room.width() for share in PLACES], room.width() * NAME)


class GradientPage(PageKind[CheckedGradients]):
    """Shows the exact gradient of a cell or a row by every step or every table, on a symmetric bar of its own."""

    name = "gradient_maps"
    title = N_("Pages", "Gradient maps")
    layout = GradientsLayout
    quick = 0  # the problem is computed again for every finite difference
    words = (
        "sensitivity derivative backprop pull back finite difference vanishing 梯度 灵敏度 导数 反向传播 有限差分 消失"
    )
    options = (
        ChoiceOption("of", N_("Pages", "gradient of"), N_("Pages", "Which number is differentiated"), OF),
        ChoiceOption("by", N_("Pages", "with respect to"), N_("Pages", "Which matrices it is differentiated by"), BY),
        ChoiceOption(
            "bar",
            N_("Pages", "color bar"),
            N_("Pages", "One range of colors for each map, or the same for all, to compare their sizes"),
            BARS,
        ),
    )

    def read(self, evaluation: Evaluation, context: PageContext, progress: Progress) -> CheckedGradients:
        box, weights, name, value = differentiated(
            stage_plane(evaluation, context.stage, context.batch, context.head),
            *(context.cell or (0, 0)),
            context.options["of"],
        )
        by_field = gradients(evaluation, context.stage, box, weights)
        if context.options["by"] == STEPS:
            steps = step_gradients(evaluation, context.stage, box, weights)
            maps = [_of_step(evaluation, context, step, *found) for step, found in steps.items()]
        else:
            maps = list(_of_fields(evaluation, context, by_field))
        checked = []
        largest = strongest(by_field, LISTED)
        for number, (field, index, exact) in enumerate(largest):
            progress((number + 1) / (len(largest) + 1))
            beside = finite_difference(evaluation.problem, context.stage, box, weights, field, index)
            checked.append(CheckedGradient(field, index, exact, beside))
        progress(1.0)
        common = context.options["bar"] == "common"
        return CheckedGradients(
            name, value, tuple(maps), tuple(checked), common, context.head, evaluation.problem.num_heads
        )
