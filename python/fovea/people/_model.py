"""Models of people."""

from __future__ import annotations

import contextlib
import hashlib
import os
from typing import Any

import numpy as np

from .. import _fovea
from ..errors import InvalidType
from ..files import Path, as_path, file_hash, is_path, model_path

Floats = np.ndarray[Any, np.dtype[np.float32]]
Bytes = np.ndarray[Any, np.dtype[np.uint8]]


class Model:
    """A trained detector."""

    def __init__(
        self,
        model: Any,
        name: str,
        file: str | None,
        *,
        command: str | None = None,
        checkpoint: str = "",
        known_hash: str | None = None,
    ) -> None:
        self._model = model
        #: The name or path by which it was loaded, or ``MODEL.safetensors``.
        self.name = name
        #: For a trained model, the line of the program that writes the same file.
        self.command = command
        self._file = file
        self._checkpoint = checkpoint
        self._hash = known_hash

    @property
    def kind(self) -> str:
        """hog, hog-cells, hog-integral, cascade or channels."""
        return str(self._model.kind)

    @property
    def threshold(self) -> float:
        """Windows with this score or more are people, by default."""
        return float(self._model.threshold)

    @property
    def window(self) -> tuple[int, int]:
        """Width and height of the window that it classifies."""
        width, height = self._model.window
        return width, height

    @property
    def facts(self) -> dict[str, str]:
        """How it was made: data, command, counts."""
        return dict(self._model.facts)

    @property
    def hash(self) -> str:
        """SHA-256 of its file, or of the file that ``save`` would write."""
        if self._hash is None:
            self._hash = file_hash(self._file) if self._file else hashlib.sha256(self._bytes()).hexdigest()
        return self._hash

    def save(self, path: Path) -> None:
        """Writes a safetensors file, which appears whole or not at all. The training's checkpoint is then removed."""
        if not is_path(path):
            raise InvalidType(f"path is of type {type(path).__name__}; expected the name of a file")
        self._model.save(as_path(path))
        if self._checkpoint:
            with contextlib.suppress(OSError):
                os.remove(self._checkpoint)
            self._checkpoint = ""

    def pictures(self) -> list[tuple[str, Bytes]]:
        """What it has learned, as captions and images."""
        return list(self._model.pictures())

    def _bytes(self) -> bytes:
        import tempfile

        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.safetensors")
            self._model.save(path)
            with open(path, "rb") as file:
                return file.read()

    def __eq__(self, other: object) -> bool:
        return self._bytes() == other._bytes() if isinstance(other, Model) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        return _model_of, (self._bytes(), self.name, self.command, self.hash)

    def __repr__(self) -> str:
        width, height = self.window
        return f"Model({self.name!r}, kind {self.kind}, window {width}x{height})"


def _model_of(content: bytes, name: str, command: str | None, known_hash: str) -> Model:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.safetensors")
        with open(path, "wb") as file:
            file.write(content)
        return Model(_fovea.people.read_model(path), name, None, command=command, known_hash=known_hash)


def load_model(name: Path) -> Model:
    """Reads a shipped model by its name, such as ``channels``, or a model file."""
    if not is_path(name):
        raise InvalidType(f"model is of type {type(name).__name__}; expected the name of a model or a file")
    file = model_path(name, "people")
    return Model(_fovea.people.read_model(file), as_path(name), file, known_hash=file_hash(file))
