"""Panel of an exercise: how many cells are left, the chosen one, and what is said of an answer."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QToolButton, QVBoxLayout, QWidget

from attn_gui.figure.tokens import SPACING
from attn_gui.views.bases.retranslated import Retranslated
from attn_gui.views.bases.wrapped_label import WrappedLabel
from attn_gui.views.icons import icon
from attn_gui.views.lessons.question_view import Asked, QuestionView
from attn_gui.views.theme import dress


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
