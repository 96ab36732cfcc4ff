"""The layer around attention: residual, norms, feed-forward network, gate, activations (GELU, SiLU, ReLU). A new one is
one class and its entry here."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple, Unpack

import numpy as np

from attn_gui.engine.arrays import Array
from attn_gui.engine.graph.expressions import (
    SQUARED,
    Addends,
    Cell,
    Expression,
    Function,
    Largest,
    Leaves,
    Named,
    Negative,
    Number,
    Power,
    Product,
    Quotient,
    Shares,
    Sum,
    add,
    squarable,
    squares,
)
from attn_gui.engine.graph.indices import leveled, zero_safe_product, zero_safe_quotient
from attn_gui.engine.graph.stage import (
    ELEMENTARY,
    CatalogChoices,
    FormulaTemplate,
    Input,
    LinearStage,
    Operator,
    Stage,
    StageFacts,
    StageName,
)
from attn_gui.languages import N_

ROOT_2 = math.sqrt(2.0)
BENT = math.sqrt(2.0 / math.pi)  # the slope of the tanh that comes near to Φ …
CUBED = 0.044715  # … and how much of x³ is added to x in it
LEAST_POWER = -700.0  # whatever is below leaves nothing of SiLU; spreadsheets have no e^x above 709.78

_erfc = np.frompyfunc(math.erfc, 1, 1)  # exact to the last bit but one; rational functions of NumPy are no quicker

MILD = 0.0, SQUARED[1]  # magnitudes that are squared as they are: beside ε small squares may vanish

RMS_HELPER = '''
def rms_norm(rows, weight, bias, eps):
    """Each row, or each head of it, with the mean square 1, then scaled and shifted."""
    parts = rows.reshape(*rows.shape[:-1], -1, weight.shape[0])
    top = {xp}.amax({xp}.abs(parts), axis=-1, keepdims=True)
    top = {xp}.where(top > 1e100, top, 1.0)  # squares of larger numbers would be infinite
    parts, eps = parts / top, eps / top / top
    size = ({xp}.mean(parts**2, axis=-1, keepdims=True) + eps) ** 0.5
    found = parts / size * weight if bias is None else parts / size * weight + bias
    return found.reshape(rows.shape)
'''
LAYER_HELPER = '''
def layer_norm(rows, weight, bias, eps):
    """Each row with mean 0 and variance 1, then scaled and shifted."""
    top = {xp}.amax({xp}.abs(rows), axis=-1, keepdims=True)
    top = {xp}.where(top > 1e100, top, 1.0)  # squares of larger numbers would be infinite
    rows, eps = rows / top, eps / top / top
    centered = rows - {xp}.mean(rows, axis=-1, keepdims=True)
    variance = {xp}.mean(centered**2, axis=-1, keepdims=True)
    scaled = centered / (variance + eps) ** 0.5 * weight
    return scaled if bias is None else scaled + bias
'''

ROWS, HIDDEN = "batch row column", "batch query column"

NORMALIZED = StageName("N", "N", "n", "Normalized", "层归一化")
OUTPUT = StageName("L", "L", r"\ell", "Block output", "块输出")

LINEAR, POST, PRE = "linear", "post", "pre"
EPS = 1e-5  # of a norm, unless given

W_UP = StageName("W_up", r"W_{\mathrm{up}}", r"w^{\mathrm{up}}", "Up projection", "升维投影")
W_GATE = StageName("W_gate", r"W_{\mathrm{gate}}", r"w^{\mathrm{gate}}", "Gate projection", "门控投影")
W_DOWN = StageName("W_down", r"W_{\mathrm{down}}", r"w^{\mathrm{down}}", "Down projection", "降维投影")
B_UP = StageName("b_up", r"b_{\mathrm{up}}", r"b^{\mathrm{up}}", "Up bias", "升维偏置")
B_GATE = StageName("b_gate", r"b_{\mathrm{gate}}", r"b^{\mathrm{gate}}", "Gate bias", "门控偏置")
B_DOWN = StageName("b_down", r"b_{\mathrm{down}}", r"b^{\mathrm{down}}", "Down bias", "降维偏置")
UP = StageName("Fᵘ", r"F^{\mathrm{u}}", r"f^{\mathrm{u}}", "Up", "升维")
GATE = StageName("Fᵍ", r"F^{\mathrm{g}}", r"f^{\mathrm{g}}", "Gate", "门控")
DOWN = StageName("D", "D", "d", "Down", "降维")
RESIDUAL = StageName("R", "R", "r", "Residual", "残差连接")
RESIDUAL_2 = StageName("R₂", "R_2", "r^{(2)}", "Block residual", "块内残差连接")
NORMED_X = StageName("Xⁿ", r"X^{\mathrm{n}}", r"x^{\mathrm{n}}", "Normalized sequence", "归一化后的序列")
NORMED_CONTEXT = StageName(
    "X₂ⁿ", r"X_2^{\mathrm{n}}", r"x^{(2)\mathrm{n}}", "Normalized second sequence", "归一化后的第二个序列"
)


# --- activations ----------------------------------------------------------------------------------
# Activations of the feed-forward network: GELU (Hendrycks, Gimpel, 2016), SiLU (Elfwing et al., 2017) and ReLU.
#
# Gated (Shazeer, "GLU Variants Improve Transformer", 2020) the activation of one product multiplies the other.
class Activation(Stage):
    """A function of every number of x W_up; with a gate, that of x W_gate, times x W_up. Subclasses say which."""

    name = "activated"
    axes = ("batch", "query", "column")
    formula = "hidden[b i f] = up[b i f], gate[b i f]?"
    called = StageName("F", "F", "f", "Activated", "激活结果")
    form = FormulaTemplate("{activation}")
    operator = Operator("activation", "activation", "激活函数")
    wording = "activation"
    key = label = function = ""
    steepest = 1.13  # no slope of any of them is larger
    body = ""  # its formula in a script, of x

    def __init__(self) -> None:
        self.code = f"{self.key}({{inputs}})"
        self.helper = f"\ndef {self.key}(up, gate=None):\n    x = up if gate is None else gate\n"
        self.helper += f"    bent = {self.body}\n    return bent if gate is None else bent * up\n"

    def forward(self, up: Array, gate: Input) -> Array:
        return np.asarray(self.apply(up) if gate is None else self.apply(gate) * up)

    def pull_back(self, grad: Array, result: Array, up: Array, gate: Input) -> Sequence[Input]:
        if gate is None:
            return zero_safe_product(grad, self.slope(up)), None
        return zero_safe_product(grad, self.apply(gate)), zero_safe_product(
            zero_safe_product(grad, up), self.slope(gate)
        )

    def rounding(self, values: Sequence[Any], errors: Sequence[Any]) -> Array:
        up, gate = values
        x, off = (up, errors[0]) if gate is None else (gate, errors[1])
        slip = self.steepest * np.asarray(off) + ELEMENTARY * self.size(x)
        if gate is None:
            return np.asarray(slip)
        bent = np.abs(self.apply(gate))
        return np.asarray(slip * (np.abs(up) + errors[0] * 2.0**-52) + bent * (errors[0] + np.abs(up)))

    def explain(self, at: tuple[int, ...], up: Leaves, gate: Leaves | None) -> Expression:
        return self.expression(up.one) if gate is None else Product(self.expression(gate.one), up.one)

    def general(self, at: tuple[int, ...], up: Leaves, gate: Leaves | None) -> Expression:
        return self.general_expression(up.one) if gate is None else Product(self.general_expression(gate.one), up.one)

    def addends(self, at: tuple[int, ...], up: Leaves, gate: Leaves | None) -> list[Addends]:
        """Return the number itself, since it is not a sum."""
        read = [leaves for leaves in (up, gate) if leaves is not None]
        return [Addends(self.forward(up.values, None if gate is None else gate.values), read)]

    # --- what they differ in ---------------------------------------------------------------------
    def apply(self, x: Array) -> Array:
        """Return f(x)."""
        raise NotImplementedError

    def slope(self, x: Array) -> Array:
        """Return f'(x)."""
        raise NotImplementedError

    def size(self, x: Array) -> Array:
        """Return the magnitude by which the rounding errors of f(x) are measured."""
        return np.abs(self.apply(x))

    def expression(self, x: Cell) -> Expression:
        """Return the formula of f at one number."""
        raise NotImplementedError

    def general_expression(self, x: Cell) -> Expression:
        """Return a formula of f that holds for any number."""
        return self.expression(x)


