"""Sentence on the saturation of a row of weights at several scales."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from attn_gui.engine.analysis.sweep import SATURATED, ScaledRow
from attn_gui.figure.pages.ink import Ink
from attn_gui.figure.text.numbers import format_number, significant


def saturation_sentence(rows: Sequence[ScaledRow], ink: Ink) -> str:
    """Whether the softmax of a row saturates at one of three scales, as far as its weights can show it."""
    translate = ink.translate
    if rows[0].by_hand:
        return translate("Pages", "Weights of this row are changed by hand: the softmax alone does not make them.")
    if rows[0].ceiling == 0:
        if not rows[0].weights.any():
            return translate("Pages", "This row has no open key.")
        return translate("Pages", "This row has one open key: its weight is the same at any scale.")
    if not all(np.isfinite(row.weights).all() for row in rows):
        return translate("Pages", "Weights of this row are not numbers at every scale.")
    saturated = [row for row in rows if row.saturated]
    if not saturated:
        text = translate(
            "Pages", "At none of the three scales does the softmax of this row saturate (a weight above {limit})."
        )
        return text.format(limit=SATURATED)
    worst = max(saturated, key=lambda row: float(row.weights.max()))
    text = translate(
        "Pages",
        "The softmax saturates at the scale {scale}: one weight takes {weight}, ‖diag(a) − aaᵀ‖ is {jacobian} "
        "of at most 0.5.",
    )
    weight, jacobian = format_number(worst.weights.max(), 4), three_digits(worst.jacobian)
    return text.format(scale=three_digits(worst.scale), weight=weight, jacobian=jacobian)


def three_digits(value: float) -> str:
    """A number in three digits; "–" for what is no number."""
    return significant(float(value), 3) if np.isfinite(value) else "–"
