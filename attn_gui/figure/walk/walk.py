"""A walk through one cell: its beats in time, and the picture of any moment."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate, takewhile

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from attn_gui.engine import Evaluation
from attn_gui.engine.graph.stage import Role
from attn_gui.engine.graph.symbols_and_titles import cell_symbol, computed_name
from attn_gui.figure.design_tokens import Theme
from attn_gui.figure.pages.page_kind import PageStyle
from attn_gui.figure.stage_formulas import stage_plane
from attn_gui.figure.text.rich_text import escaped, lowered, runs, strong
from attn_gui.figure.walk.beat import Beat
from attn_gui.figure.walk.beats_of_stages import beats_of
from attn_gui.figure.walk.sum_beats import PourBeat
from attn_gui.figure.walk.walk_canvas import HEIGHT, WIDTH, WalkCanvas
from attn_gui.figure.walk.walk_context import Index, WalkContext
from attn_gui.languages import N_

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
