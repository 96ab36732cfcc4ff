"""Changes of size: one named, pure function for each, with its effect on the numbers."""

from __future__ import annotations

from typing import Any, NamedTuple

from attn_gui.engine import messages
from attn_gui.engine.arrays import Array
from attn_gui.engine.blocks import BLOCKS
from attn_gui.engine.checks import Record, as_choice, as_count
from attn_gui.engine.creation.interventions import carried_interventions
from attn_gui.engine.creation.layer_parts import of_counts, of_groups, of_head_width, of_kv, with_tables
from attn_gui.engine.errors import FieldError, Note
from attn_gui.engine.fields import GIVEN
from attn_gui.engine.graph.stage import Role
from attn_gui.engine.masks import Layer
from attn_gui.engine.memory import grown, neutral_array, outline, overlay
from attn_gui.engine.problem import Problem
from attn_gui.engine.scores import SCORES
from attn_gui.engine.shape_errors import drafted
from attn_gui.engine.stages import lacking

from .filling import with_tokens

SIZES = ("num_heads", "num_kv_heads", "d_k", "d_v", "n", "m", "d_model", "d_ff", "batch_size")


class Resized(NamedTuple):
    """The `fields` to change (`problem.replace(**fields)`), and notes on everything else that had to change."""

    fields: dict[str, Any]
    notes: tuple[Note, ...] = ()


