"""Times of calls that take turns."""

from __future__ import annotations

import importlib
import importlib.metadata
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

Call = Callable[[], Any]

# A sample lasts at least this long; short calls are made several times for it.
_LEAST_SECONDS = 0.005
# The same for differences of short calls, and how many more rounds there are.
_SHORT_SECONDS = 0.0005
_SHORT_ROUNDS = 20


class Absent(Exception):
    """A rival that cannot run here. The message is the reason."""


class Times(NamedTuple):
    """The seconds that one call took, over all rounds."""

    median: float
    least: float
    greatest: float


def rival(module: str, package: str) -> tuple[Any, str]:
    """A library of others and its version. Raises Absent where it is not installed."""
    try:
        loaded: Any = importlib.import_module(module)
    except ImportError as error:
        raise Absent(f"not measured: {error}; pip install {package} adds it") from None
    return loaded, str(getattr(loaded, "__version__", None) or importlib.metadata.version(package))


def _rounds(calls: Sequence[Call], repeats: int, least_seconds: float) -> list[list[float]]:
    """The seconds of each call in each round, in which all calls run one after another: a busy moment meets all."""
    counts = []
    for call in calls:
        call()  # the first call allocates and loads
        start = time.perf_counter()
        call()
        seconds = time.perf_counter() - start
        counts.append(max(1, round(least_seconds / max(seconds, 1e-9))))
    samples: list[list[float]] = [[] for _ in calls]
    for _ in range(repeats):
        for call, count, sample in zip(calls, counts, samples):
            start = time.perf_counter()
            for _ in range(count):
                call()
            sample.append((time.perf_counter() - start) / count)
    return samples


def in_turns(calls: Sequence[Call], repeats: int) -> list[Times]:
    """Times several calls in as many rounds as ``repeats``."""
    rounds = _rounds(calls, repeats, _LEAST_SECONDS)
    return [Times(statistics.median(sample), min(sample), max(sample)) for sample in rounds]


def difference(whole: Call, part: Call, repeats: int) -> tuple[float, float, float]:
    """The medians of a short call, of its main part, and of how much longer the former takes, in seconds.

    Rounds are short and many, because the system interrupts few of them."""
    longer, shorter = _rounds([whole, part], _SHORT_ROUNDS * repeats, _SHORT_SECONDS)
    extra = statistics.median(a - b for a, b in zip(longer, shorter))
    return statistics.median(longer), statistics.median(shorter), extra
