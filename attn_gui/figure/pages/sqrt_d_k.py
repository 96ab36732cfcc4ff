"""Page “Why √dₖ”: variance against d_k, entropy at every scale, the sentence on saturation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter

from attn_gui.engine import Evaluation, Problem
from attn_gui.engine.analysis.sweep import (
    SATURATED,
    WIDTHS,
    MapRow,
    ScaledEntropies,
    ScaledRow,
    at_scales,
    entropies_at_scales,
    read_rows,
    score_variance,
    seeded_variances,
    with_seeded_width,
)
from attn_gui.engine.arrays import Progress
from attn_gui.engine.graph.stage import Role
from attn_gui.engine.normalizers import NORMALIZERS
from attn_gui.engine.scores import SCORES
from attn_gui.figure.design_tokens import FONT_SIZE, SPACING
from attn_gui.figure.pages.page_charts import paint_key_names, paint_row_bars
from attn_gui.figure.pages.page_kind import (
    BESIDE,
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
    SliderOption,
    SpotGrid,
    body_width,
    metrics,
    with_frame,
)
from attn_gui.figure.pages.plot import Curve, Numbers, Plot, PlotAxes, PlotNote, PlotRule, axes_in
from attn_gui.figure.text.number_formats import format_number, significant
from attn_gui.figure.text.rich_text import token_label, wrapped, write_symbols
from attn_gui.figure.writers import END, START, write_line
from attn_gui.formats.array_rows import stage_labels
from attn_gui.languages import N_, page_words


def saturation_sentence(rows: Sequence[ScaledRow], style: PageStyle) -> str:
    """Return whether the softmax of a row saturates at one of three scales, as far as its weights can show it."""
    translate = style.translate
    if rows[0].by_hand:
        return translate("Pages", "Weights of this row are changed by hand: the softmax alone does not make them.")
    if rows[0].ceiling == 0:
        if not rows[0].weights.any():
            return translate("Pages", "This row has no open key.")
        return translate("Pages", "This row has one open key: its weight is the same at any scale.")
    if not all(np.isfinite(row.weights).all() for row in rows):
        return translate("Pages", "Weights of this row are not numbers at every scale.")
    saturated = [row for row in rows if row.saturated]
    if not saturated:
        text = translate(
            "Pages", "At none of the three scales does the softmax of this row saturate (a weight above {limit})."
        )
        return text.format(limit=SATURATED)
    worst = max(saturated, key=lambda row: float(row.weights.max()))
    text = translate(
        "Pages",
        "The softmax saturates at the scale {scale}: one weight takes {weight}, ‖diag(a) − aaᵀ‖ is {jacobian} "
        "of at most 0.5.",
    )
    weight, jacobian = format_number(worst.weights.max(), 4), three_digits(worst.jacobian)
    return text.format(scale=three_digits(worst.scale), weight=weight, jacobian=jacobian)


def three_digits(value: float) -> str:
    """Return a number in three digits; "–" for what is no number."""
    return significant(float(value), 3) if np.isfinite(value) else "–"


Tokens = tuple[str, ...] | None

PLOT, LEAST_PLOT, LEAST_WIDTH = 170.0, 120.0, 230.0
BARS, LEAST_BARS = 40.0, 22.0
DOT, CHOSEN = 2.5, 4.5
MOST_PLACES, MOST_DOTS = 400, 50
"""Places of the bars side by side; of more keys the largest weight of those under one. Dots on a curve of entropies."""


@dataclass(frozen=True, eq=False)
class RootScaling:
    """The page: variances (widths,) of seeded numbers with the chosen `place`, the problem's own (d_k, variance), the
    row at three scales (root, none, another one), the entropies of all rows, and how many rows of the problem are read,
    None for all."""

    widths: Numbers
    variances: Numbers
    place: int
    here: tuple[float, float]
    rows: tuple[ScaledRow, ...]
    entropies: ScaledEntropies
    row: MapRow
    head: int | None
    seeded: int | None
    tokens: tuple[Tokens, Tokens]
    rows_read: int | None
    stage: str


class RootLayout(PageLayout):
    """Places of the plots and bars, and how they are painted."""

    def __init__(self, shown: RootScaling, style: PageStyle, size: Sides) -> None:
        self.shown, self.style = shown, style
        theme, micro = style.theme, metrics("micro")
        self.colors = theme.accent, theme.query, theme.key
        self.head = metrics("small").height() + SPACING.m
        self.foot = micro.height() + SPACING.xs
        across = body_width(size)
        plots = 1 if across >= BESIDE else 2  # one below the other
        self.variance_lines = [wrapped(self._said(number), across, metrics("small")) for number in range(3)]
        self.bar_head = max(map(len, self.variance_lines)) * metrics("small").height() + SPACING.m
        self.frame = with_frame(
            style,
            size,
            title=style.translate("Pages", "Why √dₖ"),
            subtitle=self._subtitle(),
            note=self._note(),
            tall=lambda across: plots * (PLOT + self.head) + self._bars_height(BARS),
            least=(LEAST_WIDTH, plots * (LEAST_PLOT + self.head) + self._bars_height(LEAST_BARS)),
        )
        body = self.frame.body
        spare = body.height() - plots * self.head - self._bars_height(0.0)
        share = plots * PLOT / (plots * PLOT + 3 * BARS)
        self.tall = min(spare * share / plots, 320.0)
        self.bar = (spare - plots * self.tall) / 3
        variance, entropy = self._axes(body, beside=plots == 1)
        self.variance = Plot(variance, theme, self._variance_marks(variance))
        self.entropy = Plot(entropy, theme, self._entropy_marks())
        self.bars_top = body.top() + plots * (self.tall + self.head) + SPACING.l

    def said(self) -> str:
        return ". ".join([f"{self.frame.title}. {self.frame.subtitle}", *map(self._said, range(3)), self._note()])

    def fields(self) -> tuple[SpotGrid, ...]:
        """Return plots and bars: the first plot leads to a d_k, the second to a row, a bar to a weight."""
        shown = self.shown
        fields: list[SpotGrid] = [
            self.variance.field(shown.widths, self._width_spot),
            self.entropy.field(shown.entropies.queries.astype(np.float64), self._row_spot),
        ]
        count = min(len(shown.rows[0].weights), MOST_PLACES)
        fields += [
            SpotGrid(self._bars(number), partial(self._bar_spot, number, count), 1, count) for number in range(3)
        ]
        return tuple(fields)

    # --- words -----------------------------------------------------------------------------------
    def _subtitle(self) -> str:
        shown, words = self.shown, self.style.words
        if shown.seeded is not None:
            return self.style.translate("Pages", "random Q and K, dₖ = {width}").format(width=shown.seeded)
        parts = [] if shown.head is None else [words.head.format(shown.head)]
        tokens = shown.tokens[0]
        token = f" “{token_label(tokens[shown.row.query])}”" if tokens else ""
        return " · ".join([*parts, f"{words.axes['query']} {shown.row.query}{token}", f"dₖ = {shown.here[0]:g}"])

    @cached_property
    def scales(self) -> tuple[str, ...]:
        """The names of the three scales."""
        root, _, other = (row.scale for row in self.shown.rows)
        return (
            self.style.translate("Pages", "scaled, × 1/√dₖ = {scale}").format(scale=three_digits(root)),
            self.style.translate("Pages", "unscaled, × 1"),
            self.style.translate("Pages", "another scale, × {scale}").format(scale=three_digits(other)),
        )

    def _said(self, number: int) -> str:
        """Return a row at a scale, in numbers."""
        row = self.shown.rows[number]
        template = self.style.translate(
            "Pages", "{scale}: entropy {entropy} of {most} bits · ‖diag(a) − aaᵀ‖ {jacobian} · ‖∂a/∂q‖ {gradient}"
        )
        numbers = {"entropy": row.entropy, "most": row.ceiling, "jacobian": row.jacobian, "gradient": row.gradient}
        return template.format(
            scale=self.scales[number], **{key: three_digits(value) for key, value in numbers.items()}
        )

    def _note(self) -> str:
        """Return sentences on saturation and on the numbers, and one where not every row is read."""
        text = saturation_sentence(self.shown.rows, self.style)
        text += " " + self.style.translate("Pages", "The entropy is 0 bits for one key only, log₂ m for m keys alike.")
        if np.isfinite([row.jacobian for row in self.shown.rows]).all():
            text += " " + self.style.translate(
                "Pages", "‖diag(a) − aaᵀ‖ is the size of the softmax's derivative: near 0, almost no gradient passes."
            )
        if self.shown.rows_read is not None:
            more = self.style.translate("Pages", "Of this long problem {rows} rows at even distances are read.")
            text += " " + more.format(rows=self.shown.rows_read)
        return text

    # --- places ----------------------------------------------------------------------------------
    def _bars_height(self, bar: float) -> float:
        return SPACING.l + 3 * (bar + self.bar_head) + self.foot

    def _axes(self, body: QRectF, *, beside: bool) -> tuple[PlotAxes, PlotAxes]:
        shown, across = self.shown, body.width()
        width = (across - SPACING.xl) / 2 if beside else across
        first = QRectF(body.left(), body.top() + self.head, width, self.tall)
        second = first.translated(width + SPACING.xl, 0) if beside else first.translated(0, self.tall + self.head)
        d_k, here = shown.here
        # the problem's own variance stretches the plot only as far as the seeded one reaches
        top = float(shown.variances.max())
        variances = axes_in(
            first,
            np.array([0.0, shown.widths[-1], min(d_k, shown.widths[-1])]),
            np.array([0.0, top, min(here, 1.25 * top) if np.isfinite(here) else 0.0]),
            ("d_k", ""),
        )
        found = shown.entropies
        numbers = np.concatenate([found.values.ravel(), found.ceilings, [0.0]])
        queries = found.queries.astype(np.float64)
        return variances, axes_in(second, queries, numbers, (self.style.words.axes["query"], ""), whole=True)

    def _bars(self, number: int) -> QRectF:
        """Return the place of the bars of a scale."""
        body, pitch = self.frame.body, self.bar + self.bar_head
        return QRectF(body.left(), self.bars_top + number * pitch + self.bar_head, body.width(), self.bar)

    def _width_spot(self, place: int) -> PageSpot:
        width, variance = self.shown.widths[place], self.shown.variances[place]
        text = self.style.translate("Pages", "dₖ = {width}: variance of q · k {variance}, after × 1/√dₖ {scaled}")
        said = text.format(width=f"{width:g}", variance=three_digits(variance), scaled=three_digits(variance / width))
        return PageSpot(said, option=("d_k", place))

    def _row_spot(self, place: int) -> PageSpot:
        found = self.shown.entropies
        query = int(found.queries[place])
        numbers = ", ".join(three_digits(value) for value in found.values[:, place])
        text = self.style.translate("Pages", "query {query}: entropy {numbers} bits; at most {most}")
        said = text.format(query=query, numbers=numbers, most=three_digits(found.ceilings[place]))
        return PageSpot(
            said, None if self.shown.seeded is not None else PageCell(self.shown.stage, query, self.shown.row.key)
        )

    def _bar_spot(self, number: int, count: int, _row: int, column: int) -> PageSpot:
        """Return the largest weight under a place."""
        row = self.shown.rows[number]
        low = column * len(row.weights) // count
        high = max((column + 1) * len(row.weights) // count, low + 1)
        key = low + int(np.argmax(np.nan_to_num(row.weights[low:high], nan=np.inf)))
        tokens = self.shown.tokens[1]
        token = f" “{token_label(tokens[key])}”" if tokens else ""
        text = (
            f"{self.scales[number]}: {self.style.words.axes['key']} {key}{token}: {format_number(row.weights[key], 4)}"
        )
        cell = PageCell(self.shown.stage, self.shown.row.query, key, self.shown.head)
        return PageSpot(text, None if self.shown.seeded is not None else cell)

    # --- painting --------------------------------------------------------------------------------
    def paint_body(self, painter: QPainter) -> None:
        self._paint_headings(painter)
        for number in range(3):
            self._paint_bars(painter, number)
        count, tokens = len(self.shown.rows[0].weights), self.shown.tokens[1]
        paint_key_names(painter, self._bars(2), tokens, count, self.shown.row.key, self.style.theme)

    def _heading(self, painter: QPainter, place: QRectF, left: float, text: str) -> None:
        small = metrics("small")
        base = place.top() - self.head + small.ascent() - metrics("micro").capHeight() / 2
        write_symbols(painter, QPointF(left, base), text, self.style.theme.text, FONT_SIZE.small, place.right() - left)

    def _paint_headings(self, painter: QPainter) -> None:
        variance, entropy = self.variance.axes.plot, self.entropy.axes.plot
        left = self.frame.body.left()
        self._heading(painter, variance, left, self.style.translate("Pages", "variance of q · k against dₖ"))
        if entropy.left() > self.frame.body.center().x():
            left = variance.right() + SPACING.xl
        text = self.style.translate("Pages", "entropy of each row in bits; dashed: the most it can be")
        self._heading(painter, entropy, left, text)

    def _variance_marks(self, axes: PlotAxes) -> tuple[Curve | PlotRule | PlotNote, ...]:
        """Return the curves of seeded numbers with the chosen width, what they would be, and the problem's own
        scores."""
        theme, shown = self.style.theme, self.shown
        ends = np.array([0.0, shown.widths[-1]])
        marks: list[Curve | PlotRule | PlotNote] = [Curve(ends, ends, theme.line_strong, Qt.PenStyle.DashLine)]
        at = slice(shown.place, shown.place + 1)
        for color, values in ((self.colors[1], shown.variances), (self.colors[0], shown.variances / shown.widths)):
            marks.append(Curve(shown.widths, values, color, dot=DOT))
            marks.append(Curve(shown.widths[at], values[at], color, Qt.PenStyle.NoPen, CHOSEN))
        words = self.style.translate("Pages", "random, unscaled"), self.style.translate("Pages", "random, × 1/√dₖ")
        micro, corner = metrics("micro"), axes.plot.topLeft() + QPointF(SPACING.m, SPACING.s)
        keys = [
            PlotNote(word, color, corner + QPointF(0, line * micro.height() + micro.ascent()))
            for line, (word, color) in enumerate(zip(words, (self.colors[1], self.colors[0]), strict=True))
        ]
        return *marks, *self._own_scores(axes), *keys

    def _own_scores(self, axes: PlotAxes) -> tuple[Curve | PlotNote, ...]:
        """Return the problem's own scores, where they lie within the plot; else an arrow says that they do not."""
        d_k, here = self.shown.here
        micro, theme = metrics("micro"), self.style.theme
        if not np.isfinite(here):
            return ()
        inside = d_k <= axes.across.high and here <= axes.up.high
        x, y = min(d_k, axes.across.high), min(here, axes.up.high)
        at = axes.place(x, y)
        word = self.style.translate("Pages", "these: {variance}").format(variance=three_digits(here)) + (
            "" if inside else " ↗"
        )
        room, base = SPACING.m + micro.horizontalAdvance(word), at.y() + SPACING.s + micro.ascent()
        over = here > d_k  # the line of d_k: the word stands beside the ring, at the side where the line is not met
        end = axes.numbers_at(QPointF(at.x() + room, at.y() + micro.ascent()))
        if over and inside and end[0] < end[1]:
            place = QPointF(at.x() + SPACING.m, at.y() + micro.capHeight() / 2)
            ring = Curve(np.array([x]), np.array([y]), theme.text, Qt.PenStyle.NoPen, CHOSEN, fill=theme.surface)
            return ring, PlotNote(word, theme.text, place, START, x=x, y=y)
        over = over and at.x() - room > axes.plot.left()
        if over or base > axes.plot.bottom() - CHOSEN:
            base = at.y() - SPACING.m
        line = axes.place(axes.numbers_at(QPointF(0.0, base - micro.ascent()))[1], 0).x()
        start = max(at.x(), line) + SPACING.m
        left = not over and start + room - SPACING.m <= axes.plot.right()
        place = QPointF(start if left else at.x() - SPACING.m, base)
        ring = Curve(np.array([x]), np.array([y]), theme.text, Qt.PenStyle.NoPen, CHOSEN, fill=theme.surface)
        return ring, PlotNote(word, theme.text, place, START if left else END, x=x, y=y)

    def _entropy_marks(self) -> tuple[Curve | PlotRule | PlotNote, ...]:
        """Return the entropies at the three scales, the most that they can be, and the chosen row."""
        theme, found = self.style.theme, self.shown.entropies
        queries = found.queries.astype(np.float64)
        dot = DOT if len(queries) <= MOST_DOTS else 0.0
        ceilings = Curve(queries, found.ceilings, theme.line_strong, Qt.PenStyle.DashLine)
        curves = [Curve(queries, found.values[number], self.colors[number], dot=dot) for number in (2, 1, 0)]
        return ceilings, *curves, PlotRule(self.shown.row.query, theme.line_strong)

    def _paint_bars(self, painter: QPainter, number: int) -> None:
        """Paint the weights of the row at a scale, below what is said of them."""
        small, place, color = metrics("small"), self._bars(number), self.colors[number]
        first = place.top() - SPACING.s - small.descent() - (len(self.variance_lines[number]) - 1) * small.height()
        for line, text in enumerate(self.variance_lines[number]):
            at = QPointF(place.left(), first + line * small.height())
            write_line(painter, at, text, color, FONT_SIZE.small)
        paint_row_bars(painter, place, self.shown.rows[number], color, self.style.theme)


