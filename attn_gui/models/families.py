"""Families of models (GPT-2, Llama, Qwen, BERT …): what entries of config.json (is_causal) and tensors mean. A new one
is one class and its entry in FAMILIES."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import chain
from typing import ClassVar, NamedTuple

from attn_gui.engine.arrays import Array
from attn_gui.languages import N_
from attn_gui.models.checkpoint_files import CheckpointTensors, Config, frequencies, layer_windows

PRE, POST = "pre", "post"
LAYER_NORM, RMS_NORM = "layer", "rms"  # keys of the engine's blocks and norms

ACTIVATIONS = {
    "gelu": "gelu",
    "gelu_python": "gelu",
    "gelu_new": "gelu_tanh",
    "gelu_fast": "gelu_tanh",
    "gelu_pytorch_tanh": "gelu_tanh",
    "silu": "silu",
    "swish": "silu",
    "relu": "relu",
}
"""The engine's names of the activations of config.json."""

PREDICTING = ("LMHead", "ForCausalLM", "ForMaskedLM", "ForPreTraining", "DoubleHeads")
"""Parts of the names of classes in transformers whose models have a head that predicts tokens."""

UNEVEN = N_("{file}: {heads} heads cannot share {columns} columns evenly.")
MOST_LAYERS = 1000
MOST_HEADS = 4096

FUSED = "attn.c_attn"  # of Q, K and V
PLACES = {"query": 0, "key": 1, "value": 2}

_ODD = N_("{file}: head_dim must be even for rotary positions, got {got}.")
ATTENTION, MLP = ("query", "key", "value", "output"), ("up", "gate", "down")


@dataclass(frozen=True, eq=False)
class Architecture:
    """Sizes and rules of a decoder or encoder; its layers differ in weights, scale and window only."""

    num_layers: int
    num_heads: int
    num_kv_heads: int
    d_head: int
    d_model: int
    d_mlp: int
    vocabulary: int
    most_tokens: int
    kind: str  # PRE or POST
    norm: str  # LAYER_NORM or RMS_NORM
    norm_eps: float
    activation: str  # as the engine calls it
    scales: tuple[float, ...]  # of each layer
    windows: tuple[int | None, ...]  # of each layer: query i sees key j if i − j < window
    gated: bool = False
    causal: bool = False
    frequencies: Array | None = None  # (d_head / 2,) angles of one position
    first_position: int = 0
    padding_id: int | None = None  # positions count tokens that are not this one, and it has the place before them
    token_types: int = 0

    @property
    def centered(self) -> bool:
        """Whether norms subtract the mean."""
        return self.norm == LAYER_NORM

    @property
    def pre_norm(self) -> bool:
        """Whether norms come before attention and MLP, so that a state is the sum of all that was added to it."""
        return self.kind == PRE

    def position_count(self) -> int:
        """Return the number of rows of the table of positions."""
        return self.most_tokens + self.first_position


# --- weights at both ends -------------------------------------------------------------------------
class NormWeights(NamedTuple):
    """The numbers of a norm; RMSNorm has no bias."""

    weight: Array
    bias: Array | None


class Dense(NamedTuple):
    """A matrix [in, out] and its bias."""

    matrix: Array
    bias: Array | None


class Embedding(NamedTuple):
    """Tables whose rows add up to the first layer's x."""

    words: Array
    positions: Array | None
    types: Array | None
    norm: NormWeights | None


class Head(NamedTuple):
    """From a hidden state to logits: a layer and norm where the model has them, then a matrix."""

    transform: Dense | None
    norm: NormWeights | None
    decoder: Dense  # [d_model, vocabulary]
    activation: str = ""  # behind `transform`, as the engine calls it


class EndWeights(NamedTuple):
    """The weights at both ends of a model; None for what it does not have."""

    embedding: Embedding
    final_norm: NormWeights | None
    head: Head | None
    pooler: Dense | None


