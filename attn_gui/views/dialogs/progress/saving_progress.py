"""Progress of the writing of a session, in the status bar."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from attn_gui.views.dialogs.progress.work_line import WorkLine


class SavingProgress(WorkLine):
    """The line of a file that is written."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("saving", parent)
        self.retranslate()

    def words(self, percent: int) -> str:
        return self.tr("Saving {name}, {percent} %").format(name=self.short_name(), percent=percent)

    def cancel_words(self) -> str:
        return self.tr("Cancel the saving")
