"""A text on its way through a model: hidden states kept, everything else computed where it is read."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import cached_property, partial
from typing import Any

import numpy as np

from attn_gui.engine.analysis.head_readings import READINGS
from attn_gui.engine.arrays import Array
from attn_gui.engine.checks import as_whole
from attn_gui.engine.errors import FieldError
from attn_gui.engine.evaluation.threads import one_blas_thread
from attn_gui.engine.graph.stage import Role
from attn_gui.engine.memory import check
from attn_gui.engine.problem import Problem
from attn_gui.engine.progress import Tell, silent, within
from attn_gui.engine.stages import STAGE, stage_of
from attn_gui.formats.file_sentences import QT_TRANSLATE_NOOP, shown
from attn_gui.models.checkpoint import Checkpoint
from attn_gui.models.passes.activations import softmax
from attn_gui.models.passes.edited_layer import (
    AnyLayer,
    EditedLayer,
    Records,
    plain_layer,
    problem_of,
    read_as,
    stage_cells,
)
from attn_gui.models.passes.layer_changes import LayerChange, LayerHand, checked_layer, layer_changes
from attn_gui.models.passes.layer_problem import layer_problem
from attn_gui.models.passes.layer_walk import by_heads, walked
from attn_gui.models.passes.model_ends import embedded, finished, scored
from attn_gui.models.passes.sequence import Sequence

LONGEST = 60  # letters of the text that stand in the name of a run
MAPS = 3  # of one layer, that are held at a time
_NO_HEAD = QT_TRANSLATE_NOOP("Sentences", "This model has no head that predicts tokens.")
_NO_POSITION = QT_TRANSLATE_NOOP("Sentences", "There is no place {got} among the tokens; there are {count} of them.")
_NO_TOKEN = QT_TRANSLATE_NOOP("Sentences", "“{got}” is no token of this model.")


class Run:
    """One text through one model, with its interventions; another one is made by `replace`."""

    def __init__(
        self, model: Checkpoint, sequence: Sequence, interventions: tuple[LayerChange, ...], states: tuple[Array, ...]
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
    def texts(self) -> tuple[str, ...]:
        """The tokens as a reader expects them, a blank as ␣."""
        return self.sequence.texts

    # --- of one layer ----------------------------------------------------------------------------
    def attention(self, layer: int) -> Array:
        """The weights of a layer, (head, query, key)."""
        return self._walked(layer, stage_of(Role.WEIGHT))

    def query(self, layer: int) -> Array:
        """Q as the scores read it, (head, row, column)."""
        return self._read(layer, "query")

    def key(self, layer: int) -> Array:
        """K as the scores read it, (K/V head, row, column)."""
        return self._read(layer, "key")

    def value(self, layer: int) -> Array:
        """V, (K/V head, row, column)."""
        return self._read(layer, "value")

    def stage(self, layer: int, stage: str) -> Array:
        """A stage of a layer as a trace of its problem has it, batch axis first. Raises StageError."""
        return self._walked(layer, stage)[None]

    def problem(self, layer: int, *, model: Checkpoint | None = None, tell: Tell = silent) -> Problem:
        """A layer as a problem of the engine; its `block_output` is the next layer's x.

        Of a model of other weights, where one is given: below the layer only what is not the same is computed.
        """
        if model is None:
            return problem_of(*self._given(layer))
        one = model.layers[checked_layer(layer, model.num_layers)]
        known = self.states[: min(self._first_other(model, self.interventions), layer) + 1]
        states = _continued(model.layers[:layer], self.sequence, self.interventions, known, tell)
        return problem_of(one, states[layer], self.sequence, _of(self.interventions, layer))

    def readings(self, layer: int | None = None) -> dict[str, Array]:
        """Numbers of every head, from its weights, by name: "entropy", "largest", "sink", "rank", "previous_token", …

        Each (layer, head), of one layer (head,); NaN where there is nothing to count.
        """
        plain = layer_problem(plain_layer(self.model.layers[0]), self.states[0], self.sequence, ())
        if layer is not None:
            return {key: self.reading(key, layer, plain) for key in READINGS}
        layers = range(self.model.num_layers)
        return {key: np.array([self.reading(key, number, plain) for number in layers]) for key in READINGS}

    def reading(self, key: str, layer: int, plain: Problem) -> Array:
        """(head,): one of the `readings` of a layer; `plain` is any layer's problem as the model has it."""
        one = self.model.layers[checked_layer(layer, self.model.num_layers)]
        own = self.problem(layer) if isinstance(one, EditedLayer) else plain  # it may have other keys than the tokens
        found = np.full(self.model.num_heads, np.nan)
        for head, weights in enumerate(self.attention(layer) if READINGS[key].fits(own) else ()):
            rows = [(slice(0, len(weights)), np.asarray(weights, np.float64))]
            found[head] = READINGS[key].measure(own, partial(iter, rows))
        return found

    def is_same(self, other: Run, layer: int) -> bool:
        """Whether another run went through the same layer with the same x; what is read of it is the same, then."""
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
        """(d_model,): the vector of the whole text, as a sentence model pools it; None in a model that is none."""
        if self.model.pooling is None:
            return None
        mask = self.sequence.mask
        with np.errstate(all="ignore"):
            return self.model.pooling(self._last if mask is None else self._last[mask])

    def probabilities(self, position: int = -1) -> Array:
        """(vocabulary,): the probability of every token at a position, float64. Raises FieldError."""
        return np.asarray(softmax(self.logits_at(position).astype(np.float64)))

    def predictions(self, position: int = -1, top: int = 20) -> list[tuple[str, float]]:
        """The most probable tokens at a position, most probable first: (token, probability)."""
        shares = self.probabilities(position)
        order = np.argsort(-shares, kind="stable")[: max(top, 0)]
        tokens = self.model.tokenizer.tokens([int(number) for number in order])
        return list(zip(tokens, map(float, shares[order]), strict=True))

    def logits_at(self, position: int = -1, layer: int | None = None) -> Array:
        """(vocabulary,): the logits at a position, as though `layer` were the first that is left out (logit lens).

        The final norm is applied to whatever goes into the head. Raises FieldError.
        """
        place, layers = self.place(position), self.model.num_layers
        state = self.states[layers if layer is None else checked_layer(layer, layers + 1)]
        found = self._scored(finished(self.model.ends, self.model.sizes, state[place : place + 1]))
        return np.asarray(found[0])

    def place(self, position: int) -> int:
        """A position that may count from the end. Raises FieldError where there is none."""
        count, found = len(self.ids), as_whole("position", position)
        if not -count <= found < count:
            raise FieldError(_NO_POSITION, got=found, count=count)
        return found % count

    def token_id(self, token: str | int) -> int:
        """The id of a token, given as one or by its text. Raises FieldError."""
        found = token if isinstance(token, (int, np.integer)) else self.model.tokenizer.token_id(token)
        if found is None or not 0 <= found < self.model.sizes.vocabulary:
            raise FieldError(_NO_TOKEN, got=shown(str(token)))
        return int(found)

    def text_of(self, token: str | int) -> str:
        """A token, given by its id or as the tokenizer writes it, as a reader expects it. Raises FieldError."""
        return self.model.tokenizer.texts([self.token_id(token)])[0]

    # --- other runs ------------------------------------------------------------------------------
    def replace(self, *, model: Checkpoint | None = None, interventions: Any = None, tell: Tell = silent) -> Run:
        """Run of the same tokens with other interventions, or through a model of other weights.

        Only the layers from the first one on that is not the same are computed; where all are, it is this very run.
        """
        model = self.model if model is None else model
        changes = self.interventions if interventions is None else layer_changes(interventions, model.num_layers)
        first = self._first_other(model, changes)
        if first == model.num_layers:
            return self
        states = _continued(model.layers, self.sequence, changes, self.states[: first + 1], tell)
        return Run(model, self.sequence, changes, states)

    def gradient(self, token: str | int, layer: int, stage: str, position: int = -1) -> Array:
        """The exact gradient of a token's logit at a position with respect to a stage of a layer.

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
        """(layer, gradient) of a token's logit, or of its difference to that of another one, by a stage of each layer.

        All of these layers (None: every one) in one walk, the last layer first; each as `gradient` gives it. Raises the
        same.
        """
        from attn_gui.models.attributing.logit_gradient import head_gradient, stage_gradients

        model, place = self.model, self.place(position)
        every = range(model.num_layers)
        wanted = every if layers is None else [checked_layer(layer, model.num_layers) for layer in layers]
        if model.ends.head is None:
            raise FieldError(_NO_HEAD)
        signs = {self.token_id(token): 1.0}
        if against is not None:
            other = self.token_id(against)
            signs[other] = signs.get(other, 0.0) - 1.0
        cotangent = np.zeros(self.states[-1].shape)
        with np.errstate(all="ignore"):
            cotangent[place] = head_gradient(model.ends, model.sizes, self.states[-1][place], signs)
        return stage_gradients(self, stage, cotangent, wanted)

    def patch(self, other: Run, layer: int, stage: str, at: Mapping[str, Any] | None = None) -> Run:
        """This run with some cells of a stage as another run has them; `at` as in interventions, all without it."""
        given = other.stage(layer, stage)
        record = {"layer": layer, "kind": "set", "stage": stage, "at": at or {}, "values": 0.0}
        change = layer_changes([record], self.model.num_layers)[0].record
        axes = STAGE[stage].axes
        change.fit("at", axes, given.shape)
        values = given[change.box(axes, given.shape)]
        return self.replace(interventions=[*self.interventions, {**record, "values": values}])

    # --- inside ----------------------------------------------------------------------------------
    def _first_other(self, model: Checkpoint, changes: tuple[LayerChange, ...]) -> int:
        """The first layer that is not the same in a model with these interventions; their number where all are."""
        pairs = enumerate(zip(self.model.layers, model.layers, strict=True))
        others = (k for k, (old, new) in pairs if old is not new or _of(self.interventions, k) != _of(changes, k))
        return next(others, model.num_layers)

    @cached_property
    def _last(self) -> Array:
        return finished(self.model.ends, self.model.sizes, self.states[-1])

    def _scored(self, hidden: Array) -> Array:
        if self.model.ends.head is None:
            raise FieldError(_NO_HEAD)
        return scored(self.model.ends, self.model.sizes, hidden)

    def _walked(self, layer: int, until: str) -> Array:
        given = self._given(layer)
        with one_blas_thread():
            return stage_cells(*given, until)

    def _given(self, layer: int) -> tuple[AnyLayer, Array, Sequence, Records]:
        """A layer with its x, the tokens and its interventions. Raises FieldError where there is none."""
        one = self.model.layers[checked_layer(layer, self.model.num_layers)]
        return one, self.states[layer], self.sequence, _of(self.interventions, layer)

    def _read(self, layer: int, side: str) -> Array:
        """One of Q, K, V as the scores and the result of a head read it."""
        found: dict[str, Array] = {}
        one, x, sequence, records = self._given(layer)
        if isinstance(one, EditedLayer):
            return read_as(one, x, sequence, records, side)
        hand = LayerHand(records)

        def keep(stage: str, cells: Array) -> Array:
            cells = hand(stage, cells)
            found.update({stage: cells} if stage.endswith(side) else {})
            return cells

        walked(one, x, None, keep, stage_of(Role.SCORE))
        return by_heads(list(found.values())[-1], one.sizes.d_head)


def first_run(model: Checkpoint, sequence: Sequence, changes: tuple[LayerChange, ...], tell: Tell) -> Run:
    """A run from the embeddings on. Raises FieldError where a layer's maps need too much memory."""
    n = len(sequence.ids)
    check(4 * (MAPS * model.num_heads * n * n + (model.num_layers + 1) * n * model.sizes.d_model))
    first = (embedded(model.ends, model.sizes, sequence),)
    return Run(model, sequence, changes, _continued(model.layers, sequence, changes, first, tell))


def _continued(
    layers: tuple[AnyLayer, ...],
    sequence: Sequence,
    changes: tuple[LayerChange, ...],
    states: tuple[Array, ...],
    tell: Tell,
) -> tuple[Array, ...]:
    """The x of each of these layers, and the last one's output; of the first layers they are known."""
    found = list(states)
    with one_blas_thread():
        for layer in layers[len(states) - 1 :]:
            tell(layer.number / len(layers))
            mine, records = within(tell, layer.number, len(layers)), _of(changes, layer.number)
            output = stage_cells(layer, found[-1], sequence, records, tell=mine)
            found.append(output)
    return tuple(found)


def _of(changes: tuple[LayerChange, ...], layer: int) -> Records:
    """The records of one layer, each with its place among all."""
    return tuple((place, change.record) for place, change in enumerate(changes) if change.layer == layer)
