"""Find and Go to a cell: what the typed text means, which cells of a table or map fit, their order, “Not found”."""

from __future__ import annotations

import math
import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import QApplication

from attn_gui.app.actions.actions import Command
from attn_gui.app.app_context import AppContext, Controller
from attn_gui.app.state.view_state import ChosenCell, ViewState
from attn_gui.app.tables.tables import TablesController
from attn_gui.document.matrix_model import MatrixModel, field_symbol
from attn_gui.document.typed_numbers import NumberError, parse_number
from attn_gui.engine.graph.symbols_and_titles import symbol
from attn_gui.formats.text.headings import normalized
from attn_gui.views.dialogs.dialog_base import asked
from attn_gui.views.main_window import MainWindow
from attn_gui.views.map.heatmap import Heatmap
from attn_gui.views.tables.matrix_panel import MatrixPanel
from attn_gui.views.tables.table_view import MatrixView

Block = tuple[NDArray[Any], NDArray[np.bool_] | None]

_PLACE = re.compile(r"\s*[\[(（]?\s*(\d{1,9})\s*[,，;；]\s*(\d{1,9})\s*[\])）]?\s*")
_DECIMALS = re.compile(r"\.(\d+)")

PIECE = 1 << 16  # cells that are read and compared within a frame
ROWS = 64  # of a piece: a long problem computes its rows in such tiles
MOST = 200_000  # cells that are found before the search ends


@dataclass(frozen=True)
class SearchedTable:
    """A table of the window as a search sees it: names, numbers, and the way to a cell; until it is `gone`."""

    name: str
    widget: MatrixView
    window: MainWindow
    field: str
    panel: MatrixPanel
    model: MatrixModel

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
        index = self.widget.currentIndex()
        return max(index.row(), 0), max(index.column(), 0)

    def block(self, rows: slice, columns: slice) -> Block:
        return self.model.block(rows, columns), None

    def choose(self, row: int, column: int) -> None:
        self.window.inputs.show_field(self.field)
        self.widget.choose(row, column)


@dataclass(frozen=True)
class SearchedMap:
    """The map of a stage as a search sees it."""

    name: str
    widget: Heatmap
    view: ViewState
    stage: str

    @property
    def gone(self) -> bool:
        return self.widget.plane is None

    @property
    def shape(self) -> tuple[int, int]:
        return self.widget.shape

    @property
    def names(self) -> tuple[Sequence[str], Sequence[str]]:
        return self.widget.shown.row_names, self.widget.shown.column_names

    @property
    def current(self) -> tuple[int, int]:
        return self.widget.chosen or (0, 0)

    def block(self, rows: slice, columns: slice) -> Block:
        plane = self.widget.plane
        assert plane is not None
        return plane.block(rows, columns)

    def choose(self, row: int, column: int) -> None:
        self.view.set(stage=self.stage, cell=ChosenCell(self.stage, row, column))


SearchTarget = SearchedTable | SearchedMap


def give_keyboard(searched: SearchTarget) -> None:
    """Go on with the keyboard in the table or map."""
    if searched.widget.isVisible():
        searched.widget.setFocus(Qt.FocusReason.OtherFocusReason)


class SearchQuery(NamedTuple):
    """The text as it may name rows and columns, and the number that it is, if it is one."""

    text: str
    number: float | None
    tolerance: float


def place_in(text: str) -> tuple[int, int] | None:
    """Return the place that a text means: `12, 3`, also in brackets; None for another text."""
    found = _PLACE.fullmatch(text)
    return None if found is None else (int(found[1]), int(found[2]))


