"""How well detectors find people."""

from __future__ import annotations

import html
import pathlib
import warnings
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from .. import _fovea
from .._arguments import model_of, number_of, unmasked
from .._batch import some_images
from .._frames import name_of
from .._keywords import takes_options
from .._operation import origin_of
from .._options import PeopleCalibrateOptions, PeopleEvaluateOptions, PeopleEvaluateWindowsOptions, Self, Unpack
from .._progress import Progress, reporting
from .._records import PeopleEvaluateFields as _ImageNumbers
from .._records import PeopleEvaluateWindowsFields as _WindowNumbers
from .._results import Table, command_line, described
from ..errors import InvalidArgument, InvalidType
from ..files import Path, as_path, is_path
from ._model import Model, load_model

Doubles = np.ndarray[Any, np.dtype[np.float64]]


class StageCount(NamedTuple):
    """How much one stage of a cascade rejects."""

    blocks: int  #: classifiers of the stage
    reached: int  #: windows that reached it
    passed: int  #: windows that passed it


class Difference(NamedTuple):
    """How much one log-average miss rate is above another."""

    log_average_miss_rate: float
    standard_deviation: float  #: over bootstrap samples that both share; NaN where there are none


class _Curve(Table):
    """A miss rate over false positives, as a table with one row per point."""

    curve: dict[str, np.ndarray[Any, Any]]
    stages: Any

    _unit: str

    def _take(self, values: dict[str, Any]) -> None:
        super()._take(values)
        columns = values["stages"] or {"blocks": []}
        self.stages = [StageCount(*map(int, stage)) for stage in zip(*columns.values())]

    @property
    def false_positives(self) -> Doubles:
        """Per image or per window, one per point."""
        return self.curve["false_positives"]

    @property
    def miss_rate_curve(self) -> Doubles:
        """One per point, from the highest threshold down."""
        return self.curve["miss_rate"]

    @property
    def precision(self) -> Doubles:
        """One per point."""
        return self.curve["precision"]

    @property
    def thresholds(self) -> np.ndarray[Any, np.dtype[np.float32]]:
        """One per point."""
        return self.curve["threshold"]

    def _summary(self) -> float:
        raise NotImplementedError

    def columns(self) -> dict[str, np.ndarray[Any, Any]]:
        """False positives, miss rate, precision and threshold, as the program's curve.csv has them."""
        wrong = f"false_positives_per_{self._unit}"
        return {wrong if name == "false_positives" else name: column for name, column in self.curve.items()}

    def to_svg(self, *others: Self) -> str:
        """A chart of the curve, and of others beside it, as SVG."""
        for other in others:
            if type(other) is not type(self):
                raise InvalidType(f"others holds {type(other).__name__}; expected {type(self).__name__}")
        curves = [(curve._label, curve._summary(), curve.curve) for curve in (self, *others)]
        return str(_fovea.people.draw_curves(curves, self._unit == "window"))

    @property
    def _label(self) -> str:
        return pathlib.PurePath(self.provenance["model"]).stem

    @property
    def _made(self) -> str:
        return f"{self.provenance['model']}, {self.provenance['device']}"

    def _repr_html_(self) -> str:
        return f"<p>{html.escape(repr(self))}</p>{self.to_svg()}"


@described(_fovea.people.evaluate_fields())
class Evaluation(_Curve, _ImageNumbers):
    """How well a model finds people in images: the miss rate over false positives per image."""

    stages: list[StageCount]  # type: ignore[assignment]  #: what the stages of a cascade reject; empty for other models

    _unit = "image"

    @property
    def reference_points(self) -> Doubles:
        """Nine numbers of false positives per image, from 0.01 to 1."""
        return self.__dict__["miss_rates"]["false_positives_per_image"]

    @property
    def miss_rates(self) -> Doubles:  # type: ignore[override]  # the program lists both
        """The miss rate at each of them."""
        return self.__dict__["miss_rates"]["miss_rate"]

    def _summary(self) -> float:
        return self.log_average_miss_rate

    def difference(self, other: Evaluation) -> Difference:
        """How much worse this is than another evaluation on the same images with the same seed and draws."""
        if not isinstance(other, Evaluation):
            raise InvalidType(f"other is of type {type(other).__name__}; expected an Evaluation")
        deviation = _fovea.people.paired_deviation(self.drawn, other.drawn)
        return Difference(self.log_average_miss_rate - other.log_average_miss_rate, float(deviation))

    def __repr__(self) -> str:
        people = "1 person" if self.people == 1 else f"{self.people} people"
        images = "1 image" if self.images == 1 else f"{self.images} images"
        rate = f"log-average miss rate {100 * self.log_average_miss_rate:.1f} %"
        spread = f" (deviation {100 * self.standard_deviation:.1f})"
        precision = f"average precision {100 * self.average_precision:.1f} %"
        return f"{rate}{spread}, {precision}; {people} in {images} ({self._made})"


