"""Frozen mappings, and equality of values to the byte."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from typing import Any, ClassVar, Self

import numpy as np


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


class Kinded:
    """A frozen dataclass of one `kind`: a mapping on request, copied with other parameters, compared to the byte."""

    kind: ClassVar[str] = ""
    listed: ClassVar[str] = ""  # the field of a problem that has several of them, counted from 0

    @classmethod
    def name_at(cls, position: int) -> str:
        """The name of one of them: `mask.1`."""
        return f"{cls.listed}.{position}"

    @classmethod
    def position_of(cls, name: str) -> int | None:
        """The position of the one that is named, or of which a field is: 1 of `mask.1.values`; None for other names."""
        listed, _, rest = name.partition(".")
        return int(rest.partition(".")[0]) if listed == cls.listed and rest else None

    def changed(self, **parameters: object) -> Self:
        """A copy with other parameters, which are checked by the problem that it is put into."""
        copy = object.__new__(type(self))
        vars(copy).update(vars(self) | parameters)
        return copy

    def to_mapping(self) -> dict[str, Any]:
        return {"kind": self.kind} | {name: getattr(self, name) for name in self._names()}

    def _names(self) -> list[str]:
        return [field.name for field in fields(self)]  # type: ignore[arg-type]  # whoever inherits it is a dataclass

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        return all(same(getattr(self, name), getattr(other, name)) for name in self._names())

    __hash__ = None  # type: ignore[assignment]  # holds arrays


def same(one: Any, other: Any) -> bool:
    """Whether two fields are alike: numbers and arrays by their bytes, so that NaN equals itself, -0.0 is not 0.0."""
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return (one.dtype, one.shape, one.tobytes()) == (other.dtype, other.shape, other.tobytes())
    if isinstance(one, Record) and isinstance(other, Record):
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    if isinstance(one, float) and isinstance(other, float):
        return one.hex() == other.hex()
    return type(one) is type(other) and bool(one == other)
