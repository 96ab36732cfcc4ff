"""Sizes and rules of a model: all that its arithmetic is made of beside its numbers."""

from __future__ import annotations

from dataclasses import dataclass

from attn_gui.engine.arrays import Array

PRE, POST = "pre", "post"
LAYER_NORM, RMS_NORM = "layer", "rms"
"""Keys of the engine's blocks and norms."""


@dataclass(frozen=True, eq=False)
class Architecture:
    """One decoder or encoder, its layers alike but for their numbers, scale and window."""

    num_layers: int
    num_heads: int
    num_kv_heads: int
    d_head: int
    d_model: int
    d_mlp: int
    vocabulary: int
    most_tokens: int
    kind: str  # PRE or POST
    norm: str  # LAYER_NORM or RMS_NORM
    norm_eps: float
    activation: str  # as the engine calls it
    scales: tuple[float, ...]  # of each layer
    windows: tuple[int | None, ...]  # of each layer: query i sees key j if i − j < window
    gated: bool = False
    causal: bool = False
    frequencies: Array | None = None  # (d_head / 2,) angles of one position
    first_position: int = 0
    padding_id: int | None = None  # positions count tokens that are not this one, and it has the place before them
    token_types: int = 0

    @property
    def centered(self) -> bool:
        """Whether a norm takes the mean off."""
        return self.norm == LAYER_NORM

    @property
    def early(self) -> bool:
        """Whether the norms stand before attention and MLP, so that a state is a sum of what is added to it."""
        return self.kind == PRE

    def position_count(self) -> int:
        """Rows of the table of positions."""
        return self.most_tokens + self.first_position
