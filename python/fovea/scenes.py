"""Which kind of place an image shows, by the visual words in it."""

from __future__ import annotations

import hashlib
import html
import os
import time
import warnings
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from . import _fovea
from ._estimator import Estimator
from ._keywords import takes_options
from ._notebook import png_bytes
from ._ordered import in_order
from ._progress import Progress, reporting
from ._results import Result, Table, command_line
from .errors import Error, InvalidArgument, InvalidType
from .files import Path, file_hash, is_path, model_path

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

    from ._options import ScenesBagOptions, ScenesClassifyOptions, ScenesEvaluateOptions, ScenesTrainOptions

__all__ = [
    "BagOfWords",
    "Classifier",
    "Evaluation",
    "Explanation",
    "Model",
    "Reason",
    "Scene",
    "Words",
    "classify",
    "evaluate",
    "load_model",
    "train",
]

Floats = np.ndarray[Any, np.dtype[np.float32]]
Bytes = np.ndarray[Any, np.dtype[np.uint8]]
OnError = Literal["raise", "skip"]

_EXEC = ("device", "threads", "seed")


class Model:
    """A trained classifier of places: its words, its classes and what it knows about them."""

    def __init__(self, model: Any, name: str, file: str | None, command: str | None = None) -> None:
        self._model = model
        #: The name or path by which it was loaded, or ``MODEL.safetensors``.
        self.name = name
        #: For a trained model, the line of the program that writes the same file.
        self.command = command
        self._file = file
        self._hash: str | None = None

    @property
    def kind(self) -> str:
        """knn or svm."""
        return str(self._model.kind)

    @property
    def classes(self) -> list[str]:
        """The names of the places, by label."""
        return list(self._model.classes)

    @property
    def words(self) -> Floats:
        """The visual words, one per row, in standardized numbers."""
        found: Floats = self._model.words
        return found

    @property
    def pyramid(self) -> int:
        """Levels of the spatial pyramid below the whole image."""
        return int(self._model.pyramid)

    @property
    def descriptor(self) -> dict[str, Any]:
        """How a place of an image is described."""
        return dict(self._model.descriptor)

    @property
    def facts(self) -> dict[str, str]:
        """How it was made: options, seed, counts."""
        return dict(self._model.facts)

    @property
    def hash(self) -> str:
        """SHA-256 of its file, or of the file that ``save`` would write."""
        if self._hash is None:
            self._hash = file_hash(self._file) if self._file else hashlib.sha256(self._bytes()).hexdigest()
        return self._hash

    def save(self, path: Path) -> None:
        """Writes a safetensors file, which appears whole or not at all."""
        self._model.save(os.fspath(path))

    def _bytes(self) -> bytes:
        import tempfile

        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.safetensors")
            self.save(path)
            with open(path, "rb") as file:
                return file.read()

    def __eq__(self, other: object) -> bool:
        return self._bytes() == other._bytes() if isinstance(other, Model) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        return _model_of, (self._bytes(), self.name, self.command)

    def __repr__(self) -> str:
        return f"Model({self.name!r}, {self.kind}, {len(self.words)} words, {len(self.classes)} classes)"


def _model_of(content: bytes, name: str, command: str | None) -> Model:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.safetensors")
        with open(path, "wb") as file:
            file.write(content)
        return Model(_fovea.scenes.read_model(path), name, None, command)


def load_model(name: Path) -> Model:
    """Reads a shipped model by its name, such as ``sun8``, or a model file."""
    known = _path(name, "model", "the name of a model or a file")
    file = model_path(known, "scenes")
    return Model(_fovea.scenes.read_model(file), known, file)


