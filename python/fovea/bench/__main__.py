"""The command: ``python -m fovea.bench``."""

from __future__ import annotations

import argparse
import os
import sys

from ..errors import Error, FormatError
from ._report import Report
from ._run import run


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is less than 1")
    return number


def _report(words: argparse.Namespace) -> Report:
    """A report from a file, or a new one."""
    if words.report is None:
        return run(words.filter, words.repeats, words.threads, words.image, progress=sys.stderr.isatty())
    try:
        with open(words.report, encoding="utf-8") as file:
            return Report.from_json(file.read())
    except (FormatError, UnicodeDecodeError):
        raise FormatError(f"{words.report}: this is no report of python -m fovea.bench --json") from None


def _write(path: str, text: str) -> None:
    """Writes a file, which appears whole or not at all."""
    unfinished = f"{path}.{os.getpid()}"
    try:
        with open(unfinished, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(unfinished, path)
    finally:
        if os.path.exists(unfinished):
            os.remove(unfinished)


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
    parser.add_argument("--chart", metavar="FILE", help="write the ratios to other libraries as a chart, in SVG")
    parser.add_argument("--report", metavar="FILE", help="show an earlier run, of --json, instead of measuring")
    words = parser.parse_args()
    if words.threads < 0:
        parser.error("--threads is negative; expected 0 or more")
    folder = os.path.dirname(words.chart or "") or "."
    if not os.path.isdir(folder):  # known before the long run
        parser.error(f"--chart {words.chart}: there is no folder {folder}")
    try:
        report = _report(words)
        print(report.to_json() if words.json else report.to_text(), flush=True)
        if words.chart is not None:
            _write(words.chart, report.to_svg())
    except (Error, OSError) as error:
        print(f"fovea.bench: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
