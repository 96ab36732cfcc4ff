"""The line at the top of the pictures that says what is shown, what was refused, and offers the ways out."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QAccessible, QAccessibleEvent, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QPushButton, QToolButton, QWidget
from shiboken6 import isValid

from attn_gui.figure.tokens import SIZE, SPACING
from attn_gui.views.icons import icon

Words = str | Callable[[], str]  # a callable is asked again when the language changes
Action = tuple[str, Words]  # key, label


class Banner(QFrame):
    """One sentence, up to three buttons, and a cross; never modal, never in the way of the work."""

    actionPicked = Signal(str)
    closed = Signal(str)  # what it was about, so that it can stay closed for good

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("banner")
        self._words: Words = ""
        self._about, self._error, self._below = "", False, False
        self._before: QWidget | None = None
        self._labels: tuple[Action, ...] = ()
        self._icon, self._text = QLabel(self), QLabel(self)
        self._row, self._close = QWidget(self), QToolButton(self)
        self._grid = QGridLayout(self)
        self._build()
        self.retranslate()
        self.hide()

    @property
    def about(self) -> str:
        """What the present sentence is about; empty unless the caller said so."""
        return self._about

    def show_info(self, words: Words, *, about: str = "", actions: Sequence[Action] = (), focus: bool = False) -> None:
        """Say what is shown or offered; `focus` puts the keyboard on the first button."""
        self._say(words, about, actions, focus=focus, error=False)

    def show_error(self, words: Words, *, about: str = "", actions: Sequence[Action] = (), focus: bool = False) -> None:
        """Say what was refused and why."""
        self._say(words, about, actions, focus=focus, error=True)

    def text(self) -> str:
        """The sentence as it reads now."""
        return self._text.text()

    def buttons(self) -> tuple[QPushButton, ...]:
        """The buttons on show, in order."""
        return tuple(button for button in self._buttons if not button.isHidden())

    def retranslate(self) -> None:
        """All words in the present language."""
        sentence = _said(self._words)
        self._text.setText(sentence)
        self.setAccessibleName(sentence)
        self._close.setAccessibleName(self.tr("Close this line"))
        self._close.setToolTip(self.tr("Close this line"))
        for button, (_key, label) in zip(self._buttons, self._labels, strict=False):
            button.setText(_said(label))

    # --- what Qt asks ----------------------------------------------------------------------------
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self._on_close_clicked()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_buttons()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        elif event.type() in (QEvent.Type.StyleChange, QEvent.Type.PaletteChange):
            self._draw_icons()
        super().changeEvent(event)

    # --- inside ----------------------------------------------------------------------------------
    def _build(self) -> None:
        self._text.setTextFormat(Qt.TextFormat.PlainText)
        self._text.setWordWrap(True)
        self._text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._close.setAutoRaise(True)
        self._close.clicked.connect(self._on_close_clicked)
        self._buttons = [QPushButton(self._row) for _ in range(3)]
        line = QHBoxLayout(self._row)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(SPACING.m)
        for place, button in enumerate(self._buttons):
            line.addWidget(button)
            button.clicked.connect(lambda _=False, place=place: self._on_button_clicked(place))
        line.addStretch(1)
        self._grid.setContentsMargins(SPACING.l, SPACING.s, SPACING.s, SPACING.s)
        self._grid.setHorizontalSpacing(SPACING.m)
        self._grid.setVerticalSpacing(SPACING.s)
        self._grid.setColumnStretch(1, 1)
        top = Qt.AlignmentFlag.AlignTop
        self._grid.addWidget(self._icon, 0, 0, Qt.AlignmentFlag.AlignVCenter)
        self._grid.addWidget(self._text, 0, 1)
        self._grid.addWidget(self._row, 0, 2)
        self._grid.addWidget(self._close, 0, 3, top)

    def _say(self, words: Words, about: str, actions: Sequence[Action], *, focus: bool, error: bool) -> None:
        self._words, self._about, self._error, self._labels = words, about, error, tuple(actions)
        for place, button in enumerate(self._buttons):
            button.setVisible(place < len(self._labels))
        self._row.setVisible(bool(self._labels))
        self.retranslate()
        self._draw_icons()
        self._place_buttons()
        self.show()
        QAccessible.updateAccessibility(QAccessibleEvent(self, QAccessible.Event.Alert))
        self._before = self.window().focusWidget() if focus and self._labels else None
        if self._before is not None or (focus and self._labels):
            self._buttons[0].setFocus(Qt.FocusReason.OtherFocusReason)

    def _place_buttons(self) -> None:
        """Beside the sentence, or below it where they would squeeze it."""
        below = bool(self._labels) and self._row.sizeHint().width() > self.width() // 2
        if below != self._below:
            self._below = below
            self._grid.removeWidget(self._row)
            self._grid.addWidget(self._row, *((1, 1) if below else (0, 2)))

    def _draw_icons(self) -> None:
        name = "warn" if self._error else "info"
        self._icon.setPixmap(icon(name).pixmap(SIZE.icon, SIZE.icon))
        self._close.setIcon(icon("close"))

    def _leave(self) -> None:
        before, self._before = self._before, None
        self.hide()
        if before is not None and isValid(before):
            before.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_button_clicked(self, place: int) -> None:
        self._leave()  # first, so that whoever answers can say something new
        self.actionPicked.emit(self._labels[place][0])

    def _on_close_clicked(self) -> None:
        self._leave()
        self.closed.emit(self._about)


def _said(words: Words) -> str:
    return words if isinstance(words, str) else words()
