"""Disparities of rectified pairs of images."""

from __future__ import annotations

import time
from typing import Any, NamedTuple, Union

import numpy as np

from .. import _fovea
from .._arguments import path_of
from .._frames import mask_of, name_of
from .._keywords import takes_options
from .._notebook import png_of
from .._operation import Face
from .._options import FlowDisparityPictureOptions, FlowReadDisparityOptions, FlowStereoOptions, Unpack
from .._results import Record, Result, command_line, described
from .._rules import in_its_colors
from ..files import Path, is_path
from ._estimate import Bytes, Floats, stored


@described(_fovea.flow.stereo_fields())
class Disparity(Result):
    """A map of disparities: what pixel (x, y) of the left image shows is found at (x - disparity, y) of the right one.

    As an array it is its disparities."""

    disparity: Floats  #: in pixels, float32 of shape (height, width); infinite where it is not known
    confidence: Floats  #: from 0, not known or filled in, to 1

    @property
    def shape(self) -> tuple[int, int]:
        """Height and width."""
        return self.disparity.shape[0], self.disparity.shape[1]

    @property
    def known(self) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Where a disparity is known."""
        return np.isfinite(self.disparity)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        return self.disparity.astype(dtype or np.float32, copy=bool(copy))

    @in_its_colors
    @takes_options(_fovea.flow.disparity_picture_options(), rules=("color",))
    def to_color(self, **options: Unpack[FlowDisparityPictureOptions]) -> Bytes:
        """A picture in which near is bright, and gray is not known."""
        return _fovea.flow.disparity_picture(self.disparity, dict(options))

    def save(self, path: Path) -> None:
        """Writes the disparities as .pfm, .png (KITTI: 256 times the disparity, 0 is not known), .npy or .tif."""
        write_disparity(path, self.disparity)

    def __repr__(self) -> str:
        height, width = self.shape
        known = self.known
        span = f", {self.disparity[known].min():.2f} to {self.disparity[known].max():.2f} px" if known.any() else ""
        made = f"{self.options['method']}, {1000 * self._seconds:.0f} ms"
        return f"disparities of {width}x{height}{span}, known at {100 * known.mean():.1f} % ({made})"

    def _repr_png_(self) -> bytes:
        return png_of(self, self.to_color())


class StereoMatcher(Face):
    """Finds the disparities of rectified pairs, on the CPU. Threads take turns; several matchers run side by side."""

    @takes_options(_fovea.flow.stereo_options())
    def __init__(self, **options: Unpack[FlowStereoOptions]) -> None:
        """Makes a matcher. ``check=None`` leaves out the check in the right image."""
        self._begin(_fovea.flow.StereoMatcher(dict(options)), options)

    def match(self, left: Any, right: Any) -> Disparity:
        """The disparities of the left image. Both have one size and type: uint8, uint16 or float32; or they are paths."""
        start = time.perf_counter()
        found = self._face.match(stored(left), stored(right))
        inputs = (name_of(left, "LEFT"), name_of(right, "RIGHT"), "-o", "DISPARITY.pfm")
        return Disparity(**self._origin("flow", "stereo", *inputs, start=start), values=found)

    def __repr__(self) -> str:
        least, most = self._options["min_disparity"], self._options["max_disparity"]
        return f"StereoMatcher({self._options['method']}, {self._options['cost']}, {least} to {most} px)"


@takes_options(_fovea.flow.stereo_options())
def stereo(left: Any, right: Any, **options: Unpack[FlowStereoOptions]) -> Disparity:
    """The disparities of a single rectified pair: a StereoMatcher that is used once.

    ``check=None`` leaves out the check in the right image."""
    return StereoMatcher(**options).match(left, right)


@takes_options(_fovea.flow.read_disparity_options(), rules=())
def read_disparity(path: Path, **options: Unpack[FlowReadDisparityOptions]) -> Floats:
    """Reads disparities from PFM, KITTI's PNG, .npy or TIFF as float32; what is not known is infinite."""
    return _fovea.flow.read_disparity(path_of(path), dict(options))


def write_disparity(path: Path, disparity: Any) -> None:
    """Writes disparities as .pfm, .png (KITTI), .npy or .tif. The file appears whole or not at all."""
    _fovea.flow.write_disparity(path_of(path), disparity)


#: What stands for disparities: a Disparity, an array of float32, or a file.
DisparityLike = Union[Disparity, Path, Any]


def _disparities(value: DisparityLike) -> Any:
    if isinstance(value, Disparity):
        return value.disparity
    return read_disparity(value) if is_path(value) else value


def visible_pixels(disparity: DisparityLike) -> Bytes:
    """255 where the right image shows what a pixel of the left one shows, by its true disparities; 0 elsewhere."""
    return _fovea.flow.visible_pixels(_disparities(disparity))


class StereoErrors(NamedTuple):
    """How far disparities are from the true ones, over some pixels."""

    pixels: int  #: how many pixels count
    mean: float  #: mean absolute error in pixels, where the estimate is known
    bad05: float  #: share of pixels with an error above half a pixel
    bad1: float  #: the same above 1 pixel
    bad2: float  #: the same above 2 pixels
    bad4: float  #: the same above 4 pixels
    unknown: float  #: share without an estimate


@described(_fovea.flow.evaluate_stereo_fields())
class StereoEvaluation(Record):
    """How well disparities agree with the true ones, as Middlebury counts. It can be read as a dictionary."""

    all: StereoErrors  #: over all pixels whose true disparity is known
    visible: StereoErrors  #: over those of them that the right image shows too

    def _take(self, values: dict[str, Any]) -> None:
        super()._take({name: StereoErrors(*errors.values()) for name, errors in values.items()})

    def __repr__(self) -> str:
        seen = self.visible
        errors = f"mean error {seen.mean:.3f} px, bad2 {100 * seen.bad2:.1f} %, not known {100 * seen.unknown:.1f} %"
        return f"{errors} (of {seen.pixels} visible pixels)"


def evaluate_stereo(disparity: DisparityLike, truth: DisparityLike, visible: Any = None) -> StereoEvaluation:
    """Compares disparities with the true ones; each is a Disparity, an array of float32, or a file.

    ``visible`` is not 0 where the right image shows a pixel; without it that follows from the true disparities. The
    program matches the pair itself: ``command`` takes both images."""
    report = _fovea.flow.evaluate_stereo(_disparities(disparity), _disparities(truth), mask_of(visible))
    words = ["--truth", name_of(truth, "TRUTH.pfm")]
    if visible is not None:
        words += ["--visible", name_of(visible, "VISIBLE.png")]
    made = disparity.command if isinstance(disparity, Disparity) else "fovea flow stereo LEFT RIGHT"
    command = f"{made} {command_line(*words, '--json')}"
    return StereoEvaluation({}, {"device": "cpu", "seed": None}, command, report)
