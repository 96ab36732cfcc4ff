"""Fields and options of a problem in any file, also in other programs' words; float32 or float64; what was not used."""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Iterable, Mapping, Sequence, Sized
from contextlib import suppress
from typing import Any

import numpy as np

from attn_gui.engine.blocks import BLOCKS
from attn_gui.engine.checks import described, first_rounded, whole_text
from attn_gui.engine.fields import AXES, MATRICES
from attn_gui.engine.masks import Bias, Causal, Custom, Layer
from attn_gui.engine.normalizers import NORMALIZERS
from attn_gui.engine.problem import Problem
from attn_gui.engine.scores import SCORES
from attn_gui.engine.stages import STAGE
from attn_gui.formats.file_messages import FileNote, FormatError, shown
from attn_gui.formats.untrusted_bytes import Array, Json
from attn_gui.languages import N_

OPTIONS = tuple(field.name for field in dataclasses.fields(Problem) if field.name not in MATRICES)
ARGUMENTS = ("tokens", "batch_axis")  # what a file may say beside the fields of a problem
CAUSAL = ("is_causal", "use_causal_mask", Causal.kind)
OTHER_WORDS = {
    **dict.fromkeys(
        (
            *("n_heads", "n_head", "nhead", "nheads", "num_head", "head_num", "num_attn_heads", "num_attention_heads"),
            *("num_q_heads", "q_num_heads", "num_query_heads"),
        ),
        "num_heads",
    ),
    **dict.fromkeys(
        ("n_kv_heads", "n_kv_head", "n_key_value_heads", "num_key_value_heads", "kv_heads", "kv_num_heads"),
        "num_kv_heads",
    ),
    **dict.fromkeys(("softmax_scale", "sm_scale", "scaling"), "scale"),
    **dict.fromkeys(("logits_soft_cap", "attn_logit_softcapping"), "softcap"),
    **dict.fromkeys(("normalization", "normalisation", "normalise"), "normalize"),
    **dict.fromkeys(CAUSAL, "mask"),
}
"""What models and PyTorch call options → our names."""
RECORDS = ("score_params", "block")
LISTS = ("mask", "interventions")  # of records
ABOUT = ("title", "description", "model", "license", "source", "layer", "text", "note")
_DOTTED = re.compile(r"(?:score_params|block|(?:mask|interventions)\.(?:0|[1-9][0-9]{0,2}))\.([a-z][a-z0-9_]*)")
_NO_LIST = N_("{file}: the option “{name}” is {got}; expected a list.")
_NO_MAPPING = N_("{file}: the option “{name}” is {got}; expected names with values.")
_NO_LAYER = N_("{file}: “{name}” belongs to no mask layer; expected a layer {place} in the options.")
_NO_RECORD = N_("{file}: “{name}” belongs to no intervention; expected one numbered {place} in the options.")
_NO_SWITCH = N_("{file}: “{name}” is {got}; expected true or false.")
_TWO_COUNTS = N_("{file}: “{name}” is {got} and “{other}” is {held}; expected the same.")
_READ_AS = N_("“{name}” was read as {got}.")
_READ_CAUSAL = N_("“{name}” was read as the causal mask {rule}.")
WHOLE_IN_FLOAT32 = 2**24  # up to which it has every whole number
_NOTED = 8  # names that are worth saying


def is_field(name: str) -> bool:
    """Return whether an array of this name belongs to a problem."""
    return name in MATRICES or _DOTTED.fullmatch(name) is not None


def is_option(name: str) -> bool:
    """Return whether an array of this name holds an option."""
    return name in OPTIONS or name in ARGUMENTS or name in OTHER_WORDS


