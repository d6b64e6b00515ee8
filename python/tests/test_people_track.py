"""People with identities, the measures of tracks, and the assignment behind them."""

from __future__ import annotations

import json
import pathlib
from typing import Any

import numpy as np
import pytest

import fovea


def crowd(frames: int = 60, people: int = 6, seed: int = 3) -> tuple[np.ndarray, list[tuple[np.ndarray, np.ndarray]]]:
    """Walkers who cross, as true rows and as detections with errors."""
    rng = np.random.default_rng(seed)
    truth, found = [], []
    start, speed = rng.uniform(0, 500, people), rng.uniform(-6, 6, people)
    for frame in range(frames):
        boxes = np.stack(
            [start + speed * frame, 20.0 + 8 * np.arange(people), np.full(people, 33.0), np.full(people, 80.0)], axis=1
        )
        for person, box in enumerate(boxes):
            truth.append([frame, person + 1, *box])
        kept = rng.random(people) > 0.1
        noisy = boxes[kept] + rng.normal(0, 1.5, (int(kept.sum()), 4))
        found.append((noisy.astype(np.float32), rng.uniform(0.3, 1, int(kept.sum())).astype(np.float32)))
    return np.array(truth), found


def followed(**options: Any) -> tuple[np.ndarray, np.ndarray]:
    truth, found = crowd()
    tracker = fovea.people.Tracker(**options)
    return truth, np.concatenate([tracker.track(None, detections).rows() for detections in found])


def test_a_person_keeps_the_id() -> None:
    tracker = fovea.people.Tracker(confirm=2)
    frame = np.full((120, 160, 3), 90, dtype=np.uint8)
    for i in range(5):
        tracks = tracker.track(frame, (np.array([[10 + 2 * i, 20, 33, 80]]), np.array([0.9])))
    assert tracks.tracker_id.tolist() == [1]
    assert tracks[0].detection == 0 and tracks.frame == 4 and tracker.identities == 1
    assert abs(tracks[0].xyxy[0] - 18) < 4
    assert len(tracker.track(frame, (np.zeros((0, 4)), np.zeros(0)))) == 0
    assert tracker.people().missed.tolist() == [1]
    with pytest.raises(fovea.errors.InvalidArgument, match="detection 0"):
        tracker.track(frame, (np.array([[np.nan, 0, 5, 5]]), np.array([1.0])))
    with pytest.raises(fovea.errors.InvalidType, match="detections"):
        tracker.track(frame, 3)


def walkers(folder: pathlib.Path, program: Any) -> pathlib.Path:
    """A drawn street: a folder of pictures."""
    program("fovea people scene -o FOLDER --video %03d.png --people 3 --frames 8 --size 200x150", FOLDER=folder)
    return folder


def test_a_video_is_followed_as_by_the_program(tmp_path: pathlib.Path, program: Any) -> None:
    street = walkers(tmp_path / "street", program)
    detector = fovea.people.Detector("hog", ratio=1.3, threshold=-1.0, device="cpu")
    found = list(fovea.people.track(street, detector, confirm=1, device="cpu"))
    assert [tracks.frame for tracks in found] == list(range(8)) and any(len(tracks) for tracks in found)
    program(f"{found[0].command} --mot MOT", MOT=tmp_path / "mot.txt")
    assert "".join(tracks.to_mot() for tracks in found) == (tmp_path / "mot.txt").read_text()
    again = fovea.people.Tracker(confirm=1, device="cpu").video(sorted(street.glob("*.png")), detector)
    assert list(again) == found
    shown = next(tracks for tracks in found if len(tracks))
    frame = np.zeros((150, 200, 3), np.uint8)
    assert shown.draw(frame).any() and not frame.any()
    with pytest.raises(fovea.InvalidArgument, match=r"people track writes mot .*; csv"):
        shown.save(tmp_path / "people.png")
    rest = fovea.people.track(street, detector)
    next(rest)
    rest.close()  # type: ignore[attr-defined]
    with pytest.raises(fovea.errors.Error, match="model"):
        fovea.people.track(street, "no-such-model")


def test_the_program_measures_the_same(tmp_path: pathlib.Path, program: Any) -> None:
    truth, found = followed()
    for name, rows in (("truth.txt", truth), ("found.txt", found)):
        lines = [",".join(repr(float(v)) for v in (r[0] + 1, r[1], r[2] + 1, r[3] + 1, r[4], r[5])) for r in rows]
        text = "\n".join(line.replace(".0,", ",", 2) for line in lines)
        (tmp_path / name).write_text(text + "\n")
    places = {"FOUND": tmp_path / "found.txt", "TRUTH": tmp_path / "truth.txt"}
    printed = json.loads(program("fovea people eval-tracks FOUND --truth TRUTH --json", **places))["all"]
    measured = fovea.people.evaluate_tracks(tmp_path / "found.txt", tmp_path / "truth.txt")
    for name, value in measured.items():
        if name != "thresholds":
            assert printed[name] == pytest.approx(value, abs=1e-12), name
    for name in printed["thresholds"][0]:
        column = [threshold[name] for threshold in printed["thresholds"]]
        assert column == pytest.approx(measured["thresholds"][name], abs=1e-12), name
    direct = fovea.people.evaluate_tracks(found, truth)
    assert direct["idf1"] == pytest.approx(measured["idf1"], abs=1e-9)
    assert direct["mota"] > 0.5


