"""Scenes: the program's results, explanations, training, evaluation, and bags of words."""

from __future__ import annotations

import inspect
import json
import pathlib
import pickle
import warnings

import numpy as np
import pytest

import fovea
from fovea import scenes

KINDS = ("city", "forest", "sea")
SMALL = {"dictionary": 16, "samples": 40, "neighbors": 3, "device": "cpu"}


def draw_place(kind: str, number: int) -> np.ndarray:
    """Upright stripes, blobs or flat stripes, in colors of their own."""
    rng = np.random.default_rng(100 * KINDS.index(kind) + number)
    rows, columns = np.mgrid[:48, :64]
    wave = {
        "city": np.sin(columns / rng.uniform(1.5, 2.5)),
        "forest": np.sin(columns / rng.uniform(2, 3)) * np.sin(rows / rng.uniform(2, 3)),
        "sea": np.sin(rows / rng.uniform(3, 5)),
    }[kind]
    base = np.array({"city": (140, 130, 130), "forest": (70, 110, 60), "sea": (60, 110, 170)}[kind])
    image = base + 50 * wave[..., None] + rng.normal(0, 6, (48, 64, 3))
    return np.clip(image, 0, 255).astype(np.uint8)


@pytest.fixture(scope="module")
def places(tmp_path_factory):
    """A folder with six images of each of three kinds."""
    folder = tmp_path_factory.mktemp("places")
    for kind in KINDS:
        (folder / kind).mkdir()
        for number in range(6):
            fovea.write_image(folder / kind / f"{number}.png", draw_place(kind, number))
    return folder


@pytest.fixture(scope="module")
def paths(places):
    return [str(path) for kind in KINDS for path in sorted((places / kind).iterdir())]


@pytest.fixture(scope="module")
def labels(paths):
    return [pathlib.Path(path).parent.name for path in paths]


@pytest.fixture(scope="module")
def model(places):
    return scenes.train(places, classifier="knn", **SMALL)


@pytest.fixture(scope="module")
def scene(paths):
    return scenes.Classifier("sun8", device="cpu").classify(paths[0])


def test_the_program_classifies_the_same(scene, program):
    answer = json.loads(program(scene.command))
    assert answer["classes"] == list(scene.scores)
    result = answer["results"][0]
    assert (result["name"], result["label"]) == (scene.name, scene.label)
    assert np.array_equal(np.float32(result["scores"]), np.asarray(scene))
    assert np.float32(result["score"]) == np.float32(scene.score) == max(scene.scores.values())


def test_arrays_and_files_are_the_same(scene, paths):
    image = fovea.read_image(paths[0])
    classifier = scenes.Classifier("sun8", device="cpu", threads=1)
    opaque = np.dstack([image, np.full(image.shape[:2], 7, np.uint8)])
    for same in (image, opaque, pathlib.Path(paths[0])):
        assert np.array_equal(np.asarray(classifier.classify(same)), np.asarray(scene))
    assert scenes.classify(paths[0], device="cpu") == scene
    assert classifier.classify(image) != scenes.classify(image[:20].copy(), device="cpu")
    gray = np.ascontiguousarray(image[:, :, 1])
    assert classifier.classify(gray).scores == classifier.classify(np.repeat(gray[..., None], 3, axis=2)).scores
    wider = np.pad(image, ((0, 0), (0, 3), (0, 0)))
    assert np.array_equal(classifier.features(image), classifier.features(wider[:, :64]))


def test_images_of_pil_are_taken(paths, scene):
    image = pytest.importorskip("PIL.Image").open(paths[0])
    assert scenes.classify(image, device="cpu").scores == scene.scores


def test_results_say_where_they_come_from(scene):
    assert scene.provenance["version"] == fovea.__version__ and scene.provenance["model"] == "sun8"
    assert len(scene.provenance["model_hash"]) == 64 and scene.options["device"] == "cpu"
    assert repr(scene).startswith(f"{scene.name}, score {scene.score:.2f} (sun8, cpu, ")
    assert "IMAGE" in scenes.classify(np.zeros((9, 9), np.uint8), device="cpu").command
    assert scene._repr_html_().count("<tr>") == 9


