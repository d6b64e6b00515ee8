"""Exact Earth Mover's Distances, maps of them, targets in multispectral cubes, and tracking by color."""

from __future__ import annotations

import operator
import os
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Union, overload

import numpy as np

from . import _fovea
from ._keywords import takes_options
from ._notebook import png_bytes
from ._progress import Progress, reporting
from ._results import Result, Table, command_line
from .errors import InvalidArgument, InvalidType
from .files import Path, frames_of, is_path, write_image

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import EmdMapOptions, EmdReadCubeOptions, EmdSolveOptions, EmdTrackOptions

__all__ = [
    "Distances",
    "Map",
    "Mapper",
    "Roc",
    "Track",
    "Tracker",
    "Tracks",
    "distance",
    "emd",
    "emd2",
    "evaluate",
    "evaluate_track",
    "find",
    "map",
    "mean_spectrum",
    "read_boxes",
    "read_cube",
    "roc",
    "spectral_angle",
    "sum_of_differences",
    "track",
]

Array = np.ndarray[Any, np.dtype[Any]]
Doubles = np.ndarray[Any, np.dtype[np.float64]]
Floats = np.ndarray[Any, np.dtype[np.float32]]
Bytes = np.ndarray[Any, np.dtype[np.uint8]]
Flags = np.ndarray[Any, np.dtype[np.bool_]]
#: A name such as ``threshold:3`` or ``l1``, a file of costs, or costs as float64 of shape (rows, columns).
Ground = Union[Path, Doubles]
#: x, y, width and height in pixels.
Box = tuple[float, float, float, float]

_STATUSES: tuple[str, ...] = tuple(_fovea.emd.status_names())
_INVALID = _STATUSES.index("invalid mass")
_PIVOT_LIMIT = _STATUSES.index("pivot limit")
# What the names of ground distances begin with; anything else names a file.
_GROUNDS = frozenset(str(word).partition(":")[0] for word in _fovea.emd.ground_words())


class Distances(Table):
    """The distances of a batch, one row per problem."""

    distances: Doubles  #: one per problem
    status: Bytes  #: one number per problem; ``statuses`` has their names
    #: steps of the simplex method; 0 where a closed form or its start was optimal
    pivots: np.ndarray[Any, np.dtype[np.uint16]]
    flows: Doubles | None  #: on request the mass moved from bin i to bin j, of shape (problems, rows, columns)
    ground: dict[str, Any]  #: form, size and unit of the ground distance, and whether it is a metric and exact

    _compared = ("distances", "status", "pivots", "flows")

    def __init__(self, found: tuple[Any, ...], ground: dict[str, Any], **origin: Any) -> None:
        super().__init__(origin["options"], origin["provenance"], origin["command"])
        self.distances, self.status, self.pivots, self.flows = found[:4]
        self.ground = ground
        self._seconds = origin.get("seconds", 0.0)

    @property
    def statuses(self) -> list[str]:
        """``optimal``, ``empty``, ``pivot limit`` (the distance is an upper bound) or ``invalid mass``, per problem."""
        return [_STATUSES[code] for code in self.status]

    def columns(self) -> dict[str, Array]:
        """distance, status and pivots."""
        return {
            "distance": self.distances,
            "status": np.array(_STATUSES)[self.status],
            "pivots": self.pivots,
        }

    def __len__(self) -> int:
        return len(self.distances)

    @overload
    def __getitem__(self, index: int) -> float: ...
    @overload
    def __getitem__(self, index: Any) -> Any: ...
    def __getitem__(self, index: Any) -> Any:
        return self.distances[index]

    def __iter__(self) -> Iterator[float]:
        return iter(self.distances)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return np.array(self.distances, dtype=dtype) if copy else np.asarray(self.distances, dtype=dtype)

    def __float__(self) -> float:
        """The distance of a single problem."""
        if len(self) != 1:
            raise InvalidType(f"only the distance of one problem is a number, and there are {len(self)}")
        return float(self.distances[0])

    def __repr__(self) -> str:
        count = "1 distance" if len(self) == 1 else f"{len(self)} distances"
        mean = f", mean {float(np.mean(self.distances)):.6g}" if len(self) else ""
        unproved = int(np.count_nonzero(self.status == _PIVOT_LIMIT))
        bounds = f", {unproved} upper bounds" if unproved else ""
        made = f"{self.options['ground']}, {self.provenance['device']}, {1000 * self._seconds:.3g} ms"
        return f"{count}{mean}{bounds} ({made})"


