"""Files to problems and back, without Qt: `load`, `save`, `open_file`, `save_numbers` and their kin; one
matrix of a file."""

from __future__ import annotations

import codecs
import warnings
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from attn_gui.engine.arrays import Progress, silent
from attn_gui.engine.evaluation.evaluation import Evaluation
from attn_gui.engine.evaluation.trace import problem_in
from attn_gui.engine.problem import Problem
from attn_gui.formats.array_rows import (
    ArrayRows,
    as_matrix,
    block_rows,
    counted_labels,
    field_rows,
    has_items,
    rows_of,
    stage_labels,
    stage_rows,
)
from attn_gui.formats.atomic_writing import replacing, saving, write_file
from attn_gui.formats.catalog import (
    FORMATS,
    IMAGES,
    SESSION,
    detect,
    matrix_formats,
    number_formats,
    of_suffix,
    open_formats,
    patterns,
    problem_formats,
    save_formats,
    suffixes,
)
from attn_gui.formats.file_format import (
    ArrayListing,
    FileSource,
    Format,
    LabeledArray,
    Loaded,
    PathText,
    reading,
    suffix,
)
from attn_gui.formats.file_messages import FileNote, FormatError
from attn_gui.formats.named.array_mapping import ArrayMapping, parse_mapping
from attn_gui.formats.named.array_names import ForeignNames, is_problem, problem_of
from attn_gui.formats.named.attention_maps import check_foreign_names, check_nameless
from attn_gui.formats.named.several_files import likely_arrays, list_arrays, open_mapped, read_array
from attn_gui.formats.named.weight_layouts import ROWS_IN
from attn_gui.formats.problem_fields import listed
from attn_gui.formats.session import save_session, save_study
from attn_gui.formats.text.ambiguous_table import AmbiguousTable
from attn_gui.formats.untrusted_bytes import Array
from attn_gui.languages import N_

__all__ = [
    "IMAGES",
    "SESSION",
    "AmbiguousTable",
    "ArrayRows",
    "FileNote",
    "Format",
    "FormatError",
    "LabeledArray",
    "Loaded",
    "has_items",
    "list_arrays",
    "load",
    "matrix_formats",
    "number_formats",
    "open_file",
    "open_mapped",
    "open_matrix",
    "open_small",
    "patterns",
    "problem_formats",
    "read_array",
    "rows_of",
    "save",
    "save_arrays",
    "save_members",
    "save_numbers",
    "save_rows",
    "save_session",
    "save_steps",
    "save_study",
    "stage_rows",
    "suffixes",
]

_SEVERAL = N_("{file} holds {count} arrays, not one matrix: {names}. Open it instead.")
_NO_PARTS = N_(
    "{file} holds no problem: expected matrices named Q, K and V, or X, W_Q, W_K and W_V, none of them a "
    "transpose, that fit together; got {names}.",
)
_LIKELY = N_(
    "{file} holds no problem by the names of its arrays; say which are which, for one layer load(…, arrays={arrays}).",
)
_LEFT = N_("Snapshots in it, which the window opens: {names}.")


def load(
    path: PathText,
    *,
    arrays: Mapping[str, str] | None = None,
    axes: str | Sequence[str] | None = None,
    weights: str | None = None,
    mask: str | None = None,
    num_heads: int | None = None,
    num_kv_heads: int | None = None,
    split: str | None = None,
    layer: int | None = None,
) -> Problem:
    """Return the problem in a session (.attn), in a figure that carries one (.png, .svg, .pdf), or in a .npz,
    .safetensors, .json or .xlsx. Raises FormatError, one sentence.

    arrays   part of the problem → name in the file, where the names are others: {"query": "h.3.attn.q", …}; the parts
             are the fields that are arrays, mask, and w_query_key_value, b_query_key_value, query_key_value; the rest
             is about files of arrays, whatever they are called
    axes     of query, key and value, or of x and context: "head,token,column", "batch,token,head,column", …
    weights  "in,out"; "out,in" as torch.nn.Linear holds them; "in,head,column" as Keras and Flax, "head,in,column" as
             TransformerLens, "head,column,in"
    mask     "keep": True may attend, "block": True may not, "add": to the scores, "none": it is left out
             Each is None: what fits, agrees with the other arrays of the file and with the names, and is then the only
             one, is taken, and that is a UserWarning; else SeveralReadings spells out what fits.
    num_heads, num_kv_heads  where no axis says them; None: as the file, else 1, and as many
    layer    of attention weights alone that are of several layers (arrays called attention, attentions, attn, weights,
             pattern, … where query, key and value are not there); `axes` of these: "layer,head,query,key",
             "batch,head,query,key", …; the likely ones where only one fits
    split    of these: "part,head,column", or "head,part,column" as GPT-NeoX and BLOOM hold them; None: as models
             have an array of this name
    What the file holds and is left out is a UserWarning each.
    """
    said = parse_mapping(arrays or {}, axes, weights, mask, num_heads, num_kv_heads, split, layer)
    nothing = (ArrayMapping(), ArrayMapping(weights=ROWS_IN))  # the order that weights of their own names have
    try:
        found = open_file(path) if said in nothing else open_mapped(path, said)
    except ForeignNames as error:
        if not (likely := likely_arrays(path)):
            raise
        raise ForeignNames(_LIKELY, arrays=repr(likely)).at(path) from error
    for note in found.notes:
        warnings.warn(f"{Path(path).name}: {note}", UserWarning, stacklevel=2)
    if found.snapshots:
        names = listed(each.name for each in found.snapshots)
        warnings.warn(f"{Path(path).name}: {FileNote(_LEFT, names=names)}", UserWarning, stacklevel=2)
    return found.problem


