"""Triangle meshes, their files, and what is worth knowing about them."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Mapping, Sized
from typing import Any, Union

import numpy as np

from .. import _fovea
from .._arguments import as_array, counted, path_of, refuse_several, shown, text
from .._keywords import Methods, takes_options
from .._options import MeshReadOptions, MeshWriteOptions, Unpack
from .._records import MeshInfoFields as _Info
from .._results import Record
from .._run import run
from .._saved import Saved, of_operation
from ..errors import InvalidType, IoError
from ..files import Path, as_path, is_path

Floats = np.ndarray[Any, np.dtype[np.float32]]
Ints = np.ndarray[Any, np.dtype[np.int32]]
Bytes = np.ndarray[Any, np.dtype[np.uint8]]


class Mesh(Methods):
    """Triangles in memory. The arrays are read-only, because results refer to them.

    It keeps the graph of its faces once ``distances()`` has needed it, so that the next call is quick."""

    def __init__(self, vertices: Any, faces: Any) -> None:
        """Copies vertices, float32 or float64 of shape (n, 3), and faces, int32 or int64 of shape (m, 3)."""
        self._mesh = _fovea.mesh.make(vertices, faces, None)
        self._graph = _fovea.mesh.FaceGraph()
        self._name = "MESH"
        self._words: list[str] = []
        #: off, obj, ply or stl for a mesh that was read from a file.
        self.format: str | None = None

    @classmethod
    def _of(cls, mesh: Any, name: str, words: list[str], form: str | None) -> Mesh:
        self = cls.__new__(cls)
        self._mesh, self._graph = mesh, _fovea.mesh.FaceGraph()
        self._name, self._words, self.format = name, words, form
        return self

    @property
    def vertices(self) -> Floats:
        """float32 of shape (n, 3)."""
        return self._mesh.vertices

    @property
    def faces(self) -> Ints:
        """int32 of shape (m, 3): the corners of each triangle, in the order of the file."""
        return self._mesh.faces

    @property
    def polygons(self) -> Ints | None:
        """The face of the file that each triangle is a part of; None where every face of the file is a triangle."""
        return self._mesh.polygons

    def to_trimesh(self) -> Any:
        """The mesh as a ``trimesh.Trimesh`` with the same order of vertices and faces."""
        import trimesh

        return trimesh.Trimesh(self.vertices.copy(), self.faces.copy(), process=False)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Mesh):
            return NotImplemented
        return np.array_equal(self.vertices, other.vertices) and np.array_equal(self.faces, other.faces)

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        arrays = (self.vertices.copy(), self.faces.copy(), self.polygons)
        return _unpickled, (arrays, self._name, self._words, self.format)

    def __repr__(self) -> str:
        form = f", {self.format}" if self.format else ""
        return f"Mesh({len(self.vertices)} vertices, {len(self.faces)} faces{form})"


def _unpickled(arrays: tuple[Any, ...], name: str, words: list[str], form: str | None) -> Mesh:
    return Mesh._of(_fovea.mesh.make(*arrays), name, words, form)


#: What functions take as a mesh.
MeshLike = Union[Mesh, Path, "tuple[Any, Any]", Any]


@takes_options(_fovea.mesh.read_options(), rules=())
def read(path: Path, **options: Unpack[MeshReadOptions]) -> Mesh:
    """Reads a mesh from OFF, OBJ, PLY or STL. The content of the file decides its format, not its name."""
    refuse_several(path, "segment_all() of a Segmenter", "a mesh")
    mesh, form, words = _fovea.mesh.read(path_of(path), dict(options))
    return Mesh._of(mesh, path_of(path), list(words), str(form).lower())


def mesh_like(value: MeshLike) -> Mesh:
    """A mesh of whatever functions take as one."""
    if isinstance(value, Mesh):
        return value
    if isinstance(value, (str, os.PathLike)):
        return read(value)
    if isinstance(value, (tuple, list)):
        if len(value) != 2:
            raise InvalidType(f"mesh is a {type(value).__name__} of {len(value)}; expected (vertices, faces)")
        return Mesh(value[0], value[1])
    if hasattr(value, "vertices") and hasattr(value, "faces"):
        # The arrays of trimesh are of a class of their own; NumPy's view of them is no copy.
        return Mesh(as_array(value.vertices, "vertices"), as_array(value.faces, "faces"))
    kind = type(value).__name__
    raise InvalidType(f"mesh is of type {kind}; expected an object with vertices and faces, a tuple of both, or a path")


@takes_options(_fovea.mesh.write_options(), rules=("strict",))
def write(
    path: Path,
    mesh: MeshLike,
    labels: Any = None,
    colors: Any = None,
    attributes: Mapping[str, Any] | None = None,
    **options: Unpack[MeshWriteOptions],
) -> None:
    """Writes a mesh as .ply, .glb, .obj, .off or .stl. The file appears whole or not at all.

    Labels, one per face, become colors, groups or a property, as the format allows; colors, uint8 of shape (m, 3),
    replace the colors that labels have. STL has neither. Attributes, such as ``{"height": values}`` with one number of
    float32 or float64 per face, become properties of faces in .ply; other formats have no place for them."""
    given: dict[str, Any] = {}
    if attributes is not None:
        if not isinstance(attributes, Mapping):
            raise InvalidType(f"attributes is {shown(attributes)}; expected a dictionary of arrays")
        given = {text(name, "the name of an attribute"): values for name, values in attributes.items()}
    _fovea.mesh.write(path_of(path), mesh_like(mesh)._mesh, labels, colors, given, dict(options))


def meshes_of(meshes: Any) -> tuple[Iterable[Any], int | None]:
    """Several meshes and their number, where it is known: the files of a folder or a glob, or those that are given."""
    if is_path(meshes):
        place = as_path(meshes)
        files = glob.glob(os.path.join(glob.escape(place), "*") if os.path.isdir(place) else place)
        meshes = [file for file in files if file.lower().endswith((".off", ".obj", ".ply", ".stl"))]
        if not meshes:
            raise IoError(f"{place}: has no meshes; expected files of .off, .obj, .ply or .stl")
        meshes = _fovea.scenes.natural_order(meshes)
    if isinstance(meshes, (bytes, dict)) or not isinstance(meshes, Iterable):
        raise InvalidType(f"meshes is {shown(meshes)}; expected several meshes, such as [mesh]")
    return meshes, len(meshes) if isinstance(meshes, Sized) else None


def read_labels(path: Path) -> Ints:
    """Reads labels as the Princeton benchmark stores them: one number per line and face."""
    return _fovea.mesh.read_labels(path_of(path))


def write_labels(path: Path, labels: Any) -> None:
    """Writes labels, one number per line and face. The file appears whole or not at all."""
    _fovea.mesh.write_labels(path_of(path), labels)


@of_operation("mesh info")
class Info(Saved, Record, _Info):
    """What is worth knowing about a mesh, and what is unusual about it. All of that is legal."""

    format: str | None  # type: ignore[assignment]  #: off, obj, ply or stl for a mesh that was read from a file

    def __repr__(self) -> str:
        form = f"{self.format}, " if self.format else ""
        counts = f"{counted(self.faces, 'face')}, {counted(self.components, 'component')}"
        return f"{form}{counts}, {'closed' if self.closed else 'open'}, area {self.area:.4g}"

    @staticmethod
    def _of_mesh(mesh: Mesh) -> dict[str, Any]:
        return {"format": mesh.format}


def info(mesh: MeshLike) -> Info:
    """Counts of vertices, faces, edges and components, area, volume, bounding box, and what is unusual about a mesh."""
    return run("mesh info", mesh)
