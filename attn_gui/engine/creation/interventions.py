"""Whole heads by hand: off, scaled, or the result of another one; each gives the interventions of the problem.

A head is off where its result is multiplied by 0, as heads are knocked out in Michel, Levy, Neubig (2019), "Are Sixteen
Heads Really Better than One?".
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import numpy as np

from attn_gui.engine.arrays import Array
from attn_gui.engine.chain.following import computed_nodes
from attn_gui.engine.problem import sentences
from attn_gui.engine.problem.errors import FieldError
from attn_gui.engine.problem.interventions import Intervention
from attn_gui.engine.problem.interventions.copy_cells import Copy
from attn_gui.engine.problem.interventions.scale_cells import Scale
from attn_gui.engine.problem.problem import Problem
from attn_gui.engine.problem.records import Record
from attn_gui.engine.stages import STAGE

from .moved_by_hand import heads_in, led

AXIS = "head"
RESULT = next(name for name, stage in STAGE.items() if stage.per_head and not stage.square)
"""The stage that holds what each head gives."""

Interventions = tuple[Intervention, ...]


def whole_heads(problem: Problem) -> dict[int, Intervention]:
    """The intervention in force on the whole result of a head, by head: of several the last."""
    found: dict[int, Intervention] = {}
    for record in problem.interventions:
        if _is_whole(record):
            found |= dict.fromkeys(_heads(record), record)
    return found


def off_heads(problem: Problem) -> frozenset[int]:
    """The heads whose result is multiplied by 0, whatever factors follow."""
    found: set[int] = set()
    for record in problem.interventions:
        if _is_whole(record):
            if isinstance(record, Scale) and record.factor == 0:
                found |= set(_heads(record))
            elif record.replaces:
                found -= set(_heads(record))
    return frozenset(found)


def switched_off(problem: Problem, heads: Collection[int]) -> dict[str, object]:
    """Exactly these heads off; those that were off and are not named are as computed again."""
    others = off_heads(problem) - set(heads)
    new = [Scale(stage=RESULT, at={AXIS: head}, factor=0.0) for head in sorted(heads)]
    return {"interventions": (*_freed(problem.interventions, {*others, *heads}), *new)}


def scaled(problem: Problem, head: int, factor: float) -> dict[str, object]:
    """The result of a head times a factor; 1 leaves it as computed. Raises FieldError for a head that is not there."""
    new = () if factor == 1 else (Scale(stage=RESULT, at={AXIS: checked_head(problem, head)}, factor=factor),)
    return {"interventions": (*_freed(problem.interventions, {head}), *new)}


def copied(problem: Problem, head: int, source: int) -> dict[str, object]:
    """The result of another head in place of its own; itself leaves it as computed. Raises FieldError likewise."""
    kept = _freed(problem.interventions, {checked_head(problem, head)})
    if checked_head(problem, source) == head:
        return {"interventions": kept}
    return {"interventions": (*kept, Copy(stage=RESULT, at={AXIS: head}, source={AXIS: source}))}


def checked_head(problem: Problem, head: int) -> int:
    """The head, where the problem has it. Raises FieldError where it has not."""
    if not 0 <= head < problem.num_heads:
        raise FieldError(sentences.NO_HEAD, got=head, heads=problem.num_heads)
    return head


def for_all_heads(problem: Problem, position: int) -> dict[str, object]:
    """One of the interventions done to every head; numbers of several heads are those of the first of them."""
    records = problem.interventions
    record = records[position]
    if AXIS in record.at:
        heads = list(_heads(record))
        kept = Record({axis: place for axis, place in record.at.items() if axis != AXIS})
        record = _at(record, 0, _cells(record, 0, len(heads))).changed(at=kept)
    return {"interventions": (*records[:position], record, *records[position + 1 :])}


def reordered(problem: Problem, order: Sequence[int], kv_order: Sequence[int]) -> Interventions:
    """The interventions where heads have other places: each new one is the old one that `order` names, and K/V heads.

    What is done to a head goes along with it, in the columns of stages in which heads lie side by side, too; stretches
    of heads that are parted become several. A head that is copied from keeps the first of its places.
    """
    sides = {"h": (problem.num_heads, np.array(order)), "g": (problem.num_kv_heads, np.array(kv_order))}
    nodes = {node.name: node for node in computed_nodes(problem)}
    found: list[Intervention] = []
    for record in problem.interventions:
        node = nodes[record.stage]
        stage, shape, heads = node.stage, node.shape, heads_in(node, nodes)
        moved = {AXIS: np.array(order)} if AXIS in stage.axes else {}
        if heads:
            count, places = sides[heads]
            width = shape[-1] // count
            moved[stage.axes[-1]] = (places[:, None] * width + np.arange(width)).ravel()
        found += led(record, stage.axes, shape, moved)
    return tuple(found)


def _is_whole(record: Intervention) -> bool:
    """Whether a record is in force on the whole results of heads."""
    return record.enabled and record.stage == RESULT and set(record.at) == {AXIS}


def _heads(record: Intervention) -> Iterator[int]:
    """The heads that a record names."""
    place = record.at[AXIS]
    yield from (place,) if isinstance(place, int) else range(*place)


def _freed(interventions: Interventions, heads: Collection[int]) -> Interventions:
    """The interventions without what they do to the whole results of these heads."""
    found: list[Intervention] = []
    for record in interventions:
        mine = list(_heads(record)) if _is_whole(record) else []
        if not set(mine) & set(heads):
            found.append(record)
        else:
            kept = [place for place, head in enumerate(mine) if head not in heads]
            found += [_at(record, mine[place], _cells(record, place, len(mine))) for place in kept]
    return tuple(found)


def _at(record: Intervention, place: int | tuple[int, int], cells: object) -> Intervention:
    """The record at other heads, with its numbers there."""
    numbers = {record.numbers: cells} if record.numbers else {}
    return record.changed(at=Record({**record.at, AXIS: place}), **numbers)


def _cells(record: Intervention, place: int, count: int) -> object:
    """The numbers of a record that belong to one of its heads."""
    cells = record.cells
    if not isinstance(cells, np.ndarray) or cells.ndim < 3 or cells.shape[-3] != count:
        return cells
    own: Array = np.ascontiguousarray(cells[..., place : place + 1, :, :])
    own.flags.writeable = False
    return own
