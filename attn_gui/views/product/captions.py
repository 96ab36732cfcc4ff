"""Words of the product picture: title and formula in the corner, symbol and shape of each map, the button Tokens…."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from PySide6.QtCore import QCoreApplication, QPoint, QRect, QRectF, QSizeF
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QRegion
from PySide6.QtWidgets import QWidget

from attn_gui.engine import STAGE, symbol
from attn_gui.figure.design_tokens import FONT_SIZE, SPACING, Theme
from attn_gui.figure.formula_typesetting import Formula, typeset
from attn_gui.figure.stage_formulas import KEY, QUERY
from attn_gui.views.map.marks import role_color
from attn_gui.views.names import head_words, layer_words, stage_title
from attn_gui.views.product.map_labels import (
    LEVEL,
    UPRIGHT,
    AxisLabels,
    LabelStyle,
    Word,
    block_height,
    chip_width,
    gap_lines,
    label_width,
    labels_fit,
    paint_block,
    paint_chip,
    paint_words,
    range_text,
    words_width,
)
from attn_gui.views.product.product_layout import (
    TALLEST_COLUMN_LABEL,
    ProductPlaces,
    ProductScene,
    axis_names,
    label_font,
    line_height,
    padding,
)
from attn_gui.views.product.stage_maps import WITH_BAR
from attn_gui.views.text_views import Link, role_colors
from attn_gui.views.theme import current_theme, scaled, ui_font

CHIPPED = ("factor", "result")
"""Places of maps of which a weight marks a row."""


def paint_captions(painter: QPainter, scene: ProductScene, places: ProductPlaces, theme: Theme) -> None:
    """Paint everything over the maps that no chosen cell changes, and the names of the axes."""
    axis, away = axis_names(), scaled(SPACING.s)
    first, role = places.left or places.stage, scene.picture.rows
    if role in axis:
        metrics = QFontMetricsF(ui_font("small"))
        top = first.top() - away - metrics.descent() - metrics.ascent()
        paint_block(painter, ((axis[role], "small", role, 400),), first.left() - away, top, theme)
    chipped = chipped_maps(scene, places)
    for place, rect in _captioned_maps(scene, places).items():
        if place not in chipped:
            paint_caption(painter, scene, place, rect, theme)
    if places.top is not None:  # below one another, left of the map above
        words = top_words(scene)
        top = min(places.top.top(), places.top.bottom() - block_height(words))
        paint_block(painter, words, places.top.left() - scaled(SPACING.m), top, theme)


def paint_caption(painter: QPainter, scene: ProductScene, place: str, rect: QRect, theme: Theme) -> None:
    """Paint symbol and shape above a map, and a chip that repeats the token of its marked row."""
    heatmap = scene.operands.maps[place]
    words: list[Word] = [(_symbol(scene, place), "body", "text", 600)]
    if not scene.compact or place == "left":
        words.append(("{} × {}".format(*heatmap.shape), "small", "text3", 400))
    token = _marked_token(scene, place)
    if not scene.compact and place not in WITH_BAR and heatmap.writes_levels:
        words.append((range_text(heatmap.levels), "micro", "text3", 400))
    while token is not None and len(words) > 1 and words_width(words) + chip_width(token[0]) > rect.width():
        words.pop()
    bottom = rect.top() - scaled(SPACING.s)
    end = paint_words(painter, words, rect.left(), bottom - QFontMetricsF(ui_font("small")).descent(), theme)
    if token is not None:
        right = rect.left() + rect.width()
        room = right - end + scaled(SPACING.m) - scaled(SPACING.s)
        paint_chip(painter, *token, right, bottom + scaled(SPACING.xs), room, theme)


def chipped_maps(scene: ProductScene, places: ProductPlaces) -> dict[str, QRect]:
    """Return the maps that may carry the chip of a marked row."""
    if not scene.picture.marks_result:
        return {}
    return {place: rect for place, rect in _captioned_maps(scene, places).items() if place in CHIPPED}


def top_words(scene: ProductScene) -> list[Word]:
    """Return symbol, shape and range of the map above, and the name of its columns."""
    heatmap = scene.operands.maps["top"]
    words: list[Word] = [
        (_symbol(scene, "top"), "body", "text", 600),
        ("{} × {}".format(*heatmap.shape), "small", "text3", 400),
    ]
    if not scene.compact and heatmap.writes_levels:
        words.append((range_text(heatmap.levels), "micro", "text3", 400))
    if scene.picture.columns == KEY:
        words.append((QCoreApplication.translate("ProductPicture", "key →"), "small", KEY, 400))
    return words


def _captioned_maps(scene: ProductScene, places: ProductPlaces) -> dict[str, QRect]:
    """Return the maps with a caption above them."""
    rects = {"left": places.left, "factor": places.factor, "result": places.result}
    return {place: rect for place, rect in rects.items() if rect is not None and place in scene.operands.shown}


def _symbol(scene: ProductScene, place: str) -> str:
    operand = scene.picture.operands()[place]
    return symbol(scene.operands.source(place)) + ("ᵀ" if operand.transposed else "")


def _marked_token(scene: ProductScene, place: str) -> tuple[str, str] | None:
    """Return token and role of the row that a weight marks in V and O."""
    if not scene.picture.marks_result or place not in CHIPPED:
        return None
    marked = scene.lines
    axis, at, role = (1, marked.column, KEY) if place == "factor" else (0, marked.row, QUERY)
    if at is None:
        return None
    labels = scene.labels[axis]
    return (labels[at], role) if at < len(labels) else None


FORMULA_ROOM, FORMULA_ROOM_COMPACT = 140, 96
"""Pixels in the corner for a formula, however long: from stage to stage the maps stay where they are."""

LEAST_FORMULA = 0.7
"""A formula is made smaller to fit its corner down to this share: its letters are then as high as the least type."""


class TokensButton(Link):
    """Stands after the title, else below the names of the rows; hidden where neither place has the room."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent=parent, size="small")
        self.setObjectName("product.tokens")
        self.offered = True
        self.retranslate()

    def retranslate(self) -> None:
        tip = QCoreApplication.translate("ProductPicture", "Name the queries and keys (Ctrl+T)")
        self.set_words(QCoreApplication.translate("ProductPicture", "Tokens…"), tip=tip)

    def place(self, title: QRect, places: ProductPlaces, right: int) -> None:
        """Beside a title that ends there, if that is left of `right`."""
        hint = self.sizeHint()
        beside, below = title.right() + 1 + hint.width() <= right, (places.left or places.stage).left() - title.left()
        self.setVisible(self.offered and (beside or hint.width() <= below))
        after_title = QPoint(title.right() + 1, title.top() + (title.height() - hint.height()) // 2)
        below_names = QPoint(title.left(), places.stage.bottom() + scaled(SPACING.m))
        self.setGeometry(QRect(after_title if beside else below_names, hint))


class ProductTitle:
    """Says what is shown in the upper left corner: stage, head, item and formula."""

    def __init__(self, scene: ProductScene, background: QWidget) -> None:
        self._scene, self._background = scene, background
        self._formulas: tuple[Formula, ...] = ()
        self.layer: int | None = None  # of a model
        self.tokens = TokensButton(background)

    def set_formula(self, forms: Sequence[str]) -> None:
        """Set the LaTeX of the formula in forms that get shorter; of several the first that has room."""
        self._formulas = tuple(map(typeset, forms))

    def head_height(self) -> int:
        """Return the pixels of title and formula above a map that has no operands beside them."""
        return max(round(self._height()), round(self._formula_size().height())) + scaled(SPACING.m)

    def corner_width(self) -> int:
        """Return the pixels that title, formula and the words at the top map would like to have beside one another: as
        many for every stage that is laid out alike."""
        if "top" not in self._scene.operands.shown:
            return 0
        words = max(words_width([word]) for word in top_words(self._scene)) + 2 * scaled(SPACING.l)
        titles = (self._width(stage) for stage in self._scene.alike)
        room = FORMULA_ROOM_COMPACT if self._scene.compact else FORMULA_ROOM
        return round(max(*titles, scaled(room) + words))

    def place_tokens(self, places: ProductPlaces) -> None:
        """Place the button after the title, left of the words at a map above and of tokens over columns."""
        edge, width = padding(self._scene.tight), round(self._width() - self.tokens.sizeHint().width())
        above = places.top or places.stage
        beside = self._scene.labels[1] and self._scene.operands.shown  # no row of words is left above the labels
        right = above.left() if beside else self._background.width()
        self.tokens.place(QRect(edge, edge, width, round(self._height())), places, right - scaled(SPACING.s))

    def paint(self, painter: QPainter, places: ProductPlaces, theme: Theme) -> None:
        """Paint the words, and the formula where it has room."""
        edge = padding(self._scene.tight)
        ascent = QFontMetricsF(ui_font("sentence", 600)).ascent()
        paint_words(painter, tuple(self._words()), edge, edge + ascent, theme)
        self._paint_formula(painter, places, edge + self._width() + scaled(SPACING.m))

    def _height(self) -> float:
        return QFontMetricsF(ui_font("sentence", 600)).height()

    def _width(self, stage: str = "") -> float:
        """Return the pixels of the title of the present stage, or of another, with the button beside it."""
        return words_width(tuple(self._words(stage))) + scaled(SPACING.m) + self.tokens.sizeHint().width()

    def _words(self, stage: str = "") -> Iterator[Word]:
        stage, maps = stage or self._scene.stage, self._scene.maps
        assert maps.evaluation is not None
        if self.layer is not None:
            yield layer_words(self.layer), "sentence", "text2", 600
        yield stage_title(stage), "sentence", "text", 600
        if not STAGE[stage].joined and maps.evaluation.problem.num_heads > 1:
            head = QCoreApplication.translate("ProductPicture", "head {head}").format(head=maps.head)
            yield head, "body", "text2", 400
            if word := head_words(maps.evaluation.problem).get(maps.head):
                yield word, "body", "edit", 600
        if maps.evaluation.problem.batch_size > 1:
            item = QCoreApplication.translate("ProductPicture", "item {item}").format(item=maps.batch)
            yield item, "body", "text2", 400

    # --- formula ---------------------------------------------------------------------------------
    def _formula_size(self) -> QSizeF:
        """Return the first form at the size of the look and the present zoom of the window."""
        return _size_of(self._formulas[0]) if self._formulas else QSizeF()

    def _paint_formula(self, painter: QPainter, places: ProductPlaces, title_end: float) -> None:
        """Paint the formula in the corner below the title; beside it where that has room and the corner has not."""
        for formula in self._formulas:
            size = _size_of(formula)
            rooms = [self._room_beside_title(places, title_end, size)]
            if places.top is not None:
                rooms.insert(0, self._room_below_title(places, places.top))
            fits = [min(1.0, room.width() / size.width(), room.height() / size.height()) for room in rooms]
            best = fits.index(max(fits))
            if fits[best] >= LEAST_FORMULA:
                em, colors = scaled(FONT_SIZE.formula) * fits[best], role_colors(current_theme().text)
                formula.paint(painter, rooms[best].topLeft(), em, colors)
                return

    def _room_below_title(self, places: ProductPlaces, top_map: QRect) -> QRectF:
        """Left of the words at the map above."""
        edge = padding(self._scene.tight)
        top = edge + self._height() + scaled(SPACING.s)
        right = top_map.left() - scaled(SPACING.l) - max(words_width([word]) for word in top_words(self._scene))
        return QRectF(edge, top, right - edge, places.stage.top() - line_height() - top)

    def _room_beside_title(self, places: ProductPlaces, title_end: float, size: QSizeF) -> QRectF:
        edge, left = padding(self._scene.tight), title_end + scaled(SPACING.m)
        right = self._background.width() - edge
        if places.top is None:
            return QRectF(left, edge, right - left, size.height())
        bottom = places.top.top() - scaled(SPACING.xs)
        if self._scene.labels[1]:  # which stand there
            right = places.top.left()
        return QRectF(left, edge, right - left, bottom - edge)


def _size_of(formula: Formula) -> QSizeF:
    return QSizeF(formula.width, formula.height) * scaled(FONT_SIZE.formula)


class ProductWords:
    """Paints what stands around the maps of a product picture, on the background of the picture itself."""

    def __init__(self, scene: ProductScene, background: QWidget) -> None:
        self._scene, self._background = scene, background
        self.title = ProductTitle(scene, background)

    def paint(self, painter: QPainter, places: ProductPlaces) -> None:
        """Paint everything but the maps, the labels and what the chosen cell marks."""
        theme = current_theme()
        self.title.paint(painter, places, theme)
        self._paint_bands(painter, places, theme)
        paint_captions(painter, self._scene, places, theme)

    def paint_marks(self, painter: QPainter, places: ProductPlaces) -> None:
        """Paint marks of the chosen cell beside its tokens: captions with chips, lines in the gaps."""
        for place, rect in chipped_maps(self._scene, places).items():
            paint_caption(painter, self._scene, place, rect, current_theme())
        for bar, color in self._gap_lines(places):
            painter.fillRect(bar, color)

    def marks_region(self, places: ProductPlaces) -> QRegion:
        """Return the region where `paint_marks` paints."""
        region = QRegion()
        for rect in chipped_maps(self._scene, places).values():
            above = line_height() + scaled(SPACING.s)
            right = self._background.width()  # words may be wider than their map
            region += QRect(rect.left() - 1, rect.top() - above, right - rect.left() + 1, above)
        for bar, _ in self._gap_lines(places):
            region += bar
        return region

    # --- tokens ----------------------------------------------------------------------------------
    def labels(self, places: ProductPlaces) -> Iterator[AxisLabels]:
        """Yield the labels of both axes."""
        scene, away = self._scene, scaled(SPACING.s)
        placement, (rows, columns) = scene.maps.map(scene.stage).placement, scene.labels
        fonts = label_font(scene.tight), label_font(scene.tight, 600)
        left = (places.left or places.stage).left() - places.row_labels
        box = QRectF(left, places.stage.top(), places.row_labels - away, places.stage.height())
        yield AxisLabels(placement.rows, rows, box, LabelStyle(*fonts, current_theme(), scene.picture.rows))
        if columns:
            above, span = places.top or places.stage, placement.columns
            level = labels_fit(columns, fonts[0], span.cell_size)
            tall = line_height() if level else label_width(columns, fonts[0], scaled(TALLEST_COLUMN_LABEL))
            box = QRectF(above.left(), above.top() - tall, above.width(), tall - away)
            style = LabelStyle(*fonts, current_theme(), scene.picture.columns)
            yield AxisLabels(span, columns, box, style, LEVEL if level else UPRIGHT)

    def _paint_bands(self, painter: QPainter, places: ProductPlaces, theme: Theme) -> None:
        """Paint the numbers of the heads over their bands of columns, the present one in the accent."""
        corner, rect = self._scene.maps.map(self._scene.stage), places.stage
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
    def _gap_lines(self, places: ProductPlaces) -> Iterator[tuple[QRect, QColor]]:
        """Yield the lines by which the chosen row and column run on from map to map."""
        marked, theme = self._scene.lines, current_theme()
        if marked.row is None and marked.column is None:
            return
        placement = self._scene.maps.map(self._scene.stage).placement
        rows, columns = placement.rows, placement.columns
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
