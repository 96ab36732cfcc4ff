"""Explanation of a cell: its one-hop formula with the actual numbers, its terms, its inputs and its dependents."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

import numpy as np

from attn_gui.engine.arrays import Array, Box
from attn_gui.engine.chain.hand_node import ByHand
from attn_gui.engine.chain.node import Node, as_index, once, shown
from attn_gui.engine.chain.symbols import cell_latex, computed_name, plain_name, symbol
from attn_gui.engine.evaluation.dense import Evaluation
from attn_gui.engine.evaluation.trace import Trace, evaluation_in
from attn_gui.engine.graph import indices
from attn_gui.engine.graph.expressions.expression import Cell, Expression, Number, Product, Sum, subscripted
from attn_gui.engine.graph.expressions.functions import Evaluated, Function, Named, Quotient, named_parts
from attn_gui.engine.graph.facts import Role
from attn_gui.engine.graph.linear import Linear
from attn_gui.engine.graph.stage import Stage
from attn_gui.engine.scores import SCORES, Score

from .open_keys import closing_layer, seen_keys, sink_share
from .per_query import PerQuery, per_query
from .term import Term, Terms

__all__ = ["Explanation", "explain"]


class Explanation:
    """One cell explained, one hop back and one forward. It reads the evaluation: ask before the next update."""

    def __init__(self, evaluation: Evaluation, stage: str, index: Sequence[int]) -> None:
        self._evaluation, self._fetch = evaluation, once(evaluation.fetch)
        self.stage, self.index = stage, as_index(evaluation.node(stage), index)
        self._node = evaluation.node_at(stage, self.index)
        self.by_hand = self._node.steps_at(self.index)  # the interventions that change the cell, in order
        self.value = float(evaluation.box(stage, indices.cell(self.index)).item())

    def __repr__(self) -> str:
        return f"Explanation({self.stage!r}, {self.index}, value={self.value!r}, {len(self.terms)} terms)"

    # --- the formula -----------------------------------------------------------------------------
    @cached_property
    def expression(self) -> Expression:
        """The formula as a tree whose leaves are cells; its value is the cell's, to rounding."""
        with np.errstate(all="ignore"):
            if self._plays(Role.SCALE):
                return self._scaled()
            if isinstance(self._node.stage, Linear) and self._node.stage.over_keys:
                return self._open_sum()
            return self._node.explain(self.index, self._fetch)

    def _scaled(self) -> Expression:
        """The scale is explained together with a dot product, as it is taught; other scores are one cell."""
        problem = self._evaluation.problem
        inner = self._node.explain(self.index, self._fetch).parts[0]
        if self.folds:
            cells = self.terms[0].cells if len(self.terms) else ()
            symbols = r" \cdot ".join(subscripted(cell_latex(cell.name), [str(cell.shown[0])]) for cell in cells)
            products = self._dot.explain(self.index, self._fetch)
            inner = Evaluated(products, symbols)
        if problem.scale is None and self._score.root_scale:
            return Quotient(inner, Evaluated(Function("sqrt", Number(problem.d_k)), rf"\sqrt{{{problem.d_k}}}"))
        scale = problem.effective_scale
        return inner if scale == 1 else Product(Number(scale), inner)

    def _open_sum(self) -> Expression:
        """The products of the keys that are seen: another one adds nothing, whatever stands behind it."""
        every, terms = self._node.explain(self.index, self._fetch), self.terms

        def product(place: int) -> Expression:
            term = terms[place]
            wild = term.value == 0 and not np.isfinite([cell.value for cell in term.cells]).all()
            return Number(0.0) if wild else Product(*term.cells)

        return Sum(len(terms), product, terms.values, every.symbols if isinstance(every, Sum) else None)

    @property
    def entry(self) -> Stage:
        """The stage that makes the cell."""
        return self._node.stage

    @property
    def read(self) -> tuple[str, ...]:
        """The stages and fields that the stage reads, by name."""
        read = zip(self._node.inputs, self._node.fields, strict=True)
        return tuple(field for ref, field in read if not ref.optional)

    @property
    def _score(self) -> Score:
        return SCORES[self._evaluation.problem.score]

    @property
    def _dot(self) -> Node:
        return self._evaluation.node_at(self._evaluation.scores, self.index)

    @property
    def folds(self) -> bool:
        """Whether a scaled score is explained by the products of its score."""
        return self._score.dot and not self._dot.steps_at(self.index)

    def _plays(self, role: Role) -> bool:
        """Whether the cell is what the stage of this part computes, not what was done to it by hand."""
        return self._evaluation.part(role) == plain_name(self.stage) and not self.by_hand

    @cached_property
    def computed(self) -> Explanation | None:
        """The explanation of the cell as it would be without its interventions; None where it has none."""
        return Explanation(self._evaluation, computed_name(self.stage), self.index) if self.by_hand else None

    @cached_property
    def terms(self) -> Terms:
        """The addends: for weights one a key that may be seen, for scaled dot products those of the dot product."""
        node = self._dot if self._plays(Role.SCALE) and self.folds else self._node
        if node.stage.alias and node.inputs[0].name in self._evaluation.sources:
            return Terms(())
        with np.errstate(all="ignore"):
            found = node.addends(self.index, self._fetch)
        return Terms(found, self._seen if self._node.stage.over_keys else None)

    @cached_property
    def _seen(self) -> Array:
        """Flags of the keys that the query of this cell sees."""
        return seen_keys(self._evaluation, self._fetch, self.index)

    @cached_property
    def parts(self) -> dict[str, Expression]:
        """Parts of the formula with a name of their own: Z, max, mu, var."""
        found: dict[str, Expression] = {named.name: named.part for named in self._named}
        return found | ({} if self.computed is None else {"computed": Number(self.computed.value)})

    @cached_property
    def _named(self) -> list[Named]:
        """Named parts, each before those in its own formula: Z before the max that it contains."""
        return sorted(named_parts(self.expression).values(), key=lambda named: -len(named_parts(named.part)))

    def expand(self, cell: Cell) -> Explanation | None:
        """One hop further: the explanation of a cell of a stage; None for a number of the problem itself."""
        known = self._evaluation.explains(cell.name)
        return Explanation(self._evaluation, cell.name, cell.index) if known else None

    # --- the surroundings ------------------------------------------------------------------------
    @cached_property
    def sources(self) -> tuple[Cell, ...]:
        """Every cell that the value is computed from: cells of stages and of the problem's fields."""
        return self._sources(self.terms)

    def some_sources(self, most: int) -> tuple[Cell, ...]:
        """`sources`; of more terms than `most` those of the first, the last and the one of the cell's own key."""
        count = len(self.terms)
        if count <= most:
            return self.sources
        places = {0, 1, count - 1}
        if self._node.stage.shares and (own := self.terms.place_of(self.index[-1])) is not None:
            places.add(own)
        return self._sources([self.terms[place] for place in sorted(places)])

    def _sources(self, terms: Iterable[Term]) -> tuple[Cell, ...]:
        problem = self._evaluation.problem
        fields = problem.arrays().keys() | problem.scalars().keys()
        if problem.scale is None:
            fields -= {"scale"}
        if self._given:
            return ()
        known = fields | {node.name for node in self._evaluation.nodes if not node.stage.hidden}
        known |= {self._node.computed} if isinstance(self._node, ByHand) else set()
        cells = [cell for term in terms for cell in term.cells]
        if not self._node.stage.shares and not isinstance(self._node.stage, Linear):  # its terms are all it reads
            cells += self.expression.cells()
        if self._plays(Role.CLOSE):
            cells += self._mask_cells()
        for ref, field in zip(self._node.inputs, self._node.fields, strict=True):
            if not ref.axes and not ref.optional and not self.by_hand:
                value = float(self._fetch(ref.name, ()))
                cells.append(Cell(field, (), value, cell_latex(field)))
        return tuple(cell for cell in dict.fromkeys(cells) if cell.name in known)

    @property
    def _given(self) -> bool:
        return self._node.stage.alias and self._node.inputs[0].name in self._evaluation.sources

    def _mask_cells(self) -> list[Cell]:
        allowed = next(node for node in self._evaluation.nodes if node.name == "allowed")
        return [cell for term in Terms(allowed.addends(self.index, self._fetch)) for cell in term.cells]

    @cached_property
    def reaches(self) -> tuple[tuple[str, Box], ...]:
        """Cells one hop on that a change of this cell changes: boxes of the next stages."""
        found = []
        for node in self._evaluation.nodes:
            for k, ref in enumerate(node.inputs):
                if ref.name == self.stage:
                    boxes = node.affected(k, indices.cell(self.index), self._fetch)
                    found += [(node.name, box) for box in boxes]
        return tuple(found)

    @cached_property
    def closed_by(self) -> int | None:
        """The position of the first mask layer that closes the cell of a map behind the mask."""
        return closing_layer(self._evaluation, self._node, self.index)

    @property
    def _notes(self) -> list[str]:
        """The layer that closes the cell, where one does."""
        at = self.closed_by
        return [] if at is None else [f"closed by mask {at} ({self._evaluation.problem.mask[at].kind})"]

    @cached_property
    def rank(self) -> int:
        """1 for the largest of its row; equals share a rank."""
        return 1 + int((self._row > self._row[self.index[-1]]).sum())

    @cached_property
    def equals(self) -> int:
        """Count of cells of its row that are as large as this one, itself included; of keys that are seen."""
        return int((self._seen & (self._row == self._row[self.index[-1]])).sum())

    @property
    def sink_share(self) -> float:
        """The share of the row of a weight that the sink of its head takes."""
        return sink_share(self._evaluation, self._fetch, self.index)

    @cached_property
    def _row(self) -> Array:
        """The row of the cell, read once: a part may differ from the whole by its last digit."""
        return self._evaluation.box(self.stage, (*indices.cell(self.index[:-1]), slice(None))).reshape(-1)

    # --- written ---------------------------------------------------------------------------------
    @property
    def _left(self) -> str:
        return subscripted(cell_latex(self.stage), [str(k) for k in shown(self._node.axes, self.index)])

    @cached_property
    def symbols_latex(self) -> str:
        """`a_{10,13} = …` with names; the name alone for a number that is given."""
        if self._given or (isinstance(self.expression, Number) and not isinstance(self.expression, Cell)):
            return self._left
        cell, joins = self.expression, self._node.stage.joined and self._node.stage.heads
        if joins and isinstance(cell, Cell) and len(cell.index) > len(self.index):  # of a head, not of a hand
            return f"{self._left} = {subscripted(f'o^{{({cell.index[1]})}}', [str(k) for k in cell.shown])}"
        return f"{self._left} = {self.expression.write('symbols')}"

    @cached_property
    def numbers_latex(self) -> str:
        """Right side of the equation with the actual numbers; empty where it would only repeat the value."""
        written = "" if self._given else self.expression.write("latex")
        return "" if isinstance(self.expression, (Number, Evaluated)) or written == self.value_latex else written

    @cached_property
    def value_latex(self) -> str:
        return Number(self.value).write("latex")

    @cached_property
    def parts_latex(self) -> tuple[str, ...]:
        """`Z = … = 1.6367`, `max = 4.885`."""
        found = tuple(named.equation() for named in self._named)
        return found if self.computed is None else (*found, f"{self.computed._left} = {self.computed.value_latex}")

    @cached_property
    def latex(self) -> str:
        """The whole chain and its parts, to be copied."""
        sides = [side for side in (self.symbols_latex, self.numbers_latex, self.value_latex) if side]
        return r", \quad ".join([" = ".join(sides), *self.parts_latex, *(rf"\text{{{note}}}" for note in self._notes)])

    @cached_property
    def text(self) -> str:
        """Plain text with every digit: evaluating it gives the cell, to rounding."""
        place = f"{symbol(self.stage)}[{', '.join(map(str, self.index))}]"
        parts = [f"{name} = {part.write('text')}" for name, part in self.parts.items()]
        cell = "  # ".join([self.expression.write("text"), *self._notes])
        return "\n".join([f"{place} = {cell}", f"= {self.value!r}", *parts])

    # --- per query -------------------------------------------------------------------------------
    @cached_property
    def per_query(self) -> PerQuery | None:
        """The one equation with Z from the scores to this cell: of a weight, or of one head's sum over the keys."""
        return per_query(self._evaluation, self.stage, self.index, self.value)

    @property
    def query_text(self) -> str:
        """The equation as plain text, with every digit; empty where there is none."""
        return "" if self.per_query is None else self.per_query.text

    @property
    def query_latex(self) -> str:
        """The equation in LaTeX, long sums shortened; empty where there is none."""
        return "" if self.per_query is None else self.per_query.latex


def explain(source: Trace | Evaluation, stage: str, index: Sequence[int]) -> Explanation:
    """The explanation of one cell of any stage; `index` has one integer per axis of its shape, batch included.

    The index lies within the stage's shape. The expression differs from the cell by at most 8 ε Σ|terms|, ε being that
    of the problem's dtype; of a long problem in float32 by more from the results of heads on, summed in float32.
    Raises StageError (a KeyError) or PlaceError (an IndexError).
    Source: the formulas are those of the stages; the bound is Higham, "Accuracy and Stability" (2002), §4.2.
    """
    return Explanation(evaluation_in(source, "explain", stage), stage, index)
