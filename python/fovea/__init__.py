"""Exact, explainable computer vision at hardware speed.

The systems are modules: :mod:`fovea.people` finds people, :mod:`fovea.flow` estimates motion and :mod:`fovea.scenes`
tells places apart. Images are NumPy arrays of uint8 in RGB order, arrays of other libraries that speak DLPack, images of
PIL, or paths of files.
"""

from __future__ import annotations

from . import _fovea
from . import actions, emd, errors, files, flow, mesh, people, scenes
from ._device import build_info, cuda_absence, devices
from .errors import Cancelled, DeviceError, Error, FormatError, InvalidArgument, InvalidType, IoError, ModelError, WriteError
from .files import models, read_image, read_video, write_image
from .kmeans import KMeans

__version__: str = _fovea.__version__

__all__ = [
    "Cancelled",
    "DeviceError",
    "Error",
    "FormatError",
    "InvalidArgument",
    "InvalidType",
    "IoError",
    "KMeans",
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
    "scenes",
    "write_image",
]
