"""The classes of whole clips."""

from __future__ import annotations

import html
import time
from collections.abc import Iterable, Sized
from typing import Any

import numpy as np

from .. import _fovea
from .._arguments import OnError, counted, model_of, shown, whole_number
from .._batch import Results
from .._frames import VideoLike
from .._keywords import takes_options
from .._operation import Face
from .._options import ActionsClassifyOptions, Unpack
from .._progress import Progress
from .._records import ActionsClassifyFields as _Class
from .._results import Table, described
from ..errors import InvalidArgument, InvalidType
from ..files import VIDEO_ENDINGS, Path, as_path, is_path
from ._explain import ClipExplanation
from ._model import Model, load_model
from ._points import Points, _found
from ._video import _Source


@described(_fovea.actions.classify_fields())
class ClipClass(Table, _Class):
    """Which action a whole clip shows. It is a table of the actions and their distances.

    ``probability`` is that of the nearest action among those that the model knows. A clip of something else, whose ``name`` is
    ``none``, may have a high one: it says nothing about whether the clip shows any of them, which ``score`` does."""

    file: str | None  #: the clip, where it is a file

    @property
    def first(self) -> int:
        """Its first frame in the file: ``first_frame``."""
        return self.first_frame

    @property
    def rejected(self) -> bool:
        """Whether the nearest action is too far away to be the answer."""
        return self.label < 0 and self.nearest != "none"

    def columns(self) -> dict[str, np.ndarray[Any, Any]]:
        """The actions in the model's order, and their distances."""
        return {
            "class": np.array(list(self.distances), dtype=str),
            "distance": np.array(list(self.distances.values()), dtype=np.float64),
        }

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        """The distances in the model's order."""
        return np.array(list(self.distances.values()), dtype=dtype or np.float64)

    def __repr__(self) -> str:
        made = f"{self.provenance['model']}, {self.provenance['device']}, {1000 * self._seconds:.0f} ms"
        if self.nearest == "none":
            return f"none: no example fits ({made})"
        near = f"distance {self.distance:.3f}"
        if self.probability is not None:
            near = f"probability {self.probability:.2f}"
        if self.rejected:
            return f"none: too far from {self.nearest}, the nearest of the known actions ({near} among them; {made})"
        return f"{self.name}, {near}, next {self.runner_up} ({made})"

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{html.escape(name)}</td><td>{distance:.3f}</td></tr>"
            for name, distance in sorted(self.distances.items(), key=lambda item: item[1])
        )
        return f"<table><tr><th>action</th><th>distance</th></tr>{rows}</table>"


