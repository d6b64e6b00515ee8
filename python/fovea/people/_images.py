"""Sets of images that detectors learn from and are measured on."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .. import _fovea
from ..errors import InvalidArgument, InvalidType
from ..files import as_path, is_path


def images_of(images: Any, name: str) -> list[Any]:
    """Images as a list of arrays and paths: of a folder, a glob or a list of files, or of the list itself."""
    if is_path(images):
        return list(_fovea.people.expand(as_path(images)))
    shape = getattr(images, "shape", None)
    if shape is not None and (len(shape) in (0, 2) or (len(shape) == 3 and shape[-1] in (1, 3, 4))):
        raise InvalidArgument(f"{name} is one array of shape {tuple(shape)}; expected several images, such as [image]")
    if not isinstance(images, Iterable) or isinstance(images, (bytes, dict)):
        raise InvalidType(f"{name} is of type {type(images).__name__}; expected a folder or a list of images")
    listed = [as_path(image) if is_path(image) else image for image in images]
    if not listed:
        raise InvalidArgument(f"{name} is empty; expected one image or more")
    return listed
