"""Changes of size and their effect on the numbers."""

from __future__ import annotations

import re

import numpy as np
import pytest

from attn_gui.engine import FieldError, Problem, ShapeError, compute, head_counts, outlined, reshaped, resize, sentences
from attn_gui.engine.creation.interventions import with_carried_interventions
from attn_gui.engine.creation.resize import SIZES
from attn_gui.engine.shape_errors import shapes_of
from tests.failing import each


def direct(n=3, m=5, heads=4, kv_heads=None, d_k=6, d_v=2, **more):
    rng, kv = np.random.default_rng(0), kv_heads or heads
    return Problem(
        query=rng.normal(size=(n, heads * d_k)),
        key=rng.normal(size=(m, kv * d_k)),
        value=rng.normal(size=(m, kv * d_v)),
        num_heads=heads,
        num_kv_heads=kv,
        **more,
    )


def projected(heads=4, context=False, **more):
    rng = np.random.default_rng(0)
    second = {"context": rng.normal(size=(5, 9))} if context else {}
    width = 9 if context else 7
    shapes = {"x": (3, 7), "w_query": (7, heads * 6), "w_key": (width, heads * 6), "w_value": (width, heads * 2)}
    shapes |= {"b_key": (heads * 6,), "w_output": (heads * 2, 7)}
    arrays = {name: rng.normal(size=shape) for name, shape in shapes.items()}
    return Problem(**arrays | second | more, num_heads=heads)


def done(problem, **size):
    found = resize(problem, **size)
    return problem.replace(**found.fields), found


