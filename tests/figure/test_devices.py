"""The same figure as PNG, SVG and PDF: colors, words and sizes agree."""

import base64
import io
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pypdfium2
import pytest
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QPainter, QPalette, QTransform
from PySide6.QtWidgets import QApplication

from attn_gui.figure.colors import auto_levels
from attn_gui.figure.design_tokens import THEMES
from attn_gui.figure.heatmap import FIGURE_WORDS, MapAxis, MapFigure, MapPanel
from attn_gui.figure.heatmap_layout import HeatmapLayout, plan
from attn_gui.figure.heatmap_painting import paint_map
from attn_gui.figure.text.fonts import figure_font
from attn_gui.figure.writers import PX_PER_CM, Encoder, Page, image_of, write_line, write_pdf, write_png, write_svg
from tests import seen
from tests.failing import each
from tests.seen import pixels_of


def page_of(figure: MapFigure, layout: HeatmapLayout) -> Page:
    background = None if figure.transparent else figure.theme.surface
    size = layout.width, layout.height
    return Page(
        *size, figure.title, lambda painter: paint_map(painter, QRectF(0, 0, *size), figure, layout), background
    )


def encoding(write: Encoder) -> Callable[[MapFigure, HeatmapLayout, float], bytes]:
    def encode(figure: MapFigure, layout: HeatmapLayout, dpi: float) -> bytes:
        file = io.BytesIO()
        write(page_of(figure, layout), dpi, file)
        return file.getvalue()

    return encode


png, svg, pdf = map(encoding, (write_png, write_svg, write_pdf))
SVG = "{http://www.w3.org/2000/svg}"
TOKENS = ("[CLS]", "<b>it</b>", "查询", "a&b", "x\u202ey", "z\x0b\x00")
SHOWN = ("[CLS]", "<b>it</b>", "查询", "a&b", "x‹U+202E›y", "z‹U+000B›‹U+0000›")


def a_figure(values: npt.NDArray[Any], allowed: npt.NDArray[np.bool_] | None = None, **fields: Any) -> MapFigure:
    rows, columns = values.shape
    weights = fields.get("weights", False)
    few = max(rows, columns) <= len(TOKENS)
    labels = TOKENS if few else [str(i) for i in range(max(rows, columns))]
    return MapFigure(
        (MapPanel(values, allowed),),
        MapAxis("query", labels[:rows]),
        MapAxis("key", labels[:columns]),
        auto_levels(values, allowed, signed=not weights, keys=columns),
        title="Scores · head 3 \x0b",
        **fields,
    )


def hostile() -> MapFigure:
    values = np.random.default_rng(3).standard_normal((5, 6))
    values[1, 2], values[2, 3], values[4, 5] = np.nan, np.inf, -np.inf
    allowed = np.ones((5, 6), dtype=bool)
    allowed[0, 3:] = False
    return a_figure(values, allowed)


def colors_of(figure: MapFigure) -> npt.NDArray[np.uint32]:
    """What every cell's background must be, from the numbers alone."""
    display, theme = figure.displays[0], figure.theme
    colors = figure.table[display.indices]
    colors[display.flags == 1] = theme.nan.rgb()
    colors[display.flags == 4] = theme.masked.rgb()
    return colors


class Svg:
    """What stands in an SVG: filled rectangles (x, y, width, height, color), words, size in cm, images."""

    def __init__(self, data: bytes) -> None:
        root = ElementTree.fromstring(data)
        self.size = float(root.get("width", "")[:-2]) / 10, float(root.get("height", "")[:-2]) / 10
        self.words = without_blanks("".join(text.text or "" for text in root.iter(f"{SVG}text")))
        self.rectangles: list[tuple[float, float, float, float, int]] = []
        self._visit(root, "none")
        self.images = []
        for image in root.iter(f"{SVG}image"):
            kind, code = image.get("{http://www.w3.org/1999/xlink}href", "").split(",")
            assert kind == "data:image/png;base64"
            assert image.get("image-rendering") == "pixelated"
            self.images.append(pixels_of(QImage.fromData(base64.b64decode(code))))

    def _visit(self, element: ElementTree.Element, fill: str) -> None:
        fill = element.get("fill", fill)
        if element.tag == f"{SVG}rect" and fill.startswith("#"):
            x, y, width, height = (float(element.get(name, "")) for name in ("x", "y", "width", "height"))
            self.rectangles.append((x, y, width, height, 0xFF000000 | int(fill[1:], 16)))
        for child in element:
            self._visit(child, fill)

    def colors(self, cell: QRectF) -> set[int]:
        """The last rectangle painted over it."""
        x, y = cell.left() + 0.04 * cell.width(), cell.center().y()  # beside the marks in the middle
        return {[c for left, top, w, h, c in self.rectangles if left <= x < left + w and top <= y < top + h][-1]}


