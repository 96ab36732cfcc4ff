"""The table of terms or addends: column titles (a, v, a⁰), order, bars, widths, “… more”, keys."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from enum import IntEnum
from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QEvent, QObject, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QKeyEvent, QPainter, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QSizePolicy,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionHeaderV2,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from attn_gui.document.clipboard import CopiedCells
from attn_gui.document.matrix_model import Index, ShapedModel
from attn_gui.engine import STAGE, Cell, Explanation, Term
from attn_gui.engine.analysis.explanation import Terms
from attn_gui.engine.graph.printed_digits import PrintedNumbers
from attn_gui.engine.graph.stage import Role, Stage
from attn_gui.engine.graph.symbols_and_titles import cell_symbol, plain_name
from attn_gui.engine.scores import SCORES
from attn_gui.figure.colors import sign_color
from attn_gui.figure.design_tokens import FONT_SIZE, SIZE, SPACING
from attn_gui.figure.text.number_formats import is_whole
from attn_gui.views.inspector.cell_relations import (
    ExplainContext,
    OtherState,
    cell_name,
    column_number,
    column_writer,
    role_of,
    running_name,
)
from attn_gui.views.text_views import SentenceRun, laid_out_sentence, paint_words, with_scripts
from attn_gui.views.theme import current_theme, scaled, style_text, ui_font
from attn_gui.views.widgets import own_viewport, paint_focus_ring, plain_tip

Write = Callable[[float], str]


class TermCell(NamedTuple):
    """The contents of one cell of the table; `value` where a bar stands beside it."""

    text: str
    value: float | None
    chosen: bool
    color: str


TOP = 10
ALL_UP_TO = 20  # so many terms are listed without a tail


class Tightness(IntEnum):
    """What a table of terms leaves out where it has no room; each leaves out what those before it do, too."""

    NOTHING = 0
    SIGNS = 1  # "c =" in its rows
    DECIMAL = 2  # the last one of its numbers
    CELLS = 3  # the cells that its headers name


class TermsModel(ShapedModel):
    """Columns: what the term is, the numbers that it is made of, its value. A last row may hold the sum of the tail."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._terms: Terms | None = None
        self._context: ExplainContext | None = None
        self._stage, self._letter, self._wording, self._chosen = "", "", "", -1
        self._entry: Stage | None = None  # None for a number that is no stage
        self._fractions = False
        self._values = np.empty(0)
        self._order = np.empty(0, int)
        self._headers: tuple[tuple[str, str], ...] = ()  # text and color of the number columns
        self._expanded = False
        self.tight = Tightness.NOTHING
        self._shape = 0, 2
        self._faces: dict[tuple[int, int], tuple[TermCell, ...]] = {}  # by row and tightness
        self._writers: dict[int, tuple[tuple[Write, ...], Write]] = {}  # of columns and of values, by tightness
        self._largest: float | None = None

    # --- what is shown ---------------------------------------------------------------------------
    def set_explanation(self, explanation: Explanation | None, context: ExplainContext | None) -> None:
        """Set the terms of a cell; the tail stays open while the stage stays the same."""
        before, headers = (self.rowCount(), self.columnCount()), self._written_headers()
        self._take(explanation, context)
        if before == (self.rowCount(), self.columnCount()) and min(before) > 0:  # a table laid out as it is stays so
            last = self.index(before[0] - 1, before[1] - 1)
            if headers != self._written_headers():
                self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, last.column())
            self.dataChanged.emit(self.index(0, 0), last)
        else:
            self.beginResetModel()
            self.endResetModel()

    def _written_headers(self) -> list[object]:
        return [self.headerData(column, Qt.Orientation.Horizontal) for column in range(self.columnCount())]

    def _take(self, explanation: Explanation | None, context: ExplainContext | None) -> None:
        self._terms = explanation.row if explanation is not None else None
        stage = plain_name(explanation.stage) if explanation is not None else ""
        self._letter = cell_symbol(explanation.stage) if explanation is not None else ""
        self._expanded = self._expanded and stage == self._stage
        self._context, self._stage = context, stage
        self._entry = explanation.entry if explanation is not None and stage in STAGE else None
        self._fractions = self._entry is not None and self._entry.fractions  # which may look at all that is set by hand
        self._wording = "" if explanation is None else explanation.entry.wording
        self._chosen = explanation.index[-1] if explanation is not None and self.of_weights() else -1
        self._values = self._terms.values if self._terms is not None else np.empty(0)
        size = self._values if self.of_weights() else np.abs(self._values)
        self._order = np.argsort(-np.nan_to_num(size, nan=np.inf), kind="stable")
        self._headers = self._number_headers()
        self._count_rows()

    def expand(self) -> None:
        """List the tail too."""
        if self.has_tail():
            self.beginResetModel()
            self._expanded = True
            self._count_rows()
            self.endResetModel()

    def _count_rows(self) -> None:
        """Count the rows anew, after other terms are shown, or more of them."""
        self._faces.clear()
        self._writers.clear()
        self._largest = None
        self._shape = self.shown() + self.has_tail(), len(self._headers) + 2

    def alone(self, row: int) -> bool:
        """Return whether a row has a name and a value and nothing between: the tail, a bias among products."""
        return self._is_tail(row) or len(self._term(row).cells) != len(self._headers)

    def has_tail(self) -> bool:
        """Return whether the last row stands for several terms."""
        return len(self._order) > ALL_UP_TO and not self._expanded

    def shown(self) -> int:
        """Return the number of terms with a row of their own."""
        return TOP if self.has_tail() else len(self._order)

    def count(self) -> int:
        """Return the number of terms."""
        return len(self._order)

    def of_weights(self) -> bool:
        """Return whether the terms are the weights of a row."""
        return self._entry is not None and self._entry.role is Role.WEIGHT

    @property
    def two_states(self) -> OtherState | None:
        """The row of weights in the state before, where it stands beside the present one."""
        return self._context.before if self._context is not None and self.of_weights() else None

    def _over_keys(self) -> bool:
        return self._entry is not None and (self.of_weights() or self._entry.over_keys)

    def product(self) -> str:
        """Return `q·k`: what a term is, in letters; empty where the terms are no products."""
        return self._value_header() if self._headers and not self.of_weights() else ""

    def largest(self) -> float:
        """Return the length that a full bar stands for: 1 for weights up to 1, else the largest finite row."""
        if self._fractions:
            return 1.0
        if self._largest is None:
            rows = [abs(self._row_value(row)) for row in range(min(self.rowCount(), ALL_UP_TO))]
            self._largest = max((value for value in rows if np.isfinite(value)), default=0.0) or 1.0
        return self._largest

    def signed(self) -> bool:
        """Return whether bars differ by sign."""
        return not self._fractions

    def cell(self, index: Index) -> Cell | None:
        """Return the cell that a row or number leads to: the number's own cell, or the first one of the term."""
        if not index.isValid() or self._is_tail(index.row()):
            return None
        cells = self._term(index.row()).cells
        return cells[min(max(index.column() - 1, 0), len(cells) - 1)] if cells else None

    def copied(self) -> CopiedCells:
        """Return every term, the tail too, with its numbers in full precision."""
        columns = [str(self.headerData(k, Qt.Orientation.Horizontal) or "") for k in range(1, self.columnCount())]
        names = [self._name(row) for row in range(self.count())]
        return CopiedCells(
            (self.count(), len(columns)), lambda: list(map(self._numbers, range(self.count()))), names, columns
        )

    def _name(self, row: int) -> str:
        term = self._term(row)
        if len(term.cells) != len(self._headers):
            return cell_name(term.cells[0].name, term.cells[0].index) if term.cells else ""
        return self._label(term)

    def _numbers(self, row: int) -> list[object]:
        cells = self._term(row).cells
        factors: list[object] = [np.float64(cell.value) for cell in cells]
        if self.two_states is not None:
            factors = [np.float64(self._old_value(row))]
        return [
            *(factors if len(cells) == len(self._headers) else [""] * len(self._headers)),
            np.float64(self._values[self._order[row]]),
        ]

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if orientation == Qt.Orientation.Vertical:
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            last = section == self.columnCount() - 1 or self.two_states is not None
            side = Qt.AlignmentFlag.AlignRight if section and not last else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        if section == 0:
            return (
                self.tr("key") if self._over_keys() else "c" if self.tight >= Tightness.SIGNS and self._headers else ""
            )
        if section <= len(self._headers):
            text, _color = self._headers[section - 1]
            return text.partition("[")[0] if self.tight >= Tightness.CELLS else text
        return self._value_header()

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        row, column = index.row(), index.column()
        if role == Qt.ItemDataRole.ToolTipRole and column == 0:
            return plain_tip(self.term_cell(row, 0).text)
        if role == Qt.ItemDataRole.DisplayRole:
            return self.term_cell(row, column).text
        if role == Qt.ItemDataRole.TextAlignmentRole and column:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        return None

    def term_cell(self, row: int, column: int) -> TermCell:
        """Return the contents of a cell, made once."""
        place = row, self.tight
        if place not in self._faces:
            self._faces[place] = self._made_faces(row)
        return self._faces[place][column]

    def forget_words(self) -> None:
        """Write everything again, in another language."""
        self._faces.clear()

    def _made_faces(self, row: int) -> tuple[TermCell, ...]:
        """Return the name, the numbers and the value of a row."""
        tail, value, chosen = self._is_tail(row), self._row_value(row), self._is_chosen(row)
        name = self.tr("{count} more").format(count=self.count() - self.shown()) if tail else self._name(row)
        cells = () if tail else self._term(row).cells
        writers, write_value = self._ways_of_writing()
        if len(cells) == len(self._headers):
            texts = [write(cell.value) for write, cell in zip(writers, cells, strict=True)]
        else:  # the tail, a bias among products, or addends of different matrices
            texts = [""] * len(self._headers)
        numbers = [TermCell(text, None, chosen, color) for text, (_, color) in zip(texts, self._headers, strict=True)]
        if self.two_states is not None:
            old, least = self._old_value(row), 10.0 ** -self._decimals(4)
            write_value = partial(_small_written, write=write_value, least=least)
            numbers = [TermCell(write_value(old), old, chosen, "text")]
        return TermCell(name, None, chosen, "text"), *numbers, TermCell(write_value(value), value, chosen, "text")

    def _ways_of_writing(self) -> tuple[tuple[Write, ...], Write]:
        """Return how the columns of numbers and values are written, the values as the largest asks for."""
        if self.tight not in self._writers:
            decimals = self._decimals(4 if self.of_weights() else 3)
            rows = [row for row in range(min(self.shown(), ALL_UP_TO)) if not self.alone(row)]
            values = [self._row_value(row) for row in rows]
            factors = [tuple(cell.value for cell in self._term(row).cells) for row in rows]
            write_value = column_writer((self._row_value(first) for first in range(min(self.shown(), 1))), decimals)
            if rows and not self.of_weights() and all(map(is_whole, [*values, *self._tail_value()])):
                write_value = partial(column_number, decimals=0)
            columns = _factor_writers(factors, values, decimals) if rows else ()
            self._writers[self.tight] = columns or (column_writer((), decimals),) * len(self._headers), write_value
        return self._writers[self.tight]

    def _tail_value(self) -> list[float]:
        return [self._row_value(self.shown())] if self.has_tail() else []

    def _decimals(self, most: int) -> int:
        return most - 1 if self.tight >= Tightness.DECIMAL else most

    def _label(self, term: Term) -> str:
        """Return the key of a term, or the column that its first cell has in the tables, which count all heads."""
        place = term.cells[0].index[-1]
        if self._over_keys() and self._context is not None:
            return self._context.key_name(place)
        return str(place) if self.tight >= Tightness.SIGNS else f"c = {place}"

    def _row_value(self, row: int) -> float:
        if self._is_tail(row):
            with np.errstate(all="ignore"):  # ∞ beside −∞
                return float(self._values[self._order[self.shown() :]].sum())
        return float(self._values[self._order[row]])

    def _old_value(self, row: int) -> float:
        """Return the weight of a row of the table, or the sum of those of the tail, in the state before."""
        assert self.two_states is not None
        order = self._order[self.shown() :] if self._is_tail(row) else self._order[row : row + 1]
        keys = [self._terms[int(place)].cells[0].index[-1] for place in order] if self._terms is not None else []
        return float(self.two_states.row[keys].sum())

    def _is_tail(self, row: int) -> bool:
        return self.has_tail() and row == self.shown()

    def _is_chosen(self, row: int) -> bool:
        return self._chosen >= 0 and not self._is_tail(row) and self._term(row).cells[0].index[-1] == self._chosen

    def _term(self, row: int) -> Term:
        assert self._terms is not None, "a row stands for a term"
        return self._terms[int(self._order[row])]

    def _number_headers(self) -> tuple[tuple[str, str], ...]:
        """Return one column a number of the first term: `Q[10, c]`, with a letter where the index runs, beside it
        `K[3, c − 2]` where heads share K."""
        if not self._terms:
            return ()
        first = self._terms[0]
        if self.two_states is not None:
            return ((self.two_states.names[0], "text"),)
        if self.of_weights():
            return ((cell_symbol(first.cells[0].name), "text2"),)
        last = next(term for term in reversed(self._terms) if len(term.cells) == len(first.cells))
        if any(a.name != b.name for a, b in zip(first.cells, last.cells, strict=True)):
            return ()  # one of each kind: every row names its own cell
        letter = "j" if self._over_keys() else "c"
        ends = zip(first.cells, last.cells, strict=True)
        start = first.cells[0].index[-1]
        return tuple((running_name(a, b, letter, start), role_of(a.name) or "text2") for a, b in ends)

    def _value_header(self) -> str:
        if self.two_states is not None:
            return self.two_states.names[1]
        if self.of_weights():
            return self._letter  # a⁰ of weights that a change by hand left behind
        if not self._terms:
            return "a"
        if self._wording == "norm":
            return cell_symbol(self._stage)
        of_score = self._context is not None and self._wording == "score"
        score = SCORES[self._context.problem.score] if self._context is not None and of_score else None
        if score is not None and score.term:
            return score.term
        if not self._headers or (score is not None and not score.dot):
            return self.tr("value")
        return "·".join(cell_symbol(cell.name) for cell in self._terms[0].cells)


