"""Parts of formulas that depend on the numbers: the largest of some, a number or −∞. Spreadsheets need them."""

from __future__ import annotations

import math

from attn_gui.engine.graph.expressions.expression import Expression, Sum


class Largest(Expression):
    """The largest of the terms of a sum."""

    def __init__(self, terms: Sum) -> None:
        self.terms = terms

    @property
    def parts(self) -> tuple[Expression, ...]:
        return (self.terms,)

    @property
    def value(self) -> float:
        return float(max(self.terms.values, default=-math.inf))


class OpenOnly(Expression):
    """A part where the condition is not 0, else −∞."""

    def __init__(self, condition: Expression, part: Expression) -> None:
        self.condition, self.part = condition, part

    @property
    def parts(self) -> tuple[Expression, ...]:
        return (self.condition, self.part)

    @property
    def value(self) -> float:
        return self.part.value if self.condition.value else -math.inf


class UnlessClosed(Expression):
    """A part, but −∞ where what it is made of is."""

    def __init__(self, own: Expression, part: Expression) -> None:
        self.own, self.part = own, part

    @property
    def parts(self) -> tuple[Expression, ...]:
        return (self.own, self.part)

    @property
    def value(self) -> float:
        return -math.inf if self.own.value == -math.inf else self.part.value
