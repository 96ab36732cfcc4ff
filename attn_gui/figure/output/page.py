"""A figure that is laid out: how large it is, how to paint it on any device, and the refusal of too small a size."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QT_TRANSLATE_NOOP
from PySide6.QtGui import QColor, QPainter

from attn_gui.document.edits import Refusal

LOGICAL_DPI = 96
PX_PER_CM = LOGICAL_DPI / 2.54

BASE_PT = 7.5
"""Size of the digits and labels of a page at scale 1, in points."""

_TOO_SMALL = {
    "width": QT_TRANSLATE_NOOP(
        "Sentences", "A width of {given} cm leaves no room for the map beside its labels; {least} cm is the least."
    ),
    "height": QT_TRANSLATE_NOOP(
        "Sentences", "A height of {given} cm leaves no room for the map beside its labels; {least} cm is the least."
    ),
}


class TooSmall(Refusal):
    """A width or height that leaves no room; both lengths in logical pixels."""

    def __init__(self, side: str, given: float, least: float) -> None:
        least_cm = math.ceil(least / PX_PER_CM * 10) / 10
        super().__init__(_TOO_SMALL[side], given=f"{given / PX_PER_CM:.1f}", least=f"{least_cm:.1f}")


@dataclass(frozen=True, eq=False)
class Page:
    """`width` and `height` are in logical pixels of 1/96 inch before everything, type too, is magnified by `scale`.

    `ground` None leaves the page transparent. `cells` are the values that it shows one by one. A file
    of it carries the `session`, which is made when it is written. An SVG or PDF with `outlines` has no letters, but
    paths of their shapes.
    """

    width: float
    height: float
    title: str
    paint: Callable[[QPainter], None]
    ground: QColor | None
    scale: float = 1.0
    cells: int = 0
    session: Callable[[], bytes] | None = None
    outlines: bool = False

    @property
    def centimeters(self) -> tuple[float, float]:
        """Width and height as they come out."""
        return self.width * self.scale / PX_PER_CM, self.height * self.scale / PX_PER_CM
