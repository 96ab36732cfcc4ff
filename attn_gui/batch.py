"""`attn-gui export`: figures and numbers of a problem as files, without a window. Imports engine, formats, figure."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attn_gui.batch_comparison import Other, other_state
from attn_gui.command_ground import FileProgress
from attn_gui.engine import Evaluation, made_direct
from attn_gui.engine.comparison.difference import difference_of, pair_of
from attn_gui.engine.comparison.earlier import earlier_of
from attn_gui.engine.evaluation.choice import evaluation_of
from attn_gui.engine.evaluation.derived.derived_maps import derived_maps, with_derived
from attn_gui.engine.stages import SHOWN_FIRST
from attn_gui.formats import (
    IMAGES,
    Format,
    FormatError,
    Loaded,
    block_rows,
    numbers,
    rows_of,
    save_members,
    save_rows,
    save_steps,
    stage_labels,
    stage_rows,
)
from attn_gui.formats.head_names import heads_part
from attn_gui.formats.npz import members_of
from attn_gui.formats.saving import saving, write_file
from attn_gui.formats.scripts import SCRIPTS, script_name, script_text

if TYPE_CHECKING:
    from attn_gui.figure.pages.page_kind import PageKind


USUAL_DPI = 300


class ExportError(ValueError):
    """A request for something that is not there; the message is one sentence."""


@dataclass(frozen=True)
class _Request:
    """The files to write, checked against the problem."""

    loaded: Loaded
    evaluation: Evaluation
    stages: tuple[str, ...]
    heads: tuple[int, ...]
    options: argparse.Namespace
    other: Other | None = None

    def heads_of(self, stage: str) -> tuple[int, ...]:
        """The heads that have a file of their own; a stage that they share goes by the first."""
        return self.heads if self.apart(stage) else self.heads[:1]

    def apart(self, stage: str) -> bool:
        entry = self.evaluation.node(stage).stage
        return entry.per_head or bool(entry.heads)

    def path(self, stage: str, part: str, ending: str) -> Path:
        item = f"-b{self.options.batch}" if self.evaluation.problem.batch_size > 1 else ""
        return self.base(f"{stage}-{part}{item}{self.compared}{ending}")

    @property
    def compared(self) -> str:
        """The part of a name that tells two states and what of them is shown."""
        if self.other is None:
            return ""
        return f"-{self.other.part}" + (f"-{self.options.show}" if self.options.show != "split" else "")

    def read(self, stage: str) -> Evaluation:
        """Evaluation that numbers are read from: of two states the difference, unless one of them is asked for."""
        if self.other is None or self.options.show == "now":
            return self.evaluation
        pair_of(self.other.before, self.evaluation, stage)
        face = earlier_of if self.options.show == "before" else difference_of
        return face(self.other.before, self.evaluation)

    def base(self, rest: str) -> Path:
        return Path(self.options.folder, f"{self.options.file.stem}-{rest}")


def export(loaded: Loaded, options: argparse.Namespace) -> Iterator[Path]:
    """Write every file that `options` (of the command line) asks for; gives each path once it is written.

    Raises ExportError, FormatError and other ValueErrors, each with one sentence.
    """
    request = _request(loaded, options)
    if options.page is not None:
        yield from _write_page(request)
        return
    if options.frames:
        raise ExportError("Frames are those of a page: --page names it.")
    _make_folder(options.folder)
    for ending in dict.fromkeys(options.format):
        if ending in IMAGES:
            yield from _write_figures(request, ending)
            continue
        if ending in SCRIPTS:
            yield _write_script(request, ending)
            continue
        kind = numbers()[ending]
        if kind.write_problem is not None:
            yield _write_steps(request, kind)
        elif kind.write_members is not None:
            yield _write_stages(request, kind)
        else:
            yield from _write_tables(request, kind)


def _request(loaded: Loaded, options: argparse.Namespace) -> _Request:
    problem, evaluation = loaded.problem, evaluation_of(loaded.problem)
    if options.batch >= problem.batch_size:
        raise ExportError(f"There is no batch item {options.batch}; the problem has {_count(problem.batch_size)}.")
    every = tuple(range(problem.num_heads))
    heads = every if options.heads is None else options.heads
    if missing := [head for head in heads if head not in every]:
        raise ExportError(f"There is no head {missing[0]}; the problem has {_count(problem.num_heads)}.")
    stages = tuple(dict.fromkeys(options.stage or [SHOWN_FIRST]))
    known = (*evaluation.stages, *derived_maps(evaluation))
    if unknown := [stage for stage in stages if stage not in known]:
        raise ExportError(f"There is no stage {unknown[0]!r}; the problem has {', '.join(known)}.")
    if any(stage not in evaluation.stages for stage in stages):
        evaluation = with_derived(evaluation)
    if options.compare is None:
        return _Request(loaded, evaluation, stages, heads, options)
    other = other_state(options.compare, problem, options.file.stem, heads[0], options.lang)
    return _Request(loaded, evaluation, stages, heads, options, other)


def _make_folder(folder: Path) -> None:
    try:
        with saving(folder):
            folder.mkdir(parents=True, exist_ok=True)
    except FormatError as error:
        if folder.exists():
            raise ExportError(f"{folder} is a file; expected a folder.") from error
        raise


def _write_script(request: _Request, key: str) -> Path:
    """A script that prints the numbers of every stage."""
    if request.other is not None:
        raise ExportError("A script computes one state: leave out --compare.")
    path = Path(request.options.folder, script_name(request.options.file.stem, key))
    write_file(path, script_text(request.loaded.problem, SCRIPTS[key]).encode("utf-8"))
    return path


def _write_steps(request: _Request, kind: Format[Any]) -> Path:
    """The problem with every step in one file that computes them."""
    if request.other is not None:
        raise ExportError(f"A {kind.suffixes[0]} computes one state: leave out --compare.")
    path = request.base(f"stages{kind.suffixes[0]}")
    with FileProgress(path) as progress:
        save_steps(request.loaded.problem, path, progress.show)
    return path


def _write_stages(request: _Request, kind: Format[Any]) -> Path:
    """Whole stages with the axes of the contract, in a file that opens as a problem again unless it is of two."""
    evaluation = request.evaluation
    stages = request.stages if request.options.stage else evaluation.stages
    path = request.base(f"stages{request.compared}{kind.suffixes[0]}")
    # query, key and value are among the stages; beside x they would contradict it
    direct = request.loaded.problem.replace(**made_direct(evaluation))
    loaded = replace(request.loaded, problem=direct)
    members = {} if request.other else {name: rows_of(array) for name, array in members_of(loaded).items()}
    with FileProgress(path) as progress:
        rows = {
            stage: stage_rows(request.read(stage), stage, progress.of(number, len(stages)))
            for number, stage in enumerate(stages)
        }
        save_members(members | rows, path)
    return path


def _write_tables(request: _Request, kind: Format[Any]) -> Iterator[Path]:
    """The numbers of each stage and head; texts are labelled with the tokens."""
    for stage in request.stages:
        for head in request.heads_of(stage):
            mine = head if request.apart(stage) else None
            path = request.path(stage, f"h{head}", kind.suffixes[0])
            rows, columns = stage_labels(request.evaluation, stage) if kind.text else (None, None)
            with FileProgress(path) as progress:
                cells = block_rows(request.read(stage), stage, request.options.batch, mine, progress.of(0, 1))
                save_rows(cells, path, row_labels=rows, column_labels=columns)
            yield path


def _write_page(request: _Request) -> Iterator[Path]:
    """A page of the catalog in every format that is asked for; one that all heads share goes by the first."""
    if request.other is not None:
        raise ExportError("A page shows one state: leave out --compare.")
    from attn_gui.figure.page_catalog import page_of_name  # Qt is not needed for numbers
    from attn_gui.figure.pages.aim import Aim
    from attn_gui.figure.pages.knobs import checked

    options, problem = request.options, request.loaded.problem
    kind, shape = page_of_name(options.page), request.evaluation.shape(request.stages[0])
    if others := [ending for ending in options.format if ending not in IMAGES]:
        raise ExportError(f"A page is written as {', '.join(IMAGES)}, not as {others[0]}.")
    if options.cell is not None and not all(place < size for place, size in zip(options.cell, shape[-2:], strict=True)):
        raise ExportError(f"There is no cell {options.cell[0]},{options.cell[1]} in {request.stages[0]}.")
    states = request.loaded.snapshots
    aim = Aim.at(request.evaluation, options.batch, request.heads[0], request.stages[0], options.cell, states)
    knobs = checked(kind.knobs, aim, dict(options.set))
    _make_folder(options.folder)
    for ending in dict.fromkeys(options.format):
        for head in request.heads if kind.per_head else request.heads[:1]:
            path = request.path(kind.name, heads_part((head,), problem.num_heads), f".{ending}")
            figure = {"picture": kind.name, "stage": aim.stage, "cell": aim.cell, "knobs": knobs, "states": aim.states}
            if options.frames or (kind.slide is not None and IMAGES[ending].moving):
                yield from _write_frames(request, path, kind, head, **figure)
            else:
                yield from _draw(request, path, (head,), **figure)


def _write_frames(request: _Request, path: Path, kind: PageKind[Any], head: int, **choices: Any) -> Iterator[Path]:
    """A figure for every place of a page's slider, or one file of all of them where it can move."""
    from attn_gui.figure.frames import Frames, frame_path
    from attn_gui.figure.options import FigureOptions
    from attn_gui.figure.reading import within
    from attn_gui.figure.sheet import File, write_moving, write_page
    from attn_gui.figure.text.fonts import ensure_gui

    if kind.slide is None:
        raise ExportError(f"The page {kind.name} has no slider, and so no frames.")
    ensure_gui()
    options = _figure_options(request.options)
    frames, file = Frames(kind, FigureOptions(**options, **choices), head), File(path.suffix[1:], options["dpi"])
    if IMAGES[file.form].moving:
        with FileProgress(path) as progress:
            pages = frames.pages(request.evaluation, within(progress.show, 0, 2))
            write_moving(pages, file, path, within(progress.show, 1, 2))
        yield path
        return
    for place in range(frames.count(request.evaluation)):
        target = frame_path(path, place)
        with FileProgress(target) as progress:
            page = frames.page(request.evaluation, place, progress.show)
            write_page(page, file, target)
        yield target


