"""Cells of maps changed by hand: typed, pasted, multiplied, taken from elsewhere or before; what a typed weight
means."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QCoreApplication, Signal
from PySide6.QtGui import QGuiApplication

from attn_gui.app.actions.actions import Command, choices
from attn_gui.app.app_context import AppContext, Controller
from attn_gui.app.editing.edit_runner import Arrays, EditRunner, is_computed
from attn_gui.app.editing.sizes_and_parts import shape_text
from attn_gui.app.editing.targets import TargetController
from attn_gui.app.state.translated_errors import sentences, translating
from attn_gui.app.state.view_state import ChosenBlock, ChosenCell, ViewSettings, resolve
from attn_gui.app.tables.table_pasting import PASTED, TableBlocks, tile_to_selection
from attn_gui.document.document import Document
from attn_gui.document.edits import Label, SetCells, cast_cells, check_finite
from attn_gui.document.typed_numbers import NumberError, parse_number, shortest
from attn_gui.engine import STAGE, Plane
from attn_gui.engine.arrays import Array, Box
from attn_gui.engine.creation.interventions import (
    Interventions,
    box_from_place,
    box_of_values,
    box_times_factor,
    rescale_row,
    with_cells_free,
    with_cells_replaced,
    with_cells_scaled,
)
from attn_gui.engine.errors import spoken
from attn_gui.engine.graph import indices
from attn_gui.engine.graph.indices import intersection
from attn_gui.engine.graph.intervention_nodes import InterventionNode
from attn_gui.engine.interventions import PLACES, Copy, Set
from attn_gui.figure.stage_formulas import stage_plane
from attn_gui.formats import LabeledArray
from attn_gui.languages import N_
from attn_gui.modes import BEFORE, NOW
from attn_gui.views.dialogs.dialog_base import asked
from attn_gui.views.inspector.cell_relations import cell_name, number
from attn_gui.views.map.heatmap import Heatmap
from attn_gui.views.names import ALONE, ASK, RESCALED, SOLVED, WEIGHT_MEANINGS, letter, stage_title

AXES = {
    "batch": N_("Interventions", "item"),
    "head": N_("Interventions", "head"),
    "query": N_("Interventions", "query"),
    "key": N_("Interventions", "key"),
    "row": N_("Interventions", "row"),
    "column": N_("Interventions", "column"),
}
MULTIPLIED = N_("History", "{cells} × {factor} by hand")
TAKEN = N_("History", "{cells} taken from {place}")
TAKEN_BEFORE = N_("History", "{cells} taken from the state before")
FREED = N_("History", "{cells} as computed")

SET_MANY = N_("History", "{cells} set to {new} by hand")
SET_BY_HAND = N_("History", "{cell}: {old} → {new} by hand")


class CellChanges:
    """Changes a box of cells of a stage as one step: of the matrix where one is given, else as interventions."""

    def __init__(self, document: Document, runner: EditRunner) -> None:
        self._document, self._runner = document, runner

    def given(self, stage: str) -> bool:
        """Return whether the cells of a stage are those of a matrix of the problem."""
        return stage in self._document.problem.arrays()

    def _changed(self, stage: str, box: Box) -> bool:
        """Return whether something by hand stands over a matrix in these cells and would hide another number."""
        problem, axes = self._document.problem, STAGE[stage].axes
        shape = (problem.batch_size, *problem.arrays()[stage].shape[1 - len(axes) :])
        over = [record for record in problem.interventions if record.stage == stage and record.enabled]
        return any(indices.intersection(record.box(axes, shape), box) is not None for record in over)

    def set(self, stage: str, box: Box, values: Array, label: Label, then: Callable[[], object] = lambda: None) -> None:
        """Give the cells values that broadcast to the box; `then` is called once that is done, not if it is refused."""

        def numbers(array: Array, own: Box) -> Array:
            return box_of_values(array, own, cast_cells(values, array.dtype))

        def cells(known: Interventions, stage: str, axes: Sequence[str], box: Box) -> Interventions:
            new = cast_cells(values, np.dtype(self._document.problem.dtype))
            return with_cells_replaced(known, stage, axes, box, Set, values=new)

        self._change(stage, box, label, numbers, cells, then=then)

    def multiply(self, stage: str, box: Box, factor: float, label: Label) -> None:
        """Multiply the cells."""

        def numbers(array: Array, own: Box) -> Array:
            product = box_times_factor(array, own, factor)
            check_finite(product, array[own])
            return product

        self._change(stage, box, label, numbers, partial(with_cells_scaled, factor=factor))

    def take(self, stage: str, box: Box, source: Mapping[str, int], label: Label) -> None:
        """Give the cells those of another place, axis by axis."""
        axes = STAGE[stage].axes
        copied = partial(with_cells_replaced, kind=Copy, source=source)
        self._change(stage, box, label, lambda array, own: box_from_place(array, axes, own, source), copied)

    def free(self, stage: str, box: Box, shape: tuple[int, ...], label: Label) -> None:
        """Leave the cells of a stage of this shape as computed; nothing is done where they are."""
        known = self._document.problem.interventions
        kept = with_cells_free(known, stage, STAGE[stage].axes, shape, box)
        if kept != known:
            self._runner.change(label, lambda: {"interventions": kept})

    def _change(
        self,
        stage: str,
        box: Box,
        label: Label,
        numbers: Callable[[Array, Box], Array],
        with_cells: Callable[..., Interventions],
        then: Callable[[], object] = lambda: None,
    ) -> None:
        """Give a matrix `numbers` of itself and its own box; `with_cells` adds an intervention."""
        problem = self._document.problem
        if not self.given(stage) or self._changed(stage, box):
            added = partial(with_cells, problem.interventions, stage, STAGE[stage].axes, box)
            self._runner.change(label, lambda: {"interventions": added()}, then)
            return
        array = problem.arrays()[stage]
        own = box[len(box) - array.ndim :]

        def take(edit: SetCells, _fresh: Arrays) -> None:
            self._document.apply(edit)
            then()

        self._runner.begin(label, lambda: SetCells(stage, own, numbers(array, own), label), take)


class MapCells(NamedTuple):
    """Chosen cells: their stage, and the box of them in its own axes."""

    stage: str
    box: Box

    @property
    def name(self) -> str:
        """`A[10, 13]`, `A[2 … 4, 3 … 5]`."""
        lines = ", ".join(_span(cut) for cut in self.box[-2:])
        return f"{letter(self.stage)}[{lines}]"


class CellBlocks(Controller):
    """Follows the chosen block in the maps, and makes one step of what is done to the chosen cells."""

    def __init__(self, context: AppContext, tables: TableBlocks) -> None:
        super().__init__(context)
        self._changes, self._reading = CellChanges(context.document, context.runner), tables.reading
        maps = context.window.product.maps
        maps.cornerChosen.connect(self._on_maps_corner_chosen)
        maps.freeRequested.connect(self.free)
        tables.mapPasteRequested.connect(self.paste)
        context.view.follow(self._show_block, "block", "cell", "evaluation")

    def commands(self) -> dict[str, Command]:
        def chosen() -> bool:
            return self._view.look.cell is not None

        return {
            "choose_row": Command(partial(self._choose_line, rows=False), enabled=chosen),
            "choose_column": Command(partial(self._choose_line, rows=True), enabled=chosen),
            "multiply_cells": Command(self.multiply, enabled=chosen),
            "take_cells": Command(self.take, enabled=lambda: bool(self._sources())),
            "take_before": Command(self.take_before, enabled=self._can_take_before),
            "free_cells": Command(self.free, enabled=self._changed),
        }

    # --- choosing --------------------------------------------------------------------------------
    def _on_maps_corner_chosen(self, stage: str, row: int, column: int) -> None:
        """Choose the block from the chosen cell to a corner."""
        cell = self._view.look.cell
        if cell is not None and cell.stage == stage:
            self._view.set(block=ChosenBlock(cell, _between(cell.row, row), _between(cell.column, column)))

    def _choose_line(self, *, rows: bool) -> None:
        """Choose the whole row of the chosen cell, or its whole column."""
        cell = self._view.look.cell
        if cell is not None:
            count = self._plane(cell.stage, self._view.look).shape[0 if rows else 1]
            whole, one = slice(0, count), (cell.column if rows else cell.row)
            cuts = (whole, _between(one, one)) if rows else (_between(one, one), whole)
            self._view.set(block=ChosenBlock(cell, *cuts))

    def _show_block(self) -> None:
        block = self._view.look.block
        self._window.product.maps.set_block(None if block is None else (block.rows, block.columns))

    def cells(self) -> MapCells | None:
        """Return the chosen cells to be changed.

        None where there are none, and, which is said, where they cannot be now.
        """
        if self._view.look.cell is None or not self.shows_now() or not is_computed(self._window, self._computation):
            return None
        return self.chosen()

    def shows_now(self) -> bool:
        """Return whether the present state is on show; if not, say so in the banner."""
        if not self._view.shows_now:
            self._window.banner.show_info(lambda: self.tr("Numbers are typed into the present state; show Now first."))
        return self._view.shows_now

    def chosen(self) -> MapCells | None:
        """Return the chosen cells, whichever state is on show; None where there are none."""
        look = self._view.look
        if look.cell is None or self._computation.pending:
            return None
        row, column = (_between(place, place) for place in look.cell[1:])
        rows, columns = (look.block.rows, look.block.columns) if look.block is not None else (row, column)
        return MapCells(look.cell.stage, _box_of(self._plane(look.cell.stage, look), rows, columns))

    def _plane(self, stage: str, look: ViewSettings) -> Plane:
        """Return the matrix that the map of a stage shows at a look."""
        return stage_plane(self._computation.evaluation, stage, look.batch, look.head)

    # --- steps -----------------------------------------------------------------------------------
    def multiply(self) -> None:
        """Ask for a factor of the chosen cells."""
        from attn_gui.views.dialogs.small_dialogs import AskDialog

        cells = self.cells()
        if cells is None:
            return
        title = self.tr("Multiply {cells}").format(cells=cells.name)
        words = self.tr("Each of these numbers is multiplied by this one; 0 switches them off.")
        read = translating(partial(parse_number, dtype=self._document.problem.dtype))
        dialog = AskDialog(title, words, "0", read, self._window)
        if asked(dialog) and dialog.answer is not None:
            label = Label(MULTIPLIED, {"cells": cells.name, "factor": spoken(dialog.answer)})
            self._changes.multiply(*cells, dialog.answer, label)

    def _sources(self) -> dict[str, tuple[str, int, int]]:
        """Return the axes that have another place, with names, lengths and a place beside the chosen one."""
        cell, evaluation = self._view.look.cell, self._computation.evaluation
        if cell is None or cell.stage not in evaluation.stages:
            return {}
        found = zip(STAGE[cell.stage].axes, evaluation.shape(cell.stage), self._view.index_of(cell), strict=True)
        words = {axis: QCoreApplication.translate("Interventions", AXES[axis]) for axis in STAGE[cell.stage].axes}
        usual = {axis: (words[axis], length, (at + 1) % length) for axis, length, at in found if length > 1}
        return {axis: usual[axis] for axis in ("head", *AXES) if axis in usual}

    def take(self) -> None:
        """Ask which cells stand in place of the chosen ones."""
        from attn_gui.views.dialogs.small_dialogs import TakeDialog

        cells = self.cells()
        if cells is None:
            return
        dialog = TakeDialog(cells.name, self._sources(), self._window)
        if asked(dialog):
            source = dialog.source()
            ((axis, place),) = source.items()
            named = Label(PLACES[axis], {"place": place}, "Interventions")
            self._changes.take(*cells, source, Label(TAKEN, {"cells": cells.name, "place": named}))

    def _can_take_before(self) -> bool:
        """Return whether there is another state, and a cell is chosen.

        Not during an exercise, which it could answer.
        """
        look = self._view.look
        return self._baseline.comparable and look.cell is not None and not look.blanks

    def take_before(self) -> None:
        """Give the chosen cells the numbers that they have in the state compared with."""
        cells = self.chosen()
        if cells is None or not self._baseline.comparable:
            return
        before = self._baseline.evaluation_for(BEFORE)  # by the present stages, of which the other state may lack one
        batch, *heads, rows, columns = cells.box
        values = before.block(cells.stage, batch.start, heads[0].start if heads else None, rows, columns)
        if self._view.look.compare == BEFORE:
            self._view.set(compare=NOW)  # where the cells go is looked at
        self._changes.set(*cells, np.array(values), Label(TAKEN_BEFORE, {"cells": cells.name}))

    def _changed(self) -> bool:
        """Return whether any of the chosen cells is changed by hand."""
        cell, evaluation = self._view.look.cell, self._computation.evaluation
        if cell is None or cell.stage not in evaluation.stages or not self._view.shows_now:
            return False
        node, cells = evaluation.node(cell.stage), self.chosen()
        records = node.steps if isinstance(node, InterventionNode) and cells is not None else ()
        return cells is not None and any(intersection(step.box, cells.box) is not None for step in records)

    def free(self) -> None:
        """Leave the chosen cells as computed."""
        cells = self.cells()
        if cells is not None:
            shape = self._computation.evaluation.shape(cells.stage)
            self._changes.free(*cells, shape, Label(FREED, {"cells": cells.name}))

    # --- the clipboard ---------------------------------------------------------------------------
    def paste(self) -> None:
        """Paste the block from the first chosen cell on, as often as the chosen ones are a multiple of it."""
        look, cells = self._view.look, self.cells()
        if look.cell is not None and cells is not None:
            read = partial(self._put, look, look.cell, cells)
            self._reading.read_text(QGuiApplication.clipboard().text(), read)

    def _put(self, look: ViewSettings, cell: ChosenCell, cells: MapCells, matrix: LabeledArray) -> None:
        """Put a block where it was asked for, at a look that may be over: a long text takes a while to be read."""
        if not self.shows_now():
            return
        if _place(resolve(look, self._computation.evaluation)) != _place(look):
            self._reading.show_gone(cells.name, matrix.values.shape)
            return
        size = tuple(cut.stop - cut.start for cut in cells.box[-2:])
        values, plane = tile_to_selection(matrix.values, (size[0], size[1])), self._plane(cell.stage, look)
        row, column = (look.block.rows.start, look.block.columns.start) if look.block else cell[1:]
        rows, columns = slice(row, row + values.shape[0]), slice(column, column + values.shape[1])
        if rows.stop > plane.shape[0] or columns.stop > plane.shape[1]:
            self._refuse(cell.stage, (row, column), values.shape, plane.shape)
            return
        put = MapCells(cell.stage, _box_of(plane, rows, columns))
        words = {"block": shape_text(*values.shape), "cell": put.name}

        def choose_and_say() -> None:
            if _place(self._view.look) == _place(look):
                self._view.set(block=ChosenBlock(cell, rows, columns))
            if matrix.notes:
                self._window.banner.show_info(lambda: sentences(matrix.notes))

        self._changes.set(*put, values, Label(PASTED, words), choose_and_say)

    def _refuse(self, stage: str, place: tuple[int, int], block: tuple[int, ...], shape: tuple[int, int]) -> None:
        said = {"block": shape_text(*block), "row": place[0], "column": place[1], "map": shape_text(*shape)}

        def words() -> str:
            template = self.tr(
                "{block} numbers do not fit into {stage} from row {row}, column {column} on: it has {map} cells."
            )
            return template.format(stage=stage_title(stage), **said)

        self._window.banner.show_error(words)


def _place(look: ViewSettings) -> tuple[ChosenCell | None, int, int]:
    """Return the chosen cell, and the item and the head that it is of."""
    return look.cell, look.batch, look.head


def _box_of(plane: Plane, rows: slice, columns: slice) -> Box:
    """Return rows and columns of a map in the axes of its stage."""
    corners = plane.index(rows.start, columns.start), plane.index(rows.stop - 1, columns.stop - 1)
    return tuple(_between(one, other) for one, other in zip(*corners, strict=True))


def _between(one: int, other: int) -> slice:
    return slice(min(one, other), max(one, other) + 1)


def _span(cut: slice) -> str:
    return str(cut.start) if cut.stop - cut.start == 1 else f"{cut.start} … {cut.stop - 1}"


class TypingController(Controller):
    """Opens a line on the chosen cell of a map, and makes one step of what is typed there: a cell of the problem, or an
    intervention where it is computed.
    """

    answered = Signal(object, float)  # a cell of an exercise, and the number typed into it

    def __init__(self, context: AppContext, targets: TargetController, blocks: CellBlocks) -> None:
        super().__init__(context)
        self._changes, self._targets, self._blocks = CellChanges(context.document, context.runner), targets, blocks
        self._heatmap: Heatmap | None = None
        self._cell: ChosenCell | None = None
        context.window.product.maps.typingRequested.connect(self._open)
        context.view.follow(self._close, "cell", "block", "head", "batch", "stage", "compare", "document")

    def commands(self) -> dict[str, Command]:
        view = self._view
        meanings = {f"weights_{key}": key for key in (ASK, *WEIGHT_MEANINGS)}
        return {
            "set_number": Command(self.begin, enabled=lambda: view.look.cell is not None),
            **choices(meanings, lambda: view.look.weights_typed, lambda key: view.set(weights_typed=key)),
        }

    def begin(self) -> None:
        """Type into the chosen cell, in its own map."""
        cell = self._view.look.cell
        if cell is None:
            return
        self._view.bring_map(cell.stage)
        self._open(self._window.product.maps.map(cell.stage), "")

    # --- the line --------------------------------------------------------------------------------
    def _open(self, heatmap: Heatmap, begun: str) -> None:
        cell, own = self._view.look.cell, heatmap.chosen
        if cell is None or own is None or not self._blocks.shows_now():
            return
        self._close()
        self._heatmap, self._cell = heatmap, cell
        heatmap.box.bring(*own)
        hidden = self._view.hides(cell)
        text = begun or "" if hidden else begun or shortest(heatmap.cell_at(*own)[0], self._document.problem.dtype)
        name = cell_name(cell.stage, self._view.index_of(cell))
        heatmap.typing.open(heatmap.cell_rect(*own), text, name=name, begun=bool(begun))
        heatmap.typing.typed.connect(self._on_typed)

    def _close(self) -> None:
        heatmap, self._heatmap = self._heatmap, None
        if heatmap is not None:
            heatmap.typing.typed.disconnect(self._on_typed)
            heatmap.typing.close()

    def _on_typed(self, text: str) -> None:
        heatmap, cell = self._heatmap, self._cell
        assert heatmap is not None
        assert cell is not None
        if cell != self._view.look.cell:  # its map goes with its problem, for which the number was meant
            self._close()
            return
        try:
            value = parse_number(text, self._document.problem.dtype)
        except NumberError as refusal:
            heatmap.typing.refuse(refusal.sentence())
            return
        if self._view.hides(cell):
            self._answer(value)
        elif (cells := self._blocks.cells()) is None:
            return  # the line stays as it is
        elif self._view.look.block is None:
            self._change_one(heatmap, cell, value)
        else:
            self._close()
            label = Label(SET_MANY, {"cells": cells.name, "new": number(value)})
            self._changes.set(*cells, np.asarray(value), label)

    def _answer(self, value: float) -> None:
        """Take a number for the answer to the exercise whose cell is chosen."""
        blank = self._view.chosen_blank()
        self._close()
        if blank is not None:
            self.answered.emit(blank, value)

    def _change_one(self, heatmap: Heatmap, cell: ChosenCell, value: float) -> None:
        """Set the chosen cell alone; of a share it is asked what that means."""
        evaluation, dtype = self._computation.evaluation, self._document.problem.dtype
        stage, index = cell.stage, self._view.index_of(cell)
        old = float(evaluation.block(stage, *_block(index))[0, 0])
        changed = shortest(old, dtype) != shortest(value, dtype)
        shares = evaluation.node(stage).stage.shares and not self._changes.given(stage)
        meaning = self._meaning(stage, index, value) if changed and shares else ALONE
        if meaning is None:
            heatmap.typing.give_up()
            return
        self._close()
        if changed:
            self._set(stage, index, old, value, meaning)

    # --- the step --------------------------------------------------------------------------------
    def _set(self, stage: str, index: tuple[int, ...], old: float, value: float, meaning: str) -> None:
        label = Label(SET_BY_HAND, {"cell": cell_name(stage, index), "old": number(old), "new": number(value)})
        if meaning == SOLVED:
            self._targets.open(value)
        elif meaning == RESCALED:
            self._set_row(stage, index, value, label)
        else:
            self._changes.set(stage, indices.cell(index), np.asarray(value), label)

    def _meaning(self, stage: str, index: tuple[int, ...], value: float) -> str | None:
        """Return the meaning of a number typed into a share of one; None where the person has thought better of it."""
        from attn_gui.views.dialogs.small_dialogs import WeightDialog

        if self._view.look.weights_typed != ASK:
            return self._view.look.weights_typed
        shares = self._row(stage, index)
        rest = np.delete(shares, index[-1]).sum() + self._beside(shares)
        possible = {ALONE: True, RESCALED: 0 <= value <= 1 and (rest > 0 or value == 1), SOLVED: 0 < value < 1}
        dialog = WeightDialog(
            cell_name(stage, index),
            number(value),
            {key for key, is_possible in possible.items() if is_possible},
            sink=self._document.problem.sink is not None,
            parent=self._window,
        )
        agreed, meaning = asked(dialog), dialog.meaning()
        if agreed and dialog.remembered.isChecked():
            self._view.set(weights_typed=meaning)
        return meaning if agreed else None

    def _set_row(self, stage: str, index: tuple[int, ...], value: float, label: Label) -> None:
        """Set the whole row: the cell to its number, the others in their old proportions."""
        shares = self._row(stage, index)
        box = (*indices.cell(index)[:-1], slice(0, len(shares)))
        self._changes.set(stage, box, rescale_row(shares, index[-1], value, self._beside(shares)), label)

    def _beside(self, shares: Array) -> float:
        """Return the share of a row that the sink of its head takes: what its weights lack to 1."""
        sink = self._document.problem.sink is not None
        return max(0.0, 1.0 - float(shares.sum(dtype=float))) if sink else 0.0

    def _row(self, stage: str, index: tuple[int, ...]) -> Array:
        """Return the numbers of a cell's row, as they are now."""
        batch, head, row, _ = _block(index)
        length = self._computation.evaluation.shape(stage)[-1]
        row_cells: Array = self._computation.evaluation.block(stage, batch, head, row, slice(0, length))[0]
        return row_cells


def _block(index: tuple[int, ...]) -> tuple[int, int | None, slice, slice]:
    """Return item, head, row and column of a cell as an evaluation takes them."""
    *leading, rows, columns = indices.cell(index)
    return index[0], index[1] if len(leading) == 2 else None, rows, columns