class _Solver:
    """A solver with what its results record."""

    def __init__(self, ground: Any, bins: int, keywords: dict[str, Any]) -> None:
        self.solver = _fovea.emd.Solver(ground, bins, keywords)
        name = ground if isinstance(ground, str) else "given"
        self.options: dict[str, Any] = {"ground": name, **self.solver.options}
        self.provenance = {"device": self.options["device"], "seed": self.options["seed"]}
        self.ground: dict[str, Any] = dict(self.solver.ground)
        named = ["--ground", ground if isinstance(ground, str) else "GROUND"]
        line = ["fovea", "emd", "distance", "--problems", "PROBLEMS", *named, *self.solver.words]
        self.command = command_line(*line, "--json")
        self.flow_command = command_line(*line, "--flow", "--json")


class _Kept(threading.local):
    """The last solvers of a thread, because making one takes longer than solving a small problem."""

    most = 8

    def __init__(self) -> None:
        self.solvers: dict[Any, _Solver] = {}

    def get(self, ground: Any, bins: int, keywords: dict[str, Any]) -> _Solver:
        key: Any = None
        if isinstance(ground, str) and ground.partition(":")[0] in _GROUNDS:
            key = ground
        elif isinstance(ground, np.ndarray) and ground.dtype == np.float64 and ground.size <= 4096:
            key = (ground.shape, ground.tobytes()) if ground.flags.c_contiguous else None
        try:
            key = None if key is None else (key, bins, *sorted(keywords.items()))
            known = self.solvers.pop(key, None)
        except TypeError:  # a value that is no key is refused as an option
            key = known = None
        made = known or _Solver(ground, bins, keywords)
        if key is not None:
            if len(self.solvers) >= self.most:
                del self.solvers[next(iter(self.solvers))]
            self.solvers[key] = made
        return made


_kept = _Kept()


def _numbers(value: Any, name: str) -> Any:
    """Lists of numbers as float64; everything else as it is."""
    if not isinstance(value, (list, tuple)):
        return value
    table = _table(value)
    if table is None:
        raise InvalidType(f"{name} is a {type(value).__name__} that is no table of numbers")
    return table


def _table(value: Any) -> Doubles | None:
    """Real numbers as float64, or None for anything else: texts, rows of several lengths."""
    try:
        table = np.asarray(value)
    except (TypeError, ValueError):
        return None
    if table.size == 0:
        return np.zeros(table.shape)
    return table.astype(np.float64) if table.dtype.kind in "iuf" else None


def _ground(value: Any) -> Any:
    return os.fspath(value) if isinstance(value, os.PathLike) else _numbers(value, "ground")


def _bins(rows: Any) -> int:
    shape = getattr(rows, "shape", None)
    return int(shape[-1]) if shape else 1


def _refuse_row(row: int, P: Any, Q: Any, names: tuple[str, str] | None = None) -> None:
    for name, rows in zip(names or (f"row {row} of P", f"row {row} of Q"), (P, Q)):
        table = np.atleast_2d(np.asarray(rows))
        masses = table[row if len(table) > 1 else 0]
        for i, mass in enumerate(masses.tolist()):
            if not 0 <= mass < float("inf"):
                raise InvalidArgument(f"{name} has mass {mass:g} in bin {i}; expected at least 0, and finite")
    raise InvalidArgument(f"the sum of the masses in row {row} is not finite")


@takes_options(_fovea.emd.solve_options())
def distance(
    P: Any,
    Q: Any,
    ground: Ground = "threshold:3",
    flows: bool = False,
    *,
    invalid: Literal["raise", "nan"] = "raise",
    **options: Unpack[EmdSolveOptions],
) -> Distances:
    """The exact Earth Mover's Distance of each row of P to the row of Q, or to the only row of one of them.

    Rows are histograms of up to 64 bins: uint8, uint16, float32 or float64, or lists of numbers. The ground distance is
    a name (l1, l2, squared, threshold:T, circular, discrete), a file of costs, or costs as an array of float64. With
    ``flows`` the result has the mass that moves from each bin to each other. A mass that is negative or not finite
    raises InvalidArgument; with ``invalid="nan"`` the distance of its problem is NaN, and the others are solved."""
    start = time.perf_counter()
    P, Q = _numbers(P, "P"), _numbers(Q, "Q")
    if invalid not in ("raise", "nan"):
        raise InvalidArgument(f"invalid is {invalid!r}; expected raise or nan")
    kept = _kept.get(_ground(ground), _bins(P), dict(options))
    found = kept.solver.solve(P, Q, bool(flows))
    if found[4] >= 0:
        if invalid == "raise":
            _refuse_row(found[4], P, Q)
        found[0][found[1] == _INVALID] = np.nan
    return Distances(
        found,
        dict(kept.ground),
        options={**kept.options, "flows": bool(flows)},
        provenance=kept.provenance,
        command=kept.flow_command if flows else kept.command,
        seconds=time.perf_counter() - start,
    )


