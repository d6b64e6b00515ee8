"""Jobs on a Ray cluster of one, two and three nodes of this machine: the bytes of one run of the program."""

from __future__ import annotations

import os
import pathlib
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import fovea
from test_scenes import KINDS, draw_place

ray = pytest.importorskip("ray", reason="Ray is not installed")
fr = pytest.importorskip("fovea.ray")

from ray.cluster_utils import Cluster  # noqa: E402


@pytest.fixture(scope="module")
def cluster(program):
    """A cluster whose nodes are processes of this machine."""
    os.environ.setdefault("FOVEA_PROGRAM", str(pathlib.Path(__file__).resolve().parents[2] / "build/release/fovea"))
    os.environ["RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO"] = "0"
    started = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    ray.init(address=started.address, log_to_driver=False)
    yield started
    ray.shutdown()
    started.shutdown()


@pytest.fixture(scope="module")
def photos(tmp_path_factory):
    folder = tmp_path_factory.mktemp("photos")
    rng = np.random.default_rng(3)
    for number in range(9):
        fovea.write_image(folder / f"{number}.png", rng.integers(0, 255, (150, 100 + number, 3), dtype=np.uint8))
    (folder / "5.png").write_bytes(b"no image")
    return folder


@pytest.fixture(scope="module")
def places(tmp_path_factory):
    folder = tmp_path_factory.mktemp("places")
    for kind in KINDS:
        (folder / kind).mkdir()
        for number in range(3):
            fovea.write_image(folder / kind / f"{number}.png", draw_place(kind, number))
    return folder


def files_of(folder: pathlib.Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file() and p.suffix != ".manifest"}


def one_run(words: list[str], folder: pathlib.Path) -> tuple[int, str]:
    folder.mkdir()
    done = subprocess.run(
        [os.environ["FOVEA_PROGRAM"], *words, "--manifest", "whole.manifest", "--device", "cpu"],
        cwd=folder, capture_output=True, text=True, check=False,
    )
    return done.returncode, done.stdout


def test_jobs_have_the_bytes_of_one_run(cluster, photos, tmp_path):
    detect = ["people", "detect", str(photos), "--csv", "all.csv", "--coco", "all.json", "--threshold", "-2", "--json"]
    blur = ["ops", "blur", str(photos), "-o", "{}.png"]
    for nodes in (1, 2, 3):
        if nodes > 1:
            cluster.add_node(num_cpus=1)
        for words in (detect, blur):
            status, printed = one_run(words, tmp_path / f"one{nodes}{words[1]}")
            folder = tmp_path / f"ray{nodes}{words[1]}"
            result = fr.run(words, folder=folder, shards=2 + nodes).result()
            assert (result.status, result.printed) == (status, printed) and status == 5
            assert files_of(folder) == files_of(tmp_path / f"one{nodes}{words[1]}")
            assert [pathlib.Path(failure.path).name for failure in result.failed] == ["5.png"]
            assert "5.png: begins with" in result.failed[0].error


def test_verbs_take_options_and_lists(cluster, photos, tmp_path):
    job = fr.detect([photos / "1.png", photos / "2.png"], out=tmp_path / "out", threshold=-2, csv="all.csv", shards=2)
    result = job.result()
    assert result.status == 0 and job.progress() == fr.Progress(done=2, failed=0, total=2)
    assert (tmp_path / "out/people.parquet").exists() and (tmp_path / "out/all.csv").read_text().count("\n") > 0
    again = fr.detect([photos / "1.png", photos / "2.png"], out=tmp_path / "out", threshold=-2, csv="all.csv", shards=2)
    assert again.result().printed == result.printed


def test_a_killed_shard_is_repeated(cluster, photos, tmp_path):
    words = ["people", "detect", str(photos), "--csv", "all.csv", "--threshold", "-2"]
    status, printed = one_run(words, tmp_path / "one")
    job = fr.run(words, folder=tmp_path / "ray", shards=3)
    killed = 0
    for _ in range(200):
        workers = subprocess.run(["pgrep", "-f", "ray::run_shard"], capture_output=True, text=True, check=False).stdout.split()
        if workers:
            os.kill(int(workers[0]), signal.SIGKILL)
            killed += 1
            break
        time.sleep(0.02)
    result = job.result()
    assert killed == 1 and (result.status, result.printed) == (status, printed)
    assert files_of(tmp_path / "ray") == files_of(tmp_path / "one")


def test_training_has_the_programs_bytes(cluster, places, program, tmp_path):
    program(f"fovea scenes train {places} -o {tmp_path}/one.safetensors --dictionary 12 --samples 40 --seed 9 --neighbors 1 --device cpu")
    model = fr.train_scenes(places, out=tmp_path / "ray.safetensors", dictionary=12, samples=40, seed=9, neighbors=1, shards=3)
    assert model.read_bytes() == (tmp_path / "one.safetensors").read_bytes()


def test_what_cannot_be_done_is_said(cluster, photos, tmp_path):
    with pytest.raises(fovea.Error, match="has no option --nonsense"):
        fr.detect(photos, out=tmp_path / "a", nonsense=1).result()
    with pytest.raises(fovea.Error, match="No such file"):
        fr.detect(tmp_path / "nowhere", out=tmp_path / "b").result()
    with pytest.raises(fovea.InvalidArgument, match="--shard is set by the job"):
        fr.run(["ops", "blur", str(photos), "--shard", "0/2"], folder=tmp_path)
    with pytest.raises(fovea.InvalidArgument, match="there are no inputs"):
        fr.detect([], out=tmp_path / "c")
    with pytest.raises(fovea.InvalidArgument, match="is no option of scenes train"):
        fr.train_scenes(photos, out=tmp_path / "m.safetensors", nonsense=1)


def test_a_shell_can_submit(cluster, photos, tmp_path):
    environment = {**os.environ, "RAY_ADDRESS": cluster.address}
    words = ["submit", "--folder", str(tmp_path), "--shards", "2", "people", "detect", str(photos), "--csv", "all.csv"]
    done = subprocess.run([sys.executable, "-m", "fovea.ray", *words], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 5 and "5.png" in done.stderr and (tmp_path / "all.csv").exists()
    del environment["RAY_ADDRESS"]
    refused = subprocess.run([sys.executable, "-m", "fovea.ray", *words], env=environment, capture_output=True, text=True, check=False)
    assert refused.returncode == 2 and "RAY_ADDRESS is not set" in refused.stderr


def test_faces_work_on_batches_of_paths(photos):
    batch = {"path": np.array([str(photos / "1.png"), str(photos / "5.png")])}
    found = fr.Detector(threshold=-2, device="cpu")(batch)
    assert found["error"][0] == "" and "5.png" in found["error"][1] and len(found["boxes"][0]) == len(found["scores"][0])
    places = fr.SceneClassifier(device="cpu")(batch)
    assert places["name"][0] != "" and 0 < places["score"][0] <= 1 and places["name"][1] == ""
