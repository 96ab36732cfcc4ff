"""Changes by hand carried out behind a step; the phrase “A[10, 13] of head 3 set to 0.9”; what stays closed.

`where` are boxes, the numbers of an intervention have the shape of their box, and a copy reads the computed cells of
another place: none of it is ever as large as the stage.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple

import numpy as np

from attn_gui.engine.arrays import Array, Box, overflow_limit, overflowed
from attn_gui.engine.errors import Note
from attn_gui.engine.fields import Fields
from attn_gui.engine.graph import indices
from attn_gui.engine.graph.expressions import Addends, Cell, Expression, Leaves, UnlessClosed
from attn_gui.engine.graph.indices import Reference, zero_safe_product
from attn_gui.engine.graph.nodes import Fetch, Node, build, shown
from attn_gui.engine.graph.sources import Source, sizes_of, sources_of
from attn_gui.engine.graph.stage import Role, Stage
from attn_gui.engine.graph.symbols_and_titles import cell_latex, computed_name, symbol
from attn_gui.engine.interventions import Intervention
from attn_gui.engine.stages import DERIVED, ENTRIES, STAGE, EffectiveMask, stages_of
from attn_gui.languages import N_

FACTS = (
    *("name", "axes", "called", "form", "operator", "heads", "transposed", "behind_mask", "shares", "wording", "role"),
    *("block", "function"),
)

WHOLE = "·"  # an axis that is taken whole
OF_HEAD = N_("Interventions", "{cells} of head {head}")
OF_HEADS = N_("Interventions", "{cells} of heads {first} … {last}")
OF_ALL = N_("Interventions", "{cells} of all heads")
OF_ITEM = N_("Interventions", "{cells} in item {item}")
OF_ITEMS = N_("Interventions", "{cells} in items {first} … {last}")

AxisPlace = int | tuple[int, int] | None


# --- intervention node ----------------------------------------------------------------------------
class InterventionStep(NamedTuple):
    """One intervention on a stage: its position in the problem, its cells, and the input with its numbers."""

    position: int
    record: Intervention
    box: Box
    numbers: int | None
    shape: tuple[int, ...]  # of its numbers


class StepTrace(NamedTuple):
    """What one step did to a box: the `part` it changed, and what from (see `Intervention.carried_out`)."""

    step: InterventionStep
    part: Box
    own: Array
    given: Array | None
    taken: Array | None


@dataclass(frozen=True)
class InterventionNode(Node):
    """A stage after its interventions; its first input is the stage as computed, the others are their numbers."""

    steps: tuple[InterventionStep, ...] = ()

    def touching(self, box: Box) -> list[tuple[InterventionStep, Box]]:
        """Return (step, part of the box that it changes) pairs."""
        parts = ((step, indices.intersection(step.box, box)) for step in self.steps)
        return [(step, part) for step, part in parts if part is not None]

    def steps_at(self, index: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(step.position for step, _ in self.touching(indices.cell(index)))

    @property
    def computed(self) -> str:
        """The name of the stage as it is computed."""
        return self.inputs[0].name

    # --- what a change reaches -------------------------------------------------------------------
    def affected(self, position: int, box: Box, fetch: Fetch | None = None) -> list[Box]:
        """Return the cells that change when `box` of one input changes, without those that a later step replaces."""
        if position:
            place = next(k for k, step in enumerate(self.steps) if step.numbers == position)
            return self._lasting(place, self._target(self.steps[place], box))
        found = indices.outside([box], [step.box for step in self.steps if step.record.replaces])
        for place, step in enumerate(self.steps):
            found += self._lasting(place, self._copied(step, box))
        return found

    def _lasting(self, place: int, box: Box | None) -> list[Box]:
        """Return the cells of a step's box that no later step replaces."""
        later = [step.box for step in self.steps[place + 1 :] if step.record.replaces]
        return [] if box is None else indices.outside([box], later)

    def _target(self, step: InterventionStep, box: Box) -> Box:
        """Return the cells that a box of a step's numbers is put into."""
        missing = len(step.box) - len(step.shape)
        own = (
            cut if length == 1 else slice(cut.start + part.start, cut.start + part.stop)
            for cut, part, length in zip(step.box[missing:], box, step.shape, strict=True)
        )
        return (*step.box[:missing], *own)

    def _copied(self, step: InterventionStep, box: Box) -> Box | None:
        """Return the cells into which a step copies cells of `box`; None where it copies none."""
        origin = step.record.origin(step.box, self.stage.axes)
        shared = None if origin is None else indices.intersection(origin, box)
        if origin is None or shared is None:
            return None
        cuts = zip(step.box, origin, shared, strict=True)
        return tuple(own if own != whole else part for own, whole, part in cuts)

    def reads(self, box: Box) -> list[tuple[Reference, Box]]:
        """Return (input, box) pairs that a box is computed from; replaced cells do not read the computed stage."""
        holes = [step.box for step in self.steps if step.record.replaces]
        found = [(self.inputs[0], part) for part in indices.outside([box], holes)]
        for step, part in self.touching(box):
            if not self._lasting(self.steps.index(step), part):
                continue
            origin = step.record.origin(part, self.stage.axes)
            found += [(self.inputs[0], origin)] if origin is not None else []
            found += [(self.inputs[step.numbers], _own(step, part))] if step.numbers is not None else []
        return found

    # --- computing -------------------------------------------------------------------------------
    def needs(self, box: Box) -> tuple[Box, list[Box | None], dict[str, int]]:
        """Return the box itself and, for each input, the one box around all that is read of it."""
        parts: list[Box | None] = [None] * len(self.inputs)
        names = [ref.name for ref in self.inputs]
        for ref, part in self.reads(box):
            place = names.index(ref.name)
            known = parts[place]
            parts[place] = part if known is None else indices.around([known, part])
        return box, parts, {}

    def compute(self, box: Box, fetch: Fetch) -> tuple[Box, Array]:
        """Return (box, array): the computed cells with all steps applied in order."""
        cells, _ = self._carried_out(box, fetch)
        return box, overflowed(cells, self.limit)

    def _carried_out(self, box: Box, fetch: Fetch) -> tuple[Array, list[StepTrace]]:
        cells, trail = np.array(fetch(self.computed, box)), []
        for step, part in self.touching(box):
            inside = indices.within(part, box)
            one = StepTrace(
                step, part, cells[inside].copy(), self._given(step, part, fetch), self._taken(step, part, fetch)
            )
            cells[inside] = changed_cells(self.stage, step.record, *one[2:])
            trail.append(one)
        return cells, trail

    def _given(self, step: InterventionStep, part: Box, fetch: Fetch) -> Array | None:
        return None if step.numbers is None else fetch(self.inputs[step.numbers].name, _own(step, part))

    def _taken(self, step: InterventionStep, part: Box, fetch: Fetch) -> Array | None:
        origin = step.record.origin(part, self.stage.axes)
        return None if origin is None else fetch(self.computed, origin)

    def pull_back(self, box: Box, grad: Array, fetch: Fetch) -> list[tuple[str, Box, Array]]:
        """Return gradients of the computed cells, of the numbers of the steps, and of cells that are copied."""
        grad, found = np.array(grad), []
        for step, part, own, numbers, taken in reversed(self._carried_out(box, fetch)[1]):
            inside = indices.within(part, box)
            mine = np.where(_stays_closed(self.stage, step.record, own), 0.0, grad[inside])
            to_own, to_given, to_taken = step.record.slopes(own, numbers, taken)
            if to_given is not None and numbers is not None and step.numbers is not None:
                name = self.inputs[step.numbers].name
                found.append((name, _own(step, part), _summed(zero_safe_product(mine, to_given), numbers.shape)))
            if to_taken is not None and taken is not None:
                origin = step.record.origin(part, self.stage.axes)
                assert origin is not None
                found.append((self.computed, origin, _summed(zero_safe_product(mine, to_taken), taken.shape)))
            grad[inside] = 0.0 if to_own is None else zero_safe_product(mine, to_own)
        return [*found, (self.computed, box, grad)]

    def bound(self, box: Box, fetch: Fetch, errors: Fetch) -> Array:
        found = np.array(errors(self.computed, box))
        for step, part, own, numbers, taken in self._carried_out(box, fetch)[1]:
            inside = indices.within(part, box)
            slopes = step.record.slopes(own, numbers, taken)
            slips = (found[inside], 0.0, 0.0 if taken is None else self._taken(step, part, errors))
            total = sum(np.abs(slope) * slip for slope, slip in zip(slopes, slips, strict=True) if slope is not None)
            rounded = np.abs(changed_cells(self.stage, step.record, own, numbers, taken)) if step.record.rounds else 0.0
            found[inside] = np.nan_to_num(total + rounded, nan=np.inf, posinf=np.inf)
        return found

    # --- one cell --------------------------------------------------------------------------------
    def explain(self, index: tuple[int, ...], fetch: Fetch) -> Expression:
        """Return the formula of a cell after its steps, from the computed cell, their numbers, copied cells."""
        return self._after_steps(
            index,
            fetch,
            lambda record, own, changed: (
                own if _stays_closed(self.stage, record, np.asarray(own.value)).any() else changed
            ),
        )

    def general(self, index: tuple[int, ...], fetch: Fetch) -> Expression:
        """Return a formula of a cell after its steps that tests for itself whether a mask has closed the cell."""
        closes = self.stage.role is Role.CLOSE
        return self._after_steps(
            index,
            fetch,
            lambda record, own, changed: UnlessClosed(own, changed) if closes and not record.replaces else changed,
        )

    def _after_steps(
        self, index: tuple[int, ...], fetch: Fetch, kept: Callable[[Intervention, Expression, Expression], Expression]
    ) -> Expression:
        """Return the computed cell with all steps applied; `kept(record, before, after)` is what a mask lets by."""
        expression: Expression = self.computed_cell(index, fetch)
        for step, part in self.touching(indices.cell(index)):
            numbers, taken = self._given_cell(step, part, fetch), None
            origin = step.record.origin(part, self.stage.axes)
            if origin is not None:
                taken = self.computed_cell(tuple(cut.start for cut in origin), fetch)
            expression = kept(step.record, expression, step.record.carried_out(expression, numbers, taken))
        return expression

    def computed_cell(self, index: tuple[int, ...], fetch: Fetch) -> Cell:
        """Return a cell of the stage as computed."""
        value = float(fetch(self.computed, indices.cell(index)).item())
        return Cell(self.computed, index, value, cell_latex(self.computed), shown(self.axes, index))

    def _given_cell(self, step: InterventionStep, part: Box, fetch: Fetch) -> Cell | None:
        if step.numbers is None:
            return None
        index = tuple(cut.start for cut in _own(step, part))
        field = step.record.field(step.position)
        return Cell(field, index, float(np.asarray(self._given(step, part, fetch)).item()), cell_latex(field))

    def addends(self, index: tuple[int, ...], fetch: Fetch) -> list[Addends]:
        """Return a single term: the cell itself, with the leaves of its formula."""
        expression = self.explain(index, fetch)
        leaves = [_leaf(cell) for cell in expression.cells()]
        return [Addends(np.asarray(expression.value), leaves)]


