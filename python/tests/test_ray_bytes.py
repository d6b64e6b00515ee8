"""Jobs, trainings and evaluations on Ray clusters of one, two and three nodes: the bytes of one run of the program."""

from __future__ import annotations

import pathlib

import numpy as np
import pytest

import fovea
from conftest import draw_person
from ray_helpers import draw_photos, files_of, one_run
from test_actions import write_corpus
from test_mesh import turned
from test_scenes import KINDS, draw_place

pytest.importorskip("ray", reason="Ray is not installed")
fr = pytest.importorskip("fovea.ray")

PEOPLE = {"linear_enlarge": 1, "linear_ratio": 1.3, "linear_random_windows": 8, "linear_hard_windows": 100, "linear_rounds": 1}
ACTIONS = {"nodes": 6, "step": 6, "harris_levels": 1, "harris_scales": 1}


@pytest.fixture(scope="module", params=[2, 3, 1])
def nodes(cluster, request):
    """How many nodes there are."""
    while len(cluster.list_all_nodes()) < request.param:
        cluster.add_node(num_cpus=1)
    while len(cluster.list_all_nodes()) > request.param:
        cluster.remove_node(cluster.list_all_nodes()[-1])
    return request.param


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """Photographs of which one is damaged, places, crops of people, images without people, clips, a pair with its flow, and meshes."""
    folder = tmp_path_factory.mktemp("data")
    rng = np.random.default_rng(3)
    for name in ("photos", "crops", "scenes", "streets", "boxes", "clips", *(f"places/{kind}" for kind in KINDS)):
        (folder / name).mkdir(parents=True)
    draw_photos(folder / "photos")
    for kind in KINDS:
        for number in range(3):
            fovea.write_image(folder / "places" / kind / f"{number}.png", draw_place(kind, number))
    for number in range(8):
        crop = rng.integers(120, 180, (144, 80, 3), dtype=np.uint8)
        draw_person(crop, 40, 124, 104)
        fovea.write_image(folder / f"crops/{number}.png", crop)
    for number in range(4):
        fovea.write_image(folder / f"scenes/{number}.png", rng.integers(120, 180, (170, 160, 3), dtype=np.uint8))
        street, x = rng.integers(120, 180, (176, 160, 3), dtype=np.uint8), 45 + 20 * number
        draw_person(street, x, 150, 104)
        fovea.write_image(folder / f"streets/street{number}.png", street)
        (folder / f"boxes/street{number}.txt").write_text(
            f'# PASCAL Annotation Version 1.00\nImage filename : "x/street{number}.png"\n'
            'Image size (X x Y x C) : 160 x 176 x 3\nObjects with ground truth : 1 { "PASperson" }\n'
            f'Bounding box for object 1 "PASperson" (Xmin, Ymin) - (Xmax, Ymax) : ({x - 21}, 46) - ({x + 20}, 149)\n'
        )
    write_corpus(folder / "clips", ("across", "grow"), 2, 24)
    return folder


@pytest.fixture(scope="module")
def drawn(data, program):
    """The data with pairs of images and their flow, and with meshes that somebody has cut in halves."""
    for number in range(3):
        program(f"fovea flow scene -o {data}/pairs/{number} --size 64x48 --seed {number}")
    for name in ("meshes", "halves"):
        (data / name).mkdir()
    for number in range(2):
        vertices, faces = turned(lambda z: 1.0 - 0.9 * np.exp(-3 * z * z), rings=8 + number, around=8)
        points, corners = (" ".join(map(str, row)) for row in vertices), (" ".join(map(str, (3, *row))) for row in faces)
        (data / f"meshes/{number}.off").write_text("\n".join(["OFF", f"{len(vertices)} {len(faces)} 0", *points, *corners, ""]))
        (data / f"halves/{number}.seg").write_text("".join(f"{int(vertices[face, 2].mean() > 0)}\n" for face in faces))
    return data


