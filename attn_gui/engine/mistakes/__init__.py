"""Usual mistakes in computing attention, by subject: one more is one class and its line here. Imports the engine."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from .heads import HeadsCutByView, HeadsInterleaved, HeadsJoinedByView, HeadsTiled, MeanOverHeads, SoftmaxOverHeads
from .masking import CausalTooEarly, CausalTooLate, ClosedAsZero, MaskAdded, MaskAfterSoftmax, MaskFlipped
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
from .scaling import ByAllHeads, ByWidth, NotScaled, RootForgotten, RootInverted, ScaleAfterBias, TimesRoot
from .softmax import DownColumns, DropoutOn, NoSoftmax, NotDivided, OverflowingSoftmax, PlainShares

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
