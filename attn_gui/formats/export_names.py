"""Names of exported files, in the window and on the command line: NAME-STAGE[-hHEAD][-bITEM]. Imports engine."""

from __future__ import annotations

from collections.abc import Sequence

from attn_gui.engine import Evaluation, Problem
from attn_gui.engine.derived_stages import OVER_HEADS


def file_stem(*parts: str) -> str:
    """Return the parts of a file's name that are not empty, joined by -."""
    return "-".join(filter(None, parts))


def item_part(problem: Problem, item: int) -> str:
    """Return the part of a file's name for a batch item, b1; empty where there is only one."""
    return f"b{item}" if problem.batch_size > 1 else ""


def has_own_cells(evaluation: Evaluation, stage: str) -> bool:
    """Return whether each head has cells of its own in a stage, a map or columns, and so a file of its own."""
    entry = evaluation.node(stage).stage
    return entry.per_head or bool(entry.heads)


def own_heads(evaluation: Evaluation, stage: str, heads: tuple[int, ...]) -> tuple[int, ...]:
    """Return the heads that get a file of their own; a stage that heads share has that of the first."""
    return heads if has_own_cells(evaluation, stage) else heads[:1]


def heads_part(heads: Sequence[int], count: int, stage: str = "") -> str:
    """Return the part of a file's name for its heads: h3, h0,2-3, or `all` for all of several.

    Empty for a stage that is one map for all heads.
    """
    if any(stage == merged.name for merged in OVER_HEADS.values()):
        return ""
    if len(heads) == count > 1:
        return "all"
    runs: list[list[int]] = []
    for head in sorted(heads):
        if runs and runs[-1][-1] == head - 1:
            runs[-1].append(head)
        else:
            runs.append([head])
    return "h" + ",".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)
