"""Faces of the package as operators of Ray Data: ``ds.map_batches(Detector, fn_constructor_kwargs=..., concurrency=...)``.

Rows have a column ``path``; pixels do not travel, they are read where they are worked on.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import people, scenes
from ..errors import Error

Batch = dict[str, Any]


class Detector:
    """Finds people: adds ``boxes`` (x, y, width, height), ``scores`` and ``error`` to rows with a ``path``."""

    def __init__(self, model: str = "channels", **options: Any) -> None:
        self._detector = people.Detector(model, **options)

    def __call__(self, batch: Batch) -> Batch:
        boxes, scores, errors = [], [], []
        for path in batch["path"]:
            try:
                found = self._detector.detect(str(path))
                boxes.append(np.asarray(found.xywh, np.float32).tolist())
                scores.append(np.asarray(found.confidence, np.float32).tolist())
                errors.append("")
            except Error as error:
                boxes.append([])
                scores.append([])
                errors.append(str(error))
        return {**batch, "boxes": boxes, "scores": scores, "error": errors}


class SceneClassifier:
    """Classifies places: adds ``name``, ``score`` and ``error`` to rows with a ``path``."""

    def __init__(self, model: str = "sun8", **options: Any) -> None:
        self._classifier = scenes.Classifier(model, **options)

    def __call__(self, batch: Batch) -> Batch:
        names, scores, errors = [], [], []
        for path in batch["path"]:
            try:
                place = self._classifier.classify(str(path))
                names.append(place.name)
                scores.append(float(place.score))
                errors.append("")
            except Error as error:
                names.append("")
                scores.append(float("nan"))
                errors.append(str(error))
        return {**batch, "name": names, "score": scores, "error": errors}
