"""Actions in video: interest points, recognition while it happens, training and evaluation.

A video is a path of a file or of a folder of images, an array of shape (frames, height, width) or (frames, height,
width, 3), or any iterable of frames. Frames are uint8, gray or RGB, and all of one size.
"""

from __future__ import annotations

import hashlib
import os
import time
import warnings
from collections.abc import Iterable, Iterator, Sequence, Sized
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Union, overload

import numpy as np

from . import _fovea
from ._keywords import takes_options
from ._ordered import in_order
from ._progress import Progress, reporting
from ._results import Result, Table, command_line
from .errors import Error, FormatError, InvalidArgument, InvalidType
from .files import Path, Video, file_hash, is_path, model_path

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import ActionsEvaluateOptions, ActionsPointOptions, ActionsRecognizeOptions, ActionsTrainOptions

__all__ = [
    "Evaluation",
    "Event",
    "Events",
    "Method",
    "Model",
    "Points",
    "Prototype",
    "Recognizer",
    "evaluate",
    "load_model",
    "points",
    "read_points",
    "recognize",
    "train",
]

Floats = np.ndarray[Any, np.dtype[np.float32]]
Ints = np.ndarray[Any, np.dtype[np.int32]]
Bytes = np.ndarray[Any, np.dtype[np.uint8]]
VideoLike = Union[Path, Iterable[Any]]

_USUAL_RATE = 25.0
_HOG_SIZE = 72


class _Source:
    """The frames of a video, with what is known about it before they are read."""

    def __init__(self, source: VideoLike) -> None:
        self.count: int | None = None
        self.rate = _USUAL_RATE
        self.name = "VIDEO"
        self._video: Video | None = None
        if is_path(source):
            self.name = os.fspath(source)  # type: ignore[arg-type]
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


class Prototype(NamedTuple):
    """A chain of a model: consecutive nodes of one training clip."""

    label: int  #: the action
    clip: int  #: the training clip
    first: int  #: its first node in the clip
    nodes: int  #: how many nodes it has
    mirrored: bool  #: whether it is seen in a mirror
    reject: float  #: a match with a greater distance is not reported


class Model:
    """Actions that were learned from clips."""

    def __init__(self, model: Any, name: str, file: str | None, origin: dict[str, Any] | None = None) -> None:
        self._model = model
        #: The name or path by which it was loaded.
        self.name = name
        self._file = file
        self._hash: str | None = None
        #: The line of the program that makes the same file, for a model that was trained here.
        self.command: str | None = (origin or {}).get("command")
        #: Clips that could not be read and were left out of the training, and why.
        self.failed: list[str] = (origin or {}).get("failed", [])

    @property
    def classes(self) -> list[str]:
        """The names of the actions, by label."""
        return list(self._model.classes)

    @property
    def prototypes(self) -> list[Prototype]:
        """The chains that videos are matched with."""
        return [Prototype(*fields) for fields in self._model.prototypes]

    @property
    def options(self) -> dict[str, Any]:
        """How it finds points, compares and scores."""
        return dict(self._model.options)

    @property
    def facts(self) -> dict[str, str]:
        """How it was made: options, seed, counts."""
        return dict(self._model.facts)

    @property
    def hash(self) -> str:
        """SHA-256 of its file, or of the file that ``save()`` writes."""
        if self._hash is None:
            self._hash = file_hash(self._file) if self._file else hashlib.sha256(self._bytes()).hexdigest()
        return self._hash

    def save(self, path: Path) -> None:
        """Writes a safetensors file, which appears whole or not at all."""
        self._model.save(os.fspath(path))

    def _bytes(self) -> bytes:
        import tempfile

        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.safetensors")
            self.save(path)
            with open(path, "rb") as file:
                return file.read()

    def __eq__(self, other: object) -> bool:
        return self._bytes() == other._bytes() if isinstance(other, Model) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        origin = {"command": self.command, "failed": self.failed}
        return _model_of, (self._bytes(), self.name, self._file, origin)

    def __repr__(self) -> str:
        return f"Model({self.name!r}, {len(self.classes)} actions, {len(self.prototypes)} prototypes)"


