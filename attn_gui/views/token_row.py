"""The tokens of a text as a row to choose from, and the second text with its buttons Take the row, Compare."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QPoint, QSignalBlocker, QSize, QStringListModel, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QHBoxLayout,
    QLabel,
    QListView,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from attn_gui.figure.design_tokens import LINE, SPACING
from attn_gui.figure.text.rich_text import token_label
from attn_gui.views.theme import current_theme, scaled, style_text
from attn_gui.views.widgets import ChoiceBox, Retranslated, arrange


class TokenRow(Retranslated, QListView):
    """Row of a text's tokens, from left to right; a click or the arrows choose one."""

    tokenPicked = Signal(int)  # its position in the text

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("model.tokens")
        self._texts = QStringListModel(self)
        self._target = -1
        self.setModel(self._texts)
        self.setFlow(QListView.Flow.LeftToRight)
        self.setSpacing(SPACING.xs)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        style_text(self, "small")
        self.selectionModel().currentChanged.connect(self._on_current_changed)
        self.retranslate()

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
        """Return the token at a point of the screen; −1 where there is none."""
        place = self.viewport().mapFromGlobal(at)
        return self.indexAt(place).row() if self.viewport().rect().contains(place) else -1

    def retranslate(self) -> None:
        self.setAccessibleName(self.tr("Tokens of the text"))
        self.setToolTip(self.tr("The text as the tokenizer cuts it: the prediction is read at the chosen token"))

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._target >= 0:
            thick = scaled(LINE.focus)
            with QPainter(self.viewport()) as painter:
                painter.setPen(QPen(current_theme().accent, thick))
                painter.drawRect(self.visualRect(self._texts.index(self._target)).adjusted(1, 1, -thick, -thick))

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
    """Row of tokens that can be dragged elsewhere; Esc ends a drag."""

    carried = Signal(int, QPoint)  # a token, and where on the screen it is
    dropped = Signal(int, QPoint)  # a token, and where on the screen

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._pressed, self._from, self._carries = -1, QPoint(), False

    def retranslate(self) -> None:
        """Set no words: the view that holds the row says what its tokens are dragged for."""

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
        else:
            super().keyPressEvent(event)

    def _let_go(self, at: QPoint) -> None:
        self._carries = False
        self.viewport().unsetCursor()
        self.dropped.emit(self._pressed, at)
        self._pressed = -1


MOST_LETTERS = 12  # of a token in the list of places
FEWEST_LETTERS = 10  # of a step, where its list is narrow


