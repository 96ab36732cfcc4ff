"""Steps of one problem linked to what they read: which box needs and reaches which, the cells behind one cell."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np

from attn_gui.engine import errors
from attn_gui.engine.arrays import Array, Box, overflowed
from attn_gui.engine.errors import PlaceError
from attn_gui.engine.graph import indices
from attn_gui.engine.graph.expressions import Addends, Cell, Expression, Leaves, subscripted
from attn_gui.engine.graph.indices import Axes, Ranges, Reference, align, restore
from attn_gui.engine.graph.sources import Source
from attn_gui.engine.graph.stage import Input, Role, Stage
from attn_gui.engine.graph.symbols_and_titles import cell_latex

LETTERS = {"d": "c", "f": "c", "o": "c", "a": "p"}  # how a summed index is called in a formula

Fetch = Callable[[str, Box], Array]

GATED = 1 << 16  # a gate trims changes up to so many cells; above, a box is cheaper than its parts


# --- nodes ----------------------------------------------------------------------------------------
# The chain of one problem: stages tied to their inputs. All addressing (boxes, heads, batch) is here, once.
@dataclass(frozen=True)
class Node:
    """A stage of one problem, tied to the arrays that it reads (`inputs`) and the `sizes` of its letters."""

    stage: Stage
    inputs: tuple[Reference, ...]
    fields: tuple[str, ...]  # how each input is called outside
    sizes: dict[str, int]
    gates: Mapping[int, str]  # the stage's gates, of those that are there
    limit: float = math.inf  # from here on a result is ±∞ to whatever reads it, as it is in the problem's dtype

    @cached_property
    def name(self) -> str:
        return self.stage.name

    @cached_property
    def axes(self) -> Axes:
        return self.stage.target.axes

    @cached_property
    def left(self) -> str:
        return "".join(self.axes)

    @cached_property
    def order(self) -> str:
        """All letters: those of the result, then those that are summed over."""
        return "".join(dict.fromkeys(self.left + "".join("".join(ref.axes) for ref in self.inputs if not ref.optional)))

    @cached_property
    def free(self) -> str:
        """The letters that the formula of a single cell runs over."""
        return "".join(k for k in self.order if k not in self.left or k in self.stage.along)

    @cached_property
    def shape(self) -> tuple[int, ...]:
        return indices.shape_of(indices.box_of(self.axes, {}, self.sizes))

    @cached_property
    def _grouped(self) -> list[Axes]:
        """Patterns in which letters longer than 1 share an axis: only for these may a box have to be widened."""
        patterns = [self.axes, *(ref.axes for ref in self.inputs if not ref.optional)]
        return [axes for axes in patterns if any(sum(self.sizes[k] > 1 for k in letters) > 1 for letters in axes)]

    # --- what a change reaches -------------------------------------------------------------------
    def affected(self, position: int, box: Box, fetch: Fetch | None = None) -> list[Box]:
        """Return the cells that change when `box` of one input changes; with `fetch`, only at open gates."""
        ranges = indices.ranges_of(self.inputs[position].axes, box, self.sizes)
        left = {k: r for k, r in ranges.items() if k in self.left}
        if position == 0:
            left = self._spread(left)
        boxes = indices.boxes_of(self.axes, left, self.sizes)
        if fetch is None or position not in self.gates:
            return boxes
        return [part for one in boxes for part in self._open(one, position, ranges, fetch)]

    def _open(self, box: Box, position: int, ranges: Ranges, fetch: Fetch) -> list[Box]:
        gate = indices.references(self.gates[position])[0]
        ranges = ranges | indices.ranges_of(self.axes, box, self.sizes)
        place = indices.box_of(gate.axes, ranges, self.sizes)
        if gate.name == self.inputs[position].name or indices.count(place) > GATED:
            return [box]
        lengths = {k: ranges[k][1] - ranges[k][0] if k in ranges else self.sizes[k] for k in self.order}
        flags = align(fetch(gate.name, place), gate.axes, self.order, lengths)
        flags = np.asarray(flags.any(axis=tuple(range(len(self.left), flags.ndim))))
        flags = np.broadcast_to(flags, [lengths[k] for k in self.left]).reshape(indices.shape_of(box))
        return indices.open_parts(flags, box)

    def reads(self, box: Box) -> list[tuple[Reference, Box]]:
        """Return (input, box) pairs that hold exactly the cells that a box of the result is computed from."""
        exact = indices.ranges_of(self.axes, box, self.sizes)
        first = self._spread(exact)  # through it alone cells depend on one another
        return [
            (ref, part)
            for place, ref in enumerate(self.inputs)
            if not ref.optional
            for part in indices.boxes_of(ref.axes, exact if place else first, self.sizes)
        ]

    # --- computing -------------------------------------------------------------------------------
    def needs(self, box: Box) -> tuple[Box, list[Box | None], dict[str, int]]:
        """Return (outer, parts, lengths): what to read in order to compute a box.

        `outer` is the box that is computed, which may be a little larger than `box`; `parts` the box to read of each
        input, None for one that is missing; `lengths` the length of every letter in them.
        """
        ranges = self._spread(indices.ranges_of(self.axes, box, self.sizes))
        if self._grouped:
            ranges = indices.close(self._grouped, ranges, self.sizes)
        lengths = {k: ranges[k][1] - ranges[k][0] if k in ranges else self.sizes[k] for k in self.order}
        parts = [None if ref.optional else indices.box_of(ref.axes, ranges, self.sizes) for ref in self.inputs]
        return indices.box_of(self.axes, ranges, self.sizes), parts, lengths

    def compute(self, box: Box, fetch: Fetch) -> tuple[Box, Array]:
        """Return (outer, array): the numbers of a box, or of a slightly larger one that holds it, see `needs`."""
        box, parts, lengths = self.needs(box)
        with np.errstate(all="ignore"):  # a cell shows what is wrong with its number
            out = self.stage.forward(*self._read(parts, lengths, fetch))
            if not (self.stage.fractions or self.stage.role is Role.CLOSE):  # no larger than what they read
                out = overflowed(out, self.limit)
        shape = tuple([lengths[k] for k in self.left])
        return box, (out if out.shape == shape else np.broadcast_to(out, shape)).reshape(indices.shape_of(box))

    def pull_back(self, box: Box, grad: Array, fetch: Fetch) -> list[tuple[str, Box, Array]]:
        """Return [(input name, its box, its gradient)], given the gradient at one box of the result."""
        outer, parts, lengths = self.needs(box)
        full = np.zeros(indices.shape_of(outer))
        full[indices.within(box, outer)] = grad
        opened = [align(a, self.axes, self.order, lengths) for a in (full, fetch(self.name, outer))]
        gradients = self.stage.pull_back(*opened, *self._read(parts, lengths, fetch))
        found = []
        for ref, part, gradient in zip(self.inputs, parts, gradients, strict=True):
            if part is not None and gradient is not None:
                shape = indices.shape_of(part)
                found.append((ref.name, part, restore(gradient, ref.axes, self.order, lengths, shape)))
        return found

    def bound(self, box: Box, fetch: Fetch, errors: Fetch) -> Array:
        """Return how far two computations of a box may differ, in units of 2^−52; `errors` are the inputs'."""
        outer, parts, lengths = self.needs(box)
        found = self.stage.rounding(self._read(parts, lengths, fetch), self._read(parts, lengths, errors))
        found = found.reshape(found.shape[: len(self.left)])
        full = np.broadcast_to(found, [lengths[letter] for letter in self.left]).reshape(indices.shape_of(outer))
        return full[indices.within(box, outer)]

    def _spread(self, ranges: Ranges) -> Ranges:
        """Return the ranges without the letters of `along`, over which cells depend on one another."""
        return {k: r for k, r in ranges.items() if k not in self.stage.along} if self.stage.along else ranges

    def _read(self, parts: Sequence[Box | None], lengths: Mapping[str, int], fetch: Fetch) -> list[Input]:
        return [
            None if part is None else align(fetch(ref.name, part), ref.axes, self.order, lengths)
            for ref, part in zip(self.inputs, parts, strict=True)
        ]

    def steps_at(self, index: tuple[int, ...]) -> tuple[int, ...]:
        """Return the positions of the interventions that change a cell: () here, see `InterventionNode`."""
        return ()

    # --- one cell --------------------------------------------------------------------------------
    def explain(self, index: tuple[int, ...], fetch: Fetch) -> Expression:
        """Return the expression of one cell, with cells of the inputs as leaves."""
        return self.stage.explain(*self._cell(index, fetch))

    def general(self, index: tuple[int, ...], fetch: Fetch) -> Expression:
        """Return an expression of one cell that holds for any numbers in its inputs."""
        return self.stage.general(*self._cell(index, fetch))

    def addends(self, index: tuple[int, ...], fetch: Fetch) -> list[Addends]:
        at, *leaves = self._cell(index, fetch)
        return self.stage.addends(at, *leaves)

    def _cell(self, index: tuple[int, ...], fetch: Fetch) -> tuple[tuple[int, ...], *tuple[Leaves | None, ...]]:
        ranges = indices.ranges_of(self.axes, indices.cell(index), self.sizes)
        fixed = {k: low for k, (low, _) in ranges.items()}
        at = tuple(fixed.pop(k) for k in self.stage.along)
        return at, *(
            None if ref.optional else self._leaves(ref, field, fixed, fetch)
            for ref, field in zip(self.inputs, self.fields, strict=True)
        )

    def _leaves(self, ref: Reference, field: str, fixed: Mapping[str, int], fetch: Fetch) -> Leaves:
        """Return the cells of one input that a cell reads, laid out by the free letters."""
        ranges = {k: (low, low + 1) for k, low in fixed.items()}
        part = indices.box_of(ref.axes, ranges, self.sizes)
        outer = {k: (0, self.sizes[k]) for k in "".join(ref.axes) if k not in fixed}
        values = self._gather(ref, ranges | outer, part, fetch)

        starts = [self._flat(letters, {**dict.fromkeys(self.free, 0), **fixed}) for letters in ref.axes]
        steps = [self._steps(letters) for letters in ref.axes]
        kept = [k for k, letters in enumerate(ref.axes) if letters and not _outer(letters)]

        letter = cell_latex(field)

        def make(place: tuple[int, ...]) -> Cell:
            index = tuple(
                [
                    start + sum([step * place[k] for k, step in moves])
                    for start, moves in zip(starts, steps, strict=True)
                ]
            )
            return Cell(field, index, float(values[place]), letter, tuple([index[k] for k in kept]))

        names = [self._letter(letters, fixed) for letters in ref.axes if letters and not _outer(letters)]
        return Leaves(values, make, subscripted(letter, names))

    def _gather(self, ref: Reference, ranges: Ranges, part: Box, fetch: Fetch) -> Array:
        """Return the values of an input with one axis for each free letter, cut from the box around them."""
        wide = indices.close([ref.axes], {k: r for k, r in ranges.items() if k in "".join(ref.axes)}, self.sizes)
        lengths = {k: r[1] - r[0] for k, r in wide.items()}
        order = self.free + "".join(k for k in "".join(ref.axes) if k not in self.free)
        opened = align(fetch(ref.name, indices.box_of(ref.axes, wide, self.sizes)), ref.axes, order, lengths)
        pick = tuple(ranges[k][0] - wide[k][0] for k in order[len(self.free) :])
        return opened[(slice(None),) * len(self.free) + pick]

    def _flat(self, letters: str, at: Mapping[str, int]) -> int:
        place = 0
        for letter in letters:
            place = place * self.sizes[letter] + at[letter]
        return place

    def _steps(self, letters: str) -> list[tuple[int, int]]:
        """Return (position of a free letter, stride of that letter along the axis) pairs."""
        return [
            (self.free.index(letter), prod(self.sizes[inner] for inner in letters[k + 1 :]))
            for k, letter in enumerate(letters)
            if letter in self.free
        ]

    def _letter(self, letters: str, fixed: Mapping[str, int]) -> str:
        running = [k for k in letters if k not in fixed]
        return LETTERS.get(running[-1], running[-1]) if running else str(self._flat(letters, fixed))


