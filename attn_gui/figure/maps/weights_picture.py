"""Picture of a small map of weights, one pixel a cell."""

from __future__ import annotations

from PySide6.QtGui import QImage

from attn_gui.figure.colors import lut
from attn_gui.figure.display import Values, argb, auto_levels, to_display
from attn_gui.figure.levels import Shade
from attn_gui.figure.tokens import Theme


def weights_picture(weights: Values, keys: int, theme: Theme) -> QImage:
    """A picture of (rows, columns) weights of `keys` keys, pooled where those are many, over its own levels."""
    display = to_display(weights, None, auto_levels(weights, signed=False, keys=keys))
    pixels = argb(display, lut(Shade().palette_for(signed=False), theme.name), theme)
    rows, columns = pixels.shape
    return QImage(pixels.data, columns, rows, 4 * columns, QImage.Format.Format_RGB32).copy()  # owns its pixels
