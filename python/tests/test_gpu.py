"""Arrays on a GPU: no copy, in the order of their streams, and the results of the CPU."""

from __future__ import annotations

import os

import numpy as np
import pytest

import fovea

torch = pytest.importorskip("torch")
if fovea.cuda_absence() or not torch.cuda.is_available():
    pytest.skip(f"no GPU: {fovea.cuda_absence() or 'torch sees none'}", allow_module_level=True)


@pytest.fixture(scope="module")
def images():
    blocks = np.random.default_rng(0).integers(0, 255, (24, 32, 3)).astype(np.uint8)
    first = np.ascontiguousarray(np.kron(blocks, np.ones((20, 20, 1), np.uint8)))
    return first, np.ascontiguousarray(np.roll(first, (2, 3), (0, 1)))


@pytest.fixture(scope="module")
def detector():
    return fovea.people.Detector("channels", threshold=-2, device="cuda")


class Interface:
    """A tensor that has CUDA's array interface alone."""

    def __init__(self, tensor, stream):
        self.shape = tensor.shape
        self.__cuda_array_interface__ = {**tensor.__cuda_array_interface__, "version": 3, "stream": stream}
        self._tensor = tensor


class Unordered:
    """A tensor whose DLPack ignores the stream of the consumer."""

    def __init__(self, tensor):
        self.shape = tensor.shape
        self._tensor = tensor

    def __dlpack_device__(self):
        return self._tensor.__dlpack_device__()

    def __dlpack__(self, stream=None, **options):
        return self._tensor.__dlpack__(stream=-1)


def test_people_are_the_same_wherever_the_image_lies(images, detector):
    expected = fovea.people.Detector("channels", threshold=-2, device="cpu").detect(images[0])
    assert len(expected) > 0
    assert detector.detect(images[0]) == expected
    assert detector.detect(torch.from_numpy(images[0]).cuda()) == expected


def test_flow_stays_on_the_gpu_without_a_copy(images):
    estimator = fovea.flow.Estimator(device="cuda")
    expected = estimator.estimate(*images)
    flow = estimator.estimate(*(torch.from_numpy(image).cuda() for image in images))
    assert isinstance(flow.u, fovea.DeviceArray) and flow == expected
    pointer = flow.u.__cuda_array_interface__["data"][0]
    for tensor in (torch.from_dlpack(flow.u), torch.as_tensor(flow.u, device="cuda")):
        assert tensor.data_ptr() == pointer
        assert np.array_equal(tensor.cpu().numpy(), expected.u)
    assert np.array_equal(flow.numpy().v, expected.v)


def filled_late(image, use, cycles=400_000_000):
    """Calls use(tensor) while a slow kernel still delays what fills the tensor, on a stream of its own."""
    source, stream = torch.from_numpy(image).cuda(), torch.cuda.Stream()
    tensor = torch.zeros_like(source)
    torch.cuda.synchronize()
    with torch.cuda.stream(stream):
        torch.cuda._sleep(cycles)
        tensor.copy_(source)
        return use(tensor)


def test_the_stream_that_fills_an_array_is_awaited(images, detector):
    expected = detector.detect(images[0])
    assert filled_late(images[0], detector.detect) == expected
    there = torch.cuda.current_stream

    def through_interface(tensor):
        return detector.detect(Interface(tensor, there().cuda_stream))

    assert filled_late(images[0], through_interface) == expected
    # Without the event, the image is still empty: the tests above would fail. A slow processor needs a slower kernel.
    assert any(filled_late(images[0], lambda tensor: detector.detect(Unordered(tensor)), cycles) != expected
               for cycles in (400_000_000, 4_000_000_000, 40_000_000_000))


def test_distances_stay_on_the_gpu(images):
    rng = np.random.default_rng(1)
    P, Q = (rng.integers(0, 50, (500, 16)).astype(np.uint16) for _ in range(2))
    there = [torch.from_numpy(rows.astype(np.int32)).cuda().to(torch.uint16) for rows in (P, Q)]
    expected = fovea.emd.distance(P, Q, device="cpu")
    every, one = slice(None), slice(1)
    for rows in ((every, every), (every, one), (one, every)):
        found = fovea.emd.distance(there[0][rows[0]], there[1][rows[1]], device="cuda")
        assert isinstance(found.distances, fovea.DeviceArray) and found.distances.shape == (500,)
        host = fovea.emd.distance(P[rows[0]], Q[rows[1]], device="cpu")
        assert np.array_equal(np.asarray(found), np.asarray(host))
        tensor = torch.from_dlpack(found.distances)
        assert tensor.data_ptr() == found.distances.__cuda_array_interface__["data"][0]
    assert np.array_equal(fovea.emd.distance(*there, device="cuda").numpy().distances, expected.distances)
    real = [torch.from_numpy(rows.astype(np.float64)).cuda() for rows in (P, Q)]
    flows = fovea.emd.distance(*real, flows=True, mass="partial", device="cuda").numpy()
    assert flows.flows.shape == (500, 16, 16)
    assert np.allclose(flows.flows.sum((1, 2)), np.minimum(P.sum(1), Q.sum(1)))
    real[0][3, 2] = -1
    with pytest.raises(fovea.InvalidArgument, match="row 3 of P or Q"):
        fovea.emd.distance(*real, device="cuda")
    marked = np.asarray(fovea.emd.distance(*real, invalid="nan", device="cuda"))
    assert np.isnan(marked[3]) and np.isfinite(np.delete(marked, 3)).all()


