"""Attention weights in files, alone or beside Q, K, V, and Q, K, V in one array: read and said, asked, or refused."""

import re
from copy import deepcopy
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attn_gui import Problem, compute, export_files, load, save
from attn_gui.cli import main
from attn_gui.formats import FormatError, list_arrays, save_arrays
from attn_gui.formats.file_format import ArrayListing, ListedArray
from attn_gui.formats.named.array_mapping import ArrayMapping, propose_mapping
from attn_gui.formats.named.array_names import ForeignNames
from attn_gui.formats.named.attention_maps import SeveralMaps, means_maps, names_of_maps
from attn_gui.formats.named.mapped_problem import complaint, mapping_with_answers
from attn_gui.formats.named.weight_layouts import PART_BY_PART, SPLITS, HeadCounts
from tests.failing import each

from .writing import put, said_by

TOKENS = tuple("abcde")
RANDOM = np.random.default_rng(3)


def maps(*shape: int) -> np.ndarray:
    return RANDOM.dirichlet(np.ones(shape[-1]), size=shape[:-1])


def kept(folder: Path, ending: str = "npz", **arrays: np.ndarray) -> Path:
    return put(folder / f"dump.{ending}", arrays)


def opened(path: Path, **said: object) -> tuple[Problem, list[str]]:
    return said_by(lambda: load(path, **said))


# --- names ------------------------------------------------------------------------------------------
def test_names_of_maps_and_of_what_is_something_else():
    maps = ("attention", "attentions", "attn_weights", "weights", "attn_output_weights", "blocks.3.attn.hook_pattern")
    others = ("attn_mask", "attention_scores", "attn_output", "attn.q_proj.weight", "attn.hook_q", "attn.hook_z")
    assert [means_maps(name) for name in (*maps, *others)] == [True] * len(maps) + [False] * len(others)


def test_where_queries_keys_and_values_are_there_the_weights_are_a_result():
    listed = [ListedArray(name, (1, 5, 2, 3), "float64") for name in ("attn.hook_q", "attn.hook_k", "attn.hook_v")]
    pattern = ListedArray("attn.hook_pattern", (1, 2, 5, 5), "float64")
    assert names_of_maps(ArrayListing((*listed, pattern), lambda _source, _names: {})) == ()
    assert names_of_maps(ArrayListing((listed[2], pattern), lambda _source, _names: {})) == ("attn.hook_pattern",)


# --- what fits in one way ---------------------------------------------------------------------------
@each("ending", ["npz", "safetensors", "json"])
@each("shape", [(5, 5), (3, 5, 5), (1, 3, 5, 5), (1, 1, 3, 5, 5)])
def test_the_numbers_shown_are_those_of_the_file(tmp_path, ending, shape):
    weights = maps(*shape)
    problem, notes = opened(kept(tmp_path, ending, attention=weights))
    assert np.array_equal(compute(problem)["weights"].reshape(shape), weights)
    assert [note for note in notes if "read as" in note] == ([] if len(shape) != 3 else notes)
    assert len(notes) == (len(shape) == 3)  # the one reading that could have been another is said


def test_rows_that_do_not_add_up_to_1_are_said(tmp_path):
    _, notes = opened(kept(tmp_path, attention=100 * maps(1, 3, 5, 5)))
    assert ["Rows of “attention” do not add up to 1" in note for note in notes] == [True]


def test_tokens_values_and_precision_come_along(tmp_path):
    weights, value = maps(3, 5, 5).astype(np.float32), RANDOM.normal(size=(5, 6)).astype(np.float32)
    problem, _ = opened(kept(tmp_path, attn=weights, value=value, tokens=np.array(TOKENS)))
    assert (problem.query_tokens, problem.key_tokens, problem.dtype) == (TOKENS, TOKENS, "float32")
    assert problem.weights.dtype == np.float32
    assert np.allclose(compute(problem)["head_output"][0, 1], weights[1] @ value[:, 2:4], atol=1e-6)


# --- what is asked ----------------------------------------------------------------------------------
def test_of_several_layers_one_is_chosen(tmp_path):
    weights = maps(4, 1, 3, 5, 5)
    path = kept(tmp_path, attentions=weights)
    with pytest.raises(SeveralMaps, match="one of layer=0 … 3") as refusal:
        load(path)
    assert [choice.layer for choice in refusal.value.choices] == [0, 1, 2, 3]
    assert deepcopy(refusal.value.values)["choices"][0].option == "--layer 0 … 3"
    assert np.array_equal(opened(path, layer=2)[0].weights, weights[2])


