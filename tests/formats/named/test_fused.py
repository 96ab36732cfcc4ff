"""Query, key and value in one array: split as slices and loops say, recognized, asked about, remembered."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attn_gui.cli import main
from attn_gui.engine import Problem
from attn_gui.formats import list_arrays, load
from attn_gui.formats.file_format import ArrayListing, ListedArray
from attn_gui.formats.named.arranged_problem import complaint, mapping_with_answers
from attn_gui.formats.named.array_mapping import ArrayMapping, propose_mapping, recall_mapping, record_of
from attn_gui.formats.named.weight_layouts import HEAD_BY_HEAD, PART_BY_PART, SPLITS, HeadCounts, runs_text
from tests.failing import each

RANDOM = np.random.default_rng(11)


def together(heads: list[np.ndarray], kv: list[tuple[np.ndarray, np.ndarray]], split: str) -> np.ndarray:
    """Columns of heads laid into one array by hand, as the split says."""
    if split == "part,head,column":
        return np.hstack([*heads, *(k for k, _ in kv), *(v for _, v in kv)])
    shared = len(heads) // len(kv)
    return np.hstack([part for place, pair in enumerate(kv) for part in (*heads[shared * place :][:shared], *pair)])


@given(st.sampled_from(list(SPLITS)), st.integers(1, 3), st.integers(1, 3), st.integers(1, 4))
def test_a_split_undoes_what_was_laid_together(split: str, kv_heads: int, shared: int, width: int) -> None:
    heads = [RANDOM.normal(size=(2, width)) for _ in range(kv_heads * shared)]
    kv = [(RANDOM.normal(size=(2, width)), RANDOM.normal(size=(2, width))) for _ in range(kv_heads)]
    fused = together(heads, kv, split)
    columns = SPLITS[split].columns("a", fused.shape[1], HeadCounts(len(heads), kv_heads))
    expected = np.hstack(heads), np.hstack([k for k, _ in kv]), np.hstack([v for _, v in kv])
    for places, part in zip(columns, expected, strict=True):
        np.testing.assert_array_equal(fused[:, places], part)


def a_layer(heads: int = 2, kv_heads: int = 2, width: int = 3) -> Problem:
    d_in, out = 6, heads * width
    kv = kv_heads * width
    shapes = {"x": (4, d_in), "w_query": (d_in, out), "w_key": (d_in, kv), "w_value": (d_in, kv)}
    shapes |= {"b_query": (out,), "b_key": (kv,), "b_value": (kv,), "w_output": (out, d_in), "b_output": (d_in,)}
    arrays = {name: RANDOM.normal(size=shape) for name, shape in shapes.items()}
    return Problem(**arrays, num_heads=heads, num_kv_heads=kv_heads)


def by_heads(array: np.ndarray, count: int) -> list[np.ndarray]:
    return np.split(np.atleast_2d(array), count, axis=-1)


def fused_of(problem: Problem, letter: str, split: str) -> np.ndarray:
    query, key, value = (getattr(problem, f"{letter}_{part}") for part in ("query", "key", "value"))
    kv = zip(by_heads(key, problem.num_kv_heads), by_heads(value, problem.num_kv_heads), strict=True)
    return together(by_heads(query, problem.num_heads), list(kv), split).reshape(*query.shape[:-1], -1)


MODELS = {  # names, split, orientation as these publish them
    "gpt2": ("h.3.attn.c_attn.weight", "h.3.attn.c_attn.bias", "part,head,column", "in,out"),
    "torch": ("self_attn.in_proj_weight", "self_attn.in_proj_bias", "part,head,column", "out,in"),
    "phi": ("layers.0.self_attn.qkv_proj.weight", "layers.0.self_attn.qkv_proj.bias", "part,head,column", "out,in"),
    "neox": (
        "gpt_neox.layers.5.attention.query_key_value.weight",
        "gpt_neox.layers.5.attention.query_key_value.bias",
        "head,part,column",
        "out,in",
    ),
}


@each("model", MODELS)
@each(("heads", "kv_heads"), [(2, 2), (4, 2)])
def test_what_models_publish_is_recognized_and_opens(model: str, heads: int, kv_heads: int, tmp_path: Path) -> None:
    weight, bias, split, order = MODELS[model]
    problem = a_layer(heads, kv_heads, 6 // heads if kv_heads == heads else 3)
    fused = fused_of(problem, "w", split)
    arrays = {
        "hidden_states": problem.x,
        weight: fused if order == "in,out" else fused.T,
        bias: fused_of(problem, "b", split),
        "w_o": problem.w_output if order == "in,out" else problem.w_output.T,
    }
    np.savez(tmp_path / "a.npz", **arrays)
    found = propose_mapping(list_arrays(tmp_path / "a.npz"))
    assert (found.arrays["w_query_key_value"], found.arrays["b_query_key_value"]) == (weight, bias)
    assert found.split is SPLITS[split]
    if heads == kv_heads:  # three times as long as wide
        assert mapping_with_answers(found, list_arrays(tmp_path / "a.npz")).arrangement.weights == order
    names = {**found.arrays, "w_output": "w_o"}
    counts = {"num_heads": heads, "num_kv_heads": kv_heads, "weights": order}
    expected = problem.replace(b_output=None)
    assert load(tmp_path / "a.npz", arrays=names, split=split, **counts) == expected
    with pytest.warns(UserWarning, match=f"was split as {split}"):
        assert load(tmp_path / "a.npz", arrays=names, **counts) == expected


@each("split", SPLITS)
@each("batch", [(), (2,)])
def test_activations_in_one_array(split: str, batch: tuple[int, ...], tmp_path: Path) -> None:
    heads = [RANDOM.normal(size=(*batch, 5, 3)) for _ in range(4)]
    kv = [(RANDOM.normal(size=(*batch, 5, 3)), RANDOM.normal(size=(*batch, 5, 3))) for _ in range(2)]
    whole = [together([h.reshape(-1, 3) for h in heads], [(k.reshape(-1, 3), v.reshape(-1, 3)) for k, v in kv], split)]
    np.savez(tmp_path / "a.npz", qkv=whole[0].reshape(*batch, 5, -1))
    found = load(tmp_path / "a.npz", arrays={"query_key_value": "qkv"}, split=split, num_heads=4, num_kv_heads=2)
    expected = [np.stack(part, axis=-3) for part in (heads, [k for k, _ in kv], [v for _, v in kv])]
    assert found == Problem.from_heads(*expected, num_heads=4)


def listing(**shapes: tuple[int, ...]) -> ArrayListing:
    return ArrayListing(tuple(ListedArray(name, shape, "float32") for name, shape in shapes.items()), lambda _s, _n: {})


def test_two_readings_are_asked_about() -> None:
    both = {"x": "x", "w_query_key_value": "fused"}
    here = listing(x=(4, 6), fused=(6, 18))
    assert complaint(ArrayMapping(both), here) is None, "one head lies in one way"
    said = str(complaint(ArrayMapping(both, num_heads=2), here))
    assert "in two ways; choose the split: part,head,column, head,part,column" in said
    for split in SPLITS.values():
        assert complaint(ArrayMapping(both, num_heads=2, split=split), here) is None
    named = {"x": "x", "w_query_key_value": "c_attn", "b_query_key_value": "query_key_value"}
    two = listing(x=(4, 6), c_attn=(6, 18), query_key_value=(18,))
    assert "in two ways" in str(complaint(ArrayMapping(named, num_heads=2), two)), "their names say different things"


def test_a_number_of_heads_is_asked_about_where_two_fit() -> None:
    both = {"x": "x", "w_query_key_value": "qkv_proj"}
    here = listing(x=(4, 8), qkv_proj=(8, 12))  # 4 heads of 1 with 4 of keys, or of 2 with 1
    assert "4 heads with as many K/V heads, and with 1" in str(complaint(ArrayMapping(both, num_heads=4), here))
    assert complaint(ArrayMapping(both, num_heads=4, num_kv_heads=1), here) is None
    assert complaint(ArrayMapping(both, num_heads=4, num_kv_heads=4), here) is None


@pytest.mark.parametrize(
    ("names", "words"),
    [
        ({"x": "x", "w_query_key_value": "x"}, "6 columns are not 4 heads of queries and 4 of keys"),
        ({"x": "x", "w_query_key_value": "fused", "w_key": "fused"}, "holds w_query, w_key, w_value already"),
    ],
)
def test_what_cannot_be_is_said(names: dict[str, str], words: str) -> None:
    found = complaint(ArrayMapping(names, num_heads=4, split=PART_BY_PART), listing(x=(4, 6), fused=(6, 24)))
    assert words in str(found)


def test_a_split_is_remembered_by_the_pattern_of_the_names() -> None:
    chosen = ArrayMapping({"x": "h.3.x", "w_query_key_value": "h.3.w"}, num_heads=2, num_kv_heads=1, split=HEAD_BY_HEAD)
    record = json.loads(json.dumps(record_of(chosen)))
    found = recall_mapping([record], listing(**{"h.9.x": (4, 6), "h.9.w": (6, 12)}))
    assert found is not None
    assert (found.split, found.num_kv_heads) == (HEAD_BY_HEAD, 1)
    assert recall_mapping([record | {"split": "of another version"}], listing(**{"h.9.x": (4, 6), "h.9.w": (6, 12)}))


def test_the_command_line_has_the_same_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    problem = a_layer()
    np.savez(tmp_path / "a.npz", x=problem.x, w=fused_of(problem, "w", "head,part,column"))
    words = ["verify", str(tmp_path / "a.npz"), "--array", "x=x", "w_query_key_value=w", "--num-heads", "2"]
    assert main(words) == 2
    assert "choose the split" in capsys.readouterr().err
    assert main([*words, "--split", "columns"]) == 2
    assert "“split” is “columns”; expected one of “part,head,column”" in capsys.readouterr().err
    assert main([*words, "--split", "head,part,column"]) == 0


def test_a_bias_of_three_is_no_mask() -> None:
    found = propose_mapping(listing(**{"x": (4, 6), "h.0.attn.qkv.weight": (6, 18), "h.0.attn.qkv.bias": (18,)}))
    assert set(found.arrays) == {"x", "w_query_key_value", "b_query_key_value"}
    assert found.split is None


def test_numbers_that_stand_apart_win_over_those_in_one() -> None:
    found = propose_mapping(listing(**{"q": (4, 6), "k": (4, 6), "v": (4, 6), "h.0.c_attn.weight": (6, 18)}))
    assert set(found.arrays) == {"query", "key", "value"}


def test_runs_of_places() -> None:
    assert runs_text(np.arange(768)) == "0–767"
    assert runs_text(HEAD_BY_HEAD.columns("a", 18, HeadCounts(3, None))[0]) == "0–1, 6–7, …"
    assert runs_text(np.array([0, 3])) == "0, 3"
