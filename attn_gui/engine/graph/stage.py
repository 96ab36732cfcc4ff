"""Base of a step: its formula in index notation, role, letters, rounding; sums of products and their gradient. A stage
does the arithmetic of one step; `nodes.py` does all the addressing.

`formula` is both the documentation and the wiring, e.g. `logits[b (g r) i j] = query[b i (g r d)] * key[b j (g d)]`:
the cells read by a cell are those with its letters, every letter not on the left being run through in full.
The arrays that arrive have one axis a letter, left-hand letters first, and length 1 where a letter is missing,
so plain broadcasting is always right, whatever the batch, the heads or their grouping.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from enum import Enum
from functools import cached_property
from math import prod
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol, TypedDict, TypeVar, Unpack

import numpy as np

from attn_gui.engine.arrays import Array
from attn_gui.engine.graph.expressions import Addends, Expression, Leaves, Number, Product, Sum, add
from attn_gui.engine.graph.indices import Reference, contract, references
from attn_gui.engine.interventions import Intervention
from attn_gui.engine.masks import Layer

Input = Array | None
S = TypeVar("S", bound="Stage")
T = TypeVar("T")

UNIT = 2.0**-52
ELEMENTARY = 4.0  # units by which exp, tanh, cos and powers may be off
EXACT_WORK = 1 << 20  # up to so many multiplications sums are added in order, so that parts equal the whole bit for bit


# --- facts ----------------------------------------------------------------------------------------
class StageName(NamedTuple):
    """The letter in plain text, the LaTeX of the matrix and of one cell, and the title in English and Chinese.

    `letter_zh` is the Chinese letter where the letter is a word; `about` and `about_zh` say what the rows stand for
    where the title does not.
    """

    letter: str
    matrix: str
    cell: str
    en: str = ""
    zh: str = ""
    letter_zh: str = ""
    about: str = ""
    about_zh: str = ""

    @property
    def cell_letter(self) -> str:
        """The plain letter of one cell: s′ of S′, w of W_Q, c of a word."""
        return self.cell if self.letter_zh else self.letter.partition("_")[0].lower()

    def words(self) -> dict[str, str]:
        """Return the Chinese words by the English ones."""
        said = (self.en, self.zh), (self.letter, self.letter_zh), (self.about, self.about_zh)
        return {en: zh for en, zh in said if zh}


class FormulaTemplate(NamedTuple):
    """The formula of a stage as templates; `figure.stage_formulas` lists what may be in braces.

    `whole` is shown above its map, in LaTeX; `inner` is the part that it adds to the argument of the softmax, `text`
    the same in plain characters, where {before} is what the stages before it have added.
    """

    whole: str = "{letter}"
    inner: str = "{letter}"
    text: str = "{symbol}"


class Operator(NamedTuple):
    """The box before a stage in the spine: its key, its caption in two languages, and its text where there is no
    choice.

    `always`: the box is shown in problems without the stage, too, since one press of it adds the stage.
    """

    key: str
    en: str
    zh: str
    text: str = ""
    always: bool = False

    def words(self) -> dict[str, str]:
        """Return the Chinese words by the English ones."""
        return {self.en: self.zh}


class Role(Enum):
    """The part of a stage in attention: code that needs a certain stage asks for its role, never for a name."""

    SCORE = "compares queries with keys"
    SCALE = "multiplies the scores by a number"
    CAP = "bends the scores below a bound"
    BIAS = "adds layers to the scores"
    CLOSE = "closes keys to queries"
    WEIGHT = "makes each row of scores weights, usually by a softmax"
    MIX = "sums values by the weights"
    JOIN = "lays the results of the heads side by side"
    PROJECT = "multiplies the joined heads by W_O, where there is one"


class StageFacts(TypedDict, total=False):
    """Facts about a stage beside its arithmetic, as keywords for stages without a class of their own."""

    called: StageName
    form: FormulaTemplate
    operator: Operator
    heads: str
    transposed: bool
    elementary: bool
    shares: bool
    fractions: bool
    wording: str
    role: Role
    block: str
    when: tuple[str, ...]


# --- base of stages -------------------------------------------------------------------------------
class CatalogChoices(Protocol):
    """The fields of a problem that choose among stages: `Fields`, which imports this module, has them all."""

    @property
    def score(self) -> str: ...

    @property
    def normalize(self) -> str: ...

    @property
    def mask(self) -> tuple[Layer, ...]: ...

    @property
    def interventions(self) -> tuple[Intervention, ...]: ...

    @property
    def block(self) -> Mapping[str, Any] | None: ...


class Stage:
    """One step of the computation: an immutable entry of the catalog, which knows nothing of any problem."""

    name = ""
    axes: tuple[str, ...] = ()  # contract names, batch included
    formula = ""
    along = ""  # left-hand letters whose cells depend on one another through the first input (softmax: j)
    gates: Mapping[int, str] = MappingProxyType({})  # input: boolean array that stops a change of it where it is False
    squares: Mapping[int, tuple[float, float]] = MappingProxyType({})  # input: the least and the largest magnitude of
    # which a workbook can hold the square (`xlsx_formulas.check_squares`)
    when: tuple[str, ...] = ()  # sources that must be there although the formula does not read them
    unless: tuple[str, ...] = ()  # sources that must not be there
    hidden = False  # a helper that is not shown
    alias = False  # its result is its input
    boolean = False  # its cells are True or False, such as those of a mask
    exact = False  # held in float64, whatever the problem's numbers are held as
    ordered = False  # its products are summed in order: a part equals that part of the whole, bit for bit

    # --- what is known of it beside the arithmetic -----------------------------------------------
    called = StageName("", "", "")
    form = FormulaTemplate()
    operator: Operator | None = None
    heads = ""  # whose heads lie side by side in its columns: h those of the queries, g those of K and V
    transposed = False  # whether the spine shows it with its rows as columns
    behind_mask = False  # whether a closed cell has no number of its own
    shares = False  # whether its rows are shares of one; of the place of the weights: unless a problem chooses others
    fractions = False  # whether its numbers lie between 0 and 1
    elementary = False  # whether solving, fast kernels and the one-line formula have a closed form for it
    role: Role | None = None
    block = ""  # the kind of block that it belongs to; "" for a stage of every problem
    function = ""  # the name of the function that it is, where it has one
    # its line in a script: {0}, {1} … its {inputs}, {xp} the library, {shape} its own; "" where none is known
    code = ""
    helper = ""  # the function that this line calls
    wording = ""  # the sentence of a cell in the inspector; "" for what can be said of every stage

    @property
    def symbol(self) -> str:
        """The letter in plain text: S′."""
        return self.called.letter

    @property
    def latex(self) -> str:
        """The letter in LaTeX."""
        return self.called.matrix

    @property
    def square(self) -> bool:
        """Whether its cells belong to pairs of query and key."""
        return self.axes[-2:] == ("query", "key")

    @property
    def settable(self) -> bool:
        """Whether its cells can be given targets to solve for."""
        return "query" in self.axes

    @property
    def per_head(self) -> bool:
        """Whether each head has a matrix of its own."""
        return "head" in self.axes

    @property
    def joined(self) -> bool:
        """Whether all columns are shown whatever the head, since the heads have been joined."""
        return "query" in self.axes and not self.per_head

    @property
    def input_side(self) -> bool:
        """Whether it is Q, K or V, or a stage between one of them and the scores."""
        return "row" in self.axes

    @property
    def by_key(self) -> bool:
        """Whether its rows belong to keys, not queries."""
        return self.target.axes[-2] == "j"

    @property
    def over_keys(self) -> bool:
        """Whether a cell has a term for every key."""
        read = {letter for ref in self.inputs for letters in ref.axes for letter in letters}
        return "j" in read and ("j" in self.along or not any("j" in letters for letters in self.target.axes))

    def fitted(self, choices: CatalogChoices) -> Stage | None:
        """Return the stage that a problem puts in the place of this entry; None where it has none there."""
        return self

    # What follows gets the inputs in the order of the formula, None where an optional one is missing. Subclasses name
    # their own: that they may is all that `**named` says.
    def forward(self, *inputs: Any, **named: Any) -> Array:
        """Return the result, with the left-hand letters as its axes."""
        raise NotImplementedError

    def pull_back(self, grad: Array, result: Array, *inputs: Any, **named: Any) -> Sequence[Input]:
        """Return one gradient for each input, None for one without, laid out by all letters.

        `grad` and `result` have the left-hand letters, then axes of length 1. In a gradient, a letter already summed
        over has length 1; `nodes.py` sums over the others that the input does not have.
        """
        raise NotImplementedError

    def rounding(self, values: Sequence[Any], errors: Sequence[Any]) -> Array:
        """Return how far two computations of the result may differ, in units of 2^−52, given the same of the inputs
        (`errors`).

        Both `values` and `errors` are laid out as for `forward`.
        """
        raise NotImplementedError

    def explain(self, at: tuple[int, ...], *inputs: Any, **named: Any) -> Expression:
        """Return the expression of one cell; `at` is its place along the letters of `along`."""
        raise NotImplementedError

    def general(self, at: tuple[int, ...], *inputs: Any, **named: Any) -> Expression:
        """Return an expression of one cell that holds for any inputs; by default that of the present ones."""
        return self.explain(at, *inputs)

    def addends(self, at: tuple[int, ...], *inputs: Any, **named: Any) -> list[Addends]:
        """Return the terms of one cell by size; by default every cell of the first input that it reads."""
        first = inputs[0] if inputs else None
        return [Addends(first.values, [first])] if first is not None else []

    def sized(self: S, work: int) -> S:
        """Return the stage for a problem of so many multiplications: small ones add their terms in order."""
        if work > EXACT_WORK:
            return self
        stage = copy.copy(self)
        stage.ordered = True
        return stage

    @cached_property
    def target(self) -> Reference:
        return references(self.formula.split("=")[0])[0]

    @cached_property
    def inputs(self) -> tuple[Reference, ...]:
        return references(self.formula.split("=")[1])


class LinearStage(Stage):
    """Sums of products, which follow from the formula alone: `query[b i p] = x[b i e] * w_query[e p] + b_query[p]?`."""

    def __init__(
        self,
        name: str,
        axes: str,
        formula: str,
        *,
        unless: tuple[str, ...] = (),
        alias: bool = False,
        dot: bool = False,
        gates: Mapping[int, str] | None = None,
        **facts: Unpack[StageFacts],
    ) -> None:
        self.name, self.axes, self.formula = name, tuple(axes.split()), formula
        self.unless, self.alias, self.gates = unless, alias, gates or {}
        vars(self).update(facts)
        self.dot = dot  # written as the product of two vectors
        self.counts = [len(references(product)) for product in formula.split("=")[1].split("+")]

    def products(self, inputs: Sequence[T | None]) -> list[list[T]]:
        """Return the factors of each product whose inputs are all there."""
        groups, start = [], 0
        for count in self.counts:
            group = [factor for factor in inputs[start : start + count] if factor is not None]
            if len(group) == count:
                groups.append(group)
            start += count
        return groups

    def forward(self, *inputs: Input) -> Array:
        left = len("".join(self.target.axes))
        summed = [self._product(group, range(left, group[0].ndim)) for group in self.products(inputs)]
        total = summed[0]
        for part in summed[1:]:
            total = total + part
        return total.reshape(total.shape[:left])

    def _product(self, group: Sequence[Array], axes: range) -> Array:
        return contract(*group, axes=axes, ordered=self.ordered, zero_wins=bool(self.gates))

    def pull_back(self, grad: Array, result: Array, *inputs: Input) -> Sequence[Input]:
        gradients = []
        for group in self.products(inputs):
            for k, factor in enumerate(group):
                shared = [axis for axis, length in enumerate(factor.shape) if length == 1]
                slope = contract(grad, *(group[:k] + group[k + 1 :]), axes=shared, zero_wins=True)
                if self.gates and k == 0 and not np.isfinite(slope).all():
                    slope = np.where((factor == 0) & ~np.isfinite(slope), 0.0, slope)
                gradients.append(slope)
        found = iter(gradients)
        return [None if x is None else next(found) for x in inputs]

    def rounding(self, values: Sequence[Input], errors: Sequence[Input]) -> Array:
        """Return the bound for a sum of n products: n units of their magnitudes, plus each factor's errors."""
        groups, slips = self.products(values), self.products(errors)
        axes = range(len("".join(self.target.axes)), groups[0][0].ndim)
        total = np.zeros((1,) * groups[0][0].ndim)
        for group, slip in zip(groups, slips, strict=True):
            sizes = [np.abs(factor) for factor in group]
            count = prod(max(size.shape[axis] for size in sizes) for axis in axes) + len(group) + len(groups) - 3
            factors = [[*sizes[:k], slip[k], *sizes[k + 1 :]] for k in range(len(group)) if slip[k].any()]
            total = total + sum(contract(*changed, axes=axes, zero_wins=True) for changed in factors)
            if count:
                total = total + count * contract(*sizes, axes=axes, zero_wins=True)
        return total

    def explain(self, at: tuple[int, ...], *inputs: Leaves | None) -> Expression:
        sums = [self._sum(terms) for terms in self.addends(at, *inputs)]
        return sums[0] if len(sums) == 1 else add(*sums)

    def _sum(self, terms: Addends) -> Expression:
        if terms.values.size == 1:
            return self._term(terms, 0)
        flat = terms.values.reshape(-1)
        return Sum(flat.size, lambda k: self._term(terms, k), flat, self._symbols(terms.factors))

    def _term(self, terms: Addends, position: int) -> Expression:
        cells = terms.cells(position)
        if self.gates and cells[0].value == 0 and not np.isfinite([cell.value for cell in cells]).all():
            return Number(0.0)  # a zero weight holds NaN and infinity back
        return cells[0] if len(cells) == 1 else Product(*cells)

    def _symbols(self, factors: Sequence[Leaves]) -> str:
        if self.dot:
            return r" \cdot ".join(leaves.row_latex for leaves in factors)
        letter = factors[0].latex.rstrip("}")[-1]
        return rf"\sum_{letter} " + r"\,".join(leaves.latex for leaves in factors)

    def addends(self, at: tuple[int, ...], *inputs: Leaves | None) -> list[Addends]:
        found = []
        for group in self.products(inputs):
            values = np.asarray(prod(leaves.values for leaves in group))
            zero = np.broadcast_to(group[0].values == 0, values.shape) if self.gates else False
            found.append(Addends(np.where(zero, 0.0, values), group))
        return found
