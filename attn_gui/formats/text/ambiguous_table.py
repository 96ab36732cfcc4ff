"""The refusal of a text that can mean several matrices, with all of them.

It stands beside the reader of tables, which nobody need import to catch it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple
from unicodedata import normalize

import numpy as np

from attn_gui.engine.fields import DIRECT, WEIGHTS
from attn_gui.formats.file_format import LabeledArray
from attn_gui.formats.file_messages import FileNote, FormatError
from attn_gui.formats.named.array_names import guess
from attn_gui.languages import N_

_SEVERAL_WAYS = N_(
    "{file} can be read in {count} ways: {readings}; expected decimal points, tabs between columns, and names above.",
)

_MATRICES = N_("{file} holds {count} matrices: {readings}; expected one of them.")


class PossibleMatrix(NamedTuple):
    """A matrix that a text may mean, with words on how it is read, and the name in front of it."""

    words: FileNote
    matrix: LabeledArray
    name: str = ""


class AmbiguousTable(FormatError):
    """A text that can mean several matrices; `readings` are all of them."""

    def __init__(self, readings: Sequence[PossibleMatrix], *, several: bool = False) -> None:
        """Describe the readings; `several` are matrices side by side, not several readings of one."""
        words = tuple(one.words for one in readings)
        super().__init__(_MATRICES if several else _SEVERAL_WAYS, count=len(readings), readings=words)
        self.readings, self.several = tuple(readings), several

    def noted(self, notes: Sequence[FileNote]) -> AmbiguousTable:
        """Return the refusal with notes on every reading."""
        matrices = (replace(one.matrix, notes=(*notes, *one.matrix.notes)) for one in self.readings)
        readings = [one._replace(matrix=matrix) for one, matrix in zip(self.readings, matrices, strict=True)]
        return AmbiguousTable(readings, several=self.several)

    def together(self, *, named: bool = False) -> dict[str, LabeledArray]:
        """Return {field: matrix} of Q, K and V, or of X and its weights, where the matrices are these and fit together,
        else {}.

        They are told by their names, or, unless they have to be `named`, three of them by their order.
        """
        return {role: _stacked(found) for role, found in self._fitting(named=named).items()}

    def others(self) -> list[str]:
        """Return the names of matrices that are not among those `together` takes by their names."""
        taken = [one for found in self._fitting(named=True).values() for one in found]
        return [one.name for one in self.readings if all(one is not other for other in taken)]

    def _fitting(self, *, named: bool) -> dict[str, Sequence[PossibleMatrix]]:
        """Return the matrices, or rows, of Q, K and V, else of X and its weights; {} where neither fit together."""
        every = self._found(named=named)
        for roles in (DIRECT, ("x", *WEIGHTS)):
            found = {role: every[role] for role in roles if role in every}
            shapes = [_stacked(one).values.shape for one in found.values()]
            if roles is DIRECT:
                fits = len(found) == 3 and shapes[0][1] == shapes[1][1] and shapes[1][0] == shapes[2][0]
            else:
                fits = len(found) == 4 and shapes[1] == shapes[2] and {shapes[0][1]} == {one[0] for one in shapes[1:]}
            if fits:
                return found
        return {}

    def _found(self, *, named: bool) -> dict[str, Sequence[PossibleMatrix]]:
        """Return the matrix, or the rows, that each part can only be."""
        found: dict[str, list[PossibleMatrix]] = {}
        guesses = [guess(one.name) if one.name else None for one in self.readings]
        for one, meant in zip(self.readings, guesses, strict=True):
            if meant is not None and not meant.turned:
                found.setdefault(meant.role, []).append(one)
        turned = any(meant is not None and meant.turned for meant in guesses)
        if not (named or found or turned) and len(self.readings) == len(DIRECT):
            found = {role: [one] for role, one in zip(DIRECT, self.readings, strict=True)}
        if not self.several:
            return {}
        return {role: only for role, every in found.items() if (only := _only(every))}


def _only(found: Sequence[PossibleMatrix]) -> Sequence[PossibleMatrix]:
    """Return the rows q1, q2, … of one matrix in this order, else the one without a number in its name; none where
    several may be meant."""
    shapes, names = {one.matrix.values.shape for one in found}, {one.name for one in found}
    if len(shapes) == 1 and next(iter(shapes))[0] == 1 and len(names) == len(found):
        return sorted(found, key=lambda one: [*map(int, re.findall(r"\d+", normalize("NFKC", one.name)))])
    if len(found) == 1:
        return found
    whole = [one for one in found if not any(map(str.isdigit, one.name))]
    return whole if len(whole) == 1 else ()


def _stacked(rows: Sequence[PossibleMatrix]) -> LabeledArray:
    if len(rows) == 1:
        return rows[0].matrix
    notes = dict.fromkeys(note for row in rows for note in row.matrix.notes)
    return LabeledArray(np.concatenate([row.matrix.values for row in rows]), notes=tuple(notes))
