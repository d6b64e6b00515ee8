"""Gross guards of speed that hold on busy machines; ``python -m fovea.bench`` has the figures."""

from __future__ import annotations

import hashlib
import os
import threading
import time

import numpy as np
import pytest

import fovea
from fovea.bench._measure import difference
from fovea.bench._overhead import small_calls


@pytest.fixture(scope="module")
def calls():
    return {small.name: small for small in small_calls()}


@pytest.mark.parametrize(
    "name",
    [
        "people.Detector.detect",
        "flow.Estimator.estimate",
        "emd.distance",
        "emd.Tracker.track",
        "scenes.Classifier.classify",
        "KMeans.predict",
        "mesh.distances",
        "mesh.Segmenter.segment",
        "ops.integral",
        "actions.Recognizer.push",
    ],
)
def test_python_adds_little_to_a_call(calls, name):
    # A busy machine delays single rounds; one quiet attempt is enough.
    assert any(difference(calls[name].whole, calls[name].inner, 2)[2] < 200e-6 for _ in range(3))


def test_every_small_call_is_tested(calls):
    tested = test_python_adds_little_to_a_call.pytestmark[0].args[1]
    assert list(calls) == tested


def test_a_call_over_a_small_array_wakes_no_threads():
    # It takes many times as long where it does.
    tiny = np.zeros((8, 8), np.uint8)
    times = (difference(lambda: fovea.ops.integral(tiny), lambda: fovea.ops.integral(tiny, threads=1), 2) for _ in range(3))
    assert any(many < 3 * one + 20e-6 for many, one, _ in times)


def used_cores(work, seconds):
    """How many cores two threads keep busy that call work() for so long."""
    end = time.perf_counter() + seconds

    def repeat(call):
        while time.perf_counter() < end:
            call()

    threads = [threading.Thread(target=repeat, args=(call,)) for call in work]
    wall, used = time.perf_counter(), time.process_time()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return (time.process_time() - used) / (time.perf_counter() - wall)


@pytest.mark.skipif(
    len(os.sched_getaffinity(0)) < 2 if hasattr(os, "sched_getaffinity") else True, reason="needs two cores"
)
def test_two_objects_in_two_threads_use_two_cores():
    image = np.random.default_rng(1).integers(0, 255, (480, 640, 3), dtype=np.uint8)
    detectors = [fovea.people.Detector("hog", device="cpu", threads=1) for _ in range(2)]
    work = [lambda detector=detector: detector.detect(image) for detector in detectors]
    # Hashes of large blocks are computed side by side for certain, so that they show whether two cores are free.
    block = bytes(1 << 20)
    certain = [lambda: hashlib.sha256(block).digest()] * 2
    for call in work:
        call()
    reached = []
    for _ in range(12):
        before = used_cores(certain, 0.1)
        cores = used_cores(work, 0.3)
        if cores >= 1.6:
            return
        if min(before, used_cores(certain, 0.1)) >= 1.8:
            reached.append(cores)
        if len(reached) == 4:
            pytest.fail(f"two cores were free, and two detectors used {max(reached):.2f} of them")
    pytest.skip("the machine has no two free cores now")
