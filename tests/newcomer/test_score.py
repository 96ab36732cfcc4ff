"""A new score function in this one file: it is computed, explained, judged, shown and exported.

−λ Σ|q − k|, the Manhattan distance with a minus, is a sum of differences and no product: who says so is wrong.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np
import pytest

from attn_gui.cli import main
from attn_gui.engine import FieldError, Problem, compute, explain, solve, verify
from attn_gui.engine.arrays import Array
from attn_gui.engine.evaluation.streaming import StreamingEvaluation
from attn_gui.engine.graph.expressions import Addends, Expression, Function, Leaves, Negative, Power, Product, Sum, add
from attn_gui.engine.graph.stage import StageName
from attn_gui.engine.scores import SCORES, Score, ScoreSetting
from attn_gui.formats import load, save
from tests.failing import each
from tests.newcomer.conftest import texts

D = 5  # the axis that is summed, in the order b g r i j d
SMALL = "worked-example.npz"


class Manhattan(Score):
    """−λ Σ|q − k|: 0 where query and key are the same."""

    label = "Manhattan"
    formula = "logits[b (g r) i j] = query[b i (g r d)], key[b j (g d)], steepness[]"
    numbers = MappingProxyType(
        {
            "steepness": ScoreSetting(
                1.0, StageName("λ", r"\lambda", r"\lambda"), "steepness", "The factor of the distance"
            )
        }
    )
    cell = r"-\lambda \|{q}_i - {k}_j\|_1"
    sentence = "Score of query {query} and key {key}: {value}. It is minus the sum of {count} distances."
    term = "−λ|q−k|"

    def described(self, params: Mapping[str, float], width: int) -> tuple[str, Mapping[str, float]]:
        return self.sentence, {"count": width}

    def forward(self, query: Array, key: Array, steepness: Array) -> Array:
        return (-steepness * np.abs(query - key)).sum(axis=D)

    def pull_back(self, grad: Array, result: Array, query: Array, key: Array, steepness: Array) -> Sequence[Array]:
        slope = -steepness * np.sign(query - key) * grad
        to_steepness = -np.abs(query - key) * grad
        return slope.sum(axis=4, keepdims=True), -slope.sum(axis=(2, 3), keepdims=True), to_steepness

    def rounding(self, values: Sequence[Array], errors: Sequence[Array]) -> Array:
        (query, key, steepness), slips = values, errors
        apart = slips[0] + slips[1] + (query.shape[D] + 2) * np.abs(query - key)
        return (np.abs(steepness) * apart).sum(axis=D, keepdims=True)

    def explain(self, at: tuple[int, ...], query: Leaves, key: Leaves, steepness: Leaves) -> Expression:

        def distance(c: int) -> Expression:
            return Function("sqrt", Power(add(query[[c]], Negative(key[[c]])), 2))

        return Negative(Product(steepness.one, Sum(query.values.size, distance, np.abs(query.values - key.values))))

    def addends(self, at: tuple[int, ...], query: Leaves, key: Leaves, steepness: Leaves) -> list[Addends]:
        return [Addends(-steepness.one.value * np.abs(query.values - key.values), [query, key])]


@pytest.fixture(autouse=True)
def l1(monkeypatch):
    monkeypatch.setitem(SCORES, "l1", Manhattan())


@pytest.fixture
def problem(rng):
    arrays = {name: rng.normal(size=(4, 6)) for name in ("query", "key", "value")}
    return Problem(**arrays, num_heads=2, score="l1", score_params={"steepness": 0.5})


@pytest.fixture
def rng():
    return np.random.default_rng(7)


def scores_of(problem):
    query, key = (np.asarray(array).reshape(4, 2, 3).swapaxes(0, 1) for array in (problem.query, problem.key))
    return -0.5 * np.abs(query[:, :, None] - key[:, None]).sum(axis=-1)


# --- the engine ----------------------------------------------------------------------------------
def test_it_is_computed_by_both_evaluations_and_not_scaled_unasked(problem):
    trace = compute(problem)
    assert np.allclose(trace["scores"][0], scores_of(problem))
    assert np.array_equal(trace["scaled"], trace["scores"])
    long = StreamingEvaluation(problem)
    assert np.allclose(long.box("weights", tuple(slice(0, k) for k in long.shape("weights"))), trace["weights"])


@each("stage", ["scores", "scaled", "weights", "head_output"])
def test_every_formula_is_its_own(problem, stage):
    found = explain(compute(problem), stage, (0, 1, 2, 1))
    assert found.expression.value == pytest.approx(found.value)
    assert r"\cdot k" not in found.latex
    assert "·K" not in found.text


def test_the_sum_over_the_keys_speaks_of_no_dot_product(problem):
    found = explain(compute(problem), "weights", (0, 1, 2, 1)).per_query
    assert "e^(a(Q[2], K[j]))" in found.text
    assert found.expression.value == pytest.approx(compute(problem)["weights"][0, 1, 2, 1])


def test_the_reference_that_does_not_know_it_neither_blames_nor_blesses(problem, tmp_path, capsys):
    found = verify(problem)
    assert found.complaint is None
    assert not found.ok
    assert str(found.unjudged) == "The reference does not know the score l1: no stage is judged."
    assert all(invariant.holds is not False for invariant in found.invariants)
    assert next(i for i in found.invariants if i.name == "order_of_keys_is_free").holds
    save(problem, tmp_path / "a.npz")
    assert main(["verify", str(tmp_path / "a.npz")]) == 2
    assert "does not know the score l1" in capsys.readouterr().err


def test_a_target_is_reached_or_refused_in_a_sentence(problem):
    found = solve(problem, "weights", (0, 1, 2, 1), 0.5, by="key")
    assert found.feasible == (abs(found.reached - 0.5) < 1e-6)
    assert str(found.reason).endswith(".")
    with pytest.raises(FieldError, match="not linear in the query row"):
        solve(problem, "scores", (0, 1, 2, 1), -1.0, by="query", odds="kept")


# --- files and the command line ------------------------------------------------------------------
def test_it_is_saved_opened_and_exported(problem, tmp_path):
    for name in ("a.attn", "a.npz"):
        save(problem, tmp_path / name)
        assert load(tmp_path / name) == problem
    words = ["export", str(tmp_path / "a.npz"), "-o", str(tmp_path), "--stage", "scores", "weights", "--format", "csv"]
    assert main(words) == 0
    rows = (tmp_path / "a-scores-h1.csv").read_text(encoding="utf-8").splitlines()
    assert np.allclose([[float(cell) for cell in row.split(",")] for row in rows], scores_of(problem)[1])
    assert main([*words[:-1], "png"]) == 0


# --- the window ----------------------------------------------------------------------------------
def test_it_is_chosen_explained_verified_and_kept_in_the_window(launch, qtbot):
    person = launch(SMALL)
    person.pick("score", "l1")
    person.wait()
    assert person.program.document.problem.score == "l1"
    assert "Manhattan" in person.steps()[-1]
    expected = compute(person.program.document.problem)["scores"][0, 0]
    assert np.allclose(person.values("scores"), expected)
    for stage, words in (("scores", "minus the sum of 3 distances"), ("scaled", ""), ("weights", "")):
        person.choose_cell(stage, 1, 0)
        assert words in person.explanation()
        assert "products" not in person.explanation()
    person.overwrite(person.find("control.score_params.steepness"), "2")
    person.wait()
    assert np.allclose(person.values("scores"), 2 * expected)
    assert "λ" in person.steps()[-1]
    person.do("undo", "verify")
    page = person.find("inspector.verify")
    qtbot.waitUntil(lambda: any("l1" in label for label in texts(page)))
    assert "✗" not in texts(page)
    person.do("undo")
    assert person.program.document.problem.score == "dot"
