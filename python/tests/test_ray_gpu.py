"""Jobs on a Ray cluster whose workers have a GPU each: the bytes of one run of the program on that device."""

from __future__ import annotations

import pytest

import fovea
from ray_helpers import draw_photos, files_of, one_run

ray = pytest.importorskip("ray", reason="Ray is not installed")
fr = pytest.importorskip("fovea.ray")
pytestmark = pytest.mark.skipif(bool(fovea.cuda_absence()), reason=f"no GPU: {fovea.cuda_absence()}")


@pytest.fixture
def gpu(cluster):
    """A node more, with the GPU of this machine."""
    node = cluster.add_node(num_cpus=1, num_gpus=1, wait=True)
    yield
    cluster.remove_node(node)


@pytest.mark.parametrize("model", ["channels", "filtered"])
def test_workers_with_a_gpu_give_the_bytes_of_one_run_there(gpu, tmp_path, model):
    photos = tmp_path / "photos"
    photos.mkdir()
    draw_photos(photos)
    words = ["people", "detect", str(photos), "--model", model, "--csv", "all.csv", "--threshold", "-2"]
    status, printed = one_run(words, tmp_path / "one", device="cuda")
    options = {"model": model, "csv": "all.csv", "threshold": -2}
    result = fr.detect(photos, out=tmp_path / "ray", gpus_per_worker=1, shards=3, **options).result()
    assert (result.status, result.printed) == (status, printed)
    made = files_of(tmp_path / "ray")
    assert {name: made[name] for name in files_of(tmp_path / "one")} == files_of(tmp_path / "one")