def test_pickles_are_equal(scene, model):
    again = pickle.loads(pickle.dumps(scene))
    assert again == scene and again.scores == scene.scores
    with pytest.raises(fovea.InvalidArgument, match="without its image"):
        again.explain()
    other = pickle.loads(pickle.dumps(model))
    assert other == model and other.classes == list(KINDS)
    classifier = pickle.loads(pickle.dumps(scenes.Classifier(model, threads=1, device="cpu")))
    assert classifier.options["threads"] == 1 and classifier.model == model
    explanation = scene.explain()
    assert pickle.loads(pickle.dumps(explanation)) == explanation


def test_tables(scene, model, places):
    pandas = pytest.importorskip("pandas")
    frame = scene.to_pandas()
    assert isinstance(frame, pandas.DataFrame) and list(frame.columns) == ["class", "score"]
    assert frame["class"].tolist() == list(scene.scores)
    assert list(scene.explain().to_pandas().columns) == ["word", "level", "row", "column", "share", "contribution"]
    tested = scenes.evaluate(model, places).to_pandas()
    assert tested["class"].tolist() == list(KINDS)
    pyarrow = pytest.importorskip("pyarrow")
    assert pyarrow.table(scene)["score"].to_pylist() == list(scene.scores.values())


@pytest.mark.parametrize(
    "options", [{}, {"pyramid": 2}, {"words": "gradients", "scales": 1}, {"color": "lab", "step": 3}]
)
def test_contributions_add_up_to_the_margin(places, paths, options):
    model = scenes.train(places, classifier="svm", folds=0, **SMALL, **options)
    classifier = scenes.Classifier(model, device="cpu")
    found = classifier.classify(paths[8])
    for name in KINDS:
        reason = found.explain(name)
        assert reason.bias + reason.evidence == pytest.approx(found.scores[name], abs=1e-5)
        assert reason.heat.sum() == pytest.approx(reason.evidence, abs=1e-5)
    reason = found.explain()
    assert reason.name == found.name and np.all(np.diff(reason.contributions) <= 0)
    assert reason[0].word == reason.words[0] and len(list(reason)) == len(reason)
    assert sum(entry.share for entry in reason) == pytest.approx(1, abs=1e-5)
    assert reason.draw().shape == (48, 64, 3) and reason._repr_png_().startswith(b"\x89PNG")


def test_logistic_regression_gives_probabilities(places, paths):
    model = scenes.train(places, classifier="logistic", **SMALL)
    assert model.kind == "logistic"
    found = scenes.Classifier(model, device="cpu").classify(paths[8])
    reasons = {name: found.explain(name) for name in KINDS}
    values = np.exp([reason.bias + reason.evidence for reason in reasons.values()])
    assert list(found.scores.values()) == pytest.approx(values / values.sum(), abs=1e-5)


@pytest.mark.parametrize("distance", ["euclidean", "cosine"])
def test_neighbors_by_other_distances(places, paths, distance):
    model = scenes.train(places, classifier="knn", distance=distance, **SMALL)
    classifier = scenes.Classifier(model, device="cpu")
    assert [classifier.classify(path).name for path in paths[::6]] == list(KINDS)
    with pytest.raises(fovea.InvalidArgument, match="chi-squared, euclidean or cosine"):
        scenes.train(places, distance="far", **SMALL)


def test_neighbors_explain_by_similarity(model, paths):
    known = scenes.Classifier(model, device="cpu").classify(paths[3])
    reason = known.explain()
    # One of three neighbors is the image itself, whose similarity is 1.
    assert 1 / 3 <= reason.evidence <= 1 + 1e-6 and reason.bias == 0
    assert all(contribution >= 0 for contribution in reason.contributions)
    with pytest.raises(fovea.InvalidArgument, match="'desert' is no class of"):
        known.explain("desert")


def test_the_program_finds_the_same_words(paths, program, tmp_path):
    words = scenes.Classifier("sun8", device="cpu").words(paths[1])
    program(words.command, **{"WORDS.npy": tmp_path / "words.npy"})
    assert np.array_equal(np.load(tmp_path / "words.npy").squeeze(), words.numbers)
    program(f"fovea scenes words {paths[1]} -o {tmp_path / 'words.png'} --device cpu")
    assert np.array_equal(fovea.read_image(tmp_path / "words.png"), words.to_color())
    assert words._repr_png_().startswith(b"\x89PNG") and "words of 64x48 places" in repr(words)


