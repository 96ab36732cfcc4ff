"""`compute` in Python and its trace: steps by name, head readings, read-only; from which size on a problem is long."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from functools import partial
from itertools import product
from math import prod
from operator import index as whole_number
from typing import TypeGuard

import numpy as np

from attn_gui.engine import errors
from attn_gui.engine.arrays import Array
from attn_gui.engine.checks import as_box
from attn_gui.engine.errors import FieldError, FieldTypeError, PlaceError
from attn_gui.engine.evaluation.dense import KEEP, DenseEvaluation, GivenEvaluation
from attn_gui.engine.evaluation.evaluation import Evaluation
from attn_gui.engine.evaluation.proxies import reading
from attn_gui.engine.fields import DIRECT
from attn_gui.engine.graph import indices
from attn_gui.engine.problem import Pictured, Problem

# --- long problems --------------------------------------------------------------------------------
DENSE = 2_000_000  # cells of all heads' maps, or of a table with a row for each token, up to which all stages are kept
HEAD = 1 << 19  # and of such a table of one head: an edit of one key makes all of its output anew
PROJECTION = 1 << 24  # and of a matrix that projects, as large as those of the layers that people open


def is_long(problem: Problem) -> bool:
    """Return whether the maps, or the tables beside them, are too large to be kept and to be read within a frame."""
    rows, arrays = problem.batch_size * max(problem.n, problem.m), problem.arrays()
    tables = [arrays[name].size for name in (*DIRECT, "x", "context") if name in arrays]
    if max(prod(problem.map_shape), rows * problem.d_ff, *tables) > DENSE:
        return True
    return rows * max(problem.d_k, problem.d_v) > HEAD or any(array.size > PROJECTION for array in arrays.values())


def evaluation_of(problem: Problem) -> Evaluation:
    """Return the evaluation for a problem of this size.

    Raises FieldError (a ValueError) where none can hold it: a score that is no dot product at great length, or too
    little memory.
    """
    try:
        if not is_long(problem):
            return DenseEvaluation(problem)
        if not problem.compares:
            return GivenEvaluation(problem)
        from .streaming import StreamingEvaluation  # a small problem need not load it

        return StreamingEvaluation(problem)
    except MemoryError as error:
        raise FieldError(errors.NO_MEMORY_TO_COMPUTE) from error


# --- traces ---------------------------------------------------------------------------------------


class ByStage(Mapping[str, Array]):
    """Arrays by the names of stages."""

    @property
    @abstractmethod
    def stages(self) -> tuple[str, ...]:
        """The names, in the order of the formula."""

    def __iter__(self) -> Iterator[str]:
        return iter(self.stages)

    def __len__(self) -> int:
        return len(self.stages)

    def __contains__(self, stage: object) -> bool:
        return stage in self.stages

    __eq__ = object.__eq__  # as a mapping it would compare every stage
    __hash__ = object.__hash__


class Trace(Pictured, ByStage):
    """Every stage of one problem by name; always with the batch axis, read-only, in the problem's dtype.

    A mapping: `trace["weights"]`, `list(trace)`, `"masked" in trace`. A stage is computed when it is read.
    """

    def __init__(self, evaluation: Evaluation) -> None:
        self.evaluation = evaluation

    @property
    def problem(self) -> Problem:
        return self.evaluation.problem

    @property
    def stages(self) -> tuple[str, ...]:
        """The stages that the problem has, in order."""
        return self.evaluation.stages

    def axes(self, stage: str) -> tuple[str, ...]:
        """Return the names of a stage's axes."""
        return reading(self.evaluation, stage).axes(stage)

    def shape(self, stage: str) -> tuple[int, ...]:
        """Return the lengths of a stage's axes, batch included; nothing is computed."""
        return reading(self.evaluation, stage).shape(stage)

    def __repr__(self) -> str:
        width = max(map(len, self.stages))
        lines = (f"  {name:<{width}}  {axes}" for name, axes in stage_texts(self))
        return "\n".join([f"Trace of {self.problem!r}", *lines])

    def _ipython_key_completions_(self) -> list[str]:
        return list(self.stages)

    def __getitem__(self, stage: str) -> Array:
        """Return a whole stage or derived map. Raises ValueError past 2 GB, StageError (a KeyError) for none."""
        evaluation = reading(self.evaluation, stage)
        shape = evaluation.shape(stage)
        _check_size(stage, shape, np.dtype(self.problem.dtype).itemsize)
        return evaluation.box(stage, indices.whole(shape))

    def computed(self, stage: str) -> Array:
        """Return the whole stage before its interventions. Raises as reading it does."""
        return self[self.evaluation.computed(stage)]

    @property
    def allowed(self) -> Array:
        """Booleans (batch, head, query, key): cells open by mask or intervention. Raises ValueError past 2 GB."""
        shape = self.problem.map_shape
        if not self.evaluation.closes:
            return np.broadcast_to(np.True_, shape)
        _check_size("allowed", shape, 1)
        found = self.evaluation.fetch(str(self.evaluation.mask), indices.whole(shape)).view()
        found.flags.writeable = False
        return found

    def readings(self, head: int | None = None) -> dict[str, Array]:
        """Return numbers of every head, from its weights, by name: "entropy" (in nats), "largest", "sink", "rank", and
        where tokens are named "previous_token", "duplicate_token", "induction".

        Each (batch, head), of one head (batch,). Raises PlaceError for a head that is not there.
        """
        from attn_gui.engine.analysis.head_readings import READINGS, WEIGHTS, rows_of

        evaluation, heads = evaluation_in(self, "readings", WEIGHTS), _heads(self, head)
        found = {}
        for key in READINGS:
            if READINGS[key].fits(self.problem):
                places = product(range(self.problem.map_shape[0]), heads)
                rows = (partial(rows_of, evaluation, *place) for place in places)
                numbers = [READINGS[key].measure(self.problem, each) for each in rows]
                found[key] = np.array(numbers).reshape(-1, *(len(heads),) if head is None else ())
        return found

    def block(self, stage: str, batch: int, head: int | None, rows: slice, columns: slice) -> Array:
        """Return a 2-D part of a stage, rows and columns as slices; never more than the part is computed or held.

        Slices end at the edge, as Python's do. Raises StageError, PlaceError for an item or a head that is not there,
        FieldTypeError for what is no slice or no whole number.
        """
        if not (_is_cut(rows) and _is_cut(columns)):
            cuts = ", ".join(_as_cut(cut) for cut in (rows, columns))
            call = f"trace.block({stage!r}, {batch}, {head}, {cuts})"
            raise FieldTypeError(errors.SLICES, got=f"{rows!r}, {columns!r}", call=call)
        for name, place in (("batch", batch), ("head", head)):
            if not (_is_whole(place) or (place is None and name == "head")):
                raise FieldTypeError(errors.NOT_WHOLE, field=name, got=repr(place))
        evaluation = reading(self.evaluation, stage)
        as_box(stage, evaluation.shape(stage), evaluation.block_box(stage, batch, head, rows, columns))
        return evaluation.block(stage, batch, head, rows, columns)


