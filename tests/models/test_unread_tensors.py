"""Tensors that config.json does not announce: not used, and named, in Python and on the command line."""

from __future__ import annotations

import json
import shutil
import warnings
from fnmatch import fnmatchcase

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from attn_gui.cli import main
from attn_gui.models import open_model
from attn_gui.models.families import FAMILIES
from tests.failing import each

from .golden_folders import TOY, slip
from .made_folders import LAYERS, LLAMA, MLP, MOST, D, with_prefix, write_folder
from .test_variants import ALL, IDS, MISTRAL, QKV, QWEN2, QWEN3, VARIANTS, Variant, llama


def opened(folder, variant: Variant, more=()):
    """The model, and what is said of its folder."""
    write_folder(folder, variant.config, with_prefix({**variant.tensors, **dict(more)}, variant.prefix))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = open_model(folder)
    assert all(warning.category is UserWarning and warning.filename == __file__ for warning in caught)
    return model, [str(warning.message) for warning in caught]


def is_like(model, other) -> bool:
    mine, its = model.run(ids=IDS), other.run(ids=IDS)
    same = [slip(mine.attention(layer), its.attention(layer), attention=True) for layer in range(LAYERS)]
    return max(*same, slip(mine.hidden, its.hidden)) < 1


@each(
    ("config", "biases", "read"),
    [
        (LLAMA, ALL, ()),
        (LLAMA | {"attention_bias": True}, ALL, (*QKV, "o_proj")),
        (LLAMA | {"mlp_bias": True}, ALL, ("gate_proj", "up_proj", "down_proj")),
        (MISTRAL | {"attention_bias": True, "mlp_bias": True}, ALL, ()),
        (QWEN2 | {"attention_bias": False, "mlp_bias": True}, ALL, QKV),
        (QWEN3, ALL, ()),
        (QWEN3 | {"attention_bias": True, "mlp_bias": True}, ALL, (*QKV, "o_proj")),
    ],
)
def test_a_bias_is_added_where_the_config_says_so_and_named_where_not(config, biases, read, tmp_path):
    """As transformers has it; an unannounced bias of Q moved the attention of a Llama by up to 0.76."""
    norms = config["model_type"] == "qwen3"
    model, said = opened(tmp_path / "all", llama({}, config, biases=biases, norms=norms))
    assert {part for part in ALL if f"b_{NAMES[part]}" in model.layers[1].weights} == set(read)
    (sentence,) = said
    assert f"({LAYERS * len(set(biases) - set(read))} in all)" in sentence
    assert "_proj.bias" in sentence


