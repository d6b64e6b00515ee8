"""k-means: closed forms, scikit-learn's rules, and input that is refused."""

from __future__ import annotations

import inspect
import pickle
import tracemalloc

import numpy as np
import pytest
from conftest import seconds_to_stop

import fovea


@pytest.fixture
def blobs():
    """Three far clusters of 200 points of 5 numbers, and the cluster of each."""
    rng = np.random.default_rng(1)
    centers = np.array([[0] * 5, [9] * 5, [-9, 9, -9, 9, -9]], np.float32)
    truth = rng.permutation(np.repeat(np.arange(3), 200))
    return (centers[truth] + rng.normal(0, 0.3, (600, 5))).astype(np.float32), truth


def test_two_pairs_have_their_middles_as_centers():
    points = np.array([[0, 0], [2, 0], [100, 0], [104, 0]], np.float32)
    kmeans = fovea.KMeans(n_clusters=2).fit(points)
    assert sorted(kmeans.cluster_centers_.tolist()) == [[1, 0], [102, 0]]
    assert kmeans.inertia_ == 1 + 1 + 4 + 4 and kmeans.score(points) == -10
    assert kmeans.counts_.tolist() == [2, 2] and kmeans.converged_
    near = kmeans.predict(np.array([[-50, 3], [90, 3]], np.float32))
    assert kmeans.cluster_centers_[near].tolist() == [[1, 0], [102, 0]]
    distances = kmeans.transform(np.array([[1, 5]], np.float32))[0]
    assert sorted(distances.tolist()) == pytest.approx([5, np.hypot(101, 5)])


def test_clusters_are_found(blobs):
    points, truth = blobs
    kmeans = fovea.KMeans(n_clusters=3, random_state=3)
    labels = kmeans.fit_predict(points)
    assert len(set(zip(labels.tolist(), truth.tolist()))) == 3
    squared = ((points[:, None].astype(float) - kmeans.cluster_centers_) ** 2).sum(axis=2)
    assert np.array_equal(labels, squared.argmin(axis=1)) and np.array_equal(kmeans.predict(points), labels)
    assert kmeans.inertia_ == pytest.approx(squared.min(axis=1).sum(), rel=1e-6)
    assert kmeans.score(points) == pytest.approx(-kmeans.inertia_, rel=1e-6)
    assert np.allclose(kmeans.transform(points) ** 2, squared, rtol=1e-4)
    assert kmeans.n_iter_ == len(kmeans.inertias_) and kmeans.n_features_in_ == 5
    for cluster in range(3):
        assert np.allclose(kmeans.cluster_centers_[cluster], points[labels == cluster].mean(axis=0), atol=1e-5)


def test_results_do_not_depend_on_threads_but_on_the_seed(blobs):
    points = np.random.default_rng(2).normal(size=(3000, 8)).astype(np.float32)
    results = [fovea.KMeans(n_clusters=20, max_iter=5, threads=threads, device="cpu").fit(points) for threads in (1, 2)]
    assert np.array_equal(results[0].cluster_centers_, results[1].cluster_centers_)
    assert results[0].inertia_ == results[1].inertia_
    other = fovea.KMeans(n_clusters=20, max_iter=5, random_state=7, device="cpu").fit(points)
    assert not np.array_equal(results[0].cluster_centers_, other.cluster_centers_)
    several = fovea.KMeans(n_clusters=20, n_init=5, max_iter=5, device="cpu").fit(points)
    assert several.inertia_ <= results[0].inertia_


def test_batches_move_centers_to_the_means_of_what_came():
    kmeans = fovea.KMeans(2, device="cpu").partial_fit(np.array([[0], [2], [100]], np.float32))
    assert sorted(kmeans.cluster_centers_[:, 0].tolist()) == [1, 100]
    kmeans.partial_fit(np.array([[4], [4], [106]], np.float32))
    assert sorted(kmeans.cluster_centers_[:, 0].tolist()) == [2.5, 103]  # (0 + 2 + 4 + 4) / 4, (100 + 106) / 2
    assert sorted(kmeans.counts_.tolist()) == [2, 4] and kmeans.inertia_ == 9 + 9 + 36 and len(kmeans.labels_) == 3
    again = pickle.loads(pickle.dumps(kmeans)).partial_fit(np.array([[103]], np.float32))
    assert sorted(again.counts_.tolist()) == [3, 4]
    with pytest.raises(fovea.InvalidArgument, match="X has 2 features, but KMeans is expecting 1 features"):
        kmeans.partial_fit(np.zeros((3, 2), np.float32))
    with pytest.raises(fovea.InvalidArgument):
        kmeans.partial_fit(np.array([[np.nan]], np.float32))


