"""Which kind of place an image shows, by the visual words in it."""

from __future__ import annotations

from ._bag import BagOfWords
from ._classify import Classifier, Explanation, Reason, Scene, Words, classify
from ._model import Model, load_model
from ._train import Evaluation, cross_validate, evaluate, train

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
    "cross_validate",
    "evaluate",
    "load_model",
    "train",
]
