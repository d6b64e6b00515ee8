"""Jobs on a Ray cluster of this machine: kills, files that fail, words that are not understood, shells, and faces in actors."""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys

import numpy as np
import pytest

import fovea
from ray_helpers import draw_photos, files_of, one_run

os.environ["RAY_USAGE_STATS_ENABLED"] = "0"  # of Ray itself: reports take time, and there is nobody to send them to
ray = pytest.importorskip("ray", reason="Ray is not installed")
fr = pytest.importorskip("fovea.ray")


@pytest.fixture(scope="module")
def photos(tmp_path_factory):
    folder = tmp_path_factory.mktemp("photos")
    draw_photos(folder)
    return folder


def test_verbs_take_options_and_lists(cluster, photos, tmp_path):
    job = fr.detect([photos / "1.png", photos / "2.png"], out=tmp_path / "out", threshold=-2, csv="all.csv", shards=2)
    result = job.result()
    assert result.status == 0 and job.progress() == fr.Progress(done=2, failed=0, total=2)
    assert (tmp_path / "out/people.parquet").exists() and (tmp_path / "out/all.csv").read_text().count("\n") > 0
    again = fr.detect([photos / "1.png", photos / "2.png"], out=tmp_path / "out", threshold=-2, csv="all.csv", shards=2)
    assert again.result().printed == result.printed


def processes_below(root: int) -> list[int]:
    children = pathlib.Path(f"/proc/{root}/task/{root}/children").read_text().split()
    return [process for child in map(int, children) for process in (child, *processes_below(child))]


def shards_at_work(cluster) -> dict[int, list[int]]:
    """Workers of this cluster that have a shard, with the programs that they run."""
    found = {}
    for node in cluster.list_all_nodes():
        for process in processes_below(node.all_processes["raylet"][0].process.pid):
            with contextlib.suppress(OSError):  # has just ended
                if pathlib.Path(f"/proc/{process}/cmdline").read_bytes().startswith(b"ray::run_shard"):
                    found[process] = processes_below(process)
    return found


@pytest.mark.parametrize("victim", ["worker", "program"])
def test_a_killed_shard_is_repeated(cluster, photos, tmp_path, victim):
    words = ["people", "detect", str(photos), "--csv", "all.csv", "--threshold", "-2"]
    status, printed = one_run(words, tmp_path / "one")
    job = fr.run(words, folder=tmp_path / "ray", shards=3)
    killed = 0
    while not killed and not job.wait(0.002):
        for worker, programs in shards_at_work(cluster).items():
            with contextlib.suppress(ProcessLookupError):
                for process in [worker] if victim == "worker" else programs:
                    os.kill(process, signal.SIGKILL)
                    killed += 1
    result = job.result()
    assert killed and (result.status, result.printed) == (status, printed)
    assert files_of(tmp_path / "ray") == files_of(tmp_path / "one")


def test_a_program_that_is_always_killed_is_given_up(cluster, photos, tmp_path, monkeypatch):
    deadly = tmp_path / "fovea"
    deadly.write_text("#!/bin/sh\nkill -9 $$\n")
    deadly.chmod(0o700)
    task = fr._program.program_task()
    monkeypatch.setenv("FOVEA_PROGRAM", str(deadly))
    assert task(["version"], str(tmp_path), True)[0] == -signal.SIGKILL
    job = fr.run(["ops", "blur", str(photos), "-o", "{}.png"], folder=tmp_path / "ray", shards=1)
    job._kills[0] = (0, 0)
    with pytest.raises(fovea.Error, match="ended by SIGKILL 3 times without recording an input"):
        for _ in range(3):
            job._is_done(0, fr._program.Ended(-signal.SIGKILL, "", ""))
    monkeypatch.setenv("FOVEA_PROGRAM", str(tmp_path / "nowhere"))
    assert b"set FOVEA_PROGRAM to its path" in task(["version"], str(tmp_path), True)[2]
    job.stop()
    job.wait()


def test_files_that_vanish_or_are_damaged_are_rows(cluster, photos, tmp_path):
    shutil.copytree(photos, tmp_path / "in")
    job = fr.ops("blur", [*sorted((tmp_path / "in").iterdir()), tmp_path / "in/vanished.png"], out=tmp_path / "out", shards=2)
    result = job.result()
    assert result.status == 5 and [pathlib.Path(failure.path).name for failure in result.failed] == ["5.png", "vanished.png"]
    assert "No such file" in result.failed[1].error and job.progress() == fr.Progress(done=8, failed=2, total=10)
    assert "vanished.png" in result.messages and (tmp_path / "out/8.png").exists()


