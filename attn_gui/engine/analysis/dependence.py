"""Dependence of each output of self-attention on each token, exactly, whatever score, mask and heads it has."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np

from attn_gui.engine.analysis.sensitivity import gradients
from attn_gui.engine.arrays import Array, item_of
from attn_gui.engine.creation.create import made_direct
from attn_gui.engine.creation.resize import resize
from attn_gui.engine.evaluation.dense import Evaluation
from attn_gui.engine.evaluation.streaming.threads import one_blas_thread
from attn_gui.engine.graph import indices
from attn_gui.engine.graph.powers import lengths
from attn_gui.engine.memory import check
from attn_gui.engine.problem.interventions.intervention import Intervention
from attn_gui.engine.problem.problem import Problem
from attn_gui.engine.problem.records import Record

WORK = 1e10
"""Multiplications of W_O, or of the projections, with what the heads depend on."""
HELD = 1 << 29
"""Bytes that are held at a time for as many tokens as are wanted; for fewer than two more may be."""
PIECE = 1 << 20
"""Numbers by which rows of Q, K and V, or of the output, are pulled back at a time."""
KEPT = 8
"""Stages of one map, about."""
GIVEN = "query", "key", "value"


def sequence(problem: Problem) -> Array:
    """The token's numbers (n, d): X, or where Q, K and V are given these three side by side."""
    rows = [np.asarray(getattr(problem, name), dtype=np.float64) for name in _fields(problem)]
    return np.concatenate([item_of(array, 0) for array in rows], axis=1)


def _fields(problem: Problem) -> tuple[str, ...]:
    """The fields that hold a token's numbers."""
    return ("x",) if problem.projected else GIVEN


def _own_width(problem: Problem) -> int:
    """The numbers of a token in `sequence`."""
    return sum(int(np.shape(getattr(problem, name))[-1]) for name in _fields(problem))


def first_tokens(problem: Problem, count: int) -> Problem:
    """The problem with its first tokens alone, as queries and as keys."""
    if problem.n > count:
        problem = problem.replace(**resize(problem, n=count).fields)
    return problem.replace(**resize(problem, m=count).fields) if problem.m > count else problem


def dependence(problem: Problem, tell: Callable[[float], None]) -> Array:
    """‖∂y_i/∂x_j‖ (Frobenius) as (i, j), of what attention gives (after W_O) by the token's numbers; see `sequence`.

    Of self-attention over one sequence. Columns are pulled back together, with a copy of the problem along the batch
    axis for each. `tell` hears the share that is done, and ends the work by raising. Raises FieldError where columns
    are so many that it would take too much memory.
    """
    check(held(problem, problem.n))
    found = _by_heads(problem, tell) if _apart(problem) else _by_rows(problem, tell)
    tell(1.0)
    return found


def _apart(problem: Problem) -> bool:
    """Whether Q, K and V depend on X row by row, each head on its own columns of them, and the output on the heads by
    W_O alone: so it is unless that is changed by hand."""
    evaluation = Evaluation(problem, keep=0)
    read = evaluation.stages[: evaluation.stages.index(evaluation.projection) + 1]
    by_hand = [record for record in problem.interventions if record.enabled and record.stage in read]
    return not any(_mixes(record, evaluation) for record in by_hand)


def _mixes(record: Intervention, evaluation: Evaluation) -> bool:
    """Whether it changes cells outside the part of the heads, or takes them from elsewhere."""
    axes, cells = evaluation.axes(record.stage), indices.whole(evaluation.shape(record.stage))
    return "head" not in axes or record.origin(cells, axes) is not None


def _by_rows(problem: Problem, tell: Callable[[float], None]) -> Array:
    """The dependence by whole rows of the output, a few columns at a time, whatever is changed by hand on the way."""
    plain = Evaluation(problem, keep=0)
    width, found = plain.shape(plain.projection)[-1], np.zeros((problem.n, problem.n))
    step = _columns_at_once(problem, problem.n)
    evaluation = Evaluation(_copied(problem, step))
    with one_blas_thread():
        for i, low in product(range(problem.n), range(0, width, step)):
            tell((i + low / width) / problem.n)
            row = slice(0, step), slice(i, i + 1), slice(0, width)
            moved = gradients(evaluation, evaluation.projection, row, np.eye(step, width, low)[:, None, :])
            tokens = np.concatenate([moved[name] for name in _fields(problem)], axis=2)
            found[i] = np.hypot(found[i], _by_token(tokens))
    return found


def _by_heads(problem: Problem, tell: Callable[[float], None]) -> Array:
    """The dependence of the columns of each head on Q, K and V, and from there row by row: less work by far."""
    direct = problem.replace(**made_direct(Evaluation(problem, keep=0)))
    before = [_of_rows(problem, name, tell) for name in GIVEN] if problem.projected else None
    evaluation, found = Evaluation(_copied(direct, direct.d_v)), np.zeros((problem.n, problem.n))
    after = None if problem.w_output is None else problem.w_output.astype(np.float64).T
    with one_blas_thread():
        for i in range(problem.n):
            heads = []
            for head in range(problem.num_heads):
                tell((i + head / problem.num_heads) / problem.n)
                moved = _of_head(evaluation, i, head, before)
                if after is None:  # columns of their own for each head: nothing is added but squares
                    found[i] = np.hypot(found[i], _by_token(moved))
                else:
                    heads.append(moved)
            if after is not None:
                found[i] = _by_token(np.tensordot(after, np.concatenate(heads), 1))
    return found


