"""The recipes in examples/scale: GNU parallel is run, and the others are read."""

from __future__ import annotations

import ast
import os
import pathlib
import shutil
import subprocess

import pytest
from conftest import ROOT
from ray_helpers import draw_photos, one_run

RECIPES = ROOT / "examples/scale"


def test_gnu_parallel(program, tmp_path):
    if not shutil.which("parallel"):
        pytest.skip("GNU parallel is not installed")
    (tmp_path / "photos").mkdir()
    draw_photos(tmp_path / "photos")
    (tmp_path / "bin").mkdir()
    os.environ.setdefault("FOVEA_PROGRAM", str(ROOT / "build/release/fovea"))
    (tmp_path / "bin/fovea").symlink_to(pathlib.Path(os.environ["FOVEA_PROGRAM"]).absolute())
    status, printed = one_run(["people", "detect", str(tmp_path / "photos"), "--csv", "all.csv"], tmp_path / "one")
    (tmp_path / "work").mkdir()
    environment = {**os.environ, "PATH": f"{tmp_path}/bin:{os.environ['PATH']}"}
    words = [RECIPES / "gnu_parallel.sh", tmp_path / "photos", "3", "2"]
    done = subprocess.run(words, cwd=tmp_path / "work", env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (status, printed), done.stderr
    assert (tmp_path / "work/all.csv").read_bytes() == (tmp_path / "one/all.csv").read_bytes()


@pytest.mark.parametrize("recipe", sorted(path.name for path in RECIPES.glob("*.s*")))
def test_shells_understand(recipe):
    shell = (RECIPES / recipe).read_text().splitlines()[0].removeprefix("#!")
    assert subprocess.run([shell, "-n", RECIPES / recipe], check=False).returncode == 0


@pytest.mark.parametrize("recipe", sorted(path.name for path in RECIPES.glob("*.py")))
def test_python_understands(recipe):
    ast.parse((RECIPES / recipe).read_text())


def test_kubernetes_gets_a_job():
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
    job = yaml.safe_load((RECIPES / "kuberay_job.yaml").read_text())
    assert job["kind"] == "RayJob" and job["spec"]["rayClusterSpec"]["authOptions"] == {"mode": "token"}
    for group in (job["spec"]["rayClusterSpec"]["headGroupSpec"], *job["spec"]["rayClusterSpec"]["workerGroupSpecs"]):
        pod = group["template"]["spec"]
        assert pod["containers"][0]["volumeMounts"][0]["name"] == pod["volumes"][0]["name"]
