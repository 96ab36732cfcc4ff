"""Score functions and numbers of a step, biases, weights without softmax: set, seen, undone, kept, exported."""

from math import exp, tanh

import numpy as np
import pytest

from attn_gui.views.text_views import FormulaView
from tests.failing import share

WORKED = "worked-example.npz"
ROOT = 3**-0.5
WARM = 1 / (1 + exp(-ROOT / 2))
SCALED = np.array([[1, 1], [1, 2]]) * ROOT
STEPS = (
    ("softcap", "softcap", "1", "capped", [[tanh(ROOT), tanh(ROOT)], [tanh(ROOT), tanh(2 * ROOT)]]),
    ("temperature", "temperature", "2", "weights", [[0.5, 0.5], [1 - WARM, WARM]]),
)
"""The action and the number of a step, what is typed there, and the map that follows."""
NORMALIZED = (
    ("none", SCALED, "the score itself", "O = (Q Kᵀ / √dₖ) V"),
    ("sum", (SCALED + 1) / (SCALED + 1).sum(axis=1, keepdims=True), "φ of the score", "O = φ(Q Kᵀ / √dₖ) / Σ φ V"),
    ("sigmoid", 1 / (1 + np.exp(-SCALED)), "the sigmoid of the score", "O = σ(Q Kᵀ / √dₖ) V"),
)
"""A normalization, its weights, what is said of one of them, and the formula."""
MARKS = {"nan": np.isnan, "inf": np.isposinf, "-inf": np.isneginf}


def test_scores_have_numbers_and_tables_of_their_own(fields):
    fields.open(WORKED)
    fields.pick("score", "cosine")
    cosine = fields.map("scores")
    assert np.allclose(cosine, [[0.5, 0.5], [0.5, 1.0]])
    scale = fields.person.find("control.scale")
    assert scale.currentData() == "none", "it belongs to dot products"
    fields.pick("scale", "sqrt")
    assert np.allclose(fields.map("scaled"), cosine * ROOT)
    fields.undo()
    fields.undo()
    assert fields.person.find("control.score").currentData() == "dot"
    assert np.allclose(fields.map("scores"), [[1, 1], [1, 2]])

    # the width of the gaussian and the length of its keys
    fields.open(WORKED)
    assert not fields.shown("score_params.w")
    fields.pick("score", "gaussian")
    fields.type_number("score_params.w", "2")
    assert np.allclose(fields.map("scores"), [[-4, -4], [-4, 0]])
    fields.type_number("score_params.key_norm", "0")  # ‖k‖² = 2 for both keys: a dot product is left
    assert np.allclose(fields.map("scores"), [[0, 0], [0, 4]])
    fields.undo()
    assert fields.person.find("control.score_params.key_norm").text() == "1"
    fields.save_and_reopen()
    assert fields.person.find("control.score_params.w").text() == "2"
    assert np.allclose(fields.export()["weights"], [[[[0.5, 0.5], [exp(-4) / (1 + exp(-4)), 1 / (1 + exp(-4))]]]])

    # the additive score has tables that are typed into
    fields.open(WORKED)
    fields.pick("score", "additive")
    person = fields.person
    fields.tables("a(q, k)")
    fields.type_number("d_a", "1")
    assert person.steps()[1:] == ["score additive", "hidden units of the score 1"]
    for row, (query, key) in enumerate(((1, 0.5), (2, 0.25), (-1, 0))):
        person.type_into("score_params.w_score_query", row, 0, str(query))
        person.type_into("score_params.w_score_key", row, 0, str(key))
    person.type_into("score_params.w_score", 0, 0, "3")
    # q₀·W = 0, q₁·W = 1; k₀·W = 0.75, k₁·W = 0.25
    assert np.allclose(fields.map("scores"), 3 * np.tanh([[0.75, 0.25], [1.75, 1.25]]))
    person.choose_cell("scores", 1, 0)
    assert "1 hidden unit" in fields.sentence()

    # positions turn what stands later, and a temperature goes with its softmax
    fields.open(WORKED)
    fields.person.do("rotary_positions")
    assert "Rotary positions pair the columns of a head" in fields.person.banner()
    assert not fields.person.action("rotary_positions").isChecked()
    assert len(fields.person.steps()) == 1

    fields.open("thinking-machines.npz")
    before = fields.map("query")
    fields.person.do("rotary_positions")
    fields.type_number("rotary_theta", "100")
    turned = fields.map("rotated_query")
    assert np.array_equal(turned[0], before[0])  # position 0
    for pair, angle in ((0, 1.0), (1, 0.1)):
        a, b = before[1, pair], before[1, pair + 2]
        assert turned[1, pair] == pytest.approx(a * np.cos(angle) - b * np.sin(angle))

    fields.open(WORKED)
    fields.person.do("temperature")
    fields.pick("normalize", "none")
    assert not fields.shown("temperature")
    assert not fields.person.action("temperature").isEnabled()
    assert fields.person.steps()[-1] == "normalization: none; removed the temperature"
    fields.undo()
    assert fields.shown("temperature")

    for key, weights, said, formula in share(NORMALIZED, 3):
        fields.open(WORKED)
        person = fields.person
        fields.pick("normalize", key)
        assert np.allclose(fields.map("weights"), weights, atol=1e-12)
        assert person.find("spine").findChild(FormulaView).accessibleName() == formula
        person.click_cell("weights", 1, 1)
        assert said in fields.sentence()
        fields.undo()
        assert np.allclose(fields.map("weights")[1, 1], exp(SCALED[1, 1]) / np.exp(SCALED[1]).sum())
        assert person.find("control.normalize").currentData() == "softmax"

    for action, name, text, stage, expected in share(STEPS, 2):
        fields.open(WORKED)
        assert not fields.shown(name)
        fields.person.do(action)
        assert fields.person.action(action).isChecked()
        assert fields.person.find(f"control.{name}").hasFocus()
        fields.type_number(name, text)
        assert np.allclose(fields.map(stage), expected)
        fields.type_number(name, "")
        assert not fields.shown(name)
        assert not fields.person.action(action).isChecked()
        fields.undo()
        assert fields.shown(name)
        assert np.allclose(fields.map(stage), expected)

    for field, tables in share((("query", ""), ("score_params.w_score", "a(q, k)")), 2):
        fields.open(WORKED)
        person = fields.person
        if tables:
            fields.pick("score", "additive")
            fields.tables(tables)
        before, number = fields.map("head_output"), person.number(field, 0, 1)
        for text in MARKS:
            person.type_into(field, 0, 1, text)
            assert MARKS[text](person.number(field, 0, 1))
            for stage in ("scores", "head_output"):
                person.show_stage(stage)
                person.pixel(stage, 0, 0)  # it paints
                person.click_cell(stage, 0, 0)
                assert fields.sentence()
            fields.undo()
            assert person.number(field, 0, 1) == number
            assert np.array_equal(fields.map("head_output"), before)
