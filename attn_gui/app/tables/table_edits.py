"""Typing, clearing, filling, rows inserted or deleted, copying; why a computed table takes nothing, and the ways out.
Blocks of numbers are `table_pasting`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from attn_gui.app.actions.actions import Command
from attn_gui.app.app_context import AppContext, Controller
from attn_gui.app.editing.edit_runner import Arrays
from attn_gui.app.editing.sizes_and_parts import done_text, translated_sentence
from attn_gui.app.state.background_task import LARGE, BackgroundTask
from attn_gui.app.state.translated_errors import sentences
from attn_gui.app.tables.tables import TablesController
from attn_gui.app.title_and_status import StatusNote
from attn_gui.document.clipboard import FORMS, CopiedCells, LateCopy, TextForm, copy_source, mime_data
from attn_gui.document.edits import Edit, Edits, Label, SetCells, SetFields
from attn_gui.document.matrix_model import Cuts, MatrixModel, field_symbol, table_box, table_cell_name
from attn_gui.engine import FILLS, Box, Note, Problem, fill
from attn_gui.engine.arrays import new_array
from attn_gui.engine.creation.interventions import Places, removal_notes
from attn_gui.engine.creation.layer_parts import UNSEEDED
from attn_gui.engine.creation.resize import fields_with_places, parts_by_hand, places_with, places_without, size_of
from attn_gui.engine.shape_errors import drafted, fields_with, reshaped
from attn_gui.figure.text.number_formats import significant
from attn_gui.languages import N_
from attn_gui.views.dialogs.dialog_base import asked
from attn_gui.views.main_window import MainWindow
from attn_gui.views.tables.matrix_panel import MatrixPanel
from attn_gui.views.tables.table_view import RefusedText

TYPED = N_("History", "{cell}: {old} → {new}")

OFFERED = tuple(kind for kind in FILLS if kind != "zeros")  # those are what `clear` writes

Rearranged = tuple[dict[str, Any], tuple[Note, ...]]  # fields, and what is said of those that went

ROWS, COLUMNS = -2, -1
INSERTED = N_("History", "inserted {cells}")
DELETED = N_("History", "deleted {cells}")
NOWHERE = N_("Rows or columns of {symbol} cannot come or go by themselves.")
TWO_HEADS = N_("Choose columns of one head: each head has {width}, and all change alike.")

AT_ONCE = 2_000  # cells that are written within a frame
MOST = 1_000_000  # cells that a clipboard should hold as text


class TablePlace(NamedTuple):
    """A table as a person sees it: its field, with the item and the head that are on show."""

    field: str
    item: int
    head: int


class TableTarget(Controller):
    """Table that the menus act on; where it is a computed one, `blocked` is emitted in place of writing into it."""

    blocked = Signal(str)  # the computed field that a person wanted to write into
    elsewhere = Signal()  # a command of tables was given while the keyboard is in something else

    def __init__(self, context: AppContext, tables: TablesController) -> None:
        super().__init__(context)
        self._tables = tables
        self._field = "query"
        tables.on_new_table(self._connect)

    def _connect(self, field: str, panel: MatrixPanel) -> None:
        panel.view.cellChosen.connect(lambda _row, _column: self.use(field))

    def acting(self, command: Callable[[], None]) -> Callable[[], None]:
        """Return a command that acts on the table with the keyboard, and on no table while something else has it."""

        def act() -> None:
            if self.has_keyboard():
                command()
            else:
                self.elsewhere.emit()

        return act

    def has_keyboard(self) -> bool:
        """Return whether a table has the keyboard, which then is the one that was used last; or nothing has it."""
        focus = QApplication.focusWidget()
        for field, panel in self._window.inputs.panels.items():
            if focus is not None and panel.isAncestorOf(focus):
                self.use(field)
                return True
        return focus is None or focus is self._window

    @property
    def field(self) -> str:
        """The field of the table; the first one if that is gone."""
        return self._field if self._field in self._tables.models else next(iter(self._tables.models))

    @property
    def model(self) -> MatrixModel:
        return self._tables.models[self.field]

    def use(self, field: str) -> None:
        self._field = field

    @property
    def place(self) -> TablePlace:
        """The table as it is on show: numbers that come later go there, whatever is on show then."""
        return TablePlace(self.field, self._view.look.batch, self._view.look.head)

    def there(self, place: TablePlace) -> bool:
        """Return whether a table, its item and its head are still there."""
        problem, first = self._document.problem, (slice(0, 1), slice(0, 1))
        array = problem.arrays().get(place.field)
        if array is None or place.field not in self._tables.models:
            return self._tables.computed(place.field)
        fits = all(cut.stop <= length for cut, length in zip(self._box(place, first), array.shape, strict=True))
        return fits and place.item < problem.batch_size

    def selection(self) -> Cuts | None:
        """Return the rectangle round the selected cells; None if nothing is selected."""
        return self._window.inputs.panels[self.field].selection()

    def select(self, place: TablePlace, cuts: Cuts) -> None:
        """Select a block of a table that was just filled, where it is on show."""
        self._view.notify_all()  # a table that has grown shows its new cells first
        here = self.place._replace(field=place.field)
        if self._box(place, cuts) == self._box(here, cuts):
            self._window.inputs.panels[place.field].select_block(*cuts)

    def whole(self) -> Cuts:
        return slice(0, self.model.rowCount()), slice(0, self.model.columnCount())

    def writable(self) -> bool:
        """Return whether numbers can be put in; if not, the ways out are offered."""
        if self._tables.locked(self.field):
            self.blocked.emit(self.field)
            return False
        return True

    def cells(self, place: TablePlace, cuts: Cuts, values: NDArray[Any], label: Label) -> SetCells:
        """Return the edit that puts a block into a table."""
        box = self._box(place, cuts)
        shape = tuple(cut.stop - cut.start for cut in box)
        turned = self._tables.models[place.field].turned(values)
        return SetCells(place.field, box, np.ascontiguousarray(turned).reshape(shape), label)

    def numbers(self, place: TablePlace, cuts: Cuts) -> NDArray[Any]:
        """Return the numbers of the problem in a block of a table, as far as it goes, whatever is on show."""
        block: NDArray[Any] = self._document.arrays[place.field][self._box(place, cuts)]
        return block.reshape(block.shape[-2:] if block.ndim > 1 else (1, -1))

    def combined(self, place: TablePlace, cuts: Cuts, block: NDArray[Any], operation: np.ufunc | None) -> NDArray[Any]:
        """Return what `operation` makes of a block and the numbers of the problem that it covers; the block itself
        beyond them, and without an operation."""
        if operation is None:
            return block
        covered = self.numbers(place, cuts)
        inside = tuple(slice(0, length) for length in covered.shape)
        found = operation(covered, block[inside])
        values = block.astype(found.dtype)
        values[inside] = found
        return values

    def _box(self, place: TablePlace, cuts: Cuts) -> Box:
        """Return the rectangle of a table in the array's own axes."""
        shape = self._document.arrays[place.field].shape
        return table_box(place.field, shape, *cuts, place.item, place.head)

    def cell_text(self, cuts: Cuts) -> str:
        """Return `Q[10, 97]`, or `Q[0, 0] … [3, 2]` for a block."""
        name = table_cell_name(self.field, (cuts[0].start, cuts[1].start))
        last = (cuts[0].stop - 1, cuts[1].stop - 1)
        return name if block_shape(cuts) == (1, 1) else f"{name} … [{last[0]}, {last[1]}]"


