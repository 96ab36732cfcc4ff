"""One part of a sheet on its way: drawn on another thread, or filled in from pictures of other sizes meanwhile."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from attn_gui.pictures.outcomes import Outcomes
from attn_gui.pictures.sheets import Seen, Sheet


class Drawing:
    """A part of a sheet; the outcome is what was drawn, or the exception that was raised."""

    def __init__(self, sheet: Sheet, outcomes: Outcomes) -> None:
        self.sheet, self._outcomes = sheet, outcomes
        self.band, self.part = sheet.next_part()
        self.version = int(sheet.versions[self.band])

    def run(self) -> None:
        """Draw, on a thread of a pool."""
        found: object
        try:
            found = self.sheet.drawn(self.part)
        except Exception as error:  # whatever it is, it is said on the GUI thread
            found = error
        self._outcomes.done.emit(self, found)


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
