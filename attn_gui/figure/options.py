"""Choices for a figure, in one record: the dialog, Python and the command line fill it in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Real
from operator import index
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np

from attn_gui.arguments import idle
from attn_gui.document.edits import Refusal
from attn_gui.engine.derived_stages import over_heads
from attn_gui.engine.stages import SHOWN_FIRST
from attn_gui.figure.comparison import Beside
from attn_gui.figure.levels import AUTO, NONE_OF, PLAIN, TYPED, Levels, Shade
from attn_gui.figure.pages.aim import ModelAim
from attn_gui.figure.styles import SCREEN, STYLES
from attn_gui.figure.text.words import WORDS
from attn_gui.figure.tokens import THEMES
from attn_gui.formats.snapshots import Snapshot
from attn_gui.modes import SPLIT

Heads: TypeAlias = int | Sequence[int] | str | None
"""One head, several, "all", None for a matrix as a whole; of weights "mean" or "largest": of all heads one map."""

FONT_SIZES = (4.0, 72.0)
MEASURES = ("width", "height", "dpi", "font_size")
PAGE = "a page"
NEEDS = {"set": PAGE, "cell": PAGE, "compare": "before"}
CLASHES = {PAGE: ("levels", "colormap", "before", "values", "colorbar")}
"""Choices that mean something with another one only, and those that mean nothing with it."""


@dataclass(frozen=True)
class FigureOptions:
    """A figure of a stage. Sizes in cm and points, None for what suits the `style`; `values` None writes them where
    they fit.

    `shades` are the levels and colors of matrices by name; others are colored by their numbers. A page looks at `cell`
    of the stage, (row, column) as shown, and has `knobs`. A state `beside` the one drawn is shown with it; a page may
    show the `states` kept beside the problem, or the `model` that it is a layer of. With `outlines` an SVG or PDF draws
    its letters as paths. A file carries its `session`, from which the figure can be opened; None: where that is up to a
    megabyte. ValueError with a sentence for what is none of the choices.
    """

    stage: str = SHOWN_FIRST
    heads: Heads = 0
    batch: int = 0
    picture: str = "map"
    width: float | None = None
    height: float | None = None
    dpi: float = 300
    font_size: float | None = None
    values: bool | None = None
    colorbar: bool = True
    title: bool = True
    outlines: bool = False
    transparent: bool = False
    theme: str = "light"
    lang: str = "en"
    shades: Mapping[str, Shade] = field(default_factory=lambda: MappingProxyType({}))
    cell: tuple[int, int] | None = None
    knobs: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    beside: Beside | None = None
    session: bool | None = None
    states: tuple[Snapshot, ...] = ()
    model: ModelAim | None = None
    style: str = SCREEN.key

    def __post_init__(self) -> None:
        for name, meant in zip(("stage", "heads"), over_heads(self.stage, self.heads), strict=True):
            object.__setattr__(self, name, meant)
        for given, known in ((self.theme, THEMES), (self.lang, WORDS), (self.style, STYLES)):
            if given not in tuple(known):
                raise Refusal(NONE_OF, got=repr(given), known=", ".join(known))
        for name in MEASURES:
            object.__setattr__(self, name, _measured(name, getattr(self, name)))
        for chosen in (self.values, self.colorbar, self.title, self.outlines, self.transparent, self.session):
            if not isinstance(chosen, bool | np.bool_ | None):
                raise ValueError(f"What a figure has or leaves out is True or False, got {chosen!r}.")
        try:
            object.__setattr__(self, "batch", index(self.batch))
        except TypeError:
            raise ValueError(f"A batch item is a whole number, got {self.batch!r}.") from None
        if self.width is None and self.height is None:
            object.__setattr__(self, "width", STYLES[self.style].width)
            object.__setattr__(self, "height", STYLES[self.style].height)
        low, high = FONT_SIZES
        if self.font_size is not None and not low <= self.font_size <= high:
            raise ValueError(f"The font size is {low:g} to {high:g} points, got {self.font_size:g}.")

    def shade(self, name: str) -> Shade:
        """Levels and colors of a stage or field."""
        return self.shades.get(name, PLAIN)


def _measured(name: str, value: Any) -> float | None:
    """A length, resolution or size as a number; None where it is left out. ValueError for what is none."""
    if value is None:
        return None
    if not isinstance(value, Real):
        raise ValueError(f"{name} is a number, got {value!r}.")
    return float(value)


def check_company(page: bool, given: Mapping[str, object], colorbar: bool, compare: str) -> None:
    """Refuse a choice of a figure, None where it is left out, that means nothing among the others, or on a `page`.

    ValueError with a sentence.
    """
    choices = {**given, PAGE: page or None}
    choices |= {"colorbar": colorbar and None, "compare": None if compare == SPLIT else compare}
    if reason := idle([choice for choice, value in choices.items() if value is not None], NEEDS, CLASHES):
        raise ValueError(reason)


def shade_from(levels: Sequence[float] | None, colormap: str | None) -> Shade:
    """The shade of typed levels (low, high) and the name of a color map; ValueError with a sentence for others."""
    if levels is None:
        return Shade(AUTO, None, colormap)
    try:
        low, high = (float(level) for level in levels if not isinstance(levels, str))
    except (TypeError, ValueError):
        raise ValueError(f"Levels are two numbers, the lower and the upper one, got {levels!r}.") from None
    return Shade(TYPED, Levels(low, high), colormap)
