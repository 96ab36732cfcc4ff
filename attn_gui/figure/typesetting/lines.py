"""Lines of formulas: chains "a = b = c" broken at "=" where they are too wide, at "+" where one side alone is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from attn_gui.figure.tokens import FONT_SIZE, SPACING
from attn_gui.figure.typesetting.chains import sides_of, split_chain, unfenced
from attn_gui.figure.typesetting.reader import Formula, typeset

INDENT = 24.0
CHAIN_GAP = 24.0
START = "{} "


class Piece(NamedTuple):
    """A piece of a formula on its line; smaller than the others where it alone is wider than the line."""

    formula: Formula
    x: float
    line: int
    size: float  # pixels an em

    @property
    def width(self) -> float:
        return self.formula.width * self.size


def laid_out(chains: Sequence[str], width: float, size: float, indent: float = INDENT) -> list[Piece]:
    """The pieces of chains within a width, `size` pixels an em; a new line in a chain is indented."""
    pieces: list[Piece] = []
    x, line = 0.0, 0
    for chain in chains:
        sides = [typeset(side) for side in _sides(chain, width / size)]
        whole = sum(side.width for side in sides) * size
        if pieces and x + CHAIN_GAP + whole <= width:
            x += CHAIN_GAP
        elif pieces:
            x, line = 0.0, line + 1
        first = sides[0].width * size
        halved = x + whole > width >= indent + whole - first  # the numbers together on the second line
        for position, side in enumerate(sides):
            if position and (x + side.width * size > width or (halved and position == 1)):
                x, line = indent, line + 1
            factor = min(1.0, max(width - x, 1.0) / max(side.width * size, 1.0))
            pieces.append(Piece(side, x, line, size * factor))
            x += pieces[-1].width
    return pieces


@lru_cache(maxsize=512)
def whole_sides(chain: str) -> tuple[str, ...]:
    """The sides of a chain as they are typeset where they fit: START before a sign, so that it keeps its space."""
    first, *others = sides_of(chain)
    return (first, *(START + side for side in others))


def _sides(chain: str, width: float) -> Iterator[str]:
    """The sides of a chain; one wider than the line (in em) is cut at its signs, if need be between parentheses."""
    for position, whole in enumerate(whole_sides(chain)):
        room = width - (INDENT / FONT_SIZE.formula if position else 0)
        if typeset(whole).width <= room:
            yield whole
        else:
            start = START if position else ""
            side = whole[len(start) :]
            parts = split_chain(side, "=+-")
            if any(typeset(part).width > room for part in parts):
                parts = split_chain(unfenced(side), "=+-")
            yield start + parts[0]
            yield from (f"{{}} {part}" for part in parts[1:])


def line_heights(pieces: Sequence[Piece]) -> list[tuple[float, float]]:
    """Ascent and descent of every line, a small gap included between two."""
    heights = []
    for line in range(pieces[-1].line + 1 if pieces else 0):
        own = [piece for piece in pieces if piece.line == line]
        gap = SPACING.s if line else 0
        heights.append(
            (max(p.formula.ascent * p.size for p in own) + gap, max(p.formula.descent * p.size for p in own))
        )
    return heights


def baselines_of(pieces: Sequence[Piece]) -> list[float]:
    """The baseline of every line, from the top."""
    heights = line_heights(pieces)
    baselines = [heights[0][0]] if heights else []
    for (_, below), (above, _) in pairwise(heights):
        baselines.append(baselines[-1] + below + above)
    return baselines
