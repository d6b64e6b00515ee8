"""People: the program's models and measurements, from files and from arrays."""

from __future__ import annotations

import json
import pickle
import warnings
from typing import get_args

import numpy as np
import pytest
from conftest import draw_person

import fovea
from fovea import people
from fovea.people._train import Kind

LINEAR = {"linear_enlarge": 1, "linear_ratio": 1.3, "linear_random_windows": 8, "linear_hard_windows": 100}
SMALL = {
    "hog": {**LINEAR, "hog_bins": 6, "hog_color": False, "linear_cost": 0.05},
    "hog-cells": LINEAR,
    "hog-integral": {**LINEAR, "linear_mirror": False, "memory": "256M"},
    "cascade": {
        **{"cascade_stages": 2, "cascade_blocks_per_round": 5, "cascade_negatives": 60, "cascade_enlarge": 1},
        **{"cascade_ratio": 1.3, "cascade_ranking_windows": 40, "seed": 5},
    },
    "channels": {
        **{"channels_trees": 64, "channels_negatives_per_round": 40, "channels_most_negatives": 60},
        **{"channels_enlarge": 1, "channels_ratio": 1.3},
    },
    "filtered": {
        **{"filtered_trees": 64, "filtered_negatives_per_round": 40, "filtered_most_negatives": 60},
        **{"filtered_enlarge": 1, "filtered_ratio": 1.3, "filtered_feature_share": 0.02},
    },
}
BOXES = [[[left, 46, left + 42, 150]] for left in (24, 44, 64, 19)]
WIDE = {"ratio": 1.3, "draws": 20, "device": "cpu"}


