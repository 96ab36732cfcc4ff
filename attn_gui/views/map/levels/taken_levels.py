"""The levels of one map: found by a rule once they are asked for, and kept until they are to be taken again."""

from __future__ import annotations

from attn_gui.figure.display import Levels, Values
from attn_gui.figure.levels import LEVEL_RULES, Shade
from attn_gui.pictures.planes import PlaneLike
from attn_gui.views.map.cells_picture import LAST_GOOD
from attn_gui.views.map.map_readings import levels_of_plane, sample_of


class TakenLevels:
    """Follows the rule of a shade; `owner` asks for what is not known yet of long planes."""

    def __init__(self, owner: object) -> None:
        self._owner = owner
        self.plane: PlaneLike | None = None
        self.others: tuple[PlaneLike, ...] = ()  # shown in the same colors beside it
        self._shade = Shade()
        self._levels: Levels | None = None

    @property
    def given(self) -> bool:
        """Whether the levels are set and not read from the numbers."""
        return LEVEL_RULES[self._shade.rule].take is None

    @property
    def known(self) -> bool:
        """Whether anything is known of a long plane from which levels can be taken."""
        return self._levels is not None or self._found() is not None

    @property
    def kept(self) -> Levels | None:
        """The levels if they were asked for already."""
        return self._levels

    def now(self) -> Levels:
        """The values at the two ends of the colors."""
        if self._levels is None:
            self._levels = self._found()
        return self._levels or LAST_GOOD

    def sample(self) -> Values:
        """Some of the finite numbers on show, enough to tell how they are spread."""
        return sample_of(self.plane, self._owner)

    def set_shade(self, shade: Shade) -> None:
        """Follow another rule, or the levels that are given."""
        self._shade, self._levels = shade, shade.levels

    def forget(self) -> None:
        """Take them again when they are asked for, unless they are given."""
        if not self.given:
            self._levels = None

    def _found(self) -> Levels | None:
        if self.plane is None or self.given:
            return LAST_GOOD
        rule = LEVEL_RULES[self._shade.rule]
        found = [levels_of_plane(plane, rule, self._owner) for plane in (self.plane, *self.others)]
        return max((levels for levels in found if levels is not None), key=lambda levels: levels.high, default=None)
