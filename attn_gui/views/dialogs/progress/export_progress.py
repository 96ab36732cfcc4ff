"""Progress of an export, in the status bar."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from attn_gui.views.dialogs.progress.work_line import WorkLine


class ExportProgress(WorkLine):
    """The line of an export."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("export", parent)
        self.retranslate()

    def words(self, percent: int) -> str:
        return self.tr("Exporting, {percent} %").format(percent=percent)

    def busy_words(self) -> str:
        """Words for a second export that is asked for meanwhile."""
        return self.tr("An export is still being written: wait, or cancel it.")

    def cancel_words(self) -> str:
        return self.tr("Cancel the export")
