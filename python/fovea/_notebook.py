"""Pictures of results in notebooks."""

from __future__ import annotations

import struct
import zlib
from typing import Any

import numpy as np

from . import _fovea


def png_bytes(image: np.ndarray[Any, np.dtype[np.uint8]]) -> bytes:
    """An image of uint8, gray or RGB, as a PNG file in memory."""
    height, width = image.shape[:2]
    color_type = 0 if image.ndim == 2 else 2
    rows = image.reshape(height, -1)
    filtered = np.zeros((height, rows.shape[1] + 1), dtype=np.uint8)  # each row begins with filter 0
    filtered[:, 1:] = rows

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, color_type, 0, 0, 0)
    pixels = zlib.compress(filtered.tobytes(), 3)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")


def png_of(result: Any, picture: np.ndarray[Any, np.dtype[np.uint8]]) -> bytes:
    """A picture that a result has drawn, in its order of colors, as a PNG file in memory."""
    own = None if result._rules is None else result._rules[0]
    bgr = _fovea.array_rules()[0] if own is None else own
    return png_bytes(picture[:, :, ::-1] if bgr and picture.ndim == 3 else picture)


class OnImage:
    """A result that is drawn over the image that it was found in. The image is not part of the result."""

    _image: Any = None
    _rules: Any = None

    def draw(self, image: Any = None) -> np.ndarray[Any, np.dtype[np.uint8]]:
        raise NotImplementedError

    def _input(self) -> Any:
        return self._image

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_image": None}

    def _repr_png_(self) -> bytes | None:
        return None if self._image is None else png_of(self, self.draw())
