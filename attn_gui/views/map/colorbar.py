"""The color bar below a map: ticks, ends that are dragged, legend with counts (not allowed, NaN, dots), its panel."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
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
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QApplication, QSizePolicy, QWidget

from attn_gui.document.edits import fill_template
from attn_gui.engine.analysis.sensitivity import Gradient
from attn_gui.engine.evaluation.proxies import Difference
from attn_gui.figure.cell_painting import paint_sample
from attn_gui.figure.colors import (
    AUTO,
    CLOSED,
    FLAGGED,
    FULL,
    LARGEST,
    LEVEL_RULES,
    LUT_SIZE,
    TYPED,
    UNIT,
    ColorScale,
    Levels,
    Lut,
    color_table,
)
from attn_gui.figure.design_tokens import LINE, RADIUS, SPACING
from attn_gui.figure.text.number_formats import dot_text, format_number, level_texts
from attn_gui.pictures.planes import kind_of
from attn_gui.views.map.color_scales import counts_of, has_faint
from attn_gui.views.map.heatmap import Heatmap
from attn_gui.views.theme import current_theme, scaled, ui_font
from attn_gui.views.widgets import inset, paint_rounded, set_tip

if TYPE_CHECKING:
    from attn_gui.views.map.levels_popup import LevelsPopup


SWATCH = 14

Entry = tuple[int | None, str]  # the flag of cells and their words; without a flag words alone


class BarLegend:
    """Entries in as many lines as they need; one that is wider than a line says its count alone."""

    def __init__(self, entries: Iterable[Entry], width: float) -> None:
        self._metrics = QFontMetricsF(ui_font("small"))
        self.lines = list(self._broken(entries, width))

    @property
    def height(self) -> int:
        return len(self.lines) * legend_line()

    def paint(self, painter: QPainter, top: int, table: Lut) -> None:
        """Draw every line, the first one below `top`."""
        painter.setFont(ui_font("small"))
        y = top + scaled(SPACING.s)
        for line in self.lines:
            x = 0.0
            for flag, text in line:
                if flag is not None:
                    _paint_swatch(painter, QRect(round(x), y, scaled(SWATCH), scaled(SWATCH)), flag, table)
                painter.setPen(current_theme().text2)
                width = self._width(flag, text)
                left = x + width - self._metrics.horizontalAdvance(text)
                painter.drawText(QPointF(left, y + (scaled(SWATCH) + self._metrics.capHeight()) / 2), text)
                x += width + scaled(SPACING.l)
            y += legend_line()

    def _broken(self, entries: Iterable[Entry], width: float) -> Iterator[list[Entry]]:
        line: list[Entry] = []
        used = 0.0
        for flag, words in entries:
            text = words if self._width(flag, words) <= width else words.rpartition("  ")[2]
            needed = self._width(flag, text)
            if line and used + needed > width:
                yield line
                line, used = [], 0.0
            line.append((flag, text))
            used += needed + scaled(SPACING.l)
        if line:
            yield line

    def _width(self, flag: int | None, text: str) -> float:
        swatch = 0 if flag is None else scaled(SWATCH) + scaled(SPACING.s)
        return self._metrics.horizontalAdvance(text) + swatch


def legend_line() -> int:
    """Return the height of a line of a legend, in pixels."""
    return max(scaled(SWATCH), round(QFontMetricsF(ui_font("small")).height())) + scaled(SPACING.s)


def _paint_swatch(painter: QPainter, rect: QRect, flag: int, table: Lut) -> None:
    paint_sample(painter, QRectF(rect), flag, table, current_theme())
    painter.setPen(QPen(current_theme().line_strong, LINE.hairline))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(rect.adjusted(0, 0, -1, -1))


BAR, TICK = 8, 4
"""Heights of the strip and of the ticks below it."""

UNCUT = Qt.TextFlag.TextDontClip

WIDE = 200
"""From this width on, and that of the words between two of them, the bar has five values, below it three."""


def bar_height() -> int:
    """Return the pixels of the strip, its ticks and its values at the present zoom."""
    return round(scaled(BAR) + scaled(TICK) + QFontMetricsF(ui_font("micro")).height())


def paint_levels(painter: QPainter, width: int, table: Lut, levels: Levels | None, words: str) -> None:
    """Paint the colors of a map from its lowest level to the highest, numbers unless there are no levels yet, and
    words between the first two of these where they have room."""
    strip, theme = QRect(0, 0, width, scaled(BAR)), current_theme()
    colors = QImage(table.tobytes(), LUT_SIZE, 1, table.nbytes, QImage.Format.Format_RGB32)
    painter.drawImage(strip.adjusted(1, 0, -1, 0), colors)
    painter.setPen(QPen(theme.line_strong, LINE.hairline))
    painter.drawRect(strip.adjusted(0, 0, -1, -1))
    top, low, metrics = strip.bottom() + 1, strip.bottom() + scaled(TICK), QFontMetricsF(ui_font("micro"))
    rooms = []
    places = tick_places(levels, width, words) if levels is not None else []
    for share, left, text in places:
        x = round(share * (width - 2))
        painter.drawLine(x, top, x, low - 1)
        rooms.append(QRectF(left, low, metrics.horizontalAdvance(text), metrics.height()))
    painter.setFont(ui_font("micro"))
    painter.setPen(theme.text2)
    for room, (_, _, text) in zip(rooms, places, strict=True):
        painter.drawText(room, UNCUT, text)
    if words and len(rooms) > 1:
        between = QRectF(rooms[0].topRight(), rooms[1].bottomLeft())
        if between.width() - metrics.horizontalAdvance(words) >= 2 * scaled(SPACING.m):
            painter.setPen(theme.text3)
            painter.drawText(between, UNCUT | Qt.AlignmentFlag.AlignHCenter, words)


def tick_places(levels: Levels, width: float, words: str) -> list[tuple[float, float, str]]:
    """Share of the bar, left end and text of every value that is written: at the ends and in the middle, as many as
    have room beside the words that stand between two."""
    metrics = QFontMetricsF(ui_font("micro"))

    def placed(shares: Sequence[float], texts: Sequence[str]) -> list[tuple[float, float, str]]:
        """Return each text below its tick, but not beyond the ends of the bar; none where two run into one another."""
        wide = [metrics.horizontalAdvance(text) for text in texts]
        centers = [share * (width - 2) for share in shares]
        lefts = [min(max(at - text / 2, 0.0), width - text) for at, text in zip(centers, wide, strict=True)]
        ends = [left + text + scaled(SPACING.s) for left, text in zip(lefts, wide, strict=True)]
        collide = any(end > left for end, left in zip(ends, lefts[1:], strict=False))
        return [] if collide else list(zip(shares, lefts, texts, strict=True))

    five = width >= scaled(WIDE) + 4 * metrics.horizontalAdvance(words)
    for steps in (4, 2, 1) if five else (2, 1):
        shares = [step / steps for step in range(steps + 1)]
        texts = level_texts(levels.low, levels.high, shares)
        if places := placed(shares, texts):
            return places
    one = "±" * levels.symmetric + texts[-1]
    fits = metrics.horizontalAdvance(one) <= width
    return placed([0.5 if levels.symmetric else 1.0], [one]) if fits else []


GRIP = 0.25
"""Share of the width at each end that is drawn as the end; a press between is a click."""


class ColorBarContents(NamedTuple):
    """Contents of a bar: all that it shows of its map."""

    palette: str
    levels: Levels
    written: bool  # whether the levels are written
    dots: str
    legend: Sequence[Entry]


class ColorBar(QWidget):
    """Shows the levels of one map and lets them be dragged and picked; shows counts of what has no color of its own."""

    scalePicked = Signal(object)  # the ColorScale
    heightChanged = Signal()  # the legend needs more or fewer lines

    def __init__(self, heatmap: Heatmap, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._heatmap = heatmap
        self._counts: Mapping[int, int] | None = None  # not counted yet
        self._dots: bool | None = None  # whether cells may stand as "·"
        self._painted: ColorBarContents | None = None
        self._tall = 0
        self._popup: LevelsPopup | None = None
        self._grip: tuple[QPointF, Levels] | None = None  # where the button went down, and the levels then
        self._dragging = False
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        heatmap.levelsChanged.connect(self._follow)
        heatmap.numbersArrived.connect(self.recount)
        heatmap.lettered.connect(self._follow)

    def set_title(self, title: str) -> None:
        """Name the bar by what its map shows, in the present language."""
        self.setAccessibleName(fill_template(self.tr("Colors of {title}"), {"title": title}))
        tip = self.tr(
            "A number x has the color at (x − low) / (high − low) of the bar. "
            "Drag an end to move that level; click: levels and colors"
        )
        set_tip(self, tip)

    def recount(self) -> None:
        """Count anew: at once where the map is seen, else when it is asked for."""
        self._counts = self._dots = None
        if self.isVisible():
            if self._contents() != self._painted:
                self._follow()
            self._show_in_popup()

    def _contents(self) -> ColorBarContents:
        heatmap = self._heatmap
        return ColorBarContents(
            heatmap.shown.palette, heatmap.levels, heatmap.writes_levels, self.dots_text(), self._entries()
        )

    @property
    def counts(self) -> Mapping[int, int]:
        """The number of cells with a flag (`figure/colors.py`), for the legend; 0 where they were not counted."""
        if self._counts is None:
            self._counts = counts_of(self._heatmap.plane)
        return self._counts

    def rule(self) -> str:
        """Return the rule of the levels, in words; empty where the ends of the bar say it."""
        shown = self._heatmap.shown
        rule = shown.color_scale.rule
        if rule == AUTO and not shown.signed and self._heatmap.levels != UNIT:
            rule = LARGEST
        said = LEVEL_RULES[rule].said
        return QCoreApplication.translate("Levels", said) if said and rule != FULL else ""

    def open_popup(self) -> LevelsPopup:
        """Return the choice of levels and colors, beside the bar."""
        from attn_gui.views.map.levels_popup import LevelsPopup

        heatmap = self._heatmap
        shown = heatmap.shown
        popup = self._popup = LevelsPopup(shown.color_scale, heatmap.levels, signed=shown.signed, parent=self.window())
        popup.scalePicked.connect(self._on_popup_scale_picked)
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
            self._popup.set_shown(heatmap.shown.color_scale, heatmap.levels)
            if not self._popup.histogram.held:
                self._popup.histogram.set_sample(heatmap.taken.sample())

    def _on_popup_scale_picked(self, color_scale: ColorScale) -> None:
        self.scalePicked.emit(color_scale)
        self._show_in_popup()

    def _on_popup_closed(self) -> None:
        popup, self._popup = self._popup, None
        if popup is not None:
            self._heatmap.levelsChanged.disconnect(self._show_in_popup)
            popup.deleteLater()

    def dots_text(self) -> str:
        """Return `· < 0.005`: which numbers stand as a dot in their cells; of differences what they are; else empty."""
        if kind := kind_of(self._heatmap.plane):
            return {Difference.kind: self.tr("now − before"), Gradient.kind: self.tr("gradient")}[kind]
        numbers = self._heatmap.cells.numbers
        if numbers is None or not numbers.weights:
            return ""
        if self._dots is None:
            self._dots = has_faint(self._heatmap.plane)
        return dot_text(numbers) if self._dots else ""

    def sizeHint(self) -> QSize:
        return QSize(scaled(120), self.heightForWidth(max(self.width(), scaled(120))))

    def minimumSizeHint(self) -> QSize:
        return QSize(scaled(48), self.heightForWidth(max(self.width(), scaled(48))))

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return bar_height() + BarLegend(self._entries(), width).height

    def mousePressEvent(self, event: QMouseEvent) -> None:
        event.accept()  # so that the release comes here
        if event.button() == Qt.MouseButton.LeftButton:
            self._grip = event.position(), self._heatmap.levels

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Draw the end at which the button went down; the other one follows where 0 is in the middle."""
        if self._grip is None:
            end, shapes = self._is_end(event.position()), Qt.CursorShape
            self.setCursor(shapes.SizeHorCursor if end else shapes.PointingHandCursor)
            return
        start, levels = self._grip
        by = event.position().x() - start.x()
        if self._is_end(start) and (self._dragging or abs(by) >= QApplication.startDragDistance()):
            self._dragging = True
            self._drag(levels, by / self.width(), upper=start.x() > self.width() / 2)

    def _is_end(self, at: QPointF) -> bool:
        """Return whether a point is at an end of the bar, which can be dragged, and not on the legend."""
        share = at.x() / max(1, self.width())
        return at.y() < bar_height() and min(share, 1 - share) < GRIP and self._heatmap.taken.known

    def _drag(self, levels: Levels, share: float, *, upper: bool) -> None:
        end = levels.high if upper else levels.low
        with suppress(ValueError):  # the ends would meet
            levels = levels.dragged(end + share * (levels.high - levels.low), upper=upper)
            self.scalePicked.emit(replace(self._heatmap.shown.color_scale, rule=TYPED, levels=levels))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        dragged, self._grip, self._dragging = self._dragging, None, False
        left = event.button() == Qt.MouseButton.LeftButton
        if left and not dragged and self.rect().contains(event.position().toPoint()):
            self.toggle_popup()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self.toggle_popup()
        else:
            event.ignore()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.StyleChange, QEvent.Type.LanguageChange):
            self.updateGeometry()
            self._follow()
        super().changeEvent(event)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._tall = self.heightForWidth(self.width())  # whoever shows it has asked for that
        self._show()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._follow()

    def paintEvent(self, event: QPaintEvent) -> None:
        shown = self._painted or self._contents()
        with QPainter(self) as painter:
            table = color_table(shown.palette, current_theme().name, shown.levels)
            paint_levels(painter, self.width(), table, shown.levels if shown.written else None, shown.dots)
            legend = BarLegend(shown.legend, self.width())
            legend.paint(painter, self.height() - legend.height, table)
            if self.hasFocus():
                edge = QPen(current_theme().accent, LINE.focus)
                paint_rounded(painter, inset(QRectF(0, 0, self.width(), scaled(BAR)), 1), RADIUS.frame, edge=edge)

    # --- legend ----------------------------------------------------------------------------------
    def _entries(self) -> list[Entry]:
        """Flag and text of every entry; the rule of the levels comes first and has no flag."""
        rule = self.rule()
        entries: list[Entry] = [(None, rule)] if rule else []
        for flag, count in self.counts.items():
            name = self.tr("not allowed") if flag == CLOSED else format_number(FLAGGED[flag], 0)
            entries.append((flag, f"{name}  {count}" if count else name))
        return entries

    # --- following -------------------------------------------------------------------------------
    def _follow(self, *_: object) -> None:
        """Show what the map shows now, where it is seen; ask for more or fewer lines where the legend needs them."""
        if not self.isVisible():
            return
        self._show()
        tall = self.heightForWidth(self.width())
        if tall != self._tall:
            self._tall = tall
            self.updateGeometry()
            self.heightChanged.emit()

    def _show(self) -> None:
        self._painted = self._contents()
        self.update()
