"""Recognition of actions while they happen."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from .. import _fovea
from .._arguments import model_of, whole_number
from .._frames import VideoLike, pixels_of, rgb
from .._keywords import takes_options
from .._operation import Face
from .._options import ActionsRecognizeOptions, Unpack
from .._progress import Progress, check_progress, reporting
from .._records import ActionsRecognizeFields as _Event
from .._results import Result, RowTable, _columns, described
from .._rules import in_its_colors
from ..errors import Error, FormatError, InvalidArgument
from ..files import Path
from ._explain import EventExplanation
from ._model import Model, load_model
from ._points import Points, known_points, points_of
from ._video import Bytes, Ints, _Source


@described(_fovea.actions.recognize_fields())
class Event(Result, _Event):
    """An action that was seen."""

    path: Ints  # type: ignore[assignment]  #: one row of frame and point per node; a point of -1 was not seen
    explanation: EventExplanation | None  #: why it was reported, with ``explain=True``

    def __init__(self, values: dict[str, Any], **origin: Any) -> None:
        super().__init__(**origin, values=values)
        self.path = np.stack([values["path"]["frame"], values["path"]["point"]], axis=1)
        why = values["explanation"]
        self.explanation = None if why is None else EventExplanation(why)

    @property
    def xywh(self) -> tuple[float, float, float, float]:
        """Left, top, width and height of the box around the matched points: ``box``."""
        return self.box

    @property
    def xyxy(self) -> tuple[float, float, float, float]:
        """Left, top, right and bottom of the box."""
        x, y, width, height = self.xywh
        return x, y, x + width, y + height

    def _values(self) -> dict[str, Any]:
        return {field["name"]: getattr(self, field["name"]) for field in self._fields if field["kind"] != "list"}

    def __repr__(self) -> str:
        return f"{self.name} from {self.start_seconds:.2f} to {self.end_seconds:.2f} s, score {self.score:.2f}"


class Events(RowTable[Event]):
    """The actions of a whole video, in the order in which they became certain."""

    classes: list[str]  #: the actions that the model knows
    frames: int  #: how many frames the video has
    frame_rate: float  #: frames per second

    _compared = ("_events", "classes", "frames", "frame_rate")
    _beside = ("_events",)

    _events: list[Event]

    def __len__(self) -> int:
        return len(self._events)

    def _at(self, index: int) -> Event:
        return self._events[index]

    def columns(self) -> dict[str, np.ndarray[Any, Any]]:
        """One row per event, with the names that the program's JSON has."""
        columns: dict[str, np.ndarray[Any, Any]] = {}
        for field in Event._fields:
            if field["kind"] == "list":
                continue
            rows = np.array([getattr(event, field["name"]) for event in self._events], field.get("dtype", str))
            columns.update(_columns(field, rows.reshape(-1, 4) if field["kind"] == "box" else rows))
        return columns

    def timeline(self) -> str:
        """A picture of all events over time as SVG, one row per action."""
        values = [event._values() for event in self._events]
        return str(_fovea.actions.timeline(values, self.classes, self.frames, self.frame_rate))

    @in_its_colors
    def draw(self, image: Any, frame: int) -> Bytes:
        """An RGB copy of a frame with box and name of the events that include it."""
        values = [event._values() for event in self._events]
        return _fovea.actions.draw_events(rgb(image), values, whole_number(frame, "frame"))

    def __repr__(self) -> str:
        events = "1 event" if len(self) == 1 else f"{len(self)} events"
        made = f"{self.provenance['model']}, {self.provenance['device']}, {1000 * self._seconds:.0f} ms"
        return f"{events} in {self.frames} frames ({made})"

    def _repr_html_(self) -> str:
        return self.timeline()


class _Input:
    """A video as frames, or as its points."""

    def __init__(self, source: Any) -> None:
        self.points = known_points(source)
        self.rate: float
        self.count: int | None
        if self.points is None:
            self._source = _Source(source)
            self.rate, self.name, self.count = self._source.rate, self._source.name, self._source.count
        else:
            self.rate, self.count = self.points.frame_rate, self.points.frames
            self.name = self.points.provenance.get("file") or "POINTS.txt"

    def __iter__(self) -> Iterator[Any]:
        if self.points is None:
            return iter(self._source)
        return itertools.repeat(_fovea.actions.PointSequence(self.points._values(), 0), self.points.frames)


