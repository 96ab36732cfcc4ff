"""The words of the product picture: title, tokens, captions and chips, and the lines through its gaps."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from PySide6.QtCore import QRect, QRectF
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QRegion
from PySide6.QtWidgets import QWidget

from attn_gui.figure.tokens import SPACING, Theme
from attn_gui.views.map.marks import role_color
from attn_gui.views.product.axis_labels import LEVEL, UPRIGHT, Labels, LabelStyle, label_width, labels_fit
from attn_gui.views.product.captions import chipped_maps, paint_caption, paint_captions
from attn_gui.views.product.lettering import Word, gap_lines, paint_words, words_width
from attn_gui.views.product.product_layout import Places
from attn_gui.views.product.product_needs import TALLEST_COLUMN_LABEL, label_font, line_height
from attn_gui.views.product.scene import Scene
from attn_gui.views.product.title import Title
from attn_gui.views.theme import current_theme, scaled, ui_font


class ProductWords:
    """Paints what stands around the maps of a product picture, on the ground of the picture itself."""

    def __init__(self, scene: Scene, ground: QWidget) -> None:
        self._scene, self._ground = scene, ground
        self._axes: tuple[Labels, ...] | None = None  # of rows and columns, as long as nothing moves
        self.title = Title(scene, ground)

    def forget_places(self) -> None:
        """Maps or words have moved."""
        self._axes = None

    def paint(self, painter: QPainter, places: Places) -> None:
        """Paint everything but the maps and what the chosen cell marks."""
        theme = current_theme()
        self.title.paint(painter, places, theme)
        for labels, _ in self._tokens(places):
            labels.paint(painter)
        self._paint_bands(painter, places, theme)
        paint_captions(painter, self._scene, places, theme)

    def paint_marks(self, painter: QPainter, places: Places) -> None:
        """Paint marks of the chosen cell: the tokens of its row and column, captions with chips, lines in the gaps."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for labels, marked in self._tokens(places):
            labels.paint_chosen(painter, marked)
        for place, rect in chipped_maps(self._scene, places).items():
            paint_caption(painter, self._scene, place, rect, current_theme())
        for bar, color in self._gap_lines(places):
            painter.fillRect(bar, color)

    def marks_region(self, places: Places) -> QRegion:
        """The region where `paint_marks` paints."""
        region = QRegion()
        for labels, marked in self._tokens(places):
            region += labels.chip_region(marked)
        for rect in chipped_maps(self._scene, places).values():
            above, right = line_height() + scaled(SPACING.s), self._ground.width()  # words may be wider than their map
            region += QRect(rect.left() - 1, rect.top() - above, right - rect.left() + 1, above)
        for bar, _ in self._gap_lines(places):
            region += bar
        return region

    # --- tokens ----------------------------------------------------------------------------------
    def _tokens(self, places: Places) -> Iterator[tuple[Labels, int | None]]:
        """The labels of both axes, each with the row or column that is marked."""
        marked = self._scene.lines
        if self._axes is None:
            self._axes = tuple(self._made_labels(places))
        return zip(self._axes, (marked.row, marked.column), strict=False)  # features have no labels

    def _made_labels(self, places: Places) -> Iterator[Labels]:
        scene, away = self._scene, scaled(SPACING.s)
        assert scene.corner is not None
        placement, (rows, columns) = scene.corner.placement, scene.labels
        fonts = label_font(scene.tight), label_font(scene.tight, 600)
        left = (places.left or places.stage).left() - places.row_labels
        box = QRectF(left, places.stage.top(), places.row_labels - away, places.stage.height())
        yield Labels(placement.rows, rows, box, LabelStyle(*fonts, current_theme(), scene.picture.rows))
        if columns:
            above, span = places.top or places.stage, placement.columns
            level = labels_fit(columns, fonts[0], span.cell_size)
            tall = line_height() if level else label_width(columns, fonts[0], scaled(TALLEST_COLUMN_LABEL))
            box = QRectF(above.left(), above.top() - tall, above.width(), tall - away)
            style = LabelStyle(*fonts, current_theme(), scene.picture.columns)
            yield Labels(span, columns, box, style, LEVEL if level else UPRIGHT)

    def _paint_bands(self, painter: QPainter, places: Places, theme: Theme) -> None:
        """The numbers of the heads over their bands of columns, the present one in the accent."""
        corner, rect = self._scene.corner, places.stage
        assert corner is not None
        if not corner.shown.bands or self._scene.labels[1]:
            return
        starts = (*corner.shown.bands, corner.shape[1])
        baseline = rect.top() - scaled(SPACING.s) - QFontMetricsF(ui_font("small")).descent()
        for head, (start, stop) in enumerate(itertools.pairwise(starts)):
            pixels = corner.placement.columns.pixels_of_cells(slice(start, stop))
            present = head == self._scene.maps.head
            word: Word = (str(head), "small", "accent" if present else "text2", 600 if present else 400)
            if words_width([word]) <= pixels.stop - pixels.start:
                left = rect.left() + (pixels.start + pixels.stop - words_width([word])) / 2
                paint_words(painter, [word], left, baseline, theme)

    # --- gaps ------------------------------------------------------------------------------------
    def _gap_lines(self, places: Places) -> Iterator[tuple[QRect, QColor]]:
        """The chosen row and column run on from map to map."""
        corner, marked, theme = self._scene.corner, self._scene.lines, current_theme()
        assert corner is not None
        rows, columns = corner.placement.rows, corner.placement.columns
        pairs = []
        if marked.row is not None and places.left is not None:
            pixels = rows.pixels_of_cells(slice(marked.row, marked.row + 1))
            pairs.append((places.left, places.stage, pixels, marked.row_role))
            if places.result is not None and self._scene.picture.marks_result:
                pairs.append((places.stage, places.result, pixels, marked.row_role))
        if marked.column is not None and places.top is not None:
            pixels = columns.pixels_of_cells(slice(marked.column, marked.column + 1))
            pairs.append((places.top, places.stage, pixels, marked.column_role))
        for first, second, pixels, role in pairs:
            yield from ((bar, role_color(theme, role)) for bar in gap_lines(first, second, pixels))
