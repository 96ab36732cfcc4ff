"""New problems and new parts of them."""

import numpy as np
import pytest

from attn_gui.engine import (
    FILLS,
    DenseEvaluation,
    FieldError,
    Problem,
    ShapeError,
    compute,
    fill,
    made_direct,
)
from attn_gui.engine.creation.create import (
    fitting_output,
    new_fields,
    with_biases,
    with_context,
    with_output,
    with_score,
)
from attn_gui.engine.creation.interventions import with_carried_interventions
from attn_gui.engine.creation.layer_parts import with_block, with_gate, with_head_norms
from tests.failing import each


def test_fills():
    assert FILLS == ("integers", "random", "identity", "zeros")
    assert fill("identity", (2, 3)).tolist() == [[1, 0, 0], [0, 1, 0]]
    assert not fill("zeros", (2, 3)).any()
    assert set(np.unique(fill("integers", (40, 50)))) == {-3, -2, -1, 0, 1, 2, 3}
    normal = fill("random", (200, 50), field="query")
    assert np.array_equal(np.round(normal, 2), normal)
    assert abs(normal.mean()) < 0.05
    assert abs(normal.std() - 1) < 0.05
    assert fill("random", (200, 50), field="w_query").std() < 0.6
    with pytest.raises(FieldError, match="fill must be one of integers, random"):
        fill("ones", (2, 3))


def test_a_cell_depends_on_seed_field_and_place_only():
    large = fill("random", (3, 7, 5), seed=4, field="key")
    assert np.array_equal(large[:2, :3, :4], fill("random", (2, 3, 4), seed=4, field="key"))
    assert np.array_equal(large[0], fill("random", (7, 5), seed=4, field="key"))
    assert np.array_equal(large[0, 0], fill("random", (5,), seed=4, field="key"))
    for other in (fill("random", (7, 5), seed=5, field="key"), fill("random", (7, 5), seed=4, field="value")):
        assert (other == large[0]).mean() < 0.2
    assert len(np.unique(large)) > 80


@each(("kind", "filling"), zip(["direct", "self", "cross", "self"], FILLS, strict=True))
def test_new_problems(kind, filling):
    problem = Problem.over(new_fields(kind, n=3, m=5, num_heads=2, d_k=4, d_v=7, fill=filling, seed=3))
    assert (problem.n, problem.m, problem.d_k, problem.d_v) == (3, 3 if kind == "self" else 5, 4, 7)
    assert (problem.projected, problem.self_attention) == (kind != "direct", kind == "self")
    assert problem == Problem.over(new_fields(kind, n=3, m=5, num_heads=2, d_k=4, d_v=7, fill=filling, seed=3))
    assert np.isfinite(compute(problem)["output"]).all()
    if kind != "direct":
        problem = Problem.over(new_fields(kind, n=3, num_heads=2, d_k=4, d_v=7, d_model=5, fill=filling))
        assert (problem.d_model, problem.w_query.shape, problem.w_value.shape) == (5, (5, 8), (5, 14))


@each("wrong", [{"kind": "both"}, {"n": 0}, {"d_k": 0}, {"num_heads": -1}, {"d_v": 0}, {"kind": "self", "d_model": 0}])
def test_wrong_choices_are_refused(wrong):
    with pytest.raises(FieldError):
        Problem.over(new_fields(**{"kind": "direct", "n": 2, "m": 2, "num_heads": 1, "d_k": 2, "d_v": 2} | wrong))


def test_output_weights_come_and_go():
    for kind, columns in (("direct", 14), ("self", 8)):
        problem = Problem.over(new_fields(kind, n=3, num_heads=2, d_k=4, d_v=7))
        more = problem.replace(**with_output(problem, True))
        assert more.w_output.shape == (14, columns)
        assert with_output(more, True) == {}
        more = more.replace(**with_biases(more, True))
        assert np.array_equal(compute(more.replace(w_output=None, b_output=None))["output"], compute(problem)["output"])
        assert more.replace(**with_output(more, False)).replace(b_query=None, b_key=None, b_value=None) == problem


