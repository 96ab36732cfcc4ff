"""The frame in which a panel opens below its button: place, height, what closes it. It stays in its window, so that
shortcuts and maps go on working."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPoint, QSize, Qt, Signal
from PySide6.QtGui import QHideEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QShowEvent
from PySide6.QtWidgets import QApplication, QFrame, QScrollArea, QVBoxLayout, QWidget

from attn_gui.figure.design_tokens import RADIUS
from attn_gui.views.theme import current_theme, scaled
from attn_gui.views.widgets import arrange, inset, own_viewport, paint_rounded
from attn_gui.views.zones import can_take_tab

GAP = 4
LEAST_HEIGHT = 120


class PopupFrame(QFrame):
    """Opens below an anchor, or above it if there is more room; Esc, a press elsewhere or the anchor itself close it.
    Tab goes round inside.

    Its widgets go into `content`, which scrolls when it is longer than the window has room for.
    """

    closed = Signal()

    def __init__(self, width: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._width = width
        self._anchor: QWidget | None = None
        self.kept_clear: QWidget | None = None
        """What stands at the right and is read meanwhile: it is not covered where there is room on its left."""
        self._scroll, self.content = QScrollArea(self), QWidget(self)
        viewport = own_viewport(self._scroll)
        self._scroll.setWidget(self.content)
        self._scroll.setWidgetResizable(True)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        for background in (viewport, self.content):
            background.setAutoFillBackground(False)
        arrange(QVBoxLayout(self), self._scroll, margins=1)

    def popup_below(self, anchor: QWidget) -> None:
        """Open below a widget of the window, or close if it is open there already."""
        if self.isVisible():
            self.close_panel()
            return
        self._anchor = anchor
        if self.parentWidget() is not anchor.window():
            self.setParent(anchor.window())
        self.show()
        self.raise_()
        self.fit()
        self.first_stop().setFocus(Qt.FocusReason.PopupFocusReason)

    def close_panel(self) -> None:
        """Close the panel; the focus goes back to where it came from."""
        inside = QApplication.focusWidget()
        if inside is not None and self.isAncestorOf(inside) and self._anchor is not None:
            self._anchor.setFocus(Qt.FocusReason.PopupFocusReason)
        self.hide()

    def first_stop(self) -> QWidget:
        """Return the first stop of the keyboard."""
        return next(iter(self._stops()), self)

    def fit(self) -> None:
        """Fit the size to the content, below or above the anchor, within the window."""
        layout = self.content.layout()
        if self._anchor is None or layout is None or not self.isVisible():
            return
        window = self._anchor.window()
        top = self._anchor.mapTo(window, QPoint(0, 0))
        below = top.y() + self._anchor.height() + GAP
        layout.activate()
        width = min(max(scaled(self._width), layout.minimumSize().width() + 2), window.width() - 2 * GAP)
        wanted = max(layout.totalHeightForWidth(width - 2), layout.totalMinimumSize().height()) + 2
        rooms = window.height() - below - GAP, top.y() - 2 * GAP
        upward = wanted > rooms[0] and rooms[1] > rooms[0]
        height = min(max(min(wanted, rooms[upward]), scaled(LEAST_HEIGHT)), window.height() - 2 * GAP)
        # set, not left to Qt: a bar that showed once narrows the words, which then need the bar
        policies = Qt.ScrollBarPolicy
        self._scroll.setVerticalScrollBarPolicy(
            policies.ScrollBarAsNeeded if wanted > height else policies.ScrollBarAlwaysOff
        )
        self.resize(QSize(width, height))
        right = window.width() - GAP
        if self.kept_clear is not None and self.kept_clear.isVisible():
            right = self.kept_clear.mapTo(window, QPoint()).x() - GAP
        left = max(GAP, min(top.x(), right - width))
        self.move(left, max(GAP, min(top.y() - GAP - height if upward else below, window.height() - GAP - height)))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.close_panel()
        else:
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        event.accept()  # else it would go on to what lies below, and count as a press elsewhere

    def focusNextPrevChild(self, forward: bool) -> bool:
        stops = self._stops()
        if not stops:
            return False
        focus = QApplication.focusWidget()
        here = stops.index(focus) if focus in stops else -1
        target = stops[(here + (1 if forward else -1)) % len(stops)]
        target.setFocus(Qt.FocusReason.TabFocusReason if forward else Qt.FocusReason.BacktabFocusReason)
        self._scroll.ensureWidgetVisible(target)
        return True

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Close the frame on a press anywhere else, which still does what it was meant to do."""
        if event.type() == QEvent.Type.MouseButtonPress and isinstance(watched, QWidget):
            if watched.window() is self.window() and not self._holds(watched):
                self.hide()
        elif (event.type() == QEvent.Type.Resize and watched is self.parent()) or (
            event.type() == QEvent.Type.LayoutRequest and watched is self.content
        ):
            self.fit()
        return False

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        _application().installEventFilter(self)

    def hideEvent(self, event: QHideEvent) -> None:
        _application().removeEventFilter(self)
        super().hideEvent(event)
        self.closed.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, place = current_theme(), inset(self.rect(), 0.5)
        with QPainter(self) as painter:
            paint_rounded(painter, place, RADIUS.frame, fill=theme.surface, edge=theme.line_strong)

    def _stops(self) -> list[QWidget]:
        """Return the stops of Tab, from top to bottom."""
        stops = [child for child in self.findChildren(QWidget) if can_take_tab(child)]
        return sorted(stops, key=lambda child: (child.mapTo(self, QPoint()).y(), child.mapTo(self, QPoint()).x()))

    def _holds(self, widget: QWidget) -> bool:
        """Return whether a press on the widget belongs to the frame or to the control that opened it."""
        own = (self, self._anchor)
        return any(owner is not None and (owner is widget or owner.isAncestorOf(widget)) for owner in own)


def _application() -> QApplication:
    application = QApplication.instance()
    assert isinstance(application, QApplication)
    return application
