"""The files of an export: which there are and how each is written, from an evaluation that may be another one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from pathlib import Path
from typing import Any

from PySide6.QtCore import QCoreApplication

from attn_gui.app.state.baseline import Baseline, side_names
from attn_gui.app.state.view_state import ViewSettings
from attn_gui.engine import Evaluation, Problem
from attn_gui.engine.evaluation.proxies import with_derived
from attn_gui.engine.progress import Progress
from attn_gui.figure import render
from attn_gui.figure.comparison import ComparedState
from attn_gui.figure.export_settings import ExportSettings
from attn_gui.figure.figure_kinds import PICTURES, FigureKind
from attn_gui.figure.gradients import ComparedGradient, SumPlace
from attn_gui.figure.levels import TYPED, ColorScale, Levels
from attn_gui.figure.pages.page_kind import PageKind
from attn_gui.figure.render import PageFrames, Write
from attn_gui.formats import (
    ArrayRows,
    block_rows,
    counted_labels,
    field_rows,
    has_items,
    rows_of,
    save_members,
    save_rows,
    save_steps,
    stage_rows,
)
from attn_gui.formats.catalog import IMAGES, number_formats
from attn_gui.formats.export_names import file_stem, heads_part, item_part, own_heads
from attn_gui.modes import BEFORE, DIFFERENCE, GRADIENT, NOW, SIDE_BY_SIDE
from attn_gui.views.dialogs.export_choice import WINDOW, DataChoice, ExportChoice
from attn_gui.views.map.color_scales import color_scales_of
from attn_gui.views.names import stage_title

STATE_PARTS = {BEFORE: "before", DIFFERENCE: "difference", SIDE_BY_SIDE: "before-now", GRADIENT: "gradient"}
"""Part of a file name for each way to show two states, or a gradient."""

MANY = 1 << 30  # cells, as it were: of what is computed value by value


@dataclass(frozen=True)
class ExportTask:
    """One file, and how it is written; `cells` says how much work that is."""

    path: Path
    cells: int
    write: Write


@dataclass(frozen=True)
class ExportNaming:
    """Names of exported files: DIR/NAME-STAGE-hHEAD[-bITEM].EXT, or as was typed for a single one."""

    stem: str

    def path(self, choice: ExportChoice | DataChoice, parts: Sequence[str], *, alone: bool) -> Path:
        """Return a file of a choice.

        `parts` follow the name, unless the file is the only one and its name was typed.
        """
        typed = choice.name.removesuffix(f".{choice.format}")
        name = typed if typed and alone else file_stem(typed or self.stem, *parts)
        return Path(choice.folder) / f"{name}.{choice.format}"


def figure_tasks(
    choice: ExportChoice,
    evaluation: Evaluation,
    naming: ExportNaming,
    color_scales: Mapping[str, ColorScale],
    beside: ComparedState | None = None,
) -> list[ExportTask]:
    """Return a file for every stage and head, or for every stage with `sheet`.

    ValueError with a sentence for what is none.
    """
    evaluation, kind = with_derived(evaluation), PICTURES[choice.picture]
    if kind.frames is not None and (kind.apart or IMAGES[choice.format].moving):
        return _frame_tasks(kind.frames, choice, evaluation, naming, color_scales)
    groups, tasks, problem = _stages_and_heads(choice, evaluation, kind), [], evaluation.problem
    state = "" if beside is None else STATE_PARTS.get(choice.compare, "")
    for stage, heads in groups:
        own = heads_part(heads, problem.num_heads, stage), item_part(problem, choice.batch)
        parts = [stage if kind.of_stage else "", kind.part, *own, state]
        path = naming.path(choice, parts, alone=len(groups) == 1)
        write = _figure(choice, path, stage, heads, color_scales, beside)
        tasks.append(ExportTask(path, _cells(evaluation, stage) * len(heads) if kind.quick else MANY, write))
    return tasks


def _stages_and_heads(
    choice: ExportChoice, evaluation: Evaluation, kind: FigureKind
) -> list[tuple[str, tuple[int, ...]]]:
    """Return the stage and the heads of each figure."""
    found = []
    for stage in choice.stages if kind.of_stage else choice.stages[:1]:
        if not kind.has(evaluation, stage):
            words = QCoreApplication.translate("Export", "There is no such picture of “{stage}” in this problem.")
            raise ValueError(words.format(stage=stage_title(stage)))
        heads = own_heads(evaluation, stage, choice.heads) if kind.on_sheets else choice.heads
        whole = choice.sheet and kind.on_sheets
        found += [(stage, group) for group in ([heads] if whole else [(head,) for head in heads])]
    return found


def _frame_tasks(
    kind: PageKind[Any],
    choice: ExportChoice,
    evaluation: Evaluation,
    naming: ExportNaming,
    color_scales: Mapping[str, ColorScale],
) -> list[ExportTask]:
    """Return a file for every place of a page's slider, of the first head; one of all of them where it can move."""
    head, settings = choice.heads[0], figure_of(choice, choice.stages[0], color_scales)
    frames, file = PageFrames(kind, settings, head), render.FigureFile(choice.format, choice.dpi)
    problem = evaluation.problem
    parts = [kind.name, heads_part((head,), problem.num_heads), item_part(problem, choice.batch)]
    path = naming.path(choice, parts, alone=True)
    return [ExportTask(target, MANY, write) for target, write in frames.files(evaluation, file, path)]


