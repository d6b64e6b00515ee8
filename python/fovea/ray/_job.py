"""A command of the program as a job on a cluster: one Ray task per shard, and a merge at the end."""

from __future__ import annotations

import collections
import contextlib
import json
import os
import pathlib
import signal
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import ray

from ..errors import Cancelled, Error, InvalidArgument
from ._manifest import Failure, read_state
from ._program import Ended, run_program, shard_task, text_of

_SHARDS_PER_WORKER = 8  # so that the last shards to end are short; a single worker has nobody to wait for
_KILLS_WITHOUT_PROGRESS = 3  # after which a shard that something kills is given up


@dataclass(frozen=True)
class Resources:
    """What each worker has, and how many there are."""

    workers: int | tuple[int, int] | None = None  # None: as many as the cluster has room for
    cpus_per_worker: float = 1
    gpus_per_worker: float = 0

    @contextlib.contextmanager
    def asked_for(self) -> Iterator[None]:
        """Asks a cluster that grows and shrinks for the least number of workers, and withdraws that at the end: Ray would keep them for ever."""
        if not isinstance(self.workers, tuple):
            yield
            return
        from ray.autoscaler.sdk import request_resources

        need = {"CPU": self.cpus_per_worker, "GPU": self.gpus_per_worker}
        request_resources(bundles=[{name: amount for name, amount in need.items() if amount > 0}] * self.workers[0])
        try:
            yield
        finally:
            with contextlib.suppress(Exception):  # a cluster that is gone keeps nothing, and the end of the job counts
                request_resources(bundles=[])

    def most_workers(self) -> int:
        if isinstance(self.workers, tuple):
            return self.workers[1]
        if self.workers is not None:
            return self.workers
        total = ray.cluster_resources()
        room = total.get("CPU", 1) / max(self.cpus_per_worker, 1e-9)
        if self.gpus_per_worker > 0:
            room = min(room, total.get("GPU", 0) / self.gpus_per_worker)
        return max(1, int(room))

    def room(self) -> int:
        """How many workers fit on the nodes that are there now, none of which lies on two of them."""
        each = max(self.cpus_per_worker, 1e-9)
        return sum(int(node["Resources"].get("CPU", 0) // each) for node in ray.nodes() if node["Alive"])


@dataclass(frozen=True)
class Place:
    """Where the command runs, and the folder in it for manifests."""

    folder: pathlib.Path
    manifests: str = ""


@dataclass(frozen=True)
class Progress:
    """Inputs that are done, and those that have failed, of all."""

    done: int
    failed: int
    total: int | None  # None until the first shard has begun


@dataclass(frozen=True)
class Result:
    """What a job has given."""

    status: int  # the exit status of one run of the command: 0, 5 where some inputs failed, 6 where another command must follow
    printed: str  # what one run would have printed; bytes that are not UTF-8 are surrogate escapes, as in names of files
    folder: pathlib.Path
    failed: list[Failure] = field(default_factory=list)
    messages: str = ""  # what the merge wrote to standard error: the failures, in the program's words


class Job:
    """A running job. Its shards are tasks of Ray, which repeats those whose worker or node dies."""

    def __init__(
        self, words: Sequence[str], place: Place, resources: Resources, shards: int | None, resume: bool, merge: bool = True
    ) -> None:
        if not ray.is_initialized():
            raise InvalidArgument("Ray is not initialized; call ray.init() for this machine, or ray.init(address=...) for a cluster")
        self._folder = place.folder.absolute()
        self._kept = self._folder / place.manifests
        self._kept.mkdir(parents=True, exist_ok=True)
        self._words = list(words)
        self._workers = resources.most_workers()
        self._shards = shards or (resume and self._shards_there()) or (_SHARDS_PER_WORKER * self._workers if self._workers > 1 else 1)
        self._manifests = [self._kept / f"shard-{i}-of-{self._shards}.manifest" for i in range(self._shards)]
        others = set(self._kept.glob("shard-*.manifest")) - set(self._manifests)
        if others and resume:
            raise InvalidArgument(f"{min(others)}: belongs to a job of another number of shards; remove it, or give that number")
        if not resume:
            for manifest in [*others, *self._manifests]:
                manifest.unlink(missing_ok=True)
        self._resources = resources
        self._merges = merge
        self._stop = threading.Event()
        self._kills: dict[int, tuple[int, int]] = {}  # of shards: inputs recorded at the last kill, kills since the last progress
        self._ended: Ended | None = None
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._drive, name="fovea-job", daemon=True)
        self._thread.start()

    def _shards_there(self) -> int:
        """How many shards the job had when it was begun here, or 0."""
        names = [path.stem.rsplit("-", 1)[-1] for path in self._kept.glob("shard-*-of-*.manifest")]
        return max((int(name) for name in names if name.isdigit()), default=0)

    def progress(self) -> Progress:
        """How far the job has come, from its manifests."""
        done = failed = 0
        total = None
        for manifest in self._manifests:
            if state := read_state(manifest):
                total = state.units
                failed += len(state.failures)
                done += len(state.recorded) - len(state.failures)
        return Progress(done, failed, total)

    def stop(self) -> None:
        """Begins no further shard and cancels those that run. What is recorded is kept for a later job with resume."""
        self._stop.set()

    def wait(self, timeout: float | None = None) -> bool:
        """Whether the job has ended, after so many seconds at most."""
        self._thread.join(timeout)
        return not self._thread.is_alive()

    def result(self) -> Result:
        """Waits for the end, and merges the shards. Raises Error where the job cannot be done at all."""
        self._thread.join()
        if self._error is not None:
            raise self._error
        assert self._ended is not None
        failed = [state.failures[unit] for m in self._manifests if (state := read_state(m)) for unit in sorted(state.failures)]
        return Result(self._ended.status, self._ended.printed, self._folder, failed, self._ended.messages)

    def _drive(self) -> None:
        try:
            with self._resources.asked_for():
                self._run_shards()
            if not self._merges:
                self._ended = Ended(3 if self._all_failed() else 5 if self.progress().failed else 0, "", "")
                return
            # The manifests are this job's, whoever runs the nodes, and their command is the caller's.
            ended = run_program(["merge", "--trust", *map(str, self._manifests)], str(self._folder))
            if ended.status not in (0, 5, 6) and not self._all_failed():
                raise ended.error()
            self._ended = ended
        except BaseException as error:  # whatever it is, it belongs to whoever asks for the result
            self._error = error

    def _run_shards(self) -> None:
        task: Any = ray.remote(shard_task()).options(
            num_cpus=self._resources.cpus_per_worker, num_gpus=self._resources.gpus_per_worker, max_retries=-1
        )
        waiting = collections.deque(range(self._shards))
        running: dict[Any, int] = {}
        try:
            while waiting or running:
                if self._stop.is_set():
                    raise Cancelled("the job was stopped; what is done is recorded")
                while waiting and len(running) < self._workers:
                    shard = waiting.popleft()
                    # As bytes, since Ray sends no text of names that are not UTF-8.
                    running[task.remote(list(map(os.fsencode, self._shard_words(shard))), os.fsencode(self._folder))] = shard
                for reference in ray.wait(list(running), timeout=0.2)[0]:
                    status, messages = ray.get(reference)
                    shard = running.pop(reference)
                    if not self._is_done(shard, Ended(status, "", text_of(messages))):
                        waiting.append(shard)
        finally:
            for reference in running:
                ray.cancel(reference, force=True)

    def _shard_words(self, shard: int) -> list[str]:
        kept = ["--resume", "--shard", f"{shard}/{self._shards}", "--manifest", str(self._manifests[shard])]
        end = _end_of_options(self._words)
        return [*self._words[:end], *kept, "--quiet", *self._words[end:]]

    def _is_done(self, shard: int, ended: Ended) -> bool:
        """Whether a shard has ended, or is to be begun again because a signal has killed it, such as that of a machine out of memory."""
        # Inputs that failed are recorded, whatever the exit status; a shard that recorded nothing could not begin.
        if ended.status in (0, 5):
            return True
        state = read_state(self._manifests[shard])
        recorded = len(state.recorded) if state else 0
        if state and recorded >= _units_of(shard, self._shards, state.units):
            return True
        if ended.status >= 0:
            raise ended.error()
        before, kills = self._kills.get(shard, (-1, 0))
        kills = 1 if recorded > before else kills + 1
        self._kills[shard] = (recorded, kills)
        if kills >= _KILLS_WITHOUT_PROGRESS:
            name = signal.Signals(-ended.status).name
            raise Error(f"{self._manifests[shard]}: the program was ended by {name} {kills} times without recording an input; "
                        "it may need more memory than the node has")
        return False

    def _all_failed(self) -> bool:
        progress = self.progress()
        return progress.total is not None and progress.failed == progress.total


def _end_of_options(words: Sequence[str]) -> int:
    """Where words begin of which none is an option."""
    return words.index("--") if "--" in words else len(words)


def _units_of(shard: int, shards: int, units: int) -> int:
    return units // shards + (1 if shard < units % shards else 0)


def _choices_left_open(words: Sequence[str], folder: pathlib.Path) -> set[str]:
    """Which of threads and device a worker's resources decide: those for which a configuration file names no value of its own.

    Words of the command line need no such care, because they come after those of the job. A file comes before both.
    """
    open_choices = {"threads", "device"}
    if not any(word.split("=")[0] == "--config" for word in words[: _end_of_options(words)]):
        return open_choices
    folder.mkdir(parents=True, exist_ok=True)
    ended = run_program([*words[: _end_of_options(words)], "--print-config"], str(folder))
    if ended.status != 0:
        raise ended.error()
    options = json.loads(ended.printed)["options"]
    return {name for name in open_choices if options.get(name, 0) in (0, "auto")}


def run(
    words: Sequence[str],
    *,
    folder: str | os.PathLike[str],
    workers: int | tuple[int, int] | None = None,
    cpus_per_worker: float = 1,
    gpus_per_worker: float = 0,
    shards: int | None = None,
    resume: bool = True,
    manifests: str = "",
    merge: bool = True,
) -> Job:
    """Starts a command of the program, such as ``["people", "detect", "/data/photos", "--csv", "all.csv"]``, on the cluster.

    Words are those of the command line without ``--shard``, ``--resume`` and ``--manifest``. ``folder`` is where the command runs and where
    its manifests lie, or those in its folder ``manifests``; every node must see it, and the inputs, under the same path. Shards compute on
    the GPU where ``gpus_per_worker`` is above 0, and with ``cpus_per_worker`` threads, unless the words or their ``--config`` file say otherwise.
    Without ``merge`` the results stay with the shards' manifests.
    """
    if not words:
        raise InvalidArgument("run: there are no words; give a system, a verb and inputs")
    own = [word for word in words[: _end_of_options(words)] if word.split("=")[0] in ("--shard", "--resume", "--manifest")]
    if own:
        raise InvalidArgument(f"run: {own[0]} is set by the job; leave it out")
    if words[1:2] == ["train"]:
        raise InvalidArgument(f"run: {' '.join(words[:2])} has several stages; start it by fovea.ray.train_{words[0]}()")
    place, resources = Place(pathlib.Path(folder), manifests), Resources(workers, cpus_per_worker, gpus_per_worker)
    open_choices = _choices_left_open(words, place.folder)
    threads = ["--threads", str(int(cpus_per_worker))] if "threads" in open_choices and cpus_per_worker >= 1 else []
    device = ["--device", "cuda" if gpus_per_worker > 0 else "cpu"] if "device" in open_choices else []
    # Before the caller's words, because of two values of an option the later one counts.
    return Job([*words[:2], *threads, *device, *words[2:]], place, resources, shards, resume, merge)


__all__ = ["Error", "Failure", "Job", "Progress", "Resources", "Result", "run"]
