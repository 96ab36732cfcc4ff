"""Answers of a model: a run with all that is changed by hand, one without, and what is shown of both."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from attn_gui.app.model.head_contents import SmallMaps, readings, small_maps
from attn_gui.engine import Problem
from attn_gui.engine.progress import Tell, within
from attn_gui.figure.text.numbers import format_number
from attn_gui.figure.tokens import Theme
from attn_gui.models.attribution import Origin, asked_place, origin_of
from attn_gui.models.changed_layers import LayerEdit
from attn_gui.models.model import Run
from attn_gui.models.study import Study
from attn_gui.views.model.head_grid import HeadNumber, HeadPlace


class Change(NamedTuple):
    """The place of an intervention among those of its layer."""

    layer: int
    place: int


@dataclass(frozen=True, eq=False)
class Answer:
    """A run with the changes of every layer, one without any, and what the grid shows of the first.

    `maps` are pictures of the weights of each head, `numbers` a reading of each where one is chosen.
    """

    study: Study
    edits: Mapping[int, LayerEdit]
    run: Run
    clean: Run
    maps: SmallMaps
    numbers: Mapping[HeadPlace, HeadNumber]
    wanted: Wanted
    other: Run | ValueError | None
    """The second text, run with nothing changed; or why it cannot be run."""
    taken: Mapping[Change, Origin]
    """Of interventions whose cells are those of the second text, where they stand in it."""
    place: int
    """The token at which the prediction is read unless another one is chosen."""

    @property
    def second(self) -> Run | None:
        """The run of the second text, if there is one."""
        return self.other if isinstance(self.other, Run) else None


class Wanted(NamedTuple):
    """The reading that is shown of every head, and the second text, each empty for none; the colors of pictures."""

    reading: str
    other: str
    theme: Theme


def answer(
    study: Study, problem: Problem, before: Answer | None, known: Run | None, wanted: Wanted, tell: Tell
) -> Answer:
    """Run the model; what an answer before, or a `known` run, has computed of the same text is taken over.

    Raises ValueError, one sentence, where a layer as it was changed no longer fits the model.
    """
    same = before if before is not None and before.study.is_of(study) else None
    if same is not None:
        clean, latest = same.clean, same.run
    elif known is not None and known.model is study.model:  # nothing is changed in it
        clean = latest = known
    else:
        clean = latest = study.model.run(study.text, tell=within(tell, 0, 3))
    edits = study.edits(problem)
    run = latest.replace(model=latest.model.with_edits(edits), tell=within(tell, 1, 3)) if edits else clean
    maps = small_maps(run, wanted.theme, same.maps if same else None, within(tell, 2, 3))
    numbers = _numbers(study, run, before, wanted.reading, tell)
    other = _other(study, before, wanted.other, tell)
    return Answer(study, edits, run, clean, maps, numbers, wanted, other, _taken(other, edits), asked_place(run))


def _numbers(study: Study, run: Run, before: Answer | None, key: str, tell: Tell) -> Mapping[HeadPlace, HeadNumber]:
    """A reading of every head, where one is chosen."""
    if before is not None and before.run is run and before.wanted.reading == key:
        return before.numbers
    return readings(run, study.base, key, tell) if key else {}


def _other(study: Study, before: Answer | None, text: str, tell: Tell) -> Run | ValueError | None:
    """The run of the second text, once for all answers that show it."""
    if not text:
        return None
    if before is not None and before.wanted.other == text and before.study.model is study.model:
        return before.other
    try:
        return study.model.run(text, tell=tell)
    except ValueError as error:  # the first text is followed all the same
        return error


def _taken(other: Run | ValueError | None, edits: Mapping[int, LayerEdit]) -> Mapping[Change, Origin]:
    """Origin of the numbers that are set by hand, as far as it is the second text."""
    if not isinstance(other, Run):
        return {}
    records = {
        Change(layer, place): one for layer, edit in edits.items() for place, one in enumerate(edit.interventions)
    }
    found = {change: origin_of(other, change.layer, record) for change, record in records.items()}
    return {change: origin for change, origin in found.items() if origin is not None}


def cosine_text(one: Run, other: Run) -> str:
    """The cosine between the embeddings of two runs."""
    first, second = one.embedding, other.embedding
    assert first is not None, "the model is one of sentences"
    assert second is not None, "both are of one model"
    with np.errstate(all="ignore"):
        return format_number(float(first @ second / (np.linalg.norm(first) * np.linalg.norm(second))), 4)
