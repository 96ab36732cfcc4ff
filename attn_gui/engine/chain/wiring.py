"""The chain of a problem: stages become nodes, each tied to what the last one before it wrote."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from math import prod

from attn_gui.engine.chain.node import Node
from attn_gui.engine.graph import indices
from attn_gui.engine.graph.indices import Reference
from attn_gui.engine.graph.sources import Source
from attn_gui.engine.graph.stage import Stage

Following = Callable[[Node, Mapping[str, Source]], tuple[Node, ...]]


def build(
    catalog: Iterable[Stage],
    sources: Mapping[str, Source],
    sizes: Mapping[str, int],
    followed: Following = lambda node, sources: (node,),
    limit: float = math.inf,
) -> list[Node]:
    """The chain: a stage takes part when everything it needs is there; each reads what the last one wrote.

    A stage can be read by its own name, too; `stream` is x as it was given.

    `followed` says which nodes stand in the place of one: it may be computed under another name, and then changed.
    From `limit` on a result is ±∞.
    """
    latest = {name: name for name in sources}
    fields = {name: source.field for name, source in sources.items()}
    shapes = {name: source.shape for name, source in sources.items()}
    alone = "x" in latest and "context" not in latest  # self-attention: whatever becomes of x, keys read it too
    if "x" in latest:
        latest |= {"stream": "x"} | ({"context": "x"} if alone else {})
    nodes: list[Node] = []
    for stage in catalog:
        if not _takes_part(stage, latest, sources):
            continue
        inputs = tuple(_tied(ref, latest, shapes, sizes, ref.name in latest) for ref in stage.inputs)
        present = [(ref.axes, shapes[ref.name]) for ref in inputs if not ref.optional]
        learned = indices.learn_sizes(present, sizes)
        letters = set("".join(stage.target.axes)).union(*("".join(ref.axes) for ref in inputs if not ref.optional))
        node = Node(
            stage.sized(prod(learned[k] for k in letters)),
            inputs,
            tuple(fields.get(ref.name, ref.name) for ref in inputs),
            learned,
            _gates(stage, latest),
            limit,
        )
        latest |= {stage.target.name: stage.name, stage.name: stage.name}
        if alone and stage.target.name == "x":
            latest["context"] = stage.name
        shapes[stage.name] = node.shape
        nodes += followed(node, sources)
    return nodes


def _gates(stage: Stage, latest: Mapping[str, str]) -> dict[int, str]:
    """The gates that are there, by the name of the stage that wrote them last."""
    found = {}
    for position, gate in stage.gates.items():
        name = indices.references(gate)[0].name
        if name in latest:
            found[position] = gate.replace(name, latest[name], 1)
    return found


def _takes_part(stage: Stage, latest: Mapping[str, str], sources: Mapping[str, Source]) -> bool:
    required = all(ref.optional or ref.name in latest for ref in stage.inputs)
    return required and set(stage.when) <= set(sources) and not set(stage.unless) & set(sources)


def _tied(
    ref: Reference,
    latest: Mapping[str, str],
    shapes: Mapping[str, tuple[int, ...]],
    sizes: Mapping[str, int],
    there: bool,
) -> Reference:
    if not there:
        return ref
    name = latest[ref.name]
    return Reference(name, indices.fitted(ref.axes, shapes[name], sizes))