def _heads(trace: Trace, head: int | None) -> tuple[int, ...]:
    """Return (head,), or all heads for None. Raises PlaceError for a head that the problem does not have."""
    count = trace.problem.num_heads
    if head is None:
        return tuple(range(count))
    if not _is_whole(head):
        raise FieldTypeError(errors.NOT_WHOLE, field="head", got=repr(head))
    if not 0 <= head < count:
        raise PlaceError(errors.NO_HEAD, got=head, heads=count)
    return (head,)


def stage_texts(trace: Trace) -> Iterator[tuple[str, str]]:
    """Yield (stage, `batch 1 × row 12 × column 384`) of every stage."""
    for stage in trace.stages:
        sizes = zip(trace.axes(stage), trace.shape(stage), strict=True)
        yield stage, " × ".join(f"{axis} {size}" for axis, size in sizes)


def evaluation_in(source: object, call: str, stage: str) -> Evaluation:
    """Return the evaluation of a trace that has a stage. Raises FieldTypeError, with the right call, for others."""
    if isinstance(source, Trace):
        if source.evaluation.signed:
            raise FieldTypeError(errors.ONE_STATE, call=call)
        return reading(source.evaluation, stage)
    if isinstance(source, Evaluation):
        return reading(source, stage)
    known: dict[type, str] = {Problem: "compute(problem)", dict: "compute(Problem(**fields))"}
    right = known.get(type(source), "trace")
    raise FieldTypeError(
        errors.TAKES_TRACE, call=call, got=type(source).__name__, right=f"{call}({right}, stage, index)"
    )


def problem_in(source: object, call: str, rest: str = "") -> Problem:
    """Return the problem. Raises FieldTypeError, with the right call, where it is something else."""
    if isinstance(source, Problem):
        return source
    known: dict[type, str] = {Trace: "trace.problem", dict: "Problem(**fields)"}
    right = known.get(type(source), "problem")
    raise FieldTypeError(errors.TAKES_PROBLEM, call=call, got=type(source).__name__, right=f"{call}({right}{rest})")


def _is_whole(value: object) -> TypeGuard[int]:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def _is_cut(cut: object) -> bool:
    return (
        isinstance(cut, slice)
        and cut.step in (None, 1)
        and all(end is None or _is_whole(end) for end in (cut.start, cut.stop))
    )


def _as_cut(cut: object) -> str:
    """Return the slice that somebody who gave this probably meant."""
    if _is_whole(cut):
        return f"slice({whole_number(cut)}, {whole_number(cut) + 1})"
    return f"slice({cut.start}, {cut.stop})" if isinstance(cut, slice) and _is_cut(cut) else "slice(start, stop)"


def _check_size(stage: str, shape: tuple[int, ...], itemsize: int) -> None:
    """Raise ValueError for a stage that would not fit into one array."""
    size = prod(shape) * itemsize
    if size > KEEP:
        raise FieldError(errors.TOO_LARGE, stage=stage, size=f"{size / 2**30:.1f}")


def compute(problem: Problem) -> Trace:
    """Return every stage of a problem, in the order scores → scale → softcap → bias → mask → softmax(· / temperature).

    Shapes have the batch axis first: `trace["weights"]` is (batch, head, query, key), `trace["output"]` (batch, query,
    column). Of a long problem rows are computed when they are read.
    Raises FieldError (a ValueError) where no evaluation can hold the problem, FieldTypeError for what is no problem.
    Source: Vaswani et al. (2017), in the order of ONNX's Attention operator; each step names its own.
    """
    return Trace(evaluation_of(problem_in(problem, "compute")))
