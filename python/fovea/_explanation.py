"""Why a result is what it is, in the form that all systems share."""

from __future__ import annotations

import json
from typing import Any, NamedTuple, Optional

import numpy as np

from ._frames import rgb
from ._keywords import Methods
from ._notebook import png_of
from ._rules import in_its_colors
from .errors import InvalidArgument

Box = tuple[float, float, float, float]  # left, top, width and height, in pixels


class Reason(NamedTuple):
    """Something that spoke for the result, with a positive value, or against it."""

    name: str
    value: float  #: its share of the total
    text: str  #: one sentence, or empty
    box: Optional[Box]  #: where in the picture, or None


class Layer(NamedTuple):
    """Values over a part of the picture, or one per face of a mesh."""

    name: str
    text: str  #: what the values are
    box: Optional[Box]  #: the part of the picture that the values cover; None for a mesh
    values: np.ndarray[Any, np.dtype[np.float32]]  #: NaN where there is none
    diverging: bool  #: signed values: for and against


class Shape(NamedTuple):
    """Something to draw over the picture."""

    kind: str  #: box, line, polygon, arrow or dots
    name: str
    points: np.ndarray[Any, np.dtype[np.float64]]  #: rows of x and y
    weight: float  #: how much it counts, 1 for the strongest
    frame: int  #: of a video; -1: the one that is explained


class Facts(NamedTuple):
    """A table."""

    caption: str
    columns: list[str]
    rows: list[list[str]]


def _rows(columns: dict[str, Any]) -> list[dict[str, Any]]:
    """The rows of a list of records, whose columns are arrays or lists."""
    lists = [column.tolist() if isinstance(column, np.ndarray) else column for column in columns.values()]
    return [dict(zip(columns, row)) for row in zip(*lists)]


def _of(kind: Any, row: dict[str, Any]) -> Any:
    return kind(*(row[name] for name in kind._fields))


def _shape(row: dict[str, Any]) -> dict[str, Any]:
    frame = -1 if row["frame"] is None else row["frame"]
    return {**row, "name": row["name"] or "", "points": row["points"].reshape(-1, 2), "frame": frame}


def _titles(columns: dict[str, Any]) -> list[str]:
    pairs = zip(columns["title"], columns["unit"])
    return [f"{title} ({unit})" if unit else title for title, unit in pairs]


class Explanation(Methods):
    """An answer to the question why. ``print`` shows it as text, and a notebook as a picture."""

    title: str
    summary: str  #: whole sentences
    total_name: str  #: what the reasons and ``rest`` add up to
    total: float
    rest: float  #: what reasons that are not listed add to the total
    box: Optional[Box]  #: what is explained, in pixels of the picture
    reasons: list[Reason]  #: the most important first
    layers: list[Layer]  #: the most important first
    shapes: list[Shape]
    tables: list[Facts]

    _rules: Any = None  #: how it takes images and returns pictures: as the call that made it

    def __init__(self, found: tuple[Any, dict[str, Any]], image: Any = None) -> None:
        shown, numbers = found
        self._shown: Any = shown
        self._image = image
        self._text: str = shown.text
        self._json: str = shown.json
        values = shown.values
        for name in ("title", "summary", "total_name", "total", "rest", "box"):
            setattr(self, name, values[name])
        self.reasons = [Reason(**{**row, "text": row["text"] or ""}) for row in _rows(values["reasons"])]
        flat = ({"box": None, "diverging": False, **row} for row in _rows(values["surface"]))
        self.layers = [_of(Layer, row) for row in (*_rows(values["layers"]), *flat)]
        self.shapes = [_of(Shape, _shape(row)) for row in _rows(values["shapes"])]
        self.tables = [Facts(row["caption"], _titles(row["columns"]), row["rows"]) for row in _rows(values["tables"])]
        for name, value in numbers.items():
            setattr(self, name, value)

    def layer(self, name: str) -> Layer:
        """The layer of this name."""
        for layer in self.layers:
            if layer.name == name:
                return layer
        names = ", ".join(repr(layer.name) for layer in self.layers) or "none"
        raise InvalidArgument(f"there is no layer {name!r}; layers are {names}")

    @in_its_colors
    def draw(self, image: Any = None, whole: bool = False) -> np.ndarray[Any, np.dtype[np.uint8]]:
        """One picture per layer, side by side, over the image that was explained unless another one is given.

        It shows the place and its surroundings, or with ``whole`` all of the image."""
        if self._shown is None:
            raise InvalidArgument("an explanation that was pickled cannot be drawn; explain the image again")
        pixels = rgb(self._image if image is None else image, "the image that was explained")
        return self._shown.draw(pixels, bool(whole))

    def to_dict(self) -> dict[str, Any]:
        """Everything as the program's JSON has it."""
        return json.loads(self._json)

    def __getstate__(self) -> dict[str, Any]:
        # The image is not part of the result.
        return {**self.__dict__, "_shown": None, "_image": None}

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"{self.title}: {self.summary}"

    def _repr_png_(self) -> bytes | None:
        return None if self._shown is None or self._image is None or not self.layers else png_of(self, self.draw())
