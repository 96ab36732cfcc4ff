"""Readings of the logits of a run: after every layer, what each head adds to one, and what would be without it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from attn_gui.engine.arrays import Array
from attn_gui.engine.errors import FieldError, ShapeError
from attn_gui.engine.graph.stage import Role
from attn_gui.engine.memory import check
from attn_gui.engine.progress import Tell, silent
from attn_gui.engine.stages import stage_of, stages_of
from attn_gui.formats.file_sentences import QT_TRANSLATE_NOOP
from attn_gui.models.passes.edited_layer import EditedLayer
from attn_gui.models.passes.layer_walk import MLP
from attn_gui.models.run import Run

Token = str | int
_LENGTHS = QT_TRANSLATE_NOOP("Sentences", "Two texts of different lengths: expected {expected} tokens, got {got}.")
_NOT_LINEAR = QT_TRANSLATE_NOOP(
    "Sentences",
    "The logits of this model are not a sum of what its layers add: norms stand between them, or a layer of its head.",
)


def logit_lens(run: Run, position: int = -1) -> Array:
    """(layers + 1, vocabulary): the logits at a position as though all layers from each one on were left out.

    Raises FieldError. Source: nostalgebraist, "interpreting GPT: the logit lens" (2020).
    """
    layers = run.model.num_layers + 1
    check(4 * layers * run.model.sizes.vocabulary)
    return np.stack([run.logits_at(position, layer) for layer in range(layers)])


def logit_difference(run: Run, token: Token, against: Token | None = None, position: int = -1) -> float:
    """The logit of a token at a position, less that of another one where one is given."""
    logits = run.logits_at(position)
    found = float(logits[run.token_id(token)])
    return found if against is None else found - float(logits[run.token_id(against)])


class DirectLogits(NamedTuple):
    """The parts of a logit, float64: they add up to it."""

    embedding: float
    heads: Array  # (layer, head)
    mlps: Array  # (layer,)
    biases: Array  # (layer,), of the output projections
    by_hand: Array  # (layer,): what interventions have made other than the sum
    constant: float  # of the final norm and the head

    @property
    def total(self) -> float:
        parts = (self.heads, self.mlps, self.biases, self.by_hand)
        return self.embedding + self.constant + sum(float(part.sum()) for part in parts)


def direct_logits(run: Run, token: Token, against: Token | None = None, position: int = -1) -> DirectLogits:
    """The parts of a logit (or of the difference of two) that come straight from each head and MLP.

    What a part changes in later layers is not counted as its own; the divisor of the final norm is taken as it is.
    Raises FieldError for a model in which a logit is no such sum.
    Source: Elhage et al., "A Mathematical Framework for Transformer Circuits" (2021).
    """
    sizes, ends = run.model.sizes, run.model.ends
    if ends.head is None or ends.head.transform is not None or not sizes.early:
        raise FieldError(_NOT_LINEAR)
    place, layers = run.place(position), range(sizes.num_layers)
    with np.errstate(all="ignore"):
        direction, constant = _direction(run, place, token, against)
        parts = [_parts(run, layer, place, direction) for layer in layers]
    return DirectLogits(
        float(run.states[0][place] @ direction),
        np.array([part[0] for part in parts]),
        np.array([part[1] for part in parts]),
        np.array([part[2] for part in parts]),
        np.array([part[3] for part in parts]),
        constant,
    )


def _direction(run: Run, place: int, token: Token, against: Token | None) -> tuple[Array, float]:
    """(vector, number): a vector's product with it is its part of the logit; the number belongs to none."""
    ends, sizes = run.model.ends, run.model.sizes
    assert ends.head is not None
    matrix, bias = ends.head.decoder
    signs = {run.token_id(token): 1.0} if against is None else {run.token_id(token): 1.0, run.token_id(against): -1.0}
    if against is not None and run.token_id(token) == run.token_id(against):
        signs = {run.token_id(token): 0.0}
    found = sum(sign * matrix[:, number].astype(np.float64) for number, sign in signs.items())
    constant = 0.0 if bias is None else float(sum(sign * bias[number] for number, sign in signs.items()))
    state = run.states[-1][place].astype(np.float64)
    if ends.final_norm is None:
        return np.asarray(found), constant
    constant += 0.0 if ends.final_norm.bias is None else float(ends.final_norm.bias @ found)
    found = ends.final_norm.weight * found
    if sizes.centered:
        found, state = found - found.mean(), state - state.mean()
    return found / np.sqrt((state**2).mean() + sizes.norm_eps), constant


