"""Keys that a query sees, what the sink takes beside them, and what closes a cell of a map."""

from __future__ import annotations

import numpy as np

from attn_gui.engine.arrays import Array
from attn_gui.engine.chain.hand_node import ByHand
from attn_gui.engine.chain.node import Fetch, Node
from attn_gui.engine.evaluation.readout import Readout
from attn_gui.engine.graph import indices


def seen_keys(evaluation: Readout, fetch: Fetch, index: tuple[int, ...]) -> Array:
    """Flags of the keys that the query of a cell sees: not behind a mask, and not at a score of −∞.

    A key that was given a weight by hand counts whatever its score is.
    """
    row = (*indices.cell(index[:3]), slice(0, evaluation.problem.m))
    logits, weights = (fetch(name, row).reshape(-1) for name in (evaluation.logits, evaluation.weights))
    seen = ~np.isneginf(logits) | (weights != 0)
    allowed = evaluation.allowed(index[0], index[1], row[2], row[3])
    return np.asarray(seen if allowed is None else seen & allowed[0])


def sink_share(evaluation: Readout, fetch: Fetch, index: tuple[int, ...]) -> float:
    """The share of the row of a weight that the sink of its head takes: that of one more key; 0 without a sink."""
    problem, node = evaluation.problem, evaluation.node(evaluation.computed(evaluation.weights))
    if problem.sink is None:
        return 0.0
    logits = fetch(evaluation.logits, (*indices.cell(index[:3]), slice(0, problem.m))).reshape(-1)
    temperature = None if problem.temperature is None else np.asarray(problem.temperature)
    with np.errstate(all="ignore"):
        return float(node.stage.forward(np.append(logits, problem.sink[index[1]]), temperature, None)[-1])


def closing_layer(evaluation: Readout, node: Node, index: tuple[int, ...]) -> int | None:
    """The position of the first mask layer that closes a cell of a map; None for an open one.

    A number that was put in its place by hand opens it from the stage on in which it was put.
    """
    if not node.stage.behind_mask or not evaluation.closes or _put_by_hand(evaluation, node, index):
        return None
    return next((k for k, open_ in evaluation.layers_at(index) if not open_), None)


def _put_by_hand(evaluation: Readout, node: Node, index: tuple[int, ...]) -> bool:
    """Whether a cell is changed by hand, or one that it reads behind the mask was replaced."""
    before = evaluation.nodes[: evaluation.nodes.index(node)]
    behind = [one for one in before if isinstance(one, ByHand) and one.stage.behind_mask]
    steps = [step for one in behind for step, _ in one.touching(indices.cell(index))]
    return bool(node.steps_at(index)) or any(step.record.replaces for step in steps)