def changed_cells(stage: Stage, record: Intervention, own: Array, given: Any, taken: Any) -> Array:
    """Return cells of a stage after an intervention; it opens closed ones only where it replaces numbers."""
    found = record.carried_out(own, given, taken)
    closed = _stays_closed(stage, record, own)
    return np.where(closed, own, found) if closed.any() else found


def _stays_closed(stage: Stage, record: Intervention, own: Array) -> Array:
    return np.isneginf(own) & (stage.role is Role.CLOSE and not record.replaces)


def moved_boxes(before: Sequence[Node], after: Sequence[Node]) -> dict[str, list[Box]]:
    """Return, for every stage, the cells whose interventions differ between two chains."""
    old, new = (
        {node.name: node.steps for node in nodes if isinstance(node, InterventionNode)} for nodes in (before, after)
    )
    found = {name: _differing(old.get(name, ()), new.get(name, ())) for name in {**old, **new}}
    return {name: indices.join(boxes) for name, boxes in found.items() if boxes}


def _differing(old: Sequence[InterventionStep], new: Sequence[InterventionStep]) -> list[Box]:
    """Return the cells of steps that only one side has; of all steps, where the common ones are in another order."""
    records = [step.record for step in old], [step.record for step in new]
    alone = (
        [step for step in old if step.record not in records[1]],
        [step for step in new if step.record not in records[0]],
    )
    both = [[step.record for step in steps if step not in some] for steps, some in zip((old, new), alone, strict=True)]
    return [step.box for step in ((*alone[0], *alone[1]) if both[0] == both[1] else (*old, *new))]


