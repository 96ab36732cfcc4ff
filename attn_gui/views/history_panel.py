"""The steps so far as a list: the present one is marked, a click goes to any of them."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import (
    QEvent,
    QModelIndex,
    QObject,
    QSize,
    Signal,
)
from PySide6.QtGui import QKeySequence, QResizeEvent, QUndoStack
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QVBoxLayout,
    QWidget,
)

from attn_gui.figure.tokens import SPACING
from attn_gui.views.history.blame_view import BlameView
from attn_gui.views.history.fold import Fold
from attn_gui.views.history.history_model import HistoryModel
from attn_gui.views.history.snapshots_view import SnapshotsView
from attn_gui.views.history.step_list import StepDelegate, StepList
from attn_gui.views.theme import dress, scaled

FOLDED_BELOW = 600  # pixels of the column that it shares with the explanation


class HistoryView(QWidget):
    """Title, the key that undoes, and the steps; in a low column the steps fold away until they are asked for."""

    stepRequested = Signal(int)  # the index of the undo stack to go to
    listed = Signal()  # the steps are taken anew, once the maps have been painted for the last

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("history")
        self._model = HistoryModel(self)
        self._title, self._hint = Fold(self), QLabel(self)
        self._title.setObjectName("history.fold")
        self._by_hand = False  # folded or not as a person wants it, whatever the height
        self._steps, self._shown = StepList(self), QSize()
        self._steps.setObjectName("history.steps")
        self._steps.setModel(self._model)
        self._steps.setItemDelegate(StepDelegate(self._steps))
        self._steps.activated.connect(self._on_steps_activated)
        self._steps.clicked.connect(self._on_steps_activated)
        self._model.modelReset.connect(self._on_model_reset)
        self._title.clicked.connect(self._on_title_clicked)
        self.blame, self.snapshots = BlameView(self), SnapshotsView(self)
        self._build()
        self.retranslate()
        if parent is not None:
            parent.installEventFilter(self)

    def set_stack(self, stack: QUndoStack | None) -> None:
        """The stack whose steps are listed; it is only read."""
        self._model.set_stack(stack)

    def set_tells(self, tells: Mapping[int, tuple[str, str]]) -> None:
        """Set, by the row of the step, the name of the chosen cell and what the step moved of it."""
        self._model.set_tells(tells)

    def set_origin(self, text: str) -> None:
        """Set the words of the first row: how the document came to be."""
        self._model.set_origin(text)

    def retranslate(self) -> None:
        """Words in the present language; the steps are read again."""
        self._title.setText(self.tr("History"))
        self._title.setAccessibleName(self.tr("History"))
        self._title.setToolTip(self.tr("Show or fold away the steps so far"))
        self._hint.setText(QKeySequence(QKeySequence.StandardKey.Undo).toString(QKeySequence.SequenceFormat.NativeText))
        self._steps.setAccessibleName(self.tr("History"))
        self._steps.setWhatsThis(
            self.tr("Every change so far, the last below: a click goes back to one, or forward again")
        )
        self._model.read()

    def _build(self) -> None:
        head = QHBoxLayout()
        head.addWidget(self._title, 1)
        head.addWidget(self._hint)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACING.m)
        column.addLayout(head)
        column.addWidget(self._steps)
        column.addWidget(self.blame)
        column.addWidget(self.snapshots)
        dress(self._hint, "small", "text3")

    def _on_title_clicked(self, folded: bool) -> None:
        self._by_hand = True
        self._set_folded(folded)

    def _set_folded(self, folded: bool) -> None:
        self._title.setChecked(folded)
        self._steps.setVisible(not folded)

    def _on_model_reset(self) -> None:
        if self._steps.sizeHint() != self._shown:  # else the whole window would be laid out after each edit
            self._shown = self._steps.sizeHint()
            self._steps.updateGeometry()
        current = self._model.index(self._model.current_row())
        self._title.present = str(current.data())
        self._title.update()
        self._steps.setCurrentIndex(current)
        self._steps.scrollTo(current)
        self.listed.emit()

    def _on_steps_activated(self, index: QModelIndex) -> None:
        if index.row() != self._model.current_row():
            self.stepRequested.emit(index.row())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QResizeEvent) and watched is self.parent():
            low = event.size().height() < scaled(FOLDED_BELOW)
            self.snapshots.set_low(low)
            if not self._by_hand:
                self._set_folded(low)
        return super().eventFilter(watched, event)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        elif event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._steps.updateGeometry()
        super().changeEvent(event)
