"""Ready-made comparisons (with / without scale, mask, a head); which step moved a cell most; `compare` in Python."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from math import prod
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from attn_gui.engine.arrays import Array, Box
from attn_gui.engine.checks import as_box, same
from attn_gui.engine.evaluation.dense import RowwiseEvaluation
from attn_gui.engine.evaluation.proxies import Difference, stand_in, with_derived
from attn_gui.engine.evaluation.trace import ByStage, Trace, evaluation_of, problem_in
from attn_gui.engine.fields import KIND, leaves_of, with_leaves
from attn_gui.engine.graph import indices
from attn_gui.engine.graph.intervention_nodes import computed_nodes
from attn_gui.engine.graph.nodes import as_index
from attn_gui.engine.graph.stage import Role
from attn_gui.engine.interventions import Scale
from attn_gui.engine.problem import Problem
from attn_gui.engine.stages import STAGE, stage_of

Records = tuple[Any, ...]  # layers of a mask, or interventions

MOST = 64  # boxes of one array that are suspected one by one
UNSEEN = frozenset({"query_tokens", "key_tokens"})  # fields that no number depends on

AT_ONCE = 1 << 22  # cells that are compared at a time

NOTHING = Scale(stage=stage_of(Role.SCORE), factor=1.0, enabled=False)
"""In the place of what was set by hand in a stage that is not there."""

Words = tuple[str, str]  # in English and in Chinese; of a head with a place for its number

WITH_SCALE = "with-scale"


# --- blame ----------------------------------------------------------------------------------------
class Suspect(NamedTuple):
    """One change: the `field` (dotted) and the `box` of its cells, None for a field as a whole.

    `moved` is by how much it has moved the cell: what it is, less what it would be without this change. `share` is
    that beside what all changes have moved together, 0 to 1; NaN counts as more than any number. Of a history, `step`
    is its step (0 leads from the first state to the second), and `field` names all that the step has left its mark on.
    """

    field: str
    box: Box | None
    moved: float
    share: float
    step: int | None = None


class ChangedPart(NamedTuple):
    """An array with a box of it as before: made for its turn alone, since one array may have many boxes."""

    now: Array
    box: Box
    before: Array

    def array(self) -> Array:
        found = self.now.copy()
        found[self.box] = self.before[self.box]
        return found


class FieldChange(NamedTuple):
    """One change: what is undone together, by dotted names; its first name and box tell it apart."""

    field: str
    box: Box | None
    undo: Mapping[str, Any]
    step: int | None = None


def blame(
    states: Sequence[Problem],
    stage: str,
    index: tuple[int, ...],
    progress: Callable[[float], None] = lambda share: None,
) -> tuple[Suspect, ...]:
    """Return the changes that moved a cell of the last state, the one that moved it most first.

    Between two states every box and field is suspected, in a longer history every step: all others are done as they
    were. `progress` gets the share tried and ends the work by raising. Raises StageError (a KeyError), PlaceError (an
    IndexError) for a cell that the last state does not have.
    """
    last = RowwiseEvaluation(states[-1])
    place = as_index(last.node(stand_in(last, stage)), index)
    found = list(changes(*states)) if len(states) == 2 else list(_steps(states))
    return _ranked(states[-1], found, stage, place, progress)


def _steps(states: Sequence[Problem]) -> Iterator[FieldChange]:
    """Yield the steps of a history; what a later step has changed again is no longer a step's own."""
    leaves = [leaves_of(state) for state in states]
    for number, (before, after) in enumerate(pairwise(states)):
        undo: dict[str, Any] = {}
        found: tuple[Any] | None
        for change in changes(before, after):
            for name, old in change.undo.items():
                if isinstance(old, ChangedPart):
                    found = _cells_left_out(name, old, undo.get(name), leaves[number + 1 :])
                elif isinstance(old, tuple) and hasattr(after, name):
                    found = _records_left_out(old, getattr(after, name), getattr(states[-1], name))
                else:
                    found = _field_left_out(name, old, leaves[number + 1 :])
                undo |= {} if found is None else {name: found[0]}
        yield FieldChange(", ".join(undo), None, undo, number)