def block_shape(cuts: Cuts) -> tuple[int, int]:
    return cuts[0].stop - cuts[0].start, cuts[1].stop - cuts[1].start


class TableEdits(Controller):
    """Makes one edit of the document of each gesture in a table: typing, filling, naming tokens."""

    def __init__(self, context: AppContext, tables: TablesController, target: TableTarget) -> None:
        super().__init__(context)
        self._target, self._tables = target, tables
        self._actions = context.bars.actions
        target.blocked.connect(self._offer_ways_out)
        target.elsewhere.connect(self._say_where)
        tables.on_new_table(self._connect)

    def commands(self) -> dict[str, Command]:
        acting = self._target.acting
        fills = {f"fill_{kind}": Command(acting(partial(self.fill, kind))) for kind in OFFERED}
        named = {name: Command(acting(getattr(self, name))) for name in ("clear", "fill_down", "fill_right")}
        return fills | named | {"tokens": Command(self.edit_tokens)}

    def _connect(self, field: str, panel: MatrixPanel) -> None:
        self._tables.models[field].typed.connect(partial(self._type, field))
        view = panel.view
        view.clearRequested.connect(lambda: self._in(field, self.clear))
        view.fillDownRequested.connect(lambda: self._in(field, self.fill_down))
        view.fillRightRequested.connect(lambda: self._in(field, self.fill_right))
        view.fillTyped.connect(lambda value: self._in(field, partial(self.fill_typed, value)))
        view.typingBlocked.connect(lambda: self._offer_ways_out(field))
        view.gaveUp.connect(lambda refused: self._on_view_gave_up(field, refused))
        panel.bar.picked.connect(lambda key: self._on_bar_picked(field, key))

    def _on_view_gave_up(self, field: str, refused: RefusedText) -> None:
        """Refuse a text that is no number and was left behind: say that the cell is as it was."""
        cell = table_cell_name(field, (refused.row, refused.column))
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
        if not self._target.writable():
            return
        old, cuts = self._target.model.number(row, column), (slice(row, row + 1), slice(column, column + 1))
        said = {"cell": self._target.cell_text(cuts), "old": significant(old), "new": significant(value)}
        label = Label(TYPED, said)
        self._runner.apply(self._target.cells(self._target.place, cuts, np.array([[value]]), label))

    def clear(self) -> None:
        """Set every selected cell to 0."""
        self._change(lambda block: 0, N_("History", "cleared {cell}"))

    def cut(self) -> None:
        """Set every selected cell to 0 once the cells are on the clipboard."""
        self._change(lambda block: 0, N_("History", "cut {cell}"))

    def fill_down(self) -> None:
        """Repeat the first selected row below."""
        source = N_("History", "filled down {cell}")
        self._change(lambda block: block[:1], source)

    def fill_right(self) -> None:
        """Repeat the first selected column to the right."""
        source = N_("History", "filled right {cell}")
        self._change(lambda block: block[:, :1], source)

    def fill_typed(self, value: float) -> None:
        """Put a number that was typed into every selected cell."""
        source = N_("History", "filled {cell} with {value}")
        self._change(lambda block: value, source, value=significant(value))

    def fill(self, kind: str) -> None:
        """Fill the selected cells in a ready-made way, or the whole table if only one is selected."""
        cuts = self._target.selection()
        if cuts is None or block_shape(cuts) == (1, 1):
            cuts = self._target.whole()
        field, seed, shape = self._target.field, self._document.generation, block_shape(cuts)
        dtype = self._target.model.dtype if kind in UNSEEDED else np.dtype(self._document.problem.dtype)
        source = N_("History", "filled {cell}")
        self._write(cuts, lambda: fill(kind, shape, seed=seed, field=field, dtype=dtype), source)

    def _change(self, change: Callable[[NDArray[Any]], object], source: str, **words: object) -> None:
        """Change the selected cells to what `change` gives, broadcast to them."""
        cuts = self._target.selection()
        if cuts is None:
            return
        cells, model = self._target.model.cells(), self._target.model

        def write(new: NDArray[Any]) -> None:
            new[...] = change(cells[cuts])

        self._write(cuts, lambda: new_array(block_shape(cuts), model.dtype, write), source, **words)

    def _write(self, cuts: Cuts, make: Callable[[], NDArray[Any]], source: str, **words: object) -> None:
        if not self._target.writable():
            return
        place, label = self._target.place, Label(source, {"cell": self._target.cell_text(cuts), **words})
        model, inverted = self._target.model, self._target.model.inverted

        def take(values: NDArray[Any], fresh: Arrays) -> None:
            if values.dtype.kind == "b" and model.inverted != inverted:  # masks are read the other way since
                values = np.logical_not(values)
            self._document.apply(self._edit(place, cuts, values, label), fresh)

        self._runner.begin(label, make, take)

    def _edit(self, place: TablePlace, cuts: Cuts, values: NDArray[Any], label: Label) -> Edit:
        """Return the edit; a large array that is filled whole is exchanged: no copy of what stood there is made."""
        problem, field = self._document.problem, place.field
        if values.nbytes > LARGE and values.size == problem.arrays()[field].size:
            kept = self._tables.models[field].turned(values)
            return SetFields(fields_with(problem, {field: kept.reshape(problem.arrays()[field].shape)}), label)
        return self._target.cells(place, cuts, values, label)

    # --- tokens ----------------------------------------------------------------------------------
    def edit_tokens(self) -> None:
        """Name queries and keys by a sentence; as many rows as tokens if that is asked for."""
        from attn_gui.views.dialogs.tokens_dialog import TokensDialog

        problem, dialog = self._document.problem, TokensDialog(self._window)
        names = {"query_tokens": problem.query_tokens, "key_tokens": problem.names_of_keys}
        dialog.set_state(n=problem.n, m=problem.m, **names, self_attention=problem.self_attention, may_resize=True)
        if not asked(dialog):
            return
        label = Label(N_("History", "tokens"))
        places = {name: np.array(dialog.old_places(name), np.intp) for name in dialog.result_sizes()}
        tokens = {name: found for name, found in dialog.result_fields().items() if found != names[name]}

        def make() -> tuple[Edits, int]:
            changes, gone = _with_rows(problem, places)
            return Edits((*(SetFields(fields, label) for fields in (*changes, tokens)),), label), gone

        def take(made: tuple[Edits, int], fresh: Arrays) -> None:
            edits, gone = made
            self._document.apply(edits, fresh)
            self._runner.note(removal_notes(gone))

        self._runner.begin(label, make, take)

    def _say_where(self) -> None:
        self._window.banner.show_error(lambda: self.tr("This command acts on a table: click one of its cells first."))

    # --- ways out of a table that cannot be typed into -------------------------------------------
    def _offer_ways_out(self, field: str) -> None:
        if self._tables.states.locked:
            text = self.tr("This is not the present state, so it cannot be typed into.")
            self._window.inputs.panels[field].bar.set_choices(text, [("now", self.tr("Show the present state"))])
            return
        text = self.tr("{symbol} is computed, so it cannot be typed into.").format(symbol=field_symbol(field))
        edit = self.tr("Edit {symbol}").format(symbol=field_symbol(self._tables.projected_from(field)))
        ways = [("source", edit), ("direct", self.tr("Work on Q, K, V directly"))]
        self._window.inputs.panels[field].bar.set_choices(text, ways)

    def _on_bar_picked(self, field: str, key: str) -> None:
        """Take a way out, and put the keyboard where the typing goes on."""
        inputs = self._window.inputs
        inputs.panels[field].bar.set_choices()
        if key == "now":
            self._tables.states.show_now()
        elif key == "direct":
            self._actions["make_direct"].trigger()
        else:
            field = self._tables.projected_from(field)
            inputs.show_field(field)
            inputs.panels[field].view.choose(0, 0)
        inputs.panels[field].view.setFocus()


