"""The motion of every pixel between two images, or along a video."""

from __future__ import annotations

import copy
import os
import re
import time
from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple, Union, overload

import numpy as np

from .. import _fovea
from .._arguments import flag, number_of, path_of, refuse_several, shown, unmasked, whole_number, word
from .._batch import Results
from .._explanation import Explanation
from .._frames import Frames, VideoLike, mask_of, name_of, one_by_one, plain, rgb
from .._keywords import takes_options
from .._notebook import png_of
from .._operation import Face
from .._options import FlowEstimateOptions, FlowEvaluateOptions, FlowSaveOptions, FlowWriteOptions, Unpack
from .._progress import Progress
from .._results import Record, Result, command_line, described
from .._rules import in_its_colors
from ..errors import InvalidArgument, InvalidType
from ..files import Path, is_path, write_image

Floats = np.ndarray[Any, np.dtype[np.float32]]
Bytes = np.ndarray[Any, np.dtype[np.uint8]]


@described(_fovea.flow.estimate_fields())
class Flow(Result):
    """A field of motion: pixel (x, y) of the first image is found at (x + u, y + v) of the second."""

    # NumPy arrays, or DeviceArrays where the images were on a GPU.
    u: Any  #: motion to the right in pixels, float32 of shape (height, width)
    v: Any  #: motion downward in pixels
    confidence: Any  #: from 0, a guess, to 1
    known: Any = None  #: the mask that was given, uint8 of shape (height, width), or None
    frame: int | None = None  #: number of the first frame, for a video

    _compared = ("known",)

    #: The options as words of ``flow eval``.
    _words: Sequence[str] = ()

    @property
    def shape(self) -> tuple[int, int]:
        """Height and width."""
        return self.u.shape[0], self.u.shape[1]

    def numpy(self) -> Flow:
        """The same with arrays of the CPU: itself where they are such already."""
        if isinstance(self.u, np.ndarray):
            return self
        here = copy.copy(self)
        here.u, here.v, here.confidence = self.u.numpy(), self.v.numpy(), self.confidence.numpy()
        return here

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        """u and v in one array of shape (height, width, 2)."""
        here = self.numpy()
        return np.stack([here.u, here.v], axis=2).astype(dtype or np.float32, copy=False)

    @in_its_colors
    def to_color(self, longest: float | None = None) -> Bytes:
        """The field in the colors of Middlebury's wheel: the hue is the direction, the saturation the length.

        Motion of ``longest`` pixels has the full color; without it, the longest of the field has."""
        here = self.numpy()
        most = None if longest is None else number_of(longest, "longest")
        return _fovea.flow.wheel(here.u, here.v, None, most)

    @in_its_colors
    def arrows(self, first: Any) -> Bytes:
        """Arrows over the first image."""
        here = self.numpy()
        return _fovea.flow.arrows(stored(first), here.u, here.v)

    @in_its_colors
    def warp(self, second: Any) -> Bytes:
        """The second image warped back along the flow; where the flow is right it looks like the first one."""
        here = self.numpy()
        return _fovea.flow.warp(stored(second), here.u, here.v)

    @in_its_colors
    def confidence_picture(self) -> Bytes:
        """The confidence from 0, dark, to 1, bright."""
        return _fovea.flow.confidence_picture(self.numpy().confidence)

    @in_its_colors
    @takes_options(_fovea.flow.save_options(), rules=())
    def save(
        self, path: Path, *, output: Literal["output", "picture"] = "output", **options: Unpack[FlowSaveOptions]
    ) -> None:
        """Writes the motion itself: .flo, .png, .pfm, .npy or .tif, the last three with the confidence as a third channel.

        A .png is no picture to look at but KITTI's file of flow, 16 bits per channel; ``output="picture"`` writes a picture in
        the colors of ``to_color()``, for which there are no options. Pixels that the mask leaves out are written as unknown, and so are guesses in
        KITTI's PNG."""
        if word(output, "output", ("output", "picture")) == "output":
            here = self.numpy()
            _fovea.flow.write(path_of(path), (here.u, here.v, here.known, here.confidence), dict(options), "save")
        elif options:
            raise InvalidArgument(f"{next(iter(options))} is no option of a picture; draw it by to_color()")
        else:
            write_image(path_of(path), self.to_color())

    def __repr__(self) -> str:
        height, width = self.shape
        here = self.numpy()
        motion = float(np.mean(np.hypot(here.u, here.v)))
        made = f"{self.options['method']}, {self.provenance['device']}, {1000 * self._seconds:.0f} ms"
        return f"flow of {width}x{height}, mean motion {motion:.2f} px ({made})"

    def _repr_png_(self) -> bytes:
        return png_of(self, self.to_color())


