"""Sizes changed, rows and columns put in or taken out: what stays keeps its numbers, what is new has no effect."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attn_gui.engine import (
    DenseEvaluation,
    FieldError,
    Problem,
    compute,
    errors,
    head_counts,
    outlined,
    reshaped,
    resize,
)
from attn_gui.engine.creation.resize import SIZES, fields_with_places, places_with, places_without
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
    with pytest.raises(FieldError, match="Change one size at a time"):
        resize(direct(), n=3, m=4)
    with pytest.raises(FieldError, match="d_k must be even, got 5"):
        resize(direct(rotary_theta=10.0), d_k=5)
    assert set(resize(projected(context=True), m=4).fields) == {"context"}


def test_new_batch_items_see_every_key_and_what_all_share_stays_shared():
    mask = ({"kind": "padding", "lengths": (5, 2, 1)}, {"kind": "custom", "allowed": np.zeros((3, 1, 3, 5), bool)})
    four, found = done(direct().replace(query=np.ones((3, 3, 24)), mask=mask), batch_size=4)
    assert four.mask[0].lengths == (5, 2, 1, 5)
    assert four.mask[1].allowed[3].all()
    assert set(found.fields) == {"query", "mask"}


@each("kind", ["all", "pre, cross", "additive", "given"])
def test_growing_keeps_all_numbers_in_order_adds_zeros_and_shrinks_back(makers, kind):
    """A size is no reason for numbers that nobody asked for; scales of a norm are 1, masks are open."""
    problem = makers[kind]()
    tried = 0
    for name in SIZES:
        for keep in ("d_model", "d_k"):
            for step in (1, 12):
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


@each("kind", ["all", "pre, cross", "additive", "given"], one_of=4)
def test_an_outline_has_the_shapes_of_the_resized_problem_and_no_numbers(makers, kind):
    problem = makers[kind]()
    stages = compute(problem).stages
    for name in SIZES:
        for keep in ("d_model", "d_k"):
            for value in (1, 4, 12):
                try:
                    changed, _ = done(problem, keep=keep, **{name: value})
                except FieldError as refusal:
                    with pytest.raises(FieldError, match=re.escape(str(refusal))):
                        outlined(problem, keep=keep, **{name: value})
                    continue
                assert getattr(changed, name) == value
                assert compute(changed).stages == stages
                outline = outlined(problem, keep=keep, **{name: value})
                assert shapes_of(outline) == shapes_of(changed)
                assert (outline.num_heads, outline.num_kv_heads) == (changed.num_heads, changed.num_kv_heads)
                for field, (_, after) in reshaped(problem, outline).items():
                    assert outline.arrays()[field].shape == after
                    assert not any(outline.arrays()[field].strides)


@each("name", ["num_heads", "n"])
@each(("value", "error"), [(0, ValueError), (-1, ValueError), (2.0, TypeError), (True, TypeError)])
def test_wrong_sizes_are_refused(name, value, error):
    with pytest.raises(error, match=name):
        resize(direct(), **{name: value})


@each(
    ("heads", "kv_heads", "size"),
    [
        (4, 2, {"num_heads": 6}),
        (4, 4, {"num_heads": 2}),
        (6, 3, {"num_heads": 8}),
        (4, 2, {"num_kv_heads": 1}),
        (4, 4, {"num_kv_heads": 2}),
    ],
)
def test_heads_that_stay_and_read_other_keys_and_values_are_told(heads, kv_heads, size):
    problem = direct(heads=heads, kv_heads=kv_heads)
    after, found = done(problem, keep="d_k", **size)
    old, new = (compute(one)["head_output"][0] for one in (problem, after))
    other = [head for head in range(min(len(old), len(new))) if not np.allclose(old[head], new[head])]
    told = [note.values for note in found.notes if note.template in (errors.READS_ANOTHER, errors.MANY_READ_ANOTHER)]
    assert told == ([{"count": len(other), "head": other[0]}] if other else [])


def test_what_was_changed_by_hand_and_goes_is_told():
    cell = {"kind": "set", "stage": "weights", "values": 1.0, "enabled": False}
    records = [
        {**cell, "at": {"query": 2, "key": 0}},
        {**cell, "at": {"query": (1, 3)}},
        {"kind": "copy", "stage": "head_output", "at": {"query": 0}, "source": {"query": 2}},
    ]
    problem = direct(interventions=records)
    fewer, found = done(problem, n=2)
    assert [dict(record.at) for record in fewer.interventions] == [{"query": (1, 2)}]
    assert [str(note) for note in found.notes] == ["2 changes by hand went with their cells."]
    found = resize(direct(interventions=records[:2]), n=2)
    assert [str(note) for note in found.notes] == ["A change by hand went with its cells."]
    assert done(problem, n=4)[1].notes == ()


# --- rows and columns put in or taken out anywhere ------------------------------------------------
N, M, D_K, D_V, HEADS = 5, 7, 3, 2, 2


def inserted(problem, size, at, count=1):
    return fields_with_places(problem, size, places_with(getattr(problem, size), at, count))


def deleted(problem, size, at, count=1):
    return fields_with_places(problem, size, places_without(getattr(problem, size), at, count))


def five_by_seven(**more):
    rng = np.random.default_rng(3)
    arrays = {
        "query": rng.normal(size=(N, HEADS * D_K)),
        "key": rng.normal(size=(M, HEADS * D_K)),
        "value": rng.normal(size=(M, HEADS * D_V)),
    }
    return Problem(**arrays, num_heads=HEADS, **more)


def stage(problem, name, head=None):
    evaluation = DenseEvaluation(problem)
    rows, columns = (slice(0, length) for length in evaluation.shape(name)[-2:])
    return evaluation.block(name, 0, head, rows, columns)


@given(at=st.integers(0, N), count=st.integers(1, 3))
def test_new_queries_leave_the_rows_of_the_others_alone(at, count):
    before = five_by_seven(query_tokens=tuple("abcde"), mask=[{"kind": "custom", "allowed": np.eye(N, M, dtype=bool)}])
    after = before.replace(**inserted(before, "n", at, count))
    kept = np.delete(np.arange(N + count), slice(at, at + count))
    assert after.n == N + count
    assert np.array_equal(stage(after, "weights", 1)[kept], stage(before, "weights", 1))
    assert tuple(after.query_tokens[place] for place in kept) == before.query_tokens
    assert after.query_tokens[at : at + count] == ("_1", "_2", "_3")[:count]  # no number that another row has
    assert np.all(after.query[at : at + count] == 0)
    assert after.mask[0].cells[..., at : at + count, :].all()  # new ones may see all


@given(places=st.lists(st.integers(-1, M - 1), min_size=1, max_size=9).filter(lambda places: len(places) != M))
def test_keys_that_come_and_go_at_once_keep_their_numbers(places):
    allowed = np.random.default_rng(5).random((N, M)) < 0.7
    before = five_by_seven(key_tokens=tuple("abcdefg"), mask=[{"kind": "custom", "allowed": allowed}])
    after = before.replace(**fields_with_places(before, "m", np.array(places)))
    for name in ("key", "value"):
        rows = np.vstack([getattr(before, name), np.zeros((1, getattr(before, name).shape[1]))])
        assert np.array_equal(getattr(after, name), rows[places])  # −1 is the last one
    old = [k for k in places if k >= 0]
    assert [token for token, k in zip(after.key_tokens, places, strict=True) if k >= 0] == ["abcdefg"[k] for k in old]
    kept = np.array(places) >= 0
    assert np.array_equal(after.mask[0].cells[..., kept].reshape(N, -1), allowed[:, old])
    assert after.mask[0].cells[..., ~kept].all()
    assert np.array_equal(after.query, before.query)


@given(at=st.integers(0, M - 2), count=st.integers(1, 2))
def test_a_key_that_goes_is_as_a_key_that_was_masked(at, count):
    before = five_by_seven(key_tokens=tuple("abcdefg"))
    after = before.replace(**deleted(before, "m", at, count))
    closed = np.ones((N, M), bool)
    closed[:, at : at + count] = False
    masked = before.replace(mask=[{"kind": "custom", "allowed": closed}])
    np.testing.assert_allclose(stage(after, "head_output", 1), stage(masked, "head_output", 1), rtol=1e-13)
    assert after.key_tokens == tuple(letter for k, letter in enumerate("abcdefg") if not at <= k < at + count)


@given(st.data())
def test_what_was_put_in_can_be_taken_out_again(data):
    problem = data.draw(st.sampled_from([five_by_seven(), projected(mask=[{"kind": "padding", "lengths": (2,)}])]))
    sizes = ("n", "m", "d_k", "d_v") if not problem.projected else ("n", "d_k", "d_v", "d_model")
    size = data.draw(st.sampled_from(sizes))
    at, count = data.draw(st.integers(0, getattr(problem, size))), data.draw(st.integers(1, 3))
    longer = problem.replace(**inserted(problem, size, at, count))
    assert getattr(longer, size) == getattr(problem, size) + count
    assert longer.replace(**deleted(longer, size, at, count)) == problem


@each(("length", "at", "expected"), [(4, 2, 6), (4, 5, 4), (7, 7, 9), (4, 4, 6), (0, 3, 0)])
def test_the_length_of_a_padding_follows_its_keys(length, at, expected):
    before = five_by_seven(mask=[{"kind": "padding", "lengths": (length,)}])
    assert before.replace(**inserted(before, "m", at, 2)).mask[0].lengths == (expected,)


def test_what_is_changed_by_hand_stays_with_its_cells():
    values = np.arange(1.0, 5.0)[:, None]
    records = (
        {"kind": "set", "stage": "scaled", "at": {"head": 1, "query": (1, 5)}, "values": values},
        {"kind": "scale", "stage": "head_output", "at": {"head": 0}, "factor": 0.0},
        {"kind": "copy", "stage": "scaled", "at": {"query": 2}, "source": {"query": 4}},
    )
    before = five_by_seven(interventions=records)
    after = before.replace(**inserted(before, "n", 3, 2))
    kept = np.array([0, 1, 2, 5, 6])
    assert np.array_equal(stage(after, "scaled", 1)[kept], stage(before, "scaled", 1))
    assert np.array_equal(stage(after, "concat")[kept], stage(before, "concat"))
    assert not stage(after, "head_output", 0).any()  # the whole head, new rows too
    assert not stage(before.replace(**resize(before, n=7).fields), "head_output", 0).any()
    without = before.replace(**deleted(before, "n", 4))
    assert [record.kind for record in without.interventions] == ["set", "scale"]  # what the copy took is gone
    assert np.array_equal(stage(without, "scaled", 1)[[0, 1, 3]], stage(before, "scaled", 1)[[0, 1, 3]])


@each(("name", "size"), [("query", "d_k"), ("key", "d_k"), ("value", "d_v"), ("concat", "d_v"), ("output", "d_v")])
@each("step", [-1, 2])
def test_what_is_changed_by_hand_stays_in_its_head_at_another_width(name, size, step):
    heads, width = 2, compute(five_by_seven())[name].shape[-1] // 2
    axis = "query" if name in ("concat", "output") else "row"
    values = np.arange(2.0 * heads * width).reshape(2, -1)
    records = ({"kind": "set", "stage": name, "at": {axis: (0, 2), "column": (0, heads * width)}, "values": values},)
    before = five_by_seven(interventions=records)
    after = before.replace(**resize(before, **{size: width + step}).fields)
    found = compute(after)[name][0].reshape(-1, heads, width + step)
    kept = min(width, width + step)
    np.testing.assert_array_equal(found[:2, :, :kept], values.reshape(2, heads, width)[..., :kept])
    assert not found[:2, :, kept:].any()


def test_a_place_outside_and_the_last_row_are_refused():
    problem = five_by_seven()
    with pytest.raises(FieldError, match="no place 8"):
        inserted(problem, "m", 8)
    with pytest.raises(FieldError, match="no place 6"):
        deleted(problem, "n", 4, 2)
    with pytest.raises(ValueError, match="n"):
        deleted(problem, "n", 0, N)