class Pdf:
    """The same of a PDF, as another program reads and draws it."""

    def __init__(self, data: bytes) -> None:
        page = pypdfium2.PdfDocument(data)[0]
        self.size = tuple(side / 72 * 2.54 for side in page.get_size())
        self.words = without_blanks(page.get_textpage().get_text_range())
        found = page.get_objects(filter=[pypdfium2.raw.FPDF_PAGEOBJ_IMAGE], max_depth=5)
        self.images = [self._packed(each.get_bitmap().to_numpy()) for each in found]
        self._drawn = self._packed(page.render(scale=4 * 96 / 72).to_numpy())

    @staticmethod
    def _packed(channels: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint32]:
        blue, green, red = np.moveaxis(channels[..., :3].astype(np.uint32), -1, 0)
        return 0xFF000000 | red << 16 | green << 8 | blue

    def colors(self, cell: QRectF) -> set[int]:
        left, top, right, bottom = (round(4 * side) for side in cell.getCoords())
        return set(self._drawn[top + 2 : bottom - 2, left + 2 : right - 2].ravel().tolist())


def without_blanks(text: str) -> str:
    return "".join(text.split())


@each("theme", THEMES)
def test_cells_have_the_same_colors_in_all_formats(theme: str) -> None:
    figure = replace(hostile(), theme=THEMES[theme])
    layout = plan(figure)
    image = pixels_of(QImage.fromData(png(figure, layout, 96)))
    vector = [Svg(svg(figure, layout, 0)), Pdf(pdf(figure, layout, 0))]
    place, expected = layout.maps[0], colors_of(figure)
    for row, column in np.ndindex(figure.shape):
        # beside the text in the middle and the hatch: near the left upper corner
        x = place.left() + (column + 0.04) * place.width() / 6
        y = place.top() + (row + 0.5) * place.height() / 5
        if figure.displays[0].flags[row, column] == 0:
            assert image[round(y), int(x) + 1] == expected[row, column]
        size = place.width() / 6, place.height() / 5
        cell = QRectF(place.left() + column * size[0], place.top() + row * size[1], *size)
        for read in vector:
            assert expected[row, column] in read.colors(cell)


def test_words_are_the_same_in_svg_and_pdf_and_every_token_stands_on_both_axes() -> None:
    figure = hostile()
    layout = plan(figure)
    words = [read.words for read in (Svg(svg(figure, layout, 0)), Pdf(pdf(figure, layout, 0)))]
    assert sorted(words[0]) == sorted(words[1])
    for joined in words:
        for token in SHOWN[:5]:  # the sixth is a key only
            assert joined.count(token) == 2
        assert joined.count("NaN") == 2  # in its cell and in the legend
        for word in ("Scores·head3", "query", "key", "notallowed3", "+∞1", "−∞1"):
            assert word in joined
        assert "−0.0" not in joined


@each(("width", "height"), [(None, None), (8.5, None), (8.5, 12.25)])
def test_all_formats_have_the_size_asked_for(width: float | None, height: float | None) -> None:
    figure = hostile()
    layout = plan(figure, *(None if side is None else side * PX_PER_CM for side in (width, height)))
    image = QImage.fromData(png(figure, layout, 300))
    assert image.dotsPerMeterX() == image.dotsPerMeterY() == 11811
    in_png = image.width() / 118.11, image.height() / 118.11
    for size, tolerance in (
        (in_png, 0.01),
        (Svg(svg(figure, layout, 0)).size, 0.001),
        (Pdf(pdf(figure, layout, 0)).size, 0.02),
    ):
        assert size == pytest.approx((layout.width / PX_PER_CM, layout.height / PX_PER_CM), abs=tolerance)
        if width is not None:
            assert size[0] == pytest.approx(width, abs=tolerance)
        if height is not None:
            assert size[1] == pytest.approx(height, abs=tolerance)


def test_a_large_map_is_one_lossless_image_of_a_pixel_per_cell() -> None:
    values = np.random.default_rng(2).standard_normal((101, 103))
    values[50, 7] = np.nan
    figure = a_figure(values, np.tri(101, 103, 5, dtype=bool))
    layout = plan(figure, 9 * PX_PER_CM)
    expected = colors_of(figure)
    expected[50, 7] = figure.theme.nan_mark.rgb()
    for read in (Svg(svg(figure, layout, 0)), Pdf(pdf(figure, layout, 0))):
        assert len(read.images) == 1
        assert (read.images[0] == expected).all()
        assert "query" in read.words
    assert len(Svg(svg(figure, layout, 0)).rectangles) < 20  # the page, the bar, the legend


