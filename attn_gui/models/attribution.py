"""Likeliest tokens and at which place they are read, logit lens, parts of a logit, heads switched off, patching; from
which row of another text a row was taken."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from attn_gui.engine import errors
from attn_gui.engine.arrays import Array, Box, Progress, check, silent
from attn_gui.engine.checks import Record
from attn_gui.engine.errors import FieldError, ShapeError, StageError
from attn_gui.engine.graph.stage import Role
from attn_gui.engine.interventions import Intervention, Set
from attn_gui.engine.problem import Problem
from attn_gui.engine.stages import STAGE, stage_of, stages_of
from attn_gui.languages import N_
from attn_gui.models.changed_layers import EditedLayer
from attn_gui.models.forward_pass import MLP
from attn_gui.models.model import Run

Token = str | int
_LENGTHS = N_("Two texts of different lengths: expected {expected} tokens, got {got}.")
_NOT_LINEAR = N_(
    "The logits of this model are not a sum of what its layers add: norms stand between them, or a layer of its head.",
)

ROW = -2  # the axis of the tokens
_NO_ROW = N_("The other text has no row {got}; it has {count} tokens.")
UNEQUAL_ROWS = N_(
    "A row of {stage} has {got} numbers in the other text and {expected} here; only rows of the same length can stand "
    "in for each other.",
)

_ALIKE = N_("The two runs give the same logit, {value}: there is no difference that could be recovered.")


# --- head readings --------------------------------------------------------------------------------
def head_numbers(run: Run, problem: Problem, key: str, progress: Progress = silent) -> Array:
    """Return (layer, head): one of READINGS by key; `problem` has the tokens and sizes that unchanged layers share.

    NaN where a weight is, and where an edit of a layer leaves nothing to count. `progress` gets the share done; what it
    raises ends it.
    """
    found = []
    for layer in range(run.model.num_layers):
        found.append(run.reading(key, layer, problem))
        progress((layer + 1) / run.model.num_layers)
    return np.array(found)


# --- likely tokens --------------------------------------------------------------------------------
class LikelyToken(NamedTuple):
    """A token as the tokenizer writes it and as a reader expects it, with its probabilities now and before."""

    token: str
    text: str
    now: float
    before: float


def likely(now: Run, before: Run, position: int, count: int) -> tuple[LikelyToken, ...]:
    """Return the likeliest tokens at a position of a run, with their probabilities there and in another run."""
    shares = [run.probabilities(position) for run in (now, before)]
    order = [int(number) for number in np.argsort(-shares[0], kind="stable")[:count]]
    tokenizer = now.model.tokenizer
    names = zip(tokenizer.tokens(order), tokenizer.texts(order), order, strict=True)
    return tuple(LikelyToken(token, text, float(shares[0][k]), float(shares[1][k])) for token, text, k in names)


def asked_places(run: Run) -> list[int]:
    """Return the positions whose prediction matters: the last one, or those of an encoder that are to be filled in."""
    if run.model.ends.head is None:
        return []
    if run.model.sizes.causal:
        return [len(run.ids) - 1]
    mask = run.model.tokenizer.mask_token
    return [place for place, token in enumerate(run.tokens) if token == mask]


def asked_place(run: Run) -> int:
    """Return the position to look at first."""
    return next(iter(asked_places(run)), len(run.ids) - 1)


# --- logits ---------------------------------------------------------------------------------------
def logit_lens(run: Run, position: int = -1) -> Array:
    """Return (layers + 1, vocabulary): for each layer, the logits at a position if it and all later ones were left out.

    Raises FieldError. Source: nostalgebraist, "interpreting GPT: the logit lens" (2020).
    """
    layers = run.model.num_layers + 1
    check(4 * layers * run.model.sizes.vocabulary)
    return np.stack([run.logits_at(position, layer) for layer in range(layers)])


def logit_difference(run: Run, token: Token, against: Token | None = None, position: int = -1) -> float:
    """Return the logit of a token at a position, minus that of `against` if given."""
    logits = run.logits_at(position)
    found = float(logits[run.token_id(token)])
    return found if against is None else found - float(logits[run.token_id(against)])


class DirectLogits(NamedTuple):
    """The parts of a logit, float64; their sum is the logit."""

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
    """Return the parts of a logit (or of the difference of two) that come directly from each head and MLP.

    What a part changes through later layers does not count; the divisor of the final norm is held constant. Raises
    FieldError for a model in which a logit is no such sum. Source: Elhage et al., "A Mathematical Framework for
    Transformer Circuits" (2021).
    """
    sizes, ends = run.model.sizes, run.model.ends
    if ends.head is None or ends.head.transform is not None or not sizes.pre_norm:
        raise FieldError(_NOT_LINEAR)
    place, layers = run.place(position), range(sizes.num_layers)
    with np.errstate(all="ignore"):
        direction, constant = _direction(run, place, token, against)
        parts = [_parts(run, layer, place, direction) for layer in layers]
    heads, mlps, biases, by_hand = map(np.array, zip(*parts, strict=True))
    return DirectLogits(float(run.states[0][place] @ direction), heads, mlps, biases, by_hand, constant)


def _direction(run: Run, place: int, token: Token, against: Token | None) -> tuple[Array, float]:
    """Return (vector, number): the part of a state is its product with the vector; the number is a bias of no part."""
    ends, sizes = run.model.ends, run.model.sizes
    assert ends.head is not None
    matrix, bias = ends.head.decoder
    signs = run.logit_signs(token, against)
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
    """Return the parts of one layer: of every head, of the MLP, of the output's bias, and of interventions.

    An edited layer may have no output projection, or no MLP.
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
    run: Run, token: Token, against: Token | None = None, position: int = -1, progress: Progress = silent
) -> Array:
    """Return (layer, head): the change of a logit, or of the difference of two, by switching off each head alone.

    `progress` gets the share done; what it raises ends it. Raises FieldError.
    """
    now = logit_difference(run, token, against, position)
    found = np.zeros((run.model.num_layers, run.model.num_heads))
    for place, without in without_each_head(run, progress):
        found[place] = logit_difference(without, token, against, position) - now
    return found


