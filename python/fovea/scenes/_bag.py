"""Histograms of visual words for scikit-learn."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _fovea
from .._estimator import Estimator
from .._keywords import takes_options
from .._progress import Progress, reporting
from ..files import Path
from ._classify import Reason, _cells
from ._input import Floats, _images
from ._model import Learning

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

    from .._options import ScenesBagOptions


class BagOfWords(Estimator):
    """Turns images into histograms of visual words, as a transformer of scikit-learn does: ``fit`` learns the words,
    ``transform`` counts them. Images are arrays, images of PIL or paths, in a list, or all files of a folder."""

    vocabulary_: Floats  #: the words, one per row, in standardized numbers
    mean_: Floats  #: of each number of a descriptor; empty without ``standardize``
    scale_: Floats  #: what each number is multiplied by
    learning_: Learning  #: how the words were learned

    _table = _fovea.scenes.bag_options()

    @takes_options(_table)
    def __init__(self, **options: Unpack[ScenesBagOptions]) -> None:
        """Takes the parameters; ``fit`` checks them."""
        super().__init__(**options)

    def fit(self, X: Path | Iterable[Any], y: Any = None, *, progress: Progress = False) -> Self:
        """Learns words from images. ``y`` is not used."""
        images = _images(X, "X")
        with reporting(progress) as report:
            found = _fovea.scenes.learn_words(images, self.get_params(), report)
        self.vocabulary_, self.mean_, self.scale_ = found[:3]
        self.learning_ = Learning(*found[3])
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
