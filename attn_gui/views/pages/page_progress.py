"""Progress line of a page that takes a while to be computed."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QWidget

from attn_gui.views.dialogs.progress.work_line import WorkLine


class PageProgress(WorkLine):
    """Says how much of the page is computed; its button stops that."""

    def __init__(self, page: str, parent: QWidget | None = None) -> None:
        super().__init__(f"page.{page}", parent)
        self.retranslate()

    def sizeHint(self) -> QSize:
        """As high as its button: no status bar has to keep its height here."""
        return super().sizeHint().expandedTo(self.cancel.sizeHint())

    def words(self, percent: int) -> str:
        return self.tr("Computing the page, {percent} %").format(percent=percent)

    def cancel_words(self) -> str:
        return self.tr("Stop computing the page")
