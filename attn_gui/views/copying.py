"""What a widget gives to Copy, and large copies that reach the clipboard a while later."""

from __future__ import annotations

from typing import Protocol, runtime_checkable
from uuid import uuid4

from PySide6.QtCore import QMimeData
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import QWidget

from attn_gui.document.clipboard import CopiedCells


@runtime_checkable
class CopySource(Protocol):
    """A table, map or list that a copy takes cells from."""

    def copied(self) -> CopiedCells | None:
        """Return the cells that a copy takes now; None where there is nothing."""


def copy_source(widget: QWidget | None) -> CopySource | None:
    """Return the innermost source that a widget belongs to."""
    while widget is not None and not isinstance(widget, CopySource):
        widget = widget.parentWidget()
    return widget


# --- Copies that take a while: nothing can be pasted until they are there ---
FORMAT = "application/x-attn-gui-late-copy"


class LateCopy:
    """A text or a picture that is still to come; the clipboard holds a mark in its place."""

    def __init__(self) -> None:
        self._mark = b""

    def begin(self) -> None:
        """Let the mark take the place of what was copied before."""
        self._mark, data = uuid4().bytes, QMimeData()
        data.setData(FORMAT, self._mark)
        QGuiApplication.clipboard().setMimeData(data)

    def put(self, found: object) -> bool:
        """Copy it if the mark is still there; whether it was."""
        clipboard = QGuiApplication.clipboard()
        held = clipboard.mimeData()
        if held is None or held.data(FORMAT).data() != self._mark:
            return False
        if isinstance(found, QImage):
            clipboard.setImage(found)
        elif isinstance(found, QMimeData):
            clipboard.setMimeData(found)
        else:
            clipboard.setText(str(found))
        return True


def picture_data(png: bytes) -> QMimeData:
    """Return a picture for the clipboard, and the bytes of its PNG, with all that these carry."""
    data = QMimeData()
    data.setImageData(QImage.fromData(png))
    data.setData("image/png", png)
    return data


def mime_data(text: str, html: str = "") -> QMimeData:
    """Return a text for the clipboard, with the same as HTML beside it where there is some."""
    data = QMimeData()
    data.setText(text)
    if html:
        data.setHtml(html)
    return data
