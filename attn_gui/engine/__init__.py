"""Computation, without Qt: names that `attn_gui.engine` offers; solving, verifying, mending are loaded when asked."""

from importlib import import_module
from typing import TYPE_CHECKING

from attn_gui.engine.analysis.explanation import Explanation, Term, explain
from attn_gui.engine.analysis.sensitivity import sensitivity
from attn_gui.engine.creation.create import made_direct, with_direct
from attn_gui.engine.creation.layer_parts import FILLS, fill
from attn_gui.engine.creation.resize import Resized, apply_fix, head_counts, outlined, resize
from attn_gui.engine.errors import FieldError, FieldTypeError, Fix, Note, PlaceError, ShapeError, StageError
from attn_gui.engine.evaluation.dense import DenseEvaluation
from attn_gui.engine.evaluation.evaluation import Evaluation, Plane, Recomputed
from attn_gui.engine.evaluation.trace import Trace, compute
from attn_gui.engine.fields import DTYPES
from attn_gui.engine.graph.expressions import Cell
from attn_gui.engine.graph.symbols_and_titles import symbol
from attn_gui.engine.masks import layer_from_mapping
from attn_gui.engine.problem import Problem
from attn_gui.engine.shape_errors import clash_of, reshaped

from .arrays import Box
from .stages import STAGE

if TYPE_CHECKING:
    from attn_gui.engine.analysis.target_solution import Solution, solve
    from attn_gui.engine.analysis.verification import Report, verify
    from attn_gui.engine.comparison import Comparison, Suspect, compare

__all__ = [
    "DTYPES",
    "FILLS",
    "STAGE",
    "Box",
    "Cell",
    "Comparison",
    "DenseEvaluation",
    "Evaluation",
    "Explanation",
    "FieldError",
    "FieldTypeError",
    "Fix",
    "Note",
    "PlaceError",
    "Plane",
    "Problem",
    "Recomputed",
    "Report",
    "Resized",
    "ShapeError",
    "Solution",
    "StageError",
    "Suspect",
    "Term",
    "Trace",
    "apply_fix",
    "clash_of",
    "compare",
    "compute",
    "explain",
    "fill",
    "head_counts",
    "layer_from_mapping",
    "made_direct",
    "outlined",
    "reshaped",
    "resize",
    "sensitivity",
    "solve",
    "symbol",
    "verify",
    "with_direct",
]

_LATER = {
    "comparison": ("Comparison", "Suspect", "compare"),
    "analysis.target_solution": ("Solution", "solve"),
    "analysis.verification": ("Report", "verify"),
}


def __getattr__(name: str) -> object:
    for module, names in _LATER.items():
        if name in names:
            return getattr(import_module(f".{module}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
