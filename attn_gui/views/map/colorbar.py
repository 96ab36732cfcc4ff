"""The color bar under a map: its levels, two ends to drag, what its marks count, and a click to more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QCoreApplication, QEvent, QPointF, QSize, Qt, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QApplication, QSizePolicy, QWidget

from attn_gui.document.edits import filled
from attn_gui.engine.analysis.differentiation import Gradient
from attn_gui.engine.evaluation.proxies import Difference
from attn_gui.figure.colors import Lut
from attn_gui.figure.display import CLOSED, FLAGGED, Levels
from attn_gui.figure.levels import AUTO, FULL, LARGEST, LEVEL_RULES, TYPED, Shade, color_table
from attn_gui.figure.text.numbers import ZERO_WEIGHT, format_number
from attn_gui.pictures.planes import kind_of
from attn_gui.views.map.heatmap import Heatmap
from attn_gui.views.map.levels.bar_legend import BarLegend, Entry
from attn_gui.views.map.levels.level_bar import LevelBar
from attn_gui.views.map.map_readings import counts_of, has_faint
from attn_gui.views.theme import current_theme, scaled
from attn_gui.views.words.tip import set_tip

if TYPE_CHECKING:
    from attn_gui.views.map.levels.levels_popup import LevelsPopup

GRIP = 0.25
"""Share of the width at each end that is drawn as the end; a press between is a click."""

UNIT = Levels(0.0, 1.0)


class Contents(NamedTuple):
    """Contents of a bar: all that it shows of its map."""

    palette: str
    levels: Levels
    known: bool  # whether there are levels
    dots: str
    legend: Sequence[Entry]


class ColorBar(QWidget):
    """Shows the levels of one map and lets them be dragged and picked; shows counts of what has no color of its own."""

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
        self._level_bar: LevelBar | None = None  # made once it is shown
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
        self.setAccessibleName(filled(self.tr("Colors of {title}"), {"title": title}))
        tip = self.tr(
            "A number x has the color at (x − low) / (high − low) of the bar. "
            "Drag an end to move that level; click: levels and colors"
        )
        set_tip(self, tip)

    def set_counts(self, counts: Mapping[int, int]) -> None:
        """The number of cells with each flag of `figure.display`, for the legend; 0 where they were not counted."""
        if counts != self._counts:
            self._counts = dict(counts)
            self._follow()

    def recount(self) -> None:
        """The map holds other numbers; counted at once where it is seen, else when it is asked for."""
        if not self.isVisible():
            self._counts = self._dots = None
            return
        self._dots = self._has_dots()
        self.set_counts(counts_of(self._heatmap.plane))
        if self._contents() != self._painted:
            self._follow()
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
            self._popup.set_shown(heatmap.shown.shade, heatmap.levels)
            if not self._popup.histogram.held:
                self._popup.histogram.set_sample(heatmap.taken.sample())

    def _on_popup_shade_picked(self, shade: Shade) -> None:
        self.shadePicked.emit(shade)
        self._show_in_popup()

    def _on_popup_closed(self) -> None:
        popup, self._popup = self._popup, None
        if popup is not None:
            self._heatmap.levelsChanged.disconnect(self._show_in_popup)
            popup.deleteLater()

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

    # --- what Qt asks ----------------------------------------------------------------------------
    def sizeHint(self) -> QSize:
        return QSize(scaled(120), self.heightForWidth(max(self.width(), scaled(120))))

    def minimumSizeHint(self) -> QSize:
        return QSize(scaled(48), self.heightForWidth(max(self.width(), scaled(48))))

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return LevelBar.height_needed() + self._legend(width).height

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
        """Whether a point is at an end of the bar, which can be dragged, and not on the legend."""
        share = at.x() / max(1, self.width())
        return at.y() < LevelBar.height_needed() and min(share, 1 - share) < GRIP and self._heatmap.taken.known

    def _drag(self, levels: Levels, share: float, *, upper: bool) -> None:
        end = levels.high if upper else levels.low
        with suppress(ValueError):  # the ends would meet
            levels = levels.dragged(end + share * (levels.high - levels.low), upper=upper)
            self.shadePicked.emit(replace(self._heatmap.shown.shade, rule=TYPED, levels=levels))

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

    def focusInEvent(self, event: QFocusEvent) -> None:
        if self._level_bar is not None:
            self._level_bar.viewport().update()  # its ring

    focusOutEvent = focusInEvent

    def paintEvent(self, event: QPaintEvent) -> None:
        legend = self._legend()
        legend.paint(QPainter(self), self.height() - legend.height, self._table())

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

    def _table(self) -> Lut:
        return color_table(self._heatmap.shown.palette, current_theme().name, self._heatmap.levels)

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
        self._painted = shown = self._contents()
        bar = self._level_bar = self._level_bar or LevelBar(self)
        bar.setGeometry(0, 0, self.width(), LevelBar.height_needed())
        bar.show()
        bar.set_shown(self._table(), shown.levels if shown.known else None, shown.dots)
        self.update()