def test_every_order_of_axes_can_be_said(tmp_path):
    """Flax, papers and dumps of one's own have queries, keys and heads in other places."""
    weights, tried = maps(2, 3, 4, 5, 6), 0
    for held in (
        "layer,batch,head,query,key",
        "batch,head,query,key",
        "layer,query,key",
        "head,query,key",
        "query,key",
    ):
        names = held.split(",")
        own = weights[tuple(slice(None) if axis in names else 0 for axis in ("layer", "batch", "head", "query", "key"))]
        right = own[1] if "layer" in names else own
        for order in permutations(range(len(names))):
            path = kept(tmp_path, attention=own.transpose(order))
            layer = {"layer": 1} if "layer" in names else {}
            problem, notes = opened(path, axes=",".join(names[place] for place in order), **layer)
            assert notes == []  # nothing was guessed
            assert np.array_equal(compute(problem)["weights"].reshape(right.shape), right), order
            tried += 1
    assert tried == 120 + 24 + 6 + 6 + 2


@each("axes", ["head,query", "head,query,key,key", "head,query,token", "items,query,key"])
def test_axes_that_are_none_are_refused_with_those_of_maps(tmp_path, axes):
    with pytest.raises(FormatError, match="of attention weights alone one of layer, batch, head, query and key"):
        load(kept(tmp_path, attention=maps(3, 5, 5)), axes=axes)


@each(("shape", "axes"), [((2, 4, 4), "token,head,column"), ((2, 3, 4, 4), "batch,head,token,column")])
def test_axes_of_tokens_are_refused_with_those_that_the_maps_can_have(tmp_path, capsys, shape, axes):
    assert main(["verify", str(kept(tmp_path, attentions=maps(*shape))), "--axes", axes]) == 2
    said = "cannot be read so; choose one of --axes "
    assert f"{said}{'batch,' if len(shape) == 4 else ''}head,query,key" in capsys.readouterr().err


@each(("axes", "shape"), [("query,key", (5, 6)), ("head,query,key", (3, 5, 6)), ("head,query,key", (3, 5, 5))])
def test_keys_in_another_place_are_asked_about(tmp_path, axes, shape):
    """They were read as queries, although the rows did not add up to 1."""
    weights, axes = maps(*shape), axes.split(",")
    weights[..., 0, :] = np.nan  # a row that a mask closes
    for order in permutations(range(len(axes))):
        path, lying = kept(tmp_path, attn=weights.transpose(order)), [axes[place] for place in order]
        if lying[-1] != "key":
            with pytest.raises(SeveralMaps, match=f"along axis {lying.index('key')}") as refusal:
                load(path)
            assert tuple(lying) in {choice.axes for choice in refusal.value.choices}
        problem, notes = opened(path, axes=lying)
        assert np.array_equal(np.squeeze(problem.weights), weights, equal_nan=True)
        assert notes == []


def test_where_keys_lie_elsewhere_layers_and_items_stay_in_front(tmp_path):
    path = kept(tmp_path, attn=maps(1, 4, 3, 5, 6).swapaxes(-1, -2))
    with pytest.raises(SeveralMaps, match="along axis 3") as refusal:
        load(path)
    assert {choice.axes[:2] for choice in refusal.value.choices} == {("layer", "batch")}


def test_items_and_layers_are_never_taken_for_one_another(tmp_path):
    weights = maps(4, 3, 5, 5)
    path = kept(tmp_path, attn_weights=weights)
    with pytest.raises(SeveralMaps) as refusal:
        load(path)
    assert all(
        word in str(refusal.value)
        for word in ('axes="batch,head,query,key"', 'axes="layer,head,query,key", layer=0 … 3')
    )
    assert np.array_equal(opened(path, axes="batch,head,query,key")[0].weights, weights)
    assert np.array_equal(opened(path, axes="layer,head,query,key", layer=1)[0].weights, weights[1])
    assert np.array_equal(opened(path, layer=1)[0].weights, weights[1])


