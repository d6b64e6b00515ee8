"""Trainings whose long parts are jobs on the cluster. The model has the bytes of one run of the program."""

from __future__ import annotations

import json
import os
import pathlib
import shutil
from collections.abc import Mapping
from typing import Any

from ..errors import FormatError, InvalidArgument
from ._job import run
from ._program import Ended, option_words, run_program
from ._verbs import JOB_OPTIONS

_SCENES = ("sample", "dictionary", "features", "classifier")
_MORE_TO_DO = 6  # the status of a training that waits for a search

Path = str | os.PathLike[str]


class _Parts:
    """The folder in which the parts of a training lie, and from which it goes on after a stop: OUT.parts."""

    def __init__(self, out: Path, options: dict[str, Any]) -> None:
        self.model = pathlib.Path(out).absolute()
        self.folder = self.model.with_name(self.model.name + ".parts")
        self.folder.mkdir(parents=True, exist_ok=True)
        self.job = {name: options.pop(name) for name in JOB_OPTIONS if name in options}
        if not self.job.get("resume", True):
            shutil.rmtree(self.folder)
            self.folder.mkdir()

    def on_cluster(self, name: str, words: list[str]) -> None:
        """Runs a stage in shards. No input of a training may fail, unless the program passes over it as well."""
        result = run(words, folder=self.folder / name, **{**self.job, "resume": True}).result()
        if result.status not in (0, 5):
            raise FormatError(f"no input can be read: {result.failed[0].error}")

    def here(self, words: list[str], *, expects: tuple[int, ...] = (0,)) -> Ended:
        ended = run_program(words, str(self.folder))
        if ended.status not in expects:
            raise ended.error()
        return ended

    def end(self) -> pathlib.Path:
        shutil.rmtree(self.folder)
        return self.model


def _options_of(verb: str, folder: pathlib.Path) -> set[str]:
    ended = run_program([*verb.split(), "--print-config"], str(folder))
    if ended.status != 0:
        raise ended.error()
    return set(json.loads(ended.printed)["options"])


def _share(options: Mapping[str, Any], folder: pathlib.Path) -> dict[str, dict[str, Any]]:
    """The options of each stage of scenes. The number of words is an option of one that is called as the file of words is in others."""
    shares: dict[str, dict[str, Any]] = {stage: {} for stage in _SCENES}
    known = {stage: _options_of(f"scenes {stage}", folder) for stage in _SCENES}
    for stage in ("features", "classifier"):
        known[stage] -= {"dictionary", "labels"}
    for name, value in options.items():
        stages = [stage for stage in _SCENES if name.replace("_", "-") in known[stage]]
        if not stages:
            raise InvalidArgument(f"train_scenes: {name} is no option of scenes train")
        for stage in stages:
            shares[stage][name] = value
    return shares


def train_scenes(places: Path, *, out: Path, **options: Any) -> pathlib.Path:
    """Trains a model of scenes, as ``fovea scenes train PLACES -o OUT`` with the same options does, and returns its path.

    Descriptors are drawn and features are made on the cluster; words and the classifier are learned on this machine. Parts of the work lie in the
    folder OUT.parts, from which a training that was stopped goes on.
    """
    parts = _Parts(out, options)
    shares = _share(options, parts.folder)
    corpus = os.path.abspath(places)
    samples, dictionary, features, labels = (
        str(parts.folder / name) for name in ("samples.npy", "words.safetensors", "features.npy", "labels.csv")
    )

    def words(stage: str, *inputs: str) -> list[str]:
        return ["scenes", stage, *inputs, *option_words(shares[stage])]

    parts.on_cluster("sample", words("sample", corpus, "-o", samples))
    parts.here(words("dictionary", samples, "-o", dictionary))
    parts.on_cluster("features", words("features", corpus, "--dictionary", dictionary, "-o", features, "--labels", labels))
    parts.here(words("classifier", features, "--labels", labels, "--dictionary", dictionary, "-o", str(parts.model)))
    return parts.end()


def train_people(positives: Path, negatives: Path, *, out: Path, kind: str = "hog", **options: Any) -> pathlib.Path:
    """Trains a detector, as ``fovea people train --kind KIND --positives DIR --negatives DIR -o OUT`` does, and returns its path.

    The negatives are searched on the cluster, once per round; the rest runs on this machine. Parts of the work lie in the folder OUT.parts, from which a
    training that was stopped goes on.
    """
    parts = _Parts(out, options)
    mined, scenes = parts.folder / "mined", os.path.abspath(negatives)
    sources = ["--kind", kind, "--positives", os.path.abspath(positives), "--negatives", scenes]
    kept = ["--mined", str(mined), "--checkpoint", str(parts.folder / "checkpoint")]
    words = ["people", "train", *sources, "-o", str(parts.model), *kept, *option_words(options), "--json", "--quiet"]
    while (ended := parts.here(words, expects=(0, _MORE_TO_DO))).status == _MORE_TO_DO:
        asked = json.loads(ended.printed)
        wanted = pathlib.Path(asked["mined"])
        parts.on_cluster(wanted.stem, ["people", "mine", scenes, "--search", asked["search"]])
        if not wanted.exists():  # the training would only ask for it again
            raise FormatError(f"{scenes}: some images cannot be read, so that {wanted.name} cannot be made; remove them")
    return parts.end()


def train_actions(clips: Path, *, out: Path, **options: Any) -> pathlib.Path:
    """Trains a model of actions, as ``fovea actions train CLIPS -o OUT`` with the same options does, and returns its path.

    Distances between clips are measured on the cluster; prototypes, weights and reject levels are learned on this machine. Every shard needs the
    points of all clips: of videos, save them first by :data:`fovea.ray.points`, and give a list of these files. Parts of the work lie in the
    folder OUT.parts, from which a training that was stopped goes on.
    """
    parts = _Parts(out, options)
    known = _options_of("actions distances", parts.folder)
    source, distances = os.path.abspath(clips), str(parts.folder / "distances.safetensors")
    shared = {name: value for name, value in options.items() if name.replace("_", "-") in known}
    parts.on_cluster("distances", ["actions", "distances", source, "-o", distances, *option_words(shared)])
    words = ["actions", "train", source, "-o", str(parts.model), "--distances", distances, *option_words(options), "--quiet"]
    parts.here(words, expects=(0, 5))
    return parts.end()
