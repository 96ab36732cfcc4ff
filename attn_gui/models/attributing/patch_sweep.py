"""Patching: cells of one run put into another, place by place, and what comes back of the prediction."""

from __future__ import annotations

import numpy as np

from attn_gui.engine import sentences
from attn_gui.engine.arrays import Array
from attn_gui.engine.errors import FieldError, StageError
from attn_gui.engine.progress import Tell, silent
from attn_gui.engine.stages import STAGE
from attn_gui.formats.file_sentences import QT_TRANSLATE_NOOP
from attn_gui.models.run import Run

from .logit_readings import Token, logit_difference
from .row_taking import UNEQUAL_ROWS

_ALIKE = QT_TRANSLATE_NOOP(
    "Sentences", "The two runs give the same logit, {value}: there is no difference that could be recovered."
)


def recovered(
    changed: Run, clean: Run, patched: Run, token: Token, against: Token | None = None, position: int = -1
) -> float:
    """The share of the difference of two runs in a logit that a third one has back: 0 changed, 1 clean."""
    low, high, found = (logit_difference(run, token, against, position) for run in (changed, clean, patched))
    if high == low:
        raise FieldError(_ALIKE, value=low)
    return (found - low) / (high - low)


def patch_sweep(
    changed: Run,
    clean: Run,
    token: Token,
    against: Token | None = None,
    *,
    stage: str,
    axis: str,
    position: int = -1,
    tell: Tell = silent,
) -> Array:
    """(layer, place): the share that comes back where one place of a stage in one layer is as in the clean run.

    `axis` is one of the stage's, such as "head" or "query". Two texts of the same number of tokens.
    `tell` is told the share that is done; what it raises ends it. Raises StageError, FieldError or ShapeError.
    Source: Meng et al., "Locating and Editing Factual Associations in GPT" (2022); Zhang, Nanda (2024).
    """
    count = clean.stage(0, stage).shape[_place_of(stage, axis)]
    found = np.zeros((clean.model.num_layers, count))
    for done, (layer, place) in enumerate(np.ndindex(*found.shape)):
        tell(done / found.size)
        patched = changed.patch(clean, layer, stage, {axis: place})
        found[layer, place] = recovered(changed, clean, patched, token, against, position)
    return found


def patch_foretold(
    changed: Run,
    clean: Run,
    token: Token,
    against: Token | None = None,
    *,
    stage: str,
    axis: str,
    position: int = -1,
    tell: Tell = silent,
) -> Array:
    """(layer, place): what `patch_sweep` gives, to first order: Σ gradient · (clean − changed), the exact gradient.

    Raises and tells as that does. Source: Nanda, "Attribution Patching" (2023).
    """
    place, layers = _place_of(stage, axis), clean.model.num_layers
    low, high = (logit_difference(run, token, against, position) for run in (changed, clean))
    if high == low:
        raise FieldError(_ALIKE, value=low)
    found = []
    for layer, slopes in changed.gradients(token, stage, against, position):
        tell(1 - (layer + 1) / layers)
        there, here = clean.stage(layer, stage), changed.stage(layer, stage)
        if there.shape != here.shape:
            raise FieldError(UNEQUAL_ROWS, stage=stage, got=there.shape[-1], expected=here.shape[-1])
        with np.errstate(invalid="ignore"):  # −∞ behind a mask in both
            moved = there.astype(np.float64) - here
            parts = np.where(slopes == 0, 0.0, slopes * moved)
        found.append(parts.sum(axis=tuple(k for k in range(parts.ndim) if k != place)) / (high - low))
    return np.array(found[::-1])


def _place_of(stage: str, axis: str) -> int:
    """The place of an axis among those of a stage. Raises StageError, FieldError."""
    if stage not in STAGE:
        raise StageError(sentences.NO_STAGE, stage=stage, choices=tuple(STAGE))
    axes = STAGE[stage].axes
    if axis not in axes:
        raise FieldError(sentences.NO_AXIS, field="axis", stage=stage, got=axis, choices=axes)
    return axes.index(axis)
