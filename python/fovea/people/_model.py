"""Models of people."""

from __future__ import annotations

import contextlib
import os
from typing import Any

import numpy as np

from .. import _fovea
from .._model import StoredModel, loaded
from ..files import Path

Floats = np.ndarray[Any, np.dtype[np.float32]]
Bytes = np.ndarray[Any, np.dtype[np.uint8]]


class Model(StoredModel):
    """A trained detector."""

    _read = staticmethod(_fovea.people.read_model)

    #: The file that keeps its training, until it is saved.
    _checkpoint = ""

    @property
    def kind(self) -> str:
        """hog, hog-cells, hog-integral, cascade or channels."""
        return str(self._model.kind)

    @property
    def threshold(self) -> float:
        """Windows with this score or more are people, by default."""
        return float(self._model.threshold)

    @property
    def calibration(self) -> tuple[float, float] | None:
        """Slope and offset of the confidence 1 / (1 + exp(-(slope * score + offset))), of a model that has one: see
        ``calibrate``."""
        return self._model.calibration

    @property
    def window(self) -> tuple[int, int]:
        """Width and height of the window that it classifies."""
        width, height = self._model.window
        return width, height

    def save(self, path: Path) -> None:
        """Writes a safetensors file, which appears whole or not at all. The training's checkpoint is then removed."""
        super().save(path)
        if self._checkpoint:
            with contextlib.suppress(OSError):
                os.remove(self._checkpoint)
            self._checkpoint = ""

    def pictures(self) -> list[tuple[str, Bytes]]:
        """What it has learned, as captions and images."""
        return list(self._model.pictures())

    def __repr__(self) -> str:
        width, height = self.window
        return f"Model({self.name!r}, kind {self.kind}, window {width}x{height})"


def load_model(name: Path) -> Model:
    """Reads a shipped model by its name, such as ``channels``, or a model file."""
    return loaded(Model, name, "people")
