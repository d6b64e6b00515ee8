"""Earth Mover's Distances: the program's results, closed forms, and what is refused."""

from __future__ import annotations

import json
import os
import pickle
import signal
import threading

import numpy as np
import pytest

import fovea

emd = fovea.emd
rng = np.random.default_rng(11)


def refused(call, words, kind=fovea.InvalidArgument):
    with pytest.raises(kind, match=words) as caught:
        call()
    assert isinstance(caught.value, fovea.Error) and "\n" not in str(caught.value)


# Distances


@pytest.fixture(scope="module")
def histograms():
    return rng.integers(0, 9, (40, 7)).astype(np.float64), rng.integers(0, 9, (40, 7)).astype(np.float64)


@pytest.mark.parametrize(
    "ground, options",
    [
        ("threshold:3", {}),
        ("l1", {"solver": "simplex"}),
        ("circular", {"mass": "normalize"}),
        (None, {"mass": "penalty", "penalty": 2.5}),
    ],
)
def test_the_program_gives_the_same_distances(histograms, ground, options, tmp_path, program):
    P, Q = histograms
    costs = rng.random((7, 7)) if ground is None else None
    found = emd.distance(P, Q, costs if ground is None else ground, True, device="cpu", **options)
    problems, table = tmp_path / "problems.json", tmp_path / "ground.npy"
    problems.write_text(json.dumps({"P": P.tolist(), "Q": Q.tolist()}))
    if costs is not None:
        np.save(table, costs)
    report = json.loads(program(found.command, PROBLEMS=problems, GROUND=table))
    assert report["distances"] == found.distances.tolist()
    assert report["statuses"] == found.statuses
    assert report["solvers"] == found.solvers
    assert report["solved_by"] == found.solved_by and sum(found.solved_by.values()) == len(found)
    assert report["pivots"] == found.pivots.tolist()
    assert report["flows"] == found.flows.tolist()
    assert report["ground"] == found.ground


def test_the_tableau_takes_whole_masses_of_any_totals(histograms):
    P, Q = histograms
    paper = emd.distance(P, Q, "threshold:3", start="auxiliary", device="cpu")
    full = (P.sum(axis=1) > 0) & (Q.sum(axis=1) > 0)
    assert paper.solved_by["tableau"] == np.count_nonzero(full) > 0
    assert paper.solved_by["nothing"] == np.count_nonzero(~full)
    assert np.array_equal(paper.distances, emd.distance(P, Q, "threshold:3", device="cpu").distances)


def test_closed_forms(histograms):
    P, Q = (side / side.sum(axis=1, keepdims=True) for side in histograms)
    along = np.abs(np.cumsum(P, axis=1) - np.cumsum(Q, axis=1)).sum(axis=1)
    assert np.allclose(emd.distance(P, Q, "l1").distances, along, rtol=0, atol=1e-12)
    variation = np.abs(P - Q).sum(axis=1) / 2
    assert np.allclose(emd.distance(P, Q, "discrete").distances, variation, rtol=0, atol=1e-12)
    assert float(emd.distance([1, 0, 0], [0, 0, 1], "l1")) == 2
    assert float(emd.distance([1, 0, 0, 0], [0, 0, 0, 1], "circular")) == 1


def test_any_number_of_bins(tmp_path, program):
    P, Q = rng.random((3, 20000)), rng.random((3, 20000))
    shares = [side / side.sum(axis=1, keepdims=True) for side in (P, Q)]
    along = np.abs(np.cumsum(shares[0] - shares[1], axis=1)).sum(axis=1)
    assert np.allclose(emd.distance(P, Q).distances, along, rtol=1e-9)
    places = rng.random((200, 2))
    costs = np.sqrt(((places[:, None] - places[None]) ** 2).sum(axis=2))
    masses = rng.integers(1, 9, (2, 200)).astype(np.float64)
    found = emd.distance(*masses, costs, flows=True)
    assert found.solvers == ["network_simplex"] and found.statuses == ["optimal"] and found.flows.shape == (1, 200, 200)
    assert np.isclose((found.flows[0] * costs).sum(), float(found)) and np.isclose(found.flows.sum(), 1)
    problems, table = tmp_path / "problems.json", tmp_path / "ground.npy"
    problems.write_text(json.dumps({"P": masses[:1].tolist(), "Q": masses[1:].tolist()}))
    np.save(table, costs)
    assert json.loads(program(found.command, PROBLEMS=problems, GROUND=table))["distances"] == found.distances.tolist()
    refused(lambda: emd.distance(np.ones(1 << 21), np.ones(1 << 21)), "expected 1 to 1048576")
    refused(lambda: emd.distance(np.ones(5000), np.ones(5000), "threshold:3"), "expected 1 to 4096")


