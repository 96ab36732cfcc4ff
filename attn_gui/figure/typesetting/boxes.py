"""Layout of a formula: boxes set beside, above and into one another by the rules of TeX.

Lengths are in em of the whole formula; y points down. The constants are those in the MATH table of STIX Two Math.
Source: Knuth, "The TeXbook" (1984), appendix G; OpenType specification 1.9, MATH table.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from PySide6.QtGui import QPainterPath

from attn_gui.figure.typesetting.glyphs import Glyph, forms, glyph

SCALES = (1.0, 0.7, 0.55)  # of formula, scripts and scripts of scripts
AXIS = 0.258  # the height of a minus
RULE = 0.068
FRACTION_SHIFT, FRACTION_GAP = {True: 0.64, False: 0.585}, {True: 0.15, False: 0.068}  # by display style
SUPER_UP, SUPER_BOTTOM_LEAST, SUPER_DROP_MOST = 0.36, 0.12, 0.23
SUB_DOWN, SUB_TOP_MOST, SUB_DROP_LEAST = 0.21, 0.368, 0.16
BETWEEN_SCRIPTS, AFTER_SCRIPT = 0.15, 0.04
LIMIT_GAP, LIMIT_DROP = 0.135, 0.67
ROOT_GAP, ROOT_ABOVE = {True: 0.17, False: 0.085}, 0.078
COVERED = 0.901  # of its content that a bracket is at least as high as


class Mark(NamedTuple):
    """An outline at its place: scaled by `across` and `up`, in the color of a role."""

    path: QPainterPath
    x: float
    y: float
    across: float
    up: float
    role: str


class Box(NamedTuple):
    """A part of a formula about its baseline; `overhang` is that of a slanted letter at its right."""

    width: float = 0.0
    ascent: float = 0.0
    descent: float = 0.0
    marks: tuple[Mark, ...] = ()
    overhang: float = 0.0
    letter: bool = False  # scripts stand at the height that they have at every single letter

    def moved(self, x: float, y: float = 0.0) -> Iterable[Mark]:
        """The outlines at another place."""
        return (mark._replace(x=mark.x + x, y=mark.y + y) for mark in self.marks)


def letter(character: str, scale: float, role: str) -> Box:
    """One character."""
    return _drawn(glyph(character), scale, scale, role)


def prime(scale: float, role: str) -> Box:
    """The prime as a raised part: the font draws it at its height already."""
    drawn = _drawn(glyph("′"), scale, scale, role)
    down = SUPER_UP * scale
    return Box(drawn.width, drawn.ascent - down, drawn.descent + down, tuple(drawn.moved(0.0, down)))


def space(width: float) -> Box:
    """A blank of this width."""
    return Box(width)


def beside(boxes: Iterable[Box]) -> Box:
    """Boxes after one another on one baseline; one alone stays what it is."""
    found = list(boxes)
    if len(found) == 1:
        return found[0]
    x = 0.0
    marks: list[Mark] = []
    for box in found:
        marks += box.moved(x)
        x += box.width
    return Box(
        x,
        max((box.ascent for box in found), default=0.0),
        max((box.descent for box in found), default=0.0),
        tuple(marks),
        found[-1].overhang if found else 0.0,
    )


def fraction(top: Box, bottom: Box, scale: float, role: str, *, display: bool) -> Box:
    """One box over another with a rule between them."""
    shift, gap, half = FRACTION_SHIFT[display] * scale, FRACTION_GAP[display] * scale, RULE * scale / 2
    axis, side = AXIS * scale, 0.06 * scale
    up = max(shift, axis + half + gap + top.descent)
    down = max(shift, bottom.ascent + gap + half - axis)
    width = max(top.width, bottom.width) + 2 * side
    marks = (
        *top.moved((width - top.width) / 2, -up),
        *bottom.moved((width - bottom.width) / 2, down),
        _rule(0.0, -axis - half, width, 2 * half, role),
    )
    return _padded(Box(width, up + top.ascent, down + bottom.descent, marks), 0.09 * scale)


def root(inside: Box, scale: float, role: str, *, display: bool) -> Box:
    """A box under a root."""
    rule = RULE * scale
    gap = ROOT_GAP[display] * scale
    sign = _tall("√", scale, inside.ascent + inside.descent + gap + rule, role)
    spare = max(0.0, sign.ascent + sign.descent - rule - inside.ascent - inside.descent - gap) / 2
    top = inside.ascent + gap + spare + rule
    marks = (
        *sign.moved(0.0, sign.ascent - top),
        *inside.moved(sign.width),
        _rule(sign.width - 0.01, -top, inside.width + 0.01, rule, role),
    )
    return Box(
        sign.width + inside.width + 0.05 * scale,
        top + ROOT_ABOVE * scale,
        max(inside.descent, sign.ascent + sign.descent - top),
        marks,
    )


def scripts(base: Box, above: Box | None, below: Box | None, scale: float) -> Box:
    """A base with what is raised and lowered at its right."""
    up = max(SUPER_UP * scale, 0.0 if base.letter else base.ascent - SUPER_DROP_MOST * scale)
    down = max(SUB_DOWN * scale, 0.0 if base.letter else base.descent + SUB_DROP_LEAST * scale)
    if above is not None:
        up = max(up, SUPER_BOTTOM_LEAST * scale + above.descent)
    if below is not None:
        down = max(down, below.ascent - SUB_TOP_MOST * scale)
    if above is not None and below is not None:
        down = max(down, BETWEEN_SCRIPTS * scale + below.ascent - (up - above.descent))
    marks, width, ascent, descent = base.marks, base.width, base.ascent, base.descent
    if above is not None:
        marks += tuple(above.moved(base.width + base.overhang, -up))
        width, ascent = base.width + base.overhang + above.width, max(ascent, up + above.ascent)
    if below is not None:
        marks += tuple(below.moved(base.width, down))
        width, descent = max(width, base.width + below.width), max(descent, down + below.descent)
    return Box(width + AFTER_SCRIPT * scale, ascent, descent, marks)


def limits(base: Box, below: Box, scale: float) -> Box:
    """A sign with its limit centered below it."""
    width = max(base.width, below.width)
    down = max(LIMIT_DROP * scale, base.descent + LIMIT_GAP * scale + below.ascent)
    marks = (*base.moved((width - base.width) / 2), *below.moved((width - below.width) / 2, down))
    return Box(width, base.ascent, down + below.descent, marks)


def big(character: str, scale: float, role: str, *, display: bool) -> Box:
    """A sum sign, larger where a formula stands on lines of its own; centered on the axis."""
    drawn = _drawn(forms(character)[-1 if display else 0], scale, scale, role)
    return _on_axis(drawn, scale)


def fenced(inside: Box, left: str, right: str, scale: float, role: str) -> Box:
    """A box between brackets as high as it."""
    axis = AXIS * scale
    height = 2 * max(inside.ascent - axis, inside.descent + axis) * COVERED
    ends = [_on_axis(_tall(sign, scale, height, role), scale) if sign != "." else Box() for sign in (left, right)]
    return beside((ends[0], inside._replace(letter=False), ends[1]))


def _drawn(found: Glyph, across: float, up: float, role: str) -> Box:
    marks = (Mark(found.path, 0.0, 0.0, across, up, role),)
    return Box(found.advance * across, found.ascent * up, found.descent * up, marks, found.overhang * across, True)


def _tall(character: str, scale: float, height: float, role: str) -> Box:
    """The lowest form of a sign that is so high; the highest one stretched where none is."""
    found = forms(character)
    fitting = (form for form in found if (form.ascent + form.descent) * scale >= height)
    form = next(fitting, found[-1])
    return _drawn(form, scale, max(scale, height / (form.ascent + form.descent)), role)


def _on_axis(box: Box, scale: float) -> Box:
    down = (box.ascent - box.descent) / 2 - AXIS * scale
    return Box(box.width, box.ascent - down, box.descent + down, tuple(box.moved(0.0, down)))


def _padded(box: Box, side: float) -> Box:
    return Box(box.width + 2 * side, box.ascent, box.descent, tuple(box.moved(side)))


def _rule(x: float, top: float, width: float, height: float, role: str) -> Mark:
    path = QPainterPath()
    path.addRect(0.0, 0.0, width, height)
    return Mark(path, x, top, 1.0, 1.0, role)