def _draw(request: _Request, path: Path, heads: tuple[int, ...], **choices: Any) -> Iterator[Path]:
    """One figure, with the options that all of them have."""
    from attn_gui.figure.sheet import write

    with FileProgress(path) as progress:
        choices |= _figure_options(request.options) | {"format": path.suffix[1:], "tell": progress.show}
        write(request.evaluation, path, heads=heads, **choices)
    yield path


def _figure_options(options: argparse.Namespace) -> dict[str, Any]:
    """The options of the command line that every figure has."""
    from attn_gui.figure.styles import resolution

    names = ("batch", "width", "height", "font_size", "values", "colorbar", "transparent", "theme", "lang", "session")
    chosen = {name: getattr(options, name) for name in (*names, "style")}
    return chosen | {"dpi": resolution(options.dpi, options.style, USUAL_DPI)}


def _write_figures(request: _Request, ending: str) -> Iterator[Path]:
    from attn_gui.figure.options import shade_from  # Qt is not needed for numbers

    options = request.options
    shade = shade_from(options.levels, options.colormap)
    for stage in request.stages:
        heads = request.heads_of(stage)
        for chosen in [heads] if options.sheet else [(head,) for head in heads]:
            path = request.path(stage, heads_part(chosen, request.loaded.problem.num_heads), f".{ending}")
            choices = {"stage": stage, "shades": {stage: shade}, "sheet": options.sheet}
            yield from _draw(request, path, chosen, **choices, beside=_beside(request.other, options.show))


def _beside(other: Other | None, show: str) -> object:
    """The other state as a figure takes it."""
    from attn_gui.figure.comparing.beside import Beside

    return None if other is None else Beside(lambda _now: other.before, show, other.names)


def _count(size: int) -> str:
    return "only 0" if size == 1 else f"0 to {size - 1}"
