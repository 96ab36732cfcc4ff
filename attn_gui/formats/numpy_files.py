"""The formats .npz (arrays by name, options in `meta`, damaged or foreign zips, pickled members) and .npy (one
array)."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Collection, Mapping
from contextlib import ExitStack
from typing import IO

import numpy as np

from attn_gui.engine.fields import GIVEN
from attn_gui.formats import untrusted_bytes
from attn_gui.formats.array_rows import ArrayRows, rows_of
from attn_gui.formats.file_format import ArrayListing, FileSource, LabeledArray, Labels, ListedArray, Loaded
from attn_gui.formats.file_messages import FormatError, shown, size_text
from attn_gui.formats.named.array_names import LONGEST_META, META, THERE_TWICE, is_own_name, joined, meta_options
from attn_gui.formats.named.attention_maps import means_maps
from attn_gui.formats.named.mapped_problem import problem_in
from attn_gui.formats.problem_fields import is_field, is_option, option_of, split
from attn_gui.languages import N_

# --- npy ------------------------------------------------------------------------------------------


def matches_npy(start: bytes) -> bool:
    return start.startswith(untrusted_bytes.MAGIC)


def read_npy(source: FileSource) -> LabeledArray:
    """Return the array; a vector becomes one row, a single number one cell."""
    array = untrusted_bytes.read_npy(source.file, "array", source.size, untrusted_bytes.Budget())
    untrusted_bytes.check_no_bits("array", array)
    return LabeledArray(array if array.ndim > 1 else array.reshape(1, -1), notes=untrusted_bytes.rounding_notes(array))


def list_npy(source: FileSource) -> ArrayListing:
    """Return the array as attention weights: the only part of a problem that a single array without a name can be."""
    header = untrusted_bytes.checked_header(source.file, GIVEN, source.size, untrusted_bytes.ListedBudget())
    return ArrayListing((ListedArray(GIVEN, header.shape, header.dtype.name),), _read_listed)


def _read_listed(source: FileSource, names: Collection[str]) -> dict[str, untrusted_bytes.Array]:
    source.file.seek(0)
    return {
        name: untrusted_bytes.read_npy(source.file, name, source.size, untrusted_bytes.ListedBudget()) for name in names
    }


def write_rows(rows: ArrayRows, file: IO[bytes]) -> None:
    """Write an array block by block, in the same bytes as NumPy."""
    header = {"descr": np.lib.format.dtype_to_descr(rows.dtype), "fortran_order": False, "shape": rows.shape}
    np.lib.format.write_array_header_1_0(file, header)
    for block in rows.blocks():
        file.write(np.ascontiguousarray(block).reshape(-1).view(np.uint8).data)


def write_unlabeled(rows: ArrayRows, file: IO[bytes], row_labels: Labels, column_labels: Labels) -> None:
    """Write an array block by block, without labels, which the format cannot hold."""
    write_rows(rows, file)


# --- npz ------------------------------------------------------------------------------------------
LONGEST_DIRECTORY = 2**20
START = b"PK\3\4"
_END, _END_SIZE = b"PK\5\6", 22
_LOCATOR, _LOCATOR_SIZE = b"PK\6\7", 20  # of the end in zips of more than 4 GiB, which stands before
_END64, _END64_SIZE = b"PK\6\6", 56
_OF_TORCH = "data.pkl"
_ENCRYPTED = 1
_CUT_OFF = N_("{file} is cut off or is not a .npz: its end is missing.")


def matches_npz(start: bytes) -> bool:
    return start.startswith((START, _END))


def is_torch_save(source: FileSource) -> bool:
    """Return whether a zip is what `torch.save` writes: a pickle, and its arrays as bytes without names."""
    try:
        _check_directory(source)
        with zipfile.ZipFile(source.file) as archive:
            return any(name.rpartition("/")[-1] == _OF_TORCH for name in archive.namelist())
    except (FormatError, zipfile.BadZipFile, NotImplementedError):  # reading the file says what is wrong
        return False
    finally:
        source.file.seek(0)


def read_npz(source: FileSource) -> Loaded:
    """Return a problem by the names of its fields, options included; other arrays are not read, and noted."""
    return problem_in(list_npz(source), source)


def list_npz(source: FileSource) -> ArrayListing:
    """Return all arrays by their headers, and options beside them."""
    _check_directory(source)
    with zipfile.ZipFile(source.file) as archive:
        members = _members(archive)
        headers = {name: _header(archive, info, name) for name, info in members.items() if name != META}
        texts = [name for name, header in headers.items() if header is None or _is_text(name, header)]
        found = [
            ListedArray(name, header.shape, header.dtype.name)
            for name, header in headers.items()
            if header is not None and name not in texts
        ]
        budget = untrusted_bytes.Budget()
        options = _meta(archive, members[META]) if META in members else {}
        for name in filter(is_option, texts):
            options = joined(options, option_of(name, _option_array(archive, members[name], name, budget))[0])
    return ArrayListing(tuple(found), _taken, options, others=tuple(name for name in texts if not is_own_name(name)))


def _header(archive: zipfile.ZipFile, info: zipfile.ZipInfo, name: str) -> untrusted_bytes.Header | None:
    """Return the header of an array; None for a member that is no array, nor part of a problem."""
    try:
        with archive.open(info) as member:
            header = untrusted_bytes.read_header(member, name)
        if is_field(name):
            untrusted_bytes.check_dtype(name, header.dtype)
        return header
    except FormatError:
        if is_own_name(name):
            raise
        return None


def _is_text(name: str, header: untrusted_bytes.Header) -> bool:
    """Return whether an array is a text, or gives an option as one would."""
    return header.dtype.kind in "US" or (is_option(name) and header.shape == ())


def _taken(source: FileSource, names: Collection[str]) -> dict[str, untrusted_bytes.Array]:
    """Return arrays by name. Raises FormatError for too large ones before any of them is unpacked."""
    budget = untrusted_bytes.ListedBudget()
    with zipfile.ZipFile(source.file) as archive, ExitStack() as opened:
        found = {}
        for name, info in _members(archive).items():
            if name in names:
                member = opened.enter_context(archive.open(info))
                found[name] = member, untrusted_bytes.checked_header(member, name, info.file_size, budget)
        return {name: untrusted_bytes.read_cells(member, name, header) for name, (member, header) in found.items()}


def size_of(source: FileSource) -> int:
    """Return the unpacked size in bytes of the arrays of a problem, as their headers give it."""
    _check_directory(source)
    with zipfile.ZipFile(source.file) as archive:
        members = _members(archive).items()
        return sum(info.file_size for name, info in members if is_field(name) or is_option(name) or means_maps(name))


def write(loaded: Loaded, file: IO[bytes]) -> None:
    """Write the problem's arrays and its options, from which `read` makes the same problem, field for field."""
    write_members({name: rows_of(array) for name, array in members_of(loaded).items()}, file)


