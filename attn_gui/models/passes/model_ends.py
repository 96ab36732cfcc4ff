"""Both ends of a model in float32: from tokens to the first layer's x, and from hidden states to logits."""

from __future__ import annotations

import numpy as np

from attn_gui.engine.arrays import Array
from attn_gui.models.families.architecture import Architecture
from attn_gui.models.families.end_weights import EndWeights, NormWeights

from .activations import ACTIVATION, NORM
from .sequence import Sequence


def embedded(ends: EndWeights, sizes: Architecture, sequence: Sequence) -> Array:
    """(token, d_model): the first layer's x."""
    tables = ends.embedding
    found = tables.words[np.asarray(sequence.ids)]
    if tables.positions is not None:
        found = found + tables.positions[sequence.positions(sizes)]
    if tables.types is not None:
        found = found + tables.types[np.asarray(sequence.types)]
    return found if tables.norm is None else _normed(found, tables.norm, sizes)


def finished(ends: EndWeights, sizes: Architecture, last: Array) -> Array:
    """The last layer's output after the final norm, where there is one."""
    return last if ends.final_norm is None else _normed(last, ends.final_norm, sizes)


def scored(ends: EndWeights, sizes: Architecture, hidden: Array) -> Array:
    """Logits of hidden states that are finished. The model must have a head."""
    assert ends.head is not None
    with np.errstate(all="ignore"):
        if ends.head.transform is not None:
            hidden = hidden @ ends.head.transform.matrix + ends.head.transform.bias
            hidden = ACTIVATION[ends.head.activation](hidden)
        if ends.head.norm is not None:
            hidden = _normed(hidden, ends.head.norm, sizes)
        found: Array = hidden @ ends.head.decoder.matrix
        return found if ends.head.decoder.bias is None else found + ends.head.decoder.bias


def _normed(x: Array, norm: NormWeights, sizes: Architecture) -> Array:
    with np.errstate(all="ignore"):
        return NORM[sizes.norm](x, norm.weight, norm.bias, sizes.norm_eps)
