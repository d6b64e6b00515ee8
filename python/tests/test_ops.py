"""Single operations: the program's bytes, closed forms, rivals, and input that is refused."""

from __future__ import annotations

import inspect
import pickle
import re
import tracemalloc
import warnings

import numpy as np
import pytest
from conftest import seconds_to_stop

import fovea
from fovea import ops

KERNEL = np.array([[0, -1, 0], [-1, 5, -1], [0, -1, 0.25]], np.float32)


@pytest.fixture
def image():
    return np.random.default_rng(1).integers(0, 255, (37, 53, 3), dtype=np.uint8)


@pytest.fixture
def gray(image):
    return np.ascontiguousarray(image[:, :, 0])


def typed(dtype):
    """An image of a type, with values over much of its range."""
    values = np.random.default_rng(2).normal(0.4, 0.2, (21, 33, 3))
    if np.dtype(dtype).kind == "f":
        return values.astype(dtype)
    return (values.clip(0 if np.dtype(dtype).kind == "u" else -1, 1) * np.iinfo(dtype).max).astype(dtype)


def same(ours, theirs):
    """Equal to the byte, zeros with their signs included."""
    return ours.dtype == theirs.dtype and ours.shape == theirs.shape and ours.tobytes() == theirs.tobytes()


# The program.


@pytest.fixture
def verb(program, tmp_path):
    """What a verb of the program writes for an image."""

    def run(words: str, image: np.ndarray) -> np.ndarray:
        np.save(tmp_path / "in.npy", image)
        np.save(tmp_path / "kernel.npy", KERNEL)
        program(f"fovea ops {words} --device cpu INPUT -o OUT", INPUT=tmp_path / "in.npy", OUT=tmp_path / "out.npy",
                KERNEL=tmp_path / "kernel.npy")
        return np.load(tmp_path / "out.npy")

    return run


EXACT = [np.uint8, np.uint16, np.int8, np.int16, np.float32]


@pytest.mark.parametrize("dtype", EXACT)
def test_the_program_gives_the_same_bytes_for_every_type(verb, dtype):
    image = typed(dtype)
    assert same(ops.resize(image, width=17), verb("resize --width 17", image))
    assert same(ops.gaussian_blur(image, 1.5, border="wrap"), verb("blur --sigma 1.5 --border wrap", image))
    assert same(ops.convolve(image, KERNEL), verb("convolve --kernel KERNEL", image))
    assert same(
        ops.convolve(image, KERNEL, gain=0.3, offset=7, dtype=np.float32, flip=True, anchor_x=0),
        verb("convolve --kernel KERNEL --gain 0.3 --offset 7 --float --flip --anchor-x 0", image),
    )


def test_the_program_gives_the_same_bytes(verb, image, gray):
    assert same(ops.resize(image, scale=0.4, antialias=True), verb("resize --scale 0.4 --antialias", image))
    assert same(ops.resize(image, width=80, height=20), verb("resize --width 80 --height 20", image))
    kernel = ops.laplacian_of_gaussian_kernel(2)
    ours = ops.convolve(image, kernel, gain=8, offset=128)
    assert same(ours, verb("convolve --laplacian 2 --gain 8 --offset 128", image)) and ours.std() > 1
    magnitude, bins = ops.polar_gradient(image, bins=7, signed_angle=True)
    assert same(magnitude, verb("gradient", image))
    assert same(bins.astype(np.float32), verb("gradient --show orientation --bins 7 --signed-angle", image))
    for kernel, weight in (("centered", 1), ("sobel", 4), ("scharr", 16)):
        dx, dy = ops.gradient(image, kernel=kernel)
        assert same(dx.astype(np.float32) / weight, verb(f"gradient --show dx --kernel {kernel}", image))
        assert same(dy.astype(np.float32) / weight, verb(f"gradient --show dy --kernel {kernel}", image))
    counts = ops.window_histogram(ops.quantize(gray, levels=6, low=20, high=200), 6, window_width=5, border="repeat")
    words = "histogram --levels 6 --low 20 --high 200 --window-width 5 --border repeat"
    assert same(counts, verb(words, gray))


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.uint32, np.int8, np.int16, np.int32, np.float32, np.float64])
def test_integral_images_are_those_of_the_program(verb, dtype):
    image = typed(dtype)
    assert same(ops.integral(image, device="cpu"), verb("integral", image))
    sums = ops.integral(image, dtype=np.float32, kind="inclusive", squares=True, device="cpu")
    assert same(sums, verb("integral --type float --kind inclusive --squares", image))


