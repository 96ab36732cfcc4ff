"""Study of a model: a text that it reads, a layer of it as a problem, and what is changed by hand in all of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from attn_gui.engine.arrays import Array
from attn_gui.engine.problem import Problem
from attn_gui.engine.progress import Tell
from attn_gui.formats.snapshots.snapshot import Snapshot
from attn_gui.models.model import Model
from attn_gui.models.passes.edited_layer import plain_layer, problem_of
from attn_gui.models.passes.layer_problem import weights_in
from attn_gui.models.run import Run
from attn_gui.models.studies.layer_edit import LayerEdit


@dataclass(frozen=True, eq=False)
class Study:
    """A place in a model: its text, the layer on the table, and what is changed in the other layers.

    `base` is the layer on the table as the model has it, of the x that the layers below give. The layer as it was
    changed is no part of it: that is the problem of the document.
    """

    model: Model
    text: str
    layer: int
    base: Problem
    others: Mapping[int, LayerEdit]

    @property
    def weights(self) -> dict[str, Array]:
        """The weights of the layer on the table as the model has them, by dotted name of the field."""
        return weights_in(self.base, plain_layer(self.model.layers[self.layer]))

    def edits(self, problem: Problem) -> dict[int, LayerEdit]:
        """The changes of every layer, `problem` being the one on the table."""
        own = LayerEdit.between(self.base, problem)
        found = {**self.others, self.layer: own}
        return {layer: found[layer] for layer in sorted(found) if found[layer]}

    def is_of(self, other: Study) -> bool:
        """Whether both read the same text with the same model."""
        return self.model is other.model and self.text == other.text

    def at(self, problem: Problem, layer: int, tell: Tell, known: Run | None = None) -> Placed:
        """Put another layer on the table; `known` is a run of the text, of which is taken what is the same."""
        return placed(self.model, self.text, layer, self.edits(problem), tell, known)

    def with_text(self, problem: Problem, text: str, tell: Tell) -> Placed:
        """Read another text. Raises ValueError where changes of a layer do not fit it: no file could hold them."""
        found = placed(self.model, text, self.layer, self.edits(problem), tell)
        for number, base in found.study.plain(found.study.others).items():
            found.study.others[number].of(base)
        return found

    def plain(self, layers: Iterable[int]) -> dict[int, Problem]:
        """Layers as the model has them, of an x of this text that is not theirs."""
        sequence = self.model.read(self.text)
        x = self.base.x
        assert x is not None, "it was made from one"
        return {layer: problem_of(plain_layer(self.model.layers[layer]), x, sequence, ()) for layer in layers}

    def with_edits(self, edits: Mapping[int, LayerEdit], tell: Tell, known: Run | None = None) -> Placed:
        """Make other changes, those of the layer on the table included; `known` as in `at`."""
        return placed(self.model, self.text, self.layer, edits, tell, known)


class Placed(NamedTuple):
    """A study, the problem of the layer that is on the table in it, over memory of its own, and a run of the text.

    `snapshots` are those that a file kept beside it.
    """

    study: Study
    problem: Problem
    run: Run
    snapshots: tuple[Snapshot, ...] = ()


def placed(
    model: Model, text: str, layer: int, edits: Mapping[int, LayerEdit], tell: Tell, known: Run | None = None
) -> Placed:
    """A layer of a model that reads a text, with changes in some layers. Raises ValueError for what does not fit.

    `known` is a run of the text through the model, whatever was changed in it; without one it is run with nothing
    changed.
    """
    run = model.run(text, tell=tell) if known is None else known
    below = {number: edit for number, edit in edits.items() if number < layer}
    base = run.problem(layer, model=run.model.with_edits(below), tell=tell)
    others = {number: edit for number, edit in edits.items() if number != layer and edit}
    problem = edits.get(layer, LayerEdit()).of(base)
    return Placed(Study(model, text, layer, base, others), problem.replace(), run)
