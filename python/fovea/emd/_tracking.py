"""Tracking by color."""

from __future__ import annotations

import pathlib
import re
import time
from typing import Any, NamedTuple

import numpy as np

from .. import _fovea
from .._arguments import path_of, whole_number
from .._batch import Results
from .._explanation import Explanation
from .._frames import Frames, VideoLike, name_of, one_by_one, pixels_of, rgb
from .._keywords import takes_options
from .._notebook import OnImage
from .._operation import Face
from .._options import EmdTrackOptions, Unpack
from .._progress import Progress
from .._records import EmdEvaluateTrackFields as _Agreement
from .._results import Boxed, Record, command_line, described
from .._rules import in_its_colors
from .._tracks import TrackTable
from ..errors import InvalidType
from ..files import Path, as_path, is_path
from ._shared import Array, Box, Bytes, Doubles, Flags, Floats, rows_of_boxes


class _Track(NamedTuple):
    id: int  #: from 1, in the order in which targets were added
    box: Box  #: x, y, width and height
    score: float  #: likelihood inside the box less that in the ring around it, -1 to 1
    confidence: float  #: score / the first frame's score, 0 to 1
    lost: bool  #: the target is lost, and the box is where it was last seen


class Track(_Track, Boxed):
    """One target in one frame."""

    __slots__ = ()


class Tracks(OnImage, TrackTable[Track]):
    """The targets in one frame, in the order of their ids. The names of its arrays are those of supervision."""

    xywh: Doubles  #: one row of left, top, width and height per target
    confidence: Doubles  #: score / the first frame's score, 0 to 1
    score: Doubles  #: likelihood inside the box less that in the ring around it
    lost: Flags  #: whether the target is lost, and the box is where it was last seen

    _compared = ("tracker_id", "xywh", "confidence", "score", "lost", "frame")
    _beside = ("tracker_id", "xywh", "confidence", "score", "lost")

    @property
    def box(self) -> Box:
        """x, y, width and height of the first target."""
        return self[0].box

    def _at(self, index: int) -> Track:
        x, y, width, height = self.xywh[index].tolist()
        return Track(
            int(self.tracker_id[index]),
            (x, y, width, height),
            float(self.score[index]),
            float(self.confidence[index]),
            bool(self.lost[index]),
        )

    def columns(self) -> dict[str, Array]:
        """frame, id, x, y, width, height, score, confidence and lost."""
        scores = {"score": self.score, "confidence": self.confidence, "lost": self.lost}
        return {**self._places(), **scores}

    def _library(self) -> dict[str, Any]:
        return {
            "id": self.tracker_id,
            "box": self.xywh,
            "score": self.score,
            "confidence": self.confidence,
            "lost": self.lost,
        }

    def to_mot(self) -> str:
        """Lines of MOT challenge text, in which frames and pixels count from 1."""
        return str(_fovea.emd.mot_text(self.frame, self._library()))

    def to_supervision(self) -> Any:
        """The targets as ``supervision.Detections``."""
        import supervision

        return supervision.Detections(
            xyxy=self.xyxy.astype(np.float32), confidence=self.confidence, tracker_id=self.tracker_id.astype(np.int64)
        )

    @in_its_colors
    def draw(self, image: Any = None) -> Bytes:
        """An RGB image with the boxes, the frame itself unless another image is given."""
        pixels = rgb(self._image if image is None else image, "the frame")
        return _fovea.emd.draw(pixels, self._library())

    def __repr__(self) -> str:
        lost = int(np.count_nonzero(self.lost))
        targets = "1 target" if len(self) == 1 else f"{len(self)} targets"
        at = f" at {tuple(f'{number:g}' for number in self.box)}".replace("'", "") if len(self) == 1 else ""
        made = f"frame {self.frame}, {self.provenance['device']}, {1000 * self._seconds:.0f} ms"
        return f"{targets}{at}{f', {lost} lost' if lost else ''} ({made})"

def _has_bands(image: Any) -> bool:
    """Whether pixels are bands, on which no boxes are drawn."""
    shape: tuple[int, ...] = getattr(image, "shape", ())
    kind = str(getattr(image, "dtype", "uint8"))
    return not kind.endswith("uint8") or (len(shape) == 3 and shape[2] not in (1, 3))


def _frame_of(frame: Any) -> Any:
    """A frame, which is read where it is a path: colors as bytes, or all bands of a cube."""
    if is_path(frame) and _fovea.emd.is_band_file(path_of(frame)):
        return _fovea.emd.read_cube(path_of(frame), {})
    return pixels_of(frame)


