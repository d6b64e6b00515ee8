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


class _Operator:
    """Adds columns of results to the rows of batches, and ``error`` with the reason where an image cannot be used."""

    #: The names of the columns with their types, and what they are where there is an error.
    _columns: dict[str, tuple[Any, Any]]

    def _found(self, path: str) -> tuple[Any, ...]:
        """The values of the columns for an image."""
        raise NotImplementedError

    def __call__(self, batch: Batch) -> Any:
        table = _table(batch)
        rows: list[tuple[Any, ...]] = []
        for path in table["path"].to_pylist():
            try:
                rows.append((*self._found(path), ""))
            except Error as error:
                rows.append((*(absent for _, absent in self._columns.values()), str(error)))
        types = {**{name: kind for name, (kind, _) in self._columns.items()}, "error": pa.string()}
        for i, (name, kind) in enumerate(types.items()):
            table = table.append_column(name, pa.array([row[i] for row in rows], kind))
        return table


class Detector(_Operator):
    """Finds people: adds ``boxes`` (x, y, width, height), ``scores`` and ``error`` to rows with a ``path``."""

    _columns = {"boxes": (_BOXES, []), "scores": (pa.list_(pa.float32()), [])}

    def __init__(self, model: str = "channels", **options: Any) -> None:
        self._detector = people.Detector(model, **options)

    def _found(self, path: str) -> tuple[Any, ...]:
        found = self._detector.detect(path)
        return np.asarray(found.xywh, np.float32).tolist(), np.asarray(found.score, np.float32).tolist()


class SceneClassifier(_Operator):
    """Classifies places: adds ``name``, ``score`` and ``error`` to rows with a ``path``; without a place the first two are null."""

    _columns = {"name": (pa.string(), None), "score": (pa.float64(), None)}

    def __init__(self, model: str = "sun8", **options: Any) -> None:
        self._classifier = scenes.Classifier(model, **options)

    def _found(self, path: str) -> tuple[Any, ...]:
        place = self._classifier.classify(path)
        return place.name, float(place.score)