def test_heads_with_d_model_kept_move_no_number():
    assert head_counts(direct()) == (1, 2, 4, 8)  # divide both 24 and 8
    for heads in head_counts(direct()):
        changed, found = done(direct(), num_heads=heads)
        assert set(found.fields) <= {"num_heads", "num_kv_heads"}
        assert (changed.num_heads, changed.num_kv_heads, changed.d_k) == (heads, heads, 24 // heads)
    with pytest.raises(FieldError, match=r"^3 heads cannot share the columns evenly; 1, 2, 4, 8 can\.$"):
        resize(direct(), num_heads=3)
    assert head_counts(direct(rotary_theta=10.0)) == (1, 2, 4)  # 8 heads of 3 columns have no pairs


def test_grouped_heads_are_cut_together_where_that_moves_no_number():
    changed, found = done(direct(heads=6, kv_heads=3, d_k=4, d_v=4), num_heads=2)
    assert (changed.num_kv_heads, set(found.fields)) == (1, {"num_heads", "num_kv_heads"})
    assert [str(note) for note in found.notes] == ["K/V heads: 3 do not divide 2 heads, 1 do."]
    grouped = direct(heads=4, kv_heads=1, d_k=6, d_v=2)
    changed, found = done(grouped, num_heads=2)  # heads of 12 columns: the one K head keeps its 6 and gets 6 more
    assert [note.template for note in found.notes] == [sentences.KV_WIDTH]
    assert (changed.num_kv_heads, changed.key.shape) == (1, (5, 12))
    assert np.array_equal(changed.key[:, :6], grouped.key)


@pytest.mark.parametrize("kv_heads", [1, 2, 4])
def test_every_head_count_of_keys_of_another_width_gives_a_problem(kv_heads):
    """K/V heads whose number stayed were not said to stay, and followed the heads of Q."""
    rng = np.random.default_rng(5)
    arrays = {"query": (3, 8), "key": (3, 3 * kv_heads), "value": (3, 2 * kv_heads)}
    weights = {"w_score_query": (2, 3), "w_score_key": (3, 3), "w_score": (3,)}
    problem = Problem(
        **{name: rng.normal(size=shape) for name, shape in arrays.items()},
        num_heads=4,
        num_kv_heads=kv_heads,
        score="additive",
        score_params={name: rng.normal(size=shape) for name, shape in weights.items()},
    )
    for heads in head_counts(problem):
        assert problem.replace(**resize(problem, num_heads=heads).fields).num_heads == heads


def test_key_value_heads_fall_to_the_largest_divisor_below():
    problem = direct(heads=6, kv_heads=3)
    stays, found = done(problem, num_heads=9, keep="d_k")
    assert stays.num_kv_heads == 3
    assert [str(note) for note in found.notes] == ["3 heads read other K/V heads now, head 2 first."]
    assert "key" not in found.fields
    falls, found = done(problem, num_heads=8, keep="d_k")
    assert falls.num_kv_heads == 2
    assert np.array_equal(falls.key, problem.key[:, :12])
    note, moved = found.notes
    assert (note.template, moved.template) == (sentences.KV_FELL, sentences.MANY_READ_ANOTHER)
    assert note.values == {"before": 3, "after": 2, "heads": 8}


def test_scores_with_weights_of_their_own_follow_the_width_of_a_head():
    params = {"w_score_query": np.ones((6, 3)), "w_score_key": np.ones((6, 3)), "w_score": np.ones(3)}
    for size in ({"d_k": 5}, {"num_heads": 2}):
        changed, _ = done(direct(score="additive", score_params=params), **size)
        assert changed.score_params.w_score_query.shape == changed.score_params.w_score_key.shape == (changed.d_k, 3)
        assert (changed.score_params.w_score_query[:5] == 1).all()
    with pytest.raises(FieldError, match="d_k must be even, got 5"):
        resize(direct(rotary_theta=10.0), d_k=5)


def test_d_model_is_the_width_of_x():
    problem = projected()
    changed, found = done(problem, d_model=9)
    assert set(found.fields) == {"x", "w_query", "w_key", "w_value"}
    assert np.array_equal(changed.x[:, :7], problem.x)
    assert np.array_equal(changed.w_key[:7], problem.w_key)
    assert set(resize(projected(context=True), d_model=5).fields) == {"x", "w_query"}
    with pytest.raises(FieldError, match="d_model is 4 × 6 = 24 here: change the heads or d_k instead"):
        resize(direct(), d_model=30)
    block = {"ln_weight": np.full(7, 3.0), "ln_bias": np.full(7, 3.0), "w_linear": np.ones((7, 2))}
    changed, _ = done(projected(block=block), d_model=9)
    assert changed.block.ln_weight.tolist() == [3] * 7 + [1] * 2
    assert changed.block.ln_bias.tolist() == [3] * 7 + [0] * 2
    assert changed.w_output.shape == (8, 9)


def test_rows_join_and_leave_at_the_end_with_masks_and_tokens():
    mask = (
        {"kind": "custom", "allowed": np.zeros((3, 5), bool)},
        {"kind": "bias", "values": np.ones((4, 1, 5))},
        {"kind": "padding", "lengths": 5},
        {"kind": "padding", "lengths": 4},
        {"kind": "causal"},
    )
    problem = direct(mask=mask, query_tokens=tuple("abc"), key_tokens=tuple("vwxyz"))
    taller, _ = done(problem, n=4)
    assert taller.query.shape == (4, 24)
    assert taller.query_tokens == ("a", "b", "c", "_1")
    assert taller.mask[0].allowed.tolist() == [[False] * 5] * 3 + [[True] * 5]
    assert taller.mask[1] is not None
    assert taller.mask[1] == problem.mask[1]
    wider, found = done(problem, m=6)
    assert set(found.fields) == {"key", "value", "mask", "key_tokens"}
    assert wider.mask[0].allowed.tolist() == [[False] * 5 + [True]] * 3
    assert wider.mask[1].values[0, 0].tolist() == [1] * 5 + [0]
    assert [layer.lengths for layer in wider.mask[2:4]] == [(6,), (4,)]
    narrower, _ = done(problem, m=2)
    assert np.array_equal(narrower.key, problem.key[:2])
    assert narrower.mask[0].allowed.shape == (3, 2)
    assert narrower.mask[2].lengths == (2,)


def test_m_follows_n_in_self_attention():
    changed, found = done(projected(mask=({"kind": "custom", "allowed": np.zeros((3, 3), bool)},)), n=4)
    assert set(found.fields) == {"x", "mask"}
    assert (changed.n, changed.m) == (4, 4)
    assert changed.mask[0].allowed.sum() == 7
    with pytest.raises(FieldError, match="change n instead of m"):
        resize(projected(), m=4)
    assert set(resize(projected(context=True), m=4).fields) == {"context"}


def test_growing_keeps_all_numbers_in_order_adds_zeros_and_shrinks_back(makers, problem_name):
    """A size is no reason for numbers that nobody asked for; scales of a norm are 1, masks are open."""
    problem = makers[problem_name]()
    tried = 0
    for name in SIZES:
        for keep in ("d_model", "d_k"):
            for step in (1, 2, 12):
                try:
                    changed, _ = done(problem, keep=keep, **{name: getattr(problem, name) + step})
                except FieldError:
                    continue
                for field, array in changed.arrays().items():
                    old = problem.arrays()[field]
                    neutral = 1 if field.endswith((".allowed", "_weight", "_norm")) else 0
                    if array.size > old.size:
                        assert np.array_equal(array[array != neutral], old[old != neutral]), (field, name)
                    else:
                        assert np.isin(array[array != neutral], old).all(), (field, name)
                others = [size for size in SIZES if size != name]
                if keep == "d_k" and all(getattr(changed, size) == getattr(problem, size) for size in others):
                    assert done(changed, keep=keep, **{name: getattr(problem, name)})[0] == problem, name
                    tried += 1
    assert tried > 2
    assert resize(direct(dtype="float32"), n=4).fields["query"].dtype == np.float32


def test_an_outline_has_the_shapes_of_the_resized_problem_and_no_numbers(makers, problem_name):
    problem = makers[problem_name]()
    for name in SIZES:
        for keep in ("d_model", "d_k"):
            for value in (1, 2, 4, 12):
                try:
                    changed, _ = done(problem, keep=keep, **{name: value})
                except FieldError as refusal:
                    with pytest.raises(FieldError, match=re.escape(str(refusal))):
                        outlined(problem, keep=keep, **{name: value})
                    continue
                assert getattr(changed, name) == value
                assert compute(changed).stages == compute(problem).stages
                outline = outlined(problem, keep=keep, **{name: value})
                assert shapes_of(outline) == shapes_of(changed)
                assert (outline.num_heads, outline.num_kv_heads) == (changed.num_heads, changed.num_kv_heads)
                for field, (_, after) in reshaped(problem, outline).items():
                    assert outline.arrays()[field].shape == after
                    assert not any(outline.arrays()[field].strides)


@pytest.mark.parametrize("size", [{}, {"n": 3, "m": 4}, {"rows": 3}])
def test_one_size_at_a_time(size):
    with pytest.raises(FieldError, match="Change one size at a time"):
        resize(direct(), **size)


@each("name", ["num_heads", "d_k", "n", "batch_size"])
@each(("value", "error"), [(0, ValueError), (-1, ValueError), (2.0, TypeError), (True, TypeError)])
def test_wrong_sizes_are_refused(name, value, error):
    with pytest.raises(error, match=name):
        resize(direct(), **{name: value})


def test_heads_that_rotary_positions_cannot_pair_are_not_offered(rng):
    """Heads of Q have 4 columns and those of K 6: twice as many heads would leave K 3."""
    shapes = {"w_score_query": (4, 5), "w_score_key": (6, 5), "w_score": (5,)}
    problem = Problem(
        query=rng.normal(size=(3, 8)),
        key=rng.normal(size=(7, 12)),
        value=rng.normal(size=(7, 8)),
        num_heads=2,
        score="additive",
        score_params={name: rng.normal(size=shape) for name, shape in shapes.items()},
    )
    assert head_counts(problem) == (1, 2, 4, 8)
    turned = problem.replace(rotary_theta=9.0)
    assert head_counts(turned) == (1, 2)
    with pytest.raises(FieldError, match="4 heads"):
        resize(turned, num_heads=4)
    assert np.isfinite(compute(turned.replace(**resize(turned, num_heads=1).fields))["output"]).all()


@each(
    ("heads", "kv_heads", "size"),
    [
        (4, 2, {"num_heads": 6}),
        (4, 2, {"num_heads": 2}),
        (4, 4, {"num_heads": 6}),
        (4, 4, {"num_heads": 2}),
        (4, 1, {"num_heads": 6}),
        (6, 3, {"num_heads": 8}),
        (4, 2, {"num_kv_heads": 1}),
        (4, 2, {"num_kv_heads": 4}),
        (4, 4, {"num_kv_heads": 2}),
    ],
)
def test_heads_that_stay_and_read_other_keys_and_values_are_told(heads, kv_heads, size):
    problem = direct(heads=heads, kv_heads=kv_heads)
    after, found = done(problem, keep="d_k", **size)
    old, new = (compute(one)["head_output"][0] for one in (problem, after))
    other = [head for head in range(min(len(old), len(new))) if not np.allclose(old[head], new[head])]
    told = [
        note.values for note in found.notes if note.template in (sentences.READS_ANOTHER, sentences.MANY_READ_ANOTHER)
    ]
    assert told == ([{"count": len(other), "head": other[0]}] if other else [])


@pytest.mark.parametrize("fields", [{"num_kv_heads": 3}, {"num_heads": 5}, {"query": np.ones((3, 5))}])
def test_fields_that_do_not_fit_are_refused_as_they_are_without_changes_by_hand(fields):
    arrays = {name: np.ones((3, 4)) for name in ("query", "key", "value")}
    problem = Problem(**arrays, num_heads=2, interventions=[{"kind": "scale", "stage": "weights", "factor": 2}])
    with pytest.raises(ShapeError) as plain:
        problem.replace(interventions=(), **fields)
    with pytest.raises(ShapeError, match=re.escape(str(plain.value))):
        with_carried_interventions(problem, fields)