def test_many_images_come_in_order(model, places, paths):
    classifier = scenes.Classifier(model, device="cpu", threads=2)
    reports = []
    results = list(classifier.classify_all(paths, progress=lambda *report: reports.append(report)))
    assert [result.file for result in results] == paths and reports[-1] == ("images", 18, 18)
    assert results == [classifier.classify(path) for path in paths]
    forest = list(classifier.classify_all(places / "forest"))
    assert [result.name for result in forest] == ["forest"] * 6
    stack = np.stack([fovea.read_image(path) for path in paths])
    assert [result.scores for result in classifier.classify_all(stack)] == [result.scores for result in results]


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"classifier": "knn", "distance": "cosine"},
        {"classifier": "svm", "pyramid": 1, "color": "lab"},
        {"classifier": "logistic", "kernel": "linear", "cost": 300},
        {"words": "gradients", "standardize": False, "seed": 5},
    ],
)
def test_the_program_trains_the_same_model(places, paths, labels, program, tmp_path, options):
    trained = scenes.train(places, **SMALL, **options)
    theirs, ours = tmp_path / "theirs.safetensors", tmp_path / "ours.safetensors"
    program(trained.command, **{"MODEL.safetensors": theirs})
    trained.save(ours)
    assert ours.read_bytes() == theirs.read_bytes()
    assert scenes.load_model(theirs) == trained
    assert scenes.train([fovea.read_image(path) for path in paths], labels, **SMALL, **options) == trained


def test_classes_choose_folders(places, tmp_path, program):
    names = scenes.train(places, **SMALL).classes
    some = [names[2], names[0]]
    chosen = scenes.train(places, classes=some, **SMALL)
    assert chosen.classes == some and "--classes " + ",".join(some) in chosen.command
    program(chosen.command, **{"MODEL.safetensors": tmp_path / "m.safetensors"})
    assert scenes.load_model(tmp_path / "m.safetensors") == chosen
    assert scenes.evaluate(chosen, places, classes=some).confusion_matrix.sum() == 12
    with pytest.raises(fovea.InvalidArgument, match="is none of"):
        scenes.evaluate(chosen, places)
    measured = scenes.cross_validate(places, classes=some, splits=2, **SMALL)
    assert list(measured.classes) == some
    with pytest.raises(fovea.InvalidArgument, match="has no class \"moon\"; its classes are " + ", ".join(names)):
        scenes.train(places, classes=[names[0], "moon"], **SMALL)
    with pytest.raises(fovea.InvalidArgument, match="is chosen twice"):
        scenes.train(places, classes=[names[0], names[0]], **SMALL)


def test_classes_choose_among_labels(paths, labels):
    some, kept = ["sea", "city"], [i for i, label in enumerate(labels) if label != "forest"]
    own = [paths[i] for i in kept], [labels[i] for i in kept]
    chosen = scenes.train(paths, labels, classes=some, **SMALL)
    assert chosen.classes == some and chosen == scenes.train(*own, classes=some, **SMALL)
    assert scenes.evaluate(chosen, paths, labels, classes=some) == scenes.evaluate(chosen, *own)
    with pytest.raises(fovea.InvalidArgument, match="label 'forest' is none of the classes sea, city"):
        scenes.evaluate(chosen, paths, labels)
    measured = scenes.cross_validate(paths, labels, classes=some, splits=2, **SMALL)
    assert measured.images == 12 and measured == scenes.cross_validate(*own, classes=some, splits=2, **SMALL)
    with pytest.raises(fovea.InvalidArgument, match="no label is 'moon'; they are city, forest, sea"):
        scenes.train(paths, labels, classes=["sea", "moon"], **SMALL)
    with pytest.raises(fovea.InvalidArgument, match="sea, sea is chosen twice"):
        scenes.train(paths, labels, classes=["sea", "sea"], **SMALL)
    learn = {name: SMALL[name] for name in ("dictionary", "samples", "device")}
    words = scenes.learn_dictionary(paths, **learn)
    rows, vote = scenes.make_features(paths, words, device="cpu"), {"neighbors": 3, "device": "cpu"}
    staged = scenes.train_model(rows, labels, words, classes=some, **vote)
    assert staged == scenes.train_model(rows[kept], own[1], words, classes=some, **vote)


