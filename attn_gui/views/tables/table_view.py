"""The table of numbers: widths of columns, scroll bars, selection, spreadsheet keys, half-typed numbers, marks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, cast

from PySide6.QtCore import (
    QAbstractItemModel,
    QEasingCurve,
    QEvent,
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QRect,
    Qt,
    QTimer,
    QVariantAnimation,
    Signal,
)
from PySide6.QtGui import (
    QFocusEvent,
    QHideEvent,
    QInputMethodEvent,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QRegion,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractItemDelegate, QAbstractItemView, QApplication, QHeaderView, QTableView, QWidget

from attn_gui.document.clipboard import CopiedCells
from attn_gui.document.matrix_model import Index, MatrixModel
from attn_gui.figure.design_tokens import LINE, TIME_MS
from attn_gui.views.tables.delegate import (
    Area,
    CellBubble,
    CellDelegate,
    CellEditor,
    EntryStep,
    EntryWalk,
    Hint,
    Modifier,
    step_of,
    way_out,
)
from attn_gui.views.tables.headers import LEAST_WIDTH, ColumnHeader, Mark, TokenHeader
from attn_gui.views.theme import current_theme
from attn_gui.views.widgets import own_viewport


class MarkedView(QTableView):
    """Table whose rows and columns can be marked by lines; repaints no more than a mark or the focus touches."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        own_viewport(self)
        self.rows, self.columns = TokenHeader(self), ColumnHeader(self)
        self._rows: tuple[Mark, ...] = ()
        self._column: Mark | None = None
        self._edited: tuple[slice, slice] | None = None
        self._lines = QRegion()  # that are to be repainted beside rows
        self.setVerticalHeader(self.rows)
        self.setHorizontalHeader(self.columns)
        self._hold = QTimer(self, singleShot=True, interval=TIME_MS.edited_outline_hold)
        self._fade = QVariantAnimation(self, startValue=1.0, endValue=0.0, duration=TIME_MS.edited_outline_fade)
        self._fade.setEasingCurve(QEasingCurve.Type.OutQuad)
        self._hold.timeout.connect(self._fade.start)
        self._fade.valueChanged.connect(self._repaint_edited)
        self._fade.finished.connect(self._on_fade_finished)

    def set_marks(self, rows: Sequence[Mark], column: Mark | None) -> None:
        """Mark rows and a column by lines in a role's color, their headers as chips; the first row lies on top."""
        before = self._marked()
        self._rows, self._column = tuple(rows), column
        self.rows.set_marks(self._rows)
        self.columns.set_marks(() if column is None else (column,))
        for vertical, (at, _) in before ^ self._marked():
            self._repaint_lines(at, vertical=vertical)

    def _marked(self) -> set[tuple[bool, Mark]]:
        column = set() if self._column is None else {(True, self._column)}
        return column | {(False, mark) for mark in self._rows}

    def _repaint_lines(self, at: int, *, vertical: bool) -> None:
        """Repaint both lines of a row or column, which may be gone from the table."""
        header = self.columns if vertical else self.rows
        if at >= header.count():
            return
        start, size, room = header.sectionViewportPosition(at), header.sectionSize(at), self.viewport().size()
        if vertical:
            wide = int(LINE.row_and_column) + 1
            self.viewport().update(QRect(start - wide, 0, size + 2 * wide, room.height()))
            return
        spilt = self._spilt()
        for top in (start - 1, start + size - 2):  # as `_pair_of_lines` draws them, two pixels wide
            line = QRect(0, top - spilt, room.width(), int(LINE.row_and_column) + 2 * spilt)
            self._lines += line
            self.viewport().update(line)

    def _spilt(self) -> int:
        """Return the pixels beside a line that it may fill in part."""
        return 0 if self.devicePixelRatioF().is_integer() else 1

    def flash(self, rows: slice, columns: slice) -> None:
        """Outline what was just edited, for a moment."""
        self._fade.stop()
        self._repaint_edited()
        self._edited = (rows, columns)
        self._hold.start()
        self._repaint_edited()

    # --- painting --------------------------------------------------------------------------------
    def paintEvent(self, event: QPaintEvent) -> None:
        cells, self._lines, lines = self.itemDelegate(), QRegion(), self._lines
        if isinstance(cells, CellDelegate):
            cells.exposed = event.region()
            cells.between_rows = not lines.isEmpty() and event.region().subtracted(lines).isEmpty()
            super().paintEvent(event)
            cells.exposed = None
        else:
            super().paintEvent(event)
        if self.model() is None or not (self._rows or self._column or self._edited):
            return
        theme = current_theme()
        with QPainter(self.viewport()) as painter:
            rows, columns = self.model().rowCount(), self.model().columnCount()
            across = [] if self._column is None else [self._column]
            for vertical, marks in ((True, across), (False, reversed(self._rows))):
                for at, role in marks:
                    place = slice(at, at + 1)
                    rect = self._area(slice(0, rows), place) if vertical else self._area(place, slice(0, columns))
                    painter.setPen(QPen(getattr(theme, role), LINE.row_and_column))
                    _pair_of_lines(painter, rect, vertical)
            if self._edited is not None:
                painter.setOpacity(self._fade.currentValue() if self._fade.state() == self._fade.State.Running else 1.0)
                painter.setPen(QPen(theme.edit, LINE.edited))
                painter.drawRect(self._area(*self._edited).adjusted(0, 0, 1, 1))

    def _area(self, rows: slice, columns: slice) -> QRect:
        """Return the rectangle of a block of cells in the viewport, grid lines left out."""
        left, top = self.columnViewportPosition(columns.start), self.rowViewportPosition(rows.start)
        right = self.columnViewportPosition(columns.stop - 1) + self.columnWidth(columns.stop - 1)
        bottom = self.rowViewportPosition(rows.stop - 1) + self.rowHeight(rows.stop - 1)
        return QRect(left, top, right - left - 1, bottom - top - 1)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Repaint what the focus changes: Qt would paint all cells again, after each edit, for one frame."""
        self._follow_focus(event, super().focusInEvent)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self._follow_focus(event, super().focusOutEvent)

    def _follow_focus(self, event: QFocusEvent, whole: Callable[[QFocusEvent], None]) -> None:
        current = self.currentIndex()
        if current.isValid():
            self.update(current)
            self.setAttribute(Qt.WidgetAttribute.WA_InputMethodEnabled, event.gotFocus() and self._typed_into(current))
            frame = self.frameWidth()
            QWidget.update(self, QRegion(self.rect()) - QRegion(self.rect().adjusted(frame, frame, -frame, -frame)))
        else:
            whole(event)

    def _typed_into(self, index: QModelIndex) -> bool:
        return bool(self.model().flags(index) & Qt.ItemFlag.ItemIsEditable)

    def _repaint_edited(self) -> None:
        """Repaint the outline, its pen included."""
        if self._edited is not None:
            before, after = 1 + self._spilt(), 2 + self._spilt()  # two pixels wide, of which one lies outside
            self.viewport().update(self._area(*self._edited).adjusted(-before, -before, after, after))

    def _on_fade_finished(self) -> None:
        self._repaint_edited()
        self._edited = None


def _pair_of_lines(painter: QPainter, rect: QRect, vertical: bool) -> None:
    """Draw lines at both sides of a row or column; the neighbors' first pixels are its own: no number is touched."""
    if vertical:
        painter.drawLine(rect.left(), rect.top(), rect.left(), rect.bottom())
        painter.drawLine(rect.right() + 1, rect.top(), rect.right() + 1, rect.bottom())
    else:
        painter.drawLine(rect.left(), rect.top(), rect.right(), rect.top())
        painter.drawLine(rect.left(), rect.bottom() + 1, rect.right(), rect.bottom() + 1)