def test_the_default_cuts_neither_masses_nor_costs():
    assert float(emd.distance([1, 0, 0, 0, 0], [0, 0, 0, 0, 7])) == 4
    one, other = np.array([3.0, 1.0, 0.0]), np.array([0.0, 1.0, 1.0])
    assert emd.distance(one, other) == emd.distance(one / 4, other / 2)
    assert float(emd.distance(one, other)) == 1.25 and float(emd.distance(one, other, mass="partial")) == 1
    found = emd.distance(one, other, flows=True)
    assert found.options["mass"] == "normalize" and "--mass normalize" in found.command
    assert np.allclose(found.flows[0].sum(axis=1), one / 4) and np.allclose(found.flows[0].sum(axis=0), other / 2)


def test_costs_of_each_pair(histograms):
    P, Q = histograms
    costs = rng.random((40, 7, 7))
    found = emd.distance(P, Q, costs, flows=True)
    for k in (0, 17, 39):
        alone = emd.distance(P[k], Q[k], costs[k], flows=True, device="cpu")
        assert found[k] == float(alone) and found.solvers[k] == alone.solvers[0]
        assert np.array_equal(found.flows[k], alone.flows[0])
    assert found.ground == {"rows": 7, "columns": 7} and found.provenance["device"] == "cpu"
    assert emd.distance(P[0], Q, costs) == emd.distance(np.repeat(P[:1], 40, axis=0), Q, costs)
    refused(lambda: emd.distance(P[:3], Q[:3], costs), "40 rows of 49 costs")
    refused(lambda: emd.distance([[1, 0, 0]], [[0, 1]], np.ones((1, 2, 3))), "2 rows")
    refused(lambda: emd.distance(P, Q, costs[:0]), "costs of no pair")
    refused(lambda: emd.distance(-1 - P, Q, costs), "row 0 of P has mass -")


def test_supports_say_where_bins_are(histograms):
    P, Q = (side + 1 for side in histograms)
    X, Y = rng.random((7, 3)), rng.random((5, 3))
    Q = Q[:, :5]
    apart = X[:, None] - Y[None]
    for ground, costs in (
        ("l1", np.abs(apart).sum(axis=2)),
        ("l2", np.sqrt((apart**2).sum(axis=2))),
        ("squared", (apart**2).sum(axis=2)),
        ("threshold:0.4", np.minimum(np.sqrt((apart**2).sum(axis=2)), 0.4)),
        ("discrete", np.ones((7, 5))),
    ):
        assert emd.distance(P, Q, ground, supports=(X, Y)) == emd.distance(P, Q, costs)
    assert float(emd.distance([1, 0], [0, 1], supports=[0, 2.5])) == 2.5
    own = rng.random((40, 7, 1))
    found = emd.distance(P, P[::-1], supports=own)
    assert found[3] == float(emd.distance(P[3], P[36], supports=own[3]))
    refused(lambda: emd.distance(P, Q, supports=(X, Y[:, :2])), "supports are of shapes")
    refused(lambda: emd.distance(P, Q, "circular", supports=(X, Y)), "with supports, expected l1")
    refused(lambda: emd.distance(P, Q, "threshold:much", supports=(X, Y)), "with supports, expected l1")
    refused(lambda: emd.distance(P, Q, supports=(X, Y, X)), "tuple of 3")


def test_every_type_of_masses_gives_the_same(histograms):
    P, Q = histograms
    expected = emd.distance(P, Q)
    for kind in (np.uint8, np.uint16, np.float32):
        assert emd.distance(P.astype(kind), Q.astype(kind)) == expected
    wide = np.zeros((40, 20))
    wide[:, 3:10] = P
    assert emd.distance(wide[:, 3:10], Q) == expected
    assert emd.distance(P.tolist(), Q.tolist()) == expected


def test_one_row_serves_all(histograms):
    P, Q = histograms
    one = np.repeat(Q[:1], len(P), axis=0)
    assert np.array_equal(emd.distance(P, Q[0]).distances, emd.distance(P, one).distances)
    assert emd.distance(Q[0], P, flows=True) == emd.distance(one, P, flows=True)
    costs = rng.random((7, 3))
    assert len(emd.distance(P[0], rng.random((5, 3)), costs)) == 5
    assert len(emd.distance(P[:0], Q[0])) == 0


def test_flows_move_the_mass(histograms):
    P, Q = (side + 1 for side in histograms)
    Q *= P.sum(axis=1, keepdims=True) / Q.sum(axis=1, keepdims=True)
    found = emd.distance(P, Q, "threshold:2", flows=True, mass="partial")
    assert found.flows.shape == (40, 7, 7) and found.flows.flags.c_contiguous
    assert np.allclose(found.flows.sum(axis=2), P) and np.allclose(found.flows.sum(axis=1), Q)
    bins = np.arange(7)
    costs = np.minimum(abs(bins[:, None] - bins), 2)
    assert np.allclose((found.flows * costs).sum(axis=(1, 2)) / P.sum(axis=1), found.distances)


