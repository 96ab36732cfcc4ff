"""The rows of the interventions: as high as they are, up to ten; keys act on the one with the keyboard."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QListView, QWidget

from attn_gui.document.clipboard import Copied
from attn_gui.figure.tokens import SIZE
from attn_gui.views.by_hand.intervention_model import InterventionModel
from attn_gui.views.theme import scaled

ROWS_SHOWN = 10
_REMOVES = (Qt.Key.Key_Delete, Qt.Key.Key_Backspace)
_GOES = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class InterventionList(QListView):
    """Space switches a row, Enter goes to its cells, Delete removes it."""

    goRequested = Signal()
    removeRequested = Signal()
    chosen = Signal()  # another row has the keyboard

    def __init__(self, model: InterventionModel, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("list.interventions")
        self.setModel(model)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setUniformItemSizes(True)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.doubleClicked.connect(lambda _index: self.goRequested.emit())
        self.selectionModel().currentChanged.connect(lambda _now, _before: self.chosen.emit())

    @property
    def row(self) -> int:
        """The row with the keyboard; −1 for none."""
        return self.currentIndex().row()

    def choose(self, row: int) -> None:
        """Give the keyboard to a row, or to the nearest one that there is."""
        count = self.model().rowCount()
        self.setCurrentIndex(self.model().index(min(max(row, 0), count - 1), 0))

    def copied(self) -> Copied:
        """Every intervention in words."""
        model = self.model()
        lines = [[str(model.index(row, 0).data())] for row in range(model.rowCount())]
        return Copied((len(lines), 1), lambda: lines)

    def sizeHint(self) -> QSize:
        rows = min(max(self.model().rowCount(), 1), ROWS_SHOWN)
        height = max(self.sizeHintForRow(0), scaled(SIZE.table_row))
        return QSize(120, rows * height + 2 * self.frameWidth() + 2)

    def minimumSizeHint(self) -> QSize:
        return QSize(60, self.sizeHint().height())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        plain = not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if plain and event.key() in _REMOVES:
            self.removeRequested.emit()
        elif plain and event.key() in _GOES:
            self.goRequested.emit()
        else:
            super().keyPressEvent(event)