def _balanced(a: Any, b: Any, M: Any, check_marginals: bool) -> tuple[Any, Any, Any]:
    costs = _numbers(M, "M")
    if not isinstance(costs, np.ndarray) or costs.dtype != np.float64 or costs.ndim != 2:
        raise InvalidType(f"M is {_what(costs)}; expected an array of float64 with 2 axes")
    costs = np.ascontiguousarray(costs)
    shape = costs.shape
    sides = []
    for name, value, count in (("a", a, shape[0]), ("b", b, shape[1])):
        weights = _numbers(value, name)
        if weights is None or (isinstance(weights, np.ndarray) and weights.size == 0):
            weights = np.full(count, 1.0 / max(1, count))
        most = 2 if name == "b" else 1
        if not isinstance(weights, np.ndarray) or weights.dtype != np.float64 or not 1 <= weights.ndim <= most:
            axes = "(bins,) or (bins, problems)" if name == "b" else "(bins,)"
            raise InvalidType(f"{name} is {_what(weights)}; expected an array of float64 and of shape {axes}")
        if len(weights) != count:
            raise InvalidArgument(f"{name} has {len(weights)} bins, but M is of shape {shape}")
        sides.append(np.ascontiguousarray(weights))
    first, second = sides
    mass = float(first.sum())
    if second.ndim == 1:
        other = float(second.sum())
        _check_masses(mass, other, check_marginals)
        return first, second * (mass / other) if other != mass and other > 0 else second, costs
    others = second.sum(axis=0)
    for other in others.tolist():
        _check_masses(mass, other, check_marginals)
    return first, np.ascontiguousarray((second * (mass / np.where(others > 0, others, 1))).T), costs


def _check_masses(mass: float, other: float, wanted: bool) -> None:
    if wanted and not abs(mass - other) <= 1e-7 * abs(mass):
        raise InvalidArgument(f"the masses of a and b differ: {mass:g} and {other:g}; expected equal ones")


def _what(value: Any) -> str:
    if hasattr(value, "dtype") and hasattr(value, "shape"):
        return f"{value.dtype} of shape {tuple(value.shape)}"
    return "None" if value is None else f"of type {type(value).__name__}"


def _transport(a: Any, b: Any, M: Any, check_marginals: bool, flows: bool) -> Any:
    first, second, costs = _balanced(a, b, M, check_marginals)
    # With a penalty of 0 the result is the cost itself, not the cost per mass.
    solver = _kept.get(costs, 0, {"mass": "penalty", "penalty": 0.0, "device": "cpu"}).solver
    found = solver.solve(first, second, flows)
    if found[4] >= 0:
        _refuse_row(found[4], first, second, ("a", "b"))
    return found


def emd2(a: Any, b: Any, M: Any, *, check_marginals: bool = True) -> Any:
    """The least cost of moving the weights a to the weights b under the costs M: ``ot.emd2`` of POT, up to 64 bins.

    Weights and costs are float64; no weights at all (``[]`` or None) are equal ones. With b of shape (bins, problems)
    the result is an array with one cost per column."""
    found = _transport(a, b, M, check_marginals, False)
    costs: Doubles = found[0]
    return costs if np.ndim(b) == 2 else float(costs[0])


def emd(a: Any, b: Any, M: Any, *, check_marginals: bool = True) -> Doubles:
    """A plan of least cost, the mass moved from bin i of a to bin j of b: ``ot.emd`` of POT, up to 64 bins."""
    if np.ndim(b) == 2:
        raise InvalidType("b has two axes; expected the weights of one problem")
    plan: Doubles = _transport(a, b, M, check_marginals, True)[3][0]
    return plan


@takes_options(_fovea.emd.read_cube_options())
def read_cube(path: Path, **options: Unpack[EmdReadCubeOptions]) -> Array:
    """Reads ENVI, .mat, TIFF, another image or a folder of bands as an array of shape (height, width, bands)."""
    cube: Array = _fovea.emd.read_cube(os.fspath(path), dict(options))
    return cube


class Roc(Table):
    """How well a score separates a target from its background, for every threshold."""

    threshold: Floats  #: distinct scores from the best on
    false_rate: Doubles  #: share of the background whose score is as good as the threshold or better
    true_rate: Doubles  #: the same share of the target
    area: float  #: under the curve: the probability that a pixel of the target scores better than one of the background
    positives: int  #: pixels of the target
    negatives: int  #: pixels of the background

    _compared = ("threshold", "false_rate", "true_rate", "area", "positives", "negatives")

    def __init__(self, found: dict[str, Any], options: dict[str, Any], command: str) -> None:
        super().__init__(options, {"device": "cpu"}, command)
        for name in self._compared:
            setattr(self, name, found[name])

    def columns(self) -> dict[str, Array]:
        """threshold, false_rate and true_rate."""
        return {"threshold": self.threshold, "false_rate": self.false_rate, "true_rate": self.true_rate}

    def __len__(self) -> int:
        return len(self.threshold)

    def __float__(self) -> float:
        return self.area

    def __repr__(self) -> str:
        return f"ROC with an area of {self.area:.4f} ({self.positives} pixels of the target, {self.negatives} others)"