def test_distances_are_a_result(histograms):
    found = emd.distance(*histograms, device="cpu")
    assert pickle.loads(pickle.dumps(found)) == found and found != emd.distance(*histograms, "discrete")
    assert np.asarray(found) is found.distances and np.array(found, dtype=np.float32).dtype == np.float32
    assert len(list(found)) == len(found) == 40 and found[3] == found.distances[3]
    assert "40 distances" in repr(found) and "l1, cpu" in repr(found)
    assert found.options["ground"] == "l1" and found.provenance["device"] == "cpu"
    frame = pytest.importorskip("pandas").DataFrame(found.to_pandas())
    assert list(frame.columns) == ["distance", "status", "pivots", "solver"] and set(frame["status"]) <= {"optimal", "empty"}
    table = pytest.importorskip("pyarrow").table(found)
    assert table["distance"].to_pylist() == found.distances.tolist()
    assert table["pivots"].to_pylist() == found.pivots.tolist()


def test_bad_masses_name_their_place(histograms):
    P, Q = (side.copy() for side in histograms)
    P[5, 2] = np.nan
    refused(lambda: emd.distance(P, Q), "row 5 of P has mass nan in bin 2")
    refused(lambda: emd.distance(Q, -1 - Q[0]), "row 0 of Q has mass -")
    found = emd.distance(P, Q, invalid="nan")
    assert np.isnan(found[5]) and np.count_nonzero(np.isnan(found)) == 1 and found.statuses[5] == "invalid mass"
    refused(lambda: emd.distance(P, Q, invalid="keep"), "expected 'raise' or 'nan'")


def test_what_is_no_batch_is_refused(histograms):
    P, Q = histograms
    for bad in (None, 3, "P", b"P", object(), np.array([[object()]]), P[None], P.astype(complex)):
        refused(lambda bad=bad: emd.distance(bad, Q), "^P is ", fovea.InvalidType)
        refused(lambda bad=bad: emd.distance(P, bad), "^Q is ", fovea.InvalidType)
    refused(lambda: emd.distance(P, Q[:3]), "P has 40 rows and Q has 3")
    refused(lambda: emd.distance(P, Q[:, :3]), "Q has 7|Q")
    refused(lambda: emd.distance(P[:, :0], Q[:, :0]), "bins")
    for bad in ([[1, 2], [3]], ["1", "2"], [None], [1j]):
        refused(lambda bad=bad: emd.distance(bad, Q), "P is a list that is no table of numbers")
    refused(lambda: emd.distance(P, Q, "no-such-ground"), "no-such-ground", fovea.Error)
    refused(lambda: emd.distance(P, Q, None), "ground is None")
    refused(lambda: emd.distance(P, Q, np.zeros((7, 7), complex)), "ground is complex128")
    refused(lambda: emd.distance(P, Q, np.full((7, 7), np.nan)), "cost")
    refused(lambda: emd.distance(P, Q, groud="l1"), "ground|groud", TypeError)
    refused(lambda: emd.distance(P, Q, mass="some"), "partial, penalty or normalize")


def test_threads_do_not_share_a_solver(histograms):
    expected = emd.distance(*histograms)
    results = []

    def work():
        results.extend(emd.distance(*histograms) for _ in range(20))

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 60 and all(result == expected for result in results)