@described(_fovea.people.evaluate_windows_fields())
class WindowEvaluation(_Curve, _WindowNumbers):
    """How well a model tells windows with a person from others: the miss rate over false positives per window."""

    stages: list[StageCount]  # type: ignore[assignment]  #: what the stages of a cascade reject; empty for other models

    _unit = "window"

    @property
    def miss_rate(self) -> float:
        """At 1e-4 false positives per window."""
        return float(self.__dict__["miss_rate_at_fppw_1e-4"])

    def _summary(self) -> float:
        return self.miss_rate

    def miss_rate_at(self, false_positives: float) -> float:
        """The lowest miss rate with at most this many false positives per window."""
        return float(_fovea.people.miss_rate_at(self.curve, number_of(false_positives, "false_positives")))

    def __repr__(self) -> str:
        rate = f"miss rate {100 * self.miss_rate:.2f} % (deviation {100 * self.standard_deviation:.2f})"
        counts = f"{self.crops} crops, {self.windows} windows"
        return f"{rate} at 1e-4 false positives per window; {counts} ({self._made})"


@takes_options(_fovea.people.evaluate_options())
def evaluate(
    model: Path | Model,
    images: Path | Iterable[Any],
    annotations: Path | Iterable[Any],
    *,
    negatives: Path | Iterable[Any] | None = None,
    progress: Progress = False,
    **options: Unpack[PeopleEvaluateOptions],
) -> Evaluation:
    """Measures how well a model finds people in images, with the program's numbers.

    ``images`` are a folder, a glob, or a list of paths and arrays of uint8; files are not turned as EXIF says, because
    annotations refer to images as they are stored. ``annotations`` are a file or folder of PASCAL 1.00 text or COCO
    JSON, whose entries are matched to the images by name, or one element per image: rows of left, top, right and
    bottom, or whatever has such rows as ``xyxy``. ``negatives`` are images without people that count as well."""
    known = model_of(model, Model, load_model)
    run = _fovea.people.evaluate
    sources, found = _on_images(run, known, images, annotations, negatives, progress, dict(options))
    result = Evaluation(**_origin(known, sources, found), values=found[0])
    if result.curve_ends_at < 1:
        warnings.warn(
            f"all scores from {result.lowest_score:.3g} on give only {result.curve_ends_at:.3g} false positives per "
            "image; from there to 1 the curve is taken as constant",
            RuntimeWarning,
            stacklevel=2,
        )
    return result


@takes_options(_fovea.people.calibrate_options())
def calibrate(
    model: Path | Model,
    images: Path | Iterable[Any],
    annotations: Path | Iterable[Any],
    *,
    negatives: Path | Iterable[Any] | None = None,
    progress: Progress = False,
    **options: Unpack[PeopleCalibrateOptions],
) -> Model:
    """The model with a calibration, by which its detections have a ``confidence`` from 0 to 1 beside their score: the
    share of people among detections of that score, as a logistic function that is fitted to what the model finds.

    The arguments are those of ``evaluate``. The images must be others than those that the model was trained on, and should
    be like those that it is for: where fewer people stand in them, more detections are wrong."""
    known = model_of(model, Model, load_model)
    run = _fovea.people.calibrate
    sources, (made, words) = _on_images(run, known, images, annotations, negatives, progress, dict(options))
    file = "MODEL.safetensors"
    line = command_line("fovea", "people", "eval", "--model", known.name, *sources, "--calibrate", file, *words)
    return Model(made, file, None, line)


