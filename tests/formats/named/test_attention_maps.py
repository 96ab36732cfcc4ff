"""Files of attention weights alone: what is read at once and said, what is asked, and what is refused."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import numpy as np
import pytest

from attn_gui import Problem, compute, export_files, load, save
from attn_gui.cli import main
from attn_gui.formats import FormatError, save_arrays
from attn_gui.formats.file_format import ArrayListing, ListedArray
from attn_gui.formats.named.attention_maps import SeveralMaps, means_maps, names_of_maps
from tests.failing import each

TOKENS = tuple("abcde")
RANDOM = np.random.default_rng(3)


def maps(*shape: int) -> np.ndarray:
    return RANDOM.dirichlet(np.ones(shape[-1]), size=shape[:-1])


def kept(folder: Path, ending: str = "npz", **arrays: np.ndarray) -> Path:
    path = folder / f"dump.{ending}"
    if ending == "npz":
        np.savez(path, **arrays)
    elif ending == "json":
        path.write_text(json.dumps({name: array.tolist() for name, array in arrays.items()}))
    else:
        save_arrays(arrays, path)
    return path


def opened(path: Path, **said: object) -> tuple[Problem, list[str]]:
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        return load(path, **said), [str(one.message) for one in told]


# --- names ------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "name",
    ["attention", "attentions", "attn", "attn_weights", "weights", "attn_output_weights", "blocks.3.attn.hook_pattern"],
)
def test_names_of_maps(name):
    assert means_maps(name)


@pytest.mark.parametrize(
    "name",
    ["attn_mask", "attention_scores", "attn_output", "attn.q_proj.weight", "attn.hook_q", "attn.hook_z", "w_query"],
)
def test_names_of_what_is_something_else(name):
    assert not means_maps(name)


def test_where_queries_keys_and_values_are_there_the_weights_are_a_result():
    listed = [ListedArray(name, (1, 5, 2, 3), "float64") for name in ("attn.hook_q", "attn.hook_k", "attn.hook_v")]
    pattern = ListedArray("attn.hook_pattern", (1, 2, 5, 5), "float64")
    assert names_of_maps(ArrayListing((*listed, pattern), lambda _source, _names: {})) == ()
    assert names_of_maps(ArrayListing((listed[2], pattern), lambda _source, _names: {})) == ("attn.hook_pattern",)


# --- what fits in one way ---------------------------------------------------------------------------
@pytest.mark.parametrize("ending", ["npz", "safetensors", "json"])
@pytest.mark.parametrize("shape", [(5, 5), (3, 5, 5), (1, 3, 5, 5), (1, 1, 3, 5, 5)])
def test_the_numbers_shown_are_those_of_the_file(tmp_path, ending, shape):
    weights = maps(*shape)
    problem, notes = opened(kept(tmp_path, ending, attention=weights))
    assert np.array_equal(compute(problem)["weights"].reshape(shape), weights)
    assert [note for note in notes if "read as" in note] == ([] if len(shape) != 3 else notes)
    assert len(notes) == (len(shape) == 3)  # the one reading that could have been another is said


def test_tokens_values_and_precision_come_along(tmp_path):
    weights, value = maps(3, 5, 5).astype(np.float32), RANDOM.normal(size=(5, 6)).astype(np.float32)
    problem, _ = opened(kept(tmp_path, attn=weights, value=value, tokens=np.array(TOKENS)))
    assert (problem.query_tokens, problem.key_tokens, problem.dtype) == (TOKENS, TOKENS, "float32")
    assert problem.weights.dtype == np.float32
    assert np.allclose(compute(problem)["head_output"][0, 1], weights[1] @ value[:, 2:4], atol=1e-6)


@pytest.mark.parametrize("axes", [(0, 1, 2), (1, 0, 2)])
def test_values_with_heads_are_laid_as_the_keys_say(tmp_path, axes):
    weights, heads = maps(3, 5, 5), RANDOM.normal(size=(3, 5, 2))
    problem, _ = opened(kept(tmp_path, attention=weights, value=heads.transpose(axes)))
    assert np.allclose(compute(problem)["head_output"][0], weights @ heads)


# --- what is asked ----------------------------------------------------------------------------------
def test_of_several_layers_one_is_chosen(tmp_path):
    weights = maps(4, 1, 3, 5, 5)
    path = kept(tmp_path, attentions=weights)
    with pytest.raises(SeveralMaps, match="one of layer=0 … 3") as refusal:
        load(path)
    assert [choice.layer for choice in refusal.value.choices] == [0, 1, 2, 3]
    assert np.array_equal(opened(path, layer=2)[0].weights, weights[2])


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


def test_of_arrays_layer_by_layer_one_is_named(tmp_path):
    arrays = {f"blocks.{k}.attn.hook_pattern": maps(1, 3, 5, 5) for k in range(3)}
    path = kept(tmp_path, **arrays)
    with pytest.raises(SeveralMaps, match=r'arrays={"weights": "blocks\.1\.attn\.hook_pattern"}'):
        load(path)
    chosen, _ = opened(path, arrays={"weights": "blocks.1.attn.hook_pattern"})
    assert np.array_equal(chosen.weights, arrays["blocks.1.attn.hook_pattern"])
    assert np.array_equal(opened(path, layer=2)[0].weights, arrays["blocks.2.attn.hook_pattern"])
    with pytest.raises(FormatError, match="cannot be read so"):
        load(path, layer=3)


@pytest.mark.parametrize(
    ("shape", "readings"),
    [
        ((4, 5, 5), ("--axes head,query,key", "--axes batch,query,key", "--axes layer,query,key --layer 0 … 3")),
        ((4, 3, 5, 5), ("--axes batch,head,query,key", "--axes layer,head,query,key --layer 0 … 3")),
        ((4, 2, 3, 5, 5), ("--layer 0 … 3",)),
    ],
)
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_one_array_of_maps_without_a_name_is_asked_about(tmp_path, capsys, dtype, shape, readings):
    weights = maps(*shape).astype(dtype)
    weights[0, ..., 0, :] = np.nan  # a row that a mask closes, as PyTorch has it
    np.save(path := tmp_path / "dump.npy", weights)
    with pytest.raises(SeveralMaps, match="rows add up to 1") as refusal:
        load(path)
    assert "--" not in str(refusal.value)
    assert main(["export", str(path), "-o", str(tmp_path / "out"), "--format", "npz"]) == 2
    said = capsys.readouterr().err
    assert all(words in said for words in readings)
    last = refusal.value.choices[-1]
    assert np.array_equal(opened(path, axes=last.axes, layer=3)[0].weights, last.take(weights), equal_nan=True)
    words = ["export", str(path), "-o", str(tmp_path / "out"), "--format", "npz", "--layer", "3"]
    assert main([*words, "--axes", ",".join(last.axes)]) == 0


def test_one_array_of_anything_else_is_no_problem(tmp_path):
    np.save(path := tmp_path / "dump.npy", RANDOM.normal(size=(3, 5, 5)))
    with pytest.raises(FormatError, match=r"neither .* nor attention weights"):
        load(path)
    np.save(path, maps(5, 5))
    with pytest.raises(FormatError, match="one matrix"):
        load(path)


def test_rare_readings_are_taken_where_they_are_said(tmp_path):
    weights = maps(4, 5, 5)
    path = kept(tmp_path, attention=weights)
    assert opened(path, axes="batch,query,key")[0].weights.shape == (4, 1, 5, 5)
    assert np.array_equal(opened(path, axes="layer,query,key", layer=3)[0].weights, weights[3:])


@pytest.mark.parametrize(
    ("arrays", "said", "words"),
    [
        ({"attention": (3, 5, 5), "num_heads": 4}, {}, "one matrix for each head: expected 4, got 3"),
        ({"attention": (3, 5, 5)}, {"layer": 1}, 'cannot be read so; choose one of axes="head,query,key"'),
        ({"attention": (4, 3, 5, 5)}, {"layer": 9}, "cannot be read so; choose one of"),
        ({"attention": (3, 3, 3), "value": (3, 3, 2)}, {}, "in 2 orders of axes"),
        ({"attention": (3, 5, 5), "value": (4, 6)}, {}, "in 0 orders of axes"),
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
@pytest.mark.parametrize("items", [0, 1, 2])
@pytest.mark.parametrize("ending", ["attn", "npz"])
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


@each("mixing", [False, True])
def test_every_form_is_written(tmp_path, mixing):
    problem = Problem.from_weights(maps(2, 4, 5), value=RANDOM.normal(size=(5, 6)) if mixing else None)
    for form in ("numpy", "pytorch", "xlsx", "md", "tex", "csv", "npy", "svg"):
        assert all(path.stat().st_size for path in export_files(problem, tmp_path, format=form))


def test_the_script_prints_the_same_numbers(tmp_path):
    problem = Problem.from_weights(maps(2, 4, 5), value=RANDOM.normal(size=(5, 6)))
    (path,) = export_files(problem, tmp_path, format="numpy")
    found: dict[str, object] = {}
    exec(compile(path.read_text(), path.name, "exec"), found)  # of our own making
    assert np.allclose(found["output"], compute(problem)["output"][0], atol=1e-12)


def test_the_command_line_has_the_words_that_choose(tmp_path, capsys):
    path = str(kept(tmp_path, attentions=maps(4, 1, 3, 5, 5)))
    assert main(["verify", path]) == 2
    assert "--layer 0 … 3" in capsys.readouterr().err
    assert main(["verify", path, "--layer", "2"]) == 0
    assert "The weights are given" in capsys.readouterr().out
    assert main(["export", path, "--layer", "2", "-o", str(tmp_path), "--page", "sweep"]) == 2
    assert "there are no queries and keys" in capsys.readouterr().err
