"""The sentence below an editor that refuses what was typed, and the marks that the theme draws."""

from __future__ import annotations

from typing import cast

from PySide6.QtCore import QEvent, QPoint, QSize, Qt
from PySide6.QtGui import QAccessible, QAccessibleEvent, QKeyEvent, QKeySequence, QPainter, QPaintEvent
from PySide6.QtWidgets import QApplication, QWidget

from attn_gui.figure.tokens import RADIUS, SPACING
from attn_gui.views.bases.wrapped_label import WrappedLabel
from attn_gui.views.theme import current_theme, dress, restyle

WIDTH_IN_CHARACTERS = 44
GAP = 2


def mark(widget: QWidget, name: str, value: str) -> None:
    """Set a property that the style sheet selects by, and let the widget be drawn again."""
    if (widget.property(name) or "") != value:
        widget.setProperty(name, value)
        restyle(widget)


def asks_to_undo(event: QEvent) -> bool:
    """Whether a key that means undo or redo is about to be taken by the editor with the focus."""
    return (
        event.type() == QEvent.Type.ShortcutOverride
        and isinstance(event, QKeyEvent)
        and (event.matches(QKeySequence.StandardKey.Undo) or event.matches(QKeySequence.StandardKey.Redo))
    )


class RefusalTip(WrappedLabel):
    """Floats over the window of its editor, so that nothing moves; screen readers hear it as an alert."""

    def __init__(self, editor: QWidget) -> None:
        super().__init__(editor)
        self._editor = editor
        self.setObjectName("refusal")
        self.setContentsMargins(SPACING.m, SPACING.s, SPACING.m, SPACING.s)
        dress(self, tone="error")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._lingers = False
        self.hide()
        editor.destroyed.connect(self.deleteLater)

    def show_left(self, typed: str, old: str) -> None:
        """Say of an editor that was left that it did not take its text, until the focus goes on."""
        if self._editor.isVisible():
            self.show_sentence(self.tr("“{typed}” was not taken; {old} stays.").format(typed=typed, old=old or "–"))
            self._linger(True)

    def show_sentence(self, sentence: str) -> None:
        """Show the sentence under the editor, above it if there is no room, always within the window."""
        window = self._editor.window()
        self.setParent(window)
        self.setText(sentence)
        self.setAccessibleName(sentence)
        self.ensurePolished()
        self.resize(self._fitting(window.width() - 2 * GAP))
        below = self._editor.mapTo(window, QPoint(0, self._editor.height() + GAP))
        above = self._editor.mapTo(window, QPoint(0, -GAP)).y() - self.height()
        top = below.y() if below.y() + self.height() <= window.height() or above < 0 else above
        self.move(max(GAP, min(below.x(), window.width() - self.width() - GAP)), top)
        self.raise_()
        self.show()
        QAccessible.updateAccessibility(QAccessibleEvent(self, QAccessible.Event.Alert))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(current_theme().error_soft)
        painter.setPen(current_theme().error)
        painter.drawRoundedRect(self.rect().toRectF().adjusted(0.5, 0.5, -0.5, -0.5), RADIUS.chip, RADIUS.chip)
        painter.end()
        super().paintEvent(event)

    def dismiss(self) -> None:
        """Hide, and belong to the editor again, so that both go together."""
        self.hide()
        self._linger(False)
        if self.parent() is not self._editor:
            self.setParent(self._editor)

    def _on_focus_changed(self, left: QWidget | None, _entered: QWidget | None) -> None:
        if left is not self._editor:
            self.dismiss()

    def _linger(self, lingers: bool) -> None:
        """Stay until the focus goes on, or no more."""
        if lingers != self._lingers:
            changed = cast(QApplication, QApplication.instance()).focusChanged
            (changed.connect if lingers else changed.disconnect)(self._on_focus_changed)
            self._lingers = lingers

    def _fitting(self, room: int) -> QSize:
        """The size in which the whole sentence can be read."""
        self.setWordWrap(False)
        natural = self.sizeHint()
        self.setWordWrap(True)
        width = min(natural.width(), room, self.fontMetrics().averageCharWidth() * WIDTH_IN_CHARACTERS)
        return natural if width == natural.width() else QSize(width, self.heightForWidth(width))
