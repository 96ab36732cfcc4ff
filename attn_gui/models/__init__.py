"""Published checkpoints, read, run in float32 and taken apart, without Qt: the names that `attn_gui.models` offers."""

from attn_gui.models.attribution import (
    DirectLogits,
    RunDifference,
    direct_logits,
    head_effects,
    logit_difference,
    logit_lens,
    moved,
    patch_foretold,
    patch_sweep,
    recovered,
)
from attn_gui.models.changed_layers import LayerChange
from attn_gui.models.known_models import KNOWN, KnownModel
from attn_gui.models.model import Model, Run, open_model

__all__ = [
    "KNOWN",
    "DirectLogits",
    "KnownModel",
    "LayerChange",
    "Model",
    "Run",
    "RunDifference",
    "direct_logits",
    "head_effects",
    "logit_difference",
    "logit_lens",
    "moved",
    "open_model",
    "patch_foretold",
    "patch_sweep",
    "recovered",
]