def _by_token(moved: Array) -> Array:
    """The lengths of (column, token, number of the token) by token."""
    return np.asarray(lengths(np.swapaxes(moved, 0, 1).reshape(moved.shape[1], -1), -1)[:, 0])


def affordable(problem: Problem, most: int) -> int:
    """The tokens, from two to so many, over which the dependence takes a few seconds and, if it can, little memory."""
    count = max(2, min(most, problem.n, int((WORK / max(_work(problem), 1)) ** 0.5)))
    while count > 2 and held(problem, count) > HELD:
        count -= 1
    return count


def _work(problem: Problem) -> int:
    """Multiplications for each pair of tokens, about."""
    own, width = _own_width(problem), problem.num_heads * problem.d_v
    out = 1 if problem.w_output is None else int(problem.w_output.shape[-1])
    if not _apart(problem):
        return max(out, width) * (own * _given_width(problem) if problem.projected else own)
    return own * width * max(out, 2 * problem.d_k if problem.projected else 1)


def held(problem: Problem, count: int) -> int:
    """The bytes that the dependence over so many of the first tokens holds at a time, about."""
    if not _apart(problem):
        return 8 * _columns_at_once(problem, count) * _of_copy(problem, count)
    own, columns, heads = _own_width(problem), problem.d_v, problem.num_heads
    numbers = _given_width(problem) * own * count if problem.projected else 0
    numbers += columns * _of_copy(problem, count)
    if problem.w_output is not None:
        numbers += (2 * heads * columns + int(problem.w_output.shape[-1])) * own * count
    return int(8 * numbers)


def _columns_at_once(problem: Problem, count: int) -> int:
    """The columns of the output that are pulled back at a time over so many tokens."""
    shaped = Evaluation(problem, keep=0)
    return max(1, min(shaped.shape(shaped.projection)[-1], PIECE // _of_copy(problem, count)))


def _of_copy(problem: Problem, count: int) -> int:
    """The numbers that a copy of the problem with so many tokens holds, about."""
    each = 2 * _given_width(problem) + KEPT * problem.num_heads * count + _own_width(problem)
    return int(count * each)


def _given_width(problem: Problem) -> int:
    """The columns of Q, K and V together."""
    shaped = Evaluation(problem, keep=0)
    return sum(shaped.shape(name)[-1] for name in GIVEN)


def _of_head(evaluation: Evaluation, i: int, head: int, before: list[Array] | None) -> Array:
    """∂o_i/∂x as (column of the head, token, number of the token) of one query and head."""
    width = evaluation.problem.d_v
    box = slice(0, width), slice(head, head + 1), slice(i, i + 1), slice(0, width)
    found = gradients(evaluation, evaluation.mixed, box, np.eye(width)[:, None, None, :])
    if before is None:
        return np.concatenate([found[name] for name in GIVEN], axis=2)
    total = np.zeros(())
    for name, way in zip(GIVEN, before, strict=True):
        mine = evaluation.head_columns(name, head)
        total = total + np.swapaxes(found[name][:, :, mine], 0, 1) @ way[:, mine]
    return np.swapaxes(total, 0, 1)


def _of_rows(problem: Problem, name: str, tell: Callable[[float], None]) -> Array:
    """∂(row of Q, K or V)/∂(the same row of X) as (token, column, column of X): no row reads another one's."""
    width, own = Evaluation(problem, keep=0).shape(name)[-1], _own_width(problem)
    found, step = np.empty((problem.n, width, own)), max(1, PIECE // (problem.n * max(width, own)))
    for low in range(0, width, step):
        tell(0.0)
        count = min(step, width - low)
        cotangent = np.repeat(np.eye(count, width, low)[:, None, :], problem.n, axis=1)
        evaluation = Evaluation(_copied(problem, count), keep=0)
        moved = gradients(evaluation, name, indices.whole(cotangent.shape), cotangent)["x"]
        found[:, low : low + count] = np.swapaxes(moved, 0, 1)
    return found


def _copied(problem: Problem, count: int) -> Problem:
    """The problem as so many equal items."""
    given: dict[str, Any] = {name: getattr(problem, name) for name in _fields(problem)}
    copied = {name: np.repeat(array.reshape(1, *array.shape[-2:]), count, axis=0) for name, array in given.items()}
    by_hand = tuple(_of_every_item(record) for record in problem.interventions)
    return problem.replace(**copied, interventions=by_hand, dtype="float64")


def _of_every_item(record: Intervention) -> Intervention:
    """The intervention in whatever item."""
    places = {name: getattr(record, name) for name in ("at", "source") if hasattr(record, name)}
    return record.changed(
        **{name: Record({axis: at for axis, at in place.items() if axis != "batch"}) for name, place in places.items()}
    )
