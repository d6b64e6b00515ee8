"""Runs a command of the program on an existing cluster: ``python -m fovea.ray submit people detect /data/photos --csv all.csv``.

The cluster is that of $RAY_ADDRESS; none is started.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from typing import TextIO

import ray

from ..errors import DeviceError, Error, FormatError, InvalidArgument, IoError
from ._job import run
from ._program import bytes_of


def _status_of(error: Error) -> int:
    """The exit status that the program has for such an error."""
    statuses = {InvalidArgument: 2, IoError: 3, FormatError: 3, DeviceError: 4}
    return next((status for kind, status in statuses.items() if isinstance(error, kind)), 1)


def _write(stream: TextIO, text: str) -> None:
    """Writes the bytes that the program wrote, whatever the encoding of the stream."""
    stream.flush()
    stream.buffer.write(bytes_of(text))
    stream.buffer.flush()


def _split(arguments: list[str]) -> tuple[list[str], list[str]]:
    """The word submit with its own options, and the command."""
    end = 1
    while end < len(arguments) and arguments[end].startswith("-") and arguments[end] != "--":
        end += 1 if "=" in arguments[end] or arguments[end] in ("--no-resume", "--help", "-h") else 2
    return arguments[:end], arguments[end + 1 :] if arguments[end : end + 1] == ["--"] else arguments[end:]


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m fovea.ray", description=__doc__)
    submit = parser.add_subparsers(required=True).add_parser("submit", help="run a command and wait for its end")
    submit.add_argument("--folder", default=".", help="where the command runs and its manifests lie; every node sees it")
    submit.add_argument("--workers", type=int, help="shards that run at a time at most; default: as many as there is room for")
    submit.add_argument("--cpus-per-worker", type=float, default=1)
    submit.add_argument("--gpus-per-worker", type=float, default=0)
    submit.add_argument("--shards", type=int, help="default: eight per worker, and one for a single worker")
    submit.add_argument("--no-resume", action="store_true", help="forget what an earlier job has left in the folder")
    submit.usage = "python -m fovea.ray submit [options] SYSTEM VERB INPUT... [options of the verb]"
    mine, words = _split(arguments)
    asked = parser.parse_args(mine)
    if not os.environ.get("RAY_ADDRESS"):
        print("fovea: RAY_ADDRESS is not set; give the address of a cluster, such as RAY_ADDRESS=auto for the one of this machine",
              file=sys.stderr)
        return 2
    # Ray tells its cluster the command line of this process, and fails on any other.
    if odd := [word for word in arguments if word != bytes_of(word).decode(errors="replace")]:
        _write(sys.stderr, f"fovea: {odd[0]}: is not UTF-8, and Ray takes no such word; give the folder of such files, or a list @FILE\n")
        return 2
    try:
        # Ray reports deaths of nodes and workers on standard output, which belongs to the command.
        with contextlib.redirect_stdout(sys.stderr):
            ray.init(address=os.environ["RAY_ADDRESS"], log_to_driver=False)
            result = run(
                words,
                folder=asked.folder,
                workers=asked.workers,
                cpus_per_worker=asked.cpus_per_worker,
                gpus_per_worker=asked.gpus_per_worker,
                shards=asked.shards,
                resume=not asked.no_resume,
            ).result()
            ray.shutdown()
    except ConnectionError as error:
        print(f"fovea: RAY_ADDRESS={os.environ['RAY_ADDRESS']}: {' '.join(str(error).split())}", file=sys.stderr)
        return 1
    except Error as error:
        _write(sys.stderr, f"fovea: {error}\n")
        return _status_of(error)
    except KeyboardInterrupt:
        print("fovea: interrupted; what was finished is kept", file=sys.stderr)
        return 130
    _write(sys.stdout, result.printed)
    _write(sys.stderr, result.messages)
    return result.status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