def roc(score: Any, truth: Any, sense: Literal["low", "high"] = "low", counted: Any = None) -> Roc:
    """The receiver operating characteristic of a score, float32 of shape (height, width).

    The target is where truth is not 0. With ``sense="low"`` low scores mean target, as with distances. Pixels where
    ``counted`` is 0 are left out. No verb of the program takes a score; ``emd map --truth`` reports areas of maps."""
    found = _fovea.emd.roc(np.asarray(score) if isinstance(score, Map) else score, truth, sense, counted)
    line = ("fovea", "emd", "map", "IMAGE", "--target", "TARGET", "--truth", "TRUTH", "--json")
    return Roc(found, {"sense": sense}, command_line(*line))


def mean_spectrum(cube: Any, box: Sequence[int] | None = None, mask: Any = None) -> Floats:
    """The mean of each band over a box, over the pixels where a mask is not 0, or over all.

    Pixels with a value that is NaN or infinite are left out."""
    if box is not None and mask is not None:
        raise InvalidArgument("both box and mask are given; expected one of them")
    found: Floats = _fovea.emd.mean_spectrum(_source(cube), None if box is None else _whole_box(box, "box"), mask)
    return found


def spectral_angle(cube: Any, spectrum: Any) -> Floats:
    """The angle between each pixel's spectrum and another one, 0 to pi: it does not depend on brightness."""
    found: Floats = _fovea.emd.spectral_angle(_source(cube), spectrum)
    return found


def sum_of_differences(cube: Any, spectrum: Any) -> Floats:
    """The sum of absolute differences between each pixel's spectrum and another one."""
    found: Floats = _fovea.emd.sum_of_differences(_source(cube), spectrum)
    return found


def _source(image: Any) -> Any:
    return os.fspath(image) if is_path(image) else image


def _whole_box(box: Any, name: str) -> list[int]:
    try:
        numbers = [operator.index(number) for number in box]
    except TypeError:
        numbers = []
    if len(numbers) != 4 or any(abs(number) >= 2**31 for number in numbers):
        raise InvalidType(f"{name} is {box!r}; expected x, y, width and height in whole pixels"[:200])
    return numbers


class Map(Result):
    """The distance of every pixel's signature to the target's."""

    distances: Floats  #: of shape (height, width)
    report: dict[str, Any]  #: how pixels got their distances: cached, duplicate, skipped, solved and more
    target: np.ndarray[Any, np.dtype[np.uint16]]  #: the target's histogram
    ground: dict[str, Any]  #: form, size and unit of the ground distance, and whether it is a metric and exact
    range: tuple[float, float] | None  #: where levels begin and end; None for spectra
    box: tuple[int, int, int, int] | None  #: the target's box in the first image; None where the target is an image
    frame: int  #: number of the image since the mapper was made

    _compared = ("distances", "target", "range", "box")

    def __init__(self, found: dict[str, Any], box: tuple[int, int, int, int] | None, **origin: Any) -> None:
        super().__init__(origin["options"], origin["provenance"], origin["command"])
        self.distances, self.report, self.target = found["distances"], dict(found["report"]), found["target"]
        self.ground, self.range, self.box = dict(found["ground"]), found["range"], box
        self.frame = origin["frame"]
        self._seconds = origin["seconds"]

    @property
    def shape(self) -> tuple[int, int]:
        """Height and width."""
        return self.distances.shape[0], self.distances.shape[1]

    @property
    def best(self) -> tuple[int, int]:
        """x and y of the pixel with the least distance, the first one in reading order."""
        y, x = np.unravel_index(int(np.argmin(self.distances)), self.shape)
        return int(x), int(y)

    def below(self, threshold: float) -> Flags:
        """Where the distance is at most this: the pixels that are detected as target."""
        found: Flags = self.distances <= np.float32(threshold)
        return found

    def roc(self, truth: Any) -> Roc:
        """How well the map separates the target; pixels of the target's own box do not count."""
        return roc(self.distances, truth, "low", self._counted())

    def _counted(self) -> Bytes:
        counted = np.ones(self.shape, np.uint8)
        if self.box is not None and self.frame == 0:
            x, y, width, height = self.box
            counted[y : y + height, x : x + width] = 0
        return counted

    def to_color(self) -> Bytes:
        """The map in colors, bright where the distance is small."""
        picture: Bytes = _fovea.emd.map_picture(self.distances)
        return picture

    def save(self, path: Path) -> None:
        """Writes .tif, .npy or .pfm."""
        write_image(path, self.distances)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return np.array(self.distances, dtype=dtype) if copy else np.asarray(self.distances, dtype=dtype)

    def __repr__(self) -> str:
        height, width = self.shape
        made = f"{self.options['signature']}, {self.provenance['device']}, {1000 * self._seconds:.0f} ms"
        return f"map of {width}x{height}, least distance {float(np.min(self.distances)):.4g} at {self.best} ({made})"

    def _repr_png_(self) -> bytes:
        return png_bytes(self.to_color())


