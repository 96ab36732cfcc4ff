"""Sentences of the inspector about a cell, stage by stage."""

from __future__ import annotations

from collections.abc import Callable

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
    assert "number 7 of 7 by size" in said(shown(problem, "weights", 2, 0))


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
    ("scale", "expected"),
    [(None, "divided by √3."), (1.0, "not scaled."), (0.25, "times 0.2500."), (-2.0, "times −2.0000.")],
)
def test_the_scale_in_force_is_named(shown: Shown, make: Make, scale: float | None, expected: str) -> None:
    assert said(shown(make(scale=scale), "scaled", 0, 0)).endswith(expected)


@pytest.mark.parametrize(
    ("scale", "expected"), [(None, "It is the score, not scaled."), (1.0, "not scaled."), (0.25, "times 0.2500.")]
)
@pytest.mark.parametrize("score", ["cosine", "gaussian", "average"])
def test_a_score_that_is_no_product_is_scaled_only_if_a_scale_is_given(
    shown: Shown, make: Make, score: str, scale: float | None, expected: str
) -> None:
    assert said(shown(make(score=score, scale=scale), "scaled", 0, 0)).endswith(expected)


@pytest.mark.parametrize(
    ("stage", "column", "expected"),
    [
        ("query", 4, "It is the sum of 11 products of X and W_Q, plus b_Q."),
        ("key", 1, "It is the sum of 11 products of X and W_K."),
        ("output", 12, "It is the sum of 4 products of the joined heads and W_O."),
    ],
)
def test_a_projection_names_its_matrices(
    shown: Shown, make_projected: Make, stage: str, column: int, expected: str
) -> None:
    assert said(shown(make_projected(), stage, 2, column, head=0)).endswith(expected)


def test_a_second_sequence_is_named_where_it_is_read(shown: Shown, make_projected: Make) -> None:
    problem = make_projected(context=[[0.5] * 11] * 3)
    assert "products of X and W_Q" in said(shown(problem, "query", 2, 1))
    assert "products of X₂ and W_V" in said(shown(problem, "value", 2, 1))


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


def test_a_row_with_one_open_key_is_not_compared(shown: Shown, make: Make) -> None:
    assert said(shown(make(mask=({"kind": "causal"},)), "weights", 0, 0)).endswith("it sees no other key.")


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