class Gelu(Activation):
    """x Φ(x) = x erfc(−x / √2) / 2, which keeps its digits where 1 + erf would lose them."""

    key, label, function = "gelu", "GELU", "GELU"
    body = "x * {erfc}(-x / 2**0.5) / 2"

    def apply(self, x: Array) -> Array:
        return np.asarray(x * _normal(x))

    def slope(self, x: Array) -> Array:
        return np.asarray(_normal(x) + x * np.exp(-x * x / 2) / math.sqrt(2 * math.pi))

    def size(self, x: Array) -> Array:
        return np.asarray(np.abs(self.apply(x)) * (2 + np.minimum(x, 0.0) ** 2))

    def expression(self, x: Cell) -> Expression:
        inside = Function("erfc", Negative(Quotient(x, Function("sqrt", Number(2)), inline=True)))
        return Quotient(Product(x, inside), Number(2))


class GeluTanh(Activation):
    """x (1 + tanh(√(2/π) (x + 0.044715 x³))) / 2, which comes near to x Φ(x)."""

    key, label, function = "gelu_tanh", "GELU (tanh)", "GELU"
    body = "x * (1 + {xp}.tanh((2 / 3.141592653589793) ** 0.5 * (x + 0.044715 * x**3))) / 2"

    def apply(self, x: Array) -> Array:
        return np.asarray(x * (1 + np.tanh(BENT * (x + CUBED * x**3))) / 2)

    def slope(self, x: Array) -> Array:
        bent = np.tanh(BENT * (x + CUBED * x**3))
        flat = np.abs(bent) == 1
        inner = np.where(flat, 0.0, x * (1 - bent * bent) * BENT * (1 + 3 * CUBED * x * x))
        return np.asarray((1 + bent + inner) / 2)

    def size(self, x: Array) -> Array:
        return np.abs(x)

    def expression(self, x: Cell) -> Expression:
        inside = add(x, Product(Number(CUBED), Power(x, 3)))
        slope = Function("sqrt", Quotient(Number(2), Number(math.pi), inline=True))
        return Quotient(Product(x, add(Number(1), Function("tanh", Product(slope, inside)))), Number(2))


