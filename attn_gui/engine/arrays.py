"""Memory weighed before new arrays are made, progress of filling them; overflow of float32 to ±∞; one batch item."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from math import prod
from typing import Any, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from attn_gui.engine import errors
from attn_gui.engine.errors import FieldError, size_text

Array = npt.NDArray[Any]
Box = tuple[slice, ...]  # a slice for each axis: it indexes an array as it stands


def overflow_limit(dtype: npt.DTypeLike) -> float:
    """Return the magnitude from which a number rounded to a dtype is ±∞; ∞ for float64."""
    info = np.finfo(dtype)
    return math.inf if info.bits == 64 else float(info.max) + 2.0 ** (info.maxexp - info.nmant - 2)


def overflowed(array: Array, limit: float) -> Array:
    """Return the array with ±∞ for what reaches a limit; itself where nothing does."""
    if limit == math.inf or array.dtype == bool or max(array.max(initial=0.0), -array.min(initial=0.0)) < limit:
        return array
    return np.where(np.abs(array) >= limit, np.copysign(np.inf, array), array)  # NaN stays, and is looked past


def item_of(array: Array, item: int) -> Array:
    """Return one item of an array with a batch axis, its only one where all items share it; else the array itself."""
    found: Array = array[min(item, len(array) - 1)] if array.ndim > 2 else array
    return found


# --- memory ---------------------------------------------------------------------------------------
T = TypeVar("T")
Write = Callable[[Array], object]

SHARE = 4  # new numbers may take this part of the free memory: what is computed from them takes as much again, and more
UNKNOWN = 2 * 10**9  # bytes that are taken to be free on a system that does not say

_maker: ContextVar[_Maker | None] = ContextVar("maker", default=None)


def new_array(shape: Sequence[int], dtype: npt.DTypeLike, write: Write) -> Array:
    """Return a new array filled by `write`; while memory is only weighed, a stand-in without memory, not filled."""
    return (_maker.get() or _Maker()).made(tuple(shape), np.dtype(dtype), write)


def overlay(new: Array, old: Array) -> None:
    """Copy into `new` the cells that both have."""
    shared = tuple(slice(0, min(a, b)) for a, b in zip(new.shape, old.shape, strict=True))
    new[shared] = old[shared]


def grown(old: Array, shape: tuple[int, ...], neutral: float = 0.0) -> Array:
    """Return an array of another shape: the cells that both have, and neutral ones around them."""
    return neutral_array(shape, old, neutral, lambda new: overlay(new, old))


def neutral_array(shape: tuple[int, ...], like: Array, neutral: float, keep: Write) -> Array:
    """Return an array filled with a neutral number, in the dtype of `like`; `keep` then writes the cells that stay."""

    def write(new: Array) -> None:
        new.fill(neutral)
        keep(new)

    return new_array(shape, like.dtype, write)


def advance(count: int) -> None:
    """Report that `count` more bytes are filled; what the listener raises ends the work."""
    if (maker := _maker.get()) is not None:
        maker.advance(count)


def weigh(make: Callable[[], object]) -> int:
    """Return the bytes of all arrays that `make` would make, without making them. Raises what `make` raises."""
    scales = _Scales()
    with _made_by(scales):
        make()
    return scales.size


def outline(make: Callable[[], T]) -> T:
    """Return the result of `make` with stand-ins for the arrays that it would make. Raises what `make` raises."""
    with _made_by(_Scales()):
        return make()


def check(size: int, most: int | None = None) -> None:
    """Raise FieldError if so many bytes of new numbers are more than a share of the free memory.

    `most` is a limit in bytes that counts where it is smaller than that share.
    """
    free = available()
    share = free // SHARE if most is None else min(most, free // SHARE)
    if size > share:
        raise FieldError(errors.TOO_MUCH, size=size_text(size), share=size_text(share), free=size_text(free))


def carried_out(
    make: Callable[[], T], progress: Callable[[float], None] | None = None, size: int = 1
) -> tuple[T, list[Array]]:
    """Return (result of `make`, all arrays that it made); `progress` gets the share of `size` bytes that is filled."""
    maker = _Maker() if progress is None else _Reporter(progress, size)
    with _made_by(maker):
        return make(), maker.arrays


def available() -> int:
    """Return the bytes that programs can use without swapping.

    Linux gives them in /proc/meminfo; elsewhere half of the memory that POSIX reports is taken, or 2 GB.
    """
    with suppress(OSError, ValueError, StopIteration), open("/proc/meminfo", encoding="ascii") as lines:
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:"))
    with suppress(AttributeError, OSError, ValueError):
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    return UNKNOWN


class _Maker:
    """Allocates arrays and has them filled."""

    def __init__(self) -> None:
        self.arrays: list[Array] = []

    def made(self, shape: tuple[int, ...], dtype: np.dtype[Any], write: Write) -> Array:
        try:
            array: Array = np.empty(shape, dtype)
            write(array)
        except MemoryError as error:
            raise FieldError(errors.NO_MEMORY, size=size_text(prod(shape) * dtype.itemsize)) from error
        self.arrays.append(array)
        return array

    def advance(self, count: int) -> None:
        """Ignore the progress."""


class _Reporter(_Maker):
    """Reports how much is filled, block by block where the writer does, else array by array."""

    def __init__(self, progress: Callable[[float], None], size: int) -> None:
        super().__init__()
        self._progress, self._size, self._done = progress, max(1, size), 0

    def made(self, shape: tuple[int, ...], dtype: np.dtype[Any], write: Write) -> Array:
        before = self._done
        array = super().made(shape, dtype, write)
        self.advance(before + array.nbytes - self._done)
        return array

    def advance(self, count: int) -> None:
        self._done += count
        self._progress(min(1.0, self._done / self._size))


class _Scales(_Maker):
    """Adds up the bytes of arrays without allocating them."""

    def __init__(self) -> None:
        super().__init__()
        self.size = 0

    def made(self, shape: tuple[int, ...], dtype: np.dtype[Any], write: Write) -> Array:
        size = prod(shape) * dtype.itemsize
        self.size += size
        if size > np.iinfo(np.intp).max:
            check(self.size)  # not even a stand-in can be so large
        return np.broadcast_to(np.zeros((), dtype), shape)


@contextmanager
def _made_by(maker: _Maker) -> Iterator[None]:
    token = _maker.set(maker)
    try:
        yield
    finally:
        _maker.reset(token)


# --- progress: reported by the code that does the work to the code that may end it -----------------
Progress: TypeAlias = Callable[[float], None]
"""Called with the share of the work that is done, 0 … 1, from any thread; whatever it raises ends the work."""


def silent(_share: float) -> None:
    """Ignore the progress."""


def within(progress: Progress, part: int, parts: int) -> Progress:
    """Return the progress of one of several equal parts of the work."""
    return lambda share: progress((part + share) / parts)
