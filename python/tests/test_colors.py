"""The order of colors: what OpenCV reads gives the same results as the files, and pictures come back as they are wanted."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from conftest import draw_person

import fovea
from fovea import actions, emd, flow, people, scenes

CPU = {"device": "cpu", "threads": 1}


@pytest.fixture(scope="module")
def frames():
    """Frames in RGB of a person in color who moves by 4 pixels each."""
    ground = np.random.default_rng(5).integers(0, 60, (160, 200, 3)).astype(np.uint8) + np.uint8([120, 60, 0])
    made = []
    for i in range(6):
        frame = ground.copy()
        draw_person(frame, 80 + 4 * i, 150, 120)
        frame[40:90, 70 + 4 * i : 90 + 4 * i] += np.uint8([0, 40, 90])
        made.append(frame)
    return made


@pytest.fixture(scope="module")
def paths(frames, tmp_path_factory):
    folder = tmp_path_factory.mktemp("frames")
    for i, frame in enumerate(frames):
        fovea.write_image(folder / f"{i}.png", frame)
    return sorted(folder.iterdir())


def bgr(image):
    return np.ascontiguousarray(image[:, :, ::-1])


@pytest.fixture
def whole_program():
    fovea.set_color("bgr")
    yield
    fovea.set_color("rgb")


# What each system finds in frames, given the keywords of its calls.
FINDS = {
    "detect": lambda frames, **o: people.detect(frames[0], threshold=-1, enlarge=2, **CPU, **o).box,
    "detect video": lambda frames, **o: [r.box for r in people.Detector(threshold=-1, enlarge=2, device="cpu", **o).video(frames)],
    "track": lambda frames, **o: [
        r.box for r in people.track(frames, people.Detector(threshold=-1, enlarge=2, device="cpu", **o), confirm=1, device="cpu", **o)
    ],
    "scores": lambda frames, **o: people.Detector(enlarge=2, **CPU, **o).scores(frames[0]),
    "people train": lambda frames, **o: np.frombuffer(
        people.train(
            "channels",
            [fovea.ops.resize(pixels_of(frame), width=64, height=128) for frame in frames], frames[:2],
            channels_trees=64, **CPU, **o,
        )._bytes(),
        np.uint8,
    ),
    "flow": lambda frames, **o: flow.estimate(*frames[:2], quality="fast", channels="color", method="bm", **CPU, **o).u,
    "flow gray": lambda frames, **o: [r.u for r in flow.Estimator(quality="fast", **CPU, **o).video(frames)],
    "segments": lambda frames, **o: flow.segment(*frames[:2], quality="fast", **CPU, **o).labels,
    "segments of a video": lambda frames, **o: [
        r.labels for r in flow.segment_video(frames, quality="fast", **CPU, **o)
    ],
    "map": lambda frames, **o: emd.map(frames[0], (70, 40, 20, 50), signature="colors", **CPU, **o).distances,
    "map of levels": lambda frames, **o: emd.map(frames[0], (70, 40, 20, 50), **CPU, **o).distances,
    "follow": lambda frames, **o: [r.xywh for r in emd.track(frames, (70, 40, 20, 50), **CPU, **o)],
    "find": lambda frames, **o: emd.find(frames[1], frames[0][30:100, 60:100], **CPU, **o).xywh
    if not isinstance(frames[0], type(frames)) and isinstance(frames[0], np.ndarray) else None,
    "scene": lambda frames, **o: scenes.classify(frames[0], "sun8", **CPU, **o).scores,
    "scenes": lambda frames, **o: [r.scores for r in scenes.Classifier("sun8", **CPU, **o).classify_all(frames)],
    "actions": lambda frames, **o: actions.points(frames, **CPU, **o).descriptors,
    "polar": lambda frames, **o: list(fovea.ops.polar_gradient(pixels_of(frames[0]), **CPU, **o)),
}


def pixels_of(image):
    return image if isinstance(image, np.ndarray) else fovea.read_image(image)


def same(one, other):
    if isinstance(one, dict):
        return one == other
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    return np.array_equal(one, other, equal_nan=True)


@pytest.mark.parametrize("what", [name for name in FINDS if name not in ("people train", "find", "polar")])
def test_pictures_of_opencv_give_what_their_files_give(what, paths):
    cv2 = pytest.importorskip("cv2", reason="OpenCV for Python is not installed")
    find = FINDS[what]
    assert same(find([cv2.imread(str(path)) for path in paths], color="bgr"), find(paths))


@pytest.mark.parametrize("what", FINDS)
def test_the_order_of_colors_changes_no_result(what, frames):
    find = FINDS[what]
    expected = find(frames)
    turned = [bgr(frame) for frame in frames]
    if what != "people train":  # whose crops are made by another call
        assert same(find(turned, color="bgr"), expected)
    fovea.set_color("bgr")
    try:
        assert same(find(turned), expected)
        if what != "people train":
            assert same(find(frames, color="rgb"), expected)
    finally:
        fovea.set_color("rgb")
    if what in ("scores", "map", "map of levels", "scene", "scenes"):
        assert not same(find(turned), expected)  # colors count


def test_files_and_images_of_pillow_say_themselves_what_they_are(paths, frames, whole_program):
    image = pytest.importorskip("PIL.Image").fromarray(frames[0])
    classifier = scenes.Classifier("sun8", **CPU)
    assert classifier.classify(paths[0]).scores == classifier.classify(image).scores == classifier.classify(bgr(frames[0])).scores
    assert [r.frame for r in people.Detector(**CPU).video(paths[0].parent)] == list(range(6))


def test_images_and_frames_come_and_go_in_the_order_that_is_asked_for(paths, frames, tmp_path):
    assert np.array_equal(fovea.read_image(paths[0], color="bgr"), bgr(frames[0]))
    assert np.array_equal(next(fovea.read_video(paths[0].parent, color="bgr")).image, bgr(frames[0]))
    fovea.write_image(tmp_path / "a.png", bgr(frames[0]), color="bgr")
    assert np.array_equal(fovea.read_image(tmp_path / "a.png"), frames[0])
    assert type(fovea.read_image(paths[0])) is np.ndarray and type(next(fovea.read_video(paths[0].parent)).image) is np.ndarray
    clear = np.dstack([frames[0], np.full(frames[0].shape[:2], 7, np.uint8)])
    fovea.write_image(tmp_path / "b.png", clear[:, :, [2, 1, 0, 3]], color="bgr")
    assert np.array_equal(fovea.read_image(tmp_path / "b.png"), clear)
    fovea.set_color("bgr")
    try:
        assert np.array_equal(fovea.read_image(paths[0]), bgr(frames[0]))
        assert np.array_equal(fovea.read_image(paths[0], color="rgb"), frames[0])
        assert np.array_equal(next(fovea.read_video(paths[0].parent)).image, bgr(frames[0]))
        assert next(fovea.read_video(paths[0].parent, color="gray")).image.ndim == 2
        fovea.write_image(tmp_path / "c.png", fovea.read_image(paths[0]))
    finally:
        fovea.set_color("rgb")
    assert np.array_equal(fovea.read_image(tmp_path / "c.png"), frames[0])


def pictures(frames, **o):
    """What results draw, over their own image and over one that is given."""
    found = people.Detector(threshold=-1, enlarge=2, **CPU, **o).detect(frames[0])
    yield found.draw()
    yield found.draw(frames[1])
    (tracks,) = people.track(frames[:1], people.Detector(threshold=-1, enlarge=2, device="cpu", **o), confirm=1, device="cpu", **o)
    yield tracks.draw(frames[0])
    yield people.Detector(**CPU, **o).explain(frames[0], 80, 90).draw()
    field = flow.estimate(*frames[:2], quality="fast", **CPU, **o)
    yield field.to_color()
    yield field.warp(frames[1])
    yield field.arrows(frames[0])
    yield flow.segment(*frames[:2], quality="fast", **CPU, **o).draw(frames[0])
    yield flow.Estimator(quality="fast", **CPU, **o).explain(*frames[:2], 90, 80).draw()
    yield emd.map(frames[0], (70, 40, 20, 50), **CPU, **o).to_color()
    yield emd.Tracker(frames[0], (70, 40, 20, 50), **CPU, **o).tracks.draw(frames[0])
    yield list(emd.track(frames, (70, 40, 20, 50), **CPU, **o))[1].draw(frames[1])
    place = scenes.Classifier("sun8", **CPU, **o)
    yield place.explain(frames[0]).draw()
    yield place.words(frames[0]).to_color()
    yield actions.points(frames, **CPU, **o).draw(frames[0], 0)


def test_pictures_are_drawn_in_the_order_of_their_call(frames):
    expected = list(pictures(frames))
    turned = [bgr(frame) for frame in frames]
    for made in (pictures(turned, color="bgr"), pictures(turned, color="bgr", strict=None)):
        for number, (ours, theirs) in enumerate(zip(made, expected, strict=True)):
            assert np.array_equal(ours, bgr(theirs)), number
    fovea.set_color("bgr")
    try:
        for number, (ours, theirs) in enumerate(zip(pictures(turned), expected, strict=True)):
            assert np.array_equal(ours, bgr(theirs)), number
    finally:
        fovea.set_color("rgb")


def test_notebooks_show_the_same_picture(frames):
    expected = people.Detector(threshold=-1, enlarge=2, **CPU).detect(frames[0])._repr_png_()
    assert people.Detector(threshold=-1, enlarge=2, **CPU, color="bgr").detect(bgr(frames[0]))._repr_png_() == expected


def test_objects_keep_their_order_when_they_are_pickled(frames):
    detector = pickle.loads(pickle.dumps(people.Detector(threshold=-1, enlarge=2, **CPU, color="bgr")))
    found = detector.detect(bgr(frames[0]))
    assert found == people.detect(frames[0], threshold=-1, enlarge=2, **CPU)
    assert np.array_equal(pickle.loads(pickle.dumps(found)).draw(bgr(frames[0])), bgr(people.detect(frames[0], threshold=-1, enlarge=2, **CPU).draw()))


def test_other_orders_are_refused():
    for call in (fovea.set_color, lambda color: people.Detector(color=color)):
        with pytest.raises(fovea.InvalidArgument, match="color is 'grb'; expected 'rgb' or 'bgr'"):
            call("grb")
    with pytest.raises(fovea.InvalidType, match="no keyword 'color'"):
        fovea.mesh.segment(([[0, 0, 0]], [[0, 0, 0]]), color="bgr")