@pytest.mark.parametrize("width", [1, 7, 8, 15, 17, 33, 640, 641])
@pytest.mark.parametrize("threads", [1, 2])
def test_integral_images_of_bytes_are_exact(width, threads):
    bright = np.full((19, width), 255, np.uint8)
    for image in (bright, np.random.default_rng(width).integers(0, 256, bright.shape, dtype=np.uint8)):
        expected = np.pad(image.astype(np.int64).cumsum(axis=0).cumsum(axis=1), ((1, 0), (1, 0)))
        for dtype in (np.float64, np.uint32, np.int32, np.uint64):
            found = ops.integral(image, dtype=dtype, device="cpu", threads=threads)
            assert found.dtype == dtype and np.array_equal(found, expected)


@pytest.mark.parametrize("dtype", EXACT)
def test_pyramids_are_those_of_the_program(program, tmp_path, dtype):
    image = typed(dtype)
    np.save(tmp_path / "in.npy", image)
    for words, options in (
        ("--filter gaussian --min-width 3 --min-height 3", {"filter": "gaussian", "min_width": 3, "min_height": 3}),
        ("--ratio 1.3 --levels 2 --filter triangle", {"ratio": 1.3, "levels": 2, "filter": "triangle"}),
    ):
        places = {"INPUT": tmp_path / "in.npy", "OUT": tmp_path / "out.npy"}
        program(f"fovea ops pyramid INPUT --device cpu -o OUT {words}", **places)
        levels = ops.pyramid(image, **options)
        assert len(levels) > 1 and np.array_equal(levels[0], image) and not np.shares_memory(levels[0], image)
        for number, level in enumerate(levels):
            assert same(level, np.load(tmp_path / f"out-{number}.npy"))
        sizes = ops.pyramid_sizes(33, 21, **options)
        assert sizes == [level.shape[1::-1] for level in levels]


# Arrays in and out.


def test_files_are_read_as_read_image_reads_them(image, tmp_path):
    path = tmp_path / "image.png"
    fovea.write_image(path, image)
    fovea.write_image(tmp_path / "turned.png", image, orientation=6)
    assert np.array_equal(ops.resize(path, width=9), ops.resize(image, width=9))
    assert np.array_equal(ops.gradient(str(path)).dx, ops.gradient(image).dx)
    turned = ops.gaussian_blur(tmp_path / "turned.png", 1)
    assert turned.shape == (53, 37, 3) and np.array_equal(turned, ops.gaussian_blur(np.rot90(image, -1).copy(), 1))


def test_shapes_stay_and_results_are_dense(image, gray):
    one = gray[:, :, None]
    operations = [
        lambda a: ops.resize(a, width=9),
        lambda a: ops.gradient(a).dx,
        lambda a: ops.gaussian_blur(a, 1),
        lambda a: ops.convolve(a, KERNEL, dtype="float32"),
        lambda a: ops.convolve_separable(a, KERNEL[0], KERNEL[1]),
        ops.integral,
        ops.gaussian_halve,
        ops.quantize,
        lambda a: ops.pyramid(a)[1],
    ]
    for operation in operations:
        flat, with_axis, colors = operation(gray), operation(one), operation(image)
        assert flat.ndim == 2 and with_axis.shape == (*flat.shape, 1) and colors.shape == (*flat.shape, 3)
        assert np.array_equal(with_axis[:, :, 0], flat)
        for result in (flat, with_axis, colors):
            assert result.flags.c_contiguous and result.flags.writeable
    assert ops.polar_gradient(one).magnitude.shape == gray.shape
    assert ops.window_histogram(gray, 1).shape == (*gray.shape, 1)


def test_gaps_between_rows_read_only_arrays_and_other_libraries(image):
    part = image[:, 5:40]
    dense = np.ascontiguousarray(part)
    dense.flags.writeable = False
    expected = ops.gaussian_blur(dense, 2)
    assert np.array_equal(ops.gaussian_blur(part, 2), expected)
    assert np.array_equal(ops.gaussian_blur(memoryview(dense), 2), expected)
    pil = pytest.importorskip("PIL.Image")
    assert np.array_equal(ops.gaussian_blur(pil.fromarray(dense), 2), expected)