def test_of_arrays_layer_by_layer_one_is_named(tmp_path, capsys):
    arrays = {f"blocks.{k}.attn.hook_pattern": maps(1, 3, 5, 5) for k in range(3)}
    path = kept(tmp_path, **arrays)
    with pytest.raises(SeveralMaps, match=r'arrays={"weights": "blocks\.1\.attn\.hook_pattern"}'):
        load(path)
    chosen, _ = opened(path, arrays={"weights": "blocks.1.attn.hook_pattern"})
    assert np.array_equal(chosen.weights, arrays["blocks.1.attn.hook_pattern"])
    assert np.array_equal(opened(path, layer=2)[0].weights, arrays["blocks.2.attn.hook_pattern"])
    with pytest.raises(FormatError, match="cannot be read so") as refusal:
        load(path, layer=3)
    first, second, third = arrays
    for name in arrays:
        assert f'arrays={{"weights": "{name}"}}' in str(refusal.value)
    assert main(["verify", str(path), "--layer", "3"]) == 2
    said = capsys.readouterr().err
    assert f"one of --array weights={first}, --array weights={second}, --array weights={third}." in said


@each(
    ("shape", "readings"),
    [
        ((4, 5, 5), ("--axes head,query,key", "--axes batch,query,key", "--axes layer,query,key --layer 0 … 3")),
        ((4, 3, 5, 5), ("--axes batch,head,query,key", "--axes layer,head,query,key --layer 0 … 3")),
        ((4, 2, 3, 5, 5), ("--layer 0 … 3",)),
    ],
)
@each("dtype", ["f2", "f8"])
def test_one_array_of_maps_without_a_name_is_asked_about(tmp_path, capsys, dtype, shape, readings):
    weights = maps(*shape).astype(dtype)
    weights[0, ..., 0, :] = np.nan  # a row that a mask closes, as PyTorch has it
    np.save(path := tmp_path / "dump.npy", weights)
    with pytest.raises(SeveralMaps, match="rows add up to 1") as refusal:
        load(path)
    assert "--" not in str(refusal.value)
    words = ["export", str(path), "-o", str(tmp_path / "out"), "--format", "npz"]
    assert main(words) == 2
    said = capsys.readouterr().err
    assert all(words in said for words in readings)
    last = refusal.value.choices[-1]
    assert np.array_equal(opened(path, axes=last.axes, layer=3)[0].weights, last.take(weights), equal_nan=True)
    assert main([*words, "--layer", "3", "--axes", ",".join(last.axes)]) == 0


def test_arrays_of_maps_whose_names_say_nothing_are_asked_about(tmp_path, capsys):
    """What `output_attentions` gives, saved by `numpy.savez(path, *attentions)`, and layers numbered by hand."""
    layers = maps(3, 1, 2, 5, 5)
    np.savez(tmp_path / "tuple.npz", *layers)
    save_arrays({f"layer.{k}": layer for k, layer in enumerate(layers)}, tmp_path / "layers.safetensors")
    for path, name in ((tmp_path / "tuple.npz", "arr_1"), (tmp_path / "layers.safetensors", "layer.1")):
        with pytest.raises(SeveralMaps, match=f'arrays={{"weights": "{name}"}}'):
            load(path)
        assert main(["verify", str(path)]) == 2
        assert f"--array weights={name}" in capsys.readouterr().err
        assert np.array_equal(opened(path, arrays={"weights": name})[0].weights, layers[1])


@each(
    "arrays",
    [
        {"arr_0": maps(2, 5, 5), "arr_1": np.random.default_rng(1).normal(size=(2, 5, 5))},
        {"q1": maps(2, 5, 5), "k2": maps(2, 5, 5), "v3": maps(2, 5, 5)},
        {"m0": np.eye(5, dtype=bool), "m1": np.eye(5, dtype=bool)},
        {"arr_0": np.empty((0, 3)), "arr_1": maps(2, 5, 5), "arr_2": maps(2, 5, 5)},
    ],
)
def test_arrays_that_need_not_be_maps_are_asked_for_one_by_one(tmp_path, arrays):
    np.savez(path := tmp_path / "others.npz", **arrays)
    with pytest.raises(ForeignNames):
        load(path)


def test_one_array_of_anything_else_is_no_problem(tmp_path):
    np.save(path := tmp_path / "dump.npy", RANDOM.normal(size=(3, 5, 5)))
    with pytest.raises(FormatError, match=r"neither .* nor attention weights"):
        load(path)
    np.save(path, maps(5, 5))
    with pytest.raises(FormatError, match="one matrix"):
        load(path)


