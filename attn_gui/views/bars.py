"""Bars above the maps: of a comparison (side by side, wipe, Gradient of), the mask brush, and Find with its keys."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QSlider, QToolButton, QVBoxLayout, QWidget

from attn_gui.figure.design_tokens import SPACING
from attn_gui.figure.overlays import OF
from attn_gui.languages import joined
from attn_gui.modes import DIFFERENCE, SIDE_BY_SIDE, WIPE
from attn_gui.views.controls.tool_bar_controls import CompareBox
from attn_gui.views.tables.inputs import GroupSwitch
from attn_gui.views.text_views import WrappedLabel
from attn_gui.views.theme import current_theme, scaled, style_text, theme_signal
from attn_gui.views.widgets import (
    ChoiceBox,
    CloseButton,
    LineEdit,
    Retranslated,
    arrange,
    listen_once,
    set_name,
    set_tip,
)


# --- comparison and brush --------------------------------------------------------------------------
class BarAboveMaps(QWidget):
    """A tinted row; a subclass adds its widgets to `_row`, `_close` last, and listens to that. What needs a line of its
    own goes into `_column`, below."""

    background = "accent_soft"
    """A color of the theme."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._close = CloseButton(self)
        self._close.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._row = arrange(QHBoxLayout(), spacing=SPACING.m)
        margins = SPACING.xl, SPACING.s, SPACING.m, SPACING.s
        self._column = arrange(QVBoxLayout(self), self._row, margins=margins, spacing=SPACING.xs)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = current_theme()
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), getattr(theme, self.background))
            painter.fillRect(0, self.height() - 1, self.width(), 1, theme.line)


STEPS = 100  # of the slider
WIDEST = 160


