"""Writers of PNG, SVG, PDF and GIF: pixels, text as text, limits, progress of frames. All are painted by the same
routine."""

from __future__ import annotations

import html
import math
import re
import struct
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count, groupby
from types import MappingProxyType
from typing import IO, TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QBuffer, QIODevice, QMarginsF, QPointF, QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QPageSize, QPainter, QPainterPath, QPdfWriter
from PySide6.QtSvg import QSvgGenerator

from attn_gui.document.edits import Refusal
from attn_gui.figure.design_tokens import CODE_FAMILIES, FONT_FAMILIES
from attn_gui.figure.text.fonts import figure_font
from attn_gui.formats import session
from attn_gui.formats.untrusted_bytes import visible_text
from attn_gui.languages import N_

if TYPE_CHECKING:
    from PIL import Image

LOGICAL_DPI = 96
PX_PER_CM = LOGICAL_DPI / 2.54

BASE_PT = 7.5
"""Size of the digits and labels of a page at scale 1, in points."""

_TOO_SMALL = {
    "width": N_("A width of {given} cm leaves no room for the map beside its labels; {least} cm is the least."),
    "height": N_("A height of {given} cm leaves no room for the map beside its labels; {least} cm is the least."),
}


class TooSmall(Refusal):
    """A width or height that leaves no room; both lengths in logical pixels."""

    def __init__(self, side: str, given: float, least: float) -> None:
        least_cm = math.ceil(least / PX_PER_CM * 10) / 10
        super().__init__(_TOO_SMALL[side], given=f"{given / PX_PER_CM:.1f}", least=f"{least_cm:.1f}")


@dataclass(frozen=True, eq=False)
class Page:
    """`width` and `height` are in logical pixels of 1/96 inch before everything, type too, is magnified by `scale`.

    `background` None leaves the page transparent. `cells` are the values that it shows one by one. A file
    of it carries the `session`, which is made when it is written. An SVG or PDF with `outlines` has no letters, but
    paths of their shapes.
    """

    width: float
    height: float
    title: str
    paint: Callable[[QPainter], None]
    background: QColor | None
    scale: float = 1.0
    cells: int = 0
    session: Callable[[], bytes] | None = None
    outlines: bool = False

    @property
    def centimeters(self) -> tuple[float, float]:
        """Width and height as they come out."""
        return self.width * self.scale / PX_PER_CM, self.height * self.scale / PX_PER_CM


# --- PNG files written band by band: Qt's own writer wants the whole picture in memory ---
Bytes = npt.NDArray[np.uint8]

RGB, RGBA, DEPTH = 2, 6, 8
METERS = 1


class PngWriter:
    """A picture of 8-bit RGB, or RGBA with `alpha`, that is given from top to bottom; `end` closes it."""

    def __init__(
        self,
        file: IO[bytes],
        width: int,
        height: int,
        dots_per_meter: int,
        words: Mapping[str, str],
        *,
        alpha: bool = False,
    ) -> None:
        self._file, self._alpha = file, alpha
        self._above = np.zeros(width * (4 if alpha else 3), np.uint8)
        self._packer = zlib.compressobj()
        file.write(b"\x89PNG\r\n\x1a\n")
        self._chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, DEPTH, RGBA if alpha else RGB, 0, 0, 0))
        self._chunk(b"pHYs", struct.pack(">IIB", dots_per_meter, dots_per_meter, METERS))
        for name, text in words.items():
            self._chunk(b"iTXt", name.encode("latin-1") + b"\0\0\0\0\0" + text.encode("utf-8", "replace"))

    def add_packed_text(self, data: bytes) -> None:
        """Add a keyword and its compressed text, before the first rows."""
        self._chunk(b"zTXt", data)

    def add(self, image: QImage) -> None:
        """Write the next rows."""
        formats = QImage.Format
        image = image.convertToFormat(formats.Format_RGBA8888 if self._alpha else formats.Format_RGB888)
        padded = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine())
        rows = padded[:, : len(self._above)]
        packed = self._packer.compress(_filtered(rows, self._above, 4 if self._alpha else 3).data)
        self._above = rows[-1].copy()
        if packed:
            self._chunk(b"IDAT", packed)

    def end(self) -> None:
        self._chunk(b"IDAT", self._packer.flush())
        self._chunk(b"IEND", b"")

    def _chunk(self, kind: bytes, data: bytes) -> None:
        self._file.write(struct.pack(">I", len(data)) + kind)
        self._file.write(data)
        self._file.write(struct.pack(">I", zlib.crc32(data, zlib.crc32(kind))))