def without_each_head(run: Run, progress: Progress = silent) -> Iterator[tuple[tuple[int, int], Run]]:
    """Yield ((layer, head), run with only this head switched off besides); `progress` as for `head_effects`."""
    shape = run.model.num_layers, run.model.num_heads
    for count, (layer, head) in enumerate(np.ndindex(*shape)):
        progress(count / math.prod(shape))
        off = {"layer": layer, "kind": "scale", "stage": stage_of(Role.MIX), "at": {"head": head}, "factor": 0.0}
        yield (layer, head), run.replace(interventions=[*run.interventions, off])


class RunDifference(NamedTuple):
    """Differences of two runs of the same length."""

    heads: Array  # (layer, head): the largest change of a weight
    states: Array  # (layer + 1, token): the length of the change of a state


def moved(before: Run, after: Run, progress: Progress = silent) -> RunDifference:
    """Return the heads and states that differ between two runs; NaN for heads of a layer that an edit gave other keys.

    Raises ShapeError for texts of different lengths.
    """
    lengths = len(before.ids), len(after.ids)
    if len(set(lengths)) > 1:
        raise ShapeError(_LENGTHS, matrices=("tokens",), axes=("token",), expected=lengths[0], got=lengths[1])
    layers = before.model.num_layers
    heads = []
    with np.errstate(all="ignore"):
        for layer in range(layers):
            progress(layer / layers)
            now, then = after.attention(layer), before.attention(layer)
            comparable = now.shape == then.shape
            heads.append(np.abs(now - then).max(axis=(1, 2)) if comparable else np.full(len(now), np.nan))
        states = np.linalg.norm(np.stack(after.states) - np.stack(before.states), axis=-1)
    return RunDifference(np.stack(heads), states)


# --- rows of another run --------------------------------------------------------------------------
def rows_taken(
    now: Run, other: Run, layer: int, stage: str, rows: slice | None = None, place: int = 0
) -> tuple[Box, Array]:
    """Return (box, cells): `rows` of a stage of a run (all without them) over all heads, and the cells to set there.

    The cells are those of another run, from its row `place` on. Raises StageError where the layer has no such stage,
    FieldError where the other run has no such rows, or rows of another length.
    """
    shape, given = now.stage(layer, stage).shape, other.stage(layer, stage)
    rows = slice(0, shape[ROW]) if rows is None else rows
    box = tuple(rows if axis == len(shape) + ROW else slice(0, length) for axis, length in enumerate(shape))
    if given.shape[-1] != shape[-1]:
        raise FieldError(UNEQUAL_ROWS, stage=stage, got=given.shape[-1], expected=shape[-1])
    last = place + rows.stop - rows.start - 1
    if last >= given.shape[ROW]:
        raise FieldError(_NO_ROW, got=last, count=given.shape[ROW])
    return box, np.ascontiguousarray(given[..., place : last + 1, :])


class RowOrigin(NamedTuple):
    """The rows of another run that cells were taken from, and those they replace; missing axes are whole."""

    row: int
    at: Record