class ComparisonBar(Retranslated, BarAboveMaps):
    """Title and sentence, a switch between the ways to show two states, and a cross that ends the comparison; there
    only while there is one."""

    background = "surface"
    endRequested = Signal()
    splitMoved = Signal(float)  # the share of the width at which split maps have their bar

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("comparison")
        self._title, self._text, self.modes = QLabel(self), WrappedLabel(self), GroupSwitch(self)
        self._title.setTextFormat(Qt.TextFormat.PlainText)
        self.modes.setObjectName("comparison.modes")
        self.gradient = ChoiceBox(OF, self)
        self.gradient.setObjectName("control.gradient")
        self.gradient.hide()
        self._split = QSlider(Qt.Orientation.Horizontal, self)
        self._split.setObjectName("control.wipe")
        self._split.setRange(0, STEPS)
        self._split.setPageStep(STEPS // 10)
        theme_signal.changed.connect(self._fit_split)
        self._fit_split()
        self._split.valueChanged.connect(lambda step: self.splitMoved.emit(step / STEPS))
        self._split.hide()
        self._text.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        style_text(self._title, letters="sentence", strong=True)
        style_text(self._text, letters="body", tone="text2")
        self._close.setObjectName("comparison.end")
        self._close.clicked.connect(self.endRequested)
        arrange(self._row, self._title, (self._text, 1), self.gradient, self._split, self.modes, self._close)
        self.retranslate()
        self.hide()

    def _fit_split(self, *_: object) -> None:
        self._split.setMaximumWidth(scaled(WIDEST))

    def set_text(self, text: str, title: str = "") -> None:
        """Say it after a title; nothing for an empty text."""
        self._title.setText(title)
        self._title.setVisible(bool(title))
        self._text.setText(text)
        self.setAccessibleName(text)
        self.setVisible(bool(text))

    def set_modes(self, current: str | None) -> None:
        """Set the way in which two states are shown, one of `modes.STATES`; None where there are not two."""
        words = CompareBox.both_words() if current is not None else {}
        tips = {
            SIDE_BY_SIDE: self.tr("Both states as whole maps: one zoom, one chosen cell, one color bar"),
            WIPE: self.tr("One map with a bar to drag: before on its left, now on its right"),
            DIFFERENCE: self.tr("Now − before, in every map and table"),
        }
        self.modes.set_choices([(mode, word, tips[mode]) for mode, word in words.items()], current or "")
        for button in self.modes.buttons():
            button.setObjectName(f"comparison.{button.property('key')}")
            button.setAccessibleName(button.text())

    def set_split(self, share: float | None) -> None:
        """Take the place of the bar of split maps; None for whole maps."""
        self._split.setVisible(share is not None)
        if share is not None:
            with QSignalBlocker(self._split):
                self._split.setValue(round(share * STEPS))

    def set_gradient(self, of: str | None) -> None:
        """Take the sum that a gradient is of; None where none is shown."""
        self.gradient.setVisible(of is not None)
        if of is not None:
            self.gradient.set_key(of)

    def text(self) -> str:
        """Return the sentence as it reads now."""
        return self._text.text()

    def retranslate(self) -> None:
        words = self.tr("End the comparison")
        set_name(self._close, words)
        self._split.setAccessibleName(self.tr("Place of the bar between before and now"))
        self._split.setToolTip(self._split.accessibleName())
        self.gradient.setAccessibleName(self.tr("Gradient of"))
        self.gradient.set_words({key: joined(words, QCoreApplication.translate) for key, words in OF.items()})


class BrushBar(Retranslated, BarAboveMaps):
    """Bar above the maps with a button for each shape of the brush; hidden while the brush is put away."""

    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("brush")
        self._title, self._about = QLabel(self), WrappedLabel(self)
        style_text(self._title, letters="body", strong=True)
        style_text(self._about, letters="small", tone="text2")
        self._close.clicked.connect(self.closed)
        self._shapes = arrange(QHBoxLayout(), spacing=SPACING.xs)
        arrange(self._row, self._title, self._shapes, 1, self._close)
        self._column.addWidget(self._about)
        self.retranslate()
        self.hide()

    def set_shapes(self, actions: Sequence[QAction]) -> None:
        """Set one button for each of these actions, checked as they are."""
        for action in actions:
            button = QToolButton(self)
            button.setDefaultAction(action)
            listen_once(button, action)
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
            button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            self._shapes.addWidget(button)

    def retranslate(self) -> None:
        self._title.setText(self.tr("Mask brush"))
        self.setAccessibleName(self.tr("Mask brush"))
        self._about.setText(
            self.tr(
                "Drag over a map; or Space, arrows, Space. An open first cell closes what is covered, a closed one "
                "opens it. Esc drops it."
            )
        )
        set_name(self._close, self.tr("Put the brush away"))


# --- find ------------------------------------------------------------------------------------------
WIDTH = 240


class FindBar(Retranslated, QWidget):
    """Bar to find a text in a table or map: Enter goes to the next place, Shift+Enter to the one before, Esc ends."""

    typed = Signal(str)  # the text to look for
    nextRequested = Signal()
    previousRequested = Signal()
    left = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("find")
        self._where, self._said = QLabel(self), QLabel(self)
        self.line = LineEdit(self)
        self.line.setObjectName("find.line")
        self.previous, self.next, self.close_button = QToolButton(self), QToolButton(self), CloseButton(self)
        for label in (self._where, self._said):
            label.setTextFormat(Qt.TextFormat.PlainText)
        style_text(self._said, tone="text2")
        theme_signal.changed.connect(self._fit_line)
        self._fit_line()
        found = self._where, self.line, self.previous, self.next, self._said
        margins = SPACING.xl, SPACING.s, SPACING.m, SPACING.s
        arrange(QHBoxLayout(self), *found, 1, self.close_button, margins=margins, spacing=SPACING.m)
        self.previous.setText("‹")
        self.next.setText("›")
        for button, signal in (
            (self.previous, self.previousRequested),
            (self.next, self.nextRequested),
            (self.close_button, self.left),
        ):
            button.setAutoRaise(True)
            button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            button.clicked.connect(signal)
        self.line.textChanged.connect(self.typed)
        self.retranslate()
        self.hide()

    def _fit_line(self, *_: object) -> None:
        self.line.setMaximumWidth(scaled(WIDTH))

    def begin(self, where: str) -> None:
        """Ask what to find in a table or map of this name."""
        self.set_where(where)
        self.show()
        self.line.setFocus()
        self.line.selectAll()

    def set_where(self, where: str) -> None:
        """Name the table or map."""
        self._where.setText(self.tr("Find in {where}").format(where=where))
        self.line.setAccessibleName(self._where.text())

    def set_said(self, text: str) -> None:
        """Say how many were found, or where."""
        self._said.setText(text)
        self.line.setAccessibleDescription(text)

    def said(self) -> str:
        """Return the words behind the line."""
        return self._said.text()

    def retranslate(self) -> None:
        self.line.setPlaceholderText(self.tr("number, token, or row, column"))
        set_tip(self.line, self.tr("A number as it is shown, a token, or row and column as in 2, 5: Enter goes there"))
        for button, words in (
            (self.previous, self.tr("The one before (Shift+F3)")),
            (self.next, self.tr("The next one (F3)")),
            (self.close_button, self.tr("End the search (Esc)")),
        ):
            set_name(button, words)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        if key == Qt.Key.Key_Escape:
            self.left.emit()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            back = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
            (self.previousRequested if back else self.nextRequested).emit()
        else:
            super().keyPressEvent(event)
