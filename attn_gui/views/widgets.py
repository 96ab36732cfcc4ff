"""Bases of widgets: painted buttons, lists as wide as their words, lines to type in, labels cut with “…”,
scrolling, focus ring."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, runtime_checkable

from PySide6 import QtGui
from PySide6.QtCore import SIGNAL, QEvent, QObject, QPoint, QRect, QRectF, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import (
    QAction,
    QColor,
    QContextMenuEvent,
    QFocusEvent,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QPen,
    QResizeEvent,
    QStandardItemModel,
    QTextLayout,
    QWheelEvent,
)
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractScrollArea,
    QBoxLayout,
    QComboBox,
    QFrame,
    QGridLayout,
    QLabel,
    QLayout,
    QLayoutItem,
    QLineEdit,
    QScrollArea,
    QToolButton,
    QWidget,
)
from shiboken6 import delete, isValid

from attn_gui.figure.design_tokens import LINE, RADIUS, SPACING
from attn_gui.views.theme import current_theme, icon, scaled

VEILED = 0.88
"""The share of a panel's background in a veil over it."""

if TYPE_CHECKING:
    WidgetMixin = QWidget
else:
    WidgetMixin = object  # Qt makes one object of each of its classes; a mixin is none of its own


def own_viewport(area: QAbstractScrollArea) -> QWidget:
    """Return a viewport in the place of Qt's own.

    PySide would first look that up among all classes of widgets, and make them for it: a fiftieth of a start.
    """
    viewport = QWidget()
    if isinstance(area, QAbstractItemView):  # as Qt dresses its own
        viewport.setBackgroundRole(QPalette.ColorRole.Base)
        viewport.setAttribute(Qt.WidgetAttribute.WA_InputMethodEnabled)
    area.setViewport(viewport)
    return viewport


class Retranslated(WidgetMixin):
    """Mixin of widgets with words: `retranslate` is called when the language is switched."""

    def retranslate(self) -> None:
        """Set all words anew, in the present language."""
        raise NotImplementedError

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)


class MenuZone(Retranslated, QWidget):
    """Base of widgets with a context menu: a right click or the menu key emits `menuAsked`, and a controller in
    `app/actions/context_menus.py`, where the actions are known, opens the menu."""

    menuAsked = Signal(object)  # the QContextMenuEvent

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self.menuAsked.emit(event)


class Reflowed(WidgetMixin):
    """Mixin of widgets whose height follows from their width: another width asks for another layout."""

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.updateGeometry()


# --- Buttons of actions, which hear of a change once ---
LEFT_OUT = "leftOut"
"""Property of an action that menus of the present window do not show; its keys still act."""


def entries_of(actions: Iterable[QAction]) -> list[QAction]:
    """Return the actions that a menu shows now."""
    return [action for action in actions if not action.property(LEFT_OUT)]


def listen_once(button: QWidget, action: QAction) -> None:
    """Keep a tool button from connecting itself anew with each change of its action, which lives as long as it.

    QToolButton of Qt 6.10 does so where the action has no menu, and drops none of them (144 bytes each): undo and redo
    change with every edit, and after 9,000 changes each one takes five times as long. The button follows its action by
    events, not by these.
    """
    changed = SIGNAL("changed()")

    def listen_no_more() -> None:
        if isValid(button):
            QObject.disconnect(action, changed, button, None)  # type: ignore[call-overload]  # None, every slot: no stub
        else:
            action.changed.disconnect(listen_no_more)

    action.changed.connect(listen_no_more)


# --- Base of painted buttons: Enter clicks as Space does, and the focus ring shows only for the keyboard ---
RETURNING = (Qt.FocusReason.ActiveWindowFocusReason, Qt.FocusReason.PopupFocusReason)


