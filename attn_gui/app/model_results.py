"""Results of a model's run with what is changed by hand in it: predictions, the grid of heads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from PySide6.QtGui import QImage

from attn_gui.engine import Problem
from attn_gui.engine.analysis.head_readings import READINGS
from attn_gui.engine.evaluation.pooling import pool
from attn_gui.engine.progress import Progress, within
from attn_gui.figure.compose import weights_picture
from attn_gui.figure.design_tokens import Theme
from attn_gui.figure.text.number_formats import format_number
from attn_gui.models.attribution import RowOrigin, asked_place, head_numbers, origin_of
from attn_gui.models.changed_layers import LayerEdit
from attn_gui.models.model import Run
from attn_gui.models.study import Study
from attn_gui.views.head_grid import HeadNumber, HeadPlace

SIDE = 48
"""Pixels of a small map at most, by side."""
NOTHING = "–"
"""Stands for the number of a head in which a reading has nothing to count."""


class SmallMaps(NamedTuple):
    """Pictures of the weights of every head of a run, in the colors of a theme."""

    run: Run
    theme: Theme
    pictures: Mapping[HeadPlace, QImage]


def small_maps(run: Run, theme: Theme, before: SmallMaps | None, progress: Progress) -> SmallMaps:
    """Return pictures of the weights of every head, of at most SIDE × SIDE pixels; those of layers that are as in
    `before` are taken over.
    """
    known = None if before is None or before.theme != theme else before
    if known is not None and known.run is run:
        return known
    found: dict[HeadPlace, QImage] = {}
    for layer in range(run.model.num_layers):
        places = [HeadPlace(layer, head) for head in range(run.model.num_heads)]
        if known is not None and run.is_same(known.run, layer):
            found |= {place: known.pictures[place] for place in places}
        else:
            found |= zip(places, _pictures(run, layer, theme), strict=True)
        progress((layer + 1) / run.model.num_layers)
    return SmallMaps(run, theme, found)


def _pictures(run: Run, layer: int, theme: Theme) -> Iterator[QImage]:
    """Yield a picture of the weights of each head of a layer; cells that the mask closes have a color of their own."""
    weights, opened = np.asarray(run.attention(layer)), run.open_cells(layer)
    rows, columns = (min(side, SIDE) for side in weights.shape[1:])
    for head, own in enumerate(weights):
        # what was set by hand behind the mask is shown
        allowed = None if opened is None else (opened if opened.ndim == 2 else opened[head]) | (own != 0)
        values, seen = pool(own, allowed, rows, columns)
        yield weights_picture(values, own.shape[1], theme, seen)


def readings(run: Run, problem: Problem, key: str, progress: Progress) -> Mapping[HeadPlace, HeadNumber]:
    """Return a reading of every head; `problem` has the tokens and sizes that all unchanged layers share."""
    reading, found = READINGS[key], dict[HeadPlace, HeadNumber]()
    for layer, values in enumerate(head_numbers(run, problem, key, progress)):
        own = run.weights_problem(layer, problem)
        most = reading.most(own)
        for head, value in enumerate(values):
            share = value / most if most and np.isfinite(value) else 0.0
            written = reading.written(value) if reading.fits(own) else NOTHING
            found[HeadPlace(layer, head)] = HeadNumber(written, float(reading.shown(value)), share)
    return found


class ModelChange(NamedTuple):
    """The place of an intervention among those of its layer."""

    layer: int
    place: int


@dataclass(frozen=True, eq=False)
class ModelResult:
    """A run with the changes of every layer, one without any, and what the grid shows of the first.

    `maps` are pictures of the weights of each head, `numbers` a reading of each where one is chosen.
    """

    study: Study
    edits: Mapping[int, LayerEdit]
    run: Run
    clean: Run
    maps: SmallMaps
    numbers: Mapping[HeadPlace, HeadNumber]
    wanted: WantedReading
    other: Run | ValueError | None
    """The second text, run with nothing changed; or why it cannot be run."""
    taken: Mapping[ModelChange, RowOrigin]
    """Of interventions whose cells are those of the second text, where they stand in it."""
    place: int
    """The token at which the prediction is read unless another one is chosen."""

    @property
    def second(self) -> Run | None:
        """The run of the second text, if there is one."""
        return self.other if isinstance(self.other, Run) else None


class WantedReading(NamedTuple):
    """The reading that is shown of every head, and the second text, each empty for none; the colors of pictures."""

    reading: str
    other: str
    theme: Theme


def answer(
    study: Study,
    problem: Problem,
    before: ModelResult | None,
    known: Run | None,
    wanted: WantedReading,
    progress: Progress,
) -> ModelResult:
    """Run the model; what an answer before, or a `known` run, has computed of the same text is taken over.

    Raises ValueError, one sentence, where a layer as it was changed no longer fits the model.
    """
    same = before if before is not None and before.study.is_of(study) else None
    if same is not None:
        clean, latest = same.clean, same.run
    elif known is not None and known.model is study.model:  # nothing is changed in it
        clean = latest = known
    else:
        clean = latest = study.model.run(study.text, progress=within(progress, 0, 3))
    edits = study.edits(problem)
    run = latest.replace(model=latest.model.with_edits(edits), progress=within(progress, 1, 3)) if edits else clean
    maps = small_maps(run, wanted.theme, same.maps if same else None, within(progress, 2, 3))
    numbers = _numbers(study, run, before, wanted.reading, progress)
    other = _other(study, before, wanted.other, progress)
    return ModelResult(study, edits, run, clean, maps, numbers, wanted, other, _taken(other, edits), asked_place(run))


def _numbers(
    study: Study, run: Run, before: ModelResult | None, key: str, progress: Progress
) -> Mapping[HeadPlace, HeadNumber]:
    """Return a reading of every head, where one is chosen."""
    if before is not None and before.run is run and before.wanted.reading == key:
        return before.numbers
    return readings(run, study.base, key, progress) if key else {}


def _other(study: Study, before: ModelResult | None, text: str, progress: Progress) -> Run | ValueError | None:
    """Return the run of the second text, once for all answers that show it."""
    if not text:
        return None
    if before is not None and before.wanted.other == text and before.study.model is study.model:
        return before.other
    try:
        return study.model.run(text, progress=progress)
    except ValueError as error:  # the first text is followed all the same
        return error


def _taken(other: Run | ValueError | None, edits: Mapping[int, LayerEdit]) -> Mapping[ModelChange, RowOrigin]:
    """Return the origin of the numbers that are set by hand, as far as it is the second text."""
    if not isinstance(other, Run):
        return {}
    records = {
        ModelChange(layer, place): one for layer, edit in edits.items() for place, one in enumerate(edit.interventions)
    }
    found = {change: origin_of(other, change.layer, record) for change, record in records.items()}
    return {change: origin for change, origin in found.items() if origin is not None}


def cosine_text(one: Run, other: Run) -> str:
    """Return the cosine between the embeddings of two runs."""
    first, second = one.embedding, other.embedding
    assert first is not None, "the model is one of sentences"
    assert second is not None, "both are of one model"
    with np.errstate(all="ignore"):
        return format_number(float(first @ second / (np.linalg.norm(first) * np.linalg.norm(second))), 4)
