"""The fields of a draft by dotted name: their shapes, and the fields that hold other ones in their place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np

from attn_gui.engine.problem.errors import Shape, ShapeError
from attn_gui.engine.problem.fields import F, Fields, unsettled
from attn_gui.engine.problem.masks import Padding
from attn_gui.engine.problem.records import Record
from attn_gui.engine.problem.settling import settle

from .validation import check_shapes

TOKENS = ("query_tokens", "key_tokens")


def draft_of(given: Mapping[str, object]) -> Fields:
    """The fields as a problem keeps them, each checked on its own; they need not fit together.

    Nothing is copied where all arrays can be read in place. Raises ValueError or TypeError as a problem does,
    ShapeError only for one array alone.
    """
    draft = unsettled(Fields, given)
    try:
        settle(draft, copy=False)
    except (ValueError, TypeError):
        draft = unsettled(Fields, given)
        settle(draft, copy=True)
    return draft


def shapes_of(problem: Fields) -> dict[str, Shape]:
    """The shape of everything that has one, tokens and lengths of a padding included."""
    found = {name: array.shape for name, array in problem.arrays().items()}
    found |= {name: (len(getattr(problem, name)),) for name in TOKENS if getattr(problem, name) is not None}
    layers = enumerate(problem.mask)
    return found | {
        f"{layer.name_at(k)}.lengths": (len(layer.lengths),) for k, layer in layers if isinstance(layer, Padding)
    }


def fields_with(problem: Fields, values: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that change when what is named with dots changes: a mask or a record is given whole."""
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
    """The clash that other shapes would cause: no number is looked at or made."""
    try:
        check_shapes(of_shapes(problem, shapes))
    except (ShapeError, ValueError) as clash:
        return clash
    return None


def of_shapes(problem: Fields, shapes: Mapping[str, Shape]) -> Fields:
    """A draft in which these have other shapes; it holds no numbers for them."""
    return drafted(
        problem, fields_with(problem, {name: _stand_in(problem, name, shape) for name, shape in shapes.items()})
    )


def drafted(problem: F, changes: Mapping[str, Any]) -> F:
    """The problem with these fields in place of its own, nothing copied and nothing checked."""
    draft = object.__new__(type(problem))
    for field in fields(problem):
        object.__setattr__(draft, field.name, changes.get(field.name, getattr(problem, field.name)))
    return draft


def reshaped(before: Fields, after: Fields) -> dict[str, tuple[Shape, Shape]]:
    """The shapes before and after of every array that both have and that is not as large in one as in the other."""
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
