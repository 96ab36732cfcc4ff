"""The fonts that the program brings along, under the name that the window knows; figures without one need them too."""

from __future__ import annotations

from attn_gui.figure.fonts import load_fonts as load_fonts
