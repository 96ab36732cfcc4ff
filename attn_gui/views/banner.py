"""The notice above the explanation: how a sentence, its buttons and its cross look, and how it is taken back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from PySide6.QtCore import QRect, QSize, Qt, Signal
from PySide6.QtGui import QAccessible, QAccessibleEvent, QHideEvent, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QGridLayout, QPushButton, QToolButton, QWidget
from shiboken6 import isValid

from attn_gui.figure.design_tokens import RADIUS, SIZE, SPACING
from attn_gui.views.text_views import WrappedLabel
from attn_gui.views.theme import current_theme, icon, scaled, style_text
from attn_gui.views.widgets import FlowLayout, Retranslated, paint_rounded, set_name, set_tip

Words = str | Callable[[], str]  # a callable is asked again when the language changes
MOST = 5  # buttons


class BannerOffer(NamedTuple):
    """A button of the banner: its label, a sentence on what it does, and the function that does it."""

    label: Words
    hint: Words
    take: Callable[[], object]


class IconLabel(QWidget):
    """An icon beside words, drawn again with every theme and zoom."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icon = icon("info")

    def set_icon(self, name: str) -> None:
        self._icon = icon(name)
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(scaled(SIZE.icon), scaled(SIZE.icon))

    minimumSizeHint = sizeHint

    def paintEvent(self, event: QPaintEvent) -> None:
        side = scaled(SIZE.icon)
        box = QRect(0, (self.height() - side) // 2, side, side)
        with QPainter(self) as painter:
            self._icon.paint(painter, box)


class Banner(Retranslated, QFrame):
    """Line above the panels at the right: one sentence, some buttons below it, and a cross; never modal."""

    changed = Signal()  # it says something else, or nothing any more
    closed = Signal(str)  # what it was about, so that it can stay closed for good

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("banner")
        self.words: Words = ""  # what is said, to be said again in another language
        self.about, self._error = "", False  # the subject of what is said, where the caller named it
        self._before: QWidget | None = None
        self._offers: tuple[BannerOffer, ...] = ()
        self._icon, self._text = IconLabel(self), WrappedLabel(self)
        self._row, self._close = QWidget(self), QToolButton(self)
        self._grid = QGridLayout(self)
        self._build()
        self.retranslate()
        self.hide()

    def show_info(
        self, words: Words, *, about: str = "", offers: Sequence[BannerOffer] = (), focus: bool = False
    ) -> None:
        """Say what is shown or offered; `focus` puts the keyboard on the first button."""
        self._say(words, about, offers, focus=focus, error=False)

    def show_error(self, words: Words, *, offers: Sequence[BannerOffer] = (), focus: bool = False) -> None:
        """Say what was refused and why."""
        self._say(words, "", offers, focus=focus, error=True)

    def withdraw_refusal(self) -> None:
        """Take back a refusal, since something else was done; information and offers stay."""
        if self._error and not self._offers:
            self.hide()

    def withdraw(self, words: Words) -> None:
        """Take back these words, with their ways out, if they are what it says."""
        if self.words is words:
            self.hide()

    def dismiss_refusal(self) -> bool:
        """Close the line if it says what was refused; return whether it did."""
        refusing = self._error and self.isVisible()
        if refusing:
            self._on_close_clicked()
        return refusing

    def move_into(self, column: QBoxLayout, place: int) -> None:
        """Stand in another column, with all that is said and offered: a widget that moves is hidden meanwhile."""
        words, offers, shown = self.words, self._offers, not self.isHidden()
        column.insertWidget(place, self)
        self.words, self._offers = words, offers
        self.setVisible(shown)

    def text(self) -> str:
        """Return the sentence as it reads now."""
        return self.accessibleName()

    def buttons(self) -> tuple[QPushButton, ...]:
        """Return the buttons on show, in order."""
        return tuple(button for button in self._buttons if not button.isHidden())

    def retranslate(self) -> None:
        sentence = _said(self.words)
        self._text.setText(sentence)
        self.setAccessibleName(sentence)
        self._text.setWhatsThis(self.tr("What the last action has led to, and what can be done about it"))
        set_name(self._close, self.tr("Close this line"))
        for button, offer in zip(self._buttons, self._offers, strict=False):
            button.setText(_said(offer.label))
            set_tip(button, hint := _said(offer.hint))
            button.setAccessibleDescription(hint)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self._on_close_clicked()
        else:
            super().keyPressEvent(event)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        if self.isHidden():  # not with the window alone: ways out hold the document that they lead out of
            self.words, self._offers = self.text(), ()
        self.changed.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = current_theme()
        fill = theme.error_soft if self._error else theme.accent_soft
        with QPainter(self) as painter:
            paint_rounded(painter, self.rect(), RADIUS.frame, fill=fill)

    def _build(self) -> None:
        style_text(self._text, letters="sentence")
        self._text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._close.setIcon(icon("close"))
        self._close.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._close.clicked.connect(self._on_close_clicked)
        self._buttons = [QPushButton(self._row) for _ in range(MOST)]
        line = FlowLayout(self._row, between=SPACING.s)
        for place, button in enumerate(self._buttons):
            line.addWidget(button)
            button.setAutoDefault(True)  # so that Enter presses it, as in a dialog
            button.clicked.connect(lambda _=False, place=place: self._on_button_clicked(place))
        self._grid.setContentsMargins(SPACING.m, SPACING.s, SPACING.s, SPACING.s)
        self._grid.setHorizontalSpacing(SPACING.m)
        self._grid.setVerticalSpacing(SPACING.s)
        self._grid.setColumnStretch(1, 1)
        top = Qt.AlignmentFlag.AlignTop
        self._grid.addWidget(self._icon, 0, 0, top)
        self._grid.addWidget(self._text, 0, 1)
        self._grid.addWidget(self._close, 0, 2, top)
        self._grid.addWidget(self._row, 1, 1, 1, 2)

    def _say(self, words: Words, about: str, offers: Sequence[BannerOffer], *, focus: bool, error: bool) -> None:
        self.words, self.about, self._error, self._offers = words, about, error, tuple(offers)[: len(self._buttons)]
        self._icon.set_icon("warn" if error else "info")
        for place, button in enumerate(self._buttons):
            button.setVisible(place < len(self._offers))
        self._row.setVisible(bool(self._offers))
        self.retranslate()
        self.show()
        self.update()  # all of it: the letters alone would take the color of a refusal
        self.changed.emit()
        QAccessible.updateAccessibility(QAccessibleEvent(self, QAccessible.Event.Alert))
        if focus and self._offers:
            self._before = self.window().focusWidget()
            self._buttons[0].setFocus(Qt.FocusReason.OtherFocusReason)

    def _leave(self) -> None:
        before, self._before = self._before, None
        self.hide()
        if before is not None and isValid(before):
            before.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_button_clicked(self, place: int) -> None:
        offer = self._offers[place]
        self._leave()  # first, so that whoever answers can say something new
        offer.take()

    def _on_close_clicked(self) -> None:
        self._leave()
        self.closed.emit(self.about)


def _said(words: Words) -> str:
    return words if isinstance(words, str) else words()
