"""Single operations over arrays: sizes, differences, filters, integral images, pyramids, histograms, shortest paths,
cuts, a linear support vector machine and confusion matrices.

Functions take arrays and return new NumPy arrays that are dense and own their memory. An image is an array of shape
(height, width) or (height, width, channels) with 1 to 4 channels, which a result has as well, or the path of a file,
which is read as ``fovea.read_image`` reads it. No channel counts as opacity. Each function says which types it takes
and which it returns; other types are refused and never converted. Where the program ``fovea ops`` has a verb, it gives
the same numbers.
"""

from ._graphs import Assignment, Cut, Nearest, all_distances, assign, distances_from, minimum_cut, nearest_source
from ._images import (
    Gradient,
    PolarGradient,
    box_kernel,
    convolve,
    convolve_separable,
    gaussian_blur,
    gaussian_derivative_kernel,
    gaussian_halve,
    gaussian_kernel,
    gradient,
    integral,
    integral_histogram,
    laplacian_of_gaussian_kernel,
    polar_gradient,
    pyramid,
    pyramid_sizes,
    quantize,
    rectangle_sum,
    resize,
    window_histogram,
)
from ._learning import KernelSVM, LinearSVM, accuracy, confusion_matrix, recall, wilson_interval

__all__ = [
    "Assignment",
    "Cut",
    "Gradient",
    "KernelSVM",
    "LinearSVM",
    "Nearest",
    "PolarGradient",
    "accuracy",
    "all_distances",
    "assign",
    "box_kernel",
    "confusion_matrix",
    "convolve",
    "convolve_separable",
    "distances_from",
    "gaussian_blur",
    "gaussian_derivative_kernel",
    "gaussian_halve",
    "gaussian_kernel",
    "gradient",
    "integral",
    "integral_histogram",
    "laplacian_of_gaussian_kernel",
    "minimum_cut",
    "nearest_source",
    "polar_gradient",
    "pyramid",
    "pyramid_sizes",
    "quantize",
    "recall",
    "rectangle_sum",
    "resize",
    "wilson_interval",
    "window_histogram",
]
