"""The kinds of blocks, each with its tables and its stages in order."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from attn_gui.engine.graph.facts import Form, Name, Operator
from attn_gui.engine.graph.stage import Stage

from .block import CHOICES, NORMALIZED, OUTPUT, Block, ChosenActivation, ChosenNorm, Table, linear
from .norms import LayerNorm

LINEAR, POST, PRE = "linear", "post", "pre"
ROWS, HIDDEN = "batch row column", "batch query column"
EPS = 1e-5  # of a norm, unless given

W_UP = Name("W_up", r"W_{\mathrm{up}}", r"w^{\mathrm{up}}", "Up projection", "升维投影")
W_GATE = Name("W_gate", r"W_{\mathrm{gate}}", r"w^{\mathrm{gate}}", "Gate projection", "门控投影")
W_DOWN = Name("W_down", r"W_{\mathrm{down}}", r"w^{\mathrm{down}}", "Down projection", "降维投影")
B_UP = Name("b_up", r"b_{\mathrm{up}}", r"b^{\mathrm{up}}", "Up bias", "升维偏置")
B_GATE = Name("b_gate", r"b_{\mathrm{gate}}", r"b^{\mathrm{gate}}", "Gate bias", "门控偏置")
B_DOWN = Name("b_down", r"b_{\mathrm{down}}", r"b^{\mathrm{down}}", "Down bias", "降维偏置")
UP = Name("Fᵘ", r"F^{\mathrm{u}}", r"f^{\mathrm{u}}", "Up", "升维")
GATE = Name("Fᵍ", r"F^{\mathrm{g}}", r"f^{\mathrm{g}}", "Gate", "门控")
DOWN = Name("D", "D", "d", "Down", "降维")
RESIDUAL = Name("R", "R", "r", "Residual", "残差连接")
RESIDUAL_2 = Name("R₂", "R_2", "r^{(2)}", "Block residual", "块内残差连接")
NORMED_X = Name("Xⁿ", r"X^{\mathrm{n}}", r"x^{\mathrm{n}}", "Normalized sequence", "归一化后的序列")
NORMED_CONTEXT = Name(
    "X₂ⁿ", r"X_2^{\mathrm{n}}", r"x^{(2)\mathrm{n}}", "Normalized second sequence", "归一化后的第二个序列"
)


def _norm_tables(number: int) -> dict[str, Table]:
    """The learned numbers of one of the two norms."""
    sub = "₁₂"[number - 1]
    weight = Name(
        f"γ{sub}", rf"\gamma_{number}", rf"\gamma^{{({number})}}", f"Norm {number} weight", f"归一化 {number} 的缩放"
    )
    bias = Name(
        f"β{sub}", rf"\beta_{number}", rf"\beta^{{({number})}}", f"Norm {number} bias", f"归一化 {number} 的平移"
    )
    return {f"norm{number}_weight": Table("o", weight, neutral=1.0), f"norm{number}_bias": Table("o", bias, True)}


NETWORK: Mapping[str, Table] = MappingProxyType(
    _norm_tables(1)
    | _norm_tables(2)
    | {
        "w_up": Table("of", W_UP),
        "b_up": Table("f", B_UP, optional=True),
        "w_gate": Table("of", W_GATE, optional=True),
        "b_gate": Table("f", B_GATE, optional=True),
        "w_down": Table("fo", W_DOWN),
        "b_down": Table("o", B_DOWN, optional=True),
    }
)
"""The tables of a block with a feed-forward network."""


def _residual(kind: str) -> Stage:
    return linear(
        "residual",
        "hidden[b i o] = hidden[b i o] + stream[b i o]",
        block=kind,
        called=RESIDUAL,
        form=Form("{sum}"),
        operator=Operator("residual", "add", "相加", "+ X"),
        told="addition",
    )


def _network(kind: str) -> tuple[Stage, ...]:
    """The feed-forward network: up, gate, activation, down."""
    activation = ChosenActivation()
    activation.block = kind
    return (
        linear(
            "up",
            "up[b i f] = hidden[b i o] * w_up[o f] + b_up[f]?",
            block=kind,
            called=UP,
            form=Form("{product}"),
            operator=Operator("up", "up", "升维", "· W_up{bias}"),
            told="linear",
        ),
        linear(
            "gate",
            "gate[b i f] = hidden[b i o] * w_gate[o f] + b_gate[f]?",
            block=kind,
            called=GATE,
            form=Form("{product}"),
            operator=Operator("gate", "gate", "门控", "· W_gate{bias}"),
            told="linear",
        ),
        activation,
        linear(
            "down",
            "hidden[b i o] = hidden[b i f] * w_down[f o] + b_down[o]?",
            block=kind,
            called=DOWN,
            form=Form("{product}"),
            operator=Operator("down", "down", "降维", "· W_down{bias}"),
            told="linear",
        ),
    )


def _norm(
    name: str, axes: str, formula: str, kind: str, called: Name, operator: str, when: tuple[str, ...] = ()
) -> Stage:
    box = Operator(operator, "norm", "归一化层", "" if operator == "norm" else "{function}")
    return ChosenNorm(name, axes, formula, block=kind, called=called, operator=box, when=when)


LINEAR_BLOCK = Block(
    "block",
    {
        "ln_weight": Table("o", Name("γ", r"\gamma", r"\gamma", "LayerNorm weight", "层归一化的缩放"), neutral=1.0),
        "ln_bias": Table("o", Name("β", r"\beta", r"\beta", "LayerNorm bias", "层归一化的平移")),
        "w_linear": Table("ou", Name("W_L", "W_L", "w^L", "Linear weight", "线性层权重")),
        "b_linear": Table("u", Name("b_L", "b_L", "b^L", "Linear bias", "线性层偏置"), optional=True),
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
        linear(
            "block_output",
            "hidden[b i u] = hidden[b i o] * w_linear[o u] + b_linear[u]?",
            block=LINEAR,
            called=OUTPUT,
            form=Form("{product}"),
            operator=Operator("linear", "linear", "线性", "· W_L{bias}"),
            told="linear",
        ),
    ),
)
POST_BLOCK = Block(
    "post_norm_block",
    NETWORK,
    {"norm_eps": EPS},
    CHOICES,
    (
        _residual(POST),
        _norm(
            "normalized",
            HIDDEN,
            "hidden[b i o] = hidden[b i o], norm1_weight[o], norm1_bias[o]?, norm_eps[]",
            POST,
            NORMALIZED,
            "norm",
        ),
        *_network(POST),
        linear(
            "block_residual",
            "hidden[b i o] = hidden[b i o] + normalized[b i o]",
            block=POST,
            called=RESIDUAL_2,
            form=Form("{sum}"),
            operator=Operator("block_residual", "add", "相加", "+ N"),
            told="addition",
        ),
        _norm(
            "block_output",
            HIDDEN,
            "hidden[b i o] = hidden[b i o], norm2_weight[o], norm2_bias[o]?, norm_eps[]",
            POST,
            OUTPUT,
            "norm_last",
        ),
    ),
)
PRE_BLOCK = Block(
    "pre_norm_block",
    NETWORK,
    {"norm_eps": EPS},
    CHOICES,
    (
        _residual(PRE),
        _norm(
            "normalized",
            HIDDEN,
            "hidden[b i o] = hidden[b i o], norm2_weight[o], norm2_bias[o]?, norm_eps[]",
            PRE,
            NORMALIZED,
            "norm",
        ),
        *_network(PRE),
        linear(
            "block_output",
            "hidden[b i o] = hidden[b i o] + residual[b i o]",
            block=PRE,
            called=OUTPUT,
            form=Form("{sum}"),
            operator=Operator("add_residual", "add", "相加", "+ R"),
            told="addition",
        ),
    ),
    (
        _norm(
            "normed_x",
            ROWS,
            "x[b i e] = x[b i e], norm1_weight[e], norm1_bias[e]?, norm_eps[]",
            PRE,
            NORMED_X,
            "norm_x",
        ),
        _norm(
            "normed_context",
            ROWS,
            "context[b j e] = context[b j e], norm1_weight[e], norm1_bias[e]?, norm_eps[]",
            PRE,
            NORMED_CONTEXT,
            "norm_context",
            when=("context",),
        ),
    ),
)
BLOCKS: Mapping[str, Block] = MappingProxyType({LINEAR: LINEAR_BLOCK, POST: POST_BLOCK, PRE: PRE_BLOCK})
"""Every kind of block, by key; the first one where none is named."""
BEFORE = PRE_BLOCK.before
AFTER = (*POST_BLOCK.after, *LINEAR_BLOCK.after, *PRE_BLOCK.after)
"""The stages of all kinds; the post-norm block has them all, in the order in which they are shown."""
