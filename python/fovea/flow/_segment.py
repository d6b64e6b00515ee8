"""Regions of like motion."""

from __future__ import annotations

import csv
import io
import time
from typing import Any, NamedTuple

import numpy as np

from .. import _fovea
from .._arguments import counted, path_of, unmasked
from .._batch import Results
from .._frames import Frames, VideoLike, name_of, one_by_one, rgb
from .._keywords import takes_options
from .._notebook import png_of
from .._operation import origin_of
from .._options import FlowSegmentFieldOptions, FlowSegmentOptions, Unpack
from .._progress import Progress
from .._records import FlowEvaluateSegmentsFields as _Agreement
from .._records import FlowSegmentFields as _Segments
from .._results import Boxed, Record, Table, command_line, described
from .._rules import in_its_colors
from ..errors import InvalidArgument
from ..files import Path, is_path
from ._estimate import Bytes, Estimator, FieldLike, Flow, field_of, stored

Labels = np.ndarray[Any, np.dtype[np.uint16]]


class _MotionRegion(NamedTuple):
    label: int  #: as in ``labels``
    layer: int  #: regions of one layer share their motion; 0 is the largest layer
    box: tuple[int, int, int, int]  #: x, y, width and height
    pixels: int  #: how many pixels it has
    share: float  #: of all pixels
    u: float  #: mean motion to the right, in pixels
    v: float  #: mean motion downward
    residual: float  #: median distance in pixels between the flow and the motion
    motion: tuple[float, float, float, float, float, float]  #: a0, a1, a2, b0, b1 and b2


class MotionRegion(_MotionRegion, Boxed):
    """A connected region whose motion is affine: u = a0 + a1 x + a2 y and v = b0 + b1 x + b2 y."""

    __slots__ = ()


@described(_fovea.flow.segment_fields(), rows="regions")
class MotionSegments(Table, _Segments):
    """An image divided into regions of like motion. As an array it is its labels, as a table it has one row per region."""

    flow: Flow | None = None  #: the motion that was divided, where it was estimated
    frame: int | None = None  #: number of the frame, for a video

    def _take(self, values: dict[str, Any]) -> None:
        super()._take(values)
        self.__dict__["motion"] = np.array(self.motion, np.float64).reshape(-1, 6)

    @property
    def regions(self) -> list[MotionRegion]:  # type: ignore[override]  # the columns of the program's table
        """The regions one by one, the largest first."""
        rows: Any = zip(*(getattr(self, name).tolist() for name in MotionRegion._fields))
        return [MotionRegion._make(tuple(each) if isinstance(each, list) else each for each in row) for row in rows]

    @property
    def tolerance(self) -> float:
        """Distance in pixels between flow and motion that was allowed: ``tolerance_used``."""
        return self.tolerance_used

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        return self.labels.astype(dtype or np.uint16, copy=bool(copy))

    def columns(self) -> dict[str, np.ndarray[Any, Any]]:
        """The columns of the program's table, one row per region: box, pixels, motion and what it is made of."""
        frame = np.full(len(self), self.frame or 0, np.int64)
        motion = np.asarray(self.motion)
        terms = {name: motion[:, i].copy() for i, name in enumerate(("a0", "a1", "a2", "b0", "b1", "b2"))}
        return {"frame": frame, **super().columns(), **terms}

    @in_its_colors
    def draw(self, image: Any = None) -> Bytes:
        """The regions in colors with dark borders, over the image where it is given: an array of uint8 or a path."""
        return _fovea.flow.segments_picture(self.labels, None if image is None else rgb(image))

    def save(self, path: Path) -> None:
        """Writes the labels as an image of 16 bits (.png, .npy or .tif), or the table of regions as .csv."""
        if not path_of(path).lower().endswith(".csv"):
            _fovea.files.write_image(path_of(path), self.labels, {})
            return
        columns, lines = self.columns(), io.StringIO()
        table = csv.writer(lines, lineterminator="\n")
        table.writerow(columns)
        table.writerows(zip(*(column.tolist() for column in columns.values())))
        _fovea.files.write_text(path_of(path), lines.getvalue())

    def __len__(self) -> int:
        return len(self.label)

    def __repr__(self) -> str:
        height, width = self.labels.shape
        found = f"{counted(len(self), 'region')} of {counted(self.layers, 'motion')}"
        return f"{found} in {width}x{height} ({1000 * self._seconds:.0f} ms)"

    def _repr_png_(self) -> bytes:
        return png_of(self, self.draw())


class _Divider:
    """What a call of the program does: estimates motion that knows what is hidden, and divides it."""

    def __init__(self, options: dict[str, Any]) -> None:
        used, words, estimation = _fovea.flow.settings_of_segment(options)
        self.options: dict[str, Any] = dict(used)
        self.words: list[str] = list(words)
        self._estimator = Estimator(**estimation)
        own = {entry["name"] for entry in _fovea.flow.segment_field_options()}
        self._keywords = {name: value for name, value in self.options.items() if name in own and name != "device"}

    def divided(self, first: Any, second: Any) -> tuple[Any, Flow]:
        flow = self._estimator.estimate(first, second).numpy()
        planes = (flow.u, flow.v, None, flow.confidence)
        return _fovea.flow.segment(planes, _fovea.flow.image_bytes(first), self._keywords), flow

    def result(self, found: Any, flow: Flow, inputs: list[str], start: float) -> MotionSegments:
        origin = origin_of(self.options, ("flow", "segment", *inputs, *self.words), start)
        return MotionSegments(**origin, values=found.take(), flow=flow)


