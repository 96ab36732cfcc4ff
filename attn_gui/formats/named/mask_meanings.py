"""Meanings that the cells of a mask have in foreign hands, each as a layer of a problem. Imports engine."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from attn_gui.engine.problem.masks import Bias, Custom
from attn_gui.formats.file_sentences import QT_TRANSLATE_NOOP, FormatError, shown
from attn_gui.formats.foreign_arrays import Array
from attn_gui.formats.json_text import Json
from attn_gui.formats.named.roles import MASK
from attn_gui.formats.problem_fields import layers_in, option_of

KEEP, BLOCK, ADD = "keep", "block", "add"
MASK_MEANINGS = (KEEP, BLOCK, ADD)
_NO_SWITCHES = QT_TRANSLATE_NOOP(
    "Sentences",
    "{file}: the mask holds {got}; expected 0 and 1, or true and false, where it means “{meaning}”; “add” takes any.",
)


def with_mask(
    meaning: str | None, cells: Array, options: Mapping[str, Json], arrays: Mapping[str, Array]
) -> tuple[dict[str, Json], dict[str, Array]]:
    """The options and arrays of the file's layers with one more, of the cells of a mask. Raises FormatError."""
    cells = _with_axes(cells, arrays)
    before = layers_in(options.get(MASK, []))
    layers = list(before) if isinstance(before, list) else []
    if meaning is None:
        more, found = option_of(MASK, cells)
        layer, (values,) = more[MASK][0], found.values()
        kind = Custom if layer["kind"] == Custom.kind else Bias
    else:
        kind, values = (Bias, cells) if meaning == ADD else (Custom, _switches(meaning, cells))
    name = f"{MASK}.{len(layers)}.{kind.parameters[0].name}"
    return {**options, MASK: [*layers, {"kind": kind.kind}]}, {name: values}


def _switches(meaning: str, cells: Array) -> Array:
    """The cells that may be attended to. Raises FormatError for what would be added to scores."""
    if (strange := cells[~np.isin(cells, (0, 1))]).size:
        raise FormatError(_NO_SWITCHES, got=shown(str(strange[0])), meaning=meaning)
    return np.asarray((cells != 0) == (meaning == KEEP))


def _with_axes(cells: Array, arrays: Mapping[str, Array]) -> Array:
    """A mask of items and keys, or of items, queries and keys, with the axes between."""
    first = next((arrays[role] for role in ("query", "x") if role in arrays), None)
    if first is None or first.ndim != 3 or cells.ndim not in (2, 3):
        return cells
    batch, n = first.shape[0], first.shape[-2]
    if cells.shape[0] == batch and (cells.ndim == 3 or cells.shape[0] != n):
        return cells[:, None, None] if cells.ndim == 2 else cells[:, None]
    return cells
