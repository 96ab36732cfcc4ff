"""The way from tokens to one vector for a sentence, as folders of sentence models tell it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from attn_gui.engine.arrays import Array
from attn_gui.formats.base import reading
from attn_gui.formats.file_sentences import QT_TRANSLATE_NOOP, FormatError
from attn_gui.formats.foreign_arrays import parse_object
from attn_gui.models.reading.model_files import LARGEST_CONFIG, json_file

MODULES = "modules.json"
_POOLING, _NORMALIZE, _TRANSFORMER = ".Pooling", ".Normalize", ".Transformer"
_UNKNOWN = QT_TRANSLATE_NOOP("Sentences", "{file}: the pooling of sentences by {got} is not supported.")
_BAD = QT_TRANSLATE_NOOP("Sentences", "{file}: expected a list of modules, each with its type and path.")


def _mean(rows: Array) -> Array:
    found: Array = rows.mean(axis=0)
    return found


def _first(rows: Array) -> Array:
    return np.array(rows[0])


def _largest(rows: Array) -> Array:
    found: Array = rows.max(axis=0)
    return found


def _last(rows: Array) -> Array:
    return np.array(rows[-1])


WAYS: dict[str, Callable[[Array], Array]] = {"mean": _mean, "cls": _first, "max": _largest, "lasttoken": _last}
"""From the rows of tokens that are no padding to one vector, by the mode of the pooling's config."""
SHORTEST = 1e-12  # what a shorter vector is divided by, as torch.nn.functional.normalize does
MODE = "pooling_mode"  # a word; in older folders a switch for each, pooling_mode_mean_tokens


class Pooling(NamedTuple):
    """The vector of a sentence: a way to pool, and whether it is made as long as 1."""

    way: Callable[[Array], Array]
    unit: bool

    def __call__(self, rows: Array) -> Array:
        found = self.way(rows)
        return found / np.maximum(np.linalg.norm(found), SHORTEST) if self.unit else found


def pooling_in(folder: Path) -> Pooling | None:
    """The pooling of a sentence model; None in a folder that is none. Raises FormatError for one not supported."""
    path = folder / MODULES
    if not path.exists():
        return None
    with reading(path, LARGEST_CONFIG) as source:  # a list, which is no object
        modules = parse_object(f'{{"modules": {source.file.read(source.size).decode("utf-8")}}}', 2 * LARGEST_CONFIG)[
            "modules"
        ]
    if not isinstance(modules, list) or not all(isinstance(module, dict) for module in modules):
        raise FormatError(_BAD).at(path)
    kinds = {str(module.get("type")): str(module.get("path")) for module in modules}
    way, unit = None, False
    for kind, place in kinds.items():
        if kind.endswith(_POOLING):
            way = _way(folder, place, path)
        elif kind.endswith(_NORMALIZE):
            unit = True
        elif not kind.endswith(_TRANSFORMER):
            raise FormatError(_UNKNOWN, got=kind[:80]).at(path)
    return None if way is None else Pooling(way, unit)


def _way(folder: Path, place: str, path: Path) -> Callable[[Array], Array]:
    if Path(place).name != place:
        raise FormatError(_BAD).at(path)
    config = json_file(folder / place / "config.json")
    chosen = [name for name, value in config.items() if name.startswith(f"{MODE}_") and value is True]
    modes = [name.removeprefix(f"{MODE}_").removesuffix("s").removesuffix("_token") for name in chosen]
    if isinstance(config.get(MODE), str):
        chosen = modes = [config[MODE]]
    if len(modes) != 1 or modes[0] not in WAYS:
        raise FormatError(_UNKNOWN, got=", ".join(chosen)[:80] or "—").at(path)
    return WAYS[modes[0]]
