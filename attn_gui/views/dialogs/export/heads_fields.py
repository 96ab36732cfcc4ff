"""Fields that choose heads: the one on show, all, or some by their numbers; and whether these share a sheet."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QWidget

from attn_gui.figure.tokens import SPACING
from attn_gui.views.bases.retranslated import Retranslated
from attn_gui.views.controls.choice_box import ChoiceBox
from attn_gui.views.dialogs.export.heads_text import heads_from_text

THIS, ALL, SOME = "this", "all", "some"


class HeadsFields(Retranslated, QWidget):
    """A choice, and beside it the numbers where they are to be typed: one never contradicts the other."""

    changed = Signal()

    def __init__(self, count: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._count, self._this = count, 0
        self.choice = ChoiceBox((THIS, ALL, SOME) if count > 1 else (THIS,), self)
        self.choice.setObjectName("export.which_heads")
        self.numbers = QLineEdit(self)
        self.numbers.setObjectName("export.head_numbers")
        line = QHBoxLayout(self)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(SPACING.s)
        line.addWidget(self.choice, 1)
        line.addWidget(self.numbers, 1)
        self.setFocusProxy(self.choice)
        self.choice.picked.connect(self._on_choice_picked)
        self.numbers.textChanged.connect(lambda _: self.changed.emit())
        self.set_heads((0,))
        self.retranslate()

    def heads(self) -> tuple[int, ...]:
        """The heads; ValueError with a sentence if their numbers cannot be read."""
        if self.choice.currentData() == SOME:
            return heads_from_text(self.numbers.text(), self._count)
        return {THIS: (self._this,), ALL: tuple(range(self._count))}[self.choice.currentData()]

    def readable(self) -> tuple[int, ...]:
        """The heads; none while what is typed cannot be read."""
        try:
            return self.heads()
        except ValueError:
            return ()

    def set_heads(self, heads: tuple[int, ...]) -> None:
        """Propose one head, which is then "this head", all, or several."""
        several = len(heads) > 1
        if not several:
            self._this = heads[0] if heads else 0
        self.choice.set_key(THIS if not several else ALL if len(heads) == self._count else SOME)
        self.numbers.setText(", ".join(map(str, heads)))
        self._show_numbers()
        self.retranslate()

    def retranslate(self) -> None:
        """All words in the present language."""
        words = {
            THIS: self.tr("this head ({head})").format(head=self._this),
            ALL: self.tr("all heads"),
            SOME: self.tr("chosen heads"),
        }
        self.choice.set_words({key: word for key, word in words.items() if self.choice.findData(key) >= 0})
        self.numbers.setPlaceholderText("0, 2-3")
        self.numbers.setAccessibleName(self.tr("Numbers of the chosen heads"))
        self.numbers.setToolTip(self.tr("Numbers such as 0, 2-3"))

    def setAccessibleName(self, name: str) -> None:
        super().setAccessibleName(name)
        self.choice.setAccessibleName(name)

    def _show_numbers(self) -> None:
        self.numbers.setVisible(self.choice.currentData() == SOME)

    def _on_choice_picked(self, key: str) -> None:
        self._show_numbers()
        if key == SOME:
            self.numbers.setFocus()
            self.numbers.selectAll()
        self.changed.emit()
