"""People: the program's results, and the forms that other libraries take."""

from __future__ import annotations

import json
import pathlib
import pickle

import numpy as np
import pytest

import fovea


@pytest.fixture(scope="module")
def found(street):
    return fovea.people.Detector("channels", threshold=-1, device="cpu").detect(street)


def test_the_program_finds_the_same_people(street, program):
    for model, options in (
        ("channels", {"threshold": -1}),
        ("hog", {"ratio": 1.2, "fuse": "mean-shift"}),
        ("cascade", {"region": (200, 100, 300, 380), "enlarge": 1.5}),
    ):
        result = fovea.people.detect(street, model, device="cpu", **options)
        people = json.loads(program(result.command))["results"][0]["people"]
        assert len(people) == len(result)
        assert np.array_equal(np.float32([p["box"] for p in people]).reshape(-1, 4), result.xywh)
        assert np.array_equal(np.float32([p["score"] for p in people]), result.score)
        assert np.array_equal(np.float32([p["confidence"] for p in people]), result.confidence)


def test_arrays_and_files_are_the_same(street, found):
    detector = fovea.people.Detector("channels", threshold=-1, device="cpu")
    assert detector.detect(fovea.read_image(street)) == found
    assert fovea.people.detect(fovea.read_image(street), threshold=-1, device="cpu", threads=1) == found


def test_someone_is_found(found):
    assert len(found) >= 1
    left, top, right, bottom = found[0].xyxy
    assert 0 <= left < right <= 640 and 0 <= top < bottom <= 480
    assert found[:] == found and len(list(found)) == len(found)


def test_rows_are_chosen_and_sorted(found):
    assert len(found) > 1 and found[:] == found and list(found[:1]) == [found[0]]
    best = found[found.score >= found.score[0]]
    assert isinstance(best, fovea.people.Detections) and len(best) == 1 and best.frame == found.frame
    assert best == found.filter(lambda person: person.score >= found.score[0]) == found[[0]]
    assert found.sort_by("score")[-1] == found[0] and found.sort_by("score", reverse=True) == found
    assert found.sort_by(lambda person: -person.score) == found and len(found[[]]) == 0
    with pytest.raises(fovea.InvalidArgument, match=r"there (is|are) \d+ rows?, but 1 value of True or False; expected one for each row"):
        found[:2][[True]]
    assert best.whole["box"].shape == (1, 4) and best.to_pandas()["score"].tolist() == [found.score[0]]
    assert best.draw().shape == (480, 640, 3) and best.command == found.command


def test_chosen_rows_are_saved_alone(found, tmp_path):
    found.save(tmp_path / "all.csv")
    found[:1].save(tmp_path / "best.csv")
    every, best = ((tmp_path / name).read_text().splitlines() for name in ("all.csv", "best.csv"))
    assert best == every[:2] and len(every) == 1 + len(found)


@pytest.mark.parametrize("index", [[True], np.ones(99, bool), [[0]], "score", ["a"], None, [0.5]])
def test_rows_that_do_not_fit_are_refused(found, index):
    with pytest.raises(fovea.InvalidArgument, match="row"):
        found[index]
    with pytest.raises(IndexError):
        found[[len(found)]]
    with pytest.raises(fovea.InvalidArgument, match="key is 'size'; expected a function or a column: 'x', 'y', 'width'"):
        found.sort_by("size")


def test_a_least_confidence_in_place_of_a_threshold(street, found, program):
    most = fovea.people.Detector("channels", threshold=-1, fuse="none", device="cpu").detect(street)
    least = float(f"{np.median(most.confidence):.6f}")
    sure = fovea.people.Detector("channels", confidence=least, fuse="none", device="cpu")
    result, kept = sure.detect(street), most[most.confidence >= np.float32(least)]
    assert 0 < len(result) < len(most) and np.array_equal(result.box, kept.box) and result.confidence.min() >= np.float32(least)
    assert result.options["confidence"] == least and sure.options["threshold"] == result.options["threshold"]
    assert result.options["threshold"] <= result.score.min() and f"--confidence {least}" in result.command
    theirs = json.loads(program(result.command))["results"][0]["people"]
    assert np.array_equal(np.float32([person["score"] for person in theirs]), result.score)
    assert list(sure.video([street])) == [result] == [fovea.run("people detect", street, confidence=least, fuse="none", device="cpu")]
    noise = np.random.default_rng(4).integers(0, 255, (200, 160), dtype=np.uint8)
    plain = fovea.people.train("hog", [noise[:128, :64]] * 2, [noise], linear_rounds=0, linear_random_windows=2, device="cpu")
    for make, says in (
        (lambda: fovea.people.Detector("channels", confidence=0.5, threshold=3), "both threshold 3 and confidence 0.5 are given"),
        (lambda: fovea.people.Detector(plain, confidence=0.5), "confidence is 0.5, but this model has no calibration"),
        (lambda: fovea.people.Detector("channels", confidence=50), "confidence is '?50.*expected a number from 0 to 1"),
    ):
        with pytest.raises(fovea.InvalidArgument, match=says):
            make()


