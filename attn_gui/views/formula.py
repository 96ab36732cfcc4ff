"""A typeset formula as a widget: crisp at any zoom, in the theme's colors, broken at "=" when it is too wide."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from PySide6.QtCore import QByteArray, QEvent, QRectF, QSize
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QSizePolicy, QWidget

from attn_gui.figure.tokens import FONT_SIZE, SPACING
from attn_gui.views.theme import current_theme, scaled
from attn_gui.views.typeset import RoleColors, Typeset, split_chain, typeset, unfenced

INDENT = 24.0
CHAIN_GAP = 24.0
WIDEST = 16_000.0


def formula_svg(latex: str, size: float, color: QColor) -> bytes:
    """The formula as SVG in one text color and the theme's role colors."""
    return typeset(latex, size, _colors(color)).svg


@dataclass(frozen=True)
class Piece:
    """A piece of a formula on its line; `factor` below 1 where a single piece is wider than the line."""

    glyphs: Typeset
    x: float
    line: int
    factor: float


class FormulaView(QWidget):
    """Paints one or more chains "a = b = c". A chain breaks at "=" and, if one side alone is too wide, at "+"."""

    def __init__(self, parent: QWidget | None = None, *, size: float = FONT_SIZE.formula, role: str = "text") -> None:
        super().__init__(parent)
        self._chains: tuple[str, ...] = ()
        self._size, self._role = size, role
        self._renderers: dict[bytes, QSvgRenderer] = {}
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def set_formula(self, latex: str | Sequence[str], text: str) -> None:
        """Show one chain, or several after one another; `text` says the same in plain words and numbers."""
        chains = (latex,) if isinstance(latex, str) else tuple(latex)
        if chains != self._chains:
            for side in (side for chain in chains for side in sides_of(chain)):
                # now, while an error can still be told: Qt does not survive one when it asks for sizes
                typeset(side, scaled(self._size), self._role_colors())
            self._chains = chains
            self._changed()
        self.setAccessibleName(text)

    def latex(self) -> tuple[str, ...]:
        """The chains on show."""
        return self._chains

    def lines(self, width: float) -> int:
        """How many lines the formula takes at a width."""
        return len({piece.line for piece in self._laid_out(width)})

    # --- what Qt asks ----------------------------------------------------------------------------
    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return _ceil(sum(up + down for up, down in _line_heights(self._laid_out(width))))

    def sizeHint(self) -> QSize:
        pieces = self._laid_out(WIDEST)
        width = max((piece.x + piece.glyphs.width for piece in pieces), default=0.0)
        return QSize(_ceil(width), _ceil(sum(up + down for up, down in _line_heights(pieces))))

    def minimumSizeHint(self) -> QSize:
        return QSize(min(self.sizeHint().width(), 80), 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        pieces = self._laid_out(self.width())
        baselines = _baselines(pieces)
        for piece in pieces:
            glyphs, factor = piece.glyphs, piece.factor
            top = baselines[piece.line] - glyphs.ascent * factor
            box = QRectF(piece.x, top, glyphs.width * factor, (glyphs.ascent + glyphs.descent) * factor)
            self._renderer(glyphs.svg).render(painter, box)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.PaletteChange, QEvent.Type.StyleChange):
            self._changed()
        super().changeEvent(event)

    def _role_colors(self) -> RoleColors:
        return _colors(getattr(current_theme(), self._role))

    def _changed(self) -> None:
        self._renderers.clear()
        self.updateGeometry()
        self.update()

    def _renderer(self, svg: bytes) -> QSvgRenderer:
        if svg not in self._renderers:
            self._renderers[svg] = QSvgRenderer(QByteArray(svg))
        return self._renderers[svg]

    def _laid_out(self, width: float) -> list[Piece]:
        colors, size = self._role_colors(), scaled(self._size)
        pieces: list[Piece] = []
        x, line = 0.0, 0
        for chain in self._chains:
            sides = [typeset(side, size, colors) for side in _sides(chain, size, colors, width)]
            whole = sum(side.width for side in sides)
            if pieces and x + CHAIN_GAP + whole <= width:
                x += CHAIN_GAP
            elif pieces:
                x, line = 0.0, line + 1
            indent = scaled(INDENT)
            halved = x + whole > width >= indent + whole - sides[0].width  # the numbers together on the second line
            for position, side in enumerate(sides):
                if position and (x + side.width > width or (halved and position == 1)):
                    x, line = indent, line + 1
                factor = min(1.0, max(width - x, 1.0) / side.width)
                pieces.append(Piece(side, x, line, factor))
                x += side.width * factor
        return pieces


def sides_of(chain: str) -> tuple[str, ...]:
    """The sides of a chain as "a = b", "= c", "= d": the first "=" stays with what it defines."""
    left, *others = split_chain(chain)
    return (f"{left} {others[0]}", *others[1:]) if others else (left,)


def _sides(chain: str, size: float, colors: RoleColors, width: float) -> Iterator[str]:
    """The sides of a chain; one that is wider than the line is cut at its signs, if need be between parentheses."""
    for position, side in enumerate(sides_of(chain)):
        room = width - (scaled(INDENT) if position else 0)
        if typeset(side, size, colors).width <= room:
            yield side
        else:
            parts = split_chain(side, "=+-")
            if any(typeset(part, size, colors).width > room for part in parts):
                parts = split_chain(unfenced(side), "=+-")
            yield parts[0]
            yield from (f"{{}} {part}" for part in parts[1:])  # something before the sign, so that it keeps its space


def _line_heights(pieces: Sequence[Piece]) -> list[tuple[float, float]]:
    """Ascent and descent of every line, a small gap included between two."""
    heights = []
    for line in range(pieces[-1].line + 1 if pieces else 0):
        own = [piece for piece in pieces if piece.line == line]
        gap = SPACING.s if line else 0
        heights.append((max(p.glyphs.ascent * p.factor for p in own) + gap,
                        max(p.glyphs.descent * p.factor for p in own)))
    return heights


def _baselines(pieces: Sequence[Piece]) -> list[float]:
    heights = _line_heights(pieces)
    baselines = [heights[0][0]] if heights else []
    for (_, below), (above, _) in pairwise(heights):
        baselines.append(baselines[-1] + below + above)
    return baselines


def _colors(text: QColor) -> RoleColors:
    theme = current_theme()
    return RoleColors(text.name(), theme.query.name(), theme.key.name())


def _ceil(length: float) -> int:
    return int(length + 0.999)