def members_of(loaded: Loaded) -> dict[str, untrusted_bytes.Array]:
    """Return all arrays of the file, `meta` included."""
    arrays, options = split(loaded.problem)
    meta = untrusted_bytes.dump({**loaded.about, **options})
    if len(meta) > LONGEST_META:
        template = N_("{file}: the options are {got} long, too much for a .npz; save a session (.attn) instead.")
        raise FormatError(template, got=size_text(len(meta)))
    return {**arrays, META: np.array(meta)}


def write_members(members: Mapping[str, ArrayRows], file: IO[bytes]) -> None:
    """Write a `.npz` of arrays by name, each block by block; the same arrays always give the same bytes."""
    with zipfile.ZipFile(file, "w") as archive:
        for name, rows in members.items():
            with archive.open(zipfile.ZipInfo(f"{name}.npy"), "w", force_zip64=True) as member:
                write_rows(rows, member)


def _check_directory(source: FileSource) -> None:
    """Raise FormatError for a zip whose directory is too large: zipfile reads it as a whole."""
    source.file.seek(-min(source.size, _END_SIZE + _LOCATOR_SIZE + _END64_SIZE), io.SEEK_END)
    tail = source.file.read()
    source.file.seek(0)
    end = tail[-_END_SIZE:]
    if not end.startswith(_END) or end[-2:] != b"\0\0":
        raise FormatError(_CUT_OFF)
    directory = _directory64(source, tail[:-_END_SIZE]) or int.from_bytes(end[12:16], "little")
    if directory > LONGEST_DIRECTORY:
        template = N_("{file} has a directory of {got}; expected at most {expected}.")
        raise FormatError(template, got=size_text(directory), expected=size_text(LONGEST_DIRECTORY))


def _directory64(source: FileSource, tail: bytes) -> int:
    """Return the length of the directory by the ZIP64 record before the end of a zip; 0 without one."""
    locator, end = tail[-_LOCATOR_SIZE:], tail[-_LOCATOR_SIZE - _END64_SIZE : -_LOCATOR_SIZE]
    if not locator.startswith(_LOCATOR):
        return 0
    place = source.size - _END_SIZE - _LOCATOR_SIZE - _END64_SIZE
    if not end.startswith(_END64) or int.from_bytes(locator[8:16], "little") != place:
        raise FormatError(_CUT_OFF)
    return int.from_bytes(end[40:48], "little")


def _members(archive: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    """Return the entries by array name. Raises FormatError for one that is double, encrypted, oddly packed."""
    found: dict[str, zipfile.ZipInfo] = {}
    for info in archive.infolist():
        name = info.filename.removesuffix(".npy")
        if name in found:
            raise FormatError(THERE_TWICE, name=shown(name))
        if info.flag_bits & _ENCRYPTED or info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            template = N_("{file}: “{name}” is encrypted or packed in an unusual way.")
            raise FormatError(template, name=shown(name))
        found[name] = info
    return found


def _option_array(
    archive: zipfile.ZipFile, info: zipfile.ZipInfo, name: str, budget: untrusted_bytes.Budget
) -> untrusted_bytes.Array:
    with archive.open(info) as member:
        found = untrusted_bytes.read_npy(member, name, info.file_size, budget, texts=True)
    return np.char.decode(found) if found.dtype.kind == "S" else found


def _meta(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> dict[str, untrusted_bytes.Json]:
    """Return the options: one text of at most a megabyte, without axes."""
    with archive.open(info) as member:
        header = untrusted_bytes.read_header(member, "meta")
        if header.dtype.kind not in "US" or header.shape != ():
            raise FormatError(N_("{file}: “meta” is not a text; expected JSON options."))
        wide = 4 if header.dtype.kind == "U" else 1
        if header.dtype.itemsize > wide * LONGEST_META:
            raise FormatError(
                untrusted_bytes.TOO_LONG, got=size_text(header.dtype.itemsize // wide), expected=size_text(LONGEST_META)
            )
        text = untrusted_bytes.read_bytes(member, "meta", header.dtype.itemsize).view(header.dtype)[0]
    return meta_options(
        untrusted_bytes.parse_object(text.decode() if isinstance(text, bytes) else str(text), LONGEST_META)
    )
