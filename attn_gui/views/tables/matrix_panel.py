"""A table with its title, shape, lock, widths of columns, offered ways out and right-click menu; up to which size its
cells are tinted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QItemSelection, QItemSelectionModel, QObject, QPoint, QRect, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QFontMetrics, QKeySequence, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QMenu, QPushButton, QVBoxLayout, QWidget

from attn_gui.document.matrix_model import MatrixModel
from attn_gui.document.typed_numbers import POWERS_FROM
from attn_gui.figure.colors import auto_levels
from attn_gui.figure.design_tokens import SIZE, SPACING, Theme
from attn_gui.views.tables.headers import HeadRuler, Mark, MarkedHeader
from attn_gui.views.tables.table_view import MatrixView
from attn_gui.views.text_views import WrappedLabel, scripts_markup
from attn_gui.views.theme import current_theme, restyle, scaled, style_text, theme_signal, ui_font
from attn_gui.views.widgets import ElidedLabel, Retranslated, arrange, clear_layout, entries_of

LEAST_ROWS = 1


class TitleRow(QWidget):
    """Symbol and name on the left, the shape on the right."""

    doubleClicked = Signal()

    def __init__(self, symbol: QLabel, name: QLabel, shape: QLabel) -> None:
        super().__init__()
        arrange(QHBoxLayout(self), symbol, name, 1, shape, margins=0, spacing=SPACING.m)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.doubleClicked.emit()


class ShapeBadge(QLabel):
    """Rows and columns, and how the columns are cut into heads; a clashing number is a red chip."""

    def __init__(self) -> None:
        super().__init__()
        self._shape, self._wrong = (0, 0), frozenset[int]()
        self._heads: tuple[int, int] | None = None
        style_text(self, "small", "text2")
        self.setTextFormat(Qt.TextFormat.RichText)  # numbers only, never text out of a file

    def set_shape(self, shape: tuple[int, int], heads: tuple[int, int] | None, wrong: frozenset[int]) -> None:
        self._shape, self._heads, self._wrong = shape, heads, wrong
        self.set_theme(current_theme())

    def set_wrong(self, wrong: frozenset[int]) -> None:
        self.set_shape(self._shape, self._heads, wrong)

    def plain(self) -> str:
        rows, columns = self._shape
        cut = f" = {rows} × ({self._heads[0]} · {self._heads[1]})" if self._heads and self._heads[0] > 1 else ""
        return f"{rows} × {columns}{cut}"

    def set_theme(self, theme: Theme) -> None:
        if not self._wrong:
            self.setText(self.plain())
            return
        chip = f"background: {theme.error_soft.name()}; color: {theme.error.name()}; font-weight: 600"
        numbers = [
            f'<span style="{chip}">&nbsp;{n}&nbsp;</span>' if axis in self._wrong else str(n)
            for axis, n in enumerate(self._shape)
        ]
        self.setText(" × ".join(numbers))


class ChoiceBar(QFrame):
    """A sentence and the ways out of it."""

    picked = Signal(str)  # the key of the way out

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("bar", "true")
        self._text, self._buttons = WrappedLabel(), QHBoxLayout()
        self._ways: tuple[tuple[str, str], ...] = ()
        margins = SPACING.m, SPACING.s, SPACING.m, SPACING.m
        arrange(QVBoxLayout(self), self._text, self._buttons, margins=margins, spacing=SPACING.s)
        self.hide()

    def set_choices(self, text: str = "", choices: Sequence[tuple[str, str]] = ()) -> None:
        """Set a sentence with ways out, (key, label) each; no text, no bar."""
        self._text.setText(text)
        if (ways := tuple(choices)) != self._ways:  # else the same buttons would be out of sight for a moment
            self._ways = ways
            self._set_buttons(ways)
        self.setVisible(bool(text))

    def _set_buttons(self, ways: Sequence[tuple[str, str]]) -> None:
        clear_layout(self._buttons)
        for key, label in ways:
            button = QPushButton(label)
            button.clicked.connect(lambda _=False, key=key: self.picked.emit(key))
            self._buttons.addWidget(button)
        self._buttons.addStretch(1)


class WholeRows(QWidget):
    """Makes a table and gives it room for as many whole rows as fit, and no more than it has."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.view = view = MatrixView(self)
        for side in (view.columns, view.rows):
            side.geometriesChanged.connect(self.fit)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.fit()

    def minimumSizeHint(self) -> QSize:
        return QSize(0, self.height_for(LEAST_ROWS))

    def height_for(self, rows: int) -> int:
        """Return the height that so many rows take, headers and scroll bar included."""
        return self._around(self._across()) + rows * self.view.rows.defaultSectionSize()

    def fit(self) -> None:
        """Cut the table to whole rows; a small one is no larger than its cells."""
        view, row, across = self.view, self.view.rows.defaultSectionSize(), self._across()
        around = self._around(across)
        count = view.model().rowCount() if view.model() is not None else 0
        shown = max(1, min((self.height() - around) // row, count or 1))
        bar = view.verticalScrollBar().sizeHint().width() if shown < count else 0
        width = across + bar
        view.setGeometry(QRect(0, 0, min(width, self.width()) if count else self.width(), around + row * shown))

    def _across(self) -> int:
        """Return the width that all columns would take, also where a scroll bar has left them less than they need."""
        columns = max(self.view.columns.length(), self.view.least_length())
        return self.view.rows.sizeHint().width() + columns + 2 * self.view.frameWidth()

    def _around(self, across: int) -> int:
        """Return the height of everything but rows, where the columns would take a width.

        Whether there is a scroll bar follows from the columns; asking the bar itself, which comes and goes with the
        height that is computed here, would never come to rest.
        """
        view = self.view
        bar = view.horizontalScrollBar().sizeHint().height() if across > self.width() else 0
        return view.columns.sizeHint().height() + 2 * view.frameWidth() + bar


class TableMenu(QObject):
    """Opens with the right button, the menu key and Shift+F10, since it is made of the table's own actions."""

    def __init__(self, view: MatrixView) -> None:
        super().__init__(view)
        self._view = view
        self._row = self._own("select_row", view.select_row, "Shift+Space")
        self._column = self._own("select_column", view.select_column, "Ctrl+Space")
        self._all = self._own("select_all", view.selectAll)
        self._fit = self._own("fit_columns", view.fit_columns)
        self._usual = self._own("usual_columns", view.reset_columns)
        view.customContextMenuRequested.connect(lambda place: self._pop_up(self._view.viewport().mapToGlobal(place)))
        for header in (view.rows, view.columns):
            header.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
            header.customContextMenuRequested.connect(partial(self._open_on_header, header))
        self.retranslate()

    def set_commands(self, commands: Sequence[QAction | None], formats: Sequence[QAction]) -> None:
        """Set the window's commands, None for a line between two; `formats` are those that change how numbers look."""
        groups = (commands, (self._row, self._column, self._all), (*formats, self._fit, self._usual))
        for place, group in enumerate(groups):
            if place:
                self._view.addAction(self._line())
            for action in group:
                self._view.addAction(self._line() if action is None else action)

    def _open_on_header(self, header: MarkedHeader, place: QPoint) -> None:
        """Open the table's menu for the row or column under the pointer, chosen whole unless it is part of a choice."""
        section, upright = header.logicalIndexAt(place), header.orientation() == Qt.Orientation.Vertical
        if section < 0 or not self._view.commit_typed():
            return
        if not header.holds_selection(section):
            self._view.choose(section if upright else 0, 0 if upright else section)
            (self._view.select_row if upright else self._view.select_column)()
        self._pop_up(header.viewport().mapToGlobal(place))

    def _pop_up(self, at: QPoint) -> None:
        menu = QMenu(self._view)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addActions(entries_of(self._view.actions()))
        menu.popup(at)

    def retranslate(self) -> None:
        for action, text in (
            (self._row, self.tr("Select row")),
            (self._column, self.tr("Select column")),
            (self._all, self.tr("Select all")),
            (self._fit, self.tr("Fit columns to their numbers")),
            (self._usual, self.tr("Usual column widths")),
        ):
            action.setText(text)

    def _own(self, name: str, act: Callable[[], None], keys: str = "") -> QAction:
        action = QAction(self)
        action.setObjectName(f"action.{name}")
        action.setShortcut(QKeySequence(keys))
        action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        action.triggered.connect(lambda: act() if self._view.commit_typed() else None)
        return action

    def _line(self) -> QAction:
        line = QAction(self)
        line.setSeparator(True)
        return line


TINTED_CELLS = 40_000
SAMPLED_ROWS, SAMPLED_COLUMNS = 64, 2048
REST = 150  # ms after the last change until the tint is measured again


class MatrixPanel(Retranslated, QWidget):
    """Shows one array field; `view` is its table, named `table.FIELD`, and says what a person wants of the cells."""

    headPicked = Signal(int)  # the head
    titleDoubleClicked = Signal()

    def __init__(self, field: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.field = field
        self._rows = WholeRows(self)  # made where it stands: what moves is styled again, with everything in it
        self.view = self._rows.view
        self.set_present(True)
        self.menu = TableMenu(self.view)
        self._symbol, self._name, self._shape = QLabel(), ElidedLabel(), ShapeBadge()
        self._said = ""  # the symbol
        self.bar, self._ruler = ChoiceBar(), HeadRuler(self.view)
        self._title = TitleRow(self._symbol, self._name, self._shape)
        self._columns = SIZE.table_column
        self._head_width = 0
        self._rest = QTimer(self, singleShot=True, interval=REST)
        self._lay_out()
        self._rest.timeout.connect(self._measure)
        self._title.doubleClicked.connect(self.titleDoubleClicked)
        self._ruler.picked.connect(self._on_ruler_picked)
        theme_signal.changed.connect(self.set_theme)
        self.set_theme(current_theme())

    def _lay_out(self) -> None:
        arrange(QVBoxLayout(self), self._title, self.bar, self._ruler, (self._rows, 1), margins=0, spacing=SPACING.xs)
        self._symbol.setTextFormat(Qt.TextFormat.RichText)
        style_text(self._symbol, "sentence", "text", strong=True)
        style_text(self._name, "body", "text2")

    def retranslate(self) -> None:
        """Set the words of the menu anew; those of the title are set from outside."""
        self.menu.retranslate()

    def set_present(self, present: bool) -> None:
        """Answer to the name of the field, or wait out of sight for a problem that has it."""
        self.view.setObjectName(f"table.{self.field}" if present else "")
        if not present:
            self.hide()
            self.scroll_home()

    def set_model(self, model: MatrixModel) -> None:
        """Show a model's numbers; the model stays its owner's."""
        self.view.setModel(model)
        model.modelReset.connect(self._measure)
        model.dataChanged.connect(self._rest.start)
        self._measure()

    def set_title(self, symbol: str, name: str) -> None:
        """Set the symbol as in the formula, and the word for it, "Query" or "computed from X · W_Q"."""
        self._said = symbol
        self._symbol.setText(scripts_markup(symbol))
        self._name.setText(name)
        self.view.setAccessibleName(f"{symbol} {name}".strip())

    def symbol(self) -> str:
        return self._said

    def set_shape(self, rows: int, columns: int, heads: tuple[int, int] | None = None) -> None:
        """Set the badge "16 × 384 = 16 × (12 · 32)"; `heads` is (count, width)."""
        self._shape.set_shape((rows, columns), heads, frozenset())
        self.view.setAccessibleDescription(self._shape.plain())

    def set_wrong(self, axes: Sequence[int]) -> None:
        """Set the axes (0, 1) that clash with another matrix, until the shape is set again."""
        self._shape.set_wrong(frozenset(axes))

    def set_heads(self, count: int, width: int, chosen: int) -> None:
        """Show bands of `width` columns, one a head, the chosen one filled; no bands for less than two."""
        self._head_width = width if count > 1 else 0
        self._ruler.set_heads(count, width, chosen)

    def set_marks(self, rows: Sequence[Mark] = (), column: int | None = None) -> None:
        """Draw lines around rows, (row, "query" or "key") each, and a column; those before are taken away."""
        self.view.set_marks(rows, None if column is None else (column, "accent"))

    def set_computed(self, computed: bool) -> None:
        """Show a computed table on the background of things that cannot be typed into."""
        said = "true" if computed else "false"
        if self.view.property("computed") != said:
            self.view.setProperty("computed", said)
            restyle(self.view)

    def set_compact(self, compact: bool) -> None:
        """Set narrower columns and row headers, for two decimals."""
        columns = SIZE.table_column_compact if compact else SIZE.table_column
        if columns == self._columns:
            return
        self._columns = columns
        self.view.rows.set_compact(compact)
        self._measure()

    def set_theme(self, theme: Theme) -> None:
        """Update colors and sizes from the current theme and zoom."""
        self.view.cells.refresh()
        self.view.set_row_height(self._row_height())
        self._shape.set_theme(theme)
        self._symbol.setText(scripts_markup(self._said))  # its subscripts have a size in pixels
        self._measure()
        self.view.viewport().update()

    def scroll_home(self) -> None:
        """Bring the first cell to the eye, without choosing it."""
        self.view.verticalScrollBar().setValue(0)
        self.view.horizontalScrollBar().setValue(0)

    def scroll_to_head(self, head: int) -> None:
        """Bring the first column of a head to the left border."""
        if self._head_width:
            self.view.horizontalScrollBar().setValue(head * self._head_width)

    def scroll_to_row(self, row: int) -> None:
        """Bring a row to the eye, without choosing a cell: into the middle unless it is in sight."""
        bar, rows = self.view.verticalScrollBar(), self.view.visible_rows()
        if not bar.value() <= row < bar.value() + rows:
            bar.setValue(row - rows // 2)

    def scroll_to_column(self, column: int) -> None:
        """Bring a column to the eye, without choosing a cell: into the middle unless it is in sight."""
        bar, columns = self.view.horizontalScrollBar(), self.view.visible_columns()
        if not bar.value() <= column < bar.value() + columns:
            bar.setValue(column - columns // 2)

    def select_block(self, rows: slice, columns: slice) -> None:
        """Select a block and make its corner the current cell, without a signal; one outside the table is left."""
        model = self.view.model()
        if rows.stop <= model.rowCount() and columns.stop <= model.columnCount():
            self.view.choose(rows.start, columns.start)
            block = QItemSelection(model.index(rows.start, columns.start), model.index(rows.stop - 1, columns.stop - 1))
            self.view.selectionModel().select(block, QItemSelectionModel.SelectionFlag.ClearAndSelect)

    # --- questions -------------------------------------------------------------------------------
    def height_for(self, rows: int) -> int:
        """Return the height in which as many rows are in sight, or all if there are fewer."""
        count = self.view.model().rowCount() if self.view.model() is not None else 0
        above = self._title.sizeHint().height() + SPACING.xs
        if not self._ruler.isHidden():
            above += self._ruler.sizeHint().height() + SPACING.xs
        return above + self._rows.height_for(min(rows, max(count, 1)))

    def selection(self) -> tuple[slice, slice] | None:
        """Return rows and columns of the selected block; None when nothing is selected."""
        if self.view.model() is None or not self.view.selectionModel().hasSelection():
            return None
        block = self.view.selectionModel().selection().at(0)  # the table selects one block at a time
        return slice(block.top(), block.bottom() + 1), slice(block.left(), block.right() + 1)

    # --- measures --------------------------------------------------------------------------------
    def _measure(self) -> None:
        """Measure the tint's levels and the columns' width from the present numbers."""
        model = self.view.model()
        if not isinstance(model, MatrixModel):
            return
        rows, columns = model.rowCount(), model.columnCount()
        tinted = 0 < rows * columns <= TINTED_CELLS and model.dtype.kind == "f"
        sampled = (rows, columns) if tinted else (SAMPLED_ROWS, SAMPLED_COLUMNS)
        block = model.block(*(slice(0, count) for count in sampled))
        if self.view.cells.set_levels(auto_levels(block, signed=True, keys=columns) if tinted else None):
            self.view.viewport().update()
        self.view.set_least_column(max(scaled(self._columns) - 1, self._text_width(model, block)))
        self._rows.fit()

    def _text_width(self, model: MatrixModel, block: NDArray[Any]) -> int:
        """Return the width of the widest number, which is one of those that are furthest from 0, or nearest to it."""
        if block.size == 0 or block.dtype.kind == "b":
            return 0
        finite = np.where(np.isfinite(block), block, 0)
        plain = np.where(np.abs(finite) < POWERS_FROM, finite, 0)  # written longer than larger ones
        above, below = np.where(finite > 0, finite, np.inf), np.where(finite < 0, finite, -np.inf)
        most, least = (finite, plain, below, finite != block), (finite, plain, above)
        places = {int(np.argmax(numbers)) for numbers in most} | {int(np.argmin(numbers)) for numbers in least}
        return self.view.cells.width_of([model.cell(*divmod(place, block.shape[1]))[0] for place in places])

    def _row_height(self) -> int:
        return max(scaled(SIZE.table_row), QFontMetrics(ui_font("body")).height() + scaled(SPACING.xs))

    def _on_ruler_picked(self, head: int) -> None:
        self.scroll_to_head(head)
        self.headPicked.emit(head)


class KeptTable(NamedTuple):
    """A panel and what it shows."""

    panel: MatrixPanel
    model: MatrixModel


class TablesAside:
    """Keeps tables by field, empty and out of sight: to make one takes a third of a frame."""

    def __init__(self) -> None:
        self._tables: dict[str, KeptTable] = {}

    def take(self, field: str) -> KeptTable | None:
        """Return the table of a field, which is no longer here."""
        return self._tables.pop(field, None)

    def put(self, tables: Mapping[str, KeptTable]) -> None:
        """Keep tables as they are, until they are taken or emptied."""
        self._tables.update(tables)

    def clear(self) -> None:
        """Empty them; those of mask layers and changes by hand, of which there may be any number, go."""
        for field, table in list(self._tables.items()):
            table.model.set_matrix(lambda: None)
            if any(map(str.isdigit, field.split("."))):
                del self._tables[field]
                table.panel.setParent(None)
                table.panel.deleteLater()
