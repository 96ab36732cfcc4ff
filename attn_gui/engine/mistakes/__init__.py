"""Usual mistakes in computing attention, by subject: one more is one class and its line here. Imports the engine."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from attn_gui.engine.mistakes.products import (
    HeadsCutByView,
    HeadsInterleaved,
    HeadsJoinedByView,
    HeadsTiled,
    MeanOverHeads,
    SoftmaxOverHeads,
)
from attn_gui.engine.mistakes.weights import (
    ByAllHeads,
    ByWidth,
    CausalTooEarly,
    CausalTooLate,
    ClosedAsZero,
    DownColumns,
    DropoutOn,
    MaskAdded,
    MaskAfterSoftmax,
    MaskFlipped,
    NoSoftmax,
    NotDivided,
    NotScaled,
    OverflowingSoftmax,
    PlainShares,
    RootForgotten,
    RootInverted,
    ScaleAfterBias,
    TimesRoot,
)

from .mistake import Mistake
from .products import (
    KeyNotTransposed,
    PlainSum,
    ProjectionTransposed,
    QueryKeySwapped,
    RotaryNeighbors,
    ValueNotProjected,
    WeightsTransposed,
)

MISTAKES: Mapping[str, Mistake] = MappingProxyType(
    {
        mistake.key: mistake
        for mistake in (
            NotScaled(),
            ByWidth(),
            ByAllHeads(),
            TimesRoot(),
            ScaleAfterBias(),
            RootForgotten(),
            RootInverted(),
            KeyNotTransposed(),
            QueryKeySwapped(),
            HeadsCutByView(),
            HeadsInterleaved(),
            HeadsTiled(),
            ProjectionTransposed(),
            ValueNotProjected(),
            RotaryNeighbors(),
            NoSoftmax(),
            DownColumns(),
            SoftmaxOverHeads(),
            NotDivided(),
            PlainShares(),
            OverflowingSoftmax(),
            MaskFlipped(),
            CausalTooEarly(),
            CausalTooLate(),
            ClosedAsZero(),
            MaskAdded(),
            MaskAfterSoftmax(),
            DropoutOn(),
            MeanOverHeads(),
            PlainSum(),
            WeightsTransposed(),
            HeadsJoinedByView(),
        )
    }
)
"""The usual mistakes by their keys, in the order of the computation."""