def test_results_of_a_file_and_of_its_pixels_are_equal(scene, paths):
    assert scenes.classify(fovea.read_image(paths[0]), device="cpu") == scene and scene.file == paths[0]


def test_labels_may_be_numbers(paths):
    numbers = np.repeat([2, 10, 1], 6)
    trained = scenes.train(paths, numbers, **SMALL)
    assert trained.classes == ["1", "2", "10"]
    assert scenes.train(paths, numbers, classes=["10", "2", "1"], **SMALL).classes == ["10", "2", "1"]
    assert scenes.Classifier(trained, device="cpu").classify(paths[0]).name == "2"


def test_models(model, tmp_path):
    assert model.kind == "knn" and model.words.shape == (16, 32) and model.facts["images"] == "18"
    model.save(tmp_path / "model.safetensors")
    assert scenes.load_model(tmp_path / "model.safetensors").hash == model.hash
    assert "16 words, 3 classes" in repr(model) and model.descriptor["color"] == "gray"
    shipped = scenes.load_model("sun8")
    assert len(shipped.hash) == 64 and "desert" in shipped.classes and shipped != model
    with pytest.raises(fovea.IoError, match="shipped"):
        scenes.load_model("no-such-model")
    with pytest.raises(TypeError, match="model is None; expected the name of a model, a file, or a Model of scenes"):
        scenes.Classifier(None)
    with pytest.raises(fovea.ModelError):
        scenes.Classifier(fovea.files.model_path("people/hog"))
    (tmp_path / "bad.safetensors").write_bytes(b"nothing")
    with pytest.raises(fovea.FormatError):
        scenes.load_model(tmp_path / "bad.safetensors")


def same_numbers(evaluation: scenes.Evaluation, answer: dict) -> None:
    for name in ("images", "failed", "accuracy_mean", "accuracy_deviation", "classes"):
        assert getattr(evaluation, name) == answer[name]
    assert list(evaluation.accuracies) == answer["accuracies"] and len(evaluation.accuracies) == answer["splits"]
    assert evaluation.confusion_matrix.tolist() == answer["confusion_matrix"]
    against = [(entry["k"], entry["accuracy"]) for entry in answer.get("accuracy_against_k", [])]
    assert list(evaluation.accuracy_against_k) == against
    interval = evaluation.accuracy_interval
    assert (None if interval is None else list(interval)) == answer.get("accuracy_interval")


def test_the_program_evaluates_the_same(places, paths, labels, program):
    options = {"splits": 2, "share": 0.6, "dictionary_from": "split"}
    evaluation = scenes.cross_validate(places, **SMALL, **options)
    same_numbers(evaluation, json.loads(program(evaluation.command)))
    assert scenes.cross_validate(paths, labels, **SMALL, **options) == evaluation
    assert evaluation.accuracy > 0.5 and "over 2 splits of 18 images" in repr(evaluation)
    assert pickle.loads(pickle.dumps(evaluation)) == evaluation
    assert evaluation.options["splits"] == 2 and evaluation._repr_html_().count("<tr>") == 4


def test_the_program_tests_a_model_the_same(places, paths, labels, model, program, tmp_path):
    file = tmp_path / "model.safetensors"
    model.save(file)
    evaluation = scenes.evaluate(file, places, device="cpu")
    same_numbers(evaluation, json.loads(program(evaluation.command)))
    assert scenes.evaluate(model, paths, labels, device="cpu") == evaluation
    assert np.asarray(evaluation).trace() == evaluation.recall.sum() * 6
    with pytest.raises(fovea.InvalidArgument, match="has no keyword 'splits'"):
        scenes.evaluate(file, places, splits=3)
    with pytest.raises(fovea.InvalidArgument, match="'city' is none of the classes"):
        scenes.evaluate("sun8", paths, labels)


