"""Parts of meshes."""

from __future__ import annotations

import functools
import os
import time
from collections.abc import Callable, Iterable
from typing import Any, Literal, NamedTuple

import numpy as np

from .. import _fovea, _options
from .._arguments import OnError, counted, shown, whole_number, word
from .._batch import Results
from .._explanation import Explanation
from .._keywords import takes_options
from .._notebook import png_of
from .._operation import Operated
from .._options import Unpack
from .._progress import Progress
from .._records import MeshSegmentFields as _Segmentation
from .._results import Table, rows_of
from .._rules import in_its_colors
from .._saved import Saved, of_operation
from ..errors import InvalidArgument, InvalidType
from ..files import Path
from ._costs import CostsLike, DualGraph, costs_of
from ._mesh import Bytes, Floats, Ints, Mesh, MeshLike, mesh_like, meshes_of


class HierarchyNode(NamedTuple):
    """A part of a mesh in the tree of its divisions into two. Roots, the connected components, come first."""

    parent: int  #: the number of the node that was divided; -1 for a root
    level: int  #: how many divisions are above it
    children: tuple[int, int]  #: the numbers of its halves; -1 where it was not divided
    part: int  #: the label of the part that it is, or of the first part inside it
    representative: int  #: the face that represents it
    faces: int  #: how many faces belong to it
    area: float  #: its share of the mesh's area
    apart: float  #: the distance between the representatives of its children


@of_operation("mesh segment")
class Segmentation(Saved, Table, _Segmentation):
    """The parts of a mesh. As an array it is its labels, as a table it has one row per face."""

    mesh: Mesh  #: the mesh that was divided
    #: one row per face, one column per part: how much it belongs to each; a row adds up to 1. None without
    #: ``keep_memberships=True``
    memberships: Floats | None  # type: ignore[assignment]
    hierarchy: list[HierarchyNode]  # type: ignore[assignment]  #: the tree of ``division="hierarchical"``

    _compared = ("mesh",)

    def _take(self, values: dict[str, Any]) -> None:
        each: Floats = values["memberships"]
        memberships = each.reshape(values["faces"], values["parts"]) if len(each) else None
        super()._take({**values, "memberships": memberships, "hierarchy": rows_of(HierarchyNode, values["hierarchy"])})

    @property
    def count(self) -> int:
        """How many parts there are: ``parts``."""
        return self.parts

    @property
    def pieces(self) -> Ints:  # type: ignore[override]  # the program's JSON counts them under this name
        """One per face: the connected piece of a part, from 0; a part may have several."""
        return self.face_pieces

    @property
    def piece_count(self) -> int:
        """How many pieces there are."""
        return int(self.__dict__["pieces"])

    @property
    def seconds(self) -> dict[str, float]:
        """How long graph, distances, grouping and cut took."""
        return {name: getattr(self, f"{name}_seconds") for name in ("graph", "distance", "cluster", "cut")}

    @property
    def file_labels(self) -> Ints:
        """One label per face of the file, whose polygons have the label of their first triangle."""
        return _fovea.mesh.file_labels(self.mesh._mesh, self.labels)

    @property
    def colors(self) -> Bytes:
        """The color of each face in pictures and files, of shape (m, 3)."""
        return _fovea.mesh.part_colors(self.labels)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        """The labels."""
        return self.labels.astype(dtype or np.int32, copy=bool(copy))

    def columns(self) -> dict[str, np.ndarray[Any, Any]]:
        """label, piece and membership, one row per face; with ``keep_memberships`` also membership_0 and so on."""
        each = {} if self.memberships is None else {f"membership_{i}": m.copy() for i, m in enumerate(self.memberships.T)}
        return {"label": self.labels, "piece": self.pieces, "membership": self.membership, **each}

    @property
    def levels(self) -> int:
        """How many levels the tree has: 1 where nothing was divided, 0 without ``division="hierarchical"``."""
        return int(_fovea.mesh.hierarchy_levels(self.hierarchy))

    def at_level(self, level: int) -> Ints:
        """One label per face at a level of the tree: parts that one part there holds have the label of their first.

        Level 0 has whole components, and from ``levels - 1`` on it is ``labels``."""
        self._require_tree()
        number = whole_number(level, "level")
        if number < 0:
            raise InvalidArgument(f"level is {number}; expected 0 or more")
        return _fovea.mesh.parts_at_level(self.hierarchy, number)[self.labels]

    def tree(self) -> str:
        """The tree of divisions as JSON, as ``save("tree.json")`` writes it."""
        self._require_tree()
        return str(_fovea.mesh.hierarchy_json(self.hierarchy))

    def _require_tree(self) -> None:
        if not self.hierarchy:
            raise InvalidArgument("there is no tree; give division='hierarchical' to segment()")

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

    @in_its_colors
    @takes_options(_fovea.mesh.parts_picture_options(), rules=("color",))
    def render(
        self, show: Literal["parts", "membership"] = "parts", **options: Unpack[_options.MeshPartsPictureOptions]
    ) -> Bytes:
        """A picture, drawn without a display, in the colors of the parts, or of how surely faces belong to them."""
        word(show, "show", ("parts", "membership"))
        surety = self.membership if show == "membership" else None
        return _fovea.mesh.render_parts(self.mesh._mesh, self.labels, surety, dict(options))

    @takes_options(_fovea.mesh.page_options(), rules=())
    def page(self, **options: Unpack[_options.MeshPageOptions]) -> str:
        """An HTML page on which the mesh can be turned by hand. It needs nothing but a browser.

        Where there is a tree of divisions, a slider opens its levels one after the other."""
        words = dict(options)
        words.setdefault("title", os.path.basename(self.mesh._name) if self.mesh._name != "MESH" else "mesh")
        words.setdefault("text", f"{counted(len(self.labels), 'face')} in {counted(self.count, 'part')}")
        return str(_fovea.mesh.page(self.mesh._mesh, self.labels, self.hierarchy, words))

    @takes_options(_fovea.mesh.segment_save_options(), rules=())
    def save(
        self, path: Path, *, output: str | None = None, **options: Unpack[_options.MeshSegmentSaveOptions]
    ) -> None:
        """Writes the mesh with its parts, its labels, a picture, a page, memberships or the tree of divisions. The ending of
        the path says which, unless ``output`` names it."""
        super().save(path, output=output, **options)

    def _input(self) -> Any:
        return self.mesh._mesh

    def __repr__(self) -> str:
        pieces = f", {self.piece_count} pieces" if self.piece_count != self.count else ""
        made = f"{self.options['method']}, {self.provenance['device']}, {1000 * self._seconds:.0f} ms"
        return f"{counted(self.count, 'part')} of {counted(len(self.labels), 'face')}{pieces} ({made})"

    def _repr_png_(self) -> bytes:
        return png_of(self, self.render())