class Recognizer(Face):
    """Recognizes actions while they happen. Threads take turns; several recognizers run side by side.

    Frames that are pushed are one video until ``finish()``. A call that Ctrl-C interrupts has taken its frame, and the
    next call returns its events as well."""

    model: Model  #: what it recognizes with

    @takes_options(_fovea.actions.recognize_options())
    def __init__(self, model: Path | Model = "weizmann", **options: Unpack[ActionsRecognizeOptions]) -> None:
        """Takes the name of a shipped model, a model file or a Model."""
        self.model = model_of(model, Model, load_model)
        self._begin(_fovea.actions.Recognizer(self.model._model, dict(options)), options, self.model)

    @property
    def latency(self) -> int:
        """How many frames pass until the points of a frame are known."""
        return int(self._face.latency)

    @property
    def frames(self) -> int:
        """How many frames of the current video were pushed."""
        return int(self._face.frames)

    @property
    def settled_frames(self) -> int:
        """How many frames of the current video, from the first, no later event will include."""
        return int(self._face.settled_frames)

    @property
    def class_distances(self) -> dict[str, float]:
        """The distance of each action to what was seen last; infinite without a match."""
        distances = self._face.class_distances
        return dict(zip(self.model.classes, distances.tolist() or [float("inf")] * len(self.model.classes)))

    def another(self) -> "Recognizer":
        """A recognizer with the same model and options for a video of its own.

        Both share the memory of the prototypes, on a GPU too: one recognizer per camera, each with a thread, feeds it."""
        other = object.__new__(type(self))
        other.model = self.model
        other._begin(self._face.another(), self._keywords, self.model)
        return other

    def push(self, frame: Any) -> list[Event]:
        """Takes the next frame, uint8 in gray or RGB, or a path, and returns the events that have become certain."""
        return self._events(self._face.push(pixels_of(frame)), "VIDEO")

    def push_points(self, points: Points) -> list[Event]:
        """Takes the points of the next frames instead of the frames themselves, and returns what has become certain.

        There are ``points.frames`` frames, with points or without. A video is pushed as frames or as points."""
        sequence = _fovea.actions.PointSequence(points_of(points)._values(), self.frames)
        events: list[Event] = []
        for _ in range(points.frames):
            events += self._events(self._face.push_points(sequence), "POINTS.txt")
        return events

    def finish(self) -> list[Event]:
        """Ends the video and returns the remaining events. The next frame that is pushed begins another video."""
        return self._events(self._face.finish(), "VIDEO")

    def stream(self, frames: VideoLike | Points, *, progress: Progress = False) -> Iterator[Event]:
        """The events of a whole video, each as soon as it is certain. Frames that were pushed are no part of it.

        Points, or a file of points, stand for the video they were found in. Where the video breaks off, the events up
        to there come first and the error after them."""
        check_progress(progress)
        return self._stream(_Input(frames), progress, [0])

    def recognize(self, frames: VideoLike | Points, *, progress: Progress = False) -> Events:
        """All events of a whole video, or of its points."""
        start = time.perf_counter()
        source, count = _Input(frames), [0]
        events = list(self._stream(source, progress, count))
        if count[0] == 0:
            raise FormatError(f"{source.name}: the video has no frames")
        own: dict[str, Any] = {"classes": self.model.classes, "frames": count[0], "frame_rate": self._rate(source)}
        return Events(**self._made(source.name, start), **own, _events=events)

    def _rate(self, source: _Input) -> float:
        given = self._options["frame_rate"]
        return float(source.rate if given is None else given)

    def _stream(self, source: _Input, progress: Progress, count: list[int]) -> Iterator[Event]:
        recognizer = _fovea.actions.Recognizer(self.model._model, {**self._keywords, "frame_rate": self._rate(source)})
        broken: Error | None = None
        push = recognizer.push if source.points is None else recognizer.push_points
        frames = iter(source)
        with reporting(progress) as report:
            while True:
                try:
                    frame = next(frames)
                except StopIteration:
                    break
                except Error as error:
                    broken = error
                    break
                events = push(frame)
                count[0] += 1
                if report:
                    report("frames", count[0], source.count or 0)
                yield from self._events(events, source.name)
            yield from self._events(recognizer.finish(), source.name)
        if broken is not None:
            raise broken

    def _made(self, name: str, start: float | None = None) -> dict[str, Any]:
        words = ("actions", "recognize", name, *self.model._words)
        return self._origin(*words, start=start, **self.model._provenance)

    def _events(self, found: list[dict[str, Any]], name: str) -> list[Event]:
        return [Event(values, **self._made(name)) for values in found]

    def __reduce__(self) -> tuple[Any, ...]:
        if self.frames > 0:
            raise InvalidArgument(f"the recognizer has taken {self.frames} frames; call finish() before pickling it")
        return super().__reduce__()

    def __repr__(self) -> str:
        return f"Recognizer({self.model.name!r}, {self._options['mode']}, device {self._options['device']!r})"


@takes_options(_fovea.actions.recognize_options())
def recognize(
    frames: VideoLike | Points,
    model: Path | Model = "weizmann",
    *,
    progress: Progress = False,
    **options: Unpack[ActionsRecognizeOptions],
) -> Events:
    """All actions of a single video, or of its points: a Recognizer that is used once."""
    return Recognizer(model, **options).recognize(frames, progress=progress)
