"""The panel of past steps at the right: folded in a low column, height of its lists, “What moved A[3, 2] most”."""

from __future__ import annotations

from collections.abc import Sequence, Set

from PySide6.QtCore import QEvent, QModelIndex, QObject, QSize, Signal
from PySide6.QtGui import QKeySequence, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from attn_gui.figure.design_tokens import SPACING
from attn_gui.views.history_list import CollapsibleHeader, HistoryModel, StepDelegate, StepList
from attn_gui.views.snapshots import SnapshotList, SnapshotModel, SnapshotRow, SnapshotsView
from attn_gui.views.theme import scaled, style_text
from attn_gui.views.widgets import CloseButton, MenuZone, Retranslated, arrange, set_name


class BlameView(Retranslated, QWidget):
    """Which steps of the history moved the chosen cell most, a row for each, with a cross that closes it."""

    stepRequested = Signal(int)  # the row

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("blame")
        self._model = SnapshotModel(self)
        self._title, self._close, self._list = QLabel(self), CloseButton(self), SnapshotList(self)
        self._list.setObjectName("blame.list")
        self._list.setModel(self._model)
        self._title.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        style_text(self._title, "body", "text2")
        self._close.clicked.connect(self.hide)
        self._list.activated.connect(lambda index: self.stepRequested.emit(index.row()))
        self._list.clicked.connect(lambda index: self.stepRequested.emit(index.row()))
        head = arrange(QHBoxLayout(), (self._title, 1), self._close)
        arrange(QVBoxLayout(self), head, self._list, margins=0, spacing=SPACING.xs)
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
        set_name(self._close, self.tr("Close"))


FOLDED_BELOW = 600  # pixels of the column that it shares with the explanation


class HistoryView(MenuZone):
    """The history: its steps, which fold away in a low column, those to blame for a cell, and the snapshots."""

    stepRequested = Signal(int)  # the index of the undo stack to go to
    listed = Signal()  # the steps are taken anew, once the maps have been painted for the last

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("history")
        self.model = HistoryModel(self)
        self._title, self._hint = CollapsibleHeader(self), QLabel(self)
        self._title.setObjectName("history.fold")
        self._by_hand = False  # folded or not as a person wants it, whatever the height
        self._steps, self._shown = StepList(self), QSize()
        self._steps.setObjectName("history.steps")
        self._steps.setModel(self.model)
        self._steps.setItemDelegate(StepDelegate(self._steps))
        self._steps.activated.connect(self._on_steps_activated)
        self._steps.clicked.connect(self._on_steps_activated)
        self.model.modelReset.connect(self._on_model_reset)
        self._title.clicked.connect(self._on_title_clicked)
        self.blame, self.snapshots = BlameView(self), SnapshotsView(self)
        policy = self.snapshots.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self.snapshots.setSizePolicy(policy)
        self._build()
        self.retranslate()
        if parent is not None:
            parent.installEventFilter(self)

    def set_parts(self, shown: Set[str]) -> None:
        """Leave out the snapshots, whose room stays, so that the steps stand where they do with them."""
        self.snapshots.setVisible("snapshots" in shown)

    def retranslate(self) -> None:
        """Set the words anew, in the present language; the steps are read again."""
        self._title.setText(self.tr("History"))
        self._title.setAccessibleName(self.tr("History"))
        self._title.setToolTip(self.tr("Show or fold away the steps so far"))
        self._hint.setText(QKeySequence(QKeySequence.StandardKey.Undo).toString(QKeySequence.SequenceFormat.NativeText))
        self._steps.setAccessibleName(self.tr("History"))
        self._steps.setWhatsThis(
            self.tr("Every change so far, the last below: a click goes back to one, or forward again")
        )
        self.model.read()

    def _build(self) -> None:
        head = arrange(QHBoxLayout(), (self._title, 1), self._hint)
        arrange(QVBoxLayout(self), head, self._steps, self.blame, self.snapshots, margins=0, spacing=SPACING.m)
        style_text(self._hint, "small", "text3")

    def _on_title_clicked(self, folded: bool) -> None:
        self._by_hand = True
        self._set_folded(folded)

    def _set_folded(self, folded: bool) -> None:
        self._title.setChecked(folded)
        self._steps.setVisible(not folded)

    def _on_model_reset(self) -> None:
        hint = self._steps.sizeHint()
        if hint != self._shown:  # else the whole window would be laid out after each edit
            self._shown = hint
            self._steps.updateGeometry()
        current = self.model.index(self.model.current_row())
        self._title.present = str(current.data())
        self._title.update()
        self._steps.setCurrentIndex(current)
        self._steps.scrollTo(current)
        self.listed.emit()

    def _on_steps_activated(self, index: QModelIndex) -> None:
        if index.row() != self.model.current_row():
            self.stepRequested.emit(index.row())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QResizeEvent) and watched is self.parent():
            low = event.size().height() < scaled(FOLDED_BELOW)
            self.snapshots.set_low(low)
            if not self._by_hand:
                self._set_folded(low)
        return super().eventFilter(watched, event)
