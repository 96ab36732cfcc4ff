"""Lessons that begin with a model: what they name is computed from its runs, and what is not there is refused."""

from __future__ import annotations

import numpy as np
import pytest

from attn_gui.cli import main
from attn_gui.figure.page_catalog import PAGES
from attn_gui.lessons import live_numbers
from attn_gui.lessons.lesson import read_lesson
from attn_gui.lessons.live_numbers import ExpressionError, expression
from attn_gui.lessons.scenes import states_of
from attn_gui.models import open_model
from attn_gui.paths import resource
from tests.failing import each

TEXT = "k x b p f k x b p"
OFF = '[{"kind": "scale", "stage": "head_output", "at": {"head": 0}, "factor": 0}]'

WHOLE = f"""# Title | 标题

## Step | 步骤
- model: toy-induction
- set: text = "{TEXT}"
- show: model
- do: layer = 1
- do: head = 2
- until: induction[layer, head] > 0.3

### English
Now {{probability["f"]:4}}.

### 中文
现在 {{probability["f"]:4}}。

## Off | 关闭
- set: layer = 0
- do: interventions = {OFF}
- until: probability["f"] < 0.01

### English
Now {{probability["f"]:4}}, before {{probability_before["f"]:4}}.

### 中文
现在 {{probability["f"]:4}}，之前 {{probability_before["f"]:4}}。
"""


@pytest.fixture
def states(tmp_path):
    return states_of(read_lesson(written(tmp_path, WHOLE)), PAGES)


def written(tmp_path, text):
    path = tmp_path / "mine.md"
    path.write_text(text, encoding="utf-8")
    return path


def toy(**more):
    return open_model(resource("models", "toy-induction")).run(TEXT, **more)


def shares(logits):
    powers = np.exp(np.asarray(logits, float) - np.max(logits))
    return powers / powers.sum()


def off(layer, head):
    return {"layer": layer, "kind": "scale", "stage": "head_output", "at": {"head": head}, "factor": 0.0}


def test_probabilities_are_those_of_the_runs(states):
    run, fallen = toy(), toy(interventions=[off(0, 0)])
    f = run.token_id("f")
    begin, end = (scene.number_source() for scene in (states[1].begin, states[1].end))
    for number_source, now in ((begin, run), (end, fallen)):
        found = [expression(f'{name}["f"]').number(number_source) for name in ("probability", "probability_before")]
        assert found == pytest.approx([shares(now.logits[-1])[f], shares(run.logits[-1])[f]], rel=1e-4)
    without = [[shares(toy(interventions=[off(layer, head)]).logits[-1])[f] for head in range(4)] for layer in range(2)]
    found = [
        [expression(f'probability_without[{layer}, {head}, "f"]').number(begin) for head in range(4)]
        for layer in range(2)
    ]
    assert np.array(found) == pytest.approx(np.array(without), rel=1e-4)


def test_readings_of_heads_are_shares_of_their_weights(states):
    run, number_source = toy(), states[0].end.number_source()
    tokens = run.tokens
    after = [(i, j) for i in range(len(tokens)) for j in range(1, i + 1) if tokens[j - 1] == tokens[i] and j - 1 < i]
    for layer in range(2):
        for head, weights in enumerate(run.attention(layer)):
            induced = sum(weights[place] for place in after) / weights.sum()
            former = sum(weights[i, i - 1] for i in range(1, len(tokens))) / weights.sum()
            assert expression(f"induction[{layer}, {head}]").number(number_source) == pytest.approx(induced, abs=1e-6)
            assert expression(f"previous_token[{layer}, {head}]").number(number_source) == pytest.approx(
                former, abs=1e-6
            )
    assert expression("induction[layer, head]").number(number_source) == expression("induction[1, 2]").number(
        number_source
    )
    assert expression("10 * layer + head").number(number_source) == 12


def test_a_task_is_done_by_what_is_there_and_not_by_the_way(states):
    first = states[0]
    assert not first.is_done(first.begin, first.begin.number_source())
    assert first.is_done(first.end, first.end.number_source())
    assert states[1].begin.study.layer == 0, "the next step begins where it says"


@each(
    ("old", "new", "said"),
    [
        ("toy-induction", "gpt-17", "line 4: expected the name of a model that comes along, got gpt-17."),
        ("toy-induction", "../toy-induction", "line 4: expected the name of a model that comes along"),
        ('"k x b p f k x b p"', '"' + "a " * 40 + '"', "line 5: expected “field = JSON value”"),
        ('"k x b p f k x b p"', "7", "line 5: expected “field = JSON value”"),
        ("layer = 1", "layer = 2", "line 7: expected “field = JSON value”"),
        ("head = 2", "head = true", "line 8: expected “field = JSON value”"),
        ("[layer, head] > 0.3", "[0, 0] > 0.3", "line 9: expected something that holds for the numbers of this step"),
        ("[layer, head] > 0.3", "[1, 2] > 0.3", "line 9: expected something that does not hold until the person has"),
        ("- do: layer = 1\n- do: head = 2\n", "", "line 7: expected something that holds"),
        ('{probability["f"]:4}.', '{probability["F"]:4}.', "line 12: expected a number that the problem of this step"),
        ('{probability["f"]:4}.', '{weights["f", 1]:4}.', "line 12: expected a number that the problem of this step"),
        ('{probability["f"]:4}.', '{"f"}.', "line 12: expected an expression such as"),
        ("- model: toy-induction\n- set: text = ", "- open: worked-example\n- set: text = ", "line 5: expected “field"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(tmp_path, capsys, old, new, said):
    assert old in WHOLE
    assert main(["lesson", "check", str(written(tmp_path, WHOLE.replace(old, new, 1)))]) == 2
    told = capsys.readouterr().err
    assert said in told
    assert told.count("\n") == 1


def test_a_problem_has_nothing_of_a_model(tmp_path):
    text = WHOLE[: WHOLE.index("- model")] + "- open: worked-example\n\n### English\nx\n\n### 中文\n字\n"
    (state,) = states_of(read_lesson(written(tmp_path, text)), PAGES)
    number_source = state.begin.number_source()
    for absent in ('probability["f"]', "induction[0, 0]", "layer", "weights[head, 0, 0]"):
        with pytest.raises(ExpressionError):
            expression(absent).number(number_source)
    refused = text.replace("- open: worked-example", "- open: worked-example\n- show: model")
    with pytest.raises(ValueError, match="line 5"):
        states_of(read_lesson(written(tmp_path, refused)), PAGES)


def test_pages_of_a_model_are_shown_with_one(tmp_path):
    (first, _) = states_of(read_lesson(written(tmp_path, WHOLE.replace("show: model", "show: lens"))), PAGES)
    assert first.shown.page == "lens"


def test_a_model_too_large_to_be_run_without_each_head_has_no_such_number(states, monkeypatch):
    asked, number_source = expression('probability_without[0, 0, "f"]'), states[0].begin.number_source()
    assert 0 < asked.number(number_source) < 1
    monkeypatch.setattr(live_numbers, "MOST_PRODUCTS", 1 << 20)
    monkeypatch.setattr(live_numbers, "without_each_head", lambda run: pytest.fail("it takes minutes"))
    with pytest.raises(ExpressionError):
        asked.number(states[0].begin.number_source())
