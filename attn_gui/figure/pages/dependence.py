"""Page “RNN, CNN and attention”: three maps and the table of costs below them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from PySide6.QtCore import QLineF, QPointF
from PySide6.QtGui import QPainter, QPen

from attn_gui.engine import Evaluation, Problem
from attn_gui.engine.analysis.dependence import (
    CHANNELS,
    LAYERS,
    MOST_TOKENS,
    SEED,
    Cost,
    affordable,
    attention_cost,
    comparable,
    convolution_cost,
    dependence,
    first_tokens,
    projection_multiplications,
    recurrent_cost,
    sequence,
    small_layers,
)
from attn_gui.engine.arrays import Array, Progress
from attn_gui.engine.graph.stage import Role
from attn_gui.figure.colors import largest_levels
from attn_gui.figure.design_tokens import FONT_SIZE, SPACING
from attn_gui.figure.pages.page_charts import MapsLayout, PageMap, token_and_place
from attn_gui.figure.pages.page_kind import (
    Chosen,
    NumberOption,
    PageCell,
    PageContext,
    PageKind,
    PageSpot,
    PageStyle,
    Sides,
    metrics,
)
from attn_gui.figure.text.number_formats import significant
from attn_gui.figure.text.rich_text import write_symbols
from attn_gui.figure.writers import END, write_line
from attn_gui.languages import N_

MOST_LAYERS = 4
LABEL = 0.34
"""Of the width, for the names of the rows of the table."""


@dataclass(frozen=True, eq=False)
class Dependences:
    """Dependences (i, j) of the recurrent layer, the convolutions and attention, on tokens with numbers (n, d)."""

    x: Array
    maps: tuple[Array, Array, Array]
    costs: tuple[Cost, Cost, Cost]
    projections: int
    layers: int
    seed: int
    tokens: tuple[str, ...] | None
    count: int
    given: bool
    chosen: tuple[int, int] | None
    stage: str

    @property
    def far(self) -> list[float]:
        """Dependence of the last output on the first token, layer by layer, as a share of what it depends on most; NaN
        where one of these is no number."""
        rows = [found[-1] for found in self.maps]
        with np.errstate(all="ignore"):
            return [float(row[0] / row.max()) if row.any() else 0.0 for row in rows]


class DependenceLayout(MapsLayout):
    """Three maps, and below them a table with a column for each."""

    def __init__(self, shown: Dependences, style: PageStyle, size: Sides) -> None:
        self.shown, self.style = shown, style
        self.names = (
            style.translate("Pages", "RNN"),
            style.translate("Pages", "CNN × {layers}").format(layers=shown.layers),
            style.translate("Pages", "attention"),
        )
        self.table = self._table()
        self.line = metrics("micro").height() + SPACING.xs
        super().__init__(
            style,
            size,
            self._maps(),
            title=style.translate("Pages", DependencePage.title),
            subtitle=style.translate("Pages", "‖∂y_i/∂x_j‖: how much output i moves with input j"),
            note=self._sentences(),
            least_width=230.0,
            below=self._table_height(),
        )

    def said(self) -> str:
        rows = "; ".join(f"{name}: {', '.join(texts)}" for name, texts, _ in self.table)
        return f"{self.frame.title}. {self.frame.subtitle}. {', '.join(self.names)}: {rows}. {self.note}"

    # --- words -----------------------------------------------------------------------------------
    def _maps(self) -> list[PageMap]:
        shown, translate = self.shown, self.style.translate
        axes = translate("Pages", "output i"), translate("Pages", "input j")
        return [
            PageMap(
                name,
                found,
                largest_levels(found, signed=False),
                signed=False,
                axes=axes,
                tokens=shown.tokens,
                chosen=shown.chosen,
            )
            for name, found in zip(self.names, shown.maps, strict=True)
        ]

    def _table(self) -> list[tuple[str, list[str], list[str]]]:
        """Return rows of the table: name, number of each layer, and the paper's order below it."""
        translate, costs = self.style.translate, self.shown.costs
        orders = [[cost.orders[place] for cost in costs] for place in range(3)]
        needed = [f" ({cost.needed})" if cost.needed else "" for cost in costs]
        paths = [f"–{more}" if cost.path is None else str(cost.path) for cost, more in zip(costs, needed, strict=True)]
        far = [significant(share, 2) if np.isfinite(share) else "–" for share in self.shown.far]
        return [
            (translate("Pages", "multiplications"), [f"{cost.multiplications:,}" for cost in costs], orders[0]),
            (translate("Pages", "steps in sequence"), [str(cost.sequential) for cost in costs], orders[1]),
            (translate("Pages", "longest path"), paths, orders[2]),
            (translate("Pages", "last by first token"), far, []),
        ]

    def _sentences(self) -> str:
        shown, translate = self.shown, self.style.translate
        text = translate(
            "Pages",
            "Below the numbers the orders of “Attention Is All You Need”, table 1. Costs are for {n} tokens of {d} "
            "numbers and layers as wide; the RNN and the CNN (width 3) drawn here have {channels} seeded channels.",
        )
        said = [text.format(n=len(shown.x), d=shown.x.shape[1], channels=CHANNELS)]
        if shown.costs[1].path is None:
            text = translate("Pages", "This many convolutions do not connect both ends; {needed} would.")
            said.append(text.format(needed=shown.costs[1].needed))
        if shown.costs[2].path is None:
            text = translate("Pages", "Attention with this mask does not join both ends, however many its layers are.")
            if shown.costs[2].needed:
                text = translate(
                    "Pages", "One layer of attention with this mask does not join both ends; {needed} would."
                )
            said.append(text.format(needed=shown.costs[2].needed))
        if shown.projections:
            text = translate("Pages", "Projections of attention: {count} multiplications more.")
            said.append(text.format(count=f"{shown.projections:,}"))
        if not shown.given:
            said.append(translate("Pages", "Without X the input of a token is its Q, K and V side by side."))
        if len(shown.x) < shown.count:
            text = translate("Pages", "The first {shown} of {count} tokens, as a sequence of their own.")
            said.append(text.format(shown=len(shown.x), count=shown.count))
        return " ".join(said)

    def spot(self, number: int, row: int, column: int) -> PageSpot:
        """Return ‖∂y/∂x‖ in words; a click chooses the weight of that query and key."""
        one = self.maps[number]
        i, j = (token_and_place(one.tokens, place) for place in (row, column))
        value = significant(float(one.values[row, column]), 4)
        return PageSpot(f"{one.title}: ‖∂y/∂x‖, {i} ← {j}: {value}", PageCell(self.shown.stage, row, column))

    # --- the table -------------------------------------------------------------------------------
    def _table_height(self) -> float:
        lines = 1 + sum(2 if orders else 1 for _, _, orders in self.table)
        return SPACING.m + lines * self.line + len(self.table) * SPACING.s

    def paint_body(self, painter: QPainter) -> None:
        super().paint_body(painter)
        theme, micro, room = self.style.theme, metrics("micro"), self.room
        pitch = room.width() * (1 - LABEL) / 3
        ends = [room.left() + room.width() * LABEL + (number + 1) * pitch for number in range(3)]
        base = room.top() + micro.ascent()
        for end, name in zip(ends, self.names, strict=True):
            write_line(painter, QPointF(end, base), name, theme.text, FONT_SIZE.micro, strong=True, anchor=END)
        for name, texts, orders in self.table:
            base += SPACING.s + self.line
            painter.setPen(QPen(theme.line, 1.0))
            top = base - micro.ascent() - SPACING.xs
            painter.drawLine(QLineF(room.left(), top, room.right(), top))
            wide = room.width() * LABEL
            write_symbols(painter, QPointF(room.left(), base), name, theme.text2, FONT_SIZE.micro, wide)
            for end, text in zip(ends, texts, strict=True):
                write_line(painter, QPointF(end, base), text, theme.text, FONT_SIZE.micro, anchor=END)
            if orders:
                base += self.line
                for end, order in zip(ends, orders, strict=True):
                    write_line(painter, QPointF(end, base), order, theme.text3, FONT_SIZE.micro, anchor=END)


