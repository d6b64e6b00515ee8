"""Models of places."""

from __future__ import annotations

from typing import Any, NamedTuple

from .. import _fovea
from .._model import StoredModel, loaded
from .._results import row_of
from ..files import Path
from ._input import Floats


class Learning(NamedTuple):
    """How words were learned."""

    iterations: int  #: of k-means on the samples
    inertia: float  #: sum of the squared distances of the samples, or places, from their words
    converged: bool  #: whether k-means ended by itself
    samples: int  #: how many descriptors the words were learned from
    passes: int  #: with ``all_places``, how often every place was looked at; 0 without
    batches: int  #: mini-batches in these passes


def learning_of(found: dict[str, Any]) -> Learning | None:
    return row_of(Learning, found) if found["iterations"] else None


class LearnedWords(StoredModel):
    """Visual words, and how images are described to find them."""

    @property
    def _dictionary(self) -> Any:
        """The library's dictionary of them."""
        return self._model

    @property
    def words(self) -> Floats:
        """The words, one per row, in standardized numbers."""
        return self._dictionary.words

    @property
    def coding(self) -> str:
        """How places become features: hard, soft, vlad or fisher."""
        return str(self._dictionary.coding)

    @property
    def color_words(self) -> Floats | None:
        """The words of Lab filters that stand beside the others; None where there are none."""
        return self._dictionary.color_words

    @property
    def descriptor(self) -> dict[str, Any]:
        """How a place of an image is described."""
        return dict(self._dictionary.descriptor)

    @property
    def learning(self) -> Learning | None:
        """How the words were learned; None where the file, such as one of version 0.1.0, does not know."""
        return learning_of(self._dictionary.learning)


class Model(LearnedWords):
    """A trained classifier of places: its words, its classes and what it knows about them."""

    _read = staticmethod(_fovea.scenes.read_model)

    @property
    def _dictionary(self) -> Any:
        return self._model.dictionary

    @property
    def kind(self) -> str:
        """knn, svm or logistic."""
        return str(self._model.kind)

    @property
    def classes(self) -> list[str]:
        """The names of the places, by label."""
        return list(self._model.classes)

    @property
    def pyramid(self) -> int:
        """Levels of the spatial pyramid below the whole image."""
        return int(self._model.pyramid)

    def __repr__(self) -> str:
        return f"Model({self.name!r}, {self.kind}, {len(self.words)} words, {len(self.classes)} classes)"


def load_model(name: Path) -> Model:
    """Reads a shipped model by its name, such as ``sun8``, or a model file."""
    return loaded(Model, name, "scenes")
