"""Numbers of an export as files: matrices one by one, all in one file, workbooks, scripts. Imports engine, formats."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from attn_gui.commands.command_ground import FileProgress
from attn_gui.commands.export_request import ExportError, Request
from attn_gui.engine import made_direct
from attn_gui.engine.sentences import QT_TRANSLATE_NOOP
from attn_gui.formats import (
    Format,
    Rows,
    block_rows,
    counted_labels,
    field_rows,
    has_items,
    numbers,
    rows_of,
    save_members,
    save_rows,
    save_steps,
    stage_labels,
    stage_rows,
)
from attn_gui.formats.base import Labels
from attn_gui.formats.export_names import file_stem, has_own_cells, heads_part
from attn_gui.formats.npz import members_of
from attn_gui.formats.saving import write_file
from attn_gui.formats.scripts import SCRIPTS, script_name, script_text

_SCRIPT = QT_TRANSLATE_NOOP("Sentences", "A script computes one state: leave out --compare.")
_COMPUTES = QT_TRANSLATE_NOOP("Sentences", "A {ending} computes one state: leave out --compare.")


def write_numbers(request: Request, ending: str) -> Iterator[Path]:
    """The numbers in a format of the catalog, or a script of them; gives each path once it is written."""
    if ending in SCRIPTS:
        yield _write_script(request, ending)
        return
    kind = numbers()[ending]
    if kind.write_problem is not None:
        yield _write_steps(request, kind)
    elif kind.write_members is not None:
        yield _write_stages(request, kind)
    else:
        yield from _write_tables(request, kind)
        yield from _write_fields(request, kind)


def _write_script(request: Request, key: str) -> Path:
    """A script that prints the numbers of every stage."""
    if request.other is not None:
        raise ExportError(_SCRIPT)
    path = Path(request.options.folder, script_name(request.name, key))
    write_file(path, script_text(request.loaded.problem, SCRIPTS[key]).encode("utf-8"))
    return path


def _write_steps(request: Request, kind: Format[Any]) -> Path:
    """The problem with every step in one file that computes them."""
    if request.other is not None:
        raise ExportError(_COMPUTES, ending=kind.suffixes[0])
    path = request.base("stages", kind.suffixes[0])
    with FileProgress(path) as progress:
        save_steps(request.loaded.problem, path, progress.show)
    return path


def _write_stages(request: Request, kind: Format[Any]) -> Path:
    """Whole stages with the axes of the contract, in a file that opens as a problem again unless it is of two."""
    evaluation = request.evaluation
    stages = request.stages if request.options.stage else evaluation.stages
    path = request.base(file_stem("stages", request.compared), kind.suffixes[0])
    # query, key and value are among the stages; beside x they would contradict it
    direct = request.loaded.problem.replace(**made_direct(evaluation))
    loaded = replace(request.loaded, problem=direct)
    members = {} if request.other else {name: rows_of(array) for name, array in members_of(loaded).items()}
    with FileProgress(path) as progress:
        rows = {
            stage: stage_rows(request.read(stage), stage, progress.of(number, len(stages)))
            for number, stage in enumerate(stages)
        }
        own = request.loaded.problem.arrays()
        save_members(members | {name: rows_of(own[name]) for name in request.fields} | rows, path)
    return path


def _write_tables(request: Request, kind: Format[Any]) -> Iterator[Path]:
    """The numbers of each stage and head; texts are labelled with the tokens."""
    for stage in request.stages:
        for head in request.heads_of(stage):
            mine = head if has_own_cells(request.evaluation, stage) else None
            path = request.path(
                stage, heads_part((head,), request.evaluation.problem.num_heads, stage), kind.suffixes[0]
            )
            with FileProgress(path) as progress:
                cells = block_rows(request.read(stage), stage, request.options.batch, mine, progress.of(0, 1))
                _save(request, kind, stage, cells, path)
            yield path


def _write_fields(request: Request, kind: Format[Any]) -> Iterator[Path]:
    """Matrices of the problem, of a batch the item that is asked for."""
    for name in request.fields:
        item = request.item if has_items(request.loaded.problem, name) else ""
        path = request.base(file_stem(name, item), kind.suffixes[0])
        _save(request, kind, name, field_rows(request.loaded.problem, name, request.options.batch), path)
        yield path


def _save(request: Request, kind: Format[Any], name: str, cells: Rows, path: Path) -> None:
    """One matrix, with the labels that are asked for."""
    rows, columns = _labels(request, kind, name, cells)
    save_rows(cells, path, row_labels=rows, column_labels=columns, excel=request.options.bom)


def _labels(request: Request, kind: Format[Any], name: str, cells: Rows) -> tuple[Labels, Labels]:
    """The tokens of rows and columns where there are any; asked for, numbers where there are none, or neither."""
    asked = request.options.headers
    if not kind.text or asked is False or (asked is None and name in request.fields):
        return None, None
    face = request.read(name) if name in request.stages else request.evaluation
    return counted_labels(face, name, cells) if asked else stage_labels(face, name)
