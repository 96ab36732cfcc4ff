"""Block (a new network's width), norm, gate, sinks added or removed; new arrays filled (random by a seed), tokens."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from itertools import count, islice
from typing import Any

import numpy as np
import numpy.typing as npt

from attn_gui.engine import errors
from attn_gui.engine.arrays import Array, Write, advance, grown, new_array
from attn_gui.engine.blocks import BLOCKS
from attn_gui.engine.checks import Record, as_choice
from attn_gui.engine.errors import FieldError, Note
from attn_gui.engine.masks import Layer
from attn_gui.engine.problem import Problem

# --- numbers of new arrays ------------------------------------------------------------------------
# Each depends on its seed, its field and its place only.

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


# --- parts of a layer -----------------------------------------------------------------------------
WIDER = 4  # the feed-forward network is so many times as wide as x (Vaswani et al., 2017)
GATE = ("w_gate", "b_gate")


# --- notes on heads -------------------------------------------------------------------------------
def of_counts(problem: Problem, heads: int, kv_heads: int) -> list[Note]:
    """Return notes on what changes where heads of the same width are added or removed at the end."""
    fell, moved = of_kv(problem, heads, kv_heads), of_groups(problem, heads, kv_heads)
    return [*fell, *moved, *of_slopes(problem, errors.SLOPES_ANEW)]


def of_kv(problem: Problem, heads: int, kv_heads: int) -> list[Note]:
    """Return the note on a number of K/V heads that has to change, as it no longer divides the heads."""
    before = problem.num_kv_heads
    fits = before in (problem.num_heads, kv_heads)
    return [] if fits else [Note(errors.KV_FELL, {"before": before, "after": kv_heads, "heads": heads})]


def of_groups(problem: Problem, heads: int, kv_heads: int) -> list[Note]:
    """Return the note on heads that stay but read a K/V head of another number."""
    before, after = problem.num_heads // problem.num_kv_heads, heads // kv_heads
    moved = [head for head in range(min(problem.num_heads, heads)) if head // before != head // after]
    template = errors.READS_ANOTHER if len(moved) == 1 else errors.MANY_READ_ANOTHER
    return [Note(template, {"count": len(moved), "head": moved[0]})] if moved else []


def of_slopes(problem: Problem, template: str) -> list[Note]:
    """Return a note for each enabled layer whose rule differs by head."""
    layers = (layer for layer in problem.mask if layer.cells is None and layer.enabled)
    return [Note(template, {"layer": layer.label}) for layer in layers if _has_heads(problem, layer)]


def _has_heads(problem: Problem, layer: Layer) -> bool:
    """Return whether the rule of a layer differs by head, for any number of heads."""
    two = (problem.batch_size, 2, problem.n, problem.m)
    return layer.shape(two)[-3:-2] == (2,)


# --- parts ----------------------------------------------------------------------------------------
def with_block(problem: Problem, kind: str | None) -> dict[str, Any]:
    """Return the fields that add a block of a kind, replace the present one, or take it away.

    Tables that both kinds have stay. Raises ValueError where a block is impossible: without x, or where the output is
    not as wide as x.
    """
    if kind is None:
        return {} if problem.block is None else {"block": None}
    block = BLOCKS[as_choice("block.kind", kind, tuple(BLOCKS))]
    before = dict(problem.block or {})
    if before.get("kind") == kind:
        return {}
    if not problem.projected:
        raise FieldError(errors.NEEDS, field="block", other="x")
    found: dict[str, Any] = {"kind": kind}
    for name, table in block.tables.items():
        if name in before:
            found[name] = before[name]
        elif not table.optional or (len(table.letters) == 1 and name not in GATE):
            found[name] = _new(problem, name, table.letters, table.neutral)
    kept = {name: before[name] for name in (*block.numbers, *block.choices) if name in before}
    return {"block": found | kept}


def _new(problem: Problem, name: str, letters: str, neutral: float) -> Array:
    """Return a new table of a block: random weights, or else numbers that change nothing."""
    widths = {"o": problem.d_model, "u": problem.d_model, "f": problem.d_ff or WIDER * problem.d_model}
    shape = tuple(widths[letter] for letter in letters)
    if len(shape) > 1:
        return fill("random", shape, field=f"block.{name}", dtype=problem.dtype)
    return new_array(shape, problem.dtype, lambda new: new.fill(neutral))


def with_choice(problem: Problem, name: str, key: str) -> dict[str, Any]:
    """Return the fields with another norm or activation of the block; {} where nothing changes.

    Raises ValueError where the block has no such choice.
    """
    block = problem.block
    if block is None or name not in block:
        raise FieldError(errors.NEEDS, field=name, other="block.w_up")
    key = as_choice(f"block.{name}", key, BLOCKS[block["kind"]].choices[name])
    return {} if block[name] == key else {"block": {**block, name: key}}


def with_gate(problem: Problem, present: bool) -> dict[str, Any]:
    """Return the fields that add a gate to the feed-forward network or remove it; {} where nothing changes.

    Raises ValueError where the block has none.
    """
    block = problem.block
    if block is None or not problem.d_ff:
        raise FieldError(errors.NEEDS, field="block.w_gate", other="block.w_up")
    if present == ("w_gate" in block):
        return {}
    if not present:
        return {"block": {name: value for name, value in block.items() if name not in GATE}}
    table = BLOCKS[block["kind"]].tables["w_gate"]
    return {"block": {**block, "w_gate": _new(problem, "w_gate", table.letters, table.neutral)}}


def with_head_norms(problem: Problem, present: bool) -> dict[str, Any]:
    """Return the fields that add norms of every head of Q and K, or remove them; {} where nothing changes."""
    widths = {"query_norm": problem.d_k, "key_norm": problem.d_key}
    if not present:
        return {name: None for name in widths if getattr(problem, name) is not None}
    return {
        name: new_array((width,), problem.dtype, lambda new: new.fill(1))
        for name, width in widths.items()
        if getattr(problem, name) is None
    }


def with_sink(problem: Problem, present: bool) -> dict[str, Any]:
    """Return the fields that give every head a sink of 0, or remove it; {} where nothing changes."""
    if present == (problem.sink is not None):
        return {}
    return {"sink": fill("zeros", (problem.num_heads,), dtype=problem.dtype) if present else None}


# --- widths ---------------------------------------------------------------------------------------
def with_tables(problem: Problem, letter: str, width: int) -> Record:
    """Return the block with another length along a letter of its tables."""
    block = dict(problem.block)
    for name, table in BLOCKS[block["kind"]].tables.items():
        if name in block and letter in table.letters:
            lengths = zip(table.letters, block[name].shape, strict=True)
            shape = tuple(width if axis == letter else length for axis, length in lengths)
            block[name] = grown(block[name], shape, table.neutral)
    return Record(block)


def of_head_width(problem: Problem, part: str, width: int) -> dict[str, Array]:
    """Return the fields with a number for each column, or pair of columns, of a head of Q or K (`part`), resized."""
    changed: dict[str, Array] = {}
    norm, frequencies = getattr(problem, f"{part}_norm"), problem.rotary_frequencies
    if norm is not None and len(norm) != width:
        changed[f"{part}_norm"] = grown(norm, (width,), 1.0)
    if frequencies is not None and len(frequencies) != width // 2:
        changed["rotary_frequencies"] = grown(frequencies, (width // 2,))
    return changed