def _on_images(
    run: Any, model: Model, images: Any, annotations: Any, negatives: Any, progress: Progress, options: dict[str, Any]
) -> tuple[list[str], Any]:
    """The words of the program for images and their people, and what a function of the library finds there."""
    listed = some_images(images, "images")
    others = [] if negatives is None else some_images(negatives, "negatives")
    truth: Any
    if is_path(annotations):
        truth = as_path(annotations)
    else:
        truth = _boxes(annotations, len(listed))
        if options.get("label") is not None:
            raise InvalidArgument("label has no use with boxes, all of which are people")
    sources = ["--images", name_of(images, "IMAGES"), "--annotations", name_of(annotations, "ANNOTATIONS")]
    if negatives is not None:
        sources += ["--negatives", name_of(negatives, "NEGATIVES")]
    with reporting(progress) as report:
        return sources, run(model._model, listed, truth, others, report, options)


@takes_options(_fovea.people.evaluate_windows_options())
def evaluate_windows(
    model: Path | Model,
    crops: Path | Iterable[Any],
    negatives: Path | Iterable[Any],
    *,
    progress: Progress = False,
    **options: Unpack[PeopleEvaluateWindowsOptions],
) -> WindowEvaluation:
    """Measures how well a model classifies single windows, with the program's numbers.

    ``crops`` have one person's window in the middle of each, ``negatives`` are whole images without people, all of
    whose windows count. Both are a folder, a glob, or a list of paths and arrays of uint8."""
    known = model_of(model, Model, load_model)
    people, others = some_images(crops, "crops"), some_images(negatives, "negatives")
    sources = ["--crops", name_of(crops, "CROPS"), "--negatives", name_of(negatives, "NEGATIVES")]
    with reporting(progress) as report:
        found = _fovea.people.evaluate_windows(known._model, people, others, report, dict(options))
    return WindowEvaluation(**_origin(known, sources, found), values=found[0])


def _origin(model: Model, sources: list[str], found: tuple[Any, ...]) -> dict[str, Any]:
    """The origin of an evaluation that found numbers, all options and those that the command names."""
    words = ("people", "eval", "--model", model.name, *sources, *found[2], "--json")
    return origin_of(found[1], words, **model._provenance)


def _boxes(annotations: Any, images: int) -> list[Doubles]:
    """One array of float64 with rows of left, top, right and bottom per image."""
    if not isinstance(annotations, Iterable) or isinstance(annotations, (bytes, dict)):
        kind = type(annotations).__name__
        raise InvalidType(f"annotations is of type {kind}; expected a path, or the boxes of each image")
    listed = list(annotations)
    if len(listed) != images:
        raise InvalidArgument(f"there are {images} images and annotations of {len(listed)}; expected one per image")
    return [_rows(boxes, f"annotations[{i}]") for i, boxes in enumerate(listed)]


def _rows(boxes: Any, name: str) -> Doubles:
    given = getattr(boxes, "xyxy", boxes)
    unmasked(given, name)
    try:
        rows = np.asarray(given)
    except ValueError:  # lists of unequal lengths
        raise InvalidArgument(f"{name} has rows of unequal lengths; expected left, top, right and bottom") from None
    if rows.size == 0 and isinstance(given, (list, tuple)):
        return np.zeros((0, 4))
    if rows.dtype.kind not in "iuf" or rows.ndim != 2 or rows.shape[1] != 4:
        raise InvalidType(f"{name} is {rows.dtype} of shape {rows.shape}; expected numbers of shape (people, 4)")
    rows = np.ascontiguousarray(rows, dtype=np.float64)
    if not np.all(np.isfinite(rows)):
        raise InvalidArgument(f"{name} has a number that is not finite")
    if not np.all(rows[:, 2:] > rows[:, :2]):
        raise InvalidArgument(f"{name} has an empty box; expected left < right and top < bottom in each row")
    return rows
