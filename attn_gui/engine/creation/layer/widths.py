"""Widths of what stands around the heads: tables of a block, norms of heads, frequencies of positions."""

from __future__ import annotations

from attn_gui.engine.arrays import Array
from attn_gui.engine.blocks import BLOCKS
from attn_gui.engine.memory import grown
from attn_gui.engine.problem.problem import Problem
from attn_gui.engine.problem.records import Record


def with_tables(problem: Problem, letter: str, width: int) -> Record:
    """The block of a problem with another length along a letter of its tables."""
    block = dict(problem.block)
    for name, table in BLOCKS[block["kind"]].tables.items():
        if name in block and letter in table.letters:
            lengths = zip(table.letters, block[name].shape, strict=True)
            shape = tuple(width if axis == letter else length for axis, length in lengths)
            block[name] = grown(block[name], shape, table.neutral)
    return Record(block)


def of_head_width(problem: Problem, part: str, width: int) -> dict[str, Array]:
    """The fields that have a number for each column of a head of `part`, query or key, or for each pair of them."""
    changed: dict[str, Array] = {}
    norm, frequencies = getattr(problem, f"{part}_norm"), problem.rotary_frequencies
    if norm is not None and len(norm) != width:
        changed[f"{part}_norm"] = grown(norm, (width,), 1.0)
    if frequencies is not None and len(frequencies) != width // 2:
        changed["rotary_frequencies"] = grown(frequencies, (width // 2,))
    return changed
