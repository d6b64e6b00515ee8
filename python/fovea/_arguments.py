"""Checks of single arguments. A wrong one is refused with its name, what came and what is expected, in one line."""

from __future__ import annotations

import difflib
import operator
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal, TypeVar

import numpy as np

from .errors import InvalidArgument, InvalidType, IoError
from .files import as_path, is_path

#: What becomes of an input that cannot be read: it raises its error, or is left out, with a warning or, where the results
#: list what they have left out (``failed``), without one.
OnError = Literal["raise", "warn", "skip"]

_Kind = TypeVar("_Kind")


def shown(value: object) -> str:
    """A value in a message: as Python writes it, or its type where that is long."""
    text = repr(value)
    return text if len(text) < 60 and "\n" not in text else f"of type {type(value).__name__}"


def counted(number: int, word: str) -> str:
    """A number with its noun."""
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


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


def one_of(words: Sequence[str]) -> str:
    """Words in a sentence, with commas and one "or"."""
    return ", ".join(words[:-1]) + " or " + words[-1] if len(words) > 1 else "".join(words)


def word(value: Any, name: str, words: Sequence[str], otherwise: str = "") -> str:
    """One of some words. ``otherwise`` says what else is expected."""
    listed = otherwise + one_of([repr(one) for one in words])
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


def path_ending(value: Any, what: str, endings: Sequence[str]) -> str:
    """The path of a file to write, which ends in one of these ways."""
    path = path_of(value)
    if not path.endswith(tuple(endings)):
        raise InvalidArgument(f"{path}: {what} are written as {one_of(endings)}; give a name that ends so")
    return path


def refuse_several(value: Any, every: str, expected: str = "an image") -> None:
    """Refuses the path of a folder, and a list of images where one is expected, and names the method for ``every`` one of
    them, where there is one."""
    if is_path(value):
        if os.path.isdir(value):
            takes = f"; {every} takes all in a folder" if every else ""
            raise IoError(f"{as_path(value)}: is a folder; expected {expected}{takes}")
    elif expected == "an image" and isinstance(value, (list, tuple)) and value and not hasattr(value, "shape"):
        if _is_image(value[0]):
            takes = f"; {every} takes several" if every else ""
            raise InvalidType(f"image is a {type(value).__name__} of {counted(len(value), 'image')}; expected one image{takes}")


def _is_image(value: Any) -> bool:
    """Whether an element of a list is an image, and no row of one."""
    shape = getattr(value, "shape", None)
    if shape is None:
        return is_path(value) or hasattr(value, "getbands")
    return len(shape) == 3 or (len(shape) == 2 and shape[1] not in (1, 3, 4))


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """The end of a sentence about a word that is not known."""
    near = difflib.get_close_matches(name, list(known), 1)
    return f"; did you mean {near[0]!r}?" if near else ""


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
    return word(on_error, "on_error", ("raise", "warn", "skip")) != "raise"


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


#: How objects give their numbers to NumPy.
_NUMBERS = (int, float, np.number, np.bool_)
_WAYS = ("__array__", "__array_interface__", "__dlpack__")


def array_from(value: Any, name: str, wanted: str, strict: bool) -> np.ndarray[Any, np.dtype[Any]]:
    """An array of what is none that the extension module can read: lists, tables, images, objects of other libraries."""
    came = array_text(value)
    known = isinstance(value, (list, tuple, range)) or any(hasattr(value, way) for way in _WAYS)
    if isinstance(value, np.generic) or not known:
        why = "; this matrix is sparse, pass .toarray() of it" if hasattr(value, "toarray") else ""
        raise InvalidType(f"{name} is {came}; expected {wanted}{why}")
    if strict:
        raise InvalidType(f"{name} is {came}, which takes a copy that strict forbids; expected {wanted}")
    try:
        array = np.asarray(value) if isinstance(value, Iterable) or not hasattr(value, "__dlpack__") else np.from_dlpack(value)
        if array.dtype.kind == "O" and array.ndim:  # numbers of Python's or of several columns
            odd = next((one for one in array.flat if not isinstance(one, _NUMBERS)), None)
            if odd is not None:
                raise TypeError(f"argument must be a string or a number, not {type(odd).__name__!r}")
            array = np.asarray(array.tolist())
    except (TypeError, ValueError, RuntimeError) as error:
        raise InvalidType(f"{name} is {came}; expected {wanted} ({str(error).splitlines()[0]})") from None
    if array.dtype.kind not in "biuf" or array.ndim == 0:
        raise InvalidType(f"{name} is {came}; expected {wanted}")
    return np.ascontiguousarray(array, array.dtype.newbyteorder("="))


