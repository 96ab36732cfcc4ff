"""Protocol of widgets whose cells can be copied."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from PySide6.QtWidgets import QWidget

from attn_gui.document.clipboard import Copied


@runtime_checkable
class CopySource(Protocol):
    """A table, map or list that a copy takes cells from."""

    def copied(self) -> Copied | None:
        """The cells that a copy takes now; None where there is nothing."""


def copy_source(widget: QWidget | None) -> CopySource | None:
    """The innermost source that a widget belongs to."""
    while widget is not None and not isinstance(widget, CopySource):
        widget = widget.parentWidget()
    return widget
