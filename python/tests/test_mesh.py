"""Meshes: the program's parts and distances, shapes whose answers are known, and forms that other libraries take."""

from __future__ import annotations

import json
import pickle
import threading
import types

import numpy as np
import pytest

import fovea


def turned(radius, rings=40, around=20, low=-2.5, high=2.5):
    """A surface around the z axis; both ends are closed by a point."""
    vertices = [(0.0, 0.0, low)]
    for ring in range(rings):
        z = low + (high - low) * (ring + 1) / (rings + 1)
        for i in range(around):
            angle = 2 * np.pi * (i + 0.5 * ring) / around
            vertices.append((radius(z) * np.cos(angle), radius(z) * np.sin(angle), z))
    vertices.append((0.0, 0.0, high))
    top = len(vertices) - 1

    def at(ring, i):
        return 1 + ring * around + i % around

    faces = []
    for i in range(around):
        faces += [(0, at(0, i + 1), at(0, i)), (top, at(rings - 1, i), at(rings - 1, i + 1))]
        for ring in range(rings - 1):
            faces += [
                (at(ring, i), at(ring, i + 1), at(ring + 1, i)),
                (at(ring, i + 1), at(ring + 1, i + 1), at(ring + 1, i)),
            ]
    return np.array(vertices, np.float32), np.array(faces, np.int32)


def dumbbell():
    """Two balls of radius 1 that a tube of radius 0.2 joins."""

    def radius(z):
        off = abs(z) - 1.5
        return max(np.sqrt(max(0.0, 1 - off * off)), 0.2 if abs(z) < 1.5 else 0.0)

    return turned(radius)


hypothesis = pytest.importorskip("hypothesis")
from hypothesis import strategies as st  # noqa: E402
from hypothesis.extra import numpy as hnp  # noqa: E402

CUBE = (
    np.array([[i & 1, (i >> 1) & 1, (i >> 2) & 1] for i in range(8)], np.float32),
    np.array(
        [[0, 2, 1], [1, 2, 3], [4, 5, 6], [5, 7, 6], [0, 1, 4], [1, 5, 4]]
        + [[2, 6, 3], [3, 6, 7], [0, 4, 2], [2, 4, 6], [1, 3, 5], [3, 7, 5]],
        np.int32,
    ),
)


@pytest.fixture(scope="module")
def bell():
    return dumbbell()


@pytest.fixture(scope="module")
def path(tmp_path_factory, bell):
    path = tmp_path_factory.mktemp("meshes") / "bell.off"
    fovea.mesh.write(path, bell)
    return path


@pytest.fixture(scope="module")
def parts(path):
    return fovea.mesh.segment(path, 3, device="cpu")


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"parts": 3, "seed": 7, "resistance_restarts": 2},
        {"parts": 2, "method": "fuzzy", "fuzzy_rounds": 3, "paths_engine": "partitioned"},
        {"parts": "auto", "division": "hierarchical", "cut": False, "hierarchy_depth": 2},
    ],
)
def test_the_program_gives_the_same_bytes(path, options, tmp_path, program):
    found = fovea.mesh.segment(path, device="cpu", **options)
    program(found.command, **{"LABELS.seg": tmp_path / "theirs.seg"})
    found.save(tmp_path / "ours.seg")
    assert (tmp_path / "ours.seg").read_bytes() == (tmp_path / "theirs.seg").read_bytes()


def test_the_program_writes_the_same_files(path, parts, tmp_path, program):
    theirs = {kind: tmp_path / f"theirs.{kind}" for kind in ("ply", "glb", "off", "png", "html")}
    for kind in ("ply", "glb", "off"):
        program(f"{parts.command} -o OUT", **{"LABELS.seg": tmp_path / "a.seg", "OUT": theirs[kind]})
        parts.save(tmp_path / f"ours.{kind}")
        assert (tmp_path / f"ours.{kind}").read_bytes() == theirs[kind].read_bytes()
    small = {"width": 60, "height": 50, "supersample": 1}
    for show in ("parts", "membership"):
        words = f"--show {show} --picture-width 60 --picture-height 50 --picture-supersample 1 --page PAGE"
        places = {"LABELS.seg": tmp_path / "b.seg", "OUT": theirs["png"], "PAGE": theirs["html"]}
        program(f"{parts.command} --picture OUT {words}", **places)
        assert np.array_equal(parts.render(show, **small), fovea.read_image(theirs["png"]))
    assert parts.page() == theirs["html"].read_text()


