"""Tips: of a control, which What's This says, too; and of any text, letter by letter."""

from __future__ import annotations

import html

from PySide6 import QtGui
from PySide6.QtWidgets import QWidget


def plain_tip(text: str) -> str:
    """The text as a tip that shows every letter of it: Qt would read a token or a name that looks like HTML."""
    if not QtGui.Qt.mightBeRichText(text):  # which the Qt of QtCore has not
        return text
    lines = html.escape(text).replace("\n", "<br>")
    return f"<span>{lines}</span>"


def set_tip(widget: QWidget, tip: str) -> None:
    """Say what a control does, with the formula that it changes if it changes one."""
    widget.setToolTip(plain_tip(tip))
    widget.setWhatsThis(widget.toolTip())
