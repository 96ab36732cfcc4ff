"""The refusal of a text that can mean several matrices, with all of them.

It stands beside the reader of tables, which nobody need import to catch it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from attn_gui.engine.fields import DIRECT
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

    def together(self, *, named: bool = False) -> dict[str, LabeledArray]:
        """Return {field: matrix} of Q, K and V where the matrices are these and fit together, else {}.

        They are told by their names, or, unless they have to be `named`, three of them by their order.
        """
        found: dict[str, LabeledArray] = {}
        guesses = [guess(one.name) if one.name else None for one in self.readings]
        for one, meant in zip(self.readings, guesses, strict=True):
            if meant is not None and not meant.turned:
                found.setdefault(meant.role, one.matrix)
        turned = any(meant is not None and meant.turned for meant in guesses)
        if not (named or found or turned) and len(self.readings) == len(DIRECT):
            found = {role: one.matrix for role, one in zip(DIRECT, self.readings, strict=True)}
        if not self.several or not set(DIRECT) <= found.keys():
            return {}
        query, key, value = (found[role].values for role in DIRECT)
        fits = query.shape[1] == key.shape[1] and len(key) == len(value)
        return {role: found[role] for role in DIRECT} if fits else {}
