"""Maps of distances, and targets in multispectral cubes."""

from __future__ import annotations

import copy
import operator
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal

import numpy as np

from .. import _fovea
from .._arguments import number_of, path_of, shown, text, unmasked, whole_number, word
from .._batch import Results
from .._explanation import Explanation
from .._frames import Frames, VideoLike, mask_of, name_of, one_by_one
from .._keywords import takes_options
from .._notebook import png_of
from .._operation import Face
from .._options import EmdMapOptions, EmdReadCubeOptions, EmdRegionsOptions, Unpack
from .._progress import Progress
from .._records import EmdRocFields as _Curve
from .._results import Record, Result, Table, command_line, described
from .._rules import in_its_colors
from ..errors import InvalidArgument, InvalidType
from ..files import Path, as_path, is_path, write_image
from ._regions import Regions, found_regions
from ._shared import Array, Bytes, Doubles, Flags, Floats, Ground, as_ground


@takes_options(_fovea.emd.read_cube_options(), rules=())
def read_cube(path: Path, **options: Unpack[EmdReadCubeOptions]) -> Array:
    """Reads ENVI, .mat, TIFF, another image or a folder of bands as an array of shape (height, width, bands)."""
    return _fovea.emd.read_cube(path_of(path), dict(options))


@described(_fovea.emd.roc_fields(), rows="curve")
class Roc(Table, _Curve):
    """How well a score separates a target from its background, for every threshold."""

    def __len__(self) -> int:
        return len(self.threshold)

    def __float__(self) -> float:
        return self.area

    def __repr__(self) -> str:
        return f"ROC with an area of {self.area:.4f} ({self.positives} pixels of the target, {self.negatives} others)"


def roc(score: Any, truth: Any, sense: Literal["low", "high"] = "low", counted: Any = None) -> Roc:
    """The receiver operating characteristic of a score, float32 of shape (height, width), or of a Map.

    The target is where truth, a mask or a path, is not 0. With ``sense="low"`` low scores mean target, as with
    distances. Pixels where ``counted`` is 0 are left out. No verb of the program takes a score."""
    word(sense, "sense", ("low", "high"))
    numbers = score.numpy().distances if isinstance(score, Map) else score
    found = _fovea.emd.roc(numbers, _truth(truth), sense, mask_of(counted))
    line = ("fovea", "emd", "map", "IMAGE", "--target", "TARGET", "--truth", "TRUTH", "--json")
    return Roc({"sense": sense}, {"device": "cpu"}, command_line(*line), found)


def mean_spectrum(cube: Any, box: Sequence[int] | None = None, mask: Any = None) -> Floats:
    """The mean of each band over a box, over the pixels where a mask is not 0, or over all.

    Pixels with a value that is NaN or infinite are left out."""
    if box is not None and mask is not None:
        raise InvalidArgument("both box and mask are given; expected one of them")
    inside = None if box is None else _whole_box(box, "box")
    return _fovea.emd.mean_spectrum(_source(cube), inside, mask_of(mask))


def spectral_angle(cube: Any, spectrum: Any) -> Floats:
    """The angle between each pixel's spectrum and another one, 0 to pi: it does not depend on brightness."""
    return _fovea.emd.spectral_angle(_source(cube), spectrum)


def sum_of_differences(cube: Any, spectrum: Any) -> Floats:
    """The sum of absolute differences between each pixel's spectrum and another one."""
    return _fovea.emd.sum_of_differences(_source(cube), spectrum)


def matched_filter(cube: Any, spectrum: Any) -> Floats:
    """The share of a spectrum in each pixel by the matched filter, which knows the cube's covariance; high means target."""
    return _fovea.emd.matched_filter(_source(cube), spectrum)


def adaptive_cosine(cube: Any, spectrum: Any) -> Floats:
    """The adaptive cosine estimator (ACE) of each pixel, -1 to 1: the signed squared cosine after whitening; high means target."""
    return _fovea.emd.adaptive_cosine(_source(cube), spectrum)


def _source(image: Any) -> Any:
    return as_path(image) if is_path(image) else image


