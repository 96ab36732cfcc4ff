"""Qwen2: Llama with biases of Q, K and V, and windows in its upper layers where they are switched on."""

from __future__ import annotations

from attn_gui.models.families.llama_family import Llama
from attn_gui.models.reading.config_file import Config
from attn_gui.models.reading.sliding_layers import layer_windows


class Qwen2(Llama):
    """Qwen2 and 2.5. Source: Yang et al., "Qwen2 Technical Report" (2024)."""

    biased = frozenset({"query", "key", "value"})

    def with_bias(self, config: Config) -> frozenset[str]:
        return self.biased

    def windows(self, config: Config, layers: int) -> tuple[int | None, ...]:
        if not config.flag("use_sliding_window", False):
            return (None,) * layers
        first = config.count("max_window_layers", 28, least=0)
        return layer_windows(config, layers, [number >= first for number in range(layers)])
