"""A walk: which beats lead to a cell of each kind of step, how long each takes, title and conclusion."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from itertools import accumulate, takewhile
from types import MappingProxyType

import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from attn_gui.engine import Evaluation
from attn_gui.engine.arrays import Array
from attn_gui.engine.graph.expressions import Cell
from attn_gui.engine.graph.stage import Role
from attn_gui.engine.graph.symbols_and_titles import cell_symbol, computed_name
from attn_gui.engine.normalizers import Normalizer
from attn_gui.figure.design_tokens import Theme
from attn_gui.figure.pages.page_kind import PageStyle
from attn_gui.figure.stage_formulas import stage_plane
from attn_gui.figure.text.rich_text import escaped, lowered, runs, strong
from attn_gui.figure.walk.cell_beats import (
    CLOSED,
    CONSTANT,
    COPIED,
    GIVEN,
    OF_HEAD,
    SET,
    CurveBeat,
    GivenBeat,
    MaskBeat,
    ScaleBeat,
    formula_beats,
    named_beats,
)
from attn_gui.figure.walk.equations import Beat, main_sum, with_number
from attn_gui.figure.walk.softmax_beats import softmax_beats
from attn_gui.figure.walk.sum_beats import PourBeat, sum_beats
from attn_gui.figure.walk.walk_canvas import HEIGHT, WIDTH, WalkCanvas
from attn_gui.figure.walk.walk_context import Index, WalkContext
from attn_gui.languages import N_

# --- how each kind of stage looks: one entry a kind, by what the stage says of itself (`wording`) ---
Look = Callable[[WalkContext, str, Index], list[Beat]]


def beats_of(context: WalkContext, stage: str, index: Index) -> list[Beat]:
    """Return the beats that lead to a cell: of a map those of all maps before it, else its own step.

    Numbers that were set in place of computed ones follow the beats of the computed ones.
    """
    explanation = context.explain(stage, index)
    if explanation.by_hand and explanation.computed is not None:
        made = beats_of(context, computed_name(stage), index)
        computed = Cell(computed_name(stage), index, explanation.computed.value, "")
        return [*made, GivenBeat(context, stage, index, *SET, computed)]
    look = LOOKS.get(explanation.entry.wording, formula)
    before = context.map_before(stage)
    earlier = beats_of(context, before, index) if before is not None else []
    return [*earlier, *look(context, stage, index)]


def products(context: WalkContext, stage: str, index: Index) -> list[Beat]:
    """Return the beats of a row times a column, or of a sum of a few numbers, then of what else is done to it."""
    explanation = context.explain(stage, index)
    expression, value = explanation.expression, explanation.value
    total = main_sum(expression)
    if total is None:
        return formula(context, stage, index)
    if total is expression:
        return sum_beats(context, stage, index, total, value, lands=True)
    inner = sum_beats(context, stage, index, total, total.value, lands=False)
    rest = formula_beats(context, stage, index, with_number(expression, total), value)
    return [*named_beats(context, stage, index, total), *inner, *rest]


def formula(context: WalkContext, stage: str, index: Index) -> list[Beat]:
    """Return the beats of the cell's formula, part by part; a number that is given or copied says so."""
    explanation = context.explain(stage, index)
    cells = tuple(explanation.expression.cells())
    if context.evaluation.node_at(stage, index).stage.alias:
        given = not len(explanation.terms)
        return [GivenBeat(context, stage, index, *(GIVEN if given else COPIED), None if given else cells[0])]
    if not cells:
        return [GivenBeat(context, stage, index, *CONSTANT)]
    if isinstance(explanation.expression, Cell):
        return [GivenBeat(context, stage, index, *COPIED, explanation.expression)]
    return formula_beats(context, stage, index, explanation.expression, explanation.value)


def scale(context: WalkContext, stage: str, index: Index) -> list[Beat]:
    """Return the beat of the division by √d_k; none where scores are not scaled."""
    before = context.map_before(stage)
    if before is None or context.evaluation.problem.effective_scale == 1:
        return []
    return [ScaleBeat(context, stage, index, before)]


def cap(context: WalkContext, stage: str, index: Index) -> list[Beat]:
    """Return the beat of the curve that bends scores below a bound."""
    limit = context.evaluation.problem.softcap or 1.0
    title = context.words(N_("Walk", "Cap"))
    return [CurveBeat(context, stage, index, lambda x: limit * np.tanh(x / limit), title)]


