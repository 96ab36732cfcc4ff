"""Question of what a number typed into a weight means, asked once."""

from __future__ import annotations

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
from attn_gui.views.dialogs.weight_meanings import ALONE, MEANINGS, SOLVED
from attn_gui.views.theme import dress, scaled

BUTTONS = QDialogButtonBox.StandardButton
WIDTH = 420


class WeightDialog(QDialog):
    """Three meanings, the first one proposed, and whether the answer holds from now on."""

    def __init__(self, name: str, value: str, *, solvable: bool, parent: QWidget | None = None) -> None:
        """`name` and `value` are those of the cell; `solvable`: whether a query can be looked for."""
        super().__init__(parent)
        self.setObjectName("dialog.weight")
        self.setWindowTitle(self.tr("Set {name} to {value}").format(name=name, value=value))
        intro = WrappedLabel(self)
        intro.setText(
            self.tr(
                "Softmax makes the weights of a row add up to 1, with the share of a sink. "
                "What shall become of the others?"
            )
        )
        self._group = QButtonGroup(self)
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACING.xl, SPACING.xl, SPACING.xl, SPACING.xl)
        column.setSpacing(SPACING.l)
        column.addWidget(intro)
        self.radios: dict[str, QRadioButton] = {}
        for key, text in MEANINGS.items():
            radio = self.radios[key] = QRadioButton(QCoreApplication.translate("WeightDialog", text), self)
            radio.setObjectName(f"weight.{key}")
            radio.setEnabled(solvable or key != SOLVED)
            self._group.addButton(radio)
            column.addWidget(radio)
        self.radios[ALONE].setChecked(True)
        self.remembered = QCheckBox(self.tr("Do the same from now on"), self)
        self.remembered.setObjectName("weight.remembered")
        self.remembered.setChecked(True)
        column.addWidget(self.remembered)
        hint = WrappedLabel(self)
        hint.setText(self.tr("Compute › By hand › Typing into weights asks again, or does something else."))
        dress(hint, tone="text2")
        column.addWidget(hint)
        buttons = QDialogButtonBox(BUTTONS.Ok | BUTTONS.Cancel, self)
        buttons.button(BUTTONS.Ok).setText(self.tr("Set"))
        buttons.button(BUTTONS.Cancel).setText(self.tr("Cancel"))
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        column.addWidget(buttons)
        self.setMinimumWidth(scaled(WIDTH))
        self.radios[ALONE].setFocus()

    def meaning(self) -> str:
        """The chosen key of MEANINGS."""
        return next(key for key, radio in self.radios.items() if radio.isChecked())
