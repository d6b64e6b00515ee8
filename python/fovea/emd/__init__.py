"""Exact Earth Mover's Distances, maps of them, targets in multispectral cubes, and tracking by color."""

from ._distance import Distances, distance, pairwise
from ._maps import (
    Evaluation,
    Map,
    MapExplanation,
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
from ._pot import emd, emd2
from ._regions import Region, Regions
from ._shared import Box as Box
from ._shared import Ground as Ground
from ._tracking import (
    Track,
    Tracker,
    TrackEvaluation,
    TrackExplanation,
    Tracks,
    evaluate_track,
    find,
    read_boxes,
    track,
)

__all__ = [
    "Distances",
    "Evaluation",
    "Map",
    "MapExplanation",
    "Mapper",
    "Region",
    "Regions",
    "Roc",
    "Track",
    "TrackEvaluation",
    "TrackExplanation",
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
    "pairwise",
    "read_boxes",
    "read_cube",
    "roc",
    "spectral_angle",
    "sum_of_differences",
    "track",
]
