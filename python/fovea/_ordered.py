"""Work on frames in several threads, with results in the order of the frames."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from queue import SimpleQueue
from typing import Any, TypeVar

from . import _rules
from ._fovea import own_array_rules

_Worker = TypeVar("_Worker")
_Result = TypeVar("_Result")


def in_order(
    frames: Iterable[Any],
    workers: list[_Worker],
    work: Callable[[_Worker, Any, int], _Result],
    ahead: int | None = None,
) -> Iterator[_Result]:
    """Yields ``work(worker, frame, index)`` for each frame. ``ahead`` frames are read before the first of them is done; by
    default twice the number of workers.

    Where the source of frames breaks, the results of the frames before come first and the exception after them. Leaving
    the iterator early, by close() or by an exception such as Ctrl-C, stops the frames in flight and drops the others."""
    rules = own_array_rules()  # of this thread
    idle: SimpleQueue[_Worker] = SimpleQueue()
    for worker in workers:
        idle.put(worker)

    def run(frame: Any, index: int) -> _Result:
        worker = idle.get()
        try:
            return _rules.call(rules, work, worker, frame, index)
        finally:
            idle.put(worker)

    pending: deque[Future[_Result]] = deque()
    pool = ThreadPoolExecutor(len(workers), thread_name_prefix="fovea")
    fault: Exception | None = None
    ended = False
    try:
        numbered = enumerate(frames)
        while True:
            try:
                index, frame = next(numbered)
            except StopIteration:
                break
            except Exception as error:
                fault = error
                break
            pending.append(pool.submit(run, frame, index))
            if len(pending) > (2 * len(workers) if ahead is None else ahead):
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()
        ended = True
    finally:
        if not ended:
            for future in pending:
                future.cancel()
            for worker in workers:
                if hasattr(worker, "stop"):
                    worker.stop()
        pool.shutdown(wait=True, cancel_futures=True)
    if fault is not None:
        raise fault
