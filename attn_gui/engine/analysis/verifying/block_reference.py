"""The stages of a block after the output, in plain loops over Python floats. Imports the problem only."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from attn_gui.engine.problem.problem import Problem

from .plain_rows import Row, Rows, layer_norm, linear, rms_norm

Keep = Callable[[str, Row], Row]
NORMS = {"layer": layer_norm, "rms": rms_norm}


def gelu(x: float) -> float:
    return x * (1 + math.erf(x / math.sqrt(2))) / 2 if x > 0 else x * math.erfc(-x / math.sqrt(2)) / 2


def gelu_tanh(x: float) -> float:
    return x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x))) / 2


def silu(x: float) -> float:
    return x / (1 + math.exp(-x)) if x > -700 else x * math.exp(x)


def relu(x: float) -> float:
    return x if x > 0 or math.isnan(x) else 0.0


ACTIVATIONS = {"gelu": gelu, "gelu_tanh": gelu_tanh, "silu": silu, "relu": relu}
CHOICES = ("linear", "post", "pre", *NORMS, *ACTIVATIONS)
"""Kinds of blocks, of norms and of activations that are known here."""


def layer_of(weight: Any, bias: Any) -> tuple[Rows, Row]:
    """The columns of a weight, and what is added to them."""
    columns = weight.T.tolist()
    return columns, [0.0] * len(columns) if bias is None else bias.tolist()


def norm_of(block: Mapping[str, Any], number: int) -> Callable[[Row], Row]:
    """One of the two norms of a block with a feed-forward network."""
    weight = block[f"norm{number}_weight"].tolist()
    bias = [0.0] * len(weight) if block.get(f"norm{number}_bias") is None else block[f"norm{number}_bias"].tolist()
    return lambda row: NORMS[block["norm"]](row, weight, bias, block["norm_eps"])


class Ending:
    """The stages of a block after the output, for one row after another."""

    def __init__(self, problem: Problem) -> None:
        self.block = block = problem.block
        if block["kind"] == "linear":
            self._last = layer_of(block["w_linear"], block.get("b_linear"))
            return
        self._norms = norm_of(block, 1), norm_of(block, 2)
        parts = ("up", "gate", "down") if block.get("w_gate") is not None else ("up", "down")
        self._layers = {part: layer_of(block[f"w_{part}"], block.get(f"b_{part}")) for part in parts}

    def rows(self, output: Row, x: Row, keep: Keep) -> None:
        """Every stage of a row, handed to `keep`, which gives back what the next one reads."""
        residual = keep("residual", [a + b for a, b in zip(output, x, strict=True)])
        if self.block["kind"] == "linear":
            weight, bias = self.block["ln_weight"].tolist(), self.block["ln_bias"].tolist()
            keep("block_output", linear(keep("normalized", layer_norm(residual, weight, bias, self._eps)), *self._last))
        elif self.block["kind"] == "post":
            normalized = keep("normalized", self._norms[0](residual))
            down = self._network(normalized, keep)
            keep("block_output", self._norms[1](keep("block_residual", _sum(normalized, down))))
        else:
            down = self._network(keep("normalized", self._norms[1](residual)), keep)
            keep("block_output", _sum(residual, down))

    @property
    def _eps(self) -> float:
        return float(self.block["ln_eps"])

    def _network(self, row: Row, keep: Keep) -> Row:
        bend = ACTIVATIONS[self.block["activation"]]
        up = keep("up", linear(row, *self._layers["up"]))
        if "gate" in self._layers:
            gate = keep("gate", linear(row, *self._layers["gate"]))
            found = [bend(g) * u for g, u in zip(gate, up, strict=True)]
        else:
            found = [bend(u) for u in up]
        return keep("down", linear(keep("activated", found), *self._layers["down"]))


def _sum(one: Row, other: Row) -> Row:
    return [a + b for a, b in zip(one, other, strict=True)]
