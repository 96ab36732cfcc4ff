"""A model opened: its name, notes on tensors not read; a run of a text: predictions, maps, gradients, patches."""

from __future__ import annotations

import copy
import os
import warnings
from collections.abc import Collection, Iterator, Mapping
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Self

import numpy as np

from attn_gui.engine import errors
from attn_gui.engine.analysis.head_readings import READINGS
from attn_gui.engine.arrays import Array, Progress, check, silent, within
from attn_gui.engine.checks import as_array, as_whole, kind_of
from attn_gui.engine.errors import FieldError, FieldTypeError, ShapeError, StageError
from attn_gui.engine.evaluation.threads import one_blas_thread
from attn_gui.engine.evaluation.trace import evaluation_of
from attn_gui.engine.graph.stage import Role
from attn_gui.engine.problem import Problem
from attn_gui.engine.stages import STAGE, stage_of
from attn_gui.formats.file_format import PathText
from attn_gui.formats.file_messages import FileNote, shown
from attn_gui.formats.problem_fields import listed
from attn_gui.languages import N_
from attn_gui.models import changed_layers, checkpoint_files, forward_pass
from attn_gui.models.backward_pass import GRADIENT_MAPS, head_gradient, layer_gradients
from attn_gui.models.families import FAMILIES, Architecture, EndWeights, Family, classes_without_head
from attn_gui.models.tokenizer import TokenizerFile, TokenSequence, checked_sequence

_ONE_INPUT = N_("Give either a text or ids.")
_UNKNOWN = N_("This model does not know {parts}: “{token}” stands there instead.")
_TEXTS = N_("text must be a text, or a pair of them, got {got}.")

LONGEST = 60  # letters of the text that stand in the name of a run
MAPS = 3  # of one layer, that are held at a time
_NO_HEAD = N_("This model has no head that predicts tokens.")
_NO_POSITION = N_("There is no place {got} among the tokens; there are {count} of them.")
_NO_TOKEN = N_("“{got}” is no token of this model.")

NAMED = 4  # tensors that a note names
_FAMILY = N_("{file}: the model type {got} is not supported; expected {choices}.")
_NO_FAMILY = N_("{file} does not say what kind of model this is: model_type is missing; expected {choices}.")
_UNREAD = N_(
    "Tensors not read: {names} ({count} in all); a model of type {family} with this config.json does not use them.",
)
_OTHER_MATRIX = N_(
    "By config.json (tie_word_embeddings) logits are products with the embeddings; the files hold another matrix for "
    "them, which is taken, as transformers 5 does.",
)
_HEADLESS = N_("Nothing is predicted: by its config.json (architectures) this is a {got}, which has no head for that.")
_UNTIED = N_(
    "Nothing is predicted: the tensor “lm_head.weight” is missing, and by config.json (tie_word_embeddings) the "
    "embeddings do not take its place.",
)
_WEIGHT = N_("{field} is no table of a layer of this model; it has {choices}.")
_OWN_CODE = N_(
    "config.json names code of its own (auto_map), which is not run: numbers are computed as for any model of type "
    "{family}.",
)
_QUANTIZED = N_("{file}: quantized weights (quantization_config) are not supported.")


