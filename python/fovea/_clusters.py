"""k-means of points that have weights, or with centers to begin with: Lloyd's iterations in double precision.

The nearest centers are found by the extension module, as everywhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from . import _fovea
from ._arguments import array_from, shown
from ._estimator import weights_of
from .errors import InvalidArgument, InvalidType

Floats = np.ndarray[Any, np.dtype[np.float32]]
Doubles = np.ndarray[Any, np.dtype[np.float64]]
Report = Callable[[str, float, float], None]

# Numbers that are in double precision at a time.
_BLOCK = 1 << 17


def squared_distances(points: Any, centers: Floats, labels: Any) -> Doubles:
    """The squared distance of each point to its center."""
    step = max(1, _BLOCK // points.shape[1])
    squares = np.empty(len(points))
    for first in range(0, len(points), step):
        part = slice(first, first + step)
        squares[part] = np.sum((points[part].astype(np.float64) - centers[labels[part]]) ** 2, axis=1)
    return squares


def weighted_clusters(points: Any, sample_weight: Any, keywords: dict[str, Any], report: Report | None) -> dict[str, Any]:
    """Clusters as the extension module returns them, for points in host memory."""
    if _fovea.lies_on_gpu(points):
        raise InvalidArgument("X lies on a GPU; with sample_weight or an array as init, points have to be on the CPU")
    if keywords["batch_size"]:
        raise InvalidArgument("batch_size has no use with sample_weight or an array as init")
    init = keywords["init"]
    given = None if init is None or isinstance(init, str) else _centers(init, keywords["n_clusters"], points.shape[1])
    plain = {**keywords, "init": init if given is None else None}
    # Whatever is wrong with points or options is found by the extension module: one iteration from one start.
    _fovea.kmeans.fit(points, {**plain, "max_iter": 1, "n_init": 1}, None)
    weights = np.ones(len(points)) if sample_weight is None else weights_of(sample_weight, len(points))
    heavy = int(np.count_nonzero(weights))
    if heavy < plain["n_clusters"]:
        raise InvalidArgument(f"{heavy} points with a weight above 0 are fewer than {plain['n_clusters']} clusters")
    starts = 1 if given is not None else plain["n_init"]
    best: dict[str, Any] = {}
    for start in range(starts):
        centers = _start(points, weights, plain, start) if given is None else given
        found = _lloyd(points, weights, centers, plain)
        best = found if not best or found["inertia"] < best["inertia"] else best
        if report:
            report("k-means", start + 1, starts)
    return best


def _centers(init: Any, clusters: Any, numbers: int) -> Floats:
    if callable(init):
        raise InvalidType(f"init is {shown(init)}; expected k-means++, plus-plus, random, spread or an array of centers")
    centers = array_from(init, "init", "an array of centers", False)
    if centers.shape != (clusters, numbers):
        raise InvalidArgument(f"init is of shape {centers.shape}; expected one center per cluster, ({clusters}, {numbers})")
    if not np.all(np.isfinite(centers)):
        raise InvalidArgument("init has a number that is NaN or inf; expected finite ones")
    return np.ascontiguousarray(centers, np.float32)


def _start(points: Floats, weights: Doubles, keywords: dict[str, Any], start: int) -> Floats:
    """Centers at points that are drawn by their weights, and for plus-plus by their squared distances too."""
    clusters = keywords["n_clusters"]
    rng = np.random.default_rng((keywords["random_state"], start))
    heavy = np.flatnonzero(weights)
    if keywords["init"] == "spread":
        return points[heavy[np.arange(clusters) * (len(heavy) // clusters)]]
    if keywords["init"] == "random":
        return points[rng.choice(len(points), clusters, replace=False, p=weights / weights.sum())]
    chosen = [int(rng.choice(len(points), p=weights / weights.sum()))]
    nearest = np.full(len(points), np.inf)
    while len(chosen) < clusters:
        nearest = np.minimum(nearest, squared_distances(points, points[chosen[-1:]], np.zeros(len(points), np.intp)))
        shares = nearest * weights
        shares = shares if shares.any() else weights
        chosen.append(int(rng.choice(len(points), p=shares / shares.sum())))
    return points[chosen]


def _lloyd(points: Floats, weights: Doubles, centers: Floats, keywords: dict[str, Any]) -> dict[str, Any]:
    clusters, inertias, converged = len(centers), [], False
    mean = np.average(points, axis=0, weights=weights)
    squares = squared_distances(points, mean[None], np.zeros(len(points), np.intp))
    within = keywords["tol"] * np.sqrt(np.average(squares, weights=weights)) if keywords["tol"] else -1.0
    labels = np.full(len(points), -1)
    for _ in range(keywords["max_iter"]):
        before, labels = labels, _fovea.kmeans.Nearest(np.ascontiguousarray(centers), keywords).find(points)
        squares = weights * squared_distances(points, centers, labels)
        inertias.append(float(squares.sum()))
        masses = np.bincount(labels, weights, clusters)
        empty = np.flatnonzero(masses == 0)
        if np.array_equal(before, labels) and not (empty.size and squares.any()):
            converged = True
            break
        moved = np.empty((clusters, points.shape[1]))
        for number in range(points.shape[1]):
            moved[:, number] = np.bincount(labels, weights * points[:, number], clusters)
        moved /= np.where(masses > 0, masses, 1)[:, None]
        # A cluster without points gets the point that lies farthest from its center, or stays where all lie at theirs.
        far = [point for point in np.argsort(-squares, kind="stable")[: empty.size] if squares[point] > 0]
        moved[empty] = centers[empty]
        moved[empty[: len(far)]] = points[far]
        shift = float(np.sqrt(np.max(np.sum((moved - centers) ** 2, axis=1))))
        centers = moved.astype(np.float32)
        if shift <= within:
            converged = True
            break
    labels = _fovea.kmeans.Nearest(np.ascontiguousarray(centers), keywords).find(points)
    inertia = float(np.sum(weights * squared_distances(points, centers, labels)))
    return {
        "centers": centers, "labels": labels, "counts": np.bincount(labels, minlength=clusters).astype(np.int64),
        "inertia": inertia, "inertias": np.array(inertias), "iterations": len(inertias), "converged": converged,
    }
