"""The table of terms or addends as a widget: widths, what is left out where room lacks, bars, lowered subscripts."""

from __future__ import annotations

import math
from functools import lru_cache

from PySide6.QtCore import QEvent, QRect, QRectF, QSize, Qt, Signal
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
from attn_gui.document.matrix_model import Index
from attn_gui.figure.colors import sign_color
from attn_gui.figure.design_tokens import FONT_SIZE, SIZE, SPACING
from attn_gui.views.inspector.terms_model import TermCell, TermsModel, Tightness
from attn_gui.views.text_views import SentenceRun, laid_out_sentence, paint_words, with_scripts
from attn_gui.views.theme import current_theme, scaled, style_text, ui_font
from attn_gui.views.widgets import own_viewport, paint_focus_ring

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
        self._without_factors: frozenset[int] = frozenset()
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
        before, without_factors = self.minimumSizeHint(), self._without_factors
        self._forget_widths()
        if without_factors != self._without_factors:
            self._join_cells()
        self._share_width()
        if before != self.minimumSizeHint():
            self.updateGeometry()

    def _forget_widths(self) -> None:
        self._widths.clear()
        self._without_factors = frozenset(row for row in self._measured() if self._terms.has_no_factors(row))

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
            for row in self._without_factors:
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
        rows = [row for row in self._measured() if not (joined and row in self._without_factors)]
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
