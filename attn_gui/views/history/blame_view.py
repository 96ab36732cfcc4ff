"""The steps that moved the chosen cell, the one that moved it most on top."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from attn_gui.figure.tokens import SPACING
from attn_gui.views.bases.retranslated import Retranslated
from attn_gui.views.history.snapshot_list import SnapshotList
from attn_gui.views.history.snapshot_model import SnapshotModel, SnapshotRow
from attn_gui.views.icons import icon
from attn_gui.views.theme import dress


class BlameView(Retranslated, QWidget):
    """A title with a cross, and below it a row a step: its share, its name, by how much it moved the cell."""

    stepRequested = Signal(int)  # the row

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("blame")
        self._model = SnapshotModel()
        self._model.setParent(self)
        self._title, self._close, self._list = QLabel(self), QToolButton(self), SnapshotList(self)
        self._list.setObjectName("blame.list")
        self._list.setModel(self._model)
        self._title.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        dress(self._title, "body", "text2")
        self._close.setIcon(icon("close"))
        self._close.setAutoRaise(True)
        self._close.clicked.connect(self.hide)
        self._list.activated.connect(lambda index: self.stepRequested.emit(index.row()))
        self._list.clicked.connect(lambda index: self.stepRequested.emit(index.row()))
        head = QHBoxLayout()
        head.addWidget(self._title, 1)
        head.addWidget(self._close)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACING.xs)
        column.addLayout(head)
        column.addWidget(self._list)
        self.retranslate()
        self.hide()

    def set_ranking(self, cell: str, rows: Sequence[tuple[str, str]]) -> None:
        """Set the name of the cell, and of every step what is said of it and by how much it moved the cell."""
        self._title.setText(self.tr("What moved {cell} most").format(cell=cell))
        self._title.setToolTip(
            self.tr("All other steps done as they were, each step left out alone: {cell} is computed again").format(
                cell=cell
            )
        )
        self._list.setAccessibleName(self._title.text())
        self._model.set_rows([SnapshotRow(*row) for row in rows])
        self._list.updateGeometry()
        self.show()

    def retranslate(self) -> None:
        """All words in the present language."""
        self._close.setAccessibleName(self.tr("Close"))
        self._close.setToolTip(self.tr("Close"))
