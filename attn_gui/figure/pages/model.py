"""Pages of a model: “Prediction”, “Logit lens”, “Effect …”, “Heads that matter”, “Parts of a logit”, “Patching …”."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QPainter

from attn_gui import models
from attn_gui.engine import Evaluation
from attn_gui.engine.arrays import Array, Progress, within
from attn_gui.engine.errors import FieldError
from attn_gui.engine.stages import STAGE
from attn_gui.figure.colors import ColorScale, Levels, Values, argb, lut, to_display, value_text_color
from attn_gui.figure.design_tokens import FONT_SIZE, SPACING
from attn_gui.figure.pages.page_charts import HEADS, OF, RESULT, TOKENS, BarRow, BarRows, LayerGrid, token_of
from attn_gui.figure.pages.page_kind import (
    C,
    ChoiceOption,
    Chosen,
    ModelContext,
    NumberOption,
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
from attn_gui.figure.text.figure_words import Words, page_words
from attn_gui.figure.text.number_formats import format_number, scientific
from attn_gui.figure.text.rich_text import elided, token_label
from attn_gui.figure.writers import END, MIDDLE, write_line
from attn_gui.formats.untrusted_bytes import visible_text
from attn_gui.languages import N_

if TYPE_CHECKING:
    from attn_gui.models.attribution import DirectLogits, LikelyToken
    from attn_gui.models.model import Run

# --- pages of a model -----------------------------------------------------------------------------
NEEDS = N_("Pages", "Needs a model that predicts tokens: File › Open a model")


class ModelPage(PageKind[C]):
    """A page of a model's run, whatever cell of the layer on the table is chosen."""

    needs = NEEDS
    of_model = True
    quick = 0
    reads = frozenset()


L = TypeVar("L", "LayerEffects", "HeadEffects", "LogitParts", "PatchingEffects")
"""Contents that know the layer on the table."""


class LayersPage(ModelPage[L]):
    """A page of all layers, which marks the one on the table."""

    def at(self, content: L, context: PageContext) -> L:
        layer = model_of(context).layer
        return content if content.layer == layer else replace(content, layer=layer)


def model_of(context: PageContext) -> ModelContext:
    """Return the model that the problem is a layer of; its pages are only there with one."""
    assert context.model is not None
    return context.model


# --- effects --------------------------------------------------------------------------------------
# Page of effects: which heads and tokens of which layers a change by hand has moved, as shares of what they were.


@dataclass(frozen=True, eq=False)
class LayerEffects:
    """(layers, heads or tokens) of ‖now − before‖ / ‖before‖."""

    moved: Values
    heads: bool
    names: tuple[str, ...]
    layer: int
    changed: bool


class EffectPage(LayersPage[LayerEffects]):
    """Shows how far a change goes through the layers above it."""

    name = "effect"
    title = N_("Pages", "Effect of the changes")
    words = "difference layers heads intervention downstream propagate 影响 效果 干预 传播 差异"
    needs = N_("Pages", "Needs a model: File › Open a model")
    options = (OF,)

    def read(self, evaluation: Evaluation, context: PageContext, progress: Progress) -> LayerEffects:
        model, heads = model_of(context), context.options["of"] == HEADS
        tokens = tuple(token_of(model.now.texts, place) for place in range(len(model.now.texts)))
        moved = _of_heads(model, progress) if heads else _of_tokens(model)
        return LayerEffects(moved, heads, tokens, model.layer, model.now is not model.before)

    def plan(self, content: LayerEffects, style: PageStyle, size: Sides) -> PageDrawing:
        note = "" if content.changed else style.translate("Pages", "Nothing is changed by hand: nothing has moved.")
        return LayerGrid(
            style,
            size,
            {"": content.moved},
            heads=content.heads,
            layer=content.layer,
            names=content.names,
            title=style.translate("Pages", self.title),
            subtitle=style.translate("Pages", "‖now − before‖ / ‖before‖, 0 where nothing moved"),
            note=note,
        ).drawing()


