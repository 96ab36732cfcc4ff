"""GIF files, of one picture or of several that follow one another: Qt reads them and cannot write them, Pillow can."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import IO

import numpy as np
import numpy.typing as npt
from PIL import Image
from PySide6.QtGui import QImage

Bytes = npt.NDArray[np.uint8]

COLORS, COMMON = 256, 128
"""Colors of a file, and how many of them are exactly the commonest of its pictures."""
SAMPLES, SAMPLE_SIDE = 5, 600
"""Pictures that the colors are chosen by, and their pixels a side at most: all share them, so that nothing flickers."""
SHOWN, LAST = 200, 1200
"""Milliseconds of a picture, and of the last one before all begins again."""
AT_ONCE = 1 << 12
"""Colors that are compared with all of the palette at a time."""


def write_images(pictures: Sequence[Callable[[], QImage]], file: IO[bytes]) -> None:
    """Write pictures of one size; each is painted when its turn comes, and those that choose the colors before."""
    palette = _palette(pictures)
    every: Iterator[Image.Image] = (_colored(_pixels(picture()), palette) for picture in pictures)
    durations = [SHOWN] * (len(pictures) - 1) + [LAST]
    moving = {"save_all": True, "append_images": every, "duration": durations, "loop": 0} if len(pictures) > 1 else {}
    next(every).save(file, format="GIF", optimize=False, **moving)


def _palette(pictures: Sequence[Callable[[], QImage]]) -> Bytes:
    """(colors, 3) for all pictures, taken from some of them: the commonest as they are, the others by their like."""
    last = len(pictures) - 1
    places = sorted({round(number * last / max(SAMPLES - 1, 1)) for number in range(SAMPLES)})
    samples = [_pixels(pictures[place]()) for place in places]
    steps = [max(1, max(sample.shape) // SAMPLE_SIDE) for sample in samples]
    pixels = np.concatenate(
        [sample[::step, ::step].reshape(-1, 3) for sample, step in zip(samples, steps, strict=True)]
    )
    colors, counts = np.unique(pixels, axis=0, return_counts=True)
    colors = colors[np.argsort(-counts, kind="stable")]
    if len(colors) <= COLORS:
        return colors
    rare = Image.fromarray(colors[COMMON:][None]).quantize(COLORS - COMMON, Image.Quantize.MEDIANCUT)
    return np.concatenate([colors[:COMMON], np.unique(np.asarray(rare.convert("RGB"))[0], axis=0)])


def _colored(pixels: Bytes, palette: Bytes) -> Image.Image:
    """The picture in the nearest colors; Pillow's own search is coarse, white would be 253 of 255."""
    packed = pixels.astype(np.uint32) @ np.array([1 << 16, 1 << 8, 1], np.uint32)
    codes, places = np.unique(packed, return_inverse=True)
    found = np.stack([codes >> 16, codes >> 8 & 255, codes & 255], axis=1).astype(np.float32)
    parts = [
        np.argmin(((found[low : low + AT_ONCE, None] - palette) ** 2).sum(axis=2), axis=1)
        for low in range(0, len(found), AT_ONCE)
    ]
    image = Image.fromarray(np.concatenate(parts).astype(np.uint8)[places.reshape(packed.shape)])
    image.putpalette(palette.tobytes())
    return image


def _pixels(image: QImage) -> Bytes:
    """(height, width, 3) of a picture, as a copy."""
    image = image.convertToFormat(QImage.Format.Format_RGB888)
    padded = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine())
    return padded[:, : 3 * image.width()].reshape(image.height(), image.width(), 3).copy()
