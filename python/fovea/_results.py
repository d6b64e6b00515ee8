"""What all results share: where they come from, equality, tables for pandas, polars and Arrow."""

from __future__ import annotations

import difflib
import functools
import inspect
import shlex
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

import numpy as np

from . import _fovea
from ._arguments import counted, flag, shown, word
from ._keywords import Methods
from ._words import in_python
from ._rules import Rules
from .errors import InvalidArgument, InvalidType

if TYPE_CHECKING:
    import pandas
    from typing_extensions import Self

__all__ = ["Record", "Result", "Table"]

_Kind = TypeVar("_Kind", bound="type[Result]")
_Row = TypeVar("_Row", bound="tuple[Any, ...]")
_Item = TypeVar("_Item")
_Number = TypeVar("_Number", bound=np.generic)


# Most words of a command are those of the last call too.
_quoted = functools.lru_cache(maxsize=1024)(shlex.quote)


def command_line(*words: object) -> str:
    """The words as a line that a shell reads back."""
    return " ".join([_quoted(str(word)) for word in words])


def on_host(array: Any) -> Any:
    """A DeviceArray as a NumPy array; anything else as it is."""
    return array.numpy() if isinstance(array, _fovea.DeviceArray) else array


def corners(boxes: np.ndarray[Any, np.dtype[_Number]]) -> np.ndarray[Any, np.dtype[_Number]]:
    """Rows of left, top, width and height as left, top, right and bottom."""
    ends = boxes.copy()
    np.add(boxes[:, :2], boxes[:, 2:], out=ends[:, 2:])
    return ends


class Boxed:
    """The box of a row, which has it as a field of one of these names, by all of them."""

    __slots__ = ()

    @property
    def box(self) -> tuple[float, float, float, float]:
        """Left, top, width and height: ``xywh``."""
        return self.xywh

    @property
    def xywh(self) -> tuple[float, float, float, float]:
        """Left, top, width and height."""
        if "box" in getattr(self, "_fields", ()):
            return self.box
        left, top, right, bottom = self.xyxy
        return left, top, right - left, bottom - top

    @property
    def xyxy(self) -> tuple[float, float, float, float]:
        """Left, top, right and bottom."""
        left, top, width, height = self.xywh
        return left, top, left + width, top + height


def row_of(kind: type[_Row], values: dict[str, Any]) -> _Row:
    """A record as a named tuple, which may have fewer fields."""
    named: Any = kind
    return named(*(values[name] for name in named._fields))


def rows_of(kind: type[_Row], columns: dict[str, Any]) -> list[_Row]:
    """The rows of a list of records, as named tuples."""
    named: Any = kind
    values = [columns[name] for name in named._fields]
    plain = [column.tolist() if isinstance(column, np.ndarray) else column for column in values]
    return [named(*(tuple(cell) if isinstance(cell, list) else cell for cell in row)) for row in zip(*plain)]


def _equal(one: Any, other: Any) -> bool:
    one, other = on_host(one), on_host(other)
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_equal(one[key], other[key]) for key in one)
    if isinstance(one, (list, tuple)) and type(one) is type(other):
        return len(one) == len(other) and all(_equal(a, b) for a, b in zip(one, other))
    if not isinstance(one, np.ndarray) or not isinstance(other, np.ndarray):
        both_nan = isinstance(one, float) and isinstance(other, float) and one != one and other != other
        return both_nan or (type(one) is type(other) and bool(one == other))
    return np.array_equal(one, other, equal_nan=one.dtype.kind == "f" and other.dtype.kind == "f")


def _columns(field: dict[str, Any], values: Any) -> Iterator[tuple[str, np.ndarray[Any, Any]]]:
    """The columns of one field: a box has four, lists and what the program does not print have none."""
    name, kind = field["name"], field["kind"]
    if not field["printed"] or kind in ("list", "array"):
        return
    if kind in ("box", "size", "point"):
        sides = ("x", "y", "width", "height")[-2 if kind == "size" else 0 :]
        prefix = f"{name}_" if field["prefixed"] else ""
        yield from ((prefix + side, np.ascontiguousarray(values[:, i])) for i, side in enumerate(sides[: values.shape[1]]))
    else:
        yield name, values


def _nothing(field: dict[str, Any], column: bool) -> Any:
    """The value of a field in a result that found nothing; as a column it has no elements."""
    kind = field["kind"]
    if kind == "list" and field["element"]["kind"] == "record":
        return {each["name"]: _nothing(each, True) for each in field["element"]["fields"]}
    if column or kind in ("list", "array"):
        sides = {"box": (4,), "size": (2,), "point": (2,)}.get(kind, ())
        return np.zeros((0, *sides), field.get("dtype", str))
    plain = {"int": 0, "float": 0.0, "bool": False, "str": "", "choice": ""}
    return None if field.get("optional") else plain.get(kind)