class Mapper:
    """Maps one image after another. The first one and the target determine levels or spectra for all of them.

    Images and cubes are arrays of shape (height, width) or (height, width, bands), or paths; a folder is a cube of
    bands. Distances that are known from earlier images are looked up. Threads take turns."""

    @takes_options(_fovea.emd.map_options())
    def __init__(
        self, target: Any, ground: Ground | None = None, *, variable: str = "", **options: Unpack[EmdMapOptions]
    ) -> None:
        """Takes a target: a box (x, y, width, height) of the first image, or an image or cube that shows only it.

        Where spectra are compared, the target may also be a spectrum, an array with one number per band. The ground
        distance is a name (l1, l2, squared, threshold:T, circular, discrete), a file of costs, or costs as an array of
        float64; by default it is threshold:3 for levels and depends on the spectra otherwise. ``variable`` names the
        array to read from .mat files; by default it is the largest."""
        self._setup(target, ground, variable, dict(options), False)

    def _setup(self, target: Any, ground: Any, variable: str, keywords: dict[str, Any], keep_spectrum: bool) -> None:
        self.box: tuple[int, int, int, int] | None = None
        shown: Any = None
        if isinstance(target, (tuple, list)):
            x, y, width, height = _whole_box(target, "target")
            self.box = (x, y, width, height)
            word = ",".join(str(number) for number in self.box)
        else:
            shown = _source(target)
            word = shown if is_path(target) else "TARGET"
            if isinstance(shown, np.ndarray) and shown.ndim == 1:
                shown = shown.reshape(1, 1, -1)
        costs = _ground(ground)
        words = ["--target", word]
        if isinstance(costs, str):
            keywords["ground"] = costs
            costs = None
        elif costs is not None:
            words += ["--ground", "GROUND"]
        if variable:
            words += ["--variable", variable]
        box = None if self.box is None else list(self.box)
        self._mapper = _fovea.emd.Mapper(box, shown, variable, costs, keep_spectrum, keywords)
        self._options: dict[str, Any] = dict(self._mapper.options)
        if costs is not None:
            self._options["ground"] = "given"
        # A ground distance that was given as costs is a file for the program.
        self._words = words + [word for word in _without_ground(self._mapper.words, costs is not None)]
        self._first: str | None = None
        self._frames = 0

    @property
    def options(self) -> dict[str, Any]:
        """Every option with its value."""
        return dict(self._options)

    def map(self, image: Any) -> Map:
        """The map of an image or cube.

        ``command`` of a later map names the first image too: the program then writes one map per image."""
        return self._found(image)[0]

    def video(self, source: Path | Iterable[Any], progress: Progress = False) -> Iterator[Map]:
        """The map of each frame in order. The source is a file, a folder of images, or images and cubes one by one."""
        frames, count = frames_of(source)
        with reporting(progress) as report:
            for index, frame in enumerate(frames):
                found, _ = self._found(frame.decode()[0] if hasattr(frame, "decode") else frame)
                if is_path(source):
                    found.command = command_line("fovea", "emd", "map", str(source), *self._words, "-o", "MAPS")
                if report:
                    report("frames", index + 1, count or 0)
                yield found

    def _found(self, image: Any) -> tuple[Map, Any]:
        start = time.perf_counter()
        found = self._mapper.map(_source(image))
        name = str(image) if is_path(image) else "IMAGE"
        inputs = [name] if self._first is None else [self._first, name]
        if self._first is None:
            self._first = name if is_path(image) else "FIRST"
        output = "MAP.npy" if len(inputs) == 1 else "MAPS"
        origin = {
            "options": self.options,
            "provenance": {"device": self._options["device"], "seed": self._options["seed"]},
            "command": command_line("fovea", "emd", "map", *inputs, *self._words, "-o", output),
            "frame": self._frames,
            "seconds": time.perf_counter() - start,
        }
        self._frames += 1
        return Map(found, self.box, **origin), found["spectrum"]

    def __reduce__(self) -> tuple[Any, ...]:
        raise InvalidType("a Mapper cannot be pickled, because it keeps what it learned from its first image")

    def __repr__(self) -> str:
        target = f"box {self.box}" if self.box is not None else "an image"
        return f"Mapper(target {target}, {self._options['signature']}, device {self._options['device']!r})"


