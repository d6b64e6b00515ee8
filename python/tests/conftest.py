"""What the tests share: pictures with known content, and the program to compare with."""

from __future__ import annotations

import os
import pathlib
import shlex
import signal
import subprocess
import threading
import time

import numpy as np
import pytest

# A shell starts what runs in the background without this signal, which tests send to themselves.
signal.signal(signal.SIGINT, signal.default_int_handler)

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def program():
    """Runs a line of the program, as ``command`` of a result has it, and returns its standard output."""
    path = pathlib.Path(os.environ.get("FOVEA_PROGRAM", ROOT / "build/release/fovea"))
    if not path.exists():
        pytest.skip(f"the program is not built: {path} does not exist")

    def run(command: str, **places: object) -> str:
        words = [str(places.get(word, word)) for word in shlex.split(command)]
        assert words[0] == "fovea"
        done = subprocess.run([path, *words[1:]], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


@pytest.fixture(scope="session")
def cluster(program):
    """A Ray cluster whose nodes are processes of this machine, with one worker each."""
    pytest.importorskip("ray", reason="Ray is not installed")
    from ray.cluster_utils import Cluster

    import ray

    os.environ.setdefault("FOVEA_PROGRAM", str(ROOT / "build/release/fovea"))
    os.environ["RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO"] = "0"
    os.environ["RAY_worker_niceness"] = "0"  # else shards starve beside other tests
    started = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    ray.init(address=started.address, log_to_driver=False)
    yield started
    ray.shutdown()
    started.shutdown()


@pytest.fixture(scope="session")
def street(tmp_path_factory, program):
    """A drawn street with people, of 640x480 pixels, as a PNG file."""
    path = tmp_path_factory.mktemp("street") / "street.png"
    image = np.full((480, 640, 3), 150, np.uint8)
    rng = np.random.default_rng(7)
    image += rng.integers(0, 24, image.shape, dtype=np.uint8)
    for x, height in ((80, 200), (300, 280), (500, 150)):
        draw_person(image, x, 440, height)
    import fovea

    fovea.write_image(path, image)
    return path


def draw_person(image: np.ndarray, x: int, bottom: int, height: int) -> None:
    """A dark upright figure: head, body, two legs."""
    top, unit = bottom - height, height / 8
    rows, columns = np.mgrid[: image.shape[0], : image.shape[1]]
    head = np.hypot(columns - x, rows - (top + unit)) < 0.55 * unit
    body = (abs(columns - x) < unit) & (rows > top + 1.6 * unit) & (rows < top + 4.4 * unit)
    legs = (abs(abs(columns - x) - 0.5 * unit) < 0.35 * unit) & (rows >= top + 4.4 * unit) & (rows < bottom)
    image[head | body | legs] = (40, 45, 60)


@pytest.fixture
def pair():
    """Two images of which the second is the first, moved 3 pixels to the right and 2 down."""
    rng = np.random.default_rng(3)
    large = rng.integers(0, 255, (30, 40, 3)).astype(np.float64)
    smooth = np.kron(large, np.ones((8, 8, 1)))
    for axis in (0, 1):
        smooth = (np.roll(smooth, 2, axis) + np.roll(smooth, -2, axis) + 2 * smooth) / 4
    first = smooth.astype(np.uint8)
    return np.ascontiguousarray(first[20:-20, 20:-20]), np.ascontiguousarray(first[18:-22, 17:-23])


def seconds_to_stop(call, after):
    """How long a call goes on after Ctrl-C, which comes so many seconds after its start; a fast machine repeats it until then."""
    sent = []

    def send():
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(after, send)
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            while True:
                call()
        return time.monotonic() - sent[0]
    finally:
        timer.join()
