"""Panel of a lesson: the step's text with live numbers, its task, its question, and the way on."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from attn_gui.figure.tokens import SPACING
from attn_gui.views.bases.retranslated import Retranslated
from attn_gui.views.bases.wrapped_label import WrappedLabel
from attn_gui.views.icons import icon
from attn_gui.views.inspector.links import Link, clear
from attn_gui.views.inspector.pages.scrolled_page import FittingPage
from attn_gui.views.inspector.runs import Run, SentenceView
from attn_gui.views.lessons.question_view import Asked, QuestionView
from attn_gui.views.theme import dress, scaled

MOST = 0.7
"""Of the height of the column, unless the question alone needs more: below it the explanation has to be seen."""
LEAST_TEXT = 24
"""Logical pixels of the step's text that are left where there is no room; the rest of it scrolls."""
STRONG = re.compile(r"\*\*(.+?)\*\*")


@dataclass(frozen=True)
class StepWords:
    """A step as it is said now: `key` names the lesson in every language, `place` counts from 1 to `count`."""

    key: str
    lesson: str
    place: int
    count: int
    title: str
    paragraphs: tuple[str, ...]
    done: bool | None = None  # whether what the person is asked to do is done; None where nothing is asked
    asked: Asked | None = None


class StepText(FittingPage):
    """The words of a step: as high as they are at the present width, or less, and then they scroll."""

    def sizeHint(self) -> QSize:
        body = self.widget()
        layout = body.layout() if body is not None else None
        height = layout.minimumHeightForWidth(self.contentsRect().width()) if layout is not None else 0
        return QSize(super().sizeHint().width(), height)

    def minimumSizeHint(self) -> QSize:
        return QSize(super().minimumSizeHint().width(), min(scaled(LEAST_TEXT), self.sizeHint().height()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.updateGeometry()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return super().eventFilter(watched, event)


class LessonPanel(Retranslated, QWidget):
    """Shows one step; the signals say what the person wants.

    The way on stands above, where no text moves it. Only the text scrolls: what is asked, and what is said of an
    answer, stays in sight.
    """

    stepAsked = Signal(int)  # 1 forward, -1 back
    doAsked = Signal()
    returnAsked = Signal()
    closeAsked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("lesson")
        self._words: StepWords | None = None
        self._lesson, self._place, self._close = QLabel(self), QLabel(self), QToolButton(self)
        self._page = StepText(self)
        self._body = QWidget(self._page.viewport())
        self._page.hold(self._body)
        self._lesson.setTextFormat(Qt.TextFormat.PlainText)
        self._title, self._texts = WrappedLabel(self._body), QVBoxLayout()
        self._do, self._done = QPushButton(self), QLabel(self)
        self.question = QuestionView(self)
        self._left, self._return = WrappedLabel(self), Link("", self)
        self._back, self._next = QPushButton(self), QPushButton(self)
        self._column = QVBoxLayout(self)
        self._name_parts()
        self._build()
        self.retranslate()

    # --- silent setters --------------------------------------------------------------------------
    def set_step(self, words: StepWords) -> None:
        """Say a step: another one, which takes the keyboard, or the same with the numbers of now."""
        before, self._words = self._words, words
        fresh = before is None or (before.key, before.place) != (words.key, words.place)
        self._lesson.setText(words.lesson)
        self._title.setText(words.title)
        self._set_paragraphs(words.paragraphs)
        self._do.setVisible(words.done is False)
        self._done.setVisible(words.done is True)
        self.question.set_question(words.asked, fresh=fresh)
        self._back.setEnabled(words.place > 1)
        self.retranslate()
        if fresh:
            self._page.verticalScrollBar().setValue(0)
            self._take_focus()

    def leave(self) -> None:
        """Put the lesson away; whichever step is said next is another one."""
        self._words = None
        self.hide()

    def set_left(self, left: bool) -> None:
        """Whether the numbers are others than those of the step."""
        self._left.setVisible(left)
        self._return.setVisible(left)

    def retranslate(self) -> None:
        """All words in the present language."""
        self.setAccessibleName(self.tr("Lesson"))
        self._do.setText(self.tr("Do it for me"))
        self._done.setText(self.tr("✓ Done"))
        self._left.setText(self.tr("The numbers are no longer those of this step."))
        self._return.set_words(self.tr("Back to the step"))
        self._back.setText(self.tr("Back"))
        self._next.setMinimumWidth(self._widest_way_on())
        self._close.setToolTip(self.tr("Close the lesson; its place is kept"))
        self._close.setAccessibleName(self.tr("Close the lesson; its place is kept"))
        if self._words is not None:
            place, count = self._words.place, self._words.count
            self._place.setText(self.tr("{place} of {count}").format(place=place, count=count))
            self._next.setText(self.tr("Next") if place < count else self.tr("Finish"))

    # --- what Qt asks ----------------------------------------------------------------------------
    def hasHeightForWidth(self) -> bool:
        return False  # else Qt would take the height that is best for the least

    def sizeHint(self) -> QSize:
        hint, height = super().sizeHint(), self._column.heightForWidth(self.width())
        wanted = max(hint.height(), height)  # the height is −1 where nothing is wrapped
        column, least = self.parentWidget(), self.minimumSizeHint().height()
        most = max(least, round(MOST * column.height())) if column is not None else wanted
        return QSize(hint.width(), min(wanted, most))

    def minimumSizeHint(self) -> QSize:
        hint, height = super().minimumSizeHint(), self._column.minimumHeightForWidth(self.width())
        return QSize(hint.width(), max(hint.height(), height))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.updateGeometry()

    # --- inside ----------------------------------------------------------------------------------
    def _widest_way_on(self) -> int:
        """The width of the button on the last step and on the others, so that it stays in its place."""
        widths = []
        for words in (self.tr("Next"), self.tr("Finish")):
            self._next.setText(words)
            widths.append(self._next.sizeHint().width())
        return max(widths)

    def _take_focus(self) -> None:
        """Put the keyboard on the question, or on the way on where nothing is asked."""
        if self._words is not None and self._words.asked is not None:
            self.question.take_focus()
        else:
            self._next.setFocus(Qt.FocusReason.OtherFocusReason)

    def _set_paragraphs(self, paragraphs: Sequence[str]) -> None:
        if self._texts.count() != len(paragraphs):
            clear(self._texts)
            for _ in paragraphs:
                self._texts.addWidget(SentenceView(self._body))
        for place, text in enumerate(paragraphs):
            item = self._texts.itemAt(place)
            view = item.widget() if item is not None else None
            assert isinstance(view, SentenceView)
            if view.text() != STRONG.sub(r"\1", text):
                view.set_sentence(_runs(text))

    def _name_parts(self) -> None:
        names = {"close": self._close, "do": self._do, "return": self._return, "back": self._back, "next": self._next}
        for name, part in names.items():
            part.setObjectName(f"lesson.{name}")
        self._title.setObjectName("lesson.title")
        self._place.setObjectName("lesson.place")
        self._left.setObjectName("lesson.left")
        self._done.setObjectName("lesson.done")
        self._close.clicked.connect(self.closeAsked)
        self._do.clicked.connect(self.doAsked)
        self._return.clicked.connect(self.returnAsked)
        self._back.clicked.connect(lambda: self.stepAsked.emit(-1))
        self._next.clicked.connect(lambda: self.stepAsked.emit(1))

    def _build(self) -> None:
        dress(self._lesson, "small", "text3")
        dress(self._place, "small", "text3")
        dress(self._title, "sentence", strong=True)
        dress(self._left, "small", "edit")
        dress(self._done, "body", "good", strong=True)
        self._close.setIcon(icon("close"))
        self._close.setAutoRaise(True)
        self._lesson.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        head, way, task = QHBoxLayout(), QHBoxLayout(), QHBoxLayout()
        head.addWidget(self._lesson, 1)
        head.addWidget(self._close)
        way.addWidget(self._back)
        way.addWidget(self._place, 1, Qt.AlignmentFlag.AlignCenter)
        way.addWidget(self._next)
        for widget in (self._do, self._done):
            task.addWidget(widget)
        task.addStretch(1)
        body = QVBoxLayout(self._body)
        body.setContentsMargins(0, 0, 0, 0)
        self._texts.setSpacing(SPACING.m)
        body.setSpacing(SPACING.m)
        body.addWidget(self._title)
        body.addLayout(self._texts)
        body.addStretch(1)
        column = self._column
        column.setContentsMargins(0, 0, 0, SPACING.m)
        column.setSpacing(SPACING.s)
        for row in (head, way):
            column.addLayout(row)
        column.addSpacing(SPACING.s)
        column.addWidget(self._page, 1)
        column.addSpacing(SPACING.s)
        column.addLayout(task)
        column.addWidget(self._left)
        column.addWidget(self._return)
        column.addWidget(self.question)


def _runs(text: str) -> list[Run]:
    """Plain text in which **words** stand out."""
    return [Run(part, strong=bool(place % 2)) for place, part in enumerate(STRONG.split(text)) if part]
