"""Question of what a number typed into a weight means."""

from __future__ import annotations

from collections.abc import Container

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import (
    QButtonGroup,
    QCheckBox,
    QDialog,
    QDialogButtonBox,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

from attn_gui.figure.tokens import SPACING
from attn_gui.views.bases.wrapped_label import WrappedLabel
from attn_gui.views.dialogs.asking import BUTTONS
from attn_gui.views.dialogs.weight_meanings import MEANINGS, WITH_SINK
from attn_gui.views.theme import dress, scaled

WEIGHT_WIDTH = 420


class WeightDialog(QDialog):
    """Three meanings, the first possible one chosen, and a box to tick where the answer holds from now on."""

    def __init__(
        self, name: str, value: str, meanings: Container[str], *, sink: bool, parent: QWidget | None = None
    ) -> None:
        """`name` and `value` are those of the cell, `meanings` the keys that are possible; `sink`: it has a share."""
        super().__init__(parent)
        self.setObjectName("dialog.weight")
        self.setWindowTitle(self.tr("Set {name} to {value}").format(name=name, value=value))
        intro = WrappedLabel(self)
        intro.setText(
            self.tr(
                "The softmax gives a row of weights that adds up to 1, together with the share of the sink. "
                "What should happen to the other weights?"
            )
            if sink
            else self.tr(
                "The softmax gives a row of weights that adds up to 1. What should happen to the other weights?"
            )
        )
        self._group = QButtonGroup(self)
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACING.xl, SPACING.xl, SPACING.xl, SPACING.xl)
        column.setSpacing(SPACING.l)
        column.addWidget(intro)
        self.radios: dict[str, QRadioButton] = {}
        for key, text in (WITH_SINK if sink else MEANINGS).items():
            radio = self.radios[key] = QRadioButton(QCoreApplication.translate("WeightDialog", text), self)
            radio.setObjectName(f"weight.{key}")
            radio.setEnabled(key in meanings)
            self._group.addButton(radio)
            column.addWidget(radio)
        first = next(key for key in MEANINGS if key in meanings)
        self.radios[first].setChecked(True)
        self.remembered = QCheckBox(self.tr("Do the same from now on"), self)
        self.remembered.setObjectName("weight.remembered")
        column.addWidget(self.remembered)
        hint = WrappedLabel(self)
        hint.setText(
            self.tr("To be asked again, or to choose another meaning: Compute › By hand › Typing into weights.")
        )
        dress(hint, tone="text2")
        column.addWidget(hint)
        buttons = QDialogButtonBox(BUTTONS.Ok | BUTTONS.Cancel, self)
        buttons.button(BUTTONS.Ok).setText(self.tr("Set"))
        buttons.button(BUTTONS.Cancel).setText(self.tr("Cancel"))
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        column.addWidget(buttons)
        self.setMinimumWidth(scaled(WEIGHT_WIDTH))
        self.radios[first].setFocus()

    def meaning(self) -> str:
        """The chosen key of MEANINGS."""
        return next(key for key, radio in self.radios.items() if radio.isChecked())
