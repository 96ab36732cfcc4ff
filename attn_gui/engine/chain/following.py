"""The nodes that interventions add to a chain, and the keys that are open because a number was put there."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from attn_gui.engine.arrays import Array, Box, overflow_limit
from attn_gui.engine.chain.hand_node import ByHand, Changed, Step
from attn_gui.engine.chain.node import Fetch, Node
from attn_gui.engine.chain.symbols import computed_name
from attn_gui.engine.graph import indices
from attn_gui.engine.graph.indices import Reference
from attn_gui.engine.graph.sources import Source, sizes_of, sources_of
from attn_gui.engine.graph.stage import Stage
from attn_gui.engine.problem.fields import Fields
from attn_gui.engine.problem.interventions import Intervention
from attn_gui.engine.stages import entries, stages_of
from attn_gui.engine.stages.derived import DERIVED
from attn_gui.engine.stages.mask import Seen

from .wiring import build


@dataclass(frozen=True)
class Opened(Node):
    """The node of `Seen`: open cells, and those of the given boxes."""

    boxes: tuple[Box, ...] = ()

    def affected(self, position: int, box: Box, fetch: Fetch | None = None) -> list[Box]:
        """Cells that change with the mask."""
        return indices.outside([box], self.boxes)

    def compute(self, box: Box, fetch: Fetch) -> tuple[Box, Array]:
        """(box, flags)."""
        flags = np.array(fetch(self.inputs[0].name, box))
        for one in self.boxes:
            shared = indices.meet(one, box)
            if shared is not None:
                flags[indices.within(shared, box)] = True
        return box, flags


class Following:
    """Follows the nodes of a chain, as `build` makes them, with those of the interventions."""

    def __init__(self, interventions: Sequence[Intervention], masked: Sequence[str]) -> None:
        """`masked` are the stages behind the mask."""
        self._records: dict[str, list[tuple[int, Intervention]]] = {}
        for position, record in enumerate(interventions):
            if record.enabled:
                self._records.setdefault(record.stage, []).append((position, record))
        self._masked = masked

    def __call__(self, node: Node, sources: Mapping[str, Source]) -> tuple[Node, ...]:
        """The node, or what is computed under another name and what becomes of it."""
        if isinstance(node.stage, Seen):
            return (Opened(**_parts(node), boxes=self._opened(node)),)
        records = () if node.stage.hidden else self._records.get(node.name, ())
        if not records:
            return (node,)
        stage = copy.copy(node.stage)
        stage.name, stage.hidden = computed_name(node.name), True
        computed = replace(node, stage=stage)
        return computed, _by_hand(node, computed, records, sources)

    def _opened(self, node: Node) -> tuple[Box, ...]:
        records = (record for name in self._masked for _, record in self._records.get(name, ()))
        return tuple(record.box(node.stage.axes, node.shape) for record in records if record.replaces)


def _parts(node: Node) -> dict[str, Any]:
    return {field.name: getattr(node, field.name) for field in fields(node)}


def _by_hand(
    node: Node, computed: Node, records: Sequence[tuple[int, Intervention]], sources: Mapping[str, Source]
) -> ByHand:
    steps, inputs, names = [], [Reference(computed.name, node.axes)], [computed.name]
    for position, record in records:
        box, field = record.box(node.stage.axes, node.shape), record.field(position)
        if not record.numbers:
            steps.append(Step(position, record, box, None, ()))
            continue
        shape = sources[field].shape
        steps.append(Step(position, record, box, len(inputs), shape))
        inputs.append(Reference(field, ("",) * len(shape)))
        names.append(field)
    return ByHand(Changed(node.stage), tuple(inputs), tuple(names), node.sizes, {}, node.limit, tuple(steps))


def nodes_of(
    problem: Fields,
    sources: Mapping[str, Source],
    change: Callable[[Sequence[Stage]], Sequence[Stage]] = list,
) -> list[Node]:
    """The chain of a problem: its stages, as `change` gives them, tied to their inputs, and what is changed by hand."""
    masked = [name for name, stage in entries().items() if stage.behind_mask]
    following = Following(problem.interventions, masked)
    return build(change(stages_of(problem)), sources, sizes_of(problem), following, overflow_limit(problem.dtype))


def derived_nodes(problem: Fields, sources: Mapping[str, Source]) -> list[Node]:
    """The nodes of the derived maps, which read the chain with what is changed by hand in it."""
    masked = [name for name, stage in entries().items() if stage.behind_mask]
    following = Following(problem.interventions, masked)
    limit = overflow_limit(problem.dtype)
    nodes = build((*stages_of(problem), *DERIVED), sources, sizes_of(problem), following, limit)
    names = {stage.name for stage in DERIVED}
    return [node for node in nodes if node.name in names]


def computed_nodes(problem: Fields) -> list[Node]:
    """The chain without what is changed by hand."""
    return build(stages_of(problem), sources_of(problem), sizes_of(problem), limit=overflow_limit(problem.dtype))
