"""Exact, explainable computer vision at hardware speed.

The systems are modules: :mod:`fovea.people` finds people, :mod:`fovea.flow` estimates motion, :mod:`fovea.emd` computes the
earth mover's distance, :mod:`fovea.scenes` classifies scenes, :mod:`fovea.actions` recognizes actions and :mod:`fovea.mesh`
divides meshes into parts. :mod:`fovea.ops` has the single operations that they are made of. Images are arrays of NumPy or of
other libraries, images of PIL, or paths of files. Arrays are in RGB order, or in OpenCV's after ``fovea.set_color("bgr")``.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from . import _fovea
from ._device import build_info, cuda_absence, devices
from ._fovea import DeviceArray
from .errors import Cancelled, DeviceError, Error, FormatError, InvalidArgument, InvalidType, IoError, ModelError, WriteError

if TYPE_CHECKING:
    from . import actions, emd, errors, files, flow, mesh, ops, people, scenes
    from ._run import Operation, operations, run
    from .files import models, read_image, read_video, write_image, write_video
    from ._rules import set_color, set_strict
    from .kmeans import KMeans

__version__: str = _fovea.__version__

__all__ = [
    "Cancelled",
    "DeviceArray",
    "DeviceError",
    "Error",
    "FormatError",
    "InvalidArgument",
    "InvalidType",
    "IoError",
    "KMeans",
    "ModelError",
    "Operation",
    "WriteError",
    "actions",
    "build_info",
    "cuda_absence",
    "devices",
    "emd",
    "errors",
    "files",
    "flow",
    "mesh",
    "models",
    "operations",
    "ops",
    "people",
    "read_image",
    "read_video",
    "run",
    "scenes",
    "set_color",
    "set_strict",
    "write_image",
    "write_video",
]

# Systems are imported when they are first used, so that importing fovea takes little longer than importing NumPy.
_MODULES = {"actions", "emd", "errors", "files", "flow", "mesh", "ops", "people", "scenes"}
_PLACES = {
    "KMeans": "kmeans",
    **dict.fromkeys(("models", "read_image", "read_video", "write_image", "write_video"), "files"),
    **dict.fromkeys(("Operation", "operations", "run"), "_run"),
    **dict.fromkeys(("set_color", "set_strict"), "_rules"),
}


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(f"{__name__}.{name}")
    if name in _PLACES:
        return getattr(importlib.import_module(f"{__name__}.{_PLACES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