def test_what_cannot_be_done_is_said(cluster, photos, tmp_path):
    with pytest.raises(fovea.Error, match="has no option --nonsense"):
        fr.detect(photos, out=tmp_path / "a", nonsense=1).result()
    with pytest.raises(fovea.Error, match="No such file"):
        fr.detect(tmp_path / "nowhere", out=tmp_path / "b").result()
    with pytest.raises(fovea.InvalidArgument, match="--shard is set by the job"):
        fr.run(["ops", "blur", str(photos), "--shard", "0/2"], folder=tmp_path)
    with pytest.raises(fovea.InvalidArgument, match=r"several stages; start it by fovea.ray.train_people\(\)"):
        fr.run(["people", "train", "-o", "m.safetensors"], folder=tmp_path)
    with pytest.raises(fovea.InvalidArgument, match="there are no inputs"):
        fr.detect([], out=tmp_path / "c")
    with pytest.raises(fovea.InvalidArgument, match="is no option of scenes train"):
        fr.train_scenes(photos, out=tmp_path / "m.safetensors", nonsense=1)


def test_options_of_the_caller_count(cluster, photos, tmp_path, program):
    words = ["ops", "blur", "-o", "{}.png", "--threads=3", "--device=cpu", "--", str(photos / "1.png"), "--manifest"]
    job = fr.run(words, folder=tmp_path, gpus_per_worker=0.001, shards=1)
    job.stop()
    job.wait()
    assert job._words == [*words[:2], "--threads", "1", "--device", "cuda", *words[2:]]
    asked = job._shard_words(0)
    assert asked[-3:] == words[-3:] and asked[asked.index("--quiet") + 1] == "--" and "--shard" in asked
    given = [word for word in job._words[: job._words.index("--")] if "{}" not in word and word != "-o"]
    assert json.loads(program(" ".join(["fovea", *given, "--print-config"])))["options"]["device"] == "cpu"


@pytest.mark.parametrize("words", [["ops", "blur"], ["ops", "nonsense"]])
def test_workers_are_asked_for_until_the_end(cluster, photos, tmp_path, monkeypatch, words):
    asked = []
    monkeypatch.setattr("ray.autoscaler.sdk.request_resources", lambda bundles: asked.append(bundles))
    job = fr.run([*words, str(photos / "1.png"), "-o", "{}.png"], folder=tmp_path, workers=(2, 3), cpus_per_worker=0.5, shards=1)
    with contextlib.nullcontext() if words[1] == "blur" else pytest.raises(fovea.Error):
        assert job.result().status == 0
    assert asked == [[{"CPU": 0.5}] * 2, []]


@pytest.fixture(scope="module")
def oddly_named(photos, tmp_path_factory):
    """The photographs beside two whose names are not text, and a command with what one run of it prints, its messages and files."""
    folder, one = tmp_path_factory.mktemp("in"), tmp_path_factory.mktemp("one")
    shutil.copytree(photos, folder, dirs_exist_ok=True)
    for name in (b"caf\xe9.png", b"a\rb.png"):
        shutil.copy(os.fsencode(photos / "1.png"), os.fsencode(folder) + b"/" + name)
    command = ["people", "detect", str(folder), "--csv", "all.csv", "--threshold", "-2"]
    words = [os.environ["FOVEA_PROGRAM"], *command, "--manifest", "whole.manifest", "--device", "cpu"]
    done = subprocess.run(words, cwd=one, capture_output=True, check=False)
    assert done.returncode == 5 and b"/caf\xe9.png" in done.stdout, done
    return command, done, files_of(one)


