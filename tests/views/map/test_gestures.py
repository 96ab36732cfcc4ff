"""Keys move the chosen cell, never out of the matrix."""

from __future__ import annotations

from PySide6.QtCore import Qt

from attn_gui.views.map.gestures import moved_cell
from tests.failing import each

MODIFIER = Qt.KeyboardModifier
NONE, SHIFT, CTRL = MODIFIER.NoModifier, MODIFIER.ShiftModifier, MODIFIER.ControlModifier
KEY = Qt.Key


@each(
    ("key", "modifiers", "expected"),
    [
        (KEY.Key_Right, NONE, (5, 8)),
        (KEY.Key_Left, NONE, (5, 6)),
        (KEY.Key_Up, NONE, (4, 7)),
        (KEY.Key_Down, NONE, (6, 7)),
        (KEY.Key_Right, SHIFT, (5, 17)),
        (KEY.Key_Down, SHIFT, (12, 7)),
        (KEY.Key_Left, SHIFT, (5, 0)),
        (KEY.Key_PageUp, NONE, (0, 7)),
        (KEY.Key_PageDown, NONE, (12, 7)),
        (KEY.Key_Home, NONE, (5, 0)),
        (KEY.Key_End, NONE, (5, 18)),
        (KEY.Key_Home, CTRL, (0, 0)),
        (KEY.Key_End, CTRL, (12, 18)),
        (KEY.Key_A, NONE, None),
        (KEY.Key_Left, Qt.KeyboardModifier.AltModifier, None),
    ],
)
def test_a_key_leads_to_a_cell(key: Qt.Key, modifiers: Qt.KeyboardModifier, expected: tuple[int, int] | None) -> None:
    assert moved_cell(key, modifiers, (5, 7), (13, 19)) == expected


def test_from_no_cell_any_arrow_leads_to_the_first() -> None:
    assert moved_cell(KEY.Key_Down, NONE, None, (13, 19)) == (0, 0)


def test_an_empty_matrix_has_no_cell_to_go_to() -> None:
    assert moved_cell(KEY.Key_Down, NONE, None, (0, 19)) is None
