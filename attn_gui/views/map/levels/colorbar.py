"""The color bar under a map: its values, what its marks count, and a click to the levels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QCoreApplication, QEvent, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QFontMetricsF,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from attn_gui.document.phrases import filled
from attn_gui.engine.analysis.differentiation import Gradient
from attn_gui.engine.evaluation.proxies import Difference
from attn_gui.figure.colors import LUT_SIZE, Lut
from attn_gui.figure.display import CLOSED, FLAGGED, Levels
from attn_gui.figure.levels import AUTO, FULL, LARGEST, LEVEL_RULES, Shade, color_table
from attn_gui.figure.text.numbers import ZERO_WEIGHT, format_number, level_texts
from attn_gui.figure.tokens import LINE, RADIUS, SPACING
from attn_gui.pictures.planes import kind_of
from attn_gui.views.map.heatmap import Heatmap
from attn_gui.views.map.levels.bar_legend import BarLegend, Entry
from attn_gui.views.map.map_readings import counts_of, has_faint
from attn_gui.views.theme import current_theme, scaled, ui_font
from attn_gui.views.words.tip import set_tip

if TYPE_CHECKING:
    from attn_gui.views.map.levels.levels_popup import LevelsPopup

BAR, TICK = 8, 4
WIDE = 200
"""From this width on, and that of the words between two of them, the bar has five values, below it three."""

UNIT = Levels(0.0, 1.0)


class Contents(NamedTuple):
    """Contents of a bar: all that it shows of its map."""

    palette: str
    levels: Levels
    known: bool  # whether there are levels
    dots: str
    legend: Sequence[Entry]


class ColorBar(QWidget):
    """Shows the levels of one map and lets them be picked; shows counts of what has no color of its own."""

    shadePicked = Signal(object)
    heightChanged = Signal()  # the legend needs more or fewer lines

    def __init__(self, heatmap: Heatmap, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._heatmap = heatmap
        self._counts: Mapping[int, int] | None = None  # not counted yet
        self._dots: bool | None = None  # whether cells may stand as "·"
        self._painted: Contents | None = None
        self._tall = 0
        self._popup: LevelsPopup | None = None
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        heatmap.levelsChanged.connect(self._follow_lines)
        heatmap.numbersArrived.connect(self.recount)
        heatmap.lettered.connect(self.update)

    def set_title(self, title: str) -> None:
        """Name the bar by what its map shows, in the present language."""
        self.setAccessibleName(filled(self.tr("Colors of {title}"), {"title": title}))
        set_tip(
            self, self.tr("A number x has the color at (x − low) / (high − low) of the bar. Click: levels and colors")
        )

    def set_counts(self, counts: Mapping[int, int]) -> None:
        """The number of cells with each flag of `figure.display`, for the legend; 0 where they were not counted."""
        if counts != self._counts:
            self._counts = dict(counts)
            self._follow_lines()

    def recount(self) -> None:
        """The map holds other numbers; counted at once where it is seen, else when it is asked for."""
        if not self.isVisible():
            self._counts = self._dots = None
            return
        self._dots = self._has_dots()
        self.set_counts(counts_of(self._heatmap.plane))
        if self._contents() != self._painted:
            self.update()
        self._show_in_popup()

    def _contents(self) -> Contents:
        heatmap = self._heatmap
        return Contents(heatmap.shown.palette, heatmap.levels, heatmap.taken.known, self.dots_text(), self._entries())

    @property
    def counts(self) -> Mapping[int, int]:
        """The counts in the legend."""
        if self._counts is None:
            self._counts = counts_of(self._heatmap.plane)
        return self._counts

    def rule(self) -> str:
        """The rule of the levels, in words; empty where the ends of the bar say it."""
        shown = self._heatmap.shown
        rule = shown.shade.rule
        if rule == AUTO and not shown.signed and self._heatmap.levels != UNIT:
            rule = LARGEST
        said = LEVEL_RULES[rule].said
        return QCoreApplication.translate("Levels", said) if said and rule != FULL else ""

    def open_popup(self) -> LevelsPopup:
        """The choice of levels and colors, beside the bar."""
        from attn_gui.views.map.levels.levels_popup import LevelsPopup

        heatmap = self._heatmap
        shown = heatmap.shown
        popup = self._popup = LevelsPopup(shown.shade, heatmap.levels, signed=shown.signed, parent=self.window())
        popup.shadePicked.connect(self._on_popup_shade_picked)
        popup.closed.connect(self._on_popup_closed)
        heatmap.levelsChanged.connect(self._show_in_popup)
        self._show_in_popup()
        popup.popup_below(self)
        return popup

    def toggle_popup(self) -> None:
        """Open the choice of levels and colors, or close it."""
        if self._popup is None:
            self.open_popup()
        else:
            self._popup.close_panel()

    def _show_in_popup(self, *_: object) -> None:
        if self._popup is not None:
            heatmap = self._heatmap
            self._popup.set_shown(heatmap.shown.shade, heatmap.levels, heatmap.taken.sample())

    def _on_popup_shade_picked(self, shade: Shade) -> None:
        self.shadePicked.emit(shade)
        self._show_in_popup()
        self.update()

    def _on_popup_closed(self) -> None:
        popup, self._popup = self._popup, None
        if popup is not None:
            self._heatmap.levelsChanged.disconnect(self._show_in_popup)
            popup.deleteLater()

    # --- what Qt asks ----------------------------------------------------------------------------
    def sizeHint(self) -> QSize:
        return QSize(scaled(120), self.heightForWidth(max(self.width(), scaled(120))))

    def minimumSizeHint(self) -> QSize:
        return QSize(scaled(48), self.heightForWidth(max(self.width(), scaled(48))))

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        text = QFontMetricsF(ui_font("micro")).height()
        return round(scaled(BAR) + scaled(TICK) + text + self._legend(width).height)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        event.accept()  # so that the release comes here

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self.rect().contains(event.position().toPoint()):
            self.toggle_popup()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self.toggle_popup()
        else:
            event.ignore()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.StyleChange, QEvent.Type.LanguageChange):
            self.updateGeometry()
            self.update()
        super().changeEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, self._painted = QPainter(self), self._contents()
        bar = QRect(1, 0, max(1, self.width() - 2), scaled(BAR))
        table = color_table(self._heatmap.shown.palette, current_theme().name, self._heatmap.levels)
        painter.drawImage(bar, _strip(table))
        painter.setPen(QPen(current_theme().line_strong, LINE.hairline))
        painter.drawRect(bar.adjusted(-1, 0, 0, -1))
        if self._heatmap.taken.known:
            self._paint_ticks(painter, bar)
        legend = self._legend()
        legend.paint(painter, self.height() - legend.height, table)
        if self.hasFocus():
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(current_theme().accent, LINE.focus))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            strip = QRectF(0, 0, self.width(), bar.height())  # the words below reach to the edges
            painter.drawRoundedRect(strip.adjusted(1, 1, -1, -1), RADIUS.frame, RADIUS.frame)

    # --- ticks -----------------------------------------------------------------------------------
    def _paint_ticks(self, painter: QPainter, bar: QRect) -> None:
        theme, levels = current_theme(), self._heatmap.levels
        painter.setFont(ui_font("micro"))
        metrics = QFontMetricsF(painter.font())
        top = bar.bottom() + 1
        places = self._tick_texts(levels)
        for share, text in places:
            x = bar.left() - 1 + round(share * bar.width())
            painter.fillRect(x, top, 1, scaled(TICK) - 1, theme.line_strong)
            painter.setPen(theme.text2)
            left = self._text_left(share, metrics.horizontalAdvance(text))
            painter.drawText(QPointF(left, top + scaled(TICK) - 1 + metrics.ascent()), text)
        self._paint_dots(painter, places, top + scaled(TICK) - 1 + metrics.ascent())

    def dots_text(self) -> str:
        """`· < 0.005`: which numbers stand as a dot in their cells; of differences what they are; else empty."""
        if kind := kind_of(self._heatmap.plane):
            return {Difference.kind: self.tr("now − before"), Gradient.kind: self.tr("gradient")}[kind]
        if self._dots is None:
            self._dots = self._has_dots()
        numbers = self._heatmap.cells.numbers
        return f"{ZERO_WEIGHT} < {0.5 * 10.0**-numbers.decimals:g}" if self._dots and numbers is not None else ""

    def _has_dots(self) -> bool:
        """Whether cells may stand as "·", as weights that are too small to be written do."""
        return self._heatmap.shown.values and has_faint(self._heatmap.plane)

    def _paint_dots(self, painter: QPainter, places: Sequence[tuple[float, str]], baseline: float) -> None:
        """Between two ticks, so that the map need not give way to a line of its own."""
        metrics, text = painter.fontMetrics(), self.dots_text()
        widths = [metrics.horizontalAdvance(tick) for _, tick in places]
        if not text or len(places) < 2:
            return
        start = self._text_left(places[0][0], widths[0]) + widths[0]
        room = self._text_left(places[1][0], widths[1]) - start - 2 * scaled(SPACING.m)
        if metrics.horizontalAdvance(text) <= room:
            away = (room - metrics.horizontalAdvance(text)) / 2 + scaled(SPACING.m)
            painter.setPen(current_theme().text3)
            painter.drawText(QPointF(start + away, baseline), text)

    def _text_left(self, share: float, width: float) -> float:
        """Below its tick, but not beyond the ends of the bar."""
        return min(max(share * (self.width() - 2) - width / 2, 0.0), self.width() - width)

    def _tick_texts(self, levels: Levels) -> list[tuple[float, str]]:
        """Values at the ends and in the middle, as many as have room beside the words that stand between two."""
        words = QFontMetricsF(ui_font("micro")).horizontalAdvance(self.dots_text())
        shares = [0.0, 0.25, 0.5, 0.75, 1.0] if self.width() >= scaled(WIDE) + 4 * words else [0.0, 0.5, 1.0]
        texts = level_texts(levels.low, levels.high, shares)
        if self._collide(shares, texts):
            shares, texts = [0.0, 1.0], [texts[0], texts[-1]]
            if self._collide(shares, texts):
                shares, texts = [0.5 if levels.symmetric else 1.0], ["±" * levels.symmetric + texts[-1]]
                if QFontMetricsF(ui_font("micro")).horizontalAdvance(texts[0]) > self.width():
                    return []
        return list(zip(shares, texts, strict=True))

    def _collide(self, shares: Sequence[float], texts: Sequence[str]) -> bool:
        metrics = QFontMetricsF(ui_font("micro"))
        widths = [metrics.horizontalAdvance(text) for text in texts]
        lefts = [self._text_left(share, width) for share, width in zip(shares, widths, strict=True)]
        ends = [left + width + scaled(SPACING.s) for left, width in zip(lefts, widths, strict=True)]
        return any(end > left for end, left in zip(ends, lefts[1:], strict=False))

    # --- legend ----------------------------------------------------------------------------------
    def _entries(self) -> list[Entry]:
        """Flag and text of every entry; the rule of the levels comes first and has no flag."""
        entries: list[Entry] = [(None, self.rule())] if self.rule() else []
        for flag, count in self.counts.items():
            name = self.tr("not allowed") if flag == CLOSED else format_number(FLAGGED[flag], 0)
            entries.append((flag, f"{name}  {count}" if count else name))
        return entries

    def _legend(self, width: int | None = None) -> BarLegend:
        return BarLegend(self._entries(), self.width() if width is None else width)

    def _follow_lines(self) -> None:
        self.update()
        tall = self.heightForWidth(self.width())
        if tall != self._tall:
            self._tall = tall
            self.updateGeometry()
            self.heightChanged.emit()


def _strip(table: Lut) -> QImage:
    """The color table as a picture of one row."""
    return QImage(table.data, LUT_SIZE, 1, LUT_SIZE * 4, QImage.Format.Format_RGB32).copy()
