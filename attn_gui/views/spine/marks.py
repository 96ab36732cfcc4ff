"""Which row and column of each small map belong to the chosen cell."""

from __future__ import annotations

from typing import NamedTuple

from attn_gui.figure.operands import SQUARE


class Lines(NamedTuple):
    """A row and a column of a map as it lies, and whose color they have."""

    row: int | None = None
    column: int | None = None
    row_role: str = "query"
    column_role: str = "key"


AFTER = ("head_output", "concat", "output", "residual", "normalized", "block_output")
QUERY_SIDE = ("x", "query", "rotated_query")


def lines_of(stage: str, row: int, column: int) -> dict[str, Lines]:
    """The lines of every map that takes part in cell (row, column) of a stage; keys lie as Kᵀ, so a key is a column."""
    lines: dict[str, Lines] = {}
    if stage in SQUARE:
        lines |= {name: Lines(row) for name in (*QUERY_SIDE, *SQUARE)}
        lines |= {name: Lines(column=column) for name in ("key", "rotated_key")}
    if stage == "weights":
        lines |= {"value": Lines(column, row_role="key"), "head_output": Lines(row), "concat": Lines(row)}
    elif stage == "head_output":
        lines |= {"weights": Lines(row), "value": Lines(column=column, column_role="plain"), "head_output": Lines(row),
                  "concat": Lines(row)}
    elif stage in AFTER:
        lines |= {name: Lines(row) for name in ("head_output", *AFTER[1:AFTER.index(stage) + 1])}
    elif stage in QUERY_SIDE:
        lines |= {name: Lines(row) for name in QUERY_SIDE}
    elif stage in ("key", "rotated_key"):
        lines |= {name: Lines(column=row) for name in ("key", "rotated_key")} | {"context": Lines(row, row_role="key")}
    elif stage == "value":
        lines |= {"value": Lines(row, row_role="key")}
    return lines
