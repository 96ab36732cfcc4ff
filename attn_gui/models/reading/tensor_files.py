"""Tensors of a checkpoint in its safetensors files: mapped, and read where they lie when they are asked for."""

from __future__ import annotations

import mmap
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from math import prod
from pathlib import Path
from typing import NamedTuple

import numpy as np

from attn_gui.engine.memory import UNKNOWN, available
from attn_gui.engine.progress import Tell
from attn_gui.formats.base import reading
from attn_gui.formats.file_sentences import QT_TRANSLATE_NOOP, FormatError, shape_text, shown, size_text
from attn_gui.formats.foreign_arrays import Array, broken
from attn_gui.formats.json_text import parse_object
from attn_gui.formats.named.by_name import THERE_TWICE
from attn_gui.formats.sessions.packed_arrays import Place, places
from attn_gui.models.reading.model_files import INDEX, INDEXED, LARGEST, LARGEST_JSON, WEIGHTS, json_file

LONGEST_HEADER = 1 << 23
AT_ONCE = 1 << 22  # bytes that are looked through at a time
_WIDTHS = {"F32": 4, "F16": 2, "BF16": 2}  # of the numbers that are read
_EXPONENTS = {"F16": 0x7C00, "BF16": 0x7F80}  # all ones in numbers that are not finite
_HEADER = QT_TRANSLATE_NOOP("Sentences", "{file} is cut off or no safetensors file: its header does not fit into it.")
_OUTSIDE = QT_TRANSLATE_NOOP("Sentences", "{file}: the tensor “{name}” lies outside the file.")
_MISSING = QT_TRANSLATE_NOOP("Sentences", "{file}: the tensor “{name}” is missing.")
_SHAPE = QT_TRANSLATE_NOOP("Sentences", "{file}: the tensor “{name}” has the shape {got}; expected {expected}.")
_KIND = QT_TRANSLATE_NOOP("Sentences", "{file}: the tensor “{name}” holds {got}; expected F32, F16 or BF16.")
_WILD = QT_TRANSLATE_NOOP("Sentences", "{file}: the tensor “{name}” holds numbers that are not finite.")
_INDEX = QT_TRANSLATE_NOOP("Sentences", "{file}: {name} must say for every tensor which file holds it.")
_LARGE = QT_TRANSLATE_NOOP(
    "Sentences", "{file}: the numbers of this model take {size} of memory in single precision; {free} are free."
)
_FOREIGN = QT_TRANSLATE_NOOP("Sentences", "{file} names the shard “{name}”; expected a file of the same folder.")


class Tensor(NamedTuple):
    """A tensor as its file has it."""

    name: str
    path: Path
    kind: str
    shape: tuple[int, ...]
    cells: Array  # its bytes, in the memory of the file

    def numbers(self) -> Array:
        """Its numbers as float32; those of a float32 file in the memory of the file."""
        if self.kind == "BF16":
            return (self.cells.view("<u2").astype(np.uint32) << 16).view(np.float32).reshape(self.shape)
        found = self.cells.view({"F32": "<f4", "F16": "<f2"}[self.kind]).astype(np.float32, copy=False)
        found.flags.writeable = False
        return found.reshape(self.shape)

    def is_like(self, other: Tensor) -> bool:
        """Whether another one has the same numbers, written in the same way."""
        alike = (self.kind, self.shape) == (other.kind, other.shape)
        return alike and np.array_equal(self.cells, other.cells)

    def is_finite(self) -> bool:
        """Whether every number is one."""
        step = AT_ONCE
        return all(self._finite(self.cells[low : low + step]) for low in range(0, self.cells.size, step))

    def _finite(self, part: Array) -> bool:
        if self.kind in _EXPONENTS:
            ones = _EXPONENTS[self.kind]
            return not bool(((part.view("<u2") & ones) == ones).any())
        numbers = part.view("<f4")
        with np.errstate(all="ignore"):
            quick = np.isfinite(np.add.reduce(numbers))  # a sum that is finite has finite terms
        return bool(quick or np.isfinite(numbers).all())