def test_no_copy_is_made_of_images():
    image = np.zeros((1000, 2000, 3), np.uint8)
    ops.resize(image, width=2, height=2)
    tracemalloc.start()
    try:
        ops.resize(image, width=2, height=2)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 100_000


# Closed forms.


def test_sizes_of_resized_images(gray):
    flat = np.full((40, 60), 9, np.uint16)
    assert ops.resize(flat, width=30).shape == (20, 30) and ops.resize(flat, height=10).shape == (10, 15)
    assert ops.resize(flat, scale=2).shape == (80, 120) and np.all(ops.resize(flat, scale=2) == 9)
    halves = gray[:36, :52].astype(np.float32)
    means = halves.reshape(18, 2, 26, 2).mean(axis=(1, 3))
    assert np.allclose(ops.resize(halves, scale=0.5), means)


def test_differences_of_a_ramp():
    ramp = np.add.outer(3 * np.arange(9), 5 * np.arange(12)).astype(np.uint8)
    inside = np.s_[1:-1, 1:-1]
    for kernel, weight in (("centered", 1), ("sobel", 4), ("scharr", 16)):
        dx, dy = ops.gradient(ramp, kernel=kernel)
        assert dx.dtype == np.int16 and np.all(dx[inside] == 10 * weight) and np.all(dy[inside] == 6 * weight)
    assert ops.gradient(ramp.astype(np.float32)).dx.dtype == np.float32
    polar = ops.polar_gradient(ramp)
    assert np.allclose(polar.magnitude[inside], np.hypot(10, 6)) and polar.bin.dtype == np.uint8
    assert np.all(polar.bin[inside] == int(np.degrees(np.arctan2(6, 10)) / 20))


def test_kernels():
    taps = ops.gaussian_kernel(1.5)
    assert taps.dtype == np.float32 and taps.sum() == pytest.approx(1) and len(ops.gaussian_kernel(1.5, 5)) == 5
    assert ops.box_kernel(4).tolist() == [0.25] * 4
    x = np.arange(len(ops.gaussian_derivative_kernel(2))) - 8
    assert np.dot(ops.gaussian_derivative_kernel(2), x) == pytest.approx(1)
    assert np.dot(ops.gaussian_derivative_kernel(2, order=2), x * x) == pytest.approx(2)
    assert ops.laplacian_of_gaussian_kernel(1).sum() == pytest.approx(0, abs=1e-5)


def test_separable_kernels_are_products(image):
    row, column = ops.gaussian_kernel(1.2), ops.box_kernel(3)
    separate = ops.convolve_separable(image, row, column, dtype=np.float32)
    assert separate.dtype == np.float32
    assert np.allclose(separate, ops.convolve(image, np.outer(column, row), dtype=np.float32), atol=1e-3)
    assert np.array_equal(ops.convolve_separable(image, row, row), ops.gaussian_blur(image, 1.2))


def test_sums_of_rectangles(image, gray):
    rng = np.random.default_rng(5)
    x, y = rng.integers(0, 20, 30), rng.integers(0, 15, 30)
    width, height = rng.integers(0, 30, 30), rng.integers(0, 20, 30)
    expected = np.array([gray[b : b + d, a : a + c].sum(dtype=np.int64) for a, b, c, d in zip(x, y, width, height)])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for dtype in (np.float64, np.float32, np.uint32, np.int32, np.uint64):
            sums = ops.integral(gray, dtype=dtype)
            assert sums.dtype == dtype and sums.shape == (38, 54)
            assert np.array_equal(ops.rectangle_sum(sums, x, y, width, height), expected)
            assert ops.rectangle_sum(sums, 0, 0, 53, 37) == gray.sum()
        wrapped = ops.integral(np.full((9, 9), 2**31, np.uint32), dtype=np.uint32)
        assert ops.rectangle_sum(wrapped, 3, 3, 1, 1) == 2**31
    colors = ops.rectangle_sum(ops.integral(image), 0, 0, 53, 37)
    assert np.array_equal(colors, image.sum(axis=(0, 1)))
    assert ops.integral(gray, squares=True)[-1, -1] == (gray.astype(np.int64) ** 2).sum()


