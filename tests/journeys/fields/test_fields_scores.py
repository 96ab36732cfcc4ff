"""Every score function and number of a step, biases, weights without softmax: set, seen, undone, kept, exported."""

from __future__ import annotations

from math import exp, tanh

import numpy as np
import pytest

from attn_gui.views.text_views import FormulaView
from tests.failing import each

WORKED = "worked-example.npz"
ROOT = 3**-0.5
WARM = 1 / (1 + exp(-ROOT / 2))

SCORES = {
    "cosine": [[0.5, 0.5], [0.5, 1.0]],
    "gaussian": [[-1.0, -1.0], [-1.0, 0.0]],
    "average": [[0.0, 0.0], [0.0, 0.0]],
}

SCALED = np.array([[1, 1], [1, 2]]) * ROOT
VALUE = np.array([[1, 2], [3, 4]])

WEIGHTS = {
    "none": SCALED,
    "sum": (SCALED + 1) / (SCALED + 1).sum(axis=1, keepdims=True),
    "sigmoid": 1 / (1 + np.exp(-SCALED)),
}

MARKS = {"nan": np.isnan, "inf": np.isposinf, "-inf": np.isneginf}
POINTS = "nadaraya-watson.npz"


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
    person.choose_cell("scores", 1, 0)
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
    assert np.allclose(fields.map("scaled"), SCALED)
    fields.undo()
    assert fields.shown(name)
    assert np.allclose(fields.export()[stage][0, 0], expected)


def pooled(fields, w: float) -> tuple[np.ndarray, np.ndarray]:
    """Weights and answers by the formula of kernel regression, from the numbers in the tables."""
    query, key, value = (np.array(fields.person.numbers(name), float) for name in ("query", "key", "value"))
    kernel = np.exp(-(((query - key.T) * w) ** 2) / 2)
    weights = kernel / kernel.sum(axis=1, keepdims=True)
    return weights, weights @ value


def test_positions_turn_a_temperature_goes_with_its_softmax_and_a_kernel_can_be_narrower(fields):
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

    # a temperature goes with the softmax that read it and comes back with undo
    fields.open(WORKED)
    fields.person.do("temperature")
    fields.pick("normalize", "none")
    assert not fields.shown("temperature")
    assert not fields.person.action("temperature").isEnabled()
    assert fields.person.steps()[-1] == "normalization: none; removed the temperature"
    fields.undo()
    assert fields.shown("temperature")

    # the points open with their kernel, which can be narrower or average
    fields.open(POINTS)
    person = fields.person
    assert person.find("control.score").currentData() == "gaussian"
    assert [person.find(f"control.{name}").value() for name in ("n", "m", "d_k", "d_v")] == [50, 50, 1, 1]
    key = np.array(person.numbers("key"), float)[:, 0]
    assert (np.diff(key) >= 0).all()
    assert 0 <= key.min() <= key.max() < 5
    weights, answers = pooled(fields, 1.0)
    assert np.allclose(fields.map("weights"), weights)
    assert np.allclose(fields.map("head_output"), answers)
    person.click_cell("weights", 20, 22)
    assert fields.sentence().startswith("Query 2.0 gives key 2.20 a weight of")

    # average pooling answers every query alike
    fields.open(POINTS)
    fields.pick("score", "average")
    assert np.allclose(fields.map("weights"), 1 / 50)
    mean = np.mean(np.array(fields.person.numbers("value"), float))
    assert np.allclose(fields.map("head_output"), mean)
    fields.undo()
    assert fields.person.find("control.score").currentData() == "gaussian"

    # a narrower kernel looks at fewer points
    fields.open(POINTS)
    before = fields.map("weights").max()
    fields.type_number("score_params.w", "3.7")
    weights, answers = pooled(fields, 3.7)
    assert np.allclose(fields.map("weights"), weights)
    assert fields.map("weights").max() > 2 * before
    fields.save_and_reopen()
    assert np.allclose(fields.export()["output"][0], answers)


