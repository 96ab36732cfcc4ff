"""The product picture: which matrices stand around the chosen stage and have room, color bars, what is repainted."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence, Set
from contextlib import contextmanager
from dataclasses import replace

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QAction, QPainter, QRegion, QShowEvent
from PySide6.QtWidgets import QWidget

from attn_gui.engine import Evaluation, Recomputed
from attn_gui.figure.design_tokens import SIZE, SPACING
from attn_gui.figure.stage_formulas import STAGE_PLACE, picture_of
from attn_gui.views.map.color_scales import ColorScales
from attn_gui.views.map.colorbar import bar_height, legend_line
from attn_gui.views.map.heatmap import Heatmap, is_counted
from attn_gui.views.product.captions import ProductWords
from attn_gui.views.product.map_labels import AxisLabels, WordsAround
from attn_gui.views.product.product_layout import ProductPlaces, ProductScene, padding, places_of
from attn_gui.views.product.stage_maps import WITH_BAR, LinkedMaps, MapBackground, OperandMaps, StageMaps
from attn_gui.views.theme import scaled, set_background

LEAST_SIZE = (200, 160)


class ProductPicture(MapBackground, WordsAround, QWidget):
    """Lays the maps of the present stage out so that row i is one height and column j one width throughout."""

    backgroundClicked = Signal()
    tokensRequested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.color_scales = ColorScales(self)
        self.maps = StageMaps(self, self.color_scales)
        self.operands = OperandMaps(self, self.color_scales)
        self._scene = ProductScene(self.maps, self.operands)
        self.places: ProductPlaces | None = None
        self._links = LinkedMaps(self)
        self._words = ProductWords(self._scene, self)
        self._words.title.tokens.clicked.connect(self.tokensRequested)
        self._held, self._asked = False, False  # whether the arrangement waits, and whether there is to be one
        self._links.moved.connect(self.repaint_words)
        self.maps.rearranged.connect(self._on_maps_rearranged)
        for place in self.operands.maps.keys() - WITH_BAR:  # of which the words have the levels
            self.operands.maps[place].levelsChanged.connect(self.repaint_words)
        self.maps.barResized.connect(self.arrange)
        self.operands.barResized.connect(self.arrange)
        self.maps.pass_on(self.operands)
        self.operands.typingRequested.connect(self.maps.typingRequested)
        set_background(self, "surface")

    def set_evaluation(self, evaluation: Evaluation, batch: int, head: int, stage: str = "") -> None:
        """Show another evaluation, batch item or head, with the present stage in the corner or another."""
        self._scene.stage = stage or self._scene.stage
        self.maps.set_evaluation(evaluation, batch, head)

    def set_stage(self, stage: str, forms: Sequence[str] | None = None) -> None:
        """Put another stage in the corner; with `forms` of its formula, as of `set_formula`, all is arranged once."""
        if stage != self._scene.stage:
            window = self._scene.pairs
            self._scene.stage = stage
            if forms is not None:
                self._words.title.set_formula(forms)
            self._on_maps_rearranged()
            if window is not None and self._scene.pairs is not None:
                self.maps.map(stage).box.set_window(window)

    def set_parts(self, shown: Set[str]) -> None:
        """Offer to name queries and keys, or not."""
        tokens = self._words.title.tokens
        tokens.offered = "tokens" in shown
        if self.places is None or not tokens.offered:
            tokens.setVisible(tokens.offered)
        else:
            self._words.title.place_tokens(self.places)

    def set_tokens(self, query_tokens: Sequence[str] | None, key_tokens: Sequence[str] | None) -> None:
        """Set names of queries and keys; None for numbers."""
        self.maps.set_tokens(query_tokens or (), key_tokens or ())
        self.arrange()

    def set_chosen(self, chosen: tuple[str, int, int] | None) -> None:
        """Mark (stage, row, column) and what it is made of; None for nothing."""
        if chosen != self.maps.chosen:
            self.maps.set_chosen(chosen)
            self._show_marks()

    def refresh(self, recomputed: Recomputed) -> None:
        """Redraw and outline the cells that hold new numbers, and nothing else."""
        self.maps.refresh(recomputed)
        stage_map = self.stage_map()
        plane = stage_map.plane if stage_map is not None else None
        found = [plane.cells(box) for box in recomputed.boxes.get(self._scene.stage, ())] if plane is not None else []
        self.operands.refresh(recomputed.boxes, [area for area in found if area is not None])

    def hold_flashes(self, held: bool) -> None:
        """Leave the outlines of the last edit as strong as they are, or let them fade on."""
        for heatmap in (*self.maps.every(), *self.operands.maps.values()):
            heatmap.overlay.hold_flash(held)

    def set_formula(self, *forms: str) -> None:
        """Set the LaTeX of the stage's formula; further forms are for less and less room."""
        self._words.title.set_formula(forms)
        self.arrange()

    def set_layer(self, layer: int | None) -> None:
        """Name the layer of a model that is on the table; None where there is no model."""
        if layer != self._words.title.layer:
            self._words.title.layer = layer
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
            if heatmap.shown.dimmed != dimmed:
                heatmap.set_shown(replace(heatmap.shown, dimmed=dimmed))
        for stage in self.maps.stages:
            self.maps.minimap(stage).follow()

    def set_compact(self, compact: bool, *, low: bool = False) -> None:
        """Set the form for narrow windows: shorter captions, smaller gaps; low ones have the latter alone."""
        self._scene.compact, self._scene.tight = compact, compact or low
        self.arrange()

    # --- laying out ------------------------------------------------------------------------------
    @contextmanager
    def arranged_once(self) -> Iterator[None]:
        """Hold back each arrangement that is asked for meanwhile, and arrange once at the end."""
        self._held, self._asked = True, False
        try:
            yield
        finally:
            self._held = False
        if self._asked:
            self.arrange()

    def stage_map(self) -> Heatmap | None:
        """Return the map in the corner."""
        return self._scene.corner

    def focus_map(self) -> bool:
        """Give the keyboard to the map in the corner; False if there is none."""
        heatmap = self.stage_map()
        if heatmap is not None:
            heatmap.setFocus(Qt.FocusReason.OtherFocusReason)
        return heatmap is not None

    def arrange(self) -> None:
        """Place the maps of the present stage; another one is placed when it is chosen."""
        if self.stage_map() is None or not self.maps.at_home or not self.isVisible():
            return  # it is arranged once it is shown
        if self._held:
            self._asked = True
            return
        self.places = self._roomiest_places()
        self.maps.map(self._scene.stage).place_cells(self.places.stage)
        self._place_operands()
        self.repaint_words()

    def _roomiest_places(self) -> ProductPlaces:
        """Return the places with room for a line of a legend, so that no cell moves when the first one comes; without
        it where that would take the numbers from the cells."""
        line, narrow = bar_height() + legend_line(), self._tallest_bar(scaled(LEAST_SIZE[0]))
        kept, bare = self._places_with(line, narrow), self._places_with(0, narrow)
        return bare if kept.row_height < scaled(SIZE.value_min_cell_height) <= bare.row_height else kept

    def _places_with(self, least: int, narrow: int) -> ProductPlaces:
        """Return the places with bars of at least a height, first as high as below a narrow map: how high they have to
        be depends on how wide the map gets."""
        bars = self._room_for_bar(max(least, narrow))
        places = self._places_of(self._scene.stage, bars)
        if (needed := self._room_for_bar(max(least, self._tallest_bar(places.stage.width())))) != bars:
            places = self._places_of(self._scene.stage, needed)
        return places

    def _places_of(self, stage: str, bars: int) -> ProductPlaces:
        head, corner = self._words.title.head_height(), self._words.title.corner_width()
        form = {"compact": self._scene.compact, "tight": self._scene.tight}
        return places_of(self.maps, stage, self.size(), **form, head=head, bars=bars, corner=corner)

    def _room_for_bar(self, height: int) -> int:
        """Return the pixels that a bar takes below its map; the last line of a legend stands in the padding below."""
        return scaled(SPACING.m) + max(bar_height(), height - padding(self._scene.tight) + 1)

    def _tallest_bar(self, width: int) -> int:
        """Return the pixels of the highest color bar, those of small maps that take turns in the corner included."""
        bars = set(self._scene.bars.values())
        if is_counted(self.maps.map(self._scene.stage)):
            bars |= set(map(self.maps.bar, self._scene.alike))
        return max([bar.heightForWidth(width) for bar in bars])

    def _place_operands(self) -> None:
        assert self.places is not None
        joined = {STAGE_PLACE: self.maps.map(self._scene.stage)}
        for place, heatmap in self.operands.shown.items():
            rect = getattr(self.places, place)
            heatmap.setVisible(rect is not None)
            if rect is not None:
                heatmap.place_cells(rect)
                joined[place] = heatmap
        self._links.link(joined, self.places.rows, self.places.columns)
        self._words.title.place_tokens(self.places)
        self._links.place_scroll_bars(self.places.stage, self.places.result or self.places.stage)
        for place, bar in self._scene.bars.items():
            rect = self.places.stage if place == STAGE_PLACE else getattr(self.places, place)
            if rect is not None:
                top = rect.bottom() + 1 + scaled(SPACING.m)
                bar.setGeometry(rect.left() - 1, top, rect.width() + 2, bar.heightForWidth(rect.width() + 2))

    def _order_tabs(self) -> None:
        """Set the order of Tab: the stage, what makes it, what it makes, then the color bars."""
        stage_map = self.stage_map()
        if stage_map is not None:
            overview = self.maps.minimap(self._scene.stage)
            around: list[QWidget] = [*self.operands.shown.values(), *self._scene.bars.values()]
            chain: list[QWidget] = [stage_map, overview, *around, self._words.title.tokens]
            for before, after in itertools.pairwise(chain):
                QWidget.setTabOrder(before, after)

    # --- following -------------------------------------------------------------------------------
    def _on_maps_rearranged(self) -> None:
        scene, evaluation = self._scene, self.maps.evaluation
        if scene.corner is None or evaluation is None:
            return
        scene.picture, self.places = picture_of(scene.stage, evaluation), None  # not painted until it is arranged
        self._links.part()
        self.operands.set_picture(scene.picture, evaluation, self.maps.batch, self.maps.head)
        self._show_only_present()
        self._order_tabs()
        self.arrange()
        self._show_marks()

    def _show_only_present(self) -> None:
        if not self.maps.at_home:
            return
        focused, present = self.maps.focused, self._scene.stage
        self.maps.map(present).show()
        if focused not in (None, present):  # before the other is gone, and the keyboard with it
            self.maps.map(present).setFocus(Qt.FocusReason.OtherFocusReason)
        self.maps.show_only(present)

    def _show_marks(self) -> None:
        self.operands.set_marks(self._scene.lines, self.maps.chosen, result=self._scene.picture.marks_result)
        self.repaint_marks()

    def _cells_region(self) -> QRegion | None:
        return self.places.cells if self.places is not None and self.stage_map() is not None else None

    def _made_labels(self) -> Iterator[AxisLabels]:
        assert self.places is not None
        return self._words.labels(self.places)

    def _marked_place(self) -> tuple[int | None, int | None]:
        return self._scene.lines[:2]

    def _paint_words(self, painter: QPainter) -> None:
        assert self.places is not None
        self._words.paint(painter, self.places)

    def _paint_marks(self, painter: QPainter) -> None:
        assert self.places is not None
        super()._paint_marks(painter)
        self._words.paint_marks(painter, self.places)

    def _marks_region(self) -> QRegion:
        assert self.places is not None
        return super()._marks_region() + self._words.marks_region(self.places)

    def minimumSizeHint(self) -> QSize:
        return QSize(scaled(LEAST_SIZE[0]), scaled(LEAST_SIZE[1]))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.maps.take_back()
        self._show_only_present()
        self.arrange()

    def retranslate(self) -> None:
        self._words.title.tokens.retranslate()
        self.maps.retranslate()
        self.operands.retranslate()
