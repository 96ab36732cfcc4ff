"""Take attention apart by hand: edit Q, K, V and watch every step follow.

The public names are loaded when they are first asked for: importing the package costs neither NumPy nor Qt.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from attn_gui.app.explore import explore
    from attn_gui.engine import Problem, ShapeError, compute, explain, sensitivity, solve
    from attn_gui.figure.sheet import render
    from attn_gui.formats import load, save

__version__ = "0.1.0"
__all__ = ["Problem", "ShapeError", "compute", "explain", "explore", "load", "render", "save", "sensitivity", "solve"]

_HOMES = {
    "Problem": "attn_gui.engine",
    "ShapeError": "attn_gui.engine",
    "compute": "attn_gui.engine",
    "explain": "attn_gui.engine",
    "explore": "attn_gui.app.explore",
    "load": "attn_gui.formats",
    "render": "attn_gui.figure.sheet",
    "save": "attn_gui.formats",
    "sensitivity": "attn_gui.engine",
    "solve": "attn_gui.engine",
}


_DRAWN = ("explore", "render")  # these import Qt, which fails without its libraries and does not say which


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name in _DRAWN:
        from attn_gui.libraries import DRAWING, complaint

        if reason := complaint(DRAWING):
            raise ImportError(reason)
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
