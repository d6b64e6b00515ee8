"""The command python -m fovea.bench: its rows, and what it says about libraries that are not installed."""

from __future__ import annotations

import json
import subprocess
import sys
import xml.etree.ElementTree

import numpy as np
import pytest

import fovea
from fovea.bench import Report, _inputs, run
from fovea.bench._measure import Times
from fovea.bench._report import Comparison, Overhead


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


def test_rows_of_many_bins(monkeypatch):
    monkeypatch.setitem(sys.modules, "ot", None)
    rows = run("emd: 1", repeats=1, threads=1).comparisons
    assert [(row.name, row.size) for row in rows] == [
        ("emd: 128 bins, given costs", "20 pairs"), ("emd: 1024 bins, given costs", "1 pair"),
    ]
    assert all("pip install POT" in row.reason and row.fovea_ms > 0 for row in rows)


def test_integral_images_are_compared_with_those_of_opencv():
    pytest.importorskip("cv2", reason="OpenCV is not installed")
    rows = run("ops: integral", repeats=1, threads=1).comparisons
    assert [row.results for row in rows] == ["greatest difference 0.0e+00"] * 2 and all(row.ratio > 0 for row in rows)


def test_points_and_videos_are_compared_with_those_of_opencv():
    pytest.importorskip("cv2", reason="OpenCV is not installed")
    (row,) = run("flow: follow", repeats=1, threads=1).comparisons
    ours, theirs = (float(text.split()[-2]) for text in row.results.split(","))
    assert ours < 0.5 and ours < theirs + 0.1 and row.ratio > 0
    for row in run("write_video", repeats=1, threads=1).comparisons:  # none without FFmpeg
        assert row.results.count(" MB, mean difference ") == 2 and row.ratio > 0


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


def made_report():
    """A report with a rival that is slower, one that is faster and one that is absent."""
    place = {"fovea": "1", "compiler": "gcc", "simd": ["NEON"], "python": "3", "numpy": "2", "system": "Linux"}
    report = Report({**place, "processor": "A & B", "cores": 2, "load": 0.1}, 2, 3, "drawn")
    report.overheads = [Overhead("a.call", "8x8", 9.0, 5.0, 4.0)]
    for rival, seconds in (("slow", 0.5), ("fast <1>", 0.001), ("absent", None)):
        row = Comparison("emd: pairs", "10 pairs", 1, rival, reason="" if seconds else "not measured: missing")
        row.took(Times(0.005, 0.004, 0.006), Times(seconds, seconds / 2, seconds * 2) if seconds else None)
        report.comparisons.append(row)
    return report


def test_a_chart_has_bars_on_both_sides_of_one():
    drawn = made_report().to_svg()
    assert drawn == made_report().to_svg()
    root = xml.etree.ElementTree.fromstring(drawn)
    texts = {element.text: float(element.get("x")) for element in root.iter("{http://www.w3.org/2000/svg}text")}
    assert {"slow", "fast <1>", "absent", "100", "0.20", "not measured", "emd: pairs (10 pairs)"} <= set(texts)
    bars = {}
    for box in root.iter("{http://www.w3.org/2000/svg}rect"):
        if box.get("height") == "13.0":
            bars[box.get("fill")] = (float(box.get("x")), float(box.get("x")) + float(box.get("width")))
    (slow_left, slow_right), (fast_left, fast_right) = bars["#2f6fde"], bars["#e78000"]
    assert slow_left == pytest.approx(fast_right, abs=0.2) == pytest.approx(texts["1"], abs=0.2)
    # Logarithmic: a hundred times as long, and a fifth.
    assert (slow_right - slow_left) / (fast_right - fast_left) == pytest.approx(np.log(100) / np.log(5), rel=0.01)


def bench(*words):
    return subprocess.run([sys.executable, "-m", "fovea.bench", *words], capture_output=True, text=True, check=False)


def test_a_chart_comes_from_an_earlier_report(tmp_path):
    report, chart = tmp_path / "report.json", tmp_path / "chart.svg"
    report.write_text(made_report().to_json())
    done = bench("--report", str(report), "--chart", str(chart))
    assert done.returncode == 0 and "| emd: pairs" in done.stdout and chart.read_text() == made_report().to_svg()
    report.write_text('{"machine": 1}')
    done = bench("--report", str(report), "--chart", str(chart))
    assert done.returncode == 1 and done.stderr.count("\n") == 1 and "no report" in done.stderr
    done = bench("--report", str(tmp_path / "none.json"))
    assert done.returncode == 1 and done.stderr.count("\n") == 1 and "none.json" in done.stderr
    done = bench("--chart", str(tmp_path / "none" / "chart.svg"))
    assert done.returncode == 2 and "no folder" in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["chart.svg", "report.json"]
