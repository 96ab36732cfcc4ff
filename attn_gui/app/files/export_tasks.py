"""Files of an export as the dialogs choose them: their names, settings of each figure, matrices; how one is drawn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import prod
from pathlib import Path
from typing import Any

from PySide6.QtCore import QCoreApplication

from attn_gui.app.state.baseline import Baseline, side_names
from attn_gui.app.state.view_state import ViewSettings
from attn_gui.engine import Evaluation, Problem
from attn_gui.engine.arrays import Progress
from attn_gui.engine.evaluation.proxies import with_derived
from attn_gui.figure import render
from attn_gui.figure.colors import TYPED, ColorScale, Levels
from attn_gui.figure.export_settings import ExportSettings, file_stem, heads_part, item_part
from attn_gui.figure.figure_kinds import PICTURES
from attn_gui.figure.overlays import ComparedGradient, ComparedState, SumPlace
from attn_gui.figure.render import MANY, ExportTask, Write
from attn_gui.formats import ArrayRows, has_items, rows_of, save_members, save_numbers, save_steps, stage_rows
from attn_gui.formats.catalog import number_formats
from attn_gui.modes import BEFORE, DIFFERENCE, GRADIENT, NOW, SIDE_BY_SIDE
from attn_gui.views.dialogs.form_fields import WINDOW, DataChoice, ExportChoice
from attn_gui.views.map.color_scales import color_scales_of
from attn_gui.views.names import stage_title

STATE_PARTS = {BEFORE: "before", DIFFERENCE: "difference", SIDE_BY_SIDE: "before-now", GRADIENT: "gradient"}
"""Part of a file name for each way to show two states, or a gradient."""


def export_path(choice: ExportChoice | DataChoice, stem: str, parts: Sequence[str], *, alone: bool) -> Path:
    """Return a file of a choice: DIR/NAME-STAGE-hHEAD[-bITEM].EXT, or as was typed for the only one.

    `parts` follow the name that was typed, else `stem`.
    """
    typed = choice.name.removesuffix(f".{choice.format}")
    name = typed if typed and alone else file_stem(typed or stem, *parts)
    return Path(choice.folder) / f"{name}.{choice.format}"


def figure_tasks(
    choice: ExportChoice,
    evaluation: Evaluation,
    stem: str,
    color_scales: Mapping[str, ColorScale],
    beside: ComparedState | None = None,
) -> list[ExportTask]:
    """Return a file for every stage and head, or for every stage with `sheet`.

    ValueError with a sentence for what is none.
    """
    evaluation, kind = with_derived(evaluation), PICTURES[choice.picture]
    moves = kind.moves(choice.format)
    state = "" if beside is None or moves else STATE_PARTS.get(choice.compare, "")
    rest = item_part(evaluation.problem, choice.batch), state
    stages = choice.stages if kind.of_stage else choice.stages[:1]
    if not moves and (without := [stage for stage in stages if not kind.has(evaluation, stage)]):
        words = QCoreApplication.translate("Export", "There is no such picture of “{stage}” in this problem.")
        raise ValueError(words.format(stage=stage_title(without[0])))
    return render.figure_tasks(
        evaluation,
        kind,
        stages,
        choice.heads[:1] if moves else choice.heads,
        lambda stage: figure_of(choice, stage, color_scales, beside),
        lambda parts, alone: export_path(choice, stem, [*parts, *rest], alone=alone),
        sheet=choice.sheet,
    )


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


def number_tasks(choice: DataChoice, evaluation: Evaluation, stem: str) -> Iterator[ExportTask]:
    """Yield a file for every matrix, or one of all arrays, whole."""
    evaluation, kind = with_derived(evaluation), number_formats()[choice.format]
    if kind.write_problem is not None:
        path = export_path(choice, stem, (), alone=True)
        yield ExportTask(path, MANY, lambda evaluation, progress: save_steps(evaluation.problem, path, progress))
        return
    if kind.write_members is not None:
        path = export_path(choice, stem, (), alone=True)
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
        path = export_path(choice, stem, parts, alone=len(found) == 1)
        cells = _size(evaluation, name) if head is None else prod(evaluation.shape(name)[-2:])
        yield ExportTask(path, cells, _matrix(choice, path, name, head))


def _members(evaluation: Evaluation, names: Sequence[str], progress: Progress) -> dict[str, ArrayRows]:
    evaluation, problem = with_derived(evaluation), evaluation.problem
    by_hand = {record.stage for record in problem.interventions}  # these are as computed, not as given
    given = {name: array for name, array in problem.arrays().items() if name not in by_hand}
    every = sum(_size(evaluation, name) for name in names)
    members, before = {}, 0
    for name in names:
        size = _size(evaluation, name)
        start, length = before / max(every, 1), size / max(every, 1)
        share = partial(_part, progress, start, length)
        members[name] = rows_of(given[name]) if name in given else stage_rows(evaluation, name, share)
        before += size
    return members


def _matrix(choice: DataChoice, path: Path, name: str, head: int | None) -> Write:
    as_chosen: dict[str, Any] = {"batch": choice.batch, "headers": choice.headers, "excel": choice.bom}
    return lambda evaluation, progress: save_numbers(
        with_derived(evaluation), name, path, head=head, progress=progress, **as_chosen
    )


def _size(evaluation: Evaluation, name: str) -> int:
    problem: Problem = evaluation.problem
    return prod(evaluation.shape(name)) if name in evaluation.stages else int(problem.arrays()[name].size)


def _part(progress: Progress, start: float, length: float, share: float) -> None:
    progress(start + length * share)


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
