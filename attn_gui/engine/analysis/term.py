"""Terms of the formula of one cell: what it adds up, made when it is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, overload

import numpy as np

from attn_gui.engine.arrays import Array
from attn_gui.engine.graph.expressions.expression import Cell
from attn_gui.engine.graph.expressions.leaves import Addends


class Term(NamedTuple):
    """One addend of a formula: the cells that it is made of, and what it adds."""

    cells: tuple[Cell, ...]
    value: float


class Terms(Sequence[Term]):
    """The addends of a formula, made when they are asked for; `values` holds all their numbers."""

    def __init__(self, addends: Sequence[Addends], keep: Array | None = None) -> None:
        self._addends = addends
        counts = [some.values.size for some in addends]
        kinds = np.repeat(np.arange(len(counts)), counts)
        positions = np.concatenate([np.arange(count) for count in counts]) if counts else np.zeros(0, int)
        values = np.concatenate([some.values.reshape(-1) for some in addends]) if counts else np.zeros(0)
        open_ones = slice(None) if keep is None else np.asarray(keep)[positions]
        self._kinds, self._positions = kinds[open_ones], positions[open_ones]
        self.values = values[open_ones]
        self._made: dict[int, Term] = {}

    def __len__(self) -> int:
        return len(self._positions)

    @overload
    def __getitem__(self, place: int) -> Term: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Term, ...]: ...
    def __getitem__(self, place: int | slice) -> Term | tuple[Term, ...]:
        if isinstance(place, slice):
            return tuple(self._term(k) for k in range(*place.indices(len(self))))
        return self._term(range(len(self))[place])

    def place_of(self, position: int) -> int | None:
        """The index of a key's term, if it has one."""
        found = np.flatnonzero(self._positions == position)
        return int(found[0]) if found.size else None

    def _term(self, place: int) -> Term:
        if place not in self._made:
            kind, position = int(self._kinds[place]), int(self._positions[place])
            self._made[place] = Term(self._addends[kind].cells(position), float(self.values[place]))
        return self._made[place]
