"""Base of dialogs: they wait, and go with their answer, are not kept until the window goes."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QApplication, QDialog, QDialogButtonBox, QMessageBox, QRadioButton, QWidget

from attn_gui.views.dialogs.dialog_tips import TIPS
from attn_gui.views.widgets import commit_focused_editor

BUTTONS = QDialogButtonBox.StandardButton
ASKING = "asking"  # a property of the application


class AnswerButtons(QDialogButtonBox):
    """The button `ok` that takes the answer of a dialog, and Cancel; `set_words` names the first, else OK."""

    def __init__(self, dialog: QDialog, words: str = "", which: QDialogButtonBox.StandardButton = BUTTONS.Ok) -> None:
        super().__init__(which | BUTTONS.Cancel, dialog)
        self.ok = self.button(which)
        self.accepted.connect(dialog.accept)
        self.rejected.connect(dialog.reject)
        self.set_words(words)

    def set_words(self, words: str) -> None:
        """Set the words of `ok`, and those of Cancel, in the present language: Qt's own depend on the desktop."""
        self.ok.setText(words or QCoreApplication.translate("AnswerButtons", "OK"))
        self.button(BUTTONS.Cancel).setText(QCoreApplication.translate("AnswerButtons", "Cancel"))


class FormDialog(QDialog):
    """A dialog with fields to type into; what is half typed and cannot be read stops its answer."""

    def accept(self) -> None:
        if commit_focused_editor(self):
            super().accept()

    def showEvent(self, event: QShowEvent) -> None:
        for box in self.findChildren(QDialogButtonBox):
            for button in box.buttons():
                button.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # a click would end the visit before it is judged
        radios = self.findChildren(QRadioButton)
        chosen = [radio.group() or radio.parent() for radio in radios if radio.isChecked()]
        for radio in radios:
            if not radio.isChecked() and (radio.group() or radio.parent()) in chosen:
                radio.setFocusPolicy(Qt.FocusPolicy.ClickFocus)  # else Qt leads the first Tab to the first of a group
        super().showEvent(event)


def message_box(parent: QWidget | None, text: str, more: str = "") -> QMessageBox:
    """Return a box without buttons yet; the names in what it says are never read as HTML."""
    box = QMessageBox(parent)
    box.setText(text)
    box.setInformativeText(more)
    box.setTextFormat(Qt.TextFormat.PlainText)  # of all texts that are there
    return box


def asked(dialog: QDialog) -> int:
    """Run `dialog`; its code, as `exec` gives it. It can be read until the next event."""
    for control in dialog.findChildren(QWidget):
        if tip := TIPS.get(control.objectName()):
            control.setWhatsThis(QCoreApplication.translate("DialogTips", tip))
        if control.toolTip() and not control.whatsThis():
            control.setWhatsThis(control.toolTip())
        if control.whatsThis() and not control.toolTip():
            control.setToolTip(control.whatsThis())
    app, outer = QApplication.instance(), asking()
    assert app is not None
    app.setProperty(ASKING, True)
    try:
        return dialog.exec()
    finally:
        app.setProperty(ASKING, outer)
        dialog.deleteLater()


def asking() -> bool:
    """Return whether a dialog has not returned its answer yet, though it may be out of sight already."""
    app = QApplication.instance()
    return app is not None and bool(app.property(ASKING))
