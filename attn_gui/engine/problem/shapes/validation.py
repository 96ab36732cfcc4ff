"""Validation that the fields of a problem fit together: a clash is a ShapeError that names both sides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attn_gui.engine.arrays import Array
from attn_gui.engine.blocks import BLOCKS
from attn_gui.engine.chain.following import computed_nodes
from attn_gui.engine.problem import sentences
from attn_gui.engine.problem.errors import FieldError, ShapeError
from attn_gui.engine.problem.fields import COMPARING, DIRECT, GIVEN, WEIGHTS, Fields
from attn_gui.engine.problem.interventions.intervention import as_stage
from attn_gui.engine.scores import SCORES

BATCHED = (*DIRECT, "x", "context")


def check_shapes(problem: Fields) -> None:
    """Raise ShapeError or ValueError for the first thing that does not fit."""
    _check_road(problem)
    if problem.num_heads % problem.num_kv_heads:
        raise ShapeError(
            sentences.KV_HEADS,
            matrices=("num_kv_heads",),
            axes=(),
            expected=problem.num_heads,
            got=problem.num_kv_heads,
            heads=problem.num_heads,
        )
    _check_batch(problem)
    if not problem.compares:
        _check_given(problem)
    else:
        if problem.projected:
            _check_projection(problem)
        else:
            _equal(problem, "value", "key", "row", sentences.SAME_ROWS)
        _check_heads(problem)
    _check_output(problem)
    _check_tokens(problem)
    for k, layer in enumerate(problem.mask):
        layer.fit(layer.name_at(k), problem.map_shape)
    if problem.interventions:
        _check_interventions(problem)


def _check_road(problem: Fields) -> None:
    """Either query, key and value, or x with its weights, or the weights themselves, with values or without."""
    if not problem.compares:
        given_too = next((name for name in COMPARING if name in problem.fields()), None)
        if given_too is not None:
            raise FieldError(sentences.ONE_WAY, field=GIVEN, other=given_too)
        for name, needed in (("b_output", "w_output"), ("w_output", "value")):
            if getattr(problem, name) is not None and getattr(problem, needed) is None:
                raise FieldError(sentences.NEEDS, field=name, other=needed)
        return
    given = {name: getattr(problem, name) is not None for name in (*DIRECT, *WEIGHTS, "x", "context")}
    biases = [name for name in ("b_query", "b_key", "b_value") if getattr(problem, name) is not None]
    direct = next((name for name in DIRECT if given[name]), None)
    projected = next((name for name in ("x", "context", *WEIGHTS) if given[name]), None) or next(iter(biases), None)
    if direct and projected:
        raise FieldError(sentences.BOTH_WAYS, field=direct, other=projected)
    for name in ("x", *WEIGHTS) if projected else DIRECT:
        if not given[name]:
            raise FieldError(sentences.MISSING, field=name)
    if problem.b_output is not None and problem.w_output is None:
        raise FieldError(sentences.NEEDS, field="b_output", other="w_output")
    if problem.block is not None and not projected:
        raise FieldError(sentences.NEEDS, field="block", other="x")


def _check_batch(problem: Fields) -> None:
    batched = [name for name in BATCHED if getattr(problem, name) is not None and getattr(problem, name).ndim == 3]
    for name in batched[1:]:
        _equal(problem, name, batched[0], "batch", sentences.SAME_BATCH)


def _check_projection(problem: Fields) -> None:
    keys = "x" if problem.context is None else "context"
    for name, given in zip(WEIGHTS, ("x", keys, keys), strict=True):
        _chained(getattr(problem, name), name, getattr(problem, given), given)
        _bias(problem, f"b_{name[2:]}", name)


def _check_given(problem: Fields) -> None:
    """A matrix of weights for each head, and as many values as keys."""
    heads, value = int(problem.weights.shape[-3]), problem.value
    if heads != problem.num_heads:
        raise ShapeError(
            sentences.MAP_EACH_HEAD, matrices=(GIVEN,), axes=("head",), expected=problem.num_heads, got=heads
        )
    if value is None:
        return
    if value.ndim == 3 and value.shape[0] != problem.batch_size:
        raise _clash(sentences.SAME_BATCH, "value", GIVEN, "batch", problem.batch_size, value.shape[0])
    if value.shape[-2] != problem.m:
        raise _clash(sentences.INNER, "value", GIVEN, "row", problem.m, value.shape[-2])
    _check_columns(problem, "value", problem.num_kv_heads)


def _check_columns(problem: Fields, name: str, heads: int) -> None:
    """The columns of a matrix can be cut into heads."""
    columns = getattr(problem, name).shape[-1]
    if columns % heads:
        raise ShapeError(sentences.HEADS, matrices=(name,), axes=("column",), expected=heads, got=columns, heads=heads)


def _check_heads(problem: Fields) -> None:
    names = WEIGHTS if problem.projected else DIRECT
    for name, heads in zip(names, (problem.num_heads, problem.num_kv_heads, problem.num_kv_heads), strict=True):
        _check_columns(problem, name, heads)
    query, key, _ = (getattr(problem, name).shape[-1] for name in names)
    d_q, d_k = query // problem.num_heads, key // problem.num_kv_heads
    letters = SCORES[problem.score].widths
    if letters["query"] == letters["key"] and d_q != d_k:
        raise _clash(sentences.EQUAL_WIDTH, names[1], names[0], "column", d_q, d_k)
    score = {f"score_params.{name}": axes for name, axes in SCORES[problem.score].tables.items()}
    _check_letters(problem, score, {letters["query"]: (d_q, names[0]), letters["key"]: (d_k, names[1])})
    for field, width, name in (("query_norm", d_q, names[0]), ("key_norm", d_k, names[1])):
        _counted(problem, field, width, sentences.HEAD_LENGTH, name)
    _counted(problem, "sink", problem.num_heads, sentences.EACH_HEAD)
    _check_positions(problem, {names[0]: d_q, names[1]: d_k})


def _check_positions(problem: Fields, widths: Mapping[str, int]) -> None:
    """Pairs of columns of a head that turn."""
    if problem.rotary_theta is not None and problem.rotary_frequencies is not None:
        raise FieldError(sentences.ONE_WAY, field="rotary_theta", other="rotary_frequencies")
    if problem.turns:
        for name, width in widths.items():
            if width % 2:
                raise ShapeError(
                    sentences.EVEN_WIDTH, matrices=(name,), axes=("column",), expected=width + 1, got=width
                )
            _counted(problem, "rotary_frequencies", width // 2, sentences.HALF_HEAD, name)


def _counted(problem: Fields, field: str, expected: int, template: str, other: str = "num_heads") -> None:
    """A row of numbers, where it is given, has as many as expected."""
    array = getattr(problem, field)
    if array is not None and array.shape[0] != expected:
        raise ShapeError(
            template, matrices=(field,), axes=("column",), expected=expected, got=array.shape[0], partner=other
        )


def _check_letters(problem: Fields, tables: Mapping[str, Sequence[str]], known: dict[str, tuple[int, str]]) -> None:
    """Tables are as long along a letter as what has that letter before them."""
    arrays = problem.arrays()
    for field, letters in tables.items():
        lengths = arrays[field].shape if field in arrays else (0,) * len(letters)
        for axis, (letter, length) in enumerate(zip(letters, lengths, strict=True)):
            if not length:  # it may be missing
                continue
            expected, other = known.setdefault(letter, (length, field))
            if length != expected:
                last = axis == len(letters) - 1
                template = sentences.INNER if not last else sentences.LENGTH if axis == 0 else sentences.COLUMNS
                raise _clash(template, field, other, "column" if last else "row", expected, length)


def _check_output(problem: Fields) -> None:
    if problem.w_output is not None:
        width = problem.num_heads * problem.d_v
        if problem.w_output.shape[0] != width:
            raise _clash(sentences.INNER, "w_output", "concat", "row", width, problem.w_output.shape[0])
        _bias(problem, "b_output", "w_output")
    if problem.block is None:
        return
    width = problem.x.shape[-1]
    if problem.d_out != width:
        name = "concat" if problem.w_output is None else "w_output"
        raise _clash(sentences.BLOCK_WIDTH, name, "x", "column", width, problem.d_out)
    block = BLOCKS[problem.block["kind"]]
    tables = {f"block.{name}": table.letters for name, table in block.tables.items()}
    _check_letters(problem, tables, {"o": (width, "x")})
    if block.before and problem.context is not None:
        _equal(problem, "context", "x", "column", sentences.COLUMNS)


def _check_tokens(problem: Fields) -> None:
    queries, keys = ("x" if problem.projected else "query", "key") if problem.compares else (GIVEN, GIVEN)
    sides = (("query_tokens", queries, problem.n), ("key_tokens", keys, problem.m))
    for name, other, expected in sides:
        tokens = getattr(problem, name)
        if tokens is not None and len(tokens) != expected:
            clash = _clash(sentences.TOKENS, name, other, "row", expected, len(tokens))
            if other == GIVEN and name == "key_tokens":  # the keys of maps are their columns
                clash.axes = ("row", "column")
            raise clash


def _equal(problem: Fields, name: str, other: str, axis: str, template: str) -> None:
    place = {"batch": 0, "row": -2, "column": -1}[axis]
    expected, got = getattr(problem, other).shape[place], getattr(problem, name).shape[place]
    if expected != got:
        raise _clash(template, name, other, axis, expected, got)


def _chained(weight: Array, name: str, given: Array, other: str) -> None:
    if weight.shape[0] != given.shape[-1]:
        raise _clash(sentences.INNER, name, other, "row", given.shape[-1], weight.shape[0])


def _bias(problem: Fields, name: str, weight: str) -> None:
    bias, columns = getattr(problem, name), getattr(problem, weight).shape[1]
    if bias is not None and bias.shape[0] != columns:
        raise _clash(sentences.LENGTH, name, weight, "column", columns, bias.shape[0])


def _clash(template: str, matrix: str, other: str, axis: str, expected: int, got: int) -> ShapeError:
    other_axis = "column" if template == sentences.INNER else axis
    return ShapeError(template, matrices=(matrix, other), axes=(axis, other_axis), expected=expected, got=got)


def _check_interventions(problem: Fields) -> None:
    """Every intervention lies within its stage, which the problem has."""
    shown = {node.name: node for node in computed_nodes(problem) if not node.stage.hidden}
    for k, record in enumerate(problem.interventions):
        name = record.name_at(k)
        stage = as_stage(f"{name}.stage", record.stage, tuple(shown))
        record.fit(name, shown[stage].stage.axes, shown[stage].shape)
