"""Video files by the program ffmpeg that imageio-ffmpeg brings. It tells less about a file than a library does."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from ._video_sources import Array, Layout, SourceReader, _of_rgb, _pixels, layout_of
from .errors import FormatError


class ImageioReader(SourceReader):
    """A video file. Times of frames follow from the rate; frames of files that are damaged may be lost silently."""

    name = "imageio-ffmpeg"

    def __init__(self, package: Any, path: str, options: dict[str, Any]) -> None:
        super().__init__(path, options)
        self._package = package
        meta = self._header()
        self._size: tuple[int, int] = meta["size"]
        self._check_size(*self._size)
        self._codec = str(meta["codec"]).rstrip(",")
        self._rate = _exact_rate(float(meta["fps"])) or self._values["frame_rate"]
        self._layout = self._layout_of(str(meta["pix_fmt"]))
        self._process = self._start(meta)
        self._pictures = self._frames(self._process)
        self._facts = {"size": self._size, "frame_rate": self._rate, "format": "", "codec": self._codec}

    def _input(self) -> list[str]:
        threads = self._values["decoder_threads"]
        turned = [] if self._values["orientation"] == "apply" else ["-noautorotate"]
        return [*turned, *(["-threads", str(threads)] if threads else []), "-protocol_whitelist", "file"]

    def _header(self) -> dict[str, Any]:
        """What ffmpeg says about the file, from a run that ends at once."""
        frames = self._package.read_frames(f"file:{self._path}", input_params=self._input())
        try:
            meta: dict[str, Any] = next(frames)
        except (OSError, RuntimeError, IndexError, AttributeError, StopIteration):  # what its parser meets
            raise FormatError(f"{self._path}: cannot read this video: ffmpeg does not recognize it") from None
        finally:
            frames.close()
        return meta

    def _layout_of(self, said: str) -> Layout | None:
        """From ffmpeg's words such as "yuv420p(tv, bt709, progressive)"."""
        kind, _, rest = said.partition("(")
        words = set(re.split(r"[,/)\s]+", rest))
        matrix = "bt709" if "bt709" in words else "bt2020" if "bt2020nc" in words else "bt601"
        full = True if "pc" in words else False if "tv" in words else None
        found = layout_of(kind.strip(), self._size, (matrix, full, self._codec))
        # The package reads whole bits per pixel, which 4:2:0 of odd sizes does not have.
        if found is None or 8 * sum(row * rows for row, rows in found.planes()) % (self._size[0] * self._size[1]):
            return None
        self._kind = kind.strip().replace("yuva", "yuv")  # ffmpeg leaves opacity out
        return found

    def _start(self, meta: dict[str, Any]) -> Any:
        if self._layout is None:
            kind, bits = ("rgb48le", 48) if self._values["deep"] else ("rgb24", 24)
        else:
            area = self._size[0] * self._size[1]
            kind, bits = self._kind, 8 * sum(row * rows for row, rows in self._layout.planes()) // area
        release = re.match(r"\D*(\d+)", str(meta["ffmpeg_version"]))
        # Every frame once, as it is stored.
        passed = "-fps_mode" if release is None or int(release.group(1)) > 5 else "-vsync"
        frames = self._package.read_frames(
            f"file:{self._path}",
            pix_fmt=kind,
            bits_per_pixel=bits,
            input_params=self._input(),
            output_params=[passed, "passthrough"],
        )
        next(frames)
        return frames

    def _frames(self, process: Any) -> Iterator[tuple[bytes, float]]:
        number = 0
        while True:
            try:
                data = next(process, None)
            except (OSError, RuntimeError):
                raise FormatError(f"{self._path}: frame {number}: cannot decode it") from None
            if data is None:
                if number == 0:
                    raise FormatError(f"{self._path}: holds no video that can be decoded")
                return
            yield data, number / self._rate
            number += 1

    def _decode(self, picture: Any, number: int) -> Array:
        if self._layout is not None:
            return _pixels(self._layout, [picture], self._values)
        kind = np.uint16 if self._values["deep"] else np.uint8
        rgb = np.frombuffer(bytearray(picture), kind).reshape(self._size[1], self._size[0], 3)
        return _of_rgb(rgb, self._values["color"])

    def _close(self) -> None:
        self._process.close()


def _exact_rate(rounded: float) -> float:
    """29.97 stands for 30000/1001."""
    film = round(1.001 * rounded) * 1000 / 1001
    return film if rounded % 1 and abs(rounded - film) < 0.006 else rounded
