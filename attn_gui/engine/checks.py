"""Checks of one value of a problem from Python or a file: number, switch, text, list, tensor of another library; how
a record of several prints. Each function returns the value as a problem keeps it, or raises FieldError."""

from __future__ import annotations

import math
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, fields
from numbers import Integral, Real
from typing import Any, ClassVar, Self, cast

import numpy as np

from attn_gui.engine import errors
from attn_gui.engine.arrays import Array, Box
from attn_gui.engine.errors import MINUS, FieldError, FieldTypeError, Note, PlaceError, ShapeError

NARROW = ("bfloat16", "float8", "float4")  # floats that NumPy lacks; float32 holds every value of theirs
LONGEST_REASON = 200
PROGRAM = f"{__name__.partition('.')[0]}."  # what the names of its modules begin with

ALIGNS = ("start", "end")
LONGEST_TEXT = 10_000  # letters of a token
ECHOED = 40  # letters of a value that are said again
EXACT = 2**53  # whole numbers beyond are not all float64
LARGEST_INT = 2.0**63  # what is rounded up to it does not come back as an integer


# --- arrays of other libraries --------------------------------------------------------------------
# Arrays of other libraries as NumPy arrays, none of which is ever imported.
def read_array(field: str, value: object) -> Array:
    """Return the numbers of anything with `__array__`, `__dlpack__` or `.detach()`, or of nested lists of them.

    Tensors are detached from their gradient; bfloat16 and narrower floats become float32. Copies only what it must.
    Raises FieldTypeError with the field and the message of the other library.
    """
    try:
        return _converted(field, value)
    except (MemoryError, FieldTypeError):
        raise
    except Exception as error:  # whatever the library raises
        if isinstance(value, (list, tuple)) and isinstance(error, ValueError):
            raise FieldTypeError(errors.NOT_NUMBERS, field=field, got=Note(errors.UNEVEN_ROWS)) from None
        raise FieldTypeError(errors.UNREADABLE, field=field, reason=_reason(error)) from error


def is_tensor(value: object) -> bool:
    """Return whether a value is an array of another library, which `read_array` reads."""
    return any(hasattr(value, name) for name in ("detach", "__dlpack__"))


def as_scalar(value: object) -> object:
    """Return the number in an array or tensor without axes, None if it is masked; anything else as it is."""
    if _is_masked(value):
        return None
    if getattr(value, "shape", None) == () and callable(getattr(value, "item", None)):
        return value.item()  # type: ignore[attr-defined]  # asked for in the line above
    return value


def _converted(field: str, value: Any) -> Array:
    if _is_masked(value):
        raise FieldTypeError(errors.MASKED_ARRAY, field=field)
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
    """Return whether nested lists hold tensors, which NumPy would read slowly, without their mask, or not at all."""
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


# --- single values --------------------------------------------------------------------------------
def as_switch(field: str, value: object) -> bool:
    if not isinstance(value, (bool, np.bool_)):
        raise FieldTypeError(errors.NOT_SWITCH, field=field, got=described(value))
    return bool(value)


def as_whole(field: str, value: object) -> int:
    value = as_scalar(value)
    if isinstance(value, bool) or not isinstance(value, Integral):
        whole = isinstance(value, float) and value.is_integer()
        got = f"{value:.1f}".replace("-", MINUS) if whole else described(value)
        raise FieldTypeError(errors.NOT_WHOLE, field=field, got=got)
    return int(value)


def as_count(field: str, value: object) -> int:
    number = as_whole(field, value)
    if number < 1:
        raise FieldError(errors.NOT_POSITIVE, field=field, got=number)
    return number


def as_number(field: str, value: object) -> float:
    """Return a finite number; an array or tensor without axes counts as one."""
    value = as_scalar(value)
    if isinstance(value, bool) or not isinstance(value, Real):
        raise FieldTypeError(errors.NOT_NUMBER, field=field, got=described(value))
    try:
        number = float(value)
    except OverflowError:
        number = math.inf if cast(int, value) > 0 else -math.inf
    if not math.isfinite(number):
        raise FieldError(errors.NOT_FINITE, field=field, got=number)
    return number


def as_positive(field: str, value: object) -> float:
    number = as_number(field, value)
    if number <= 0:
        raise FieldError(errors.NOT_ABOVE_ZERO, field=field, got=number)
    return number


def as_choice(field: str, value: object, choices: Sequence[str]) -> str:
    if not isinstance(value, str) or value not in choices:
        raise FieldError(errors.CHOICE, field=field, choices=tuple(choices), got=described(value))
    return str(value)


def as_align(field: str, value: object) -> str:
    return as_choice(field, value, ALIGNS)


