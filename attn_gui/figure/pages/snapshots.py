"""Page “Snapshots side by side”: up to nine states, or two and their difference."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from math import ceil

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter

from attn_gui.engine import STAGE, Evaluation
from attn_gui.engine.arrays import Progress, within
from attn_gui.engine.errors import ShapeError, StageError
from attn_gui.engine.evaluation.proxies import Difference, stand_in
from attn_gui.engine.evaluation.trace import evaluation_of
from attn_gui.engine.graph.symbols_and_titles import symbol, title
from attn_gui.figure.colors import Allowed, Levels, Values, auto_levels
from attn_gui.figure.design_tokens import FONT_SIZE, SPACING
from attn_gui.figure.heatmap import MapFigure, pooled_map, snapped
from attn_gui.figure.heatmap_layout import fitting_numbers, paint_bar, paint_panel
from attn_gui.figure.pages.page_charts import cells_figure
from attn_gui.figure.pages.page_kind import (
    CellBlock,
    ChoiceOption,
    Chosen,
    PageCell,
    PageContext,
    PageDrawing,
    PageKind,
    PageLayout,
    PageSpot,
    PageStyle,
    Sides,
    SpotGrid,
    metrics,
    with_frame,
)
from attn_gui.figure.stage_formulas import stage_plane
from attn_gui.figure.text.figure_words import Words, joined, page_words
from attn_gui.figure.text.number_formats import format_number
from attn_gui.figure.text.rich_text import write_symbols
from attn_gui.figure.writers import MIDDLE
from attn_gui.formats.snapshots import Snapshot
from attn_gui.formats.untrusted_bytes import visible_text
from attn_gui.languages import N_
from attn_gui.modes import NOW

COLUMNS = {1: 1, 2: 2, 3: 3, 4: 2}
MOST_COLUMNS = 3
FLATTEST, TALLEST = 0.3, 1.25
LEAST = 60.0
"""Of a map, by side."""
BAR, BAR_WIDTH = 9.0, 160.0


@dataclass(frozen=True, eq=False)
class StateMap:
    """A map of one state, in blocks, and the shape that it has in full; `words` say which state."""

    words: Words
    values: Values
    allowed: Allowed | None
    shape: tuple[int, int]


@dataclass(frozen=True, eq=False)
class StateMaps:
    """Maps of a stage in several states; of two `difference` is the second less the first. `missing` names states that
    have no such map, `apart` says that two cannot be subtracted."""

    stage: str
    head: int
    heads: int
    maps: tuple[StateMap, ...]
    difference: StateMap | None
    missing: tuple[Words, ...]
    signed: bool
    alone: bool
    apart: bool


class StatesLayout(PageLayout):
    """Places of the maps, their names and the color bars."""

    def __init__(self, states: StateMaps, style: PageStyle, size: Sides) -> None:
        self.states, self.style = states, style
        self.shown = [*states.maps, *([states.difference] if states.difference else [])]
        self.columns = COLUMNS.get(len(self.shown), MOST_COLUMNS)
        self.rows = max(1, ceil(len(self.shown) / self.columns))
        self.caption = metrics("small").height() + SPACING.xs
        self.foot = SPACING.l + BAR + SPACING.s + metrics("micro").height()
        shapes = [each.shape for each in self.shown] or [(1, 1)]
        self.tall: float = min(max(max(rows / columns for rows, columns in shapes), FLATTEST), TALLEST)
        self.frame = with_frame(
            style,
            size,
            title=style.translate("Pages", "Snapshots: {stage}").format(stage=title(states.stage, style.lang)),
            subtitle=style.words.head.format(states.head) if states.heads > 1 else "",
            note=" ".join(self._notes()),
            tall=lambda across: self.rows * self._pitch(self._own_width(across)) - SPACING.l + self.foot,
            least=(self.columns * LEAST, self.rows * (LEAST * FLATTEST + self.caption) + self.foot),
        )
        body = self.frame.body
        high = (body.height() - self.foot + SPACING.l) / self.rows - self.caption - SPACING.l
        self.map_width = min(self._own_width(body.width()), high / self.tall)

    def _own_width(self, across: float) -> float:
        return (across - (self.columns - 1) * SPACING.xl) / self.columns

    def _pitch(self, width: float) -> float:
        return width * self.tall + self.caption + SPACING.l

    def _notes(self) -> list[str]:
        """Return sentences at the foot."""
        states, translate = self.states, self.style.translate
        found = []
        if states.alone:
            found.append(translate("Pages", "There is no snapshot yet: “Take snapshot” keeps the present state."))
        if states.missing:
            names = ", ".join(joined(words, self.style.translate) for words in states.missing)
            found.append(translate("Pages", "Without this map: {names}.").format(names=names))
        if states.apart:
            found.append(translate("Pages", "The two have different shapes: there is no difference."))
        return found

    # --- places ----------------------------------------------------------------------------------
    @cached_property
    def places(self) -> list[QRectF]:
        """The rectangles of the maps, row by row."""
        body, width = self.frame.body, self.map_width
        pitch = self._pitch(width)
        across = width + SPACING.xl
        return [
            QRectF(
                body.left() + number % self.columns * across,
                body.top() + number // self.columns * pitch + self.caption,
                width,
                width * min(max(each.shape[0] / each.shape[1], FLATTEST), self.tall),
            )
            for number, each in enumerate(self.shown)
        ]

    def said(self) -> str:
        names = "; ".join(map(self._name, self.shown))
        return f"{self.frame.title}. {names}. {' '.join(self._notes())}".strip()

    def fields(self) -> tuple[SpotGrid, ...]:
        """Return the maps: a click on one chooses the cell."""
        return tuple(
            SpotGrid(place, partial(self._spot, each), *each.values.shape)
            for place, each in zip(self.places, self.shown, strict=True)
        )

    def _name(self, each: StateMap) -> str:
        if each is self.states.difference:
            first, second = (joined(state.words, self.style.translate) for state in self.states.maps)
            return visible_text(f"{second} − {first}")
        return visible_text(joined(each.words, self.style.translate))

    def _spot(self, each: StateMap, row: int, column: int) -> PageSpot:
        """Return a cell, or the block of cells round it."""
        block = CellBlock.at((row, column), each.values.shape, each.shape)
        number = block.number_words(format_number(float(each.values[row, column]), 4), self.style)
        words = f"{self._name(each)}: {symbol(self.states.stage)}[{block.places}] = {number}"
        return PageSpot(words, PageCell(self.states.stage, *block.first))

    # --- painting --------------------------------------------------------------------------------
    def paint_body(self, painter: QPainter) -> None:
        theme, body = self.style.theme, self.frame.body
        for place, each in zip(self.places, self.shown, strict=True):
            figure = self._figure(each)
            rows, columns = each.values.shape
            numbers = fitting_numbers(figure, place.width() / columns, place.height() / rows)
            paint_panel(painter, snapped(painter, place), figure, 0, numbers)
            at, name = QPointF(place.center().x(), place.top() - SPACING.s), self._name(each)
            write_symbols(painter, at, name, theme.text2, FONT_SIZE.small, place.width(), anchor=MIDDLE)
        if not self.shown:
            return
        top = max(place.bottom() for place in self.places) + SPACING.l
        width = min(BAR_WIDTH, self.map_width)
        paint_bar(painter, self._figure(self.shown[0]), snapped(painter, QRectF(body.left(), top, width, BAR)))
        if self.states.difference is not None:
            left = self.places[-1].left()
            bar = QRectF(left, top, min(BAR_WIDTH, self.map_width), BAR)
            paint_bar(painter, self._figure(self.shown[-1]), snapped(painter, bar))

    @cached_property
    def _levels(self) -> Levels:
        """The widest levels of all states: common to them."""
        signed = self.states.signed
        found = [auto_levels(one.values, one.allowed, signed=signed, keys=one.shape[1]) for one in self.states.maps]
        return max(found, key=lambda each: each.high)

    def _figure(self, each: StateMap) -> MapFigure:
        apart = each is self.states.difference
        signed = apart or self.states.signed
        levels = auto_levels(each.values, each.allowed, signed=True, keys=each.shape[1]) if apart else self._levels
        return cells_figure(self.style, each.values, each.allowed, levels, signed=signed)


# --- page -----------------------------------------------------------------------------------------
MOST = 9
"""States on one sheet."""
SIDE = 192
"""Blocks of a map at most, by side."""
SEVERAL, PAIR = "several", "pair"
SHOWN = {SEVERAL: page_words(N_("Pages", "up to nine")), PAIR: page_words(N_("Pages", "two, and their difference"))}
NOW_WORDS = N_("Pages", "now")


def _named(context: PageContext) -> dict[str, Snapshot | None]:
    """Return the states by their keys, the oldest first; the present one is the last, under a key that no snapshot
    has."""
    kept, now = {each.name: each for each in context.states}, NOW
    while now in kept:
        now += "*"
    return {**kept, now: None}


def _words(key: str, snapshot: Snapshot | None) -> Words:
    return page_words(NOW_WORDS) if snapshot is None else (("", key),)


def _choices(context: PageContext, _values: Chosen) -> Mapping[str, Words]:
    return {key: _words(key, snapshot) for key, snapshot in _named(context).items()}


def _latest(context: PageContext, _values: Chosen) -> Mapping[str, Words]:
    return {key: _words(key, snapshot) for key, snapshot in reversed(_named(context).items())}


class StatesPage(PageKind[StateMaps]):
    """Shows the stage on show, of the head on show, in states that were kept."""

    name = "side_by_side"
    title = N_("Pages", "Snapshots side by side")
    quick = 0
    words = "small multiples compare states versions sheet difference 快照 并排 对比 状态 小图"
    options = (
        ChoiceOption(
            "shown",
            N_("Pages", "shown"),
            N_("Pages", "Up to nine states side by side, or two and what changed between them"),
            SHOWN,
        ),
        ChoiceOption(
            "first",
            N_("Pages", "from"),
            N_("Pages", "The first state that is shown; of two the one that is subtracted"),
            _choices,
        ),
        ChoiceOption(
            "second",
            N_("Pages", "to"),
            N_("Pages", "The last state that is shown; of two the one that the other is subtracted from"),
            _latest,
        ),
    )

    def read(self, evaluation: Evaluation, context: PageContext, progress: Progress) -> StateMaps:
        keys, named = _asked_for(context), _named(context)
        maps: list[StateMap] = []
        missing: list[Words] = []
        kept: list[Evaluation] = []
        pair = context.options["shown"] == PAIR
        for number, key in enumerate(keys):
            snapshot = named[key]
            state = evaluation if snapshot is None else evaluation_of(snapshot.problem())
            words = _words(key, snapshot)
            found = _map(words, state, context, within(progress, number, len(keys) + pair))
            maps += [] if found is None else [found]
            missing += [words] if found is None else []
            kept += [state] if pair else []
        both = pair and len(maps) == 2
        difference = None
        if both and maps[0].shape == maps[1].shape:
            difference = _difference(kept[0], kept[1], context, within(progress, len(keys), len(keys) + 1))
        plane = stage_plane(evaluation, stand_in(evaluation, context.stage), context.batch, context.head)
        return StateMaps(
            context.stage,
            context.head,
            1 if plane.head is None else evaluation.problem.num_heads,
            tuple(maps),
            difference,
            tuple(missing),
            plane.signed,
            alone=not context.states,
            apart=both and difference is None,
        )

    def plan(self, content: StateMaps, style: PageStyle, size: Sides) -> PageDrawing:
        return StatesLayout(content, style, size).drawing()


def _asked_for(context: PageContext) -> list[str]:
    """Return the keys of the states to show, in order."""
    keys, first, second = list(_named(context)), context.options["first"], context.options["second"]
    if context.options["shown"] == PAIR:
        return list(dict.fromkeys((first, second)))
    low, high = sorted((keys.index(first), keys.index(second)))
    return keys[low : high + 1] if high - low < MOST else [*keys[low : low + MOST - 1], keys[high]]


def _map(words: Words, state: Evaluation, context: PageContext, progress: Progress) -> StateMap | None:
    """Return the map of one state; None where it has none."""
    problem = state.problem
    if context.batch >= problem.batch_size:
        return None
    try:
        plane = stage_plane(state, stand_in(state, context.stage), context.batch, context.head)
    except StageError:
        return None
    if plane.head is not None and plane.head >= problem.num_heads:
        return None
    return StateMap(words, *pooled_map(plane, SIDE, progress), plane.shape)


def _difference(before: Evaluation, after: Evaluation, context: PageContext, progress: Progress) -> StateMap | None:
    """Return the second of two states that have the map less the first; None where the shapes of the stage differ."""
    shown = max((stand_in(state, context.stage) for state in (before, after)), key=list(STAGE).index)
    try:
        plane = stage_plane(Difference(before, after), shown, context.batch, context.head)
    except ShapeError:
        return None
    return StateMap((), *pooled_map(plane, SIDE, progress), plane.shape)
