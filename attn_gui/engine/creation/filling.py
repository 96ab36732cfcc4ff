"""Numbers of new arrays (small integers, random by a seed, identity, zeros), and names of new tokens (_1, _2). Each
number depends on its seed, its field and its place only."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from itertools import count, islice
from typing import Any

import numpy as np
import numpy.typing as npt

from attn_gui.engine.arrays import Array
from attn_gui.engine.checks import as_choice
from attn_gui.engine.memory import Write, advance, new_array

SEEDED, UNSEEDED = ("integers", "random"), ("identity", "zeros")
FILLS = (*SEEDED, *UNSEEDED)
LARGEST_INTEGER = 3
BLOCK = 1 << 14  # cells that are hashed at a time
SPREADS = {"w": 0.5, "b": 0.25}  # standard deviation of weights and biases by the field's first letter; else 1


def fill(
    kind: str,
    shape: Sequence[int],
    *,
    seed: int = 0,
    field: str = "",
    dtype: npt.DTypeLike = np.float64,
    keep: Write | None = None,
) -> Array:
    """Return an array of new numbers: small integers, seeded normal ones with two decimals, the identity, or zeros.

    A cell depends on (seed, field, item, row, column) alone, never on the shape. `keep` may overwrite cells that are to
    stay. Raises ValueError for another kind, or where memory does not suffice.
    """
    as_choice("fill", kind, FILLS)

    def write(new: Array) -> None:
        if kind in SEEDED and new.ndim:
            _write_hashed(new, kind, seed, field)
        else:
            new[...] = 0
        if kind == "identity" and new.ndim:
            ones = np.arange(min(new.shape[-2:]) if new.ndim > 1 else 1)
            new[(..., ones, ones) if new.ndim > 1 else ones] = 1
        if keep is not None:
            keep(new)

    return new_array(shape, dtype, write)


def with_tokens(tokens: Sequence[str], length: int) -> tuple[str, ...]:
    """Return the first `length` tokens, then new ones `_1`, `_2` …, whose numbers no other token has."""
    known = frozenset(tokens)
    new = (name for k in count(1) if (name := f"_{k}") not in known)
    return (*tokens[:length], *islice(new, max(0, length - len(tokens))))


def _write_hashed(new: Array, kind: str, seed: int, field: str) -> None:
    """Write the numbers block by block, so that little memory is needed beside the array."""
    items, rows, columns = (1, 1, *new.shape)[-3:]
    cells = new.reshape(-1, items * rows, columns)
    start = _hashed(np.uint64(seed & (2**64 - 1)), np.uint64(zlib.crc32(field.encode())))
    wide = min(columns, BLOCK)
    high = max(1, BLOCK // wide)
    for top in range(0, items * rows, high):
        line = np.arange(top, min(top + high, items * rows), dtype=np.uint64)
        of_row = _hashed(_hashed(start, line // np.uint64(rows)), line % np.uint64(rows))
        for left in range(0, columns, wide):
            place = np.arange(left, min(left + wide, columns), dtype=np.uint64)
            block = cells[:, top : top + high, left : left + wide]
            block[...] = _numbers(kind, _hashed(of_row[:, None], place), field)
            advance(block.nbytes)


def _numbers(kind: str, state: Array, field: str) -> Array:
    if kind == "integers":
        span = np.uint64(2 * LARGEST_INTEGER + 1)
        return (state % span).astype(float) - LARGEST_INTEGER
    name = field.rpartition(".")[2]
    return np.round(_normal(state) * SPREADS.get(name[:1] if name[1:2] == "_" else "", 1.0), 2) + 0.0


def _hashed(state: Any, more: Any) -> Array:
    """Return the state with one more number mixed in: SplitMix64 (Steele, Lea, Flood, 2014)."""
    with np.errstate(over="ignore"):
        mixed = (np.asarray(state) ^ np.asarray(more)) + np.uint64(0x9E3779B97F4A7C15)
        mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return np.asarray(mixed ^ (mixed >> np.uint64(31)))


def _normal(state: Array) -> Array:
    """Return normal numbers made from uniform ones, by the method of Box and Muller (1958)."""
    first, second = ((_hashed(state, np.uint64(k)) >> np.uint64(11)) * 2.0**-53 for k in (1, 2))
    return np.asarray(np.sqrt(-2 * np.log1p(-first)) * np.cos(2 * np.pi * second))