def _model_of(data: bytes, name: str, file: str | None, origin: dict[str, Any]) -> Model:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.safetensors")
        with open(path, "wb") as out:
            out.write(data)
        return Model(_fovea.actions.read_model(path), name, file, origin)


def load_model(name: Path) -> Model:
    """Reads a shipped model by its name, such as ``weizmann``, or a model file."""
    file = model_path(name, "actions")
    return Model(_fovea.actions.read_model(file), os.fspath(name), file)


_EVENT_FIELDS = (
    "name",
    "label",
    "score",
    "first_frame",
    "last_frame",
    "start_seconds",
    "end_seconds",
    "xywh",
    "distance",
    "margin",
    "dummies",
    "prototype",
    "latency_frames",
    "path",
)


class Event(Result):
    """An action that was seen."""

    name: str  #: the action
    label: int  #: its index in the model's classes
    score: float  #: 1 for a match without any difference, 0 for one at the limit of what is reported
    first_frame: int
    last_frame: int
    start_seconds: float  #: when the first frame begins
    end_seconds: float  #: when the last frame ends
    xywh: tuple[float, float, float, float]  #: left, top, width and height of the box around the matched points
    distance: float  #: distance of the match per node
    margin: float  #: by which share of the distance the best other action is farther away
    dummies: int  #: nodes of the prototype that were not seen
    prototype: int  #: the prototype of the model that matched
    latency_frames: int  #: frames from the last one until the event was reported
    path: Ints  #: one row of frame and point per node; points are numbered within their frame, and -1 was not seen

    _compared = _EVENT_FIELDS

    def __init__(self, values: dict[str, Any], **origin: Any) -> None:
        super().__init__(origin["options"], origin["provenance"], origin["command"])
        for name in _EVENT_FIELDS:
            setattr(self, name, values[name])

    @property
    def xyxy(self) -> tuple[float, float, float, float]:
        """Left, top, right and bottom of the box."""
        x, y, width, height = self.xywh
        return x, y, x + width, y + height

    def _values(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in _EVENT_FIELDS}

    def __repr__(self) -> str:
        return f"{self.name} from {self.start_seconds:.2f} to {self.end_seconds:.2f} s, score {self.score:.2f}"


class Events(Table):
    """The actions of a whole video, in the order in which they became certain."""

    classes: list[str]  #: the actions that the model knows
    frames: int  #: how many frames the video has
    frame_rate: float  #: frames per second

    _compared = ("_events", "classes", "frames", "frame_rate")

    def __init__(self, events: list[Event], model: Model, **origin: Any) -> None:
        super().__init__(origin["options"], origin["provenance"], origin["command"])
        self._events = events
        self.classes = model.classes
        self.frames, self.frame_rate = origin["frames"], origin["frame_rate"]
        self._seconds = origin["seconds"]

    def __len__(self) -> int:
        return len(self._events)

    def __iter__(self) -> Iterator[Event]:
        return iter(self._events)

    @overload
    def __getitem__(self, index: int) -> Event: ...
    @overload
    def __getitem__(self, index: slice) -> list[Event]: ...
    def __getitem__(self, index: int | slice) -> Event | list[Event]:
        return self._events[index]

    def columns(self) -> dict[str, np.ndarray[Any, Any]]:
        """One row per event, with the names that the program's JSON has."""
        kinds = {"name": str, "label": np.int64, "score": np.float64}
        whole = ("first_frame", "last_frame", "dummies", "prototype", "latency_frames")
        columns: dict[str, np.ndarray[Any, Any]] = {}
        for name in _EVENT_FIELDS:
            if name == "path":
                continue
            values = [getattr(event, name) for event in self._events]
            if name == "xywh":
                boxes = np.array(values, np.float32).reshape(-1, 4)
                columns.update({side: boxes[:, i].copy() for i, side in enumerate(("x", "y", "width", "height"))})
            else:
                columns[name] = np.array(values, kinds.get(name, np.int64 if name in whole else np.float64))
        return columns

    def timeline(self) -> str:
        """A picture of all events over time as SVG, one row per action."""
        values = [event._values() for event in self._events]
        return str(_fovea.actions.timeline(values, self.classes, self.frames, self.frame_rate))

    def draw(self, image: Any, frame: int) -> Bytes:
        """An RGB copy of a frame with box and name of the events that include it."""
        values = [event._values() for event in self._events]
        drawn: Bytes = _fovea.actions.draw_events(image, values, frame)
        return drawn

    def __repr__(self) -> str:
        events = "1 event" if len(self) == 1 else f"{len(self)} events"
        made = f"{self.provenance['model']}, {self.provenance['device']}, {1000 * self._seconds:.0f} ms"
        return f"{events} in {self.frames} frames ({made})"

    def _repr_html_(self) -> str:
        return self.timeline()