def test_lists_give_a_split(places, paths, program, tmp_path):
    lines = [f"{pathlib.Path(path).relative_to(places)} {pathlib.Path(path).parent.name}\n" for path in paths]
    (tmp_path / "train.txt").write_text("".join(lines[::2]))
    (tmp_path / "test.txt").write_text("".join(lines[1::2]))
    evaluation = scenes.cross_validate(places, train=tmp_path / "train.txt", test=tmp_path / "test.txt", **SMALL)
    same_numbers(evaluation, json.loads(program(evaluation.command)))
    assert evaluation.accuracy_interval is not None and "with 95 % confidence) on 9 images" in repr(evaluation)
    with pytest.raises(fovea.InvalidArgument, match="go together"):
        scenes.cross_validate(places, train=tmp_path / "train.txt")


def test_images_that_cannot_be_read(paths, labels, model, tmp_path):
    bad = tmp_path / "bad.png"
    bad.write_bytes(b"no image")
    images, names = [*paths, str(bad)], [*labels, "sea"]
    classifier = scenes.Classifier(model, device="cpu")
    for call in (
        lambda **how: scenes.train(images, names, **SMALL, **how),
        lambda **how: scenes.cross_validate(images, names, splits=1, **SMALL, **how),
        lambda **how: scenes.evaluate(model, images, names, **how),
        lambda **how: list(classifier.classify_all(images, **how)),
    ):
        with pytest.raises(fovea.FormatError, match=r"bad\.png"):
            call()
        with pytest.warns(RuntimeWarning, match=r"bad\.png"):
            call(on_error="warn")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert scenes.train(images, names, on_error="skip", **SMALL) == scenes.train(paths, labels, **SMALL)
        assert scenes.evaluate(model, images, names, on_error="skip").failed == 1
    with pytest.raises(fovea.InvalidArgument, match="expected 'raise', 'warn' or 'skip'"):
        scenes.train(images, names, on_error="ignore")


def test_training_reports_its_stages(places):
    stages = []
    scenes.train(places, progress=lambda stage, done, total: stages.append(stage), **SMALL)
    assert {"training the classifier"} <= set(stages)


def test_a_bag_of_words_has_the_words_of_a_model(paths, places, model):
    bag = scenes.BagOfWords(words=16, samples=40, pyramid=2, device="cpu")
    features = bag.fit_transform(paths)
    assert np.array_equal(bag.vocabulary_, model.words)
    classifier = scenes.Classifier(model, device="cpu")
    assert features.dtype == np.float32 and features.shape == (18, 21 * 16)
    assert np.array_equal(features, np.stack([classifier.features(path) for path in paths]))
    assert np.allclose(features.sum(axis=1), 1, atol=1e-5)
    assert np.array_equal(bag.transform([fovea.read_image(path) for path in paths[:2]]), features[:2])
    assert np.array_equal(bag.transform(places / "city"), features[:6])
    again = pickle.loads(pickle.dumps(bag))
    assert np.array_equal(again.transform(np.array(paths[:3])), features[:3])
    del again.code_, again._held  # as in a pickle of an earlier version
    assert np.array_equal(again.transform(paths[:3]), features[:3])
    assert list(again.get_feature_names_out()) == list(bag.get_feature_names_out())
    changed = bag.set_params(pyramid=2, words_from="gradients", threads=1)  # for the next fit, apart from threads
    assert np.array_equal(changed.transform(paths[:3]), features[:3])
    assert list(bag.get_feature_names_out()[:2]) == ["word0", "word1"]


def test_a_bag_of_words_may_have_a_pyramid(paths):
    bag = scenes.BagOfWords(words=4, words_from="gradients", scales=1, standardize=False, pyramid=2, device="cpu")
    features = bag.fit(paths[:4]).transform(paths[:4])
    assert features.shape == (4, 4 * 21) == (4, len(bag.get_feature_names_out()))
    assert bag.get_feature_names_out()[-1] == "word3_level2_row3_column3"
    assert bag.vocabulary_.shape == (4, 128) and bag.mean_.size == 0


