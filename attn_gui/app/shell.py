"""The window before the program: first size, place and columns restored, full screen, its size after zoom or theme."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QSize, Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from attn_gui.app.actions.actions import Bars, Command
from attn_gui.app.state.settings import AppearanceController, Settings
from attn_gui.views.main_window import MainWindow

if TYPE_CHECKING:
    from attn_gui.views.tables.matrix_panel import MatrixPanel
    from attn_gui.views.tables.table_view import SizedView


FIRST_SIZE = (1440, 900)
FRAME = (16, 48)
"""Pixels that the frame of a window manager adds at most; how many is only known once the window is on the screen."""
WIDTHS = "window/widths"  # of columns that a person drew, by table


class LayoutController(QObject):
    """Restores place and size of the window and the widths of columns at start, keeps them at the end, and puts
    everything back on request.

    What a large zoom needs beyond the size that the window was given, it gives back with a smaller one.
    """

    def __init__(self, window: MainWindow, settings: Settings, appearance: AppearanceController) -> None:
        super().__init__(window)
        self._window, self._settings = window, settings
        self._given, self._taken = QSize(), QSize()  # sizes of the window: what it was given, what it took for its look
        self._soon = QTimer(self, singleShot=True)  # once all have their letters
        self._soon.timeout.connect(self._take_given_size)
        self._restore()
        appearance.changed.connect(self._on_appearance_changed)

    def remember(self) -> None:
        """Keep the window's place for the next start."""
        self._settings.put_geometry("window/geometry", self._window.saveGeometry())
        self._settings.put_geometry("window/columns", self._window.columns.saveState())
        self._settings.put("window/tables", self._window.inputs.heights())

    def commands(self) -> dict[str, Command]:
        full = Command(self._set_full_screen, self._window.isFullScreen)
        return {"reset_layout": Command(self.reset), "full_screen": full}

    def _set_full_screen(self, full: bool) -> None:
        """Fill the screen; afterwards the window is as it was, maximized or not."""
        state, bit = self._window.windowState(), Qt.WindowState.WindowFullScreen
        self._window.setWindowState(state | bit if full else state & ~bit)

    def reset(self) -> None:
        """Restore the layout of the first start."""
        self._settings.forget("window")
        self._window.showNormal()
        self._first_size()
        self._window.reset_columns()
        self._window.inputs.share_out()
        for panel in self._window.inputs.panels.values():
            panel.view.reset_columns()

    def share_inputs(self) -> None:
        """Give the tables the heights that they had, once they are there."""
        heights = {name: size for name, size in self._settings.record("window/tables").items() if type(size) is int}
        self._window.inputs.set_heights(heights)

    def follow_columns(self, field: str, panel: MatrixPanel) -> None:
        """Give the columns of a table the widths that a person gave them, and keep those that come."""
        panel.view.draw_columns(*_widths(self._settings.record(WIDTHS).get(field)))
        panel.view.columnsDrawn.connect(lambda: self._keep_columns(field, panel.view))
        turn = QTimer(panel, singleShot=True)  # the window paints and answers between
        turn.timeout.connect(panel.view.fit_some)
        panel.view.columnsLeft.connect(turn.start)

    def _keep_columns(self, field: str, view: SizedView) -> None:
        count, widths = view.drawn_columns()
        self._settings.add(WIDTHS, {field: {"columns": count, "widths": widths}})

    def _on_appearance_changed(self) -> None:
        if self._fills_screen():
            return  # its size is not the one that it comes back to
        if not self._soon.isActive() and self._window.size() != self._taken:
            self._given = self._taken = self._window.size()
        self._soon.start()

    def _take_given_size(self) -> None:
        """Take the size that the window was given, or as little more as it needs now; not where it was given another
        since the change."""
        now, least, before = self._window.size(), self._window.minimumSize(), self._taken
        grown = now.width() in (before.width(), least.width()) and now.height() in (before.height(), least.height())
        if self._fills_screen() or not grown:
            return
        QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest.value)  # else it is what was needed before
        self._window.resize(self._given)
        self._taken = self._window.size()

    def _fills_screen(self) -> bool:
        return self._window.isMaximized() or self._window.isFullScreen()

    def _restore(self) -> None:
        geometry, columns = self._settings.geometry("window/geometry"), self._settings.geometry("window/columns")
        if geometry is None or not self._window.restoreGeometry(geometry):
            self._first_size()
        elif columns is not None:
            self._window.kept_columns = columns

    def _first_size(self) -> None:
        screen = QGuiApplication.primaryScreen().availableSize()
        width, height = screen.width() - FRAME[0], screen.height() - FRAME[1]
        self._window.resize(min(FIRST_SIZE[0], width), min(FIRST_SIZE[1], height))


def _widths(kept: object) -> tuple[int, dict[int, int]]:
    """Return the number of columns and the widths of some of them, as they were kept; anything unreadable is none."""
    count, widths = (kept.get("columns"), kept.get("widths")) if isinstance(kept, dict) else (None, None)
    if type(count) is not int or not isinstance(widths, dict):
        return 0, {}
    places = [name for name in widths if len(name) < 7 and name.isdecimal() and type(widths[name]) is int]
    return count, {int(name): widths[name] for name in places}


class Shell(QObject):
    """Builds what the first paint needs: settings, appearance, and the window with its bars and empty zones. Importing
    and making this is cheap, all the rest is not.
    """

    def __init__(self, app: QApplication, lang: str | None = None) -> None:
        super().__init__(app)
        self.settings = Settings()
        self.appearance = AppearanceController(app, self.settings, lang)
        self.window = MainWindow()
        self.bars = Bars(self.window, simple=self.appearance.simple)
        self.layout = LayoutController(self.window, self.settings, self.appearance)
        self._next: Callable[[], object] | None = None
        self._waiting: list[Callable[[], object]] = []
        self.complete = False  # whether the program is there

    def when_complete(self, do: Callable[[], object]) -> None:
        """Call `do` now, or as soon as the program is there."""
        if self.complete:
            do()
        else:
            self._waiting.append(do)

    def set_complete(self) -> None:
        """Do what was asked for until now, in that order."""
        self.complete = True
        waiting, self._waiting = self._waiting, []
        for do in waiting:
            do()

    def after_paint(self, do: Callable[[], object]) -> None:
        """Call `do` once the window has been painted next, with all that is in it."""
        self._next = do
        self.window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint and self._next is not None:
            watched.removeEventFilter(self)
            QTimer.singleShot(0, self._next)
        return super().eventFilter(watched, event)
