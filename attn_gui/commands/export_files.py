"""What `export` is asked for, checked (stage, page, head, --name, --compare and its notes), and its files written."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from attn_gui.commands.command_base import FileProgress, complete, noted
from attn_gui.engine import Evaluation, Problem, made_direct
from attn_gui.engine.arrays import within
from attn_gui.engine.comparison import READY
from attn_gui.engine.errors import MessageError, StageError
from attn_gui.engine.evaluation.proxies import BeforeState, Difference, derived_maps, pair_of, with_derived
from attn_gui.engine.evaluation.trace import evaluation_of
from attn_gui.engine.stages import OVER_HEADS, SHOWN_FIRST, is_derived, over_heads
from attn_gui.figure.export_settings import (
    USUAL_DPI,
    ExportSettings,
    file_stem,
    given_options,
    has_own_cells,
    heads_part,
    item_part,
    own_heads,
    resolution,
)
from attn_gui.formats import (
    IMAGES,
    Format,
    FormatError,
    Loaded,
    has_items,
    number_formats,
    open_file,
    rows_of,
    save_members,
    save_numbers,
    save_steps,
    stage_rows,
)
from attn_gui.formats.atomic_writing import saving, write_file
from attn_gui.formats.file_messages import FileNote
from attn_gui.formats.numpy_files import members_of
from attn_gui.formats.scripts import SCRIPTS, script_name, script_text
from attn_gui.languages import LANGUAGES, N_
from attn_gui.modes import BOTH

# --- request ---------------------------------------------------------------------------------------
_NOTHING_TO_COMPARE = N_("{name} would compare the problem with itself: it has nothing of the kind.")
_NO_STATE = N_("{name} is no file, and none of {known}.")

_NO_PAIR = N_("{name} cannot be compared: the other state has nothing that stands for it.")
_NO_ITEM = N_("There is no batch item {item}; the problem has {known}.")
_NO_HEAD = N_("There is no head {head}; the problem has {known}.")
_NO_NAME = N_("--name is {got}; expected a name without folders, which -o says.")
_NO_STAGE = N_("There is no stage {got}; the problem has {known}.")
_NO_HEADS = N_("--heads is {got} of {name}; expected all, heads such as 0,2-3, or as in {words}.")
_NO_FOLDER = N_("{path} is a file; expected a folder.")

_ALONE, _UP_TO = N_("only 0"), N_("0 to {last}")


# --- other state ----------------------------------------------------------------------------------
class ComparedEvaluation(NamedTuple):
    """The evaluation before, what the two states are called, and the part of a file's name that says so."""

    before: Evaluation
    names: tuple[str, str]
    part: str


def other_state(given: str, problem: Problem, own: str, head: int, lang: str) -> ComparedEvaluation:
    """Return the state that `given` names, a ready-made one or a file, beside a problem that is called `own`.

    Raises FormatError for what is neither.
    """
    if given in READY:
        ready, word = READY[given], LANGUAGES.index(lang)  # its words are in this order
        if not ready.applies(problem):
            raise FormatError(_NOTHING_TO_COMPARE, name=given)
        names = ready.before[word].format(head=head), ready.after[word].format(head=head)
        return ComparedEvaluation(evaluation_of(ready.made(problem, head)), names, given)
    path = Path(given)
    if not path.exists():
        raise FormatError(_NO_STATE, name=given, known=tuple(READY))
    return ComparedEvaluation(
        evaluation_of(complete(noted(open_file(path)), path).problem), (path.stem, own), f"vs-{path.stem}"
    )


class ExportError(MessageError, ValueError):
    """A request for something that is not there, in one sentence."""


