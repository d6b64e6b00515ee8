"""Long calls: Ctrl-C, threads, progress."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

import numpy as np
import pytest
from conftest import seconds_to_stop

import fovea


@pytest.fixture(scope="module")
def large():
    return np.random.default_rng(5).integers(0, 255, (2000, 3000, 3), dtype=np.uint8)


def test_ctrl_c_ends_a_long_call_and_the_object_goes_on(large):
    estimator = fovea.flow.Estimator(quality="best", method="bm", bm_range=64, device="cpu", threads=1)
    seconds_to_stop(lambda: estimator.estimate(large, large), 0.3)
    small = np.ascontiguousarray(large[:64, :64])
    assert estimator.estimate(small, small).shape == (64, 64)


def test_other_threads_go_on_meanwhile(large):
    ticks = 0
    ended = threading.Event()

    def tick():
        nonlocal ticks
        while not ended.wait(0.001):
            ticks += 1

    thread = threading.Thread(target=tick)
    thread.start()
    before = ticks
    fovea.flow.estimate(large, large, quality="fast", device="cpu", threads=1)
    during = ticks - before
    ended.set()
    thread.join()
    assert during > 5, "a call that kept the interpreter would allow none"


def test_one_object_serves_several_threads(pair):
    estimator = fovea.flow.Estimator(device="cpu", quality="fast", threads=1)
    expected = estimator.estimate(*pair)
    results = []

    def work():
        results.extend(estimator.estimate(*pair) for _ in range(5))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 20 and all(result == expected for result in results)


# What a program calls to wait until a thread that makes one call is in it, as the processor time that it has taken shows.
IN_CALL = (
    "def wait_until_in_call(thread):\n"
    "    start = time.process_time()\n"
    "    while thread.is_alive() and time.process_time() < start + 0.1:\n"
    "        time.sleep(0.01)\n"
)


def test_a_forked_child_works_even_where_its_parent_is_in_a_call():
    code = IN_CALL + (
        "import os, sys, threading, time, numpy as np, fovea\n"
        "large, small = np.zeros((2000, 3000), np.uint8), np.zeros((64, 64), np.uint8)\n"
        "estimator = fovea.flow.Estimator(quality='best', device='cpu', threads=1)\n"
        "thread = threading.Thread(target=lambda: estimator.estimate(large, large))\n"
        "thread.start()\n"
        "wait_until_in_call(thread)\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    estimator.estimate(small, small)\n"
        "    fovea.flow.estimate(small, small, device='cpu')\n"
        "    sys.exit(7)\n"
        "status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])\n"
        "thread.join()\n"
        "sys.exit(status)\n"
    )
    assert subprocess.run([sys.executable, "-W", "ignore", "-c", code], timeout=600, check=False).returncode == 7


def test_importing_is_quick_and_light():
    code = "import sys, fovea; print([m for m in ('pandas', 'torch', 'PIL', 'tqdm', 'sklearn') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_call_in_flight_ends_with_python():
    code = IN_CALL + (
        "import threading, time, numpy as np, fovea\n"
        "image = np.zeros((2000, 3000), np.uint8)\n"
        "work = lambda: fovea.flow.estimate(image, image, quality='best', device='cpu')\n"
        "thread = threading.Thread(target=work, daemon=True)\n"
        "thread.start()\n"
        "wait_until_in_call(thread)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], timeout=600, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "terminate" not in done.stderr


def test_an_object_is_not_used_from_within_its_own_call():
    images = [np.zeros((64, 64, 3), np.uint8)] * 4
    bag = fovea.scenes.BagOfWords(words=4).fit([np.random.default_rng(i).integers(0, 255, (64, 64, 3), dtype=np.uint8)
                                                for i in range(4)])
    with pytest.raises(fovea.InvalidArgument, match="within a call of its own"):
        bag.transform(images, progress=lambda *report: bag.transform(images[:1]))


def test_frames_before_a_broken_source_are_kept():
    image = np.zeros((160, 100, 3), np.uint8)

    def breaking():
        yield from [image] * 3
        raise LookupError("the camera is gone")

    found = []
    with pytest.raises(LookupError, match="camera"):
        for result in fovea.people.Detector("hog", device="cpu", threads=2).video(breaking()):
            found.append(result.frame)
    assert found == [0, 1, 2]
