"""The session that a PNG, SVG or PDF carries: put in and taken out."""

from __future__ import annotations

import base64
import binascii
import re
import zlib
from collections.abc import Callable, Iterator

from attn_gui.formats import safetensors_packing, session
from attn_gui.formats.file_format import FileSource, Loaded
from attn_gui.formats.file_messages import FormatError, size_text
from attn_gui.languages import N_

KEYWORD = "attn_gui"
ATTACHED, MEDIA_TYPE = "session.attn", "application/x-attn"
LARGEST = 256 * 2**20  # bytes of a session, unpacked
LARGEST_FIGURE = 2**30
QUICK = 4 * 2**20  # bytes that are unpacked within a frame
PIECE = 2**18  # bytes that are unpacked at a time
_PNG, _PDF = b"\x89PNG\r\n\x1a\n", b"%PDF-"
_SVG = re.compile(rb'<metadata id="attn_gui">([A-Za-z0-9+/=\s]*)</metadata>')
_SPECIFIED = re.compile(rb"/EF <</F (\d{1,9}) 0 R>>\s*/Type/Filespec\s*/Subtype/application#2Fx-attn")
_STREAM = rb"\n%s 0 obj\s*<<[^>]{0,99}/FlateDecode[^>]{0,99}>>\s*stream\r?\n"
"""Of bounded length: else each of many beginnings would be followed to the end of the file."""
_NONE = N_("{file} is a figure that carries no session.")
_DAMAGED = N_("{file}: the session that this figure carries is damaged.")
_LARGE = N_("{file} carries a session of more than {expected}.")


def matches(start: bytes) -> bool:
    return start.startswith((_PNG, _PDF, b"<?xml", b"<svg"))


def read(source: FileSource) -> Loaded:
    """Return the session that a figure carries. Raises FormatError where it carries none."""
    if source.size > LARGEST_FIGURE:
        raise FormatError(_LARGE, expected=size_text(LARGEST_FIGURE))
    return session.in_bytes(session_in(source.file.read(source.size)))


def png_text(content: bytes) -> bytes:
    """Return the data of a PNG's zTXt chunk that carries a session."""
    return KEYWORD.encode() + b"\0\0" + zlib.compress(base64.b64encode(content))


def svg_element(content: bytes) -> str:
    """Return an element of an SVG that carries a session."""
    return f'<metadata id="{KEYWORD}">{base64.b64encode(zlib.compress(content)).decode()}</metadata>\n'


def size_of(source: FileSource) -> int:
    """Return the size in bytes of a figure, or of its unpacked session where that is larger, up to a limit."""
    if source.size >= QUICK:
        return source.size
    data, count = source.file.read(source.size), 0
    for piece in _inflated(_packed(data)):
        count += len(piece)
        if count >= QUICK:
            break
    return max(source.size, count)


def _packed(data: bytes) -> bytes:
    """Return the compressed session of a figure."""
    kinds: dict[bytes, Callable[[bytes], bytes]] = {_PNG: _packed_in_png, _PDF: _packed_in_pdf}
    return next((find for start, find in kinds.items() if data.startswith(start)), _packed_in_svg)(data)


def session_in(figure: bytes) -> bytes:
    """Return the session in the bytes of a figure."""
    packed = _packed(figure)
    text = figure.startswith(_PNG)
    found, rest = bytearray(), b""
    for piece in _inflated(packed):
        if text:
            end = (len(rest) + len(piece)) // 4 * 4
            piece, rest = _decoded((rest + piece)[:end]), (rest + piece)[end:]
        if not found and not safetensors_packing.matches(piece):
            raise FormatError(_DAMAGED)
        found += piece
        if len(found) > LARGEST:
            raise FormatError(_LARGE, expected=size_text(LARGEST))
    return bytes(found)


def _packed_in_png(data: bytes) -> bytes:
    place = len(_PNG)
    while place + 12 <= len(data):
        length, kind = int.from_bytes(data[place : place + 4], "big"), data[place + 4 : place + 8]
        if kind == b"zTXt" and data.startswith(KEYWORD.encode() + b"\0\0", place + 8):
            start = place + 8 + len(KEYWORD) + 2
            return data[start : place + 8 + length]
        place += 12 + length
    raise FormatError(_NONE)


def _packed_in_svg(data: bytes) -> bytes:
    found = _SVG.search(data)
    if found is None:
        raise FormatError(_NONE)
    return _decoded(found[1])


def _packed_in_pdf(data: bytes) -> bytes:
    attached = _SPECIFIED.search(data)
    if attached is None:
        raise FormatError(_NONE)
    begun = re.search(_STREAM % attached[1], data)
    if begun is None:
        raise FormatError(_DAMAGED)
    return data[begun.end() :]


def _inflated(packed: bytes) -> Iterator[bytes]:
    """Yield the unpacked data piece by piece; what follows its end is ignored. Raises FormatError."""
    unpacker = zlib.decompressobj()
    try:
        for low in range(0, len(packed), PIECE):
            left = packed[low : low + PIECE]
            while left and not unpacker.eof:
                yield unpacker.decompress(left, PIECE)
                left = unpacker.unconsumed_tail
    except zlib.error as error:
        raise FormatError(_DAMAGED) from error
    if not unpacker.eof:
        raise FormatError(_DAMAGED)


def _decoded(text: bytes) -> bytes:
    try:
        return base64.b64decode(text, validate=False)
    except binascii.Error as error:
        raise FormatError(_DAMAGED) from error
