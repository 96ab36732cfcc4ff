"""Styles of figures, by the words of the command line: a new one is one entry of STYLES."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from attn_gui.languages import QT_TRANSLATE_NOOP


@dataclass(frozen=True)
class FigureStyle:
    """The place that a figure is made for: its sides in cm, None for what suits; its type in points, less where that
    is needed, None for what suits; and its dots per inch where there are any, None for what is usual."""

    key: str
    title: str  # English; context "Figures"
    width: float | None = None
    height: float | None = None
    font_size: float | None = None
    dpi: int | None = None


SCREEN = FigureStyle("screen", QT_TRANSLATE_NOOP("Figures", "Screen"))
_ENTRIES = (
    SCREEN,
    FigureStyle(
        "paper-column", QT_TRANSLATE_NOOP("Figures", "Paper column (8.5 cm)"), width=8.5, font_size=8.0, dpi=600
    ),
    FigureStyle("slide", QT_TRANSLATE_NOOP("Figures", "Slide"), width=25.4, height=14.3, font_size=16.0, dpi=144),
)
STYLES: Mapping[str, FigureStyle] = MappingProxyType({style.key: style for style in _ENTRIES})
"""The one list that dialogs, the command line and Python go by."""


def resolution(dpi: float | None, style: str, usual: float) -> float:
    """Return the dots per inch that are asked for, else those of the style, else the usual ones."""
    of_style = STYLES[style].dpi if style in STYLES else None
    return next(each for each in (dpi, of_style, usual) if each is not None)
