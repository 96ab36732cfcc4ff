"""Progress of the fit of a kernel, in the status bar."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from attn_gui.views.dialogs.progress.work_line import WorkLine


class FittingProgress(WorkLine):
    """The line of a fit."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("fitting", parent)
        self.retranslate()

    def words(self, percent: int) -> str:
        return self.tr("Fitting {name}, {percent} %").format(name=self.short_name(), percent=percent)

    def cancel_words(self) -> str:
        return self.tr("Cancel the fit")
