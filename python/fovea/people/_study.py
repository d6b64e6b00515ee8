"""How much each option of the HOG descriptor matters."""

from __future__ import annotations

import html
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from .. import _fovea
from .._arguments import text
from .._batch import some_images
from .._frames import name_of
from .._keywords import takes_options
from .._operation import origin_of
from .._options import PeopleStudyOptions, Unpack
from .._progress import Progress, reporting
from .._records import PeopleStudyFields as _Studied
from .._results import Table, described
from ..errors import InvalidArgument
from ..files import Path


class StudyVariant(NamedTuple):
    """One classifier of a study and how well it does."""

    parameter: str  #: what is varied; empty for the default
    value: str  #: what is changed, such as "mask sobel"
    miss_rate: float  #: at the study's false positives per window
    standard_deviation: float  #: of it
    numbers: int  #: numbers of the descriptor
    hard_windows: int  #: windows that rounds have added
    crops: int  #: windows with a person that it was measured on
    windows: int  #: windows without
    false_positives: np.ndarray[Any, np.dtype[np.float64]]  #: per window, one per point of the curve
    miss_rate_curve: np.ndarray[Any, np.dtype[np.float64]]  #: one per point
    thresholds: np.ndarray[Any, np.dtype[np.float32]]  #: one per point


@described(_fovea.people.study_fields())
class Study(Table, _Studied):
    """The miss rates of a descriptor whose options are varied one at a time. The first variant is the default."""

    variants: list[StudyVariant]  # type: ignore[assignment]  # rows, which the library gives as columns

    def _take(self, values: dict[str, Any]) -> None:
        super()._take(values)
        table = values["variants"]
        self._numbers = {name: np.asarray(table[name]) for name in StudyVariant._fields if name in table}
        rows = zip(*(column.tolist() for column in self._numbers.values()))
        self.variants = [
            StudyVariant._make((*row, curve["false_positives"], curve["miss_rate"], curve["threshold"]))
            for row, curve in zip(rows, table["curve"])
        ]

    def columns(self) -> dict[str, np.ndarray[Any, Any]]:
        """One row per variant, as the program's table.csv has them."""
        return dict(self._numbers)

    def to_svg(self, parameter: str) -> str:
        """A chart of the curves of one parameter's values and of the default, as SVG."""
        known = list(dict.fromkeys(variant.parameter for variant in self.variants if variant.parameter))
        if text(parameter, "parameter") not in known:
            raise InvalidArgument(f"parameter is {parameter!r}; expected one of {', '.join(known)}")
        curves = [
            (v.value, v.miss_rate, {"false_positives": v.false_positives, "miss_rate": v.miss_rate_curve})
            for v in self.variants
            if v.parameter in ("", parameter)
        ]
        return str(_fovea.people.draw_curves(curves, True))

    def __repr__(self) -> str:
        rate = f"miss rate {100 * self.variants[0].miss_rate:.1f} % by default"
        return f"{rate}, {len(self.variants) - 1} variants ({self.false_positives_per_window:.2g} per window)"

    def _repr_html_(self) -> str:
        known = dict.fromkeys(variant.parameter for variant in self.variants if variant.parameter)
        return f"<p>{html.escape(repr(self))}</p>" + "".join(self.to_svg(name) for name in known)


Study._compared = ("false_positives_per_window", "positives", "random_windows", "_numbers")


@takes_options(_fovea.people.study_options())
def study(
    positives: Path | Iterable[Any],
    negatives: Path | Iterable[Any],
    test_positives: Path | Iterable[Any],
    test_negatives: Path | Iterable[Any],
    *,
    progress: Progress = False,
    **options: Unpack[PeopleStudyOptions],
) -> Study:
    """Varies every option of the HOG descriptor from its default, one at a time, and measures a classifier for each.

    ``positives`` are crops with one person's window in the middle of each and ``negatives`` whole images without
    people, as for :func:`train`; ``test_positives`` and ``test_negatives`` are others, on which the classifiers are
    measured. ``vary`` names the parameters; without it, all are varied. Options that begin with ``hog_`` are the
    default that is varied, and ``linear_`` those of the training."""
    sources = {
        "positives": positives,
        "negatives": negatives,
        "test_positives": test_positives,
        "test_negatives": test_negatives,
    }
    learned, without, tested, tested_without = (some_images(images, name) for name, images in sources.items())
    with reporting(progress) as report:
        studied = _fovea.people.study(learned, without, tested, tested_without, report, dict(options))
    words = ["people", "study"]
    for name, images in sources.items():
        words += ["--" + name.replace("_", "-"), name_of(images, name.upper())]
    origin = origin_of(studied[1], (*words, *studied[2], "-o", "STUDY", "--json"), device="cpu")
    return Study(**origin, values=studied[0])
