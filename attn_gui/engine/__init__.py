"""The computation: problems, stages, evaluation, explanation. Imports NumPy and nothing of Qt.

What answers a question that is seldom asked is loaded when it is: solving, verifying, mending.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from .arrays import Box
from .choice import compute
from .create import made_direct, new_problem, with_biases, with_context, with_output
from .drafts import reshaped
from .evaluation import Evaluation, Recomputed
from .explanation import Cell, Explanation, Term, explain
from .filling import FILLS, fill
from .fixes import Fix, clash_of
from .masks import MASKS, Layer, Parameter, layer_from_mapping
from .plane import Plane
from .problem import DTYPES, SCORES, Problem, Record
from .resize import Resized, head_counts, outlined, resize
from .sensitivity import sensitivity
from .sentences import FieldError, FieldTypeError, Note, PlaceError, ShapeError, StageError
from .stages import STAGE
from .symbols import symbol
from .trace import Trace

if TYPE_CHECKING:
    from .mending import apply as apply_fix
    from .solution import Solution, solve
    from .verification import Report, verify

__all__ = [
    "DTYPES", "FILLS", "MASKS", "SCORES", "STAGE", "Box", "Cell", "Evaluation", "Explanation", "FieldError",
    "FieldTypeError", "Fix", "Layer", "Note", "Parameter", "PlaceError", "Plane", "Problem", "Recomputed", "Record",
    "Report", "Resized", "ShapeError", "Solution", "StageError", "Term", "Trace", "apply_fix", "clash_of",
    "compute", "explain", "fill", "head_counts", "layer_from_mapping", "made_direct", "new_problem", "outlined",
    "reshaped", "resize", "sensitivity", "solve", "symbol", "verify", "with_biases", "with_context", "with_output",
]  # fmt: skip

_LATER = {
    "apply_fix": ("mending", "apply"),
    "Report": ("verification", "Report"),
    "Solution": ("solution", "Solution"),
    "solve": ("solution", "solve"),
    "verify": ("verification", "verify"),
}


def __getattr__(name: str) -> object:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, attribute = _LATER[name]
    return getattr(import_module(f".{module}", __name__), attribute)
