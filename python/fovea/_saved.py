"""Results of operations, which are written to the files that the program writes."""

from __future__ import annotations

import inspect
import json
import types
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from . import _fovea
from ._arguments import path_of, text
from ._words import in_python
from ._notebook import OnImage
from ._results import Record, Result, described
from ._rules import in_its_colors
from .errors import InvalidArgument
from .files import Path

_Class = TypeVar("_Class", bound="type[Saved]")


class Saved(Result):
    """A result of an operation of the program."""

    #: Its name, such as "people detect".
    _operation = ""
    #: Whether the extension module keeps what was made, because these attributes are not all of it.
    _keeps = False
    #: The input as commands name it.
    _name = "INPUT"
    #: What options name besides models.
    _sources: dict[str, str] = {}

    @in_its_colors
    def save(self, path: Path, image: Any = None, *, output: str | None = None, **options: Any) -> None:
        """Writes what the program writes for this result. The ending of the path says which of its files that is, unless
        ``output`` names it. Pictures are drawn on the image that was worked on, unless another one is given."""
        _fovea.operations.save(self._operation, [self._kept(image)], path_of(path), output_of(output), dict(options))

    def _input(self) -> Any:
        """The image or mesh that was worked on, or None where it is forgotten."""
        return None

    @staticmethod
    def _of_mesh(mesh: Any) -> dict[str, Any]:
        """What the result knows of the mesh that was worked on."""
        return {"mesh": mesh}

    def _values(self) -> dict[str, Any]:
        """The fields of the record by name, and those of its rows."""
        known = self.__dict__
        values = {field["name"]: known[field["name"]] for field in self._fields if field["name"] in known}
        return {**values, self._listed: values} if self._listed else values

    def _kept(self, image: Any = None) -> dict[str, Any]:
        """What the extension module needs to write it."""
        model = {"model": self.provenance["model"]} if "model" in self.provenance else {}
        return {
            "options": {**self.options, **dict.fromkeys(self._by_model)},
            "sources": {**model, **self._sources},
            "name": self._name,
            "input": self._input() if image is None else image,
            "frame": getattr(self, "frame", None),
            "seconds": getattr(self, "time_seconds", None) or 0.0,
            "device": self.provenance["device"],
            "models": models_json(self.provenance),
            "values": self._values(),
        }


def models_json(provenance: Mapping[str, Any]) -> str:
    """The hash of a model by its name, as the program writes it into files; empty where there is no model."""
    if "model" not in provenance:
        return ""
    return json.dumps({provenance["model"]: provenance["model_hash"]}, ensure_ascii=False)


def output_of(name: str | None) -> str:
    return "" if name is None else text(name, "output", "the name of an output")


class OperationResult(OnImage, Saved, Record):
    """The result of an operation that has no class of its own: its fields are attributes."""

    #: The images that were made, in order.
    images: list[Any]

    _keeps = True
    #: An object of the extension module, and what it has made.
    _made: tuple[Any, Any] | None = None

    @property
    def image(self) -> Any:
        """The image that was made."""
        if len(self.images) != 1:
            raise InvalidArgument(f"{self._operation} has made {len(self.images)} images; take them from images")
        return self.images[0]

    def save(self, path: Path, image: Any = None, *, output: str | None = None, **options: Any) -> None:
        """Writes what the program writes for this result. The ending of the path says which of its files that is, unless
        ``output`` names it."""
        if self._made is None:
            raise InvalidArgument("a result that was pickled has forgotten what its files need; run the operation again")
        if options or image is not None:
            raise InvalidArgument("options of files, and images to draw on, are given to run()")
        face, made = self._made
        face.save(made, path_of(path), output_of(output))

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_made": None}

    def __repr__(self) -> str:
        values = ", ".join(f"{name} {value}" for name, value in self.items() if value is not None)
        return f"{self._operation} of {self._name}: {values}"


#: The class of the results of each operation that has one.
KINDS: dict[str, type[Saved]] = {}


def of_operation(name: str, rows: str | None = None) -> Callable[[_Class], _Class]:
    """A class decorator: the attributes of a result, and the files that it is saved to, are those of an operation."""
    operation = _fovea.operations.described(name)
    files = [in_python(f"    {each['name']} ({each['file']}): {each['help']}") for each in operation["outputs"]]

    def decorate(kind: _Class) -> _Class:
        described(operation["fields"], rows)(kind)
        kind._operation = name
        plain: Any = kind.save
        if "save" not in vars(kind):  # with a docstring of its own
            save = types.FunctionType(plain.__code__, plain.__globals__, "save", plain.__defaults__, plain.__closure__)
            save.__kwdefaults__, save.__annotations__ = plain.__kwdefaults__, plain.__annotations__
            save.__qualname__, save.__module__ = f"{kind.__qualname__}.save", kind.__module__
            save.__dict__.update(plain.__dict__)
            kind.save = save  # type: ignore[method-assign]
        listed = "\n".join(files or ["    There are none."])
        kind.save.__doc__ = f"{inspect.cleandoc(plain.__doc__ or '')}\n\nFiles:\n{listed}\n"
        KINDS[name] = kind
        return kind

    return decorate
