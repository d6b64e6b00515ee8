"""Images and videos as functions take them: pixels, paths, and frames one after another."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar, Union

import numpy as np

from . import _fovea
from ._arguments import OnError, flag, refuse_several, shown, skips
from ._batch import Failure, Results, count_of
from ._ordered import in_order
from ._progress import Progress, check_progress, reporting
from ._results import Result
from .errors import Error, InvalidArgument, InvalidType
from .files import Frame, Path, Video, as_path, is_path, source_name

Bytes = np.ndarray[Any, np.dtype[np.uint8]]
#: A file, a folder of images, an array of frames, or any iterable of frames: arrays and paths of images.
VideoLike = Union[Path, Iterable[Any]]

_Worker = TypeVar("_Worker")
_Result = TypeVar("_Result")
_Input = TypeVar("_Input")


def pixels_of(image: Any, every: str = "") -> Any:
    """An image, which is read where it is a path: bytes without opacity, turned upright. ``every`` is the method for
    several images."""
    refuse_several(image, every)
    return _fovea.files.read_bytes(as_path(image)) if is_path(image) else plain(image)


def plain(image: Any) -> Any:
    """The pixels of a frame; anything else as it is."""
    return image.image if isinstance(image, Frame) else image


def mask_of(mask: Any) -> Any:
    """A mask, which is read where it is a path."""
    return _fovea.files.read_mask(as_path(mask)) if is_path(mask) else mask


def name_of(value: Any, otherwise: str) -> str:
    """What a command of the program says for an argument: its path, or a word in its place."""
    return source_name(as_path(value)) if is_path(value) else otherwise


def rgb(image: Any, whose: str = "") -> Bytes:
    """An image in RGB to draw on: an array on any device, gray, RGB or RGBA, or a path.

    ``whose`` says what to give where a result has lost its own image."""
    if image is None and whose:
        raise InvalidArgument(f"the image is not part of this result; give draw(image) {whose}")
    given = pixels_of(image)
    if hasattr(given, "__cuda_array_interface__"):
        given = given.cpu() if hasattr(given, "cpu") else given.get() if hasattr(given, "get") else given
    return _fovea.files.rgb_bytes(given)


class Frames:
    """The frames of a video, with what is known about it before they are read."""

    def __init__(self, source: VideoLike, name: str = "source", keep_images: Any = False) -> None:
        if isinstance(source, (bytes, bytearray, dict)) or not (is_path(source) or isinstance(source, Iterable)):
            raise InvalidType(f"{name} is {shown(source)}; expected a path, or frames as arrays or paths")
        shape = getattr(source, "shape", None)
        if shape is not None and (len(shape) < 3 or (len(shape) == 3 and shape[-1] in (3, 4))):
            raise InvalidType(f"{name} is one array of shape {tuple(shape)}; expected several frames, such as [image]")
        #: Whether results have their frames.
        self.keep = flag(keep_images, "keep_images")
        #: The path, where the source is one.
        self.path = source_name(as_path(source)) if is_path(source) else None
        self._video = Video(source, {}) if is_path(source) else source if isinstance(source, Video) else None
        #: The path of the video, also where it was opened before: what results name as their file.
        self.film = None if self._video is None else self._video._source
        #: How many frames there are, where that is known.
        self.count: int | None = count_of(source) if self._video is None else None
        if self._video is not None and self._video._reader.expected >= 0:
            self.count = self._video._reader.expected
        #: The paths of all frames, where the source is a list of them.
        self.paths: list[str] = []
        if isinstance(source, (list, tuple)) and all(is_path(frame) for frame in source):
            self.paths = [as_path(frame) for frame in source]
        self._source = source

    @property
    def name(self) -> str:
        """What a command of the program says for the video."""
        return "VIDEO" if self.path is None else self.path

    @property
    def newest(self) -> bool:
        """Whether frames that are read ahead would be old: those of a live source."""
        return self._video is not None and self._video.newest

    @property
    def rate(self) -> float:
        """Frames per second; 0 where that is not known."""
        return 0.0 if self._video is None else self._video.frame_rate

    def file_of(self, frame: Any) -> str | None:
        """What the result of a frame names as its file: the frame's own, or the video."""
        return as_path(frame) if is_path(frame) else self.film

    def __iter__(self) -> Iterator[Any]:
        return iter(self._source if self._video is None else self._video.encoded())  # type: ignore[arg-type]


