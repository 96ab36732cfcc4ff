"""Paints a product figure: maps that meet, their symbols, tokens, and a color bar for each."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QFontMetricsF, QPainter

from attn_gui.figure.maps.grounds import snapped
from attn_gui.figure.maps.layout import MARGIN
from attn_gui.figure.maps.legend import paint_legend
from attn_gui.figure.maps.map_parts import (
    axis_color,
    dots_text,
    fitting_numbers,
    paint_bar,
    paint_column_labels,
    paint_note,
    paint_panel,
    paint_row_labels,
)
from attn_gui.figure.maps.painter import begin, paint_title
from attn_gui.figure.output.text import write_line
from attn_gui.figure.products.figure_layout import ProductLayout
from attn_gui.figure.products.product_figure import STAGE, ProductFigure
from attn_gui.figure.text.fonts import WIDER_FONT, figure_font
from attn_gui.figure.tokens import FONT_SIZE, SPACING


def paint_product(painter: QPainter, figure: ProductFigure, layout: ProductLayout) -> None:
    """Paint a product figure at the origin, in logical pixels of 1/96 inch."""
    theme = figure.stage.theme
    painter.save()
    begin(painter, QRectF(0, 0, layout.width, layout.height), None if figure.stage.transparent else theme)
    if figure.stage.show_title:
        paint_title(painter, figure.title, "", layout.title, layout.width - 2 * MARGIN, theme)
    dots = {}
    for place, rect in layout.maps.items():
        own, rect = figure.maps[place], snapped(painter, rect)
        rows, columns = own.shape
        numbers = fitting_numbers(own, rect.width() / columns, rect.height() / rows)
        dots[place] = dots_text(own, numbers)
        paint_panel(painter, rect, own, 0, numbers)
        _paint_caption(painter, figure, place, layout.captions[place])
    _paint_labels(painter, figure, layout)
    for bar in layout.bars:
        own = figure.maps[bar.place]
        write_line(painter, bar.symbol, own.title, theme.text2, FONT_SIZE.micro, strong=True)
        paint_bar(painter, own, snapped(painter, bar.rect), dots[bar.place])
    left = min(rect.left() for rect in layout.maps.values())
    paint_legend(painter, tuple(figure.maps.values()), layout.legend, QPointF(left, layout.legend_top))
    paint_note(painter, layout.note, QPointF(left, layout.note_top), theme)
    painter.restore()


def _paint_caption(painter: QPainter, figure: ProductFigure, place: str, at: QPointF) -> None:
    """The symbol of a map and its shape, as far as the map is wide."""
    own = figure.maps[place]
    write_line(painter, at, own.title, own.theme.text, FONT_SIZE.small, strong=True)
    used = QFontMetricsF(figure_font(FONT_SIZE.small, strong=True)).horizontalAdvance(own.title) * WIDER_FONT
    write_line(painter, at + QPointF(used + SPACING.s, 0), own.subtitle, own.theme.text3, FONT_SIZE.micro)


def _paint_labels(painter: QPainter, figure: ProductFigure, layout: ProductLayout) -> None:
    """Queries to the left of all, keys above all and beside V."""
    stage, theme, maps = figure.stage, figure.stage.theme, layout.maps
    rows, columns = stage.shape
    painter.setPen(axis_color(stage.rows.name, theme))
    paint_row_labels(painter, snapped(painter, maps.get("left", maps[STAGE])), layout.row_labels, rows)
    painter.setPen(axis_color(stage.columns.name, theme))
    paint_column_labels(painter, snapped(painter, maps.get("top", maps[STAGE])), layout.column_labels, columns)
    if layout.factor_labels is not None:
        place = snapped(painter, maps["factor"])
        paint_row_labels(painter, place, layout.factor_labels, figure.maps["factor"].shape[0], right=True)
