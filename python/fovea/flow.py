"""The motion of every pixel between two images, or along a video."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _fovea
from ._keywords import takes_options
from ._notebook import png_bytes
from ._progress import Progress, reporting
from ._results import Result, command_line
from .files import Path, as_path, frames_of, is_path

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import FlowEvaluateOptions, FlowEstimateOptions

__all__ = ["Estimator", "Flow", "estimate", "evaluate", "read", "write"]

Floats = np.ndarray[Any, np.dtype[np.float32]]
Bytes = np.ndarray[Any, np.dtype[np.uint8]]


class Flow(Result):
    """A field of motion: pixel (x, y) of the first image is found at (x + u, y + v) of the second."""

    # NumPy arrays, or DeviceArrays where the images were on a GPU.
    u: Any  #: motion to the right in pixels, float32 of shape (height, width)
    v: Any  #: motion downward in pixels
    confidence: Any  #: from 0, a guess, to 1
    frame: int | None  #: number of the first frame, for a video

    _compared = ("u", "v", "confidence", "frame")

    def __init__(self, planes: dict[str, Any], **origin: Any) -> None:
        super().__init__(origin["options"], origin["provenance"], origin["command"])
        self.u, self.v, self.confidence = planes["u"], planes["v"], planes["confidence"]
        self.frame = origin.get("frame")
        self._seconds = origin.get("seconds", 0.0)

    @property
    def shape(self) -> tuple[int, int]:
        """Height and width."""
        return self.u.shape[0], self.u.shape[1]

    def numpy(self) -> Flow:
        """The same with arrays of the CPU: itself where they are such already."""
        if isinstance(self.u, np.ndarray):
            return self
        planes = {name: getattr(self, name).numpy() for name in ("u", "v", "confidence")}
        origin = {"options": self.options, "provenance": self.provenance, "command": self.command}
        return Flow(planes, frame=self.frame, seconds=self._seconds, **origin)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        """u and v in one array of shape (height, width, 2)."""
        here = self.numpy()
        return np.stack([here.u, here.v], axis=2).astype(dtype or np.float32, copy=False)

    def to_color(self, longest: float | None = None) -> Bytes:
        """The field in the colors of Middlebury's wheel: the hue is the direction, the saturation the length.

        Motion of ``longest`` pixels has the full color; without it, the longest of the field has."""
        here = self.numpy()
        picture: Bytes = _fovea.flow.wheel(here.u, here.v, None, longest)
        return picture

    def arrows(self, first: Any) -> Bytes:
        """Arrows over the first image."""
        here = self.numpy()
        picture: Bytes = _fovea.flow.arrows(first, here.u, here.v)
        return picture

    def warp(self, second: Any) -> Bytes:
        """The second image warped back along the flow; where the flow is right it looks like the first one."""
        here = self.numpy()
        picture: Bytes = _fovea.flow.warp(second, here.u, here.v)
        return picture

    def save(self, path: Path) -> None:
        """Writes .flo, .png (KITTI), .pfm or .npy."""
        here = self.numpy()
        write(path, here.u, here.v)

    def __repr__(self) -> str:
        height, width = self.shape
        here = self.numpy()
        motion = float(np.mean(np.hypot(here.u, here.v)))
        made = f"{self.options['method']}, {self.provenance['device']}, {1000 * self._seconds:.0f} ms"
        return f"flow of {width}x{height}, mean motion {motion:.2f} px ({made})"

    def _repr_png_(self) -> bytes:
        return png_bytes(self.to_color())


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


class Estimator:
    """Estimates the flow of pairs of images, or along a video. Threads take turns; several estimators run side by side."""

    @takes_options(_fovea.flow.estimate_options())
    def __init__(self, **options: Unpack[FlowEstimateOptions]) -> None:
        """Makes an estimator."""
        self._keywords = dict(options)
        self._estimator = _fovea.flow.Estimator(self._keywords)
        self._options: dict[str, Any] = dict(self._estimator.options)
        self._verb, self._words = _words(list(self._estimator.words))

    @property
    def options(self) -> dict[str, Any]:
        """Every option with its value."""
        return dict(self._options)

    def estimate(self, first: Any, second: Any, mask: Any = None) -> Flow:
        """The flow from the first image to the second, which has the same size and type: uint8, uint16 or float32.

        Pixels where the mask is 0 get flow and confidence 0 and do not influence their neighbors."""
        start = time.perf_counter()
        names = [as_path(image) if is_path(image) else word for image, word in ((first, "FIRST"), (second, "SECOND"))]
        pixels = [_fovea.files.read_image(as_path(image), {}) if is_path(image) else image for image in (first, second)]
        planes = self._estimator.estimate(pixels[0], pixels[1], mask)
        return self._flow(planes, names, start)

    def push(self, frame: Any, mask: Any = None) -> Flow | None:
        """Takes the next frame of a video and returns the flow from the frame before it, or None for the first one."""
        start = time.perf_counter()
        planes = self._estimator.push(frame, mask)
        return None if planes is None else self._flow(planes, ["VIDEO"], start)

    def finish(self) -> None:
        """Ends the video; the next frame that is pushed begins a new one."""
        self._estimator.finish()

    def video(self, source: Path | Iterable[Any], progress: Progress = False) -> Iterator[Flow]:
        """The flow from each frame to the next. The source is a file, a folder of images, or frames as arrays."""
        frames, count = frames_of(source)
        self.finish()
        try:
            with reporting(progress) as report:
                for index, frame in enumerate(frames):
                    pixels = frame.decode()[0] if hasattr(frame, "decode") else frame
                    flow = self.push(pixels)
                    if report:
                        report("frames", index + 1, count or 0)
                    if flow is not None:
                        flow.frame = index - 1
                        yield flow
        finally:
            self.finish()

    def _flow(self, planes: dict[str, Any], names: list[str], start: float) -> Flow:
        provenance = {"device": self._options["device"], "seed": self._options["seed"]}
        command = command_line("fovea", "flow", self._verb, *names, "-o", "FLOW.flo", *self._words)
        seconds = time.perf_counter() - start
        return Flow(planes, options=self.options, provenance=provenance, command=command, seconds=seconds)

    def __reduce__(self) -> tuple[Any, ...]:
        return _estimator_of, (self._keywords,)

    def __repr__(self) -> str:
        return f"Estimator({self._options['method']}, {self._options['quality']}, device {self._options['device']!r})"


def _estimator_of(keywords: dict[str, Any]) -> Estimator:
    return Estimator(**keywords)


@takes_options(_fovea.flow.estimate_options())
def estimate(first: Any, second: Any, mask: Any = None, **options: Unpack[FlowEstimateOptions]) -> Flow:
    """The flow of a single pair: an Estimator that is used once."""
    return Estimator(**options).estimate(first, second, mask)


def read(path: Path) -> tuple[Floats, Floats, Bytes]:
    """Reads a field from .flo, KITTI's PNG, PFM or .npy: u, v, and 255 where the motion is known."""
    u, v, known = _fovea.flow.read(as_path(path))
    return u, v, known


def write(path: Path, u: Any, v: Any, known: Any = None) -> None:
    """Writes a field as .flo, .png (KITTI), .pfm or .npy. The file appears whole or not at all."""
    _fovea.flow.write(as_path(path), u, v, known)


@takes_options(_fovea.flow.evaluate_options())
def evaluate(flow: Flow, u: Any, v: Any, known: Any = None, **options: Unpack[FlowEvaluateOptions]) -> dict[str, Any]:
    """Compares a flow with the true one: endpoint and angular errors, outliers, and how well confidence predicts them."""
    here = flow.numpy()
    report = _fovea.flow.evaluate((here.u, here.v, here.confidence), (u, v, known), dict(options))
    return dict(report)
