"""Changes of size: numbers of heads on offer, rows and columns inserted or deleted, a clash's fix carried out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from attn_gui.engine import errors
from attn_gui.engine.arrays import Array, grown, neutral_array, new_array, outline, overlay
from attn_gui.engine.blocks import BLOCKS
from attn_gui.engine.checks import Record, as_choice, as_count
from attn_gui.engine.creation.interventions import Places, carried_interventions, relocated_interventions
from attn_gui.engine.creation.layer_parts import (
    BLOCK,
    fill,
    of_counts,
    of_groups,
    of_head_width,
    of_kv,
    with_tables,
    with_tokens,
)
from attn_gui.engine.errors import FieldError, Fix, Note, Shape, ShapeError
from attn_gui.engine.fields import DIRECT, GIVEN, Fields
from attn_gui.engine.graph.intervention_nodes import computed_nodes
from attn_gui.engine.graph.stage import Role
from attn_gui.engine.interventions import Intervention
from attn_gui.engine.masks import Layer, Padding
from attn_gui.engine.problem import Problem
from attn_gui.engine.scores import SCORES
from attn_gui.engine.shape_errors import TOKENS, clash_with, draft_of, drafted, fields_with, reshaped, with_company
from attn_gui.engine.stages import lacking

# --- sizes -----------------------------------------------------------------------------------------
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
        raise FieldError(errors.ONE_SIZE, got=tuple(name for name, _ in given) or "none")
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
            raise FieldError(errors.HEAD_COUNTS, got=heads, choices=tuple(map(str, choices)))
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
            self.notes.append(Note(errors.KV_WIDTH, {"before": wide, "after": d_key}))
        self.notes += of_kv(problem, heads, kv_heads)
        self._head_width("query", d_k)
        self._head_width("key", d_key)
        self._each_head(heads)

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
        self.notes += of_counts(problem, heads, kv_heads)

    def num_kv_heads(self, kv_heads: int) -> None:
        problem = self.problem
        if problem.num_heads % kv_heads:
            choices = tuple(str(k) for k in range(1, problem.num_heads + 1) if problem.num_heads % k == 0)
            raise FieldError(errors.KV_COUNTS, got=kv_heads, heads=problem.num_heads, choices=choices)
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
            raise FieldError(errors.EVEN_HEAD, got=width)
        follows = self._columns("key") // problem.num_kv_heads == problem.d_k
        self._regroup("query", problem.num_heads, problem.num_heads, width)
        self._head_width("query", width)
        if follows:
            self._regroup("key", problem.num_kv_heads, problem.num_kv_heads, width)
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
            raise FieldError(errors.DIRECT_WIDTH, heads=problem.num_heads, width=problem.d_k, expected=problem.d_model)
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
            raise FieldError(errors.NEEDS, field="d_ff", other="block.w_up")
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
            raise FieldError(errors.SELF_ATTENTION)
        for name in ("context",) if problem.projected else ("key", "value"):
            if getattr(problem, name) is not None:
                self._rows(name, rows)
        self._maps(-1, rows)
        self._mask_axis(3, problem.m, rows)
        self._tokens("key_tokens", rows)

    def batch_size(self, items: int) -> None:
        """Add or remove batch items at the end; arrays that all items share stay shared."""
        problem = self.problem
        given = {name: getattr(problem, name) for name in (*DIRECT, "x", "context")}
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
            raise FieldError(errors.BLOCK_FIXED)

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

    def _head_width(self, part: str, width: int) -> None:
        """Resize what goes with the width of a head: rows of the score's tables, its norm, its turned pairs."""
        score = SCORES[self.problem.score]
        for name, letters in score.tables.items():
            params = self.fields.get("score_params", self.problem.score_params)
            if letters[0] == score.widths[part] and params[name].shape[0] != width:
                new = grown(params[name], (width, *params[name].shape[1:]))
                self.fields["score_params"] = Record({**params, name: new})
        self.fields |= of_head_width(self.problem, part, width)

    def _block_width(self, width: int) -> None:
        problem = self.problem
        if problem.w_output is None:
            raise FieldError(errors.BLOCK_FIXED)
        self._put("w_output", (problem.w_output.shape[0], width))
        if problem.b_output is not None:
            self._put("b_output", (width,))
        self.fields["block"] = with_tables(problem, "o", width)

    def _each_head(self, heads: int) -> None:
        """Change the number of sinks, one for each head, and of heads of the mask."""
        if self.problem.sink is not None:
            self._put("sink", (heads,))
        self._mask_axis(1, self.problem.num_heads, heads)

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
        """Return the number of K/V heads to keep: the present one, or the next lower divisor of the heads."""
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


# --- rows and columns anywhere ---------------------------------------------------------------------
CUT = ("n", "m", "d_k", "d_v", "d_model", "d_ff")  # sizes whose cells have a place of their own

