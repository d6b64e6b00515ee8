"""Videos as frames, and the kinds of arrays that actions are made of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sized
from typing import Any, Union

import numpy as np

from .._ordered import in_order
from ..errors import InvalidType
from ..files import Path, Video, as_path, is_path

Floats = np.ndarray[Any, np.dtype[np.float32]]
Ints = np.ndarray[Any, np.dtype[np.int32]]
Bytes = np.ndarray[Any, np.dtype[np.uint8]]
VideoLike = Union[Path, Iterable[Any]]

_USUAL_RATE = 25.0


class _Source:
    """The frames of a video, with what is known about it before they are read."""

    def __init__(self, source: VideoLike) -> None:
        self.count: int | None = None
        self.rate = _USUAL_RATE
        self.name = "VIDEO"
        self._video: Video | None = None
        if is_path(source):
            self.name = as_path(source)
            self._video = Video(self.name, {"color": "gray"})
            self.rate = self._video.info["frame_rate"] or _USUAL_RATE
            expected = self._video.info["frames"]
            self.count = expected if expected >= 0 else None
        elif isinstance(source, Iterable) and not isinstance(source, (bytes, dict)):
            self.count = len(source) if isinstance(source, Sized) else None
            self._frames = source
        else:
            raise InvalidType(f"frames is of type {type(source).__name__}; expected a path, an array, or frames")

    def __iter__(self) -> Iterator[Any]:
        if self._video is None:
            return iter(self._frames)
        # Frames are decoded ahead, in other threads.
        return in_order(self._video.encoded(), [None, None], lambda worker, frame, index: frame.decode()[0])
