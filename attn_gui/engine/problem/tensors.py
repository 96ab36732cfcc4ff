"""Arrays of other libraries as NumPy arrays, none of which is ever imported."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from attn_gui.engine.arrays import Array

from . import sentences
from .errors import FieldTypeError, Note

NARROW = ("bfloat16", "float8", "float4")  # floats that NumPy lacks; float32 holds every value of theirs
LONGEST_REASON = 200


def read_array(field: str, value: object) -> Array:
    """The numbers of anything with `__array__`, `__dlpack__` or `.detach()`, or of nested lists of them.

    What hangs on a gradient is cut off it, bfloat16 and narrower floats become float32. Nothing is copied that need
    not be. Raises FieldTypeError, which names the field and what the other library says.
    """
    try:
        return _converted(field, value)
    except (MemoryError, FieldTypeError):
        raise
    except Exception as error:  # whatever the library raises
        if isinstance(value, (list, tuple)) and isinstance(error, ValueError):
            raise FieldTypeError(sentences.NOT_NUMBERS, field=field, got=Note(sentences.UNEVEN_ROWS, {})) from None
        raise FieldTypeError(sentences.UNREADABLE, field=field, reason=_reason(error)) from error


def is_tensor(value: object) -> bool:
    """Whether a value is an array of another library, which `read_array` reads."""
    return any(hasattr(value, name) for name in ("detach", "__dlpack__"))


def as_scalar(value: object) -> object:
    """The number in an array or tensor without axes, None for one that is masked; anything else as it is."""
    if _is_masked(value):
        return None
    if getattr(value, "shape", None) == () and callable(getattr(value, "item", None)):
        return value.item()  # type: ignore[attr-defined]  # asked for in the line above
    return value


def _converted(field: str, value: Any) -> Array:
    if _is_masked(value):
        raise FieldTypeError(sentences.MASKED_ARRAY, field=field)
    if isinstance(value, (list, tuple)):
        return np.asarray([_converted(field, part) for part in value] if _holds_tensors(value) else value)
    if callable(getattr(value, "detach", None)):
        value = value.detach()
    if _narrow(value) and callable(getattr(value, "float", None)):
        value = value.float()
    foreign = not hasattr(value, "__array__")
    if foreign and callable(getattr(value, "numpy", None)):
        value = value.numpy()
    array: Array = np.from_dlpack(value) if foreign and hasattr(value, "__dlpack__") else np.asarray(value)
    return array.astype(np.float32) if _narrow(array) else array


def _holds_tensors(value: list[Any] | tuple[Any, ...]) -> bool:
    """Whether nested lists hold what NumPy would read number by number, without its mask, or not at all."""
    while isinstance(value, (list, tuple)) and value:
        value = value[0]
    return is_tensor(value)


def _is_masked(value: object) -> bool:
    if "numpy.ma" not in sys.modules:  # asked for, it takes a moment to import
        return False
    return isinstance(value, np.ma.MaskedArray) and bool(np.ma.is_masked(value))


def _narrow(value: Any) -> bool:
    return str(getattr(value, "dtype", "")).removeprefix("torch.").startswith(NARROW)


def _reason(error: Exception) -> str:
    words = " ".join(str(error).split()).rstrip(".")[:LONGEST_REASON]
    return words or type(error).__name__
