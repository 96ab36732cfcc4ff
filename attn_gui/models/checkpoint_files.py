"""Files of a checkpoint: config.json's rules, shards and index, tensors missing, NaN or ∞, rotary scaling, pooling."""

from __future__ import annotations

import hashlib
import math
import mmap
import os
import shlex
import stat
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from fnmatch import fnmatchcase
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from attn_gui.engine.arrays import UNKNOWN, Array, Progress, available
from attn_gui.formats.file_format import NO_PERMISSION, reading
from attn_gui.formats.file_messages import FormatError, shape_text, shown, size_text
from attn_gui.formats.named.array_names import THERE_TWICE
from attn_gui.formats.safetensors_packing import PackedArray, places
from attn_gui.formats.session import FileStamp
from attn_gui.formats.untrusted_bytes import Json, broken, from_bfloat16, parse_object
from attn_gui.languages import N_

LARGEST_COUNT = 10**7  # that config.json may say of anything
_NEEDED = N_("{file}: {name} is missing.")
_WHOLE = N_("{file}: {name} must be a whole number from {least} to {most}, got {got}.")
_NUMBER = N_("{file}: {name} must be a number above 0, got {got}.")
_FLAG = N_("{file}: {name} must be true or false, got {got}.")
_CHOICE = N_("{file}: {name} is {got}, which is not supported; expected {choices}.")
_AGAINST = N_("{file}: {name} and {other} contradict each other.")
OTHER_NAMES = {
    "n_layer": "num_hidden_layers",
    "n_layers": "num_hidden_layers",
    "n_head": "num_attention_heads",
    "n_heads": "num_attention_heads",
    "n_embd": "hidden_size",
    "dim": "hidden_size",
    "n_positions": "max_position_embeddings",
}
"""Entries of GPT-2 and DistilBERT, and the names under which transformers takes them, too (`attribute_map`)."""

CONFIG = "config.json"
WEIGHTS = "model.safetensors"
INDEX = "model.safetensors.index.json"
INDEXED = "weight_map"  # the entry of the index that says which shard holds which tensor
TOKENIZER = "tokenizer.json"
TOKENIZER_CONFIG = "tokenizer_config.json"
SPECIAL_TOKENS, ADDED_TOKENS = "special_tokens_map.json", "added_tokens.json"  # of older folders
ADAPTER = "adapter_config.json"
PICKLES = ("pytorch_model.bin", "pytorch_model.bin.index.json")
LARGEST = 1 << 42  # bytes of weights
CHUNK = 1 << 22
LARGEST_JSON = 1 << 23
LARGEST_CONFIG = 1 << 20

_NO_FOLDER = N_("{file} is no folder; expected one with config.json and model.safetensors.")
_ABSENT = N_("{file} does not exist.")
_NO_CONFIG = N_("{file} holds no config.json, and so no published model.")
_NO_WEIGHTS = N_("{file} holds no weights; expected model.safetensors or its index.")
_ADAPTED = N_("{file} holds an adapter (adapter_config.json), which changes another model; merge the two first.")
_PICKLED = N_(
    "{file} holds its weights as a pickle (pytorch_model.bin), which could run code, and is not opened; in Python: "
    "model.save_pretrained(folder, safe_serialization=True).",
)

_OTHERS = N_(
    "The files of {file} were written anew after the model was opened: no session can name the weights that it has. "
    "Open the model again.",
)

LONGEST_HEADER = 1 << 23
AT_ONCE = 1 << 22  # bytes that are looked through at a time
_WIDTHS = {"F32": 4, "F16": 2, "BF16": 2}  # of the numbers that are read
_EXPONENTS = {"F16": 0x7C00, "BF16": 0x7F80}  # all ones in numbers that are not finite
_HEADER = N_("{file} is cut off or no safetensors file: its header does not fit into it.")
_OUTSIDE = N_("{file}: the tensor “{name}” lies outside the file.")
_MISSING = N_("{file}: the tensor “{name}” is missing.")
_SHAPE = N_("{file}: the tensor “{name}” has the shape {got}; expected {expected}.")
_KIND = N_("{file}: the tensor “{name}” holds {got}; expected F32, F16 or BF16.")
_WILD = N_("{file}: the tensor “{name}” holds numbers that are not finite.")
_INDEX = N_("{file}: {name} must say for every tensor which file holds it.")
_LARGE = N_("{file}: the numbers of this model take {size} of memory in single precision; {free} are free.")
_FOREIGN = N_("{file} names the shard “{name}”; expected a file of the same folder.")

