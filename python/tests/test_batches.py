"""Many inputs at once: folders of photos, damaged files, and one table of all results."""

from __future__ import annotations

import gc
import pickle
import shutil
import weakref

import numpy as np
import pytest

import fovea
from fovea import actions, emd, mesh, people, scenes

CPU = {"device": "cpu", "threads": 2}


@pytest.fixture(scope="module")
def photos(street, tmp_path_factory):
    """A folder with the street in three sizes, and a damaged file and an empty one between them."""
    folder = tmp_path_factory.mktemp("photos")
    image = fovea.read_image(street)
    for name, part in (("1.png", image), ("2.jpg", image[60:]), ("10.png", image[:, 100:])):
        fovea.write_image(folder / name, part)
    (folder / "3.png").write_bytes(b"no picture")
    (folder / "4.jpg").write_bytes(b"")
    (folder / "notes.txt").write_text("no picture either")
    return folder


@pytest.fixture(scope="module")
def detector():
    return people.Detector("channels", threshold=-1, **CPU)


def test_photos_of_a_folder_are_searched_in_order(detector, photos):
    seen = []
    results = detector.detect_all(photos, on_error="skip", progress=lambda *report: seen.append(report))
    found = list(results)
    assert [result.path for result in found] == [str(photos / name) for name in ("1.png", "2.jpg", "10.png")]
    assert found == [detector.detect(result.path) for result in found] and detector.detect(found[0].path).path == found[0].path
    assert [failure.path for failure in results.failed] == [str(photos / "3.png"), str(photos / "4.jpg")]
    assert all(failure.path in str(failure.error) for failure in results.failed)
    assert seen == [("images", done, 5) for done in range(1, 6)]
    assert all(result.path in result.command for result in found)


@pytest.mark.filterwarnings("error")
def test_errors_are_raised_shown_or_listed(detector, photos):
    with pytest.raises(fovea.FormatError, match="3.png"):
        list(detector.detect_all(photos))
    with pytest.raises(RuntimeWarning, match="3.png"):
        list(detector.detect_all(photos, on_error="warn"))
    assert len(list(detector.detect_all(photos, on_error="skip"))) == 3
    with pytest.raises(fovea.InvalidArgument, match="on_error is 'ignore'; expected 'raise', 'warn' or 'skip'"):
        detector.detect_all(photos, on_error="ignore")


def test_one_table_has_everyone(detector, photos):
    pytest.importorskip("pandas")
    results = detector.detect_all(photos, on_error="skip")
    table = results.to_pandas()
    assert list(table.columns) == ["path", "frame", "x", "y", "width", "height", "score", "confidence", "scale"]
    assert len(results.failed) == 2 and set(table["frame"]) <= {0, 1, 4}
    for name, rows in table.groupby("path"):
        assert rows["score"].tolist() == detector.detect(name).score.tolist()
    begun = detector.detect_all([street_of(photos)] * 2)
    next(begun)
    with pytest.raises(fovea.InvalidArgument, match=r"call to_pandas\(\) before the first one"):
        begun.to_pandas()
    video = detector.video([fovea.read_image(photos / "1.png")] * 2).to_pandas()
    assert set(video["frame"]) == {0, 1} and video["path"].isna().all()


def test_a_table_of_nothing_has_its_columns(detector, photos):
    """Whether no input was read or none shows anybody: the columns and their types stay."""
    pandas = pytest.importorskip("pandas")
    full = detector.detect_all([street_of(photos)]).to_pandas()
    nobody = people.Detector("channels", threshold=1000, **CPU)
    empty = [nobody.detect_all([street_of(photos)] * 2), nobody.video([street_of(photos)]), detector.detect_all([]), detector.video([])]
    for table in (each.to_pandas() for each in empty):
        assert len(table) == 0 and table.dtypes.to_dict() == full.dtypes.to_dict()
    none, some = nobody.detect(photos / "1.png"), detector.detect(photos / "1.png")
    kinds = {name: column.dtype for name, column in some.columns().items()}
    assert len(none) == 0 and {name: column.dtype for name, column in none.columns().items()} == kinds
    assert none.to_pandas().dtypes.to_dict() == some.to_pandas().dtypes.to_dict() and isinstance(none.to_pandas(), pandas.DataFrame)
    pyarrow = pytest.importorskip("pyarrow")
    assert pyarrow.table(none).schema == pyarrow.table(some).schema and pyarrow.table(none).num_rows == 0
    followed = people.track([street_of(photos)] * 3, detector, confirm=1).to_pandas()
    for source, finder in (([street_of(photos)], nobody), ([], detector)):
        assert people.track(source, finder).to_pandas().dtypes.to_dict() == followed.dtypes.to_dict()
    images = [street_of(photos)]
    for many, nothing in (
        (scenes.Classifier("sun8", **CPU).classify_all(images), scenes.Classifier("sun8", **CPU).classify_all([])),
        (fovea.Operation("ops blur").run_all(images), fovea.Operation("ops blur").run_all([])),
    ):
        assert nothing.to_pandas().columns.tolist() == many.to_pandas().columns.tolist()
    assert {"parts", "faces"} <= set(mesh.Segmenter(2, **CPU).segment_all([]).to_pandas().columns)


