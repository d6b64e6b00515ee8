"""Types of arrays, and how numbers and ground distances are taken."""

from __future__ import annotations

import os
from typing import Any, Union

import numpy as np

from .._arguments import path_of, unmasked
from ..errors import InvalidType
from ..files import Path

Array = np.ndarray[Any, np.dtype[Any]]
Doubles = np.ndarray[Any, np.dtype[np.float64]]
Floats = np.ndarray[Any, np.dtype[np.float32]]
Bytes = np.ndarray[Any, np.dtype[np.uint8]]
Flags = np.ndarray[Any, np.dtype[np.bool_]]
#: A name such as ``threshold:3`` or ``l1``, a file of costs, or costs as float64 of shape (rows, columns).
Ground = Union[Path, Doubles]
#: x, y, width and height in pixels.
Box = tuple[float, float, float, float]


def as_numbers(value: Any, name: str) -> Any:
    """Lists of numbers as float64; everything else as it is."""
    if not isinstance(value, (list, tuple)):
        return unmasked(value, name)
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
