"""Scenes one stage at a time: the program's bytes in both directions."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from test_scenes import KINDS, draw_place

import fovea
from fovea import scenes

CPU = {"device": "cpu"}
LEARN = {"dictionary": 12, "samples": 40, "seed": 9, **CPU}


@pytest.fixture(scope="module")
def places(tmp_path_factory):
    folder = tmp_path_factory.mktemp("stages")
    for kind in KINDS:
        (folder / kind).mkdir()
        for number in range(4):
            fovea.write_image(folder / kind / f"{number}.png", draw_place(kind, number))
    return folder


@pytest.fixture(scope="module")
def dictionary(places):
    return scenes.learn_dictionary(places, **LEARN)


def test_every_stage_has_the_programs_bytes(places, tmp_path, program):
    """Each stage of Python reads the file of the program's stage before it, and the other way round."""
    image = places / "sea/2.png"
    program(f"fovea scenes filters {image} -o {tmp_path}/responses.npy")
    responses = scenes.filters(image, **CPU)
    assert responses.shape == (48, 64, 32) and np.array_equal(responses, np.load(tmp_path / "responses.npy"))

    program(f"fovea scenes sample {places} -o {tmp_path}/samples.npy --samples 40 --seed 9")
    samples = scenes.sample(places, samples=40, seed=9, **CPU)
    assert np.array_equal(samples, np.load(tmp_path / "samples.npy"))
    np.save(tmp_path / "ours.npy", samples)

    words = scenes.learn_dictionary(np.load(tmp_path / "samples.npy"), **LEARN)
    words.save(tmp_path / "ours.safetensors")
    line = words.command.replace("SAMPLES.npy", f"{tmp_path}/ours.npy")
    program(line.replace("WORDS.safetensors", f"{tmp_path}/words.safetensors"))
    assert (tmp_path / "words.safetensors").read_bytes() == (tmp_path / "ours.safetensors").read_bytes()
    dictionary = scenes.load_dictionary(tmp_path / "words.safetensors")
    assert dictionary == words and dictionary == scenes.learn_dictionary(places, **LEARN)

    program(f"fovea scenes words {image} --dictionary {tmp_path}/ours.safetensors --numbers {tmp_path}/map.npy")
    map_ = np.load(tmp_path / "map.npy")
    assert np.array_equal(scenes.word_map(image, dictionary, **CPU), map_)
    assert np.array_equal(scenes.find_words(responses, dictionary, **CPU), map_)

    files = f"-o {tmp_path}/features.npy --labels {tmp_path}/labels.csv --pyramid 1"
    program(f"fovea scenes features {places} --dictionary {tmp_path}/ours.safetensors {files}")
    features = scenes.make_features(places, dictionary, pyramid=1, **CPU)
    assert np.array_equal(features, np.load(tmp_path / "features.npy"))
    assert np.array_equal(scenes.word_histogram(map_, dictionary, 1), features[10])
    table = scenes.read_labels(tmp_path / "labels.csv")
    assert table.classes == list(KINDS) and table.labels == [kind for kind in KINDS for _ in range(4)]
    scenes.write_labels(tmp_path / "again.csv", table.files, table.labels)
    assert (tmp_path / "again.csv").read_bytes() == (tmp_path / "labels.csv").read_bytes()

    model = scenes.train_model(features, table.labels, dictionary, neighbors=3, seed=9, **CPU)
    model.save(tmp_path / "ours_model.safetensors")
    for name, written in (("FEATURES.npy", "features.npy"), ("LABELS.csv", "labels.csv")):
        model.command = model.command.replace(name, f"{tmp_path}/{written}")
    line = model.command.replace("WORDS.safetensors", f"{tmp_path}/words.safetensors")
    program(line.replace("MODEL.safetensors", f"{tmp_path}/model.safetensors"))
    assert (tmp_path / "model.safetensors").read_bytes() == (tmp_path / "ours_model.safetensors").read_bytes()
    assert model == scenes.train(places, pyramid=1, classifier="knn", neighbors=3, **LEARN)


