"""Shapes that must fit together, and fixes of a clash (transpose, resize, project), each tried before it is offered."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from functools import partial
from typing import Any, Literal

import numpy as np

from attn_gui.engine import errors
from attn_gui.engine.blocks import BLOCKS
from attn_gui.engine.checks import Record
from attn_gui.engine.errors import FieldError, Fix, Shape, ShapeError
from attn_gui.engine.fields import COMPARING, DIRECT, GIVEN, WEIGHTS, F, Fields, normalize_fields, unnormalized
from attn_gui.engine.graph.intervention_nodes import computed_nodes
from attn_gui.engine.interventions import Intervention, as_stage
from attn_gui.engine.masks import Layer, Padding
from attn_gui.engine.normalizers import NORMALIZERS
from attn_gui.engine.scores import SCORES

BATCHED = (*DIRECT, "x", "context")
PROJECTING = ("x", "context", *WEIGHTS, "b_query", "b_key", "b_value")
"""What makes query, key and value, in place of which they may be given."""

TOKENS = ("query_tokens", "key_tokens")

PLACES = {"batch": 0, "head": -3, "row": -2, "column": -1}
MULTIPLIED = (
    errors.INNER,
    errors.EQUAL_WIDTH,
    errors.COLUMNS,
    errors.HEADS,
    errors.EVEN_WIDTH,
    errors.BLOCK_WIDTH,
)
NEVER_RESIZED = (errors.AXES, errors.EMPTY, errors.COTANGENT, errors.OUTSIDE, errors.SET_VALUES)
ACCOMPANY = ("b_query", "b_key", "b_value", "b_output", "query_tokens", "key_tokens")


# --- validation -----------------------------------------------------------------------------------
def check_shapes(problem: Fields) -> None:
    """Raise ShapeError or ValueError for the first thing that does not fit."""
    if problem.compares:
        _check_sources(problem)
    else:
        _check_given_alone(problem)
    if problem.num_heads % problem.num_kv_heads:
        raise ShapeError(
            errors.KV_HEADS,
            matrices=("num_kv_heads",),
            axes=(),
            expected=problem.num_heads,
            got=problem.num_kv_heads,
            heads=problem.num_heads,
        )
    batched = [name for name in BATCHED if getattr(problem, name) is not None and getattr(problem, name).ndim == 3]
    for name in batched[1:]:
        _equal(problem, name, batched[0], "batch", errors.SAME_BATCH)
    if not problem.compares:
        _check_given(problem)
    else:
        if problem.projected:
            _check_projection(problem)
        else:
            _equal(problem, "value", "key", "row", errors.SAME_ROWS)
        _check_heads(problem)
    _check_output(problem)
    _check_tokens(problem)
    for k, layer in enumerate(problem.mask):
        layer.fit(layer.name_at(k), problem.map_shape)
    if problem.interventions:
        _check_interventions(problem)


def _check_sources(problem: Fields) -> None:
    """Raise FieldError unless there are either query, key and value, or x with its weights, and nothing of both."""
    given = {name for name in (*DIRECT, *PROJECTING) if getattr(problem, name) is not None}
    direct = next((name for name in DIRECT if name in given), None)
    projected = next((name for name in PROJECTING if name in given), None)
    if direct and projected:
        raise FieldError(errors.BOTH_WAYS, field=direct, other=projected)
    for name in ("x", *WEIGHTS) if projected else DIRECT:
        if name not in given:
            raise FieldError(errors.MISSING, field=name)
    if problem.b_output is not None and problem.w_output is None:
        raise FieldError(errors.NEEDS, field="b_output", other="w_output")
    if problem.block is not None and not projected:
        raise FieldError(errors.NEEDS, field="block", other="x")


def _check_given_alone(problem: Fields) -> None:
    """Raise FieldError for fields that make weights next to given weights, and for an output without values."""
    given_too = next((name for name in COMPARING if name in problem.fields()), None)
    if given_too is not None:
        raise FieldError(errors.ONE_WAY, field=GIVEN, other=given_too)
    for name, needed in (("b_output", "w_output"), ("w_output", "value")):
        if getattr(problem, name) is not None and getattr(problem, needed) is None:
            raise FieldError(errors.NEEDS, field=name, other=needed)


def _check_projection(problem: Fields) -> None:
    keys = "x" if problem.context is None else "context"
    for name, given in zip(WEIGHTS, ("x", keys, keys), strict=True):
        rows, columns = getattr(problem, name).shape[0], getattr(problem, given).shape[-1]
        if rows != columns:
            raise _clash(errors.INNER, name, given, "row", columns, rows)
        _bias(problem, f"b_{name[2:]}", name)


def _check_given(problem: Fields) -> None:
    """Raise unless there is a matrix of weights for each head, and as many values as keys."""
    heads, value = int(problem.weights.shape[-3]), problem.value
    if heads != problem.num_heads:
        raise ShapeError(errors.MAP_EACH_HEAD, matrices=(GIVEN,), axes=("head",), expected=problem.num_heads, got=heads)
    if value is None:
        return
    if value.ndim == 3 and value.shape[0] != problem.batch_size:
        raise _clash(errors.SAME_BATCH, "value", GIVEN, "batch", problem.batch_size, value.shape[0])
    if value.shape[-2] != problem.m:
        raise _clash(errors.INNER, "value", GIVEN, "row", problem.m, value.shape[-2])
    _check_columns(problem, "value", problem.num_kv_heads)


def _check_columns(problem: Fields, name: str, heads: int) -> None:
    """Raise ShapeError where the columns of a matrix cannot be cut into heads."""
    columns = getattr(problem, name).shape[-1]
    if columns % heads:
        raise ShapeError(errors.HEADS, matrices=(name,), axes=("column",), expected=heads, got=columns, heads=heads)


def _check_heads(problem: Fields) -> None:
    names = WEIGHTS if problem.projected else DIRECT
    for name, heads in zip(names, (problem.num_heads, problem.num_kv_heads, problem.num_kv_heads), strict=True):
        _check_columns(problem, name, heads)
    query, key, _ = (getattr(problem, name).shape[-1] for name in names)
    d_q, d_k = query // problem.num_heads, key // problem.num_kv_heads
    letters = SCORES[problem.score].widths
    if letters["query"] == letters["key"] and d_q != d_k:
        raise _clash(errors.EQUAL_WIDTH, names[1], names[0], "column", d_q, d_k)
    score = {f"score_params.{name}": axes for name, axes in SCORES[problem.score].tables.items()}
    _check_letters(problem, score, {letters["query"]: (d_q, names[0]), letters["key"]: (d_k, names[1])})
    for field in ("temperature", "sink"):
        if getattr(problem, field) is not None and field not in NORMALIZERS[problem.normalize].reads:
            readers = tuple(key for key, entry in NORMALIZERS.items() if field in entry.reads)
            raise FieldError(errors.NOT_READ, field=field, normalize=problem.normalize, choices=readers)
    for field, width, name in (("query_norm", d_q, names[0]), ("key_norm", d_k, names[1])):
        _counted(problem, field, width, errors.HEAD_LENGTH, name)
    _counted(problem, "sink", problem.num_heads, errors.EACH_HEAD)
    _check_positions(problem, {names[0]: d_q, names[1]: d_k})


def _check_positions(problem: Fields, widths: Mapping[str, int]) -> None:
    """Raise ShapeError unless the columns of a head that turn come in pairs."""
    if problem.rotary_theta is not None and problem.rotary_frequencies is not None:
        raise FieldError(errors.ONE_WAY, field="rotary_theta", other="rotary_frequencies")
    if problem.turns:
        for name, width in widths.items():
            if width % 2:
                raise ShapeError(errors.EVEN_WIDTH, matrices=(name,), axes=("column",), expected=width + 1, got=width)
            _counted(problem, "rotary_frequencies", width // 2, errors.HALF_HEAD, name)


def _counted(problem: Fields, field: str, expected: int, template: str, other: str = "num_heads") -> None:
    """Raise ShapeError for a vector that is given with another length than expected."""
    array = getattr(problem, field)
    if array is not None and array.shape[0] != expected:
        raise ShapeError(
            template, matrices=(field,), axes=("column",), expected=expected, got=array.shape[0], partner=other
        )


def _check_letters(problem: Fields, tables: Mapping[str, Sequence[str]], known: dict[str, tuple[int, str]]) -> None:
    """Raise ShapeError unless tables with the same letter have the same length along it."""
    arrays = problem.arrays()
    for field, letters in tables.items():
        lengths = arrays[field].shape if field in arrays else (0,) * len(letters)
        for axis, (letter, length) in enumerate(zip(letters, lengths, strict=True)):
            if not length:  # it may be missing
                continue
            expected, other = known.setdefault(letter, (length, field))
            if length != expected:
                last = axis == len(letters) - 1
                template = errors.INNER if not last else errors.LENGTH if axis == 0 else errors.COLUMNS
                raise _clash(template, field, other, "column" if last else "row", expected, length)


def _check_output(problem: Fields) -> None:
    if problem.w_output is not None:
        width = problem.num_heads * problem.d_v
        if problem.w_output.shape[0] != width:
            raise _clash(errors.INNER, "w_output", "concat", "row", width, problem.w_output.shape[0])
        _bias(problem, "b_output", "w_output")
    if problem.block is None:
        return
    width = problem.x.shape[-1]
    if problem.d_out != width:
        name = "concat" if problem.w_output is None else "w_output"
        raise _clash(errors.BLOCK_WIDTH, name, "x", "column", width, problem.d_out)
    block = BLOCKS[problem.block["kind"]]
    tables = {f"block.{name}": table.letters for name, table in block.tables.items()}
    _check_letters(problem, tables, {"o": (width, "x")})
    if block.before and problem.context is not None:
        _equal(problem, "context", "x", "column", errors.COLUMNS)


def _check_tokens(problem: Fields) -> None:
    queries, keys = ("x" if problem.projected else "query", "key") if problem.compares else (GIVEN, GIVEN)
    sides = (("query_tokens", queries, problem.n), ("key_tokens", keys, problem.m))
    for name, other, expected in sides:
        tokens = getattr(problem, name)
        if tokens is not None and len(tokens) != expected:
            clash = _clash(errors.TOKENS, name, other, "row", expected, len(tokens))
            if other == GIVEN and name == "key_tokens":  # the keys of maps are their columns
                clash.axes = ("row", "column")
            raise clash


def _equal(problem: Fields, name: str, other: str, axis: str, template: str) -> None:
    place = {"batch": 0, "row": -2, "column": -1}[axis]
    expected, got = getattr(problem, other).shape[place], getattr(problem, name).shape[place]
    if expected != got:
        raise _clash(template, name, other, axis, expected, got)


def _bias(problem: Fields, name: str, weight: str) -> None:
    bias, columns = getattr(problem, name), getattr(problem, weight).shape[1]
    if bias is not None and bias.shape[0] != columns:
        raise _clash(errors.LENGTH, name, weight, "column", columns, bias.shape[0])


def _clash(template: str, matrix: str, other: str, axis: str, expected: int, got: int) -> ShapeError:
    other_axis = "column" if template == errors.INNER else axis
    return ShapeError(template, matrices=(matrix, other), axes=(axis, other_axis), expected=expected, got=got)


def _check_interventions(problem: Fields) -> None:
    """Raise unless the problem has the stage of every intervention, and its cells lie within it."""
    shown = {node.name: node for node in computed_nodes(problem) if not node.stage.hidden}
    for k, record in enumerate(problem.interventions):
        name = record.name_at(k)
        stage = as_stage(f"{name}.stage", record.stage, tuple(shown))
        record.fit(name, shown[stage].stage.axes, shown[stage].shape)


# --- drafts ---------------------------------------------------------------------------------------
def draft_of(given: Mapping[str, object]) -> Fields:
    """Return the fields as a problem keeps them, each checked on its own; they need not fit together.

    Nothing is copied where all arrays can be read in place. Raises ValueError or TypeError as a problem does,
    ShapeError only for one array alone.
    """
    draft = unnormalized(Fields, given)
    try:
        normalize_fields(draft, copy=False)
    except (ValueError, TypeError):
        draft = unnormalized(Fields, given)
        normalize_fields(draft, copy=True)
    return draft


def shapes_of(problem: Fields) -> dict[str, Shape]:
    """Return the shape of everything that has one, including tokens and the lengths of a padding."""
    found = {name: array.shape for name, array in problem.arrays().items()}
    found |= {name: (len(getattr(problem, name)),) for name in TOKENS if getattr(problem, name) is not None}
    layers = enumerate(problem.mask)
    return found | {
        f"{layer.name_at(k)}.lengths": (len(layer.lengths),) for k, layer in layers if isinstance(layer, Padding)
    }


def fields_with(problem: Fields, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields that change with values under dotted names: of a mask or record the whole field."""
    found: dict[str, Any] = {}
    for name, value in values.items():
        field, _, inner = name.partition(".")
        if not inner:
            found[field] = value
        elif inner[0].isdigit():
            place, _, parameter = inner.partition(".")
            records = list(found.get(field, getattr(problem, field)))
            records[int(place)] = records[int(place)].changed(**{parameter: value})
            found[field] = tuple(records)
        else:
            found[field] = Record({**found.get(field, getattr(problem, field)), inner: value})
    return found


