"""BERT: an encoder with LayerNorm behind attention and MLP, and a head that fills masks."""

from __future__ import annotations

from typing import ClassVar

from attn_gui.engine.arrays import Array
from attn_gui.models.families.architecture import LAYER_NORM, POST, Architecture
from attn_gui.models.families.end_weights import Dense, Embedding, EndWeights, Head, NormWeights
from attn_gui.models.families.family import ACTIVATIONS, MOST_HEADS, MOST_LAYERS, Family, head_width
from attn_gui.models.reading.config_file import Config
from attn_gui.models.reading.tensor_files import Tensors


class HeadNames:
    """Names of the tensors of a head, and its activation."""

    def __init__(
        self, transform: str, norm: str, decoder: str, biases: tuple[str, ...], activation: str | None = None
    ) -> None:
        """`biases`: the first of these that is there counts; `activation`: of the head, where it has its own."""
        self.transform, self.norm, self.decoder, self.biases = transform, norm, decoder, biases
        self.activation = activation


class Bert(Family):
    """BERT. Source: Devlin et al., "BERT" (2019)."""

    prefixes = ("bert.",)
    layer_name = "encoder.layer.{}."
    parts: ClassVar = {
        "query": "attention.self.query",
        "key": "attention.self.key",
        "value": "attention.self.value",
        "output": "attention.output.dense",
        "norm1": "attention.output.LayerNorm",
        "up": "intermediate.dense",
        "down": "output.dense",
        "norm2": "output.LayerNorm",
    }
    biased = frozenset({"query", "key", "value", "output", "up", "down"})
    ignored = ("embeddings.position_ids", "cls.seq_relationship.*")
    head_names: ClassVar = HeadNames(
        "cls.predictions.transform.dense",
        "cls.predictions.transform.LayerNorm",
        "cls.predictions.decoder.weight",
        ("cls.predictions.decoder.bias", "cls.predictions.bias"),
    )

    def architecture(self, config: Config) -> Architecture:
        config.check(position_embedding_type="absolute", is_decoder=False, add_cross_attention=False)
        layers = config.count("num_hidden_layers", most=MOST_LAYERS)
        heads = config.count("num_attention_heads", most=MOST_HEADS)
        d_model = config.count("hidden_size")
        return encoder(
            config,
            layers,
            heads,
            d_model,
            d_mlp=config.count("intermediate_size"),
            norm_eps=config.number("layer_norm_eps", 1e-12),
            activation=config.choice("hidden_act", ACTIVATIONS, "gelu"),
            token_types=config.count("type_vocab_size", 2),
            most_tokens=config.count("max_position_embeddings"),
        )

    def ends(self, tensors: Tensors, config: Config, sizes: Architecture) -> EndWeights:
        words = tensors.array("embeddings.word_embeddings.weight", sizes.vocabulary, sizes.d_model)
        positions = tensors.array("embeddings.position_embeddings.weight", sizes.position_count(), sizes.d_model)
        types = None
        if sizes.token_types:
            types = tensors.array("embeddings.token_type_embeddings.weight", sizes.token_types, sizes.d_model)
        embedding = Embedding(words, positions, types, self.norm(tensors, "embeddings.LayerNorm", sizes))
        head = self._head(tensors, config, sizes, words)
        pooler = None
        if "pooler.dense.weight" in tensors:
            pooler = self.dense(tensors, "pooler.dense", sizes.d_model, sizes.d_model, biased=True)
        return EndWeights(embedding, None, head, pooler)

    def _head(self, tensors: Tensors, config: Config, sizes: Architecture, words: Array) -> Head | None:
        names = self.head_names
        if f"{names.transform}.weight" not in tensors:
            return None
        matrix = self.decoder(tensors, config, sizes, names.decoder, words)
        if matrix is None:
            return None
        bias = next((name for name in names.biases if name in tensors), names.biases[-1])
        transform = self.dense(tensors, names.transform, sizes.d_model, sizes.d_model, biased=True)
        norm: NormWeights = self.norm(tensors, names.norm, sizes)
        decoder = Dense(matrix, tensors.array(bias, sizes.vocabulary))
        return Head(transform, norm, decoder, names.activation or sizes.activation)


def encoder(config: Config, layers: int, heads: int, d_model: int, **more: object) -> Architecture:
    """The rules that BERT and its kin share."""
    width = head_width(config, d_model, heads)
    shared = {
        "num_layers": layers,
        "num_heads": heads,
        "num_kv_heads": heads,
        "d_head": width,
        "d_model": d_model,
        "vocabulary": config.count("vocab_size"),
        "kind": POST,
        "norm": LAYER_NORM,
        "scales": (width**-0.5,) * layers,
        "windows": (None,) * layers,
    }
    return Architecture(**(shared | more))  # type: ignore[arg-type]  # each is of the type of its field
