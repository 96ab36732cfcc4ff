"""Page of meaning: how alike tokens are before attention and after it, as cosines between them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from PySide6.QtGui import QPainter

from attn_gui.engine import Evaluation, Problem
from attn_gui.engine.analysis.relations import cosines, mean_of_others
from attn_gui.engine.graph.nodes import symbol
from attn_gui.engine.graph.stage import Role
from attn_gui.engine.progress import Tell
from attn_gui.figure.display import Levels, Values
from attn_gui.figure.pages.aim import Aim
from attn_gui.figure.pages.frame import body_width, framed
from attn_gui.figure.pages.ink import Ink
from attn_gui.figure.pages.knobs import Choice
from attn_gui.figure.pages.knobs import Values as Chosen
from attn_gui.figure.pages.map_grid import MapGrid, PageMap, token_of
from attn_gui.figure.pages.page_drawing import Cell, Drawing, Spot
from attn_gui.figure.pages.page_kind import PageKind
from attn_gui.figure.text.numbers import format_number
from attn_gui.figure.text.page_words import Words, page_words
from attn_gui.formats.file_sentences import QT_TRANSLATE_NOOP

MOST_TOKENS = 128
"""Tokens that are compared; of more, those round the chosen one."""
NEAREST = 3

LAYER = page_words(QT_TRANSLATE_NOOP("Pages", "X and the output of the layer"))
HEAD = page_words(QT_TRANSLATE_NOOP("Pages", "V and the result of the head"))


def _offers(aim: Aim, values: Chosen) -> Mapping[str, Words]:
    """X is compared where there is one; of Q, K and V that are given the values of a head and what is made of them."""
    return {"layer": LAYER, "head": HEAD} if aim.problem.projected else {"head": HEAD}


@dataclass(frozen=True, eq=False)
class Meanings:
    """Cosines between the same tokens before and after, the names of both matrices, and the chosen token."""

    before: Values
    after: Values
    names: tuple[str, str]
    stages: tuple[str, str]
    tokens: tuple[str, ...] | None
    first: int
    count: int
    chosen: int | None
    head: int | None

    def nearest(self, cells: Values) -> list[int]:
        """The tokens most like the chosen one, most alike first, without itself."""
        assert self.chosen is not None
        row = np.nan_to_num(cells[self.chosen - self.first], nan=-2.0)
        order = [int(place) + self.first for place in np.argsort(-row, kind="stable")]
        return [place for place in order if place != self.chosen][:NEAREST]

    def cosine(self, cells: Values, place: int) -> str:
        """The cosine of the chosen token with another one."""
        assert self.chosen is not None
        return format_number(float(cells[self.chosen - self.first, place - self.first]), 2)


class MeaningPage(PageKind[Meanings]):
    """Shows that the same words are other vectors once they have looked at one another."""

    name = "meaning"
    title = QT_TRANSLATE_NOOP("Pages", "Meaning before and after")
    roles = (Role.MIX,)
    words = "cosine similarity embedding context aware nearest 余弦 相似度 词嵌入 上下文 语义"
    needs = QT_TRANSLATE_NOOP("Pages", "Needs self-attention: every query is a key, too")
    knobs = (Choice("of", QT_TRANSLATE_NOOP("Pages", "compared"), _offers),)

    def applies(self, problem: Problem) -> bool:
        return problem.n == problem.m and problem.context is None

    def read(self, evaluation: Evaluation, aim: Aim, tell: Tell) -> Meanings:
        count, head = evaluation.problem.n, aim.head
        chosen = aim.query(evaluation)
        chosen = aim.key(evaluation) if chosen is None else chosen
        first = min(max((chosen or 0) - MOST_TOKENS // 2, 0), max(count - MOST_TOKENS, 0))
        rows = slice(first, min(first + MOST_TOKENS, count))
        layer = aim.knobs["of"] == "layer"
        last = evaluation.stages[-1]
        before, after = ("x", last) if layer else (evaluation.latest("value"), evaluation.mixed)
        found = [_rows(evaluation, name, aim.batch, None if layer else head, rows) for name in (before, after)]
        tell(0.5)
        stages = (evaluation.joined if layer else before), after
        tokens = evaluation.problem.names_of_keys
        shown = tokens[rows] if tokens else None
        maps = [cosines(each) for each in found]
        tell(1.0)
        names = symbol(before), symbol(after)
        return Meanings(maps[0], maps[1], names, stages, shown, first, count, chosen, None if layer else head)

    def plan(self, content: Meanings, ink: Ink, width: float | None, height: float | None) -> Drawing:
        return _Layout(content, ink, width, height).drawing(ink.translate("Pages", self.title))


def _rows(evaluation: Evaluation, name: str, batch: int, head: int | None, rows: slice) -> Values:
    """Rows of X, or of a stage, with all their columns or those of a head."""
    whole = slice(0, None)
    if name in evaluation.stages:
        found = evaluation.block(name, batch, head, rows, whole)
    else:
        found = evaluation.field_block(name, batch, rows, whole)
    return np.asarray(found, dtype=np.float64)


class _Layout:
    """Before, after, and the difference of both."""

    def __init__(self, shown: Meanings, ink: Ink, width: float | None, height: float | None) -> None:
        self.shown, self.ink = shown, ink
        maps = self._maps()
        head = f" · {ink.words.head.format(shown.head)}" if shown.head is not None else ""
        self.frame = framed(
            ink,
            width,
            height,
            title=ink.translate("Pages", MeaningPage.title) + head,
            subtitle=ink.translate("Pages", "Cosine between tokens: 1 is the same direction, 0 nothing in common"),
            note=self._note(),
            tall=lambda across: MapGrid.own_height(across, maps),
            least=(200.0, MapGrid.least_height(body_width(width), maps)),
        )
        self.grid = MapGrid(self.frame.body, maps, ink)

    def drawing(self, title: str) -> Drawing:
        """The page; a click chooses the token of the row."""
        frame = self.frame
        said = f"{frame.title}. {frame.subtitle}. {self._note()}"
        return Drawing(frame.width, frame.height, title, said, self._paint, self.grid.fields(self._spot))

    def _maps(self) -> list[PageMap]:
        shown, translate = self.shown, self.ink.translate
        with np.errstate(invalid="ignore"):
            apart = shown.after - shown.before
        titles = (
            translate("Pages", "before: {name}").format(name=shown.names[0]),
            translate("Pages", "after: {name}").format(name=shown.names[1]),
            translate("Pages", "after − before"),
        )
        chosen = None if shown.chosen is None else (shown.chosen - shown.first, -1)
        axes = (translate("Pages", "token"),) * 2
        return [
            PageMap(title, cells, Levels(-most, most), axes=axes, tokens=shown.tokens, chosen=chosen)
            for title, cells, most in zip(titles, (shown.before, shown.after, apart), (1.0, 1.0, 2.0), strict=True)
        ]

    def _note(self) -> str:
        shown, translate = self.shown, self.ink.translate
        text = translate("Pages", "Mean cosine of two different tokens: {before} before, {after} after.")
        means = (format_number(mean_of_others(cells), 3) for cells in (shown.before, shown.after))
        said = text.format(**dict(zip(("before", "after"), means, strict=True)))
        if shown.chosen is not None and len(shown.before) > 1:
            more = translate("Pages", "Most like “{token}” before: {before}; after: {after}.")
            near = (self._told(cells) for cells in (shown.before, shown.after))
            pairs = dict(zip(("before", "after"), near, strict=True))
            said += " " + more.format(token=self._token(shown.chosen), **pairs)
        if len(shown.before) < shown.count:
            more = translate("Pages", "Tokens {first} to {last} of {count}.")
            last = shown.first + len(shown.before) - 1
            said += " " + more.format(first=shown.first, last=last, count=shown.count)
        return said

    def _told(self, cells: Values) -> str:
        nearest = self.shown.nearest(cells)
        return ", ".join(f"{self._token(place)} {self.shown.cosine(cells, place)}" for place in nearest)

    def _token(self, place: int) -> str:
        tokens = self.shown.tokens
        return token_of(tokens, place - self.shown.first) if tokens else str(place)

    def _spot(self, number: int, row: int, column: int) -> Spot:
        one, first = self.grid.maps[number], self.shown.first
        value = format_number(float(one.values[row, column]), 4)
        text = f"{one.title}: cos({self._token(row + first)}, {self._token(column + first)}) = {value}"
        return Spot(text, Cell(self.shown.stages[1], row + first, 0))

    def _paint(self, painter: QPainter) -> None:
        self.frame.paint(painter)
        self.grid.paint(painter)
