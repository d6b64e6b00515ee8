"""Arrays in and out: no copy where none is needed, and a clear refusal of what is not wanted."""

from __future__ import annotations

import ctypes
import gc
import re
import tracemalloc

import numpy as np
import pytest

import fovea
from fovea import _fovea

hypothesis = pytest.importorskip("hypothesis")
from hypothesis import strategies as st  # noqa: E402
from hypothesis.extra import numpy as hnp  # noqa: E402


@pytest.fixture(scope="module")
def detector():
    return fovea.people.Detector("hog", device="cpu", threads=1)


def refused(detector, image, kind, words):
    with pytest.raises(kind, match=re.escape(words)) as caught:
        detector.detect(image)
    assert isinstance(caught.value, fovea.Error)
    assert "\n" not in str(caught.value)


def test_wrong_arrays_are_refused_with_what_came_and_what_is_wanted(detector):
    image = np.zeros((160, 100, 3), np.uint8)
    refused(detector, None, TypeError, "image is None")
    refused(detector, 3, TypeError, "image is of type int")
    refused(detector, image.astype(float), TypeError, "image is float64 of shape (160, 100, 3); expected an array of uint8")
    refused(detector, image.astype(">u2"), TypeError, "an array of >u2")
    refused(detector, np.array([[object()]]), TypeError, "an array of object")
    refused(detector, image[None], TypeError, "uint8 of shape (1, 160, 100, 3)")
    refused(detector, image[:, :, :2], ValueError, "uint8 of shape (160, 100, 2)")
    refused(detector, image[:0], ValueError, "image is empty")
    refused(detector, image[::-1], ValueError, "pass numpy.ascontiguousarray(image)")
    refused(detector, image.transpose(1, 0, 2), ValueError, "pass numpy.ascontiguousarray(image)")
    refused(detector, b"pixels", TypeError, "image is of type bytes")
    refused(detector, [[1, 2], [3, 4]], TypeError, "image is of type list")
    refused(detector, "no/such/file.png", OSError, "no/such/file.png")


def test_no_copy_is_made_of_images(detector):
    image = np.zeros((2000, 3000, 3), np.uint8)
    padded = np.zeros((2000, 3100, 3), np.uint8)[:, :3000]
    detector.detect(image[:160, :100])
    for view in (image, padded):
        gc.collect()
        tracemalloc.start()
        try:
            _fovea.people.draw  # the module is loaded before memory is watched
            with pytest.raises(fovea.InvalidArgument):
                detector.detect(view, mask=np.zeros((1, 1), np.uint8))
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert peak < 100_000


def test_results_are_dense_arrays_that_own_their_memory(pair):
    first, second = (image[:, :-3] for image in pair)  # a width at which the library pads its rows
    flow = fovea.flow.estimate(np.ascontiguousarray(first), np.ascontiguousarray(second), quality="fast", device="cpu")
    for plane in (flow.u, flow.v, flow.confidence):
        assert plane.flags.c_contiguous and plane.flags.writeable and plane.dtype == np.float32
        assert plane.shape == first.shape[:2]
        plane.reshape(-1)[0] = 1
    u = flow.u
    before = u.copy()
    del flow
    gc.collect()
    assert np.array_equal(u, before)


def test_gaps_between_rows_and_read_only_arrays_are_taken_as_they_are(detector):
    wide = np.random.default_rng(1).integers(0, 255, (200, 300, 3), dtype=np.uint8)
    part = wide[:, 20:220]
    dense = np.ascontiguousarray(part)
    dense.flags.writeable = False
    assert np.array_equal(detector.scores(part), detector.scores(dense))


def test_other_libraries_give_the_same(detector):
    image = np.random.default_rng(1).integers(0, 255, (200, 300, 3), dtype=np.uint8)
    expected = detector.scores(image)
    assert np.array_equal(detector.scores(memoryview(image)), expected)
    pil = pytest.importorskip("PIL.Image")
    assert np.array_equal(detector.scores(pil.fromarray(image)), expected)


def test_torch_tensors_give_the_same(detector):
    torch = pytest.importorskip("torch")
    image = np.random.default_rng(1).integers(0, 255, (200, 300, 3), dtype=np.uint8)
    assert np.array_equal(detector.scores(torch.from_numpy(image)), detector.scores(image))


any_array = hnp.arrays(
    dtype=st.one_of(hnp.scalar_dtypes(), st.just(np.dtype(object))),
    shape=hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=6),
    fill=st.nothing(),
).map(lambda array: array[::-1] if array.ndim and array.size % 2 else array)


@hypothesis.given(any_array, any_array)
@hypothesis.settings(max_examples=150, deadline=None)
def test_any_array_is_taken_or_refused(detector, first, second):
    estimator = fovea.flow.Estimator(device="cpu", threads=1, quality="fast")
    calls = [
        lambda: detector.detect(first, second),
        lambda: detector.score(first),
        lambda: detector.scores(first),
        lambda: estimator.estimate(first, second),
        lambda: estimator.push(first, second),
        lambda: fovea.flow.write("/nowhere/at/all.flo", first, second),
        lambda: fovea.write_image("/nowhere/at/all.png", first),
    ]
    for call in calls:
        try:
            call()
        except fovea.Error as error:
            assert str(error) and "\n" not in str(error)


@pytest.mark.parametrize("mode", ["P", "CMYK", "YCbCr", "HSV", "LAB"])
def test_images_of_other_colors_are_refused(mode):
    image = pytest.importorskip("PIL.Image").new(mode, (80, 160))
    with pytest.raises(fovea.InvalidArgument, match=f"mode {mode}; pass image.convert"):
        fovea.people.detect(image, "hog", device="cpu")


def test_memory_of_another_device_is_refused():
    class Elsewhere:
        """An array that says it lies on a device of ROCm."""

        shape, dtype = (160, 80), np.dtype(np.uint8)

        def __dlpack_device__(self):
            return 10, 0

        def __dlpack__(self, **wishes):
            capsule = np.zeros(self.shape, np.uint8).__dlpack__()
            pointer = ctypes.pythonapi.PyCapsule_GetPointer
            pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
            tensor = pointer(capsule, b"dltensor")
            ctypes.cast(tensor + ctypes.sizeof(ctypes.c_void_p), ctypes.POINTER(ctypes.c_int32))[0] = 10
            return capsule

    with pytest.raises(fovea.DeviceError, match="DLPack's kind 10"):
        fovea.people.detect(Elsewhere(), "hog", device="cpu")
