"""Numbers typed into cells of the maps: cells of the problem, or interventions where they are computed."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QObject, Signal

from attn_gui.app.actions.actions import Command, choices
from attn_gui.app.by_hand.cell_blocks import CellBlocks
from attn_gui.app.by_hand.cell_changes import CellChanges
from attn_gui.app.problem.targets import TargetController
from attn_gui.app.state.computation import Computation
from attn_gui.app.state.making import Making
from attn_gui.app.state.view_state import ChosenCell, ViewState
from attn_gui.document.document import Document
from attn_gui.document.edits import Label
from attn_gui.document.number_text import NumberError, parse_number, shortest
from attn_gui.engine import STAGE
from attn_gui.engine.arrays import Array, Box
from attn_gui.engine.creation.interventions import rescaled
from attn_gui.figure.operands import stage_plane
from attn_gui.languages import QT_TRANSLATE_NOOP
from attn_gui.views.dialogs.asking import asked
from attn_gui.views.inspector.context import cell_name, number
from attn_gui.views.main_window import MainWindow
from attn_gui.views.map.heatmap import Heatmap
from attn_gui.views.names import ALONE, ASK, RESCALED, SOLVED, WEIGHT_MEANINGS

SET_MANY = QT_TRANSLATE_NOOP("History", "{cells} set to {new} by hand")
SET_BY_HAND = QT_TRANSLATE_NOOP("History", "{cell}: {old} → {new} by hand")


class TypingController(QObject):
    """Opens a line on the chosen cell of a map, and makes one step of what is typed there."""

    answered = Signal(object, float)  # a cell of an exercise, and the number typed into it

    def __init__(
        self,
        window: MainWindow,
        document: Document,
        computation: Computation,
        view: ViewState,
        making: Making,
        targets: TargetController,
        blocks: CellBlocks,
    ) -> None:
        super().__init__(window)
        self._window, self._document, self._computation, self._view = window, document, computation, view
        self._changes, self._targets, self._blocks = CellChanges(document, making), targets, blocks
        self._heatmap: Heatmap | None = None
        self._cell: ChosenCell | None = None
        window.product.maps.typingRequested.connect(self._open)
        view.follow(self._close, "cell", "block", "head", "batch", "stage", "compare", "document")

    def commands(self) -> dict[str, Command]:
        """The rows of the table of actions that it answers."""
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
        name = cell_name(cell.stage, self._index())
        heatmap.typing.open(heatmap.cell_rect(*own), text, name=name, begun=bool(begun))
        heatmap.typing.typed.connect(self._on_typed)

    def _close(self) -> None:
        heatmap, self._heatmap = self._heatmap, None
        if heatmap is not None:
            heatmap.typing.typed.disconnect(self._on_typed)
            heatmap.typing.close()

    def _index(self) -> tuple[int, ...]:
        assert self._cell is not None
        look = self._view.look
        plane = stage_plane(self._computation.evaluation, self._cell.stage, look.batch, look.head)
        return plane.index(self._cell.row, self._cell.column)

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
            blank = self._view.chosen_blank()
            self._close()
            if blank is not None:
                self.answered.emit(blank, value)
            return
        index, cells = self._index(), self._blocks.cells()
        if cells is None:
            return  # the line stays as it is
        if self._view.look.block is not None:
            self._close()
            label = Label(SET_MANY, {"cells": cells.name, "new": number(value)})
            self._changes.set(*cells, np.asarray(value), label)
            return
        old = float(self._computation.evaluation.block(cell.stage, *_block(index))[0, 0])
        changed = shortest(old, self._document.problem.dtype) != shortest(value, self._document.problem.dtype)
        shares = STAGE[cell.stage].shares and not self._changes.given(cell.stage)
        meaning = self._meaning(cell.stage, index, value) if changed and shares else ALONE
        if meaning is None:
            heatmap.typing.give_up()
            return
        self._close()
        if changed:
            self._set(cell.stage, index, old, value, meaning)

    # --- the step --------------------------------------------------------------------------------
    def _set(self, stage: str, index: tuple[int, ...], old: float, value: float, meaning: str) -> None:
        label = Label(SET_BY_HAND, {"cell": cell_name(stage, index), "old": number(old), "new": number(value)})
        steps = {ALONE: self._set_alone, RESCALED: self._set_row, SOLVED: self._solve}
        steps[meaning](stage, index, value, label)

    def _meaning(self, stage: str, index: tuple[int, ...], value: float) -> str | None:
        """The meaning of a number typed into a share of one; None where the person has thought better of it."""
        from attn_gui.views.dialogs.questions import WeightDialog

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

    def _set_alone(self, stage: str, index: tuple[int, ...], value: float, label: Label) -> None:
        self._changes.set(stage, _box(index), np.asarray(value), label)

    def _set_row(self, stage: str, index: tuple[int, ...], value: float, label: Label) -> None:
        """The whole row is set: the cell to its number, the others in their old proportions."""
        shares = self._row(stage, index)
        box = (*_box(index)[:-1], slice(0, len(shares)))
        self._changes.set(stage, box, rescaled(shares, index[-1], value, self._beside(shares)), label)

    def _beside(self, shares: Array) -> float:
        """The share of a row that the sink of its head takes: what its weights lack to 1."""
        sink = self._document.problem.sink is not None
        return max(0.0, 1.0 - float(shares.sum(dtype=float))) if sink else 0.0

    def _row(self, stage: str, index: tuple[int, ...]) -> Array:
        """The numbers of a cell's row, as they are now."""
        batch, head, row, _ = _block(index)
        length = self._computation.evaluation.shape(stage)[-1]
        row_cells: Array = self._computation.evaluation.block(stage, batch, head, row, slice(0, length))[0]
        return row_cells

    def _solve(self, _stage: str, _index: tuple[int, ...], value: float, _label: Label) -> None:
        self._targets.open(value)


def _box(index: tuple[int, ...]) -> Box:
    return tuple(slice(place, place + 1) for place in index)


def _block(index: tuple[int, ...]) -> tuple[int, int | None, slice, slice]:
    """Item, head, row and column of a cell as an evaluation takes them."""
    *leading, rows, columns = _box(index)
    return index[0], index[1] if len(leading) == 2 else None, rows, columns