# --- base -----------------------------------------------------------------------------------------
class Family(ABC):
    """One family of models: the names in its config.json and of its tensors, and what they mean."""

    prefixes: ClassVar[tuple[str, ...]]  # that task models put before the names of tensors
    layer_name: ClassVar[str]  # of the tensors of a layer, {} its number
    parts: ClassVar[Mapping[str, str]]  # of a layer: matrices and norms by the engine's names
    biased: ClassVar[tuple[str, ...]] = ()  # the matrices that have a bias, whatever config.json says
    biased_if: ClassVar[Mapping[str, tuple[str, ...]]] = {}  # those that have one by a switch of config.json
    tied: ClassVar[bool] = True  # whether logits are by the embeddings where config.json does not say
    ignored: ClassVar[tuple[str, ...]] = ()  # patterns of the names of tensors that nothing needs: buffers, other tasks

    @abstractmethod
    def architecture(self, config: Config) -> Architecture:
        """Return sizes and rules. Raises FormatError for what is not supported."""

    @abstractmethod
    def ends(self, tensors: CheckpointTensors, config: Config, sizes: Architecture) -> EndWeights:
        """Return the weights at both ends."""

    def layer(self, tensors: CheckpointTensors, config: Config, sizes: Architecture, number: int) -> dict[str, Array]:
        """Return the numbers of a layer by the fields of a problem; those of its block without `block.` in front."""
        found: dict[str, Array] = {}
        base = self.layer_name.format(number)
        for part, shape in _matrices(sizes).items():
            dense = self.dense(tensors, base + self.parts[part], *shape, biased=part in self.with_bias(config))
            found[f"w_{part}"] = dense.matrix
            found |= {} if dense.bias is None else {f"b_{part}": dense.bias}
        for part in ("norm1", "norm2"):
            norm = self.norm(tensors, base + self.parts[part], sizes)
            found[f"{part}_weight"] = norm.weight
            found |= {} if norm.bias is None else {f"{part}_bias": norm.bias}
        return found

    def with_bias(self, config: Config) -> set[str]:
        """Return the names of the matrices of a layer that have a bias."""
        chosen = (parts for switch, parts in self.biased_if.items() if config.flag(switch, False))
        return {*self.biased, *chain(*chosen)}

    def dense(self, tensors: CheckpointTensors, name: str, width: int, out: int, *, biased: bool) -> Dense:
        """Return a matrix [in, out] with its bias; files hold the matrix as [out, in]."""
        bias = tensors.array(f"{name}.bias", out) if biased else None
        return Dense(tensors.array(f"{name}.weight", out, width).T, bias)

    def norm(self, tensors: CheckpointTensors, name: str, sizes: Architecture) -> NormWeights:
        """Return the numbers of a norm over a token's vector."""
        bias = tensors.array(f"{name}.bias", sizes.d_model) if sizes.centered else None
        return NormWeights(tensors.array(f"{name}.weight", sizes.d_model), bias)

    def decoder(
        self, tensors: CheckpointTensors, config: Config, sizes: Architecture, own: str, words: Array
    ) -> Array | None:
        """Return the matrix of the logits [d_model, vocabulary]: its own tensor, or that of the embeddings where they
        are tied.

        None where there is neither, and for a class of models without such a head.
        """
        if own in tensors:
            return tensors.array(own, sizes.vocabulary, sizes.d_model).T
        return words.T if config.flag("tie_word_embeddings", self.tied) and not classes_without_head(config) else None

    def plain_head(self, tensors: CheckpointTensors, config: Config, sizes: Architecture, words: Array) -> Head | None:
        """Return the head that is its matrix alone."""
        matrix = self.decoder(tensors, config, sizes, "lm_head.weight", words)
        return None if matrix is None else Head(None, None, Dense(matrix, None))


def classes_without_head(config: Config) -> tuple[str, ...]:
    """Return the classes that config.json names, if none of them predicts tokens."""
    named = config.given("architectures")
    classes = tuple(name for name in named if isinstance(name, str)) if isinstance(named, list) else ()
    return () if any(part in name for name in classes for part in PREDICTING) else classes


