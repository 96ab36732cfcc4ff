"""Files of an export: figures and numbers, written one by one."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from attn_gui.commands.command_base import FileProgress
from attn_gui.commands.export_request import ComparedEvaluation, ExportError, ExportRequest, make_folder, request_of
from attn_gui.engine import Evaluation, made_direct
from attn_gui.engine.progress import within
from attn_gui.figure.export_settings import USUAL_DPI, ExportSettings, given_options
from attn_gui.figure.styles import resolution
from attn_gui.formats import (
    IMAGES,
    Format,
    Loaded,
    has_items,
    number_formats,
    rows_of,
    save_members,
    save_numbers,
    save_steps,
    stage_rows,
)
from attn_gui.formats.atomic_writing import write_file
from attn_gui.formats.export_names import file_stem, has_own_cells, heads_part
from attn_gui.formats.npz import members_of
from attn_gui.formats.scripts import SCRIPTS, script_name, script_text
from attn_gui.languages import QT_TRANSLATE_NOOP

_SCRIPT = QT_TRANSLATE_NOOP("Sentences", "A script computes one state: leave out --compare.")
_COMPUTES = QT_TRANSLATE_NOOP("Sentences", "A {ending} computes one state: leave out --compare.")

Heads = Callable[[str], tuple[int, ...]]  # those of a stage that have a file of their own
MOVING_DPI = 96  # a walk is 800 × 420 pixels then
_NO_FIGURE = QT_TRANSLATE_NOOP(
    "Sentences", "{name} is a matrix of the problem, no stage: it is written as numbers only."
)
_NO_STAGE = QT_TRANSLATE_NOOP(
    "Sentences", "{name} is a matrix of the problem, and two states are compared by stages: leave out --compare."
)
_ONE_STATE = QT_TRANSLATE_NOOP("Sentences", "A page shows one state: leave out --compare.")
_ONE_STAGE = QT_TRANSLATE_NOOP("Sentences", "A page looks at one stage; --stage names {count}.")
_NO_FORM = QT_TRANSLATE_NOOP("Sentences", "A page is written as {forms}, not as {got}.")
_NO_SLIDER = QT_TRANSLATE_NOOP("Sentences", "The page {page} has no slider, and so no frames.")


# --- numbers --------------------------------------------------------------------------------------
def write_numbers(request: ExportRequest, ending: str) -> Iterator[Path]:
    """Write the numbers in a format of the catalog, or a script of them; yields each path once it is written."""
    if ending in SCRIPTS:
        yield _write_script(request, ending)
        return
    kind = number_formats()[ending]
    if kind.write_problem is not None:
        yield _write_steps(request, kind)
    elif kind.write_members is not None:
        yield _write_stages(request, kind)
    else:
        yield from _write_tables(request, kind)


def _write_script(request: ExportRequest, key: str) -> Path:
    """Write a script that prints the numbers of every stage."""
    if request.other is not None:
        raise ExportError(_SCRIPT)
    path = Path(request.options.folder, script_name(request.name, key))
    write_file(path, script_text(request.loaded.problem, SCRIPTS[key]).encode("utf-8"))
    return path


def _write_steps(request: ExportRequest, kind: Format[Any]) -> Path:
    """Write the problem with every step into one file that computes them."""
    if request.other is not None:
        raise ExportError(_COMPUTES, ending=kind.suffixes[0])
    path = request.base("stages", kind.suffixes[0])
    with FileProgress(path) as progress:
        save_steps(request.loaded.problem, path, progress.show)
    return path


def _write_stages(request: ExportRequest, kind: Format[Any]) -> Path:
    """Write whole stages with all axes into one file, which opens as a problem again unless it is of two states."""
    evaluation = request.evaluation
    stages = request.stages if request.options.stage else evaluation.stages
    path = request.base(file_stem("stages", request.compared), kind.suffixes[0])
    # query, key and value are among the stages; beside x they would contradict it
    direct = request.loaded.problem.replace(**made_direct(evaluation))
    loaded = replace(request.loaded, problem=direct)
    members = {} if request.other else {name: rows_of(array) for name, array in members_of(loaded).items()}
    with FileProgress(path) as progress:
        rows = {
            stage: stage_rows(request.read(stage), stage, within(progress.show, number, len(stages)))
            for number, stage in enumerate(stages)
        }
        own = request.loaded.problem.arrays()
        save_members(members | {name: rows_of(own[name]) for name in request.fields} | rows, path)
    return path


def _write_tables(request: ExportRequest, kind: Format[Any]) -> Iterator[Path]:
    """Write the numbers of each stage and head, and the matrices of the problem; of a batch one item."""
    problem, ending = request.evaluation.problem, kind.suffixes[0]
    for stage in request.stages:
        for head in request.heads_of(stage):
            mine = head if has_own_cells(request.evaluation, stage) else None
            path = request.path(stage, heads_part((head,), problem.num_heads, stage), ending)
            yield _write_matrix(request, request.read(stage), stage, mine, path)
    for name in request.fields:
        item = request.item if has_items(problem, name) else ""
        yield _write_matrix(request, request.evaluation, name, None, request.base(file_stem(name, item), ending))


def _write_matrix(request: ExportRequest, evaluation: Evaluation, name: str, head: int | None, path: Path) -> Path:
    options = request.options
    with FileProgress(path) as progress:
        as_asked = {"batch": options.batch, "headers": options.headers, "excel": options.bom}
        save_numbers(evaluation, name, path, head=head, progress=progress.show, **as_asked)
    return path


# --- files ----------------------------------------------------------------------------------------
def write_files(loaded: Loaded, options: argparse.Namespace) -> Iterator[Path]:
    """Write every file that `options` (of the command line) asks for.

    Raises ExportError, FormatError and other ValueErrors, each with one sentence.
    """
    request = request_of(loaded, options)
    _check_names(request)
    if options.page is not None:
        yield from _write_page(request)
        return
    make_folder(options.folder)
    for ending in dict.fromkeys(options.format):
        if ending in IMAGES:
            yield from _write_figures(request, ending)
        else:
            yield from write_numbers(request, ending)


def _check_names(request: ExportRequest) -> None:
    """Refuse figures, pages and comparisons of a field: there are those of stages alone. Raises ExportError."""
    drawn = request.options.page is not None or any(ending in IMAGES for ending in request.options.format)
    if request.fields and drawn:
        raise ExportError(_NO_FIGURE, name=request.fields[0])
    if request.fields and request.other is not None:
        raise ExportError(_NO_STAGE, name=request.fields[0])
    for stage in request.stages:
        request.read(stage)  # raises what a file of it would, before there is a folder


def _write_page(request: ExportRequest) -> Iterator[Path]:
    """Write a page of the catalog in every format that is asked for; one that all heads share goes by the first."""
    if request.other is not None:
        raise ExportError(_ONE_STATE)
    from attn_gui.figure.compose import check_cell  # Qt is not needed for numbers
    from attn_gui.figure.figure_kinds import FRAMES
    from attn_gui.figure.operands import stage_plane
    from attn_gui.figure.page_catalog import page_of_name
    from attn_gui.figure.pages.page_context import PageContext
    from attn_gui.figure.pages.page_kind import from_texts

    options, problem = request.options, request.loaded.problem
    kind, stage = page_of_name(options.page), request.stages[0]
    if len(request.stages) > 1:
        raise ExportError(_ONE_STAGE, count=len(request.stages))
    if others := [ending for ending in options.format if ending not in IMAGES]:
        raise ExportError(_NO_FORM, forms=tuple(IMAGES), got=others[0])
    check_cell(stage_plane(request.evaluation, stage, options.batch, request.heads[0]), stage, options.cell)
    kind.check(problem)
    states = request.loaded.snapshots
    context = PageContext.at(request.evaluation, options.batch, request.heads[0], stage, options.cell, states)
    chosen = from_texts(kind.options, context, dict(options.set))
    if options.frames and kind.slide is None:
        raise ExportError(_NO_SLIDER, page=kind.name)
    choices = {"cell": context.cell, "page_options": chosen, "states": context.states}
    heads = request.heads if kind.per_head else request.heads[:1]
    make_folder(options.folder)
    picture = kind.name + FRAMES if options.frames else kind.name
    for ending in dict.fromkeys(options.format):
        yield from _draw(request, picture, ending, (context.stage,), lambda _: heads, **choices)


def _write_figures(request: ExportRequest, ending: str) -> Iterator[Path]:
    from attn_gui.figure.figure_kinds import card_picture  # Qt is not needed for numbers

    options = request.options
    picture = card_picture(options.card or False) or options.picture
    moving = {"dpi": options.dpi or MOVING_DPI} if options.walk and IMAGES[ending].moving else {}
    beside = _beside(request.other, options.show)
    yield from _draw(request, picture, ending, request.stages, request.heads_of, beside=beside, **moving)


def _draw(
    request: ExportRequest, picture: str, ending: str, stages: Sequence[str], heads: Heads, **choices: Any
) -> Iterator[Path]:
    """Draw the figures of a kind, with the options that all of them have."""
    from attn_gui.figure.figure_kinds import kind_of
    from attn_gui.figure.levels import color_scale_from
    from attn_gui.figure.render import figure_tasks
    from attn_gui.figure.text.fonts import ensure_gui

    ensure_gui()
    options = request.options
    given = given_options(options) | {"dpi": resolution(options.dpi, options.style, USUAL_DPI)} | choices
    color_scale = color_scale_from(options.levels, options.colormap)
    settings = ExportSettings(**given | {"picture": picture})
    tasks = figure_tasks(
        request.evaluation,
        kind_of(picture),
        stages,
        heads,
        lambda stage: replace(settings, stage=stage, color_scales={stage: color_scale}),
        lambda parts, _alone: request.path(file_stem(*parts), "", f".{ending}"),
        sheet=options.sheet,
    )
    for task in tasks:
        with FileProgress(task.path) as progress:
            task.write(request.evaluation, progress.show)
        yield task.path


def _beside(other: ComparedEvaluation | None, show: str) -> object:
    """Return the other state as a figure takes it."""
    from attn_gui.figure.comparison import ComparedState

    return None if other is None else ComparedState(lambda _now: other.before, show, other.names)
