"""Flow: the program's fields, and fields with known motion."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import fovea


@pytest.fixture
def field(pair):
    return fovea.flow.estimate(*pair, device="cpu")


def test_motion_is_found(field):
    assert abs(np.median(field.u) - 3) < 0.1 and abs(np.median(field.v) - 2) < 0.1
    assert field.shape == field.confidence.shape
    assert np.asarray(field).shape == (*field.shape, 2)


@pytest.mark.parametrize("options", [{"quality": "fast"}, {"method": "bm", "bm_block": 9, "bm_cost": "sad"}, {"lk_rank": False}])
def test_the_program_gives_the_same_bytes(pair, options, tmp_path, program):
    paths = [tmp_path / "first.png", tmp_path / "second.png"]
    for path, image in zip(paths, pair):
        fovea.write_image(path, image)
    field = fovea.flow.estimate(*paths, device="cpu", **options)
    program(field.command, **{"FLOW.flo": tmp_path / "theirs.flo"})
    field.save(tmp_path / "ours.flo")
    assert (tmp_path / "ours.flo").read_bytes() == (tmp_path / "theirs.flo").read_bytes()
    assert field == fovea.flow.estimate(*pair, device="cpu", **options)


def test_a_video_is_a_chain_of_pairs(pair):
    first, second = pair
    estimator = fovea.flow.Estimator(device="cpu", quality="fast")
    along = list(estimator.video([first, second, first]))
    assert [flow.frame for flow in along] == [0, 1]
    assert np.array_equal(along[0].u, estimator.estimate(first, second).u)
    assert estimator.push(first) is None and estimator.push(second) is not None


def test_a_video_goes_on_after_an_interruption(pair):
    first, second = pair
    expected = fovea.flow.estimate(first, second, device="cpu", quality="fast")
    estimator = fovea.flow.Estimator(device="cpu", quality="fast")
    estimator.push(first)
    with pytest.raises(fovea.InvalidArgument):
        estimator.push(None)
    assert estimator.push(second) == expected


def test_warping_gives_the_first_image_back(pair, field):
    first, second = pair
    warped = field.warp(second)
    inside = np.s_[20:-20, 20:-20]
    assert np.mean(np.abs(warped[inside].astype(int) - first[inside])) < 3
    assert field.to_color().shape == first.shape and field.arrows(first).shape == first.shape


def test_files_are_read_back(field, tmp_path):
    for name in ("field.flo", "field.npy", "field.pfm"):
        field.save(tmp_path / name)
        u, v, known = fovea.flow.read(tmp_path / name)
        assert np.array_equal(u, field.u) and np.array_equal(v, field.v) and np.all(known == 255)


def test_errors_against_the_truth(field):
    truth = np.full_like(field.u, 3), np.full_like(field.v, 2)
    report = fovea.flow.evaluate(field, truth)
    assert 0 < report.all.endpoint < 1 and report["density"] == report.density == 1
    assert "endpoint error" in repr(report) and report.options["confident"] == 0.5 and dict(report)["all"] == report.all
    assert pickle.loads(pickle.dumps(report)) == report
    assert fovea.flow.evaluate((field.u, field.v, field.confidence), (*truth, None)) == report
    assert fovea.flow.evaluate(field, field).all.endpoint == 0


def test_pairs_must_agree(pair):
    first, second = pair
    with pytest.raises(TypeError, match="one type"):
        fovea.flow.estimate(first, second.astype(np.float32), device="cpu")
    with pytest.raises(ValueError):
        fovea.flow.estimate(first, np.ascontiguousarray(second[:-1]), device="cpu")
    bad = np.full((40, 40), np.nan, np.float32)
    with pytest.raises(ValueError, match="pixel"):
        fovea.flow.estimate(bad, bad, device="cpu")


def test_pickles_are_equal(field):
    assert pickle.loads(pickle.dumps(field)) == field
    assert field._repr_png_().startswith(b"\x89PNG")
