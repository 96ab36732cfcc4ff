"""Controls above the code of a problem: to copy it, and to save it as a script."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from attn_gui.figure.tokens import SPACING
from attn_gui.views.bases.retranslated import Retranslated


class CodeControls(Retranslated, QWidget):
    """Two buttons."""

    copyRequested = Signal()
    saveRequested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._copy, self._save = QPushButton(self), QPushButton(self)
        self._copy.setObjectName("button.copy_code")
        self._save.setObjectName("button.save_code")
        self._copy.clicked.connect(self.copyRequested)
        self._save.clicked.connect(self.saveRequested)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(SPACING.s)
        row.addWidget(self._copy)
        row.addWidget(self._save)
        row.addStretch(1)
        self.retranslate()

    def retranslate(self) -> None:
        """All words in the present language."""
        self._copy.setText(self.tr("Copy the code"))
        self._copy.setToolTip(self.tr("The whole script as text, onto the clipboard"))
        self._save.setText(self.tr("Save as .py…"))
        self._save.setToolTip(self.tr("The script as a file, which prints the same numbers without this program"))
