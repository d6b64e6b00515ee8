"""Parts of triangle meshes, distances over their surfaces, and mesh files.

A mesh is an object with ``vertices`` and ``faces``, such as a ``trimesh.Trimesh``, a tuple of both arrays, or the path
of an OFF, OBJ, PLY or STL file. Vertices are float32 or float64 of shape (n, 3), faces int32 or int64 of shape (m, 3).
Work is done with coordinates of float32.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Union

import numpy as np

from . import _fovea
from ._arguments import OnError, as_array, path_of, shown, skips, unmasked, whole_number, word
from ._frames import SideBySide
from ._keywords import takes_options
from ._notebook import png_bytes
from ._progress import Progress, reporting
from ._results import Record, Result, Table, command_line
from .errors import InvalidArgument, InvalidType
from .files import Path, is_path

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import (
        MeshDistanceOptions,
        MeshPageOptions,
        MeshPartsPictureOptions,
        MeshValuesPictureOptions,
        MeshReadOptions,
        MeshSegmentOptions,
        MeshWriteOptions,
    )

__all__ = [
    "Comparison",
    "Distances",
    "DualGraph",
    "Info",
    "Mesh",
    "Segmentation",
    "Segmenter",
    "distances",
    "dual_graph",
    "evaluate",
    "info",
    "read",
    "read_labels",
    "segment",
    "write",
    "write_labels",
]

Floats = np.ndarray[Any, np.dtype[np.float32]]
Ints = np.ndarray[Any, np.dtype[np.int32]]
Bytes = np.ndarray[Any, np.dtype[np.uint8]]


class Mesh:
    """Triangles in memory. The arrays are read-only, because results refer to them.

    It keeps the graph of its faces once ``distances()`` has needed it, so that the next call is quick."""

    def __init__(self, vertices: Any, faces: Any) -> None:
        """Copies vertices, float32 or float64 of shape (n, 3), and faces, int32 or int64 of shape (m, 3)."""
        self._mesh = _fovea.mesh.make(vertices, faces)
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
        vertices: Floats = self._mesh.vertices
        return vertices

    @property
    def faces(self) -> Ints:
        """int32 of shape (m, 3): the corners of each triangle, in the order of the file."""
        faces: Ints = self._mesh.faces
        return faces

    @property
    def polygons(self) -> Ints | None:
        """The face of the file that each triangle is a part of; None where every face of the file is a triangle."""
        polygons: Ints | None = self._mesh.polygons
        return polygons

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
        return _mesh_of, (arrays, self._name, self._words, self.format)

    def __repr__(self) -> str:
        form = f", {self.format}" if self.format else ""
        return f"Mesh({len(self.vertices)} vertices, {len(self.faces)} faces{form})"


def _mesh_of(arrays: tuple[Any, ...], name: str, words: list[str], form: str | None) -> Mesh:
    return Mesh._of(_fovea.mesh.make(*arrays), name, words, form)


#: What functions take as a mesh.
MeshLike = Union[Mesh, Path, "tuple[Any, Any]", Any]


@takes_options(_fovea.mesh.read_options())
def read(path: Path, **options: Unpack[MeshReadOptions]) -> Mesh:
    """Reads a mesh from OFF, OBJ, PLY or STL. The content of the file decides its format, not its name."""
    mesh, form, words = _fovea.mesh.read(path_of(path), dict(options))
    return Mesh._of(mesh, path_of(path), list(words), str(form).lower())


def _mesh(value: MeshLike) -> Mesh:
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


@takes_options(_fovea.mesh.write_options())
def write(
    path: Path, mesh: MeshLike, labels: Any = None, colors: Any = None, **options: Unpack[MeshWriteOptions]
) -> None:
    """Writes a mesh as .ply, .glb, .obj, .off or .stl. The file appears whole or not at all.

    Labels, one per face, become colors, groups or a property, as the format allows; colors, uint8 of shape (m, 3),
    replace the colors that labels have. STL has neither."""
    _fovea.mesh.write(path_of(path), _mesh(mesh)._mesh, labels, colors, dict(options))


def read_labels(path: Path) -> Ints:
    """Reads labels as the Princeton benchmark stores them: one number per line and face."""
    labels: Ints = _fovea.mesh.read_labels(path_of(path))
    return labels


def write_labels(path: Path, labels: Any) -> None:
    """Writes labels, one number per line and face. The file appears whole or not at all."""
    _fovea.mesh.write_labels(path_of(path), labels)


class Info(Record):
    """What is worth knowing about a mesh, and what is unusual about it. All of that is legal."""

    format: str | None  #: off, obj, ply or stl for a mesh that was read from a file
    vertices: int
    faces: int
    edges: int
    file_faces: int  #: faces of the file, whose polygons were cut into triangles
    components: int  #: groups of faces that are connected by edges
    closed: bool  #: whether every edge has two faces
    border_edges: int  #: edges with one face
    non_manifold_edges: int  #: edges with three faces or more
    flipped_edges: int  #: edges along which both faces run the same way
    degenerate_faces: int  #: faces without area
    duplicate_faces: int  #: faces with the corners of an earlier face
    isolated_vertices: int  #: vertices that no face uses
    area: float
    volume: float  #: inside a closed mesh; it means little for an open one
    low: tuple[float, float, float]  #: the corners of the bounding box
    high: tuple[float, float, float]

    _compared = (
        *("format", "vertices", "faces", "edges", "file_faces", "components", "closed", "border_edges"),
        *("non_manifold_edges", "flipped_edges", "degenerate_faces", "duplicate_faces", "isolated_vertices"),
        *("area", "volume", "low", "high"),
    )

    def __init__(self, facts: dict[str, Any], command: str) -> None:
        super().__init__({}, {"device": "cpu", "seed": None}, command)
        for name, value in facts.items():
            setattr(self, name, value)

    def __repr__(self) -> str:
        form = f"{self.format}, " if self.format else ""
        counts = f"{_counted(self.faces, 'face')}, {_counted(self.components, 'component')}"
        return f"{form}{counts}, {'closed' if self.closed else 'open'}, area {self.area:.4g}"


def info(mesh: MeshLike) -> Info:
    """Counts of vertices, faces, edges and components, area, volume, bounding box, and what is unusual about a mesh."""
    known = _mesh(mesh)
    facts = {"format": known.format, **_fovea.mesh.info(known._mesh)}
    return Info(facts, command_line("fovea", "mesh", "info", known._name, *known._words, "--json"))


class Segmentation(Table):
    """The parts of a mesh. As an array it is its labels, as a table it has one row per face."""

    mesh: Mesh  #: the mesh that was divided
    labels: Ints  #: one per face: the part that it belongs to, from 0
    count: int  #: how many parts there are
    pieces: Ints  #: one per face: the connected piece of a part, from 0; a part may have several
    piece_count: int  #: how many pieces there are
    representatives: Ints  #: one face per part
    membership: Floats  #: one per face: how surely it belongs to its part, up to 1
    chosen: bool  #: whether the number of parts was chosen
    cut_value: float  #: what the minimum cuts cost
    engine: str  #: what found shortest paths; empty where nothing did
    seconds: dict[str, float]  #: how long graph, distances, grouping and cut took

    _compared = (
        "mesh",
        "labels",
        "count",
        "pieces",
        "piece_count",
        "representatives",
        "membership",
        "chosen",
        "cut_value",
    )

    def __init__(self, mesh: Mesh, found: dict[str, Any], **origin: Any) -> None:
        super().__init__(origin["options"], origin["provenance"], origin["command"])
        self.mesh = mesh
        for name, value in found.items():
            setattr(self, name, value)
        self._elapsed = origin["seconds"]

    @property
    def file_labels(self) -> Ints:
        """One label per face of the file, whose polygons have the label of their first triangle."""
        labels: Ints = _fovea.mesh.file_labels(self.mesh._mesh, self.labels)
        return labels

    @property
    def colors(self) -> Bytes:
        """The color of each face in pictures and files, of shape (m, 3)."""
        colors: Bytes = _fovea.mesh.part_colors(self.labels)
        return colors

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        """The labels."""
        return self.labels.astype(dtype or np.int32, copy=bool(copy))

    def columns(self) -> dict[str, np.ndarray[Any, Any]]:
        """label, piece and membership, one row per face."""
        return {"label": self.labels, "piece": self.pieces, "membership": self.membership}

    def split(self) -> list[Mesh]:
        """Each part as a mesh of its own, with the vertices that it uses."""
        meshes = []
        for label in range(self.count):
            corners = self.mesh.faces[self.labels == label]
            used, faces = np.unique(corners, return_inverse=True)
            meshes.append(Mesh(self.mesh.vertices[used], faces.reshape(corners.shape).astype(np.int32)))
        return meshes

    def to_trimesh(self) -> Any:
        """A ``trimesh.Trimesh`` with a color per face and the labels in ``face_attributes["label"]``."""
        import trimesh

        return trimesh.Trimesh(
            self.mesh.vertices.copy(),
            self.mesh.faces.copy(),
            face_colors=self.colors,
            face_attributes={"label": self.labels},
            process=False,
        )

    @takes_options(_fovea.mesh.parts_picture_options())
    def render(
        self, show: Literal["parts", "membership"] = "parts", **options: Unpack[MeshPartsPictureOptions]
    ) -> Bytes:
        """A picture, drawn without a display, in the colors of the parts, or of how surely faces belong to them."""
        word(show, "show", ("parts", "membership"))
        surety = self.membership if show == "membership" else None
        picture: Bytes = _fovea.mesh.render_parts(self.mesh._mesh, self.labels, surety, dict(options))
        return picture

    @takes_options(_fovea.mesh.page_options())
    def page(self, **options: Unpack[MeshPageOptions]) -> str:
        """An HTML page on which the mesh can be turned by hand. It needs nothing but a browser."""
        words = dict(options)
        words.setdefault("title", os.path.basename(self.mesh._name) if self.mesh._name != "MESH" else "mesh")
        words.setdefault("text", f"{_counted(len(self.labels), 'face')} in {_counted(self.count, 'part')}")
        return str(_fovea.mesh.page(self.mesh._mesh, self.labels, words))

    @takes_options(_fovea.mesh.write_options())
    def save(self, path: Path, **options: Unpack[MeshWriteOptions]) -> None:
        """Writes the mesh with its parts as .ply, .glb, .obj, .off or .stl, or labels of the file's faces as .seg."""
        if path_of(path).endswith(".seg"):
            write_labels(path, self.file_labels)
        else:
            write(path, self.mesh, self.labels, **options)

    def __repr__(self) -> str:
        pieces = f", {self.piece_count} pieces" if self.piece_count != self.count else ""
        made = f"{self.options['method']}, {self.provenance['device']}, {1000 * self._elapsed:.0f} ms"
        return f"{_counted(self.count, 'part')} of {_counted(len(self.labels), 'face')}{pieces} ({made})"

    def _repr_png_(self) -> bytes:
        return png_bytes(self.render())