def activation(context: WalkContext, stage: str, index: Index) -> list[Beat]:
    """Return the beat of the curve of an activation; of a gated one those of its formula."""
    entry = context.evaluation.node(stage).stage
    if len(context.explain(stage, index).terms[0].cells) > 1:
        return formula(context, stage, index)

    def bend(x: Array) -> Array:
        return entry.forward(x, None)

    return [CurveBeat(context, stage, index, bend, entry.function or context.cell(stage, index))]


def mask(context: WalkContext, stage: str, index: Index) -> list[Beat]:
    """Return the beat in which the layers of the mask open or close the cell."""
    before = context.map_before(stage)
    return [] if before is None else [MaskBeat(context, stage, index, before)]


def weight(context: WalkContext, stage: str, index: Index) -> list[Beat]:
    """Return the beats of the softmax of the row; of any other weight those of its formula."""
    before = context.map_before(stage)
    assert before is not None, "weights are made of scores"
    entry = context.evaluation.node(stage).stage
    if entry.elementary and (beats := softmax_beats(context, stage, index, before, index[-1])):
        return [*beats]
    score = context.value(before, index)
    if np.isneginf(score):
        return [GivenBeat(context, stage, index, *CLOSED, Cell(before, index, score, "", index[-2:]))]
    found = formula(context, stage, index)
    if isinstance(entry, Normalizer):
        name = context.style.translate("Normalizers", entry.label)
        found[-1].heading = context.words(N_("Walk", "Normalize: {name}"), name=name)
    return found


def mix(context: WalkContext, stage: str, index: Index) -> list[Beat]:
    """Return the beats in which the weights of the row come about, then the one in which they pour into the values."""
    return [*row_beats(context, index), PourBeat(context, stage, index)]


def row_beats(context: WalkContext, index: Index) -> list[Beat]:
    """Return the beats of a whole row of weights: its mask and its softmax; none where they are no softmax."""
    evaluation = context.evaluation
    at, name = (*index[:3], 0), evaluation.computed(evaluation.weights)
    before = context.map_before(name)
    if before is None or not evaluation.node(name).stage.elementary:
        return []
    found: list[Beat] = []
    if (closed := context.mask_before(name)) is not None:
        found.append(MaskBeat(context, closed, at, context.map_before(closed) or closed, row=True))
    return [*found, *softmax_beats(context, name, at, before, None)]


def joint(context: WalkContext, stage: str, index: Index) -> list[Beat]:
    """Return the beats of a head's result, then of its place beside those of the others."""
    cell = context.explain(stage, index).terms[0].cells[0]
    here = context.at_head(cell.index[1]) if len(cell.index) > 3 else context
    earlier = beats_of(here, cell.name, cell.index)
    said = OF_HEAD if context.head_name(stage, index) else COPIED
    return [*earlier, GivenBeat(context, stage, index, *said, cell)]


LOOKS: Mapping[str, Look] = MappingProxyType(
    {
        "projection": products,
        "product": products,
        "linear": products,
        "addition": products,
        "score": products,
        "scale": scale,
        "cap": cap,
        "bias": products,
        "mask": mask,
        "weight": weight,
        "mix": mix,
        "joint": joint,
        "activation": activation,
    }
)
"""The look of each kind; of any other the formula."""


# --- the walk -------------------------------------------------------------------------------------
MANY = 7
"""Of more beats some are shorter."""


