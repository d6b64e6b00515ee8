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


@pytest.mark.parametrize("options", [
    {"quality": "fast"}, {"method": "bm", "bm_block": 9, "bm_cost": "sad"}, {"lk_rank": False},
    {"channels": "color"}, {"preset": "paper"}, {"preset": "paper", "lk_radius": 7}, {"preset": "paper", "method": "bm"},
])
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


@pytest.mark.parametrize("kind", ["npy", "pfm", "tif", "png"])
def test_confidence_is_written_as_the_program_does(pair, kind, tmp_path, program):
    paths = [tmp_path / "first.png", tmp_path / "second.png"]
    for path, image in zip(paths, pair):
        fovea.write_image(path, image)
    field = fovea.flow.estimate(*paths, device="cpu", quality="fast")
    for options, words in (({}, ""), ({"least_confidence": 0.5}, " --least-confidence 0.5"), ({"confidence": False}, " --no-confidence")):
        ours, theirs = tmp_path / f"ours.{kind}", tmp_path / f"theirs.{kind}"
        program(field.command + words, **{"FLOW.flo": theirs})
        field.save(ours, **options)
        assert ours.read_bytes() == theirs.read_bytes()
        theirs.unlink()


def test_a_field_is_saved_as_a_picture(field, tmp_path):
    field.save(tmp_path / "wheel.png", output="picture")
    assert np.array_equal(fovea.read_image(tmp_path / "wheel.png"), field.to_color())
    for call, says in (
        (lambda: field.save(tmp_path / "a.png", output="wheel"), "output is 'wheel'; expected 'output' or 'picture'"),
        (lambda: field.save(tmp_path / "a.png", output="picture", confidence=False), r"no option of a picture; draw it by to_color\(\)"),
        (lambda: field.save(tmp_path / "a.png", least=0.5), r"save\(\) has no keyword 'least'"),
        (lambda: fovea.flow.write(tmp_path / "a.png", field.u, field.v, least=0.5), r"write\(\) has no keyword 'least'"),
        (lambda: field.save(tmp_path / "a.txt", output="picture"), "a.txt"),
    ):
        with pytest.raises(fovea.InvalidArgument, match=says):
            call()
    assert [path.name for path in tmp_path.iterdir()] == ["wheel.png"]


def test_confidence_is_read_back(field, tmp_path):
    for kind in ("npy", "pfm", "tif"):
        field.save(tmp_path / f"field.{kind}")
        u, v, known, confidence = fovea.flow.read(tmp_path / f"field.{kind}", confidence=True)
        assert np.array_equal(u, field.u) and np.all(known == 255) and np.array_equal(confidence, field.confidence)
        truth = np.full_like(field.u, 3), np.full_like(field.v, 2)
        assert fovea.flow.evaluate(tmp_path / f"field.{kind}", truth) == fovea.flow.evaluate(field, truth)
        fovea.flow.write(tmp_path / f"again.{kind}", u, v, known, confidence)
        assert (tmp_path / f"again.{kind}").read_bytes() == (tmp_path / f"field.{kind}").read_bytes()
        fovea.flow.write(tmp_path / f"again.{kind}", u, v, least_confidence=0.5, confidence=confidence)
        assert np.array_equal(fovea.flow.read(tmp_path / f"again.{kind}")[2] == 255, confidence >= 0.5)
    field.save(tmp_path / "field.flo")
    assert fovea.flow.read(tmp_path / "field.flo", True)[3] is None and len(fovea.flow.read(tmp_path / "field.flo")) == 3
    assert field.confidence_picture().shape == (*field.shape, 3)


@pytest.fixture
def transparent(pair):
    """The pair with a channel for opacity, which is 0 at the left of the first image and at the top of the second."""
    opacity = np.full((2, *pair[0].shape[:2], 1), 200, np.uint8)
    opacity[0, :, :40], opacity[1, :30] = 0, 0
    return [np.concatenate([image, alpha], axis=2) for image, alpha in zip(pair, opacity)]


@pytest.mark.parametrize("method", ["lk", "bm"])
def test_transparent_pixels_are_left_out(pair, transparent, method, tmp_path, program):
    masks = [np.where(image[:, :, 3] > 0, 255, 0).astype(np.uint8) for image in transparent]
    paths = [tmp_path / "first.png", tmp_path / "second.png"]
    for path, image in zip(paths, transparent):
        fovea.write_image(path, image)
    field = fovea.flow.estimate(*paths, "alpha", device="cpu", quality="fast", method=method)
    program(field.command, **{"FLOW.flo": tmp_path / "theirs.flo"})
    field.save(tmp_path / "ours.flo")
    assert (tmp_path / "ours.flo").read_bytes() == (tmp_path / "theirs.flo").read_bytes()
    assert np.array_equal(field.known, masks[0]) and not field.confidence[:, :40].any()
    estimator = fovea.flow.Estimator(device="cpu", quality="fast", method=method)
    assert estimator.estimate(*transparent, mask="alpha") == field == estimator.estimate(*pair, *masks)
    assert estimator.push(transparent[0], "alpha") is None and estimator.push(transparent[1], "alpha") == field
    assert next(estimator.video(transparent, mask="alpha")).u.tolist() == field.u.tolist()


def test_transparent_pixels_are_left_out_along_images(transparent, tmp_path, program):
    (tmp_path / "frames").mkdir()
    (tmp_path / "fields").mkdir()
    for number, image in enumerate([*transparent, transparent[0]]):
        fovea.write_image(tmp_path / f"frames/{number}.png", image)
    fields = list(fovea.flow.Estimator(device="cpu", quality="fast").video(tmp_path / "frames", mask="alpha"))
    program(fields[0].command, FLOWS=tmp_path / "fields")
    for field in fields:
        field.save(tmp_path / "ours.flo")
        assert (tmp_path / "ours.flo").read_bytes() == (tmp_path / f"fields/{field.frame:06}.flo").read_bytes()


def test_masks_that_cannot_be_are_refused(pair, transparent):
    for call, kind, words in (
        (lambda: fovea.flow.estimate(*pair, "alpha"), ValueError, "first is of shape .*2 or 4 channels"),
        (lambda: fovea.flow.estimate(*transparent, "alpha", np.ones(pair[0].shape[:2], np.uint8)), ValueError, "second_mask"),
        (lambda: fovea.flow.estimate(*pair, method="bm", channels="color", device="cuda"), fovea.Error, "CPU|CUDA|cuda"),
        (lambda: fovea.flow.Estimator(preset="thesis"), ValueError, "none or paper"),
        (lambda: fovea.flow.read("x.flo", confidence=1), TypeError, "confidence is 1"),
    ):
        with pytest.raises(kind, match=words) as caught:
            call()
        assert isinstance(caught.value, fovea.Error) and "\n" not in str(caught.value)


def test_a_preset_sets_what_is_not_given():
    paper = fovea.flow.Estimator(preset="paper", lk_iterations=5, device="cpu").options
    assert paper["lk_radius"] == 10 and paper["lk_iterations"] == 5 and paper["bm_block"] == 16
    assert fovea.flow.Estimator(**paper).options == paper and fovea.flow.Estimator().options["preset"] == "none"
    assert fovea.flow.Estimator(method="bm", channels="color").options["device"] == "cpu"


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
