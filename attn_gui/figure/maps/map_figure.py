"""Figures of maps: one map, or several heads on a sheet with one color bar."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from attn_gui.figure.colors import Lut
from attn_gui.figure.display import AT_ONCE, Allowed, Display, Levels, flag_counts, to_display
from attn_gui.figure.levels import color_table
from attn_gui.figure.text.numbers import Values
from attn_gui.figure.text.words import WORDS, Words
from attn_gui.figure.tokens import THEMES, Theme

DRAWN_CELLS = 10_000
"""Up to this many cells of a map are rectangles; above, the map is one image of a pixel per cell."""


@dataclass(frozen=True)
class Axis:
    """One side of a map: what it counts ("query", "key", "row", "column"), and a label a cell."""

    name: str
    labels: Sequence[str]


@dataclass(frozen=True, eq=False)
class Panel:
    """One map: a matrix, which of its cells a mask leaves open (None: all), its title on a sheet, and the areas of
    the map that are changed by hand."""

    values: Values
    allowed: Allowed | None = None
    title: str = ""
    by_hand: tuple[tuple[slice, slice], ...] = ()

    def rows(self, part: slice) -> tuple[Values, Allowed | None]:
        """Some rows of it."""
        return self.values[part], None if self.allowed is None else self.allowed[part]


@dataclass(frozen=True, eq=False)
class MapFigure:
    """Maps of one shape with common axes, levels and colors; ValueError when there is no cell to show.

    `show_values` None writes values where they fit, True makes cells large enough for them, False leaves them out.
    Without `show_title` title and subtitle are not drawn.
    A `transparent` figure leaves the page as it is. Of maps too long to be held the panels are pictures in fewer
    blocks, and `cells` tells the shape of the maps. `note` is a sentence at the foot;
    `scientific` numbers have powers of ten where they are small. So many
    panels as belong `together` are not parted by the end of a row.
    """

    panels: tuple[Panel, ...]
    rows: Axis
    columns: Axis
    levels: Levels
    title: str = ""
    subtitle: str = ""
    weights: bool = False
    scientific: bool = False
    palette: str = "signed"
    theme: Theme = field(default_factory=lambda: THEMES["light"])
    words: Words = field(default_factory=lambda: WORDS["en"])
    show_values: bool | None = None
    show_colorbar: bool = True
    show_title: bool = True
    transparent: bool = False
    cells: tuple[int, int] | None = None
    note: str = ""
    together: int = 1

    def __post_init__(self) -> None:
        shapes = {panel.values.shape for panel in self.panels}
        if len(shapes) != 1 or 0 in next(iter(shapes)):
            raise ValueError("There is nothing to draw: a figure needs at least one row and one column.")

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of every map."""
        rows, columns = self.cells or self.panels[0].values.shape
        return rows, columns

    @property
    def as_image(self) -> bool:
        """Whether a map has too many cells to be drawn one by one."""
        rows, columns = self.shape
        return rows * columns > DRAWN_CELLS

    @property
    def marked(self) -> bool:
        """Whether any cell is changed by hand."""
        return any(panel.by_hand for panel in self.panels)

    @cached_property
    def table(self) -> Lut:
        """The colors between the levels."""
        return color_table(self.palette, self.theme.name, self.levels)

    @cached_property
    def displays(self) -> tuple[Display, ...]:
        """The panels' cells as indices and flags; of large maps more than needs to be held."""
        return tuple(to_display(panel.values, panel.allowed, self.levels) for panel in self.panels)

    @cached_property
    def counts(self) -> dict[int, int]:
        """Number of cells of all panels that are closed, NaN, +∞, −∞; what does not occur is left out; 0 for "some"."""
        total: Counter[int] = Counter()
        for panel in self.panels:
            step = max(1, AT_ONCE // panel.values.shape[1])
            for low in range(0, len(panel.values), step):
                total.update(flag_counts(*panel.rows(slice(low, low + step))))
        return dict(total) if self.cells is None else dict.fromkeys(total, 0)
