"""The levels and colors that a person chose, by the matrix that they are for, wherever it is shown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from PySide6.QtCore import QObject, Signal

from attn_gui.engine import Evaluation
from attn_gui.figure.levels import PLAIN, Shade


def shaded_as(name: str, evaluation: Evaluation) -> str:
    """The name under which a stage or field is colored: differences and gradients have levels of their own."""
    return f"{evaluation.kind}.{name}" if evaluation.kind else name


def shades_of(kind: str, shades: Mapping[str, Shade]) -> dict[str, Shade]:
    """The shades of differences or of gradients, by the names of their matrices."""
    own = {name: shade for name, shade in shades.items() if name.startswith(f"{kind}.")}
    return {name.removeprefix(f"{kind}."): shade for name, shade in own.items()}


class Shades(QObject):
    """One shade for every stage or field; what was never chosen is plain."""

    changed = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._chosen: dict[str, Shade] = {}

    def of(self, name: str) -> Shade:
        """The colors of a stage or field."""
        return self._chosen.get(name, PLAIN)

    def set(self, name: str, shade: Shade) -> None:
        """Color it so from now on."""
        if shade == self.of(name):
            return
        self._chosen.pop(name, None)
        if shade != PLAIN:
            self._chosen[name] = shade
        self.changed.emit(name)

    def replace_all(self, shades: Mapping[str, Shade] | Iterable[tuple[str, Shade]]) -> None:
        """Replace all choices by these."""
        wanted = dict(shades)
        for name in {*self._chosen, *wanted}:
            self.set(name, wanted.get(name, PLAIN))

    def chosen(self) -> dict[str, Shade]:
        """The choices other than the default."""
        return dict(self._chosen)
