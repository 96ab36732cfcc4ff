"""Frequencies of rotary positions, read from the older and newer entries of config.json."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from attn_gui.engine.arrays import Array
from attn_gui.models.reading.config_file import Config


def frequencies(config: Config, width: int) -> Array:
    """(width / 2,) angles of one position, θ^(−2p / width), scaled as config.json says; float32 as they were trained.

    Raises FormatError for a scaling that is not supported.
    Source: Su et al., "RoFormer" (2021); scalings: Chen et al., "Extending Context Window" (2023) and Llama 3.1.
    """
    scaling = config.part("rope_parameters") or config.part("rope_scaling")
    theta = config.number("rope_theta", 10000.0)
    if scaling is None:
        return _unscaled(theta, width)
    theta = scaling.number("rope_theta", theta)
    name = "rope_type" if scaling.given("rope_type") is not None else "type"
    scaling.check(partial_rotary_factor=1.0)
    return scaling.choice(name, SCALINGS, "default")(_unscaled(theta, width), scaling)  # type: ignore[no-any-return]  # one of SCALINGS


def _unscaled(theta: float, width: int) -> Array:
    powers = np.arange(0, width, 2, dtype=np.float32) / np.float32(width)
    return (np.float32(1.0) / np.float32(theta) ** powers).astype(np.float32)


def _default(angles: Array, scaling: Config) -> Array:
    return angles


def _linear(angles: Array, scaling: Config) -> Array:
    return angles / np.float32(scaling.number("factor"))


def _llama3(angles: Array, scaling: Config) -> Array:
    """Slow angles divided by the factor, fast ones kept, a ramp between the two."""
    factor, low, high = (scaling.number(name) for name in ("factor", "low_freq_factor", "high_freq_factor"))
    trained = scaling.number("original_max_position_embeddings")
    waves = 2 * math.pi / angles
    share = (trained / waves - low) / (high - low)
    ramp = (1 - share) * angles / factor + share * angles
    kept = np.where(waves > trained / low, angles / factor, angles)
    between = (waves >= trained / high) & (waves <= trained / low)
    return np.where(between, ramp, kept).astype(np.float32)


SCALINGS: dict[str, Callable[[Array, Config], Array]] = {"default": _default, "linear": _linear, "llama3": _llama3}
"""Functions of the angles, by the name of the scaling."""
