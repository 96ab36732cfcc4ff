"""The words of the product picture: title, formula, tokens, captions and chips, and the lines through its gaps."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QRect, QRectF, QSizeF
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QRegion

from attn_gui.engine import STAGE, symbol
from attn_gui.figure.products.operands import KEY, QUERY
from attn_gui.figure.tokens import FONT_SIZE, SPACING, Theme
from attn_gui.views.formula import role_colors
from attn_gui.views.heads.head_words import head_words
from attn_gui.views.map.overlay import role_color
from attn_gui.views.names import stage_title
from attn_gui.views.product.labels import LEVEL, UPRIGHT, Labels, LabelStyle, label_width, labels_fit
from attn_gui.views.product.lettering import (
    Word,
    block_height,
    chip_width,
    gap_lines,
    paint_block,
    paint_chip,
    paint_words,
    range_text,
    words_width,
)
from attn_gui.views.product.operands import WITH_BAR
from attn_gui.views.product.product_layout import Places
from attn_gui.views.product.product_needs import (
    TALLEST_COLUMN_LABEL,
    axis_labels,
    axis_names,
    label_font,
    line_height,
    padding,
)
from attn_gui.views.product.tokens_button import TokensButton
from attn_gui.views.theme import current_theme, scaled, ui_font
from attn_gui.views.typesetting import Formula, typeset

if TYPE_CHECKING:
    from attn_gui.views.product.product import ProductPicture

LEAST_FORMULA = 0.7
"""A formula is made smaller to fit its corner down to this share: its letters are then as high as the least type."""


class ProductWords:
    """Paints what stands around the maps of a product picture, on the ground of the picture itself."""

    def __init__(self, product: ProductPicture) -> None:
        self._product = product
        self._formulas: tuple[Formula, ...] = ()
        self._axes: tuple[Labels, ...] | None = None  # of rows and columns, as long as nothing moves
        self.tokens = TokensButton(product)
        self.tokens.clicked.connect(product.tokensRequested)

    def forget_places(self) -> None:
        """Maps or words have moved."""
        self._axes = None

    def set_formula(self, forms: Sequence[str]) -> None:
        """The LaTeX of the formula in forms that get shorter; of several the first that has room."""
        self._formulas = tuple(map(typeset, forms))

    def head_height(self) -> int:
        """Pixels of title and formula above a map that has no operands beside them."""
        return max(round(self._title_height()), round(self._formula_size().height())) + scaled(SPACING.m)

    def corner_width(self) -> int:
        """Pixels that title, formula and the words at the top map would like to have beside one another."""
        if "top" not in self._product.operands.shown:
            return 0
        words = max(words_width([word]) for word in self._top_words()) + 2 * scaled(SPACING.l)
        return round(max(self._title_width(), self._formula_size().width() + words))

    def place_tokens(self, places: Places) -> None:
        """The button after the title, left of the words at a map above and of tokens over columns."""
        edge, width = padding(self._product.compact), round(self._title_width() - self.tokens.sizeHint().width())
        above = places.top or places.stage
        right = above.left() if self._product.picture.columns == KEY else self._product.width()
        self.tokens.place(QRect(edge, edge, width, round(self._title_height())), places, right - scaled(SPACING.s))

    def paint(self, painter: QPainter, places: Places) -> None:
        """Everything but the maps and what the chosen cell marks."""
        theme = current_theme()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        title_end = self._paint_title(painter, theme)
        self._paint_formula(painter, places, title_end)
        for labels, _ in self._tokens(places):
            labels.paint(painter)
        self._paint_bands(painter, places, theme)
        self._paint_captions(painter, places, theme)

    def paint_marks(self, painter: QPainter, places: Places) -> None:
        """Paint marks of the chosen cell: the tokens of its row and column, captions with chips, lines in the gaps."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for labels, marked in self._tokens(places):
            labels.paint_chosen(painter, marked)
        for place, rect in self._chipped(places).items():
            self._paint_caption(painter, place, rect, current_theme())
        for bar, color in self._gap_lines(places):
            painter.fillRect(bar, color)

    def marks_region(self, places: Places) -> QRegion:
        """The region where `paint_marks` paints."""
        region = QRegion()
        for labels, marked in self._tokens(places):
            region += labels.chip_region(marked)
        for rect in self._chipped(places).values():
            region += QRect(rect.left(), rect.top() - line_height() - scaled(SPACING.s), rect.width(), line_height())
        for bar, _ in self._gap_lines(places):
            region += bar
        return region

    # --- title and formula -----------------------------------------------------------------------
    def _title_height(self) -> float:
        return QFontMetricsF(ui_font("sentence", 600)).height()

    def _title_width(self) -> float:
        """Pixels of the title with the button beside it."""
        return words_width(tuple(self._title())) + scaled(SPACING.m) + self.tokens.sizeHint().width()

    def _title(self) -> Iterator[Word]:
        product = self._product
        evaluation = product.maps.evaluation
        assert evaluation is not None
        yield stage_title(product.stage), "sentence", "text", 600
        if not STAGE[product.stage].joined:
            head = QCoreApplication.translate("ProductPicture", "head {head}").format(head=product.maps.head)
            yield head, "body", "text2", 400
            if word := head_words(evaluation.problem).get(product.maps.head):
                yield word, "body", "edit", 600
        if evaluation.problem.batch_size > 1:
            item = QCoreApplication.translate("ProductPicture", "item {item}").format(item=product.maps.batch)
            yield item, "body", "text2", 400

    def _paint_title(self, painter: QPainter, theme: Theme) -> float:
        edge = padding(self._product.compact)
        ascent = QFontMetricsF(ui_font("sentence", 600)).ascent()
        paint_words(painter, tuple(self._title()), edge, edge + ascent, theme)
        return edge + self._title_width() + scaled(SPACING.m)

    def _formula_size(self) -> QSizeF:
        """The first form at the size of the look and the present zoom of the window."""
        return _size_of(self._formulas[0]) if self._formulas else QSizeF()

    def _paint_formula(self, painter: QPainter, places: Places, title_end: float) -> None:
        """Paint the formula in the corner below the title; beside it where that has room and the corner has not."""
        for formula in self._formulas:
            size = _size_of(formula)
            rooms = [self._room_beside_title(places, title_end, size)]
            if places.top is not None:
                rooms.insert(0, self._corner(places, places.top))
            fits = [min(1.0, room.width() / size.width(), room.height() / size.height()) for room in rooms]
            best = fits.index(max(fits))
            if fits[best] >= LEAST_FORMULA:
                em, colors = scaled(FONT_SIZE.formula) * fits[best], role_colors(current_theme().text)
                formula.paint(painter, rooms[best].topLeft(), em, colors)
                return

    def _corner(self, places: Places, top_map: QRect) -> QRectF:
        """Below the title, left of the words at the map above."""
        edge = padding(self._product.compact)
        top = edge + self._title_height() + scaled(SPACING.s)
        right = top_map.left() - scaled(SPACING.l) - max(words_width([word]) for word in self._top_words())
        return QRectF(edge, top, right - edge, places.stage.top() - line_height() - top)

    def _room_beside_title(self, places: Places, title_end: float, size: QSizeF) -> QRectF:
        edge, left = padding(self._product.compact), title_end + scaled(SPACING.m)
        if places.top is None:
            return QRectF(left, edge, self._product.width() - edge - left, size.height())
        bottom = places.top.top() - scaled(SPACING.xs)
        right = self._product.width() - edge
        if self._product.picture.columns == KEY:  # tokens stand there
            right = places.top.left()
        return QRectF(left, edge, right - left, bottom - edge)

    # --- tokens ----------------------------------------------------------------------------------
    def _tokens(self, places: Places) -> Iterator[tuple[Labels, int | None]]:
        """The labels of both axes, each with the row or column that is marked."""
        marked = self._product.maps.lines(self._product.stage)
        if self._axes is None:
            self._axes = tuple(self._made_labels(places))
        return zip(self._axes, (marked.row, marked.column), strict=False)  # features have no labels

    def _made_labels(self, places: Places) -> Iterator[Labels]:
        product, away = self._product, scaled(SPACING.s)
        stage_map = product.stage_map()
        assert stage_map is not None
        rows, columns = axis_labels(product.maps, product.stage)
        fonts = label_font(product.compact), label_font(product.compact, 600)
        left = (places.left or places.stage).left() - places.row_labels
        box = QRectF(left, places.stage.top(), places.row_labels - away, places.stage.height())
        yield Labels(stage_map.placement.rows, rows, box, LabelStyle(*fonts, current_theme(), product.picture.rows))
        if columns:
            above, span = places.top or places.stage, stage_map.placement.columns
            level = labels_fit(columns, fonts[0], span.cell_size)
            tall = line_height() if level else label_width(columns, fonts[0], scaled(TALLEST_COLUMN_LABEL))
            box = QRectF(above.left(), above.top() - tall, above.width(), tall - away)
            style = LabelStyle(*fonts, current_theme(), product.picture.columns)
            yield Labels(span, columns, box, style, LEVEL if level else UPRIGHT)

    def _paint_bands(self, painter: QPainter, places: Places, theme: Theme) -> None:
        """The numbers of the heads over their bands of columns, the present one in the accent."""
        stage_map, rect = self._product.stage_map(), places.stage
        assert stage_map is not None
        if not stage_map.shown.bands or axis_labels(self._product.maps, self._product.stage)[1]:
            return
        starts = (*stage_map.shown.bands, stage_map.shape[1])
        baseline = rect.top() - scaled(SPACING.s) - QFontMetricsF(ui_font("small")).descent()
        for head, (start, stop) in enumerate(itertools.pairwise(starts)):
            pixels = stage_map.placement.columns.pixels_of_cells(slice(start, stop))
            present = head == self._product.maps.head
            word: Word = (str(head), "small", "accent" if present else "text2", 600 if present else 400)
            if words_width([word]) <= pixels.stop - pixels.start:
                left = rect.left() + (pixels.start + pixels.stop - words_width([word])) / 2
                paint_words(painter, [word], left, baseline, theme)

    # --- captions --------------------------------------------------------------------------------
    def _paint_captions(self, painter: QPainter, places: Places, theme: Theme) -> None:
        product, axis = self._product, axis_names()
        away = scaled(SPACING.s)
        first = places.left or places.stage
        baseline = first.top() - away - QFontMetricsF(ui_font("small")).descent()
        role = product.picture.rows
        if role in axis:
            words = ((axis[role], "small", role, 400),)
            paint_block(painter, words, first.left() - away, baseline - QFontMetricsF(ui_font("small")).ascent(), theme)
        chipped = self._chipped(places)
        for place, rect in self._captioned(places).items():
            if place not in chipped:
                self._paint_caption(painter, place, rect, theme)
        if places.top is not None:
            self._paint_top_caption(painter, places.top, theme)

    def _captioned(self, places: Places) -> dict[str, QRect]:
        """The maps with a caption above them."""
        rects = {"left": places.left, "factor": places.factor, "result": places.result}
        shown = self._product.operands.shown
        return {place: rect for place, rect in rects.items() if rect is not None and place in shown}

    def _chipped(self, places: Places) -> dict[str, QRect]:
        """Those that may carry the chip of a marked row."""
        chipped = ("factor", "result") if self._product.picture.marks_result else ()
        return {place: rect for place, rect in self._captioned(places).items() if place in chipped}

    def _paint_caption(self, painter: QPainter, place: str, rect: QRect, theme: Theme) -> None:
        """Symbol and shape above a map, and a chip that repeats the token of its marked row."""
        heatmap = self._product.operands.maps[place]
        words: list[Word] = [(self._symbol(place), "body", "text", 600)]
        if not self._product.compact or place == "left":
            words.append(("{} × {}".format(*heatmap.shape), "small", "text3", 400))
        token = self._marked_token(place)
        if not self._product.compact and place not in WITH_BAR and heatmap.taken.known:
            words.append((range_text(heatmap.levels), "micro", "text3", 400))
        while token is not None and len(words) > 1 and words_width(words) + chip_width(token[0]) > rect.width():
            words.pop()
        bottom = rect.top() - scaled(SPACING.s)
        baseline = bottom - QFontMetricsF(ui_font("small")).descent()
        end = paint_words(painter, words, rect.left(), baseline, theme)
        if token is not None:
            right = rect.left() + rect.width()
            room = right - end + scaled(SPACING.m) - scaled(SPACING.s)
            paint_chip(painter, *token, right, bottom + scaled(SPACING.xs), room, theme)

    def _paint_top_caption(self, painter: QPainter, top_map: QRect, theme: Theme) -> None:
        """Symbol, shape and the name of the columns below one another, left of the map above."""
        words = self._top_words()
        top = min(top_map.top(), top_map.bottom() - block_height(words))
        paint_block(painter, words, top_map.left() - scaled(SPACING.m), top, theme)

    def _top_words(self) -> list[Word]:
        heatmap = self._product.operands.maps["top"]
        words: list[Word] = [
            (self._symbol("top"), "body", "text", 600),
            ("{} × {}".format(*heatmap.shape), "small", "text3", 400),
        ]
        if not self._product.compact and heatmap.taken.known:
            words.append((range_text(heatmap.levels), "micro", "text3", 400))
        if self._product.picture.columns == KEY:
            words.append((QCoreApplication.translate("ProductPicture", "key →"), "small", KEY, 400))
        return words

    def _symbol(self, place: str) -> str:
        operand = self._product.picture.operands()[place]
        return symbol(self._product.operands.source(place)) + ("ᵀ" if operand.transposed else "")

    def _marked_token(self, place: str) -> tuple[str, str] | None:
        """Token and role of the row that a weight marks in V and O."""
        product = self._product
        marked = product.maps.lines(product.stage)
        if not product.picture.marks_result or place not in ("factor", "result"):
            return None
        rows, columns = axis_labels(product.maps, product.stage)
        labels, at, role = (columns, marked.column, KEY) if place == "factor" else (rows, marked.row, QUERY)
        return (labels[at], role) if at is not None and at < len(labels) else None

    # --- gaps ------------------------------------------------------------------------------------
    def _gap_lines(self, places: Places) -> Iterator[tuple[QRect, QColor]]:
        """The chosen row and column run on from map to map."""
        product, theme = self._product, current_theme()
        stage_map, marked = product.stage_map(), product.maps.lines(product.stage)
        assert stage_map is not None
        pairs = []
        if marked.row is not None and places.left is not None:
            pixels = stage_map.placement.rows.pixels_of_cells(slice(marked.row, marked.row + 1))
            pairs.append((places.left, places.stage, pixels, marked.row_role))
            if places.result is not None and product.picture.marks_result:
                pairs.append((places.stage, places.result, pixels, marked.row_role))
        if marked.column is not None and places.top is not None:
            pixels = stage_map.placement.columns.pixels_of_cells(slice(marked.column, marked.column + 1))
            pairs.append((places.top, places.stage, pixels, marked.column_role))
        for first, second, pixels, role in pairs:
            yield from ((bar, role_color(theme, role)) for bar in gap_lines(first, second, pixels))


def _size_of(formula: Formula) -> QSizeF:
    return QSizeF(formula.width, formula.height) * scaled(FONT_SIZE.formula)