NEUTRAL = {
    **{f"block.{name}": table.neutral for block in BLOCKS.values() for name, table in block.tables.items()},
    "query_norm": 1.0,
    "key_norm": 1.0,
}
"""The number that new cells hold where 0 would change something."""


def size_of(problem: Problem, field: str, axis: int) -> str | None:
    """Return the name of the size that an axis (−2 rows, −1 columns) of an array has; None where no cell can be
    inserted.

    So it is where half as many frequencies have another size, and for numbers of interventions, which follow their
    cells.
    """
    before = problem.arrays()[field].shape
    if len(before) < -axis or Intervention.position_of(field) is not None:
        return None
    for name in CUT:
        length = getattr(problem, name)
        try:
            grown = outline(partial(resize, problem, **{name: length + 2})).fields
        except (ValueError, TypeError):
            continue
        after = drafted(problem, grown).arrays()[field].shape
        if after[axis] != before[axis] and before[axis] % length == 0:
            return name
    return None


def places_with(length: int, at: int, count: int = 1) -> Places:
    """Return the old place of each cell along an axis after inserting `count` new ones, −1, before place `at`.

    Raises FieldError for a place outside.
    """
    _check(length, at)
    return np.insert(np.arange(length), [at] * count, -1)


def places_without(length: int, at: int, count: int = 1) -> Places:
    """Return the old place of each cell after removing `count` from place `at` on. Raises FieldError."""
    _check(length, at + count)
    return np.delete(np.arange(length), slice(at, at + count))


def fields_with_places(problem: Problem, size: str, places: Places) -> dict[str, Any]:
    """Return the fields that change when the cells along an axis are those that were at `places`, −1 for new ones.

    New cells are the same in every head, with numbers as `resize` gives them; masks are open there, or repeat their
    single row or column. Raises what `resize` raises.
    """
    length, new = int(getattr(problem, size)), places < 0
    after = drafted(problem, outline(partial(resize, problem, keep="d_k", **{size: len(places)})).fields)
    longest = length + int(new.sum())
    source = drafted(problem, resize(problem, keep="d_k", **{size: longest}).fields) if new.any() else problem
    return _fields(problem, after, source, np.where(new, length - 1 + np.cumsum(new), places), places)


def parts_by_hand(problem: Problem, fields: Mapping[str, Any], places: Places) -> list[int]:
    """Return, for each intervention, how many parts it becomes in the fields that `fields_with_places` returned."""
    return [len(parts) for parts in _relocated(problem, drafted(problem, fields), places)]


def _check(length: int, at: int) -> None:
    if not 0 <= at <= length:
        raise FieldError(errors.NO_PLACE, got=at, most=length)


def _fields(before: Problem, after: Fields, source: Fields, order: Places, places: Places) -> dict[str, Any]:
    """Return the changed fields, by taking cells from `source`, the problem with new cells appended.

    `order` holds places in `source`, `places` those in the problem before, −1 for a new cell.
    """
    arrays = source.arrays()
    by_hand = {record.field(k) for k, record in enumerate(before.interventions)}
    shapes = {name: pair for name, pair in reshaped(before, after).items() if name not in by_hand}
    found = fields_with(before, {name: _taken(arrays[name], *pair, order) for name, pair in shapes.items()})
    for name in TOKENS:
        tokens = getattr(source, name)
        if tokens is not None and getattr(after, name) != getattr(before, name):
            found[name] = tuple(tokens[place] for place in order)
    if after.m != before.m:
        mask = found.get("mask", before.mask)
        moved = tuple(layer.with_keys(places, before.m) for layer in mask)
        found |= {} if all(one is other for one, other in zip(moved, before.mask, strict=True)) else {"mask": moved}
    kept = tuple(chain.from_iterable(_relocated(before, drafted(before, found), places)))
    return found if kept == before.interventions else found | {"interventions": kept}


def _taken(cells: Array, old: Sequence[int], new: Sequence[int], order: Places) -> Array:
    """Return cells in their order along each axis that has another length; of one that is not made of these cells, such
    as half as many frequencies, those that are there."""
    index = [
        _in_groups(order, cells.shape[axis], after) if before != after and after % len(order) == 0 else np.arange(after)
        for axis, (before, after) in enumerate(zip(old, new, strict=True))
    ]

    def write(array: Array) -> None:
        array[...] = cells[np.ix_(*index)]

    return new_array(new, cells.dtype, write)