ORIGINAL = "original_max_position_embeddings"
_TWO_ROPES = N_("{file}: rope_parameters and rope_scaling name different scalings: {got}; expected one.")
SLIDING = {"full_attention": False, "sliding_attention": True}
UNSAID = 4096  # the window where config.json names none, as transformers has it
_KINDS = N_("{file}: layer_types must name one of {choices} for each of {layers} layers.")

MODULES = "modules.json"
_POOLING, _NORMALIZE, _TRANSFORMER = ".Pooling", ".Normalize", ".Transformer"
_UNKNOWN = N_("{file}: the pooling of sentences by {got} is not supported.")
_BAD = N_("{file}: expected a list of modules, each with its type and path.")
SHORTEST = 1e-12  # what a shorter vector is divided by, as torch.nn.functional.normalize does
MODE = "pooling_mode"  # a word; in older folders a switch for each, pooling_mode_mean_tokens


class Config:
    """The entries of a config.json, each checked when it is read; null means the default."""

    def __init__(self, entries: Mapping[str, Json], path: Path) -> None:
        self._entries, self._path = entries, path

    def given(self, name: str) -> Any:
        """Return the entry as it is; None where there is none."""
        return self._entries.get(name)

    def __contains__(self, name: str) -> bool:
        return name in self._entries

    def count(self, name: str, default: int | None = None, *, least: int = 1, most: int = LARGEST_COUNT) -> int:
        """Return a whole number, which must be there if it has no default. Raises FormatError."""
        found = self._found(name, default)
        if type(found) is not int or not least <= found <= most:
            raise self.refusal(_WHOLE, name=name, least=least, most=most, got=_said(found))
        return found

    def number(self, name: str, default: float | None = None) -> float:
        """Return a number above 0 that single precision holds with its inverse. Raises FormatError."""
        found = self._found(name, default)
        if isinstance(found, bool) or not isinstance(found, (int, float)) or not 1e-30 < found < 1e30:
            raise self.refusal(_NUMBER, name=name, got=_said(found))
        return float(found)

    def flag(self, name: str, default: bool) -> bool:
        """Return a boolean. Raises FormatError."""
        found = self._found(name, default)
        if not isinstance(found, bool):
            raise self.refusal(_FLAG, name=name, got=_said(found))
        return found

    def choice(self, name: str, choices: Mapping[Any, Any], default: object) -> Any:
        """Return the value of one of several words. Raises FormatError, which names them, for any other word."""
        found = self._found(name, default)
        if not isinstance(found, (str, bool, int, float)) or found not in choices:
            raise self.refusal(_CHOICE, name=name, got=_said(found), choices=", ".join(map(_said, choices)))
        return choices[found]

    def check(self, **wanted: object) -> None:
        """Raise FormatError for an entry that has another value than the one that is supported."""
        for name, value in wanted.items():
            self.choice(name, {value: value}, value)

    def part(self, name: str) -> Config | None:
        """Return the entries inside an entry; None where there are none. Raises FormatError where it has no entries."""
        found = self._entries.get(name) or {}
        if not isinstance(found, dict):
            raise self.refusal(_CHOICE, name=name, got=_said(found), choices="{…}")
        return Config(found, self._path) if found else None

    def refusal(self, template: str, **values: object) -> FormatError:
        """Return the error of an entry, which names the file."""
        return FormatError(template, **values).at(self._path)

    def _found(self, name: str, default: object) -> Any:
        found, other = self._entries.get(name), self._entries.get(OTHER_NAMES.get(name, name))
        if None not in (found, other) and found != other:
            raise self.refusal(_AGAINST, name=name, other=OTHER_NAMES[name])
        found = other if found is None else found
        if found is None and default is None:
            raise self.refusal(_NEEDED, name=name)
        return default if found is None else found


def _said(value: object) -> str:
    return {True: "true", False: "false"}[value] if isinstance(value, bool) else shown(str(value))


# --- files ----------------------------------------------------------------------------------------
def check_folder(folder: Path) -> None:
    """Raise FormatError, one sentence, for a folder that holds no published model."""
    try:
        mode = folder.stat().st_mode
    except (OSError, ValueError) as error:
        closed = isinstance(error, PermissionError)
        raise FormatError(NO_PERMISSION if closed else _ABSENT).at(folder) from error
    if not stat.S_ISDIR(mode):
        raise FormatError(_NO_FOLDER).at(folder)
    if not os.access(folder, os.R_OK | os.X_OK):  # else what is in it could not even be asked about
        raise FormatError(NO_PERMISSION).at(folder)
    if (folder / ADAPTER).exists():
        raise FormatError(_ADAPTED).at(folder)
    if not (folder / CONFIG).exists():
        raise FormatError(_NO_CONFIG).at(folder)
    if not ((folder / WEIGHTS).exists() or (folder / INDEX).exists()):
        pickled = any((folder / name).exists() for name in PICKLES)
        raise FormatError(_PICKLED if pickled else _NO_WEIGHTS).at(folder)


