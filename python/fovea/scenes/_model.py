"""Models of places."""

from __future__ import annotations

import hashlib
import os
from typing import Any

from .. import _fovea
from ..files import Path, as_path, file_hash, model_path
from ._input import Floats, _path


class Model:
    """A trained classifier of places: its words, its classes and what it knows about them."""

    def __init__(self, model: Any, name: str, file: str | None, command: str | None = None) -> None:
        self._model = model
        #: The name or path by which it was loaded, or ``MODEL.safetensors``.
        self.name = name
        #: For a trained model, the line of the program that writes the same file.
        self.command = command
        self._file = file
        self._hash: str | None = None

    @property
    def kind(self) -> str:
        """knn or svm."""
        return str(self._model.kind)

    @property
    def classes(self) -> list[str]:
        """The names of the places, by label."""
        return list(self._model.classes)

    @property
    def words(self) -> Floats:
        """The visual words, one per row, in standardized numbers."""
        found: Floats = self._model.words
        return found

    @property
    def pyramid(self) -> int:
        """Levels of the spatial pyramid below the whole image."""
        return int(self._model.pyramid)

    @property
    def descriptor(self) -> dict[str, Any]:
        """How a place of an image is described."""
        return dict(self._model.descriptor)

    @property
    def facts(self) -> dict[str, str]:
        """How it was made: options, seed, counts."""
        return dict(self._model.facts)

    @property
    def hash(self) -> str:
        """SHA-256 of its file, or of the file that ``save`` would write."""
        if self._hash is None:
            self._hash = file_hash(self._file) if self._file else hashlib.sha256(self._bytes()).hexdigest()
        return self._hash

    def save(self, path: Path) -> None:
        """Writes a safetensors file, which appears whole or not at all."""
        self._model.save(as_path(path))

    def _bytes(self) -> bytes:
        import tempfile

        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.safetensors")
            self.save(path)
            with open(path, "rb") as file:
                return file.read()

    def __eq__(self, other: object) -> bool:
        return self._bytes() == other._bytes() if isinstance(other, Model) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        return _model_of, (self._bytes(), self.name, self.command)

    def __repr__(self) -> str:
        return f"Model({self.name!r}, {self.kind}, {len(self.words)} words, {len(self.classes)} classes)"


def _model_of(content: bytes, name: str, command: str | None) -> Model:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.safetensors")
        with open(path, "wb") as file:
            file.write(content)
        return Model(_fovea.scenes.read_model(path), name, None, command)


def load_model(name: Path) -> Model:
    """Reads a shipped model by its name, such as ``sun8``, or a model file."""
    known = _path(name, "model", "the name of a model or a file")
    file = model_path(known, "scenes")
    model = Model(_fovea.scenes.read_model(file), known, file)
    model._hash = file_hash(file)  # now, because the file may be another one later
    return model