def test_targets_are_followed_in_frames_on_the_gpu(images):
    boxes, paths = (200, 160, 48, 64), []
    for place in (np.asarray, lambda frame: torch.from_numpy(frame).cuda()):
        tracker = fovea.emd.Tracker(place(images[0]), box=boxes, device="cuda")
        paths.append(tracker.track(place(images[1])))
    assert paths[0] == paths[1]


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.float32, np.float64])
def test_targets_are_followed_in_bands_on_the_gpu(dtype):
    rng = np.random.default_rng(7)
    frames = [rng.integers(90, 110, (60, 80, 5)).astype(dtype) for _ in range(4)]
    for i, frame in enumerate(frames):
        frame[20 + i : 36 + i, 20 + 2 * i : 36 + 2 * i, 3:] += 100
    example = np.ascontiguousarray(frames[0][20:36, 20:36])
    paths = []
    for device in ("cpu", "cuda"):
        for place in (np.asarray, lambda frame: torch.from_numpy(frame.astype(dtype)).cuda()):
            if device == "cpu" and place is not np.asarray:
                continue
            tracker = fovea.emd.Tracker(place(frames[0]), box=(20, 20, 16, 16), device=device)
            path = [tracker.track(place(frame)).box for frame in frames[1:]]
            paths.append((path, fovea.emd.find(place(frames[1]), place(example), device=device).box))
    assert paths[0] == paths[1] == paths[2]
    assert abs(paths[0][0][-1][0] - 26) <= 1
    with pytest.raises(fovea.DeviceError, match="device='cuda:0'"):
        fovea.emd.Tracker(torch.from_numpy(frames[0]).cuda(), box=(20, 20, 16, 16), device="cpu")


@pytest.mark.parametrize("signature", ["levels", "bands", "contrast", "colors"])
def test_maps_stay_on_the_gpu(images, signature):
    box, mask = (200, 160, 48, 64), np.zeros(images[0].shape[:2], bool)
    mask[100:300, 50:400:3] = True
    for chosen in (None, mask):
        host, device = (
            fovea.emd.Mapper(box, signature=signature, mask=chosen, device=where) for where in ("cpu", "cuda")
        )
        for image in images:
            expected, found = host.map(image), device.map(torch.from_numpy(image).cuda())
            assert isinstance(found.distances, fovea.DeviceArray) and found.shape == expected.shape
            assert np.array_equal(np.asarray(found), expected.distances, equal_nan=True)
            tensor = torch.from_dlpack(found.distances)
            assert tensor.data_ptr() == found.distances.__cuda_array_interface__["data"][0]
            assert found.best == expected.best and np.array_equal(found.target, expected.target)
            assert np.array_equal(device.map(image).distances, expected.distances, equal_nan=True)
    late = fovea.emd.Mapper(box, signature=signature, device="cuda")
    late.map(images[0])
    expected = np.asarray(late.map(images[1]))
    assert np.array_equal(filled_late(images[1], lambda frame: np.asarray(late.map(frame))), expected)


def test_cubes_of_any_type_are_mapped_on_the_gpu():
    rng = np.random.default_rng(5)
    for dtype in (np.uint8, np.int16, np.float32, np.float64):
        cube = (rng.normal(1, 0.1, (40, 50, 12)) * 100).astype(dtype)
        cube[10:20, 10:20, 5:] //= 2
        there = torch.from_numpy(cube).cuda()
        target = torch.from_numpy(np.ascontiguousarray(cube[12:15, 12:15])).cuda()
        expected = fovea.emd.map(cube, (12, 12, 3, 3), signature="contrast", device="cpu")
        for shown in ((12, 12, 3, 3), target):
            found = fovea.emd.map(there, shown, signature="contrast", device="cuda")
            assert np.array_equal(np.asarray(found), expected.distances)
    with pytest.raises(fovea.DeviceError, match="device='cuda:0'"):
        fovea.emd.map(there, (12, 12, 3, 3), signature="contrast", device="cpu")