def _factor_writers(factors: list[tuple[float, ...]], values: list[float], decimals: int) -> tuple[Write, ...]:
    """Return how each column of factors is written: a column of whole numbers without decimals.

    Printed factors give their printed product: where they do not, whole columns get digits more, as few as can be.
    """
    columns = list(zip(*factors, strict=True))
    printed = PrintedNumbers(partial(_written_factor, decimals))
    for column, numbers in enumerate(columns):
        printed.alike(numbers, column)
    for pair, value in zip(factors, values, strict=True):
        if len(pair) == 2 and math.isfinite(value) and math.isclose(pair[0] * pair[1], value, rel_tol=1e-5):
            printed.add(value, math.prod, pair, decimals)
    printed.settle()
    return tuple(_column_writer(column, decimals, printed) for column in columns)


def _written_factor(decimals: int, factor: float, more: int) -> str:
    return column_number(factor, 0) if is_whole(factor) else column_writer((), decimals + more)(factor)


def _column_writer(column: Sequence[float], decimals: int, printed: PrintedNumbers) -> Write:
    """Return how a column is written: whole numbers without decimals, others with those that its products ask for."""
    if column and all(map(is_whole, column)):
        return partial(column_number, decimals=0)
    return column_writer((), decimals + max(map(printed.more, column), default=0))


