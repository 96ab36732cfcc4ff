"""Llama: a decoder with RMSNorm before attention and a gated MLP, rotary positions, K/V heads shared."""

from __future__ import annotations

from typing import ClassVar

from attn_gui.formats.file_sentences import QT_TRANSLATE_NOOP
from attn_gui.models.families.architecture import PRE, RMS_NORM, Architecture
from attn_gui.models.families.end_weights import Dense, Embedding, EndWeights, Head
from attn_gui.models.families.family import ACTIVATIONS, MOST_HEADS, MOST_LAYERS, UNEVEN, Family, head_width
from attn_gui.models.reading.config_file import Config
from attn_gui.models.reading.rotary_scaling import frequencies
from attn_gui.models.reading.tensor_files import Tensors

_ODD = QT_TRANSLATE_NOOP("Sentences", "{file}: head_dim must be even for rotary positions, got {got}.")
ATTENTION, MLP = ("query", "key", "value", "output"), ("up", "gate", "down")


class Llama(Family):
    """Llama 1 to 3. Source: Touvron et al., "LLaMA" (2023)."""

    tied = False
    prefixes = ("model.",)
    layer_name = "layers.{}."
    parts: ClassVar = {
        "query": "self_attn.q_proj",
        "key": "self_attn.k_proj",
        "value": "self_attn.v_proj",
        "output": "self_attn.o_proj",
        "norm1": "input_layernorm",
        "up": "mlp.up_proj",
        "gate": "mlp.gate_proj",
        "down": "mlp.down_proj",
        "norm2": "post_attention_layernorm",
    }
    ignored = ("*rotary_emb.inv_freq", "*rotary_emb.*_cached")

    def architecture(self, config: Config) -> Architecture:
        config.check(partial_rotary_factor=1.0, num_experts=0, num_local_experts=0)
        layers = config.count("num_hidden_layers", most=MOST_LAYERS)
        heads, d_model = config.count("num_attention_heads", most=MOST_HEADS), config.count("hidden_size")
        shared = config.count("num_key_value_heads", heads, most=heads)
        if heads % shared:
            raise config.refusal(UNEVEN, heads=shared, columns=heads)
        width = config.count("head_dim") if config.given("head_dim") else head_width(config, d_model, heads)
        if width % 2:
            raise config.refusal(_ODD, got=width)
        windows = self.windows(config, layers)
        if any(windows):
            config.check(is_causal=True)  # nothing that is published looks ahead and only so far
        return Architecture(
            num_layers=layers,
            num_heads=heads,
            num_kv_heads=shared,
            d_head=width,
            d_model=d_model,
            d_mlp=config.count("intermediate_size"),
            vocabulary=config.count("vocab_size"),
            most_tokens=config.count("max_position_embeddings", 2048),
            kind=PRE,
            norm=RMS_NORM,
            norm_eps=config.number("rms_norm_eps", 1e-6),
            activation=config.choice("hidden_act", ACTIVATIONS, "silu"),
            gated=True,
            causal=config.flag("is_causal", True),  # models that embed texts look ahead, too
            scales=(width**-0.5,) * layers,
            windows=windows,
            frequencies=frequencies(config, width),
        )

    def windows(self, config: Config, layers: int) -> tuple[int | None, ...]:
        """The window of each layer; None where it sees all that is behind."""
        return (None,) * layers

    def with_bias(self, config: Config) -> frozenset[str]:
        attention = ATTENTION if config.flag("attention_bias", False) else ()
        mlp = MLP if config.flag("mlp_bias", False) else ()
        return frozenset({*attention, *mlp})

    def ends(self, tensors: Tensors, config: Config, sizes: Architecture) -> EndWeights:
        words = tensors.array("embed_tokens.weight", sizes.vocabulary, sizes.d_model)
        matrix = self.decoder(tensors, config, sizes, "lm_head.weight", words)
        head = None if matrix is None else Head(None, None, Dense(matrix, None))
        return EndWeights(Embedding(words, None, None, None), self.norm(tensors, "norm", sizes), head, None)
