"""PNG files written band by band: Qt's own writer wants the whole picture in memory."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Mapping
from typing import IO

import numpy as np
import numpy.typing as npt
from PySide6.QtGui import QImage

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
        """A keyword and its compressed text, before the first rows."""
        self._chunk(b"zTXt", data)

    def add(self, image: QImage) -> None:
        """The next rows."""
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
    """Every row as it is, or less its left or its upper neighbors: whichever leaves the smallest numbers."""
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
    """The sum of the magnitudes of bytes that count from −128: what PNG's authors advise to go by."""
    return np.asarray(np.minimum(rows, np.negative(rows)).sum(axis=1, dtype=np.int64))
