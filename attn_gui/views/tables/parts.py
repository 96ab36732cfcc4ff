"""What stands around a table: title, shape badge, the bar of ways out, and the place that holds whole rows."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, QRect, QSize, Qt, Signal
from PySide6.QtGui import QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from attn_gui.figure.tokens import SPACING, Theme
from attn_gui.views.tables.view import MatrixView
from attn_gui.views.theme import current_theme, dress


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

    def plain(self) -> str:
        rows, columns = self._shape
        cut = f" = {rows} × ({self._heads[0]} · {self._heads[1]})" if self._heads else ""
        return f"{rows} × {columns}{cut}"

    def set_theme(self, theme: Theme) -> None:
        if not self._wrong:
            self.setText(self.plain())
            return
        chip = f"background: {theme.error_soft.name()}; color: {theme.error.name()}; font-weight: 600"
        numbers = [f'<span style="{chip}">&nbsp;{n}&nbsp;</span>' if axis in self._wrong else str(n)
                   for axis, n in enumerate(self._shape)]  # fmt: skip
        self.setText(" × ".join(numbers))


class ChoiceBar(QFrame):
    """A sentence and the ways out of it."""

    picked = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("bar", "true")
        self._text, self._buttons = QLabel(), QHBoxLayout()
        self._text.setTextFormat(Qt.TextFormat.PlainText)
        self._text.setWordWrap(True)
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACING.m, SPACING.s, SPACING.m, SPACING.m)
        column.setSpacing(SPACING.s)
        column.addWidget(self._text)
        column.addLayout(self._buttons)
        self.hide()

    def set_choices(self, text: str, choices: Sequence[tuple[str, str]]) -> None:
        while (item := self._buttons.takeAt(0)) is not None:
            button = item.widget()
            if button is not None:
                button.deleteLater()
        self._text.setText(text)
        for key, label in choices:
            button = QPushButton(label)
            button.clicked.connect(lambda _=False, key=key: self.picked.emit(key))
            self._buttons.addWidget(button)
        self._buttons.addStretch(1)
        self.setVisible(bool(text))


class WholeRows(QWidget):
    """Gives its table room for as many whole rows as fit, and no more than it has."""

    def __init__(self, view: MatrixView) -> None:
        super().__init__()
        self._view = view
        view.setParent(self)
        view.horizontalScrollBar().installEventFilter(self)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.fit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Show, QEvent.Type.Hide):
            self.fit()
        return super().eventFilter(watched, event)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, self._around() + 2 * self._view.rows.defaultSectionSize())

    def _around(self) -> int:
        """The height of everything but rows."""
        view, bar = self._view, self._view.horizontalScrollBar()
        return view.columns.sizeHint().height() + 2 * view.frameWidth() + (bar.height() if bar.isVisible() else 0)

    def fit(self) -> None:
        """Cut the table to whole rows; a small one is no larger than its cells."""
        view, row, around = self._view, self._view.rows.defaultSectionSize(), self._around()
        count = view.model().rowCount() if view.model() is not None else 0
        shown = max(1, min((self.height() - around) // row, count or 1))
        bar = view.verticalScrollBar().sizeHint().width() if shown < count else 0
        width = view.rows.sizeHint().width() + view.columns.length() + 2 * view.frameWidth() + bar
        view.setGeometry(QRect(0, 0, min(width, self.width()) if count else self.width(), around + row * shown))
