"""Score functions, by name: each is a stage called `scores` that writes `logits`. Imports the stage and NumPy."""

from __future__ import annotations

from attn_gui.engine.stage import Linear, Stage

from .additive import Additive
from .average import Average
from .cosine import Cosine
from .gaussian import Gaussian

DOT = Linear(
    "scores", "batch head query key", "logits[b (g r) i j] = query[b i (g r d)] * key[b j (g d)]", dot=True
)  # fmt: skip
SCORES: dict[str, Stage] = {
    "dot": DOT, "additive": Additive(), "cosine": Cosine(), "gaussian": Gaussian(), "average": Average(),
}  # fmt: skip
