"""The table that was used last: its selection, and the one way of writing numbers into it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QApplication

from attn_gui.app.state.making import Making
from attn_gui.app.state.view_state import ViewState
from attn_gui.app.tables.tables import TablesController
from attn_gui.document.document import Document
from attn_gui.document.edits import Label, SetCells
from attn_gui.document.matrix_model import MatrixModel, cell_name, table_box
from attn_gui.engine import Box
from attn_gui.views.main_window import MainWindow
from attn_gui.views.tables.matrix_panel import MatrixPanel

Cuts = tuple[slice, slice]


class Place(NamedTuple):
    """A table as a person sees it: its field, with the item and the head that are on show."""

    field: str
    item: int
    head: int


class TableTarget(QObject):
    """Table that the menus act on; of a computed one, which takes no numbers, the ways out are told instead."""

    blocked = Signal(str)  # the computed field that a person wanted to write into
    elsewhere = Signal()  # a command of tables was given while the keyboard is in something else

    def __init__(
        self, window: MainWindow, document: Document, tables: TablesController, view: ViewState, making: Making
    ) -> None:
        super().__init__(window)
        self._window, self._document, self._tables, self._view = window, document, tables, view
        self._making, self._field = making, "query"
        tables.on_new_table(self._connect)

    def _connect(self, field: str, panel: MatrixPanel, _model: MatrixModel) -> None:
        panel.view.cellChosen.connect(lambda _row, _column: self.use(field))

    def acting(self, command: Callable[[], None]) -> Callable[[], None]:
        """A command that acts on the table with the keyboard, and on no table while something else has it."""

        def act() -> None:
            if self.has_keyboard():
                command()
            else:
                self.elsewhere.emit()

        return act

    def has_keyboard(self) -> bool:
        """Whether a table has the keyboard, which then is the one that was used last; or nothing has it."""
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
    def place(self) -> Place:
        """The table as it is on show: numbers that come later go there, whatever is on show then."""
        return Place(self.field, self._view.look.batch, self._view.look.head)

    def there(self, place: Place) -> bool:
        """Whether a table, its item and its head are still there."""
        problem, first = self._document.problem, (slice(0, 1), slice(0, 1))
        array = problem.arrays().get(place.field)
        if array is None or place.field not in self._tables.models:
            return self._tables.computed(place.field)
        fits = all(cut.stop <= length for cut, length in zip(self._box(place, first), array.shape, strict=True))
        return fits and place.item < problem.batch_size

    def selection(self) -> Cuts | None:
        """The rectangle round the selected cells; None if nothing is selected."""
        return self._window.inputs.panels[self.field].selection()

    def select(self, place: Place, cuts: Cuts) -> None:
        """Select a block of a table that was just filled, where it is on show."""
        self._view.tell_all()  # a table that has grown shows its new cells first
        here = self.place._replace(field=place.field)
        if self._box(place, cuts) == self._box(here, cuts):
            self._window.inputs.panels[place.field].select_block(*cuts)

    def whole(self) -> Cuts:
        return slice(0, self.model.rowCount()), slice(0, self.model.columnCount())

    def writable(self) -> bool:
        """Whether numbers can be put in; if not, the ways out are offered."""
        if self._tables.locked(self.field):
            self.blocked.emit(self.field)
            return False
        return True

    def write(
        self,
        place: Place,
        cuts: Cuts,
        values: NDArray[Any],
        source: str,
        fresh: Sequence[NDArray[Any]] = (),
        **words: object,
    ) -> None:
        """Put a block of numbers in as one step; `source` names it in the history and may hold {cell}.

        Arrays that are `fresh`, to which no other reference is kept, are taken over and not copied.
        """
        if self.writable():
            label = Label(source, {"cell": self.cell_text(cuts), **words})
            self._making.apply(self.cells(place, cuts, values, label), fresh)

    def cells(self, place: Place, cuts: Cuts, values: NDArray[Any], label: Label) -> SetCells:
        """The edit that puts a block into a table."""
        box = self._box(place, cuts)
        shape = tuple(cut.stop - cut.start for cut in box)
        turned = self._tables.models[place.field].turned(values)
        return SetCells(place.field, box, np.ascontiguousarray(turned).reshape(shape), label)

    def _box(self, place: Place, cuts: Cuts) -> Box:
        """The rectangle of a table in the array's own axes."""
        shape = self._document.problem.arrays()[place.field].shape
        return table_box(place.field, shape, *cuts, place.item, place.head)

    def cell_text(self, cuts: Cuts) -> str:
        """`Q[10, 97]`, or `Q[0, 0] … [3, 2]` for a block."""
        name = cell_name(self.field, (cuts[0].start, cuts[1].start))
        last = (cuts[0].stop - 1, cuts[1].stop - 1)
        return name if block_shape(cuts) == (1, 1) else f"{name} … [{last[0]}, {last[1]}]"


def block_shape(cuts: Cuts) -> tuple[int, int]:
    return cuts[0].stop - cuts[0].start, cuts[1].stop - cuts[1].start
