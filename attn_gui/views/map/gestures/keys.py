"""Keys that move the chosen cell of a map, and those that zoom."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent

from attn_gui.views.map.marks import Cell

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
_EXTENDING = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
_BEGINNINGS = ("0", ".", "-", "−")  # of numbers; while a map is zoomed, 0 and − are for that
_ZOOMS = {"+": 240, "=": 240, "-": -240}  # + without Shift is =


def moved(key: int, modifiers: Qt.KeyboardModifier, chosen: Cell | None, shape: tuple[int, int]) -> Cell | None:
    """The cell that a key leads to, None when the key moves nothing; from no cell the first one."""
    rows, columns = shape
    if (key not in _STEPS and key not in _ENDS) or not rows or not columns:
        return None
    others = modifiers & ~(Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.KeypadModifier)
    if key in _STEPS and others:
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


def extends(modifiers: Qt.KeyboardModifier) -> bool:
    """Whether keys that move the chosen cell lead the far corner of a block instead."""
    return modifiers & ~Qt.KeyboardModifier.KeypadModifier == _EXTENDING


def zoomed(text: str, modifiers: Qt.KeyboardModifier) -> int:
    """The turn of a wheel that a key stands for; 0 for none."""
    return 0 if modifiers & _SHORTCUTS else _ZOOMS.get(text, 0)


def shows_everything(text: str, modifiers: Qt.KeyboardModifier) -> bool:
    """Whether a key ends the zoom."""
    return text == "0" and not modifiers & _SHORTCUTS


def types(event: QKeyEvent, *, whole: bool) -> bool:
    """Whether a key begins to type into the chosen cell; `whole`: the map is not zoomed."""
    if event.modifiers() & _SHORTCUTS:
        return False
    return event.key() == Qt.Key.Key_F2 or event.text() == "." or (whole and event.text() in _BEGINNINGS)
