"""The page of 1/√d_k says of the softmax of a row only what its weights show."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtGui import QFontMetricsF, QImage, QPainter

from attn_gui.engine import DenseEvaluation, Problem
from attn_gui.figure.design_tokens import FONT_SIZE
from attn_gui.figure.page_catalog import PAGES
from attn_gui.figure.pages.base import PageStyle, metrics, settled
from attn_gui.figure.pages.context import PageContext
from attn_gui.figure.pages.plot import PlotNote
from attn_gui.figure.pages.sqrt_d_k import RootLayout
from attn_gui.figure.text.fonts import code_font

PAGE = PAGES["sqrt_d_k"]


def said(problem, query=0, **options):
    evaluation = DenseEvaluation(problem)
    context = PageContext.at(evaluation, 0, 0, "weights", (query, 0))
    content = PAGE.read(
        evaluation, replace(context, options=settled(PAGE.options, context, options)), lambda share: None
    )
    return PAGE.plan(content, PageStyle(), None, None).said


@pytest.fixture
def problem():
    random = np.random.default_rng(3).standard_normal
    return Problem(query=random((3, 4)), key=random((3, 4)), value=random((3, 2)))


def test_a_row_of_one_key_or_none_has_nothing_to_saturate(problem):
    for layer, expected in (
        ({"kind": "causal"}, "has one open key"),
        ({"kind": "custom", "allowed": np.zeros((3, 3), bool)}, "no open key"),
    ):
        found = said(problem.replace(mask=[layer]))
        assert expected in found
        assert "saturate" not in found


def test_weights_by_hand_are_not_taken_for_the_softmax(problem):
    by_hand = {"kind": "set", "stage": "weights", "at": {"query": 0, "key": 0}, "values": 2.0}
    changed = problem.replace(interventions=[by_hand])
    assert "changed by hand" in said(changed)
    assert "saturate" not in said(changed)
    assert "by hand" not in said(changed, query=1)


def test_of_weights_that_are_no_numbers_nothing_is_said_of_saturation(problem):
    wild = problem.query.copy()
    wild[0, 0] = np.nan
    assert "Weights of this row are not numbers" in said(problem.replace(query=wild))
    assert "saturate" not in said(problem.replace(query=wild))


def test_a_saturated_row_is_not_said_to_have_no_gradient():
    problem = Problem(query=[[0.01]], key=[[318.0], [0.0]], value=np.eye(2), scale=1.0)
    found = said(problem)
    assert "one weight takes 0.9601" in found
    assert "hardly" not in found


@pytest.mark.parametrize("numbers", ["these", "random"])
def test_the_rows_that_are_read_of_a_long_problem_are_those_of_the_problem(numbers):
    random = np.random.default_rng(3).standard_normal
    problem = Problem(**{name: random((2048, 1)) for name in ("query", "key", "value")})
    assert "Of this long problem 128 rows" in said(problem, numbers=numbers, d_k=0)


@pytest.mark.parametrize(
    ("width", "factor"), [(64, 1.05), (64, 0.8), (16, 1.0), (4, 1.0), (64, 0.02), (128, 1.4), (400, 1.0)]
)
def test_the_variance_of_these_scores_is_written_beside_the_lines(qtbot, monkeypatch, width, factor):
    random = np.random.default_rng(3).standard_normal
    query = random((8, width)) * np.sqrt(factor)
    problem = Problem(query=query, key=random((8, width)), value=random((8, 2)))
    evaluation = DenseEvaluation(problem)
    context = PageContext.at(evaluation, 0, 0, "weights", (0, 0))
    content = PAGE.read(evaluation, replace(context, options=settled(PAGE.options, context, {})), lambda share: None)
    drawing = PAGE.plan(content, PageStyle(), 600, None)
    image = QImage(round(drawing.width), round(drawing.height), QImage.Format.Format_RGB32)
    image.fill("white")
    painter = QPainter(image)
    monkeypatch.setattr(PlotNote, "paint", lambda *_: None)  # what lies below the words
    drawing.paint_all(painter)
    painter.end()
    notes = [mark for mark in drawing.fields[0].plot.marks if isinstance(mark, PlotNote)]
    at, word, anchor = next((note.at, note.text, note.anchor) for note in notes if note.text.startswith("these"))
    metric = metrics("micro")
    left = at.x() - (metric.horizontalAdvance(word) if anchor == "end" else 0)
    inside = [
        image.pixelColor(x, y)
        for x in range(round(left), round(left + metric.horizontalAdvance(word)))
        for y in range(round(at.y() - metric.capHeight()), round(at.y()))
    ]
    assert not [color for color in inside if max(color.getRgb()[:3]) - min(color.getRgb()[:3]) > 60]


def test_the_axis_of_two_queries_counts_them_whole(problem):
    two = problem.replace(query=problem.query[:2])
    evaluation = DenseEvaluation(two)
    context = PageContext.at(evaluation, 0, 0, "weights", (0, 0))
    context = replace(context, options=settled(PAGE.options, context, {}))
    layout = RootLayout(PAGE.read(evaluation, context, lambda share: None), PageStyle(), 300.0, None)
    assert layout.entropy.axes.across.ticks() == [0.0, 1.0]


def test_the_page_says_what_the_norm_of_the_jacobian_is(problem):
    assert "the size of the softmax's derivative" in said(problem)


def test_code_has_letters_of_one_width(qapp):
    letters = QFontMetricsF(code_font(FONT_SIZE.small))
    assert letters.horizontalAdvance("iiii....") == letters.horizontalAdvance("MMMM====")