def is_encoded(frame: Any) -> bool:
    """Whether a frame of a video file is not pixels yet. Texts and bytes have a ``decode`` of their own."""
    return hasattr(frame, "decode") and not isinstance(frame, (str, bytes, bytearray))


def decoded(frame: Any, place: int) -> tuple[Any, int, float | None]:
    """The pixels of a frame with its number and time; one that says neither is numbered by its place."""
    if isinstance(frame, Frame):
        return frame.image, frame.frame, frame.seconds
    return frame.decode() if is_encoded(frame) else (pixels_of(frame), place, None)


def one_by_one(
    frames: Frames,
    work: Callable[[Any, int], _Result | None],
    progress: Progress,
    kind: type[_Result] | None = None,
    count: int | None = None,
) -> Results[_Result]:
    """``work(frame, number)``, of this class, for each frame in order, but for None: so many, or one per frame. The number is
    the frame's in its source."""
    check_progress(progress)

    def each() -> Iterator[tuple[int, _Result]]:
        with reporting(progress) as report:
            for index, frame in enumerate(frames):
                known = isinstance(frame, Frame) or is_encoded(frame)
                pixels, number = decoded(frame, index)[:2] if known else (frame, index)
                found = work(pixels, number)
                if report:
                    report("frames", index + 1, frames.count or 0)
                if isinstance(found, Result) and found.path is None:
                    found.path = frames.file_of(frame)
                if found is not None:
                    yield index, found

    return Results(each(), kind, count=frames.count if count is None else count, frames=frames)


def each_of(results: Results[_Input], work: Callable[[_Input], _Result], kind: type[_Result]) -> Results[_Result]:
    """``work(result)`` of this class for each result. Leaving it early leaves ``results`` at once, too."""

    def each() -> Iterator[tuple[int, _Result]]:
        try:
            for index, result in enumerate(results):
                yield index, work(result)
        finally:
            results.close()

    return Results(each(), kind, results.failed, results._count, results._frames)


#: What the library says of a frame that has another size than those before it.
_OTHER_SIZE = ", but the sequence began with "


def _without_frames(error: Error) -> Error:
    """The error without the calls that led to it, which would keep their arrays."""
    each: BaseException | None = error
    while each is not None:
        each.__traceback__ = None
        each = each.__context__
    return error


class SideBySide:
    """Workers that take inputs in turns, each in a thread of its own; results come in the order of the inputs."""

    def __init__(
        self, workers: list[Any], stage: str, count: int | None, progress: Progress, on_error: OnError = "raise"
    ) -> None:
        check_progress(progress)
        self.workers, self.stage, self.count, self.progress = workers, stage, count, progress
        self.skip, self.warn = skips(on_error), on_error == "warn"
        self.ahead: int | None = None  #: frames that are read before their turn; by default two per worker
        self.hint = ""  #: what the error of an input of another size says at its end

    def results(
        self, inputs: Iterable[Any], work: Callable[[Any, Any, int], _Result], kind: type[_Result] | None = None
    ) -> Results[_Result]:
        """``work(worker, input, index)``, of this class, for each input. A result of a file has its ``path``."""
        failed: list[Failure] = []
        frames = inputs if isinstance(inputs, Frames) else None

        def attempt(worker: Any, value: Any, index: int) -> _Result | Failure:
            path = as_path(value) if is_path(value) else None
            try:
                found = work(worker, value, index)
            except Error as error:
                if self.hint and _OTHER_SIZE in str(error):
                    error.args = (f"{error}{self.hint}",)
                if not self.skip:
                    raise
                return Failure(index if path is None else path, _without_frames(error))
            named = path or (None if frames is None else frames.film)
            if named is not None and isinstance(found, Result):
                found.path = named
            return found

        def each() -> Iterator[tuple[int, _Result]]:
            with reporting(self.progress) as report:
                for index, found in enumerate(in_order(inputs, self.workers, attempt, self.ahead)):
                    if report:
                        report(self.stage, index + 1, self.count or 0)
                    if not isinstance(found, Failure):
                        yield index, found
                        continue
                    failed.append(found)
                    if self.warn:
                        warnings.warn(str(found.error), RuntimeWarning, stacklevel=3)

        return Results(each(), kind, failed, self.count, frames)
