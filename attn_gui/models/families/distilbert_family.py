"""DistilBERT: BERT without token types, under other names."""

from __future__ import annotations

from typing import ClassVar

from attn_gui.models.families.architecture import Architecture
from attn_gui.models.families.bert_family import Bert, HeadNames, encoder
from attn_gui.models.families.family import ACTIVATIONS, MOST_HEADS, MOST_LAYERS
from attn_gui.models.reading.config_file import Config


class DistilBert(Bert):
    """DistilBERT. Source: Sanh et al., "DistilBERT" (2019)."""

    prefixes = ("distilbert.",)
    layer_name = "transformer.layer.{}."
    parts: ClassVar = {
        "query": "attention.q_lin",
        "key": "attention.k_lin",
        "value": "attention.v_lin",
        "output": "attention.out_lin",
        "norm1": "sa_layer_norm",
        "up": "ffn.lin1",
        "down": "ffn.lin2",
        "norm2": "output_layer_norm",
    }
    head_names: ClassVar = HeadNames(
        "vocab_transform", "vocab_layer_norm", "vocab_projector.weight", ("vocab_projector.bias",)
    )

    def architecture(self, config: Config) -> Architecture:
        return encoder(
            config,
            config.count("n_layers", 6, most=MOST_LAYERS),
            config.count("n_heads", 12, most=MOST_HEADS),
            config.count("dim", 768),
            d_mlp=config.count("hidden_dim", 3072),
            norm_eps=1e-12,
            activation=config.choice("activation", ACTIVATIONS, "gelu"),
            most_tokens=config.count("max_position_embeddings", 512),
        )
