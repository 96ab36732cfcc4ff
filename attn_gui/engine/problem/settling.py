"""Checks of the fields of a problem one by one, stored as they stay; whether they fit together is checked elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from attn_gui.engine.arrays import Array
from attn_gui.engine.blocks import BLOCKS
from attn_gui.engine.scores import SCORES

from . import sentences
from .checks import (
    as_array,
    as_choice,
    as_count,
    as_entries,
    as_number,
    as_positive,
    as_texts,
    dtype_name,
)
from .errors import FieldError, ShapeError
from .fields import DIRECT, GIVEN, QK_NORM_EPS, WEIGHTS, Fields, store
from .interventions import settled as settled_interventions
from .masks import Layer, layer_from_mapping, layers_given
from .records import Record

DTYPES = ("float64", "float32")

AXES = dict.fromkeys((*DIRECT, "x", "context"), (2, 3)) | dict.fromkeys((*WEIGHTS, "w_output"), (2,))
AXES |= dict.fromkeys(("b_query", "b_key", "b_value", "b_output"), (1,))
AXES |= {GIVEN: (3, 4)}
AXES |= dict.fromkeys(("query_norm", "key_norm", "rotary_frequencies", "sink"), (1,))
MOST_LAYERS = 64  # of a mask
POSITIVE = ("softcap", "temperature", "rotary_theta")


def settle(problem: Fields, copy: bool) -> None:
    """Store every field as a problem keeps it. Raises ValueError or TypeError, ShapeError for one array alone."""
    store(problem, "dtype", as_choice("dtype", dtype_name(problem.dtype), DTYPES))
    store(problem, "num_heads", as_count("num_heads", problem.num_heads))
    kv_heads = problem.num_heads if problem.num_kv_heads is None else problem.num_kv_heads
    store(problem, "num_kv_heads", as_count("num_kv_heads", kv_heads))
    for name, axes in AXES.items():
        if getattr(problem, name) is not None:
            store(problem, name, _matrix(problem, name, axes, copy))
    for name in POSITIVE:
        if getattr(problem, name) is not None:
            store(problem, name, as_positive(name, getattr(problem, name)))
    eps = QK_NORM_EPS if problem.qk_norm_eps is None else problem.qk_norm_eps
    store(problem, "qk_norm_eps", as_positive("qk_norm_eps", eps))
    if problem.scale is not None:
        store(problem, "scale", as_number("scale", problem.scale))
    for name in ("query_tokens", "key_tokens"):
        if getattr(problem, name) is not None:
            store(problem, name, as_texts(name, getattr(problem, name)))
    _settle_score(problem, copy)
    _settle_block(problem, copy)
    _settle_mask(problem, copy)
    store(problem, "interventions", settled_interventions(problem.interventions, np.dtype(problem.dtype), copy))


def _matrix(problem: Fields, name: str, axes: tuple[int, ...], copy: bool) -> Array:
    try:
        return _array(problem, name, getattr(problem, name), axes, copy)
    except ShapeError as error:
        if name in DIRECT and error.got == 4:
            raise ShapeError(
                sentences.FOUR_AXES,
                matrices=(name,),
                axes=(),
                expected=error.expected,
                got=4,
                shape=error.values["shape"],
            ) from None
        raise


def _array(problem: Fields, name: str, value: object, axes: tuple[int, ...], copy: bool) -> Array:
    return as_array(name, value, np.dtype(problem.dtype), axes=axes, copy=copy)


def _settle_score(problem: Fields, copy: bool) -> None:
    store(problem, "score", as_choice("score", problem.score, tuple(SCORES)))
    arrays, numbers = SCORES[problem.score].tables, SCORES[problem.score].defaults
    given = numbers | as_entries("score_params", problem.score_params, (*arrays, *numbers), needed=tuple(arrays))
    found: dict[str, Any] = {}
    for name, value in given.items():
        label = f"score_params.{name}"
        found[name] = (
            _array(problem, label, value, (len(arrays[name]),), copy) if name in arrays else as_number(label, value)
        )
    store(problem, "score_params", Record(found))


def _settle_block(problem: Fields, copy: bool) -> None:
    if problem.block is None:
        return
    kind = problem.block.get("kind") if isinstance(problem.block, Mapping) else None
    kind = next(iter(BLOCKS)) if kind is None else as_choice("block.kind", kind, tuple(BLOCKS))
    block = BLOCKS[kind]
    known = ("kind", *block.tables, *block.numbers, *block.choices)
    given = as_entries("block", problem.block, known, needed=block.needed)
    found: dict[str, Any] = {
        name: _array(problem, f"block.{name}", given[name], (len(table.letters),), copy)
        for name, table in block.tables.items()
        if given.get(name) is not None
    }
    for name in found:
        partner = f"w_{name[2:]}"
        if name.startswith("b_") and partner not in found:
            raise FieldError(sentences.NEEDS, field=f"block.{name}", other=f"block.{partner}")
    for name, number in block.numbers.items():
        found[name] = as_positive(f"block.{name}", number if given.get(name) is None else given[name])
    for name, keys in block.choices.items():
        found[name] = keys[0] if given.get(name) is None else as_choice(f"block.{name}", given[name], keys)
    store(problem, "block", Record({"kind": kind} | found, absent=block.tables.keys() - found.keys()))


def _settle_mask(problem: Fields, copy: bool) -> None:
    given = layers_given("mask", problem.mask)
    if len(given) > MOST_LAYERS:
        raise FieldError(sentences.TOO_MANY_LAYERS, field="mask", got=len(given), most=MOST_LAYERS)
    names = [Layer.name_at(k) for k in range(len(given))]
    layers = [layer_from_mapping(layer, name) for layer, name in zip(given, names, strict=True)]
    dtype = np.dtype(problem.dtype)
    settled = [layer.settled(name, dtype, copy) for layer, name in zip(layers, names, strict=True)]
    store(problem, "mask", tuple(settled))
