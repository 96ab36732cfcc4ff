"""What both export dialogs do: object to a choice, tell the files that it will write, remember its options."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QLineEdit, QWidget

from attn_gui.views.dialogs.fields import TargetFields, files_sentence
from attn_gui.views.dialogs.heads_text import heads_from_text
from attn_gui.views.theme import dress

BUTTONS = QDialogButtonBox.StandardButton


class ExportForm(QDialog):
    """Asks what to write; a subclass makes the fields, in the order in which they are reached, and reads them."""

    remembered: tuple[str, ...] = ()
    heads: QLineEdit
    target: TargetFields
    buttons: QDialogButtonBox
    _head_count: int
    _names: Callable[[Any], Sequence[str]]
    _captions: dict[str, QLabel]
    _said: QLabel

    def state(self) -> dict[str, Any]:
        """The options worth remembering, as a mapping for the settings."""
        choice = asdict(self._choice((0,)))
        return {name: choice[name] for name in self.remembered}

    def result_choice(self) -> Any:
        """What is asked for now. Raises ValueError with a sentence if the heads cannot be read."""
        return self._choice(heads_from_text(self.heads.text(), self._head_count))

    def objection(self) -> str:
        """Why nothing can be written yet, as a sentence; empty if it can."""
        lacking = self._lacking()
        if lacking:
            return lacking
        try:
            self.result_choice()
        except ValueError as error:
            return str(error)
        return self.target.objection()

    def accept(self) -> None:
        if self.objection():
            self._show_choice()
        else:
            super().accept()

    def retranslate(self) -> None:
        """All words in the present language."""
        self.heads.setPlaceholderText(self.tr("all"))
        self.heads.setToolTip(self.tr("all, or numbers such as 0, 2-3"))
        self.buttons.button(BUTTONS.Save).setText(self.tr("Export"))
        self.buttons.button(BUTTONS.Cancel).setText(self.tr("Cancel"))
        self._show_choice()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)

    # --- for the subclass --------------------------------------------------------------------------
    def _editors(self) -> dict[str, QWidget]:
        raise NotImplementedError

    def _choice(self, heads: tuple[int, ...]) -> Any:
        """What the fields say, for these heads."""
        raise NotImplementedError

    def _lacking(self) -> str:
        """What has to be ticked first, as a sentence; empty if something is."""
        raise NotImplementedError

    def _call_editors(self, words: dict[str, str]) -> None:
        """The words over every editor, which are its name too."""
        for name, text in words.items():
            self._captions[name].setText(text)
            self._editors()[name].setAccessibleName(text)

    def _show_choice(self) -> None:
        """What will be written, or why nothing can be."""
        objection = self.objection()
        self._said.setText(objection or self._files())
        dress(self._said, tone="error" if objection else "text2")

    def _files(self) -> str:
        choice = self.result_choice()
        try:
            names = self._names(choice)
        except (ValueError, OSError) as error:
            return str(error)
        return files_sentence(
            names, choice.folder, self.tr("Writes {name}."), self.tr("Writes {count} files, {first} to {last}."),
            self.tr("Already there and replaced: {count}."))
