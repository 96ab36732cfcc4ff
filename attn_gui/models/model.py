"""A model: a checkpoint that is ready to run texts."""

from __future__ import annotations

import copy
import os
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Self

import numpy as np

from attn_gui.engine import sentences
from attn_gui.engine.arrays import Array
from attn_gui.engine.checks import as_array
from attn_gui.engine.errors import FieldError, ShapeError
from attn_gui.engine.progress import Tell, silent
from attn_gui.formats.base import PathText
from attn_gui.formats.file_sentences import QT_TRANSLATE_NOOP, Note, shown
from attn_gui.models.checkpoint import Checkpoint
from attn_gui.models.families import FAMILIES, Family
from attn_gui.models.families.family import classes_without_head
from attn_gui.models.passes.edited_layer import EditedLayer, edited, plain_layer
from attn_gui.models.passes.layer_changes import checked_layer, layer_changes
from attn_gui.models.passes.layer_walk import Layer
from attn_gui.models.reading.config_file import Config
from attn_gui.models.reading.model_files import CONFIG, check_folder, json_file
from attn_gui.models.reading.sentence_pooling import pooling_in
from attn_gui.models.reading.tensor_files import Tensors, tensors_in
from attn_gui.models.run import Run, first_run

NAMED = 4  # tensors that a note names
_FAMILY = QT_TRANSLATE_NOOP("Sentences", "{file}: the model type {got} is not supported; expected {choices}.")
_NO_FAMILY = QT_TRANSLATE_NOOP(
    "Sentences", "{file} does not say what kind of model this is: model_type is missing; expected {choices}."
)
_UNREAD = QT_TRANSLATE_NOOP(
    "Sentences",
    "Tensors not read: {names} ({count} in all); a model of type {family} with this config.json does not use them.",
)
_HEADLESS = QT_TRANSLATE_NOOP(
    "Sentences", "Nothing is predicted: by its config.json (architectures) this is a {got}, which has no head for that."
)
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

    bert, roberta, xlm-roberta, camembert, distilbert, gpt2, llama, mistral, qwen2, qwen3; weights as F32, F16 or BF16.
    `tell` is told the share of the weights that is looked through; what it raises ends the opening. `name` is what it
    is called in place of its folder. What the folder holds and is not used is a UserWarning.
    Raises FormatError, one sentence, for what is damaged or not supported.
    """
    found = read_model(folder, tell, name=name)
    for note in found.notes:
        warnings.warn(f"{found.name}: {note}", UserWarning, stacklevel=2)
    return found


def read_model(folder: PathText, tell: Tell = silent, *, name: str = "") -> Model:
    """Open a checkpoint as `open_model` does; what it would warn of are the model's `notes`."""
    folder = Path(folder)
    check_folder(folder)
    config = Config(json_file(folder / CONFIG), folder / CONFIG)
    if (key := config.given("model_type")) is None:
        raise config.refusal(_NO_FAMILY, choices=", ".join(FAMILIES))
    family = FAMILIES.get(str(key))
    if family is None:
        raise config.refusal(_FAMILY, got=shown(str(key)), choices=", ".join(FAMILIES))
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
    notes = tuple(_notes(str(key), family, config, tensors, sizes.causal and ends.head is None))
    return Model(str(key), sizes, ends, layers, folder, pooling, name or Path(os.path.abspath(folder)).name, notes)


def _notes(key: str, family: Family, config: Config, tensors: Tensors, mute: bool) -> Iterator[Note]:
    """What the folder holds and is not used, and why a decoder predicts nothing, if it is `mute`."""
    if unread := tensors.unread(family.ignored):
        names = (*(shown(name, 80) for name in unread[:NAMED]), *("…" for _ in unread[NAMED : NAMED + 1]))
        yield Note(_UNREAD, count=len(unread), family=key, names=names)
    classes = classes_without_head(config)
    if mute and classes:
        yield Note(_HEADLESS, got=shown(classes[0]))


def _checked(name: str, weights: Mapping[str, Array], given: object) -> Array:
    known = name.removeprefix("block.")
    if known not in weights:
        raise FieldError(_WEIGHT, field=name, choices=tuple(weights))
    found = as_array(name, given, np.dtype(np.float32), axes=range(3), copy=True)
    if found.shape != weights[known].shape:
        raise ShapeError(sentences.BROADCAST, matrices=(name,), axes=(), expected=weights[known].shape, got=found.shape)
    return found