def noise(height: int, width: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(120, 180, (height, width, 3), dtype=np.uint8)


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """Folders: crops with someone in the middle, scenes without people, and streets with annotated people, the last of
    whom is not where the annotation says."""
    folder = tmp_path_factory.mktemp("people")
    for name in ("crops", "scenes", "streets", "boxes"):
        (folder / name).mkdir()
    for i in range(10):
        crop = noise(144, 80, i)
        draw_person(crop, 40, 124, 104)
        fovea.write_image(folder / "crops" / f"{i}.png", crop)
    for i in range(3):
        fovea.write_image(folder / "scenes" / f"{i}.png", noise(170, 160, 100 + i))
    for i in range(4):
        street = noise(176, 160, 200 + i)
        x = 45 + 20 * i
        draw_person(street, x, 150, 104)
        fovea.write_image(folder / "streets" / f"street{i}.png", street)
        x = x if i < 3 else 40  # where nobody is drawn
        box = f"({x - 21}, 46) - ({x + 20}, 149)"
        (folder / "boxes" / f"street{i}.txt").write_text(
            f'# PASCAL Annotation Version 1.00\nImage filename : "x/street{i}.png"\n'
            'Image size (X x Y x C) : 160 x 176 x 3\nObjects with ground truth : 1 { "PASperson" }\n'
            "# Top left pixel co-ordinates : (0, 0)\n"
            f'Bounding box for object 1 "PASperson" (Xmin, Ymin) - (Xmax, Ymax) : {box}\n'
        )
    return folder


def arrays(folder) -> list[np.ndarray]:
    return [fovea.read_image(path) for path in sorted(folder.iterdir())]


def trained(data, kind: str, **more) -> people.Model:
    return people.train(kind, data / "crops", data / "scenes", device="cpu", **SMALL[kind], **more)


@pytest.fixture(scope="module")
def model(data):
    return trained(data, "hog")


@pytest.fixture(scope="module")
def file(model, tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "drawn.safetensors"
    model.save(path)
    return path


@pytest.fixture(scope="module")
def measured(data, file):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return people.evaluate(file, data / "streets", data / "boxes", negatives=data / "scenes", **WIDE)


@pytest.mark.parametrize("kind", list(SMALL))
def test_the_program_trains_the_same_model(data, program, tmp_path, kind):
    reports = []
    model = trained(data, kind, progress=lambda *report: reports.append(report))
    assert model.kind == kind and reports
    theirs, ours = tmp_path / "theirs.safetensors", tmp_path / "ours.safetensors"
    program(model.command, **{"MODEL.safetensors": theirs})
    model.save(ours)
    assert ours.read_bytes() == theirs.read_bytes()
    assert people.load_model(theirs) == model and people.load_model(theirs).hash == model.hash
    crops, scenes = arrays(data / "crops"), str(data / "scenes/*.png")
    same = people.train(kind, crops, scenes, device="cpu", threads=1, **SMALL[kind])
    assert same == model and "--positives POSITIVES" in same.command
    detector = people.Detector(model, device="cpu")
    assert detector.score(crops[0]) > detector.score(noise(144, 80, 99))


def test_gray_and_opaque_arrays_are_learned_as_rgb(data, model):
    crops, scenes = arrays(data / "crops"), arrays(data / "scenes")
    opaque = [np.dstack([crop, np.full(crop.shape[:2], 9, np.uint8)]) for crop in crops]
    stack = np.stack(scenes)
    assert people.train("hog", opaque, stack, device="cpu", **SMALL["hog"]) == model
    windows = people.evaluate_windows(model, crops, scenes, ratio=1.5, device="cpu")
    assert people.evaluate_windows(model, opaque, scenes, ratio=1.5, device="cpu") == windows
    gray = [np.ascontiguousarray(crop[..., 0]) for crop in crops]
    thrice = [np.repeat(crop[..., None], 3, axis=2) for crop in gray]
    one = people.train("hog", gray, scenes, device="cpu", **SMALL["hog"])
    assert one == people.train("hog", thrice, scenes, device="cpu", **SMALL["hog"]) and one != model


def test_an_interrupted_training_continues(data, tmp_path):
    checkpoint = tmp_path / "checkpoint"

    def stop(stage, done, total):
        if stage.startswith("round 3"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        trained(data, "channels", checkpoint=checkpoint, progress=stop)
    assert checkpoint.exists()
    with pytest.raises(ValueError, match="other options"):
        trained(data, "channels", checkpoint=checkpoint, seed=77)
    rest = trained(data, "channels", checkpoint=checkpoint)
    assert rest == trained(data, "channels") and checkpoint.exists()
    rest.save(tmp_path / "model.safetensors")
    assert not checkpoint.exists()


def test_models_are_compared_and_pickled(model, file):
    again = pickle.loads(pickle.dumps(model))
    assert again == model and again.hash == model.hash and again.command == model.command
    assert model != people.load_model("hog") and model != "hog"
    shipped = people.load_model("cascade")
    assert pickle.loads(pickle.dumps(shipped)).hash == shipped.hash == fovea.files.file_hash(shipped._file)
    assert "kind hog" in repr(model) and model.facts["training"]
    detector = pickle.loads(pickle.dumps(people.Detector(model, device="cpu")))
    assert detector.model == model and people.load_model(file) == model


NUMBERS = (
    *("log_average_miss_rate", "standard_deviation", "average_precision", "images", "people", "detections"),
    *("lowest_score", "curve_ends_at", "windows", "evaluations", "evaluations_per_window"),
)


def same_numbers(evaluation: people.Evaluation, answer: dict) -> None:
    for name in NUMBERS:
        assert getattr(evaluation, name) == answer[name], name
    assert [entry["miss_rate"] for entry in answer["miss_rates"]] == evaluation.miss_rates.tolist()
    points = [entry["false_positives_per_image"] for entry in answer["miss_rates"]]
    assert points == evaluation.reference_points.tolist()
    stages = [(stage["blocks"], stage["reached"], stage["passed"]) for stage in answer.get("stages", [])]
    assert stages == evaluation.stages


def test_the_program_measures_the_same(measured, program, tmp_path):
    same_numbers(measured, json.loads(program(f"{measured.command} -o {tmp_path / 'report'}")))
    assert (measured.images, measured.people) == (7, 4)
    # Three of four are found, and the fourth makes a false positive with much the same score.
    assert measured.miss_rates[-1] == 0.25 and 0.25 <= measured.log_average_miss_rate < 1
    assert measured.standard_deviation > 0
    assert measured.to_svg() == (tmp_path / "report/curve.svg").read_text()
    table = np.genfromtxt(tmp_path / "report/curve.csv", delimiter=",", names=True, dtype=None, encoding=None)
    for name, column in measured.columns().items():
        assert np.array_equal(np.atleast_1d(table[name]).astype(column.dtype), column)


def test_cascades_say_what_their_stages_reject(data, program):
    with pytest.warns(RuntimeWarning, match="taken as constant"):
        measured = people.evaluate("cascade", data / "streets", data / "boxes", threshold=0, draws=0, device="cpu")
    same_numbers(measured, json.loads(program(measured.command)))
    assert measured.stages[0].reached == measured.windows > measured.stages[0].passed
    windows = people.evaluate_windows("cascade", data / "crops", data / "scenes", device="cpu")
    assert windows.stages[0].reached == windows.windows


def test_boxes_and_files_are_the_same(data, model, measured):
    streets, scenes = arrays(data / "streets"), arrays(data / "scenes")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for truth in (BOXES, [np.float32(rows) for rows in BOXES], np.int64(BOXES)):
            assert people.evaluate(model, streets, truth, negatives=scenes, **WIDE) == measured
        paths = sorted((data / "streets").iterdir())
        again = people.evaluate(model, paths, data / "boxes", negatives=scenes, threads=1, **WIDE)
        assert again == measured and "--images IMAGES" in again.command
        detector = people.Detector(model, device="cpu", ratio=1.3)
        found = [detector.detect(street) for street in streets]
        assert all(len(one) for one in found)
        # A detector that is measured by what it finds finds everybody.
        perfect = people.evaluate(model, streets, found, match_aspect=0, **WIDE)
        assert perfect.miss_rates[-1] == 0
        nobody = people.evaluate(model, streets, [*BOXES[:3], []], **WIDE)
        assert nobody.people == 3


def test_evaluations_are_results(measured):
    assert pickle.loads(pickle.dumps(measured)) == measured
    assert measured.provenance["model"].endswith("drawn.safetensors") and len(measured.provenance["model_hash"]) == 64
    assert measured.options["ratio"] == 1.3 and measured.options["label"] == "person"
    assert "4 people in 7 images" in repr(measured) and "\n" not in repr(measured)
    assert "<svg" in measured._repr_html_()
    assert measured.to_svg(measured).count("drawn") > measured.to_svg().count("drawn")
    assert len(measured.drawn) == 20 and measured.standard_deviation == pytest.approx(np.std(measured.drawn, ddof=1))
    pandas = pytest.importorskip("pandas")
    frame = measured.to_pandas()
    assert isinstance(frame, pandas.DataFrame)
    assert list(frame.columns) == ["false_positives_per_image", "miss_rate", "precision", "threshold"]


def test_differences_are_those_of_the_program(data, file, measured, program):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        other = people.evaluate("hog", data / "streets", data / "boxes", negatives=data / "scenes", **WIDE)
    line = measured.command.replace(str(file), f"one={file},two=hog")
    answer = json.loads(program(line))["models"][1]["difference"]
    assert other.difference(measured) == (answer["log_average_miss_rate"], answer["standard_deviation"])
    assert measured.difference(measured) == (0, 0)


def test_the_program_measures_windows_the_same(data, file, program, tmp_path):
    measured = people.evaluate_windows(file, data / "crops", data / "scenes", ratio=1.2, device="cpu")
    answer = json.loads(program(f"{measured.command} -o {tmp_path / 'report'}"))
    assert measured.miss_rate == answer["miss_rate_at_fppw_1e-4"] == measured.miss_rate_at(1e-4)
    assert measured.miss_rate_at(1e-3) == answer["miss_rate_at_fppw_1e-3"]
    for name in ("standard_deviation", "crops", "windows", "evaluations"):
        assert getattr(measured, name) == answer[name]
    assert measured.evaluations_per_window == answer["blocks_per_window"]
    assert measured.to_svg() == (tmp_path / "report/curve.svg").read_text()
    assert "10 crops" in repr(measured) and pickle.loads(pickle.dumps(measured)) == measured
    crops, scenes = arrays(data / "crops"), arrays(data / "scenes")
    assert people.evaluate_windows(people.load_model(file), crops, scenes, ratio=1.2, device="cpu") == measured
    assert list(measured.to_pandas().columns)[0] == "false_positives_per_window"


def test_coco_files_are_read(data, measured, tmp_path):
    images = [{"id": i, "file_name": f"street{i}.png", "width": 160, "height": 176} for i in range(4)]
    people_of = [
        {"id": i + 1, "image_id": i, "category_id": 1, "bbox": [BOXES[i][0][0], 46, 42, 104], "iscrowd": 0}
        for i in range(4)
    ]
    coco = {"images": images, "annotations": people_of, "categories": [{"id": 1, "name": "person"}]}
    (tmp_path / "boxes.json").write_text(json.dumps(coco))
    model = measured.provenance["model"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        again = people.evaluate(model, data / "streets", tmp_path / "boxes.json", negatives=data / "scenes", **WIDE)
    assert again == measured


def test_options_beside_a_preset_count(data, program, tmp_path):
    model = trained(data, "cascade", preset="thesis", cascade_color=True)
    assert model.facts["preset"].startswith("thesis with ") and "color true" in model.facts["preset"]
    assert '"graded": false' in model.facts["training"] and '"color": true' in model.facts["training"]
    theirs, ours = tmp_path / "theirs.safetensors", tmp_path / "ours.safetensors"
    program(model.command, **{"MODEL.safetensors": theirs})
    model.save(ours)
    assert ours.read_bytes() == theirs.read_bytes()


def test_kinds_are_those_of_the_library(data):
    expected = ", ".join(get_args(Kind)[:-1]) + " or " + get_args(Kind)[-1]
    refused(lambda: people.train("zebra", data / "crops", data / "scenes"), ValueError, f"expected {expected}")
    assert list(SMALL) == list(get_args(Kind))


def refused(call, kind, words: str) -> None:
    with pytest.raises(kind) as caught:
        call()
    assert isinstance(caught.value, fovea.Error)
    assert words in str(caught.value) and "\n" not in str(caught.value)


def test_bad_trainings_are_refused(data, tmp_path):
    crops, scenes = data / "crops", data / "scenes"
    image = noise(144, 80, 1)
    for kind, error, words in (
        (None, TypeError, "kind is None; expected hog, hog-cells, hog-integral, cascade, channels or filtered"),
        ("zebra", ValueError, "zebra"),
        (7, ValueError, "kind"),
    ):
        refused(lambda: people.train(kind, crops, scenes), error, words)
    for images, error, words in (
        (None, TypeError, "is of type NoneType; expected a folder or a list of images"),
        (7, TypeError, "is of type int"),
        ([], ValueError, "is empty"),
        (image, ValueError, "is one array of shape (144, 80, 3)"),
        ([image, None], TypeError, "s[1] is None"),
        ([image / 255], ValueError, "s[0] is float64"),
        ([np.full((144, 80), np.nan)], ValueError, "s[0] is float64"),
        (["no-such-file.png"], OSError, "no-such-file.png"),
        ("no-such-folder", OSError, "no-such-folder"),
        (tmp_path, OSError, str(tmp_path)),
    ):
        refused(lambda: people.train("hog", images, scenes, device="cpu"), error, words)
        refused(lambda: people.train("hog", crops, images, device="cpu"), error, words)
    refused(lambda: people.train("hog", [image[:60].copy()], scenes, device="cpu"), ValueError, "64x128")
    refused(lambda: people.train("channels", crops, scenes, tres=3), TypeError, "has no keyword 'tres'")
    refused(lambda: people.train("channels", crops, scenes, linear_cost=1), ValueError, "linear_cost has no use")
    refused(lambda: people.train("hog", crops, scenes, channels_trees=64), ValueError, "of kind hog")
    refused(lambda: people.train("channels", crops, scenes, channels_trees=1), ValueError, "channels-trees")
    refused(lambda: people.train("hog", crops, scenes, linear_mirror=1), TypeError, "expected true or false")
    refused(lambda: people.train("hog", crops, scenes, preset="thesis"), ValueError, "of kind cascade")
    refused(lambda: people.train("cascade", crops, scenes, preset="zebra"), ValueError, "none, thesis or zhu")
    refused(lambda: people.train("hog", crops, scenes, checkpoint=7), TypeError, "checkpoint is of type int")
    refused(lambda: people.train("hog", crops, scenes, device="cuda:99"), fovea.DeviceError, "cuda:99")


def test_bad_evaluations_are_refused(data, file, measured):
    streets, boxes, scenes = data / "streets", data / "boxes", data / "scenes"
    images = arrays(streets)
    good = [np.float32([[1, 2, 30, 90]])] * 4

    def measure(pictures=images, truth=good, model=file, **more):
        return lambda: people.evaluate(model, pictures, truth, device="cpu", **more)

    refused(measure(model=None), TypeError, "model is None")
    refused(measure(model=fovea.files.model_path("scenes/sun8")), fovea.ModelError, "sun8")
    refused(measure(pictures=None), TypeError, "images is of type NoneType")
    refused(measure(pictures=[]), ValueError, "images is empty")
    refused(measure(pictures=[image / 255 for image in images]), ValueError, "images[0] is float64")
    refused(measure(truth=None), TypeError, "annotations is of type NoneType")
    refused(measure(truth=good[:3]), ValueError, "there are 4 images and annotations of 3")
    refused(measure(truth=[*good[:3], [[1, 2, 3]]]), TypeError, "annotations[3] is int64 of shape (1, 3)")
    refused(measure(truth=[[[1, 2, 3, 4], [1, 2]], *good[1:]]), ValueError, "[0] has rows of unequal lengths")
    refused(measure(truth=[None, *good[1:]]), TypeError, "annotations[0] is object")
    refused(measure(truth=[[[1, 2, np.nan, 4]], *good[1:]]), ValueError, "not finite")
    refused(measure(truth=[[[5, 2, 5, 4]], *good[1:]]), ValueError, "has an empty box")
    refused(measure(truth=[[]] * 4), ValueError, "no people in 4 images")
    refused(measure(truth=boxes), ValueError, "images[0] is an array, which has no name")
    refused(measure(label="x"), ValueError, "label has no use with boxes")
    refused(measure(negatives=[np.full((9, 9), 0.5)]), ValueError, "negatives[0] is float64")
    refused(measure(streets, boxes, label="zebra"), fovea.FormatError, "nobody with the label 'zebra'")
    refused(measure(scenes, boxes), OSError, "annotation")
    refused(measure(streets, "no-such-file"), OSError, "no-such-file")
    refused(measure(streets, boxes, rato=2), TypeError, "did you mean 'ratio'")
    refused(lambda: people.evaluate_windows(file, [noise(9, 9, 1)], scenes), fovea.FormatError, "crops[0]: ")
    refused(lambda: people.evaluate_windows(file, data / "crops", []), ValueError, "negatives is empty")
    refused(lambda: measured.difference(None), TypeError, "other is of type NoneType")
    refused(lambda: measured.to_svg(None), TypeError, "others holds NoneType")