@each("spike", [1.0, np.nan], one_of=2)
def test_one_cell_in_four_million_is_seen_in_a_small_picture(spike: float) -> None:
    values = np.zeros((2000, 2000), dtype=np.float32)
    values[1237, 641] = spike
    figure = a_figure(values, weights=True, palette="weights", show_colorbar=False)
    layout = plan(figure, 8 * PX_PER_CM)
    pixels = pixels_of(image_of(page_of(figure, layout), 150))
    wanted = figure.table[-1] if spike == 1.0 else figure.theme.nan_mark.rgb()
    place, scale = layout.maps[0], 150 / 96
    inside = pixels[round(place.top() * scale) + 2 :, round(place.left() * scale) + 2 :]
    found = np.argwhere(inside[: round(place.height() * scale) - 4, : round(place.width() * scale) - 4] == wanted)
    assert len(found) == 1
    assert found[0] / (np.array([place.height(), place.width()]) * scale) == pytest.approx(
        [1237 / 2000, 641 / 2000], abs=0.01
    )
    for read in (Svg(svg(figure, layout, 0)), Pdf(pdf(figure, layout, 0))):
        assert read.images[0].shape == (2000, 2000)
        assert read.images[0][1237, 641] == wanted


def places_of_texts(data: bytes) -> list[tuple[str, QRectF]]:
    """Every text of an SVG with the rectangle that its ink takes on the page."""
    root = ElementTree.fromstring(data)
    found = []
    for group in root.iter(f"{SVG}g"):
        for element in group.findall(f"{SVG}text"):
            numbers = re.findall(r"-?[\d.e-]+", element.get("transform", "matrix(1,0,0,1,0,0)"))
            font = figure_font(float(group.get("font-size", "")), strong=group.get("font-weight") == "600")
            metrics = QFontMetricsF(font)
            ink = metrics.tightBoundingRect(element.text or "")
            before = {"start": 0.0, "middle": 0.5, "end": 1.0}[group.get("text-anchor", "")]
            ink.translate(-before * metrics.horizontalAdvance(element.text or ""), 0)
            ink.translate(float(element.get("x", "")), float(element.get("y", "")))
            found.append((element.text or "", QTransform(*map(float, numbers)).mapRect(ink)))
    return found


@each(("rows", "columns", "maps"), [(5, 6, 1), (1, 1, 1), (31, 17, 1), (5, 6, 9), (40, 64, 5)], one_of=3)
@each("width", [None, 9.0])
@each("lang", FIGURE_WORDS)
def test_no_text_runs_into_another_or_off_the_page(
    rows: int, columns: int, maps: int, width: float | None, lang: str
) -> None:
    values = np.random.default_rng(8).standard_normal((rows, columns)) * 3
    values[0, 0] = np.nan
    names = [f"word{i}" if rows < 40 else str(i) for i in range(max(rows, columns))]
    figure = MapFigure(
        tuple(MapPanel(values, None, f"head {i}" if maps > 1 else "") for i in range(maps)),
        MapAxis("query", names[:rows]),
        MapAxis("key", names[:columns]),
        auto_levels(values, signed=True, keys=columns),
        title="Scaled scores · head 3",
        subtitle=f"{rows} × {columns}",
        words=FIGURE_WORDS[lang],
    )
    layout = plan(figure, width and width * PX_PER_CM)
    texts = places_of_texts(svg(figure, layout, 0))
    page = QRectF(0, 0, layout.width, layout.height)
    assert len(texts) > 5
    assert [text for text, place in texts if not page.contains(place)] == []
    left, top, right, bottom = np.array([place.getCoords() for _, place in texts]).T
    for one, (text, place) in enumerate(texts):  # not all pairs at once: they would take half a gigabyte
        x, y, x_end, y_end = place.getCoords()
        meeting = (right > x) & (left < x_end) & (bottom > y) & (top < y_end)
        meeting[one] = False
        assert [(text, texts[other][0]) for other in np.flatnonzero(meeting)] == []


def test_a_dark_program_exports_on_white(qapp: QApplication) -> None:
    figure = hostile()
    layout = plan(figure)
    before, files = qapp.palette(), [encode(figure, layout, 96) for encode in (png, svg)]
    try:
        qapp.setPalette(QPalette(QColor("black")))
        assert [encode(figure, layout, 96) for encode in (png, svg)] == files
    finally:
        qapp.setPalette(before)
    assert pixels_of(QImage.fromData(files[0]))[0, 0] == 0xFFFFFFFF


def test_a_text_has_the_color_that_it_is_given(qapp: QApplication) -> None:
    """Not that of what was painted before."""
    image = QImage(60, 30, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    painter = QPainter(image)
    painter.setPen(Qt.GlobalColor.blue)
    write_line(painter, QPointF(5, 25), "MMM", QColor("red"), 20.0, strong=True)
    painter.end()
    colors = seen.colors_of(image)
    assert QColor("red") in colors
    assert not any(color.blue() > color.red() for color in colors)
