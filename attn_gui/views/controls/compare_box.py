"""The choice what is shown: the state now, the one before, their difference, both beside a bar, or a gradient."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import QWidget

from attn_gui.modes import BEFORE, GRADIENT, NOW, STATES
from attn_gui.views.controls.choice_box import ChoiceBox


class CompareBox(ChoiceBox):
    """`control.compare`: without a state to compare with only the present one can be chosen, and its gradient."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__((*STATES, GRADIENT), parent)
        self.setObjectName("control.compare")
        self._offered = dict.fromkeys((*STATES, GRADIENT), False) | {NOW: True}
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)  # Tab passes the tool bar, whose actions have keys of their own
        self.retranslate()

    def set_offered(self, *, compared: bool, gradient: bool) -> None:
        """Whether there is something to compare with, and a cell of which a gradient can be taken."""
        offered = dict.fromkeys(STATES, compared) | {NOW: True, GRADIENT: gradient}
        if offered != self._offered:  # else the tool bar would be laid out again at every click on a cell
            self._offered = offered
            self._show_offered()

    def _show_offered(self) -> None:
        model = self.model()
        assert isinstance(model, QStandardItemModel)
        for mode, offered in self._offered.items():
            item = model.item(self.findData(mode))
            item.setEnabled(offered)
            item.setData(None if offered else self._why(mode), Qt.ItemDataRole.ToolTipRole)
        self.setToolTip(self.accessibleName() if self._offered[BEFORE] else self._why(BEFORE))

    def retranslate(self) -> None:
        """All words in the present language."""
        words = (self.tr("Now"), self.tr("Before"), self.tr("Difference"), self.tr("Split"), self.tr("Gradient"))
        self.set_words(dict(zip((*STATES, GRADIENT), words, strict=True)))
        self.setAccessibleName(self.tr("State on show"))
        self._show_offered()

    def _why(self, mode: str) -> str:
        if mode == GRADIENT:
            return self.tr("Choose a cell of a map first; not during an exercise")
        return self.tr("Nothing to compare with: pin a state first, or choose one in the menu Compare")
