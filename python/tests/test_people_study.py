"""People: the study of the descriptor's options, as the program has it."""

from __future__ import annotations

import json
import pickle
from typing import Any

import numpy as np
import pytest
from conftest import draw_person

import fovea
from fovea import people

QUICK: dict[str, Any] = {"vary": ["gamma", "interpolate"], "linear_rounds": 0, "linear_ratio": 1.3, "device": "cpu"}


def crops(seed: int) -> list[np.ndarray[Any, Any]]:
    made = []
    for i in range(4):
        crop = np.random.default_rng(seed + i).integers(120, 180, (144, 80, 3), dtype=np.uint8)
        draw_person(crop, 40, 124, 104)
        made.append(crop)
    return made


def scenes(seed: int) -> list[np.ndarray[Any, Any]]:
    return [np.random.default_rng(seed + i).integers(120, 180, (150, 100, 3), dtype=np.uint8) for i in range(2)]


def test_the_program_studies_the_same(tmp_path: Any, program: Any) -> None:
    sets = {"p": crops(1), "n": scenes(11), "tp": crops(21), "tn": scenes(31)}
    for name, images in sets.items():
        (tmp_path / name).mkdir()
        for i, image in enumerate(images):
            fovea.write_image(tmp_path / name / f"{i}.png", image)
    study = people.study(*[tmp_path / name for name in sets], **QUICK)
    answer = json.loads(program(study.command, STUDY=tmp_path / "report"))
    assert [v["miss_rate"] for v in answer["variants"]] == [v.miss_rate for v in study.variants]
    assert [v["value"] for v in answer["variants"]] == [v.value for v in study.variants]
    assert answer["false_positives_per_window"] == study.false_positives_per_window
    assert people.study(*sets.values(), **QUICK, threads=1) == study
    assert pickle.loads(pickle.dumps(study)) == study
    assert list(study.to_pandas()["parameter"]) == ["", "gamma", "interpolate"]
    assert study.to_svg("gamma").startswith("<svg") and "2 variants" in repr(study)


def test_bad_studies_are_refused() -> None:
    with pytest.raises(fovea.InvalidArgument, match="there is no parameter 'masks'"):
        people.study(crops(1), scenes(2), crops(3), scenes(4), vary=["masks"], device="cpu")
    with pytest.raises(fovea.InvalidArgument, match="test_negatives is empty"):
        people.study(crops(1), scenes(2), crops(3), [], device="cpu")
