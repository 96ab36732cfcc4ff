"""The levels and palette of each map: kept while numbers change, taken anew, picked; counts of NaN and closed cells."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from PySide6.QtCore import QObject, Signal

from attn_gui.engine import Evaluation
from attn_gui.figure.colors import LEVEL_RULES, PLAIN, ColorScale, LevelRule, Levels, Values, finite_open, flag_counts
from attn_gui.pictures.planes import PlaneLike, covers, uncovered
from attn_gui.pictures.tile_cache import tile_cache_of
from attn_gui.views.map.cells_picture import LAST_GOOD, numbers_of, overview_of

COUNTED = 1 << 21
"""Cells of the largest map whose legend counts them all."""

WRITTEN, FAINT = 1 << 12, 0.05
"""Cells of the largest map that can have numbers in all of them, and weights that one decimal cannot write."""

SAMPLED = 1 << 17
"""Numbers that are enough to show how they are spread."""


def levels_of_plane(plane: PlaneLike, rule: LevelRule, owner: object = None) -> Levels | None:
    """Return the levels of a plane by a rule that takes them from its numbers; None where nothing is known yet."""
    numbers = numbers_of(uncovered(plane), sampled=rule.sampled, owner=owner)
    assert rule.take is not None
    return None if numbers is None else rule.take(*numbers, plane.signed, plane.shape[1])


def sample_of(plane: PlaneLike | None, owner: object = None) -> Values:
    """Return some finite open numbers of a plane, about as many as can be counted at once; none where none is known."""
    numbers = numbers_of(plane, sampled=True, owner=owner) if plane is not None else None
    if numbers is None:
        return np.zeros(0)
    step = numbers[0].size // SAMPLED + 1
    values, allowed = (None if part is None else part[::step] for part in numbers)
    assert values is not None
    return finite_open(values, allowed)


def counts_of(plane: PlaneLike | None) -> dict[int, int]:
    """Count the cells with each flag (`figure/colors.py`) but ALLOWED; 0 for "some" in maps too long to count."""
    if plane is None or covers(plane):
        return {}
    if (cache := tile_cache_of(plane)) is not None:
        tile = cache.best_overview(plane)
        return dict.fromkeys(flag_counts(*tile.part_known()), 0) if tile is not None else {}
    rows, columns = plane.shape
    if rows * columns <= COUNTED:
        return flag_counts(*plane.block(slice(0, rows), slice(0, columns)))
    return dict.fromkeys(flag_counts(*overview_of(plane)), 0)


def has_faint(plane: PlaneLike | None) -> bool:
    """Return whether open weights are so small that a cell may not write them out.

    Of a large map, in which numbers stand only where a person zooms in, some always are.
    """
    if plane is None or plane.signed:
        return False
    rows, columns = plane.shape
    if rows * columns > WRITTEN:
        return True
    values, allowed = plane.block(slice(0, rows), slice(0, columns))
    faint = values < FAINT
    return bool((faint if allowed is None else faint & allowed).any())


class MapLevels:
    """Follows the rule of a color scale; `owner` asks for what is not known yet of long planes."""

    def __init__(self, owner: object) -> None:
        self._owner = owner
        self.plane: PlaneLike | None = None
        self.others: tuple[PlaneLike, ...] = ()  # shown in the same colors beside it
        self._color_scale, self.given = ColorScale(), False  # whether the levels are set and not read from the numbers
        self.kept: Levels | None = None  # if they were asked for already

    @property
    def known(self) -> bool:
        """Whether anything is known of a long plane from which levels can be taken."""
        return self.kept is not None or self._found() is not None

    def now(self) -> Levels:
        """Return the values at the two ends of the colors."""
        if self.kept is None:
            self.kept = self._found()
        return self.kept or LAST_GOOD

    def sample(self) -> Values:
        """Return some of the finite numbers on show, enough to estimate their distribution."""
        return sample_of(self.plane, self._owner)

    def set_color_scale(self, color_scale: ColorScale) -> None:
        """Follow another rule, or the levels that are given."""
        self._color_scale, self.kept = color_scale, color_scale.levels
        self.given = LEVEL_RULES[color_scale.rule].take is None

    def forget(self) -> None:
        """Take them again when they are asked for, unless they are given."""
        if not self.given:
            self.kept = None

    def _found(self) -> Levels | None:
        if self.plane is None or self.given:
            return LAST_GOOD
        rule = LEVEL_RULES[self._color_scale.rule]
        found = levels_of_plane(self.plane, rule, self._owner)
        for plane in self.others:
            levels = levels_of_plane(plane, rule, self._owner)
            if levels is not None and (found is None or levels.high > found.high):
                found = levels
        return found


def colored_as(name: str, evaluation: Evaluation) -> str:
    """Return the name under which a stage or field is colored: differences and gradients have levels of their own."""
    return f"{evaluation.kind}.{name}" if evaluation.kind else name


def color_scales_of(kind: str, color_scales: Mapping[str, ColorScale]) -> dict[str, ColorScale]:
    """Return the color scales of differences or of gradients, by the names of their matrices."""
    start = f"{kind}."
    return {name.removeprefix(start): scale for name, scale in color_scales.items() if name.startswith(start)}


class ColorScales(QObject):
    """One color scale for every stage or field; what was never chosen is plain."""

    changed = Signal(str)  # the name under which the matrix is colored

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._chosen: dict[str, ColorScale] = {}

    def of(self, name: str) -> ColorScale:
        """Return the colors of a stage or field."""
        return self._chosen.get(name, PLAIN)

    def set(self, name: str, color_scale: ColorScale) -> None:
        """Color it so from now on."""
        if color_scale == self.of(name):
            return
        self._chosen.pop(name, None)
        if color_scale != PLAIN:
            self._chosen[name] = color_scale
        self.changed.emit(name)

    def replace_all(self, color_scales: Mapping[str, ColorScale] | Iterable[tuple[str, ColorScale]]) -> None:
        """Replace all choices by these."""
        wanted = dict(color_scales)
        for name in {*self._chosen, *wanted}:
            self.set(name, wanted.get(name, PLAIN))

    def chosen(self) -> dict[str, ColorScale]:
        """Return the choices other than the default."""
        return dict(self._chosen)