def test_batches_end_near_those_of_scikit_learn():
    """The same start and batches as MiniBatchKMeans: the inertia over all points is within two percent."""
    cluster = pytest.importorskip("sklearn.cluster")
    rng = np.random.default_rng(5)
    middles = rng.normal(0, 3, (40, 8))
    points = (middles[rng.integers(0, 40, 20000)] + rng.normal(0, 1, (20000, 8))).astype(np.float32)
    start = fovea.KMeans(40, device="cpu").fit(points[:1000])
    theirs = cluster.MiniBatchKMeans(40, init=start.cluster_centers_, n_init=1, reassignment_ratio=0)
    for first in range(0, 20000, 1000):
        batch = points[first : first + 1000]
        theirs.partial_fit(batch)
        if first > 0:
            start.partial_fit(batch)
    assert abs(start.score(points) / theirs.score(points) - 1) < 0.02


def test_words_of_scikit_learn_are_taken(blobs):
    points, _ = blobs
    known = fovea.KMeans(n_clusters=3, init="k-means++").fit(points)
    ours = fovea.KMeans(n_clusters=3, init="plus-plus").fit(points)
    assert np.array_equal(known.cluster_centers_, ours.cluster_centers_)
    assert known.init == "k-means++"
    by_place = fovea.KMeans(3, n_init="auto").fit(points)
    assert np.array_equal(by_place.cluster_centers_, known.cluster_centers_) and by_place.n_init == "auto"
    several = fovea.KMeans(3, init="random", n_init="auto").fit(points)
    ten = fovea.KMeans(3, init="random", n_init=10).fit(points)
    assert np.array_equal(several.cluster_centers_, ten.cluster_centers_)
    assert fovea.KMeans().n_clusters == 8 and fovea.scenes.BagOfWords().words == 500
    with pytest.raises(TypeError, match="n_init is 'many'; expected a whole number"):
        fovea.KMeans(3, n_init="many").fit(points)
    with pytest.raises(TypeError, match="positional"):
        fovea.KMeans(3, "random")
    batches = fovea.KMeans(n_clusters=3, batch_size=100, max_iter=20, random_state=np.int64(5)).fit(points)
    assert batches.inertia_ < 3 * known.inertia_


def test_parameters_follow_the_rules_of_estimators(blobs):
    kmeans = fovea.KMeans(n_clusters=3, tol=0.5)
    parameters = kmeans.get_params()
    assert parameters["n_clusters"] == 3 and parameters["tol"] == 0.5 and parameters["random_state"] == 1234
    signature = inspect.signature(fovea.KMeans.__init__)
    assert [name for name in signature.parameters if name != "self"] == list(parameters)
    kept = object()
    assert fovea.KMeans(init=kept).init is kept  # fit() checks, not the constructor
    assert fovea.KMeans(**parameters).get_params() == parameters
    assert kmeans.set_params(n_clusters=5) is kmeans and kmeans.n_clusters == 5
    assert repr(kmeans) == "KMeans(n_clusters=5, tol=0.5)"
    assert not [name for name in vars(kmeans) if name.endswith("_")]
    with pytest.raises(TypeError, match="no keyword 'n_cluster'; did you mean 'n_clusters'"):
        fovea.KMeans(n_cluster=3)
    with pytest.raises(ValueError, match="no keyword"):
        kmeans.set_params(k=3)


def test_pickles_predict_the_same(blobs):
    points, _ = blobs
    kmeans = fovea.KMeans(n_clusters=3).fit(points)
    kmeans.predict(points)
    again = pickle.loads(pickle.dumps(kmeans))
    assert np.array_equal(again.predict(points), kmeans.labels_) and again.get_params() == kmeans.get_params()
    assert pickle.loads(pickle.dumps(fovea.KMeans(n_clusters=4))).n_clusters == 4
    again.set_params(n_clusters=0, threads=1)  # for the next fit, apart from threads
    assert np.array_equal(again.predict(points), kmeans.labels_)


def test_points_are_not_copied():
    wide = np.random.default_rng(4).normal(size=(20000, 64)).astype(np.float32)
    kmeans = fovea.KMeans(n_clusters=4, max_iter=2, device="cpu").fit(wide[:, :40])  # rows with a gap between them
    assert np.array_equal(kmeans.predict(wide[:, :40]), kmeans.predict(np.ascontiguousarray(wide[:, :40])))
    tracemalloc.start()
    kmeans.fit(wide).predict(wide)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < wide.nbytes / 4
    wide.flags.writeable = False
    kmeans.fit(wide)


