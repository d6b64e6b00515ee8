"""People in images and video."""

from __future__ import annotations

from ._detect import Detection, Detections, Detector, detect
from ._evaluate import Difference, Evaluation, StageCount, WindowEvaluation, evaluate, evaluate_windows
from ._model import Model, load_model
from ._train import train

__all__ = [
    "Detection",
    "Detections",
    "Detector",
    "Difference",
    "Evaluation",
    "Model",
    "StageCount",
    "WindowEvaluation",
    "detect",
    "evaluate",
    "evaluate_windows",
    "load_model",
    "train",
]