def _cells_left_out(
    name: str, old: ChangedPart, kept: Array | None, later: Sequence[Mapping[str, Any]]
) -> tuple[Array] | None:
    """Return an array of the last state with the numbers before a step in its cells; None where later steps have
    changed all of them again."""
    if any(name not in leaves or np.shape(leaves[name]) != old.before.shape for leaves in later):
        return None
    found = np.array(later[-1][name] if kept is None else kept)
    with np.errstate(over="ignore"):  # in float32 that a later step may have chosen
        was, *parts = (
            cells[old.box].astype(found.dtype) for cells in (old.before, *(leaves[name] for leaves in later))
        )
    own = np.logical_and.reduce([alike(part, parts[0]) for part in parts])
    if not own.any():
        return None
    found[old.box] = np.where(own, was, found[old.box])
    return (found,)


def _records_left_out(before: Records, after: Records, last: Records) -> tuple[Records] | None:
    """Return those of the last state without what a step has added, and with what it has taken away; None where that is
    all of them: later steps have changed its own again."""
    added = [record for record in after if record not in before]
    found = [record for record in last if record not in added]
    if all(record in last for record in added):
        for place, record in enumerate(before):
            if record not in after and record not in last:
                found.insert(place, record)
    return None if found == list(last) else (tuple(found),)


def _field_left_out(name: str, old: Any, later: Sequence[Mapping[str, Any]]) -> tuple[Any] | None:
    """Return a field as it was before a step; None where later steps have changed it again."""
    whole = [{label: leaves[label] for label in leaves if f"{label}.".startswith(f"{name}.")} for leaves in later]
    if any(each.keys() != whole[0].keys() for each in whole):
        return None
    return (old,) if all(same(each[name], whole[0][name]) for each in whole if name in each) else None


def cell_or_none(problem: Problem, stage: str, index: tuple[int, ...]) -> float | None:
    """Return a cell, for which no more is computed than it takes; None where the problem has no such cell."""
    try:
        return _cell(problem, stage, index)
    except (ValueError, TypeError, LookupError):
        return None


def _ranked(
    after: Problem, found: Sequence[FieldChange], stage: str, index: tuple[int, ...], progress: Callable[[float], None]
) -> tuple[Suspect, ...]:
    value = _cell(after, stage, index)
    tried = []
    for number, change in enumerate(found):
        tried.append((change, _without(after, change, stage, index)))
        progress((number + 1) / len(found))
    moved = [(change, _moved(value, without)) for change, without in tried if without is not None]
    failed = [change for change, without in tried if without is None]
    fields_too = [*failed, *(change for change, without in tried if without is not None and change.box is None)]
    for bound in (failed, fields_too) if failed else ():  # sizes and matrices that belong together go back together
        undo = {name: value for change in bound for name, value in change.undo.items()}
        together = FieldChange(", ".join(change.field for change in bound), None, undo)
        without = _without(after, together, stage, index)
        if without is not None:
            taken = {change.field for change in bound}
            moved = [(change, each) for change, each in moved if change.field not in taken]
            moved.append((together, _moved(value, without)))
            break
    total = sum(abs(each) for _, each in moved)
    suspects = [Suspect(change.field, change.box, each, _share(each, total), change.step) for change, each in moved]
    return tuple(sorted(suspects, key=lambda suspect: -math.inf if math.isnan(suspect.moved) else -abs(suspect.moved)))


def alike(one: float | Array, other: float | Array) -> Array:
    """Return whether numbers are equal, cell by cell; a NaN is like any other NaN."""
    return np.asarray((one == other) | ((one != one) & (other != other)))


def _moved(value: float, without: float) -> float:
    return 0.0 if alike(value, without) else value - without


def _share(moved: float, total: float) -> float:
    if math.isfinite(total):
        return abs(moved) / total if total else 0.0
    return 0.0 if math.isfinite(moved) else 1.0


def _without(after: Problem, change: FieldChange, stage: str, index: tuple[int, ...]) -> float | None:
    """Return the cell without a change; None where the rest makes no problem, or none that has the cell."""
    try:
        undo = {name: old.array() if isinstance(old, ChangedPart) else old for name, old in change.undo.items()}
        return _cell(Problem.of(with_leaves(after, undo)), stage, index)
    except (ValueError, TypeError, LookupError):
        return None


def _cell(problem: Problem, stage: str, index: tuple[int, ...]) -> float:
    evaluation = RowwiseEvaluation(problem)
    name = stand_in(evaluation, stage)
    box = as_box(stage, evaluation.shape(name), indices.cell(index))
    return float(evaluation.box(name, box).reshape(-1)[0])


