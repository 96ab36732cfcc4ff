"""A figure as a PNG, SVG, PDF or GIF file, or as an image: the same routine on every device."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import IO

from PySide6.QtCore import QT_TRANSLATE_NOOP, QBuffer, QIODevice, QMarginsF, QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import QImage, QPageSize, QPainter, QPdfWriter

from attn_gui.document.edits import Refusal
from attn_gui.figure.output.page import LOGICAL_DPI, Page
from attn_gui.figure.output.png import PngWriter
from attn_gui.figure.output.svg import SvgPage
from attn_gui.formats import carried
from attn_gui.formats.visible_text import visible_text

PDF_DPI = 1200
DPI_RANGE = (10.0, 2400.0)
LONGEST_SIDE_PIXELS = 32_767
MOST_PIXELS = 150_000_000
LONGEST_PAGE_CM = 500.0
"""PDF pages end at 14,400 points, 508 cm."""

BAND = 1 << 20
"""Pixels of a PNG that are painted at a time."""

SOFTWARE = "attn_gui"

_TOO_MANY_PIXELS = QT_TRANSLATE_NOOP(
    "Sentences",
    "The picture would have {width} × {height} pixels, more than {most} in all or {longest} a side; choose "
    "fewer dots per inch or a smaller size.",
)
_TOO_MANY_MOVING = QT_TRANSLATE_NOOP(
    "Sentences",
    "The moving picture would have {count} × {width} × {height} pixels, more than {most}; choose fewer dots "
    "per inch, a smaller size or fewer values.",
)
_SEE_THROUGH = QT_TRANSLATE_NOOP(
    "Sentences", "A GIF has no pixels that are partly transparent; choose an opaque ground."
)
_NO_MEMORY = QT_TRANSLATE_NOOP("Sentences", "There is no memory for a picture of {width} × {height} pixels.")

_GLYPH_NAMES = re.compile(rb"\[(?:<[0-9A-F]{4,8}>\s*)+\]")
_LONE_RECTANGLE = re.compile(
    r'<g fill="(#[0-9a-f]{6})" fill-opacity="1" stroke="none" transform="matrix\(1,0,0,1,0,0\)"\n'
    r'font-family="[^"]*" font-size="[^"]*" font-weight="[^"]*" font-style="[^"]*" \n>\n<rect ([^>]*/>)\n</g>\n'
)


class PdfPage(QPdfWriter):
    """A PDF; `outlines` has `write_text` draw letters as paths, so that it needs no fonts."""

    def __init__(self, buffer: QBuffer, *, outlines: bool) -> None:
        super().__init__(buffer)
        self.outlines = outlines


def image_of(page: Page, dpi: float) -> QImage:
    """The figure in pixels, its resolution noted; ValueError when these would be absurdly many."""
    width, height = pixels_of(page.width * page.scale, page.height * page.scale, dpi)
    image = _painted(page, dpi, slice(0, height), width)
    image.setDotsPerMeterX(round(dpi / 0.0254))
    image.setDotsPerMeterY(round(dpi / 0.0254))
    image.setText("Title", visible_text(page.title))
    image.setText("Software", SOFTWARE)
    return image


def write_png(page: Page, dpi: float, file: IO[bytes]) -> None:
    """A PNG file with its resolution and title: the picture of `image_of`, painted and written in bands."""
    width, height = pixels_of(page.width * page.scale, page.height * page.scale, dpi)
    words = {"Title": visible_text(page.title), "Software": SOFTWARE}
    writer = PngWriter(file, width, height, round(dpi / 0.0254), words, alpha=page.ground is None)
    if page.session is not None:
        writer.add_packed_text(carried.png_text(page.session()))
    band = max(2, BAND // width // 2 * 2)  # even, so that halves of pixels round to the same side in every band
    for top in range(0, height, band):
        writer.add(_painted(page, dpi, slice(top, min(top + band, height)), width))
    writer.end()


def write_svg(page: Page, dpi: float, file: IO[bytes]) -> None:
    """An SVG file with text as text, anchored, unless the page wants outlines; its resolution is of no account."""
    buffer = _buffer()
    generator = SvgPage(outlines=page.outlines)
    generator.setOutputDevice(buffer)
    generator.setResolution(LOGICAL_DPI)
    generator.setSize(QSize(math.ceil(page.width), math.ceil(page.height)))
    generator.setViewBox(QRectF(0, 0, page.width, page.height))
    generator.setTitle(visible_text(page.title))
    generator.setDescription(SOFTWARE)
    _paint(generator, 1.0, page)
    inside = carried.svg_element(page.session()) if page.session is not None else ""
    file.write(_finished_svg(_bytes(buffer).decode("utf-8"), page, inside + generator.texts()).encode("utf-8"))


def write_pdf(page: Page, dpi: float, file: IO[bytes]) -> None:
    """A PDF file of one page with its fonts inside, unless it wants outlines; its resolution is of no account."""
    write_pages([page], file)


def write_pages(pages: Sequence[Page], file: IO[bytes]) -> None:
    """A PDF file of several pages of one size, with the title of the first."""
    buffer, first = _buffer(), pages[0]
    writer = PdfPage(buffer, outlines=first.outlines)
    writer.setResolution(PDF_DPI)
    size, exact = QSizeF(*_millimeters(first)), QPageSize.SizeMatchPolicy.ExactMatch
    writer.setPageSize(QPageSize(size, QPageSize.Unit.Millimeter, "figure", exact))
    writer.setPageMargins(QMarginsF(0, 0, 0, 0))
    writer.setTitle(visible_text(first.title))
    writer.setCreator(SOFTWARE)
    if first.session is not None:
        writer.addFileAttachment(carried.ATTACHED, first.session(), carried.MEDIA_TYPE)
    _paint(writer, PDF_DPI / LOGICAL_DPI * first.scale, *pages)
    # Qt says that the glyph of the blank is a tab, which has the same one: copied and searched text would have tabs
    file.write(_GLYPH_NAMES.sub(lambda names: names[0].replace(b"<0009>", b"<0020>"), _bytes(buffer)))


def write_gif(page: Page, dpi: float, file: IO[bytes]) -> None:
    """A GIF file of one picture, in 256 colors."""
    write_moving_gif([page], dpi, file, lambda share: None)


def write_moving_gif(pages: Sequence[Page], dpi: float, file: IO[bytes], tell: Callable[[float], None]) -> None:
    """A GIF file that shows pages of one size one after another, again and again; `tell` hears the share that is done.

    Raises ValueError with a sentence where these are absurdly many pixels, or see-through ones, which GIF has not.
    """
    from attn_gui.figure.output.gif import write_images  # Pillow is imported where a GIF is wanted

    width, height = pixels_of(pages[0].width * pages[0].scale, pages[0].height * pages[0].scale, dpi)
    if len(pages) * width * height > MOST_PIXELS:
        sizes = {"count": f"{len(pages):,}", "width": f"{width:,}", "height": f"{height:,}"}
        raise Refusal(_TOO_MANY_MOVING, **sizes, most=f"{MOST_PIXELS:,}")
    if any(page.ground is None for page in pages):
        raise Refusal(_SEE_THROUGH)

    def painted(number: int) -> QImage:
        tell(number / len(pages))
        return _painted(pages[number], dpi, slice(0, height), width)

    write_images([partial(painted, number) for number in range(len(pages))], file)
    tell(1.0)


Encoder = Callable[[Page, float, IO[bytes]], None]
ENCODERS: Mapping[str, Encoder] = MappingProxyType(
    {"png": write_png, "svg": write_svg, "pdf": write_pdf, "gif": write_gif}
)
"""The formats of figures by the ending of their files."""

Animator = Callable[[Sequence[Page], float, IO[bytes], Callable[[float], None]], None]
ANIMATORS: Mapping[str, Animator] = MappingProxyType({"gif": write_moving_gif})
"""Those that hold several pages, one after another."""


def pixels_of(width: float, height: float, dpi: float) -> tuple[int, int]:
    """Width and height in pixels of a page in logical pixels; ValueError when these would be absurdly many."""
    if not DPI_RANGE[0] <= dpi <= DPI_RANGE[1]:
        raise ValueError(f"The resolution is {DPI_RANGE[0]:.0f} to {DPI_RANGE[1]:.0f} dots per inch, got {dpi:g}.")
    across, down = (max(math.ceil(side * dpi / LOGICAL_DPI - 1e-6), 1) for side in (width, height))
    if max(across, down) > LONGEST_SIDE_PIXELS or across * down > MOST_PIXELS:
        sizes = {"width": f"{across:,}", "height": f"{down:,}", "longest": f"{LONGEST_SIDE_PIXELS:,}"}
        raise Refusal(_TOO_MANY_PIXELS, **sizes, most=f"{MOST_PIXELS:,}")
    return across, down


def _painted(page: Page, dpi: float, rows: slice, width: int) -> QImage:
    """Some rows of the figure's pixels."""
    formats = QImage.Format
    form = formats.Format_ARGB32_Premultiplied if page.ground is None else formats.Format_RGB32
    image = QImage(width, rows.stop - rows.start, form)
    if image.isNull():
        raise Refusal(_NO_MEMORY, width=f"{width:,}", height=f"{rows.stop - rows.start:,}")
    image.fill(page.ground or Qt.GlobalColor.transparent)
    painter = QPainter(image)
    painter.translate(0, -rows.start)
    scale = dpi / LOGICAL_DPI * page.scale
    painter.scale(scale, scale)
    page.paint(painter)
    painter.end()
    return image