def once(fetch: Fetch) -> Fetch:
    """Return a fetch that reads each box only once."""
    known: dict[object, Array] = {}

    def read(name: str, box: Box) -> Array:
        place = name, tuple([(cut.start, cut.stop) for cut in box])
        if place not in known:
            known[place] = fetch(name, box)
        return known[place]

    return read


def _outer(letters: str) -> bool:
    """Return whether an axis is that of batch or heads, which a map has in its title, not in its cells."""
    return set(letters) <= set("bhgr")


def as_index(node: Node, index: Any) -> tuple[int, ...]:
    """Return the index as whole numbers. Raises PlaceError (an IndexError) outside the stage, and for anything else."""
    several = isinstance(index, Sequence | np.ndarray) and not isinstance(index, str) and np.ndim(index)
    place = tuple(index) if several else (index,)
    whole = all(isinstance(k, Integral) and not isinstance(k, bool) for k in place)
    inside = len(place) == len(node.shape) and whole
    if not inside or not all(0 <= k < n for k, n in zip(place, node.shape, strict=True)):
        raise PlaceError(
            errors.INDEX,
            stage=node.name,
            expected=len(node.shape),
            axes=node.stage.axes,
            shape=node.shape,
            got=", ".join(map(repr, place)),
        )
    return tuple(int(k) for k in place)


