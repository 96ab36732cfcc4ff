"""Questions about files: which one to open, where to save, and what to do before anything is lost."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum, auto
from pathlib import Path

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QFileDialog, QMessageBox, QWidget

from attn_gui.document.document import Document
from attn_gui.formats import SESSION, matrices, patterns, problems
from attn_gui.views.banner import Banner, BannerOffer
from attn_gui.views.dialogs.asking import asked, message_box
from attn_gui.views.main_window import MainWindow

BUTTONS = QMessageBox.StandardButton


class Way(Enum):
    """Ways on with a file that another program has changed."""

    SAVE_OVER = auto()
    SAVE_AS = auto()
    RELOAD = auto()
    CANCEL = auto()


def save_first(window: QWidget, name: str, save: Callable[[], bool]) -> bool:
    """Whether a document may be left whose changes no file holds: after `save`, or without them; it is asked."""
    box = message_box(window, QCoreApplication.translate("Questions", "Save the changes to {name}?").format(name=name))
    box.setIcon(QMessageBox.Icon.Question)
    box.setStandardButtons(BUTTONS.Save | BUTTONS.Discard | BUTTONS.Cancel)
    answer = BUTTONS(asked(box))
    return save() if answer == BUTTONS.Save else answer == BUTTONS.Discard


def ask_about_change(window: QWidget, name: str) -> Way:
    """The way to go with a file that changed since it was opened or saved; Escape leaves everything as it is."""
    said = QCoreApplication.translate(
        "Questions", "{name} was changed by another program since it was opened or saved."
    )
    loss = QCoreApplication.translate("Questions", "Saving over it loses those changes, reloading it loses yours.")
    box = message_box(window, said.format(name=name), loss)
    box.setIcon(QMessageBox.Icon.Warning)
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


def may_go(window: MainWindow, document: Document, file: str, revision: int, again: Callable[[], object]) -> bool:
    """Whether a document goes for a file that was read, as it was allowed to at a revision.

    Where it has changed since, the file is offered again: a sudden question would be a surprise.
    """
    half_typed = not window.settle()
    stays = half_typed or (document.modified and document.revision != revision)
    if stays:
        _offer_again(window.banner, file, document.name, again)
    return not stays


def _offer_again(banner: Banner, file: str, name: str, again: Callable[[], object]) -> None:

    def words() -> str:
        said = QCoreApplication.translate(
            "FilesController", "{file} was not opened: {name} was changed while it was read."
        )
        return said.format(file=file, name=name)

    def hint() -> str:
        return QCoreApplication.translate("FilesController", "It is asked first whether to save the changes")

    def label() -> str:
        return QCoreApplication.translate("FilesController", "Open it now")

    banner.show_info(words, offers=[BannerOffer(label, hint, again)])


def paths_to_open(window: QWidget, folder: str) -> list[Path]:
    """The files to open; none if the dialog was left."""
    kinds = QCoreApplication.translate("FilesController", "Problems ({patterns})").format(patterns=patterns(problems()))
    every = QCoreApplication.translate("FilesController", "All files (*)")
    title = QCoreApplication.translate("FilesController", "Open")
    both = QCoreApplication.translate("FilesController", "Matrices ({patterns})").format(patterns=patterns(matrices()))
    names, _ = QFileDialog.getOpenFileNames(window, title, folder, f"{kinds};;{both};;{every}")
    return [Path(name) for name in names]


def path_to_save(window: QWidget, folder: str, proposal: str) -> Path | None:
    """A path that ends as sessions do; None if the dialog was left."""
    words = QCoreApplication.translate("FilesController", "Session ({patterns})").format(patterns=patterns([SESSION]))
    title = QCoreApplication.translate("FilesController", "Save as")
    return asked_path(window, title, Path(folder, proposal), {SESSION.suffixes[0]: words})


def asked_path(window: QWidget, title: str, proposal: Path, kinds: Mapping[str, str]) -> Path | None:
    """A path from a dialog that asks before it replaces a file; None if it was left.

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
