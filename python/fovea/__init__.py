"""Exact, explainable computer vision at hardware speed.

The systems are modules: :mod:`fovea.people` finds people and :mod:`fovea.flow` estimates motion. Images are NumPy arrays of
uint8 in RGB order, arrays of other libraries that speak DLPack, images of PIL, or paths of files.
"""

from __future__ import annotations

from . import _fovea
from . import actions, emd, errors, files, flow, mesh, people
from ._device import build_info, cuda_absence, devices
from .errors import Cancelled, DeviceError, Error, FormatError, InvalidArgument, InvalidType, IoError, ModelError, WriteError
from .files import models, read_image, read_video, write_image

__version__: str = _fovea.__version__

__all__ = [
    "Cancelled",
    "DeviceError",
    "Error",
    "FormatError",
    "InvalidArgument",
    "InvalidType",
    "IoError",
    "ModelError",
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
    "people",
    "read_image",
    "read_video",
    "write_image",
]
