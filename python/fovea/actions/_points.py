"""Space-time interest points."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from .. import _fovea
from .._arguments import as_array, list_of, number_of, path_ending, path_of, shown, whole_number
from .._frames import VideoLike, rgb
from .._keywords import takes_options
from .._operation import origin_of
from .._options import ActionsPointOptions, ActionsSelectOptions, Unpack
from .._progress import Progress, reporting
from .._records import ActionsPointsFields as _Points
from .._results import Table, command_line, described
from .._rules import in_its_colors
from ..errors import FormatError, InvalidArgument, InvalidType
from ..files import Path, as_path, is_path
from ._video import Bytes, Floats, _Source

_HOG_SIZE = 72


@described(_fovea.actions.points_fields(), rows="points")
class Points(Table, _Points):
    """Places where a video changes in space and time at once, in the order of frames, the most confident first."""

    descriptors: Floats  #: one row of 162 numbers per point, HoG before HoF; no rows where points are not described

    def __init__(self, columns: dict[str, Any], **origin: Any) -> None:
        super().__init__(**origin, values={"detector": None, "votes": None, "found_with": "", **columns})

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
        return {field["name"]: getattr(self, field["name"]) for field in self._fields}

    def __len__(self) -> int:
        return len(self.x)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        """The positions."""
        return self.positions.astype(dtype or np.float32, copy=False)

    @takes_options(_fovea.actions.select_options(), rules=())
    def select(self, **options: Unpack[ActionsSelectOptions]) -> Points:
        """Sorts points as a detector returns them, the most confident of a frame first, and keeps those wanted.

        Points that all have one confidence, as files of other programs have, stay in their order."""
        return self._selected(options)[0]

    def _selected(self, options: Any) -> tuple[Points, list[str]]:
        """The selected points, and the words of the program."""
        columns, words = _fovea.actions.select(self._values(), dict(options))
        origin = {"options": self.options, "provenance": self.provenance, "command": "", "_seconds": self._seconds}
        return Points(dict(columns), **origin), list(words)

    def save(self, path: Path) -> None:
        """Writes the text of STIP-2.0, or CSV where the name ends in .csv. The file appears whole or not at all."""
        _fovea.actions.save_points(path_ending(path, "points", (".txt", ".stip", ".csv")), self._values())

    @in_its_colors
    def draw(self, image: Any, frame: int) -> Bytes:
        """An RGB copy of a frame with a circle around each of its points."""
        return _fovea.actions.draw_points(rgb(image), self._values(), whole_number(frame, "frame"))

    def __repr__(self) -> str:
        found = "1 point" if len(self) == 1 else f"{len(self)} points"
        detector = self.detector or "of an unknown detector"
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
    words = ("actions", "points", source.name, "-o", "POINTS.txt", *finder.words)
    return Points(columns, **origin_of(finder.options, words, start))


def _known(columns: dict[str, Any], start: float, **origin: Any) -> Points:
    """Points that were not found here."""
    provenance = {"device": None, "seed": None, **origin}
    return Points(dict(columns), options={}, provenance=provenance, command="", _seconds=time.perf_counter() - start)


def read_points(path: Path) -> Points:
    """Reads points in the text format of STIP-2.0, such as another program has found."""
    start = time.perf_counter()
    return _known(_fovea.actions.read_points(path_of(path)), start, file=path_of(path))


def write_points(path: Path, points: Points) -> None:
    """Writes points in the text format of STIP-2.0, or as CSV where the name ends in .csv."""
    points_of(points).save(path)


def is_points_file(path: Path) -> bool:
    """Whether a file has points instead of a video: its name ends in .txt or .stip, and its lines are points.

    Functions that take videos take such files in their place."""
    return bool(_fovea.actions.is_points_file(path_of(path)))


@takes_options(_fovea.actions.select_options(), rules=())
def convert_points(source: Path, target: Path, **options: Unpack[ActionsSelectOptions]) -> Points:
    """Reads a file of points, sorts and selects them, and writes them again, also as .csv: ``fovea actions points``."""
    kept, words = read_points(source)._selected(options)
    kept.save(target)
    kept.command = command_line("fovea", "actions", "points", as_path(source), "-o", as_path(target), *words)
    return kept


def _column(values: Any, name: str, shape: tuple[int, ...]) -> Floats:
    array = as_array(values, name)
    if array.dtype.kind not in "fiu" or array.shape != shape:
        raise InvalidType(f"{name} is {array.dtype} of shape {array.shape}; expected numbers of shape {shape}")
    return np.ascontiguousarray(array, dtype=np.float32)


def make_points(
    positions: Any,
    descriptors: Any,
    *,
    size: tuple[int, int],
    frames: int,
    scales: Any = None,
    confidence: Any = None,
    frame_rate: float = 25.0,
) -> Points:
    """Points from arrays, such as those of another detector, for training, classification and recognition.

    ``positions`` has a row of x, y and frame per point, sorted by frame, and ``descriptors`` a row of 72 numbers of HoG
    and 90 of HoF. ``scales`` has sigma2 and tau2 (4 and 2 where it is None), and ``confidence`` one number per point,
    by which points of one frame compete (1 where it is None). ``size`` is width and height of the video."""
    start = time.perf_counter()
    places = as_array(positions, "positions")
    if places.dtype.kind not in "fiu" or places.ndim != 2 or places.shape[1] != 3:
        raise InvalidType(f"positions is {places.dtype} of shape {places.shape}; expected numbers of shape (n, 3)")
    count = len(places)
    width, height = (whole_number(side, "size") for side in _pair(size))
    if min(width, height) < 1 or whole_number(frames, "frames") < 1:
        raise InvalidArgument(f"a video of {width}x{height} pixels and {frames} frames; expected at least one of each")
    if not np.isfinite(places).all() or (places[:, 2] != np.floor(places[:, 2])).any():
        raise InvalidArgument("positions has numbers that are not finite, or frames that are no whole numbers")
    rate = number_of(frame_rate, "frame_rate")
    if not 0 < rate < 1e6:
        raise InvalidArgument(f"frame_rate is {shown(frame_rate)}; expected a number of frames per second")
    usual = np.tile(np.array([4, 2], np.float32), (count, 1))
    extent = usual if scales is None else _column(scales, "scales", (count, 2))
    trust = np.ones(count, np.float32) if confidence is None else _column(confidence, "confidence", (count,))
    columns = {
        "x": np.ascontiguousarray(places[:, 0], np.float32),
        "y": np.ascontiguousarray(places[:, 1], np.float32),
        "frame": np.ascontiguousarray(np.clip(places[:, 2], -1, 2**31 - 1), np.int32),
        "sigma2": extent[:, 0].copy(),
        "tau2": extent[:, 1].copy(),
        "confidence": trust,
        "descriptors": _column(descriptors, "descriptors", (count, 162)),
    }
    video = {"size": (width, height), "frames": whole_number(frames, "frames"), "frame_rate": rate, "detector": None}
    checked = _fovea.actions.checked_points({**columns, **video})
    return _known(checked, start)


def _pair(size: Any) -> list[Any]:
    sides = list_of(size, "size", "width and height")
    if len(sides) != 2:
        raise InvalidArgument(f"size is {shown(size)}; expected width and height")
    return sides


def points_of(points: Any) -> Points:
    """The argument, which has to be Points."""
    if not isinstance(points, Points):
        raise InvalidType(f"points is {shown(points)}; expected Points")
    return points


def known_points(source: Any) -> Points | None:
    """Points, or those of a file of points; None for a video."""
    if isinstance(source, Points):
        return source
    if is_path(source) and _fovea.actions.is_points_file(as_path(source)):
        return read_points(source)
    return None
