"""Single points that are followed from one image to the next."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .. import _fovea
from .._keywords import takes_options
from .._options import FlowFollowOptions, Unpack
from ._estimate import Floats, stored


class Followed(NamedTuple):
    """What became of points."""

    points: Floats  #: where they are in the next image, float32 of the shape that they came in
    status: np.ndarray[Any, np.dtype[np.bool_]]  #: whether each was found
    error: Floats  #: mean absolute difference of gray levels (of 255) between its windows; 0 where it is lost


@takes_options(_fovea.flow.follow_options())
def follow(image: Any, next_image: Any, points: Any, guess: Any = None, **options: Unpack[FlowFollowOptions]) -> Followed:
    """Where points of an image are in the next one, by pyramidal Lucas-Kanade, as ``cv2.calcOpticalFlowPyrLK`` finds them.

    The images have one size and type: uint8, uint16 or float32; or they are paths. Points are x and y in pixels, an array of
    shape (points, 2), or (points, 1, 2) as OpenCV has it. They are looked for at ``guess`` first, or where they are in the
    first image. A point is lost where there is no texture, where it has left the image, and with ``check`` where it
    does not return when it is followed back.

    >>> texture = np.kron(np.random.default_rng(1).integers(0, 255, (12, 16)), np.ones((8, 8)))
    >>> points, status, error = fovea.flow.follow(texture, np.roll(texture, 2, axis=1), [[40.5, 40], [64, 50]])
    >>> points.round(1).tolist(), status.tolist()
    ([[42.5, 40.0], [66.0, 50.0]], [True, True])
    """
    places, status, error = _fovea.flow.follow(stored(image), stored(next_image), points, guess, dict(options))
    return Followed(places, status.astype(bool), error)
