"""The fields of a draft by dotted name: their shapes, and the fields that hold other ones in their place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import numpy as np

from .masks import Layer, Padding
from .records import Record
from .sentences import ShapeError
from .validation import check_shapes

if TYPE_CHECKING:
    from .problem import Problem

Shape = tuple[int, ...]
TOKENS = ("query_tokens", "key_tokens")


def shapes_of(problem: Problem) -> dict[str, Shape]:
    """The shape of everything that has one, tokens and lengths of a padding included."""
    found = {name: array.shape for name, array in problem.arrays().items()}
    found |= {name: (len(getattr(problem, name)),) for name in TOKENS if getattr(problem, name) is not None}
    layers = enumerate(problem.mask)
    return found | {f"mask.{k}.lengths": (len(layer.lengths),) for k, layer in layers if isinstance(layer, Padding)}


def fields_with(problem: Problem, values: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that change when what is named with dots changes: a mask or a record is given whole."""
    found: dict[str, Any] = {}
    for name, value in values.items():
        field, _, inner = name.partition(".")
        if not inner:
            found[field] = value
        elif field == "mask":
            place, _, parameter = inner.partition(".")
            layers: list[Layer] = list(found.get("mask", problem.mask))
            layers[int(place)] = layers[int(place)].changed(**{parameter: value})
            found["mask"] = tuple(layers)
        else:
            found[field] = Record({**found.get(field, getattr(problem, field)), inner: value})
    return found


def clash_with(problem: Problem, shapes: Mapping[str, Shape]) -> Exception | None:
    """The clash that other shapes would cause: no number is looked at or made."""
    try:
        check_shapes(of_shapes(problem, shapes))
    except (ShapeError, ValueError) as clash:
        return clash
    return None


def of_shapes(problem: Problem, shapes: Mapping[str, Shape]) -> Problem:
    """A draft in which these have other shapes; it holds no numbers for them."""
    return drafted(
        problem, fields_with(problem, {name: _stand_in(problem, name, shape) for name, shape in shapes.items()})
    )


def drafted(problem: Problem, changes: Mapping[str, Any]) -> Problem:
    """The problem with these fields in place of its own, nothing copied and nothing checked."""
    draft = object.__new__(type(problem))
    for field in fields(problem):
        object.__setattr__(draft, field.name, changes.get(field.name, getattr(problem, field.name)))
    return draft


def reshaped(before: Problem, after: Problem) -> dict[str, tuple[Shape, Shape]]:
    """The shapes before and after of every array that both have and that is not as large in one as in the other."""
    old, new = before.arrays(), after.arrays()
    shapes = {name: (array.shape, new[name].shape) for name, array in old.items() if name in new}
    return {name: pair for name, pair in shapes.items() if pair[0] != pair[1]}


def _stand_in(problem: Problem, name: str, shape: Shape) -> Any:
    if name in TOKENS:
        return ("",) * shape[0]
    if name.endswith(".lengths"):
        return (1,) * shape[0]
    dtype = bool if name.endswith(".allowed") else np.dtype(problem.dtype)
    return np.broadcast_to(np.zeros((), dtype), shape)