def _with_rows(problem: Problem, places: Mapping[str, Places]) -> tuple[list[dict[str, Any]], int]:
    """Return the fields of one change after another, and how many changes by hand leave nothing.

    The n and m rows were at these places, where there are others now.
    """
    found: list[dict[str, Any]] = []
    count = len(problem.interventions)
    origins = np.arange(count)  # of every part of one that is torn
    for size, kept in places.items():
        if len(kept) != getattr(problem, size):  # of one sequence the keys are there with the queries
            found.append(fields_with_places(problem, size, kept))
            origins = np.repeat(origins, parts_by_hand(problem, found[-1], kept))
            problem = drafted(problem, found[-1])
    return found, count - len(np.unique(origins))


class RowEdits(Controller):
    """Puts in as many rows or columns as are selected, or takes them out, with everything that has the same axis; one
    step of the history.
    """

    def __init__(self, context: AppContext, target: TableTarget, note: StatusNote) -> None:
        super().__init__(context)
        self._target = target
        self._note = note

    def commands(self) -> dict[str, Command]:
        gestures = {
            "insert_rows": partial(self.change, places_with, ROWS, INSERTED),
            "insert_columns": partial(self.change, places_with, COLUMNS, INSERTED),
            "delete_rows": partial(self.change, places_without, ROWS, DELETED),
            "delete_columns": partial(self.change, places_without, COLUMNS, DELETED),
        }
        return {name: Command(self._target.acting(gesture)) for name, gesture in gestures.items()}

    def change(self, moved: Callable[..., Places], axis: int, source: str) -> None:
        """Give every cell the place that `moved` finds for it from the selected rows or columns; what cannot be is
        said."""
        cuts = self._target.selection()
        if cuts is None or not self._target.writable():
            return
        problem, field = self._document.problem, self._target.field
        symbol, size = field_symbol(field), size_of(problem, field, axis)
        if size is None:
            self._window.banner.show_error(lambda: translated_sentence(NOWHERE, symbol=symbol))
            return
        cut, length = cuts[axis], int(getattr(problem, size))
        at, count = cut.start % length, cut.stop - cut.start
        if at + count > length:  # columns of a table with heads
            self._window.banner.show_error(lambda: translated_sentence(TWO_HEADS, width=length))
            return
        last = f" … {cut.stop - 1}" if count > 1 else ""
        places = f"{cut.start}{last}"
        cells = f"{symbol}[{places}, ·]" if axis == ROWS else f"{symbol}[·, {places}]"
        self._rearrange(Label(source, {"cells": cells}), size, lambda: moved(length, at, count))

    def _rearrange(self, label: Label, size: str, places: Callable[[], Places]) -> None:
        problem = self._document.problem

        def make() -> Rearranged:
            found = places()
            fields = fields_with_places(problem, size, found)
            return fields, removal_notes(parts_by_hand(problem, fields, found).count(0))

        def take(made: Rearranged, fresh: Any) -> None:
            fields, notes = made
            shapes = reshaped(problem, drafted(problem, fields))
            self._document.apply(SetFields(fields, label), fresh)
            self._note(lambda: sentences(notes) if notes else done_text(shapes))

        self._runner.begin(label, make, take)


