"""Figures of two states: before, difference, and both as one picture with one color bar."""

from __future__ import annotations

import numpy as np
import pytest

from attn_gui import render
from attn_gui.engine import DenseEvaluation, Problem, compute
from attn_gui.engine.evaluation.streaming import StreamingEvaluation
from attn_gui.figure.comparison import ComparedState
from attn_gui.figure.compose import compose_figure
from attn_gui.figure.export_settings import ExportSettings
from attn_gui.figure.heatmap import legend_text
from attn_gui.figure.heatmap_layout import plan
from attn_gui.figure.render import evaluation_drawn, write
from tests.failing import each

pytestmark = pytest.mark.usefixtures("qapp")


@pytest.fixture
def states():
    rng = np.random.default_rng(3)
    problem = Problem(
        **{name: rng.normal(size=(n, 6)) for name, n in (("query", 5), ("key", 7), ("value", 7))}, num_heads=2
    )
    return problem.replace(scale=1.0), problem.replace(mask=[{"kind": "causal", "align": "end"}])


def figure(states, mode, made=DenseEvaluation, **choices):
    before, now = map(made, states)
    beside = ComparedState(lambda _now: before, mode, choices.pop("names", ("", "")))
    options = ExportSettings(stage="weights", beside=beside, **choices)
    return compose_figure(evaluation_drawn(now, options), options, (1,))


@each("made", [DenseEvaluation, StreamingEvaluation])
def test_two_states_stand_side_by_side_under_one_bar(states, made):
    found = figure(states, "side_by_side", made, names=("as it was", "as it is"))
    before, now = (compute(state)["weights"][0, 1] for state in states)
    assert [panel.title for panel in found.panels] == ["as it was", "as it is"]
    for panel, expected in zip(found.panels, (before, now), strict=True):
        assert np.allclose(panel.values, expected, atol=1e-15)
    assert found.panels[0].allowed is None
    assert not found.panels[1].allowed.all()
    assert (found.levels.low, found.levels.high) == (0.0, 1.0)


def test_a_difference_has_symmetric_levels_and_says_what_it_is(states):
    found = figure(states, "difference")
    before, now = (compute(state)["weights"][0, 1] for state in states)
    assert np.array_equal(found.panels[0].values, now - before)
    assert found.levels.symmetric
    assert found.levels.high == np.abs(now - before).max()
    assert found.palette == "signed"
    assert found.title == "Weights · head 1 · now − before"
    assert figure(states, "difference", lang="zh").title.endswith("现在 − 之前")


@each("heads", [1, 2, 3, 5])
def test_the_two_states_of_a_head_stay_in_one_row(heads):
    rng = np.random.default_rng(3)
    now = Problem(**{name: rng.normal(size=(7, 2 * heads)) for name in ("query", "key", "value")}, num_heads=heads)
    beside = ComparedState(lambda _now: DenseEvaluation(now.replace(scale=1.0)))
    options = ExportSettings(stage="weights", beside=beside)
    layout = plan(compose_figure(evaluation_drawn(DenseEvaluation(now), options), options, tuple(range(heads))))
    assert [before.top() for before in layout.maps[::2]] == [after.top() for after in layout.maps[1::2]]


def test_what_cannot_be_compared_is_said(states, tmp_path):
    before, now = states
    with pytest.raises(ValueError, match=r"^weights cannot be compared"):
        render(now, before=before.replace(key=before.key[:4], value=before.value[:4], mask=()))
    with pytest.raises(ValueError, match="side by side as maps alone"):
        render(now, before=before, picture="product")
    with pytest.raises(ValueError, match="'both' is not one of now, before, difference, side_by_side, wipe"):
        render(now, before=before, compare="both")
    assert write(
        now,
        tmp_path / "product.svg",
        picture="product",
        beside=ComparedState(lambda _now: DenseEvaluation(before), "difference"),
    )


def test_axes_have_the_tokens_of_both_states_where_they_differ(states):
    """The map before stood under the words of now."""
    before, now = states
    keys = [list("abcdefg"), list("abXdefg")]
    named = [state.replace(key_tokens=tokens) for state, tokens in zip((before, now), keys, strict=True)]
    assert list(figure(named, "side_by_side").columns.labels) == ["a", "b", "c / X", *"defg"]
    assert list(figure(named, "before").columns.labels) == keys[0]
    assert list(figure((named[0], now), "side_by_side").columns.labels) == list("0123456")


@each("stage", ["query", "concat"])
def test_heads_with_other_columns_are_not_compared(tmp_path, stage):
    """Other columns were subtracted in silence, or a traceback said that a box lies outside."""
    rng = np.random.default_rng(3)
    two = Problem(**{name: rng.normal(size=(3, 8)) for name in ("query", "key", "value")}, num_heads=2)
    four = two.replace(num_heads=4)
    for heads in (0, 3):
        for compare in ("side_by_side", "difference"):
            with pytest.raises(ValueError, match="other columns in the two states"):
                render(four, tmp_path / "a.svg", stage=stage, heads=heads, before=two, compare=compare)
    render(four, tmp_path / "a.svg", stage=stage, heads=None, before=two)
    assert (tmp_path / "a.svg").exists()


def test_the_names_of_two_states_do_not_lie_on_each_other(states, tmp_path):
    names = tuple(
        f"a long name of a checkpoint {'before' if side else 'after'} it was trained once more" for side in (1, 0)
    )
    small = [
        state.replace(query=state.query[:2], key=state.key[:3], value=state.value[:3], mask=()) for state in states
    ]
    before, now = map(DenseEvaluation, small)
    write(now, tmp_path / "a.svg", heads=0, beside=ComparedState(lambda _now: before, "side_by_side", names))
    text = (tmp_path / "a.svg").read_text(encoding="utf-8")
    assert text.count("…") >= 2


def test_the_legend_counts_the_cells_of_a_state_once(states):
    _, masked = states
    closed = int(np.isneginf(compute(masked)["masked"][0, 1]).sum())
    for before, said in ((masked.replace(scale=1.0), f"{closed}"), (masked.replace(mask=()), f"0 | {closed}")):
        found = figure((before, masked), "side_by_side")
        assert [legend_text((found,), flag) for flag in plan(found).legend[0]] == [f"not allowed  {said}"]