class Classifier(Face):
    """Finds which action whole clips show, with the distances by which cross_validate() classifies the clips of a fold.

    A clip that is farther away than the model's reject rule allows is ``none``; ``reject=0`` gives the nearest action
    anyway. Threads take turns; several classifiers run side by side."""

    model: Model  #: what it classifies with

    @takes_options(_fovea.actions.classify_options())
    def __init__(self, model: Path | Model = "weizmann", **options: Unpack[ActionsClassifyOptions]) -> None:
        """Takes the name of a shipped model, a model file or a Model."""
        self.model = model_of(model, Model, load_model)
        self._begin(_fovea.actions.Classifier(self.model._model, dict(options)), options, self.model)
        self._classes = self.model.classes

    @property
    def classes(self) -> list[str]:
        """The names of the actions, by label."""
        return list(self._classes)

    def classify(self, clip: VideoLike | Points, *, first: int = 0, frames: int = 0) -> ClipClass:
        """Classifies a clip: a video as everywhere, a file of points, or Points.

        Of a file, ``first`` and ``frames`` take a part: so many frames from that one on, or with 0 all to the end."""
        return self._classified(self._face, clip, _part(clip, first, frames))

    def explain(self, clip: VideoLike | Points, *, first: int = 0, frames: int = 0) -> ClipExplanation:
        """Why ``classify()`` gives a clip its class: the matched nodes and triangles, what each method says, the
        runner-up and the reject level."""
        part = _part(clip, first, frames)
        return ClipExplanation(self._face.explain(self._given(clip), *part))

    def _given(self, clip: Any) -> Any:
        """The path of a clip, or its points."""
        if isinstance(clip, (list, tuple)) and clip and _is_clip(clip[0]):
            raise InvalidType(f"clip is a list of {counted(len(clip), 'clip')}, but a list is the frames of one; classify_all() takes several")
        if is_path(clip):
            return as_path(clip)
        return clip._values() if isinstance(clip, Points) else self._points_of(clip)

    def _points_of(self, clip: Any) -> Any:
        finder = _fovea.actions.model_finder(self.model._model, self._keywords)
        return _found(finder, _Source(clip), False)

    def classify_all(
        self, clips: Iterable[Any], *, progress: Progress = False, on_error: OnError = "raise"
    ) -> Results[ClipClass]:
        """Classifies many clips, in their order. Several threads read and classify them.

        A clip that cannot be read raises its error; ``on_error="skip"`` leaves it out and lists it in ``failed`` of the
        results, and ``on_error="warn"`` warns as well. ``to_pandas()`` of the results has one row per clip."""
        if is_path(clips) or isinstance(clips, (bytes, dict, Points)) or not isinstance(clips, Iterable):
            raise InvalidType(f"clips is {shown(clips)}; expected a list of videos, files of points or Points")
        every = self._side_by_side("clips", len(clips) if isinstance(clips, Sized) else None, progress, on_error)
        return every.results(clips, lambda worker, clip, index: self._classified(worker, clip, (0, 0)), ClipClass)

    def _each(self, clips: list[tuple[Any, tuple[int, int]]], progress: Progress, on_error: OnError) -> Results[ClipClass]:
        every = self._side_by_side("clips", len(clips), progress, on_error)
        return every.results(clips, lambda worker, clip, index: self._classified(worker, *clip), ClipClass)

    def _another(self, threads: int) -> Any:
        return _fovea.actions.Classifier(self.model._model, {**self._keywords, "threads": threads})

    def _classified(self, classifier: Any, clip: Any, part: tuple[int, int]) -> ClipClass:
        start = time.perf_counter()
        values = classifier.classify(self._given(clip), *part)
        file = as_path(clip) if is_path(clip) else None
        name = file or ("POINTS.txt" if isinstance(clip, Points) else "VIDEO")
        first, frames = part
        words = [*(["--first", first + 1] if first else []), *(["--frames", frames] if frames else [])]
        verb = ("actions", "classify", name, *self.model._words, *words)
        origin = self._origin(*verb, end=("--json",), start=start, **self.model._provenance)
        return ClipClass(**origin, values=values, file=file)

    def __repr__(self) -> str:
        return f"Classifier({self.model.name!r}, device {self._options['device']!r})"


def _is_clip(value: Any) -> bool:
    """Whether an element of a list is a clip, and no frame of one."""
    if is_path(value):
        return as_path(value).lower().endswith((*VIDEO_ENDINGS, ".txt"))
    shape: tuple[int, ...] = getattr(value, "shape", ())
    return isinstance(value, Points) or len(shape) == 4 or (len(shape) == 3 and shape[2] not in (1, 3, 4))


def _part(clip: Any, first: Any, frames: Any) -> tuple[int, int]:
    part = whole_number(first, "first"), whole_number(frames, "frames")
    if min(part) < 0:
        raise InvalidArgument(f"first is {first} and frames {frames}; expected numbers from 0 on")
    if part != (0, 0) and not is_path(clip):
        raise InvalidArgument("first and frames take a part of a file; give frames[first:last] of an array")
    return part


@takes_options(_fovea.actions.classify_options())
def classify(
    clip: VideoLike | Points,
    model: Path | Model = "weizmann",
    *,
    first: int = 0,
    frames: int = 0,
    **options: Unpack[ActionsClassifyOptions],
) -> ClipClass:
    """Classifies one clip. To classify several, make a Classifier, which reads the model once.

    >>> fovea.actions.classify([np.zeros((64, 64), np.uint8)] * 24).name
    'none'"""
    return Classifier(model, **options).classify(clip, first=first, frames=frames)