def test_arrays_files_and_objects_are_the_same(path, bell, parts):
    vertices, faces = bell
    object_with_both = types.SimpleNamespace(vertices=vertices.astype(np.float64), faces=faces.astype(np.int64))
    for mesh in ((vertices, faces), object_with_both, fovea.mesh.read(path), fovea.mesh.Mesh(*bell), str(path)):
        assert np.array_equal(fovea.mesh.segment(mesh, 3, device="cpu", threads=1).labels, parts.labels)
    again = fovea.mesh.Segmenter(3, device="cpu")
    assert again.segment(bell) == parts and again.segment(CUBE) != parts and again.segment(bell) == parts


def test_the_balls_are_apart(bell):
    found = fovea.mesh.segment(bell, 2, device="cpu")
    heights = bell[0][bell[1]].mean(axis=1)[:, 2]
    below, above = found.labels[heights < -1], found.labels[heights > 1]
    assert found.count == 2 and len(set(below)) == 1 and len(set(above)) == 1 and below[0] != above[0]
    assert found.labels.dtype == np.int32 and len(found.representatives) == 2 and not found.chosen
    assert np.array_equal(np.asarray(found), found.labels)
    assert sum(len(part.faces) for part in found.split()) == len(found.labels)
    assert fovea.mesh.segment(bell, device="cpu").chosen


def test_results_say_where_they_come_from(parts, path):
    assert parts.options["parts"] == 3 and parts.provenance["device"] == "cpu" and parts.provenance["seed"] == 1234
    assert str(path) in parts.command and "\n" not in repr(parts) and repr(parts).startswith("3 parts of ")
    assert parts.file_labels.shape == parts.labels.shape


def test_pickles_are_equal(parts):
    again = pickle.loads(pickle.dumps(parts))
    assert again == parts and again.mesh == parts.mesh and again.command == parts.command
    assert pickle.loads(pickle.dumps(fovea.mesh.Segmenter(4, device="cpu"))).options["parts"] == 4


def test_pictures(parts):
    picture = parts.render(width=40, height=30, views=2, supersample=1)
    assert picture.shape == (30, 80, 3) and picture.dtype == np.uint8
    assert parts._repr_png_().startswith(b"\x89PNG")
    assert parts.colors.shape == (len(parts.labels), 3)
    assert "getContext" in parts.page(title="bell", names=["ball", "tube"])
    with pytest.raises(ValueError, match="show is 'nothing'"):
        parts.render("nothing")


def test_tables(parts):
    pandas = pytest.importorskip("pandas")
    frame = parts.to_pandas()
    assert isinstance(frame, pandas.DataFrame) and list(frame.columns) == ["label", "piece", "membership"]
    pyarrow = pytest.importorskip("pyarrow")
    assert pyarrow.table(parts)["label"].to_pylist() == parts.labels.tolist()


def test_trimesh(parts, bell):
    trimesh = pytest.importorskip("trimesh")
    shown = parts.to_trimesh()
    assert np.array_equal(shown.faces, bell[1]) and np.array_equal(shown.face_attributes["label"], parts.labels)
    assert np.array_equal(shown.visual.face_colors[:, :3], parts.colors)
    theirs = trimesh.Trimesh(*bell, process=False)
    assert fovea.mesh.segment(theirs, 3, device="cpu") == parts
    facts = fovea.mesh.info(theirs)
    assert facts["area"] == pytest.approx(theirs.area, rel=1e-5)
    assert facts["volume"] == pytest.approx(theirs.volume, rel=1e-5)