def wanted_by(text: str, decimals: int, scientific: bool) -> SearchQuery:
    """Return the query.

    Numbers that are shown alike count as one: at `decimals`, or at as many as are typed if more.
    """
    try:
        number = parse_number(text)
    except NumberError:
        return SearchQuery(text.strip(), None, 0.0)
    if not number and (decimals or scientific):
        return SearchQuery(text.strip(), number, 0.0)  # what is not 0 is shown with a power of ten
    plain = normalized(text)
    typed = _DECIMALS.search(plain)
    size = abs(number)
    small = 0 < size < 0.5 * 10.0**-decimals  # so small that it is shown with a power of ten, and fewer digits
    powers = small or scientific or size >= 1e6
    power = math.floor(math.log10(size)) if powers and size and math.isfinite(size) else 0
    least = max(decimals - 2, 0) if small and not scientific else decimals
    places = len(typed[1]) if typed else 0
    digits = max(least, places if "e" in plain.lower() else places + power)  # of the mantissa, where there is one
    return SearchQuery(text.strip(), number, 0.5 * 10.0 ** (power - digits) * (1 + 1e-9))


def fitting(block: NDArray[Any], allowed: NDArray[np.bool_] | None, wanted: SearchQuery) -> NDArray[np.bool_]:
    """Return the cells of a block whose number is the wanted one, closed ones left out."""
    assert wanted.number is not None
    values = block.astype(np.float64, copy=False)
    if math.isfinite(wanted.number):
        with np.errstate(invalid="ignore"):
            found = np.abs(values - wanted.number) <= wanted.tolerance
    else:
        found = np.isnan(values) if math.isnan(wanted.number) else values == wanted.number
    return found if allowed is None else found & allowed


def named_alike(names: Sequence[str], wanted: SearchQuery) -> list[int]:
    """Return the places of the names that the text is a part of, whatever the case.

    Whole names before parts of them.
    """
    text = wanted.text.casefold()
    if not text:
        return []
    whole = [place for place, name in enumerate(names) if name.strip().casefold() == text]
    return whole or [place for place, name in enumerate(names) if text in name.casefold()]


