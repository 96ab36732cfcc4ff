"""Tells a map when more of its plane is known, and its supply when the map is no longer looked at."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from shiboken6 import isValid

from attn_gui.engine import Plane
from attn_gui.pictures.planes import PlaneLike
from attn_gui.pictures.sheets import Sheet, place_of
from attn_gui.pictures.supply import Supply, supply_of


class News(QObject):
    """Listens for one map, whose cells are the `owner` of what is asked for."""

    arrived = Signal(object, object)  # rows and columns of the plane as it is shown

    def __init__(self, parent: QObject, owner: object) -> None:
        super().__init__(parent)
        self._owner = owner
        self._plane: PlaneLike | None = None
        self._supply: Supply | None = None

    def follow(self, plane: PlaneLike | None) -> None:
        """Listen for news of this plane."""
        supply = supply_of(plane)
        self.leave()
        if supply is not self._supply:
            if self._supply is not None and isValid(self._supply):  # it goes with its evaluation
                self._supply.arrived.disconnect(self._on_supply_arrived)
            if supply is not None:
                supply.arrived.connect(self._on_supply_arrived)
        self._supply, self._plane = supply, plane

    def leave(self) -> bool:
        """Stop watching for a map that is hidden; returns whether it has to ask again when it is shown."""
        if self._supply is not None:
            self._supply.release(self._owner)
        return self._supply is not None

    def _on_supply_arrived(self, sheet: Sheet, part: slice) -> None:
        if self._plane is None or sheet.place != place_of(self._plane):
            return
        rows = slice(int(sheet.row_edges[part.start]), int(sheet.row_edges[part.stop]))
        columns = slice(int(sheet.column_edges[0]), int(sheet.column_edges[-1]))
        turned = isinstance(self._plane, Plane) and self._plane.transposed
        self.arrived.emit(*((columns, rows) if turned else (rows, columns)))