class Silu(Activation):
    """x / (1 + e^−x), known as swish, too."""

    key, label, function = "silu", "SiLU", "SiLU"
    body = "x / (1 + {xp}.exp(-x))"

    def apply(self, x: Array) -> Array:
        return np.asarray(x / (1 + np.exp(-x)))

    def slope(self, x: Array) -> Array:
        share = 1 / (1 + np.exp(-x))
        return np.asarray(share + np.where(share == 0, 0.0, x * share * (1 - share)))

    def size(self, x: Array) -> Array:
        return np.asarray(np.abs(self.apply(x)) * (1 + np.abs(x)))

    def expression(self, x: Cell) -> Expression:
        return self._over(x, x)

    def general_expression(self, x: Cell) -> Expression:
        return self._over(x, Largest(add(x, Number(LEAST_POWER))))

    @staticmethod
    def _over(x: Cell, power: Expression) -> Expression:
        return Quotient(x, add(Number(1), Function("exp", Negative(power))))


class Relu(Activation):
    """x where it is above 0, and 0 elsewhere; its slope at 0 is taken to be 0."""

    key, label, function = "relu", "ReLU", "ReLU"
    body = "{xp}.where(x < 0, 0.0, x)"

    def apply(self, x: Array) -> Array:
        return np.maximum(x, 0.0)

    def slope(self, x: Array) -> Array:
        return np.asarray((x > 0) * 1.0)

    def expression(self, x: Cell) -> Expression:
        return x if x.value > 0 or x.value != x.value else Number(0.0)

    def general_expression(self, x: Cell) -> Expression:
        return Largest(add(x, Number(0.0)))


def _normal(x: Array) -> Array:
    """Return Φ(x) = erfc(−x / √2) / 2, the distribution function of the normal distribution."""
    return np.asarray(_erfc(-x / ROOT_2), dtype=np.float64) / 2


