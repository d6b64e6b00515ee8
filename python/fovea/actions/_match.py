"""An example of an action that is found in another video."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from .. import _fovea
from .._arguments import whole_number
from .._frames import VideoLike
from .._keywords import takes_options
from .._notebook import png_of
from .._operation import origin_of
from .._options import ActionsMatchOptions, Unpack
from .._progress import Progress, reporting
from .._records import ActionsMatchFields as _Match
from .._results import Table, described
from .._rules import in_its_colors
from ..errors import FormatError, InvalidArgument
from ._explain import MatchExplanation
from ._points import Points, known_points
from ._video import Bytes, _Source


@described(_fovea.actions.match_fields())
class Match(Table, _Match):
    """Where an example lies in a scene. As a table it has one row per node of the example.

    A node has its frame, time and place in both videos; one that is not seen has ``scene_point`` -1 and NaN for its
    place. ``distance`` is that of both descriptors, and the last four columns are what the node adds to the terms of
    the energy."""

    graph: str  #: both graphs in space and time, side by side, as SVG

    _compared = ("graph",)

    _found: Any  #: the match in the library, with the videos

    def columns(self) -> dict[str, np.ndarray[Any, Any]]:
        """strand, model_frame, model_seconds, model_x, model_y, the same of the scene, and costs."""
        return {name: column for name, column in self.nodes.items() if name != "dummy"}

    def __len__(self) -> int:
        return len(self.nodes["strand"])

    @in_its_colors
    def draw(self, columns: int = 5) -> Bytes:
        """Frames of both videos at some of the nodes, with lines between the matched points.

        Points without a video are drawn as dots on a dark ground."""
        shown = whole_number(columns, "columns")
        if not 1 <= shown <= 20:
            raise InvalidArgument(f"columns is {shown}; expected a number from 1 to 20")
        if self._found is None:
            raise InvalidArgument("this result came without its videos; call match() again, or take graph")
        return self._found.picture(shown)

    def explain(self) -> MatchExplanation:
        """What each node and triangle adds to the energy."""
        if self._found is None:
            raise InvalidArgument("this result came without its videos; call match() again")
        return MatchExplanation(self._found.explanation())

    def __getstate__(self) -> dict[str, Any]:
        # The videos are no part of the result.
        return {**self.__dict__, "_found": None}

    def __repr__(self) -> str:
        seen = len(self) - self.dummy_count
        made = f"{self.provenance['device']}, {1000 * self._seconds:.0f} ms"
        return f"energy {self.energy:.3f}, {seen} of {len(self)} nodes seen{', mirrored' * self.mirrored} ({made})"

    def _repr_html_(self) -> str:
        return self.graph

    def _repr_png_(self) -> bytes | None:
        try:
            return png_of(self, self.draw())
        except InvalidArgument:
            return None


def _video(source: Any, word: str, progress: Progress) -> tuple[Any, str]:
    """A video in memory, or its points, and what a command says for it."""
    video = _fovea.actions.MatchVideo()
    points = known_points(source)
    if points is not None:
        video.set_points(points._values())
        return video, str(points.provenance.get("file") or f"{word}.txt")
    frames = _Source(source)
    video.set_rate(frames.rate)
    with reporting(progress) as report:
        for count, frame in enumerate(frames, 1):
            video.push(frame)
            if report:
                report(word.lower(), count, frames.count or 0)
    if len(video) == 0:
        raise FormatError(f"{frames.name}: the video has no frames")
    return video, word if frames.name == "VIDEO" else frames.name


@takes_options(_fovea.actions.match_options())
def match(
    example: VideoLike | Points,
    scene: VideoLike | Points,
    *,
    progress: Progress = False,
    **options: Unpack[ActionsMatchOptions],
) -> Match:
    """Finds the part of an example that has the best match in a scene, exactly, as ``fovea actions match`` does.

    Both are videos, which should be short because their frames are kept in memory, files of points, or Points."""
    start = time.perf_counter()
    keywords: dict[str, Any] = dict(options)
    model, first = _video(example, "EXAMPLE", progress)
    place, second = _video(scene, "SCENE", progress)
    found, used, words = _fovea.actions.match(model, place, keywords)
    origin = origin_of(used, ("actions", "match", first, second, "--json", *words), start)
    values = found.values()
    return Match(**origin, values=values, graph=values["graph"], _found=found)
