"""The dialogs that ask for a file to open, or where to save."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QFileDialog, QWidget

from attn_gui.formats import SESSION, patterns, problems
from attn_gui.views.dialogs.asking import asked


def path_to_open(window: QWidget, folder: str) -> Path | None:
    """The problem to open; None if the dialog was left."""
    kinds = QCoreApplication.translate("FilesController", "Problems ({patterns})").format(patterns=patterns(problems()))
    every = QCoreApplication.translate("FilesController", "All files (*)")
    title = QCoreApplication.translate("FilesController", "Open")
    name, _ = QFileDialog.getOpenFileName(window, title, folder, f"{kinds};;{every}")
    return Path(name) if name else None


def path_to_save(window: QWidget, folder: str, proposal: str) -> Path | None:
    """A path that ends as sessions do, from a dialog that asks before it replaces a file; None if it was left."""
    kinds = QCoreApplication.translate("FilesController", "Session ({patterns})").format(patterns=patterns([SESSION]))
    ending = SESSION.suffixes[0]
    dialog = QFileDialog(window, QCoreApplication.translate("FilesController", "Save as"), folder, kinds)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setDefaultSuffix(ending.removeprefix("."))
    dialog.selectFile(proposal)
    chosen = Path(dialog.selectedFiles()[0]) if asked(dialog) else None
    if chosen is None or chosen.suffix.lower() == ending:
        return chosen
    whole = chosen.with_name(chosen.name + ending)  # Qt takes the end of "run.1" for a suffix
    return path_to_save(window, folder, str(whole)) if whole.exists() else whole