class Search(QObject):
    """Finds the cells of one matrix that fit, in the order of reading and in pieces between events; `found` after every
    piece.
    """

    found = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.cells: list[int] = []  # row · width + column, ascending
        self.done = True
        self.whole = True  # else there may be more than are found
        self._searched: SearchTarget | None = None
        self._wanted = SearchQuery("", None, 0.0)
        self._row = self._column = 0
        self._piece = QTimer(self, singleShot=True, interval=0)
        self._piece.timeout.connect(self._look)

    def begin(self, searched: SearchTarget, wanted: SearchQuery) -> None:
        """Look for this in place of what was looked for before."""
        self._searched, self._wanted = searched, wanted
        self.cells, self.done, self.whole = [], False, True
        self._row = self._column = 0
        self._look()

    def forget(self) -> None:
        """Look for nothing."""
        self._piece.stop()
        self._searched, self.cells, self.done, self.whole = None, [], True, True

    def after(self, row: int, column: int) -> tuple[int, int] | None:
        """Return the found cell that follows a place, the first one behind the last; None where nothing is found."""
        place = bisect_right(self.cells, self._key(row, column))
        return self._cell(place if place < len(self.cells) else 0)

    def before(self, row: int, column: int) -> tuple[int, int] | None:
        """Return the found cell in front of a place, the last one before the first."""
        return self._cell(bisect_left(self.cells, self._key(row, column)) - 1)

    def place_of(self, row: int, column: int) -> int | None:
        """Return the place of a cell among those that are found, from 0."""
        place = bisect_left(self.cells, self._key(row, column))
        there = place < len(self.cells) and self.cells[place] == self._key(row, column)
        return place if there else None

    def _width(self) -> int:
        return max(1, self._searched.shape[1]) if self._searched is not None else 1

    def _key(self, row: int, column: int) -> int:
        return row * self._width() + column

    def _cell(self, place: int) -> tuple[int, int] | None:
        return divmod(self.cells[place], self._width()) if self.cells else None

    def _look(self) -> None:
        """Read one piece; names are there at once."""
        searched = self._searched
        if searched is None:
            return
        rows, columns = searched.shape
        if self._wanted.number is None:
            self._take_names(searched)
        elif self._row < rows and len(self.cells) < MOST:
            self._take_piece(searched, rows, columns)
            self._piece.start()
        elif not self.cells:
            self._take_names(searched)  # a token may be a number too
        else:
            self.whole = self._row >= rows
            self._end()
        self.found.emit()

    def _take_piece(self, searched: SearchTarget, rows: int, columns: int) -> None:
        """Search the next rows of a piece; whole rows, so that cells are found in the order of reading."""
        last = min(rows, self._row + max(1, min(ROWS, PIECE // max(1, columns))))
        values, allowed = searched.block(slice(self._row, last), slice(0, columns))
        down, across = np.nonzero(fitting(values, allowed, self._wanted))
        self.cells += ((down + self._row) * columns + across).tolist()
        self._row = last

    def _take_names(self, searched: SearchTarget) -> None:
        """Take rows and columns of that name: their cell in the present column or row."""
        row, column = searched.current
        rows, columns = (named_alike(names, self._wanted) for names in searched.names)
        found = {self._key(place, column) for place in rows if place < searched.shape[0]}
        if not found:
            found = {self._key(row, place) for place in columns if place < searched.shape[1]}
        self.cells = sorted(found)
        self._end()

    def _end(self) -> None:
        self.done = True
        self._piece.stop()


class FindController(Controller):
    """One search at a time; what is found first is chosen while it is typed."""

    def __init__(self, context: AppContext, tables: TablesController) -> None:
        super().__init__(context)
        self._tables = tables
        self._searched: SearchTarget | None = None
        self._from = 0, 0  # the cell at which the typing began
        self._way = 1  # from there: forward, or -1 for back
        self._shown = False  # the first that was found is chosen already
        self._search = Search(self)
        self._search.found.connect(self._on_search_found)
        bar = context.window.find_bar
        bar.typed.connect(self._on_bar_typed)
        bar.nextRequested.connect(lambda: self._step(1))
        bar.previousRequested.connect(lambda: self._step(-1))
        bar.left.connect(self.leave)
        context.document.changed.connect(self._on_changed)
        context.view.follow(self._on_changed, "head", "batch", "evaluation", "overlay", "compare", "baseline")
        # these change what is found: 1 stands for 0 in masks, and more or fewer numbers are shown alike
        context.view.follow(self._on_changed, "blocked", "decimals", "scientific")

    def commands(self) -> dict[str, Command]:
        return {
            "find": Command(self.find),
            "find_next": Command(lambda: self._step(1)),
            "find_previous": Command(lambda: self._step(-1)),
            "go_to_cell": Command(self.go_to_cell),
        }

    @property
    def busy(self) -> bool:
        """Whether there is more to be looked at."""
        return not self._search.done

    def find(self) -> None:
        """Ask what to find, in the table or map that has the keyboard."""
        searched = self._at_hand()
        if searched is None:
            return
        self._searched = searched
        self._from = searched.current
        self._window.find_bar.begin(searched.name)
        self._on_bar_typed(self._window.find_bar.line.text())

    def leave(self) -> None:
        """End the search; the keyboard goes back to what was searched."""
        self._search.forget()
        self._window.find_bar.hide()
        if (searched := self._there()) is not None:
            give_keyboard(searched)

    def go_to_cell(self) -> None:
        """Ask for a row and a column, or for a token, and choose that cell."""
        from attn_gui.views.dialogs.small_dialogs import AskDialog

        searched = self._at_hand()
        if searched is None:
            return
        row, column = searched.current
        words = self.tr("Row and column, counted from 0, or a token")
        title = self.tr("Go to a cell of {where}").format(where=searched.name)

        dialog = AskDialog(title, words, f"{row}, {column}", lambda text: self._place(searched, text), self._window)
        if asked(dialog) and dialog.answer is not None:
            searched.choose(*dialog.answer)
            give_keyboard(searched)

    def _there(self) -> SearchTarget | None:
        """Return the table or map that is searched; with the one that the problem no longer has, the search ends."""
        if self._searched is not None and self._searched.gone:
            self._searched = None
            self._search.forget()
            self._window.find_bar.hide()
        return self._searched

    def _at_hand(self) -> SearchTarget | None:
        """Return the table or map with the keyboard, else the one searched last, else the large map."""
        focus = QApplication.focusWidget()
        for field, panel in self._window.inputs.panels.items():
            if focus is not None and panel.isAncestorOf(focus):
                name, model = field_symbol(field), self._tables.models[field]
                return SearchedTable(name, panel.view, self._window, field, panel, model)
        maps = self._window.product.maps
        stage = maps.focused or self._view.look.stage
        if self._window.find_bar.isVisible() and maps.focused is None and (searched := self._there()) is not None:
            return searched
        heatmap = maps.map(stage) if stage in maps.stages else None
        if heatmap is None or heatmap.plane is None:
            return None
        return SearchedMap(symbol(stage), heatmap, self._view, stage)

    def _place(self, searched: SearchTarget, text: str) -> tuple[int, int]:
        """Return the cell that is meant. Raises ValueError with a sentence."""
        place = place_in(text)
        rows, columns = searched.shape
        if place is None:
            row, column = searched.current
            named = [named_alike(names, wanted_by(text, 0, False)) for names in searched.names]
            if not any(named):
                raise ValueError(self.tr("Expected a row and a column such as 2, 3, or a token."))
            place = (named[0][0], column) if named[0] else (row, named[1][0])
        if place[0] >= rows or place[1] >= columns:
            said = self.tr("{where} has {rows} rows and {columns} columns.")
            raise ValueError(said.format(where=searched.name, rows=rows, columns=columns))
        return place

    def _on_bar_typed(self, text: str) -> None:
        self._way = 1
        self._look_for(text)

    def _look_for(self, text: str) -> None:
        searched = self._there()
        if searched is None:
            return
        self._search.forget()
        self._window.find_bar.set_said("")
        place = place_in(text)
        if place is not None and place[0] < searched.shape[0] and place[1] < searched.shape[1]:
            searched.choose(*place)
        elif text.strip():  # where there is no such place, 0,75 is a number
            self._shown = False
            look = self._view.look
            self._search.begin(searched, wanted_by(text, look.decimals, look.scientific))

    def _on_search_found(self) -> None:
        """Choose the first one from where the typing began, and count on."""
        searched = self._there()
        if searched is None:
            return
        if self._search.cells and not self._shown:
            first = self._first()
            if first is not None:
                self._shown = True
                searched.choose(*first)
        self._say()

    def _first(self) -> tuple[int, int] | None:
        """Return the first one found on the way from where the search began.

        None while an earlier one may still come.
        """
        row, column = self._from
        if self._way < 0:
            return self._search.before(row, column) if self._search.done else None
        first = self._search.after(row, column - 1)
        return first if self._search.done or (first is not None and first >= (row, column)) else None

    def _step(self, way: int) -> None:
        """Choose the next one, or the one before; the first ones again behind the last."""
        searched = self._there()
        if searched is None or not self._window.find_bar.line.text():
            self.find()
            return
        if not self._search.cells:  # forgotten when the numbers changed, or nothing was there
            row, column = searched.current
            self._from, self._way = (row, column + max(way, 0)), way
            self._look_for(self._window.find_bar.line.text())
            return
        found = (self._search.after if way > 0 else self._search.before)(*searched.current)
        if found is not None:
            self._shown = True
            searched.choose(*found)
            self._say()

    def _say(self) -> None:
        searched = self._there()
        if searched is None:
            return
        count = len(self._search.cells)
        place = self._search.place_of(*searched.current)
        if not count:
            said = self.tr("Not found") if self._search.done else self.tr("Searching…")
        else:
            more = "" if self._search.done and self._search.whole else "+"
            said = self.tr("{place} of {count}").format(
                place="–" if place is None else place + 1, count=f"{count:,}{more}"
            )
        self._window.find_bar.set_said(said)

    def _on_changed(self, *_: object) -> None:
        """Look again in what has changed, once the bar is used again."""
        self._search.forget()
        searched = self._there()
        if searched is not None and self._window.find_bar.isVisible():
            self._from = searched.current
            self._window.find_bar.set_said("")

    def retranslate(self) -> None:
        """Set the words behind the line anew, in the present language."""
        searched = self._there()
        if searched is not None and self._window.find_bar.isVisible():
            self._window.find_bar.set_where(searched.name)
            if self._window.find_bar.line.text():
                self._say()
