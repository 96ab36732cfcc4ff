"""What is computed: problems, stages, evaluation, explanation. Imports NumPy and nothing of Qt."""

from .create import FILLS, fill, made_direct, new_problem, with_biases, with_context, with_output
from .evaluation import Evaluation, Recomputed, Trace, compute
from .explanation import Cell, Explanation, Term, explain
from .indices import Box
from .masks import MASKS, Layer, Parameter, layer_from_mapping
from .plane import Plane
from .problem import DTYPES, SCORES, Problem, Record
from .resize import Resized, head_counts, resize
from .sensitivity import sensitivity
from .sentences import FieldError, FieldTypeError, Note, PlaceError, ShapeError, StageError
from .stages import STAGE, STAGES
from .symbols import symbol

__all__ = [
    "DTYPES", "FILLS", "MASKS", "SCORES", "STAGE", "STAGES", "Box", "Cell", "Evaluation", "Explanation", "FieldError",
    "FieldTypeError", "Layer", "Note", "Parameter", "PlaceError", "Plane", "Problem", "Recomputed", "Record",
    "Resized", "ShapeError", "StageError", "Term", "Trace", "compute", "explain", "fill", "head_counts",
    "layer_from_mapping", "made_direct", "new_problem", "resize", "sensitivity", "symbol", "with_biases",
    "with_context", "with_output",
]  # fmt: skip
