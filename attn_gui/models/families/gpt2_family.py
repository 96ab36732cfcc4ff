"""GPT-2: a decoder with LayerNorm before attention and MLP; its matrices lie [in, out], Q, K and V side by side."""

from __future__ import annotations

from typing import ClassVar

from attn_gui.engine.arrays import Array
from attn_gui.models.families.architecture import LAYER_NORM, PRE, Architecture
from attn_gui.models.families.end_weights import Dense, Embedding, EndWeights, Head
from attn_gui.models.families.family import ACTIVATIONS, MOST_HEADS, MOST_LAYERS, Family, head_width
from attn_gui.models.reading.config_file import Config
from attn_gui.models.reading.tensor_files import Tensors

FUSED = "attn.c_attn"  # of Q, K and V
PLACES = {"query": 0, "key": 1, "value": 2}


class Gpt2(Family):
    """GPT-2. Source: Radford et al., "Language Models are Unsupervised Multitask Learners" (2019)."""

    prefixes = ("transformer.",)
    layer_name = "h.{}."
    parts: ClassVar = {
        **dict.fromkeys(PLACES, FUSED),
        "output": "attn.c_proj",
        "norm1": "ln_1",
        "up": "mlp.c_fc",
        "down": "mlp.c_proj",
        "norm2": "ln_2",
    }
    ignored = ("h.*.attn.bias", "h.*.attn.masked_bias")  # a mask, and what stands behind it

    def architecture(self, config: Config) -> Architecture:
        config.check(add_cross_attention=False)
        layers = config.count("n_layer", most=MOST_LAYERS)
        heads, d_model = config.count("n_head", most=MOST_HEADS), config.count("n_embd")
        width = head_width(config, d_model, heads)
        scale = width**-0.5 if config.flag("scale_attn_weights", True) else 1.0
        falling = config.flag("scale_attn_by_inverse_layer_idx", False)
        return Architecture(
            num_layers=layers,
            num_heads=heads,
            num_kv_heads=heads,
            d_head=width,
            d_model=d_model,
            d_mlp=config.count("n_inner", 4 * d_model),
            vocabulary=config.count("vocab_size"),
            most_tokens=config.count("n_positions"),
            kind=PRE,
            norm=LAYER_NORM,
            norm_eps=config.number("layer_norm_epsilon", 1e-5),
            activation=config.choice("activation_function", ACTIVATIONS, "gelu_new"),
            gated=False,
            causal=True,
            scales=tuple(scale / (number + 1 if falling else 1) for number in range(layers)),
            windows=(None,) * layers,
        )

    def layer(self, tensors: Tensors, config: Config, sizes: Architecture, number: int) -> dict[str, Array]:
        found = super().layer(tensors, config, sizes, number)
        d = sizes.d_model
        for part, place in PLACES.items():
            for name in (f"w_{part}", f"b_{part}"):
                found[name] = found[name][..., place * d : (place + 1) * d]
        return found

    def dense(self, tensors: Tensors, name: str, width: int, out: int, *, biased: bool) -> Dense:
        out = 3 * out if name.endswith(FUSED) else out
        return Dense(tensors.array(f"{name}.weight", width, out), tensors.array(f"{name}.bias", out))

    def ends(self, tensors: Tensors, config: Config, sizes: Architecture) -> EndWeights:
        words = tensors.array("wte.weight", sizes.vocabulary, sizes.d_model)
        positions = tensors.array("wpe.weight", sizes.position_count(), sizes.d_model)
        matrix = self.decoder(tensors, config, sizes, "lm_head.weight", words)
        head = None if matrix is None else Head(None, None, Dense(matrix, None))
        return EndWeights(Embedding(words, positions, None, None), self.norm(tensors, "ln_f", sizes), head, None)
