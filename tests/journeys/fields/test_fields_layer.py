"""A whole transformer layer: residual, LayerNorm, linear; its kind, norm and activation, its tables, kept."""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtWidgets import QLabel

THINKING = "thinking-machines.npz"  # X is 2 × 8, the output of its one head 4 wide
NETWORK = ("norm1_weight", "norm1_bias", "norm2_weight", "norm2_bias", "w_up", "b_up", "w_down", "b_down")


def layer_norm(rows: np.ndarray, eps: float = 1e-5) -> np.ndarray:
    centered = rows - rows.mean(axis=1, keepdims=True)
    return centered / np.sqrt((centered**2).mean(axis=1, keepdims=True) + eps)


def table(fields, field: str) -> np.ndarray:
    return np.array(fields.person.numbers(field), float)


def test_a_block_offers_the_projection_that_it_needs_and_its_tables_are_kept(fields):
    fields.open(THINKING)
    person = fields.person
    person.do("block")
    assert "must be as wide as X: 8 columns, not 4." in person.banner()
    assert not person.action("block").isChecked()
    person.click(person.button("Add W_O and the block", "banner"))
    assert person.action("block").isChecked()
    assert person.action("output_projection").isChecked()
    assert person.steps()[1:] == ["added W_O and the block"]
    residual = table(fields, "x") + fields.map("head_output") @ table(fields, "w_output")
    assert np.allclose(fields.map("residual"), residual)
    assert np.allclose(fields.map("normalized"), layer_norm(residual))
    assert np.allclose(fields.map("block_output"), layer_norm(residual) @ table(fields, "block.w_linear"))
    fields.undo()
    assert not person.has("heatmap.residual") or person.find("heatmap.residual").shape == (0, 0)
    assert not person.action("output_projection").isChecked()

    # what was missing is no longer said once it is there
    fields.open(THINKING)
    person = fields.person
    person.do("block")
    assert "must be as wide as X" in person.banner()
    person.do("output_projection")
    assert person.banner() == ""
    person.do("make_direct", "block")
    assert "there is no X" in person.banner()
    fields.undo()
    assert person.banner() == ""

    # a projection of another width is made to fit
    fields.open(THINKING)
    person = fields.person
    person.do("block")
    person.click(person.button("Add W_O and the block", "banner"))
    person.do("block")
    assert not person.action("block").isChecked()
    kept = table(fields, "w_output")
    person.size("d_model", 10)
    person.do("block")
    assert "10 columns, not 8" in person.banner()
    person.click(person.button("Make W_O 10 columns wide and add the block", "banner"))
    assert np.array_equal(table(fields, "w_output")[:, :8], kept)
    assert fields.map("block_output").shape == (2, 10)

    # a block without x says that there is none
    fields.open("worked-example.npz")
    fields.person.do("block")
    assert "there is no X" in fields.person.banner()
    assert len(fields.person.steps()) == 1

    # a cell of the block is explained and the projection cannot leave while the block needs it
    fields.open(THINKING)
    person = fields.person
    person.do("block")
    person.click(person.button("Add W_O and the block", "banner"))
    for stage, words in (
        ("residual", "It is X plus Y."),
        ("normalized", "The row of R is brought to mean 0 and variance 1, then multiplied by γ, plus β."),
        ("block_output", "It is the sum of 8 products of N and W_L, plus b_L."),
    ):
        person.choose_cell(stage, 1, 2)
        assert words in fields.sentence()
    person.do("output_projection")
    assert "block needs W_O." in person.banner()
    assert person.action("output_projection").isChecked()

    # the tables of a block are typed into kept and exported
    fields.open(THINKING)
    person = fields.person
    person.do("block")
    person.click(person.button("Add W_O and the block", "banner"))
    fields.tables("N · W")
    before = fields.map("normalized")
    for field, text in (("block.ln_weight", "2"), ("block.ln_bias", "0.5")):
        fields.tables({"block.ln_weight": "γ", "block.ln_bias": "β"}[field])
        person.type_into(field, 0, 3, text)
    expected = before.copy()
    expected[:, 3] = 2 * before[:, 3] + 0.5
    assert np.allclose(fields.map("normalized"), expected)
    fields.type_number("block.ln_eps", "3")
    assert np.allclose(fields.map("normalized")[:, 0], layer_norm(fields.map("residual"), 3.0)[:, 0])
    fields.undo()
    assert np.allclose(fields.map("normalized"), expected)
    fields.save_and_reopen()
    assert person.number("block.ln_weight", 0, 3) == 2
    written = fields.export()
    assert np.allclose(written["normalized"][0], expected)
    assert written["block.ln_bias"].tolist() == [0, 0, 0, 0.5, 0, 0, 0, 0]
    assert np.allclose(written["block_output"][0], expected @ written["block.w_linear"])


