"""Videos as frames, and the kinds of arrays that actions are made of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from .._frames import Frames, VideoLike, decoded
from .._ordered import in_order
from ..files import Video, as_path, is_path, source_name

Floats = np.ndarray[Any, np.dtype[np.float32]]
Ints = np.ndarray[Any, np.dtype[np.int32]]
Bytes = np.ndarray[Any, np.dtype[np.uint8]]

_USUAL_RATE = 25.0


class _Source:
    """The frames of a video, with what is known about it before they are read."""

    def __init__(self, source: VideoLike) -> None:
        self.rate = _USUAL_RATE
        self.name = "VIDEO"
        self.count: int | None
        self._video: Video | None = None
        if is_path(source):
            path = as_path(source)
            self.name = source_name(path)
            # Points and actions are movements, of which every frame of a camera is needed.
            self._video = Video(path, {"color": "gray", "live": "all"})
            self.rate = self._video.info["frame_rate"] or _USUAL_RATE
            expected = self._video.info["frames"]
            self.count = expected if expected >= 0 else None
        else:
            if isinstance(source, Video):
                self.rate = source.info["frame_rate"] or _USUAL_RATE
            self._frames = Frames(source, "frames")
            self.count = self._frames.count

    def __iter__(self) -> Iterator[Any]:
        if self._video is None:
            return (decoded(frame, 0)[0] for frame in self._frames)
        # Frames are decoded ahead, in other threads.
        return in_order(self._video.encoded(), [None, None], lambda worker, frame, index: decoded(frame, index)[0])
