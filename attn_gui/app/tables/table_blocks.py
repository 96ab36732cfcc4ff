"""Blocks of numbers into the tables: from the clipboard and from files of one matrix."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog

from attn_gui.app.actions.actions import Command
from attn_gui.app.maps.status import Tell
from attn_gui.app.state.making import Making
from attn_gui.app.state.settings import Settings
from attn_gui.app.state.translated_errors import sentences
from attn_gui.app.tables.block_reading import BlockReading
from attn_gui.app.tables.new_shapes import shape_text
from attn_gui.app.tables.table_target import Cuts, Place, TableTarget, block_shape
from attn_gui.app.tables.tables import TablesController
from attn_gui.app.tables.unfit_blocks import UnfitBlocks
from attn_gui.document.document import Document
from attn_gui.document.edits import Label
from attn_gui.document.matrix_model import MatrixModel, field_symbol
from attn_gui.engine import with_direct
from attn_gui.formats import Matrix, Note
from attn_gui.formats.catalog import listings, matrices, patterns
from attn_gui.languages import QT_TRANSLATE_NOOP
from attn_gui.views.banner import MOST, BannerOffer
from attn_gui.views.main_window import MainWindow
from attn_gui.views.names import mask_polarity
from attn_gui.views.tables.matrix_panel import MatrixPanel

FOLDER = "import_folder"


class TableBlocks(QObject):
    """Paste, import and drop; a block that is too large is offered to grow its matrix, never cut."""

    mapPasteRequested = Signal()  # the keyboard is in a map

    def __init__(
        self,
        window: MainWindow,
        document: Document,
        tables: TablesController,
        target: TableTarget,
        making: Making,
        settings: Settings,
        tell: Tell,
    ) -> None:
        super().__init__(window)
        self._window, self._tables, self._target = window, tables, target
        self._settings, self._tell = settings, tell
        self._unfit = UnfitBlocks(window, document, target, making, tell)
        self.reading = BlockReading(window, document, self._put_parts)
        self._document, self._making = document, making
        self._noted = ""  # what the line above the picture says of the last block
        document.changed.connect(self._withdraw_notes)
        tables.on_new_table(self._connect)

    def _connect(self, field: str, panel: MatrixPanel, _model: MatrixModel) -> None:
        panel.view.pasteRequested.connect(lambda: self._paste_into(field))
        panel.view.left.connect(self.reading.cancel)

    def commands(self) -> dict[str, Command]:
        """The rows of the table of actions that it answers."""
        acting = self._target.acting
        return {
            "import_matrix": Command(self.import_matrix),
            "paste": Command(self._paste),
            "paste_transposed": Command(acting(partial(self.paste, transpose=True))),
            "paste_added": Command(acting(partial(self.paste, np.add))),
            "paste_multiplied": Command(acting(partial(self.paste, np.multiply))),
        }

    def finish(self) -> None:
        """Drop what is being read; for the end of the program."""
        self.reading.finish()

    def _paste(self) -> None:
        """Into the table or the map that has the keyboard."""
        if self._window.product.maps.focused is not None:
            self.mapPasteRequested.emit()
        else:
            self._target.acting(self.paste)()

    def _paste_into(self, field: str) -> None:
        self._target.use(field)
        self.paste()

    # --- clipboard -------------------------------------------------------------------------------
    def paste(self, operation: np.ufunc | None = None, *, transpose: bool = False) -> None:
        """The clipboard's block from the selection's corner on, as often as the selection is a multiple of it.

        `operation` combines the numbers of the table with those of the clipboard, such as np.add.
        """
        place, cuts = self._target.place, self._target.selection()
        if cuts is None or not self._target.writable():
            return

        def take(matrix: Matrix) -> None:
            block = tiled(matrix.values.T if transpose else matrix.values, block_shape(cuts))
            where = _at(cuts[0].start, cuts[1].start, block)
            if operation is not None:
                if self._target.model.dtype.kind == "b":
                    self._window.banner.show_error(lambda: self.tr("A mask has no numbers to add to or to multiply."))
                    return
                there = self._target.model.block(*where)
                if there.shape == block.shape:  # else it is refused with what would make room
                    block = operation(there, block)
            self._put(place, where, block, matrix.notes)

        self.reading.read_text(QGuiApplication.clipboard().text(), take)

    # --- a matrix from a file --------------------------------------------------------------------
    def import_matrix(self) -> None:
        """One matrix from a file into the table that was used last."""
        title = self.tr("Import into {symbol}").format(symbol=field_symbol(self._target.field))
        kinds = self.tr("Matrices ({patterns})").format(patterns=patterns((*matrices(), *listings())))
        name, _ = QFileDialog.getOpenFileName(self._window, title, self._folder(), kinds)
        if name and self._target.writable():
            self._settings.put(FOLDER, str(Path(name).parent))
            self.import_path(Path(name))

    def _folder(self) -> str:
        """The folder of the last matrix, else of the last file."""
        recent = self._settings.recent()
        return self._settings.text(FOLDER, str(recent[0].parent if recent else Path.home()))

    def import_path(self, path: Path) -> None:
        """Put a file's matrix into the table, as one step that can be undone; a bad file changes nothing."""
        place = self._target.place
        self._read(path, lambda block, notes: self._put(place, _at(0, 0, block), block, notes, path.name))

    def offer_path(self, path: Path) -> None:
        """Ask which table a file's matrix is for; in one with heads its columns are those of the head on show."""
        self._read(path, lambda block, notes: self._offer(path.name, block, notes))

    def _read(self, path: Path, take: Callable[[NDArray[Any], Sequence[Note]], object]) -> None:
        def taken(matrix: Matrix) -> None:
            block = np.atleast_2d(matrix.values)
            if block.ndim > 2:
                said = {"file": path.name, "shape": shape_text(*block.shape)}
                self._window.banner.show_error(
                    lambda: self.tr("{file} has the shape {shape}; a table takes rows and columns.").format(**said)
                )
            else:
                take(block, matrix.notes)

        self.reading.read_file(path, taken)

    def _offer(self, name: str, block: NDArray[Any], notes: Sequence[Note]) -> None:
        fields = [field for field in self._tables.models if not self._tables.computed(field)]
        fields.sort(key=lambda field: field != self._target.field)
        offers = [self._into(field, name, block, notes) for field in fields[:MOST]]
        words = {"file": name, "block": shape_text(*block.shape)}
        self._window.banner.show_info(
            lambda: self.tr("{file} holds {block} numbers. Where do they go?").format(**words),
            offers=offers,
            focus=True,
        )

    def _into(self, field: str, name: str, block: NDArray[Any], notes: Sequence[Note]) -> BannerOffer:
        head = self._tables.shown_head(field)
        narrow = head is not None and block.shape[1] <= self._tables.width(field)
        words = {"symbol": field_symbol(field), "head": head if narrow else None}

        def column() -> int:  # as heads are then: an edit may have made them wider
            return head * self._tables.width(field) if head is not None and narrow else 0

        def label() -> str:
            return (self.tr("{symbol}, head {head}") if narrow else "{symbol}").format(**words)

        def hint() -> str:
            return self.tr("From row {row}, column {column} on").format(row=0, column=column())

        def put() -> None:
            self._put(self._target.place._replace(field=field), _at(0, column(), block), block, notes, name)

        return BannerOffer(label, hint, put)

    # --- putting ---------------------------------------------------------------------------------
    def _put(self, place: Place, cuts: Cuts, block: NDArray[Any], notes: Sequence[Note], file: str = "") -> None:
        """Write a block where it fits, else say so and offer what would make room."""
        if not self._target.there(place):
            self.reading.tell_gone(field_symbol(place.field), block.shape)
            return
        self._target.use(place.field)
        if not self._target.writable():
            return
        model = self._target.model
        if cuts[0].stop > model.rowCount() or cuts[1].stop > model.columnCount():
            self._unfit.refuse(place, cuts, block, notes)
            return
        source, words = IMPORTED if file else PASTED, {"block": shape_text(*block.shape)}
        self._target.write(place, cuts, block, source, fresh=[block], **words)
        self._target.select(place, cuts)
        if file:
            self._tell_import(model, {"file": file, "cell": self._target.cell_text(cuts)})
        self._say(notes)

    def _put_parts(self, parts: Mapping[str, Matrix]) -> None:
        """Take Q, K and V in place of the present ones, or of X and its weights, as one step."""
        problem, label = self._document.problem, Label(QT_TRANSLATE_NOOP("History", "pasted Q, K and V"))
        matrices = {field: matrix.values for field, matrix in parts.items()}
        self._making.change(label, lambda: with_direct(problem, matrices))
        self._say(list(dict.fromkeys(note for matrix in parts.values() for note in matrix.notes)))

    def _tell_import(self, model: MatrixModel, said: dict[str, str]) -> None:
        """Say what went where, and of True and False which way they were read."""
        flags, blocked = model.dtype.kind == "b", model.inverted

        def words() -> str:
            template = self.tr("{file} into {cell}, {polarity}") if flags else self.tr("{file} into {cell}")
            return template.format(polarity=mask_polarity(blocked), **said)

        self._tell(words)

    def _say(self, notes: Sequence[Note]) -> None:
        """Say what was left out, guessed or rounded, until the document changes again."""
        if notes:
            self._window.banner.show_info(lambda: sentences(notes))
            self._noted = self._window.banner.text()

    def _withdraw_notes(self, *_: object) -> None:
        if self._noted and self._window.banner.text() == self._noted:
            self._window.banner.hide()
        self._noted = ""


PASTED = QT_TRANSLATE_NOOP("History", "pasted {block} at {cell}")
IMPORTED = QT_TRANSLATE_NOOP("History", "imported {block} at {cell}")


def tiled(block: NDArray[Any], size: tuple[int, int]) -> NDArray[Any]:
    """A block as often as it fills a selection: once, unless the selection is a multiple of it, as in spreadsheets."""
    times = [selected // given for selected, given in zip(size, block.shape, strict=True)]
    fills = all(selected % given == 0 for selected, given in zip(size, block.shape, strict=True))
    return np.tile(block, times) if fills and max(times) > 1 else block


def _at(row: int, column: int, block: NDArray[Any]) -> Cuts:
    return slice(row, row + block.shape[0]), slice(column, column + block.shape[1])
