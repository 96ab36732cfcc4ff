"""Cells of −∞ in a workbook: the number for them, and the arrays in which it means the same. Imports engine.

A large negative number is as good as −∞ where it is compared, or other numbers are added to it; times 0.001, or in a
sum of products, it is a number like any other.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from attn_gui.engine.arrays import Array
from attn_gui.engine.graph.intervention_nodes import ByHand
from attn_gui.engine.graph.nodes import Node, plain_name
from attn_gui.engine.graph.stage import Role
from attn_gui.formats.file_sentences import QT_TRANSLATE_NOOP, FormatError

CLOSED, LOWEST = "-1E+300", "-1E+299"
"""The number that stands for −∞, which spreadsheets lack, and one that every other is above."""
NO_NUMBER = QT_TRANSLATE_NOOP("Sentences", "A spreadsheet holds finite numbers only; {field} has others.")
_MAPS = (Role.SCORE, Role.SCALE, Role.CAP, Role.BIAS, Role.CLOSE)
_ADDING = (Role.BIAS, Role.CLOSE, Role.WEIGHT)


class ClosedCells:
    """The arrays of a chain that may hold −∞: maps before the softmax, what is added to them or put there by hand."""

    def __init__(self, nodes: Iterable[Node]) -> None:
        nodes = list(nodes)
        self._able = {node.name for node in nodes if node.stage.role in _MAPS}
        for node in nodes:
            if node.stage.role in _ADDING or isinstance(node, ByHand):
                self._able.update(node.fields)
        self._aware = {node.name for node in nodes if node.stage.role is Role.CLOSE}
        self.names: set[str] = set()
        """Those that do, and whose products must look for it; what a mask has closed looks for itself."""

    def check(self, name: str, cells: Array) -> None:
        """Take note of −∞ in an array. Raises FormatError, one sentence, for numbers that no spreadsheet has."""
        numbers = np.asarray(cells, dtype=np.float64)
        closed = np.isneginf(numbers)
        if not (np.isfinite(numbers) | (closed & (name in self._able))).all():
            raise FormatError(NO_NUMBER, field=plain_name(name))
        if closed.any() and name not in self._aware:
            self.names.add(name)


def number(value: float) -> float:
    """A number as it stands in a workbook."""
    return float(CLOSED) if np.isneginf(value) else value
