"""Drawing of sheets on another thread: their order, and pictures of other sizes shown meanwhile."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from attn_gui.pictures.outcomes import Outcomes, outcome_of
from attn_gui.pictures.sheets import Seen, Sheet


class Want(NamedTuple):
    """The pictures that a map looks at, its own first. One that `leads` is large, the others are thumbnails."""

    sheets: tuple[Sheet, ...]
    leads: bool


class Drawing:
    """A part of a sheet that is to be drawn."""

    def __init__(self, sheet: Sheet, outcomes: Outcomes) -> None:
        self.sheet, self._outcomes = sheet, outcomes
        self.band, self.part = sheet.next_part()
        self.version = int(sheet.versions[self.band])

    def run(self) -> None:
        """Draw, on a thread of a pool."""
        self._outcomes.done.emit(self, outcome_of(partial(self.sheet.drawn, self.part)))


def filled(found: Seen, coarser: Sequence[Seen]) -> Seen:
    """Fill unknown blocks from pictures of other sizes, the best of them first."""
    values, allowed, known = found
    for more, opened, there in sorted(coarser, key=lambda seen: -1.0 if seen[2] is None else -float(seen[2].mean())):
        if known is None:
            break
        here = ~np.broadcast_to(known, values.shape) & (True if there is None else there)
        values = np.where(here, more, values)
        if opened is not None:
            allowed = np.where(here, opened, True if allowed is None else allowed)
        known = known | here
    return values, allowed, known


def unfinished(wanted: Iterable[Sheet], wants: Sequence[Want]) -> list[Sheet]:
    """The sheets that are wanted and still to be drawn, the most urgent first."""
    leading = {sheet for want in wants if want.leads for sheet in want.sheets[:1]}
    heads = {sheet.place.head for sheet in leading}
    drawn = {sheet.place for sheet in leading if sheet.whole}
    waiting = [
        sheet
        for sheet in wanted
        if not (sheet.done or sheet.stopped or sheet.held)
        and (sheet in leading or not sheet.whole or sheet.place not in drawn)
    ]
    return sorted(
        waiting,
        key=lambda sheet: (
            not sheet.cheap,
            sheet not in leading,
            sheet.place.head not in heads,
            -sheet.values.size if sheet in leading else sheet.steps,
        ),
    )