def test_training_tells_how_words_were_learned(places, dictionary):
    model = scenes.train(places, **LEARN)
    learning = model.learning
    assert learning == dictionary.learning and (model.kind, model.pyramid) == ("svm", 2)
    assert learning.converged and learning.iterations > 1 and learning.inertia > 0 and learning.samples == 12 * 40
    assert model.facts["kmeans_iterations"] == str(learning.iterations) and learning.passes == 0
    assert not scenes.train(places, max_iterations=1, **LEARN).learning.converged
    result = scenes.cross_validate(places, splits=2, dictionary_from="split", **LEARN)
    assert len(result.learning) == 2 and result.learning[0].samples < learning.samples
    assert scenes.load_model("sun8").learning is None
    bag = scenes.BagOfWords(words=12, samples=40, **CPU).fit([draw_place("sea", 1), draw_place("city", 1)])
    assert bag.learning_.samples == 80


def test_words_of_all_places(places, tmp_path, program):
    options = {**LEARN, "all_places": True, "passes": 2, "batch": 1000}
    words = scenes.learn_dictionary(places, **options)
    assert words.learning.passes == 2 and words.learning.samples == 12 * 48 * 64
    assert words.learning.batches == 2 * -(-words.learning.samples // 1000)
    program(words.command.replace("WORDS.safetensors", f"{tmp_path}/all.safetensors"))
    assert scenes.load_dictionary(tmp_path / "all.safetensors") == words
    assert words != scenes.learn_dictionary(places, **LEARN)
    with pytest.raises(fovea.InvalidArgument, match="give images"):
        scenes.learn_dictionary(scenes.sample(places, samples=40, **CPU), all_places=True, **CPU)


def test_other_banks_of_filters(places):
    image = draw_place("forest", 3)
    some = scenes.filters(image, filter_sizes=[21, 5], filter_sigmas=[4, 0.5], **CPU)
    every = scenes.filters(image, **CPU)
    assert np.array_equal(some, np.concatenate([every[..., 24:28], every[..., 4:8]], axis=2))
    words = scenes.learn_dictionary(places, filter_sizes=[7], filter_sigmas=[2.5], **LEARN)
    assert words.descriptor["filter_sizes"] == (7,) and words.words.shape == (12, 4)
    for sizes, sigmas in (([4], [1]), ([3, 5], [1]), ([], []), ([33], [1])):
        with pytest.raises(fovea.InvalidArgument, match="filter"):
            scenes.filters(image, filter_sizes=sizes, filter_sigmas=sigmas, **CPU)


def test_dictionaries_are_values(dictionary, tmp_path):
    again = pickle.loads(pickle.dumps(dictionary))
    assert again == dictionary and len(again) == 12 and repr(again).endswith("12 words of 32 numbers)")
    assert len(dictionary.mean) == len(dictionary.scale) == 32
    shipped = scenes.load_dictionary("sun8")
    assert len(shipped) == 500 and shipped.learning is None and shipped.facts == {}
    image = draw_place("sea", 5)
    expected = scenes.Classifier("sun8", **CPU).words(image)
    for same in ("sun8", shipped, scenes.load_model("sun8")):
        assert np.array_equal(scenes.word_map(image, same, **CPU), np.asarray(expected))


def test_what_does_not_fit_is_refused(dictionary):
    with pytest.raises(fovea.InvalidArgument, match="one row per label"):
        scenes.train_model(np.zeros((3, 12), np.float32), ["a", "b"], dictionary, **CPU)
    with pytest.raises(fovea.InvalidArgument):
        scenes.find_words(np.zeros((3, 5), np.float32), dictionary, **CPU)
    with pytest.raises(fovea.InvalidArgument, match="word"):
        scenes.word_histogram(np.full((4, 4), 12, np.uint16), dictionary)
    with pytest.raises(TypeError, match="dictionary is 3"):
        scenes.word_map(draw_place("sea", 1), 3)