def test_a_second_sequence_comes_and_goes():
    problem = Problem.over(new_fields("self", n=3, d_k=4)).replace(dtype="float32", key_tokens=tuple("abc"))
    more = problem.replace(**with_context(problem, True))
    assert more.context.shape == more.x.shape
    assert more.key_tokens is None
    assert more.replace(**with_context(more, False), key_tokens=tuple("abc")) == problem
    cross = Problem.over(new_fields("cross", n=3, m=5, d_k=4)).replace(
        context=np.ones((5, 9)),
        w_key=np.ones((9, 4)),
        w_value=np.ones((9, 4)),
        mask=({"kind": "custom", "allowed": np.ones((3, 5), bool)}, {"kind": "padding", "lengths": 5}),
    )
    again = cross.replace(**with_context(cross, False))
    assert again.self_attention
    assert again.mask[0].allowed.shape == (3, 3)
    assert again.mask[1].lengths == (3,)
    with pytest.raises(FieldError, match="context needs x"):
        with_context(Problem.over(new_fields(n=3, d_k=4)), True)


PARTS = {
    "softcap": ({"softcap": 2.0}, "capped", lambda problem: {"softcap": None}),
    "rotary": ({"rotary_theta": 10.0}, "rotated_query", lambda problem: {"rotary_theta": None}),
    "mask": (
        {"mask": [{"kind": "causal"}]},
        "masked",
        lambda problem: {"mask": (problem.mask[0].changed(enabled=False),)},
    ),
    "norms": ({"query_norm": np.ones(4)}, "normed_query", lambda problem: with_head_norms(problem, False)),
    "gate": ({"gated": True}, "gate", lambda problem: with_gate(problem, False)),
    "block": ({"gated": False}, "down", lambda problem: with_block(problem, None)),
}


@each("part", PARTS)
@each("enabled", [True, False])
def test_what_is_changed_by_hand_in_a_part_goes_with_it(part, enabled, rng):
    more, stage, change = PARTS[part]
    names = ("x", "w_query", "w_key", "w_value", "w_output")
    problem = Problem(**{name: rng.normal(size=(4, 4)) for name in names})
    if "gated" in more:
        problem = problem.replace(**with_block(problem, "pre"))
        problem = problem.replace(**with_gate(problem, more["gated"]))
    else:
        problem = problem.replace(**more)
    kept = {"kind": "scale", "stage": "scores", "factor": 2.0}
    problem = problem.replace(interventions=[{**kept, "stage": stage, "enabled": enabled}, kept])
    fields, notes = with_carried_interventions(problem, change(problem))
    assert [record.stage for record in problem.replace(**fields).interventions] == ["scores"]
    assert [str(note) for note in notes] == ["A change by hand went with its cells."]
    assert with_carried_interventions(problem, {"scale": 2.0}) == ({"scale": 2.0}, ())


@each("dtype", ["float64", "float32"])
def test_made_direct_computes_the_same(makers, dtype):
    for name in ("block", "cross"):
        problem = makers[name]().replace(dtype=dtype, query_tokens=tuple("abcdefg"))
        direct = problem.replace(**made_direct(DenseEvaluation(problem)))
        assert not direct.projected
        assert direct.block is None
        assert direct.key_tokens == (problem.query_tokens if problem.self_attention else None)
        np.testing.assert_allclose(
            compute(direct)["output"], compute(problem)["output"], rtol=1e-13 if dtype == "float64" else 1e-4, atol=1e-5
        )
    assert made_direct(DenseEvaluation(Problem.over(new_fields(n=3, d_k=4)))) == {}


BY_HAND = (
    {"kind": "scale", "stage": "value", "at": {}, "factor": 2.0},
    {"kind": "copy", "stage": "query", "at": {"row": 0}, "source": {"row": 1}},
    {"kind": "set", "stage": "key", "at": {"column": 1}, "values": 0.75},
    {"kind": "scale", "stage": "scores", "at": {}, "factor": 3.0},
)


