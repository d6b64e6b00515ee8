"""Whole tasks that other libraries do as well, with the same inputs."""

from __future__ import annotations

import os
import tempfile
import warnings
from collections.abc import Callable, Iterator
from typing import Any, Literal, NamedTuple

import numpy as np

from .. import _fovea, emd, flow, mesh, ops, people
from ..files import read_video, write_video
from ..kmeans import KMeans
from . import _inputs
from ._measure import Absent, Call, rival

Array = _inputs.Array


class Other(NamedTuple):
    """Another library on the same input."""

    name: str
    prepare: Callable[[], tuple[str, Call]]  #: name with version, and the call; raises Absent
    results: Callable[[Any, Any], str]  #: compares the result of Fovea with that of the other
    differs: str  #: what the two do not do alike


class Task(NamedTuple):
    """What Fovea does, and who else does it."""

    name: str
    size: str
    threads: int
    call: Call
    others: list[Other]


class Material(NamedTuple):
    """What tasks are made of."""

    picture: Array  #: uint8 of shape (height, width, 3)
    gray: Array
    threads: int


def tasks(made: Material) -> Iterator[Task]:
    """The tasks, each of which is prepared when it is its turn."""
    yield _emd_pairs(made)
    yield _emd_costs(made)
    yield _emd_line(made)
    for bins, pairs in ((64, 40), (128, 20), (256, 8), (1024, 1)):
        yield _emd_bins(bins, pairs)
    for dtype in ("int32", "float64"):
        yield _integral(made, dtype)
    yield _kmeans(made)
    yield _people(made)
    pair = _inputs.moving_pair(made.gray)
    for quality in _PRESETS:
        yield _flow(made, pair, quality)
    yield _follow(made, pair)
    if _fovea.files.video_support()[0]:
        with tempfile.TemporaryDirectory(prefix="fovea_bench_") as folder:
            yield _write_video(made, folder)
    yield _all_paths()
    yield _paths_from_one()
    yield _graph_and_paths()


def _greatest_difference(ours: Any, theirs: Any) -> str:
    difference = float(np.max(np.abs(np.asarray(ours, np.float64) - np.asarray(theirs, np.float64))))
    return f"greatest difference {difference:.1e}"


def _pot_loop(P: Array, Q: Array, costs: Array) -> Callable[[], tuple[str, Call]]:
    def prepare() -> tuple[str, Call]:
        ot, version = rival("ot", "POT")
        most = {"numItermax": 1_000_000}
        return f"POT {version} emd2 in a loop", lambda: [ot.emd2(p, q, costs, **most) for p, q in zip(P, Q)]

    return prepare


_ONE_THREAD = "Both work in one thread."


def _emd_pairs(made: Material) -> Task:
    P, Q = _inputs.histograms(made.gray, 2000, 16)
    costs = np.minimum(np.abs(np.subtract.outer(np.arange(16.0), np.arange(16.0))), 3)
    differs = f"{_ONE_THREAD} POT is called 2000 times with a matrix of costs, Fovea once with a name."
    return Task(
        "emd: pairs, threshold:3",
        "2000 pairs of 16 bins",
        1,
        lambda: emd.distance(P, Q, ground="threshold:3", device="cpu", threads=1),
        [Other("POT", _pot_loop(P, Q, costs), _greatest_difference, differs)],
    )


def _emd_costs(made: Material) -> Task:
    P, Q = _inputs.histograms(made.gray, 1000, 32)
    colors = np.random.default_rng(5).uniform(0, 100, (32, 3))
    costs = np.sqrt(((colors[:, None] - colors[None]) ** 2).sum(axis=2))
    one = P[0].copy()

    def batch() -> tuple[str, Call]:
        ot, version = rival("ot", "POT")
        columns = np.ascontiguousarray(Q.T)
        return f"POT {version} emd2 with b of 1000 columns", lambda: ot.emd2(one, columns, costs)

    return Task(
        "emd: one against many, given costs",
        "1000 pairs of 32 bins",
        1,
        lambda: emd.distance(one, Q, ground=costs, device="cpu", threads=1),
        [Other("POT batch", batch, _greatest_difference, _ONE_THREAD)],
    )