# --- which changes there are ---------------------------------------------------------------------
def changes(before: Problem, after: Problem) -> Iterator[FieldChange]:
    """Yield every change: boxes of arrays of one shape that both have, all other fields as a whole."""
    old, new = leaves_of(before), leaves_of(after)
    missing = {name.partition(".")[0] for name in old.keys() ^ new.keys()}
    missing |= {name.partition(".")[0] for name in new if name.endswith(KIND) and old.get(name) != new[name]}
    for root in sorted(missing):
        yield FieldChange(root, None, {root: getattr(before, root)})
    for name in new:
        if name.partition(".")[0] in missing or name in UNSEEN or same(old[name], new[name]):
            continue
        now, was = new[name], old[name]
        if isinstance(was, np.ndarray) and was.ndim and was.shape == np.shape(now):
            for box in indices.exact_parts(~alike(was, now), indices.whole(was.shape), MOST):
                yield FieldChange(name, box, {name: ChangedPart(now, box, was)})
        else:
            yield FieldChange(name, None, {name: was})


# --- comparison -----------------------------------------------------------------------------------
class Comparison(ByStage):
    """After − before of two problems by stage: always with the batch axis, read-only, in their dtype.

    A mapping as a trace is: `comparison["weights"]`, `list(comparison)`. `before` and `after` are the two traces,
    `difference` the trace of what lies between them, of which `block` never computes more than a part. A stage that
    one problem lacks is compared with the last one before it of the same kind: `masked` with `scaled`.
    """

    def __init__(self, before: Trace, after: Trace) -> None:
        self.before, self.after = before, after
        sides = with_derived(before.evaluation), with_derived(after.evaluation)
        self._evaluation = Difference(*sides, STAGE)
        self.difference = Trace(self._evaluation)

    @property
    def stages(self) -> tuple[str, ...]:
        """The stages that can be compared, in order."""
        return self.difference.stages

    def __getitem__(self, stage: str) -> Array:
        """Return a whole stage or derived map, after − before, subtracted once.

        Raises ShapeError, which names the axes, where the shapes differ, StageError (a KeyError) for a stage that
        neither problem has, ValueError past 2 GB.
        """
        return self.difference[stage]

    def __repr__(self) -> str:
        return f"<comparison of {', '.join(self.stages)}>"

    def moved(self, stage: str) -> list[Box]:
        """Return boxes (slices of the stage's axes) of the cells whose bits differ; a NaN is like any other NaN.

        They hold exactly these cells, or where that would take more than `indices.MOST_BOXES`, lie around them. Raises
        as reading the stage does, but for its size.
        """
        shape = self.difference.shape(stage)
        boxes = [box for tile in _tiles(shape) for box in self._apart(stage, tile)]
        return indices.join(_stacked(boxes)) if boxes else []

    def blame(self, stage: str, index: tuple[int, ...], between: Sequence[Problem] = ()) -> tuple[Suspect, ...]:
        """Return the changes between the two problems, that which moved a cell of the stage most first.

        `index` has one whole number per axis, batch included. Each change is taken back alone, and the cell computed
        without it. With the states `between` the two, as a history of edits has them, each step is a suspect.
        Raises StageError, PlaceError (an IndexError) outside the stage.
        """
        return blame((self.before.problem, *between, self.after.problem), stage, index)

    def _apart(self, stage: str, tile: Box) -> list[Box]:
        """Return cells of a tile in which the two differ."""
        names = self._evaluation.pair(stage)
        sides = (self._evaluation.before, self._evaluation.after)
        before, after = (side.box(name, tile).astype(np.float64) for side, name in zip(sides, names, strict=True))
        flags = (before.view(np.uint64) != after.view(np.uint64)) & ~(np.isnan(before) & np.isnan(after))
        return indices.exact_parts(flags, tile)


