"""Pages say what the numbers of a problem, a model or several states show, wild ones too, or refuse in a sentence."""

from contextlib import suppress
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest
from PySide6.QtCore import QPointF

from attn_gui import compare_precisions, render
from attn_gui.cli import main
from attn_gui.engine import DenseEvaluation, FieldError, Problem, arrays, compute, sensitivity
from attn_gui.engine.evaluation.trace import evaluation_of
from attn_gui.figure.design_tokens import SPACING
from attn_gui.figure.figure_kinds import PAGES
from attn_gui.figure.pages.page_kind import ModelContext, PageContext, PageStyle, metrics, option_values
from attn_gui.figure.pages.plot import PlotNote
from attn_gui.figure.pages.sqrt_d_k import RootLayout
from attn_gui.figure.pages.sweep import SweepLayout
from attn_gui.figure.text.number_formats import scientific
from attn_gui.formats import FormatError, load, save_session
from attn_gui.formats.snapshots import packed
from attn_gui.models import open_model
from attn_gui.models.attribution import likely
from attn_gui.paths import resource
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


def test_no_line_crosses_a_word_beside_a_plot_or_touches_one(tmp_path):
    """“These: 95” lay across the line of d_k where there was no room at its left."""
    page = read("sqrt_d_k", load(resource("examples", "minilm-layer2.npz")), (0, 0), head=3)
    for width in (460, 560, 660):
        plot = RootLayout(page, PageStyle(), (width, None)).variance
        note = next(mark for mark in plot.marks if isinstance(mark, PlotNote) and mark.text.startswith("these"))
        d_k, variance = plot.axes.numbers_at(note.at - QPointF(0, metrics("micro").ascent()))
        assert d_k > variance, "the word begins below the line of d_k"
    swept = SweepLayout(read("sweep", load(resource("examples", "worked-example.npz"))), PageStyle(), (270, None))
    said = swept.curve_room.top() + len(swept.lines) * metrics("small").height()
    assert len(swept.lines) == 2
    assert swept.plot.axes.plot.top() - metrics("micro").capHeight() / 2 - said >= SPACING.m
    render(load(resource("examples", "worked-example.npz")), tmp_path / "a.svg", picture="sweep")
    assert (tmp_path / "a.svg").read_text().count("stroke-dasharray") == 1, "of the place on the curve, which is solid"


# --- NaN and masks ---
@pytest.fixture
def unknown(random):
    """A problem with NaN in V."""
    arrays = {name: random((4, 2)) for name in ("query", "key", "value")}
    arrays["value"][1, 0] = np.nan
    return Problem(**arrays)


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


# --- pages of a model after changes by hand -------------------------------------------------------


def read_of_model(name, clean, run, **options):
    page, position = PAGES[name], len(run.ids) - 1
    model = ModelContext(run, clean, 0, position, likely(run, run, position, 2))
    context = PageContext(run.problem(0), model=model)
    context = replace(context, options=option_values(page.options, context, options))
    return page.read(evaluation_of(context.problem), context, lambda share: None)


def test_changes_by_hand_are_a_part_of_a_logit_of_their_own():
    clean = open_model(resource("models", "toy-induction")).run("k x b p f k x b p")
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


# --- every page of the catalog on wild numbers ----------------------------------------------------
WILD = {"nan": np.nan, "inf": np.inf, "1e308": 1e308, "1e-320": 1e-320}
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
    for field, part in (("query", np.s_[1, 0]), ("key", np.s_[:]), ("value", np.s_[1, 0]), ("w_output", np.s_[:])):
        if (array := getattr(problem, field)) is not None:
            array = array.copy()
            array[part] = number
            yield problem.replace(**{field: array})
    value = problem.value.copy()
    value[: len(TIPS), 0] = np.array(TIPS) * (number if abs(number) < 1 else 1)
    yield problem.replace(value=value)


@pytest.mark.family(5)
@pytest.mark.parametrize("page", [name for name, kind in PAGES.items() if not kind.of_model])
@each("number", WILD, one_of=4)
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
    many = [packed(now, (), name) for name in "abcdefghijk"]
    for last, names in (("i", "abcdefghi"), ("j", "abcdefghj")):  # of more than nine the last one that is asked for
        found = read_states(now, many, first="a", second=last)
        assert "".join(each.words[0][1] for each in found.maps) == names


def test_two_and_their_difference_which_is_exact(two_heads, states):
    found = read_states(two_heads, states, shown="pair", first="sharp", second="plain")
    weights = {each.name: compute(each.problem())["weights"][0, 1] for each in states[:2]}
    assert np.array_equal(found.difference.values, weights["plain"] - weights["sharp"])
    assert "plain − sharp" in told_of_states(found)
    one = read_states(two_heads, states, shown="pair", first="one head", second="now", head=0)
    assert one.difference is None
    assert "no difference" in told_of_states(one)


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


def test_four_precisions_are_weighed_before_any_is_computed(problem, monkeypatch):
    monkeypatch.setattr(arrays, "available", lambda: 1000)
    with pytest.raises(FieldError, match="memory"):
        read("precision", problem)
