"""Base class of families: reads config and tensors into sizes and weights by the engine's names, y = x W + b."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import ClassVar

from attn_gui.engine.arrays import Array
from attn_gui.formats.file_sentences import QT_TRANSLATE_NOOP
from attn_gui.models.families.architecture import Architecture
from attn_gui.models.families.end_weights import Dense, EndWeights, NormWeights
from attn_gui.models.reading.config_file import Config
from attn_gui.models.reading.tensor_files import Tensors

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

UNEVEN = QT_TRANSLATE_NOOP("Sentences", "{file}: {heads} heads cannot share {columns} columns evenly.")
MOST_LAYERS = 1000
MOST_HEADS = 4096


class Family(ABC):
    """One family: the names in its config.json and of its tensors, and their meaning."""

    prefixes: ClassVar[tuple[str, ...]]  # that task models put before the names of tensors
    layer_name: ClassVar[str]  # of the tensors of a layer, {} its number
    parts: ClassVar[Mapping[str, str]]  # of a layer: matrices and norms by the engine's names
    biased: ClassVar[frozenset[str]] = frozenset()  # the matrices that have a bias, whatever config.json says
    tied: ClassVar[bool] = True  # whether logits are by the embeddings where config.json does not say
    ignored: ClassVar[tuple[str, ...]] = ()  # patterns of the names of tensors that nothing needs: buffers, other tasks

    @abstractmethod
    def architecture(self, config: Config) -> Architecture:
        """The sizes and rules. Raises FormatError for what is not supported."""

    @abstractmethod
    def ends(self, tensors: Tensors, config: Config, sizes: Architecture) -> EndWeights:
        """The numbers at both ends."""

    def layer(self, tensors: Tensors, config: Config, sizes: Architecture, number: int) -> dict[str, Array]:
        """The numbers of a layer by the fields of a problem; those of its block without `block.` before them."""
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

    def with_bias(self, config: Config) -> frozenset[str]:
        """The matrices of a layer that have a bias."""
        return self.biased

    def dense(self, tensors: Tensors, name: str, width: int, out: int, *, biased: bool) -> Dense:
        """A matrix [in, out], which files hold as [out, in]."""
        bias = tensors.array(f"{name}.bias", out) if biased else None
        return Dense(tensors.array(f"{name}.weight", out, width).T, bias)

    def norm(self, tensors: Tensors, name: str, sizes: Architecture) -> NormWeights:
        """The numbers of a norm over a token's vector."""
        bias = tensors.array(f"{name}.bias", sizes.d_model) if sizes.centered else None
        return NormWeights(tensors.array(f"{name}.weight", sizes.d_model), bias)

    def decoder(self, tensors: Tensors, config: Config, sizes: Architecture, own: str, words: Array) -> Array | None:
        """The matrix of the logits [d_model, vocabulary]: a tensor of its own, else that of the embeddings.

        None where the two are not tied and there is none, and for a class of models that has no such head.
        """
        if own in tensors:
            return tensors.array(own, sizes.vocabulary, sizes.d_model).T
        return words.T if config.flag("tie_word_embeddings", self.tied) and not classes_without_head(config) else None


def classes_without_head(config: Config) -> tuple[str, ...]:
    """The classes that config.json names, if none of them has a head that predicts tokens."""
    named = config.given("architectures")
    classes = tuple(name for name in named if isinstance(name, str)) if isinstance(named, list) else ()
    return () if any(part in name for name in classes for part in PREDICTING) else classes


def head_width(config: Config, d_model: int, heads: int) -> int:
    """The columns of one head where they share those of a token evenly. Raises FormatError where they cannot."""
    if d_model % heads:
        raise config.refusal(UNEVEN, heads=heads, columns=d_model)
    return d_model // heads


def _matrices(sizes: Architecture) -> dict[str, tuple[int, int]]:
    """(rows, columns) of every matrix of a layer."""
    d, mlp = sizes.d_model, sizes.d_mlp
    queries, keys = sizes.num_heads * sizes.d_head, sizes.num_kv_heads * sizes.d_head
    found = {"query": (d, queries), "key": (d, keys), "value": (d, keys), "output": (queries, d)}
    return found | {"up": (d, mlp), "down": (mlp, d)} | ({"gate": (d, mlp)} if sizes.gated else {})
