"""The reference against PyTorch, the engine against the reference, invariants, and whether mistakes are caught."""

import numpy as np
import pytest

from attn_gui.engine import DenseEvaluation, Problem, compute
from attn_gui.engine.analysis import verification
from attn_gui.engine.analysis import verification as judged
from attn_gui.engine.analysis.reference import reference
from attn_gui.engine.analysis.verification import VerificationStopped, invariants, verify
from attn_gui.engine.blocks import LayerNorm
from attn_gui.engine.evaluation.dense import RowwiseEvaluation
from attn_gui.engine.graph.indices import contract
from attn_gui.engine.graph.stage import LinearStage
from attn_gui.engine.masks import Alibi, Causal
from attn_gui.engine.normalizers import NORMALIZERS, Softmax
from attn_gui.engine.scores import SCORES
from attn_gui.engine.stages import Rotary, Softcap
from tests.engine.conftest import MAKERS
from tests.engine.evaluation import test_vectors as vectors
from tests.failing import each


def stage_of(found, name):
    return next(check for check in found.stages if check.stage == name)


# --- the reference itself ------------------------------------------------------------------------
@each("path", vectors.VECTORS)
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
@each("name", MAKERS, one_of=4)
def test_every_stage_of_every_problem_is_recomputed_whole(name, evaluations):
    evaluation = evaluations[name]
    found = verify(evaluation)
    assert [check.stage for check in found.stages] == list(evaluation.stages)
    assert [check.cells for check in found.stages] == [np.prod(evaluation.shape(s)) for s in evaluation.stages]
    assert not found.sampled
    assert found.ok
    assert max(check.relative for check in found.stages) < 1e-14
    assert max(check.tolerance for check in found.stages) < 1e-9


def test_float32_problems_differ_by_their_last_rounding_only(makers):
    found = verify(compute(makers["block"]().replace(dtype="float32")))
    assert found.ok
    assert all(check.tolerance < 1e-4 for check in found.stages)


VALUES = (np.nan, np.inf, -np.inf, 1e308, -1e200, 1e-320, -0.0, 1e6, 1e17)
WHERE = ("x", "context", "w_query", "w_key", "w_value", "w_output", "bias")
MET = [
    (field, score, VALUES[(7 * k + j) % len(VALUES)]) for k, score in enumerate(SCORES) for j, field in enumerate(WHERE)
]