@pytest.mark.parametrize("coding", ["soft", "vlad", "fisher"])
def test_a_bag_of_words_may_code_places(paths, coding):
    bag = scenes.BagOfWords(
        words=4, words_from="gradients", coding=coding, components=6, color_words=3, pyramid=1, device="cpu"
    )
    features = bag.fit(paths[:4]).transform(paths[:4])
    each = {"soft": 1, "vlad": 6, "fisher": 12}[coding]
    assert features.shape == (4, (4 + 3) * each * 5) == (4, len(bag.get_feature_names_out()))
    assert bag.code_["coding"] == coding and len(bag.code_["beside"]) == 1
    assert bag.get_feature_names_out()[-1].startswith("color_word2")
    again = pickle.loads(pickle.dumps(bag))
    assert np.array_equal(again.transform(paths[:4]), features)
    if coding != "soft":
        assert np.allclose(np.square(features[:, : 4 * each]).sum(1), 1, atol=1e-5)


def test_bags_of_words_follow_the_rules_of_estimators(paths):
    bag = scenes.BagOfWords(words=8, color="lab")
    parameters = bag.get_params()
    assert parameters["words"] == 8 and parameters["words_from"] == "filters" and "dictionary" not in parameters
    signature = inspect.signature(scenes.BagOfWords.__init__)
    assert [name for name in signature.parameters if name != "self"] == list(parameters)
    assert scenes.BagOfWords(**parameters).get_params() == parameters
    assert bag.set_params(words=4).words == 4 and repr(bag) == "BagOfWords(color='lab', words=4)"
    with pytest.raises(TypeError, match="did you mean 'words'"):
        scenes.BagOfWords(word=3)
    with pytest.raises(fovea.InvalidArgument, match="call fit"):
        bag.transform(paths)
    with pytest.raises(ValueError, match="words is '1'|words is 1"):
        bag.set_params(words=1).fit(paths)


def test_scikit_learn_takes_a_bag_of_words(paths, labels):
    pytest.importorskip("sklearn")
    from sklearn.base import clone
    from sklearn.model_selection import GridSearchCV
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.pipeline import Pipeline

    bag = scenes.BagOfWords(words=8, samples=40, device="cpu")
    assert clone(bag).get_params() == bag.get_params()
    pipeline = Pipeline([("words", bag), ("near", KNeighborsClassifier(1))])
    assert pipeline.fit(paths, labels).score(paths, labels) == 1
    search = GridSearchCV(pipeline, {"words__words": [4, 8]}, cv=3).fit(paths, labels)
    assert search.best_score_ > 0.5


@pytest.mark.parametrize(
    ("image", "kind", "words"),
    [
        (None, TypeError, "image is None"),
        (np.zeros((9, 9, 3), complex), TypeError, "image is complex128 of shape (9, 9, 3)"),
        (np.full((9, 9, 3), 0.5, np.float32), ValueError, "image is float32 of shape (9, 9, 3) with levels from 0 to 1"),
        (np.full((9, 9), np.nan), ValueError, "image is float64"),
        (np.zeros((9, 9, 2), np.uint8), ValueError, "image is uint8 of shape (9, 9, 2)"),
        (np.zeros(9, np.uint8), TypeError, "image is uint8 of shape (9,)"),
        (np.zeros((0, 9), np.uint8), ValueError, "image is empty"),
        (np.array([[None]]), TypeError, "image is an array of object"),
        ("no-such-file.png", OSError, "no-such-file.png"),
    ],
)
def test_bad_images_are_refused(image, kind, words):
    classifier = scenes.Classifier("sun8", device="cpu")
    for method in (classifier.classify, classifier.features, classifier.words, classifier.explain):
        with pytest.raises(kind) as caught:
            method(image)
        assert isinstance(caught.value, fovea.Error)
        assert words in str(caught.value) and "\n" not in str(caught.value)


def test_files_with_numbers_that_are_not_finite_are_refused(tmp_path):
    image = np.zeros((9, 9), np.float32)
    image[4, 4] = np.nan
    fovea.write_image(tmp_path / "nan.tif", image)
    with pytest.raises(fovea.FormatError, match=r"nan\.tif"):
        scenes.classify(tmp_path / "nan.tif", device="cpu")


