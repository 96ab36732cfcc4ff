"""What a figure of a map shows: title (heads where several), labels, a sheet's common levels; refused cells, heads,
items."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from operator import index

import numpy as np
from PySide6.QtGui import QImage

from attn_gui.document.edits import Refusal
from attn_gui.engine import Evaluation, Plane, Problem, Trace
from attn_gui.engine.analysis.sensitivity import Gradient
from attn_gui.engine.arrays import Progress, silent, within
from attn_gui.engine.evaluation import trace
from attn_gui.engine.evaluation.proxies import reading
from attn_gui.engine.evaluation.trace import problem_in
from attn_gui.engine.graph.symbols_and_titles import title
from attn_gui.figure.colors import Allowed, ColorScale, Levels, argb, auto_levels, lut, to_display
from attn_gui.figure.design_tokens import THEMES, Theme
from attn_gui.figure.export_settings import ExportSettings, Heads
from attn_gui.figure.heatmap import FIGURE_WORDS, MapAxis, MapFigure, MapPanel, picture
from attn_gui.figure.stage_formulas import by_hand_of, stage_plane
from attn_gui.formats.array_rows import stage_labels
from attn_gui.languages import N_
from attn_gui.pictures.planes import PlaneLike, Values, covers, kind_of, uncovered

# --- composing ------------------------------------------------------------------------------------
Source = Problem | Trace | Evaluation

Pixels = Callable[[MapFigure], tuple[int, int]]
"""Rows and columns of pixels under every map of a figure."""

_OTHER_HEADS = N_("A head of {stage} has other columns in the two states: compare the matrix as a whole.")

_NO_CELL = N_(
    "There is no cell {cell} in {name}: its rows are counted from 0 to {bottom}, its columns from 0 to {last}.",
)
_NO_CELL_OF_HEAD = N_("There is no cell {cell} in {name}: columns are counted within the head, from 0 to {last}.")
_NO_HEADS = "Heads are a number, several numbers or 'all', of weights also 'mean' or 'largest'; got {!r}."
UNREAD = np.zeros((1, 1), np.float32)  # in place of the numbers of a panel until `with_numbers` reads them


def evaluation_of_source(source: Source, stage: str) -> Evaluation:
    """Return the evaluation of a problem, which is computed, or the one behind a trace; with derived maps if one is
    meant."""
    if isinstance(source, Trace | Evaluation):
        return reading(source.evaluation if isinstance(source, Trace) else source, stage)
    return reading(trace.evaluation_of(problem_in(source, "render")), stage)


def chosen_heads(evaluation: Evaluation, stage: str, heads: Heads) -> tuple[int | None, ...]:
    """Return the heads to show; (None,) for a stage that has none and for None: the matrix as a whole.

    Raises ValueError with a sentence for a stage or head that is not there.
    """
    if stage not in evaluation.stages:
        raise ValueError(f"There is no stage {stage!r}; the problem has {', '.join(evaluation.stages)}.")
    apart = "head" in evaluation.axes(stage)
    if not apart and (heads is None or not _belongs_to_heads(evaluation, stage)):
        return (None,)
    count = evaluation.problem.num_heads
    if heads == "all" or heads is None:
        return tuple(range(count))
    if isinstance(heads, str):
        raise ValueError(_NO_HEADS.format(heads))
    try:
        chosen = tuple(map(index, heads if isinstance(heads, Iterable) else (heads,)))
    except TypeError:
        raise ValueError(_NO_HEADS.format(heads)) from None
    for head in chosen:
        if not 0 <= head < count:
            raise ValueError(f"There is no head {head}; the problem has {_counted(count)}.")
    if not chosen:
        raise ValueError("There is nothing to draw: choose at least one head.")
    return chosen


def compose_figure(
    evaluation: Evaluation,
    settings: ExportSettings,
    heads: Sequence[int | None],
    pixels: Pixels = lambda figure: figure.shape,
    progress: Progress = silent,
) -> MapFigure:
    """Return the figure of a stage for one head, or for several on a sheet; `heads` are checked already.

    Of a problem whose maps are too long to be held the figure has as many blocks as there are `pixels`.
    """
    problem, stage = evaluation.problem, settings.stage
    check_item(problem, settings.batch)
    check_columns(evaluation, stage, heads)
    words = FIGURE_WORDS[settings.lang]
    planes = [Plane(evaluation, stage, settings.batch, head) for head in heads]
    titles = [words.head.format(head) if len(heads) > 1 and head is not None else "" for head in heads]
    if len({plane.column_numbers for plane in planes}) > 1:  # they have no numbers in common: each says its own
        ends = ((plane.column_numbers[0], plane.column_numbers[-1]) for plane in planes)
        titles = [f"{title} · {low} … {high}" for title, (low, high) in zip(titles, ends, strict=True)]
    if settings.beside is not None:
        planes, titles = settings.beside.planes(evaluation, planes, titles, words.states)
    check_cell(planes[0], settings.stage, settings.cell)
    (rows, columns), (row, column) = planes[0].shape, settings.cell or (None, None)
    figure = bare_figure(planes[0], settings, settings.color_scale(stage))
    figure = replace(
        figure,
        panels=tuple(MapPanel(UNREAD, None, *each) for each in zip(titles, map(by_hand_of, planes), strict=True)),
        rows=replace(_rows(planes, rows), chosen=row),
        columns=replace(_columns(planes), chosen=column),
        title=" · ".join(title_of(problem, settings, heads)),
        subtitle=f"{rows} × {columns}",
        together=len(planes) // len(heads),
    )
    size = (rows, columns) if figure.cells is None else pixels(_foreseen(figure, evaluation))
    return with_numbers(figure, planes, settings.color_scale(stage), size, progress)


def bare_figure(plane: PlaneLike, settings: ExportSettings, color_scale: ColorScale) -> MapFigure:
    """Return a figure of a matrix without its numbers, labels and title."""
    rows, columns = plane.shape
    return MapFigure(
        panels=(MapPanel(UNREAD),),
        rows=MapAxis("row", _labels(None, range(rows))),
        columns=MapAxis("column", _labels(None, plane.column_numbers)),
        levels=Levels(0.0, 1.0),
        weights=not plane.signed,
        scientific=kind_of(plane) == Gradient.kind,
        covered=covers(plane),
        palette=color_scale.palette_for(plane.signed),
        theme=THEMES[settings.theme],
        words=FIGURE_WORDS[settings.lang],
        show_values=settings.values,
        show_colorbar=settings.colorbar,
        show_title=settings.title,
        transparent=settings.transparent,
        cells=(rows, columns) if draws_pictures(plane) else None,
    )


def with_numbers(
    figure: MapFigure,
    planes: Sequence[PlaneLike],
    color_scale: ColorScale,
    size: tuple[int, int],
    progress: Progress,
) -> MapFigure:
    """Return the figure with its numbers, pooled to a size where it cannot hold all, and the levels that these have."""
    read = [_read(plane, size, within(progress, part, len(planes))) for part, plane in enumerate(planes)]
    panels = tuple(
        replace(panel, values=cells[0], allowed=cells[1]) for cells, panel in zip(read, figure.panels, strict=True)
    )
    numbers = [_read(uncovered(plane), size) if covers(plane) else own for plane, own in zip(planes, read, strict=True)]
    levels = [color_scale.levels_of(*cells, signed=not figure.weights, keys=figure.shape[1]) for cells in numbers]
    return replace(figure, panels=panels, levels=max(levels, key=lambda each: each.high))  # common to all: the widest


def aimed_cell(evaluation: Evaluation, settings: ExportSettings, head: int | None) -> tuple[int, int]:
    """Return the cell of the stage that a walk or a card is of: the chosen one, or the largest of the last row.

    Raises ValueError with a sentence for a cell that is not there.
    """
    plane = stage_plane(evaluation, settings.stage, settings.batch, head or 0)
    rows, columns = plane.shape
    if settings.cell is None:
        joined = evaluation.node(settings.stage).stage.joined  # of these the columns of the head
        own = evaluation.head_columns(settings.stage, head or 0) if joined else slice(0, columns)
        last, _ = plane.block(slice(rows - 1, rows), own)
        return rows - 1, own.start + int(np.argmax(np.nan_to_num(last[0], nan=-np.inf)))
    check_cell(plane, settings.stage, settings.cell)
    return settings.cell


def check_cell(plane: PlaneLike, stage: str, cell: tuple[int, int] | None) -> None:
    """Raise ValueError with a sentence for a chosen cell of a stage that is not there."""
    row, column = cell or (0, 0)
    rows, columns = plane.shape
    if 0 <= row < rows and 0 <= column < columns:
        return
    within = 0 <= row < rows and column in plane.column_numbers
    words = _NO_CELL_OF_HEAD if within else _NO_CELL
    raise Refusal(words, cell=f"{row},{column}", name=stage, bottom=rows - 1, last=columns - 1)


def draws_pictures(plane: PlaneLike) -> bool:
    """Return whether the evaluation pools the plane itself, as that of long problems does."""
    return isinstance(plane, Plane) and plane.draws_pictures and not plane.transposed


def check_item(problem: Problem, batch: int) -> None:
    """Raise ValueError for a batch item that is not there."""
    if not 0 <= batch < problem.batch_size:
        raise ValueError(f"There is no batch item {batch}; the problem has {_counted(problem.batch_size)}.")


def check_columns(evaluation: Evaluation, stage: str, heads: Sequence[int | None]) -> None:
    """Refuse a head that has other columns in one of two states that are compared."""
    for head in heads:
        if head is not None and len({str(side.head_columns(name, head)) for side, name in evaluation.sides(stage)}) > 1:
            raise Refusal(_OTHER_HEADS, stage=stage)


def _read(plane: PlaneLike, size: tuple[int, int], progress: Progress = silent) -> tuple[Values, Allowed | None]:
    """Return the cells of a map, or a picture of it in blocks."""
    if isinstance(plane, Plane) and draws_pictures(plane):
        return picture(plane, *size, progress)
    rows, columns = plane.shape
    found = plane.block(slice(0, rows), slice(0, columns))
    progress(1.0)
    return found


def _foreseen(figure: MapFigure, evaluation: Evaluation) -> MapFigure:
    """Return the figure with a legend already, if it will have one: the room for the maps depends on it."""
    closed = np.zeros(UNREAD.shape, bool) if figure.weights and evaluation.closes else None
    return replace(figure, panels=tuple(replace(panel, allowed=closed) for panel in figure.panels))


def _rows(planes: Sequence[Plane], count: int) -> MapAxis:
    role = "key" if planes[0].evaluation.node(planes[0].stage).stage.by_key else "query"
    return MapAxis(role, _labels(_tokens(planes, 0), range(count)))


def _columns(planes: Sequence[Plane]) -> MapAxis:
    """Return keys with their tokens, or columns under the numbers that they have in the whole matrix, where these are
    the same in all maps."""
    numbers = planes[0].column_numbers
    if planes[0].evaluation.axes(planes[0].stage)[-1] == "key":
        return MapAxis("key", _labels(_tokens(planes, 1), numbers))
    shared = all(plane.column_numbers == numbers for plane in planes)
    return MapAxis("column", _labels(None if shared else [""] * len(numbers), numbers))


def _tokens(planes: Sequence[Plane], axis: int) -> Sequence[str] | None:
    """Return the tokens of an axis that all maps share, those of before and now where they differ; None where one
    has none."""
    found = list(dict.fromkeys(stage_labels(plane.evaluation, plane.stage)[axis] for plane in planes))
    named = [tokens for tokens in found if tokens is not None]
    if len(named) < len(found) or len({*map(len, named)}) != 1:
        return None
    return [" / ".join(dict.fromkeys(each)) for each in zip(*named, strict=True)]


def _labels(tokens: Sequence[str] | None, numbers: range) -> Sequence[str]:
    return tokens if tokens and len(tokens) == len(numbers) else [str(number) for number in numbers]


def title_of(problem: Problem, settings: ExportSettings, heads: Sequence[int | None]) -> list[str]:
    """Return the parts of a title: layer of a model, stage, head, item; heads and items where there are several."""
    words = FIGURE_WORDS[settings.lang]
    parts = [] if settings.model is None else [words.layer.format(settings.model.layer)]
    parts.append(title(settings.stage, settings.lang))
    if problem.num_heads > 1 and len(heads) == 1 and heads[0] is not None:
        parts.append(words.head.format(heads[0]))
    if problem.batch_size > 1:
        parts.append(words.item.format(settings.batch))
    return parts + (settings.beside.titled(words) if settings.beside is not None else [])


def _belongs_to_heads(evaluation: Evaluation, stage: str) -> bool:
    """Return whether a matrix without a head axis has columns for each head, as Q, K, V and concat do."""
    columns = evaluation.head_columns(stage, 0)
    return (columns.start, columns.stop) != (0, evaluation.shape(stage)[-1])


def _counted(count: int) -> str:
    return "only 0" if count == 1 else f"0 to {count - 1}"


def weights_picture(weights: Values, keys: int, theme: Theme, allowed: Allowed | None = None) -> QImage:
    """Return a picture of (rows, columns) weights of `keys` keys, pooled where those are many, over its own levels;
    what is not `allowed` has the color of closed cells."""
    display = to_display(weights, allowed, auto_levels(weights, signed=False, keys=keys))
    pixels = argb(display, lut(ColorScale().palette_for(signed=False), theme.name), theme)
    rows, columns = pixels.shape
    return QImage(pixels.data, columns, rows, 4 * columns, QImage.Format.Format_RGB32).copy()  # owns its pixels
