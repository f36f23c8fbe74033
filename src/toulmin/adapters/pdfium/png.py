"""PNG: pixels as an image file (ISO/IEC 15948), with nothing but what browsers need."""

from __future__ import annotations

import struct
import zlib
from typing import Final

_SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
_DEPTH: Final = 8
_TRUE_COLOUR: Final = 2
_CHANNELS: Final = 3
_NO_FILTER: Final = b"\0"


def png(width: int, height: int, pixels: bytes) -> bytes:
    """An image from red, green and blue of each pixel, row by row."""
    header = struct.pack(">IIBBBBB", width, height, _DEPTH, _TRUE_COLOUR, 0, 0, 0)
    row = _CHANNELS * width
    rows = b"".join(_NO_FILTER + pixels[at : at + row] for at in range(0, row * height, row))
    return _SIGNATURE + _chunk(b"IHDR", header) + _chunk(b"IDAT", zlib.compress(rows)) + _chunk(b"IEND", b"")


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
