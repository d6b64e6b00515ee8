"""The command python -m fovea.bench: its rows, and what it says about libraries that are not installed."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest

import fovea
from fovea.bench import _inputs, run


def test_the_command_prints_json():
    line = [sys.executable, "-m", "fovea.bench", "--json", "--filter", "KMeans.predict", "--repeats", "1"]
    report = json.loads(subprocess.run(line, capture_output=True, text=True, check=True).stdout)
    assert report["machine"]["fovea"] == fovea.__version__ and report["repeats"] == 1
    assert [row["name"] for row in report["overheads"]] == ["KMeans.predict"] and not report["comparisons"]


def test_rivals_take_turns():
    pytest.importorskip("ot")
    report = run("emd: pairs, threshold", repeats=1, threads=1)
    row = report.comparisons[0]
    assert "POT" in row.rival and row.threads == 1
    assert row.fovea_ms > 0 and row.rival_ms > 0 and np.isclose(row.ratio, row.rival_ms / row.fovea_ms)
    assert "| emd: pairs, threshold:3" in report.to_text()


def test_a_rival_that_is_not_installed_is_a_row_with_the_reason(monkeypatch):
    monkeypatch.setitem(sys.modules, "cv2", None)
    report = run("flow: fast", repeats=1, threads=1)
    assert len(report.comparisons) == 2
    for row in report.comparisons:
        assert "pip install opencv-python-headless" in row.reason and row.ratio is None and row.fovea_ms > 0
    assert "not measured" in report.to_text()


def test_a_photograph_takes_the_place_of_the_drawn_one(tmp_path):
    path = tmp_path / "photo.png"
    fovea.write_image(path, _inputs.photograph(320, 240, seed=9))
    assert run("KMeans.predict", repeats=1, image=path).image == "photo.png, 320x240"
    fovea.write_image(path, np.zeros((20, 20), np.uint8))
    with pytest.raises(fovea.InvalidArgument, match="160x160"):
        run("KMeans.predict", repeats=1, image=path)


def test_the_drawn_motion_is_the_true_one():
    pair = _inputs.moving_pair(_inputs.gray_of(_inputs.photograph(320, 240)))
    flow = fovea.flow.estimate(pair.first, pair.second, quality="best", device="cpu")
    errors = np.hypot(flow.u - pair.u, flow.v - pair.v)
    assert np.median(errors[pair.known]) < 0.1
