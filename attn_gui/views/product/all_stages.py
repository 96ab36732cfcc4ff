"""All stages at once: tiles in rows, the title of a tile, its color bar and labels."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QMouseEvent, QPainter, QRegion, QShowEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

from attn_gui.engine import STAGE, symbol
from attn_gui.figure.design_tokens import SPACING
from attn_gui.figure.stage_formulas import picture_of, repeated
from attn_gui.views.names import AxisNames, stage_title
from attn_gui.views.product.map_labels import (
    LEVEL,
    UPRIGHT,
    AxisLabels,
    LabelStyle,
    Word,
    WordsAround,
    label_width,
    labels_fit,
    paint_words,
)
from attn_gui.views.product.product_layout import (
    LARGEST_CELL,
    LEAST_SIDE,
    ProductNeeds,
    axis_labels,
    label_font,
    lay_out,
    line_height,
)
from attn_gui.views.product.stage_maps import MapBackground, StageMaps
from attn_gui.views.theme import current_theme, scaled, set_background, ui_font

WIDEST_LABEL = 40
LEAST_SHARE = 0.6
"""Turned tokens are worth their room where a column is this share of their height wide: then every other stands."""


class StageTile(WordsAround, QWidget):
    """Lays one large map out by itself; a click on the title asks to see the stage in the product picture."""

    picked = Signal(str)  # the stage

    def __init__(self, stage: str, maps: StageMaps, parent: QWidget) -> None:
        super().__init__(parent)
        self.stage, self._maps = stage, maps
        self._row_labels, self._column_labels = 0, 0
        maps.map(stage).box.changed.connect(self.repaint_words)
        maps.bar(stage).heightChanged.connect(self._on_bar_height_changed)

    def borrow(self) -> None:
        """Take the stage's map and color bar from wherever they are."""
        self._maps.lend(self.stage, self)
        self._maps.map(self.stage).box.set_home(None)

    def arrange(self) -> None:
        """Place map and bar in the room of the tile."""
        heatmap, bar = self._maps.map(self.stage), self._maps.bar(self.stage)
        rows, columns = axis_labels(self._maps, self.stage)
        self._row_labels = round(label_width(rows, label_font(True), scaled(WIDEST_LABEL)))
        self._column_labels, place = self._best_place(columns)
        heatmap.place_cells(place)
        width = max(place.width() + 2, scaled(LEAST_SIDE))
        bar.setGeometry(place.left() - 1, place.bottom() + 1 + scaled(SPACING.m), width, bar.heightForWidth(width))
        for widget in (heatmap, bar):
            widget.show()  # once it is where it belongs, so that it is drawn once
        self.repaint_words()

    def _on_bar_height_changed(self) -> None:
        if self._at_work():
            self.arrange()

    def _best_place(self, columns: AxisNames) -> tuple[int, QRect]:
        """Return the room for tokens over columns, as they are, turned, or none where few fit, and the map's place."""
        font = label_font(True)
        if columns:
            place = self._place(line_height())
            if labels_fit(columns, font, place.width() / len(columns)):
                return line_height(), place
            tall = round(label_width(columns, font, scaled(WIDEST_LABEL)))
            place = self._place(tall)
            if place.width() >= LEAST_SHARE * QFontMetricsF(font).height() * len(columns):
                return tall, place
        return 0, self._place(scaled(SPACING.s))

    def _place(self, column_labels: int) -> QRect:
        heatmap, bar = self._maps.map(self.stage), self._maps.bar(self.stage)
        rows, columns = heatmap.shape
        needs = ProductNeeds(
            rows,
            columns,
            square=STAGE[self.stage].square,
            row_labels=self._row_labels,
            column_labels=column_labels,
            head=self._title_height(),
            padding=heatmap.margin,
            gap=0,
            bars=bar.heightForWidth(self.width() - self._row_labels) + scaled(SPACING.m),
            largest_cell=scaled(LARGEST_CELL),
            least_side=scaled(LEAST_SIDE),
            comfortable_cell=1,
        )
        return lay_out(needs, self.width(), self.height()).stage

    def _title_height(self) -> int:
        return round(QFontMetricsF(ui_font("body", 600)).height()) + scaled(SPACING.s)

    def _title(self) -> tuple[Word, ...]:
        shape = "{} × {}".format(*self._maps.map(self.stage).shape)
        return (
            (stage_title(self.stage), "body", "text", 600),
            (symbol(self.stage), "body", "text2", 400),
            (shape, "small", "text3", 400),
        )

    def _cells_region(self) -> QRegion | None:
        return QRegion() if self._at_work() else None

    def _at_work(self) -> bool:
        """Return whether the map of the tile is here and shows something."""
        return self._maps.map(self.stage).parentWidget() is self and self._maps.evaluation is not None

    def _paint_words(self, painter: QPainter) -> None:
        paint_words(painter, self._title(), 1, QFontMetricsF(ui_font("body", 600)).ascent() + 1, current_theme())

    def _marked_place(self) -> tuple[int | None, int | None]:
        return self._maps.lines(self.stage)[:2]

    def _made_labels(self) -> Iterator[AxisLabels]:
        assert self._maps.evaluation is not None
        heatmap, theme = self._maps.map(self.stage), current_theme()
        picture = picture_of(self.stage, self._maps.evaluation)
        rows, columns = axis_labels(self._maps, self.stage)
        place = heatmap.placement
        cells = place.cells.translated(heatmap.pos())
        fonts, away = (label_font(True), label_font(True, 600)), scaled(SPACING.s)
        box = QRectF(cells.left() - self._row_labels, cells.top(), self._row_labels - away, cells.height())
        yield AxisLabels(place.rows, rows, box, LabelStyle(*fonts, theme, picture.rows))
        if self._column_labels:
            span, style = place.columns, LabelStyle(*fonts, theme, picture.columns)
            box = QRectF(cells.left(), cells.top() - self._column_labels, cells.width(), self._column_labels - away)
            level = labels_fit(columns, fonts[0], span.cell_size)
            yield AxisLabels(span, columns, box, style, LEVEL if level else UPRIGHT)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        event.setAccepted(self._in_title(event))  # so that the release comes here

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        event.setAccepted(self._in_title(event))
        if event.isAccepted():
            self.picked.emit(self.stage)

    def _in_title(self, event: QMouseEvent) -> bool:
        title = QRectF(0, 0, self.width(), self._title_height())
        return event.button() == Qt.MouseButton.LeftButton and title.contains(event.position())


