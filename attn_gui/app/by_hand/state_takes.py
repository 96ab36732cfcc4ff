"""Cells of the state that is compared with, put in the place of those of now."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QObject

from attn_gui.app.actions.actions import Command
from attn_gui.app.by_hand.cell_blocks import CellBlocks
from attn_gui.app.by_hand.cell_changes import CellChanges
from attn_gui.app.state.baseline import Baseline
from attn_gui.app.state.making import Making
from attn_gui.app.state.view_state import ViewState
from attn_gui.document.document import Document
from attn_gui.document.edits import Label
from attn_gui.languages import QT_TRANSLATE_NOOP
from attn_gui.modes import BEFORE, NOW
from attn_gui.views.main_window import MainWindow

TAKEN = QT_TRANSLATE_NOOP("History", "{cells} taken from the state before")


class StateTakes(QObject):
    """One step for the chosen cells, be the state a pinned one, a snapshot or another text's."""

    def __init__(
        self,
        window: MainWindow,
        document: Document,
        baseline: Baseline,
        view: ViewState,
        making: Making,
        blocks: CellBlocks,
    ) -> None:
        super().__init__(window)
        self._baseline, self._view, self._blocks = baseline, view, blocks
        self._changes = CellChanges(document, making)

    def commands(self) -> dict[str, Command]:
        """The rows of the table of actions that it answers."""
        return {"take_before": Command(self.take, enabled=self._takes)}

    def _takes(self) -> bool:
        """Whether there is another state, and a cell is chosen; not during an exercise, which it could answer."""
        look = self._view.look
        return self._baseline.comparable and look.cell is not None and not look.blanks

    def take(self) -> None:
        """Give the chosen cells the numbers that they have in the other state."""
        cells = self._blocks.chosen()
        if cells is None or not self._baseline.comparable:
            return
        before = self._baseline.face(BEFORE)  # by the steps of now, of which the other state may lack one
        batch, *heads, rows, columns = cells.box
        values = before.block(cells.stage, batch.start, heads[0].start if heads else None, rows, columns)
        if self._view.look.compare == BEFORE:
            self._view.set(compare=NOW)  # where the cells go is looked at
        self._changes.set(*cells, np.array(values), Label(TAKEN, {"cells": cells.name}))
