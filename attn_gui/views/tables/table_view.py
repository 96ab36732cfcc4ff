"""The table itself: keys as in a spreadsheet, typing, and columns that fill the width."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from PySide6.QtCore import (
    QAbstractItemModel,
    QEvent,
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QRect,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QFocusEvent,
    QHideEvent,
    QInputMethodEvent,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
)
from PySide6.QtWidgets import QAbstractItemDelegate, QAbstractItemView, QApplication, QWidget

from attn_gui.document.clipboard import Copied
from attn_gui.document.matrix_model import Index, MatrixModel
from attn_gui.views.tables.delegate import Hint
from attn_gui.views.tables.editor import Bubble, CellEditor
from attn_gui.views.tables.sized_view import SizedView
from attn_gui.views.tables.steps import Area, Step, Walk, step_of, way_out

Trigger = QAbstractItemView.EditTrigger
Modifier = Qt.KeyboardModifier
FAR = {Qt.Key.Key_Left: (0, -1), Qt.Key.Key_Right: (0, 1), Qt.Key.Key_Up: (-1, 0), Qt.Key.Key_Down: (1, 0)}
CORNERS = {Qt.Key.Key_Home: (-1, -1), Qt.Key.Key_End: (1, 1)}


class Refused(NamedTuple):
    """A text that could not be a cell's number, and why."""

    row: int
    column: int
    sentence: str