def open_small(path: PathText, most: int) -> Loaded | None:
    """Open as `open_file` does; return None where that would read or unpack `most` bytes or more."""
    with reading(path) as source:
        found = detect(source, path, open_formats())
        return None if _size_of(source, found) >= most else _problem_in(source, found)


def open_file(path: PathText, progress: Progress | None = None) -> Loaded:
    """Return the problem with its view, what is known about it, and notes on what was ignored. Raises FormatError.

    `progress` is called with the share of the file that is read, every megabyte; what it raises ends the reading.
    """
    with reading(path, progress=progress) as source:
        return _problem_in(source, detect(source, path, open_formats()))


def _problem_in(source: FileSource, found: Format[Any]) -> Loaded:
    for kind in problem_formats():
        if kind is found:
            try:
                return kind.read(source)
            except ForeignNames:
                source.file.seek(0)
                if found.listing is not None:
                    check_foreign_names(found.listing(source), source)
                raise
    if found.text and (parts := _parts_in(source, found)) is not None:
        return parts
    if found.listing is not None:
        check_nameless(found.listing(source), source)
    template = N_(
        "{file} holds one matrix, not a problem; expected {expected}. Import it into a table of an open problem.",
    )
    raise FormatError(template, expected=suffixes(open_formats()))


def _parts_in(source: FileSource, found: Format[Any]) -> Loaded | None:
    """Return the problem of a text with Q, K and V, or X and its weights, by name; None for no several matrices.

    Raises FormatError.
    """
    try:
        found.read(source)
    except AmbiguousTable as several:
        if parts := several.together(named=True):
            arrays = {role: matrix.values for role, matrix in parts.items()}
            loaded, notes = problem_of(arrays, {}, several.others()), [matrix.notes for matrix in parts.values()]
            return replace(loaded, notes=(*dict.fromkeys(chain(*notes)), *loaded.notes))
        if several.several:
            names = dict.fromkeys(one.name or "“”" for one in several.readings)  # each once: one may be read twice
            raise FormatError(_NO_PARTS, names=listed(names)) from several
    except FormatError:
        pass
    return None


def _size_of(source: FileSource, found: Format[Any]) -> int:
    """Return how many bytes have to be read for the problem; 0 where reading it will raise an error."""
    size = 0
    with suppress(FormatError):
        size = found.size(source)
    source.file.seek(0)
    return size


def open_matrix(path: PathText, progress: Progress | None = None) -> LabeledArray:
    """Return the matrix with its labels and notes on how the text was read. Raises FormatError.

    AmbiguousTable, one of these, carries all that a text can mean. `progress` as for `open_file`.
    """
    with reading(path, progress=progress) as source:
        found = detect(source, path, matrix_formats())
        for kind in matrix_formats():
            if kind is found:
                return kind.read(source)
        if found.listing is not None:
            return _only_one(found.listing(source), source)
        raise _whole_problem()