class FaceExplanation(Explanation):
    """Why a face belongs to its part. Its memberships in all parts add up to 1."""

    face: int
    part: int
    runner_up: int  #: the other part with the greatest membership, or -1
    doubt: int  #: the part that a minimum cut might have given it to; -1: it was in no doubt
    before: int  #: the part that it had before cuts
    margin: float  #: membership in its part minus that in the runner-up
    memberships: np.ndarray[Any, np.dtype[np.float64]]  #: one per part
    costs: np.ndarray[Any, np.dtype[np.float64]]  #: by how much all seams would cost more if each part got the face
    touches: list[bool]  #: one per part: whether a neighbor of the face belongs to it
    edges: list[dict[str, Any]]  #: of the face, with their capacities

    def __init__(self, found: tuple[Any, dict[str, Any]], segmentation: Segmentation) -> None:
        shown, numbers = found
        touched = numbers.pop("touched").tolist()
        super().__init__((shown, numbers), segmentation)
        self.touches = [part in touched for part in range(len(self.memberships))]

    @in_its_colors
    def draw(self, image: Any = None, whole: bool = False) -> Bytes:
        """A picture of the mesh, colored by the membership of all faces in the part of this one."""
        return _drawn(self, self._image)


class SegmentExplanation(Explanation):
    """What the seams between the parts of a mesh cost, and why there are so many parts.

    The capacities of all seams add up to ``capacity``."""

    segmentation: Segmentation  #: as ``segment()`` gives it, with memberships
    capacity: float  #: of all edges between two parts
    seams: list[dict[str, Any]]  #: parts, capacity, length, concave_length, edges, weakest and strongest of each
    cuts: list[tuple[tuple[int, int], int, float]]  #: parts, faces in doubt and value of each minimum cut
    counts: list[dict[str, Any]]  #: per component: its number of parts, the rule that chose it, and scores
    doubt: Ints  #: one per face: the part that a cut might have given it to, or -1
    before: Ints  #: one per face: its part before cuts

    def __init__(self, found: Any, segmentation: Segmentation) -> None:
        super().__init__(found.shown(), segmentation)
        self.segmentation = segmentation
        self._found = found

    def face(self, face: int) -> FaceExplanation:
        """Why a face belongs to its part."""
        if self._found is None:
            raise InvalidArgument("an explanation that was pickled has forgotten its faces; explain the mesh again")
        return FaceExplanation(self._found.face(whole_number(face, "face")), self.segmentation)

    @in_its_colors
    def draw(self, image: Any = None, whole: bool = False) -> Bytes:
        """A picture of the mesh, colored by how surely each face belongs to its part."""
        return _drawn(self, self._image)

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_found": None}