@each(
    ("key", "said", "formula"),
    [
        ("none", "the score itself", "O = (Q Kᵀ / √dₖ) V"),
        ("sum", "φ of the score", "O = φ(Q Kᵀ / √dₖ) / Σ φ V"),
        ("sigmoid", "the sigmoid of the score", "O = σ(Q Kᵀ / √dₖ) V"),
    ],
)
def test_weights_without_a_softmax_are_picked_seen_explained_undone_kept_and_exported(fields, key, said, formula):
    fields.open(WORKED)
    person = fields.person
    fields.pick("normalize", key)
    assert np.allclose(fields.map("weights"), WEIGHTS[key], atol=1e-12)
    assert np.allclose(fields.map("head_output"), WEIGHTS[key] @ VALUE, atol=1e-12)
    assert person.find("spine").findChild(FormulaView).accessibleName() == formula
    person.click_cell("weights", 1, 1)
    assert said in fields.sentence()
    fields.undo()
    assert np.allclose(fields.map("weights")[1, 1], exp(SCALED[1, 1]) / np.exp(SCALED[1]).sum())
    assert person.find("control.normalize").currentData() == "softmax"
    person.do("redo")
    fields.save_and_reopen()
    assert fields.person.find("control.normalize").currentData() == key
    assert np.allclose(fields.export()["weights"][0, 0], WEIGHTS[key], atol=1e-12)


def add_layer(fields, kind: str) -> None:
    """From the box in the spine through the list of kinds."""
    person = fields.person
    person.click("control.mask")
    panel = person.find("panel.mask")
    next(action for action in panel.kinds.actions() if action.data() == kind).trigger()
    person.press("Esc")


def softmax(rows: np.ndarray) -> np.ndarray:
    shares = np.exp(rows - rows.max(axis=1, keepdims=True))
    return shares / shares.sum(axis=1, keepdims=True)


def test_a_bias_is_typed_seen_explained_undone_kept_and_exported(fields):
    fields.open(WORKED)
    person = fields.person
    add_layer(fields, "bias")
    fields.tables("M")
    person.type_into("mask.0.values", 0, 1, "1.5")
    expected = SCALED + np.array([[0, 1.5], [0, 0]])
    assert np.allclose(fields.map("biased"), expected)
    assert np.allclose(fields.map("weights"), softmax(expected))
    person.choose_cell("biased", 0, 1)
    assert "with its bias: 2.077" in fields.sentence()
    fields.undo()
    assert np.allclose(fields.map("biased"), SCALED)
    person.do("redo")
    fields.save_and_reopen()
    assert person.number("mask.0.values", 0, 1) == 1.5
    written = fields.export()
    assert np.allclose(written["biased"][0, 0], expected)
    assert written["mask.0.values"].ravel().tolist() == [0, 1.5, 0, 0]

    # alibi takes from distant keys
    fields.open(WORKED)
    add_layer(fields, "alibi")
    slope = 2.0**-8  # of the only head
    expected = SCALED - slope * np.array([[0, 1], [1, 0]])
    assert np.allclose(fields.map("biased"), expected)
    fields.person.choose_cell("biased", 1, 0)
    assert "with its bias" in fields.sentence()
    fields.save_and_reopen()
    assert np.allclose(fields.export()["weights"][0, 0], softmax(expected))

    # no number in a value stays where its key weighs nothing
    # A closed key's value never reaches the output, whatever it is.
    fields.open(WORKED)
    person = fields.person
    add_layer(fields, "causal")
    person.type_into("value", 1, 0, "nan")
    output = fields.map("head_output")
    assert output[0].tolist() == [1, 2]
    assert np.isnan(output[1, 0])
    assert np.isfinite(output[1, 1])


@each("field", ["query", "key", "value", "mask.0.values", "score_params.w_score", "block.ln_bias"])
def test_what_is_no_number_is_drawn_and_undone_wherever_it_is_typed(fields, field):
    fields.open("thinking-machines.npz" if field.startswith("block") else WORKED)
    person = fields.person
    if field.startswith("mask"):
        add_layer(fields, "bias")
        fields.tables("M")
    elif field.startswith("score"):
        fields.pick("score", "additive")
        fields.tables("a(q, k)")
    elif field.startswith("block"):
        person.do("block")
        person.click(person.button("Add W_O and the block", "banner"))
        fields.tables("N · W")
        fields.tables("β")
    stages = [stage for stage in ("scores", "weights", "head_output", "block_output") if person.has(f"heatmap.{stage}")]
    before = {stage: fields.map(stage) for stage in stages}
    number = person.number(field, 0, 1)
    for text in MARKS:
        person.type_into(field, 0, 1, text)
        assert MARKS[text](person.number(field, 0, 1))
        for stage in stages:
            person.show_stage(stage)
            person.pixel(stage, 0, 0)  # it paints
            person.click_cell(stage, 0, 0)
            assert fields.sentence()
        fields.undo()
        assert person.number(field, 0, 1) == number
        for stage in stages:
            assert np.array_equal(fields.map(stage), before[stage])
