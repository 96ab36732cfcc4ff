"""Explanation of a cell: formula in numbers, terms, one equation from its query's scores; as text for Python, as LaTeX.

`explain` gives an `Explanation`, which asks the cell's node for its formula as a tree (`graph/expressions.py`) and for
its addends (`Terms`), and has the tree written with so many digits that the printed numbers give the printed result
(`graph/printed_digits.py`). `PerQuery` is another equation of a weight or an output: one sum over the keys, from the
scores of its query.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import NamedTuple, overload

import numpy as np

from attn_gui.engine.analysis.mask_lint import closing_layer, seen_keys, sink_share
from attn_gui.engine.arrays import Array, Box
from attn_gui.engine.evaluation.evaluation import Evaluation
from attn_gui.engine.evaluation.trace import Trace, evaluation_in
from attn_gui.engine.graph import indices
from attn_gui.engine.graph.expressions import (
    Addends,
    Cell,
    Evaluated,
    Expression,
    Function,
    Leaves,
    Named,
    Number,
    Printed,
    Product,
    Quotient,
    Signs,
    Sum,
    add,
    add_formula,
    chain_of,
    equal_sides,
    formula_latex,
    latex_number,
    named_parts,
    subscripted,
)
from attn_gui.engine.graph.indices import cell
from attn_gui.engine.graph.intervention_nodes import InterventionNode
from attn_gui.engine.graph.nodes import Node, as_index, once, shown
from attn_gui.engine.graph.printed_digits import PrintedNumbers, Style, short_number
from attn_gui.engine.graph.stage import LinearStage, Role, Stage
from attn_gui.engine.graph.symbols_and_titles import cell_latex, computed_name, plain_name, symbol
from attn_gui.engine.masks import Layer
from attn_gui.engine.normalizers import NORMALIZERS
from attn_gui.engine.problem import Problem
from attn_gui.engine.scores import SCORES, Score
from attn_gui.engine.stages import STAGE

QueryPlace = tuple[int, int, int]  # batch, head, query


def _exponent(evaluation: Evaluation, row: str, key: str, signs: Signs) -> str:
    problem = evaluation.problem
    q, k = (signs.cell(evaluation.latest[name], index) for name, index in (("query", row), ("key", key)))
    score = SCORES[problem.score].exponent(q, k, problem.score_params, signs)
    text = _scaled(problem, score, signs)
    if problem.softcap is not None:
        cap = signs.number(problem.softcap)
        text = f"{cap} {signs.tanh}{signs.inside(f'{text} / {cap}')}"
    added = [
        signs.cell(layer.field(k), f"{row},{key}")
        for k, layer in enumerate(problem.mask)
        if layer.enabled and layer.adds
    ]
    return _over_temperature(problem, " + ".join([text, *added]), signs, plain=not added)


def _over_temperature(problem: Problem, text: str, signs: Signs, *, plain: bool) -> str:
    if problem.temperature is None:
        return text
    return f"{text if plain else signs.inside(text)} / {signs.number(problem.temperature)}"


def _scaled(problem: Problem, score: str, signs: Signs) -> str:
    """Return a score times the scale, as a product or a quotient: it can be divided as it is."""
    entry = SCORES[problem.score]
    if not entry.looks:
        return score
    if entry.root_scale and problem.scale is None:
        return f"{score} / {signs.root % problem.d_k}"
    scale = problem.effective_scale
    return score if scale == 1 else f"{signs.number(scale)}{signs.times}{signs.inside(score)}"


# --- two ways of writing -------------------------------------------------------------------------
def _cell_latex(name: str, indices: str) -> str:
    return f"{cell_latex(name)}_{{{indices}}}"


def _cell_text(name: str, indices: str) -> str:
    position = Layer.position_of(name)
    return f"{symbol(name)}{'' if position is None else position}[{indices.replace(',', ', ')}]"


def _number_latex(value: float) -> str:
    exact = f"{value:g}"
    return exact if float(exact) == value and "e" not in exact else latex_number(short_number(value))


def _number_text(value: float) -> str:
    return f"{value:g}" if float(f"{value:g}") == value else repr(value)


LATEX = Signs(
    _cell_latex,
    _number_latex,
    brackets=r"\left(%s\right)",
    length=r"\|%s\|",
    dot=r" \cdot ",
    times=r"\,",
    minus="-",
    tanh=r"\tanh",
    root=r"\sqrt{%d}",
    square="^{2}",
)
TEXT = Signs(
    _cell_text,
    _number_text,
    brackets="(%s)",
    length="‖%s‖",
    dot="·",
    times=" ",
    minus="−",
    tanh="tanh",
    root="√%d",
    square="²",
)


# --- one equation for a query ---------------------------------------------------------------------
# Softmax attention as one sum over the keys, o = 1/Z Σ e^(q·k/√d_k) v with Z = Σ e^(q·k/√d_k), as in Nadaraya-Watson
# regression (Watson, 1964) and in equation 1 of Tsai et al., "Transformer Dissection" (2019). The maximum that the
# computation takes off first cancels out here.
class PerQuery:
    """The equation of one weight, or of one cell of a head's output, from the scores of its query.

    `sides_latex` are its sides (symbols, numbers, value), `total_sides_latex` those of Z, the denominator. Closed keys
    are left out; a row without an open key is 0 and has no Z. Where e^x leaves the range of numbers, Z is not
    evaluated.
    """

    def __init__(self, evaluation: Evaluation, stage: str, index: tuple[int, ...], value: float) -> None:
        self._evaluation, self._stage, self._index, self._value = evaluation, stage, index, value
        self._place, self._key, self._column = _place(evaluation, stage, index)

    # --- the numbers -----------------------------------------------------------------------------
    @cached_property
    def _row(self) -> tuple[str, Array]:
        """The input of the softmax: (stage, the row of this query)."""
        name = self._evaluation.logits
        assert name is not None, "given weights have no such equation"
        row = self._evaluation.fetch(name, (*cell(self._place), slice(0, self._evaluation.problem.m)))
        return name, np.array(row[0, 0, 0])

    @cached_property
    def _keys(self) -> Array:
        """The keys that have a part in the sum."""
        return np.flatnonzero(~np.isneginf(self._row[1]))

    @cached_property
    def _exp_scores(self) -> Array:
        """e^x for each of these keys."""
        temperature = self._evaluation.problem.temperature or 1.0
        with np.errstate(all="ignore"):
            return np.asarray(np.exp(self._row[1][self._keys] / temperature))

    def _exp_score(self, key: int) -> Expression:
        name, row = self._row
        return self._powered(Cell(name, (*self._place, key), float(row[key]), cell_latex(name), (self._place[2], key)))

    def _powered(self, logit: Expression) -> Expression:
        """Return e^x of a logit over the temperature."""
        temperature = self._evaluation.problem.temperature
        return Function("exp", logit if temperature is None else Quotient(logit, Number(temperature), inline=True))

    @cached_property
    def _denominator(self) -> Named:
        keys = self._keys
        total: Expression = Sum(len(keys), lambda k: self._exp_score(int(keys[k])), self._exp_scores)
        return _Denominator("Z", "Z", total if self._sink is None else add(total, self._powered(self._sink)))

    @cached_property
    def _sink(self) -> Cell | None:
        """The sink of the head, a logit without a key."""
        sink, head = self._evaluation.problem.sink, self._place[1]
        return None if sink is None else Cell("sink", (head,), float(sink[head]), cell_latex("sink"), ())

    @cached_property
    def expression(self) -> Expression:
        """The equation as a tree; its value is the cell's, to rounding, unless e^x overflows."""
        if not self._keys.size or (self._key is not None and self._key not in self._keys):
            return Number(0.0)
        front = Quotient(Number(1.0), self._denominator)
        return Product(front, self._exp_score(self._key) if self._key is not None else self._mixed())

    def _mixed(self) -> Sum:
        problem, batch = self._evaluation.problem, self._place[0]
        column = self._flat_column
        box = (slice(batch, batch + 1), slice(0, problem.m), slice(column, column + 1))
        values = self._evaluation.fetch("value", box)[0, self._keys, 0]
        counts = np.isfinite(values) | (self._weights != 0)  # a zero weight holds NaN and infinity back
        keys, values, exp_scores = self._keys[counts], values[counts], self._exp_scores[counts]

        letter = cell_latex("value")

        def term(k: int) -> Expression:
            key = int(keys[k])
            cell = Cell("value", (batch, key, column), float(values[k]), letter, (key, column))
            return Product(self._exp_score(key), cell)

        with np.errstate(all="ignore"):
            return Sum(len(keys), term, exp_scores * values)

    @cached_property
    def _weights(self) -> Array:
        box = (*cell(self._place), slice(0, self._evaluation.problem.m))
        row = self._evaluation.fetch(self._evaluation.weights, box)
        return np.asarray(row[0, 0, 0, self._keys])

    @property
    def _empty(self) -> bool:
        return isinstance(self.expression, Number)

    # --- LaTeX -----------------------------------------------------------------------------------
    @property
    def symbols_latex(self) -> str:
        """`o_{10,5} = \\frac{1}{Z} \\sum_j e^{q_{10} \\cdot k_j / 8}\\,v_{j,5}`; the left side alone for a 0."""
        stage, axes = self._stage, STAGE[self._stage].target.axes
        left = subscripted(cell_latex(stage), [str(k) for k in shown(axes, self._index)])
        if self._empty:
            return left
        if self._key is not None:
            return rf"{left} = \frac{{1}}{{Z}}\,e^{{{self._exponent(str(self._key), LATEX)}}}"
        value = subscripted(cell_latex("value"), ["j", str(self._flat_column)])
        return rf"{left} = \frac{{1}}{{Z}} {self._sum_latex}\,{value}"

    @cached_property
    def _printed(self) -> PrintedNumbers:
        """The printed numbers, with as many digits as the printed values need."""
        printed = PrintedNumbers()
        add_formula(printed, self.expression, self._value)
        if not self._empty and _written(self._denominator.value):
            add_formula(printed, self._denominator.part, self._denominator.value)
        printed.settle()
        return printed

    @property
    def sides_latex(self) -> tuple[str, ...]:
        """The sides of the equation: symbols, numbers, value; ≈ before a value that the printed numbers do not give."""
        if self._empty:
            return self.symbols_latex, Number(self._value).write("latex")
        return self.symbols_latex, *equal_sides(self.expression, self._value, self._printed)

    @property
    def total_sides_latex(self) -> tuple[str, ...]:
        """The sides of Z, without its value where that cannot be written; empty for a row that sees no key."""
        if self._empty:
            return ()
        symbols, total = f"Z = {self._sum_latex}{self._sink_latex}", self._denominator
        if not _written(total.value):
            return symbols, formula_latex(total.part, self._printed)
        return symbols, *equal_sides(total.part, total.value, self._printed)

    @property
    def latex(self) -> str:
        """LaTeX of the whole equation and of its denominator, for the clipboard."""
        return r", \quad ".join(chain_of(sides) for sides in (self.sides_latex, self.total_sides_latex) if sides)

    @property
    def _sum_latex(self) -> str:
        over = rf"j\,:\,m_{{{self._place[2]},j}} = 1" if self._masked else "j"
        return rf"\sum_{{{over}}} e^{{{self._exponent('j', LATEX)}}}"

    @property
    def _sink_latex(self) -> str:
        """` + e^{sink}`, where there is one."""
        return "" if self._sink is None else f" + {self._powered(self._sink).write('symbols')}"

    def _exponent(self, key: str, signs: Signs) -> str:
        """Return the exponent of e for a key, given by its number or a letter."""
        row, problem = str(self._place[2]), self._evaluation.problem
        if self._evaluation.elementary:
            return _exponent(self._evaluation, row, key, signs)
        return _over_temperature(problem, signs.cell(self._row[0], f"{row},{key}"), signs, plain=True)

    @property
    def _masked(self) -> bool:
        """Whether a mask closes keys of the head, so that the sum has to name its keys."""
        return self._evaluation.allowed(*self._place[:2], slice(0, 1), slice(0, 1)) is not None

    @property
    def _flat_column(self) -> int:
        start: int = self._evaluation.head_columns("value", self._place[1]).start
        return start + self._column

    # --- plain text ------------------------------------------------------------------------------
    @property
    def text(self) -> str:
        """Six lines: the cell in symbols, in numbers with every digit, its value, and Z the same way."""
        place = f"{symbol(self._stage)}[{', '.join(map(str, self._index))}]"
        if self._empty:
            return f"{place} = 0"
        sides = [f"{place} = {self._symbols_text}", f"= {self.expression.write('text')}", f"= {self._value!r}"]
        own = "" if self._sink is None else f" + e^(sink[{self._place[1]}]{self._heat_text})"
        denominator = [f"Z = {self._sum_text}{own}", f"= {self._denominator.part.write('text')}"]
        value = [f"= {self._denominator.value!r}"] if _written(self._denominator.value) else []
        return "\n".join([*sides, *denominator, *value])

    @property
    def _symbols_text(self) -> str:
        if self._key is not None:
            return f"1/Z · e^({self._exponent(str(self._key), TEXT)})"
        return f"1/Z · {self._sum_text} · V[j, {self._flat_column}]"

    @property
    def _heat_text(self) -> str:
        temperature = self._evaluation.problem.temperature
        return "" if temperature is None else f" / {temperature!r}"

    @property
    def _sum_text(self) -> str:
        over = f"{{j: M[{self._place[2]}, j] = 1}}" if self._masked else "j"
        return f"Σ_{over} e^({self._exponent('j', TEXT)})"


