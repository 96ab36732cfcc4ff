"""The tip of a control, which What's This says, too."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget


def set_tip(widget: QWidget, tip: str) -> None:
    """Say what a control does, with the formula that it changes if it changes one."""
    widget.setToolTip(tip)
    widget.setWhatsThis(tip)
