"""Folders that are damaged, foreign or wicked, or hold unannounced tensors: refused or said in a sentence."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import textwrap
import time
import warnings
from collections.abc import Callable
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from attn_gui.cli import main
from attn_gui.formats import FormatError
from attn_gui.models import open_model
from attn_gui.models.families import FAMILIES
from attn_gui.paths import resource
from tests.costs import is_slow, taking
from tests.failing import each

from .golden_folders import TOY, slip
from .made_folders import (
    BERT,
    GPT2,
    LAYERS,
    LLAMA,
    MLP,
    MOST,
    D,
    bert_tensors,
    gpt2_tensors,
    llama_tensors,
    packed,
    with_prefix,
    write_folder,
)
from .test_variants import ALL, IDS, MISTRAL, QKV, QWEN2, QWEN3, VARIANTS, Variant, llama

SECONDS, BYTES = 1.0, 100 * 2**20


def sound(folder: Path) -> Path:
    return write_folder(folder, LLAMA, llama_tensors(LLAMA))


def changed(folder: Path, **entries: Any) -> None:
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | entries))


def unsaid(folder: Path, name: str) -> None:
    path = folder / "config.json"
    path.write_text(json.dumps({key: value for key, value in json.loads(path.read_text()).items() if key != name}))


def with_header(folder: Path, change: Callable[[dict[str, Any]], None]) -> None:
    path = folder / "model.safetensors"
    data = path.read_bytes()
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + length])
    change(header)
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + data[8 + length :])


def with_tensors(folder: Path, change: Callable[[dict[str, np.ndarray]], None]) -> None:
    tensors = llama_tensors(LLAMA)
    change(tensors)
    (folder / "model.safetensors").write_bytes(packed(tensors))


def put(name: str, place: tuple[int, ...], value: float) -> Callable[[dict[str, np.ndarray]], None]:
    def change(tensors: dict[str, np.ndarray]) -> None:
        tensors[name][place] = value

    return change


def to_index(weight_map: object) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        (folder / "model.safetensors").unlink()
        (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": weight_map}))

    return change


def shards_without_one(folder: Path) -> None:
    (folder / "model.safetensors").unlink()
    write_folder(folder, LLAMA, llama_tensors(LLAMA), shards=3)
    (folder / "model-00002-of-00003.safetensors").unlink()


def shards_not_listed(folder: Path) -> None:
    (folder / "model.safetensors").unlink()
    write_folder(folder, LLAMA, llama_tensors(LLAMA), shards=3)
    path = folder / "model.safetensors.index.json"
    listed = json.loads(path.read_text())["weight_map"]
    path.write_text(json.dumps({"weight_map": {k: v for k, v in listed.items() if "00002-of" not in v}}))


def pickled(folder: Path) -> None:
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")


WEIGHTS, NORM = "model.safetensors", "layers.1.input_layernorm.weight"
DAMAGE: dict[str, tuple[Callable[[Path], object], str]] = {
    "no folder": (lambda f: [p.unlink() for p in f.iterdir()] and f.rmdir(), "does not exist"),
    "no config": (lambda f: (f / "config.json").unlink(), "no config.json"),
    "no weights": (lambda f: (f / WEIGHTS).unlink(), "holds no weights"),
    "a pickle": (pickled, "pickle"),
    "an adapter": (lambda f: (f / "adapter_config.json").write_text("{}"), "adapter"),
    "config is no JSON": (lambda f: (f / "config.json").write_text("{"), "config.json.*not valid JSON"),
    "config is a list": (lambda f: (f / "config.json").write_text("[]"), "config.json"),
    "config is deep": (lambda f: (f / "config.json").write_text('{"a":' + "[" * 9999), "config.json.*nested"),
    "config is long": (lambda f: (f / "config.json").write_text(" " * 2**21), "config.json is too large"),
    "config is a folder": (lambda f: [(f / "config.json").unlink(), (f / "config.json").mkdir()], "is a folder"),
    "another family": (lambda f: changed(f, model_type="mamba"), "model type mamba is not supported"),
    "no family": (lambda f: changed(f, model_type=None), "model_type is missing; expected bert, "),
    "no word of a family": (lambda f: unsaid(f, "model_type"), "does not say what kind of model"),
    "family is a list": (lambda f: changed(f, model_type=[1]), "is not supported"),
    "a tensor with and without its prefix": (
        lambda f: with_tensors(f, lambda tensors: tensors.update({"model.norm.weight": np.ones(D)})),
        "norm.weight. is there twice",
    ),
    "quantized": (lambda f: changed(f, quantization_config={"bits": 4}), "quantized"),
    "experts": (lambda f: changed(f, num_experts=8), "num_experts is 8"),
    "windows that look ahead": (
        lambda f: changed(f, model_type="mistral", sliding_window=3, is_causal=False),
        "is_causal is false",
    ),
    "a part of each head turned": (lambda f: changed(f, partial_rotary_factor=0.5), "partial_rotary_factor is 0.5"),
    "yarn": (lambda f: changed(f, rope_scaling={"rope_type": "yarn", "factor": 4.0}), "rope_type is yarn"),
    "dynamic": (lambda f: changed(f, rope_scaling={"type": "dynamic", "factor": 4.0}), "type is dynamic"),
    "longrope": (lambda f: changed(f, rope_parameters={"rope_type": "longrope"}), "rope_type is longrope"),
    "no factor": (lambda f: changed(f, rope_scaling={"type": "linear"}), "factor is missing"),
    "another activation": (lambda f: changed(f, hidden_act="quick_gelu"), "hidden_act is quick_gelu"),
    "a billion layers": (lambda f: changed(f, num_hidden_layers=10**9), "num_hidden_layers"),
    "too many layers": (lambda f: changed(f, num_hidden_layers=900), "layers.2.* is missing"),
    "no layer": (lambda f: changed(f, num_hidden_layers=0), "num_hidden_layers"),
    "half a layer": (lambda f: changed(f, num_hidden_layers=1.5), "num_hidden_layers"),
    "layers true": (lambda f: changed(f, num_hidden_layers=True), "num_hidden_layers"),
    "a wide model": (lambda f: changed(f, hidden_size=10**7), "shape"),
    "heads that do not divide": (lambda f: changed(f, num_attention_heads=5), "cannot share"),
    "K/V heads that do not divide": (lambda f: changed(f, num_key_value_heads=3), "cannot share"),
    "odd head_dim": (lambda f: changed(f, head_dim=7), "must be even"),
    "wide head_dim": (lambda f: changed(f, head_dim=10**7), "shape"),
    "eps": (lambda f: changed(f, rms_norm_eps="small"), "rms_norm_eps"),
    "eps is negative": (lambda f: changed(f, rms_norm_eps=-1), "rms_norm_eps"),
    "theta is 0": (lambda f: changed(f, rope_theta=0), "rope_theta"),
    "vocabulary": (lambda f: changed(f, vocab_size=10**6), "embed_tokens.weight.*shape"),
    "no weights in the file": (lambda f: (f / WEIGHTS).write_bytes(b""), "is empty"),
    "short file": (lambda f: (f / WEIGHTS).write_bytes(b"\x05"), "header does not fit"),
    "header past the end": (lambda f: (f / WEIGHTS).write_bytes((2**62).to_bytes(8, "little") + b"{}"), "header"),
    "header is no JSON": (lambda f: (f / WEIGHTS).write_bytes((2).to_bytes(8, "little") + b"]["), "JSON"),
    "header is no text": (lambda f: (f / WEIGHTS).write_bytes((2).to_bytes(8, "little") + b"\xff\xff"), "safetensors"),
    "cut off": (lambda f: (f / WEIGHTS).write_bytes((f / WEIGHTS).read_bytes()[:-400]), "outside the file"),
    "weights are a pipe's name": (lambda f: [(f / WEIGHTS).unlink(), (f / WEIGHTS).mkdir()], "is a folder"),
    "a tensor missing": (lambda f: with_tensors(f, lambda t: t.pop(NORM)), f"“{NORM}” is missing"),
    "a tensor of another shape": (
        lambda f: with_tensors(f, lambda t: t.update({NORM: t[NORM][:-1]})),
        f"“{NORM}” has the shape 23; expected 24",
    ),
    "NaN": (lambda f: with_tensors(f, put("norm.weight", (3,), np.nan)), "“norm.weight” holds numbers that are not"),
    "infinity": (lambda f: with_tensors(f, put("embed_tokens.weight", (3, 1), -np.inf)), "not finite"),
    "float64": (lambda f: (f / WEIGHTS).write_bytes(packed(llama_tensors(LLAMA), "F64")), "holds F64"),
    "another kind": (lambda f: with_header(f, lambda h: h[NORM].update(dtype="F8_E4M3")), "holds F8_E4M3"),
    "offsets outside": (
        lambda f: with_header(f, lambda h: h[NORM].update(data_offsets=[2**40, 2**40 + 96])),
        "outside",
    ),
    "offsets backwards": (lambda f: with_header(f, lambda h: h[NORM].update(data_offsets=[96, 0])), "outside"),
    "offsets of another length": (
        lambda f: with_header(f, lambda h: h[NORM].update(data_offsets=[0, 92])),
        "expected 96 bytes.*got 92",
    ),
    "offsets below 0": (lambda f: with_header(f, lambda h: h[NORM].update(data_offsets=[-96, 0])), "damaged"),
    "no offsets": (lambda f: with_header(f, lambda h: h[NORM].pop("data_offsets")), "damaged"),
    "a huge shape": (lambda f: with_header(f, lambda h: h[NORM].update(shape=[2**40, 2**40])), "expected .* bytes"),
    "index is empty": (to_index({}), "is missing"),
    "index is no mapping": (to_index([1]), "weight_map"),
    "index names numbers": (to_index({NORM: 3}), "weight_map"),
    "index leads away": (to_index({NORM: "../x"}), "names the shard “../x”"),
    "index leads to the root": (to_index({NORM: "/etc/passwd"}), "names the shard"),
    "a shard missing": (shards_without_one, "does not exist"),
    "a shard not listed": (shards_not_listed, "is missing"),
}


@each("name", DAMAGE)
def test_it_is_refused_by_one_sentence(name, tmp_path):
    folder = sound(tmp_path / "model")
    damage, said = DAMAGE[name]
    damage(folder)
    begun = time.process_time()
    with taking(BYTES), pytest.raises(FormatError, match=said) as refused:
        open_model(folder)
    assert not is_slow(time.process_time() - begun, SECONDS)
    sentence = str(refused.value)
    assert sentence.endswith(".")
    assert "\n" not in sentence
    assert len(sentence) < 400
    assert str(tmp_path) not in sentence


@pytest.mark.parametrize("kind", ["F16", "BF16"])
def test_a_model_that_memory_does_not_hold_is_refused_before_any_is_taken(kind, monkeypatch, tmp_path):
    """The system would have ended the window, or all of the machine have stood still; F32 stays in its file."""
    folder = write_folder(tmp_path / "model", LLAMA, llama_tensors(LLAMA), kind=kind)
    size = sum(4 * cells.size for cells in llama_tensors(LLAMA).values())
    monkeypatch.setattr("attn_gui.models.checkpoint_files.available", lambda: size - 1)
    with pytest.raises(FormatError, match=r"safetensors: the numbers of this model take .* in single precision"):
        open_model(folder)
    open_model(sound(tmp_path / "sound"))
    monkeypatch.setattr("attn_gui.models.checkpoint_files.available", lambda: size)
    open_model(folder)


def test_a_file_is_no_folder(tmp_path):
    (tmp_path / "model.gguf").write_bytes(b"GGUF")
    with pytest.raises(FormatError, match=r"model\.gguf is no folder"):
        open_model(tmp_path / "model.gguf")


def test_a_folder_that_may_not_be_looked_into_is_refused(tmp_path, monkeypatch):
    """Its files could not be asked about, which was a word of the operating system."""
    folder = sound(tmp_path / "model")
    folder.chmod(0o644)
    monkeypatch.setattr(os, "access", lambda path, _mode: Path(path) != folder)  # root may do everything
    with pytest.raises(FormatError, match="model may not be read: you have no permission"):
        open_model(folder)
    folder.chmod(0o755)


def test_of_the_others_what_is_not_supported_is_named(tmp_path):
    bert = write_folder(tmp_path / "bert", BERT, bert_tensors(BERT))
    for entries, said in (
        ({"position_embedding_type": "relative_key"}, "position_embedding_type is relative_key"),
        ({"is_decoder": True}, "is_decoder is true"),
        ({"add_cross_attention": True}, "add_cross_attention is true"),
    ):
        changed(bert, **dict.fromkeys(("position_embedding_type", "is_decoder", "add_cross_attention")) | entries)
        with pytest.raises(FormatError, match=said):
            open_model(bert)
    gpt2 = write_folder(tmp_path / "gpt2", GPT2 | {"activation_function": "mish"}, gpt2_tensors())
    with pytest.raises(FormatError, match="activation_function is mish"):
        open_model(gpt2)
    qwen = write_folder(tmp_path / "qwen", LLAMA | {"model_type": "qwen2"}, llama_tensors(LLAMA))
    with pytest.raises(FormatError, match=r"q_proj\.bias” is missing"):
        open_model(qwen)
    sliding = LLAMA | {"model_type": "mistral", "sliding_window": 3, "layer_types": ["full_attention", "chunked"]}
    with pytest.raises(FormatError, match="layer_types"):
        open_model(write_folder(tmp_path / "mistral", sliding, llama_tensors(LLAMA)))


# --- what is fed ---------------------------------------------------------------------------------
@each(
    ("fed", "said"),
    [
        ({"ids": [0, 37]}, "ids: there is no token 37; the model has 37"),
        ({"ids": [-1]}, "there is no token -1|there is no token −1"),
        ({"ids": []}, "at least one"),
        ({"ids": [0] * (MOST + 1)}, f"{MOST + 1} tokens are too many: this model reads at most {MOST}"),
        ({"ids": [0.5]}, "ids must be a whole number"),
        ({"ids": [[0, 1]]}, "ids must be a whole number"),
        ({"ids": [[0], [1, 2]]}, "ids must be a whole number"),
        ({"ids": "abc"}, "ids must be a whole number"),
        ({"ids": [1, 2], "mask": [1]}, "mask has 1 entries"),
        ({"ids": [1, 2], "mask": [0, 0]}, "mask closes every token"),
        ({"ids": [1, 2], "type_ids": [0, 1]}, "no token types"),
        ({}, "Give either a text or ids"),
        ({"text": "a", "ids": [1]}, "Give either a text or ids"),
        ({"ids": [1], "interventions": "x"}, "interventions"),
        ({"ids": [1], "interventions": [{"kind": "scale", "stage": "weights", "factor": 0}]}, "must name its layer"),
        ({"ids": [1], "interventions": [{"layer": 2, "kind": "scale", "stage": "weights", "factor": 0}]}, "no layer 2"),
        ({"ids": [1], "interventions": [{"layer": 0, "kind": "scale", "stage": "gates", "factor": 0}]}, "gates"),
        ({"ids": [1], "interventions": [{"layer": 0, "kind": "melt", "stage": "weights"}]}, "melt"),
        (
            {
                "ids": [1],
                "interventions": [{"layer": 0, "kind": "scale", "stage": "up", "at": {"head": 0}, "factor": 0}],
            },
            "no axis",
        ),
        (
            {
                "ids": [1],
                "interventions": [{"layer": 0, "kind": "scale", "stage": "up", "at": {"query": 9}, "factor": 0}],
            },
            "has 1 cells along its axis query",
        ),
    ],
)
def test_what_a_model_cannot_read_is_refused(fed, said, tmp_path):
    model = open_model(sound(tmp_path / "model"))
    with pytest.raises((ValueError, TypeError), match=said):
        model.run(**fed)


def test_a_model_without_a_tokenizer_takes_ids(tmp_path):
    model = open_model(sound(tmp_path / "model"))
    assert model.run(ids=[3, 4]).tokens == ("#3", "#4")
    with pytest.raises(FormatError, match=r"tokenizer\.json is not there"):
        model.run("a text")


@each("text", ["{", "[]", "{}", '{"model": {"type": "BPE"}}', '{"version": "9"}'])
def test_a_damaged_tokenizer_is_refused(text, tmp_path):
    folder = sound(tmp_path / "model")
    (folder / "tokenizer.json").write_text(text)
    with pytest.raises(FormatError, match="cannot be read as a tokenizer"):
        open_model(folder).run("a text")


def test_a_text_of_a_million_letters_is_refused_before_it_is_cut():
    model = open_model(resource("models", "toy-induction"))
    with pytest.raises(FormatError, match="1,000,000 letters"):
        model.run("a " * 500_000)


def test_a_wicked_folder_takes_no_memory_of_the_process(tmp_path):
    """Address space that a process may take is limited, so that what is only reserved counts as well."""
    folder = sound(tmp_path / "model")
    changed(folder, num_hidden_layers=1000, vocab_size=10**7, head_dim=10**6, intermediate_size=10**7)
    code = f"""
        import resource
        from attn_gui.models import open_model
        before = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (before + {BYTES}, before + {BYTES}))
        try:
            open_model({str(folder)!r})
        except ValueError as error:
            print(type(error).__name__)
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=False)
    assert done.stdout == "FormatError\n", done.stderr


# --- tensors that config --------------------------------------------------------------------------


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