def _whole_box(box: Any, name: str) -> list[int]:
    unmasked(box, name)
    try:
        numbers = [operator.index(number) for number in box]
    except TypeError:
        numbers = []
    if len(numbers) != 4 or any(abs(number) >= 2**31 for number in numbers):
        raise InvalidType(f"{name} is {shown(box)}; expected x, y, width and height in whole pixels")
    return numbers


class Map(Result):
    """The distance of every pixel's signature to the target's, or its fused score (``score="fused"``)."""

    # A NumPy array, or a DeviceArray where the image was on a GPU.
    distances: Any  #: float32 of shape (height, width); NaN where a pixel was not mapped
    report: dict[str, Any]  #: how pixels got their distances: cached, duplicate, skipped, solved and more
    target: np.ndarray[Any, np.dtype[np.uint16]]  #: the target's histogram
    ground: dict[str, Any]  #: form, size and unit of the ground distance, and whether it is a metric and exact
    range: tuple[float, float] | None  #: where levels begin and end, or colors from black to white; None for spectra
    box: tuple[int, int, int, int] | None  #: the target's box in the first image; None where the target is an image
    frame: int  #: number of the image since the mapper was made

    _compared = ("distances", "target", "range", "box")

    _size: tuple[int, int]  #: of the target

    @property
    def solved_by(self) -> dict[str, int]:
        """How many of the new histograms each solver took."""
        return dict(self.report["solved_by"])

    @property
    def shape(self) -> tuple[int, int]:
        """Height and width."""
        return self.distances.shape[0], self.distances.shape[1]

    def numpy(self) -> Map:
        """The same with distances on the CPU: itself where they are there already."""
        if isinstance(self.distances, np.ndarray):
            return self
        here = copy.copy(self)
        here.distances = self.distances.numpy()
        return here

    @property
    def best(self) -> tuple[int, int]:
        """x and y of the pixel with the least distance, the first one in reading order."""
        y, x = np.unravel_index(int(np.nanargmin(self.numpy().distances)), self.shape)
        return int(x), int(y)

    def below(self, threshold: float) -> Flags:
        """Where the distance is at most this: the pixels that are detected as target."""
        return self.numpy().distances <= np.float32(number_of(threshold, "threshold"))

    @takes_options(_fovea.emd.regions_options(), rules=())
    def regions(self, **options: Unpack[EmdRegionsOptions]) -> Regions:
        """Where the target is: regions with small distances, the best first.

        In a video the program uses the threshold of the first map for all frames; pass it as ``threshold`` to do so."""
        windows = self.options["signature"] in ("levels", "colors") or options.get("kind") == "boxes"
        keywords = dict(options)
        if keywords.get("threshold") is None and self.options["threshold"] > 0:
            keywords["threshold"] = float(self.options["threshold"])
        box = self.box if self.frame == 0 else None
        return found_regions(self.numpy().distances, box, self._size if windows else (0, 0), keywords, self.command)

    def roc(self, truth: Any) -> Roc:
        """How well the map separates the target; pixels of the target's own box do not count."""
        return roc(self, truth, "low", self._counted())

    def _counted(self) -> Bytes:
        counted: Bytes = (~np.isnan(self.numpy().distances)).astype(np.uint8)
        if self.box is not None and self.frame == 0:
            x, y, width, height = self.box
            counted[y : y + height, x : x + width] = 0
        return counted

    @in_its_colors
    def to_color(self) -> Bytes:
        """The map in colors, bright where the distance is small."""
        return _fovea.emd.map_picture(self.numpy().distances)

    def save(self, path: Path) -> None:
        """Writes .tif, .npy or .pfm."""
        write_image(path_of(path), self.numpy().distances)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        here = self.numpy().distances
        return np.array(here, dtype=dtype) if copy else np.asarray(here, dtype=dtype)

    def __repr__(self) -> str:
        height, width = self.shape
        made = f"{self.options['signature']}, {self.provenance['device']}, {1000 * self._seconds:.0f} ms"
        return f"map of {width}x{height}, least distance {float(np.nanmin(self.numpy().distances)):.4g} at {self.best} ({made})"

    def _repr_png_(self) -> bytes:
        return png_of(self, self.to_color())


