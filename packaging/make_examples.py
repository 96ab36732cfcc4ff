"""Make the small examples in resources/examples; the two of real models are copies (their README says of what).

    .venv/bin/python packaging/make_examples.py

The same files come out every time.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from attn_gui.formats import save_arrays

FOLDER = Path(__file__).resolve().parents[1] / "resources" / "examples"
# a seed under which "Thinking" gives itself 0.88, as in "The Illustrated Transformer", and no softmax is saturated
SEED = 3902


def main() -> None:
    save_arrays(_worked_example(), FOLDER / "worked-example.npz")
    for width, name in ((4, "thinking-machines.npz"), (64, "thinking-machines-64.npz")):
        save_arrays(_thinking_machines(width), FOLDER / name)
    save_arrays(_nadaraya_watson(), FOLDER / "nadaraya-watson.npz")
    save_arrays(_transformer_layer(), FOLDER / "transformer-layer.npz")


def _worked_example() -> dict[str, np.ndarray]:
    """Two queries, two keys: products [[1, 1], [1, 2]], divided by √3."""
    about = {
        "title": "Worked example, five steps",
        "description": "Two queries and two keys: every number can be checked by hand.",
        "num_heads": 1,
    }
    return {
        "query": np.array([[1.0, 0, 1], [0, 1, 1]]),
        "key": np.array([[1.0, 1, 0], [0, 1, 1]]),
        "value": np.array([[1.0, 2], [3, 4]]),
        "meta": np.array(json.dumps(about)),
    }


def _thinking_machines(d_k: int) -> dict[str, np.ndarray]:
    """Two words as rows of X; a smaller d_k has the first columns of the larger's W_Q and W_K, W_V stays."""
    random = np.random.default_rng(SEED)
    about = {
        "title": f"Thinking Machines, d_k = {d_k}",
        "description": "Two words as vectors X, multiplied by W_Q, W_K and W_V.",
        "text": "Thinking Machines",
        "tokens": ["Thinking", "Machines"],
        "num_heads": 1,
    }
    return {
        "x": random.normal(size=(2, 8)).round(2),
        "w_query": (random.normal(size=(8, 64)) * 0.5).round(2)[:, :d_k],
        "w_key": (random.normal(size=(8, 64)) * 0.5).round(2)[:, :d_k],
        "w_value": (random.normal(size=(8, 4)) * 0.5).round(2),
        "meta": np.array(json.dumps(about)),
    }


def _nadaraya_watson() -> dict[str, np.ndarray]:
    """Kernel regression as in "Dive into Deep Learning", 11.2: 50 noisy points, asked for on a grid of 50 queries."""
    random = np.random.default_rng(50)
    points = np.sort(random.random(50) * 5).round(3)
    noisy = (2 * np.sin(points) + points**0.8 + random.normal(scale=0.5, size=50)).round(3)
    grid = np.arange(50) / 10
    about = {
        "title": "Nadaraya–Watson, 50 points",
        "description": "50 points x with y = 2 sin x + x^0.8 + noise; each query is answered by the points near it.",
        "num_heads": 1,
        "score": "gaussian",
        "query_tokens": [f"{x:.1f}" for x in grid],
        "key_tokens": [f"{x:.2f}" for x in points],
    }
    return {
        "query": grid[:, None],
        "key": points[:, None],
        "value": noisy[:, None],
        "meta": np.array(json.dumps(about)),
    }


def _transformer_layer() -> dict[str, np.ndarray]:
    """Return a whole layer as GPT-2 has it: a norm before the attention and one before the feed-forward network."""
    random = np.random.default_rng(8)
    words = ["the", "cat", "sat", "on", "the", "mat"]
    rows = dict(zip(dict.fromkeys(words), random.normal(size=(5, 8)), strict=True))
    about = {
        "title": "A transformer layer, pre-norm",
        "description": "Six words, two causal heads, a feed-forward network of 16 numbers; “the” comes twice.",
        "tokens": words,
        "num_heads": 2,
        "mask": [{"kind": "causal"}],
        "block": {"kind": "pre", "norm": "layer", "norm_eps": 1e-5, "activation": "gelu"},
    }
    shapes = {"w_query": (8, 8), "w_key": (8, 8), "w_value": (8, 8), "w_output": (8, 8)}
    shapes |= {"block.w_up": (8, 16), "block.w_down": (16, 8)}
    weights = {name: (random.normal(size=shape) * 0.5).round(2) for name, shape in shapes.items()}
    norms = {
        f"block.norm{k}_{part}": np.full(8, float(part == "weight")) for k in (1, 2) for part in ("weight", "bias")
    }
    biases = {"block.b_up": np.zeros(16), "block.b_down": np.zeros(8)}
    x = np.stack([rows[word] for word in words]).round(2)
    return {"x": x} | weights | norms | biases | {"meta": np.array(json.dumps(about))}


if __name__ == "__main__":
    main()