class KeyboardButton(QAbstractButton):
    """Base of painted buttons: Enter clicks as Space does, arrows are left to the widget that holds it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._by_keyboard = False
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def ring_shown(self) -> bool:
        """Return whether the focus is here and came by keyboard."""
        return self.hasFocus() and self._by_keyboard

    def focusInEvent(self, event: QFocusEvent) -> None:
        if event.reason() not in RETURNING:
            self._by_keyboard = event.reason() != Qt.FocusReason.MouseFocusReason
        super().focusInEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        self._by_keyboard = True
        self.update()
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        elif event.key() == Qt.Key.Key_Space:
            super().keyPressEvent(event)
        else:
            event.ignore()  # QAbstractButton would take the arrows


def paint_rounded(
    painter: QPainter,
    rect: QRect | QRectF,
    radius: float,
    *,
    fill: QColor | None = None,
    edge: QPen | QColor | None = None,
) -> None:
    """Paint a rectangle with round corners, filled, with an edge, or both."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(edge or Qt.PenStyle.NoPen)
    painter.setBrush(fill or Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(rect, radius, radius)


def inset(rect: QRect | QRectF, by: float) -> QRectF:
    """Return a rectangle so many pixels inside another one on every side."""
    return QRectF(rect).adjusted(by, by, -by, -by)


def paint_focus_ring(painter: QPainter, rect: QRect) -> None:
    """Paint the ring that says where the keyboard is, just inside `rect`."""
    edge = QPen(current_theme().accent, LINE.focus)
    paint_rounded(painter, inset(rect, LINE.focus / 2), RADIUS.control, edge=edge)


class FocusedWheel(WidgetMixin):
    """Mixin of controls that take the wheel only with the focus; without it what they stand in scrolls."""

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


# --- Tips: of a control, which What's This says, too; and of any text, letter by letter ---
def plain_tip(text: str) -> str:
    """Return the text as a tip that shows every letter of it: Qt would read a token or a name that looks like HTML."""
    if not QtGui.Qt.mightBeRichText(text):  # which the Qt of QtCore has not
        return text
    lines = html.escape(text).replace("\n", "<br>")
    return f"<span>{lines}</span>"


def set_tip(widget: QWidget, tip: str) -> None:
    """Say what a control does, with the formula that it changes if it changes one."""
    widget.setToolTip(plain_tip(tip))
    widget.setWhatsThis(widget.toolTip())


def set_name(widget: QWidget, name: str) -> None:
    """Name a control that has no words on it, for screen readers and in its tip."""
    widget.setAccessibleName(name)
    widget.setToolTip(plain_tip(name))


class CloseButton(QToolButton):
    """A flat button with a cross; `set_name` says what it closes."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setIcon(icon("close"))
        self.setAutoRaise(True)


class ElidedLabel(QLabel):
    """Plain text; `text` is always the whole of it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)

    def setText(self, text: str) -> None:
        super().setText(text)
        self.setToolTip(plain_tip(text))

    def minimumSizeHint(self) -> QSize:
        return QSize(0, super().minimumSizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.setPen(self.palette().color(QPalette.ColorRole.WindowText))
            words = painter.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, self.width())
            painter.drawText(self.rect(), int(self.alignment()), words)


# --- Ends the visit to the editor that is open in a window, before anything else happens to the document ---
PASSING = (Qt.FocusReason.PopupFocusReason, Qt.FocusReason.MenuBarFocusReason, Qt.FocusReason.ActiveWindowFocusReason)
EDITING = frozenset("ACVXYZ")  # with Ctrl, the letters that mean the text and not the window


class LineEdit(QLineEdit):
    """A line for words, Chinese among them, whose letters rise above those of the font: Qt then puts the line into the
    middle, and moves it up by that once more."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.textChanged.connect(self._center)
        self._center()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._center()

    def _center(self) -> None:
        layout = QTextLayout(self.displayText(), self.font())
        layout.beginLayout()
        line = layout.createLine()
        layout.endLayout()
        rise = max(0, round(line.ascent()) - self.fontMetrics().ascent()) if line.isValid() else 0
        if rise != self.textMargins().top():
            self.setTextMargins(0, rise, 0, -rise)  # as high as before


@runtime_checkable
class Editor(Protocol):
    """Protocol of what a person types into, or of what holds such an editor."""

    def commit_typed(self) -> bool:
        """Hand on what is typed; False, with the reason beside it, if it cannot be."""


def commit_focused_editor(window: QWidget) -> bool:
    """Settle the editor that has the window's focus; False if it refuses, so that the command has to wait."""
    widget: QWidget | None = window.focusWidget()
    while widget is not None and not isinstance(widget, Editor):
        widget = None if widget.isWindow() else widget.parentWidget()
    return widget is None or widget is window or widget.commit_typed()


def focus_returns(event: QFocusEvent) -> bool:
    """Return whether the focus only lends itself to a menu or another window, and the typing goes on afterwards."""
    return event.reason() in PASSING


def is_window_shortcut(event: QKeyEvent) -> bool:
    """Return whether a line of text would take a key that is a command: Ctrl+E goes to the end on X11."""
    if event.type() != QEvent.Type.ShortcutOverride:
        return False
    letter = ord("A") <= event.key() <= ord("Z") and chr(event.key()) not in EDITING
    return letter and event.modifiers() == Qt.KeyboardModifier.ControlModifier


class Veil(QWidget):
    """Covers a panel, of which hardly more than the outlines are to be seen, until it is deleted."""

    def __init__(self, panel: QWidget, background: QColor) -> None:
        super().__init__(panel)
        self.setObjectName("veil")
        self._background = QColor(background)
        self._background.setAlphaF(VEILED)
        self.setGeometry(panel.rect())
        self.raise_()
        self.show()
        panel.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QResizeEvent):  # as a line of the status bar is whenever the one beside it says less
            self.resize(event.size())
        return super().eventFilter(watched, event)

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.fillRect(event.rect(), self._background)