class Recognizer:
    """Recognizes actions while they happen. Threads take turns; several recognizers run side by side.

    Frames that are pushed are one video until ``finish()``. A call that Ctrl-C interrupts has taken its frame, and the
    next call returns its events as well."""

    @takes_options(_fovea.actions.recognize_options())
    def __init__(self, model: Path | Model = "weizmann", **options: Unpack[ActionsRecognizeOptions]) -> None:
        """Takes the name of a shipped model, a model file or a Model."""
        self.model = model if isinstance(model, Model) else load_model(model)
        self._keywords: dict[str, Any] = dict(options)
        self._recognizer = _fovea.actions.Recognizer(self.model._model, self._keywords)
        self._options: dict[str, Any] = dict(self._recognizer.options)
        self._words = list(self._recognizer.words)

    @property
    def options(self) -> dict[str, Any]:
        """Every option with its value."""
        return dict(self._options)

    @property
    def latency(self) -> int:
        """How many frames pass until the points of a frame are known."""
        return int(self._recognizer.latency)

    @property
    def frames(self) -> int:
        """How many frames of the current video were pushed."""
        return int(self._recognizer.frames)

    @property
    def settled_frames(self) -> int:
        """How many frames of the current video, from the first, no later event will include."""
        return int(self._recognizer.settled_frames)

    @property
    def class_distances(self) -> dict[str, float]:
        """The distance of each action to what was seen last; infinite without a match."""
        distances = self._recognizer.class_distances
        return dict(zip(self.model.classes, distances.tolist() or [float("inf")] * len(self.model.classes)))

    def push(self, frame: Any) -> list[Event]:
        """Takes the next frame, an array of uint8, gray or RGB, and returns the events that have become certain."""
        return self._events(self._recognizer.push(frame), "VIDEO")

    def finish(self) -> list[Event]:
        """Ends the video and returns the remaining events. The next frame that is pushed begins another video."""
        return self._events(self._recognizer.finish(), "VIDEO")

    def stream(self, frames: VideoLike, progress: Progress = False) -> Iterator[Event]:
        """The events of a whole video, each as soon as it is certain. Frames that were pushed are no part of it.

        Where the video breaks off, the events up to there come first and the error after them."""
        return self._stream(_Source(frames), progress, [0])

    def recognize(self, frames: VideoLike, progress: Progress = False) -> Events:
        """All events of a whole video."""
        start = time.perf_counter()
        source, count = _Source(frames), [0]
        events = list(self._stream(source, progress, count))
        if count[0] == 0:
            raise FormatError(f"{source.name}: the video has no frames")
        return Events(
            events,
            self.model,
            frames=count[0],
            frame_rate=self._rate(source),
            seconds=time.perf_counter() - start,
            **self._origin(source.name),
        )

    def _rate(self, source: _Source) -> float:
        given = self._options["frame_rate"]
        return float(source.rate if given is None else given)

    def _stream(self, source: _Source, progress: Progress, count: list[int]) -> Iterator[Event]:
        recognizer = _fovea.actions.Recognizer(self.model._model, {**self._keywords, "frame_rate": self._rate(source)})
        broken: Error | None = None
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
                events = recognizer.push(frame)
                count[0] += 1
                if report:
                    report("frames", count[0], source.count or 0)
                yield from self._events(events, source.name)
            yield from self._events(recognizer.finish(), source.name)
        if broken is not None:
            raise broken

    def _origin(self, name: str) -> dict[str, Any]:
        provenance = {
            "device": self._options["device"],
            "seed": self._options["seed"],
            "model": self.model.name,
            "model_hash": self.model.hash,
        }
        model = self.model.name if self.model._file else "MODEL.safetensors"
        command = command_line("fovea", "actions", "recognize", name, "--model", model, *self._words)
        return {"options": self.options, "provenance": provenance, "command": command}

    def _events(self, found: list[dict[str, Any]], name: str) -> list[Event]:
        return [Event(values, **self._origin(name)) for values in found]

    def __reduce__(self) -> tuple[Any, ...]:
        if self.frames > 0:
            raise InvalidArgument(f"the recognizer has taken {self.frames} frames; call finish() before pickling it")
        return _recognizer_of, (self.model, self._keywords)

    def __repr__(self) -> str:
        return f"Recognizer({self.model.name!r}, {self._options['mode']}, device {self._options['device']!r})"