def origin_of(other: Run, layer: int, record: Intervention) -> RowOrigin | None:
    """Return the rows of another run that an intervention sets; None where the cells are nowhere in it.

    Of several such rows the one at the intervention's own place is taken, else the first.
    """
    values = record.cells
    if not isinstance(record, Set) or values.ndim != len(STAGE[record.stage].axes):
        return None
    try:
        given = other.stage(layer, record.stage)
    except StageError:
        return None
    axes = STAGE[record.stage].axes
    *outer, rows, columns = record.box(axes, given.shape)
    found = given[(*outer, slice(None), columns)]
    if found.shape[:ROW] + found.shape[-1:] != values.shape[:ROW] + values.shape[-1:]:
        return None
    count = values.shape[ROW]
    places = range(found.shape[ROW] - count + 1)
    same = [place for place in places if np.array_equal(found[..., place : place + count, :], values)]
    if not same:
        return None
    whole = {axis: (0, length) for axis, length in zip(axes, given.shape, strict=True)}
    at = Record({axis: place for axis, place in record.at.items() if place != whole[axis]})
    return RowOrigin(min(same, key=lambda place: (place != rows.start, place)), at)


# --- patching -------------------------------------------------------------------------------------
def recovered(
    changed: Run, clean: Run, patched: Run, token: Token, against: Token | None = None, position: int = -1
) -> float:
    """Return how much of the difference of two runs in a logit a third one has back: 0 as changed, 1 as clean."""
    low, high = _ends(changed, clean, token, against, position)
    return (logit_difference(patched, token, against, position) - low) / (high - low)


def _ends(changed: Run, clean: Run, token: Token, against: Token | None, position: int) -> tuple[float, float]:
    """Return the logits of the two runs that a third one is compared with. Raises FieldError where they are equal."""
    low, high = (logit_difference(run, token, against, position) for run in (changed, clean))
    if high == low:
        raise FieldError(_ALIKE, value=low)
    return low, high


def patch_sweep(
    changed: Run,
    clean: Run,
    token: Token,
    against: Token | None = None,
    *,
    stage: str,
    axis: str,
    position: int = -1,
    progress: Progress = silent,
) -> Array:
    """Return (layer, place): the share recovered by setting one place of a stage in one layer to the clean run's.

    `axis` is one of the stage's, such as "head" or "query". Both texts have the same number of tokens. `progress` gets
    the share done; what it raises ends it. Raises StageError, FieldError or ShapeError. Source: Meng et al., "Locating
    and Editing Factual Associations in GPT" (2022); Zhang, Nanda (2024).
    """
    count = clean.stage(0, stage).shape[_place_of(stage, axis)]
    found = np.zeros((clean.model.num_layers, count))
    for done, (layer, place) in enumerate(np.ndindex(*found.shape)):
        progress(done / found.size)
        patched = changed.patch(clean, layer, stage, {axis: place})
        found[layer, place] = recovered(changed, clean, patched, token, against, position)
    return found


def patch_foretold(
    changed: Run,
    clean: Run,
    token: Token,
    against: Token | None = None,
    *,
    stage: str,
    axis: str,
    position: int = -1,
    progress: Progress = silent,
) -> Array:
    """Return `patch_sweep` to first order, (layer, place): Σ gradient · (clean − changed), with exact gradients.

    `progress` and errors are those of `patch_sweep`. Source: Nanda, "Attribution Patching" (2023).
    """
    place, layers = _place_of(stage, axis), clean.model.num_layers
    low, high = _ends(changed, clean, token, against, position)
    found = []
    for layer, slopes in changed.gradients(token, stage, against, position):
        progress(1 - (layer + 1) / layers)
        there, here = clean.stage(layer, stage), changed.stage(layer, stage)
        if there.shape != here.shape:
            raise FieldError(UNEQUAL_ROWS, stage=stage, got=there.shape[-1], expected=here.shape[-1])
        with np.errstate(invalid="ignore"):  # −∞ behind a mask in both
            moved = there.astype(np.float64) - here
            parts = np.where(slopes == 0, 0.0, slopes * moved)
        found.append(parts.sum(axis=tuple(k for k in range(parts.ndim) if k != place)) / (high - low))
    return np.array(found[::-1])


def _place_of(stage: str, axis: str) -> int:
    """Return the position of an axis among those of a stage. Raises StageError, FieldError."""
    if stage not in STAGE:
        raise StageError(errors.NO_STAGE, stage=stage, choices=tuple(STAGE))
    axes = STAGE[stage].axes
    if axis not in axes:
        raise FieldError(errors.NO_AXIS, field="axis", stage=stage, got=axis, choices=axes)
    return axes.index(axis)
