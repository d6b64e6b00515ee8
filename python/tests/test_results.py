"""What all results share, and paths."""

from __future__ import annotations

import numpy as np
import pytest

import fovea


def test_results_with_and_without_a_part_are_unequal():
    P, Q = np.full((2, 3), 1 / 3), np.array([[0.2, 0.3, 0.5], [1.0, 0, 0]])
    plain, with_flows = fovea.emd.distance(P, Q, ground="l1"), fovea.emd.distance(P, Q, ground="l1", flows=True)
    assert plain != with_flows and plain == fovea.emd.distance(P, Q, ground="l1")


def test_nan_equals_itself_in_results():
    P, Q = np.array([[np.nan, 1.0]]), np.array([[0.5, 0.5]])
    result = fovea.emd.distance(P, Q, ground="l1", invalid="nan")
    assert np.isnan(result.distances[0]) and result == result


def test_paths_that_the_system_would_cut_off_are_refused(tmp_path):
    image = np.zeros((4, 4), np.uint8)
    with pytest.raises(ValueError, match="NUL"):
        fovea.write_image(str(tmp_path / "a.png") + "\0.jpg", image)
    assert list(tmp_path.iterdir()) == []
    for wrong in (None, 3, "a\udce9.png"):
        with pytest.raises(fovea.InvalidArgument):
            fovea.read_image(wrong)


def test_a_model_remembers_the_file_that_it_was_read_from(tmp_path):
    path = tmp_path / "model.safetensors"
    fovea.people.load_model("hog").save(path)
    detector = fovea.people.Detector(path, device="cpu")
    known = detector.model.hash
    path.write_bytes(b"another file")
    result = detector.detect(np.zeros((160, 100, 3), np.uint8))
    assert result.provenance["model_hash"] == known


def test_pictures_need_an_image():
    result = next(fovea.people.Detector("hog", device="cpu").video([np.zeros((160, 100), np.uint8)]))
    with pytest.raises(fovea.InvalidArgument, match=r"draw\(image\)"):
        result.draw()
    assert result.draw(np.zeros((160, 100), np.uint8)).shape == (160, 100, 3)
