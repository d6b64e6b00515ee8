"""The command: ``python -m fovea.bench``."""

from __future__ import annotations

import argparse
import sys

from ..errors import Error
from ._run import run


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is less than 1")
    return number


def main() -> int:
    """Reads the arguments, measures, and prints a table or JSON."""
    parser = argparse.ArgumentParser(
        prog="python -m fovea.bench",
        description="Times the overhead of calls, and whole tasks side by side with other libraries, on the CPU.",
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")
    parser.add_argument("--filter", metavar="TEXT", default="", help="only what has TEXT in its name or rival")
    parser.add_argument("--repeats", metavar="N", type=_positive, default=7, help="rounds of each row (default: 7)")
    parser.add_argument("--threads", metavar="N", type=int, default=0, help="threads of each library (0: every core)")
    parser.add_argument("--image", metavar="FILE", help="a photograph that takes the place of the drawn one")
    words = parser.parse_args()
    if words.threads < 0:
        parser.error("--threads is negative; expected 0 or more")
    try:
        report = run(words.filter, words.repeats, words.threads, words.image, progress=sys.stderr.isatty())
    except Error as error:
        print(f"fovea.bench: {error}", file=sys.stderr)
        return 1
    print(report.to_json() if words.json else report.to_text())
    return 0


if __name__ == "__main__":
    sys.exit(main())
