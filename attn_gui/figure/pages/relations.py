"""Pages “Relations between tokens” (lines for the largest weights) and “Meaning before and after” (cosines)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from attn_gui.engine import Evaluation, Problem
from attn_gui.engine.analysis.head_readings import Relation, cosines, largest_weights, mean_of_others
from attn_gui.engine.arrays import Progress
from attn_gui.engine.graph.stage import Role
from attn_gui.engine.graph.symbols_and_titles import symbol
from attn_gui.figure.colors import Levels, Values, even_color
from attn_gui.figure.design_tokens import FONT_SIZE, SPACING
from attn_gui.figure.pages.page_charts import MapsLayout, PageMap, token_and_place, token_of
from attn_gui.figure.pages.page_kind import (
    ChoiceOption,
    Chosen,
    NumberOption,
    PageCell,
    PageContext,
    PageKind,
    PageLayout,
    PageSpot,
    PageStyle,
    Sides,
    SpotGrid,
    body_width,
    metrics,
    with_frame,
)
from attn_gui.figure.text.number_formats import format_number
from attn_gui.figure.text.rich_text import elided
from attn_gui.figure.writers import END, write_line
from attn_gui.formats.array_rows import stage_labels
from attn_gui.languages import N_, Words, page_words

# --- similarity before and after ------------------------------------------------------------------
MOST_ALIKE = 128
"""Tokens that are compared; of more, those round the chosen one."""
NEAREST = 3

LAYER = page_words(N_("Pages", "X and the output of the layer"))
HEAD = page_words(N_("Pages", "V and the result of the head"))


def _offers(context: PageContext, values: Chosen) -> Mapping[str, Words]:
    """Return what can be compared: X where there is one; of Q, K and V that are given the values of a head and what is
    made of them."""
    return {"layer": LAYER, "head": HEAD} if context.problem.projected else {"head": HEAD}


@dataclass(frozen=True, eq=False)
class TokenCosines:
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
        """Return the tokens most like the chosen one, most alike first, without itself."""
        assert self.chosen is not None
        row = np.nan_to_num(cells[self.chosen - self.first], nan=-2.0)
        order = [int(place) + self.first for place in np.argsort(-row, kind="stable")]
        return [place for place in order if place != self.chosen][:NEAREST]

    def cosine(self, cells: Values, place: int) -> str:
        """Return the cosine of the chosen token with another one."""
        assert self.chosen is not None
        return format_number(float(cells[self.chosen - self.first, place - self.first]), 2)


def _rows(evaluation: Evaluation, name: str, batch: int, head: int | None, rows: slice) -> Values:
    """Return rows of X, or of a stage, with all their columns or those of a head."""
    whole = slice(0, None)
    if name in evaluation.stages:
        found = evaluation.block(name, batch, head, rows, whole)
    else:
        found = evaluation.field_block(name, batch, rows, whole)
    return np.asarray(found, dtype=np.float64)


class SimilarityLayout(MapsLayout):
    """Before, after, and the difference of both."""

    def __init__(self, shown: TokenCosines, style: PageStyle, size: Sides) -> None:
        self.shown, self.style = shown, style
        head = f" · {style.words.head.format(shown.head)}" if shown.head is not None else ""
        super().__init__(
            style,
            size,
            self._maps(),
            title=style.translate("Pages", MeaningPage.title) + head,
            subtitle=style.translate("Pages", "Cosine between tokens: 1 is the same direction, 0 nothing in common"),
            note=self._sentences(),
            least_width=200.0,
        )

    def _maps(self) -> list[PageMap]:
        shown, translate = self.shown, self.style.translate
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

    def _sentences(self) -> str:
        shown, translate = self.shown, self.style.translate
        text = translate("Pages", "Mean cosine of two different tokens: {before} before, {after} after.")
        means = (format_number(mean_of_others(cells), 3) for cells in (shown.before, shown.after))
        said = text.format(**dict(zip(("before", "after"), means, strict=True)))
        if shown.chosen is not None and len(shown.before) > 1:
            more = translate("Pages", "Most like “{token}” before: {before}; after: {after}.")
            near = (self._words(cells) for cells in (shown.before, shown.after))
            pairs = dict(zip(("before", "after"), near, strict=True))
            said += " " + more.format(token=self._token(shown.chosen), **pairs)
        if len(shown.before) < shown.count:
            more = translate("Pages", "Tokens {first} to {last} of {count}.")
            last = shown.first + len(shown.before) - 1
            said += " " + more.format(first=shown.first, last=last, count=shown.count)
        return said

    def _words(self, cells: Values) -> str:
        nearest = self.shown.nearest(cells)
        return ", ".join(f"“{self._token(place)}” {self.shown.cosine(cells, place)}" for place in nearest)

    def _token(self, place: int) -> str:
        tokens = self.shown.tokens
        return token_of(tokens, place - self.shown.first) if tokens else str(place)

    def spot(self, number: int, row: int, column: int) -> PageSpot:
        """Return the cosine in words; a click chooses the token of the row."""
        one, first = self.maps[number], self.shown.first
        value = format_number(float(one.values[row, column]), 4)
        text = f"{one.title}: cos({self._token(row + first)}, {self._token(column + first)}) = {value}"
        return PageSpot(text, PageCell(self.shown.stages[1], row + first, 0))


class MeaningPage(PageKind[TokenCosines]):
    """Shows that the same words are other vectors once they have looked at one another."""

    name = "meaning"
    title = N_("Pages", "Meaning before and after")
    layout = SimilarityLayout
    roles = (Role.MIX,)
    words = "cosine similarity embedding context aware nearest 余弦 相似度 词嵌入 上下文 语义"
    needs = N_("Pages", "Needs self-attention: every query is a key, too")
    options = (
        ChoiceOption(
            "of",
            N_("Pages", "compared"),
            N_("Pages", "Which vectors of the tokens are compared by their cosines, before and after attention"),
            _offers,
        ),
    )

    def applies(self, problem: Problem) -> bool:
        return problem.n == problem.m and problem.context is None

    def read(self, evaluation: Evaluation, context: PageContext, progress: Progress) -> TokenCosines:
        count, head = evaluation.problem.n, context.head
        chosen = context.query(evaluation)
        chosen = context.key(evaluation) if chosen is None else chosen
        first = min(max((chosen or 0) - MOST_ALIKE // 2, 0), max(count - MOST_ALIKE, 0))
        rows = slice(first, min(first + MOST_ALIKE, count))
        layer = context.options["of"] == "layer"
        last = evaluation.stages[-1]
        before, after = ("x", last) if layer else (evaluation.latest["value"], evaluation.mixed)
        found = [_rows(evaluation, name, context.batch, None if layer else head, rows) for name in (before, after)]
        progress(0.5)
        stages = (evaluation.joined if layer else before), after
        tokens = evaluation.problem.names_of_keys
        shown = tokens[rows] if tokens else None
        maps = [cosines(each) for each in found]
        progress(1.0)
        names = symbol(before), symbol(after)
        return TokenCosines(maps[0], maps[1], names, stages, shown, first, count, chosen, None if layer else head)


MOST_TOKENS = 40
"""Tokens of a column; of more, those round the chosen query, and the keys that they look at most."""
LEAST, USUAL = 0.1, 3
"""Of a weight that has a line, and how many lines a query has in a head."""
ROW, LEAST_ROW, MOST_ROW = 17.0, 10.0, 24.0
GAP, TOKEN, CHIP = 0.4, 0.3, 12.0
"""Shares of the width that the lines and each of the columns have; the side of a mark in the key of colors."""
THINNEST, THICKER = 0.7, 2.3
FAINTEST, FADED = 0.25, 0.18
"""Opacity of the smallest weight, and of all that is not of the chosen query, as a share of its own."""
SHARE = 0.55
"""Of a row's height that the lines of all heads are spread over where they end."""
LIGHTNESS, CHROMA, TURN = {"light": 0.52, "dark": 0.78}, 0.14, 0.381966
HEADS = {"all": page_words(N_("Pages", "all heads")), "shown": page_words(N_("Pages", "the head on show"))}


