"""A typeset formula as a widget: crisp at any zoom, in the theme's colors, broken at "=" when it is too wide."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPointF, QSize
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from attn_gui.figure.tokens import FONT_SIZE
from attn_gui.figure.typesetting import INDENT, Piece, baselines_of, laid_out, line_heights, typeset, whole_sides
from attn_gui.views.theme import current_theme, scaled

WIDEST = 16_000.0


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
            for side in (side for chain in chains for side in whole_sides(chain)):
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
        return _ceil(sum(up + down for up, down in line_heights(self._laid_out(width))))

    def sizeHint(self) -> QSize:
        pieces = self._laid_out(WIDEST)
        width = max((piece.x + piece.width for piece in pieces), default=0.0)
        return QSize(_ceil(width), _ceil(sum(up + down for up, down in line_heights(pieces))))

    def minimumSizeHint(self) -> QSize:
        return QSize(min(self.sizeHint().width(), 80), 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        pieces = self._laid_out(self.width())
        baselines, colors = baselines_of(pieces), role_colors(getattr(current_theme(), self._role))
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
            self._known[width] = laid_out(self._chains, width, float(scaled(self._size)), scaled(INDENT))
        return self._known[width]


def role_colors(text: QColor) -> dict[str, QColor]:
    """The color of every role of a formula in the present theme, in which plain text has the given one."""
    theme = current_theme()
    return {"text": text, "query": theme.query, "key": theme.key}


def _ceil(length: float) -> int:
    return int(length + 0.999)
