"""The plain reference against PyTorch's numbers, the engine against the reference, and whether mistakes are caught."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from attn_gui.engine import DenseEvaluation, Problem, compute
from attn_gui.engine.analysis import verification
from attn_gui.engine.analysis.reference import reference
from attn_gui.engine.analysis.verification import Rounding, VerificationStopped, verify
from attn_gui.engine.blocks import LayerNorm
from attn_gui.engine.evaluation import dense
from attn_gui.engine.evaluation.dense import RowwiseEvaluation
from attn_gui.engine.graph import indices
from attn_gui.engine.graph.indices import contract
from attn_gui.engine.graph.stage import LinearStage
from attn_gui.engine.masks import Alibi, Causal
from attn_gui.engine.normalizers import Softmax
from attn_gui.engine.scores import SCORES
from attn_gui.engine.stages import Rotary, Softcap
from tests.failing import each

_spec = importlib.util.spec_from_file_location(
    "vectors_of_pytorch", Path(__file__).parents[1] / "evaluation" / "test_vectors.py"
)
vectors = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(vectors)


def stage_of(found, name):
    return next(check for check in found.stages if check.stage == name)


# --- the reference itself ------------------------------------------------------------------------


@pytest.mark.parametrize("path", vectors.VECTORS, ids=lambda path: path.stem)
def test_the_reference_alone_agrees_with_pytorch(path):
    data, meta = vectors.read(path)
    problem = vectors.problem_of(data, meta)
    for item in range(problem.batch_size):
        found = reference(problem, item)
        for name in vectors.CHECKED:
            if name in data:
                expected = data[name].reshape(problem.batch_size, *np.shape(found[name]))[item]
                assert np.abs(np.array(found[name]) - expected).max() < 1e-12, name


# --- the engine against it -----------------------------------------------------------------------
def test_every_stage_of_every_problem_is_recomputed_whole(problem_name, evaluations):
    evaluation = evaluations[problem_name]
    found = verify(evaluation)
    assert [check.stage for check in found.stages] == list(evaluation.stages)
    assert [check.cells for check in found.stages] == [np.prod(evaluation.shape(s)) for s in evaluation.stages]
    assert not found.sampled
    assert found.ok
    assert max(check.relative for check in found.stages) < 1e-14


VALUES = (np.nan, np.inf, -np.inf, 1e308, -1e200, 1e-320, -0.0, 1e6, 1e17)


WHERE = ("x", "context", "w_query", "w_key", "w_value", "w_output", "bias")
MET = [
    (field, score, VALUES[(7 * k + j) % len(VALUES)]) for k, score in enumerate(SCORES) for j, field in enumerate(WHERE)
]


@each(("field", "score", "value"), MET)
def test_wild_numbers_stay_where_they_belong(field, score, value, rng):
    shapes = {"x": (5, 6), "context": (7, 6), "w_query": (6, 8), "w_key": (6, 8), "w_value": (6, 4), "w_output": (4, 6)}
    arrays = {name: rng.normal(size=shape) for name, shape in shapes.items()} | {"bias": rng.normal(size=(5, 7))}
    params = {"w_score_query": rng.normal(size=(4, 3)), "w_score_key": rng.normal(size=(4, 3)), "w_score": [1, -2, 3]}
    arrays[field][2, 3] = value
    mask = ({"kind": "bias", "values": arrays.pop("bias")}, {"kind": "causal", "align": "end"}, {"kind": "alibi"})
    block = {"ln_weight": np.ones(6), "ln_bias": rng.normal(size=6), "w_linear": rng.normal(size=(6, 3))}
    problem = Problem(
        **arrays,
        num_heads=2,
        score=score,
        score_params=params if score == "additive" else {},
        mask=mask,
        block=block,
    )
    found = verify(compute(problem))
    assert found.ok, [check for check in found.stages if not check.within]


# --- mistakes are caught -------------------------------------------------------------------------
def wrapped(kind, method, change):
    old = getattr(kind, method)
    return kind, method, lambda self, *inputs: change(old(self, *inputs))


MISTAKES = {
    "weights": wrapped(Softmax, "forward", lambda out: out * (1 + 1e-12)),
    "capped": wrapped(Softcap, "forward", lambda out: out + 1e-13),
    "rotated_query": wrapped(Rotary, "forward", lambda out: -out),
    "masked": wrapped(Causal, "ahead", lambda out: out - 1),
    "biased": wrapped(Alibi, "ahead", lambda out: out + 1),
    "normalized": wrapped(LayerNorm, "forward", lambda out: out * (1 + 1e-10)),
    "scores": (LinearStage, "_product", lambda self, group, axes: contract(*group, axes=axes) * (1 - 2e-13 * self.dot)),
}


@pytest.mark.parametrize("stage", MISTAKES)
def test_a_mistake_in_the_engine_is_found_where_it_is(stage, makers, monkeypatch):
    monkeypatch.setattr(*MISTAKES[stage])
    found = verify(compute(makers["block" if stage in ("masked", "normalized", "scores") else "all"]()))
    assert not found.ok
    assert next(check for check in found.stages if not check.within).stage == stage


def test_one_nan_too_many_and_one_too_few(makers):
    evaluation = DenseEvaluation(makers["plain"]())
    evaluation._arrays["head_output"][2, 3, 4, 5] = np.nan
    check = stage_of(verify(evaluation), "head_output")
    assert (check.difference, check.index, check.wrong) == (np.inf, (2, 3, 4, 5), 1)
    query = np.array(makers["plain"]().query)
    query[0, 0, 0] = np.nan
    evaluation = DenseEvaluation(makers["plain"]().replace(query=query))
    evaluation._arrays["scores"][0, 0, 0] = 0.0
    assert stage_of(verify(evaluation), "scores").wrong == evaluation.problem.m


# --- samples -------------------------------------------------------------------------------------
def large(rng, **more):
    arrays = {name: rng.normal(size=(400, 6)) for name in ("query", "key", "value")}
    return Problem(**arrays, num_heads=3, **more)


def test_above_that_a_seeded_sample_is_taken(rng):
    evaluation = DenseEvaluation(large(rng, mask=({"kind": "causal"},)))
    found, other = verify(evaluation), verify(evaluation, seed=1)
    assert (found.sampled, found.rows, found.all_rows, found.ok) == (True, 200_000 // 1200, 400, True)
    assert [check.cells for check in other.stages] == [check.cells for check in found.stages]
    assert other.stages != found.stages


def test_a_sample_finds_rows_that_are_wrong_anywhere(rng):
    evaluation = DenseEvaluation(large(rng))
    evaluation._arrays["weights"][0, 1, ::2] *= 1 + 1e-9
    check = stage_of(verify(evaluation), "weights")
    assert not check.within
    assert check.index[:2] == (0, 1)
    assert check.index[2] % 2 == 0


def test_a_sample_projects_rows_even_where_it_takes_k_and_v_as_they_are(makers, monkeypatch):
    for name, number in (("WHOLE", 100), ("LOOPS", 0), ("KEY_ROWS", 6)):
        monkeypatch.setattr(verification, name, number)
    evaluation = DenseEvaluation(makers["cross"]())
    found = verify(evaluation)
    assert (found.sampled, found.ok) == (True, True)
    items = len({k // 7 for k in np.random.default_rng(0).choice(21, 4, replace=False)})
    assert stage_of(found, "key").cells == items * 6 * 6
    evaluation._arrays["key"][...] += 1e-9
    assert not stage_of(verify(evaluation), "key").within


def test_of_a_large_problem_only_what_is_looked_at_is_computed(rng, monkeypatch):
    """A problem is verified without a map that is kept; the poisoned ones too are computed for the sample's rows."""
    problem = large(rng, mask=({"kind": "causal"}, {"kind": "bias", "values": np.zeros((400, 400))}))
    built = []
    build = DenseEvaluation._build

    def counted(evaluation, *given):
        build(evaluation, *given)
        built.append({name for name, array in evaluation._arrays.items() if array.shape[-2:] == (400, 400)})

    monkeypatch.setattr(DenseEvaluation, "_build", counted)
    found = verify(problem)
    assert (found.sampled, found.ok) == (True, True)
    assert {one.name: one.holds for one in found.invariants}["future_has_no_influence"] is True
    assert len(built) > 2  # the problem, and those whose later keys hold NaN
    assert not any(built)
    monkeypatch.undo()
    assert [check.cells for check in found.stages] == [check.cells for check in verify(DenseEvaluation(problem)).stages]


