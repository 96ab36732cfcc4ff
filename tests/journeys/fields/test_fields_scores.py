"""Every score function and every number of a step: set, seen in the maps, undone, kept, exported.

Q = [[1, 0, 1], [0, 1, 1]] and K = [[1, 1, 0], [0, 1, 1]] of the worked example: every number here is done by hand.
"""

from __future__ import annotations

from math import exp, tanh

import numpy as np
import pytest

from tests.failing import each

WORKED = "worked-example.npz"
ROOT = 3**-0.5
WARM = 1 / (1 + exp(-ROOT / 2))
SCORES = {
    "cosine": [[0.5, 0.5], [0.5, 1.0]],
    "gaussian": [[-1.0, -1.0], [-1.0, 0.0]],
    "average": [[0.0, 0.0], [0.0, 0.0]],
}


@each("score", SCORES)
def test_a_score_function_is_picked_seen_undone_kept_and_exported(fields, score):
    fields.open(WORKED)
    fields.pick("score", score)
    assert np.allclose(fields.map("scores"), SCORES[score], atol=1e-15)
    last = SCORES[score][1][1] - SCORES[score][1][0]
    assert fields.map("weights")[1, 1] == pytest.approx(1 / (1 + exp(-last)))  # no scale: it belongs to dot products
    assert len(fields.person.steps()) == 2
    fields.undo()
    assert np.allclose(fields.map("scores"), [[1, 1], [1, 2]])
    assert fields.person.find("control.score").currentData() == "dot"
    fields.person.do("redo")
    fields.save_and_reopen()
    assert fields.person.find("control.score").currentData() == score
    assert np.allclose(fields.map("scores"), SCORES[score], atol=1e-15)
    assert np.allclose(fields.export()["scores"], SCORES[score], atol=1e-15)


def test_additive_and_gaussian_scores_have_numbers_of_their_own(fields):
    fields.open(WORKED)
    fields.pick("score", "additive")
    first = fields.map("scores")
    fields.type_number("d_a", "5")
    assert fields.person.table("score_params.w_score").model().columnCount() == 5
    fields.pick("score", "dot")
    assert fields.person.steps()[1:] == ["score additive", "hidden units of the score 5", "score dot"]
    for _ in range(2):
        fields.undo()
    assert np.array_equal(fields.map("scores"), first)

    # the scale of another score is named and kept
    fields.open(WORKED)
    fields.pick("score", "cosine")
    scale = fields.person.find("control.scale")
    assert scale.currentData() == "none"
    fields.pick("scale", "sqrt")
    assert scale.currentData() == "sqrt"
    assert np.allclose(fields.map("scaled"), np.array(SCORES["cosine"]) * ROOT)
    fields.pick("scale", "none")
    assert np.allclose(fields.map("scaled"), SCORES["cosine"])

    # the width of the gaussian and the length of its keys
    fields.open(WORKED)
    assert not fields.shown("score_params.w")
    fields.pick("score", "gaussian")
    fields.type_number("score_params.w", "2")
    assert np.allclose(fields.map("scores"), [[-4, -4], [-4, 0]])
    fields.type_number("score_params.key_norm", "0")  # ‖k‖² = 2 for both keys: a dot product is left
    assert np.allclose(fields.map("scores"), [[0, 0], [0, 4]])
    fields.undo()
    assert np.allclose(fields.map("scores"), [[-4, -4], [-4, 0]])
    assert fields.person.find("control.score_params.key_norm").text() == "1"
    fields.save_and_reopen()
    assert fields.person.find("control.score_params.w").text() == "2"
    assert np.allclose(fields.export()["weights"], [[[[0.5, 0.5], [exp(-4) / (1 + exp(-4)), 1 / (1 + exp(-4))]]]])

    # the additive score has tables that are typed into
    fields.open(WORKED)
    fields.pick("score", "additive")
    person = fields.person
    fields.tables("a(q, k)")
    for name in ("w_score_query", "w_score_key", "w_score"):
        assert person.table(f"score_params.{name}").isVisible()
    fields.type_number("d_a", "1")
    for row, (query, key) in enumerate(((1, 0.5), (2, 0.25), (-1, 0))):
        person.type_into("score_params.w_score_query", row, 0, str(query))
        person.type_into("score_params.w_score_key", row, 0, str(key))
    person.type_into("score_params.w_score", 0, 0, "3")
    # q₀·W = 0, q₁·W = 1; k₀·W = 0.75, k₁·W = 0.25
    expected = 3 * np.tanh([[0.75, 0.25], [1.75, 1.25]])
    assert np.allclose(fields.map("scores"), expected)
    person.show_stage("scores")
    person.click_cell("scores", 1, 0)
    assert "1 hidden unit" in fields.sentence()
    fields.save_and_reopen()
    assert fields.person.number("score_params.w_score", 0, 0) == 3
    written = fields.export()
    assert np.allclose(written["scores"], expected)
    assert written["score_params.w_score_query"].ravel().tolist() == [1, 2, -1]


@each(
    ("action", "name", "text", "stage", "expected"),
    [
        ("softcap", "softcap", "1", "capped", [[tanh(ROOT), tanh(ROOT)], [tanh(ROOT), tanh(2 * ROOT)]]),
        ("temperature", "temperature", "2", "weights", [[0.5, 0.5], [1 - WARM, WARM]]),
    ],
)
def test_a_step_comes_by_the_menu_and_goes_with_its_number(fields, action, name, text, stage, expected):
    fields.open(WORKED)
    assert not fields.shown(name)
    fields.person.do(action)
    assert fields.person.action(action).isChecked()
    assert fields.person.find(f"control.{name}").hasFocus()
    fields.type_number(name, text)
    assert np.allclose(fields.map(stage), expected)
    fields.save_and_reopen()
    assert np.allclose(fields.map(stage), expected)
    fields.type_number(name, "")
    assert not fields.shown(name)
    assert not fields.person.action(action).isChecked()
    assert np.allclose(fields.map("scaled"), np.array([[1, 1], [1, 2]]) * ROOT)
    fields.undo()
    assert fields.shown(name)
    assert np.allclose(fields.export()[stage][0, 0], expected)


def test_rotary_positions_turn_what_stands_at_a_later_place(fields):
    fields.open(WORKED)
    fields.person.do("rotary_positions")
    assert "Rotary positions pair the columns of a head" in fields.person.banner()
    assert not fields.person.action("rotary_positions").isChecked()
    assert len(fields.person.steps()) == 1

    # rotary positions turn what stands at a later place
    fields.open("thinking-machines.npz")
    before = fields.map("query")
    fields.person.do("rotary_positions")
    fields.type_number("rotary_theta", "100")
    turned = fields.map("rotated_query")
    assert np.array_equal(turned[0], before[0])  # position 0
    for pair, angle in ((0, 1.0), (1, 0.1)):
        a, b = before[1, pair], before[1, pair + 2]
        assert turned[1, pair] == pytest.approx(a * np.cos(angle) - b * np.sin(angle))
    fields.save_and_reopen()
    fields.person.do("rotary_positions")
    assert not fields.shown("rotary_theta")
    fields.undo()
    assert np.allclose(fields.export()["rotated_query"][0], turned)