class FlowExplanation(Explanation):
    """Why a pixel has its flow, and what its confidence is made of."""

    u: float  #: as ``Estimator.estimate()`` gives them
    v: float
    confidence: float
    refined: bool  #: refinement or fusion changed what the method found
    level: int  #: the level whose confidence this is: 0 is the whole size, 1 half of it
    difference_before: float  #: mean gray difference of the window without motion
    difference_after: float  #: and with it
    before: Floats  #: the differences, second image less first
    after: Floats
    eigenvalues: tuple[float, float]  #: of the structure tensor, the greater first
    tensor: tuple[float, float, float]  #: xx, xy and yy
    uncertain: tuple[float, float]  #: direction in which the flow is least certain
    factors: list[tuple[str, float, str]]  #: name, value and reason; their product is the confidence
    doubts: list[tuple[str, float, str]]  #: of Lucas-Kanade: the confidence is 2 / (2 + their product)
    doubt: float
    nearest: float  #: confidence of the nearest estimated pixel or block, which the factors explain
    surface: dict[str, Any] | None  #: where blocks were matched: their scores over displacements


def _words(words: list[str]) -> tuple[str, list[str]]:
    """The verb of the program and its options: lk and bm are verbs, and their options have no prefix there."""
    method = "lk"
    rest: list[str] = []
    pairs = iter(words)
    for word in pairs:
        if word == "--method":
            method = next(pairs)
        else:
            rest.append(word)
    return method, [re.sub("^(--|--no-)(lk|bm)-", r"\1", word) for word in rest]


def stored(image: Any, every: str = "") -> Any:
    """An image as the program reads it for flow: with its own type, as it is stored. ``every`` is the method for all images
    in a folder."""
    refuse_several(image, every)
    return _fovea.files.read_image(path_of(image), {"orientation": "ignore"}) if is_path(image) else plain(image)


def _drawable(image: Any) -> Any:
    """The image where it can be drawn on, which are bytes of one channel or three; else None."""
    array = np.asanyarray(image)
    return array if array.dtype == np.uint8 and (array.ndim == 2 or array.shape[2] in (1, 3)) else None


def _mask_words(mask: Any) -> list[str]:
    return [] if mask is None else ["--mask", "alpha" if _is_alpha(mask) else name_of(mask, "MASK")]


def _is_alpha(mask: Any) -> bool:
    return isinstance(mask, str) and mask == "alpha"


def _without_alpha(image: Any, name: str) -> tuple[Any, Bytes]:
    """An image without its last channel, the opacity, and 255 where that is not 0."""
    pixels = unmasked(stored(image), name)
    shape: tuple[int, ...] = tuple(getattr(pixels, "shape", ()))
    if len(shape) != 3 or shape[2] not in (2, 4):
        came = f"of shape {shape}" if shape else shown(image)
        raise InvalidArgument(f"{name} is {came}; mask='alpha' needs images with 2 or 4 channels, the last for opacity")
    if not isinstance(pixels, np.ndarray):
        raise InvalidType(f"{name} is of type {type(pixels).__name__}; mask='alpha' needs arrays of NumPy")
    colors = pixels[:, :, 0] if shape[2] == 2 else pixels[:, :, :3]
    # Files are RGB whatever the order of colors is, and arrays know whether they come from one.
    return np.ascontiguousarray(colors).view(type(pixels)), np.where(pixels[:, :, -1] > 0, np.uint8(255), np.uint8(0))