def test_histograms_of_rectangles(gray):
    bins = ops.quantize(gray, levels=8)
    assert np.array_equal(bins, gray // 32)
    sums = ops.integral_histogram(bins, 8)
    assert sums.dtype == np.uint32 and sums.shape == (8, 38, 54)
    part = ops.rectangle_sum(np.moveaxis(sums, 0, -1), 4, 6, 20, 10)
    assert np.array_equal(part, np.bincount(bins[6:16, 4:24].ravel(), minlength=8))
    weight = gray.astype(np.float32) / 16
    weighted = ops.integral_histogram(bins, 8, weight, fraction_bits=4)[:, -1, -1] / 16
    assert np.allclose(weighted, np.bincount(bins.ravel(), weight.ravel(), 8))


def test_histograms_of_windows(gray):
    bins = ops.quantize(gray, levels=5)
    counts = ops.window_histogram(bins, 5, window_width=7, window_height=3)
    assert counts.dtype == np.uint16 and counts.shape == (37, 53, 5)
    assert np.array_equal(counts[10, 20], np.bincount(bins[9:12, 17:24].ravel(), minlength=5))
    small = ops.window_histogram(bins, 5, window_width=7, window_height=3, dtype="uint8")
    assert small.dtype == np.uint8 and np.array_equal(small, counts)
    assert ops.quantize(np.array([[np.nan, -1, 0.5, 2]], np.float32)).tolist() == [[255, 0, 8, 15]]


def test_flat_images_stay_flat():
    for dtype in EXACT:
        flat = np.full((20, 30), 7, dtype)
        smallest = ops.pyramid(flat, min_width=5, min_height=5)[-1]
        for result in (ops.gaussian_blur(flat, 3), ops.resize(flat, width=7), smallest):
            assert result.dtype == dtype and np.allclose(result, 7)


# Linear support vector machines.


@pytest.fixture
def clouds():
    """Three clouds of samples, and the name of each sample's cloud."""
    rng = np.random.default_rng(9)
    centers = np.array([[0, 0, 4, 0], [4, 0, 0, 0], [0, 5, 0, 1]], np.float32)
    numbers = rng.permutation(np.repeat(np.arange(3), 80))
    samples = (centers[numbers] + rng.normal(0, 0.7, (240, 4))).astype(np.float32)
    return samples, np.array(["left", "right", "up"])[numbers]


def test_two_samples_have_the_line_between_them():
    svm = ops.LinearSVM(C=100, tol=1e-4).fit(np.array([[1, 0], [3, 0]], np.float32), [7, 9])
    assert svm.classes_.tolist() == [7, 9] and svm.coef_.shape == (1, 2) and svm.intercept_.shape == (1,)
    assert svm.coef_[0].tolist() == pytest.approx([1, 0], abs=1e-3) and svm.intercept_[0] == pytest.approx(-2, abs=1e-3)
    assert svm.predict(np.array([[1.5, 8], [2.5, -8]], np.float32)).tolist() == [7, 9]
    assert svm.converged_ and svm.objective_[0] == pytest.approx(0.5, abs=1e-2) and svm.n_iter_ > 0


def test_classes_are_divided(clouds):
    samples, names = clouds
    svm = ops.LinearSVM(C=1).fit(samples, names)
    assert svm.score(samples, names) > 0.97 and svm.coef_.shape == (3, 4) and svm.n_features_in_ == 4
    values = svm.decision_function(samples)
    assert values.shape == (240, 3)
    assert np.allclose(values, samples @ svm.coef_.T + svm.intercept_, atol=1e-4)
    one = ops.LinearSVM(C=1).fit(samples, names == "right")
    assert np.array_equal(one.coef_[0], svm.coef_[1]) and one.decision_function(samples).shape == (240,)
    assert one.predict(samples).dtype == np.bool_


def test_weights_of_samples_count(clouds):
    samples, names = clouds
    truth = names == "up"
    more, all_true = np.concatenate([samples, samples[truth]]), np.concatenate([truth, truth[truth]])
    twice = ops.LinearSVM(C=0.01, tol=1e-4).fit(more, all_true)
    weighted = ops.LinearSVM(C=0.01, tol=1e-4).fit(samples, truth, sample_weight=np.where(truth, 2.0, 1.0))
    assert np.allclose(weighted.coef_, twice.coef_, atol=1e-3)
    left_out = ops.LinearSVM(C=1).fit(samples, truth, np.where(names == "left", 0, 1).astype(np.float32))
    rest = ops.LinearSVM(C=1).fit(samples[names != "left"], truth[names != "left"])
    assert np.allclose(left_out.coef_, rest.coef_, atol=0.02)
    assert weighted.score(samples, truth, sample_weight=truth) == np.mean(weighted.predict(samples[truth]))


def test_weights_are_those_of_scikit_learn(clouds):
    svm = pytest.importorskip("sklearn.svm", reason="scikit-learn is not installed")
    samples, names = clouds
    ours = ops.LinearSVM(C=0.1, bias_feature=1, tol=1e-4).fit(samples, names)
    rival = svm.LinearSVC(C=0.1, loss="hinge", tol=1e-5, max_iter=100000).fit(samples, names)
    assert np.allclose(ours.coef_, rival.coef_, atol=2e-3) and np.allclose(ours.intercept_, rival.intercept_, atol=2e-3)
    assert np.array_equal(ours.predict(samples), rival.predict(samples))
    free = ops.LinearSVM(C=0.1, tol=1e-4).fit(samples, names == "up")
    theirs = svm.SVC(C=0.1, kernel="linear", tol=1e-5).fit(samples, names == "up")
    assert np.allclose(free.coef_, theirs.coef_, atol=2e-3)
    assert np.allclose(free.intercept_, theirs.intercept_, atol=5e-3)


def test_parameters_follow_the_rules_of_estimators(clouds):
    svm = ops.LinearSVM(C=2, max_iter=50)
    assert repr(svm) == "LinearSVM(C=2, max_iter=50)" and svm.get_params()["random_state"] == 1234
    names = [name for name in inspect.signature(ops.LinearSVM.__init__).parameters if name != "self"]
    assert names == list(svm.get_params())
    with pytest.raises(TypeError, match="no keyword 'c'"):
        ops.LinearSVM(c=1)
    again = pickle.loads(pickle.dumps(svm.fit(*clouds)))
    assert again.get_params() == svm.get_params() and np.array_equal(again.predict(clouds[0]), svm.predict(clouds[0]))


def test_scikit_learn_takes_it(clouds):
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    from sklearn.base import clone, is_classifier
    from sklearn.model_selection import GridSearchCV, cross_val_score
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.utils.validation import check_is_fitted

    svm = ops.LinearSVM(C=1)
    assert is_classifier(svm) and clone(svm).get_params() == svm.get_params()
    assert cross_val_score(make_pipeline(StandardScaler(), svm), *clouds, cv=3).mean() > 0.95
    search = GridSearchCV(svm, {"C": [1, 10]}, cv=3).fit(*clouds)
    assert search.best_score_ > 0.95
    check_is_fitted(search.best_estimator_)


def test_samples_are_not_copied():
    wide = np.random.default_rng(4).normal(size=(3000, 400)).astype(np.float32)
    truth = wide[:, 0] > 0
    svm = ops.LinearSVM(max_iter=2)
    tracemalloc.start()
    svm.fit(wide, truth)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < wide.nbytes / 10
    assert np.array_equal(ops.LinearSVM(max_iter=2).fit(wide[:, :300], truth).coef_,
                          ops.LinearSVM(max_iter=2).fit(wide[:, :300].copy(), truth).coef_)


def test_ctrl_c_ends_training():
    samples = np.random.default_rng(5).normal(size=(20000, 32)).astype(np.float32)
    truth = np.random.default_rng(6).random(20000) < 0.5
    svm = ops.LinearSVM(C=1e6, tol=1e-9, max_iter=10**8)
    seconds_to_stop(lambda: svm.fit(samples, truth), 0.2)
    assert not svm.__sklearn_is_fitted__()


# Confusion.


def test_confusion():
    truth, guesses = np.array([0, 0, 1, 2, 2, 2]), np.array([0, 1, 1, 2, 0, 2], np.int32)
    confusion = ops.confusion_matrix(truth, guesses)
    assert confusion.tolist() == [[1, 1, 0], [0, 1, 0], [1, 0, 2]] and confusion.dtype == np.int64
    assert ops.accuracy(confusion) == 4 / 6 and ops.recall(confusion).tolist() == [0.5, 1, 2 / 3]
    assert ops.confusion_matrix(truth, guesses, classes=4).shape == (4, 4)
    assert ops.recall(ops.confusion_matrix(truth, guesses, classes=4))[3] == 0
    assert ops.accuracy(np.zeros((0, 0), np.int64)) == 0
    low, high = ops.wilson_interval(8, 10)
    assert (low, high) == pytest.approx((0.4901625, 0.9433178), abs=1e-6)
    metrics = pytest.importorskip("sklearn.metrics", reason="scikit-learn is not installed")
    assert np.array_equal(confusion, metrics.confusion_matrix(truth, guesses))


# Long calls.


# Bad input.


IMAGES = {
    "resize": lambda a: ops.resize(a, width=5),
    "gradient": ops.gradient,
    "polar_gradient": ops.polar_gradient,
    "convolve": lambda a: ops.convolve(a, KERNEL),
    "convolve_separable": lambda a: ops.convolve_separable(a, KERNEL[0], KERNEL[0]),
    "gaussian_blur": lambda a: ops.gaussian_blur(a, 1),
    "integral": ops.integral,
    "pyramid": ops.pyramid,
    "gaussian_halve": ops.gaussian_halve,
    "quantize": ops.quantize,
    "window_histogram": lambda a: ops.window_histogram(a, 4),
    "integral_histogram": lambda a: ops.integral_histogram(a, 4),
}


@pytest.mark.parametrize("name", IMAGES)
def test_bad_images_are_refused(name):
    image = np.zeros((16, 20), np.uint8)
    for bad in (
        None, 3, [[1, 2], [3]], b"pixels", np.float32(1), image[0], image[None, None], image[:0], np.full((4, 4), 2**60),
        np.zeros((4, 4, 5), np.uint8), np.zeros((4, 4), bool), np.zeros((4, 4), complex),
        np.array([[None]]), np.zeros((4, 4), "M8[s]"), "/no/such/file.png",
    ):
        with pytest.raises(fovea.Error) as caught:
            IMAGES[name](bad)
        assert str(caught.value) and "\n" not in str(caught.value)
    assert IMAGES[name](image) is not None


def error_of(call, kind=fovea.InvalidArgument):
    with pytest.raises(kind) as caught:
        call()
    assert isinstance(caught.value, fovea.Error) and "\n" not in str(caught.value)
    return str(caught.value)


def test_bad_arguments_of_images_are_refused(gray):
    refusal = error_of(lambda: ops.resize(gray.astype(complex), width=4), TypeError)
    assert "image is complex128 of shape (37, 53); expected an array of uint8, uint16" in refusal
    assert "give a width, a height or both, or else a scale" in error_of(lambda: ops.resize(gray))
    assert "or else a scale" in error_of(lambda: ops.resize(gray, width=3, scale=2))
    assert "expected a whole number" in error_of(lambda: ops.resize(gray, width=3.5), TypeError)
    assert "did you mean 'width'" in error_of(lambda: ops.resize(gray, widht=3), TypeError)
    assert "expected centered, sobel or scharr" in error_of(lambda: ops.gradient(gray, kernel="prewitt"))
    for sigma in (0, -1, np.nan, np.inf, 100):
        assert "sigma" in error_of(lambda sigma=sigma: ops.gaussian_blur(gray, sigma))
    for sigma in (None, "2", True, [1, 2]):
        assert "sigma" in error_of(lambda sigma=sigma: ops.gaussian_kernel(sigma), TypeError)
    assert "no keyword 'flip'" in error_of(lambda: ops.gaussian_blur(gray, 1, flip=True))
    assert "kernel is of type list" in error_of(lambda: ops.convolve(gray, [["a"]]), TypeError)
    nan, infinite = np.array([[0, np.nan]], np.float32), np.full(3, np.inf, np.float32)
    assert "kernel: number 1 of row 0 is nan" in error_of(lambda: ops.convolve(gray, nan))
    assert "expected finite" in error_of(lambda: ops.convolve_separable(gray, KERNEL[0], infinite))
    assert "0 taps" in error_of(lambda: ops.convolve_separable(gray, KERNEL[0], np.zeros(0, np.float32)))
    assert "anchor" in error_of(lambda: ops.convolve(gray, KERNEL, anchor_x=3))
    refusal = error_of(lambda: ops.convolve(gray, KERNEL, dtype=np.int16), TypeError)
    assert "dtype is int16 for an image of uint8" in refusal
    assert "dtype is 'no type'" in error_of(lambda: ops.convolve(gray, KERNEL, dtype="no type"), TypeError)
    assert "dtype is int16; expected float64" in error_of(lambda: ops.integral(gray, dtype=np.int16), TypeError)
    assert "not computed in uint32" in error_of(lambda: ops.integral(gray.astype(np.int16), dtype=np.uint32), TypeError)
    assert "bins" in error_of(lambda: ops.window_histogram(gray, 65))
    assert "odd" in error_of(lambda: ops.window_histogram(gray, 4, window_width=4))
    assert "255 pixels" in error_of(lambda: ops.window_histogram(gray, 4, window_width=99, dtype=np.uint8))
    assert "weight" in error_of(lambda: ops.integral_histogram(gray, 4, np.zeros((3, 3), np.float32)))
    assert "bins" in error_of(lambda: ops.integral_histogram(gray, None), TypeError)
    assert "gaussian" in error_of(lambda: ops.pyramid(gray, filter="gaussian", ratio=1.5))
    assert "width" in error_of(lambda: ops.pyramid_sizes(0, 4))
    assert "order" in error_of(lambda: ops.gaussian_derivative_kernel(1, order=3))
    assert "size" in error_of(lambda: ops.gaussian_kernel(1, size=4)) and "size" in error_of(lambda: ops.box_kernel(-1))
    assert "high" in error_of(lambda: ops.quantize(gray, low=5, high=2))


def test_bad_rectangles_are_refused(gray):
    sums = ops.integral(gray)
    for rectangle in ((50, 0, 4, 1), (-1, 0, 3, 3), (0, 0, 1, -1), (0, 37, 1, 1)):
        assert "beyond the image of 53x37" in error_of(lambda r=rectangle: ops.rectangle_sum(sums, *r))
    assert "whole numbers" in error_of(lambda: ops.rectangle_sum(sums, 0.5, 0, 1, 1), TypeError)
    assert "different shapes" in error_of(lambda: ops.rectangle_sum(sums, [1, 2], [1, 2, 3], 1, 1))
    assert "sums" in error_of(lambda: ops.rectangle_sum(None, 0, 0, 1, 1), TypeError)


@pytest.mark.parametrize(
    ("samples", "classes", "weights", "words"),
    [
        (None, [0, 1], None, "X is None"),
        (np.zeros((2, 2), complex), [0, 1], None, "X is complex128 of shape (2, 2); expected an array of float32"),
        (np.zeros((0, 2), np.float32), [], None, "y has a single class"),
        (np.full((2, 2), np.nan, np.float32), [0, 1], None, "expected finite ones"),
        (np.zeros((2, 2), np.float32), None, None, "requires y to be passed, but the target y is None"),
        (np.zeros((2, 2), np.float32), [0, 0], None, "y has a single class"),
        (np.zeros((2, 2), np.float32), [0, np.nan], None, "expected finite ones"),
        (np.zeros((2, 2), np.float32), np.array([0, "a"], object), None, "cannot be ordered"),
        (np.zeros((2, 2), np.float32), [[0, 1]], None, "of shape (1, 2); expected one class per sample"),
        (np.zeros((2, 2), np.float32), [[0], [0, 1]], None, "y is no array"),
        (np.zeros((2, 2), np.float32), [0, 1, 2], None, "y has 3 elements for 2 samples"),
        (np.zeros((2, 2), np.float32), [0, 1], ["1", "1"], "sample_weight is of type list"),
        (np.zeros((2, 2), np.float32), [0, 1], np.ones(3), "sample_weight has 3 elements for 2 samples"),
        (np.zeros((2, 2), np.float32), [0, 1], np.array([1, -1.0]), "expected a finite number of 0 or more"),
    ],
)
def test_bad_samples_are_refused(samples, classes, weights, words):
    assert words in error_of(lambda: ops.LinearSVM().fit(samples, classes, weights))


def test_bad_samples_of_predict_are_refused(clouds):
    svm = ops.LinearSVM()
    assert "call fit() first" in error_of(lambda: svm.predict(clouds[0]))
    svm.fit(*clouds)
    assert "X has 3 features, but LinearSVM is expecting 4 features" in error_of(lambda: svm.predict(np.zeros((2, 3), np.float32)))
    assert "expected finite ones" in error_of(lambda: svm.decision_function(np.full((2, 4), np.inf, np.float32)))
    assert "y has 2 elements for 240 samples" in error_of(lambda: svm.score(clouds[0], ["up", "up"]))
    assert "sample_weight" in error_of(lambda: svm.score(*clouds, sample_weight=np.zeros(240)))
    assert "expected a number of at least 1e-12" in error_of(lambda: ops.LinearSVM(C=-1).fit(*clouds))


def test_bad_labels_are_refused():
    labels = np.array([0, 1])
    assert "y_true is None" in error_of(lambda: ops.confusion_matrix(None, labels), TypeError)
    assert "y_pred is float64 of shape (2,) and holds 0.5" in error_of(lambda: ops.confusion_matrix(labels, labels + 0.5))
    assert "one prediction per label" in error_of(lambda: ops.confusion_matrix(labels, labels[:1]))
    assert "expected 0 to 0" in error_of(lambda: ops.confusion_matrix(labels, labels, classes=1))
    assert "expected 0 to 1" in error_of(lambda: ops.confusion_matrix(labels - 1, labels))
    assert "renumber them" in error_of(lambda: ops.confusion_matrix(labels + 2**30, labels))
    assert "square" in error_of(lambda: ops.recall(np.zeros((2, 3), np.int64)))
    assert "below 0" in error_of(lambda: ops.accuracy(np.full((2, 2), -1)))
    assert "wilson_interval" in error_of(lambda: ops.wilson_interval(3, 2))
    assert "right" in error_of(lambda: ops.wilson_interval(None, 2), TypeError)


def test_documentation_lists_every_option():
    for name in ops.__all__:
        function = getattr(ops, name)
        assert function.__doc__, name
        if not inspect.isfunction(function):
            continue
        for parameter in inspect.signature(function).parameters.values():
            assert parameter.kind is not parameter.VAR_KEYWORD
    assert re.search(r"\n    antialias: when shrinking", ops.resize.__doc__)


hypothesis = pytest.importorskip("hypothesis", reason="hypothesis is not installed")
from hypothesis import strategies as st  # noqa: E402
from hypothesis.extra import numpy as hnp  # noqa: E402

any_array = hnp.arrays(
    dtype=st.one_of(hnp.scalar_dtypes(), st.just(np.dtype(object)), st.sampled_from(["uint8", "float32", "int64"])),
    shape=hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=6),
    fill=st.nothing(),
).map(lambda array: array[::-1] if array.ndim and array.size % 2 else array)


