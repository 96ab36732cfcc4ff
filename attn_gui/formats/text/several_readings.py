"""The refusal of a text that can mean several matrices, with all of them. Imports NumPy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from attn_gui.formats.base import Matrix
from attn_gui.formats.file_sentences import QT_TRANSLATE_NOOP, FormatError, Note

_SEVERAL_WAYS = QT_TRANSLATE_NOOP(
    "Sentences",
    "{file} can be read in {count} ways: {readings}; expected decimal points, tabs between columns, and names above.",
)


class Reading(NamedTuple):
    """A matrix that a text can mean, and in words what it is taken for."""

    words: Note
    matrix: Matrix


class AmbiguousTable(FormatError):
    """A text that can mean several matrices; `readings` are all of them."""

    def __init__(self, readings: Sequence[Reading]) -> None:
        words = tuple(one.words for one in readings)
        super().__init__(_SEVERAL_WAYS, count=len(readings), readings=words)
        self.readings = tuple(readings)