class Model:
    """A published checkpoint: sizes, weights and tokenizer of a folder.

    Its weights never change: `with_edits` and `with_weights` return another model.
    """

    def __init__(
        self,
        family: str,
        sizes: Architecture,
        ends: EndWeights,
        layers: tuple[changed_layers.AnyLayer, ...],
        folder: Path,
        pooling: checkpoint_files.Pooling | None,
        name: str,
        notes: tuple[FileNote, ...] = (),
    ) -> None:
        """Make a model of a folder's parts; `notes` are sentences on what the folder holds and is not used."""
        self.family, self.sizes, self.ends, self.layers = family, sizes, ends, layers
        self.folder, self.pooling, self.name, self.notes = folder, pooling, name, notes
        self.tokenizer = TokenizerFile(folder)
        self._opened = checkpoint_files.folder_stamps(folder)

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
        """SHA-256 of config.json and the weights in its folder, by which a file names the checkpoint.

        Raises FormatError where the folder holds other files now.
        """
        return checkpoint_files.folder_digest(self.folder, self._opened)

    def __repr__(self) -> str:
        shared = "" if self.num_heads == self.num_kv_heads else f" on {self.num_kv_heads}"
        sizes = f"{self.num_layers} layers, {self.num_heads} heads{shared}"
        return f"{type(self).__name__}({self.family}, {sizes}, {self.name})"

    def read(
        self, text: str | tuple[str, str] | None = None, *, ids: Any = None, type_ids: Any = None, mask: Any = None
    ) -> TokenSequence:
        """Return the tokens of a text, or of ids, given as to `run`. Raises what `run` raises."""
        if (text is None) == (ids is None):
            raise FieldError(_ONE_INPUT)
        notes: tuple[FileNote, ...] = ()
        if text is not None:
            cut = self.tokenizer.cut(_texts(text))
            if cut.unknown:
                notes = (FileNote(_UNKNOWN, parts=listed(cut.unknown), token=cut.stand_in),)
            ids, type_ids = cut.ids, cut.type_ids if self.sizes.token_types > 1 and type_ids is None else type_ids
        found, types, padding = checked_sequence(self.sizes, ids, type_ids, mask)
        return TokenSequence(found, types, padding, self.tokenizer.tokens(found), self.tokenizer.texts(found), notes)

    def with_edits(self, edits: Mapping[int, changed_layers.LayerEdit]) -> Self:
        """Return the checkpoint with exactly these edits; layers whose edit stays the same are shared."""
        made = copy.copy(self)
        made.layers = tuple(changed_layers.edited(layer, edits.get(number)) for number, layer in enumerate(self.layers))
        return made

    def run(
        self,
        text: str | tuple[str, str] | None = None,
        *,
        ids: Any = None,
        type_ids: Any = None,
        mask: Any = None,
        interventions: Any = (),
        progress: Progress = silent,
    ) -> Run:
        """Run a text, or token ids, through all layers.

        text           cut by the model's tokenizer; a pair of texts where the model reads pairs
        ids, type_ids  whole numbers, one for each token; `mask` is 0 where a token is padding
        interventions  as those of a problem, each with its `layer`
        `progress` is called with the share of the layers that is done; what it raises ends the run.
        Raises FormatError, FieldError, FieldTypeError or ShapeError, each with one sentence.
        """
        sequence = self.read(text, ids=ids, type_ids=type_ids, mask=mask)
        changes = changed_layers.layer_changes(interventions, self.num_layers)
        n = len(sequence.ids)
        check(4 * (MAPS * self.num_heads * n * n + (self.num_layers + 1) * n * self.sizes.d_model))
        first = (forward_pass.embed_tokens(self.ends, self.sizes, sequence),)
        return Run(self, sequence, changes, _continued(self.layers, sequence, changes, first, progress))

    def with_weights(self, layer: int, weights: Mapping[str, Any]) -> Self:
        """Return the model with other weights in one layer, by the names of a problem's arrays (`w_query`,
        `block.w_up`).

        All others are shared; interventions and other edits of the layer stay. Raises FieldError or ShapeError.
        """
        known = self.layers[changed_layers.checked_layer(layer, self.num_layers)]
        one, edit = (
            changed_layers.plain_layer(known),
            known.edit if isinstance(known, changed_layers.EditedLayer) else None,
        )
        changed = {name.removeprefix("block."): _checked(name, one.weights, array) for name, array in weights.items()}
        made = copy.copy(self)
        new = forward_pass.ModelLayer(one.sizes, one.number, {**one.weights, **changed})
        made.layers = (*self.layers[:layer], changed_layers.edited(new, edit), *self.layers[layer + 1 :])
        return made