def test_several_meshes_come_in_order(bell, path, parts):
    reports = []
    segmenter = fovea.mesh.Segmenter(3, device="cpu", threads=2)
    found = list(segmenter.segment_all([path, bell, path, bell], progress=lambda *report: reports.append(report)))
    assert len(found) == 4 and all(np.array_equal(each.labels, parts.labels) for each in found)
    assert reports[-1] == ("meshes", 4, 4)
    with pytest.raises(OSError, match="missing.off"):
        list(segmenter.segment_all([bell, "missing.off"]))


def test_threads_share_a_segmenter(bell, parts):
    segmenter, found = fovea.mesh.Segmenter(3, device="cpu"), []
    threads = [threading.Thread(target=lambda: found.append(segmenter.segment(bell))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4 and all(each == parts for each in found)


def test_the_program_measures_the_same_distances(path, tmp_path, program):
    for options in ({"source": 5}, {"source": 5, "alpha": 1.0}, {"eta": 0.5, "engine": "floyd-warshall"}, {}):
        found = fovea.mesh.distances(path, device="cpu", **options)
        program(found.command, **{"DISTANCES.npy": tmp_path / "theirs.npy"})
        found.save(tmp_path / "ours.npy")
        assert (tmp_path / "ours.npy").read_bytes() == (tmp_path / "theirs.npy").read_bytes()
    found = fovea.mesh.distances(path, 5, device="cpu")
    words = "--picture-width 60 --picture-height 50 --picture OUT"
    program(f"{found.command} {words}", **{"DISTANCES.npy": tmp_path / "x.npy", "OUT": tmp_path / "far.png"})
    assert np.array_equal(found.render(width=60, height=50), fovea.read_image(tmp_path / "far.png"))
    assert found._repr_png_().startswith(b"\x89PNG")


def test_distances_are_known_on_a_flat_strip():
    # A strip of squares: neighbors along it are 1 / 3 and, across a side of length 1, again a third of the way apart.
    length = 6
    vertices = np.array([(x, y, 0) for x in range(length + 1) for y in (0, 1)], np.float64)
    faces = np.array([f for x in range(length) for f in ((2 * x, 2 * x + 2, 2 * x + 3), (2 * x, 2 * x + 3, 2 * x + 1))])
    graph = fovea.mesh.dual_graph((vertices, faces))
    assert graph.arcs.shape == (2 * length - 1, 2) and np.allclose(graph.areas, 0.5)
    centers = vertices[faces].mean(axis=1)
    a, b = graph.arcs.T
    assert np.allclose(graph.geodesic, np.linalg.norm(centers[a] - centers[b], axis=1), rtol=1e-5)
    assert np.allclose(graph.centroids, centers, atol=1e-6)
    found = fovea.mesh.distances((vertices, faces), 0, alpha=1.0, device="cpu")
    steps = np.linalg.norm(np.diff(centers, axis=0), axis=1) if np.array_equal(b - a, np.ones_like(a)) else None
    assert found.values[0] == 0 and found.values[a[0] + b[0]] == pytest.approx(graph.geodesic[0], rel=1e-5)
    assert steps is None or np.allclose(found.values[1:], np.cumsum(steps), rtol=1e-5)
    all_pairs = fovea.mesh.distances((vertices, faces), alpha=1.0, device="cpu")
    assert np.allclose(all_pairs, all_pairs.values.T, rtol=1e-5) and np.allclose(all_pairs.values[0], found, rtol=1e-5)
    some = fovea.mesh.distances((vertices, faces), [0, 3], alpha=1.0, device="cpu")
    assert some.values.shape == (2, 2 * length) and np.array_equal(some.values[0], found.values)
    assert "--from 0,3 " in some.command and pickle.loads(pickle.dumps(some)) == some


def test_progress_is_reported_and_may_stop_the_call(bell):
    reports = []
    fovea.mesh.distances(bell, device="cpu", progress=lambda *report: reports.append(report))
    assert reports[-1] == ("distances", len(bell[1]), len(bell[1]))

    def refuse(*report):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fovea.mesh.distances(bell, device="cpu", progress=refuse)


def test_a_cube_is_known():
    facts = fovea.mesh.info(CUBE)
    assert facts["area"] == 6 and facts["volume"] == 1 and facts["closed"] and facts["edges"] == 18
    graph = fovea.mesh.dual_graph(CUBE)
    assert np.allclose(np.sort(graph.angle), [0.0] * 6 + [np.pi / 2] * 12, atol=1e-6)
    assert not graph.concave[graph.angle > 1].any() and np.allclose(np.linalg.norm(graph.normals, axis=1), 1)
    apart = (np.concatenate([CUBE[0], CUBE[0] + 5]), np.concatenate([CUBE[1], CUBE[1] + 8]))
    assert np.isinf(fovea.mesh.distances(apart, 0, device="cpu").values[12:]).all()
    assert fovea.mesh.info(apart)["components"] == 2


def test_the_program_describes_meshes_alike(path, program):
    info = fovea.mesh.info(path)
    assert pickle.loads(pickle.dumps(info)) == info and info["faces"] == info.faces and "closed" in repr(info)
    theirs = json.loads(program(info.command))["results"][0]
    ours = info.to_dict()
    assert ours.pop("format") == theirs["format"].lower()
    for corner in ("low", "high"):
        assert np.float32(ours.pop(corner)).tolist() == np.float32(theirs[corner]).tolist()
    assert ours == {name: theirs[name] for name in ours}


def test_measures_against_the_truth(bell, parts, path, tmp_path, program):
    same = fovea.mesh.evaluate(parts, parts)
    assert max(same.to_dict().values()) < 1e-12
    halves = fovea.mesh.segment(bell, 2, device="cpu")
    report = fovea.mesh.evaluate(parts, [halves, parts.labels.astype(np.int64)])
    for folder in ("meshes", "truths", "labels"):
        (tmp_path / folder).mkdir()
    (tmp_path / "meshes/1.off").write_bytes(path.read_bytes())
    fovea.mesh.write_labels(tmp_path / "truths/1_0.seg", halves.labels)
    fovea.mesh.write_labels(tmp_path / "truths/1_1.seg", parts.labels)
    parts.save(tmp_path / "labels/1.seg")
    places = {"MESHES": tmp_path / "meshes", "TRUTHS": tmp_path / "truths", "LABELS": tmp_path / "labels"}
    assert json.loads(program(report.command, **places))["errors"] == report.to_dict()
    files = [tmp_path / "truths/1_0.seg", tmp_path / "truths/1_1.seg"]
    assert fovea.mesh.evaluate(tmp_path / "labels/1.seg", files, mesh=path) == report
    assert pickle.loads(pickle.dumps(report)) == report
    # One part against the opposite halves of a cube: of all pairs, half are apart.
    half = np.arange(12) % 4 // 2
    assert fovea.mesh.evaluate(np.zeros(12, np.int64), half, mesh=CUBE).rand == pytest.approx(0.5, abs=0.1)


@pytest.mark.parametrize("name", ["mesh.off", "mesh.obj", "mesh.ply", "mesh.stl"])
def test_files_are_read_back(name, tmp_path):
    fovea.mesh.write(tmp_path / name, CUBE, labels=np.arange(12) // 2)
    mesh = fovea.mesh.read(tmp_path / name)
    assert mesh.format == name[5:] and len(mesh.faces) == 12
    assert fovea.mesh.info(mesh)["volume"] == 1
    assert pickle.loads(pickle.dumps(mesh)) == mesh
    colors = np.zeros((12, 3), np.uint8)
    fovea.mesh.write(tmp_path / name, CUBE, colors=colors)


def test_polygons_have_the_label_of_their_first_triangle(tmp_path, program):
    path = tmp_path / "box.off"
    corners = "\n".join(f"{i & 1} {i >> 1 & 1} {i >> 2 & 1}" for i in range(8))
    quads = "4 0 2 3 1\n4 4 5 7 6\n4 0 1 5 4\n4 2 6 7 3\n4 0 4 6 2\n4 1 3 7 5"
    path.write_text(f"OFF\n8 6 0\n{corners}\n{quads}\n")
    mesh = fovea.mesh.read(path)
    assert mesh.polygons.tolist() == [i // 2 for i in range(12)] and fovea.mesh.info(mesh)["file_faces"] == 6
    found = fovea.mesh.segment(mesh, 3, device="cpu")
    assert found.file_labels.tolist() == found.labels[::2].tolist()
    program(found.command, **{"LABELS.seg": tmp_path / "theirs.seg"})
    assert fovea.mesh.read_labels(tmp_path / "theirs.seg").tolist() == found.file_labels.tolist()
    assert pickle.loads(pickle.dumps(found)).file_labels.tolist() == found.file_labels.tolist()
    with pytest.raises(fovea.FormatError):
        fovea.mesh.read(path, polygons="refuse")


def bad_meshes():
    vertices, faces = CUBE
    holes = vertices.copy()
    holes[3, 1] = np.nan
    yield None, TypeError, "mesh is of type NoneType"
    yield 3, TypeError, "mesh is of type int"
    yield (vertices,), TypeError, "mesh is a tuple of 1"
    yield (None, faces), TypeError, "vertices is None"
    yield (vertices, None), TypeError, "faces is None"
    yield (vertices.astype(complex), faces), TypeError, "vertices is complex128 of shape .*float64 or float32"
    yield (vertices, faces + 0.5), ValueError, "faces is float64 .* holds 0.5 .*int64 or int32"
    yield (vertices, faces.astype(np.uint64) + 2**63), ValueError, "faces is uint64"
    yield (["a", "b"], faces), TypeError, "vertices is of type list"
    yield (vertices.ravel(), faces), TypeError, "with 2 axes"
    yield (np.ascontiguousarray(vertices[:, :2]), faces), ValueError, "one row of 3 numbers"
    yield (vertices, faces[:0]), ValueError, r"faces is int32 of shape \(0, 3\)"
    yield (vertices[:0], faces), ValueError, "vertices is"
    yield (holes, faces), ValueError, "vertex 3 is nan"
    yield (vertices.astype(np.float64) * 1e300, faces), ValueError, "not a finite float32"
    yield (vertices, faces + 1), ValueError, "corner 8; the vertices are 0 to 7"
    yield (vertices, faces.astype(np.int64) - 1), ValueError, "corner -1"
    yield (vertices, faces.astype(np.int64) + (1 << 40)), ValueError, "corner 1099511627776"
    yield "no/such/file.off", OSError, "no/such/file.off"
    yield (np.array([object()]), faces), TypeError, "object"


@pytest.mark.parametrize("case", list(bad_meshes()), ids=lambda case: case[2])
def test_bad_meshes_are_refused_in_one_sentence(case):
    mesh, kind, words = case
    for call in (fovea.mesh.segment, fovea.mesh.info, fovea.mesh.distances, fovea.mesh.dual_graph):
        with pytest.raises(kind, match=words) as caught:
            call(mesh)
        assert isinstance(caught.value, fovea.Error) and "\n" not in str(caught.value)


def test_bad_options_are_refused(bell, parts, tmp_path):
    for call, kind, words in (
        (lambda: fovea.mesh.segment(CUBE, 13), ValueError, "13"),
        (lambda: fovea.mesh.segment(CUBE, "many"), TypeError, "parts is 'many'"),
        (lambda: fovea.mesh.segment(CUBE, 2.5), TypeError, "parts is 2.5"),
        (lambda: fovea.mesh.segment(CUBE, -1), ValueError, "parts"),
        (lambda: fovea.mesh.segment(CUBE, methd="fuzzy"), TypeError, "did you mean 'method'"),
        (lambda: fovea.mesh.segment(CUBE, method="best"), ValueError, "resistance or fuzzy"),
        (lambda: fovea.mesh.distances(CUBE, 12), ValueError, "the mesh has faces 0 to 11"),
        (lambda: fovea.mesh.distances(CUBE, -1), ValueError, "source is -1"),
        (lambda: fovea.mesh.distances(CUBE, []), ValueError, "source is empty"),
        (lambda: fovea.mesh.distances(CUBE, 0.5), TypeError, "source is"),
        (lambda: fovea.mesh.distances(CUBE, alpha=2.0), ValueError, "alpha"),
        (lambda: fovea.mesh.distances(CUBE, device="cpu").render(), ValueError, "one face"),
        (lambda: fovea.mesh.dual_graph(CUBE, -1), ValueError, "smoothing"),
        (lambda: fovea.mesh.dual_graph(CUBE, 1.5), TypeError, "smoothing"),
        (lambda: fovea.mesh.evaluate(np.zeros(12, np.int32), np.zeros(12, np.int32)), ValueError, "mesh=MESH"),
        (lambda: fovea.mesh.evaluate(np.zeros(11, int), np.zeros(12, int), mesh=CUBE), ValueError, "12 faces"),
        (lambda: fovea.mesh.evaluate(parts, None), TypeError, "truth is None"),
        (lambda: fovea.mesh.evaluate(parts, []), ValueError, "truth is empty"),
        (lambda: fovea.mesh.evaluate(parts, np.full(12, 0.5)), ValueError, "truth is float64"),
        (lambda: fovea.mesh.write(tmp_path / "a.xyz", CUBE), fovea.Error, "xyz"),
        (lambda: fovea.mesh.write(tmp_path / "a.off", CUBE, np.zeros(11, np.int32)), ValueError, "12 faces"),
        (lambda: fovea.mesh.write_labels(tmp_path / "a.seg", np.array([1 << 40])), ValueError, "32 bits"),
        (lambda: fovea.mesh.write(tmp_path / "none/a.off", CUBE), OSError, "none/a.off"),
        (lambda: parts.render(width=5), ValueError, "width"),
        (lambda: parts.page(titel="x"), TypeError, "did you mean 'title'"),
    ):
        with pytest.raises(kind, match=words) as caught:
            call()
        assert isinstance(caught.value, fovea.Error) and "\n" not in str(caught.value)


def test_arrays_of_a_mesh_cannot_be_changed_and_outlive_it(bell):
    vertices = fovea.mesh.Mesh(*bell).vertices
    assert np.array_equal(vertices, bell[0])
    with pytest.raises(ValueError, match="read-only"):
        vertices[0] = 1


def test_distances_and_labels_take_no_truth_values():
    with pytest.raises(TypeError, match="source is True"):
        fovea.mesh.distances(CUBE, True)


any_array = hnp.arrays(hnp.scalar_dtypes(), hnp.array_shapes(max_dims=3, max_side=6))
vertices_like = hnp.arrays(st.sampled_from([np.float32, np.float64]), st.tuples(st.integers(0, 9), st.just(3)))
small_numbers = st.integers(-1, 9)
faces_like = hnp.arrays(np.int64, st.tuples(st.integers(0, 12), st.just(3)), elements=small_numbers)


@hypothesis.settings(max_examples=150, deadline=None)
@hypothesis.given(any_array | vertices_like, any_array | faces_like)
def test_no_mesh_crashes(vertices, faces):
    for call in (fovea.mesh.segment, fovea.mesh.info, fovea.mesh.distances, fovea.mesh.dual_graph):
        try:
            call((vertices, faces))
        except fovea.Error as error:
            assert "\n" not in str(error)


@pytest.mark.parametrize("method", ["resistance", "fuzzy"])
def test_explanations_add_up(bell, method):
    segmenter = fovea.mesh.Segmenter(2, method=method, device="cpu")
    parts, why = segmenter.segment(bell), segmenter.explain(bell)
    assert np.array_equal(why.segmentation.labels, parts.labels)
    assert sum(seam["capacity"] for seam in why.seams) == pytest.approx(why.capacity)
    assert sum(value for *_, value in why.cuts) == pytest.approx(parts.cut_value)
    assert why.counts[0]["rule"] == "given" and why.counts[0]["count"] == 2
    face = why.face(7)
    assert face.part == parts.labels[7] and face.runner_up == 1 - face.part
    assert face.memberships.sum() == pytest.approx(1, abs=1e-5) and face.costs[face.part] == 0
    assert face.draw().ndim == why.draw().ndim == 3
    with pytest.raises(fovea.InvalidArgument, match="no face 1000000"):
        why.face(1000000)
