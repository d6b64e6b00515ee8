"""Evaluation of models: on clips whose action is known, and in continuous video."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from .. import _fovea
from .._arguments import OnError, flag, list_of, model_of, shown, skips
from .._explanation import _rows as each_row
from .._frames import name_of
from .._keywords import takes_options
from .._operation import origin_of
from .._options import ActionsClassifyOptions, ActionsStreamOptions, Unpack
from .._progress import Progress, check_progress, reporting
from .._results import Table, row_of
from ..errors import InvalidArgument, InvalidType
from ..files import Path, as_path, is_path
from ._classify import Classifier, ClipClass
from ._model import Model, load_model
from ._train import _clips, _Load, _names


class ClipEvaluation(Table):
    """How many clips a model classifies as their labels say. As a table it has one row per clip."""

    results: list[ClipClass]  #: one per clip that could be read
    truth: list[str]  #: the action of each
    classes: list[str]  #: the actions of the model
    correct: int
    tested: int
    rejected: int  #: clips that are none of the actions
    accuracy: float
    low: float  #: Wilson's 95 % interval of the accuracy
    high: float

    _compared = ("results", "truth", "classes", "correct", "tested", "rejected")

    def __init__(self, results: list[ClipClass], truth: list[str], classifier: Classifier, words: list[str]) -> None:
        end = (*classifier.model._words, *classifier._words, "--json")
        super().__init__(**origin_of(classifier.options, (*words, *end), **classifier.model._provenance))
        self.results, self.truth, self.classes = results, truth, classifier.classes
        self.tested = len(results)
        self.correct = sum(found.name == right for found, right in zip(results, truth))
        self.rejected = sum(found.label < 0 for found in results)
        self.accuracy = self.correct / self.tested if self.tested else 0.0
        self.low, self.high = _fovea.ops.wilson_interval(self.correct, self.tested)

    @property
    def confusion(self) -> np.ndarray[Any, np.dtype[np.int64]]:
        """The clips by their action, in alphabetical order, and by predicted action; the last column is ``none``."""
        rows, columns = sorted(set(self.truth)), [*self.classes, "none"]
        counts = np.zeros((len(rows), len(columns)), np.int64)
        for found, right in zip(self.results, self.truth):
            counts[rows.index(right), columns.index(found.name)] += 1
        return counts

    def columns(self) -> dict[str, np.ndarray[Any, Any]]:
        """file, first, class, truth, nearest, runner_up, score, distance and margin."""
        columns = {
            "file": np.array([found.file or "" for found in self.results], dtype=str),
            "first": np.array([found.first for found in self.results], dtype=np.int64),
            "class": np.array([found.name for found in self.results], dtype=str),
            "truth": np.array(self.truth, dtype=str),
        }
        for name in ("nearest", "runner_up"):
            columns[name] = np.array([getattr(found, name) for found in self.results], dtype=str)
        for name in ("score", "distance", "margin"):
            columns[name] = np.array([getattr(found, name) for found in self.results], dtype=np.float64)
        return columns

    def __repr__(self) -> str:
        return f"{self.correct} of {self.tested} correct, {100 * self.accuracy:.1f} %, {self.rejected} rejected"


@takes_options(_fovea.actions.classify_options())
def evaluate(
    model: Path | Model,
    clips: Any,
    labels: Sequence[str] | None = None,
    *,
    on_error: OnError = "raise",
    progress: Progress = False,
    **options: Unpack[ActionsClassifyOptions],
) -> ClipEvaluation:
    """Classifies clips whose actions are known, and counts those that are classified as it says.

    ``clips`` is a folder or list file as train() takes it, or a list of videos, files of points or Points with their
    ``labels``. The model must not have been trained on these people: cross_validate() takes care of that."""
    skip = skips(on_error)
    check_progress(progress)
    classifier = Classifier(model, **options)
    if is_path(clips):
        if labels is not None:
            raise InvalidArgument("labels belongs to a list of clips; a folder or list file has its own")
        listed = _fovea.actions.Clips()
        listed.open(as_path(clips))
        inputs = [(path, (first, frames)) for path, _, _, _, first, frames in listed.clips]
        truth = [listed.classes[label] for _, label, *_ in listed.clips]
    else:
        if isinstance(clips, (bytes, dict)) or not isinstance(clips, Iterable):
            raise InvalidType(f"clips is {shown(clips)}; expected a path, or a list of videos or Points")
        inputs = [(clip, (0, 0)) for clip in clips]
        if labels is None:
            raise InvalidArgument("labels is None; expected the name of the action of each clip")
        truth = _names(labels, "labels", len(inputs))
    results, kept = [], []
    for right, found in zip(truth, _one_each(classifier, inputs, progress, skip)):
        if found is not None:
            results.append(found)
            kept.append(right)
    words = ["actions", "classify", "--clips", name_of(clips, "CLIPS")]
    return ClipEvaluation(results, kept, classifier, words)


def _one_each(classifier: Classifier, inputs: list[Any], progress: Progress, skip: bool) -> Iterable[ClipClass | None]:
    """One result per clip, or None for one that cannot be read and is skipped."""
    if not skip:
        yield from classifier._each(inputs, progress, "raise")
        return
    with reporting(progress) as report:
        for done, clip in enumerate(inputs, 1):
            yield next(classifier._each([clip], False, "warn"), None)
            if report:
                report("clips", done, len(inputs))


class EventCounts(NamedTuple):
    """How many events are right."""

    true_events: int  #: actions that took place
    events: int  #: actions that were reported
    correct: int
    precision: float
    recall: float
    f1: float
    mean_delay_frames: float  #: from the end of an action to its report


class StreamPoint(NamedTuple):
    """The events at one factor of the reject levels, counted with one overlap."""

    reject: float
    overlap: float  #: the share of frames in common at which an event is right
    matches: int  #: before events that follow each other are joined
    counts: EventCounts
    classes: dict[str, EventCounts]  #: by action


class StreamEvaluation(Table):
    """How well actions are recognized in continuous video. As a table it has one row per point of the curve."""

    points: list[StreamPoint]  #: by factor of the reject levels, and by overlap
    classes: list[str]
    frames: int
    action_frames: int  #: frames of clips; the others show unrelated motion
    recognize_seconds: float  #: for points and matching
    failed: list[str]  #: clips that could not be read, and why

    _compared = ("points", "classes", "frames", "action_frames", "failed")

    def __init__(self, report: dict[str, Any], **origin: Any) -> None:
        super().__init__(**origin)
        curve = report["points"]
        self.points = [
            StreamPoint(
                float(reject), one["overlap"], int(matches), row_of(EventCounts, one),
                {counts["name"]: row_of(EventCounts, counts) for counts in each_row(one["classes"])},
            )
            for reject, matches, overlaps in zip(curve["reject"], curve["matches"], curve["overlaps"])
            for one in each_row(overlaps)
        ]  # fmt: skip
        self.classes, self.frames = list(report["classes"]), int(report["frames"])
        self.action_frames, self.recognize_seconds = int(report["action_frames"]), float(report["recognize_seconds"])

    def columns(self) -> dict[str, np.ndarray[Any, Any]]:
        """reject, overlap, matches, true_events, events, correct, precision, recall, f1 and mean_delay_frames."""
        columns: dict[str, np.ndarray[Any, Any]] = {
            name: np.array([getattr(point, name) for point in self.points]) for name in ("reject", "overlap", "matches")
        }
        columns.update({name: np.array([getattr(point.counts, name) for point in self.points]) for name in EventCounts._fields})
        return columns

    def __repr__(self) -> str:
        best = max(self.points, key=lambda point: point.counts.f1)
        return f"F1 {best.counts.f1:.3f} at reject {best.reject:g} and overlap {best.overlap:g}, {self.frames} frames"


def _texts(values: Any, name: str) -> list[str]:
    return [] if values is None else [str(value) for value in list_of(values, name, "a list of names")]


@takes_options(_fovea.actions.stream_options())
def evaluate_stream(
    clips: Any,
    labels: Sequence[str] | None = None,
    subjects: Sequence[str] | None = None,
    *,
    model: Path | Model | None = None,
    test_subjects: Sequence[str] | None = None,
    unknown: Sequence[str] | None = None,
    cut_first: bool = False,
    on_error: OnError = "raise",
    progress: Progress = False,
    **options: Unpack[ActionsStreamOptions],
) -> StreamEvaluation:
    """Measures recognition in continuous video, as ``fovea actions eval-stream`` does.

    The clips of each subject, which must be video files, are joined in random order with unrelated motion between them;
    ``people=2`` shows two side by side. Each subject is left out in turn and a model trained on the others, or the
    given ``model`` is measured, with ``test_subjects`` only on these. Clips of ``unknown`` actions are unrelated
    motion."""
    keywords: dict[str, Any] = dict(options)
    skip, cut = skips(on_error), flag(cut_first, "cut_first")
    plan = {"unknown": _texts(unknown, "unknown"), "subjects": _texts(test_subjects, "test_subjects")}
    given = None if model is None else model_of(model, Model, load_model)
    if plan["subjects"] and given is None:
        raise InvalidArgument("test_subjects needs a model; without one each subject is tested")
    known = {entry["name"] for entry in _fovea.actions.train_options()}
    ours = {name: value for name, value in keywords.items() if name in known}
    with reporting(progress) as report:
        load = _Load(False, cut, skip, points=given is None)
        loaded, failed = _clips(clips, labels, subjects, load, ours, report)
        found = dict(loaded.evaluate_streams(given and given._model, keywords, plan, report))
    words = ["actions", "eval-stream", name_of(clips, "CLIPS"), *found["words"], *(given._words if given else [])]
    for name, option in (("unknown", "--unknown"), ("subjects", "--subjects")):
        words += [option, ",".join(plan[name])] if plan[name] else []
    words += ["--cut-first"] if cut else []
    made = origin_of(found["options"], (*words, "--json"), **(given._provenance if given else {}))
    return StreamEvaluation(found, **made, failed=failed)