def _parts(run: Run, layer: int, place: int, direction: Array) -> tuple[Array, float, float, float]:
    """The parts of one layer: of every head, of the MLP, of the bias of its output, and by hand.

    A layer that was changed by hand may have no output projection, or no MLP.
    """
    problem = run.problem(layer)
    joined = run.stage(layer, stage_of(Role.JOIN))[0, place].astype(np.float64)
    through = direction if problem.w_output is None else np.asarray(problem.w_output, np.float64) @ direction
    heads = (joined * through).reshape(run.model.num_heads, -1).sum(axis=1)
    bias = 0.0 if problem.b_output is None else float(problem.b_output @ direction)
    has_mlp = any(stage.name == MLP for stage in stages_of(problem))
    mlp = float(run.stage(layer, MLP)[0, place] @ direction) if has_mlp else 0.0
    before, after = (run.states[number][place].astype(np.float64) @ direction for number in (layer, layer + 1))
    by_hand = isinstance(run.model.layers[layer], EditedLayer)
    changed = by_hand or any(record.enabled for record in problem.interventions)
    rest = float(after - before - heads.sum() - bias - mlp) if changed else 0.0
    return heads, mlp, bias, rest


def head_effects(
    run: Run, token: Token, against: Token | None = None, position: int = -1, tell: Tell = silent
) -> Array:
    """(layer, head): the change of a logit, or of the difference of two, by each head alone switched off.

    `tell` is told the share that is done; what it raises ends it. Raises FieldError.
    """
    now = logit_difference(run, token, against, position)
    found = np.zeros((run.model.num_layers, run.model.num_heads))
    for place, without in without_each_head(run, tell):
        found[place] = logit_difference(without, token, against, position) - now
    return found


def without_each_head(run: Run, tell: Tell = silent) -> Iterator[tuple[tuple[int, int], Run]]:
    """Every (layer, head) with the run in which it alone is switched off besides; `tell` as for `head_effects`."""
    shape = run.model.num_layers, run.model.num_heads
    for count, (layer, head) in enumerate(np.ndindex(*shape)):
        tell(count / math.prod(shape))
        off = {"layer": layer, "kind": "scale", "stage": stage_of(Role.MIX), "at": {"head": head}, "factor": 0.0}
        yield (layer, head), run.replace(interventions=[*run.interventions, off])


class Moved(NamedTuple):
    """Differences of two runs of the same length."""

    heads: Array  # (layer, head): the largest change of a weight
    states: Array  # (layer + 1, token): the length of the change of a state


def moved(before: Run, after: Run, tell: Tell = silent) -> Moved:
    """The heads and states that are other after than before; NaN for heads of a layer that was given other keys.

    Raises ShapeError for texts of different lengths.
    """
    lengths = len(before.ids), len(after.ids)
    if len(set(lengths)) > 1:
        raise ShapeError(_LENGTHS, matrices=("tokens",), axes=("token",), expected=lengths[0], got=lengths[1])
    layers = before.model.num_layers
    heads = []
    with np.errstate(all="ignore"):
        for layer in range(layers):
            tell(layer / layers)
            now, then = after.attention(layer), before.attention(layer)
            comparable = now.shape == then.shape
            heads.append(np.abs(now - then).max(axis=(1, 2)) if comparable else np.full(len(now), np.nan))
        states = np.linalg.norm(np.stack(after.states) - np.stack(before.states), axis=-1)
    return Moved(np.stack(heads), states)
