"""Folders that are damaged, foreign or wicked, or hold unannounced tensors: refused or said in a sentence."""

import json
import time
import warnings
from collections.abc import Callable
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attn_gui.formats import FormatError
from attn_gui.models import open_model
from attn_gui.models.checkpoint_files import OTHER_NAMES
from attn_gui.models.families import FAMILIES
from tests.costs import is_slow, taking
from tests.failing import each

from .made_folders import (
    BERT,
    GPT2,
    LAYERS,
    LLAMA,
    MOST,
    D,
    bert_tensors,
    gpt2_tensors,
    llama_tensors,
    packed,
    with_prefix,
    write_folder,
)
from .test_variants import ALL, IDS, LLAMA3, QKV, QWEN2, QWEN3, VARIANTS, Variant, llama

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
    "no weights": (lambda f: (f / WEIGHTS).unlink(), "holds no weights"),
    "a pickle": (pickled, "pickle"),
    "an adapter": (lambda f: (f / "adapter_config.json").write_text("{}"), "adapter"),
    "config is deep": (lambda f: (f / "config.json").write_text('{"a":' + "[" * 9999), "config.json.*nested"),
    "another family": (lambda f: changed(f, model_type="mamba"), "model type mamba is not supported"),
    "no word of a family": (lambda f: unsaid(f, "model_type"), "does not say what kind of model"),
    "a tensor with and without its prefix": (
        lambda f: with_tensors(f, lambda tensors: tensors.update({"model.norm.weight": np.ones(D)})),
        "norm.weight. is there twice",
    ),
    "quantized": (lambda f: changed(f, quantization_config={"bits": 4}), "quantized"),
    "windows that look ahead": (
        lambda f: changed(f, model_type="mistral", sliding_window=3, is_causal=False),
        "is_causal is false",
    ),
    "a part of each head turned": (lambda f: changed(f, partial_rotary_factor=0.5), "partial_rotary_factor is 0.5"),
    "no factor": (lambda f: changed(f, rope_scaling={"type": "linear"}), "factor is missing"),
    "angles for each kind of layer": (
        lambda f: changed(f, rope_parameters={"full_attention": {"rope_type": "linear", "factor": 8.0}}),
        "rope_parameters is full_attention",
    ),
    "two scalings": (
        lambda f: changed(f, rope_parameters={"rope_theta": 9.0}, rope_scaling={"type": "linear", "factor": 2.0}),
        "name different scalings: default, linear",
    ),
    "two factors": (
        lambda f: changed(
            f, rope_parameters={"type": "linear", "factor": 4}, rope_scaling={"type": "linear", "factor": 2}
        ),
        "name different scalings: linear 4, linear 2",
    ),
    "a scaling that is a word": (lambda f: changed(f, rope_scaling="yarn"), "rope_scaling is yarn"),
    "two lengths of training": (
        lambda f: changed(f, rope_scaling={"rope_type": "llama3", **LLAMA3}, original_max_position_embeddings=9),
        "original_max_position_embeddings contradict",
    ),
    "head_dim is 0": (lambda f: changed(f, head_dim=0), "head_dim must be"),
    "windows of some layers": (
        lambda f: changed(f, model_type="mistral", sliding_window=3, layer_types=["full_attention"] * LAYERS),
        "layer_types and sliding_window contradict",
    ),
    "windows switched off": (
        lambda f: changed(f, model_type="qwen3", layer_types=["sliding_attention"] * LAYERS),
        "layer_types and use_sliding_window contradict",
    ),
    "too many layers": (lambda f: changed(f, num_hidden_layers=900), "layers.2.* is missing"),
    "heads that do not divide": (lambda f: changed(f, num_attention_heads=5), "cannot share"),
    "K/V heads that do not divide": (lambda f: changed(f, num_key_value_heads=3), "cannot share"),
    "eps": (lambda f: changed(f, rms_norm_eps="small"), "rms_norm_eps"),
    "theta is 0": (lambda f: changed(f, rope_theta=0), "rope_theta"),
    "header past the end": (lambda f: (f / WEIGHTS).write_bytes((2**62).to_bytes(8, "little") + b"{}"), "header"),
    "header is no JSON": (lambda f: (f / WEIGHTS).write_bytes((2).to_bytes(8, "little") + b"]["), "JSON"),
    "cut off": (lambda f: (f / WEIGHTS).write_bytes((f / WEIGHTS).read_bytes()[:-400]), "outside the file"),
    "a tensor missing": (lambda f: with_tensors(f, lambda t: t.pop(NORM)), f"“{NORM}” is missing"),
    "a tensor of another shape": (
        lambda f: with_tensors(f, lambda t: t.update({NORM: t[NORM][:-1]})),
        f"“{NORM}” has the shape 23; expected 24",
    ),
    "NaN": (lambda f: with_tensors(f, put("norm.weight", (3,), np.nan)), "“norm.weight” holds numbers that are not"),
    "float64": (lambda f: (f / WEIGHTS).write_bytes(packed(llama_tensors(LLAMA), "F64")), "holds F64"),
    "offsets outside": (
        lambda f: with_header(f, lambda h: h[NORM].update(data_offsets=[2**40, 2**40 + 96])),
        "overlap or leave a gap",
    ),
    "no offsets": (lambda f: with_header(f, lambda h: h[NORM].pop("data_offsets")), "damaged"),
    "index is empty": (to_index({}), "is missing"),
    "index leads away": (to_index({NORM: "../x"}), "names the shard “../x”"),
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


@each("kind", ["F16", "BF16"])
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