class Tensors:
    """The tensors of a checkpoint by name, without the prefix of the task that it was made for."""

    def __init__(self, tensors: Mapping[str, Tensor], path: Path) -> None:
        self._tensors, self._path = tensors, path
        self._read: dict[str, Tensor] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._tensors

    def array(self, name: str, *shape: int) -> Array:
        """The numbers of a tensor, float32, read-only. Raises FormatError for one that is missing or of another shape.

        What is F32 in the file stays there; the others are converted.
        """
        found = self._read[name] = self._checked(name, shape)
        return found.numbers()

    def unread(self, ignored: Sequence[str]) -> list[str]:
        """The names, as the file has them, of the tensors that were not read and are no copy of one that was.

        Those whose names match a pattern of `ignored` are left out.
        """
        left = {name: tensor for name, tensor in self._tensors.items() if name not in self._read}
        known = {name for name in left for pattern in ignored if fnmatchcase(name, pattern)}
        others = [tensor for name, tensor in left.items() if name not in known]
        return [tensor.name for tensor in others if not any(map(tensor.is_like, self._read.values()))]

    def check_memory(self) -> None:
        """Raise FormatError where memory does not hold what has to be converted: others would be ended with us."""
        converted = (tensor for tensor in self._tensors.values() if tensor.kind in _EXPONENTS)
        size, free = sum(4 * prod(tensor.shape) for tensor in converted), available()
        if size > free != UNKNOWN:
            raise FormatError(_LARGE, size=size_text(size), free=size_text(free)).at(self._path)

    def check(self, tell: Tell) -> None:
        """Raise FormatError for NaN or infinity in a tensor that was read; others, such as masks, may hold them.

        `tell` is told the share that is looked through.
        """
        whole = sum(tensor.cells.size for tensor in self._read.values())
        done = 0
        for name, tensor in self._read.items():
            if not tensor.is_finite():
                raise FormatError(_WILD, name=shown(name)).at(tensor.path)
            done += tensor.cells.size
            tell(done / whole)

    def _tensor(self, name: str) -> Tensor:
        if name not in self._tensors:
            raise FormatError(_MISSING, name=shown(name, 80)).at(self._path)
        return self._tensors[name]

    def _checked(self, name: str, shape: tuple[int, ...]) -> Tensor:
        tensor = self._tensor(name)
        if tensor.kind not in _WIDTHS:
            raise FormatError(_KIND, name=shown(name, 80), got=shown(tensor.kind)).at(tensor.path)
        if tensor.shape != shape:
            values = {"got": shape_text(tensor.shape), "expected": shape_text(shape)}
            raise FormatError(_SHAPE, name=shown(name, 80), **values).at(tensor.path)
        return tensor


def tensors_in(folder: Path, prefixes: tuple[str, ...]) -> Tensors:
    """The tensors of a folder: of one file, or of the shards that its index names. Raises FormatError."""
    whole, index = folder / WEIGHTS, folder / INDEX
    found = _in_file(whole) if whole.exists() else _in_shards(index)
    path, named = whole if whole.exists() else index, dict[str, Tensor]()
    for name, tensor in found.items():
        if (plain := _plain(name, prefixes)) in named:
            raise FormatError(THERE_TWICE, name=shown(plain, 80)).at(path)
        named[plain] = tensor
    return Tensors(named, path)


def _in_shards(index: Path) -> dict[str, Tensor]:
    listed = json_file(index, LARGEST_JSON).get(INDEXED)
    if not isinstance(listed, dict) or not all(isinstance(name, str) for name in listed.values()):
        raise FormatError(_INDEX, name=INDEXED).at(index)
    shards: dict[str, dict[str, Tensor]] = {}
    for name in sorted(set(listed.values())):
        if Path(name).name != name or name in ("", ".", ".."):
            raise FormatError(_FOREIGN, name=shown(name)).at(index)
        shards[name] = _in_file(index.with_name(name))
    found = {name: tensor for shard in shards.values() for name, tensor in shard.items()}
    return found | {name: shards[shard][name] for name, shard in listed.items() if name in shards[shard]}


def _in_file(path: Path) -> dict[str, Tensor]:
    """Every tensor of one file; all that its header says is true of it."""
    with reading(path, LARGEST) as source:
        length = int.from_bytes(source.file.read(8), "little")
        if length > min(source.size - 8, LONGEST_HEADER):
            raise FormatError(_HEADER)
        header = parse_object(source.file.read(length).decode(), LONGEST_HEADER)
        memory = mmap.mmap(source.file.fileno(), 0, access=mmap.ACCESS_READ)
        cells = np.frombuffer(memory, np.uint8)[8 + length :]
        return {place.name: _tensor(path, place, cells) for place in places(header)}


def _tensor(path: Path, place: Place, cells: Array) -> Tensor:
    start, stop = place.bytes
    if not start <= stop <= cells.size or min(place.shape, default=0) < 0:
        raise FormatError(_OUTSIDE, name=shown(place.name, 80))
    if place.kind in _WIDTHS and stop - start != prod(place.shape) * _WIDTHS[place.kind]:
        raise broken(place.name, prod(place.shape) * _WIDTHS[place.kind], stop - start)
    return Tensor(place.name, path, place.kind, place.shape, cells[start:stop])


def _plain(name: str, prefixes: tuple[str, ...]) -> str:
    """A name without the prefix of a task model, and with today's names of a norm's numbers."""
    for prefix in prefixes:
        if name.startswith(prefix):
            name = name.removeprefix(prefix)
            break
    return name.replace("LayerNorm.gamma", "LayerNorm.weight").replace("LayerNorm.beta", "LayerNorm.bias")