# --- norms ----------------------------------------------------------------------------------------
# Norms of rows: RMSNorm (Zhang, Sennrich, 2019) and layer normalization (Ba, Kiros, Hinton, 2016).
class RMSNorm(Stage):
    """Every row over the root of its mean square, then scaled, and shifted where there is a bias."""

    label = "RMSNorm"
    function = "RMSNorm"
    form = FormulaTemplate(r"\mathrm{{{function}}}({first})")
    wording = "norm"
    sentence = N_(
        "Column {column} of {token}: {value}. The row of {source} is divided by the root of its mean square, "
        "then multiplied by {weight}.",
    )
    shifted = N_(
        "Column {column} of {token}: {value}. The row of {source} is divided by the root of its mean square, "
        "then multiplied by {weight}, plus {shift}.",
    )
    code, helper = "rms_norm({inputs})", RMS_HELPER
    squares = MappingProxyType({0: MILD})

    def __init__(self, name: str, axes: str, formula: str, **facts: Unpack[StageFacts]) -> None:
        """Make the norm; its formula names the rows, the weight, the bias and ε, in this order."""
        self.name, self.axes, self.formula = name, tuple(axes.split()), formula
        vars(self).update(facts)
        self.along = self.target.axes[-1][-1]

    def forward(self, x: Array, weight: Array, bias: Input, eps: Array) -> Array:
        found = self._standard(x, eps)[0] * weight
        return np.asarray(found if bias is None else found + bias)

    def pull_back(
        self, grad: Array, result: Array, x: Array, weight: Array, bias: Input, eps: Array
    ) -> Sequence[Input]:
        unit, deviation = self._standard(x, eps)
        g = grad * weight
        along = zero_safe_product(g, unit)
        share = along.mean(axis=-1, keepdims=True)
        slope = self._centered(zero_safe_quotient(g - zero_safe_product(share, unit), deviation))
        return (
            slope,
            zero_safe_product(grad, unit),
            None if bias is None else grad,
            zero_safe_quotient(-along, 2 * deviation**2),
        )

    def rounding(self, values: Sequence[Any], errors: Sequence[Any]) -> Array:
        x, weight, bias, eps = values
        off, count = errors[0], x.shape[-1]
        top = np.maximum(np.abs(x).max(axis=-1, keepdims=True), 1.0)  # squares of what is divided by it do not overflow
        x, off = x / top, off / top
        centered = self._centered(x)
        deviation = np.sqrt((centered**2).mean(axis=-1, keepdims=True) + eps / top / top)
        unit = np.abs(centered / deviation)
        off = off + self._slip(x, off) + np.abs(centered)
        spread = np.sqrt((off**2).mean(axis=-1, keepdims=True)) + (count + 4) * deviation
        found = np.abs(weight) * ((off + unit * spread) / deviation + 5 * unit)
        return np.asarray(found if bias is None else found + 3 * np.abs(bias))

    def explain(self, at: tuple[int, ...], row: Leaves, weight: Leaves, bias: Leaves | None, eps: Leaves) -> Expression:
        x = self._squarable(row)
        mean_square = Named("ms", r"\mathrm{ms}", Quotient(squares(x), Number(x.values.size)))
        return self._finished(x[at], add(mean_square, _within(x, eps)), at, weight, bias)

    @staticmethod
    def _squarable(row: Leaves) -> Leaves | Shares:
        """Return the row, divided by its largest magnitude where squares of its numbers could overflow or vanish."""
        return squarable(row, "max", MILD)

    @staticmethod
    def _finished(
        top: Expression, square: Expression, at: tuple[int, ...], weight: Leaves, bias: Leaves | None
    ) -> Expression:
        unit = Quotient(top, Function("sqrt", square))
        scaled = Product(unit, weight[at])
        return scaled if bias is None else add(scaled, bias[at])

    def addends(
        self, at: tuple[int, ...], x: Leaves, weight: Leaves, bias: Leaves | None, eps: Leaves
    ) -> list[Addends]:
        """Return the normalized row, before it is scaled by the weight."""
        return [Addends(self._standard(x.values, np.asarray(eps.one.value))[0], [x])]

    # --- what the norms differ in ----------------------------------------------------------------
    def _centered(self, x: Array) -> Array:
        """Return the rows less what the norm subtracts before it measures their size: here nothing."""
        return x

    def _slip(self, x: Array, off: Array) -> Array:
        """Return the rounding error of what the norm subtracts, in units of 2^−52; `off` are those of the rows."""
        return np.zeros(())

    def _standard(self, x: Array, eps: Array) -> tuple[Array, Array]:
        """Return (rows / size, size), where size² is the mean square plus ε.

        Large rows are scaled by a power of two first, so that no square overflows.
        """
        level, above = leveled(x, -1)
        centered, more = leveled(self._centered(level), -1)
        apart = (centered != 0).any(axis=-1, keepdims=True)  # ε alone is left beside a row of equal numbers
        exponent = np.where(apart, np.maximum(above + more, 0), 0)
        centered = np.ldexp(centered, above + more - exponent)
        size = np.sqrt((centered**2).mean(axis=-1, keepdims=True) + np.ldexp(eps, -2 * exponent))
        return centered / size, np.ldexp(size, exponent)


