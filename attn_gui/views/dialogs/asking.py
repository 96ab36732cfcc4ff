"""Asking by a dialog that waits: it goes with its answer, and is not kept until the window goes."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QApplication, QDialog, QDialogButtonBox, QMessageBox, QWidget

from attn_gui.views.controls.half_typed import settle
from attn_gui.views.words.dialog_tips import give_tips

BUTTONS = QDialogButtonBox.StandardButton
ASKING = "asking"  # a property of the application


class FormDialog(QDialog):
    """A dialog with fields to type into; what is half typed and cannot be read stops its answer."""

    def accept(self) -> None:
        if settle(self):
            super().accept()

    def showEvent(self, event: QShowEvent) -> None:
        for box in self.findChildren(QDialogButtonBox):
            for button in box.buttons():
                button.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # a click would end the visit before it is judged
        super().showEvent(event)


def message_box(parent: QWidget | None, text: str, more: str = "") -> QMessageBox:
    """A box without buttons yet; the names in what it says are never read as HTML."""
    box = QMessageBox(parent)
    box.setText(text)
    box.setInformativeText(more)
    box.setTextFormat(Qt.TextFormat.PlainText)  # of all texts that are there
    return box


def asked(dialog: QDialog) -> int:
    """Run `dialog`; its code, as `exec` gives it. It can be read until the next event."""
    give_tips(dialog)
    app, outer = QApplication.instance(), asking()
    assert app is not None
    app.setProperty(ASKING, True)
    try:
        return dialog.exec()
    finally:
        app.setProperty(ASKING, outer)
        dialog.deleteLater()


def asking() -> bool:
    """Whether a dialog has not returned its answer yet, though it may be out of sight already."""
    app = QApplication.instance()
    return app is not None and bool(app.property(ASKING))
