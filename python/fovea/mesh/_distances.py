"""Distances over the surface of a mesh."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _fovea
from .._arguments import path_ending, shown, unmasked, whole_number
from .._keywords import takes_options
from .._notebook import png_of
from .._operation import origin_of
from .._options import MeshDistancesOptions, MeshValuesPictureOptions, Unpack
from .._progress import Progress, reporting
from .._records import MeshDistanceFields as _Distances
from .._results import Result, described
from .._rules import in_its_colors
from ..errors import InvalidArgument, InvalidType
from ..files import Path
from ._costs import CostsLike, costs_of
from ._mesh import Bytes, Floats, Ints, Mesh, MeshLike, mesh_like, write


@described(_fovea.mesh.distance_fields())
class Distances(Result, _Distances):
    """Distances over the surface of a mesh, from face to face. They are infinite between components."""

    mesh: Mesh
    source: Any  #: the face or faces that distances start at; None for all
    values: Floats  #: one per face, or one row per source
    nearest: Ints | None  #: with ``nearest=True`` one per face: the nearest source, or -1 where none is reached

    _compared = ("mesh", "source", "values", "nearest")

    def __init__(self, values: Floats, found: dict[str, Any], **origin: Any) -> None:
        super().__init__(**origin, nearest=found["nearest"])
        self._take(found)
        self.values = values

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        return self.values.astype(dtype or np.float32, copy=bool(copy))

    @in_its_colors
    @takes_options(_fovea.mesh.values_picture_options(), rules=("color",))
    def render(self, **options: Unpack[MeshValuesPictureOptions]) -> Bytes:
        """A picture of the distances from one face, or to the nearest of several, drawn without a display."""
        if self.values.ndim != 1:
            raise InvalidArgument("render() shows the distances from one face; give source=FACE or nearest=True")
        return _fovea.mesh.render_values(self.mesh._mesh, self.values, self.nearest, "distance", dict(options))

    def save(self, path: Path) -> None:
        """Writes the distances as .npy, or from some faces also as .csv, or as properties of the mesh's faces as .ply."""
        name = path_ending(path, "distances", (".npy", ".csv", ".ply"))
        if name.endswith(".npy"):
            np.save(name, self.values)
            return
        if self.source is None:
            raise InvalidArgument(f"distances between all faces are written as .npy; give source=FACE for {name[-4:]}")
        rows = self.values.reshape(-1, self.values.shape[-1])
        names = ["distance"] if len(rows) == 1 else [f"distance_{face}" for face in self.source]
        if name.endswith(".csv"):
            _fovea.mesh.write_distances(name, names, rows, self.nearest)
            return
        colors = _fovea.mesh.value_colors(rows[0])
        write(path, self.mesh, self.nearest, colors, dict(zip(names, rows)))

    def __repr__(self) -> str:
        finite = self.values[np.isfinite(self.values)]
        shape = "x".join(str(size) for size in self.values.shape)
        return f"{shape} distances up to {finite.max():.4g} ({self.engine}, {self.provenance['device']})"

    def _repr_png_(self) -> bytes | None:
        return png_of(self, self.render()) if self.values.ndim == 1 else None


def _faces(source: Any) -> tuple[Any, bool]:
    """The faces that distances start at, and whether it is a single one."""
    expected = "a face, several faces, or None for all"
    if source is None:
        return None, False
    if isinstance(source, (tuple, list)):
        return np.array([whole_number(face, "source", expected) for face in source], np.int64), False
    if hasattr(source, "__index__") and np.ndim(unmasked(source, "source")) == 0:
        return whole_number(source, "source", expected), True
    if not hasattr(source, "shape"):
        raise InvalidType(f"source is {shown(source)}; expected {expected}")
    return source, False


@takes_options(_fovea.mesh.distances_options(), rules=("strict",))
def distances(
    mesh: MeshLike,
    source: Any = None,
    *,
    costs: CostsLike = None,
    progress: Progress = False,
    **options: Unpack[MeshDistancesOptions],
) -> Distances:
    """Shortest paths over the faces of a mesh, from one face, from several, or from every face to every other.

    A step from face to face costs its length and its angle, as in Katz and Tal; with ``alpha=1`` it costs its length
    alone, in the unit of the mesh, ``cost`` names others, and ``costs`` are your own: one number per arc of
    ``dual_graph(mesh)``, a function of that graph that returns them, or a file of them. Without a source the result is
    a square array of 4 bytes times the square of the number of faces. ``nearest`` measures from the nearest of several
    faces and says which it is.

    A Mesh keeps the graph of its faces for the next call; from arrays, other objects and costs of your own it is made
    each time."""
    known = mesh_like(mesh)
    source, single = _faces(source)
    own, named = costs_of(costs, known)
    with reporting(progress) as report:
        faces = np.array([source], dtype=np.int64) if single else source
        found, used, words = _fovea.mesh.distances(known._graph, known._mesh, faces, own, report, dict(options))
    values = found.pop("values")
    start = [] if source is None else ["--from", ",".join(str(face) for face in faces)]
    words = ["mesh", "distances", known._name, *known._words, *start, *words, *named, "-o", "DISTANCES.npy"]
    row = values[0] if single or used["nearest"] else values
    return Distances(row, found, **origin_of(used, words), mesh=known, source=source)
