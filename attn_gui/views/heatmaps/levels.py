"""Which values the ends of a map's colors stand for: taken from the data, from 99 % of it, typed, or held."""

from __future__ import annotations

from attn_gui.figure.display import Levels
from attn_gui.views.heatmaps.planes import PlaneLike
from attn_gui.views.heatmaps.reading import levels_of_plane

AUTO, MOST, TYPED, LOCKED = "auto", "99", "typed", "locked"
POLICIES = (AUTO, MOST, TYPED, LOCKED)


def levels_of(plane: PlaneLike | None, policy: str, owner: object) -> Levels | None:
    """The levels that a plane takes by itself: from all its numbers, or from 99 % of them; None: not known yet."""
    if plane is None:
        return Levels(0.0, 1.0)
    return levels_of_plane(plane, most=policy == MOST, owner=owner)
