"""What is looked at: head, item, stage, chosen cell, mode. Changing it never makes the document modified."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple

from PySide6.QtCore import QObject, Signal


class ChosenCell(NamedTuple):
    """A cell of a stage as it is shown: row and column within the shown head."""

    stage: str
    row: int
    column: int


@dataclass(frozen=True)
class Look:
    """One state of the view."""

    stage: str = "weights"
    head: int = 0
    batch: int = 0
    cell: ChosenCell | None = None
    mode: str = "product"
    values: bool = True
    decimals: int = 3
    scientific: bool = False
    reach: str = ""  # a key of `veil.DIRECTIONS`: what of the chosen cell is shown


class ViewState(QObject):
    """Holds the present Look and tells which of its fields changed."""

    changed = Signal(object)  # frozenset of field names

    def __init__(self, parent: QObject | None = None, look: Look | None = None) -> None:
        super().__init__(parent)
        self.look = look or Look()

    def set(self, **values: Any) -> None:
        """Take new values in; emits once, and only if something differs."""
        new = replace(self.look, **values)
        names = frozenset(f.name for f in fields(Look) if getattr(new, f.name) != getattr(self.look, f.name))
        if names:
            self.look = new
            self.changed.emit(names)
