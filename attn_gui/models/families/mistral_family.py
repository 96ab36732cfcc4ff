"""Mistral: Llama in which every layer may look back only so far."""

from __future__ import annotations

from attn_gui.models.families.llama_family import Llama
from attn_gui.models.reading.config_file import Config
from attn_gui.models.reading.sliding_layers import layer_windows


class Mistral(Llama):
    """Mistral. Source: Jiang et al., "Mistral 7B" (2023)."""

    def with_bias(self, config: Config) -> frozenset[str]:
        return self.biased

    def windows(self, config: Config, layers: int) -> tuple[int | None, ...]:
        return layer_windows(config, layers, [True] * layers)