def _without_ground(words: Iterable[str], drop: bool) -> Iterator[str]:
    pairs = iter(words)
    for word in pairs:
        if drop and word == "--ground":
            next(pairs)
        else:
            yield word


@takes_options(_fovea.emd.map_options())
def map(
    image: Any, target: Any, ground: Ground | None = None, *, variable: str = "", **options: Unpack[EmdMapOptions]
) -> Map:
    """The map of one image: a Mapper that is used once."""
    return Mapper(target, ground, variable=variable, **options).map(image)


def _truth(truth: Any) -> Any:
    if not is_path(truth):
        return truth
    path = os.fspath(truth)
    file, mat, variable = path.rpartition(".mat:")
    cube = _fovea.emd.read_cube(file + ".mat" if mat else path, {"variable": variable if mat else ""})
    return np.ascontiguousarray((cube if cube.ndim == 2 else cube[:, :, 0]) != 0)


@takes_options(_fovea.emd.map_options())
def evaluate(
    image: Any,
    target: Any,
    truth: Any,
    ground: Ground | None = None,
    *,
    variable: str = "",
    **options: Unpack[EmdMapOptions],
) -> dict[str, Any]:
    """Maps an image or cube and compares the map with a truth, whose pixels other than 0 are the target.

    The truth is a mask, or the path of an image or cube. Returns the areas under the ROC curves of our distance, of the
    spectral angle and of the sum of absolute differences, as ``fovea emd map --truth`` does, and the numbers of pixels.
    Pixels of the target's box do not count."""
    mapper = Mapper.__new__(Mapper)
    mapper._setup(target, ground, variable, dict(options), True)
    found, spectrum = mapper._found(image)
    known = _truth(truth)
    own = found.roc(known)
    areas = {"emd": own.area}
    if spectrum is not None:
        cube = _source(image)
        if is_path(image) and variable:
            cube = _fovea.emd.read_cube(cube, {"variable": variable})
        counted = found._counted()
        areas["spectral_angle"] = roc(spectral_angle(cube, spectrum), known, "low", counted).area
        areas["sad"] = roc(sum_of_differences(cube, spectrum), known, "low", counted).area
    return {"positives": own.positives, "negatives": own.negatives, "roc_auc": areas}


class Track(NamedTuple):
    """One target in one frame."""

    id: int  #: from 1, in the order in which targets were added
    box: Box  #: x, y, width and height
    score: float  #: likelihood inside the box less that in the ring around it, -1 to 1
    confidence: float  #: score / the first frame's score, 0 to 1
    lost: bool  #: the target is lost, and the box is where it was last seen