QUICK = 1 << 12
THESE, RANDOM = "these", "random"
NUMBERS = {
    THESE: page_words(N_("Pages", "the numbers of the problem")),
    RANDOM: page_words(N_("Pages", "random Q and K")),
}


def _other_scale(context: PageContext, values: Chosen) -> float:
    """Return the scale of the problem where it is another one; else 1/d_k, which is taken for the root by mistake."""
    own, root = context.problem.effective_scale, context.problem.d_k**-0.5
    return 1 / context.problem.d_k if own in (1.0, root) else own


class RootPage(PageKind[RootScaling]):
    """Shows what the scale 1/√d_k is for."""

    name = "sqrt_d_k"
    title = N_("Pages", "Why √dₖ")
    layout = RootLayout
    quick = QUICK
    roles = (Role.SCORE,)
    words = "scale scaling variance saturation saturate entropy gradient vanish d_k 缩放 方差 饱和 熵 梯度 消失 根号"
    needs = N_("Pages", "Needs a softmax of dot products")
    frames = N_("Pages", "Why √dₖ, a picture for each dₖ")
    options = (
        ChoiceOption(
            "numbers",
            N_("Pages", "softmax of"),
            N_("Pages", "Whose softmax is drawn: that of the numbers in the tables, or that of random Q and K"),
            NUMBERS,
        ),
        SliderOption(
            "d_k",
            N_("Pages", "dₖ of random Q and K"),
            N_("Pages", "How many columns the random Q and K have: their scores spread with √d_k"),
            lambda context, values: len(WIDTHS) - 1,
            lambda context, values, place: f"= {WIDTHS[place]}",
        ),
        NumberOption(
            "scale",
            N_("Pages", "another scale"),
            N_("Pages", "A third factor of the scores, drawn beside 1/√d_k and no scaling"),
            _other_scale,
        ),
    )

    def applies(self, problem: Problem) -> bool:
        return SCORES[problem.score].root_scale and NORMALIZERS[problem.normalize].elementary

    def read(self, evaluation: Evaluation, context: PageContext, progress: Progress) -> RootScaling:
        problem, options, place = evaluation.problem, context.options, context.options["d_k"]
        row = MapRow(context.batch, context.head, context.query(evaluation) or 0, context.key(evaluation) or 0)
        variances = seeded_variances()
        here = score_variance(problem, context.batch, context.head)
        progress(0.2)
        seen, at, seeded = problem, row, options["numbers"] == RANDOM
        if seeded:
            seen = with_seeded_width(problem, WIDTHS[place])
            at = MapRow(query=min(row.query, seen.n - 1), key=min(row.key, seen.m - 1))
        scales = (seen.d_k**-0.5, 1.0, options["scale"])
        rows = at_scales(seen, scales, at)
        progress(0.5)
        read, tokens = read_rows(problem), None if seeded else stage_labels(evaluation, evaluation.weights)
        found = RootScaling(
            widths=np.array(WIDTHS, dtype=np.float64),
            variances=variances,
            place=place,
            here=(float(problem.d_k), here),
            rows=rows,
            entropies=entropies_at_scales(seen, scales, at),
            row=at,
            head=context.head if problem.num_heads > 1 else None,
            seeded=WIDTHS[place] if seeded else None,
            tokens=(None, None) if tokens is None else tokens,
            rows_read=None if len(read) == problem.n else len(read),
            stage=evaluation.weights,
        )
        progress(1.0)
        return found
