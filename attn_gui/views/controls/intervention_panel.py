"""List of changes by hand: a tick for each, Show its cells, Do it to all heads, Remove."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import QAbstractListModel, QModelIndex, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QListView,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from attn_gui.document.clipboard import CopiedCells
from attn_gui.document.matrix_model import Index
from attn_gui.figure.design_tokens import SIZE, SPACING
from attn_gui.views.controls.popup_frame import PopupFrame
from attn_gui.views.text_views import WrappedLabel
from attn_gui.views.theme import icon, scaled, style_text
from attn_gui.views.widgets import Retranslated, arrange, plain_tip, set_name


class InterventionRow(NamedTuple):
    """A change in words, whether it is on (None: it has no switch), and whether it could be done to more heads."""

    text: str
    enabled: bool | None
    spreads: bool


class InterventionModel(QAbstractListModel):
    """Lists what is changed by hand; a tick that is clicked is only signaled, the owner of the lines carries it out."""

    switched = Signal(int, bool)  # a row of the list, and whether it is on

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.lines: tuple[InterventionRow, ...] = ()

    def set_lines(self, lines: Sequence[InterventionRow]) -> None:
        """Show these lines; rows that stay keep the keyboard."""
        before, self.lines = self.lines, tuple(lines)
        if len(before) != len(self.lines):
            self.beginResetModel()
            self.endResetModel()
        elif self.lines:
            self.dataChanged.emit(self.index(0), self.index(len(self.lines) - 1))

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008  Qt's own signature
        return 0 if parent.isValid() else len(self.lines)

    def flags(self, index: Index) -> Qt.ItemFlag:
        switched = index.isValid() and self.lines[index.row()].enabled is not None
        return super().flags(index) | Qt.ItemFlag.ItemIsUserCheckable if switched else super().flags(index)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        line = self.lines[index.row()]
        if role == Qt.ItemDataRole.CheckStateRole and line.enabled is not None:
            return Qt.CheckState.Checked if line.enabled else Qt.CheckState.Unchecked
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip(line.text)
        return line.text if role == Qt.ItemDataRole.DisplayRole else None

    def setData(self, index: Index, value: object, role: int = Qt.ItemDataRole.EditRole) -> bool:
        if role != Qt.ItemDataRole.CheckStateRole or not index.isValid():
            return False
        self.switched.emit(index.row(), Qt.CheckState(value) == Qt.CheckState.Checked)
        return True


ROWS_SHOWN = 10
_REMOVES = (Qt.Key.Key_Delete, Qt.Key.Key_Backspace)
_GOES = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class InterventionList(QListView):
    """The list of what is changed by hand: Space switches a row, Enter goes to its cells, Delete removes it."""

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
        self.doubleClicked.connect(self.goRequested)
        self.selectionModel().currentChanged.connect(self.chosen)

    @property
    def row(self) -> int:
        """The row with the keyboard; −1 for none."""
        return self.currentIndex().row()

    def choose(self, row: int) -> None:
        """Give the keyboard to a row, or to the nearest one."""
        count = self.model().rowCount()
        self.setCurrentIndex(self.model().index(min(max(row, 0), count - 1), 0))

    def copied(self) -> CopiedCells:
        """Return every intervention in words."""
        model = self.model()
        lines = [[str(model.index(row, 0).data())] for row in range(model.rowCount())]
        return CopiedCells((len(lines), 1), lambda: lines)

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


WIDTH = 380


class InterventionPanel(Retranslated, PopupFrame):
    """Popup that lists what is changed by hand, each with a switch; its buttons act on the current row."""

    switched = Signal(int, bool)  # a row of the list, and whether it is on
    goRequested = Signal(int)  # a row
    removeRequested = Signal(int)  # a row
    allHeadsRequested = Signal(int)  # a row
    clearRequested = Signal()
    opened = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(WIDTH, parent)
        self.setObjectName("panel.interventions")
        self._title, self._none, self._hint = QLabel(self), WrappedLabel(self), WrappedLabel(self)
        self._model = InterventionModel(self)
        self.list = InterventionList(self._model, self)
        self._close = QToolButton(self)
        self.go, self.all_heads = QPushButton(self), QPushButton(self)
        self.remove, self.remove_all = QPushButton(self), QPushButton(self)
        self._model.switched.connect(self.switched)
        self.list.chosen.connect(self._offer)
        for button, asked in ((self.go, self.goRequested), (self.all_heads, self.allHeadsRequested)):
            button.clicked.connect(lambda _=False, asked=asked: asked.emit(self.list.row))
        self.remove.clicked.connect(lambda: self.removeRequested.emit(self.list.row))
        self.remove_all.clicked.connect(self.clearRequested)
        self.list.goRequested.connect(self.go.click)
        self.list.removeRequested.connect(self.remove.click)
        self._close.clicked.connect(self.close_panel)
        self._build()
        self.retranslate()
        self.hide()

    def set_lines(self, lines: Sequence[InterventionRow]) -> None:
        """Show these interventions, in order."""
        row = self.list.row
        held = self.list.hasFocus()
        self._model.set_lines(lines)
        for widget in (self.list, self._hint, self.go, self.all_heads, self.remove, self.remove_all):
            widget.setVisible(bool(lines))
        self._none.setVisible(not lines)
        if lines:
            self.list.choose(row)
        elif held:
            self._close.setFocus(Qt.FocusReason.OtherFocusReason)
        self.list.updateGeometry()
        self._offer()
        self.fit()

    def retranslate(self) -> None:
        self.setAccessibleName(self.tr("Changed by hand"))
        self.list.setAccessibleName(self.tr("Changed by hand"))
        self._title.setText(self.tr("Changed by hand"))
        self._none.setText(
            self.tr(
                "Every number is as computed. Choose a cell of any map and press F2 to type into it, or switch a head "
                "off in its menu."
            )
        )
        self._hint.setText(self.tr("What follows reads the changed cells; one whose box is not ticked is as computed."))
        self.go.setText(self.tr("Show its cells"))
        self.all_heads.setText(self.tr("Do it to all heads"))
        self.remove.setText(self.tr("Remove"))
        self.remove_all.setText(self.tr("Remove all"))
        set_name(self._close, self.tr("Close"))
        self.fit()

    def first_stop(self) -> QWidget:
        return self.list if self._model.lines else self._close

    # --- gestures --------------------------------------------------------------------------------
    def _offer(self) -> None:
        """Offer the button for more heads at rows that name some."""
        lines, row = self._model.lines, self.list.row
        self.all_heads.setEnabled(0 <= row < len(lines) and lines[row].spreads)

    def showEvent(self, event: QShowEvent) -> None:
        self.opened.emit()  # words are written when somebody looks at them
        super().showEvent(event)

    def _build(self) -> None:
        style_text(self._title, letters="section", strong=True)
        style_text(self._none, tone="text2")
        style_text(self._hint, letters="small", tone="text3")
        self._close.setIcon(icon("close"))
        self._close.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        head, buttons = arrange(QHBoxLayout(), (self._title, 1), self._close), QGridLayout()
        buttons.setSpacing(SPACING.s)
        buttons.addWidget(self.go, 0, 0)
        buttons.addWidget(self.all_heads, 0, 1)
        buttons.addWidget(self.remove, 1, 0)
        buttons.addWidget(self.remove_all, 1, 1)
        margins = SPACING.l, SPACING.m, SPACING.l, SPACING.l
        parts = head, self._none, self.list, buttons, self._hint
        arrange(QVBoxLayout(self.content), *parts, margins=margins, spacing=SPACING.m)
