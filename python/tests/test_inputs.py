"""The rules that all systems share: images may be paths, videos may be lists, and commands name what was given."""

from __future__ import annotations

import inspect
import json
import shlex

import numpy as np
import pytest

import fovea
from fovea import actions, emd, flow, mesh, people, scenes

CPU = {"device": "cpu"}


@pytest.fixture(scope="module")
def frames():
    """Textured frames of 80x64 pixels that move by 2 pixels each."""
    blocks = np.random.default_rng(9).integers(0, 255, (24, 30, 3)).astype(np.uint8)
    wide = np.kron(blocks, np.ones((4, 4, 1), np.uint8))
    return [np.ascontiguousarray(wide[8:72, 20 - 2 * i : 100 - 2 * i]) for i in range(4)]


@pytest.fixture(scope="module")
def folder(frames, tmp_path_factory):
    path = tmp_path_factory.mktemp("video")
    for i, frame in enumerate(frames):
        fovea.write_image(path / f"{i}.png", frame)
    return path


@pytest.fixture(scope="module")
def paths(folder):
    return sorted(folder.iterdir())


@pytest.fixture(scope="module")
def mask(frames, tmp_path_factory):
    """Where x < 40, as an array and as a file."""
    array = np.zeros(frames[0].shape[:2], np.uint8)
    array[:, :40] = 255
    path = tmp_path_factory.mktemp("mask") / "mask.png"
    fovea.write_image(path, array)
    return array, path


def test_wherever_an_image_is_taken_a_path_is_taken(frames, paths, tmp_path):
    detector = people.Detector("hog", enlarge=3, ratio=1.5, **CPU)
    classifier = scenes.Classifier("sun8", **CPU)
    estimator = flow.Estimator(quality="fast", **CPU)
    field = estimator.estimate(frames[0], frames[1])
    found = detector.detect(frames[0])
    example = fovea.read_image(paths[1])
    for call in (
        detector.detect, detector.scores, classifier.features, classifier.words, found.draw, field.warp, field.arrows,
        lambda image: flow.estimate(image, frames[1], quality="fast", **CPU),
        lambda image: emd.map(image, (4, 4, 8, 8), **CPU).distances,
        lambda image: emd.Tracker(image, (4, 4, 16, 16), **CPU).track(image).xywh,
        lambda image: emd.Tracker(image, (4, 4, 16, 16), **CPU).track(image).draw(image),
        lambda image: emd.find(image, example, **CPU).xywh,
        lambda image: classifier.classify(image).scores,
        lambda image: classifier.explain(image).draw(image),
        lambda image: actions.Recognizer("weizmann", **CPU).push(image),
        lambda image: actions.points([image, image], **CPU).draw(image, 0),
    ):
        assert np.array_equal(call(paths[0]), call(frames[0])), call
    crop = np.ascontiguousarray(np.repeat(np.repeat(frames[0], 3, 0), 3, 1))
    fovea.write_image(tmp_path / "crop.png", crop)
    assert detector.score(tmp_path / "crop.png") == detector.score(crop)
    estimator.push(paths[0])
    assert estimator.push(paths[1]) == estimator.estimate(frames[0], frames[1])


def test_wherever_a_video_is_taken_a_list_of_paths_or_arrays_is_taken(frames, folder, paths):
    for call in (
        lambda source: [found.xyxy.tolist() for found in people.Detector("hog", enlarge=3, **CPU).video(source)],
        lambda source: [found.u.tolist() for found in flow.Estimator(quality="fast", **CPU).video(source)],
        lambda source: [found.distances.tolist() for found in emd.Mapper((4, 4, 8, 8), **CPU).video(source)],
        lambda source: [found.box for found in emd.track(source, (4, 4, 16, 16), **CPU)],
        lambda source: [found.box for found in emd.Tracker(frames[0], (4, 4, 16, 16), **CPU).video(source)],
        lambda source: actions.points(source, **CPU).x.tolist(),
        lambda source: list(actions.Recognizer("weizmann", **CPU).stream(source)),
    ):
        expected = call(frames)
        assert call(paths) == expected and call(iter(paths)) == expected and call(np.stack(frames)) == expected
        assert call(folder) == expected or call.__code__.co_names[0] == "actions"  # which reads files in gray