def head_width(config: Config, d_model: int, heads: int) -> int:
    """Return the width of one head. Raises FormatError where heads cannot share the columns evenly."""
    if d_model % heads:
        raise config.refusal(UNEVEN, heads=heads, columns=d_model)
    return d_model // heads


def _matrices(sizes: Architecture) -> dict[str, tuple[int, int]]:
    """Return {name: (rows, columns)} of the matrices of a layer."""
    d, mlp = sizes.d_model, sizes.d_mlp
    queries, keys = sizes.num_heads * sizes.d_head, sizes.num_kv_heads * sizes.d_head
    found = {"query": (d, queries), "key": (d, keys), "value": (d, keys), "output": (queries, d)}
    return found | {"up": (d, mlp), "down": (mlp, d)} | ({"gate": (d, mlp)} if sizes.gated else {})


# --- BERT -----------------------------------------------------------------------------------------
class HeadNames(NamedTuple):
    """Names of the tensors of a head, and its activation."""

    transform: str
    norm: str
    decoder: str
    biases: tuple[str, ...]  # the first that the file has is read
    activation: str | None = None  # that of the head; None where it has that of the layers


class Bert(Family):
    """BERT: an encoder with LayerNorm behind attention and MLP, and a head that fills masks.

    Source: Devlin et al., "BERT" (2019).
    """

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
    biased: ClassVar = (*ATTENTION, "up", "down")
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

    def ends(self, tensors: CheckpointTensors, config: Config, sizes: Architecture) -> EndWeights:
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

    def _head(self, tensors: CheckpointTensors, config: Config, sizes: Architecture, words: Array) -> Head | None:
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
    """Return the sizes and rules that BERT and its relatives share."""
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


class DistilBert(Bert):
    """DistilBERT: BERT without token types, under other names. Source: Sanh et al., "DistilBERT" (2019)."""

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


class Gpt2(Family):
    """GPT-2: a decoder with LayerNorm before attention and MLP; its matrices lie [in, out], Q, K and V side by side.

    Source: Radford et al., "Language Models are Unsupervised Multitask Learners" (2019).
    """

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
            causal=config.flag("is_causal", True),
            scales=tuple(scale / (number + 1 if falling else 1) for number in range(layers)),
            windows=(None,) * layers,
        )

    def layer(self, tensors: CheckpointTensors, config: Config, sizes: Architecture, number: int) -> dict[str, Array]:
        found = super().layer(tensors, config, sizes, number)
        d = sizes.d_model
        for part, place in PLACES.items():
            for name in (f"w_{part}", f"b_{part}"):
                found[name] = found[name][..., place * d : (place + 1) * d]
        return found

    def dense(self, tensors: CheckpointTensors, name: str, width: int, out: int, *, biased: bool) -> Dense:
        out = 3 * out if name.endswith(FUSED) else out
        return Dense(tensors.array(f"{name}.weight", width, out), tensors.array(f"{name}.bias", out))

    def ends(self, tensors: CheckpointTensors, config: Config, sizes: Architecture) -> EndWeights:
        words = tensors.array("wte.weight", sizes.vocabulary, sizes.d_model)
        positions = tensors.array("wpe.weight", sizes.position_count(), sizes.d_model)
        head = self.plain_head(tensors, config, sizes, words)
        return EndWeights(Embedding(words, positions, None, None), self.norm(tensors, "ln_f", sizes), head, None)