def _paint(device: SvgPage | PdfPage, scale: float, *pages: Page) -> None:
    painter = QPainter()
    if not painter.begin(device):
        raise OSError("The figure could not be written: no memory for its page.")
    for number, page in enumerate(pages):
        if number and isinstance(device, PdfPage):
            device.newPage()
        painter.save()
        painter.scale(scale, scale)
        page.paint(painter)
        painter.restore()
    painter.end()


def _finished_svg(text: str, page: Page, texts: str) -> str:
    """Finish an SVG: the generator cannot say the exact size, its texts, and a cell in one line instead of five."""
    size = 'width="{:.4f}mm" height="{:.4f}mm"'.format(*_millimeters(page))
    text = re.sub(r'width="[^"]*mm" height="[^"]*mm"', size, text, count=1)
    text = _LONE_RECTANGLE.sub(r'<rect fill="\1" stroke="none" \2', text)
    text = text.replace('image-rendering="optimizeSpeed"', 'image-rendering="pixelated"')
    body, end, rest = text.rpartition("</svg>")
    return body + texts + end + rest


def _millimeters(page: Page) -> tuple[float, float]:
    width, height = page.centimeters
    return width * 10, height * 10


def _buffer() -> QBuffer:
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    return buffer


def _bytes(buffer: QBuffer) -> bytes:
    return bytes(buffer.data().data())
