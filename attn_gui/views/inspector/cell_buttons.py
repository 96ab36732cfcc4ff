"""Buttons below the explanation of a cell: its equations as one, copies of them, a target."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton, QWidget

from attn_gui.figure.tokens import SPACING
from attn_gui.views.bases.retranslated import Retranslated
from attn_gui.views.inspector.links import FlowLayout
from attn_gui.views.words.tip import set_tip


class CellButtons(Retranslated, QWidget):
    """Ask for copies and a target; say whether one equation is wanted where there is one."""

    copyRequested = Signal(str)  # "text" or "latex", "query_text" or "query_latex" for the one equation
    targetRequested = Signal()
    oneClicked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._one, self._target = QPushButton(self), QPushButton(self)
        self._copies = {kind: QPushButton(self) for kind in ("text", "latex")}
        self._one.setCheckable(True)
        self._one.setObjectName("inspector.one_equation")
        flow = FlowLayout(self, between=SPACING.s)
        for button in self.buttons():
            flow.addWidget(button)
        self._one.clicked.connect(self.oneClicked)
        self._target.clicked.connect(self.targetRequested)
        for kind, button in self._copies.items():
            button.clicked.connect(lambda _=False, kind=kind: self._ask_to_copy(kind))
        self.retranslate()

    def set_one_offered(self, offered: bool) -> None:
        """Whether there is one equation for the whole query."""
        self._one.setVisible(offered)

    def set_target_offered(self, offered: bool) -> None:
        """Whether the explained cell can be given a target."""
        self._target.setVisible(offered)

    @property
    def one(self) -> bool:
        """Whether the one equation is offered and wanted."""
        return self._one.isChecked() and not self._one.isHidden()

    def buttons(self) -> tuple[QPushButton, ...]:
        """All of them in order."""
        return self._one, *self._copies.values(), self._target

    def retranslate(self) -> None:
        """All words in the present language."""
        self._one.setText(self.tr("As one equation"))
        self._copies["text"].setText(self.tr("Copy text"))
        self._copies["latex"].setText(self.tr("Copy LaTeX"))
        self._target.setText(self.tr("Set to…"))
        set_tip(self._one, self.tr("All steps of this query in one equation, such as a = softmax(q Kᵀ / √dₖ)"))
        set_tip(self._copies["text"], self.tr("Copy the equations on show, with their numbers, as plain text"))
        set_tip(self._copies["latex"], self.tr("Copy the equations on show, with their numbers, as LaTeX"))
        set_tip(self._target, self.tr("Give this cell another number: what Q, K, V or X have to be for it is solved"))

    def _ask_to_copy(self, kind: str) -> None:
        self.copyRequested.emit(f"query_{kind}" if self.one else kind)