class DependencePage(PageKind[Dependences]):
    """Shows ‖∂y_i/∂x_j‖ of a small RNN, of convolutions and of the problem's attention, and the paper's costs."""

    name = "dependence"
    title = N_("Pages", "RNN, CNN and attention")
    layout = DependenceLayout
    quick = 0
    roles = (Role.SCORE,)
    words = "recurrent convolution reach receptive field path length complexity 循环 卷积 感受野 路径 长度 复杂度 依赖"
    needs = N_("Pages", "Needs self-attention over one sequence: every query is a key, too")
    reads = frozenset({"batch", "stage", "cell"})
    options = (
        NumberOption(
            "layers",
            N_("Pages", "convolutions"),
            N_("Pages", "How many layers of convolution are stacked: each reaches one neighbor farther"),
            LAYERS,
            (1, MOST_LAYERS),
            whole=True,
        ),
        NumberOption(
            "seed",
            N_("Pages", "seed"),
            N_("Pages", "Other random weights for the RNN and the convolutions"),
            SEED,
            (0, (1 << 31) - 1),
            whole=True,
        ),
    )

    def applies(self, problem: Problem) -> bool:
        return comparable(problem)

    def turned(self, content: Dependences, before: Chosen, after: Chosen) -> Dependences:
        layers, seed = int(after["layers"]), int(after["seed"])
        small = small_layers(content.x, layers, seed)
        costs = content.costs[0], convolution_cost(len(content.x), content.x.shape[1], layers), content.costs[2]
        return replace(content, maps=(*small, content.maps[2]), costs=costs, layers=layers, seed=seed)

    def read(self, evaluation: Evaluation, context: PageContext, progress: Progress) -> Dependences:
        whole = evaluation.problem
        problem = first_tokens(whole, affordable(whole, MOST_TOKENS))
        x, layers, seed = sequence(problem), int(context.options["layers"]), int(context.options["seed"])
        with np.errstate(all="ignore"):
            found = dependence(problem, progress)
        n, width = x.shape
        costs = recurrent_cost(n, width), convolution_cost(n, width, layers), attention_cost(problem)
        row, column = context.query(evaluation), context.key(evaluation)
        inside = row is not None and row < problem.n and (column is None or column < problem.n)
        names = problem.names_of_keys
        return Dependences(
            x,
            (*small_layers(x, layers, seed), found),
            costs,
            projection_multiplications(problem),
            layers,
            seed,
            names if names else None,
            whole.n,
            problem.projected,
            (row or 0, -1 if column is None else column) if inside else None,
            evaluation.weights,
        )
