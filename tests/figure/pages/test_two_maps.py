"""Two maps beside each other name the tokens of queries and of keys, where their cells are large enough."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtGui import QImage, QPainter

from attn_gui.engine import DenseEvaluation, Problem
from attn_gui.figure import writers
from attn_gui.figure.page_catalog import PAGES
from attn_gui.figure.pages.base import PageStyle
from attn_gui.figure.pages.context import PageContext

TOKENS = tuple("abcdefgh")


@pytest.mark.parametrize("name", ["over_heads", "value_weighted"])
@pytest.mark.parametrize("width", [900, 240])
def test_every_token_is_named_on_both_sides_of_both_maps(qtbot, monkeypatch, name, width):
    written = []
    monkeypatch.setattr(writers, "write_text", lambda _painter, _at, word, *_, **__: written.append(word))
    random = np.random.default_rng(0).standard_normal
    rows = {role: random((8, 6)) for role in ("query", "key", "value")}
    evaluation = DenseEvaluation(Problem(**rows, num_heads=2, query_tokens=TOKENS, key_tokens=TOKENS))
    context = PageContext.at(evaluation, 0, 0, "weights", (1, 2))
    drawing = PAGES[name].plan(PAGES[name].read(evaluation, context, lambda share: None), PageStyle(), width, 600)
    image = QImage(round(drawing.width), round(drawing.height), QImage.Format.Format_RGB32)
    painter = QPainter(image)
    drawing.paint(painter)
    painter.end()
    assert [written.count(token) for token in TOKENS] == [4] * len(TOKENS)


def test_no_room_stays_empty_over_maps_that_are_too_small_for_tokens(qtbot):
    random = np.random.default_rng(0).standard_normal
    rows = {role: random((16, 6)) for role in ("query", "key", "value")}
    tokens = tuple(f"token {index}" for index in range(16))
    tops = []
    for named in ({}, {"query_tokens": tokens, "key_tokens": tokens}):
        evaluation = DenseEvaluation(Problem(**rows, **named))
        context = PageContext.at(evaluation, 0, 0, "weights", (1, 2))
        read = PAGES["value_weighted"].read(evaluation, context, lambda share: None)
        tops.append([field.place.top() for field in PAGES["value_weighted"].plan(read, PageStyle(), 300, 540).fields])
    assert tops[0] == tops[1]