def _emd_bins(bins: int, pairs: int) -> Task:
    rng = np.random.default_rng(6)
    P, Q = rng.dirichlet(np.ones(bins), pairs), rng.dirichlet(np.ones(bins), pairs)
    first, second = rng.uniform(0, 100, (2, bins, 3))
    costs = np.sqrt(((first[:, None] - second[None]) ** 2).sum(axis=2))
    return Task(
        f"emd: {bins} bins, given costs",
        f"{pairs} pairs" if pairs > 1 else "1 pair",
        1,
        lambda: [emd.emd2(p, q, costs, numThreads=1) for p, q in zip(P, Q)],
        [Other("POT", _pot_loop(P, Q, costs), _greatest_difference, f"{_ONE_THREAD} Both are called once per pair.")],
    )


def _emd_line(made: Material) -> Task:
    P, Q = _inputs.histograms(made.gray, 20000, 32)

    def line() -> tuple[str, Call]:
        ot, version = rival("ot", "POT")
        places, first, second = np.arange(32.0)[:, None].repeat(len(P), axis=1), P.T.copy(), Q.T.copy()
        masses = {"u_weights": first, "v_weights": second, "require_sort": False}
        return f"POT {version} wasserstein_1d", lambda: ot.wasserstein_1d(places, places, **masses)

    differs = (
        f"{_ONE_THREAD} Both use a closed form; that of POT is for any places, and is told that they are in order."
    )
    return Task(
        "emd: pairs, l1",
        "20000 pairs of 32 bins",
        1,
        lambda: emd.distance(P, Q, ground="l1", device="cpu", threads=1),
        [Other("POT wasserstein_1d", line, _greatest_difference, differs)],
    )


def _integral(made: Material, dtype: str) -> Task:
    height, width = made.gray.shape

    def of_opencv() -> tuple[str, Call]:
        cv2, version = rival("cv2", "opencv-python-headless")
        cv2.setNumThreads(1)
        depth = {"int32": cv2.CV_32S, "float64": cv2.CV_64F}[dtype]
        return f"OpenCV {version} integral", lambda: cv2.integral(made.gray, sdepth=depth)

    return Task(
        f"ops: integral, {dtype}",
        f"{width}x{height} in gray",
        1,
        lambda: ops.integral(made.gray, dtype=dtype, device="cpu", threads=1),
        [Other("OpenCV integral", of_opencv, _greatest_difference, _ONE_THREAD)],
    )


