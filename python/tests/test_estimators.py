"""The rules of scikit-learn's estimators, by its own checks and beyond them."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pytest

import fovea

sklearn = pytest.importorskip("sklearn", reason="scikit-learn is not installed")
from sklearn.base import clone  # noqa: E402
from sklearn.exceptions import NotFittedError  # noqa: E402
from sklearn.utils.estimator_checks import check_estimator  # noqa: E402

ESTIMATORS = [fovea.KMeans(3), fovea.ops.LinearSVM(), fovea.ops.KernelSVM(), fovea.scenes.BagOfWords(words=2, samples=9)]
# scikit-learn's own KMeans and LinearSVC are excepted from this check as well.
EXCEPTED = {
    fovea.KMeans: "points that are drawn as first centers depend on the order of points",
    fovea.ops.LinearSVM: "solutions agree within tol, and the check wants seven digits",
    fovea.ops.KernelSVM: "solutions agree within tol, and the check wants seven digits",
}


@pytest.fixture
def clouds():
    rng = np.random.default_rng(3)
    points = np.concatenate([rng.normal(middle, 0.4, (60, 3)) for middle in ((0, 0, 0), (4, 0, 0), (0, 4, 0))])
    return points, np.repeat(["a", "b", "c"], 60)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda estimator: type(estimator).__name__)
def test_the_checks_of_scikit_learn_pass(estimator):
    why = EXCEPTED.get(type(estimator))
    excepted = {"check_sample_weight_equivalence_on_dense_data": why} if why else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that the class is none of scikit-learn's
        done = check_estimator(estimator, on_skip=None, expected_failed_checks=excepted)
    passed = [check["check_name"] for check in done if check["status"] == "passed"]
    assert {check["status"] for check in done} <= {"passed", "skipped", "xfail"}
    assert len(passed) > 40 or isinstance(estimator, fovea.scenes.BagOfWords)


def test_a_bag_of_words_says_that_it_takes_images():
    rng = np.random.default_rng(1)
    images = [rng.integers(0, 255, (40 + i, 50, 3), dtype=np.uint8) for i in range(4)]
    bag = clone(fovea.scenes.BagOfWords(words=3, samples=40, device="cpu", seed=np.random.RandomState(4)))
    assert not bag.__sklearn_tags__().input_tags.two_d_array
    with pytest.raises(NotFittedError):
        bag.transform(images)
    counted = bag.fit_transform(images)
    before = dict(vars(bag))
    assert np.array_equal(pickle.loads(pickle.dumps(bag)).transform(images), counted)
    assert bag.transform(images).shape == (4, 3) and vars(bag) == before


@pytest.mark.parametrize("kind", [fovea.KMeans, fovea.ops.LinearSVM, fovea.ops.KernelSVM, fovea.scenes.BagOfWords])
def test_what_has_learned_nothing_is_an_error_of_both(kind):
    for name in ("predict", "transform", "decision_function", "score", "get_feature_names_out"):
        method = getattr(kind(), name, None)
        if method is None:
            continue
        with pytest.raises(NotFittedError, match="call fit\\(\\) first") as caught:
            method(*([[[1.0]], [1]][: 2 if name == "score" and kind is not fovea.KMeans else 1]))
        assert isinstance(caught.value, fovea.InvalidArgument)


def test_numbers_of_any_type_learn_the_same(clouds):
    points, names = (np.round(100 * clouds[0]), clouds[1])
    ours = fovea.KMeans(3).fit(points.astype(np.float32))
    for kind in (np.float64, np.int32, np.int64, object):
        assert np.array_equal(fovea.KMeans(3).fit(points.astype(kind)).labels_, ours.labels_)
        assert np.array_equal(ours.predict(points.astype(kind)), ours.labels_)
        assert fovea.ops.LinearSVM().fit(points.astype(kind), names).score(points.tolist(), names.tolist()) > 0.95


def test_weights_count_as_often_as_points(clouds):
    points = clouds[0].astype(np.float32)
    weights = np.random.default_rng(1).integers(0, 4, len(points))
    start = points[[5, 70, 130]]
    repeated = fovea.KMeans(3, init=start).fit(points.repeat(weights, axis=0))
    weighted = fovea.KMeans(3, init=start).fit(points, sample_weight=weights)
    assert np.allclose(weighted.cluster_centers_, repeated.cluster_centers_, atol=1e-5)
    assert weighted.inertia_ == pytest.approx(repeated.inertia_, rel=1e-6)
    assert weighted.score(points, sample_weight=weights) == pytest.approx(-weighted.inertia_, rel=1e-9)
    assert weighted.score(points) != weighted.score(points, sample_weight=weights)
    theirs = sklearn.cluster.KMeans(3, init=start, n_init=1, tol=0).fit(points, sample_weight=weights)
    assert np.allclose(weighted.cluster_centers_, theirs.cluster_centers_, atol=1e-4)
    assert np.array_equal(weighted.labels_, theirs.labels_)
    for start in ("k-means++", "random", "spread"):
        found = [fovea.KMeans(3, init=start, n_init=4, threads=t).fit(points, sample_weight=weights) for t in (1, 2)]
        assert np.array_equal(found[0].cluster_centers_, found[1].cluster_centers_)
        assert found[0].inertia_ == pytest.approx(weighted.inertia_, rel=1e-4) and found[0].converged_


def test_centers_are_where_they_were_said_to_begin(clouds):
    points = clouds[0].astype(np.float32)
    one = fovea.KMeans(3, init=points[:3], max_iter=1).fit(points)
    labels = ((points[:, None] - points[:3]) ** 2).sum(axis=2).argmin(axis=1)
    means = np.stack([points[labels == i].astype(np.float64).mean(axis=0) for i in range(3)])
    assert np.allclose(one.cluster_centers_, means, atol=1e-5) and one.n_iter_ == 1 and not one.converged_
    far = fovea.KMeans(2, init=[[0.0, 0, 0], [999, 999, 999]]).fit(points)  # nobody is near the second
    assert sorted(far.counts_.tolist()) == [60, 120]
    assert far.n_iter_ == len(far.inertias_) and np.array_equal(far.predict(points), far.labels_)
    same = fovea.KMeans(2, init=[[1.0], [1.0]]).fit(np.ones((5, 1)))
    assert same.inertia_ == 0 and same.converged_
    for wrong, words in (
        (points[:2], "init is of shape (2, 3); expected one center per cluster, (3, 3)"),
        (points[:3] * np.nan, "NaN"), ("middle", "init is 'middle'"), (len, "init is"),
    ):
        with pytest.raises(fovea.InvalidArgument) as caught:
            fovea.KMeans(3, init=wrong).fit(points)
        assert words in str(caught.value)
    for keywords in ({"init": points[:3], "batch_size": 5}, {"batch_size": 5}):
        with pytest.raises(fovea.InvalidArgument, match="batch_size has no use"):
            fovea.KMeans(3, **keywords).fit(points, sample_weight=np.ones(len(points)))


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        (np.ones(3), "sample_weight has 3 elements for 180 samples"), (-np.ones(180), "sample_weight holds"),
        (np.full(180, np.nan), "finite number"), (np.zeros(180), "zero for every sample"), ("x", "sample_weight is of type str"),
        (np.eye(180)[0] > 0, "1 points with a weight above 0 are fewer than 3 clusters"),
    ],
)
def test_weights_that_cannot_be_are_refused(clouds, weights, words):
    with pytest.raises(fovea.InvalidArgument) as caught:
        fovea.KMeans(3).fit(clouds[0], sample_weight=weights)
    assert words in str(caught.value)
    with pytest.raises(fovea.InvalidArgument):
        fovea.ops.LinearSVM().fit(*clouds, sample_weight=weights)


def test_random_states_draw_the_seed(clouds):
    points = clouds[0]
    for make in (np.random.RandomState, np.random.default_rng):
        one, same, other = (fovea.KMeans(9, max_iter=1, random_state=make(seed)).fit(points) for seed in (1, 1, 2))
        assert np.array_equal(one.cluster_centers_, same.cluster_centers_)
        assert not np.array_equal(one.cluster_centers_, other.cluster_centers_)
        assert len(one.predict(points)) == len(points) and one.parameters_["random_state"] >= 0
        fovea.ops.LinearSVM(random_state=make(1)).fit(*clouds).predict(points)


def test_names_of_columns_are_kept_and_compared(clouds):
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(clouds[0], columns=["x", "y", "z"])
    for estimator in (fovea.KMeans(3), fovea.ops.LinearSVM()):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            estimator.fit(table, clouds[1])
            assert estimator.feature_names_in_.tolist() == ["x", "y", "z"] and estimator.n_features_in_ == 3
            estimator.predict(table)
        with pytest.warns(UserWarning, match="X does not have valid feature names, but"):
            estimator.predict(clouds[0])
        for columns, words in ((["z", "y", "x"], "same order"), (["x", "y", "w"], "'w' was unseen at fit time")):
            with pytest.raises(fovea.InvalidArgument, match=f"feature names should match.*{words}"):
                estimator.predict(table.set_axis(columns, axis=1))
        with pytest.raises(fovea.InvalidArgument, match="'z' was seen at fit time and is missing"):
            estimator.predict(table[["x", "y"]])
        again = pickle.loads(pickle.dumps(estimator))
        assert again.feature_names_in_.tolist() == ["x", "y", "z"]
        estimator.fit(clouds[0], clouds[1])
        assert not hasattr(estimator, "feature_names_in_")
        with pytest.warns(UserWarning, match="X has feature names, but"):
            estimator.predict(table)


def test_strict_holds_for_estimators(clouds):
    points = clouds[0].astype(np.float32)
    kmeans = fovea.KMeans(3).fit(points)
    fovea.set_strict()
    try:
        kmeans.predict(points[:, :])
        for wrong in (clouds[0], clouds[0].tolist(), np.asfortranarray(points)):
            with pytest.raises(fovea.InvalidType, match="strict forbids"):
                kmeans.predict(wrong)
    finally:
        fovea.set_strict(False)
