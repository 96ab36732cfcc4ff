"""Axes of queries, keys and values in foreign hands: what each may be, by the lengths of all three."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from attn_gui.engine.problem.fields import DIRECT
from attn_gui.formats.foreign_arrays import Array

Axes = tuple[str, ...]
Shape = tuple[int, ...]
BATCH, HEAD, TOKEN, COLUMN = "batch", "head", "token", "column"
READINGS: tuple[Axes, ...] = (
    (TOKEN,),
    (TOKEN, COLUMN),
    (HEAD, TOKEN, COLUMN),
    (BATCH, TOKEN, COLUMN),
    (TOKEN, HEAD, COLUMN),
    (BATCH, HEAD, TOKEN, COLUMN),
    (BATCH, TOKEN, HEAD, COLUMN),
)
_ORDER = (BATCH, HEAD, TOKEN, COLUMN)


def readings(
    shapes: Mapping[str, Shape], tokens: int | None = None, heads: Mapping[str, int | None] | None = None
) -> tuple[Axes, ...]:
    """The ways to read the axes of query, key and value, as far as these are given; the likeliest first.

    `tokens`: the number of queries where it is known, such as from their names; `heads`: of each, where it is said.
    """
    fitting = [axes for axes in READINGS if _fits(axes, shapes) and _counts(axes, shapes, heads or {})]
    return tuple(sorted(fitting, key=lambda axes: tokens is not None and not _has(axes, shapes, tokens)))


def _has(axes: Axes, shapes: Mapping[str, Shape], tokens: int) -> bool:
    return any(dict(zip(axes, shape, strict=True))[TOKEN] == tokens for shape in shapes.values())


def _fits(axes: Axes, shapes: Mapping[str, Shape]) -> bool:
    if any(len(shape) != len(axes) for shape in shapes.values()):
        return False
    query, key, value = (dict(zip(axes, shapes.get(name, ()), strict=False)) for name in DIRECT)
    alike = (
        _equal(BATCH, query, key, value),
        _equal(HEAD, key, value),
        _equal(TOKEN, key, value),
        HEAD not in axes or _equal(COLUMN, query, key),
        HEAD not in axes or not (query and key) or query[HEAD] % max(1, key[HEAD]) == 0,
    )
    return all(alike)


def _counts(axes: Axes, shapes: Mapping[str, Shape], heads: Mapping[str, int | None]) -> bool:
    """Whether an axis of heads is as long as is said."""
    return HEAD not in axes or all(heads.get(name) in (None, heads_of(axes, shapes[name])) for name in shapes)


def _equal(axis: str, *sizes: Mapping[str, int]) -> bool:
    return len({size[axis] for size in sizes if axis in size}) < 2


def laid(axes: Axes, array: Array) -> Array:
    """The array with its axes in the order batch, head, token, column; one of tokens alone gets a column."""
    ordered = array.transpose([axes.index(axis) for axis in _ORDER if axis in axes])
    return ordered if COLUMN in axes else ordered[..., None]


def laid_shape(axes: Axes, shape: Shape) -> Shape:
    """The shape in which a problem holds it: heads side by side, whatever their axis was."""
    size = dict.fromkeys(_ORDER, 1) | dict(zip(axes, shape, strict=True))
    rows = (size[TOKEN], size[HEAD] * size[COLUMN])
    return (size[BATCH], *rows) if BATCH in axes else rows


def heads_of(axes: Axes, shape: Shape) -> int | None:
    """The number of heads where they have an axis."""
    return shape[axes.index(HEAD)] if HEAD in axes else None


def parsed(words: Iterable[str]) -> Axes | None:
    """The reading of these names of axes; None where there is none."""
    axes = tuple(words)
    return axes if axes in READINGS else None