def _texts(given: object) -> tuple[str, ...]:
    match given:
        case str():
            return (given,)
        case [str()] | [str(), str()]:
            return tuple(given)
    raise FieldTypeError(_TEXTS, got=kind_of(given))


class Run:
    """One text run through one model, with interventions; `replace` returns another run."""

    def __init__(
        self,
        model: Model,
        sequence: TokenSequence,
        interventions: tuple[changed_layers.LayerChange, ...],
        states: tuple[Array, ...],
    ) -> None:
        self.model, self.sequence, self.interventions = model, sequence, interventions
        self.states = states  # each layer's x, and the last layer's output

    def __repr__(self) -> str:
        changes = f", interventions: {len(self.interventions)}" if self.interventions else ""
        return f"Run({self.model.name}, {len(self.ids)} tokens{changes}: {shown(' '.join(self.texts), LONGEST)})"

    @property
    def ids(self) -> tuple[int, ...]:
        return self.sequence.ids

    @property
    def tokens(self) -> tuple[str, ...]:
        """The tokens as the tokenizer writes them."""
        return self.sequence.tokens

    @property
    def notes(self) -> tuple[FileNote, ...]:
        """Sentences on parts of the text that the model's tokenizer does not know."""
        return self.sequence.notes

    @property
    def texts(self) -> tuple[str, ...]:
        """The tokens as a reader expects them, a blank as ␣."""
        return self.sequence.texts

    # --- of one layer ----------------------------------------------------------------------------
    def attention(self, layer: int) -> Array:
        """Return the weights of a layer, (head, query, key)."""
        return self._walked(layer, stage_of(Role.WEIGHT))

    def open_cells(self, layer: int) -> Array | None:
        """Return the cells of a layer's maps that its mask leaves open, (query, key) or (head, query, key) booleans;
        None for all."""
        return changed_layers.open_cells(*self._given(layer))

    def query(self, layer: int) -> Array:
        """Return Q as the scores read it, (head, row, column)."""
        return self._read(layer, "query")

    def key(self, layer: int) -> Array:
        """Return K as the scores read it, (K/V head, row, column)."""
        return self._read(layer, "key")

    def value(self, layer: int) -> Array:
        """Return V, (K/V head, row, column)."""
        return self._read(layer, "value")

    def stage(self, layer: int, stage: str) -> Array:
        """Return a stage of a layer as a trace of its problem gives it, batch axis first. Raises StageError."""
        return self._walked(layer, stage)[None]

    def problem(self, layer: int, *, model: Model | None = None, progress: Progress = silent) -> Problem:
        """Return a layer as a problem of the engine; its `block_output` is the next layer's x.

        With a `model` of other weights, layers below are computed from the first that differs.
        """
        if model is None:
            return changed_layers.problem_of(*self._given(layer))
        one = model.layers[changed_layers.checked_layer(layer, model.num_layers)]
        known = self.states[: min(self._first_other(model, self.interventions), layer) + 1]
        states = _continued(model.layers[:layer], self.sequence, self.interventions, known, progress)
        return changed_layers.problem_of(one, states[layer], self.sequence, _of(self.interventions, layer))

    def readings(self, layer: int | None = None) -> dict[str, Array]:
        """Return {name: numbers} of every head, from its weights: "entropy" (in nats), "largest", "sink", "rank",
        "previous_token", …

        Each is (layer, head), of one layer (head,); NaN where there is nothing to count.
        """
        first = changed_layers.plain_layer(self.model.layers[0])
        plain = changed_layers.layer_problem(first, self.states[0], self.sequence, ())
        if layer is not None:
            return {key: self.reading(key, layer, plain) for key in READINGS}
        layers = range(self.model.num_layers)
        return {key: np.array([self.reading(key, number, plain) for number in layers]) for key in READINGS}

    def reading(self, key: str, layer: int, plain: Problem) -> Array:
        """Return (head,): one of the `readings` of a layer; `plain` is any layer's problem as the model has it."""
        own = self.weights_problem(changed_layers.checked_layer(layer, self.model.num_layers), plain)
        found = np.full(self.model.num_heads, np.nan)
        for head, weights in enumerate(self.attention(layer) if READINGS[key].fits(own) else ()):
            rows = [(slice(0, len(weights)), np.asarray(weights, np.float64))]
            found[head] = READINGS[key].measure(own, partial(iter, rows))
        return found

    def weights_problem(self, layer: int, plain: Problem) -> Problem:
        """Return the problem with the tokens and sizes that the weights of a layer belong to.

        That is `plain`, which all layers share, or the layer's own where an edit may have given it other keys.
        """
        return self.problem(layer) if isinstance(self.model.layers[layer], changed_layers.EditedLayer) else plain

    def is_same(self, other: Run, layer: int) -> bool:
        """Return whether a layer, and its x, are the same in another run, so that all that is read of it is."""
        changes = _of(self.interventions, layer) == _of(other.interventions, layer)
        layers = self.model.layers[layer] is other.model.layers[layer]
        return changes and layers and self.states[layer] is other.states[layer]

    # --- of the whole model ----------------------------------------------------------------------
    @cached_property
    def hidden(self) -> Array:
        """(layers + 1, token, d_model): the embeddings, then each layer's output, the last after the final norm."""
        return np.stack([*self.states[:-1], self._last])

    @cached_property
    def logits(self) -> Array:
        """(token, vocabulary). Raises FieldError where the model has no head, or where they need too much memory."""
        check(4 * len(self.ids) * self.model.sizes.vocabulary)
        return self._scored(self._last)

    @cached_property
    def pooled(self) -> Array | None:
        """(d_model,): the first token through the pooler; None in a model without one."""
        dense = self.model.ends.pooler
        with np.errstate(all="ignore"):
            return None if dense is None else np.tanh(self._last[0] @ dense.matrix + dense.bias)

    @cached_property
    def embedding(self) -> Array | None:
        """(d_model,): the vector of the whole text, as a sentence model pools it; None for other models."""
        if self.model.pooling is None:
            return None
        mask = self.sequence.mask
        with np.errstate(all="ignore"):
            return self.model.pooling(self._last if mask is None else self._last[mask])

    def probabilities(self, position: int = -1) -> Array:
        """Return (vocabulary,): the probability of every token at a position, float64. Raises FieldError."""
        return np.asarray(forward_pass.softmax(self.logits_at(position).astype(np.float64)))

    def predictions(self, position: int = -1, top: int = 20) -> list[tuple[str, float]]:
        """Return the most probable tokens at a position as (token, probability), most probable first."""
        shares = self.probabilities(position)
        order = np.argsort(-shares, kind="stable")[: max(top, 0)]
        tokens = self.model.tokenizer.tokens([int(number) for number in order])
        return list(zip(tokens, map(float, shares[order]), strict=True))

    def logits_at(self, position: int = -1, layer: int | None = None) -> Array:
        """Return (vocabulary,): the logits at a position if `layer` and all later ones were left out (logit lens).

        The final norm is applied to what goes into the head. Raises FieldError.
        """
        place, layers = self.place(position), self.model.num_layers
        state = self.states[layers if layer is None else changed_layers.checked_layer(layer, layers + 1)]
        found = self._scored(forward_pass.final_states(self.model.ends, self.model.sizes, state[place : place + 1]))
        return np.asarray(found[0])

    def place(self, position: int) -> int:
        """Return a position, which may be negative to count from the end. Raises FieldError outside."""
        count, found = len(self.ids), as_whole("position", position)
        if not -count <= found < count:
            raise FieldError(_NO_POSITION, got=found, count=count)
        return found % count

    def token_id(self, token: str | int) -> int:
        """Return the id of a token, given as one or by its text. Raises FieldError."""
        found = token if isinstance(token, (int, np.integer)) else self.model.tokenizer.token_id(token)
        if found is None or not 0 <= found < self.model.sizes.vocabulary:
            raise FieldError(_NO_TOKEN, got=shown(str(token)))
        return int(found)

    def logit_signs(self, token: str | int, against: str | int | None) -> dict[int, float]:
        """Return {token id: sign}: of one token's logit, or of the difference of two. Raises FieldError."""
        signs = {self.token_id(token): 1.0}
        if against is not None:
            other = self.token_id(against)
            signs[other] = signs.get(other, 0.0) - 1.0
        return signs

    def text_of(self, token: str | int) -> str:
        """Return a token, given by id or as the tokenizer writes it, as a reader expects it. Raises FieldError."""
        return self.model.tokenizer.texts([self.token_id(token)])[0]

    # --- other runs ------------------------------------------------------------------------------
    def replace(self, *, model: Model | None = None, interventions: Any = None, progress: Progress = silent) -> Run:
        """Return the run of the same tokens with other interventions, or through a model of other weights.

        Only layers from the first that differs are computed; where none does, this run itself is returned.
        """
        model = self.model if model is None else model
        changes = (
            self.interventions
            if interventions is None
            else changed_layers.layer_changes(interventions, model.num_layers)
        )
        first = self._first_other(model, changes)
        if first == model.num_layers:
            return self
        states = _continued(model.layers, self.sequence, changes, self.states[: first + 1], progress)
        return Run(model, self.sequence, changes, states)

    def gradient(self, token: str | int, layer: int, stage: str, position: int = -1) -> Array:
        """Return the exact gradient of a token's logit at a position with respect to a stage of a layer.

        In the stage's shape, batch axis first, float64 (computed in float32, as the model is); zeros where the logit
        does not depend on a cell. `gradients` gives it of several layers at once.
        Raises FieldError, or StageError where the layer has no such stage.
        """
        ((_, found),) = self.gradients(token, stage, position=position, layers=[layer])
        return found

    def gradients(
        self,
        token: str | int,
        stage: str,
        against: str | int | None = None,
        position: int = -1,
        layers: Collection[int] | None = None,
    ) -> Iterator[tuple[int, Array]]:
        """Return (layer, gradient) pairs: of a token's logit, or of a difference of two, by a stage of each layer.

        All these layers (None: every one) are done in one pass, the last first; gradients are as `gradient` gives them.
        Raises the same.
        """
        model, place = self.model, self.place(position)
        every = range(model.num_layers)
        wanted = (
            every if layers is None else [changed_layers.checked_layer(layer, model.num_layers) for layer in layers]
        )
        if model.ends.head is None:
            raise FieldError(_NO_HEAD)
        signs = self.logit_signs(token, against)
        cotangent = np.zeros(self.states[-1].shape)
        with np.errstate(all="ignore"):
            cotangent[place] = head_gradient(model.ends, model.sizes, self.states[-1][place], signs)
        return self._gradients_down(stage, cotangent, wanted)

    def _gradients_down(self, stage: str, cotangent: Array, layers: Collection[int]) -> Iterator[tuple[int, Array]]:
        """Yield (layer, gradient of Σ cotangent · the last layer's output by a stage of it), the last layer first.

        `cotangent` is (token, d_model). Raises StageError, and FieldError where a layer's maps need too much memory.
        Source: reverse accumulation, Griewank, Walther, "Evaluating Derivatives" (2008), §3.2.
        """
        model = self.model
        check(4 * GRADIENT_MAPS * model.num_heads * len(self.ids) ** 2)
        for number in range(model.num_layers - 1, min(layers, default=model.num_layers) - 1, -1):
            found = layer_gradients(*self._given(number), stage, cotangent)
            if number in layers:
                if stage not in found or stage == forward_pass.X:
                    choices = evaluation_of(self.problem(number)).stages
                    raise StageError(errors.NO_STAGE, stage=stage, choices=choices)
                yield number, found[stage][None].astype(np.float64)
            cotangent = found[forward_pass.X]

    def patch(self, other: Run, layer: int, stage: str, at: Mapping[str, Any] | None = None) -> Run:
        """Return this run with cells of a stage set to those of another run; `at` as in interventions."""
        given = other.stage(layer, stage)
        record = {"layer": layer, "kind": "set", "stage": stage, "at": at or {}, "values": 0.0}
        change = changed_layers.layer_changes([record], self.model.num_layers)[0].record
        axes = STAGE[stage].axes
        change.fit("at", axes, given.shape)
        values = given[change.box(axes, given.shape)]
        return self.replace(interventions=[*self.interventions, {**record, "values": values}])

    def _first_other(self, model: Model, changes: tuple[changed_layers.LayerChange, ...]) -> int:
        """Return the first layer that differs in a model with these interventions; else the number of layers."""
        pairs = enumerate(zip(self.model.layers, model.layers, strict=True))
        others = (k for k, (old, new) in pairs if old is not new or _of(self.interventions, k) != _of(changes, k))
        return next(others, model.num_layers)

    @cached_property
    def _last(self) -> Array:
        return forward_pass.final_states(self.model.ends, self.model.sizes, self.states[-1])

    def _scored(self, hidden: Array) -> Array:
        if self.model.ends.head is None:
            raise FieldError(_NO_HEAD)
        return forward_pass.logits_of(self.model.ends, self.model.sizes, hidden)

    def _walked(self, layer: int, until: str) -> Array:
        given = self._given(layer)
        with one_blas_thread():
            return changed_layers.stage_cells(*given, until)

    def _given(self, layer: int) -> tuple[changed_layers.AnyLayer, Array, TokenSequence, changed_layers.Records]:
        """Return a layer with its x, tokens and interventions. Raises FieldError for a layer that is not there."""
        one = self.model.layers[changed_layers.checked_layer(layer, self.model.num_layers)]
        return one, self.states[layer], self.sequence, _of(self.interventions, layer)

    def _read(self, layer: int, side: str) -> Array:
        """Return Q, K or V as the scores and the result of a head read it."""
        found: dict[str, Array] = {}
        one, x, sequence, records = self._given(layer)
        if isinstance(one, changed_layers.EditedLayer):
            return changed_layers.read_as(one, x, sequence, records, side)
        changes = changed_layers.LayerInterventions(records)

        def keep(stage: str, cells: Array) -> Array:
            cells = changes(stage, cells)
            found.update({stage: cells} if stage.endswith(side) else {})
            return cells

        forward_pass.run_block(one, x, None, keep, stage_of(Role.SCORE))
        return forward_pass.by_heads(list(found.values())[-1], one.sizes.d_head)


