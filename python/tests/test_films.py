"""Frames of a video as images, and the results of whole films and folders: how many there are, and files of all."""

from __future__ import annotations

import numpy as np
import pytest

import fovea
from fovea import actions, emd, flow, people, scenes

CPU = {"device": "cpu", "threads": 1}
RATE = 10


@pytest.fixture(scope="module")
def film(street, tmp_path_factory):
    """Three frames of a street, as y4m, which needs no other library."""
    image, path = fovea.read_image(street)[160:460, 240:400], tmp_path_factory.mktemp("film") / "street.y4m"
    fovea.write_video(path, [np.roll(image, 3 * i, axis=1) for i in range(3)], fps=RATE)
    return path


@pytest.fixture(scope="module")
def detector():
    return people.Detector("hog", threshold=-1, **CPU)


def test_a_frame_is_taken_wherever_an_image_is(film, detector, tmp_path):
    frames = list(fovea.read_video(film))
    frame, image, box = frames[0], frames[0].image, (20, 40, 60, 120)
    pair = frames[1], frames[1].image
    classifier, mapper = scenes.Classifier("sun8", **CPU), emd.Mapper(box, **CPU)
    for given, expected in (
        (people.detect(frame, "hog", **CPU), people.detect(image, "hog", **CPU)),
        (detector.detect(frame, mask=frame.image[:, :, 0]), detector.detect(image, mask=image[:, :, 0])),
        (detector.explain(frame, 80, 150).score, detector.explain(image, 80, 150).score),
        (classifier.classify(frame), classifier.classify(image)),
        (classifier.words(frame), classifier.words(image)),
        (flow.estimate(frame, pair[0], quality="fast", **CPU), flow.estimate(image, pair[1], quality="fast", **CPU)),
        (mapper.map(frame), emd.map(image, box, **CPU)),
        (emd.Tracker(frame, box, **CPU).track(pair[0]), emd.Tracker(image, box, **CPU).track(pair[1])),
        (people.Tracker(confirm=1).track(frame, detector.detect(image)), people.Tracker(confirm=1).track(image, detector.detect(image))),
        (fovea.run("ops blur", frame, sigma=2).image.tolist(), fovea.ops.gaussian_blur(image, 2).tolist()),
        (fovea.ops.resize(frame, width=40).tolist(), fovea.ops.resize(image, width=40).tolist()),
        (actions.Recognizer("weizmann", **CPU).push(frame), actions.Recognizer("weizmann", **CPU).push(image)),
        (list(detector.detect_all(frames)), list(detector.detect_all([each.image for each in frames]))),
    ):
        assert given == expected
    assert np.asarray(frame) is image and np.from_dlpack(frame).shape == frame.shape == image.shape and frame.dtype == np.uint8
    assert people.detect(frame, "hog", strict=True, **CPU) == people.detect(image, "hog", **CPU)
    assert people.detect(frame, "hog", **CPU).draw().shape == image.shape
    fovea.write_image(tmp_path / "frame.png", frame)
    assert np.array_equal(fovea.read_image(tmp_path / "frame.png"), image)


def test_frames_keep_their_numbers_and_times(film, detector):
    later = list(fovea.read_video(film))[1:]
    found = list(detector.video(iter(later)))
    assert [(each.frame, each.time_seconds) for each in found] == [(1, 0.1), (2, 0.2)]
    assert found == list(detector.video(film))[1:]