def _tiles(shape: tuple[int, ...]) -> Iterator[Box]:
    """Yield boxes of no more cells than are compared at a time: rows of one head, or the stage as a whole."""
    if prod(shape) <= AT_ONCE:
        yield indices.whole(shape)
        return
    *outer, rows, columns = shape
    step = max(1, AT_ONCE // columns)
    for place in np.ndindex(*outer):
        for part in indices.in_parts(slice(0, rows), step):
            yield (*indices.cell(place), part, slice(0, columns))


def _stacked(boxes: list[Box]) -> list[Box]:
    """Return the boxes, those that tiles have cut taken together again."""
    cuts = sorted(tuple((cut.start, cut.stop) for cut in box) for box in boxes)
    for axis in range(len(boxes[0]) - 2, -1, -1):
        found: dict[tuple[tuple[int, int], ...], list[tuple[int, int]]] = {}
        for box in sorted(cuts, key=lambda box: box[axis]):
            same = found.setdefault((*box[:axis], *box[axis + 1 :]), [])
            if same and same[-1][1] == box[axis][0]:
                same[-1] = (same[-1][0], box[axis][1])
            else:
                same.append(box[axis])
        cuts = [(*rest[:axis], cut, *rest[axis:]) for rest, own in found.items() for cut in own]
    return [tuple(slice(*cut) for cut in box) for box in sorted(cuts)]


def compare(before: Problem, after: Problem) -> Comparison:
    """Return two problems side by side: `[stage]` is after − before, `.moved(stage)` where they differ.

    `.blame(stage, index)` is which of the changes between them moved a cell most. Only stages of equal shapes can be
    compared. Raises FieldTypeError for what is no problem, FieldError where no evaluation can hold one.
    """
    traces = [Trace(evaluation_of(problem_in(problem, "compare"))) for problem in (before, after)]
    return Comparison(*traces)


class ReadyMade(NamedTuple):
    """A problem beside the same one without something: `title` says of what, `before` and `after` call the two sides.

    `without(problem, head)` are the fields that are other before; `applies` says whether that would change anything.
    """

    key: str
    title: Words
    before: Words
    after: Words
    without: Callable[[Problem, int], dict[str, Any]]
    applies: Callable[[Problem], bool]

    def made(self, problem: Problem, head: int = 0) -> Problem:
        """Return the problem before, over the arrays of the present one: nothing is copied, edits in place show
        through.

        What was set by hand in a stage that it does not have goes with that stage; the others keep their names.
        """
        fields: dict[str, Any] = {"interventions": (), **problem.fields(), **self.without(problem, head)}
        interventions, bare = fields["interventions"], Problem.over(fields | {"interventions": ()})
        if not interventions:
            return bare
        stages = {node.name for node in computed_nodes(bare)}
        kept = tuple(each if _stage_of(each) in stages else NOTHING for each in interventions)
        return Problem.over(fields | {"interventions": kept})

    def words(self) -> Mapping[str, str]:
        """Return the Chinese words by the English ones."""
        return dict((self.title, self.before, self.after))


def _stage_of(given: Any) -> str:
    """Return the stage of an intervention, a record or what is to become one."""
    return str(given["stage"] if isinstance(given, Mapping) else given.stage)


def _head_off(problem: Problem, head: int) -> dict[str, Any]:
    """Return a head switched off: its results are multiplied by 0, after whatever was done to them by hand.

    Nothing changes in a problem that does not have this head.
    """
    if head >= problem.num_heads:
        return {}
    mixed = next(name for name, stage in STAGE.items() if stage.per_head and not stage.square)
    off = {"kind": "scale", "stage": mixed, "at": {"head": head}, "factor": 0.0}
    return {"interventions": (*problem.interventions, off)}


READY: Mapping[str, ReadyMade] = MappingProxyType(
    {
        each.key: each
        for each in (
            ReadyMade(
                WITH_SCALE,
                ("With / without scaling", "有 / 无缩放"),
                ("without scaling", "无缩放"),
                ("with scaling", "有缩放"),
                lambda problem, head: {"scale": 1.0},
                lambda problem: problem.effective_scale != 1.0,
            ),
            ReadyMade(
                "with-mask",
                ("With / without the mask", "有 / 无掩码"),
                ("without the mask", "无掩码"),
                ("with the mask", "有掩码"),
                lambda problem, head: {"mask": ()},
                lambda problem: any(layer.enabled for layer in problem.mask),
            ),
            ReadyMade(
                "with-head",
                ("With / without head {head}", "保留 / 关闭头 {head}"),
                ("without head {head}", "关闭头 {head}"),
                ("with head {head}", "保留头 {head}"),
                _head_off,
                lambda problem: problem.mixes,
            ),
            ReadyMade(
                "with-interventions",
                ("With / without what was set by hand", "有 / 无手动修改"),
                ("without what was set by hand", "无手动修改"),
                ("with what was set by hand", "有手动修改"),
                lambda problem, head: {"interventions": ()},
                lambda problem: any(each.enabled for each in problem.interventions),
            ),
        )
    }
)
"""The ready-made comparisons by their keys, in the order in which they are offered."""