def _continued(
    layers: tuple[changed_layers.AnyLayer, ...],
    sequence: TokenSequence,
    changes: tuple[changed_layers.LayerChange, ...],
    states: tuple[Array, ...],
    progress: Progress,
) -> tuple[Array, ...]:
    """Return the x of each of these layers and the last one's output, of which `states` has the first ones."""
    found = list(states)
    with one_blas_thread():
        for layer in layers[len(states) - 1 :]:
            progress(layer.number / len(layers))
            mine, records = within(progress, layer.number, len(layers)), _of(changes, layer.number)
            output = changed_layers.stage_cells(layer, found[-1], sequence, records, progress=mine)
            found.append(output)
    return tuple(found)


def _of(changes: tuple[changed_layers.LayerChange, ...], layer: int) -> changed_layers.Records:
    """Return (position among all, record) pairs of one layer."""
    return tuple((place, change.record) for place, change in enumerate(changes) if change.layer == layer)


def open_model(folder: PathText, progress: Progress = silent) -> Model:
    """Return the checkpoint in a folder of config.json, safetensors and tokenizer.json.

    bert, roberta, xlm-roberta, camembert, distilbert, gpt2, llama, mistral, qwen2, qwen3; weights as F32, F16 or BF16.
    `progress` gets the share of the weights looked through; what it raises ends the opening. What the folder
    holds and is not used is a UserWarning.
    Raises FormatError, one sentence, for what is damaged or not supported.
    """
    found = read_model(folder, progress)
    for note in found.notes:
        warnings.warn(f"{found.name}: {note}", UserWarning, stacklevel=2)
    return found


