"""Mouse, wheel and keys on a map: choosing, blocks, moving, zoom (+, −, 0), brush; the line to type over a cell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, QRect, Qt, Signal, SignalInstance
from PySide6.QtGui import QAction, QContextMenuEvent, QFocusEvent, QKeyEvent, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from attn_gui.figure.design_tokens import SIZE, SPACING
from attn_gui.views.map.marks import Cell
from attn_gui.views.tables.delegate import CellBubble, CellEditor
from attn_gui.views.theme import scaled
from attn_gui.views.widgets import RETURNING, entries_of, focus_returns

if TYPE_CHECKING:
    from attn_gui.views.map.heatmap import Heatmap
    from attn_gui.views.map.map_view import MapBox

FAR = 10
"""Cells that Shift with an arrow, or a page key, moves by."""

_STEPS = {
    Qt.Key.Key_Left: (0, -1),
    Qt.Key.Key_Right: (0, 1),
    Qt.Key.Key_Up: (-1, 0),
    Qt.Key.Key_Down: (1, 0),
    Qt.Key.Key_PageUp: (-FAR, 0),
    Qt.Key.Key_PageDown: (FAR, 0),
}
_ENDS = {Qt.Key.Key_Home: 0, Qt.Key.Key_End: -1}
_ARROWS = (Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Down)

_SHORTCUTS = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.MetaModifier
_KEYPAD = Qt.KeyboardModifier.KeypadModifier
_EXTENDING = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
_BEGINNINGS = ("0", ".", "-", "−")  # of numbers; while a map is zoomed, 0 and − are for that
_ZOOMS = {"+": 240, "=": 240, "-": -240}  # + without Shift is =


def moved_cell(key: int, modifiers: Qt.KeyboardModifier, chosen: Cell | None, shape: tuple[int, int]) -> Cell | None:
    """Return the cell that a key leads to, None when the key moves nothing; from no cell the first one."""
    rows, columns = shape
    if (key not in _STEPS and key not in _ENDS) or not rows or not columns:
        return None
    if key in _STEPS and modifiers & ~(Qt.KeyboardModifier.ShiftModifier | _KEYPAD):
        return None
    if chosen is None:
        return 0, 0
    row, column = chosen
    if key in _ENDS:
        last = key == Qt.Key.Key_End
        column = columns - 1 if last else 0
        if modifiers & Qt.KeyboardModifier.ControlModifier:
            row = rows - 1 if last else 0
        return row, column
    down, right = _STEPS[Qt.Key(key)]
    far = FAR if key in _ARROWS and modifiers & Qt.KeyboardModifier.ShiftModifier else 1
    return min(max(row + down * far, 0), rows - 1), min(max(column + right * far, 0), columns - 1)


def zoom_delta(text: str, modifiers: Qt.KeyboardModifier) -> int:
    """Return the turn of a wheel that a key stands for; 0 for none."""
    return 0 if modifiers & _SHORTCUTS else _ZOOMS.get(text, 0)


def shows_whole_map(text: str, modifiers: Qt.KeyboardModifier) -> bool:
    """Return whether a key ends the zoom."""
    return text == "0" and not modifiers & _SHORTCUTS


def starts_typing(event: QKeyEvent, *, whole: bool) -> bool:
    """Return whether a key begins to type into the chosen cell; `whole`: the map is not zoomed."""
    if event.modifiers() & _SHORTCUTS:
        return False
    return event.key() == Qt.Key.Key_F2 or event.text() == "." or (whole and event.text() in _BEGINNINGS)


_LEFT = Qt.MouseButton.LeftButton
_DRAGS = Qt.MouseButton.LeftButton | Qt.MouseButton.MiddleButton
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_FREES = (Qt.Key.Key_Delete, Qt.Key.Key_Backspace)
_BY_KEYBOARD = (
    Qt.FocusReason.TabFocusReason,
    Qt.FocusReason.BacktabFocusReason,
    Qt.FocusReason.ShortcutFocusReason,
    Qt.FocusReason.OtherFocusReason,
)


class MapSignals(QObject):
    """What a person wants of the maps of a picture; the first argument is the stage that a map shows."""

    cellChosen = Signal(str, int, int)  # stage, row, column
    cornerChosen = Signal(str, int, int)  # of a block that begins at the chosen cell
    freeRequested = Signal()  # the chosen cells
    clicked = Signal(str)  # with the mouse, after the cell was chosen
    hovered = Signal(str, int, int)  # stage, row, column
    hoverLeft = Signal()
    activated = Signal(str, int, int)  # stage, row, column
    pulled = Signal(str, int, bool)  # the number of the chosen cell, by so many pixels up; True once it is let go
    typingRequested = Signal(object, str)  # the map with the chosen cell, and the first letter, if there is one
    toggleRequested = Signal(str, int, int)  # stage, row, column
    stroked = Signal(str, object, bool)  # the cells that the brush has passed so far; True once it is lifted
    copyImageRequested = Signal(str)  # the stage
    saveImageRequested = Signal(str)  # the stage

    def pass_on(self, others: MapSignals) -> None:
        """Emit what is asked of the cells of maps beside these, too: all but blocks, masks and typing."""
        others.cellChosen.connect(self.cellChosen)
        others.hovered.connect(self.hovered)
        others.hoverLeft.connect(self.hoverLeft)
        others.activated.connect(self.activated)
        others.copyImageRequested.connect(self.copyImageRequested)
        others.saveImageRequested.connect(self.saveImageRequested)


class Gestures(QObject):
    """Says by `MapSignals` what a person wants of which cell; hovering, dragging and zooming it does itself."""

    def __init__(self, heatmap: Heatmap, signals: MapSignals, source: str) -> None:
        super().__init__(heatmap)
        self._heatmap, self._overlay = heatmap, heatmap.overlay
        self.signals, self.transposed = signals, False
        self.source: str | None = source  # a stage; None for a matrix whose cells are chosen in its table
        self._pressed: QPoint | None = None
        self._dragged = QPoint()  # how far the pointer has drawn the map
        self._pulls = False  # whether the left button draws the number of a cell up and down
        self._extends = False  # whether the pointer leads the corner of a block
        self._brush, self._stroke = False, list[Cell]()  # in hand, and passed by the stroke under way

    @property
    def _box(self) -> MapBox:
        return self._heatmap.box

    def set_brush(self, active: bool) -> None:
        """Take the left button as a brush, or no longer; a stroke under way is dropped."""
        self._brush, self._stroke = active, []

    def set_pulling(self, active: bool) -> None:
        """Let the left button draw the number of a cell up and down instead of moving the map, or no longer."""
        self._pulls = active
        cursor = Qt.CursorShape.SizeVerCursor if active else Qt.CursorShape.ArrowCursor
        self._heatmap.setCursor(cursor)

    def _tell(self, signal: SignalInstance, cell: Cell) -> None:
        """Emit a cell of the stage, not of its transpose."""
        if self.source is not None:
            signal.emit(self.source, *(cell[::-1] if self.transposed else cell))

    # --- mouse -----------------------------------------------------------------------------------
    def press(self, event: QMouseEvent) -> None:
        """Begin a click, a drag, a stroke of the brush, or a block."""
        event.accept()
        if event.button() != _LEFT and event.buttons() & _LEFT:
            return  # what the left button has begun goes on
        self._pressed = self._dragged = event.position().toPoint()
        if self._brush and event.button() == _LEFT:
            self._pass(self._heatmap.cell_under(self._pressed))
        elif self._pulls and event.button() == _LEFT:
            cell = self._heatmap.cell_under(self._pressed)
            if cell is not None:
                self._tell(self.signals.cellChosen, cell)
        elif event.button() == _LEFT and self._begins_block(event):
            self._extends = True
            self._lead(self._heatmap.cell_under(self._pressed))

    def _begins_block(self, event: QMouseEvent) -> bool:
        """Return whether a press with Shift leads the corner of a block from the chosen cell on."""
        return bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier) and self._overlay.marks.chosen is not None

    def _lead(self, corner: Cell | None) -> None:
        if corner is not None:
            self._tell(self.signals.cornerChosen, corner)

    def move(self, event: QMouseEvent) -> None:
        """Go on with what was begun, and tell the cell below the pointer."""
        here = event.position().toPoint()
        if not event.buttons() & _LEFT:
            self._end_lost()
        if self._stroke:
            self._pass(self._heatmap.cell_under(here, nearest=True))
        elif self._extends:
            self._lead(self._heatmap.cell_under(here, nearest=True))
        elif self._pulls and event.buttons() & _LEFT and self._pressed is not None:
            self.signals.pulled.emit(self.source, self._pressed.y() - here.y(), False)
        elif event.buttons() & _DRAGS and self._pressed is not None:
            self._drag(here, self._pressed)
        self._hover(self._heatmap.cell_under(here))

    def release(self, event: QMouseEvent) -> None:
        """End what was begun; a press that did not move chooses the cell."""
        event.accept()
        if event.button() != _LEFT and event.buttons() & _LEFT:
            return
        pressed, self._pressed = self._pressed, None
        here = event.position().toPoint()
        if pressed is None or event.button() != _LEFT:
            return
        if self._extends:
            self._extends = False
            return
        if self._brush:
            self._lift()
            return
        if self._pulls:
            self.signals.pulled.emit(self.source, pressed.y() - here.y(), True)
            return
        if (here - pressed).manhattanLength() >= QApplication.startDragDistance():
            return
        cell = self._heatmap.cell_under(here)
        if cell is not None:
            self._tell(self.signals.cellChosen, cell)
            self.signals.clicked.emit(self.source)

    def _end_lost(self) -> None:
        """End a stroke or a block whose release went elsewhere, as to a menu."""
        self._extends = False
        self._lift()

    def _pass(self, cell: Cell | None) -> None:
        if cell is not None and cell not in self._stroke[-1:]:
            self._stroke.append(cell)
            self.signals.stroked.emit(self.source, tuple(self._stroke), False)

    def _lift(self) -> None:
        stroke, self._stroke = tuple(self._stroke), []
        if stroke:
            self._tell(self.signals.cellChosen, stroke[-1])
            self.signals.stroked.emit(self.source, stroke, True)

    def double_click(self, event: QMouseEvent) -> None:
        """Show everything again; where everything is shown, type into the cell."""
        if self._brush:  # two quick strokes of one cell
            self.press(event)
            return
        self._pressed = None
        event.accept()
        if not self._box.whole:
            self._box.reset()
        elif self._heatmap.cell_under(event.position().toPoint()) == self._overlay.marks.chosen:
            self.signals.typingRequested.emit(self._heatmap, "")

    def _drag(self, here: QPoint, pressed: QPoint) -> None:
        """Move the map with the pointer, but not by a hand that trembles in a click."""
        if self._dragged != pressed or (here - pressed).manhattanLength() >= QApplication.startDragDistance():
            self._box.drag(QPointF(here - self._dragged))
            self._dragged = here

    def _hover(self, cell: Cell | None) -> None:
        if cell == self._overlay.marks.hovered:
            return
        self._overlay.set_marks(hovered=cell)
        if cell is None:
            self.signals.hoverLeft.emit()
        else:
            self._tell(self.signals.hovered, cell)

    def wheel(self, event: QWheelEvent) -> None:
        """Zoom at the pointer; with Ctrl, or beside the cells, the wheel is for others."""
        enlarges_window = event.modifiers() & Qt.KeyboardModifier.ControlModifier
        if not enlarges_window and self._heatmap.cell_under(event.position().toPoint()) is not None:
            self._box.zoom_at(event.angleDelta().y(), event.position())
            event.accept()
        else:
            event.ignore()

    def leave(self) -> None:
        """Forget the pointer, which is over the map no longer."""
        self._hover(None)

    # --- keyboard --------------------------------------------------------------------------------
    def key(self, event: QKeyEvent) -> None:
        """Move the chosen cell, act on it, or zoom; single letters and digits act on the window."""
        if not (self._extend(event) or self._move(event) or self._act(event) or self._zoom(event)):
            event.ignore()

    def _extend(self, event: QKeyEvent) -> bool:
        """Move the corner of the block that begins at the chosen cell."""
        marks = self._overlay.marks
        if marks.chosen is None or event.modifiers() & ~_KEYPAD != _EXTENDING:
            return False
        corner = moved_cell(event.key(), Qt.KeyboardModifier.NoModifier, marks.corner, self._box.matrix)
        if corner is not None:
            self._tell(self.signals.cornerChosen, corner)
        return corner is not None

    def _move(self, event: QKeyEvent) -> bool:
        chosen = self._overlay.marks.chosen
        cell = moved_cell(event.key(), event.modifiers(), chosen, self._box.matrix)
        if cell is None:
            return False
        self._overlay.set_marks(focus=True)
        if cell != chosen:
            self._tell(self.signals.cellChosen, cell)
        return True

    def _act(self, event: QKeyEvent) -> bool:
        """Follow the chosen cell, type into it, free it, or switch it in the mask."""
        chosen, plain = self._overlay.marks.chosen, not event.modifiers() & ~_KEYPAD
        if chosen is None:
            return False
        if plain and event.key() in _ENTER:
            self._tell(self.signals.activated, chosen)
        elif starts_typing(event, whole=self._box.whole):
            self.signals.typingRequested.emit(self._heatmap, event.text() if event.key() != Qt.Key.Key_F2 else "")
        elif plain and event.key() in _FREES:
            self.signals.freeRequested.emit()
        elif plain and event.key() == Qt.Key.Key_Space:
            self._tell(self.signals.toggleRequested, chosen)
        else:
            return False
        return True

    def _zoom(self, event: QKeyEvent) -> bool:
        if delta := zoom_delta(event.text(), event.modifiers()):
            self._box.zoom(delta, self._overlay.marks.chosen)
            return True
        if whole := shows_whole_map(event.text(), event.modifiers()):
            self._box.reset()
        return whole

    def focus_in(self, reason: Qt.FocusReason) -> None:
        """Show the ring where the focus came by keyboard."""
        if reason in _BY_KEYBOARD:
            self._overlay.set_marks(focus=True)

    def focus_out(self, reason: Qt.FocusReason) -> None:
        """Take the ring away, unless the focus comes back at once."""
        if reason not in RETURNING:
            self._overlay.set_marks(focus=False)

    # --- menu ------------------------------------------------------------------------------------
    def offer_menu(self, event: QContextMenuEvent) -> None:
        """Open the menu of a map, for the cell that it was opened on."""
        if self._stroke or self._extends:
            return
        if self.source is None:
            event.ignore()
            return
        cell = self._heatmap.cell_under(event.pos()) if event.reason() == QContextMenuEvent.Reason.Mouse else None
        if cell is not None:
            self._tell(self.signals.cellChosen, cell)
        menu = QMenu(self._heatmap)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        copy, save = QAction(self.tr("Copy image"), menu), QAction(self.tr("Save image…"), menu)
        copy.triggered.connect(lambda: self.signals.copyImageRequested.emit(self.source))
        save.triggered.connect(lambda: self.signals.saveImageRequested.emit(self.source))
        if entries := entries_of(self._heatmap.actions()):
            menu.addActions(entries)
            menu.addSeparator()
        menu.addActions([copy, save])
        menu.popup(event.globalPos())


_LEAVING = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Tab)
_DIGITS = 6  # that have room, however small the cell is


class CellTyping(QObject):
    """Opens a line on one cell and hands on what was typed; the listener closes it or refuses the text."""

    typed = Signal(str)  # the text
    closed = Signal()

    def __init__(self, heatmap: QWidget) -> None:
        super().__init__(heatmap)
        self._heatmap = heatmap
        self.editor: CellEditor | None = None  # the line that is open
        self._bubble: CellBubble | None = None
        self._given_up = False

    def open(self, place: QRect, text: str, *, name: str, begun: bool) -> None:
        """Type into a cell drawn at `place` of the map; `begun`: the text is the first letter typed, not the number."""
        self.close()
        editor = self.editor = CellEditor(self._heatmap)
        editor.setAccessibleName(name)
        editor.setText(text)
        editor.set_cell(self._roomy(place))
        if not begun:
            editor.selectAll()
        editor.textEdited.connect(self._hide_bubble)
        editor.installEventFilter(self)
        editor.show()
        editor.setFocus()

    def commit_typed(self) -> bool:
        """Hand on what is typed; False if it is refused, with the line still open, or was given up."""
        editor = self.editor
        if editor is None:
            return True
        editor.set_refused(False)
        self._given_up = False
        self.typed.emit(editor.text())
        return self.editor is not editor and not self._given_up

    def give_up(self) -> None:
        """Close the line without its number; a command that was about to hand it on is not carried out."""
        self._given_up = True
        self.close()

    def refuse(self, sentence: str) -> None:
        """Keep the line open and say why its text cannot be taken."""
        if self.editor is None:
            return
        self.editor.set_refused(True)
        self.editor.setAccessibleDescription(sentence)
        window = self._heatmap.window()
        if self._bubble is None or self._bubble.parentWidget() is not window:
            self._bubble = CellBubble(self._heatmap)
        self._bubble.setText(sentence)
        corner = self.editor.mapTo(window, QPoint(0, 0))
        self._bubble.point_at(QRect(corner, self.editor.size()))

    def close(self) -> None:
        """Take the line away; the keyboard goes back to the map if the line had it."""
        self._hide_bubble()
        editor, self.editor = self.editor, None
        if editor is not None:
            held = self._heatmap.window().focusWidget() is editor  # the window may not be the active one yet
            editor.removeEventFilter(self)  # it is given up: losing the focus now hands nothing on
            editor.hide()
            editor.deleteLater()
            self.closed.emit()
            if held:
                self._heatmap.setFocus(Qt.FocusReason.OtherFocusReason)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is not self.editor:
            return super().eventFilter(watched, event)
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() in _LEAVING:
                self.commit_typed()
                return True
            if event.key() == Qt.Key.Key_Escape:
                self.close()
                return True
        elif (
            isinstance(event, QFocusEvent)
            and event.lostFocus()
            and not focus_returns(event)
            and not self.commit_typed()
        ):
            self.close()  # a refused text does not outlive the visit
        return super().eventFilter(watched, event)

    def _roomy(self, place: QRect) -> QRect:
        """Return a rectangle no smaller than a table's cell, around the middle of the cell and inside the map."""
        least = self._heatmap.fontMetrics().horizontalAdvance("0") * _DIGITS + scaled(2 * SPACING.m)
        roomy = QRect(0, 0, max(place.width(), least), max(place.height(), scaled(SIZE.control)))
        roomy.moveCenter(place.center())
        inside = self._heatmap.rect()
        roomy.moveLeft(max(inside.left(), min(roomy.left(), inside.right() - roomy.width())))
        roomy.moveTop(max(inside.top(), min(roomy.top(), inside.bottom() - roomy.height())))
        return roomy

    def _hide_bubble(self) -> None:
        if self._bubble is not None:
            self._bubble.hide()
