"""One function per verb that works on many inputs."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Iterable, Mapping
from typing import Any

from ..errors import InvalidArgument
from ._job import Job, run
from ._program import option_words

Inputs = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]
_VIDEOS = {".avi", ".m4v", ".mkv", ".mov", ".mp4", ".webm", ".y4m"}
JOB_OPTIONS = ("workers", "cpus_per_worker", "gpus_per_worker", "shards", "resume")


def input_words(inputs: Inputs, folder: pathlib.Path, *, videos_of_folders: bool = False) -> list[str]:
    """The inputs as words with absolute paths; a list of them goes through a file. A folder of videos may stand for its videos."""
    if isinstance(inputs, (str, os.PathLike)):
        name = os.fspath(inputs)
        if name.startswith("@"):
            return ["@" + os.path.abspath(name[1:])]
        videos = sorted(str(path) for path in pathlib.Path(name).glob("*") if path.suffix.lower() in _VIDEOS) if videos_of_folders else []
        if not videos:
            return [os.path.abspath(name)]
        inputs = videos
    paths = [os.path.abspath(path) for path in inputs]
    if not paths:
        raise InvalidArgument("there are no inputs; give a folder, a file, or a list of them")
    if any("\n" in path for path in paths):
        return paths
    folder.mkdir(parents=True, exist_ok=True)
    listed = folder / "inputs.txt"
    listed.write_bytes(b"".join(os.fsencode(path) + b"\n" for path in paths))
    return [f"@{listed}"]


class Verb:
    """A verb of the program. Called with inputs and a folder, it starts a job on the cluster.

    Keywords are the verb's options, such as ``threshold=12``, and those of :func:`fovea.ray.run`.
    """

    def __init__(self, name: str, *, files: Mapping[str, str], each: bool = False, videos: bool = False) -> None:
        self.words = name.split()
        self.files = dict(files)
        self.each = each
        self.videos = videos
        self.__name__ = self.words[1].replace("-", "_")
        self.__doc__ = f"Starts ``fovea {name}`` on the cluster; files: {', '.join(files.values()) or 'none, results are printed'}."

    def __call__(self, inputs: Inputs, *, out: str | os.PathLike[str], **options: Any) -> Job:
        folder = pathlib.Path(out).absolute()
        job = {name: options.pop(name) for name in JOB_OPTIONS if name in options}
        words = [*self.words, *input_words(inputs, folder, videos_of_folders=self.videos), *(["--each"] if self.each else [])]
        return run([*words, *option_words({**self.files, **options})], folder=folder, **job)


detect = Verb("people detect", files={"parquet": "people.parquet"})
track_people = Verb("people track", files={"csv": "tracks.csv", "mot": "mot/{}.txt"}, videos=True)
flow_lk = Verb("flow lk", files={"output": "{}"}, each=True, videos=True)
flow_bm = Verb("flow bm", files={"output": "{}"}, each=True, videos=True)
segment_motion = Verb("flow segment", files={"output": "{}", "table": "{}.csv"}, each=True, videos=True)
map_targets = Verb("emd map", files={"output": "{}.tif"}, each=True, videos=True)
track_targets = Verb("emd track", files={"output": "{}.txt"}, videos=True)
classify_scenes = Verb("scenes classify", files={"output": "classes.csv"})
words = Verb("scenes words", files={"output": "{}.png"})
segment_meshes = Verb("mesh segment", files={"output": "{}.ply"})
distances = Verb("mesh distances", files={"output": "{}.npy"})
points = Verb("actions points", files={"output": "{}.txt"}, videos=True)
classify_actions = Verb("actions classify", files={"output": "classes.csv"})
recognize = Verb("actions recognize", files={}, videos=True)


def ops(verb: str, inputs: Inputs, *, out: str | os.PathLike[str], **options: Any) -> Job:
    """Starts an operation on images, such as ``ops("blur", "photos", out="soft", sigma=3)``."""
    ending = ".npy" if verb in ("integral", "histogram") else ".png"
    return Verb(f"ops {verb}", files={"output": "{}" + ending})(inputs, out=out, **options)
