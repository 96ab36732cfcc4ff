"""Numbers of an evaluation by name: stages and sources, in boxes, in blocks of a map, cell by cell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

import numpy as np
import numpy.typing as npt

from attn_gui.engine import sentences
from attn_gui.engine.arrays import Array, Box, item_of
from attn_gui.engine.checks import as_box
from attn_gui.engine.errors import FieldError, StageError
from attn_gui.engine.graph import indices
from attn_gui.engine.graph.intervention_nodes import ByHand, nodes_of
from attn_gui.engine.graph.nodes import Node, Part, computed_name, plain_name
from attn_gui.engine.graph.sources import Source, layer_position, sources_of
from attn_gui.engine.graph.stage import Role
from attn_gui.engine.problem import Problem
from attn_gui.engine.stages import STAGE, stage_of

# --- measures -------------------------------------------------------------------------------------
# Measures of a matrix of weights.


BLIND = -float(np.finfo(np.float64).max)
"""Stands for the entropy of a row that sees no key: it has none and does not count.

No other row has this number: weights set by hand may have an entropy of any sign.
"""


def row_entropy(weights: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """−Σ a·log a of every row: 0 for one key alone (and for no key at all), log m for m equal weights.

    `weights` (..., n, m) gives (..., n), in nats. A weight of 0 adds nothing, nor does one below 0 that was
    set by hand; a NaN makes its row NaN.
    """
    rows = np.asarray(weights, dtype=np.float64)
    told = (rows > 0) | np.isnan(rows)
    logs = np.log(rows, out=np.zeros_like(rows), where=told)
    with np.errstate(over="ignore", invalid="ignore"):  # of what was set by hand
        return np.asarray(-np.multiply(rows, logs, out=logs, where=told).sum(axis=-1) + 0.0)


# --- readout --------------------------------------------------------------------------------------


NOTHING: Mapping[str, Array] = {}


class Readout:
    """The chain of one problem, and every number in it: kept in `_arrays`, or computed when it is read."""

    problem: Problem
    stages: tuple[str, ...]
    last_parts: tuple[tuple[str, tuple[int, ...]], tuple[Part, ...]] | None = None  # of the cell asked for last
    covers = False  # whether cells are left out and read as NaN
    in_dtype = False  # whether sums over keys are made in the problem's dtype, not in float64
    kind = ""  # what its numbers are where they are not the stages' own: differences, gradients

    def _lay_out(self, problem: Problem, arrays: Mapping[str, Array] = NOTHING) -> None:
        """Take up a problem, with nothing kept yet but what is handed over."""
        self.problem, self.last_parts = problem, None
        self._sources = sources_of(problem)
        self._nodes = self._wired()
        self._by_name = {node.name: node for node in self._nodes}
        self._fields: dict[str, list[str]] = {}
        for name, source in self._sources.items():
            self._fields.setdefault(source.field, []).append(name)
        self.stages = tuple(node.name for node in self._nodes if not node.stage.hidden)
        self.mask = next((node.name for node in reversed(self._nodes) if node.stage.boolean), None)  # of open cells
        self._arrays = dict(arrays)

    @property
    def signed(self) -> bool:
        """Whether all its numbers have a sign, shares included, as differences have."""
        return bool(self.kind)

    def _wired(self) -> list[Node]:
        return nodes_of(self.problem, self._sources)

    # --- the parts of attention ------------------------------------------------------------------
    def part(self, role: Role) -> str | None:
        """The stage that takes a part in attention; None where the problem has none."""
        return name if (name := stage_of(role)) in self.stages else None

    @cached_property
    def scores(self) -> str:
        """The stage of the score function."""
        return stage_of(Role.SCORE)

    @cached_property
    def weights(self) -> str:
        """The stage whose rows are shares of one."""
        return stage_of(Role.WEIGHT)

    @cached_property
    def mixed(self) -> str:
        """The stage of every head's sums of values."""
        return stage_of(Role.MIX)

    @cached_property
    def joined(self) -> str:
        """The stage of the heads side by side."""
        return stage_of(Role.JOIN)

    @cached_property
    def projection(self) -> str:
        """The stage of the joined heads times W_O; without W_O of the joined heads themselves."""
        return stage_of(Role.PROJECT)

    @property
    def logits(self) -> str | None:
        """The stage that the softmax reads; None where the weights are given."""
        return self.stages[self.stages.index(self.weights) - 1] if self.scores in self.stages else None

    def latest(self, variable: str) -> str:
        """The last stage that writes a variable of the formulas: the turned keys rather than the keys."""
        return next(name for name in reversed(self.stages) if self.node(name).stage.target.name == variable)

    # --- numbers ---------------------------------------------------------------------------------
    def fetch(self, name: str, box: Box) -> Array:
        """The numbers of a box of any stage or source, as float64 (or booleans), kept or computed on the spot."""
        if name in self._sources:
            return self._sources[name].read(box)
        if name in self._arrays:
            array = self._arrays[name][box]
            return array if array.dtype == np.float64 or array.dtype == np.bool_ else array.astype(np.float64)
        outer, array = self._by_name[name if name in self._by_name else self._older(name)].compute(box, self.fetch)
        return array[indices.within(box, outer)]

    def _older(self, name: str) -> str:
        """Stage in place of one that was there before an intervention went, for a reader that is still under way."""
        return plain_name(name) if plain_name(name) in self._by_name else str(self.mask)

    def node(self, stage: str) -> Node:
        """The stage at work. Raises StageError (a KeyError) for a stage that the problem does not have."""
        if plain_name(stage) not in self.stages or stage not in self._by_name:
            raise StageError(sentences.NO_STAGE, stage=repr(stage), choices=self.stages)
        return self._by_name[stage]

    def explains(self, name: str) -> bool:
        """Whether a name is that of numbers that are computed here, so that a cell of them can be explained."""
        return plain_name(name) in self.stages

    def computed(self, stage: str) -> str:
        """The name of a stage as it is before its interventions; its own where it has none."""
        name = computed_name(self.node(stage).name)
        return name if name in self._by_name else stage

    def node_at(self, stage: str, index: tuple[int, ...]) -> Node:
        """The node that makes one cell of a stage: what is done by hand, where it is, else what computes it."""
        node = self.node(stage)
        computed = isinstance(node, ByHand) and not node.touching(indices.cell(index))
        return self._by_name[self.computed(stage)] if computed else node

    @property
    def nodes(self) -> tuple[Node, ...]:
        return tuple(self._nodes)

    @property
    def closes(self) -> bool:
        """Whether a mask layer is enabled that can close cells."""
        return any(node.stage.boolean for node in self._nodes)

    @property
    def elementary(self) -> bool:
        """Whether closed formulas hold: all up to the softmax is known by heart, and nothing is changed by hand."""
        before = [node for node in map(self.node, self.stages) if node.stage.square or node.stage.input_side]
        return self.known_by_heart and not any(isinstance(node, ByHand) for node in before)

    @property
    def known_by_heart(self) -> bool:
        """Whether everything from the scores to the softmax is known by heart, where nothing is changed by hand."""
        return all(STAGE[name].elementary for name in self.stages if STAGE[name].square)

    def held(self, name: str) -> Array:
        """A whole kept stage as it is held."""
        return self._arrays[name]

    @property
    def sources(self) -> Mapping[str, Source]:
        return self._sources

    def shape(self, stage: str) -> tuple[int, ...]:
        """The lengths of a stage's axes, batch included."""
        return self.node(stage).shape

    def axes(self, stage: str) -> tuple[str, ...]:
        """The names of a stage's axes."""
        return self.node(stage).stage.axes

    def box(self, stage: str, box: Box) -> Array:
        """The numbers of a box, read-only, in the problem's dtype."""
        box = as_box(stage, self.shape(stage), box)
        with np.errstate(all="ignore"):
            array: Array = self.fetch(stage, box).astype(self.problem.dtype, copy=False).view()
        array.flags.writeable = False
        return array

    def block(self, stage: str, batch: int, head: int | None, rows: slice, columns: slice) -> Array:
        """A 2-D block. In a stage without heads `columns` count within the head's columns, or all (head None)."""
        if head is None and len(self.shape(stage)) == 4:
            raise FieldError(sentences.NEEDS_HEAD, stage=stage)
        found = self.box(stage, self.block_box(stage, batch, head, rows, columns))
        return np.asarray(found[(0,) * (found.ndim - 2)])

    def block_box(self, stage: str, batch: int, head: int | None, rows: slice, columns: slice) -> Box:
        """The box of a block, of the first head where a stage with heads is asked for none."""
        shape = self.shape(stage)
        if len(shape) == 4:
            return (*indices.cell((batch, head or 0)), _cut(rows, shape[2]), _cut(columns, shape[3]))
        mine = self.head_columns(stage, head) if head is not None else slice(0, shape[2])
        inside = _cut(columns, mine.stop - mine.start)
        across = slice(mine.start + inside.start, mine.start + inside.stop)
        return (slice(batch, batch + 1), _cut(rows, shape[1]), across)

    def field_block(self, field: str, batch: int, rows: slice, columns: slice) -> Array:
        """A block of a matrix of the problem, by its dotted name."""
        array = self.problem.arrays()[field]
        return np.asarray(item_of(array, batch)[rows, columns])

    def allowed(self, batch: int, head: int | None, rows: slice, columns: slice) -> Array | None:
        """Cells of a map that the mask leaves open, or that were set by hand; None when no boolean layer is enabled.

        Without a head those that any head leaves open.
        """
        if self.mask is None:
            return None
        n, m = self.problem.n, self.problem.m
        heads = slice(0, self.problem.num_heads) if head is None else slice(head, head + 1)
        found = self.fetch(self.mask, (slice(batch, batch + 1), heads, _cut(rows, n), _cut(columns, m)))[0]
        return np.asarray(found[0] if head is not None else found.any(axis=0))

    def layers_at(self, index: tuple[int, ...]) -> list[tuple[int, bool]]:
        """(position, whether it is open there) of every enabled boolean layer, for one cell of a map."""
        node = self._by_name["allowed"]
        _, parts, _ = node.needs(indices.cell(index))
        return [
            (layer_position(ref.name), bool(self.fetch(ref.name, box).all()))
            for ref, box in zip(node.inputs, parts, strict=True)
            if box is not None
        ]

    def head_columns(self, stage: str, head: int) -> slice:
        """The columns of a stage that belong to a query head (a K/V head is shared by its group)."""
        columns, problem = self.shape(stage)[-1], self.problem
        counts = {"": 1, "h": problem.num_heads, "g": problem.num_kv_heads}
        heads = counts[self.node(stage).stage.heads]
        head, width = head * heads // problem.num_heads, columns // heads
        return slice(head * width, (head + 1) * width)