def test_bad_sets_of_images_are_refused(paths, labels):
    image = np.zeros((9, 9, 3), np.uint8)
    bag = scenes.BagOfWords(words=2, device="cpu")
    for images, words in (
        (None, "X is of type NoneType"),
        (7, "X is of type int"),
        ([], "images is empty"),
        (image, "X is one array of shape (9, 9, 3); expected several images"),
        ([image, None], "images[1] is None"),
        ([image + 0.5], "images[0] is float64"),
        (["no-such-file.png"], "no-such-file.png"),
        ("no-such-folder", "no-such-folder"),
    ):
        with pytest.raises(fovea.Error) as caught:
            bag.fit(images)
        assert words in str(caught.value) and "\n" not in str(caught.value)
    with pytest.raises(fovea.InvalidArgument, match="expected at least as many samples as words"):
        scenes.BagOfWords(words=100, samples=1, device="cpu").fit(paths)
    for call in (scenes.train, scenes.cross_validate):
        with pytest.raises(fovea.InvalidArgument, match="labels are missing"):
            call(paths)
        with pytest.raises(fovea.InvalidArgument, match="18 images and 1 labels"):
            call(paths, ["city"])
        with pytest.raises(TypeError, match=r"labels\[0\] is 1.5"):
            call(paths, [1.5] * 18)
        with pytest.raises(ValueError, match="two or more"):
            call(paths, ["city"] * 18, device="cpu")
        with pytest.raises(TypeError, match="labels is 7; expected a list"):
            call(paths, 7)
        with pytest.raises(TypeError, match="classes holds 1; expected names"):
            call(paths, labels, classes=[1])
        with pytest.raises(TypeError, match="did you mean 'neighbors'"):
            call(paths, labels, neighbor=3)
        with pytest.raises(fovea.Error, match="no-such-folder"):
            call("no-such-folder")


@pytest.mark.parametrize("more", [{"classifier": "logistic", "pyramid": 1}, {"classifier": "knn"}])
def test_why_adds_up_to_both_scores(places, paths, program, tmp_path, more):
    trained = scenes.train(places, **{**SMALL, **more})
    classifier = scenes.Classifier(trained, device="cpu")
    scene = classifier.classify(paths[0])
    why = scene.why()
    first, second = scene.scores[why.first], scene.scores[why.second]
    apart = np.log(first / second) if why.evidence == "logits" else first - second
    assert why.first == scene.name and why.total == pytest.approx(apart, abs=1e-4)
    assert why.bias + why.contributions.sum() == pytest.approx(why.total, abs=1e-4)
    assert why.bias + why.heat.sum(dtype=np.float64) == pytest.approx(why.total, abs=1e-3)
    assert why.bias + sum(cell[-1] for cell in why.cells) == pytest.approx(why.total, abs=1e-4)
    assert why.heat.shape == (48, 64) and why.places.sum() == pytest.approx(1, abs=1e-4)
    assert why.draw(whole=True).ndim == 3
    assert why.boxes.shape == (len(why.words), 4)
    np.testing.assert_array_equal((why.boxes[:, 2:] > 0).all(axis=1), why.places > 0)  # fewer words than are shown at most
    trained.save(tmp_path / "m.safetensors")
    told = json.loads(program(f"fovea scenes classify {paths[0]} --model {tmp_path}/m.safetensors --explain --json"))
    assert told["explanation"]["summary"] == why.summary
    boxes = [reason["box"] for reason in told["explanation"]["reasons"] if "box" in reason]
    assert boxes and all(box in why.boxes.tolist() for box in boxes)


def test_why_takes_any_model_and_names_unknown_classes(paths):
    classifier = scenes.Classifier("sun8", device="cpu")
    first, second = classifier.classes[:2]
    why = classifier.why(paths[0], first, second)
    assert (why.first, why.second) == (first, second)
    assert pickle.loads(pickle.dumps(why)).summary == why.summary
    with pytest.raises(fovea.InvalidArgument, match="is no class of sun8"):
        classifier.why(paths[0], "moon")
    with pytest.raises(fovea.InvalidArgument, match="compared with itself"):
        classifier.why(paths[0], first, first)