class Scene(Table):
    """Which kind of place an image shows. It is a table of the classes and their scores."""

    name: str  #: the class with the greatest score
    label: int  #: its number in the model, from 0
    score: float  #: its score
    scores: dict[str, float]  #: the score of each class; they add up to 1 unless the model is not calibrated
    file: str | None  #: the image, where it is a file

    _compared = ("name", "label", "_numbers", "file")

    def __init__(self, label: int, numbers: Floats, classes: Sequence[str], **origin: Any) -> None:
        super().__init__(origin["options"], origin["provenance"], origin["command"])
        self.label = label
        self.name = classes[label]
        self.score = float(numbers[label])
        self.scores = {name: float(score) for name, score in zip(classes, numbers)}
        self.file = origin.get("file")
        self._numbers = numbers
        self._seconds = origin.get("seconds", 0.0)
        self._classifier: Classifier | None = origin.get("classifier")
        self._image = origin.get("image")

    def explain(self, name: str | None = None) -> Explanation:
        """The words that spoke for this class, or for another one."""
        if self._classifier is None:
            raise InvalidArgument("this result came without its image; call explain(image) of a Classifier")
        image = self._image if self.file is None else self.file
        return self._classifier.explain(image, self.name if name is None else name)

    def columns(self) -> dict[str, np.ndarray[Any, Any]]:
        """The classes in the model's order, and their scores."""
        return {"class": np.array(list(self.scores), dtype=str), "score": self._numbers}

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        """The scores in the model's order."""
        return np.array(self._numbers, dtype=dtype or np.float32)

    def __getstate__(self) -> dict[str, Any]:
        # Neither the image nor the classifier is part of the result.
        return {**self.__dict__, "_image": None, "_classifier": None}

    def __repr__(self) -> str:
        made = f"{self.provenance['model']}, {self.provenance['device']}, {1000 * self._seconds:.0f} ms"
        return f"{self.name}, score {self.score:.2f} ({made})"

    def _repr_html_(self) -> str:
        best = sorted(self.scores.items(), key=lambda item: -item[1])
        rows = "".join(
            f"<tr><td>{html.escape(name)}</td><td>{score:.3f}</td><td><div style='background:#4878a8;height:0.8em;"
            f"width:{max(0.0, min(1.0, score)) * 12:.2f}em'></div></td></tr>"
            for name, score in best
        )
        return f"<table><tr><th>class</th><th>score</th><th></th></tr>{rows}</table>"


class Words(Result):
    """The number of the visual word of every place of an image, as an array of uint16."""

    numbers: np.ndarray[Any, np.dtype[np.uint16]]  #: of shape (rows, columns); with filters every pixel is a place

    _compared = ("numbers",)

    def __init__(self, numbers: Any, model: Model, **origin: Any) -> None:
        super().__init__(origin["options"], origin["provenance"], origin["command"])
        self.numbers = numbers
        self._model = model

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.numbers.shape[0], self.numbers.shape[1]

    def to_color(self) -> Bytes:
        """Every place in the color of its word; words that are alike have similar colors."""
        picture: Bytes = self._model._model.paint(self.numbers)
        return picture

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        return np.array(self.numbers, dtype=dtype)

    def __repr__(self) -> str:
        rows, columns = self.shape
        distinct = len(np.unique(self.numbers))
        return f"words of {columns}x{rows} places, {distinct} distinct ones ({self.provenance['model']})"

    def _repr_png_(self) -> bytes:
        return png_bytes(self.to_color())


class Reason(NamedTuple):
    """What one word of one part of the image says about a class."""

    word: int  #: number of the word
    level: int  #: level of the spatial pyramid: 0 is the whole image
    row: int  #: of the cell at that level
    column: int
    share: float  #: the feature: how often the word occurs there
    contribution: float  #: what it adds to the evidence for the class


