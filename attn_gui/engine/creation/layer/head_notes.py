"""Notes on heads that stay and get other numbers all the same: by the K/V head that they read, by their slopes."""

from __future__ import annotations

from attn_gui.engine.problem import sentences
from attn_gui.engine.problem.errors import Note
from attn_gui.engine.problem.layers import Layer
from attn_gui.engine.problem.problem import Problem


def of_counts(problem: Problem, heads: int, kv_heads: int) -> list[Note]:
    """Notes on heads of the same width that join or leave at the end."""
    fell, moved = of_kv(problem, heads, kv_heads), of_groups(problem, heads, kv_heads)
    return [*fell, *moved, *of_slopes(problem, sentences.SLOPES_ANEW)]


def of_kv(problem: Problem, heads: int, kv_heads: int) -> list[Note]:
    """The note on a number of K/V heads that does not divide the heads any more."""
    before = problem.num_kv_heads
    fits = before in (problem.num_heads, kv_heads)
    return [] if fits else [Note(sentences.KV_FELL, {"before": before, "after": kv_heads, "heads": heads})]


def of_groups(problem: Problem, heads: int, kv_heads: int) -> list[Note]:
    """The note on heads that stay and read a K/V head of another number."""
    before, after = problem.num_heads // problem.num_kv_heads, heads // kv_heads
    moved = [head for head in range(min(problem.num_heads, heads)) if head // before != head // after]
    template = sentences.READS_ANOTHER if len(moved) == 1 else sentences.MANY_READ_ANOTHER
    return [Note(template, {"count": len(moved), "head": moved[0]})] if moved else []


def of_slopes(problem: Problem, template: str) -> list[Note]:
    """A note on each of the layers in force whose rule tells heads apart."""
    layers = (layer for layer in problem.mask if layer.cells is None and layer.enabled)
    return [Note(template, {"layer": layer.label}) for layer in layers if _has_heads(problem, layer)]


def _has_heads(problem: Problem, layer: Layer) -> bool:
    """Whether the rule of a layer tells heads apart, however many there are now."""
    two = (problem.batch_size, 2, problem.n, problem.m)
    return layer.shape(two)[-3:-2] == (2,)