def _of_heads(model: ModelContext, progress: Progress) -> Values:
    found = []
    layers = model.now.model.num_layers
    for layer in range(layers):
        now, before = (run.stage(layer, RESULT)[0].astype(np.float64) for run in (model.now, model.before))
        rows = now.reshape(len(now), -1), before.reshape(len(before), -1)
        found.append(_shares(*rows) if now.shape == before.shape else np.full(len(now), np.nan))
        progress((layer + 1) / layers)
    return np.array(found)


def _of_tokens(model: ModelContext) -> Values:
    now, before = (_hidden(run) for run in (model.now, model.before))
    return np.array([_shares(*pair) for pair in zip(now, before, strict=True)])


def _hidden(run: Run) -> Array:
    """Return the layers' outputs, none behind the final norm, without the embeddings, which no change by hand
    reaches."""
    return np.stack(run.states[1:]).astype(np.float64)


def _shares(now: Array, before: Array) -> Values:
    """Return ‖now − before‖ / ‖before‖ of every row; of a row of zeros that moved, infinite."""
    with np.errstate(all="ignore"):
        lengths = np.linalg.norm(before, axis=-1)
        apart = np.linalg.norm(now - before, axis=-1)
        return np.where(apart == 0, 0.0, apart / lengths)


# --- prediction -----------------------------------------------------------------------------------
USUAL, MOST = 10, 20
DECIMALS = 4


def share_text(share: float) -> str:
    """Return a probability with four decimals; with a power of ten where none of these says anything."""
    return format_number(share, DECIMALS) if share == 0 or share >= 0.5 * 10**-DECIMALS else scientific(share, 2)


@dataclass(frozen=True, eq=False)
class TokenPredictions:
    """The likeliest tokens after (or, `inside`, in the place of) a token; `changed`: anything is changed by hand."""

    token: str
    inside: bool
    changed: bool
    rows: tuple[LikelyToken, ...]


class PredictionPage(ModelPage[TokenPredictions]):
    """Shows the softmax of the logits at the chosen token of the text."""

    name = "prediction"
    title = N_("Pages", "Prediction")
    words = "next token probability logits 预测 下一个 词元 概率"
    options = (
        NumberOption(
            "count",
            N_("Pages", "tokens"),
            N_("Pages", "How many of the likeliest next tokens are listed"),
            USUAL,
            (1, MOST),
            whole=True,
        ),
    )

    def read(self, evaluation: Evaluation, context: PageContext, progress: Progress) -> TokenPredictions:
        from attn_gui.models.attribution import likely

        model = model_of(context)
        rows = likely(model.now, model.before, model.position, int(context.options["count"]))
        progress(1.0)
        token = visible_text(model.now.texts[model.position])
        return TokenPredictions(token, not model.now.model.sizes.causal, model.now is not model.before, rows)

    def plan(self, content: TokenPredictions, style: PageStyle, size: Sides) -> PageDrawing:
        words = style.translate("Pages", "In the place of “{token}”") if content.inside else None
        title = words or style.translate("Pages", "After “{token}”")
        now, before = style.translate("Pages", "now"), style.translate("Pages", "before")
        rows = []
        for row in content.rows:
            token = visible_text(row.text)
            said = f"{token}: {now} {share_text(row.now)}"
            if content.changed:
                said += f", {before} {share_text(row.before)}"
            values = (row.now, row.before) if content.changed else (row.now,)
            rows.append(BarRow(token, values, PageSpot(said)))
        subtitle = style.translate("Pages", "Probability of each token: softmax of the logits")
        if content.changed:
            subtitle += f" · {now} | {before}"
        layout = BarRows(
            rows, style, size, title=title.format(token=content.token), subtitle=subtitle, written=share_text
        )
        return layout.drawing(style.translate("Pages", self.title))


# --- Token that pages of a logit ask for: one of the likeliest, less another one or none ---
NO_TOKEN = N_("This model predicts no token here.")
NONE = ""
"""The key of no other token."""
ALONE = page_words(N_("Pages", "nothing"))


def _tokens(context: PageContext, _values: Chosen) -> Mapping[str, Words]:
    rows = () if context.model is None else context.model.likely
    return {row.token: (("", visible_text(row.text)),) for row in rows} or {NONE: ALONE}


