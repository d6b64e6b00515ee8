"""What a call costs when there is next to nothing to compute."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from .. import _fovea, actions, emd, flow, mesh, ops, people, scenes
from ..kmeans import KMeans
from ._measure import Call


class Small(NamedTuple):
    """A call with the smallest input that is useful."""

    name: str
    input: str
    whole: Call  #: the call as users write it
    inner: Call  #: what it calls in the extension module, with the same arguments


def small_calls() -> Iterator[Small]:
    """A small call of each system, on the CPU in one thread."""
    alone: Any = {"device": "cpu", "threads": 1}
    window = np.full((128, 64), 128, np.uint8)
    detector = people.Detector("cascade", ratio=2.0, padding=0, **alone)
    inner: Any = detector._face
    yield Small(
        "people.Detector.detect",
        "64x128, 1 window",
        lambda: detector.detect(window),
        lambda: inner.run("INPUT", window, {}, False, 0),
    )

    tiny = np.zeros((8, 8), np.uint8)
    estimator = flow.Estimator(quality="fast", **alone)
    engine: Any = estimator._face
    yield Small(
        "flow.Estimator.estimate",
        "8x8",
        lambda: estimator.estimate(tiny, tiny),
        lambda: engine.estimate(tiny, tiny, None, None),
    )

    one, other = np.array([[0.5, 0.5, 0.0]]), np.array([[0.0, 0.5, 0.5]])
    emd.distance(one, other, **alone)
    solver: Any = emd._distance.kept.get("l1", 3, alone).solver
    yield Small(
        "emd.distance",
        "1 pair of 3 bins",
        lambda: emd.distance(one, other, **alone),
        lambda: solver.solve(one, other, False, False, False),
    )

    frame = np.zeros((16, 16, 3), np.uint8)
    frame[4:12, 4:12] = (200, 60, 40)
    tracker = emd.Tracker(frame, box=(4, 4, 8, 8), filter="off", **alone)
    follower: Any = tracker._face
    yield Small("emd.Tracker.track", "16x16, 1 target", lambda: tracker.track(frame), lambda: follower.track(frame))

    classifier = scenes.Classifier("sun8", **alone)
    judge: Any = classifier._face
    yield Small("scenes.Classifier.classify", "8x8", lambda: classifier.classify(tiny), lambda: judge.classify(tiny))

    points = np.arange(8, dtype=np.float32).reshape(4, 2)
    kmeans = KMeans(n_clusters=2, **alone).fit(points)
    search: Any = kmeans._search()
    yield Small("KMeans.predict", "4 points of 2 numbers", lambda: kmeans.predict(points), lambda: search.find(points))

    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], np.float32)
    solid = mesh.Mesh(corners, np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]], np.int32))
    source = np.array([0], np.int64)
    module: Any = _fovea.mesh
    yield Small(
        "mesh.distances",
        "4 faces, from one",
        lambda: mesh.distances(solid, 0, **alone),
        lambda: module.distances(solid._graph, solid._mesh, source, None, None, alone),
    )
    segmenter = mesh.Segmenter(2, **alone)
    divider: Any = segmenter._face
    yield Small(
        "mesh.Segmenter.segment",
        "4 faces",
        lambda: segmenter.segment(solid),
        lambda: divider.run("INPUT", solid._mesh, {}, False, 0),
    )

    sums: Any = _fovea.ops
    yield Small("ops.integral", "8x8", lambda: ops.integral(tiny), lambda: sums.integral(tiny, "float64", {}))

    recognizer = actions.Recognizer("weizmann", **alone)
    other_recognizer = actions.Recognizer("weizmann", **alone)
    watcher: Any = other_recognizer._face
    still = np.zeros((16, 16), np.uint8)
    yield Small("actions.Recognizer.push", "16x16", lambda: recognizer.push(still), lambda: watcher.push(still))
