"""Large inputs are read where they lie: the memory of the whole process does not grow by a copy of them."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import fovea

HEAD = """
import re, numpy as np, fovea

def peak():
    # What getrusage() counts begins with the peak of the parent.
    return 1024 * int(re.search("VmHWM:\\s*(\\d+)", open("/proc/self/status").read())[1])

def refused(call):
    try:
        call()
    except fovea.Error:
        return
    raise SystemExit("taken")

CPU = {"device": "cpu", "threads": 1}
"""

# Zeros take no memory until they are written, so that a copy is all that can be seen. The code before the mark makes
# the input and does the same with a small one.
CASES = {
    "people": """
detector = fovea.people.Detector("hog", region=(0, 0, 128, 256), **CPU)
large = np.zeros((8000, 9000, 3), np.uint8)
detector.detect(large[:300, :200])
# ---
detector.detect(large)
detector.detect(large[:, 100:])
""",
    "flow": """
large = np.zeros((2000, 2000, 4), np.float32), np.zeros((2000, 2000, 4), np.float32)
estimator = fovea.flow.Estimator(quality="fast", memory="8M", **CPU)
estimator.estimate(*(image[:64, :64] for image in large))
# ---
refused(lambda: estimator.estimate(large[0], large[1][:1999]))
""",
    "emd": """
P, Q = np.zeros((1000000, 16)), np.zeros((1000000, 16))
fovea.emd.distance(P[:9], Q[:9], "l1", **CPU)
# ---
fovea.emd.distance(P, Q, "l1", **CPU)
fovea.emd.distance(P[:, ::1], Q[:1], "l1", **CPU)
""",
    "scenes": """
large = np.zeros((8000, 9000, 3), np.uint8)
bag = fovea.scenes.BagOfWords(words=2, samples=9, **CPU).fit([np.zeros((32, 32, 3), np.uint8)])
# ---
refused(lambda: bag.transform([large, large[:, 5:], None]))
""",
    "kmeans": """
large = np.zeros((2000000, 32), np.float32)
kmeans = fovea.KMeans(2, max_iter=1, **CPU).fit(large[:100])
# ---
kmeans.predict(large)
kmeans.predict(large[:, :])
""",
    "actions": """
large = np.zeros((12000, 12000), np.uint8)
recognizer = fovea.actions.Recognizer("weizmann", **CPU)
recognizer.push(large[:64, :64])
# ---
refused(lambda: recognizer.push(large))
refused(lambda: recognizer.push(large[:, :9000]))
""",
    "ops": """
large = np.zeros((9000, 9000), np.float32)
fovea.ops.quantize(large[:9, :9])
# ---
fovea.ops.resize(large, width=10, height=10)
""",
}


@pytest.mark.parametrize("system", CASES)
def test_no_copy_is_made_of_a_large_input(system):
    code, call = CASES[system].split("# ---\n")
    script = f"{HEAD}{code}\nbefore = peak()\n{call}\nprint(peak() - before)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 60e6, "at least 100 MB are a copy"


def test_the_arrays_of_a_mesh_are_views_of_one_memory():
    vertices = np.float32([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    mesh = fovea.mesh.Mesh(vertices, np.int32([[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]))
    found = fovea.mesh.segment(mesh, 2, device="cpu")
    assert found.mesh is mesh and np.shares_memory(found.mesh.vertices, mesh.vertices)
    address = mesh.vertices.__array_interface__["data"][0]
    assert address == fovea.mesh.distances(mesh, 0, device="cpu").mesh.vertices.__array_interface__["data"][0]


def test_results_are_not_copied_when_they_are_read(pair):
    flow = fovea.flow.estimate(*pair, quality="fast", device="cpu")
    assert np.shares_memory(flow.numpy().u, flow.u)
    found = fovea.emd.distance([[1, 2]], [[2, 1]], device="cpu")
    assert np.shares_memory(np.asarray(found), found.distances)