def clash_with(problem: Fields, shapes: Mapping[str, Shape]) -> Exception | None:
    """Return the clash that other shapes would cause, None without one; no number is read or made."""
    try:
        check_shapes(of_shapes(problem, shapes))
    except (ShapeError, ValueError) as clash:
        return clash
    return None


def of_shapes(problem: Fields, shapes: Mapping[str, Shape]) -> Fields:
    """Return a draft with other shapes, without numbers."""
    return drafted(
        problem, fields_with(problem, {name: _stand_in(problem, name, shape) for name, shape in shapes.items()})
    )


def drafted(problem: F, changes: Mapping[str, Any]) -> F:
    """Return the problem with other fields, nothing copied or checked."""
    draft = object.__new__(type(problem))
    for field in fields(problem):
        object.__setattr__(draft, field.name, changes.get(field.name, getattr(problem, field.name)))
    return draft


def reshaped(before: Fields, after: Fields) -> dict[str, tuple[Shape, Shape]]:
    """Return {name: (shape before, shape after)} of arrays that both have and whose shape differs."""
    old, new = before.arrays(), after.arrays()
    shapes = {name: (array.shape, new[name].shape) for name, array in old.items() if name in new}
    return {name: pair for name, pair in shapes.items() if pair[0] != pair[1]}


