"""A problem accepts, keeps and refuses; every change that a clash offers is carried out."""

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from attn_gui.engine import FieldError, FieldTypeError, Problem, ShapeError, apply_fix, errors
from attn_gui.engine.shape_errors import draft_of, shapes_of
from tests.costs import taking
from tests.failing import each, examples

Q, K, V = np.ones((3, 8)), np.ones((5, 8)), np.ones((5, 12))


def with_q_k_v(**more):
    return {"query": Q, "key": K, "value": V} | more


def test_arrays_are_copied_cast_and_read_only():
    query = [[1, 2], [3, 4]]
    source = np.arange(4).reshape(2, 2)
    problem = Problem(query=query, key=source, value=np.asfortranarray(source), dtype="float32")
    source[:] = 9
    assert problem.key.dtype == np.float32
    assert problem.key.tolist() == problem.value.tolist() == [[0, 1], [2, 3]]
    assert problem.value.flags.c_contiguous
    with pytest.raises(ValueError, match="read-only"):
        problem.query[0, 0] = 5
    with pytest.raises(AttributeError):
        problem.scale = 1.0


def test_what_float32_cannot_hold_is_said():
    problem = Problem(query=[[-1e300, 1]], key=np.eye(2), value=np.eye(2))
    for make in (
        lambda: problem.replace(dtype="float32"),
        lambda: Problem(**{**problem.fields(), "dtype": "float32"}),
        lambda: Problem.from_heads(problem.query[None], [np.eye(2)], [np.eye(2)], dtype="float32"),
    ):
        with pytest.warns(UserWarning, match="query holds −1e300, too large for float32: it is −∞ now.") as said:
            assert make().query[0, 0] == -np.inf
        assert said[0].filename == __file__, "where it was asked for"
    Problem(query=[[np.inf, 1e-300]], key=np.eye(2), value=np.eye(2), dtype="float32")  # which is no other number


def test_whole_numbers_that_float64_has_not_got_are_said():
    whole = [[2**53 + 1, -(2**60)], [2**53, 0]]
    for query in (whole, np.array(whole)):
        with pytest.warns(UserWarning, match="query holds 9007199254740993, .* is 9007199254740992 now.") as said:
            Problem(query=query, key=np.eye(2), value=np.eye(2))
        assert [each.filename for each in said] == [__file__]
    Problem(query=np.array(whole)[1:], key=np.eye(2, dtype=np.uint64), value=np.eye(2, dtype=bool))
    small = np.ones((100_000, 2), np.int64)
    with taking(1.5 * small.nbytes):  # looking whether there are any copies nothing
        Problem(query=small, key=np.eye(2), value=np.eye(2))


def test_equality_compares_bytes_and_is_safe_with_nan():
    one = Problem(**with_q_k_v(query=np.full((3, 8), np.nan)), mask=({"kind": "custom", "allowed": np.eye(3, 5) > 0},))
    assert one == Problem(
        **with_q_k_v(query=np.full((3, 8), np.nan)), mask=({"kind": "custom", "allowed": np.eye(3, 5) > 0},)
    )
    assert one != one.replace(dtype="float32")
    assert one != one.replace(mask=())
    assert one != one.replace(value=V + 1)
    assert Problem(**with_q_k_v(query=0.0 * Q)) != Problem(**with_q_k_v(query=-0.0 * Q))
    assert one != "a problem"
    with pytest.raises(TypeError):
        hash(one)
    restored = pickle.loads(pickle.dumps(one))
    assert restored == copy.deepcopy(one) == one
    assert not restored.query.flags.writeable


def test_a_table_that_a_block_may_lack_is_none():
    weights = {
        "w_up": np.ones((4, 6)),
        "w_down": np.ones((6, 4)),
        **dict.fromkeys(("norm1_weight", "norm2_weight"), np.ones(4)),
    }
    projections = dict.fromkeys(("w_query", "w_key", "w_value"), np.ones((4, 4)))
    block = Problem(x=np.ones((3, 4)), **projections, block={"kind": "pre", **weights}).block
    for found in (block, pickle.loads(pickle.dumps(block)), copy.deepcopy(block)):
        assert found == block
        assert found.b_up is None
        assert found.w_gate is None
        assert "b_up" not in found
        with pytest.raises(AttributeError, match="ln_weight"):
            _ = found.ln_weight  # that of another kind


