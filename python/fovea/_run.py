"""Any operation of the program by its name. The types of its keywords and of its result stand in the stub beside this file,
which is written from the library's own description of its operations."""

from __future__ import annotations

import functools
import importlib
import re
from collections.abc import Iterable
from keyword import iskeyword
from typing import Any

from . import _fovea
from ._arguments import OnError, did_you_mean, path_of, refuse_several, text
from ._batch import Results, inputs_of
from ._frames import Frames, SideBySide, VideoLike, decoded, name_of
from ._model import StoredModel
from ._operation import Operated
from ._progress import Progress
from ._rules import KEYWORDS, call, taken_from
from ._saved import KINDS, OperationResult, Saved, of_operation
from .errors import InvalidArgument, InvalidType
from .files import Path, as_path, file_hash, is_path, model_path

_described = functools.lru_cache(maxsize=None)(_fovea.operations.described)


def operations() -> list[str]:
    """The names of all operations, such as ``people detect``."""
    return list(_fovea.operations.names())


def _class_name(operation: str) -> str:
    return "".join(word.capitalize() for word in re.split("[ -]", operation))


def kind_of(operation: str) -> type[Saved]:
    """The class of the results of an operation."""
    _described(operation)  # which refuses a name that no operation has
    importlib.import_module(f"fovea.{operation.split()[0]}")
    if operation not in KINDS:
        name = _class_name(operation)
        made = type(name, (OperationResult,), {"__module__": __name__, "__doc__": _described(operation)["text"]})
        of_operation(operation)(made)
    return KINDS[operation]


@functools.lru_cache(maxsize=None)
def keywords_of(operation: str) -> list[str]:
    """The keywords of an operation: its options and their parts, the models and files that it reads, and those that it
    writes."""
    tables = ("options", "sources", "file_options", "outputs")
    entries = [each for table in tables for each in _described(operation)[table]]
    names = [each["name"].replace("-", "_") for each in entries] + [each.get("part", "") for each in entries]
    return list(dict.fromkeys(filter(None, names)))


def __getattr__(name: str) -> Any:  # classes of results, for pickles
    for operation in operations():
        if _class_name(operation) == name:
            return kind_of(operation)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


