"""Numbers added to the scores, and numbers that are none: typed into cells, drawn as marks, never in the way."""

from __future__ import annotations

import numpy as np

from tests.failing import each

WORKED = "worked-example.npz"
ROOT = 3**-0.5
SCALED = np.array([[1, 1], [1, 2]]) * ROOT
MARKS = {"nan": np.isnan, "inf": np.isposinf, "-inf": np.isneginf}


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
    person.show_stage("biased")
    person.click_cell("biased", 0, 1)
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
    fields.person.show_stage("biased")
    fields.person.click_cell("biased", 1, 0)
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
