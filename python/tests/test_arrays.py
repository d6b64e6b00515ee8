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
    refused(detector, image.astype(complex), TypeError, "complex128 of shape (160, 100, 3); expected an array of uint8")
    refused(detector, image > 0, TypeError, "image is bool of shape (160, 100, 3); expected an array of uint8")
    refused(detector, np.array([[object()]]), TypeError, "an array of object")
    refused(detector, np.array([["a"]]), TypeError, "an array of <U1")
    refused(detector, np.float64(3), TypeError, "image is an array of float64 and of shape ()")
    refused(detector, [[1, 2], [3]], TypeError, "image is of type list")
    refused(detector, [[1, "x"]], TypeError, "image is of type list")
    refused(detector, image[None], TypeError, "uint8 of shape (1, 160, 100, 3)")
    refused(detector, image[:, :, :2], ValueError, "uint8 of shape (160, 100, 2)")
    refused(detector, image[:0], ValueError, "image is empty")
    refused(detector, b"pixels", TypeError, "image is of type bytes")
    refused(detector, {}, TypeError, "image is of type dict")
    refused(detector, "no/such/file.png", OSError, "no/such/file.png")


def test_no_value_is_lost_without_a_word(detector):
    levels = np.arange(3 * 160 * 100).reshape(160, 100, 3) % 251
    for wrong, words in (
        (levels + 0.5, "holds 0.5 at [0, 0, 0], which uint8 cannot hold; expected an array of uint8"),
        (levels / 250, "with levels from 0 to 1; expected an array of uint8"),
        ((levels > 99).astype(float), "pass (255 * image).round().astype('uint8')"),
        (levels + 100, "int64 of shape (160, 100, 3) and holds 256 at [0, 52, 0], which uint8 cannot hold"),
        (levels - 1, "holds -1 at [0, 0, 0]"),
        (np.where(levels == 7, np.nan, levels), "holds nan"),
        (np.where(levels == 7, 1e30, levels), "holds 1e+30"),
    ):
        refused(detector, wrong, ValueError, words)
    for big in (2**24 + 1, -(2**24) - 1):
        with pytest.raises(fovea.InvalidArgument, match="which float32 cannot hold"):
            fovea.KMeans(1).fit([[big], [0]])
    with pytest.raises(fovea.InvalidArgument, match="holds 1e[+]60 at \\[0, 0\\], which float32 cannot hold"):
        fovea.KMeans(1).fit(np.array([[1e60], [0.0]]))
    with pytest.raises(fovea.InvalidArgument, match="which int64 cannot hold"):
        fovea.ops.confusion_matrix(np.array([2**63, 0], np.uint64), [0, 0])
    with pytest.raises(fovea.InvalidArgument, match="holds 0.5"):
        fovea.mesh.write_labels("/nowhere/at/all.seg", [0.5, 1.0])


def views_of(image):
    """The same pixels as arrays, lists and tables of many kinds, each of which has to be copied."""
    padded = np.zeros((*image.shape[:2], 5), np.uint8)
    padded[:, :, 1:4] = image
    yield "every second row and column", np.repeat(np.repeat(image, 2, 0), 2, 1)[::2, ::2]
    yield "turned channels", np.ascontiguousarray(image[:, :, ::-1])[:, :, ::-1]
    yield "upside down", np.ascontiguousarray(image[::-1])[::-1]
    yield "mirrored", np.ascontiguousarray(image[:, ::-1])[:, ::-1]
    yield "channels first", np.ascontiguousarray(image.transpose(2, 0, 1)).transpose(1, 2, 0)
    yield "columns first", np.asfortranarray(image)
    yield "some channels", padded[:, :, 1:4]
    for kind in (np.int64, np.int32, np.uint16, np.int16, np.float32, np.float64, np.float16, ">i4", ">f8", object):
        yield kind, image.astype(kind)
    yield "strided numbers", image.astype(np.float64)[:, ::-1][:, ::-1]
    yield "a list", image.tolist()
    yield "a list of arrays", list(image)
    yield "a tuple", tuple(map(tuple, image.tolist()))


def test_every_layout_and_type_gives_the_same(detector):
    image = np.random.default_rng(1).integers(0, 255, (140, 80, 3), dtype=np.uint8)
    expected = detector.scores(image)
    for what, view in views_of(image):
        assert np.array_equal(detector.scores(view), expected), what
        with pytest.raises(fovea.InvalidType, match="which takes a copy that strict forbids; expected an array of uint8"):
            fovea.people.Detector("hog", device="cpu", threads=1, strict=True).scores(view)
    gray = image[:, :, 1]
    assert np.array_equal(detector.scores(gray), detector.scores(gray.copy()))
    assert np.array_equal(detector.scores(np.broadcast_to(gray[:1], (140, 80))), detector.scores(gray[:1].repeat(140, 0)))


def test_masks_say_where_numbers_are_not_zero(detector, pair):
    mask = np.zeros(pair[0].shape[:2], np.uint8)
    mask[20:90, 30:170] = 255
    expected = fovea.flow.estimate(*pair, mask, quality="fast", device="cpu")
    for kind in (bool, np.int64, np.float32):
        assert fovea.flow.estimate(*pair, (mask > 0).astype(kind), quality="fast", device="cpu") == expected
    assert fovea.flow.estimate(*pair, (mask * 0.3).tolist(), quality="fast", device="cpu") == expected


