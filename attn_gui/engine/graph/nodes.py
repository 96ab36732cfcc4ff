"""Nodes of the chain of a problem: stages tied to their inputs, with all addressing of boxes, heads and batch."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np

from attn_gui.engine import sentences
from attn_gui.engine.arrays import Array, Box, overflowed
from attn_gui.engine.blocks import BLOCKS
from attn_gui.engine.derived_stages import DERIVED, entry_of
from attn_gui.engine.errors import PlaceError
from attn_gui.engine.graph import indices
from attn_gui.engine.graph.expressions import Addends, Cell, Expression, Leaves, subscripted
from attn_gui.engine.graph.indices import Axes, Ranges, Reference, align, restore
from attn_gui.engine.graph.sources import Source
from attn_gui.engine.graph.stage import Input, Role, Stage, StageName
from attn_gui.engine.interventions import Intervention
from attn_gui.engine.masks import MASKS, Layer
from attn_gui.engine.scores import SCORES
from attn_gui.engine.stages import catalog, entries

FIELDS = {
    "x": StageName("X", "X", "x", "Sequence", "序列"),
    "context": StageName("X₂", "X_2", "x^{(2)}", "Second sequence", "第二个序列"),
    "w_query": StageName("W_Q", "W_Q", "w^Q", "Query projection", "查询投影"),
    "w_key": StageName("W_K", "W_K", "w^K", "Key projection", "键投影"),
    "w_value": StageName("W_V", "W_V", "w^V", "Value projection", "值投影"),
    "w_output": StageName("W_O", "W_O", "w^O", "Output projection", "输出投影"),
    "b_query": StageName("b_Q", "b_Q", "b^Q", "Query bias", "查询偏置"),
    "b_key": StageName("b_K", "b_K", "b^K", "Key bias", "键偏置"),
    "b_value": StageName("b_V", "b_V", "b^V", "Value bias", "值偏置"),
    "b_output": StageName("b_O", "b_O", "b^O", "Output bias", "输出偏置"),
    "scale": StageName("α", r"\alpha", r"\alpha"),
    "softcap": StageName("cap", r"\mathrm{cap}", r"\mathrm{cap}"),
    "temperature": StageName("T", "T", "T"),
    "rotary_theta": StageName("θ", r"\theta", r"\theta"),
    "query_norm": StageName("γ_Q", r"\gamma_Q", r"\gamma^Q", "Query norm weight", "查询归一化的缩放"),
    "key_norm": StageName("γ_K", r"\gamma_K", r"\gamma^K", "Key norm weight", "键归一化的缩放"),
    "qk_norm_eps": StageName("ε", r"\varepsilon", r"\varepsilon"),
    "rotary_frequencies": StageName("Ω", r"\mathrm{freq}", r"\mathrm{freq}", "Rotary frequencies", "旋转频率"),
    "sink": StageName("sink", r"\mathrm{sink}", r"\mathrm{sink}", "Attention sink", "注意力汇点"),
    **{f"block.{part}": table.name for block in BLOCKS.values() for part, table in block.tables.items()},
    **{
        f"block.{part}": StageName("ε", r"\varepsilon", r"\varepsilon")
        for block in BLOCKS.values()
        for part in block.numbers
    },
}
COMPUTED = "computed."
LETTERS = {"d": "c", "f": "c", "o": "c", "a": "p"}  # how a summed index is called in a formula

Fetch = Callable[[str, Box], Array]

GATED = 1 << 16  # a gate trims changes up to so many cells; above, a box is cheaper than its parts


# --- names ----------------------------------------------------------------------------------------
def computed_name(stage: str) -> str:
    """Return the name of a stage as it is computed, where numbers are then changed by hand."""
    return COMPUTED + stage


def plain_name(name: str) -> str:
    """Return the stage that is meant, changed by hand or not."""
    return name.removeprefix(COMPUTED)


def symbol(name: str) -> str:
    """Return the plain symbol of a stage or a field; a mask layer is B (it adds) or M."""
    return _entry(name).letter


def cell_symbol(name: str) -> str:
    """Return the plain letter of one cell: s′ of S′, w of W_Q."""
    return _entry(name).cell_letter


def cell_latex(name: str) -> str:
    """Return the LaTeX of one cell, without its indices."""
    return _entry(name).cell


def matrix_latex(name: str) -> str:
    """Return the LaTeX of the whole matrix."""
    return _entry(name).matrix


def title(name: str, language: str) -> str:
    """Return the title of a stage or field in "en" or "zh"; empty for what has a letter alone."""
    found: str = getattr(_entry(name), language)
    return found


def about(name: str) -> str:
    """Return the meaning of the rows of a stage or field, in English; empty where the title says it."""
    return _entry(name).about


def is_counted(name: str) -> bool:
    """Return whether a name is of a layer of the mask or of an intervention, of which there are any number."""
    return any(kind.position_of(name) is not None for kind in (Layer, Intervention))


def is_named(name: str) -> bool:
    """Return whether there is a stage or a field of this name; layers and interventions are counted."""
    known = name in FIELDS or _stage(plain_name(name)) is not None or is_counted(name)
    return known or name in _parameters()


def titles() -> Iterator[tuple[str, str]]:
    """Yield the English and the Chinese words of every stage and field."""
    for stage in (*catalog(), *DERIVED):
        yield from stage.called.words().items()
        yield from stage.operator.words().items() if stage.operator is not None else ()
    for name in (*FIELDS.values(), *_parameters().values()):
        yield from name.words().items()


def _stage(name: str) -> Stage | None:
    """Return a stage or a derived map."""
    return entries().get(name) or entry_of(name)


def _parameters() -> dict[str, StageName]:
    """Return the names of what the score functions have beside queries and keys, by field."""
    return {f"score_params.{part}": name for score in SCORES.values() for part, name in score.parameters.items()}


def _computed(name: StageName) -> StageName:
    """Return the letter with a zero, as for what was there first."""
    cell = f"{{{name.cell}}}^{{0}}" if set("^'") & set(name.cell) else f"{name.cell}^{{0}}"
    return name._replace(letter=f"{name.letter}⁰", matrix=f"{{{name.matrix}}}^{{0}}", cell=cell)


def _entry(name: str) -> StageName:
    if name in FIELDS:
        return FIELDS[name]
    if (stage := _stage(name)) is not None:
        return stage.called
    if name.startswith(COMPUTED):
        return _computed(_entry(plain_name(name)))
    if (position := Intervention.position_of(name)) is not None:
        return StageName("H", "H", f"h^{{({position})}}")
    if (position := Layer.position_of(name)) is not None:
        closing = {layer.table for layer in MASKS.values() if layer.table and not layer.adds}
        plain = "M" if name.rpartition(".")[2] in closing else "B"
        return StageName(plain, plain, f"{plain.lower()}^{{({position})}}")
    return _parameters()[name]


# --- nodes ----------------------------------------------------------------------------------------
# The chain of one problem: stages tied to their inputs. All addressing (boxes, heads, batch) is here, once.
@dataclass(frozen=True)
class Node:
    """A stage at work: `inputs` name the arrays it really reads, `sizes` the lengths of its letters."""

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
        """Every letter: those of the result, then those that are summed."""
        return "".join(dict.fromkeys(self.left + "".join("".join(ref.axes) for ref in self.inputs if not ref.optional)))

    @cached_property
    def free(self) -> str:
        """The letters that the formula of a single cell runs through."""
        return "".join(k for k in self.order if k not in self.left or k in self.stage.along)

    @cached_property
    def shape(self) -> tuple[int, ...]:
        return indices.shape_of(indices.box_of(self.axes, {}, self.sizes))

    @cached_property
    def _grouped(self) -> list[Axes]:
        """Axes shared by several letters: only there may a box have to be widened."""
        patterns = [self.axes, *(ref.axes for ref in self.inputs if not ref.optional)]
        return [axes for axes in patterns if any(len(letters) > 1 for letters in axes)]

    # --- what a change reaches -------------------------------------------------------------------
    def affected(self, position: int, box: Box, fetch: Fetch | None = None) -> list[Box]:
        """Return cells that change when `box` of one input changes; with `fetch`, only where the stage's gate is
        open."""
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
        """Return inputs of a box: each input that is there, in boxes that hold those cells and no others."""
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
        """Return the box that can be computed (`box`, or a little more), what must be read for it, and its lengths."""
        ranges = self._spread(indices.ranges_of(self.axes, box, self.sizes))
        if self._grouped:
            ranges = indices.close(self._grouped, ranges, self.sizes)
        lengths = {k: ranges[k][1] - ranges[k][0] if k in ranges else self.sizes[k] for k in self.order}
        parts = [None if ref.optional else indices.box_of(ref.axes, ranges, self.sizes) for ref in self.inputs]
        return indices.box_of(self.axes, ranges, self.sizes), parts, lengths

    def compute(self, box: Box, fetch: Fetch) -> tuple[Box, Array]:
        """Return (box, array): the part of the result that holds `box`, from the parts that it needs."""
        box, parts, lengths = self.needs(box)
        with np.errstate(all="ignore"):  # a cell shows what is wrong with its number
            out = self.stage.forward(*self._read(parts, lengths, fetch))
            if not (self.stage.fractions or self.stage.role is Role.CLOSE):  # no larger than what they read
                out = overflowed(out, self.limit)
        return box, np.broadcast_to(out, [lengths[k] for k in self.left]).reshape(indices.shape_of(box))

    def pull_back(self, box: Box, grad: Array, fetch: Fetch) -> list[tuple[str, Box, Array]]:
        """Return [(input name, its box, its gradient)] from the gradient of one box of the result."""
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
        """Return bounds on the difference of two computations of a box, in units of 2^−52; `errors`: of what it
        reads."""
        outer, parts, lengths = self.needs(box)
        found = self.stage.rounding(self._read(parts, lengths, fetch), self._read(parts, lengths, errors))
        found = found.reshape(found.shape[: len(self.left)])
        full = np.broadcast_to(found, [lengths[letter] for letter in self.left]).reshape(indices.shape_of(outer))
        return full[indices.within(box, outer)]

    def _spread(self, ranges: Ranges) -> Ranges:
        """Spread ranges, the letters of `along` taken whole."""
        return {k: r for k, r in ranges.items() if k not in self.stage.along} if self.stage.along else ranges

    def _read(self, parts: Sequence[Box | None], lengths: Mapping[str, int], fetch: Fetch) -> list[Input]:
        return [
            None if part is None else align(fetch(ref.name, part), ref.axes, self.order, lengths)
            for ref, part in zip(self.inputs, parts, strict=True)
        ]

    def steps_at(self, index: tuple[int, ...]) -> tuple[int, ...]:
        """Return the positions of the interventions that change a cell here: a stage only computes."""
        return ()

    # --- one cell --------------------------------------------------------------------------------
    def explain(self, index: tuple[int, ...], fetch: Fetch) -> Expression:
        """Return the expression of one cell; its leaves are cells of the inputs."""
        return self.stage.explain(*self._cell(index, fetch))

    def general(self, index: tuple[int, ...], fetch: Fetch) -> Expression:
        """Return the expression of one cell that holds whatever the numbers are."""
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
        """Return the cells of one input, laid out by the free letters."""
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
        """Return values with one axis a free letter, although the box around them may hold other letters' cells too."""
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
        """Return (free letter, how far one step of it goes along the axis)."""
        return [
            (self.free.index(letter), prod(self.sizes[inner] for inner in letters[k + 1 :]))
            for k, letter in enumerate(letters)
            if letter in self.free
        ]

    def _letter(self, letters: str, fixed: Mapping[str, int]) -> str:
        running = [k for k in letters if k not in fixed]
        return LETTERS.get(running[-1], running[-1]) if running else str(self._flat(letters, fixed))


