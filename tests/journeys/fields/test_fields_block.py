"""Residual, LayerNorm and Linear: added where they can be, offered where something is missing, edited, kept."""

from __future__ import annotations

import numpy as np

THINKING = "thinking-machines.npz"  # X is 2 × 8, the output of its one head 4 wide


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
    person.do("make_direct")
    person.do("block")
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
        person.show_stage(stage)
        person.click_cell(stage, 1, 2)
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
