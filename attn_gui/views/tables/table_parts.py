"""Parts around a table: title, shape badge, the bar of ways out, and the place that holds whole rows."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRect, QSize, Qt, Signal
from PySide6.QtGui import QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from attn_gui.figure.tokens import SPACING, Theme
from attn_gui.views.bases.wrapped_label import WrappedLabel
from attn_gui.views.inspector.links import clear
from attn_gui.views.tables.view import MatrixView
from attn_gui.views.theme import current_theme, dress

LEAST_ROWS = 1


class TitleRow(QWidget):
    """Symbol and name on the left, the shape on the right."""

    doubleClicked = Signal()

    def __init__(self, symbol: QLabel, name: QLabel, shape: QLabel) -> None:
        super().__init__()
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(SPACING.m)
        for label in (symbol, name, shape):
            if label is shape:
                row.addStretch(1)
            else:
                label.setTextFormat(Qt.TextFormat.PlainText)
            row.addWidget(label)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.doubleClicked.emit()


class ShapeBadge(QLabel):
    """Rows and columns, and how the columns are cut into heads; a clashing number is a red chip."""

    def __init__(self) -> None:
        super().__init__()
        self._shape, self._wrong = (0, 0), frozenset[int]()
        self._heads: tuple[int, int] | None = None
        dress(self, "small", "text2")
        self.setTextFormat(Qt.TextFormat.RichText)  # numbers only, never text out of a file

    def set_shape(self, shape: tuple[int, int], heads: tuple[int, int] | None, wrong: frozenset[int]) -> None:
        self._shape, self._heads, self._wrong = shape, heads, wrong
        self.set_theme(current_theme())

    def set_wrong(self, wrong: frozenset[int]) -> None:
        self.set_shape(self._shape, self._heads, wrong)

    def plain(self) -> str:
        rows, columns = self._shape
        cut = f" = {rows} × ({self._heads[0]} · {self._heads[1]})" if self._heads else ""
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

    picked = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("bar", "true")
        self._text, self._buttons = WrappedLabel(), QHBoxLayout()
        self._ways: tuple[tuple[str, str], ...] = ()
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACING.m, SPACING.s, SPACING.m, SPACING.m)
        column.setSpacing(SPACING.s)
        column.addWidget(self._text)
        column.addLayout(self._buttons)
        self.hide()

    def set_choices(self, text: str, choices: Sequence[tuple[str, str]]) -> None:
        self._text.setText(text)
        if (ways := tuple(choices)) != self._ways:  # else the same buttons would be out of sight for a moment
            self._ways = ways
            self._set_buttons(ways)
        self.setVisible(bool(text))

    def _set_buttons(self, ways: Sequence[tuple[str, str]]) -> None:
        clear(self._buttons)
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
        """The height that so many rows take, headers and scroll bar included."""
        return self._around() + rows * self.view.rows.defaultSectionSize()

    def fit(self) -> None:
        """Cut the table to whole rows; a small one is no larger than its cells."""
        view, row, around = self.view, self.view.rows.defaultSectionSize(), self._around()
        count = view.model().rowCount() if view.model() is not None else 0
        shown = max(1, min((self.height() - around) // row, count or 1))
        bar = view.verticalScrollBar().sizeHint().width() if shown < count else 0
        width = self._across() + bar
        view.setGeometry(QRect(0, 0, min(width, self.width()) if count else self.width(), around + row * shown))

    def _across(self) -> int:
        """The width that all columns would take, also where a scroll bar has left them less than they need."""
        columns = max(self.view.columns.length(), self.view.least_length())
        return self.view.rows.sizeHint().width() + columns + 2 * self.view.frameWidth()

    def _around(self) -> int:
        """The height of everything but rows.

        Whether there is a scroll bar follows from the columns; asking the bar itself, which comes and goes with the
        height that is computed here, would never come to rest.
        """
        view = self.view
        bar = view.horizontalScrollBar().sizeHint().height() if self._across() > self.width() else 0
        return view.columns.sizeHint().height() + 2 * view.frameWidth() + bar
