"""Clusters of points by k-means, the same to the bit for any number of threads and on any device."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from . import _fovea
from ._clusters import squared_distances, weighted_clusters
from ._estimator import Estimator, weights_of
from ._keywords import default_of, takes_options
from ._options import KmeansFitOptions, Self, Unpack
from ._progress import Progress, reporting

__all__ = ["KMeans"]


def __dir__() -> list[str]:
    return __all__


Floats = np.ndarray[Any, np.dtype[np.float32]]
Labels = np.ndarray[Any, np.dtype[np.int32]]

# Numbers whose distances are in memory at a time.
_BLOCK = 1 << 17


class KMeans(Estimator):
    """Divides points into clusters. It follows the rules of scikit-learn's estimators, with points of float32 that are
    not copied. The same points, parameters and ``random_state`` give the same bits on any device.

    >>> fovea.KMeans(2).fit([[0], [1], [9], [10]]).predict([[2], [8]]).tolist()
    [0, 1]"""

    cluster_centers_: Floats  #: one center per row
    labels_: Labels  #: the nearest center of each point of ``fit``, or of the last batch
    counts_: np.ndarray[Any, np.dtype[np.int64]]  #: points of each cluster
    inertia_: float  #: sum of the squared distances of the points to their centers
    inertias_: np.ndarray[Any, np.dtype[np.float64]]  #: the same before each iteration
    n_iter_: int  #: iterations of the start that counts
    converged_: bool  #: whether they ended before ``max_iter``

    _table = _fovea.kmeans.fit_options()
    _estimator_type = "clusterer"

    # Three options are written out, because scikit-learn takes the first by its place and knows other words for the rest.
    @takes_options(_table, rules=())
    def __init__(  # type: ignore[misc]
        self,
        n_clusters: int | None = default_of(_table, "n_clusters"),
        *,
        init: Any = default_of(_table, "init"),
        n_init: int | Literal["auto"] | None = default_of(_table, "n_init"),
        **options: Unpack[KmeansFitOptions],
    ) -> None:
        """Takes the parameters; ``fit`` checks them. ``init="k-means++"`` is another word for ``"plus-plus"``, an array
        holds the centers to begin with, and ``n_init="auto"`` tries one start, or ten where they are random.
        ``random_state`` may also be a RandomState or a Generator of NumPy's."""
        super().__init__(n_clusters=n_clusters, init=init, n_init=n_init, **options)

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, *, progress: Progress = False) -> Self:
        """Finds the clusters of points, one per row of an array of float32. ``y`` is not used.

        ``sample_weight`` has one number of 0 or more per point. With it, or with an array as ``init``, sums are in double
        precision instead of whole numbers; they too are the same in every run and for any number of threads."""
        points, keywords = self._samples(X, first=True), self._keywords()
        with reporting(progress) as report:
            if sample_weight is None and (keywords["init"] is None or isinstance(keywords["init"], str)):
                found = _fovea.kmeans.fit(points, keywords, report)
            else:
                found = weighted_clusters(points, sample_weight, keywords, report)
        self.cluster_centers_ = found["centers"]
        self.labels_ = found["labels"]
        self.counts_ = found["counts"]
        self.inertia_ = found["inertia"]
        self.inertias_ = found["inertias"]
        self.n_iter_ = found["iterations"]
        self.converged_ = found["converged"]
        self._remember(X, self.cluster_centers_.shape[1])
        self.parameters_ = keywords
        self._held = None
        return self

    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Goes on with one more batch of points, in host memory, which need not be kept: mini-batch k-means for more points
        than memory holds. The first batch begins as ``fit`` does, unless ``fit`` came before; then each center is the mean
        of all points that were nearest to it when they came. ``labels_`` and ``inertia_`` are those of this batch."""
        if not hasattr(self, "cluster_centers_"):
            return self.fit(X)
        points, held = self._samples(X), self._kept()
        if "batches" not in held:
            held["batches"] = _fovea.kmeans.Batches(held["centers"], self.counts_, self._fitted_parameters())
        batches = held["batches"]
        self.inertia_ = batches.push(points)
        self.cluster_centers_, self.counts_ = batches.centers, batches.counts
        self._held = {"centers": self.cluster_centers_, "batches": batches}
        self.labels_ = self._search().find(points)
        return self

    def predict(self, X: Any) -> Any:
        """The number of the nearest center of each point, as int32: a NumPy array, or a DeviceArray for points on a GPU.

        Numbers that are not finite are refused; on a GPU they are not looked for, and such a point gets any label."""
        self._require_fitted()
        return self._search().find(self._samples(X))

    def fit_predict(self, X: Any, y: Any = None, sample_weight: Any = None, *, progress: Progress = False) -> Labels:
        """Finds the clusters and returns the one of each point."""
        return self.fit(X, sample_weight=sample_weight, progress=progress).labels_

    def transform(self, X: Any) -> Floats:
        """The distance of each point to each center."""
        self._require_fitted()
        points = self._samples(X)
        self._search().check(points)
        centers = self.cluster_centers_.astype(np.float64)
        squares = np.einsum("ij,ij->i", centers, centers)
        turned = np.ascontiguousarray(-2 * centers.T)
        distances = np.empty((len(points), len(centers)), np.float32)
        step = max(1, _BLOCK // max(len(centers), points.shape[1]))
        for first in range(0, len(points), step):
            block = points[first : first + step].astype(np.float64)
            squared = block @ turned
            squared += squares
            squared += np.einsum("ij,ij->i", block, block)[:, None]
            np.maximum(squared, 0, out=squared)
            np.sqrt(squared, out=distances[first : first + step], casting="same_kind")
        return distances

    def fit_transform(self, X: Any, y: Any = None, sample_weight: Any = None, *, progress: Progress = False) -> Floats:
        """Finds the clusters and returns the distance of each point to each center."""
        return self.fit(X, sample_weight=sample_weight, progress=progress).transform(X)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """The sum of the squared distances of the points to their nearest centers, with a minus before it."""
        self._require_fitted()
        points = self._samples(X)
        squares = squared_distances(points, self.cluster_centers_, self._search().find(points))
        return -float(np.sum(squares if sample_weight is None else squares * weights_of(sample_weight, len(squares))))

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray[Any, Any]:
        """The names of the columns of ``transform``."""
        self._require_fitted()
        return np.array([f"{self._feature_prefix()}{i}" for i in range(len(self.cluster_centers_))], dtype=object)

    def _kept(self) -> dict[str, Any]:
        """What belongs to the centers: objects of the extension module."""
        held: dict[str, Any] | None = getattr(self, "_held", None)
        if held is None or held["centers"] is not self.cluster_centers_:
            held = self._held = {"centers": self.cluster_centers_}
        return held

    def _search(self) -> Any:
        held = self._kept()
        if "search" not in held:
            held["search"] = _fovea.kmeans.Nearest(held["centers"], {**self._fitted_parameters(), "init": None})
        return held["search"]

    def _keywords(self) -> dict[str, Any]:
        words = super()._keywords()
        if isinstance(words["init"], str) and words["init"] == "k-means++":
            words["init"] = "plus-plus"
        if isinstance(words["n_init"], str) and words["n_init"] == "auto":
            words["n_init"] = 10 if isinstance(words["init"], str) and words["init"] == "random" else 1
        return words
