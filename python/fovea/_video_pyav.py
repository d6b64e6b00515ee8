"""Video files by PyAV, which brings FFmpeg's libraries with it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ._video_sources import Array, SourceReader, _of_rgb, _pixels, layout_of
from .errors import FormatError

_BT709, _BT2020 = 1, 9  # of AVColorSpace
_LIMITED, _FULL = 1, 2  # of AVColorRange


class PyavReader(SourceReader):
    """A video file."""

    name = "PyAV"

    def __init__(self, av: Any, path: str, options: dict[str, Any]) -> None:
        super().__init__(path, options)
        self._av = av
        try:
            # A playlist must not reach the network.
            self._container = av.open(f"file:{path}", options={"protocol_whitelist": "file"})
        except av.FFmpegError as error:
            raise FormatError(f"{path}: cannot read this video: {_reason(error)}") from None
        try:
            self._start()
        except BaseException:
            self._container.close()
            raise

    def _start(self) -> None:
        stream = self._container.streams.best("video")
        if stream is None:
            raise FormatError(f"{self._path}: holds no video that can be decoded")
        self._stream, context = stream, stream.codec_context
        self._check_size(context.width, context.height)
        context.thread_type = "AUTO"
        context.thread_count = self._values["decoder_threads"]
        self._codec = str(context.codec.canonical_name)
        self._size = (0, 0)
        frames = self._frames()
        first = next(frames, None)  # its size is that of all
        if first is None:
            raise FormatError(f"{self._path}: holds no frame that can be decoded")
        rate = stream.guessed_rate or stream.average_rate
        self._rate = float(rate) if rate else self._values["frame_rate"]
        self._turns = round(-first.rotation / 90) % 4 if self._values["orientation"] == "apply" else 0
        self._pictures = self._timed(first, frames)
        self._count = stream.frames or -1
        self._facts = {
            "size": self._size[::-1] if self._turns % 2 else self._size,
            "frame_rate": self._rate,
            "format": self._container.format.name,
            "codec": self._codec,
        }

    def _timed(self, first: Any, frames: Iterator[Any]) -> Iterator[tuple[Any, float]]:
        def seconds(frame: Any, index: int) -> float:
            known = frame.pts is not None and first.pts is not None and frame.time_base
            return float((frame.pts - first.pts) * frame.time_base) if known else index / self._rate

        yield first, 0.0
        for index, frame in enumerate(frames, 1):
            yield frame, seconds(frame, index)

    def _frames(self) -> Iterator[Any]:
        """The frames in order. After a fault, those that are still in the decoder come first."""
        av, number, packets, end, fault = self._av, 0, 0, float("-inf"), ""
        packs = self._container.demux(self._stream)  # the last one is empty and empties the decoder
        while True:
            frames: list[Any] = []
            try:
                packet = next(packs, None)
                if packet is None:
                    break
                if packet.size:
                    packets += 1
                    stamp = packet.pts if packet.pts is not None else packet.dts
                    end = end if stamp is None else max(end, stamp + (packet.duration or 0))
                if packet.is_corrupt:
                    fault = "its data is cut off or damaged"
                else:
                    frames = packet.decode()
            except av.FFmpegError as error:
                fault = f"cannot decode: {_reason(error)}"
            if fault:
                frames = self._rest()
            for frame in frames:
                self._check(frame, number)
                number += 1
                yield frame
            if fault:
                break
        if not fault and self._ends_early(packets, end):
            fault = "the file ends before the length it states; it may be truncated"
        if fault:
            raise FormatError(f"{self._path}: frame {number}: {fault}")

    def _rest(self) -> list[Any]:
        try:
            return list(self._stream.codec_context.decode(None))
        except self._av.FFmpegError:
            return []

    def _ends_early(self, packets: int, end: float) -> bool:
        """Whether both count and time fall short, because either alone may be off where an editor has cut the file."""
        stream, rate = self._stream, self._stream.guessed_rate
        if not rate or end == float("-inf") or packets >= (stream.frames or float("inf")):
            return False
        stated = 0.0
        if stream.duration:
            stated = float(((stream.start_time or 0) + stream.duration) * stream.time_base)
        elif len(self._container.streams) == 1 and self._container.duration:
            stated = self._container.duration / self._av.time_base
        return bool(end * stream.time_base < stated - 1.5 / rate)

    def _check(self, frame: Any, number: int) -> None:
        size = (frame.width, frame.height)
        if frame.is_corrupt:
            raise FormatError(f"{self._path}: frame {number}: its data is damaged")
        if number == 0:
            self._check_size(*size)
            self._size = size
        elif size != self._size:
            was = f"{self._size[0]}x{self._size[1]}"
            raise FormatError(f"{self._path}: frame {number}: is {size[0]}x{size[1]}, but the video began with {was}")

    def _decode(self, picture: Any, number: int) -> Array:
        kind = picture.format.name
        matrix = {_BT709: "bt709", _BT2020: "bt2020"}.get(int(picture.colorspace), "bt601")
        full = {_LIMITED: False, _FULL: True}.get(int(picture.color_range))
        layout = layout_of(kind, (picture.width, picture.height), (matrix, full, self._codec))
        if layout is None:
            rgb = picture.to_ndarray(format="rgb48le" if self._values["deep"] else "rgb24")
            image = _of_rgb(rgb, self._values["color"])
        else:
            planes = []
            for plane, (row, rows) in zip(picture.planes, layout.planes()):
                padded = np.frombuffer(plane, np.uint8).reshape(-1, plane.line_size)
                planes.append(np.ascontiguousarray(padded[:rows, :row]).reshape(-1))
            image = _pixels(layout, planes, self._values)
        return image if not self._turns else np.ascontiguousarray(np.rot90(image, -self._turns))

    def _close(self) -> None:
        self._container.close()


def _reason(error: Any) -> str:
    return str(getattr(error, "strerror", None) or error).splitlines()[0]