@pytest.mark.parametrize("shell", [[os.environ.get("FOVEA_PROGRAM", ""), "ray"], [sys.executable, "-m", "fovea.ray"]])
def test_a_shell_can_submit(cluster, oddly_named, tmp_path, shell):
    if not shell[0]:
        pytest.skip("FOVEA_PROGRAM is not set")
    command, one, files = oddly_named
    environment = {**os.environ, "RAY_ADDRESS": cluster.address, "PATH": f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}"}
    words = [*shell, "submit", "--folder", str(tmp_path), "--shards", "2", *command]
    done = subprocess.run(words, env=environment, capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (one.returncode, one.stdout), done.stderr
    assert b"fovea: " in done.stderr and b"5.png: begins with" in done.stderr
    assert files_of(tmp_path) == files


def test_what_a_shell_cannot_submit(monkeypatch, capfdbinary):
    from fovea.ray.__main__ import main

    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    words = ["submit", "ops", "blur", "caf\udce9.png"]
    assert main(words) == 2 and b"RAY_ADDRESS is not set" in capfdbinary.readouterr().err
    monkeypatch.setenv("RAY_ADDRESS", "auto")
    assert main(words) == 2 and b"fovea: caf\xe9.png: is not UTF-8" in capfdbinary.readouterr().err


def test_words_of_any_bytes(cluster, photos, tmp_path):
    named, nowhere = (os.fsdecode(os.fsencode(tmp_path) + name) for name in (b"/caf\xe9.png", b"/\xff.png"))
    shutil.copy(photos / "1.png", named)
    result = fr.ops("blur", [named, nowhere], out=tmp_path / "out\udcff", shards=1).result()
    assert os.fsencode(result.printed) == b"caf\xe9.png\n" and result.folder.joinpath("caf\udce9.png").exists()
    assert [failure.path for failure in result.failed] == [nowhere]
    with pytest.raises(fovea.Error, match="is 'caf"):
        fr.run(["ops", "blur", named, "--border", "caf\udce9"], folder=tmp_path / "refused", shards=1).result()


def test_words_of_a_shell():
    from fovea.ray.__main__ import _split, _status_of

    mine, command = ["submit", "--folder=a", "--shards", "3", "--no-resume"], ["people", "detect", "--", "-x.png"]
    assert _split([*mine, *command]) == _split([*mine, "--", *command]) == (mine, command) and _split(["submit"]) == (["submit"], [])
    kinds = (fovea.InvalidArgument, fovea.IoError, fovea.FormatError, fovea.DeviceError, fovea.Error)
    assert [_status_of(kind("")) for kind in kinds] == [2, 3, 3, 4, 1]


def test_faces_work_on_batches_of_paths(photos):
    batch = {"path": np.array([str(photos / "1.png"), str(photos / "5.png")]), "key": np.array([7, 8])}
    found = fr.Detector(threshold=-2, device="cpu")(batch).to_pydict()
    assert found["error"][0] == "" and "5.png" in found["error"][1] and found["key"] == [7, 8]
    assert len(found["boxes"][0]) == len(found["scores"][0]) > 0 and len(found["boxes"][0][0]) == 4 and found["boxes"][1] == []
    places = fr.SceneClassifier(device="cpu")(batch).to_pydict()
    assert places["name"][0] != "" and 0 < places["score"][0] <= 1 and places["name"][1] is None
    with pytest.raises(fovea.InvalidArgument, match="rows have the columns key; expected a column path"):
        fr.Detector(device="cpu")({"key": batch["key"]})


def test_faces_stay_in_actors(cluster, photos, tmp_path):
    class CountingDetector(fr.Detector):
        """Notes in a file that it was made."""

        def __init__(self, notes: str, **options) -> None:
            super().__init__(**options)
            with open(notes, "a") as file:
                file.write("made\n")

    while len(cluster.list_all_nodes()) < 2:
        cluster.add_node(num_cpus=1)
    import ray.data

    ray.data.DataContext.get_current().enable_progress_bars = False
    paths = [str(photos / f"{number}.png") for number in range(9)]
    rows = ray.data.from_items([{"path": path} for path in paths], override_num_blocks=3)
    made = {"notes": str(tmp_path / "made"), "threshold": -2, "device": "cpu"}
    actors = ray.data.ActorPoolStrategy(size=1)
    found = rows.map_batches(CountingDetector, fn_constructor_kwargs=made, compute=actors, num_cpus=0.5, batch_size=2).materialize()
    schema = dict(zip(found.schema().names, map(str, found.schema().types)))
    assert schema == {"path": "string", "boxes": "list<item: fixed_size_list<item: float>[4]>", "scores": "list<item: float>", "error": "string"}
    table = {row["path"]: row for row in found.take_all()}
    alone = fr.Detector(threshold=-2, device="cpu")({"path": np.array(paths)}).to_pylist()
    assert sorted(table) == paths and all(len(table[row["path"]]["boxes"]) == len(row["boxes"]) for row in alone)
    assert len((tmp_path / "made").read_text().split()) == 1
