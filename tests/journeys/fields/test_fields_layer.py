"""A whole transformer layer: residual, LayerNorm, linear; its kind, norm and activation, its tables, kept."""

import numpy as np
from PySide6.QtWidgets import QLabel

THINKING = "thinking-machines.npz"  # X is 2 × 8, the output of its one head 4 wide


def table(fields, field: str) -> np.ndarray:
    return np.array(fields.person.numbers(field), float)


def opened(fields, action):
    """The example with a block of a kind, and with the projection that it needs."""
    fields.open(THINKING)
    fields.person.do(action)
    fields.person.click(fields.person.button("Add W_O and the block", "banner"))
    return fields.person


def normed(rows, *, center=True, eps=1e-5):
    rows = rows - rows.mean(axis=1, keepdims=True) if center else rows
    return rows / np.sqrt((rows**2).mean(axis=1, keepdims=True) + eps)


def test_a_block_offers_the_projection_that_it_needs_is_chosen_computed_kept_and_taken_away(fields):
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
    assert np.allclose(fields.map("block_output"), normed(residual) @ table(fields, "block.w_linear"))
    person.choose_cell("normalized", 1, 2)
    assert "The row of R is brought to mean 0 and variance 1, then multiplied by γ, plus β." in fields.sentence()
    person.do("output_projection")
    assert "block needs W_O." in person.banner()
    assert person.action("output_projection").isChecked()
    fields.undo()
    assert not person.has("heatmap.residual") or person.find("heatmap.residual").shape == (0, 0)
    assert not person.action("output_projection").isChecked()

    # the tables of a block are typed into kept and exported
    person = opened(fields, "block")
    fields.tables("N · W")
    expected = fields.map("normalized")
    for field, name, text in (("block.ln_weight", "γ", "2"), ("block.ln_bias", "β", "0.5")):
        fields.tables(name)
        person.type_into(field, 0, 3, text)
    expected[:, 3] = 2 * expected[:, 3] + 0.5
    assert np.allclose(fields.map("normalized"), expected)
    fields.type_number("block.ln_eps", "3")
    assert np.allclose(fields.map("normalized")[:, 0], normed(fields.map("residual"), eps=3.0)[:, 0])
    fields.undo()
    fields.save_and_reopen()
    assert person.number("block.ln_weight", 0, 3) == 2
    written = fields.export()
    assert written["block.ln_bias"].tolist() == [0, 0, 0, 0.5, 0, 0, 0, 0]
    assert np.allclose(written["block_output"][0], expected @ written["block.w_linear"])

    # a block is chosen, computed and taken away
    person = opened(fields, "post_norm_block")
    texts = [label.text() for label in person.find("spine").findChildren(QLabel) if label.isVisible()]
    assert {"· W_up + b_up", "· W_down + b_down", "+ N"} <= set(texts)
    person.do("post_norm_block")
    assert person.steps()[1:] == ["added W_O and the block", "removed the block"]
    fields.undo()
    assert person.action("post_norm_block").isChecked()

    # another kind of block keeps the tables that both have
    up = table(fields, "block.w_up")
    person.do("pre_norm_block")
    assert not person.action("post_norm_block").isChecked()
    assert np.array_equal(table(fields, "block.w_up"), up)
    assert np.allclose(fields.map("query"), normed(table(fields, "x")) @ table(fields, "w_query"))

    # norm and activation are chosen in the spine and undone
    fields.pick("norm", "rms")
    assert np.allclose(fields.map("normed_x"), normed(table(fields, "x"), center=False))
    fields.pick("activation", "relu")
    assert np.allclose(fields.map("activated"), np.maximum(fields.map("up"), 0))
    assert person.steps()[-2:] == ["norm RMSNorm", "activation ReLU"]
    fields.type_number("block.norm_eps", "2")
    assert np.allclose(fields.map("normed_x"), normed(table(fields, "x"), center=False, eps=2.0))
    for _ in range(3):
        fields.undo()
    assert person.find("control.norm").currentData() == "layer"
    assert person.find("control.activation").currentData() == "gelu"

    # a gate is added with its table, heads are normalized and given sinks
    person.do("gated_network")
    assert np.allclose(fields.map("gate"), fields.map("normalized") @ table(fields, "block.w_gate"))
    person.do("gated_network")
    assert not person.has("table.block.w_gate")
    person.do("head_norms")
    fields.tables("X · W")
    fields.tables("γ_Q")
    person.type_into("query_norm", 0, 1, "3")
    assert np.allclose(fields.map("normed_query")[:, 1], 3 * normed(fields.map("query"), center=False, eps=1e-6)[:, 1])
    person.do("sinks")
    powers = np.exp(fields.map("scaled"))
    assert np.allclose(fields.map("weights"), powers / (powers.sum(axis=1, keepdims=True) + 1))
    person.choose_cell("weights", 1, 0)
    assert "The sink of its head takes" in fields.sentence()
    person.size("d_k", 6)
    assert table(fields, "query_norm").size == 6
    person.do("sinks", "head_norms")
    assert person.steps()[-2:] == ["removed the sinks", "removed the norms of the heads of Q and K"]
