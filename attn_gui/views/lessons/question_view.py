"""The question of a step: a number to type or choices to take, and the verdict below."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QLineEdit, QPushButton, QRadioButton, QVBoxLayout, QWidget

from attn_gui.figure.tokens import SPACING
from attn_gui.views.bases.retranslated import Retranslated
from attn_gui.views.inspector.links import Link, clear
from attn_gui.views.inspector.runs import Run, SentenceView


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
        self._text.set_sentence([Run(asked.text, strong=True)])
        self._row.setVisible(not asked.choices)
        self._set_choices(asked.choices)
        if fresh:
            self._line.clear()
            self._uncheck()
            self.set_verdict("", "text", offered=False)

    def set_verdict(self, text: str, role: str, *, offered: bool) -> None:
        """Say what an answer is worth; `offered`: the right one can be shown. The next replaces a refused one."""
        self._verdict.set_sentence([Run(text, role)])
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
            clear(self._choices)
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
