"""Single points that are followed: their places, what is lost, and OpenCV's results where it is installed."""

from __future__ import annotations

import numpy as np
import pytest

import fovea
from fovea import flow


def texture(dx=0.0, dy=0.0, dtype=np.uint8):
    """A soft texture of all sizes, seen (dx, dy) pixels further on."""
    y, x = np.mgrid[:160, :220].astype(np.float64)
    x, y = x - dx, y - dy
    gray = (
        125.5 + 40 * np.sin(0.045 * x + 0.02 * y) + 35 * np.sin(0.05 * y - 0.017 * x + 1)
        + 15 * np.sin(0.31 * x + 0.11 * y) + 15 * np.sin(0.23 * y - 0.13 * x + 1) + 10 * np.sin(0.47 * x) * np.cos(0.41 * y)
    )  # fmt: skip
    return gray.astype(dtype)


POINTS = np.stack(np.meshgrid(np.arange(30, 190, 23.5), np.arange(30, 130, 17.25)), -1).reshape(-1, 2).astype(np.float32)


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.float32, np.float64])
def test_points_move_as_the_texture_does(dtype):
    points, status, error = flow.follow(texture(0, 0, dtype), texture(5.25, -3.5, dtype), POINTS)
    assert status.dtype == bool and status.all() and points.dtype == error.dtype == np.float32
    assert np.abs(points - POINTS - [5.25, -3.5]).max() < 0.1 and error.max() < 3


def test_points_come_in_any_form():
    first, second = texture(), texture(2, 1)
    expected = flow.follow(first, second, POINTS)
    of_opencv = flow.follow(first, second, POINTS[:, None])
    assert of_opencv.points.shape == (len(POINTS), 1, 2) and np.array_equal(of_opencv.points[:, 0], expected.points)
    for points in (POINTS.tolist(), POINTS.astype(np.float64), np.asfortranarray(POINTS)):
        assert np.array_equal(flow.follow(first, second, points).points, expected.points)
    strided = flow.follow(np.repeat(first[:, :, None], 3, 2)[:, :, ::-1], np.repeat(second[:, :, None], 3, 2), POINTS, color="bgr")
    assert np.allclose(strided.points, expected.points, atol=1e-2)
    one = flow.follow(first, second, POINTS, threads=1)
    assert all(np.array_equal(a, b) for a, b in zip(one, expected))
    none = flow.follow(first, second, np.zeros((0, 2), np.float32))
    assert none.points.shape == (0, 2) and len(none.status) == len(none.error) == 0


def test_files_are_taken(tmp_path):
    fovea.write_image(tmp_path / "a.png", texture())
    fovea.write_image(tmp_path / "b.png", texture(2, 1))
    found = flow.follow(tmp_path / "a.png", tmp_path / "b.png", POINTS)
    assert np.array_equal(found.points, flow.follow(texture(), texture(2, 1), POINTS).points)


def test_guesses_and_the_way_back():
    first, second = texture(), texture(40, 9)
    far = flow.follow(first, second, [[60, 60]], [[98, 70]], levels=1)
    assert np.abs(far.points - [100, 69]).max() < 0.05 and far.status.all()
    hidden = texture(2, 1)
    hidden[40:120, 110:190] = np.random.default_rng(1).integers(0, 255, (80, 80))
    assert flow.follow(first, hidden, [[50, 60], [148, 80]], check=0.5).status.tolist() == [True, False]
    plain = np.full_like(first, 90)
    lost = flow.follow(plain, plain, [[50, 60], [500, 3]])
    assert not lost.status.any() and not lost.error.any()


def test_mistakes_are_named():
    image = texture()
    for call, says in [
        (lambda: flow.follow(image, image[1:], POINTS), "220x160, but the second one is 220x159"),
        (lambda: flow.follow(image, image, POINTS[:, :1]), r"points is .* expected an array of float32 and of shape \(points, 2\)"),
        (lambda: flow.follow(image, image, [[np.nan, 1]]), "point 0 is"),
        (lambda: flow.follow(image, image, POINTS, POINTS[:3]), "guess is float32 of shape"),
        (lambda: flow.follow(image, image, POINTS, radius=0), "radius is '0'"),
        (lambda: flow.follow(image, image.astype(np.uint16), POINTS), "expected arrays of one type"),
    ]:
        with pytest.raises(fovea.Error, match=says) as raised:
            call()
        assert "\n" not in str(raised.value)


def test_opencv_finds_the_same():
    cv2 = pytest.importorskip("cv2")
    first, second = texture(), texture(5.25, -3.5)
    theirs, status, error = cv2.calcOpticalFlowPyrLK(first, second, POINTS[:, None], None)
    ours = flow.follow(first, second, POINTS[:, None])
    assert np.array_equal(ours.status, status[:, 0] == 1) and np.abs(ours.points - theirs).max() < 0.03
    assert np.abs(ours.error - error[:, 0]).max() < 0.2
