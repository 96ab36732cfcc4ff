"""Fields to type a number or text into: Enter, leaving, Esc; the sentence below that refuses what was typed."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any, cast

from PySide6.QtCore import QEvent, QPoint, QSize, Qt, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleEvent,
    QContextMenuEvent,
    QFocusEvent,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
)
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget

from attn_gui.document.edits import Refusal
from attn_gui.document.typed_numbers import parse_number, shortest
from attn_gui.figure.design_tokens import RADIUS, SPACING
from attn_gui.formats.text.headings import LONGEST_NUMBER
from attn_gui.views.text_views import WrappedLabel
from attn_gui.views.theme import current_theme, restyle, style_text
from attn_gui.views.widgets import WidgetMixin, focus_returns, inset, is_window_shortcut, paint_rounded

WIDTH_IN_CHARACTERS = 44
GAP = 2


def mark(widget: QWidget, name: str, value: str) -> None:
    """Set a property that the style sheet selects by, and let the widget be drawn again."""
    if (widget.property(name) or "") != value:
        widget.setProperty(name, value)
        restyle(widget)


def asks_to_undo(event: QKeyEvent) -> bool:
    """Return whether a key that means undo or redo is about to be taken by the editor with the focus."""
    return event.type() == QEvent.Type.ShortcutOverride and (
        event.matches(QKeySequence.StandardKey.Undo) or event.matches(QKeySequence.StandardKey.Redo)
    )


class RefusalTip(WrappedLabel):
    """Floats over the window of its editor, so that nothing moves; screen readers hear it as an alert."""

    def __init__(self, editor: QWidget) -> None:
        super().__init__(editor)
        self._editor = editor
        self.setObjectName("refusal")
        self.setContentsMargins(SPACING.m, SPACING.s, SPACING.m, SPACING.s)
        style_text(self, tone="error")
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
        theme = current_theme()
        with QPainter(self) as painter:
            paint_rounded(painter, inset(self.rect(), 0.5), RADIUS.chip, fill=theme.error_soft, edge=theme.error)
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
        """Set whether it stays until the focus goes on."""
        if lingers != self._lingers:
            changed = cast(QApplication, QApplication.instance()).focusChanged
            (changed.connect if lingers else changed.disconnect)(self._on_focus_changed)
            self._lingers = lingers

    def _fitting(self, room: int) -> QSize:
        """Return the size in which the whole sentence can be read."""
        self.setWordWrap(False)
        natural = self.sizeHint()
        self.setWordWrap(True)
        width = min(natural.width(), room, self.fontMetrics().averageCharWidth() * WIDTH_IN_CHARACTERS)
        return natural if width == natural.width() else QSize(width, self.heightForWidth(width))


class EditorMixin(WidgetMixin):
    """Mixin of editors that hand their value on once the focus leaves them.

    Shortcuts of the window go to the window, and so does undo while nothing is half typed. The menu of the right button
    takes the focus, but does not count as leaving.
    """

    _staying = False  # while the menu of the right button is open

    @cached_property
    def _tip(self) -> RefusalTip:
        """The sentence on what was refused, made with the first one: most editors never have any."""
        return RefusalTip(self)

    def _dismiss_tip(self) -> None:
        if "_tip" in vars(self):
            self._tip.dismiss()

    def pending(self) -> bool:
        """Return whether it shows something that has not been handed on."""
        raise NotImplementedError

    def undoes(self, *, redo: bool) -> bool:
        """Return whether undo, or redo, is its own and not that of the window."""
        return self.pending()

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and (
            is_window_shortcut(event)
            or (asks_to_undo(event) and not self.undoes(redo=event.matches(QKeySequence.StandardKey.Redo)))
        ):
            event.ignore()
            return False
        return super().event(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self._staying = True
        super().contextMenuEvent(event)
        self._staying = False


class TypedField(EditorMixin, QLineEdit):
    """Hands its value on at Enter or when left, once a visit and only if it changed; Esc restores.

    Subclasses say how a text is read (raising ValueError with a sentence) and how a value is written.
    """

    committed = Signal(object)  # the value
    refused = Signal(str)  # the sentence

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._value: Any = None
        self._committed_text = ""
        self.textEdited.connect(self._show_state)

    def read(self, text: str) -> Any:
        """Return the value that the text means; raises ValueError with a sentence."""
        raise NotImplementedError

    def written(self, value: Any) -> str:
        """Return the text that stands for the value."""
        raise NotImplementedError

    def value(self) -> Any:
        """Return the value last set or handed on."""
        return self._value

    def set_value(self, value: Any) -> None:
        """Show the value of the document."""
        self._value, self._committed_text = value, self.written(value)
        self.restore()

    def pending(self) -> bool:
        """Return whether the field shows something that has not been handed on."""
        return self.text() != self._committed_text

    def finish(self) -> None:
        """End the visit: hand on a value that changed; what cannot be gives way to the value before."""
        if self._staying or not self.pending():
            return
        typed, sentence = self.text(), self._take()
        if sentence:
            self.restore()
            self._tip.show_left(typed, self._committed_text)
            self.refused.emit(sentence)

    def commit_typed(self) -> bool:
        """Hand on what is typed; False if it cannot be, or was not taken, and then the field says why."""
        typed, sentence = self.text(), self._take() if self.pending() else ""
        if sentence:
            self._refuse(sentence)
            self.selectAll()
        return not sentence and (self.text() == typed or not self.pending())

    def restore(self) -> None:
        """Go back to the text before the visit."""
        self.setText(self._committed_text)
        self.setCursorPosition(0)
        self._show_state()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if self.commit_typed():
                super().keyPressEvent(event)
            self.selectAll()
        elif event.key() == Qt.Key.Key_Escape and self.pending():
            self.restore()
            self.selectAll()
        elif event.key() == Qt.Key.Key_Escape:
            event.ignore()
        else:
            super().keyPressEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        if not focus_returns(event):
            self.finish()
        super().focusOutEvent(event)

    def _take(self) -> str:
        """Hand on what is typed; if it cannot be, say why and change nothing."""
        try:
            value = self.read(self.text().strip())
        except Refusal as refusal:
            return refusal.sentence()
        except ValueError as error:
            return str(error)
        changed = self.written(value) != self._committed_text
        self.set_value(value)
        if changed:
            self.committed.emit(value)
        return ""

    def _refuse(self, sentence: str) -> None:
        mark(self, "wrong", "true")
        self._tip.show_sentence(sentence)
        self.refused.emit(sentence)

    def _show_state(self) -> None:
        mark(self, "wrong", "")
        mark(self, "tone", "edit" if self._committed_text and self.pending() else "")
        self._dismiss_tip()


class NumberField(TypedField):
    """A float as the shortest text that gives it back, or nothing where `optional`; `committed` carries it."""

    def __init__(
        self, parent: QWidget | None = None, *, optional: bool = False, positive: bool = False, finite: bool = False
    ) -> None:
        super().__init__(parent)
        self.setMaxLength(LONGEST_NUMBER + 1)  # so much that it is refused, and no more to lay out
        self._optional, self._positive, self._finite, self._dtype = optional, positive, finite, "float64"

    def set_dtype(self, dtype: str) -> None:
        """Set the precision whose digits are shown and whose range is kept."""
        self._dtype = dtype

    def read(self, text: str) -> float | None:
        if not text and self._optional:
            return None
        value = parse_number(text, self._dtype)
        if self._positive and not 0 < value < float("inf"):
            raise ValueError(
                self.tr("A number above 0 is needed. Esc keeps {old}.").format(old=self._committed_text or "–")
            )
        if self._finite and not math.isfinite(value):
            raise ValueError(
                self.tr("A finite number is needed. Esc keeps {old}.").format(old=self._committed_text or "–")
            )
        return value

    def written(self, value: float | None) -> str:
        return "" if value is None else shortest(value, self._dtype)
