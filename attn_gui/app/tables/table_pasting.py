"""Blocks pasted, imported or dropped into tables: added, multiplied, transposed; too large, and how to make one fit."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QFileDialog

from attn_gui.app.actions.actions import Command
from attn_gui.app.app_context import AppContext, Controller
from attn_gui.app.editing.edit_runner import Arrays
from attn_gui.app.editing.sizes_and_parts import ShapeFixes, done_text, followers_text, shape_text, translated_sentence
from attn_gui.app.state.background_task import WindowTask
from attn_gui.app.state.translated_errors import saying, sentence, sentences
from attn_gui.app.tables.table_edits import TablePlace, TableTarget, block_shape
from attn_gui.app.tables.tables import TablesController
from attn_gui.app.title_and_status import StatusNote
from attn_gui.document.edits import Edit, Edits, Label, SetFields, cast_cells
from attn_gui.document.matrix_model import Cuts, MatrixModel, field_symbol
from attn_gui.engine import FieldError, Problem, clash_of, outlined, reshaped, resize, with_direct
from attn_gui.engine.arrays import Progress, silent
from attn_gui.engine.creation.interventions import with_carried_interventions
from attn_gui.engine.fields import GIVEN
from attn_gui.engine.shape_errors import drafted, fields_with
from attn_gui.formats import AmbiguousTable, FileNote, FormatError, LabeledArray, matrix_formats, open_matrix, suffixes
from attn_gui.formats.catalog import array_formats, patterns
from attn_gui.languages import N_
from attn_gui.pictures.worker_thread import outcome_of
from attn_gui.views.banner import MOST, BannerOffer
from attn_gui.views.dialogs.dialog_base import asked
from attn_gui.views.names import mask_polarity
from attn_gui.views.tables.matrix_panel import MatrixPanel

LARGE_TEXT = 32_000  # characters or bytes; what is shorter is read within a frame
LARGE_ARRAY = 4 * 2**20  # bytes of numbers that need no reading
Take = Callable[[LabeledArray], object]
TakeParts = Callable[[Mapping[str, LabeledArray]], object]  # Q, K and V, or X and its weights, at once

SIZES = {"query": ("n", "d_k"), "key": ("m", "d_k"), "value": ("m", "d_v"), "x": ("n", "d_model"), GIVEN: ("n", "m")}
KEEP = "d_model"

Fields = Mapping[str, object]

FOLDER = "import_folder"

PASTED = N_("History", "pasted {block} at {cell}")
IMPORTED = N_("History", "imported {block} at {cell}")
NO_TEXT = N_("{file} holds no text: copy the numbers as plain text, or save them as a file and open that.")


class BlockReading(Controller):
    """Reads one matrix out of a text or a file: a small one at once, a larger one beside the window.

    A block that is asked for meanwhile takes the place of the one that is being read, and that is said; another
    document drops it in silence.
    """

    def __init__(self, context: AppContext, take_parts: TakeParts) -> None:
        """Read blocks; `take_parts` is handed Q, K and V, or X and its weights, where a text holds them all and all
        are wanted."""
        super().__init__(context)
        self._take_parts = take_parts
        self._name: Callable[[], str] = str
        self._take: Take = lambda _matrix: None
        self._work = WindowTask(context.window, "reading")
        self._work.ended.connect(lambda outcome: self._hand(outcome, self._name, self._take))
        context.document.opened.connect(self._work.forget)

    @property
    def busy(self) -> bool:
        """Whether an answer is still to come."""
        return self._work.busy

    def read_text(self, text: str, take: Take) -> None:
        """Hand the matrix that stands on the clipboard to `take`; what cannot be read is said."""
        name = FileNote(N_("The clipboard"))

        def read(progress: Progress) -> LabeledArray:
            from attn_gui.formats.text.text_table import read_table  # seldom, and takes a while

            try:
                if not text:  # a picture, or a table of a web page without its letters
                    raise FormatError(NO_TEXT)
                return read_table(text, progress)
            except FormatError as error:
                error.values["file"] = name
                raise

        self._begin(lambda: sentence(name), len(text) > LARGE_TEXT, read, take)

    def read_file(self, path: Path, take: Take) -> None:
        """Hand the matrix of a file to `take`; what cannot be read is said."""
        binary = [kind for kind in matrix_formats() if not kind.text]
        most = LARGE_ARRAY if path.suffix.lower() in suffixes(binary) else LARGE_TEXT
        large = path.is_file() and (path.stat().st_size > most or path.suffix.lower() in suffixes(array_formats()))
        self._begin(lambda: path.name, large, lambda progress: open_matrix(path, progress), take)

    def show_gone(self, cells: str, shape: tuple[int, ...]) -> None:
        """Say that the cells which a block was read for are no longer there."""
        said = {"cells": cells, "block": shape_text(*shape)}
        self._window.banner.show_error(lambda: self.tr("{cells} is gone: {block} numbers were dropped.").format(**said))

    def cancel(self) -> None:
        """Drop what is being read; the keyboard is in a table then, which has a use for Esc of its own."""
        self._work.forget()

    def finish(self) -> None:
        """Drop what is being read, and wait until it has stopped; for the end of the program."""
        self._work.finish()

    def _begin(
        self, name: Callable[[], str], large: bool, read: Callable[[Progress], LabeledArray], take: Take
    ) -> None:
        if large:
            if self._work.busy:
                self._say_dropped(self._name)
            self._name, self._take = name, take
            self._work.start(read, name())
            return
        self._hand(outcome_of(partial(read, silent)), name, take)

    def _say_dropped(self, name: Callable[[], str]) -> None:
        self._window.banner.show_info(
            lambda: self.tr("{name} was dropped: another block was asked for before it was read.").format(name=name())
        )

    def _hand(self, outcome: Future[LabeledArray], name: Callable[[], str], take: Take) -> None:
        refusal = outcome.exception()
        if isinstance(refusal, AmbiguousTable):
            self._ask(refusal, name, take)
        elif isinstance(refusal, FormatError):
            self._window.banner.show_error(saying(refusal))
        else:
            take(outcome.result())

    def _ask(self, several: AmbiguousTable, name: Callable[[], str], take: Take) -> None:
        from attn_gui.views.dialogs.ambiguity_dialogs import ReadingsDialog

        dialog = ReadingsDialog(name(), several=several.several, parent=self._window)
        parts = several.together()
        shapes = (f"{field_symbol(field)} {shape_text(*matrix.values.shape)}" for field, matrix in parts.items())
        words = (
            self.tr("All at once: {matrices}").format(matrices=translated_sentence(", ").join(shapes)) if parts else ""
        )
        each = [(sentence(one.words), one.matrix.values) for one in several.readings]
        dialog.set_readings([(words, None), *each] if parts else each)
        if asked(dialog) != QDialog.DialogCode.Accepted:
            return
        if parts and dialog.chosen == 0:
            self._take_parts(parts)
        else:
            take(several.readings[dialog.chosen - bool(parts)].matrix)


class UnfitBlocks(Controller):
    """Says why a block does not fit into its table, and offers every way, by shapes, to make it fit; each that is
    picked is one step.
    """

    def __init__(self, context: AppContext, target: TableTarget, note: StatusNote) -> None:
        super().__init__(context)
        self._target, self._note = target, note
        self._banner = context.window.banner
        self._clashes = ShapeFixes(self._banner, self, context.runner, context.window.inputs)

    def refuse(
        self,
        place: TablePlace,
        cuts: Cuts,
        block: NDArray[Any],
        notes: Sequence[FileNote] = (),
        operation: np.ufunc | None = None,
    ) -> None:
        """Say that the block is too large, and offer a larger matrix, or the block as the matrix with what follows.

        `notes` say how the block was read. With an `operation`, which combines the block with the numbers that it
        covers, such as np.add, it is not offered as the matrix.
        """
        field, problem = place.field, self._document.problem
        grown = self._outline(field, cuts)
        growing = [] if grown is None else [self._growing(place, cuts, block, grown, operation)]
        said = self._too_large(cuts, block, grown, notes)
        corner = cuts[0].start == cuts[1].start == 0
        shape = replacing_shape(problem, field, block) if corner and operation is None else None
        clash = clash_of(problem, {field: shape}) if shape is not None else None
        if shape is None or (clash is None and growing):
            say = self._banner.show_info if growing else self._banner.show_error
            say(said, offers=growing, focus=True)
        elif clash is None:
            self._banner.show_info(said, offers=[self._replacing(field, block)], focus=True)
        else:
            reason, kept = saying(clash), self._target.model.turned(block)
            self._clashes.offer(
                clash,
                lambda: self._document.problem.fields(),
                lambda: fields_with_matrix(self._document.problem, field, kept),
                lambda fixed, fresh: self._accept(field, block, fixed, fresh),
                words=lambda: self.tr("{refusal} {reason}").format(refusal=said(), reason=reason()),
                before=growing,
                brought=field,
            )

    def _too_large(
        self, cuts: Cuts, block: NDArray[Any], grown: Problem | None, notes: Sequence[FileNote]
    ) -> Callable[[], str]:
        """Return the sentence: what does not fit, and which matrices would grow with this one."""
        field = self._target.field
        shapes = {} if grown is None else reshaped(self._document.problem, grown)
        said = _said(field, block) | {
            "size": shape_text(self._target.model.rowCount(), self._target.model.columnCount()),
            "row": cuts[0].start,
            "column": cuts[1].start,
        }

        def words() -> str:
            text = self.tr("{block} numbers do not fit into {symbol} ({size}) at row {row}, column {column}.")
            parts = [text.format(**said), *([followers_text(field, shapes)] if len(shapes) > 1 else [])]
            return sentences([*parts, *notes])

        return words

    # --- the ways out ----------------------------------------------------------------------------
    def _outline(self, field: str, cuts: Cuts) -> Problem | None:
        problem = self._document.problem
        return grown_outline(problem, field, *roomy(problem, field, cuts))

    def _growing(
        self, place: TablePlace, cuts: Cuts, block: NDArray[Any], grown: Problem, operation: np.ufunc | None
    ) -> BannerOffer:
        """Return a matrix as large as the block needs it, and the others with it."""
        field = place.field
        words = {"symbol": field_symbol(field), "size": shape_text(*grown.arrays()[field].shape[-2:])}
        shapes = reshaped(self._document.problem, grown)

        def grow() -> None:
            problem = self._document.problem
            size = roomy(problem, field, cuts)  # the matrix may be larger by now
            said = words | {"size": shape_text(*size)}
            label = Label(N_("History", "grew {symbol} to {size}"), said)

            def take(fields: Fields, fresh: Arrays) -> None:
                self._target.use(field)
                larger: tuple[Edit, ...] = (SetFields(fields, label),) if fields else ()
                values = self._target.combined(place, cuts, block, operation)
                self._apply(Edits((*larger, self._target.cells(place, cuts, values, label)), label), fresh)
                self._target.select(place, cuts)

            self._runner.begin(label, lambda: grown_fields(problem, field, *size), take)

        return BannerOffer(
            lambda: self.tr("Grow {symbol} to {size}").format(**words), lambda: followers_text(field, shapes), grow
        )

    def _replacing(self, field: str, block: NDArray[Any]) -> BannerOffer:
        """Return the block in place of the whole matrix, where that needs nothing else."""
        return BannerOffer(
            lambda: self.tr("Make {symbol} {block}").format(**_said(field, block)),
            "",
            lambda: self._replace(field, block),
        )

    def _replace(self, field: str, block: NDArray[Any]) -> None:
        self._target.use(field)
        problem, kept = self._document.problem, self._target.model.turned(block)
        self._runner.begin(
            _replacing_label(field, block),
            lambda: fields_with_matrix(problem, field, kept),
            lambda changes, fresh: self._accept(field, block, changes, fresh),
        )

    def _accept(self, field: str, block: NDArray[Any], changes: Fields, fresh: Arrays) -> None:
        followed, notes = with_carried_interventions(self._document.problem, changes)
        self._target.use(field)
        taken = np.asarray(changes.get(field, block))  # may be cut to fit, or turned
        self._apply(SetFields(followed, _replacing_label(field, np.atleast_2d(taken))), fresh, notes)

    def _apply(self, edit: Edit, fresh: Arrays, notes: Sequence[object] = ()) -> None:
        """Carry out a way out, and tell what went with it, or what it did to the shapes."""
        before = self._document.problem
        self._document.apply(edit, fresh)
        shapes = reshaped(before, self._document.problem)
        self._note(lambda: sentences(notes) if notes else done_text(shapes))


def replacing_shape(problem: Problem, field: str, block: NDArray[Any]) -> tuple[int, ...] | None:
    """Return the shape of a matrix that a block takes the place of; None where it cannot."""
    array = problem.arrays()[field]
    flags = array.dtype != bool or bool(((block == 0) | (block == 1)).all())
    if array.ndim > 2 or (array.ndim == 1 and len(block) != 1) or not flags:
        return None
    return block.shape[-array.ndim :]


def fields_with_matrix(problem: Problem, field: str, block: NDArray[Any]) -> dict[str, Any]:
    """Return the fields of the problem with a block in place of a whole matrix.

    Raises EditError for what does not fit in.
    """
    array = problem.arrays()[field]
    return fields_with(problem, {field: cast_cells(block, array.dtype).reshape(block.shape[-array.ndim :])})


def roomy(problem: Problem, field: str, cuts: Cuts) -> tuple[int, int]:
    """Return the rows and columns of a table with room for a block, never fewer than it has."""
    rows, columns = np.atleast_2d(problem.arrays()[field]).shape[-2:]
    return max(cuts[0].stop, rows), max(cuts[1].stop, columns)


def grown_outline(problem: Problem, field: str, rows: int, columns: int) -> Problem | None:
    """Return the shapes that give a table this size; None where new columns would not stand at its right."""
    try:
        for size in growing_sizes(problem, field, rows, columns):
            problem = outlined(problem, keep=KEEP, **size)
    except FieldError:
        return None
    return problem if problem.arrays()[field].shape[-2:] == (rows, columns) else None


def grown_fields(problem: Problem, field: str, rows: int, columns: int) -> dict[str, Any]:
    """Return the fields that give a table this size."""
    changed: dict[str, Any] = {}
    for size in growing_sizes(problem, field, rows, columns):
        fields = resize(problem, keep=KEEP, **size).fields
        changed |= fields
        problem = drafted(problem, fields)
    return changed


def growing_sizes(problem: Problem, field: str, rows: int, columns: int) -> list[dict[str, int]]:
    """Return the sizes to change, one after another, for a table of this size.

    None where its columns belong to heads.
    """
    if field not in SIZES or (problem.projected and field != "x"):
        return []
    row_size, column_size = SIZES[field]
    heads = {"query": problem.num_heads, "key": problem.kv_heads, "value": problem.kv_heads}.get(field, 1)
    if columns != getattr(problem, column_size) * heads and heads > 1:
        return []  # each head would grow at its own end
    wanted = {row_size: rows, column_size: columns // heads}
    return [{name: value} for name, value in wanted.items() if value != getattr(problem, name)]


def _replacing_label(field: str, block: NDArray[Any]) -> Label:
    return Label(N_("History", "put {block} numbers into {symbol}"), _said(field, block))


def _said(field: str, block: NDArray[Any]) -> dict[str, object]:
    return {"symbol": field_symbol(field), "block": shape_text(*block.shape)}


class TableBlocks(Controller):
    """Pastes, imports and drops blocks of numbers; one that is too large is offered to grow its matrix, never cut."""

    mapPasteRequested = Signal()  # the keyboard is in a map
    newAsked = Signal(object)  # {field: matrix} pasted onto the start page

    def __init__(self, context: AppContext, tables: TablesController, target: TableTarget, note: StatusNote) -> None:
        super().__init__(context)
        self._tables, self._target = tables, target
        self._note = note
        self._unfit = UnfitBlocks(context, target, note)
        self.reading = BlockReading(context, self._put_parts)
        self._noted = ""  # what the line above the picture says of the last block
        tables.on_new_table(self._connect)

    def _connect(self, field: str, panel: MatrixPanel) -> None:
        panel.view.pasteRequested.connect(lambda: self._paste_into(field))
        panel.view.left.connect(self.reading.cancel)

    def commands(self) -> dict[str, Command]:
        acting = self._target.acting
        return {
            "import_matrix": Command(self.import_matrix),
            "paste": Command(self._paste),
            "paste_transposed": Command(acting(partial(self.paste, transpose=True))),
            "paste_added": Command(acting(partial(self.paste, np.add))),
            "paste_multiplied": Command(acting(partial(self.paste, np.multiply))),
        }

    def _paste(self) -> None:
        """Paste into the table or the map that has the keyboard; without a cell Q, K and V together alone."""
        in_map = self._window.product.maps.focused is not None
        if self._window.start_shown or (in_map and self._view.look.cell is None):
            self.reading.read_text(QGuiApplication.clipboard().text(), self._say_alone)
        elif in_map:
            self.mapPasteRequested.emit()
        else:
            self._target.acting(self.paste)()

    def _say_alone(self, matrix: LabeledArray) -> None:
        shape = shape_text(*matrix.values.shape)
        self._window.banner.show_info(
            lambda: self.tr("One matrix is on the clipboard, {shape}: click the cell to begin at, then paste.").format(
                shape=shape
            )
        )

    def _paste_into(self, field: str) -> None:
        self._target.use(field)
        self.paste()

    # --- clipboard -------------------------------------------------------------------------------
    def paste(self, operation: np.ufunc | None = None, *, transpose: bool = False) -> None:
        """Paste the block from the selection's corner on, as often as the selection is a multiple of it.

        `operation` combines the numbers of the table with those of the clipboard, such as np.add.
        """
        place, cuts = self._target.place, self._target.selection()
        if cuts is None or not self._target.writable():
            return

        def take(matrix: LabeledArray) -> None:
            block = tile_to_selection(matrix.values.T if transpose else matrix.values, block_shape(cuts))
            where = _at(cuts[0].start, cuts[1].start, block)
            self._put(place, where, block, matrix.notes, operation=operation)

        self.reading.read_text(QGuiApplication.clipboard().text(), take)

    # --- a matrix from a file --------------------------------------------------------------------
    def import_matrix(self) -> None:
        """Import one matrix from a file into the table that was used last."""
        title = self.tr("Import into {symbol}").format(symbol=field_symbol(self._target.field))
        kinds = self.tr("Matrices ({patterns})").format(patterns=patterns((*matrix_formats(), *array_formats())))
        name, _ = QFileDialog.getOpenFileName(self._window, title, self._folder(), kinds)
        if name and self._target.writable():
            self._settings.put(FOLDER, str(Path(name).parent))
            self.import_path(Path(name))

    def _folder(self) -> str:
        """Return the folder of the last matrix, else of the last file."""
        return self._settings.text(FOLDER, str(self._settings.last_folder()))

    def import_path(self, path: Path) -> None:
        """Put a file's matrix into the table, as one step that can be undone; a bad file changes nothing."""
        place = self._target.place
        self._read(path, lambda block, notes: self._put(place, _at(0, 0, block), block, notes, path.name))

    def offer_path(self, path: Path) -> None:
        """Ask which table a file's matrix is for; in one with heads its columns are those of the head on show."""
        self._read(path, lambda block, notes: self._offer(path.name, block, notes))

    def _read(self, path: Path, take: Callable[[NDArray[Any], Sequence[FileNote]], object]) -> None:
        def taken(matrix: LabeledArray) -> None:
            block = np.atleast_2d(matrix.values)
            if block.ndim > 2:
                said = {"file": path.name, "shape": shape_text(*block.shape)}
                self._window.banner.show_error(
                    lambda: self.tr("{file} has the shape {shape}; a table takes rows and columns.").format(**said)
                )
            else:
                take(block, matrix.notes)

        self.reading.read_file(path, taken)

    def _offer(self, name: str, block: NDArray[Any], notes: Sequence[FileNote]) -> None:
        fields = [field for field in self._tables.models if not self._tables.computed(field)]
        fields.sort(key=lambda field: field != self._target.field)
        offers = [self._into(field, name, block, notes) for field in fields[:MOST]]
        words = {"file": name, "block": shape_text(*block.shape)}
        self._window.banner.show_info(
            lambda: self.tr("{file} holds {block} numbers. Where do they go?").format(**words),
            offers=offers,
            focus=True,
        )

    def _into(self, field: str, name: str, block: NDArray[Any], notes: Sequence[FileNote]) -> BannerOffer:
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
    def _put(
        self,
        place: TablePlace,
        cuts: Cuts,
        block: NDArray[Any],
        notes: Sequence[FileNote],
        file: str = "",
        operation: np.ufunc | None = None,
    ) -> None:
        """Write a block, or what `operation` makes of the numbers there and it, where it fits; else say so and offer
        what would make room."""
        if not self._target.there(place):
            self.reading.show_gone(field_symbol(place.field), block.shape)
            return
        self._target.use(place.field)
        if not self._target.writable():
            return
        model = self._target.model
        if operation is not None and model.dtype.kind == "b":
            self._window.banner.show_error(lambda: self.tr("A mask has no numbers to add to or to multiply."))
            return
        if cuts[0].stop > model.rowCount() or cuts[1].stop > model.columnCount():
            self._unfit.refuse(place, cuts, block, notes, operation)
            return
        block = self._target.combined(place, cuts, block, operation)
        said = {"cell": self._target.cell_text(cuts), "block": shape_text(*block.shape)}
        label = Label(IMPORTED if file else PASTED, said)

        def say() -> None:
            self._target.select(place, cuts)
            if file:
                self._show_import(model, {"file": file, "cell": self._target.cell_text(cuts)})
            self._say(notes)

        self._runner.apply(self._target.cells(place, cuts, block, label), [block], then=say)

    def _put_parts(self, parts: Mapping[str, LabeledArray]) -> None:
        """Take Q, K and V, or X and its weights, in place of all such, as one step; from the start page as a new
        problem."""
        projected = N_("History", "pasted X and its weights")
        label = Label(projected if "x" in parts else N_("History", "pasted Q, K and V"))
        problem = self._document.problem
        matrices = {field: matrix.values for field, matrix in parts.items()}
        notes = list(dict.fromkeys(note for matrix in parts.values() for note in matrix.notes))
        if self._window.start_shown:
            self.newAsked.emit(matrices)
            if not self._window.start_shown:  # the document before was left
                self._say(notes)
            return
        self._runner.change(label, lambda: with_direct(problem, matrices), lambda: self._say(notes))

    def _show_import(self, model: MatrixModel, said: dict[str, str]) -> None:
        """Say what went where, and of True and False which way they were read."""
        flags, blocked = model.dtype.kind == "b", model.inverted

        def words() -> str:
            template = self.tr("{file} into {cell}, {polarity}") if flags else self.tr("{file} into {cell}")
            return template.format(polarity=mask_polarity(blocked), **said)

        self._note(words)

    def _say(self, notes: Sequence[FileNote]) -> None:
        """Say what was left out, guessed or rounded, until the document changes again."""
        if notes:
            self._window.banner.show_info(lambda: sentences(notes))
            self._noted = self._window.banner.text()
            once = Qt.ConnectionType.SingleShotConnection
            self._document.changed.connect(self._withdraw_notes, once)

    def _withdraw_notes(self, *_: object) -> None:
        if self._noted and self._window.banner.text() == self._noted:
            self._window.banner.hide()
        self._noted = ""


def tile_to_selection(block: NDArray[Any], size: tuple[int, int]) -> NDArray[Any]:
    """Return a block as often as it fills a selection: once, unless that is a multiple of it."""
    times = [selected // given for selected, given in zip(size, block.shape, strict=True)]
    fills = all(selected % given == 0 for selected, given in zip(size, block.shape, strict=True))
    return np.tile(block, times) if fills and max(times) > 1 else block


def _at(row: int, column: int, block: NDArray[Any]) -> Cuts:
    return slice(row, row + block.shape[0]), slice(column, column + block.shape[1])