def _images(source: VideoLike) -> VideoLike:
    """The paths of a folder's images, whose opacity counts; what is no path stays as it is."""
    if not is_path(source):
        return source
    folder = path_of(source, "source")
    if not os.path.isdir(folder):
        raise InvalidArgument(f"{folder} is no folder of images; mask='alpha' takes images with an alpha channel")
    return _fovea.files.image_paths(folder)


class Estimator(Face):
    """Estimates the flow of pairs of images, or along a video. Threads take turns; several estimators run side by side."""

    @takes_options(_fovea.flow.estimate_options())
    def __init__(self, **options: Unpack[FlowEstimateOptions]) -> None:
        """Makes an estimator."""
        self._begin(_fovea.flow.Estimator(dict(options)), options)
        self._raw_words = self._words
        self._verb, self._words = _words(self._raw_words)
        # The masks of the frame that was pushed last, and of the one before an interrupted one.
        self._known_before: Any = None
        self._known_interrupted: Any = None

    def estimate(self, first: Any, second: Any, mask: Any = None, second_mask: Any = None) -> Flow:
        """The flow from the first image to the second, which has the same size and type: uint8, uint16 or float32.

        Pixels where the mask is 0 get flow and confidence 0 and do not influence their neighbors; where the second
        image has a mask too, its pixels are not compared. ``mask="alpha"`` leaves out the transparent pixels of each
        image. Images and masks may be paths; files are not turned as EXIF says."""
        start = time.perf_counter()
        if _is_alpha(mask):
            if second_mask is not None:
                raise InvalidArgument("second_mask is given beside mask='alpha', which has the masks of both images")
            one, known = _without_alpha(first, "first")
            other, there = _without_alpha(second, "second")
        else:
            one, other = (stored(image, "video() of an Estimator") for image in (first, second))
            known, there = mask_of(mask), mask_of(second_mask)
        planes = self._face.estimate(one, other, known, there)
        inputs = [name_of(first, "FIRST"), name_of(second, "SECOND"), "-o", "FLOW.flo", *_mask_words(mask)]
        return self._flow(planes, inputs, known, start)

    def explain(self, first: Any, second: Any, x: int, y: int) -> FlowExplanation:
        """Why pixel (x, y) of the first image has its flow and its confidence. The CPU estimates the whole field for it."""
        one = stored(first)
        found = self._face.explain(one, stored(second), whole_number(x, "x"), whole_number(y, "y"))
        return FlowExplanation(found, _drawable(one))

    def push(self, frame: Any, mask: Any = None) -> Flow | None:
        """Takes the next frame of a video and returns the flow from the frame before it, or None for the first one.

        ``mask="alpha"`` leaves out its transparent pixels. A call that Ctrl-C interrupts has taken its frame, and
        ``interrupted()`` returns its flow."""
        pixels, known = _without_alpha(frame, "frame") if _is_alpha(mask) else (stored(frame), mask_of(mask))
        return self._pushed(pixels, known, ["VIDEO", "-o", "FLOWS", *_mask_words(mask)])

    def interrupted(self) -> Flow | None:
        """The flow of a ``push()`` that Ctrl-C interrupted, once, until the next frame is pushed."""
        planes = self._face.take_interrupted()
        if planes is None:
            return None
        return self._flow(planes, ["VIDEO", "-o", "FLOWS"], self._known_interrupted, time.perf_counter())

    def finish(self) -> None:
        """Ends the video; the next frame that is pushed begins a new one."""
        self._known_before = None
        self._face.finish()

    def video(self, source: VideoLike, *, mask: Any = None, progress: Progress = False) -> Results[Flow]:
        """The flow from each frame to the next. The source is a file, a folder of images, or frames as arrays or paths.

        ``command`` writes one file per flow, named by the number of its first frame."""
        alpha = _is_alpha(mask)
        frames, outline = Frames(_images(source) if alpha else source), None if alpha else mask_of(mask)
        # Two images would be a pair for the program, which is another task where there is a mask.
        images = [name_of(source, "VIDEO")] if len(frames.paths) < 3 or is_path(source) else frames.paths
        inputs = [*images, "-o", "FLOWS", *_mask_words(mask)]

        before = -1

        def follow(frame: Any, number: int) -> Flow | None:
            nonlocal before
            # The program reads the images of a video in RGB.
            pixels, known = rgb(frame) if is_path(frame) and not alpha else frame, outline
            if alpha:
                pixels, known = _without_alpha(frame, "frame")
                pixels = _fovea.flow.image_bytes(pixels) if is_path(frame) else pixels
            flow = self._pushed(pixels, known, inputs)
            if flow is not None:
                flow.frame = before
            before = number
            return flow

        count = None if frames.count is None else max(0, frames.count - 1)
        flows = one_by_one(frames, follow, progress, Flow, count)
        flows._steps = self._along(flows._steps)
        return flows

    def _along(self, flows: Iterator[tuple[int, Flow]]) -> Iterator[tuple[int, Flow]]:
        self.finish()
        try:
            yield from flows
        finally:
            self.finish()

    def _pushed(self, frame: Any, known: Any, inputs: list[str]) -> Flow | None:
        start = time.perf_counter()
        before = self._known_before
        try:
            planes = self._face.push(frame, known)
        except KeyboardInterrupt:  # the frame was taken
            self._known_before, self._known_interrupted = known, before
            raise
        self._known_before = known
        return None if planes is None else self._flow(planes, inputs, before, start)

    def _flow(self, planes: dict[str, Any], inputs: list[str], mask: Any, start: float) -> Flow:
        known = None if mask is None else np.where(np.asarray(mask) != 0, np.uint8(255), np.uint8(0))
        origin = self._origin("flow", self._verb, *inputs, start=start)
        return Flow(**origin, values=planes, known=known, _words=self._raw_words)

    def __repr__(self) -> str:
        return f"Estimator({self._options['method']}, {self._options['quality']}, device {self._options['device']!r})"


