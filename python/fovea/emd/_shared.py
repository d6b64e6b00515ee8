"""Types of arrays, and how numbers and ground distances are taken."""

from __future__ import annotations

import os
from typing import Any, Union

import numpy as np

from .._arguments import array_from, array_of_type, one_of, path_of, shown, unmasked
from ..errors import InvalidArgument, InvalidType
from ..files import Path

Array = np.ndarray[Any, np.dtype[Any]]
Doubles = np.ndarray[Any, np.dtype[np.float64]]
Floats = np.ndarray[Any, np.dtype[np.float32]]
Bytes = np.ndarray[Any, np.dtype[np.uint8]]
Flags = np.ndarray[Any, np.dtype[np.bool_]]
#: A name such as ``threshold:3`` or ``l1``, a file of costs, or costs as float64 of shape (rows, columns); ``distance()``
#: takes costs of each pair, of shape (problems, rows, columns), too.
Ground = Union[Path, Doubles]
#: x, y, width and height in pixels.
Box = tuple[float, float, float, float]


def as_numbers(value: Any, name: str) -> Any:
    """Lists of numbers as float64; everything else as it is."""
    if not isinstance(value, (list, tuple)):
        return unmasked(without_gradients(value, name), name)
    table = as_table(value)
    if table is None:
        raise InvalidType(f"{name} is a {type(value).__name__} that is no table of numbers")
    return table


def as_table(value: Any) -> Doubles | None:
    """Real numbers as float64, or None for anything else: texts, rows of several lengths."""
    try:
        table = np.asarray(value)
    except (TypeError, ValueError):
        return None
    if table.size == 0:
        return np.zeros(table.shape)
    return table.astype(np.float64) if table.dtype.kind in "iuf" else None


def without_gradients(value: Any, name: str) -> Any:
    """The value itself. What passes gradients on is refused, because none come back."""
    kind = type(value)
    library = kind.__module__.partition(".")[0]
    traced = library == "tensorflow" or (library.startswith("jax") and "Tracer" in kind.__name__)
    if traced or getattr(value, "requires_grad", False) is True:
        raise InvalidType(
            f"{name} is a {kind.__name__} whose gradients would be lost, because only emd2() of tensors of torch has them; "
            f"pass {name} as an array or, in torch, {name}.detach()"
        )
    return value


def as_doubles(value: Any, name: str, axes: tuple[int, ...]) -> Doubles:
    """Numbers of any type and layout as a dense array of float64 with one of these numbers of axes."""
    wanted = f"an array of numbers with {one_of([str(count) for count in axes])} {'axis' if axes == (1,) else 'axes'}"
    array = array_from(unmasked(without_gradients(value, name), name), name, wanted, False)
    if array.ndim not in axes:
        raise InvalidType(f"{name} is {what(array)}; expected {wanted}")
    return array if array.dtype == np.float64 else array_of_type(array, name, ["float64"], wanted)


def costs_between(supports: Any, ground: Any) -> Doubles:
    """The costs between the places of bins: an array for both histograms, or a tuple of one for each."""
    sides = supports if isinstance(supports, tuple) else (supports, supports)
    if len(sides) != 2:
        raise InvalidType(f"supports is a tuple of {len(sides)}; expected the places of P and of Q")
    places = [as_doubles(side, "supports", (1, 2, 3)) for side in sides]
    first, second = (place[:, None] if place.ndim == 1 else place for place in places)
    if first.shape[-1] != second.shape[-1] or (first.ndim == second.ndim == 3 and len(first) != len(second)):
        raise InvalidArgument(f"supports are of shapes {places[0].shape} and {places[1].shape}, which do not fit")
    apart = first[..., :, None, :] - second[..., None, :, :]
    name, _, most = ground.partition(":") if isinstance(ground, str) else ("", "", "")
    if name in ("l1", "cityblock", "manhattan"):
        return np.asarray(np.abs(apart).sum(axis=-1))
    if name == "chebyshev":
        return np.asarray(np.abs(apart).max(axis=-1))
    if name == "discrete":
        return np.asarray(apart.any(axis=-1), np.float64)
    squares = np.asarray((apart**2).sum(axis=-1))
    if name in ("squared", "sqeuclidean"):
        return squares
    try:
        greatest = float(most) if name == "threshold" else np.inf
    except ValueError:
        name = ""
    if name not in ("l2", "euclidean", "threshold"):
        names = "l1 (cityblock, manhattan), l2 (euclidean), squared (sqeuclidean), chebyshev, discrete or threshold:T"
        raise InvalidArgument(f"ground is {shown(ground)}; with supports, expected {names}")
    return np.asarray(np.minimum(np.sqrt(squares), greatest))


def as_ground(value: Any) -> Any:
    return path_of(value) if isinstance(value, os.PathLike) else as_numbers(value, "ground")


def what(value: Any) -> str:
    if hasattr(value, "dtype") and hasattr(value, "shape"):
        return f"{value.dtype} of shape {tuple(value.shape)}"
    return "None" if value is None else f"of type {type(value).__name__}"


def rows_of_boxes(box: Any, name: str = "box") -> Doubles:
    """Rows of x, y, width and height as float64."""
    table = as_table(unmasked(box, name))
    rows = np.empty((0, 0)) if table is None else np.ascontiguousarray(np.atleast_2d(table))
    if rows.ndim != 2 or rows.shape[1] != 4 or len(rows) == 0 or not np.all(np.isfinite(rows)):
        raise InvalidType(f"{name} is {what(box)}; expected x, y, width and height, or rows of them")
    return rows
