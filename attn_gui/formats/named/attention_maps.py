"""Files of attention weights alone: which arrays are maps (also arr_0, arr_1), order of their axes, which layer."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import permutations
from typing import NamedTuple

import numpy as np

from attn_gui.engine import errors
from attn_gui.engine.arrays import check
from attn_gui.engine.errors import FieldError
from attn_gui.engine.fields import COMPARING, DIRECT, GIVEN, WEIGHTS
from attn_gui.engine.head_axis import Axes, Shape, adds_up, axis_of_keys
from attn_gui.formats.file_format import ArrayListing, FileSource, ListedArray
from attn_gui.formats.file_messages import AmbiguousFile, Argument, FileNote, FormatError, shape_text, shown
from attn_gui.formats.named.array_names import suggested
from attn_gui.formats.named.weight_layouts import parts_of
from attn_gui.formats.problem_fields import is_field
from attn_gui.formats.untrusted_bytes import Array, Json
from attn_gui.languages import N_

AXES = LAYER, BATCH, HEAD, QUERY, KEY = "layer", "batch", "head", "query", "key"
VALUE, BESIDE = "value", ("value", "w_output", "b_output")
USUAL: Mapping[int, tuple[Axes, ...]] = {
    2: ((QUERY, KEY),),
    3: ((HEAD, QUERY, KEY),),
    4: ((BATCH, HEAD, QUERY, KEY), (LAYER, HEAD, QUERY, KEY)),
    5: ((LAYER, BATCH, HEAD, QUERY, KEY),),
}
"""The readings of an array by its number of axes; of two, a person says which."""
RARE: tuple[Axes, ...] = ((BATCH, QUERY, KEY), (LAYER, QUERY, KEY))
"""Maps without an axis of heads, as averages over them have it: read so where it is said."""
_VALUES: tuple[Axes, ...] = (
    (KEY, "column"),
    (HEAD, KEY, "column"),
    (KEY, HEAD, "column"),
    (BATCH, KEY, "column"),
    (BATCH, HEAD, KEY, "column"),
    (BATCH, KEY, HEAD, "column"),
)
_MAPS = frozenset(("attention", "attentions", "attn", "attns", "weights", "pattern", "patterns", "probs"))
_NO_MAPS = frozenset(
    (
        *("mask", "masks", "score", "scores", "logits", "bias", "weight", "kernel", "proj", "projection", "dense"),
        *("norm", "q", "k", "v", "query", "key", "value", "qkv", "z"),
        *("out", "output", "outputs", "hidden", "result", "grad"),
    )
)
_CHOOSE = N_("{file} holds attention weights that can be read in several ways; choose one of {choices}.")
_OTHER_AXIS = N_(
    "{file}: “{name}” does not add up to 1 along its last axis but along axis {axis}, as attention weights do along "
    "the keys; choose one of {choices}.",
)
_NAMELESS = N_("{file} holds one array whose rows add up to 1, as those of attention do; choose one of {choices}.")
_NEITHER = N_(
    "{file} holds one array of the shape {got}, which is neither a matrix nor attention weights, whose rows add up to "
    "1; expected an array of two axes, or several arrays by name.",
)
_NOT_SO = N_("{file}: “{name}” of the shape {got} cannot be read so; choose one of {choices}.")
_TAKEN = N_("“{name}” was read as {axes}; other readings have to be said: {others}.")
_NO_SUM = N_("Rows of “{name}” do not add up to 1: they were read as attention weights all the same.")
_VALUE = N_(
    "{file}: “{name}” of the shape {got} fits the weights of the shape {maps} in {count} orders of axes; expected "
    "one: give both to Problem.from_weights.",
)

MOST_SAID = 8  # choices that a sentence names
NUMBER = re.compile(r"\d+")  # in the name of one of several arrays: that of its layer


class MapChoice(NamedTuple):
    """One reading of maps: the array, the order of its axes, and the layer if it has several."""

    name: str
    axes: Axes
    layer: int | None = None

    def take(self, array: Array) -> Array:
        """Return the maps of the layer: (head, query, key), or (batch, head, query, key)."""
        maps = array.transpose([self.axes.index(axis) for axis in AXES if axis in self.axes])
        maps = maps if self.layer is None else maps[self.layer]
        return maps if HEAD in self.axes else maps[..., None, :, :]


class SeveralMaps(AmbiguousFile):
    """A file of attention weights with several readings: a person has to choose."""

    def __init__(self, template: str, choices: Sequence[MapChoice], **values: object) -> None:
        self.choices = tuple(choices)
        super().__init__(template, choices=_written(choices), **values)


def parsed_maps(words: Iterable[str]) -> Axes | None:
    """Return the order of axes that these words give; None where they give none."""
    axes = tuple(words)
    once = len(set(axes)) == len(axes)
    return axes if once and {QUERY, KEY} <= set(axes) <= set(AXES) else None


def names_of_maps(listing: ArrayListing) -> tuple[str, ...]:
    """Return the arrays that are attention weights by name; none where the file has what they are computed from."""
    parts = parts_of(suggested(listing.arrays))
    if set(DIRECT) <= parts or {"x", *WEIGHTS} <= parts:
        return ()
    return tuple(one.name for one in listing.arrays if len(one.shape) in USUAL and means_maps(one.name))


def means_maps(name: str) -> bool:
    """Return whether an array of this name holds attention weights, if nothing in the file computes them."""
    parts = [_words(part) for part in re.split(r"[./]", name)]
    own = next((words for words in reversed(parts) if words), frozenset())  # h.3.attn.a is an a, attentions.0 is one
    return bool(own & _MAPS) and not any(words & _NO_MAPS and words != _OF_TORCH for words in parts)


def _words(name: str) -> frozenset[str]:
    """Return the words of a name such as attnWeights or hook_pattern, in lower case."""
    return frozenset(re.findall(r"[a-z]+", re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", name).lower()))


_OF_TORCH = _words("attn_output_weights")  # as nn.MultiheadAttention calls those that it returns


def choices_of(
    listing: ArrayListing, names: Sequence[str], axes: Axes | None = None, layer: int | None = None
) -> tuple[MapChoice, ...]:
    """Return the readings of maps of these names that agree with what is given; no number is read."""
    shapes, heads = {one.name: one.shape for one in listing.arrays}, listing.options.get("num_heads")
    found = [choice for name in names for choice in _of_shape(name, shapes[name], axes)]
    found = [choice for choice in found if heads in (None, _heads(choice, shapes[choice.name]))]
    return tuple(choice for choice in found if layer in (None, choice.layer, _layer_in(choice)))


def _layer_in(choice: MapChoice) -> int | None:
    """Return the layer in the name of an array, such as blocks.3.attn.hook_pattern."""
    number = NUMBER.search(choice.name) if choice.layer is None else None
    return int(number[0]) if number else None


def _heads(choice: MapChoice, shape: Shape) -> int:
    return shape[choice.axes.index(HEAD)] if HEAD in choice.axes else 1


def _of_shape(name: str, shape: Shape, said: Axes | None) -> list[MapChoice]:
    readings: Sequence[Axes] = [said] if said is not None and len(said) == len(shape) else USUAL.get(len(shape), ())
    if said is not None and (said not in readings or parsed_maps(said) is None):
        return []
    if said is None and shape[:1] == (1,):
        readings = readings[:1]  # one item is one layer
    found: list[MapChoice] = []
    for axes in readings:
        layers = range(shape[axes.index(LAYER)]) if LAYER in axes else (None,)
        found += [MapChoice(name, axes, layer) for layer in layers]
    return found


def chosen_map(listing: ArrayListing, names: Sequence[str], axes: Axes | None, layer: int | None) -> MapChoice:
    """Return the only reading of maps of these names. Raises SeveralMaps where there are more, FormatError for none."""
    found = choices_of(listing, names, axes, layer)
    if len(found) == 1:
        return found[0]
    raise SeveralMaps(_CHOOSE, found) if found else _not_so(listing, names[0], choices_of(listing, names))


def is_matrix(listing: ArrayListing) -> bool:
    """Return whether the first array of a file has at most two axes."""
    return len(listing.arrays[0].shape) <= 2


def check_nameless(listing: ArrayListing, source: FileSource) -> None:
    """Raise SeveralMaps with all readings of a file's only, nameless array if its rows sum to 1.

    Raises FormatError if they do not and it is no matrix either.
    """
    (name, shape, _), *_ = listing.arrays
    every = [axes for axes in (*USUAL.get(len(shape), ()), *RARE) if len(axes) == len(shape) > 2]
    if not every:
        return
    if not adds_up(listing.read(source, [name])[name]):
        raise FormatError(_NEITHER, got=shape_text(shape))
    raise SeveralMaps(_NAMELESS, [choice for axes in every for choice in _of_shape(name, shape, axes)])


def check_foreign_names(listing: ArrayListing, source: FileSource) -> None:
    """Raise SeveralMaps where several arrays with the same word and a number are maps, as of all layers saved together.

    They are told by rows that sum to 1.
    """
    words = {NUMBER.sub("", one.name) for one in listing.arrays}
    numbered = all(NUMBER.search(one.name) for one in listing.arrays)
    if len(listing.arrays) < 2 or len(words) > 1 or not numbered or _words(*words) & _NO_MAPS:
        return

    def is_map(one: ListedArray) -> bool:
        if len(one.shape) not in USUAL or one.dtype == "bool":
            return False
        source.file.seek(0)
        try:
            return adds_up(listing.read(source, [one.name])[one.name])
        except FormatError:  # an empty or a complex array: that is refused once it is chosen
            return False

    if all(map(is_map, listing.arrays)):
        raise SeveralMaps(_CHOOSE, choices_of(listing, [one.name for one in listing.arrays]))


def check_keys(choice: MapChoice, array: Array) -> None:
    """Raise SeveralMaps where an array sums to 1 along another axis than that of the keys, which nobody has said."""
    axis = axis_of_keys(array)
    if axis is None:
        return
    before = [one for one in choice.axes if one in (LAYER, BATCH)]
    orders = [[*before, *rest] for rest in permutations(one for one in choice.axes if one in (HEAD, QUERY))]
    found = [(*order[:axis], KEY, *order[axis:]) for order in orders]
    choices = [one for axes in (*found, choice.axes) for one in _of_shape(choice.name, array.shape, axes)]
    raise SeveralMaps(_OTHER_AXIS, choices, name=shown(choice.name), axis=axis)


def _not_so(listing: ArrayListing, name: str, every: Sequence[MapChoice]) -> FormatError:
    shape = next(one.shape for one in listing.arrays if one.name == name)
    if not every and len(shape) in USUAL:
        expected, got = listing.options.get("num_heads"), _heads(_of_shape(name, shape, None)[0], shape)
        return FormatError(errors.MAP_EACH_HEAD, matrix=shown(name), expected=expected, got=got)
    if not every:
        return FormatError(errors.MAP_AXES, matrix=shown(name), shape=shape_text(shape))
    return FormatError(_NOT_SO, name=shown(name), got=shape_text(shape), choices=_written(every))


def _written(choices: Sequence[MapChoice]) -> tuple[str, ...]:
    """Return the readings as arguments of `load`, layers as a range."""
    found: dict[tuple[str, Axes], list[MapChoice]] = {}
    for choice in choices:
        found.setdefault((choice.name, choice.axes), []).append(choice)
    several = len({name for name, _ in found}) > 1
    said = []
    for (name, axes), some in list(found.items())[:MOST_SAID]:
        parts = [_array(shown(name)) if several else _axes(axes)]
        last = some[-1].layer
        if last is not None:
            layers = f"0 … {last}" if last else "0"
            parts = [*(parts if len(found) > 1 else ()), Argument(f"layer={layers}", f"--layer {layers}")]
        said.append(Argument(", ".join(parts), " ".join(part.option for part in parts)))
    return (*said, *(["…"] if len(found) > MOST_SAID else []))


def _array(name: str) -> Argument:
    return Argument(f'arrays={{"{GIVEN}": "{name}"}}', f"--array {GIVEN}={name}")


def _axes(axes: Axes) -> Argument:
    return Argument.of("axes", ",".join(axes))


class AttentionMaps(NamedTuple):
    """Maps that were read: `arrays` and `options` of a problem, names `left` out, and `notes`."""

    arrays: dict[str, Array]
    options: dict[str, Json]
    left: tuple[str, ...]
    notes: tuple[FileNote, ...]


def read_maps(
    choice: MapChoice, beside: Mapping[str, str], listing: ArrayListing, source: FileSource, *, said: bool
) -> AttentionMaps:
    """Return the chosen maps, and values and W_O that are beside them; `said`: whether somebody has said the order of
    their axes. Raises FormatError, SeveralMaps."""
    shapes = {one.name: one.shape for one in listing.arrays}
    check(np.dtype(np.float32).itemsize * int(np.prod(shapes[choice.name], dtype=object)))
    source.file.seek(0)
    found = listing.read(source, {choice.name, *beside.values()})
    if not said:
        check_keys(choice, found[choice.name])
    arrays = {GIVEN: np.asarray(choice.take(found[choice.name]))}
    heads = arrays[GIVEN].shape[-3]
    options = {name: option for name, option in listing.options.items() if name not in COMPARING}
    arrays |= {part: found[name] for part, name in beside.items()}
    counts: dict[str, Json] = {"num_heads": heads}
    if VALUE in beside:
        arrays[VALUE], kv_heads = _laid_value(shown(beside[VALUE]), arrays[VALUE], arrays[GIVEN])
        counts |= {} if kv_heads is None else {"num_kv_heads": kv_heads}
    names = {choice.name, *beside.values()}
    strange = tuple(name for name in listing.options if name in COMPARING)
    left = tuple(name for name in (*(one.name for one in listing.arrays), *listing.others) if name not in names)
    notes = () if said else _notes(choice, shapes[choice.name])
    if not adds_up(arrays[GIVEN]):
        notes += (FileNote(_NO_SUM, name=shown(choice.name)),)
    return AttentionMaps(arrays, options | counts, (*left, *strange), notes)


def _notes(choice: MapChoice, shape: Shape) -> tuple[FileNote, ...]:
    if len(shape) != 3 or HEAD not in choice.axes or shape[0] == 1:
        return ()
    axes, *others = map(_axes, (choice.axes, *RARE))
    return (FileNote(_TAKEN, name=shown(choice.name), axes=axes, others=tuple(others)),)


def _laid_value(name: str, value: Array, maps: Array) -> tuple[Array, int | None]:
    """Return values with heads side by side, and the number of heads if they have an axis."""
    sizes = {BATCH: maps.shape[0] if maps.ndim == 4 else 0, KEY: maps.shape[-1]}
    fitting = []
    for axes in (axes for axes in _VALUES if len(axes) == value.ndim):
        lengths = dict(zip(axes, value.shape, strict=True))
        fits = all(lengths[axis] == size for axis, size in sizes.items() if axis in lengths)
        if fits and maps.shape[-3] % max(1, lengths.get(HEAD, 1)) == 0:
            fitting.append(axes)
    if len(fitting) != 1:
        shapes = {"got": shape_text(value.shape), "maps": shape_text(maps.shape)}
        raise FormatError(_VALUE, name=name, count=len(fitting), **shapes)
    (axes,) = fitting
    if HEAD not in axes:
        return value, None
    order = [axes.index(axis) for axis in (BATCH, KEY, HEAD, "column") if axis in axes]
    rows = value.transpose(order)
    return rows.reshape(*rows.shape[:-2], rows.shape[-2] * rows.shape[-1]), value.shape[axes.index(HEAD)]


def beside_maps(listing: ArrayListing) -> dict[str, str]:
    """Return {part: array name} of what goes with a file's attention weights."""
    found = suggested(listing.arrays)
    own = {one.name for one in listing.arrays}
    return {part: part if part in own else found[part] for part in BESIDE if part in own or part in found}


def complaint_on_maps(arrays: Mapping[str, str], listing: ArrayListing) -> Exception | None:
    """Return why parts that include attention weights make no problem, judged by shapes alone."""
    others = [part for part in arrays if part not in (GIVEN, *BESIDE) and is_field(part)]
    if others or len(arrays) > len({GIVEN, *BESIDE} & arrays.keys()):
        return FieldError(errors.ONE_WAY, field=GIVEN, other=next(iter(others or arrays.keys() - {GIVEN, *BESIDE})))
    if not choices_of(listing, [arrays[GIVEN]]):
        return _not_so(listing, arrays[GIVEN], ())
    return None
