"""What is computed: problems, stages, evaluation, explanation. Imports NumPy and nothing of Qt."""

from .choice import compute
from .create import FILLS, fill, made_direct, new_problem, with_biases, with_context, with_output
from .evaluation import Evaluation, Recomputed, Trace
from .explanation import Cell, Explanation, Term, explain
from .fixes import Fix
from .indices import Box
from .masks import MASKS, Layer, Parameter, layer_from_mapping
from .mending import apply as apply_fix
from .plane import Plane
from .problem import DTYPES, SCORES, Problem, Record
from .resize import Resized, head_counts, resize
from .sensitivity import sensitivity
from .sentences import FieldError, FieldTypeError, Note, PlaceError, ShapeError, StageError
from .solve import Solution, solve
from .stages import STAGE, STAGES
from .symbols import symbol
from .verification import Verification, verify

__all__ = [
    "DTYPES", "FILLS", "MASKS", "SCORES", "STAGE", "STAGES", "Box", "Cell", "Evaluation", "Explanation", "FieldError",
    "FieldTypeError", "Fix", "Layer", "Note", "Parameter", "PlaceError", "Plane", "Problem", "Recomputed", "Record",
    "Resized", "ShapeError", "Solution", "StageError", "Term", "Trace", "Verification", "apply_fix", "compute",
    "explain", "fill", "head_counts", "layer_from_mapping", "made_direct", "new_problem", "resize", "sensitivity",
    "solve", "symbol", "verify", "with_biases", "with_context", "with_output",
]  # fmt: skip
