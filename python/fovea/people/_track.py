"""People with identities, and how well they are followed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np

from .. import _fovea
from .._frames import pixels_of
from .._keywords import takes_options
from .._results import Table, command_line
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
            xywh = np.ascontiguousarray(detections[0], dtype=np.float32).reshape(-1, 4)
            confidence = np.ascontiguousarray(detections[1], dtype=np.float32)
        else:
            raise InvalidType(
                f"detections is {type(detections).__name__}; expected Detections or a pair (xywh, confidence)"
            )
        pixels = None if frame is None else pixels_of(frame)
        number = int(self._tracker.frames)
        return self._tracks(self._tracker.track(pixels, xywh, confidence), number)

    def people(self) -> Tracks:
        """Everyone who has an id, also those who are lost and may be found again."""
        return self._tracks(self._tracker.people(), max(0, int(self._tracker.frames) - 1))

    def _tracks(self, columns: dict[str, Any], number: int) -> Tracks:
        provenance = {"device": self._options["device"], "seed": self._options["seed"]}
        command = command_line("fovea", "people", "track", "VIDEO", *self._words, "--json")
        return Tracks(columns, number, options=self.options, provenance=provenance, command=command)

    def __repr__(self) -> str:
        return f"Tracker({self.identities} people in {self._tracker.frames} frames)"


@takes_options(_fovea.people.read_mot_options())
def read_mot(path: Path, **options: Unpack[PeopleReadMotOptions]) -> Doubles:
    """The boxes of a file of MOT challenge text, ordered by frame.

    A row is frame, id, x, y, width, height, score, class, visibility; frames and pixels count from 0."""
    boxes: Doubles = _fovea.people.read_mot(as_path(path), dict(options))
    return boxes


@takes_options(_fovea.people.evaluate_tracks_options())
def evaluate_tracks(found: Any, truth: Any, **options: Unpack[PeopleEvaluateTracksOptions]) -> dict[str, Any]:
    """Measures tracks by CLEAR MOT, identities and HOTA: ``mota``, ``motp``, ``idf1``, ``hota`` and their parts.

    Both sides are files of MOT challenge text, or rows as read_mot() returns them: frame, id, x, y, width, height, and
    optionally score, class and visibility."""

    def rows(side: Any, pedestrians: bool) -> Any:
        if is_path(side):
            return read_mot(side, pedestrians=pedestrians)
        return np.ascontiguousarray(side, dtype=np.float64)

    report: dict[str, Any] = _fovea.people.evaluate_tracks(rows(truth, True), rows(found, False), dict(options))
    return report
