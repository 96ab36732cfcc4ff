"""Rules for every control of the program: the wheel, the names, the roles, the order of the keyboard."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QAbstractSlider, QAbstractSpinBox, QApplication, QComboBox, QDialog, QScrollBar, QWidget

OPENED = ("new", "tokens", "export_image", "export_data", "search_actions", "shortcuts", "about")


def turn_wheel(widget: QWidget) -> None:
    place = QPointF(widget.rect().center())
    event = QWheelEvent(place, QPointF(widget.mapToGlobal(QPoint(2, 2))), QPoint(), QPoint(0, -120),
                        Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False)
    QApplication.sendEvent(widget, event)


def value_of(widget: QWidget) -> object:
    return widget.currentIndex() if isinstance(widget, QComboBox) else widget.value()


def turnable(root: QWidget) -> Iterator[QWidget]:
    for kind in (QComboBox, QAbstractSpinBox, QAbstractSlider):
        yield from (widget for widget in root.findChildren(kind) if not isinstance(widget, QScrollBar))


def with_everything(person) -> None:
    """Every control of the spine and of the mask panel is there."""
    person.do("softcap")
    person.do("temperature")
    person.do("rotary_positions") if person.action("rotary_positions").isEnabled() else None
    person.pick("scale", "typed")
    for kind in ("causal", "window", "padding", "custom"):
        person.window.mask_panel.add_layer(kind)
    person.do("masks")


def in_dialogs(person, check) -> None:
    """`check` every dialog while it is open."""
    for name in OPENED:
        person.answering(QDialog, lambda dialog: (check(dialog), person.press("Esc")), partial(person.do, name))


def test_no_wheel_turns_what_has_no_focus(launch):
    person = launch("thinking-machines.npz")
    with_everything(person)
    seen = []

    def check(root: QWidget) -> None:
        for widget in turnable(root):
            if widget.isVisible() and widget.isEnabled():
                if widget.hasFocus():
                    widget.clearFocus()
                before = value_of(widget)
                turn_wheel(widget)
                assert value_of(widget) == before, widget.objectName()
                assert widget.focusPolicy() & Qt.FocusPolicy.WheelFocus != Qt.FocusPolicy.WheelFocus
                seen.append(widget.objectName())

    problem = person.program.document.generation
    check(person.window)
    assert {"control.score", "control.scale", "control.scale_slider", "control.dtype", "control.n"} <= set(seen)
    assert person.program.document.generation == problem
    person.press("Esc")
    in_dialogs(person, check)
    assert {"export.format", "new.fill"} <= set(seen)

