"""Checks of single arguments. A wrong one is refused with its name, what came and what is expected, in one line."""

from __future__ import annotations

import operator
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal, TypeVar

import numpy as np

from .errors import InvalidArgument, InvalidType
from .files import as_path, is_path

#: What becomes of an input that cannot be read: it raises its error, or is left out with a warning.
OnError = Literal["raise", "skip"]

_Kind = TypeVar("_Kind")


def shown(value: object) -> str:
    """A value in a message: as Python writes it, or its type where that is long."""
    text = repr(value)
    return text if len(text) < 60 and "\n" not in text else f"of type {type(value).__name__}"


def whole_number(value: Any, name: str, expected: str = "a whole number") -> int:
    """A whole number of any kind, NumPy's among them, of at most 32 bits."""
    try:
        if isinstance(value, (bool, np.bool_)):
            raise TypeError
        number = operator.index(value)
    except TypeError:
        raise InvalidType(f"{name} is {shown(value)}; expected {expected}") from None
    if not -(2**31) <= number < 2**31:
        raise InvalidArgument(f"{name} is {shown(value)}; expected {expected} of 32 bits")
    return number


def number_of(value: Any, name: str) -> float:
    """A number of any kind."""
    try:
        if isinstance(value, (bool, np.bool_, str, bytes)):
            raise TypeError
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise InvalidType(f"{name} is {shown(value)}; expected a number") from None


def flag(value: Any, name: str) -> bool:
    """True or False, NumPy's among them."""
    if not isinstance(value, (bool, np.bool_)):
        raise InvalidType(f"{name} is {shown(value)}; expected True or False")
    return bool(value)


def word(value: Any, name: str, words: Sequence[str]) -> str:
    """One of some words."""
    listed = " or ".join(repr(one) for one in words)
    if not isinstance(value, str):
        raise InvalidType(f"{name} is {shown(value)}; expected {listed}")
    if value not in words:
        raise InvalidArgument(f"{name} is {shown(value)}; expected {listed}")
    return value


def text(value: Any, name: str, expected: str = "a text") -> str:
    if not isinstance(value, str):
        raise InvalidType(f"{name} is {shown(value)}; expected {expected}")
    return value


def path_of(value: Any, name: str = "path", expected: str = "a path in UTF-8") -> str:
    """A path as text."""
    if not isinstance(value, (str, bytes, os.PathLike)):
        raise InvalidType(f"{name} is {shown(value)}; expected {expected}")
    return as_path(value, name, expected)


def model_of(value: Any, kind: type[_Kind], load: Callable[[Any], _Kind]) -> _Kind:
    """A model, or the one of a name or file."""
    if isinstance(value, kind):
        return value
    if not is_path(value):
        of = type(value).__module__.split(".")[1:2] if type(value).__module__.startswith("fovea.") else []
        came = f"a {type(value).__name__} of {of[0]}" if of else shown(value)
        ours = kind.__module__.split(".")[1]
        raise InvalidType(f"model is {came}; expected the name of a model, a file, or a Model of {ours}")
    return load(value)


def list_of(values: Any, name: str, expected: str) -> list[Any]:
    """The elements of a list, a tuple, an array of one axis or an iterator."""
    refused = isinstance(values, (str, bytes, dict)) or not isinstance(values, Iterable)
    if refused or getattr(values, "ndim", 1) != 1:
        raise InvalidType(f"{name} is {shown(values)}; expected {expected}")
    return list(values)


def skips(on_error: Any) -> bool:
    """Whether inputs that cannot be read are left out."""
    return word(on_error, "on_error", ("raise", "skip")) == "skip"


def unmasked(value: Any, name: str) -> Any:
    """The value itself. A masked array is refused, because NumPy's functions would drop its mask."""
    module = sys.modules.get("numpy.ma")
    if module is not None and isinstance(value, module.MaskedArray):
        raise InvalidType(
            f"{name} is a masked array, whose mask would be lost; pass {name}.filled(VALUE) or {name}.data"
        )
    return value


def as_array(value: Any, name: str) -> np.ndarray[Any, np.dtype[Any]]:
    """The value as an array of NumPy's, of whatever type; rows of several lengths are refused."""
    unmasked(value, name)
    try:
        return np.asarray(value)
    except (TypeError, ValueError, RuntimeError):
        raise InvalidType(f"{name} is {shown(value)}; expected an array") from None
