"""Progress of a snapshot that is put together, in the status bar."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from attn_gui.views.dialogs.progress.work_line import WorkLine


class FetchingProgress(WorkLine):
    """The line of a large snapshot."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("fetching", parent)
        self.retranslate()

    def words(self, percent: int) -> str:
        return self.tr("Snapshot {name}, {percent} %").format(name=self.short_name(), percent=percent)

    def cancel_words(self) -> str:
        return self.tr("Cancel")
