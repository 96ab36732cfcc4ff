"""The files of an export: which there are and how each is written, from an evaluation that may be another one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import TypeAlias

import numpy as np

from attn_gui.engine import Evaluation, Problem
from attn_gui.figure import sheet
from attn_gui.figure.reading import Tell
from attn_gui.formats import Rows, block_rows, rows_of, save_members, save_rows, stage_labels, stage_rows
from attn_gui.views.dialogs.export_choice import TEXT_FORMATS, DataChoice, ExportChoice

Write: TypeAlias = Callable[[Evaluation, Tell], object]


@dataclass(frozen=True)
class Task:
    """One file, and how it is written; `cells` says how much work that is."""

    path: Path
    cells: int
    write: Write


@dataclass(frozen=True)
class Naming:
    """What files of a document are called: DIR/NAME-STAGE-hHEAD[-bITEM].EXT."""

    stem: str
    items: int

    def path(self, folder: str, stage: str, part: str, batch: int, ending: str) -> Path:
        item = f"-b{batch}" if self.items > 1 else ""
        return Path(folder) / f"{self.stem}-{stage}-{part}{item}.{ending}"


# --- figures -------------------------------------------------------------------------------------
def figure_tasks(choice: ExportChoice, evaluation: Evaluation, naming: Naming, lang: str) -> Iterator[Task]:
    """A file for every stage and head, or for every stage with `sheet`."""
    for stage in choice.stages:
        groups = [choice.heads] if choice.sheet else [(head,) for head in heads_of(evaluation, stage, choice.heads)]
        for heads in groups:
            path = naming.path(
                choice.folder, stage, "all" if choice.sheet else f"h{heads[0]}", choice.batch, choice.format
            )
            yield Task(path, _cells(evaluation, stage) * len(heads), _figure(choice, path, stage, heads, lang))


def _figure(choice: ExportChoice, path: Path, stage: str, heads: tuple[int, ...], lang: str) -> Write:
    def write(evaluation: Evaluation, tell: Tell) -> object:
        return sheet.write(
            evaluation, path, stage=stage, heads=heads, batch=choice.batch, format=choice.format,
            width=choice.width, height=choice.height, dpi=choice.dpi, theme=choice.theme, lang=lang,
            values=choice.values, colorbar=choice.colorbar, sheet=choice.sheet, tell=tell,
        )  # fmt: skip

    return write


def heads_of(evaluation: Evaluation, stage: str, heads: tuple[int, ...]) -> tuple[int, ...]:
    """A stage that all heads share is written once."""
    whole = evaluation.head_columns(stage, 0).stop == evaluation.shape(stage)[-1]
    return heads[:1] if whole and "head" not in evaluation.axes(stage) else heads


# --- numbers -------------------------------------------------------------------------------------
def number_tasks(choice: DataChoice, evaluation: Evaluation, naming: Naming) -> Iterator[Task]:
    """A file for every matrix, or a .npz of all arrays, whole."""
    if choice.format == "npz":
        path = Path(choice.folder) / f"{naming.stem}.npz"
        cells = sum(_size(evaluation, name) for name in choice.arrays)
        yield Task(path, cells, lambda evaluation, tell: save_members(_members(evaluation, choice.arrays, tell), path))
        return
    for name in choice.arrays:
        if name in evaluation.stages and "head" in evaluation.axes(name):
            for head in choice.heads:
                path = naming.path(choice.folder, name, f"h{head}", choice.batch, choice.format)
                yield Task(path, _cells(evaluation, name), _matrix(choice, path, name, head))
        else:
            path = Path(choice.folder) / f"{naming.stem}-{name}.{choice.format}"
            yield Task(path, _size(evaluation, name), _matrix(choice, path, name, None))


def _members(evaluation: Evaluation, names: Sequence[str], tell: Tell) -> dict[str, Rows]:
    arrays = evaluation.problem.arrays()
    every = sum(_size(evaluation, name) for name in names)
    members, before = {}, 0
    for name in names:
        size = _size(evaluation, name)
        share = _share(tell, before / max(every, 1), size / max(every, 1))
        members[name] = rows_of(arrays[name]) if name in arrays else stage_rows(evaluation, name, share)
        before += size
    return members


def _matrix(choice: DataChoice, path: Path, name: str, head: int | None) -> Write:
    def write(evaluation: Evaluation, tell: Tell) -> None:
        if name in evaluation.stages:
            rows = block_rows(evaluation, name, choice.batch, head, _share(tell, 0, 1))
        else:
            array = evaluation.problem.arrays()[name]
            matrix = array[min(choice.batch, len(array) - 1)] if array.ndim > 2 else array
            rows = rows_of(np.atleast_2d(matrix.reshape(-1, matrix.shape[-1]) if matrix.ndim > 2 else matrix))
        labels = _labels(evaluation, name, rows) if choice.headers and choice.format in TEXT_FORMATS else (None, None)
        save_rows(rows, path, row_labels=labels[0], column_labels=labels[1], excel=choice.bom)

    return write


def _labels(evaluation: Evaluation, name: str, rows: Rows) -> tuple[Sequence[str], Sequence[str]]:
    """Tokens where there are any, else numbers."""
    tokens = stage_labels(evaluation, name) if name in evaluation.stages else (None, None)
    down, across = (each or tuple(map(str, range(count))) for each, count in zip(tokens, rows.shape, strict=True))
    return down, across


# --- how much ------------------------------------------------------------------------------------
def _cells(evaluation: Evaluation, stage: str) -> int:
    return prod(evaluation.shape(stage)[-2:])


def _size(evaluation: Evaluation, name: str) -> int:
    problem: Problem = evaluation.problem
    return prod(evaluation.shape(name)) if name in evaluation.stages else int(problem.arrays()[name].size)


def _share(tell: Tell, start: float, length: float) -> Callable[[int, int], None]:
    return lambda done, every: tell(start + length * done / every)
