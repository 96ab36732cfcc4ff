"""Attention pooling: the example of 50 points, its average, its kernel, and a kernel of another width."""

from __future__ import annotations

import numpy as np

POINTS = "nadaraya-watson.npz"


def pooled(fields, w: float) -> tuple[np.ndarray, np.ndarray]:
    """Weights and answers by the formula of kernel regression, from the numbers in the tables."""
    query, key, value = (np.array(fields.person.numbers(name), float) for name in ("query", "key", "value"))
    kernel = np.exp(-(((query - key.T) * w) ** 2) / 2)
    weights = kernel / kernel.sum(axis=1, keepdims=True)
    return weights, weights @ value


def test_the_points_open_with_their_kernel_which_can_be_narrower_or_average(fields):
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