class Tracks(Table):
    """The targets in one frame, in the order of their ids. The names of its arrays are those of supervision."""

    tracker_id: np.ndarray[Any, np.dtype[np.int32]]  #: ids from 1
    xywh: Doubles  #: one row of left, top, width and height per target
    confidence: Doubles  #: score / the first frame's score, 0 to 1
    score: Doubles  #: likelihood inside the box less that in the ring around it
    lost: Flags  #: whether the target is lost, and the box is where it was last seen
    frame: int  #: number of the frame, from 0

    _compared = ("tracker_id", "xywh", "confidence", "score", "lost", "frame")

    def __init__(self, columns: dict[str, Any], image: Any, frame: int, **origin: Any) -> None:
        super().__init__(origin["options"], origin["provenance"], origin["command"])
        self.tracker_id, self.xywh, self.lost = columns["id"], columns["xywh"], columns["lost"].view(np.bool_)
        self.confidence, self.score = columns["confidence"], columns["score"]
        self.frame = frame
        self._image = image
        self._seconds = origin.get("seconds", 0.0)

    @property
    def xyxy(self) -> Doubles:
        """One row of left, top, right and bottom per target."""
        return np.concatenate([self.xywh[:, :2], self.xywh[:, :2] + self.xywh[:, 2:]], axis=1)

    @property
    def box(self) -> Box:
        """x, y, width and height of the first target."""
        return self[0].box

    def __len__(self) -> int:
        return len(self.tracker_id)

    @overload
    def __getitem__(self, index: int) -> Track: ...
    @overload
    def __getitem__(self, index: slice) -> list[Track]: ...
    def __getitem__(self, index: int | slice) -> Track | list[Track]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        x, y, width, height = self.xywh[index].tolist()
        return Track(
            int(self.tracker_id[index]),
            (x, y, width, height),
            float(self.score[index]),
            float(self.confidence[index]),
            bool(self.lost[index]),
        )

    def __iter__(self) -> Iterator[Track]:
        return (self[i] for i in range(len(self)))

    def columns(self) -> dict[str, Array]:
        """frame, id, x, y, width, height, score, confidence and lost."""
        boxes = {name: np.ascontiguousarray(self.xywh[:, i]) for i, name in enumerate(("x", "y", "width", "height"))}
        return {
            "frame": np.full(len(self), self.frame, np.int64),
            "id": self.tracker_id,
            **boxes,
            "score": self.score,
            "confidence": self.confidence,
            "lost": self.lost,
        }

    def _library(self) -> dict[str, Any]:
        return {
            "id": self.tracker_id,
            "xywh": self.xywh,
            "score": self.score,
            "confidence": self.confidence,
            "lost": self.lost.view(np.uint8),
        }

    def to_mot(self) -> str:
        """Lines of MOT challenge text, in which frames and pixels count from 1."""
        return str(_fovea.emd.mot_text(self.frame, self._library()))

    def to_supervision(self) -> Any:
        """The targets as ``supervision.Detections``."""
        import supervision

        return supervision.Detections(
            xyxy=self.xyxy.astype(np.float32), confidence=self.confidence, tracker_id=self.tracker_id.astype(np.int64)
        )

    def draw(self, image: Any = None) -> Bytes:
        """An RGB image with the boxes, the frame itself unless another image is given."""
        pixels = np.asarray(self._image if image is None else image)
        if pixels.ndim == 2 or pixels.shape[2] == 1:
            pixels = np.repeat(pixels.reshape(*pixels.shape[:2], 1), 3, axis=2)
        drawn: Bytes = _fovea.emd.draw(np.ascontiguousarray(pixels[:, :, :3]), self._library())
        return drawn

    def __getstate__(self) -> dict[str, Any]:
        # The frame is not part of the result.
        return {**self.__dict__, "_image": None}

    def __repr__(self) -> str:
        lost = int(np.count_nonzero(self.lost))
        targets = "1 target" if len(self) == 1 else f"{len(self)} targets"
        at = f" at {tuple(f'{number:g}' for number in self.box)}".replace("'", "") if len(self) == 1 else ""
        made = f"frame {self.frame}, {self.provenance['device']}, {1000 * self._seconds:.0f} ms"
        return f"{targets}{at}{f', {lost} lost' if lost else ''} ({made})"

    def _repr_png_(self) -> bytes | None:
        return None if self._image is None else png_bytes(self.draw())


def _boxes(box: Any) -> Doubles:
    table = _table(box)
    rows = np.empty((0, 0)) if table is None else np.ascontiguousarray(np.atleast_2d(table))
    if rows.ndim != 2 or rows.shape[1] != 4 or len(rows) == 0 or not np.all(np.isfinite(rows)):
        raise InvalidType(f"box is {_what(box)}; expected x, y, width and height, or rows of them")
    return rows


def _pixels(image: Any) -> Any:
    return _fovea.files.read_bytes(os.fspath(image)) if is_path(image) else image


