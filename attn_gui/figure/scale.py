"""Scale of a page: how much larger than 7.5 points its type is, by what was asked for or by the size of the page."""

from __future__ import annotations

from collections.abc import Callable

from attn_gui.figure.options import FigureOptions
from attn_gui.figure.output.page import BASE_PT, PX_PER_CM
from attn_gui.figure.styles import STYLES

UNSCALED_CM = 12.0
"""Up to this side a page has type of 7.5 points; a larger one is magnified, as far as its numbers still fit."""

SCALE_STEPS = 10
LEAST_PT = 5.0
"""Type of a style is made smaller down to this where a page has no room for more."""

Sides = tuple[float | None, float | None]


def scale_of(options: FigureOptions, fits: Callable[[Sides, float], bool]) -> float:
    """The size of a page's type over 7.5 points: as asked for, or as its size suggests.

    `fits` tells whether the numbers have room on a page of some sides before it is magnified.
    """
    if options.font_size is not None:
        return options.font_size / BASE_PT
    side, wanted = options.width or options.height or 0.0, STYLES[options.style].font_size
    least = 1.0 if wanted is None else LEAST_PT / BASE_PT
    largest = max(1.0, side / UNSCALED_CM) if wanted is None else wanted / BASE_PT
    if largest == least:
        return largest
    steps = [least * (largest / least) ** (step / SCALE_STEPS) for step in range(SCALE_STEPS, -1, -1)]
    return next((scale for scale in steps if fits(sides_of(options, scale), scale)), largest)


def sides_of(options: FigureOptions, scale: float) -> Sides:
    """Width and height before a page is magnified, in logical pixels."""
    return (
        None if options.width is None else options.width * PX_PER_CM / scale,
        None if options.height is None else options.height * PX_PER_CM / scale,
    )


def tried(work: Callable[[], bool]) -> bool:
    """Whether `work` finds room; a ValueError says that there is none."""
    try:
        return work()
    except ValueError:
        return False
