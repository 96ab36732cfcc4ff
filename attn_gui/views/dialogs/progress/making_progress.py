"""Progress of the making of new numbers, in the status bar."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from attn_gui.views.dialogs.progress.work_line import WorkLine


class MakingProgress(WorkLine):
    """The line of a change that takes a while."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("making", parent)
        self.retranslate()

    def words(self, percent: int) -> str:
        return self.tr("{step}, {percent} %").format(step=self.short_name(), percent=percent)

    def cancel_words(self) -> str:
        return self.tr("Cancel the change")