def _stand_in(problem: Fields, name: str, shape: Shape) -> Any:
    if name in TOKENS:
        return ("",) * shape[0]
    if name.endswith(".lengths"):
        return (1,) * shape[0]
    dtype = bool if name.endswith(".allowed") else np.dtype(problem.dtype)
    return np.broadcast_to(np.zeros((), dtype), shape)


# --- fixes ----------------------------------------------------------------------------------------
# Fixes for clashing shapes: every change that is offered was tried on the shapes first.
def fixes_of(problem: Fields, clash: ShapeError) -> tuple[Fix, ...]:
    """Return the changes of one matrix that resolve the clash: transposed, resized, then projected.

    Those after which the problem is valid, or where there are none those that leave another clash.
    """
    search = _Search(problem, clash)
    tried = (*search.transposed(), *search.resized(), *search.projected())
    found = [fix for fix in dict.fromkeys(tried) if fix is not None]
    whole = [fix for fix in found if fix.whole]
    return tuple(whole or found)


def clash_of(problem: Fields, shapes: Mapping[str, Shape]) -> ShapeError | None:
    """Return the clash that other shapes of arrays would cause, with its fixes; no number is made.

    Interventions cause none, except for their numbers: they follow their cells.
    """
    if all(Intervention.position_of(name) is None for name in shapes):
        problem = drafted(problem, {"interventions": ()})
    clash = clash_with(problem, shapes)
    if isinstance(clash, ShapeError):
        clash.offers = partial(fixes_of, of_shapes(problem, shapes), clash)
        return clash
    return None