def _recognizer_of(model: Model, keywords: dict[str, Any]) -> Recognizer:
    return Recognizer(model, **keywords)


@takes_options(_fovea.actions.recognize_options())
def recognize(
    frames: VideoLike,
    model: Path | Model = "weizmann",
    *,
    progress: Progress = False,
    **options: Unpack[ActionsRecognizeOptions],
) -> Events:
    """All actions of a single video: a Recognizer that is used once."""
    return Recognizer(model, **options).recognize(frames, progress)


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
        _fovea.actions.save_points(os.fspath(path), self._values())

    def draw(self, image: Any, frame: int) -> Bytes:
        """An RGB copy of a frame with a circle around each of its points."""
        drawn: Bytes = _fovea.actions.draw_points(image, self._values(), frame)
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
    columns = _fovea.actions.read_points(os.fspath(path))
    provenance = {"device": None, "seed": None, "file": os.fspath(path)}
    return Points(dict(columns), options={}, provenance=provenance, command="", seconds=time.perf_counter() - start)


def _names(values: Any, name: str, count: int) -> list[str]:
    """One text per clip."""
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise InvalidType(f"{name} is of type {type(values).__name__}; expected one text per clip")
    texts = [str(value) for value in values]
    if len(texts) != count:
        raise InvalidArgument(f"{name} has {len(texts)} elements for {count} clips; expected one each")
    return texts


class _Load(NamedTuple):
    """How clips are read."""

    paper: bool
    cut_first: bool
    on_error: str


def _clips(
    source: Any, labels: Any, subjects: Any, load: _Load, keywords: dict[str, Any], report: Any
) -> tuple[Any, list[str]]:
    """The clips with their points, and why some could not be read."""
    if load.on_error not in ("raise", "warn"):
        raise InvalidArgument(f"on_error is {load.on_error!r}; expected 'raise' or 'warn'")
    clips = _fovea.actions.Clips()
    if is_path(source):
        if labels is not None or subjects is not None:
            raise InvalidArgument("labels and subjects belong to a list of clips; a folder or list file has its own")
        clips.open(os.fspath(source))
    else:
        _add(clips, source, labels, subjects, load, keywords)
    failed = list(clips.read(keywords, load.paper, load.cut_first, report))
    if failed and load.on_error == "raise":
        raise FormatError(failed[0])
    for why in failed:
        warnings.warn(f"a clip could not be read and is left out: {why}", RuntimeWarning, stacklevel=4)
    return clips, failed