NAMES = {
    "q_proj": "query",
    "k_proj": "key",
    "v_proj": "value",
    "o_proj": "output",
    "gate_proj": "gate",
    "up_proj": "up",
    "down_proj": "down",
}
FOREIGN = {
    "a bias": ("layers.0.self_attn.q_proj.bias", (D,)),
    "a norm of Q": ("layers.1.self_attn.q_norm.weight", (D // 4,)),
    "a norm behind the MLP": ("layers.1.post_feedforward_layernorm.weight", (D,)),
    "a gate of experts": ("layers.0.mlp.experts.0.gate_proj.weight", (MLP, D)),
    "a third layer": ("layers.2.input_layernorm.weight", (D,)),
    "a mask with infinities": ("layers.0.self_attn.mask", (1, 1, 4, 4)),
}


@each("name", FOREIGN)
def test_what_a_llama_does_not_have_is_named_and_changes_nothing(name, tmp_path):
    tensor, shape = FOREIGN[name]
    plain, silent = opened(tmp_path / "plain", VARIANTS["llama"])
    assert not silent
    model, said = opened(tmp_path / "model", VARIANTS["llama"], {tensor: np.full(shape, -np.inf)})
    assert said == [
        f"model: Tensors not read: model.{tensor} (1 in all); a model of type llama with this config.json does not use "
        "them."
    ]
    assert is_like(model, plain)


def test_a_tensor_of_a_shard_that_the_index_does_not_list_is_named_too(tmp_path):
    variant = VARIANTS["llama"]
    tensors = with_prefix(variant.tensors | {"layers.0.extra.weight": np.ones(D)}, "model.")
    folder = write_folder(tmp_path / "model", variant.config, tensors, shards=2)
    index = folder / "model.safetensors.index.json"
    listed = json.loads(index.read_text())["weight_map"]
    del listed["model.layers.0.extra.weight"]
    index.write_text(json.dumps({"weight_map": listed}))
    with pytest.warns(UserWarning, match=r"model\.layers\.0\.extra\.weight \(1 in all\)"):
        open_model(folder)


@pytest.mark.family(6)
@pytest.mark.parametrize("name", VARIANTS)
def test_every_tensor_of_a_folder_counts_or_is_named(name, tmp_path):
    """Other numbers in it are other numbers of the model; a buffer says nothing."""
    variant = VARIANTS[name]

    def numbers(tensors):
        model, said = opened(tmp_path / "model", variant._replace(tensors=tensors))
        run = model.run(ids=variant.ids, type_ids=variant.types, mask=variant.mask)
        maps = [run.key(layer) for layer in range(LAYERS)]  # the softmax does not see their bias
        found = [*maps, run.hidden] + [array for array in (run.pooled,) if array is not None]
        return [*found, run.logits] if model.ends.head is not None else found, " ".join(said)

    before, said = numbers(variant.tensors)
    ignored = FAMILIES[variant.config["model_type"]].ignored
    upper = (".layer.1.", "layers.1.", "h.1.")  # is read as the one below
    for tensor, cells in ((name, cells) for name, cells in variant.tensors.items() if not any(map(name.count, upper))):
        after, _ = numbers({**variant.tensors, tensor: cells + np.random.default_rng(1).normal(size=cells.shape)})
        moved = any(not np.allclose(one, other, atol=1e-6) for one, other in zip(after, before, strict=True))
        known = any(fnmatchcase(tensor, pattern) for pattern in ignored) or f"{tensor} " in said or f"{tensor}," in said
        assert moved != known, tensor


@each(
    ("name", "buffers"),
    [
        ("llama", {"layers.0.self_attn.rotary_emb.inv_freq": np.ones(3), "rotary_emb.inv_freq": np.ones(3)}),
        ("gpt2", {"h.0.attn.masked_bias": np.array(-1e4), "h.1.attn.bias": np.ones((1, 1, MOST, MOST))}),
        ("bert", {"embeddings.position_ids": np.arange(MOST)[None], "cls.seq_relationship.weight": np.ones((2, D))}),
        ("bert", {"cls.predictions.decoder.bias": VARIANTS["bert"].tensors["cls.predictions.bias"]}),
        ("roberta", {"embeddings.position_ids": np.arange(MOST)[None]}),
        ("distilbert", {"embeddings.position_ids": np.arange(MOST)[None]}),
    ],
)
def test_buffers_and_copies_are_not_worth_a_word(name, buffers, tmp_path):
    _, said = opened(tmp_path / "model", VARIANTS[name], buffers)
    assert not said


@pytest.mark.parametrize("name", ["bert: two biases", "roberta: two biases"])
def test_of_two_output_biases_the_one_that_does_not_count_is_named(name, tmp_path):
    _, (sentence,) = opened(tmp_path / "model", VARIANTS[name])
    assert " cls.predictions.bias (1" in sentence or " lm_head.bias (1" in sentence


@each("named", ["GPT2ForSequenceClassification", "GPT2ForTokenClassification", "GPT2Model", "GPT2ForQuestionAnswering"])
def test_a_model_that_says_it_has_no_head_of_tokens_predicts_none(named, tmp_path):
    gpt2 = VARIANTS["gpt2"]
    classifier = gpt2._replace(config=gpt2.config | {"architectures": [named]})
    model, said = opened(tmp_path / "model", classifier, {"score.weight": np.ones((2, D))})
    assert "transformer.score.weight" in said[0]
    assert f"this is a {named}, which has no head for that" in said[1]
    with pytest.raises(ValueError, match="no head that predicts"):
        model.run(ids=IDS).predictions()


@each("named", [["GPT2LMHeadModel"], ["GPT2DoubleHeadsModel"], [], None, "GPT2Model", [3]])
def test_a_model_with_a_head_of_tokens_predicts_or_one_that_says_nothing(named, tmp_path):
    gpt2 = VARIANTS["gpt2"]
    model, said = opened(tmp_path / "model", gpt2._replace(config=gpt2.config | {"architectures": named}))
    assert not said
    assert len(model.run(ids=IDS).predictions(top=3)) == 3


def test_the_command_line_says_it_beside_what_it_prints(tmp_path, capsys):
    folder = tmp_path / "toy"
    shutil.copytree(TOY, folder)
    tensors = load_file(folder / "model.safetensors")
    prefix = "transformer." if "transformer.wte.weight" in tensors else ""
    foreign = f"{prefix}h.1.attn.q_norm.weight"
    save_file({**tensors, foreign: np.ones(16, np.float32)}, folder / "model.safetensors")
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"architectures": ["GPT2LMHeadModel"]}))
    assert main(["model", str(folder), "--text", "q w e r"]) == 0
    out, err = capsys.readouterr()
    assert "predicted: the token after" in out
    assert err.count("\n") == 1
    assert foreign in err
