"""How far the reading of a file is, in the status bar."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from attn_gui.views.dialogs.work_line import WorkLine

LETTERS = 30  # of a name, at most


class OpeningProgress(WorkLine):
    """The line of a file that is read."""

    def __init__(self, parent: QWidget | None = None) -> None:
        self._name = ""
        super().__init__("opening", parent)
        self.retranslate()

    def set_name(self, name: str) -> None:
        """Which file."""
        self._name = name

    def words(self, percent: int) -> str:
        metrics = self.fontMetrics()
        width = LETTERS * metrics.averageCharWidth()
        name = metrics.elidedText(self._name, Qt.TextElideMode.ElideMiddle, width)
        return self.tr("Opening {name}, {percent} %").format(name=name, percent=percent)

    def cancel_words(self) -> str:
        return self.tr("Cancel the opening")
