"""What all results share: where they come from, equality, tables for pandas, polars and Arrow."""

from __future__ import annotations

import functools
import shlex
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _fovea

if TYPE_CHECKING:
    import pandas

__all__ = ["Record", "Result", "Table"]


# Most words of a command are those of the last call too.
_quoted = functools.lru_cache(maxsize=1024)(shlex.quote)


def command_line(*words: object) -> str:
    """The words as a line that a shell reads back."""
    return " ".join([_quoted(str(word)) for word in words])


def counted(number: int, word: str) -> str:
    """A number with its noun."""
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def on_host(array: Any) -> Any:
    """A DeviceArray as a NumPy array; anything else as it is."""
    return array.numpy() if isinstance(array, _fovea.DeviceArray) else array


def _equal(one: Any, other: Any) -> bool:
    one, other = on_host(one), on_host(other)
    if not isinstance(one, np.ndarray) or not isinstance(other, np.ndarray):
        both_nan = isinstance(one, float) and isinstance(other, float) and one != one and other != other
        return both_nan or (type(one) is type(other) and bool(one == other))
    return np.array_equal(one, other, equal_nan=one.dtype.kind == "f" and other.dtype.kind == "f")


class Result:
    """A result with its origin: the options, the version and device that made it, and the program's command."""

    #: Every option with the value that was used.
    options: dict[str, Any]
    #: Version, device, seed and model of the call.
    provenance: dict[str, Any]
    #: The line of the program ``fovea`` that gives the same bytes.
    command: str

    #: Names of the attributes that two equal results share.
    _compared: tuple[str, ...] = ()

    def __init__(self, options: dict[str, Any], provenance: dict[str, Any], command: str) -> None:
        self.options = options
        self.provenance = {"version": _fovea.__version__, **provenance}
        self.command = command

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        return all(_equal(getattr(self, name), getattr(other, name)) for name in self._compared)

    __hash__ = None  # type: ignore[assignment]


class Record(Result):
    """A result of single values by name, which are attributes and can be read as from a dictionary."""

    def to_dict(self) -> dict[str, Any]:
        """The values by name."""
        return {name: getattr(self, name) for name in self._compared}

    def keys(self) -> list[str]:
        """The names of the values."""
        return list(self._compared)

    def items(self) -> list[tuple[str, Any]]:
        """The names with their values."""
        return list(self.to_dict().items())

    def __getitem__(self, name: str) -> Any:
        if name not in self._compared:
            raise KeyError(name)
        return getattr(self, name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._compared)

    def __len__(self) -> int:
        return len(self._compared)


class Table(Result):
    """A result with rows and columns."""

    def columns(self) -> dict[str, np.ndarray[Any, Any]]:
        """The columns by name, each with one element per row."""
        raise NotImplementedError

    def to_pandas(self) -> pandas.DataFrame:
        """The rows as a ``pandas.DataFrame``."""
        import pandas

        return pandas.DataFrame(self.columns())

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return _fovea.arrow_stream(self.columns())

