"""Trainings whose long parts are jobs on the cluster. The model has the bytes of one run of the program."""

from __future__ import annotations

import json
import os
import pathlib
import shutil
import time
from collections.abc import Mapping
from typing import Any

import ray

from ..errors import Error, FormatError, InvalidArgument
from ._job import Resources, run
from ._program import MORE_TO_DO, Ended, option_words, run_program, shard_task, text_of
from ._verbs import JOB_OPTIONS

_SCENES = ("sample", "dictionary", "features", "classifier")
_KILLS = 3  # after which a task that something kills before the next round is given up
_PATIENCE = 60  # seconds without an answer, after which samples are divided among as many tasks as there is room for then
_ROUND = 5  # seconds that learning waits for answers before it looks after the tasks
_IDLE = 20  # seconds after which a task with nothing to do ends: soon, so that it makes room for one that has not begun

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

    def on_cluster(self, name: str, words: list[str], *, merge: bool = True) -> list[pathlib.Path]:
        """Runs a stage in shards and returns their manifests. No input of a training may fail, unless the program passes over it as well."""
        folder = self.folder / name
        result = run(words, folder=folder, **{**self.job, "resume": True}, merge=merge).result()
        if result.status not in (0, 5):
            raise FormatError(f"no input can be read: {result.failed[0].error}")
        return sorted(folder.glob("shard-*-of-*.manifest"))

    def here(self, words: list[str], *, expects: tuple[int, ...] = (0,)) -> Ended:
        ended = run_program(words, str(self.folder))
        if ended.status not in expects:
            raise ended.error()
        return ended

    def end(self) -> pathlib.Path:
        shutil.rmtree(self.folder)
        return self.model


class _Assigners:
    """Tasks of Ray that keep the samples of some shards each, and add up which of them belong to which word, round after round.

    A round needs the answers of all, so that all must run at the same time.
    """

    def __init__(self, manifests: list[pathlib.Path], rounds: pathlib.Path, resources: Resources) -> None:
        self._manifests, self._rounds, self._resources = manifests, rounds, resources
        self._threads = ["--threads", str(int(resources.cpus_per_worker))] if resources.cpus_per_worker >= 1 else []
        self._task: Any = ray.remote(shard_task()).options(num_cpus=resources.cpus_per_worker, max_retries=-1)
        self._patience = float(_PATIENCE)
        self._waits_for: tuple[int, list[int]] | None = None  # the round, and the shards without an answer
        self._begin_all(resources.room())

    def _begin_all(self, room: int) -> None:
        tasks = max(1, min(self._resources.most_workers(), room, len(self._manifests)))
        self._kills = [0] * tasks
        self._groups = [self._manifests[first::tasks] for first in range(tasks)]
        self._running = {self._begin(number): number for number in range(tasks)}
        self._since = time.monotonic()

    def _begin(self, number: int) -> Any:
        how = ["--rounds", str(self._rounds), "--wait", str(_IDLE), *self._threads, "--quiet"]
        words = ["scenes", "assign", *map(str, self._groups[number]), *how]
        return self._task.remote(list(map(os.fsencode, words)), os.fsencode(self._rounds.parent))

    def go_on(self, waits_for: tuple[int, list[int]]) -> None:
        """Begins tasks again that have ended too early, or all of them where learning has been waiting for the same answers for long."""
        if waits_for != self._waits_for:
            self._waits_for, self._since = waits_for, time.monotonic()
            self._kills = [0] * len(self._groups)
        if time.monotonic() - self._since > self._patience:
            self._regroup()
        else:
            self._begin_again()

    def _regroup(self) -> None:
        """Nodes may have gone, or others may use them. Where the round only takes long, the next one has more time."""
        self._patience *= 2
        for reference in self._running:
            ray.cancel(reference, force=True)
        ray.wait(list(self._running), num_returns=len(self._running), timeout=10)
        time.sleep(2)  # until Ray counts their resources as available
        available = int(ray.available_resources().get("CPU", 0) / max(self._resources.cpus_per_worker, 1e-9))
        self._begin_all(min(self._resources.room(), available))

    def _begin_again(self) -> None:
        """Begins tasks again that have ended too early. Raises the error of one that cannot go on."""
        for reference in ray.wait(list(self._running), num_returns=len(self._running), timeout=0)[0]:
            status, messages = ray.get(reference)
            number = self._running.pop(reference)
            self._kills[number] += status < 0
            if status > 0 and status != MORE_TO_DO:
                raise Ended(status, "", text_of(messages)).error()
            if self._kills[number] >= _KILLS:
                raise Error(f"{self._groups[number][0]}: the program was ended by a signal {_KILLS} times; it may need more memory than the node has")
            self._running[self._begin(number)] = number

    def end(self) -> None:
        """Lets tasks end that have seen that the words are learned, and cancels the others."""
        for reference in ray.wait(list(self._running), num_returns=len(self._running), timeout=5)[1]:
            ray.cancel(reference, force=True)