def read_model(folder: PathText, progress: Progress = silent, *, name: str = "") -> Model:
    """Open a checkpoint as `open_model` does, with its warnings as `notes`; `name` stands for that of its folder."""
    folder = Path(folder)
    checkpoint_files.check_folder(folder)
    config = checkpoint_files.Config(
        checkpoint_files.json_file(folder / checkpoint_files.CONFIG), folder / checkpoint_files.CONFIG
    )
    if (key := config.given("model_type")) is None:
        raise config.refusal(_NO_FAMILY, choices=", ".join(FAMILIES))
    family = FAMILIES.get(str(key))
    if family is None:
        raise config.refusal(_FAMILY, got=shown(str(key)), choices=", ".join(FAMILIES))
    if config.given("quantization_config") is not None:
        raise config.refusal(_QUANTIZED)
    sizes = family.architecture(config)
    pooling = checkpoint_files.pooling_in(folder)
    tensors = checkpoint_files.tensors_in(folder, family.prefixes)
    tensors.check_memory()
    ends = family.ends(tensors, config, sizes)
    layers = tuple(
        forward_pass.ModelLayer(sizes, number, family.layer(tensors, config, sizes, number))
        for number in range(sizes.num_layers)
    )
    tensors.check(progress)
    notes = tuple(_notes(str(key), family, config, tensors, ends, mute=sizes.causal and ends.head is None))
    return Model(str(key), sizes, ends, layers, folder, pooling, name or Path(os.path.abspath(folder)).name, notes)


