"""What the tracks of all systems share: boxes with ids, one after another."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np

from ._results import RowTable, corners

_Track = TypeVar("_Track", bound="tuple[Any, ...]")


class TrackTable(RowTable[_Track]):
    """The tracks of one frame in the order of their ids: a sequence, and columns by name."""

    tracker_id: np.ndarray[Any, np.dtype[np.int32]]  #: ids from 1
    xywh: np.ndarray[Any, Any]  #: one row of left, top, width and height per track
    frame: int  #: number of the frame, from 0

    @property
    def xyxy(self) -> np.ndarray[Any, Any]:
        """One row of left, top, right and bottom per track."""
        return corners(self.xywh)

    def __len__(self) -> int:
        return len(self.tracker_id)

    def columns(self) -> dict[str, np.ndarray[Any, Any]]:
        """The number of the frame and the columns of its tracks, as the program's CSV has them."""
        return {"frame": np.full(len(self), self.frame, np.int64), **super().columns()}

    def _places(self) -> dict[str, np.ndarray[Any, Any]]:
        """The columns frame, id, x, y, width and height."""
        boxes = {name: np.ascontiguousarray(self.xywh[:, i]) for i, name in enumerate(("x", "y", "width", "height"))}
        return {"frame": np.full(len(self), self.frame, np.int64), "id": self.tracker_id, **boxes}
