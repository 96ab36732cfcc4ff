"""Published checkpoints: read, run in float32, taken apart. Imports engine and formats; no Qt."""

from attn_gui.models.attributing.logit_readings import (
    DirectLogits,
    Moved,
    direct_logits,
    head_effects,
    logit_difference,
    logit_lens,
    moved,
)
from attn_gui.models.attributing.patch_sweep import patch_foretold, patch_sweep, recovered
from attn_gui.models.known_models import KNOWN, KnownModel
from attn_gui.models.model import Model, open_model
from attn_gui.models.passes.layer_changes import LayerChange
from attn_gui.models.run import Run

__all__ = [
    "KNOWN",
    "DirectLogits",
    "KnownModel",
    "LayerChange",
    "Model",
    "Moved",
    "Run",
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
