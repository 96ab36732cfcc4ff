"""Whole models token by token and head by head in float64, from the tensors as files name them: slow, and plain.

It shares nothing with the program: written from the papers and the names that the files have.
"""

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

Tensors = Mapping[str, np.ndarray]
ROBERTAS = ("roberta", "xlm-roberta", "camembert")


class Result(NamedTuple):
    """Attention of every layer (head, query, key), the states, logits and pooled vector where there are any."""

    attention: list[np.ndarray]
    hidden: list[np.ndarray]
    logits: np.ndarray | None
    pooled: np.ndarray | None


def erf_gelu(x: np.ndarray) -> np.ndarray:
    return np.vectorize(lambda one: one * 0.5 * (1 + math.erf(one / math.sqrt(2))))(x)


def tanh_gelu(x: np.ndarray) -> np.ndarray:
    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


ACTIVATIONS = {
    "gelu": erf_gelu,
    "gelu_new": tanh_gelu,
    "gelu_pytorch_tanh": tanh_gelu,
    "silu": lambda x: x / (1 + np.exp(-x)),
    "relu": lambda x: np.maximum(x, 0),
}


def layer_norm(x: np.ndarray, tensors: Tensors, name: str, eps: float) -> np.ndarray:
    rows = [(row - row.mean()) / math.sqrt(((row - row.mean()) ** 2).mean() + eps) for row in x]
    return np.array(rows) * tensors[f"{name}.weight"] + tensors[f"{name}.bias"]


def rms_norm(x: np.ndarray, weight: np.ndarray, eps: float) -> np.ndarray:
    return np.array([row / math.sqrt((row**2).mean() + eps) for row in x]) * weight


def dense(x: np.ndarray, tensors: Tensors, name: str) -> np.ndarray:
    return x @ tensors[f"{name}.weight"].T + tensors.get(f"{name}.bias", 0.0)


def attend(
    queries: np.ndarray, keys: np.ndarray, values: np.ndarray, heads: int, shared: int, scale: float, sees: Any
) -> Any:
    """(weights (head, query, key), results side by side), one query of one head after the other."""
    n, width = len(queries), queries.shape[1] // heads
    weights, mixed = np.zeros((heads, n, n)), np.zeros((n, heads * width))
    for head in range(heads):
        own = slice(head * width, (head + 1) * width)
        group = head // (heads // shared)
        theirs = slice(group * width, (group + 1) * width)
        for i in range(n):
            open_keys = [j for j in range(n) if sees(i, j)]
            scores = np.array([queries[i, own] @ keys[j, theirs] * scale for j in open_keys])
            powers = np.exp(scores - scores.max())
            weights[head, i, open_keys] = powers / powers.sum()
            mixed[i, own] = sum(weights[head, i, j] * values[j, theirs] for j in open_keys)
    return weights, mixed


