"""Actions: the program's points, events, models and evaluations, and videos whose actions are known."""

from __future__ import annotations

import json
import pickle
import signal
import threading
import warnings

import numpy as np
import pytest

import fovea

NAMES = ("across", "grow", "up")


def swing_frame(action, subject, frame):
    """A textured square that swings across, grows and shrinks, or swings up and down; with -1 it rests."""
    swing = 0.0 if action < 0 else np.sin(0.55 * frame + 0.9 * subject)
    x0 = 36 + subject % 3 + (16 * swing if action == 0 else 0)
    y0 = 28 - subject % 2 + (12 * swing if action == 2 else 0)
    half = 9 + (4 * swing if action == 1 else 0)
    y, x = np.mgrid[:56, :72]
    inside = (abs(x - x0) < half) & (abs(y - y0) < half)
    even = (np.floor((x - x0) / 4) + np.floor((y - y0) / 4)) % 2 == 0
    noise = np.random.default_rng((subject, frame)).integers(0, 4, (56, 72))
    return (np.where(inside, np.where(even, 230, 170 + 5 * subject), 60 + (x + y) // 4) + noise).astype(np.uint8)


def swings(actions, subject, each=36):
    """Actions one after another, by one subject."""
    return np.stack([swing_frame(actions[i // each], subject, i) for i in range(each * len(actions))])


def write_y4m(path, frames, rate="25:1"):
    height, width = frames.shape[1:]
    header = f"YUV4MPEG2 W{width} H{height} F{rate} Ip A1:1 Cmono\n".encode()
    path.write_bytes(header + b"".join(b"FRAME\n" + frame.tobytes() for frame in frames))


def write_corpus(folder, names, subjects, each):
    """A folder per action, and in it a video per subject."""
    for action, name in enumerate(names):
        (folder / name).mkdir()
        for subject in range(subjects):
            write_y4m(folder / name / f"s{subject}_swing.y4m", swings([action], subject, each))
    return folder


hypothesis = pytest.importorskip("hypothesis")
from hypothesis import strategies as st  # noqa: E402
from hypothesis.extra import numpy as hnp  # noqa: E402


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    return write_corpus(tmp_path_factory.mktemp("clips"), NAMES, 2, 36)


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """Two actions by two subjects."""
    return write_corpus(tmp_path_factory.mktemp("small"), NAMES[:2], 2, 24)


@pytest.fixture(scope="module")
def model(corpus):
    return fovea.actions.train(corpus, device="cpu")


@pytest.fixture(scope="module")
def model_file(model, tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "swings.safetensors"
    model.save(path)
    return path


@pytest.fixture(scope="module")
def day():
    return swings([0, 2, 1], 5, 40)


@pytest.fixture(scope="module")
def day_file(day, tmp_path_factory):
    path = tmp_path_factory.mktemp("day") / "day.y4m"
    write_y4m(path, day, "50:1")
    return path


@pytest.fixture(scope="module")
def seen(model_file, day_file):
    return fovea.actions.recognize(day_file, model_file, reject=1.1, device="cpu")


def test_the_program_recognizes_the_same_events(seen, program):
    theirs = [json.loads(line) for line in program(seen.command).splitlines()]
    assert len(theirs) == len(seen) >= 3
    for event, line in zip(seen, theirs):
        assert np.float32(line.pop("box")).tolist() == np.float32(event.xywh).tolist()
        assert {name: getattr(event, name) for name in line} == line


def test_actions_are_recognized_in_their_order(seen):
    truth = ("across", "up", "grow")
    for event in seen:
        assert event.name == truth[(event.first_frame + event.last_frame) // 80]
        assert event.name == seen.classes[event.label] and 0 <= event.score <= 1
        assert event.start_seconds == event.first_frame / 50  # the rate of the file
        assert event.path.dtype == np.int32 and event.path.shape[1] == 2
        frames = event.path[:, 0]
        assert frames[0] == event.first_frame and frames[-1] == event.last_frame and (np.diff(frames) > 0).all()
    assert seen.frames == 120 and seen.frame_rate == 50 and len(seen.timeline()) > 500
    assert seen.timeline().startswith("<svg") and seen._repr_html_() == seen.timeline()


def test_a_film_and_its_frames_are_the_same(seen, model_file, day, day_file, tmp_path):
    """Where frames come from is no part of what was found in them."""
    actions, own = fovea.actions, {"reject": 1.1, "device": "cpu"}
    for same in (fovea.read_video(day_file), fovea.read_video(day_file, color="gray"), (frame.image for frame in fovea.read_video(day_file))):
        rate = {} if isinstance(same, fovea.files.Video) else {"frame_rate": 50.0}
        assert actions.recognize(same, model_file, **rate, **own) == seen
    assert actions.recognize(day, model_file, frame_rate=50.0, **own) == seen and "day.y4m" in seen.command
    points = actions.points(day_file, device="cpu")
    assert actions.points(fovea.read_video(day_file), device="cpu") == points
    points.found_with = ""
    assert actions.points(fovea.read_video(day_file), device="cpu") == points
    clip = actions.classify(day_file, model_file, first=40, frames=40, device="cpu")
    assert actions.classify(day_file, model_file, first=40, frames=40, device="cpu") == clip and clip.file == str(day_file)
    write_y4m(tmp_path / "part.y4m", day[40:80], "50:1")
    part = actions.classify(tmp_path / "part.y4m", model_file, device="cpu")
    assert part == actions.classify(fovea.read_video(tmp_path / "part.y4m"), model_file, device="cpu")


def test_pushing_streaming_and_files_are_the_same(seen, model, day, tmp_path):
    recognizer = fovea.actions.Recognizer(model, reject=1.1, frame_rate=50.0, device="cpu")
    recognizer.push(day[9])
    recognizer.finish()  # the next frame begins another video
    pushed = []
    bad = (None, day[0] / 256, day[0][:50], day[0][:0], day[0].astype(complex), np.zeros((56, 72, 4), np.uint8), b"frame")
    for i, frame in enumerate(day):
        if i in (1, 80):  # neither frames that are refused nor a stream disturb what was pushed
            for refused in bad:
                with pytest.raises(fovea.InvalidArgument, match="frame") as caught:
                    recognizer.push(refused)
                assert "\n" not in str(caught.value)
            list(recognizer.stream(day[:10]))
        pushed += recognizer.push(frame)
    assert recognizer.frames == len(day) and recognizer.settled_frames <= len(day)
    assert set(recognizer.class_distances) == set(NAMES)
    pushed += recognizer.finish()
    assert pushed == list(seen) and recognizer.frames == 0 and recognizer.finish() == []
    recognizer.push(day[9])
    other = recognizer.another()  # begins a video of its own
    assert other.options == recognizer.options and other.frames == 0 and list(other.stream(iter(day))) == list(seen)
    recognizer.finish()
    assert pushed[0].provenance["model_hash"] == seen.provenance["model_hash"]
    assert "VIDEO --model MODEL.safetensors" in pushed[0].command
    assert list(recognizer.stream(iter(day))) == list(seen)
    for i, frame in enumerate(day[:40]):
        fovea.write_image(tmp_path / f"{i:04}.png", frame)
    assert list(recognizer.stream(tmp_path)) == list(recognizer.stream(np.repeat(day[:40, :, :, None], 3, axis=3)))


@pytest.mark.parametrize("tint", [(1.0, 0.7, 0.4), (0.3, 0.8, 1.0)])
def test_a_color_video_its_frames_and_its_images_give_the_same(model, day, tmp_path, tint):
    """Gray frames of a video are the gray of its frames in color."""
    chroma = np.sin(np.arange(72) / 3)[:, None] * [12, -9, 20]
    colored = [(frame[:, :, None] * np.array(tint) + chroma).clip(0, 255).astype(np.uint8) for frame in day[:60]]
    path = tmp_path / "day.y4m"
    fovea.write_video(path, colored, fps=25)
    with fovea.read_video(path) as video:
        rgb = [frame.image for frame in video]
    with fovea.read_video(path, color="gray") as video:
        gray = [frame.image for frame in video]
    fovea.write_video(tmp_path / "images_%03d.png", rgb)
    for frame, shown in zip(gray, rgb):
        red, green, blue = (shown[:, :, c].astype(int) for c in range(3))
        assert np.array_equal(frame, (299 * red + 587 * green + 114 * blue + 500) // 1000)
    sources = [lambda: fovea.read_video(path), lambda: rgb, lambda: gray, lambda: tmp_path / "images_*.png"]
    points, recognizer = fovea.actions.points(path, device="cpu"), fovea.actions.Recognizer(model, reject=1.1, device="cpu")
    events = list(recognizer.recognize(path))
    assert len(points) > 20 and events
    for source in sources:
        other = fovea.actions.points(source(), device="cpu")
        assert np.array_equal(other.x, points.x) and np.array_equal(other.descriptors, points.descriptors)
        assert list(recognizer.recognize(source())) == events


def test_a_recognizer_in_the_middle_of_a_video_is_not_pickled(model, day):
    recognizer = fovea.actions.Recognizer(model, patience=9, device="cpu")
    assert pickle.loads(pickle.dumps(recognizer)).options["patience"] == 9
    recognizer.push(day[0])
    with pytest.raises(ValueError, match="finish"):
        pickle.dumps(recognizer)


def test_a_video_that_breaks_off_gives_what_was_seen(model, day, day_file, tmp_path):
    whole = day_file.read_bytes()
    (tmp_path / "broken.y4m").write_bytes(whole[: len(whole) * 6 // 10])
    recognizer = fovea.actions.Recognizer(model, reject=1.1, device="cpu")
    events, reports = [], []
    with pytest.raises(fovea.FormatError, match="broken.y4m"):
        for event in recognizer.stream(tmp_path / "broken.y4m", progress=lambda *report: reports.append(report)):
            events.append(event)
    assert events and events[0].name == "across" and reports[-1][0] == "frames"
    (tmp_path / "empty.y4m").write_bytes(b"YUV4MPEG2 W72 H56 F25:1 Cmono\n")
    for call in (recognizer.recognize, fovea.actions.points):
        with pytest.raises(fovea.Error, match="empty.y4m|frame"):
            call(tmp_path / "empty.y4m")
        with pytest.raises(fovea.FormatError, match="no frames"):
            call([])


def test_an_interrupted_call_has_taken_its_frame(model):
    recognizer = fovea.actions.Recognizer(model, device="cpu")
    frame = np.random.default_rng(2).integers(0, 255, (360, 480), dtype=np.uint8)
    timer = threading.Timer(0.03, signal.raise_signal, [signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        for _ in range(100):
            recognizer.push(frame)
    timer.join()
    taken = recognizer.frames
    assert taken >= 1
    recognizer.push(frame)
    assert recognizer.frames == taken + 1


def test_threads_share_a_recognizer(model, day):
    recognizer = fovea.actions.Recognizer(model, device="cpu")
    threads = [threading.Thread(target=lambda: [recognizer.push(frame) for frame in day[:12]]) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert recognizer.frames == 36


def test_results_say_where_they_come_from(seen, model_file, day):
    assert seen.provenance["model"] == str(model_file) and len(seen.provenance["model_hash"]) == 64
    assert seen[0].options["reject"] == 1.1 and seen[0].provenance["device"] == "cpu"
    assert "\n" not in repr(seen) and "\n" not in repr(seen[0]) and len(seen[:2]) == 2
    assert pickle.loads(pickle.dumps(seen)) == seen and pickle.loads(pickle.dumps(seen[0])) == seen[0]
    event = seen[0]
    drawn = seen.draw(day[event.first_frame], event.first_frame)
    assert drawn.shape == (56, 72, 3) and (drawn != day[event.first_frame][..., None]).any()


def test_tables(seen):
    pandas = pytest.importorskip("pandas")
    frame = seen.to_pandas()
    assert isinstance(frame, pandas.DataFrame) and len(frame) == len(seen) and frame["name"][0] == seen[0].name
    pyarrow = pytest.importorskip("pyarrow")
    assert pyarrow.table(seen)["last_frame"].to_pylist() == [event.last_frame for event in seen]


@pytest.mark.parametrize(
    "options",
    [{}, {"detector": "periodic", "most_per_frame": 2}, {"descriptors": False, "harris_threshold": 1e-8}],
)
def test_the_program_finds_the_same_points(day, options, tmp_path, program):
    day, path = day[:40], tmp_path / "short.y4m"
    write_y4m(path, day)
    found = fovea.actions.points(path, device="cpu", **options)
    program(found.command, **{"POINTS.txt": tmp_path / "theirs.txt"})
    found.save(tmp_path / "ours.txt")
    assert len(found) > 10 and (tmp_path / "ours.txt").read_bytes() == (tmp_path / "theirs.txt").read_bytes()
    again = fovea.actions.points(day, device="cpu", threads=1, **options)
    assert np.array_equal(again.positions, found.positions) and np.array_equal(again.descriptors, found.descriptors)


def test_points_are_arrays(day, tmp_path):
    found = fovea.actions.points(day[:40], device="cpu")
    count = len(found)
    assert found.positions.shape == (count, 3) and found.scales.shape == (count, 2)
    assert found.hog.shape == (count, 72) and found.hof.shape == (count, 90)
    assert np.allclose(found.hog.reshape(count, 18, 4).sum(axis=2), 1, atol=1e-5)  # each cell sums to 1
    assert np.allclose(found.hof.reshape(count, 18, 5).sum(axis=2), 1, atol=1e-5)
    assert found.size == (72, 56) and found.frames == 40 and found.frame_rate == 25
    assert ((found.x >= 0) & (found.x < 72) & (found.y >= 0) & (found.y < 56)).all()
    assert (np.diff(found.frame) >= 0).all()
    assert np.asarray(found).shape == (count, 3) and pickle.loads(pickle.dumps(found)) == found
    middle = int(found.frame[count // 2])
    assert (found.draw(day[middle], middle) != day[middle][..., None]).any()
    found.save(tmp_path / "points.txt")
    again = fovea.actions.read_points(tmp_path / "points.txt")
    assert np.array_equal(again.frame, found.frame) and np.allclose(again.positions, found.positions, atol=1e-2)
    assert len(fovea.actions.points(np.full((40, 56, 72), 9, np.uint8), device="cpu")) == 0  # nothing moves
    reports = []
    fovea.actions.points(day[:9], device="cpu", progress=lambda *report: reports.append(report))
    assert reports[-1] == ("frames", 9, 9)


@pytest.mark.parametrize(
    "options", [{"paper": True, "cut_first": True}, {"fusion": 0.5, "fusion_points": 20, "seed": 3}]
)
def test_the_program_trains_the_same_model(small, options, tmp_path, program):
    ours = fovea.actions.train(small, device="cpu", nodes=10, prototypes=6, **options)
    program(ours.command, **{"MODEL.safetensors": tmp_path / "theirs.safetensors"})
    ours.save(tmp_path / "ours.safetensors")
    assert (tmp_path / "ours.safetensors").read_bytes() == (tmp_path / "theirs.safetensors").read_bytes()


def test_training_takes_arrays_points_and_files(small):
    labels, subjects = ["across", "across", "grow", "grow"], ["s0", "s1", "s0", "s1"]
    clips = [swings([0], 0, 24), *(small / name / f"{who}_swing.y4m" for name, who in zip(labels[1:3], subjects[1:3]))]
    found = {"harris_threshold": 1e-11, "harris_space_weight": 1.0, "votes": "magnitude", "device": "cpu"}
    clips.append(fovea.actions.points(swings([1], 1, 24), **found))
    model = fovea.actions.train(small, device="cpu", nodes=10)
    assert fovea.actions.train(clips, labels, subjects, device="cpu", nodes=10) == model
    again = pickle.loads(pickle.dumps(model))
    assert again == model and again.command == model.command and again.prototypes == model.prototypes
    assert model.facts["clips"] == "4" and model.options["nodes"] == 10 and model.classes == ["across", "grow"]


@pytest.mark.parametrize("options", [{"baselines": False}, {"choose": False, "test_subjects": ["s1"], "best": 2}])
def test_the_program_evaluates_alike(small, options, program):
    ours = fovea.actions.cross_validate(small, device="cpu", nodes=10, **options)
    theirs = json.loads(program(ours.command))
    assert theirs["clips"] == ours.clips == 4 and theirs["folds"] == ours.folds and theirs["chosen"] == ours.chosen
    assert len(theirs["methods"]) == len(ours.methods) and len(theirs["recipes"]) == len(ours.recipes)
    for mine, other in zip(ours.methods, theirs["methods"]):
        assert mine.confusion.tolist() == other.pop("confusion_matrix") and other.pop("seconds") >= 0
        assert {name: getattr(mine, name) for name in other} == other
    assert 0 <= ours.accuracy <= 1 and ours.confusion.shape == (2, 2) and "\n" not in repr(ours)
    again = pickle.loads(pickle.dumps(ours))
    assert again == ours and list(ours.columns())[:3] == ["method", "correct", "tested"]


def test_clips_that_cannot_be_read(small, tmp_path):
    lines = [f'"{small}/{name}/s{i}_swing.y4m" {name} s{i}' for name in NAMES[:2] for i in range(2)]
    (tmp_path / "bad.y4m").write_bytes(b"no video")
    (tmp_path / "clips.txt").write_text("\n".join([*lines, "bad.y4m grow s9"]))
    with pytest.raises(fovea.FormatError, match="bad.y4m"):
        fovea.actions.train(tmp_path / "clips.txt", device="cpu")
    with pytest.warns(RuntimeWarning, match="bad.y4m"):
        model = fovea.actions.train(tmp_path / "clips.txt", device="cpu", nodes=10, on_error="skip")
    assert len(model.failed) == 1 and model.facts["clips"] == "4"
    with warnings.catch_warnings(), pytest.raises(fovea.FormatError, match="none of the clips"):
        warnings.simplefilter("error")
        fovea.actions.train([tmp_path / "bad.y4m"] * 2, ["a", "b"], device="cpu", on_error="skip")


def test_progress_is_reported_and_may_stop_the_training(small):
    stages = set()
    fovea.actions.train(small, device="cpu", nodes=10, progress=lambda stage, done, total: stages.add(stage))
    assert "points" in stages

    def refuse(*report):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fovea.actions.train(small, device="cpu", nodes=10, progress=refuse)


def test_the_shipped_model():
    model = fovea.actions.load_model("weizmann")
    assert "walk" in model.classes and len(model.prototypes) > 100 and len(model.hash) == 64
    assert fovea.actions.Recognizer("weizmann", device="cpu").latency > 0
    with pytest.raises(fovea.ModelError):
        fovea.actions.load_model(fovea.files.model_path("scenes/sun8"))
    with pytest.raises(fovea.IoError, match="shipped"):
        fovea.actions.load_model("no-such-model")


def test_bad_input_is_refused_in_one_sentence(day, model, tmp_path):
    points = fovea.actions.points(day[:40], device="cpu")
    torn, short, late = (pickle.loads(pickle.dumps(points)) for _ in range(3))
    torn.x[0] = np.nan
    short.y = short.y[:-1]
    late.frame[0] = 40
    wrong = pickle.loads(pickle.dumps(points))
    wrong.descriptors = wrong.descriptors[:, :100].copy()
    pair = [day[:4], day[:4]]
    for call, kind, words in (
        (lambda: fovea.actions.recognize(None, model), TypeError, "frames is None"),
        (lambda: fovea.actions.recognize(3, model), TypeError, "frames is 3"),
        (lambda: fovea.actions.recognize([None], model), TypeError, "frame is None"),
        (lambda: fovea.actions.recognize(day / np.float32(256), model), ValueError, "frame is float32"),
        (lambda: fovea.actions.recognize([day[0], day[0][:40]], model), ValueError, "72x40; expected 72x56"),
        (lambda: fovea.actions.recognize("no/such.y4m", model), OSError, "no/such.y4m"),
        (lambda: fovea.actions.Recognizer(model, patiense=3), TypeError, "did you mean 'patience'"),
        (lambda: fovea.actions.Recognizer(model, reject=-1.0), ValueError, "reject"),
        (lambda: fovea.actions.points(None), TypeError, "frames is None"),
        (lambda: fovea.actions.points(day, detector="best"), ValueError, "harris or periodic"),
        (lambda: fovea.actions.points(b"frames"), TypeError, "frames is b'frames'"),
        (lambda: torn.save(tmp_path / "a.txt"), ValueError, "x has nan"),
        (lambda: short.save(tmp_path / "a.txt"), ValueError, "one length"),
        (lambda: late.save(tmp_path / "a.txt"), ValueError, "frame 40"),
        (lambda: wrong.save(tmp_path / "a.txt"), ValueError, "descriptors is float32 of shape"),
        (lambda: points.draw(None, 0), TypeError, "image is None"),
        (lambda: fovea.actions.read_points(tmp_path / "none.txt"), OSError, "none.txt"),
        (lambda: fovea.actions.train(None), TypeError, "clips is of type NoneType"),
        (lambda: fovea.actions.train(tmp_path / "none"), fovea.Error, "none"),
        (lambda: fovea.actions.train(pair), ValueError, "labels is None"),
        (lambda: fovea.actions.train(pair, ["a"]), ValueError, "labels has 1 elements for 2 clips"),
        (lambda: fovea.actions.train(pair, "ab"), TypeError, "labels is 'ab'"),
        (lambda: fovea.actions.train(pair, ["a", "a"]), ValueError, "class"),
        (lambda: fovea.actions.train([], []), ValueError, "class"),
        (lambda: fovea.actions.train(tmp_path, ["a"]), ValueError, "labels and subjects belong"),
        (lambda: fovea.actions.train(pair, ["a", "b"], on_error="stop"), ValueError, "'raise', 'warn' or 'skip'"),
        (lambda: fovea.actions.cross_validate(pair, ["a", "b"], test_subjects=["x"]), ValueError, "no subject x"),
        (lambda: fovea.actions.cross_validate(pair, ["a", "b"], test_subjects="x"), TypeError, "test_subjects"),
        (lambda: fovea.actions.cross_validate(pair, ["a", "b"], nods=3), TypeError, "did you mean 'nodes'"),
    ):
        with pytest.raises(kind, match=words) as caught:
            call()
        assert isinstance(caught.value, fovea.Error) and "\n" not in str(caught.value)


@hypothesis.settings(max_examples=40, deadline=None)
@hypothesis.given(hnp.arrays(hnp.scalar_dtypes() | st.just(np.dtype(np.uint8)), hnp.array_shapes(max_dims=4)))
def test_no_frame_crashes(frame):
    for call in (fovea.actions.Recognizer("weizmann", device="cpu").push, lambda array: fovea.actions.points(array)):
        try:
            call(frame)
        except fovea.Error as error:
            assert "\n" not in str(error)


def energy_of(match):
    nodes = sum(node["appearance"] + node["dummy"] for node in match["nodes"])
    return nodes + sum(triangle["time"] + triangle["angles"] for triangle in match["triangles"])


def test_clips_are_explained(model, corpus):
    classifier = fovea.actions.Classifier(model, device="cpu")
    path = corpus / "up" / "s0_swing.y4m"
    clip, why = classifier.classify(path), classifier.explain(path)
    assert why.name == clip.name and why.classes[0][0] == clip.nearest
    assert why.match["prototype"] == clip.prototype
    assert energy_of(why.match) == pytest.approx(why.match["energy"], abs=1e-3)
    if why.fusion:
        assert sum(part[-1] for part in why.fusion) == pytest.approx(clip.margin)
    same = classifier.explain(swings([2], 0))
    assert same.summary == why.summary


def test_events_are_explained(model_file, day_file, seen):
    assert seen[0].explanation is None
    events = fovea.actions.recognize(day_file, model_file, reject=1.1, device="cpu", explain=True)
    assert [event.distance for event in events] == [event.distance for event in seen]
    for event in events:
        match = event.explanation.match
        assert energy_of(match) == pytest.approx(match["energy"], abs=1e-3)
        assert match["distance"] == pytest.approx(event.distance)


def test_matches_are_explained(corpus):
    found = fovea.actions.match(corpus / "up" / "s0_swing.y4m", corpus / "up" / "s1_swing.y4m", device="cpu")
    assert energy_of(found.explain().match) == pytest.approx(found.energy, abs=1e-3)
