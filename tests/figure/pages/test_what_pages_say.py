"""Pages say of a problem what its numbers show: of NaN that it is NaN, of what is changed by hand that it is so."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtGui import QImage, QPainter

from attn_gui import compare_precisions
from attn_gui.cli import main
from attn_gui.engine import DenseEvaluation, Problem, compute, sensitivity
from attn_gui.engine.analysis.sensitivity import Contributions
from attn_gui.figure.page_catalog import PAGES
from attn_gui.figure.pages.contributions import ContributionParts
from attn_gui.figure.pages.gradients import CheckedGradient
from attn_gui.figure.pages.page_context import PageContext
from attn_gui.figure.pages.page_kind import PageStyle, metrics, option_values
from attn_gui.figure.pages.plot import PlotNote
from attn_gui.figure.pages.precisions import PrecisionLayout
from attn_gui.figure.pages.sqrt_d_k import RootLayout
from attn_gui.figure.pages.sweep import value_text
from attn_gui.figure.text.numbers import scientific
from attn_gui.formats import save_session
from tests.failing import each


@pytest.fixture
def random():
    return np.random.default_rng(3).standard_normal


@pytest.fixture
def problem(random):
    return Problem(query=random((3, 4)), key=random((3, 4)), value=random((3, 2)))


def read(name, problem, cell=(0, 0), head=0, stage="weights", **options):
    evaluation, page = DenseEvaluation(problem), PAGES[name]
    context = PageContext.at(evaluation, 0, head, stage, cell)
    context = replace(context, options=option_values(page.options, context, options))
    return page.read(evaluation, context, lambda share: None)


def laid_out(name, content, width=None):
    return PAGES[name].plan(content, PageStyle(), (width, None))


def said(name, problem, *where, **options):
    return laid_out(name, read(name, problem, *where, **options)).said


def weight_by_hand(values, query=0, **more):
    return {"interventions": [{"kind": "set", "stage": "weights", "at": {"query": query, **more}, "values": values}]}


def custom(allowed):
    return {"mask": [{"kind": "custom", "allowed": np.asarray(allowed, bool)}]}


# --- 1/√d_k and the softmax of a row ---


def test_of_the_softmax_of_a_row_only_what_its_weights_show_is_said(problem):
    wild = problem.query.copy()
    wild[0, 0] = np.nan
    by_hand = problem.replace(**weight_by_hand(2.0, key=0))
    for changed, expected in (
        (problem.replace(mask=[{"kind": "causal"}]), "has one open key"),
        (problem.replace(**custom(np.zeros((3, 3)))), "no open key"),
        (by_hand, "changed by hand"),
        (problem.replace(query=wild), "Weights of this row are not numbers"),
    ):
        found = said("sqrt_d_k", changed)
        assert expected in found
        assert "saturate" not in found
    assert "by hand" not in said("sqrt_d_k", by_hand, (1, 0))
    steep = said("sqrt_d_k", Problem(query=[[0.01]], key=[[318.0], [0.0]], value=np.eye(2), scale=1.0))
    assert "one weight takes 0.9601" in steep
    assert "hardly" not in steep
    assert "the size of the softmax's derivative" in said("sqrt_d_k", problem)


@each("numbers", ["these", "random"])
def test_the_rows_that_are_read_of_a_long_problem_are_those_of_the_problem(random, numbers):
    long = Problem(**{name: random((2048, 1)) for name in ("query", "key", "value")})
    assert "Of this long problem 128 rows" in said("sqrt_d_k", long, numbers=numbers, d_k=0)


@each(("width", "factor"), [(64, 1.05), (64, 0.8), (16, 1.0), (4, 1.0), (64, 0.02), (128, 1.4), (400, 1.0)])
def test_the_variance_of_these_scores_is_written_beside_the_lines(qtbot, monkeypatch, width, factor):
    random = np.random.default_rng(3).standard_normal
    query = random((8, width)) * np.sqrt(factor)
    problem = Problem(query=query, key=random((8, width)), value=random((8, 2)))
    drawing = laid_out("sqrt_d_k", read("sqrt_d_k", problem), 600)
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
    content = read("sqrt_d_k", problem.replace(query=problem.query[:2]))
    assert RootLayout(content, PageStyle(), (300.0, None)).entropy.axes.across.ticks() == [0.0, 1.0]


# --- NaN and masks ---


@pytest.fixture
def unknown(random):
    """A problem with NaN in V."""
    arrays = {name: random((4, 2)) for name in ("query", "key", "value")}
    arrays["value"][1, 0] = np.nan
    return Problem(**arrays)


def test_parts_that_are_nan_as_the_whole_is_do_not_differ_from_it(unknown):
    for page in ("head_contributions", "retrieval"):
        assert "to the last bit" in said(page, unknown)
    alone = ContributionParts("output", 0, "", Contributions(np.array([[[np.nan, 1.0]]]), None, np.array([[2.0, 1.0]])))
    assert "by at most NaN; its largest cell is 2." in laid_out("head_contributions", alone).said


def test_what_depends_on_nan_is_not_said_to_depend_on_nothing(unknown):
    assert "last by first token: –, –, –. " in said("dependence", unknown)
    finite = unknown.replace(value=np.nan_to_num(unknown.value))
    assert "–" not in said("dependence", finite).split("last by first token: ")[1].split(". ")[0]


def test_a_mask_that_takes_several_layers_is_told(unknown):
    finite = unknown.replace(value=np.nan_to_num(unknown.value), mask=[{"kind": "window", "left": 1}])
    found = said("dependence", finite)
    assert "longest path: 4, – (3), – (3)" in found
    assert "One layer of attention with this mask does not join both ends; 3 would." in found
    alone = said("dependence", finite.replace(**custom(np.eye(4))))
    assert "longest path: 4, – (3), –;" in alone
    assert "does not join both ends, however many" in alone


# --- relations ---


@each(
    ("changed", "words"),
    [
        ({"sink": [3.0]}, "The 12 lines carry 100 %"),
        (custom([[True], [False], [True]]), "The 8 lines carry 100 %"),
        (weight_by_hand(np.array([1.0, 2.0, 0.0, 0.0])), "The 10 lines carry 100 %"),
        (weight_by_hand(np.array([1e308] * 4)), "The 12 lines carry 100 %"),
        (custom(np.zeros((3, 4))), "The 0 lines carry 0 %"),
    ],
)
def test_the_share_of_lines_is_that_of_all_weight_there_is(random, changed, words):
    problem = Problem(query=random((3, 2)), key=random((4, 2)), value=random((4, 2)), **changed)
    assert words in said("relations", problem, None, least=0.0, most=4)


def test_without_a_line_no_keys_are_said_to_be_led_to(random):
    found = said("relations", Problem(query=np.zeros((2, 2)), key=random((50, 2)), value=random((50, 2))), None)
    assert "The 0 lines carry 0 %" in found
    assert "The first 40 of 50 keys." in found


# --- value-weighted attention ---


def test_a_weighted_cell_says_what_it_is_a_product_of():
    value = np.array([[3.0, 4.0], [np.nan, 1.0], [0.0, 2.0]])
    padded = Problem(query=np.ones((2, 3)), key=np.eye(3), value=value, mask=[{"kind": "padding", "lengths": 1}])
    below = Problem(query=np.ones((2, 2)), key=np.eye(2), value=2 * value[[0, 0]], **weight_by_hand(-0.5, key=0))
    for problem, key, expected in (
        (padded, 0, "G[0, 0] = a · ‖v‖ = 1 · 5 = 5"),
        (padded, 1, "G[0, 1] = a · ‖v‖ = 0"),
        (padded, 2, "G[0, 2] = a · ‖v‖ = 0 · 2 = 0"),
        (below, 0, "G[0, 0] = |a| · ‖v‖ = 0.5 · 10 = 5"),
    ):
        assert read("value_weighted", problem, (0, key)).formula == expected


def test_a_hover_over_a_block_of_cells_names_all_of_them(random):
    problem = Problem(query=random((300, 2)), key=random((3, 2)), value=random((3, 2)))
    field = laid_out("value_weighted", read("value_weighted", problem, None)).fields[0]
    rows = [field.spot(row, 1).text for row in range(field.rows)]
    several = next(text for text in rows if "…" in text)
    first, last = (int(text) for text in several.split("(")[1].split(",")[0].split("…"))
    expected = compute(problem)["weights"][0, 0, first : last + 1, 1].max()
    assert several.endswith(f"{expected:.4f}, the largest in magnitude")
    assert not any("largest" in text for text in rows if "…" not in text)


# --- gradients ---


def test_a_bias_by_heads_shows_the_gradient_of_the_head_on_show(random):
    bias = {"kind": "bias", "values": random((2, 3, 3))}
    problem = Problem(query=random((3, 4)), key=random((3, 4)), value=random((3, 4)), num_heads=2, mask=[bias])
    found = read("gradient_maps", problem, head=1, by="tables")
    exact = sensitivity(compute(problem), "weights", (0, 1, 0, 0))["mask.0.values"]
    shown = next(one for one in found.maps if one.name == "mask.0.values")
    assert np.array_equal(shown.cells, exact[1])
    assert np.any(exact[1])
    assert laid_out("gradient_maps", found).said.split("does not change with ")[1].startswith("V.")


def test_what_moves_through_another_head_is_not_said_to_be_still(random):
    w_output = random((4, 4))
    w_output[:2] = 0.0
    problem = Problem(query=random((3, 4)), key=random((3, 4)), value=random((3, 4)), num_heads=2, w_output=w_output)
    for by in ("tables", "steps"):
        assert "does not change with" not in said("gradient_maps", problem, (0, 0), 0, "output", by=by)


def test_a_column_of_a_table_is_named_as_in_the_table(random):
    tables = {name: random((4, 4)) for name in ("w_query", "w_key", "w_value")}
    problem = Problem(x=random((3, 4)), **tables, num_heads=2)
    found = read("gradient_maps", problem, head=1, by="tables")
    number = [one.name for one in found.maps if one.largest > 0].index("w_query")
    exact = sensitivity(compute(problem), "weights", (0, 1, 0, 0))["w_query"]
    field = laid_out("gradient_maps", found).fields[number]
    assert field.columns == 2
    assert field.spot(0, 1).text.startswith("∂A[0, 0]/∂W_Q[0, 3] = ")
    assert found.maps[number].cells[0, 1] == exact[0, 3]


def test_a_gradient_that_is_no_number_is_not_said_to_agree():
    assert np.isnan(CheckedGradient("query", (0, 0), np.nan, 1.0).apart)
    assert CheckedGradient("query", (0, 0), 0.0, 0.0).apart == 0.0


# --- sweeps and regressions ---


def test_of_random_numbers_the_row_that_is_read_is_named(random):
    names = tuple(f"t{place}" for place in range(600))
    arrays = {name: random((600, 2)) for name in ("query", "key", "value")}
    problem = Problem(**arrays, num_heads=2, query_tokens=names, key_tokens=names)
    assert said("sweep", problem, (590, 595), 1, quantity="d_k", steps=2).split(". ")[1] == "query 511"


@each(
    ("values", "texts"),
    [
        ([1000, 1000.25, 1000.5, 1000.75, 1001], ["1000", "1000.2", "1000.5", "1000.8", "1001"]),
        (np.linspace(0, 1, 25)[:3], ["0", "0.0417", "0.0833"]),
        ([0, 1500, 4095], ["0", "1500", "4095"]),
        ([0, 0], ["0", "0"]),
        ([-2e-9, 0, 2e-9], ["−2e−09", "0", "2e−09"]),
    ],
)
def test_values_of_a_sweep_are_told_apart(values, texts):
    assert [value_text(np.array(values, float), place) for place in range(len(values))] == texts


def test_a_number_of_hundreds_of_digits_is_refused_with_a_sentence(tmp_path, capsys):
    save_session(Problem(query=np.eye(2), key=np.eye(2), value=np.eye(2)), tmp_path / "a.attn")
    call = ["export", str(tmp_path / "a.attn"), "-o", str(tmp_path), "--page", "sweep"]
    for setting in ("steps=1" + 400 * "0", "low=1" + 400 * "0"):
        assert main([*call, "--set", setting]) == 2
        assert "cannot be '1000" in capsys.readouterr().err
    assert main([*call, "--set", "low=-1e308", "high=1e308", "steps=3", "--dpi", "40"]) in (0, 2)


@each("page", ["curve", "poolings"])
def test_keys_of_several_columns_have_no_curve(page):
    tables = {"w_score_query": np.ones((1, 2)), "w_score_key": np.ones((3, 2)), "w_score": np.ones(2)}
    wide = {"query": np.ones((3, 1)), "key": np.ones((4, 3)), "value": np.ones((4, 1))}
    assert not PAGES[page].is_there(Problem(**wide, score="additive", score_params=tables), None)
    assert PAGES[page].is_there(Problem(**{**wide, "key": np.ones((4, 1))}), None)


# --- precisions ---


def test_the_list_of_precisions_tells_distances_overflow_and_where_they_are_largest(random):
    large = Problem(query=400 * random((3, 8)), key=400 * random((3, 8)), value=random((3, 2)))
    exact = compute(large)["scores"][0, 0]
    beyond = np.abs(exact) > 65520
    assert 0 < beyond.sum() < 9
    found = read("precision", large, stage="scores")
    drawing = laid_out("precision", found)
    assert f"float16: Scores, {beyond.sum()} not finite" in drawing.said
    assert "float16 overflows: its largest number is 65504." in drawing.said
    assert "bfloat16 overflows" not in drawing.said
    row = [step.stage for step in found.steps].index("scores")
    spot = drawing.fields[-1].spot(row, 2)
    assert beyond[spot.cell.row, spot.cell.column]
    bfloat16 = compare_precisions(large)["bfloat16"]["scores"][0, 0]
    apart = np.abs(bfloat16 - exact)
    worst = np.unravel_index(apart.argmax(), apart.shape)
    spot = drawing.fields[-1].spot(row, 1)
    assert (spot.cell.stage, spot.cell.row, spot.cell.column) == ("scores", *worst)
    assert scientific(float(apart.max() / np.abs(exact).max())) in spot.text


def test_a_map_of_a_precision_shows_its_distance_or_its_numbers(problem):
    exact, rounded = (compare_precisions(problem)[name]["weights"][0, 0] for name in ("float64", "float16"))
    apart = read("precision", problem)
    assert np.array_equal(apart.maps[3].apart, rounded - exact)
    spot = laid_out("precision", apart).fields[3].spot(1, 2)
    assert spot.text.startswith("float16: A[1, 2] = ")
    assert spot.text.endswith(f"{scientific(float(rounded[1, 2] - exact[1, 2]))} from float64")
    assert (spot.cell.row, spot.cell.column) == (1, 2)
    maps = {
        shown: PrecisionLayout(replace(apart, numbers=shown), PageStyle(), (None, None)).maps for shown in (False, True)
    }
    assert [one.title for one in maps[True]] == ["float64", "float32", "bfloat16", "float16"]
    assert np.array_equal(maps[True][3].values, rounded)
    assert [one.levels for one in maps[True]] == [maps[True][0].levels] * 4  # or they could not be compared
    assert [one.title for one in maps[False]][3] == "float16 − float64"
    assert np.array_equal(maps[False][3].values, rounded - exact)


def test_a_closed_cell_has_no_distance_and_a_long_problem_no_precisions(problem, random):
    closed = read("precision", problem.replace(mask=[{"kind": "causal"}]), stage="masked")
    assert np.isfinite([one.share for step in closed.steps for one in step.departures]).all()
    assert not any(one.overflown for step in closed.steps for one in step.departures)
    assert np.array_equal(closed.maps[3].allowed, np.tri(3, dtype=bool))
    tall = np.zeros((1500, 2))
    with pytest.raises(ValueError, match="too long to be computed once more in each type"):
        PAGES["precision"].check(Problem(query=tall, key=tall, value=tall))
