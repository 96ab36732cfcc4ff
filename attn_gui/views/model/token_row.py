"""Row of the tokens of a text, as the tokenizer cut them; the chosen one is where the prediction is read."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QModelIndex, QSize, QStringListModel, Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QListView, QWidget

from attn_gui.figure.text.labels import visible_text
from attn_gui.figure.tokens import SPACING
from attn_gui.views.theme import dress


class TokenRow(QListView):
    """Tokens from left to right; a click or the arrows choose one."""

    tokenPicked = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("model.tokens")
        self._texts = QStringListModel(self)
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
        blocked = self.selectionModel().blockSignals(True)
        texts = [visible_text(token) for token in tokens]
        if texts != self._texts.stringList():
            self._texts.setStringList(texts)
        index = self._texts.index(chosen)
        self.setCurrentIndex(index)
        self.selectionModel().blockSignals(blocked)
        self.scrollTo(index)
        self.viewport().update()

    def retranslate(self) -> None:
        """All words in the present language."""
        self.setAccessibleName(self.tr("Tokens of the text"))
        self.setToolTip(self.tr("The text as the tokenizer cuts it: the prediction is read at the chosen token"))

    # --- what Qt asks ----------------------------------------------------------------------------
    def sizeHint(self) -> QSize:
        row = self.sizeHintForRow(0) if self._texts.rowCount() else self.fontMetrics().height()
        bar = self.horizontalScrollBar().sizeHint().height()
        return QSize(super().sizeHint().width(), row + 2 * (SPACING.xs + self.frameWidth()) + bar)

    def minimumSizeHint(self) -> QSize:
        return QSize(super().minimumSizeHint().width(), self.sizeHint().height())

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)

    def _on_current_changed(self, now: QModelIndex, _before: QModelIndex) -> None:
        if now.isValid():
            self.tokenPicked.emit(now.row())