def as_texts(field: str, value: object) -> tuple[str, ...]:
    value = value.tolist() if isinstance(value, np.ndarray) else value
    if (
        isinstance(value, str)
        or not isinstance(value, Sequence)
        or not all(issubclass(kind, str) for kind in set(map(type, value)))
    ):
        raise FieldTypeError(errors.NOT_TEXTS, field=field, got=kind_of(value))
    if max(map(len, value), default=0) > LONGEST_TEXT:
        place, got = next((place, len(part)) for place, part in enumerate(value) if len(part) > LONGEST_TEXT)
        raise FieldError(errors.TOO_LONG_TEXT, field=field, place=place, got=f"{got:,}", most=f"{LONGEST_TEXT:,}")
    whole = set(map(type, value)) <= {str} and _is_whole("".join(value))  # of 65,536 told in two milliseconds
    return tuple(value) if whole else tuple(map(whole_text, value))


def _is_whole(text: str) -> bool:
    """Return whether a text and its parts have no half letters, see `whole_text`."""
    try:
        return text.isascii() or bool(text.encode())
    except UnicodeEncodeError:  # half a letter
        return False


def whole_text(text: str) -> str:
    """Return the text with � for half a letter (a lone surrogate), which no window and no file can show."""
    return str(text) if text.isascii() else text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def as_array(
    field: str, value: object, dtype: np.dtype[Any] | None = None, *, axes: Sequence[int], copy: bool = False
) -> Array:
    """Return read-only numbers of `dtype` (None: float64, or float32 where they are); with `copy` or a dtype
    C-contiguous.

    With `copy` lists and other dtypes are accepted and cast; without it, and with a dtype, nothing is ever copied.
    """
    if copy or dtype is None:
        array = _numbers(field, value, dtype, copy)
    elif isinstance(value, np.ndarray) and value.dtype == dtype and value.flags.c_contiguous:
        array = value.view()
    else:
        got = str(value.dtype) if isinstance(value, np.ndarray) else kind_of(value)
        raise FieldTypeError(errors.NOT_A_VIEW, field=field, expected=dtype.name, got=got)
    if array.ndim not in axes:
        expected = " or ".join(str(count) for count in axes)
        raise _misshapen(errors.AXES, field, array, expected, array.ndim)
    if 0 in array.shape:
        raise _misshapen(errors.EMPTY, field, array, 1, 0)
    array.flags.writeable = False
    return array


def _numbers(field: str, value: object, dtype: np.dtype[Any] | None, copy: bool) -> Array:
    array = read_array(field, value)
    if array.dtype.kind not in "biuf":
        raise FieldTypeError(errors.NOT_NUMBERS, field=field, got=_cells_of(array, value))
    if dtype is None:
        dtype = array.dtype if array.dtype in (np.float32, np.float64) else np.dtype(np.float64)
    with np.errstate(over="ignore"):
        kept = np.array(array, dtype=dtype, order="C", copy=True) if copy else np.asarray(array, dtype)
    wider = array.dtype.kind == "f" and array.dtype.itemsize > dtype.itemsize
    for note in overflow_notes(field, array, kept) if wider else _rounding_notes(field, array, kept):
        warnings.warn(errors.say(note.template, note.values), UserWarning, stacklevel=_level_of_caller())
    return kept if copy else kept.view()


def _rounding_notes(field: str, given: Array, kept: Array) -> tuple[Note, ...]:
    """Return a note on the first whole number beyond 2⁵³ that is another one in the array that is kept; () for none."""
    if (place := first_rounded(given)) is None:
        return ()
    values = {"got": str(given.flat[place]), "dtype": kept.dtype.name, "value": str(int(kept.flat[place]))}
    return (Note(errors.ROUNDED, {"field": field, **values}),)


def first_rounded(values: Array) -> int | None:
    """Return the place, in the flattened array, of the first whole number that float64 has not got; None for none."""
    if values.dtype.kind not in "iu" or values.dtype.itemsize < 8 or not values.size:
        return None
    if values.max() <= EXACT and values.min() >= -EXACT:  # as nearly always: no copies, which take three times as much
        return None
    as_float = values.astype(np.float64)
    with np.errstate(invalid="ignore"):
        changed = (np.abs(as_float) >= EXACT) & ((as_float.astype(values.dtype) != values) | (as_float >= LARGEST_INT))
    places = map(int, np.flatnonzero(changed))
    return next((place for place in places if int(as_float.flat[place]) != int(values.flat[place])), None)


def overflow_notes(field: str, given: Array, kept: Array) -> tuple[Note, ...]:
    """Return a note on the first number that is too large for the dtype in which an array is kept; () for none."""
    lost = np.isinf(kept) & np.isfinite(given)
    if not lost.any():
        return ()
    values = {"got": float(given[lost][0]), "dtype": kept.dtype.name, "value": float(kept[lost][0])}
    return (Note(errors.OVERFLOWN, {"field": field, **values}),)


