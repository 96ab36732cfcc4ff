"""Every family, and all that published folders vary in, against a plain computation of its own."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from attn_gui.models import Run
from attn_gui.models.model import read_model
from tests.failing import each

from .golden_folders import slip
from .made_folders import (
    BERT,
    DISTILBERT,
    GPT2,
    LAYERS,
    LLAMA,
    MOST,
    WORDS,
    D,
    as_held,
    bert_tensors,
    distilbert_tensors,
    gpt2_tensors,
    llama_tensors,
    with_prefix,
    write_folder,
)
from .plain_model import plain

IDS = [5, 11, 3, 30, 5, 8, 21, 17, 2]
QKV = ("q_proj", "k_proj", "v_proj")
ALL = (*QKV, "o_proj", "gate_proj", "up_proj", "down_proj")
LLAMA3 = {"factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 64}
ROBERTA = BERT | {"model_type": "roberta", "pad_token_id": 1, "type_vocab_size": 1, "max_position_embeddings": MOST + 2}
MISTRAL = LLAMA | {"model_type": "mistral", "sliding_window": 3}
QWEN2 = LLAMA | {"model_type": "qwen2"}
SLIDING = QWEN2 | {"use_sliding_window": True, "sliding_window": 2, "max_window_layers": 1}
QWEN3 = LLAMA | {"model_type": "qwen3", "head_dim": 10}


class Variant(NamedTuple):
    config: Mapping[str, Any]
    tensors: Mapping[str, np.ndarray]
    prefix: str = ""
    ids: list[int] = IDS
    types: list[int] | None = None
    mask: list[int] | None = None

    def run(self, folder: Path) -> Run:
        """What it says, from the folder that is written."""
        written = write_folder(folder / "model", self.config, with_prefix(self.tensors, self.prefix))
        return read_model(written).run(ids=self.ids, type_ids=self.types, mask=self.mask)


def random_matrix() -> np.ndarray:
    return np.random.default_rng(9).normal(size=(WORDS, D))


OTHER = np.random.default_rng(10).normal(size=WORDS)


def llama(more: Mapping[str, Any], base: Mapping[str, Any] = LLAMA, **tensors: Any) -> Variant:
    config = {"tie_word_embeddings": True, **base, **more}
    return Variant(config, llama_tensors(config, **tensors), "model.")


VARIANTS = {
    "bert": Variant(BERT, bert_tensors(BERT), "bert."),
    "bert: no prefix, no head": Variant(BERT, bert_tensors(BERT, head=False)),
    "bert: no pooler": Variant(BERT, bert_tensors(BERT, pooler=False), "bert."),
    "bert: types": Variant(BERT, bert_tensors(BERT), types=[0, 0, 0, 1, 1, 1, 0, 1, 1]),
    "bert: padding": Variant(BERT, bert_tensors(BERT), mask=[1, 1, 1, 1, 1, 1, 0, 0, 0]),
    "bert: holes": Variant(BERT, bert_tensors(BERT), mask=[1, 0, 1, 1, 0, 1, 1, 1, 0]),
    "bert: gelu_new": Variant(BERT | {"hidden_act": "gelu_new"}, bert_tensors(BERT)),
    "bert: gelu_pytorch_tanh": Variant(BERT | {"hidden_act": "gelu_pytorch_tanh"}, bert_tensors(BERT)),
    "bert: relu": Variant(BERT | {"hidden_act": "relu"}, bert_tensors(BERT)),
    "bert: eps": Variant(BERT | {"layer_norm_eps": 0.05}, bert_tensors(BERT)),
    "bert: untied": Variant(BERT, bert_tensors(BERT) | {"cls.predictions.decoder.weight": random_matrix()}),
    "bert: two biases": Variant(
        BERT | {"tie_word_embeddings": False},
        bert_tensors(BERT) | {"cls.predictions.decoder.weight": random_matrix(), "cls.predictions.decoder.bias": OTHER},
    ),
    "bert: two biases, tied": Variant(BERT, bert_tensors(BERT) | {"cls.predictions.decoder.bias": OTHER}),
    "roberta": Variant(ROBERTA, bert_tensors(ROBERTA, pooler=False), "roberta."),
    "roberta: padding": Variant(
        ROBERTA, bert_tensors(ROBERTA), ids=[5, 1, 3, 30, 1, 8, 21, 1, 1], mask=[1, 0, 1, 1, 0, 1, 1, 0, 0]
    ),
    "roberta: two biases": Variant(
        ROBERTA,
        bert_tensors(ROBERTA, pooler=False)
        | {"lm_head.decoder.bias": OTHER, "lm_head.decoder.weight": random_matrix()},
    ),
    "xlm-roberta": Variant(ROBERTA | {"model_type": "xlm-roberta"}, bert_tensors(ROBERTA, pooler=False), "roberta."),
    "camembert": Variant(ROBERTA | {"model_type": "camembert"}, bert_tensors(ROBERTA, pooler=False), "roberta."),
    "roberta: relu but in its head": Variant(ROBERTA | {"hidden_act": "relu"}, bert_tensors(ROBERTA, pooler=False)),
    "distilbert": Variant(DISTILBERT, distilbert_tensors(), "distilbert."),
    "distilbert: no prefix, relu": Variant(DISTILBERT | {"activation": "relu"}, distilbert_tensors()),
    "gpt2": Variant(GPT2, gpt2_tensors(), "transformer."),
    "gpt2: no prefix": Variant(GPT2, gpt2_tensors()),
    "gpt2: untied": Variant(GPT2 | {"tie_word_embeddings": False}, gpt2_tensors(untied=True), "transformer."),
    "gpt2: no scale": Variant(GPT2 | {"scale_attn_weights": False}, gpt2_tensors()),
    "gpt2: scale falls": Variant(GPT2 | {"scale_attn_by_inverse_layer_idx": True}, gpt2_tensors()),
    "gpt2: gelu, eps": Variant(GPT2 | {"activation_function": "gelu", "layer_norm_epsilon": 0.1}, gpt2_tensors()),
    "llama": llama({}, untied=True),
    "llama: tied": llama({}),
    "llama: untied, no head": llama({"tie_word_embeddings": False}),
    "llama: no word of ties, no head": llama({"tie_word_embeddings": None}),  # as transformers takes it
    "qwen3: no word of ties, no head": llama({"tie_word_embeddings": None}, QWEN3, norms=True),
    "llama: no shared heads": llama({"num_key_value_heads": None}),
    "llama: one K/V head": llama({"num_key_value_heads": 1}),
    "llama: head_dim": llama({"head_dim": 8}),
    "llama: biases": llama({"attention_bias": True, "mlp_bias": True}, biases=ALL),
    "llama: eps, gelu": llama({"rms_norm_eps": 0.1, "hidden_act": "gelu"}),
    "llama: linear": llama({"rope_scaling": {"type": "linear", "factor": 2.5}}),
    "llama: linear, new spelling": llama(
        {"rope_parameters": {"rope_type": "linear", "factor": 4.0, "rope_theta": 50.0}}
    ),
    "llama: new spelling": llama({"rope_parameters": {"rope_type": "default", "rope_theta": 30.0}}),
    "llama: llama3": llama({"rope_scaling": {"rope_type": "llama3", **LLAMA3}, "head_dim": 16}),
    "mistral": llama({}, MISTRAL, untied=True),
    "mistral: no window": llama({"sliding_window": None}, MISTRAL),
    "qwen2": llama({}, QWEN2, biases=QKV),
    "qwen2: looks ahead": llama({"is_causal": False}, QWEN2, biases=QKV),  # gte-Qwen2, which embeds texts
    "qwen2: window switched off": llama({"sliding_window": 2}, QWEN2, biases=QKV),
    "qwen2: upper layers slide": llama({}, SLIDING, biases=QKV),
    "qwen2: layer types": llama({"layer_types": ["sliding_attention", "full_attention"]}, SLIDING, biases=QKV),
    "qwen3": llama({}, QWEN3, norms=True),
    "qwen3: window": llama(
        {"use_sliding_window": True, "sliding_window": 3, "layer_types": ["full_attention", "sliding_attention"]},
        QWEN3,
        norms=True,
    ),
}


def check(folder: Path, variant: Variant, tensors: Mapping[str, np.ndarray]) -> None:
    """The run of a folder against the plain computation with the numbers that are in it."""
    count = len(variant.ids)
    run = read_model(folder).run(ids=variant.ids, type_ids=variant.types, mask=variant.mask)
    types, mask = variant.types or [0] * count, variant.mask or [1] * count
    wanted = plain(variant.config, tensors, variant.ids, types, mask)
    for layer in range(LAYERS):
        assert slip(run.attention(layer), wanted.attention[layer], attention=True) < 1
    assert slip(run.hidden, np.array(wanted.hidden)) < 1
    assert (run.pooled is None) == (wanted.pooled is None)
    if wanted.pooled is not None:
        assert slip(run.pooled, wanted.pooled) < 1
    if wanted.logits is None:
        with pytest.raises(ValueError, match="no head that predicts"):
            run.predictions()
    else:
        assert slip(run.logits, wanted.logits) < 1
        assert slip(run.logits_at(3), wanted.logits[3]) < 1


@each("name", VARIANTS)
def test_a_variant_of_a_family(name, tmp_path):
    variant = VARIANTS[name]
    folder = write_folder(tmp_path / "model", variant.config, with_prefix(variant.tensors, variant.prefix))
    check(folder, variant, {key: as_held(cells, "F32") for key, cells in variant.tensors.items()})


@each("shards", [1, 3])
@each("kind", ["F32", "F16", "BF16"])
@each("name", ["bert", "gpt2", "qwen3"])
def test_every_kind_of_number_in_one_file_or_in_shards(name, kind, shards, tmp_path):
    variant = VARIANTS[name]
    tensors = with_prefix(variant.tensors, variant.prefix)
    folder = write_folder(tmp_path / "model", variant.config, tensors, kind=kind, shards=shards)
    check(folder, variant, {key: as_held(cells, kind) for key, cells in variant.tensors.items()})


def test_the_oldest_names_of_a_norm(tmp_path):
    variant = VARIANTS["bert"]
    old = with_prefix(variant.tensors, "bert.")
    for name in list(old):
        if "LayerNorm." in name:
            new = name.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta")
            old[new] = old.pop(name)
    folder = write_folder(tmp_path / "model", variant.config, old)
    check(folder, variant, {key: as_held(cells, "F32") for key, cells in variant.tensors.items()})
