"""Progress of the reading of a matrix, in the status bar."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from attn_gui.views.dialogs.progress.work_line import WorkLine


class ReadingProgress(WorkLine):
    """The line of a text or a file of one matrix."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("reading", parent)
        self.retranslate()

    def words(self, percent: int) -> str:
        return self.tr("Reading {name}, {percent} %").format(name=self.short_name(), percent=percent)

    def cancel_words(self) -> str:
        return self.tr("Cancel the reading")