def test_over_shows_edits_in_place_and_copies_nothing():
    arrays = {name: np.array(array) for name, array in with_q_k_v().items()}
    allowed = np.ones((3, 5), bool)
    problem = Problem.over(
        arrays | {"mask": Problem(**with_q_k_v(), mask=({"kind": "custom", "allowed": allowed},)).mask}
    )
    arrays["query"][1, 2] = 7
    assert problem.query[1, 2] == 7
    assert not problem.query.flags.writeable
    assert arrays["query"].flags.writeable
    with pytest.raises(FieldTypeError, match="query must be a contiguous array of float32 to be read in place"):
        Problem.over(arrays | {"dtype": "float32"})
    with pytest.raises(FieldTypeError, match="nonsense"):
        Problem.over({"nonsense": 1})


def test_replace():
    problem = Problem(**with_q_k_v(), num_heads=2)
    assert problem.num_kv_heads == 2
    assert problem.replace(num_heads=4).num_kv_heads == 4
    gaussian = problem.replace(score="gaussian", score_params={"w": 2})
    assert dict(gaussian.score_params) == {"w": 2.0, "key_norm": 1.0}
    assert dict(gaussian.replace(score="dot").score_params) == {}
    assert gaussian.replace(w_output=None) == gaussian
    assert gaussian.replace(score=np.str_("gaussian")) == gaussian
    with pytest.raises(TypeError, match="num_head "):
        problem.replace(num_head=3)
    for name in ("num_heads", "score"):
        with pytest.raises((TypeError, ValueError), match=f"{name} must be .*, got an array"):
            problem.replace(**{name: np.array(["dot", "dot"])})


CLASHES = [
    (with_q_k_v(key=np.ones((5, 9))), ("key", "query"), ("column", "column"), 8, 9),
    (with_q_k_v(value=np.ones((4, 12))), ("value", "key"), ("row", "row"), 5, 4),
    (with_q_k_v(num_heads=3), ("query",), ("column",), 3, 8),
    (with_q_k_v(num_heads=2, num_kv_heads=3), ("num_kv_heads",), (), 2, 3),
    (with_q_k_v(query=np.ones(8)), ("query",), (), "2 or 3", 1),
    (with_q_k_v(key=np.ones((0, 8))), ("key",), (), 1, 0),
    (with_q_k_v(query=np.ones((2, 3, 8)), key=np.ones((3, 5, 8))), ("key", "query"), ("batch", "batch"), 2, 3),
    (with_q_k_v(w_output=np.ones((8, 3))), ("w_output", "concat"), ("row", "column"), 12, 8),
    (with_q_k_v(w_output=np.ones((12, 3)), b_output=np.ones(4)), ("b_output", "w_output"), ("column", "column"), 3, 4),
    (with_q_k_v(query_tokens=["a"]), ("query_tokens", "query"), ("row", "row"), 3, 1),
    (with_q_k_v(mask=({"kind": "padding", "lengths": (1, 2)},)), ("mask.0.lengths",), ("batch",), 1, 2),
    (
        with_q_k_v(mask=({"kind": "bias", "values": np.ones((2, 5))},)),
        ("mask.0.values",),
        ("query", "key"),
        (1, 1, 3, 5),
        (2, 5),
    ),
    (with_q_k_v(query=np.ones((3, 9)), key=np.ones((5, 9)), rotary_theta=9.0), ("query",), ("column",), 10, 9),
]


@each(("fields", "matrices", "axes", "expected", "got"), CLASHES)
def test_a_clash_names_both_sides_in_one_sentence(fields, matrices, axes, expected, got):
    with pytest.raises(ShapeError) as caught:
        Problem(**fields)
    error = caught.value
    assert (error.matrices, error.axes, error.expected, error.got) == (matrices, axes, expected, got)
    one_sentence(error)