class _Denominator(Named):
    """Z, as a number only where it is one."""

    @property
    def has_number(self) -> bool:
        return _written(self.value)

    def write(self, style: Style) -> str:
        return self.symbols if style == "latex" and not self.has_number else super().write(style)


def per_query(evaluation: Evaluation, stage: str, index: tuple[int, ...], value: float) -> PerQuery | None:
    """Return the equation of a weight, or of a cell that is one head's sum over the keys; None for any other stage.

    None also where an intervention changes a number between the softmax and the cell.
    """
    if not is_a_sum(evaluation, stage) or _by_hand(evaluation, stage, index):
        return None
    return PerQuery(evaluation, plain_name(stage), index, value)


def is_a_sum(evaluation: Evaluation, stage: str) -> bool:
    """Return whether a cell is a weight of a softmax, or a sum of values by such weights."""
    entry = STAGE.get(plain_name(stage))
    softmax = evaluation.logits is not None and NORMALIZERS[evaluation.problem.normalize].elementary
    if entry is None or not softmax:  # a map that is derived from others, or weights that are given
        return False
    node = evaluation.node(evaluation.computed(stage))
    if entry.shares or entry.over_keys:
        return True
    if not (node.stage.alias or (entry.joined and entry.heads)):
        return False
    before = node.inputs[0].name
    return before in evaluation.stages and is_a_sum(evaluation, before)


