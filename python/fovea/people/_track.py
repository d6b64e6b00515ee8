"""People with identities, and how well they are followed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .. import _fovea
from .._arguments import shown, unmasked
from .._batch import Results
from .._frames import Frames, VideoLike, each_of, name_of, pixels_of, rgb
from .._keywords import takes_options
from .._notebook import OnImage
from .._operation import Face
from .._options import PeopleEvaluateTracksOptions, PeopleReadMotOptions, PeopleTrackOptions, Unpack
from .._progress import Progress
from .._records import PeopleEvaluateTracksFields as _Measured
from .._records import PeopleTrackFields as _Tracked
from .._results import Boxed, Record, command_line, described
from .._rules import call, in_its_colors
from .._saved import Saved, of_operation
from .._tracks import TrackTable
from ..errors import FormatError, InvalidType
from ..files import Path, as_path, is_path
from ._detect import Detections, Detector
from ._model import Bytes, Floats, Model

Doubles = np.ndarray[Any, np.dtype[np.float64]]


class _Track(NamedTuple):
    id: int  #: from 1, in the order in which people were confirmed
    xyxy: tuple[float, float, float, float]  #: left, top, right and bottom, in pixels
    confidence: float  #: the score of the last detection
    detection: int  #: its place among the detections of this frame; -1 where there is none
    missed: int  #: frames since the last detection


class Track(_Track, Boxed):
    """One person in one frame."""

    __slots__ = ()


@of_operation("people track", rows="people")
class Tracks(OnImage, Saved, TrackTable[Track], _Tracked):
    """The people of one frame, in the order of their ids. Some arrays also have the names of supervision."""

    confidence: Floats  #: ``score``, by the name of supervision
    time_seconds: float | None = None  #: time of the frame, where it is known

    _compared = ("frame",)
    _beside = ("tracker_id", "xywh", "confidence")

    def _take(self, values: dict[str, Any]) -> None:
        super()._take(values)
        self.tracker_id, self.xywh, self.confidence = self.id, self.box, self.score

    def _at(self, index: int) -> Track:
        left, top, right, bottom = (float(number) for number in self.xyxy[index])
        return Track(
            int(self.tracker_id[index]),
            (left, top, right, bottom),
            float(self.confidence[index]),
            int(self.detection[index]),
            int(self.missed[index]),
        )

    def rows(self) -> Doubles:
        """One row of frame, id, x, y, width, height and score per person, as evaluate_tracks() takes them."""
        return np.column_stack(list(self.columns().values())[:-1]).astype(np.float64)

    def to_mot(self) -> str:
        """Lines of MOT challenge text, in which frames and pixels count from 1."""
        return str(_fovea.people.mot_text(self.rows()))

    @in_its_colors
    def draw(self, image: Any = None) -> Bytes:
        """An RGB image with the boxes and ids, on the frame that the result has or on the given one."""
        pixels = rgb(self._image if image is None else image, "the frame")
        return _fovea.people.draw_tracks(pixels, self.tracker_id, self.xywh, self.missed)

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


#: Options that people are searched by.
_OF_DETECTORS = {"give a Detector that has it in place of the model": _fovea.people.detect_options()}


class Tracker(Face):
    """Joins the detections of one frame after another to people with identities. Threads take turns."""

    _keeps = "the people of its frames"

    @takes_options(_fovea.people.track_options(), elsewhere=_OF_DETECTORS)
    def __init__(self, **options: Unpack[PeopleTrackOptions]) -> None:
        """Begins without people."""
        self._begin(_fovea.people.Tracker(dict(options)), options)

    @property
    def identities(self) -> int:
        """How many people have got an id."""
        return int(self._face.identities)

    def track(self, frame: Any, detections: Any) -> Tracks:
        """The people in the next frame.

        The frame is an array of uint8, gray, RGB or RGBA, an image of PIL, a path, or None to follow by motion alone.
        Detections are those of a Detector, or a pair of arrays: rows of left, top, width and height, and scores."""
        if isinstance(detections, Detections):
            xywh, confidence = detections.whole["box"], detections.whole["score"]
        elif isinstance(detections, (tuple, list)) and len(detections) == 2:
            xywh = _numbers(detections[0], "xywh", np.float32)
            confidence = _numbers(detections[1], "confidence", np.float32)
            xywh = xywh.reshape(0, 4) if xywh.size == 0 else xywh
        else:
            raise InvalidType(
                f"detections is {type(detections).__name__}; expected Detections or a pair (xywh, confidence)"
            )
        pixels = None if frame is None else pixels_of(frame)
        return self._tracks(self._face.track(pixels, xywh, confidence), "VIDEO", ())

    def video(
        self,
        source: VideoLike,
        detector: Path | Model | Detector = "channels",
        *,
        keep_images: bool = False,
        progress: Progress = False,
    ) -> Results[Tracks]:
        """Finds the people in each of the next frames and joins them to tracks: a file, a folder of images, a camera or
        the address of a stream (see ``read_video``), or frames as arrays or paths.

        The detector is a Detector, whose options then count, or a model. Frames are searched in several threads. With
        ``keep_images`` each result has its frame, so that it can be drawn without it."""
        frames, finder = Frames(source, keep_images=keep_images), detector_of(detector)
        rules = self._rules or finder._rules
        searches = call(finder._rules, finder._search, frames, progress)
        words = ("--model", finder.model.name, *finder._words)

        def followed(searched: tuple[Any, Detections]) -> Tracks:
            pixels, found = searched
            columns = call(rules, self._face.track, pixels, found.whole["box"], found.whole["score"])
            tracks = self._tracks(columns, frames.name, words)
            tracks.frame, tracks._rules, tracks.path = found.frame or 0, rules, found.path
            tracks.time_seconds, tracks._image = found.time_seconds, pixels if frames.keep else found._image
            return tracks

        return each_of(searches, followed, Tracks)

    def people(self) -> Tracks:
        """Everyone who has an id, also those who are lost and may be found again."""
        return self._tracks(self._face.people(), "VIDEO", ())

    def _tracks(self, found: dict[str, Any], source: str, words: Sequence[str]) -> Tracks:
        origin = self._origin("people", "track", source, end=(*words, "--json"))
        return Tracks(**origin, values=found, frame=int(found["frame"]), _name=source)

    def __repr__(self) -> str:
        return f"Tracker({self.identities} people in {self._face.frames} frames)"


def detector_of(detector: Path | Model | Detector) -> Detector:
    """A detector as it is, or one with default options for a model."""
    return detector if isinstance(detector, Detector) else Detector(detector)


@takes_options(_fovea.people.track_options(), elsewhere=_OF_DETECTORS)
def track(
    source: VideoLike,
    detector: Path | Model | Detector = "channels",
    *,
    keep_images: bool = False,
    progress: Progress = False,
    **options: Unpack[PeopleTrackOptions],
) -> Results[Tracks]:
    """Follows the people of a video: a file, a folder of images, a camera or the address of a stream (see
    ``read_video``), or frames as arrays or paths.

    The detector is a Detector, whose options then count, or a model. With ``keep_images`` each result has its frame, so
    that it can be drawn without it."""
    return Tracker(**options).video(source, detector, keep_images=keep_images, progress=progress)


@takes_options(_fovea.people.read_mot_options(), rules=())
def read_mot(path: Path, **options: Unpack[PeopleReadMotOptions]) -> Doubles:
    """The boxes of a file of MOT challenge text, ordered by frame.

    A row is frame, id, x, y, width, height, score, class, visibility; frames and pixels count from 0. Detections have no id,
    which their files write as -1: ``identities=False`` reads them, with -1 as the id of each."""
    try:
        return _fovea.people.read_mot(as_path(path), dict(options))
    except FormatError as error:
        if "a whole id from 0 on" not in str(error):
            raise
        raise FormatError(f"{error}; identities=False reads detections, which have none") from None


@described(_fovea.people.evaluate_tracks_fields())
class TrackReport(Record, _Measured):
    """How well people were followed: CLEAR MOT, identity measures and HOTA by name, as attributes and by ``[]``."""

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"there is no measure {name!r}")

    def __repr__(self) -> str:
        return f"MOTA {100 * self.mota:.1f} %, IDF1 {100 * self.idf1:.1f} %, HOTA {100 * self.hota:.1f} %"


@takes_options(_fovea.people.evaluate_tracks_options(), rules=())
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
    sources = (name_of(found, "FOUND"), "--truth", name_of(truth, "TRUTH"))
    line = command_line("fovea", "people", "eval-tracks", *sources, *words, "--json")
    return TrackReport(dict(options), {"device": "cpu"}, line, values)


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
