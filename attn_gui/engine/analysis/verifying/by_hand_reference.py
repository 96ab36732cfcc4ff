"""Interventions in plain loops over Python floats, for the reference. Imports the problem only."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from attn_gui.engine.problem.problem import Problem

KINDS = ("set", "scale", "copy")


def interventions_of(problem: Problem, stage: str) -> list[Any]:
    """The enabled interventions of a stage, in order."""
    return [record for record in problem.interventions if record.enabled and record.stage == stage]


def carried_out(
    records: Sequence[Any],
    axes: Sequence[str],
    place: tuple[int, ...],
    row: Sequence[float],
    computed: Callable[[tuple[int, ...]], float],
    first: int = 0,
) -> Sequence[float]:
    """A row after its interventions: `place` is its index on all axes but the last, `first` that of its first cell.

    `computed` gives a cell of the stage as it was before all of them.
    """
    for record in records:
        row = [
            _changed(record, axes, (*place, first + k), number, computed)
            if _within(record.at, axes, (*place, first + k))
            else number
            for k, number in enumerate(row)
        ]
    return row


def _within(at: Mapping[str, Any], axes: Sequence[str], index: tuple[int, ...]) -> bool:
    """Whether a cell is among those that are changed."""
    for axis, k in zip(axes, index, strict=True):
        wanted = at.get(axis)
        if isinstance(wanted, int) and k != wanted:
            return False
        if isinstance(wanted, tuple) and not wanted[0] <= k < wanted[1]:
            return False
    return True


def _changed(
    record: Any,
    axes: Sequence[str],
    index: tuple[int, ...],
    number: float,
    computed: Callable[[tuple[int, ...]], float],
) -> float:
    if record.kind == "scale":
        closed = record.stage == "masked" and number == float("-inf")
        return number if closed else number * float(record.factor)
    if record.kind == "copy":
        return computed(tuple(record.source.get(axis, k) for axis, k in zip(axes, index, strict=True)))
    if record.kind != "set":
        raise ValueError(record.kind)
    inside = [k - _start(record.at.get(axis)) for axis, k in zip(axes, index, strict=True)]
    own = inside[len(inside) - record.values.ndim :]
    cell = tuple(0 if length == 1 else k for length, k in zip(record.values.shape, own, strict=True))
    return float(record.values[cell])


def _start(wanted: Any) -> int:
    if wanted is None:
        return 0
    return wanted if isinstance(wanted, int) else int(wanted[0])