def _small_written(value: float, *, write: Write, least: float) -> str:
    """Return a weight beside the same one in another state: where it is next to nothing, how small does not matter."""
    return f"< {least:g}" if 0 < value < least / 2 else write(value)


PADDING = 5
ROUNDING = 1  # advances are rounded, and a text that lacks half a pixel would be cut
MOST_ROWS = 24  # of more, listed on request, the table scrolls by itself
LEAST_BAR, SLIVER = 24, 6  # a bar that tells sizes apart, and one that gives way to a word
MEASURED = 40  # rows whose texts decide the widths of the columns
ELIDE, ONE_LINE = Qt.TextElideMode.ElideRight, Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine
SIDES = int(Qt.AlignmentFlag.AlignLeft | ONE_LINE), int(Qt.AlignmentFlag.AlignRight | ONE_LINE)  # of names, of numbers
FOCUSED = QStyle.StateFlag.State_HasFocus.value
DIGITS = str.maketrans("123456789", "000000000")


class TermsHeader(QHeaderView):
    """Names the columns; in symbols such as W_Q the subscript is lowered, as everywhere."""

    def paintSection(self, painter: QPainter, rect: QRect, section: int) -> None:
        text = str(self.model().headerData(section, Qt.Orientation.Horizontal) or "")
        if "_" not in text:
            super().paintSection(painter, rect, section)
            return
        option = QStyleOptionHeaderV2()
        self.initStyleOption(option)
        self.initStyleOptionForIndex(option, section)
        option.rect, option.text = rect, ""
        self.style().drawControl(QStyle.ControlElement.CE_Header, option, painter, self)
        words, font = SentenceRun(text, "text2"), ui_font("small")
        layout, _ = laid_out_sentence(with_scripts(words), font, rect.width())
        room = rect.adjusted(scaled(PADDING), 0, -scaled(PADDING), 0)
        room.setLeft(max(room.left(), room.right() - math.ceil(layout.lineAt(0).naturalTextWidth())))
        paint_words(painter, room, words, font)