def shown(axes: Axes, index: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(k for letters, k in zip(axes, index, strict=True) if letters and not _outer(letters))


def reach(
    nodes: Iterable[Node],
    changed: Mapping[str, Sequence[Box]],
    fetch: Fetch,
    refresh: Callable[[Node, list[Box]], list[Box]] | None = None,
) -> dict[str, list[Box]]:
    """Return the boxes of every stage that a change of the given boxes reaches.

    A mask stops a change, and so does an intervention that sets a number. `refresh` computes boxes of a mask again on
    the way and returns those that really changed.
    """
    found: dict[str, Sequence[Box]] = dict(changed)
    reached: dict[str, list[Box]] = {}
    for node in nodes:
        boxes = [
            part
            for k, ref in enumerate(node.inputs)
            for box in found.get(ref.name, ())
            for part in node.affected(k, box, fetch)
        ]
        if boxes and refresh is not None and node.stage.boolean:
            boxes = refresh(node, boxes)
        if boxes:
            reached[node.name] = joined = indices.join(boxes)
            found[node.name] = indices.join([*joined, *found[node.name]]) if node.name in found else joined
    return reached


# --- wiring ---------------------------------------------------------------------------------------
NodeBuilder = Callable[[Node, Mapping[str, Source]], tuple[Node, ...]]


def build(
    catalog: Iterable[Stage],
    sources: Mapping[str, Source],
    sizes: Mapping[str, int],
    expand: NodeBuilder = lambda node, sources: (node,),
    limit: float = math.inf,
) -> list[Node]:
    """Return the nodes of a problem: a stage takes part if all that it needs is there, and reads what was written last.

    Stages write variables, such as `logits`; a stage can also be read by its own name, and `stream` is x as it was
    given. `expand` replaces a node by the nodes that stand for it, as one that is computed under another name and then
    changed. Results of magnitude `limit` or more are ±∞.
    """
    latest = {name: name for name in sources}
    fields = {name: source.field for name, source in sources.items()}
    shapes = {name: source.shape for name, source in sources.items()}
    alone = "x" in latest and "context" not in latest  # self-attention: whatever becomes of x, keys read it too
    if "x" in latest:
        latest |= {"stream": "x"} | ({"context": "x"} if alone else {})
    nodes: list[Node] = []
    for stage in catalog:
        if not _takes_part(stage, latest, sources):
            continue
        inputs = tuple(_tied(ref, latest, shapes, sizes) for ref in stage.inputs)
        present = [(ref.axes, shapes[ref.name]) for ref in inputs if not ref.optional]
        learned = indices.learn_sizes(present, sizes)
        letters = set("".join(stage.target.axes)).union(*("".join(ref.axes) for ref in inputs if not ref.optional))
        node = Node(
            stage.sized(prod(learned[k] for k in letters)),
            inputs,
            tuple(fields.get(ref.name, ref.name) for ref in inputs),
            learned,
            _gates(stage, latest),
            limit,
        )
        latest |= {stage.target.name: stage.name, stage.name: stage.name}
        if alone and stage.target.name == "x":
            latest["context"] = stage.name
        shapes[stage.name] = node.shape
        nodes += expand(node, sources)
    return nodes


def _gates(stage: Stage, latest: Mapping[str, str]) -> dict[int, str]:
    """Return the gates of a stage whose variable exists, by the name of the stage that wrote it last."""
    found = {}
    for position, gate in stage.gates.items():
        name = indices.references(gate)[0].name
        if name in latest:
            found[position] = gate.replace(name, latest[name], 1)
    return found


def _takes_part(stage: Stage, latest: Mapping[str, str], sources: Mapping[str, Source]) -> bool:
    fits = sources.keys().isdisjoint(stage.unless) and sources.keys() >= set(stage.when)
    return fits and all(ref.optional or ref.name in latest for ref in stage.inputs)


def _tied(
    ref: Reference, latest: Mapping[str, str], shapes: Mapping[str, tuple[int, ...]], sizes: Mapping[str, int]
) -> Reference:
    """Return a reference to the array that a variable has now; an optional one that is missing stays optional."""
    if ref.name not in latest:
        return ref
    name = latest[ref.name]
    return Reference(name, indices.fitted(ref.axes, shapes[name], sizes))


class CellPart(NamedTuple):
    """Cells of one matrix, a stage or a dotted field, that belong to a given cell; `axes` are their letters."""

    name: str
    box: Box
    axes: Axes

    def line(self, axis: int) -> int | None:
        """Return the only row (axis −2) or column (axis −1) of the cells; None where there are several."""
        if len(self.box) < -axis:
            return None
        cut = self.box[axis]
        return cut.start if cut.stop - cut.start == 1 else None

    def owner(self, axis: int) -> str:
        """Return the letter of that axis: i of queries, j of keys."""
        return self.axes[axis]
