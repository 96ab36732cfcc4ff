"""A small live map of a stage that is a button: symbol and shape below it, a frame when it is the chosen step."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from attn_gui.engine import Plane
from attn_gui.figure.tokens import FONT_SIZE, SPACING
from attn_gui.pictures.planes import FieldPlane
from attn_gui.views.map.marks import Flash
from attn_gui.views.map.shown import Shown
from attn_gui.views.spine.map_button import MapButton
from attn_gui.views.spine.operators import map_side, top_of_maps
from attn_gui.views.theme import current_theme, scaled, ui_font
from attn_gui.views.words.head_words import off_word

WIDE_FROM = 6  # so many times wider than high, a map gets the room of a wide one
WIDE = 1.7
DOT = 7
BELOW_MAP = 1
CENTERED = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop


class Dot(QWidget):
    """Says that something has just changed; lies over the corner of the map."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._strength = 0.0
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.resize(scaled(DOT), scaled(DOT))
        self.hide()

    def set_strength(self, strength: float) -> None:
        """1 … 0; gone at 0."""
        self._strength = float(strength)
        self.setVisible(strength > 0)
        self.raise_()
        self.update()

    def center_on(self, corner: QPoint) -> None:
        """Lie just outside a corner."""
        self.resize(scaled(DOT), scaled(DOT))
        self.move(corner.x() - self.width() // 3, corner.y() - 2 * self.height() // 3)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setOpacity(self._strength)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(current_theme().edit)
        painter.drawEllipse(self.rect())


class StageNode(MapButton):
    """A step of the spine."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(f"node.{name}")
        self._symbol, self._title = "", ""
        self._small = False
        self._dot, self._fade = Dot(self), Flash(self)
        self._fade.valueChanged.connect(self._dot.set_strength)

    def set_plane(self, plane: Plane | FieldPlane, symbol: str, title: str) -> None:
        """The matrix of the node, what is written below it, and what it is called in words."""
        self.map.set_shown(Shown(plane))
        self._symbol, self._title = symbol, title
        self._describe()
        self.updateGeometry()
        self.place_map()
        self.update()

    def set_small(self, small: bool) -> None:
        """The map of the compact form."""
        if small != self._small:
            self._small = small
            self.updateGeometry()
            self.place_map()  # a hidden node keeps its size, and is shown in it again

    def set_chosen_step(self, chosen: bool) -> None:
        """Whether this is the stage that is shown large."""
        self.setChecked(chosen)
        self._describe()
        self.update()

    def touch(self) -> None:
        """Say with a dot that numbers of this matrix have just changed."""
        self._dot.set_strength(1.0)
        self._fade.restart()

    def clear_touch(self) -> None:
        """Take the dot away."""
        self._fade.stop()
        self._dot.set_strength(0.0)

    def touched(self) -> bool:
        """Whether the dot is on show."""
        return not self._dot.isHidden()

    def shape_text(self) -> str:
        """`16 × 32`; narrower in the compact form."""
        rows, columns = self.map.shape
        if self._is_off():
            return off_word()
        return f"{rows}×{columns}" if self._small else f"{rows} × {columns}"

    def _is_off(self) -> bool:
        """Whether all of it is of a head that is switched off."""
        rows, columns = self.map.shape
        return self.map.overlay.marks.off == ((slice(0, rows), slice(0, columns)),)

    def width_for(self, small: bool) -> int:
        """The width that the node needs with a small or a large map."""
        words = _words_width(self._symbol, "{} × {}".format(*self.map.shape), _sizes())
        return max(self._map_size(small).width() + 2 * _padding(small), words + 2 * SPACING.s)

    def height_for(self, small: bool) -> int:
        """The height that the node needs with a small or a large map."""
        return 2 * top_of_maps(small) + map_side(small) + _words_height(_sizes())

    # --- what Qt asks ----------------------------------------------------------------------------
    def sizeHint(self) -> QSize:
        return QSize(self.width_for(self._small), self.height_for(self._small))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, theme = QPainter(self), current_theme()
        self.paint_ground(painter)
        self.paint_focus(painter)
        below = self.map_rect().bottom() + 1 + BELOW_MAP
        if event.rect().bottom() < below:
            return  # some cells of the map are being repainted
        font = ui_font("stage_symbol", 600)
        font.setStrikeOut(self._is_off())
        painter.setFont(font)
        painter.setPen(theme.accent if self.isChecked() else theme.text)
        height = painter.fontMetrics().ascent() + painter.fontMetrics().descent()
        painter.drawText(QRect(0, below, self.width(), height), CENTERED, self._symbol)
        painter.setFont(ui_font("micro"))
        painter.setPen(theme.text2 if self.isChecked() else theme.text3)
        room = QRect(0, below + height - 1, self.width(), painter.fontMetrics().height())
        painter.drawText(room, CENTERED, self.shape_text())

    def place_map(self) -> None:
        super().place_map()
        self._dot.center_on(self.map_rect().topRight())

    def map_rect(self) -> QRect:
        size = self._map_size(self._small)
        return QRect((self.width() - size.width()) // 2, top_of_maps(self._small), size.width(), size.height())

    def _map_size(self, small: bool) -> QSize:
        side = map_side(small)
        rows, columns = self.map.shape
        return QSize(round(side * WIDE) if rows and columns > WIDE_FROM * rows else side, side)

    def _describe(self) -> None:
        words = self.tr("{title}, {shape}, chosen") if self.isChecked() else self.tr("{title}, {shape}")
        rows, columns = self.map.shape
        said = words.format(title=self._title, shape=f"{rows} × {columns}")
        self.setAccessibleName(
            self.tr("{node}, {state}").format(node=said, state=off_word()) if self._is_off() else said
        )
        self.setToolTip(self._title)


@lru_cache(maxsize=512)
def _words_width(symbol: str, shape: str, _sizes: tuple[int, int]) -> int:
    """The width of what stands below a map; remembered, since layouts ask hundreds of times."""
    fonts = ((ui_font("stage_symbol", 600), symbol), (ui_font("micro"), shape))
    return max(QFontMetrics(font).horizontalAdvance(text) for font, text in fonts)


@lru_cache(maxsize=16)
def _words_height(_sizes: tuple[int, int]) -> int:
    symbol, shape = QFontMetrics(ui_font("stage_symbol", 600)), QFontMetrics(ui_font("micro"))
    return BELOW_MAP + symbol.ascent() + symbol.descent() + shape.height()


def _sizes() -> tuple[int, int]:
    """The sizes of both fonts at the present zoom."""
    return scaled(FONT_SIZE.stage_symbol), scaled(FONT_SIZE.micro)


def _padding(small: bool) -> int:
    return SPACING.s if small else SPACING.m - 1
