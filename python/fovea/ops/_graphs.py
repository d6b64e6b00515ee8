"""Operations over graphs: shortest paths and minimum cuts.

A graph is undirected unless a call says otherwise. Arcs are a matrix of int32 or int64 with the two nodes of an arc per
row; nodes are numbered from 0, and there is one more than the greatest number, or ``nodes`` of them. Numbers per arc are
float32 or float64.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .. import _fovea, _options
from .._keywords import takes_options
from .._options import Unpack
from .._progress import Progress, reporting

Floats = np.ndarray[Any, np.dtype[np.float32]]


class Nearest(NamedTuple):
    """The nearest source of every node."""

    distance: Floats  #: infinite where there is no path to any
    source: np.ndarray[Any, np.dtype[np.int32]]  #: its place among the sources; -1 where there is no path to any


class Cut(NamedTuple):
    """The cheapest way to divide a graph."""

    source_side: np.ndarray[Any, np.dtype[np.bool_]]  #: one per node
    value: float  #: the sum of the capacities that are cut, which is the greatest flow


class Assignment(NamedTuple):
    """Rows paired with columns."""

    column_of: np.ndarray[Any, np.dtype[np.int32]]  #: the column of each row; -1 where it has none
    cost: float  #: the sum of the costs of all pairs


@takes_options(_fovea.ops.all_distances_options(), rules=("strict",))
def all_distances(
    arcs: Any,
    costs: Any,
    nodes: int | None = None,
    *,
    cutoff: float | None = None,
    progress: Progress = False,
    **options: Unpack[_options.OpsAllDistancesOptions],
) -> Floats:
    """The lengths of the shortest paths between all nodes, a matrix of float32, infinite without a path.

    It is symmetric, unless arcs are ``directed``: then a row has the distances from its node. Costs are 0 or more and count in single precision; of several arcs between two nodes the cheapest counts. Distances
    beyond ``cutoff`` are infinite."""
    with reporting(progress) as report:
        distances: Floats = _fovea.ops.all_distances(arcs, costs, nodes, cutoff, report, dict(options))
    return distances


@takes_options(_fovea.ops.distances_from_options(), rules=("strict",))
def distances_from(
    arcs: Any,
    costs: Any,
    sources: Any,
    nodes: int | None = None,
    *,
    cutoff: float | None = None,
    **options: Unpack[_options.OpsDistancesFromOptions],
) -> Floats:
    """The lengths of the shortest paths from some nodes (int32 or int64) to all nodes, float32, one row per source.

    CPU and GPU give the same numbers; ``device="auto"`` takes a GPU from about a million distances on."""
    return _fovea.ops.distances_from(arcs, costs, sources, nodes, cutoff, dict(options))


@takes_options(_fovea.ops.nearest_source_options(), rules=("strict",))
def nearest_source(
    arcs: Any,
    costs: Any,
    sources: Any,
    nodes: int | None = None,
    *,
    cutoff: float | None = None,
    **options: Unpack[_options.OpsNearestSourceOptions],
) -> Nearest:
    """For every node the nearest of some nodes (int32 or int64) and its distance.

    CPU and GPU give the same numbers; ``device="auto"`` takes a GPU from about a million nodes on."""
    return Nearest(*_fovea.ops.nearest_source(arcs, costs, sources, nodes, cutoff, dict(options)))


@takes_options(_fovea.ops.minimum_cut_options(), rules=("strict",))
def minimum_cut(
    arcs: Any, capacities: Any, to_source: Any, to_sink: Any, **options: Unpack[_options.OpsMinimumCutOptions]
) -> Cut:
    """The cheapest division of an undirected graph into a source side and a sink side, which is also the greatest flow.

    ``to_source`` has for every node what it costs to lie on the sink's side, ``to_sink`` what it costs to lie on the
    source's side; infinity holds a node on one side. A node that nothing ties lies on the sink's side. Numbers are
    float32 or float64, 0 or more. Of several cheapest divisions it is the one with the fewest nodes on the source's
    side, on every device."""
    return Cut(*_fovea.ops.minimum_cut(arcs, capacities, to_source, to_sink, dict(options)))


def assign(costs: Any) -> Assignment:
    """Pairs the rows of a matrix of float64 with its columns at the least cost.

    As many rows as possible get a column, and infinity forbids a pair. Costs may be negative."""
    return Assignment(*_fovea.ops.assign(costs))