def _drawn(explanation: Explanation, segmentation: Any) -> Bytes:
    if segmentation is None:
        raise InvalidArgument("an explanation that was pickled cannot be drawn; explain the mesh again")
    layer = explanation.layers[0]
    return _fovea.mesh.render_values(segmentation.mesh._mesh, layer.values, segmentation.labels, layer.name, {})


class Segmenter(Operated):
    """Divides one mesh after another into parts. Threads take turns; several segmenters run side by side."""

    _operation = "mesh segment"

    @takes_options(_fovea.mesh.segment_options(), rules=("strict",))
    def __init__(self, parts: int | Literal["auto"] = "auto", **options: Unpack[_options.MeshSegmentOptions]) -> None:
        """Takes the number of parts, or ``auto`` to choose it for each mesh."""
        keywords = {"parts": 0 if isinstance(parts, str) and parts == "auto" else parts, **options}
        self._begin_operation(keywords, {}, **keywords)

    def segment(self, mesh: MeshLike, costs: CostsLike = None) -> Segmentation:
        """Divides a mesh into parts that people would name. Connected components are divided separately.

        ``costs`` are your own costs of steps between faces, in place of ``cost``: one number from 0 to 1e30 per arc of
        ``dual_graph(mesh)``, a function of that graph that returns them, or a file of them. They are lengths with
        ``method="fuzzy"`` and resistances otherwise, and borders run where they are high."""
        return self._divided(None, mesh, costs)

    @functools.cached_property
    def _segmenter(self) -> Any:
        """What explains divisions."""
        return _fovea.mesh.Segmenter(self._given)

    def explain(self, mesh: MeshLike, costs: CostsLike = None) -> SegmentExplanation:
        """Divides a mesh as ``segment()`` does, and tells what the seams cost and why there are so many parts."""
        start = time.perf_counter()
        known = mesh_like(mesh)
        own, named = costs_of(costs, known)
        found = self._segmenter.explain(known._mesh, own)
        origin = self._origin("mesh", "segment", *_words(known), end=(*named,), start=start)
        divided = Segmentation(**origin, values=found.segmentation(), mesh=known, _name=known._name)
        return SegmentExplanation(found, divided)

    def segment_all(
        self,
        meshes: Path | Iterable[MeshLike],
        *,
        costs: Callable[[DualGraph], Any] | None = None,
        progress: Progress = False,
        on_error: OnError = "raise",
    ) -> Results[Segmentation]:
        """Divides several meshes, or those of a folder, some at a time; their segmentations come in order.

        ``costs`` is a function that returns the costs of steps between faces of each mesh, from its ``dual_graph()``.
        A mesh that cannot be read or divided raises its error; ``on_error="skip"`` leaves it out and lists it in
        ``failed`` of the results, and ``on_error="warn"`` warns as well. ``to_pandas()`` has one row per mesh."""
        listed, count = meshes_of(meshes)
        if costs is not None and not callable(costs):
            raise InvalidType(f"costs is {shown(costs)}; expected a function of the graph of each mesh")
        every = self._side_by_side("meshes", count, progress, on_error)
        if self._options["device"] != "cpu":
            del every.workers[1:]  # a single segmenter may take the whole memory of a GPU
        return every.results(listed, lambda face, mesh, index: self._divided(face, mesh, costs), Segmentation)

    def _divided(self, face: Any, mesh: MeshLike, costs: CostsLike) -> Segmentation:
        known = mesh_like(mesh)
        own, named = costs_of(costs, known)
        given = {} if own is None else {"costs": own}
        words, end = _words(known), (*named,)
        return self._run(Segmentation, known._mesh, words, face=face, given=given, end=end, mesh=known)

    def __repr__(self) -> str:
        parts = self._options["parts"] or "auto"
        return f"Segmenter(parts {parts}, {self._options['method']}, device {self._options['device']!r})"


def _words(mesh: Mesh) -> list[str]:
    return [mesh._name, "--seg", "LABELS.seg", *mesh._words]


@takes_options(_fovea.mesh.segment_options(), rules=("strict",))
def segment(
    mesh: MeshLike,
    parts: int | Literal["auto"] = "auto",
    *,
    costs: CostsLike = None,
    **options: Unpack[_options.MeshSegmentOptions],
) -> Segmentation:
    """Divides a single mesh into parts that people would name: a Segmenter that is used once.

    ``parts`` is their number, or ``auto`` to choose it. ``costs`` are your own costs of steps between faces: one number
    per arc of ``dual_graph(mesh)``, a function of that graph that returns them, or a file of them.

    >>> corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    >>> fovea.mesh.segment((corners, [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]), parts=2).count
    2"""
    return Segmenter(parts, **options).segment(mesh, costs)
