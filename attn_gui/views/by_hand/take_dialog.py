"""Question of where cells are taken from: another head, row, column or item."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtWidgets import QComboBox, QDialog, QDialogButtonBox, QHBoxLayout, QSpinBox, QVBoxLayout, QWidget

from attn_gui.figure.tokens import SPACING
from attn_gui.views.bases.wrapped_label import WrappedLabel
from attn_gui.views.dialogs.ask_dialog import WIDTH
from attn_gui.views.dialogs.asking import BUTTONS
from attn_gui.views.theme import scaled


class TakeDialog(QDialog):
    """A list of axes and a number on the one that is chosen."""

    def __init__(self, cells: str, axes: Mapping[str, tuple[str, int, int]], parent: QWidget | None = None) -> None:
        """`axes`: by key the name of an axis, how many places it has, and the one that is proposed."""
        super().__init__(parent)
        self.setObjectName("dialog.take")
        self.setWindowTitle(self.tr("Take {cells} from elsewhere").format(cells=cells))
        self._axes = axes
        self.axis, self.place = QComboBox(self), QSpinBox(self)
        self.axis.setObjectName("take.axis")
        self.place.setObjectName("take.place")
        words = WrappedLabel(self)
        words.setText(self.tr("The cells of which place, as computed, stand there instead?"))
        for key, (name, _count, _proposed) in axes.items():
            self.axis.addItem(name, key)
        self.axis.setAccessibleName(self.tr("Kind of place"))
        self.place.setAccessibleName(self.tr("Number of the place, counted from 0"))
        self.axis.currentIndexChanged.connect(self._follow_axis)
        self._follow_axis()
        buttons = QDialogButtonBox(BUTTONS.Ok | BUTTONS.Cancel, self)
        buttons.button(BUTTONS.Ok).setText(self.tr("Take"))
        buttons.button(BUTTONS.Cancel).setText(self.tr("Cancel"))
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        line = QHBoxLayout()
        line.setSpacing(SPACING.m)
        line.addWidget(self.axis, 1)
        line.addWidget(self.place, 1)
        column = QVBoxLayout(self)
        column.setSpacing(SPACING.l)
        column.addWidget(words)
        column.addLayout(line)
        column.addWidget(buttons)
        self.setMinimumWidth(scaled(WIDTH))
        self.place.setFocus()
        self.place.selectAll()

    def source(self) -> dict[str, int]:
        """The place on the axis that is chosen, by its key."""
        return {self.axis.currentData(): self.place.value()}

    def _follow_axis(self, *_: object) -> None:
        _name, count, proposed = self._axes[self.axis.currentData()]
        self.place.setRange(0, count - 1)
        self.place.setValue(proposed)
