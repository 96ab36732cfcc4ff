"""Folders that are damaged, foreign or wicked: one sentence each, quickly, and no memory taken for them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attn_gui.formats import FormatError
from attn_gui.models import open_model
from attn_gui.paths import resource
from tests.failing import each
from tests.mutations.pace import is_slow

from .made_folders import BERT, GPT2, LLAMA, MOST, D, bert_tensors, gpt2_tensors, llama_tensors, packed, write_folder

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
    tracemalloc.start()
    begun = time.process_time()
    try:
        with pytest.raises(FormatError, match=said) as refused:
            open_model(folder)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert not is_slow(time.process_time() - begun, SECONDS)
    assert peak < BYTES
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
    with pytest.raises(FormatError, match="1000000 letters"):
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