def test_ctrl_c_ends_a_large_batch():
    P = rng.random((4000, 64))
    Q = rng.random((4000, 64))
    costs = rng.random((64, 64))
    timer = threading.Timer(0.15, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        for _ in range(1000):
            emd.distance(P, Q, costs, device="cpu", threads=1)
    assert len(emd.distance(P[:2], Q[:2], costs, device="cpu", threads=1)) == 2


# Maps


@pytest.fixture(scope="module")
def scene():
    image = rng.integers(60, 110, (48, 64, 3), dtype=np.uint8)
    image[20:34, 30:46] = rng.integers(150, 220, (14, 16, 3), dtype=np.uint8)
    return image


@pytest.fixture(scope="module")
def cube():
    bands = rng.integers(500, 560, (20, 30, 6)).astype(np.uint16)
    bands[5:15, 10:20, 4:] += 900
    return bands


TARGET = (32, 22, 10, 9)


@pytest.mark.parametrize(
    "options",
    [{}, {"bins": 6, "window": 5, "border": "clip", "ground": "l1"}, {"threshold": 0.5, "range": (50, 230)}],
)
def test_the_program_gives_the_same_map(scene, options, tmp_path, program):
    path, theirs, ours = (tmp_path / name for name in ("scene.png", "theirs.npy", "ours.npy"))
    fovea.write_image(path, scene)
    found = emd.map(path, TARGET, device="cpu", **options)
    report = json.loads(program(found.command + " --json", **{"MAP.npy": theirs}))
    found.save(ours)
    assert ours.read_bytes() == theirs.read_bytes()
    assert report["target"] == found.target.tolist() and report["ground"] == found.ground
    assert (report["low"], report["high"]) == found.range
    assert report["stats"]["solved"] == found.report["solved"]
    assert report["stats"]["solved_by"] == found.solved_by and sum(found.solved_by.values()) == found.report["solved"]
    assert found == emd.map(scene, TARGET, device="cpu", threads=1, **options)


@pytest.mark.parametrize("signature", ["bands", "contrast"])
@pytest.mark.parametrize("kind", [np.uint16, np.float32])
def test_the_program_gives_the_same_map_of_a_cube(cube, signature, kind, tmp_path, program):
    path, truth = tmp_path / "cube.npy", tmp_path / "truth.png"
    cube = cube.astype(kind)
    np.save(path, cube)
    where = np.zeros(cube.shape[:2], np.uint8)
    where[5:15, 10:20] = 255
    fovea.write_image(truth, where)
    found = emd.map(cube, (11, 6, 3, 3), signature=signature, bins=6, device="cpu")
    line = found.command + " --truth TRUTH --json"
    report = json.loads(program(line, IMAGE=path, TRUTH=truth, **{"MAP.npy": tmp_path / "map.npy"}))
    assert np.array_equal(np.load(tmp_path / "map.npy"), found.distances)
    for image, known in ((cube, where), (path, truth), (cube, where != 0)):
        areas = emd.evaluate((11, 6, 3, 3), image, known, signature=signature, bins=6, device="cpu")
        assert {name: report[name] for name in ("positives", "negatives", "roc_auc")} == areas.to_dict()
    assert np.array_equal(emd.read_cube(path), cube)
    spectrum = emd.mean_spectrum(cube, (11, 6, 3, 3))
    assert np.array_equal(emd.map(cube, spectrum, signature=signature, bins=6, device="cpu"), found)


def test_one_band_of_a_cube(cube, tmp_path, program):
    np.save(tmp_path / "cube.npy", cube)
    found = emd.map(tmp_path / "cube.npy", (11, 6, 3, 3), band=5, bins=4, window=3, device="cpu")
    program(found.command, **{"MAP.npy": tmp_path / "map.npy"})
    assert np.array_equal(np.load(tmp_path / "map.npy"), found.distances)


def test_costs_may_be_an_array(scene, tmp_path, program):
    bins = np.arange(11)
    costs = np.minimum(abs(bins[:, None] - bins), 3).astype(np.float64)
    found = emd.map(scene, TARGET, costs, device="cpu")
    assert found == emd.map(scene, TARGET, device="cpu") == emd.map(scene, TARGET, "threshold:3", device="cpu")
    assert found.options["ground"] == "given"
    fovea.write_image(tmp_path / "scene.png", scene)
    np.save(tmp_path / "costs.npy", costs)
    places = {"IMAGE": tmp_path / "scene.png", "GROUND": tmp_path / "costs.npy", "MAP.npy": tmp_path / "map.npy"}
    program(found.command, **places)
    assert np.array_equal(np.load(tmp_path / "map.npy"), found.distances)


def test_the_first_image_determines_levels_for_all(scene, tmp_path, program):
    gray = scene[:, :, 0].astype(np.float32)
    paths = [tmp_path / "0.npy", tmp_path / "1.npy"]
    for path, image in zip(paths, (gray, 2 * gray)):
        np.save(path, image)
    mapper = emd.Mapper(TARGET, device="cpu")
    first, second = (mapper.map(path) for path in paths)
    assert first.range == second.range and [first.frame, second.frame] == [0, 1]
    program(second.command, MAPS=tmp_path / "maps")
    assert np.array_equal(fovea.read_image(tmp_path / "maps/000001.tif"), second.distances)
    again = list(emd.Mapper(TARGET, device="cpu").video([gray, 2 * gray]))
    assert again == [first, second]


def test_a_target_may_be_an_image(scene, tmp_path):
    x, y, width, height = TARGET
    part = scene[y : y + height, x : x + width]
    fovea.write_image(tmp_path / "part.png", np.ascontiguousarray(part))
    expected = emd.map(scene, TARGET, device="cpu")
    for target in (part, tmp_path / "part.png"):
        found = emd.map(scene, target, device="cpu")
        assert np.array_equal(found, expected) and found.box is None
    repeated = emd.Mapper(part, device="cpu")
    assert repeated.map(scene).report["solved"] > 0 and repeated.map(scene).report["solved"] == 0


def test_maps_are_results(scene):
    found = emd.map(scene, TARGET, device="cpu")
    assert pickle.loads(pickle.dumps(found)) == found
    x, y = found.best
    assert 30 <= x < 46 and 20 <= y < 34
    assert found.below(0.5).sum() < found.below(2).sum() and found.below(0.5)[y, x]
    assert found.distances.shape == (48, 64) and found.distances.flags.owndata is not None
    assert found._repr_png_().startswith(b"\x89PNG") and found.to_color().shape == scene.shape
    assert "map of 64x48" in repr(found) and found.options["bins"] is None
    truth = np.zeros((48, 64), bool)
    truth[20:34, 30:46] = True
    curve = found.roc(truth)
    assert curve.positives == 14 * 16 - 90 and 0.9 < curve.area <= 1 and len(curve.to_pandas()) == len(curve)
    assert pickle.loads(pickle.dumps(curve)) == curve


def test_scores_of_spectra(cube):
    spectrum = emd.mean_spectrum(cube, mask=np.pad(np.ones((4, 4), bool), ((6, 10), (11, 15))))
    angle, differences = emd.spectral_angle(cube, spectrum), emd.sum_of_differences(cube, spectrum)
    pixels = cube.astype(np.float64)
    cosine = pixels @ spectrum / np.linalg.norm(pixels, axis=2) / np.linalg.norm(spectrum.astype(np.float64))
    assert np.allclose(angle, np.arccos(np.clip(cosine, -1, 1)), atol=1e-3)
    assert np.allclose(differences, abs(pixels - spectrum).sum(axis=2), rtol=1e-5)
    spread = pixels.reshape(-1, 6) - pixels.reshape(-1, 6).mean(axis=0)
    covariance = spread.T @ spread / len(spread)
    known = np.linalg.inv(covariance + 0.01 * np.trace(covariance) / 6 * np.eye(6))
    wanted = spectrum - pixels.reshape(-1, 6).mean(axis=0)
    along, own = spread @ known @ wanted, ((spread @ known) * spread).sum(axis=1)
    energy = wanted @ known @ wanted
    assert np.allclose(emd.matched_filter(cube, spectrum).ravel(), along / energy, atol=1e-4)
    assert np.allclose(emd.adaptive_cosine(cube, spectrum).ravel(), along * abs(along) / own / energy, atol=1e-4)
    score = np.float32([[0, 1], [2, 3]])
    assert emd.roc(score, score < 2).area == 1 and emd.roc(score, score < 2, "high").area == 0


def test_fused_scores_are_those_of_the_program(cube, tmp_path, program):
    np.save(tmp_path / "cube.npy", cube)
    box = (11, 6, 4, 4)
    found = emd.map(tmp_path / "cube.npy", box, signature="contrast", score="fused", device="cpu")
    assert found.options["score"] == "fused" and 0 < found.distances.min() and found.distances.max() <= 1
    program(found.command, **{"MAP.npy": tmp_path / "map.npy"})
    assert np.array_equal(np.load(tmp_path / "map.npy"), found.distances)
    mapper = emd.Mapper(box, signature="contrast", score="fused", device="cpu")
    assert np.array_equal(mapper.map(cube).distances, found.distances)
    truth = np.zeros(cube.shape[:2], bool)
    truth[4:12, 9:17] = True
    areas = emd.evaluate(box, cube, truth, signature="contrast", score="fused", device="cpu").roc_auc
    assert set(areas) == {"emd", "spectral_angle", "sad", "matched_filter", "ace"}
    counted = np.ones(cube.shape[:2], np.uint8)
    counted[6:10, 11:15] = 0
    spectrum = emd.mean_spectrum(cube, box)
    for name, score in (("matched_filter", emd.matched_filter), ("ace", emd.adaptive_cosine)):
        assert areas[name] == emd.roc(score(cube, spectrum), truth, "high", counted).area
    refused(lambda: emd.map(cube, box, signature="contrast", score="fused", window=3, device="cpu"), "window is 3")


def test_bad_maps_are_refused(scene, cube):
    def mapped(image=scene, target=TARGET, **options):
        return lambda: emd.map(image, target, device="cpu", **options)

    for bad in (None, 3, np.array([[object()]]), scene[None], scene.astype(complex)):
        refused(mapped(bad), "^image is ", fovea.InvalidType)
    refused(mapped(scene[:0]), "image is empty")
    refused(mapped("no/such/image.png"), "no/such/image.png", OSError)
    refused(mapped(target=None), "target is None")
    refused(mapped(target=(1, 2, 3)), "x, y, width and height")
    refused(mapped(target=(1.5, 2, 3, 4)), "whole pixels")
    refused(mapped(target=(60, 2, 30, 4)), "does not lie in")
    refused(mapped(window=4), "odd")
    refused(mapped(cube, (1, 1, 3, 3)), "6 bands")
    refused(mapped(cube, (1, 1, 3, 3), band=6), "bands 0 to 5")
    refused(mapped(cube, scene, signature="bands"), "bands", fovea.Error)
    refused(mapped(ground=np.zeros((3, 3))), "3", fovea.Error)
    refused(mapped(np.full((20, 20), np.nan, np.float32), (1, 1, 5, 5)), "NaN", fovea.Error)
    refused(mapped(widow=3), "window")
    refused(lambda: pickle.dumps(emd.Mapper(TARGET)), "cannot be pickled")
    refused(lambda: emd.roc(np.zeros((3, 3), np.float32), None), "truth is None")
    refused(lambda: emd.roc(np.zeros((3, 3), np.float32), np.ones((3, 3), bool)), "class|positive|negative|target")
    refused(lambda: emd.roc(np.zeros((3, 3), np.float32), np.eye(3, dtype=bool), "up"), "'low' or 'high'")


def test_an_interrupted_mapper_keeps_what_it_learned():
    noise = rng.random((700, 900)).astype(np.float32)
    small = np.ascontiguousarray(noise[:60, :60]) * 2
    options = {"bins": 40, "window": 21, "ground": "threshold:7.5", "cache_bytes": 0}
    mapper = emd.Mapper((5, 5, 40, 40), device="cpu", threads=1, **options)
    expected = mapper.map(small)
    timer = threading.Timer(0.15, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        for _ in range(100):
            mapper.map(noise)
    found = mapper.map(small)
    assert found == expected and found.range == expected.range


# Tracking


@pytest.fixture(scope="module")
def walk():
    frames, background = [], rng.integers(70, 110, (72, 96, 3), dtype=np.uint8)
    for i in range(6):
        frame = background.copy()
        frame[20 + i : 40 + i, 15 + 3 * i : 31 + 3 * i] = (200, 40 + i, 30)
        frame[50:66, 60 - 2 * i : 76 - 2 * i] = (30, 60, 210)
        frames.append(frame)
    return frames


BOX = (15, 20, 16, 20)


def test_targets_are_followed(walk):
    tracker = emd.Tracker(walk[0], box=BOX, device="cpu")
    assert tracker.tracks.box == BOX
    for i, frame in enumerate(walk[1:], 1):
        found = tracker.track(frame)
        x, y, width, height = found.box
        assert abs(x - 15 - 3 * i) <= 1 and abs(y - 20 - i) <= 1 and abs(width - 16) <= 1 and abs(height - 20) <= 1
        assert found.frame == i and not found.lost[0] and found[0].id == 1
    assert tracker.tracks == found
    inside = tracker.likelihood()[26:44, 31:45]
    assert inside.mean() > 0.5 and tracker.report["pixels"] > 0 and isinstance(tracker.uses_parts(), bool)


@pytest.mark.parametrize("options", [{"filter": "off"}, {"filter_scale": False}])
def test_boxes_may_keep_their_size(walk, options):
    tracker = emd.Tracker(walk[0], box=BOX, device="cpu", **options)
    for i, frame in enumerate(walk[1:], 1):
        x, y, width, height = tracker.track(frame).box
        assert abs(x - 15 - 3 * i) <= 1 and abs(y - 20 - i) <= 1 and (width, height) == (16, 20)


def test_the_program_follows_alike(walk, tmp_path, program):
    for i, frame in enumerate(walk):
        fovea.write_image(tmp_path / f"{i}.png", frame)
    boxes = [BOX, (60, 50, 16, 16)]
    found = list(emd.track(tmp_path, boxes, device="cpu", reach=0.9, scale=True))
    report = json.loads(program(found[-1].command))
    rows = [(t.frame, row.id, *row.box, row.lost) for t in found for row in t]
    assert rows == [(t["frame"], t["id"], *t["box"], t["lost"]) for t in report["tracks"]]
    scores = [row.score for t in found for row in t]
    assert np.allclose(scores, [t["score"] for t in report["tracks"]], atol=1e-6)
    text = program(found[-1].command.replace("--json", "") + " -o -")
    assert text == "".join(tracks.to_mot() for tracks in found)
    assert list(emd.track(walk, boxes, device="cpu", reach=0.9, scale=True)) == found
    (tmp_path / "boxes.txt").write_text(text)
    truth = emd.read_boxes(tmp_path / "boxes.txt", origin=1)
    assert emd.evaluate_track(found, truth).mean_overlap == 1


def test_an_example_is_found(walk, tmp_path, program):
    example = np.ascontiguousarray(walk[0][20:40, 15:31])
    found = emd.find(walk[2], example, device="cpu")
    x, y, _, _ = found.box
    assert abs(x - 21) <= 3 and abs(y - 22) <= 3 and not found.lost[0]
    (tmp_path / "frames").mkdir()
    fovea.write_image(tmp_path / "frames/0.png", walk[2])
    fovea.write_image(tmp_path / "example.png", example)
    report = json.loads(program(found.command, VIDEO=tmp_path / "frames", EXAMPLE=tmp_path / "example.png"))
    assert tuple(report["tracks"][0]["box"]) == found.box


def test_tracks_are_results(walk):
    tracker = emd.Tracker(walk[0], box=[BOX, (60, 50, 16, 16)], device="cpu")
    found = tracker.track(walk[1])
    assert pickle.loads(pickle.dumps(found)) == found and pickle.loads(pickle.dumps(found)).command == found.command
    assert len(found) == 2 and found[:] == found and found[[1]] == found.filter(lambda track: track.id == 2) and found.xyxy.shape == (2, 4)
    assert found.draw().shape == walk[0].shape and found._repr_png_().startswith(b"\x89PNG")
    assert "2 targets" in repr(found) and "2 targets" in repr(tracker)
    pytest.importorskip("pandas")
    assert list(found.to_pandas()["id"]) == [1, 2]
    table = pytest.importorskip("pyarrow").table(found)
    assert table["x"].to_pylist() == found.xywh[:, 0].tolist() and table["lost"].to_pylist() == [False, False]


def test_tracks_go_to_supervision(walk):
    pytest.importorskip("supervision", reason="supervision is not installed")
    found = emd.Tracker(walk[0], box=BOX, device="cpu").track(walk[1])
    assert found.to_supervision().tracker_id.tolist() == [1]


def test_bad_tracks_are_refused(walk):
    frame = walk[0]
    refused(lambda: emd.Tracker(frame), "a box or with an example")
    refused(lambda: emd.Tracker(frame, box=(1, 2, 3)), "x, y, width and height")
    refused(lambda: emd.Tracker(frame, box=(1, 2, np.nan, 4)), "x, y, width and height")
    refused(lambda: emd.Tracker(frame, box=("1", "2", "8", "8")), "x, y, width and height")
    refused(lambda: emd.Tracker(frame, box=(94, 60, 20, 30)), "4x4|box|target")
    refused(lambda: emd.Tracker(None, box=BOX), "frame is None")
    refused(lambda: emd.Tracker(frame.astype(complex), box=BOX), "frame is complex128")
    refused(lambda: emd.Tracker(frame, box=BOX, colrs=3), "colors")
    tracker = emd.Tracker(frame, box=BOX, device="cpu")
    refused(lambda: tracker.track(frame[:30]), "size|pixels|x")
    refused(lambda: tracker.likelihood(7), "7")
    refused(lambda: pickle.dumps(tracker), "cannot be pickled")
    assert tracker.track(walk[1]).frame == 1


def test_ctrl_c_leaves_a_tracker_where_it_is(walk):
    large = [np.ascontiguousarray(np.kron(frame, np.ones((12, 12, 1), np.uint8))) for frame in walk[:2]]
    box = tuple(12 * number for number in BOX)
    expected = emd.Tracker(large[0], box=box, whole_map=True, device="cpu", threads=1).track(large[1])
    tracker = emd.Tracker(large[0], box=box, whole_map=True, device="cpu", threads=1)
    timer = threading.Timer(0.02, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        tracker.track(large[1])
        threading.Event().wait(1)
    assert tracker.tracks == expected


def test_progress_of_a_video(walk):
    reports = []
    assert len(list(emd.track(walk, BOX, progress=lambda *report: reports.append(report), device="cpu"))) == 6
    assert reports[-1] == ("frames", 6, 6)


def test_any_array_is_taken_or_refused(walk, cube):
    hypothesis = pytest.importorskip("hypothesis")
    from hypothesis import strategies as st
    from hypothesis.extra import numpy as hnp

    arrays = hnp.arrays(
        dtype=st.one_of(hnp.scalar_dtypes(), st.just(np.dtype(object))),
        shape=hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=6),
        fill=st.nothing(),
    ).map(lambda array: array[::-1] if array.ndim and array.size % 2 else array)

    @hypothesis.given(arrays, arrays)
    @hypothesis.settings(max_examples=25, deadline=None)
    def attempt(first, second):
        calls = [
            lambda: emd.distance(first, second, device="cpu"),
            lambda: emd.distance(np.ones(4), np.ones(4), first),
            lambda: emd.emd2(first, second, np.ones((3, 3))),
            lambda: emd.emd2([], [], first),
            lambda: emd.map(first, (0, 0, 1, 1), device="cpu"),
            lambda: emd.map(cube, first, band=0, device="cpu"),
            lambda: emd.map(cube, first, signature="bands", device="cpu"),
            lambda: emd.Tracker(first, box=(0, 0, 4, 4), device="cpu"),
            lambda: emd.Tracker(walk[0], box=first, device="cpu"),
            lambda: emd.find(walk[0], first, device="cpu"),
            lambda: emd.roc(first, second),
            lambda: emd.mean_spectrum(first, mask=second),
            lambda: emd.spectral_angle(first, second),
            lambda: emd.evaluate_track(first, second),
        ]
        for call in calls:
            try:
                call()
            except fovea.Error as error:
                assert str(error) and "\n" not in str(error)

    attempt()


def _buoys():
    rng = np.random.default_rng(3)
    image = np.full((60, 90, 3), (60, 110, 70), np.uint8)
    image[20:40, 30:50] = (200, 60, 50)
    image[5:15, 70:80] = (200, 60, 50)
    return image + rng.integers(0, 12, image.shape).astype(np.uint8)


def test_regions_are_those_of_the_program(tmp_path, program):
    image = _buoys()
    fovea.write_image(tmp_path / "a.png", image)
    found = fovea.emd.map(tmp_path / "a.png", (32, 22, 16, 16), signature="colors", window=5, device="cpu").regions()
    report = json.loads(program(found.command + f" --coco {tmp_path}/a.json"))
    regions = report["frame_stats"][0]["regions"]
    assert found.threshold == report["detect_threshold"]
    assert len(found) == len(regions) == 2
    assert found == found and found[0].score == found.score[0] and found.to_coco("a.png")["images"][0]["id"] == 1
    assert found.xywh.tolist() == [region["box"] for region in regions]
    assert found.peak.tolist() == [region["peak"] for region in regions]
    coco = json.loads((tmp_path / "a.json").read_text())
    assert found.to_coco(file_name=str(tmp_path / "a.png"))["annotations"] == coco["annotations"]
    assert int((found.mask > 0).sum()) == sum(region["area"] for region in regions)
    assert list(found.to_pandas().columns)[:4] == ["x", "y", "width", "height"]
    assert "--detect" in found.command
    boxes = fovea.emd.map(image, (32, 22, 16, 16), device="cpu").regions(kind="boxes", most=1, threshold=3.0)
    assert boxes.xywh[0, 2:].tolist() == [16, 16]
    assert "--detect-kind boxes" in boxes.command


def test_masks_choose_what_is_mapped():
    image = _buoys()
    whole = fovea.emd.map(image, (32, 22, 16, 16), signature="colors", device="cpu")
    mask = np.zeros((60, 90), np.uint8)
    mask[10:50, 20:60] = 1
    part = fovea.emd.map(image, (32, 22, 16, 16), signature="colors", mask=mask, device="cpu")
    assert np.array_equal(part.distances[mask > 0], whole.distances[mask > 0])
    assert np.isnan(part.distances[mask == 0]).all()
    same = fovea.emd.map(image, (32, 22, 16, 16), signature="colors", roi=(20, 10, 40, 40), device="cpu")
    assert np.array_equal(same.distances, part.distances, equal_nan=True)
    assert "map of 90x60" in repr(part) and len(part.regions()) == 1
    with pytest.raises(fovea.InvalidArgument, match="the mask or region of interest is for 9x6"):
        fovea.emd.map(image, (32, 22, 16, 16), mask=np.ones((6, 9), np.uint8))
    with pytest.raises(fovea.InvalidArgument, match="does not lie in"):
        fovea.emd.map(image, (32, 22, 16, 16), roi=(80, 0, 20, 20))
    with pytest.raises(fovea.InvalidArgument, match="threshold"):
        whole.regions(threshold=-1.0)


# Cubes


def cube_with(left, top, dtype=np.float32):
    """A square that differs from the ground in the last of five bands alone."""
    random = np.random.default_rng(left)
    cube = 100 + random.uniform(-6, 6, (60, 80, 5)) + 4 * (np.arange(80) // 16)[:, None]
    cube[top : top + 12, left : left + 14, 4] += 70
    return cube.astype(dtype)


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.uint16, np.int32, np.float32, np.float64])
def test_tracker_takes_cubes_of_any_type(dtype):
    tracker = emd.Tracker(cube_with(20, 20, dtype), box=(20, 20, 14, 12), device="cpu")
    for i in range(1, 5):
        found = tracker.track(cube_with(20 + 3 * i, 20 + i, dtype))
        assert np.abs(np.array(found.box[:2]) - (20 + 3 * i, 20 + i)).max() <= 2
    fewer = cube_with(20, 20, dtype)[:, :, :4].copy()
    refused(lambda: tracker.track(fewer), "4 bands, but the first frame has 5 bands")
    refused(lambda: tracker.track(np.zeros((60, 80), np.uint8)), "colors of 8 bits")
    example = cube_with(20, 20, dtype)[20:32, 20:34].copy()
    assert not emd.find(cube_with(30, 25, dtype), example, device="cpu")[0].lost


def test_the_program_gives_the_same_tracks_of_cubes(tmp_path, program):
    for i in range(4):
        np.save(tmp_path / f"{i}.npy", cube_with(20 + 3 * i, 20 + i))
    line = "fovea emd track FOLDER --target 20,20,14,12 --spectra values --device cpu --json"
    expected = json.loads(program(line, FOLDER=tmp_path))
    found = list(emd.track(tmp_path, (20, 20, 14, 12), spectra="values", device="cpu"))
    assert [list(tracks.box) for tracks in found] == [track["box"] for track in expected["tracks"]]
    assert len(found) == 4 and expected["bands"] == 5