def _cut(cut: slice, length: int) -> slice:
    start, stop, _ = cut.indices(length)
    return slice(start, max(start, stop))


# --- parts of a cell ------------------------------------------------------------------------------
# The rows and columns of other matrices that belong to a cell, found on the way back through the chain.


def parts_of(evaluation: Readout, stage: str, index: tuple[int, ...]) -> tuple[Part, ...]:
    """The parts of a cell, stage by stage as far as the matrices of the problem, queries before keys.

    A map of pairs gives its own place in all of them. What a weight is taken times, and what the product goes to,
    belong to it, too. Tables, maps and spine ask for the same cell one after another: it is remembered.
    Raises IndexError for a cell that the stage does not have: what belongs to none has no end.
    """
    asked, shape = (stage, tuple(index)), evaluation.shape(stage)
    if not all(0 <= place < length for place, length in zip(index, shape, strict=True)):
        raise IndexError(f"{stage} has the shape {shape}, got the cell {tuple(index)}")
    if evaluation.last_parts is None or evaluation.last_parts[0] != asked:
        evaluation.last_parts = asked, _found(evaluation, stage, index)
    return evaluation.last_parts[1]


def _found(evaluation: Readout, stage: str, index: tuple[int, ...]) -> tuple[Part, ...]:
    found: list[Part] = []
    for part in (*_before(evaluation, stage, index), *_after(evaluation, stage, indices.cell(index))):
        if part not in found:
            found.append(part)
    return tuple(sorted(found, key=lambda part: any("j" in letters for letters in part.axes)))


