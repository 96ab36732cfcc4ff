"""The questions before a document or a file is lost."""

from __future__ import annotations

from enum import Enum, auto

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QMessageBox, QWidget

from attn_gui.views.dialogs.asking import asked

BUTTONS = QMessageBox.StandardButton


class Way(Enum):
    """What to do with a file that somebody else has changed."""

    SAVE_OVER = auto()
    SAVE_AS = auto()
    RELOAD = auto()
    CANCEL = auto()


def ask_to_save(window: QWidget, name: str) -> QMessageBox.StandardButton:
    """Save, Discard or Cancel, for a document that is about to be left."""
    box = QMessageBox(window)
    box.setIcon(QMessageBox.Icon.Question)
    box.setText(QCoreApplication.translate("Questions", "Save the changes to {name}?").format(name=name))
    box.setStandardButtons(BUTTONS.Save | BUTTONS.Discard | BUTTONS.Cancel)
    return BUTTONS(asked(box))


def ask_about_change(window: QWidget, name: str) -> Way:
    """The way to go with a file that changed since it was opened or saved; Escape leaves everything as it is."""
    box = QMessageBox(window)
    box.setIcon(QMessageBox.Icon.Warning)
    said = QCoreApplication.translate(
        "Questions", "{name} was changed by another program since it was opened or saved."
    )
    box.setText(said.format(name=name))
    box.setInformativeText(
        QCoreApplication.translate("Questions", "Saving over it loses those changes, reloading it loses yours.")
    )
    roles = QMessageBox.ButtonRole
    words = {
        Way.SAVE_OVER: (QCoreApplication.translate("Questions", "Save over it"), roles.DestructiveRole),
        Way.SAVE_AS: (QCoreApplication.translate("Questions", "Save as…"), roles.AcceptRole),
        Way.RELOAD: (QCoreApplication.translate("Questions", "Reload it"), roles.DestructiveRole),
    }
    ways = {box.addButton(label, role): way for way, (label, role) in words.items()}
    box.addButton(BUTTONS.Cancel)
    box.setDefaultButton(next(button for button, way in ways.items() if way is Way.SAVE_AS))
    picked: list[Way] = []
    box.buttonClicked.connect(lambda button: picked.append(ways.get(button, Way.CANCEL)))
    asked(box)
    return picked[0] if picked else Way.CANCEL