@pytest.mark.parametrize("kind", ["block", "all", "plain"])
def test_head_by_head_is_the_same_as_all_heads_together(kind, makers, monkeypatch):
    problem = makers[kind]().replace(dtype="float32")
    boxes = {stage: indices.whole(DenseEvaluation(problem).shape(stage)) for stage in DenseEvaluation(problem).stages}
    together = [RowwiseEvaluation(problem).box(stage, box) for stage, box in boxes.items()]
    bounds = [Rounding(RowwiseEvaluation(problem)).bound(stage, box) for stage, box in boxes.items()]
    monkeypatch.setattr(dense, "REMEMBERED", 60)
    evaluation = RowwiseEvaluation(problem)
    assert len(dense.heads_of(evaluation.node("weights"), boxes["weights"])) == problem.num_heads
    rounding = Rounding(evaluation)
    for (stage, box), number, bound in zip(boxes.items(), together, bounds, strict=True):
        np.testing.assert_allclose(evaluation.box(stage, box), number, rtol=1e-6)
        np.testing.assert_allclose(rounding.bound(stage, box), bound, rtol=1e-6)


def test_nothing_old_is_remembered_after_an_edit(makers):
    problem = makers["plain"]()
    query = np.array(problem.query)
    live = Problem.over(problem.fields() | {"query": query})
    evaluation = RowwiseEvaluation(live)
    place = tuple(slice(0, length) for length in evaluation.shape("weights"))
    before = evaluation.fetch("weights", place).copy()
    query[0, 1, 0] += 1.0
    evaluation.update(live, {"query": [indices.cell((0, 1, 0))]})
    np.testing.assert_array_equal(evaluation.fetch("weights", place), DenseEvaluation(live).fetch("weights", place))
    assert (evaluation.fetch("weights", place) != before).any()


