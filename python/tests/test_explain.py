"""Explanations: their numbers add up to the results, and they are those of the program."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pytest

import fovea


def reasons_add_up(why):
    assert sum(reason.value for reason in why.reasons) + why.rest == pytest.approx(why.total, abs=1e-4)
    assert why.title in str(why) and why.summary in repr(why)
    assert json.dumps(why.to_dict())


def test_people(street, program):
    for model in ("channels", "hog", "cascade"):
        detector = fovea.people.Detector(model, ratio=1.2, device="cpu")
        image = fovea.read_image(street)
        why = detector.explain(image, 300, 300)
        reasons_add_up(why)
        assert why.score in detector.scores(image)
        assert float(np.sum(why.heat)) == pytest.approx(why.sum, abs=1e-3)
        assert why.outcome in ("person", "fused", "below_threshold", "rejected")
        left, top, width, height = why.xywh
        assert left <= 300 < left + width and top <= 300 < top + height
        line = f"fovea people detect {street} --model {model} --ratio 1.2 --explain 300,300 --json"
        told = json.loads(program(line))["explanation"]
        assert told["summary"] == why.summary and told["total"] == why.total
        assert np.allclose(np.float32(told["layers"][0]["values"]), why.layers[0].values)
        again = detector.explain_window(image, [why.window[0], why.window[1], sum(why.window[::2]), sum(why.window[1::2])])
        assert again.score == why.score


def test_pictures_and_pickles(street):
    why = fovea.people.Detector("cascade", ratio=1.3, device="cpu").explain(street, 300, 300)
    picture = why.draw()
    assert picture.dtype == np.uint8 and picture.shape[2] == 3
    assert why.layer("for and against").diverging
    kept = pickle.loads(pickle.dumps(why))
    assert kept.summary == why.summary and kept.reasons == why.reasons
    with pytest.raises(fovea.InvalidArgument, match="pickled"):
        kept.draw()
    with pytest.raises(fovea.InvalidArgument, match="no layer 'heat'"):
        why.layer("heat")


def test_flow():
    rows, columns = np.mgrid[:48, :64]
    first, second = (
        (128 + 60 * np.sin(0.4 * (columns - d)) + 50 * np.cos(0.5 * rows + 0.1 * (columns - d))).astype(np.uint8)
        for d in (0, 2)
    )
    for method in ("lk", "bm"):
        estimator = fovea.flow.Estimator(method=method, device="cpu")
        flow = estimator.estimate(first, second)
        why = estimator.explain(first, second, 30, 24)
        reasons_add_up(why)
        assert (why.u, why.v, why.confidence) == (flow.u[24, 30], flow.v[24, 30], flow.confidence[24, 30])
        assert why.difference_after < why.difference_before
        assert (why.surface is not None) == (method == "bm")
        assert why.draw().ndim == 3
    with pytest.raises(fovea.InvalidArgument, match="64,0 lies outside"):
        estimator.explain(first, second, 64, 0)


def test_maps():
    image = np.random.default_rng(1).integers(0, 255, (40, 60, 3), dtype=np.uint8)
    for signature in ("levels", "colors"):
        mapper = fovea.emd.Mapper((4, 4, 12, 12), signature=signature, device="cpu")
        distances = mapper.map(image).distances
        why = mapper.explain(image, 33, 21)
        reasons_add_up(why)
        assert np.float32(why.distance) == distances[21, 33]
        assert sum(move[4] for move in why.moves) == pytest.approx(why.distance)
        assert float(np.sum(why.heat)) == pytest.approx(why.distance, abs=1e-4)
        assert len(why.bins) == len(why.histogram) and why.picture.shape[2] == 3


def test_cubes():
    cube = np.random.default_rng(2).random((20, 24, 12), dtype=np.float32)
    mapper = fovea.emd.Mapper((4, 4, 3, 3), signature="contrast", device="cpu")
    distances = mapper.map(cube).distances
    why = mapper.explain(cube, 15, 9)
    assert np.float32(why.distance) == distances[9, 15]
    assert why.heat is None and why.bins[-1][0] == "like the scene"


def test_tracks():
    def frame(x):
        image = np.random.default_rng(3).integers(90, 120, (70, 90, 3), dtype=np.uint8)
        image[30:46, x : x + 16] = (200, 40, 40)
        return image

    one, other = (fovea.emd.Tracker(frame(20), (20, 30, 16, 16), device="cpu") for _ in range(2))
    why = one.explain(frame(24))
    track = other.track(frame(24))
    assert np.array_equal(track.xywh[0], why.xywh) and track.score[0] == why.score
    place = why.place
    assert place["total"] == pytest.approx(place["color"] - place["motion"] - place["parts"] - place["filter"])
    reasons_add_up(why)
    assert one.tracks.frame == 1
    with pytest.raises(fovea.InvalidArgument, match="no target 2"):
        one.explain(frame(26), 2)
