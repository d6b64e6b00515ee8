"""Costs, shape diameters, memberships, trees, clusters and distances from several faces: the program's numbers and known ones."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pytest

import fovea
from test_mesh import CUBE, dumbbell, turned

CPU = {"device": "cpu"}


@pytest.fixture(scope="module")
def bell():
    return dumbbell()


@pytest.fixture(scope="module")
def path(tmp_path_factory, bell):
    path = tmp_path_factory.mktemp("meshes") / "bell.off"
    fovea.mesh.write(path, bell)
    return path


def tube():
    """A tube of radius 1 whose wall is as thick everywhere, but for its ends."""
    return turned(lambda z: 1.0 if abs(z) < 2.4 else 0.6, rings=30, around=24)


@pytest.mark.parametrize("options", [{}, {"cost": "angle", "angle_power": 2.0}, {"cost": "diameter", "diameter_rays": 9}, {"cost": "minima-rule", "smoothing": 2}])
def test_the_program_lists_the_same_costs(path, options, tmp_path, program):
    costs = fovea.mesh.arc_costs(path, **options)
    words = " ".join(f"--{name.replace('_', '-')} {value}" for name, value in options.items())
    program(f"fovea mesh arcs MESH {words} -o OUT", MESH=path, OUT=tmp_path / "theirs.csv")
    theirs = np.genfromtxt(tmp_path / "theirs.csv", delimiter=",", names=True)
    assert np.allclose(theirs["cost"], costs, rtol=1e-5)
    graph = fovea.mesh.dual_graph(path)
    assert np.array_equal(np.stack([theirs["face_a"], theirs["face_b"]], axis=1), graph.arcs)
    assert np.array_equal(np.stack([theirs["vertex_a"], theirs["vertex_b"]], axis=1), graph.vertices)
    if not options:
        fovea.mesh.write_costs(tmp_path / "ours.csv", path, costs)
        assert (tmp_path / "ours.csv").read_bytes() == (tmp_path / "theirs.csv").read_bytes()
        assert np.array_equal(fovea.mesh.read_costs(tmp_path / "ours.csv", path), costs)


@pytest.mark.parametrize("options", [{"cost": "diameter"}, {"cost": "random-walk", "method": "fuzzy", "fuzzy_rounds": 2}])
def test_the_program_divides_alike_by_named_costs(path, options, tmp_path, program):
    found = fovea.mesh.segment(path, 3, **CPU, **options)
    program(found.command, **{"LABELS.seg": tmp_path / "theirs.seg"})
    assert np.array_equal(fovea.mesh.read_labels(tmp_path / "theirs.seg"), found.labels)


def test_own_costs_are_an_array_a_function_or_a_file(path, tmp_path, program):
    def valleys(graph):
        return np.where(graph.concave, graph.angle, np.float32(0.01))

    costs = valleys(fovea.mesh.dual_graph(path))
    np.save(tmp_path / "costs.npy", costs)
    found = fovea.mesh.segment(path, 3, costs=costs, **CPU)
    program(found.command, **{"LABELS.seg": tmp_path / "theirs.seg", "COSTS.npy": tmp_path / "costs.npy"})
    assert np.array_equal(fovea.mesh.read_labels(tmp_path / "theirs.seg"), found.labels)
    for other in (valleys, tmp_path / "costs.npy", costs.astype(np.float64)):
        assert fovea.mesh.segment(path, 3, costs=other, **CPU) == found
    segmenter = fovea.mesh.Segmenter(3, **CPU)
    assert segmenter.segment(path, valleys) == found and list(segmenter.segment_all([path], costs=valleys)) == [found]
    far = fovea.mesh.distances(path, 4, costs=valleys, **CPU)
    program(far.command, **{"DISTANCES.npy": tmp_path / "theirs.npy", "COSTS.npy": tmp_path / "costs.npy"})
    far.save(tmp_path / "ours.npy")
    assert (tmp_path / "ours.npy").read_bytes() == (tmp_path / "theirs.npy").read_bytes()
    mesh = fovea.mesh.read(path)
    usual = fovea.mesh.distances(mesh, 4, **CPU)
    assert fovea.mesh.distances(mesh, 4, costs=valleys, **CPU) == far != usual == fovea.mesh.distances(mesh, 4, **CPU)


def test_costs_that_a_file_leaves_out(tmp_path):
    (tmp_path / "some.csv").write_text("face_a,face_b,cost\n0,1,7\n")
    costs = fovea.mesh.read_costs(tmp_path / "some.csv", CUBE, otherwise=2.0)
    assert sorted(costs.tolist()) == [2.0] * 17 + [7.0]
    with pytest.raises(fovea.FormatError):
        fovea.mesh.read_costs(tmp_path / "some.csv", CUBE)


def test_shape_diameters_are_known_and_those_of_the_program(path, tmp_path, program):
    found = fovea.mesh.shape_diameters(tube(), cone=20.0)
    around = np.abs(fovea.mesh.dual_graph(tube()).centroids[:, 2]) < 1.5
    assert np.allclose(found.values[around], 2, rtol=0.05)  # across the tube
    assert found.normalized.min() >= 0 and found.normalized.max() <= 1 and np.array_equal(np.asarray(found), found.values)
    found = fovea.mesh.shape_diameters(path, rays=12, smoothing=1)
    for kind in ("npy", "ply"):
        program(found.command, **{"DIAMETERS.npy": tmp_path / f"theirs.{kind}"})
        found.save(tmp_path / f"ours.{kind}")
        assert (tmp_path / f"ours.{kind}").read_bytes() == (tmp_path / f"theirs.{kind}").read_bytes()
    assert found.render(width=40, height=30).shape[2] == 3 and found._repr_png_().startswith(b"\x89PNG")
    assert pickle.loads(pickle.dumps(found)) == found and "diameters of" in repr(found)


@pytest.mark.parametrize("options", [{}, {"method": "fuzzy"}, {"division": "hierarchical"}])
def test_memberships_are_those_of_the_program(path, options, tmp_path, program):
    found = fovea.mesh.segment(path, 3, keep_memberships=True, **CPU, **options)
    assert found.memberships.shape == (len(found.labels), 3) and np.allclose(found.memberships.sum(axis=1), 1, atol=1e-5)
    places = {"LABELS.seg": tmp_path / "a.seg", "OUT": tmp_path / "theirs.npy", "PLY": tmp_path / "theirs.ply"}
    program(f"{found.command} --memberships OUT -o PLY", **places)
    for kind in ("npy", "ply"):
        found.save(tmp_path / f"ours.{kind}")
        assert (tmp_path / f"ours.{kind}").read_bytes() == (tmp_path / f"theirs.{kind}").read_bytes()
    assert list(found.columns())[3:] == ["membership_0", "membership_1", "membership_2"]
    assert pickle.loads(pickle.dumps(found)) == found
    without = fovea.mesh.segment(path, 3, **CPU, **options)
    assert without.memberships is None and np.array_equal(without.labels, found.labels)
    with pytest.raises(ValueError, match="keep_memberships"):
        without.save(tmp_path / "none.npy")


def test_the_tree_is_that_of_the_program(path, tmp_path, program):
    found = fovea.mesh.segment(path, 4, division="hierarchical", **CPU)
    places = {"LABELS.seg": tmp_path / "a.seg", "TREE": tmp_path / "theirs.json", "PAGE": tmp_path / "page.html"}
    program(f"{found.command} --tree TREE --page PAGE", **places)
    found.save(tmp_path / "ours.json")
    assert (tmp_path / "ours.json").read_bytes() == (tmp_path / "theirs.json").read_bytes()
    assert found.page() == (tmp_path / "page.html").read_text()
    tree = json.loads(found.tree())
    assert tree["levels"] == found.levels and len(tree["nodes"]) == len(found.hierarchy) == 7
    root = found.hierarchy[0]
    assert root.parent == -1 and root.faces == len(found.labels) and root.area == pytest.approx(1)
    assert {node.part for node in found.hierarchy if node.children == (-1, -1)} == set(range(4))
    assert not found.at_level(0).any() and np.array_equal(found.at_level(found.levels - 1), found.labels)
    halves = found.at_level(1)
    assert len(set(halves.tolist())) == 2 and all(len(set(halves[found.labels == part].tolist())) == 1 for part in range(4))
    assert pickle.loads(pickle.dumps(found)) == found
    flat = fovea.mesh.segment(path, 3, **CPU)
    assert flat.hierarchy == [] and flat.levels == 0
    for call in (flat.tree, lambda: flat.at_level(0)):
        with pytest.raises(ValueError, match="division='hierarchical'"):
            call()


def test_distances_from_several_faces_are_those_of_the_program(path, tmp_path, program):
    for options in ({"source": [3, 90, 400]}, {"source": [3, 90], "cutoff": 4.0}, {"source": np.array([3, 90]), "nearest": True}, {"source": 3, "cost": "feature"}):
        found = fovea.mesh.distances(path, **CPU, **options)
        for kind in ("npy", "csv", "ply"):
            program(found.command, **{"DISTANCES.npy": tmp_path / f"theirs.{kind}"})
            found.save(tmp_path / f"ours.{kind}")
            assert (tmp_path / f"ours.{kind}").read_bytes() == (tmp_path / f"theirs.{kind}").read_bytes()
    rows = fovea.mesh.distances(path, [3, 90], **CPU)
    nearest = fovea.mesh.distances(path, [3, 90], nearest=True, **CPU)
    program(f"{nearest.command} --which WHICH --picture OUT --picture-width 60 --picture-height 50", **{"DISTANCES.npy": tmp_path / "x.npy", "WHICH": tmp_path / "which.npy", "OUT": tmp_path / "near.png"})
    assert np.array_equal(np.load(tmp_path / "which.npy"), nearest.nearest)
    assert np.array_equal(nearest.render(width=60, height=50), fovea.read_image(tmp_path / "near.png"))
    assert np.array_equal(nearest.values, rows.values.min(axis=0)) and rows.nearest is None
    closer = np.where(rows.values[0] <= rows.values[1], 3, 90)
    assert np.mean(closer == nearest.nearest) > 0.99 and pickle.loads(pickle.dumps(nearest)) == nearest
    cut = fovea.mesh.distances(path, 3, cutoff=2.0, **CPU).values
    assert np.array_equal(np.isinf(cut), rows.values[0] > 2) and cut[np.isfinite(cut)].max() <= 2
    with pytest.raises(ValueError, match="between all faces"):
        fovea.mesh.distances(CUBE, **CPU).save(tmp_path / "all.ply")


def test_clusters_of_two_cliques():
    a, b = np.triu_indices(5, 1)
    arcs = np.concatenate([np.stack([a, b], 1), np.stack([a, b], 1) + 5, [[4, 5]]])
    costs = np.concatenate([np.ones(2 * len(a)), [10.0]])
    found = fovea.mesh.fuzzy_clusters((arcs, costs), 2, device="cpu")
    assert len(set(found.labels[:5].tolist())) == len(set(found.labels[5:].tolist())) == 1 and found.labels[0] != found.labels[9]
    assert found.memberships.shape == (10, 2) and np.allclose(found.memberships.sum(axis=1), 1, atol=1e-6)
    assert np.array_equal(found.memberships.argmax(axis=1), found.labels) and not found.chosen and found.engine
    square = fovea.ops.all_distances(arcs, costs, device="cpu")
    again = fovea.mesh.fuzzy_clusters(square, 2, device="cpu")
    assert np.array_equal(again.labels, found.labels) and np.allclose(again.memberships, found.memberships, atol=1e-5)
    chosen = fovea.mesh.fuzzy_clusters((arcs.astype(np.int32), costs.astype(np.float32), 10), device="cpu", most_clusters=4)
    assert chosen.chosen and np.allclose(chosen.memberships.sum(axis=1), 1, atol=1e-6)


def test_faces_of_a_mesh_are_a_graph_too(bell):
    graph = fovea.mesh.dual_graph(bell)
    found = fovea.mesh.fuzzy_clusters((graph.arcs, fovea.mesh.arc_costs(bell), len(bell[1])), 2, device="cpu")
    heights = graph.centroids[:, 2]
    assert len(set(found.labels[heights < -1].tolist())) == 1 and len(found.representatives) == 2


def test_properties_of_faces_are_written(tmp_path):
    fovea.mesh.write(tmp_path / "cube.ply", CUBE, attributes={"height": np.arange(12.0)}, ascii=True)
    assert "property float height" in (tmp_path / "cube.ply").read_text()


def test_what_cannot_be_is_refused(bell, tmp_path):
    arcs, costs = np.array([[0, 1], [1, 2]]), np.array([1.0, 2.0])
    for call, kind, words in (
        (lambda: fovea.mesh.segment(CUBE, 2, costs=np.ones(3)), ValueError, "3"),
        (lambda: fovea.mesh.segment(CUBE, 2, costs=-np.ones(18)), ValueError, "-1"),
        (lambda: fovea.mesh.segment(CUBE, 2, costs=lambda graph: None), fovea.Error, "cost"),
        (lambda: fovea.mesh.segment(CUBE, 2, costs=np.ones(18, complex)), TypeError, "costs is complex128"),
        (lambda: fovea.mesh.segment(CUBE, 2, costs="no/such.csv"), OSError, "no/such.csv"),
        (lambda: fovea.mesh.segment(CUBE, 2, cost="cheap"), ValueError, "katz-tal"),
        (lambda: fovea.mesh.distances(CUBE, nearest=True), ValueError, "nearest needs the faces"),
        (lambda: fovea.mesh.distances(CUBE, 0, cutoff=-1.0), ValueError, "cutoff"),
        (lambda: fovea.mesh.fuzzy_clusters((arcs, costs), 9), ValueError, "9"),
        (lambda: fovea.mesh.fuzzy_clusters((arcs, costs), 0), ValueError, "clusters is 0"),
        (lambda: fovea.mesh.fuzzy_clusters((arcs, costs[:1])), ValueError, "1 elements for 2 arcs"),
        (lambda: fovea.mesh.fuzzy_clusters((arcs - 1, costs)), ValueError, "arc 0 has node -1"),
        (lambda: fovea.mesh.fuzzy_clusters(np.ones((2, 3), np.float32)), ValueError, "3"),
        (lambda: fovea.mesh.fuzzy_clusters((arcs,)), TypeError, "tuple of 1"),
        (lambda: fovea.mesh.fuzzy_clusters(np.triu(np.ones((3, 3), np.float32))), ValueError, "expected a symmetric square"),
        (lambda: fovea.mesh.fuzzy_clusters(np.ones((3, 3), np.float32), device="cuda"), ValueError, "on the CPU only"),
        (lambda: fovea.mesh.arc_costs(CUBE, device="cuda"), ValueError, "on the CPU only"),
        (lambda: fovea.mesh.shape_diameters(CUBE, device="cuda"), ValueError, "on the CPU only"),
        (lambda: fovea.mesh.distances(CUBE, device="cpu").save(tmp_path / "a.csv"), ValueError, "give source=FACE for .csv"),
        (lambda: fovea.mesh.distances(CUBE, 0, device="cpu").save(tmp_path / "none/a.csv"), OSError, "none/a.csv"),
        (lambda: fovea.mesh.shape_diameters(CUBE).save(tmp_path / "none/a.npy"), OSError, "none/a.npy"),
        (lambda: fovea.mesh.segment(CUBE, 2, division="hierarchical").save(tmp_path / "none/a.json"), OSError, "none/a.json"),
        (lambda: fovea.mesh.shape_diameters(CUBE, rays=0), ValueError, "rays"),
        (lambda: fovea.mesh.write_costs(tmp_path / "a.csv", CUBE, np.ones(2)), ValueError, "2"),
        (lambda: fovea.mesh.write(tmp_path / "a.ply", CUBE, attributes={"x": np.ones(3)}), ValueError, "12 faces"),
        (lambda: fovea.mesh.write(tmp_path / "a.ply", CUBE, attributes={3: np.ones(12)}), TypeError, "name of an attribute"),
    ):
        with pytest.raises(kind, match=words) as caught:
            call()
        assert isinstance(caught.value, fovea.Error) and "\n" not in str(caught.value)
