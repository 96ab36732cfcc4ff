"""Which rows and columns a chosen cell marks in the other maps: what it is made of, and nothing else."""

from __future__ import annotations

from typing import NamedTuple

from attn_gui.figure.operands import KEY, PLAIN, QUERY, SQUARE

QUERIES = ("query", "rotated_query")
KEYS = ("key", "rotated_key")


class StageCell(NamedTuple):
    """A cell of a stage as its map shows it."""

    stage: str
    row: int
    column: int


class Lines(NamedTuple):
    """The row and the column that are marked in one map, with their roles."""

    row: int | None = None
    column: int | None = None
    row_role: str = QUERY
    column_role: str = KEY


NOTHING = Lines()


def lines_of(chosen: StageCell | None) -> dict[str, Lines]:
    """The lines of every map that has any.

    A score marks row i of Q, row j of K and its own place in every map of queries and keys; a weight also row j of V
    and row i of O; a cell of a head's output row i of the weights and its column of V; other cells their own row and
    column.
    """
    if chosen is None:
        return {}
    stage, row, column = chosen
    if stage in SQUARE:
        return _of_pair(stage, row, column)
    row_role = KEY if stage in (*KEYS, "value") else QUERY
    lines = {stage: Lines(row, column, row_role, PLAIN)}
    if stage == "head_output":
        lines |= {"weights": Lines(row), "value": Lines(None, column, column_role=PLAIN)}
    if stage == "output":
        lines["concat"] = Lines(row)
    return lines


def _of_pair(stage: str, row: int, column: int) -> dict[str, Lines]:
    lines = {name: Lines(row, column) for name in SQUARE}
    lines |= {name: Lines(row) for name in QUERIES}
    lines |= {name: Lines(column, row_role=KEY) for name in KEYS}
    if stage == "weights":
        lines |= {"value": Lines(column, row_role=KEY), "head_output": Lines(row)}
    return lines
