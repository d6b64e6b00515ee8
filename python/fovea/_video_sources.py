"""Video files where the system has no FFmpeg that fits: read by PyAV, or by the FFmpeg that imageio-ffmpeg brings.

Both hand over the planes of luma and chroma that the decoder made. They go to the library as a frame of y4m, so that
its own arithmetic makes the pixels, as it does where it decodes the file itself."""

from __future__ import annotations

import importlib
import math
import os
import re
import threading
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from . import _fovea
from ._rules import RgbArray
from .errors import Error, FormatError, InvalidArgument, IoError

Array = np.ndarray[Any, np.dtype[Any]]

_SAMPLINGS = {"420": (1, 1), "422": (1, 0), "444": (0, 0), "411": (2, 0)}
# Decoders of formats whose chroma samples lie in the middle of the luma samples that they belong to; others put them at
# the left. Neither package tells.
_CENTERED = {"mjpeg", "mpeg1video", "h263", "flv1"}


class Layout(NamedTuple):
    """How the planes of a frame lie, and how they become RGB."""

    size: tuple[int, int]
    sampling: str | None  #: "420"; None: luma alone
    bits: int
    full_range: bool
    matrix: str
    centered: bool

    def planes(self) -> list[tuple[int, int]]:
        """Bytes of a row, and rows, of each plane."""
        (width, height), deep = self.size, 2 if self.bits > 8 else 1
        if self.sampling is None:
            return [(deep * width, height)]
        across, down = _SAMPLINGS[self.sampling]
        chroma = (deep * -(-width // (1 << across)), -(-height // (1 << down)))
        return [(deep * width, height), chroma, chroma]

    def header(self) -> bytes:
        """The line that a y4m file with one such frame begins with, and that of the frame."""
        if self.sampling is None:
            chroma = "mono" + (str(self.bits) if self.bits > 8 else "")
        elif self.bits > 8:
            chroma = f"{self.sampling}p{self.bits}"
        elif self.sampling == "420":
            chroma = "420jpeg" if self.centered else "420mpeg2"
        else:
            chroma = self.sampling
        span = "FULL" if self.full_range else "LIMITED"
        return f"YUV4MPEG2 W{self.size[0]} H{self.size[1]} F25:1 C{chroma} XCOLORRANGE={span}\nFRAME\n".encode()


def layout_of(pixels: str, size: tuple[int, int], facts: tuple[str, bool | None, str]) -> Layout | None:
    """The layout of a format of FFmpeg's such as "yuv420p10le", or None where it is none of y4m.

    ``facts`` are the matrix, whether luma spans its whole range (None: not known), and the codec."""
    matrix, full, codec = facts
    gray = re.fullmatch(r"gray(\d+)?(?:le)?", pixels)
    color = re.fullmatch(r"yuv([aj]?)(420|422|444|411)p(\d+)?(?:le)?", pixels)
    if gray is not None:
        return Layout(size, None, int(gray.group(1) or 8), full is not False, matrix, False)
    if color is None:
        return None
    bits = int(color.group(3) or 8)
    # y4m has words for where chroma lies in 4:2:0 of 8 bits alone.
    return Layout(size, color.group(2), bits, bool(full) or color.group(1) == "j", matrix, codec in _CENTERED)


def _memory_file() -> Any:
    if hasattr(os, "memfd_create"):
        return os.fdopen(os.memfd_create("fovea_frame"), "wb", buffering=0)
    import tempfile

    return tempfile.TemporaryFile(buffering=0)


def _pixels(layout: Layout, planes: list[Any], values: dict[str, Any]) -> Array:
    """The pixels of a frame, by the library."""
    options = {name: values[name] for name in ("color", "deep", "matrix", "range")}
    if options["matrix"] == "auto":
        options["matrix"] = layout.matrix
    with _memory_file() as file:
        file.write(layout.header())
        for plane in planes:
            rest = memoryview(plane).cast("B")
            while rest:
                rest = rest[file.write(rest) :]
        frame = _fovea.files.Reader(f"/dev/fd/{file.fileno()}", {**options, "max_pixels": 0}).fetch()
        image: Array = frame.decode()[0]
    return image


def _of_rgb(rgb: Array, color: str) -> Array:
    """RGB as it is, or its gray as the library has it."""
    if color == "rgb":
        return rgb
    wide = rgb.astype(np.uint32)
    return ((299 * wide[..., 0] + 587 * wide[..., 1] + 114 * wide[..., 2] + 500) // 1000).astype(rgb.dtype)


class EncodedFrame:
    """A frame as its decoder gave it. ``decode`` may run in any thread."""

    def __init__(self, reader: SourceReader, picture: Any, number: int, seconds: float) -> None:
        self._reader, self._picture, self._number, self._seconds = reader, picture, number, seconds

    def decode(self) -> tuple[Array, int, float]:
        """The pixels, the number of the frame and its time."""
        return self._reader._decode(self._picture, self._number).view(RgbArray), self._number, self._seconds


class SourceReader:
    """What the library's own reader can do, for a source that gives pictures of some kind in order."""

    name = ""  #: of the package

    def __init__(self, path: str, options: dict[str, Any]) -> None:
        self._path = path
        self._values: dict[str, Any] = {e["name"]: e["default"] for e in _fovea.files.read_video_options()}
        self._values.update((name, value) for name, value in options.items() if value is not None)
        self._lock = threading.Lock()
        self._index, self._given, self._over = -1, 0, False
        self._first: float | None = None  # the time of the first frame that was given
        self._pictures: Iterator[tuple[Any, float]] | None = None
        self._facts: dict[str, Any] = {}
        self._count = -1

    def _decode(self, picture: Any, number: int) -> Array:
        raise NotImplementedError

    def _close(self) -> None:
        raise NotImplementedError

    def _open(self) -> Iterator[tuple[Any, float]]:
        if self._pictures is None:
            raise InvalidArgument("the video is closed")
        return self._pictures

    def fetch(self) -> EncodedFrame | None:
        """The next frame that is wanted, or None at the end. Those between are decoded and dropped."""
        with self._lock:
            pictures, values = self._open(), self._values
            if self._over or (values["count"] and self._given == values["count"]):
                return None
            self._over = True  # unless this frame succeeds
            picture: Any = None
            seconds = 0.0
            while self._index < values["start"] + self._given * values["step"]:
                try:
                    picture, seconds = next(pictures)
                except StopIteration:
                    return None
                self._index += 1
            self._first = seconds if self._first is None else self._first
            if values["seconds"] and seconds - self._first >= values["seconds"]:
                return None
            self._over = False
            self._given += 1
            return EncodedFrame(self, picture, self._index, seconds)

    def close(self) -> None:
        """Frames cannot be read any more."""
        with self._lock:
            if self._pictures is not None:
                self._pictures = None
                self._close()

    @property
    def expected(self) -> int:
        """The number of frames that ``fetch`` gives in all, or -1."""
        self._open()
        if self._count < 0 or self._values["seconds"]:
            return -1
        start, step, most = (int(self._values[name]) for name in ("start", "step", "count"))
        frames = math.ceil(max(0, self._count - start) / step)
        return min(frames, most) if most else frames

    @property
    def info(self) -> dict[str, Any]:
        """Facts of the video."""
        return {**self._facts, "frames": self.expected}

    def _check_size(self, width: int, height: int) -> None:
        most = self._values["max_pixels"]
        if 0 < most < width * height:
            raise FormatError(
                f"{self._path}: has frames of {width}x{height}, which are {width * height} pixels and more than the "
                f"{most} allowed; raise max_pixels if the file can be trusted"
            )


def open_elsewhere(path: str, options: dict[str, Any], absence: Error) -> SourceReader:
    """Opens a video file by a package that is installed. Raises ``absence`` with a hint where there is none."""
    from . import _video_imageio, _video_pyav

    for module, reader in (("av", _video_pyav.PyavReader), ("imageio_ffmpeg", _video_imageio.ImageioReader)):
        try:
            package: Any = importlib.import_module(module)
        except ImportError:
            continue
        return reader(package, path, options)
    raise IoError(f"{absence}; or install av, which brings its own FFmpeg: pip install av") from None