@each("name", ["plain", "block"])
def test_what_was_changed_by_hand_up_to_q_k_and_v_is_not_changed_twice(makers, name):
    problem = makers[name]()
    block = ({"kind": "scale", "stage": "residual", "at": {}, "factor": 2.0},) if problem.block is not None else ()
    problem = problem.replace(interventions=(*BY_HAND, *block))
    fields, notes = with_carried_interventions(problem, made_direct(DenseEvaluation(problem)))
    direct = problem.replace(**fields)
    assert [record.stage for record in direct.interventions] == ["scores"]
    assert [str(note) for note in notes] == ["A change by hand went with its cells."] * len(block)
    off = problem.replace(interventions=({**BY_HAND[1], "enabled": False},))
    assert direct.replace(interventions=off.interventions).interventions == off.interventions
    assert "interventions" not in made_direct(DenseEvaluation(off))
    kept, given = compute(direct), compute(problem)
    for stage in ("query", "key", "value", "scores", "weights", "concat"):
        np.testing.assert_allclose(kept[stage], given[stage], rtol=1e-13, atol=1e-13)
    assert made_direct(DenseEvaluation(direct)) == {}


def test_another_score_comes_with_its_own_numbers():
    problem = Problem.over(new_fields("direct", n=3, m=5, num_heads=2, d_k=7, d_v=4))
    changed = problem.replace(**with_score(problem, "gaussian"))
    assert dict(changed.score_params) == {"w": 1.0, "key_norm": 1.0}
    assert with_score(changed, "gaussian") == {}
    assert dict(changed.replace(**with_score(changed, "dot")).score_params) == {}
    additive = changed.replace(**with_score(changed, "additive"))
    shapes = {name: array.shape for name, array in additive.score_params.items()}
    assert shapes == {"w_score_query": (7, 7), "w_score_key": (7, 7), "w_score": (7,)}
    with pytest.raises(FieldError, match="score must be one of"):
        with_score(problem, "max")


def test_a_block_needs_an_output_as_wide_as_x():
    problem = Problem.over(new_fields("self", n=3, num_heads=2, d_k=5, d_v=4))  # x is 10 wide, the joined heads 8
    with pytest.raises(ShapeError, match="as wide as x"):
        problem.replace(**with_block(problem, "linear"))
    fitting = problem.replace(**fitting_output(problem))
    block = fitting.replace(**with_block(fitting, "linear")).block
    assert (block.ln_weight.shape, block.w_linear.shape) == ((10,), (10, 10))
    narrow = problem.replace(w_output=np.ones((8, 3)), b_output=np.ones(3))
    wide = narrow.replace(**fitting_output(narrow))
    assert (wide.w_output.shape, wide.b_output.shape) == ((8, 10), (10,))
    assert (wide.w_output[:, :3] == 1).all()
    assert (wide.b_output[:3] == 1).all()
    with pytest.raises(FieldError, match="block needs x"):
        with_block(Problem.over(new_fields("direct", n=3, d_k=5)), "linear")


@each("fill", ["integers", "random"])
@each(("kind", "heads", "d_k"), [("self", 1, 4), ("cross", 2, 3), ("self", 8, 16)])
def test_a_new_projected_problem_spreads_its_weights_whatever_d_model_is(kind, fill, heads, d_k):
    """Scaled scores vary by about 1, so that rows lie between one-hot (0 bits) and uniform (3 bits)."""
    traces = [
        compute(Problem.over(new_fields(kind, n=8, m=8, num_heads=heads, d_k=d_k, fill=fill, seed=seed)))
        for seed in range(3)
    ]
    assert 0.5 < np.std([trace["scaled"] for trace in traces]) < 2
    rows = np.concatenate([trace["weights"].reshape(-1, 8) for trace in traces])
    entropies = -(rows * np.log2(np.maximum(rows, 1e-300))).sum(axis=-1)
    assert 2 < entropies.mean() < 2.8
    assert np.quantile(entropies, 0.05) > 0.9
