"""A published checkpoint: sizes, numbers and tokenizer of a folder, and runs of texts through it."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from attn_gui.engine.arrays import Array
from attn_gui.engine.problem import sentences
from attn_gui.engine.problem.checks import as_array
from attn_gui.engine.problem.errors import FieldError, ShapeError
from attn_gui.engine.tell import Tell, silent
from attn_gui.formats.base import PathText
from attn_gui.formats.file_sentences import QT_TRANSLATE_NOOP, shown
from attn_gui.models.families import FAMILIES
from attn_gui.models.families.architecture import Architecture
from attn_gui.models.families.end_weights import EndWeights
from attn_gui.models.passes.edited_layer import AnyLayer, edited, plain_layer
from attn_gui.models.passes.layer_changes import checked_layer, layer_changes
from attn_gui.models.passes.layer_walk import Layer
from attn_gui.models.passes.sequence import Sequence, checked_sequence
from attn_gui.models.reading.config_file import Config
from attn_gui.models.reading.model_files import CONFIG, check_folder, folder_digest, json_file
from attn_gui.models.reading.sentence_pooling import Pooling, pooling_in
from attn_gui.models.reading.tensor_files import tensors_in
from attn_gui.models.reading.tokenizer_file import TokenizerFile
from attn_gui.models.run import Run, first_run
from attn_gui.models.studies.layer_edit import LayerEdit

_FAMILY = QT_TRANSLATE_NOOP("Sentences", "{file}: the model type {got} is not supported; expected {choices}.")
_QUANTIZED = QT_TRANSLATE_NOOP("Sentences", "{file}: quantized weights (quantization_config) are not supported.")
_ONE_INPUT = QT_TRANSLATE_NOOP("Sentences", "Give either a text or ids.")
_WEIGHT = QT_TRANSLATE_NOOP("Sentences", "{field} is no table of a layer of this model; it has {choices}.")


class Model:
    """A checkpoint, ready to run. Its numbers are never changed: `with_weights` makes another model."""

    def __init__(
        self,
        family: str,
        sizes: Architecture,
        ends: EndWeights,
        layers: tuple[AnyLayer, ...],
        folder: Path,
        pooling: Pooling | None,
        name: str,
    ) -> None:
        self.family, self.sizes, self.ends, self.layers = family, sizes, ends, layers
        self.folder, self.pooling, self.name = folder, pooling, name
        self.tokenizer = TokenizerFile(folder)

    @property
    def num_layers(self) -> int:
        return self.sizes.num_layers

    @property
    def num_heads(self) -> int:
        return self.sizes.num_heads

    @property
    def num_kv_heads(self) -> int:
        return self.sizes.num_kv_heads

    @cached_property
    def digest(self) -> str:
        """SHA-256 of config.json and the weights in its folder: what a file may name the checkpoint by."""
        return folder_digest(self.folder)

    def __repr__(self) -> str:
        shared = "" if self.num_heads == self.num_kv_heads else f" on {self.num_kv_heads}"
        return f"Model({self.family}, {self.num_layers} layers, {self.num_heads} heads{shared}, {self.name})"

    def run(
        self,
        text: str | tuple[str, str] | None = None,
        *,
        ids: Any = None,
        type_ids: Any = None,
        mask: Any = None,
        interventions: Any = (),
        tell: Tell = silent,
    ) -> Run:
        """A text, or ids, through all layers.

        text           cut by the model's tokenizer; a pair of texts where the model reads pairs
        ids, type_ids  whole numbers, one for each token; `mask` is 0 where a token is padding
        interventions  as those of a problem, each with its `layer`
        `tell` is told the share of the layers that is done; what it raises ends the run.
        Raises FormatError, FieldError, FieldTypeError or ShapeError, each with one sentence.
        """
        sequence = self.read(text, ids=ids, type_ids=type_ids, mask=mask)
        return first_run(self, sequence, layer_changes(interventions, self.num_layers), tell)

    def read(
        self, text: str | tuple[str, str] | None = None, *, ids: Any = None, type_ids: Any = None, mask: Any = None
    ) -> Sequence:
        """The tokens of a text, or of ids, as `run` takes them; raises what it does."""
        if (text is None) == (ids is None):
            raise FieldError(_ONE_INPUT)
        if text is not None:
            cut = self.tokenizer.cut((text,) if isinstance(text, str) else tuple(text))
            ids, type_ids = cut.ids, cut.type_ids if self.sizes.token_types > 1 and type_ids is None else type_ids
        found, types, padding = checked_sequence(self.sizes, ids, type_ids, mask)
        return Sequence(found, types, padding, self.tokenizer.tokens(found), self.tokenizer.texts(found))

    def with_edits(self, edits: Mapping[int, LayerEdit]) -> Model:
        """A model with these changes by hand and no others; a layer of which they are the same stays the same."""
        made = copy.copy(self)
        made.layers = tuple(edited(layer, edits.get(number)) for number, layer in enumerate(self.layers))
        return made

    def with_weights(self, layer: int, weights: Mapping[str, Any]) -> Model:
        """A model with other numbers in one layer, by the names of a problem's arrays (`w_query`, `block.w_up`).

        All others are shared. Raises FieldError or ShapeError.
        """
        one = plain_layer(self.layers[checked_layer(layer, self.num_layers)])
        changed = {name.removeprefix("block."): _checked(name, one.weights, array) for name, array in weights.items()}
        made = copy.copy(self)
        new = Layer(one.sizes, one.number, {**one.weights, **changed})
        made.layers = (*self.layers[:layer], new, *self.layers[layer + 1 :])
        return made


def open_model(folder: PathText, tell: Tell = silent, *, name: str = "") -> Model:
    """The checkpoint in a folder of config.json, safetensors and tokenizer.json.

    bert, roberta, distilbert, gpt2, llama, mistral, qwen2, qwen3; weights as F32, F16 or BF16. `tell` is told the share
    of the weights that is looked through; what it raises ends the opening. `name` is what it is called in place of
    its folder.
    Raises FormatError, one sentence, for what is damaged or not supported.
    """
    folder = Path(folder)
    check_folder(folder)
    config = Config(json_file(folder / CONFIG), folder / CONFIG)
    family = FAMILIES.get(str(config.given("model_type")))
    if family is None:
        raise config.refusal(_FAMILY, got=shown(str(config.given("model_type"))), choices=", ".join(FAMILIES))
    if config.given("quantization_config") is not None:
        raise config.refusal(_QUANTIZED)
    sizes = family.architecture(config)
    pooling = pooling_in(folder)
    tensors = tensors_in(folder, family.prefixes)
    ends = family.ends(tensors, config, sizes)
    layers = tuple(
        Layer(sizes, number, family.layer(tensors, config, sizes, number)) for number in range(sizes.num_layers)
    )
    tensors.check(tell)
    return Model(family.key, sizes, ends, layers, folder, pooling, name or folder.name)


def _checked(name: str, weights: Mapping[str, Array], given: object) -> Array:
    known = name.removeprefix("block.")
    if known not in weights:
        raise FieldError(_WEIGHT, field=name, choices=tuple(weights))
    found = as_array(name, given, np.dtype(np.float32), axes=range(3), copy=True)
    if found.shape != weights[known].shape:
        raise ShapeError(sentences.BROADCAST, matrices=(name,), axes=(), expected=weights[known].shape, got=found.shape)
    return found
