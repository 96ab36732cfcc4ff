"""Blocks of cells of a map: chosen together, multiplied, pasted into, taken from elsewhere, left as computed."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QCoreApplication, QObject
from PySide6.QtGui import QGuiApplication

from attn_gui.app.actions.actions import Command
from attn_gui.app.by_hand.cell_changes import CellChanges
from attn_gui.app.state.computation import Computation
from attn_gui.app.state.making import Making
from attn_gui.app.state.translated_errors import sentences
from attn_gui.app.state.view_state import ChosenBlock, ChosenCell, Look, ViewState, resolve
from attn_gui.app.tables.new_shapes import shape_text
from attn_gui.app.tables.table_blocks import PASTED, TableBlocks, tiled
from attn_gui.document.document import Document
from attn_gui.document.edits import Label
from attn_gui.document.number_text import NumberError, parse_number
from attn_gui.engine import STAGE, Plane
from attn_gui.engine.arrays import Box
from attn_gui.engine.graph.indices import meet
from attn_gui.engine.graph.intervention_nodes import ByHand
from attn_gui.engine.interventions import PLACES
from attn_gui.engine.sentences import spoken
from attn_gui.figure.operands import stage_plane
from attn_gui.formats import Matrix
from attn_gui.languages import QT_TRANSLATE_NOOP
from attn_gui.views.dialogs.asking import asked
from attn_gui.views.main_window import MainWindow
from attn_gui.views.names import letter, stage_title

AXES = {
    "batch": QT_TRANSLATE_NOOP("Interventions", "item"),
    "head": QT_TRANSLATE_NOOP("Interventions", "head"),
    "query": QT_TRANSLATE_NOOP("Interventions", "query"),
    "key": QT_TRANSLATE_NOOP("Interventions", "key"),
    "row": QT_TRANSLATE_NOOP("Interventions", "row"),
    "column": QT_TRANSLATE_NOOP("Interventions", "column"),
}
MULTIPLIED = QT_TRANSLATE_NOOP("History", "{cells} × {factor} by hand")
TAKEN = QT_TRANSLATE_NOOP("History", "{cells} taken from {place}")
FREED = QT_TRANSLATE_NOOP("History", "{cells} as computed")


class Cells(NamedTuple):
    """Chosen cells: their stage, and the box of them in its own axes."""

    stage: str
    box: Box

    @property
    def name(self) -> str:
        """`A[10, 13]`, `A[2 … 4, 3 … 5]`."""
        lines = ", ".join(_span(cut) for cut in self.box[-2:])
        return f"{letter(self.stage)}[{lines}]"


class CellBlocks(QObject):
    """Follows the chosen block in the maps, and makes one step of what is done to the chosen cells."""

    def __init__(
        self,
        window: MainWindow,
        document: Document,
        computation: Computation,
        view: ViewState,
        making: Making,
        tables: TableBlocks,
    ) -> None:
        super().__init__(window)
        self._window, self._document, self._computation, self._view = window, document, computation, view
        self._changes, self._reading = CellChanges(document, making), tables.reading
        maps = window.product.maps
        maps.cornerChosen.connect(self._on_maps_corner_chosen)
        maps.freeRequested.connect(self.free)
        tables.mapPasteRequested.connect(self.paste)
        view.follow(self._show_block, "block", "cell", "evaluation")

    def commands(self) -> dict[str, Command]:
        """The rows of the table of actions that it answers."""
        chosen = self._anything
        return {
            "choose_row": Command(partial(self._choose_line, rows=False), enabled=chosen),
            "choose_column": Command(partial(self._choose_line, rows=True), enabled=chosen),
            "multiply_cells": Command(self.multiply, enabled=chosen),
            "take_cells": Command(self.take, enabled=lambda: bool(self._sources())),
            "free_cells": Command(self.free, enabled=self._changed),
        }

    # --- choosing --------------------------------------------------------------------------------
    def _anything(self) -> bool:
        return self._view.look.cell is not None

    def _on_maps_corner_chosen(self, stage: str, row: int, column: int) -> None:
        """The block from the chosen cell to a corner."""
        cell = self._view.look.cell
        if cell is not None and cell.stage == stage:
            self._view.set(block=ChosenBlock(cell, _between(cell.row, row), _between(cell.column, column)))

    def _choose_line(self, *, rows: bool) -> None:
        """The whole row of the chosen cell, or its whole column."""
        cell = self._view.look.cell
        if cell is not None:
            count = self._plane(cell.stage, self._view.look).shape[0 if rows else 1]
            whole, one = slice(0, count), (cell.column if rows else cell.row)
            cuts = (whole, _between(one, one)) if rows else (_between(one, one), whole)
            self._view.set(block=ChosenBlock(cell, *cuts))

    def _show_block(self) -> None:
        block = self._view.look.block
        self._window.product.maps.set_block(None if block is None else (block.rows, block.columns))

    def cells(self) -> Cells | None:
        """The chosen cells to be changed; None where there are none, and, which is said, where they cannot be now."""
        if self._view.look.cell is None or not self.shows_now():
            return None
        if self._computation.pending:
            self._window.banner.show_info(lambda: self.tr("The problem is still being computed: nothing was changed."))
        return self.chosen()

    def shows_now(self) -> bool:
        """Whether the state of now is on show; if not, that is said."""
        if not self._view.shows_now:
            self._window.banner.show_info(lambda: self.tr("Numbers are typed into the present state; show Now first."))
        return self._view.shows_now

    def chosen(self) -> Cells | None:
        """The chosen cells, whichever state is on show; None where there are none."""
        look = self._view.look
        if look.cell is None or self._computation.pending:
            return None
        row, column = (_between(place, place) for place in look.cell[1:])
        rows, columns = (look.block.rows, look.block.columns) if look.block is not None else (row, column)
        return Cells(look.cell.stage, _box(self._plane(look.cell.stage, look), rows, columns))

    def _plane(self, stage: str, look: Look) -> Plane:
        """The matrix that the map of a stage shows at a look."""
        return stage_plane(self._computation.evaluation, stage, look.batch, look.head)

    # --- steps -----------------------------------------------------------------------------------
    def multiply(self) -> None:
        """Ask for a factor of the chosen cells."""
        from attn_gui.views.dialogs.questions import AskDialog

        cells = self.cells()
        if cells is None:
            return
        title = self.tr("Multiply {cells}").format(cells=cells.name)
        words = self.tr("Each of these numbers is multiplied by this one; 0 switches them off.")
        dialog = AskDialog(title, words, "0", self._number, self._window)
        if asked(dialog) and dialog.answer is not None:
            label = Label(MULTIPLIED, {"cells": cells.name, "factor": spoken(dialog.answer)})
            self._changes.multiply(*cells, dialog.answer, label)

    def _number(self, text: str) -> float:
        try:
            return parse_number(text, self._document.problem.dtype)
        except NumberError as error:
            raise ValueError(error.sentence()) from None

    def _sources(self) -> dict[str, tuple[str, int, int]]:
        """The axes on which there is another place, with their names, lengths and a place beside the chosen one."""
        cell, look, evaluation = self._view.look.cell, self._view.look, self._computation.evaluation
        if cell is None or cell.stage not in evaluation.stages:
            return {}
        index = stage_plane(evaluation, cell.stage, look.batch, look.head).index(cell.row, cell.column)
        found = zip(STAGE[cell.stage].axes, evaluation.shape(cell.stage), index, strict=True)
        words = {axis: QCoreApplication.translate("Interventions", AXES[axis]) for axis in STAGE[cell.stage].axes}
        usual = {axis: (words[axis], length, (at + 1) % length) for axis, length, at in found if length > 1}
        return {axis: usual[axis] for axis in ("head", *AXES) if axis in usual}

    def take(self) -> None:
        """Ask which cells stand in place of the chosen ones."""
        from attn_gui.views.dialogs.questions import TakeDialog

        cells = self.cells()
        if cells is None:
            return
        dialog = TakeDialog(cells.name, self._sources(), self._window)
        if asked(dialog):
            source = dialog.source()
            ((axis, place),) = source.items()
            named = Label(PLACES[axis], {"place": place}, "Interventions")
            self._changes.take(*cells, source, Label(TAKEN, {"cells": cells.name, "place": named}))

    def _changed(self) -> bool:
        """Whether any of the chosen cells is changed by hand."""
        cell, evaluation = self._view.look.cell, self._computation.evaluation
        if cell is None or cell.stage not in evaluation.stages or not self._view.shows_now:
            return False
        node, cells = evaluation.node(cell.stage), self.chosen()
        records = node.steps if isinstance(node, ByHand) and cells is not None else ()
        return cells is not None and any(meet(step.box, cells.box) is not None for step in records)

    def free(self) -> None:
        """Leave the chosen cells as computed."""
        cells = self.cells()
        if cells is not None:
            shape = self._computation.evaluation.shape(cells.stage)
            self._changes.free(*cells, shape, Label(FREED, {"cells": cells.name}))

    # --- the clipboard ---------------------------------------------------------------------------
    def paste(self) -> None:
        """The clipboard's block from the first chosen cell on, as often as the chosen ones are a multiple of it."""
        look, cells = self._view.look, self.cells()
        if look.cell is not None and cells is not None:
            read = partial(self._put, look, look.cell, cells)
            self._reading.read_text(QGuiApplication.clipboard().text(), read)

    def _put(self, look: Look, cell: ChosenCell, cells: Cells, matrix: Matrix) -> None:
        """Put a block where it was asked for, at a look that may be over: a long text takes a while to be read."""
        if not self.shows_now():
            return
        if _place(resolve(look, self._computation.evaluation)) != _place(look):
            self._reading.tell_gone(cells.name, matrix.values.shape)
            return
        size = tuple(cut.stop - cut.start for cut in cells.box[-2:])
        values, plane = tiled(matrix.values, (size[0], size[1])), self._plane(cell.stage, look)
        row, column = (look.block.rows.start, look.block.columns.start) if look.block else cell[1:]
        rows, columns = slice(row, row + values.shape[0]), slice(column, column + values.shape[1])
        if rows.stop > plane.shape[0] or columns.stop > plane.shape[1]:
            self._refuse(cell.stage, (row, column), values.shape, plane.shape)
            return
        put = Cells(cell.stage, _box(plane, rows, columns))
        words = {"block": shape_text(*values.shape), "cell": put.name}
        self._changes.set(*put, values, Label(PASTED, words))
        if _place(self._view.look) == _place(look):
            self._view.set(block=ChosenBlock(cell, rows, columns))
        if matrix.notes:
            self._window.banner.show_info(lambda: sentences(matrix.notes))

    def _refuse(self, stage: str, place: tuple[int, int], block: tuple[int, ...], shape: tuple[int, int]) -> None:
        said = {"block": shape_text(*block), "row": place[0], "column": place[1], "map": shape_text(*shape)}

        def words() -> str:
            template = self.tr(
                "{block} numbers do not fit into {stage} from row {row}, column {column} on: it has {map} cells."
            )
            return template.format(stage=stage_title(stage), **said)

        self._window.banner.show_error(words)


def _place(look: Look) -> tuple[ChosenCell | None, int, int]:
    """The chosen cell, and the item and the head that it is of."""
    return look.cell, look.batch, look.head


def _box(plane: Plane, rows: slice, columns: slice) -> Box:
    """Rows and columns of a map in the axes of its stage."""
    corners = plane.index(rows.start, columns.start), plane.index(rows.stop - 1, columns.stop - 1)
    return tuple(_between(one, other) for one, other in zip(*corners, strict=True))


def _between(one: int, other: int) -> slice:
    return slice(min(one, other), max(one, other) + 1)


def _span(cut: slice) -> str:
    return str(cut.start) if cut.stop - cut.start == 1 else f"{cut.start} … {cut.stop - 1}"
