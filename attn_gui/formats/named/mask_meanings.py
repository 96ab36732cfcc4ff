"""What 1 and True mean in a mask of another program: told by its name, by its numbers, or asked; it as a mask layer."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

import numpy as np

from attn_gui.engine.masks import Bias, Custom, Layer
from attn_gui.formats.file_messages import (
    READ_AS,
    Argument,
    FileNote,
    FormatError,
    SeveralReadings,
    reading,
    shape_text,
    shown,
)
from attn_gui.formats.named.array_names import MASK, guess
from attn_gui.formats.problem_fields import layers_of
from attn_gui.formats.untrusted_bytes import Array, Json
from attn_gui.languages import N_

SWITCHES = "bool"  # the kind of numbers, as NumPy calls it, that is never added to scores
KEEP, BLOCK, ADD, NO_MASK = "keep", "block", "add", "none"
_WORDS = {
    KEEP: N_("True may attend"),
    BLOCK: N_("True may not attend"),
    ADD: N_("added to the scores"),
    NO_MASK: N_("left out"),
}
MASK_MEANINGS = tuple(_WORDS)
_KNOWN = (
    (re.compile(r"(?<!global_)(?<!inverted_)attention_mask$"), KEEP),  # Hugging Face, Keras
    (re.compile(r"key_padding_mask$"), BLOCK),  # torch.nn.MultiheadAttention
    (re.compile(r"(^|[._/])(attn|attention)[./]bias$"), KEEP),  # the causal mask of GPT-2
    (re.compile(r"(^|[._/])allowed$"), KEEP),
    (re.compile(r"(attn|attention|position|relative)_bias$"), ADD),  # xformers, ONNX Runtime, T5
)
"""What true and 1 mean in masks of these names. Of attn_mask PyTorch itself has two meanings."""
_KEYS = re.compile(r"(attention|padding)_mask$")
"""Names of masks that have a row for each item where they have two axes."""
_NO_SWITCHES = N_(
    "{file}: the mask holds {got}; expected 0 and 1, or true and false, where it means “{meaning}”; “add” takes any.",
)
_TWO_AXES = N_(
    "{file}: the first axis of “{name}”, {shape}, may be {got} items or {got} heads; expected four axes, the other of "
    "the two of length 1.",
)
_NO_MEANING = N_(
    "{file}: “{name}” holds the whole number {got}, which is neither 0 nor 1; {reading} adds it to the scores.",
)


def known_meaning(name: str, dtype: str) -> str | None:
    """Return what true and 1 mean in a mask of this name and dtype; None where these do not tell."""
    found = next((meaning for pattern, meaning in _KNOWN if pattern.search(name)), None)
    return None if found == ADD and dtype == SWITCHES else found


def open_mask(name: str, dtype: str) -> SeveralReadings:
    """Return the question what a mask of this dtype means."""
    return _question(name, (KEEP, BLOCK, NO_MASK) if dtype == SWITCHES else (KEEP, BLOCK, ADD, NO_MASK))


def _question(name: str, meanings: Iterable[str]) -> SeveralReadings:
    return SeveralReadings(MASK, (shown(name),), {each: FileNote(_WORDS[each]) for each in meanings})


def meaning_in(name: str, meaning: str | None, cells: Array) -> str:
    """Return the meaning of a mask by the kind of its numbers, or by its name where that does not tell.

    Raises FormatError, SeveralReadings where neither tells, and where a name says that the mask is turned.
    """
    if meaning == ADD:
        return ADD
    if not np.isin(cells, (0, 1)).all():
        if cells.dtype.kind != "f" and (strange := cells[cells > 0]).size:
            adding = Argument.of(MASK, ADD)
            raise FormatError(_NO_MEANING, name=shown(name), got=str(strange.max()), reading=adding)
        if (found := guess(name)) and found.turned:
            raise _question(name, (ADD, NO_MASK))
        return ADD
    if meaning is None or cells.dtype.kind == "f":
        raise open_mask(name, cells.dtype.name)
    return meaning


def note_on(name: str, meaning: str) -> FileNote:
    """Return a note on how a mask was read."""
    return FileNote(READ_AS, names=(shown(name),), reading=reading(MASK, meaning, FileNote(_WORDS[meaning])))


def with_mask(
    name: str, meaning: str, cells: Array, options: Mapping[str, Json], arrays: Mapping[str, Array]
) -> tuple[dict[str, Json], dict[str, Array]]:
    """Return options and arrays with one more layer, of the cells of a mask. Raises FormatError."""
    cells = _with_axes(name, cells, arrays, int(options.get("num_heads") or 1))
    kind: type[Layer] = Bias if meaning == ADD else Custom
    values = cells if meaning == ADD else _switches(meaning, cells)
    layers = layers_of(options.get(MASK))
    place = f"{MASK}.{len(layers)}.{kind.parameters[0].name}"
    return {**options, MASK: [*layers, {"kind": kind.kind}]}, {place: values}


def _switches(meaning: str, cells: Array) -> Array:
    """Return booleans: cells that may be attended to. Raises FormatError for cells that would be added to scores."""
    if (strange := cells[~np.isin(cells, (0, 1))]).size:
        raise FormatError(_NO_SWITCHES, got=shown(str(strange[0])), meaning=meaning)
    return np.asarray((cells != 0) == (meaning == KEEP))


def _with_axes(name: str, cells: Array, arrays: Mapping[str, Array], heads: int) -> Array:
    """Return a mask of (items, keys) or (items, queries, keys) with the missing axes.

    Items and heads in one axis, as in nn.MultiheadAttention, are split.
    """
    first = next((arrays[role] for role in ("query", "x") if role in arrays), None)
    if first is None or first.ndim != 3 or cells.ndim not in (2, 3):
        return cells
    if cells.ndim == 3 and cells.shape[0] == first.shape[0] * heads and heads > 1:
        return cells.reshape(first.shape[0], heads, *cells.shape[1:])
    if cells.shape[0] != first.shape[0]:
        return cells
    if cells.ndim == 3 and cells.shape[0] == heads > 1:
        raise FormatError(_TWO_AXES, name=shown(name), got=heads, shape=shape_text(cells.shape))
    if cells.ndim == 3:
        return cells[:, None]
    return cells[:, None, None] if cells.shape[0] != first.shape[-2] or _KEYS.search(name) else cells
