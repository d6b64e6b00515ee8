"""Space-time interest points."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _fovea
from .._arguments import path_of, whole_number
from .._frames import VideoLike, rgb
from .._keywords import takes_options
from .._progress import Progress, reporting
from .._results import Table, command_line
from ..errors import FormatError
from ..files import Path
from ._video import Bytes, Floats, Ints, _Source

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .._options import ActionsPointOptions

_HOG_SIZE = 72
_POINT_COLUMNS = ("frame", "x", "y", "sigma2", "tau2", "confidence")


class Points(Table):
    """Places where a video changes in space and time at once, in the order of frames, the most confident first."""

    x: Floats  #: pixels from the center of the top left pixel
    y: Floats
    frame: Ints
    sigma2: Floats  #: extent in space, a variance in pixels squared
    tau2: Floats  #: extent in time, a variance in frames squared
    confidence: Floats  #: the response of the detector
    descriptors: Floats  #: one row of 162 numbers per point, HoG before HoF; no rows where points are not described
    size: tuple[int, int]  #: width and height of the video
    frames: int  #: how many frames the video has
    frame_rate: float  #: frames per second

    _compared = (*_POINT_COLUMNS, "descriptors", "size", "frames", "frame_rate")

    def __init__(self, columns: dict[str, Any], **origin: Any) -> None:
        super().__init__(origin["options"], origin["provenance"], origin["command"])
        for name in self._compared:
            setattr(self, name, columns[name])
        self._seconds = origin["seconds"]

    @property
    def positions(self) -> Floats:
        """x, y and frame, of shape (n, 3)."""
        return np.stack([self.x, self.y, self.frame.astype(np.float32)], axis=1)

    @property
    def scales(self) -> Floats:
        """sigma2 and tau2, of shape (n, 2)."""
        return np.stack([self.sigma2, self.tau2], axis=1)

    @property
    def hog(self) -> Floats:
        """The histograms of gradients, of shape (n, 72)."""
        return self.descriptors[:, :_HOG_SIZE]

    @property
    def hof(self) -> Floats:
        """The histograms of flow, of shape (n, 90)."""
        return self.descriptors[:, _HOG_SIZE:]

    def _values(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self._compared}

    def __len__(self) -> int:
        return len(self.x)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        """The positions."""
        return self.positions.astype(dtype or np.float32, copy=False)

    def columns(self) -> dict[str, np.ndarray[Any, Any]]:
        """frame, x, y, sigma2, tau2 and confidence, as the program's JSON has them."""
        return {name: getattr(self, name) for name in _POINT_COLUMNS}

    def save(self, path: Path) -> None:
        """Writes the text format of STIP-2.0. The file appears whole or not at all."""
        _fovea.actions.save_points(path_of(path), self._values())

    def draw(self, image: Any, frame: int) -> Bytes:
        """An RGB copy of a frame with a circle around each of its points."""
        drawn: Bytes = _fovea.actions.draw_points(rgb(image), self._values(), whole_number(frame, "frame"))
        return drawn

    def __repr__(self) -> str:
        found = "1 point" if len(self) == 1 else f"{len(self)} points"
        detector = self.options.get("detector", "read from a file")
        made = ", ".join(str(word) for word in (detector, self.provenance["device"]) if word)
        return f"{found} in {self.frames} frames ({made}, {1000 * self._seconds:.0f} ms)"


def _found(finder: Any, source: _Source, progress: Progress) -> dict[str, Any]:
    with reporting(progress) as report:
        count = 0
        for count, frame in enumerate(source, 1):
            finder.push(frame)
            if report:
                report("frames", count, source.count or 0)
    if count == 0:
        raise FormatError(f"{source.name}: the video has no frames")
    return dict(finder.finish(source.rate))


@takes_options(_fovea.actions.point_options())
def points(frames: VideoLike, *, progress: Progress = False, **options: Unpack[ActionsPointOptions]) -> Points:
    """The space-time interest points of a video with HoG and HoF, by Laptev's corners or Dollar's periodic detector."""
    start = time.perf_counter()
    finder = _fovea.actions.point_finder(dict(options))
    source = _Source(frames)
    columns = _found(finder, source, progress)
    used = dict(finder.options)
    return Points(
        columns,
        options=used,
        provenance={"device": used["device"], "seed": used["seed"]},
        command=command_line("fovea", "actions", "points", source.name, "-o", "POINTS.txt", *finder.words),
        seconds=time.perf_counter() - start,
    )


def read_points(path: Path) -> Points:
    """Reads points in the text format of STIP-2.0, such as another program has found."""
    start = time.perf_counter()
    columns = _fovea.actions.read_points(path_of(path))
    provenance = {"device": None, "seed": None, "file": path_of(path)}
    return Points(dict(columns), options={}, provenance=provenance, command="", seconds=time.perf_counter() - start)
