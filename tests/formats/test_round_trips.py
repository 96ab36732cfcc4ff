"""Saved files come back: every field, bit for bit, and saving again gives the same bytes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from safetensors import safe_open
from safetensors.numpy import save as official

from attn_gui import export_files
from attn_gui.engine import compute
from attn_gui.engine.blocks import BLOCKS, CHOICES
from attn_gui.engine.normalizers import NORMALIZERS
from attn_gui.engine.problem import Problem
from attn_gui.formats import load, open_file, rows_of, save, save_members, save_session
from attn_gui.formats.file_format import Loaded
from attn_gui.formats.npz import members_of
from tests.failing import each

ANY_TEXT = st.text(st.characters(codec="utf-8", categories=None), max_size=6) | st.sampled_from(
    ["<s>", "注意", "e\u0301", "\u202egnp", "👩‍👩‍👧", "\x00", "\n", "=1+1", '"', "\\", " "]
)
LAYERS = st.sampled_from(
    [
        {"kind": "causal"},
        {"kind": "causal", "align": "end", "enabled": False},
        {"kind": "window", "left": -2, "right": None, "align": "end"},
        {"kind": "window", "left": None, "right": 3, "enabled": False},
        {"kind": "prefix", "length": 2, "align": "end"},
        {"kind": "padding", "lengths": 4},
        {"kind": "alibi", "align": "end"},
        {"kind": "custom"},
        {"kind": "bias"},
    ]
)
NUMBERS = st.floats(1e-300, 1e300)


def wild(random: np.random.Generator, dtype: str, *shape: int) -> np.ndarray:
    """Every pattern of bits may come: NaNs with payloads, infinities, subnormals, minus zero."""
    whole = {"float64": np.uint64, "float32": np.uint32}[dtype]
    return random.integers(0, np.iinfo(whole).max, shape, dtype=whole, endpoint=True).view(dtype)


@st.composite
def problems(draw: st.DrawFn) -> Problem:
    """Problems of every kind, with odd sizes, every mask layer and any text."""
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    dtype = draw(st.sampled_from(["float64", "float32"]))
    heads, kv_heads = draw(st.sampled_from([(1, 1), (3, 3), (6, 2), (4, 1)]))
    n, d_k, d_v, batch = 3, 2, draw(st.sampled_from([1, 5])), draw(st.sampled_from([None, 1, 2]))
    kind = draw(st.sampled_from(["direct", "self", "cross"]))
    m = n if kind == "self" else 7
    lead = () if batch is None else (batch,)

    def table(*shape: int) -> np.ndarray:
        return wild(random, dtype, *shape)

    fields: dict[str, object] = {}
    if kind == "direct":
        fields = {"query": table(*lead, n, heads * d_k), "key": table(*lead, m, kv_heads * d_k)}
        fields["value"] = table(*lead, m, kv_heads * d_v)
    else:
        fields = {"x": table(*lead, n, 5), "w_query": table(5, heads * d_k), "w_key": table(5, kv_heads * d_k)}
        fields |= {"w_value": table(5, kv_heads * d_v), "b_value": table(kv_heads * d_v)}
        fields |= {"context": table(*lead, m, 5)} if kind == "cross" else {}
    if draw(st.booleans()):
        fields |= {"w_output": table(heads * d_v, 5), "b_output": table(5)}
        if kind != "direct":
            block = {"ln_weight": table(5), "ln_bias": table(5), "w_linear": table(5, 4), "ln_eps": draw(NUMBERS)}
            fields["block"] = block | ({"b_linear": table(4)} if draw(st.booleans()) else {})
            if draw(st.booleans()):
                fields["block"] = layer_of(draw, table)
    score = draw(st.sampled_from(["dot", "gaussian", "additive", "cosine", "average"]))
    if score == "gaussian":
        fields["score_params"] = {"w": draw(NUMBERS), "key_norm": -0.0}
    elif score == "additive":
        fields["score_params"] = {"w_score_query": table(d_k, 3), "w_score_key": table(d_k, 3), "w_score": table(3)}
    mask = [dict(layer) for layer in draw(st.lists(LAYERS, max_size=4))]
    for layer in mask:
        if layer["kind"] == "custom":
            layer["allowed"] = random.random((batch or 1, 1, n, m)) < 0.5
        elif layer["kind"] == "bias":
            layer["values"] = table(heads, 1, m)
    for name in ("scale", "softcap", "temperature", "rotary_theta"):
        fields[name] = draw(st.none() | NUMBERS)
    if draw(st.booleans()):
        fields |= {"query_norm": table(d_k), "qk_norm_eps": draw(NUMBERS), "sink": table(heads)}
        fields |= {"rotary_frequencies": table(d_k // 2), "rotary_theta": None}
    for name, length in (("query_tokens", n), ("key_tokens", m)):
        fields[name] = draw(st.none() | st.lists(ANY_TEXT, min_size=length, max_size=length).map(tuple))
    fields["normalize"] = key = draw(st.sampled_from(["softmax", "none", "sum", "sigmoid"]))
    for name in {"temperature", "sink"} - NORMALIZERS[key].reads:
        fields.pop(name, None)
    return Problem(**fields, num_heads=heads, num_kv_heads=kv_heads, score=score, mask=mask, dtype=dtype)


def layer_of(draw: st.DrawFn, table: Callable[..., np.ndarray]) -> dict[str, object]:
    """A block with a feed-forward network, gated or not."""
    shapes = {"norm1_weight": (5,), "norm2_weight": (5,), "norm2_bias": (5,), "w_up": (5, 3), "w_down": (3, 5)}
    shapes |= {"w_gate": (5, 3), "b_gate": (3,)} if draw(st.booleans()) else {"b_up": (3,)}
    found: dict[str, object] = {name: table(*shape) for name, shape in shapes.items()}
    for name, keys in CHOICES.items():
        found[name] = draw(st.sampled_from(keys))
    kinds = [kind for kind, block in BLOCKS.items() if block.choices]
    return found | {"kind": draw(st.sampled_from(kinds)), "norm_eps": draw(NUMBERS)}


VIEWS = st.dictionaries(st.text(max_size=5), st.none() | st.booleans() | st.integers() | NUMBERS | ANY_TEXT, max_size=3)


@given(problems(), VIEWS)
def test_a_session_comes_back_bit_for_bit(
    tmp_path_factory: pytest.TempPathFactory, problem: Problem, view: dict[str, object]
) -> None:
    path = tmp_path_factory.mktemp("session") / "one.attn"
    save_session(problem, path, view, {"model": "a model", "text": "some\x00 text"})
    first = path.read_bytes()
    loaded = open_file(path)
    assert loaded.problem == problem
    assert (loaded.view, loaded.about, loaded.notes) == (view, {"model": "a model", "text": "some\x00 text"}, ())
    save_session(loaded.problem, path, loaded.view, loaded.about)
    assert path.read_bytes() == first
    with safe_open(path, framework="np") as file:  # the official writer gives the same bytes
        assert official({name: file.get_tensor(name) for name in problem.arrays()}, file.metadata()) == first


@given(problems())
def test_an_npz_comes_back_bit_for_bit(tmp_path_factory: pytest.TempPathFactory, problem: Problem) -> None:
    path = tmp_path_factory.mktemp("npz") / "one.npz"
    save(problem, path)
    first = path.read_bytes()
    loaded = open_file(path)
    assert loaded.problem == problem
    assert loaded.notes == ()
    save(loaded.problem, path)
    assert path.read_bytes() == first
    with np.load(path) as plain:  # anybody's NumPy reads it
        assert all(plain[name].tobytes() == array.tobytes() for name, array in problem.arrays().items())


def test_a_session_is_what_the_contract_says(tmp_path: Path) -> None:
    allowed = np.eye(2, 3, dtype=bool)
    problem = Problem(
        query=np.ones((2, 4)),
        key=np.ones((3, 4)),
        value=np.ones((3, 2)),
        num_heads=2,
        mask=[{"kind": "causal"}, {"kind": "custom", "allowed": allowed, "enabled": False}],
    )
    save_session(problem, tmp_path / "a.attn", {"head": 1})
    with safe_open(tmp_path / "a.attn", framework="np") as file:
        assert set(file.keys()) == {"query", "key", "value", "mask.1.allowed"}
        np.testing.assert_array_equal(file.get_tensor("mask.1.allowed"), allowed)
        assert set(file.metadata()) == {"attn_gui"}
        text = file.metadata()["attn_gui"]
    options = json.loads(text)
    assert text == json.dumps(options, sort_keys=True, separators=(",", ":"))
    assert options["format_version"] == 1
    assert options["view"] == {"head": 1}
    assert options["mask"][1] == {"kind": "custom", "enabled": False}


@pytest.mark.parametrize("ending", ["safetensors", "json"])
@given(problem=problems())
def test_members_by_name_come_back_as_the_same_problem(
    tmp_path_factory: pytest.TempPathFactory, ending: str, problem: Problem
) -> None:
    """As exports write them: the arrays, and the options in `meta`; JSON tells no NaN from another."""
    path = tmp_path_factory.mktemp("members") / f"a.{ending}"
    save_members({name: rows_of(array) for name, array in members_of(Loaded(problem)).items()}, path)
    again = load(path)
    assert again.fields().keys() == problem.fields().keys()
    for name, array in problem.arrays().items():
        np.testing.assert_array_equal(again.arrays()[name], array)
    assert again.mask == problem.mask or ending == "json"
    assert again.query_tokens == problem.query_tokens


@pytest.mark.parametrize("ending", ["json", "npz", "safetensors"])
def test_one_number_set_by_hand_comes_back_from_an_export(ending, tmp_path):
    by_hand = ({"kind": "set", "stage": "weights", "at": {"query": 0}, "values": 0.5},)
    problem = Problem(query=np.eye(2), key=np.eye(2), value=np.eye(2), interventions=by_hand)
    (path,) = export_files(problem, tmp_path, format=[ending])
    assert open_file(path).problem.interventions == problem.interventions


@each("ending", ["json", "npz", "safetensors"])
@each("kind", ["scale", "copy"])
def test_values_changed_by_hand_are_not_changed_again_by_an_export(ending, kind, tmp_path):
    how = {"factor": 2.0} if kind == "scale" else {"source": {"row": 1}}
    by_hand = ({"kind": kind, "stage": "value", "at": {}, **how},)
    problem = Problem(query=np.eye(2), key=np.eye(2), value=[[1.0, 2], [3, 5]], interventions=by_hand)
    (path,) = export_files(problem, tmp_path, format=[ending])
    np.testing.assert_array_equal(compute(open_file(path).problem)["output"], compute(problem)["output"])
