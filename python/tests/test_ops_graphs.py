"""Operations on graphs: closed forms, rivals, and input that is refused."""

from __future__ import annotations

import numpy as np
import pytest

import fovea
from fovea import ops


def error_of(call, kind=fovea.InvalidArgument):
    with pytest.raises(kind) as caught:
        call()
    assert isinstance(caught.value, fovea.Error) and "\n" not in str(caught.value)
    return str(caught.value)


@pytest.fixture
def graph():
    """Arcs and costs of a random graph of 60 nodes."""
    rng = np.random.default_rng(6)
    return rng.integers(0, 60, (150, 2)), rng.uniform(0.1, 5, 150)


def test_shortest_paths_of_a_chain():
    arcs, costs = np.array([[0, 1], [1, 2], [2, 2]], np.int32), np.array([1, 2, 0], np.float32)
    distances = ops.all_distances(arcs, costs, nodes=4)
    inf = np.inf
    assert distances.dtype == np.float32
    assert distances.tolist() == [[0, 1, 3, inf], [1, 0, 2, inf], [3, 2, 0, inf], [inf, inf, inf, 0]]
    assert ops.all_distances(arcs, costs, cutoff=2).tolist() == [[0, 1, inf], [1, 0, 2], [inf, 2, 0]]
    nearest = ops.nearest_source(arcs, costs, np.array([2, 0]), nodes=4)
    assert nearest.distance.tolist() == [0, 1, 0, inf] and nearest.source.tolist() == [1, 1, 0, -1]
    empty = ops.all_distances(np.zeros((0, 2), np.int32), np.zeros(0))
    assert empty.shape == (0, 0) and ops.distances_from(arcs, costs, np.zeros(0, np.int32)).shape == (0, 3)


def test_arcs_may_lead_one_way():
    arcs, costs = np.array([[0, 1], [1, 2]], np.int32), np.array([1, 2], np.float32)
    inf = np.inf
    for engine in ("auto", "dijkstra", "floyd-warshall"):
        distances = ops.all_distances(arcs, costs, directed=True, engine=engine, device="cpu")
        assert distances.tolist() == [[0, 1, 3], [inf, 0, 2], [inf, inf, 0]]
    assert ops.distances_from(arcs, costs, np.array([1]), directed=True).tolist() == [[inf, 0, 2]]
    nearest = ops.nearest_source(arcs, costs, np.array([1]), directed=True, device="cpu")
    assert nearest.distance.tolist() == [inf, 0, 2] and nearest.source.tolist() == [-1, 0, 0]
    assert "partitioned" in error_of(lambda: ops.all_distances(arcs, costs, directed=True, engine="partitioned"))


def test_engines_agree(graph):
    arcs, costs = graph
    expected = ops.all_distances(arcs, costs, nodes=61, device="cpu")
    assert np.array_equal(expected, expected.T) and np.all(np.isinf(expected[60, :60]))
    for engine in ("dijkstra", "floyd-warshall", "partitioned"):
        assert np.allclose(ops.all_distances(arcs, costs, nodes=61, engine=engine, device="cpu"), expected, rtol=1e-4)
    assert np.allclose(ops.distances_from(arcs, costs, np.array([3, 5]), nodes=61), expected[[3, 5]], rtol=1e-4)


def test_shortest_paths_are_those_of_scipy(graph):
    scipy = pytest.importorskip("scipy.sparse", reason="SciPy is not installed")
    from scipy.sparse.csgraph import shortest_path

    arcs, costs = graph
    dense = np.full((60, 60), np.inf)
    np.minimum.at(dense, tuple(arcs.T), costs)
    dense[np.arange(60), np.arange(60)] = np.inf
    matrix = scipy.csr_matrix(np.where(np.isinf(dense), 0, dense))
    for directed in (False, True):
        expected = shortest_path(matrix, directed=directed)
        assert np.allclose(ops.all_distances(arcs, costs, nodes=60, directed=directed), expected, rtol=1e-5)


def test_minimum_cut_of_a_chain():
    arcs, capacities = np.array([[0, 1], [1, 2], [2, 3]]), np.array([5, 2, 3.0])
    inf = np.inf
    cut = ops.minimum_cut(arcs, capacities, np.array([inf, 0, 0, 0]), np.array([0, 0, 0, inf]))
    assert cut.source_side.tolist() == [True, True, False, False] and cut.value == 2
    assert cut.source_side.dtype == np.bool_
    preferring = ops.minimum_cut(arcs, capacities, np.array([inf, 0, 9, 0]), np.array([0, 0, 0, inf]))
    assert preferring.source_side.tolist() == [True, True, True, False] and preferring.value == 3
    free = ops.minimum_cut(np.zeros((0, 2), int), np.zeros(0), np.array([1.0, 0, 0]), np.array([0.5, 0, 2]))
    assert free.source_side.tolist() == [True, False, False] and free.value == 0.5
    torn = ops.minimum_cut(arcs, capacities, np.full(4, inf), np.full(4, inf))
    assert torn.value == inf


