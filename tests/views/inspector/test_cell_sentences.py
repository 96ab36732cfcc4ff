"""Sentences of the inspector about a cell, stage by stage."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from attn_gui.engine import Problem
from attn_gui.views.inspector.inspector import Inspector
from attn_gui.views.text_views import SentenceView

Make = Callable[..., Problem]
Shown = Callable[..., Inspector]


def said(inspector: Inspector) -> str:
    return inspector.findChild(SentenceView, "inspector.sentence").text()


def test_the_largest_weight_is_called_the_largest(shown: Shown, make: Make) -> None:
    problem = make(query=[[3.0, 0, 0, 3, 0, 0]] * 5, key=[[0.0] * 6, [2.0] * 6, *[[1.0] * 6] * 5])
    text = said(shown(problem, "weights", 2, 1))
    assert text.startswith("Query it gives key b a weight of 0.")
    assert text.endswith(", the largest of 7.")
    assert "the smallest of 7" in said(shown(problem, "weights", 2, 0))


@pytest.mark.parametrize(
    ("stage", "row", "column", "expected"),
    [
        ("scores", 2, 3, "Score of query it and key <b>d</b>: "),
        ("scores", 1, 4, "It is the sum of 3 products."),
        ("scaled", 2, 3, "divided by √3."),
        ("head_output", 4, 1, "Column 1 of the output of query tired in head 1: "),
        ("head_output", 4, 1, "It is the sum of 7 values, each times its weight."),
        ("concat", 0, 3, "It is column 1 of head 1."),
        ("output", 0, 3, "Without W_O it is the joined heads themselves."),
        ("query", 3, 2, "Column 5 (head 1, c = 2) of Q for query <img src=x>: "),
        ("value", 3, 1, "Column 3 (head 1, c = 1) of V for key <b>d</b>: "),
        ("query", 3, 2, "It is given, not computed."),
    ],
)
def test_every_stage_has_its_sentence(
    shown: Shown, make: Make, stage: str, row: int, column: int, expected: str
) -> None:
    assert expected in said(shown(make(), stage, row, column))


@pytest.mark.parametrize(
    ("scale", "expected"), [(None, "It is the score, not scaled."), (1.0, "not scaled."), (0.25, "times 0.25.")]
)
@pytest.mark.parametrize("score", ["cosine", "gaussian", "average"])
def test_a_score_that_is_no_product_is_scaled_only_if_a_scale_is_given(
    shown: Shown, make: Make, score: str, scale: float | None, expected: str
) -> None:
    assert said(shown(make(score=score, scale=scale), "scaled", 0, 0)).endswith(expected)


def test_a_closed_cell_names_the_layer_that_closes_it(shown: Shown, make: Make) -> None:
    problem = make(mask=({"kind": "padding", "lengths": 7}, {"kind": "causal"}))
    assert said(shown(problem, "weights", 1, 4)) == (
        "Query <s> does not see key e: the causal mask closes it, so its weight is 0."
    )
    assert said(shown(problem, "masked", 1, 4)).endswith("the causal mask closes it, so its score is −∞.")
    assert said(shown(problem, "masked", 1, 1)).endswith("No mask layer closes it.")


def test_a_query_that_sees_no_key_says_so(shown: Shown, make: Make) -> None:
    problem = make(mask=({"kind": "padding", "lengths": 0},))
    assert said(shown(problem, "weights", 2, 3)) == "Query it sees no key: weights 0, output 0."
    assert said(shown(problem, "head_output", 2, 1)) == "Query it sees no key: weights 0, output 0."


def test_tokens_are_shown_as_they_are_and_without_them_numbers_stand(shown: Shown, make: Make) -> None:
    assert said(shown(make(), "scores", 1, 3)).startswith("Score of query <s> and key <b>d</b>: ")
    assert said(shown(make(query_tokens=None, key_tokens=None), "scores", 1, 3)).startswith(
        "Score of query 1 and key 3: "
    )
    blanks = make(query_tokens=("  ", " the", "x", "y", "z"))
    assert said(shown(blanks, "scores", 0, 3)).startswith("Score of query 0 and")
    assert said(shown(blanks, "scores", 1, 3)).startswith("Score of query the and")


def test_braces_in_a_token_are_no_placeholders(shown: Shown, make: Make) -> None:
    assert "{key}" in said(shown(make(query_tokens=("{key}", "{0}", "c", "d", "e")), "scores", 0, 0))


def test_a_long_token_breaks_the_line_and_not_the_panel(shown: Shown, make: Make) -> None:
    long = "Donaudampfschifffahrtsgesellschaftskapitän" * 5
    inspector = shown(make(query_tokens=(long, "b", "c", "d", "e")), "scores", 0, 0, width=248)
    view = inspector.findChild(SentenceView, "inspector.sentence")
    assert inspector.minimumSizeHint().width() <= 248
    assert view.height() >= view.heightForWidth(view.width()) > 4 * view.fontMetrics().height()
    assert view.accessibleName() == view.text()


# --- Sentences of the inspector about layers, cells near a changed one and keys at −∞ say what is computed ---


INF = np.inf


def layer(**more: Any) -> Problem:
    """A pre-norm layer of width 6 with every bias and a gated network of 7 columns; n = 5."""
    rng = np.random.default_rng(11)
    shapes = {"w_query": (6, 4), "w_key": (6, 4), "w_value": (6, 2), "w_output": (2, 6)}
    shapes |= {"b_query": (4,), "b_key": (4,), "b_value": (2,), "b_output": (6,)}
    network = {"norm1_weight": (6,), "norm1_bias": (6,), "norm2_weight": (6,), "w_up": (6, 7), "b_up": (7,)}
    network |= {"w_gate": (6, 7), "b_gate": (7,), "w_down": (7, 6), "b_down": (6,)}
    made = {name: rng.normal(size=shape) for name, shape in shapes.items()}
    block = {"kind": "pre", "norm": "rms"} | {name: rng.normal(size=shape) for name, shape in network.items()}
    return Problem(**{"x": rng.normal(size=(5, 6)), "num_heads": 2, "num_kv_heads": 2, "block": block} | made | more)


@pytest.mark.parametrize(
    ("stage", "expected"),
    [
        ("normed_x", "is divided by the root of its mean square, then multiplied by γ₁, plus β₁."),
        ("query", "It is the sum of 6 products of Xⁿ and W_Q, plus b_Q."),
        ("key", "It is the sum of 6 products of Xⁿ and W_K, plus b_K."),
        ("value", "It is the sum of 6 products of Xⁿ and W_V, plus b_V."),
        ("output", "It is the sum of 2 products of the joined heads and W_O, plus b_O."),
        ("residual", "It is X plus Y."),
        ("normalized", "is divided by the root of its mean square, then multiplied by γ₂."),
        ("up", "It is the sum of 6 products of N and W_up, plus b_up."),
        ("gate", "It is the sum of 6 products of N and W_gate, plus b_gate."),
        ("down", "It is the sum of 7 products of F and W_down, plus b_down."),
        ("block_output", "It is R plus D."),
    ],
)
def test_a_layer_is_told_with_all_that_it_reads(shown: Shown, stage: str, expected: str) -> None:
    assert said(shown(layer(), stage, 2, 0)).endswith(expected)


def test_heads_of_keys_are_as_wide_as_they_are(shown: Shown) -> None:
    rng, shapes = np.random.default_rng(4), {"query": (5, 4), "key": (7, 6), "value": (7, 2)}
    tables = {"w_score_query": (2, 4), "w_score_key": (3, 4), "w_score": (4,)}
    one = Problem(
        **{name: rng.normal(size=shape) for name, shape in shapes.items()},
        num_heads=2,
        score="additive",
        score_params={name: rng.normal(size=shape) for name, shape in tables.items()},
    )
    assert said(shown(one, "key", 3, 2)).startswith("Column 5 (head 1, c = 2) of K for key 3: ")
    assert said(shown(one, "query", 3, 1)).startswith("Column 3 (head 1, c = 1) of Q for query 3: ")


@pytest.mark.parametrize(
    ("scale", "expected"),
    [
        (None, "It is the score, divided by √3."),
        (1.0, "It is the score, not scaled."),
        (0.25, "It is the score times 0.25."),
    ],
)
def test_a_score_changed_by_hand_is_no_sum_of_products(
    shown: Shown, make: Make, scale: float | None, expected: str
) -> None:
    record = {"kind": "set", "stage": "scores", "at": {"query": 0, "key": 2}, "values": 9.0}
    changed = make(scale=scale, interventions=(record,))
    assert said(shown(changed, "scaled", 0, 2)).endswith(expected)
    assert "It is the sum of 3 products" in said(shown(changed, "scaled", 0, 1))


def test_a_score_put_by_hand_opens_its_key(shown: Shown, make: Make) -> None:
    record = {"kind": "set", "stage": "masked", "at": {"query": 0, "key": 2}, "values": 3.0}
    changed = make(mask=({"kind": "causal"},), interventions=(record,))
    assert said(shown(changed, "weights", 0, 2)).endswith("of 2.")
    assert "does not see" not in said(shown(changed, "weights", 0, 2))
    assert said(shown(changed, "weights", 0, 3)).endswith("the causal mask closes it, so its weight is 0.")


def test_keys_at_minus_infinity_are_not_counted(shown: Shown, make: Make) -> None:
    values = np.zeros((5, 7))
    values[0, 1:] = values[1] = values[2, :3] = -INF
    biased = make(mask=({"kind": "bias", "values": values},), query_tokens=None, key_tokens=None)
    assert said(shown(biased, "weights", 0, 0)) == "Query 0 gives key 0 a weight of 1: it sees no other key."
    assert said(shown(biased, "weights", 0, 3)) == ("Query 0 does not see key 3: its score is −∞, so its weight is 0.")
    assert said(shown(biased, "weights", 1, 0)) == "Query 1 sees no key: weights 0, output 0."
    assert said(shown(biased, "head_output", 1, 0)) == "Query 1 sees no key: weights 0, output 0."
    assert said(shown(biased, "head_output", 2, 0)).endswith("It is the sum of 4 values, each times its weight.")


def test_weights_that_are_no_numbers_are_not_compared(shown: Shown, make: Make) -> None:
    key = np.ones((7, 6))
    key[2, 3:] = np.nan
    assert said(shown(make(key=key), "weights", 1, 4)) == "Query <s> gives key e a weight of NaN."


def test_a_cap_and_a_width_are_told_as_they_are(shown: Shown, make: Make) -> None:
    assert said(shown(make(softcap=0.25), "capped", 0, 0)).endswith("It stays between −0.25 and 0.25.")
    gaussian = make(score="gaussian", score_params={"w": 0.125, "key_norm": 0.0625})
    assert said(shown(gaussian, "scores", 0, 0)).endswith("counts 0.0625 times, times 0.125 squared.")


def test_a_change_that_leaves_a_number_is_told_as_one(shown: Shown, make: Make) -> None:
    record = {"kind": "scale", "stage": "masked", "factor": 2.0}
    changed = make(mask=({"kind": "causal"},), interventions=(record,))
    closed = " is −∞: the causal mask closes it, and a change by hand leaves it closed."
    assert said(shown(changed, "masked", 0, 3)).endswith(closed)
    assert "Computed, it would be" in said(shown(changed, "masked", 0, 0))
    once = make(interventions=({"kind": "scale", "stage": "scores", "factor": 1.0},))
    assert said(shown(once, "scores", 0, 3)).endswith(": a change by hand leaves it as computed.")


def test_no_bound_is_told_of_a_number_that_no_cap_holds(shown: Shown, make: Make) -> None:
    key = np.ones((7, 6))
    key[2, 3:] = np.nan
    text = said(shown(make(softcap=0.25, key=key), "capped", 1, 2))
    assert text.startswith("Capped score of query")
    assert text.endswith(": NaN.")


def test_a_sink_out_of_reach_takes_nothing(shown: Shown, make: Make) -> None:
    for seed in range(5):
        query = np.random.default_rng(seed).normal(size=(5, 6))
        text = said(shown(make(query=query, sink=[-2000.0, -2000.0]), "weights", 0, 0))
        assert text.endswith("The sink of its head takes 0.")
    assert said(shown(make(sink=[2.0, -60.0]), "weights", 0, 0)).endswith("e−27.")