class MatrixView(SizedView):
    """Says what a person wants of the cells; the model says what they hold."""

    cellChosen = Signal(int, int)
    pasteRequested = Signal()
    clearRequested = Signal()
    fillDownRequested = Signal()
    fillRightRequested = Signal()
    fillTyped = Signal(float)  # Ctrl+Enter: the number that was typed, for every selected cell
    typingBlocked = Signal()  # a person typed into a computed matrix
    left = Signal()  # Esc outside of an editor
    gaveUp = Signal(object)  # Refused: a text that was left behind; the cell keeps its number

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._silent = False
        self._goal: QModelIndex | None = None
        self._bubble: Bubble | None = None
        self._refusal: Refused | None = None
        self._walk, self._walking = Walk(), False
        self.setSelectionMode(QAbstractItemView.SelectionMode.ContiguousSelection)
        self.setEditTriggers(Trigger.DoubleClicked | Trigger.EditKeyPressed | Trigger.AnyKeyPressed)
        self.setWordWrap(False)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerItem)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerItem)
        self.setTabKeyNavigation(True)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.cells.stepped.connect(self.step)
        self.cells.moved.connect(lambda rows, columns: self._move(rows, columns, extend=False))
        self.cells.fillAsked.connect(self._fill)
        self.cells.leftBy.connect(self.leave)
        self.cells.gaveUp.connect(lambda: self.gaveUp.emit(self._refusal))

    # --- silent setters --------------------------------------------------------------------------
    def setModel(self, model: QAbstractItemModel | None) -> None:
        super().setModel(model)
        if model is not None and hasattr(model, "refused"):
            model.refused.connect(self._on_model_refused)
            model.modelReset.connect(self._hide_bubble)

    def choose(self, row: int, column: int) -> None:
        """Make a cell the current one without a signal."""
        self._silent = True
        self._go(row, column)
        self._silent = False

    def select_row(self) -> None:
        """Select the rows of the selection as wholes."""
        (first, _), (last, _) = self._selected()
        self._select((first, 0), (last, self.model().columnCount() - 1))

    def select_column(self) -> None:
        """Select the columns of the selection as wholes."""
        (_, first), (_, last) = self._selected()
        self._select((0, first), (self.model().rowCount() - 1, last))

    def fit_columns(self) -> None:
        """Make the selected columns as wide as their numbers in sight need."""
        (_, first), (_, last) = self._selected()
        self.fit(max(first, 0), last + 1)

    def _select(self, first: tuple[int, int], last: tuple[int, int]) -> None:
        block = QItemSelection(self.model().index(*first), self.model().index(*last))
        self.selectionModel().select(block, QItemSelectionModel.SelectionFlag.ClearAndSelect)

    def copied(self) -> Copied | None:
        """The selected block, in full precision whatever is shown."""
        model, selection = self.model(), self.selectionModel()
        if not isinstance(model, MatrixModel) or not selection.hasSelection():
            return None
        block = selection.selection().at(0)  # the table selects one block at a time
        rows, columns = slice(block.top(), block.bottom() + 1), slice(block.left(), block.right() + 1)
        sides = (Qt.Orientation.Vertical, rows), (Qt.Orientation.Horizontal, columns)
        names = [[str(model.headerData(k, side)) for k in range(cut.start, cut.stop)] for side, cut in sides]
        return Copied((block.height(), block.width()), lambda: list(model.block(rows, columns).copy()), *names)

    # --- keys ------------------------------------------------------------------------------------
    def keyPressEvent(self, event: QKeyEvent) -> None:
        step, out, asked = step_of(event), way_out(event), self._asked(event)
        far = self._far(event)
        if step is not None:
            self.step(step)
        elif out is not None:
            self.leave(out)
        elif far is not None:
            rows, columns = self.model().rowCount(), self.model().columnCount()
            self._move(far[0] * rows, far[1] * columns, extend=bool(event.modifiers() & Modifier.ShiftModifier))
        elif asked is not None:
            asked()
        else:
            super().keyPressEvent(event)
            return
        event.accept()

    def _far(self, event: QKeyEvent) -> tuple[int, int] | None:
        """Where Ctrl with an arrow leads, in tables; Ctrl+Shift+Home and End stretch the selection to a corner."""
        held, key = event.modifiers(), Qt.Key(event.key())
        if not held & Modifier.ControlModifier:
            return None
        return FAR.get(key) or (CORNERS.get(key) if held & Modifier.ShiftModifier else None)

    def selectionCommand(self, index: Index, event: QEvent | None = None) -> QItemSelectionModel.SelectionFlag:
        """One block is selected at a time: Ctrl+click begins it anew, where Qt would stretch it as Shift does."""
        pressed = event is not None and event.type() == QEvent.Type.MouseButtonPress
        if pressed and isinstance(event, QMouseEvent) and event.modifiers() == Modifier.ControlModifier:
            return QItemSelectionModel.SelectionFlag.ClearAndSelect
        return super().selectionCommand(index, event)

    def step(self, step: Step) -> None:
        """Go on as Enter or Tab asks."""
        index, shape = self.currentIndex(), (self.model().rowCount(), self.model().columnCount())
        self.setFocus()
        if not index.isValid():
            return
        area, self._walking = self._selected(), True
        row, column = self._walk.goal((index.row(), index.column()), step, area, shape)
        if area[0] == area[1]:
            self._go(row, column)
        else:
            goal = self.model().index(row, column)
            self.selectionModel().setCurrentIndex(goal, QItemSelectionModel.SelectionFlag.NoUpdate)
            self.scrollTo(goal)
        self._walking = False

    def _fill(self, editor: CellEditor) -> None:
        """Ask for what is typed in every selected cell, as one gesture."""
        model, index = self.model(), self.currentIndex()
        number = model.parsed(index.row(), index.column(), editor.text()) if isinstance(model, MatrixModel) else None
        editor.set_refused(number is None)
        if number is not None:
            self.closeEditor(editor, Hint.RevertModelCache)
            self.fillTyped.emit(number)

    def leave(self, forward: bool) -> None:
        """Hand the focus on to the next widget, or the one before, instead of to the next cell."""
        self.setTabKeyNavigation(False)
        self.focusNextPrevChild(forward)
        self.setTabKeyNavigation(True)

    def settle(self) -> bool:
        """Enter the number that is being typed; False if it is refused, with the reason beside it."""
        for editor in self._editors():
            self.commitData(editor)
            self.closeEditor(editor, Hint.NoHint)
            if editor.refused:
                editor.setFocus()
                return False
        return True

    def _editors(self) -> list[CellEditor]:
        return [editor for editor in self.viewport().findChildren(CellEditor) if not editor.isHidden()]

    def _selected(self) -> Area:
        """The selected block, or the current cell where it lies outside."""
        index, selection = self.currentIndex(), self.selectionModel().selection()
        if selection.isEmpty() or not selection.contains(index):
            return ((index.row(), index.column()),) * 2
        block = selection.at(0)
        return (block.top(), block.left()), (block.bottom(), block.right())

    def _move(self, rows: int, columns: int, extend: bool) -> None:
        """Go some cells on, not past the border; or stretch the selection as far."""
        index = self.currentIndex()
        row = min(max(index.row() + rows, 0), self.model().rowCount() - 1)
        column = min(max(index.column() + columns, 0), self.model().columnCount() - 1)
        self._go(row, column, extend)

    def _go(self, row: int, column: int, extend: bool = False) -> None:
        """Move as an arrow key does: only then does Qt know where Shift has to stretch the next selection from."""
        self._goal = self.model().index(row, column)
        if self._goal == self.currentIndex():
            self.setCurrentIndex(self._goal)
        modifier = Modifier.ShiftModifier if extend else Modifier.NoModifier
        super().keyPressEvent(QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_Right, modifier))
        self._goal = None

    def moveCursor(self, action: QAbstractItemView.CursorAction, modifiers: Modifier) -> QModelIndex:
        return super().moveCursor(action, modifiers) if self._goal is None else self._goal

    def _asked(self, event: QKeyEvent) -> Callable[[], None] | None:
        """A signal that a key asks for; most are actions of the window already and never come here."""
        keys = QKeySequence(event.keyCombination()).toString(QKeySequence.SequenceFormat.PortableText)
        if event.matches(QKeySequence.StandardKey.Paste):
            return self.pasteRequested.emit
        others: dict[str, Callable[[], None]] = {
            "Del": self.clearRequested.emit,
            "Ctrl+D": self.fillDownRequested.emit,
            "Ctrl+R": self.fillRightRequested.emit,
            "Esc": self.left.emit,
        }
        return others.get(keys)

    # --- editing ---------------------------------------------------------------------------------
    def edit(self, index: QModelIndex, trigger: Trigger, event: QEvent | None) -> bool:  # type: ignore[override]  # Qt: never None
        """Typing into a computed matrix is a wish, not an edit."""
        typed = isinstance(event, QKeyEvent) and event.text().isprintable() and event.text() != ""
        wish = typed or trigger in (Trigger.DoubleClicked, Trigger.EditKeyPressed)
        computed = index.isValid() and not self.model().flags(index) & Qt.ItemFlag.ItemIsEditable
        if wish and computed and trigger & self.editTriggers():
            self.typingBlocked.emit()
            return False
        opened = super().edit(index, trigger, event)  # type: ignore[arg-type]  # Qt passes None here itself
        for editor in self._editors() if opened and typed else ():
            editor.typed = True
        return opened

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        """Qt hands a composition on to the editor that it opens, but loses what is committed without one."""
        opens = event.commitString() and not event.preeditString() and self.state() != self.State.EditingState
        super().inputMethodEvent(event)
        editor = QApplication.focusWidget()
        if opens and isinstance(editor, CellEditor):
            QApplication.sendEvent(editor, event)

    def closeEditor(self, editor: QWidget, hint: QAbstractItemDelegate.EndEditHint) -> None:
        """A refused text stays where it is until it is corrected or given up, with Esc or by going elsewhere."""
        reverted = hint == Hint.RevertModelCache
        if isinstance(editor, CellEditor) and editor.refused and not reverted:
            return
        self._hide_bubble()
        super().closeEditor(editor, hint)

    def _on_model_refused(self, row: int, column: int, sentence: str) -> None:
        index, self._refusal = self.model().index(row, column), Refused(row, column, sentence)
        editor = self.indexWidget(index)
        if not self.isVisible() or not isinstance(editor, CellEditor):
            return
        if self._bubble is None or self._bubble.parentWidget() is not self.window():
            self._bubble = Bubble(self)
        value = index.data(Qt.ItemDataRole.DisplayRole) or index.data(Qt.ItemDataRole.EditRole)  # of a closed cell: 0
        kept = self.tr("Esc keeps {value}.").format(value=value)
        self._bubble.setText(self.tr("{sentence} {kept}").format(sentence=sentence, kept=kept))
        editor.setAccessibleDescription(self._bubble.text())
        self._place_bubble(editor)
        editor.textEdited.connect(self._hide_bubble, Qt.ConnectionType.SingleShotConnection)

    def _place_bubble(self, editor: QWidget) -> None:
        if self._bubble is not None:
            corner = editor.mapTo(self.window(), editor.rect().topLeft())
            self._bubble.point_at(QRect(corner, editor.size()))

    def _hide_bubble(self) -> None:
        if self._bubble is not None:
            self._bubble.hide()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Qt makes the first cell of a table current that gets the keyboard and has none: not by choice."""
        silent, self._silent = self._silent, not self.currentIndex().isValid()
        super().focusInEvent(event)
        self._silent = silent

    # --- what happened ---------------------------------------------------------------------------
    def currentChanged(self, current: Index, previous: Index) -> None:
        super().currentChanged(current, previous)
        if not self._walking:
            self._walk.end()
        if current.isValid() and not self._silent:
            self.cellChosen.emit(current.row(), current.column())

    def selectionChanged(self, selected: QItemSelection, deselected: QItemSelection) -> None:
        super().selectionChanged(selected, deselected)
        for block in (found.at(place) for found in (selected, deselected) for place in range(found.size())):
            self.rows.repaint_sections(block.top(), block.bottom())
            self.columns.repaint_sections(block.left(), block.right())

    def hideEvent(self, event: QHideEvent) -> None:
        """Enter what is typed before its table goes, or give it up: an editor left open would still commit while it is
        destroyed. With a minimized window the typing only rests."""
        if not event.spontaneous():
            for editor in self._editors():
                self._enter_or_give_up(editor)
        super().hideEvent(event)

    def _enter_or_give_up(self, editor: CellEditor) -> None:
        self._refusal = None
        self.commitData(editor)
        self.closeEditor(editor, Hint.RevertModelCache)
        if self._refusal is not None:  # else the cell itself is gone, and nothing can be said of it
            self.gaveUp.emit(self._refusal)
