"""Keeps the evaluation of the open document up to date: the step between an edit and whatever shows numbers."""

from __future__ import annotations

import time

from PySide6.QtCore import QObject, Signal

from attn_gui.document.document import Change, Document
from attn_gui.engine import Evaluation


class Computation(QObject):
    """Follows the document. An edit of cells recomputes what it reaches, any other change everything."""

    rebuilt = Signal(bool)  # a new evaluation is there; True: of another document
    updated = Signal(object)  # Recomputed: the boxes of every stage that hold new numbers

    def __init__(self, document: Document, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self.evaluation = Evaluation(document.problem)
        self.seconds = 0.0
        document.changed.connect(self._on_document_changed)

    def _on_document_changed(self, change: Change) -> None:
        boxes = {field: cells for field, cells in change.fields.items() if cells is not None}
        if change.opened or len(boxes) < len(change.fields):
            start = time.perf_counter()
            self.evaluation = Evaluation(self._document.problem)
            self.seconds = time.perf_counter() - start
            self.rebuilt.emit(change.opened)
        elif boxes:
            recomputed = self.evaluation.update(self._document.problem, boxes)
            self.seconds = recomputed.seconds
            self.updated.emit(recomputed)