def _by_hand(evaluation: Evaluation, stage: str, index: tuple[int, ...]) -> bool:
    """Return whether an intervention changes the row of any stage from the softmax to this one."""
    item, head, row = _place(evaluation, plain_name(stage), index)[0]
    for node in evaluation.nodes[: evaluation.nodes.index(evaluation.node(stage)) + 1]:
        follows = node.stage.role is Role.WEIGHT or (not node.stage.square and not node.stage.input_side)
        place = cell((item, head, row) if node.stage.per_head else (item, row))
        if follows and isinstance(node, InterventionNode) and node.touching((*place, slice(0, node.shape[-1]))):
            return True
    return False


def _place(evaluation: Evaluation, stage: str, index: tuple[int, ...]) -> tuple[QueryPlace, int | None, int]:
    """Return (the row of weights, the key of a weight, the column within its head)."""
    if STAGE[stage].shares:
        return (index[0], index[1], index[2]), index[3], 0
    if STAGE[stage].per_head:
        return (index[0], index[1], index[2]), None, index[3]
    head, column = divmod(index[2], evaluation.problem.d_v)
    return (index[0], head, index[1]), None, column


def _written(denominator: float) -> bool:
    return bool(np.isfinite(denominator)) and denominator > 0


# --- terms ----------------------------------------------------------------------------------------
class Term(NamedTuple):
    """One addend of a formula: the cells that it is made of, and its value."""

    cells: tuple[Cell, ...]
    value: float