def encoder(config: Mapping[str, Any], tensors: Tensors, ids: list[int], types: list[int], mask: list[int]) -> Result:
    """BERT, RoBERTa and DistilBERT."""
    family, eps = config["model_type"], config.get("layer_norm_eps", 1e-12)
    x = (
        tensors["embeddings.word_embeddings.weight"][ids]
        + tensors["embeddings.position_embeddings.weight"][positions(config, ids)]
    )
    if family != "distilbert":
        x = x + tensors["embeddings.token_type_embeddings.weight"][types]
    x = layer_norm(x, tensors, "embeddings.LayerNorm", eps)
    names = NAMES["distilbert" if family == "distilbert" else "bert"]
    heads = config.get("n_heads") or config["num_attention_heads"]
    activation = ACTIVATIONS[config.get("activation") or config.get("hidden_act", "gelu")]
    attention, hidden = [], [x]
    for layer in range(config.get("n_layers") or config["num_hidden_layers"]):
        base = names["layer"].format(layer)
        sides = [dense(x, tensors, base + names[side]) for side in ("q", "k", "v")]
        weights, mixed = attend(*sides, heads, heads, (x.shape[1] // heads) ** -0.5, lambda i, j: mask[j])
        x = layer_norm(x + dense(mixed, tensors, base + names["o"]), tensors, base + names["n1"], eps)
        inner = dense(activation(dense(x, tensors, base + names["up"])), tensors, base + names["down"])
        x = layer_norm(x + inner, tensors, base + names["n2"], eps)
        attention.append(weights)
        hidden.append(x)
    pooled = np.tanh(dense(x[:1], tensors, "pooler.dense"))[0] if "pooler.dense.weight" in tensors else None
    return Result(attention, hidden, filled(tensors, x, activation, eps), pooled)


NAMES = {
    "bert": {
        "layer": "encoder.layer.{}.",
        "q": "attention.self.query",
        "k": "attention.self.key",
        "v": "attention.self.value",
        "o": "attention.output.dense",
        "n1": "attention.output.LayerNorm",
        "up": "intermediate.dense",
        "down": "output.dense",
        "n2": "output.LayerNorm",
    },
    "distilbert": {
        "layer": "transformer.layer.{}.",
        "q": "attention.q_lin",
        "k": "attention.k_lin",
        "v": "attention.v_lin",
        "o": "attention.out_lin",
        "n1": "sa_layer_norm",
        "up": "ffn.lin1",
        "down": "ffn.lin2",
        "n2": "output_layer_norm",
    },
}
FILLING = (
    (
        "cls.predictions.transform.dense",
        "cls.predictions.transform.LayerNorm",
        "cls.predictions.decoder.weight",
        "cls.predictions.bias",
    ),
    ("lm_head.dense", "lm_head.layer_norm", "lm_head.decoder.weight", "lm_head.bias"),
    ("vocab_transform", "vocab_layer_norm", "vocab_projector.weight", "vocab_projector.bias"),
)


def positions(config: Mapping[str, Any], ids: list[int]) -> list[int]:
    if config["model_type"] not in ROBERTAS:
        return list(range(len(ids)))
    padding, found, count = config["pad_token_id"], [], 0
    for number in ids:
        count += number != padding
        found.append(padding + count if number != padding else padding)
    return found


def filled(tensors: Tensors, x: np.ndarray, activation: Any, eps: float) -> np.ndarray | None:
    """Logits of the head that fills masks."""
    for transform, norm, decoder, bias in FILLING:
        if f"{transform}.weight" in tensors:
            activation = erf_gelu if transform == "lm_head.dense" else activation  # RoBERTa's is always this one
            x = layer_norm(activation(dense(x, tensors, transform)), tensors, norm, eps)
            counted = tensors.get(decoder.replace("weight", "bias"), tensors.get(bias))
            return x @ tensors.get(decoder, tensors["embeddings.word_embeddings.weight"]).T + counted
    return None


def gpt2(config: Mapping[str, Any], tensors: Tensors, ids: list[int]) -> Result:
    heads, eps = config["n_head"], config.get("layer_norm_epsilon", 1e-5)
    activation = ACTIVATIONS[config.get("activation_function", "gelu_new")]
    x, ahead = tensors["wte.weight"][ids] + tensors["wpe.weight"][: len(ids)], not config.get("is_causal", True)

    def conv(rows: np.ndarray, name: str) -> np.ndarray:
        return rows @ tensors[f"{name}.weight"] + tensors[f"{name}.bias"]

    attention, hidden = [], [x]
    for layer in range(config["n_layer"]):
        base, d = f"h.{layer}.", x.shape[1]
        fused = conv(layer_norm(x, tensors, base + "ln_1", eps), base + "attn.c_attn")
        scale = (d // heads) ** -0.5 if config.get("scale_attn_weights", True) else 1.0
        if config.get("scale_attn_by_inverse_layer_idx"):
            scale /= layer + 1
        sides = fused[:, :d], fused[:, d : 2 * d], fused[:, 2 * d :]
        weights, mixed = attend(*sides, heads, heads, scale, lambda i, j: (j <= i) | ahead)
        x = x + conv(mixed, base + "attn.c_proj")
        x = x + conv(
            activation(conv(layer_norm(x, tensors, base + "ln_2", eps), base + "mlp.c_fc")), base + "mlp.c_proj"
        )
        attention.append(weights)
        hidden.append(x)
    hidden[-1] = layer_norm(x, tensors, "ln_f", eps)
    return Result(attention, hidden, hidden[-1] @ tensors.get("lm_head.weight", tensors["wte.weight"]).T, None)


def angles(config: Mapping[str, Any], width: int) -> list[float]:
    """One angle for every pair of columns of a head."""
    given = config.get("rope_parameters") or config.get("rope_scaling") or {}
    kind = given.get("rope_type") or given.get("type") or "default"
    theta = given.get("rope_theta") or config.get("rope_theta") or 10000.0
    found = [theta ** (-2 * p / width) for p in range(width // 2)]
    if kind == "linear":
        return [angle / given["factor"] for angle in found]
    if kind == "llama3":
        return [llama3(angle, given) for angle in found]
    return found


def llama3(angle: float, given: Mapping[str, float]) -> float:
    wave, trained = 2 * math.pi / angle, given["original_max_position_embeddings"]
    if wave < trained / given["high_freq_factor"]:
        return angle
    if wave > trained / given["low_freq_factor"]:
        return angle / given["factor"]
    share = (trained / wave - given["low_freq_factor"]) / (given["high_freq_factor"] - given["low_freq_factor"])
    return (1 - share) * angle / given["factor"] + share * angle


def turned(rows: np.ndarray, width: int, turns: list[float]) -> np.ndarray:
    """Columns p and p + width/2 of each head, a pair at a time."""
    found = rows.copy()
    for i, head, p in np.ndindex(len(rows), rows.shape[1] // width, width // 2):
        first, second = head * width + p, head * width + p + width // 2
        a, b, angle = rows[i, first], rows[i, second], i * turns[p]
        found[i, first] = a * math.cos(angle) - b * math.sin(angle)
        found[i, second] = b * math.cos(angle) + a * math.sin(angle)
    return found


def window_of(config: Mapping[str, Any], layer: int) -> float:
    """How far back a layer looks."""
    family, window = config["model_type"], config.get("sliding_window")
    if family == "llama" or window is None or (family != "mistral" and not config.get("use_sliding_window")):
        return math.inf
    if config.get("layer_types"):
        return window if config["layer_types"][layer] == "sliding_attention" else math.inf
    return window if family == "mistral" or layer >= config["max_window_layers"] else math.inf


def llama(config: Mapping[str, Any], tensors: Tensors, ids: list[int]) -> Result:
    """Llama, Mistral, Qwen2 and Qwen3."""
    heads = config["num_attention_heads"]
    shared = config.get("num_key_value_heads") or heads
    width = config.get("head_dim") or config["hidden_size"] // heads
    eps, activation = config.get("rms_norm_eps", 1e-6), ACTIVATIONS[config.get("hidden_act", "silu")]
    x, turns = tensors["embed_tokens.weight"][ids], angles(config, width)
    ahead = 0 if config.get("is_causal", True) else -len(ids)
    attention, hidden = [], [x]
    for layer in range(config["num_hidden_layers"]):
        base, reach = f"layers.{layer}.", window_of(config, layer)
        read = rms_norm(x, tensors[base + "input_layernorm.weight"], eps)
        q, k, v = (dense(read, tensors, f"{base}self_attn.{side}_proj") for side in "qkv")
        if f"{base}self_attn.q_norm.weight" in tensors:
            q = rms_norm(q.reshape(-1, width), tensors[f"{base}self_attn.q_norm.weight"], eps).reshape(q.shape)
            k = rms_norm(k.reshape(-1, width), tensors[f"{base}self_attn.k_norm.weight"], eps).reshape(k.shape)
        sides = turned(q, width, turns), turned(k, width, turns), v
        weights, mixed = attend(*sides, heads, shared, width**-0.5, lambda i, j, reach=reach: ahead <= i - j < reach)
        x = x + dense(mixed, tensors, f"{base}self_attn.o_proj")
        read = rms_norm(x, tensors[base + "post_attention_layernorm.weight"], eps)
        inner = activation(dense(read, tensors, f"{base}mlp.gate_proj")) * dense(read, tensors, f"{base}mlp.up_proj")
        x = x + dense(inner, tensors, f"{base}mlp.down_proj")
        attention.append(weights)
        hidden.append(x)
    hidden[-1] = rms_norm(x, tensors["norm.weight"], eps)
    tied = tensors["embed_tokens.weight"] if config.get("tie_word_embeddings") else None
    matrix = tensors.get("lm_head.weight", tied)
    return Result(attention, hidden, None if matrix is None else hidden[-1] @ matrix.T, None)


def plain(config: Mapping[str, Any], tensors: Tensors, ids: list[int], types: list[int], mask: list[int]) -> Result:
    """The whole model of a folder; names without the prefix of a task."""
    if config["model_type"] in ("bert", "distilbert", *ROBERTAS):
        return encoder(config, tensors, ids, types, mask)
    return gpt2(config, tensors, ids) if config["model_type"] == "gpt2" else llama(config, tensors, ids)
