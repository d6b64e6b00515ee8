"""The graph of a mesh's faces, what its steps cost, shape diameters, and fuzzy clusters of any graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple, Union

import numpy as np

from .. import _fovea, _options
from .._arguments import path_ending, path_of, shown, whole_number
from .._keywords import takes_options
from .._notebook import png_of
from .._options import Unpack
from .._results import Result, command_line
from .._rules import in_its_colors
from ..errors import InvalidArgument, InvalidType
from ..files import Path, is_path
from ._mesh import Bytes, Floats, Ints, Mesh, MeshLike, mesh_like, write


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
    vertices: Ints  #: the two vertices of each arc's edge, of shape (k, 2), the lower one first


def dual_graph(mesh: MeshLike, smoothing: int = 0) -> DualGraph:
    """The graph of neighboring faces. Normals are averaged ``smoothing`` times before angles are measured."""
    parts = _fovea.mesh.dual_graph(mesh_like(mesh)._mesh, min(whole_number(smoothing, "smoothing"), 1_000_000))
    arcs = np.stack([parts.pop("a"), parts.pop("b")], axis=1)
    vertices = np.stack([parts.pop("low"), parts.pop("high")], axis=1)
    return DualGraph(arcs=arcs, vertices=vertices, **parts)


@takes_options(_fovea.mesh.arc_costs_options(), rules=("strict",))
def arc_costs(mesh: MeshLike, **options: Unpack[_options.MeshArcCostsOptions]) -> Floats:
    """What each step between neighboring faces costs, one number per arc of ``dual_graph(mesh)``.

    ``segment()`` and ``distances()`` take such numbers as ``costs``, after you have changed them."""
    return _fovea.mesh.arc_costs(mesh_like(mesh)._mesh, dict(options))[0]


def read_costs(path: Path, mesh: MeshLike, otherwise: float | None = None) -> Floats:
    """Reads one cost per arc of ``dual_graph(mesh)`` from a table or an .npy file.

    A table has the columns face_a, face_b and cost, or vertex_a, vertex_b and cost, as ``write_costs()`` and
    ``fovea mesh arcs`` write them. Arcs that it leaves out cost ``otherwise``; without that they are an error."""
    return _fovea.mesh.read_costs(path_of(path), mesh_like(mesh)._mesh, otherwise)


def write_costs(path: Path, mesh: MeshLike, costs: Any) -> None:
    """Writes the arcs of a mesh with their geometry and these costs as CSV. The file appears whole or not at all."""
    _fovea.mesh.write_costs(path_of(path), mesh_like(mesh)._mesh, costs)


#: What a step costs: one number per arc of ``dual_graph(mesh)``, a function of that graph, or a file of costs.
CostsLike = Union[Callable[["DualGraph"], Any], Path, Any]


def costs_of(costs: CostsLike, mesh: Mesh) -> tuple[Any, list[str]]:
    """Costs as an array, or None, and the words of the program for them."""
    if costs is None:
        return None, []
    if is_path(costs):
        path = path_of(costs)
        return read_costs(path, mesh), ["--costs", path]
    found = costs(dual_graph(mesh)) if callable(costs) else costs
    if found is None:
        raise InvalidType("costs returned None; expected one number per arc")
    return found, ["--costs", "COSTS.npy"]


class Diameters(Result):
    """How thick a body is behind each face of its mesh. As an array it is its values."""

    mesh: Mesh
    values: Floats  #: one per face, in the units of the mesh
    normalized: Floats  #: the same between 0 and 1 on a logarithmic scale, where thin parts count more

    _compared = ("mesh", "values", "normalized")

    def __init__(self, values: Floats, **origin: Any) -> None:
        super().__init__(**origin)
        self.values = values

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        return self.values.astype(dtype or np.float32, copy=bool(copy))

    @in_its_colors
    @takes_options(_fovea.mesh.values_picture_options(), rules=("color",))
    def render(self, **options: Unpack[_options.MeshValuesPictureOptions]) -> Bytes:
        """A picture of the diameters, drawn without a display."""
        return _fovea.mesh.render_values(self.mesh._mesh, self.values, None, "diameter", dict(options))

    def save(self, path: Path) -> None:
        """Writes the diameters as .npy, or the mesh with a property ``diameter`` of its faces as .ply."""
        if path_ending(path, "diameters", (".npy", ".ply")).endswith(".ply"):
            write(path, self.mesh, colors=_fovea.mesh.value_colors(self.values), attributes={"diameter": self.values})
        else:
            _fovea.files.write_floats(path_of(path), self.values)

    def __repr__(self) -> str:
        return f"diameters of {len(self.values)} faces, {self.values.min():.4g} to {self.values.max():.4g}"

    def _repr_png_(self) -> bytes:
        return png_of(self, self.render())


@takes_options(_fovea.mesh.shape_diameters_options(), rules=("strict",))
def shape_diameters(mesh: MeshLike, **options: Unpack[_options.MeshShapeDiametersOptions]) -> Diameters:
    """How thick the body is behind each face: rays leave it inwards in a cone and measure how far the other side is.

    Faces that see nothing, as on an open sheet, have the mean of their neighbors, or 0."""
    known = mesh_like(mesh)
    values, normalized, used = _fovea.mesh.shape_diameters(known._mesh, dict(options))
    words = [*known._words, *_fovea.mesh.diameter_words(dict(options))]
    command = command_line("fovea", "mesh", "arcs", known._name, *words, "--diameters", "DIAMETERS.npy")
    origin = {"options": dict(used), "provenance": {"device": "cpu", "seed": None}, "command": command}
    return Diameters(values, **origin, mesh=known, normalized=normalized)


class Clusters(NamedTuple):
    """Nodes of a graph in clusters, to each of which they belong more or less."""

    labels: Ints  #: one per node: the cluster that it belongs to most, from 0
    memberships: Floats  #: one row per node, one column per cluster; a row adds up to 1
    representatives: Ints  #: one node per cluster
    rounds: int  #: how often representatives moved
    converged: bool  #: whether they stayed in the end
    chosen: bool  #: whether the number of clusters was chosen
    engine: str  #: what found shortest paths; empty where nothing did


@takes_options(_fovea.mesh.fuzzy_clusters_options(), rules=("strict",))
def fuzzy_clusters(
    graph: Any, clusters: int | Literal["auto"] = "auto", **options: Unpack[_options.MeshFuzzyClustersOptions]
) -> Clusters:
    """Clusters the nodes of any graph as Katz and Tal cluster the faces of a mesh, with memberships.

    A graph is ``(arcs, costs)`` or ``(arcs, costs, nodes)``: arcs of shape (k, 2) with int32 or int64, one cost of 0 or
    more per arc, and the number of nodes. Or it is a square array of float32 with the distances between all nodes, by
    any measure, symmetric and infinite without a path. Memory is 4 bytes times the square of the number of nodes."""
    auto = isinstance(clusters, str) and clusters == "auto"
    count = 0 if auto else whole_number(clusters, "clusters", "a number of clusters or 'auto'")
    if count < (0 if auto else 1):
        raise InvalidArgument(f"clusters is {count}; expected 1 or more, or 'auto'")
    words = {"clusters": count, **options}
    if isinstance(graph, (tuple, list)):
        if len(graph) not in (2, 3):
            raise InvalidType(f"graph is a {type(graph).__name__} of {len(graph)}; expected (arcs, costs)")
        found = _fovea.mesh.clusters_of_graph(graph[0], graph[1], graph[2] if len(graph) == 3 else None, words)
    elif graph is None:
        raise InvalidType(f"graph is {shown(graph)}; expected (arcs, costs) or a square of distances")
    else:
        found = _fovea.mesh.clusters_of_distances(graph, words)
    return Clusters(**found)
