"""Exact Earth Mover's Distances, maps of them, targets in multispectral cubes, and tracking by color."""

from __future__ import annotations

from ._distance import Distances, distance, emd, emd2
from ._maps import (
    Evaluation,
    Map,
    Mapper,
    Roc,
    adaptive_cosine,
    evaluate,
    map,
    matched_filter,
    mean_spectrum,
    read_cube,
    roc,
    spectral_angle,
    sum_of_differences,
)
from ._regions import Region, Regions
from ._shared import Box as Box
from ._shared import Ground as Ground
from ._tracking import Track, Tracker, TrackEvaluation, Tracks, evaluate_track, find, read_boxes, track

__all__ = [
    "Distances",
    "Evaluation",
    "Map",
    "Mapper",
    "Region",
    "Regions",
    "Roc",
    "Track",
    "TrackEvaluation",
    "Tracker",
    "Tracks",
    "adaptive_cosine",
    "distance",
    "emd",
    "emd2",
    "evaluate",
    "evaluate_track",
    "find",
    "map",
    "matched_filter",
    "mean_spectrum",
    "read_boxes",
    "read_cube",
    "roc",
    "spectral_angle",
    "sum_of_differences",
    "track",
]
