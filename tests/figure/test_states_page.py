"""States side by side: what is drawn is what they hold, in every kind of file."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest

from attn_gui.cli import main
from attn_gui.engine import DenseEvaluation, Problem, compute
from attn_gui.figure.page_catalog import PAGES
from attn_gui.figure.pages.page_context import PageContext
from attn_gui.figure.pages.page_kind import PageStyle, option_values
from attn_gui.formats import save_session
from attn_gui.formats.snapshots import packed
from tests.failing import each

PAGE = PAGES["side_by_side"]


@pytest.fixture
def problem():
    rng = np.random.default_rng(3)
    return Problem(**{name: rng.normal(size=(6, 4)) for name in ("query", "key", "value")}, num_heads=2)


@pytest.fixture
def states(problem):
    others = {
        "plain": {},
        "sharp": {"scale": 3.0},
        "causal": {"mask": [{"kind": "causal"}]},
        "one head": {"num_heads": 1},
    }
    found = []
    for name, changed in others.items():
        found.append(packed(problem.replace(**changed), found, name))
    return tuple(found)


def read(problem, states, stage="weights", head=1, **options):
    evaluation = DenseEvaluation(problem)
    context = PageContext.at(evaluation, 0, head, stage, None, states)
    context = replace(context, options=option_values(PAGE.options, context, options))
    return PAGE.read(evaluation, context, lambda share: None)


def told(content, lang="en"):
    return PAGE.plan(content, PageStyle("light", lang), (None, None)).said


def test_every_state_is_shown_as_it_is_and_what_lacks_the_map_is_said(problem, states):
    now = problem.replace(temperature=2.0)
    found = read(now, states)
    expected = [compute(each.problem())["weights"][0, 1] for each in states[:3]] + [compute(now)["weights"][0, 1]]
    assert [each.words[0][1] for each in found.maps] == ["plain", "sharp", "causal", "now"]
    for shown, weights in zip(found.maps, expected, strict=True):
        assert np.array_equal(shown.values, weights)
    assert not found.maps[2].allowed[0, 1]
    assert "Without this map: one head" in told(found)


def test_two_and_their_difference_which_is_exact(problem, states):
    found = read(problem, states, shown="pair", first="sharp", second="plain")
    weights = {each.name: compute(each.problem())["weights"][0, 1] for each in states[:2]}
    assert np.array_equal(found.difference.values, weights["plain"] - weights["sharp"])
    assert "plain − sharp" in told(found)
    one = read(problem, states, shown="pair", first="one head", second="now", head=0)
    assert one.difference is None
    assert "no difference" in told(one)


@pytest.fixture
def grown():
    """Two snapshots of one head, and a problem of two heads as wide."""
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
    found = read(*grown, stage, shown="pair", first="s1", second=second)
    assert found.difference is None
    assert f"Without this map: {missing}" in told(found)
    assert "different shapes" not in told(found)


def test_joined_heads_are_shown_of_every_state_whatever_the_head_on_show(grown):
    problem, (first, _) = grown
    found = read(*grown, "output", shown="pair", first="s1", second="now")
    outputs = [compute(each)["output"][0] for each in (first.problem(), problem)]
    assert np.array_equal(found.difference.values, outputs[1] - outputs[0])
    assert "Without" not in told(found)


def test_a_hover_names_the_cell_of_joined_heads_that_it_shows(problem):
    found = read(problem, (), "concat")
    spot = PAGE.plan(found, PageStyle(), (None, None)).fields[0].spot(0, 0)
    assert spot.text == f"now: concat[0, 0] = {compute(problem)['concat'][0, 0, 0]:.4f}".replace("-", "−")
    assert (spot.cell.row, spot.cell.column) == (0, 0)


def test_states_that_lack_the_stage_are_compared_by_what_stands_for_it(problem, states):
    now = problem.replace(mask=[{"kind": "causal"}])
    found = read(now, states, "masked", shown="pair", first="plain", second="sharp")
    scaled = {each.name: compute(each.problem())["scaled"][0, 1] for each in states[:2]}
    assert np.array_equal(found.difference.values, scaled["sharp"] - scaled["plain"])


def test_a_snapshot_called_now_stands_beside_the_present_state(problem):
    kept = (packed(problem.replace(scale=3.0), [], "now"),)
    found = read(problem, kept)
    assert len(found.maps) == 2
    assert not np.array_equal(found.maps[0].values, found.maps[1].values)


def test_a_state_that_is_damaged_is_refused_by_a_sentence(problem, states):
    broken = replace(states[0], parts={**states[0].parts, "query": states[0].parts["options"]})
    with pytest.raises(ValueError, match="query"):
        read(problem, (broken,))


def test_the_command_line_writes_every_kind_of_file(problem, states, tmp_path, capsys):
    save_session(problem, tmp_path / "a.attn", snapshots=states)
    call = ["export", str(tmp_path / "a.attn"), "-o", str(tmp_path), "--page", "side_by_side", "--heads", "0"]
    assert main([*call, "--format", "svg", "pdf", "png", "--set", "shown=pair", "first=sharp", "second=causal"]) == 0
    written = capsys.readouterr().out.split()
    assert [name.rpartition(".")[2] for name in written] == ["svg", "pdf", "png"]
    texts = [each.text for each in ElementTree.parse(written[0]).iter("{http://www.w3.org/2000/svg}text")]
    assert {"sharp", "causal", "causal − sharp"} <= set(texts)
    assert main([*call, "--set", "first=nothing"]) == 2
    assert "expected one of plain, sharp, causal, one head, now" in capsys.readouterr().err
