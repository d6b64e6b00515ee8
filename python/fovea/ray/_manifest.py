"""What manifests say about a job, read while it runs."""

from __future__ import annotations

import pathlib
from collections.abc import Iterator
from dataclasses import dataclass

_ESCAPES = {b"\\t": b"\t", b"\\n": b"\n", b"\\\\": b"\\"}
_UNITS_FIELD = 8  # of the first line


@dataclass(frozen=True)
class Failure:
    """An input that failed, and why."""

    path: str
    error: str


def _text(field: bytes) -> str:
    parts, at = [], 0
    while (place := field.find(b"\\", at)) >= 0:
        parts += [field[at:place], _ESCAPES[field[place : place + 2]]]
        at = place + 2
    return b"".join([*parts, field[at:]]).decode(errors="surrogateescape")


@dataclass
class ManifestState:
    """How far a shard has come. Every line but the first is a unit; the last one of a unit counts."""

    units: int  # of the whole job
    failures: dict[int, Failure]
    recorded: set[int]


def _lines(path: pathlib.Path) -> Iterator[bytes]:
    try:
        with path.open("rb") as file:
            for line in file:
                if line.endswith(b"\n"):
                    yield line[:-1]
    except FileNotFoundError:
        return


def read_state(path: pathlib.Path) -> ManifestState | None:
    """The state of a shard, or None where it has not begun."""
    state = None
    for line in _lines(path):
        fields = line.split(b"\t")
        if state is None:
            state = ManifestState(int(fields[_UNITS_FIELD]), {}, set())
            continue
        unit = int(fields[1])
        state.recorded.add(unit)
        state.failures.pop(unit, None)
        if fields[2] == b"f":
            outputs = int(fields[6])
            state.failures[unit] = Failure(_text(fields[3]), _text(fields[7 + 3 * outputs]))
    return state
