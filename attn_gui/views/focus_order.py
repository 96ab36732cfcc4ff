"""The order in which Tab and F6 go through the window: spine, inputs, pictures, heads, explanation."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget

ZONES = ("spine", "zone.inputs", "zone.product", "heads.weights", "zone.explain")


def stops(window: QWidget) -> list[QWidget]:
    """Every widget that Tab leads to now, zone by zone; within a zone in the order that the zone has given them."""
    return sorted(_chain(window), key=lambda widget: _place_of(widget, window))


def stops_of(window: QWidget, zone: str) -> list[QWidget]:
    """Those of one zone; the heads stand within the zone of the pictures and count for themselves."""
    return [widget for widget in _chain(window) if _place_of(widget, window) == ZONES.index(zone)]


def zone_with_focus(window: QWidget) -> int | None:
    """The place of the zone that has the keyboard; None if none has."""
    focus = QApplication.focusWidget()
    place = len(ZONES) if focus is None else _place_of(focus, window)
    return place if place < len(ZONES) else None


def step(window: QWidget, forward: bool) -> bool:
    """Give the focus to the next widget, or to the one before, round the window."""
    found, focus = stops(window), QApplication.focusWidget()
    while focus is not None and focus not in found:
        focus = focus.parentWidget()  # an editor that opened in one of them
    if not found:
        return False
    way = 1 if forward else -1
    here = found.index(focus) if focus is not None else (-1 if forward else 0)
    reason = Qt.FocusReason.TabFocusReason if forward else Qt.FocusReason.BacktabFocusReason
    found[(here + way) % len(found)].setFocus(reason)
    return True


def stops_in(editor: QWidget) -> list[QWidget]:
    """The parts of an editor that Tab leads to, in the order in which they were made; often itself alone."""
    parts = [editor, *editor.findChildren(QWidget)]
    own = [part for part in parts if part.window() is editor.window()]  # the list of a combo box is another window
    return [part for part in own if _takes_tab(part) and part.focusProxy() is None]


def _chain(window: QWidget) -> Iterator[QWidget]:
    widget: QWidget | None = window.nextInFocusChain()
    while widget is not None and widget is not window:
        if widget.isVisible() and widget.isEnabled() and _takes_tab(widget) and widget.focusProxy() is None:
            yield widget
        widget = widget.nextInFocusChain()


def _takes_tab(widget: QWidget) -> bool:
    return widget.focusPolicy() & Qt.FocusPolicy.TabFocus == Qt.FocusPolicy.TabFocus


def _place_of(widget: QWidget, window: QWidget) -> int:
    """The innermost zone that a widget stands in; what stands in none comes last."""
    outer: QWidget | None = widget
    while outer is not None and outer is not window:
        if outer.objectName() in ZONES:
            return ZONES.index(outer.objectName())
        outer = outer.parentWidget()
    return len(ZONES)