def _others(context: PageContext, values: Chosen) -> Mapping[str, Words]:
    return {NONE: ALONE} | {
        token: words for token, words in _tokens(context, values).items() if token != values["token"]
    }


TOKEN = ChoiceOption(
    "token", N_("Pages", "logit of"), N_("Pages", "The token whose logit is explained, one of the likeliest"), _tokens
)
AGAINST = ChoiceOption(
    "against",
    N_("Pages", "less that of"),
    N_("Pages", "A second token whose logit is taken off: what makes the first one likelier than it"),
    _others,
)


def asked(context: PageContext) -> tuple[ModelContext, str, str | None]:
    """Return the model, the token whose logit is asked for, and the one whose logit is taken off.

    Raises FieldError where the model predicts no token.
    """
    if not context.options["token"]:
        raise FieldError(NO_TOKEN)
    return model_of(context), context.options["token"], context.options["against"] or None


def logit_name(run: Run, token: str, against: str | None) -> str:
    """Return the name of a logit, or of a difference of two."""
    shown = f"“{visible_text(run.text_of(token))}”"
    return shown if against is None else f"{shown} − “{visible_text(run.text_of(against))}”"


# --- Page of the heads that matter: what a logit loses without each, beside what its gradient foretells ---
RANKED, MAPS = "ranked", "maps"
SHOWN = {RANKED: page_words(N_("Pages", "ranked")), MAPS: page_words(N_("Pages", "as maps"))}
MOST_ROWS = 16


@dataclass(frozen=True, eq=False)
class HeadEffects:
    """(layers, heads): the change of a logit without a head, and −Σ gradient · result of it."""

    name: str
    true: Array
    foretold: Array
    layer: int
    ranked: bool


class HeadEffectsPage(LayersPage[HeadEffects]):
    """Shows each head switched off in turn, and how far a first-order estimate is from that."""

    name = "heads_off"
    title = N_("Pages", "Heads that matter")
    words = "importance ablation knock out ranking gradient attribution patching 重要性 消融 排名 归因 梯度"
    options = (
        TOKEN,
        AGAINST,
        ChoiceOption(
            "shown",
            N_("Pages", "shown"),
            N_("Pages", "The heads ranked by what they change, or as maps of layers and heads"),
            SHOWN,
        ),
    )

    def read(self, evaluation: Evaluation, context: PageContext, progress: Progress) -> HeadEffects:
        model, token, against = asked(context)
        true = models.head_effects(model.now, token, against, model.position, within(progress, 0, 2))
        foretold = _foretold(model.now, token, against, model.position, within(progress, 1, 2))
        ranked = context.options["shown"] == RANKED
        return HeadEffects(logit_name(model.now, token, against), true, foretold, model.layer, ranked)

    def plan(self, content: HeadEffects, style: PageStyle, size: Sides) -> PageDrawing:
        title = style.translate("Pages", "Change of the logit of {name} without a head").format(name=content.name)
        names = style.translate("Pages", "each head off in turn"), style.translate("Pages", "−Σ gradient · result")
        if content.ranked:
            rows = _rows(content, style, names)
            layout = BarRows(
                rows,
                style,
                size,
                title=title,
                subtitle=" | ".join(names),
                written=lambda value: format_number(value, 3),
            )
            return layout.drawing(style.translate("Pages", self.title))
        maps = dict(zip(names, (content.true, content.foretold), strict=True))
        return LayerGrid(
            style, size, maps, heads=True, layer=content.layer, signed=True, title=title, subtitle=" | ".join(names)
        ).drawing()


def _rows(content: HeadEffects, style: PageStyle, names: tuple[str, str]) -> list[BarRow]:
    """Return the heads with the largest effects, the largest first."""
    order = np.argsort(-np.abs(content.true), axis=None, kind="stable")[:MOST_ROWS]
    found = []
    for layer, head in zip(*np.unravel_index(order, content.true.shape), strict=True):
        name = style.translate("Pages", "layer {layer}").format(layer=layer) + f" · {style.words.head.format(head)}"
        values = float(content.true[layer, head]), float(content.foretold[layer, head])
        said = ", ".join(f"{what} {format_number(value, 4)}" for what, value in zip(names, values, strict=True))
        found.append(BarRow(name, values, PageSpot(f"{name}: {said}", head=(int(layer), int(head)))))
    return found


