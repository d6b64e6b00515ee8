"""A whole run."""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
from typing import Any

import numpy as np

from ..errors import InvalidArgument
from ..files import Path, read_image
from . import _inputs
from ._measure import Absent, Times, difference, in_turns
from ._overhead import small_calls
from ._report import Comparison, Overhead, Report, machine
from ._tasks import Material, Task, tasks

_SIZE = 640, 480


def run(
    filter: str = "", repeats: int = 7, threads: int = 0, image: Path | None = None, *, progress: bool = False
) -> Report:
    """Measures what has ``filter`` in its name or in that of its rival, and returns a Report.

    Each comparison has as many rounds as ``repeats``; in a round, Fovea and its rivals run one after another. With
    ``threads=0`` every core is used. ``image`` is a photograph that takes the place of the drawn one."""
    place = machine()
    count = threads or place["cores"]
    picture, source = _picture(image)
    report = Report(place, count, repeats, source)
    wanted = filter.lower()
    for small in small_calls():
        if wanted in f"overhead {small.name}".lower():
            _say(progress, f"overhead of {small.name}")
            numbers = difference(small.whole, small.inner, repeats)
            report.overheads.append(Overhead(small.name, small.input, *(1e6 * seconds for seconds in numbers)))
    for task in tasks(Material(picture, _inputs.gray_of(picture), count)):
        chosen = [other for other in task.others if wanted in f"{task.name} {other.name}".lower()]
        if chosen:
            _say(progress, task.name)
            with _limited(count):
                report.comparisons += _compared(task._replace(others=chosen), repeats)
    return report


def _compared(task: Task, repeats: int) -> list[Comparison]:
    """A row for each rival. All of them take turns."""
    rows, calls, measured = [], [task.call], []
    for other in task.others:
        row = Comparison(task.name, task.size, task.threads, other.name, differs=other.differs)
        rows.append(row)
        try:
            row.rival, call = other.prepare()
        except Absent as absent:
            row.reason = str(absent)
            continue
        calls.append(call)
        measured.append((row, other))
    ours = task.call()
    for (row, other), call in zip(measured, calls[1:]):
        row.results = other.results(ours, call())
    times = in_turns(calls, repeats)
    theirs: dict[int, Times] = {id(row): took for (row, _), took in zip(measured, times[1:])}
    for row in rows:
        row.took(times[0], theirs.get(id(row)))
    return rows


def _picture(image: Path | None) -> tuple[_inputs.Array, str]:
    if image is None:
        return _inputs.photograph(*_SIZE), f"drawn, {_SIZE[0]}x{_SIZE[1]}"
    pixels = read_image(image)
    if pixels.dtype != np.uint8 or min(pixels.shape[:2]) < 160:
        raise InvalidArgument(f"{os.fspath(image)} is not an image of 8 bits with at least 160x160 pixels")
    if pixels.ndim == 2 or pixels.shape[2] == 1:
        pixels = np.repeat(pixels.reshape(*pixels.shape[:2], 1), 3, axis=2)
    color = np.ascontiguousarray(pixels[:, :, :3])
    return color, f"{os.path.basename(os.fspath(image))}, {color.shape[1]}x{color.shape[0]}"


def _limited(threads: int) -> Any:
    """A context in which the pools of other libraries have so many threads."""
    try:
        importlib.import_module("sklearn.cluster")  # its pools must be there before they are limited
        pools: Any = importlib.import_module("threadpoolctl")
    except ImportError:
        return contextlib.nullcontext()
    return pools.threadpool_limits(threads)


def _say(progress: bool, text: str) -> None:
    if progress:
        print(f"measuring {text}", file=sys.stderr, flush=True)