def _only_one(listing: ArrayListing, source: FileSource) -> LabeledArray:
    """Return the only array of a file. Raises FormatError where it holds several."""
    names = [array.name for array in listing.arrays]
    if len(names) != 1:
        raise _whole_problem() if is_problem(names) else FormatError(_SEVERAL, count=len(names), names=listed(names))
    source.file.seek(0)
    (values,) = listing.read(source, names).values()
    return LabeledArray(np.atleast_2d(values), notes=listing.notes)


def _whole_problem() -> FormatError:
    template = N_("{file} holds a whole problem, not one matrix; expected {expected}.")
    return FormatError(template, expected=suffixes(matrix_formats()))


def save(problem: Problem, path: PathText) -> None:
    """Save as the suffix says: a session (.attn) or a .npz. Raises FormatError; then the old file is untouched."""
    problem = problem_in(problem, "save", ", path")
    with saving(path):
        write = of_suffix(suffix(path), save_formats()).write
        assert write is not None
        with replacing(path) as sink:
            write(Loaded(problem), sink)


def save_arrays(arrays: Mapping[str, Array], path: PathText) -> None:
    """Save any arrays by name as the suffix says (.npz, .safetensors, .json). Raises FormatError."""
    save_members({name: rows_of(np.asanyarray(array)) for name, array in arrays.items()}, path)


def save_members(members: Mapping[str, ArrayRows], path: PathText) -> None:
    """Save arrays by name as the suffix says, each block by block. Raises FormatError."""
    with saving(path):
        kind = of_suffix(suffix(path), [kind for kind in FORMATS.values() if kind.write_members is not None])
        write = kind.write_members
        assert write is not None
        _check_count(kind, sum(rows.size for rows in members.values()))
    with replacing(path, sum(rows.nbytes for rows in members.values())) as sink:
        write(members, sink)


def _check_count(kind: Format[Any], count: int) -> None:
    """Raise FormatError for more numbers than a format can hold."""
    if kind.most is not None and count > kind.most:
        template = N_("{file} would hold {got} numbers as text, more than {most}; choose NPY instead.")
        raise FormatError(template, got=f"{count:,}", most=f"{kind.most:,}")


def save_steps(problem: Problem, path: PathText, progress: Progress = silent) -> None:
    """Save a problem with every step as the suffix says (.xlsx). Raises FormatError, and what `progress` raises."""
    with saving(path):
        write = of_suffix(suffix(path), [kind for kind in FORMATS.values() if kind.write_problem]).write_problem
        assert write is not None
        data = write(problem, progress)
    write_file(path, data)


def save_rows(
    rows: ArrayRows,
    path: PathText,
    *,
    row_labels: Sequence[str] | None = None,
    column_labels: Sequence[str] | None = None,
    excel: bool = False,
) -> None:
    """Save a matrix, or a vector, block by block as the suffix says: .npy, or the text of a table (.csv, .tsv, .md,
    .tex) with labels.

    `excel` begins a .csv or .tsv with the byte order mark without which Excel does not read it as UTF-8. Raises
    FormatError, also for more numbers than the format can hold, and whatever the blocks raise.
    """
    with saving(path):
        kind = of_suffix(suffix(path), [kind for kind in matrix_formats() if kind.write_rows is not None])
        write = kind.write_rows
        assert write is not None
        _check_count(kind, rows.size)
    with replacing(path, rows.nbytes) as sink:
        sink.write(codecs.BOM_UTF8 if excel and kind.spreadsheet else b"")
        write(as_matrix(rows) if kind.text else rows, sink, row_labels, column_labels)


def save_numbers(
    evaluation: Evaluation,
    name: str,
    path: PathText,
    *,
    batch: int = 0,
    head: int | None = None,
    headers: bool | None = None,
    excel: bool = False,
    progress: Progress = silent,
) -> None:
    """Save the matrix of an item, and of one head or all (None), of a stage or of a field that is no stage.

    `headers` names rows and columns of a text: None by tokens, of stages that have them, True by numbers where there
    are none. `excel`, and what is raised, as of `save_rows`.
    """
    own = name in evaluation.problem.arrays() and name not in evaluation.stages
    if own:
        rows = field_rows(evaluation.problem, name, batch)
    else:
        rows = block_rows(evaluation, name, batch, head, progress)
    labels: tuple[Sequence[str] | None, Sequence[str] | None] = (None, None)
    if headers:
        labels = counted_labels(evaluation, name, rows)
    elif headers is None and not own:
        labels = stage_labels(evaluation, name)
    save_rows(rows, path, row_labels=labels[0], column_labels=labels[1], excel=excel)
