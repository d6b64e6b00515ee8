"""Parts of triangle meshes, distances over their surfaces, and mesh files.

A mesh is an object with ``vertices`` and ``faces``, such as a ``trimesh.Trimesh``, a tuple of both arrays, or the path
of an OFF, OBJ, PLY or STL file. Vertices are float32 or float64 of shape (n, 3), faces int32 or int64 of shape (m, 3).
Work is done with coordinates of float32.
"""

from ._costs import (
    Clusters,
    Diameters,
    DualGraph,
    arc_costs,
    dual_graph,
    fuzzy_clusters,
    read_costs,
    shape_diameters,
    write_costs,
)
from ._distances import Distances, distances
from ._evaluate import Comparison, evaluate
from ._mesh import Info, Mesh, info, read, read_labels, write, write_labels
from ._segment import FaceExplanation, HierarchyNode, Segmentation, SegmentExplanation, Segmenter, segment

__all__ = [
    "Clusters",
    "Comparison",
    "Diameters",
    "Distances",
    "DualGraph",
    "FaceExplanation",
    "HierarchyNode",
    "Info",
    "Mesh",
    "SegmentExplanation",
    "Segmentation",
    "Segmenter",
    "arc_costs",
    "distances",
    "dual_graph",
    "evaluate",
    "fuzzy_clusters",
    "info",
    "read",
    "read_costs",
    "read_labels",
    "segment",
    "shape_diameters",
    "write",
    "write_costs",
    "write_labels",
]
