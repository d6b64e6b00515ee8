"""Training and evaluation with clips."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from .. import _fovea
from .._arguments import OnError, flag, list_of, path_of, shown, skips
from .._frames import name_of
from .._keywords import takes_options
from .._operation import origin_of
from .._options import ActionsEvaluateOptions, ActionsTrainOptions, Unpack
from .._progress import Progress, reporting
from .._records import ActionsMethodFields as _Method
from .._records import ActionsUnknownFields as _Unknown
from .._results import Record, Table, command_line, described, rows_of
from ..errors import FormatError, InvalidArgument, InvalidType
from ..files import Path, as_path, is_path
from ._model import Model
from ._points import Points, _found
from ._video import _Source


def _names(values: Any, name: str, count: int) -> list[str]:
    """One text per clip."""
    texts = [str(value) for value in list_of(values, name, "one text per clip")]
    if len(texts) != count:
        raise InvalidArgument(f"{name} has {len(texts)} elements for {count} clips; expected one each")
    return texts


class _Load(NamedTuple):
    """How clips are read."""

    paper: bool
    cut_first: bool
    skip: bool
    points: bool = True  #: whether their points are needed


def _clips(
    source: Any, labels: Any, subjects: Any, load: _Load, keywords: dict[str, Any], report: Any
) -> tuple[Any, list[str]]:
    """The clips with their points, and why some could not be read."""
    clips = _fovea.actions.Clips()
    if is_path(source):
        if labels is not None or subjects is not None:
            raise InvalidArgument("labels and subjects belong to a list of clips; a folder or list file has its own")
        clips.open(as_path(source))
    else:
        _add(clips, source, labels, subjects, load, keywords)
    return clips, _read(clips, load, keywords, report)


def _read(clips: Any, load: _Load, keywords: dict[str, Any], report: Any) -> list[str]:
    """Finds the points of clips, and returns why some could not be read."""
    failed = list(clips.read(keywords, load.paper, load.cut_first, report)) if load.points else []
    if failed and not load.skip:
        raise FormatError(failed[0])
    for why in failed:
        warnings.warn(f"a clip could not be read and is left out: {why}", RuntimeWarning, stacklevel=5)
    return failed


def _add(clips: Any, source: Any, labels: Any, subjects: Any, load: _Load, keywords: dict[str, Any]) -> None:
    if isinstance(source, (bytes, dict)) or not isinstance(source, Iterable):
        raise InvalidType(f"clips is of type {type(source).__name__}; expected a path, or a list of videos or Points")
    videos = list(source)
    if labels is None:
        raise InvalidArgument("labels is None; expected the name of the action of each clip")
    names = _names(labels, "labels", len(videos))
    people = [f"clip{i}" for i in range(len(videos))] if subjects is None else _names(subjects, "subjects", len(videos))
    classes = sorted(set(names))
    clips.set_classes(classes)
    finder = None
    for video, name, person in zip(videos, names, people):
        label = classes.index(name)
        if isinstance(video, Points):
            clips.add_points(video._values(), label, person)
        elif is_path(video):
            clips.add_file(as_path(video), label, person)
        else:
            finder = finder or _fovea.actions.clip_finder(keywords, load.paper)
            clips.add_points(_found(finder, _Source(video), False), label, person)


@takes_options(_fovea.actions.train_options())
def train(
    clips: Any,
    labels: Sequence[str] | None = None,
    subjects: Sequence[str] | None = None,
    *,
    paper: bool = False,
    cut_first: bool = False,
    on_error: OnError = "raise",
    progress: Progress = False,
    **options: Unpack[ActionsTrainOptions],
) -> Model:
    """Learns actions from short clips that show one action each.

    ``clips`` is a folder that has one folder of videos per action, with files named SUBJECT_anything, a list file with
    lines "file class subject [first-last [scenario]]", or a list of videos, files of points or Points, with the
    ``labels`` of their actions and, where they are known, their ``subjects``; otherwise each clip counts as a subject
    of its own. ``paper`` starts from the paper's options instead of the defaults. ``cut_first`` cuts clips out of their
    videos before points are found. With ``on_error="skip"`` clips that cannot be read are left out with a warning. The
    same clips, options and seed give the same model on any device and with any number of threads."""
    keywords: dict[str, Any] = dict(options)
    load = _Load(flag(paper, "paper"), flag(cut_first, "cut_first"), skips(on_error))
    with reporting(progress) as report:
        loaded, failed = _clips(clips, labels, subjects, load, keywords, report)
        model, _, words = loaded.train(keywords, paper, report)
    name = name_of(clips, "CLIPS")
    flags = [*(["--paper"] if paper else []), *(["--cut-first"] if cut_first else [])]
    command = command_line("fovea", "actions", "train", name, "-o", "MODEL.safetensors", *flags, *words)
    return Model(model, "trained", None, {"command": command, "failed": failed})


@described(_fovea.actions.method_fields())
class Method(Record, _Method):
    """How often one method was right."""

    confusion: np.ndarray[Any, np.dtype[np.int64]]  #: clips by true action and by predicted action

    def _take(self, values: dict[str, Any]) -> None:
        super()._take(values)
        self.confusion = np.array(values["confusion_matrix"], np.int64)

    def __repr__(self) -> str:
        return f"{self.method}: {self.correct} of {self.tested} correct, {100 * self.accuracy:.1f} %"


@described(_fovea.actions.unknown_fields())
class UnknownActions(Record, _Unknown):
    """How well the reject rule keeps known actions and rejects unknown ones: each subject and each action left out."""

    #: shares of known and unknown clips that are kept, a row per limit
    curve: np.ndarray[Any, np.dtype[np.float64]]  # type: ignore[assignment]

    def _take(self, values: dict[str, Any]) -> None:
        super()._take({**values, "curve": np.stack(list(values["curve"].values()), axis=1)})

    def __repr__(self) -> str:
        kept = f"{self.known_kept} of {self.known} known clips kept, {self.unknown_kept} of {self.unknown} unknown ones"
        return f"{kept}, area {self.area:.3f}"


class CurvePoint(NamedTuple):
    """How often matching was right with another window, or with fewer training subjects."""

    at: int  #: the window T, or the number of subjects
    correct: int
    tested: int  #: clips, over all draws
    seconds: float  #: of matching; 0 where it is not measured


class Evaluation(Table):
    """How often actions are classified correctly. As a table it has one row per method; matching comes first."""

    methods: list[Method]  #: matching, matching with fusion, and simpler methods
    recipes: list[Method]  #: each recipe in all folds; the best of them is hindsight
    chosen: list[str]  #: the recipe that each fold chose
    fused_chosen: list[str]  #: the recipe with fusion that each fold chose
    classes: list[str]
    subjects: list[str]
    folds: int
    clips: int
    failed: list[str]  #: clips that could not be read, and why
    unknown: UnknownActions | None  #: how well unknown actions are rejected, where that was measured
    missing: list[str]  #: videos of KTH that are not there, with ``partial``
    window_curve: list[CurvePoint]  #: one point per window in ``windows``
    subject_curve: list[CurvePoint]  #: one point per number of training subjects, with ``draws``

    _measured = ("methods", "recipes", "chosen", "fused_chosen", "folds", "unknown")
    _compared = (*_measured, "classes", "subjects", "clips", "failed", "missing")

    def __init__(self, report: dict[str, Any], loaded: Any, words: list[str], **own: Any) -> None:
        super().__init__(**origin_of(report["options"], words), **own)
        self.methods = [Method({}, {}, "", values) for values in report["methods"]]
        self.recipes = [Method({}, {}, "", values) for values in report["recipes"]]
        self.chosen, self.fused_chosen = list(report["chosen"]), list(report["fused_chosen"])
        self.folds = int(report["folds"])
        self.classes, self.subjects = list(loaded.classes), list(loaded.subjects)
        self.clips = len(loaded)
        self.window_curve = rows_of(CurvePoint, report["window_curve"])
        self.subject_curve = rows_of(CurvePoint, report["subject_curve"])
        self.unknown = None if report["unknown"] is None else UnknownActions({}, {}, "", dict(report["unknown"]))

    @property
    def accuracy(self) -> float:
        """The share of clips that the first method, matching, classified correctly."""
        return self.methods[0].accuracy

    @property
    def confusion(self) -> np.ndarray[Any, np.dtype[np.int64]]:
        """The clips of the first method by true action and by predicted action."""
        return self.methods[0].confusion

    def columns(self) -> dict[str, np.ndarray[Any, Any]]:
        """method, correct, tested, accuracy, low, high and seconds."""
        names = ("method", "correct", "tested", "accuracy", "low", "high", "seconds")
        return {name: np.array([getattr(method, name) for method in self.methods]) for name in names}

    def __repr__(self) -> str:
        return f"{self.methods[0]!r} ({self.clips} clips, {self.folds} folds)"


@takes_options(_fovea.actions.evaluate_options())
def cross_validate(
    clips: Any,
    labels: Sequence[str] | None = None,
    subjects: Sequence[str] | None = None,
    *,
    test_subjects: Sequence[str] | None = None,
    validation_subjects: Sequence[str] | None = None,
    kth: Path | None = None,
    partial: bool = False,
    choose: bool = True,
    unknown: bool = False,
    paper: bool = False,
    cut_first: bool = False,
    on_error: OnError = "raise",
    progress: Progress = False,
    **options: Unpack[ActionsEvaluateOptions],
) -> Evaluation:
    """Measures how well training works, as ``fovea actions eval`` does: trains with some subjects, tests with others.

    ``clips``, ``labels`` and ``subjects`` are those of train(). Each subject is left out in turn, or with
    ``test_subjects`` these are tested, and prototypes and recipes chosen by ``validation_subjects`` or by some of the
    others. With ``kth``, the sequence file of the KTH set, ``clips`` is its folder and its own split is tested;
    ``partial`` leaves out clips whose video is missing. With ``choose`` each fold chooses features and scores from a
    fixed pool; without it, or with ``paper``, those of the options are used. ``unknown`` also measures how well unknown
    actions are rejected; ``windows`` and ``draws`` give curves over the window and over the number of training
    subjects. Simpler methods are measured in the same run."""
    keywords: dict[str, Any] = dict(options)
    ours = {name: value for name, value in keywords.items() if name not in ("baselines", "windows", "draws")}
    split = {"test_subjects": test_subjects, "validation_subjects": validation_subjects}
    named = {
        name: [] if given is None else [str(one) for one in list_of(given, name, "a list of subjects")]
        for name, given in split.items()
    }
    load = _Load(flag(paper, "paper"), flag(cut_first, "cut_first"), skips(on_error))
    plan = {"paper": load.paper, "choose": flag(choose, "choose"), "unknown": flag(unknown, "unknown"), **named}
    if flag(partial, "partial") and kth is None:
        raise InvalidArgument("partial belongs to kth: it accepts a part of that set")
    with reporting(progress) as report:
        missing: list[str] = []
        if kth is None:
            loaded, failed = _clips(clips, labels, subjects, load, ours, report)
        else:
            beside = (labels, subjects, *split.values())
            loaded, missing = _kth(clips, kth, partial, any(given is not None for given in beside))
            failed = _read(loaded, load, ours, report)
        found = loaded.evaluate(keywords, plan, report)
    words = ["actions", "eval", name_of(clips, "CLIPS"), *found["words"]]
    if kth is not None:
        words += ["--kth", as_path(kth), *(["--partial"] if partial else [])]
    for name, option in (("test_subjects", "--test-subjects"), ("validation_subjects", "--validation-subjects")):
        words += [option, ",".join(named[name])] if named[name] else []
    words += ["--paper"] if paper else [] if choose else ["--no-choose"]
    words += ["--unknown"] if unknown else []
    words += ["--cut-first", "--json"] if cut_first else ["--json"]
    return Evaluation(dict(found), loaded, words, failed=failed, missing=missing)


def _kth(folder: Any, sequences: Any, partial: bool, other: bool) -> tuple[Any, list[str]]:
    """The clips of the KTH set, and the videos that are missing."""
    if not is_path(folder):
        raise InvalidType(f"clips is {shown(folder)}; with kth, expected the folder that has one folder per action")
    if other:
        raise InvalidArgument("kth has labels, subjects and a split of its own; give none beside it")
    loaded = _fovea.actions.Clips()
    return loaded, list(loaded.open_kth(path_of(sequences, "kth"), as_path(folder), partial))
