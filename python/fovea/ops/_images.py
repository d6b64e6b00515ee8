"""Operations over images."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .. import _fovea, _options
from .._arguments import as_array, path_of, refuse_several, shown
from .._keywords import takes_options
from .._options import Unpack
from ..errors import InvalidArgument, InvalidType
from ..files import is_path

Array = np.ndarray[Any, np.dtype[Any]]
Bytes = np.ndarray[Any, np.dtype[np.uint8]]
Floats = np.ndarray[Any, np.dtype[np.float32]]


class Gradient(NamedTuple):
    """Differences of every channel."""

    dx: Array  #: right minus left
    dy: Array  #: below minus above


class PolarGradient(NamedTuple):
    """Length and direction of the gradient of every pixel."""

    magnitude: Floats  #: of shape (height, width)
    bin: Bytes  #: number of the orientation bin


def _pixels(image: Any) -> Any:
    refuse_several(image, "run_all() of an Operation")
    return _fovea.files.read_image(path_of(image), {}) if is_path(image) else image


# Types and names as they are mostly passed. NumPy needs microseconds to name a type.
_NAMES: dict[Any, str] = {
    kind: np.dtype(kind).name for kind in (np.float64, np.float32, np.uint8, np.uint16, np.uint32, np.uint64, np.int32)
}
_NAMES |= {name: name for name in _NAMES.values()}


def _type_name(dtype: Any) -> str:
    """The name of a type of NumPy's, or an empty text for None."""
    if dtype is None:
        return ""
    try:
        return _NAMES.get(dtype) or str(np.dtype(dtype).name)
    except TypeError:
        raise InvalidType(f"dtype is {shown(dtype)}; expected a type of numbers such as numpy.float32") from None


@takes_options(_fovea.ops.resize_options(), rules=("strict",))
def resize(image: Any, **options: Unpack[_options.OpsResizeOptions]) -> Array:
    """The image at another size, bilinearly: ``width`` and ``height``, one of them, or ``scale`` times its own.

    One side alone keeps the proportions. Takes uint8, uint16, int8, int16 and float32, and returns the same type. Verb
    of the program: ``resize``.

    >>> fovea.ops.resize(np.zeros((64, 48, 3), np.uint8), width=24).shape
    (32, 24, 3)"""
    return _fovea.ops.resize(_pixels(image), dict(options))


@takes_options(_fovea.ops.gradient_options(), rules=("strict",))
def gradient(image: Any, **options: Unpack[_options.OpsGradientOptions]) -> Gradient:
    """Differences along rows and columns of every channel, not divided by the sum of the kernel's weights.

    uint8 gives int16, float32 gives float32. ``fovea ops gradient --show dx`` divides by that sum, which is
    4 for sobel and 16 for scharr."""
    return Gradient(*_fovea.ops.gradient(_pixels(image), dict(options)))


@takes_options(_fovea.ops.polar_gradient_options())
def polar_gradient(image: Any, **options: Unpack[_options.OpsPolarGradientOptions]) -> PolarGradient:
    """Magnitude (float32) and orientation bin (uint8) of the centered difference at every pixel.

    Takes uint8 and float32. Of several channels the one with the largest magnitude counts. Verb of the program:
    ``gradient``, with the float values that it writes to .npy."""
    return PolarGradient(*_fovea.ops.polar_gradient(_pixels(image), dict(options)))


@takes_options(_fovea.ops.convolve_options(), rules=("strict",))
def convolve(image: Any, kernel: Any, *, dtype: Any = None, **options: Unpack[_options.OpsConvolveOptions]) -> Array:
    """Correlates every channel with a kernel, a matrix of float32 with 1 to 255 taps each way.

    Takes uint8, uint16, int8, int16 and float32. Results have the type of the image, rounded and clipped to its range,
    or are float32 with ``dtype=numpy.float32``. Verb of the program: ``convolve``."""
    return _fovea.ops.convolve(_pixels(image), kernel, _type_name(dtype), dict(options))


@takes_options(_fovea.ops.convolve_separable_options(), rules=("strict",))
def convolve_separable(
    image: Any,
    row_kernel: Any,
    column_kernel: Any,
    *,
    dtype: Any = None,
    **options: Unpack[_options.OpsConvolveSeparableOptions],
) -> Array:
    """Correlates every channel with a kernel that is the product of a row and a column of float32.

    Types are those of ``convolve``."""
    return _fovea.ops.convolve_separable(
        _pixels(image), row_kernel, column_kernel, _type_name(dtype), dict(options)
    )


@takes_options(_fovea.ops.gaussian_blur_options(), rules=("strict",))
def gaussian_blur(
    image: Any, sigma: float, *, dtype: Any = None, **options: Unpack[_options.OpsGaussianBlurOptions]
) -> Array:
    """Blurs every channel by a Gaussian with a standard deviation of ``sigma`` pixels, at most 31.

    Types are those of ``convolve``. Verb of the program: ``blur``."""
    return _fovea.ops.gaussian_blur(_pixels(image), sigma, _type_name(dtype), dict(options))


def gaussian_kernel(sigma: float, size: int = 0) -> Floats:
    """The taps of a Gaussian (float32), which add up to 1. ``size`` is odd; 0 takes all taps within four sigma."""
    return _fovea.ops.gaussian_kernel(sigma, size)


def gaussian_derivative_kernel(sigma: float, order: int = 1, size: int = 0) -> Floats:
    """The taps of the first or second derivative of a Gaussian (float32), which turn x into 1 or x**2 into 2."""
    return _fovea.ops.gaussian_derivative_kernel(sigma, order, size)


