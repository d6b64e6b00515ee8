"""What the faces of all systems share: an object of the extension module with its options, and the origin of results; and
what those share whose verb is an operation of the program."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from . import _fovea
from ._arguments import OnError
from ._batch import Results
from ._frames import Frames, SideBySide
from ._progress import Progress
from ._results import Closed, command_line
from ._rules import Rules, call, obey
from ._saved import Saved, models_json
from .errors import InvalidType

_Result = TypeVar("_Result")
_Kind = TypeVar("_Kind", bound=Saved)


def origin_of(
    options: Mapping[str, Any], words: Iterable[object], start: float | None = None, **provenance: Any
) -> dict[str, Any]:
    """What every result records of its call: the options, device and seed, and the words of the program's command.

    ``start`` is when the call began, by ``time.perf_counter()``."""
    origin: dict[str, Any] = {
        "options": dict(options),
        "provenance": {"device": options.get("device", "cpu"), "seed": options.get("seed"), **provenance},
        "command": command_line("fovea", *words),
    }
    if start is not None:
        origin["_seconds"] = time.perf_counter() - start
    return origin


class Face(Closed):
    """An object of the extension module. Threads take turns, and several objects run side by side."""

    _face: Any  #: the object
    _options: dict[str, Any]  #: all of its options
    _words: list[str]  #: those that are not the default, as words of the program's command
    _arguments: tuple[Any, ...]  #: what makes another such object, together with the keywords
    _keywords: dict[str, Any]
    _by_model: Mapping[str, Any] = {}  #: those that were not given and that the model decides
    _rules: Rules | None = None  #: how it reads arrays and returns pictures, where that is not as in the program

    def _begin(self, face: Any, keywords: Mapping[str, Any], *arguments: Any) -> None:
        self._face, self._arguments, self._keywords = face, arguments, dict(keywords)
        self._options, self._words = dict(face.options), list(face.words)
        rules = _fovea.own_array_rules()
        if rules is not None:
            obey(self, rules)

    @property
    def options(self) -> dict[str, Any]:
        """Every option with its value."""
        return {**self._options, **self._by_model}

    def _origin(
        self, *words: object, end: tuple[str, ...] = (), start: float | None = None, **provenance: Any
    ) -> dict[str, Any]:
        """The origin of a result. The options stand between ``words``, the verb with its inputs, and ``end``."""
        origin = origin_of(self.options, (*words, *self._words, *end), start, **provenance)
        if self._by_model:
            origin["_by_model"] = tuple(self._by_model)
        if self._rules is not None:
            origin["_rules"] = self._rules
        return origin

    def _another(self, threads: int) -> Any:
        """An object as this one has, which works beside it."""
        raise NotImplementedError

    def _side_by_side(self, stage: str, count: int | None, progress: Progress, on_error: OnError = "raise") -> SideBySide:
        """As many objects as suit so many inputs."""
        device, wanted = self._options.get("device", "cpu"), self._options.get("threads", 0)
        number, threads = _fovea.files.plan_workers(device, wanted, count or 0)
        return SideBySide([self._another(threads) for _ in range(number)], stage, count, progress, on_error)

    #: What an object knows that its arguments do not say, so that it cannot be pickled.
    _keeps = ""

    def __reduce__(self) -> tuple[Any, ...]:
        if self._keeps:
            raise InvalidType(f"a {type(self).__name__} cannot be pickled, because it keeps {self._keeps}")
        return _made_again, (type(self), self._arguments, self._keywords, self._rules)


def _made_again(kind: type[Face], arguments: tuple[Any, ...], keywords: dict[str, Any], rules: Rules | None) -> Face:
    return call(rules, kind, *arguments, **keywords)


class Operated(Face):
    """A face whose verb is an operation of the program: options, inputs and results are those that the operation has."""

    #: Its name, such as "people detect".
    _operation = ""
    #: The models and files that its options name.
    _sources: dict[str, Any]
    #: The files that it writes, and options of these.
    _files: tuple[dict[str, str], dict[str, Any]] = ({}, {})
    #: The model by its name, and its hash, as results record them.
    _model_provenance: dict[str, Any] = {}

    #: Keywords of the operation.
    _given: dict[str, Any]

    def _begin_operation(self, given: Mapping[str, Any], sources: Mapping[str, Any], *arguments: Any, **keywords: Any) -> None:
        """Begins with keywords of the operation, and models and files in place of those that it names. Arguments and
        keywords make another such object."""
        self._given, self._sources = dict(given), dict(sources)
        self._begin(self._made(), keywords, *arguments)

    def _made(self, **others: Any) -> Any:
        keywords, caller = {**self._given, **others}, type(self).__name__
        files = (*self._files, models_json(self._model_provenance))
        return _fovea.operations.Operation(self._operation, keywords, self._sources, files, caller)

    def _another(self, threads: int) -> Any:
        return self._made(threads=threads) if "threads" in self._options else self._made()

    def _run(
        self,
        kind: type[_Kind],
        value: Any,
        words: Sequence[object],
        *,
        face: Any = None,
        given: Mapping[str, Any] | None = None,
        end: tuple[str, ...] = ("--json",),
        **own: Any,
    ) -> _Kind:
        """The result for one input, whose name and options begin ``words``. Attributes of it are in ``own``."""
        start = time.perf_counter()
        face, name = face or self._face, str(words[0])
        values, images, made = face.run(name, value, dict(given or {}), kind._keeps, own.get("frame") or 0)
        origin = self._origin(*self._operation.split(), *words, end=end, start=start, **self._model_provenance)
        if made is not None:
            own.update(images=images, _made=(face, made))
        return kind(**origin, values=values, _name=name, **own)

    def _each_frame(
        self,
        frames: Frames,
        work: Callable[[Any, Any, int], _Result],
        progress: Progress,
        kind: type[_Result] | None = None,
    ) -> Results[_Result]:
        """``work(face, frame, number)``, of this class, of each frame, in several threads. All work on the newest frame of a live source,
        which is done soonest so."""
        every = self._side_by_side("frames", 1 if frames.newest else frames.count, progress)
        every.count, every.ahead = frames.count, 0 if frames.newest else None
        if frames.path and os.path.isdir(frames.path):
            every.hint = ". Frames of a video have one size; for single photos call detect_all() or its like"
        return every.results(frames, work, kind)
