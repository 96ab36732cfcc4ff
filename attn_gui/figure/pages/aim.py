"""Aim of a page: the item, the head and the cell that it looks at, and what has been chosen on it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from attn_gui.engine import Evaluation, Problem


@dataclass(frozen=True)
class Aim:
    """The problem, an item, a head, a stage with the chosen cell (row and column as shown, or None), and the values of
    the page's knobs."""

    problem: Problem
    batch: int = 0
    head: int = 0
    stage: str = ""
    cell: tuple[int, int] | None = None
    knobs: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))

    def query(self, evaluation: Evaluation) -> int | None:
        """The chosen query; None where none is."""
        if self.cell is None or evaluation.node(self.stage).stage.by_key:
            return None
        return self.cell[0]

    def key(self, evaluation: Evaluation) -> int | None:
        """The chosen key; None where none is."""
        if self.cell is None:
            return None
        stage = evaluation.node(self.stage).stage
        return self.cell[1] if stage.square else self.cell[0] if stage.by_key else None