def test_results_of_a_video_are_drawn_on_request(detector, photos, tmp_path):
    image, path = street_of(photos), str(photos / "1.png")
    alone = detector.detect(image)
    for found in (*detector.video([image], keep_images=True), *detector.video([path]), *detector.video(str(photos / "1.p*g"), keep_images=True)):
        assert found == alone and np.array_equal(found.draw(), alone.draw())
        found.save(tmp_path / "found.png")
        assert np.array_equal(fovea.read_image(tmp_path / "found.png"), alone.draw())
    assert next(detector.video([path])).path == path and next(detector.video([image])).path is None
    bgr = next(people.Detector("channels", threshold=-1, color="bgr", **CPU).video([image[..., ::-1].copy()], keep_images=True))
    assert bgr == alone and np.array_equal(bgr.draw()[..., ::-1], alone.draw())
    operation = fovea.Operation("people detect", threshold=-1, **CPU)
    for found in (next(operation.video([image], keep_images=True)), next(operation.video([path]))):
        assert np.array_equal(found.draw(), alone.draw())
    with pytest.raises(fovea.InvalidArgument, match=r"give draw\(image\)"):
        next(operation.video([image])).draw()
    for source, keep in (([image] * 2, True), ([path] * 2, False)):
        (_, tracks) = people.track(source, detector, confirm=1, keep_images=keep)
        assert np.array_equal(tracks.draw(), tracks.draw(image)) and tracks._repr_png_().startswith(b"\x89PNG")
        assert pickle.loads(pickle.dumps(tracks)) == tracks
    with pytest.raises(fovea.InvalidArgument, match=r"give draw\(image\) the frame"):
        next(people.track([image], detector)).draw()
    box = (80, 200, 60, 120)
    for source, keep in (([image] * 2, True), ([path] * 2, False)):
        (_, found) = emd.track(source, box, keep_images=keep, **CPU)
        assert np.array_equal(found.draw(), found.draw(image))
    with pytest.raises(fovea.InvalidArgument, match=r"give draw\(image\) the frame"):
        list(emd.track([image] * 2, box, **CPU))[1].draw()
    with pytest.raises(TypeError, match="keep_images is 1; expected True or False"):
        detector.video([image], keep_images=1)


def test_a_folder_in_place_of_one_image_says_what_to_call(photos):
    for call, says in (
        (lambda: people.detect(photos), r"expected an image; detect_all\(\) of a Detector takes all"),
        (lambda: people.Detector("hog").score(photos), "is a folder; expected an image$"),
        (lambda: scenes.classify(photos), r"classify_all\(\) of a Classifier"),
        (lambda: scenes.Classifier("sun8").why(photos), r"classify_all\(\) of a Classifier"),
        (lambda: mesh.segment(photos, 2), r"expected a mesh; segment_all\(\) of a Segmenter"),
        (lambda: fovea.flow.estimate(photos, photos), r"video\(\) of an Estimator"),
        (lambda: fovea.flow.stereo(photos, photos), "is a folder; expected an image$"),
        (lambda: fovea.run("people detect", photos), r"expected an image; run_all\(\) of an Operation"),
        (lambda: fovea.ops.resize(photos, scale=2), r"run_all\(\) of an Operation"),
    ):
        with pytest.raises(fovea.IoError, match=says) as raised:
            call()
        assert str(photos) in str(raised.value) and "\n" not in str(raised.value)


def street_of(photos):
    return fovea.read_image(photos / "1.png")


def test_results_are_drawn_and_saved_from_their_files(detector, photos, tmp_path):
    found = next(detector.detect_all(photos))
    assert np.array_equal(found.draw(), detector.detect(photos / "1.png").draw())
    found.save(tmp_path / "found.png")
    assert np.array_equal(fovea.read_image(tmp_path / "found.png"), found.draw())
    assert found._image == found.path and pickle.loads(pickle.dumps(found)).path == found.path


