"""Trainings whose long parts are jobs on the cluster. The model has the bytes of one run of the program."""

from __future__ import annotations

import json
import os
import pathlib
from typing import Any

from ..errors import FormatError, InvalidArgument
from ._job import run
from ._program import option_words, run_program

_JOB = ("workers", "cpus_per_worker", "gpus_per_worker", "shards", "resume")
_STAGES = ("sample", "dictionary", "features", "classifier")


def _options_of(verb: str, folder: str) -> set[str]:
    ended = run_program(["scenes", verb, "--print-config"], folder)
    if ended.status != 0:
        raise ended.error()
    return set(json.loads(ended.printed)["options"])


def _share(options: dict[str, Any], folder: str) -> dict[str, dict[str, Any]]:
    """The options of each stage. The number of words is an option of a stage that is called as the file of words is in others."""
    shares: dict[str, dict[str, Any]] = {stage: {} for stage in _STAGES}
    known = {stage: _options_of(stage, folder) for stage in _STAGES}
    for stage in ("features", "classifier"):
        known[stage] -= {"dictionary", "labels"}
    for name, value in options.items():
        stages = [stage for stage in _STAGES if name.replace("_", "-") in known[stage]]
        if not stages:
            raise InvalidArgument(f"train_scenes: {name} is no option of scenes train")
        for stage in stages:
            shares[stage][name] = value
    return shares


def train_scenes(places: str | os.PathLike[str], *, out: str | os.PathLike[str], **options: Any) -> pathlib.Path:
    """Trains a model of scenes, as ``fovea scenes train PLACES -o OUT`` with the same options does, and returns its path.

    Descriptors are drawn and features are made on the cluster; words and the classifier are learned on this machine. Parts of the work lie in the
    folder OUT.parts, from which a training that was stopped goes on.
    """
    model = pathlib.Path(out).absolute()
    folder = model.with_name(model.name + ".parts")
    folder.mkdir(parents=True, exist_ok=True)
    job = {name: options.pop(name) for name in _JOB if name in options}
    shares = _share(options, str(folder))
    corpus = os.path.abspath(places)

    def on_cluster(stage: str, *words: str) -> None:
        result = run(["scenes", stage, corpus, *words, *option_words(shares[stage])], folder=folder / stage, **job).result()
        if result.status not in (0, 5):
            raise FormatError(f"{corpus}: no image can be read: {result.failed[0].error}")

    def here(stage: str, *words: str) -> None:
        ended = run_program(["scenes", stage, *words, *option_words(shares[stage])], str(folder))
        if ended.status != 0:
            raise ended.error()

    samples, dictionary = str(folder / "samples.npy"), str(folder / "words.safetensors")
    features, labels = str(folder / "features.npy"), str(folder / "labels.csv")
    on_cluster("sample", "-o", samples)
    here("dictionary", samples, "-o", dictionary)
    on_cluster("features", "--dictionary", dictionary, "-o", features, "--labels", labels)
    here("classifier", features, "--labels", labels, "--dictionary", dictionary, "-o", str(model))
    return model
