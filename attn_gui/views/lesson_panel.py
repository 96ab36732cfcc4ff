"""The panels of a lesson and of an exercise: the step's text with live numbers, its task, its question, the way on."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QRadioButton,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from attn_gui.figure.tokens import SPACING
from attn_gui.views.text_views import Link, SentenceView, TextRun, WrappedLabel
from attn_gui.views.theme import dress, icon, scaled
from attn_gui.views.widgets import FittingPage, Retranslated, clear_layout

# --- The question of a step: a number to type or choices to take, and the verdict below ---


@dataclass(frozen=True)
class Asked:
    """A question as it is said now; without choices a number is asked for."""

    text: str
    choices: tuple[str, ...] = ()


class QuestionView(Retranslated, QWidget):
    """Asks a question, and shows the verdict on the answer."""

    typed = Signal(str)
    chosen = Signal(int)
    showAsked = Signal()  # the answer is wanted

    def __init__(self, parent: QWidget | None = None, name: str = "lesson") -> None:
        super().__init__(parent)
        self._text, self._verdict = SentenceView(self), SentenceView(self)
        self._line, self._check, self._show = QLineEdit(self), QPushButton(self), Link("", self)
        self._group, self._choices = QButtonGroup(self), QVBoxLayout()
        self._row, self._given = QWidget(self), ""
        for part_name, part in (("answer", self._line), ("check", self._check), ("show", self._show)):
            part.setObjectName(f"{name}.{part_name}")
        self._verdict.setObjectName(f"{name}.verdict")
        self._text.setObjectName(f"{name}.question")
        self._check.clicked.connect(self._hand_on)
        self._line.returnPressed.connect(self._hand_on)
        self._group.idClicked.connect(self.chosen)
        self._show.clicked.connect(self.showAsked)
        self._build()
        self.retranslate()

    @property
    def judged(self) -> bool:
        """Whether a verdict is on show."""
        return not self._verdict.isHidden()

    # --- silent setters --------------------------------------------------------------------------
    def set_question(self, asked: Asked | None, *, fresh: bool) -> None:
        """Ask something; `fresh`: another question, to which nothing has been answered."""
        self.setVisible(asked is not None)
        if asked is None:
            return
        self._text.set_sentence([TextRun(asked.text, strong=True)])
        self._row.setVisible(not asked.choices)
        self._set_choices(asked.choices)
        if fresh:
            self._line.clear()
            self._uncheck()
            self.set_verdict("", "text", offered=False)

    def set_verdict(self, text: str, role: str, *, offered: bool) -> None:
        """Say what an answer is worth; `offered`: the right one can be shown. The next replaces a refused one."""
        self._verdict.set_sentence([TextRun(text, role)])
        self._verdict.setVisible(bool(text))
        self._show.setVisible(offered)
        if role == "error" and self._line.text() == self._given:
            self._line.selectAll()

    def set_wrong(self, mistake: str) -> None:
        """Say that an answer is not right, and which mistake leads to it, where one is known."""
        text = self.tr("Not yet. {why}").format(why=mistake) if mistake else self.tr("Not yet; try again.")
        self.set_verdict(text, "error", offered=True)

    def set_answer(self, text: str, place: int) -> None:
        """Give the right answer: a number, or the place of a choice."""
        self._line.setText(text)
        button = self._group.button(place)
        if button is not None:
            button.setChecked(True)

    def take_focus(self) -> None:
        """Put the keyboard where the answer is given."""
        first = self._group.button(0)
        (self._line if first is None else first).setFocus(Qt.FocusReason.OtherFocusReason)

    def retranslate(self) -> None:
        """All words in the present language."""
        self._check.setText(self.tr("Check"))
        self._show.set_words(self.tr("Show the answer"))
        self._line.setAccessibleName(self.tr("Your answer"))
        self._line.setPlaceholderText(self.tr("Your answer"))

    # --- inside ----------------------------------------------------------------------------------
    def _hand_on(self) -> None:
        self._given = self._line.text()
        if self._given.strip():
            self.typed.emit(self._given)

    def _uncheck(self) -> None:
        self._group.setExclusive(False)
        for button in self._group.buttons():
            button.setChecked(False)
        self._group.setExclusive(True)

    def _set_choices(self, choices: tuple[str, ...]) -> None:
        if len(self._group.buttons()) != len(choices):
            for button in self._group.buttons():
                self._group.removeButton(button)
            clear_layout(self._choices)
            for place in range(len(choices)):
                button = QRadioButton(self)
                button.setObjectName(f"lesson.choice.{place}")
                self._group.addButton(button, place)
                self._choices.addWidget(button, 0, Qt.AlignmentFlag.AlignLeft)
        for place, text in enumerate(choices):
            self._group.button(place).setText(text.replace("&", "&&"))

    def _build(self) -> None:
        row = QHBoxLayout(self._row)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self._line, 1)
        row.addWidget(self._check)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACING.s)
        column.addWidget(self._text)
        column.addWidget(self._row)
        column.addLayout(self._choices)
        column.addWidget(self._verdict)
        column.addWidget(self._show)


# --- Panel of a lesson: the step's text with live numbers, its task, its question, and the way on ---


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
        """Show a step: another one, which takes the keyboard, or the same with its present numbers."""
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
            clear_layout(self._texts)
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


def _runs(text: str) -> list[TextRun]:
    """Plain text in which **words** stand out."""
    return [TextRun(part, strong=bool(place % 2)) for place, part in enumerate(STRONG.split(text)) if part]


# --- Panel of an exercise: how many cells are left, the chosen one, and what is said of an answer ---


class ExercisePanel(Retranslated, QWidget):
    """Asks for the number of the chosen cell, if it is one that was left out."""

    closeAsked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("exercise")
        self._counts, self._right = (0, 0), ""
        self._title, self._left, self._close = QLabel(self), QLabel(self), QToolButton(self)
        self._hint = WrappedLabel(self)
        self.question = QuestionView(self, "exercise")
        self._build()
        self.retranslate()

    # --- silent setters --------------------------------------------------------------------------
    def set_counts(self, left: int, count: int) -> None:
        """So many cells of those that were left out are still open."""
        self._counts, self._right = (left, count), self._right if left < count else ""
        self.retranslate()

    def set_right(self, number: str) -> None:
        """Say that this was the number of the cell that was asked for, until another one is."""
        self._right = number
        self.retranslate()

    def set_cell(self, name: str, *, fresh: bool) -> None:
        """Ask for a cell by its name; with an empty one say how to go on. `fresh`: another cell than before."""
        self._right = "" if name else self._right
        self.question.set_question(Asked(name) if name else None, fresh=fresh)
        self._hint.setVisible(not name)

    def retranslate(self) -> None:
        """All words in the present language."""
        left, count = self._counts
        self.setAccessibleName(self.tr("Exercise"))
        self._title.setText(self.tr("Exercise"))
        self._left.setText(self.tr("{left} of {count} left").format(left=left, count=count))
        done = self.tr("Every cell is right.")
        hint = self.tr("Choose a cell with “?” and type its number.") if left or not count else done
        right = self.tr("Right: {number}").format(number=self._right) if self._right else ""
        self._hint.setText("\n".join(filter(None, (right, hint))))
        self._close.setToolTip(self.tr("End the exercise and show all numbers"))
        self._close.setAccessibleName(self.tr("End the exercise and show all numbers"))

    def _build(self) -> None:
        dress(self._title, "sentence", strong=True)
        dress(self._left, "small", "text3")
        dress(self._hint, "body", "text2")
        self._hint.setObjectName("exercise.hint")
        self._left.setObjectName("exercise.left")
        self._close.setObjectName("exercise.close")
        self._close.setIcon(icon("close"))
        self._close.setAutoRaise(True)
        self._close.clicked.connect(self.closeAsked)
        head = QHBoxLayout()
        head.addWidget(self._title, 1)
        head.addWidget(self._left)
        head.addWidget(self._close)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, SPACING.m)
        column.setSpacing(SPACING.s)
        column.addLayout(head)
        column.addWidget(self._hint)
        column.addWidget(self.question)
