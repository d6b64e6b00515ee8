"""Checks of what is passed: images, labels, lists and paths."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import _fovea
from .._arguments import list_of, shown, text
from .._batch import images_of
from ..errors import InvalidArgument, InvalidType
from ..files import as_path, is_path

Floats = np.ndarray[Any, np.dtype[np.float32]]
Bytes = np.ndarray[Any, np.dtype[np.uint8]]


def _pixels(image: Any) -> Any:
    return _fovea.scenes.read_image(as_path(image)) if is_path(image) else image


def _corpus(
    images: Any, labels: Sequence[Any] | None, classes: Sequence[str] | None, choose: bool = False
) -> tuple[list[Any], list[int], list[str]]:
    """Images, the number of the class of each, and the names of the classes. With ``choose``, images of a folder or list
    that are of none of the classes are left out; else they are refused."""
    known = [] if classes is None else list_of(classes, "classes", "a list")
    for name in known:
        if not isinstance(name, str):
            raise InvalidType(f"classes holds {shown(name)}; expected names")
    if labels is None:
        if not is_path(images):
            raise InvalidArgument("labels are missing; only a folder of folders or a list of files has none")
        read = _fovea.scenes.read_classes if choose else _fovea.scenes.read_corpus
        paths, numbers, names = read(as_path(images), known)
        return list(paths), list(numbers), list(names)
    listed = images_of(images)
    places, names = _numbered(labels, known or None)
    if len(places) != len(listed):
        raise InvalidArgument(f"there are {len(listed)} images and {len(places)} labels; expected one label per image")
    return listed, places, names


def _chosen(images: Any, classes: Sequence[str] | None) -> list[str]:
    """The words of the program that choose classes of a folder or list."""
    return ["--classes", ",".join(classes)] if classes and is_path(images) else []


def _numbered(labels: Any, classes: Any) -> tuple[list[int], list[str]]:
    """The number of the class of each label, and the names of the classes."""
    words = [_label(label, i) for i, label in enumerate(list_of(labels, "labels", "a list"))]
    if classes is None:
        names = list(_fovea.scenes.natural_order(words))
    else:
        names = [text(name, "classes", "names") for name in list_of(classes, "classes", "a list")]
    place = {name: i for i, name in enumerate(names)}
    for word in words:
        if word not in place:
            raise InvalidArgument(f"label {word!r} is none of the classes {', '.join(names)}")
    return [place[word] for word in words], names


def _label(label: Any, index: int) -> str:
    if isinstance(label, str):
        return label
    if isinstance(label, (int, np.integer)) and not isinstance(label, bool):
        return str(int(label))
    raise InvalidType(f"labels[{index}] is {shown(label)}; expected a name or a whole number")


def _warn(failures: list[tuple[int, str]], images: list[Any]) -> None:
    for index, why in failures:
        place = images[index] if isinstance(images[index], str) else f"images[{index}]"
        warnings.warn(why if place in why else f"{place}: {why}", RuntimeWarning, stacklevel=3)
