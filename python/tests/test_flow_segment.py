"""Regions of like motion: the program's labels and tables, and scenes whose regions are known."""

from __future__ import annotations

import csv
import json
import pickle

import numpy as np
import pytest

import fovea


def drawn(step):
    """A square that moves right over a ground that moves down."""
    rng = np.random.default_rng(9)

    def texture(height, width):
        return np.kron(rng.integers(0, 255, (height // 4, width // 4)), np.ones((4, 4))).astype(np.uint8)

    ground, thing = texture(200, 240), texture(60, 60)
    image = ground[40 - 2 * step : 168 - 2 * step, 40:200].copy()
    image[30:90, 40 + 4 * step : 100 + 4 * step] = thing
    return image


@pytest.fixture(scope="module")
def frames(tmp_path_factory):
    folder = tmp_path_factory.mktemp("frames")
    for step in range(4):
        fovea.write_image(folder / f"{step}.png", drawn(step))
    return folder


@pytest.fixture(scope="module")
def truth():
    labels = np.ones((128, 160), np.uint16)
    labels[30:90, 40:100] = 2
    return labels


@pytest.fixture(scope="module")
def found(frames):
    return fovea.flow.segment(frames / "0.png", frames / "1.png", device="cpu")


def test_regions_are_found(found, truth):
    ground, thing = found.regions[:2]
    assert ground.label == 1 and abs(ground.v - 2) < 0.2 and abs(ground.u) < 0.2
    assert abs(thing.u - 4) < 0.4 and abs(thing.v) < 0.4 and thing.share == pytest.approx(0.176, abs=0.05)
    report = fovea.flow.evaluate_segments(found, truth)
    assert report.covering > 0.85 and report["rand_index"] > 0.85 and "covering" in repr(report)
    assert fovea.flow.evaluate_segments(truth, truth).adjusted_rand_index == 1
    assert pickle.loads(pickle.dumps(report)) == report
    assert np.array_equal(np.asarray(found), found.labels) and found.labels.dtype == np.uint16


@pytest.mark.parametrize("options", [{}, {"layers": 2, "tolerance": 1.0}, {"method": "bm", "quality": "fast", "smoothness": 0.5}])
def test_the_program_gives_the_same_labels(frames, truth, options, tmp_path, program):
    found = fovea.flow.segment(frames / "0.png", frames / "1.png", device="cpu", **options)
    fovea.write_image(tmp_path / "truth.png", truth)
    report = fovea.flow.evaluate_segments(found, tmp_path / "truth.png")
    places = {"LABELS.png": tmp_path / "labels.png", "OUT": tmp_path / "regions.png", "TABLE": tmp_path / "theirs.csv"}
    theirs = json.loads(program(f"{report.command} --picture OUT --table TABLE", **places))
    assert np.array_equal(fovea.read_image(tmp_path / "labels.png"), found.labels)
    assert np.array_equal(fovea.read_image(tmp_path / "regions.png"), found.draw(frames / "0.png"))
    assert theirs["covering"] == pytest.approx(report.covering) and theirs["layers"] == found.layers
    for ours, region in zip(found.regions, theirs["regions"], strict=True):
        assert (ours.label, ours.layer, list(ours.box), ours.pixels) == tuple(region[key] for key in ("label", "layer", "box", "pixels"))
        assert np.allclose([ours.share, ours.u, ours.v, ours.residual, *ours.motion], [region["share"], region["u"], region["v"], region["residual"], *region["motion"]])
    found.save(tmp_path / "ours.csv")
    ours, rows = (list(csv.reader((tmp_path / f"{name}.csv").open())) for name in ("ours", "theirs"))
    assert ours[0] == rows[0] and np.allclose(np.float64(ours[1:]), np.float64(rows[1:]))
    found.save(tmp_path / "again.png")
    assert np.array_equal(fovea.read_image(tmp_path / "again.png"), found.labels)


def test_the_program_keeps_the_same_labels_along_a_video(frames, tmp_path, program):
    along = list(fovea.flow.segment_video(frames, device="cpu", quality="fast"))
    assert [segments.frame for segments in along] == [0, 1, 2]
    (tmp_path / "labels").mkdir()
    program(along[0].command, LABELS=tmp_path / "labels")
    for segments in along:
        assert np.array_equal(fovea.read_image(tmp_path / f"labels/{segments.frame:06}.png"), segments.labels)
    assert along[0].regions[0].label == along[2].regions[0].label == 1
    arrays = [fovea.read_image(frames / f"{step}.png") for step in range(4)]
    again = list(fovea.flow.segment_video([np.stack([image] * 3, axis=2) for image in arrays], device="cpu", quality="fast"))
    assert again == along


def test_a_known_field_is_divided(truth, tmp_path, program):
    u, v = np.where(truth == 2, np.float32(4), np.float32(0)), np.where(truth == 2, np.float32(0), np.float32(2))
    found = fovea.flow.segment_field((u, v))
    assert len(found) == found.layers == 2 and np.array_equal(found.labels, truth)
    assert found.regions[1].box == (40, 30, 60, 60) and found.regions[1].pixels == 3600
    assert np.allclose(found.regions[0].motion, [0, 0, 0, 2, 0, 0], atol=1e-4)
    one = fovea.flow.segment_field((u, v), layers=1)
    assert one.layers == 1 and repr(one).startswith("1 region of 1 motion in 160x128")
    fovea.flow.write(tmp_path / "field.npy", u, v)
    fovea.write_image(tmp_path / "first.png", drawn(0))
    again = fovea.flow.segment_field(tmp_path / "field.npy", tmp_path / "first.png", cell=16)
    program(again.command, **{"LABELS.png": tmp_path / "labels.png"})
    assert np.array_equal(fovea.read_image(tmp_path / "labels.png"), again.labels)
    found.save(tmp_path / "regions.CSV")
    assert (tmp_path / "regions.CSV").read_text().startswith("frame,label")
    known = fovea.flow.estimate(drawn(0), drawn(1), device="cpu")
    assert fovea.flow.segment_field(known, drawn(0)).flow is known


def test_regions_have_known_pixels_alone(truth):
    u, v = np.where(truth == 2, np.float32(4), np.float32(0)), np.zeros(truth.shape, np.float32)
    u[:, :50] = np.nan
    found = fovea.flow.segment_field((u, v))
    assert [region.pixels for region in found.regions] == [int((found.labels == region.label).sum()) for region in found.regions]
    assert found.regions[1].box == (50, 30, 50, 60)
    nothing = fovea.flow.segment_field((np.full_like(u, np.nan), v))
    assert len(nothing) == nothing.layers == 0 and not nothing.labels.any()


def test_tables_and_pictures(found):
    pandas = pytest.importorskip("pandas")
    frame = found.to_pandas()
    assert isinstance(frame, pandas.DataFrame) and frame["label"].tolist() == [region.label for region in found.regions]
    assert found.draw().shape == (*found.labels.shape, 3) and found._repr_png_().startswith(b"\x89PNG")
    assert pickle.loads(pickle.dumps(found)) == found and "regions of" in repr(found)
    assert found.flow.shape == found.labels.shape


def test_bad_fields_are_refused(truth):
    plane = np.zeros(truth.shape, np.float32)
    for call, kind, words in (
        (lambda: fovea.flow.segment_field((plane, plane[:9].copy())), ValueError, "160x9"),
        (lambda: fovea.flow.segment_field((plane, plane), cell=2), ValueError, "cell is .*4 to 64"),
        (lambda: fovea.flow.segment_field((plane, plane), device="cuda"), ValueError, "on the CPU only"),
        (lambda: fovea.flow.segment_field((plane, plane), np.zeros((3, 3), np.uint8)), ValueError, "size|image"),
        (lambda: fovea.flow.segment(truth.astype(np.float64), truth), TypeError, "float64 .* of one type"),
        (lambda: fovea.flow.evaluate_segments(truth, truth[:9].copy()), ValueError, "160x"),
        (lambda: fovea.flow.evaluate_segments(truth, None), ValueError, "truth is None"),
        (lambda: fovea.flow.evaluate_segments(truth + 0.5, truth), ValueError, "labels is float64"),
    ):
        with pytest.raises(kind, match=words) as caught:
            call()
        assert isinstance(caught.value, fovea.Error) and "\n" not in str(caught.value)
