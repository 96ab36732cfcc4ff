"""Cost of gradients through a whole model beside its pass, in processor time: GPT-2 of random numbers, 12 tokens."""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median

import numpy as np
import pytest

from attn_gui.models import Run, open_model, patch_foretold, patch_sweep
from tests.models.made_folders import Numbers, write_folder

WIDTH, HEADS, WORDS, TOKENS, ROUNDS = 256, 4, 128, 12, 9
GRADIENT = 2.5  # passes that one gradient by the lowest layer may cost
FORETOLD = 4.0  # and the patches of all heads of all layers, foretold: a gradient, and the states of two runs


def made(folder, layers: int) -> tuple[Run, Run]:
    """Two texts of one model."""
    numbers = Numbers()
    numbers.matrix("wte.weight", WORDS, WIDTH)
    numbers.matrix("wpe.weight", TOKENS, WIDTH)
    numbers.norm("ln_f", WIDTH)
    for layer in range(layers):
        parts = {"attn.c_attn": 3 * WIDTH, "attn.c_proj": WIDTH, "mlp.c_fc": 4 * WIDTH}
        for name, out in parts.items():
            numbers.matrix(f"h.{layer}.{name}.weight", WIDTH, out)
            numbers.bias(f"h.{layer}.{name}.bias", out)
        numbers.matrix(f"h.{layer}.mlp.c_proj.weight", 4 * WIDTH, WIDTH)
        numbers.bias(f"h.{layer}.mlp.c_proj.bias", WIDTH)
        for name in ("ln_1", "ln_2"):
            numbers.norm(f"h.{layer}.{name}", WIDTH)
    config = {"model_type": "gpt2", "n_embd": WIDTH, "n_layer": layers, "n_head": HEADS}
    model = open_model(write_folder(folder, config | {"vocab_size": WORDS, "n_positions": TOKENS}, numbers.found))
    ids = np.random.default_rng(1).integers(WORDS, size=(2, TOKENS)).tolist()
    return model.run(ids=ids[0]), model.run(ids=ids[1])


def spent(rounds: int, **works: Callable[[], object]) -> dict[str, float]:
    """Processor seconds of all threads, medians; all in turn, so that the load is the same for all."""
    times: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(rounds):
        for name, work in works.items():
            begun = time.process_time()
            work()
            times[name].append(time.process_time() - begun)
    return {name: median(each) for name, each in times.items()}


@pytest.mark.parametrize("layers", [6, 12, 24, 48])
def test_gradients_of_a_model(layers, figures, tmp_path):
    now, other = made(tmp_path / "model", layers)
    asked = {"stage": "head_output", "axis": "head"}
    found = spent(
        ROUNDS,
        passed=lambda: now.model.run(ids=list(now.ids)),
        slope=lambda: now.gradient(3, 0, "head_output"),
        foretold=lambda: patch_foretold(other, now, 3, 5, **asked),
    )
    rows: dict[str, tuple[float, float | None]] = {"gradient by the lowest layer": (found["slope"], GRADIENT)}
    rows["patches of all heads, foretold"] = found["foretold"], FORETOLD
    if layers < 48:
        sweep = spent(1, sweep=lambda: patch_sweep(other, now, 3, 5, **asked))["sweep"]
        rows["patches of all heads, one by one"] = sweep, None
    for name, (seconds, gate) in rows.items():
        figures.add(f"{name} / pass", f"{layers} layers", seconds / found["passed"], gate)
    assert found["slope"] <= GRADIENT * found["passed"]
    assert found["foretold"] <= FORETOLD * found["passed"]