class Walk:
    """The beats that lead to one cell, one after another. Texts are rich text, as Qt's labels take it."""

    def __init__(self, context: WalkContext, stage: str, index: Index, beats: Sequence[Beat]) -> None:
        self._context, self._stage, self._index = context, stage, index
        self.beats = tuple(beats)
        self._ends = list(accumulate(beat.seconds for beat in self.beats))

    @property
    def theme(self) -> Theme:
        """Its colors."""
        return self._context.theme

    # --- words -----------------------------------------------------------------------------------
    @property
    def title(self) -> str:
        """`Walk through A[1, 1]`."""
        cell = self._context.cell(self._stage, self._index)
        return self._context.words(N_("Walk", "Walk through {cell}"), cell=cell)

    @property
    def plain_title(self) -> str:
        """The title without tags, for files."""
        return "".join(run.text for run in runs(self.title))

    @property
    def subtitle(self) -> str:
        """What the cell is, in a few words, and of which head."""
        return " · ".join(filter(None, (self._called, self._context.head_name(self._stage, self._index))))

    @property
    def _called(self) -> str:
        context, index = self._context, self._index
        if context.evaluation.node(self._stage).stage.square:
            values = {"query": context.long_query(index[-2]), "key": context.long_key(index[-1])}
            if context.evaluation.node(self._stage).stage.role is Role.WEIGHT:
                return context.words(N_("Walk", "the weight that {query} gives {key}"), **values)
            return context.words(N_("Walk", "the score of {query} and {key}"), **values)
        return context.style.translate("Names", context.evaluation.node(self._stage).stage.called.en)

    @property
    def conclusion(self) -> str:
        """The result: what the cell is, and its number."""
        context = self._context
        return self._concluded(context.strong(context.value(self._stage, self._index)))

    @property
    def announcement(self) -> str:
        """The conclusion as long as its number is not there."""
        return self._concluded(strong("…"))

    def _concluded(self, value: str) -> str:
        context = self._context
        places = ",".join(map(str, self._index[-2:]))
        letter = escaped(cell_symbol(self._stage)) + lowered(places)
        return context.words(
            N_("Walk", "Result: {subtitle}, {letter} = {value}"),
            subtitle=self._called,
            letter=strong(letter),
            value=value,
        )

    # --- time ------------------------------------------------------------------------------------
    @property
    def starts(self) -> list[float]:
        """When each beat begins, in seconds."""
        return [0.0, *self._ends[:-1]]

    @cached_property
    def seconds(self) -> float:
        """How long all beats take."""
        return round(self._ends[-1], 6)

    @property
    def landing(self) -> float:
        """The time at which the number of the cell is there; more than `seconds` where it never is."""
        ends = [end for end, beat in zip(self._ends, self.beats, strict=True) if beat.stage == self._stage]
        return ends[-1] if ends else self.seconds + 1.0

    def beat_at(self, seconds: float) -> tuple[int, float]:
        """Return the number of the beat at a time, and how much of it is over, 0 to 1."""
        start = 0.0
        for number, end in enumerate(self._ends):
            if seconds < end or number == len(self._ends) - 1:
                return number, min(max((seconds - start) / (end - start), 0.0), 1.0)
            start = end
        raise AssertionError("a walk has beats")

    # --- picture ---------------------------------------------------------------------------------
    def paint(self, painter: QPainter, rect: QRectF, seconds: float, *, still: bool = False) -> None:
        """Paint a moment into a rectangle; `still` is the end of its beat, with arrows in place of movements."""
        number, progress = self.beat_at(seconds)
        self._paint(painter, rect, number, 1.0 if still else progress, still=still)

    def paint_beat(self, painter: QPainter, rect: QRectF, number: int) -> None:
        """Paint the end of a beat into a rectangle, with arrows in place of movements."""
        self._paint(painter, rect, number, 1.0, still=True)

    def _paint(self, painter: QPainter, rect: QRectF, number: int, progress: float, *, still: bool) -> None:
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(rect, self.theme.surface)
        size = min(rect.width() / WIDTH, rect.height() / HEIGHT)
        painter.translate(
            rect.left() + (rect.width() - WIDTH * size) / 2, rect.top() + (rect.height() - HEIGHT * size) / 2
        )
        painter.scale(size, size)
        self.beats[number].paint(WalkCanvas(painter, self.theme, still=still), progress)
        painter.restore()


def walk_of(
    evaluation: Evaluation,
    batch: int,
    head: int,
    stage: str,
    cell: tuple[int, int],
    style: PageStyle | None = None,
    *,
    pour: bool = True,
    cover: Evaluation | None = None,
) -> Walk:
    """Return the walk to a cell of a stage, (row, column) as its map shows it.

    A walk to a weight goes on to the first column of what the weights bring, unless `pour` is False. Of a difference or
    a gradient it is the walk of the state itself. It ends before the first beat that gives a number of a `cover` away,
    and may have no beats then. Raises StageError (a KeyError) or PlaceError (an IndexError) for what is not there.
    """
    evaluation = evaluation.behind if evaluation.kind else evaluation
    context = WalkContext(evaluation, batch, head, style or PageStyle(), cover)
    index = stage_plane(evaluation, stage, batch, head).index(*cell)
    beats = beats_of(context, stage, index)
    mixed = evaluation.part(Role.MIX)
    if pour and mixed is not None and evaluation.node(stage).stage.role is Role.WEIGHT:
        place = (*index[:3], 0)
        touched = context.explain(mixed, place).by_hand
        beats.append(PourBeat(context, computed_name(mixed) if touched else mixed, place, index[-1]))
    if len(beats) > MANY:
        for beat in beats:
            beat.seconds = beat.hurried or beat.seconds
    context.printed.settle()
    if cover is not None:
        beats = list(takewhile(lambda beat: not cover.gives_away(beat.stage, beat.index), beats))
    return Walk(context, stage, index, beats)
