"""Activations and norms in float32, as fast as NumPy has them."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from attn_gui.engine.arrays import Array

F = np.float32
_ERF = tuple(map(F, (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592)))
_SLOPE = F(0.3275911)


def erf(x: Array) -> Array:
    """The error function to 2e-7. Source: Abramowitz, Stegun, formula 7.1.26."""
    size = np.abs(x)
    t = F(1) / (F(1) + _SLOPE * size)
    total = t * _ERF[0]
    for factor in _ERF[1:]:
        total += factor
        total *= t
    total *= np.exp(-size * size)
    return np.asarray(np.copysign(F(1) - total, x))


def gelu(x: Array) -> Array:
    found = erf(x * F(math.sqrt(0.5)))
    found += F(1)
    found *= x
    found *= F(0.5)
    return found


def gelu_tanh(x: Array) -> Array:
    found = x * x
    found *= x
    found *= F(0.044715)
    found += x
    found *= F(math.sqrt(2 / math.pi))
    np.tanh(found, out=found)
    found += F(1)
    found *= x
    found *= F(0.5)
    return found


def silu(x: Array) -> Array:
    return x / (F(1) + np.exp(-x))


def relu(x: Array) -> Array:
    return np.maximum(x, F(0))


ACTIVATION: dict[str, Callable[[Array], Array]] = {"gelu": gelu, "gelu_tanh": gelu_tanh, "silu": silu, "relu": relu}
"""By the engine's names."""


def gelu_slope(x: Array) -> Array:
    found = np.exp(x * x * F(-0.5))
    found *= x
    found *= F(1 / math.sqrt(2 * math.pi))
    found += (erf(x * F(math.sqrt(0.5))) + F(1)) * F(0.5)
    return found


def gelu_tanh_slope(x: Array) -> Array:
    squares = x * x
    bent = np.tanh(x * (F(1) + squares * F(0.044715)) * F(math.sqrt(2 / math.pi)))
    inner: Array = (F(1) - bent * bent) * (F(1) + squares * F(3 * 0.044715)) * x
    inner *= F(math.sqrt(2 / math.pi))
    inner += bent + F(1)
    inner *= F(0.5)
    return inner


def silu_slope(x: Array) -> Array:
    share = F(1) / (F(1) + np.exp(-x))
    found: Array = share + x * share * (F(1) - share)
    return found


def relu_slope(x: Array) -> Array:
    return (x > 0).astype(x.dtype)


SLOPE = {"gelu": gelu_slope, "gelu_tanh": gelu_tanh_slope, "silu": silu_slope, "relu": relu_slope}
"""Derivatives of the activations."""


def layer_norm(x: Array, weight: Array, bias: Array | None, eps: float) -> Array:
    found: Array = x - x.mean(-1, keepdims=True, dtype=np.float64).astype(x.dtype)
    found /= _root_mean_square(found, eps)
    found *= weight
    return found if bias is None else found + bias


def rms_norm(x: Array, weight: Array, bias: Array | None, eps: float) -> Array:
    found: Array = x / _root_mean_square(x, eps)
    found *= weight
    return found if bias is None else found + bias


NORM: dict[str, Callable[[Array, Array, Array | None, float], Array]] = {"layer": layer_norm, "rms": rms_norm}
"""By the engine's names."""


def norm_pulled(x: Array, weight: Array, eps: float, grad: Array, *, centered: bool) -> Array:
    """The gradient by what goes into a norm, rows of x, from the one by what comes out; in their precision."""
    unit = x - x.mean(-1, keepdims=True, dtype=np.float64).astype(x.dtype) if centered else x
    divisor = _root_mean_square(unit, eps)
    unit = unit / divisor
    grad = grad * weight
    if centered:
        grad -= grad.mean(-1, keepdims=True)
    grad -= unit * np.einsum("...i,...i->...", grad, unit)[..., None] / x.shape[-1]
    grad /= divisor
    return grad


def _root_mean_square(x: Array, eps: float) -> Array:
    """Summed in float64, which holds the square of every number in single precision."""
    squares: Array = np.einsum("...i,...i->...", x, x, dtype=np.float64)[..., None] / x.shape[-1]
    return np.sqrt(squares + eps).astype(x.dtype)


def softmax(logits: Array) -> Array:
    """Shares of every row, over its own memory; a row that is closed everywhere has none, and one with NaN or an open ∞
    has no number at any open key."""
    top = logits.max(-1, keepdims=True)
    wild = ~(top[..., 0] < np.inf)
    spoiled = np.where(logits[wild] == -np.inf, F(0), F(np.nan))
    top[~np.isfinite(top)] = F(0)
    with np.errstate(all="ignore"):
        logits -= top
        np.exp(logits, out=logits)
        total = logits.sum(-1, keepdims=True)
        total[total == 0] = F(1)
        logits /= total
    logits[wild] = spoiled
    return logits