class Terms(Sequence[Term]):
    """The addends of a formula, made when they are read; `values` has their numbers, `positions` their keys."""

    def __init__(self, addends: Sequence[Addends], keep: Array | None = None) -> None:
        self._addends = addends
        counts = [some.values.size for some in addends]
        kinds = np.repeat(np.arange(len(counts)), counts)
        positions = np.concatenate([np.arange(count) for count in counts]) if counts else np.zeros(0, int)
        values = np.concatenate([some.values.reshape(-1) for some in addends]) if counts else np.zeros(0)
        open_ones = slice(None) if keep is None else np.asarray(keep)[positions]
        self._kinds, self.positions = kinds[open_ones], positions[open_ones]
        self.values = values[open_ones]
        self._made: dict[int, Term] = {}

    def __len__(self) -> int:
        return len(self.positions)

    @overload
    def __getitem__(self, place: int) -> Term: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Term, ...]: ...
    def __getitem__(self, place: int | slice) -> Term | tuple[Term, ...]:
        if isinstance(place, slice):
            return tuple(self._term(k) for k in range(*place.indices(len(self))))
        return self._term(range(len(self))[place])

    def place_of(self, position: int) -> int | None:
        """Return the index of a key's term, if it has one."""
        found = np.flatnonzero(self.positions == position)
        return int(found[0]) if found.size else None

    def product(self, place: int) -> Expression:
        """Return the product of a weight and a value; 0 where a zero weight holds NaN and infinity back."""
        term = self[place]
        wild = term.value == 0 and not np.isfinite([cell.value for cell in term.cells]).all()
        return Number(0.0) if wild else Product(*term.cells)

    def _term(self, place: int) -> Term:
        if place not in self._made:
            kind, position = int(self._kinds[place]), int(self.positions[place])
            self._made[place] = Term(self._addends[kind].cells(position), float(self.values[place]))
        return self._made[place]


