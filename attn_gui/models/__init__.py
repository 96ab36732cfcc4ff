"""Published checkpoints: read, run in float32, taken apart. Imports engine and formats; no Qt."""

from attn_gui.models.model import Model, open_model
from attn_gui.models.run import Run

__all__ = ["Model", "Run", "open_model"]
