"""The base of stages. A stage does the arithmetic of one step; `graph` does all the addressing.

`formula` is both the documentation and the wiring, e.g. `logits[b (g r) i j] = query[b i (g r d)] * key[b j (g d)]`:
the cells read by a cell are those with its letters, every letter not on the left being run through in full.
The arrays that arrive have one axis a letter, left-hand letters first, and length 1 where a letter is missing,
so plain broadcasting is always right, whatever the batch, the heads or their grouping.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Any, Protocol, TypeVar

from attn_gui.engine.arrays import Array
from attn_gui.engine.graph.expressions.expression import Expression
from attn_gui.engine.graph.expressions.leaves import Addends, Leaves
from attn_gui.engine.problem.interventions import Intervention
from attn_gui.engine.problem.layers import Layer

from .facts import Form, Name, Operator, Role
from .indices import Reference, references

Input = Array | None
S = TypeVar("S", bound="Stage")
T = TypeVar("T")

UNIT = 2.0**-52
ELEMENTARY = 4.0  # units by which exp, tanh, cos and powers may be off
EXACT_WORK = 1 << 20  # up to so many multiplications sums are added in order, so that parts equal the whole bit for bit


def given(inputs: Sequence[T | None]) -> list[T]:
    """The inputs of a stage none of whose inputs is optional."""
    return [one for one in inputs if one is not None]


class Choices(Protocol):
    """Choices among the entries of the catalogs, as a problem makes them."""

    @property
    def score(self) -> str: ...

    @property
    def mask(self) -> tuple[Layer, ...]: ...

    @property
    def interventions(self) -> tuple[Intervention, ...]: ...

    @property
    def block(self) -> Mapping[str, Any] | None: ...


class Stage:
    """One step of the computation; an immutable entry of the catalog that knows no problem."""

    name = ""
    axes: tuple[str, ...] = ()  # contract names, batch included
    formula = ""
    along = ""  # left-hand letters whose cells depend on one another through the first input (softmax: j)
    gates: Mapping[int, str] = MappingProxyType({})  # input: boolean array that stops a change of it where it is False
    squares: Mapping[int, tuple[float, float]] = MappingProxyType({})  # input: magnitudes that it squares without care
    when: tuple[str, ...] = ()  # sources that must be there although the formula does not read them
    unless: tuple[str, ...] = ()  # sources that must not be there
    hidden = False  # a helper that is not shown
    alias = False  # its result is its input
    boolean = False
    ordered = False

    # --- what is known of it beside the arithmetic -----------------------------------------------
    called = Name("", "", "")
    form = Form()
    operator: Operator | None = None
    heads = ""  # whose heads lie side by side in its columns: h those of the queries, g those of K and V
    transposed = False  # whether the spine shows it with its rows as columns
    behind_mask = False  # whether a closed cell has no number of its own
    shares = False  # whether its rows are shares of one, without a sign
    elementary = False  # whether solving, fast kernels and the one-line formula know it by heart
    role: Role | None = None
    block = ""  # the kind of block that it belongs to; "" for a stage of every problem
    function = ""  # the name of the function that it is, where it has one
    code = (
        ""  # its line in a script: {0}, {1} … its {inputs}, {xp} the library, {shape} its own; "" where none is known
    )
    helper = ""  # the function that this line calls
    told = ""  # the sentence of a cell in the inspector; "" for what can be said of every stage

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
        """Whether its cells belong to a query and a key."""
        return self.axes[-2:] == ("query", "key")

    @property
    def settable(self) -> bool:
        """Whether a cell can be given a target."""
        return "query" in self.axes

    @property
    def per_head(self) -> bool:
        """Whether each head has a matrix of its own."""
        return "head" in self.axes

    @property
    def joined(self) -> bool:
        """Whether every column is shown, whatever the head: the heads have been joined."""
        return "query" in self.axes and not self.per_head

    @property
    def input_side(self) -> bool:
        """Whether it is Q, K or V, or comes between one of them and the scores."""
        return "row" in self.axes

    @property
    def by_key(self) -> bool:
        """Whether its rows belong to keys."""
        return self.target.axes[-2] == "j"

    @property
    def over_keys(self) -> bool:
        """Whether a cell is made of a term for every key."""
        read = {letter for ref in self.inputs for letters in ref.axes for letter in letters}
        return "j" in read and ("j" in self.along or not any("j" in letters for letters in self.target.axes))

    def fitted(self, choices: Choices) -> Stage | None:
        """The stage as these choices make it; None where they have nothing of the kind."""
        return self

    def forward(self, *inputs: Input) -> Array:
        """The result, with the left-hand letters as its axes."""
        raise NotImplementedError

    def pull_back(self, grad: Array, result: Array, *inputs: Input) -> Sequence[Input]:
        """One gradient an input (None: has none), with all the letters; `graph` adds up over those an input lacks.

        `grad` and `result` have the left-hand letters, then length 1. A letter already added up has length 1.
        """
        raise NotImplementedError

    def rounding(self, values: Sequence[Input], errors: Sequence[Input]) -> Array:
        """Bound on the difference of two computations of the result, in units of 2^−52; `errors`: those of the inputs.

        Both are laid out as for `forward`.
        """
        raise NotImplementedError

    def explain(self, at: tuple[int, ...], *inputs: Leaves | None) -> Expression:
        """The expression of one cell; `at` is its place along the letters of `along`."""
        raise NotImplementedError

    def general(self, at: tuple[int, ...], *inputs: Leaves | None) -> Expression:
        """The expression of one cell that holds whatever its inputs are; by default that of the present ones."""
        return self.explain(at, *inputs)

    def addends(self, at: tuple[int, ...], *inputs: Leaves | None) -> list[Addends]:
        """The terms of one cell by size: by default every input cell of the first input on its own."""
        first = inputs[0] if inputs else None
        return [Addends(first.values, [first])] if first is not None else []

    def sized(self: S, work: int) -> S:
        """The stage for a problem of so many multiplications."""
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
