"""Training of detectors."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from .. import _fovea
from .._batch import some_images
from .._frames import name_of
from .._keywords import takes_options
from .._options import PeopleTrainOptions, Unpack
from .._progress import Progress, reporting
from .._results import command_line
from ..errors import InvalidType
from ..files import Path, as_path, is_path
from ._model import Model

Kind = Literal["hog", "hog-cells", "hog-integral", "cascade", "channels", "filtered"]
Preset = Literal["none", "thesis", "zhu"]


@takes_options(_fovea.people.train_options())
def train(
    kind: Kind,
    positives: Path | Iterable[Any],
    negatives: Path | Iterable[Any],
    *,
    preset: Preset = "none",
    checkpoint: Path | None = None,
    progress: Progress = False,
    **options: Unpack[PeopleTrainOptions],
) -> Model:
    """Trains a detector from crops of people and images without people.

    ``positives`` are crops with one person's window (64x128 pixels by default) in the middle of each, and ``negatives``
    whole images without people. Both are a folder, a glob, or a list of paths and arrays of uint8, gray, RGB or RGBA.
    ``hog`` and ``linear`` have the options of the kinds hog, hog-cells and hog-integral; ``cascade``, ``channels`` and
    ``filtered`` those of the kinds of these names.

    A ``preset`` trains a cascade as a paper does: "thesis" is that of Bilgic with 23 stages, "zhu" that of Zhu et al.
    with 30. Options given beside it count, and ``facts["preset"]`` of the model names them.

    The file ``checkpoint`` keeps an unfinished training, which the same call continues. It is removed when the model is
    saved. The same data, options and seed give the same model on any device with any number of threads."""
    if checkpoint is not None and not is_path(checkpoint):
        raise InvalidType(f"checkpoint is of type {type(checkpoint).__name__}; expected the name of a file")
    crops, scenes = some_images(positives, "positives"), some_images(negatives, "negatives")
    kept = "" if checkpoint is None else as_path(checkpoint)
    with reporting(progress) as report:
        model, words = _fovea.people.train(kind, preset, crops, scenes, dict(options), kept, report)
    sources = ["--positives", name_of(positives, "POSITIVES"), "--negatives", name_of(negatives, "NEGATIVES")]
    line = command_line("fovea", "people", "train", "--kind", kind, *sources, "-o", "MODEL.safetensors", *words)
    trained = Model(model, "MODEL.safetensors", None, line)
    trained._checkpoint = kept
    return trained
