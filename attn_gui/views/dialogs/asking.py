"""Asking by a dialog that waits: it goes with its answer, and is not kept until the window goes."""

from __future__ import annotations

from PySide6.QtWidgets import QDialog


def asked(dialog: QDialog) -> int:
    """Run `dialog`; its code, as `exec` gives it. It can be read until the next event."""
    try:
        return dialog.exec()
    finally:
        dialog.deleteLater()