class Operation(Operated):
    """An operation of the program with its options, for one input after another. Threads take turns."""

    def __init__(self, operation: str, **options: Any) -> None:
        """Takes the operation's name and, as keywords, its options, models and files to read.

        Names of outputs are keywords too: such a file is written by each run. ``from_`` is the option ``from``."""
        self._operation = text(operation, "operation", "the name of an operation")
        self._kind, known = kind_of(operation), keywords_of(operation)
        options = {name.rstrip("_"): value for name, value in options.items()}
        rules = {name: options.pop(name) for name in KEYWORDS if name in options and name not in known}
        for name in options:
            if name not in known:
                taken = ", ".join(f"{each}_" if iskeyword(each) else each for each in known)
                raise InvalidType(f"{operation} has no keyword {name!r}{did_you_mean(name, known)}; it takes {taken}")
        call(taken_from(rules) if rules else None, self._prepare, options)

    def _prepare(self, options: dict[str, Any]) -> None:
        operation = self._operation
        sources, choices, paths = (self._taken(part, options) for part in ("sources", "file_options", "outputs"))
        self._files = ({name: path_of(path, name) for name, path in paths.items()}, choices)
        given = {name: value for name, value in options.items() if name not in {**sources, **choices, **paths}}
        usual = {each["name"]: each["default"] for each in _described(operation)["sources"]}
        model = sources.get("model", usual.get("model"))
        if isinstance(model, StoredModel):
            sources["model"], self._model_provenance = (model._model, model.name), model._provenance
        elif model and is_path(model):
            file = model_path(model, operation.split()[0])
            self._model_provenance = {"model": as_path(model), "model_hash": file_hash(file)}
        self._begin_operation(given, sources, operation, **options)

    def _taken(self, part: str, options: dict[str, Any]) -> dict[str, Any]:
        """The options that one part of the description has."""
        names = [each["name"].replace("-", "_") for each in _described(self._operation)[part]]
        return {name: options[name] for name in names if name in options}

    def run(self, input: Any) -> Any:
        """The result for an image or a mesh: an array, a path, or what functions of ``fovea.mesh`` take as a mesh.

        Of an operation that follows what is in a video, the results for its frames, as a list: see ``video``."""
        if not _described(self._operation)["video"]:
            several = "a mesh" if _described(self._operation)["mesh"] else "an image"
            refuse_several(input, "run_all() of an Operation", several)
            return self._of(self._face, input)
        results = list(self._video(input))
        for output, path in self._files[0].items():
            _fovea.operations.save(self._operation, [each._kept() for each in results], path, output, {})
        return results

    def run_all(
        self, inputs: Path | Iterable[Any], *, progress: Progress = False, on_error: OnError = "raise"
    ) -> Results[Any]:
        """The results for several inputs, or those of a folder, in order and some at a time.

        An input that cannot be read raises its error; ``on_error="skip"`` leaves it out and lists it in ``failed`` of the
        results, and ``on_error="warn"`` warns as well. ``to_pandas()`` of the results is one table of all."""
        from .mesh._mesh import meshes_of

        listed, count = (meshes_of if _described(self._operation)["mesh"] else inputs_of)(inputs)
        self._refuse_files("run_all()")
        if _described(self._operation)["video"]:
            raise InvalidArgument(f"{self._operation} takes one video at a time; call video() for each")
        every = self._side_by_side("inputs", count, progress, on_error)
        return every.results(listed, lambda face, input, index: self._of(face, input), self._kind)

    def video(self, source: VideoLike, *, keep_images: bool = False, progress: Progress = False) -> Results[Any]:
        """The results for the frames of a video in order: a file, a folder of images, or frames as arrays or paths.

        With ``keep_images`` results that are drawn on an image have their frames."""
        self._refuse_files("video()")
        return self._video(source, progress, keep_images)

    def _video(self, source: VideoLike, progress: Progress = False, keep: bool = False) -> Results[Any]:
        frames = Frames(source, keep_images=keep)

        def work(face: Any, frame: Any, index: int) -> Any:
            pixels, number, seconds = decoded(frame, index)
            image = pixels if frames.keep else as_path(frame) if is_path(frame) else None
            return self._of(face, pixels, frames.name, frame=number, time_seconds=seconds, _image=image)

        return self._each_frame(frames, work, progress, self._kind)

    def _side_by_side(self, stage: str, count: int | None, progress: Progress, on_error: OnError = "raise") -> SideBySide:
        if not _described(self._operation)["video"]:
            return super()._side_by_side(stage, count, progress, on_error)
        return SideBySide([self._made()], stage, count, progress, on_error)  # one, which follows from here on

    def _refuse_files(self, call: str) -> None:
        for name, path in self._files[0].items():
            outputs = _described(self._operation)["outputs"]
            shared = any(each["shared"] for each in outputs if each["name"].replace("-", "_") == name)
            save = f'{call}.save("{path}") writes one of all results' if shared else "save() each of the results"
            raise InvalidArgument(f"{name} is one file of a single input, but {call} takes several; {save}")

    def _of(self, face: Any, input: Any, name: str = "", **own: Any) -> Any:
        known = _described(self._operation)
        if known["mesh"] and not (is_path(input) and self._kind._keeps):
            from .mesh._mesh import mesh_like

            mesh = mesh_like(input)
            value, words = mesh._mesh, [mesh._name, *mesh._words]
            own.update(self._kind._of_mesh(mesh))
        else:
            value, words = input, [name or name_of(input, "INPUT")]
            if self._model_provenance:
                words += ["--model", self._model_provenance["model"]]
            own.setdefault("_image", None if name else input)
            files = {each: named for each, named in self._sources.items() if is_path(named) or isinstance(named, (list, tuple))}
            own["_sources"] = {each: named for each, named in files.items() if each != "model"}
        end = ("-o", "OUT") if known["needs_output"] else ("--json",)
        return self._run(self._kind, value, words, face=face, end=end, **own)

    def __repr__(self) -> str:
        return f"Operation({self._operation!r})"


def run(operation: str, input: Any, **options: Any) -> Any:
    """The result of an operation for one input: an Operation that is used once.

    ``fovea.run("people detect", image, csv="people.csv")`` does what ``fovea people detect IMAGE --csv people.csv`` does,
    and ``save()`` of a result writes its files later.

    >>> fovea.run("ops blur", np.zeros((64, 48), np.uint8), sigma=3).image.shape
    (64, 48)"""
    return Operation(operation, **options).run(input)