@pytest.mark.parametrize("after", [0, 3, 30])
def test_a_verification_can_be_stopped(after, rng):
    """It asks on the way again and again, also within the plain loops, and ends at once."""
    asked = []
    with pytest.raises(VerificationStopped):
        verify(large(rng, mask=({"kind": "causal"},)), cancelled=lambda: asked.append(1) or len(asked) > after)
    assert len(asked) == after + 1


# --- rows of plain floats that are no longer finite ----------------------------------------------
INF, NAN = np.inf, np.nan
WILD = ([1, INF, 2], [1, -INF, 2], [INF, -INF, 2], [NAN, INF, 2], [NAN, 1, 2], [1e200, 1e308, 2], [1e-200, 0, 2e-200])


@each("row", WILD)
def test_a_norm_of_the_heads_is_right_whatever_is_in_the_row(row: list[float]) -> None:
    for score in ("dot", "cosine"):
        problem = Problem(query=[row], key=np.eye(3), value=np.eye(3), query_norm=[1.0, 2.0, 3.0], score=score)
        assert verify(problem).ok


@each("row", WILD)
@each("norm", ["layer", "rms"])
def test_norms_of_a_layer_are_right_whatever_is_in_the_row(norm: str, row: list[float]) -> None:
    tables = dict.fromkeys(("norm1_weight", "norm2_weight"), np.ones(3)) | dict.fromkeys(("w_up", "w_down"), np.eye(3))
    weights = dict.fromkeys(("w_query", "w_key", "w_value", "w_output"), np.eye(3))
    problem = Problem(x=[row, [1.0, 2.0, 3.0]], **weights, block={"kind": "pre", "norm": norm, **tables})
    assert verify(problem).ok