class CopyController(QObject):
    """Copies cells of the table, map or list that has the keyboard, in each form of text; large blocks are written off
    the GUI thread.
    """

    def __init__(self, window: MainWindow, target: TableTarget, edits: TableEdits) -> None:
        super().__init__(window)
        self._window, self._target, self._edits = window, target, edits
        self._writing, self._late = BackgroundTask(self), LateCopy()
        self._writing.ended.connect(self._on_written)

    def commands(self) -> dict[str, Command]:
        copies = {form.action: Command(partial(self._on_asked, form)) for form in FORMS}
        return copies | {"cut": Command(self._target.acting(self.cut))}

    def cut(self) -> None:
        """Cut the selected block of a table to the clipboard, zeros in its place."""
        if self._on_asked(next(form for form in FORMS if form.action == "copy")):
            self._edits.cut()

    def _on_asked(self, form: TextForm) -> bool:
        """Copy from what has the keyboard, and tell where nothing there can be copied; whether it can."""
        source = copy_source(QApplication.focusWidget())
        copied = source.copied() if source is not None else None
        if copied is None:
            self._window.banner.show_info(
                lambda: self.tr("Nothing to copy here: click a cell of a table, a map or a list first.")
            )
        elif copied.shape[0] * copied.shape[1] > MOST:
            self._window.banner.show_error(partial(self._too_many, copied.shape))
        else:
            self._copy(form, copied)
            return True
        return False

    def _copy(self, form: TextForm, copied: CopiedCells) -> None:
        self._writing.forget()
        cells = copied.read()  # now, for the next edit changes them in place
        held = replace(copied, read=lambda: cells)
        if copied.shape[0] * copied.shape[1] <= AT_ONCE:
            QGuiApplication.clipboard().setMimeData(mime_data(*_written(form, held)))
            self._note_copied(copied.shape)
        else:
            self._late.begin()
            self._writing.start(lambda _: (_written(form, held), copied.shape))

    def _on_written(self, outcome: Future[tuple[tuple[str, str], tuple[int, int]]]) -> None:
        texts, shape = outcome.result()
        if self._late.put(mime_data(*texts)):
            self._note_copied(shape)

    def _note_copied(self, shape: tuple[int, int]) -> None:
        self._window.recomputed.setText(self.tr("copied {rows} × {columns}").format(rows=shape[0], columns=shape[1]))

    def _too_many(self, shape: tuple[int, int]) -> str:
        said = self.tr("{rows} × {columns} cells are too many for the clipboard (at most {most}): export the numbers.")
        return said.format(rows=shape[0], columns=shape[1], most=f"{MOST:,}")


def _written(form: TextForm, copied: CopiedCells) -> tuple[str, str]:
    """Return the cells as text, and as a table of HTML where the form has one."""
    return form.write(copied), form.html(copied) if form.html is not None else ""