class Llama(Family):
    """Llama 1 to 3: a decoder with RMSNorm before attention and a gated MLP, rotary positions, K/V heads shared.

    Source: Touvron et al., "LLaMA" (2023).
    """

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
    biased_if: ClassVar = {"attention_bias": ATTENTION, "mlp_bias": MLP}
    ignored = ("*rotary_emb.inv_freq", "*rotary_emb.*_cached")

    def architecture(self, config: Config) -> Architecture:
        config.check(partial_rotary_factor=1.0, num_experts=0, num_local_experts=0)
        layers = config.count("num_hidden_layers", most=MOST_LAYERS)
        heads, d_model = config.count("num_attention_heads", most=MOST_HEADS), config.count("hidden_size")
        shared = config.count("num_key_value_heads", heads, most=heads)
        if heads % shared:
            raise config.refusal(UNEVEN, heads=shared, columns=heads)
        given = config.given("head_dim") is not None
        width = config.count("head_dim") if given else head_width(config, d_model, heads)
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
        """Return the window of each layer; None where a query sees all earlier keys."""
        return (None,) * layers

    def ends(self, tensors: CheckpointTensors, config: Config, sizes: Architecture) -> EndWeights:
        words = tensors.array("embed_tokens.weight", sizes.vocabulary, sizes.d_model)
        head = self.plain_head(tensors, config, sizes, words)
        return EndWeights(Embedding(words, None, None, None), self.norm(tensors, "norm", sizes), head, None)


class Mistral(Llama):
    """Mistral: Llama with a window in every layer. Source: Jiang et al., "Mistral 7B" (2023)."""

    biased_if: ClassVar = {}

    def windows(self, config: Config, layers: int) -> tuple[int | None, ...]:
        sliding = "sliding_window" not in config or config.given("sliding_window") is not None
        return layer_windows(config, layers, [sliding] * layers, ruled="sliding_window")


class Qwen2(Llama):
    """Qwen2 and 2.5: Llama with biases of Q, K and V, and windows in its upper layers where they are switched on.

    Source: Yang et al., "Qwen2 Technical Report" (2024).
    """

    biased: ClassVar[tuple[str, ...]] = ("query", "key", "value")
    biased_if: ClassVar = {}

    def windows(self, config: Config, layers: int) -> tuple[int | None, ...]:
        if not config.flag("use_sliding_window", False):
            return layer_windows(config, layers, [False] * layers, ruled="use_sliding_window")
        first = config.count("max_window_layers", 28, least=0)
        return layer_windows(config, layers, [number >= first for number in range(layers)])


class Qwen3(Qwen2):
    """Qwen3: Qwen2 without biases, and an RMSNorm over each head of Q and K before they are turned.

    Source: Yang et al., "Qwen3 Technical Report" (2025).
    """

    biased: ClassVar = ()
    biased_if: ClassVar = {"attention_bias": ATTENTION}

    def layer(self, tensors: CheckpointTensors, config: Config, sizes: Architecture, number: int) -> dict[str, Array]:
        base = self.layer_name.format(number)
        norms = {
            field: tensors.array(f"{base}self_attn.{name}.weight", sizes.d_head)
            for field, name in (("query_norm", "q_norm"), ("key_norm", "k_norm"))
        }
        return super().layer(tensors, config, sizes, number) | norms


class Roberta(Bert):
    """RoBERTa: BERT with positions that count from behind the padding, and a head of other names.

    Source: Liu et al., "RoBERTa" (2019).
    XLM-RoBERTa and CamemBERT are the same with other vocabularies: Conneau et al. (2020), Martin et al. (2020).
    """

    prefixes = ("roberta.",)
    head_names: ClassVar = HeadNames(
        "lm_head.dense",
        "lm_head.layer_norm",
        "lm_head.decoder.weight",
        ("lm_head.decoder.bias", "lm_head.bias"),
        activation="gelu",
    )

    def architecture(self, config: Config) -> Architecture:
        padding = config.count("pad_token_id", 1, least=0)
        most = config.count("max_position_embeddings", least=padding + 2) - padding - 1
        return replace(super().architecture(config), most_tokens=most, first_position=padding + 1, padding_id=padding)


# --- catalog --------------------------------------------------------------------------------------
FAMILIES: dict[str, Family] = {
    "bert": Bert(),
    "roberta": Roberta(),
    "xlm-roberta": Roberta(),
    "camembert": Roberta(),
    "distilbert": DistilBert(),
    "gpt2": Gpt2(),
    "llama": Llama(),
    "mistral": Mistral(),
    "qwen2": Qwen2(),
    "qwen3": Qwen3(),
}
"""The families by their name in config.json, `model_type`."""
