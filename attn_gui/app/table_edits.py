"""What a person does in the tables: typing, copying, pasting, filling, importing, naming tokens."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog

from attn_gui.app.sentences import saying
from attn_gui.app.tables import TablesController
from attn_gui.app.view_state import ViewState
from attn_gui.document.clipboard import block_text, parse_block
from attn_gui.document.document import Document
from attn_gui.document.edits import Edits, Label, SetCells, SetFields
from attn_gui.document.matrix_model import MatrixModel
from attn_gui.document.names import cell_name, field_symbol
from attn_gui.engine import fill, resize
from attn_gui.engine.indices import Box
from attn_gui.formats import FormatError, load_matrix
from attn_gui.formats.sentences import QT_TRANSLATE_NOOP
from attn_gui.views.dialogs.tokens_dialog import TokensDialog
from attn_gui.views.main_window import MainWindow
from attn_gui.views.tables import MatrixPanel

Cuts = tuple[slice, slice]
SIZES = {"query": ("n", "d_k"), "key": ("m", "d_k"), "value": ("m", "d_v"), "x": ("n", "d_model")}


class TableEdits(QObject):
    """Each gesture in a table becomes one edit of the document."""

    directRequested = Signal()  # keep the computed Q, K, V and work on them

    def __init__(self, window: MainWindow, document: Document, tables: TablesController, view: ViewState) -> None:
        super().__init__(window)
        self._window, self._document, self._tables, self._view = window, document, tables, view
        self._field = "query"
        self._offer: tuple[str, NDArray[Any]] | None = None
        tables.on_new_table(self._connect)
        window.banner.actionPicked.connect(self._on_banner_action_picked)

    def _connect(self, field: str, panel: MatrixPanel, model: MatrixModel) -> None:
        model.typed.connect(lambda row, column, value: self._type(field, row, column, value))
        view = panel.view
        view.cellChosen.connect(lambda _row, _column: self._use(field))
        for signal, slot in (
            (view.copyRequested, self._copy),
            (view.pasteRequested, self.paste),
            (view.clearRequested, self.clear),
            (view.fillDownRequested, self.fill_down),
            (view.fillRightRequested, self.fill_right),
        ):
            signal.connect(lambda *args, slot=slot: (self._use(field), slot(*args)))
        view.typingBlocked.connect(lambda: self._offer_ways_out(field))
        panel.barPicked.connect(lambda key: self._on_bar_picked(field, key))

    def _use(self, field: str) -> None:
        """The table that the menus act on."""
        self._field = field

    # --- numbers ---------------------------------------------------------------------------------
    def _type(self, field: str, row: int, column: int, value: float) -> None:
        cuts = (slice(row, row + 1), slice(column, column + 1))
        self._write(
            field,
            cuts,
            np.array([[value]]),
            Label(QT_TRANSLATE_NOOP("History", "typed {cell}"), self._cell(field, cuts)),
        )

    def clear(self) -> None:
        """Zeros in every selected cell."""
        self._write_selection(lambda shape: np.zeros(shape), QT_TRANSLATE_NOOP("History", "cleared {cell}"))

    def fill_down(self) -> None:
        """The first selected row, repeated below."""
        self._spread(
            lambda block: np.broadcast_to(block[:1], block.shape), QT_TRANSLATE_NOOP("History", "filled down {cell}")
        )

    def fill_right(self) -> None:
        """The first selected column, repeated to the right."""
        self._spread(
            lambda block: np.broadcast_to(block[:, :1], block.shape),
            QT_TRANSLATE_NOOP("History", "filled right {cell}"),
        )

    def fill(self, kind: str) -> None:
        """A ready-made filling of the selected cells, or of the whole table if only one is selected."""
        field = self._field
        if not self._editable(field):
            return
        cuts = self._selection(field)
        model = self._tables.models[field]
        if cuts is None or _shape(cuts) == (1, 1):
            cuts = slice(0, model.rowCount()), slice(0, model.columnCount())
        values = fill(kind, _shape(cuts), seed=self._document.generation, field=field)
        self._write(field, cuts, values, Label(QT_TRANSLATE_NOOP("History", "filled {cell}"), self._cell(field, cuts)))

    def _spread(self, spread: Any, source: str) -> None:
        cuts = self._selection(self._field)
        if cuts is not None:
            block = self._tables.models[self._field].block(*cuts)
            self._write(self._field, cuts, spread(block), Label(source, self._cell(self._field, cuts)))

    def _write_selection(self, make: Any, source: str) -> None:
        cuts = self._selection(self._field)
        if cuts is not None:
            self._write(self._field, cuts, make(_shape(cuts)), Label(source, self._cell(self._field, cuts)))

    def _write(self, field: str, cuts: Cuts, values: NDArray[Any], label: Label) -> None:
        if not self._editable(field):
            return
        box = self._box(field, cuts)
        shape = tuple(cut.stop - cut.start for cut in box)
        try:
            self._document.apply(SetCells(field, box, np.ascontiguousarray(values).reshape(shape), label))
        except ValueError as error:
            self._window.banner.show_error(saying(error))

    # --- clipboard -------------------------------------------------------------------------------
    def copy(self) -> None:
        self._copy(headers=False)

    def copy_with_headers(self) -> None:
        self._copy(headers=True)

    def _copy(self, headers: bool) -> None:
        cuts, model = self._selection(self._field), self._tables.models[self._field]
        if cuts is None:
            return
        vertical, horizontal = Qt.Orientation.Vertical, Qt.Orientation.Horizontal
        rows = [str(model.headerData(k, vertical)) for k in range(cuts[0].start, cuts[0].stop)]
        columns = [str(model.headerData(k, horizontal)) for k in range(cuts[1].start, cuts[1].stop)]
        block = model.block(*cuts)
        text = block_text(block, rows, columns) if headers else block_text(block)
        QGuiApplication.clipboard().setText(text)

    def paste(self) -> None:
        """The clipboard's block from the current cell on; one value fills the selection, a larger one offers to grow."""
        field, cuts = self._field, self._selection(self._field)
        if cuts is None or not self._editable(field):
            return
        try:
            block = parse_block(QGuiApplication.clipboard().text())
        except ValueError as error:
            self._window.banner.show_error(saying(error))
            return
        if block.shape == (1, 1):
            self._put(field, cuts, np.broadcast_to(block, _shape(cuts)))
            return
        cuts = tuple(slice(cut.start, cut.start + count) for cut, count in zip(cuts, block.shape, strict=True))
        self._put(field, cuts, block)

    def _put(self, field: str, cuts: Cuts, block: NDArray[Any]) -> None:
        """Write a block where it fits, else say so and offer to grow the matrix."""
        model = self._tables.models[field]
        if cuts[0].stop <= model.rowCount() and cuts[1].stop <= model.columnCount():
            label = Label(
                QT_TRANSLATE_NOOP("History", "pasted {rows} × {columns} at {cell}"),
                {"rows": block.shape[0], "columns": block.shape[1], **self._cell(field, cuts)},
            )
            self._write(field, cuts, block, label)
            return
        rows, columns = max(cuts[0].stop, model.rowCount()), max(cuts[1].stop, model.columnCount())
        said = {
            "symbol": field_symbol(field),
            "size": f"{model.rowCount()} × {model.columnCount()}",
            "grown": f"{rows} × {columns}",
            "block": f"{block.shape[0]} × {block.shape[1]}",
            "row": cuts[0].start,
            "column": cuts[1].start,
        }
        if self._growth(field, rows, columns) is None:
            self._window.banner.show_error(
                lambda: self.tr(
                    "A block of {block} does not fit into {symbol} ({size}) at row {row}, column {column}."
                ).format(**said)
            )
            return
        self._offer = (field, cuts, block, rows, columns)
        self._window.banner.show_info(
            lambda: self.tr(
                "A block of {block} does not fit into {symbol} ({size}) at row {row}, column {column}."
            ).format(**said),
            actions=[("grow", lambda: self.tr("Grow {symbol} to {grown}").format(**said))],
            focus=True,
        )

    def _growth(self, field: str, rows: int, columns: int) -> dict[str, object] | None:
        """The fields of a problem in which this table has that size; None if it cannot be had by growing."""
        problem = self._document.problem
        changed: dict[str, object] = {}
        if field not in SIZES or (field in ("query", "key", "value") and problem.projected):
            return None
        heads = {"query": problem.num_heads, "key": problem.kv_heads, "value": problem.kv_heads}.get(field, 1)
        row_size, column_size = SIZES[field]
        for size, count in ((row_size, rows), (column_size, columns)):
            if count == getattr(problem, size) * (1 if size == row_size else heads):
                continue
            if size == column_size and heads > 1:
                return None  # new columns would stand at the end of each head, not where the block goes
            fields = resize(problem, **{size: count}).fields
            problem, changed = problem.replace(**fields), changed | fields
        return changed

    def _grow(self) -> None:
        if self._offer is None:
            return
        field, cuts, block, rows, columns = self._offer
        changed = self._growth(field, rows, columns)
        label = Label(
            QT_TRANSLATE_NOOP("History", "grew {symbol} to {size}"),
            {"symbol": field_symbol(field), "size": f"{rows} × {columns}"},
        )
        if changed:
            cells = SetCells(field, self._box(field, cuts), self._whole_block(field, cuts, block), label)
            self._document.apply(Edits((SetFields(changed, label), cells), label))
        self._offer = None

    def _whole_block(self, field: str, cuts: Cuts, block: NDArray[Any]) -> NDArray[Any]:
        return block.reshape(tuple(cut.stop - cut.start for cut in self._box(field, cuts)))

    # --- a matrix from a file --------------------------------------------------------------------
    def import_matrix(self) -> None:
        """One matrix from a file into the table that was used last, as one step that can be undone."""
        name, _filter = QFileDialog.getOpenFileName(
            self._window,
            self.tr("Import into {symbol}").format(symbol=field_symbol(self._field)),
            "",
            self.tr("Matrices (*.npy *.csv *.tsv)"),
        )
        if name:
            self.import_path(Path(name), self._field)

    def import_path(self, path: Path, field: str) -> None:
        try:
            matrix = load_matrix(path)
        except (FormatError, ValueError) as error:
            self._window.banner.show_error(saying(error))
            return
        block = np.atleast_2d(matrix)
        if block.ndim != 2 or not self._editable(field):
            return
        self._put(field, (slice(0, block.shape[0]), slice(0, block.shape[1])), block)

    # --- tokens ----------------------------------------------------------------------------------
    def edit_tokens(self) -> None:
        """Names for queries and keys from a sentence."""
        problem = self._document.problem
        dialog = TokensDialog(self._window)
        dialog.set_state(
            n=problem.n,
            m=problem.m,
            query_tokens=problem.query_tokens,
            key_tokens=problem.key_tokens,
            self_attention=problem.self_attention,
        )
        if dialog.exec():
            fields = dialog.result_fields()
            self._document.apply(SetFields(fields, Label(QT_TRANSLATE_NOOP("History", "tokens"), {})))

    # --- ways out of a computed table ------------------------------------------------------------
    def _offer_ways_out(self, field: str) -> None:
        text = self.tr("{symbol} is computed, so it cannot be typed into.").format(symbol=field_symbol(field))
        self._window.inputs.panels[field].set_bar(
            text, [("x", self.tr("Edit X")), ("direct", self.tr("Work on Q, K, V directly"))]
        )

    def _on_bar_picked(self, field: str, key: str) -> None:
        self._window.inputs.panels[field].set_bar()
        if key == "x":
            self._window.inputs.show_field("x")
            self._window.inputs.panels["x"].select_cell(0, 0)
        else:
            self.directRequested.emit()

    def _on_banner_action_picked(self, key: str) -> None:
        if key == "grow":
            self._grow()

    # --- places ----------------------------------------------------------------------------------
    def _editable(self, field: str) -> bool:
        if self._tables.computed(field):
            self._offer_ways_out(field)
            return False
        return True

    def _selection(self, field: str) -> Cuts | None:
        """The rectangle round the selected cells; None if nothing is selected."""
        panel = self._window.inputs.panels.get(field)
        return panel.selection() if panel is not None else None

    def _box(self, field: str, cuts: Cuts) -> Box:
        """The rectangle of the table in the array's own axes."""
        array = self._document.problem.arrays()[field]
        if array.ndim == 1:
            return (cuts[1],)
        item = self._view.look.batch if array.shape[0] > 1 else 0
        return (*(slice(item, item + 1),) * (array.ndim - 2), *cuts)

    def _cell(self, field: str, cuts: Cuts) -> dict[str, object]:
        first = (cuts[0].start, cuts[1].start)
        last = (cuts[0].stop - 1, cuts[1].stop - 1)
        name = cell_name(field, first)
        return {"cell": name if first == last else f"{name} … [{last[0]}, {last[1]}]"}


def _shape(cuts: Cuts) -> tuple[int, int]:
    return cuts[0].stop - cuts[0].start, cuts[1].stop - cuts[1].start