def laplacian_of_gaussian_kernel(sigma: float, size: int = 0) -> Floats:
    """The Laplacian of a Gaussian, a matrix of float32; for ``convolve()``."""
    return _fovea.ops.laplacian_of_gaussian_kernel(sigma, size)


def box_kernel(size: int) -> Floats:
    """The taps (float32) that compute the mean of ``size`` pixels."""
    return _fovea.ops.box_kernel(size)


@takes_options(_fovea.ops.integral_options(), rules=("strict",))
def integral(image: Any, *, dtype: Any = np.float64, **options: Unpack[_options.OpsIntegralOptions]) -> Array:
    """The integral image (summed-area table) of every channel, from which ``rectangle_sum`` reads the sum over a
    rectangle.

    Sums of float64, which are exact for whole numbers up to 2**53, and of float32 are made from every type of image.
    Sums of uint32, int32 and uint64 are made from uint8, those of uint64 also from uint16 and uint32, those of uint32
    also from uint32; they may wrap around, and the sum over a rectangle is right where it fits. Those of 32 bits, which
    OpenCV has, take half the memory and time. Verb of the program: ``integral``."""
    return _fovea.ops.integral(_pixels(image), _type_name(dtype), dict(options))


def rectangle_sum(sums: Any, x: Any, y: Any, width: Any, height: Any) -> Any:
    """The sums over ``width`` x ``height`` pixels that begin at (x, y), from an exclusive integral image.

    The four numbers may be arrays of one shape, which the result begins with; channels are its last axis, and its type
    is that of the sums. ``numpy.moveaxis(sums, 0, -1)`` of ``integral_histogram`` gives histograms of rectangles."""
    table = as_array(sums, "sums")
    if table.ndim not in (2, 3) or table.dtype.kind not in "iuf":
        raise InvalidType(f"sums is {table.dtype} of shape {table.shape}; expected an integral image with 2 or 3 axes")
    sides = (("x", x), ("y", y), ("width", width), ("height", height))
    numbers = [as_array(value, name) for name, value in sides]
    if any(value.dtype.kind not in "iu" for value in numbers):
        raise InvalidType("x, y, width and height of a rectangle are whole numbers")
    try:
        left, top, wide, high = np.broadcast_arrays(*(value.astype(np.int64) for value in numbers))
    except ValueError:
        raise InvalidArgument("x, y, width and height of rectangles have different shapes") from None
    right, bottom = left + wide, top + high
    inside = (left >= 0) & (top >= 0) & (wide >= 0) & (high >= 0) & (right < table.shape[1]) & (bottom < table.shape[0])
    if not np.all(inside):
        size = f"{table.shape[1] - 1}x{table.shape[0] - 1}"
        raise InvalidArgument(f"a rectangle reaches beyond the image of {size} pixels that was summed")
    with np.errstate(over="ignore"):  # sums of whole numbers may wrap around
        return (table[bottom, right] - table[bottom, left]) - (table[top, right] - table[top, left])


@takes_options(_fovea.ops.integral_histogram_options(), rules=("strict",))
def integral_histogram(
    bin: Any, bins: int, weight: Any = None, **options: Unpack[_options.OpsIntegralHistogramOptions]
) -> np.ndarray[Any, np.dtype[np.uint32]]:
    """Integral images of the weights (float32, 1 each by default) of the pixels of each bin (uint8), in fixed point.

    The result is uint32 of shape (bins, height + 1, width + 1). With weights, sums over rectangles are divided by
    2**fraction_bits; counts are as they are. Values from ``bins`` on are left out."""
    return _fovea.ops.integral_histogram(bin, bins, weight, dict(options))


@takes_options(_fovea.ops.pyramid_options(), rules=("strict",))
def pyramid(image: Any, **options: Unpack[_options.OpsPyramidOptions]) -> list[Array]:
    """The image at smaller and smaller sizes, beginning with a copy of itself.

    Takes uint8, uint16, int8, int16 and float32, and returns the same type. Verb of the program: ``pyramid``."""
    return list(_fovea.ops.pyramid(_pixels(image), dict(options)))


@takes_options(_fovea.ops.pyramid_options(), rules=())
def pyramid_sizes(width: int, height: int, **options: Unpack[_options.OpsPyramidOptions]) -> list[tuple[int, int]]:
    """The widths and heights of the levels of the pyramid of an image."""
    return list(_fovea.ops.pyramid_sizes(width, height, dict(options)))


@takes_options(_fovea.ops.gaussian_halve_options(), rules=("strict",))
def gaussian_halve(image: Any, **options: Unpack[_options.OpsGaussianHalveOptions]) -> Array:
    """The image smoothed by 1 4 6 4 1 / 16 and halved, rounded up to whole pixels. Takes uint8 and float32; the type
    stays."""
    return _fovea.ops.gaussian_halve(_pixels(image), dict(options))


@takes_options(_fovea.ops.quantize_options(), rules=("strict",))
def quantize(image: Any, **options: Unpack[_options.OpsQuantizeOptions]) -> Bytes:
    """The level of every value, as uint8. Takes uint8, uint16 and float32; NaN becomes 255."""
    return _fovea.ops.quantize(_pixels(image), dict(options))


@takes_options(_fovea.ops.window_histogram_options(), rules=("strict",))
def window_histogram(
    bin: Any, bins: int, *, dtype: Any = np.uint16, **options: Unpack[_options.OpsWindowHistogramOptions]
) -> Array:
    """The histogram of the window around every pixel of an array of uint8, of shape (height, width, bins); 1 to 64
    bins.

    Counts are uint16, or uint8 for windows of at most 255 pixels. Values from ``bins`` on are left out. The program's
    verb ``histogram`` counts the levels that ``quantize`` makes of gray values."""
    return _fovea.ops.window_histogram(bin, bins, _type_name(dtype), dict(options))
