"""Classes for Ray Data's ``map_batches``: ``ds.map_batches(Detector, fn_constructor_kwargs=..., concurrency=...)``.

Rows need a column ``path`` with the name of an image file, which the actor reads itself, so that no pixels are sent between machines. Ray Data does
not keep the order of rows; use ``path`` to tell them apart. Every actor creates its detector or classifier once and uses it for all of its
batches; with ``num_gpus=1`` it does so on a GPU of its own. Results are Arrow tables.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from .. import people, scenes
from ..errors import Error, InvalidArgument

Batch = Any  # a mapping of columns, which is what map_batches gives by default, or an Arrow table
_BOXES = pa.list_(pa.list_(pa.float32(), 4))


def _table(batch: Batch) -> Any:
    if isinstance(batch, Mapping):
        batch = pa.table({name: pa.array(np.asarray(column).tolist()) for name, column in batch.items()})
    if not isinstance(batch, pa.Table):
        raise InvalidArgument(f"a batch is of type {type(batch).__name__}; use batch_format 'default', 'numpy' or 'pyarrow'")
    if "path" not in batch.column_names:
        raise InvalidArgument(f"rows have the columns {', '.join(batch.column_names)}; expected a column path")
    return batch


class Detector:
    """Finds people: adds ``boxes`` (x, y, width, height), ``scores`` and ``error`` to rows with a ``path``."""

    def __init__(self, model: str = "channels", **options: Any) -> None:
        self._detector = people.Detector(model, **options)

    def __call__(self, batch: Batch) -> Any:
        table = _table(batch)
        boxes: list[Any] = []
        scores: list[Any] = []
        errors: list[str] = []
        for path in table["path"].to_pylist():
            try:
                found = self._detector.detect(path)
                boxes.append(np.asarray(found.xywh, np.float32).tolist())
                scores.append(np.asarray(found.confidence, np.float32).tolist())
                errors.append("")
            except Error as error:
                boxes.append([])
                scores.append([])
                errors.append(str(error))
        table = table.append_column("boxes", pa.array(boxes, _BOXES))
        table = table.append_column("scores", pa.array(scores, pa.list_(pa.float32())))
        return table.append_column("error", pa.array(errors, pa.string()))


class SceneClassifier:
    """Classifies places: adds ``name``, ``score`` and ``error`` to rows with a ``path``; without a place the first two are null."""

    def __init__(self, model: str = "sun8", **options: Any) -> None:
        self._classifier = scenes.Classifier(model, **options)

    def __call__(self, batch: Batch) -> Any:
        table = _table(batch)
        names: list[str | None] = []
        scores: list[float | None] = []
        errors: list[str] = []
        for path in table["path"].to_pylist():
            try:
                place = self._classifier.classify(path)
                names.append(place.name)
                scores.append(float(place.score))
                errors.append("")
            except Error as error:
                names.append(None)
                scores.append(None)
                errors.append(str(error))
        table = table.append_column("name", pa.array(names, pa.string()))
        table = table.append_column("score", pa.array(scores, pa.float64()))
        return table.append_column("error", pa.array(errors, pa.string()))