class HorizontalScroller(QScrollArea):
    """Scrolls sideways only. With `fits` it is as high as its row, and its scroll bar where there is one."""

    def __init__(self, row: QWidget, parent: QWidget | None = None, *, fits: bool = False) -> None:
        super().__init__(parent)
        own_viewport(self)
        self._row = row
        self._kept: QWidget | None = None
        self._fits, self._sized = fits, False
        self.setWidget(row)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def keep_in_view(self, item: QWidget | None) -> None:
        """Scroll as far as needed to see an item, now and whenever the width changes."""
        self._kept = item
        if item is not None and (layout := self._row.layout()) is not None:
            self._row.resize(self._row.minimumSizeHint().expandedTo(self.viewport().size()))
            layout.activate()
            self.ensureWidgetVisible(item, scaled(SPACING.xxl), 0)

    def fit(self) -> None:
        """Take the height of the row again; before the first layout it is not known whether it scrolls."""
        needed = self._row.sizeHint()
        scrolls = self._sized and needed.width() > self.viewport().width()
        self.setFixedHeight(needed.height() + (self.horizontalScrollBar().sizeHint().height() if scrolls else 0))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._sized = True
        if self._fits:
            self.fit()
        self.keep_in_view(self._kept)


LEAST_HEIGHT = 72


