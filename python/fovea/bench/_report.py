"""Results of a run, as tables and as JSON."""

from __future__ import annotations

import json
import os
import platform
import subprocess
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from .. import _fovea
from ..errors import FormatError
from ._measure import Times


@dataclass
class Overhead:
    """A small call."""

    name: str
    input: str
    call_us: float  #: the whole call; work on the small input is part of it
    extension_us: float  #: what it calls in the extension module
    python_us: float  #: the median of the differences in the rounds


@dataclass
class Comparison:
    """One task beside one other library. Times are in milliseconds; ratio is the rival's median / Fovea's."""

    name: str
    size: str
    threads: int
    rival: str
    fovea_ms: float | None = None
    fovea_range_ms: tuple[float, float] | None = None
    rival_ms: float | None = None
    rival_range_ms: tuple[float, float] | None = None
    ratio: float | None = None
    results: str = ""
    differs: str = ""
    reason: str = ""  #: why the rival was not measured

    def took(self, ours: Times, theirs: Times | None) -> None:
        """Sets the times."""
        self.fovea_ms, self.fovea_range_ms = 1000 * ours.median, (1000 * ours.least, 1000 * ours.greatest)
        if theirs is not None:
            self.rival_ms, self.rival_range_ms = 1000 * theirs.median, (1000 * theirs.least, 1000 * theirs.greatest)
            self.ratio = theirs.median / ours.median


def machine() -> dict[str, Any]:
    """The machine, the system and the versions that a run depends on."""
    import numpy as np

    built = _fovea.build_info()
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return {
        "processor": _processor(),
        "cores": allowed,
        "load": os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
        "system": _system(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "fovea": str(_fovea.__version__),
        "compiler": str(built["compiler"]),
        "simd": list(built["simd"]),
    }


def _processor() -> str:
    """What ``lscpu`` calls the processor, or its architecture."""
    try:
        words = {**os.environ, "LC_ALL": "C"}
        listed = subprocess.run(["lscpu"], capture_output=True, text=True, check=False, env=words, timeout=10).stdout
    except (OSError, subprocess.SubprocessError):
        listed = ""
    for line in listed.splitlines():
        name, _, value = line.partition(":")
        if name == "Model name":
            return f"{value.strip()} ({platform.machine()})"
    return platform.processor() or platform.machine()


def _system() -> str:
    try:
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError):
        return platform.platform(terse=True)


@dataclass
class Report:
    """Everything that a run found."""

    machine: dict[str, Any]
    threads: int
    repeats: int
    image: str  #: the photograph, or how it was drawn
    overheads: list[Overhead] = field(default_factory=list)
    comparisons: list[Comparison] = field(default_factory=list)

    def to_json(self) -> str:
        """The report as JSON."""
        return json.dumps(asdict(self), indent=1)

    @classmethod
    def from_json(cls, text: str) -> Report:
        """A report that ``to_json`` wrote. Raises FormatError for another text."""
        try:
            known = json.loads(text)
            known["overheads"] = [Overhead(**row) for row in known["overheads"]]
            known["comparisons"] = [Comparison(**row) for row in known["comparisons"]]
            return cls(**known)
        except (ValueError, TypeError, KeyError):
            raise FormatError("this is no report of python -m fovea.bench --json") from None

    def to_svg(self) -> str:
        """The ratios to other libraries as a chart."""
        from ._chart import to_svg

        return to_svg(self)

    def to_text(self) -> str:
        """The report as tables, which are Markdown too."""
        place = self.machine
        lines = [
            f"Fovea {place['fovea']} ({place['compiler']}, {' '.join(place['simd'])}), Python {place['python']}, "
            f"NumPy {place['numpy']}, {place['system']}.",
            f"Processor: {place['processor']}, {place['cores']} cores; up to {self.threads} threads, "
            f"{self.repeats} repeats, image: {self.image}.",
        ]
        if place["load"] is not None:
            lines.append(
                f"Load average before the run: {place['load']:.1f}; other programs make times longer and ratios rough."
            )
        if self.overheads:
            head = ("call", "input", "whole call, us", "extension, us", "Python, us")
            rows = [(o.name, o.input, *map(_short, (o.call_us, o.extension_us, o.python_us))) for o in self.overheads]
            lines += ["", *_table(head, rows, right=3)]
        if self.comparisons:
            columns = ("task", "size", "rival", "threads", "Fovea, ms", "rival, ms", "ratio")
            lines += ["", *_table(columns, self._rows(), right=4)]
            lines += ["", "A ratio above 1 means that Fovea is faster. What the rows found, and what differs:"]
            lines += self._notes()
        return "\n".join(lines)

    def _rows(self) -> list[tuple[str, ...]]:
        return [
            (c.name, c.size, c.rival, str(c.threads), *map(_short, (c.fovea_ms, c.rival_ms, c.ratio)))
            for c in self.comparisons
        ]

    def _notes(self) -> list[str]:
        notes = []
        for row in self.comparisons:
            said = row.reason or f"{row.results}. {row.differs}"
            notes.append(f"- {row.name}, {row.rival}: {said}")
        return notes


def _short(number: float | None) -> str:
    """Three digits, or nothing for what was not measured."""
    if number is None:
        return ""
    return f"{number:.0f}" if number >= 100 else f"{number:.3g}"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], right: int) -> list[str]:
    """A table of Markdown with aligned columns; the last ones, of numbers, are flush right."""
    widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]
    first = len(head) - right

    def line(cells: Sequence[str]) -> str:
        sides = [cell.rjust(w) if i >= first else cell.ljust(w) for i, (cell, w) in enumerate(zip(cells, widths))]
        return "| " + " | ".join(sides) + " |"

    rule = ["-" * (w - 1) + ":" if i >= first else "-" * w for i, w in enumerate(widths)]
    return [line(head), line(rule), *map(line, rows)]