def _leaf(cell: Cell) -> Leaves:
    return Leaves(np.asarray(cell.value), lambda place: cell, cell.write("symbols"))


def _own(step: InterventionStep, part: Box) -> Box:
    """Return the box of a step's numbers that goes into part of its cells."""
    missing = len(step.box) - len(step.shape)
    cuts = zip(part[missing:], step.box[missing:], step.shape, strict=True)
    return tuple(
        slice(0, 1) if length == 1 else slice(cut.start - whole.start, cut.stop - whole.start)
        for cut, whole, length in cuts
    )


def _summed(array: Array, shape: tuple[int, ...]) -> Array:
    """Return a gradient summed to a shape that was broadcast."""
    array = array.sum(axis=tuple(range(array.ndim - len(shape))))
    axes = tuple(k for k, length in enumerate(shape) if length == 1 < array.shape[k])
    return np.asarray(array.sum(axis=axes, keepdims=True) if axes else array)


class ChangedStage(Stage):
    """The stage of an intervention node: all facts of the stage that it changes; the arithmetic is the node's."""

    def __init__(self, stage: Stage, records: Sequence[Intervention]) -> None:
        self._stage, self._records = stage, records
        for fact in FACTS:
            vars(self)[fact] = getattr(stage, fact)
        left = stage.formula.split("=")[0].strip()
        self.formula = f"{left} = {left}"

    @property
    def fractions(self) -> bool:  # type: ignore[override]  # numbers set by hand change in the memory that records read
        return self._stage.fractions and all(record.keeps_fractions for record in self._records)


