"""The levels of one map: found by a rule once they are asked for, and kept until they are to be taken again."""

from __future__ import annotations

from attn_gui.figure.display import Levels
from attn_gui.figure.levels import AUTO, LEVEL_RULES, LOCKED
from attn_gui.pictures.planes import PlaneLike
from attn_gui.views.map.cells_item import LAST_GOOD
from attn_gui.views.map.reading import levels_of_plane


class TakenLevels:
    """Follows the rule that was set; `owner` asks for what is not known yet of long planes."""

    def __init__(self, owner: object) -> None:
        self._owner = owner
        self.rule = AUTO
        self.plane: PlaneLike | None = None
        self._levels: Levels | None = None

    @property
    def given(self) -> bool:
        """Whether the levels are set and not read from the numbers."""
        return LEVEL_RULES[self.rule].take is None

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

    def set(self, rule: str, levels: Levels | None) -> None:
        """Follow another rule; "locked" without levels means those of now."""
        self._levels = levels or (self.now() if rule == LOCKED else None)
        self.rule = rule

    def forget(self) -> None:
        """Take them again when they are asked for, unless they are given."""
        if not self.given:
            self._levels = None

    def _found(self) -> Levels | None:
        if self.plane is None or self.given:
            return LAST_GOOD
        return levels_of_plane(self.plane, LEVEL_RULES[self.rule], self._owner)
