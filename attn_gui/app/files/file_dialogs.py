"""Dialogs about files: which to open, under which name to save, whether to save first, a file that others changed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum, auto
from pathlib import Path

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QFileDialog, QMessageBox, QWidget

from attn_gui.app.state.settings import Settings
from attn_gui.document.document import Document
from attn_gui.formats import SESSION, matrix_formats, patterns, problem_formats
from attn_gui.views.dialogs.dialog_base import asked, message_box

BUTTONS = QMessageBox.StandardButton


class ChangedFileAnswer(Enum):
    """Ways on with a file that another program has changed."""

    SAVE_OVER = auto()
    SAVE_AS = auto()
    RELOAD = auto()
    CANCEL = auto()


def save_first(window: QWidget, name: str, save: Callable[[], bool]) -> bool:
    """Return whether a document may be left whose changes no file holds: after `save`, or without them; it is asked."""
    box = message_box(window, QCoreApplication.translate("Questions", "Save the changes to {name}?").format(name=name))
    box.setIcon(QMessageBox.Icon.Question)
    box.setStandardButtons(BUTTONS.Save | BUTTONS.Discard | BUTTONS.Cancel)
    answer = BUTTONS(asked(box))
    return save() if answer == BUTTONS.Save else answer == BUTTONS.Discard


def ask_about_change(window: QWidget, name: str) -> ChangedFileAnswer:
    """Return the way to go with a file that changed since it was opened or saved; Escape leaves everything as it is."""
    said = QCoreApplication.translate(
        "Questions", "{name} was changed by another program since it was opened or saved."
    )
    loss = QCoreApplication.translate("Questions", "Saving over it loses those changes, reloading it loses yours.")
    box = message_box(window, said.format(name=name), loss)
    box.setIcon(QMessageBox.Icon.Warning)
    roles = QMessageBox.ButtonRole
    words = {
        ChangedFileAnswer.SAVE_OVER: (QCoreApplication.translate("Questions", "Save over it"), roles.DestructiveRole),
        ChangedFileAnswer.SAVE_AS: (QCoreApplication.translate("Questions", "Save as…"), roles.AcceptRole),
        ChangedFileAnswer.RELOAD: (QCoreApplication.translate("Questions", "Reload it"), roles.DestructiveRole),
    }
    ways = {box.addButton(label, role): way for way, (label, role) in words.items()}
    box.addButton(BUTTONS.Cancel)
    box.setDefaultButton(next(button for button, way in ways.items() if way is ChangedFileAnswer.SAVE_AS))
    picked: list[ChangedFileAnswer] = []
    box.buttonClicked.connect(lambda button: picked.append(ways.get(button, ChangedFileAnswer.CANCEL)))
    asked(box)
    return picked[0] if picked else ChangedFileAnswer.CANCEL


def paths_to_open(window: QWidget, folder: str) -> list[Path]:
    """Return the files to open; none if the dialog was left."""
    kinds = QCoreApplication.translate("FilesController", "Problems ({patterns})").format(
        patterns=patterns(problem_formats())
    )
    every = QCoreApplication.translate("FilesController", "All files (*)")
    title = QCoreApplication.translate("FilesController", "Open")
    both = QCoreApplication.translate("FilesController", "Matrices ({patterns})").format(
        patterns=patterns(matrix_formats())
    )
    names, _ = QFileDialog.getOpenFileNames(window, title, folder, f"{kinds};;{both};;{every}")
    return [Path(name) for name in names]


def path_to_save(window: QWidget, folder: str, proposal: str) -> Path | None:
    """Return a path that ends as sessions do; None if the dialog was left."""
    words = QCoreApplication.translate("FilesController", "Session ({patterns})").format(patterns=patterns([SESSION]))
    title = QCoreApplication.translate("FilesController", "Save as")
    return asked_path(window, title, Path(folder, proposal), {SESSION.suffixes[0]: words})


def folder_of(document: Document, settings: Settings) -> Path:
    """Return the folder in which files of a document are proposed: its own, else that of the last file, else home."""
    return document.path.parent if document.path else settings.last_folder()


def asked_path(window: QWidget, title: str, proposal: Path, kinds: Mapping[str, str]) -> Path | None:
    """Return a path from a dialog that asks before it replaces a file; None if it was left.

    `kinds` are the words of each ending; a path without one of these gets that of the kind that was picked.
    """
    endings = {words: ending for ending, words in kinds.items()}
    dialog = QFileDialog(window, title, "", ";;".join(endings))
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setDefaultSuffix(next(iter(kinds)))
    dialog.filterSelected.connect(lambda words: dialog.setDefaultSuffix(endings[words]))
    dialog.selectFile(str(proposal))
    if not asked(dialog):
        return None
    chosen = Path(dialog.selectedFiles()[0])
    if chosen.suffix.lower() in kinds:
        return chosen
    ending = endings[dialog.selectedNameFilter()]  # Qt takes the end of "run.1" for one, and adds none
    whole = chosen.with_name(chosen.name + ending)
    return asked_path(window, title, whole, kinds) if whole.exists() else whole