def _notes(
    key: str,
    family: Family,
    config: checkpoint_files.Config,
    tensors: checkpoint_files.CheckpointTensors,
    ends: EndWeights,
    *,
    mute: bool,
) -> Iterator[FileNote]:
    """Yield sentences on what the folder holds and is not used, on a matrix for the logits against its config.json, and
    on why a `mute` decoder predicts nothing."""
    if unread := tensors.unread(family.ignored):
        names = (*(shown(name, 80) for name in unread[:NAMED]), *(["…"] if len(unread) > NAMED else ()))
        yield FileNote(_UNREAD, count=len(unread), family=key, names=names)
    if ends.head is not None and config.flag("tie_word_embeddings", family.tied):
        own, words = ends.head.decoder.matrix.T, ends.embedding.words
        if not np.shares_memory(own, words) and not np.array_equal(own, words):
            yield FileNote(_OTHER_MATRIX)
    if config.given("auto_map"):
        yield FileNote(_OWN_CODE, family=key)
    classes = classes_without_head(config)
    if mute:
        yield FileNote(_HEADLESS, got=shown(classes[0])) if classes else FileNote(_UNTIED)


def _checked(name: str, weights: Mapping[str, Array], given: object) -> Array:
    known = name.removeprefix("block.")
    if known not in weights:
        raise FieldError(_WEIGHT, field=name, choices=tuple(weights))
    found = as_array(name, given, np.dtype(np.float32), axes=range(3), copy=True)
    if found.shape != weights[known].shape:
        raise ShapeError(errors.BROADCAST, matrices=(name,), axes=(), expected=weights[known].shape, got=found.shape)
    return found
