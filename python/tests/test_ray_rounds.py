"""Words in rounds on a Ray cluster that loses a node: the samples are divided anew among the tasks that have room, and the words stay the same."""

from __future__ import annotations

import pathlib

import pytest

import fovea
from test_scenes import KINDS, draw_place

ray = pytest.importorskip("ray", reason="Ray is not installed")
fr = pytest.importorskip("fovea.ray")

SHARDS = 3
LEARN = ["scenes", "dictionary", "--dictionary", "6", "--samples", "30"]


def room() -> int:
    return fr._job.Resources().room()


@pytest.fixture
def samples(program, tmp_path) -> list[pathlib.Path]:
    """The manifests of shards that have drawn samples, beside the samples in one place."""
    for kind in KINDS:
        (tmp_path / "places" / kind).mkdir(parents=True)
        for number in range(2):
            fovea.write_image(tmp_path / "places" / kind / f"{number}.png", draw_place(kind, number))
    draw = f"fovea scenes sample {tmp_path}/places --samples 30 -o {tmp_path}/samples.npy --device cpu --quiet"
    program(draw)
    manifests = [tmp_path / f"{shard}.manifest" for shard in range(SHARDS)]
    for shard, manifest in enumerate(manifests):
        program(f"{draw} --shard {shard}/{SHARDS} --manifest {manifest}")
    return manifests


@pytest.fixture
def three_nodes(cluster):
    """The cluster with as many nodes as there are shards, and then as it was."""
    before = cluster.list_all_nodes()
    added = [cluster.add_node(num_cpus=1) for _ in range(SHARDS - len(before))]
    cluster.wait_for_nodes()
    yield cluster
    for node in added:
        if node in cluster.list_all_nodes():
            cluster.remove_node(node)


def test_samples_are_divided_anew_where_a_node_is_lost(three_nodes, samples, program, tmp_path, monkeypatch):
    divided: list[list[list[pathlib.Path]]] = []

    class Losing(fr._train._Assigners):
        """Loses a node before the second request is there, so that one task has no room until the others end."""

        def __init__(self, *setup) -> None:
            super().__init__(*setup)
            three_nodes.remove_node(three_nodes.list_all_nodes()[-1], allow_graceful=False)
            while room() >= SHARDS:
                pass

        def _begin_all(self, tasks: int) -> None:
            super()._begin_all(tasks)
            divided.append(self._groups)

    monkeypatch.setattr(fr._train, "_Assigners", Losing)
    monkeypatch.setattr(fr._train, "_PATIENCE", 4)
    monkeypatch.setattr(fr._train, "_ROUND", 1)
    monkeypatch.setattr(fr._train, "_IDLE", 600)  # tasks with nothing to do make no room by themselves
    parts = fr._train._Parts(tmp_path / "model.safetensors", {})
    fr._train._learn_words(parts, samples, [*LEARN, "-o", str(tmp_path / "words.safetensors")])

    program(f"fovea {' '.join(LEARN)} {tmp_path}/samples.npy -o {tmp_path}/one.safetensors --device cpu --quiet")
    assert (tmp_path / "words.safetensors").read_bytes() == (tmp_path / "one.safetensors").read_bytes()
    assert len(divided) >= 2 and len(divided[0]) == SHARDS and len(divided[-1]) < SHARDS
    for groups in divided:
        assert sorted(manifest for group in groups for manifest in group) == samples
