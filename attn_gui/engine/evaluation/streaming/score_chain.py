"""The part of a chain that has both a query and a key axis: from Q and K to what softmax reads, by boxes."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.lib.stride_tricks import as_strided

from attn_gui.engine.arrays import Array, Box
from attn_gui.engine.chain.node import Node
from attn_gui.engine.chain.symbols import computed_name, plain_name
from attn_gui.engine.evaluation.dense import Evaluation
from attn_gui.engine.graph import indices
from attn_gui.engine.graph.facts import Role
from attn_gui.engine.graph.indices import Reference
from attn_gui.engine.graph.sources import Positions, Readable
from attn_gui.engine.problem import sentences
from attn_gui.engine.problem.errors import FieldError
from attn_gui.engine.problem.problem import Problem
from attn_gui.engine.scores import SCORES

HEAVIEST = 1 << 38  # steps of a score that is no dot product, for all cells
Given = Mapping[str, Callable[[Box], Array]]
Layers = Mapping[str, Readable]
NOTHING: Given = {}
AS_THEY_ARE: Layers = {}


def check_work(problem: Problem) -> None:
    """Raise FieldError for a score that cannot be computed by rows at this size."""
    width = SCORES[problem.score].work(problem.score_params, problem.d_k)
    cells = int(np.prod(problem.map_shape, dtype=object))
    if cells * width > HEAVIEST:
        raise FieldError(sentences.TOO_LONG, score=problem.score, n=problem.n, m=problem.m, heads=problem.num_heads)


class Chain:
    """The maps of one evaluation. It reads the evaluation each time, so it is right before and after an edit."""

    def __init__(self, evaluation: Evaluation) -> None:
        self._evaluation = evaluation
        self.lay_out()

    def lay_out(self) -> None:
        """Take up the chain as it is now."""
        evaluation = self._evaluation
        self.nodes = {node.name: node for node in evaluation.nodes}
        stages = evaluation.scores, evaluation.weights, evaluation.mixed
        self.scores, self.softmax, self.mixing = map(self._computing, stages)
        self.weights, self.mixed = evaluation.weights, evaluation.mixed
        self.maps = {
            node.name
            for node in evaluation.nodes
            if {"i", "j"} <= set(node.left) and plain_name(node.name) != self.weights
        }
        self.order = [name for name in evaluation.stages if name in self.maps]
        self.logits_name = self.softmax.inputs[0].name
        self.query, self.key = self._side("i"), self._side("j")
        self.value = self.mixing.inputs[1].name
        biased = evaluation.part(Role.BIAS)
        self.added = self._computing(biased).inputs[1:] if biased is not None else ()
        closing = evaluation.part(Role.CLOSE)
        self.mask = self._computing(closing) if closing is not None else None
        self.gates = self.nodes["allowed"].inputs if "allowed" in self.nodes else ()
        problem = evaluation.problem
        self.shape = problem.map_shape
        self.group = problem.num_heads // problem.num_kv_heads

    def _computing(self, stage: str) -> Node:
        """The node that computes a stage, whatever is then changed by hand."""
        return self.nodes.get(computed_name(stage), self.nodes[stage])

    def _side(self, letter: str) -> str | None:
        return next((ref.name for ref in self.scores.inputs if letter in ref.axes), None)

    @property
    def scale(self) -> float:
        return self._evaluation.problem.effective_scale

    @property
    def softcap(self) -> float | None:
        return self._evaluation.problem.softcap

    def sink(self, head: int) -> float | None:
        """The logit of a head that has no key, where there is one."""
        sink = self._evaluation.problem.sink
        return None if sink is None else float(sink[head])

    @property
    def temperature(self) -> float:
        return self._evaluation.problem.temperature or 1.0

    # --- through the stages ----------------------------------------------------------------------
    def logits(self, box: Box, given: Given = NOTHING) -> Array:
        """The logits that softmax reads, as float64, by the stages themselves; `given` replaces sources or Q and K."""
        return self._fetched(given)(self.logits_name, box)

    def _fetched(self, given: Given) -> Callable[[str, Box], Array]:
        def fetch(name: str, box: Box) -> Array:
            if name in given:
                return given[name](box)
            if not given or name not in self.maps:
                return self._evaluation.fetch(name, box)
            outer, array = self.nodes[name].compute(box, fetch)
            return array[indices.within(box, outer)]

        return fetch

    def whole_weights(self, box: Box, logits: Array) -> Array:
        """Rows of weights as float64, with what is changed by hand, by the stages: no kept row is read."""

        def fetch(name: str, part: Box) -> Array:
            if name == self.logits_name and part == box:
                return logits
            if name != self.softmax.name:
                return self._evaluation.fetch(name, part)
            outer, array = self.softmax.compute(part, fetch)
            return array[indices.within(part, outer)]

        node = self.nodes[self.weights]
        return fetch(node.name, box) if node is self.softmax else node.compute(box, fetch)[1]

    def shares(self, box: Box, logits: Array) -> Array:
        """Softmax of whole rows of logits, whatever is then changed by hand."""

        def fetch(name: str, part: Box) -> Array:
            return logits if name == self.logits_name else self._evaluation.fetch(name, part)

        return self.softmax.compute(box, fetch)[1]

    # --- mask layers -----------------------------------------------------------------------------
    def has_rows(self, ref: Reference) -> bool:
        """Whether a layer differs from query to query."""
        return "i" in ref.axes

    def cells(self, ref: Reference, place: Box, layers: Layers = AS_THEY_ARE) -> Array:
        """One layer at a box of one head, to be broadcast to its rows and columns, in its own dtype."""
        ranges = {letter: (cut.start, cut.stop) for letter, cut in zip("bhij", place, strict=True)}
        readable = layers[ref.name] if ref.name in layers else self._evaluation.sources[ref.name].cells
        if isinstance(readable, Positions) and readable.layer.diagonal:
            return _diagonals(readable, place)
        cells = np.asarray(readable[indices.box_of(ref.axes, ranges, self.softmax.sizes)])
        return cells.reshape(cells.shape[-2:])

    def allowed(self, place: Box, layers: Layers = AS_THEY_ARE) -> Array | None:
        """The open cells of a box of one head, as booleans; None where no layer closes any."""
        found = None
        for ref in self.gates:
            cells = self.cells(ref, place, layers)
            found = cells if found is None else found & cells
        return found


def _diagonals(rule: Positions, place: Box) -> Array:
    """A rule that is the same along every diagonal: one row of it, a little longer, shifted for all the others."""
    _, heads, rows, keys = place
    count = rows.stop - rows.start
    row = np.array([[[rows.stop - 1]]]), np.arange(keys.start, keys.stop + count - 1)[None, None]
    spot = (np.array([[[heads.start]]]), *row) if len(rule.shape) == 3 else tuple(part[0] for part in row)
    line = np.ascontiguousarray(rule.layer.at(spot, rule.sizes)).reshape(-1)
    step = line.strides[0]
    return as_strided(line[count - 1 :], (count, keys.stop - keys.start), (-step, step), writeable=False)
