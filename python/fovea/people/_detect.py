"""Detectors and what they find."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import Any, Literal, NamedTuple

import numpy as np

from .. import _fovea
from .._arguments import OnError, list_of, model_of, number_of, word
from .._batch import Results, inputs_of
from .._coco import coco_image
from .._explanation import Box, Explanation
from .._frames import Frames, VideoLike, decoded, each_of, mask_of, name_of, pixels_of, rgb
from .._keywords import takes_options
from .._notebook import OnImage
from .._operation import Operated
from .._options import PeopleDetectOptions, Unpack
from .._progress import Progress
from .._records import PeopleDetectFields as _Detections
from .._results import Boxed, RowTable, corners
from .._rules import in_its_colors
from .._saved import Saved, of_operation
from ..errors import InvalidArgument
from ..files import Path, as_path, is_path
from ._model import Bytes, Floats, Model, load_model


class _Detection(NamedTuple):
    xyxy: tuple[float, float, float, float]  #: left, top, right and bottom, in pixels
    score: float  #: higher means more certain
    scale: float  #: how many pixels of the image one pixel of the pyramid level covers
    confidence: float | None  #: share of the detections with this score that are people, where the model is calibrated


class Detection(_Detection, Boxed):
    """One person."""

    __slots__ = ()


@of_operation("people detect", rows="people")
class Detections(OnImage, Saved, RowTable[Detection], _Detections):
    """The people of one image, the highest score first. Some arrays also have the names of supervision.

    ``score`` is the model's own number, from its threshold on, and ``confidence`` the share of detections with that score
    that are people, from 0 to 1. It is NaN for models without a calibration."""

    frame: int | None = None  #: number of the frame, for a video
    time_seconds: float | None = None  #: time of the frame, for a video

    _beside = ("whole",)

    @property
    def image_size(self) -> tuple[int, int]:
        """Width and height."""
        return self.width, self.height

    @property
    def xywh(self) -> Floats:
        """One row of left, top, width and height per person: ``box``."""
        return self.box

    @property
    def xyxy(self) -> Floats:
        """One row of left, top, right and bottom per person."""
        return corners(self.box)

    @property
    def windows(self) -> Floats:  # type: ignore[override]  # the program's JSON counts them under this name
        """The windows that were classified, as left, top, right and bottom."""
        return corners(self.window)

    def __len__(self) -> int:
        return len(self.score)

    def _at(self, index: int) -> Detection:
        left, top, right, bottom = (float(number) for number in self.xyxy[index])
        score, scale, confidence = (float(column[index]) for column in (self.score, self.scale, self.confidence))
        return Detection((left, top, right, bottom), score, scale, None if np.isnan(confidence) else confidence)

    def to_coco(self, file_name: str = "", image_id: int = 1) -> dict[str, Any]:
        """The people as a COCO dictionary of one image."""
        rows = zip(self.xywh.tolist(), self.score.tolist())
        found = ({"bbox": box, "area": box[2] * box[3], "score": score} for box, score in rows)
        return coco_image(file_name, image_id, self.image_size, "person", found)

    def to_supervision(self) -> Any:
        """The people as ``supervision.Detections``, with the scores in place of confidence that is not known."""
        import supervision

        sure = np.where(np.isnan(self.confidence), self.score, self.confidence)
        return supervision.Detections(xyxy=self.xyxy, confidence=sure, class_id=np.zeros(len(self), dtype=np.int64))

    @in_its_colors
    def draw(self, image: Any = None, *, label: Literal["score", "confidence"] = "score") -> Bytes:
        """An RGB image with the boxes, the image that was searched unless another one is given. The number in each box is the
        ``label``: "score", or "confidence" of models that have a calibration."""
        pixels = rgb(self._image if image is None else image, "the image that was searched")
        kept = self._kept(pixels)
        if word(label, "label", ("score", "confidence")) == "confidence":
            if np.isnan(self.confidence).any():
                raise InvalidArgument(f"{self.provenance['model']} has no calibration, so that no confidence is known; label is 'score'")
            kept["values"]["people"] = {**kept["values"]["people"], "score": self.confidence.astype(self.score.dtype)}
        return _fovea.operations.draw(self._operation, kept)

    def __repr__(self) -> str:
        people = "1 person" if len(self) == 1 else f"{len(self)} people"
        best = f", best {self.score[0]:.2f}" if len(self) else ""
        made = f"{self.provenance['model']}, {self.provenance['device']}, {1000 * self._seconds:.0f} ms"
        return f"{people}{best} ({made})"


class WindowExplanation(Explanation):
    """Why a window counts as a person, or why it does not."""

    score: float  #: as ``Detector.scores()`` gives it
    xywh: Box  #: the person
    window: Box  #: the window that was classified
    scale: float  #: pixels of the image per pixel of the level
    outcome: str  #: person, fused (a better window was taken), below_threshold or rejected
    threshold: float  #: the least score of a person
    sum: float  #: what blocks or trees add up to: the score, or the sum that was too low
    missing: float  #: by how much the sum or the score fell short; 0 for a person
    passed: int  #: stages or trees that did not reject the window
    steps: int  #: stages or trees of the model; 0 for linear classifiers
    heat: Floats  #: shares of the window's parts, which add up to ``sum``
    blocks: list[dict[str, Any]]  #: box, stage and value of each block
    trees: list[dict[str, Any]]  #: value, sum, rejection and tests of each tree that was evaluated
    stages: list[dict[str, Any]]  #: value, sum, threshold and passed of each stage that was reached
    levels: list[tuple[float, float, Box]]  #: height of a person, best score and window, per size


#: Options that a detector has not, and who has them.
_OF_TRACKS = {"people.track() and Tracker() take it": _fovea.people.track_options()}


class Detector(Operated):
    """Finds people in one image after another. Threads take turns; several detectors run side by side."""

    model: Model  #: what it finds people with

    _operation = "people detect"

    @takes_options(_fovea.people.detect_options(), elsewhere=_OF_TRACKS)
    def __init__(self, model: Path | Model = "channels", **options: Unpack[PeopleDetectOptions]) -> None:
        """Takes the name of a shipped model, a model file or a Model."""
        self.model = model_of(model, Model, load_model)
        self._model_provenance = self.model._provenance
        self._begin_operation(options, {"model": (self.model._model, self.model.name)}, self.model, **options)
        if self._options["threshold"] is None:
            self._by_model = {"threshold": _fovea.people.least_score(self.model._model, self._given)}
        elif self._options["confidence"] is not None:
            _fovea.people.least_score(self.model._model, self._given)  # which refuses both

    def detect(self, image: Any, mask: Any = None) -> Detections:
        """Finds the people in an image: an array of uint8, gray, RGB or RGBA, an image of PIL, or a path.

        With a mask of the image's size, only people whose center is not 0 in it are kept."""
        pixels = pixels_of(image, "detect_all() of a Detector")
        if mask is None:
            found = self._found(self._face, pixels, [name_of(image, "IMAGE")])
        else:
            files = {"mask": name_of(mask, "MASK")}
            words = [name_of(image, "IMAGE"), "--mask", files["mask"]]
            found = self._found(self._face, pixels, words, given={"mask": mask_of(mask)}, _sources=files)
        found._image = pixels if hasattr(pixels, "shape") else np.asarray(pixels)
        found.path = as_path(image) if is_path(image) else None
        return found

    def detect_all(
        self, images: Path | Iterable[Any], *, progress: Progress = False, on_error: OnError = "raise"
    ) -> Results[Detections]:
        """Finds the people in many images of any sizes, in their order: arrays, paths, or a folder. Several threads read
        and search them, and few of them are in memory at a time.

        An image that cannot be read raises its error; ``on_error="skip"`` leaves it out and lists it in ``failed`` of the
        results, and ``on_error="warn"`` warns as well. ``to_pandas()`` of the results is one table of all people.

        >>> results = Detector("hog").detect_all([np.zeros((200, 100), np.uint8), "missing.jpg"], on_error="skip")
        >>> [len(found) for found in results], [failure.path for failure in results.failed]
        ([0], ['missing.jpg'])"""
        listed, count = inputs_of(images)
        every = self._side_by_side("images", count, progress, on_error)

        def search(face: Any, image: Any, index: int) -> Detections:
            pixels = pixels_of(image)
            found = self._found(face, pixels, [name_of(image, "IMAGE")])
            found._image = as_path(image) if is_path(image) else pixels
            return found

        return every.results(listed, search, Detections)

    @functools.cached_property
    def _detector(self) -> Any:
        """What scores and explains windows."""
        return _fovea.people.Detector(self.model._model, self._given)

    def score(self, crop: Any) -> float:
        """The score of the window in the middle of a crop, which may show some surroundings as well."""
        return float(self._detector.score(pixels_of(crop)))

    def scores(self, image: Any) -> Floats:
        """The scores of all windows of an image, whatever the threshold."""
        return self._detector.scores(pixels_of(image))

    def explain(self, image: Any, x: float, y: float) -> WindowExplanation:
        """Why there is a person at a place of the image, or why there is none: explains the best window, over all sizes,
        of those whose person covers the place."""
        return self._explained(image, [number_of(x, "x"), number_of(y, "y")])

    def explain_window(self, image: Any, window: Any) -> WindowExplanation:
        """The same for a window as left, top, right and bottom, such as a row of ``Detections.windows``: the window of the
        search that overlaps most with it is explained."""
        numbers = [number_of(number, "window") for number in list_of(window, "window", "left, top, right and bottom")]
        if len(numbers) != 4:
            raise InvalidArgument(f"window has {len(numbers)} numbers; expected left, top, right and bottom")
        left, top, right, bottom = numbers
        return self._explained(image, [left, top, right - left, bottom - top])

    def _explained(self, image: Any, place: list[float]) -> WindowExplanation:
        pixels = pixels_of(image)
        return WindowExplanation(self._detector.explain(pixels, place), pixels)

    def video(self, source: VideoLike, *, keep_images: bool = False, progress: Progress = False) -> Results[Detections]:
        """The people of each frame in order. The source is a file, a folder of images, a camera or the address of a
        stream (see ``read_video``), or frames as arrays or paths.

        Frames are decoded and searched in several threads. With ``keep_images`` each result has its frame, so that it can
        be drawn and saved without it; results of images by their paths can be drawn anyway."""
        frames = Frames(source, keep_images=keep_images)

        def found(pair: tuple[Any, Detections]) -> Detections:
            pixels, people = pair
            people._image = pixels if frames.keep else people._image
            return people

        return each_of(self._search(frames, progress), found, Detections)

    def _search(self, frames: Frames, progress: Progress) -> Results[tuple[Any, Detections]]:
        """The pixels of each frame with the people in them."""

        def search(face: Any, frame: Any, index: int) -> tuple[Any, Detections]:
            pixels, at, seconds = decoded(frame, index)
            image = as_path(frame) if is_path(frame) else None
            own = {"frame": at, "time_seconds": seconds, "path": frames.file_of(frame), "_image": image}
            return pixels, self._found(face, pixels, [name_of(frame, frames.name)], **own)

        return self._each_frame(frames, search, progress)

    def _found(self, face: Any, pixels: Any, words: list[str], **more: Any) -> Detections:
        words += ["--model", self.model.name]
        return self._run(Detections, pixels, words, face=face, **more)

    def __repr__(self) -> str:
        return f"Detector({self.model.name!r}, device {self._options['device']!r})"


@takes_options(_fovea.people.detect_options(), elsewhere=_OF_TRACKS)
def detect(
    image: Any, model: Path | Model = "channels", mask: Any = None, **options: Unpack[PeopleDetectOptions]
) -> Detections:
    """Finds the people in one image. To search several, make a Detector, which reads the model once.

    >>> found = fovea.people.detect(np.zeros((160, 120, 3), np.uint8), "hog", ratio=1.3)
    >>> len(found), found.image_size
    (0, (120, 160))"""
    return Detector(model, **options).detect(image, mask)
