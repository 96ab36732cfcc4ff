"""Published checkpoints, read, run in float32 and taken apart, without Qt: the names that `attn_gui.models` offers.

They are loaded when they are first asked for: the window lists the models at hand at every start, and opens few.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
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

_HOMES = dict.fromkeys(__all__, "attribution") | {
    "KNOWN": "known_models",
    "KnownModel": "known_models",
    "LayerChange": "changed_layers",
    "Model": "model",
    "Run": "model",
    "open_model": "model",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_HOMES[name]}", __name__), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
