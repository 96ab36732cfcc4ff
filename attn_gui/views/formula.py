"""A typeset formula as a widget: crisp at any zoom, in the theme's colors, broken at "=" when it is too wide."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from PySide6.QtCore import QEvent, QPointF, QSize
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from attn_gui.figure.tokens import FONT_SIZE, SPACING
from attn_gui.views.theme import current_theme, scaled
from attn_gui.views.typesetting import Formula, typeset
from attn_gui.views.typesetting.chains import sides_of, split_chain, unfenced

INDENT = 24.0
CHAIN_GAP = 24.0
WIDEST = 16_000.0


@dataclass(frozen=True)
class Piece:
    """A piece of a formula on its line; smaller than the others where it alone is wider than the line."""

    formula: Formula
    x: float
    line: int
    size: float  # pixels an em

    @property
    def width(self) -> float:
        return self.formula.width * self.size


class FormulaView(QWidget):
    """Paints one or more chains "a = b = c". A chain breaks at "=" and, if one side alone is too wide, at "+"."""

    def __init__(self, parent: QWidget | None = None, *, size: float = FONT_SIZE.formula, role: str = "text") -> None:
        super().__init__(parent)
        self._chains: tuple[str, ...] = ()
        self._size, self._role = size, role
        self._known: dict[float, list[Piece]] = {}  # the pieces by width: Qt asks for heights again and again
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def set_formula(self, latex: str | Sequence[str], text: str) -> None:
        """Show one chain, or several after one another; `text` says the same in plain words and numbers."""
        chains = (latex,) if isinstance(latex, str) else tuple(latex)
        if chains != self._chains:
            for side in (side for chain in chains for side in sides_of(chain)):
                # now, while an error can still be told: Qt does not survive one when it asks for sizes
                typeset(side)
            self._chains = chains
            self._changed()
        self.setAccessibleName(text)

    def latex(self) -> tuple[str, ...]:
        """The chains on show."""
        return self._chains

    def lines(self, width: float) -> int:
        """The number of lines of the formula at a width."""
        return len({piece.line for piece in self._laid_out(width)})

    # --- what Qt asks ----------------------------------------------------------------------------
    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return _ceil(sum(up + down for up, down in _line_heights(self._laid_out(width))))

    def sizeHint(self) -> QSize:
        pieces = self._laid_out(WIDEST)
        width = max((piece.x + piece.width for piece in pieces), default=0.0)
        return QSize(_ceil(width), _ceil(sum(up + down for up, down in _line_heights(pieces))))

    def minimumSizeHint(self) -> QSize:
        return QSize(min(self.sizeHint().width(), 80), 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        pieces = self._laid_out(self.width())
        baselines, colors = _baselines(pieces), role_colors(getattr(current_theme(), self._role))
        for piece in pieces:
            top = baselines[piece.line] - piece.formula.ascent * piece.size
            piece.formula.paint(painter, QPointF(piece.x, top), piece.size, colors)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.PaletteChange, QEvent.Type.StyleChange):
            self._changed()
        super().changeEvent(event)

    def _changed(self) -> None:
        self._known.clear()
        self.updateGeometry()
        self.update()

    def _laid_out(self, width: float) -> list[Piece]:
        if width not in self._known:
            self._known[width] = self._lay_out(width)
        return self._known[width]

    def _lay_out(self, width: float) -> list[Piece]:
        size = float(scaled(self._size))
        pieces: list[Piece] = []
        x, line = 0.0, 0
        for chain in self._chains:
            sides = [typeset(side) for side in _sides(chain, width / size)]
            whole = sum(side.width for side in sides) * size
            if pieces and x + CHAIN_GAP + whole <= width:
                x += CHAIN_GAP
            elif pieces:
                x, line = 0.0, line + 1
            indent = scaled(INDENT)
            first = sides[0].width * size
            halved = x + whole > width >= indent + whole - first  # the numbers together on the second line
            for position, side in enumerate(sides):
                if position and (x + side.width * size > width or (halved and position == 1)):
                    x, line = indent, line + 1
                factor = min(1.0, max(width - x, 1.0) / max(side.width * size, 1.0))
                pieces.append(Piece(side, x, line, size * factor))
                x += pieces[-1].width
        return pieces


def _sides(chain: str, width: float) -> Iterator[str]:
    """The sides of a chain; one wider than the line (in em) is cut at its signs, if need be between parentheses."""
    for position, side in enumerate(sides_of(chain)):
        room = width - (INDENT / FONT_SIZE.formula if position else 0)
        start = "{} " if position else ""  # something before the sign, so that it keeps its space
        if typeset(start + side).width <= room:
            yield start + side
        else:
            parts = split_chain(side, "=+-")
            if any(typeset(part).width > room for part in parts):
                parts = split_chain(unfenced(side), "=+-")
            yield start + parts[0]
            yield from (f"{{}} {part}" for part in parts[1:])


def _line_heights(pieces: Sequence[Piece]) -> list[tuple[float, float]]:
    """Ascent and descent of every line, a small gap included between two."""
    heights = []
    for line in range(pieces[-1].line + 1 if pieces else 0):
        own = [piece for piece in pieces if piece.line == line]
        gap = SPACING.s if line else 0
        heights.append(
            (max(p.formula.ascent * p.size for p in own) + gap, max(p.formula.descent * p.size for p in own))
        )
    return heights


def _baselines(pieces: Sequence[Piece]) -> list[float]:
    heights = _line_heights(pieces)
    baselines = [heights[0][0]] if heights else []
    for (_, below), (above, _) in pairwise(heights):
        baselines.append(baselines[-1] + below + above)
    return baselines


def role_colors(text: QColor) -> dict[str, QColor]:
    """The color of every role of a formula in the present theme, in which plain text has the given one."""
    theme = current_theme()
    return {"text": text, "query": theme.query, "key": theme.key}


def _ceil(length: float) -> int:
    return int(length + 0.999)
