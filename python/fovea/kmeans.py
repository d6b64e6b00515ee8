"""Clusters of points by k-means, the same to the bit for any number of threads and on any device."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from . import _fovea
from ._estimator import Estimator
from ._keywords import default_of, takes_options
from ._progress import Progress, reporting

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

    from ._options import KmeansFitOptions

__all__ = ["KMeans"]

Floats = np.ndarray[Any, np.dtype[np.float32]]
Labels = np.ndarray[Any, np.dtype[np.int32]]

# Numbers whose distances are in memory at a time.
_BLOCK = 1 << 17


class KMeans(Estimator):
    """Divides points into clusters. It follows the rules of scikit-learn's estimators, with points of float32 that are
    not copied. The same points, parameters and ``random_state`` give the same bits on any device."""

    cluster_centers_: Floats  #: one center per row
    labels_: Labels  #: the nearest center of each point of ``fit``, or of the last batch
    counts_: np.ndarray[Any, np.dtype[np.int64]]  #: points of each cluster
    inertia_: float  #: sum of the squared distances of the points to their centers
    inertias_: np.ndarray[Any, np.dtype[np.float64]]  #: the same before each iteration
    n_iter_: int  #: iterations of the start that counts
    converged_: bool  #: whether they ended before ``max_iter``
    n_features_in_: int  #: numbers of a point

    _table = _fovea.kmeans.fit_options()
    _estimator_type = "clusterer"

    # Three options are written out, because scikit-learn takes the first by its place and knows other words for the rest.
    @takes_options(_table, rules=())
    def __init__(  # type: ignore[misc]
        self,
        n_clusters: int | None = default_of(_table, "n_clusters"),
        *,
        init: str | None = default_of(_table, "init"),
        n_init: int | Literal["auto"] | None = default_of(_table, "n_init"),
        **options: Unpack[KmeansFitOptions],
    ) -> None:
        """Takes the parameters; ``fit`` checks them. ``init="k-means++"`` is another word for ``"plus-plus"``, and
        ``n_init="auto"`` tries one start, or ten where they are random."""
        super().__init__(n_clusters=n_clusters, init=init, n_init=n_init, **options)

    def fit(self, X: Any, y: Any = None, *, progress: Progress = False) -> Self:
        """Finds the clusters of points, one per row of an array of float32. ``y`` is not used."""
        with reporting(progress) as report:
            found = _fovea.kmeans.fit(X, _keywords(self.get_params()), report)
        self.cluster_centers_ = found["centers"]
        self.labels_ = found["labels"]
        self.counts_ = found["counts"]
        self.inertia_ = found["inertia"]
        self.inertias_ = found["inertias"]
        self.n_iter_ = found["iterations"]
        self.converged_ = found["converged"]
        self.n_features_in_ = self.cluster_centers_.shape[1]
        self.parameters_ = self.get_params()
        self._nearest: Any = None
        self._batches: Any = None
        return self

    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Goes on with one more batch of points, in host memory, which need not be kept: mini-batch k-means for more points
        than memory holds. The first batch begins as ``fit`` does, unless ``fit`` came before; then each center is the mean
        of all points that were nearest to it when they came. ``labels_`` and ``inertia_`` are those of this batch."""
        if not hasattr(self, "cluster_centers_"):
            return self.fit(X)
        known = getattr(self, "_batches", None)
        if known is None or known[0] is not self.cluster_centers_:
            centers = np.ascontiguousarray(self.cluster_centers_)
            known = (None, _fovea.kmeans.Batches(centers, self.counts_, _keywords(self._fitted_parameters())))
        self.inertia_ = known[1].push(X)
        self.cluster_centers_, self.counts_ = known[1].centers, known[1].counts
        self._batches = (self.cluster_centers_, known[1])
        self.labels_ = self.predict(X)
        return self

    def predict(self, X: Any) -> Any:
        """The number of the nearest center of each point, as int32: a NumPy array, or a DeviceArray for points on a GPU.

        Numbers that are not finite are refused; on a GPU they are not looked for, and such a point gets any label."""
        return self._search().find(X)

    def fit_predict(self, X: Any, y: Any = None, *, progress: Progress = False) -> Labels:
        """Finds the clusters and returns the one of each point."""
        return self.fit(X, progress=progress).labels_

    def transform(self, X: Any) -> Floats:
        """The distance of each point to each center."""
        self._search().check(X)
        points = np.asarray(X)
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

    def fit_transform(self, X: Any, y: Any = None, *, progress: Progress = False) -> Floats:
        """Finds the clusters and returns the distance of each point to each center."""
        return self.fit(X, progress=progress).transform(X)

    def score(self, X: Any, y: Any = None) -> float:
        """The sum of the squared distances of the points to their nearest centers, with a minus before it."""
        labels = self.predict(X)
        points = np.asarray(X)
        step = max(1, _BLOCK // points.shape[1])
        inertia = 0.0
        for first in range(0, len(points), step):
            near = self.cluster_centers_[labels[first : first + step]]
            inertia += float(np.sum((points[first : first + step].astype(np.float64) - near) ** 2))
        return -inertia

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray[Any, Any]:
        """The names of the columns of ``transform``."""
        self._require_fitted()
        return np.array([f"{self._feature_prefix()}{i}" for i in range(len(self.cluster_centers_))], dtype=object)

    def _search(self) -> Any:
        keywords = _keywords(self._fitted_parameters())
        known = getattr(self, "_nearest", None)
        if known is None or known[0] is not self.cluster_centers_:
            search = _fovea.kmeans.Nearest(np.ascontiguousarray(self.cluster_centers_), keywords)
            known = self._nearest = (self.cluster_centers_, search)
        return known[1]


def _keywords(parameters: dict[str, Any]) -> dict[str, Any]:
    """The library's words for the parameters."""
    words = dict(parameters)
    if isinstance(words["init"], str) and words["init"] == "k-means++":
        words["init"] = "plus-plus"
    if isinstance(words["n_init"], str) and words["n_init"] == "auto":
        words["n_init"] = 10 if isinstance(words["init"], str) and words["init"] == "random" else 1
    return words