def with_company(problem: Fields, clash: ShapeError, shapes: dict[str, Shape]) -> tuple[dict[str, Shape], object]:
    """Return the shapes, with those of biases, tokens and mask layers that follow them, and the remaining clash."""
    shapes = dict(shapes)
    while True:
        left = clash_with(problem, shapes)
        if not isinstance(left, ShapeError) or left.matrices[0] in (*shapes, *_kept(clash)):
            return shapes, left
        if not _accompanies(left.matrices[0], clash):
            return shapes, left
        following = _Search(problem, left, shapes).lengths(0)
        if not following:
            return shapes, left
        shapes[left.matrices[0]] = following[0]


def _kept(clash: ShapeError) -> tuple[str, ...]:
    """Return the fields of the clash, which must not change; for an odd head width its partner follows."""
    return () if clash.template == errors.EVEN_WIDTH else clash.matrices


def _accompanies(name: str, clash: ShapeError) -> bool:
    partner = clash.template == errors.EVEN_WIDTH and name.removeprefix("w_") in ("query", "key")
    return partner or name in ACCOMPANY or Layer.position_of(name) is not None


class _Search:
    """The changes to try for one clash."""

    def __init__(self, problem: Fields, clash: ShapeError, changed: dict[str, Shape] | None = None) -> None:
        self.problem, self.clash = problem, clash
        self.shapes = shapes_of(problem) | (changed or {})
        self.names = [self._real(name) for name in clash.matrices]
        self.queries, self.keys, self.values = WEIGHTS if problem.projected else DIRECT

    def transposed(self) -> Iterator[Fix | None]:
        """Yield transposed matrices of the clash first, others only if that makes the problem valid."""
        others = [name for name in self.shapes if name not in self.names and "." not in name]
        for name in (*self.names, *others):
            shape = self.shapes.get(name, ())
            if len(shape) < 2 or shape[-1] == shape[-2]:
                continue
            after = (*shape[:-2], shape[-1], shape[-2])
            fix = self._tried("transpose", name, after, after)
            if fix is not None and (fix.whole or name in self.names):
                yield fix

    def resized(self) -> Iterator[Fix | None]:
        """Yield the smallest change that works for each matrix of the clash."""
        for side in range(len(self.clash.matrices)):
            yield self._first("resize", side)
        if self.clash.template == errors.BROADCAST:
            yield self._rows_of_mask("query", -2)
            yield self._rows_of_mask("key", -1)

    def projected(self) -> Iterator[Fix | None]:
        """Yield a new matrix between the two of the clash."""
        if self.clash.template not in MULTIPLIED:
            return
        if self.clash.template == errors.BLOCK_WIDTH and self.clash.matrices[0] == "concat":
            width = self.problem.num_heads * self.problem.d_v, int(self.problem.x.shape[-1])
            yield self._tried("project", "w_output", width, width)
            return
        found = (self._first("project", side) for side in range(len(self.clash.matrices)))
        yield next((fix for fix in sorted(filter(None, found), key=lambda fix: not fix.whole)), None)

    # --- one change ------------------------------------------------------------------------------
    def _first(self, kind: Literal["resize", "project"], side: int) -> Fix | None:
        name = self.names[side]
        if kind == "project" and len(self.shapes.get(name, ())) < 2:
            return None
        shapes = self.lengths(side)
        if kind == "resize":
            shapes = [self._settled(name, after) for after in shapes]
        tried = [self._tried(kind, name, after, self._factor(kind, side, after)) for after in shapes]
        return next(iter(sorted(filter(None, tried), key=lambda fix: not fix.whole)), None)

    def _settled(self, name: str, after: Shape) -> Shape:
        """Return the shape with its other axes corrected, too, as what was pasted may be both too long and too wide."""
        for _ in after:
            shapes, left = with_company(self.problem, self.clash, {name: after})
            if not isinstance(left, ShapeError):
                break
            search = _Search(self.problem, left, shapes)
            sides = [side for side, other in enumerate(search.names) if other == name]
            options = [shape for side in sides for shape in search.lengths(side)]
            after = min(options, key=lambda shape: self._left(left, name, shape), default=after)
        return after

    def _left(self, clash: ShapeError, name: str, after: Shape) -> int:
        """Return 0 if nothing is wrong after a change, 1 if something else is, 2 if the clash remains."""
        _, left = with_company(self.problem, self.clash, {name: after})
        if not isinstance(left, ShapeError):
            return 0
        return 2 if (left.matrices, left.axes) == (clash.matrices, clash.axes) else 1

    def _factor(self, kind: str, side: int, after: Shape) -> Shape:
        """Return the shape to show: of a projection that of the new matrix, from present columns to those needed."""
        if kind != "project":
            return after
        place = self._place(side)
        before = self.shapes[self.names[side]]
        return (before[-1], after[-1]) if place == -1 else (after[-2], before[-2])

    def _tried(
        self, kind: Literal["transpose", "resize", "project"], name: str, after: Shape, shape: Shape
    ) -> Fix | None:
        _, left = with_company(self.problem, self.clash, {name: after})
        if left is None:
            return Fix(kind, name, self.shapes.get(name, ()), after, shape)
        same = isinstance(left, ShapeError) and left.matrices == self.clash.matrices
        if same or not isinstance(left, ShapeError) or min(after) < 1:
            return None
        return Fix(kind, name, self.shapes.get(name, ()), after, shape, whole=False)

    def _rows_of_mask(self, axis: str, place: int) -> Fix | None:
        """Return the fix for queries or keys where the mask is right."""
        name = self._real("key") if axis == "key" else "x" if self.problem.projected else "query"
        length = self.shapes[self.clash.matrices[0]][place]
        before = self.shapes[name]
        if before[-2] == length:
            return None
        after = (*before[:-2], length, before[-1])
        return self._tried("resize", name, after, after)

    # --- lengths ---------------------------------------------------------------------------------
    def lengths(self, side: int) -> list[Shape]:
        """Return the shapes that may fit for one side of the clash, smallest change first."""
        name, template = self.names[side], self.clash.template
        if name not in self.shapes or template in NEVER_RESIZED:
            return []
        shape = self.shapes[name]
        if template == errors.BROADCAST:
            sizes = self._map_shape()[4 - len(shape) :]
            return [tuple(k if k in (1, size) else size for k, size in zip(shape, sizes, strict=True))]
        place = self._place(side)
        lengths = {length for length in self._wanted(side, shape[place]) if length > 0} - {shape[place]}
        nearest = sorted(lengths, key=lambda length: (abs(length - shape[place]), -length))
        return [_put(shape, place, length) for length in nearest]

    def _place(self, side: int) -> int:
        if self.clash.matrices[side] == "concat":
            return -1
        return max(PLACES[self.clash.axes[side]], -len(self.shapes[self.names[side]]))

    def _wanted(self, side: int, length: int) -> Iterator[int]:
        """Yield lengths that match the other side, in whole heads."""
        heads = {
            self.queries: self.problem.num_heads,
            self.keys: self.problem.num_kv_heads,
            self.values: self.problem.num_kv_heads,
        }
        own = heads.get(self.names[side], 1)
        if self.clash.template in (errors.HEADS, errors.EVEN_WIDTH):
            yield from (own * width for width in (length // own - 1, length // own, length // own + 1))
            for name, count in heads.items():
                if name in self.shapes:
                    yield own * (self.shapes[name][-1] // count)
            if "w_output" in self.shapes:
                yield own * (self.shapes["w_output"][0] // self.problem.num_heads)
            return
        wanted = int(str((self.clash.expected, self.clash.got)[side]))
        yield wanted
        if own > 1 and self.clash.axes[side] == "column":
            yield wanted * own
            yield wanted * own // self.problem.num_heads

    def _map_shape(self) -> Shape:
        expected = self.clash.expected
        assert isinstance(expected, tuple)
        return expected

    def _real(self, name: str) -> str:
        """Return the field that the clash is about: keys of a projected problem are in its second sequence, or x."""
        projected = self.problem.projected
        if name == "key" and projected:
            return "x" if self.problem.context is None else "context"
        return {"concat": "w_value" if projected else "value"}.get(name, name)


def _put(shape: Shape, place: int, length: int) -> Shape:
    place %= len(shape)
    return (*shape[:place], length, *shape[place + 1 :])