def _add(clips: Any, source: Any, labels: Any, subjects: Any, load: _Load, keywords: dict[str, Any]) -> None:
    if not isinstance(source, Iterable):
        raise InvalidType(f"clips is of type {type(source).__name__}; expected a path, or a list of videos or Points")
    videos = list(source)
    if labels is None:
        raise InvalidArgument("labels is None; expected the name of the action of each clip")
    names = _names(labels, "labels", len(videos))
    people = [f"clip{i}" for i in range(len(videos))] if subjects is None else _names(subjects, "subjects", len(videos))
    classes = sorted(set(names))
    clips.set_classes(classes)
    finder = None
    for video, name, person in zip(videos, names, people):
        label = classes.index(name)
        if isinstance(video, Points):
            clips.add_points(video._values(), label, person)
        elif is_path(video):
            clips.add_file(os.fspath(video), label, person)
        else:
            finder = finder or _fovea.actions.clip_finder(keywords, load.paper)
            clips.add_points(_found(finder, _Source(video), False), label, person)


@takes_options(_fovea.actions.train_options())
def train(
    clips: Any,
    labels: Sequence[str] | None = None,
    subjects: Sequence[str] | None = None,
    *,
    paper: bool = False,
    cut_first: bool = False,
    on_error: Literal["raise", "warn"] = "raise",
    progress: Progress = False,
    **options: Unpack[ActionsTrainOptions],
) -> Model:
    """Learns actions from short clips that show one action each.

    ``clips`` is a folder that has one folder of videos per action, with files named SUBJECT_anything, a list file with
    lines "file class subject [first-last [scenario]]", or a list of videos or Points, with the ``labels`` of their
    actions and, where they are known, their ``subjects``; otherwise each clip counts as a subject of its own. ``paper``
    starts from the paper's options instead of the defaults. ``cut_first`` cuts clips out of their videos before points
    are found. With ``on_error="warn"`` clips that cannot be read are left out with a warning. The same clips, options
    and seed give the same model on any device and with any number of threads."""
    keywords: dict[str, Any] = dict(options)
    with reporting(progress) as report:
        loaded, failed = _clips(clips, labels, subjects, _Load(paper, cut_first, on_error), keywords, report)
        model, _, words = loaded.train(keywords, paper, report)
    name = os.fspath(clips) if is_path(clips) else "CLIPS"
    flags = ["--cut-first"] if cut_first else []
    command = command_line("fovea", "actions", "train", name, "-o", "MODEL.safetensors", *flags, *words)
    return Model(model, "trained", None, {"command": command, "failed": failed})


class Method:
    """How often one method was right."""

    _fields = ("method", "tested", "correct", "accuracy", "low", "high", "unclassified")

    def __init__(self, values: dict[str, Any]) -> None:
        self.method: str = values["method"]  #: its name
        self.tested: int = values["tested"]  #: clips
        self.correct: int = values["correct"]  #: clips that were classified correctly
        self.accuracy: float = values["accuracy"]
        self.low: float = values["low"]  #: Wilson's 95 % interval of the accuracy
        self.high: float = values["high"]
        self.unclassified: int = values["unclassified"]  #: clips without any match, which do not count as correct
        self.seconds: float = values["seconds"]
        #: Clips by true action and by predicted action.
        self.confusion: np.ndarray[Any, np.dtype[np.int64]] = values["confusion"]
        self.labels: Ints = values["labels"]  #: the predicted label of each clip, or -1

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Method):
            return NotImplemented
        same = all(getattr(self, name) == getattr(other, name) for name in self._fields)
        return same and np.array_equal(self.confusion, other.confusion) and np.array_equal(self.labels, other.labels)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"{self.method}: {self.correct} of {self.tested} correct, {100 * self.accuracy:.1f} %"


