"""Progress of the search for the step that moved a cell most, in the status bar."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from attn_gui.views.dialogs.progress.work_line import WorkLine


class BlameProgress(WorkLine):
    """The line of a search through the history."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("blaming", parent)
        self.retranslate()

    def words(self, percent: int) -> str:
        return self.tr("What moved {name}, {percent} %").format(name=self.short_name(), percent=percent)

    def cancel_words(self) -> str:
        return self.tr("Cancel")