def folder_stamps(folder: Path) -> tuple[FileStamp | None, ...]:
    """Return the present stamps of config.json and all weights."""
    return tuple(map(FileStamp.of, _numbers_of(folder)))


def folder_digest(folder: Path, opened: tuple[FileStamp | None, ...]) -> str:
    """Return SHA-256 of config.json and all weights, in the order of their names.

    Raises FormatError where they are no longer the files that were `opened`, whose digest can then not be known.
    """
    found = hashlib.sha256()
    _check_same(folder, opened)
    for path in _numbers_of(folder):
        found.update(file_digest(path).encode())
    _check_same(folder, opened)
    return found.hexdigest()


def _check_same(folder: Path, opened: tuple[FileStamp | None, ...]) -> None:
    if folder_stamps(folder) != opened:
        raise FormatError(_OTHERS).at(folder)


def _numbers_of(folder: Path) -> list[Path]:
    return [folder / CONFIG, *sorted(folder.glob("*.safetensors"))]


def file_digest(path: Path) -> str:
    """Return SHA-256 of a file. Raises FormatError."""
    found = hashlib.sha256()
    with reading(path, LARGEST) as source:
        while part := source.file.read(CHUNK):
            found.update(part)
    return found.hexdigest()


def json_file(path: Path, largest: int = LARGEST_CONFIG) -> dict[str, Json]:
    """Return the object in a JSON file. Raises FormatError."""
    with reading(path, largest) as source:
        return parse_object(source.file.read(source.size).decode("utf-8"), largest)


# --- tensors --------------------------------------------------------------------------------------
class Tensor(NamedTuple):
    """A tensor in its file."""

    name: str
    path: Path
    kind: str
    shape: tuple[int, ...]
    cells: Array  # its bytes, in the memory of the file

    def numbers(self) -> Array:
        """Return the tensor as float32; one of F32 as a view of the file's memory."""
        if self.kind == "BF16":
            return from_bfloat16(self.cells, self.shape)
        found = self.cells.view({"F32": "<f4", "F16": "<f2"}[self.kind]).astype(np.float32, copy=False)
        found.flags.writeable = False
        return found.reshape(self.shape)

    def is_like(self, other: Tensor) -> bool:
        """Return whether another tensor has the same bytes, kind and shape."""
        alike = (self.kind, self.shape) == (other.kind, other.shape)
        return alike and np.array_equal(self.cells, other.cells)

    def is_finite(self) -> bool:
        """Return whether all numbers are finite."""
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


class CheckpointTensors:
    """The tensors of a checkpoint by name, without the prefix of the task that it was trained for."""

    def __init__(self, tensors: Mapping[str, Tensor], path: Path) -> None:
        self._tensors, self._path = tensors, path
        self._read: dict[str, Tensor] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._tensors

    def array(self, name: str, *shape: int) -> Array:
        """Return a tensor as read-only float32. Raises FormatError for one that is missing or has another shape.

        F32 tensors are views of the file's memory; others are converted.
        """
        found = self._read[name] = self._checked(name, shape)
        return found.numbers()

    def unread(self, ignored: Sequence[str]) -> list[str]:
        """Return the names, as in the file, of tensors that were not read and do not equal one that was.

        Those that match a pattern of `ignored` are left out.
        """
        left = {name: tensor for name, tensor in self._tensors.items() if name not in self._read}
        known = {name for name in left for pattern in ignored if fnmatchcase(name, pattern)}
        others = [tensor for name, tensor in left.items() if name not in known]
        return [tensor.name for tensor in others if not any(map(tensor.is_like, self._read.values()))]

    def check_memory(self) -> None:
        """Raise FormatError where memory cannot hold the converted tensors."""
        converted = (tensor for tensor in self._tensors.values() if tensor.kind in _EXPONENTS)
        size, free = sum(4 * prod(tensor.shape) for tensor in converted), available()
        if size > free != UNKNOWN:
            raise FormatError(_LARGE, size=size_text(size), free=size_text(free)).at(self._path)

    def check(self, progress: Progress) -> None:
        """Raise FormatError for NaN or infinity in a tensor that was read; others, such as masks, may hold them.

        `progress` gets the share that has been checked.
        """
        whole = sum(tensor.cells.size for tensor in self._read.values())
        done = 0
        for name, tensor in self._read.items():
            if not tensor.is_finite():
                raise FormatError(_WILD, name=shown(name)).at(tensor.path)
            done += tensor.cells.size
            progress(done / whole)

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


