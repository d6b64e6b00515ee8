"""Actions in video: interest points, recognition while it happens, training and evaluation.

A video is a path of a file or of a folder of images, an array of shape (frames, height, width) or (frames, height,
width, 3), or any iterable of frames. Frames are uint8, gray or RGB, and all of one size.
"""

from __future__ import annotations

from ._model import Model, Prototype, load_model
from ._points import Points, points, read_points
from ._recognize import Event, Events, Recognizer, recognize
from ._train import Evaluation, Method, cross_validate, train

__all__ = [
    "Evaluation",
    "Event",
    "Events",
    "Method",
    "Model",
    "Points",
    "Prototype",
    "Recognizer",
    "cross_validate",
    "load_model",
    "points",
    "read_points",
    "recognize",
    "train",
]
