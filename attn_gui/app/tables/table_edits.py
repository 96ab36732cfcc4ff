"""Edits of single cells in the tables: typing, filling, naming tokens. Whole blocks are `table_blocks`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Qt, Signal

from attn_gui.app.actions.actions import Command
from attn_gui.app.state.making import Arrays, Making
from attn_gui.app.state.window_task import LARGE
from attn_gui.app.tables.table_target import Cuts, Place, TableTarget, block_shape
from attn_gui.app.tables.tables import TablesController
from attn_gui.document.document import Document
from attn_gui.document.edits import Edit, Edits, Label, SetFields
from attn_gui.document.matrix_model import MatrixModel, cell_name, field_symbol
from attn_gui.engine import FILLS, Problem, fill
from attn_gui.engine.creation.filling import UNSEEDED
from attn_gui.engine.creation.interventions import Places, went
from attn_gui.engine.creation.rearrange import parts_by_hand, rearranged
from attn_gui.engine.memory import made
from attn_gui.engine.shape_errors import drafted, fields_with
from attn_gui.figure.text.numbers import significant
from attn_gui.languages import QT_TRANSLATE_NOOP
from attn_gui.views.dialogs.asking import asked
from attn_gui.views.main_window import MainWindow
from attn_gui.views.tables.matrix_panel import MatrixPanel
from attn_gui.views.tables.table_view import Refused

OFFERED = tuple(kind for kind in FILLS if kind != "zeros")  # those are what `clear` writes


class TableEdits(QObject):
    """Makes one edit of the document of each gesture in a table."""

    directRequested = Signal()  # keep the computed Q, K, V and work on them

    def __init__(
        self, window: MainWindow, document: Document, tables: TablesController, target: TableTarget, making: Making
    ) -> None:
        super().__init__(window)
        self._window, self._document, self._target, self._tables = window, document, target, tables
        self._making = making
        target.blocked.connect(self._offer_ways_out)
        target.elsewhere.connect(self._say_where)
        tables.on_new_table(self._connect)

    def commands(self) -> dict[str, Command]:
        """The rows of the table of actions that it answers."""
        acting = self._target.acting
        fills = {f"fill_{kind}": Command(acting(partial(self.fill, kind))) for kind in OFFERED}
        named = {name: Command(acting(getattr(self, name))) for name in ("clear", "fill_down", "fill_right")}
        return fills | named | {"tokens": Command(self.edit_tokens)}

    def _connect(self, field: str, panel: MatrixPanel, model: MatrixModel) -> None:
        model.typed.connect(lambda row, column, value: self._type(field, row, column, value))
        view = panel.view
        view.clearRequested.connect(lambda: self._in(field, self.clear))
        view.fillDownRequested.connect(lambda: self._in(field, self.fill_down))
        view.fillRightRequested.connect(lambda: self._in(field, self.fill_right))
        view.fillTyped.connect(lambda value: self._in(field, partial(self.fill_typed, value)))
        view.typingBlocked.connect(lambda: self._offer_ways_out(field))
        view.gaveUp.connect(lambda refused: self._on_view_gave_up(field, refused))
        panel.barPicked.connect(lambda key: self._on_bar_picked(field, key))

    def _on_view_gave_up(self, field: str, refused: Refused) -> None:
        """Refuse a text that is no number and was left behind: say that the cell is as it was."""
        cell = cell_name(field, (refused.row, refused.column))
        index = self._tables.models[field].index(refused.row, refused.column)
        value = str(index.data(Qt.ItemDataRole.EditRole))
        self._window.banner.show_error(
            lambda: self.tr("{sentence} {cell} keeps {value}.").format(
                sentence=refused.sentence, cell=cell, value=value
            )
        )

    def _in(self, field: str, gesture: Callable[[], None]) -> None:
        self._target.use(field)
        gesture()

    # --- numbers ---------------------------------------------------------------------------------
    def _type(self, field: str, row: int, column: int, value: float) -> None:
        self._target.use(field)
        cuts = (slice(row, row + 1), slice(column, column + 1))
        old = float(self._target.model.block(*cuts)[0, 0])
        self._target.write(
            self._target.place,
            cuts,
            np.array([[value]]),
            QT_TRANSLATE_NOOP("History", "{cell}: {old} → {new}"),
            old=significant(old),
            new=significant(value),
        )

    def clear(self) -> None:
        """Zeros in every selected cell."""
        self._change(lambda block: 0, QT_TRANSLATE_NOOP("History", "cleared {cell}"))

    def cut(self) -> None:
        """Zeros in every selected cell, once the cells are on the clipboard."""
        self._change(lambda block: 0, QT_TRANSLATE_NOOP("History", "cut {cell}"))

    def fill_down(self) -> None:
        """The first selected row, repeated below."""
        source = QT_TRANSLATE_NOOP("History", "filled down {cell}")
        self._change(lambda block: block[:1], source)

    def fill_right(self) -> None:
        """The first selected column, repeated to the right."""
        source = QT_TRANSLATE_NOOP("History", "filled right {cell}")
        self._change(lambda block: block[:, :1], source)

    def fill_typed(self, value: float) -> None:
        """A number that was typed, in every selected cell."""
        source = QT_TRANSLATE_NOOP("History", "filled {cell} with {value}")
        self._change(lambda block: value, source, value=significant(value))

    def fill(self, kind: str) -> None:
        """A ready-made filling of the selected cells, or of the whole table if only one is selected."""
        cuts = self._target.selection()
        if cuts is None or block_shape(cuts) == (1, 1):
            cuts = self._target.whole()
        field, seed, shape = self._target.field, self._document.generation, block_shape(cuts)
        dtype = self._target.model.dtype if kind in UNSEEDED else np.dtype(self._document.problem.dtype)
        source = QT_TRANSLATE_NOOP("History", "filled {cell}")
        self._write(cuts, lambda: fill(kind, shape, seed=seed, field=field, dtype=dtype), source)

    def _change(self, change: Callable[[NDArray[Any]], object], source: str, **words: object) -> None:
        """`change` gives what is broadcast to the selected cells."""
        cuts = self._target.selection()
        if cuts is None:
            return
        cells, model = self._target.model.cells(), self._target.model

        def write(new: NDArray[Any]) -> None:
            new[...] = change(cells[cuts])

        self._write(cuts, lambda: made(block_shape(cuts), model.dtype, write), source, **words)

    def _write(self, cuts: Cuts, make: Callable[[], NDArray[Any]], source: str, **words: object) -> None:
        if not self._target.writable():
            return
        place, label = self._target.place, Label(source, {"cell": self._target.cell_text(cuts), **words})
        model, inverted = self._target.model, self._target.model.inverted

        def take(values: NDArray[Any], fresh: Arrays) -> None:
            if values.dtype.kind == "b" and model.inverted != inverted:  # masks are read the other way since
                values = np.logical_not(values)
            self._document.apply(self._edit(place, cuts, values, label), fresh)

        self._making.begin(label, make, take)

    def _edit(self, place: Place, cuts: Cuts, values: NDArray[Any], label: Label) -> Edit:
        """A large array that is filled whole is exchanged: no copy of what stood there is made."""
        problem, field = self._document.problem, place.field
        if values.nbytes > LARGE and values.size == problem.arrays()[field].size:
            kept = self._tables.models[field].turned(values)
            return SetFields(fields_with(problem, {field: kept.reshape(problem.arrays()[field].shape)}), label)
        return self._target.cells(place, cuts, values, label)

    # --- tokens ----------------------------------------------------------------------------------
    def edit_tokens(self) -> None:
        """Names for queries and keys from a sentence; as many rows as tokens if that is asked for."""
        from attn_gui.views.dialogs.tokens_dialog import TokensDialog

        problem, dialog = self._document.problem, TokensDialog(self._window)
        names = {"query_tokens": problem.query_tokens, "key_tokens": problem.names_of_keys}
        dialog.set_state(
            n=problem.n,
            m=problem.m,
            **names,
            self_attention=problem.self_attention,
            may_resize=True,
        )
        if not asked(dialog):
            return
        label = Label(QT_TRANSLATE_NOOP("History", "tokens"))
        places = {name: np.array(dialog.old_places(name), np.intp) for name in dialog.result_sizes()}
        tokens = {name: found for name, found in dialog.result_fields().items() if found != names[name]}

        def make() -> tuple[Edits, int]:
            changes, gone = _with_rows(problem, places)
            return Edits((*(SetFields(fields, label) for fields in (*changes, tokens)),), label), gone

        def take(made: tuple[Edits, int], fresh: Arrays) -> None:
            edits, gone = made
            self._document.apply(edits, fresh)
            self._making.note(went(gone))

        self._making.begin(label, make, take)

    def _say_where(self) -> None:
        self._window.banner.show_info(lambda: self.tr("This command acts on a table: click one of its cells first."))

    # --- ways out of a table that cannot be typed into -------------------------------------------
    def _offer_ways_out(self, field: str) -> None:
        if self._tables.states.locked:
            text = self.tr("This is not the present state, so it cannot be typed into.")
            self._window.inputs.panels[field].set_bar(text, [("now", self.tr("Show the present state"))])
            return
        text = self.tr("{symbol} is computed, so it cannot be typed into.").format(symbol=field_symbol(field))
        ways = [("x", self.tr("Edit X")), ("direct", self.tr("Work on Q, K, V directly"))]
        self._window.inputs.panels[field].set_bar(text, ways)

    def _on_bar_picked(self, field: str, key: str) -> None:
        self._window.inputs.panels[field].set_bar()
        if key == "now":
            self._tables.states.show_now()
            self._window.inputs.panels[field].view.setFocus()
            return
        if key == "x":
            self._window.inputs.show_field("x")
            self._window.inputs.panels["x"].select_cell(0, 0)
        else:
            self.directRequested.emit()
        self._window.inputs.panels["x" if key == "x" else field].view.setFocus()  # where the typing goes on


def _with_rows(problem: Problem, places: Mapping[str, Places]) -> tuple[list[dict[str, Any]], int]:
    """The fields of one change after another: n and m rows that were at these places, where there are others now; how
    many changes by hand leave nothing."""
    found: list[dict[str, Any]] = []
    count = len(problem.interventions)
    origins = np.arange(count)  # of every part of one that is torn
    for size, kept in places.items():
        if len(kept) != getattr(problem, size):  # of one sequence the keys are there with the queries
            found.append(rearranged(problem, size, kept))
            origins = np.repeat(origins, parts_by_hand(problem, found[-1], kept))
            problem = drafted(problem, found[-1])
    return found, count - len(np.unique(origins))
