"""Ways to read an array, one below the other, each with a small picture of the first map that it leads to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QIcon, QImage, QPixmap
from PySide6.QtWidgets import QButtonGroup, QRadioButton, QVBoxLayout, QWidget

from attn_gui.figure.tokens import SIZE, SPACING
from attn_gui.views.theme import current_theme, scaled


class ReadingList(QWidget):
    """One button for every reading, none of them chosen before somebody does; `picked` carries the key of the one."""

    picked = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._buttons: dict[str, QRadioButton] = {}
        self._group = QButtonGroup(self)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(SPACING.xs)

    def set_choices(self, choices: Sequence[tuple[str, str]]) -> None:
        """(key, words) of every reading; the chosen one stays if it is still there."""
        kept = [key for key, _ in choices]
        if list(self._buttons) != kept:
            self._replace(kept)
        for key, words in choices:
            self._buttons[key].setText(words)
            self._buttons[key].setAccessibleName(words.replace("\n", ", "))

    def key(self) -> str | None:
        """The key of the chosen reading; None while there is none."""
        return next((key for key, button in self._buttons.items() if button.isChecked()), None)

    def set_key(self, key: str | None) -> None:
        """Show a reading as chosen, or none."""
        self._group.setExclusive(False)  # else one stays
        for name, button in self._buttons.items():
            with QSignalBlocker(button):
                button.setChecked(name == key)
        self._group.setExclusive(True)

    def choices(self) -> list[tuple[str, str]]:
        """(key, words) of every reading."""
        return [(key, button.text()) for key, button in self._buttons.items()]

    def button(self, key: str) -> QRadioButton:
        """The button of a reading."""
        return self._buttons[key]

    def set_pictures(self, pictures: Mapping[str, QImage]) -> None:
        """Show the first map of each reading; an empty square for one that has none."""
        side = scaled(SIZE.head_map)
        for key, button in self._buttons.items():
            picture = QPixmap(side, side)
            picture.fill(current_theme().sunken)
            if key in pictures:
                mode = Qt.AspectRatioMode.IgnoreAspectRatio, Qt.TransformationMode.FastTransformation
                picture = QPixmap.fromImage(pictures[key].scaled(side, side, *mode))
            button.setIconSize(QSize(side, side))
            button.setIcon(QIcon(picture))

    def _replace(self, keys: Sequence[str]) -> None:
        chosen = self.key()
        for button in self._buttons.values():
            self._group.removeButton(button)
            self._column.removeWidget(button)
            button.hide()
            button.deleteLater()
        self._buttons = {key: self._made(key) for key in keys}
        self.set_key(chosen)
        if self._buttons:
            self.setFocusProxy(self._buttons[keys[0]])
        self.set_pictures({})

    def _made(self, key: str) -> QRadioButton:
        button = QRadioButton(self)
        button.setObjectName(f"{self.objectName()}.{key}")
        button.toggled.connect(lambda on: self.picked.emit(key) if on else None)  # by arrows, too
        self._group.addButton(button)
        self._column.addWidget(button)
        return button