class Evaluation(Table):
    """How often actions are classified correctly. As a table it has one row per method; matching comes first."""

    methods: list[Method]  #: matching, matching with fusion, and simpler methods
    recipes: list[Method]  #: each recipe in all folds; the best of them is hindsight
    chosen: list[str]  #: the recipe that each fold chose
    fused_chosen: list[str]  #: the recipe with fusion that each fold chose
    classes: list[str]
    subjects: list[str]
    folds: int
    clips: int
    failed: list[str]  #: clips that could not be read, and why

    _compared = ("methods", "recipes", "chosen", "fused_chosen", "classes", "subjects", "folds", "clips", "failed")

    def __init__(self, report: dict[str, Any], loaded: Any, failed: list[str], command: str) -> None:
        options = dict(report["options"])
        super().__init__(options, {"device": options["device"], "seed": options["seed"]}, command)
        self.methods = [Method(values) for values in report["methods"]]
        self.recipes = [Method(values) for values in report["recipes"]]
        self.chosen, self.fused_chosen = list(report["chosen"]), list(report["fused_chosen"])
        self.folds = int(report["folds"])
        self.classes, self.subjects = list(loaded.classes), list(loaded.subjects)
        self.clips, self.failed = len(loaded), failed

    @property
    def accuracy(self) -> float:
        """The share of clips that the first method, matching, classified correctly."""
        return self.methods[0].accuracy

    @property
    def confusion(self) -> np.ndarray[Any, np.dtype[np.int64]]:
        """The clips of the first method by true action and by predicted action."""
        return self.methods[0].confusion

    def columns(self) -> dict[str, np.ndarray[Any, Any]]:
        """method, correct, tested, accuracy, low, high and seconds."""
        names = ("method", "correct", "tested", "accuracy", "low", "high", "seconds")
        return {name: np.array([getattr(method, name) for method in self.methods]) for name in names}

    def __repr__(self) -> str:
        return f"{self.methods[0]!r} ({self.clips} clips, {self.folds} folds)"


@takes_options(_fovea.actions.evaluate_options())
def evaluate(
    clips: Any,
    labels: Sequence[str] | None = None,
    subjects: Sequence[str] | None = None,
    *,
    test_subjects: Sequence[str] | None = None,
    choose: bool = True,
    paper: bool = False,
    cut_first: bool = False,
    on_error: Literal["raise", "warn"] = "raise",
    progress: Progress = False,
    **options: Unpack[ActionsEvaluateOptions],
) -> Evaluation:
    """Measures how often actions are classified correctly, and simpler methods in the same run.

    ``clips``, ``labels`` and ``subjects`` are those of train(). Each subject is left out in turn, or with
    ``test_subjects`` these are tested and the others trained on. With ``choose`` each fold chooses features and scores
    from a fixed pool; without it, or with ``paper``, those of the options are used."""
    keywords: dict[str, Any] = dict(options)
    ours = {name: value for name, value in keywords.items() if name != "baselines"}
    if isinstance(test_subjects, str):
        raise InvalidType("test_subjects is a text; expected a list of subjects")
    tested = [str(name) for name in test_subjects or ()]
    plan = {"paper": paper, "choose": choose, "test_subjects": tested}
    with reporting(progress) as report:
        loaded, failed = _clips(clips, labels, subjects, _Load(paper, cut_first, on_error), ours, report)
        found = loaded.evaluate(keywords, plan, report)
    words = list(found["words"])
    words += ["--protocol", "split", "--test-subjects", ",".join(tested)] if tested else []
    words += [] if choose and not paper else ["--no-choose"]
    words += ["--cut-first"] if cut_first else []
    name = os.fspath(clips) if is_path(clips) else "CLIPS"
    return Evaluation(dict(found), loaded, failed, command_line("fovea", "actions", "eval", name, *words, "--json"))