MEASURED_ROWS = 256
FEW = 8  # columns that are measured within a frame
WIDEST = 4000  # pixels; what another version may have kept is no wider


class SizedView(MarkedView):
    """Gives rows and columns their sizes; all columns are alike but those that were drawn or fitted.

    These stay as wide, whatever the table shows, as long as it has as many columns. Of many columns a few are fitted
    at once, and `columnsLeft` asks to call `fit_some` for the others.
    """

    columnsDrawn = Signal()
    columnsLeft = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.cells = CellDelegate(self)
        self.setItemDelegate(self.cells)
        self._least = 1
        self._drawn: dict[int, int] = {}  # columns that a person gave a width
        self._drawn_of = 0  # how many columns there were
        self._unfit: list[slice] = []  # columns that are still to be fitted
        self.columns.drawn.connect(self._draw_column)
        self.columns.sectionHandleDoubleClicked.connect(lambda column: self.fit(column, column + 1))

    def setModel(self, model: QAbstractItemModel | None) -> None:
        super().setModel(model)
        if model is not None:
            model.modelReset.connect(self._on_model_reset)

    def set_least_column(self, width: int) -> None:
        """Set the least width of a column; they get wider so that no number is cut at the right border."""
        self._least = width
        self._fit_columns()

    def fit(self, first: int, stop: int) -> None:
        """Make columns as wide as their numbers in sight need, those from the left border on before the others."""
        seen = min(max(self.columns.logicalIndexAt(0), first), stop)
        starts = [*range(seen, stop, FEW), *range(first, seen, FEW)]
        self._unfit = [slice(start, min(start + FEW, stop if start >= seen else seen)) for start in starts]
        self.fit_some()

    def fit_some(self) -> None:
        """Fit a few more columns of those that are left."""
        if not self._unfit:
            return
        part = self._unfit.pop(0)
        self._draw(dict(zip(range(part.start, part.stop), self._needed(part), strict=False)))
        signal = self.columnsLeft if self._unfit else self.columnsDrawn
        signal.emit()

    def reset_columns(self) -> None:
        """Give every column the same width again."""
        self._forget_drawn()
        self.columnsDrawn.emit()

    def drawn_columns(self) -> tuple[int, dict[int, int]]:
        """Return the widths in pixels that columns were given, after the number of columns that there were."""
        return self._drawn_of, dict(self._drawn)

    def draw_columns(self, count: int, widths: Mapping[int, int]) -> None:
        """Give columns the widths that `drawn_columns` said, as soon as the table has as many."""
        self._forget_drawn()
        known = {column: width for column, width in widths.items() if 0 <= column < count}
        self._drawn_of = count
        self._drawn = {column: min(max(width, LEAST_WIDTH), WIDEST) for column, width in known.items()}
        self._show_drawn()

    def sizeHintForColumn(self, column: int) -> int:
        return next(iter(self._needed(slice(column, column + 1))), self.columnWidth(column))

    def _needed(self, columns: slice) -> list[int]:
        """Return the widths that the numbers in sight need; none while there are no numbers."""
        model, first = cast(MatrixModel, self.model()), self.verticalScrollBar().value()
        return [self.cells.width_of(texts) for texts in model.texts(slice(first, first + MEASURED_ROWS), columns)]

    def _draw_column(self, column: int, width: int) -> None:
        """Take the width that a person draws, who has then done with fitting."""
        self._unfit.clear()
        self._draw({column: width})
        self.columnsDrawn.emit()

    def _draw(self, widths: Mapping[int, int]) -> None:
        if self._drawn_of != self.columns.count():
            self._drawn, self._drawn_of = {}, self.columns.count()
        self._drawn.update(widths)
        for column, width in widths.items():
            self.setColumnWidth(column, width)

    def _on_model_reset(self) -> None:
        """Forget the columns that are left to fit: they are gone, or others."""
        self._unfit.clear()
        self._show_drawn()

    def _forget_drawn(self) -> None:
        self._unfit.clear()
        for column in self._drawn:
            self.setColumnWidth(column, self.columns.defaultSectionSize())
        self._drawn.clear()

    def _show_drawn(self) -> None:
        usual = self.columns.defaultSectionSize() if self._drawn_of != self.columns.count() else None
        for column, width in self._drawn.items():
            self.setColumnWidth(column, width if usual is None else usual)

    def set_row_height(self, height: int) -> None:
        _resize_sections(self.rows, height, self.verticalScrollBar().value())

    def visible_rows(self) -> int:
        return max(1, self.viewport().height() // self.rows.defaultSectionSize())

    def visible_columns(self) -> int:
        return max(1, self.viewport().width() // self.columns.defaultSectionSize())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_columns()

    def _fit_columns(self) -> None:
        """Let columns fill the width; the pixels that are left over go to the row headers."""
        room = self._room() + self._spared()
        count = max(1, room // self._least)
        fits = min(self._least * self.columns.count(), self.least_length()) <= room
        width = self._least if fits else room // count
        if _resize_sections(self.columns, width, self.horizontalScrollBar().value()):
            self._show_drawn()
        spare = 0 if fits else room - width * count
        if spare != self.rows.spare:
            self.rows.spare = spare
            self.scheduleDelayedItemsLayout()  # at once would be in the middle of Qt's own layout

    def _room(self) -> int:
        """Return the pixels beside the row headers. Scroll bars that are there only for one another's sake do not
        count."""
        bare = self.maximumViewportSize()
        alone = self.rows.length() <= bare.height() and self.least_length() <= bare.width() + self._spared()
        return bare.width() if alone else self.viewport().width()

    def least_length(self) -> int:
        """Return the pixels of all columns, none wider than it has to be. A table of whole rows has no more room than
        its columns take: they would not come to rest if it had not to be enough for them."""
        drawn = self._drawn if self._drawn_of == self.columns.count() else {}
        return self._least * (self.columns.count() - len(drawn)) + sum(drawn.values())

    def _spared(self) -> int:
        """Return the pixels beside the numbers that the row headers do not need; they follow `spare` with the next
        layout only."""
        return self.viewportMargins().left() - self.rows.sizeHint().width() + self.rows.spare


def _resize_sections(header: QHeaderView, size: int, first: int) -> bool:
    """Give all rows or columns one size; `first` stays the first one in sight, which Qt forgets."""
    if size == header.defaultSectionSize():
        return False
    header.setDefaultSectionSize(size)
    header.setOffsetToSectionPosition(first)
    return True


Trigger = QAbstractItemView.EditTrigger
FAR = {Qt.Key.Key_Left: (0, -1), Qt.Key.Key_Right: (0, 1), Qt.Key.Key_Up: (-1, 0), Qt.Key.Key_Down: (1, 0)}
CORNERS = {Qt.Key.Key_Home: (-1, -1), Qt.Key.Key_End: (1, 1)}


class RefusedText(NamedTuple):
    """A text that could not be a cell's number, and why."""

    row: int
    column: int
    sentence: str


class MatrixView(SizedView):
    """Table of numbers with keys as in a spreadsheet; its signals say what a person wants of the cells."""

    cellChosen = Signal(int, int)  # row, column
    pasteRequested = Signal()
    clearRequested = Signal()
    fillDownRequested = Signal()
    fillRightRequested = Signal()
    fillTyped = Signal(float)  # Ctrl+Enter: the number that was typed, for every selected cell
    typingBlocked = Signal()  # a person typed into a computed matrix
    walkAsked = Signal(int, int)  # of a cell of a computed matrix
    left = Signal()  # Esc outside of an editor
    gaveUp = Signal(object)  # Refused: a text that was left behind; the cell keeps its number

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._silent = False
        self._goal: QModelIndex | None = None
        self._bubble: CellBubble | None = None
        self._refusal: RefusedText | None = None
        self._walk, self._walking = EntryWalk(), False
        self.setSelectionMode(QAbstractItemView.SelectionMode.ContiguousSelection)
        self.setEditTriggers(Trigger.DoubleClicked | Trigger.EditKeyPressed | Trigger.AnyKeyPressed)
        self.setWordWrap(False)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerItem)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerItem)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.cells.stepped.connect(self.step)
        self.cells.moved.connect(lambda rows, columns: self._move(rows, columns, extend=False))
        self.cells.fillAsked.connect(self._fill)
        self.cells.leftBy.connect(self.leave)
        self.cells.gaveUp.connect(lambda: self.gaveUp.emit(self._refusal))

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

    def copied(self) -> CopiedCells | None:
        """Return the selected block, in full precision whatever is shown."""
        model, selection = self.model(), self.selectionModel()
        if not isinstance(model, MatrixModel) or not selection.hasSelection():
            return None
        block = selection.selection().at(0)  # the table selects one block at a time
        rows, columns = slice(block.top(), block.bottom() + 1), slice(block.left(), block.right() + 1)
        sides = (Qt.Orientation.Vertical, rows), (Qt.Orientation.Horizontal, columns)
        names = [[str(model.headerData(k, side)) for k in range(cut.start, cut.stop)] for side, cut in sides]
        return CopiedCells((block.height(), block.width()), lambda: list(model.block(rows, columns).copy()), *names)

    # --- keys ------------------------------------------------------------------------------------
    def keyPressEvent(self, event: QKeyEvent) -> None:
        step, out, asked = step_of(event), way_out(event), self._asked(event)
        far = self._far(event)
        current, plain = self.currentIndex(), not event.modifiers()
        if event.key() == Qt.Key.Key_Space and plain and self._is_computed(current):
            self.walkAsked.emit(current.row(), current.column())
        elif step is not None:
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
        """Return where Ctrl with an arrow leads, in tables.

        Ctrl+Shift+Home and End stretch the selection to a corner.
        """
        held, key = event.modifiers(), Qt.Key(event.key())
        if not held & Modifier.ControlModifier:
            return None
        return FAR.get(key) or (CORNERS.get(key) if held & Modifier.ShiftModifier else None)

    def selectionCommand(self, index: Index, event: QEvent | None = None) -> QItemSelectionModel.SelectionFlag:
        """Select one block at a time: Ctrl+click begins it anew, where Qt would stretch it as Shift does."""
        pressed = event is not None and event.type() == QEvent.Type.MouseButtonPress
        if pressed and isinstance(event, QMouseEvent) and event.modifiers() == Modifier.ControlModifier:
            return QItemSelectionModel.SelectionFlag.ClearAndSelect
        return super().selectionCommand(index, event)

    def step(self, step: EntryStep) -> None:
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

    def commit_typed(self) -> bool:
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
        """Return the selected block, or the current cell where it lies outside."""
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
        """Return a signal that a key asks for; most are actions of the window already and never come here."""
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
        """Open the editor; typing into a computed matrix is a wish, not an edit."""
        typed = isinstance(event, QKeyEvent) and event.text().isprintable() and event.text() != ""
        wish = typed or trigger in (Trigger.DoubleClicked, Trigger.EditKeyPressed)
        if wish and self._is_computed(index) and trigger & self.editTriggers():
            self.typingBlocked.emit()
            return False
        opened = super().edit(index, trigger, event)  # type: ignore[arg-type]  # Qt passes None here itself
        for editor in self._editors() if opened and typed else ():
            editor.typed = True
        return opened

    def _is_computed(self, index: Index) -> bool:
        return index.isValid() and not self.model().flags(index) & Qt.ItemFlag.ItemIsEditable

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        """Hand what is committed on to the editor that it opens, where no composition was: Qt loses it then."""
        opens = event.commitString() and not event.preeditString() and self.state() != self.State.EditingState
        super().inputMethodEvent(event)
        editor = QApplication.focusWidget()
        if opens and isinstance(editor, CellEditor):
            QApplication.sendEvent(editor, event)

    def closeEditor(self, editor: QWidget, hint: QAbstractItemDelegate.EndEditHint) -> None:
        """Keep a refused text where it is until it is corrected or given up, with Esc or by going elsewhere."""
        reverted = hint == Hint.RevertModelCache
        if isinstance(editor, CellEditor) and editor.refused and not reverted:
            return
        self._hide_bubble()
        super().closeEditor(editor, hint)

    def _on_model_refused(self, row: int, column: int, sentence: str) -> None:
        index, self._refusal = self.model().index(row, column), RefusedText(row, column, sentence)
        editor = self.indexWidget(index)
        if not self.isVisible() or not isinstance(editor, CellEditor):
            return
        if self._bubble is None or self._bubble.parentWidget() is not self.window():
            self._bubble = CellBubble(self)
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
        """Announce no cell that Qt makes current for want of another: that is not by choice."""
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
