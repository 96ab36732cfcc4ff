"""The place of one part of a problem: a list of arrays to pick from, onto which one can be dropped."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QComboBox, QWidget

from attn_gui.formats.base import Listed
from attn_gui.views.bases.retranslated import Retranslated
from attn_gui.views.controls.choice_box import ChoiceBox
from attn_gui.views.dialogs.arrays.arrays_model import ARRAY_MIME, part_symbol
from attn_gui.views.theme import scaled

NONE = ""
SHORTEST = 8  # letters of a name that are always seen


class ArraySlot(Retranslated, ChoiceBox):
    """`picked` carries the name of the array, empty for none."""

    def __init__(self, role: str, arrays: Sequence[Listed], parent: QWidget | None = None) -> None:
        super().__init__((NONE, *(array.name for array in arrays)), parent)
        self.role = role
        self.setObjectName(f"arrays.{role}")
        self.setAcceptDrops(True)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(SHORTEST)
        self.view().setMinimumWidth(scaled(280))
        self.retranslate()

    def array(self) -> str:
        """The name of the chosen array; empty where there is none."""
        return str(self.currentData() or NONE)

    def retranslate(self) -> None:
        """Words in the present language."""
        self.set_words({NONE: self.tr("none")})
        self.setAccessibleName(part_symbol(self.role))

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if event.mimeData().hasFormat(ARRAY_MIME):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        name = bytes(event.mimeData().data(ARRAY_MIME).data()).decode()
        place = self.findData(name)
        if place >= 0:
            self.setCurrentIndex(place)
            event.acceptProposedAction()
