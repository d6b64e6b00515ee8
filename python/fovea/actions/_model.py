"""Models of actions."""

from __future__ import annotations

import hashlib
import os
from typing import Any, NamedTuple

from .. import _fovea
from ..files import Path, as_path, file_hash, model_path


class Prototype(NamedTuple):
    """A chain of a model: consecutive nodes of one training clip."""

    label: int  #: the action
    clip: int  #: the training clip
    first: int  #: its first node in the clip
    nodes: int  #: how many nodes it has
    mirrored: bool  #: whether it is seen in a mirror
    reject: float  #: a match with a greater distance is not reported


class Model:
    """Actions that were learned from clips."""

    def __init__(self, model: Any, name: str, file: str | None, origin: dict[str, Any] | None = None) -> None:
        self._model = model
        #: The name or path by which it was loaded.
        self.name = name
        self._file = file
        self._hash: str | None = None
        #: The line of the program that makes the same file, for a model that was trained here.
        self.command: str | None = (origin or {}).get("command")
        #: Clips that could not be read and were left out of the training, and why.
        self.failed: list[str] = (origin or {}).get("failed", [])

    @property
    def classes(self) -> list[str]:
        """The names of the actions, by label."""
        return list(self._model.classes)

    @property
    def prototypes(self) -> list[Prototype]:
        """The chains that videos are matched with."""
        return [Prototype(*fields) for fields in self._model.prototypes]

    @property
    def options(self) -> dict[str, Any]:
        """How it finds points, compares and scores."""
        return dict(self._model.options)

    @property
    def facts(self) -> dict[str, str]:
        """How it was made: options, seed, counts."""
        return dict(self._model.facts)

    @property
    def hash(self) -> str:
        """SHA-256 of its file, or of the file that ``save()`` writes."""
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
        origin = {"command": self.command, "failed": self.failed}
        return _model_of, (self._bytes(), self.name, self._file, origin)

    def __repr__(self) -> str:
        return f"Model({self.name!r}, {len(self.classes)} actions, {len(self.prototypes)} prototypes)"


def _model_of(data: bytes, name: str, file: str | None, origin: dict[str, Any]) -> Model:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.safetensors")
        with open(path, "wb") as out:
            out.write(data)
        return Model(_fovea.actions.read_model(path), name, file, origin)


def load_model(name: Path) -> Model:
    """Reads a shipped model by its name, such as ``weizmann``, or a model file."""
    file = model_path(name, "actions")
    model = Model(_fovea.actions.read_model(file), as_path(name), file)
    model._hash = file_hash(file)  # now, because the file may be another one later
    return model
