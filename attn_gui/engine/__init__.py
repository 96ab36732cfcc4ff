"""What is computed: problems, stages, evaluation, explanation. Imports NumPy and nothing of Qt."""

from .evaluation import Evaluation, Recomputed, Trace, compute
from .indices import Box
from .masks import MASKS, Layer, Parameter, layer_from_mapping
from .plane import Plane
from .problem import DTYPES, SCORES, Problem, Record
from .sentences import FieldError, FieldTypeError, Note, PlaceError, ShapeError, StageError
from .stages import STAGE, STAGES
from .symbols import symbol

__all__ = [
    "DTYPES", "MASKS", "SCORES", "STAGE", "STAGES", "Box", "Evaluation", "FieldError", "FieldTypeError", "Layer",
    "Note", "Parameter", "PlaceError", "Plane", "Problem", "Recomputed", "Record", "ShapeError", "StageError", "Trace",
    "compute", "layer_from_mapping", "symbol",
]  # fmt: skip