# --- explanation of a cell ------------------------------------------------------------------------
class Explanation:
    """One cell explained, one hop back and one forward; to be read before the evaluation is updated."""

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
            if isinstance(self._node.stage, LinearStage) and self._node.stage.over_keys:
                return self._open_sum()
            return self._node.explain(self.index, self._fetch)

    def _scaled(self) -> Expression:
        """Return the formula of a scaled score: of a dot product all its products, of other scores one cell."""
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
        """Return the sum of the products of visible keys: the others add nothing, whatever their values."""
        every, terms = self._node.explain(self.index, self._fetch), self.terms
        return Sum(len(terms), terms.product, terms.values, every.symbols if isinstance(every, Sum) else None)

    @property
    def entry(self) -> Stage:
        """The stage that computes the cell."""
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
        """Whether the cell is a scaled score that is explained by the products of its score."""
        return self._score.dot and not self._dot.steps_at(self.index)

    def _plays(self, role: Role) -> bool:
        """Return whether the cell is as computed by the stage with this role, without interventions."""
        return self._evaluation.part(role) == plain_name(self.stage) and not self.by_hand

    @cached_property
    def computed(self) -> Explanation | None:
        """The explanation of the cell before its interventions; None where it has none."""
        return Explanation(self._evaluation, computed_name(self.stage), self.index) if self.by_hand else None

    @cached_property
    def terms(self) -> Terms:
        """The addends: of a weight one for each visible key, of a scaled dot product those of the dot product."""
        node = self._dot if self._plays(Role.SCALE) and self.folds else self._node
        if node.stage.alias and node.inputs[0].name in self._evaluation.sources:
            return Terms(())
        with np.errstate(all="ignore"):
            found = node.addends(self.index, self._fetch)
        return Terms(found, self._seen if self._node.stage.over_keys else None)

    @cached_property
    def row(self) -> Terms:
        """The weights of all keys that the query of a weight sees, each beside its score; of other cells `terms`."""
        logits = self._evaluation.logits
        if not self._plays(Role.WEIGHT) or self._node.stage.shares or logits is None:
            return self.terms
        *place, _ = self.index
        box = (*indices.cell(place), slice(0, self._evaluation.shape(self.stage)[-1]))
        scores, weights = (self._fetch(name, box).reshape(-1) for name in (logits, self.stage))

        def score(at: tuple[int, ...]) -> Cell:
            return Cell(logits, (*place, *at), float(scores[at]), cell_latex(logits), (place[-1], *at))

        return Terms([Addends(weights, [Leaves(scores, score, "")])], self._seen)

    @cached_property
    def _seen(self) -> Array:
        """Flags of the keys that the query of this cell sees."""
        return seen_keys(self._evaluation, self._fetch, self.index)

    @cached_property
    def parts(self) -> dict[str, Expression]:
        """Named parts of the formula: Z, max, mu, var."""
        found: dict[str, Expression] = {named.name: named.part for named in self._named}
        return found | ({} if self.computed is None else {"computed": Number(self.computed.value)})

    @cached_property
    def _named(self) -> list[Named]:
        """Named parts, each before those that its own formula contains: Z before the max in it."""
        return sorted(named_parts(self.expression).values(), key=lambda named: -len(named_parts(named.part)))

    def expand(self, cell: Cell) -> Explanation | None:
        """Return the explanation of a cell of the formula; None for a number of the problem itself."""
        known = self._evaluation.explains(cell.name)
        return Explanation(self._evaluation, cell.name, cell.index) if known else None

    # --- the surroundings ------------------------------------------------------------------------
    @cached_property
    def sources(self) -> tuple[Cell, ...]:
        """The cells that the value is computed from, of stages and of the problem's fields."""
        return self._sources(self.terms)

    def some_sources(self, most: int) -> tuple[Cell, ...]:
        """Return `sources`; of more terms than `most` those of the first, the last and the cell's own key."""
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
        known |= {self._node.computed} if isinstance(self._node, InterventionNode) else set()
        cells = [cell for term in terms for cell in term.cells]
        if not self._node.stage.shares and not isinstance(self._node.stage, LinearStage):  # its terms are all it reads
            cells += self.expression.cells()
        if self._plays(Role.CLOSE):
            allowed = next(node for node in self._evaluation.nodes if node.name == "allowed")
            cells += [cell for term in Terms(allowed.addends(self.index, self._fetch)) for cell in term.cells]
        for ref, field in zip(self._node.inputs, self._node.fields, strict=True):
            if not ref.axes and not ref.optional and not self.by_hand:
                value = float(self._fetch(ref.name, ()))
                cells.append(Cell(field, (), value, cell_latex(field)))
        return tuple(cell for cell in dict.fromkeys(cells) if cell.name in known)

    @property
    def _given(self) -> bool:
        return self._node.stage.alias and self._node.inputs[0].name in self._evaluation.sources

    @cached_property
    def reaches(self) -> tuple[tuple[str, Box], ...]:
        """Boxes of the next stages that a change of this cell changes."""
        found = []
        for node in self._evaluation.nodes:
            for k, ref in enumerate(node.inputs):
                if ref.name == self.stage:
                    boxes = node.affected(k, indices.cell(self.index), self._fetch)
                    found += [(node.name, box) for box in boxes]
        return tuple(found)

    @cached_property
    def closed_by(self) -> int | None:
        """The position of the first mask layer that closes the cell; None for an open one."""
        return closing_layer(self._evaluation, self._node, self.index)

    @property
    def _notes(self) -> list[str]:
        """The layer that closes the cell, in words, where one does."""
        at = self.closed_by
        return [] if at is None else [f"closed by mask {at} ({self._evaluation.problem.mask[at].kind})"]

    @cached_property
    def rank(self) -> int:
        """The rank in its row, 1 for the largest; equal numbers share a rank."""
        return 1 + int((self._row > self._row[self.index[-1]]).sum())

    @cached_property
    def equals(self) -> int:
        """How many visible cells of its row are as large as this one, itself included."""
        return int((self._seen & (self._row == self._row[self.index[-1]])).sum())

    @property
    def sink_share(self) -> float:
        """The share of the row of a weight that goes to the sink of its head."""
        return sink_share(self._evaluation, self._fetch, self.index)

    @cached_property
    def _row(self) -> Array:
        """The row of the cell, read once: a part may differ from the whole in its last digit."""
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
    def _printed(self) -> PrintedNumbers:
        """The numbers with as many digits as the printed value asks for."""
        printed = PrintedNumbers()
        self._add_to(printed)
        printed.settle()
        return printed

    def _add_to(self, printed: PrintedNumbers) -> None:
        add_formula(printed, self.expression, self.value)
        printed.alike((self.value,), self.stage)

    def print_with(self, printed: PrintedNumbers) -> None:
        """Print its numbers with those of other equations beside it; the last of them settles the digits."""
        self._add_to(printed)
        self._printed = printed

    @property
    def numbers_latex(self) -> str:
        """The right side of the equation with the actual numbers; empty where it would only repeat the value."""
        if self._given or isinstance(self.expression, (Number, Evaluated)):
            return ""
        written = formula_latex(self.expression, self._printed)
        return "" if written == self.value_latex else written

    @property
    def value_latex(self) -> str:
        """The value of the cell as printed."""
        return Printed(self.value, self._printed).write("latex")

    def number_text(self, value: float) -> str:
        """Return a number in plain characters, as the formula prints it."""
        return self._printed.text(value)

    @property
    def sides_latex(self) -> tuple[str, ...]:
        """The sides of the equation: symbols, numbers, value; ≈ before a value that the printed numbers do not give."""
        if not self.numbers_latex:
            return self.symbols_latex, self.value_latex
        return self.symbols_latex, *equal_sides(self.expression, self.value, self._printed)

    @property
    def parts_latex(self) -> tuple[str, ...]:
        """`Z = … = 1.637`, `max = 4.885`."""
        found = tuple(named.equation(self._printed) for named in self._named)
        if self.computed is None:
            return found
        return *found, f"{self.computed._left} = {Printed(self.computed.value, self._printed).write('latex')}"

    @property
    def latex(self) -> str:
        """The whole chain and its parts, for the clipboard."""
        notes = (rf"\text{{{note}}}" for note in self._notes)
        return r", \quad ".join([chain_of(self.sides_latex), *self.parts_latex, *notes])

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
        """The one equation with Z from the scores to this cell, for a weight or one head's sum over the keys."""
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
    """Return the explanation of one cell of any stage; `index` has one integer per axis of its shape, batch included.

    The index lies within the stage's shape. The expression differs from the cell by at most 8 ε Σ|terms|, ε being that
    of the problem's dtype; of a long problem in float32 by more from the results of heads on, summed in float32.
    Raises StageError (a KeyError) or PlaceError (an IndexError).
    Source: the formulas are those of the stages; the bound is Higham, "Accuracy and Stability" (2002), §4.2.
    """
    return Explanation(evaluation_in(source, "explain", stage), stage, index)
