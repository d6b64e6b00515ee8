"""Many inputs and their results one after another: what could not be read, and one table of all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sized
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

import numpy as np

from . import _fovea
from .errors import Error, InvalidArgument, InvalidType
from .files import as_path, is_path

if TYPE_CHECKING:
    import pandas

_Result = TypeVar("_Result")


class Failure(NamedTuple):
    """An input that has no result."""

    path: str | int  #: the file, or the place among the inputs
    error: Error


class Results(Iterator[_Result], Generic[_Result]):
    """The results of many inputs, in order. Each is made when it is its turn or shortly before, and none is kept."""

    #: The inputs that were left out so far.
    failed: list[Failure]

    def __init__(
        self, steps: Iterator[tuple[int, _Result]], kind: Any = None, failed: list[Failure] | None = None
    ) -> None:
        """``kind`` is the class of the results, which says what columns a table without any has."""
        self._steps, self._kind, self._begun = steps, kind, False
        self.failed = [] if failed is None else failed

    def __next__(self) -> _Result:
        self._begun = True
        return next(self._steps)[1]

    def close(self) -> None:
        """Stops the work that is under way."""
        self._steps.close()  # type: ignore[attr-defined]

    def to_pandas(self) -> pandas.DataFrame:
        """One table of all results, made in place of a loop over them: for each row its ``path`` and its ``frame``, which
        is the number of the frame in a video and else the place among the inputs, then the columns of the result."""
        import pandas

        if self._begun:
            raise InvalidArgument("some results were taken already; call to_pandas() before the first one")
        self._begun = True
        tables: list[dict[str, Any]] = []
        for index, found in self._steps:
            columns: dict[str, Any] = found._overview()  # type: ignore[attr-defined]
            rows, frame = len(next(iter(columns.values()), ())), getattr(found, "frame", None)
            path = np.full(rows, getattr(found, "path", None), object)
            tables.append({"path": path, "frame": np.full(rows, index if frame is None else frame), **columns})
        if not tables:
            nothing = {} if self._kind is None else self._kind._no_rows()
            tables = [{"path": np.zeros(0, object), "frame": np.zeros(0, int), **nothing}]
        names = dict.fromkeys(name for table in tables for name in table)
        return pandas.DataFrame({name: _joined(name, tables) for name in names})


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
    return inputs, len(inputs) if isinstance(inputs, Sized) else None


def images_of(images: Any, name: str = "images") -> list[Any]:
    """Images as a list of arrays and paths."""
    return [as_path(image) if is_path(image) else image for image in inputs_of(images, name)[0]]


def some_images(images: Any, name: str) -> list[Any]:
    """The same, of which there must be one or more."""
    listed = images_of(images, name)
    if not listed:
        raise InvalidArgument(f"{name} is empty; expected one image or more")
    return listed