def test_results_say_how_many_they_are_and_when_they_are_used_up(film, detector):
    image = np.zeros((160, 100), np.uint8)
    results = detector.detect_all([image, image])
    assert len(results) == 2 and repr(results) == "Results(2 Detections, none taken yet)"
    next(results)
    assert repr(results) == "Results(2 Detections, 1 taken)" and len(list(results)) == 1
    assert repr(results) == "Results(2 Detections, used up)"
    for again in (lambda: list(results), lambda: [each for each in results]):
        with pytest.raises(fovea.InvalidArgument, match="were used up already; make the call again, or keep them in list"):
            again()
    assert next(results, None) is None
    some = detector.detect_all([image, "missing.png"], on_error="skip")
    assert len(list(some)) == len(some) == 1 and "1 input failed" in repr(some)
    unknown = detector.video(iter([image]))
    with pytest.raises(TypeError, match="how many results there are is known after the last one alone"):
        len(unknown)
    assert unknown and len(list(unknown)) == 1 and not detector.detect_all([])
    for film_results, kind, count in (
        (detector.video(film), "Detections", 3),
        (people.track(film, detector), "Tracks", 3),
        (fovea.Operation("ops blur").video(film), "OpsBlur", 3),
        (emd.track(film, (20, 40, 60, 120), **CPU), "Tracks", 3),
        (flow.Estimator(quality="fast", **CPU).video(film), "Flow", 2),
        (flow.segment_video(film, quality="fast", **CPU), "MotionSegments", 2),
    ):
        assert repr(film_results) == f"Results({count} {kind}, none taken yet)"
        found = list(film_results)
        assert len(found) == len(film_results) == count and {each.path for each in found} == {str(film)}


def test_people_of_a_film_are_saved_as_by_the_program(film, detector, program, tmp_path):
    table, boxes, labels = tmp_path / "people.csv", tmp_path / "people.json", tmp_path / "yolo"
    detector.video(film).save(table, boxes)
    detector.video(film).save(labels, output="yolo")

    def written():
        files = [table, boxes, *sorted(labels.iterdir())]
        content = [file.read_bytes() for file in files]
        for file in files:
            file.unlink()
        return content

    ours = written()
    labels.rmdir()
    for option, path in (("csv", table), ("coco", boxes), ("yolo", labels)):  # whose name is in the JSON
        program(f"fovea people detect FILM --model hog --threshold -1 --device cpu --{option} PATH", FILM=film, PATH=path)
    assert ours == written() and len(ours) == 5 and str(film).encode() in ours[0]


def test_tracks_of_a_film_are_saved_as_by_the_program(film, detector, program, tmp_path):
    made = people.track(film, detector, confirm=1, **CPU)
    made.save(tmp_path / "a.txt", tmp_path / "a.csv", tmp_path / "a.y4m")
    program(
        "fovea people track FILM --model hog --threshold -1 --confirm 1 --device cpu --mot MOT --csv CSV",
        FILM=film, MOT=tmp_path / "b.txt", CSV=tmp_path / "b.csv",
    )
    for ending in ("txt", "csv"):
        assert (tmp_path / f"a.{ending}").read_bytes() == (tmp_path / f"b.{ending}").read_bytes() != b""
    with fovea.read_video(tmp_path / "a.y4m") as drawn:
        assert drawn.frame_rate == RATE and len(list(drawn)) == 3
    with pytest.raises(fovea.InvalidArgument, match=r"call save\(\) before the first one"):
        made.save(tmp_path / "again.csv")


def test_drawings_of_a_film_are_frames_with_boxes(film, detector, tmp_path):
    expected = [found.draw() for found in detector.video(film, keep_images=True)]
    bgr = people.Detector("hog", threshold=-1, color="bgr", **CPU)
    for number, results in enumerate((detector.video(film), bgr.video(film), detector.detect_all([each.image for each in fovea.read_video(film)]))):
        results.save(tmp_path / f"{number}")
        assert [fovea.read_image(path).tolist() for path in sorted((tmp_path / f"{number}").iterdir())] == [each.tolist() for each in expected]
    fovea.Operation("ops blur", sigma=2).video(film).save(tmp_path / "soft")
    emd.track(film, (20, 40, 60, 120), **CPU).save(tmp_path / "followed", tmp_path / "followed.txt")
    assert len(list((tmp_path / "soft").iterdir())) == len(list((tmp_path / "followed").iterdir())) == 3
    assert len((tmp_path / "followed.txt").read_text().splitlines()) == 3
    photos = detector.detect_all([expected[0], expected[1]])
    photos.save(tmp_path / "few.y4m", fps=5)
    assert fovea.read_video(tmp_path / "few.y4m").frame_rate == 5


