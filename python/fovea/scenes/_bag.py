"""Histograms of visual words for scikit-learn."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from .. import _fovea
from .._batch import images_of
from .._estimator import Estimator
from .._keywords import takes_options
from .._options import ScenesBagOptions, Self, Unpack
from .._progress import Progress, reporting
from .._results import row_of
from ..files import Path
from ._classify import Reason, _cells
from ._input import Floats
from ._model import Learning


class BagOfWords(Estimator):
    """Turns images into histograms of visual words, as a transformer of scikit-learn does: ``fit`` learns the words,
    ``transform`` counts them. Images are arrays, images of PIL or paths, in a list, or all files of a folder."""

    vocabulary_: Floats  #: the words, one per row, in standardized numbers
    mean_: Floats  #: of each number of a descriptor; empty without ``standardize``
    scale_: Floats  #: what each number is multiplied by
    learning_: Learning  #: how the words were learned
    code_: dict[str, Any]  #: what ``coding`` knows beside the words, and the words of color under ``beside``

    _table = _fovea.scenes.bag_options()

    @takes_options(_table, rules=())
    def __init__(self, **options: Unpack[ScenesBagOptions]) -> None:
        """Takes the parameters; ``fit`` checks them."""
        super().__init__(**options)

    def fit(self, X: Path | Iterable[Any], y: Any = None, *, progress: Progress = False) -> Self:
        """Learns words from images. ``y`` is not used."""
        images, keywords = images_of(X, "X"), self._keywords()
        with reporting(progress) as report:
            found = _fovea.scenes.learn_words(images, keywords, report)
        self.vocabulary_, self.mean_, self.scale_ = found[:3]
        self.learning_ = row_of(Learning, found[3])
        self.code_ = found[4]
        self.parameters_ = keywords
        self._held = None
        return self

    def transform(self, X: Path | Iterable[Any], *, progress: Progress = False) -> Floats:
        """How often each word occurs in each image: one row of float32 per image, which adds up to 1.

        With ``coding="vlad"`` and ``"fisher"`` a row holds signed numbers, and each level of the pyramid has length 1."""
        parameters = self._fitted_parameters()
        images = images_of(X, "X")
        bag = getattr(self, "_held", None)
        if bag is None:
            code = getattr(self, "code_", None)  # estimators of earlier versions, from a pickle, have none
            bag = self._held = _fovea.scenes.Bag(self.vocabulary_, self.mean_, self.scale_, code, parameters)
        with reporting(progress) as report:
            features: Floats = bag.transform(images, report)
        return features

    def fit_transform(self, X: Path | Iterable[Any], y: Any = None, *, progress: Progress = False) -> Floats:
        """Learns words from images and counts them."""
        images = images_of(X, "X")
        return self.fit(images, progress=progress).transform(images, progress=progress)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # A list of images, whose sizes may differ.
        tags.input_tags.two_d_array, tags.input_tags.three_d_array = False, True
        return tags

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray[Any, Any]:
        """The names of the columns of ``transform``: words, and the cells of the spatial pyramid."""
        pyramid = self._fitted_parameters()["pyramid"]
        code = getattr(self, "code_", {"coding": "hard", "beside": []})
        names = _names("", len(self.vocabulary_), code, pyramid)
        for other in code["beside"]:
            names += _names("color_", len(other["words"]), other["code"], pyramid)
        return np.array(names, dtype=object)


def _names(prefix: str, words: int, code: dict[str, Any], pyramid: int) -> list[str]:
    """The names of the features of some words."""
    of_cell = [f"{prefix}word{word}" for word in range(words)]
    if code["coding"] in ("vlad", "fisher"):
        kinds = ("mean", "variance") if code["coding"] == "fisher" else ("mean",)
        components = range(len(code["shift"]))
        of_cell = [f"{name}_{kind}{i}" for kind in kinds for name in of_cell for i in components]
    length = len(of_cell)
    cells = _cells(np.arange(length * (1, 5, 21)[pyramid]), length)
    return [
        of_cell[at] if level == 0 else f"{of_cell[at]}_level{level}_row{row}_column{column}"
        for at, level, row, column in zip(*(cells[name].tolist() for name in Reason._fields[:4]))
    ]