def figure_of(
    choice: ExportChoice, stage: str, color_scales: Mapping[str, ColorScale], beside: ComparedState | None = None
) -> ExportSettings:
    """Return the settings of one figure of a choice; `color_scales` are those of the window.

    A page looks at the chosen cell of whatever stage; a map names its row and column.
    """
    if beside is not None and choice.compare in (DIFFERENCE, GRADIENT):
        color_scales = color_scales_of(choice.compare, color_scales)
    kind = PICTURES[choice.picture]
    of_cell = choice.cell is not None and (choice.stage == stage if kind.of_stage else kind.of_cell)
    return replace(
        choice,
        stage=choice.stage if of_cell else stage,
        cell=choice.cell if of_cell else None,
        page_options=choice.options_by_page.get(kind.part, {}),
        beside=beside,
        color_scales={**color_scales, stage: _color_scale(choice, color_scales.get(stage, ColorScale()))},
    )


def _color_scale(choice: ExportChoice, shown: ColorScale) -> ColorScale:
    """Return levels and colors of a stage as chosen, which may be as the window shows them."""
    palette = choice.colormap or shown.palette
    if choice.levels == WINDOW:
        return replace(shown, palette=palette)
    if choice.typed is None:
        return ColorScale(palette=palette)
    return ColorScale(TYPED, Levels(*choice.typed), palette)


def _figure(
    choice: ExportChoice,
    path: Path,
    stage: str,
    heads: tuple[int, ...],
    color_scales: Mapping[str, ColorScale],
    beside: ComparedState | None,
) -> Write:
    def write(evaluation: Evaluation, progress: Progress) -> object:
        settings = figure_of(choice, stage, color_scales, beside)
        return render.write(
            evaluation, path, settings, format=choice.format, heads=heads, sheet=True, progress=progress
        )

    return write


def number_tasks(choice: DataChoice, evaluation: Evaluation, naming: ExportNaming) -> Iterator[ExportTask]:
    """Yield a file for every matrix, or one of all arrays, whole."""
    evaluation, kind = with_derived(evaluation), number_formats()[choice.format]
    if kind.write_problem is not None:
        path = naming.path(choice, (), alone=True)
        yield ExportTask(path, MANY, lambda evaluation, progress: save_steps(evaluation.problem, path, progress))
        return
    if kind.write_members is not None:
        path = naming.path(choice, (), alone=True)
        cells = sum(_size(evaluation, name) for name in choice.arrays)
        yield ExportTask(
            path, cells, lambda evaluation, progress: save_members(_members(evaluation, choice.arrays, progress), path)
        )
        return
    found: list[tuple[str, int | None]] = []
    for name in choice.arrays:
        apart = name in evaluation.stages and "head" in evaluation.axes(name)
        found += [(name, head) for head in choice.heads] if apart else [(name, None)]
    for name, head in found:
        of_item = name in evaluation.stages or has_items(evaluation.problem, name)
        item = item_part(evaluation.problem, choice.batch) if of_item else ""
        parts = [name, "" if head is None else heads_part((head,), evaluation.problem.num_heads), item]
        path = naming.path(choice, parts, alone=len(found) == 1)
        cells = _size(evaluation, name) if head is None else _cells(evaluation, name)
        yield ExportTask(path, cells, _matrix(choice, path, name, head))


def _members(evaluation: Evaluation, names: Sequence[str], progress: Progress) -> dict[str, ArrayRows]:
    evaluation, problem = with_derived(evaluation), evaluation.problem
    by_hand = {record.stage for record in problem.interventions}  # these are as computed, not as given
    given = {name: array for name, array in problem.arrays().items() if name not in by_hand}
    every = sum(_size(evaluation, name) for name in names)
    members, before = {}, 0
    for name in names:
        size = _size(evaluation, name)
        share = _share(progress, before / max(every, 1), size / max(every, 1))
        members[name] = rows_of(given[name]) if name in given else stage_rows(evaluation, name, share)
        before += size
    return members


def _matrix(choice: DataChoice, path: Path, name: str, head: int | None) -> Write:
    def write(evaluation: Evaluation, progress: Progress) -> None:
        evaluation = with_derived(evaluation)
        if name in evaluation.stages:
            rows = block_rows(evaluation, name, choice.batch, head, _share(progress, 0, 1))
        else:
            rows = field_rows(evaluation.problem, name, choice.batch)
        headed = choice.headers and number_formats()[choice.format].text
        labels = counted_labels(evaluation, name, rows) if headed else (None, None)
        save_rows(rows, path, row_labels=labels[0], column_labels=labels[1], excel=choice.bom)

    return write


def _cells(evaluation: Evaluation, stage: str) -> int:
    return prod(evaluation.shape(stage)[-2:])


def _size(evaluation: Evaluation, name: str) -> int:
    problem: Problem = evaluation.problem
    return prod(evaluation.shape(name)) if name in evaluation.stages else int(problem.arrays()[name].size)


def _share(progress: Progress, start: float, length: float) -> Callable[[int, int], None]:
    return lambda done, every: progress(start + length * done / every)


def beside_of(baseline: Baseline, mode: str, look: ViewSettings) -> ComparedState | None:
    """Return the state compared with, or the gradient of the chosen cell, where a figure shows it."""
    if mode == GRADIENT and look.cell is not None:
        stage, row, column = look.cell
        return ComparedGradient(
            lambda now: now, place=SumPlace(stage, look.batch, look.head, row, column, look.gradient)
        )
    if mode == NOW or not baseline.comparable:
        return None
    return ComparedState(baseline.before_of(), mode, side_names(baseline))
