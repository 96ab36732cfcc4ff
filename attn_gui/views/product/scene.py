"""The scene of a product picture: a stage in the corner, and the matrices around it."""

from __future__ import annotations

from attn_gui.engine import STAGE
from attn_gui.engine.stages import SHOWN_FIRST
from attn_gui.figure.operands import Picture
from attn_gui.pictures.geometry import Window
from attn_gui.views.map.heatmap import Heatmap
from attn_gui.views.map.levels.colorbar import ColorBar
from attn_gui.views.product.linked_maps import STAGE_PLACE
from attn_gui.views.product.marks import Lines
from attn_gui.views.product.operand_maps import Operands
from attn_gui.views.product.product_needs import axis_labels
from attn_gui.views.product.stage_maps import StageMaps
from attn_gui.views.words.names import AxisNames


class Scene:
    """State of the picture, for all that lay out, letter and mark it; `compact` is the form for narrow windows, `tight`
    that for narrow or low ones."""

    def __init__(self, maps: StageMaps, operands: Operands) -> None:
        self.maps, self.operands = maps, operands
        self.stage, self.compact, self.tight = SHOWN_FIRST, False, False
        self.picture = Picture()

    @property
    def corner(self) -> Heatmap | None:
        """The map of the stage; None while the problem has no such stage."""
        return self.maps.map(self.stage) if self.stage in self.maps.stages else None

    @property
    def pairs(self) -> Window | None:
        """The queries and keys in view, where the stage has both."""
        corner = self.corner
        return corner.box.in_view if corner is not None and STAGE[self.stage].square else None

    @property
    def bars(self) -> dict[str, ColorBar]:
        """The color bars by the place of their maps."""
        return {STAGE_PLACE: self.maps.bar(self.stage), **self.operands.shown_bars}

    @property
    def lines(self) -> Lines:
        """The row and column of the stage that the chosen cell marks."""
        return self.maps.lines(self.stage)

    @property
    def labels(self) -> tuple[AxisNames, AxisNames]:
        """The labels at the rows and columns of the stage."""
        return axis_labels(self.maps, self.stage)
