"""Parts of formulas beyond sums and products: fractions, powers, functions, and parts with a name of their own."""

from __future__ import annotations

import numpy as np

from .expression import Expression, Number, Style, number_text


class Quotient(Expression):
    """A fraction; 0 / 0 is 0, which is the weight in a row that sees no key."""

    rank = 2

    def __init__(self, top: Expression, bottom: Expression) -> None:
        self.top, self.bottom = top, bottom

    @property
    def parts(self) -> tuple[Expression, ...]:
        return (self.top, self.bottom)

    @property
    def value(self) -> float:
        top, bottom = self.top.value, self.bottom.value
        return top / bottom if bottom else 0.0

    def write(self, style: Style) -> str:
        if style in ("latex", "symbols"):
            return rf"\frac{{{self.top.write(style)}}}{{{self.bottom.write(style)}}}"
        return f"{self.inner(self.top, style)} / {self.inner(self.bottom, style)}"


class Power(Expression):
    rank = 3

    def __init__(self, base: Expression, exponent: int) -> None:
        self.base, self.exponent = base, exponent

    @property
    def parts(self) -> tuple[Expression, ...]:
        return (self.base,)

    @property
    def value(self) -> float:
        return self.base.value**self.exponent

    def write(self, style: Style) -> str:
        base = self.inner(self.base, style)
        if style in ("latex", "symbols"):
            return f"{base}^{{{self.exponent}}}"
        return f"{base}**{self.exponent}"


class Function(Expression):
    """exp, tanh, sqrt, cos or sin of a part."""

    rank = 4

    def __init__(self, name: str, part: Expression) -> None:
        self.name, self.part = name, part

    @property
    def parts(self) -> tuple[Expression, ...]:
        return (self.part,)

    @property
    def value(self) -> float:
        with np.errstate(all="ignore"):
            return float(getattr(np, self.name)(self.part.value))

    def write(self, style: Style) -> str:
        inside = self.part.write(style)
        if style not in ("latex", "symbols"):
            return f"{self.name}({inside})"
        if self.name == "exp":
            return f"e^{{{inside}}}"
        return rf"\sqrt{{{inside}}}" if self.name == "sqrt" else rf"\{self.name}\left({inside}\right)"


class Named(Expression):
    """A part that has a name of its own (a maximum, a total); what it stands for is said once, after the formula."""

    def __init__(self, name: str, latex: str, part: Expression) -> None:
        self.name, self.latex, self.part = name, latex, part

    @property
    def parts(self) -> tuple[Expression, ...]:
        return (self.part,)

    @property
    def value(self) -> float:
        return self.part.value

    def binds(self, style: Style) -> int:
        return self._number().binds(style) if style == "latex" else 9

    def write(self, style: Style) -> str:
        if style == "latex":
            return self._number().write(style)
        return self.latex if style == "symbols" else self.name

    def _number(self) -> Number:
        """A maximum is a cell and written like one; what is computed has one more digit."""
        return self.part if isinstance(self.part, Number) else Number(self.value)

    def equation(self) -> str:
        """`Z = … = 1.6367` in LaTeX."""
        sides = [self.latex, *([] if isinstance(self.part, Number) else [self.part.write("symbols")])]
        return " = ".join([*sides, self._number().write("latex")])

    def named(self) -> dict[str, Named]:
        return {self.name: self} | super().named()


class Evaluated(Expression):
    """A part that is shown as one number, since its own terms are listed elsewhere."""

    def __init__(self, part: Expression, symbols: str) -> None:
        self.part, self.symbols = part, symbols

    @property
    def parts(self) -> tuple[Expression, ...]:
        return (self.part,)

    @property
    def value(self) -> float:
        return self.part.value

    def binds(self, style: Style) -> int:
        if style == "latex":
            return Number(self.value).binds(style)
        return 2 if style == "symbols" else self.part.binds(style)

    def write(self, style: Style) -> str:
        if style == "latex":
            return number_text(self.value, style)
        return self.symbols if style == "symbols" else self.part.write(style)
