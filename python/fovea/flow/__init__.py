"""The motion of every pixel between two images or along a video, disparities of stereo pairs, and what moves as one."""

from ._estimate import Errors, Estimator, Evaluation, Flow, FlowExplanation, estimate, evaluate, read, write
from ._follow import Followed, follow
from ._segment import (
    MotionRegion,
    MotionSegments,
    SegmentsEvaluation,
    evaluate_segments,
    segment,
    segment_field,
    segment_video,
)
from ._stereo import (
    Disparity,
    StereoErrors,
    StereoEvaluation,
    StereoMatcher,
    evaluate_stereo,
    read_disparity,
    stereo,
    visible_pixels,
    write_disparity,
)

__all__ = [
    "Disparity",
    "Errors",
    "Estimator",
    "Evaluation",
    "Flow",
    "FlowExplanation",
    "Followed",
    "MotionRegion",
    "MotionSegments",
    "SegmentsEvaluation",
    "StereoErrors",
    "StereoEvaluation",
    "StereoMatcher",
    "estimate",
    "evaluate",
    "evaluate_segments",
    "evaluate_stereo",
    "follow",
    "read",
    "read_disparity",
    "segment",
    "segment_field",
    "segment_video",
    "stereo",
    "visible_pixels",
    "write",
    "write_disparity",
]
