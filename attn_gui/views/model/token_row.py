"""Row of the tokens of a text, as the tokenizer cut them; the chosen one is where the prediction is read."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QPoint, QSignalBlocker, QSize, QStringListModel, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractItemView, QApplication, QListView, QWidget

from attn_gui.figure.text.labels import token_label
from attn_gui.figure.tokens import LINE, SPACING
from attn_gui.views.bases.retranslated import Retranslated
from attn_gui.views.theme import current_theme, dress, scaled


class TokenRow(Retranslated, QListView):
    """Tokens from left to right; a click or the arrows choose one."""

    tokenPicked = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("model.tokens")
        self._texts = QStringListModel(self)
        self._target = -1
        self.setModel(self._texts)
        self.setFlow(QListView.Flow.LeftToRight)
        self.setWrapping(False)
        self.setSpacing(SPACING.xs)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        dress(self, "small")
        self.selectionModel().currentChanged.connect(self._on_current_changed)
        self.retranslate()

    # --- silent setters --------------------------------------------------------------------------
    def set_tokens(self, tokens: Sequence[str], chosen: int) -> None:
        """Show these tokens, one of them chosen."""
        texts = [token_label(token) for token in tokens]
        with QSignalBlocker(self.selectionModel()):
            if texts != self._texts.stringList():
                self._texts.setStringList(texts)
            index = self._texts.index(chosen)
            self.setCurrentIndex(index)
        self.scrollTo(index)
        self.viewport().update()

    def set_target(self, position: int) -> None:
        """Frame the token onto which something is drawn; −1 for none."""
        if position != self._target:
            self._target = position
            self.viewport().update()

    def position_at(self, at: QPoint) -> int:
        """The token at a point of the screen; −1 where there is none."""
        place = self.viewport().mapFromGlobal(at)
        return self.indexAt(place).row() if self.viewport().rect().contains(place) else -1

    def retranslate(self) -> None:
        """All words in the present language."""
        self.setAccessibleName(self.tr("Tokens of the text"))
        self.setToolTip(self.tr("The text as the tokenizer cuts it: the prediction is read at the chosen token"))

    # --- what Qt asks ----------------------------------------------------------------------------
    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._target >= 0:
            painter, thick = QPainter(self.viewport()), scaled(LINE.focus)
            painter.setPen(QPen(current_theme().accent, thick))
            painter.drawRect(self.visualRect(self._texts.index(self._target)).adjusted(1, 1, -thick, -thick))
            painter.end()

    def sizeHint(self) -> QSize:
        row = self.sizeHintForRow(0) if self._texts.rowCount() else self.fontMetrics().height()
        bar = self.horizontalScrollBar().sizeHint().height()
        return QSize(super().sizeHint().width(), row + 2 * (SPACING.xs + self.frameWidth()) + bar)

    def minimumSizeHint(self) -> QSize:
        return QSize(super().minimumSizeHint().width(), self.sizeHint().height())

    def _on_current_changed(self, now: QModelIndex, _before: QModelIndex) -> None:
        if now.isValid():
            self.tokenPicked.emit(now.row())


class CarriedTokens(TokenRow):
    """Tokens that can be drawn elsewhere; Esc lets go of one on the way."""

    carried = Signal(int, QPoint)  # a token, and where on the screen it is
    dropped = Signal(int, QPoint)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._pressed, self._from, self._carries = -1, QPoint(), False

    def retranslate(self) -> None:
        """Say what a token is drawn for, in a subclass."""

    def mousePressEvent(self, event: QMouseEvent) -> None:
        super().mousePressEvent(event)
        left = event.button() == Qt.MouseButton.LeftButton
        self._from = event.position().toPoint()
        self._pressed = self.indexAt(self._from).row() if left else -1

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._pressed < 0:
            super().mouseMoveEvent(event)
            return
        far = (event.position().toPoint() - self._from).manhattanLength() >= QApplication.startDragDistance()
        if far and not self._carries:
            self._carries = True
            self.viewport().setCursor(Qt.CursorShape.ClosedHandCursor)
        if self._carries:
            self.carried.emit(self._pressed, event.globalPosition().toPoint())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._carries:
            self._let_go(event.globalPosition().toPoint())
        else:
            super().mouseReleaseEvent(event)
        self._pressed = -1

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self._carries and event.key() == Qt.Key.Key_Escape:
            self._let_go(QPoint(-1, -1))
            self._pressed = -1
        else:
            super().keyPressEvent(event)

    def _let_go(self, at: QPoint) -> None:
        self._carries = False
        self.viewport().unsetCursor()
        self.dropped.emit(self._pressed, at)