class TermsView(QTableView):
    """Shows a TermsModel; a click or Enter follows a number to its cell, or opens the tail."""

    cellRequested = Signal(str, tuple)  # stage or field, and the index in its axes

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("inspector.terms")
        own_viewport(self)
        self.setHorizontalHeader(TermsHeader(Qt.Orientation.Horizontal, self))
        self._terms = TermsModel(self)
        self._widths: dict[tuple[int, int], int] = {}  # (column, how little the table says) of the present terms
        self._alone: frozenset[int] = frozenset()
        self.setModel(self._terms)
        self.setItemDelegate(TermDelegate(self))
        self._terms.modelReset.connect(self._on_terms_model_reset)
        self._terms.dataChanged.connect(self._on_terms_data_changed)
        self.clicked.connect(self.follow)
        self._build()

    def terms(self) -> TermsModel:
        """Return the model behind the rows."""
        return self._terms

    def follow(self, index: Index) -> None:
        """Go where a row leads; the row of the tail opens."""
        if cell := self._terms.cell(index):
            self.cellRequested.emit(cell.name, cell.index)
        elif index.isValid() and self._terms.has_tail():
            first = self._terms.shown()
            self._terms.expand()
            self.setCurrentIndex(self._terms.index(first, 0))

    def copied(self) -> CopiedCells | None:
        """Return all terms in full precision."""
        return self._terms.copied() if self._terms.count() else None

    def value_width(self, column: int = -1) -> int:
        """Return the room of the numbers before the bars, by default of the last column."""
        return self._widest(column % self._terms.columnCount())

    def sizeHint(self) -> QSize:
        return QSize(self._least_width(), self._height_of(min(self._terms.rowCount(), MOST_ROWS)))

    def minimumSizeHint(self) -> QSize:
        room = SIZE.right_compact - 2 * (SPACING.panel_padding_compact + SPACING.xs)  # the tabs have a margin, too
        return QSize(min(self._least_width(), scaled(room)), self._height_of(min(self._terms.rowCount(), MOST_ROWS)))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._share_width()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.follow(self.currentIndex())
        else:
            super().keyPressEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.verticalScrollBar().maximum() > 0:
            super().wheelEvent(event)
        else:
            event.ignore()  # the page scrolls

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._on_terms_model_reset()
        elif event.type() == QEvent.Type.LanguageChange:
            self._widths.clear()
            self._terms.forget_words()
            self._terms.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, self._terms.columnCount() - 1)
            self.viewport().update()

    def _build(self) -> None:
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        self.setWordWrap(False)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header = self.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header.setStretchLastSection(True)
        style_text(header, "small")
        header.setMinimumSectionSize(1)

    def _on_terms_data_changed(self) -> None:
        """Lay out anew only what other numbers in as many rows and columns can change."""
        before, alone = self.minimumSizeHint(), self._alone
        self._forget_widths()
        if alone != self._alone:
            self._join_cells()
        self._share_width()
        if before != self.minimumSizeHint():
            self.updateGeometry()

    def _forget_widths(self) -> None:
        self._widths.clear()
        self._alone = frozenset(row for row in self._measured() if self._terms.alone(row))

    def _on_terms_model_reset(self) -> None:
        self._forget_widths()
        self.verticalHeader().setMinimumSectionSize(1)
        self.verticalHeader().setDefaultSectionSize(row_height())
        self.horizontalHeader().setFixedHeight(max(scaled(SIZE.table_header), _metrics("small").height() + SPACING.s))
        self.setMaximumHeight(self._height_of(min(max(self._terms.rowCount(), 1), MOST_ROWS)))
        self._join_cells()
        self._share_width()
        self.updateGeometry()

    def _join_cells(self) -> None:
        """Join the cells of a name with nothing between it and its value."""
        self.clearSpans()
        if (columns := self._terms.columnCount()) > 2:
            for row in self._alone:
                self.setSpan(row, 0, 1, columns - 1)

    def _measured(self) -> list[int]:
        """Return the rows whose texts are looked at: the first ones and the last."""
        count = self._terms.rowCount()
        return [*range(min(count, MEASURED)), *range(max(count - 1, MEASURED), count)]

    def _share_width(self) -> None:
        """Share the width: numbers get what they need, then the label; the bars get what is left.

        Where even that is too much, words and decimals are left out.
        """
        columns = self._terms.columnCount()
        room = self.viewport().width()
        if columns < 2 or room <= 0:
            return
        for tight in Tightness:
            self._terms.tight = tight
            if sum(map(self._widest, range(columns))) + scaled(SLIVER) <= room:
                break
        middle = [self._widest(column) for column in range(1, columns - 1)]
        if self._terms.two_states is not None:  # bars of the same length stand in both
            middle = [width + max(0, room - sum(map(self._widest, range(columns)))) // 2 for width in middle]
        for column, width in enumerate(middle, 1):
            self.setColumnWidth(column, width)
        rest = room - sum(middle) - self.value_width()
        label = min(self._widest(0), max(rest - scaled(SLIVER), rest // 3))
        share = max(label, min(rest // 2, room // 4)) if rest - label > scaled(4 * LEAST_BAR) else label
        self.setColumnWidth(0, max(share, 1))

    def _least_width(self) -> int:
        return sum(self._widest(column) for column in range(self._terms.columnCount())) + scaled(LEAST_BAR)

    def _widest(self, column: int) -> int:
        """Return the width that the texts of a column take, header included."""
        place = column, self._terms.tight
        if place not in self._widths:
            self._widths[place] = self._measured_width(column)
        return self._widths[place]

    def _measured_width(self, column: int) -> int:
        joined = column < self._terms.columnCount() - 1 and self._terms.columnCount() > 2
        rows = [row for row in self._measured() if not (joined and row in self._alone)]
        texts = [text_width(self._terms.term_cell(row, column).text) for row in rows]
        header = self._terms.headerData(column, Qt.Orientation.Horizontal)
        widest = max([*texts, _metrics("small").horizontalAdvance(str(header or ""))])
        return widest + 2 * scaled(PADDING) + ROUNDING

    def _height_of(self, rows: int) -> int:
        frame = 2 * self.frameWidth() + 2
        return self.horizontalHeader().height() + rows * row_height() + frame


class TermDelegate(QStyledItemDelegate):
    """Paints one number; the last column also a bar as long as the number is large."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        view, theme, column = option.widget, current_theme(), index.column()
        if not isinstance(view, TermsView):
            return
        term_cell, rect, padding = view.terms().term_cell(index.row(), column), option.rect, scaled(PADDING)
        if term_cell.chosen:
            painter.fillRect(rect, theme.key_soft)
        font = ui_font("body", weight=600 if term_cell.chosen else 400, tabular=True)
        painter.setFont(font)
        room = rect.adjusted(padding, 0, -padding, 0)
        if term_cell.value is not None:
            width = view.value_width(column)
            room.setWidth(width - 2 * padding)
            self._paint_bar(painter, rect.adjusted(width, 0, 0, 0), term_cell, view.terms())
        painter.setPen(theme.key if term_cell.chosen and not column else getattr(theme, term_cell.color))
        fits = text_width(term_cell.text) <= room.width()
        text = term_cell.text if fits else QFontMetrics(font).elidedText(term_cell.text, ELIDE, room.width())
        painter.drawText(room, SIDES[column > 0], text)
        if view.hasFocus() and option.state.value & FOCUSED:
            paint_focus_ring(painter, rect)

    def _paint_bar(self, painter: QPainter, room: QRect, term_cell: TermCell, terms: TermsModel) -> None:
        value = term_cell.value
        if value is None or value != value:
            return
        share = min(abs(value) / terms.largest(), 1.0)
        length = max((room.width() - scaled(2)) * share, 1.0)
        height = room.height() * 0.45
        bar = QRectF(room.left(), room.center().y() + 0.5 - height / 2, length, height)
        theme = current_theme()
        chosen_or_not = theme.key if term_cell.chosen else theme.text3
        painter.fillRect(bar, sign_color(value, theme.name) if terms.signed() else chosen_or_not)


def row_height() -> int:
    """Return the height of a term: the look's row, or more where the font asks for it."""
    return max(scaled(SIZE.terms_row), _metrics("body").height() + 2)


def text_width(text: str) -> int:
    """Return the width of a text of the table at its boldest; all digits have one width, so that few are measured."""
    return _width_of(text.translate(DIGITS), scaled(FONT_SIZE.body))


@lru_cache(maxsize=1 << 12)
def _width_of(text: str, _size: int) -> int:
    return _metrics("body").horizontalAdvance(text)


def _metrics(size: str) -> QFontMetrics:
    font = ui_font(size, weight=QFont.Weight.DemiBold, tabular=True)
    return QFontMetrics(font)
