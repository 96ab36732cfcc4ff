"""Take attention apart by hand: edit Q, K, V and watch every step follow.

The public names are loaded when they are first asked for: importing the package costs neither NumPy nor Qt.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from attn_gui.version import VERSION

if TYPE_CHECKING:
    from attn_gui.app.explore import Explorer, explore
    from attn_gui.commands.export_command import export_files
    from attn_gui.engine import (
        Cell,
        Comparison,
        Explanation,
        FieldError,
        FieldTypeError,
        PlaceError,
        Problem,
        Report,
        ShapeError,
        Solution,
        StageError,
        Suspect,
        Term,
        Trace,
        compare,
        compute,
        explain,
        sensitivity,
        solve,
        verify,
    )
    from attn_gui.engine.analysis.precisions import compare_precisions
    from attn_gui.figure.render import Picture, render
    from attn_gui.figure.worksheet_files import write_solution
    from attn_gui.formats import FormatError, load, save
    from attn_gui.models import Model, Run, open_model

__version__ = VERSION
__all__ = [
    "Cell",
    "Comparison",
    "Explanation",
    "Explorer",
    "FieldError",
    "FieldTypeError",
    "FormatError",
    "Model",
    "Picture",
    "PlaceError",
    "Problem",
    "Report",
    "Run",
    "ShapeError",
    "Solution",
    "StageError",
    "Suspect",
    "Term",
    "Trace",
    "compare",
    "compare_precisions",
    "compute",
    "explain",
    "explore",
    "export_files",
    "load",
    "open_model",
    "render",
    "save",
    "sensitivity",
    "solve",
    "verify",
    "write_solution",
]

_HOMES = dict.fromkeys(__all__, "attn_gui.engine") | {
    "Explorer": "attn_gui.app.explore",
    "FormatError": "attn_gui.formats",
    "Model": "attn_gui.models",
    "Picture": "attn_gui.figure.render",
    "Run": "attn_gui.models",
    "compare_precisions": "attn_gui.engine.analysis.precisions",
    "explore": "attn_gui.app.explore",
    "export_files": "attn_gui.commands.export_command",
    "load": "attn_gui.formats",
    "open_model": "attn_gui.models",
    "render": "attn_gui.figure.render",
    "save": "attn_gui.formats",
    "write_solution": "attn_gui.figure.worksheet_files",
}

# these import Qt, which fails without its libraries and does not say which
_DRAWN = ("attn_gui.app.", "attn_gui.figure.")


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if _HOMES[name].startswith(_DRAWN):
        from attn_gui.libraries import DRAWING, complaint

        if reason := complaint(DRAWING):
            raise ImportError(reason)
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*(name for name in globals() if name.startswith("__")), *__all__])
