"""Stages that are sums of products: the formula says all of their arithmetic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Unpack

import numpy as np

from attn_gui.engine.arrays import Array
from attn_gui.engine.graph.contraction import contract
from attn_gui.engine.graph.expressions.expression import Expression, Number, Product, Sum, add
from attn_gui.engine.graph.expressions.leaves import Addends, Leaves

from .facts import Facts
from .indices import references
from .stage import Input, Stage


class Linear(Stage):
    """Sums of products, the formula says it all: `query[b i p] = x[b i e] * w_query[e p] + b_query[p]?`."""

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
        **facts: Unpack[Facts],
    ) -> None:
        self.name, self.axes, self.formula = name, tuple(axes.split()), formula
        self.unless, self.alias, self.gates = unless, alias, gates or {}
        vars(self).update(facts)
        self.dot = dot  # written as the product of two vectors
        self.counts = [len(references(product)) for product in formula.split("=")[1].split("+")]

    def products(self, inputs: Sequence[Input]) -> list[list[Array]]:
        """The factors of each product that is there."""
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
        """A sum of n products is off by n units of the sum of their sizes, and by what each factor is off."""
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
        found, start = [], 0
        for count in self.counts:
            group = [leaves for leaves in inputs[start : start + count] if leaves is not None]
            start += count
            if len(group) == count:
                values = np.asarray(prod(leaves.values for leaves in group))
                zero = np.broadcast_to(group[0].values == 0, values.shape) if self.gates else False
                found.append(Addends(np.where(zero, 0.0, values), group))
        return found
