"""Find a number or a token in the table or map that has the keyboard, and go to a cell of it."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication

from attn_gui.app.actions.actions import Command
from attn_gui.app.finding.search import Search
from attn_gui.app.finding.searched import Searched, SearchedMap, SearchedTable, give_keyboard
from attn_gui.app.finding.wanted import Place, named_alike, place_in, wanted_by
from attn_gui.app.state.view_state import ViewState
from attn_gui.app.tables.tables import TablesController
from attn_gui.document.document import Document
from attn_gui.views.dialogs.asking import asked
from attn_gui.views.main_window import MainWindow


class FindController(QObject):
    """One search at a time; what is found first is chosen while it is typed."""

    def __init__(self, window: MainWindow, document: Document, view: ViewState, tables: TablesController) -> None:
        super().__init__(window)
        self._window, self._view, self._tables = window, view, tables
        self._searched: Searched | None = None
        self._from = 0, 0  # the cell at which the typing began
        self._way = 1  # from there: forward, or -1 for back
        self._shown = False  # the first that was found is chosen already
        self._search = Search(self)
        self._search.found.connect(self._on_search_found)
        bar = window.find_bar
        bar.typed.connect(self._on_bar_typed)
        bar.nextRequested.connect(lambda: self._step(1))
        bar.previousRequested.connect(lambda: self._step(-1))
        bar.left.connect(self.leave)
        document.changed.connect(self._on_changed)
        view.follow(self._on_changed, "head", "batch", "evaluation", "face", "compare", "baseline")
        view.follow(self._on_changed, "blocked", "decimals", "scientific")  # 1 for 0 in masks; what is shown alike

    def commands(self) -> dict[str, Command]:
        """The rows of the table of actions that it answers."""
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
        from attn_gui.views.dialogs.questions import AskDialog

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

    def _there(self) -> Searched | None:
        """The table or map that is searched; with the one that the problem no longer has, the search ends."""
        if self._searched is not None and self._searched.gone:
            self._searched = None
            self._search.forget()
            self._window.find_bar.hide()
        return self._searched

    # --- inside ----------------------------------------------------------------------------------
    def _at_hand(self) -> Searched | None:
        """The table or map with the keyboard, else the one searched last, else the large map."""
        focus = QApplication.focusWidget()
        for field, panel in self._window.inputs.panels.items():
            if focus is not None and panel.isAncestorOf(focus):
                return SearchedTable(self._window, field, panel, self._tables.models[field])
        maps = self._window.product.maps
        stage = maps.focused or self._view.look.stage
        if self._window.find_bar.isVisible() and maps.focused is None and (searched := self._there()) is not None:
            return searched
        heatmap = maps.map(stage) if stage in maps.stages else None
        return None if heatmap is None or heatmap.plane is None else SearchedMap(self._view, stage, heatmap)

    def _place(self, searched: Searched, text: str) -> Place:
        """The cell that is meant. Raises ValueError with a sentence."""
        place = place_in(text)
        rows, columns = searched.shape
        if place is None:
            row, column = searched.current
            named = [named_alike(names, wanted_by(text, 0, False)) for names in searched.names]
            if not any(named):
                raise ValueError(self.tr("Expected a row and a column such as 2, 3, or a token."))
            place = Place(named[0][0], column) if named[0] else Place(row, named[1][0])
        if place.row >= rows or place.column >= columns:
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
        if place is not None and place.row < searched.shape[0] and place.column < searched.shape[1]:
            searched.choose(*place)
        elif text.strip() and place is None:
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
        """The first one found on the way from where the search began; None while an earlier one may still come."""
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
        """The words behind the line in the present language."""
        searched = self._there()
        if searched is not None and self._window.find_bar.isVisible():
            self._window.find_bar.set_where(searched.name)
            if self._window.find_bar.line.text():
                self._say()
