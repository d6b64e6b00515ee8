"""Actions of whole clips, points in place of videos, streams and matches: what the program gives, and closed forms."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pytest
from test_actions import NAMES, swings, write_corpus, write_y4m

import fovea
from fovea import actions

CPU = {"device": "cpu"}
FOUND = {"harris_threshold": 1e-11, "harris_space_weight": 1.0, "votes": "magnitude", **CPU}  # as training finds them


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    return write_corpus(tmp_path_factory.mktemp("clips"), NAMES, 3, 30)


@pytest.fixture(scope="module")
def model_file(corpus, tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "swings.safetensors"
    actions.train(corpus, nodes=10, **CPU).save(path)
    return path


@pytest.fixture(scope="module")
def stranger(tmp_path_factory):
    """A clip by somebody who was not trained on."""
    path = tmp_path_factory.mktemp("stranger") / "up.y4m"
    write_y4m(path, swings([2], 5, 30))
    return path


def of_json(value):
    """A number of JSON, which has no word for infinity."""
    return np.inf if value is None else value


def test_the_program_classifies_alike(model_file, stranger, corpus, program):
    for options in ({}, {"reject": 0.0}, {"reject": 0.01}):
        classifier = actions.Classifier(model_file, **options, **CPU)
        for clip in (stranger, corpus / "across" / "s1_swing.y4m"):
            ours = classifier.classify(clip)
            theirs = json.loads(program(ours.command))["results"][0]
            for name in ("name", "label", "nearest", "runner_up", "score", "distance", "prototype"):
                assert theirs[name] == getattr(ours, name), name
            assert theirs["margin"] == ours.margin and theirs["probability"] == ours.probability
            assert ours.probability == pytest.approx(np.exp(-ours.distances[ours.nearest]))
            assert {name: of_json(value) for name, value in theirs["distances"].items()} == ours.distances
            assert ours.rejected == (ours.name == "none") and list(ours.distances) == classifier.classes
            assert ours.rejected == (ours.score < 0 and options.get("reject") != 0)
            assert pickle.loads(pickle.dumps(ours)) == ours and "\n" not in repr(ours)
            rejected = f"none: too far from {ours.nearest}, the nearest of the known actions (probability "
            assert repr(ours).startswith(rejected if ours.rejected else f"{ours.name}, probability ")
    assert actions.classify(stranger, model_file, reject=0.0, **CPU).name == "up"


def test_a_part_of_a_file(model_file, tmp_path, program):
    write_y4m(tmp_path / "long.y4m", swings([0, 2], 5, 30))
    classifier = actions.Classifier(model_file, reject=0.0, cut_first=True, **CPU)
    for first, name in ((0, "across"), (30, "up")):
        part = classifier.classify(tmp_path / "long.y4m", first=first, frames=30)
        theirs = json.loads(program(part.command))["results"][0]
        assert part.name == name == theirs["name"] and part.distance == theirs["distance"] and part.first == first


def test_clips_are_files_arrays_and_points(model_file, stranger, tmp_path):
    classifier = actions.Classifier(model_file, **CPU)
    frames = swings([2], 5, 30)
    found = actions.points(frames, **FOUND)
    actions.write_points(tmp_path / "up.txt", found)
    assert actions.is_points_file(tmp_path / "up.txt") and not actions.is_points_file(stranger)
    expected = classifier.classify(stranger)
    for clip in (frames, np.repeat(frames[..., None], 3, axis=3), iter(frames), found):
        assert classifier.classify(clip).distances == expected.distances
    of_file = classifier.classify(tmp_path / "up.txt")  # numbers in the text are rounded
    assert of_file.name == expected.name and of_file.distance == pytest.approx(expected.distance, rel=1e-3)
    several = list(classifier.classify_all([stranger, frames, found]))
    assert [one.distances for one in several] == [expected.distances] * 3
    (tmp_path / "bad.y4m").write_bytes(b"no video")
    with pytest.raises(fovea.FormatError, match="bad.y4m"):
        list(classifier.classify_all([stranger, tmp_path / "bad.y4m"]))
    with pytest.warns(RuntimeWarning, match="bad.y4m"):
        assert len(list(classifier.classify_all([tmp_path / "bad.y4m", stranger], on_error="warn"))) == 1
    assert pickle.loads(pickle.dumps(classifier)).classify(stranger) == expected


def test_the_program_counts_the_same_clips(model_file, corpus, program):
    ours = actions.evaluate(model_file, corpus, **CPU)
    theirs = json.loads(program(ours.command))["results"]
    assert [one["name"] for one in theirs] == [found.name for found in ours.results]
    assert [one["truth"] for one in theirs] == ours.truth and ours.tested == 9
    assert ours.correct == sum(one["name"] == one["truth"] for one in theirs) == ours.confusion[:, :3].trace()
    assert ours.confusion.sum() == 9 and 0 <= ours.low <= ours.accuracy <= ours.high <= 1
    assert len(ours.columns()["margin"]) == 9 and pickle.loads(pickle.dumps(ours)) == ours
    again = actions.evaluate(model_file, [found.file for found in ours.results], ours.truth, **CPU)
    assert [one.distances for one in again.results] == [one.distances for one in ours.results]


def test_several_points_per_frame(corpus, stranger, tmp_path, program):
    for variant in ("chains", "greedy"):
        several = {"nodes": 10, "model_points": 2, "variant": variant, "scene_points": 2, **CPU}
        ours = actions.train(corpus, **several)
        program(ours.command, **{"MODEL.safetensors": tmp_path / "theirs.safetensors"})
        ours.save(tmp_path / "ours.safetensors")
        assert (tmp_path / "ours.safetensors").read_bytes() == (tmp_path / "theirs.safetensors").read_bytes()
        assert actions.classify(stranger, ours, reject=0.0, **CPU).name == "up"


def test_the_reject_rule_is_part_of_the_model(model_file):
    rule = actions.load_model(model_file).reject_rule
    assert len(rule.weights) == 4 and np.isfinite([*rule.weights, rule.limit]).all() and isinstance(rule.singles, bool)


def test_late_fusion_is_part_of_the_model(model_file, corpus):
    fusion = actions.load_model(model_file).late_fusion
    assert len(fusion.weights) == 4 and min(fusion.weights) >= 0 and 1 <= fusion.words <= 400
    assert actions.train(corpus, late_fusion=False, nodes=8, **CPU).late_fusion is None


def test_unknown_actions(tmp_path, program):
    folder = write_corpus(tmp_path, ("across", "grow"), 3, 24)
    for name, action in (("still", 2), ("up", 2)):
        (folder / name).mkdir()
        for subject in range(3):
            frames = swings([action], subject, 24)
            write_y4m(folder / name / f"s{subject}_x.y4m", frames if name == "up" else frames[:, ::-1].copy())
    ours = actions.cross_validate(folder, unknown=True, choose=False, baselines=False, nodes=8, **CPU)
    theirs = json.loads(program(ours.command))["unknown_actions"]
    curve = [[point["known_kept"], point["unknown_kept"]] for point in theirs.pop("curve")]
    assert ours.unknown.curve.tolist() == curve
    assert {name: ours.unknown[name] for name in theirs} == theirs and "\n" not in repr(ours.unknown)


def test_curves_over_windows_and_subjects(corpus, program):
    ours = actions.cross_validate(corpus, choose=False, baselines=False, nodes=10, windows=[3, 10], draws=2, **CPU)
    theirs = json.loads(program(ours.command))
    for key, unit, curve in (("window", "window", ours.window_curve), ("subjects", "subjects", ours.subject_curve)):
        points = theirs[f"accuracy_against_{key}"]
        assert [(one[unit], one["correct"], one["tested"]) for one in points] == [point[:3] for point in curve]
    assert [point.at for point in ours.window_curve] == [3, 10] and ours.window_curve[1].tested == 9
    assert ours.window_curve[1].correct == ours.methods[0].correct  # 10 is the usual window
    assert [point[0::2] for point in ours.subject_curve] == [(1, 18), (2, 18)]
    plain = actions.cross_validate(corpus, choose=False, baselines=False, nodes=10, **CPU)
    assert plain.window_curve == plain.subject_curve == []
    with pytest.raises(fovea.InvalidArgument, match="windows"):
        actions.cross_validate(corpus, windows=[-1], **CPU)


def test_a_split_with_validation_subjects(corpus, program):
    parts = {"test_subjects": ["s0"], "validation_subjects": ["s1"]}
    ours = actions.cross_validate(corpus, choose=False, baselines=False, nodes=10, **parts, **CPU)
    theirs = json.loads(program(ours.command))
    assert theirs["methods"][0]["correct"] == ours.methods[0].correct and ours.methods[0].tested == 3
    for wrong, words in (
        ({"test_subjects": ["s0"], "validation_subjects": ["s0"]}, "also tested"),
        ({"validation_subjects": ["s0"]}, "needs test_subjects"),
        ({"test_subjects": ["s0", "s1", "s2"]}, "0 clips to train on"),
        ({"partial": True}, "partial belongs to kth"),
        ({"kth": "00sequences.txt", "test_subjects": ["s0"]}, "of its own"),
    ):
        with pytest.raises(fovea.InvalidArgument, match=words):
            actions.cross_validate(corpus, choose=False, baselines=False, **wrong, **CPU)


def test_a_part_of_kth(tmp_path, program):
    """Drawn clips under the names of KTH: people 11 train, 19 validate and 2 are tested."""
    lines = []
    for action, name in enumerate(("boxing", "walking")):
        (tmp_path / name).mkdir()
        for person in (11, 12, 19, 2):
            write_y4m(tmp_path / name / f"person{person:02}_{name}_d1_uncomp.y4m", swings([action], person, 24))
            lines.append(f"person{person:02}_{name}_d1\t\tframes\t1-24")
    parts = ("Training: person11, 12", "Validation: person19", "Test: person02")
    (tmp_path / "00sequences.txt").write_text("\n".join([*parts, *lines]) + "\n")
    for path in tmp_path.glob("*/*.y4m"):
        path.rename(path.with_suffix(".avi"))  # files are told by their content
    options = {"kth": tmp_path / "00sequences.txt", "partial": True, "choose": False, "baselines": False, "nodes": 8}
    (tmp_path / "boxing" / "person12_boxing_d1_uncomp.avi").unlink()
    ours = actions.cross_validate(tmp_path, **options, **CPU)
    theirs = json.loads(program(ours.command))
    assert ours.missing == ["person12_boxing_d1"] == theirs["left_out"]["videos"]
    assert theirs["clips"] == ours.clips == 7 and ours.methods[0].tested == 2
    assert theirs["methods"][0]["correct"] == ours.methods[0].correct
    with pytest.raises(fovea.FormatError):
        actions.cross_validate(tmp_path, **{**options, "partial": False}, **CPU)


@pytest.mark.parametrize("options", [{"people": 2, "unknown": ["grow"]}, {"model": True, "test_subjects": ["s1"]}])
def test_the_program_evaluates_streams_alike(corpus, model_file, options, program):
    if "model" in options:
        options = {**options, "model": model_file}
    ours = actions.evaluate_stream(corpus, nodes=10, gap=12, overlaps=(0.5, 0.2), rejects=(1.0, 2.0), **options, **CPU)
    theirs = json.loads(program(ours.command))
    assert theirs["frames"] == ours.frames and theirs["action_frames"] == ours.action_frames
    rows = iter(ours.points)
    for point in theirs["points"]:
        for overlap in point["overlaps"]:
            row, classes = next(rows), overlap.pop("classes")
            assert (row.reject, row.matches, row.overlap) == (point["reject"], point["matches"], overlap.pop("overlap"))
            assert row.counts._asdict() == overlap
            assert [{"name": name, **counts._asdict()} for name, counts in row.classes.items()] == classes
    assert len(ours.columns()["f1"]) == len(ours.points) == 4 and pickle.loads(pickle.dumps(ours)) == ours


def test_streams_are_made_of_files(corpus):
    clips = [swings([action], subject, 24) for action in (0, 1) for subject in range(2)]
    with pytest.raises(fovea.InvalidArgument, match="no files"):
        actions.evaluate_stream(clips, list("aabb"), list("1212"), nodes=8, **CPU)
    with pytest.raises(fovea.InvalidArgument, match="test_subjects needs a model"):
        actions.evaluate_stream(corpus, test_subjects=["s0"], **CPU)


@pytest.mark.parametrize(
    "options",
    [{}, {"model_points": 2, "variant": "chains", "scene_points": 2}, {"dummy_cost": 0.5, "mirror": False}],
)
def test_the_program_finds_the_same_match(corpus, stranger, options, tmp_path, program):
    example = corpus / "up" / "s0_swing.y4m"
    ours = actions.match(example, stranger, nodes=12, **options, **CPU)
    theirs = json.loads(program(f"{ours.command} --graph {tmp_path / 'graph.svg'} -o {tmp_path / 'match.png'}"))
    for name in ("energy", "appearance", "dummies", "time", "angles"):
        assert np.float32(theirs[name]) == np.float32(getattr(ours, name))
    assert theirs["mirrored"] == ours.mirrored and theirs["dummy_count"] == ours.dummy_count
    assert len(theirs["nodes"]) == len(ours)
    for i, node in enumerate(theirs["nodes"]):
        assert node.pop("dummy") == (ours.nodes["scene_point"][i] < 0)
        for name, value in node.items():
            expected = np.nan if value is None else value
            assert ours.nodes[name][i] == pytest.approx(expected, rel=1e-6, nan_ok=True), name
    assert ours.graph == (tmp_path / "graph.svg").read_text()
    assert np.array_equal(ours.draw(), fovea.read_image(tmp_path / "match.png"))
    again = pickle.loads(pickle.dumps(ours))
    assert again == ours and "\n" not in repr(ours) and ours._repr_png_()[:4] == b"\x89PNG"
    with pytest.raises(fovea.InvalidArgument, match="without its videos"):
        again.draw()


def test_points_match_like_their_videos(corpus, stranger):
    example = corpus / "up" / "s0_swing.y4m"
    ours = actions.match(example, stranger, nodes=12, **CPU)
    points = actions.match(actions.points(example, **FOUND), actions.points(stranger, **FOUND), nodes=12, **CPU)
    assert points.energy == ours.energy and points.columns()["scene_x"].tobytes() == ours.nodes["scene_x"].tobytes()
    assert points.draw().shape == ours.draw().shape


def test_files_of_points_are_drawn_as_the_program_draws_them(corpus, stranger, tmp_path, program):
    for name, video in (("a.txt", corpus / "up" / "s0_swing.y4m"), ("b.txt", stranger)):
        actions.write_points(tmp_path / name, actions.points(video, **FOUND))
    ours = actions.match(tmp_path / "a.txt", tmp_path / "b.txt", nodes=12, **CPU)
    program(f"{ours.command} -o {tmp_path / 'match.png'}")
    assert np.array_equal(ours.draw(), fovea.read_image(tmp_path / "match.png"))
    assert np.array_equal(ours.draw(), ours.draw())  # frames are made and mirrored once


def test_points_are_recognized_like_their_video(model_file, tmp_path, program):
    day = swings([0, 2], 5, 40)
    expected = list(actions.recognize(day, model_file, reject=2.0, **CPU))
    assert expected
    found = actions.points(day, **FOUND)
    plain = [{**event._values(), "latency_frames": 0, "path": event.path.tolist()} for event in expected]

    def same(events):
        events = [{**event._values(), "latency_frames": 0, "path": event.path.tolist()} for event in events]
        assert sorted(map(str, events)) == sorted(map(str, plain))

    same(actions.recognize(found, model_file, reject=2.0, **CPU))
    recognizer = actions.Recognizer(model_file, reject=2.0, **CPU)
    same(recognizer.push_points(found) + recognizer.finish())
    with pytest.raises(fovea.InvalidArgument):
        recognizer.push(day[0])
        recognizer.push_points(found)
    found.save(tmp_path / "day.txt")
    of_file = actions.recognize(tmp_path / "day.txt", model_file, reject=2.0, classify=True, **CPU)
    theirs = [json.loads(line) for line in program(of_file.command).splitlines()]
    assert [event["name"] for event in theirs] == [event.name for event in of_file] and of_file.frames == 80
    assert [event["place"] for event in theirs] == [event.place for event in of_file]


def test_two_people_are_kept_apart(model_file):
    """Two people side by side, far from each other, act at the same time."""
    one, other = swings([0], 4, 60), swings([1], 5, 60)
    wall = np.full((60, 56, 80), 60, np.uint8)
    events = actions.recognize(np.concatenate([one, wall, other], axis=2), model_file, reject=3.0, places=2, **CPU)
    left = [event for event in events if event.xywh[0] + event.xywh[2] / 2 < 112]
    right = [event for event in events if event not in left]
    assert {event.name for event in left} == {"across"} and {event.name for event in right} == {"grow"}
    assert left[0].place != right[0].place
    assert left[0].first_frame < right[0].last_frame and right[0].first_frame < left[0].last_frame


@pytest.mark.parametrize("options", [{}, {"most_per_frame": 1}, {"least_confidence": 1e-8, "descriptors": False}])
def test_the_program_converts_points_alike(options, tmp_path, program):
    actions.points(swings([0], 1, 20), **CPU).save(tmp_path / "all.txt")
    for target in ("kept.txt", "kept.csv"):
        kept = actions.convert_points(tmp_path / "all.txt", tmp_path / target, **options)
        program(kept.command, **{str(tmp_path / target): tmp_path / f"theirs.{target}"})
        assert (tmp_path / target).read_bytes() == (tmp_path / f"theirs.{target}").read_bytes()
        assert (len(kept.descriptors) == 0) == (options.get("descriptors") is False) and kept.detector == "harris"


def test_points_from_arrays(tmp_path):
    found = actions.points(swings([0], 1, 20), **CPU)
    about = {"size": found.size, "frames": found.frames}
    made = actions.make_points(
        found.positions, found.descriptors, scales=found.scales, confidence=found.confidence, **about
    )
    assert np.array_equal(made.descriptors, found.descriptors) and np.array_equal(made.positions, found.positions)
    assert made.detector is None and actions.make_points(found.positions, found.descriptors, **about).confidence[0] == 1
    for wrong, kind, words in (
        ({"frames": 5}, ValueError, "expected frames from 0 to 4"),
        ({"size": (3,)}, ValueError, "width and height"),
        ({"frame_rate": 0}, ValueError, "frame_rate"),
        ({"scales": np.ones((2, 2))}, TypeError, "scales is float64 of shape"),
        ({"confidence": ["x"]}, TypeError, "confidence"),
    ):
        with pytest.raises(kind, match=words):
            actions.make_points(found.positions, found.descriptors, **{**about, **wrong})
    with pytest.raises(TypeError, match="expected numbers of shape"):
        actions.make_points(found.positions, found.descriptors[:, :100], **about)


def test_points_that_do_not_fit_are_refused(model_file):
    frames = swings([0], 1, 20)
    bare, other = (actions.points(frames, **CPU, **more) for more in ({"descriptors": False}, {"detector": "periodic"}))
    for points, words in ((bare, "no descriptors"), (other, "periodic detector")):
        for call in (
            actions.Classifier(model_file, **CPU).classify,
            lambda points: actions.recognize(points, model_file, **CPU),
            lambda points: actions.match(points, points, **CPU),
        ):
            with pytest.raises(fovea.InvalidArgument, match=words):
                call(points)