class LayerNorm(RMSNorm):
    """Every row shifted to mean 0 and divided to variance 1, then scaled and shifted by learned numbers."""

    label = "LayerNorm"
    function = "LayerNorm"
    sentence = N_(
        "Column {column} of {token}: {value}. The row of {source} is brought to mean 0 and variance 1, "
        "then multiplied by {weight}.",
    )
    shifted = N_(
        "Column {column} of {token}: {value}. The row of {source} is brought to mean 0 and variance 1, "
        "then multiplied by {weight}, plus {shift}.",
    )
    code, helper = "layer_norm({inputs})", LAYER_HELPER

    def explain(self, at: tuple[int, ...], row: Leaves, weight: Leaves, bias: Leaves | None, eps: Leaves) -> Expression:
        x = self._squarable(row)
        count, mean_value = Number(x.values.size), float(x.values.mean())
        total = Sum(x.values.size, lambda k: x[[k]], x.values, rf"\sum_c {x.latex}")
        mean = Named("mu", r"\mu", Quotient(total, count))
        apart = Sum(
            x.values.size,
            lambda k: Power(add(x[[k]], Negative(mean)), 2),
            (x.values - mean_value) ** 2,
            rf"\sum_c \left({x.latex} - \mu\right)^{{2}}",
        )
        variance = Named("var", r"\sigma^{2}", Quotient(apart, count))
        return self._finished(add(x[at], Negative(mean)), add(variance, _within(x, eps)), at, weight, bias)

    def _centered(self, x: Array) -> Array:
        return np.asarray(x - x.mean(axis=-1, keepdims=True))

    def _slip(self, x: Array, off: Array) -> Array:
        return np.asarray((off + x.shape[-1] * np.abs(x)).mean(axis=-1, keepdims=True))


def _within(x: Leaves | Shares, eps: Leaves) -> Expression:
    """Return ε in the formula: divided by the square of the number that the row is divided by, if it is."""
    return x.over(x.over(eps.one)) if isinstance(x, Shares) else eps.one


# --- block stages ---------------------------------------------------------------------------------
NORMS: Mapping[str, type[RMSNorm]] = MappingProxyType({"layer": LayerNorm, "rms": RMSNorm})
"""Norms of a block, by key; the first one unless another is asked for."""
ACTIVATIONS: Mapping[str, Activation] = MappingProxyType({one.key: one for one in (Gelu(), GeluTanh(), Silu(), Relu())})
"""Activations of a block's feed-forward network, by key; the first one unless another is asked for."""
CHOICES: Mapping[str, Sequence[str]] = MappingProxyType({"norm": tuple(NORMS), "activation": tuple(ACTIVATIONS)})
"""Choices of a block with a feed-forward network from these catalogs."""


class BlockTable(NamedTuple):
    """A table of a block: the letters of its axes (o the width of x, f that of the feed-forward network, u that of the
    output), its names, whether it may be missing, and the number that changes nothing."""

    letters: str
    name: StageName
    optional: bool = False
    neutral: float = 0.0