@pytest.mark.parametrize(
    ("arrays", "said", "words"),
    [
        ({"attention": (3, 5, 5), "num_heads": 4}, {}, "one matrix for each head: expected 4, got 3"),
        ({"attention": (3, 5, 5)}, {"layer": 1}, 'cannot be read so; choose one of axes="head,query,key"'),
        ({"attention": (3, 3, 3), "value": (3, 3, 2)}, {}, "in 2 orders of axes"),
        ({"query": (5, 6), "key": (5, 6), "value": (5, 6)}, {"layer": 0}, "“layer” tells how to read weights"),
    ],
)
def test_what_does_not_fit_is_one_sentence(tmp_path, arrays, said, words):
    given = {name: maps(*shape) if isinstance(shape, tuple) else np.array(shape) for name, shape in arrays.items()}
    with pytest.raises(FormatError, match=r"\.$") as refusal:
        load(kept(tmp_path, **given), **said)
    assert words in str(refusal.value)


def test_what_cannot_go_with_given_weights_is_said(tmp_path):
    problem, notes = opened(kept(tmp_path, attention=maps(1, 3, 5, 5), query=maps(5, 6), scale=np.array(0.5)))
    assert problem.query is None
    assert "query" in " ".join(notes)
    assert "scale" in " ".join(notes)


# --- our own files ----------------------------------------------------------------------------------
@each("items", [0, 1, 2])
@each("ending", ["attn", "npz"])
def test_what_is_saved_comes_back_bit_for_bit(tmp_path, items, ending):
    weights = maps(*((items,) if items else ()), 3, 4, 5)
    weights[..., 0, 0, :4] = np.nan, -0.0, 5e-324, -1.5
    problem = Problem.from_weights(weights, value=RANDOM.normal(size=(5, 6)))
    problem = problem.replace(
        interventions=[{"kind": "scale", "stage": "weights", "at": {"head": 1}, "factor": 0.5}], query_tokens=TOKENS[:4]
    )
    save(problem, path := tmp_path / f"own.{ending}")
    assert opened(path) == (problem, [])


def test_exported_numbers_open_again(tmp_path):
    problem = Problem.from_weights(maps(2, 3, 4, 5), value=RANDOM.normal(size=(5, 6)))
    (path,) = export_files(problem, tmp_path, format="npz")
    again, _ = opened(path)
    assert np.array_equal(again.weights, problem.weights)
    assert np.array_equal(compute(again)["output"], compute(problem)["output"])


def test_the_command_line_has_the_words_that_choose(tmp_path, capsys):
    path = str(kept(tmp_path, attentions=maps(4, 1, 3, 5, 5)))
    assert main(["verify", path]) == 2
    assert "--layer 0 … 3" in capsys.readouterr().err
    assert main(["verify", path, "--layer", "2"]) == 0
    assert "The weights are given" in capsys.readouterr().out
    assert main(["export", path, "--layer", "2", "-o", str(tmp_path), "--page", "sweep"]) == 2
    assert "there are no queries and keys" in capsys.readouterr().err


# --- attention weights that a file holds beside Q -------------------------------------------------
PARTS = ("query", "key", "value")


def dump(path: Path, mask: str | None, noise: float = 0.0, closed: slice = slice(0)) -> Path:
    """A cache of one layer, (batch, token, head, column), with the pattern that the model had."""
    random = np.random.default_rng(7)
    arrays = {part: random.normal(size=(1, 5, 2, 3)) for part in PARTS}
    flat = {part: array.reshape(5, 6) for part, array in arrays.items()}
    pattern = compute(Problem(**flat, num_heads=2, mask=mask or ()))["weights"] + noise
    pattern[..., closed, :] = np.nan  # PyTorch's rows without an allowed key
    named = {f"blocks.0.attn.hook_{part[0]}": array for part, array in arrays.items()}
    np.savez(path, **named, **{"blocks.0.attn.hook_pattern": pattern})
    return path


def said(path: Path) -> str:
    return " ".join(opened(path, arrays={part: f"blocks.0.attn.hook_{part[0]}" for part in PARTS})[1])


@each(
    ("mask", "noise", "words"),
    [
        (None, 0.0, None),
        (None, 1e-3, None),
        ("causal", 0.0, "it has a causal mask, which is not in the file"),
        (None, 0.3, "holds other weights than those computed here: they differ by up to 0.3"),
    ],
)
def test_a_pattern_that_is_not_what_is_computed_is_said(
    tmp_path: Path, mask: str | None, noise: float, words: str | None
) -> None:
    found = said(dump(tmp_path / "cache.npz", mask, noise))
    assert (words in found) if words else ("differ" not in found), found


