"""Every change that a clash offers is carried out, and the problem that comes of it is built."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from attn_gui.engine import Problem, ShapeError, apply_fix, sentences
from attn_gui.engine.shape_errors import clash_of as clash_with_shapes
from attn_gui.engine.shape_errors import draft_of, shapes_of
from tests.failing import each

N, M, H, G, D, C, E, F, S = 7, 11, 6, 2, 4, 5, 13, 17, 19


def direct(rng: np.random.Generator) -> dict[str, Any]:
    return {
        "query": rng.normal(size=(N, H * D)),
        "key": rng.normal(size=(M, G * D)),
        "value": rng.normal(size=(M, G * C)),
        "num_heads": H,
        "num_kv_heads": G,
    }


def with_everything(rng: np.random.Generator) -> dict[str, Any]:
    mask = (
        {"kind": "custom", "allowed": rng.random((N, M)) > 0.3},
        {"kind": "bias", "values": rng.normal(size=(1, M))},
    )
    return direct(rng) | {
        "w_output": rng.normal(size=(H * C, 3)),
        "b_output": rng.normal(size=3),
        "mask": mask,
        "query_tokens": tuple("abcdefg"),
        "key_tokens": tuple("abcdefghijk"),
    }


def batched(rng: np.random.Generator) -> dict[str, Any]:
    fields = direct(rng)
    return (
        fields
        | {name: np.stack([fields[name]] * 3) for name in ("query", "value")}
        | {"mask": ({"kind": "padding", "lengths": (M, 2, 3)},)}
    )


def block(rng: np.random.Generator) -> dict[str, Any]:
    shapes = {
        "x": (N, E),
        "w_query": (E, H * D),
        "w_key": (E, G * D),
        "w_value": (E, G * C),
        "w_output": (H * C, E),
        "b_key": (G * D,),
        "b_output": (E,),
    }
    record = {"ln_weight": (E,), "ln_bias": (E,), "w_linear": (E, 3), "b_linear": (3,)}
    return {name: rng.normal(size=shape) for name, shape in shapes.items()} | {
        "block": {name: rng.normal(size=shape) for name, shape in record.items()},
        "num_heads": H,
        "num_kv_heads": G,
        "rotary_theta": 10.0,
    }


def cross(rng: np.random.Generator) -> dict[str, Any]:
    shapes = {"x": (N, E), "context": (M, F), "w_query": (E, H * D), "w_key": (F, G * D), "w_value": (F, G * C)}
    return {name: rng.normal(size=shape) for name, shape in shapes.items()} | {"num_heads": H, "num_kv_heads": G}


def additive(rng: np.random.Generator) -> dict[str, Any]:
    params = {"w_score_query": (D, S), "w_score_key": (3, S), "w_score": (S,)}
    return direct(rng) | {
        "key": rng.normal(size=(M, G * 3)),
        "score": "additive",
        "score_params": {name: rng.normal(size=shape) for name, shape in params.items()},
    }


MAKERS = (direct, with_everything, batched, block, cross, additive)


def clash_of(fields: dict[str, Any]) -> ShapeError | None:
    try:
        Problem(**fields)
    except ShapeError as clash:
        return clash
    return None


def arrays_of(fields: dict[str, Any]) -> list[str]:
    return [name for name, array in Problem(**fields).arrays().items() if not name.startswith(("mask", "block"))]


def put(fields: dict[str, Any], name: str, array: np.ndarray) -> dict[str, Any]:
    field, _, inner = name.partition(".")
    return fields | {field: fields[field] | {inner: array} if inner else array}


def check_every_fix(fields: dict[str, Any]) -> None:
    clash = clash_of(fields)
    if clash is None:
        return
    for fix in clash.fixes:
        before = shapes_of(draft_of(fields))
        changed = apply_fix(fix, fields)
        left = clash_of(fields | changed)
        if fix.whole:
            assert left is None, (clash, fix, left)
        else:
            assert left is not None
            assert left.matrices != clash.matrices, (clash, fix, left)
        after = shapes_of(draft_of(fields | changed))
        assert after[fix.matrix] == fix.after
        assert before.get(fix.matrix, ()) == fix.before
        assert str(fix).endswith(".")


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(MAKERS), st.data())
def test_every_fix_of_a_random_clash_works(make, data):
    fields = make(np.random.default_rng(0))
    name = data.draw(st.sampled_from(arrays_of(fields)))
    shape = list(Problem(**fields).arrays()[name].shape)
    for axis in data.draw(st.sets(st.integers(0, len(shape) - 1), min_size=1)):
        shape[axis] = data.draw(st.integers(1, 30))
    wrong = put(fields, name, np.ones(shape))
    check_every_fix(wrong)
    clash = clash_of(wrong)
    assume(clash is None or clash.template != sentences.LEADING_AXIS)  # asks what a size means: there is no wrong one
    if clash is not None:  # a matrix that is wrong on every axis at once is put right by one fix
        assert ("resize", name, True) in [(fix.kind, fix.matrix, fix.whole) for fix in clash.fixes], clash
        assert len(set(clash.fixes)) == len(clash.fixes)


@settings(max_examples=25, deadline=None)
@given(st.sampled_from(MAKERS), st.data())
def test_two_wrong_matrices_are_put_right_step_by_step(make, data):
    """As long as something is offered, taking it leads to a valid problem."""
    fields = make(np.random.default_rng(0))
    for name in data.draw(st.lists(st.sampled_from(arrays_of(fields)), min_size=2, max_size=2, unique=True)):
        shape = list(draft_of(fields).arrays()[name].shape)
        shape[-1] = data.draw(st.integers(1, 30))
        fields = put(fields, name, np.ones(shape))
    check_every_fix(fields)


@each("make", MAKERS)
def test_a_matrix_on_its_side_may_be_transposed(make):
    """Every matrix that would fit if it were transposed: primes on the axes, so no other way round fits."""
    fields = make(np.random.default_rng(0))
    valid = Problem(**fields)
    tried = 0
    for name, array in valid.arrays().items():
        if array.ndim < 2 or name.startswith(("mask", "block")):
            continue
        turned = put(fields, name, np.swapaxes(array, -1, -2))
        clash = clash_of(turned)
        if clash is None:
            continue
        assert ("transpose", name) in [(fix.kind, fix.matrix) for fix in clash.fixes], (name, clash)
        fix = clash.fixes[0]
        assert (fix.kind, fix.matrix) == ("transpose", name)
        assert Problem(**turned | apply_fix(fix, turned)) == valid
        tried += 1
    assert tried >= 3


def offered(fields: dict[str, Any]) -> list[tuple[str, str, tuple[int, ...]]]:
    clash = clash_of(fields)
    assert clash is not None
    return [(fix.kind, fix.matrix, fix.shape) for fix in clash.fixes]


def test_what_is_offered_for_a_sequence_of_another_width(rng):
    """Three matrices read x in self-attention: to change one of them alone would not help."""
    assert offered(block(rng) | {"x": np.ones((N, 23))}) == [
        ("resize", "x", (N, E)),
        ("project", "x", (23, E)),
    ]
    assert offered(cross(rng) | {"context": np.ones((M, 23))}) == [
        ("resize", "context", (M, F)),
        ("project", "context", (23, F)),
    ]
    assert offered(cross(rng) | {"w_query": np.ones((23, H * D))}) == [
        ("resize", "w_query", (E, H * D)),
        ("resize", "x", (N, 23)),
        ("project", "w_query", (E, 23)),
    ]


def test_rows_cannot_be_projected_and_company_follows(rng):
    fields = with_everything(rng) | {"value": np.ones((23, G * C))}
    assert offered(fields) == [("resize", "value", (M, G * C)), ("resize", "key", (23, G * D))]
    clash = clash_of(fields)
    changed = apply_fix(clash.fixes[1], fields)
    assert set(changed) == {"key", "mask", "key_tokens"}
    assert np.array_equal(changed["key"][:M], fields["key"])
    assert changed["mask"][0].allowed.shape == (N, 23)
    assert changed["mask"][0].allowed[:, M:].all()
    assert changed["key_tokens"][:12] == (*"abcdefghijk", "_1")


def test_an_output_of_another_width_than_x_is_projected(rng):
    fields = {name: value for name, value in block(rng).items() if name not in ("w_output", "b_output")}
    clash = clash_of(fields)
    fix = next(fix for fix in clash.fixes if fix.kind == "project")
    assert (fix.matrix, fix.before, fix.shape) == ("w_output", (), (H * C, E))
    assert str(fix) == "Add w_output, 30 × 13 random numbers, so that the output is as wide as x."
    assert Problem(**fields | apply_fix(fix, fields)).d_out == E


def test_a_projection_stands_between_the_two_matrices(rng):
    fields = cross(rng) | {"w_query": np.ones((23, H * D)), "b_query": np.ones(H * D)}
    fix = next(fix for fix in clash_of(fields).fixes if fix.kind == "project")
    changed = apply_fix(fix, fields, seed=3)
    assert set(changed) == {"w_query"}
    assert np.linalg.matrix_rank(changed["w_query"]) == 1  # it is a product with the ones
    narrow = cross(rng) | {"w_key": np.ones((F, G * 3)), "b_key": np.arange(G * 3.0)}
    fix = next(fix for fix in clash_of(narrow).fixes if fix.kind == "project")
    changed = apply_fix(fix, narrow)
    assert set(changed) == {"w_key", "b_key"}


def test_a_clash_of_counts_offers_nothing_and_the_fields_stay(rng):
    assert clash_of(direct(rng) | {"num_kv_heads": 4}).fixes == ()
    assert clash_of(direct(rng) | {"query": np.ones(3)}).fixes == ()
    fields = direct(rng) | {"key": rng.normal(size=(M, G * 3))}
    before = fields["key"].copy()
    for fix in clash_of(fields).fixes:
        apply_fix(fix, fields)
    assert np.array_equal(fields["key"], before)


def test_other_shapes_clash_with_nothing_that_is_changed_by_hand_but_its_own_numbers_with_their_cells(rng):
    """It goes with its cells wherever one of a problem's matrices gets another shape."""
    record = {"kind": "set", "stage": "scores", "at": {"query": N - 1}, "values": np.ones(M)}
    problem = Problem(**direct(rng) | {"interventions": [record]})
    assert clash_with_shapes(problem, {"query": (N - 2, H * D)}) is None
    assert all(fix.whole for fix in clash_with_shapes(problem, {"query": (N - 2, H * (D + 1))}).fixes)
    assert clash_with_shapes(problem, {"interventions.0.values": (M + 1,)}).fixes == ()


def test_fixes_of_a_long_problem_make_no_numbers():
    """A clash over large arrays is tried on shapes: what is offered takes no memory."""
    wide = np.broadcast_to(np.zeros(()), (1 << 12, 1 << 14))
    draft = draft_of({"query": np.ones((2, 3)), "key": np.ones((2, 3)), "value": np.ones((2, 3))})
    for name in ("query", "key", "value"):
        object.__setattr__(draft, name, wide if name != "key" else wide[:, :-1])
    from attn_gui.engine.shape_errors import clash_with, fixes_of

    clash = clash_with(draft, {})
    assert [fix.kind for fix in fixes_of(draft, clash)] == ["resize", "resize", "project"]


def test_odd_heads_under_rotary_positions_become_even_together(rng):
    fields = {
        "query": rng.normal(size=(N, 9)),
        "key": rng.normal(size=(M, 9)),
        "value": rng.normal(size=(M, 2)),
        "rotary_theta": 9.0,
    }
    assert offered(fields)[0] == ("resize", "query", (N, 10))
    changed = apply_fix(clash_of(fields).fixes[0], fields)
    assert Problem(**fields | changed).d_k == 10
