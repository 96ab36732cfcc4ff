"""Matrices and numbers that steps read, by name: fields, mask layers by position, numbers set by hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from attn_gui.engine.arrays import Array, Box
from attn_gui.engine.fields import DIRECT, GIVEN, MATRICES, Fields
from attn_gui.engine.masks import Layer, Sizes


class BoxReadable(Protocol):
    """Anything that is read by boxes: an array, or a rule whose cells are computed when they are read."""

    @property
    def shape(self) -> tuple[int, ...]: ...

    def __getitem__(self, box: Any, /) -> Array: ...


@dataclass(frozen=True)
class Source:
    """One array or number of a problem that stages read; `field` is its dotted name in the problem."""

    field: str
    cells: BoxReadable

    @property
    def shape(self) -> tuple[int, ...]:
        return self.cells.shape

    def read(self, box: Box) -> Array:
        """Return the cells of a box; numbers as float64, whatever the problem's dtype."""
        cells = np.asarray(self.cells[box])
        return cells if cells.dtype == np.float64 or cells.dtype == np.bool_ else cells.astype(np.float64)


@dataclass(frozen=True)
class PositionRule:
    """A mask layer that is a rule, read like an array: its cells are never stored."""

    layer: Layer
    sizes: Sizes

    @property
    def shape(self) -> tuple[int, ...]:
        return self.layer.shape(self.sizes)

    def __getitem__(self, box: Box) -> Array:
        place = tuple(np.ogrid[box])
        lengths = tuple(cut.stop - cut.start for cut in box)
        return np.broadcast_to(self.layer.at(place, self.sizes), lengths)


def sources_of(problem: Fields) -> dict[str, Source]:
    """Return {name in the formulas: source} of all that the problem has."""
    found = {_called(name): (name, getattr(problem, name)) for name in MATRICES}
    found |= {name: (f"score_params.{name}", cells) for name, cells in problem.score_params.items()}
    if problem.block is not None:
        tables = {name: cells for name, cells in problem.block.items() if not isinstance(cells, str)}
        found |= {name: (f"block.{name}", cells) for name, cells in tables.items()}
    found |= {name: (name, getattr(problem, name)) for name in ("softcap", "temperature", "rotary_theta")}
    found["qk_norm_eps"] = ("qk_norm_eps", problem.qk_norm_eps)
    if problem.compares:
        found["scale"] = ("scale", problem.effective_scale)
    sources = {name: Source(field, np.asarray(cells)) for name, (field, cells) in found.items() if cells is not None}
    return sources | _positions(problem) | layer_sources(problem) | _by_hand(problem)


def _called(name: str) -> str:
    """Return the name of a field in the formulas; of what stands in for a stage, and of norms, another one."""
    return f"given_{name}" if name in (*DIRECT, GIVEN) else f"{name}_weight" if name.endswith("_norm") else name


def _by_hand(problem: Fields) -> dict[str, Source]:
    """Return the numbers of every enabled intervention, in their own shape."""
    records = ((k, record) for k, record in enumerate(problem.interventions) if record.enabled and record.table)
    return {record.field(k): Source(record.field(k), np.asarray(record.cells)) for k, record in records}


def _positions(problem: Fields) -> dict[str, Source]:
    if not problem.turns:
        return {}
    return {
        "query_position": Source("", np.arange(problem.n, dtype=float)),
        "key_position": Source("", np.arange(problem.m, dtype=float)),
        "query_exponent": Source("", _exponents(problem.d_k)),
        "key_exponent": Source("", _exponents(problem.d_key)),
    }


def _exponents(width: int) -> Array:
    """Return −2p/d for every pair of columns; the additive score has another width for keys."""
    return -np.arange(0, width, 2) / width


def sizes_of(problem: Fields) -> dict[str, int]:
    """Return the lengths of the letters that all formulas share; those of other letters follow from shapes."""
    heads, kv_heads = problem.num_heads, problem.num_kv_heads
    return {
        "b": problem.batch_size,
        "h": heads,
        "g": kv_heads,
        "r": heads // kv_heads,
        "i": problem.n,
        "j": problem.m,
        "t": 2,
    }


def layer_name(position: int) -> str:
    return f"layer{position}"


def layer_position(name: str) -> int:
    return int(name.removeprefix("layer"))


def layer_sources(problem: Fields) -> dict[str, Source]:
    """Return the enabled mask layers as sources, each with its own axes only."""
    sizes = problem.map_shape
    return {
        layer_name(k): Source(layer.field(k), layer_cells(layer, sizes))
        for k, layer in enumerate(problem.mask)
        if layer.enabled
    }


def layer_cells(layer: Layer, sizes: Sizes) -> BoxReadable:
    return layer.cells if layer.cells is not None else PositionRule(layer, sizes)