def test_numbers_come_as_they_are_held(pair):
    points = np.random.default_rng(3).integers(0, 50, (60, 3)).astype(np.float32)
    own = {"random_state": 1, "device": "cpu"}
    expected = fovea.KMeans(3, **own).fit(points)
    for other in (points.astype(np.float64), points.astype(int), points.tolist(), np.asfortranarray(points), points[::-1][::-1]):
        assert np.array_equal(fovea.KMeans(3, **own).fit(other).labels_, expected.labels_)
    one, other = np.array([[3, 1, 0], [2, 2, 0]]), [[0, 1, 3], [0, 2, 2]]
    distances = fovea.emd.distance(one.astype(np.float64), np.float64(other)).distances
    assert np.array_equal(fovea.emd.distance(one, other).distances, distances)
    assert np.array_equal(fovea.emd.distance(one.astype(np.uint8), np.float32(other)).distances, distances)
    assert fovea.emd.distance(one[:, ::-1], np.int32(other)).distances.tolist() == [0, 0]
    arcs, costs = [[0, 1], [1, 2]], [1, 2]
    assert fovea.ops.all_distances(arcs, costs).tolist() == [[0, 1, 3], [1, 0, 2], [3, 2, 0]]
    vertices, faces = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]
    solid = fovea.mesh.Mesh(vertices, np.array(faces, np.uint64)[:, ::-1][:, ::-1])
    assert solid.vertices.tolist() == vertices and solid.faces.tolist() == faces
    assert fovea.ops.integral([[1, 2], [3, 400]])[2, 2] == 406
    assert fovea.ops.resize(np.float64([[0.25, 0.5]]), width=1).dtype == np.float32


def test_tables_of_pandas_are_taken(detector):
    pandas = pytest.importorskip("pandas")
    points = np.random.default_rng(3).random((60, 3))
    table = pandas.DataFrame(points, columns=["a", "b", "c"])
    assert np.array_equal(fovea.KMeans(3).fit(table).labels_, fovea.KMeans(3).fit(points).labels_)
    labels = pandas.Series(np.arange(60) % 2)
    assert np.array_equal(fovea.ops.confusion_matrix(labels, labels), [[30, 0], [0, 30]])
    image = pandas.DataFrame(np.random.default_rng(1).integers(0, 255, (140, 80)))
    assert np.array_equal(detector.scores(image), detector.scores(image.to_numpy().astype(np.uint8)))
    with pytest.raises(fovea.InvalidType, match="X is of type DataFrame"):
        fovea.KMeans(1).fit(pandas.DataFrame({"a": [1, 2], "b": ["x", "y"]}))
    with pytest.raises(fovea.InvalidType, match="X is of type DataFrame"):
        fovea.KMeans(1).fit(pandas.DataFrame({"a": pandas.array([1, None], "Int64"), "b": [1, 2]}))


def test_strict_refuses_copies_in_the_program_and_in_a_call(detector):
    image = np.random.default_rng(1).integers(0, 255, (140, 80, 3), dtype=np.uint8)
    turned = image[:, :, ::-1]
    fovea.set_strict()
    try:
        with pytest.raises(fovea.InvalidType, match=r"uint8 of shape \(140, 80, 3\) with strides of \(240, 3, -1\) elements"):
            detector.scores(turned)
        with pytest.raises(fovea.InvalidType, match="X is of type list, which takes a copy"):
            fovea.KMeans(1).fit([[1.0], [2.0]])
        detector.scores(image[:, 2:70])  # rows with gaps are read where they lie
        fovea.people.Detector("hog", device="cpu", strict=False).scores(turned)
        assert fovea.ops.resize(turned, width=20, strict=False).shape == (35, 20, 3)
    finally:
        fovea.set_strict(False)
    detector.scores(turned)
    with pytest.raises(fovea.InvalidType, match="strict forbids"):
        fovea.ops.resize(turned, width=20, strict=True)
    with pytest.raises(fovea.InvalidType, match="strict forbids"):
        list(fovea.people.Detector("hog", device="cpu", strict=True).video([turned]))
    for wrong in (1, "yes"):
        with pytest.raises(fovea.InvalidType, match="strict is"):
            fovea.set_strict(wrong)
        with pytest.raises(fovea.InvalidType, match="strict is"):
            fovea.ops.resize(image, width=20, strict=wrong)


def test_no_copy_is_made_of_images(detector):
    image = np.zeros((2000, 3000, 3), np.uint8)
    padded = np.zeros((2000, 3100, 3), np.uint8)[:, :3000]
    detector.detect(image[:160, :100])
    for view in (image, padded):
        gc.collect()
        tracemalloc.start()
        try:
            _fovea.people.Detector  # the module is loaded before memory is watched
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

    class Interface:
        """An array that only describes itself to NumPy."""

        __array_interface__ = image.__array_interface__

    class Exchanged:
        """An array that speaks DLPack alone."""

        def __dlpack__(self, **wishes):
            return image.__dlpack__(**wishes)

        def __dlpack_device__(self):
            return image.__dlpack_device__()

    assert np.array_equal(detector.scores(Interface()), expected)
    assert np.array_equal(detector.scores(Exchanged()), expected)


def test_torch_tensors_give_the_same(detector):
    torch = pytest.importorskip("torch")
    image = np.random.default_rng(1).integers(0, 255, (200, 300, 3), dtype=np.uint8)
    tensor = torch.from_numpy(image)
    assert np.array_equal(detector.scores(tensor), detector.scores(image))
    channels_first = tensor.permute(2, 0, 1).contiguous()
    assert np.array_equal(detector.scores(channels_first.permute(1, 2, 0)), detector.scores(image))
    assert np.array_equal(detector.scores(tensor.to(torch.float16)), detector.scores(image))
    with pytest.raises(fovea.InvalidType, match="requires grad"):
        fovea.KMeans(1).fit(torch.ones((2, 2), requires_grad=True))


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