def once(fetch: Fetch) -> Fetch:
    """Read each box once, where the same numbers are asked for in several ways."""
    known: dict[object, Array] = {}

    def read(name: str, box: Box) -> Array:
        place = name, tuple([(cut.start, cut.stop) for cut in box])
        if place not in known:
            known[place] = fetch(name, box)
        return known[place]

    return read


def _outer(letters: str) -> bool:
    """Return whether an axis is that of batch or heads, which the map has in its title and no cell as an index."""
    return set(letters) <= set("bhgr")


def as_index(node: Node, index: Any) -> tuple[int, ...]:
    """Return the index as whole numbers. Raises PlaceError (an IndexError) outside the stage, and for anything else."""
    several = isinstance(index, Sequence | np.ndarray) and not isinstance(index, str) and np.ndim(index)
    place = tuple(index) if several else (index,)
    whole = all(isinstance(k, Integral) and not isinstance(k, bool) for k in place)
    inside = len(place) == len(node.shape) and whole
    if not inside or not all(0 <= k < n for k, n in zip(place, node.shape, strict=True)):
        raise PlaceError(
            sentences.INDEX,
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
    """Return the boxes of every stage that a change of the given boxes can reach.

    A mask stops it, and so does a number set by hand. `refresh` computes the boxes of a mask again on the way and
    returns those that really changed.
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
            reached[node.name] = indices.join(boxes)
            found[node.name] = indices.join([*boxes, *found.get(node.name, ())])
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
    """Return the chain: a stage takes part when everything it needs is there; each reads what the last one wrote.

    A stage can be read by its own name, too; `stream` is x as it was given.

    `expand` says which nodes stand in the place of one: it may be computed under another name, and then changed.
    From `limit` on a result is ±∞.
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
        inputs = tuple(_tied(ref, latest, shapes, sizes, ref.name in latest) for ref in stage.inputs)
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
    """Return the gates that are there, by the name of the stage that wrote them last."""
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
    ref: Reference,
    latest: Mapping[str, str],
    shapes: Mapping[str, tuple[int, ...]],
    sizes: Mapping[str, int],
    there: bool,
) -> Reference:
    if not there:
        return ref
    name = latest[ref.name]
    return Reference(name, indices.fitted(ref.axes, shapes[name], sizes))


class CellPart(NamedTuple):
    """Cells of one matrix that belong to a cell: a stage, or a field by its dotted name, with its axes as letters."""

    name: str
    box: Box
    axes: Axes

    def line(self, axis: int) -> int | None:
        """Return the one row (axis −2) or column (axis −1) that it lies in; None where it runs through several."""
        if len(self.box) < -axis:
            return None
        cut = self.box[axis]
        return cut.start if cut.stop - cut.start == 1 else None

    def owner(self, axis: int) -> str:
        """Return the letter of that axis: i of queries, j of keys."""
        return self.axes[axis]
