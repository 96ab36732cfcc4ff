"""Translates Qt events into cells of a map: clicks, keys, hovering, focus and the menu."""

from __future__ import annotations

import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt, Signal
from PySide6.QtGui import QAction, QContextMenuEvent, QFocusEvent, QKeyEvent, QMouseEvent, QPalette, QWheelEvent
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from attn_gui.views.map import keys

Cell = tuple[int, int]
_DRAGS = Qt.MouseButton.LeftButton | Qt.MouseButton.MiddleButton
_MOUSE = (
    QEvent.Type.MouseButtonPress,
    QEvent.Type.MouseMove,
    QEvent.Type.MouseButtonRelease,
    QEvent.Type.MouseButtonDblClick,
)
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_BY_KEYBOARD = (
    Qt.FocusReason.TabFocusReason,
    Qt.FocusReason.BacktabFocusReason,
    Qt.FocusReason.ShortcutFocusReason,
    Qt.FocusReason.OtherFocusReason,
)


class MapView(pg.GraphicsView):  # type: ignore[misc]  # pyqtgraph has no types
    """A transparent view that turns events into signals; what is drawn is up to the subclass."""

    cellChosen = Signal(int, int)
    cellHovered = Signal(int, int)
    hoverLeft = Signal()
    lettered = Signal()  # numbers are written into the cells in another way, or no more
    activated = Signal(int, int)
    toggleRequested = Signal(int, int)
    clicked = Signal()
    copyImageRequested = Signal()
    saveImageRequested = Signal()

    def __init__(self, parent: QWidget | None, *, interactive: bool, zoomable: bool) -> None:
        super().__init__(parent, useOpenGL=False, background=None)
        self._interactive, self._zoomable = interactive, zoomable
        self._menu_offered = interactive
        self._pressed: QPoint | None = None
        self._dragged = QPoint()  # how far the pointer has drawn the map
        self._hovered: Cell | None = None
        self.setCacheMode(self.CacheModeFlag.CacheNone)
        self.setMouseTracking(interactive)
        self.viewport().setMouseTracking(interactive)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus if interactive else Qt.FocusPolicy.NoFocus)
        self._let_ground_through()

    def close(self) -> bool:
        """Close as any widget does: a view of pyqtgraph's takes itself apart, with what lies over it."""
        return QWidget.close(self)

    def set_menu_offered(self, offered: bool) -> None:
        """Whether a right click offers to copy and save the picture."""
        self._menu_offered = offered

    # --- for the subclass ------------------------------------------------------------------------
    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the matrix on show."""
        raise NotImplementedError

    @property
    def chosen(self) -> Cell | None:
        """The chosen cell."""
        raise NotImplementedError

    def cell_under(self, position: QPoint) -> Cell | None:
        """The cell at a point of the widget."""
        raise NotImplementedError

    def _set_hovered(self, cell: Cell | None) -> None:
        raise NotImplementedError

    def _set_focus_shown(self, shown: bool) -> None:
        raise NotImplementedError

    def reset_zoom(self) -> None:
        """Show everything again."""
        raise NotImplementedError

    def zoom(self, delta: int, around: Cell | None = None) -> None:
        """Turn a wheel by `delta` over a cell, or over the middle."""
        raise NotImplementedError

    def _zoom_at(self, delta: int, position: QPointF) -> None:
        raise NotImplementedError

    def _move_by(self, pixels: QPoint) -> None:
        raise NotImplementedError

    # --- mouse -----------------------------------------------------------------------------------
    def event(self, event: QEvent) -> bool:
        """Pass on events sent to the map itself, by tools that know no viewports, to its viewport."""
        if event.type() in _MOUSE:
            return bool(QApplication.sendEvent(self.viewport(), event))
        return bool(super().event(event))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._pressed = self._dragged = event.position().toPoint()
        event.accept()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        here = event.position().toPoint()
        if self._zoomable and event.buttons() & _DRAGS and self._pressed is not None:
            self._drag(here, self._pressed)
        if self._interactive:
            self._hover(self.cell_under(here))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        event.accept()
        pressed, self._pressed = self._pressed, None
        here = event.position().toPoint()
        if pressed is None or event.button() != Qt.MouseButton.LeftButton:
            return
        if (here - pressed).manhattanLength() >= QApplication.startDragDistance():
            return
        cell = self.cell_under(here)
        if cell is not None:
            if self._interactive:
                self.cellChosen.emit(*cell)
            self.clicked.emit()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self._pressed = None
        self.reset_zoom()
        event.accept()

    def wheelEvent(self, event: QWheelEvent) -> None:
        enlarges_window = event.modifiers() & Qt.KeyboardModifier.ControlModifier
        if self._zoomable and not enlarges_window and self.cell_under(event.position().toPoint()) is not None:
            self._zoom_at(event.angleDelta().y(), event.position())
            event.accept()
        else:
            event.ignore()

    def _drag(self, here: QPoint, pressed: QPoint) -> None:
        """A hand that trembles in a click does not move the map."""
        if self._dragged != pressed or (here - pressed).manhattanLength() >= QApplication.startDragDistance():
            self._move_by(here - self._dragged)
            self._dragged = here

    def leaveEvent(self, event: QEvent) -> None:
        self._hover(None)

    def _hover(self, cell: Cell | None) -> None:
        if cell == self._hovered:
            return
        self._hovered = cell
        self._set_hovered(cell)
        if cell is None:
            self.hoverLeft.emit()
        else:
            self.cellHovered.emit(*cell)

    # --- keyboard --------------------------------------------------------------------------------
    def keyPressEvent(self, event: QKeyEvent) -> None:
        plain = not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        cell = keys.moved(event.key(), event.modifiers(), self.chosen, self.shape) if self._interactive else None
        if cell is not None:
            self._set_focus_shown(True)
            if cell != self.chosen:
                self.cellChosen.emit(*cell)
        elif event.key() in _ENTER and plain and self.chosen is not None:
            self.activated.emit(*self.chosen)
        elif event.key() == Qt.Key.Key_Space and plain and self.chosen is not None:
            self.toggleRequested.emit(*self.chosen)
        elif self._zoomable and (delta := keys.zoomed(event.text(), event.modifiers())):
            self.zoom(delta, self.chosen)
        elif self._zoomable and keys.shows_everything(event.text(), event.modifiers()):
            self.reset_zoom()
        else:
            event.ignore()  # single letters and digits act on the window

    def focusInEvent(self, event: QFocusEvent) -> None:
        if event.reason() in _BY_KEYBOARD:
            self._set_focus_shown(True)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        passing = (Qt.FocusReason.ActiveWindowFocusReason, Qt.FocusReason.PopupFocusReason)
        if event.reason() not in passing:
            self._set_focus_shown(False)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if not self._menu_offered:
            event.ignore()
            return
        cell = self.cell_under(event.pos()) if event.reason() == QContextMenuEvent.Reason.Mouse else None
        if cell is not None and self._interactive:
            self.cellChosen.emit(*cell)  # what the menu offers is for the cell that it was opened on
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        copy, save = QAction(self.tr("Copy image"), menu), QAction(self.tr("Save image…"), menu)
        copy.triggered.connect(self.copyImageRequested)
        save.triggered.connect(self.saveImageRequested)
        if self.actions():
            menu.addActions(self.actions())
            menu.addSeparator()
        menu.addActions([copy, save])
        menu.popup(event.globalPos())

    # --- ground ----------------------------------------------------------------------------------
    def _let_ground_through(self) -> None:
        """The gaps between maps belong to whoever lays the maps out: their lines run up to the frames."""
        palette = QPalette()
        palette.setColor(QPalette.ColorRole.Base, Qt.GlobalColor.transparent)
        self.viewport().setPalette(palette)
        self.viewport().setAutoFillBackground(False)
