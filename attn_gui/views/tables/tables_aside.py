"""Tables of documents before, for the next one that has them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from attn_gui.document.matrix_model import MatrixModel
from attn_gui.views.tables.matrix_panel import MatrixPanel


class Table(NamedTuple):
    """A panel and what it shows."""

    panel: MatrixPanel
    model: MatrixModel


class TablesAside:
    """Keeps tables by field, empty and out of sight: to make one takes a third of a frame."""

    def __init__(self) -> None:
        self._tables: dict[str, Table] = {}

    def take(self, field: str) -> Table | None:
        """The table of a field, which is no longer here."""
        return self._tables.pop(field, None)

    def put(self, tables: Mapping[str, Table]) -> None:
        """Keep tables as they are, until they are taken or emptied."""
        self._tables.update(tables)

    def clear(self) -> None:
        """Empty them; those of mask layers and changes by hand, of which there may be any number, go."""
        for field, table in list(self._tables.items()):
            table.model.set_matrix(lambda: None)
            if any(map(str.isdigit, field.split("."))):
                del self._tables[field]
                table.panel.setParent(None)
                table.panel.deleteLater()
