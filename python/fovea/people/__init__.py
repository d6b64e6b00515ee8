"""People in images and video."""

from ._detect import Detection, Detections, Detector, WindowExplanation, detect
from ._evaluate import Difference, Evaluation, StageCount, WindowEvaluation, calibrate, evaluate, evaluate_windows
from ._model import Model, load_model
from ._study import Study, StudyVariant, study
from ._track import Track, Tracker, TrackReport, Tracks, evaluate_tracks, read_mot, track
from ._train import train

__all__ = [
    "Detection",
    "Detections",
    "Detector",
    "Difference",
    "Evaluation",
    "Model",
    "StageCount",
    "Study",
    "StudyVariant",
    "Track",
    "TrackReport",
    "Tracker",
    "Tracks",
    "WindowEvaluation",
    "WindowExplanation",
    "calibrate",
    "detect",
    "evaluate",
    "evaluate_tracks",
    "evaluate_windows",
    "load_model",
    "read_mot",
    "study",
    "track",
    "train",
]
