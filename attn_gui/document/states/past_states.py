"""The states that the document has gone through, put together from its steps beside it: it stays as it is meanwhile."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from attn_gui.document.ownership import Working, with_arrays
from attn_gui.engine.arrays import Array, Box
from attn_gui.engine.memory import check
from attn_gui.engine.problem import Problem


class StateBeside:
    """Another state of the document, made beside it: the working arrays, and copies of those that differ in it.

    `room`: bytes that all copies may take. Raises FieldError where they would take more, or more than a share of the
    memory that is still free.
    """

    def __init__(self, state: Working, room: int | None = None) -> None:
        self.state, self._room = state, room
        self._copies: dict[int, Array] = {}  # by the working array

    def write(self, field: str, box: Box, values: Array) -> None:
        """Set cells of an array, in a copy of it."""
        array = self.state.arrays[field]
        if id(array) not in self._copies:
            check(sum(copy.nbytes for copy in self._copies.values()) + array.nbytes, self._room)
            self._copies[id(array)] = array.copy()
        self._copies[id(array)][box] = values

    def problem(self) -> Problem:
        """The problem in this state."""
        arrays = {name: self._copies.get(id(array), array) for name, array in self.state.arrays.items()}
        return Problem.over(with_arrays(self.state.fields, arrays))


class Rewind(StateBeside):
    """One state on the way back, of which every array is a copy: it can be read on any thread."""

    def __init__(self, state: Working) -> None:
        super().__init__(state)
        check(sum(array.nbytes for array in state.arrays.values()))
        self._copies = {id(array): array.copy() for array in state.arrays.values()}

    def write(self, field: str, box: Box, values: Array) -> None:
        """Put cells of an array back, in a copy: the problem of a later state holds the one before."""
        array = self.state.arrays[field]
        check(array.nbytes)
        self._copies[id(array)] = self._copies.get(id(array), array).copy()
        super().write(field, box, values)


class Backward(Protocol):
    """A step that can be gone back beside the document."""

    def back(self, state: StateBeside) -> None: ...


class PastStates:
    """The present state and those before the given steps, the newest of which is the last.

    Raises FieldError where they would take too much memory.

    Made on the GUI thread; `problems` may run on another, and what it gives holds only if the document has not moved.
    """

    def __init__(self, state: Working, steps: Iterable[Backward]) -> None:
        self._rewind, self._steps = Rewind(state), tuple(steps)

    def __len__(self) -> int:
        """Count of the steps that it goes back."""
        return len(self._steps)

    def problems(self) -> list[Problem]:
        """The states, the oldest first: one more than there are steps."""
        found = [self._rewind.problem()]
        for step in reversed(self._steps):
            step.back(self._rewind)
            found.append(self._rewind.problem())
        return found[::-1]
