"""A problem accepts, keeps and refuses."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

from attn_gui.engine import FieldError, FieldTypeError, Problem, ShapeError, sentences
from tests.failing import each

Q, K, V = np.ones((3, 8)), np.ones((5, 8)), np.ones((5, 12))


def given(**more):
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


def test_equality_compares_bytes_and_is_safe_with_nan():
    one = Problem(**given(query=np.full((3, 8), np.nan)), mask=({"kind": "custom", "allowed": np.eye(3, 5) > 0},))
    assert one == Problem(
        **given(query=np.full((3, 8), np.nan)), mask=({"kind": "custom", "allowed": np.eye(3, 5) > 0},)
    )
    assert one != one.replace(dtype="float32")
    assert one != one.replace(mask=())
    assert one != one.replace(value=V + 1)
    assert Problem(**given(query=0.0 * Q)) != Problem(**given(query=-0.0 * Q))
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
    arrays = {name: np.array(array) for name, array in given().items()}
    allowed = np.ones((3, 5), bool)
    problem = Problem.over(arrays | {"mask": Problem(**given(), mask=({"kind": "custom", "allowed": allowed},)).mask})
    arrays["query"][1, 2] = 7
    assert problem.query[1, 2] == 7
    assert not problem.query.flags.writeable
    assert arrays["query"].flags.writeable
    with pytest.raises(FieldTypeError, match="query must be a contiguous array of float32 to be read in place"):
        Problem.over(arrays | {"dtype": "float32"})
    with pytest.raises(FieldTypeError, match="nonsense"):
        Problem.over({"nonsense": 1})


def test_replace():
    problem = Problem(**given(), num_heads=2)
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
    (given(key=np.ones((5, 9))), ("key", "query"), ("column", "column"), 8, 9),
    (given(value=np.ones((4, 12))), ("value", "key"), ("row", "row"), 5, 4),
    (given(num_heads=3), ("query",), ("column",), 3, 8),
    (given(num_heads=2, num_kv_heads=3), ("num_kv_heads",), (), 2, 3),
    (given(query=np.ones(8)), ("query",), (), "2 or 3", 1),
    (given(key=np.ones((0, 8))), ("key",), (), 1, 0),
    (given(query=np.ones((2, 3, 8)), key=np.ones((3, 5, 8))), ("key", "query"), ("batch", "batch"), 2, 3),
    (given(w_output=np.ones((8, 3))), ("w_output", "concat"), ("row", "column"), 12, 8),
    (given(w_output=np.ones((12, 3)), b_output=np.ones(4)), ("b_output", "w_output"), ("column", "column"), 3, 4),
    (given(query_tokens=["a"]), ("query_tokens", "query"), ("row", "row"), 3, 1),
    (given(mask=({"kind": "padding", "lengths": (1, 2)},)), ("mask.0.lengths",), ("batch",), 1, 2),
    (
        given(mask=({"kind": "bias", "values": np.ones((2, 5))},)),
        ("mask.0.values",),
        ("query", "key"),
        (1, 1, 3, 5),
        (2, 5),
    ),
    (given(query=np.ones((3, 9)), key=np.ones((5, 9)), rotary_theta=9.0), ("query",), ("column",), 10, 9),
]


@each(("fields", "matrices", "axes", "expected", "got"), CLASHES)
def test_a_clash_names_both_sides_in_one_sentence(fields, matrices, axes, expected, got):
    with pytest.raises(ShapeError) as caught:
        Problem(**fields)
    error = caught.value
    assert (error.matrices, error.axes, error.expected, error.got) == (matrices, axes, expected, got)
    one_sentence(error)


WRONG = [
    (given(num_heads=0), FieldError, "num_heads must be at least 1"),
    (given(num_heads=2.0), FieldTypeError, "num_heads must be a whole number"),
    (given(num_heads=True), FieldTypeError, "num_heads"),
    (given(scale=np.nan), FieldError, "scale must be finite"),
    (given(scale="1"), FieldTypeError, "scale must be a number"),
    (given(softcap=0), FieldError, "softcap must be greater than 0"),
    (given(temperature=-1), FieldError, "temperature must be greater than 0"),
    (given(dtype="float16"), FieldError, "dtype must be one of float64, float32"),
    (given(score="dots"), FieldError, "score must be one of dot, additive"),
    (given(score_params={"w": 1}), FieldError, "score_params does not have the parameter w"),
    (given(score="additive"), FieldError, "score_params needs w_score_query"),
    (given(score="gaussian", score_params={"w": "wide"}), FieldTypeError, "score_params.w must be a number"),
    (given(query=[["a"]]), FieldTypeError, "query must hold real numbers"),
    (given(query=np.ones((3, 8), complex)), FieldTypeError, "query must hold real numbers, got complex128"),
    (given(query=[[1, 2], [3]]), FieldTypeError, "query must hold real numbers, got rows of different lengths"),
    (given(query=np.array([[object()]])), FieldTypeError, "query"),
    (given(x=Q), FieldError, "query and x exclude each other"),
    (given(b_key=np.ones(8)), FieldError, "query and b_key exclude each other"),
    (
        given(rotary_theta=10.0, rotary_frequencies=[1.0, 0.5]),
        FieldError,
        "rotary_theta and rotary_frequencies exclude each other",
    ),
    ({"query": Q, "key": K}, FieldError, "value is missing"),
    ({"x": Q, "w_query": np.ones((8, 4))}, FieldError, "w_key is missing"),
    ({}, FieldError, "query is missing"),
    (given(b_output=np.ones(12)), FieldError, "b_output needs w_output"),
    (given(block={"ln_weight": [1], "ln_bias": [1], "w_linear": [[1]]}), FieldError, "block needs x"),
    (given(mask=3), FieldTypeError, 'mask must be mask layers, such as "causal" or .* True and False .*; got a number'),
    (given(mask=np.array(["causal"])), FieldTypeError, "mask must be mask layers, such as"),
    (given(mask=("causal", 3)), FieldTypeError, "mask.1 must be a mapping, got a number"),
    (given(mask="casual"), FieldError, "mask.0 must be one of the mask layers causal, .*, got 'casual'"),
    (given(mask="prefix"), FieldError, r"mask.0 \(prefix\) needs length"),
    (given(mask=np.zeros((3, 5))), FieldTypeError, r"write mask=\[{\"kind\": \"bias\", \"values\": array}\]; to open"),
    (given(mask=[[0, -10000]]), FieldTypeError, r"to add them to the scores, write mask=\[{\"kind\": \"bias\""),
    (given(mask=np.ones((3, 5), int)), FieldTypeError, r"where 1 means may attend, give mask=array.astype\(bool\)"),
    (given(mask=np.ones((2, 5), bool)), ShapeError, "mask.0.allowed must broadcast"),
    (
        given(mask={"kind": "custom", "allowed": [[0, -10000]]}),
        FieldTypeError,
        "to the scores make a layer .*bias",
    ),
    (given(mask=({"kind": "casual"},)), FieldError, "mask.0 must be one of the mask layers causal"),
    (given(mask=({"kind": "causal", "length": 3},)), FieldError, "mask.0 does not have the parameter length"),
    (given(mask=({"kind": "padding"},)), FieldError, r"mask.0 \(padding\) needs lengths"),
    (given(mask=({"kind": "prefix"},)), FieldError, r"mask.0 \(prefix\) needs length"),
    (given(mask=({"kind": "window", "left": 1.5},)), FieldTypeError, "window.left must be a whole number"),
    (given(mask=({"kind": "causal", "align": "middle"},)), FieldError, "causal.align must be one of start, end"),
    (given(mask=({"kind": "causal", "enabled": 1},)), FieldTypeError, "causal.enabled must be True or False"),
    (given(mask=({"kind": "custom", "allowed": [[0.5]]},)), FieldTypeError, "custom.allowed must hold True and False"),
    (given(query_tokens="abc"), FieldTypeError, "query_tokens must be texts, got a text"),
]


@each(("fields", "error", "match"), WRONG)
def test_a_wrong_value_is_refused_in_one_sentence(fields, error, match):
    with pytest.raises(error, match=match) as caught:
        Problem(**fields)
    one_sentence(caught.value)


@each(
    ("fields", "said"),
    [
        ({"softcap": -1}, "softcap must be greater than 0, got −1."),
        ({"temperature": -2.5}, "temperature must be greater than 0, got −2.5."),
        ({"rotary_theta": -1e-7}, "rotary_theta must be greater than 0, got −1e−07."),
        ({"num_heads": -3}, "num_heads must be at least 1, got −3."),
        ({"num_heads": -1.5}, "num_heads must be a whole number, got −1.5."),
        ({"scale": -np.inf}, "scale must be finite, got −∞."),
        ({"scale": np.nan}, "scale must be finite, got NaN."),
        ({"scale": "-1"}, "scale must be a number, got '-1'."),
    ],
)
def test_numbers_in_a_refusal_have_a_true_minus(fields, said):
    with pytest.raises((ValueError, TypeError)) as caught:
        Problem(**given(**fields))
    assert str(caught.value) == said


def one_sentence(error):
    message = str(error)
    assert message.endswith(".")
    assert "\n" not in message
    assert len(message) < 200
    assert sentences.say(error.template, error.values) == message


class Tensor:
    """A tensor of another library, on a gradient."""

    def detach(self):
        return np.tri(3, 5, dtype=bool)


@each(
    ("mask", "same"),
    [
        ("causal", [{"kind": "causal"}]),
        (["causal", {"kind": "padding", "lengths": 3}], [{"kind": "causal"}, {"kind": "padding", "lengths": 3}]),
        ({"kind": "window", "left": 1}, [{"kind": "window", "left": 1}]),
        (np.tri(3, 5, dtype=bool), [{"kind": "custom", "allowed": np.tri(3, 5, dtype=bool)}]),
        (np.tri(3, 5, dtype=bool).tolist(), [{"kind": "custom", "allowed": np.tri(3, 5, dtype=bool)}]),
        (Tensor(), [{"kind": "custom", "allowed": np.tri(3, 5, dtype=bool)}]),
    ],
)
def test_a_mask_may_be_one_layer_its_name_or_booleans(mask, same):
    problem = Problem(**given(mask=mask))
    assert problem == Problem(**given(mask=same)) == Problem(**given()).replace(mask=mask)
    if isinstance(mask, np.ndarray):
        mask[:] = False  # it was copied
        assert problem.mask[0].allowed[0, 0]
    assert Problem(**given(mask=problem.mask[0])) == problem or len(problem.mask) > 1


def test_numpy_scalars_are_numbers():
    problem = Problem(**given(num_heads=np.int64(2), scale=np.float32(0.5), softcap=np.array(3.0), dtype=np.float32))
    assert type(problem.num_heads) is int
    assert type(problem.scale) is float
    assert problem.softcap == 3.0
    assert problem.dtype == "float32"


def test_texts_of_numpy_are_texts():
    record = {"kind": "scale", "stage": "weights", "factor": 2.0}
    problem = Problem(**given(score="dot", dtype="float64"), interventions=[record])
    texts = {"score": np.str_("dot"), "dtype": np.str_("float64")}
    assert Problem(**given(**texts), interventions=[{**record, "stage": np.str_("weights")}]) == problem