def tensors_in(folder: Path, prefixes: tuple[str, ...]) -> CheckpointTensors:
    """Return the tensors of a folder, from one file or from the shards that its index names. Raises FormatError."""
    whole, index = folder / WEIGHTS, folder / INDEX
    found = _in_file(whole) if whole.exists() else _in_shards(index)
    path, named = whole if whole.exists() else index, dict[str, Tensor]()
    for name, tensor in found.items():
        if (plain := _plain(name, prefixes)) in named:
            raise FormatError(THERE_TWICE, name=shown(plain, 80)).at(path)
        named[plain] = tensor
    return CheckpointTensors(named, path)


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
    """Return all tensors of one file; everything in its header is checked."""
    with reading(path, LARGEST) as source:
        length = int.from_bytes(source.file.read(8), "little")
        if length > min(source.size - 8, LONGEST_HEADER):
            raise FormatError(_HEADER)
        header = parse_object(source.file.read(length).decode(), LONGEST_HEADER)
        memory = mmap.mmap(source.file.fileno(), 0, access=mmap.ACCESS_READ)
        cells = np.frombuffer(memory, np.uint8)[8 + length :]
        return {place.name: _tensor(path, place, cells) for place in places(header, cells.size)}


def _tensor(path: Path, place: PackedArray, cells: Array) -> Tensor:
    start, stop = place.bytes
    if not start <= stop <= cells.size or min(place.shape, default=0) < 0:
        raise FormatError(_OUTSIDE, name=shown(place.name, 80))
    if place.kind in _WIDTHS and stop - start != prod(place.shape) * _WIDTHS[place.kind]:
        raise broken(place.name, prod(place.shape) * _WIDTHS[place.kind], stop - start)
    return Tensor(place.name, path, place.kind, place.shape, cells[start:stop])


def _plain(name: str, prefixes: tuple[str, ...]) -> str:
    """Return a name without the prefix of a task model, and with the present names of a norm's numbers."""
    for prefix in prefixes:
        if name.startswith(prefix):
            name = name.removeprefix(prefix)
            break
    return name.replace("LayerNorm.gamma", "LayerNorm.weight").replace("LayerNorm.beta", "LayerNorm.bias")


def layer_windows(config: Config, layers: int, sliding: list[bool], ruled: str = "") -> tuple[int | None, ...]:
    """Return the window of each layer, None where it has none; `layer_types`, if given, say which layers slide.

    Raises FormatError where these say anything else than an entry by which, in transformers, they are `ruled`.
    """
    kinds = config.given("layer_types")
    if kinds is not None:
        if not isinstance(kinds, list) or len(kinds) != layers or not all(kind in tuple(SLIDING) for kind in kinds):
            raise config.refusal(_KINDS, choices=", ".join(SLIDING), layers=layers)
        if ruled and sliding != [SLIDING[kind] for kind in kinds]:
            raise config.refusal(_AGAINST, name="layer_types", other=ruled)
        sliding = [SLIDING[kind] for kind in kinds]
    if not any(sliding) or ("sliding_window" in config and config.given("sliding_window") is None):
        return (None,) * layers
    window = config.count("sliding_window", UNSAID)
    return tuple(window if slides else None for slides in sliding)


# --- rotary frequencies ---------------------------------------------------------------------------
def frequencies(config: Config, width: int) -> Array:
    """Return (width / 2,): angles of one position, θ^(−2p / width), scaled as config.json says; float32 as in training.

    Raises FormatError for a scaling that is not supported. Source: Su et al., "RoFormer" (2021); scalings: Chen et al.,
    "Extending Context Window" (2023) and Llama 3.1.
    """
    several = [found for name in ("rope_parameters", "rope_scaling") if (found := config.part(name)) is not None]
    kinds = [(found.given("rope_type") or found.given("type") or "default", found.given("factor")) for found in several]
    if any(kind != kinds[0] for kind in kinds):
        got = (" ".join(str(part) for part in kind if part is not None) for kind in kinds)
        raise config.refusal(_TWO_ROPES, got=", ".join(map(shown, got)))
    scaling = several[0] if several else None
    theta = config.number("rope_theta", 10000.0)
    if scaling is None:
        return _unscaled(theta, width)
    if kind := next((kind for kind in SLIDING if kind in scaling), None):  # a record for each kind of layer
        raise config.refusal(_CHOICE, name="rope_parameters", got=kind, choices=", ".join(SCALINGS))
    if scaling.given(ORIGINAL) is not None and config.given(ORIGINAL) not in (None, scaling.given(ORIGINAL)):
        raise config.refusal(_AGAINST, name=f"{ORIGINAL} (rope_scaling)", other=ORIGINAL)
    theta = scaling.number("rope_theta", theta)
    name = "rope_type" if scaling.given("rope_type") is not None else "type"
    scaling.check(partial_rotary_factor=1.0)
    return scaling.choice(name, SCALINGS, "default")(_unscaled(theta, width), scaling)  # type: ignore[no-any-return]  # one of SCALINGS


