"""Blocks of numbers into the tables: from the clipboard and from files of one matrix."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog

from attn_gui.app.making import Making
from attn_gui.app.new_shapes import shape_text
from attn_gui.app.sentences import saying, sentences
from attn_gui.app.status import Tell
from attn_gui.app.table_target import Cuts, TableTarget, block_shape
from attn_gui.app.tables import TablesController
from attn_gui.app.unfit_blocks import UnfitBlocks
from attn_gui.document.document import Document
from attn_gui.document.matrix_model import MatrixModel
from attn_gui.document.names import field_symbol
from attn_gui.formats import FormatError, open_matrix
from attn_gui.formats.sentences import QT_TRANSLATE_NOOP
from attn_gui.views.main_window import MainWindow
from attn_gui.views.tables import MatrixPanel


class TableBlocks(QObject):
    """Paste and import; a block that is too large is offered to grow its matrix, never cut."""

    def __init__(
        self, window: MainWindow, document: Document, tables: TablesController, target: TableTarget, making: Making,
        tell: Tell,
    ) -> None:
        super().__init__(window)
        self._window, self._target, self._tell = window, target, tell
        self._unfit = UnfitBlocks(window, document, target, making, tell)
        tables.on_new_table(self._connect)

    def _connect(self, field: str, panel: MatrixPanel, _model: MatrixModel) -> None:
        panel.view.pasteRequested.connect(lambda: self._paste_into(field))

    def _paste_into(self, field: str) -> None:
        self._target.use(field)
        self.paste()

    # --- clipboard -------------------------------------------------------------------------------
    def paste(self) -> None:
        """The clipboard's block from the selection's corner on; one value fills the selection."""
        from attn_gui.document.clipboard import read_block

        cuts = self._target.selection()
        if cuts is None or not self._target.writable():
            return
        try:
            found = read_block(QGuiApplication.clipboard().text())
        except ValueError as error:
            self._window.banner.show_error(saying(error))
            return
        block = found.values
        if block.shape == (1, 1):
            block = np.broadcast_to(block, block_shape(cuts))
        self._put(_at(cuts[0].start, cuts[1].start, block), block)
        if found.decimal_comma:
            self._tell(lambda: self.tr("decimal commas were read as points"))

    # --- a matrix from a file --------------------------------------------------------------------
    def import_matrix(self) -> None:
        """One matrix from a file into the table that was used last."""
        title = self.tr("Import into {symbol}").format(symbol=field_symbol(self._target.field))
        kinds = self.tr("Matrices (*.npy *.csv *.tsv)")
        name, _ = QFileDialog.getOpenFileName(self._window, title, "", kinds)
        if name and self._target.writable():
            self.import_path(Path(name))

    def import_path(self, path: Path) -> None:
        """Put a file's matrix into the table, as one step that can be undone; a bad file changes nothing."""
        try:
            matrix = open_matrix(path)
        except FormatError as error:
            self._window.banner.show_error(saying(error))
            return
        block = np.atleast_2d(matrix.values)
        if block.ndim > 2:
            said = {"file": path.name, "shape": " × ".join(map(str, block.shape))}
            self._window.banner.show_error(
                lambda: self.tr("{file} has the shape {shape}; a table takes rows and columns.").format(**said)
            )
            return
        self._put(_at(0, 0, block), block)
        notes = matrix.notes
        if notes:
            self._tell(lambda: sentences(notes))

    # --- putting ---------------------------------------------------------------------------------
    def _put(self, cuts: Cuts, block: NDArray[Any]) -> None:
        """Write a block where it fits, else say so and offer what would make room."""
        model = self._target.model
        if cuts[0].stop <= model.rowCount() and cuts[1].stop <= model.columnCount():
            source = QT_TRANSLATE_NOOP("History", "pasted {block} at {cell}")
            self._target.write(cuts, block, source, block=shape_text(*block.shape))
            return
        self._unfit.refuse(cuts, block)


def _at(row: int, column: int, block: NDArray[Any]) -> Cuts:
    return slice(row, row + block.shape[0]), slice(column, column + block.shape[1])