WRONG = [
    (with_q_k_v(num_heads=0), FieldError, "num_heads must be at least 1"),
    (with_q_k_v(num_heads=2.0), FieldTypeError, "num_heads must be a whole number"),
    (with_q_k_v(num_heads=True), FieldTypeError, "num_heads"),
    (with_q_k_v(scale=-np.inf), FieldError, "scale must be finite, got −∞."),
    (with_q_k_v(scale="1"), FieldTypeError, "scale must be a number, got '1'."),
    (with_q_k_v(softcap=0), FieldError, "softcap must be greater than 0"),
    (with_q_k_v(temperature=-2.5), FieldError, "temperature must be greater than 0, got −2.5."),
    (with_q_k_v(dtype="float16"), FieldError, "dtype must be one of float64, float32"),
    (with_q_k_v(score="dots"), FieldError, "score must be one of dot, additive"),
    (with_q_k_v(score_params={"w": 1}), FieldError, "score_params does not have the parameter w"),
    (with_q_k_v(score="additive"), FieldError, "score_params needs w_score_query"),
    (with_q_k_v(score="gaussian", score_params={"w": "wide"}), FieldTypeError, "score_params.w must be a number"),
    (with_q_k_v(query=np.ones((3, 8), complex)), FieldTypeError, "query must hold real numbers, got complex128"),
    (with_q_k_v(query=[[1, 2], [3]]), FieldTypeError, "query must hold real numbers, got rows of different lengths"),
    (
        with_q_k_v(query=[[10**400, 2]]),
        FieldTypeError,
        "query must hold real numbers, got cells that are no numbers, or",
    ),
    (with_q_k_v(query=np.array([[1, None]])), FieldTypeError, "query must hold real numbers, got cells that are no"),
    (with_q_k_v(x=Q), FieldError, "query and x exclude each other"),
    (
        with_q_k_v(rotary_theta=10.0, rotary_frequencies=[1.0, 0.5]),
        FieldError,
        "rotary_theta and rotary_frequencies exclude each other",
    ),
    ({"query": Q, "key": K}, FieldError, "value is missing"),
    ({"x": Q, "w_query": np.ones((8, 4))}, FieldError, "w_key is missing"),
    (with_q_k_v(b_output=np.ones(12)), FieldError, "b_output needs w_output"),
    (with_q_k_v(block={"ln_weight": [1], "ln_bias": [1], "w_linear": [[1]]}), FieldError, "block needs x"),
    (
        with_q_k_v(mask=3),
        FieldTypeError,
        'mask must be mask layers, such as "causal" or .* True and False .*; got a number',
    ),
    (with_q_k_v(mask=("causal", 3)), FieldTypeError, "mask.1 must be a mapping, got a number"),
    (with_q_k_v(mask="casual"), FieldError, "mask.0 must be one of the mask layers causal, .*, got 'casual'"),
    (with_q_k_v(mask="prefix"), FieldError, r"mask.0 \(prefix\) needs length"),
    (
        with_q_k_v(mask=np.zeros((3, 5))),
        FieldTypeError,
        r"write mask=\[{\"kind\": \"bias\", \"values\": array}\]; to open",
    ),
    (
        with_q_k_v(mask=np.ones((3, 5), int)),
        FieldTypeError,
        r"where 1 means may attend, give mask=array.astype\(bool\)",
    ),
    (with_q_k_v(mask=np.ones((2, 5), bool)), ShapeError, "mask.0.allowed must broadcast"),
    (
        with_q_k_v(mask={"kind": "custom", "allowed": [[0, -10000]]}),
        FieldTypeError,
        "to the scores make a layer .*bias",
    ),
    (with_q_k_v(mask=({"kind": "causal", "length": 3},)), FieldError, "mask.0 does not have the parameter length"),
    (with_q_k_v(mask=({"kind": "padding"},)), FieldError, r"mask.0 \(padding\) needs lengths"),
    (with_q_k_v(mask=({"kind": "window", "left": 1.5},)), FieldTypeError, "window.left must be a whole number"),
    (with_q_k_v(mask=({"kind": "causal", "align": "middle"},)), FieldError, "causal.align must be one of start, end"),
    (with_q_k_v(mask=({"kind": "causal", "enabled": 1},)), FieldTypeError, "causal.enabled must be True or False"),
    (
        with_q_k_v(mask=({"kind": "custom", "allowed": [[0.5]]},)),
        FieldTypeError,
        "custom.allowed must hold True and False",
    ),
    (with_q_k_v(query_tokens="abc"), FieldTypeError, "query_tokens must be texts, got a text"),
]


@each(("fields", "error", "match"), WRONG)
def test_a_wrong_value_is_refused_in_one_sentence(fields, error, match):
    with pytest.raises(error, match=match) as caught:
        Problem(**fields)
    one_sentence(caught.value)


def one_sentence(error):
    message = str(error)
    assert message.endswith(".")
    assert "\n" not in message
    assert len(message) < 200
    assert errors.say(error.template, error.values) == message


