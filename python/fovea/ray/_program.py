"""The program on the machine of a worker: a process that ends with the worker."""

from __future__ import annotations

import ctypes
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import Error, InvalidArgument

_PR_SET_PDEATHSIG = 1
_PATIENCE_SECONDS = 60.0  # for the lock of a worker that has died, on a file system that notices late


@dataclass(frozen=True)
class Ended:
    """How a run of the program ended."""

    status: int
    printed: str
    messages: str

    def error(self) -> Error:
        """The last message, as an exception."""
        lines = self.messages.strip().splitlines() or [f"the program ended with status {self.status}"]
        return Error(lines[-1].removeprefix("fovea: "))


def find_program() -> str:
    """The path of the program: $FOVEA_PROGRAM, or the first ``fovea`` in $PATH."""
    path = os.environ.get("FOVEA_PROGRAM") or shutil.which("fovea")
    if not path or not os.access(path, os.X_OK):
        raise InvalidArgument(
            f"the program fovea is not on this machine ({path or 'not in PATH'}); install it, or set FOVEA_PROGRAM to its path"
        )
    return path


def _end_with_parent() -> None:
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def run_program(words: Sequence[str], folder: str) -> Ended:
    """Runs the program in a folder. It is killed where this process dies, so that no shard is written twice."""
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while True:
        done = subprocess.run(
            [find_program(), *words],
            cwd=folder,
            capture_output=True,
            text=True,
            errors="surrogateescape",
            check=False,
            preexec_fn=_end_with_parent,
        )
        ended = Ended(done.returncode, done.stdout, done.stderr)
        if "has been writing to it for" not in ended.messages or time.monotonic() > deadline:
            return ended
        time.sleep(0.5)


def option_words(options: Mapping[str, Any]) -> list[str]:
    """Keywords as words of a command line: ``min_height=80`` is ``--min-height 80``."""
    words: list[str] = []
    for name, value in options.items():
        option = name.replace("_", "-")
        if value is None:
            continue
        if isinstance(value, bool):
            words.append(f"--{option}" if value else f"--no-{option}")
        elif isinstance(value, (list, tuple)) and all(isinstance(element, (int, float)) for element in value):
            words += [f"--{option}", ",".join(str(element) for element in value)]
        elif isinstance(value, (list, tuple)):
            words += [word for element in value for word in (f"--{option}", str(element))]
        else:
            words += [f"--{option}", str(value)]
    return words