def _learn_words(parts: _Parts, manifests: list[pathlib.Path], words: list[str]) -> None:
    """Learns words from samples that stay with the shards: only sums travel through the folder."""
    rounds = parts.folder / "rounds"
    named = {name: parts.job[name] for name in ("workers", "cpus_per_worker") if name in parts.job}
    resources = Resources(**named)
    begin = [*words, *map(str, manifests), "--rounds", str(rounds), "--json", "--quiet"]
    learn = [*begin, "--wait", str(_ROUND)]
    # What an earlier learning has left in the folder is settled before tasks look at it.
    if parts.here(begin, expects=(0, MORE_TO_DO)).status == 0:
        return
    with resources.asked_for():
        assigners = _Assigners(manifests, rounds, resources)
        try:
            while (ended := parts.here(learn, expects=(0, MORE_TO_DO))).status == MORE_TO_DO:
                asked = json.loads(ended.printed)
                assigners.go_on((asked["round"], asked["missing"]))
        finally:
            assigners.end()


def _options_of(verb: str, folder: pathlib.Path) -> dict[str, Any]:
    """The options of a verb, with their values where none are given."""
    ended = run_program([*verb.split(), "--print-config"], str(folder))
    if ended.status != 0:
        raise ended.error()
    options: dict[str, Any] = json.loads(ended.printed)["options"]
    return options


def _share(options: Mapping[str, Any], folder: pathlib.Path) -> dict[str, dict[str, Any]]:
    """The options of each stage of scenes. The number of words is an option of one that is called as the file of words is in others."""
    shares: dict[str, dict[str, Any]] = {stage: {} for stage in _SCENES}
    known = {stage: _options_of(f"scenes {stage}", folder) for stage in _SCENES}
    for stage in ("features", "classifier"):
        for file in ("dictionary", "labels"):
            known[stage].pop(file, None)
    whole = _options_of("scenes train", folder)  # some of whose values differ from those of a stage alone
    for stage, alone in known.items():
        shares[stage] = {name: whole[name] for name, value in alone.items() if name in whole and whole[name] != value}
    for name, value in options.items():
        stages = [stage for stage in _SCENES if name.replace("_", "-") in known[stage]]
        if not stages:
            raise InvalidArgument(f"train_scenes: {name} is no option of scenes train")
        for stage in stages:
            shares[stage][name.replace("_", "-")] = value
    return shares


def train_scenes(places: Path, *, out: Path, **options: Any) -> pathlib.Path:
    """Trains a model of scenes, as ``fovea scenes train PLACES -o OUT`` with the same options does, and returns its path.

    Descriptors are drawn and features are made on the cluster. Words are learned there as well: the descriptors stay in the files of the shards
    that drew them, and only sums come to this machine, which learns the classifier. With mini-batches (``batch``) this machine gathers the
    descriptors and learns the words. Parts of the work lie in the folder OUT.parts, from which a training that was stopped goes on.
    """
    parts = _Parts(out, options)
    shares = _share(options, parts.folder)
    corpus = os.path.abspath(places)
    samples, dictionary, features, labels = (
        str(parts.folder / name) for name in ("samples.npy", "words.safetensors", "features.npy", "labels.csv")
    )

    def words(stage: str, *inputs: str) -> list[str]:
        return ["scenes", stage, *inputs, *option_words(shares[stage])]

    if not os.path.exists(dictionary):
        batches = bool(options.get("batch"))
        manifests = parts.on_cluster("sample", words("sample", corpus, "-o", samples), merge=batches)
        if batches:
            parts.here(words("dictionary", samples, "-o", dictionary))
        else:
            _learn_words(parts, manifests, words("dictionary", "-o", dictionary))
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
    while (ended := parts.here(words, expects=(0, MORE_TO_DO))).status == MORE_TO_DO:
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
