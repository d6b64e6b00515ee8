"""Training and evaluation."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from .. import _fovea
from .._arguments import OnError, list_of, path_of, skips
from .._frames import name_of
from .._keywords import takes_options
from .._operation import origin_of
from .._options import ScenesClassifyOptions, ScenesEvaluateOptions, ScenesTrainOptions, Unpack
from .._progress import Progress, reporting
from .._records import ScenesEvaluateFields as _Evaluation
from .._results import Table, command_line, described, rows_of
from ..errors import InvalidArgument
from ..files import Path
from ._classify import Classifier
from ._input import _chosen, _corpus, _warn
from ._model import Learning, Model


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

    ``classes`` chooses some classes by their names, in this order, and images of others are left out; otherwise all are
    numbered in natural order. An image that cannot be read raises its error, or is left out with a
    warning for ``on_error="skip"``."""
    skip = skips(on_error)
    classes = None if classes is None else list_of(classes, "classes", "a list")
    listed, numbers, names = _corpus(images, labels, classes, choose=True)
    with reporting(progress) as report:
        model, failures, words = _fovea.scenes.train(listed, numbers, names, skip, report, dict(options))
    _warn(failures, listed)
    source = name_of(images if labels is None else None, "IMAGES")
    words = [*(_chosen(images, classes) if labels is None else []), *words]
    line = command_line("fovea", "scenes", "train", source, "-o", "MODEL.safetensors", *words)
    return Model(model, "MODEL.safetensors", None, line)


@described(_fovea.scenes.evaluate_fields())
class Evaluation(Table, _Evaluation):
    """How often images were classified correctly. It is a table of the true classes and what they were taken for."""

    accuracies: tuple[float, ...]  # type: ignore[assignment]  #: one per split
    #: knn: numbers of neighbors and the accuracy with each
    accuracy_against_k: tuple[tuple[int, float], ...]  # type: ignore[assignment]
    #: rows are true classes, columns predicted ones
    confusion_matrix: np.ndarray[Any, np.dtype[np.int64]]  # type: ignore[assignment]

    def _take(self, values: dict[str, Any]) -> None:
        super()._take(values)
        against = values["accuracy_against_k"]
        self.accuracies = tuple(values["accuracies"].tolist())
        self.accuracy_against_k = tuple(zip(against["k"].tolist(), against["accuracy"].tolist()))
        self.confusion_matrix = np.array(values["confusion_matrix"], np.int64)

    @property
    def learning(self) -> tuple[Learning | None, ...]:
        """How words were learned, once for all splits, or once per split: the columns of ``kmeans`` as rows."""
        return tuple(row if row.iterations else None for row in rows_of(Learning, self.kmeans))

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


@takes_options(_fovea.scenes.classify_options())
def evaluate(
    model: Path | Model,
    images: Path | Iterable[Any],
    labels: Sequence[Any] | None = None,
    *,
    classes: Sequence[str] | None = None,
    progress: Progress = False,
    on_error: OnError = "raise",
    **options: Unpack[ScenesClassifyOptions],
) -> Evaluation:
    """Measures how often a model classifies images correctly, with the program's numbers.

    ``images`` and ``labels`` are those of :func:`train`; all of them are tested. With ``classes``, which are those of the model,
    images of other classes are left out."""
    skip = skips(on_error)
    classifier = Classifier(model, **options)
    if classes is not None and list_of(classes, "classes", "a list") != classifier.classes:
        raise InvalidArgument(f"classes are not those of the model, which has {', '.join(classifier.classes)}")
    listed, numbers, _ = _corpus(images, labels, classifier.classes, choose=classes is not None)
    with reporting(progress) as report:
        found, failures = classifier._face.evaluate(listed, numbers, skip, report)
    _warn(failures, listed)
    source = name_of(images if labels is None else None, "IMAGES")
    return Evaluation(**classifier._made("eval", source, "--json"), values=found)


@takes_options(_fovea.scenes.evaluate_options())
def cross_validate(
    images: Path | Iterable[Any],
    labels: Sequence[Any] | None = None,
    *,
    classes: Sequence[str] | None = None,
    train: Path | None = None,
    test: Path | None = None,
    progress: Progress = False,
    on_error: OnError = "raise",
    **options: Unpack[ScenesEvaluateOptions],
) -> Evaluation:
    """Measures how well training works: trains with one part of the images and tests with the others.

    ``images`` and ``labels`` are those of :func:`train`. They are divided at random, ``splits`` times; ``train`` and
    ``test`` are lists of files that give one split instead. The program has the same as ``fovea scenes eval`` without a
    model."""
    skip = skips(on_error)
    keywords: dict[str, Any] = dict(options)
    source = name_of(images if labels is None else None, "IMAGES")
    splits: Any
    if train is not None or test is not None:
        if train is None or test is None or source == "IMAGES":
            raise InvalidArgument("train and test go together: each names a list, whose files lie in the folder images")
        chosen = path_of(train, "train", "a list of files"), path_of(test, "test", "a list of files")
        (listed, numbers, names), splits = _fovea.scenes.split_corpus(source, *chosen, keywords)
        lists = ["--train", chosen[0], "--test", chosen[1]]
    else:
        classes = None if classes is None else list_of(classes, "classes", "a list")
        listed, numbers, names = _corpus(images, labels, classes, choose=True)
        splits = _fovea.scenes.random_splits(numbers, len(names), keywords)
        lists = _chosen(images, classes) if labels is None else []
    with reporting(progress) as report:
        found, failures, used, words = _fovea.scenes.evaluate(
            listed, numbers, list(names), list(splits), skip, report, keywords
        )
    _warn(failures, listed)
    return Evaluation(**origin_of(used, ("scenes", "eval", source, *lists, *words, "--json")), values=found)
