"""The large map as a widget: cell and block chosen, typing when hidden; what a screen reader says of it, and when."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

from PySide6.QtCore import (
    QCoreApplication,
    QEvent,
    QPoint,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QContextMenuEvent,
    QFocusEvent,
    QHideEvent,
    QKeyEvent,
    QMouseEvent,
    QPaintEvent,
    QResizeEvent,
    QShowEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QFrame, QSizePolicy, QTableView, QWidget

from attn_gui.document.clipboard import CopiedCells
from attn_gui.document.matrix_model import Index, ShapedModel
from attn_gui.engine.arrays import Box
from attn_gui.figure.colors import UNIT
from attn_gui.figure.design_tokens import LINE
from attn_gui.figure.text.number_formats import sentence_number
from attn_gui.pictures.planes import Window, number_at
from attn_gui.views.map.gestures import CellTyping, Gestures, MapSignals
from attn_gui.views.map.map_drawing import MapCanvas, MapState
from attn_gui.views.map.map_view import MapBox, MapView
from attn_gui.views.map.marks import Area, Cell, Marks
from attn_gui.views.theme import motion_reduced, scaled


def cell_in_words(shown: MapState, row: int, column: int, marks: Marks) -> str:
    """Return its tokens where there are any, its place and its value: "it → tired (10, 13): 0.612"."""
    rows, columns, value = shown.row_names, shown.column_names, value_in_words(shown, row, column, marks)
    if row < len(rows) and column < len(columns):
        text = QCoreApplication.translate("Heatmap", "{row_name} → {column_name} ({row}, {column}): {value}")
        return text.format(row_name=rows[row], column_name=columns[column], row=row, column=column, value=value)
    if row < len(rows):
        text = QCoreApplication.translate("Heatmap", "{row_name} ({row}, {column}): {value}")
        return text.format(row_name=rows[row], row=row, column=column, value=value)
    text = QCoreApplication.translate("Heatmap", "({row}, {column}): {value}")
    return text.format(row=row, column=column, value=value)


def value_in_words(shown: MapState, row: int, column: int, marks: Marks) -> str:
    """Return its value alone: a number, "not allowed" behind a mask, "?" where it is left out for an exercise."""
    assert shown.plane is not None, "only cells of a matrix have a value"
    if marks.covers((row, column)):
        return "?"
    number, opened = number_at(shown.plane, row, column)
    return sentence_number(number) if opened else QCoreApplication.translate("Heatmap", "not allowed")


def block_in_words(block: Area | None) -> str:
    """Return `3 × 4 cells chosen.`; nothing where none are."""
    if block is None:
        return ""
    down, right = block
    text = QCoreApplication.translate("Heatmap", "{rows} × {columns} cells chosen.")
    return text.format(rows=down.stop - down.start, columns=right.stop - right.start)


def describe(heatmap: QWidget, words: str) -> None:
    """Describe a map by its chosen cell; where the keyboard is, a screen reader says another one at once."""
    if words == heatmap.accessibleDescription():
        return
    heatmap.setAccessibleDescription(words)
    if words and heatmap.hasFocus():
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(heatmap, words))


# --- A map as a table of rows, columns and cells for screen readers, to which a painted widget has no parts ---
class AccessibleTable(QTableView):
    """Lies over a map, draws nothing and takes neither mouse nor focus: Qt tells assistive programs of its cells.

    Python cannot implement QAccessibleTableInterface, which QTableView has. It is made where such a program runs.
    """

    def __init__(self, heatmap: Heatmap) -> None:
        super().__init__(heatmap)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setStyleSheet("background: transparent; border: none")  # over that of the program, which fills tables
        self.horizontalHeader().hide()  # assistive programs read their texts all the same
        self.verticalHeader().hide()
        for bars in (self.setHorizontalScrollBarPolicy, self.setVerticalScrollBarPolicy):
            bars(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setModel(MapModel(heatmap))
        self.setAccessibleName(heatmap.accessibleName())
        self.setGeometry(heatmap.rect())
        self.show()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint nothing: the map below is what is seen."""


