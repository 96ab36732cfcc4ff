"""A number of any stage set by hand, in the window: the map, what follows, the explanation, undo, tables."""

from __future__ import annotations

import numpy as np

from attn_gui.document.edits import Label, SetCells, SetFields
from attn_gui.engine import compute

SMALL = "worked-example.npz"
LABEL = Label("edit", {})


def set_by_hand(person, *records):
    person.program.document.apply(SetFields({"interventions": records}, LABEL))
    person.wait()


def test_numbers_set_by_hand_are_shown_with_what_follows_and_what_they_would_be(person):
    shape = np.shape(person.values("scores"))
    record = {"kind": "set", "stage": "scores", "at": {"head": 0}, "values": np.zeros(shape)}
    set_by_hand(person, record, {"kind": "scale", "stage": "weights", "factor": 2.0})
    assert person.find("table.interventions.0.values").model().rowCount() == shape[0]
    values = np.array([[3.0]])
    box = (slice(1, 2), slice(0, 1))
    person.program.document.apply(SetCells("interventions.0.values", box, values, LABEL))
    person.wait()
    assert person.value("scores", 1, 0) == 3.0
    assert np.allclose(np.sum(person.values("weights")[1]), 2.0)

    person.again("a jump through the history shows what was set by hand there")
    shape = np.shape(person.values("weights"))
    off = {"kind": "scale", "stage": "value", "factor": 0.5}
    row = {"kind": "set", "stage": "weights", "at": {"head": 0, "query": 1}, "values": np.full(shape[1], 0.25)}
    set_by_hand(person, off, row)
    document = person.program.document
    before = np.asarray(person.values("weights"))
    document.apply(SetCells("interventions.1.values", (slice(0, 1),), np.array([9.0]), LABEL))
    set_by_hand(person, {**row, "values": np.array(document.problem.interventions[1].values)})
    person.wait()
    after = np.asarray(person.values("weights"))
    assert after[1, 0] == 9.0
    for index, wanted in ((-2, before), (2, after)):
        document.stack.setIndex(document.stack.index() + index)
        person.wait()
        assert np.array_equal(person.values("weights"), wanted)
        assert np.allclose(person.values("head_output"), compute(document.problem)["head_output"][0, 0])

    person.again("a weight set by hand is shown with what follows and what it would be")
    person.do("language_zh")
    before = np.asarray(person.values("weights"))
    evaluation = person.program.computation.evaluation
    set_by_hand(person, {"kind": "set", "stage": "weights", "at": {"head": 0, "query": 1, "key": 0}, "values": 0.875})
    assert person.program.computation.evaluation is evaluation, "nothing is computed anew"
    assert person.value("weights", 1, 0) == 0.875
    assert np.array_equal(np.delete(np.asarray(person.values("weights")), 1, axis=0), np.delete(before, 1, axis=0))
    expected = compute(person.program.document.problem)
    assert np.allclose(person.values("head_output"), expected["head_output"][0, 0])
    person.click_cell("weights", 1, 0)
    assert "0.875" in person.explanation()
    assert f"{before[1, 0]:.4f}" in person.explanation()
    person.do("undo")
    person.wait()
    assert np.array_equal(person.values("weights"), before)
