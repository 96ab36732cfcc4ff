"""The menu of a table: the window's commands, and what concerns its cells on the screen alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu

from attn_gui.views.tables.headers import MarkedHeader
from attn_gui.views.tables.view import MatrixView


class TableMenu(QObject):
    """Opens with the right button, the menu key and Shift+F10, since it is made of the table's own actions."""

    def __init__(self, view: MatrixView) -> None:
        super().__init__(view)
        self._view = view
        self._row = self._own("select_row", view.select_row, "Shift+Space")
        self._column = self._own("select_column", view.select_column, "Ctrl+Space")
        self._all = self._own("select_all", view.selectAll)
        self._fit = self._own("fit_columns", view.fit_columns)
        self._usual = self._own("usual_columns", view.reset_columns)
        view.installEventFilter(self)
        for header in (view.rows, view.columns):
            header.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
            header.customContextMenuRequested.connect(partial(self._open_on_header, header))
        self.retranslate()

    def set_commands(self, commands: Sequence[QAction | None], formats: Sequence[QAction]) -> None:
        """The window's commands, None for a line between two; `formats` are those that change how numbers look."""
        groups = (commands, (self._row, self._column, self._all), (*formats, self._fit, self._usual))
        for place, group in enumerate(groups):
            if place:
                self._view.addAction(self._line())
            for action in group:
                self._view.addAction(self._line() if action is None else action)

    def _open_on_header(self, header: MarkedHeader, place: QPoint) -> None:
        """Open the table's menu for the row or column under the pointer, chosen whole unless it is part of a choice."""
        section, upright = header.logicalIndexAt(place), header.orientation() == Qt.Orientation.Vertical
        if section < 0 or not self._view.settle():
            return
        if not header.holds_selection(section):
            self._view.choose(section if upright else 0, 0 if upright else section)
            (self._view.select_row if upright else self._view.select_column)()
        menu = QMenu(self._view)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addActions(self._view.actions())
        menu.popup(header.viewport().mapToGlobal(place))

    def retranslate(self) -> None:
        """All words in the present language."""
        for action, text in (
            (self._row, self.tr("Select row")),
            (self._column, self.tr("Select column")),
            (self._all, self.tr("Select all")),
            (self._fit, self.tr("Fit columns to their numbers")),
            (self._usual, self.tr("Usual column widths")),
        ):
            action.setText(text)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        return super().eventFilter(watched, event)

    def _own(self, name: str, act: Callable[[], None], keys: str = "") -> QAction:
        action = QAction(self)
        action.setObjectName(f"action.{name}")
        action.setShortcut(QKeySequence(keys))
        action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        action.triggered.connect(lambda: act() if self._view.settle() else None)
        return action

    def _line(self) -> QAction:
        line = QAction(self)
        line.setSeparator(True)
        return line