class MapExplanation(Explanation):
    """Which mass moves where between a pixel's signature and the target's."""

    distance: float  #: what the map holds, before it is rounded to float32
    status: str  #: optimal, or what kept the solver from it
    solved_by: str
    window: tuple[int, int, int, int]  #: the pixels that were counted
    histogram: Doubles  #: of the pixel
    target: Doubles  #: of the target
    moves: list[tuple[int, int, float, float, float]]  #: from, to, mass, cost and value, the most expensive first
    surplus: float  #: what unequal masses cost; with the values of the moves it adds up to the distance
    cost_from: Doubles  #: what the mass of each bin of the pixel costs
    cost_to: Doubles  #: the same of the target's bins
    bins: list[tuple[str, tuple[int, int, int] | None]]  #: name and color of each bin
    heat: Floats | None  #: what each pixel of the window adds to the distance; None for spectra
    fused: float | None  #: the fused score, where scores are fused
    picture: Bytes  #: both histograms and the moves between them


class Mapper(Face):
    """Maps one image after another. The first one and the target determine levels or spectra for all of them.

    Images and cubes are arrays of shape (height, width) or (height, width, bands), or paths; a folder is a cube of
    bands. With a GPU as device, arrays may lie on it, and their maps stay there. Distances that are known from earlier
    images are looked up. Threads take turns."""

    box: tuple[int, int, int, int] | None  #: the target, where it is a part of the first image

    _keeps = "what it learned from its first image"

    @takes_options(_fovea.emd.map_options())
    def __init__(
        self,
        target: Any,
        ground: Ground | None = None,
        *,
        variable: str = "",
        mask: Any = None,
        **options: Unpack[EmdMapOptions],
    ) -> None:
        """Takes a target: a box (x, y, width, height) of the first image, or an image or cube that shows only it.

        Where spectra are compared, the target may also be a spectrum, an array with one number per band. The ground
        distance is a name (l1, l2, squared, threshold:T, circular, discrete), a file of costs, or costs as an array of
        float64; by default it is threshold:3 for levels and depends on the spectra otherwise. ``variable`` names the
        array to read from .mat files; by default it is the largest. Only pixels where ``mask`` (an array or a file of
        the image's size) is not 0 are mapped, within ``roi`` where it is given; all others get NaN."""
        self._setup(target, ground, variable, dict(options), False)
        if mask is not None:
            self._words += ["--mask", as_path(mask) if is_path(mask) else "MASK"]
            self._face.set_mask(_truth(mask))

    def _setup(self, target: Any, ground: Any, variable: str, keywords: dict[str, Any], keep_spectrum: bool) -> None:
        self.box = None
        example: Any = None
        if isinstance(target, (tuple, list)):
            x, y, width, height = _whole_box(target, "target")
            self.box = (x, y, width, height)
            place = ",".join(str(number) for number in self.box)
        else:
            example = _source(target)
            place = name_of(target, "TARGET")
            if isinstance(unmasked(example, "target"), np.ndarray) and example.ndim == 1:
                example = example.reshape(1, 1, -1)
        costs = as_ground(ground)
        words = ["--target", place]
        if isinstance(costs, str):
            keywords["ground"] = costs
            costs = None
        elif costs is not None:
            words += ["--ground", "GROUND"]
        if text(variable, "variable"):
            words += ["--variable", variable]
        box = None if self.box is None else list(self.box)
        self._begin(_fovea.emd.Mapper(box, example, variable, costs, keep_spectrum, keywords), keywords)
        if costs is not None:
            self._options["ground"] = "given"
        # A ground distance that was given as costs is a file for the program.
        self._words = [*words, *_without_ground(self._words, costs is not None)]
        self._first: str | None = None
        self._frames = 0

    def explain(self, image: Any, x: int, y: int) -> MapExplanation:
        """Which mass moves where between the signature of pixel (x, y) and the target's, and what it costs.

        The first image that is explained or mapped determines levels or spectra for all."""
        found = self._face.explain(_source(image), whole_number(x, "x"), whole_number(y, "y"))
        pixels = image if isinstance(image, np.ndarray) and image.dtype == np.uint8 else None
        drawable = pixels is not None and (pixels.ndim == 2 or pixels.shape[2] in (1, 3))
        return MapExplanation(found, pixels if drawable else None)

    def map(self, image: Any) -> Map:
        """The map of an image or cube.

        ``command`` of a later map names the first image too: the program then writes one map per image."""
        return self._found(image)[0]

    def video(self, source: VideoLike, *, progress: Progress = False) -> Results[Map]:
        """The map of each frame in order. The source is a file, a folder of images, or images and cubes one by one."""
        frames = Frames(source)

        def follow(frame: Any, index: int) -> Map:
            found, _ = self._found(frame)
            if frames.path is not None:
                found.command = command_line("fovea", "emd", "map", frames.path, *self._words, "-o", "MAPS")
            return found

        return one_by_one(frames, follow, progress, Map)

    def _found(self, image: Any) -> tuple[Map, Any]:
        start = time.perf_counter()
        found = self._face.map(_source(image))
        name = as_path(image) if is_path(image) else "IMAGE"
        inputs = [name] if self._first is None else [self._first, name]
        if self._first is None:
            self._first = name if is_path(image) else "FIRST"
        output = "MAP.npy" if len(inputs) == 1 else "MAPS"
        origin = self._origin("emd", "map", *inputs, end=("-o", output), start=start)
        spectrum, size = found.pop("spectrum"), found.pop("size")
        made = Map(**origin, **found, box=self.box, frame=self._frames, _size=size)
        self._frames += 1
        return made, spectrum

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
    image: Any,
    target: Any,
    ground: Ground | None = None,
    *,
    variable: str = "",
    mask: Any = None,
    **options: Unpack[EmdMapOptions],
) -> Map:
    """The map of one image: a Mapper that is used once."""
    return Mapper(target, ground, variable=variable, mask=mask, **options).map(image)