class Explanation(Table):
    """Which words spoke for a class, the strongest first.

    With support vector machines the contributions and the bias add up to the margin of the class. With nearest
    neighbors they add up to the similarity with the neighbors of that class, divided by the number of neighbors."""

    name: str  #: the class
    bias: float  #: what the class has before any word speaks
    evidence: float  #: sum of the contributions
    heat: np.ndarray[Any, np.dtype[np.float64]]  #: what every place (see Words) adds to the evidence
    words: np.ndarray[Any, np.dtype[np.int64]]  #: one number per row
    contributions: Floats  #: one number per row

    _compared = ("name", "bias", "words", "contributions", "heat")

    def __init__(self, name: str, bias: float, rows: dict[str, Any], heat: Any, **origin: Any) -> None:
        super().__init__(origin["options"], origin["provenance"], origin["command"])
        self.name, self.bias = name, bias
        self.words, self.contributions = rows["word"], rows["contribution"]
        self.evidence = float(np.sum(self.contributions, dtype=np.float64))
        self.heat = heat
        self._rows = rows
        self._image = origin.get("image")
        self._grid = origin["grid"]

    def __len__(self) -> int:
        return len(self.words)

    def __getitem__(self, index: int) -> Reason:
        return Reason(*(self._rows[name][index].item() for name in Reason._fields))

    def __iter__(self) -> Iterator[Reason]:
        return (self[i] for i in range(len(self)))

    def columns(self) -> dict[str, np.ndarray[Any, Any]]:
        """word, level, row, column, share and contribution."""
        return dict(self._rows)

    def draw(self, image: Any = None) -> Bytes:
        """The image in gray; places that speak for the class are red, places that speak against it blue."""
        pixels = np.asarray(self._image if image is None else image)
        gray = pixels.astype(np.float64) if pixels.ndim == 2 else pixels[:, :, :3].astype(np.float64).mean(axis=2)
        step, left, top = self._grid["step"], self._grid["left"], self._grid["top"]
        rows = np.clip((np.arange(gray.shape[0]) - top + step // 2) // step, 0, self.heat.shape[0] - 1)
        columns = np.clip((np.arange(gray.shape[1]) - left + step // 2) // step, 0, self.heat.shape[1] - 1)
        strongest = np.quantile(abs(self.heat), 0.98) or 1.0
        heat = np.clip(self.heat[np.ix_(rows, columns)] / strongest, -1, 1)
        color = np.where(heat[..., None] > 0, (214.0, 48.0, 39.0), (49.0, 96.0, 181.0))
        strength = 0.75 * abs(heat)[..., None]
        drawn: Bytes = ((1 - strength) * gray[..., None] + strength * color).astype(np.uint8)
        return drawn

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_image": None}

    def __repr__(self) -> str:
        best = f", most by word {self.words[0]} ({self.contributions[0]:+.3f})" if len(self) else ""
        return f"{self.name}: evidence {self.evidence:+.3f}, bias {self.bias:+.3f}{best}"

    def _repr_png_(self) -> bytes | None:
        return None if self._image is None else png_bytes(self.draw())


class Classifier:
    """Finds which kind of place images show. Threads take turns; several classifiers run side by side."""

    @takes_options(_fovea.scenes.classify_options())
    def __init__(self, model: Path | Model = "sun8", **options: Unpack[ScenesClassifyOptions]) -> None:
        """Takes the name of a shipped model, a model file or a Model."""
        self.model = model if isinstance(model, Model) else load_model(model)
        self._keywords = dict(options)
        self._classifier = _fovea.scenes.Classifier(self.model._model, self._keywords)
        self._options: dict[str, Any] = dict(self._classifier.options)
        self._words = list(self._classifier.words_of_program)
        self._classes = self.model.classes

    @property
    def options(self) -> dict[str, Any]:
        """Every option with its value."""
        return dict(self._options)

    @property
    def classes(self) -> list[str]:
        """The names of the places, by label."""
        return list(self._classes)

    def classify(self, image: Any) -> Scene:
        """Classifies an image: an array of uint8, gray, RGB or RGBA, an image of PIL, or a path."""
        return self._classified(self._classifier, image)

    def classify_all(
        self, images: Path | Iterable[Any], progress: Progress = False, on_error: OnError = "raise"
    ) -> Iterator[Scene]:
        """Classifies many images, in their order: arrays, paths, or a folder. Several threads read and classify them.

        An image that cannot be read raises its error, or is left out with a warning for ``on_error="skip"``."""
        listed = _images(images)
        skip = _skips(on_error)
        number, threads = _fovea.files.plan_workers(self._options["device"], self._options["threads"], len(listed))
        keywords = {**self._keywords, "threads": threads}
        workers = [_fovea.scenes.Classifier(self.model._model, keywords) for _ in range(number)]

        def work(worker: Any, image: Any, _: int) -> Scene | Error:
            try:
                return self._classified(worker, image)
            except Error as error:
                if not skip:
                    raise
                return error

        with reporting(progress) as report:
            for done, found in enumerate(in_order(listed, workers, work), 1):
                if report:
                    report("images", done, len(listed))
                if isinstance(found, Scene):
                    yield found
                else:
                    warnings.warn(str(found), stacklevel=2)

    def features(self, image: Any) -> Floats:
        """How often each word occurs in an image: the histogram that is classified."""
        found: Floats = self._classifier.features(_pixels(image))
        return found

    def words(self, image: Any) -> Words:
        """The word of every place of an image."""
        line = self._line("words", image, "--numbers", "WORDS.npy")
        return Words(self._classifier.words(_pixels(image)), self.model, **self._origin(line))

    def explain(self, image: Any, name: str | None = None) -> Explanation:
        """The words that speak for a class: for the one that the image is classified as, unless another is named."""
        pixels = _pixels(image)
        if name is None:
            label, _ = self._classifier.classify(pixels)
        elif isinstance(name, str) and name in self._classes:
            label = self._classes.index(name)
        else:
            raise InvalidArgument(f"{_shown(name)} is no class of {self.model.name}; it has {', '.join(self._classes)}")
        features = self._classifier.features(pixels)
        given: Floats = self._classifier.contributions(features)[label]
        shape = np.shape(pixels)
        grid = self.model._model.grid(shape[1], shape[0])
        number = len(features) // (1, 5, 21)[self.model.pyramid]
        heat = _heat(self._classifier.words(pixels), features, given, (shape[1], shape[0], number), grid)
        order = np.argsort(-given, kind="stable")
        order = order[features[order] > 0]
        rows = {**_cells(order, number), "share": features[order], "contribution": given[order]}
        line = self._line("classify", image, "--json")
        bias = float(self.model._model.bias[label])
        return Explanation(self._classes[label], bias, rows, heat, grid=grid, image=pixels, **self._origin(line))

    def _classified(self, classifier: Any, image: Any) -> Scene:
        start = time.perf_counter()
        pixels = _pixels(image)
        label, numbers = classifier.classify(pixels)
        line = self._line("classify", image, "--json")
        file = os.fspath(image) if is_path(image) else None
        seconds = time.perf_counter() - start
        place = {"classifier": self, "image": None if file else pixels, "file": file, "seconds": seconds}
        return Scene(label, numbers, self._classes, **self._origin(line), **place)

    def _line(self, verb: str, image: Any, *more: str) -> str:
        source = os.fspath(image) if is_path(image) else "IMAGE"
        return command_line("fovea", "scenes", verb, source, "--model", self.model.name, *self._words, *more)

    def _origin(self, command: str) -> dict[str, Any]:
        provenance = {
            "device": self._options["device"],
            "seed": self._options["seed"],
            "model": self.model.name,
            "model_hash": self.model.hash,
        }
        return {"options": self.options, "provenance": provenance, "command": command}

    def __reduce__(self) -> tuple[Any, ...]:
        return _classifier_of, (self.model, self._keywords)

    def __repr__(self) -> str:
        return f"Classifier({self.model.name!r}, device {self._options['device']!r})"


def _classifier_of(model: Model, keywords: dict[str, Any]) -> Classifier:
    return Classifier(model, **keywords)


@takes_options(_fovea.scenes.classify_options())
def classify(image: Any, model: Path | Model = "sun8", **options: Unpack[ScenesClassifyOptions]) -> Scene:
    """Classifies one image. To classify several, make a Classifier, which reads the model once."""
    return Classifier(model, **options).classify(image)


@takes_options(_fovea.scenes.train_options())
def train(
    images: Path | Iterable[Any],
    labels: Sequence[Any] | None = None,
    *,
    classes: Sequence[str] | None = None,
    progress: Progress = False,
    on_error: OnError = "raise",
    **options: Unpack[ScenesTrainOptions],
) -> Model:
    """Trains a model from a folder with one folder of images per class, from a list of lines "file class", or from
    images (arrays or paths) with their labels, which are names or whole numbers.

    Classes are numbered in natural order of their names, unless ``classes`` gives another order. An image that cannot
    be read raises its error, or is left out with a warning for ``on_error="skip"``."""
    skip = _skips(on_error)
    listed, numbers, names = _corpus(images, labels, classes)
    with reporting(progress) as report:
        model, failures, _, words = _fovea.scenes.train(listed, numbers, names, dict(options), skip, report)
    _warn(failures, listed)
    source = os.fspath(images) if labels is None else "IMAGES"  # type: ignore[arg-type]
    line = command_line("fovea", "scenes", "train", source, "-o", "MODEL.safetensors", *words)
    return Model(model, "MODEL.safetensors", None, line)


class Evaluation(Table):
    """How often images were classified correctly. It is a table of the true classes and what they were taken for."""

    classes: list[str]  #: the names, by label
    images: int  #: how many images there were
    failed: int  #: how many of them could not be read
    accuracy_mean: float  #: over the splits
    accuracy_deviation: float  #: between the splits
    accuracy_interval: tuple[float, float] | None  #: 95 % confidence interval, for a single split
    accuracies: tuple[float, ...]  #: one per split
    accuracy_against_k: tuple[tuple[int, float], ...]  #: knn: numbers of neighbors and the accuracy with each
    confusion_matrix: np.ndarray[Any, np.dtype[np.int64]]  #: rows are true classes, columns predicted ones
    recall: np.ndarray[Any, np.dtype[np.float64]]  #: the share of each true class that is right

    _compared = ("classes", "images", "failed", "accuracies", "accuracy_against_k", "confusion_matrix")

    def __init__(self, numbers: dict[str, Any], classes: list[str], images: int, **origin: Any) -> None:
        super().__init__(origin["options"], origin["provenance"], origin["command"])
        self.classes, self.images = classes, images
        for name, value in numbers.items():
            setattr(self, name, value)

    @property
    def accuracy(self) -> float:
        """The mean accuracy."""
        return self.accuracy_mean

    def columns(self) -> dict[str, np.ndarray[Any, Any]]:
        """The true class, its recall, and how often it was taken for each class."""
        predicted = {name: np.ascontiguousarray(self.confusion_matrix[:, i]) for i, name in enumerate(self.classes)}
        return {"class": np.array(self.classes, dtype=str), "recall": self.recall, **predicted}

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        """The confusion matrix."""
        return np.array(self.confusion_matrix, dtype=dtype)

    def __repr__(self) -> str:
        if self.accuracy_interval is None:
            counts = f"{len(self.accuracies)} splits of {self.images} images"
            spread = f" +- {100 * self.accuracy_deviation:.2f} over {counts}"
        else:
            low, high = (100 * bound for bound in self.accuracy_interval)
            tested = int(self.confusion_matrix.sum())
            spread = f" ({low:.1f} to {high:.1f} with 95 % confidence) on {tested} images"
        return f"accuracy {100 * self.accuracy_mean:.2f} %{spread}"

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{html.escape(name)}</th>" for name in self.classes)
        rows = []
        for name, counts in zip(self.classes, self.confusion_matrix):
            shares = counts / max(1, counts.sum())
            cells = "".join(
                f"<td style='background:rgba(72,120,168,{share:.2f})'>{count}</td>"
                for count, share in zip(counts, shares)
            )
            rows.append(f"<tr><th>{html.escape(name)}</th>{cells}</tr>")
        return f"<p>{html.escape(repr(self))}</p><table><tr><th></th>{head}</tr>{''.join(rows)}</table>"


@takes_options(_fovea.scenes.evaluate_options())
def evaluate(
    images: Path | Iterable[Any],
    labels: Sequence[Any] | None = None,
    *,
    model: Path | Model | None = None,
    classes: Sequence[str] | None = None,
    train: Path | None = None,
    test: Path | None = None,
    progress: Progress = False,
    on_error: OnError = "raise",
    **options: Unpack[ScenesEvaluateOptions],
) -> Evaluation:
    """Measures how often images are classified correctly, with the program's numbers.

    ``images`` and ``labels`` are those of :func:`train`. With a ``model``, that is tested with all images. Without one,
    the images are divided at random, ``splits`` times, into those to train on and those to test with; ``train`` and
    ``test`` are lists of files that give one split instead."""
    skip = _skips(on_error)
    keywords: dict[str, Any] = dict(options)
    source = os.fspath(images) if labels is None and is_path(images) else "IMAGES"  # type: ignore[arg-type]
    if model is not None:
        if train is not None or test is not None:
            raise InvalidArgument("train and test have no use with a model, which is tested with all images")
        return _test(model, source, (images, labels, classes), keywords, (skip, progress))
    splits: Any
    if train is not None or test is not None:
        if train is None or test is None or source == "IMAGES":
            raise InvalidArgument("train and test go together: each names a list, whose files lie in the folder images")
        chosen = _path(train, "train", "a list of files"), _path(test, "test", "a list of files")
        (listed, numbers, names), splits = _fovea.scenes.split_corpus(source, *chosen, keywords)
        lists = ["--train", chosen[0], "--test", chosen[1]]
    else:
        listed, numbers, names = _corpus(images, labels, classes)
        splits = _fovea.scenes.random_splits(numbers, len(names), keywords)
        lists = []
    with reporting(progress) as report:
        found, failures, used, words = _fovea.scenes.evaluate(
            listed, numbers, len(names), list(splits), keywords, skip, report
        )
    _warn(failures, listed)
    line = command_line("fovea", "scenes", "eval", source, *lists, *words, "--json")
    provenance = {"device": used["device"], "seed": used["seed"]}
    return Evaluation(found.numbers, list(names), len(listed), options=dict(used), provenance=provenance, command=line)


def _test(
    model: Path | Model, source: str, data: tuple[Any, Any, Any], keywords: dict[str, Any], how: tuple[bool, Progress]
) -> Evaluation:
    """Tests a trained model with all images."""
    images, labels, classes = data
    skip, progress = how
    for name in keywords:
        if name not in _EXEC and name in (entry["name"] for entry in _fovea.scenes.evaluate_options()):
            raise InvalidArgument(f"{name} has no use with a model, which is tested as it is")
    classifier = Classifier(model, **keywords)
    if classes is not None and _sequence(classes, "classes") != classifier.classes:
        raise InvalidArgument(f"classes are not those of the model, which has {', '.join(classifier.classes)}")
    listed, numbers, names = _corpus(images, labels, classifier.classes)
    with reporting(progress) as report:
        found, failures = classifier._classifier.evaluate(listed, numbers, skip, report)
    _warn(failures, listed)
    name = classifier.model.name
    line = command_line("fovea", "scenes", "eval", source, "--model", name, *classifier._words, "--json")
    return Evaluation(found.numbers, list(names), len(listed), **classifier._origin(line))


class BagOfWords(Estimator):
    """Turns images into histograms of visual words, as a transformer of scikit-learn does: ``fit`` learns the words,
    ``transform`` counts them. Images are arrays, images of PIL or paths, in a list, or all files of a folder."""

    vocabulary_: Floats  #: the words, one per row, in standardized numbers
    mean_: Floats  #: of each number of a descriptor; empty without ``standardize``
    scale_: Floats  #: what each number is multiplied by

    _table = _fovea.scenes.bag_options()

    @takes_options(_table)
    def __init__(self, **options: Unpack[ScenesBagOptions]) -> None:
        """Takes the parameters; ``fit`` checks them."""
        super().__init__(**options)

    def fit(self, X: Path | Iterable[Any], y: Any = None, *, progress: Progress = False) -> Self:
        """Learns words from images. ``y`` is not used."""
        images = _images(X, "X")
        with reporting(progress) as report:
            self.vocabulary_, self.mean_, self.scale_ = _fovea.scenes.learn_words(images, self.get_params(), report)
        self.parameters_ = self.get_params()
        self._bag: Any = None
        return self

    def transform(self, X: Path | Iterable[Any], *, progress: Progress = False) -> Floats:
        """How often each word occurs in each image: one row of float32 per image, which adds up to 1."""
        parameters = self._fitted_parameters()
        images = _images(X, "X")
        if getattr(self, "_bag", None) is None:
            self._bag = _fovea.scenes.Bag(self.vocabulary_, self.mean_, self.scale_, parameters)
        with reporting(progress) as report:
            features: Floats = self._bag.transform(images, report)
        return features

    def fit_transform(self, X: Path | Iterable[Any], y: Any = None, *, progress: Progress = False) -> Floats:
        """Learns words from images and counts them."""
        images = _images(X, "X")
        return self.fit(images, progress=progress).transform(images, progress=progress)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray[Any, Any]:
        """The names of the columns of ``transform``: words, and the cells of the spatial pyramid."""
        pyramid = self._fitted_parameters()["pyramid"]
        number = len(self.vocabulary_)
        cells = _cells(np.arange(number * (1, 5, 21)[pyramid]), number)
        return np.array(
            [
                f"word{word}" if level == 0 else f"word{word}_level{level}_row{row}_column{column}"
                for word, level, row, column in zip(*(cells[name].tolist() for name in Reason._fields[:4]))
            ],
            dtype=object,
        )


def _shown(value: object) -> str:
    """A value in a message: as Python writes it, or its type where that is long."""
    text = repr(value)
    return text if len(text) < 60 and "\n" not in text else f"of type {type(value).__name__}"


def _path(value: Any, name: str, need: str) -> str:
    if not is_path(value):
        raise InvalidType(f"{name} is {_shown(value)}; expected {need}")
    return str(os.fspath(value))


def _sequence(values: Any, name: str) -> list[Any]:
    if isinstance(values, (str, bytes, dict)) or not isinstance(values, Iterable) or getattr(values, "ndim", 1) != 1:
        raise InvalidType(f"{name} is {_shown(values)}; expected a list")
    return list(values)


def _pixels(image: Any) -> Any:
    return _fovea.scenes.read_image(os.fspath(image)) if is_path(image) else image


def _images(images: Any, name: str = "images") -> list[Any]:
    """Images as a list of arrays and paths."""
    if is_path(images):
        return list(_fovea.scenes.expand(os.fspath(images)))
    shape = getattr(images, "shape", None)
    if shape is not None and (len(shape) in (0, 2) or (len(shape) == 3 and shape[-1] in (1, 3, 4))):
        raise InvalidArgument(f"{name} is one array of shape {tuple(shape)}; expected several images, such as [image]")
    if not isinstance(images, Iterable) or isinstance(images, (bytes, dict)):
        raise InvalidType(f"{name} is of type {type(images).__name__}; expected a list of images or a folder")
    return [str(os.fspath(image)) if is_path(image) else image for image in images]


def _corpus(
    images: Any, labels: Sequence[Any] | None, classes: Sequence[str] | None
) -> tuple[list[Any], list[int], list[str]]:
    """Images, the number of the class of each, and the names of the classes."""
    known = [] if classes is None else _sequence(classes, "classes")
    for name in known:
        if not isinstance(name, str):
            raise InvalidType(f"classes holds {_shown(name)}; expected names")
    if labels is None:
        if not is_path(images):
            raise InvalidArgument("labels are missing; only a folder of folders or a list of files has none")
        paths, numbers, names = _fovea.scenes.read_corpus(os.fspath(images), known)
        return list(paths), list(numbers), list(names)
    listed = _images(images)
    words = [_label(label, i) for i, label in enumerate(_sequence(labels, "labels"))]
    if len(words) != len(listed):
        raise InvalidArgument(f"there are {len(listed)} images and {len(words)} labels; expected one label per image")
    names = known or list(_fovea.scenes.natural_order(words))
    place = {name: i for i, name in enumerate(names)}
    for word in words:
        if word not in place:
            raise InvalidArgument(f"label {word!r} is none of the classes {', '.join(names)}")
    return listed, [place[word] for word in words], names


def _label(label: Any, index: int) -> str:
    if isinstance(label, str):
        return label
    if isinstance(label, (int, np.integer)) and not isinstance(label, bool):
        return str(int(label))
    raise InvalidType(f"labels[{index}] is {_shown(label)}; expected a name or a whole number")


def _skips(on_error: str) -> bool:
    if not isinstance(on_error, str) or on_error not in ("raise", "skip"):
        raise InvalidArgument(f"on_error is {_shown(on_error)}; expected 'raise' or 'skip'")
    return on_error == "skip"


def _warn(failures: list[tuple[int, str]], images: list[Any]) -> None:
    for index, why in failures:
        place = images[index] if isinstance(images[index], str) else f"images[{index}]"
        warnings.warn(why if place in why else f"{place}: {why}", stacklevel=3)


def _cells(bins: np.ndarray[Any, Any], words: int) -> dict[str, np.ndarray[Any, Any]]:
    """The word of each bin, and its cell of the spatial pyramid."""
    cell = bins // words
    level = np.where(cell == 0, 0, np.where(cell < 5, 1, 2))
    inside = cell - np.array([0, 1, 5])[level]
    side = 1 << level
    return {"word": bins % words, "level": level, "row": inside // side, "column": inside % side}


def _heat(
    words: Any, features: Floats, given: Floats, sizes: tuple[int, int, int], grid: dict[str, Any]
) -> np.ndarray[Any, np.dtype[np.float64]]:
    """What each place adds: the contributions of its bins, each divided by the places that share the bin."""
    width, height, number = sizes
    levels = {1: 0, 5: 1, 21: 2}[len(features) // number]
    heat = np.zeros(words.shape, np.float64)
    columns = grid["left"] + grid["step"] * np.arange(words.shape[1])
    rows = grid["top"] + grid["step"] * np.arange(words.shape[0])
    start = 0
    for level in range(levels + 1):
        weight = 0.5 ** (levels if level == 0 else levels - level + 1)
        cells = ((rows << level) // height)[:, None] * (1 << level) + ((columns << level) // width)[None, :]
        bins = (start + cells) * number + words
        places = np.rint(features[bins].astype(np.float64) / weight * grid["places"])
        heat += given[bins] / places
        start += 4**level
    return heat