def test_sources_are_checked_when_they_are_given(frames):
    for call in (
        people.Detector("hog", **CPU).video, flow.Estimator(**CPU).video, emd.Mapper((4, 4, 8, 8), **CPU).video,
        emd.Tracker(frames[0], (4, 4, 16, 16), **CPU).video, lambda source: emd.track(source, (4, 4, 16, 16)),
        actions.Recognizer(**CPU).stream, scenes.Classifier(**CPU).classify_all, mesh.Segmenter(**CPU).segment_all,
    ):
        for bad in (None, 3, b"x", {}):
            with pytest.raises(fovea.InvalidType, match=" is "):
                call(bad)
    with pytest.raises(fovea.InvalidType, match=r"one array of shape \(64, 80, 3\); expected several frames"):
        flow.Estimator(**CPU).video(frames[0])
    with pytest.raises(fovea.InvalidType, match="frame is of type bytes"):
        list(flow.Estimator(**CPU).video([b"x"]))


def test_flow_along_a_video_has_the_bytes_of_its_command(folder, paths, mask, program, tmp_path):
    (tmp_path / "two").mkdir()
    for path in paths[:2]:
        (tmp_path / "two" / path.name).write_bytes(path.read_bytes())
    for number, (source, given) in enumerate(((folder, None), (folder, mask[1]), (paths, None), (paths[:2], mask[1]))):
        out = tmp_path / f"flows{number}"
        found = list(flow.Estimator(quality="fast", **CPU).video(source, mask=given))
        assert len(found) == (1 if source == paths[:2] else 3) and len({each.command for each in found}) == 1
        program(found[0].command, FLOWS=out, VIDEO=tmp_path / "two")
        for each in found:
            each.save(tmp_path / "ours.flo")
            assert (tmp_path / "ours.flo").read_bytes() == (out / f"{each.frame:06}.flo").read_bytes()


def test_masks_are_part_of_commands(frames, paths, mask, program, tmp_path):
    array, file = mask
    ours = flow.estimate(*paths[:2], file, quality="fast", **CPU)
    assert ours == flow.estimate(*frames[:2], array, quality="fast", **CPU)
    assert np.array_equal(ours.known, array) and ours != flow.estimate(*frames[:2], quality="fast", **CPU)
    program(ours.command, **{"FLOW.flo": tmp_path / "theirs.flo"})
    ours.save(tmp_path / "ours.flo")
    assert (tmp_path / "ours.flo").read_bytes() == (tmp_path / "theirs.flo").read_bytes()
    assert "--mask MASK" in flow.estimate(*frames[:2], array > 0, quality="fast", **CPU).command


def test_people_outside_a_mask_are_left_out_by_the_command_too(street, program, tmp_path):
    image = fovea.read_image(street)
    detector = people.Detector("channels", threshold=-2, **CPU)
    everyone = detector.detect(street)
    inside = np.zeros(image.shape[:2], bool)
    left, top, right, bottom = everyone.xyxy[0].astype(int)
    inside[top:bottom, left:right] = True
    fovea.write_image(tmp_path / "mask.png", inside.astype(np.uint8) * 255)
    found = detector.detect(street, tmp_path / "mask.png")
    boxes = json.loads(program(found.command))["results"][0]["people"]
    assert np.array_equal(np.float32([person["box"] for person in boxes]).reshape(-1, 4), found.xywh)
    assert 0 < len(found) < len(everyone) and detector.detect(image, inside) == found
    assert shlex.split(found.command)[4:6] == ["--mask", str(tmp_path / "mask.png")]