@pytest.mark.parametrize(
    ("points", "words"),
    [
        (None, "X is None"),
        ("points", "X is of type str"),
        ([[1.0, 2.0], [3.0]], "X is of type list"),
        (np.zeros((9, 2), complex), "X is complex128 of shape (9, 2); expected an array of float32"),
        (np.full((9, 2), 2**30), "X is int64 of shape (9, 2) and holds 1073741824 at [0, 0], which float32 cannot hold"),
        (np.zeros(9, np.float32), "X is float32 of shape (9,)"),
        (np.float32(1), "X is an array of float32 and of shape ()"),
        (np.datetime64(0, "s"), "X is an array of datetime64[s] and of shape ()"),
        (np.zeros((9, 2), "M8[s]"), "X is an array of datetime64[s]"),
        (np.zeros((3, 3, 3), np.float32), "expected an array of float32 and of shape (points, numbers)"),
        (np.zeros((0, 2), np.float32), "X is empty"),
        (np.array([[1, 2], ["a", 3]], object), "X is an array of object"),
        (np.full((9, 2), np.nan, np.float32), "expected finite ones"),
        (np.full((9, 2), np.inf, np.float32), "expected finite ones"),
        (np.zeros((2, 2), np.float32), "2 points are fewer than 3 clusters"),
    ],
)
def test_bad_points_are_refused(points, words):
    with pytest.raises(fovea.InvalidArgument) as caught:
        fovea.KMeans(n_clusters=3).fit(points)
    assert words in str(caught.value) and "\n" not in str(caught.value)


def test_bad_points_of_predict_are_refused(blobs):
    kmeans = fovea.KMeans(n_clusters=3)
    for method in (kmeans.predict, kmeans.transform, kmeans.score):
        with pytest.raises(fovea.InvalidArgument, match="call fit"):
            method(blobs[0])
    kmeans.fit(blobs[0])
    for method in (kmeans.predict, kmeans.transform, kmeans.score):
        with pytest.raises(ValueError, match="X has 4 features, but KMeans is expecting 5 features"):
            method(np.zeros((3, 4), np.float32))
        with pytest.raises(ValueError, match="expected finite ones"):
            method(np.full((3, 5), np.nan, np.float32))
        with pytest.raises(TypeError, match="X is None"):
            method(None)


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"n_clusters": 0}, "expected a whole number from 1 to 65535"),
        ({"n_clusters": 2.5}, "n_clusters is 2.5"),
        ({"init": "best"}, "expected plus-plus, random or spread"),
        ({"random_state": "today"}, "random_state is 'today'"),
        ({"tol": -1}, "expected a number from 0 to 1"),
    ],
)
def test_bad_parameters_are_refused_by_fit(parameters, words):
    with pytest.raises(fovea.InvalidArgument) as caught:
        fovea.KMeans(**parameters).fit(np.zeros((9, 2), np.float32))
    assert words in str(caught.value)


def test_progress_and_ctrl_c():
    points = np.random.default_rng(5).normal(size=(40000, 32)).astype(np.float32)
    reports = []
    fovea.KMeans(n_clusters=8, max_iter=4, device="cpu").fit(points[:3000], progress=lambda *r: reports.append(r))
    assert reports[-1] == ("k-means", 4, 4)
    kmeans = fovea.KMeans(n_clusters=300, max_iter=100000, n_init=1000, device="cpu", threads=1)
    seconds_to_stop(lambda: kmeans.fit(points), 0.2)
    assert kmeans.set_params(n_clusters=2, max_iter=2, n_init=1).fit(points).n_iter_ <= 2


def test_scikit_learn_takes_it(blobs):
    pytest.importorskip("sklearn")
    from sklearn.base import clone, is_clusterer
    from sklearn.cluster import KMeans
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.utils.validation import check_is_fitted

    points, _ = blobs
    kmeans = fovea.KMeans(n_clusters=3, random_state=0)
    assert clone(kmeans).get_params() == kmeans.get_params() and is_clusterer(kmeans)
    pipeline = make_pipeline(StandardScaler(), kmeans)
    assert sorted(np.bincount(pipeline.fit_predict(points))) == [200, 200, 200]
    check_is_fitted(kmeans)
    rival = KMeans(3, n_init=1, random_state=0).fit(points)
    assert fovea.KMeans(n_clusters=3).fit(points).inertia_ == pytest.approx(rival.inertia_, rel=1e-4)


def test_centers_that_are_replaced_are_used():
    points = np.random.default_rng(5).normal(size=(60, 3)).astype(np.float32)
    found = fovea.KMeans(4, device="cpu").fit(points)
    found.predict(points)
    found.cluster_centers_ = found.cluster_centers_[::-1].copy()
    assert np.array_equal(found.predict(points), np.argmin(found.transform(points), axis=1))