@takes_options(_fovea.flow.estimate_options())
def estimate(
    first: Any, second: Any, mask: Any = None, second_mask: Any = None, **options: Unpack[FlowEstimateOptions]
) -> Flow:
    """The flow of a single pair: an Estimator that is used once. ``mask="alpha"`` leaves out transparent pixels.

    >>> texture = np.kron(np.random.default_rng(1).integers(0, 255, (12, 16)), np.ones((8, 8)))
    >>> flow = fovea.flow.estimate(texture, np.roll(texture, 2, axis=1))
    >>> round(float(np.median(flow.u)), 1)
    2.0"""
    return Estimator(**options).estimate(first, second, mask, second_mask)


@overload
def read(path: Path, confidence: Literal[False] = False) -> tuple[Floats, Floats, Bytes]: ...


@overload
def read(path: Path, confidence: Literal[True]) -> tuple[Floats, Floats, Bytes, Floats | None]: ...


def read(path: Path, confidence: bool = False) -> tuple[Any, ...]:
    """Reads a field from .flo, KITTI's PNG, PFM, .npy or TIFF: u, v, and 255 where the motion is known.

    With ``confidence`` a fourth array has the confidence from 0 to 1, or is None where the file holds none."""
    four = flag(confidence, "confidence")
    everything: tuple[Any, ...] = _fovea.flow.read(path_of(path))
    return everything if four else everything[:3]