def _foretold(run: Run, token: str, against: str | None, position: int, progress: Progress) -> Array:
    """Return −Σ gradient · result of every head: the first-order estimate of switching it off."""
    layers, found = run.model.num_layers, []
    for layer, slopes in run.gradients(token, RESULT, against, position):
        found.append(-(slopes * run.stage(layer, RESULT)).sum(axis=(0, -2, -1)))
        progress(1 - layer / layers)
    return np.array(found[::-1])


# --- Page of the logit lens: the likeliest token after every layer, as though the model ended there ---
LENS_POSITIONS = 24
"""Tokens across; of more, the last ones up to the chosen one."""
ROW, LEAST_ROW, LEAST_COLUMN = 22.0, 13.0, 14.0


@dataclass(frozen=True, eq=False)
class LogitLens:
    """(layers + 1, tokens): the likeliest token after (or, `inside`, in the place of) each, and its probability.

    The first row is of the embeddings alone.
    """

    tokens: tuple[str, ...]
    inside: bool
    first: int
    found: tuple[tuple[str, ...], ...]
    shares: Values


class LensLayout(PageLayout):
    """A row for each layer, the last at the bottom, and a column for each token of the text."""

    def __init__(self, lens: LogitLens, style: PageStyle, size: Sides) -> None:
        self.lens, self.style = lens, style
        rows, columns = lens.shares.shape
        self.names = [style.translate("Pages", "embeddings")]
        self.names += [style.translate("Pages", "after layer {layer}").format(layer=k) for k in range(rows - 1)]
        self.label = max(map(metrics("micro").horizontalAdvance, self.names)) + SPACING.m
        self.head = metrics("micro").height() + SPACING.s
        self.frame = with_frame(
            style,
            size,
            title=style.translate("Pages", LensPage.title),
            subtitle=style.translate(
                "Pages", "Likeliest token at every place, as though the model ended after a layer"
            ),
            note=style.translate("Pages", "The color of a cell is the probability of its token, from 0 to 1."),
            tall=lambda _across: self.head + rows * ROW,
            least=(self.label + columns * LEAST_COLUMN, self.head + rows * LEAST_ROW),
        )
        body = self.frame.body
        self.place = QRectF(
            body.left() + self.label,
            body.top() + self.head,
            body.width() - self.label,
            min(body.height() - self.head, rows * 1.6 * ROW),
        )

    def said(self) -> str:
        column = self.lens.shares.shape[1] - 1
        last = "; ".join(f"{name}: {self._token(row, column)}" for row, name in enumerate(self.names))
        return f"{self.frame.title}. {last}"

    def fields(self) -> tuple[SpotGrid, ...]:
        """Return the field of the cells: a hover says one in full."""
        return (SpotGrid(self.place, self._spot, *self.lens.shares.shape),)

    def _spot(self, row: int, column: int) -> PageSpot:
        share = format_number(float(self.lens.shares[row, column]), 4)
        translate = self.style.translate
        words = (
            translate("Pages", "In the place of “{token}”")
            if self.lens.inside
            else translate("Pages", "After “{token}”")
        )
        place = words.format(token=visible_text(self.lens.tokens[column]))
        return PageSpot(f"{self.names[row]}. {place}: {self._token(row, column)} {share}")

    def _token(self, row: int, column: int) -> str:
        """Return the likeliest one; where no probability is a number, none is."""
        return "" if np.isnan(self.lens.shares[row, column]) else visible_text(self.lens.found[row][column])

    def paint_body(self, painter: QPainter) -> None:
        theme, micro = self.style.theme, metrics("micro")
        rows, columns = self.lens.shares.shape
        high, wide = self.place.height() / rows, self.place.width() / columns
        display = to_display(self.lens.shares, None, Levels(0.0, 1.0))
        colors = argb(display, lut(ColorScale().palette_for(signed=False), theme.name), theme)
        for column, token in enumerate(self.lens.tokens):
            at = QPointF(self.place.left() + (column + 0.5) * wide, self.place.top() - SPACING.s)
            text = elided(token_label(token), wide - SPACING.xs, micro)
            write_line(painter, at, text, theme.key, FONT_SIZE.micro, anchor=MIDDLE)
        for row in range(rows):
            base = self.place.top() + (row + 0.5) * high + micro.capHeight() / 2
            at = QPointF(self.place.left() - SPACING.s, base)
            write_line(painter, at, self.names[row], theme.text2, FONT_SIZE.micro, anchor=END)
            for column in range(columns):
                color = int(colors[row, column])
                cell = QRectF(self.place.left() + column * wide, self.place.top() + row * high, wide, high)
                painter.fillRect(cell, QColor.fromRgb(color))
                text = elided(self._token(row, column), wide - SPACING.xs, micro)
                write_line(
                    painter,
                    QPointF(cell.center().x(), base),
                    text,
                    value_text_color(color),
                    FONT_SIZE.micro,
                    anchor=MIDDLE,
                )