def _filtered(rows: Bytes, above: Bytes, channels: int) -> Bytes:
    """Return every row as it is, or less its left or its upper neighbors: whichever leaves the smallest numbers."""
    left, up = rows.copy(), rows.copy()
    left[:, channels:] -= rows[:, :-channels]
    up[0] -= above
    up[1:] -= rows[:-1]
    kinds = np.stack([_size(rows), _size(left), _size(up)]).argmin(axis=0)
    found = np.empty((len(rows), rows.shape[1] + 1), np.uint8)
    found[:, 0] = kinds
    for kind, filtered in enumerate((rows, left, up)):
        found[kinds == kind, 1:] = filtered[kinds == kind]
    return found


def _size(rows: Bytes) -> npt.NDArray[np.int64]:
    """Return the sum of the magnitudes of bytes that count from −128: what PNG's authors advise to go by."""
    return np.asarray(np.minimum(rows, np.negative(rows)).sum(axis=1, dtype=np.int64))


# --- SVG pages whose text is anchored: a viewer without our fonts still centers a number in its cell ---
NARROW = ("Helvetica Neue", "Arial", "Liberation Sans")
"""Fonts about as wide as Inter, which viewers have more often."""


class SvgTextStyle(NamedTuple):
    """The attributes that texts in a row have in common."""

    size: float
    weight: int
    color: str
    anchor: str
    code: bool = False


class SvgPage(QSvgGenerator):
    """Takes texts by themselves: Qt's generator writes where a text begins, which is right for one font only.

    They stand after all shapes, so nothing may be painted over a text.
    """

    def __init__(self, *, outlines: bool) -> None:
        super().__init__()
        self.outlines = outlines
        self._texts: list[tuple[SvgTextStyle, str]] = []

    def write(self, painter: QPainter, at: QPointF, text: str, anchor: str) -> None:
        """Write a text in the painter's font and color, with its anchor (SVG's text-anchor) at a point."""
        font, to = painter.font(), painter.worldTransform()
        color = painter.pen().color().name()
        style = SvgTextStyle(font.pixelSize(), int(font.weight()), color, anchor, font.fixedPitch())
        if to.m12() or to.m21():
            matrix = ",".join(f"{part:.6g}" for part in (to.m11(), to.m12(), to.m21(), to.m22(), to.dx(), to.dy()))
            place = f'x="{at.x():.6g}" y="{at.y():.6g}" transform="matrix({matrix})"'
        else:
            at = to.map(at)
            place = f'x="{at.x():.6g}" y="{at.y():.6g}"'
        self._texts.append((style, f"<text {place}>{html.escape(text, quote=False)}</text>"))

    def texts(self) -> str:
        """Return all of them, those of a style in a group."""
        families = ", ".join(
            f"'{family}'" if " " in family else family
            for family in (FONT_FAMILIES[0], *NARROW, *FONT_FAMILIES[1:], "sans-serif")
        )
        if not self._texts:
            return ""
        groups = [_group(style, [text for _, text in run]) for style, run in groupby(self._texts, lambda each: each[0])]
        return "\n".join([f'<g xml:space="preserve" stroke="none" font-family="{families}">', *groups, "</g>\n"])


def _group(style: SvgTextStyle, texts: list[str]) -> str:
    head = f'<g font-size="{style.size:g}" font-weight="{style.weight}" fill="{style.color}"'
    if style.code:
        head += ' font-family="{}, monospace"'.format(", ".join(f"'{family}'" for family in CODE_FAMILIES))
    return "\n".join([f'{head} text-anchor="{style.anchor}">', *texts, "</g>"])


# --- A figure as a PNG, SVG, PDF or GIF file, or as an image: the same routine on every device ---
PDF_DPI = 1200
DPI_RANGE = (10.0, 2400.0)
LONGEST_SIDE_PIXELS = 32_767
MOST_PIXELS = 150_000_000
LONGEST_PAGE_CM = 500.0
"""PDF pages end at 14,400 points, 508 cm."""

BAND = 1 << 20
"""Pixels of a PNG that are painted at a time."""

SOFTWARE = "attn_gui"

