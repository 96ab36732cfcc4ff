"""Sentences of the inspector about a cell: what they say is what is computed, stage by stage."""

from __future__ import annotations

import numpy as np
import pytest

from attn_gui.engine import Problem
from attn_gui.views.text_views import SentenceView
from tests.failing import each
from tests.views.inspector.conftest import direct

NAN, INF = np.nan, np.inf
CAUSAL = {"kind": "causal"}
PLAIN = {"query_tokens": None, "key_tokens": None}


def said(inspector):
    return inspector.findChild(SentenceView, "inspector.sentence").text()


def layer():
    """A pre-norm layer of width 6 with every bias and a gated network of 7 columns; n = 5."""
    rng = np.random.default_rng(11)
    shapes = {"w_query": (6, 4), "w_key": (6, 4), "w_value": (6, 2), "w_output": (2, 6)}
    shapes |= {"b_query": (4,), "b_key": (4,), "b_value": (2,), "b_output": (6,)}
    network = {"norm1_weight": (6,), "norm1_bias": (6,), "norm2_weight": (6,), "w_up": (6, 7), "b_up": (7,)}
    network |= {"w_gate": (6, 7), "b_gate": (7,), "w_down": (7, 6), "b_down": (6,)}
    made = {name: rng.normal(size=shape) for name, shape in shapes.items()}
    block = {"kind": "pre", "norm": "rms"} | {name: rng.normal(size=shape) for name, shape in network.items()}
    return Problem(x=rng.normal(size=(5, 6)), num_heads=2, num_kv_heads=2, block=block, **made)


def wider_keys():
    """Heads of keys are three wide, those of queries two."""
    rng, shapes = np.random.default_rng(4), {"query": (5, 4), "key": (7, 6), "value": (7, 2)}
    tables = {"w_score_query": (2, 4), "w_score_key": (3, 4), "w_score": (4,)}
    return Problem(
        **{name: rng.normal(size=shape) for name, shape in shapes.items()},
        num_heads=2,
        score="additive",
        score_params={name: rng.normal(size=shape) for name, shape in tables.items()},
    )


def by_hand(stage, values=None, **more):
    """Changed in query 0 and key 2, or scaled as a whole."""
    put = {"kind": "set", "at": {"query": 0, "key": 2}, "values": values} if values is not None else {"kind": "scale"}
    return {"interventions": ({**put, "stage": stage, **more},)}


def with_key(row, number):
    """One key of head 1 is this number, all others are ones."""
    key = np.ones((7, 6))
    key[row, 3:] = number
    return key


BIAS = np.zeros((5, 7))
BIAS[0, 1:] = BIAS[1] = BIAS[2, :3] = -INF
BIASED = PLAIN | {"mask": ({"kind": "bias", "values": BIAS},)}
LARGE = {"query": [[3.0, 0, 0, 3, 0, 0]] * 5, "key": [[0.0] * 6, [2.0] * 6, *[[1.0] * 6] * 5]}
MASKED = {"mask": ({"kind": "padding", "lengths": 7}, CAUSAL)}
BLIND = {"mask": ({"kind": "padding", "lengths": 0},)}
BLANKS = {"query_tokens": ("  ", " the", "{key}", "{0}", "z")}
CLOSED = "the causal mask closes it, so its weight is 0."
NO_KEY = "sees no key: weights 0, output 0."