class LensPage(ModelPage[LogitLens]):
    """Shows where in the model a prediction comes up; follows every change by hand.

    The final norm and the head are applied to the hidden state of each layer. Source: nostalgebraist (2020),
    "Interpreting GPT: the logit lens".
    """

    name = "lens"
    title = N_("Pages", "Logit lens")
    layout = LensLayout
    words = "layers prediction early exit hidden state unembed 透镜 各层 预测 隐藏状态"

    def read(self, evaluation: Evaluation, context: PageContext, progress: Progress) -> LogitLens:
        from attn_gui.models.forward_pass import softmax

        run, last = model_of(context).now, model_of(context).position + 1
        first = max(0, last - LENS_POSITIONS)
        layers = run.model.num_layers + 1
        found, shares = [], np.zeros((layers, last - first))
        for layer in range(layers):
            ids = []
            for place in range(first, last):
                odds = softmax(run.logits_at(place, layer).astype(np.float64))
                ids.append(int(np.argmax(odds)))
                shares[layer, place - first] = odds[ids[-1]]
            found.append(run.model.tokenizer.texts(ids))
            progress((layer + 1) / layers)
        return LogitLens(run.texts[first:last], not run.model.sizes.causal, first, tuple(found), shares)


# --- Page of the parts of a logit: what each head and everything else adds to it directly ---
@dataclass(frozen=True, eq=False)
class LogitParts:
    """A logit, its name and its parts; `layer` is on the table."""

    name: str
    logit: float
    parts: DirectLogits
    layer: int


class LogitPartsPage(LayersPage[LogitParts]):
    """Shows that a logit is a sum over embeddings, heads and MLPs, and says the difference of both."""

    name = "logit_parts"
    title = N_("Pages", "Parts of a logit")
    words = "direct logit attribution contributions heads mlp residual stream 直接归因 贡献 残差流 logit"
    options = (TOKEN, AGAINST)

    def read(self, evaluation: Evaluation, context: PageContext, progress: Progress) -> LogitParts:
        model, token, against = asked(context)
        parts = models.direct_logits(model.now, token, against, model.position)
        progress(1.0)
        logit = models.logit_difference(model.now, token, against, model.position)
        return LogitParts(logit_name(model.now, token, against), logit, parts, model.layer)

    def plan(self, content: LogitParts, style: PageStyle, size: Sides) -> PageDrawing:
        parts = content.parts
        shown = {
            "embedding": parts.embedding,
            "heads": parts.heads.sum(),
            "mlps": parts.mlps.sum(),
            "rest": parts.biases.sum() + parts.constant,
            "by_hand": parts.by_hand.sum(),
            "total": parts.total,
            "logit": content.logit,
        }
        note = style.translate(
            "Pages",
            "Embeddings {embedding}, heads {heads}, MLPs {mlps}, biases and norm {rest}: together {total}; "
            "the logit is {logit}.",
        )
        if parts.by_hand.any():
            note = style.translate(
                "Pages",
                "Embeddings {embedding}, heads {heads}, MLPs {mlps}, biases and norm {rest}, "
                "changes by hand {by_hand}: together {total}; the logit is {logit}.",
            )
        return LayerGrid(
            style,
            size,
            {"": parts.heads},
            heads=True,
            layer=content.layer,
            signed=True,
            title=style.translate("Pages", "Parts of the logit of {name}").format(name=content.name),
            subtitle=style.translate("Pages", "What each head adds to it directly"),
            note=note.format(**{key: format_number(float(value), 3) for key, value in shown.items()}),
        ).drawing()