def own_shape(name: str, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape of a field, given that in a file: tables hold vectors as one row or column."""
    return (math.prod(shape),) if len(shape) == 2 and 1 in shape and _is_vector(name) else shape


def _is_vector(name: str) -> bool:
    """Return whether a field has one axis."""
    record, _, last = name.rpartition(".")
    tables: dict[str, Iterable[Sized]] = {
        "score_params": (score.tables[last] for score in SCORES.values() if last in score.tables),
        "block": (block.tables[last].letters for block in BLOCKS.values() if last in block.tables),
    }
    return AXES.get(name) == (1,) or any(len(letters) == 1 for letters in tables.get(record, ()))


def is_result(name: str) -> bool:
    """Return whether an array of this name is a computed stage, which can be left unread."""
    return name in STAGE


def option_of(name: str, array: Array) -> tuple[dict[str, Json], dict[str, Array]]:
    """Return (options, arrays) for an array whose name is that of an option; a mask becomes its first layer."""
    if name != "mask" or array.dtype.kind in "US":
        return {name: array.item() if array.ndim == 0 else array.tolist()}, {}
    if array.dtype.kind != "f":
        return _first_layer(Custom, array)
    if np.isin(array, (0, 1)).all():
        template = N_(
            "{file}: “mask” holds 0 and 1 as decimal numbers, which may close and open cells or be added to scores; "
            "expected booleans (True = may attend), or a layer of the kind bias.",
        )
        raise FormatError(template)
    return _first_layer(Bias, array)


def _first_layer(kind: type[Layer], cells: Array) -> tuple[dict[str, Json], dict[str, Array]]:
    return {"mask": [{"kind": kind.kind}]}, {f"mask.0.{kind.parameters[0].name}": cells}


def split(problem: Problem) -> tuple[dict[str, Array], dict[str, Json]]:
    """Return (arrays by dotted name, everything else as JSON) of a problem; fields with default values are left out."""
    arrays = problem.arrays()
    options: dict[str, Json] = {"num_heads": problem.num_heads}
    for name, value in problem.fields().items():
        if name in LISTS:
            options[name] = [_plain(record.to_mapping()) for record in value]
        elif name not in arrays:
            options[name] = _plain(value)
    return arrays, options | {"dtype": np.dtype(problem.dtype).name}


def in_our_words(options: Mapping[str, Json]) -> tuple[dict[str, Json], tuple[FileNote, ...]]:
    """Return options under our names, with notes on those that had others; a normalization that is none of ours keeps
    its name. Raises FormatError where two of them differ."""
    found: dict[str, Json] = {name: value for name, value in options.items() if name not in OTHER_WORDS}
    notes = []
    for name, value in options.items():
        option = OTHER_WORDS.get(name)
        if option is None or value is None:
            continue
        if option == "normalize" and value not in tuple(NORMALIZERS):
            found[name] = value
            continue
        if name in CAUSAL:
            if value not in (True, False, 0, 1):
                raise FormatError(_NO_SWITCH, name=name, got=described(value))
            if value:
                found["mask"] = [*layers_of(found.get("mask")), {"kind": Causal.kind}]
                notes.append(FileNote(_READ_CAUSAL, name=name, rule="j ≤ i"))
        elif found.setdefault(option, value) != value:
            raise FormatError(_TWO_COUNTS, name=name, got=described(value), other=option, held=described(found[option]))
        else:
            notes.append(FileNote(_READ_AS, name=name, got=f"{option} {described(value)}"))
    if found.get("softcap") == 0:  # as flash-attn switches it off
        del found["softcap"]
        notes.append(FileNote(_READ_AS, name="softcap", got="None"))
    return found, tuple(notes)


def assemble(
    arrays: Mapping[str, Array], options: Mapping[str, Json], *, batch_axis: bool = True
) -> tuple[Problem, dict[str, str], tuple[str, ...]]:
    """Return the problem, what else the options say about it, and the names of unknown options.

    Without a dtype among the options it is float32 if no array is finer. `batch_axis`: whether a first axis as long as
    num_heads is the batch, where the options do not say. Raises FormatError, ShapeError.
    """
    fields = fields_of(arrays, options) | {"batch_axis": options.get("batch_axis", batch_axis)}
    strange = tuple(name for name in options if name not in (*OPTIONS, *ABOUT, *ARGUMENTS))
    return Problem(**fields), words(options), strange


def fields_of(arrays: Mapping[str, Array], options: Mapping[str, Json]) -> dict[str, Any]:
    """Return the fields of a problem, unchecked. Raises FormatError for an array that is no part of one."""
    fields: dict[str, Any] = {name: options[name] for name in OPTIONS if options.get(name) is not None}
    if "tokens" in options:
        fields = {"query_tokens": options["tokens"], "key_tokens": options["tokens"]} | fields
    fields |= {name: dict(_object(fields[name], name)) for name in RECORDS if name in fields}
    fields["mask"] = layers_of(fields.get("mask"))
    for name in LISTS:
        fields[name] = [dict(_object(record, name)) for record in _list(fields.get(name, []), name)]
    fields.setdefault("dtype", _dtype(arrays))
    for name, array in {**cells_in_lists(options), **arrays}.items():
        _put(fields, name, _narrowed(array, fields["dtype"]))
    return fields


def cells_in_lists(options: Mapping[str, Json]) -> dict[str, Array]:
    """Return the numbers that layers of a mask and interventions among the options hold themselves, by field."""
    found: dict[str, Array] = {}
    for name, records in (("mask", layers_of(options.get("mask"))), ("interventions", options.get("interventions"))):
        for place, record in enumerate(records if isinstance(records, list) else ()):
            values = record.get("values") if isinstance(record, dict) else None
            with suppress(ValueError):  # rows of different lengths
                if isinstance(values, list | float) and (array := np.asarray(values)).dtype.kind == "f":
                    found[f"{name}.{place}.values"] = array
    return found


def _narrowed(array: Array, dtype: Json) -> Array:
    """Return the array in float32 where the problem is: what becomes infinite, or is rounded as a whole number, is
    noted of a file, without a warning."""
    if array.dtype.kind in "iu" and first_rounded(array) is not None:
        return array.astype(np.float64)
    if dtype != "float32" or array.dtype.kind != "f" or array.dtype.itemsize <= np.dtype(np.float32).itemsize:
        return array
    with np.errstate(over="ignore"):
        return array.astype(np.float32)


def layers_of(mask: Json) -> list[Json]:
    """Return the layers of a mask, given as a list, one layer or the name of a kind. Raises FormatError."""
    alone = isinstance(mask, str) or (isinstance(mask, dict) and "kind" in mask)
    layers = [] if mask is None else [mask] if alone else _list(mask, "mask")
    return [{"kind": layer} if isinstance(layer, str) else layer for layer in layers]


def words(options: Mapping[str, Json]) -> dict[str, str]:
    """Return those options that are words about the problem: model, text, …"""
    return {name: whole_text(str(options[name])) for name in ABOUT if isinstance(options.get(name), str | int)}


def notes_on(arrays: Sequence[str], options: Sequence[str]) -> tuple[FileNote, ...]:
    """Return notes on arrays and options that were not read."""
    said = (
        (N_("Arrays not used: {names}."), arrays),
        (N_("Options not used: {names}."), options),
    )
    return tuple(FileNote(template, names=listed(names)) for template, names in said if names)


def listed(names: Iterable[str]) -> tuple[str, ...]:
    """Return names as a list in a sentence, which is put together when it is shown."""
    names = list(names)
    return (*map(shown, names[:_NOTED]), *("…" for _ in names[_NOTED : _NOTED + 1]))


def _put(fields: dict[str, Any], name: str, array: Array) -> None:
    """Put an array into nested fields, as its dotted name says."""
    *record, last = name.split(".")
    if not record:
        fields[name] = array
    elif record[0] in LISTS:
        place = int(record[1])
        if place >= len(fields[record[0]]):
            raise FormatError(_NO_LAYER if record[0] == "mask" else _NO_RECORD, name=shown(name), place=place)
        fields[record[0]][place][last] = array
    else:
        fields.setdefault(record[0], {})[last] = array


def _dtype(arrays: Mapping[str, Array]) -> str:
    kinds = {array.dtype for array in arrays.values() if array.dtype.kind == "f"}
    narrow = kinds and np.result_type(np.float16, *kinds) != np.float64
    return "float32" if narrow and not any(map(_needs_float64, arrays.values())) else "float64"


def _needs_float64(array: Array) -> bool:
    """Return whether float32 has not got all whole numbers up to those of an array."""
    return array.dtype.kind in "iu" and array.size > 0 and max(int(array.max()), -int(array.min())) > WHOLE_IN_FLOAT32


def _plain(value: object) -> Json:
    """Return a field as JSON; records lose their arrays, which have names of their own."""
    if isinstance(value, Mapping):
        return {name: _plain(part) for name, part in value.items() if not isinstance(part, np.ndarray)}
    if isinstance(value, np.ndarray | tuple | list):
        # tokens, of which there may be 65,536, are plain already
        return list(value) if set(map(type, value)) == {str} else [_plain(part) for part in value]
    return value.item() if isinstance(value, np.generic) else value


def _list(value: Json, name: str) -> list[Json]:
    if not isinstance(value, list):
        raise FormatError(_NO_LIST, name=name, got=described(value))
    return value


def _object(value: Json, name: str) -> dict[str, Json]:
    if not isinstance(value, dict):
        raise FormatError(_NO_MAPPING, name=name, got=described(value))
    return value