class MapModel(ShapedModel):
    """The numbers that a map shows, under its names of rows and columns."""

    def __init__(self, heatmap: Heatmap) -> None:
        super().__init__(heatmap)
        self._heatmap, self._shape = heatmap, heatmap.shape
        heatmap.reshaped.connect(self._on_reshaped)

    def _on_reshaped(self) -> None:
        self.beginResetModel()
        self._shape = self._heatmap.shape
        self.endResetModel()

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if role not in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole) or not index.isValid():
            return None
        if self._heatmap.shape != self._shape:
            return None
        return value_in_words(self._heatmap.shown, index.row(), index.column(), self._heatmap.overlay.marks)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if role not in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return None
        shown = self._heatmap.shown
        names = shown.row_names if orientation == Qt.Orientation.Vertical else shown.column_names
        return names[section] if section < len(names) else str(section)


def _link(box: MapBox, other: Heatmap | None) -> None:
    linked = other.box if other is not None else None
    box.setXLink(linked)
    box.setYLink(linked)


# --- One large map of a matrix: the same widget in the product picture and in the tiles ---
class Heatmap(MapCanvas):
    """Shows a matrix as set by `set_shown`, takes focus and lets cells be chosen.

    Its parts are public: `cells` is the picture of the matrix, `overlay` marks some cells; `box` (a pyqtgraph view box)
    says which are in view, `view` paints them; `gestures` say what a person wants of them.
    """

    placed = Signal()  # it is shown, or has another size
    zoomed = Signal()  # other cells are in view

    def __init__(self, parent: QWidget | None = None, signals: MapSignals | None = None, source: str = "") -> None:
        """Show a matrix; what is asked of its cells `signals`, or its own, say under the name of its `source`."""
        super().__init__(parent, small=False)
        self.view: MapView | None = None  # until it is shown
        self._linked: Heatmap | None = None
        self.reshaped.connect(self._reshape_box)
        self.numbersArrived.connect(self._describe_chosen)
        self.zoomed.connect(self.redraw)
        self.gestures = Gestures(self, signals or MapSignals(self), source)
        self.typing = CellTyping(self)
        self.commit_typed = self.typing.commit_typed  # as the window asks of whatever is typed into
        self._table: AccessibleTable | None = None
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.follow_theme()

    # --- which cells are in view -----------------------------------------------------------------
    @cached_property
    def box(self) -> MapBox:
        """The cells in view, made when they are asked for first: most maps of a problem are never shown."""
        box = MapBox()
        box.set_matrix(*self.shape)
        _link(box, self._linked)
        box.changed.connect(self.zoomed)
        return box

    def link(self, other: Heatmap | None) -> None:
        """Show the same rows and columns as another map of this shape, or none."""
        self._linked = other
        if "box" in vars(self):
            _link(self.box, other)

    def _reshape_box(self) -> None:
        if "box" in vars(self):
            self.box.set_matrix(*self.shape)

    # --- what is shown ---------------------------------------------------------------------------
    def set_shown(self, shown: MapState) -> None:
        super().set_shown(shown)
        self._describe_chosen()

    def refresh(self, rows: slice, columns: slice) -> None:
        """Take new numbers of these cells: draw and repaint them alone, with the present levels."""
        super().refresh(rows, columns)
        if self.chosen is not None and rows.start <= self.chosen[0] < rows.stop:
            self._describe_chosen()

    def refresh_boxes(self, boxes: Sequence[Box]) -> bool:
        refreshed = super().refresh_boxes(boxes)
        if refreshed and self.chosen is not None:
            self._describe_chosen()
        return refreshed

    def setAccessibleName(self, name: str) -> None:
        super().setAccessibleName(name)
        if self._table is not None:
            self._table.setAccessibleName(name)

    def copied(self) -> CopiedCells | None:
        """Return the chosen block, else the whole matrix on show, with the names of its rows and columns."""
        return self.shown.copied(self.overlay.marks.block)

    # --- chosen cell -----------------------------------------------------------------------------
    @property
    def chosen(self) -> Cell | None:
        """The chosen cell."""
        return self.overlay.marks.chosen

    def set_chosen(self, cell: Cell | None) -> None:
        """Set the square round a cell, brought into view; None for none."""
        rows, columns = self.shape
        cell = cell if cell is not None and 0 <= cell[0] < rows and 0 <= cell[1] < columns else None
        if cell != self.chosen:
            if cell is not None:
                self.box.bring(*cell)
            self.overlay.set_marks(chosen=cell)
            self._describe_chosen()
        if self.overlay.marks.edited and motion_reduced():
            self.overlay.clear_flash()

    def set_block(self, block: Area | None) -> None:
        """Set the ring round several chosen cells; None for none."""
        if block != self.overlay.marks.block:
            self.overlay.set_marks(block=block)
            self._describe_chosen()

    def set_blank(self, areas: tuple[Area, ...]) -> None:
        """Cover cells that are left out for an exercise; their numbers are not said, either."""
        if areas != self.overlay.marks.blank:
            self.overlay.set_marks(blank=areas)
            self._describe_chosen()
            self.levelsChanged.emit(self.levels)

    @property
    def writes_levels(self) -> bool:
        """Whether the levels may be written: there are some, and none may be the number of a covered cell."""
        return self.taken.known and (not self.overlay.marks.blank or self.levels == UNIT)

    def _describe_chosen(self) -> None:
        """Describe the chosen cells in words, for screen readers."""
        words = cell_in_words(self.shown, *self.chosen, self.overlay.marks) if self.chosen is not None else ""
        describe(self, f"{block_in_words(self.overlay.marks.block)} {words}".strip())

    # --- places ----------------------------------------------------------------------------------
    @property
    def margin(self) -> int:
        """Pixels around the cells: the frame and the ring of the focus."""
        return int(LINE.hairline) + scaled(LINE.focus_gap) + scaled(LINE.focus)

    def place_cells(self, rect: QRect) -> None:
        """Move and resize so that the cells fill exactly this rectangle of the parent."""
        margin = self.margin
        self.setGeometry(rect.adjusted(-margin, -margin, margin, margin))

    def cell_under(self, position: QPoint, *, nearest: bool = False) -> Cell | None:
        """Return the cell at a point, or the nearest to one outside.

        Where cells are smaller than pixels, the one whose value the pixel shows.
        """
        place = self.placement
        inner = position - place.cells.topLeft()
        if nearest:
            most = QPoint(place.cells.width() - 1, place.cells.height() - 1)
            inner = QPoint(max(0, min(inner.x(), most.x())), max(0, min(inner.y(), most.y())))
        down, right = place.rows.bin_at(inner.y()), place.columns.bin_at(inner.x())
        return None if down is None or right is None else self.cells.strongest(down, right)

    def _place(self) -> tuple[QRect, Window]:
        """Return the pixels of the cells, and which of them are in view."""
        return self._inner(), self.box.in_view

    def _inner(self) -> QRect:
        margin = self.margin
        return self.rect().adjusted(margin, margin, -margin, -margin)

    def follow_theme(self) -> None:
        super().follow_theme()
        self._follow_size()

    # --- the scene -------------------------------------------------------------------------------
    def show_cells(self, pixels: QRect | None) -> None:
        if self.view is not None and self.isVisible():
            self.view.show_cells(pixels)

    def show_marks(self, kinds: Iterable[str]) -> None:
        if self.view is not None and self.isVisible():
            self.view.show_marks(kinds)

    def _follow_size(self) -> None:
        """Put the cells where the size of the widget has them."""
        if self.view is not None:
            self.view.setGeometry(self.rect())
            self.view.place(self._inner())
        self.redraw()

    def sizeHint(self) -> QSize:
        return self.minimumSizeHint() * 4

    def minimumSizeHint(self) -> QSize:
        side = 2 * self.margin + scaled(24)
        return QSize(side, side)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if self.split is None or not self.split.dragged(event):
            self.gestures.press(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self.split is None or not self.split.dragged(event):
            self.gestures.move(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self.split is None or not self.split.dragged(event):
            self.gestures.release(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.gestures.double_click(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        self.gestures.wheel(event)

    def leaveEvent(self, event: QEvent) -> None:
        self.gestures.leave()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        self.gestures.key(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self.gestures.offer_menu(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        self.gestures.focus_in(event.reason())

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self.gestures.focus_out(event.reason())

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self.view is None:
            self.view = MapView(self, self.box)
            self.view.lower()
            self.view.show()
            self._follow_size()
        if self._table is None and QAccessible.isActive():  # a screen reader runs
            self._table = AccessibleTable(self)
        self.placed.emit()

    def hideEvent(self, event: QHideEvent) -> None:
        if not event.spontaneous():  # with a minimized window the typing only rests
            self.typing.commit_typed()
            self.typing.close()
        super().hideEvent(event)
        self.rest()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._follow_size()
        if self._table is not None:
            self._table.setGeometry(self.rect())
        self.placed.emit()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self._describe_chosen()
        super().changeEvent(event)


COUNTED_CELLS = 20_000


def is_counted(heatmap: Heatmap) -> bool:
    """Return whether the legend of a map follows every edit; that of a larger one waits for rest."""
    rows, columns = heatmap.shape
    return rows * columns <= COUNTED_CELLS
