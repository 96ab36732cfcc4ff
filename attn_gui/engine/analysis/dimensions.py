"""Shapes of every step with their symbols, n × d_k · d_k × m → n × m."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from types import MappingProxyType
from typing import NamedTuple

from attn_gui.engine.evaluation.evaluation import Evaluation
from attn_gui.engine.graph.indices import Axes
from attn_gui.engine.graph.nodes import Node
from attn_gui.engine.graph.stage import LinearStage, Role
from attn_gui.engine.graph.symbols_and_titles import COMPUTED, plain_name
from attn_gui.engine.problem import Problem

Symbols = tuple[str, ...]  # symbols that are multiplied: ("h", "d_k") are all columns of Q

HEAD_LETTERS = "hgr"
FIELDS: Mapping[str, tuple[Symbols, Symbols]] = MappingProxyType(
    {
        "x": (("n",), ("d_model",)),
        "context": (("m",), ("d_context",)),
        "w_query": (("d_model",), ("h", "d_k")),
        "w_key": (("d_context",), ("h_kv", "d_k")),
        "w_value": (("d_context",), ("h_kv", "d_v")),
        "w_output": (("h", "d_v"), ("d_out",)),
        "block.w_linear": (("d_model",), ()),
        "block.w_up": (("d_model",), ("d_ff",)),
        "block.w_gate": (("d_model",), ("d_ff",)),
        "block.w_down": (("d_ff",), ("d_model",)),
        "query": (("n",), ("h", "d_k")),
        "key": (("m",), ("h_kv", "d_k")),
        "value": (("m",), ("h_kv", "d_v")),
    }
)
"""Rows and columns of the matrices that a problem is given."""

Inputs = Sequence[tuple[str, Axes]]  # what a stage reads: a stage or a field, and the letters of its axes


class Dimension(NamedTuple):
    """The length of an axis and its symbol, which is the number itself where there is no symbol."""

    symbol: str
    size: int


Dims = tuple[Dimension, ...]


class StepOperand(NamedTuple):
    """A matrix that a step reads, a stage or a dotted field, with its dimensions."""

    name: str
    dims: Dims


class DimensionStep(NamedTuple):
    """A stage: the operands that it is computed from, its own dimensions, and what else it reads.

    Operands are in the order of a product where the stage is one. `per_head`: the step is done once for each head.
    """

    stage: str
    operands: tuple[StepOperand, ...]
    product: bool
    result: Dims
    sides: Mapping[str, Dims]
    per_head: bool

    def shape(self, *, symbols: bool) -> str:
        """Return `n × d_k · d_k × m → n × m`, in symbols or in numbers."""
        result = written(self.result, symbols=symbols)
        before = (" · " if self.product else ", ").join(written(one.dims, symbols=symbols) for one in self.operands)
        return result if before in ("", result) else f"{before} → {result}"


def written(dims: Dims, *, symbols: bool) -> str:
    """Return dimensions as a text."""
    return " × ".join(dim.symbol if symbols else str(dim.size) for dim in dims)


def counts_of(problem: Problem) -> dict[str, int]:
    """Return {symbol: number} of all symbols in the shapes of a problem."""
    found = {"B": problem.batch_size} if problem.batch_size > 1 else {}
    found |= {"n": problem.n, "m": problem.m, "d_k": problem.d_k, "d_v": problem.d_v}
    if problem.num_heads > 1:
        found["h"] = problem.num_heads
    if problem.num_kv_heads != problem.num_heads:
        found["h_kv"] = problem.num_kv_heads
    if problem.projected:
        found["d_model"] = problem.queries.shape[-1]
    if problem.context is not None:
        found["d_context"] = problem.context.shape[-1]
    if problem.w_output is not None and not (problem.block is not None and problem.projected):
        found["d_out"] = problem.w_output.shape[-1]
    return found | ({"d_ff": problem.d_ff} if problem.d_ff else {})


def steps_of(evaluation: Evaluation) -> tuple[DimensionStep, ...]:
    """Return the steps of a problem that are shown, in order."""
    made = {plain_name(node.name): node for node in evaluation.nodes if node.name.startswith(COMPUTED)}
    shown = [made.get(node.name, node) for node in evaluation.nodes if not node.stage.hidden]
    return tuple(_Step(evaluation, node).step() for node in shown)


class _Step:
    """One node, with the symbols of its axes."""

    def __init__(self, evaluation: Evaluation, node: Node) -> None:
        self.evaluation, self.node, self.problem = evaluation, node, evaluation.problem
        self.counts = counts_of(evaluation.problem)

    def step(self) -> DimensionStep:
        node = self.node
        inputs = zip(node.inputs, node.fields, strict=True)
        read = [(plain_name(field), ref.axes) for ref, field in inputs if field and not ref.optional]
        product = self._is_product(read)
        count = 2 if product or self._compares(read) else 0 if node.stage.alias else 1
        taken = [(name, axes) for name, axes in read if self._is_matrix(axes)][:count]
        dims = [self._dims(name, axes) for name, axes in taken]
        if product and taken[0][1][-1][-1] == taken[1][1][-1][-1]:  # both end with what is summed: one is transposed
            dims[1] = (*dims[1][:-2], dims[1][-1], dims[1][-2])
        operands = tuple(StepOperand(name, found) for (name, _), found in zip(taken, dims, strict=True))
        own = plain_name(node.name)
        result = self._dims(own, node.axes)
        beside = dict(read).keys() - {own, *(name for name, _ in taken)}
        sides = {name: self._side(name, axes, result) for name, axes in read if name in beside}
        return DimensionStep(own, operands, product, result, sides, node.stage.per_head)

    def _is_product(self, read: Inputs) -> bool:
        """Return whether the stage is a product of two matrices."""
        stage = self.node.stage
        return isinstance(stage, LinearStage) and stage.counts[0] == 2 and self._is_matrix(read[1][1])

    def _compares(self, read: Inputs) -> bool:
        """Return whether the stage has a number for each pair of query and key, computed from one row of each."""
        return self.node.stage.square and len(read) > 1 and all(self._is_row(name) for name, _ in read[:2])

    def _side(self, field: str, axes: Axes, result: Dims) -> Dims:
        """Return the dimensions of another array that is read; an axis of the result has the same symbol here."""
        array = self.problem.arrays().get(field)
        if array is None or not array.ndim:
            return ()
        kept = [letters for letters in self.node.axes if letters not in ("b", *HEAD_LETTERS)]
        known = {"b": Dimension("B", self.counts.get("B", 0)), HEAD_LETTERS[0]: Dimension("h", self.counts.get("h", 0))}
        for letters, dim in zip(kept[-2:], result[-2:], strict=True):
            own = dim.symbol.split("·")[-1]  # of one head
            known[letters.strip(HEAD_LETTERS)] = Dimension(own, self.counts.get(own, dim.size))
            known[letters] = dim
        found = (known.get(letters) for letters in axes[-array.ndim :])
        sized = zip(found, array.shape, strict=True)
        return tuple(dim if dim is not None and dim.size == size else Dimension(str(size), size) for dim, size in sized)

    def _is_row(self, name: str) -> bool:
        return name in self.evaluation.stages and self.evaluation.node(name).stage.input_side

    def _is_matrix(self, axes: Axes) -> bool:
        return sum(letters not in ("b", *HEAD_LETTERS) for letters in axes) > 1

    def _dims(self, name: str, axes: Axes) -> Dims:
        """Return the dimensions of a matrix as the stage reads or writes it: of one head where it is done by heads."""
        sizes, one_head = self.node.sizes, self.node.stage.per_head
        rows, columns = self._symbols(name)
        kept = [letters for letters in axes if letters not in ("b", *HEAD_LETTERS)]
        found = []
        for letters, symbols in zip(kept[-2:], (rows, columns), strict=True):
            if one_head:
                letters = "".join(letter for letter in letters if letter not in HEAD_LETTERS)
                symbols = symbols[-1:]
            found.append(self._dim(prod(sizes[letter] for letter in letters), symbols))
        batch = [Dimension("B", self.problem.batch_size)] if "b" in axes and self.problem.batch_size > 1 else []
        return (*batch, *found)

    def _dim(self, size: int, symbols: Symbols) -> Dimension:
        """Return a length with its symbol, or with its number where the symbols stand for another one."""
        other = {"h_kv": "h", "d_context": "d_model", "d_out": "d_model"}
        symbols = tuple(other.get(one, one) if one not in self.counts else one for one in symbols)
        seen = [one for one in symbols if one in self.counts]
        fits = prod(self.counts[one] for one in seen) == size and bool(seen)
        return Dimension("·".join(seen) if fits else str(size), size)

    def _symbols(self, name: str) -> tuple[Symbols, Symbols]:
        """Return the symbols of rows and columns of a field, or of a stage by its axes."""
        if name in FIELDS and name not in self.evaluation.stages:
            rows, columns = FIELDS[name]
            return ("m",) if rows == ("n",) and self.node.stage.by_key else rows, columns
        stage = self.evaluation.node(name).stage if name in self.evaluation.stages else self.node.stage
        if stage.square:
            return ("n",), ("m",)
        if stage.per_head:
            return ("n",), ("d_v",)
        if stage.input_side:
            by_key = stage.by_key or self.node.stage.by_key  # the normalized X of a block is the keys' sequence, too
            return ("m" if by_key else "n",), self._columns(stage.heads, transposed=stage.transposed)
        if stage.target.axes[-1] == "f":
            return ("n",), ("d_ff",)
        return ("n",), self._out(stage.role)

    def _columns(self, heads: str, *, transposed: bool) -> Symbols:
        """Return the symbols of the columns of Q, K or V; the sequence itself has no heads."""
        if not heads:
            return ("d_model",)
        if heads == HEAD_LETTERS[0]:
            return ("h", "d_k")
        return ("h_kv", "d_k") if transposed else ("h_kv", "d_v")

    def _out(self, role: Role | None) -> Symbols:
        """Return the symbols of the columns from the joined heads on."""
        if role is Role.JOIN or self.problem.w_output is None:
            return "h", "d_v"
        return ("d_model",) if self.problem.block is not None and self.problem.projected else ("d_out",)
