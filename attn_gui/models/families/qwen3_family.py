"""Qwen3: Qwen2 without biases, and an RMSNorm over each head of Q and K before they are turned."""

from __future__ import annotations

from attn_gui.engine.arrays import Array
from attn_gui.models.families.architecture import Architecture
from attn_gui.models.families.llama_family import ATTENTION
from attn_gui.models.families.qwen2_family import Qwen2
from attn_gui.models.reading.config_file import Config
from attn_gui.models.reading.tensor_files import Tensors


class Qwen3(Qwen2):
    """Qwen3. Source: Yang et al., "Qwen3 Technical Report" (2025)."""

    def with_bias(self, config: Config) -> frozenset[str]:
        return frozenset(ATTENTION if config.flag("attention_bias", False) else ())

    def layer(self, tensors: Tensors, config: Config, sizes: Architecture, number: int) -> dict[str, Array]:
        base = self.layer_name.format(number)
        norms = {
            field: tensors.array(f"{base}self_attn.{name}.weight", sizes.d_head)
            for field, name in (("query_norm", "q_norm"), ("key_norm", "k_norm"))
        }
        return super().layer(tensors, config, sizes, number) | norms
