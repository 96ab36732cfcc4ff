"""Tables and maps as a search sees them: their shape, names and numbers, and the way to one of their cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from attn_gui.app.state.view_state import ChosenCell, ViewState
from attn_gui.document.matrix_model import MatrixModel, field_symbol
from attn_gui.engine.graph.nodes import symbol
from attn_gui.views.main_window import MainWindow
from attn_gui.views.map.heatmap import Heatmap
from attn_gui.views.tables.matrix_panel import MatrixPanel

Block = tuple[NDArray[Any], NDArray[np.bool_] | None]


class Searched(Protocol):
    """A matrix on show, until it is `gone` from the problem."""

    @property
    def name(self) -> str: ...
    @property
    def shape(self) -> tuple[int, int]: ...
    @property
    def names(self) -> tuple[Sequence[str], Sequence[str]]: ...
    @property
    def current(self) -> tuple[int, int]: ...
    @property
    def widget(self) -> QWidget: ...
    @property
    def gone(self) -> bool: ...
    def block(self, rows: slice, columns: slice) -> Block: ...
    def choose(self, row: int, column: int) -> None: ...


@dataclass(frozen=True)
class SearchedTable:
    """A table of the window."""

    window: MainWindow
    field: str
    panel: MatrixPanel
    model: MatrixModel

    @property
    def name(self) -> str:
        return field_symbol(self.field)

    @property
    def gone(self) -> bool:
        return self.window.inputs.panels.get(self.field) is not self.panel

    @property
    def shape(self) -> tuple[int, int]:
        return self.model.rowCount(), self.model.columnCount()

    @property
    def names(self) -> tuple[Sequence[str], Sequence[str]]:
        return self.model.row_labels, ()

    @property
    def current(self) -> tuple[int, int]:
        index = self.panel.view.currentIndex()
        return max(index.row(), 0), max(index.column(), 0)

    @property
    def widget(self) -> QWidget:
        return self.panel.view

    def block(self, rows: slice, columns: slice) -> Block:
        return self.model.block(rows, columns), None

    def choose(self, row: int, column: int) -> None:
        self.window.inputs.show_field(self.field)
        self.panel.select_cell(row, column)


@dataclass(frozen=True)
class SearchedMap:
    """The map of a stage."""

    view: ViewState
    stage: str
    heatmap: Heatmap

    @property
    def name(self) -> str:
        return symbol(self.stage)

    @property
    def gone(self) -> bool:
        return self.heatmap.plane is None

    @property
    def shape(self) -> tuple[int, int]:
        return self.heatmap.shape

    @property
    def names(self) -> tuple[Sequence[str], Sequence[str]]:
        return self.heatmap.shown.row_names, self.heatmap.shown.column_names

    @property
    def current(self) -> tuple[int, int]:
        return self.heatmap.chosen or (0, 0)

    @property
    def widget(self) -> QWidget:
        return self.heatmap

    def block(self, rows: slice, columns: slice) -> Block:
        plane = self.heatmap.plane
        assert plane is not None
        return plane.block(rows, columns)

    def choose(self, row: int, column: int) -> None:
        self.view.set(stage=self.stage, cell=ChosenCell(self.stage, row, column))


def give_keyboard(searched: Searched) -> None:
    """Go on with the keyboard in the table or map."""
    if searched.widget.isVisible():
        searched.widget.setFocus(Qt.FocusReason.OtherFocusReason)