def _unscaled(theta: float, width: int) -> Array:
    powers = np.arange(0, width, 2, dtype=np.float32) / np.float32(width)
    return (np.float32(1.0) / np.float32(theta) ** powers).astype(np.float32)


@np.errstate(all="ignore")  # both factors may be the same
def _llama3(angles: Array, scaling: Config) -> Array:
    """Return the angles, slow ones divided by the factor, fast ones kept, with a ramp between them."""
    factor, low, high = (scaling.number(name) for name in ("factor", "low_freq_factor", "high_freq_factor"))
    trained = scaling.number(ORIGINAL)
    waves = 2 * math.pi / angles
    share = (trained / waves - low) / (high - low)
    ramp = (1 - share) * angles / factor + share * angles
    kept = np.where(waves > trained / low, angles / factor, angles)
    between = (waves >= trained / high) & (waves <= trained / low)
    return np.where(between, ramp, kept).astype(np.float32)


SCALINGS: dict[str, Callable[[Array, Config], Array]] = {
    "default": lambda angles, scaling: angles,
    "linear": lambda angles, scaling: angles / np.float32(scaling.number("factor")),
    "llama3": _llama3,
}
"""Functions of the angles, by the name of the scaling."""


def install_line(*words: str) -> str:
    """Return the command that runs pip with `words` in any terminal."""
    parts = [sys.executable, "-m", "pip", "install", *words]
    return subprocess.list2cmdline(parts) if sys.platform == "win32" else shlex.join(parts)


# --- sentence pooling -----------------------------------------------------------------------------
POOLINGS: dict[str, Callable[[Array], Array]] = {
    "mean": lambda rows: np.mean(rows, axis=0),
    "cls": lambda rows: np.array(rows[0]),
    "max": lambda rows: np.max(rows, axis=0),
    "lasttoken": lambda rows: np.array(rows[-1]),
}
"""From the rows of tokens that are no padding to one vector, by the mode of the pooling's config."""


class Pooling(NamedTuple):
    """How a sentence model makes one vector: a way to pool, and whether it is normalized to length 1."""

    pool: Callable[[Array], Array]
    unit: bool

    def __call__(self, rows: Array) -> Array:
        found = self.pool(rows)
        return found / np.maximum(np.linalg.norm(found), SHORTEST) if self.unit else found


def pooling_in(folder: Path) -> Pooling | None:
    """Return the pooling of a sentence model; None for other models. Raises FormatError for one not supported."""
    path = folder / MODULES
    if not path.exists():
        return None
    with reading(path, LARGEST_CONFIG) as source:
        text = source.file.read(source.size).decode("utf-8")
        modules = parse_object(f'{{"modules": {text}}}', 2 * LARGEST_CONFIG)["modules"]  # the file is a list
    if not isinstance(modules, list) or not all(isinstance(module, dict) for module in modules):
        raise FormatError(_BAD).at(path)
    kinds = {str(module.get("type")): str(module.get("path")) for module in modules}
    pool, unit = None, False
    for kind, place in kinds.items():
        if kind.endswith(_POOLING):
            pool = _pooling_mode(folder, place, path)
        elif kind.endswith(_NORMALIZE):
            unit = True
        elif not kind.endswith(_TRANSFORMER):
            raise FormatError(_UNKNOWN, got=kind[:80]).at(path)
    return None if pool is None else Pooling(pool, unit)


def _pooling_mode(folder: Path, place: str, path: Path) -> Callable[[Array], Array]:
    if Path(place).name != place:
        raise FormatError(_BAD).at(path)
    config = json_file(folder / place / "config.json")
    chosen = [name for name, value in config.items() if name.startswith(f"{MODE}_") and value is True]
    modes = [name.removeprefix(f"{MODE}_").removesuffix("s").removesuffix("_token") for name in chosen]
    if isinstance(config.get(MODE), str):
        chosen = modes = [config[MODE]]
    if len(modes) != 1 or modes[0] not in POOLINGS:
        raise FormatError(_UNKNOWN, got=", ".join(chosen)[:80] or "—").at(path)
    return POOLINGS[modes[0]]
