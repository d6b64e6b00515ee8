"""Many inputs and their results one after another: what could not be read, and one table of all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

import numpy as np

from . import _fovea
from ._arguments import counted
from .errors import Error, InvalidArgument, InvalidType
from .files import Path, as_path, is_path

if TYPE_CHECKING:
    import pandas

    from ._frames import Frames

_Result = TypeVar("_Result")


class Failure(NamedTuple):
    """An input that has no result."""

    path: str | int  #: the file, or the place among the inputs
    error: Error


class Results(Iterator[_Result], Generic[_Result]):
    """The results of many inputs, in order, once. Each is made when it is its turn or shortly before, and none is kept.

    ``len()`` is how many there are in all, where that is known before the last one."""

    #: The inputs that were left out so far.
    failed: list[Failure]

    def __init__(
        self,
        steps: Iterator[tuple[int, _Result]],
        kind: Any = None,
        failed: list[Failure] | None = None,
        count: int | None = None,
        frames: Frames | None = None,
    ) -> None:
        """``kind`` is the class of the results, which says what columns a table without any has; ``count`` is the number of
        inputs, where it is known, and ``frames`` are those of a video."""
        self._steps, self._kind, self._count, self._frames = steps, kind, count, frames
        self._taken, self._ended = 0, False
        self.failed = [] if failed is None else failed

    def __iter__(self) -> Iterator[_Result]:
        if self._ended:
            raise InvalidArgument("these results were used up already; make the call again, or keep them in list(results)")
        return self

    def __next__(self) -> _Result:
        try:
            found = next(self._steps)[1]
        except BaseException:
            self._ended = True
            raise
        self._taken += 1
        return found

    def __len__(self) -> int:
        if self._count is None:
            raise InvalidType("how many results there are is known after the last one alone; take len(list(results))")
        return self._count - len(self.failed)

    def __bool__(self) -> bool:
        return self._count != 0

    def close(self) -> None:
        """Stops the work that is under way."""
        self._ended = True
        self._steps.close()  # type: ignore[attr-defined]

    def to_pandas(self) -> pandas.DataFrame:
        """One table of all results, made in place of a loop over them: for each row its ``path`` and its ``frame``, which
        is the number of the frame in a video and else the place among the inputs, then the columns of the result."""
        import pandas

        tables: list[dict[str, Any]] = []
        for index, found in self._all("to_pandas"):
            columns: dict[str, Any] = found._overview()  # type: ignore[attr-defined]
            rows, frame = len(next(iter(columns.values()), (None,))), getattr(found, "frame", None)
            path = np.full(rows, getattr(found, "path", None), object)
            tables.append({"path": path, "frame": np.full(rows, index if frame is None else frame), **columns})
        if not tables:
            nothing = {} if self._kind is None else self._kind._no_rows()
            tables = [{"path": np.zeros(0, object), "frame": np.zeros(0, int), **nothing}]
        names = dict.fromkeys(name for table in tables for name in table)
        return pandas.DataFrame({name: _joined(name, tables) for name in names})

    def save(self, *paths: Path, output: str | None = None, fps: float | None = None, **options: Any) -> None:
        """Writes files of all results, in place of a loop over them, as the program does for a folder or a video.

        ``.mp4``, ``.avi``, ``.mkv``, ``.y4m`` and other names that ``write_video()`` takes get the results drawn on their
        images, so many per second as the video has or ``fps`` says. Other endings are those of a file that one result shares
        with others: ``.csv``, ``.json`` (COCO) and ``.parquet`` of people, ``.csv`` and ``.txt`` (MOT challenge) of tracks;
        ``output`` names the file instead, such as "yolo" for a folder. Several paths are written in one pass:
        ``people.track("street.mp4").save("tracks.csv", "marked.mp4")``."""
        from ._files_of_all import save_all

        save_all(self, [as_path(path) for path in paths], output, fps, options)

    def _all(self, call: str) -> Iterator[tuple[int, _Result]]:
        """All results with their places, for a call that takes the place of a loop."""
        if self._taken or self._ended:
            raise InvalidArgument(f"some results were taken already; call {call}() before the first one")
        self._ended = True
        return self._steps

    def __repr__(self) -> str:
        kind = "results" if self._kind is None else self._kind.__name__
        number = "" if self._count is None else f"{len(self)} "
        state = "used up" if self._ended else f"{self._taken} taken" if self._taken else "none taken yet"
        failed = f", {counted(len(self.failed), 'input')} failed" if self.failed else ""
        return f"Results({number}{kind}, {state}{failed})"


def count_of(values: Any) -> int | None:
    """How many there are, where they say so."""
    try:
        return len(values)
    except TypeError:
        return None


def _joined(name: str, tables: list[dict[str, Any]]) -> Any:
    """A column of several tables, with None or, among fractions, NaN in the rows of those that lack it."""
    known = [table[name] for table in tables if name in table]
    kind, nothing = (known[0].dtype, np.nan) if all(column.dtype.kind == "f" for column in known) else (object, None)
    return np.concatenate([table.get(name, np.full(len(table["path"]), nothing, kind)) for table in tables])


def inputs_of(inputs: Any, name: str = "images") -> tuple[Iterable[Any], int | None]:
    """Single inputs and their number, where it is known: of a folder, a glob or a list of files, or those that are given."""
    if is_path(inputs):
        inputs = _fovea.files.image_paths(as_path(inputs))
    shape = getattr(inputs, "shape", None)
    if shape is not None and (len(shape) in (0, 2) or (len(shape) == 3 and shape[-1] in (1, 3, 4))):
        raise InvalidArgument(f"{name} is one array of shape {tuple(shape)}; expected several images, such as [image]")
    if not isinstance(inputs, Iterable) or isinstance(inputs, (bytes, dict)):
        raise InvalidType(f"{name} is of type {type(inputs).__name__}; expected a folder or a list of images")
    return inputs, count_of(inputs)


def images_of(images: Any, name: str = "images") -> list[Any]:
    """Images as a list of arrays and paths."""
    return [as_path(image) if is_path(image) else image for image in inputs_of(images, name)[0]]


def some_images(images: Any, name: str) -> list[Any]:
    """The same, of which there must be one or more."""
    listed = images_of(images, name)
    if not listed:
        raise InvalidArgument(f"{name} is empty; expected one image or more")
    return listed
