"""Images and videos as arrays, and the models that ship with the package."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator
from types import TracebackType
from typing import Any, NamedTuple, Union

import numpy as np

from . import _fovea
from ._keywords import Methods, takes_options
from ._options import (
    FilesReadImageOptions,
    FilesReadVideoOptions,
    FilesWriteImageOptions,
    FilesWriteVideoOptions,
    Self,
    Unpack,
)
from ._progress import Progress
from ._video_sources import open_elsewhere
from .errors import InvalidArgument, InvalidType, IoError

__all__ = ["Frame", "Video", "model_path", "models", "read_image", "read_video", "write_image", "write_video"]


def __dir__() -> list[str]:
    return __all__


#: How names of videos end that ``write_video()`` takes.
VIDEO_ENDINGS = (".mp4", ".m4v", ".mov", ".avi", ".mkv", ".y4m")
Path = Union[str, "os.PathLike[str]"]
Array = np.ndarray[Any, np.dtype[Any]]


def as_path(value: object, name: str = "path", expected: str = "a path in UTF-8") -> str:
    """A path as text. A name that is no text, or that the system would cut off, is refused."""
    try:
        path = os.fsdecode(value)  # type: ignore[arg-type]
        path.encode()
    except (TypeError, UnicodeEncodeError):
        shown = repr(value)
        said = shown if "\n" not in shown and len(shown) <= 200 else f"of type {type(value).__name__}"
        raise InvalidType(f"{name} is {said}; expected {expected}") from None
    if "\0" in path:
        raise InvalidArgument(f"{name} is {path!r}; a path has no NUL in it")
    return path


class Frame(NamedTuple):
    """A frame of a video. It is taken wherever its image is, also by NumPy and other libraries for arrays."""

    #: uint8, or uint16 with ``deep``, of shape (height, width, 3), or (height, width) for gray
    image: Array
    frame: int  #: number of the frame in its source, from 0
    seconds: float  #: time since the first frame of the source

    @property
    def shape(self) -> tuple[int, ...]:
        """Height and width, and 3 where there are colors."""
        return self.image.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the pixels."""
        return self.image.dtype

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return np.array(self.image, dtype=dtype) if copy else np.asarray(self.image, dtype=dtype)

    def __dlpack__(self, **keywords: Any) -> Any:
        return self.image.__dlpack__(**keywords)

    def __dlpack_device__(self) -> Any:
        return self.image.__dlpack_device__()


@takes_options(_fovea.files.read_image_options(), rules=("color",))
def read_image(path: Path, **options: Unpack[FilesReadImageOptions]) -> Array:
    """Reads an image file as an array of shape (height, width) or (height, width, channels) with the samples as stored."""
    image: Array = _fovea.files.read_image(as_path(path), dict(options))
    return handed_out(image)


def handed_out(image: Array, bgr: bool | None = None) -> Array:
    """Pixels in RGB in the order of colors of the caller, or of the call."""
    plain: Array = image.view(np.ndarray)
    bgr = _fovea.array_rules()[0] if bgr is None else bgr
    return _fovea.turned(plain) if bgr and plain.ndim == 3 and plain.shape[2] in (3, 4) else plain


@takes_options(_fovea.files.write_image_options())
def write_image(path: Path, image: Any, **options: Unpack[FilesWriteImageOptions]) -> None:
    """Writes an array as an image; the extension decides the format. The file appears whole or not at all."""
    _fovea.files.write_image(as_path(path), image, dict(options))


def _open(source: str, options: dict[str, Any]) -> tuple[Any, str]:
    """A reader of frames, and who reads video files with it."""
    try:
        return _fovea.files.Reader(source, options), "FFmpeg"
    except IoError as error:
        usable, reason = _fovea.files.video_support()
        # What a stream may reach is limited by the library; other packages would follow playlists.
        if usable or reason not in str(error) or _fovea.files.is_live_source(source):
            raise
        elsewhere = open_elsewhere(source, options, error)
    return elsewhere, elsewhere.name