def described(fields: list[dict[str, Any]], rows: str | None = None) -> Callable[[_Kind], _Kind]:
    """A class decorator: the attributes of a result are the fields that the library describes.

    With ``rows``, the fields of that list of records are attributes too, as columns with one element per row."""
    found = (field["element"]["fields"] for field in fields if field["name"] == rows)
    row: list[dict[str, Any]] = next(found, [])

    def decorate(kind: _Kind) -> _Kind:
        known = [field for field in fields if field["name"] != rows]
        kind._fields, kind._listed = known + row, rows
        kind._compared = tuple(field["name"] for field in kind._fields if field["compared"]) + kind._compared
        if issubclass(kind, Table):
            kind._row = row
        lines = [f"    {field['name']}: {_sentence(field)}" for field in kind._fields if field["name"] not in vars(kind)]
        kind.__doc__ = inspect.cleandoc(kind.__doc__ or "") + "\n\nFields:\n" + "\n".join(lines) + "\n"
        return kind

    return decorate


def _sentence(field: dict[str, Any]) -> str:
    return in_python(f"{field['help']}, in {field['unit']}" if field["unit"] else field["help"])


@functools.lru_cache(maxsize=None)
def _attributes(kind: type) -> frozenset[str]:
    """The names of what objects of a class have, as far as the class says so."""
    fields = (field["name"] for field in getattr(kind, "_fields", ()))
    return frozenset(dir(kind)).union(fields, *(vars(base).get("__annotations__", ()) for base in kind.__mro__))