def test_confidence_is_calibrated(found):
    slope, offset = fovea.people.load_model("channels").calibration
    assert slope > 0 and found.confidence.dtype == np.float32
    assert np.allclose(found.confidence, 1 / (1 + np.exp(-(slope * found.score.astype(float) + offset))), atol=1e-6)
    assert np.all(np.diff(found.confidence) <= 0) and 0 <= found.confidence.min() <= found.confidence.max() <= 1
    assert found[0].confidence == found.confidence[0] and found[0].score == found.score[0]
    assert found.whole["confidence"].tolist() == found.confidence.tolist()


@pytest.fixture(scope="module")
def uncalibrated(tmp_path_factory):
    """A model as they were before there was a calibration: the linear classifier of OpenCV's kind of file."""
    path = tmp_path_factory.mktemp("models") / "vector.txt"
    path.write_text(" ".join(["0.001"] * 3780 + ["-0.5"]))
    return path


def test_models_without_a_calibration_have_no_confidence(uncalibrated, street, program, tmp_path):
    assert fovea.people.load_model(uncalibrated).calibration is None
    plain = fovea.people.detect(street, uncalibrated, threshold=-100, ratio=2, device="cpu")
    assert len(plain) > 0 and plain.confidence.dtype == np.float32 and np.isnan(plain.confidence).all()
    assert plain[0].confidence is None and plain == pickle.loads(pickle.dumps(plain))
    assert "confidence" not in json.loads(program(plain.command))["results"][0]["people"][0]
    plain.save(tmp_path / "plain.csv")
    header, first, *_ = (tmp_path / "plain.csv").read_text().splitlines()
    assert first.split(",")[header.split(",").index("confidence")] == ""


def test_a_model_is_calibrated_on_images(uncalibrated, street, found, tmp_path):
    truth = [found.xyxy[:1]]
    model = fovea.people.calibrate("channels", [street], truth, threshold=-1, draws=0, device="cpu")
    assert model.calibration is not None and model.facts["calibration"].endswith("in 1 image")
    assert "--calibrate MODEL.safetensors" in model.command
    model.save(tmp_path / "m.safetensors")
    again = fovea.people.load_model(tmp_path / "m.safetensors")
    assert again == model and again.calibration == model.calibration
    measured = fovea.people.evaluate(again, [street], truth, threshold=-1, draws=0, device="cpu")
    assert 0 <= measured.reliability["error"] <= 1 and len(measured.reliability["bins"]["share"]) == 10
    assert fovea.people.evaluate(uncalibrated, [street], truth, draws=0, device="cpu", ratio=2).reliability is None


def test_options_say_what_was_used(found):
    detector = fovea.people.Detector("channels")
    assert detector.options["threshold"] == fovea.people.load_model("channels").threshold
    assert fovea.people.Detector("channels", threshold=3).options["threshold"] == 3
    empty = detector.detect(np.zeros((160, 120, 3), np.uint8))
    assert empty.options["threshold"] == detector.options["threshold"] and "--threshold" not in empty.command


def test_attributes_that_do_not_exist_cannot_be_set(found):
    detector = fovea.people.Detector("channels")
    with pytest.raises(AttributeError, match="a Detector has no attribute 'threshold'.*when it is made.*threshold="):
        detector.threshold = 5
    with pytest.raises(AttributeError, match="a Detections has no attribute 'scores'; did you mean 'score'"):
        found[:].scores = []


def test_results_say_where_they_come_from(found):
    assert found.options["threshold"] == -1
    assert found.provenance["version"] == fovea.__version__ and found.provenance["device"] == "cpu"
    assert len(found.provenance["model_hash"]) == 64
    assert "channels, cpu" in repr(found)


def test_pickles_are_equal(found):
    assert pickle.loads(pickle.dumps(found)) == found
    detector = pickle.loads(pickle.dumps(fovea.people.Detector("hog", ratio=1.5, device="cpu")))
    assert detector.options["ratio"] == 1.5


