"""Folders of checkpoints with random numbers, written by hand: any family, any spelling, any kind of number."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

LAYERS, HEADS, D, MLP, WORDS, MOST = 2, 4, 24, 20, 37, 32
BERT = {
    "model_type": "bert",
    "hidden_size": D,
    "num_hidden_layers": LAYERS,
    "num_attention_heads": HEADS,
    "intermediate_size": MLP,
    "vocab_size": WORDS,
    "max_position_embeddings": MOST,
    "type_vocab_size": 2,
    "pad_token_id": 0,
}
DISTILBERT = {
    "model_type": "distilbert",
    "dim": D,
    "n_layers": LAYERS,
    "n_heads": HEADS,
    "hidden_dim": MLP,
    "vocab_size": WORDS,
    "max_position_embeddings": MOST,
}
GPT2 = {
    "model_type": "gpt2",
    "n_embd": D,
    "n_layer": LAYERS,
    "n_head": HEADS,
    "n_inner": MLP,
    "vocab_size": WORDS,
    "n_positions": MOST,
}
LLAMA = {
    "model_type": "llama",
    "tie_word_embeddings": True,
    "hidden_size": D,
    "num_hidden_layers": LAYERS,
    "num_attention_heads": HEADS,
    "num_key_value_heads": 2,
    "intermediate_size": MLP,
    "vocab_size": WORDS,
    "max_position_embeddings": MOST,
    "rms_norm_eps": 1e-5,
    "rope_theta": 100.0,
}


class Numbers:
    """Random tensors by name, of the sizes that show: biases and norms are far from nothing."""

    def __init__(self, seed: int = 5) -> None:
        self.random, self.found = np.random.default_rng(seed), dict[str, np.ndarray]()

    def matrix(self, name: str, rows: int, columns: int) -> None:
        self.found[name] = self.random.normal(size=(rows, columns)) * 1.5 / np.sqrt(min(rows, columns))

    def bias(self, name: str, size: int) -> None:
        self.found[name] = self.random.normal(size=size) * 0.3

    def dense(self, name: str, out: int, width: int, *, bias: bool = True) -> None:
        """A matrix as files hold it, [out, in]."""
        self.matrix(f"{name}.weight", out, width)
        if bias:
            self.bias(f"{name}.bias", out)

    def norm(self, name: str, size: int, *, bias: bool = True) -> None:
        self.found[f"{name}.weight"] = 1 + 0.4 * self.random.normal(size=size)
        if bias:
            self.bias(f"{name}.bias", size)


def bert_tensors(config: Mapping[str, Any], *, head: bool = True, pooler: bool = True) -> dict[str, np.ndarray]:
    """Of BERT, and of RoBERTa, whose head has other names."""
    numbers = Numbers()
    for name, rows in (
        ("word", WORDS),
        ("position", config["max_position_embeddings"]),
        ("token_type", config["type_vocab_size"]),
    ):
        numbers.matrix(f"embeddings.{name}_embeddings.weight", rows, D)
    numbers.norm("embeddings.LayerNorm", D)
    for layer in range(LAYERS):
        base = f"encoder.layer.{layer}."
        for name in ("self.query", "self.key", "self.value", "output.dense"):
            numbers.dense(f"{base}attention.{name}", D, D)
        numbers.norm(f"{base}attention.output.LayerNorm", D)
        numbers.dense(f"{base}intermediate.dense", MLP, D)
        numbers.dense(f"{base}output.dense", D, MLP)
        numbers.norm(f"{base}output.LayerNorm", D)
    if pooler:
        numbers.dense("pooler.dense", D, D)
    if head and config["model_type"] == "bert":
        numbers.dense("cls.predictions.transform.dense", D, D)
        numbers.norm("cls.predictions.transform.LayerNorm", D)
        numbers.bias("cls.predictions.bias", WORDS)
    elif head:
        numbers.dense("lm_head.dense", D, D)
        numbers.norm("lm_head.layer_norm", D)
        numbers.bias("lm_head.bias", WORDS)
    return numbers.found


def distilbert_tensors() -> dict[str, np.ndarray]:
    numbers = Numbers()
    numbers.matrix("embeddings.word_embeddings.weight", WORDS, D)
    numbers.matrix("embeddings.position_embeddings.weight", MOST, D)
    numbers.norm("embeddings.LayerNorm", D)
    for layer in range(LAYERS):
        base = f"transformer.layer.{layer}."
        for name in ("q_lin", "k_lin", "v_lin", "out_lin"):
            numbers.dense(f"{base}attention.{name}", D, D)
        numbers.norm(f"{base}sa_layer_norm", D)
        numbers.dense(f"{base}ffn.lin1", MLP, D)
        numbers.dense(f"{base}ffn.lin2", D, MLP)
        numbers.norm(f"{base}output_layer_norm", D)
    numbers.dense("vocab_transform", D, D)
    numbers.norm("vocab_layer_norm", D)
    numbers.bias("vocab_projector.bias", WORDS)
    return numbers.found


def gpt2_tensors(*, untied: bool = False) -> dict[str, np.ndarray]:
    numbers = Numbers()
    numbers.matrix("wte.weight", WORDS, D)
    numbers.matrix("wpe.weight", MOST, D)
    for layer in range(LAYERS):
        base = f"h.{layer}."
        for name, width, out in (
            ("attn.c_attn", D, 3 * D),
            ("attn.c_proj", D, D),
            ("mlp.c_fc", D, MLP),
            ("mlp.c_proj", MLP, D),
        ):
            numbers.matrix(f"{base}{name}.weight", width, out)
            numbers.bias(f"{base}{name}.bias", out)
        numbers.norm(f"{base}ln_1", D)
        numbers.norm(f"{base}ln_2", D)
        numbers.found[f"{base}attn.bias"] = np.tril(np.ones((MOST, MOST)))[None, None]  # a mask, no bias
    numbers.norm("ln_f", D)
    if untied:
        numbers.matrix("lm_head.weight", WORDS, D)
    return numbers.found


def llama_tensors(
    config: Mapping[str, Any], *, untied: bool = False, biases: tuple[str, ...] = (), norms: bool = False
) -> dict[str, np.ndarray]:
    """Of Llama, and of those that are made like it."""
    width = config.get("head_dim") or D // HEADS
    shared = config.get("num_key_value_heads") or HEADS
    sizes = {"q_proj": (HEADS * width, D), "k_proj": (shared * width, D), "v_proj": (shared * width, D)}
    sizes["o_proj"] = (D, HEADS * width)
    numbers = Numbers()
    numbers.matrix("embed_tokens.weight", WORDS, D)
    for layer in range(LAYERS):
        base = f"layers.{layer}."
        numbers.norm(f"{base}input_layernorm", D, bias=False)
        numbers.norm(f"{base}post_attention_layernorm", D, bias=False)
        for name, (out, wide) in sizes.items():
            numbers.dense(f"{base}self_attn.{name}", out, wide, bias=name in biases)
        for name, (out, wide) in {"gate_proj": (MLP, D), "up_proj": (MLP, D), "down_proj": (D, MLP)}.items():
            numbers.dense(f"{base}mlp.{name}", out, wide, bias=name in biases)
        if norms:
            numbers.norm(f"{base}self_attn.q_norm", width, bias=False)
            numbers.norm(f"{base}self_attn.k_norm", width, bias=False)
    numbers.norm("norm", D, bias=False)
    if untied:
        numbers.matrix("lm_head.weight", WORDS, D)
    return numbers.found


HEADS_OF_TASKS = ("cls.", "lm_head", "vocab_")


def with_prefix(tensors: Mapping[str, np.ndarray], prefix: str) -> dict[str, np.ndarray]:
    """The names in a task model: all but those of its head have the prefix."""
    return {name if name.startswith(HEADS_OF_TASKS) else prefix + name: cells for name, cells in tensors.items()}


KINDS = {"F32": "<f4", "F16": "<f2", "F64": "<f8"}


def packed(tensors: Mapping[str, np.ndarray], kind: str = "F32") -> bytes:
    """A safetensors file, written by its published description."""
    header, data = {}, b""
    for name, cells in tensors.items():
        if kind == "BF16":
            own = (cells.astype("<f4").view("<u4") >> 16).astype("<u2").tobytes()
        else:
            own = cells.astype(KINDS[kind]).tobytes()
        header[name] = {"dtype": kind, "shape": list(cells.shape), "data_offsets": [len(data), len(data) + len(own)]}
        data += own
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text + data


def as_held(cells: np.ndarray, kind: str) -> np.ndarray:
    """The numbers that are left of some in such a file."""
    if kind == "BF16":
        return (cells.astype("<f4").view("<u4") >> 16 << 16).view("<f4").astype(np.float64)
    return cells.astype(KINDS[kind]).astype(np.float64)


def write_folder(
    folder: Path, config: Mapping[str, Any], tensors: Mapping[str, np.ndarray], *, kind: str = "F32", shards: int = 1
) -> Path:
    """A folder of one file, or of shards with their index."""
    folder.mkdir(exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    if shards == 1:
        (folder / "model.safetensors").write_bytes(packed(tensors, kind))
        return folder
    names, listed = list(tensors), {}
    for number in range(shards):
        mine, file = names[number::shards], f"model-{number + 1:05}-of-{shards:05}.safetensors"
        (folder / file).write_bytes(packed({name: tensors[name] for name in mine}, kind))
        listed |= dict.fromkeys(mine, file)
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": listed}), encoding="utf-8")
    return folder
