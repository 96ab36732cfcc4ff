"""Usual mistakes in computing attention by hand, one a file. Imports the engine; a mistake more is one line here."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from .masking.closed_as_zero import ClosedAsZero
from .masking.mask_after_softmax import MaskAfterSoftmax
from .masking.mask_flipped import MaskFlipped
from .mistake import Mistake
from .products.heads_interleaved import HeadsInterleaved
from .products.key_not_transposed import KeyNotTransposed
from .products.plain_sum import PlainSum
from .products.projection_transposed import ProjectionTransposed
from .products.query_key_swapped import QueryKeySwapped
from .products.weights_transposed import WeightsTransposed
from .scaling.by_all_heads import ByAllHeads
from .scaling.by_width import ByWidth
from .scaling.multiplied import Multiplied
from .scaling.not_scaled import NotScaled
from .scaling.scale_after_bias import ScaleAfterBias
from .shares.columns import DownColumns
from .shares.not_divided import NotDivided
from .shares.overflowing import Overflowing
from .shares.plain_shares import PlainShares

MISTAKES: Mapping[str, Mistake] = MappingProxyType(
    {
        mistake.key: mistake
        for mistake in (
            NotScaled(),
            ByWidth(),
            ByAllHeads(),
            Multiplied(),
            ScaleAfterBias(),
            KeyNotTransposed(),
            QueryKeySwapped(),
            HeadsInterleaved(),
            ProjectionTransposed(),
            DownColumns(),
            NotDivided(),
            PlainShares(),
            Overflowing(),
            MaskFlipped(),
            ClosedAsZero(),
            MaskAfterSoftmax(),
            PlainSum(),
            WeightsTransposed(),
        )
    }
)
"""The usual mistakes by their keys, in the order of the computation."""