class Tracker:
    """Follows targets through frames by their colors. Threads take turns.

    Ctrl-C does not stop a frame that has begun; it is followed to its end, and ``tracks`` has its result."""

    @takes_options(_fovea.emd.track_options())
    def __init__(self, frame: Any, box: Any = None, example: Any = None, **options: Unpack[EmdTrackOptions]) -> None:
        """Begins in a frame with a box (x, y, width, height), with rows of boxes, or with an example to search for.

        Frames and examples are uint8 of shape (height, width) or (height, width, 3), or paths."""
        if (box is None) == (example is None):
            raise InvalidType("a Tracker begins with a box or with an example; expected one of them")
        self._tracker = _fovea.emd.Tracker(dict(options))
        self._options: dict[str, Any] = dict(self._tracker.options)
        self._words = list(self._tracker.words)
        self._targets: list[str] = []
        self._source = "VIDEO"
        if box is not None:
            self.add(frame, box)
        else:
            self.add_example(frame, example)

    @property
    def options(self) -> dict[str, Any]:
        """Every option with its value."""
        return dict(self._options)

    def add(self, frame: Any, box: Any) -> Tracks:
        """Adds targets by their boxes in a frame; each has at least 4x4 pixels within it. Returns the new ones."""
        start, pixels, rows = time.perf_counter(), _pixels(frame), _boxes(box)
        columns = self._tracker.add(pixels, rows)
        self._targets += [",".join(f"{number:.17g}" for number in row) for row in rows]
        return self._tracks(columns, pixels, start)

    def add_example(self, frame: Any, example: Any) -> Tracks:
        """Adds a target by an example image and looks for it in a frame at half to twice its size.

        A target that is not found starts as lost."""
        start, pixels = time.perf_counter(), _pixels(frame)
        columns = self._tracker.add_example(pixels, _pixels(example))
        self._targets.append(str(example) if is_path(example) else "EXAMPLE")
        return self._tracks(columns, pixels, start)

    def track(self, frame: Any) -> Tracks:
        """Follows all targets into the next frame."""
        start, pixels = time.perf_counter(), _pixels(frame)
        return self._tracks(self._tracker.track(pixels), pixels, start)

    def video(self, source: Path | Iterable[Any], progress: Progress = False) -> Iterator[Tracks]:
        """Follows all targets through the next frames: a file, a folder of images, or frames as arrays."""
        frames, count = frames_of(source)
        with reporting(progress) as report:
            for index, frame in enumerate(frames):
                found = self.track(frame.decode()[0] if hasattr(frame, "decode") else frame)
                if report:
                    report("frames", index + 1, count or 0)
                yield found

    @property
    def tracks(self) -> Tracks:
        """Where all targets were last."""
        return self._tracks(self._tracker.tracks(), None, time.perf_counter())

    @property
    def report(self) -> dict[str, Any]:
        """How the distances of all maps so far were found."""
        return dict(self._tracker.report())

    def uses_parts(self, id: int = 1) -> bool:
        """Whether the parts of a target are compared, as the option parts says or as was decided."""
        return bool(self._tracker.uses_parts(id))

    def likelihood(self, id: int = 1) -> Floats:
        """The likelihood, 0 to 1, that each pixel of the last frame belongs to a target; 0 where it was not mapped."""
        found: Floats = self._tracker.likelihood(id)
        return found

    def _tracks(self, columns: dict[str, Any], image: Any, start: float) -> Tracks:
        targets = [word for target in self._targets for word in ("--target", target)]
        return Tracks(
            columns,
            image,
            int(self._tracker.frame),
            options=self.options,
            provenance={"device": self._options["device"], "seed": self._options["seed"]},
            command=command_line("fovea", "emd", "track", self._source, *targets, *self._words, "--json"),
            seconds=time.perf_counter() - start,
        )

    def __reduce__(self) -> tuple[Any, ...]:
        raise InvalidType("a Tracker cannot be pickled, because it keeps what it learned from its frames")

    def __repr__(self) -> str:
        count = len(self._targets)
        targets = "1 target" if count == 1 else f"{count} targets"
        return f"Tracker({targets}, frame {self._tracker.frame}, device {self._options['device']!r})"


@takes_options(_fovea.emd.track_options())
def track(
    source: Path | Iterable[Any],
    box: Any = None,
    example: Any = None,
    *,
    progress: Progress = False,
    **options: Unpack[EmdTrackOptions],
) -> Iterator[Tracks]:
    """Follows targets through a video: a file, a folder of images, or frames as arrays. Its first frame shows the box.

    The result of the first frame is where the targets begin."""
    frames, count = frames_of(source)

    def follow() -> Iterator[Tracks]:
        tracker: Tracker | None = None
        with reporting(progress) as report:
            for index, frame in enumerate(frames):
                pixels = frame.decode()[0] if hasattr(frame, "decode") else _pixels(frame)
                if tracker is None:
                    tracker = Tracker(pixels, box, example, **options)
                    tracker._source = str(source) if is_path(source) else "VIDEO"
                    found = tracker.tracks
                    found._image = pixels
                else:
                    found = tracker.track(pixels)
                if report:
                    report("frames", index + 1, count or 0)
                yield found

    return follow()


@takes_options(_fovea.emd.track_options())
def find(image: Any, example: Any, **options: Unpack[EmdTrackOptions]) -> Tracks:
    """Looks for an example image in another image, at half to twice its size. A target that is not found is lost."""
    tracker = Tracker(image, example=example, **options)
    found = tracker.tracks
    found._image = _pixels(image)
    return found


def read_boxes(path: Path, origin: int = 0, id: int = 1) -> Doubles:
    """Reads the boxes of one target: rows of x, y, width and height, or MOT challenge text.

    ``origin`` is the coordinate of the file's first pixel, 0 or 1. Frames without the target get a box without area."""
    boxes: Doubles = _fovea.emd.read_boxes(os.fspath(path), origin, id)
    return boxes


def evaluate_track(boxes: Any, truth: Any) -> dict[str, Any]:
    """Compares a track with the true boxes by the measures of the Online Tracking Benchmark.

    Both have one row of x, y, width and height per frame; the first may also be a list of Tracks, whose first targets
    are taken. Frames without a truth do not count."""
    if isinstance(boxes, (list, tuple)) and boxes and isinstance(boxes[0], Tracks):
        boxes = np.concatenate([tracks.xywh[:1] for tracks in boxes])
    return dict(_fovea.emd.evaluate_track(_boxes(boxes), _boxes(truth)))
