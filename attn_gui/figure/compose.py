"""From an evaluation to a figure: which cells, which labels, which levels, which words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from attn_gui.engine import Evaluation, Plane, Problem, Trace, choice
from attn_gui.figure.display import Allowed, Levels, Values, auto_levels
from attn_gui.figure.map_figure import Axis, MapFigure, Panel
from attn_gui.figure.reading import Tell, picture, silent, within
from attn_gui.figure.tokens import THEMES
from attn_gui.figure.words import WORDS, Words
from attn_gui.formats.rows import stage_labels

Source = Problem | Trace | Evaluation
Heads = int | Sequence[int] | str | None

Pixels = Callable[[MapFigure], tuple[int, int]]
"""Rows and columns of pixels under every map of a figure."""

_BY_KEY = ("key", "rotated_key", "value")
_NOTHING = np.zeros((1, 1), np.float32)


def evaluation_of(source: Source) -> Evaluation:
    """The evaluation of a problem, which is computed, or the one behind a trace."""
    if isinstance(source, Problem):
        return choice.evaluation_of(source)
    return source.evaluation if isinstance(source, Trace) else source


def chosen_heads(evaluation: Evaluation, stage: str, heads: Heads) -> tuple[int | None, ...]:
    """The heads to show; (None,) for a stage that has none and for None: the matrix as a whole.

    ValueError with a sentence for a stage or head that is not there.
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
        raise ValueError(f"Heads are a number, several numbers or 'all', got {heads!r}.")
    chosen = (heads,) if isinstance(heads, int) else tuple(heads)
    for head in chosen:
        if not 0 <= head < count:
            raise ValueError(f"There is no head {head}; the problem has {_counted(count)}.")
    if not chosen:
        raise ValueError("There is nothing to draw: choose at least one head.")
    return chosen


def compose(
    evaluation: Evaluation, *, stage: str, heads: Sequence[int | None], batch: int = 0,
    theme: str = "light", lang: str = "en", values: bool | None = None, colorbar: bool = True,
    pixels: Pixels = lambda figure: figure.shape, tell: Tell = silent,
) -> MapFigure:  # fmt: skip
    """The figure of a stage for one head, or for several on a sheet; ValueError with a sentence for bad choices.

    Of a problem whose maps are too long to be held the figure has as many blocks as there are `pixels`.
    """
    problem = evaluation.problem
    if not 0 <= batch < problem.batch_size:
        raise ValueError(f"There is no batch item {batch}; the problem has {_counted(problem.batch_size)}.")
    if theme not in THEMES or lang not in WORDS:
        wrong, known = (theme, THEMES) if theme not in THEMES else (lang, WORDS)
        raise ValueError(f"{wrong!r} is not one of {', '.join(known)}.")
    words = WORDS[lang]
    planes = [Plane(evaluation, stage, batch, head) for head in heads]
    titles = [words.head.format(head) if len(heads) > 1 and head is not None else "" for head in heads]
    weights = stage == "weights"
    rows, columns = planes[0].shape
    figure = MapFigure(
        panels=tuple(Panel(_NOTHING, None, title) for title in titles),
        rows=_rows(evaluation, stage, rows),
        columns=_columns(evaluation, stage, heads[0] if len(heads) == 1 else 0, columns),
        levels=Levels(0.0, 1.0),
        title=" · ".join(_title(problem, stage, heads, batch, words)),
        subtitle=f"{rows} × {columns}",
        weights=weights,
        palette="weights" if weights else "signed",
        theme=THEMES[theme],
        words=words,
        show_values=values,
        show_colorbar=colorbar,
        cells=(rows, columns) if planes[0].draws_pictures else None,
    )
    size = (rows, columns) if figure.cells is None else pixels(_foreseen(figure, evaluation))
    read = [_read(plane, size, within(tell, part, len(planes))) for part, plane in enumerate(planes)]
    panels = tuple(Panel(*cells, title) for cells, title in zip(read, titles, strict=True))
    return replace(figure, panels=panels, levels=_levels(panels, weights, problem.m))


def _read(plane: Plane, size: tuple[int, int], tell: Tell) -> tuple[Values, Allowed | None]:
    """The cells of a map, or a picture of it in blocks."""
    if plane.draws_pictures:
        return picture(plane, *size, tell)
    rows, columns = plane.shape
    found = plane.block(slice(0, rows), slice(0, columns))
    tell(1.0)
    return found


def _foreseen(figure: MapFigure, evaluation: Evaluation) -> MapFigure:
    """The figure with a legend already, if it will have one: the room for the maps depends on it."""
    closed = np.zeros(_NOTHING.shape, bool) if figure.weights and "masked" in evaluation.stages else None
    return replace(figure, panels=tuple(Panel(_NOTHING, closed, panel.title) for panel in figure.panels))


def _levels(panels: Sequence[Panel], weights: bool, keys: int) -> Levels:
    """Common levels of all panels: the widest of theirs."""
    every = [auto_levels(panel.values, panel.allowed, signed=not weights, keys=keys) for panel in panels]
    return max(every, key=lambda levels: levels.high)


def _rows(evaluation: Evaluation, stage: str, count: int) -> Axis:
    return Axis("key" if stage in _BY_KEY else "query", _labels(stage_labels(evaluation, stage)[0], range(count)))


def _columns(evaluation: Evaluation, stage: str, head: int | None, count: int) -> Axis:
    """Keys with their tokens, or columns under the numbers that they have in the whole matrix."""
    if evaluation.axes(stage)[-1] == "key":
        return Axis("key", _labels(stage_labels(evaluation, stage)[1], range(count)))
    apart = "head" in evaluation.axes(stage)
    first = evaluation.head_columns(stage, head).start if head is not None and not apart else 0
    return Axis("column", _labels(None, range(first, first + count)))


def _labels(tokens: Sequence[str] | None, numbers: range) -> Sequence[str]:
    return tokens if tokens and len(tokens) == len(numbers) else [str(number) for number in numbers]


def _title(problem: Problem, stage: str, heads: Sequence[int | None], batch: int, words: Words) -> list[str]:
    parts = [words.stages.get(stage, stage)]
    if len(heads) == 1 and heads[0] is not None:
        parts.append(words.head.format(heads[0]))
    if problem.batch_size > 1:
        parts.append(words.item.format(batch))
    return parts


def _belongs_to_heads(evaluation: Evaluation, stage: str) -> bool:
    """Whether a matrix without a head axis has columns for each head, as Q, K, V and concat do."""
    columns = evaluation.head_columns(stage, 0)
    return (columns.start, columns.stop) != (0, evaluation.shape(stage)[-1])


def _counted(count: int) -> str:
    return "only 0" if count == 1 else f"0 to {count - 1}"