def test_few_images_are_in_memory_at_a_time(detector):
    alive: list[weakref.ref] = []
    most = 0

    def images():
        nonlocal most
        for _ in range(40):
            image = np.zeros((120, 100, 3), np.uint8)
            alive.append(weakref.ref(image))
            yield image
            gc.collect()
            most = max(most, sum(each() is not None for each in alive))

    assert sum(1 for _ in detector.detect_all(images())) == 40
    assert most < 20


def test_a_video_of_photos_says_what_to_call(detector, tmp_path, photos):
    shutil.copy(photos / "1.png", tmp_path)
    shutil.copy(photos / "10.png", tmp_path)
    with pytest.raises(fovea.FormatError, match=r"10.png.*began with 640x480\. Frames of .*; for single photos call detect_all\(\)"):
        list(detector.video(tmp_path))
    (tmp_path / "10.png").write_bytes(b"no picture")
    with pytest.raises(fovea.FormatError, match="10.png") as error:
        list(detector.video(tmp_path))
    assert "single photos" not in str(error.value)


def test_an_input_that_is_left_out_does_not_stay_in_memory(detector):
    refused: list[weakref.ref] = []

    def images():
        for shape in ((120, 100, 3), (120, 100, 7)):
            image = np.zeros(shape, np.uint8)
            refused[:] = [weakref.ref(image)]
            yield image

    results = detector.detect_all(images(), on_error="skip")
    assert len(list(results)) == 1
    gc.collect()
    assert [failure.path for failure in results.failed] == [1] and refused[0]() is None


def test_a_table_has_results_that_lack_a_value():
    pytest.importorskip("pandas")
    blank = [np.zeros((64, 64), np.uint8)] * 3
    walk = np.zeros((24, 64, 64), np.uint8)
    for step, frame in enumerate(walk):
        frame[20:44, 2 + step : 20 + step] = 200
        frame[40:56, 8 + step : 12 + step + step % 5] = 90
    classifier = actions.Classifier("weizmann", **CPU)
    table = classifier.classify_all([walk, blank]).to_pandas()
    assert table["frame"].tolist() == [0, 1] and table["probability"].isna().tolist() == [False, True]
    other = classifier.classify_all([blank, walk]).to_pandas()
    assert other["probability"].isna().tolist() == [True, False] and other["probability"][1] == table["probability"][0]
    assert set(other.columns) == set(table.columns) and other["probability"].dtype == float
    assert classifier.classify_all([blank]).to_pandas()["name"].tolist() == ["none"]


def test_colors_of_a_detector_hold_for_all(photos):
    image = street_of(photos)
    image[..., 0] //= 3
    bgr = people.Detector("channels", threshold=-1, color="bgr", **CPU)
    (found,) = bgr.detect_all([image[..., ::-1].copy()])
    assert found == people.detect(image, threshold=-1, **CPU)
    assert np.array_equal(found.draw()[..., ::-1], people.detect(image, threshold=-1, **CPU).draw())


def test_every_system_has_the_same(photos, tmp_path):
    pytest.importorskip("pandas")
    found = scenes.Classifier("sun8", **CPU).classify_all(photos, on_error="skip")
    table = found.to_pandas()
    assert [name[len(str(photos)) + 1 :] for name in table["path"]] == ["1.png", "2.jpg", "10.png"]
    assert len(found.failed) == 2 and {"name", "score"} <= set(table.columns)

    soft = fovea.Operation("ops blur", sigma=2).run_all(photos, on_error="skip")
    assert [result.image.shape for result in soft] == [(480, 640, 3), (420, 640, 3), (480, 540, 3)] and len(soft.failed) == 2

    corners = np.float32([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    solid = corners, np.int32([[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])
    for name in ("a.off", "b.ply"):
        mesh.write(tmp_path / name, solid)
    (tmp_path / "c.obj").write_text("v one two three")
    divided = mesh.Segmenter(2, **CPU).segment_all(tmp_path, on_error="skip")
    assert divided.to_pandas()["parts"].tolist() == [2, 2] and [failure.path for failure in divided.failed] == [str(tmp_path / "c.obj")]
    assert fovea.Operation("mesh info").run_all(tmp_path, on_error="skip").to_pandas()["faces"].tolist() == [4, 4]
    with pytest.raises(fovea.IoError, match="has no meshes; expected files of .off"):
        mesh.Segmenter(2).segment_all(photos)

    bad = tmp_path / "bad.y4m"
    bad.write_bytes(b"no video")
    clip = [np.zeros((64, 64), np.uint8)] * 24
    of_clips = actions.Classifier("weizmann", **CPU).classify_all([clip, bad], on_error="skip")
    assert of_clips.to_pandas()["frame"].tolist() == [0] and of_clips.failed[0].path == str(bad)
