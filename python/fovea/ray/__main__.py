"""Runs a command of the program on an existing cluster: ``python -m fovea.ray submit people detect /data/photos --csv all.csv``.

The cluster is that of $RAY_ADDRESS; none is started.
"""

from __future__ import annotations

import argparse
import os
import sys

import ray

from ..errors import Error
from ._job import run


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m fovea.ray", description=__doc__)
    submit = parser.add_subparsers(required=True).add_parser("submit", help="run a command and wait for its end")
    submit.add_argument("--folder", default=".", help="where the command runs and its manifests lie; every node sees it")
    submit.add_argument("--workers", type=int, help="shards that run at a time at most; default: as many as there is room for")
    submit.add_argument("--cpus-per-worker", type=float, default=1)
    submit.add_argument("--gpus-per-worker", type=float, default=0)
    submit.add_argument("--shards", type=int, help="default: eight per worker")
    submit.add_argument("words", nargs=argparse.REMAINDER, help="system, verb, inputs and options of the program")
    asked = parser.parse_args(arguments)
    if not os.environ.get("RAY_ADDRESS"):
        print("fovea: RAY_ADDRESS is not set; give the address of a cluster, such as RAY_ADDRESS=auto for the one of this machine",
              file=sys.stderr)
        return 2
    ray.init(address=os.environ["RAY_ADDRESS"], log_to_driver=False)
    try:
        result = run(
            asked.words,
            folder=asked.folder,
            workers=asked.workers,
            cpus_per_worker=asked.cpus_per_worker,
            gpus_per_worker=asked.gpus_per_worker,
            shards=asked.shards,
        ).result()
    except Error as error:
        print(f"fovea: {error}", file=sys.stderr)
        return 1
    sys.stdout.write(result.printed)
    for failure in result.failed:
        print(f"fovea: {failure.error}", file=sys.stderr)
    return result.status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
