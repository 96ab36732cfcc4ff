"""Page of the logit lens: the likeliest token after every layer, as though the model ended there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QPainter

from attn_gui.engine import Evaluation
from attn_gui.engine.progress import Tell
from attn_gui.figure.colors import lut, value_text_color
from attn_gui.figure.display import Levels, Values, argb, to_display
from attn_gui.figure.levels import Shade
from attn_gui.figure.output.text import END, MIDDLE, write_line
from attn_gui.figure.pages.aim import Aim
from attn_gui.figure.pages.frame import framed
from attn_gui.figure.pages.ink import Ink, metrics
from attn_gui.figure.pages.page_drawing import Drawing, Field, Spot
from attn_gui.figure.pages.page_kind import PageKind
from attn_gui.figure.pages.predicting.prediction_page import NEEDS
from attn_gui.figure.text.labels import elided, token_label
from attn_gui.figure.text.numbers import format_number
from attn_gui.figure.tokens import FONT_SIZE, SPACING
from attn_gui.formats.file_sentences import QT_TRANSLATE_NOOP
from attn_gui.formats.visible_text import visible_text
from attn_gui.models.forward_pass import softmax

MOST = 24
"""Tokens across; of more, the last ones up to the chosen one."""
ROW, LEAST_ROW, LEAST_COLUMN = 22.0, 13.0, 14.0


@dataclass(frozen=True, eq=False)
class Lens:
    """(layers + 1, tokens): the likeliest token after (or, `inside`, in the place of) each, and its probability.

    The first row is of the embeddings alone.
    """

    tokens: tuple[str, ...]
    inside: bool
    first: int
    found: tuple[tuple[str, ...], ...]
    shares: Values


class LensPage(PageKind[Lens]):
    """Shows where in the model a prediction comes up; follows every change by hand.

    The final norm and the head are applied to the hidden state of each layer. Source: nostalgebraist (2020),
    "Interpreting GPT: the logit lens".
    """

    name = "lens"
    title = QT_TRANSLATE_NOOP("Pages", "Logit lens")
    words = "layers prediction early exit hidden state unembed 透镜 各层 预测 隐藏状态"
    needs = NEEDS
    of_model = True
    reads = frozenset()

    def read(self, evaluation: Evaluation, aim: Aim, tell: Tell) -> Lens:
        assert aim.model is not None, "it is only there with a model"
        run, last = aim.model.now, aim.model.position + 1
        first = max(0, last - MOST)
        layers = run.model.num_layers + 1
        found, shares = [], np.zeros((layers, last - first))
        for layer in range(layers):
            ids = []
            for place in range(first, last):
                odds = softmax(run.logits_at(place, layer).astype(np.float64))
                ids.append(int(np.argmax(odds)))
                shares[layer, place - first] = odds[ids[-1]]
            found.append(run.model.tokenizer.texts(ids))
            tell((layer + 1) / layers)
        return Lens(run.texts[first:last], not run.model.sizes.causal, first, tuple(found), shares)

    def plan(self, content: Lens, ink: Ink, width: float | None, height: float | None) -> Drawing:
        return _Layout(content, ink, width, height).drawing()


class _Layout:
    """A row for each layer, the last at the bottom, and a column for each token of the text."""

    def __init__(self, lens: Lens, ink: Ink, width: float | None, height: float | None) -> None:
        self.lens, self.ink = lens, ink
        rows, columns = lens.shares.shape
        self.names = [ink.translate("Pages", "embeddings")]
        self.names += [ink.translate("Pages", "after layer {layer}").format(layer=k) for k in range(rows - 1)]
        self.label = max(map(metrics("micro").horizontalAdvance, self.names)) + SPACING.m
        self.head = metrics("micro").height() + SPACING.s
        self.frame = framed(
            ink,
            width,
            height,
            title=ink.translate("Pages", LensPage.title),
            subtitle=ink.translate("Pages", "Likeliest token at every place, as though the model ended after a layer"),
            note=ink.translate("Pages", "The color of a cell is the probability of its token, from 0 to 1."),
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

    def drawing(self) -> Drawing:
        """The page; a hover says a cell in full."""
        frame, rows = self.frame, self.lens.shares.shape
        column = self.lens.shares.shape[1] - 1
        last = "; ".join(f"{name}: {self._token(row, column)}" for row, name in enumerate(self.names))
        field = Field(self.place, self._spot, *rows)
        return Drawing(frame.width, frame.height, frame.title, f"{frame.title}. {last}", self._paint, (field,))

    def _spot(self, row: int, column: int) -> Spot:
        share = format_number(float(self.lens.shares[row, column]), 4)
        translate = self.ink.translate
        words = (
            translate("Pages", "In the place of “{token}”")
            if self.lens.inside
            else translate("Pages", "After “{token}”")
        )
        place = words.format(token=visible_text(self.lens.tokens[column]))
        return Spot(f"{self.names[row]}. {place}: {self._token(row, column)} {share}")

    def _token(self, row: int, column: int) -> str:
        """The likeliest one; where no probability is a number, none is."""
        return "" if np.isnan(self.lens.shares[row, column]) else visible_text(self.lens.found[row][column])

    def _paint(self, painter: QPainter) -> None:
        self.frame.paint(painter)
        theme, micro = self.ink.theme, metrics("micro")
        rows, columns = self.lens.shares.shape
        high, wide = self.place.height() / rows, self.place.width() / columns
        display = to_display(self.lens.shares, None, Levels(0.0, 1.0))
        colors = argb(display, lut(Shade().palette_for(signed=False), theme.name), theme)
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
