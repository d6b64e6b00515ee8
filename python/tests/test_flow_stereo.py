"""Stereo: the program's disparities, pairs whose depth is known, files and errors."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pytest

import fovea


@pytest.fixture(scope="module")
def scene(tmp_path_factory):
    """A pair whose left image is the right one, moved 5 pixels, and 9 pixels inside a square in front."""
    rng = np.random.default_rng(5)
    texture = rng.integers(0, 255, (96, 160)).astype(np.float64)
    texture = (texture + np.roll(texture, 1, 1) + np.roll(texture, 1, 0)) / 3
    right = texture[:, 20:140].astype(np.uint8)
    truth = np.full(right.shape, 5, np.float32)
    left = texture[:, 15:135].astype(np.uint8)
    near = rng.integers(0, 255, (40, 40), dtype=np.uint8)
    left[30:70, 50:90], right[30:70, 41:81], truth[30:70, 50:90] = near, near, 9
    folder = tmp_path_factory.mktemp("pair")
    fovea.write_image(folder / "left.png", left)
    fovea.write_image(folder / "right.png", right)
    fovea.flow.write_disparity(folder / "truth.pfm", truth)
    return folder, left, right, truth


@pytest.fixture(scope="module")
def found(scene):
    return fovea.flow.stereo(scene[1], scene[2], max_disparity=15)


def test_depth_is_found(scene, found):
    report = fovea.flow.evaluate_stereo(found, scene[3])
    assert report.visible.pixels < report.all.pixels == scene[3].size
    assert report.visible.mean < 0.2 and report.visible.bad1 < 0.02 and report["all"].unknown < 0.25
    assert "mean error" in repr(report) and pickle.loads(pickle.dumps(report)) == report
    assert np.array_equal(np.isfinite(found), found.known) and found.confidence.max() <= 1
    assert np.all(found.confidence[~found.known] == 0) and found.shape == scene[1].shape


@pytest.mark.parametrize("options", [{}, {"method": "block", "cost": "sad"}, {"fill": True, "subpixel": False}])
def test_the_program_gives_the_same_bytes(scene, options, tmp_path, program):
    folder = scene[0]
    found = fovea.flow.stereo(folder / "left.png", folder / "right.png", max_disparity=15, **options)
    program(found.command, **{"DISPARITY.pfm": tmp_path / "theirs.pfm"})
    found.save(tmp_path / "ours.pfm")
    assert (tmp_path / "ours.pfm").read_bytes() == (tmp_path / "theirs.pfm").read_bytes()
    assert found == fovea.flow.stereo(scene[1], scene[2], max_disparity=15, threads=1, **options)


def test_the_program_counts_the_same_errors(scene, tmp_path, program):
    folder = scene[0]
    found = fovea.flow.stereo(folder / "left.png", folder / "right.png", max_disparity=15)
    report = fovea.flow.evaluate_stereo(found, folder / "truth.pfm")
    theirs = json.loads(program(f"{report.command} --picture OUT", **{"DISPARITY.pfm": tmp_path / "d.pfm", "OUT": tmp_path / "near.png"}))
    for part in ("all", "visible"):
        ours = getattr(report, part)
        assert theirs[part]["pixels"] == ours.pixels and theirs[part]["mean_error"] == pytest.approx(ours.mean)
        assert theirs[part]["bad0.5"] == pytest.approx(ours.bad05) and theirs[part]["unknown"] == pytest.approx(ours.unknown)
    assert np.array_equal(found.to_color(), fovea.read_image(tmp_path / "near.png"))
    assert found._repr_png_().startswith(b"\x89PNG")


def test_files_are_read_back(found, tmp_path):
    for name in ("d.pfm", "d.npy", "d.tif", "d.png"):
        found.save(tmp_path / name)
        again = fovea.flow.read_disparity(tmp_path / name)
        assert np.array_equal(np.isfinite(again), found.known)
        assert np.allclose(again[found.known], found.disparity[found.known], atol=1 / 256)
    scaled = fovea.flow.read_disparity(tmp_path / "d.png", scale=512.0)
    assert np.allclose(scaled[found.known], found.disparity[found.known] / 2, atol=1 / 256)


def test_visible_pixels_are_known(scene):
    truth = scene[3]
    visible = fovea.flow.visible_pixels(truth)
    assert visible.dtype == np.uint8 and np.all(visible[:, :5] == 0) and np.all(visible[30:70, 50:90] == 255)
    # What only the left image shows lies at the left of the square, as wide as disparities differ.
    assert np.all(visible[35:65, 46:50] == 0) and np.all(visible[35:65, 30:45] == 255)
    given = fovea.flow.evaluate_stereo(truth, truth, visible)
    assert given == fovea.flow.evaluate_stereo(truth, truth) and given.visible.bad05 == 0


def test_the_check_can_be_left_out(scene):
    options = fovea.flow.StereoMatcher(check=None).options
    assert options["check"] is None and fovea.flow.StereoMatcher(**options).options == options
    assert fovea.flow.StereoMatcher().options["check"] == 1
    unchecked = fovea.flow.stereo(scene[1], scene[2], max_disparity=15, check=None, speckle=0, uniqueness=0.0)
    assert unchecked.known.mean() > 0.95


def test_a_matcher_is_used_again(scene, found):
    matcher = fovea.flow.StereoMatcher(max_disparity=15)
    assert matcher.match(scene[1], scene[2]) == found == pickle.loads(pickle.dumps(matcher)).match(scene[1], scene[2])
    assert pickle.loads(pickle.dumps(found)) == found and "0 to 15 px" in repr(matcher) and "known at" in repr(found)


def test_bad_pairs_are_refused(scene):
    left, right = scene[1:3]
    for call, kind, words in (
        (lambda: fovea.flow.stereo(left, right.astype(np.float32)), TypeError, "left is uint8 .*one type"),
        (lambda: fovea.flow.stereo(left, np.ascontiguousarray(right[:-1])), ValueError, "size"),
        (lambda: fovea.flow.stereo(left, right, min_disparity=20, max_disparity=10), ValueError, "from 20 to 10"),
        (lambda: fovea.flow.stereo(left, right, block=4), ValueError, "block"),
        (lambda: fovea.flow.stereo(left, right, device="cuda"), fovea.Error, "CPU"),
        (lambda: fovea.flow.evaluate_stereo(scene[3], np.full_like(scene[3], np.inf)), ValueError, "known"),
        (lambda: fovea.flow.evaluate_stereo(scene[3], scene[3][:9].copy()), ValueError, "120x9"),
    ):
        with pytest.raises(kind, match=words) as caught:
            call()
        assert isinstance(caught.value, fovea.Error) and "\n" not in str(caught.value)