def test_places_are_classified_on_the_gpu(images):
    classifier = fovea.scenes.Classifier("sun8", device="cuda")
    expected = classifier.classify(images[0])
    assert classifier.classify(torch.from_numpy(images[0]).cuda()) == expected
    assert filled_late(images[0], classifier.classify) == expected


def test_clusters_of_points_on_the_gpu():
    points = np.random.default_rng(2).normal(size=(4000, 24)).astype(np.float32)
    there = torch.from_numpy(points).cuda()
    host, device = (fovea.KMeans(n_clusters=20, device="cuda").fit(X) for X in (points, there))
    assert np.array_equal(host.cluster_centers_, device.cluster_centers_)
    labels = device.predict(there)
    assert isinstance(labels, fovea.DeviceArray)
    assert np.array_equal(torch.from_dlpack(labels).cpu().numpy(), host.labels_)
    assert filled_late(points, lambda X: device.predict(X).numpy().tolist()) == host.labels_.tolist()


def test_points_of_a_video_on_the_gpu():
    rng = np.random.default_rng(3)
    noise = rng.integers(0, 255, (12, 16, 3)).astype(np.uint8)
    frames = [np.roll(np.kron(noise, np.ones((6, 6, 1), np.uint8)), 3 * t, 1) for t in range(30)]
    expected = fovea.actions.points(frames, device="cuda")
    assert len(expected) > 0
    assert fovea.actions.points([torch.from_numpy(frame).cuda() for frame in frames], device="cuda") == expected


def test_clips_are_classified_and_matched_on_the_gpu():
    rng = np.random.default_rng(3)
    noise = rng.integers(0, 255, (12, 16, 3)).astype(np.uint8)
    frames = [np.roll(np.kron(noise, np.ones((6, 6, 1), np.uint8)), 3 * t, 1) for t in range(40)]
    expected = fovea.actions.classify(frames, reject=0, device="cpu").distances
    for clip in (frames, [torch.from_numpy(frame).cuda() for frame in frames]):
        assert fovea.actions.classify(clip, reject=0, device="cuda").distances == expected
    one, other = (fovea.actions.match(frames, frames, nodes=10, device=device) for device in ("cpu", "cuda"))
    assert one.energy == other.energy and one == other


def test_a_forked_process_says_that_cuda_does_not_work(images, detector):
    detector.detect(images[0])
    reading, writing = os.pipe()
    if (child := os.fork()) == 0:
        said = []
        flow = fovea.flow.Estimator
        for use in (lambda: detector.detect(images[0]), lambda: flow(device="cuda"), lambda: flow(device="auto")):
            try:
                use()
                said.append("nothing")
            except fovea.DeviceError as error:
                said.append(str(error))
        os.write(writing, "|".join(said).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        said = pipe.read().split("|")
    assert os.waitpid(child, 0)[1] == 0
    assert len(said) == 3 and all("spawn" in one for one in said), said


def test_arrays_in_the_wrong_place_are_refused(images, detector):
    tensor = torch.from_numpy(images[0]).cuda()
    with pytest.raises(fovea.DeviceError, match="ask for device='cuda:0'"):
        fovea.people.Detector("channels", device="cpu").detect(tensor)
    with pytest.raises(fovea.DeviceError, match="arrays of the CPU"):
        fovea.write_image("image.png", tensor)
    with pytest.raises(TypeError, match="torch.float32"):
        detector.detect(tensor.float())
    with pytest.raises(ValueError, match="row by row"):
        detector.detect(tensor.permute(1, 0, 2))


def test_cupy(images, detector):
    cupy = pytest.importorskip("cupy")
    assert detector.detect(cupy.asarray(images[0])) == detector.detect(images[0])
    flow = fovea.flow.Estimator(device="cuda").estimate(*(cupy.asarray(image) for image in images))
    for array in (cupy.from_dlpack(flow.u), cupy.asarray(flow.u)):
        assert array.data.ptr == flow.u.__cuda_array_interface__["data"][0]
        assert np.array_equal(cupy.asnumpy(array), flow.numpy().u)
    with cupy.cuda.Stream(non_blocking=True):
        late = cupy.zeros_like(cupy.asarray(images[0]))
        torch.cuda.synchronize()
        with torch.cuda.stream(torch.cuda.ExternalStream(cupy.cuda.get_current_stream().ptr)):
            torch.cuda._sleep(400_000_000)
        late[...] = cupy.asarray(images[0])
        assert detector.detect(late) == detector.detect(images[0])