def head_counts(problem: Problem) -> tuple[int, ...]:
    """Return the numbers of heads that cut the columns of Q and of the joined heads evenly, so that no column moves."""
    query, value = problem.num_heads * problem.d_k, problem.num_heads * problem.d_v
    even = 2 if problem.turns else 1
    shared = [k for k in range(1, min(query, value) + 1) if query % k == 0 and value % k == 0]
    return tuple(k for k in shared if query // k % even == 0 and _key_width(problem, k) % even == 0)


def _key_width(problem: Problem, heads: int) -> int:
    """Return the width of a head of K for a number of heads; with the additive score it may differ from that of Q."""
    return max(1, problem.d_key * problem.num_heads // heads)


def resize(problem: Problem, *, keep: str = "d_model", **size: int | None) -> Resized:
    """Return the problem with one other size: num_heads, num_kv_heads, d_k, d_v, n, m, d_model, d_ff or batch_size.

    Numbers that stay keep their place in their head; new ones are 0, or 1 where a norm multiplies by them. Masks grow
    by open cells, or repeat their single row, column, head or item; interventions keep those of their cells that are
    left. `keep` says what happens to heads: "d_model" cuts the same columns into others, "d_k" adds or removes heads at
    the end. The same size changes nothing. Raises ValueError or TypeError with one sentence.
    """
    given = [(name, value) for name, value in size.items() if value is not None]
    if len(given) != 1 or given[0][0] not in SIZES:
        raise FieldError(messages.ONE_SIZE, got=tuple(name for name, _ in given) or "none")
    name, value = given[0][0], as_count(given[0][0], given[0][1])
    as_choice("keep", keep, ("d_model", "d_k"))
    if value == getattr(problem, name):
        return Resized({})
    plan = _Plan(problem)
    if name == "num_heads":
        plan.recut(value) if keep == "d_model" and problem.compares else plan.heads(value)
    else:
        getattr(plan, name)(value)
    follow, went = carried_interventions(problem, plan.fields)
    return Resized(plan.fields | follow, (*plan.notes, *went))


def outlined(problem: Problem, *, keep: str = "d_model", **size: int | None) -> Problem:
    """Return the shapes that `resize` would give, as a draft without memory. Raises what `resize` raises."""
    return drafted(problem, outline(lambda: resize(problem, keep=keep, **size)).fields)


class _Plan:
    """The changes so far, as fields and notes."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.fields: dict[str, Any] = {}
        self.notes: list[Note] = []

    # --- one method a size -----------------------------------------------------------------------
    def recut(self, heads: int) -> None:
        """Cut the same columns into another number of heads."""
        problem = self.problem
        choices = head_counts(problem)
        if heads not in choices:
            raise FieldError(messages.HEAD_COUNTS, got=heads, choices=tuple(map(str, choices)))
        before, kv_before = problem.num_heads, problem.num_kv_heads
        d_k, d_v = problem.d_k * before // heads, problem.d_v * before // heads
        wide, d_key = self._columns("key") // kv_before, _key_width(problem, heads)
        self.fields["num_heads"] = heads
        kv_heads = kv_before * heads // before
        if kv_before * heads % before == 0 and wide * before % heads == 0:
            self.fields["num_kv_heads"] = kv_heads
        else:
            self.fields["num_kv_heads"] = kv_heads = self.kv_heads_for(heads)  # left out, it may follow the heads
            self._regroup("key", kv_before, kv_heads, d_key)
            self._regroup("value", kv_before, kv_heads, d_v)
            self.notes.append(Note(messages.KV_WIDTH, {"before": wide, "after": d_key}))
        self.notes += of_kv(problem, heads, kv_heads)
        self._score_rows("query", d_k)
        self._score_rows("key", d_key)
        self._head_width("query", d_k)
        self._head_width("key", d_key)
        self._each_head(heads)
        self._mask_axis(1, before, heads)

    def heads(self, heads: int) -> None:
        """Add or remove heads of the same width at the end, with their columns and their rows of w_output."""
        problem = self.problem
        before, kv_before = problem.num_heads, problem.num_kv_heads
        kv_heads = heads if kv_before == before else self.kv_heads_for(heads)
        self.fields["num_heads"] = heads
        self._regroup("query", before, heads, problem.d_k)
        if not problem.compares:
            self.fields["num_kv_heads"] = kv_heads
        self._regroup("key", kv_before, kv_heads, self._columns("key") // kv_before)
        self._regroup("value", kv_before, kv_heads, problem.d_v)
        self._output_rows(before, heads, problem.d_v)
        self._maps(-3, heads)
        self._each_head(heads)
        self._mask_axis(1, before, heads)
        self.notes += of_counts(problem, heads, kv_heads)

    def num_kv_heads(self, kv_heads: int) -> None:
        problem = self.problem
        if problem.num_heads % kv_heads:
            choices = tuple(str(k) for k in range(1, problem.num_heads + 1) if problem.num_heads % k == 0)
            raise FieldError(messages.KV_COUNTS, got=kv_heads, heads=problem.num_heads, choices=choices)
        before = problem.num_kv_heads
        if not problem.compares:
            self.fields["num_kv_heads"] = kv_heads
        self._regroup("key", before, kv_heads, self._columns("key") // before)
        self._regroup("value", before, kv_heads, problem.d_v)
        self.notes += of_groups(problem, problem.num_heads, kv_heads)

    def d_k(self, width: int) -> None:
        problem = self.problem
        self._need(Role.SCORE)
        if problem.turns and width % 2:
            raise FieldError(messages.EVEN_HEAD, got=width)
        follows = self._columns("key") // problem.num_kv_heads == problem.d_k
        self._regroup("query", problem.num_heads, problem.num_heads, width)
        self._score_rows("query", width)
        self._head_width("query", width)
        if follows:
            self._regroup("key", problem.num_kv_heads, problem.num_kv_heads, width)
            self._score_rows("key", width)
            self._head_width("key", width)

    def d_v(self, width: int) -> None:
        problem = self.problem
        self._need(Role.MIX)
        self._regroup("value", problem.num_kv_heads, problem.num_kv_heads, width)
        self._output_rows(problem.num_heads, problem.num_heads, width)

    def d_model(self, width: int) -> None:
        """Change the width of x, the rows of the weights that read it, and with a block all that is added to x."""
        problem = self.problem
        self._need(Role.SCORE)
        if not problem.projected:
            raise FieldError(
                messages.DIRECT_WIDTH, heads=problem.num_heads, width=problem.d_k, expected=problem.d_model
            )
        readers = ["w_query"] if problem.context is not None else ["w_query", "w_key", "w_value"]
        self._put("x", (*problem.x.shape[:-1], width))
        if problem.context is not None and problem.block is not None and BLOCKS[problem.block["kind"]].before:
            readers += ["w_key", "w_value"]  # one norm for both sequences
            self._put("context", (*problem.context.shape[:-1], width))
        for name in readers:
            self._put(name, (width, getattr(problem, name).shape[1]))
        if problem.block is not None:
            self._block_width(width)

    def d_ff(self, width: int) -> None:
        """Change the width of the block's feed-forward network."""
        if not self.problem.d_ff:
            raise FieldError(messages.NEEDS, field="d_ff", other="block.w_up")
        self.fields["block"] = with_tables(self.problem, "f", width)

    def n(self, rows: int) -> None:
        problem = self.problem
        before = problem.n
        if problem.compares:
            self._rows("x" if problem.projected else "query", rows)
        self._maps(-2, rows)
        self._mask_axis(2, before, rows)
        self._tokens("query_tokens", rows)
        if problem.self_attention:
            self._mask_axis(3, before, rows)
            self._tokens("key_tokens", rows)

    def m(self, rows: int) -> None:
        problem = self.problem
        if problem.self_attention:
            raise FieldError(messages.SELF_ATTENTION)
        for name in ("context",) if problem.projected else ("key", "value"):
            if getattr(problem, name) is not None:
                self._rows(name, rows)
        self._maps(-1, rows)
        self._mask_axis(3, problem.m, rows)
        self._tokens("key_tokens", rows)

    def batch_size(self, items: int) -> None:
        """Add or remove batch items at the end; arrays that all items share stay shared."""
        problem = self.problem
        given = {name: getattr(problem, name) for name in ("query", "key", "value", "x", "context")}
        arrays = {name: array for name, array in given.items() if array is not None}
        batched = [name for name, array in arrays.items() if array.ndim == 3] or list(arrays)
        if problem.weights is not None:
            maps = problem.weights if problem.weights.ndim == 4 else problem.weights[None]
            self._put(GIVEN, (items, *maps.shape[1:]), maps)
            batched = [name for name in batched if arrays[name].ndim == 3]  # values that all items share stay so
        for name in batched:
            array = arrays[name]
            self._put(name, (items, *array.shape[-2:]), array if array.ndim == 3 else array[None])
        self._mask_axis(0, problem.batch_size, items)

    # --- columns and rows ------------------------------------------------------------------------
    def _columns(self, part: str) -> int:
        """Return the number of columns of Q, K or V, given or projected; 0 where there is none."""
        array = getattr(self.problem, f"w_{part}" if self.problem.projected else part)
        return 0 if array is None else int(array.shape[-1])

    def _need(self, role: Role) -> None:
        """Raise FieldError for a problem without this part."""
        if (lack := lacking(self.problem, [role])) is not None:
            raise FieldError(lack)

    def _maps(self, axis: int, count: int) -> None:
        """Change an axis of given weights."""
        if self.problem.weights is not None:
            shape = list(self.problem.weights.shape)
            shape[axis] = count
            self._put(GIVEN, tuple(shape))

    def _regroup(self, part: str, heads_before: int, heads: int, width: int) -> None:
        """Change the columns of Q, K or V: heads come and go at the end, columns at the end of each head."""
        for name in (f"w_{part}", f"b_{part}") if self.problem.projected else (part,):
            array = getattr(self.problem, name)
            if array is not None:
                self._grouped(name, array, -1, heads_before, heads, width)
        if part == "key" and heads != heads_before:
            self.fields["num_kv_heads"] = heads

    def _output_rows(self, heads_before: int, heads: int, width: int) -> None:
        if self.problem.w_output is not None:
            self._grouped("w_output", self.problem.w_output, 0, heads_before, heads, width)
        elif self.problem.block is not None:
            raise FieldError(messages.BLOCK_FIXED)

    def _grouped(self, name: str, array: Array, axis: int, heads_before: int, heads: int, width: int) -> None:
        """Change an axis of heads · width: every cell keeps its head and its place in it."""
        axis %= array.ndim
        shape = (*array.shape[:axis], heads * width, *array.shape[axis + 1 :])
        if shape == array.shape:  # the same columns, cut again
            return
        opened = (*array.shape[:axis], heads_before, array.shape[axis] // heads_before, *array.shape[axis + 1 :])
        into = (*array.shape[:axis], heads, width, *array.shape[axis + 1 :])
        self.fields[name] = neutral_array(
            shape, array, 0.0, lambda new: overlay(new.reshape(into), array.reshape(opened))
        )

    def _score_rows(self, part: str, width: int) -> None:
        """Resize the rows of the score's tables to the width of a head, such as the additive score's weights."""
        score = SCORES[self.problem.score]
        for name, letters in score.tables.items():
            params = self.fields.get("score_params", self.problem.score_params)
            if letters[0] == score.widths[part] and params[name].shape[0] != width:
                new = grown(params[name], (width, *params[name].shape[1:]))
                self.fields["score_params"] = Record({**params, name: new})

    def _block_width(self, width: int) -> None:
        problem = self.problem
        if problem.w_output is None:
            raise FieldError(messages.BLOCK_FIXED)
        self._put("w_output", (problem.w_output.shape[0], width))
        if problem.b_output is not None:
            self._put("b_output", (width,))
        self.fields["block"] = with_tables(problem, "o", width)

    def _head_width(self, part: str, width: int) -> None:
        self.fields |= of_head_width(self.problem, part, width)

    def _each_head(self, heads: int) -> None:
        """Change the number of sinks, one for each head."""
        if self.problem.sink is not None:
            self._put("sink", (heads,))

    def _rows(self, name: str, rows: int) -> None:
        array = getattr(self.problem, name)
        self._put(name, (*array.shape[:-2], rows, array.shape[-1]))

    def _put(self, name: str, shape: tuple[int, ...], array: Array | None = None) -> None:
        self.fields[name] = grown(getattr(self.problem, name) if array is None else array, shape)

    # --- what goes with them ---------------------------------------------------------------------
    def _tokens(self, name: str, rows: int) -> None:
        tokens = getattr(self.problem, name)
        if tokens is not None:
            self.fields[name] = with_tokens(tokens, rows)

    def _mask_axis(self, axis: int, before: int, after: int) -> None:
        """Change an axis of the mask layers: cut it, grow it by open cells, or let a single cell go on for all."""
        layers = self.fields.get("mask", self.problem.mask)
        changed = tuple(_layer(layer, axis, before, after, self.problem.m) for layer in layers)
        if any(one is not other for one, other in zip(changed, layers, strict=True)):
            self.fields["mask"] = changed

    def kv_heads_for(self, heads: int) -> int:
        """Return the number of K/V heads to keep: the present one if it divides the heads, else the next lower divisor
        of them."""
        return next(k for k in range(min(self.problem.num_kv_heads, heads), 0, -1) if heads % k == 0)


def _layer(layer: Layer, axis: int, before: int, after: int, m: int) -> Layer:
    cells = layer.cells
    if cells is None:
        return layer.resized(axis, before, after, m)
    place = axis - 4 + cells.ndim
    if place < 0 or cells.shape[place] != before or before == 1:
        return layer
    new = grown(cells, (*cells.shape[:place], after, *cells.shape[place + 1 :]), not layer.adds)
    return layer.changed(**{layer.table: new})