@dataclass(frozen=True)
class BlockKind:
    """An entry of BLOCKS: its tables and numbers, the choices that it makes, and its stages.

    `before` stand before the projections, `after` follow the output; `action` is the one that adds it.
    """

    action: str
    tables: Mapping[str, BlockTable]
    numbers: Mapping[str, float]
    choices: Mapping[str, Sequence[str]]
    after: tuple[Stage, ...]
    before: tuple[Stage, ...] = ()

    @cached_property
    def needed(self) -> tuple[str, ...]:
        """The tables that it cannot be without."""
        return tuple(name for name, table in self.tables.items() if not table.optional)


class ChosenNorm(Stage):
    """The place of the norm that the block chooses."""

    def __init__(self, name: str, axes: str, formula: str, **facts: Unpack[StageFacts]) -> None:
        self.name, self.axes, self.formula, self._facts = name, tuple(axes.split()), formula, facts
        vars(self).update({"form": RMSNorm.form, "wording": RMSNorm.wording} | facts)

    def fitted(self, choices: CatalogChoices) -> Stage:
        block: Any = choices.block
        return NORMS[block["norm"]](self.name, " ".join(self.axes), self.formula, **self._facts)


class ChosenActivation(Activation):
    """The place of the activation that the block chooses."""

    def fitted(self, choices: CatalogChoices) -> Stage:
        block: Any = choices.block
        return ACTIVATIONS[block["activation"]]


def _product(name: str, formula: str, kind: str, called: StageName, operator: Operator) -> LinearStage:
    """Return rows behind the output times a table, one for each query."""
    form = FormulaTemplate("{product}")
    return LinearStage(name, HIDDEN, formula, block=kind, called=called, form=form, operator=operator, wording="linear")


def _sum(name: str, formula: str, kind: str, called: StageName, operator: Operator) -> LinearStage:
    """Return the sum of two matrices behind the output, one row for each query."""
    form = FormulaTemplate("{sum}")
    return LinearStage(
        name, HIDDEN, formula, block=kind, called=called, form=form, operator=operator, wording="addition"
    )


# --- kinds of blocks ------------------------------------------------------------------------------
def _norm_tables(number: int) -> dict[str, BlockTable]:
    """Return the learned numbers of one of the two norms."""
    sub = "₁₂"[number - 1]
    weight = StageName(
        f"γ{sub}", rf"\gamma_{number}", rf"\gamma^{{({number})}}", f"Norm {number} weight", f"归一化 {number} 的缩放"
    )
    bias = StageName(
        f"β{sub}", rf"\beta_{number}", rf"\beta^{{({number})}}", f"Norm {number} bias", f"归一化 {number} 的平移"
    )
    return {
        f"norm{number}_weight": BlockTable("o", weight, neutral=1.0),
        f"norm{number}_bias": BlockTable("o", bias, True),
    }


NETWORK: Mapping[str, BlockTable] = MappingProxyType(
    _norm_tables(1)
    | _norm_tables(2)
    | {
        "w_up": BlockTable("of", W_UP),
        "b_up": BlockTable("f", B_UP, optional=True),
        "w_gate": BlockTable("of", W_GATE, optional=True),
        "b_gate": BlockTable("f", B_GATE, optional=True),
        "w_down": BlockTable("fo", W_DOWN),
        "b_down": BlockTable("o", B_DOWN, optional=True),
    }
)
"""The tables of a block with a feed-forward network."""


def _residual(kind: str) -> Stage:
    formula = "hidden[b i o] = hidden[b i o] + stream[b i o]"
    return _sum("residual", formula, kind, RESIDUAL, Operator("residual", "add", "相加", "+ X"))


def _network(kind: str) -> tuple[Stage, ...]:
    """Return the feed-forward network: up, gate, activation, down."""
    activation = ChosenActivation()
    activation.block = kind
    return (
        _product(
            "up",
            "up[b i f] = hidden[b i o] * w_up[o f] + b_up[f]?",
            kind,
            UP,
            Operator("up", "up", "升维", "· W_up{bias}"),
        ),
        _product(
            "gate",
            "gate[b i f] = hidden[b i o] * w_gate[o f] + b_gate[f]?",
            kind,
            GATE,
            Operator("gate", "gate", "门控", "· W_gate{bias}"),
        ),
        activation,
        _product(
            "down",
            "hidden[b i o] = hidden[b i f] * w_down[f o] + b_down[o]?",
            kind,
            DOWN,
            Operator("down", "down", "降维", "· W_down{bias}"),
        ),
    )