def _before(evaluation: Readout, stage: str, index: tuple[int, ...]) -> Iterator[Part]:
    hidden = {node.name for node in evaluation.nodes if node.stage.hidden}
    boxes: dict[str, list[Box]] = {stage: [indices.cell(index)]}
    for node in reversed(evaluation.nodes):
        for box in boxes.get(node.name, ()):
            yield Part(node.name, box, node.axes)
            for (ref, field), part in zip(zip(node.inputs, node.fields, strict=True), _read(node, box), strict=True):
                if part is not None and ref.name not in hidden:
                    boxes.setdefault(ref.name, []).append(part)
                    if field not in evaluation.stages:  # a stage says so itself, a given Q, K or V included
                        yield Part(field, part, ref.axes)


def _read(node: Node, box: Box) -> list[Box | None]:
    """Inputs of a box; of a map of pairs the same places, although a softmax weighs them against others."""
    if not node.stage.square:
        return node.needs(box)[1]
    ranges = indices.ranges_of(node.axes, box, node.sizes)
    return [None if ref.optional else indices.box_of(ref.axes, ranges, node.sizes) for ref in node.inputs]


def _after(evaluation: Readout, stage: str, box: Box) -> Iterator[Part]:
    """The other maps of pairs, and what is multiplied by the cell of one."""
    own = evaluation.node(stage)
    if not own.stage.square:
        return
    for node in evaluation.nodes:
        if node.stage.square and not node.stage.hidden:
            yield Part(node.name, box, node.axes)
        elif own.name in (read := [ref.name for ref in node.inputs]):
            ranges = indices.ranges_of(node.inputs[read.index(own.name)].axes, box, node.sizes)
            for ref, field in zip(node.inputs, node.fields, strict=True):
                yield Part(field, indices.box_of(ref.axes, ranges, node.sizes), ref.axes)
            yield Part(node.name, indices.box_of(node.axes, ranges, node.sizes), node.axes)
