"""The examples of the documentation run as they stand."""

from __future__ import annotations

import pathlib
import re

import pytest

import fovea

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("page", ["README.md", "docs/python.md", "docs/opencv.md"])
def test_examples_run_as_they_stand(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```python\n(.*?)^```", (ROOT / page).read_text(), re.MULTILINE | re.DOTALL)
    assert blocks
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, page, "exec"), names)
    assert capsys.readouterr().out


@pytest.mark.parametrize("page", ["README.md", "docs/python.md", "docs/opencv.md", "docs/architecture.md"])
def test_examples_choose_thresholds_in_the_units_of_the_model(page):
    own = fovea.people.load_model("channels").threshold
    text = (ROOT / page).read_text()
    found = re.findall(r"(?:people\.detect|[Dd]etector)\([^)\n]*\"(?:people/)?channels\"[^)\n]*threshold ?= ?([-0-9.]+)", text)
    assert all(own / 2 < float(number) < 2 * own for number in found)