# of the problem of the fixtures with these fields, of head 1: the cell, and a part of what is said of it
TOLD = [
    ({}, "scores", 2, 3, "Score of query it and key <b>d</b>: "),
    ({}, "scores", 1, 4, "It is the sum of 3 products."),
    ({}, "scaled", 2, 3, "divided by √3."),
    ({}, "head_output", 4, 1, "Column 1 of the output of query tired in head 1: "),
    ({}, "head_output", 4, 1, "It is the sum of 7 values, each times its weight."),
    ({}, "concat", 0, 3, "It is column 1 of head 1."),
    ({}, "output", 0, 3, "Without W_O it is the joined heads themselves."),
    ({}, "query", 3, 2, "Column 5 (head 1, c = 2) of Q for query <img src=x>: "),
    ({}, "value", 3, 1, "Column 3 (head 1, c = 1) of V for key <b>d</b>: "),
    ({}, "query", 3, 2, "It is given, not computed."),
    (PLAIN, "scores", 1, 3, "Score of query 1 and key 3: "),
    (BLANKS, "scores", 0, 3, "Score of query 0 and"),
    (BLANKS, "scores", 1, 3, "Score of query the and"),
    (BLANKS, "scores", 2, 0, "query {key} and"),
        (LARGE, "weights", 2, 1, "gives key b a weight of 0"),
    (LARGE, "weights", 2, 1, ", the largest of 7."),
    (LARGE, "weights", 2, 0, "the smallest of 7"),
    ({"key": with_key(2, NAN)}, "weights", 1, 4, "Query <s> gives key e a weight of NaN."),
    *(
        ({"score": score, "scale": scale}, "scaled", 0, 0, words)
        for score in ("cosine", "gaussian", "average")
        for scale, words in ((None, "It is the score, not scaled."), (1.0, "not scaled."), (0.25, "times 0.25."))
    ),
    (MASKED, "weights", 1, 4, f"Query <s> does not see key e: {CLOSED}"),
    (MASKED, "masked", 1, 4, "the causal mask closes it, so its score is −∞."),
    (MASKED, "masked", 1, 1, "No mask layer closes it."),
    (BLIND, "weights", 2, 3, f"Query it {NO_KEY}"),
    (BLIND, "head_output", 2, 1, f"Query it {NO_KEY}"),
    (BIASED, "weights", 0, 0, "Query 0 gives key 0 a weight of 1: it sees no other key."),
    (BIASED, "weights", 0, 3, "Query 0 does not see key 3: its score is −∞, so its weight is 0."),
    (BIASED, "weights", 1, 0, f"Query 1 {NO_KEY}"),
    (BIASED, "head_output", 1, 0, f"Query 1 {NO_KEY}"),
    (BIASED, "head_output", 2, 0, "It is the sum of 4 values, each times its weight."),
    ({"softcap": 0.25}, "capped", 0, 0, "It stays between −0.25 and 0.25."),
    ({"softcap": 0.25, "key": with_key(2, NAN)}, "capped", 1, 2, ": NaN."),
    (
        {"score": "gaussian", "score_params": {"w": 0.125, "key_norm": 0.0625}},
        "scores", 0, 0, "counts 0.0625 times, times 0.125 squared.",
    ),
    *(
        (by_hand("scores", 9.0) | {"scale": scale}, "scaled", 0, 2, f"It is the score{words}")
        for scale, words in ((None, ", divided by √3."), (1.0, ", not scaled."), (0.25, " times 0.25."))
    ),
    (by_hand("scores", 9.0), "scaled", 0, 1, "It is the sum of 3 products"),
    (by_hand("masked", 3.0) | {"mask": (CAUSAL,)}, "weights", 0, 2, "of 2."),
    (by_hand("masked", 3.0) | {"mask": (CAUSAL,)}, "weights", 0, 3, CLOSED),
    (
        by_hand("masked", factor=2.0) | {"mask": (CAUSAL,)},
        "masked", 0, 3, " is −∞: the causal mask closes it, and a change by hand leaves it closed.",
    ),
    (by_hand("masked", factor=2.0) | {"mask": (CAUSAL,)}, "masked", 0, 0, "Computed, it would be"),
    (by_hand("scores", factor=1.0), "scores", 0, 3, ": a change by hand leaves it as computed."),
    *(({"sink": [-2000.0, -2000.0]}, "weights", row, 0, "The sink of its head takes 0.") for row in range(5)),
    ({"sink": [2.0, -60.0]}, "weights", 0, 0, "e−27."),
    ("wider keys", "key", 3, 2, "Column 5 (head 1, c = 2) of K for key 3: "),
    ("wider keys", "query", 3, 1, "Column 3 (head 1, c = 1) of Q for query 3: "),
    ("layer", "normed_x", 2, 0, "is divided by the root of its mean square, then multiplied by γ₁, plus β₁."),
    ("layer", "query", 2, 0, "It is the sum of 6 products of Xⁿ and W_Q, plus b_Q."),
    ("layer", "key", 2, 0, "It is the sum of 6 products of Xⁿ and W_K, plus b_K."),
    ("layer", "value", 2, 0, "It is the sum of 6 products of Xⁿ and W_V, plus b_V."),
    ("layer", "output", 2, 0, "It is the sum of 2 products of the joined heads and W_O, plus b_O."),
    ("layer", "residual", 2, 0, "It is X plus Y."),
    ("layer", "normalized", 2, 0, "is divided by the root of its mean square, then multiplied by γ₂."),
    ("layer", "up", 2, 0, "It is the sum of 6 products of N and W_up, plus b_up."),
    ("layer", "gate", 2, 0, "It is the sum of 6 products of N and W_gate, plus b_gate."),
    ("layer", "down", 2, 0, "It is the sum of 7 products of F and W_down, plus b_down."),
    ("layer", "block_output", 2, 0, "It is R plus D."),
]  # fmt: skip
OTHER = {"layer": layer, "wider keys": wider_keys}


@pytest.fixture
def inspector(shown):
    return shown(direct(), "weights", 2, 1)


@each(("fields", "stage", "row", "column", "words"), TOLD)
def test_what_is_said_of_a_cell_is_so(inspector, explain_in, fields, stage, row, column, words):
    explain_in(inspector, OTHER[fields]() if isinstance(fields, str) else direct(**fields), stage, row, column)
    text = said(inspector)
    if words.startswith("Query "):
        assert text == words
    else:
        assert text.startswith(words) if words.endswith(": ") else text.endswith(words) or not words.endswith(".")
        assert words in text
    assert ("sees no key" in text) == (NO_KEY in words)
    assert ("does not see" in text) == ("does not see" in words or "closes it, so" in words)


def test_a_long_token_breaks_the_line_and_not_the_panel(shown):
    long = "Donaudampfschifffahrtsgesellschaftskapitän" * 5
    inspector = shown(direct(query_tokens=(long, "b", "c", "d", "e")), "scores", 0, 0, width=248)
    view = inspector.findChild(SentenceView, "inspector.sentence")
    assert inspector.minimumSizeHint().width() <= 248
    assert view.height() >= view.heightForWidth(view.width()) > 4 * view.fontMetrics().height()
    assert view.accessibleName() == view.text()
