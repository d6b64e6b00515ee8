"""A training one stage at a time. The program has a verb for each stage and reads and writes the same files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from .. import _fovea, _options
from .._arguments import OnError, as_array, list_of, path_of, shown, skips, whole_number
from .._batch import images_of
from .._keywords import takes_options
from .._model import loaded
from .._options import Unpack
from .._progress import Progress, reporting
from .._results import command_line
from ..errors import InvalidArgument, InvalidType
from ..files import Path, is_path
from ._input import Floats, _numbered, _pixels, _warn
from ._model import LearnedWords, Model

Words = np.ndarray[Any, np.dtype[np.uint16]]


class Dictionary(LearnedWords):
    """Visual words in a file of their own."""

    _read = staticmethod(_fovea.scenes.read_dictionary)

    @property
    def mean(self) -> Floats:
        """The mean of each number of a descriptor; empty where numbers are not standardized."""
        return self._model.mean

    @property
    def scale(self) -> Floats:
        """What each number is multiplied by after its mean was subtracted."""
        return self._model.scale

    @property
    def facts(self) -> dict[str, str]:
        """How the words were learned, as texts."""
        known = self.learning
        return {} if known is None else {name: str(value) for name, value in known._asdict().items()}

    def __len__(self) -> int:
        return len(self.words)

    def __repr__(self) -> str:
        words = self.words
        return f"Dictionary({self.name!r}, {len(words)} words of {words.shape[1]} numbers)"


def load_dictionary(name: Path) -> Dictionary:
    """Reads a dictionary file, or the words of a model: a shipped one by its name, or a file."""
    return loaded(Dictionary, name, "scenes")


def _dictionary(value: Any) -> Any:
    """The library's dictionary of a Dictionary, a Model, a file or the name of a shipped model."""
    if isinstance(value, (Dictionary, Model)):
        return value._dictionary
    if not is_path(value):
        raise InvalidType(f"dictionary is {shown(value)}; expected a Dictionary, a Model, a file or the name of a model")
    return load_dictionary(value)._model


def _files(images: Any) -> list[Any]:
    """Images as a list; the folder or list of a corpus stands for its files."""
    return list(_fovea.scenes.read_corpus(path_of(images), [])[0]) if is_path(images) else images_of(images)


@takes_options(_fovea.scenes.filters_options())
def filters(image: Any, **options: Unpack[_options.ScenesFiltersOptions]) -> Floats:
    """The responses of the filters, or gradients, before they are standardized, as ``fovea scenes filters`` writes them.

    The array has rows, columns and numbers; with ``words="gradients"`` it has one row per described place."""
    return _fovea.scenes.filters(_pixels(image), dict(options))


@takes_options(_fovea.scenes.sample_options())
def sample(
    images: Path | Iterable[Any],
    *,
    progress: Progress = False,
    on_error: OnError = "raise",
    **options: Unpack[_options.ScenesSampleOptions],
) -> Floats:
    """Descriptors of places drawn at random, one per row, as ``fovea scenes sample`` draws them.

    ``images`` is a folder with one folder of images per class, a list of lines "file class", or images."""
    skip = skips(on_error)
    listed = _files(images)
    with reporting(progress) as report:
        rows, failures = _fovea.scenes.sample(listed, skip, report, dict(options))
    _warn(failures, listed)
    return rows


@takes_options(_fovea.scenes.learn_dictionary_options())
def learn_dictionary(
    samples_or_images: Any,
    *,
    progress: Progress = False,
    on_error: OnError = "raise",
    **options: Unpack[_options.ScenesLearnDictionaryOptions],
) -> Dictionary:
    """Learns words, as ``fovea scenes dictionary`` does.

    From samples, an array of float32 with one descriptor per row, or from images as :func:`sample` takes them, of which
    it draws the samples itself. ``all_places`` needs images: words are then learned from every place of them."""
    skip, data = skips(on_error), samples_or_images
    listed = data if getattr(data, "ndim", 0) == 2 else _files(data)
    with reporting(progress) as report:
        found, words, failures = _fovea.scenes.learn_dictionary(listed, skip, report, dict(options))
    _warn(failures, listed)
    source = path_of(data) if is_path(data) else "SAMPLES.npy" if listed is data else "IMAGES"
    line = command_line("fovea", "scenes", "dictionary", source, "-o", "WORDS.safetensors", *words)
    return Dictionary(found, "WORDS.safetensors", None, line)