def words_of_jobs(data: pathlib.Path) -> list[list[str]]:
    photos = str(data / "photos")
    return [
        ["people", "detect", photos, "--csv", "all.csv", "--coco", "all.json", "--threshold", "-2", "--json"],
        ["ops", "blur", photos, "-o", "{}.png"],
    ]


def test_jobs(nodes, data, tmp_path):
    for words in words_of_jobs(data):
        status, printed = one_run(words, tmp_path / f"one{words[1]}")
        result = fr.run(words, folder=tmp_path / f"ray{words[1]}", shards=2 + nodes).result()
        assert (result.status, result.printed) == (status, printed) and status == 5
        assert files_of(tmp_path / f"ray{words[1]}") == files_of(tmp_path / f"one{words[1]}")
        assert [pathlib.Path(failure.path).name for failure in result.failed] == ["5.png"]
        assert "5.png: begins with" in result.failed[0].error


def option_line(options: dict[str, object]) -> str:
    return " ".join(f"--{name.replace('_', '-')} {value}" for name, value in options.items())


@pytest.fixture(scope="module")
def models(data, program):
    """Models of one run each."""
    lines = {
        "scenes": f"scenes train {data}/places --dictionary 12 --samples 40 --seed 9 --neighbors 1",
        "people": f"people train --positives {data}/crops --negatives {data}/scenes {option_line(PEOPLE)}",
        "actions": f"actions train {data}/clips {option_line(ACTIONS)}",
    }
    for name, line in lines.items():
        program(f"fovea {line} -o {data}/{name}.safetensors --device cpu")
    return {name: data / f"{name}.safetensors" for name in lines}


def test_trainings(nodes, data, models, tmp_path):
    scenes = fr.train_scenes(
        data / "places", out=tmp_path / "scenes.safetensors", dictionary=12, samples=40, seed=9, neighbors=1, shards=1 + nodes
    )
    people = fr.train_people(data / "crops", data / "scenes", out=tmp_path / "people.safetensors", shards=nodes, **PEOPLE)
    actions = fr.train_actions(data / "clips", out=tmp_path / "actions.safetensors", shards=nodes, **ACTIONS)
    for model in (scenes, people, actions):
        assert model.read_bytes() == models[model.stem].read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["actions.safetensors", "people.safetensors", "scenes.safetensors"]


def test_evaluations(nodes, drawn, models, tmp_path):
    lines = {
        "scenes": f"scenes eval {drawn}/places --splits 3 --neighbors 1 --dictionary 12 --samples 40 -o report",
        "mesh": f"mesh eval --meshes {drawn}/meshes --segmentations {drawn}/halves --csv errors.csv",
        "flow": f"flow eval {drawn}/pairs -o report --json",
        "actions": f"actions eval {drawn}/clips -o report --no-choose --no-baselines {option_line(ACTIONS)}",
        "people": f"people eval --model {models['people']} --images {drawn}/streets --annotations {drawn}/boxes --threshold -1 -o report",
    }
    ours = {
        "scenes": lambda **how: fr.evaluate_scenes(drawn / "places", splits=3, neighbors=1, dictionary=12, samples=40, **how),
        "mesh": lambda **how: fr.evaluate_mesh(drawn / "meshes", drawn / "halves", **how),
        "flow": lambda **how: fr.evaluate_flow(drawn / "pairs", json=True, **how),
        "actions": lambda **how: fr.evaluate_actions(drawn / "clips", choose=False, baselines=False, **ACTIONS, **how),
        "people": lambda **how: fr.evaluate_people(
            drawn / "streets", drawn / "boxes", model=models["people"], threshold=-1, **how
        ),
    }
    for name, line in lines.items():
        status, printed = one_run(line.split(), tmp_path / f"one-{name}")
        result = ours[name](out=tmp_path / name, shards=nodes)
        assert (result.status, result.printed) == (status, printed) and status == 0, (name, result.messages)
        assert files_of(tmp_path / name) == files_of(tmp_path / f"one-{name}"), name
