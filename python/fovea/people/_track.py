"""People with identities, and how well they are followed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np

from .. import _fovea
from .._arguments import shown, unmasked
from .._frames import name_of, pixels_of
from .._keywords import takes_options
from .._results import Record, Table, command_line
from ..errors import InvalidType
from ..files import Path, as_path, is_path
from ._detect import Detections
from ._model import Floats

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .._options import PeopleEvaluateTracksOptions, PeopleReadMotOptions, PeopleTrackOptions

Doubles = np.ndarray[Any, np.dtype[np.float64]]
Numbers = np.ndarray[Any, np.dtype[np.int32]]


class Track(NamedTuple):
    """One person in one frame."""

    id: int  #: from 1, in the order in which people were confirmed
    xyxy: tuple[float, float, float, float]  #: left, top, right and bottom, in pixels
    confidence: float  #: the score of the last detection
    detection: int  #: its place among the detections of this frame; -1 where there is none
    missed: int  #: frames since the last detection


class Tracks(Table):
    """The people of one frame, in the order of their ids. The names of its arrays are those of supervision."""

    tracker_id: Numbers  #: ids from 1
    xywh: Floats  #: one row of left, top, width and height per person
    confidence: Floats  #: the score of the last detection
    detection: Numbers  #: its place among the detections of this frame; -1 where there is none
    missed: Numbers  #: frames since the last detection
    age: Numbers  #: frames since the first detection
    frame: int  #: number of the frame, from 0

    _compared = ("tracker_id", "xywh", "confidence", "detection", "missed", "age", "frame")

    def __init__(self, columns: dict[str, Any], frame: int, **origin: Any) -> None:
        super().__init__(origin["options"], origin["provenance"], origin["command"])
        for name in ("tracker_id", "xywh", "confidence", "detection", "missed", "age"):
            setattr(self, name, columns[name])
        self.frame = frame

    @property
    def xyxy(self) -> Floats:
        """One row of left, top, right and bottom per person."""
        return np.concatenate([self.xywh[:, :2], self.xywh[:, :2] + self.xywh[:, 2:]], axis=1)

    def __len__(self) -> int:
        return len(self.tracker_id)

    @overload
    def __getitem__(self, index: int) -> Track: ...
    @overload
    def __getitem__(self, index: slice) -> list[Track]: ...
    def __getitem__(self, index: int | slice) -> Track | list[Track]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        left, top, right, bottom = (float(number) for number in self.xyxy[index])
        return Track(
            int(self.tracker_id[index]),
            (left, top, right, bottom),
            float(self.confidence[index]),
            int(self.detection[index]),
            int(self.missed[index]),
        )

    def __iter__(self) -> Iterator[Track]:
        return (self[i] for i in range(len(self)))

    def columns(self) -> dict[str, np.ndarray[Any, Any]]:
        """frame, id, x, y, width, height, score and missed, as the program's CSV has them."""
        names = ("x", "y", "width", "height")
        boxes = {name: np.ascontiguousarray(self.xywh[:, i]) for i, name in enumerate(names)}
        frames = np.full(len(self), self.frame, dtype=np.int64)
        return {"frame": frames, "id": self.tracker_id, **boxes, "score": self.confidence, "missed": self.missed}

    def rows(self) -> Doubles:
        """One row of frame, id, x, y, width, height and score per person, as evaluate_tracks() takes them."""
        return np.column_stack(list(self.columns().values())[:-1]).astype(np.float64)

    def to_supervision(self) -> Any:
        """The people as ``supervision.Detections`` with ``tracker_id``."""
        import supervision

        return supervision.Detections(
            xyxy=self.xyxy,
            confidence=self.confidence,
            class_id=np.zeros(len(self), dtype=np.int64),
            tracker_id=self.tracker_id.astype(np.int64),
        )

    def __repr__(self) -> str:
        people = "1 person" if len(self) == 1 else f"{len(self)} people"
        return f"{people} in frame {self.frame}, ids {self.tracker_id.tolist()}"