def test_what_transformers_takes_under_two_names_is_read_under_both(tmp_path):
    """A DistilBERT whose heads stood under the other name was computed with twelve, whatever there were."""
    entries = {name: GPT2[name] for name in GPT2 if name not in OTHER_NAMES}
    entries |= {other: GPT2[name] for name, other in OTHER_NAMES.items() if name in GPT2}
    one, two = (write_folder(tmp_path / name, config, gpt2_tensors()) for name, config in (("1", GPT2), ("2", entries)))
    assert np.array_equal(open_model(one).run(ids=IDS).logits, open_model(two).run(ids=IDS).logits)
    changed(one, num_attention_heads=GPT2["n_head"] + 1)
    with pytest.raises(FormatError, match="n_head and num_attention_heads contradict"):
        open_model(one)


def test_code_that_a_folder_brings_along_is_said_not_to_run(tmp_path):
    folder = sound(tmp_path / "model")
    changed(folder, auto_map={"AutoModel": "modeling_own.Own"})
    with pytest.warns(UserWarning, match="code of its own .* any model of type llama"):
        open_model(folder)


def test_of_the_others_what_is_not_supported_is_named(tmp_path):
    bert = write_folder(tmp_path / "bert", BERT, bert_tensors(BERT))
    for entries, said in (
        ({"position_embedding_type": "relative_key"}, "position_embedding_type is relative_key"),
        ({"is_decoder": True}, "is_decoder is true"),
    ):
        changed(bert, **dict.fromkeys(("position_embedding_type", "is_decoder")) | entries)
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
        ({"ids": []}, "at least one"),
        ({"ids": [0] * (MOST + 1)}, f"{MOST + 1} tokens are too many: this model reads at most {MOST}"),
        ({"ids": [[0, 1]]}, "ids must be a whole number"),
        ({"ids": [1, 2], "mask": [1]}, "mask has 1 entries"),
        ({"ids": [1, 2], "mask": [0, 0]}, "mask closes every token"),
        ({"ids": [1, 2], "type_ids": [0, 1]}, "no token types"),
        ({"text": "a", "ids": [1]}, "Give either a text or ids"),
        ({"ids": [1], "interventions": [{"kind": "scale", "stage": "weights", "factor": 0}]}, "must name its layer"),
        ({"ids": [1], "interventions": [{"layer": 2, "kind": "scale", "stage": "weights", "factor": 0}]}, "no layer 2"),
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


@each("text", ["{", '{"model": {"type": "BPE"}}'])
def test_a_damaged_tokenizer_is_refused(text, tmp_path):
    folder = sound(tmp_path / "model")
    (folder / "tokenizer.json").write_text(text)
    with pytest.raises(FormatError, match="cannot be read as a tokenizer"):
        open_model(folder).run("a text")


# --- tensors that config --------------------------------------------------------------------------


def opened(folder, variant: Variant, more=()):
    """The model, and what is said of its folder."""
    write_folder(folder, variant.config, with_prefix({**variant.tensors, **dict(more)}, variant.prefix))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = open_model(folder)
    assert all(warning.category is UserWarning and warning.filename == __file__ for warning in caught)
    return model, [str(warning.message) for warning in caught]


@each(
    ("config", "biases", "read"),
    [
        (LLAMA, ALL, ()),
        (LLAMA | {"attention_bias": True}, ALL, (*QKV, "o_proj")),
        (QWEN2 | {"attention_bias": False, "mlp_bias": True}, ALL, QKV),
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


NAMES = dict(zip(ALL, ("query", "key", "value", "output", "gate", "up", "down"), strict=True))


@each("name", ["bert", "roberta", "distilbert", "gpt2: untied", "llama: biases", "qwen3"], one_of=3)
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


@pytest.mark.parametrize("name", ["bert: two biases", "roberta: two biases"])
def test_of_two_output_biases_the_one_that_does_not_count_is_named(name, tmp_path):
    _, (sentence, *_) = opened(tmp_path / "model", VARIANTS[name])
    assert " cls.predictions.bias (1" in sentence or " lm_head.bias (1" in sentence


@each(("name", "tied", "said"), [("llama", True, True), ("llama", False, False), ("gpt2: untied", True, True)])
def test_a_matrix_for_the_logits_that_the_config_ties_to_the_embeddings_is_named(name, tied, said, tmp_path):
    """Transformers 4 took the embeddings, 5 takes the matrix; nothing was said."""
    variant = VARIANTS[name]
    _, notes = opened(tmp_path / "a", variant._replace(config=variant.config | {"tie_word_embeddings": tied}))
    assert ["By config.json (tie_word_embeddings) logits are products" in note for note in notes] == [True] * said


@each("named", ["GPT2ForSequenceClassification", "GPT2Model"])
def test_a_model_that_says_it_has_no_head_of_tokens_predicts_none(named, tmp_path):
    gpt2 = VARIANTS["gpt2"]
    classifier = gpt2._replace(config=gpt2.config | {"architectures": [named]})
    more = {name: np.ones((2, D)) for name in ("score.weight", "u", "v", "w", "x", "y")}
    model, said = opened(tmp_path / "model", classifier, more)
    assert "transformer.score.weight, transformer.u, transformer.v, transformer.w, … (6 in all)" in said[0]
    assert f"this is a {named}, which has no head for that" in said[1]
    with pytest.raises(ValueError, match="no head that predicts"):
        model.run(ids=IDS).predictions()


@each("name", ["gpt2: untied", "llama"])
def test_a_decoder_whose_head_is_missing_says_so(name, tmp_path):
    variant = VARIANTS[name]
    tensors = {name: cells for name, cells in variant.tensors.items() if name != "lm_head.weight"}
    config = variant.config | {"tie_word_embeddings": False, "architectures": None}
    assert len(tensors) < len(variant.tensors)
    _, (sentence,) = opened(tmp_path / "model", variant._replace(config=config, tensors=tensors))
    assert "Nothing is predicted: the tensor “lm_head.weight” is missing" in sentence