@dataclass(frozen=True)
class ExportRequest:
    """The files to write: of stages, and of `fields` of the problem, which have no steps behind them."""

    loaded: Loaded
    evaluation: Evaluation
    stages: tuple[str, ...]
    fields: tuple[str, ...]
    heads: tuple[int, ...]
    options: argparse.Namespace
    other: ComparedEvaluation | None = None

    def heads_of(self, stage: str) -> tuple[int, ...]:
        """Return the heads that have a file of their own."""
        return own_heads(self.evaluation, stage, self.heads)

    def path(self, stage: str, part: str, ending: str) -> Path:
        """Return the file of a stage and a head."""
        return self.base(file_stem(stage, part, self.item, self.compared), ending)

    @property
    def item(self) -> str:
        """The part of a name that tells the batch item, where there are several."""
        return item_part(self.evaluation.problem, self.options.batch)

    @property
    def compared(self) -> str:
        """The part of a name that tells two states and what of them is shown."""
        if self.other is None:
            return ""
        return file_stem(self.other.part, self.options.show if self.options.show not in BOTH else "")

    def read(self, stage: str) -> Evaluation:
        """Return the evaluation to read: of two states the difference, unless one of them is asked for."""
        if self.other is None or self.options.show == "now":
            return self.evaluation
        try:
            pair_of(self.other.before, self.evaluation, stage)
        except StageError as error:
            raise ExportError(_NO_PAIR, name=stage) from error
        difference = Difference(self.other.before, self.evaluation)
        return BeforeState(difference) if self.options.show == "before" else difference

    @property
    def name(self) -> str:
        """The names of the files before stage and head."""
        return str(self.options.name or self.options.file.stem)

    def base(self, rest: str, ending: str) -> Path:
        """Return a file of the export, by what follows its name."""
        return Path(self.options.folder, file_stem(self.name, rest) + ending)


def request_of(loaded: Loaded, options: argparse.Namespace) -> ExportRequest:
    """Return the request in the options of the command line. Raises ExportError for what is not there."""
    problem, evaluation = loaded.problem, evaluation_of(loaded.problem)
    if options.batch >= problem.batch_size:
        raise ExportError(_NO_ITEM, item=options.batch, known=_count(problem.batch_size))
    if options.name and Path(options.name).name != options.name:
        raise ExportError(_NO_NAME, got=repr(options.name))
    heads = _chosen_heads(options, problem)
    stages, fields = _chosen_stages(options, evaluation)
    other = None
    if options.compare is not None:
        other = other_state(options.compare, problem, options.file.stem, heads[0], options.lang)
    if any(is_derived(stage) for stage in stages):
        evaluation = with_derived(evaluation)
        other = other and other._replace(before=with_derived(other.before))
    return ExportRequest(loaded, evaluation, stages, fields, heads, options, other)


def _chosen_heads(options: argparse.Namespace, problem: Problem) -> tuple[int, ...]:
    """Return the heads to write; all where one map of all of them is asked for. Raises ExportError."""
    if options.heads is None or isinstance(options.heads, str):
        return tuple(range(problem.num_heads))
    heads: tuple[int, ...] = options.heads
    if missing := [head for head in heads if head >= problem.num_heads]:
        raise ExportError(_NO_HEAD, head=missing[0], known=_count(problem.num_heads))
    return heads


