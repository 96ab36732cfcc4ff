"""The choice behind a color bar: where the levels come from, and which colors."""

from __future__ import annotations

import math

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QComboBox,
    QFormLayout,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

from attn_gui.figure.colors import LUT_NAMES
from attn_gui.figure.display import Levels
from attn_gui.figure.tokens import SPACING
from attn_gui.views.heatmaps.levels import AUTO, LOCKED, MOST, POLICIES, TYPED
from attn_gui.views.theme import restyle, scaled


class LevelsPopup(QFrame):
    """Closes by itself; every choice takes effect at once."""

    levelsPicked = Signal(str, object)
    paletteChosen = Signal(object)

    def __init__(self, policy: str, levels: Levels, palette: str, parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setObjectName("levels.popup")
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self._policies = QButtonGroup(self)
        self._low, self._high = self._edit(self.tr("Lowest value"), levels.low), self._edit(
            self.tr("Highest value"), levels.high)
        self._palette = QComboBox(self)
        self._build(policy, palette)

    def _build(self, policy: str, palette: str) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(*[scaled(SPACING.l)] * 4)
        column.setSpacing(scaled(SPACING.s))
        for key, text in self._policy_texts().items():
            button = QRadioButton(text, self)
            button.setObjectName(f"levels.{key}")
            button.setChecked(key == policy)
            self._policies.addButton(button, POLICIES.index(key))
            column.addWidget(button)
            if key == TYPED:
                column.addLayout(self._typed_row())
        self._policies.idClicked.connect(self._on_policies_id_clicked)
        self._fill_palettes(palette)
        form = QFormLayout()
        form.addRow(self.tr("Colors"), self._palette)
        column.addLayout(form)

    def _policy_texts(self) -> dict[str, str]:
        return {
            AUTO: self.tr("Automatic"),
            MOST: self.tr("Automatic for 99 % of the values"),
            TYPED: self.tr("From – to"),
            LOCKED: self.tr("Locked as they are"),
        }

    def _typed_row(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setContentsMargins(scaled(SPACING.xxl), 0, 0, 0)
        for widget in (self._low, QLabel("…", self), self._high):
            row.addWidget(widget)
        return row

    def _edit(self, name: str, value: float) -> QLineEdit:
        edit = QLineEdit(f"{value:.6g}", self)
        edit.setAccessibleName(name)
        edit.setMaximumWidth(scaled(88))
        edit.textEdited.connect(self._on_edit_text_edited)
        return edit

    def _fill_palettes(self, palette: str) -> None:
        self._palette.setAccessibleName(self.tr("Colors"))
        self._palette.setObjectName("levels.palette")
        titles = {"signed": self.tr("Blue – orange"), "weights": self.tr("Green – navy"), "grey": self.tr("Grey")}
        for name in LUT_NAMES:
            self._palette.addItem(titles.get(name, name.capitalize() if name.islower() else name), name)
        self._palette.setCurrentIndex(self._palette.findData(palette))
        self._palette.activated.connect(self._on_palette_activated)

    def _on_policies_id_clicked(self, position: int) -> None:
        if POLICIES[position] == TYPED:
            self._on_edit_text_edited()
            self._low.setFocus(Qt.FocusReason.OtherFocusReason)
            self._low.selectAll()
        else:
            self.levelsPicked.emit(POLICIES[position], None)

    def _on_edit_text_edited(self) -> None:
        self._policies.button(POLICIES.index(TYPED)).setChecked(True)
        low, high = _number(self._low.text()), _number(self._high.text())
        right = math.isfinite(low) and math.isfinite(high) and low < high
        for edit in (self._low, self._high):
            edit.setProperty("wrong", "false" if right else "true")
            restyle(edit)
        if right:
            self.levelsPicked.emit(TYPED, Levels(low, high))

    def _on_palette_activated(self, position: int) -> None:
        self.paletteChosen.emit(self._palette.itemData(position))


def _number(text: str) -> float:
    """The number typed, NaN for none; a true minus sign counts as one."""
    try:
        return float(text.strip().replace("−", "-"))
    except ValueError:
        return math.nan