def test_cuts_are_the_same_on_every_device():
    if fovea.cuda_absence():
        pytest.skip(f"no GPU: {fovea.cuda_absence()}")
    rng, nodes = np.random.default_rng(9), np.arange(600).reshape(20, 30)
    arcs = np.concatenate([np.stack([nodes[:, :-1].ravel(), nodes[:, 1:].ravel()], 1),
                           np.stack([nodes[:-1].ravel(), nodes[1:].ravel()], 1)])
    for capacities in (rng.random(len(arcs)), rng.integers(0, 3, len(arcs)).astype(float)):
        ties = 2 * rng.random((2, nodes.size))
        expected, found = (ops.minimum_cut(arcs, capacities, *ties, device=device) for device in ("cpu", "cuda"))
        assert np.array_equal(found.source_side, expected.source_side) and found.value == expected.value


def test_cuts_are_the_flows_of_scipy():
    scipy = pytest.importorskip("scipy.sparse", reason="SciPy is not installed")
    from scipy.sparse.csgraph import maximum_flow

    rng = np.random.default_rng(8)
    arcs = np.array([(a, b) for a in range(12) for b in range(a) if rng.random() < 0.4])
    capacities = rng.integers(1, 20, len(arcs))
    dense = np.zeros((12, 12), np.int32)
    dense[tuple(arcs.T)] = capacities
    flow = maximum_flow(scipy.csr_matrix(dense + dense.T), 0, 11)
    ties = np.zeros((2, 12))
    ties[0, 0] = ties[1, 11] = np.inf
    cut = ops.minimum_cut(arcs, capacities.astype(np.float64), *ties)
    assert cut.value == flow.flow_value and cut.source_side[0] and not cut.source_side[11]


def test_progress_of_shortest_paths():
    rng = np.random.default_rng(11)
    arcs = np.concatenate([np.stack([np.arange(1999), np.arange(1, 2000)], 1), rng.integers(0, 2000, (4000, 2))])
    reports, costs = [], rng.random(len(arcs))
    ops.all_distances(arcs, costs, engine="dijkstra", device="cpu", progress=lambda *r: reports.append(r))
    assert reports and reports[-1][0] == "distances" and reports[-1][1] <= reports[-1][2]


def test_bad_graphs_are_refused():
    arcs, costs = np.array([[0, 1], [1, 2]]), np.array([1.0, 2.0])
    for call in (lambda a, c: ops.all_distances(a, c), lambda a, c: ops.distances_from(a, c, np.array([0])),
                 lambda a, c: ops.nearest_source(a, c, np.array([0])),
                 lambda a, c: ops.minimum_cut(a, c, np.zeros(3), np.zeros(3))):
        assert "arcs is None" in error_of(lambda call=call: call(None, costs), TypeError)
        assert "arcs is float64" in error_of(lambda call=call: call(arcs + 0.5, costs))
        assert "2 nodes per arc" in error_of(lambda call=call: call(np.zeros((2, 3), int), costs))
        assert "is complex128" in error_of(lambda call=call: call(arcs, np.array([1, 2j])), TypeError)
        assert "3 elements for 2 arcs" in error_of(lambda call=call: call(arcs, np.ones(3)))
        for bad in (-1, np.nan, np.inf):
            refusal = error_of(lambda call=call, bad=bad: call(arcs, np.array([1.0, bad])))
            assert "expected a finite number of 0 or more" in refusal
        for node in (-1, 2**40):
            assert f"node {node}" in error_of(lambda call=call, node=node: call(np.array([[0, node], [0, 1]]), costs))
    assert "there are 2 nodes" in error_of(lambda: ops.all_distances(arcs, costs, nodes=2))
    assert "nodes is 2.5" in error_of(lambda: ops.all_distances(arcs, costs, nodes=2.5), TypeError)
    assert "cutoff" in error_of(lambda: ops.all_distances(arcs, costs, cutoff=-1))
    assert "source 3; there are 3 nodes" in error_of(lambda: ops.distances_from(arcs, costs, np.array([3])))
    assert "expected auto, dijkstra" in error_of(lambda: ops.all_distances(arcs, costs, engine="bfs"))
    assert "one per node in both" in error_of(lambda: ops.minimum_cut(arcs, costs, np.zeros(3), np.zeros(2)))
    assert "expected a finite number" in error_of(lambda: ops.minimum_cut(arcs, costs, np.full(3, np.nan), np.zeros(3)))


def test_more_distances_than_memory_holds_are_refused():
    with pytest.raises((fovea.Error, MemoryError)):
        ops.all_distances(np.array([[0, 2**31 - 3]]), np.array([1.0]))


@pytest.mark.skipif(bool(fovea.cuda_absence()), reason=f"no GPU: {fovea.cuda_absence()}")
def test_a_gpu_gives_the_same_distances(graph):
    arcs, costs = graph
    sources = np.array([3, 5, 3])
    for directed in (False, True):
        for call in (
            lambda device: ops.distances_from(arcs, costs, sources, nodes=61, directed=directed, device=device),
            lambda device: ops.nearest_source(arcs, costs, sources, nodes=61, directed=directed, device=device),
            lambda device: ops.all_distances(arcs, costs, 61, directed=directed, engine="floyd-warshall", device=device),
        ):
            for expected, found in zip(call("cpu"), call("cuda")):
                assert np.array_equal(expected, found)
