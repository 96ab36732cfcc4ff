"""Pages say what the numbers of a problem, a model or several states show, wild ones too, or refuse in a sentence."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from itertools import pairwise
from xml.etree import ElementTree

import numpy as np
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage, QPainter

from attn_gui import compare_precisions, render
from attn_gui.cli import main
from attn_gui.engine import DenseEvaluation, FieldError, Problem, compute, memory, sensitivity
from attn_gui.engine.analysis.sensitivity import Contributions
from attn_gui.engine.evaluation.choice import evaluation_of
from attn_gui.figure.design_tokens import THEMES
from attn_gui.figure.page_catalog import PAGES
from attn_gui.figure.pages import plot
from attn_gui.figure.pages.contributions import ContributionParts
from attn_gui.figure.pages.gradients import CheckedGradient
from attn_gui.figure.pages.map_grids import BarRow, BarRows
from attn_gui.figure.pages.model import HeadEffectsPage, LogitPartsPage
from attn_gui.figure.pages.page_context import ModelContext, PageContext
from attn_gui.figure.pages.page_kind import PageSpot, PageStyle, checked_options, metrics, option_values
from attn_gui.figure.pages.plot import END, MIDDLE, PlotNote, axes_in, nice_scale
from attn_gui.figure.pages.precisions import PrecisionLayout
from attn_gui.figure.pages.sqrt_d_k import RootLayout
from attn_gui.figure.pages.sweep import value_text
from attn_gui.figure.text.numbers import scientific
from attn_gui.formats import FormatError, save_session
from attn_gui.formats.snapshots import packed
from attn_gui.models import open_model
from attn_gui.models.attribution import likely
from attn_gui.models.changed_layers import LayerEdit
from attn_gui.paths import resource
from tests.failing import each
from tests.models.golden_folders import DATA


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


def test_the_numbers_of_an_axis_stand_between_it_and_its_name(qapp, monkeypatch):
    room, numbers, written = QRectF(0, 0, 300, 200), np.arange(3.0), []
    axes = axes_in(room, numbers, numbers, ("across", "up"))
    monkeypatch.setattr(plot, "write_text", lambda _painter, at, text, anchor: written.append((at, text, anchor)))
    image = QImage(300, 200, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    axes.paint(painter, THEMES["light"])
    painter.end()
    name, number = metrics("small").height(), metrics("micro")
    below = [at.y() for at, _, anchor in written if anchor == MIDDLE]
    beside = [(at.x(), number.horizontalAdvance(text)) for at, text, anchor in written if anchor == END]
    assert below
    assert beside
    assert all(axes.plot.bottom() < y - number.ascent() and y + number.descent() <= room.bottom() - name for y in below)
    assert all(x < axes.plot.left() and room.left() + name <= x - width for x, width in beside)


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
        ([-2e-9, 0, 2e-9], ["−2e−9", "0", "2e−9"]),
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


# --- pages of a model after changes by hand -------------------------------------------------------


@pytest.fixture(scope="module")
def clean():
    return open_model(resource("models", "toy-induction")).run("k x b p f k x b p")


def read_of_model(name, clean, run, **options):
    page, position = PAGES[name], len(run.ids) - 1
    model = ModelContext(run, clean, 0, position, likely(run, run, position, 2))
    context = PageContext(run.problem(0), model=model)
    context = replace(context, options=option_values(page.options, context, options))
    return page.read(evaluation_of(context.problem), context, lambda share: None)


def test_the_last_layer_moves_as_far_as_the_others_though_a_norm_comes_after_it(clean):
    last = clean.model.num_layers - 1
    double = {"layer": last, "kind": "scale", "stage": "block_output", "at": {"query": 1}, "factor": 2.0}
    found = read_of_model("effect", clean, clean.replace(interventions=[double]), of="tokens")
    expected = np.zeros(found.moved.shape)
    expected[last, 1] = 1.0
    assert found.moved == pytest.approx(expected, abs=1e-6)


def test_heads_of_another_width_have_no_effect_that_could_be_told(clean):
    base = clean.problem(0)
    heads, width = base.num_heads, base.d_v
    rows = np.asarray(base.w_value).reshape(len(base.w_value), heads, width)[:, :, 1:]
    out = np.asarray(base.w_output).reshape(heads, width, -1)[:, 1:]
    changed = base.replace(
        w_value=rows.reshape(len(rows), -1),
        w_output=out.reshape(-1, out.shape[-1]),
        b_value=None if base.b_value is None else np.zeros(heads * (width - 1)),
    )
    run = clean.replace(model=clean.model.with_edits({0: LayerEdit.between(base, changed)}))
    found = read_of_model("effect", clean, run, of="heads")
    assert np.isnan(found.moved[0]).all()
    assert np.isfinite(found.moved[1:]).all()
    assert PAGES["effect"].plan(found, PageStyle(), (None, None)).said


def test_changes_by_hand_are_a_part_of_a_logit_of_their_own(clean):
    double = {"layer": 1, "kind": "scale", "stage": "residual", "factor": 2.0}
    page = PAGES["logit_parts"]
    notes = []
    for run in (clean, clean.replace(interventions=[double])):
        content = read_of_model("logit_parts", clean, run)
        notes.append(page.plan(content, PageStyle(), (None, None)).said)
        rest = content.parts.biases.sum() + content.parts.constant
        assert f"biases and norm {rest:.3f}".replace("-", "−") in notes[-1]
    assert "by hand" not in notes[0]
    assert f"changes by hand {content.parts.by_hand.sum():.3f}".replace("-", "−") in notes[1]


def test_bars_that_are_all_below_zero_take_the_whole_width(qapp):
    rows = [BarRow("a", (-0.2,), PageSpot("a")), BarRow("b", (-0.1,), PageSpot("b"))]
    found = BarRows(rows, PageStyle(), (None, None), title="t", written=str)
    assert (found.low, found.high) == (-0.2, 0.0)
    nothing = BarRows([BarRow("a", (0.0,), PageSpot("a"))], PageStyle(), (None, None), title="t", written=str)
    assert (nothing.low, nothing.high) == (0.0, 1.0)


def test_the_lens_of_an_encoder_tells_what_stands_in_the_place_of_a_token(clean):
    run = open_model(DATA / "tiny-bert").run("John gave the [MASK] to Mary.")
    for one, words in ((run, "In the place of “[MASK]”"), (clean, "After “p”")):
        (field,) = PAGES["lens"].plan(read_of_model("lens", one, one), PageStyle(), (None, None)).fields
        assert words in field.spot(0, 4).text


@each("page", [HeadEffectsPage(), LogitPartsPage()])
@each("taken_off", [False, True])
def test_the_share_that_is_done_only_rises_and_ends_at_one(page, taken_off, clean):
    run = clean
    position = len(run.ids) - 1
    tokens = likely(run, run, position, 2)
    context = PageContext(run.problem(0), model=ModelContext(run, run, 0, position, tokens))
    options = checked_options(page.options, context, {"against": tokens[1].token} if taken_off else {})
    told = []
    page.read(evaluation_of(context.problem), replace(context, options=options), told.append)
    assert told == sorted(set(told))
    assert told[-1] == 1.0


# --- every page of the catalog on wild numbers ----------------------------------------------------
WILD = {"nan": np.nan, "inf": np.inf, "-inf": -np.inf, "1e308": 1e308, "1e-320": 1e-320, "0": 0.0}
SHARES = 5  # of which a run takes one, without --long; six numbers to a page: each page comes in every share
TIPS = (1e308, -1e308, 1e-320, -1e-320, 1e300, 3.0)


def problems():
    """With heads and W_O, of single columns, of as many queries as keys, so that every page applies to one of them."""
    random = np.random.default_rng(5).standard_normal
    several = {"w_output": random((6, 4)), "b_output": random(4), "num_heads": 3}
    yield Problem(query=random((5, 6)), key=random((7, 6)), value=random((7, 6)), **several)
    yield Problem(query=random((5, 1)), key=random((7, 1)), value=random((7, 1)), score="gaussian")
    yield Problem(query=random((6, 4)), key=random((6, 4)), value=random((6, 4)), num_heads=2)


def wild(problem, number):
    """Problems with this number in one cell of a matrix and everywhere."""
    for field in ("query", "key", "value", "w_output"):
        for part in (np.s_[1, 0], np.s_[:]):
            if (array := getattr(problem, field)) is not None:
                array = array.copy()
                array[part] = number
                yield problem.replace(**{field: array})
    value = problem.value.copy()
    value[: len(TIPS), 0] = np.array(TIPS) * (number if abs(number) < 1 else 1)
    yield problem.replace(value=value)


@pytest.mark.parametrize("number", [pytest.param(name, marks=pytest.mark.family(SHARES)) for name in WILD])
@pytest.mark.parametrize("page", [name for name, kind in PAGES.items() if not kind.of_model])
def test_a_page_is_drawn_whatever_the_numbers_are(tmp_path, page, number):
    drawn, few = 0, {"steps": 2} if any(option.key == "steps" for option in PAGES[page].options) else {}
    for problem in problems():
        others = drawn and problem.n == problem.m  # where others do, they suffice
        if PAGES[page].is_there(problem, None) and not others:
            for changed in wild(problem, WILD[number]):
                with suppress(FormatError):  # the code of numbers that are not finite is refused
                    render(changed, tmp_path / "page.png", picture=page, dpi=40, set=few)
                drawn += 1
    assert drawn


@each("unit", [1e-200, 1e-20, 1.0, 1e200])
def test_the_ticks_of_an_axis_are_different_numbers_whatever_the_unit(unit):
    scale = nice_scale(np.array([0.0, 0.3, 1.1, 2.9]) * unit, 6)
    ticks = [scale.text(tick) for tick in scale.ticks()]
    assert len(set(ticks)) == len(ticks) >= 3
    assert np.allclose([float(tick.replace("−", "-")) / unit for tick in ticks], np.array(list(scale.ticks())) / unit)


# --- states side by side --------------------------------------------------------------------------
PAGE = PAGES["side_by_side"]


@pytest.fixture
def two_heads():
    rng = np.random.default_rng(3)
    return Problem(**{name: rng.normal(size=(6, 4)) for name in ("query", "key", "value")}, num_heads=2)


@pytest.fixture
def states(two_heads):
    others = {
        "plain": {},
        "sharp": {"scale": 3.0},
        "causal": {"mask": [{"kind": "causal"}]},
        "one head": {"num_heads": 1},
    }
    found = []
    for name, changed in others.items():
        found.append(packed(two_heads.replace(**changed), found, name))
    return tuple(found)


def read_states(two_heads, states, stage="weights", head=1, **options):
    evaluation = DenseEvaluation(two_heads)
    context = PageContext.at(evaluation, 0, head, stage, None, states)
    context = replace(context, options=option_values(PAGE.options, context, options))
    return PAGE.read(evaluation, context, lambda share: None)


def told_of_states(content, lang="en"):
    return PAGE.plan(content, PageStyle("light", lang), (None, None)).said


def test_every_state_is_shown_as_it_is_and_what_lacks_the_map_is_said(two_heads, states):
    now = two_heads.replace(temperature=2.0)
    found = read_states(now, states)
    expected = [compute(each.problem())["weights"][0, 1] for each in states[:3]] + [compute(now)["weights"][0, 1]]
    assert [each.words[0][1] for each in found.maps] == ["plain", "sharp", "causal", "now"]
    for shown, weights in zip(found.maps, expected, strict=True):
        assert np.array_equal(shown.values, weights)
    assert not found.maps[2].allowed[0, 1]
    assert "Without this map: one head" in told_of_states(found)


def test_two_and_their_difference_which_is_exact(two_heads, states):
    found = read_states(two_heads, states, shown="pair", first="sharp", second="plain")
    weights = {each.name: compute(each.problem())["weights"][0, 1] for each in states[:2]}
    assert np.array_equal(found.difference.values, weights["plain"] - weights["sharp"])
    assert "plain − sharp" in told_of_states(found)
    one = read_states(two_heads, states, shown="pair", first="one head", second="now", head=0)
    assert one.difference is None
    assert "no difference" in told_of_states(one)


@pytest.fixture
def grown():
    """Two snapshots of one head, and a two_heads of two heads as wide."""
    rng = np.random.default_rng(4)
    arrays = {name: rng.normal(size=(3, 4)) for name in ("query", "key", "value")}
    kept = []
    for name, scale in (("s1", 0.5), ("s2", 2.0)):
        kept.append(packed(Problem(**arrays, scale=scale), kept, name))
    return Problem(**arrays, num_heads=2), tuple(kept)


@each(
    ("stage", "second", "missing"), [("query", "now", "s1."), ("weights", "s2", "s1, s2."), ("weights", "now", "s1.")]
)
def test_a_state_without_the_head_on_show_is_told_and_not_subtracted(grown, stage, second, missing):
    found = read_states(*grown, stage, shown="pair", first="s1", second=second)
    assert found.difference is None
    assert f"Without this map: {missing}" in told_of_states(found)
    assert "different shapes" not in told_of_states(found)


def test_joined_heads_are_shown_of_every_state_whatever_the_head_on_show(grown):
    two_heads, (first, _) = grown
    found = read_states(*grown, "output", shown="pair", first="s1", second="now")
    outputs = [compute(each)["output"][0] for each in (first.problem(), two_heads)]
    assert np.array_equal(found.difference.values, outputs[1] - outputs[0])
    assert "Without" not in told_of_states(found)


def test_a_hover_names_the_cell_of_joined_heads_that_it_shows(two_heads):
    spot = PAGE.plan(read_states(two_heads, (), "concat"), PageStyle(), (None, None)).fields[0].spot(0, 0)
    assert spot.text == f"now: concat[0, 0] = {compute(two_heads)['concat'][0, 0, 0]:.4f}".replace("-", "−")
    assert (spot.cell.row, spot.cell.column) == (0, 0)


def test_states_that_lack_the_stage_are_compared_by_what_stands_for_it(two_heads, states):
    now = two_heads.replace(mask=[{"kind": "causal"}])
    found = read_states(now, states, "masked", shown="pair", first="plain", second="sharp")
    scaled = {each.name: compute(each.problem())["scaled"][0, 1] for each in states[:2]}
    assert np.array_equal(found.difference.values, scaled["sharp"] - scaled["plain"])


def test_a_snapshot_called_now_stands_beside_the_present_state(two_heads):
    found = read_states(two_heads, (packed(two_heads.replace(scale=3.0), [], "now"),))
    assert len(found.maps) == 2
    assert not np.array_equal(found.maps[0].values, found.maps[1].values)


def test_a_state_that_is_damaged_is_refused_by_a_sentence(two_heads, states):
    broken = replace(states[0], parts={**states[0].parts, "query": states[0].parts["options"]})
    with pytest.raises(ValueError, match="query"):
        read_states(two_heads, (broken,))


def test_the_command_line_writes_every_kind_of_file(two_heads, states, tmp_path, capsys):
    save_session(two_heads, tmp_path / "a.attn", snapshots=states)
    call = ["export", str(tmp_path / "a.attn"), "-o", str(tmp_path), "--page", "side_by_side", "--heads", "0"]
    assert main([*call, "--format", "svg", "pdf", "png", "--set", "shown=pair", "first=sharp", "second=causal"]) == 0
    written = capsys.readouterr().out.split()
    assert [name.rpartition(".")[2] for name in written] == ["svg", "pdf", "png"]
    texts = [each.text for each in ElementTree.parse(written[0]).iter("{http://www.w3.org/2000/svg}text")]
    assert {"sharp", "causal", "causal − sharp"} <= set(texts)
    assert main([*call, "--set", "first=nothing"]) == 2
    assert "expected one of plain, sharp, causal, one head, now" in capsys.readouterr().err


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
    spot = drawing.fields[-1].spot(row, 0)
    assert (spot.cell.row, spot.cell.column) == tuple(np.argwhere(beyond)[0])
    assert "first at S[" in spot.text
    bfloat16 = compare_precisions(large)["bfloat16"]["scores"][0, 0]
    apart = np.abs(bfloat16 - exact)
    worst = np.unravel_index(apart.argmax(), apart.shape)
    spot = drawing.fields[-2].spot(row, 0)
    assert "most at S[" in spot.text
    assert (spot.cell.stage, spot.cell.row, spot.cell.column) == ("scores", *worst)
    assert scientific(float(apart.max() / np.abs(exact).max())) in spot.text


def test_a_map_of_a_precision_shows_its_distance_or_its_numbers(problem):
    exact, rounded = (compare_precisions(problem)[name]["weights"][0, 0] for name in ("float64", "float16"))
    apart = read("precision", problem)
    assert np.array_equal(apart.maps[3].apart, rounded - exact)
    spot = laid_out("precision", apart).fields[3].spot(1, 2)
    assert spot.text.startswith("float16: A[1, 2] = ")
    assert spot.text.endswith(f"{scientific(abs(float(rounded[1, 2] - exact[1, 2])))} from float64")
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


def test_a_precision_says_what_is_so_of_zeros_blocks_overflow_and_heads(random):
    zero = Problem(query=[[0.1, 1.0]], key=[[10.0, -1.0]], value=[[1.0]])  # the score is 0 in float64 alone
    found = read("precision", zero, stage="scores")
    scores = next(step for step in found.steps if step.stage == "scores")
    assert [one.share for one in scores.departures] == [np.inf] * 3
    assert "float16: Scores, ≠ 0" in laid_out("precision", found).said
    values = [step.stage for step in found.steps].index("value")
    still = laid_out("precision", found).fields[-1].spot(values, 0)
    assert (still.text, still.cell) == ("float16: Value, 0", None)
    heads = Problem(query=random((3, 3, 4)), key=random((3, 3, 4)), value=random((3, 3, 4)), num_heads=2)
    drawing = laid_out("precision", read("precision", heads, head=1, stage="output"))
    assert drawing.said.startswith("Output in four number types. item 0 · head 1. Inputs")
    large = Problem(query=400 * random((3, 8)), key=400 * random((3, 8)), value=random((3, 2)))
    lost = np.argwhere(~np.isfinite(compare_precisions(large)["float16"]["scores"][0, 0]))[0]
    spot = laid_out("precision", read("precision", large, stage="scores")).fields[3].spot(*lost)
    assert spot.text.endswith(("= +∞", "= −∞"))
    tall = Problem(query=random((200, 4)), key=random((200, 4)), value=random((200, 2)))
    spot = laid_out("precision", read("precision", tall)).fields[3].spot(5, 5)
    assert ", the largest in magnitude · up to " in spot.text


def test_the_columns_of_precisions_leave_one_another_their_room(random):
    large = Problem(query=400 * random((400, 8)), key=400 * random((400, 8)), value=random((400, 2)))
    layout = PrecisionLayout(read("precision", large), PageStyle(), (330.0, None))
    wide = metrics("micro").horizontalAdvance
    for number, width in enumerate(layout.widths):
        assert max(wide(layout._departure_text(step.departures[number])) for step in layout.shown.steps) < width
    assert layout.room.width() - sum(layout.widths) > wide("concat")
    places = [field.place for field in layout.fields()[4:]]
    assert all(one.right() <= other.left() + 1e-6 for one, other in pairwise(places))
    assert places[-1].right() == pytest.approx(layout.room.right())


def test_four_precisions_are_weighed_before_any_is_computed(problem, monkeypatch):
    monkeypatch.setattr(memory, "available", lambda: 1000)
    with pytest.raises(FieldError, match="memory"):
        read("precision", problem)


def test_numbers_that_are_not_finite_are_written_once(random, tmp_path):
    """The dash of the page's own numbers struck through what the map says of them."""
    large = Problem(query=1e5 * random((2, 2)), key=1e5 * random((2, 2)), value=random((2, 1)))
    assert np.isinf(compare_precisions(large)["float16"]["scores"]).any()
    render(large, tmp_path / "a.svg", picture="precision", stage="scores")
    texts = [one.text for one in ElementTree.parse(tmp_path / "a.svg").iter("{http://www.w3.org/2000/svg}text")]
    assert "–" not in texts