def test_evaluations_name_the_command_that_measures_the_same(frames, paths, program, tmp_path):
    field = flow.estimate(*paths[:2], quality="fast", **CPU)
    truth = np.full_like(field.u, 2), np.zeros_like(field.u)
    flow.write(tmp_path / "truth.flo", *truth)
    (tmp_path / "list.txt").write_text(f"{paths[0]} {paths[1]} {tmp_path / 'truth.flo'}\n")
    report = flow.evaluate(field, truth, confident=0.75, curve_points=7)
    assert report == flow.evaluate(field, tmp_path / "truth.flo", confident=0.75, curve_points=7)
    theirs = json.loads(program(report.command, LIST=tmp_path / "list.txt"))
    assert theirs["endpoint_error_mean"] == report.all.endpoint
    assert theirs["confident_endpoint_error_mean"] == report.confident.endpoint
    assert [list(point.values()) for point in theirs["sparsification"]] == report.curve.tolist()
    where = np.zeros(frames[0].shape[:2], np.uint8)
    where[10:30, 10:30] = 255
    gray = np.ascontiguousarray(frames[0][:, :, 0])
    for name, image in (("image.png", gray), ("truth.png", where)):
        fovea.write_image(tmp_path / name, image)
    areas = emd.evaluate((12, 12, 6, 6), tmp_path / "image.png", tmp_path / "truth.png", **CPU)
    theirs = json.loads(program(areas.command))
    assert {name: theirs[name] for name in areas} == areas.to_dict() and "areas under the ROC" in repr(areas)
    tracks = list(emd.track(paths[0].parent, (20, 20, 16, 16), **CPU))
    rows = np.concatenate([found.xywh for found in tracks])
    np.savetxt(tmp_path / "boxes.txt", rows + [1, 0, 0, 0], delimiter=",")
    compared = emd.evaluate_track(tracks, tmp_path / "boxes.txt")
    theirs = json.loads(program(compared.command, TRUTH=tmp_path / "boxes.txt"))
    for name in ("mean_overlap", "precision_20px", "success_50", "success_area"):
        assert theirs["targets"][0][name] == compared[name]
    assert all(theirs["targets"][0][name] == compared[name] for name in compared if name != "frames")
    assert 0.5 < compared.mean_overlap < 1
    assert compared["frames"] == 4 and "mean overlap" in repr(compared)


def test_progress_and_on_error_are_keywords_of_one_kind():
    for system in (people, flow, emd, scenes, actions, mesh, fovea.ops):
        things = [getattr(system, name) for name in system.__all__]
        methods = [getattr(thing, name) for thing in things if inspect.isclass(thing) for name in dir(thing)]
        for function in [*things, *methods]:
            if not inspect.isfunction(function) or function.__name__.startswith("_"):
                continue
            for parameter in inspect.signature(function).parameters.values():
                if parameter.name in ("progress", "on_error"):
                    assert parameter.kind is parameter.KEYWORD_ONLY, function
                    assert parameter.default == (False if parameter.name == "progress" else "raise")
    for system in (people, scenes):
        assert next(iter(inspect.signature(system.evaluate).parameters)) == "model"


def test_inputs_that_cannot_be_read_are_left_out_on_request(frames, tmp_path):
    (tmp_path / "bad.off").write_text("nothing")
    corners = np.float32([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    solid = corners, np.int32([[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])
    segmenter = mesh.Segmenter(2, **CPU)
    with pytest.warns(RuntimeWarning, match=r"bad\.off"):
        found = list(segmenter.segment_all([solid, tmp_path / "bad.off", solid], on_error="warn"))
    assert len(found) == 2 and found[0] == found[1]
    with pytest.raises(fovea.FormatError, match=r"bad\.off"):
        list(segmenter.segment_all([solid, tmp_path / "bad.off"]))
    for call in (segmenter.segment_all, scenes.Classifier(**CPU).classify_all):
        with pytest.raises(fovea.InvalidArgument, match="on_error is 'ignore'; expected 'raise', 'warn' or 'skip'"):
            call([], on_error="ignore")