def frames_of(rows: np.ndarray, count: int) -> list[np.ndarray]:
    return [rows[rows[:, 0] == frame] for frame in range(count)]


def overlaps(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    low = np.maximum(a[:, None, :2], b[None, :, :2])
    high = np.minimum((a[:, :2] + a[:, 2:])[:, None], (b[:, :2] + b[:, 2:])[None])
    common = np.prod(np.clip(high - low, 0, None), axis=2)
    return common / ((a[:, 2] * a[:, 3])[:, None] + (b[:, 2] * b[:, 3])[None] - common)


def test_measures_agree_with_trackeval() -> None:
    metrics = pytest.importorskip("trackeval.metrics")
    truth, found = followed()
    count = int(max(truth[:, 0].max(), found[:, 0].max())) + 1
    people, tracks = np.unique(truth[:, 1]), np.unique(found[:, 1])
    sides = list(zip(frames_of(truth, count), frames_of(found, count)))
    data = {
        "num_timesteps": count,
        "num_gt_ids": len(people),
        "num_tracker_ids": len(tracks),
        "num_gt_dets": len(truth),
        "num_tracker_dets": len(found),
        "gt_ids": [np.searchsorted(people, a[:, 1]) for a, _ in sides],
        "tracker_ids": [np.searchsorted(tracks, b[:, 1]) for _, b in sides],
        "similarity_scores": [overlaps(a[:, 2:6], b[:, 2:6]) for a, b in sides],
    }
    hota = metrics.HOTA().eval_sequence(data)
    clear = metrics.CLEAR({"PRINT_CONFIG": False}).eval_sequence(data)
    identity = metrics.Identity({"PRINT_CONFIG": False}).eval_sequence(data)
    ours = fovea.people.evaluate_tracks(found, truth)
    expected = {
        "hota": hota["HOTA"].mean(),
        "deta": hota["DetA"].mean(),
        "assa": hota["AssA"].mean(),
        "loca": hota["LocA"].mean(),
        "mota": clear["MOTA"],
        "motp": clear["MOTP"],
        "switches": clear["IDSW"],
        "fragments": clear["Frag"],
        "mostly_tracked": clear["MT"],
        "mostly_lost": clear["ML"],
        "idf1": identity["IDF1"],
        "idp": identity["IDP"],
        "idr": identity["IDR"],
    }
    for name, value in expected.items():
        assert ours[name] == pytest.approx(float(value), abs=1e-12), name


def test_measures_agree_with_motmetrics() -> None:
    motmetrics = pytest.importorskip("motmetrics")
    truth, found = followed()
    count = int(max(truth[:, 0].max(), found[:, 0].max())) + 1
    together = motmetrics.MOTAccumulator(auto_id=True)
    for a, b in zip(frames_of(truth, count), frames_of(found, count)):
        distances = 1 - overlaps(a[:, 2:6], b[:, 2:6])
        distances[distances > 0.5] = np.nan
        together.update(a[:, 1].astype(int), b[:, 1].astype(int), distances)
    names = ["mota", "idf1", "idp", "idr"]
    theirs = motmetrics.metrics.create().compute(together, metrics=names, return_dataframe=False)
    ours = fovea.people.evaluate_tracks(found, truth)
    for name in names:
        assert ours[name] == pytest.approx(theirs[name], abs=1e-12), name


def test_assignments_agree_with_scipy() -> None:
    optimize = pytest.importorskip("scipy.optimize")
    rng = np.random.default_rng(5)
    for _ in range(50):
        costs = rng.normal(size=tuple(rng.integers(1, 40, 2)))
        rows, columns = optimize.linear_sum_assignment(costs)
        ours = fovea.ops.assign(costs)
        assert ours.cost == pytest.approx(costs[rows, columns].sum(), abs=1e-9)
        assert sorted(c for c in ours.column_of if c >= 0) == sorted(columns.tolist())
    assert fovea.ops.assign(np.array([[1.0, np.inf], [0.5, np.inf]])).column_of.tolist() == [-1, 0]
    with pytest.raises(fovea.errors.InvalidArgument, match="nan"):
        fovea.ops.assign(np.array([[np.nan]]))