def _in_groups(order: Places, length: int, wanted: int) -> Places:
    """Return the order of a whole axis that consists of equal groups, such as the columns of every head."""
    groups = wanted // len(order)
    starts = np.arange(groups)[:, None] * (length // groups)
    return np.where(order >= 0, starts + order, -1).ravel()


def _relocated(before: Problem, after: Fields, places: Places) -> list[list[Intervention]]:
    """Return for each intervention those that it becomes where its cells are now: several where their range is torn."""
    if not before.interventions:
        return []
    old, new = ({node.name: node for node in computed_nodes(draft)} for draft in (before, after))
    found: list[list[Intervention]] = []
    for record in before.interventions:
        if record.stage not in old or record.stage not in new:
            found.append([])
            continue
        node, lengths = old[record.stage], new[record.stage].shape
        moved = {
            axis: _in_groups(places, node.shape[k], lengths[k])
            for k, axis in enumerate(node.stage.axes)
            if node.shape[k] != lengths[k]
        }
        found.append(relocated_interventions(record, node.stage.axes, node.shape, moved))
    return found


# --- fixes of a clash: a matrix added, transposed, resized or projected so that it fits ------------
def apply_fix(fix: Fix, fields: Mapping[str, object]) -> dict[str, Any]:
    """Return the fields that change when `fix` is carried out on the `fields` that clash; none of these is modified.

    New cells are 0, as with `resize`; the numbers of a new matrix depend on (field, item, row, column) alone.
    Biases, tokens and mask layers follow the matrix. Raises ValueError or TypeError if a field is wrong in itself.
    """
    problem = draft_of(fields)
    clash = clash_with(problem, {})
    shapes = {fix.matrix: fix.after}
    if isinstance(clash, ShapeError):
        shapes, _ = with_company(problem, clash, shapes)
    mending = _Mending(problem, fix)
    return fields_with(problem, {name: mending.value(name, shape) for name, shape in shapes.items()})


class _Mending:
    def __init__(self, problem: Fields, fix: Fix) -> None:
        self.problem, self.fix = problem, fix
        self.arrays = problem.arrays()

    def value(self, name: str, shape: Shape) -> Any:
        if name in TOKENS:
            return with_tokens(getattr(self.problem, name), shape[0])
        position = Layer.position_of(name)
        layer = None if position is None else self.problem.mask[position]
        if isinstance(layer, Padding):
            return (*layer.lengths[: shape[0]], *[self.problem.m] * (shape[0] - len(layer.lengths)))
        return self._array(name, shape, np.dtype(bool if name.endswith(".allowed") else self.problem.dtype))

    def _array(self, name: str, shape: Shape, dtype: np.dtype[Any]) -> Array:
        old = self.arrays.get(name)
        if old is None:
            return fill("random", shape, field=name, dtype=dtype)
        if name == self.fix.matrix and self.fix.kind == "transpose":
            return new_array(shape, dtype, lambda new: np.copyto(new, np.swapaxes(old, -1, -2)))
        if self.fix.kind != "project" or not self._multiplied(name):
            neutral = 1.0 if name.endswith(".allowed") else NEUTRAL.get(name, 0.0)
            return neutral_array(shape, old, neutral, lambda new: self._keep(name, old, new))
        factor = fill("random", self.fix.shape, field=f"w_{self.fix.matrix}")
        left, right = (old, factor) if self._columns_change else (factor, old)
        return new_array(shape, dtype, lambda new: _multiply(left, right, new))

    def _multiplied(self, name: str) -> bool:
        """Return whether an array is the projected matrix itself, or the bias that is added to its columns."""
        bias = f"b_{self.fix.matrix.removeprefix('w_')}"
        follows = self._columns_change and name == bias and self.arrays[name].shape == (self.fix.before[-1],)
        return follows or name == self.fix.matrix

    @property
    def _columns_change(self) -> bool:
        return self.fix.before[-1:] != self.fix.after[-1:]

    def _keep(self, name: str, old: Array, new: Array) -> None:
        for axis, groups in self._heads(name).items():
            if old.shape[axis] % groups == 0 and new.shape[axis] % groups == 0:
                overlay(_opened(new, axis, groups), _opened(old, axis, groups))
                return
        overlay(new, old)

    def _heads(self, name: str) -> dict[int, int]:
        """Return {axis: number of heads} of a matrix whose columns or rows belong to heads."""
        part = name[2:] if name[:2] in ("w_", "b_") else name
        if part == "output":
            return {0: self.problem.num_heads} if name == "w_output" else {}
        heads = {"query": self.problem.num_heads, "key": self.problem.num_kv_heads, "value": self.problem.num_kv_heads}
        return {-1: heads[part]} if part in heads else {}


def _multiply(left: Array, right: Array, new: Array) -> None:
    """Write a product into `new`, computed in float64, a few rows at a time."""
    rows, step = new.shape[-2] if new.ndim > 1 else 1, max(1, BLOCK // new.shape[-1])
    left, cells = np.atleast_2d(left), np.atleast_2d(new)
    with np.errstate(all="ignore"):
        for low in range(0, rows, step):
            cells[..., low : low + step, :] = left[..., low : low + step, :] @ right


def _opened(array: Array, axis: int, groups: int) -> Array:
    """Return a view with one axis for the heads and one for the cells of a head."""
    axis %= array.ndim
    return array.reshape(*array.shape[:axis], groups, array.shape[axis] // groups, *array.shape[axis + 1 :])
