"""The product picture: the chosen stage large, the matrices that make it left and above, what it makes on the right."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from PySide6.QtCore import QEvent, QRect, QSize, Qt, Signal
from PySide6.QtGui import QAction, QMouseEvent, QPainter, QPaintEvent, QPixmap, QRegion, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QWidget

from attn_gui.engine import Evaluation, Recomputed, stages
from attn_gui.engine.stages import SHOWN_FIRST
from attn_gui.figure.products.operands import Picture, picture_of
from attn_gui.figure.tokens import SPACING, Theme
from attn_gui.views.map.heatmap import Heatmap
from attn_gui.views.map.levels.colorbar import ColorBar
from attn_gui.views.map.levels.shades import Shades
from attn_gui.views.map.zooming.windows import STAGE, JoinedWindows
from attn_gui.views.map.zooming.zoom import Window
from attn_gui.views.product.labels import labels_fit
from attn_gui.views.product.operands import Operands
from attn_gui.views.product.product_layout import Places, lay_out
from attn_gui.views.product.product_needs import axis_labels, label_font, needs_of
from attn_gui.views.product.product_words import ProductWords
from attn_gui.views.product.stage_maps import StageMaps
from attn_gui.views.theme import current_theme, scaled, set_ground

LEAST_SIZE = (200, 160)


class ProductPicture(QWidget):
    """Lays the maps of the present stage out so that row i is one height and column j one width throughout."""

    stageCellChosen = Signal(str, int, int)
    groundClicked = Signal()
    hovered = Signal(str, int, int)
    hoverLeft = Signal()
    tokensRequested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.shades = Shades(self)
        self.maps = StageMaps(self, self.shades)
        self.operands = Operands(self, self.shades)
        self.stage = SHOWN_FIRST
        self.compact = False
        self.picture = Picture()
        self.places: Places | None = None
        self._windows = JoinedWindows(self)
        self._words = ProductWords(self)
        self._ground: QPixmap | None = None
        self._marked = QRegion()  # where the words say what is chosen
        self._held, self._asked = False, False  # whether the arrangement waits, and whether there is to be one
        self._windows.moved.connect(self._repaint_words)
        self.maps.rearranged.connect(self._on_maps_rearranged)
        for heatmap in self.operands.maps.values():
            heatmap.levelsChanged.connect(self._repaint_words)
        self.maps.barResized.connect(self.arrange)
        self.operands.barResized.connect(self.arrange)
        for source in (self.maps, self.operands):
            source.cellChosen.connect(self.stageCellChosen)
            source.hovered.connect(self.hovered)
            source.hoverLeft.connect(self.hoverLeft)
        self.operands.activated.connect(self.maps.activated)
        self.operands.copyImageRequested.connect(self.maps.copyImageRequested)
        self.operands.saveImageRequested.connect(self.maps.saveImageRequested)
        set_ground(self, "surface")

    # --- setters ---------------------------------------------------------------------------------
    def set_evaluation(self, evaluation: Evaluation, batch: int, head: int, stage: str = "") -> None:
        """Show another evaluation, batch item or head, with the present stage in the corner or another."""
        self.stage = stage or self.stage
        self.maps.set_evaluation(evaluation, batch, head)

    def set_stage(self, stage: str) -> None:
        """Put another stage in the corner."""
        if stage != self.stage:
            window = self._pairs_shown()
            self.stage = stage
            self._on_maps_rearranged()
            if window is not None and self._pairs_shown() is not None:
                self.maps.map(stage).extent.set_window(window)

    def set_tokens(self, query_tokens: Sequence[str] | None, key_tokens: Sequence[str] | None) -> None:
        """Names of queries and keys; None for numbers."""
        self.maps.set_tokens(query_tokens or (), key_tokens or ())
        self.arrange()

    def set_chosen(self, chosen: tuple[str, int, int] | None) -> None:
        """Mark (stage, row, column) and what it is made of; None for nothing."""
        self.maps.set_chosen(chosen)
        self._show_marks()

    def refresh(self, recomputed: Recomputed) -> None:
        """Redraw and outline the cells that hold new numbers, and nothing else."""
        self.maps.refresh(recomputed)
        stage_map = self.stage_map()
        plane = stage_map.plane if stage_map is not None else None
        found = [plane.cells(box) for box in recomputed.boxes.get(self.stage, ())] if plane is not None else []
        self.operands.refresh(recomputed.boxes, [area for area in found if area is not None])

    def retake_levels(self) -> None:
        """Take automatic levels again, at rest after edits."""
        self.maps.retake_levels()
        self.operands.retake_levels()

    def set_formula(self, *forms: str) -> None:
        """The LaTeX of the stage's formula; further forms are for less and less room."""
        self._words.set_formula(forms)
        self.arrange()

    def set_menu_actions(self, actions: Sequence[QAction]) -> None:
        """Set the actions in the context menus of the maps."""
        self.maps.set_menu_actions(actions)
        for heatmap in self.operands.maps.values():
            heatmap.addActions(actions)

    def set_values_shown(self, shown: bool) -> None:
        """Write values into cells where they fit."""
        self.maps.set_values_shown(shown)
        for heatmap in self.operands.maps.values():
            heatmap.set_shown(replace(heatmap.shown, values=shown))

    def set_dimmed(self, dimmed: bool) -> None:
        """Dim the pictures: they show the last good result."""
        for heatmap in (*self.maps.every(), *self.operands.maps.values()):
            heatmap.set_shown(replace(heatmap.shown, dimmed=dimmed))
        for stage in self.maps.stages:
            self.maps.minimap(stage).follow()

    def set_compact(self, compact: bool) -> None:
        """The form for narrow windows: shorter captions, smaller gaps."""
        self.compact = compact
        self.arrange()

    def set_theme(self, _theme: Theme) -> None:
        """The colors and sizes have changed; they are those of `views.theme`."""
        self.arrange()

    # --- laying out ------------------------------------------------------------------------------
    @contextmanager
    def arranged_once(self) -> Iterator[None]:
        """While this lasts, whatever asks for another arrangement gets it at the end, together with all others."""
        self._held, self._asked = True, False
        try:
            yield
        finally:
            self._held = False
        if self._asked:
            self.arrange()

    def stage_map(self) -> Heatmap | None:
        """The map in the corner."""
        return self.maps.map(self.stage) if self.stage in self.maps.stages else None

    def _pairs_shown(self) -> Window | None:
        """The queries and keys in view, where the stage has both."""
        square = self.stage_map() and stages.STAGE[self.stage].square
        return self.maps.map(self.stage).extent.window if square else None

    def arrange(self) -> None:
        """Place the maps of the present stage, and those of the others where they would be."""
        if self.stage_map() is None or not self.maps.at_home or not self.isVisible():
            return  # it is arranged once it is shown
        if self._held:
            self._asked = True
            return
        bars = self._bar_height(scaled(LEAST_SIZE[0]))
        for stage in self.maps.stages:
            places = self._places_of(stage, bars)
            if stage == self.stage:
                if (needed := self._bar_height(places.stage.width())) != bars:
                    places = self._places_of(stage, needed)
                self.places = places
            self.maps.map(stage).place_cells(places.stage)
        self._place_operands()
        self._repaint_words()

    def _places_of(self, stage: str, bars: int) -> Places:
        head, corner = self._words.head_height(), self._words.corner_width()
        labels, font = axis_labels(self.maps, stage)[1], label_font(self.compact)
        for turned in (False, True):
            needs = needs_of(self.maps, stage, compact=self.compact, head=head, bars=bars, corner=corner, turned=turned)
            places = lay_out(needs, self.width(), self.height())
            if labels_fit(labels, font, places.stage.width() / places.columns):
                break
        return places

    def _bars(self) -> dict[str, ColorBar]:
        return {STAGE: self.maps.bar(self.stage), **self.operands.shown_bars}

    def _bar_height(self, width: int) -> int:
        return scaled(SPACING.m) + max(bar.heightForWidth(width) for bar in self._bars().values())

    def _place_operands(self) -> None:
        assert self.places is not None
        stage_map = self.stage_map()
        assert stage_map is not None
        joined = {STAGE: stage_map}
        for place, heatmap in self.operands.shown.items():
            rect = getattr(self.places, place)
            heatmap.setVisible(rect is not None)
            if rect is not None:
                heatmap.place_cells(rect)
                joined[place] = heatmap
        self._windows.join(joined, self.places.rows, self.places.columns)
        self._words.place_tokens(self.places)
        self._place_scroll_bars()
        for place, bar in self._bars().items():
            rect = self.places.stage if place == STAGE else getattr(self.places, place)
            if rect is not None:
                top = rect.bottom() + 1 + scaled(SPACING.m)
                bar.setGeometry(rect.left() - 1, top, rect.width() + 2, bar.heightForWidth(rect.width() + 2))

    def _order_tabs(self) -> None:
        """Order of Tab: the stage, what makes it, what it makes, then the color bars."""
        stage_map = self.stage_map()
        if stage_map is not None:
            overview = self.maps.minimap(self.stage)
            around: list[QWidget] = [*self.operands.shown.values(), *self._bars().values()]
            chain: list[QWidget] = [stage_map, overview, *around, self._words.tokens]
            for before, after in itertools.pairwise(chain):
                QWidget.setTabOrder(before, after)

    def _place_scroll_bars(self) -> None:
        assert self.places is not None
        stage, last = self.places.stage, self.places.result or self.places.stage
        for side, bar in self._windows.scroll_bars.items():
            thick = bar.sizeHint().width() if side == Qt.Orientation.Vertical else bar.sizeHint().height()
            if side == Qt.Orientation.Vertical:
                bar.setGeometry(last.right() + scaled(SPACING.m), stage.top(), thick, stage.height())
            else:
                bar.setGeometry(stage.left(), stage.bottom() + 2, stage.width(), min(thick, scaled(SPACING.m)))

    # --- following -------------------------------------------------------------------------------
    def _on_maps_rearranged(self) -> None:
        if self.stage not in self.maps.stages or self.maps.evaluation is None:
            return
        evaluation = self.maps.evaluation
        self.picture = picture_of(self.stage, evaluation)
        self._windows.part()
        self.operands.set_picture(self.picture, evaluation, self.maps.batch, self.maps.head)
        self._show_only_present()
        self._order_tabs()
        self.arrange()
        self._show_marks()

    def _show_only_present(self) -> None:
        if not self.maps.at_home:
            return
        focused, present = self.maps.focused, self.maps.map(self.stage)
        present.show()
        if focused not in (None, self.stage):
            present.setFocus(Qt.FocusReason.OtherFocusReason)  # before the other is gone, and the keyboard with it
        for stage in self.maps.stages:
            self.maps.map(stage).setVisible(stage == self.stage)
            self.maps.bar(stage).setVisible(stage == self.stage)

    def _show_marks(self) -> None:
        lines = self.maps.lines(self.stage)
        self.operands.set_marks(lines, self.maps.chosen, result=self.picture.marks_result)
        before, self._marked = self._marked, self._marks_region()
        self.update(before + self._marked)

    def _repaint_words(self, *_: object) -> None:
        """Everything but the cells of the maps."""
        self._words.forget_places()
        self._ground, self._marked = None, self._marks_region()
        self.update(QRegion(self.rect()).subtracted(self._cells_region()))

    def _marks_region(self) -> QRegion:
        known = self.places is not None and self.stage_map() is not None
        return self._words.marks_region(self.places) if known and self.places is not None else QRegion()

    def _cells_region(self) -> QRegion:
        region, places = QRegion(), self.places
        if places is not None:
            for rect in (places.stage, places.left, places.top, places.factor, places.result):
                region += rect or QRect()
        return region

    def _painted_words(self, places: Places) -> QPixmap:
        """The words without any mark, painted once: every click and every outline that fades repaints some."""
        ratio = self.devicePixelRatioF()
        ground = QPixmap(self.size() * ratio)
        ground.setDevicePixelRatio(ratio)
        ground.fill(current_theme().surface)
        painter = QPainter(ground)
        self._words.paint(painter, places)
        painter.end()
        return ground

    # --- what Qt asks ----------------------------------------------------------------------------
    def paintEvent(self, event: QPaintEvent) -> None:
        if self.places is None or self.stage_map() is None:
            return
        if event.region().subtracted(self._cells_region()).isEmpty():
            return  # some cells of a map are being repainted, there is nothing below them
        if self._ground is None:
            self._ground = self._painted_words(self.places)
        painter = QPainter(self)
        painter.drawPixmap(0, 0, self._ground)
        if event.region().intersects(self._marked):
            self._words.paint_marks(painter, self.places)
        painter.end()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        event.accept()  # so that the release comes here

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.groundClicked.emit()

    def minimumSizeHint(self) -> QSize:
        return QSize(scaled(LEAST_SIZE[0]), scaled(LEAST_SIZE[1]))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.arrange()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.maps.go_home()
        self._show_only_present()
        self.arrange()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.StyleChange, QEvent.Type.LanguageChange):
            self._words.tokens.retranslate()
            self.maps.retranslate()
            self.operands.retranslate()
            self.arrange()
        super().changeEvent(event)