@pytest.mark.parametrize(
    ("noise", "closed", "words"), [(0.0, slice(2), None), (0.3, slice(2), "by up to 0.3"), (0.0, slice(5), None)]
)
def test_rows_without_numbers_are_left_out_of_it_and_that_is_said(
    tmp_path: Path, noise: float, closed: slice, words: str | None
) -> None:
    found = said(dump(tmp_path / "cache.npz", None, noise, closed))
    assert f"holds NaN in {2 * closed.stop} of its 10 rows" in found, "of two heads"
    assert (words in found) if words else ("differ" not in found), found


# --- Q, K and V in one array ---------------------------------------------------------------------
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
        assert mapping_with_answers(found, list_arrays(tmp_path / "a.npz")).mapping.weights == order
    names = {**found.arrays, "w_output": "w_o"}
    counts = {"num_heads": heads, "num_kv_heads": kv_heads, "weights": order}
    expected = problem.replace(b_output=None)
    assert load(tmp_path / "a.npz", arrays=names, split=split, **counts) == expected
    with pytest.warns(UserWarning, match=f"was split as {split}"):
        assert load(tmp_path / "a.npz", arrays=names, **counts) == expected


def listing(**shapes: tuple[int, ...]) -> ArrayListing:
    return ArrayListing(tuple(ListedArray(name, shape, "float32") for name, shape in shapes.items()), lambda _s, _n: {})


def test_two_readings_are_asked_about() -> None:
    for fused in ("fused", "h.0.attn.qkv_proj.weight", "encoder.layers.0.self_attention.query_key_value.weight"):
        both = {"x": "x", "w_query_key_value": fused}
        here = listing(**{"x": (4, 6), fused: (6, 18)})
        assert complaint(ArrayMapping(both), here) is None, "one head lies in one way"
        said = str(complaint(ArrayMapping(both, num_heads=2), here))
        assert "in two ways; choose the split: part,head,column, head,part,column" in said
    for split in SPLITS.values():
        assert complaint(ArrayMapping(both, num_heads=2, split=split), here) is None
    named = {"x": "x", "w_query_key_value": "c_attn", "b_query_key_value": "query_key_value"}
    two = listing(x=(4, 6), c_attn=(6, 18), query_key_value=(18,))
    assert "in two ways" in str(complaint(ArrayMapping(named, num_heads=2), two)), "their names say different things"


def test_three_in_one_array_one_behind_another_are_asked_about(tmp_path: Path) -> None:
    path, names = tmp_path / "a.npz", {part: f"qkv[{k}]" for k, part in enumerate(("query", "key", "value"))}
    for shape, axis in (((3, 5, 8), 0), ((3, 5, 6), 0), ((5, 3, 8), 1), ((2, 3, 5, 4), 1)):
        rows = RANDOM.normal(size=shape)
        np.savez(path, qkv=rows)
        assert propose_mapping(list_arrays(path)).arrays == names, "as the window proposes"
        with pytest.raises(FormatError, match=re.escape(repr(names))):
            load(path)
        parts = [rows.take(k, axis) for k in range(3)]
        heads = {} if len(shape) == 3 else {"axes": "head,token,column"}
        expected = Problem.from_heads(*parts, **heads) if heads else Problem(**dict(zip(names, parts, strict=True)))
        assert load(path, arrays=names, **heads) == expected
    np.savez(path, qkv=RANDOM.normal(size=(3, 5, 6)))  # or three items, with all in the columns
    with pytest.warns(UserWarning, match="qkv: read as") as said:
        assert load(path, arrays={"query_key_value": "qkv"}).batch_size == 3
    assert len(said) == 1, "no part of it is left out"
    np.savez(path, qkv=RANDOM.normal(size=(3, 3, 8)))
    with pytest.raises(FormatError, match="the shape 3 × 3 × 8; expected query, key and value in one axis of columns"):
        load(path, arrays={"query_key_value": "qkv"})


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
        ({"query_key_value": "stacked"}, "the shape 3 × 4 × 8; expected query, key and value in one axis of columns"),
    ],
)
def test_what_cannot_be_is_said(names: dict[str, str], words: str) -> None:
    found = complaint(
        ArrayMapping(names, num_heads=4, split=PART_BY_PART), listing(x=(4, 6), fused=(6, 24), stacked=(3, 4, 8))
    )
    assert words in str(found)