@each(
    ("mask", "same"),
    [
        ("causal", [{"kind": "causal"}]),
        (["causal", {"kind": "padding", "lengths": 3}], [{"kind": "causal"}, {"kind": "padding", "lengths": 3}]),
        ({"kind": "window", "left": 1}, [{"kind": "window", "left": 1}]),
        (np.tri(3, 5, dtype=bool), [{"kind": "custom", "allowed": np.tri(3, 5, dtype=bool)}]),
        (np.tri(3, 5, dtype=bool).tolist(), [{"kind": "custom", "allowed": np.tri(3, 5, dtype=bool)}]),
    ],
)
def test_a_mask_may_be_one_layer_its_name_or_booleans(mask, same):
    problem = Problem(**with_q_k_v(mask=mask))
    assert problem == Problem(**with_q_k_v(mask=same)) == Problem(**with_q_k_v()).replace(mask=mask)
    if isinstance(mask, np.ndarray):
        mask[:] = False  # it was copied
        assert problem.mask[0].allowed[0, 0]
    assert Problem(**with_q_k_v(mask=problem.mask[0])) == problem or len(problem.mask) > 1


def test_numpy_scalars_are_numbers():
    problem = Problem(
        **with_q_k_v(num_heads=np.int64(2), scale=np.float32(0.5), softcap=np.array(3.0), dtype=np.float32)
    )
    assert type(problem.num_heads) is int
    assert type(problem.scale) is float
    assert problem.softcap == 3.0
    assert problem.dtype == "float32"


# --- every change that a clash offers is carried out ----------------------------------------------
N, M, H, G, D, C, E, F = 7, 11, 6, 2, 4, 5, 13, 17


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


MAKERS = (direct, with_everything, block, cross)


def clash_of(fields: dict[str, Any]) -> ShapeError | None:
    try:
        Problem(**fields)
    except ShapeError as clash:
        return clash
    return None


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
        assert shapes_of(draft_of(fields | changed))[fix.matrix] == fix.after
        assert before.get(fix.matrix, ()) == fix.before
        assert str(fix).endswith(".")


@settings(max_examples=examples(40), deadline=None)
@given(st.sampled_from(MAKERS), st.data())
def test_every_fix_of_a_random_clash_works(make, data):
    fields = make(np.random.default_rng(0))
    names = [name for name in Problem(**fields).arrays() if not name.startswith(("mask", "block"))]
    name = data.draw(st.sampled_from(names))
    shape = list(Problem(**fields).arrays()[name].shape)
    for axis in data.draw(st.sets(st.integers(0, len(shape) - 1), min_size=1)):
        shape[axis] = data.draw(st.integers(1, 30))
    wrong = put(fields, name, np.ones(shape))
    check_every_fix(wrong)
    clash = clash_of(wrong)
    assume(clash is None or clash.template != errors.LEADING_AXIS)  # asks what a size means: there is no wrong one
    if clash is not None:  # a matrix that is wrong on every axis at once is put right by one fix
        assert ("resize", name, True) in [(fix.kind, fix.matrix, fix.whole) for fix in clash.fixes], clash
        assert len(set(clash.fixes)) == len(clash.fixes)


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
        fix = clash.fixes[0]
        assert (fix.kind, fix.matrix) == ("transpose", name), clash
        assert Problem(**turned | apply_fix(fix, turned)) == valid
        tried += 1
    assert tried >= 3


def offered(fields: dict[str, Any]) -> list[tuple[str, str, tuple[int, ...]]]:
    clash = clash_of(fields)
    assert clash is not None
    return [(fix.kind, fix.matrix, fix.shape) for fix in clash.fixes]


def test_what_is_offered_for_a_sequence_of_another_width(rng):
    """Three matrices read x in self-attention: to change one of them alone would not help."""
    assert offered(block(rng) | {"x": np.ones((N, 23))}) == [("resize", "x", (N, E)), ("project", "x", (23, E))]

    assert offered(cross(rng) | {"w_query": np.ones((23, H * D))}) == [
        ("resize", "w_query", (E, H * D)),
        ("resize", "x", (N, 23)),
        ("project", "w_query", (E, 23)),
    ]


def test_rows_cannot_be_projected_and_company_follows(rng):
    fields = with_everything(rng) | {"value": np.ones((23, G * C))}
    assert offered(fields) == [("resize", "value", (M, G * C)), ("resize", "key", (23, G * D))]
    changed = apply_fix(clash_of(fields).fixes[1], fields)
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


def test_odd_heads_under_rotary_positions_become_even_together(rng):
    fields = {
        "query": rng.normal(size=(N, 9)),
        "key": rng.normal(size=(M, 9)),
        "value": rng.normal(size=(M, 2)),
        "rotary_theta": 9.0,
    }
    assert offered(fields)[0] == ("resize", "query", (N, 10))
    assert Problem(**fields | apply_fix(clash_of(fields).fixes[0], fields)).d_k == 10
