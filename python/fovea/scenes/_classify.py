"""Classification of images, their words, and the reasons."""

from __future__ import annotations

import html
import time
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from .. import _fovea
from .._arguments import OnError, model_of, shown
from .._batch import Results, inputs_of
from .._explanation import Box
from .._explanation import Explanation as Why
from .._frames import name_of, rgb
from .._keywords import takes_options
from .._notebook import OnImage, png_of
from .._operation import Face
from .._options import ScenesClassifyOptions, Unpack
from .._progress import Progress
from .._records import ScenesClassifyFields as _Scene
from .._results import Result, Table, described
from .._rules import in_its_colors
from ..errors import InvalidArgument
from ..files import Path, as_path, handed_out, is_path
from ._input import Bytes, Floats, _pixels
from ._model import Model, load_model


@described(_fovea.scenes.classify_fields())
class Scene(Table, _Scene):
    """Which kind of place an image shows. It is a table of the classes and their scores."""

    #: the score of each class; they add up to 1 unless the model is not calibrated
    scores: dict[str, float]  # type: ignore[assignment]
    file: str | None  #: the image, where it is a file

    _numbers: Floats  #: the scores in the model's order
    _classifier: Classifier | None = None
    _image: Any = None

    def explain(self, name: str | None = None) -> Explanation:
        """The words that spoke for this class, or for another one."""
        if self._classifier is None:
            raise InvalidArgument("this result came without its image; call explain(image) of a Classifier")
        image = self._image if self.file is None else self.file
        return self._classifier.explain(image, self.name if name is None else name)

    def why(self, name: str | None = None, against: str | None = None) -> SceneExplanation:
        """Which words and places spoke for this class, or another one, and against the runner-up, or another one."""
        if self._classifier is None:
            raise InvalidArgument("this result came without its image; call why(image) of a Classifier")
        return self._classifier.why(self._image if self.file is None else self.file, name, against)

    def columns(self) -> dict[str, np.ndarray[Any, Any]]:
        """The classes in the model's order, and their scores."""
        return {"class": np.array(list(self.scores), dtype=str), "score": self._numbers}

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        """The scores in the model's order."""
        return np.array(self._numbers, dtype=dtype or np.float32)

    def __getstate__(self) -> dict[str, Any]:
        # Neither the image nor the classifier is part of the result.
        return {**self.__dict__, "_image": None, "_classifier": None}

    def __repr__(self) -> str:
        made = f"{self.provenance['model']}, {self.provenance['device']}, {1000 * self._seconds:.0f} ms"
        return f"{self.name}, score {self.score:.2f} ({made})"

    def _repr_html_(self) -> str:
        best = sorted(self.scores.items(), key=lambda item: -item[1])
        rows = "".join(
            f"<tr><td>{html.escape(name)}</td><td>{score:.3f}</td><td><div style='background:#4878a8;height:0.8em;"
            f"width:{max(0.0, min(1.0, score)) * 12:.2f}em'></div></td></tr>"
            for name, score in best
        )
        return f"<table><tr><th>class</th><th>score</th><th></th></tr>{rows}</table>"


class Words(Result):
    """The number of the visual word of every place of an image, as an array of uint16."""

    numbers: np.ndarray[Any, np.dtype[np.uint16]]  #: of shape (rows, columns); with filters every pixel is a place

    _compared = ("numbers",)

    _model: Model

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.numbers.shape[0], self.numbers.shape[1]

    @in_its_colors
    def to_color(self) -> Bytes:
        """Every place in the color of its word; words that are alike have similar colors."""
        return self._model._model.paint(self.numbers)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        return np.array(self.numbers, dtype=dtype)

    def __repr__(self) -> str:
        rows, columns = self.shape
        distinct = len(np.unique(self.numbers))
        return f"words of {columns}x{rows} places, {distinct} distinct ones ({self.provenance['model']})"

    def _repr_png_(self) -> bytes:
        return png_of(self, self.to_color())


class Reason(NamedTuple):
    """What one word of one part of the image says about a class."""

    word: int  #: number of the word
    level: int  #: level of the spatial pyramid: 0 is the whole image
    row: int  #: of the cell at that level
    column: int
    share: float  #: the feature: how often the word occurs there
    contribution: float  #: what it adds to the evidence for the class


