"""Parts of formulas beyond sums and products: fractions, powers, functions, and parts with a name of their own."""

from __future__ import annotations

import math

import numpy as np

from attn_gui.engine.graph.expressions.expression import Cell, Expression, Number, Style


class Quotient(Expression):
    """A fraction; 0 / 0 is 0, which is the weight in a row that sees no key."""

    rank = 2

    def __init__(self, top: Expression, bottom: Expression, *, inline: bool = False) -> None:
        self.top, self.bottom, self.inline = top, bottom, inline

    @property
    def parts(self) -> tuple[Expression, ...]:
        return (self.top, self.bottom)

    @property
    def value(self) -> float:
        top, bottom = self.top.value, self.bottom.value
        return top / bottom if bottom else 0.0

    def binds(self, style: Style) -> int:
        return self.rank if self.inline or style == "text" else 9

    def write(self, style: Style) -> str:
        if self.inline or style == "text":
            return f"{self.inner(self.top, style)} / {self.inner(self.bottom, style)}"
        return rf"\frac{{{self.top.write(style)}}}{{{self.bottom.write(style)}}}"


class Power(Expression):
    rank = 3

    def __init__(self, base: Expression, exponent: int) -> None:
        self.base, self.exponent = base, exponent

    @property
    def parts(self) -> tuple[Expression, ...]:
        return (self.base,)

    @property
    def value(self) -> float:
        with np.errstate(all="ignore"):  # infinite where it is too large, as the stages have it
            return float(np.power(self.base.value, self.exponent))

    def write(self, style: Style) -> str:
        base = self.inner(self.base, style)
        if style in ("latex", "symbols"):
            plain = isinstance(self.base, Cell) and self.base.binds(style) > self.rank
            raised = plain and "^" in base  # TeX takes no second exponent at one letter
            return rf"\left({base}\right)^{{{self.exponent}}}" if raised else f"{base}^{{{self.exponent}}}"
        if np.isinf(self.value) and np.isfinite(self.base.value):  # ** of Python raises what * lets be infinite
            return f"({'*'.join([base] * self.exponent)})"
        return f"{base}**{self.exponent}"


class Function(Expression):
    """exp, tanh, sqrt, cos, sin or erfc of a part."""

    rank = 4

    def __init__(self, name: str, part: Expression) -> None:
        self.name, self.part = name, part

    @property
    def parts(self) -> tuple[Expression, ...]:
        return (self.part,)

    @property
    def value(self) -> float:
        if self.name == "erfc":  # which NumPy does not have
            return math.erfc(self.part.value)
        with np.errstate(all="ignore"):
            return float(getattr(np, self.name)(self.part.value))

    def write(self, style: Style) -> str:
        inside = self.part.write(style)
        if style not in ("latex", "symbols"):
            return f"{self.name}({inside})"
        if self.name == "exp":
            return f"e^{{{inside}}}"
        if self.name == "sqrt":
            return rf"\sqrt{{{inside}}}"
        letters = r"\mathrm{erfc}" if self.name == "erfc" else rf"\{self.name}"
        return rf"{letters}\left({inside}\right)"


class Shown(Expression):
    """A part that stands in formulas as one number, or under a name."""

    def __init__(self, part: Expression, symbols: str) -> None:
        self.part, self.symbols = part, symbols

    @property
    def parts(self) -> tuple[Expression, ...]:
        return (self.part,)

    @property
    def value(self) -> float:
        return self.part.value

    def binds(self, style: Style) -> int:
        return self.number().binds(style) if style == "latex" else 9

    def signed(self, style: Style) -> tuple[str, str]:
        return self.number().signed(style) if style == "latex" else ("", self.write(style))

    def write(self, style: Style) -> str:
        return self.number().write(style) if style == "latex" else self.symbols

    def number(self) -> Number:
        """A maximum is a cell and written like one; what is computed has one more digit."""
        return self.part if isinstance(self.part, Number) else Number(self.value)


class Evaluated(Shown):
    """A part shown as one number, since its own terms are listed elsewhere."""

    def binds(self, style: Style) -> int:
        return {"symbols": 2, "text": self.part.binds(style)}.get(style, super().binds(style))

    def write(self, style: Style) -> str:
        return self.part.write(style) if style == "text" else super().write(style)


class Named(Shown):
    """A part that has a name of its own (a maximum, a total); what it stands for is said once, after the formula."""

    def __init__(self, name: str, symbols: str, part: Expression) -> None:
        super().__init__(part, symbols)
        self.name = name

    def write(self, style: Style) -> str:
        return self.name if style == "text" else super().write(style)

    def equation(self) -> str:
        """`Z = … = 1.6367` in LaTeX."""
        sides = [self.symbols, *([] if isinstance(self.part, Number) else [self.part.write("symbols")])]
        return " = ".join([*sides, self.number().write("latex")])


def named_parts(expression: Expression) -> dict[str, Named]:
    """The parts of a formula that have a name of their own, outer ones first."""
    found = {expression.name: expression} if isinstance(expression, Named) else {}
    for part in expression.kinds:
        found |= {name: named for name, named in named_parts(part).items() if name not in found}
    return found
