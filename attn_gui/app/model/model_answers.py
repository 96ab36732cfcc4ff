"""Answers of a model: a run with all that is changed by hand, one without, and what is shown of both."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from attn_gui.app.model.head_contents import readings, small_maps
from attn_gui.engine import Problem
from attn_gui.figure.display import Values
from attn_gui.figure.reading import Tell, within
from attn_gui.models.run import Run
from attn_gui.models.studies.layer_edit import LayerEdit
from attn_gui.models.studies.study import Study
from attn_gui.views.model.head_model import HeadNumber, HeadPlace


@dataclass(frozen=True, eq=False)
class Answer:
    """A run with the changes of every layer, one without any, and what the grid shows of the first.

    `maps` are the weights of each head in few blocks, `numbers` a reading of each where one is chosen.
    """

    study: Study
    edits: Mapping[int, LayerEdit]
    run: Run
    clean: Run
    maps: Mapping[HeadPlace, Values]
    numbers: Mapping[HeadPlace, HeadNumber]
    wanted: Wanted
    other: Run | ValueError | None
    """The second text, run with nothing changed; or why it cannot be run."""


class Wanted(NamedTuple):
    """The reading that is shown of every head, and the second text; each empty for none."""

    reading: str
    other: str


def answer(study: Study, problem: Problem, before: Answer | None, wanted: Wanted, tell: Tell) -> Answer:
    """Run the model; what an answer before has computed of the same text is taken over.

    Raises ValueError, one sentence, where a layer as it was changed no longer fits the model.
    """
    if before is None or not before.study.is_of(study):
        clean = latest = study.model.run(study.text, tell=within(tell, 0, 3))
    else:
        clean, latest = before.clean, before.run
    edits = study.edits(problem)
    run = latest.replace(model=latest.model.with_edits(edits), tell=within(tell, 1, 3)) if edits else clean
    known = before is not None and run is before.run
    maps = before.maps if before is not None and known else small_maps(run, within(tell, 2, 3))
    numbers = readings(run, study.base, wanted.reading, tell) if wanted.reading else {}
    return Answer(study, edits, run, clean, maps, numbers, wanted, _other(study, before, wanted.other, tell))


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
