"""Checks of single values: each function returns the value as a problem keeps it, or raises one sentence."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from numbers import Integral, Real
from typing import Any, cast

import numpy as np

from attn_gui.engine.arrays import Array, Box
from attn_gui.engine.spelling import MINUS

from . import sentences
from .errors import FieldError, FieldTypeError, Note, PlaceError, ShapeError
from .tensors import as_scalar, read_array

ALIGNS = ("start", "end")
LONGEST_TEXT = 10_000  # letters of a token
ECHOED = 40  # letters of a value that are said again


def as_switch(field: str, value: object) -> bool:
    if not isinstance(value, (bool, np.bool_)):
        raise FieldTypeError(sentences.NOT_SWITCH, field=field, got=told(value))
    return bool(value)


def as_whole(field: str, value: object) -> int:
    value = as_scalar(value)
    if isinstance(value, bool) or not isinstance(value, Integral):
        got = f"{value:.1f}".replace("-", MINUS) if isinstance(value, float) and value.is_integer() else told(value)
        raise FieldTypeError(sentences.NOT_WHOLE, field=field, got=got)
    return int(value)


def as_count(field: str, value: object) -> int:
    number = as_whole(field, value)
    if number < 1:
        raise FieldError(sentences.NOT_POSITIVE, field=field, got=number)
    return number


def as_number(field: str, value: object) -> float:
    """A finite number; an array or tensor without axes counts as one."""
    value = as_scalar(value)
    if isinstance(value, bool) or not isinstance(value, Real):
        raise FieldTypeError(sentences.NOT_NUMBER, field=field, got=told(value))
    try:
        number = float(value)
    except OverflowError:
        number = math.inf if cast(int, value) > 0 else -math.inf
    if not math.isfinite(number):
        raise FieldError(sentences.NOT_FINITE, field=field, got=number)
    return number


def as_positive(field: str, value: object) -> float:
    number = as_number(field, value)
    if number <= 0:
        raise FieldError(sentences.NOT_ABOVE_ZERO, field=field, got=number)
    return number


def as_choice(field: str, value: object, choices: Sequence[str]) -> str:
    if not isinstance(value, str) or value not in choices:
        raise FieldError(sentences.CHOICE, field=field, choices=tuple(choices), got=told(value))
    return str(value)


def as_align(field: str, value: object) -> str:
    return as_choice(field, value, ALIGNS)


def as_texts(field: str, value: object) -> tuple[str, ...]:
    value = value.tolist() if isinstance(value, np.ndarray) else value
    if isinstance(value, str) or not isinstance(value, Sequence) or not all(map(_is_text, set(map(type, value)))):
        raise FieldTypeError(sentences.NOT_TEXTS, field=field, got=kind_of(value))
    if max(map(len, value), default=0) > LONGEST_TEXT:
        place, got = next((place, len(part)) for place, part in enumerate(value) if len(part) > LONGEST_TEXT)
        raise FieldError(sentences.TOO_LONG_TEXT, field=field, place=place, got=got, most=LONGEST_TEXT)
    whole = set(map(type, value)) <= {str} and _is_whole("".join(value))  # of 65,536 told in two milliseconds
    return tuple(value) if whole else tuple(map(whole_text, value))


def _is_text(kind: type) -> bool:
    return issubclass(kind, str)


def _is_whole(text: str) -> bool:
    """Whether `whole_text` changes nothing, of the text and of its parts."""
    try:
        return text.isascii() or bool(text.encode())
    except UnicodeEncodeError:  # half a letter
        return False


def whole_text(text: str) -> str:
    """The text with � for half a letter (a lone surrogate), which no window and no file can show."""
    return str(text) if text.isascii() else text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def as_array(
    field: str, value: object, dtype: np.dtype[Any] | None = None, *, axes: Sequence[int], copy: bool = False
) -> Array:
    """Read-only numbers of `dtype` (None: float64, or float32 where they are); with `copy` or a dtype C-contiguous.

    With `copy` lists and other dtypes are accepted and cast; without it, and with a dtype, nothing is ever copied.
    """
    if copy or dtype is None:
        array = _numbers(field, value, dtype, copy)
    elif isinstance(value, np.ndarray) and value.dtype == dtype and value.flags.c_contiguous:
        array = value.view()
    else:
        got = str(value.dtype) if isinstance(value, np.ndarray) else kind_of(value)
        raise FieldTypeError(sentences.NOT_A_VIEW, field=field, expected=dtype.name, got=got)
    if array.ndim not in axes:
        expected = " or ".join(str(count) for count in axes)
        raise _misshapen(sentences.AXES, field, array, expected, array.ndim)
    if 0 in array.shape:
        raise _misshapen(sentences.EMPTY, field, array, 1, 0)
    array.flags.writeable = False
    return array


def _numbers(field: str, value: object, dtype: np.dtype[Any] | None, copy: bool) -> Array:
    array = read_array(field, value)
    if array.dtype.kind not in "biuf":
        raise FieldTypeError(sentences.NOT_NUMBERS, field=field, got=_cells_of(array, value))
    if dtype is None:
        dtype = array.dtype if array.dtype in (np.float32, np.float64) else np.dtype(np.float64)
    with np.errstate(over="ignore"):
        array = np.array(array, dtype=dtype, order="C", copy=True) if copy else np.asarray(array, dtype)
    return array if copy else array.view()


def as_flags(field: str, value: object, *, copy: bool) -> Array:
    """Read-only booleans with at least two axes; 0 and 1 count as booleans."""
    array = read_array(field, value)
    if array.dtype != bool and array.dtype.kind not in "iuf":
        raise FieldTypeError(sentences.NOT_BOOLEANS, field=field, got=_cells_of(array, value))
    if array.dtype != bool and not np.isin(array, (0, 1)).all():
        raise FieldTypeError(sentences.NUMBERS_NO_BOOLEANS, field=field, got=array.dtype)
    flags = np.array(array, bool, order="C", copy=True) if copy else np.asarray(array, bool).view()
    if flags.ndim > 4:
        raise _misshapen(sentences.AXES, field, flags, "2 to 4", flags.ndim)
    if 0 in flags.shape:
        raise _misshapen(sentences.EMPTY, field, flags, 1, 0)
    flags = np.atleast_2d(flags)
    flags.flags.writeable = False
    return flags


def dtype_name(value: object) -> object:
    """`float32` for np.float32 and its like; anything else stays to be refused."""
    try:
        return value if isinstance(value, str) else np.dtype(cast(Any, value)).name
    except TypeError:
        return value


def as_entries(label: str, given: object, known: Sequence[str], needed: Iterable[str]) -> dict[str, Any]:
    """A mapping with no entry beyond `known` and all that is `needed`."""
    if not isinstance(given, Mapping):
        raise FieldTypeError(sentences.NOT_RECORD, field=label, got=kind_of(given))
    for name in given:
        if name not in known:
            raise FieldError(sentences.UNKNOWN_PARAMETER, field=label, got=echo(name), choices=tuple(known) or "none")
    for name in needed:
        if given.get(name) is None:
            raise FieldError(sentences.NEEDS, field=label, other=name)
    return dict(given)


def as_box(name: str, shape: tuple[int, ...], box: Box) -> Box:
    """The box with whole numbers. Raises PlaceError (an IndexError) if it leaves the shape."""
    if len(box) != len(shape):
        raise PlaceError(sentences.BOX, stage=name, shape=shape, got=box)
    found = tuple(
        slice(cut.start or 0, length if cut.stop is None else cut.stop) for cut, length in zip(box, shape, strict=True)
    )
    if any(cut.start < 0 or cut.stop > length for cut, length in zip(found, shape, strict=True)):
        raise PlaceError(sentences.BOX, stage=name, shape=shape, got=box)
    return found


def _misshapen(template: str, field: str, array: Array, expected: object, got: object) -> ShapeError:
    return ShapeError(template, matrices=(field,), axes=(), expected=expected, got=got, shape=array.shape)


def told(value: object) -> object:
    """A value as it may stand in a sentence: a number, a text in quotes that is cut when long, else what sort it is."""
    if isinstance(value, Real) and not isinstance(value, (bool, np.bool_)):
        return value
    return repr(echo(value)) if isinstance(value, str) else kind_of(value)


def echo(text: object) -> str:
    """A text that was given, on one line, nothing invisible in it, cut when long."""
    line = "".join(letter if letter.isprintable() else "�" for letter in str(text)[: ECHOED + 1])
    return line if len(line) <= ECHOED else line[: ECHOED - 1] + "…"


def kind_of(value: object) -> Note:
    """The sort of a value, in words."""
    kinds: tuple[tuple[Any, str], ...] = (
        (type(None), sentences.NOTHING),
        ((bool, np.bool_), sentences.A_SWITCH),
        (Real, sentences.A_NUMBER),
        (str, sentences.A_TEXT),
        (Mapping, sentences.A_MAPPING),
        (np.ndarray, sentences.AN_ARRAY),
        (Iterable, sentences.A_LIST),
    )
    return word(next((said for kind, said in kinds if isinstance(value, kind)), sentences.SOMETHING))


def word(template: str) -> Note:
    """A word of a sentence that is translated with it."""
    return Note(template, {})


def _cells_of(array: Array, value: object) -> object:
    """The contents of an array: the name of its dtype, but in words what no numbers are made of."""
    if array.dtype.kind in "US":
        return word(sentences.A_TEXT)
    return kind_of(value) if array.dtype.hasobject else str(array.dtype)
