"""Text of pages in files: wrapped or smaller, and never cut by "…": a figure has no tooltip that says the rest."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtGui import QFontMetricsF, QImage, QPainter

from attn_gui import load, render
from attn_gui.engine import Problem
from attn_gui.engine.evaluation.choice import evaluation_of
from attn_gui.figure import writers as output_text
from attn_gui.figure.page_catalog import PAGES
from attn_gui.figure.pages.base import NoRoom, PageStyle, settled
from attn_gui.figure.pages.context import ModelContext, PageContext
from attn_gui.models import open_model
from attn_gui.models.attribution import likely
from attn_gui.paths import resource

CM = 96 / 2.54
PANEL = 286.0, 360.0  # the least that the window gives a page
WIDTHS = {"paper-column": 8.5 * CM, "12 cm": 12 * CM, "own": None}


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


def planned(kind, problem, model, lang, width, height=None):
    evaluation = evaluation_of(problem)
    context = PageContext.at(evaluation, 0, min(3, problem.num_heads - 1), "weights", (1, 1))
    context = replace(context, model=model)
    context = replace(context, options=settled(kind.options, context, {}))
    content = kind.read(evaluation, context, lambda share: None)
    while True:
        try:
            return kind.plan(content, PageStyle(lang=lang), width, height)
        except NoRoom as lack:
            width, height = (lack.least, height) if lack.side == "width" else (width, lack.least)


@pytest.mark.filterwarnings("ignore:.*not used")
@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", PAGES)
def test_no_text_of_a_page_is_cut(qapp, problems, monkeypatch, name, width, lang):
    written, write, drawn = [], output_text.write_text, 0
    monkeypatch.setattr(output_text, "write_text", lambda *given: (written.append(given[2]), write(*given)))
    for problem, model in problems:
        if not PAGES[name].is_there(problem, model):
            continue
        page = planned(PAGES[name], problem, model, lang, WIDTHS[width])
        image = QImage(int(page.width) + 1, int(page.height) + 1, QImage.Format.Format_RGB32)
        painter = QPainter(image)
        page.paint(painter)
        painter.end()
        drawn += 1
        tokens = (*(problem.query_tokens or ()), *(problem.key_tokens or ()))
        cut = [text for text in written if text.endswith("…")]
        assert [text for text in cut if not any(token.startswith(text[:-1]) for token in tokens)] == []
        raw = [text for text in written if re.search(r"[A-Za-z]_[A-Za-z]", text)]
        assert raw == [] or "python" in PAGES[name].words, "the index of a symbol is lowered"
    assert drawn


@pytest.mark.filterwarnings("ignore:.*not used")
@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("name", PAGES)
def test_no_text_of_a_page_in_the_panel_runs_over_its_edge_or_another(qapp, problems, monkeypatch, name, lang):
    places = []

    def write(painter, at, text, anchor=output_text.START, width=None):
        box = QFontMetricsF(painter.font()).tightBoundingRect(text)
        box.moveLeft(at.x() + box.left() - output_text.SHARES[anchor] * painter.fontMetrics().horizontalAdvance(text))
        box.moveBottom(at.y())
        places.append((text, painter.transform().mapRect(box)))

    monkeypatch.setattr(output_text, "write_text", write)
    for problem, model in problems:
        if not PAGES[name].is_there(problem, model):
            continue
        page = planned(PAGES[name], problem, model, lang, *PANEL)
        places.clear()
        image = QImage(int(page.width) + 1, int(page.height) + 1, QImage.Format.Format_RGB32)
        painter = QPainter(image)
        page.paint(painter)
        painter.end()
        over = [text for text, box in places if box.left() < -1 or box.right() > page.width + 1]
        assert over == []
        inner = [(text, box.adjusted(1, 2, -1, -2)) for text, box in places]
        met = [(text, other) for k, (text, one) in enumerate(inner) for other, two in inner[:k] if one.intersects(two)]
        assert met == []


@pytest.mark.filterwarnings("ignore:.*not used")
def test_two_maps_one_below_the_other_are_no_thumbnails(qapp, problems):
    problem = next(problem for problem, _ in problems if problem.num_heads > 1 and problem.m > 10)
    for name in ("over_heads", "value_weighted"):
        fields = planned(PAGES[name], problem, None, "zh", *PANEL).fields
        assert min(side for field in fields[:2] for side in field.place.size().toTuple()) >= 100


@pytest.mark.filterwarnings("ignore:.*not used")
def test_the_line_of_the_readme_says_its_sentence_whole(tmp_path):
    problem = load(resource("examples", "minilm-layer2.npz"))
    given = {"picture": "gradient_maps", "heads": 3, "cell": (10, 13), "style": "paper-column"}
    render(problem, tmp_path / "a.svg", **given)
    said = (tmp_path / "a.svg").read_text("utf-8")
    assert "unit" in said
    assert "…" not in said