class Explanation(OnImage, Table):
    """Which words spoke for a class, the strongest first.

    With support vector machines and logistic regression the contributions and the bias add up to the value of the
    class's linear function. With nearest neighbors they add up to the similarity with the neighbors of that class,
    divided by the number of neighbors."""

    name: str  #: the class
    bias: float  #: what the class has before any word speaks
    evidence: float  #: sum of the contributions
    heat: np.ndarray[Any, np.dtype[np.float64]]  #: what every place (see Words) adds to the evidence
    words: np.ndarray[Any, np.dtype[np.int64]]  #: one number per row
    contributions: Floats  #: one number per row

    _compared = ("name", "bias", "words", "contributions", "heat")

    def __init__(self, rows: dict[str, Any], grid: dict[str, Any], **origin: Any) -> None:
        super().__init__(**origin)
        self.words, self.contributions = rows["word"], rows["contribution"]
        self.evidence = float(np.sum(self.contributions, dtype=np.float64))
        self._columns, self._grid = rows, grid

    def __len__(self) -> int:
        return len(self.words)

    def __getitem__(self, index: int) -> Reason:
        return Reason(*(self._columns[name][index].item() for name in Reason._fields))

    def __iter__(self) -> Iterator[Reason]:
        return (self[i] for i in range(len(self)))

    def columns(self) -> dict[str, np.ndarray[Any, Any]]:
        """word, level, row, column, share and contribution."""
        return dict(self._columns)

    @in_its_colors
    def draw(self, image: Any = None) -> Bytes:
        """The image in gray; places that speak for the class are red, places that speak against it blue."""
        gray = rgb(self._image if image is None else image, "the image that was explained").mean(axis=2)
        step, left, top = self._grid["step"], self._grid["left"], self._grid["top"]
        rows = np.clip((np.arange(gray.shape[0]) - top + step // 2) // step, 0, self.heat.shape[0] - 1)
        columns = np.clip((np.arange(gray.shape[1]) - left + step // 2) // step, 0, self.heat.shape[1] - 1)
        strongest = np.quantile(abs(self.heat), 0.98) or 1.0
        heat = np.clip(self.heat[np.ix_(rows, columns)] / strongest, -1, 1)
        color = np.where(heat[..., None] > 0, (214.0, 48.0, 39.0), (49.0, 96.0, 181.0))
        strength = 0.75 * abs(heat)[..., None]
        return handed_out(((1 - strength) * gray[..., None] + strength * color).astype(np.uint8))

    def __repr__(self) -> str:
        best = f", most by word {self.words[0]} ({self.contributions[0]:+.3f})" if len(self) else ""
        return f"{self.name}: evidence {self.evidence:+.3f}, bias {self.bias:+.3f}{best}"


class SceneExplanation(Why):
    """Why an image counts as one kind of place rather than another.

    ``bias`` and the contributions of all words, of all cells or of all pixels add up to ``total``."""

    first: str  #: the class that is explained
    second: str  #: the class that it is compared with
    evidence: str  #: what ``total`` is the difference of: log-odds, margin, logits or votes
    bias: float  #: what does not depend on the image
    scores: Floats  #: of all classes, as ``classify()`` gives them
    words: np.ndarray[Any, np.dtype[np.int32]]  #: numbers of all words, dictionary after dictionary
    dictionaries: np.ndarray[Any, np.dtype[np.int32]]  #: one per word: 1 for color words beside others, otherwise 0
    contributions: np.ndarray[Any, np.dtype[np.float64]]  #: one per word
    places: np.ndarray[Any, np.dtype[np.float64]]  #: one per word: which share of the image's places has it
    boxes: np.ndarray[Any, np.dtype[np.float64]]  #: (words, 4), pixels: the square with most of it, for words that add most; otherwise 0
    cells: list[tuple[int, int, int, Box, float]]  #: level, row, column, box and value of the pyramid's cells
    heat: Floats  #: one number per pixel


class Classifier(Face):
    """Finds which kind of place images show. Threads take turns; several classifiers run side by side."""

    model: Model  #: what it classifies with

    @takes_options(_fovea.scenes.classify_options())
    def __init__(self, model: Path | Model = "sun8", **options: Unpack[ScenesClassifyOptions]) -> None:
        """Takes the name of a shipped model, a model file or a Model."""
        self.model = model_of(model, Model, load_model)
        self._begin(_fovea.scenes.Classifier(self.model._model, dict(options)), options, self.model)
        self._classes = self.model.classes

    @property
    def classes(self) -> list[str]:
        """The names of the places, by label."""
        return list(self._classes)

    def classify(self, image: Any) -> Scene:
        """Classifies an image: an array of uint8, gray, RGB or RGBA, an image of PIL, or a path."""
        return self._classified(self._face, image)

    def classify_all(
        self, images: Path | Iterable[Any], *, progress: Progress = False, on_error: OnError = "raise"
    ) -> Results[Scene]:
        """Classifies many images, in their order: arrays, paths, or a folder. Several threads read and classify them.

        An image that cannot be read raises its error; ``on_error="skip"`` leaves it out and lists it in ``failed`` of the
        results, and ``on_error="warn"`` warns as well. ``to_pandas()`` of the results has one row per image."""
        listed, count = inputs_of(images)
        every = self._side_by_side("images", count, progress, on_error)
        return every.results(listed, lambda worker, image, index: self._classified(worker, image), Scene)

    def _another(self, threads: int) -> Any:
        return _fovea.scenes.Classifier(self.model._model, {**self._keywords, "threads": threads})

    def features(self, image: Any) -> Floats:
        """How often each word occurs in an image: the histogram that is classified."""
        return self._face.features(_pixels(image))

    def words(self, image: Any) -> Words:
        """The word of every place of an image."""
        origin = self._made("words", name_of(image, "IMAGE"), "--numbers", "WORDS.npy")
        return Words(**origin, numbers=self._face.word_map(_pixels(image)), _model=self.model)

    def explain(self, image: Any, name: str | None = None) -> Explanation:
        """The words that speak for a class: for the one that the image is classified as, unless another is named."""
        pixels = _pixels(image)
        if name is None:
            label = self._face.classify(pixels)["label"]
        else:
            label = self._label(name)
        if self.model.coding != "hard" or self.model.color_words is not None:
            raise InvalidArgument(
                f"{self.model.name} has {self.model.coding} coding or words of color beside others; "
                "explain() needs a model that counts one kind of words; why() takes any model"
            )
        features = self._face.features(pixels)
        given: Floats = self._face.contributions(features)[label]
        shape = np.shape(pixels)
        grid = self.model._model.grid(shape[1], shape[0])
        number = len(features) // (1, 5, 21)[self.model.pyramid]
        heat = _heat(self._face.word_map(pixels), features, given, (shape[1], shape[0], number), grid)
        order = np.argsort(-given, kind="stable")
        order = order[features[order] > 0]
        rows = {**_cells(order, number), "share": features[order], "contribution": given[order]}
        own = {"name": self._classes[label], "bias": float(self.model._model.bias[label]), "heat": heat}
        made = self._made("classify", name_of(image, "IMAGE"), "--json")
        return Explanation(rows, grid, **made, **own, _image=pixels)

    def why(self, image: Any, name: str | None = None, against: str | None = None) -> SceneExplanation:
        """Which words and places of an image spoke for a class and against another one, for every kind of model.

        The class is the one that the image is classified as, and the other one the runner-up, unless they are named."""
        pixels = _pixels(image)
        first, second = (-1 if one is None else self._label(one) for one in (name, against))
        return SceneExplanation(self._face.why(pixels, first, second), pixels)

    def _label(self, name: Any) -> int:
        if isinstance(name, str) and name in self._classes:
            return self._classes.index(name)
        raise InvalidArgument(f"{shown(name)} is no class of {self.model.name}; it has {', '.join(self._classes)}")

    def _classified(self, classifier: Any, image: Any) -> Scene:
        start = time.perf_counter()
        pixels = _pixels(image)
        found = classifier.classify(pixels)
        numbers: Floats = found["scores"]
        values = {**found, "scores": dict(zip(self._classes, numbers.tolist()))}
        file = as_path(image) if is_path(image) else None
        made = self._made("classify", name_of(image, "IMAGE"), "--json", start=start)
        own: dict[str, Any] = {"file": file, "_image": None if file else pixels, "_classifier": self}
        return Scene(**made, values=values, _numbers=numbers, **own)

    def _made(self, verb: str, source: str, *end: str, start: float | None = None) -> dict[str, Any]:
        """The origin of what a verb of the program gives for one image or several."""
        words = ("scenes", verb, source, "--model", self.model.name)
        return self._origin(*words, end=end, start=start, **self.model._provenance)

    def __repr__(self) -> str:
        return f"Classifier({self.model.name!r}, device {self._options['device']!r})"


@takes_options(_fovea.scenes.classify_options())
def classify(image: Any, model: Path | Model = "sun8", **options: Unpack[ScenesClassifyOptions]) -> Scene:
    """Classifies one image. To classify several, make a Classifier, which reads the model once.

    >>> fovea.scenes.classify(np.full((64, 64), 128, np.uint8)).name
    'desert'"""
    return Classifier(model, **options).classify(image)


def _cells(bins: np.ndarray[Any, Any], words: int) -> dict[str, np.ndarray[Any, Any]]:
    """The word of each bin, and its cell of the spatial pyramid."""
    cell = bins // words
    level = np.where(cell == 0, 0, np.where(cell < 5, 1, 2))
    inside = cell - np.array([0, 1, 5])[level]
    side = 1 << level
    return {"word": bins % words, "level": level, "row": inside // side, "column": inside % side}


def _heat(
    words: Any, features: Floats, given: Floats, sizes: tuple[int, int, int], grid: dict[str, Any]
) -> np.ndarray[Any, np.dtype[np.float64]]:
    """What each place adds: the contributions of its bins, each divided by the places that share the bin."""
    width, height, number = sizes
    levels = {1: 0, 5: 1, 21: 2}[len(features) // number]
    heat = np.zeros(words.shape, np.float64)
    columns = grid["left"] + grid["step"] * np.arange(words.shape[1])
    rows = grid["top"] + grid["step"] * np.arange(words.shape[0])
    start = 0
    for level in range(levels + 1):
        weight = 0.5 ** (levels if level == 0 else levels - level + 1)
        cells = ((rows << level) // height)[:, None] * (1 << level) + ((columns << level) // width)[None, :]
        bins = (start + cells) * number + words
        places = np.rint(features[bins].astype(np.float64) / weight * grid["places"])
        heat += given[bins] / places
        start += 4**level
    return heat