class FittingPage(QScrollArea):
    """Gives its page all of the width, and all of the height or as much as the page needs.

    A page is best made in the viewport: one that moves is styled again, with everything in it.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._page = own_viewport(self)  # until there is one
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def hold(self, page: QWidget) -> None:
        """Show a page."""
        self._page = page
        # else Qt measures it here, and shows it, with all in it laid out, also where it is never seen
        page.resize(self.viewport().size())
        page.setAttribute(Qt.WidgetAttribute.WA_WState_ExplicitShowHide)
        self.setWidget(page)
        page.setAutoFillBackground(False)

    def fit(self) -> None:
        """Give the page its size.

        Whether there is a scroll bar is decided by the width without one: a picture that is lower where it is narrower
        may need one without it and none with it, and would go back and forth for ever.
        """
        whole, layout = self.contentsRect(), self._page.layout()
        if whole.width() <= 0 or layout is None:
            return
        needed, policy = _needed(layout, whole.width()), Qt.ScrollBarPolicy
        scrolls = needed > whole.height()
        self.setVerticalScrollBarPolicy(policy.ScrollBarAlwaysOn if scrolls else policy.ScrollBarAlwaysOff)
        width, room = self.viewport().width(), self.viewport().height()
        if width != whole.width():
            needed = _needed(layout, width)
        self._page.resize(width, max(needed, room))

    def minimumSizeHint(self) -> QSize:
        return QSize(self._page.minimumSizeHint().width(), scaled(LEAST_HEIGHT))

    def sizeHint(self) -> QSize:
        return self._page.sizeHint()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.modifiers() & Qt.KeyboardModifier.AltModifier:
            event.ignore()  # Alt with an arrow goes back, and does not scroll
        else:
            super().keyPressEvent(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            self.fit()
        return super().eventFilter(watched, event)


def _needed(layout: QLayout, width: int) -> int:
    """Return the least height of a page at a width."""
    return layout.minimumHeightForWidth(width) if layout.hasHeightForWidth() else layout.minimumSize().height()


# --- Layouts: filled in one call, what they hold is taken out whole, and rows that wrap ---
BoxLayout = TypeVar("BoxLayout", bound=QBoxLayout)
LayoutPart = QWidget | QLayout | int | tuple[QWidget | QLayout, int] | tuple[QWidget, int, Qt.AlignmentFlag]


def arrange(
    layout: BoxLayout, *parts: LayoutPart, spacing: int | None = None, margins: int | tuple[int, ...] | None = None
) -> BoxLayout:
    """Put widgets and layouts into a row or column, in order, and return it.

    A part may bring its stretch and alignment; a number is empty room of that stretch. Margins are left, top, right and
    bottom, or one for all; the style's where none are given.
    """
    if margins is not None:
        layout.setContentsMargins(*((margins,) * 4 if isinstance(margins, int) else margins))
    if spacing is not None:
        layout.setSpacing(spacing)
    for part in parts:
        if isinstance(part, int):
            layout.addStretch(part)
        elif isinstance(part, QWidget):
            layout.addWidget(part)
        elif isinstance(part, QLayout):
            layout.addLayout(part)
        elif isinstance(part[0], QWidget):
            layout.addWidget(part[0], *part[1:])
        else:
            layout.addLayout(part[0], part[1])
    return layout


def space_grid(grid: QGridLayout, across: int, down: int, stretched: int | None = None) -> QGridLayout:
    """Set the gaps of a grid without margins, and the column that takes the room to spare; return it."""
    grid.setContentsMargins(0, 0, 0, 0)
    grid.setHorizontalSpacing(across)
    grid.setVerticalSpacing(down)
    if stretched is not None:
        grid.setColumnStretch(stretched, 1)
    return grid


def take_widgets(layout: QLayout) -> list[QWidget]:
    """Take everything out of a layout and return its widgets."""
    taken = []
    while item := layout.takeAt(0):
        if widget := item.widget():
            taken.append(widget)
        delete(item)  # else it is lost: `takeAt` of PySide leaves it to nobody
    return taken


def clear_layout(layout: QLayout) -> None:
    """Take every widget out of a layout and let it go."""
    for widget in take_widgets(layout):
        widget.hide()
        widget.deleteLater()


class FlowLayout(QLayout):
    """Puts its items after one another and begins a new row where they no longer fit; hidden ones take no room."""

    def __init__(self, parent: QWidget | None = None, gap: int = SPACING.m, between: int = 0) -> None:
        super().__init__(parent)
        self._items: list[QLayoutItem] = []
        self._gap, self._between = gap, between  # of items, of rows
        self.setContentsMargins(0, 0, 0, 0)

    def addItem(self, item: QLayoutItem) -> None:
        self._items.append(item)

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self._place(QRect(0, 0, width, 0), move=False)

    def sizeHint(self) -> QSize:
        hints = [item.sizeHint() for item in self._shown()]
        width = sum(hint.width() for hint in hints) + self._gap * max(0, len(hints) - 1)
        return QSize(width, max((hint.height() for hint in hints), default=0))

    def minimumSize(self) -> QSize:
        hints = [item.minimumSize() for item in self._shown()]
        return QSize(max((hint.width() for hint in hints), default=0), max((h.height() for h in hints), default=0))

    def setGeometry(self, rect: QRect) -> None:
        super().setGeometry(rect)
        self._place(rect, move=True)

    def _shown(self) -> list[QLayoutItem]:
        return [item for item in self._items if not item.isEmpty()]

    def _place(self, rect: QRect, *, move: bool) -> int:
        x, y, row = rect.x(), rect.y(), 0
        for item in self._shown():
            hint = item.sizeHint()
            width = min(hint.width(), rect.width())
            if x > rect.x() and x + width > rect.x() + rect.width():
                x, y, row = rect.x(), y + row + self._between, 0
            if move:
                item.setGeometry(QRect(QPoint(x, y), QSize(width, hint.height())))
            x += width + self._gap
            row = max(row, hint.height())
        return y + row - rect.y()


# --- boxes of choices: keys with words, which a passing wheel does not turn ------------------------
class ChoiceBox(FocusedWheel, QComboBox):
    """Combo box of keys, each shown by its word in the present language; `picked` carries the one that is picked."""

    picked = Signal(str)  # the key

    def __init__(self, keys: Iterable[str] = (), parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizeAdjustPolicy(self.SizeAdjustPolicy.AdjustToContents)  # words of another language may be longer
        for key in keys:
            self.addItem(key, key)
        self.currentIndexChanged.connect(self._on_self_current_index_changed)

    def set_key(self, key: str) -> None:
        """Show a choice."""
        with QSignalBlocker(self):
            self.setCurrentIndex(self.findData(key))

    def set_words(self, words: Mapping[str, str]) -> None:
        """Set the words of the keys in the present language."""
        for key, word in words.items():
            self.setItemText(self.findData(key), word)

    def set_choices(self, choices: Sequence[tuple[str, str]]) -> None:
        """Set (key, word) of every choice; the chosen key stays if it is still there."""
        key = self.currentData()
        with QSignalBlocker(self):
            self.clear()
            for choice, word in choices:
                self.addItem(word, choice)
            self.setCurrentIndex(max(self.findData(key), 0))

    def enable_only(self, keys: Iterable[str]) -> None:
        """Let only these be picked."""
        model, offered = self.model(), set(keys)
        assert isinstance(model, QStandardItemModel)
        for place in range(self.count()):
            model.item(place).setEnabled(self.itemData(place) in offered)

    def choices(self) -> list[tuple[str, str]]:
        """Return (key, word) of every choice."""
        return [(self.itemData(place), self.itemText(place)) for place in range(self.count())]

    def showPopup(self) -> None:
        """Open the list at what is chosen: Qt opens it at what was marked last, though Esc put that away."""
        self.view().setCurrentIndex(self.model().index(self.currentIndex(), self.modelColumn()))
        super().showPopup()

    def minimumSizeHint(self) -> QSize:
        """Return the size that the words need: Qt keeps what it found for the words before."""
        return self.sizeHint()

    def _on_self_current_index_changed(self, index: int) -> None:
        if index >= 0:
            self.picked.emit(self.itemData(index))
