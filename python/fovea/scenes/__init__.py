"""Which kind of place an image shows, by the visual words in it."""

from ._bag import BagOfWords
from ._classify import Classifier, Explanation, Reason, Scene, SceneExplanation, Words, classify
from ._model import Learning, Model, load_model
from ._stages import (
    Dictionary,
    LabelTable,
    filters,
    find_words,
    learn_dictionary,
    load_dictionary,
    make_features,
    read_labels,
    sample,
    train_model,
    word_histogram,
    word_map,
    write_labels,
)
from ._train import Evaluation, cross_validate, evaluate, train

__all__ = [
    "BagOfWords",
    "Classifier",
    "Dictionary",
    "Evaluation",
    "Explanation",
    "LabelTable",
    "Learning",
    "Model",
    "Reason",
    "Scene",
    "SceneExplanation",
    "Words",
    "classify",
    "cross_validate",
    "evaluate",
    "filters",
    "find_words",
    "learn_dictionary",
    "load_dictionary",
    "load_model",
    "make_features",
    "read_labels",
    "sample",
    "train",
    "train_model",
    "word_histogram",
    "word_map",
    "write_labels",
]
