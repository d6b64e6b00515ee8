"""Actions in video: interest points, recognition while it happens, classes of whole clips, training and evaluation.

A video is a path of a file or of a folder of images, an array of shape (frames, height, width) or (frames, height,
width, 3), or any iterable of frames. Frames are uint8, gray or RGB, and all of one size. Points, and files of points,
stand in place of videos.
"""

from ._classify import Classifier, ClipClass, classify
from ._evaluate import ClipEvaluation, EventCounts, StreamEvaluation, StreamPoint, evaluate, evaluate_stream
from ._explain import ActionExplanation, ClipExplanation, EventExplanation, MatchExplanation
from ._match import Match, match
from ._model import LateFusion, Model, Prototype, RejectRule, load_model
from ._points import Points, convert_points, is_points_file, make_points, points, read_points, write_points
from ._recognize import Event, Events, Recognizer, recognize
from ._train import CurvePoint, Evaluation, Method, UnknownActions, cross_validate, train

__all__ = [
    "ActionExplanation",
    "Classifier",
    "ClipClass",
    "ClipEvaluation",
    "ClipExplanation",
    "CurvePoint",
    "Evaluation",
    "Event",
    "EventCounts",
    "EventExplanation",
    "Events",
    "LateFusion",
    "Match",
    "MatchExplanation",
    "Method",
    "Model",
    "Points",
    "Prototype",
    "Recognizer",
    "RejectRule",
    "StreamEvaluation",
    "StreamPoint",
    "UnknownActions",
    "classify",
    "convert_points",
    "cross_validate",
    "evaluate",
    "evaluate_stream",
    "is_points_file",
    "load_model",
    "make_points",
    "match",
    "points",
    "read_points",
    "recognize",
    "train",
    "write_points",
]