class Closed(Methods):
    """An object whose attributes are known, so that a misspelled one cannot be set without a word."""

    def __setattr__(self, name: str, value: Any) -> None:
        kind: Any = type(self)
        if not name.startswith("_") and name not in self.__dict__ and name not in (known := _attributes(kind)):
            near = difflib.get_close_matches(name, [each for each in known if not each.startswith("_")], 1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            if name in getattr(self, "_options", ()):
                hint = f"; options are given when it is made: {kind.__name__}({name}=...)"
            raise AttributeError(f"a {kind.__name__} has no attribute {name!r}{hint}", name=name, obj=self)
        object.__setattr__(self, name, value)


class Result(Closed):
    """A result with its origin: the options, the version and device that made it, and the program's command."""

    #: Every option with the value that was used.
    options: dict[str, Any]
    #: Those of them that were not given and that the model has decided.
    _by_model: tuple[str, ...] = ()
    #: Version, device, seed and model of the call.
    provenance: dict[str, Any]
    #: The line of the program ``fovea`` that gives the same bytes.
    command: str

    #: The library's description of the fields, of a result that has one: see ``described``.
    _fields: list[dict[str, Any]] = []
    #: The list of records in it whose fields are attributes too.
    _listed: str | None = None
    #: Names of the attributes that two equal results share.
    _compared: tuple[str, ...] = ()

    #: How long the call took.
    _seconds = 0.0

    #: The file that it is about, where that is known.
    path: str | None = None

    #: How it takes images and returns pictures: as the call that made it.
    _rules: Rules | None = None

    def __init__(
        self,
        options: dict[str, Any],
        provenance: dict[str, Any],
        command: str,
        values: dict[str, Any] | None = None,
        **own: Any,
    ) -> None:
        """``values`` are the fields of the record, and ``own`` attributes that the class has beside them."""
        self.options = options
        self.provenance = {"version": _fovea.__version__, **provenance}
        self.command = command
        if values is not None:
            self._take(values)
        self.__dict__.update(own)

    def _take(self, values: dict[str, Any]) -> None:
        """Makes the fields of a record attributes. What the class itself defines under such a name stays."""
        values = {**values, **values.get(self._listed, {})} if self._listed else values
        self.__dict__.update((field["name"], values[field["name"]]) for field in self._fields)

    def _overview(self) -> dict[str, np.ndarray[Any, Any]]:
        """What it adds to a table of many results: by default one row of its single values."""
        values = {field["name"]: self.__dict__.get(field["name"]) for field in self._fields if field["printed"]}
        return {name: np.array([value]) for name, value in values.items() if isinstance(value, (str, int, float))}

    @classmethod
    def _no_rows(cls) -> dict[str, np.ndarray[Any, Any]]:
        """The columns of ``_overview()`` with their types, and no row."""
        if not cls._fields:
            return {}
        row = {field["name"] for field in getattr(cls, "_row", ())}
        values = {field["name"]: _nothing(field, field["name"] in row) for field in cls._fields}
        return {name: column[:0] for name, column in cls({}, {}, "", values, frame=0)._overview().items()}

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        return all(_equal(getattr(self, name), getattr(other, name)) for name in self._compared)

    __hash__ = None  # type: ignore[assignment]


class Record(Result):
    """A result of single values by name, which are attributes and can be read as from a dictionary.

    Lists of any length are attributes only."""

    def to_dict(self) -> dict[str, Any]:
        """The values by name."""
        return {name: getattr(self, name) for name in self.keys()}

    def keys(self) -> list[str]:
        """The names of the values."""
        lists = [f["name"] for f in self._fields if f["kind"] in ("list", "array") and "fixed" not in f]
        return [name for name in self._compared if name not in lists]

    def items(self) -> list[tuple[str, Any]]:
        """The names with their values."""
        return list(self.to_dict().items())

    def __getitem__(self, name: str) -> Any:
        if name not in self._compared:
            raise KeyError(name)
        return getattr(self, name)

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def __len__(self) -> int:
        return len(self.keys())


class Table(Result):
    """A result with rows and columns."""

    #: The description of the fields of a row.
    _row: list[dict[str, Any]] = []

    def columns(self) -> dict[str, np.ndarray[Any, Any]]:
        """The columns by name, each with one element per row, as the program's CSV has them."""
        return {name: column for field in self._row for name, column in _columns(field, getattr(self, field["name"]))}

    def to_pandas(self) -> pandas.DataFrame:
        """The rows as a ``pandas.DataFrame``."""
        import pandas

        return pandas.DataFrame(self.columns())

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return _fovea.arrow_stream(self.columns())


class RowTable(Table, Generic[_Item]):
    """A table that is a sequence of its rows as well."""

    def _at(self, index: int) -> _Item:
        raise NotImplementedError

    def __len__(self) -> int:
        raise NotImplementedError

    #: Attributes beside the fields of a row that have one element per row.
    _beside: tuple[str, ...] = ()

    @overload
    def __getitem__(self, index: int) -> _Item: ...
    @overload
    def __getitem__(self, index: slice | Sequence[bool] | Sequence[int] | np.ndarray[Any, Any]) -> Self: ...
    def __getitem__(self, index: Any) -> Any:
        """A row, or for a slice, an array of True and False, or several numbers the same result with these rows alone."""
        if isinstance(index, (int, np.integer)) and not isinstance(index, bool):
            return self._at(int(index))
        if isinstance(index, slice):
            return self._part(np.arange(len(self))[index])
        try:
            chosen = np.asarray(index if len(index) else np.zeros(0, int))
            if chosen.dtype.kind not in "biu" or chosen.ndim != 1:
                raise TypeError
        except TypeError:
            raise InvalidType(f"rows are {shown(index)}; expected numbers, a slice, or True or False for each row") from None
        if chosen.dtype.kind == "b" and len(chosen) != len(self):
            raise InvalidArgument(
                f"there are {counted(len(self), 'row')}, but {counted(len(chosen), 'value')} of True or False; expected one for each row"
            )
        return self._part(np.arange(len(self))[chosen])

    def _overview(self) -> dict[str, np.ndarray[Any, Any]]:
        return self.columns()

    def _part(self, rows: np.ndarray[Any, Any]) -> Self:
        """The same result with some of its rows."""
        part = object.__new__(type(self))
        part.__dict__.update(self.__dict__)
        for name in (*(field["name"] for field in self._row), *self._beside):
            part.__dict__[name] = _picked(part.__dict__[name], rows)
        return part

    def filter(self, keep: Callable[[_Item], object]) -> Self:
        """The same result with the rows alone for which a function is true."""
        if not callable(keep):
            raise InvalidType(f"keep is {shown(keep)}; expected a function of a row")
        return self[np.array([bool(keep(row)) for row in self], bool)]

    def sort_by(self, key: str | Callable[[_Item], Any], reverse: bool = False) -> Self:
        """The same result with its rows in the order of a column, or of what a function gives for each.

        >>> found = fovea.people.detect(np.zeros((160, 120), np.uint8))
        >>> tall = found.filter(lambda person: person.scale > 2).sort_by("score", reverse=True)"""
        if callable(key):
            values = [key(row) for row in self]
        else:
            columns = self.columns()
            values = columns[word(key, "key", list(columns), "a function or a column: ")].tolist()
        return self[sorted(range(len(self)), key=values.__getitem__, reverse=flag(reverse, "reverse"))]

    def __iter__(self) -> Iterator[_Item]:
        return (self._at(i) for i in range(len(self)))


def _picked(column: Any, rows: np.ndarray[Any, Any]) -> Any:
    if isinstance(column, dict):
        return {name: _picked(values, rows) for name, values in column.items()}
    return column[rows] if isinstance(column, np.ndarray) else [column[row] for row in rows]
