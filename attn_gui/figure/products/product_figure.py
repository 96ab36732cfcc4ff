"""The product picture as a figure: the matrices that a stage is made of around it, row on row and column on column."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from PySide6.QtCore import QT_TRANSLATE_NOOP

from attn_gui.document.edits import Refusal
from attn_gui.engine import Evaluation, Plane, symbol
from attn_gui.engine.evaluation.proxies import is_derived
from attn_gui.engine.progress import Tell, silent, within
from attn_gui.figure.maps.compose import NOTHING, bare_figure, check_columns, check_item, filled, title_of
from attn_gui.figure.maps.map_figure import Axis, MapFigure, Panel
from attn_gui.figure.options import FigureOptions
from attn_gui.figure.products.operands import Operand, Picture, by_hand_of, picture_of, stage_plane
from attn_gui.figure.text.labels import token_label
from attn_gui.pictures.planes import PlaneLike

STAGE = "stage"
PLACES = ("left", "top", "factor", STAGE, "result")
MOST_CELLS = 1 << 26
"""Cells of a matrix beside a long stage that are read at once."""

_TOO_MANY = QT_TRANSLATE_NOOP("Sentences", "{letter} has {rows} × {columns} numbers, too many for a product picture.")
_NO_PRODUCT = QT_TRANSLATE_NOOP(
    "Sentences", "The stage {stage} is no product of matrices here: there is nothing to stand around it."
)


@dataclass(frozen=True, eq=False)
class ProductFigure:
    """The maps by their places, that of the stage with names of its rows and columns; a sentence for the foot."""

    title: str
    maps: Mapping[str, MapFigure]
    note: str = ""

    @property
    def stage(self) -> MapFigure:
        """The map in the corner."""
        return self.maps[STAGE]


def has_product(evaluation: Evaluation, stage: str) -> bool:
    """Whether a stage is a product of matrices in this problem; derived maps stand alone."""
    return not is_derived(stage) and bool(picture_of(stage, evaluation).operands())


def compose_product(
    evaluation: Evaluation, options: FigureOptions, head: int, blocks: int, tell: Tell = silent
) -> ProductFigure:
    """The product picture of a stage and head; of long maps with at most so many blocks a side.

    ValueError with a sentence for a stage that is no product.
    """
    stage = options.stage
    check_item(evaluation.problem, options.batch)
    if not has_product(evaluation, stage):
        raise Refusal(_NO_PRODUCT, stage=stage)
    picture, middle = picture_of(stage, evaluation), stage_plane(evaluation, stage, options.batch, head)
    planes: dict[str, tuple[str, str, PlaneLike]] = {STAGE: (stage, symbol(stage), middle)}
    for place, operand in picture.operands().items():
        planes[place] = _operand(operand, evaluation, options.batch, head)
    for name, _, plane in planes.values():
        if isinstance(plane, Plane):
            check_columns(evaluation, name, (plane.head,))
    maps = {
        place: _map(*planes[place], options, blocks, within(tell, number, len(planes)))
        for number, place in enumerate(planes)
    }
    maps[STAGE] = _labeled(maps[STAGE], evaluation, picture)
    title = " · ".join(title_of(evaluation.problem, options, (middle.head,)))
    return ProductFigure(title, maps)


def _operand(operand: Operand, evaluation: Evaluation, batch: int, head: int) -> tuple[str, str, PlaneLike]:
    return operand.name, operand.symbol, operand.plane(evaluation, batch, head)


def _map(name: str, letter: str, plane: PlaneLike, options: FigureOptions, blocks: int, tell: Tell) -> MapFigure:
    """One of the maps, its symbol as title and its shape beside it."""
    figure = replace(
        bare_figure(plane, options, options.shade(name)),
        title=letter,
        panels=(Panel(NOTHING, by_hand=by_hand_of(plane)),),
    )
    rows, columns = plane.shape
    size = min(rows, blocks), min(columns, blocks)
    if figure.cells is None and rows * columns > MOST_CELLS:
        raise Refusal(_TOO_MANY, letter=letter, rows=f"{rows:,}", columns=f"{columns:,}")
    return filled(replace(figure, subtitle=f"{rows} × {columns}"), (plane,), options.shade(name), size, tell)


def _labeled(figure: MapFigure, evaluation: Evaluation, picture: Picture) -> MapFigure:
    """Tokens at the axes of queries and keys."""
    problem = evaluation.problem
    names = {"query": problem.query_tokens, "key": problem.names_of_keys}
    axes = []
    for role, axis in ((picture.rows, figure.rows), (picture.columns, figure.columns)):
        tokens = names.get(role)
        fits = tokens is not None and len(tokens) == len(axis.labels)
        axes.append(
            Axis(
                role if role in names else axis.name,
                tuple(map(token_label, tokens)) if fits and tokens else axis.labels,
            )
        )
    return replace(figure, rows=axes[0], columns=axes[1])