@each(("field", "score", "value"), MET, one_of=4)
def test_wild_numbers_stay_where_they_belong(field, score, value, rng):
    shapes = {"x": (5, 6), "context": (7, 6), "w_query": (6, 8), "w_key": (6, 8), "w_value": (6, 4), "w_output": (4, 6)}
    arrays = {name: rng.normal(size=shape) for name, shape in shapes.items()} | {"bias": rng.normal(size=(5, 7))}
    params = {"w_score_query": rng.normal(size=(4, 3)), "w_score_key": rng.normal(size=(4, 3)), "w_score": [1, -2, 3]}
    arrays[field][2, 3] = value
    mask = ({"kind": "bias", "values": arrays.pop("bias")}, {"kind": "causal", "align": "end"}, {"kind": "alibi"})
    block = {"ln_weight": np.ones(6), "ln_bias": rng.normal(size=6), "w_linear": rng.normal(size=(6, 3))}
    problem = Problem(
        **arrays, num_heads=2, score=score, score_params=params if score == "additive" else {}, mask=mask, block=block
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


@each("stage", MISTAKES, one_of=3)
def test_a_mistake_in_the_engine_is_found_where_it_is(stage, makers, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(*MISTAKES[stage])
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
def large(rng, n=400, **more):
    arrays = {name: rng.normal(size=(n, 6)) for name in ("query", "key", "value")}
    return Problem(**arrays, num_heads=3, **more)


@pytest.fixture
def small_whole(monkeypatch):
    """A problem of 3 heads is large from 52 tokens on: a sample takes plain loops through a tenth of the cells."""
    monkeypatch.setattr(verification, "WHOLE", 8_000)


def test_above_that_a_seeded_sample_is_taken(rng, small_whole):
    evaluation = DenseEvaluation(large(rng, 130, mask=({"kind": "causal"},)))
    found, other = verify(evaluation), verify(evaluation, seed=1)
    assert (found.sampled, found.rows, found.all_rows, found.ok) == (True, 8_000 // 390, 130, True)
    assert [check.cells for check in other.stages] == [check.cells for check in found.stages]
    assert other.stages != found.stages


def test_a_sample_takes_keys_and_values_as_they_are_where_their_loops_would_take_long(rng, small_whole, monkeypatch):
    weights = dict.fromkeys(("w_query", "w_key", "w_value"), np.eye(6))
    evaluation = DenseEvaluation(Problem(x=rng.normal(size=(130, 6)), **weights, num_heads=3))
    evaluation._arrays["key"] *= 1 + 1e-9  # of which the scores are not
    for most, computed in ((verification.LOOPS, True), (0, False)):
        monkeypatch.setattr(verification, "LOOPS", most)
        assert stage_of(verify(evaluation), "scores").within == computed


def test_a_sample_finds_rows_that_are_wrong_anywhere(rng, small_whole):
    evaluation = DenseEvaluation(large(rng, 130))
    evaluation._arrays["weights"][0, 1, ::2] *= 1 + 1e-9
    check = stage_of(verify(evaluation), "weights")
    assert not check.within
    assert check.index[:2] == (0, 1)
    assert check.index[2] % 2 == 0


@each("after", [0, 30])
def test_a_verification_can_be_stopped(after, rng):
    """It asks on the way again and again, also within the plain loops, and ends at once."""
    asked = []
    with pytest.raises(VerificationStopped):
        verify(large(rng, mask=({"kind": "causal"},)), cancelled=lambda: asked.append(1) or len(asked) > after)
    assert len(asked) == after + 1


# --- rows of plain floats that are no longer finite ----------------------------------------------
INF, NAN = np.inf, np.nan
WILD = ([1, INF, 2], [1, -INF, 2], [INF, -INF, 2], [NAN, INF, 2], [NAN, 1, 2], [1e200, 1e308, 2], [1e-200, 0, 2e-200])


@each("row", WILD, one_of=3)
@each("norm", ["layer", "rms"])
def test_norms_of_a_layer_are_right_whatever_is_in_the_row(norm: str, row: list[float]) -> None:
    tables = dict.fromkeys(("norm1_weight", "norm2_weight"), np.ones(3)) | dict.fromkeys(("w_up", "w_down"), np.eye(3))
    weights = dict.fromkeys(("w_query", "w_key", "w_value", "w_output"), np.eye(3))
    problem = Problem(x=[row, [1.0, 2.0, 3.0]], **weights, block={"kind": "pre", "norm": norm, **tables})
    assert verify(problem).ok
    for score in ("dot", "cosine"):
        heads = Problem(query=[row], key=np.eye(3), value=np.eye(3), query_norm=[1.0, 2.0, 3.0], score=score)
        assert verify(heads).ok


# --- invariants -----------------------------------------------------------------------------------
NAMES = (
    "rows_sum_to_one",
    "closed_weights_are_zero",
    "concat_undoes_split",
    "order_of_keys_is_free",
    "future_has_no_influence",
)


def held(evaluation, **more):
    found = invariants(evaluation, **more)
    assert tuple(one.name for one in found) == NAMES
    assert all(str(one.note).endswith(".") for one in found)
    return {one.name: one.holds for one in found}


@each("name", MAKERS, one_of=4)
def test_they_hold_where_they_apply(name, evaluations):
    problem = evaluations[name].problem
    kinds = {layer.kind for layer in problem.mask if layer.enabled}
    shares = problem.compares and NORMALIZERS[problem.normalize].shares
    computed = True if shares else None  # weights that are given, or no shares, have nothing to hold
    mixed = True if problem.mixes else None
    placed = bool(kinds & {"causal", "window", "prefix", "alibi", "padding"}) or problem.rotary_theta is not None
    assert held(evaluations[name]) == {
        "rows_sum_to_one": computed,
        "closed_weights_are_zero": True if kinds - {"bias", "alibi"} else None,
        "concat_undoes_split": mixed,
        "order_of_keys_is_free": None if placed else mixed,
        "future_has_no_influence": True if "causal" in kinds else None,
    }


def test_keys_may_change_places_with_their_masks_and_biases(rng):
    """Also in self-attention, where the keys are the queries."""
    mask = (
        {"kind": "custom", "allowed": rng.random((7, 7)) > 0.3},
        {"kind": "bias", "values": rng.normal(size=(2, 1, 7))},
        {"kind": "bias", "values": rng.normal(size=(7, 1))},
        {"kind": "causal", "enabled": False},
    )
    arrays = {name: rng.normal(size=(5, 6)) for name in ("w_query", "w_key", "w_value")}
    problem = Problem(x=rng.normal(size=(3, 7, 5)), **arrays, num_heads=2, mask=mask)
    assert held(DenseEvaluation(problem))["order_of_keys_is_free"] is True


@each("sink", [None, (0.4,)])
def test_rows_without_a_key_and_rows_with_nan_are_no_failures(rng, sink):
    bias = np.zeros((5, 7))
    bias[1], bias[2, 3] = -np.inf, np.nan
    arrays = {name: rng.normal(size=(rows, 4)) for name, rows in (("query", 5), ("key", 7), ("value", 7))}
    found = invariants(DenseEvaluation(Problem(**arrays, mask=({"kind": "bias", "values": bias},), sink=sink)))[0]
    assert found.holds is True
    assert found.note.values["wild"] == 1


# --- told not to hold ----------------------------------------------------------------------------
FAULTS = {
    "rows_sum_to_one": ("plain", lambda kept: kept["weights"].__setitem__((1, 4, 3, 2), np.nan)),
    "closed_weights_are_zero": ("window", lambda kept: kept["weights"].__setitem__((0, 0, 0, 10), 1e-300)),
    "concat_undoes_split": ("plain", lambda kept: kept.update(head_output=kept["head_output"][:, ::-1])),
}


@each("name", FAULTS)
def test_what_does_not_hold_is_told(name, makers):
    problem, fault = FAULTS[name]
    evaluation = DenseEvaluation(makers[problem]())
    fault(evaluation._arrays)
    assert held(evaluation)[name] is False


def test_keys_that_know_their_place_are_told(makers, monkeypatch):
    old = Softmax.forward
    monkeypatch.setattr(Softmax, "forward", lambda self, logits, *more: old(self, logits + 1e-9 * np.arange(11), *more))
    assert held(DenseEvaluation(makers["plain"]()))["order_of_keys_is_free"] is False


# --- samples -------------------------------------------------------------------------------------
@pytest.fixture
def small_samples(monkeypatch):
    """Maps of more than 700 cells are looked at in part: in tiles of 22 cells, 2 rows of 11 keys."""
    monkeypatch.setattr(judged, "SCANNED", 700)
    monkeypatch.setattr(judged, "TILE", 22)


def tiles_of(problem, seed=0):
    return list(judged._tiles(problem, seed))


def weights_looked_at(evaluation, **more):
    return invariants(evaluation, **more)[:2]


@each("fault", ["sum", "zero"])
def test_a_fault_in_a_row_of_the_sample_is_seen_and_one_beside_it_is_not(fault, makers, small_samples, rng):
    problem = makers["window"]()
    inside = {
        (*(cut.start for cut in box[:2]), row) for box in tiles_of(problem) for row in range(box[2].start, box[2].stop)
    }
    outside = set(np.ndindex(problem.map_shape[:3])) - inside
    for places, caught in ((inside, True), (outside, False)):
        for place in map(tuple, rng.permutation(sorted(places))[:10]):
            evaluation = DenseEvaluation(problem)
            hidden = ~evaluation.fetch("allowed", tuple(slice(None) for _ in range(4)))[place]
            if fault == "zero":
                evaluation._arrays["weights"][(*place, np.argmax(hidden))] = 1e-300
            else:
                evaluation._arrays["weights"][(*place, np.argmin(hidden))] += 1e-9
            held_now = [one.holds for one in weights_looked_at(evaluation)]
            assert held_now == [not (caught and fault == "sum"), not (caught and fault == "zero")]


@each(("leaking", "holds"), [(False, True), (True, False)])
def test_a_leaking_future_is_seen_in_the_rows_of_a_sample(leaking, holds, rng, monkeypatch):
    arrays = {name: rng.normal(size=(400, 6)) for name in ("query", "key", "value")}
    problem = Problem(**arrays, num_heads=3, mask=({"kind": "causal"},))
    if leaking:
        monkeypatch.setattr(
            LinearStage, "_product", lambda self, group, axes: contract(*group, axes=axes, ordered=True)
        )
    assert held(RowwiseEvaluation(problem), chosen={0: [5, 150]})["future_has_no_influence"] is holds
