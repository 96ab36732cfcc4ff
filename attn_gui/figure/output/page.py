"""A figure that is laid out: how large it is, and how to paint it on any device."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtGui import QColor, QPainter

LOGICAL_DPI = 96
PX_PER_CM = LOGICAL_DPI / 2.54

BASE_PT = 7.5
"""Size of the digits and labels of a page at scale 1, in points."""


@dataclass(frozen=True, eq=False)
class Page:
    """`width` and `height` are in logical pixels of 1/96 inch before everything, type too, is magnified by `scale`.

    `ground` None leaves the page transparent. `cells` are the values that it shows one by one. A file
    of it carries the `session`, which is made when it is written.
    """

    width: float
    height: float
    title: str
    paint: Callable[[QPainter], None]
    ground: QColor | None
    scale: float = 1.0
    cells: int = 0
    session: Callable[[], bytes] | None = None

    @property
    def centimeters(self) -> tuple[float, float]:
        """Width and height as they come out."""
        return self.width * self.scale / PX_PER_CM, self.height * self.scale / PX_PER_CM