def test_what_no_file_of_several_results_is_is_refused(film, detector, tmp_path):
    for results, path, more, says in (
        (detector.video(film), "a.png", {}, r"output is a file of one result; those of several are coco \(\.json\).*; videos such as \.mp4, and folders,"),
        (detector.video(film), "a.txt", {}, r"people detect writes .*csv \(\.csv\)"),
        (detector.video(film), "a.csv", {"fps": 3}, "save\\(\\) has no keyword 'fps' for .*a.csv"),
        (detector.video(film), "a.y4m", {"least": 3}, "has no keyword 'least'"),
        (fovea.Operation("ops blur").video(film), "a.png", {}, "results of OpsBlur are written together as .*.mp4"),
        (scenes.Classifier("sun8", **CPU).classify_all([film]), "a.csv", {}, r"results of Scene .*; to_pandas\(\) makes a table"),
        (scenes.Classifier("sun8", **CPU).classify_all([film]), "a.mp4", {}, "nothing is drawn of results of Scene"),
    ):
        with pytest.raises(fovea.InvalidArgument, match=says) as caught:
            results.save(tmp_path / path, **more)
        assert "\n" not in str(caught.value) and not list(tmp_path.iterdir())
        results.close()
    with pytest.raises(fovea.InvalidArgument, match="output names the file of one path, but there are 2"):
        detector.video(film).save(tmp_path / "a.csv", tmp_path / "b.json", output="csv")
    operation = fovea.Operation("people detect", csv=tmp_path / "people.csv", **CPU)
    for call, name in ((lambda: operation.run_all([film]), "run_all"), (lambda: operation.video(film), "video")):
        with pytest.raises(fovea.InvalidArgument, match=rf'csv is one file of a single input, but {name}\(\) takes several; {name}\(\)\.save\("'):
            call()


def test_a_table_of_a_film_has_its_path(film, detector):
    pytest.importorskip("pandas")
    for results in (detector.video(film), people.track(film, detector, confirm=1), detector.video(fovea.read_video(film))):
        table = results.to_pandas()
        assert len(table) and set(table["path"]) == {str(film)}


def test_a_list_in_place_of_one_image_says_what_to_call(film, detector):
    image = np.zeros((160, 100, 3), np.uint8)
    for call, says in (
        (lambda: detector.detect([image, image]), r"image is a list of 2 images; expected one image; detect_all\(\) of a Detector takes several"),
        (lambda: detector.detect(["a.png"]), "image is a list of 1 image;"),
        (lambda: scenes.classify((image, image)), r"image is a tuple of 2 images.*classify_all\(\) of a Classifier"),
        (lambda: fovea.run("ops blur", [image, image]), r"run_all\(\) of an Operation takes several"),
        (lambda: fovea.ops.resize([image], width=9), r"run_all\(\) of an Operation"),
        (lambda: flow.estimate([image], [image]), r"video\(\) of an Estimator"),
        (lambda: actions.classify([film, film]), r"a list of 2 clips, but a list is the frames of one; classify_all\(\) takes several"),
        (lambda: actions.classify([np.zeros((3, 64, 64), np.uint8)] * 2), r"a list of 2 clips"),
    ):
        with pytest.raises(fovea.InvalidType, match=says):
            call()
    assert people.detect(image[:, :, 0].tolist(), "hog", **CPU) == people.detect(list(image[:, :, 0]), "hog", **CPU)


