"""Control for the shown item of the batch, with the number of items."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QGridLayout, QLabel, QSizePolicy, QWidget

from attn_gui.figure.tokens import SPACING
from attn_gui.views.controls.count_box import CountBox
from attn_gui.views.controls.size_box import SizeBox


class ItemBox(CountBox):
    """A place counted from 0; it belongs to the view, so every step is handed on at once."""

    picked = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, minimum=0, maximum=0)
        self.setKeyboardTracking(False)
        self.valueChanged.connect(self.picked)

    def set_items(self, item: int, count: int) -> None:
        """Show the item; with one item there is nothing to choose."""
        with QSignalBlocker(self):
            self.setRange(0, count - 1)
            self.setValue(item)
        self.setEnabled(count > 1)


class ItemCell(QWidget):
    """The item shown with "of N" beside its caption, where N is a box itself; in one line when compact."""

    def __init__(self, count: SizeBox, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.item, self.count = ItemBox(self), count
        self.caption, self.of = QLabel(self), QLabel(self)
        self.caption.setBuddy(self.item)
        self.of.setBuddy(count)
        count.set_inline()
        count.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(SPACING.xs)

    def set_one_line(self, one_line: bool) -> None:
        """Caption beside the box, or above it."""
        widgets = (self.caption, self.item, self.of, self.count)
        for column, widget in enumerate(widgets):
            self._grid.removeWidget(widget)
            self._grid.addWidget(widget, 0, column)
        if not one_line:
            self._grid.removeWidget(self.item)
            self._grid.addWidget(self.item, 1, 0, 1, len(widgets))
        self._grid.setColumnStretch(1, 0 if one_line else 1)
        self._grid.setColumnStretch(4, 1 if one_line else 0)
        self._grid.setHorizontalSpacing(SPACING.s if one_line else SPACING.xs)