def _frames_of(source: VideoLike) -> VideoLike:
    """A source, or the files of a folder of cubes, whose bands a reader of videos would not keep."""
    if not is_path(source):
        return source
    folder = pathlib.Path(path_of(source))
    if not folder.is_dir():
        return source
    cubes, images = {".hdr", ".mat"}, {".npy", ".tif", ".tiff", ".png", ".pfm", ".pam", ".pgm", ".ppm", ".pnm"}
    found = [file for file in folder.iterdir() if file.suffix.lower() in cubes | images and file.name[0] != "."]
    files = [file for file in found if file.suffix.lower() in cubes] or found
    files.sort(key=lambda file: [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", file.name)])
    return files if files and _fovea.emd.is_band_file(str(files[0])) else source


class TrackExplanation(Explanation):
    """Why a target is where it is in a frame."""

    xywh: tuple[float, float, float, float]  #: where it is
    from_xywh: tuple[float, float, float, float]  #: where it was in the frame before
    score: float
    lost: bool
    reach: int  #: pixels that were searched in each direction
    place: dict[str, Any]  #: of the best place: total = color - motion - parts - filter
    stayed: dict[str, Any]  #: the same of the place of the frame before
    first_score: float  #: the color of the first frame
    doubtful: bool  #: the color of the best place is too low
    doubtful_frames: int  #: in a row
    searched_everywhere: bool  #: the target counts as lost, and the whole frame was searched
    landscape: dict[str, Any]  #: scores of the places within reach, and what they are made of


class Tracker(Face):
    """Follows targets through frames by their colors or spectra. Threads take turns.

    Ctrl-C does not stop a frame that has begun; it is followed to its end, and ``tracks`` has its result."""

    _keeps = "what it learned from its frames"

    @takes_options(_fovea.emd.track_options())
    def __init__(self, frame: Any, box: Any = None, example: Any = None, **options: Unpack[EmdTrackOptions]) -> None:
        """Begins in a frame with a box (x, y, width, height), with rows of boxes, or with an example to search for.

        Frames and examples are uint8 of shape (height, width) or (height, width, 3), whose colors are compared; or
        numbers of any other type or shape (height, width, bands), whose bands are; or paths of images and cubes."""
        if (box is None) == (example is None):
            raise InvalidType("a Tracker begins with a box or with an example; expected one of them")
        self._begin(_fovea.emd.Tracker(dict(options)), options)
        self._targets: list[str] = []
        self._source = "VIDEO"
        if box is not None:
            self.add(frame, box)
        else:
            self.add_example(frame, example)

    def add(self, frame: Any, box: Any) -> Tracks:
        """Adds targets by their boxes in a frame; each has at least 4x4 pixels within it. Returns the new ones."""
        start, pixels, rows = time.perf_counter(), _frame_of(frame), rows_of_boxes(box)
        columns = self._face.add(pixels, rows)
        self._targets += [",".join(f"{number:.17g}" for number in row) for row in rows]
        return self._tracks(columns, pixels, start)

    def add_example(self, frame: Any, example: Any) -> Tracks:
        """Adds a target by an example image and looks for it in a frame at half to twice its size.

        A target that is not found starts as lost."""
        start, pixels = time.perf_counter(), _frame_of(frame)
        columns = self._face.add_example(pixels, _frame_of(example))
        self._targets.append(name_of(example, "EXAMPLE"))
        return self._tracks(columns, pixels, start)

    def track(self, frame: Any) -> Tracks:
        """Follows all targets into the next frame."""
        start, pixels = time.perf_counter(), _frame_of(frame)
        return self._tracks(self._face.track(pixels), pixels, start)

    def explain(self, frame: Any, id: int = 1) -> TrackExplanation:
        """Follows all targets into the next frame as ``track()`` does, and says why one of them is where it is."""
        pixels = _frame_of(frame)
        found = self._face.explain(pixels, whole_number(id, "id"))
        return TrackExplanation(found, None if _has_bands(pixels) else pixels)

    def video(self, source: VideoLike, *, keep_images: bool = False, progress: Progress = False) -> Results[Tracks]:
        """Follows all targets through the next frames: a file, a folder of images, or frames as arrays or paths.

        With ``keep_images`` each result has its frame, so that it can be drawn without it."""
        frames = Frames(_frames_of(source), keep_images=keep_images)
        return one_by_one(frames, lambda frame, index: self._followed(frame, frames.keep), progress, Tracks)

    def _followed(self, frame: Any, keep: bool) -> Tracks:
        """The targets in a frame of a video. Unless images are kept, it has no pixels: a list of results would keep the
        whole video."""
        found = self.track(frame)
        if is_path(frame):
            found.path = as_path(frame)
        if not keep:
            found._image = found.path if found._image is not None else None
        return found

    @property
    def tracks(self) -> Tracks:
        """Where all targets were last."""
        return self._tracks(self._face.tracks(), None, time.perf_counter())

    @property
    def report(self) -> dict[str, Any]:
        """How the distances of all maps so far were found."""
        return dict(self._face.report())

    def uses_parts(self, id: int = 1) -> bool:
        """Whether the parts of a target are compared, as the option parts says or as was decided."""
        return bool(self._face.uses_parts(whole_number(id, "id")))

    def likelihood(self, id: int = 1) -> Floats:
        """The likelihood, 0 to 1, that each pixel of the last frame belongs to a target; 0 where it was not mapped."""
        return self._face.likelihood(whole_number(id, "id"))

    def _tracks(self, columns: dict[str, Any], image: Any, start: float) -> Tracks:
        image = None if _has_bands(image) else image
        targets = [word for target in self._targets for word in ("--target", target)]
        origin = self._origin("emd", "track", self._source, *targets, end=("--json",), start=start)
        return Tracks(
            **origin,
            tracker_id=columns["id"],
            xywh=columns["box"],
            score=columns["score"],
            confidence=columns["confidence"],
            lost=columns["lost"],
            frame=int(self._face.frame),
            _image=image,
        )

    def __repr__(self) -> str:
        count = len(self._targets)
        targets = "1 target" if count == 1 else f"{count} targets"
        return f"Tracker({targets}, frame {self._face.frame}, device {self._options['device']!r})"


@takes_options(_fovea.emd.track_options())
def track(
    source: VideoLike,
    box: Any = None,
    example: Any = None,
    *,
    keep_images: bool = False,
    progress: Progress = False,
    **options: Unpack[EmdTrackOptions],
) -> Results[Tracks]:
    """Follows targets through a video: a file, a folder of images, or frames as arrays or paths. Its first frame shows
    the box.

    The result of the first frame is where the targets begin. With ``keep_images`` each result has its frame, so that it
    can be drawn without it."""
    frames = Frames(_frames_of(source), keep_images=keep_images)
    trackers: list[Tracker] = []

    def follow(frame: Any, index: int) -> Tracks:
        if trackers:
            return trackers[0]._followed(frame, frames.keep)
        pixels = _frame_of(frame)
        tracker = Tracker(pixels, box, example, **options)
        tracker._source = frames.name
        trackers.append(tracker)
        found = tracker.tracks
        found._image = None if _has_bands(pixels) else pixels
        return found

    return one_by_one(frames, follow, progress, Tracks)


@takes_options(_fovea.emd.track_options())
def find(image: Any, example: Any, **options: Unpack[EmdTrackOptions]) -> Tracks:
    """Looks for an example image in another image, at half to twice its size. A target that is not found is lost."""
    tracker = Tracker(image, example=example, **options)
    found = tracker.tracks
    pixels = _frame_of(image)
    found._image = None if _has_bands(pixels) else pixels
    return found


def read_boxes(path: Path, origin: int | None = None, id: int = 1) -> Doubles:
    """Reads the boxes of one target: rows of x, y, width and height, or MOT challenge text.

    ``origin`` is the coordinate of the file's first pixel, 0 or 1. Without it, a line such as ``# origin 0`` in the file
    says it; otherwise it is 1, as in benchmarks. Frames without the target get a box without area."""
    first = None if origin is None else whole_number(origin, "origin")
    return _fovea.emd.read_boxes(path_of(path), first, whole_number(id, "id"))


@described(_fovea.emd.evaluate_track_fields())
class TrackEvaluation(Record, _Agreement):
    """How well a track agrees with the true boxes, by the measures of the Online Tracking Benchmark."""

    _compared = ("frames",)

    @property
    def frames(self) -> int:
        """Frames that have a truth: ``evaluated_frames``."""
        return self.evaluated_frames

    def __repr__(self) -> str:
        overlap = f"mean overlap {self.mean_overlap:.3f}, area of success {self.success_area:.3f}"
        return f"{overlap}, {100 * self.precision_20px:.1f} % within 20 px ({self.frames} frames)"


def evaluate_track(boxes: Any, truth: Any) -> TrackEvaluation:
    """Compares a track with the true boxes by the measures of the Online Tracking Benchmark.

    Both have one row of x, y, width and height per frame, or are files of them; the first may also be a list of Tracks,
    whose first targets are taken. Frames without a truth do not count."""
    origin = None
    if isinstance(boxes, (list, tuple)) and boxes and all(isinstance(tracks, Tracks) for tracks in boxes):
        origin = boxes[0]
        boxes = np.concatenate([tracks.xywh[:1] for tracks in boxes])
    tables = [
        read_boxes(table) if is_path(table) else rows_of_boxes(table, name)
        for table, name in ((boxes, "boxes"), (truth, "truth"))
    ]
    options, provenance = (origin.options, origin.provenance) if origin else ({}, {"device": None, "seed": None})
    line = origin.command if origin else command_line("fovea", "emd", "track", "VIDEO", "--target", "BOX", "--json")
    first = () if is_path(truth) else ("--truth-origin", 0)
    command = f"{line} {command_line('--truth', 'TRUTH', *first)}"
    return TrackEvaluation(options, provenance, command, _fovea.emd.evaluate_track(*tables))