def _chosen_stages(options: argparse.Namespace, evaluation: Evaluation) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the stages to write, and the fields of the problem among the names. Raises ExportError."""
    known = (*evaluation.stages, *derived_maps(evaluation))
    named = tuple(dict.fromkeys(options.stage or [SHOWN_FIRST]))
    if isinstance(options.heads, str):
        named = tuple(_over_heads(stage, options.heads) for stage in named)
    fields = tuple(name for name in named if name in evaluation.problem.arrays() and name not in known)
    stages = tuple(name for name in named if name not in fields)
    if unknown := [stage for stage in stages if stage not in known]:
        raise ExportError(_NO_STAGE, got=repr(unknown[0]), known=known)
    return stages, fields


def _over_heads(stage: str, word: str) -> str:
    """Return the map of all heads of a stage together. Raises ExportError where there is none of that name."""
    merged, heads = over_heads(stage, word)
    if heads is not None:
        words = ", ".join(f"--stage {entry.reads} --heads {entry.word}" for entry in OVER_HEADS.values())
        raise ExportError(_NO_HEADS, got=repr(word), name=stage, words=words)
    return merged


def make_folder(folder: Path) -> None:
    """Make the folder of the files, unless it is there. Raises ExportError, FormatError."""
    try:
        with saving(folder):
            folder.mkdir(parents=True, exist_ok=True)
    except FormatError as error:
        if folder.exists():
            raise ExportError(_NO_FOLDER, path=str(folder)) from error
        raise


def _count(size: int) -> FileNote:
    return FileNote(_ALONE) if size == 1 else FileNote(_UP_TO, last=size - 1)


# --- writing ---------------------------------------------------------------------------------------
_SCRIPT = N_("A script computes one state: leave out --compare.")
_COMPUTES = N_("A {ending} computes one state: leave out --compare.")

MOVING_DPI = 96  # a walk is 800 × 420 pixels then
_NO_FIGURE = N_("{name} is a matrix of the problem, no stage: it is written as numbers only.")
_NOT_COMPARED = N_("{name} is a matrix of the problem, and two states are compared by stages: leave out --compare.")
_ONE_STATE = N_("A page shows one state: leave out --compare.")
_ONE_STAGE = N_("A page looks at one stage; --stage names {count}.")
_NO_FORM = N_("A page is written as {forms}, not as {got}.")
_NO_SLIDER = N_("The page {page} has no slider, and so no frames.")


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
    """Write every file that `options` ask for. Raises ExportError, FormatError and other ValueErrors."""
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
        raise ExportError(_NOT_COMPARED, name=request.fields[0])
    for stage in request.stages:
        request.read(stage)  # raises what a file of it would, before there is a folder


def _write_page(request: ExportRequest) -> Iterator[Path]:
    """Write a page of the catalog in every format that is asked for; one that all heads share goes by the first."""
    if request.other is not None:
        raise ExportError(_ONE_STATE)
    from attn_gui.figure.compose import check_cell  # Qt is not needed for numbers
    from attn_gui.figure.figure_kinds import FRAMES
    from attn_gui.figure.pages.catalog import page_of_name
    from attn_gui.figure.pages.page_kind import PageContext, from_texts
    from attn_gui.figure.stage_formulas import stage_plane

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
    make_folder(options.folder)
    picture = kind.name + FRAMES if options.frames else kind.name
    for ending in dict.fromkeys(options.format):
        yield from _draw(request, picture, ending, (context.stage,), **choices)


def _write_figures(request: ExportRequest, ending: str) -> Iterator[Path]:
    from attn_gui.figure.figure_kinds import card_picture
    from attn_gui.figure.overlays import ComparedState  # Qt is not needed for numbers

    options = request.options
    picture = card_picture(options.card or False) or options.picture
    moving = {"dpi": options.dpi or MOVING_DPI} if options.walk and IMAGES[ending].moving else {}
    other = request.other
    beside = None if other is None else ComparedState(lambda _now: other.before, options.show, other.names)
    yield from _draw(request, picture, ending, request.stages, beside=beside, **moving)


def _draw(request: ExportRequest, picture: str, ending: str, stages: Sequence[str], **choices: Any) -> Iterator[Path]:
    """Draw the figures of a kind, with the options that all of them have."""
    from attn_gui.figure.colors import color_scale_from
    from attn_gui.figure.figure_kinds import kind_of
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
        request.heads,
        lambda stage: replace(settings, stage=stage, color_scales={stage: color_scale}),
        lambda parts, _alone: request.path(file_stem(*parts), "", f".{ending}"),
        sheet=options.sheet,
    )
    for task in tasks:
        with FileProgress(task.path) as progress:
            task.write(request.evaluation, progress.show)
        yield task.path