def array_text(value: Any) -> str:
    """What came, for messages: "an array of object and of shape (3, 4)", "of type list"."""
    if hasattr(value, "dtype") and hasattr(value, "shape"):
        return f"an array of {value.dtype} and of shape {tuple(value.shape)}"
    return "None" if value is None else f"of type {type(value).__name__}"


def array_of_type(
    array: np.ndarray[Any, np.dtype[Any]], name: str, types: list[str], wanted: str
) -> np.ndarray[Any, np.dtype[Any]]:
    """The array with elements of one of these types: the first that holds all numbers of its own type, or else the first;
    fractions prefer the most precise. They are rounded to their type, and any other number that would change is refused."""
    array = np.asarray(array)  # it may be a tensor
    came = f"{name} is {array.dtype} of shape {array.shape}"
    kind = array.dtype.kind
    if kind not in "biuf" or (kind == "b" and "uint8" in types):
        raise InvalidType(f"{came}; expected {wanted}")
    if types == ["bool"]:
        return np.ascontiguousarray(array != 0)
    target = _type_for(array.dtype, types)
    if kind == "f" and target == np.uint8 and array.any() and np.min(array) >= 0 and np.max(array) <= 1:
        # One and zero may be the whole range of levels or next to nothing of it.
        raise InvalidArgument(f"{came} with levels from 0 to 1; expected {wanted}; pass (255 * {name}).round().astype('uint8')")
    with np.errstate(invalid="ignore", over="ignore"):
        made = np.ascontiguousarray(array, target)
    lost = _lost(array, made)
    if lost.any():
        where = tuple(int(i) for i in np.argwhere(lost)[0])
        raise InvalidArgument(f"{came} and holds {array[where]} at {list(where)}, which {target} cannot hold; expected {wanted}")
    return made


def _type_for(given: np.dtype[Any], types: list[str]) -> np.dtype[Any]:
    known = [np.dtype(name) for name in types]
    # To NumPy, float64 is safe for integers of 64 bits, although it rounds them.
    safe = [kind for kind in known if np.can_cast(given, kind) and not (given.itemsize == 8 and given.kind in "iu")]
    if given.kind == "f":
        reals = [kind for kind in known if kind.kind == "f"]
        return next(iter(safe), max(reals, key=lambda kind: kind.itemsize) if reals else known[0])
    return next(iter(safe), known[0])


def _lost(array: np.ndarray[Any, Any], made: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Where a conversion has changed a number by more than its rounding."""
    lost: np.ndarray[Any, Any]
    if made.dtype.kind == "f":
        if array.dtype.kind == "f":
            lost = np.isinf(made) & np.isfinite(array)
        else:
            most = 2 ** (np.finfo(made.dtype).nmant + 1)
            lost = (array > most) | (array < -most) if array.dtype.itemsize > 2 else np.zeros(0, bool)
        return lost
    limits = np.iinfo(made.dtype)
    if array.dtype.kind == "f":
        return ~((array == np.rint(array)) & (array >= float(limits.min)) & (array < float(limits.max) + 1))
    lost = (array < limits.min) | (array > limits.max)
    return lost
