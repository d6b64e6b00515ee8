"""Checks of what is passed: images, labels, lists and paths."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import _fovea
from .._arguments import list_of, refuse_several, shown, text
from .._batch import images_of
from .._frames import plain
from ..errors import InvalidArgument, InvalidType
from ..files import as_path, is_path

Floats = np.ndarray[Any, np.dtype[np.float32]]
Bytes = np.ndarray[Any, np.dtype[np.uint8]]


def _pixels(image: Any) -> Any:
    refuse_several(image, "classify_all() of a Classifier")
    return _fovea.scenes.read_image(as_path(image)) if is_path(image) else plain(image)


def _corpus(
    images: Any, labels: Sequence[Any] | None, classes: Sequence[str] | None, choose: bool = False
) -> tuple[list[Any], list[int], list[str]]:
    """Images, the number of the class of each, and the names of the classes. With ``choose``, images that are of none of the
    classes are left out; else they are refused."""
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
    kept, places, names = _numbered(labels, known or None, choose)
    if len(kept) != len(listed):
        raise InvalidArgument(f"there are {len(listed)} images and {len(kept)} labels; expected one label per image")
    return [image for image, keep in zip(listed, kept) if keep], places, names


def _chosen(images: Any, classes: Sequence[str] | None) -> list[str]:
    """The words of the program that choose classes of a folder or list."""
    return ["--classes", ",".join(classes)] if classes and is_path(images) else []


def _numbered(labels: Any, classes: Any, choose: bool = False) -> tuple[list[bool], list[int], list[str]]:
    """Whether each label counts, the number of the class of each that does, and the names of the classes. Labels that are
    none of these do not count with ``choose``, and are refused without."""
    words = [_label(label, i) for i, label in enumerate(list_of(labels, "labels", "a list"))]
    if classes is None:
        names = list(_fovea.scenes.natural_order(words))
    else:
        names = [text(name, "classes", "names") for name in list_of(classes, "classes", "a list")]
    place = {name: i for i, name in enumerate(names)}
    if len(place) < len(names):
        raise InvalidArgument(f"one of the classes {', '.join(names)} is chosen twice")
    for name in names if choose else ():
        if name not in words:
            raise InvalidArgument(f"no label is {name!r}; they are {', '.join(_fovea.scenes.natural_order(words))}")
    for word in () if choose else words:
        if word not in place:
            raise InvalidArgument(f"label {word!r} is none of the classes {', '.join(names)}")
    return [word in place for word in words], [place[word] for word in words if word in place], names


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
