"""Block, norm, activation, gate, norms of heads, sinks added or removed; notes on K/V heads that have to change."""

from __future__ import annotations

from typing import Any

from attn_gui.engine import messages
from attn_gui.engine.arrays import Array
from attn_gui.engine.blocks import BLOCKS
from attn_gui.engine.checks import Record, as_choice
from attn_gui.engine.creation.filling import fill
from attn_gui.engine.errors import FieldError, Note
from attn_gui.engine.masks import Layer
from attn_gui.engine.memory import grown, new_array
from attn_gui.engine.problem import Problem

WIDER = 4  # the feed-forward network is so many times as wide as x (Vaswani et al., 2017)
GATE = ("w_gate", "b_gate")


# --- notes on heads -------------------------------------------------------------------------------
def of_counts(problem: Problem, heads: int, kv_heads: int) -> list[Note]:
    """Return notes on what changes where heads of the same width are added or removed at the end."""
    fell, moved = of_kv(problem, heads, kv_heads), of_groups(problem, heads, kv_heads)
    return [*fell, *moved, *of_slopes(problem, messages.SLOPES_ANEW)]


def of_kv(problem: Problem, heads: int, kv_heads: int) -> list[Note]:
    """Return the note on a number of K/V heads that has to change, as it no longer divides the heads."""
    before = problem.num_kv_heads
    fits = before in (problem.num_heads, kv_heads)
    return [] if fits else [Note(messages.KV_FELL, {"before": before, "after": kv_heads, "heads": heads})]


def of_groups(problem: Problem, heads: int, kv_heads: int) -> list[Note]:
    """Return the note on heads that stay but read a K/V head of another number."""
    before, after = problem.num_heads // problem.num_kv_heads, heads // kv_heads
    moved = [head for head in range(min(problem.num_heads, heads)) if head // before != head // after]
    template = messages.READS_ANOTHER if len(moved) == 1 else messages.MANY_READ_ANOTHER
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
        raise FieldError(messages.NEEDS, field="block", other="x")
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
        raise FieldError(messages.NEEDS, field=name, other="block.w_up")
    key = as_choice(f"block.{name}", key, BLOCKS[block["kind"]].choices[name])
    return {} if block[name] == key else {"block": {**block, name: key}}


def with_gate(problem: Problem, present: bool) -> dict[str, Any]:
    """Return the fields that add a gate to the feed-forward network or remove it; {} where nothing changes.

    Raises ValueError where the block has none.
    """
    block = problem.block
    if block is None or not problem.d_ff:
        raise FieldError(messages.NEEDS, field="block.w_gate", other="block.w_up")
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
