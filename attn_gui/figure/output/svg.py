"""SVG pages whose text is anchored: a viewer without our fonts still centers a number in its cell."""

from __future__ import annotations

import html
from itertools import groupby
from typing import NamedTuple

from PySide6.QtCore import QPointF
from PySide6.QtGui import QPainter
from PySide6.QtSvg import QSvgGenerator

from attn_gui.figure.tokens import FONT_FAMILIES

NARROW = ("Helvetica Neue", "Arial", "Liberation Sans")
"""Fonts about as wide as Inter, which viewers have more often."""


class Style(NamedTuple):
    """The attributes that texts in a row have in common."""

    size: float
    weight: int
    color: str
    anchor: str


class SvgPage(QSvgGenerator):
    """Takes texts by themselves: Qt's generator writes where a text begins, which is right for one font only.

    They stand after all shapes, so nothing may be painted over a text.
    """

    def __init__(self, *, outlines: bool) -> None:
        super().__init__()
        self.outlines = outlines
        self._texts: list[tuple[Style, str]] = []

    def write(self, painter: QPainter, at: QPointF, text: str, anchor: str) -> None:
        """A text in the painter's font and color, with its anchor (SVG's text-anchor) at a point."""
        font, to = painter.font(), painter.worldTransform()
        style = Style(font.pixelSize(), int(font.weight()), painter.pen().color().name(), anchor)
        if to.m12() or to.m21():
            matrix = ",".join(f"{part:.6g}" for part in (to.m11(), to.m12(), to.m21(), to.m22(), to.dx(), to.dy()))
            place = f'x="{at.x():.6g}" y="{at.y():.6g}" transform="matrix({matrix})"'
        else:
            at = to.map(at)
            place = f'x="{at.x():.6g}" y="{at.y():.6g}"'
        self._texts.append((style, f"<text {place}>{html.escape(text, quote=False)}</text>"))

    def texts(self) -> str:
        """All of them, those of a style in a group."""
        families = ", ".join(
            f"'{family}'" if " " in family else family
            for family in (FONT_FAMILIES[0], *NARROW, *FONT_FAMILIES[1:], "sans-serif")
        )
        if not self._texts:
            return ""
        groups = [_group(style, [text for _, text in run]) for style, run in groupby(self._texts, lambda each: each[0])]
        return "\n".join([f'<g xml:space="preserve" stroke="none" font-family="{families}">', *groups, "</g>\n"])


def _group(style: Style, texts: list[str]) -> str:
    head = f'<g font-size="{style.size:g}" font-weight="{style.weight}" fill="{style.color}"'
    return "\n".join([f'{head} text-anchor="{style.anchor}">', *texts, "</g>"])
