"""Regions of a map: where the target is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .. import _fovea
from .._coco import coco_image
from .._options import Self
from .._records import EmdRegionsFields as _Regions
from .._results import Boxed, RowTable, command_line, corners, described
from ._shared import Array, Bytes, Floats


class _Region(NamedTuple):
    xywh: tuple[int, int, int, int]  #: left, top, width and height of its box
    area: int  #: number of its pixels
    score: float  #: from 0 to 1
    peak: tuple[int, int]  #: x and y of the pixel with the least distance
    distance: float  #: the least distance
    mean_distance: float


class Region(_Region, Boxed):
    """One region of a map."""

    __slots__ = ()


@described(_fovea.emd.regions_fields(), rows="regions")
class Regions(RowTable[Region], _Regions):
    """Regions with small distances, from the best score on."""

    outlines: list[str]  #: the pixels of each region as COCO's compressed run lengths

    _compared = ("outlines",)
    _beside = ("outlines",)

    @property
    def xywh(self) -> Array:
        """One row of x, y, width and height per region: ``box``."""
        return self.box

    @property
    def xyxy(self) -> Array:
        """One row of left, top, right and bottom per region."""
        return corners(self.box)

    @property
    def mask(self) -> Bytes:
        """255 where a pixel belongs to a region, else 0."""
        return np.where(self.labels > 0, np.uint8(255), np.uint8(0))

    def to_coco(self, file_name: str = "", image_id: int = 1) -> dict[str, Any]:
        """The regions as COCO annotations of one image, with run-length segmentations."""
        height, width = self.labels.shape
        rows = zip(self.box.tolist(), self.outlines, self.area.tolist(), self.score.tolist())
        found = (
            {"bbox": box, "segmentation": {"size": [height, width], "counts": outline}, "area": area, "score": score}
            for box, outline, area, score in rows
        )
        return coco_image(file_name, image_id, (width, height), "target", found)

    def __len__(self) -> int:
        return len(self.outlines)

    def _part(self, rows: np.ndarray[Any, Any]) -> Self:
        part, numbers = super()._part(rows), np.zeros(len(self) + 1, self.labels.dtype)
        numbers[rows + 1] = np.arange(1, len(rows) + 1)
        part.labels = numbers[self.labels]
        return part

    def _at(self, index: int) -> Region:
        values = [getattr(self, name)[index].tolist() for name in ("box", *Region._fields[1:])]
        return Region._make(tuple(each) if isinstance(each, list) else each for each in values)

    def __repr__(self) -> str:
        count = "1 region" if len(self) == 1 else f"{len(self)} regions"
        best = f", best score {float(self.score[0]):.2f}" if len(self) else ""
        return f"{count} at distances up to {self.threshold:.4g}{best}"


def found_regions(
    distances: Floats, box: Sequence[int] | None, size: Sequence[int], keywords: dict[str, Any], command: str
) -> Regions:
    found = _fovea.emd.find_regions(distances, None if box is None else list(box), list(size), keywords)
    words = [str(word) for word in _fovea.emd.region_words(keywords)]
    flags = ["--detect-" + word[2:] if word.startswith("--") else word for word in words]
    line = command.rpartition(" -o ")[0]
    command = f"{line} {command_line('--detect', *flags, '--json')}"
    options = dict(_fovea.emd.region_values(keywords))
    return Regions(options, {"device": "cpu"}, command, found, outlines=list(found["outlines"]))