class Video(Methods):
    """The frames of a video in order, once. It is an iterator and a context manager."""

    def __init__(self, source: object, options: dict[str, Any]) -> None:
        path = as_path(source, "source")
        self._source = source_name(path)
        #: Whether frames are given in BGR; None: as the program has it.
        self._bgr: bool | None = None
        if options.get("color") in ("rgb", "bgr"):
            self._bgr = options["color"] == "bgr"
            options = {**options, "color": "rgb"}
        self._reader, self._name = _open(path, options)
        self._step = int(options.get("step", 1))

    @property
    def frame_rate(self) -> float:
        """Frames per second as they are given: those of the source, or fewer with ``step``; 0 where it does not say."""
        return float(self.info["frame_rate"]) / self._step

    @property
    def info(self) -> dict[str, Any]:
        """Size, frame rate, format, codec and number of frames (-1 where the source does not state it), and reader.

        ``live`` says whether the source is a camera or stream, and ``dropped`` how many of its frames were passed over
        before the last one read. The reader is Fovea itself for y4m and images. Video files are read by FFmpeg, PyAV or
        imageio-ffmpeg."""
        facts = {**self._reader.info}
        facts.setdefault("live", False)
        facts.setdefault("dropped", 0)
        return {**facts, "reader": "Fovea" if facts["format"] in ("y4m", "images") else self._name}

    def __iter__(self) -> Iterator[Frame]:
        return self

    def __next__(self) -> Frame:
        encoded = self._reader.fetch()
        if encoded is None:
            raise StopIteration
        image, *place = encoded.decode()
        return Frame(handed_out(image, self._bgr), *place)

    def encoded(self) -> Iterator[Any]:
        """The frames before they are pixels; ``decode()`` of each may run in any thread."""
        while (encoded := self._reader.fetch()) is not None:
            yield encoded

    @property
    def newest(self) -> bool:
        """Whether frames that come while others are worked on are dropped: a live source, unless ``live="all"``."""
        return bool(getattr(self._reader, "drops_frames", False))

    def close(self) -> None:
        """Closes the source. Frames cannot be read any more."""
        self._reader.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def __repr__(self) -> str:
        try:
            info = self.info
        except InvalidArgument:
            return f"Video({self._source!r}, closed)"
        width, height = info["size"]
        frames = "" if info["frames"] < 0 else f", {info['frames']} frames"
        return f"Video({self._source!r}, {width}x{height}, {info['frame_rate']:g} frames/s{frames})"


@takes_options(_fovea.files.read_video_options(), rules=())
def read_video(source: Path, **options: Unpack[FilesReadVideoOptions]) -> Video:
    """Opens a video file, a y4m stream, a folder of images, a camera or a stream.

    A camera is ``"camera:0"`` or its device; a stream is an address, rtsp:// http:// https:// tcp:// or udp://. These
    give the newest frame and drop those that come in between, unless ``live="all"``.
    Video files are read by the system's FFmpeg libraries, or else by PyAV (``pip install av``) or imageio-ffmpeg."""
    return Video(source, dict(options))


@takes_options(_fovea.files.write_video_options())
def write_video(
    path: Path, frames: Path | Iterable[Any], *, progress: Progress = False, **options: Unpack[FilesWriteVideoOptions]
) -> None:
    """Writes frames as a video, one after another; it appears whole or not at all.

    The extension decides the format: ``.mp4``, ``.m4v`` and ``.mov`` (H.264), ``.avi`` (motion JPEG), ``.mkv`` (FFV1,
    lossless, 8 and 16 bits) and ``.y4m``; a folder, or a name with ``%06d``, has numbered images. A name without extension
    is a folder, which is made where it is not there. All but the last two need FFmpeg's libraries of the system.
    Frames are a video, its path, an array of frames, or any iterable of arrays, paths of images and ``Frame``, of one size,
    gray or in color.

    >>> import numpy as np
    >>> fovea.write_video("ramp.y4m", (np.full((48, 64), 5 * i, np.uint8) for i in range(50)), fps=30)
    """
    from ._frames import Frames, one_by_one, pixels_of

    taken = Frames(frames, "frames")
    file = _fovea.files.VideoFile(as_path(path), dict(options), taken.rate)

    def write(frame: Any, number: int) -> None:
        file.write(pixels_of(frame), number)

    try:
        for _ in one_by_one(taken, write, progress):
            pass
        file.finish()
    finally:
        file.close()


def models(system: str = "") -> list[str]:
    """The names of the models that ship with the package, such as ``people/channels``."""
    return list(_fovea.files.shipped_models(str(system)))


def model_name(name: Path) -> str:
    """The name of a shipped model or a path; a ``pathlib.Path`` is a path even where it has one part only."""
    path = as_path(name, "model", "the name of a model or a file")
    return f"./{path}" if isinstance(name, os.PathLike) and "/" not in path else path


def model_path(name: Path, system: str = "") -> str:
    """The file of a model: the shipped model of that name, else the name itself where it is a path or has an extension.

    A file that is called ``channels`` is ``"./channels"``, so that none in the current folder can take a shipped model's place."""
    return str(_fovea.files.find_model(model_name(name), system))


def file_hash(path: str) -> str:
    """The SHA-256 of a file, as provenance records it."""
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        for block in iter(lambda: file.read(1 << 20), b""):
            digest.update(block)
    return digest.hexdigest()


def is_path(value: object) -> bool:
    """Whether an argument names a file instead of being an image."""
    return isinstance(value, (str, os.PathLike))


def source_name(path: str) -> str:
    """A path as it is, and the address of a stream without what may be a password."""
    return str(_fovea.files.source_name(path))