def opened(fields, action):
    """The example with a block of a kind, and with the projection that it needs."""
    fields.open(THINKING)
    fields.person.do(action)
    fields.person.click(fields.person.button("Add W_O and the block", "banner"))
    return fields.person


def normed(rows, *, center=True, eps=1e-5):
    rows = rows - rows.mean(axis=1, keepdims=True) if center else rows
    return rows / np.sqrt((rows**2).mean(axis=1, keepdims=True) + eps)


def gelu(x):
    return x * (1 + np.vectorize(math.erf)(x / math.sqrt(2))) / 2


def network(fields, rows, bend=gelu):
    return bend(rows @ table(fields, "block.w_up")) @ table(fields, "block.w_down")


def test_a_block_is_chosen_computed_and_taken_away(fields):
    person = opened(fields, "post_norm_block")
    assert person.action("post_norm_block").isChecked()
    assert not person.action("block").isChecked()
    assert person.steps()[1:] == ["added W_O and the block"]
    texts = [label.text() for label in person.find("spine").findChildren(QLabel) if label.isVisible()]
    assert {"· W_up + b_up", "· W_down + b_down", "+ N"} <= set(texts)
    inner = normed(table(fields, "x") + fields.map("output"))
    assert np.allclose(fields.map("normalized"), inner)
    assert np.allclose(fields.map("block_residual"), inner + network(fields, inner))
    assert np.allclose(fields.map("block_output"), normed(inner + network(fields, inner)))
    person.do("post_norm_block")
    assert person.steps()[1:] == ["added W_O and the block", "removed the block"]
    fields.undo()
    assert person.action("post_norm_block").isChecked()

    # another kind of block keeps the tables that both have
    person = opened(fields, "post_norm_block")
    up = table(fields, "block.w_up")
    person.do("pre_norm_block")
    assert person.action("pre_norm_block").isChecked()
    assert not person.action("post_norm_block").isChecked()
    assert np.array_equal(table(fields, "block.w_up"), up)
    read = normed(table(fields, "x"))
    assert np.allclose(fields.map("normed_x"), read)
    assert np.allclose(fields.map("query"), read @ table(fields, "w_query"))
    stream = table(fields, "x") + fields.map("output")
    assert np.allclose(fields.map("block_output"), stream + network(fields, normed(stream)))
    person.do("block")
    assert np.allclose(fields.map("query"), table(fields, "x") @ table(fields, "w_query"))
    assert fields.map("normed_x").size == 0 if person.has("heatmap.normed_x") else True

    # norm and activation are chosen in the spine and undone
    person = opened(fields, "pre_norm_block")
    assert person.find("control.norm").currentData() == "layer"
    fields.pick("norm", "rms")
    assert np.allclose(fields.map("normed_x"), normed(table(fields, "x"), center=False))
    fields.pick("activation", "relu")
    assert np.allclose(fields.map("activated"), np.maximum(fields.map("up"), 0))
    assert person.steps()[2:] == ["norm RMSNorm", "activation ReLU"]
    fields.type_number("block.norm_eps", "2")
    assert np.allclose(fields.map("normed_x"), normed(table(fields, "x"), center=False, eps=2.0))
    for _ in range(3):
        fields.undo()
    assert person.find("control.norm").currentData() == "layer"
    assert person.find("control.activation").currentData() == "gelu"
    assert np.allclose(fields.map("normed_x"), normed(table(fields, "x")))

    # a gate is added with its table and without a network there is none
    fields.open(THINKING)
    assert not fields.person.action("gated_network").isEnabled()
    person = opened(fields, "pre_norm_block")
    person.do("gated_network")
    assert person.action("gated_network").isChecked()
    assert np.allclose(fields.map("gate"), fields.map("normalized") @ table(fields, "block.w_gate"))
    assert np.allclose(fields.map("activated"), gelu(fields.map("gate")) * fields.map("up"))
    person.do("gated_network")
    assert np.allclose(fields.map("activated"), gelu(fields.map("up")))

    # heads are normalized and given sinks
    person = opened(fields, "pre_norm_block")
    person.do("head_norms")
    assert np.allclose(fields.map("normed_query"), normed(fields.map("query"), center=False, eps=1e-6))
    fields.tables("X · W")
    fields.tables("γ_Q")
    person.type_into("query_norm", 0, 1, "3")
    assert np.allclose(fields.map("normed_query")[:, 1], 3 * normed(fields.map("query"), center=False, eps=1e-6)[:, 1])
    before = fields.map("weights")
    person.do("sinks")
    after = fields.map("weights")
    powers = np.exp(fields.map("scaled"))
    assert np.allclose(after, powers / (powers.sum(axis=1, keepdims=True) + 1))
    assert np.allclose(after / after.sum(axis=1, keepdims=True), before)
    person.choose_cell("weights", 1, 0)
    assert "The sink of its head takes" in fields.sentence()
    for name in ("sinks", "head_norms"):
        person.do(name)
    assert not person.action("sinks").isChecked()
    assert person.steps()[-2:] == ["removed the sinks", "removed the norms of the heads of Q and K"]

    # a cell of the layer is explained
    person = opened(fields, "pre_norm_block")
    for stage, words in (
        ("normed_x", "The row of X is brought to mean 0 and variance 1, then multiplied by γ₁, plus β₁."),
        ("up", "It is the sum of 8 products of N and W_up, plus b_up."),
        ("activated", "It is GELU of Fᵘ."),
        ("down", "It is the sum of 32 products of F and W_down, plus b_down."),
        ("block_output", "It is R plus D."),
    ):
        person.choose_cell(stage, 1, 2)
        assert words in fields.sentence()

    # changes of size keep a layer whole
    person = opened(fields, "pre_norm_block")
    person.do("head_norms", "sinks")
    person.size("d_model", 10)
    assert fields.map("block_output").shape == (2, 10)
    person.size("d_k", 6)
    assert table(fields, "query_norm").size == 6
    person.size("n", 3)
    assert fields.map("block_output").shape == (3, 10)
    fields.undo()
    fields.undo()
    fields.undo()
    assert fields.map("block_output").shape == (2, 8)

    # the tables of a layer are typed into kept and exported
    person = opened(fields, "pre_norm_block")
    fields.tables("N · W")
    for name in NETWORK:
        assert person.has(f"table.block.{name}")
    fields.tables("W_up")
    person.type_into("block.w_up", 0, 3, "4")
    expected = fields.map("normalized") @ table(fields, "block.w_up")
    assert table(fields, "block.w_up")[0, 3] == 4
    assert np.allclose(fields.map("up"), expected)
    fields.save_and_reopen()
    assert person.number("block.w_up", 0, 3) == 4
    assert person.action("pre_norm_block").isChecked()
    written = fields.export()
    assert np.allclose(written["up"][0], expected)
    assert written["block.w_up"][0, 3] == 4
    assert {f"block.{name}" for name in NETWORK} <= set(written)
