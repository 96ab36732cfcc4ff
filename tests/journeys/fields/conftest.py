"""A person at the fields of a problem: type a number of a step, keep it, open it again, export it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from attn_gui.views.dialogs.export_dialog import ExportDataDialog

LEFT = Qt.MouseButton.LeftButton


class Fields:
    """A person with one problem before them, and a folder to keep things in."""

    def __init__(self, launch: Callable[..., Any], folder: Path, bot: QtBot) -> None:
        self._launch, self._folder, self._bot = launch, folder, bot
        self.person: Any = None

    def open(self, example: str) -> Fields:
        """Start the program with an example, by its file name, or open it in the window that is there."""
        if self.person is None:
            self.person = self._launch(example)
        else:
            self.person.again(example, example)
            self._folder /= "next"
            self._folder.mkdir()
        return self

    def pick(self, name: str, key: str) -> None:
        """Choose from the list of a step."""
        self.person.pick(name, key)
        self.back_in_the_window()

    def back_in_the_window(self) -> None:
        """Offscreen, a list or dialog that has closed keeps the keyboard for a while."""
        window = self.person.window
        QApplication.processEvents()
        window.activateWindow()
        self._bot.waitUntil(lambda: QApplication.activeWindow() is window and QApplication.focusWidget() is not None)

    def type_number(self, name: str, text: str) -> QWidget:
        """Type into the field of a number over what stands there."""
        field = self.person.find(f"control.{name}")
        assert field.isVisible(), f"control.{name} is not in sight"
        field.setFocus()
        self.person.press("Ctrl+A", "Del")
        QTest.keyClicks(field, text)
        self.person.press("Return")
        return field

    def tables(self, text: str) -> None:
        """Choose what the tables show: a group, or a matrix of it."""
        QApplication.processEvents()  # buttons that have just come are on show with the next layout
        self.person.click(self.person.button(text, "zone.inputs"))

    def undo(self) -> None:
        self.person.press("Ctrl+Z")

    def shown(self, name: str) -> bool:
        return self.person.has(f"control.{name}") and self.person.find(f"control.{name}").isVisible()

    def map(self, stage: str) -> np.ndarray:
        """The numbers of a map, cell by cell."""
        return np.array(self.person.values(stage))

    def sentence(self) -> str:
        """What the explanation says of the chosen cell."""
        return self.person.find("inspector.sentence").accessibleName()

    def save_and_reopen(self) -> None:
        """Save as a session, and open the session as it is on the disk."""
        path = self._folder / "kept.attn"
        self.person.save_as(path)
        self.person.open(path)

    def export(self) -> dict[str, np.ndarray]:
        """Write every array and stage as one .npz through the dialog, and read it back."""

        def answer(dialog: ExportDataDialog) -> None:
            QTest.mouseClick(dialog.every, LEFT)
            dialog.target.folder.setText(str(self._folder))
            QTest.mouseClick(dialog.buttons.button(dialog.buttons.StandardButton.Save), LEFT)

        self.person.answering(ExportDataDialog, answer, lambda: self.person.do("export_data"))
        with np.load(next(self._folder.glob("*.npz"))) as arrays:
            return dict(arrays)


@pytest.fixture
def fields(launch: Callable[..., Any], tmp_path: Path, qtbot: QtBot) -> Fields:
    return Fields(launch, tmp_path, qtbot)
