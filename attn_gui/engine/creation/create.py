"""New problems; W_O, biases, a second sequence, another score or float32 added or taken away; Q, K, V made direct."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from attn_gui.engine import errors
from attn_gui.engine.arrays import Array, Write, advance, grown, new_array
from attn_gui.engine.checks import as_choice, as_count, overflow_notes
from attn_gui.engine.creation.layer_parts import BLOCK, fill
from attn_gui.engine.creation.resize import Resized, resize
from attn_gui.engine.errors import FieldError, Note
from attn_gui.engine.evaluation.evaluation import Evaluation
from attn_gui.engine.fields import DIRECT, DTYPES, WEIGHTS
from attn_gui.engine.graph import indices
from attn_gui.engine.graph.intervention_nodes import computed_nodes
from attn_gui.engine.problem import Problem
from attn_gui.engine.scores import SCORES
from attn_gui.engine.shape_errors import drafted, fields_with

KINDS = ("direct", "self", "cross")
SHARE = {"integers": 0.25, "random": 2.0}  # of 1/√d_model: X and W of integers vary by 2, W of random numbers by 1/2
LEAST_HIDDEN, MOST_HIDDEN = 2, 16  # units of a new additive score: as many as d_k within these

EMBEDDED = 8  # numbers of the vector of a token that is not read from a model


# --- new problems ---------------------------------------------------------------------------------
def new_fields(
    kind: str = "direct",
    *,
    n: int,
    m: int | None = None,
    num_heads: int = 1,
    d_k: int,
    d_v: int | None = None,
    d_model: int | None = None,
    fill: str = "random",
    seed: int = 0,
) -> dict[str, Any]:
    """Return the fields of a problem with Q, K, V given, or projected from X, or from X and a second sequence.

    d_model, the width of X, is num_heads · d_k where it is None. Raises ValueError or TypeError with one sentence.
    """
    as_choice("kind", kind, KINDS)
    n, heads, d_k = as_count("n", n), as_count("num_heads", num_heads), as_count("d_k", d_k)
    m = n if m is None or kind == "self" else as_count("m", m)
    d_v = d_k if d_v is None else as_count("d_v", d_v)
    if kind == "direct":
        shapes = {"query": (n, heads * d_k), "key": (m, heads * d_k), "value": (m, heads * d_v)}
    else:
        width = heads * d_k if d_model is None else as_count("d_model", d_model)
        shapes = {"x": (n, width)} | ({"context": (m, width)} if kind == "cross" else {})
        shapes |= {"w_query": (width, heads * d_k), "w_key": (width, heads * d_k), "w_value": (width, heads * d_v)}
    return _filled(shapes, fill, seed) | {"num_heads": heads}


def _filled(shapes: dict[str, tuple[int, int]], kind: str, seed: int) -> dict[str, Any]:
    return {
        name: fill(kind, shape, seed=seed, field=name, keep=partial(_shrink, kind) if name in WEIGHTS else None)
        for name, shape in shapes.items()
    }


def _shrink(kind: str, weights: Array) -> None:
    """Scale weights, in place, so that Q, K and V vary by about 1 whatever d_model is, to two decimals.

    Without that, self-attention of small integers would be one-hot, since scores grow with d_model.
    """
    if kind in SHARE:
        weights *= SHARE[kind] / np.sqrt(weights.shape[0])
        np.round(weights, 2, out=weights)
        weights += 0.0  # no −0


def embedded_fields(tokens: Sequence[str]) -> dict[str, Any]:
    """Return the fields of self-attention among tokens with random vectors, the same each time.

    Every different token has one vector of 8 normal numbers, so that equal tokens have equal rows of x (n, 8); w_query,
    w_key and w_value (8, 8) are normal numbers ÷ √8.
    """
    different = list(dict.fromkeys(tokens))
    draw = np.random.default_rng(0).standard_normal
    vectors = draw((len(different), EMBEDDED))
    weights = {name: draw((EMBEDDED, EMBEDDED)) / np.sqrt(EMBEDDED) for name in ("w_query", "w_key", "w_value")}
    return {"x": vectors[[different.index(token) for token in tokens]], **weights, "query_tokens": tuple(tokens)}


def with_dtype(problem: Problem, dtype: str) -> Resized:
    """Return the fields that hold all numbers in another precision, none where nothing changes, and notes on those that
    are too large for it."""
    if as_choice("dtype", dtype, DTYPES) == problem.dtype:
        return Resized({})
    notes: list[Note] = []

    def copied(name: str, array: Array) -> Array:
        def write(new: Array) -> None:
            try:
                with np.errstate(over="raise"):
                    np.copyto(new, array, casting="same_kind")
            except FloatingPointError:
                with np.errstate(over="ignore"):
                    np.copyto(new, array, casting="same_kind")
                notes.extend(overflow_notes(name, array, new))

        return new_array(array.shape, dtype, write)

    arrays = {name: copied(name, array) for name, array in problem.arrays().items() if array.dtype != bool}
    return Resized({"dtype": dtype} | fields_with(problem, arrays), tuple(notes))


def with_output(problem: Problem, present: bool) -> dict[str, Any]:
    """Return the fields that add w_output (square, or as wide as x) or take it away; {} where nothing changes.

    Raises ValueError where a block needs it.
    """
    if present == (problem.w_output is not None):
        return {}
    if not present:
        if problem.block is not None and problem.num_heads * problem.d_v != problem.d_model:
            raise FieldError(errors.NEEDS, field="block", other="w_output")
        return {"w_output": None, "b_output": None}
    inner = problem.num_heads * problem.d_v
    shape = (inner, problem.d_model if problem.projected else inner)
    return {"w_output": fill("random", shape, field="w_output", dtype=problem.dtype)}


def with_biases(problem: Problem, present: bool) -> dict[str, Any]:
    """Return the fields that add a bias of zeros to every weight matrix, or take all of them away."""
    changed: dict[str, Any] = {}
    for part in ("query", "key", "value", "output"):
        weight, bias = getattr(problem, f"w_{part}"), getattr(problem, f"b_{part}")
        if not present and bias is not None:
            changed[f"b_{part}"] = None
        if present and weight is not None and bias is None:
            changed[f"b_{part}"] = fill("zeros", (weight.shape[1],), dtype=problem.dtype)
    return changed


def with_context(problem: Problem, present: bool) -> dict[str, Any]:
    """Return the fields that give a projected problem a second sequence, as long and wide as x, or make it
    self-attention.

    Interventions are left to `with_carried_interventions`. Raises ValueError in a direct problem.
    """
    if not problem.projected:
        raise FieldError(errors.NEEDS, field="context", other="x")
    if present == (problem.context is not None):
        return {}
    renamed = {"key_tokens": None} if problem.key_tokens is not None else {}
    if present:
        context = fill("random", problem.x.shape, field="context", dtype=problem.dtype)
        return {"context": context} | renamed
    return _narrowed(problem) | {"context": None} | renamed


def _narrowed(problem: Problem) -> dict[str, Any]:
    """Return the fields that follow when the queries become the keys again: all of length m, and K and V weights.

    The batch goes, too, where x has none. Interventions are not among the fields: they follow from all that changes,
    see `with_carried_interventions`.
    """
    draft, changed = drafted(problem, {"interventions": ()}), dict[str, Any]()
    items = problem.batch_size if problem.x.ndim == 3 else 1
    for name, length in (("m", problem.n), ("batch_size", items)):
        changed |= resize(draft, keep="d_k", **{name: length}).fields
        draft = drafted(draft, changed)
    for name in ("w_key", "w_value"):
        weight = getattr(problem, name)
        if weight.shape[0] != problem.d_model:
            changed[name] = grown(weight, (problem.d_model, weight.shape[1]))
    return changed


def with_score(problem: Problem, score: str) -> dict[str, Any]:
    """Return the fields that change the score function, its numbers at their defaults; {} where the problem has it.

    Its tables are new weights: of the additive score w_score_query (d_q, d_a), w_score_key (d_kk, d_a), w_score (d_a,).
    """
    if as_choice("score", score, tuple(SCORES)) == problem.score:
        return {}
    entry, hidden = SCORES[score], min(max(problem.d_k, LEAST_HIDDEN), MOST_HIDDEN)
    sizes = {entry.widths["query"]: problem.d_k, entry.widths["key"]: problem.d_key}
    tables = {
        name: _score_weights(problem, name, [sizes.get(letter, hidden) for letter in letters])
        for name, letters in entry.tables.items()
    }
    return {"score": score, "score_params": entry.defaults | tables}


def with_hidden_width(problem: Problem, width: int) -> dict[str, Any]:
    """Return the fields that give the additive score `width` hidden units; kept ones keep their weights."""
    width = as_count("d_a", width)
    units = SCORES[problem.score].units
    if not units:
        hidden = " or ".join(f"score {key}" for key, score in SCORES.items() if score.units)
        raise FieldError(errors.NEEDS, field="d_a", other=hidden)
    tables, params = SCORES[problem.score].tables, problem.score_params
    changed = {
        name: _score_weights(problem, name, (*params[name].shape[:-1], width), partial(_keep_columns, params[name]))
        for name, letters in tables.items()
        if letters[-1] == tables[units][0]
    }
    return {"score_params": {**params, **changed}}


def _score_weights(problem: Problem, name: str, shape: Sequence[int], keep: Write | None = None) -> Array:
    field = f"score_params.{name}"
    return fill("random", shape, field=field, dtype=problem.dtype, keep=keep)


def _keep_columns(old: Array, new: Array) -> None:
    """Write into a new array the columns that it shares with an old one."""
    shared = min(new.shape[-1], old.shape[-1])
    new[..., :shared] = old[..., :shared]


def fitting_output(problem: Problem) -> dict[str, Any]:
    """Return the fields that make the output as wide as x, as a block needs it, by w_output."""
    if problem.w_output is None:
        return with_output(problem, True)
    arrays = {"w_output": problem.w_output, "b_output": problem.b_output}
    return {
        name: grown(array, (*array.shape[:-1], problem.d_model)) for name, array in arrays.items() if array is not None
    }


def made_direct(evaluation: Evaluation) -> dict[str, Any]:
    """Return the fields that give Q, K and V as computed in place of X and its weights; w_output stays.

    Interventions on them are included. Where Q, K and V were given, these are all that changes.
    """
    problem = evaluation.problem
    by_hand = {record.stage for record in problem.interventions if record.enabled}
    changed = _without_projection(problem)
    for name in DIRECT if problem.projected else [name for name in DIRECT if name in by_hand]:
        shape = evaluation.shape(name)
        shape = shape if _by_item(evaluation, name) else shape[1:]
        changed[name] = new_array(shape, problem.dtype, partial(_write_stage, evaluation, name))
    left = {node.name for node in computed_nodes(drafted(problem, changed))}
    kept = tuple(
        one for one in problem.interventions if one.stage in left and not (one.enabled and one.stage in DIRECT)
    )
    return changed if kept == problem.interventions else changed | {"interventions": kept}


def with_direct(problem: Problem, matrices: Mapping[str, Array]) -> dict[str, Any]:
    """Return the fields that give these matrices as Q, K and V, or as X and its weights, in place of all such.

    Tokens, masks and all that depends on sizes follow; several heads become one where columns cannot be shared among
    them. Raises ValueError or TypeError with one sentence.
    """
    changed = _without_projection(problem)
    if problem.projected:
        lengths = (problem.n, problem.m, problem.m)
        weights = (getattr(problem, name).shape[-1] for name in WEIGHTS)
        shapes = zip(DIRECT, zip(lengths, weights, strict=True), strict=True)
        changed |= {name: np.zeros(shape, problem.dtype) for name, shape in shapes}
    rows = ["x"] * 3 if "x" in matrices else DIRECT
    widths = [matrices[name].shape[1] for name in (WEIGHTS if "x" in matrices else DIRECT)]
    shared = problem.kv_heads == problem.num_heads and not (widths[0] % problem.num_heads)
    heads = problem.num_heads if shared and not widths[2] % problem.num_heads else 1
    sizes = {"batch_size": 1, "num_heads": heads, "n": len(matrices[rows[0]]), "m": len(matrices[rows[1]])}
    draft = drafted(problem, changed)
    for name, size in (sizes | {"d_k": widths[0] // heads, "d_v": widths[2] // heads}).items():
        fields = resize(draft, **{name: size}).fields
        changed |= fields
        draft = drafted(draft, fields)
    changed |= dict.fromkeys((*DIRECT, "key_tokens")) if "x" in matrices else {}
    changed |= {name: np.asarray(array, problem.dtype) for name, array in matrices.items()}
    left = {node.name for node in computed_nodes(drafted(problem, changed))}
    kept = tuple(one for one in draft.interventions if one.stage in left and one.stage not in DIRECT)
    return changed if kept == problem.interventions else changed | {"interventions": kept}


def _without_projection(problem: Problem) -> dict[str, Any]:
    """Return the fields that take X, its weights and its block away; in self-attention the keys keep their tokens."""
    names = ["x", "context", "block", *(f"{kind}_{part}" for kind in "wb" for part in DIRECT)]
    changed: dict[str, Any] = {name: None for name in names if getattr(problem, name) is not None}
    if problem.self_attention and problem.query_tokens is not None and problem.key_tokens is None:
        changed["key_tokens"] = problem.query_tokens
    return changed


def _by_item(evaluation: Evaluation, name: str) -> bool:
    """Return whether Q, K or V can differ between batch items, through what it is computed from or an intervention."""
    problem, node = evaluation.problem, evaluation.node(evaluation.computed(name))
    given = problem.queries if name == "query" else problem.keys
    read = {name, *(ref.name for ref in node.inputs)}
    by_hand = any(record.enabled and record.stage in read for record in problem.interventions)
    return given.ndim == 3 or (by_hand and node.shape[0] > 1)


def _write_stage(evaluation: Evaluation, name: str, new: Array) -> None:
    """Write the cells of a stage into an array, a few rows at a time."""
    cells = new if new.ndim == 3 else new[None]
    items, rows, columns = cells.shape
    step = max(1, BLOCK // (items * columns))
    for part in indices.in_parts(slice(0, rows), step):
        cells[:, part] = evaluation.box(name, (slice(0, items), part, slice(0, columns)))
        advance(cells[:, part].nbytes)
