"""The question of a lesson's step: line for a number and its keys (Ctrl+Z), choices and arrows, verdict, buttons."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPaintEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QRadioButton,
    QStyle,
    QStyleOptionButton,
    QStylePainter,
    QVBoxLayout,
    QWidget,
)

from attn_gui.figure.design_tokens import SPACING
from attn_gui.views.controls.typed_field import EditorMixin
from attn_gui.views.text_views import Link, SentenceRun, SentenceView, paint_words
from attn_gui.views.theme import restyle
from attn_gui.views.widgets import Retranslated, arrange, clear_layout


class Asked(NamedTuple):
    """A question as it is said now; without choices a number is asked for."""

    text: str
    choices: tuple[str, ...] = ()


class ChoiceButton(QRadioButton):
    """A choice with its exponents and subscripts; pressed anywhere on its line.

    The arrows lead from one to the next; Qt would take it, too, once one is taken: a choice passed over would be an
    answer.
    """

    STEPS: ClassVar = {Qt.Key.Key_Up: -1, Qt.Key.Key_Left: -1, Qt.Key.Key_Down: 1, Qt.Key.Key_Right: 1}

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step, group = self.STEPS.get(Qt.Key(event.key()), 0), self.group()
        if not step or group is None:
            super().keyPressEvent(event)
        elif (other := group.button(group.id(self) + step)) is not None:
            other.setFocus(Qt.FocusReason.TabFocusReason)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, option = QStylePainter(self), QStyleOptionButton()
        self.initStyleOption(option)
        text = option.text.replace("&&", "&")
        option.text = ""
        painter.drawControl(QStyle.ControlElement.CE_RadioButton, option)
        room = self.style().subElementRect(QStyle.SubElement.SE_RadioButtonContents, option, self)
        paint_words(painter, room, SentenceRun(text), self.font())

    def hitButton(self, pos: QPoint) -> bool:
        return self.rect().contains(pos)


class AnswerLine(EditorMixin, QLineEdit):
    """Line for a number; with `refused` the first click selects all of it, so that the next answer replaces it."""

    refused = False

    def undoes(self, *, redo: bool) -> bool:
        return self.isRedoAvailable() if redo else self.isUndoAvailable()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        super().mousePressEvent(event)
        if self.refused:
            self.refused = False
            self.selectAll()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.selectAll()  # Qt takes the part before the decimal point for a word


class QuestionView(Retranslated, QWidget):
    """Asks a question, and shows the verdict on the answer."""

    typed = Signal(str)  # the answer as it was typed
    chosen = Signal(int)  # the place of the choice
    showAsked = Signal()  # the answer is wanted
    walkAsked = Signal()

    def __init__(self, parent: QWidget | None = None, name: str = "lesson") -> None:
        super().__init__(parent)
        self._text, self._said = SentenceView(self), QFrame(self)
        self._verdict = SentenceView(self._said)
        self._line, self._check, self._show = AnswerLine(self), QPushButton(self), Link("", self)
        self._walk = Link("", self)
        self._group, self._choices = QButtonGroup(self), QVBoxLayout()
        self._row, self._given = QWidget(self), ""
        for part_name, part in (("answer", self._line), ("check", self._check), ("show", self._show)):
            part.setObjectName(f"{name}.{part_name}")
        self._walk.setObjectName(f"{name}.walk")
        self._walk.hide()
        self._walk.clicked.connect(self.walkAsked)
        self._verdict.setObjectName(f"{name}.verdict")
        self._text.setObjectName(f"{name}.question")
        self._check.setAutoDefault(True)  # Enter presses it
        self._check.clicked.connect(self._hand_on)
        self._line.returnPressed.connect(self._hand_on)
        self._group.idClicked.connect(self.chosen)
        self._show.clicked.connect(self.showAsked)
        self._build()
        self.retranslate()

    @property
    def judged(self) -> bool:
        """Whether a verdict is on show."""
        return not self._said.isHidden()

    @property
    def refused_height(self) -> int:
        """The height of the verdict that the answer is not right, and of the way to the right one; 0 without it."""
        layout = self._said.layout()
        if self.isHidden() or not self.judged or self._said.property("verdict") != "error" or layout is None:
            return 0
        beside = self._walk.isHidden() and not self._show.isHidden()
        link = self._show.sizeHint().height() + SPACING.s if beside else 0
        return layout.heightForWidth(self.width()) + SPACING.s + link

    def set_question(self, asked: Asked | None, *, fresh: bool) -> None:
        """Ask something; `fresh`: another question, to which nothing has been answered."""
        self.setVisible(asked is not None)
        if asked is None:
            return
        self._text.set_sentence([SentenceRun(asked.text, strong=True)])
        self._row.setVisible(not asked.choices)
        self._set_choices(asked.choices)
        if fresh:
            self._line.setText("")  # `clear` can be undone: the answer to another question would come back
            self._uncheck()
            self.set_verdict("", "text", offered=False)
        layout = self.layout()
        assert layout is not None
        layout.activate()  # at once: new choices would be painted where nobody has placed them

    def set_verdict(self, text: str, role: str, *, offered: bool, lead: str = "") -> None:
        """Say what an answer is worth, the `lead` first; `offered`: the right one can be shown. The next replaces a
        refused one."""
        lead = lead if text else lead.rstrip()
        self._verdict.set_sentence([SentenceRun(lead, role, strong=True), SentenceRun(text)])
        self._said.setProperty("verdict", role)  # before it is shown: the column asks for it then
        restyle(self._said)
        self._said.setVisible(bool(lead or text))
        self._offer(self._show, offered)
        self._line.refused = role == "error" and self._line.text() == self._given
        if self._line.refused:
            self._line.selectAll()

    def set_wrong(self, mistake: str) -> None:
        """Say that an answer is not right, and which mistake leads to it, where one is known."""
        self.set_verdict(mistake or self.tr("Try again."), "error", offered=True, lead=self.tr("Not yet. "))

    def set_right(self, why: str) -> None:
        """Say that an answer is right, and why."""
        self.set_verdict(why, "good", offered=False, lead=self.tr("Correct. "))

    def set_shown(self, answer: str, why: str) -> None:
        """Say the answer that the person wanted to see, and why it is right."""
        lead = self.tr("The answer is {answer}. ").format(answer=answer.rstrip(".。"))
        self.set_verdict(why, "text2", offered=False, lead=lead)

    def set_main(self, main: bool) -> None:
        """Set whether its button is the one to press next; else another one of the panel is."""
        self._check.setProperty("filled", str(main).lower())
        restyle(self._check)

    def set_walk_offered(self, offered: bool) -> None:
        """Set whether the steps before what is asked for can be walked through."""
        self._offer(self._walk, offered)

    def set_answer(self, text: str, place: int) -> None:
        """Give the right answer: a number, or the place of a choice."""
        self._line.setText(text)
        button = self._group.button(place)
        if button is not None:
            button.setChecked(True)

    def answer(self, text: str) -> None:
        """Take an answer as if it were typed here."""
        self._line.setText(text)
        self._hand_on()

    def take_focus(self) -> None:
        """Put the keyboard where the answer is given."""
        first = self._group.button(0)
        (self._line if first is None else first).setFocus(Qt.FocusReason.OtherFocusReason)

    def retranslate(self) -> None:
        self._check.setText(self.tr("Check"))
        self._show.set_words(self.tr("Show the answer"))
        self._walk.set_words(self.tr("Walk through the steps before"))
        self._line.setAccessibleName(self.tr("Your answer"))
        self._line.setPlaceholderText(self.tr("Your answer"))

    def _hand_on(self) -> None:
        self._given = self._line.text()
        if self._given.strip():
            self.typed.emit(self._given)

    def _offer(self, link: Link, offered: bool) -> None:
        """Show a link or take it away; the keyboard stays in the question, else Qt would put it anywhere."""
        if not offered and link.hasFocus():
            self.take_focus()
        link.setVisible(offered)

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
                button = ChoiceButton(self)
                button.setObjectName(f"lesson.choice.{place}")
                self._group.addButton(button, place)
                self._choices.addWidget(button, 0, Qt.AlignmentFlag.AlignLeft)
                button.show()  # at once: a layout shows what is new in a later turn
        for place, text in enumerate(choices):
            self._group.button(place).setText(text.replace("&", "&&"))

    def _build(self) -> None:
        arrange(QHBoxLayout(self._row), (self._line, 1), self._check, margins=0)
        links = arrange(QHBoxLayout(), self._walk, self._show, 1, spacing=SPACING.m)
        parts = self._text, self._row, self._choices, self._said, links
        arrange(QVBoxLayout(self), *parts, margins=0, spacing=SPACING.s)
        arrange(QVBoxLayout(self._said), self._verdict, margins=(SPACING.m, SPACING.s, SPACING.s, SPACING.s))
