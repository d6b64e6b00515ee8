"""What models of all systems share: their file and its hash, equality and pickling."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable
from typing import Any, TypeVar

from ._arguments import path_of
from ._keywords import Methods
from .files import Path, file_hash, model_name, model_path

_Model = TypeVar("_Model", bound="StoredModel")


class StoredModel(Methods):
    """A model of the library and where it comes from."""

    #: Reads a model of the library from a file.
    _read: Callable[[str], Any]

    def __init__(self, model: Any, name: str, file: str | None, command: str | None = None) -> None:
        self._model = model
        #: The name or path by which it was loaded, or ``MODEL.safetensors``.
        self.name = name
        #: For a trained model, the line of the program that writes the same file.
        self.command = command
        self._file = file
        # At once, because the file may be another one later.
        self._hash = file_hash(file) if file else None

    @property
    def facts(self) -> dict[str, str]:
        """How it was made: data, options, seed, counts."""
        return dict(self._model.facts)

    @property
    def hash(self) -> str:
        """SHA-256 of its file, or of the file that ``save`` would write."""
        if self._hash is None:
            self._hash = hashlib.sha256(self._bytes()).hexdigest()
        return self._hash

    @property
    def _provenance(self) -> dict[str, Any]:
        """What results record of the model."""
        return {"model": self.name, "model_hash": self.hash}

    def save(self, path: Path) -> None:
        """Writes a safetensors file, which appears whole or not at all."""
        self._model.save(path_of(path))

    def _bytes(self) -> bytes:
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.safetensors")
            self._model.save(path)
            with open(path, "rb") as file:
                return file.read()

    def __eq__(self, other: object) -> bool:
        return self._bytes() == other._bytes() if isinstance(other, type(self)) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        known = {**self.__dict__, "_hash": self.hash}
        for own in ("_model", "_checkpoint"):  # a checkpoint is removed by the model that was trained, not by its copies
            known.pop(own, None)
        return _restored, (type(self), self._bytes(), known)


def _restored(kind: type[_Model], content: bytes, known: dict[str, Any]) -> _Model:
    model = kind.__new__(kind)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.safetensors")
        with open(path, "wb") as file:
            file.write(content)
        model.__dict__.update(known, _model=kind._read(path))
    return model


def loaded(kind: type[_Model], name: Path, system: str) -> _Model:
    """A shipped model of a system by its name, or a model file."""
    path_of(name, "model", "the name of a model or a file")
    known = model_name(name)
    file = model_path(known, system)
    return kind(kind._read(file), known, file)