def test_coco(found):
    coco = found.to_coco("street.png")
    assert coco["images"][0]["file_name"] == "street.png"
    assert [a["bbox"] for a in coco["annotations"]] == found.xywh.astype(float).tolist()


def test_pictures(found):
    picture = found.draw()
    assert picture.shape == (480, 640, 3) and picture.dtype == np.uint8
    assert found._repr_png_().startswith(b"\x89PNG")


def test_pandas(found):
    pandas = pytest.importorskip("pandas")
    frame = found.to_pandas()
    assert isinstance(frame, pandas.DataFrame)
    assert list(frame.columns) == ["x", "y", "width", "height", "score", "confidence", "scale"]


def test_arrow(found):
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.table(found)
    assert table.column_names == ["x", "y", "width", "height", "score", "confidence", "scale"]
    assert table["confidence"].to_pylist() == found.confidence.tolist()


def test_supervision(found):
    pytest.importorskip("supervision")
    assert len(found.to_supervision()) == len(found)


def test_videos_come_in_order(street, found):
    image = fovea.read_image(street)
    detector = fovea.people.Detector("channels", threshold=-1, device="cpu", threads=2)
    reports = []
    results = list(detector.video((image for _ in range(7)), progress=lambda *report: reports.append(report)))
    assert [r.frame for r in results] == list(range(7))
    assert all(np.array_equal(r.xyxy, found.xyxy) for r in results)
    assert reports[-1][:2] == ("frames", 7)


def test_a_video_in_a_folder_is_the_same(tmp_path, street, found):
    image = fovea.read_image(street)
    for i in range(3):
        fovea.write_image(tmp_path / f"{i}.png", image)
    results = list(fovea.people.Detector("channels", threshold=-1, device="cpu").video(tmp_path))
    assert [r.frame for r in results] == [0, 1, 2] and results[2].time_seconds == 2 / 25
    assert all(np.array_equal(r.xyxy, found.xyxy) for r in results)
    with fovea.read_video(tmp_path) as video:
        assert video.info["size"] == (640, 480) and np.array_equal(next(video).image, image)
    with pytest.raises(fovea.InvalidArgument, match="closed"):
        next(video)


def test_a_video_may_be_left_early(street):
    image = fovea.read_image(street)
    taken = 0

    def endless():
        nonlocal taken
        while True:
            taken += 1
            yield image

    results = fovea.people.Detector("cascade", device="cpu", threads=2).video(endless())
    next(results)
    results.close()
    assert taken < 20
    with pytest.raises(StopIteration):
        next(results)


def test_models():
    model = fovea.people.load_model("channels")
    assert model.kind == "channels" and model.window == (64, 128)
    assert all(image.ndim in (2, 3) for _, image in model.pictures())
    with pytest.raises(fovea.IoError, match="shipped"):
        fovea.people.load_model("no-such-model")
    with pytest.raises(fovea.ModelError):
        fovea.people.load_model(fovea.files.model_path("scenes/sun8"))


def test_a_file_in_the_current_folder_takes_no_shipped_models_place(tmp_path, monkeypatch):
    shipped = fovea.people.load_model("channels")
    other = fovea.people.load_model("hog")
    (tmp_path / "people").mkdir()
    for name in ("channels", "people/channels", "mine"):
        other.save(tmp_path / "m.safetensors")
        (tmp_path / "m.safetensors").rename(tmp_path / name)
    monkeypatch.chdir(tmp_path)
    assert fovea.people.load_model("channels").hash == fovea.people.load_model("people/channels").hash == shipped.hash
    for name in ("./channels", pathlib.Path("channels"), "./mine", pathlib.Path("mine")):
        # As the file of a model that is none of ours by its ending, it is read as one of another program.
        with pytest.raises(fovea.Error, match="channels|mine"):
            fovea.people.load_model(name)
    with pytest.raises(fovea.IoError, match=r"the file of that name is \./mine"):
        fovea.people.load_model("mine")


def test_a_saved_model_is_the_same(tmp_path, street):
    path = tmp_path / "model.safetensors"
    fovea.people.load_model("hog").save(path)
    assert fovea.people.detect(street, path, device="cpu") == fovea.people.detect(street, "hog", device="cpu")


def test_masks(street, found):
    image = fovea.read_image(street)
    detector = fovea.people.Detector("channels", threshold=-1, device="cpu")
    assert len(detector.detect(image, mask=np.zeros(image.shape[:2], bool))) == 0
    assert detector.detect(image, mask=np.ones(image.shape[:2], bool)) == found
    with pytest.raises(ValueError, match="mask"):
        detector.detect(image, mask=np.ones((3, 3), np.uint8))
