"""Formulas that come typeset with the program, so that it starts and changes its steps without a typesetter.

packaging/make_formulas.py fills the shelf: an archive of SVGs, each under its LaTeX, in stand-in colors.
"""

from __future__ import annotations

import re
from functools import lru_cache
from zipfile import ZipFile

from attn_gui.paths import resource

NAME = "formulas.zip"
SIZE = 20.0
STAND_INS = ("#010101", "#020202", "#030303")
"""Where text, queries and keys take their colors."""

MARGIN = 1.0
"""Pixels that the typesetter leaves around a formula of any size."""

_HEAD = re.compile(rb'<svg ([^>]*?) width="[^"]*" height="[^"]*" viewBox="([-\d. e]+)">(.*)</svg>', re.DOTALL)


def ready_formula(latex: str, size: float, colors: tuple[str, str, str]) -> bytes | None:
    """The formula as SVG in a size and in colors of text, queries and keys; None if it is not on the shelf."""
    try:
        svg = _shelf().read(entry_name(latex))
    except KeyError:
        return None
    for stand_in, color in zip(STAND_INS, colors, strict=True):
        svg = svg.replace(stand_in.encode(), color.encode())
    return svg if size == SIZE else _resized(svg, size / SIZE)


def entry_name(latex: str) -> str:
    """Where a formula stands in the archive: backslashes separate folders on some systems, and would be lost there."""
    return latex.replace("\\", "/")


@lru_cache(maxsize=1)
def _shelf() -> ZipFile:
    return ZipFile(resource(NAME))


def _resized(svg: bytes, factor: float) -> bytes:
    found = _HEAD.search(svg)
    assert found is not None, "the shelf holds what the typesetter writes"
    left, top, width, height = map(float, found[2].split())
    place = [(left + MARGIN) * factor - MARGIN, (top + MARGIN) * factor - MARGIN,
             (width - 2 * MARGIN) * factor + 2 * MARGIN, (height - 2 * MARGIN) * factor + 2 * MARGIN]
    left, top, width, height = (round(length, 3) for length in place)
    head = f'width="{width}" height="{height}" viewBox="{left} {top} {width} {height}"'.encode()
    return b'<svg %b %b><g transform="scale(%r)">%b</g></svg>' % (found[1], head, factor, found[3])
