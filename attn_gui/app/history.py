"""The list of steps on the right: where one is in the history, and going elsewhere in it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject

from attn_gui.document.document import Change, Document
from attn_gui.views.main_window import MainWindow


class HistoryController(QObject):
    """Ties the history view to the document's undo stack."""

    def __init__(self, window: MainWindow, document: Document) -> None:
        super().__init__(window)
        self._view, self._document = window.history, document
        self._view.set_stack(document.stack)
        self._view.stepRequested.connect(document.stack.setIndex)
        document.changed.connect(self._on_document_changed)
        window.installEventFilter(self)
        self.show_origin()

    def show_origin(self) -> None:
        self._view.set_origin(self.tr("Opened {name}").format(name=self._document.name))

    def _on_document_changed(self, change: Change) -> None:
        if change.opened:
            self.show_origin()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LanguageChange:
            self.show_origin()
        return super().eventFilter(watched, event)
