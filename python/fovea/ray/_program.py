"""The program on the machine of a worker: a process that ends with the worker."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import DeviceError, Error, FormatError, InvalidArgument, IoError

MORE_TO_DO = 6  # the status of a command after which another one must run, such as a search, before it is called again
_KEPT_MESSAGES = 4000  # bytes of a shard's messages that travel; failures of inputs are in its manifest


@dataclass(frozen=True)
class Ended:
    """How a run of the program ended."""

    status: int  # below 0: by a signal
    printed: str
    messages: str

    def error(self) -> Error:
        """The last message, as an exception."""
        lines = self.messages.strip().split("\n")  # names of files have the other ends of lines that Python knows
        message = lines[-1].removeprefix("fovea: ") or f"the program ended with status {self.status}"
        if self.status == 3:
            return IoError(message) if "No such file" in message or "ermission" in message else FormatError(message)
        return {2: InvalidArgument, 4: DeviceError}.get(self.status, Error)(message)


def text_of(output: bytes) -> str:
    """What the program wrote, without loss: bytes_of gives the same bytes."""
    return output.decode(errors="surrogateescape")


def bytes_of(text: str) -> bytes:
    return text.encode(errors="surrogateescape")


Word = str | bytes


def program_task() -> Callable[[Sequence[Word], Word, bool], tuple[int, bytes, bytes]]:
    """A function that runs the program and returns its status, what it printed (where that is kept) and its messages.

    Ray sends it to workers as a whole: it uses nothing but Python's own library, so that they need no import of this package, which would take
    longer than a small shard.
    """

    def run_shard(words: Sequence[Word], folder: Word, keeps_print: bool) -> tuple[int, bytes, bytes]:
        import ctypes
        import os
        import shutil
        import signal
        import subprocess
        import time

        program = os.environ.get("FOVEA_PROGRAM") or shutil.which("fovea")
        if not program or not os.access(program, os.X_OK):
            where = f"machine {os.uname().nodename} ({program or 'not in PATH'})"
            return 2, b"", os.fsencode(f"the program fovea is not on the {where}; install it, or set FOVEA_PROGRAM to its path")
        library, parent = ctypes.CDLL(None), os.getpid()

        def end_with_parent() -> None:
            library.prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG: no shard is written by two processes
            if os.getppid() != parent:
                os._exit(1)

        # For the lock of a worker that has died, on a file system that notices late.
        deadline = time.monotonic() + 60
        while True:
            done = subprocess.run(
                [program, *words],
                cwd=folder,
                stdout=subprocess.PIPE if keeps_print else subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                check=False,
                preexec_fn=end_with_parent,
            )
            if b"has been writing to it for" not in done.stderr or time.monotonic() > deadline:
                return done.returncode, done.stdout or b"", done.stderr
            time.sleep(0.2)

    return run_shard


def shard_task() -> Callable[[Sequence[Word], Word], tuple[int, bytes]]:
    """The same for a shard, whose result is its manifest: only its status and its last messages travel."""
    run, most = program_task(), _KEPT_MESSAGES

    def run_shard(words: Sequence[Word], folder: Word) -> tuple[int, bytes]:
        status, _, messages = run(words, folder, False)
        return status, messages[-most:]

    return run_shard


def run_program(words: Sequence[str], folder: str) -> Ended:
    """Runs the program in a folder of this machine. It is killed where this process dies."""
    status, printed, messages = program_task()(words, folder, True)
    return Ended(status, text_of(printed), text_of(messages))


def option_words(options: Mapping[str, Any]) -> list[str]:
    """Keywords as words of a command line: ``min_height=80`` is ``--min-height 80``."""
    words: list[str] = []
    for name, value in options.items():
        option = name.replace("_", "-")
        if value is None:
            continue
        if isinstance(value, dict):  # the options of a part
            words += option_words({f"{name}_{own}": each for own, each in value.items()})
        elif isinstance(value, bool):
            words.append(f"--{option}" if value else f"--no-{option}")
        elif isinstance(value, (list, tuple)) and all(isinstance(element, (int, float)) for element in value):
            words += [f"--{option}", ",".join(str(element) for element in value)]
        elif isinstance(value, (list, tuple)):
            words += [word for element in value for word in (f"--{option}", str(element))]
        else:
            words += [f"--{option}", str(value)]
    return words