@hypothesis.given(any_array, any_array)
@hypothesis.settings(max_examples=40, deadline=None)
def test_any_array_is_taken_or_refused(first, second):
    calls = [lambda name=name: IMAGES[name](first) for name in IMAGES]
    calls += [
        lambda: ops.convolve(first, second),
        lambda: ops.convolve_separable(np.zeros((3, 3), np.uint8), first, second),
        lambda: ops.integral_histogram(first, 4, second),
        lambda: ops.distances_from(first, second, second, nodes=9),
        lambda: ops.minimum_cut(first, second, second, second),
        lambda: ops.confusion_matrix(first, second),
        lambda: ops.recall(first),
        lambda: ops.rectangle_sum(first, second, 0, 1, 1),
        lambda: ops.LinearSVM(max_iter=3).fit(first, second),
    ]
    for call in calls:
        try:
            call()
        except fovea.Error as error:
            assert str(error) and "\n" not in str(error)


def test_kernel_machines_agree_with_scikit_learn(clouds: Any) -> None:
    svm = pytest.importorskip("sklearn.svm", reason="scikit-learn is not installed")
    samples, names = clouds
    for kernel in ("rbf", "linear"):
        ours = ops.KernelSVM(kernel=kernel, C=0.5, gamma=0.3, tol=1e-4).fit(samples, names == "up")
        theirs = svm.SVC(kernel=kernel, C=0.5, gamma=0.3, tol=1e-5).fit(samples, names == "up")
        assert np.allclose(ours.decision_function(samples), theirs.decision_function(samples), atol=5e-3)
        assert len(ours.support_vectors_[0]) == pytest.approx(len(theirs.support_vectors_), abs=3)
    several = ops.KernelSVM(C=10, gamma=0.3).fit(samples, names)
    assert several.converged_ and several.score(samples, names) > 0.97
    assert several.decision_function(samples).shape == (len(samples), len(several.classes_))
    again = pickle.loads(pickle.dumps(several))
    assert np.array_equal(again.decision_function(samples), several.decision_function(samples))
    with pytest.raises(fovea.errors.InvalidArgument, match="gamma"):
        ops.KernelSVM(gamma=-1).fit(samples, names)