def _norm(
    number: int,
    name: str,
    kind: str,
    called: StageName,
    operator: str,
    *,
    axes: str = HIDDEN,
    cells: str = "hidden[b i o]",
    when: tuple[str, ...] = (),
) -> Stage:
    """Return the first or second norm of a block, of the rows of a variable."""
    row = cells[-2]
    formula = f"{cells} = {cells}, norm{number}_weight[{row}], norm{number}_bias[{row}]?, norm_eps[]"
    box = Operator(operator, "norm", "归一化层", "" if operator == "norm" else "{function}")
    return ChosenNorm(name, axes, formula, block=kind, called=called, operator=box, when=when)


LINEAR_BLOCK = BlockKind(
    "block",
    {
        "ln_weight": BlockTable(
            "o", StageName("γ", r"\gamma", r"\gamma", "LayerNorm weight", "层归一化的缩放"), neutral=1.0
        ),
        "ln_bias": BlockTable("o", StageName("β", r"\beta", r"\beta", "LayerNorm bias", "层归一化的平移")),
        "w_linear": BlockTable("ou", StageName("W_L", "W_L", "w^L", "Linear weight", "线性层权重")),
        "b_linear": BlockTable("u", StageName("b_L", "b_L", "b^L", "Linear bias", "线性层偏置"), optional=True),
    },
    {"ln_eps": EPS},
    {},
    (
        _residual(LINEAR),
        LayerNorm(
            "normalized",
            HIDDEN,
            "hidden[b i o] = hidden[b i o], ln_weight[o], ln_bias[o]?, ln_eps[]",
            block=LINEAR,
            called=NORMALIZED,
            operator=Operator("normalized", "layer norm", "层归一化", "LayerNorm"),
        ),
        _product(
            "block_output",
            "hidden[b i u] = hidden[b i o] * w_linear[o u] + b_linear[u]?",
            LINEAR,
            OUTPUT,
            Operator("linear", "linear", "线性", "· W_L{bias}"),
        ),
    ),
)
POST_BLOCK = BlockKind(
    "post_norm_block",
    NETWORK,
    {"norm_eps": EPS},
    CHOICES,
    (
        _residual(POST),
        _norm(1, "normalized", POST, NORMALIZED, "norm"),
        *_network(POST),
        _sum(
            "block_residual",
            "hidden[b i o] = hidden[b i o] + normalized[b i o]",
            POST,
            RESIDUAL_2,
            Operator("block_residual", "add", "相加", "+ N"),
        ),
        _norm(2, "block_output", POST, OUTPUT, "norm_last"),
    ),
)
PRE_BLOCK = BlockKind(
    "pre_norm_block",
    NETWORK,
    {"norm_eps": EPS},
    CHOICES,
    (
        _residual(PRE),
        _norm(2, "normalized", PRE, NORMALIZED, "norm"),
        *_network(PRE),
        _sum(
            "block_output",
            "hidden[b i o] = hidden[b i o] + residual[b i o]",
            PRE,
            OUTPUT,
            Operator("add_residual", "add", "相加", "+ R"),
        ),
    ),
    (
        _norm(1, "normed_x", PRE, NORMED_X, "norm_x", axes=ROWS, cells="x[b i e]"),
        _norm(
            1,
            "normed_context",
            PRE,
            NORMED_CONTEXT,
            "norm_context",
            axes=ROWS,
            cells="context[b j e]",
            when=("context",),
        ),
    ),
)
BLOCKS: Mapping[str, BlockKind] = MappingProxyType({LINEAR: LINEAR_BLOCK, POST: POST_BLOCK, PRE: PRE_BLOCK})
"""Every kind of block, by key; the first one where none is named."""
BEFORE = PRE_BLOCK.before
AFTER = (*POST_BLOCK.after, *LINEAR_BLOCK.after, *PRE_BLOCK.after)
"""The stages of all kinds; the post-norm block has them all, in the order in which they are shown."""