def _counted(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


class Segmenter:
    """Divides one mesh after another into parts. Threads take turns; several segmenters run side by side."""

    @takes_options(_fovea.mesh.segment_options())
    def __init__(self, parts: int | Literal["auto"] = "auto", **options: Unpack[MeshSegmentOptions]) -> None:
        """Takes the number of parts, or ``auto`` to choose it for each mesh."""
        count = 0 if isinstance(parts, str) and parts == "auto" else parts
        self._keywords: dict[str, Any] = {"parts": count, **options}
        self._segmenter = _fovea.mesh.Segmenter(self._keywords)
        self._options: dict[str, Any] = dict(self._segmenter.options)
        self._words = list(self._segmenter.words)

    @property
    def options(self) -> dict[str, Any]:
        """Every option with its value."""
        return dict(self._options)

    def segment(self, mesh: MeshLike) -> Segmentation:
        """Divides a mesh into parts that people would name. Connected components are divided separately."""
        return self._divided(self._segmenter, mesh)

    def segment_all(
        self, meshes: Iterable[MeshLike], *, progress: Progress = False, on_error: OnError = "raise"
    ) -> Iterator[Segmentation]:
        """Divides several meshes, some at a time, and yields their segmentations in order.

        A mesh that cannot be read or divided raises its error, or is left out with a warning for
        ``on_error="skip"``."""
        if isinstance(meshes, (str, bytes, dict, os.PathLike)) or not isinstance(meshes, Iterable):
            raise InvalidType(f"meshes is {shown(meshes)}; expected several meshes, such as [mesh]")
        count = len(meshes) if isinstance(meshes, Sequence) else None
        device = self._options["device"]
        number, threads = _fovea.files.plan_workers(device, self._options["threads"], count or 0)
        if device != "cpu":
            number = 1  # a single segmenter may take the whole memory of a GPU
        segmenters = [_fovea.mesh.Segmenter({**self._keywords, "threads": threads}) for _ in range(number)]
        every = SideBySide(segmenters, "meshes", count, progress, skips(on_error))
        return every.results(meshes, lambda segmenter, mesh, index: self._divided(segmenter, mesh))

    def _divided(self, segmenter: Any, mesh: MeshLike) -> Segmentation:
        start = time.perf_counter()
        known = _mesh(mesh)
        found = segmenter.segment(known._mesh)
        words = [*known._words, *self._words]
        command = command_line("fovea", "mesh", "segment", known._name, "--seg", "LABELS.seg", *words)
        return Segmentation(
            known,
            found,
            options=self.options,
            provenance={"device": self._options["device"], "seed": self._options["seed"]},
            command=command,
            seconds=time.perf_counter() - start,
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return _segmenter_of, (self._keywords,)

    def __repr__(self) -> str:
        parts = self._options["parts"] or "auto"
        return f"Segmenter(parts {parts}, {self._options['method']}, device {self._options['device']!r})"


def _segmenter_of(keywords: dict[str, Any]) -> Segmenter:
    return Segmenter(**keywords)


@takes_options(_fovea.mesh.segment_options())
def segment(
    mesh: MeshLike, parts: int | Literal["auto"] = "auto", **options: Unpack[MeshSegmentOptions]
) -> Segmentation:
    """Divides a single mesh into parts that people would name: a Segmenter that is used once.

    ``parts`` is their number, or ``auto`` to choose it."""
    return Segmenter(parts, **options).segment(mesh)


class Distances(Result):
    """Distances over the surface of a mesh, from face to face. They are infinite between components."""

    mesh: Mesh
    source: Any  #: the face or faces that distances start at; None for all
    values: Floats  #: one per face, or one row per source
    engine: str  #: what found the shortest paths
    why: str  #: why this engine was chosen

    _compared = ("mesh", "source", "values")

    def __init__(self, mesh: Mesh, source: Any, values: Floats, **origin: Any) -> None:
        super().__init__(origin["options"], origin["provenance"], origin["command"])
        self.mesh, self.source, self.values = mesh, source, values
        self.engine, self.why = origin["engine"], origin["why"]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        return self.values.astype(dtype or np.float32, copy=bool(copy))

    @takes_options(_fovea.mesh.values_picture_options())
    def render(self, **options: Unpack[MeshValuesPictureOptions]) -> Bytes:
        """A picture of the distances from one face, drawn without a display."""
        if self.values.ndim != 1:
            raise InvalidArgument("render() shows the distances from one face; give source=FACE")
        picture: Bytes = _fovea.mesh.render_values(self.mesh._mesh, self.values, "distance", dict(options))
        return picture

    def save(self, path: Path) -> None:
        """Writes the distances as .npy."""
        np.save(path_of(path), self.values)

    def __repr__(self) -> str:
        finite = self.values[np.isfinite(self.values)]
        shape = "x".join(str(size) for size in self.values.shape)
        return f"{shape} distances up to {finite.max():.4g} ({self.engine}, {self.provenance['device']})"

    def _repr_png_(self) -> bytes | None:
        return png_bytes(self.render()) if self.values.ndim == 1 else None


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


@takes_options(_fovea.mesh.distance_options())
def distances(
    mesh: MeshLike, source: Any = None, *, progress: Progress = False, **options: Unpack[MeshDistanceOptions]
) -> Distances:
    """Shortest paths over the faces of a mesh, from one face, from several, or from every face to every other.

    A step from face to face costs its length and its angle, as in Katz and Tal; with ``alpha=1`` it costs its length
    alone. Without a source the result is a square array of 4 bytes times the square of the number of faces.

    A Mesh keeps the graph of its faces for the next call; from arrays and other objects it is made each time."""
    known = _mesh(mesh)
    source, single = _faces(source)
    with reporting(progress) as report:
        faces = np.array([source], dtype=np.int64) if single else source
        found = _fovea.mesh.distances(known._graph, known._mesh, faces, dict(options), report)
    values, engine, why, used, words = found
    words = [*known._words, *words]
    start = ["fovea", "mesh", "distances", known._name]
    if source is None:
        lines = [command_line(*start, *words, "-o", "DISTANCES.npy")]
    else:
        named = [(source, "DISTANCES.npy")] if single else [(face, f"DISTANCES_{face}.npy") for face in source]
        lines = [command_line(*start, "--from", face, *words, "-o", to) for face, to in named]
    return Distances(
        known,
        source,
        values[0] if single else values,
        engine=str(engine),
        why=str(why),
        options=dict(used),
        provenance={"device": used["device"], "seed": used["seed"]},
        command="\n".join(lines),
    )


class DualGraph(NamedTuple):
    """The graph whose nodes are the faces of a mesh and whose arcs are shared edges."""

    arcs: Ints  #: the two faces of each arc, of shape (k, 2), the lower one first
    geodesic: Floats  #: one per arc: the distance of the centroids with both faces unfolded into a plane
    angle: Floats  #: one per arc: the angle between the normals in radians
    concave: np.ndarray[Any, np.dtype[np.bool_]]  #: one per arc: whether the edge is a valley, seen from outside
    edge: Floats  #: one per arc: the length of the edge
    areas: Floats  #: one per face
    centroids: Floats  #: of shape (m, 3)
    normals: Floats  #: unit vectors that point outward, of shape (m, 3); 0 for faces without area
    components: Ints  #: one per face: its connected component, from 0


def dual_graph(mesh: MeshLike, smoothing: int = 0) -> DualGraph:
    """The graph of neighboring faces. Normals are averaged ``smoothing`` times before angles are measured."""
    parts = _fovea.mesh.dual_graph(_mesh(mesh)._mesh, min(whole_number(smoothing, "smoothing"), 1_000_000))
    arcs = np.stack([parts.pop("a"), parts.pop("b")], axis=1)
    return DualGraph(arcs=arcs, **parts)


class Comparison(Result):
    """How much a segmentation differs from others, by the measures of the Princeton benchmark: 0 for equal ones."""

    rand: float  #: share of pairs of faces, by area, that are together here and apart there
    cut_discrepancy: float  #: mean distance from borders to borders, relative to the size of the mesh
    hamming: float  #: mean of the two below
    hamming_missing: float
    hamming_false: float
    global_consistency: float
    local_consistency: float

    _measures = (
        "rand",
        "cut_discrepancy",
        "hamming",
        "hamming_missing",
        "hamming_false",
        "global_consistency",
        "local_consistency",
    )
    _compared = _measures

    def __init__(self, errors: dict[str, float], command: str) -> None:
        super().__init__({}, {"device": "cpu", "seed": None}, command)
        for name, value in errors.items():
            setattr(self, name, value)

    def to_dict(self) -> dict[str, float]:
        """The measures by name."""
        return {name: getattr(self, name) for name in self._measures}

    def __repr__(self) -> str:
        return f"Rand error {self.rand:.3f}, cut {self.cut_discrepancy:.3f}, Hamming {self.hamming:.3f}"


def _labels(value: Any, name: str) -> Any:
    if isinstance(value, Segmentation):
        return value.labels
    if is_path(value):
        return read_labels(value)
    if value is None:
        raise InvalidType(f"{name} is None; expected labels, a Segmentation, or a path")
    return value


def evaluate(labels: Any, truth: Any, *, mesh: MeshLike | None = None) -> Comparison:
    """Compares a segmentation with the true one, or with several that people made: then each measure is the mean.

    Labels and truth are arrays of int32 or int64 with one number per face, Segmentations or paths of label files; truth
    may be a list of them. The measures need the mesh, which a Segmentation brings along."""
    given = mesh if mesh is not None else next((s.mesh for s in (labels, truth) if isinstance(s, Segmentation)), None)
    if given is None:
        raise InvalidArgument("the measures depend on the mesh; give mesh=MESH, or a Segmentation as labels")
    truths = [_labels(each, "truth") for each in (truth if isinstance(truth, (list, tuple)) else [truth])]
    errors = _fovea.mesh.evaluate(_mesh(given)._mesh, _labels(labels, "labels"), truths)
    folders = ("--meshes", "MESHES", "--segmentations", "TRUTHS", "--labels", "LABELS", "--no-people", "--json")
    return Comparison(dict(errors), command_line("fovea", "mesh", "eval", *folders))
