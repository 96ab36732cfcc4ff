"""Numbers at both ends of a model: token tables before the first layer, norm and head behind the last."""

from __future__ import annotations

from typing import NamedTuple

from attn_gui.engine.arrays import Array


class NormWeights(NamedTuple):
    """The numbers of a norm; without a bias in RMSNorm."""

    weight: Array
    bias: Array | None


class Dense(NamedTuple):
    """A matrix [in, out] and what is added."""

    matrix: Array
    bias: Array | None


class Embedding(NamedTuple):
    """Tables from which the first layer's x is summed up."""

    words: Array
    positions: Array | None
    types: Array | None
    norm: NormWeights | None


class Head(NamedTuple):
    """The way from a hidden state to logits: a layer of its own where there is one, then a score for each token."""

    transform: Dense | None
    norm: NormWeights | None
    decoder: Dense  # [d_model, vocabulary]
    activation: str = ""  # behind `transform`, as the engine calls it


class EndWeights(NamedTuple):
    """Both ends of a model; None for what it does not have."""

    embedding: Embedding
    final_norm: NormWeights | None
    head: Head | None
    pooler: Dense | None
