"""The catalog: the whole computation, in order. Each line assigns a variable from those assigned before it."""

from __future__ import annotations

from collections.abc import Sequence

from attn_gui.engine.problem import Problem
from attn_gui.engine.scoring import SCORES
from attn_gui.engine.sources import layer_name
from attn_gui.engine.stage import Linear, Stage

from .layer_norm import LayerNorm
from .mask import Allowed, Mask
from .rotary import Angle, Rotary
from .softcap import Softcap
from .softmax import Softmax

ROWS, MAP, HEAD, HIDDEN = "batch row column", "batch head query key", "batch head query column", "batch query column"

BEFORE: tuple[Stage, ...] = (
    Linear("query", ROWS, "query[b i p] = x[b i e] * w_query[e p] + b_query[p]?"),
    Linear("key", ROWS, "key[b j p] = context[b j e] * w_key[e p] + b_key[p]?"),
    Linear("value", ROWS, "value[b j p] = context[b j e] * w_value[e p] + b_value[p]?"),
    Linear("query", ROWS, "query[b i p] = given_query[b i p]", alias=True),
    Linear("key", ROWS, "key[b j p] = given_key[b j p]", alias=True),
    Linear("value", ROWS, "value[b j p] = given_value[b j p]", alias=True),
    Angle("query_angle", "query_angle[i p] = query_position[i], rotary_theta[], query_exponent[p]"),
    Angle("key_angle", "key_angle[j p] = key_position[j], rotary_theta[], key_exponent[p]"),
    Rotary("rotated_query", "query[b i (h t p)] = query[b i (h t p)], query_angle[i p]"),
    Rotary("rotated_key", "key[b j (g t p)] = key[b j (g t p)], key_angle[j p]"),
)
AFTER: tuple[Stage, ...] = (
    Softmax(),
    Linear(
        "head_output", HEAD, "mixed[b (g r) i c] = weights[b (g r) i j] * value[b j (g c)]",
        gates={1: "allowed[b (g r) i j]"},
    ),
    Linear("concat", HIDDEN, "hidden[b i (h c)] = mixed[b h i c]"),
    Linear("output", HIDDEN, "hidden[b i o] = hidden[b i a] * w_output[a o] + b_output[o]?"),
    Linear("output", HIDDEN, "hidden[b i o] = hidden[b i o]", alias=True, unless=("w_output",)),
    Linear("residual", HIDDEN, "hidden[b i o] = hidden[b i o] + x[b i o]", when=("ln_weight",)),
    LayerNorm(),
    Linear("block_output", HIDDEN, "hidden[b i u] = hidden[b i o] * w_linear[o u] + b_linear[u]?"),
)  # fmt: skip
SCALE = Linear("scaled", MAP, "logits[b h i j] = logits[b h i j] * scale[]")


def _biased(layers: Sequence[str]) -> Linear:
    added = " + ".join(["logits[b h i j]", *(f"{layer}[b h i j]" for layer in layers)])
    return Linear("biased", MAP, f"logits[b h i j] = {added}")


def catalog(score: str, biases: Sequence[str] = (), masks: Sequence[str] = ()) -> list[Stage]:
    """The stages in order, with the given score function, bias layers and boolean layers in their midst."""
    found: list[Stage] = [*BEFORE, SCORES[score], SCALE, Softcap()]
    if biases:
        found.append(_biased(biases))
    if masks:
        found += [Allowed(masks), Mask()]
    return [*found, *AFTER]


def stages_of(problem: Problem) -> list[Stage]:
    """The catalog with the score function and the enabled mask layers of a problem."""
    enabled = [(layer_name(k), layer.adds) for k, layer in enumerate(problem.mask) if layer.enabled]
    biases = [name for name, adds in enabled if adds]
    return catalog(problem.score, biases, [name for name, adds in enabled if not adds])


def _stages() -> tuple[Stage, ...]:
    every = {stage.name: stage for stage in reversed(catalog("dot", ("layer",), ("layer",))) if not stage.hidden}
    return tuple(reversed(every.values()))


STAGES = _stages()  # every stage that can be shown, in the contract's order, with .name, .symbol, .latex and .axes
STAGE = {stage.name: stage for stage in STAGES}