_TOO_MANY_PIXELS = N_(
    "The picture would have {width} × {height} pixels, more than {most} in all or {longest} a side; choose "
    "fewer dots per inch or a smaller size.",
)
_TOO_MANY_MOVING = N_(
    "The moving picture would have {count} × {width} × {height} pixels, more than {most}; choose fewer dots "
    "per inch, a smaller size or fewer values.",
)
_SEE_THROUGH = N_("A GIF has no pixels that are partly transparent; choose an opaque background.")
_NO_MEMORY = N_("There is no memory for a picture of {width} × {height} pixels.")

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
    """Return the figure in pixels, its resolution noted. Raises ValueError when these would be absurdly many."""
    width, height = pixels_of(page.width * page.scale, page.height * page.scale, dpi)
    image = _painted(page, dpi, slice(0, height), width)
    image.setDotsPerMeterX(round(dpi / 0.0254))
    image.setDotsPerMeterY(round(dpi / 0.0254))
    image.setText("Title", visible_text(page.title))
    image.setText("Software", SOFTWARE)
    return image


def write_png(page: Page, dpi: float, file: IO[bytes]) -> None:
    """Write a PNG file with its resolution and title: the picture of `image_of`, painted and written in bands."""
    width, height = pixels_of(page.width * page.scale, page.height * page.scale, dpi)
    words = {"Title": visible_text(page.title), "Software": SOFTWARE}
    writer = PngWriter(file, width, height, round(dpi / 0.0254), words, alpha=page.background is None)
    if page.session is not None:
        writer.add_packed_text(session.png_text(page.session()))
    band = max(2, BAND // width // 2 * 2)  # even, so that halves of pixels round to the same side in every band
    for top in range(0, height, band):
        writer.add(_painted(page, dpi, slice(top, min(top + band, height)), width))
    writer.end()


def write_svg(page: Page, dpi: float, file: IO[bytes]) -> None:
    """Write an SVG file with text as text, anchored, unless the page wants outlines.

    Its resolution is of no account.
    """
    buffer = _buffer()
    generator = SvgPage(outlines=page.outlines)
    generator.setOutputDevice(buffer)
    generator.setResolution(LOGICAL_DPI)
    generator.setSize(QSize(math.ceil(page.width), math.ceil(page.height)))
    generator.setViewBox(QRectF(0, 0, page.width, page.height))
    generator.setTitle(visible_text(page.title))
    generator.setDescription(SOFTWARE)
    _paint(generator, 1.0, page)
    inside = session.svg_element(page.session()) if page.session is not None else ""
    file.write(_finished_svg(_bytes(buffer).decode("utf-8"), page, inside + generator.texts()).encode("utf-8"))


def write_pdf(page: Page, dpi: float, file: IO[bytes]) -> None:
    """Write a PDF file of one page with its fonts inside, unless it wants outlines; its resolution is of no account."""
    write_pages([page], file)


def write_pages(pages: Sequence[Page], file: IO[bytes]) -> None:
    """Write a PDF file of several pages of one size, with the title of the first."""
    buffer, first = _buffer(), pages[0]
    writer = PdfPage(buffer, outlines=first.outlines)
    writer.setResolution(PDF_DPI)
    size, exact = QSizeF(*_millimeters(first)), QPageSize.SizeMatchPolicy.ExactMatch
    writer.setPageSize(QPageSize(size, QPageSize.Unit.Millimeter, "figure", exact))
    writer.setPageMargins(QMarginsF(0, 0, 0, 0))
    writer.setTitle(visible_text(first.title))
    writer.setCreator(SOFTWARE)
    if first.session is not None:
        writer.addFileAttachment(session.ATTACHED, first.session(), session.MEDIA_TYPE)
    _paint(writer, PDF_DPI / LOGICAL_DPI * first.scale, *pages)
    # Qt says that the glyph of the blank is a tab, which has the same one: copied and searched text would have tabs
    file.write(_GLYPH_NAMES.sub(lambda names: names[0].replace(b"<0009>", b"<0020>"), _bytes(buffer)))


def write_gif(page: Page, dpi: float, file: IO[bytes]) -> None:
    """Write a GIF file of one picture, in 256 colors."""
    write_moving_gif([page], dpi, file, lambda share: None)


def write_moving_gif(
    pages: Sequence[Page], dpi: float, file: IO[bytes], progress: Callable[[float], None], shown: int | None = None
) -> None:
    """Write a GIF file that shows pages of one size in turn, again and again; `progress` gets the share done.

    Each is shown for so many milliseconds, by default 200, the last one longer.
    Raises ValueError with a sentence where these are absurdly many pixels, or see-through ones, which GIF has not.
    """

    width, height = pixels_of(pages[0].width * pages[0].scale, pages[0].height * pages[0].scale, dpi)
    if len(pages) * width * height > MOST_PIXELS:
        sizes = {"count": f"{len(pages):,}", "width": f"{width:,}", "height": f"{height:,}"}
        raise Refusal(_TOO_MANY_MOVING, **sizes, most=f"{MOST_PIXELS:,}")
    if any(page.background is None for page in pages):
        raise Refusal(_SEE_THROUGH)

    turns = count()  # pages that choose the colors are painted twice

    def painted(number: int) -> QImage:
        progress(next(turns) / (len(pages) + min(len(pages), SAMPLES)))
        return _painted(pages[number], dpi, slice(0, height), width)

    write_images([partial(painted, number) for number in range(len(pages))], file, shown or SHOWN)
    progress(1.0)


Encoder = Callable[[Page, float, IO[bytes]], None]
ENCODERS: Mapping[str, Encoder] = MappingProxyType(
    {"png": write_png, "svg": write_svg, "pdf": write_pdf, "gif": write_gif}
)
"""The formats of figures by the ending of their files."""

Animator = Callable[[Sequence[Page], float, IO[bytes], Callable[[float], None]], None]
ANIMATORS: Mapping[str, Animator] = MappingProxyType({"gif": write_moving_gif})
"""Those that hold several pages, one after another."""


def pixels_of(width: float, height: float, dpi: float) -> tuple[int, int]:
    """Return width and height in pixels of a page in logical pixels. Raises ValueError when these would be absurdly
    many."""
    if not DPI_RANGE[0] <= dpi <= DPI_RANGE[1]:
        raise ValueError(f"The resolution is {DPI_RANGE[0]:.0f} to {DPI_RANGE[1]:.0f} dots per inch, got {dpi:g}.")
    across, down = (max(math.ceil(side * dpi / LOGICAL_DPI - 1e-6), 1) for side in (width, height))
    if max(across, down) > LONGEST_SIDE_PIXELS or across * down > MOST_PIXELS:
        sizes = {"width": f"{across:,}", "height": f"{down:,}", "longest": f"{LONGEST_SIDE_PIXELS:,}"}
        raise Refusal(_TOO_MANY_PIXELS, **sizes, most=f"{MOST_PIXELS:,}")
    return across, down


def _painted(page: Page, dpi: float, rows: slice, width: int) -> QImage:
    """Return some rows of the figure's pixels."""
    formats = QImage.Format
    form = formats.Format_ARGB32_Premultiplied if page.background is None else formats.Format_RGB32
    image = QImage(width, rows.stop - rows.start, form)
    if image.isNull():
        raise Refusal(_NO_MEMORY, width=f"{width:,}", height=f"{rows.stop - rows.start:,}")
    image.fill(page.background or Qt.GlobalColor.transparent)
    with QPainter(image) as painter:
        painter.translate(0, -rows.start)
        scale = dpi / LOGICAL_DPI * page.scale
        painter.scale(scale, scale)
        page.paint(painter)
    return image


def _paint(device: SvgPage | PdfPage, scale: float, *pages: Page) -> None:
    with QPainter() as painter:
        if not painter.begin(device):
            raise OSError("The figure could not be written: no memory for its page.")
        for number, page in enumerate(pages):
            if number and isinstance(device, PdfPage):
                device.newPage()
            painter.save()
            painter.scale(scale, scale)
            page.paint(painter)
            painter.restore()


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


# --- GIF ------------------------------------------------------------------------------------------
# GIF files, of one picture or of several that follow one another: Qt reads them and cannot write them, Pillow can.


COLORS, COMMON = 256, 128
"""Colors of a file, and how many of them are exactly the commonest of its pictures."""
SAMPLES, SAMPLE_SIDE = 5, 600
"""Pictures that the colors are chosen by, and their pixels a side at most: all share them, so that nothing flickers."""
SHOWN, LAST = 200, 1200
"""Milliseconds of a picture, and of the last one before all begins again."""
AT_ONCE = 1 << 12
"""Colors that are compared with all of the palette at a time."""


def write_images(pictures: Sequence[Callable[[], QImage]], file: IO[bytes], shown: int) -> None:
    """Write pictures of one size, each shown for so many milliseconds, the last one longer.

    Each is painted when its turn comes, and those that choose the colors before.
    """
    palette = _palette(pictures)
    every: Iterator[Image.Image] = (_colored(_pixels(picture()), palette) for picture in pictures)
    durations = [shown] * (len(pictures) - 1) + [LAST]
    moving = {"save_all": True, "append_images": every, "duration": durations, "loop": 0} if len(pictures) > 1 else {}
    next(every).save(file, format="GIF", optimize=False, **moving)


def _palette(pictures: Sequence[Callable[[], QImage]]) -> Bytes:
    """Return (colors, 3) for all pictures, from some of them: the commonest as they are, others by their like."""
    from PIL import Image  # for moving pictures alone: it takes as long as our own painters

    last = len(pictures) - 1
    places = sorted({round(number * last / max(SAMPLES - 1, 1)) for number in range(SAMPLES)})
    samples = [_pixels(pictures[place]()) for place in places]
    steps = [max(1, max(sample.shape) // SAMPLE_SIDE) for sample in samples]
    pixels = np.concatenate(
        [sample[::step, ::step].reshape(-1, 3) for sample, step in zip(samples, steps, strict=True)]
    )
    codes, counts = np.unique(_packed(pixels), return_counts=True)
    colors = _unpacked(codes[np.argsort(-counts, kind="stable")])
    if len(colors) <= COLORS:
        return colors
    rare = Image.fromarray(colors[COMMON:][None]).quantize(COLORS - COMMON, Image.Quantize.MEDIANCUT)
    return np.concatenate([colors[:COMMON], np.unique(np.asarray(rare.convert("RGB"))[0], axis=0)])


def _colored(pixels: Bytes, palette: Bytes) -> Image.Image:
    """Return the picture in the nearest colors; Pillow's own search is coarse, white would be 253 of 255."""
    from PIL import Image

    packed = _packed(pixels)
    codes, places = np.unique(packed, return_inverse=True)
    found = _unpacked(codes).astype(np.float32)
    parts = [
        np.argmin(((found[low : low + AT_ONCE, None] - palette) ** 2).sum(axis=2), axis=1)
        for low in range(0, len(found), AT_ONCE)
    ]
    image = Image.fromarray(np.concatenate(parts).astype(np.uint8)[places.reshape(packed.shape)])
    image.putpalette(palette.tobytes())
    return image


def _packed(pixels: Bytes) -> npt.NDArray[np.uint32]:
    """Return a number for the color of each pixel, in the order of the colors; NumPy sorts three bytes far slower."""
    red, green, blue = (pixels[..., part].astype(np.uint32) for part in range(3))
    return red << np.uint32(16) | green << np.uint32(8) | blue


def _unpacked(codes: npt.NDArray[np.uint32]) -> Bytes:
    """Return (colors, 3) for such numbers."""
    return np.stack([codes >> 16, codes >> 8 & 255, codes & 255], axis=1).astype(np.uint8)


def _pixels(image: QImage) -> Bytes:
    """Return (height, width, 3) of a picture, as a copy."""
    image = image.convertToFormat(QImage.Format.Format_RGB888)
    padded = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine())
    return padded[:, : 3 * image.width()].reshape(image.height(), image.width(), 3).copy()


# --- text -----------------------------------------------------------------------------------------
START, MIDDLE, END = "start", "middle", "end"
SHARES = {START: 0.0, MIDDLE: 0.5, END: 1.0}
"""The share of a text that lies before its anchor."""


def write_text(painter: QPainter, at: QPointF, text: str, anchor: str = START, width: float | None = None) -> None:
    """Write a text with its start, middle or end at a point of its baseline, in the painter's font and color.

    `width` is that of the text, for callers who know it. A device with `outlines` is given the shapes of the letters.
    """
    device = painter.device()
    outlines = getattr(device, "outlines", False)
    if isinstance(device, SvgPage) and not outlines:
        device.write(painter, at, text, anchor)
        return
    if anchor != START:
        width = QFontMetricsF(painter.font()).horizontalAdvance(text) if width is None else width
        at = at - QPointF(SHARES[anchor] * width, 0)
    if outlines:
        path = QPainterPath()
        path.addText(at, painter.font(), text)
        painter.fillPath(path, painter.pen().color())
        return
    painter.drawText(at, text)


def write_line(
    painter: QPainter,
    at: QPointF,
    text: str,
    color: QColor,
    pixels: float,
    *,
    strong: bool = False,
    anchor: str = START,
) -> None:
    """Write a text in the figures' font, of a size and color; nothing for an empty one."""
    if text:
        painter.setFont(figure_font(pixels, strong=strong))
        painter.setPen(color)
        write_text(painter, at, text, anchor)