# --- Page of patching: cells of one text put into another, layer by layer, and what comes back of the prediction ---
PATCHED, BOTH = "patched", "both"
BESIDE = {
    PATCHED: page_words(N_("Pages", "as patched")),
    BOTH: page_words(N_("Pages", "beside what the gradient predicts")),
}
BLOCK = tuple(STAGE)[-1]
"""The output of a layer."""
AXES = {HEADS: (RESULT, "head"), TOKENS: (BLOCK, "query")}
"""The stage that is put over, and its axis that is swept."""
NO_OTHER = N_("Type a second text of {count} tokens below the first: its run is what is patched.")


@dataclass(frozen=True, eq=False)
class PatchingEffects:
    """(layers, heads or tokens): the share of the logit that comes back, and to first order where it is asked for; the
    first text as tokens."""

    name: str
    shares: Array
    foretold: Array | None
    heads: bool
    tokens: tuple[str, ...]
    layer: int


class PatchingPage(LayersPage[PatchingEffects]):
    """Shows where in the model what the two texts differ in is carried.

    The second text is run, and in it one head or token of one layer at a time is as in the first. Source: Meng, Bau,
    Andonian, Belinkov (2022), "Locating and Editing Factual Associations in GPT".
    """

    name = "patching"
    title = N_("Pages", "Patching from the first text")
    words = "activation patching causal tracing clean corrupted 激活修补 因果追踪 对照"
    options = (
        OF,
        TOKEN,
        AGAINST,
        ChoiceOption(
            "shown",
            N_("Pages", "shown"),
            N_("Pages", "What each patch does to the logit, alone or beside what the gradient predicts of it"),
            BESIDE,
        ),
    )

    def read(self, evaluation: Evaluation, context: PageContext, progress: Progress) -> PatchingEffects:
        model, token, against = asked(context)
        count = len(model.now.ids)
        if model.other is None or len(model.other.ids) != count:
            raise FieldError(NO_OTHER, count=count)
        stage, axis = AXES[context.options["of"]]
        both = context.options["shown"] == BOTH
        sweep = partial(models.patch_sweep, model.other, model.now, token, against, position=model.position)
        slopes = partial(models.patch_foretold, model.other, model.now, token, against, position=model.position)
        shares = sweep(stage=stage, axis=axis, progress=within(progress, 0, 1 + both))
        foretold = slopes(stage=stage, axis=axis, progress=within(progress, 1, 2)) if both else None
        tokens = tuple(token_of(model.now.texts, place) for place in range(count))
        name = logit_name(model.now, token, against)
        return PatchingEffects(name, shares, foretold, context.options["of"] == HEADS, tokens, model.layer)

    def plan(self, content: PatchingEffects, style: PageStyle, size: Sides) -> PageDrawing:
        maps = {"": content.shares}
        if content.foretold is not None:
            names = style.translate("Pages", "patched"), style.translate("Pages", "Σ gradient · (first − second)")
            maps = dict(zip(names, (content.shares, content.foretold), strict=True))
        title = style.translate("Pages", "Recovered part of the logit of {name}").format(name=content.name)
        return LayerGrid(
            style,
            size,
            maps,
            heads=content.heads,
            layer=content.layer,
            names=content.tokens,
            signed=True,
            title=title,
            subtitle=style.translate("Pages", "0 as in the second text, 1 as in the first"),
        ).drawing()