def _level_of_caller() -> int:
    """Return the `stacklevel` of the line outside the program that asked for a problem, however many calls lie
    between."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).startswith(PROGRAM):
        frame, level = frame.f_back, level + 1
    return level


def as_flags(field: str, value: object, *, copy: bool) -> Array:
    """Return read-only booleans with at least two axes; 0 and 1 count as booleans."""
    array = read_array(field, value)
    if array.dtype != bool and array.dtype.kind not in "iuf":
        raise FieldTypeError(errors.NOT_BOOLEANS, field=field, got=_cells_of(array, value))
    if array.dtype != bool and not np.isin(array, (0, 1)).all():
        raise FieldTypeError(errors.NUMBERS_NO_BOOLEANS, field=field, got=array.dtype)
    flags = np.array(array, bool, order="C", copy=True) if copy else np.asarray(array, bool).view()
    if flags.ndim > 4:
        raise _misshapen(errors.AXES, field, flags, "2 to 4", flags.ndim)
    if 0 in flags.shape:
        raise _misshapen(errors.EMPTY, field, flags, 1, 0)
    flags = np.atleast_2d(flags)
    flags.flags.writeable = False
    return flags


def dtype_name(value: object) -> object:
    """Return "float32" for np.float32 and the like; anything else as it is, to be refused later."""
    try:
        return value if isinstance(value, str) else np.dtype(cast(Any, value)).name
    except TypeError:
        return value


def as_entries(label: str, given: object, known: Sequence[str], needed: Iterable[str]) -> dict[str, Any]:
    """Return a mapping whose entries are all `known`, with all that are `needed`. Raises FieldError."""
    if not isinstance(given, Mapping):
        raise FieldTypeError(errors.NOT_RECORD, field=label, got=kind_of(given))
    for name in given:
        if name not in known:
            raise FieldError(errors.UNKNOWN_PARAMETER, field=label, got=echo(name), choices=tuple(known) or "none")
    for name in needed:
        if given.get(name) is None:
            raise FieldError(errors.NEEDS, field=label, other=name)
    return dict(given)


def as_box(name: str, shape: tuple[int, ...], box: Box) -> Box:
    """Return the box with whole numbers. Raises PlaceError (an IndexError) if it leaves the shape."""
    if len(box) != len(shape):
        raise PlaceError(errors.BOX, stage=name, shape=shape, got=box)
    found = []
    for cut, length in zip(box, shape, strict=True):  # no generators here: every block of every map comes by
        start, stop = cut.start or 0, length if cut.stop is None else cut.stop
        if start < 0 or stop > length:
            raise PlaceError(errors.BOX, stage=name, shape=shape, got=box)
        found.append(slice(start, stop))
    return tuple(found)


def _misshapen(template: str, field: str, array: Array, expected: object, got: object) -> ShapeError:
    return ShapeError(template, matrices=(field,), axes=(), expected=expected, got=got, shape=array.shape)


def described(value: object) -> object:
    """Return a value as shown in a sentence: a number, a quoted text cut when long, else what sort of value it is."""
    if isinstance(value, Real) and not isinstance(value, (bool, np.bool_)):
        return value
    return repr(echo(value)) if isinstance(value, str) else kind_of(value)


def echo(text: object) -> str:
    """Return a given text on one line, with nothing invisible in it, cut when long."""
    line = "".join(letter if letter.isprintable() else "�" for letter in str(text)[: ECHOED + 1])
    return line if len(line) <= ECHOED else line[: ECHOED - 1] + "…"


def kind_of(value: object) -> Note:
    """Return the sort of a value in words."""
    kinds: tuple[tuple[Any, str], ...] = (
        (type(None), errors.NOTHING),
        ((bool, np.bool_), errors.A_SWITCH),
        (Real, errors.A_NUMBER),
        (str, errors.A_TEXT),
        (Mapping, errors.A_MAPPING),
        (np.ndarray, errors.AN_ARRAY),
        (Iterable, errors.A_LIST),
    )
    return Note(next((said for kind, said in kinds if isinstance(value, kind)), errors.SOMETHING))


def _cells_of(array: Array, value: object) -> object:
    """Return what an array holds: the name of its dtype, or words where no numbers can be made of it."""
    if array.dtype.kind in "US":
        return Note(errors.A_TEXT)
    if array.dtype.hasobject:
        return Note(errors.STRANGE_CELLS) if array.ndim else kind_of(value)
    return str(array.dtype)


# --- frozen mappings and equality -----------------------------------------------------------------
class Record(Mapping[str, Any]):
    """A frozen mapping whose entries are attributes too: `problem.block.ln_weight`; None for one of `absent`."""

    __slots__ = ("__dict__", "_absent")

    def __init__(self, entries: Mapping[str, Any], absent: Iterable[str] = ()) -> None:
        object.__setattr__(self, "_absent", frozenset(absent))
        self.__dict__.update(entries)

    def __getitem__(self, name: str) -> Any:
        return self.__dict__[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.__dict__)

    def __len__(self) -> int:
        return len(self.__dict__)

    def __getattr__(self, name: str) -> Any:
        if name != "_absent" and name in self._absent:
            return None
        raise AttributeError(name)

    def __reduce__(self) -> tuple[object, ...]:
        return Record, (dict(self), self._absent)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{name} cannot be set: the record is frozen")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Record) and same(self, other)

    __hash__ = None  # type: ignore[assignment]  # holds arrays

    def __repr__(self) -> str:
        parts = (f"{k} {v.shape}" if isinstance(v, np.ndarray) else f"{k}={v!r}" for k, v in self.items())
        return f"Record({', '.join(parts)})"


class TaggedRecord:
    """A frozen dataclass with a `kind`: convertible to a mapping, copied with changes, compared byte for byte."""

    kind: ClassVar[str] = ""
    listed: ClassVar[str] = ""  # the field of a problem that has several of them, counted from 0
    label: ClassVar[str] = ""  # in lists; English
    about: ClassVar[str] = ""  # what it does, in half a line; English
    table: ClassVar[str] = ""  # the parameter that holds its numbers; empty where it has none
    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]  # as each class that inherits this is made a dataclass

    @classmethod
    def of_mapping(
        cls, mapping: object, name: str, kinds: Mapping[str, type[Self]], unknown: str, *, blank: bool = False
    ) -> Self:
        """Return the record of {"kind": …, parameters}, of one of these kinds. Raises FieldError, FieldTypeError.

        `unknown` is the sentence on another kind; with `blank` a parameter that is needed is missing where it is None.
        """
        if not isinstance(mapping, Mapping):
            raise FieldTypeError(errors.NOT_RECORD, field=name, got=kind_of(mapping))
        given = dict(mapping)
        kind = given.pop("kind", None)
        if not isinstance(kind, str) or kind not in kinds:
            raise FieldError(unknown, field=name, choices=tuple(kinds), got=described(kind))
        parts = fields(kinds[kind])
        known = {part.name: part.default is MISSING and part.default_factory is MISSING for part in parts}
        for other in given.keys() - known.keys():
            raise FieldError(errors.UNKNOWN_PARAMETER, field=name, got=echo(other), choices=tuple(known))
        for parameter, needed in known.items():
            if needed and (parameter not in given or (blank and given[parameter] is None)):
                raise FieldError(errors.NEEDS, field=f"{name} ({kind})", other=parameter)
        return kinds[kind](**given)

    @classmethod
    def name_at(cls, position: int) -> str:
        """Return the name of the record at a position: `mask.1`."""
        return f"{cls.listed}.{position}"

    @classmethod
    def position_of(cls, name: str) -> int | None:
        """Return the position in the name of a record or of its field: 1 for `mask.1.values`; None for other names."""
        listed, _, rest = name.partition(".")
        return int(rest.partition(".")[0]) if listed == cls.listed and rest else None

    @property
    def cells(self) -> Any:
        """Its numbers: an array, one number, or None."""
        return getattr(self, self.table) if self.table else None

    def field(self, position: int) -> str:
        """Return the dotted name of its numbers in a problem; without numbers that of the record."""
        return f"{self.name_at(position)}.{self.table}" if self.table else self.name_at(position)

    def normalized(self, name: str, dtype: np.dtype[Any], copy: bool) -> Self:
        """Return the record with read-only arrays in the problem's dtype."""
        return self

    def changed(self, **parameters: object) -> Self:
        """Return a copy with other parameters, which are checked by the problem that it is put into."""
        copy = object.__new__(type(self))
        vars(copy).update(vars(self) | parameters)
        return copy

    def to_mapping(self) -> dict[str, Any]:
        return {"kind": self.kind} | {name: getattr(self, name) for name in self._names()}

    def _names(self) -> list[str]:
        return [field.name for field in fields(self)]

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        return all(same(getattr(self, name), getattr(other, name)) for name in self._names())

    __hash__ = None  # type: ignore[assignment]  # holds arrays


def same(one: Any, other: Any) -> bool:
    """Return whether two fields are equal, numbers by their bytes: NaN equals itself, -0.0 differs from 0.0."""
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return (one.dtype, one.shape, one.tobytes()) == (other.dtype, other.shape, other.tobytes())
    if isinstance(one, Record) and isinstance(other, Record):
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    if isinstance(one, float) and isinstance(other, float):
        return one.hex() == other.hex()
    return type(one) is type(other) and bool(one == other)
