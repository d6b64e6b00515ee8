"""Arrays on a GPU: no copy, in the order of their streams, and the results of the CPU."""

from __future__ import annotations

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


def filled_late(image, use):
    """Calls use(tensor) while a slow kernel still delays what fills the tensor, on a stream of its own."""
    source, stream = torch.from_numpy(image).cuda(), torch.cuda.Stream()
    tensor = torch.zeros_like(source)
    torch.cuda.synchronize()
    with torch.cuda.stream(stream):
        torch.cuda._sleep(400_000_000)
        tensor.copy_(source)
        return use(tensor)


def test_the_stream_that_fills_an_array_is_awaited(images, detector):
    expected = detector.detect(images[0])
    assert filled_late(images[0], detector.detect) == expected
    there = torch.cuda.current_stream

    def through_interface(tensor):
        return detector.detect(Interface(tensor, there().cuda_stream))

    assert filled_late(images[0], through_interface) == expected
    # Without the event, the image is still empty: the tests above would fail.
    assert filled_late(images[0], lambda tensor: detector.detect(Unordered(tensor))) != expected


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