LEAST_TILE = (220, 168)


class AllStages(MapBackground, QScrollArea):
    """Borrows the maps while it is visible; what they show is set where they live, in `StageMaps`."""

    stagePicked = Signal(str)  # the stage
    backgroundClicked = Signal()

    def __init__(self, maps: StageMaps, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._maps = maps
        self.tiles: dict[str, StageTile] = {}  # by stage, in order
        self._floor = QWidget(self)
        self.setWidget(self._floor)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        set_background(self._floor, "surface")
        set_background(self, "surface")
        self._arranged: object = None  # what the tiles were arranged for
        maps.rearranged.connect(self._on_maps_rearranged)
        maps.renamed.connect(self._on_maps_rearranged)
        maps.marked.connect(self._on_maps_marked)

    def arrange(self) -> None:
        """Arrange a tile for every stage, in rows that fill the width."""
        if not self.isVisible():
            return
        stages = self._own_stages()
        for stage in [stage for stage in self.tiles if stage not in stages]:
            self._maps.take_back(stage)
            self.tiles.pop(stage).deleteLater()
        for stage in stages:
            if stage not in self.tiles:
                self.tiles[stage] = StageTile(stage, self._maps, self._floor)
                self.tiles[stage].picked.connect(self.stagePicked)
            self.tiles[stage].borrow()
        self._place_tiles()

    def _own_stages(self) -> tuple[str, ...]:
        """Return the stages that show a matrix of their own, in order."""
        evaluation = self._maps.evaluation
        return tuple(stage for stage in self._maps.stages if evaluation is not None and not repeated(evaluation, stage))

    def _on_maps_rearranged(self) -> None:
        """Leave the tiles as they are where only the numbers are others, as those of another head."""
        if self._arranged != self._needs():
            self.arrange()

    def _needs(self) -> object:
        """Return what decides layout and letters of the tiles, but for room, look and language."""
        maps, stages = self._maps, self._own_stages()
        return stages, [maps.map(stage).shape for stage in stages], maps.query_tokens, maps.key_tokens

    def _place_tiles(self) -> None:
        stages = self._own_stages()
        gap, room = scaled(SPACING.l), self.viewport().size()
        least = QSize(scaled(LEAST_TILE[0]), scaled(LEAST_TILE[1]))
        across = _across(len(stages), room, least, gap)
        down = -(-len(stages) // across) or 1
        width = (room.width() - gap) // across - gap
        height = max(least.height(), (room.height() - gap) // down - gap)
        self._floor.resize(room.width(), down * (height + gap) + gap)
        for position, stage in enumerate(stages):
            row, column = divmod(position, across)
            tile = self.tiles[stage]
            tile.setGeometry(gap + column * (width + gap), gap + row * (height + gap), width, height)
            tile.show()
            tile.arrange()
        self._arranged = self._needs()

    def _on_maps_marked(self) -> None:
        for tile in self.tiles.values():
            tile.repaint_marks()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.arrange()


def _across(count: int, room: QSize, least: QSize, gap: int) -> int:
    """Return how many tiles in a row make the shorter side of each as long as can be; of equals the fewest rows."""

    def shorter_side(across: int) -> int:
        down = -(-count // across)
        width, height = (room.width() - gap) // across - gap, (room.height() - gap) // down - gap
        return min(width, max(least.height(), height))

    most = max(1, min(count, (room.width() - gap) // (least.width() + gap)))
    return max(range(most, 0, -1), key=shorter_side)
