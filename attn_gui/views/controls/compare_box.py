"""The choice which of two states is shown: now, before, their difference, or both beside a bar."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import QWidget

from attn_gui.figure.comparing.states import MODES, NOW
from attn_gui.views.controls.choice_box import ChoiceBox


class CompareBox(ChoiceBox):
    """`control.compare`: without a state to compare with only the present one can be chosen."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(MODES, parent)
        self.setObjectName("control.compare")
        self._available = False
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)  # Tab passes the tool bar, whose actions have keys of their own
        self.setSizeAdjustPolicy(self.SizeAdjustPolicy.AdjustToContents)
        self.retranslate()

    def set_available(self, available: bool) -> None:
        """Whether there is something to compare with."""
        self._available = available
        model = self.model()
        assert isinstance(model, QStandardItemModel)
        for mode in MODES:
            item = model.item(self.findData(mode))
            item.setEnabled(available or mode == NOW)
            item.setData(None if item.isEnabled() else self._why(), Qt.ItemDataRole.ToolTipRole)
        self.setToolTip(self.accessibleName() if available else self._why())

    def retranslate(self) -> None:
        """All words in the present language."""
        words = (self.tr("Now"), self.tr("Before"), self.tr("Difference"), self.tr("Split"))
        self.set_words(dict(zip(MODES, words, strict=True)))
        self.setAccessibleName(self.tr("State on show"))
        self.set_available(self._available)

    def _why(self) -> str:
        return self.tr("Nothing to compare with: pin a state first, or choose one in the menu Compare")