def _kmeans(made: Material) -> Task:
    points, clusters, iterations = _inputs.patches(made.gray, 60000), 256, 10
    start = points[np.arange(clusters) * (len(points) // clusters)].copy()  # where init="spread" begins

    def of_sklearn(algorithm: str) -> Callable[[], tuple[str, Call]]:
        def prepare() -> tuple[str, Call]:
            cluster, _ = rival("sklearn.cluster", "scikit-learn")
            _, version = rival("sklearn", "scikit-learn")
            words = {"n_init": 1, "max_iter": iterations, "tol": 0, "algorithm": algorithm}

            def fit() -> Any:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # that it has not converged is wanted here
                    return cluster.KMeans(clusters, init=start, **words).fit(points)

            return f"scikit-learn {version} {algorithm}", fit

        return prepare

    def of_faiss() -> tuple[str, Call]:
        faiss, version = rival("faiss", "faiss-cpu")
        faiss.omp_set_num_threads(made.threads)

        def train() -> Any:
            kmeans = faiss.Kmeans(32, clusters, niter=iterations, max_points_per_centroid=len(points), seed=1)
            kmeans.train(points, init_centroids=start)
            return kmeans

        return f"faiss {version}", train

    def inertia(centers: Array) -> float:
        squares = (points**2).sum(axis=1)[:, None] - 2 * points @ centers.T + (centers**2).sum(axis=1)
        return float(squares.min(axis=1).sum(dtype=np.float64))

    def inertias(ours: Any, theirs: Any) -> str:
        centers = theirs.centroids if hasattr(theirs, "centroids") else theirs.cluster_centers_
        return f"inertia {inertia(ours.cluster_centers_):.6g}, rival {inertia(centers):.6g}"

    same = "Same points, start and number of iterations."
    return Task(
        "kmeans: fit",
        f"{len(points)} points of 32 numbers, {clusters} clusters, {iterations} iterations",
        made.threads,
        lambda: KMeans(
            n_clusters=clusters,
            init="spread",
            n_init=1,
            max_iter=iterations,
            tol=0.0,
            device="cpu",
            threads=made.threads,
        ).fit(points),
        [
            Other("scikit-learn lloyd", of_sklearn("lloyd"), inertias, f"{same} scikit-learn copies the points first."),
            Other("scikit-learn elkan", of_sklearn("elkan"), inertias, f"{same} scikit-learn copies the points first."),
            Other("faiss", of_faiss, inertias, f"{same} faiss finds centers alone, the others labels as well."),
        ],
    )


def _people(made: Material) -> Task:
    ratio, stride = 1.05, 8
    height, width = made.gray.shape
    detector = people.Detector("hog", ratio=ratio, stride=stride, padding=0, device="cpu", threads=made.threads)

    def of_opencv() -> tuple[str, Call]:
        cv2, version = rival("cv2", "opencv-python-headless")
        if not hasattr(cv2, "HOGDescriptor"):
            raise Absent(f"not measured: OpenCV {version} has no HOGDescriptor; a version 4 has it")
        cv2.setNumThreads(made.threads)
        hog = cv2.HOGDescriptor()
        hog.setSVMDetector(cv2.HOGDescriptor_getDefaultPeopleDetector())
        turned = np.ascontiguousarray(made.picture[:, :, ::-1])
        words = {"hitThreshold": 0, "winStride": (stride, stride), "padding": (0, 0), "scale": ratio}
        return f"OpenCV {version} HOGDescriptor", lambda: hog.detectMultiScale(turned, **words, groupThreshold=2)

    return Task(
        "people: hog",
        f"{width}x{height} in color, ratio {ratio}, stride {stride}",
        made.threads,
        lambda: detector.detect(made.picture),
        [
            Other(
                "OpenCV HOG",
                of_opencv,
                lambda ours, theirs: f"{len(ours)} people, rival {len(theirs[0])}",
                "Same ratio of levels, stride and size of descriptors, no padding; each has its own model and fusion.",
            )
        ],
    )


# What DIS is set to beside each quality: the name, the preset and the finest scale.
_PRESETS: dict[Literal["fast", "default", "best"], list[tuple[str, str, int | None]]] = {
    "fast": [
        ("DIS ultrafast", "DISOPTICAL_FLOW_PRESET_ULTRAFAST", None),
        ("DIS fast", "DISOPTICAL_FLOW_PRESET_FAST", None),
    ],
    "default": [("DIS medium", "DISOPTICAL_FLOW_PRESET_MEDIUM", None)],
    "best": [("DIS medium, finest scale 0", "DISOPTICAL_FLOW_PRESET_MEDIUM", 0)],
}


def _flow(made: Material, pair: _inputs.Pair, quality: Literal["fast", "default", "best"]) -> Task:
    height, width = made.gray.shape
    estimator = flow.Estimator(quality=quality, device="cpu", threads=made.threads)

    def of_opencv(name: str, preset: str, finest: int | None) -> Callable[[], tuple[str, Call]]:
        def prepare() -> tuple[str, Call]:
            cv2, version = rival("cv2", "opencv-python-headless")
            cv2.setNumThreads(made.threads)
            inverse_search = cv2.DISOpticalFlow_create(getattr(cv2, preset))
            if finest is not None:
                inverse_search.setFinestScale(finest)
            return f"OpenCV {version} {name}", lambda: inverse_search.calc(pair.first, pair.second, None)

        return prepare

    def error(found: Array) -> float:
        lengths = np.hypot(found[..., 0] - pair.u, found[..., 1] - pair.v)
        return float(lengths[pair.known].mean())

    def errors(ours: Any, theirs: Any) -> str:
        return f"mean error {error(np.asarray(ours)):.2f} px, rival {error(theirs):.2f} px"

    differs = "Same gray images; other methods. Fovea computes a confidence as well."
    return Task(
        f"flow: {quality}",
        f"{width}x{height} in gray",
        made.threads,
        lambda: estimator.estimate(pair.first, pair.second),
        [Other(row[0], of_opencv(*row), errors, differs) for row in _PRESETS[quality]],
    )


def _follow(made: Material, pair: _inputs.Pair) -> Task:
    height, width = made.gray.shape
    rng = np.random.default_rng(7)
    points = rng.uniform((0, 0), (width - 1, height - 1), (1000, 2)).astype(np.float32)
    columns, rows = np.rint(points).astype(np.int64).T
    known = pair.known[rows, columns]
    ends = points + np.stack([pair.u[rows, columns], pair.v[rows, columns]], axis=1)

    def of_opencv() -> tuple[str, Call]:
        cv2, version = rival("cv2", "opencv-python-headless")
        cv2.setNumThreads(made.threads)
        return (
            f"OpenCV {version} calcOpticalFlowPyrLK",
            lambda: cv2.calcOpticalFlowPyrLK(pair.first, pair.second, points, None),
        )

    def error(found: Any) -> float:
        return float(np.hypot(*(found[0] - ends)[known].T).mean())

    return Task(
        "flow: follow",
        f"1000 points, {width}x{height} in gray",
        made.threads,
        lambda: flow.follow(pair.first, pair.second, points, threads=made.threads),
        [
            Other(
                "OpenCV calcOpticalFlowPyrLK",
                of_opencv,
                lambda ours, theirs: f"mean error {error(ours):.2f} px, rival {error(theirs):.2f} px",
                "Same windows, levels and steps. Lost points count with their last places.",
            )
        ],
    )


def _write_video(made: Material, folder: str) -> Task:
    height, width = made.gray.shape
    frames = [np.roll(made.picture, 2 * i, axis=1) for i in range(30)]

    def of_opencv() -> tuple[str, Call]:
        cv2, version = rival("cv2", "opencv-python-headless")
        path = os.path.join(folder, "rival.avi")
        turned = [np.ascontiguousarray(frame[:, :, ::-1]) for frame in frames]

        def write() -> str:
            writer = cv2.VideoWriter(path, cv2.VideoWriter_fourcc(*"MJPG"), 25, (width, height))
            for frame in turned:
                writer.write(frame)
            writer.release()
            return path

        return f"OpenCV {version} VideoWriter", write

    def write() -> str:
        path = os.path.join(folder, "fovea.avi")
        write_video(path, frames)
        return path

    def quality(path: str) -> str:
        with read_video(path) as video:
            off = max(np.abs(frame.image.astype(np.int16) - true).mean() for frame, true in zip(video, frames))
        return f"{os.path.getsize(path) / 1e6:.2f} MB, mean difference {off:.1f}"

    return Task(
        "write_video",
        f"{len(frames)} frames of {width}x{height}, motion JPEG",
        made.threads,
        write,
        [
            Other(
                "OpenCV VideoWriter",
                of_opencv,
                lambda ours, theirs: f"{quality(ours)}, rival {quality(theirs)}",
                "Each with its own quality, which the sizes show; OpenCV is given blue first.",
            )
        ],
    )


def _scipy_paths(solid: mesh.Mesh, source: int | None) -> Callable[[], tuple[str, Call]]:
    def prepare() -> tuple[str, Call]:
        graphs, _ = rival("scipy.sparse.csgraph", "scipy")
        sparse, _ = rival("scipy.sparse", "scipy")
        _, version = rival("scipy", "scipy")
        dual = mesh.dual_graph(solid)
        steps = dual.geodesic.astype(np.float64) / dual.geodesic.astype(np.float64).mean()
        count = len(solid.faces)
        graph = sparse.csr_matrix((steps, (dual.arcs[:, 0], dual.arcs[:, 1])), shape=(count, count))
        graph = graph + graph.T
        return f"SciPy {version} dijkstra", lambda: graphs.dijkstra(graph, indices=source)

    return prepare


def _farthest(ours: Any, theirs: Any) -> str:
    values, others = np.asarray(ours, np.float64), np.asarray(theirs, np.float64)
    return f"greatest difference {np.max(np.abs(values - others)) / others.max():.1e} of the longest path"


def _alike(ours: Any, theirs: Any) -> str:
    return f"correlation {np.corrcoef(np.asarray(ours, np.float64), theirs)[0, 1]:.5f}"


_GRAPH = f"{_ONE_THREAD} Same graph, which the Mesh has kept and SciPy is given; SciPy computes in float64."


def _all_paths() -> Task:
    solid = mesh.Mesh(*_inputs.bumpy_mesh(40, 32))
    return Task(
        "mesh: paths between all faces",
        f"{len(solid.faces)} faces",
        1,
        lambda: mesh.distances(solid, alpha=1.0, device="cpu", threads=1),
        [Other("SciPy", _scipy_paths(solid, None), _farthest, _GRAPH)],
    )


def _paths_from_one() -> Task:
    solid = mesh.Mesh(*_inputs.bumpy_mesh(128, 80))
    return Task(
        "mesh: paths from one face",
        f"{len(solid.faces)} faces",
        1,
        lambda: mesh.distances(solid, 0, alpha=1.0, device="cpu", threads=1),
        [Other("SciPy", _scipy_paths(solid, 0), _farthest, _GRAPH)],
    )


def _graph_and_paths() -> Task:
    solid = mesh.Mesh(*_inputs.bumpy_mesh(128, 80))

    def of_heat() -> tuple[str, Call]:
        heat, version = rival("potpourri3d", "potpourri3d")
        vertices, faces = solid.vertices.astype(np.float64), solid.faces.astype(np.int64)
        solver = heat.MeshHeatMethodDistanceSolver
        return f"potpourri3d {version} heat method", lambda: solver(vertices, faces).compute_distance(0)

    def of_trimesh() -> tuple[str, Call]:
        trimesh, version = rival("trimesh", "trimesh")
        graphs, _ = rival("scipy.sparse.csgraph", "scipy")
        sparse, _ = rival("scipy.sparse", "scipy")
        count = len(solid.faces)

        def paths() -> Any:
            surface = trimesh.Trimesh(solid.vertices, solid.faces, process=False)
            pairs, middles = surface.face_adjacency, surface.triangles_center
            steps = np.linalg.norm(middles[pairs[:, 0]] - middles[pairs[:, 1]], axis=1)
            graph = sparse.csr_matrix((steps, (pairs[:, 0], pairs[:, 1])), shape=(count, count))
            return graphs.dijkstra(graph, directed=False, indices=0)

        return f"trimesh {version} and SciPy", paths

    straight = f"{_ONE_THREAD} Both times include making the graph; this one has steps along straight lines."
    differs = (
        f"{_ONE_THREAD} Another task: the heat method approximates distances between vertices along the smooth "
        "surface. Both times include what is prepared for the mesh; the heat method can keep it for other sources."
    )
    return Task(
        "mesh: graph and paths from one face",
        f"{len(solid.faces)} faces",
        1,
        lambda: mesh.distances((solid.vertices, solid.faces), 0, alpha=1.0, device="cpu", threads=1),
        [
            Other("trimesh and SciPy", of_trimesh, _alike, straight),
            Other("potpourri3d", of_heat, lambda ours, theirs: "not comparable", differs),
        ],
    )
