"""The format .json: nested lists of numbers by name; uneven ones refused.

Rows are turned into numbers one by one: so the first that is wrong is named, and other threads have their turn.
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import IO, cast

import numpy as np

from attn_gui.engine.arrays import Progress
from attn_gui.engine.checks import EXACT
from attn_gui.formats.array_rows import ArrayRows
from attn_gui.formats.csv_latex_markdown import decode
from attn_gui.formats.file_format import ArrayListing, FileSource, Loaded, check_size
from attn_gui.formats.file_messages import FileNote, FormatError, shape_text, shown, size_text
from attn_gui.formats.named.array_names import (
    LONGEST_META,
    MASK,
    META,
    THERE_TWICE,
    joined,
    meta_options,
    options_among,
    texts_among,
)
from attn_gui.formats.named.attention_maps import means_maps
from attn_gui.formats.named.mapped_problem import problem_in
from attn_gui.formats.problem_fields import ABOUT, is_field
from attn_gui.formats.safetensors_packing import LONGEST_ENTRIES, TOO_MANY
from attn_gui.formats.text.headings import number
from attn_gui.formats.untrusted_bytes import (
    NOT_MAPPING,
    Array,
    Budget,
    Json,
    ListedBudget,
    check_axes,
    json_value,
    parse_object,
    rounded_note,
    unique,
)
from attn_gui.languages import N_

LARGEST_FILE = 64 * 2**20  # its numbers take up to twelve times as much while they are read
MOST_LISTS = 10**6  # each takes a hundred bytes, however short its text
MOST_WRITTEN = 1_000_000  # numbers of all arrays of a file
DEEPEST = 8  # records within records
SLOWER = 128  # a byte of it takes as long as so many of numbers that need no reading
ALONE = "array"  # the name of a list that has none

_BAD = N_("{file} is not valid JSON from character {place} on.")
_DEEP = N_("{file} is nested too deeply.")
_LISTS = N_("{file} holds {got} lists and records; expected at most {most}.")
_NOTHING = N_("{file} holds no lists of numbers.")
_RAGGED = N_("{file}: “{name}” has a part of the shape {got}; expected {expected}.")
_NO_NUMBER = N_("{file}: “{name}” holds {got}; expected numbers.")
_LONG = N_("{file} holds a number that is too long.")


def read(source: FileSource) -> Loaded:
    """Return a problem by the names of its fields, with the options of a problem among them or under `meta`."""
    return problem_in(listing(source), source)


def write_members(members: Mapping[str, ArrayRows], file: IO[bytes]) -> None:
    """Write nested lists by name, a row of numbers a line; the options as a record."""
    texts = texts_among(members)
    file.write(b"{\n")
    for place, (name, rows) in enumerate(members.items()):
        if place:
            file.write(b",\n")
        file.write(json.dumps(name).encode() + b": ")
        if name in texts:
            file.write(json.dumps(json.loads(texts[name]) if name == META else texts[name]).encode())
            continue
        cells = np.concatenate([np.reshape(block, -1) for block in rows.blocks()])
        file.write(_nested(cells.reshape(rows.shape).tolist(), rows.shape).encode())
    file.write(b"\n}\n")


def _nested(cells: Json, shape: tuple[int, ...]) -> str:
    if len(shape) < 2:
        return json.dumps(cells)
    return "[" + ",\n ".join(_nested(part, shape[1:]) for part in cells) + "]"


def listing(source: FileSource) -> ArrayListing:
    """Return all nested lists of numbers by name, those in records with the names of these in front."""
    named, notes = _parsed(source)
    arrays: dict[str, Array] = {}
    budget = ListedBudget()
    said = named.pop(META, {})  # a record, or its text
    found = parse_object(said, LONGEST_META) if isinstance(said, str) else said
    if not isinstance(found, dict):
        raise FormatError(NOT_MAPPING)
    meta = meta_options(found)
    options = {
        **options_among(named),
        **{name: named[name] for name in ABOUT if isinstance(named.get(name), str | int)},
    }
    options = {name: value for name, value in options.items() if not (name == MASK and _is_numbers(value))}
    lists = {name: value for name, value in named.items() if name != MASK or _is_numbers(value)}
    for name, value in _leaves(lists).items():
        if name not in options and (_is_numbers(value) or _is_of_field(name, value, named)):
            arrays[name] = _array(name, value, budget, source.progress)
            if is_field(name) and not means_maps(name):
                check_axes(name, arrays[name].shape)
            notes += _notes_on(name, value, arrays[name])
    if not arrays:
        raise FormatError(_NOTHING)
    left = _leaves({name: value for name, value in named.items() if name not in options})
    options |= {name: value for name, value in left.items() if isinstance(value, int | float) and not is_field(name)}
    read = {*options, *arrays}
    others = tuple(name for name, value in left.items() if name not in read and value is not None)
    return ArrayListing.held(arrays, options=joined(meta, options), notes=tuple(notes), others=others)


def size_of(source: FileSource) -> int:
    """Return the size of the file in bytes, weighted by how slowly its text is read."""
    return source.size * SLOWER


class _Decimals:
    """Reads the decimals of a text; notes the first that becomes 0 although it is none."""

    def __init__(self) -> None:
        self.notes: list[FileNote] = []

    def read(self, digits: str) -> float:  # in Python, so that others have their turn
        """Return the number that the digits are. Raises NotANumber for one that is too large."""
        value = float(digits)
        if math.isinf(value):
            return number(digits)
        if value == 0 and not self.notes and any(digit in "123456789" for digit in digits.lower().partition("e")[0]):
            self.notes += _notes_on_cells(digits)
        return value


def _parsed(source: FileSource) -> tuple[dict[str, Json], list[FileNote]]:
    """Return the whole text as values by name, with notes on numbers; lists are counted before that."""
    check_size(source.size, LARGEST_FILE)
    text, notes = decode(source.file.read(source.size))
    lists = text.count("[") + text.count("{")
    if lists > MOST_LISTS:
        raise FormatError(_LISTS, got=f"{lists:,}", most=f"{MOST_LISTS:,}")
    decimals = _Decimals()
    sentences, once = {"deep": _DEEP, "invalid": _BAD, "too_long": _LONG}, partial(unique, twice=THERE_TWICE)
    found = json_value(text, **sentences, parse_float=decimals.read, object_pairs_hook=once)
    return found if isinstance(found, dict) else {ALONE: found}, [*notes, *decimals.notes]


def _leaves(values: Mapping[str, Json]) -> dict[str, Json]:
    """Return all that is no record by name, that inside records with the names of these in front.

    Raises FormatError for names that are too long together, records that are too deep, and a name that is there twice.
    """
    found: dict[str, Json] = {}
    letters = 0

    def look(record: Mapping[str, Json], before: str, depth: int) -> None:
        nonlocal letters
        if depth > DEEPEST:
            raise FormatError(_DEEP)
        for name, value in record.items():
            letters += len(before) + len(name)
            if letters > LONGEST_ENTRIES:  # a long name stands before each of those in its record
                raise FormatError(TOO_MANY, got=size_text(letters), expected=size_text(LONGEST_ENTRIES))
            if isinstance(value, dict):
                look(value, f"{before}{name}.", depth + 1)
            elif before + name in found:
                raise FormatError(THERE_TWICE, name=shown(before + name))
            else:
                found[before + name] = value

    look(values, "", 0)
    return found


def _is_of_field(name: str, value: Json, named: Mapping[str, Json]) -> bool:
    """Return whether a value is meant for a field, which one by itself may give as a single number."""
    return is_field(name) and (isinstance(value, list) or (name in named and type(value) in (int, float)))


def _is_numbers(value: Json) -> bool:
    """Return whether the first thing in nested lists is a number."""
    inner = value
    while isinstance(inner, list) and inner:
        inner = inner[0]
    return isinstance(value, list) and isinstance(inner, int | float)


def _array(name: str, nested: Json, budget: Budget, progress: Progress) -> Array:
    """Return nested lists as booleans, as whole numbers where these fit, else as float64."""
    if not isinstance(nested, list):
        return _array(name, [nested], budget, progress).reshape(())
    shape = _shape(name, nested)
    budget.take(name, shape, 8)
    rows = _rows(name, nested, shape)
    kinds: set[type] = set()
    array = np.empty((math.prod(shape[:-1]), shape[-1]))
    for place, row in enumerate(rows):
        kinds |= set(map(type, row))
        if not kinds <= {int, float, bool}:
            got = next(value for value in row if type(value) not in (int, float, bool))
            raise FormatError(_NO_NUMBER, name=shown(name), got=shown(json.dumps(got)))
        try:
            array[place] = row
        except OverflowError as error:
            raise FormatError(_LONG) from error
        if place % 4096 == 0:
            progress(1.0)
    if kinds == {bool}:
        array = array.astype(bool)
    elif kinds == {int} and np.abs(array).max() < EXACT:
        array = array.astype(np.int64)
    return array.reshape(shape)


def _notes_on(name: str, nested: Json, array: Array) -> list[FileNote]:
    """Return notes on the first true or false among numbers, and the first whole number that float64 cannot hold."""
    if array.dtype.kind != "f":
        return []
    rows = list(_rows(name, nested, array.shape)) if array.ndim else [[nested]]
    switches = (json.dumps(cell) for row in rows if bool in set(map(type, row)) for cell in row if type(cell) is bool)
    notes = [note for text in itertools.islice(switches, 1) for note in _notes_on_cells(text, "0")]
    if (np.abs(array) >= EXACT).any():
        lost = (cell for row in rows for cell in row if isinstance(cell, int) and int(float(cell)) != cell)
        notes += [rounded_note(str(cell), float(cell)) for cell in itertools.islice(lost, 1)]
    return notes


def _notes_on_cells(*cells: str) -> tuple[FileNote, ...]:
    """Return the notes on a row of cells that the reader of tables makes."""
    from attn_gui.formats.text.delimited import TextRow
    from attn_gui.formats.text.text_table import read_rows

    return read_rows([TextRow(0, list(cells))]).notes


def _shape(name: str, nested: list[Json]) -> tuple[int, ...]:
    shape: list[int] = []
    inner: Json = nested
    while isinstance(inner, list) and len(shape) <= ListedBudget.axes:
        shape.append(len(inner))
        inner = inner[0] if inner else None
    return tuple(shape)


def _rows(name: str, nested: list[Json], shape: Sequence[int]) -> Iterator[list[Json]]:
    """Yield the innermost lists in order. Raises FormatError where one is longer or shorter than the first."""
    got = (len(nested),) if isinstance(nested, list) else ()
    if got != tuple(shape[:1]):
        raise FormatError(_RAGGED, name=shown(name), got=shape_text(got), expected=shape_text(tuple(shape[:1])))
    if len(shape) == 1:
        yield nested
    else:
        for part in nested:
            yield from _rows(name, cast("list[Json]", part), shape[1:])
