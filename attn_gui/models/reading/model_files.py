"""Files of a published checkpoint: which ones there are, and those that are refused by name."""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path

from attn_gui.formats.base import NO_PERMISSION, reading
from attn_gui.formats.file_sentences import QT_TRANSLATE_NOOP, FormatError
from attn_gui.formats.foreign_arrays import Json, parse_object
from attn_gui.formats.session import Stamp

CONFIG = "config.json"
WEIGHTS = "model.safetensors"
INDEX = "model.safetensors.index.json"
INDEXED = "weight_map"  # the entry of the index that says which shard holds which tensor
TOKENIZER = "tokenizer.json"
TOKENIZER_CONFIG = "tokenizer_config.json"
ADAPTER = "adapter_config.json"
PICKLES = ("pytorch_model.bin", "pytorch_model.bin.index.json")
LARGEST = 1 << 42  # bytes of weights
CHUNK = 1 << 22
LARGEST_JSON = 1 << 23
LARGEST_CONFIG = 1 << 20

_NO_FOLDER = QT_TRANSLATE_NOOP("Sentences", "{file} is no folder; expected one with config.json and model.safetensors.")
_ABSENT = QT_TRANSLATE_NOOP("Sentences", "{file} does not exist.")
_NO_CONFIG = QT_TRANSLATE_NOOP("Sentences", "{file} holds no config.json, and so no published model.")
_NO_WEIGHTS = QT_TRANSLATE_NOOP("Sentences", "{file} holds no weights; expected model.safetensors or its index.")
_ADAPTED = QT_TRANSLATE_NOOP(
    "Sentences", "{file} holds an adapter (adapter_config.json), which changes another model; merge the two first."
)
_PICKLED = QT_TRANSLATE_NOOP(
    "Sentences",
    "{file} holds its weights as a pickle (pytorch_model.bin), which could run code, and is not opened; in Python: "
    "model.save_pretrained(folder, safe_serialization=True).",
)

_OTHERS = QT_TRANSLATE_NOOP(
    "Sentences",
    "The files of {file} were written anew after the model was opened: no session can name the weights that it has. "
    "Open the model again.",
)


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


def folder_stamps(folder: Path) -> tuple[Stamp | None, ...]:
    """config.json and all weights as they are at this moment."""
    return tuple(map(Stamp.of, _numbers_of(folder)))


def folder_digest(folder: Path, opened: tuple[Stamp | None, ...]) -> str:
    """SHA-256 of config.json and of all weights, in the order of their names. Raises FormatError where they are others
    than were `opened`: what was read of those could be named by it no more."""
    found = hashlib.sha256()
    _check_same(folder, opened)
    for path in _numbers_of(folder):
        found.update(file_digest(path).encode())
    _check_same(folder, opened)
    return found.hexdigest()


def _check_same(folder: Path, opened: tuple[Stamp | None, ...]) -> None:
    if folder_stamps(folder) != opened:
        raise FormatError(_OTHERS).at(folder)


def _numbers_of(folder: Path) -> list[Path]:
    return [folder / CONFIG, *sorted(folder.glob("*.safetensors"))]


def file_digest(path: Path) -> str:
    """SHA-256 of a file. Raises FormatError."""
    found = hashlib.sha256()
    with reading(path, LARGEST) as source:
        while part := source.file.read(CHUNK):
            found.update(part)
    return found.hexdigest()


def json_file(path: Path, largest: int = LARGEST_CONFIG) -> dict[str, Json]:
    """The object in a JSON file. Raises FormatError."""
    with reading(path, largest) as source:
        return parse_object(source.file.read(source.size).decode("utf-8"), largest)
