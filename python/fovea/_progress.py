"""Progress bars: tqdm where it is installed, or a function of the caller's."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Union

from .errors import InvalidType

#: False for none, True for a bar, or a function that is called with stage, done and total (0 where it is not known).
Progress = Union[bool, Callable[[str, float, float], None]]


def check_progress(progress: object) -> None:
    """Refuses what is neither True, False, None nor a function."""
    if progress is not None and not isinstance(progress, bool) and not callable(progress):
        raise InvalidType(f"progress is of type {type(progress).__name__}; expected True, False or a function")


@contextmanager
def reporting(progress: Progress | None) -> Iterator[Callable[[str, float, float], None] | None]:
    """The function that receives progress, or None where nobody wants it."""
    check_progress(progress)
    if progress is None or progress is False:
        yield None
    elif callable(progress):
        yield progress
    else:
        bar = _Bar()
        try:
            yield bar
        finally:
            bar.close()


class _Bar:
    """One bar per stage."""

    def __init__(self) -> None:
        try:
            from tqdm.auto import tqdm
        except ImportError:
            tqdm = None
        self._tqdm = tqdm
        self._stage = ""
        self._bar = None
        self._tenth = -1

    def __call__(self, stage: str, done: float, total: float) -> None:
        if self._tqdm is None:
            self._print(stage, done, total)
            return
        if stage != self._stage:
            self.close()
            self._stage = stage
            self._bar = self._tqdm(total=total or None, desc=stage)
        if self._bar is not None:
            self._bar.n = done
            self._bar.refresh()

    def _print(self, stage: str, done: float, total: float) -> None:
        tenth = int(10 * done / total) if total else -1
        if stage != self._stage or tenth > self._tenth:
            self._stage, self._tenth = stage, tenth
            print(f"{stage}: {10 * tenth} %" if total else stage, file=sys.stderr)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None
