"""Combo boxes of keys with words, that a passing wheel does not turn."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import QComboBox, QWidget

from attn_gui.views.widgets import FocusedWheel


class ChoiceBox(FocusedWheel, QComboBox):
    """Combo box of keys, each shown by its word in the present language; `picked` carries the one that is picked."""

    picked = Signal(str)  # the key

    def __init__(self, keys: Iterable[str] = (), parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizeAdjustPolicy(self.SizeAdjustPolicy.AdjustToContents)  # words of another language may be longer
        for key in keys:
            self.addItem(key, key)
        self.currentIndexChanged.connect(self._on_self_current_index_changed)

    def set_key(self, key: str) -> None:
        """Show a choice."""
        with QSignalBlocker(self):
            self.setCurrentIndex(self.findData(key))

    def set_words(self, words: Mapping[str, str]) -> None:
        """Set the words of the keys in the present language."""
        for key, word in words.items():
            self.setItemText(self.findData(key), word)

    def set_choices(self, choices: Sequence[tuple[str, str]]) -> None:
        """Set (key, word) of every choice; the chosen key stays if it is still there."""
        key = self.currentData()
        with QSignalBlocker(self):
            self.clear()
            for choice, word in choices:
                self.addItem(word, choice)
            self.setCurrentIndex(max(self.findData(key), 0))

    def enable_only(self, keys: Iterable[str]) -> None:
        """Let only these be picked."""
        model, offered = self.model(), set(keys)
        assert isinstance(model, QStandardItemModel)
        for place in range(self.count()):
            model.item(place).setEnabled(self.itemData(place) in offered)

    def choices(self) -> list[tuple[str, str]]:
        """Return (key, word) of every choice."""
        return [(self.itemData(place), self.itemText(place)) for place in range(self.count())]

    def showPopup(self) -> None:
        """Open the list at what is chosen: Qt opens it at what was marked last, though Esc put that away."""
        self.view().setCurrentIndex(self.model().index(self.currentIndex(), self.modelColumn()))
        super().showPopup()

    def minimumSizeHint(self) -> QSize:
        """Size of the longest word: Qt keeps what it found for the words before."""
        fits = self.sizeAdjustPolicy() == self.SizeAdjustPolicy.AdjustToContents
        return self.sizeHint() if fits else super().minimumSizeHint()

    def _on_self_current_index_changed(self, index: int) -> None:
        if index >= 0:
            self.picked.emit(self.itemData(index))
