"""Rows and columns put into the tables or taken out, each with everything that has the same axis."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from PySide6.QtCore import QObject

from attn_gui.app.actions.actions import Command
from attn_gui.app.maps.status import Tell
from attn_gui.app.state.making import Making
from attn_gui.app.state.translated_errors import sentences
from attn_gui.app.tables.new_shapes import done_text, said
from attn_gui.app.tables.table_target import TableTarget
from attn_gui.document.document import Document
from attn_gui.document.edits import Label, SetFields
from attn_gui.document.matrix_model import field_symbol
from attn_gui.engine import Note
from attn_gui.engine.creation.interventions import Places, went
from attn_gui.engine.creation.rearrange import parts_by_hand, places_with, places_without, rearranged, size_of
from attn_gui.engine.shape_errors import drafted, reshaped
from attn_gui.languages import QT_TRANSLATE_NOOP
from attn_gui.views.main_window import MainWindow

Rearranged = tuple[dict[str, Any], tuple[Note, ...]]  # fields, and what is said of those that went

ROWS, COLUMNS = -2, -1
INSERTED = QT_TRANSLATE_NOOP("History", "inserted {cells}")
DELETED = QT_TRANSLATE_NOOP("History", "deleted {cells}")
NOWHERE = QT_TRANSLATE_NOOP("Sentences", "Rows or columns of {symbol} cannot come or go by themselves.")
TWO_HEADS = QT_TRANSLATE_NOOP("Sentences", "Choose columns of one head: each head has {width}, and all change alike.")


class RowEdits(QObject):
    """Puts in as many rows or columns as are selected, or takes those out; one step of the history."""

    def __init__(self, window: MainWindow, document: Document, target: TableTarget, making: Making, tell: Tell) -> None:
        super().__init__(window)
        self._window, self._document, self._target = window, document, target
        self._making, self._tell = making, tell

    def commands(self) -> dict[str, Command]:
        """The rows of the table of actions that it answers."""
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
            self._window.banner.show_error(lambda: said(NOWHERE, symbol=symbol))
            return
        cut, length = cuts[axis], int(getattr(problem, size))
        at, count = cut.start % length, cut.stop - cut.start
        if at + count > length:  # columns of a table with heads
            self._window.banner.show_error(lambda: said(TWO_HEADS, width=length))
            return
        last = f" … {cut.stop - 1}" if count > 1 else ""
        places = f"{cut.start}{last}"
        cells = f"{symbol}[{places}, ·]" if axis == ROWS else f"{symbol}[·, {places}]"
        self._rearrange(Label(source, {"cells": cells}), size, lambda: moved(length, at, count))

    def _rearrange(self, label: Label, size: str, places: Callable[[], Places]) -> None:
        problem = self._document.problem

        def make() -> Rearranged:
            found = places()
            fields = rearranged(problem, size, found)
            return fields, went(parts_by_hand(problem, fields, found).count(0))

        def take(made: Rearranged, fresh: Any) -> None:
            fields, notes = made
            shapes = reshaped(problem, drafted(problem, fields))
            self._document.apply(SetFields(fields, label), fresh)
            self._tell(lambda: sentences(notes) if notes else done_text(shapes))

        self._making.begin(label, make, take)
