"""Evaluations on the cluster. What they print and write has the bytes of one run of the program."""

from __future__ import annotations

import json
import os
import pathlib
from collections.abc import Sequence
from typing import Any

from ..errors import Error
from ._job import Result, run
from ._program import MORE_TO_DO, option_words
from ._verbs import JOB_OPTIONS, Inputs, input_words

_LEAST_LEVELS = 4  # of scores, which is how often it can be repeated

Path = str | os.PathLike[str]


def _evaluate(words: list[str], out: Path, options: dict[str, Any], *, manifests: str = "") -> Result:
    job = {name: options[name] for name in JOB_OPTIONS if name in options}
    rest = {name: value for name, value in options.items() if name not in JOB_OPTIONS}
    return run([*words, *option_words(rest)], folder=out, manifests=manifests, **job).result()


def _paths(**options: Path | Sequence[Path] | None) -> dict[str, Any]:
    """Paths as options; those that are given are made absolute, since shards run in another folder."""
    return {name: os.path.abspath(path) for name, path in options.items() if isinstance(path, (str, os.PathLike))}


def _model(model: Path | Sequence[Path] | None) -> list[str] | None:
    """Names of models stay names; files are made absolute."""
    if model is None:
        return None
    models = [model] if isinstance(model, (str, os.PathLike)) else list(model)
    return [os.path.abspath(each) if os.path.exists(each) else os.fspath(each) for each in models]


def evaluate_people(
    images: Path | None = None,
    annotations: Path | None = None,
    *,
    out: Path,
    model: Path | Sequence[Path] = "channels",
    negatives: Path | None = None,
    **options: Any,
) -> Result:
    """Measures how well detectors find people, as ``fovea people eval`` does; the report is in the folder OUT/report.

    Where curves do not reach 1 false positive per image, images are searched once more for boxes with lower scores.
    """
    words = ["people", "eval"]
    given = {"output": "report", "model": _model(model), **_paths(images=images, annotations=annotations, negatives=negatives), **options}
    levels: list[int] = []
    for _ in range(_LEAST_LEVELS * len(given["model"] or [""]) + 1):
        lower = {"lower": levels} if levels else {}
        kept = f"lower-{'-'.join(map(str, levels))}" if levels else ""
        result = _evaluate(words, out, {**given, **lower}, manifests=kept)
        if result.status != MORE_TO_DO:
            return result
        levels = json.loads(result.printed)["lower"]
    raise Error("people eval asks for lower scores again and again; give a threshold")


def evaluate_scenes(places: Path, *, out: Path, model: Path | None = None, **options: Any) -> Result:
    """Measures how often images are classified correctly, as ``fovea scenes eval`` does; the report is in the folder OUT/report.

    Splits are trained and tested on the cluster, or with a model the images are classified there.
    """
    tested = {"model": _model(model)} if model is not None else {}
    return _evaluate(["scenes", "eval", os.path.abspath(places)], out, {"output": "report", **tested, **options})


def evaluate_flow(pairs: Inputs, *, out: Path, **options: Any) -> Result:
    """Measures the errors of estimated flow, as ``fovea flow eval`` does, pair by pair; the report is in the folder OUT/report."""
    words = ["flow", "eval", *input_words(pairs, pathlib.Path(out).absolute())]
    return _evaluate(words, out, {"output": "report", **options})


def evaluate_mesh(meshes: Path, segmentations: Path, *, out: Path, **options: Any) -> Result:
    """Compares segmentations with those of people, as ``fovea mesh eval`` does, mesh by mesh; errors are in OUT/errors.csv."""
    sources = _paths(meshes=meshes, segmentations=segmentations)
    return _evaluate(["mesh", "eval"], out, {**sources, "csv": "errors.csv", **options})


def evaluate_actions(clips: Path, *, out: Path, **options: Any) -> Result:
    """Measures how often actions are classified correctly, as ``fovea actions eval`` does, fold by fold; the report is in OUT/report."""
    return _evaluate(["actions", "eval", os.path.abspath(clips)], out, {"output": "report", **options})