@takes_options(_fovea.flow.write_options(), rules=("strict",))
def write(
    path: Path, u: Any, v: Any, known: Any = None, confidence: Any = None, **options: Unpack[FlowWriteOptions]
) -> None:
    """Writes a field as .flo, .png (KITTI), .pfm, .npy or .tif. The file appears whole or not at all.

    The last three hold the confidence, float32 from 0 to 1, as a third channel, and KITTI's PNG marks vectors of little
    confidence as not valid."""
    _fovea.flow.write(path_of(path), (u, v, mask_of(known), confidence), dict(options), "write")


class Errors(NamedTuple):
    """How far a flow is from the true one, over some pixels."""

    pixels: int  #: how many pixels count
    endpoint: float  #: mean distance between the ends of the estimated and the true vector, in pixels
    angular: float  #: mean angle between both in space and time, in degrees
    r05: float  #: share of pixels with an endpoint error above half a pixel
    r1: float  #: the same above 1 pixel
    r2: float  #: the same above 2 pixels
    fl: float  #: the outliers of KITTI: above 3 pixels and 5 % of the motion


@described(_fovea.flow.evaluate_fields())
class Evaluation(Record):
    """How well a flow agrees with the true one. Its values are attributes, and can be read as from a dictionary."""

    all: Errors  #: over all pixels whose true motion is known
    confident: Errors  #: over those of them that are confident
    density: float  #: share of the known pixels that have a flow
    confident_share: float  #: share of the known pixels that are confident
    sparsification_error: float  #: how far confidence is from predicting the errors
    #: one row per point of the curve: share of pixels left out, endpoint error of the others, and that of the oracle
    curve: np.ndarray[Any, np.dtype[np.float64]]

    def _take(self, values: dict[str, Any]) -> None:
        super()._take(values)
        self.all, self.confident = Errors(*values["all"].values()), Errors(*values["confident"].values())
        self.curve = np.stack(list(values["curve"].values()), axis=1)

    def __repr__(self) -> str:
        errors = f"endpoint error {self.all.endpoint:.3f} px, angular error {self.all.angular:.2f} degrees"
        return f"{errors}, {100 * self.all.fl:.1f} % outliers ({self.all.pixels} pixels)"


#: What ``evaluate`` takes as a field: a Flow, (u, v), (u, v, confidence or known), or a file.
FieldLike = Union[Flow, Path, "tuple[Any, ...]"]


def field_of(value: Any, name: str, third: str) -> tuple[Any, ...]:
    """u, v, confidence and known pixels. ``third`` says which of the two follows u and v in a tuple."""
    if isinstance(value, Flow):
        here = value.numpy()
        return here.u, here.v, here.confidence, here.known
    if is_path(value):
        u, v, known, confidence = read(value, True)
        return u, v, confidence, known
    if isinstance(value, (tuple, list)) and len(value) in (2, 3):
        last = value[2] if len(value) == 3 else None
        return (value[0], value[1], last, None) if third == "confidence" else (value[0], value[1], None, last)
    raise InvalidType(f"{name} is {shown(value)}; expected a Flow, (u, v), (u, v, {third}) or a path")


@takes_options(_fovea.flow.evaluate_options(), rules=("strict",))
def evaluate(flow: FieldLike, truth: FieldLike, **options: Unpack[FlowEvaluateOptions]) -> Evaluation:
    """Compares a flow with the true one: endpoint and angular errors, outliers, and how well confidence predicts them.

    Both are a Flow, (u, v), or a file; the estimate may also be (u, v, confidence), and the truth (u, v, known). The
    program estimates the flow itself: ``command`` takes a file of lines that name both images and the file of the
    truth."""
    report = _fovea.flow.evaluate(
        field_of(flow, "flow", "confidence"), field_of(truth, "truth", "known"), dict(options)
    )
    words = [*(flow._words if isinstance(flow, Flow) else ()), *report["words"]]
    provenance = {"device": flow.provenance["device"] if isinstance(flow, Flow) else None, "seed": None}
    line = command_line("fovea", "flow", "eval", "LIST", *words, "--json")
    return Evaluation(report["options"], provenance, line, report)
