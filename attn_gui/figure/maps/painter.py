"""The one routine that paints a figure of maps, whatever the device: an image, an SVG or a PDF page."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QFontMetricsF, QPainter

from attn_gui.figure.maps.grounds import snapped
from attn_gui.figure.maps.layout import MARGIN, Layout, plan
from attn_gui.figure.maps.legend import paint_legend
from attn_gui.figure.maps.map_figure import MapFigure
from attn_gui.figure.maps.map_parts import (
    axis_color,
    dots_text,
    fitting_numbers,
    paint_axis_name,
    paint_bar,
    paint_column_labels,
    paint_note,
    paint_panel,
    paint_row_labels,
)
from attn_gui.figure.output.text import END, write_line
from attn_gui.figure.text.fonts import WIDER_FONT, figure_font
from attn_gui.figure.text.labels import elided
from attn_gui.figure.tokens import FONT_SIZE, SPACING, Theme
from attn_gui.formats.visible_text import visible_text


def paint_map(painter: QPainter, rect: QRectF, figure: MapFigure, layout: Layout | None = None) -> None:
    """Paint a figure into a rectangle given in logical pixels of 1/96 inch: maps, axes, color bar, legend.

    Without a layout it is made for the rectangle; ValueError when that is too small for the labels.
    """
    layout = layout or plan(figure, rect.width(), rect.height())
    painter.save()
    begin(painter, rect, None if figure.transparent else figure.theme)
    if figure.show_title:
        paint_title(painter, figure.title, figure.subtitle, layout.title, layout.width - 2 * MARGIN, figure.theme)
    _paint_axes(painter, figure, layout)
    rows, columns = figure.shape
    strong = QFontMetricsF(figure_font(FONT_SIZE.small, strong=True))
    numbers = fitting_numbers(figure, layout.maps[0].width() / columns, layout.maps[0].height() / rows)
    for number, (panel, place, title) in enumerate(zip(figure.panels, layout.maps, layout.panel_titles, strict=True)):
        said = elided(visible_text(panel.title), place.width(), strong)
        write_line(painter, title, said, figure.theme.text2, FONT_SIZE.small, strong=True)
        paint_panel(painter, snapped(painter, place), figure, number, numbers)
    if layout.bar is not None:
        paint_bar(painter, figure, snapped(painter, layout.bar), dots_text(figure, numbers))
    paint_legend(painter, (figure,), layout.legend, QPointF(layout.grid.left(), layout.legend_top))
    paint_note(painter, layout.note, QPointF(layout.grid.left(), layout.note_top), figure.theme)
    painter.restore()


def begin(painter: QPainter, rect: QRectF, ground: Theme | None) -> None:
    """Move to a page and fill it, if it is not to be transparent."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setRenderHint(QPainter.RenderHint.LosslessImageRendering)
    if ground is not None:
        painter.fillRect(rect, ground.surface)
    painter.translate(rect.topLeft())


def paint_title(painter: QPainter, title: str, subtitle: str, at: QPointF, room: float, theme: Theme) -> None:
    """A title cut to the room, and at the other end of its line what is said beside it, where that fits whole."""
    strong = QFontMetricsF(figure_font(FONT_SIZE.sentence, strong=True))
    title = elided(visible_text(title), room, strong)
    write_line(painter, at, title, theme.text, FONT_SIZE.sentence, strong=True)
    rest = room - strong.horizontalAdvance(title) * WIDER_FONT - SPACING.m
    subtitle = visible_text(subtitle)
    if QFontMetricsF(figure_font(FONT_SIZE.small)).horizontalAdvance(subtitle) <= rest:
        write_line(painter, at + QPointF(room, 0), subtitle, theme.text3, FONT_SIZE.small, anchor=END)


def _paint_axes(painter: QPainter, figure: MapFigure, layout: Layout) -> None:
    """Names of both axes, the labels of the first column of maps and of the first row."""
    ascent = QFontMetricsF(figure_font(FONT_SIZE.small)).ascent()
    across = QPointF(layout.grid.center().x(), layout.names_baseline)
    down = QPointF(MARGIN + ascent, layout.grid.center().y())
    for axis, at in ((figure.columns, across), (figure.rows, down)):
        name, color = figure.words.axes.get(axis.name, axis.name), axis_color(axis.name, figure.theme)
        paint_axis_name(painter, at, name, color, turned=axis is figure.rows)
    painter.setPen(figure.theme.text2)
    rows, columns = figure.shape
    for place in (snapped(painter, place) for place in layout.maps):
        if place.left() < layout.grid.left() + 1:
            paint_row_labels(painter, place, layout.row_labels, rows)
        if place.top() < layout.grid.top() + 1:
            paint_column_labels(painter, place, layout.column_labels, columns)
