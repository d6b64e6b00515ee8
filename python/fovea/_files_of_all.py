"""Files of many results: those that the program writes for a folder or a video, and videos of what is drawn of them."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from . import _fovea
from ._arguments import number_of, one_of
from ._rules import call
from ._saved import OperationResult, Saved, output_of
from .errors import InvalidArgument, InvalidType
from .files import VIDEO_ENDINGS

if TYPE_CHECKING:
    from ._batch import Results


def save_all(results: Results[Any], paths: list[str], output: str | None, fps: float | None, options: dict[str, Any]) -> None:
    """Writes each result to the file of each path, which appears when all are written."""
    if not paths:
        raise InvalidType("save() got no path; expected one or more")
    if output is not None and len(paths) > 1:
        raise InvalidArgument(f"output names the file of one path, but there are {len(paths)}; leave it to their endings")
    kind, frames = results._kind, results._frames
    videos = [path for path in paths if _is_video(path, output)]
    tables = [path for path in paths if path not in videos]
    for path in tables:
        _require_file(kind, path, output)
    if videos and not _draws(kind):
        raise InvalidArgument(f"{videos[0]}: nothing is drawn of results of {kind.__name__}; save them one by one")
    for given, taken in ((fps is not None and "fps", videos), (next(iter(options), None), tables)):
        if given and not taken:
            raise InvalidType(f"save() has no keyword {given!r} for {one_of(paths)}")
    if videos and frames is not None:
        frames.keep = True
    rate = {} if fps is None else {"fps": number_of(fps, "fps")}
    files = [_fovea.files.VideoFile(path, rate, 0.0 if frames is None else frames.rate) for path in videos]
    kept: list[Any] = []
    try:
        for index, found in results._all("save"):
            picture = _picture(found) if files else None
            for file in files:
                call((found._rules[0] if found._rules else None, False), file.write, picture, index)
            if tables:
                kept.append(found.to_mot() if not isinstance(found, Saved) else {**found._kept(), "input": None})
        for path in tables:
            _write(kind, kept, path, output, options)
        for file in files:
            file.finish()
    finally:
        for file in files:
            file.close()


def _is_video(path: str, output: str | None) -> bool:
    """Whether a path is that of a video or, without an ending or with a pattern, of a folder of images."""
    ending = os.path.splitext(path)[1].lower()
    return output in (None, "output") and (ending in VIDEO_ENDINGS or not ending or bool(re.search("%[0-9]*d", path)))


def _draws(kind: Any) -> bool:
    if issubclass(kind, OperationResult):
        return bool(_fovea.operations.described(kind._operation)["images"])
    return hasattr(kind, "draw") or hasattr(kind, "to_color")


def _picture(found: Any) -> Any:
    if isinstance(found, OperationResult):
        return found.image
    draw: Callable[[], Any] = found.draw if hasattr(found, "draw") else found.to_color
    return draw()


def _require_file(kind: Any, path: str, output: str | None) -> None:
    """Refuses a path whose ending is none of a file of several results."""
    if issubclass(kind, Saved) and not kind._keeps:
        try:
            _fovea.operations.require_shared(kind._operation, path, output_of(output))
        except InvalidArgument as error:
            drawn = "; videos such as .mp4, and folders, get what is drawn of each" if _draws(kind) else ""
            raise InvalidArgument(f"{error}{drawn}") from None
    elif not hasattr(kind, "to_mot") or not path.endswith(".txt") or output is not None:
        known = [*([".txt (MOT challenge)"] if hasattr(kind, "to_mot") else []), *(VIDEO_ENDINGS if _draws(kind) else [])]
        files = f"are written together as {one_of(known)}" if known else "are not written together"
        raise InvalidArgument(f"{path}: results of {kind.__name__} {files}; to_pandas() makes a table of them")


def _write(kind: Any, kept: list[Any], path: str, output: str | None, options: dict[str, Any]) -> None:
    if issubclass(kind, Saved):
        _fovea.operations.save(kind._operation, kept, path, output_of(output), options)
    else:
        _fovea.files.write_text(path, "".join(kept))