@takes_options(_fovea.flow.segment_options())
def segment(first: Any, second: Any, **options: Unpack[FlowSegmentOptions]) -> MotionSegments:
    """Divides an image into connected regions whose motion to the second image is affine.

    Images are arrays of uint8, uint16 or float32 in host memory, or paths. The flow may be estimated on a GPU; the
    division is done on the CPU."""
    start = time.perf_counter()
    divider = _Divider(dict(options))
    found, flow = divider.divided(stored(first), stored(second))
    inputs = [name_of(first, "FIRST"), name_of(second, "SECOND"), "-o", "LABELS.png"]
    return divider.result(found, flow, inputs, start)


@takes_options(_fovea.flow.segment_options())
def segment_video(
    source: VideoLike, *, progress: Progress = False, **options: Unpack[FlowSegmentOptions]
) -> Results[MotionSegments]:
    """Divides each frame but the last by its motion to the next. A region keeps its label while it overlaps itself.

    The source is a file, a folder of images, or frames as arrays or paths. ``command`` writes one image of labels per
    frame."""
    divider, frames = _Divider(dict(options)), Frames(source)
    images = frames.paths if len(frames.paths) > 2 else [frames.name]
    inputs = [*images, "-o", "LABELS"]
    last: tuple[Any, int] | None = None
    labels = _fovea.flow.LabelKeeper()

    def follow(frame: Any, number: int) -> MotionSegments | None:
        nonlocal last
        start = time.perf_counter()
        pixels = rgb(frame) if is_path(frame) else frame
        earlier, last = last, (pixels, number)
        if earlier is None:
            return None
        found, flow = divider.divided(earlier[0], pixels)
        labels.label(found)
        segments = divider.result(found, flow, inputs, start)
        segments.frame = flow.frame = earlier[1]
        return segments

    count = None if frames.count is None else max(0, frames.count - 1)
    return one_by_one(frames, follow, progress, MotionSegments, count)


@takes_options(_fovea.flow.segment_field_options())
def segment_field(flow: FieldLike, image: Any = None, **options: Unpack[FlowSegmentFieldOptions]) -> MotionSegments:
    """Divides a field that is there already: a Flow, (u, v), (u, v, confidence), or a file.

    The image, an array of uint8 or a path, draws borders to its edges."""
    start = time.perf_counter()
    u, v, confidence, known = field_of(flow, "flow", "confidence")
    found = _fovea.flow.segment((u, v, known, confidence), None if image is None else rgb(image), dict(options))
    every, words, _ = _fovea.flow.settings_of_segment({**options, "device": "cpu"})
    inputs = [name_of(flow, "FIELD.npy"), "-o", "LABELS.png"]
    if image is not None:
        inputs += ["--image", name_of(image, "IMAGE.png")]
    own = {entry["name"]: every[entry["name"]] for entry in _fovea.flow.segment_field_options()}
    origin = origin_of(own, ("flow", "segment", *inputs, *words), start, device="cpu")
    return MotionSegments(**origin, values=found.take(), flow=flow if isinstance(flow, Flow) else None)


@described(_fovea.flow.evaluate_segments_fields())
class SegmentsEvaluation(Record, _Agreement):
    """How well two divisions of an image agree. Its values are attributes, and can be read as from a dictionary."""

    def __repr__(self) -> str:
        return f"Rand index {self.rand_index:.4f}, adjusted {self.adjusted_rand_index:.4f}, covering {self.covering:.4f}"


def _labels(value: Any, name: str) -> Any:
    """Labels of uint16; images of 8 bits and truth values are widened."""
    if isinstance(value, MotionSegments):
        return value.labels
    labels = unmasked(stored(value), name)
    if isinstance(labels, np.ndarray) and labels.dtype in (np.uint8, np.bool_) and labels.ndim == 2:
        return labels.astype(np.uint16)
    return labels


def evaluate_segments(labels: Any, truth: Any) -> SegmentsEvaluation:
    """Compares a division with the true one. Pixels whose true label is 0 are left out.

    Both are MotionSegments, arrays of uint8 or uint16, or files of labels. The program divides the pair itself:
    ``command`` takes both images."""
    if truth is None:
        raise InvalidArgument("truth is None; expected labels")
    report = _fovea.flow.evaluate_segments(_labels(labels, "labels"), _labels(truth, "truth"))
    made = labels.command if isinstance(labels, MotionSegments) else "fovea flow segment FIRST SECOND"
    words = command_line("--truth", name_of(truth, "TRUTH.png"), "--json")
    return SegmentsEvaluation({}, {"device": "cpu", "seed": None}, f"{made} {words}", report)
