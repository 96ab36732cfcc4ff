"""A model: a checkpoint that is ready to run texts."""

from __future__ import annotations

import copy
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

import numpy as np

from attn_gui.engine.arrays import Array
from attn_gui.engine.problem import sentences
from attn_gui.engine.problem.checks import as_array
from attn_gui.engine.problem.errors import FieldError, ShapeError
from attn_gui.engine.tell import Tell, silent
from attn_gui.formats.base import PathText
from attn_gui.formats.file_sentences import QT_TRANSLATE_NOOP, shown
from attn_gui.models.checkpoint import Checkpoint
from attn_gui.models.families import FAMILIES
from attn_gui.models.passes.edited_layer import EditedLayer, edited, plain_layer
from attn_gui.models.passes.layer_changes import checked_layer, layer_changes
from attn_gui.models.passes.layer_walk import Layer
from attn_gui.models.reading.config_file import Config
from attn_gui.models.reading.model_files import CONFIG, check_folder, json_file
from attn_gui.models.reading.sentence_pooling import pooling_in
from attn_gui.models.reading.tensor_files import tensors_in
from attn_gui.models.run import Run, first_run

_FAMILY = QT_TRANSLATE_NOOP("Sentences", "{file}: the model type {got} is not supported; expected {choices}.")
_WEIGHT = QT_TRANSLATE_NOOP("Sentences", "{field} is no table of a layer of this model; it has {choices}.")
_QUANTIZED = QT_TRANSLATE_NOOP("Sentences", "{file}: quantized weights (quantization_config) are not supported.")


class Model(Checkpoint):
    """A checkpoint, and the runs of texts through it; `with_weights` makes another one of other numbers."""

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

    def with_weights(self, layer: int, weights: Mapping[str, Any]) -> Self:
        """Model with other numbers in one layer, by the names of a problem's arrays (`w_query`, `block.w_up`).

        All others are shared; what is changed by hand in the layer stays so. Raises FieldError or ShapeError.
        """
        known = self.layers[checked_layer(layer, self.num_layers)]
        one, edit = plain_layer(known), known.edit if isinstance(known, EditedLayer) else None
        changed = {name.removeprefix("block."): _checked(name, one.weights, array) for name, array in weights.items()}
        made = copy.copy(self)
        new = Layer(one.sizes, one.number, {**one.weights, **changed})
        made.layers = (*self.layers[:layer], edited(new, edit), *self.layers[layer + 1 :])
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
    tensors.check_memory()
    ends = family.ends(tensors, config, sizes)
    layers = tuple(
        Layer(sizes, number, family.layer(tensors, config, sizes, number)) for number in range(sizes.num_layers)
    )
    tensors.check(tell)
    return Model(family.key, sizes, ends, layers, folder, pooling, name or Path(os.path.abspath(folder)).name)


def _checked(name: str, weights: Mapping[str, Array], given: object) -> Array:
    known = name.removeprefix("block.")
    if known not in weights:
        raise FieldError(_WEIGHT, field=name, choices=tuple(weights))
    found = as_array(name, given, np.dtype(np.float32), axes=range(3), copy=True)
    if found.shape != weights[known].shape:
        raise ShapeError(sentences.BROADCAST, matrices=(name,), axes=(), expected=weights[known].shape, got=found.shape)
    return found
