"""Tab and F6 through the window: order of zones and controls, focus when what has it is hidden; columns of panels."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QBoxLayout, QFrame, QScrollArea, QVBoxLayout, QWidget

from attn_gui.figure.design_tokens import SPACING
from attn_gui.views.widgets import arrange

ZONES = ("spine", "zone.inputs", "zone.product", "heads.weights", "zone.explain")


def stops(window: QWidget) -> list[QWidget]:
    """Return every widget that Tab leads to now, zone by zone.

    Within a zone in the order that the zone has given them.
    """
    return _by_zones(window, filter(can_take_tab, _chain(window)))


def stops_of(window: QWidget, zone: str) -> list[QWidget]:
    """Return the stops of one zone; the heads stand within the zone of the pictures and count for themselves."""
    return [widget for widget in stops(window) if _place_of(widget, window) == ZONES.index(zone)]


def zone_with_focus(window: QWidget) -> int | None:
    """Return the place of the zone that has the keyboard; None if none has."""
    focus = QApplication.focusWidget()
    place = len(ZONES) if focus is None else _place_of(focus, window)
    return place if place < len(ZONES) else None


def step(window: QWidget, forward: bool) -> bool:
    """Give the focus to the next widget, or to the one before, round the window."""
    focus = QApplication.focusWidget()
    shown = [widget for widget in _chain(window) if widget is focus or can_take_tab(widget)]
    following = _following(_by_zones(window, shown), focus, forward)
    if following is not None:
        following.setFocus(Qt.FocusReason.TabFocusReason if forward else Qt.FocusReason.BacktabFocusReason)
        show_in_area(following)
    return following is not None


def show_in_area(widget: QWidget) -> None:
    """Scroll what a widget stands in to it; Qt does so on the way from one part of that to another alone."""
    outer = widget.parentWidget()
    while outer is not None and not isinstance(outer, QScrollArea):
        outer = outer.parentWidget()
    if outer is not None:
        outer.ensureWidgetVisible(widget)


@contextmanager
def handing_on(panel: QWidget, take: Callable[[], object]) -> Iterator[None]:
    """Have `take` move the keyboard where the part of a panel that has it is hidden; Qt would put it anywhere."""
    held = QApplication.focusWidget()
    yield
    if held is not None and panel.isAncestorOf(held) and not held.isVisible():
        take()


def _following(order: list[QWidget], focus: QWidget | None, forward: bool) -> QWidget | None:
    """Return the next widget in this order, of those that take Tab and the one with the focus, or the one before; None
    where none does."""
    holder = focus
    while holder is not None and not (holder in order and can_take_tab(holder)):
        holder = holder.parentWidget()  # of an editor that opened in it
    start = holder or focus  # or of a widget that has just been hidden: on from where it stood
    here = order.index(start) if start in order else (-1 if forward else 0)
    ahead = [*order[here + 1 :], *order[: max(here, 0)]]
    behind = [*reversed(order[: max(here, 0)]), *reversed(order[here + 1 :])]
    return next(filter(can_take_tab, ahead if forward else behind), None)


def stops_in(editor: QWidget) -> list[QWidget]:
    """Return the parts of an editor that Tab leads to, in the order in which they were made; often itself alone."""
    parts = [editor, *editor.findChildren(QWidget)]
    own = [part for part in parts if part.window() is editor.window()]  # the list of a combo box is another window
    return [part for part in own if _takes_tab(part) and part.focusProxy() is None]


def _chain(window: QWidget) -> list[QWidget]:
    """Return every widget of a window in the order of Qt's focus chain."""
    found, widget = [window], window.nextInFocusChain()
    while widget is not None and widget is not window:
        found.append(widget)
        widget = widget.nextInFocusChain()
    for widget in found:
        # PySide 6.10 makes each of them a child of the one before it, and would invalidate it together with that one
        widget.setParent(widget.parentWidget())
    return found[1:]


def _by_zones(window: QWidget, widgets: Iterable[QWidget]) -> list[QWidget]:
    """Return widgets of a window zone by zone, within a zone as they come."""
    return sorted(widgets, key=lambda widget: _place_of(widget, window))


def can_take_tab(widget: QWidget) -> bool:
    """Return whether Tab leads to a widget now."""
    return widget.isVisible() and widget.isEnabled() and _takes_tab(widget) and widget.focusProxy() is None


def _takes_tab(widget: QWidget) -> bool:
    return widget.focusPolicy() & Qt.FocusPolicy.TabFocus == Qt.FocusPolicy.TabFocus


def _place_of(widget: QWidget, window: QWidget) -> int:
    """Return the innermost zone that a widget stands in; what stands in none comes last."""
    outer: QWidget | None = widget
    while outer is not None and outer is not window:
        if outer.objectName() in ZONES:
            return ZONES.index(outer.objectName())
        outer = outer.parentWidget()
    return len(ZONES)


def hairline(parent: QWidget) -> QFrame:
    """Return a line across, one pixel high."""
    line = QFrame(parent)
    line.setFrameShape(QFrame.Shape.HLine)
    line.setProperty("hairline", "true")
    line.setFixedHeight(1)
    return line


def zone_in(parent: QWidget, padding: int = 0, name: str = "") -> QWidget:
    """Return a column of panels with a margin."""
    zone = QWidget(parent)
    zone.setObjectName(name)
    zone.setContentsMargins(padding, padding, padding, padding)
    arrange(QVBoxLayout(zone), margins=0, spacing=SPACING.m if padding else 0)
    return zone


def put_on_top(zone: QWidget, panel: QWidget) -> None:
    """Put one more panel above those of a zone, out of sight until it is asked for."""
    column = zone.layout()
    assert isinstance(column, QBoxLayout)
    column.insertWidget(0, panel)
    panel.hide()


def put_at_foot(zone: QWidget, panel: QWidget) -> None:
    """Put one more panel below those of a zone, out of sight until it is asked for."""
    column = zone.layout()
    assert isinstance(column, QBoxLayout)
    column.addWidget(panel)
    panel.hide()