def test_rows_have_their_box_by_all_names(film, detector):
    first = np.zeros((64, 64), np.uint8)
    first[20:40, 20:40] = np.random.default_rng(1).integers(0, 255, (20, 20))
    found = detector.detect(next(fovea.read_video(film)))
    followed = people.Tracker(confirm=1).track(None, found)
    targets = emd.track(film, (20, 40, 60, 120), **CPU)
    regions = emd.map(first, (24, 24, 12, 12), **CPU).regions()
    divided = flow.segment(first, np.roll(first, 2, axis=1), quality="fast", **CPU)
    for rows, boxes in (
        (found, found.box), (followed, followed.box), (next(targets), np.float32([[20, 40, 60, 120]])), (regions, regions.box),
        (divided.regions, divided.box),
    ):
        assert len(list(rows)) == len(boxes) > 0
        for row, box in zip(rows, boxes):
            left, top, width, height = np.float64(box)
            assert row.box == row.xywh and row.xywh == pytest.approx((left, top, width, height), abs=1e-3)
            assert row.xyxy == pytest.approx((left, top, left + width, top + height), abs=1e-3)


def test_boxes_are_labeled_with_scores_or_confidence(street):
    found = people.Detector("channels", threshold=-1, **CPU).detect(street)
    assert len(found) and not np.isnan(found.confidence).any()
    scores = found.draw()
    assert np.array_equal(found.draw(label="score"), scores) and not np.array_equal(found.draw(label="confidence"), scores)
    with pytest.raises(fovea.InvalidArgument, match="label is 'id'; expected 'score' or 'confidence'"):
        found.draw(label="id")
    found.confidence = np.full_like(found.confidence, np.nan)
    with pytest.raises(fovea.InvalidArgument, match="has no calibration"):
        found.draw(label="confidence")


def test_options_of_others_are_sent_home():
    for call, says in (
        (lambda: people.Detector("hog", confirm=2), r"^Detector\(\) has no keyword 'confirm'; people\.track\(\) and Tracker\(\) take it$"),
        (lambda: people.detect(np.zeros((160, 100), np.uint8), confirm=2), r"^detect\(\) has no keyword 'confirm'; people\.track"),
        (lambda: people.track([], threshold=3), r"^track\(\) has no keyword 'threshold'; give a Detector that has it in place of the model$"),
        (lambda: people.Tracker(threshold=3), r"^Tracker\(\) has no keyword 'threshold'; give a Detector"),
        (lambda: people.Tracker(confrim=3), "did you mean 'confirm'"),
        (lambda: people.Detector("hog", ratio="x", device="cpu"), "ratio is 'x'"),
        (lambda: fovea.run("ops blur", None, sigm=3), r"^ops blur has no keyword 'sigm'; did you mean 'sigma'\?; it takes orientation, sigma, "),
        (lambda: fovea.run("ops blur", None, model="hog"), r"^ops blur has no keyword 'model'; it takes .*sigma"),
        (lambda: fovea.Operation("mesh distances", frm=3), r"it takes .*from_"),
    ):
        with pytest.raises(fovea.InvalidType, match=says):
            call()


def test_an_operation_has_rules_for_arrays_of_its_own():
    image = np.random.default_rng(4).integers(0, 255, (160, 100, 3), dtype=np.uint8)
    ours = fovea.run("people detect", image[:, :, ::-1].copy(), model="hog", threshold=-1, color="bgr", **CPU)
    assert ours == fovea.run("people detect", image, model="hog", threshold=-1, **CPU)
    assert np.array_equal(ours.draw()[:, :, ::-1], people.detect(image, "hog", threshold=-1, **CPU).draw())
    with pytest.raises(fovea.InvalidType, match="takes a copy that strict forbids"):
        fovea.Operation("ops blur", sigma=2, strict=True).run(image[:, ::-1])


def test_detections_of_mot_text_say_how_they_are_read(tmp_path):
    (tmp_path / "det.txt").write_text("1,-1,2,2,8,8,0.5\n1,-1,4,2,8,8,0.25\n")
    with pytest.raises(fovea.FormatError, match="a whole id from 0 on .*; identities=False reads detections, which have none"):
        people.read_mot(tmp_path / "det.txt")
    rows = people.read_mot(tmp_path / "det.txt", identities=False)
    assert rows[:, 1].tolist() == [-1, -1] and rows[:, 6].tolist() == [0.5, 0.25]
