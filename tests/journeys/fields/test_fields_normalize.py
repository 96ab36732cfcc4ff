"""From scores to weights without a softmax, by φ and by a sigmoid: picked, seen, explained, undone, kept, exported."""

from __future__ import annotations

from math import exp

import numpy as np

from attn_gui.views.text_views import FormulaView
from tests.failing import each

WORKED = "worked-example.npz"
SCALED = np.array([[1, 1], [1, 2]]) * 3**-0.5
VALUE = np.array([[1, 2], [3, 4]])
WEIGHTS = {
    "none": SCALED,
    "sum": (SCALED + 1) / (SCALED + 1).sum(axis=1, keepdims=True),
    "sigmoid": 1 / (1 + np.exp(-SCALED)),
}


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


def test_a_temperature_goes_with_the_softmax_that_read_it_and_comes_back_with_undo(fields):
    fields.open(WORKED)
    fields.person.do("temperature")
    fields.pick("normalize", "none")
    assert not fields.shown("temperature")
    assert not fields.person.action("temperature").isEnabled()
    assert fields.person.steps()[-1] == "normalization: none; removed the temperature"
    fields.undo()
    assert fields.shown("temperature")