class SecondText(Retranslated, QWidget):
    """A token that is dragged onto one of the first text, or the button, asks for its row; nothing is decided here."""

    rowAsked = Signal(str, int, int)  # stage, row of the second text, row of the first that it stands in for
    allAsked = Signal(str)  # the stage whose rows are all taken
    compareAsked = Signal()

    def __init__(self, first: TokenRow, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("model.second")
        self._first = first
        self.tokens = CarriedTokens(self)
        self._stage_label, self._stage = QLabel(self), ChoiceBox((), self)
        self._place_label, self._place = QLabel(self), ChoiceBox((), self)
        self._row, self._all, self._compare = QPushButton(self), QPushButton(self), QPushButton(self)
        self._counts = 0, 0
        self._name_parts()
        self.tokens.tokenPicked.connect(lambda position: self._place.set_key(str(min(position, self._counts[1] - 1))))
        self.tokens.activated.connect(self._ask_for_row)
        self.tokens.carried.connect(lambda _position, at: self._first.set_target(self._first.position_at(at)))
        self.tokens.dropped.connect(self._on_tokens_dropped)
        self._row.clicked.connect(self._ask_for_row)
        self._all.clicked.connect(lambda: self.allAsked.emit(self._stage.currentData()))
        self._compare.clicked.connect(self.compareAsked)
        self._build()
        self.retranslate()
        self.hide()

    def set_tokens(self, tokens: Sequence[str], first: Sequence[str]) -> None:
        """Show the tokens of the second text, and those of the first as places; nothing for no tokens."""
        known = min(max(self.tokens.currentIndex().row(), 0), len(tokens) - 1)
        self._counts = len(tokens), len(first)
        self.tokens.set_tokens(tokens, known)
        self._place.set_choices([(str(place), _named(place, token)) for place, token in enumerate(first)])
        self._all.setEnabled(len(tokens) == len(first))
        self._say_of_all()
        self.setVisible(bool(tokens))

    def set_stages(self, stages: Sequence[tuple[str, str]]) -> None:
        """Set (key, words) of the stages whose rows can be taken; the last one is proposed."""
        if list(stages) != self._stage.choices():
            known = self._stage.currentData()
            self._stage.set_choices(stages)
            if stages and known not in dict(stages):
                self._stage.set_key(stages[-1][0])

    def retranslate(self) -> None:
        self.setAccessibleName(self.tr("Second text"))
        self.tokens.setAccessibleName(self.tr("Tokens of the second text"))
        self.tokens.setToolTip(
            self.tr("Drag a token onto one of the first text: its row stands there instead; or press Enter")
        )
        self._stage_label.setText(self.tr("&Row of"))
        self._stage.setAccessibleName(self.tr("Step of which a row is taken"))
        self._stage.setToolTip(self.tr("The step of the layer on the table of which a row of the second text is taken"))
        self._place_label.setText(self.tr("&in the place of"))
        self._place.setAccessibleName(self.tr("Token of the first text"))
        self._place.setToolTip(self.tr("The token of the first text whose row it stands in for"))
        self._row.setText(self.tr("Take the row"))
        self._row.setToolTip(self.tr("Put the row of the chosen token of the second text there, as one step"))
        self._all.setText(self.tr("Take all rows"))
        self._compare.setText(self.tr("Compare"))
        self._compare.setToolTip(self.tr("Compare the layer on the table with the same layer of the second text"))
        self._say_of_all()

    # --- gestures --------------------------------------------------------------------------------
    def _ask_for_row(self) -> None:
        place = self._place.currentData()
        if self.tokens.currentIndex().isValid() and place is not None:
            self.rowAsked.emit(self._stage.currentData(), self.tokens.currentIndex().row(), int(place))

    def _on_tokens_dropped(self, position: int, at: QPoint) -> None:
        target = self._first.position_at(at)
        self._first.set_target(-1)
        if target >= 0:
            self._place.set_key(str(target))
            self.rowAsked.emit(self._stage.currentData(), position, target)

    def _say_of_all(self) -> None:
        second, first = self._counts
        tip = self.tr("Put every row of this step there, as one step")
        if second != first:
            words = self.tr("Needs texts of the same number of tokens; these have {second} and {first}")
            tip = words.format(second=second, first=first)
        self._all.setToolTip(tip)

    def _name_parts(self) -> None:
        self.tokens.setObjectName("model.second_tokens")
        self._stage.setObjectName("control.taken_stage")
        self._place.setObjectName("control.taken_place")
        self._row.setObjectName("model.take_row")
        self._all.setObjectName("model.take_all")
        self._compare.setObjectName("model.compare")
        self._stage_label.setBuddy(self._stage)
        self._place_label.setBuddy(self._place)

    def _build(self) -> None:
        place = self._place_label, self._place, self._row, self._all
        line = arrange(QHBoxLayout(), self._stage_label, (self._stage, 1), *place, 1, spacing=SPACING.m)
        self._stage.setSizeAdjustPolicy(ChoiceBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self._stage.setMinimumContentsLength(FEWEST_LETTERS)
        top = arrange(QHBoxLayout(), (self.tokens, 1), self._compare, spacing=SPACING.m)
        for label in (self._stage_label, self._place_label):
            style_text(label, tone="text2")
        arrange(QVBoxLayout(self), top, line, margins=0, spacing=SPACING.s)


def _named(place: int, token: str) -> str:
    """Return a place with its token, cut when long."""
    text = token_label(token)
    return f"{place}  {text if len(text) <= MOST_LETTERS else text[: MOST_LETTERS - 1] + '…'}"
