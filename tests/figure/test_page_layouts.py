"""Layouts of pages: all of a page is on it, and no text is cut or runs into another.

In files text is wrapped or smaller, and never cut by "…": a figure has no tooltip that says the rest.
"""

import re
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtGui import QColor, QImage, QPainter

from attn_gui import load
from attn_gui.engine import Problem
from attn_gui.engine.evaluation.trace import evaluation_of
from attn_gui.figure.figure_kinds import PAGES
from attn_gui.figure.pages import dependence as dependence_page
from attn_gui.figure.pages import page_charts
from attn_gui.figure.pages.model import HeadEffects
from attn_gui.figure.pages.page_kind import (
    MARGIN,
    ModelContext,
    NoRoom,
    PageContext,
    PageStyle,
    option_values,
    with_frame,
)
from attn_gui.models import open_model
from attn_gui.models.attribution import likely
from attn_gui.paths import resource
from tests.failing import each
from tests.seen import overlapping, pixels_of

CM = 96 / 2.54
PANEL = 286.0, 360.0  # the least that the window gives a page
WIDTHS = (8.5 * CM, None)
BACKGROUND = QColor("#123456")
SIZES = st.floats(0.1, 5000)

pytestmark = pytest.mark.filterwarnings("ignore:.*not used")


@pytest.fixture(scope="module")
def problems():
    """Layers of a model, with tokens and without, and of single columns: each page applies to one at least."""
    run = open_model(resource("models", "toy-induction")).run("k x b p f k x b p")
    other = run.model.run("k x b p h k x b p")
    random = np.random.default_rng(0).standard_normal
    column = Problem(query=random((5, 1)), key=random((7, 1)), value=random((7, 1)), score="gaussian")
    examples = [load(resource("examples", f"{name}.npz")) for name in ("worked-example", "minilm-layer2")]
    context = ModelContext(run, run, 0, len(run.ids) - 1, likely(run, run, len(run.ids) - 1, 4), other)
    return [(run.problem(0), context), *((problem, None) for problem in (*examples, column))]


@pytest.fixture(scope="module")
def contents(problems):
    """What a page shows of each problem that it applies to, read once for all widths and languages."""

    @cache
    def of(name):
        found, kind = [], PAGES[name]
        for problem, model in problems:
            if kind.is_there(problem, model):
                evaluation = evaluation_of(problem)
                context = PageContext.at(evaluation, 0, min(3, problem.num_heads - 1), "weights", (1, 1))
                context = replace(context, model=model)
                context = replace(context, options=option_values(kind.options, context, {}))
                found.append((problem, kind.read(evaluation, context, lambda share: None)))
        assert found
        return found

    return of


def planned(name, content, lang, width, height=None):
    while True:
        try:
            return PAGES[name].plan(content, PageStyle(lang=lang), (width, height))
        except NoRoom as lack:
            width, height = (lack.least, height) if lack.side == "width" else (width, lack.least)


def paint(drawing, width, height, *, all_of_it=False):
    image = QImage(width, height, QImage.Format.Format_RGB32)
    image.fill(BACKGROUND)
    painter = QPainter(image)
    (drawing.paint_all if all_of_it else drawing.paint)(painter)
    painter.end()
    return image


def painted(drawing):
    """The pixels of a much larger sheet that are painted, (rows, columns)."""
    image = paint(drawing, int(drawing.width * 2), int(drawing.height * 3), all_of_it=True)
    return pixels_of(image) != BACKGROUND.rgb()


HEADINGS = {"head_contributions": {"norm", "share of Y"}}  # of columns, which nothing else says


@pytest.mark.family(6)
@pytest.mark.parametrize("name", PAGES)
def test_no_text_of_a_page_is_cut_and_in_the_panel_none_runs_over_its_edge_or_another(contents, written, name):
    for problem, content in contents(name):
        tokens = (*(problem.query_tokens or ()), *(problem.key_tokens or ()))
        for lang in ("en", "zh"):
            written.clear()
            for width in WIDTHS:
                paint(planned(name, content, lang, width), 1, 1)
            cut = [text for text, _ in written if text.endswith("…")]
            assert [text for text in cut if not any(token.startswith(text[:-1]) for token in tokens)] == []
            raw = [text for text, _ in written if re.search(r"[A-Za-z]_[A-Za-z]", text)]
            assert raw == [] or "python" in PAGES[name].words, "the index of a symbol is lowered"
            assert [text for text, _ in written if "。 " in text] == [], "no blank between Chinese sentences"
            assert lang != "en" or HEADINGS.get(name, set()) <= {text for text, _ in written}
            written.clear()
            page = planned(name, content, lang, *PANEL)
            paint(page, 1, 1)
            assert [text for text, box in written if box.left() < -1 or box.right() > page.width + 1] == []
            assert overlapping(written) == []


@given(SIZES, SIZES, SIZES, st.text(max_size=200))
def test_a_page_has_room_at_its_own_size_and_at_the_least(width, least, tall, note):
    def made(width, height):
        size = least / 3, least
        return with_frame(PageStyle(), (width, height), title="", note=note, tall=lambda _: tall, least=size).height

    wide = max(width, least / 3 + 2 * MARGIN)
    assert made(wide, None) > least
    with pytest.raises(NoRoom) as lack:
        made(wide, 0.01)
    assert made(wide, lack.value.least) == lack.value.least
    with pytest.raises(NoRoom) as lack:
        made(0.01, None)
    made(lack.value.least, None)


def test_the_lines_of_the_table_below_the_maps_are_on_the_page_one_under_the_other(contents, monkeypatch):
    drawing, lines = planned("dependence", contents("dependence")[0][1], "en", None), []
    found = np.argwhere(painted(drawing))
    assert (found.max(axis=0) < (drawing.height, drawing.width)).all()
    monkeypatch.setattr(dependence_page, "write_line", lambda _painter, at, *_, **__: lines.append(at.y()))
    painted(drawing)
    below = max(field.rect(field.rows - 1, 0).bottom() for field in drawing.fields)
    assert len(set(lines)) == 8, "the names, and of each row its numbers, and the orders below those of three"
    assert all(below < line <= drawing.height for line in lines)
    assert lines == sorted(lines)


@each("layer", [0, 2])
def test_the_whole_row_of_the_layer_on_the_table_is_marked(layer, monkeypatch):
    marked, true = [], np.arange(12.0).reshape(3, 4)
    drawing = PAGES["heads_off"].plan(HeadEffects("t", true, true, layer, False), PageStyle(), (None, None))
    monkeypatch.setattr(
        page_charts, "paint_chosen_cell", lambda _painter, _place, _shape, cell, _style: marked.append(cell)
    )
    painted(drawing)
    assert marked == [(layer, -1)] * 2