class Tracker:
    """Joins the detections of one frame after another to people with identities. Threads take turns."""

    @takes_options(_fovea.people.track_options())
    def __init__(self, **options: Unpack[PeopleTrackOptions]) -> None:
        """Begins without people."""
        self._tracker = _fovea.people.Tracker(dict(options))
        self._options: dict[str, Any] = dict(self._tracker.options)
        self._words = list(self._tracker.words)

    @property
    def options(self) -> dict[str, Any]:
        """Every option with its value."""
        return dict(self._options)

    @property
    def identities(self) -> int:
        """How many people have got an id."""
        return int(self._tracker.identities)

    def track(self, frame: Any, detections: Any) -> Tracks:
        """The people in the next frame.

        The frame is an array of uint8, gray, RGB or RGBA, an image of PIL, a path, or None to follow by motion alone.
        Detections are those of a Detector, or a pair of arrays: rows of left, top, width and height, and scores."""
        if isinstance(detections, Detections):
            xywh, confidence = detections.xywh, detections.confidence
        elif isinstance(detections, (tuple, list)) and len(detections) == 2:
            xywh = _numbers(detections[0], "xywh", np.float32)
            confidence = _numbers(detections[1], "confidence", np.float32)
            xywh = xywh.reshape(0, 4) if xywh.size == 0 else xywh
        else:
            raise InvalidType(
                f"detections is {type(detections).__name__}; expected Detections or a pair (xywh, confidence)"
            )
        pixels = None if frame is None else pixels_of(frame)
        return self._tracks(self._tracker.track(pixels, xywh, confidence))

    def people(self) -> Tracks:
        """Everyone who has an id, also those who are lost and may be found again."""
        return self._tracks(self._tracker.people())

    def _tracks(self, columns: dict[str, Any]) -> Tracks:
        provenance = {"device": self._options["device"], "seed": self._options["seed"]}
        command = command_line("fovea", "people", "track", "VIDEO", *self._words, "--json")
        return Tracks(columns, int(columns["frame"]), options=self.options, provenance=provenance, command=command)

    def __repr__(self) -> str:
        return f"Tracker({self.identities} people in {self._tracker.frames} frames)"


@takes_options(_fovea.people.read_mot_options())
def read_mot(path: Path, **options: Unpack[PeopleReadMotOptions]) -> Doubles:
    """The boxes of a file of MOT challenge text, ordered by frame.

    A row is frame, id, x, y, width, height, score, class, visibility; frames and pixels count from 0."""
    boxes: Doubles = _fovea.people.read_mot(as_path(path), dict(options))
    return boxes


class TrackReport(Record):
    """How well people were followed: CLEAR MOT, identity measures and HOTA by name, as attributes and by ``[]``."""

    def __init__(self, values: dict[str, Any], options: dict[str, Any], command: str) -> None:
        super().__init__(options, {"device": "cpu"}, command)
        self._compared = tuple(values)
        self.__dict__.update(values)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"there is no measure {name!r}")

    def __repr__(self) -> str:
        return f"MOTA {100 * self.mota:.1f} %, IDF1 {100 * self.idf1:.1f} %, HOTA {100 * self.hota:.1f} %"


@takes_options(_fovea.people.evaluate_tracks_options())
def evaluate_tracks(found: Any, truth: Any, **options: Unpack[PeopleEvaluateTracksOptions]) -> TrackReport:
    """Measures tracks by CLEAR MOT, identities and HOTA: ``mota``, ``motp``, ``idf1``, ``hota`` and their parts.

    Both sides are files of MOT challenge text, a list of Tracks, or rows as read_mot() returns them: frame, id, x, y,
    width, height, and optionally score, class and visibility."""

    def rows(side: Any, name: str) -> Any:
        if is_path(side):
            return read_mot(side, pedestrians=name == "truth")
        if isinstance(side, list) and side and all(isinstance(tracks, Tracks) for tracks in side):
            return np.concatenate([tracks.rows() for tracks in side])
        return _numbers(side, name, np.float64)

    values = _fovea.people.evaluate_tracks(rows(truth, "truth"), rows(found, "found"), dict(options))
    words = [word for name, value in options.items() for word in (f"--{name.replace('_', '-')}", str(value))]
    line = command_line(
        "fovea", "people", "eval-tracks", name_of(found, "FOUND"), "--truth", name_of(truth, "TRUTH"), *words, "--json"
    )
    return TrackReport(dict(values), dict(options), line)


def _numbers(value: Any, name: str, kind: Any) -> Any:
    """Real numbers as a contiguous array of one type."""
    given = unmasked(value, name)
    try:
        table = np.asarray(given)
    except (TypeError, ValueError):
        table = np.array(None)
    if table.dtype.kind not in "iuf":
        raise InvalidType(f"{name} is {shown(value)}; expected an array of numbers")
    return np.ascontiguousarray(table, dtype=kind)