@takes_options(_fovea.scenes.classify_options())
def find_words(
    descriptors: Any, dictionary: Path | Dictionary | Model, **options: Unpack[_options.ScenesClassifyOptions]
) -> Words:
    """The word of each descriptor: those of :func:`filters`, or one per row. The last axis is gone in the result."""
    known = _dictionary(dictionary)
    rows = as_array(descriptors, "descriptors")
    if rows.ndim < 2:
        raise InvalidArgument(f"descriptors has the shape {rows.shape}; expected rows of numbers")
    words: Words = _fovea.scenes.find_words(rows.reshape(-1, rows.shape[-1]), known, dict(options))
    return words.reshape(rows.shape[:-1])


@takes_options(_fovea.scenes.classify_options())
def word_map(
    image: Any, dictionary: Path | Dictionary | Model, **options: Unpack[_options.ScenesClassifyOptions]
) -> Words:
    """The word of every described place of an image, as ``fovea scenes words --numbers`` writes it."""
    return _fovea.scenes.word_map(_pixels(image), _dictionary(dictionary), dict(options))


def word_histogram(map: Any, dictionary: Path | Dictionary | Model, pyramid: int = 0) -> Floats:
    """The features of an image whose every pixel has a word, from its map of words."""
    return _fovea.scenes.word_histogram(map, _dictionary(dictionary), whole_number(pyramid, "pyramid"))


@takes_options(_fovea.scenes.make_features_options(), rules=())
def make_features(
    images: Path | Iterable[Any],
    dictionary: Path | Dictionary | Model,
    *,
    progress: Progress = False,
    on_error: OnError = "raise",
    **options: Unpack[_options.ScenesMakeFeaturesOptions],
) -> Floats:
    """Histograms of words, one row per image, as ``fovea scenes features`` writes them.

    ``images`` are those of :func:`sample`. The row of an image that cannot be read is zero."""
    skip = skips(on_error)
    known, listed = _dictionary(dictionary), _files(images)
    with reporting(progress) as report:
        rows, failures = _fovea.scenes.make_features(listed, known, skip, report, dict(options))
    _warn(failures, listed)
    return rows


@takes_options(_fovea.scenes.train_model_options(), rules=())
def train_model(
    features: Any,
    labels: Sequence[Any],
    dictionary: Path | Dictionary | Model,
    *,
    classes: Sequence[str] | None = None,
    progress: Progress = False,
    **options: Unpack[_options.ScenesTrainModelOptions],
) -> Model:
    """Trains the classifier of a model from features, as ``fovea scenes classifier`` does.

    With the images, options and seed of :func:`train`, the model is the same to the byte. ``labels`` are names or whole
    numbers, one per row; classes are numbered in natural order of their names, unless ``classes`` gives another order.
    Rows of classes that are not among ``classes`` are left out."""
    known = _dictionary(dictionary)
    kept, numbers, names = _numbered(labels, classes, choose=classes is not None)
    rows = as_array(features, "features")
    if rows.ndim != 2 or len(rows) != len(kept):
        raise InvalidArgument(
            f"features has the shape {rows.shape}, and there are {len(kept)} labels; expected one row per label"
        )
    rows = rows if all(kept) else rows[kept]
    with reporting(progress) as report:
        model, words = _fovea.scenes.train_model(known, rows, numbers, names, report, dict(options))
    line = command_line(
        "fovea", "scenes", "classifier", "FEATURES.npy", "--labels", "LABELS.csv", "--dictionary", "WORDS.safetensors",
        "-o", "MODEL.safetensors", *words,
    )  # fmt: skip
    return Model(model, "MODEL.safetensors", None, line)


class LabelTable(NamedTuple):
    """Which rows of features belong to which files and classes."""

    files: list[str]  #: one per row; empty where the table has none
    labels: list[str]  #: the name of the class of each row
    classes: list[str]  #: the names, by number


def read_labels(path: Path) -> LabelTable:
    """Reads a table that ``fovea scenes features --labels`` or :func:`write_labels` wrote, or another CSV table with a
    column named class."""
    files, numbers, names = _fovea.scenes.read_labels(path_of(path))
    return LabelTable(list(files), [names[number] for number in numbers], list(names))


def write_labels(
    path: Path, files: Sequence[str], labels: Sequence[Any], classes: Sequence[str] | None = None
) -> None:
    """Writes the file, class and label of each row of features as CSV, as ``fovea scenes features --labels`` does."""
    _, numbers, names = _numbered(labels, classes)
    listed = [path_of(file, "files", "paths") for file in list_of(files, "files", "a list of paths")]
    if len(listed) != len(numbers):
        raise InvalidArgument(f"there are {len(listed)} files and {len(numbers)} labels; expected one label per file")
    _fovea.scenes.write_labels(path_of(path), listed, numbers, names)