@dataclass(frozen=True, eq=False)
class RelationLines:
    """Lines between some queries and some keys, their tokens, and of what they are the largest."""

    lines: tuple[Relation, ...]
    queries: range
    keys: tuple[int, ...]
    tokens: tuple[tuple[str, ...] | None, tuple[str, ...] | None]
    heads: tuple[int, ...]
    all_heads: int
    head: int
    counts: tuple[int, int]
    chosen: tuple[int | None, int | None]
    carried: float
    stage: str


def _keys(lines: Sequence[Relation], count: int) -> tuple[int, ...]:
    """Return all keys, or of many those with the largest weights in sum, in their order."""
    if count <= MOST_TOKENS:
        return tuple(range(count))
    totals: dict[int, float] = {}
    for line in lines:
        totals[line.key] = totals.get(line.key, 0.0) + line.weight
    return tuple(sorted(sorted(totals, key=lambda key: (-totals[key], key))[:MOST_TOKENS])) or tuple(range(MOST_TOKENS))


class LinesLayout(PageLayout):
    """Queries to the left, keys to the right, the colors of the heads below."""

    def __init__(self, shown: RelationLines, style: PageStyle, size: Sides) -> None:
        self.shown, self.style = shown, style
        self.top = metrics("small").height() + SPACING.s
        self.several = len(shown.heads) > 1
        rows = max(len(shown.queries), len(shown.keys))
        self.frame = with_frame(
            style,
            size,
            title=self._title(),
            subtitle=self._subtitle(),
            note=self._note(),
            tall=lambda across: self.top + rows * ROW + self._foot(across),
            least=(220.0, self.top + rows * LEAST_ROW + self._foot(body_width(size))),
        )
        body = self.frame.body
        self.row = min((body.height() - self.top - self._foot(body.width())) / rows, MOST_ROW)
        self.left = QRectF(body.left(), body.top() + self.top, body.width() * TOKEN, len(shown.queries) * self.row)
        across = body.width() * GAP
        self.right = QRectF(self.left.right() + across, self.left.top(), self.left.width(), len(shown.keys) * self.row)

    def said(self) -> str:
        return f"{self.frame.title}. {self.frame.subtitle}. {self._note()}"

    def fields(self) -> tuple[SpotGrid, ...]:
        """Return both columns and the key of colors: a token leads to its largest weight, a color to the head."""
        shown = self.shown
        fields = [
            SpotGrid(self.left, lambda row, _: self._query_spot(shown.queries[row]), len(shown.queries)),
            SpotGrid(self.right, lambda row, _: self._key_spot(shown.keys[row]), len(shown.keys)),
        ]
        if self.several:
            fields += [SpotGrid(place, partial(self._head_spot, head)) for head, place in self._chips()]
        return tuple(fields)

    # --- words -----------------------------------------------------------------------------------
    def _title(self) -> str:
        shown, title = self.shown, self.style.translate("Pages", RelationsPage.title)
        alone = shown.all_heads > 1 and not self.several
        return f"{title} · {self.style.words.head.format(shown.heads[0])}" if alone else title

    def _subtitle(self) -> str:
        query = self.shown.chosen[0]
        if query is None:
            return self.style.translate("Pages", "Every query on the left looks at keys on the right")
        text = self.style.translate("Pages", "“{token}” (query {query}) looks at the keys on the right")
        return text.format(token=token_of(self.shown.tokens[0], query), query=query)

    def _note(self) -> str:
        shown = self.shown
        text = self.style.translate("Pages", "The {lines} lines carry {percent} % of the weight of the queries shown.")
        said = text.format(lines=len(shown.lines), percent=f"{100 * shown.carried:.0f}")
        if len(shown.queries) < shown.counts[0]:
            more = self.style.translate("Pages", "Queries {first} to {last} of {count}.")
            last = shown.queries.stop - 1
            said += " " + more.format(first=shown.queries.start, last=last, count=shown.counts[0])
        if len(shown.keys) < shown.counts[1]:
            led = self.style.translate("Pages", "Of {count} keys the {kept} that these lines lead to most.")
            more = led if shown.lines else self.style.translate("Pages", "The first {kept} of {count} keys.")
            said += " " + more.format(count=shown.counts[1], kept=len(shown.keys))
        return said

    def _name(self, side: int, place: int) -> str:
        return token_and_place(self.shown.tokens[side], place)

    def _query_spot(self, query: int) -> PageSpot:
        mine = [line for line in self.shown.lines if line.query == query]
        mine.sort(key=lambda line: -line.weight)
        words = f"{self.style.words.axes['query']} {self._name(0, query)}"
        key = mine[0].key if mine else 0
        weights = ", ".join(f"{self._name(1, line.key)} {line.weight:.3f}{self._of(line.head)}" for line in mine[:5])
        return PageSpot(
            f"{words} → {weights}" if mine else words, self._cell(query, key, mine[0].head if mine else None)
        )

    def _key_spot(self, key: int) -> PageSpot:
        mine = [line for line in self.shown.lines if line.key == key]
        mine.sort(key=lambda line: (line.query != self.shown.chosen[0], -line.weight))
        words = f"{self.style.words.axes['key']} {self._name(1, key)}"
        weights = ", ".join(f"{self._name(0, line.query)} {line.weight:.3f}{self._of(line.head)}" for line in mine[:5])
        if not mine:
            return PageSpot(words, self._cell(self.shown.chosen[0] or self.shown.queries.start, key, None))
        return PageSpot(f"{words} ← {weights}", self._cell(mine[0].query, key, mine[0].head))

    def _head_spot(self, head: int, *_: int) -> PageSpot:
        query, key = self.shown.chosen
        return PageSpot(self.style.words.head.format(head), self._cell(query or 0, key or 0, head))

    def _of(self, head: int) -> str:
        return f" ({self.style.words.head.format(head)})" if self.several else ""

    def _cell(self, query: int, key: int, head: int | None) -> PageCell:
        return PageCell(self.shown.stage, query, key, head)

    # --- places ----------------------------------------------------------------------------------
    def _foot(self, across: float) -> float:
        """Return the height of the key of colors."""
        if not self.several:
            return 0.0
        lines = -(-len(self.shown.heads) // max(1, int(across / self._chip_width())))
        return SPACING.l + lines * (metrics("small").height() + SPACING.xs)

    def _chip_width(self) -> float:
        words = self.style.words.head.format(max(self.shown.heads))
        return CHIP + SPACING.s + metrics("small").horizontalAdvance(words) * 1.1 + SPACING.l

    def _chips(self) -> list[tuple[int, QRectF]]:
        """Return (head, rectangle) of the key of colors."""
        body, width, height = self.frame.body, self._chip_width(), metrics("small").height() + SPACING.xs
        count = max(1, int(body.width() / width))
        top = max(self.left.bottom(), self.right.bottom()) + SPACING.l
        return [
            (head, QRectF(body.left() + number % count * width, top + number // count * height, width, height))
            for number, head in enumerate(self.shown.heads)
        ]

    def _end(self, column: QRectF, row: int, head: int) -> float:
        """Return the height at which a head's lines end at a token, a little apart from those of other heads."""
        heads = self.shown.heads
        apart = (heads.index(head) - (len(heads) - 1) / 2) / len(heads) * SHARE * self.row
        return column.top() + (row + 0.5) * self.row + apart

    def _color(self, head: int) -> QColor:
        theme = self.style.theme
        if not self.several:
            return QColor(theme.accent)
        return even_color(0.7 + head * TURN, LIGHTNESS[theme.name], CHROMA)

    # --- painting --------------------------------------------------------------------------------
    def paint_body(self, painter: QPainter) -> None:
        self._paint_lines(painter)
        self._paint_tokens(painter)
        for head, place in self._chips() if self.several else ():
            mark = QRectF(place.left(), place.center().y() - 2, CHIP, 4)
            painter.fillRect(mark, self._color(head))
            at = QPointF(mark.right() + SPACING.s, place.center().y() + metrics("small").capHeight() / 2)
            strong = head == self.shown.head
            color = self.style.theme.text if strong else self.style.theme.text2
            words = self.style.words.head.format(head)
            write_line(painter, at, words, color, FONT_SIZE.small, strong=strong)

    def _paint_lines(self, painter: QPainter) -> None:
        shown, query = self.shown, self.shown.chosen[0]
        places = {key: row for row, key in enumerate(shown.keys)}
        for line in sorted(shown.lines, key=lambda line: (line.query == query, line.weight)):
            color = self._color(line.head)
            shade = FAINTEST + (1 - FAINTEST) * min(line.weight, 1.0)
            color.setAlphaF(shade if query in (None, line.query) else shade * FADED)
            painter.setPen(QPen(color, THINNEST + THICKER * line.weight, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap))
            start = QPointF(
                self.left.right() + SPACING.s, self._end(self.left, line.query - shown.queries.start, line.head)
            )
            stop = QPointF(self.right.left() - SPACING.s, self._end(self.right, places[line.key], line.head))
            painter.drawLine(QLineF(start, stop))

    def _paint_tokens(self, painter: QPainter) -> None:
        theme, small, shown = self.style.theme, metrics("small"), self.shown
        base = self.frame.body.top() + small.ascent()
        heads = self.style.translate("Pages", "queries"), self.style.translate("Pages", "keys")
        write_line(painter, QPointF(self.left.right(), base), heads[0], theme.query, FONT_SIZE.small, anchor=END)
        write_line(painter, QPointF(self.right.left(), base), heads[1], theme.key, FONT_SIZE.small)
        size = "small" if self.row >= 14 else "micro"
        font, points = metrics(size), getattr(FONT_SIZE, size)
        for row, place in enumerate(shown.queries):
            at = QPointF(self.left.right(), self.left.top() + (row + 0.5) * self.row + font.capHeight() / 2)
            here = place == shown.chosen[0]
            text, color = elided(self._name(0, place), self.left.width(), font), theme.query if here else theme.text
            write_line(painter, at, text, color, points, strong=here, anchor=END)
        for row, place in enumerate(shown.keys):
            at = QPointF(self.right.left(), self.right.top() + (row + 0.5) * self.row + font.capHeight() / 2)
            here = place == shown.chosen[1]
            text, color = elided(self._name(1, place), self.right.width(), font), theme.key if here else theme.text
            write_line(painter, at, text, color, points, strong=here)


class RelationsPage(PageKind[RelationLines]):
    """Shows which words look at which, as lines that are the thicker the larger the weight."""

    name = "relations"
    title = N_("Pages", "Relations between tokens")
    layout = LinesLayout
    words = "lines words bipartite attention pattern who looks at whom 连线 词 关系 词与词 注意力"
    options = (
        ChoiceOption(
            "heads",
            N_("Pages", "heads"),
            N_("Pages", "Lines of all heads, each in its own color, or of the head on show alone"),
            HEADS,
        ),
        NumberOption(
            "least", N_("Pages", "weight at least"), N_("Pages", "Smaller weights are drawn as no line"), LEAST, (0, 1)
        ),
        NumberOption(
            "most",
            N_("Pages", "lines a query"),
            N_("Pages", "At most so many lines from each query, its largest weights"),
            USUAL,
            (1, MOST_TOKENS),
            whole=True,
        ),
    )

    def read(self, evaluation: Evaluation, context: PageContext, progress: Progress) -> RelationLines:
        problem, chosen = evaluation.problem, (context.query(evaluation), context.key(evaluation))
        first = min(max((chosen[0] or 0) - MOST_TOKENS // 2, 0), max(problem.n - MOST_TOKENS, 0))
        queries = range(first, min(first + MOST_TOKENS, problem.n))
        heads = tuple(range(problem.num_heads)) if context.options["heads"] == "all" else (context.head,)
        least, most = context.options["least"], int(context.options["most"])
        lines, mean = largest_weights(evaluation, context.batch, heads, queries, least, most, progress)
        count = len(heads) * len(queries) * problem.m
        keys = _keys(lines, problem.m)
        kept = tuple(line for line in lines if line.key in set(keys))
        return RelationLines(
            kept,
            queries,
            keys,
            stage_labels(evaluation, evaluation.weights),
            heads,
            problem.num_heads,
            context.head,
            (problem.n, problem.m),
            chosen,
            sum(line.weight / mean for line in kept) / count if mean > 0 else 0.0,
            evaluation.weights,
        )