def _truth(truth: Any) -> Any:
    if not is_path(truth):
        return truth
    path = as_path(truth)
    file, mat, variable = path.rpartition(".mat:")
    cube = _fovea.emd.read_cube(file + ".mat" if mat else path, {"variable": variable if mat else ""})
    return np.ascontiguousarray((cube if cube.ndim == 2 else cube[:, :, 0]) != 0)


class Evaluation(Record):
    """How well maps of distances separate a target from its background."""

    positives: int  #: pixels of the target
    negatives: int  #: pixels of the background
    #: areas under the ROC curves of our map (emd), of spectral_angle, of the sum of absolute differences (sad), of
    #: matched_filter and of the adaptive cosine estimator (ace)
    roc_auc: dict[str, float]

    _compared = ("positives", "negatives", "roc_auc")

    def __float__(self) -> float:
        """The area of our distance."""
        return self.roc_auc["emd"]

    def __repr__(self) -> str:
        areas = ", ".join(f"{name} {area:.4f}" for name, area in self.roc_auc.items())
        return f"areas under the ROC: {areas} ({self.positives} pixels of the target, {self.negatives} others)"


@takes_options(_fovea.emd.map_options())
def evaluate(
    target: Any,
    image: Any,
    truth: Any,
    ground: Ground | None = None,
    *,
    variable: str = "",
    **options: Unpack[EmdMapOptions],
) -> Evaluation:
    """Maps an image or cube and compares the map with a truth, whose pixels other than 0 are the target.

    Target and ground are those of a Mapper. The truth is a mask, or the path of an image or cube. Has the areas under
    the ROC curves of our map, of the spectral angle, of the sum of absolute differences, of the matched filter and of
    the adaptive cosine estimator, as ``fovea emd map --truth`` does, and the numbers of pixels. Pixels of the target's box do not count."""
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
        matched, adaptive = _fovea.emd.background_scores(cube, spectrum)
        areas["matched_filter"] = roc(matched, known, "high", counted).area
        areas["ace"] = roc(adaptive, known, "high", counted).area
    inputs = [name_of(image, "IMAGE"), *mapper._words, "--truth", name_of(truth, "TRUTH"), "--json"]
    line = command_line("fovea", "emd", "map", *inputs)
    counts: dict[str, Any] = {"positives": own.positives, "negatives": own.negatives}
    return Evaluation(found.options, found.provenance, line, **counts, roc_auc=areas)