# --- words ----------------------------------------------------------------------------------------
def phrase(problem: Fields, record: Intervention, letter: Callable[[str], str] = symbol) -> Note:
    """Return `A[10, 13] of head 3 set to 0.9`: an intervention of a problem; `letter` names a stage."""
    return record.description(cells_phrase(problem, record, letter))


def cells_phrase(problem: Fields, record: Intervention, letter: Callable[[str], str]) -> object:
    """Return `A[10, 13] of head 3`: cells of an intervention, with head and item where the problem has several."""
    axes = STAGE[record.stage].axes
    *outer, rows, columns = (record.at.get(axis) for axis in axes)
    lines = ", ".join((_span(rows), _span(columns)))
    cells: object = letter(record.stage)
    if (rows, columns) != (None, None):
        cells = f"{cells}[{lines}]"
    if len(outer) > 1 and problem.num_heads > 1:
        cells = _heads(cells, outer[1])
    return _items(cells, outer[0]) if problem.batch_size > 1 else cells


def _heads(cells: object, heads: AxisPlace) -> Note:
    if heads is None:
        return Note(OF_ALL, {"cells": cells})
    if isinstance(heads, int):
        return Note(OF_HEAD, {"cells": cells, "head": heads})
    return Note(OF_HEADS, {"cells": cells, "first": heads[0], "last": heads[1] - 1})


def _items(cells: object, items: AxisPlace) -> object:
    if items is None:
        return cells
    if isinstance(items, int):
        return Note(OF_ITEM, {"cells": cells, "item": items})
    return Note(OF_ITEMS, {"cells": cells, "first": items[0], "last": items[1] - 1})


def _span(place: AxisPlace) -> str:
    if place is None:
        return WHOLE
    return str(place) if isinstance(place, int) else f"{place[0]} … {place[1] - 1}"


# --- intervention builder ---------------------------------------------------------------------------
@dataclass(frozen=True)
class EffectiveMaskNode(Node):
    """The node of `EffectiveMask`: open cells, and those of the boxes in which interventions set numbers."""

    boxes: tuple[Box, ...] = ()

    def affected(self, position: int, box: Box, fetch: Fetch | None = None) -> list[Box]:
        """Return the cells that change with the mask."""
        return indices.outside([box], self.boxes)

    def compute(self, box: Box, fetch: Fetch) -> tuple[Box, Array]:
        """Return (box, booleans)."""
        flags = np.array(fetch(self.inputs[0].name, box))
        for one in self.boxes:
            shared = indices.intersection(one, box)
            if shared is not None:
                flags[indices.within(shared, box)] = True
        return box, flags


class InterventionBuilder:
    """Replaces nodes in `build` by those of their interventions."""

    def __init__(self, interventions: Sequence[Intervention], masked: Sequence[str]) -> None:
        """Build interventions; `masked` are the stages behind the mask."""
        self._records: dict[str, list[tuple[int, Intervention]]] = {}
        for position, record in enumerate(interventions):
            if record.enabled:
                self._records.setdefault(record.stage, []).append((position, record))
        self._masked = masked

    def __call__(self, node: Node, sources: Mapping[str, Source]) -> tuple[Node, ...]:
        """Return the nodes that stand for a node: itself, or the computed stage and its intervention node."""
        if isinstance(node.stage, EffectiveMask):
            return (EffectiveMaskNode(**_parts(node), boxes=self._opened(node)),)
        records = () if node.stage.hidden else self._records.get(node.name, ())
        if not records:
            return (node,)
        stage = copy.copy(node.stage)
        stage.name, stage.hidden = computed_name(node.name), True
        computed = replace(node, stage=stage)
        return computed, _by_hand(node, computed, records, sources)

    def _opened(self, node: Node) -> tuple[Box, ...]:
        records = (record for name in self._masked for _, record in self._records.get(name, ()))
        return tuple(record.box(node.stage.axes, node.shape) for record in records if record.replaces)


def _parts(node: Node) -> dict[str, Any]:
    return {field.name: getattr(node, field.name) for field in fields(node)}


def _by_hand(
    node: Node, computed: Node, records: Sequence[tuple[int, Intervention]], sources: Mapping[str, Source]
) -> InterventionNode:
    steps, inputs, names = [], [Reference(computed.name, node.axes)], [computed.name]
    for position, record in records:
        box, field = record.box(node.stage.axes, node.shape), record.field(position)
        if not record.table:
            steps.append(InterventionStep(position, record, box, None, ()))
            continue
        shape = sources[field].shape
        steps.append(InterventionStep(position, record, box, len(inputs), shape))
        inputs.append(Reference(field, ("",) * len(shape)))
        names.append(field)
    return InterventionNode(
        ChangedStage(node.stage, [record for _, record in records]),
        tuple(inputs),
        tuple(names),
        node.sizes,
        {},
        node.limit,
        tuple(steps),
    )


def nodes_of(
    problem: Fields,
    sources: Mapping[str, Source],
    change: Callable[[Sequence[Stage]], Sequence[Stage]] = list,
) -> list[Node]:
    """Return the nodes of a problem in order: its stages, after `change`, with a node for each intervened stage."""
    masked = [name for name, stage in ENTRIES.items() if stage.behind_mask]
    expand = InterventionBuilder(problem.interventions, masked)
    return build(change(stages_of(problem)), sources, sizes_of(problem), expand, overflow_limit(problem.dtype))


def derived_nodes(problem: Fields, sources: Mapping[str, Source]) -> list[Node]:
    """Return the nodes of the derived maps, which read the chain after its interventions."""
    names = {stage.name for stage in DERIVED}
    nodes = nodes_of(problem, sources, lambda stages: (*stages, *DERIVED))
    return [node for node in nodes if node.name in names]


def computed_nodes(problem: Fields) -> list[Node]:
    """Return the nodes of a problem without its interventions."""
    return build(stages_of(problem), sources_of(problem), sizes_of(problem), limit=overflow_limit(problem.dtype))
